//! Sm: blocking collective operations in memory that the processes of a node share.
//!
//! ```text
//!   first operations   told        barriers up a binomial tree and down again; others are declined
//!   then, once         setup       rank 0 ── card of a segment ──► all attach ── well? ──► rank 0 ── agreed ──►
//!   all that follow    component ─► operations ─► turns ─┬─► flag    each process's slots: data, and how far it is
//!                      (what fits)  (what goes    (wait) └─► board   arrived += 1; the last one works for all, next
//!                                    where)                          generation, wakes sleepers
//! ```
//!
//! | operation | few processes, with a processor each | many, or where they share processors |
//! |---|---|---|
//! | bcast, scatter | the root writes, all others read | |
//! | gather, reduce | all others write, the root reads | |
//! | scan, exscan | all write, each reads those before it | the same; short ones by messages where they share processors |
//! | allgather, alltoall, reduce_scatter | all write, all read what all have | the same, once all have arrived |
//! | allreduce | the same; above 4 KiB each reduces a part, and all read the parts | the last one to arrive reduces, and all read that; above 16 KiB a reduction at rank 0 and a broadcast |
//! | gatherv, scatterv, alltoallv, alltoallw | as those without v; blocks that have no room in a slot go in messages | |
//! | barrier | each sees the flags of all | all count; where rank 0 sends next, it sees the flags of all, and all see its own |
//!
//! Where processes share processors, each operation is as fast as few of them have to run in turn. Reductions
//! take operands in the order of the ranks, from the right, wherever they are done: so results have the same bits
//! on all processes.
//!
//! The memory is made late, because most communicators see no operation or a few. Where it can't be made, and for what
//! is long (`limit`), the next component is asked, but for blocks of several lengths (`blocks`). When a process of the communicator dies, the
//! operations of the others end with an error, as they would with messages (`deaths`).

#[cfg(not(feature = "loom"))]
mod blocks;
mod board;
#[cfg(not(feature = "loom"))]
mod component;
#[cfg(not(feature = "loom"))]
mod deaths;
mod flag;
#[cfg(not(feature = "loom"))]
mod operations;
#[cfg(not(feature = "loom"))]
mod setup;
#[cfg(not(feature = "loom"))]
mod turns;

#[cfg(not(feature = "loom"))]
use component::SharedMemory;

#[cfg(not(feature = "loom"))]
cairn_framework::component! {
    framework: coll,
    component: SharedMemory,
    name: "sm",
    description: "collective operations in memory that the processes of a node share",
}
