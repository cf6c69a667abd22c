//! Which processors each rank is bound to.
//!
//! Placing says on which core a rank comes to lie, binding how much around that core it may use.
//!
//! | `--map-by` | consecutive ranks | bound by default to |
//! |---|---|---|
//! | not given | | their equal share of the cores, or nothing if there are too few |
//! | `core`, `slot` | one core after the other | their core |
//! | `numa`, `socket` | one memory node or socket after the other | it |
//! | `node` | one core after the other: there is one machine | nothing |
//!
//! The default gives a rank that is alone all cores, so that its threads are not crowded onto one,
//! and two ranks on two cores a core each.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use cairn_framework::host::problem::Problem;

use crate::cli::{BindTo, MapBy};
use crate::topology::{Core, Topology, cpu_ranges};

/// What the user wants.
#[derive(Debug, Clone, Copy, Default)]
pub struct BindingRequest {
    /// What to bind to, if said.
    pub bind_to: Option<BindTo>,
    /// What to place on, if said.
    pub map_by: Option<MapBy>,
    /// Cores of each process, if said.
    pub cores_each: Option<usize>,
    /// Whether processes may share cores.
    pub oversubscribe: bool,
}

/// Where the ranks run.
#[derive(Debug, PartialEq, Eq)]
pub struct Binding {
    /// For each rank its processors; none if it is not bound.
    pub cpus: Vec<Vec<u32>>,
    /// What was done, in words.
    pub summary: String,
    /// What the user should know.
    pub warning: Option<String>,
}

impl Binding {
    /// Binds `ranks` ranks.
    ///
    /// # Errors
    /// More cores are asked for than there are, and they may not be shared.
    pub fn new(
        topology: &Topology,
        ranks: usize,
        request: BindingRequest,
    ) -> Result<Self, Problem> {
        let cores = &topology.cores;
        let each = request.cores_each.unwrap_or(1);
        let enough = ranks.saturating_mul(each) <= cores.len();
        let bind_to = match (request.bind_to, request.map_by) {
            (Some(bind_to), _) => Some(bind_to),
            (None, _) if request.cores_each.is_some() => Some(BindTo::Core),
            (None, Some(MapBy::Core)) => Some(BindTo::Core),
            (None, Some(MapBy::Numa)) => Some(BindTo::Numa),
            (None, Some(MapBy::Socket)) => Some(BindTo::Socket),
            (None, Some(MapBy::Node)) => Some(BindTo::None),
            (None, None) => None,
        };
        let (cpus, summary) = match bind_to {
            Some(BindTo::None) => (vec![Vec::new(); ranks], "not bound".to_owned()),
            None if !enough => (
                vec![Vec::new(); ranks],
                format!("not bound: {ranks} processes on {}", count(cores.len(), "core")),
            ),
            None => {
                let share = cores.len() / ranks;
                let own = |rank: usize| cpus_of(&cores[rank * share..(rank + 1) * share]);
                ((0..ranks).map(own).collect(), format!("bound to {} each", count(share, "core")))
            }
            Some(BindTo::Core) => {
                if !enough && !request.oversubscribe {
                    return Err(too_few(topology, ranks, each, request));
                }
                if each > cores.len() {
                    return Err(too_few(topology, ranks, each, request));
                }
                let places = places(cores, ranks, each, request.map_by);
                let own = |place: usize| {
                    let cores: Vec<Core> =
                        (place..place + each).map(|i| cores[i % cores.len()].clone()).collect();
                    cpus_of(&cores)
                };
                (
                    places.into_iter().map(own).collect(),
                    format!("bound to {} each", count(each, "core")),
                )
            }
            Some(bind_to @ (BindTo::Numa | BindTo::Socket)) => {
                let (what, domain): (_, fn(&Core) -> u32) = match bind_to {
                    BindTo::Numa => ("memory node", |core| core.numa),
                    _ => ("socket", |core| core.socket),
                };
                let own = |place: usize| {
                    let mine = domain(&cores[place % cores.len()]);
                    let around = |core: &&Core| domain(core) == mine;
                    cpus_of(&cores.iter().filter(around).cloned().collect::<Vec<_>>())
                };
                let places = places(cores, ranks, each, request.map_by);
                (places.into_iter().map(own).collect(), format!("bound to a {what} each"))
            }
        };
        let warning = crowded(topology, ranks).filter(|_| !request.oversubscribe);
        Ok(Self { cpus, summary, warning })
    }

    /// What to print for `--report-bindings`.
    pub fn report(&self) -> String {
        let mut text = format!("mpirun: {} {}\n", count(self.cpus.len(), "process"), self.summary);
        for (rank, cpus) in self.cpus.iter().enumerate() {
            let line = if cpus.is_empty() {
                "any processor".into()
            } else {
                format!("processors {}", cpu_ranges(cpus))
            };
            text += &format!("mpirun: rank {rank} on {line}\n");
        }
        text
    }
}

/// The core at which each rank's cores begin.
fn places(cores: &[Core], ranks: usize, each: usize, map_by: Option<MapBy>) -> Vec<usize> {
    let domain: fn(&Core) -> u32 = match map_by {
        Some(MapBy::Numa) => |core| core.numa,
        Some(MapBy::Socket) => |core| core.socket,
        _ => |_| 0,
    };
    let mut domains: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, core) in cores.iter().enumerate() {
        domains.entry(domain(core)).or_default().push(i);
    }
    // Room for so many ranks in each domain, and at least for one: then they share cores.
    let domains: Vec<Vec<usize>> = domains
        .into_values()
        .map(|cores| cores.chunks(each).filter(|room| room.len() == each).map(|r| r[0]).collect())
        .filter(|rooms: &Vec<usize>| !rooms.is_empty())
        .collect();
    if domains.is_empty() {
        return (0..ranks).map(|rank| rank * each % cores.len()).collect();
    }
    let mut places = Vec::with_capacity(ranks);
    let rooms = domains.iter().map(Vec::len).max().unwrap_or(1);
    while places.len() < ranks {
        for round in 0..rooms {
            // A domain that is full is passed over.
            places.extend(domains.iter().filter_map(|rooms| rooms.get(round)));
        }
    }
    places.truncate(ranks);
    places
}

