//! Messages of one CRI on their way to the receive table.
//!
//! Everything here is touched with the CRI's lock held, but for the bell, which belongs to all
//! CRIs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::author::wake_sleepers;

use crate::params::MESSAGE_LIMIT;

/// Bytes of a block by class.
const CLASSES: [usize; 4] = [128, 1 << 10, 8 << 10, MESSAGE_LIMIT];

/// Messages and bytes that may wait; then the sender has to let progress work first.
const MAX_MESSAGES: usize = 4096;
const MAX_BYTES: usize = 16 << 20;

/// Blocks of a class that are kept for reuse.
const SPARE: usize = 64;

/// A message that waits.
pub struct Message {
    block: Box<[u64]>,
    len: usize,
    class: u8,
    pub tag: u8,
}

impl Message {
    /// Header and payload.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the block is longer.
        unsafe { std::slice::from_raw_parts(self.block.as_ptr().cast(), self.len) }
    }
}

/// The queue of a CRI.
#[derive(Default)]
pub struct Queue {
    waiting: VecDeque<Message>,
    spare: [Vec<Box<[u64]>>; CLASSES.len()],
    bytes: usize,
    /// A thread was told to sleep on the bell.
    armed: bool,
}

/// What threads sleep on: one word for all queues, since a thread that sleeps does so for each.
///
/// It changes when a message comes to a queue for which a thread may sleep, so it is not what that thread
/// read when it armed its first queue.
#[derive(Default)]
#[repr(align(128))]
pub struct Bell(AtomicU32);

impl Queue {
    /// Appends a message of `len` bytes, at most [`MESSAGE_LIMIT`], that `write` writes, and which may
    /// turn out shorter. False when too much waits already; then `write` was not called.
    pub fn push(
        &mut self,
        bell: &Bell,
        tag: u8,
        len: usize,
        write: impl FnOnce(*mut u8) -> usize,
    ) -> bool {
        if self.waiting.len() >= MAX_MESSAGES || self.bytes + len > MAX_BYTES {
            return false;
        }
        let class = CLASSES.iter().position(|size| len <= *size).expect("checked by the caller");
        let mut block = self.spare[class]
            .pop()
            .unwrap_or_else(|| vec![0u64; CLASSES[class] / 8].into_boxed_slice());
        let written = write(block.as_mut_ptr().cast());
        assert!(written <= len, "{written} bytes were written instead of at most {len}");
        self.bytes += written;
        self.waiting.push_back(Message { block, len: written, class: class as u8, tag });
        if std::mem::take(&mut self.armed) {
            bell.0.fetch_add(1, Ordering::Release);
            wake_sleepers(&bell.0);
        }
        true
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many messages wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the oldest message out.
    pub fn pop(&mut self) -> Option<Message> {
        let message = self.waiting.pop_front()?;
        self.bytes -= message.len;
        Some(message)
    }

    /// Keeps the block of a message that was delivered for another.
    pub fn keep(&mut self, message: Message) {
        let spare = &mut self.spare[usize::from(message.class)];
        if spare.len() < SPARE {
            spare.push(message.block);
        }
    }

    /// What to sleep on, or `None` when something waits.
    pub fn arm<'a>(&mut self, bell: &'a Bell) -> Option<(&'a AtomicU32, u32)> {
        if !self.is_empty() {
            return None;
        }
        self.armed = true;
        // Relaxed: the messages of this queue come with the CRI's lock held, so later.
        Some((&bell.0, bell.0.load(Ordering::Relaxed)))
    }
}
