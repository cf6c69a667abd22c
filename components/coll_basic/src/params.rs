//! Parameters: from which size on an operation takes another algorithm.

use cairn_framework::abi::param::{IntegerParam, SizeParam};
use cairn_framework::author::{Failure, Registrar};

/// Any component made for a purpose comes before this one.
const PRIORITY: i64 = 10;

/// Handles to the parameters.
pub struct Params {
    pub priority: IntegerParam,
    gather_tree: SizeParam,
    bcast_flat: SizeParam,
    bcast_split: SizeParam,
    allgather_tree: SizeParam,
    alltoall_tree: SizeParam,
    alltoall_window: IntegerParam,
    allreduce_split: SizeParam,
    reduce_scatter_split: SizeParam,
    kept: SizeParam,
}

/// Their values. All processes must have the same, or they take different algorithms.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub gather_tree: u64,
    pub bcast_flat: u64,
    pub bcast_split: u64,
    pub allgather_tree: u64,
    pub alltoall_tree: u64,
    pub alltoall_window: u32,
    pub allreduce_split: u64,
    pub reduce_scatter_split: u64,
    pub kept: usize,
}

impl Params {
    pub fn register(registrar: &Registrar<'_>) -> Result<Self, Failure> {
        let size =
            |name, default, help| registrar.size(name, default, help).level(5).same().register();
        Ok(Self {
            priority: registrar.priority(PRIORITY)?,
            gather_tree: size(
                "gather_tree",
                "4k",
                "Largest contribution of a process that gather and scatter pass along a tree; \
                 larger ones go straight",
            )?,
            bcast_flat: size(
                "bcast_flat",
                "64k",
                "Largest broadcast that the root sends to each process itself, if there are at most \
                 eight on one node; larger ones go down a tree",
            )?,
            bcast_split: size(
                "bcast_split",
                "128k",
                "Smallest broadcast that is scattered and then gathered by all, if there are more \
                 than two processes; smaller ones go down a tree",
            )?,
            allgather_tree: size(
                "allgather_tree",
                "32k",
                "Largest result of an allgather that is collected in a logarithmic number of \
                 steps; larger ones go around a ring",
            )?,
            alltoall_tree: size(
                "alltoall_tree",
                "128",
                "Largest block of an alltoall among eight or more processes that is passed on in a \
                 logarithmic number of steps; larger ones go straight",
            )?,
            alltoall_window: registrar
                .integer(
                    "alltoall_window",
                    16,
                    "How many blocks an alltoall sends and receives at a time",
                )
                .range(1, 1 << 16)
                .unit("blocks")
                .level(5)
                .same()
                .register()?,
            allreduce_split: size(
                "allreduce_split",
                "16k",
                "Smallest vector that allreduce scatters and gathers again, if the operation is \
                 commutative; smaller ones are exchanged as a whole",
            )?,
            reduce_scatter_split: size(
                "reduce_scatter_split",
                "8k",
                "Smallest vector of which reduce_scatter sends each process only its part, if the \
                 operation is commutative; smaller ones are exchanged as a whole",
            )?,
            kept: size(
                "kept",
                "4m",
                "Temporary memory that a communicator keeps for its next operation",
            )?,
        })
    }

    pub fn limits(&self) -> Limits {
        Limits {
            gather_tree: self.gather_tree.get(),
            bcast_flat: self.bcast_flat.get(),
            bcast_split: self.bcast_split.get(),
            allgather_tree: self.allgather_tree.get(),
            alltoall_tree: self.alltoall_tree.get(),
            alltoall_window: self.alltoall_window.get() as u32,
            allreduce_split: self.allreduce_split.get(),
            reduce_scatter_split: self.reduce_scatter_split.get(),
            kept: self.kept.get() as usize,
        }
    }
}
