//! Sm: collective operations in memory that the processes of a node share. So far the barrier.
//!
//! ```text
//!   first barriers    links   up a binomial tree, and down again
//!   then, once        setup   rank 0 ── card of a segment ──► all attach ── well? ──► rank 0 ── agreed ──►
//!   all that follow   board   arrived += 1;  the last one: next generation, wakes sleepers
//! ```
//!
//! With messages a barrier takes as many rounds as the number of processes has bits, and where
//! processes share processors each round waits until others had their turn. On the board every process
//! has to run once.
//!
//! The board is made late, because most communicators see no barrier or a few. Where it can't be made the
//! barrier goes on with messages. When a process of the communicator dies, the barriers of the others end
//! with an error, as they would with messages (`deaths`).

mod board;
#[cfg(not(feature = "loom"))]
mod component;
#[cfg(not(feature = "loom"))]
mod data;
#[cfg(not(feature = "loom"))]
mod deaths;
mod flag;
#[cfg(not(feature = "loom"))]
mod links;
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
