//! Errors, from where they are noticed to the error handler.

use std::borrow::Cow;
use std::ffi::c_int;
use std::fmt::Display;
use std::io::Write as _;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, Errhandler, File, Request, Session, Win};
use crate::{codes, levels, objects, runtime, state};

/// What a function of MPI gives, before the error handler has seen it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a function of MPI failed. As large as a pointer, so that success costs nothing to return.
#[derive(Debug)]
pub struct Error(Box<Details>);

#[derive(Debug)]
struct Details {
    code: c_int,
    text: Cow<'static, str>,
    origin: Option<Origin>,
}

/// Whose error handler is called (MPI 5.0, section 9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// That of a communicator, which need not be a valid one.
    Comm(Comm),
    /// That of a window.
    Win(Win),
    /// That of a file; `MPI_FILE_NULL` has one too.
    File(File),
    /// That of a session.
    Session(Session),
    /// That of the object a request belongs to.
    Request(Request),
    /// A handler that the function was called with, for an object that it makes.
    Handler(Errhandler),
    /// The handler of an object that the program has freed, while an operation on it went on. The error
    /// has a share in it.
    Freed(Errhandler),
    /// The function has no such object: the handler of `MPI_COMM_SELF`.
    None,
    /// No handler at all: the tool information interface only returns codes.
    Tool,
}

impl Error {
    /// An error of a class or code, and what is wrong: which argument, its value, what is allowed.
    #[cold]
    pub fn new(code: c_int, text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Details { code, text: text.into(), origin: None }))
    }

    /// An error about an argument.
    #[cold]
    pub fn argument(code: c_int, name: &str, value: impl Display, wanted: impl Display) -> Self {
        Self::new(code, format!("{name} is {value}, but {wanted}"))
    }

    /// The same error, raised at another object than the one the function was called with: the
    /// communicator of a request in an array, for example.
    pub fn at(mut self, origin: Origin) -> Self {
        self.0.origin = Some(origin);
        self
    }

    /// The same error of the operation at a place of an array, from a function that completes several:
    /// it returns `MPI_ERR_IN_STATUS`, and the statuses say which operations failed.
    pub fn in_status(mut self, array: &str, place: usize) -> Self {
        let Details { code, text, .. } = &*self.0;
        self.0.text = format!("{array}[{place}]: {}: {text}", class_name(*code)).into();
        self.0.code = MPI_ERR_IN_STATUS;
        self
    }

    /// The same error for another operation.
    pub fn again(&self) -> Self {
        let Details { code, text, origin } = &*self.0;
        Self(Box::new(Details { code: *code, text: text.clone(), origin: *origin }))
    }

    /// Its code.
    pub fn code(&self) -> c_int {
        self.0.code
    }

    /// What is wrong.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

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
    let origin = error.0.origin.unwrap_or(origin);
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
        Some(own) => own.call(found.comm, found.session, error.code()),
        None if found.handler == MPI_ERRORS_RETURN => {}
        None => fatal(function, error),
    }
    objects::errhandler::unshare(found.handler);
}

/// `MPI_ERRORS_ARE_FATAL`: says what happened and ends the job. So does `MPI_ERRORS_ABORT`: no process
/// of a job goes on without the others.
fn fatal(function: &str, error: &Error) -> ! {
    let name = class_name(error.code());
    let text = format!("cairn: {}{function} failed: {name}: {}\n", state::whoami(), error.text());
    // In one piece, so that several ranks that fail at once don't mix their lines.
    let _ = std::io::stderr().write_all(text.as_bytes());
    runtime::abort(error.code(), &format!("{function} failed: {name}: {}", error.text()))
}

/// The name of a predefined class, or the code as a number with the text that the program gave it.
fn class_name(code: c_int) -> Cow<'static, str> {
    let class = ERROR_CLASSES.iter().find(|(class, ..)| *class == code);
    if let Some((_, name, _)) = class {
        return (*name).into();
    }
    match codes::text(code) {
        Ok(text) if !text.is_empty() => format!("error {code} ({text})").into(),
        _ => format!("error {code}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_small() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

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
