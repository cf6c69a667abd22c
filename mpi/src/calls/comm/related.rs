//! What the functions that make communicators of others have in common.

use std::sync::Arc;

use cairn_framework::abi::comm::ContextId;

use crate::objects::comm::{Plan, make};
use crate::objects::group::Ranks;
use crate::objects::info::Pairs;
use crate::objects::topology::Topology;
use crate::objects::{errhandler, special};
use crate::prelude::*;

/// The communicator, which must be an intercommunicator.
pub fn inter_only(comm: CommRef) -> Result<CommRef> {
    if comm.is_inter() {
        return Ok(comm);
    }
    Err(Error::new(MPI_ERR_COMM, "comm is an intracommunicator; an intercommunicator is needed"))
}

/// The communicator, which must be an intracommunicator.
pub fn intra_only(comm: CommRef) -> Result<CommRef> {
    if !comm.is_inter() {
        return Ok(comm);
    }
    Err(Error::new(MPI_ERR_COMM, "comm is an intercommunicator; an intracommunicator is needed"))
}

/// What a new communicator has besides its processes.
#[derive(Default)]
pub struct Properties {
    /// The hints that the program gave.
    pub info: Pairs,
    /// Its topology, if it has one.
    pub topology: Option<Arc<Topology>>,
}

impl From<Pairs> for Properties {
    fn from(info: Pairs) -> Self {
        Self { info, topology: None }
    }
}

/// A communicator of these groups that gets the error handler of another one.
pub fn related(
    parent: CommRef,
    context: ContextId,
    group: Ranks,
    remote: Option<Ranks>,
    properties: Properties,
) -> Result<CommRef> {
    // Communicators that are not used any more make room first.
    special::end_freed();
    let errhandler = errhandler::share(*parent.errhandler.lock());
    let session = parent.session.clone();
    let Properties { info, topology } = properties;
    let name = c"".to_owned();
    make(Plan { context, group, remote, session, name, errhandler, info, topology })
}

/// Ranks in a communicator of the processes of a group.
pub fn ranks_in(comm: CommRef, group: &Ranks) -> Result<Vec<u32>> {
    group
        .iter()
        .map(|process| {
            let rank = comm.group.iter().position(|own| own == process);
            rank.map(|rank| rank as u32).ok_or_else(|| {
                let text =
                    format!("the group has process {process} of the job, which is not in comm");
                Error::new(MPI_ERR_GROUP, text)
            })
        })
        .collect()
}
