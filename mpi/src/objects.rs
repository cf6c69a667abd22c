//! What the boundary needs to know about objects: whether a handle is one, and how many processes
//! there are. The checks and the lengths of arrays ask here.

use std::ffi::c_int;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::*;
use crate::error::Origin;

/// Whether a handle is an object of its class that may be used.
pub trait Handle: Copy {
    /// Null handles are not valid.
    fn is_valid(self) -> bool;
}

/// Predefined objects only: until there are others, no address is a valid handle.
macro_rules! predefined {
    ($($handle:ty: $names:ident but $null:ident;)*) => {$(
        impl Handle for $handle {
            fn is_valid(self) -> bool {
                self != $null && $names.iter().any(|(handle, _)| *handle == self)
            }
        }
    )*};
}

predefined! {
    Comm: COMM_NAMES but MPI_COMM_NULL;
    Group: GROUP_NAMES but MPI_GROUP_NULL;
    Win: WIN_NAMES but MPI_WIN_NULL;
    File: FILE_NAMES but MPI_FILE_NULL;
    Session: SESSION_NAMES but MPI_SESSION_NULL;
    Message: MESSAGE_NAMES but MPI_MESSAGE_NULL;
    Info: INFO_NAMES but MPI_INFO_NULL;
    Errhandler: ERRHANDLER_NAMES but MPI_ERRHANDLER_NULL;
    Request: REQUEST_NAMES but MPI_REQUEST_NULL;
    Op: OP_NAMES but MPI_OP_NULL;
    Datatype: DATATYPE_NAMES but MPI_DATATYPE_NULL;
}

/// Whether a valid datatype is committed.
pub fn is_committed(datatype: Datatype) -> bool {
    datatype.is_predefined()
}

/// What ranks of peers refer to.
pub trait Ranks: Copy {
    /// How many processes this one exchanges data with.
    fn peers(self) -> usize;
}

impl Ranks for Comm {
    fn peers(self) -> usize {
        peers(self)
    }
}

impl Ranks for Win {
    fn peers(self) -> usize {
        0
    }
}

/// Processes of a valid communicator that this one exchanges data with: those of the group, or of
/// the remote group of an intercommunicator.
pub fn peers(_comm: Comm) -> usize {
    1
}

/// Processes of the local group.
pub fn size(_comm: Comm) -> usize {
    1
}

/// Rank of this process in the local group.
pub fn rank(_comm: Comm) -> c_int {
    0
}

/// Whether it is an intercommunicator.
pub fn is_inter(_comm: Comm) -> bool {
    false
}

/// Neighbors that send to this process; 0 without a topology.
pub fn in_degree(_comm: Comm) -> usize {
    0
}

/// Neighbors that this process sends to; 0 without a topology.
pub fn out_degree(_comm: Comm) -> usize {
    0
}

/// Dimensions of a Cartesian topology; 0 without one.
pub fn dims(_comm: Comm) -> usize {
    0
}

/// The largest tag (`MPI_TAG_UB`).
pub fn tag_ub() -> c_int {
    c_int::MAX
}

/// The error handler that an error goes to. An invalid object has that of `MPI_COMM_SELF`.
pub fn errhandler(origin: Origin) -> Errhandler {
    match origin {
        Origin::File(_) => MPI_ERRORS_RETURN,
        _ => MPI_ERRORS_ARE_FATAL,
    }
}
