//! What epochs of a kind have been like, and the thresholds that follow.
//!
//! Any thread writes and reads, without a lock. All accesses are Relaxed: each word is a number of its own to
//! decide by, and a mixture of two epochs' numbers is as good as either's.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cairn_framework::author::CachePadded;
use cairn_framework::frameworks::issue::IssueHistory;

/// Epochs that count.
pub const EPOCHS: usize = 8;

/// Epochs that have to tell of a number before it counts.
pub const ENOUGH: usize = 3;

/// Bounds of thresholds, learned or said. One operation waits in any case, unless it is long: nothing is
/// to be gained from sending it while nothing follows.
pub const FEWEST_OPERATIONS: u64 = 2;
pub const MOST_OPERATIONS: u64 = 1 << 20;
/// The lower bound of what is learned of bytes: what a message takes besides.
pub const FEWEST_BYTES: u64 = 256;
pub const MOST_BYTES: u64 = 1 << 40;

/// What may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Operations, the one included with which everything goes out.
    pub operations: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A number that each epoch may tell; the last ones of them, as the bits of a number of nanoseconds
/// that is above 0, or 0 where an epoch did not tell it.
#[derive(Default)]
struct Recent([AtomicU64; EPOCHS]);

impl Recent {
    fn put(&self, place: usize, nanoseconds: Option<f64>) {
        self.0[place].store(nanoseconds.map_or(0, f64::to_bits), Relaxed);
    }

    /// The median, the lower one of two: what delays an epoch makes it longer and nothing makes it shorter.
    fn median(&self) -> Option<f64> {
        let mut told = [0; EPOCHS];
        let mut len = 0;
        for word in &self.0 {
            let bits = word.load(Relaxed);
            told[len] = bits;
            len += usize::from(bits != 0);
        }
        if len < ENOUGH {
            return None;
        }
        // Numbers above 0 are in the order of their bits.
        told[..len].sort_unstable();
        Some(f64::from_bits(told[(len - 1) / 2]))
    }
}

/// The epochs of a kind on a window. Cache lines of their own for what each epoch writes, so that those who
/// ask don't miss what they read.
pub struct Tuned {
    /// What holds before anything is known, and the ratio of an operation's cost to a byte's then.
    start: Thresholds,
    operations: AtomicU64,
    bytes: AtomicU64,
    past: CachePadded<Past>,
}

#[derive(Default)]
struct Past {
    /// Epochs so far.
    epochs: AtomicU64,
    latency: Recent,
    /// Nanoseconds for an operation and for a byte.
    operation: Recent,
    byte: Recent,
}

impl Tuned {
    pub fn new(start: Thresholds) -> Self {
        Self {
            start,
            operations: start.operations.into(),
            bytes: start.bytes.into(),
            past: CachePadded::default(),
        }
    }

    pub fn thresholds(&self) -> Thresholds {
        Thresholds { operations: self.operations.load(Relaxed), bytes: self.bytes.load(Relaxed) }
    }

    /// An epoch has ended.
    pub fn learn(&self, history: &IssueHistory) {
        let place = self.past.epochs.fetch_add(1, Relaxed) as usize % EPOCHS;
        let (operation, byte) = self.costs(history);
        self.past.latency.put(place, (history.latency > 0).then_some(history.latency as f64));
        self.past.operation.put(place, operation);
        self.past.byte.put(place, byte);

        let Some(latency) = self.past.latency.median() else { return };
        // What no epoch has told of is as much dearer or cheaper as the other.
        let ratio = self.start.bytes as f64 / self.start.operations as f64;
        let (operation, byte) = match (self.past.operation.median(), self.past.byte.median()) {
            (Some(operation), Some(byte)) => (operation, byte),
            (Some(operation), None) => (operation, operation / ratio),
            (None, Some(byte)) => (byte * ratio, byte),
            (None, None) => return,
        };
        set(&self.operations, latency / operation, FEWEST_OPERATIONS, MOST_OPERATIONS);
        set(&self.bytes, latency / byte, FEWEST_BYTES, MOST_BYTES);
    }

    /// What an operation or a byte of an epoch cost: the one that took more of the time, as far as it is
    /// known before.
    fn costs(&self, history: &IssueHistory) -> (Option<f64>, Option<f64>) {
        let (bytes, moved) = (history.bytes as f64, history.moved.min(history.bytes) as f64);
        if history.moving == 0 || history.operations == 0 || (bytes > 0.0 && moved == 0.0) {
            return (None, None);
        }
        let part = if bytes > 0.0 { moved / bytes } else { 1.0 };
        let operations = history.operations as f64 * part;
        let by_operations = operations / self.start.operations as f64;
        let by_bytes = moved / self.start.bytes as f64;
        let all = history.moving as f64 / (by_operations + by_bytes);
        if by_operations >= by_bytes {
            (Some(all / self.start.operations as f64), None)
        } else {
            (None, Some(all / self.start.bytes as f64))
        }
    }
}

/// Stores a threshold if it is another one, so that others keep the line that don't see it change.
fn set(cell: &AtomicU64, value: f64, least: u64, most: u64) {
    // What is passed has to be at least as much; conversion saturates.
    let value = (value.ceil() as u64).clamp(least, most);
    if cell.load(Relaxed) != value {
        cell.store(value, Relaxed);
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Thresholds { operations, bytes } = self.thresholds();
        write!(f, "{operations} or {bytes} bytes")
    }
}
