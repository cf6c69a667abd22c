//! Adaptive: the operations of an epoch wait until their transfer takes as long as what waiting saves.
//!
//! ```text
//!   operation ─► waiting ≥ operations, or bytes ≥ bytes? ─ no ──► it waits (a lock is asked for by the second)
//!                    ▲                 ▲                  └ yes ─► everything goes but the last operation
//!   thresholds ──────┴─────────────────┘
//!       ▲ median of the last 8 epochs of this kind: latency / cost of an operation, latency / cost of a byte
//!   end of an epoch: what was measured
//! ```
//!
//! This is the hybrid strategy of Zhao 2012, chapter 3, with the threshold that its chapter 5 leaves to
//! future work. An epoch begins as `lazy` has it, so one with few operations takes as few messages. From the
//! threshold on its operations go out as soon as their target is ready, but for the last one, which tells
//! the target of the end.
//!
//! **The threshold.** A synchronization that begins before the end of its epoch costs another one: a fence
//! synchronizes twice, and a lock is asked for by a message of its own (formulas 3.1a and 3.1c). That is about
//! the `latency` that was measured. What it may save is the time of the transfer, which then overlaps with
//! what the program computes; how much that will be is not known before the epoch's end. So operations wait
//! until their transfer takes as long as the latency. Then an epoch costs at most twice what the better
//! choice would have cost, as in the problem of renting or buying skis, and no rule that does not know the
//! end of the epoch is better. With *a* for the cost of an operation and *b* for that of a byte the
//! thresholds are latency / *a* operations and latency / *b* bytes.
//!
//! **Learning.** For each window and kind of epoch the last eight epochs count, and each number is the median of
//! those in which it was measured. The parameters are what holds before three epochs have told of it.
//! When the network changes, the thresholds have settled after eight epochs, because all that count are new
//! ones then. An epoch that computes while it moves data seems to have dearer operations than it has, which
//! lowers its threshold: there is something to overlap with.
//!
//! **Info keys.** `cairn_issue_operations`, `cairn_issue_bytes` and `cairn_issue_learn` are the parameters for
//! one window.

#![forbid(unsafe_code)]

mod learn;

use std::ffi::{CStr, CString};

use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::issue::{
    Decision, ISSUE_EPOCHS, ISSUE_LOCK, Issue, IssueHistory, IssueOperation,
};

use learn::{FEWEST_OPERATIONS, MOST_BYTES, MOST_OPERATIONS, Thresholds, Tuned};

const PRIORITY: i64 = 50;

const OPERATIONS_KEY: &CStr = c"cairn_issue_operations";
const BYTES_KEY: &CStr = c"cairn_issue_bytes";
const LEARN_KEY: &CStr = c"cairn_issue_learn";

/// What the kinds of epochs are called, by number.
const KINDS: [&str; ISSUE_EPOCHS] = ["fence", "start", "lock"];

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        operations: integer(16),
            "Operations of an epoch that wait before everything goes out, until it is known what \
             the network is like; the info key cairn_issue_operations says it for one window",
            range(FEWEST_OPERATIONS as i64, MOST_OPERATIONS as i64), level(4);
        bytes: size("64k"),
            "Bytes of operations that wait before everything goes out, until it is known what \
             the network is like; the info key cairn_issue_bytes says it for one window",
            range(1, MOST_BYTES as i64), level(4);
        learn: bool(true),
            "Find better numbers of operations and bytes by measuring the epochs of each window; the info \
             key cairn_issue_learn says it for one window",
            level(4);
    }
}

struct Adaptive {
    priority: i32,
    /// What holds for a window whose info says nothing.
    start: Thresholds,
    learn: bool,
}

/// What is known of a window.
struct Window {
    learn: bool,
    /// By kind of epoch.
    kinds: [Tuned; ISSUE_EPOCHS],
}

impl Window {
    /// What is known of a kind of epoch. A number of none is taken for a lock, of which least is
    /// begun unasked.
    fn kind(&self, epoch: u32) -> &Tuned {
        &self.kinds[(epoch as usize).min(ISSUE_EPOCHS - 1)]
    }
}

/// What a window's info says of a number.
fn number(window: &Scope, key: &CStr, least: u64, most: u64) -> Result<Option<u64>, Failure> {
    let Some(text) = window.info(key) else { return Ok(None) };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
        _ => Err(wrong(key, &text, &format!("a whole number from {least} to {most}"))),
    }
}

fn wrong(key: &CStr, text: &str, allowed: &str) -> Failure {
    let key = key.to_string_lossy();
    Failure::new(ERR_ARGUMENT, format!("the info key {key} is \"{text}\"; allowed is {allowed}"))
}

impl Component for Adaptive {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let start =
            Thresholds { operations: params.operations.get() as u64, bytes: params.bytes.get() };
        let learn = params.learn.get();
        for (key, value) in [
            (OPERATIONS_KEY, start.operations.to_string()),
            (BYTES_KEY, start.bytes.to_string()),
            (LEARN_KEY, learn.to_string()),
        ] {
            host.info_key(key, &CString::new(value).expect("it has no NUL"))?;
        }
        Ok(Self { priority: params.priority.get() as i32, start, learn })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Issue for Adaptive {
    type Window = Window;

    fn window_open(&self, window: &Scope) -> Result<Window, Failure> {
        let operations = number(window, OPERATIONS_KEY, FEWEST_OPERATIONS, MOST_OPERATIONS)?;
        let start = Thresholds {
            operations: operations.unwrap_or(self.start.operations),
            bytes: number(window, BYTES_KEY, 1, MOST_BYTES)?.unwrap_or(self.start.bytes),
        };
        let learn = match window.info(LEARN_KEY) {
            None => self.learn,
            Some(text) => text.parse().map_err(|_| wrong(LEARN_KEY, &text, "true or false"))?,
        };
        Ok(Window { learn, kinds: core::array::from_fn(|_| Tuned::new(start)) })
    }

    fn epoch_open(&self, _window: &Window, _epoch: u32) -> Decision {
        Decision::Hold
    }

    fn operation(&self, window: &Window, operation: &IssueOperation) -> Decision {
        let thresholds = window.kind(operation.epoch).thresholds();
        if operation.waiting >= thresholds.operations || operation.bytes >= thresholds.bytes {
            Decision::GoButLast
        } else if operation.epoch == ISSUE_LOCK && operation.waiting >= FEWEST_OPERATIONS {
            // More than one can't travel with the message that asks for the lock.
            Decision::Begin
        } else {
            Decision::Hold
        }
    }

    fn epoch_close(&self, window: &Window, history: &IssueHistory) {
        if window.learn {
            window.kind(history.epoch).learn(history);
        }
    }

    fn describe(&self, window: &Window) -> String {
        let kinds = KINDS.iter().zip(&window.kinds).map(|(name, kind)| format!("{name} {kind}"));
        let kinds = kinds.collect::<Vec<_>>().join("; ");
        let how = if window.learn { "they are learned" } else { "they stay" };
        format!("operations wait until there are, by kind of epoch ({how}): {kinds}")
    }
}

cairn_framework::component! {
    framework: issue,
    component: Adaptive,
    name: "adaptive",
    description: "operations of an epoch wait until their transfer takes as long as what waiting saves",
}

#[cfg(test)]
mod tests;
