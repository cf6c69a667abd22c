//! The cores that mpirun may use.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// The processors (hardware threads) of it that may be used.
    pub cpus: Vec<u32>,
    /// Number of its socket.
    pub socket: u32,
    /// Number of its memory node.
    pub numa: u32,
}

/// What of the machine may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// The cores, those of a socket and of a memory node next to each other.
    pub cores: Vec<Core>,
    /// How many processors' worth of time there is: less than the processors when a control group
    /// sets a limit.
    pub quota: usize,
}

impl Topology {
    /// This machine, as far as this process may use it.
    pub fn of_process() -> Self {
        let allowed: Vec<u32> = match rustix::thread::sched_getaffinity(None) {
            Ok(set) => (0..rustix::thread::CpuSet::MAX_CPU)
                .filter(|cpu| set.is_set(*cpu))
                .map(|cpu| cpu as u32)
                .collect(),
            // More processors than the set has room for: any will do.
            Err(_) => Vec::new(),
        };
        // The standard library knows control groups.
        let quota = std::thread::available_parallelism().map_or(1, usize::from);
        let allowed = if allowed.is_empty() { (0..quota as u32).collect() } else { allowed };
        Self::read(Path::new("/sys/devices/system"), &allowed, quota)
    }

    /// Reads the kernel's description under `root` of the processors that are allowed.
    fn read(root: &Path, allowed: &[u32], quota: usize) -> Self {
        let numa = numa_nodes(root);
        // By socket, memory node, and first processor of the core.
        let mut cores: BTreeMap<(u32, u32, u32), Core> = BTreeMap::new();
        for &cpu in allowed {
            let dir = root.join(format!("cpu/cpu{cpu}/topology"));
            let text = |name: &str| fs::read_to_string(dir.join(name)).ok();
            let socket = text("physical_package_id").and_then(|text| text.trim().parse().ok());
            // Some machines say -1.
            let socket = socket.and_then(|id: i64| u32::try_from(id).ok()).unwrap_or(0);
            let siblings = text("thread_siblings_list").map(|text| cpu_list(&text));
            let first = siblings.and_then(|list| list.into_iter().min()).unwrap_or(cpu);
            let numa = numa.get(&cpu).copied().unwrap_or(0);
            cores
                .entry((socket, numa, first))
                .or_insert_with(|| Core { cpus: Vec::new(), socket, numa })
                .cpus
                .push(cpu);
        }
        Self { cores: cores.into_values().collect(), quota }
    }

    /// How many processors may be used.
    pub fn cpus(&self) -> usize {
        self.cores.iter().map(|core| core.cpus.len()).sum()
    }
}

/// The memory node of each processor.
fn numa_nodes(root: &Path) -> BTreeMap<u32, u32> {
    let mut nodes = BTreeMap::new();
    for entry in fs::read_dir(root.join("node")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("node")?.parse().ok());
        let cpus = fs::read_to_string(entry.path().join("cpulist"));
        if let (Some(number), Ok(cpus)) = (number, cpus) {
            nodes.extend(cpu_list(&cpus).into_iter().map(|cpu| (cpu, number)));
        }
    }
    nodes
}

/// `0-2,5` as numbers.
fn cpu_list(text: &str) -> Vec<u32> {
    text.trim()
        .split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((first.parse::<u32>().ok()?, last.parse::<u32>().ok()?))
        })
        .flat_map(|(first, last)| first..=last.min(first.saturating_add(1 << 16)))
        .collect()
}

/// Numbers as `0-2,5`.
pub fn cpu_ranges(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let show = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(show).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        assert_eq!(cpu_list("0-2,5\n"), [0, 1, 2, 5]);
        assert!(cpu_list("").is_empty());
        assert_eq!(cpu_ranges(&[0, 1, 2, 5]), "0-2,5");
        assert_eq!(cpu_ranges(&[]), "");
    }

    #[test]
    fn two_sockets_with_two_threads_a_core() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: String, text: String| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // Processors 0-3 and 4-7 are first and second threads; sockets take turns.
        for cpu in 0..8 {
            let core = cpu % 4;
            let dir = format!("cpu/cpu{cpu}/topology");
            write(format!("{dir}/physical_package_id"), format!("{}\n", core % 2));
            write(format!("{dir}/thread_siblings_list"), format!("{core},{}\n", core + 4));
        }
        write("node/node0/cpulist".into(), "0,2,4,6\n".into());
        write("node/node1/cpulist".into(), "1,3,5,7\n".into());
        let topology = Topology::read(root.path(), &[0, 1, 2, 3, 4, 5, 7], 7);
        let core = |cpus: &[u32], socket| Core { cpus: cpus.into(), socket, numa: socket };
        assert_eq!(
            topology.cores,
            [core(&[0, 4], 0), core(&[2], 0), core(&[1, 5], 1), core(&[3, 7], 1)]
        );
        assert_eq!(topology.cpus(), 7);
    }

    #[test]
    fn a_machine_that_says_nothing_has_a_core_a_processor() {
        let topology = Topology::read(Path::new("/nonexistent"), &[3, 4], 2);
        assert_eq!(topology.cores.len(), 2);
        let own = Topology::of_process();
        assert!(!own.cores.is_empty() && own.quota > 0);
    }
}
