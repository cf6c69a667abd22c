//! Faults on purpose, said by variables of the environment. A number N has every Nth call or event fail; 0 or no
//! variable, none.
//!
//! | variable | what |
//! |---|---|
//! | `UGNI_EMULATOR_DEVICE` | `aries` (default) or `gemini` |
//! | `UGNI_EMULATOR_ADDRESS` | the address of NIC 0, so that processes seem to be on several nodes |
//! | `UGNI_EMULATOR_NOT_DONE` | posts and messages are not taken now (`NOT_DONE`) |
//! | `UGNI_EMULATOR_NO_RESOURCE` | posts and datagrams find no room (`ERROR_RESOURCE`) |
//! | `UGNI_EMULATOR_OVERRUN` | an event of a message is lost, and its queue is overrun |
//! | `UGNI_EMULATOR_RECOVERABLE` | posts end with an error, without effect, and can be repeated |
//! | `UGNI_EMULATOR_UNRECOVERABLE` | posts end with an error for good |
//! | `UGNI_EMULATOR_DELAY` | events are held back for up to so many looks at their queue |
//! | `UGNI_EMULATOR_REORDER` | 1: events that are held back come out of order |
//! | `UGNI_EMULATOR_MDD_LIMIT` | registrations there are (default 65535) |
//! | `UGNI_EMULATOR_CQ_LIMIT` | completion queues there are (default 2048) |
//! | `UGNI_EMULATOR_FMA_LIMIT` | FMA windows there are (default 1024) |

use std::sync::OnceLock;

use crate::types::{ARIES, GEMINI};

/// The values.
#[derive(Debug, Clone, Copy)]
pub struct Faults {
    /// [`GEMINI`] or [`ARIES`].
    pub device: u32,
    /// The address of NIC 0.
    pub address: u32,
    /// See the table above.
    pub not_done: u64,
    /// See the table above.
    pub no_resource: u64,
    /// See the table above.
    pub overrun: u64,
    /// See the table above.
    pub recoverable: u64,
    /// See the table above.
    pub unrecoverable: u64,
    /// See the table above.
    pub delay: u64,
    /// See the table above.
    pub reorder: bool,
    /// See the table above.
    pub mdd_limit: u64,
    /// See the table above.
    pub cq_limit: u64,
    /// See the table above.
    pub fma_limit: u64,
}

/// Those of this process.
///
/// # Panics
/// When a variable has a value that is none.
pub fn get() -> &'static Faults {
    static FAULTS: OnceLock<Faults> = OnceLock::new();
    FAULTS.get_or_init(|| Faults {
        device: match std::env::var("UGNI_EMULATOR_DEVICE").as_deref() {
            Ok("gemini") => GEMINI,
            Ok("aries") | Err(_) => ARIES,
            Ok(other) => panic!("UGNI_EMULATOR_DEVICE is gemini or aries, not {other}"),
        },
        address: number("ADDRESS", 0x100) as u32,
        not_done: number("NOT_DONE", 0),
        no_resource: number("NO_RESOURCE", 0),
        overrun: number("OVERRUN", 0),
        recoverable: number("RECOVERABLE", 0),
        unrecoverable: number("UNRECOVERABLE", 0),
        delay: number("DELAY", 0),
        reorder: number("REORDER", 0) != 0,
        mdd_limit: number("MDD_LIMIT", 65_535).min(65_535),
        cq_limit: number("CQ_LIMIT", 2048),
        fma_limit: number("FMA_LIMIT", 1024),
    })
}

fn number(name: &str, default: u64) -> u64 {
    let name = format!("UGNI_EMULATOR_{name}");
    match std::env::var(&name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")),
        Err(_) => default,
    }
}

/// Counts what may fail.
#[derive(Debug, Default)]
pub struct Counter(u64);

impl Counter {
    /// Whether this one is to fail.
    pub fn strikes(&mut self, every: u64) -> bool {
        self.0 += 1;
        every > 0 && self.0.is_multiple_of(every)
    }
}
