//! Messages that came before a receive for them.

use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived};

use crate::{Key, Queue, Table, tag_fits};

/// Word of a message where its links in the queue of all begin. Word 0 is its chain's; word 3 is free.
const OF_ALL: usize = 1;

/// Messages by source and tag, and in the order of arrival.
pub struct Unexpected {
    by_key: Table<MatchArrived, false>,
    all: Queue<MatchArrived, OF_ALL>,
}

impl Unexpected {
    /// Nothing, with room for so many chains.
    pub fn new(room: usize) -> Result<Self, Failure> {
        Ok(Self { by_key: Table::new(room)?, all: Queue::EMPTY })
    }

    /// The message that a receive gets, and how many were compared.
    #[inline]
    pub fn search(&self, source: i32, tag: i32) -> (Option<*mut MatchArrived>, u64) {
        if self.by_key.is_empty() {
            return (None, 0);
        }
        if source != MATCH_ANY_SOURCE && tag != MATCH_ANY_TAG {
            return self.by_key.first(Key::new(source, tag));
        }
        self.all.first(|message| {
            (source == MATCH_ANY_SOURCE || source == message.source) && tag_fits(tag, message.tag)
        })
    }

    /// The message that came first.
    pub fn first(&self) -> Option<*mut MatchArrived> {
        let head = self.all.head();
        (!head.is_null()).then_some(head)
    }

    /// Puts a message behind all others.
    ///
    /// # Safety
    /// It is valid until it is taken out, and in nothing else; its source and tag are written.
    #[inline]
    pub unsafe fn push(&mut self, message: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            self.by_key.push(message);
            self.all.push(message);
        }
    }

    /// Takes a message out.
    ///
    /// # Safety
    /// It is in.
    #[inline]
    pub unsafe fn remove(&mut self, message: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe {
            self.by_key.remove(message);
            self.all.remove(message);
        }
    }

    /// Calls `look` with every message, in the order of arrival.
    pub fn each(&self, look: impl FnMut(&MatchArrived)) {
        self.all.each(look);
    }
}
