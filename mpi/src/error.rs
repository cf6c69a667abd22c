//! What an error is: why a function of MPI failed, and whose error handler hears of it. `raise` calls the
//! handler.

use std::borrow::Cow;
use std::ffi::c_int;
use std::fmt::Display;

use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_PEER, ERR_RESOURCES, ERR_TRUNCATED, ERR_UNSUPPORTED, OK, Status,
};
use cairn_framework::host::problem::Problem;
use cairn_framework::host::{give_reason, take_reason};

use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, Errhandler, File, Request, Session, Win};

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

    /// Whose error handler is called, if that was said.
    pub fn origin(&self) -> Option<Origin> {
        self.0.origin
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

/// The error of a component's function that returned this status.
#[cold]
pub fn failure(function: &str, status: Status) -> Error {
    Error::new(class_of(status), take_reason(function, status))
}

/// The status that stands for an error on its way through a component, which keeps the text.
pub fn told(error: &Error) -> Status {
    give_reason(error.text());
    ERR_RESOURCES
}

/// The error class of a status of the plugin ABI.
pub fn class_of(status: Status) -> c_int {
    match status {
        OK => MPI_SUCCESS,
        ERR_TRUNCATED => MPI_ERR_TRUNCATE,
        ERR_ARGUMENT => MPI_ERR_ARG,
        ERR_RESOURCES => MPI_ERR_NO_MEM,
        ERR_UNSUPPORTED => MPI_ERR_UNSUPPORTED_OPERATION,
        ERR_PEER => MPI_ERR_PROC_ABORTED,
        _ => MPI_ERR_OTHER,
    }
}

/// The error of a problem with the choice or the start of components.
pub fn problem(problem: Problem) -> Error {
    Error::new(MPI_ERR_OTHER, problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_small() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
