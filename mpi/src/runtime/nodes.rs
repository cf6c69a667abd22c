//! Which processes of the job are on one node: those that can map each other's memory.
//!
//! ```text
//!   every process   evidence ─► put ─┐                           ┌─► get ─► the node of each rank
//!                                  fence                       fence
//!   rank 0                           └─► get all ─► groups ─► put┘
//! ```
//!
//! Neither a host's name nor what the launcher says decides: containers of one machine have names of their own,
//! a launcher may take them for hosts, and two of its hosts may be one machine. Processes of one boot of one
//! system can map each other's memory where one finds the other in `/proc`, or both have the same `/dev/shm`. Who
//! shares one of these with a process that shares the other with a third is on one node with both.
//!
//! It is evidence and no proof: machines that were restored from one snapshot have one boot id. A transport through
//! shared memory looks once more when it maps a peer's memory, and leaves the peer to others if that is not there.
//!
//! With `mpi_node_identity` a user says what decides. What is exchanged grows with the job and not with its square:
//! rank 0 looks at all, and the others at what it has found.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use cairn_framework::abi::job::Job;
use cairn_framework::host::System;
use cairn_mpi_params as params;

use crate::abi::generated::constants::MPI_ERR_OTHER;
use crate::error::{Error, Result};
use crate::runtime::launch::Launch;

/// Key under which each process publishes its evidence.
const EVIDENCE: &str = "cairn-node";
/// Key under which rank 0 publishes what follows from it.
const FOUND: &str = "cairn-nodes";

/// What begins the texts by which processes are found to be on one node.
const PROCESSES: u8 = b'p';
const FILES: u8 = b'f';
const HOST: u8 = b'h';
const LAUNCHER: u8 = b'l';

/// What begins that which rank 0 publishes: it is as the launcher says; the nodes; a text.
const AS_TOLD: u8 = 0;
const RUNS: u8 = 1;
const PROBLEM: u8 = 2;

/// Finds the node of each rank, and sets the rank of this process on its node. Collective.
pub fn find(system: &System, launch: &Launch, job: &mut Job) -> Result<Vec<u32>> {
    if job.size == 1 {
        return Ok(vec![0]);
    }
    let told = launch.nodes(job.size);
    let own = told.as_ref().map(|nodes| nodes[job.rank as usize]);
    let way = params::choice(system, params::PARAM_NODE_IDENTITY);
    let evidence = match way.as_str() {
        "launcher" => launcher(own),
        "hostname" => vec![text(HOST, &[rustix::system::uname().nodename().to_bytes()])],
        // With nothing in common with any other.
        "process" => Evidence::new(),
        _ => memory(own),
    };
    let nodes = agree(launch, job, &way, evidence, told.map(|told| numbered(&told)))?;
    let own = nodes[job.rank as usize];
    let count = |ranks: &[u32]| ranks.iter().filter(|node| **node == own).count() as u32;
    (job.local_rank, job.local_size) = (count(&nodes[..job.rank as usize]), count(&nodes));
    Ok(nodes)
}

/// Texts; processes that have one in common are on one node.
type Evidence = Vec<Vec<u8>>;

/// What tells whose memory this process can map. `told` is its node as the launcher says, which counts where the
/// system tells nothing.
fn memory(told: Option<u32>) -> Evidence {
    let Ok(boot) = fs::read_to_string("/proc/sys/kernel/random/boot_id") else {
        return launcher(told);
    };
    let boot = boot.trim().as_bytes();
    let mut evidence = Evidence::new();
    // Where `/proc` shows another namespace's processes, their numbers mean nothing here.
    let own = fs::read_link("/proc/self").ok();
    if own.is_some_and(|own| own.as_os_str() == std::process::id().to_string().as_str())
        && let Ok(namespace) = fs::metadata("/proc/self/ns/pid")
    {
        evidence.push(text(PROCESSES, &[boot, &namespace.ino().to_le_bytes()]));
    }
    if let Ok(files) = fs::metadata("/dev/shm") {
        let (device, directory) = (files.dev().to_le_bytes(), files.ino().to_le_bytes());
        evidence.push(text(FILES, &[boot, &device, &directory]));
    }
    evidence
}

/// The launcher's word, if it has one.
fn launcher(told: Option<u32>) -> Evidence {
    told.map(|node| text(LAUNCHER, &[&node.to_le_bytes()])).into_iter().collect()
}

