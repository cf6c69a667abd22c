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
pub mod win;

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

/// The error handler that an error goes to, and the object it is called with: a communicator, a window or
/// a session; the other handles are null.
pub struct Handler {
    /// Stays until the caller gives it to [`errhandler::unshare`].
    pub handler: Errhandler,
    /// The communicator.
    pub comm: Comm,
    /// The window.
    pub win: Win,
    /// The session.
    pub session: Session,
}

/// The handler of an error. An invalid object has the handler of `MPI_COMM_SELF`.
pub fn errhandler(origin: Origin) -> Handler {
    let handled_by = |handler| {
        let (comm, win, session) = (MPI_COMM_NULL, MPI_WIN_NULL, MPI_SESSION_NULL);
        Handler { handler, comm, win, session }
    };
    let origin = match origin {
        Origin::Request(handle) => request::find(handle).map_or(Origin::None, request::origin),
        other => other,
    };
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
        Origin::Win(handle) => match win::find(handle) {
            Some(win) => {
                let handler = errhandler::share(*win.errhandler.lock());
                return Handler { win: handle, ..handled_by(handler) };
            }
            None => MPI_COMM_SELF,
        },
        Origin::Comm(handle) => handle,
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
