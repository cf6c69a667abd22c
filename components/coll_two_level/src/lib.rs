//! Two-level: blocking collective operations of operations within each node and operations between the nodes.
//!
//! ```text
//!   ranks on nodes        0 2 4 │ 1 3 │ 5
//!   parts                 0 2 4 │ 1 3 │        a node's ranks, served by what is best there
//!                         0       1     5      the leaders: the first rank of each node
//!
//!   barrier               nodes ─► leaders ─► nodes
//!   bcast                 root's node ─► leaders ─► nodes; the root's node last where the root leads it
//!   scatter               root ─► its leader ─► leaders ─► nodes
//!   gather, reduce        nodes ─► leaders ─► root, if that is no leader
//!   allgather, alltoall   nodes ─► leaders ─► nodes
//!   allreduce             nodes ─► leaders ─► nodes
//! ```
//!
//! So over the network goes one message where otherwise each rank of a node has its own. Both levels are
//! operations on parts of the communicator ([`Part`](cairn_framework::frameworks::coll::Part)), which mostly `coll_sm`
//! serves within a node and `coll_tuned` between nodes; this component sends nothing itself but what a root
//! that is no leader has for its leader, or gets from it. A part is on one node, or has one rank of each, so none is
//! cut into parts again.
//!
//! | file | |
//! |---|---|
//! | `layout.rs` | which rank is on which node, and in which order data of all lies |
//! | `levels.rs` | making the parts, and running operations on them |
//! | `operations.rs` | the operations |
//!
//! **Failures.** Operations on parts pass failures on, and what a process is to do after one that failed it does
//! as one that is lost (`CAIRN_COLL_LOST`). So nobody waits for a process that has stopped.

mod component;
mod layout;
mod levels;
mod operations;

use component::TwoLevel;

cairn_framework::component! {
    framework: coll,
    component: TwoLevel,
    name: "two_level",
    description: "collective operations within nodes first, and between nodes with fewer messages",
}
