//! The objects that programs have handles of, one file a class, and what the checks ask of all of them:
//! whether a handle leads to one.

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

use std::ffi::c_int;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::*;
use crate::error::Origin;

/// Whether a handle is an object of its class that may be used.
pub trait Handle: Copy {
    /// Null handles are not valid.
    fn is_valid(self) -> bool;
}

/// Objects of which there are predefined ones only in this version.
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
    Win: WIN_NAMES but MPI_WIN_NULL;
    File: FILE_NAMES but MPI_FILE_NULL;
}

/// Objects that a module of this directory knows.
macro_rules! known {
    ($($handle:ty: |$own:ident| $valid:expr;)*) => {$(
        impl Handle for $handle {
            #[inline(always)]
            fn is_valid(self) -> bool {
                let $own = self;
                $valid
            }
        }
    )*};
}

known! {
    Comm: |handle| comm::find(handle).is_some();
    Datatype: |handle| datatype::view(handle).is_some();
    Errhandler: |handle| errhandler::is_valid(handle);
    Group: |handle| group::find(handle).is_some();
    Info: |handle| handle == MPI_INFO_ENV || info::find(handle).is_some();
    Message: |handle| message::is_valid(handle);
    Op: |handle| op::view(handle).is_some();
    Request: |handle| request::find(handle).is_some();
    XSync: |handle| sync::find(handle).is_some();
    Session: |handle| session::find(handle).is_some();
}

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
        Origin::Handler(handler) if errhandler::is_valid(handler) => {
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
