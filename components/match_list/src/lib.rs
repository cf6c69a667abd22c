//! List: a matching engine of linked lists by source.
//!
//! ```text
//!   post ──► arrived messages ─ by source ─┐        arrive ──► posted receives ─ by source ─┐
//!            (any source: all ─ in order ──┤                   and those of any source ─────┤
//!             of arrival)                  │                   (the one posted first wins)  │
//!                       none: put into the posted              none: kept among the arrived
//! ```
//!
//! Each receive names a source or any, so a search looks at one sender's entries and, for messages,
//! at the receives of any source (dissertation §2.3.3). Receives carry the number of their posting:
//! of two that match, the lower is the right one. A message is in two lists, its sender's and that
//! of all arrivals. Entries are embedded in the caller's memory; an engine allocates once, when it
//! opens.
//!
//! One lock an engine, which a single-threaded process does not take.

mod engine;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::matching::Match;
use cairn_matching::{Guarded, Locking};

use engine::Lists;

/// Right for any communicator; engines that are better at some ask for more there.
const PRIORITY: i64 = 50;

struct List {
    priority: i32,
    locking: Locking,
}

impl Component for List {
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

impl Match for List {
    cairn_matching::guarded!(Lists);

    fn engine_open(&self, comm: &Comm) -> Result<Guarded<Lists>, Failure> {
        let lists = Lists::new(comm.remote_size as usize)?;
        Ok(Guarded::new(lists, self.locking))
    }
}

cairn_framework::component! {
    framework: matching,
    component: List,
    name: "list",
    description: "linked lists by source, receives of any source apart",
}
