//! The end of a call: an error goes to the error handler (MPI 5.0, section 9.3).

use std::ffi::c_int;
use std::io::Write as _;

use crate::abi::generated::constants::*;
use crate::error::{Error, Origin, Result};
use crate::{codes, levels, objects, runtime, state};

/// Ends a call of a function: an error goes to the error handler.
#[inline(always)]
pub fn finish(function: &'static str, origin: Origin, result: Result<()>) -> c_int {
    levels::leave();
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => raise(function, origin, error),
    }
}

/// What a function that is not implemented does.
#[cold]
pub fn unsupported(function: &'static str, origin: Origin) -> c_int {
    let code = match origin {
        Origin::Tool => MPI_T_ERR_NOT_SUPPORTED,
        _ => MPI_ERR_UNSUPPORTED_OPERATION,
    };
    let text = format!("{function} is not implemented in this version of Cairn MPI");
    raise(function, origin, Error::new(code, text))
}

/// Calls the error handler and returns what the function returns if the handler comes back.
#[cold]
pub fn raise(function: &'static str, origin: Origin, error: Error) -> c_int {
    let origin = error.origin().unwrap_or(origin);
    if origin == Origin::Tool {
        // The checks of arguments know no codes of tools.
        let own = MPI_T_ERR_CANNOT_INIT..=MPI_T_ERR_PVAR_NO_ATOMIC;
        return if own.contains(&error.code()) { error.code() } else { MPI_T_ERR_INVALID };
    }
    handle(function, origin, &error);
    error.code()
}

/// Calls the error handler of an object; returns if the handler comes back.
pub fn handle(function: &'static str, origin: Origin, error: &Error) {
    let found = objects::errhandler(origin);
    match objects::errhandler::function(found.handler) {
        Some(own) => own.call(found.comm, found.win, found.session, error.code()),
        None if found.handler == MPI_ERRORS_RETURN => {}
        None => fatal(function, error),
    }
    objects::errhandler::unshare(found.handler);
}

/// `MPI_ERRORS_ARE_FATAL`: says what happened and ends the job. So does `MPI_ERRORS_ABORT`: no process
/// of a job goes on without the others.
fn fatal(function: &str, error: &Error) -> ! {
    let name = codes::name(error.code());
    let text = format!("cairn: {}{function} failed: {name}: {}\n", state::whoami(), error.text());
    // In one piece, so that several ranks that fail at once don't mix their lines.
    let _ = std::io::stderr().write_all(text.as_bytes());
    runtime::abort(error.code(), &format!("{function} failed: {name}: {}", error.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_only_get_codes() {
        assert_eq!(unsupported("MPI_T_x", Origin::Tool), MPI_T_ERR_NOT_SUPPORTED);
        let wrong = Error::new(MPI_ERR_ARG, "name is a null pointer");
        assert_eq!(raise("MPI_T_x", Origin::Tool, wrong), MPI_T_ERR_INVALID);
    }

    #[test]
    fn files_return_errors_unless_told_otherwise() {
        let error = || Error::argument(MPI_ERR_AMODE, "amode", 7, "it must be 1");
        assert_eq!(error().text(), "amode is 7, but it must be 1");
        assert_eq!(raise("MPI_File_open", Origin::File(MPI_FILE_NULL), error()), MPI_ERR_AMODE);
        let elsewhere = error().at(Origin::File(MPI_FILE_NULL));
        assert_eq!(raise("MPI_Waitall", Origin::Comm(MPI_COMM_WORLD), elsewhere), MPI_ERR_AMODE);
    }
}
