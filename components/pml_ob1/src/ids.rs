//! What is in flight, by numbers that peers may know.
//!
//! A number holds the place in the table and a generation, so that one that is over, or invented,
//! leads nowhere. Numbers are taken once, but for those of fragments, which come many times: there
//! the entry counts who is writing, and is over when all bytes came and nobody writes any more, so
//! that a peer that repeats fragments can't write into a buffer that was given back.

use std::hash::{BuildHasher, RandomState};

use crate::receive::ReceiveRequest;
use crate::send::SendRequest;

/// Who waits for an answer, a fragment or an end.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// A send that waits for `Answer` or `Finish`.
    Send(*mut SendRequest),
    /// A receive whose sender puts.
    Put(*mut ReceiveRequest),
    /// A receive of fragments.
    Fragments(Fragments),
}

/// A receive of fragments.
#[derive(Debug, Clone, Copy)]
pub struct Fragments {
    request: *mut ReceiveRequest,
    /// Bytes wanted.
    total: u64,
    /// Bytes still missing.
    missing: u64,
    /// Threads that write into the buffer.
    writers: u32,
    /// Ended early, with this.
    ended: Option<i32>,
}

// SAFETY: requests are `Send`; the table only keeps their addresses.
unsafe impl Send for Entry {}

impl Fragments {
    /// A receive that waits for so many bytes.
    pub fn new(request: *mut ReceiveRequest, total: u64) -> Self {
        Self { request, total, missing: total, writers: 0, ended: None }
    }

    /// The receive.
    pub fn request(&self) -> *mut ReceiveRequest {
        self.request
    }
}

/// What a number that ended led to.
#[derive(Debug, Clone, Copy)]
pub enum Ended {
    /// A send.
    Send(*mut SendRequest),
    /// A receive.
    Receive(*mut ReceiveRequest),
    /// A receive that others still write for; the last of them completes it.
    Later,
}

struct Slot {
    generation: u32,
    entry: Option<Entry>,
}

/// The table.
pub struct Ids {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Where generations begin, so that numbers can't be guessed from one run to the next.
    random: RandomState,
}

impl Default for Ids {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), random: RandomState::new() }
    }
}

