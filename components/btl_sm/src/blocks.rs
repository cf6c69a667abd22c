//! Memory that peers load and store: blocks of the arena in the owner's segment.
//!
//! ```text
//!   owner   allocate ─► block of the arena ─► registration ─► key, with the bit "mapped"
//!   peer    key ─► slot: whose it is; map ─► (address − base of the arena) ─► part of the owner's segment
//! ```
//!
//! Nothing of what a peer says is believed: a part that it names lies in its segment and has memory when
//! it is mapped, or is refused. Keys share what they have mapped; the last one that is released ends that.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};

use cairn_framework::abi::status::{ERR_PEER, ERR_PROTOCOL, ERR_RESOURCES};
use cairn_framework::author::{Failure, Mutex};
use cairn_segment::{Arena, Part, Segment, page_size};

use crate::endpoint::Peer;
use crate::module::State;
use crate::registry::{Key, MOST_SLOTS, Terms};

/// What this process gives out, and what it has mapped of others.
#[derive(Default)]
pub struct Blocks {
    /// Made with the first block.
    arena: OnceLock<Arena>,
    making: Mutex<()>,
    slots: Mutex<Slots>,
}

/// Keys of peers that were unpacked here.
#[derive(Default)]
struct Slots {
    places: Vec<Option<Slot>>,
    free: Vec<u32>,
}

struct Slot {
    rank: u32,
    parts: Vec<Arc<Mapped>>,
}

/// A part of a peer's segment.
pub struct Mapped {
    range: Range<usize>,
    part: Part,
}

/// The parts of a peer's segment that are mapped.
#[derive(Default)]
pub struct Parts(Mutex<Vec<Weak<Mapped>>>);

impl Blocks {
    /// Whether all of this memory lies in a block.
    pub fn contains(&self, address: *const c_void, len: usize) -> bool {
        self.arena.get().is_some_and(|arena| arena.contains(address.cast(), len))
    }

    fn arena(&self, state: &State) -> Result<&Arena, Failure> {
        if let Some(arena) = self.arena.get() {
            return Ok(arena);
        }
        let _making = self.making.lock();
        if self.arena.get().is_none() {
            let arena = Arena::new(state.geometry.arena()..state.segment.len()).map_err(failure)?;
            let base = arena.base().expose_provenance() as u64;
            state.geometry.directory(&state.segment).arena.store(base, Ordering::Release);
            let _ = self.arena.set(arena);
        }
        Ok(self.arena.get().expect("made just now"))
    }

    /// Allocates a block and registers it.
    pub fn allocate(&self, state: &State, len: usize) -> Result<(*mut c_void, Key), Failure> {
        let arena = self.arena(state)?;
        let block = arena.allocate(&state.segment, len).map_err(failure)?;
        let place = (block.expose_provenance() as u64, len as u64);
        match state.registry.add(place, Terms::Mapped) {
            Some(key) => Ok((block.cast(), key)),
            None => {
                // SAFETY: nothing has it yet.
                unsafe { arena.free(&state.segment, block) };
                Err(Failure::new(ERR_RESOURCES, "too much memory is registered"))
            }
        }
    }

    /// Frees a block.
    ///
    /// # Safety
    /// It is not used any more.
    pub unsafe fn free(&self, state: &State, address: u64) {
        if let Some(arena) = self.arena.get() {
            let block = with_exposed_provenance_mut(address as usize);
            // SAFETY: promised by the caller.
            unsafe { arena.free(&state.segment, block) };
        }
    }

    /// A slot for a peer's key of mapped memory.
    pub fn unpacked(&self, rank: u32, key: Key) -> Result<Key, Failure> {
        let mut slots = self.slots.lock();
        let slot = Slot { rank, parts: Vec::new() };
        let place = match slots.free.pop() {
            Some(place) => {
                slots.places[place as usize] = Some(slot);
                place
            }
            None if slots.places.len() > MOST_SLOTS => {
                return Err(Failure::new(ERR_RESOURCES, "too many keys are in use"));
            }
            None => {
                slots.places.push(Some(slot));
                slots.places.len() as u32 - 1
            }
        };
        Ok(key.with_slot(place))
    }

    /// The end of that.
    pub fn released(&self, key: Key) {
        let mut slots = self.slots.lock();
        let place = key.slot();
        let known = slots.places.get_mut(place as usize).and_then(Option::take);
        if known.is_some() {
            slots.free.push(place);
        }
        drop(slots);
        // Unmapped without the lock.
        drop(known);
    }

    /// The pointer to memory of the peer whose key it is.
    pub fn map(
        &self,
        state: &State,
        key: Key,
        remote: u64,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        let slot = |slots: &Slots| {
            let known = slots.places.get(key.slot() as usize).and_then(Option::as_ref);
            known.map(|slot| slot.rank)
        };
        let Some(rank) = slot(&self.slots.lock()) else { return Ok(null_mut()) };
        if rank == state.host.job().rank {
            let own = with_exposed_provenance_mut::<c_void>(remote as usize);
            return Ok(if self.contains(own, len) { own } else { null_mut() });
        }
        // SAFETY: an endpoint stays until `remove_peer`, which is not called while its keys are in use.
        let peer = unsafe { state.peer(rank) };
        let peer = peer.ok_or_else(|| Failure::new(ERR_PEER, "it is not connected"))?;
        let (part, pointer) = peer.map(remote, len)?;
        let mut slots = self.slots.lock();
        if let Some(Some(slot)) = slots.places.get_mut(key.slot() as usize)
            && !slot.parts.iter().any(|other| Arc::ptr_eq(other, &part))
        {
            slot.parts.push(part);
        }
        Ok(pointer.cast())
    }
}

impl Peer {
    /// The part of the peer's segment with these bytes of its arena, and where they lie.
    fn map(&self, remote: u64, len: usize) -> Result<(Arc<Mapped>, *mut u8), Failure> {
        let (segment, geometry) = (&self.segment, &self.geometry);
        let base = geometry.directory(segment).arena.load(Ordering::Acquire);
        let at = place(segment, geometry.arena(), base, remote, len)
            .ok_or_else(|| Failure::new(ERR_PROTOCOL, "it names memory that it has not"))?;
        let page = page_size();
        let range = at & !(page - 1)..(at + len.max(1)).next_multiple_of(page);
        let mut parts = self.parts.0.lock();
        parts.retain(|part| part.strong_count() > 0);
        let covers =
            |part: &Arc<Mapped>| part.range.start <= range.start && range.end <= part.range.end;
        let part = match parts.iter().filter_map(Weak::upgrade).find(covers) {
            Some(part) => part,
            None => {
                let part = segment.join(range.clone()).map_err(failure)?;
                let part = Arc::new(Mapped { range, part });
                parts.push(Arc::downgrade(&part));
                part
            }
        };
        let pointer = part.part.base().wrapping_add(at - part.range.start);
        Ok((part, pointer))
    }
}

/// Where bytes of a peer's arena lie in its segment.
fn place(segment: &Segment, start: usize, base: u64, remote: u64, len: usize) -> Option<usize> {
    let offset = usize::try_from(remote.checked_sub(base)?).ok()?;
    let at = start.checked_add(offset)?;
    let end = at.checked_add(len.max(1))?;
    (base != 0 && end <= segment.len()).then_some(at)
}

fn failure(error: cairn_segment::Error) -> Failure {
    Failure::new(ERR_RESOURCES, error.to_string())
}
