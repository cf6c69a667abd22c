//! Sharded: a matching engine that several threads enter at once.
//!
//! ```text
//!                     tags ──►  hash of the tag
//!   source        ┌─────────┬─────────┬─────────┬─────────┐   ┌──────────────┐
//!   modulo   0    │ shard   │ shard   │ shard   │ shard   │ ◄─│ line: 0, *   │  receives of any
//!   rows          ├─────────┼─────────┼─────────┼─────────┤   ├──────────────┤  tag, by row
//!            1    │ shard   │ shard   │ shard   │ shard   │ ◄─│ line: 1, *   │
//!                 └─────────┴─────────┴─────────┴─────────┘   └──────────────┘
//!                      ▲         ▲         ▲         ▲        ┌──────────────┐
//!                 ┌─────────┬─────────┬─────────┬─────────┐   │ line: *, *   │
//!                 │ line *,t│ line *,t│ line *,t│ line *,t│   └──────────────┘
//!                 └─────────┴─────────┴─────────┴─────────┘  receives of any source, by column
//! ```
//!
//! A receive without wildcards and a message belong to one shard, by source and tag, and take its
//! lock; so threads that use different tags or sources do not meet. A receive with a wildcard belongs
//! to the line of all shards where its messages may be, and takes their locks: a row's, a column's or
//! all. A message looks into the lines of its shard only while something waits there. Why nothing is
//! lost and the order is right: see `shards`.
//!
//! What a program asserts about wildcards decides the shape of the grid, never the result: without
//! `MPI_ANY_TAG` there is one row, so that a receive of any source takes one lock; without
//! `MPI_ANY_SOURCE`, where no receive takes the locks of a column, there are more rows.
//!
//! Tables grow to what they ever held and stay so; nothing else allocates. A process with one thread
//! has one shard and takes no lock.

mod params;
mod shards;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::matching::{Match, MatchArrived, MatchCounts, MatchPosted};

use params::Params;
use shards::Shards;

struct Sharded {
    priority: i32,
    threaded: bool,
    cores: u32,
    params: Params,
}

impl Component for Sharded {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            threaded: host.job().thread_level == THREAD_MULTIPLE,
            cores: host.job().cores,
            params,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Match for Sharded {
    type Engine = Shards;

    fn engine_open(&self, comm: &Comm) -> Result<Shards, Failure> {
        let grid = if self.threaded {
            self.params.grid(self.cores, comm.remote_size, comm.flags)
        } else {
            (1, 1)
        };
        Shards::new(self.threaded, grid)
    }

    #[inline]
    unsafe fn post(engine: &Shards, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller.
        unsafe { engine.post(posted) }
    }

    #[inline]
    unsafe fn arrive(
        engine: &Shards,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        // SAFETY: promised by the caller.
        unsafe { engine.arrive(source, tag, keep) }
    }

    fn find(
        engine: &Shards,
        source: i32,
        tag: i32,
        take: bool,
        look: &mut dyn FnMut(*mut MatchArrived),
    ) -> Option<*mut MatchArrived> {
        engine.find(source, tag, take, look)
    }

    unsafe fn cancel(engine: &Shards, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller.
        unsafe { engine.cancel(posted) }
    }

    fn drain(engine: &Shards) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        engine.drain()
    }

    fn counts(engine: &Shards) -> MatchCounts {
        engine.counts()
    }

    fn describe(engine: &Shards) -> String {
        engine.describe()
    }

    fn withdraw(engine: &Shards, source: i32) -> Option<*mut MatchPosted> {
        engine.withdraw(source)
    }
}

cairn_framework::component! {
    framework: matching,
    component: Sharded,
    name: "sharded",
    description: "hash tables with a lock for each part, for several threads at once",
}
