//! The algorithms: one file for each kind of operation, and the list of all of them.
//!
//! Every process comes to its steps by itself, so what decides between algorithms must be known alike
//! to all of them: the size of the group, bytes of data (counts and datatypes may differ where
//! signatures do not), parameters. The papers:
//!
//! * Thakur, Rabenseifner and Gropp (2005), "Optimization of Collective Communication Operations in MPICH"
//! * Rabenseifner (2004), "Optimization of Collective Reduction Operations"
//! * Bruck, Ho, Kipnis, Upfal and Weathersby (1997), "Efficient Algorithms for All-to-All Communications in
//!   Multiport Message-Passing Systems"
//! * Patarasuk and Yuan (2009), "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations"

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod gather;
mod halving;
mod reduce;
mod reduce_scatter;
mod scan;
mod tree;

use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::*;
use cairn_schedule::{Call, Schedule};

type Result<T = ()> = core::result::Result<T, Failure>;

/// Numbers that algorithms take besides the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knobs {
    /// Children of a process on each level of a k-nomial tree, and one more. At least 2.
    pub radix: u32,
    /// Bytes of a segment. At least 1.
    pub segment: u64,
    /// Peers that an alltoall has to do with at a time. At least 1.
    pub window: u32,
}

/// One way of doing an operation. It serves more than one process and some data.
pub struct Algorithm {
    /// What users call it.
    pub name: &'static str,
    /// Why it can't be used for a call, if so; the same on all ranks.
    unfit: fn(&Call<'_>) -> Option<&'static str>,
    write: fn(&Call<'_>, &Knobs, &mut Schedule) -> Result,
}

impl Algorithm {
    /// Why it can't be used for a call, if so; the same on all ranks.
    pub fn unfit(&self, call: &Call<'_>) -> Option<&'static str> {
        (self.unfit)(call)
    }

    /// Writes the steps of a call that it can be used for.
    pub fn write(&self, call: &Call<'_>, knobs: &Knobs, schedule: &mut Schedule) -> Result {
        (self.write)(call, knobs, schedule)
    }
}

/// An operation within a group.
pub struct Operation {
    /// What users call it: the MPI function's name.
    pub name: &'static str,
    /// Whether all ranks know how large it is.
    pub sized: bool,
    /// The ways of doing it. The first serves every call.
    pub algorithms: &'static [Algorithm],
}

impl Operation {
    /// The names of its algorithms.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name)
    }
}

macro_rules! operations {
    ($($number:ident $name:literal $sized:ident:
        $($algorithm:literal $unfit:ident $write:path;)+)*
    ) => {
        /// By number, from `COLL_BARRIER` to `COLL_EXSCAN`.
        pub static OPERATIONS: [Operation; COLL_EXSCAN as usize + 1] = [$(
            Operation {
                name: $name,
                sized: $sized,
                algorithms: &[$(Algorithm { name: $algorithm, unfit: $unfit, write: $write }),+],
            },
        )*];
        // They stand at their numbers.
        const _: () = {
            let mut number = 0;
            $(
                assert!(number == $number);
                number += 1;
            )*
            assert!(number == COLL_EXSCAN + 1);
        };
    };
}

/// All ranks know how large it is.
const SIZED: bool = true;
/// Only some do, or there is nothing to know.
const UNSIZED: bool = false;

operations! {
    COLL_BARRIER "barrier" UNSIZED:
        "dissemination" never barrier::dissemination;
        "recursive_doubling" never barrier::doubling;
        "tree" never barrier::tree;
        "linear" never barrier::straight;
    COLL_BCAST "bcast" SIZED:
        "binomial" never bcast::binomial;
        "knomial" never bcast::knomial;
        "linear" never bcast::straight;
        "chain" never bcast::chain;
        "binary" never bcast::binary;
        "scatter_ring" never bcast::scatter_ring;
        "scatter_doubling" no_power_of_two bcast::scatter_doubling;
    COLL_GATHER "gather" SIZED:
        "binomial" never gather::gather_binomial;
        "knomial" never gather::gather_knomial;
        "linear" never gather::gather_straight;
    COLL_GATHERV "gatherv" UNSIZED:
        "linear" never gather::gather_straight;
    COLL_SCATTER "scatter" SIZED:
        "binomial" never gather::scatter_binomial;
        "knomial" never gather::scatter_knomial;
        "linear" never gather::scatter_straight;
    COLL_SCATTERV "scatterv" UNSIZED:
        "linear" never gather::scatter_straight;
    COLL_ALLGATHER "allgather" SIZED:
        "ring" never allgather::ring;
        "bruck" never allgather::bruck;
        "recursive_doubling" no_power_of_two allgather::doubling;
        "neighbor_exchange" odd allgather::neighbor_exchange;
        "linear" never allgather::straight;
    COLL_ALLGATHERV "allgatherv" SIZED:
        "ring" never allgather::ring;
        "bruck" never allgather::bruck;
        "recursive_doubling" no_power_of_two allgather::doubling;
        "neighbor_exchange" odd allgather::neighbor_exchange;
        "linear" never allgather::straight;
    COLL_ALLTOALL "alltoall" SIZED:
        "pairwise" never alltoall::pairwise;
        "linear" in_place alltoall::straight;
        "bruck" in_place alltoall::bruck;
    COLL_ALLTOALLV "alltoallv" UNSIZED:
        "pairwise" never alltoall::pairwise;
        "linear" in_place alltoall::straight;
    COLL_ALLTOALLW "alltoallw" UNSIZED:
        "pairwise" never alltoall::pairwise;
        "linear" in_place alltoall::straight;
    COLL_REDUCE "reduce" SIZED:
        "binomial" never reduce::binomial;
        "knomial" never reduce::knomial;
        "linear" never reduce::straight;
        "chain" never reduce::chain;
        "rabenseifner" ordered reduce::rabenseifner;
    COLL_ALLREDUCE "allreduce" SIZED:
        "recursive_doubling" never allreduce::doubling;
        "rabenseifner" ordered allreduce::rabenseifner;
        "ring" ordered allreduce::ring;
        "reduce_bcast" never allreduce::reduce_bcast;
        "linear" never allreduce::straight;
    COLL_REDUCE_SCATTER "reduce_scatter" SIZED:
        "recursive_doubling" never reduce_scatter::doubling;
        "recursive_halving" ordered reduce_scatter::halving;
        "pairwise" ordered reduce_scatter::pairwise;
        "ring" ordered reduce_scatter::ring;
        "linear" never reduce_scatter::straight;
    COLL_REDUCE_SCATTER_BLOCK "reduce_scatter_block" SIZED:
        "recursive_doubling" never reduce_scatter::doubling;
        "recursive_halving" ordered reduce_scatter::halving;
        "pairwise" ordered reduce_scatter::pairwise;
        "ring" ordered reduce_scatter::ring;
        "linear" never reduce_scatter::straight;
    COLL_SCAN "scan" SIZED:
        "recursive_doubling" never scan::scan_doubling;
        "linear" never scan::scan_linear;
    COLL_EXSCAN "exscan" SIZED:
        "recursive_doubling" never scan::exscan_doubling;
        "linear" never scan::exscan_linear;
}

fn never(_: &Call<'_>) -> Option<&'static str> {
    None
}

fn ordered(call: &Call<'_>) -> Option<&'static str> {
    (!call.commutative()).then_some("the reduction operation is not commutative")
}

fn no_power_of_two(call: &Call<'_>) -> Option<&'static str> {
    (!call.size().is_power_of_two()).then_some("the number of ranks is no power of two")
}

fn odd(call: &Call<'_>) -> Option<&'static str> {
    (!call.size().is_multiple_of(2)).then_some("the number of ranks is odd")
}

fn in_place(call: &Call<'_>) -> Option<&'static str> {
    call.send_in_place().then_some("the blocks are exchanged in place")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_first_algorithm_of_an_operation_serves_every_call_and_names_are_not_given_twice() {
        for operation in &OPERATIONS {
            assert!(core::ptr::fn_addr_eq(operation.algorithms[0].unfit, never as fn(&_) -> _));
            let names: BTreeSet<&str> = operation.names().collect();
            assert_eq!(names.len(), operation.algorithms.len(), "{}", operation.name);
            assert!(!names.contains(crate::params::AUTO));
        }
    }

    /// What is said of them, and no other, has a row in docs/collectives.md.
    #[test]
    fn each_algorithm_is_documented() {
        let text = include_str!("../../../../docs/collectives.md");
        let (_, text) = text.split_once("## The algorithms").unwrap();
        let mut operations = Vec::new();
        let mut documented = BTreeSet::new();
        for line in text.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            if !cells[1].is_empty() {
                operations = cells[1].split(", ").collect();
            }
            if let Some(name) = cells[2].strip_prefix('`') {
                let name = name.trim_end_matches('`');
                documented.extend(operations.iter().map(|operation| (*operation, name)));
            }
        }
        let pairs =
            |operation: &'static Operation| operation.names().map(|name| (operation.name, name));
        let known: BTreeSet<_> = OPERATIONS.iter().flat_map(pairs).collect();
        assert_eq!(documented, known);
    }
}
