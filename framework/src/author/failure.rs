//! How a function of a component went.

use crate::abi::status::{
    DONE, ERR_DECLINED, ERR_OTHER, ERR_UNAVAILABLE, NO_RESOURCES, NOTHING, OutcomeCode, QUEUED,
    Status,
};

/// Why something failed: a status code and a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One of the codes in [`crate::abi::status`], below zero.
    pub status: Status,
    /// What happened, without the component's name.
    pub text: String,
}

impl Failure {
    /// A failure with a code and a text.
    pub fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// The component can't be used here, and nothing is wrong.
    pub fn unavailable(text: impl Into<String>) -> Self {
        Self::new(ERR_UNAVAILABLE, text)
    }

    /// This call is for another component, where the contract allows that.
    pub fn declined() -> Self {
        Self::new(ERR_DECLINED, String::new())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::new(ERR_OTHER, text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Self {
        Self::new(ERR_OTHER, text)
    }
}

/// How an operation that may have to wait went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Outcome {
    /// Finished; no completion will be called.
    Done = DONE,
    /// Accepted; the completion is called later.
    Queued = QUEUED,
    /// Not accepted; try again after progress.
    NoResources = NO_RESOURCES,
    /// There is nothing of what was asked for.
    Nothing = NOTHING,
}

/// How an operation that may have to wait went, or why it failed.
pub type Attempted = Result<Outcome, Failure>;

impl Outcome {
    /// Reads the answer of a table's function.
    pub fn from_code(code: OutcomeCode) -> Result<Self, Status> {
        match code {
            DONE => Ok(Self::Done),
            QUEUED => Ok(Self::Queued),
            NO_RESOURCES => Ok(Self::NoResources),
            NOTHING => Ok(Self::Nothing),
            error => Err(if error < 0 { error } else { ERR_OTHER }),
        }
    }
}