fn text(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    [&[kind][..], &parts.concat()].concat()
}

/// Publishes the evidence, behind the way in which it was found, and learns what follows from that of all. Whatever
/// the way, so that processes with different ones meet here, and learn that.
fn agree(
    launch: &Launch,
    job: &Job,
    way: &str,
    mut evidence: Evidence,
    told: Option<Vec<u32>>,
) -> Result<Vec<u32>> {
    evidence.insert(0, way.as_bytes().to_vec());
    launch.put(EVIDENCE, &write(&evidence))?;
    launch.fence()?;
    if job.rank == 0 {
        let found = judge(launch, job.size, evidence, told.as_ref());
        launch.put(FOUND, &found.unwrap_or_else(|problem| text(PROBLEM, &[problem.as_bytes()])))?;
    }
    launch.fence()?;
    let found = launch.get(0, FOUND)?.unwrap_or_default();
    let nodes = match &found[..] {
        [AS_TOLD] => told,
        [RUNS, runs @ ..] => unpack(runs, job.size),
        [PROBLEM, problem @ ..] => {
            return Err(Error::new(MPI_ERR_OTHER, String::from_utf8_lossy(problem).into_owned()));
        }
        _ => None,
    };
    let damaged = || Error::new(MPI_ERR_OTHER, "what rank 0 says of the nodes is damaged");
    nodes.ok_or_else(damaged)
}

/// What rank 0 publishes, or what is wrong. Its own evidence is `own`.
fn judge(
    launch: &Launch,
    size: u32,
    own: Evidence,
    told: Option<&Vec<u32>>,
) -> std::result::Result<Vec<u8>, String> {
    let mut all = vec![own];
    for rank in 1..size {
        let said = launch.get(rank, EVIDENCE).map_err(|error| error.text().to_owned())?;
        let said = said.and_then(|said| read(&said));
        all.push(said.ok_or_else(|| format!("what rank {rank} says of its node is damaged"))?);
    }
    let ways: Vec<String> = all
        .iter_mut()
        .map(|said| if said.is_empty() { Vec::new() } else { said.remove(0) })
        .map(|way| String::from_utf8_lossy(&way).into_owned())
        .collect();
    if let Some(rank) = ways.iter().position(|way| *way != ways[0]) {
        let name = params::PARAM_NODE_IDENTITY;
        return Err(format!(
            "{name} is {:?} in rank 0 and {:?} in rank {rank}; all processes of a job need the same",
            ways[0], ways[rank]
        ));
    }
    let nodes = groups(&all);
    if told == Some(&nodes) { Ok(vec![AS_TOLD]) } else { Ok(text(RUNS, &[&pack(&nodes)])) }
}

/// Each text with its length before it.
fn write(evidence: &Evidence) -> Vec<u8> {
    // The longest is a host's name.
    evidence.iter().flat_map(|text| [&[text.len() as u8][..], text].concat()).collect()
}

fn read(mut bytes: &[u8]) -> Option<Evidence> {
    let mut evidence = Evidence::new();
    while let [length, rest @ ..] = bytes {
        let (text, rest) = rest.split_at_checked(usize::from(*length))?;
        evidence.push(text.to_vec());
        bytes = rest;
    }
    Some(evidence)
}

/// The node of each rank, from its evidence: ranks are on one node that have a text in common, or each one in common
/// with another one of the node.
fn groups(ranks: &[Evidence]) -> Vec<u32> {
    // Of each rank one of its node with a lower number, or itself.
    let mut of: Vec<u32> = (0..ranks.len() as u32).collect();
    let root = |of: &[u32], mut rank: u32| {
        while of[rank as usize] != rank {
            rank = of[rank as usize];
        }
        rank
    };
    let mut first: HashMap<&[u8], u32> = HashMap::new();
    for (rank, evidence) in (0..).zip(ranks) {
        for text in evidence {
            let other = *first.entry(text).or_insert(rank);
            let (one, other) = (root(&of, rank), root(&of, other));
            of[one.max(other) as usize] = one.min(other);
            // Ways stay short.
            of[rank as usize] = one.min(other);
        }
    }
    numbered(&(0..ranks.len() as u32).map(|rank| root(&of, rank)).collect::<Vec<_>>())
}

