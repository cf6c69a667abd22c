//! Return codes.

/// What a function of a table returns: [`OK`] or one of the codes below. A function that returns
/// anything but [`OK`] has first said why through the host table's `fail`, which returns the code
/// so that `return self->host->fail(self, CAIRN_ERR_UNAVAILABLE, "no device");` is one line.
pub type Status = i32;

/// It worked.
pub const OK: Status = 0;
/// The component can't be used here, and nothing is wrong: no device, not this kind of job.
pub const ERR_UNAVAILABLE: Status = -1;
/// Not enough memory, file descriptors, locked memory or device contexts.
pub const ERR_RESOURCES: Status = -2;
/// An argument is outside what the function accepts.
pub const ERR_ARGUMENT: Status = -3;
/// The name asked for is not there.
pub const ERR_NOT_FOUND: Status = -4;
/// The name is taken.
pub const ERR_EXISTS: Status = -5;
/// This host or component does not offer the operation.
pub const ERR_UNSUPPORTED: Status = -6;
/// The peer is gone or the connection to it is.
pub const ERR_PEER: Status = -7;
/// The bytes received are not what the protocol allows.
pub const ERR_PROTOCOL: Status = -8;
/// Received more than the buffer holds.
pub const ERR_TRUNCATED: Status = -9;
/// The component's own code panicked; the reason is what the panic said.
pub const ERR_PANIC: Status = -10;
/// Not an error, where a contract allows it: this call is for another component, and the next one by priority
/// is asked. Nobody says why through `fail`.
pub const ERR_DECLINED: Status = -11;
/// Anything else; the text given to `fail` says what.
pub const ERR_OTHER: Status = -99;

/// How an operation that may have to wait went. Values below zero are a [`Status`].
pub type OutcomeCode = i32;

/// Finished on return: buffers may be reused and no completion will be called.
pub const DONE: OutcomeCode = 0;
/// Accepted: the completion is called later, from a progress call.
pub const QUEUED: OutcomeCode = 1;
/// Not accepted, nothing happened; try again after progress. Never an error.
pub const NO_RESOURCES: OutcomeCode = 2;
/// There is nothing of what was asked for: no message matched, nothing completed.
pub const NOTHING: OutcomeCode = 3;

/// The name of a status code in lower case, for messages.
pub fn status_name(status: Status) -> &'static str {
    match status {
        OK => "ok",
        ERR_UNAVAILABLE => "not available here",
        ERR_RESOURCES => "not enough resources",
        ERR_ARGUMENT => "invalid argument",
        ERR_NOT_FOUND => "not found",
        ERR_EXISTS => "exists already",
        ERR_UNSUPPORTED => "not supported",
        ERR_PEER => "the peer is gone",
        ERR_PROTOCOL => "protocol violation",
        ERR_TRUNCATED => "truncated",
        ERR_PANIC => "the component panicked",
        ERR_DECLINED => "declined",
        _ => "failed",
    }
}
