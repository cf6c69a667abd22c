//! Generalized requests (MPI 5.0, section 13.2).

use crate::abi::status::Status;
use crate::error::Result;

/// The program's functions behind such a request.
#[derive(Clone, Copy)]
pub struct Generalized {}

impl Generalized {
    /// Asks the program what became of the operation.
    pub fn query(self) -> (Status, Result<()>) {
        (Status::EMPTY, Ok(()))
    }

    /// Tells the program that the request is gone.
    pub fn free(self) {}
}
