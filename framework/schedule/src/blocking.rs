//! Runs a schedule to its end.

use cairn_framework::abi::status::ERR_TRUNCATED;
use cairn_framework::author::Failure;

use crate::link::{self, Channel, Link};
use crate::schedule::{Schedule, Step};

/// Does every step.
///
/// # Safety
/// The memory of the steps and the channel are valid.
pub unsafe fn run(link: &Link, channel: Channel, schedule: &mut Schedule) -> Result<(), Failure> {
    let mut pending = core::mem::take(&mut schedule.pending);
    // SAFETY: promised by the caller.
    let result = unsafe {
        let result = steps(link, channel, schedule, &mut pending);
        if result.is_err() && !pending.is_empty() {
            link::cancel(&pending);
            // What is told is the failure that came first.
            let _ = link.wait(&mut pending);
        }
        result
    };
    schedule.pending = pending;
    result
}

/// # Safety
/// As for `run`.
unsafe fn steps(
    link: &Link,
    channel: Channel,
    schedule: &Schedule,
    pending: &mut Vec<*mut cairn_framework::abi::request::Request>,
) -> Result<(), Failure> {
    let mut truncated = None;
    let mut steps = schedule.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let last = matches!(steps.peek(), None | Some(Step::Wait));
        // SAFETY: promised by the caller.
        let done = unsafe {
            match step {
                // Nothing else is started before the wait, so it may as well be waited for at once:
                // that needs no request. A receive, though, would leave earlier sends unattended.
                Step::Send { .. } if last => link.finish(channel, step),
                Step::Receive { .. } if last && pending.is_empty() => link.finish(channel, step),
                Step::Send { .. } | Step::Receive { .. } => link.start(channel, step, pending),
                Step::Wait => link.wait(pending),
                Step::Copy { .. } | Step::Reduce { .. } => schedule.compute(step),
            }
        };
        go_on(done, &mut truncated)?;
    }
    // SAFETY: promised by the caller.
    go_on(unsafe { link.wait(pending) }, &mut truncated)?;
    truncated.map_or(Ok(()), Err)
}

/// Data that has no room ends nothing at once: others wait for what this process has to send.
fn go_on(done: Result<(), Failure>, truncated: &mut Option<Failure>) -> Result<(), Failure> {
    match done {
        Err(failure) if failure.status == ERR_TRUNCATED => {
            truncated.get_or_insert(failure);
            Ok(())
        }
        done => done,
    }
}