fn cpus_of(cores: &[Core]) -> Vec<u32> {
    let mut cpus: Vec<u32> = cores.iter().flat_map(|core| core.cpus.iter().copied()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

fn too_few(topology: &Topology, ranks: usize, each: usize, request: BindingRequest) -> Problem {
    let cores = topology.cores.len();
    let flag = if request.cores_each.is_some() { ":PE" } else { "--bind-to core" };
    let sum = if each == 1 {
        format!("{} need {ranks} cores", count(ranks, "process"))
    } else {
        format!("{} × {each} cores need {} cores", count(ranks, "process"), ranks * each)
    };
    Problem::new(format!(
        "{sum}; this job may use {cores} (processors {})",
        cpu_ranges(&cpus_of(&topology.cores))
    ))
    .at(flag)
    .allowed(format!("up to {}", count(cores / each, "process")))
    .fix("add --oversubscribe to let them share cores, or say --bind-to none")
}

/// A warning when the processes have less than a processor each.
fn crowded(topology: &Topology, ranks: usize) -> Option<String> {
    let cpus = topology.cpus();
    let share = topology.quota.min(cpus);
    if ranks <= share {
        return None;
    }
    let why = if share < cpus {
        format!("the control group allows {} of {cpus}", count(share, "processor"))
    } else {
        format!("there {} {}", if cpus == 1 { "is" } else { "are" }, count(cpus, "processor"))
    };
    Some(format!("{} take turns: {why} (--oversubscribe: no warning)", count(ranks, "process")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sockets with two cores each, of two threads.
    fn machine() -> Topology {
        let core = |i: u32| Core { cpus: vec![i, i + 4], socket: i / 2, numa: i / 2 };
        Topology { cores: (0..4).map(core).collect(), quota: 8 }
    }

    fn bind(ranks: usize, request: BindingRequest) -> Vec<String> {
        let binding = Binding::new(&machine(), ranks, request).unwrap();
        binding.cpus.iter().map(|cpus| cpu_ranges(cpus)).collect()
    }

    #[test]
    fn the_default_is_an_equal_share() {
        assert_eq!(bind(1, BindingRequest::default()), ["0-7"]);
        assert_eq!(bind(2, BindingRequest::default()), ["0-1,4-5", "2-3,6-7"]);
        assert_eq!(bind(3, BindingRequest::default()), ["0,4", "1,5", "2,6"]);
        assert_eq!(bind(5, BindingRequest::default()), [""; 5]);
    }

    #[test]
    fn placing_and_binding() {
        let by = |map_by| BindingRequest { map_by: Some(map_by), ..BindingRequest::default() };
        assert_eq!(bind(2, by(MapBy::Core)), ["0,4", "1,5"]);
        assert_eq!(bind(3, by(MapBy::Socket)), ["0-1,4-5", "2-3,6-7", "0-1,4-5"]);
        assert_eq!(bind(2, by(MapBy::Node)), ["", ""]);
        let core = BindingRequest { bind_to: Some(BindTo::Core), ..by(MapBy::Socket) };
        assert_eq!(bind(4, core), ["0,4", "2,6", "1,5", "3,7"]);
        let two = BindingRequest { cores_each: Some(2), ..BindingRequest::default() };
        assert_eq!(bind(2, two), ["0-1,4-5", "2-3,6-7"]);
        let none = BindingRequest { bind_to: Some(BindTo::None), ..by(MapBy::Core) };
        assert_eq!(bind(1, none), [""]);
        let numa = BindingRequest { bind_to: Some(BindTo::Numa), ..BindingRequest::default() };
        assert_eq!(bind(3, numa), ["0-1,4-5", "0-1,4-5", "2-3,6-7"]);
    }

    #[test]
    fn too_many_for_binding_shows_the_sum_and_the_way_out() {
        let core = BindingRequest { bind_to: Some(BindTo::Core), ..BindingRequest::default() };
        let error = Binding::new(&machine(), 5, core).unwrap_err().to_string();
        for part in ["5 processes need 5 cores", "may use 4", "--oversubscribe", "--bind-to none"] {
            assert!(error.contains(part), "{part} in {error}");
        }
        let two = BindingRequest { cores_each: Some(2), ..core };
        let error = Binding::new(&machine(), 3, two).unwrap_err().to_string();
        assert!(error.contains("3 processes × 2 cores need 6 cores"), "{error}");
        let shared = BindingRequest { oversubscribe: true, ..core };
        assert_eq!(bind(6, shared), ["0,4", "1,5", "2,6", "3,7", "0,4", "1,5"]);
        let more = BindingRequest { cores_each: Some(5), oversubscribe: true, ..core };
        assert!(Binding::new(&machine(), 1, more).is_err());
    }

    #[test]
    fn a_crowd_is_warned_of() {
        let warning = |ranks, quota, oversubscribe| {
            let topology = Topology { quota, ..machine() };
            let request = BindingRequest { oversubscribe, ..BindingRequest::default() };
            Binding::new(&topology, ranks, request).unwrap().warning
        };
        assert_eq!(warning(8, 8, false), None);
        assert!(warning(9, 8, false).unwrap().contains("there are 8 processors"));
        assert!(warning(3, 2, false).unwrap().contains("control group allows 2 processors of 8"));
        assert_eq!(warning(9, 8, true), None);
    }
}
