//! Bins: a matching engine of hash tables by source and tag.
//!
//! ```text
//!                        by source and tag                          by source and tag
//!            ┌ bin ─ message ─ message                    ┌ bin ─ receive ─ receive
//!   post ──► ├ bin ─ message          ┌────────┐ arrive ► ├ bin ─ receive
//!            └ ...                    │ number │          ├ bin ─ receive of any source, tag 7
//!   with a   ┌───────────────────┐    │ of the │          ├ bin ─ receive of 3, any tag
//!   wildcard │ all messages,     │    │ posting│          └ bin ─ receive of any source and tag
//!        ──► │ order of arrival  │    │ decides│ ◄─────── up to four bins: the one posted first
//!            └───────────────────┘    └────────┘          among their first receives gets it
//! ```
//!
//! A search does not become longer with the queues (Flajslik et al. 2016, as the dissertation tells
//! it in §2.4): a message looks at the first receive of its own source and tag and, only while there
//! are receives with that kind of wildcard, of up to three more keys. A wildcard is a number like
//! others there, so those receives are hashed, too. A receive without wildcards looks into one bin;
//! one with a wildcard goes through the messages in the order of their arrival.
//!
//! Tables grow to what they ever held and stay so; nothing else allocates. One lock an engine, which
//! a single-threaded process does not take.

mod engine;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::matching::Match;
use cairn_matching::{Guarded, Locking};

use engine::Bins;

/// Beside the list: what it costs more with short queues is less than what it saves with long ones
/// only if there are any.
const PRIORITY: i64 = 40;

struct Hashed {
    priority: i32,
    locking: Locking,
}

impl Component for Hashed {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        let locking = Locking::of(host.job());
        Ok(Self { priority: priority.get() as i32, locking })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Match for Hashed {
    cairn_matching::guarded!(Bins);

    fn engine_open(&self, _comm: &Comm) -> Result<Guarded<Bins>, Failure> {
        Ok(Guarded::new(Bins::new()?, self.locking))
    }
}

cairn_framework::component! {
    framework: matching,
    component: Hashed,
    name: "bins",
    description: "hash tables by source and tag, for queues of any length",
}