/// The same groups, numbered as they come.
fn numbered(groups: &[u32]) -> Vec<u32> {
    let mut numbers = HashMap::new();
    let mut number = |group| {
        let next = numbers.len() as u32;
        *numbers.entry(group).or_insert(next)
    };
    groups.iter().map(|group| number(*group)).collect()
}

/// Runs of ranks of one node: its number, and how many ranks.
fn pack(nodes: &[u32]) -> Vec<u8> {
    let runs = nodes.chunk_by(|one, next| one == next);
    runs.flat_map(|run| [run[0].to_le_bytes(), (run.len() as u32).to_le_bytes()])
        .flatten()
        .collect()
}

fn unpack(bytes: &[u8], size: u32) -> Option<Vec<u32>> {
    let mut nodes = Vec::new();
    let (runs, []) = bytes.as_chunks::<8>() else { return None };
    for run in runs {
        let word = |at: usize| run[at..at + 4].try_into().map(u32::from_le_bytes).ok();
        let (node, count) = (word(0)?, word(4)?);
        if node >= size || count as usize > size as usize - nodes.len() {
            return None;
        }
        nodes.extend(std::iter::repeat_n(node, count as usize));
    }
    (nodes.len() == size as usize).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn evidence(texts: &[&str]) -> Evidence {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    #[test]
    fn who_has_something_in_common_is_on_one_node() {
        let of = |ranks: &[&[&str]]| {
            groups(&ranks.iter().map(|texts| evidence(texts)).collect::<Vec<_>>())
        };
        assert_eq!(of(&[&["p1", "f1"], &["p2", "f2"], &["p1", "f1"], &["p2", "f2"]]), [0, 1, 0, 1]);
        // One of both is enough.
        assert_eq!(of(&[&["p1", "f1"], &["p2", "f1"], &["p1", "f2"], &["p3", "f3"]]), [0, 0, 0, 1]);
        // The last one joins two that had nothing in common.
        assert_eq!(of(&[&["p1"], &["x"], &["f2"], &["f2"], &["p1", "f2"]]), [0, 1, 0, 0, 0]);
        // Without evidence each is alone.
        assert_eq!(of(&[&[], &[], &["p1"]]), [0, 1, 2]);
    }

    #[test]
    fn processes_of_this_test_are_on_one_node_and_say_so() {
        let own = memory(None);
        assert!(!own.is_empty());
        assert_eq!(groups(&[own.clone(), memory(Some(3))]), [0, 0]);
        assert_eq!(read(&write(&own)), Some(own));
        assert_eq!(groups(&[launcher(Some(1)), launcher(None), launcher(Some(1))]), [0, 1, 0]);
    }

    #[test]
    fn nodes_survive_and_damage_is_noticed() {
        for nodes in [&[0][..], &[0, 0, 1, 1], &[0, 1, 0, 1], &[0, 1, 2, 2, 2, 0]] {
            let size = nodes.len() as u32;
            let packed = pack(nodes);
            assert_eq!(unpack(&packed, size).as_deref(), Some(nodes));
            assert_eq!(unpack(&packed, size + 1), None);
            assert_eq!(unpack(&packed, size - 1), None);
            assert_eq!(unpack(&packed[..packed.len() - 1], size), None);
            assert_eq!(numbered(nodes), nodes);
        }
        assert_eq!(unpack(&pack(&[7]), 1), None, "no such node");
        assert_eq!(numbered(&[5, 2, 5, 9]), [0, 1, 0, 2]);
        assert_eq!(read(&[3, 1]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_nodes_of_all_ranks_or_damage(bytes: Vec<u8>, size in 1..70_000_u32) {
            let fits = |nodes: Vec<u32>| {
                nodes.len() == size as usize && nodes.iter().all(|node| *node < size)
            };
            prop_assert!(unpack(&bytes, size).is_none_or(fits));
        }

        #[test]
        fn any_bytes_are_evidence_as_it_is_written_or_damage(bytes: Vec<u8>) {
            prop_assert!(read(&bytes).is_none_or(|evidence| write(&evidence) == bytes));
        }

        #[test]
        fn nodes_are_read_as_they_were_written(nodes in prop::collection::vec(0..50_u32, 50..200)) {
            let size = nodes.len() as u32;
            prop_assert_eq!(unpack(&pack(&nodes), size), Some(nodes));
        }
    }
}
