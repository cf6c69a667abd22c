//! Block: a thread that waits polls for a moment and then sleeps in the kernel.
//!
//! ```text
//!   poll, poll, ... nothing for `spin` passes ─► sleep ─► woken by a transport, by another
//!     ▲                                                   thread, or after `limit`
//!     └───────────────────────────────────────────────────┘
//! ```
//!
//! A processor that has nothing else to do is idle, and one that has is not disturbed. Reaction
//! takes as long as the kernel needs to wake a thread, some microseconds.

#![forbid(unsafe_code)]

use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::wait::{Naps, Wait, WaitMeans};

/// Behind `adaptive`, which sleeps only where it should.
const PRIORITY: i64 = 30;

/// The first sleep after something happened, in microseconds.
const FIRST_NAP: u32 = 1000;

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        spin: integer(200), "Passes of the progress engine without an event before a thread sleeps",
            range(0, i64::from(u32::MAX)), unit("passes"), level(5);
        limit: integer(16_000),
            "Longest sleep; the first one takes a millisecond and each is twice as long as the \
             one before. Work that no transport announces is looked at that often",
            range(1, 1_000_000), unit("microseconds"), level(6);
    }
}

struct Block {
    priority: i32,
    /// Passes without an event before it sleeps.
    spin: u32,
    /// Longest sleep in microseconds.
    limit: u32,
}

impl Component for Block {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(_host: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self {
            priority: params.priority.get() as i32,
            spin: params.spin.get() as u32,
            limit: params.limit.get() as u32,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Wait for Block {
    fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> {
        let mut misses = 0;
        let mut naps = Naps::new(FIRST_NAP, self.limit);
        while !sync.is_complete() {
            if means.poll(sync) > 0 {
                misses = 0;
                naps.reset();
            } else if misses < self.spin {
                misses += 1;
                std::hint::spin_loop();
            } else if !naps.sleep(sync, means) {
                // Something is there to poll, or can't wake this thread.
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

cairn_framework::component! {
    framework: wait,
    component: Block,
    name: "block",
    description: "a thread that waits sleeps until it is woken",
}
