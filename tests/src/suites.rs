//! The programs of `tests/mpi` that any job can run, with the levels of thread support and the numbers of processes
//! that each is for.

use std::ops::RangeInclusive;

use crate::programs::Counts;

/// For the counts of a library: levels of thread support, and programs with their processes.
pub type Suite = (Counts, &'static [&'static str], &'static [(&'static str, RangeInclusive<u32>)]);

/// A suite as data. Others make something else of it.
macro_rules! data {
    ($counts:expr, $levels:expr; $($name:ident: $processes:expr;)*) => {
        ($counts, &$levels, &[$((stringify!($name), $processes)),*])
    };
}

/// Hands it to a macro.
#[macro_export]
macro_rules! with_ints {
    ($then:ident) => {
        $then! {
            Counts::Small, ["single", "multiple"];
            attributes: 1..=8;
            bsend: 1..=8;
            coll_rules: 1..=8;
            colls: 1..=8;
            comms: 1..=8;
            completion: 1..=8;
            cuts: 1..=3;
            datatypes: 1..=2;
            derived: 1..=8;
            engines: 1..=2;
            errhandlers: 1..=3;
            errors: 1..=3;
            flat: 1..=3;
            freed: 1..=8;
            grequest: 1..=2;
            groups: 1..=8;
            icoll: 1..=8;
            info: 1..=2;
            inter: 1..=8;
            large: 1..=3;
            matching: 1..=8;
            modes: 1..=8;
            neighbors: 1..=8;
            nobody: 1..=2;
            ops: 1..=5;
            p2p: 1..=8;
            partitioned: 1..=8;
            pcoll: 1..=8;
            places: 1..=8;
            statuses: 1..=1;
            tool: 1..=3;
            topologies: 1..=8;
            win_errors: 1..=3;
            win_objects: 1..=8;
            win_dynamic: 1..=5;
            win_operations: 1..=3;
            win_progress: 1..=4;
            win_requests: 1..=4;
            win_shared: 1..=8;
            win_sync: 1..=5;
        }
    };
}

/// Hands it to a macro.
#[macro_export]
macro_rules! with_large_counts {
    ($then:ident) => {
        $then! {
            Counts::Large, ["single", "multiple"];
            bsend: 2..=2;
            coll_rules: 2..=3;
            colls: 1..=4;
            completion: 2..=2;
            cuts: 2..=2;
            datatypes: 2..=2;
            derived: 2..=2;
            errors: 1..=2;
            matching: 2..=3;
            modes: 2..=2;
            neighbors: 1..=4;
            nobody: 1..=2;
            ops: 1..=4;
            p2p: 2..=3;
            partitioned: 2..=2;
            places: 3..=3;
            statuses: 1..=1;
            win_errors: 1..=2;
            win_objects: 2..=2;
            win_dynamic: 2..=2;
            win_operations: 2..=2;
            win_requests: 2..=2;
            win_shared: 3..=3;
            win_sync: 2..=2;
        }
    };
}

/// Hands it to a macro.
#[macro_export]
macro_rules! with_each_level {
    ($then:ident) => {
        $then! {
            Counts::Small, ["single", "funneled", "serialized", "multiple"];
            environment: 1..=3;
        }
    };
}

/// Hands it to a macro.
#[macro_export]
macro_rules! with_threads {
    ($then:ident) => {
        $then! {
            Counts::Small, ["multiple"];
            inter_threads: 1..=4;
            probers: 2..=2;
            reenter: 1..=3;
            sync: 1..=3;
            threads_colls: 1..=4;
            threads_messages: 1..=4;
            threads_objects: 1..=4;
            threads_requests: 1..=4;
            win_threads: 1..=3;
        }
    };
}

/// What works on communicators, and what one process does alone.
pub const WITH_INTS: Suite = with_ints!(data);
/// The same with large counts.
pub const WITH_LARGE_COUNTS: Suite = with_large_counts!(data);
/// What every level of thread support has.
pub const WITH_EACH_LEVEL: Suite = with_each_level!(data);
/// Threads that call at the same time.
pub const WITH_THREADS: Suite = with_threads!(data);

/// One run of a program.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Of what type its counts are.
    pub counts: Counts,
    /// The program.
    pub name: &'static str,
    /// How many processes.
    pub processes: u32,
    /// With which level of thread support.
    pub level: &'static str,
}

/// All of them.
pub fn all() -> Vec<Case> {
    let suites = [WITH_INTS, WITH_LARGE_COUNTS, WITH_EACH_LEVEL, WITH_THREADS];
    let mut cases = Vec::new();
    for (counts, levels, programs) in suites {
        for (name, numbers) in programs {
            for processes in numbers.clone() {
                cases.extend(levels.iter().map(|level| Case { counts, name, processes, level }));
            }
        }
    }
    cases
}
