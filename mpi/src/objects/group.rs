//! Groups of processes.

use std::sync::{Arc, LazyLock};

use super::arena::{Object, class};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Group;
use crate::error::{Error, Result};

/// The processes of a group by rank: their ranks in the job.
pub type Ranks = Arc<[u32]>;

/// What a handle of a group leads to.
pub struct GroupBody {
    /// The processes.
    pub ranks: Ranks,
}

class!(GroupBody, b"grp ");

/// A handle for these processes; `MPI_GROUP_EMPTY` for none.
pub fn make(ranks: Ranks) -> Group {
    if ranks.is_empty() {
        return MPI_GROUP_EMPTY;
    }
    Group::of(Object::make(GroupBody { ranks }).address())
}

/// The processes of a valid group.
pub fn ranks(handle: Group) -> Option<Ranks> {
    static EMPTY: LazyLock<Ranks> = LazyLock::new(|| Arc::from([]));
    if handle.is_predefined() {
        return (handle == MPI_GROUP_EMPTY).then(|| EMPTY.clone());
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::<GroupBody>::at(handle.object()) }.map(|group| group.ranks.clone())
}

/// Ends a handle; false if it is none of a group that can be freed.
pub fn free(handle: Group) -> bool {
    if handle.is_predefined() {
        return handle == MPI_GROUP_EMPTY;
    }
    // SAFETY: as above.
    unsafe { Object::<GroupBody>::at(handle.object()) }.is_some_and(Object::close)
}

/// The processes of an argument.
pub fn of(handle: Group) -> Result<Ranks> {
    ranks(handle)
        .ok_or_else(|| Error::new(MPI_ERR_GROUP, format!("{:#x} is no group", handle.value())))
}
