//! Groups of processes.

use std::sync::{Arc, LazyLock};

use super::arena::{Object, class};
use super::session::SessionRef;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Group;

/// The processes of a group by rank: their ranks in the job.
pub type Ranks = Arc<[u32]>;

/// The processes of a group, and where it comes from.
#[derive(Clone)]
pub struct GroupBody {
    /// The processes.
    pub ranks: Ranks,
    /// The session it was made in; none of `MPI_COMM_WORLD` and of what is made of it.
    pub session: Option<SessionRef>,
}

class!(GroupBody, b"grp ");

/// A handle for a group; `MPI_GROUP_EMPTY` for none.
pub fn make(ranks: Ranks, session: Option<SessionRef>) -> Group {
    if ranks.is_empty() {
        return MPI_GROUP_EMPTY;
    }
    Group::of(Object::make(GroupBody { ranks, session }).address())
}

/// A valid group.
pub fn find(handle: Group) -> Option<GroupBody> {
    static EMPTY: LazyLock<Ranks> = LazyLock::new(|| Arc::from([]));
    if handle.is_predefined() {
        let empty = || GroupBody { ranks: EMPTY.clone(), session: None };
        return (handle == MPI_GROUP_EMPTY).then(empty);
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::<GroupBody>::at(handle.object()) }.map(|group| (**group).clone())
}

/// Ends a handle; false if it is none of a group that can be freed.
pub fn free(handle: Group) -> bool {
    if handle.is_predefined() {
        return handle == MPI_GROUP_EMPTY;
    }
    // SAFETY: as above.
    unsafe { Object::<GroupBody>::at(handle.object()) }.is_some_and(Object::close)
}
