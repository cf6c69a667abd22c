//! Error handlers.

use crate::abi::generated::types::Errhandler;

/// Another reference to an error handler, for an object that gets the same.
pub fn share(handle: Errhandler) -> Errhandler {
    handle
}
