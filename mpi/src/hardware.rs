//! What the processors that this process may use have in common (MPI 5.0, section 9.1).
//!
//! Types of resources are named after what Linux says about a processor in `/sys/devices/system/cpu`:
//! `sysfs://package`, `sysfs://die`, `sysfs://core` and `sysfs://cpu`. An instance is known by its
//! first processor.

use std::fs;
use std::mem::MaybeUninit;

/// The types, and the file that lists the processors of an instance.
const TYPES: [(&str, &str); 3] = [
    ("sysfs://package", "package_cpus_list"),
    ("sysfs://die", "die_cpus_list"),
    ("sysfs://core", "core_cpus_list"),
];

/// The type of which an instance is a single processor.
const PROCESSOR: &str = "sysfs://cpu";

/// The types of which the machine says something, and whether this thread is restricted to one
/// instance.
pub fn resources() -> Vec<(&'static str, bool)> {
    let kinds = TYPES.into_iter().map(|(kind, _)| kind).chain([PROCESSOR]);
    kinds.filter_map(|kind| Some((kind, same(&instances(kind)?).is_some()))).collect()
}

/// The instance of a type that this thread is restricted to, by the number of its first processor.
pub fn instance(kind: &str) -> Option<u32> {
    same(&instances(kind)?)
}

fn same(instances: &[u32]) -> Option<u32> {
    let (first, rest) = instances.split_first()?;
    rest.iter().all(|other| other == first).then_some(*first)
}

/// The instances that the processors of this thread belong to; none if the machine doesn't say.
fn instances(kind: &str) -> Option<Vec<u32>> {
    let allowed = allowed();
    if kind == PROCESSOR {
        return Some(allowed);
    }
    let (_, file) = TYPES.into_iter().find(|(own, _)| *own == kind)?;
    let first = |processor: u32| {
        let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/{file}");
        let list = fs::read_to_string(path).ok()?;
        list.split(['-', ',']).next()?.trim().parse().ok()
    };
    allowed.into_iter().map(first).collect()
}

/// The processors that the calling thread may use.
fn allowed() -> Vec<u32> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: there is room for the set; all bits zero are one, too.
    let set = unsafe {
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr());
        set.assume_init()
    };
    let processors = 0..libc::CPU_SETSIZE as u32;
    // SAFETY: the numbers are below the size of the set.
    processors.filter(|processor| unsafe { libc::CPU_ISSET(*processor as usize, &set) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_one_processor_is_restricted_to_all_it_belongs_to() {
        let before = allowed();
        assert!(!before.is_empty());
        let cpu = resources().into_iter().find(|(kind, _)| *kind == PROCESSOR);
        assert_eq!(cpu, Some((PROCESSOR, before.len() == 1)));
        let first = before[0];
        // A thread of its own, with processors of its own.
        let bound = std::thread::spawn(move || {
            // SAFETY: the set is one, and the processor is allowed.
            unsafe {
                let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed().assume_init();
                libc::CPU_SET(before[0] as usize, &mut set);
                assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
            }
            (resources(), instance(PROCESSOR))
        });
        let (resources, processor) = bound.join().expect("no panic");
        assert!(resources.iter().all(|(_, restricted)| *restricted));
        assert_eq!(processor, Some(first));
    }
}
