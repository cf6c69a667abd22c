//! The functions of the program behind a generalized request (MPI 5.0, section 13.2). `grequest` makes
//! such requests.

use std::ffi::{c_int, c_void};

use crate::abi::generated::constants::MPI_SUCCESS;
use crate::abi::generated::types::{
    GrequestCancelFunction, GrequestFreeFunction, GrequestQueryFunction,
};
use crate::abi::status::Status;
use crate::error::{Error, Result};

/// The functions, and what they are called with.
#[derive(Clone, Copy)]
pub struct Generalized {
    /// Says what became of the operation.
    pub query: GrequestQueryFunction,
    /// Frees what the program keeps for it.
    pub free: GrequestFreeFunction,
    /// Tries to cancel it.
    pub cancel: GrequestCancelFunction,
    /// What the functions are called with.
    pub extra: *mut c_void,
}

impl Generalized {
    /// Asks the program what became of the operation.
    pub fn query(self) -> (Status, Result<()>) {
        let mut status = Status::EMPTY;
        // SAFETY: the program vouches for its functions.
        let code = unsafe { (self.query)(self.extra, &raw mut status) };
        status.error = code;
        (status, said("query", code))
    }

    /// Asks the program, and tells it that the request is gone.
    pub fn end(self) -> (Status, Result<()>) {
        let (mut status, queried) = self.query();
        let freed = self.free();
        // If both fail, that of the latter counts.
        if let Err(error) = &freed {
            status.error = error.code();
        }
        (status, freed.and(queried))
    }

    /// Tells the program that the request is gone.
    pub fn free(self) -> Result<()> {
        // SAFETY: as above.
        said("free", unsafe { (self.free)(self.extra) })
    }

    /// Tells the program to cancel it, and whether it is complete.
    pub fn cancel(self, complete: bool) -> Result<()> {
        // SAFETY: as above.
        said("cancel", unsafe { (self.cancel)(self.extra, complete.into()) })
    }
}

/// What a function of the program returned.
fn said(what: &str, code: c_int) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => {
            let text = format!("the {what} function of a generalized request failed");
            Err(Error::new(code, text))
        }
    }
}
