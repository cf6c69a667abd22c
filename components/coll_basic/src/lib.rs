//! Basic: every collective operation over point-to-point messages.
//!
//! ```text
//!   CollArgs ─► call ─► algorithms ─► schedule ─┬─► blocking ──► link ─► pml
//!   (what)     (read)   (which steps)  (steps)  └─► requests ──► link ─► pml
//!                                                     ▲ progress
//! ```
//!
//! | operation | small | large |
//! |---|---|---|
//! | barrier | dissemination | |
//! | bcast | straight to a few, binomial tree | scatter, then allgather |
//! | gather, scatter | binomial tree | straight |
//! | allgather(v) | Bruck | ring |
//! | alltoall(v,w) | Bruck (alltoall among many) | straight, some at a time |
//! | reduce | binomial tree | |
//! | allreduce | recursive doubling | Rabenseifner |
//! | reduce_scatter(_block) | recursive doubling | pairwise exchange |
//! | scan, exscan | recursive doubling | |
//! | between neighbors | straight | |
//!
//! The sizes between are parameters. Operations that are not commutative are always applied in the
//! order of the ranks. The algorithms: Thakur, Rabenseifner and Gropp, "Optimization of Collective
//! Communication Operations in MPICH" (2005); Bruck et al. (1997).

mod algorithms;
mod blocking;
mod call;
mod component;
mod data;
mod link;
mod params;
mod requests;
mod schedule;

use component::Basic;

cairn_framework::component! {
    framework: coll,
    component: Basic,
    name: "basic",
    description: "every collective operation over point-to-point messages",
}
