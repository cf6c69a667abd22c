//! Sm: windows whose memory all processes of a node load and store.
//!
//! ```text
//!   window_open   each rank: control block, memory ─► keys ─► allgather ─► all map all? ─► agreed by allgather
//!   put, get      copy, in the call
//!   accumulate …  elements under the locks in the target's control block, in the call
//!   lock, PSCW    words in the control blocks; fence: a board in that of rank 0
//! ```
//!
//! Memory comes from the transport that reaches the other processes of the node, if that gives any out
//! (`allocate_memory` of `btl.h`), and is mapped by its keys. Memory that the program wants shared is there without such a
//! transport, too: each process makes a segment then. Where one process can't map what another has, no
//! process serves the window, and the next component is asked: so are dynamic windows, and those on memory
//! that is the program's own.
//!
//! An operation is done when `transfer` returns, so a flush is a fence of the processor, and a request
//! is complete when it is handed out. A thread that waits makes progress for everything else, and ends with
//! an error when a process of the window has died (`deaths`).

mod component;
mod control;
mod deaths;
mod memory;
mod setup;
mod sync;
mod transfer;
mod window;

use component::SharedMemory;

cairn_framework::component! {
    framework: osc,
    component: SharedMemory,
    name: "sm",
    description: "windows whose memory all processes of a node load and store",
}
