//! Vector: a matching engine that compares several packed keys at once.
//!
//! ```text
//!              0      1      2      3      4      5      6      7    cells, in order of posting
//!   keys    │ 3,7  │ hole │ 0,7  │ *,8  │ 3,*  │ hole │ 3,8  │ 1,1  │   source and tag, 8 bytes
//!   masks   │ all  │ all  │ all  │ tag  │source│ all  │ all  │ all  │   which bits count
//!   entries │  ●   │      │  ●   │  ●   │  ●   │      │  ●   │  ●   │
//!
//!   arrive 3,8: (key xor 3,8) and mask = 0 in several cells per instruction; the lowest cell wins
//! ```
//!
//! Receives and messages lie in the order of their coming, so the first cell that fits is the right
//! one, with wildcards or without. A search reads 8 bytes an entry (16 while there are receives with
//! wildcards) one behind the other, where a list follows pointers (Schonbein et al. 2018, as the
//! dissertation tells it in §2.4). What is taken out leaves a hole; when there are more holes than
//! entries, the cells move together.
//!
//! A wildcard still compares one bit, the sign: no message comes from a negative source, and only
//! tags that are not negative match any. A hole has both signs, so nothing matches it.
//!
//! Cells grow to what they ever held and stay so; nothing else allocates. One lock an engine, which
//! a single-threaded process does not take.

mod cells;
mod engine;
mod kernel;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::matching::Match;
use cairn_matching::{Guarded, Locking};

use engine::Queued;
use kernel::Kernel;

/// Below the list, which needs no more for short queues, and below the bins, whose searches do not
/// grow at all.
const PRIORITY: i64 = 30;

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        kernel: choice(&["auto", "avx512", "avx2", "neon", "scalar"], "auto"),
            "Instructions that compare keys: the widest this processor has, or these", level(6);
    }
}

struct Vector {
    priority: i32,
    locking: Locking,
    kernel: &'static Kernel,
}

impl Component for Vector {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let wanted = ["auto", "avx512", "avx2", "neon", "scalar"][params.kernel.get()];
        let kernel = kernel::choose(wanted).ok_or_else(|| {
            Failure::unavailable(format!("this processor does not have {wanted} instructions"))
        })?;
        Ok(Self {
            priority: params.priority.get() as i32,
            locking: Locking::of(host.job()),
            kernel,
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Match for Vector {
    cairn_matching::guarded!(Queued);

    fn engine_open(&self, _comm: &Comm) -> Result<Guarded<Queued>, Failure> {
        let queued = Queued::new(self.kernel);
        Ok(Guarded::new(queued, self.locking))
    }
}

cairn_framework::component! {
    framework: matching,
    component: Vector,
    name: "vector",
    description: "packed keys, several compared at once",
}