impl Ids {
    /// Puts an entry in and returns its number.
    pub fn insert(&mut self, entry: Entry) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            let place = self.slots.len() as u32;
            let generation = self.random.hash_one(place) as u32;
            self.slots.push(Slot { generation, entry: None });
            place
        });
        let slot = &mut self.slots[place as usize];
        slot.entry = Some(entry);
        u64::from(slot.generation) << 32 | u64::from(place)
    }

    fn slot(&mut self, id: u64) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(id as u32 as usize)?;
        (slot.generation == (id >> 32) as u32 && slot.entry.is_some()).then_some(slot)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, id: u64) -> Option<Entry> {
        let slot = self.slot(id)?;
        let entry = slot.entry.take();
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id as u32);
        entry
    }

    /// Takes a send out.
    pub fn take_send(&mut self, id: u64) -> Option<*mut SendRequest> {
        let Some(Entry::Send(request)) = self.slot(id)?.entry else { return None };
        self.remove(id);
        Some(request)
    }

    /// The other side says that it is over; `status` is not OK for a receive of fragments that
    /// will never be whole.
    pub fn end(&mut self, id: u64, status: i32) -> Option<Ended> {
        match self.slot(id)?.entry.as_mut()? {
            Entry::Send(request) => {
                let request = *request;
                self.remove(id);
                Some(Ended::Send(request))
            }
            Entry::Put(request) => {
                let request = *request;
                self.remove(id);
                Some(Ended::Receive(request))
            }
            // All fragments say the same by being there.
            Entry::Fragments(_) if status == 0 => None,
            Entry::Fragments(fragments) => {
                fragments.ended = Some(status);
                if fragments.writers > 0 {
                    return Some(Ended::Later);
                }
                let request = fragments.request;
                self.remove(id);
                Some(Ended::Receive(request))
            }
        }
    }

    /// Begins to write a fragment: the receive, or `None` when there is none or the fragment does
    /// not lie inside.
    pub fn begin(&mut self, id: u64, offset: u64, len: u64) -> Option<*mut ReceiveRequest> {
        let Some(Entry::Fragments(fragments)) = &mut self.slot(id)?.entry else { return None };
        let fits = offset.checked_add(len).is_some_and(|end| end <= fragments.total);
        if !fits || len > fragments.missing || fragments.ended.is_some() {
            return None;
        }
        fragments.missing -= len;
        fragments.writers += 1;
        Some(fragments.request)
    }

    /// Ends to write a fragment: the receive and its status, if that was the last.
    pub fn written(&mut self, id: u64) -> Option<(*mut ReceiveRequest, i32)> {
        let Some(Entry::Fragments(fragments)) = &mut self.slot(id)?.entry else { return None };
        fragments.writers -= 1;
        let over = fragments.missing == 0 || fragments.ended.is_some();
        if fragments.writers > 0 || !over {
            return None;
        }
        let (request, status) = (fragments.request, fragments.ended.unwrap_or(0));
        self.remove(id);
        Some((request, status))
    }

    /// The numbers of entries that are as somebody `wants`.
    pub fn which(&self, wants: impl Fn(&Entry) -> bool) -> Vec<u64> {
        let slots = self.slots.iter().zip(0u64..);
        let wanted = slots.filter(|(slot, _)| slot.entry.as_ref().is_some_and(&wants));
        wanted.map(|(slot, place)| u64::from(slot.generation) << 32 | place).collect()
    }

    /// How many are in flight.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::dangling_mut;

    use super::*;

    #[test]
    fn numbers_are_taken_once() {
        let mut ids = Ids::default();
        let id = ids.insert(Entry::Send(dangling_mut()));
        assert!(ids.begin(id, 0, 1).is_none(), "not a receive of fragments");
        assert!(ids.take_send(id ^ 1 << 40).is_none(), "another generation");
        assert!(ids.take_send(id + 1).is_none(), "another place");
        assert!(ids.take_send(id).is_some());
        assert!(ids.take_send(id).is_none(), "taken before");
        let again = ids.insert(Entry::Send(dangling_mut()));
        assert_eq!(again as u32, id as u32);
        assert_ne!(again, id);
        assert!(ids.end(id, 0).is_none());
        assert!(matches!(ids.end(again, 0), Some(Ended::Send(_))));
        assert_eq!(ids.len(), 0);
    }

    #[test]
    fn fragments_end_when_all_is_there_and_nobody_writes() {
        let mut ids = Ids::default();
        let id = ids.insert(Entry::Fragments(Fragments::new(dangling_mut(), 10)));
        assert!(ids.begin(id, 5, 6).is_none(), "beyond the end");
        assert!(ids.begin(id, u64::MAX, 2).is_none(), "beyond everything");
        assert!(ids.take_send(id).is_none());
        assert!(ids.begin(id, 0, 6).is_some());
        assert!(ids.begin(id, 0, 6).is_none(), "more than is missing");
        assert!(ids.begin(id, 6, 4).is_some());
        assert!(ids.begin(id, 6, 4).is_none(), "all is there");
        assert!(ids.written(id).is_none(), "another writes");
        assert!(matches!(ids.written(id), Some((_, 0))));
        assert!(ids.begin(id, 0, 0).is_none());

        let id = ids.insert(Entry::Fragments(Fragments::new(dangling_mut(), 10)));
        assert!(ids.begin(id, 0, 6).is_some());
        assert!(ids.end(id, 0).is_none());
        assert!(matches!(ids.end(id, -7), Some(Ended::Later)));
        assert!(ids.begin(id, 6, 4).is_none());
        assert!(matches!(ids.written(id), Some((_, -7))));
        assert_eq!(ids.len(), 0);
    }
}
