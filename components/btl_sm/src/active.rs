//! Which rings have something, where there are many.
//!
//! Few rings are polled one by one: a short message then moves one cache line. From `bitmap_from`
//! rings on the receiver says that it uses a bitmap, and senders set their ring's bit in a bitmap when
//! they have sent, so that a poll costs by active senders.
//!
//! ```text
//!   sender     publish        fence   bit there already? if not ─► set it
//!   receiver   take the bits  fence   look into the rings
//! ```
//!
//! One of the two sees the other: either the receiver's look finds the message, or the sender finds the
//! bit taken and sets it. A sender that has not seen that yet sets none, so that the
//! receiver now and then looks into all rings.

use cairn_framework::sync::{AtomicU64, Ordering, full_fence};

/// Rings in a word.
pub const WORD: usize = 64;

/// The bits of 64 rings. Set by senders, taken by the receiver.
#[repr(transparent)]
pub struct Bits(AtomicU64);

impl Bits {
    /// After a message was published in the ring of this bit.
    #[inline]
    pub fn set(&self, bit: u64) {
        full_fence();
        // Relaxed: ordered by the fence. A busy sender finds it set and moves no cache line.
        if self.0.load(Ordering::Relaxed) & bit == 0 {
            // Release: the receiver that takes the bit sees the message.
            self.0.fetch_or(bit, Ordering::Release);
        }
    }

    /// Takes the bits; what they name is to be looked into afterwards.
    #[inline]
    pub fn take(&self) -> u64 {
        // Relaxed: a bit that is not seen now is seen in another pass.
        if self.0.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        // Acquire pairs with `set`.
        let bits = self.0.swap(0, Ordering::Acquire);
        full_fence();
        bits
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use std::sync::Arc;

    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::atomic::AtomicU64;
    use cairn_framework::sync::loom::thread;

    use super::*;

    /// What was published is found by a look, or by one after a later `take`.
    #[test]
    fn model_no_message_stays_unseen() {
        loom::model(|| {
            let bits = Arc::new(Bits(AtomicU64::new(0)));
            let ring = Arc::new(AtomicU64::new(0));
            let sender = {
                let (bits, ring) = (bits.clone(), ring.clone());
                thread::spawn(move || {
                    for message in 1..=2 {
                        ring.store(message, Ordering::Release);
                        bits.set(1);
                    }
                })
            };
            let mut seen = 0;
            for _ in 0..2 {
                thread::yield_now();
                if bits.take() & 1 != 0 {
                    seen = ring.load(Ordering::Acquire);
                }
            }
            sender.join().unwrap();
            if bits.take() & 1 != 0 {
                seen = ring.load(Ordering::Acquire);
            }
            assert_eq!(seen, 2);
        });
    }
}
