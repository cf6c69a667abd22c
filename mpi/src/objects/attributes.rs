//! Values that programs attach to objects.

use super::comm::CommRef;
use crate::abi::generated::types::Comm;
use crate::error::Result;

/// The attributes of an object, by key.
#[derive(Default)]
pub struct Attributes {}

/// Deletes all attributes of a communicator, calling the program's functions.
pub fn delete_all(comm: CommRef, handle: Comm) -> Result<()> {
    let _ = (&comm.attributes, handle);
    Ok(())
}

/// Copies the attributes of a communicator to its duplicate, as the program's functions say.
pub fn copy_all(from: CommRef, handle: Comm, to: CommRef) -> Result<()> {
    let _ = (&from.attributes, handle, &to.attributes);
    Ok(())
}
