//! The processors that this process may use, alone and together with others of its job.

use std::fs;
use std::path::Path;

/// Processors that this process may run on, as its binding and its control group have it.
pub fn own_cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// Processors that the processes of a job on this node may use together. A process that is bound to
/// one of them can't tell from its own binding, so this is what the control group allows, or the
/// node has: an upper bound. A launcher knows better
/// ([`NODE_CORES`](crate::launch::NODE_CORES)).
pub fn node_cores() -> u32 {
    let root = Path::new("/sys/fs/cgroup");
    let group = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    // Version 2 has one line, `0::/path`.
    let own = group.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let lists = [
        root.join(own).join("cpuset.cpus.effective"),
        root.join("cpuset.cpus.effective"),
        "/sys/devices/system/cpu/online".into(),
    ];
    let mut read = lists.iter().filter_map(|file| count(fs::read_to_string(file).ok()?.trim()));
    let own_cores = own_cores();
    let cores = read.next().unwrap_or(own_cores).max(own_cores);
    // Fewer than the binding allows: the group's share of time is limited, and that is for all.
    if own_cores < bound_to() { cores.min(own_cores) } else { cores }
}

/// Processors in this process's binding.
fn bound_to() -> u32 {
    // SAFETY: the set was filled in.
    binding().map_or(0, |set| unsafe { libc::CPU_COUNT(&set) as u32 })
}

/// The binding of the calling thread.
fn binding() -> Option<libc::cpu_set_t> {
    // SAFETY: all zeros is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set has the size that is passed.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) };
    (result == 0).then_some(set)
}

/// Moves the calling thread to the processor of its binding that is its turn by this number, and leaves the binding
/// as it was: the thread goes on there until the system moves it. Threads that take turns with those of other
/// processes are spread so, as the system, which starts them where it finds room at that moment, does it late or
/// never. Nothing happens where there is no choice, or the system refuses.
pub fn spread(number: u32) {
    let Some(before) = binding() else { return };
    // SAFETY: the set was filled in.
    let count = unsafe { libc::CPU_COUNT(&before) as u32 };
    if count < 2 {
        return;
    }
    // SAFETY: numbers below that of the bits of a set.
    let mut own =
        (0..libc::CPU_SETSIZE as usize).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &before) });
    let Some(cpu) = own.nth((number % count) as usize) else { return };
    // SAFETY: all zeros is an empty set, in which there is room for the number of one of the same size.
    let one = unsafe {
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut one);
        one
    };
    for set in [one, before] {
        // SAFETY: a set of the size that is passed.
        unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
    }
}

/// How many processors a list such as `0-3,8` names; `None` when it is no such list, or empty.
fn count(list: &str) -> Option<u32> {
    let mut count = 0;
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count += last.checked_sub(first)? + 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_counted() {
        for (list, expected) in [("0", Some(1)), ("0-3", Some(4)), ("0-1,4,6-7", Some(5))] {
            assert_eq!(count(list), expected, "{list}");
        }
        for list in ["", "a", "3-1", "0-", "1,,2"] {
            assert_eq!(count(list), None, "{list}");
        }
    }

    #[test]
    fn a_node_has_at_least_what_a_process_has() {
        assert!(own_cores() >= 1);
        assert!(node_cores() >= own_cores());
    }
}
