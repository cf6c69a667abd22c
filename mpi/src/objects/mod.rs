//! The objects that programs have handles of, one file a class: a `find` there says what a handle leads
//! to.

pub mod arena;
pub mod attributes;
pub mod bsend;
pub mod comm;
pub mod datatype;
pub mod datatype_extras;
pub mod errhandler;
pub mod external32;
pub mod generalized;
pub mod grequest;
pub mod group;
pub mod info;
pub mod message;
pub mod names;
pub mod op;
pub mod packing;
pub mod partitioned;
pub mod request;
pub mod session;
pub mod special;
pub mod sync;
pub mod topology;

use std::ffi::c_int;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::*;
use crate::error::Origin;

/// The largest tag (`MPI_TAG_UB`). Negative tags are the library's: a part for the collective
/// operations, and parts that are as large as this for each operation that takes a tag of the program
/// and for the numbers of partitions.
pub const TAG_UB: c_int = (1 << 29) - 1;

/// The largest tag.
#[inline(always)]
pub fn tag_ub() -> c_int {
    TAG_UB
}

/// The error handler that an error goes to, and the object it is called with: a communicator or a
/// session; the other handle is null.
pub struct Handler {
    /// Stays until the caller gives it to [`errhandler::unshare`].
    pub handler: Errhandler,
    /// The communicator.
    pub comm: Comm,
    /// The session.
    pub session: Session,
}

/// The handler of an error. An invalid object has the handler of `MPI_COMM_SELF`.
pub fn errhandler(origin: Origin) -> Handler {
    let handled_by = |handler| Handler { handler, comm: MPI_COMM_NULL, session: MPI_SESSION_NULL };
    let comm = match origin {
        Origin::File(_) => return handled_by(MPI_ERRORS_RETURN),
        Origin::Handler(handler) if errhandler::valid(handler).is_some() => {
            return handled_by(errhandler::share(handler));
        }
        Origin::Freed(handler) => return handled_by(handler),
        Origin::Session(handle) => match session::find(handle) {
            Some(session) => {
                let handler = errhandler::share(*session.errhandler.lock());
                return Handler { session: handle, ..handled_by(handler) };
            }
            None => MPI_COMM_SELF,
        },
        Origin::Comm(handle) => handle,
        Origin::Request(handle) => match request::find(handle).map(request::origin) {
            Some(Origin::Comm(handle)) => handle,
            Some(Origin::Freed(handler)) => return handled_by(handler),
            _ => MPI_COMM_SELF,
        },
        _ => MPI_COMM_SELF,
    };
    let found = comm::find(comm).map(|body| (body, comm));
    match found.or_else(|| Some((comm::find(MPI_COMM_SELF)?, MPI_COMM_SELF))) {
        Some((body, comm)) => {
            Handler { comm, ..handled_by(errhandler::share(*body.errhandler.lock())) }
        }
        None => handled_by(MPI_ERRORS_ARE_FATAL),
    }
}
