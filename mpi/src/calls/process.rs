//! Processes that start others or meet them (MPI 5.0, chapter 11).

use super::comm::comm_free;
use crate::objects::{comm, partitioned, special};
use crate::prelude::*;
use crate::runtime::runtime;

/// As `MPI_Comm_free`, when everything is complete that this process has begun on the communicator,
/// whether the program still has its request or not.
pub fn comm_disconnect(comm: InOut<Comm>) -> Result<()> {
    // A predefined one is an error, however long what is under way on it takes.
    if let Some(found) = comm::find(comm.get()).filter(|_| !comm.get().is_predefined()) {
        let is_pending = || {
            // In this order: what completes in between is waited for once more.
            let pending = found.pending();
            pending > partitioned::listening_on(found)
                || special::is_pending_on(found)
                || partitioned::is_pending_on(found)
        };
        // What another thread moves from one place to the next within a pass is counted at none of them
        // for a moment.
        loop {
            runtime().progress_while(is_pending);
            runtime().system.wait_for_passes();
            if !is_pending() {
                break;
            }
        }
    }
    comm_free(comm)
}

/// No process of this version can start others, so none has a parent, unless the process manager of
/// another library says that one of its own did it.
pub fn comm_get_parent(parent: Out<Comm>) -> Result<()> {
    if runtime().is_spawned() {
        let text = "this process was started by MPI_Comm_spawn of a process of another library, \
                    and this version of Cairn MPI can't communicate with it";
        return Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text));
    }
    parent.set(MPI_COMM_NULL);
    Ok(())
}
