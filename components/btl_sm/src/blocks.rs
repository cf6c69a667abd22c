//! Memory that peers load and store: blocks of the arena in the owner's segment.
//!
//! ```text
//!   owner   allocate ─► block of the arena ─► registration ─► key, with the bit "mapped"
//!   peer    key ─► unpacked: whose it is; map ─► (address − base of the arena) ─► part of the owner's segment
//! ```
//!
//! Nothing of what a peer says is believed: a part that it names lies in its segment and has memory when
//! it is mapped, or is refused. Keys share what they have mapped; the last one that is released ends that.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr::{with_exposed_provenance_mut, without_provenance_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use cairn_framework::abi::status::{ERR_PEER, ERR_PROTOCOL, ERR_RESOURCES};
use cairn_framework::author::{Failure, Mutex};
use cairn_segment::{Arena, Part, Segment, page_size};

use crate::endpoint::Peer;
use crate::module::State;
use crate::registry::{Key, Terms};

/// What this process gives out.
#[derive(Default)]
pub struct Blocks {
    /// Made with the first block.
    arena: OnceLock<Arena>,
    making: Mutex<()>,
}

/// The key of a peer's memory, unpacked here, if that can be mapped.
pub struct Unpacked {
    key: Key,
    rank: u32,
    /// A get was made with it.
    used: AtomicBool,
    /// What was mapped first, which is all that most keys need.
    first: OnceLock<Arc<Mapped>>,
    others: Mutex<Vec<Arc<Mapped>>>,
}

/// A part of a peer's segment.
pub struct Mapped {
    range: Range<usize>,
    part: Part,
    /// What its beginning is called in its owner.
    address: u64,
}

/// The parts of a peer's segment that are mapped.
#[derive(Default)]
pub struct Parts(Mutex<Vec<Weak<Mapped>>>);

impl Unpacked {
    /// What the transport's users have for a key of a rank: the number, which is no address, as its upper 16 bits
    /// are not 0, or if the memory can be mapped the address of this.
    pub fn pack(rank: u32, key: Key) -> *mut c_void {
        if !key.is_mapped() {
            return without_provenance_mut(key.0 as usize);
        }
        let (used, first, others) = (AtomicBool::new(false), OnceLock::new(), Mutex::default());
        Box::into_raw(Box::new(Self { key, rank, used, first, others })).cast()
    }

    /// That, of memory that can be mapped.
    ///
    /// # Safety
    /// `pack` made it, and it lives.
    pub unsafe fn of<'a>(key: *mut c_void) -> Option<&'a Self> {
        let number = key.addr() as u64;
        // SAFETY: promised by the caller.
        if number >> 48 != 0 { None } else { unsafe { key.cast::<Self>().as_ref() } }
    }

    /// The key's number.
    ///
    /// # Safety
    /// As for `of`.
    pub unsafe fn number(key: *mut c_void) -> *mut c_void {
        let number = |own: &Self| without_provenance_mut(own.key.0 as usize);
        // SAFETY: promised by the caller.
        unsafe { Self::of(key) }.map_or(key, number)
    }

    /// Ends it.
    ///
    /// # Safety
    /// `pack` made it, and nothing uses it.
    pub unsafe fn release(key: *mut c_void) {
        // SAFETY: promised by the caller.
        if unsafe { Self::of(key) }.is_some() {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(key.cast::<Self>()) });
        }
    }

    /// The pointer to memory of the peer whose key it is.
    #[inline]
    pub fn pointer(&self, state: &State, remote: u64, len: usize) -> Result<*mut u8, Failure> {
        match self.first.get().and_then(|first| first.pointer(remote, len)) {
            Some(pointer) => Ok(pointer),
            None => self.map(state, remote, len),
        }
    }

    /// The same for a get, which is made once with most keys. Then it is not worth it to map anything.
    #[inline]
    pub fn pointer_to_get(
        &self,
        state: &State,
        remote: u64,
        len: usize,
    ) -> Result<Option<*mut u8>, Failure> {
        let again = self.first.get().is_some() || self.used.swap(true, Ordering::Relaxed);
        again.then(|| self.pointer(state, remote, len)).transpose()
    }

    #[cold]
    fn map(&self, state: &State, remote: u64, len: usize) -> Result<*mut u8, Failure> {
        if self.rank == state.host.job().rank {
            let own = with_exposed_provenance_mut::<u8>(remote as usize);
            let known = state.blocks.contains(own.cast(), len);
            return if known { Ok(own) } else { Err(not_there()) };
        }
        let known = self.others.lock().iter().find_map(|other| other.pointer(remote, len));
        if let Some(known) = known {
            return Ok(known);
        }
        // SAFETY: an endpoint stays until `remove_peer`, which is not called while its keys are in use.
        let peer = unsafe { state.peer(self.rank) };
        let peer = peer.ok_or_else(|| Failure::new(ERR_PEER, "it is not connected"))?;
        let part = peer.map(remote, len)?;
        let pointer = part.pointer(remote, len).ok_or_else(not_there)?;
        if let Err(part) = self.first.set(part) {
            self.others.lock().push(part);
        }
        Ok(pointer)
    }
}

impl Mapped {
    /// Where memory of the peer lies in this process, if that is all in this part.
    #[inline]
    fn pointer(&self, remote: u64, len: usize) -> Option<*mut u8> {
        let offset = usize::try_from(remote.checked_sub(self.address)?).ok()?;
        let inside = offset <= self.range.len() && len <= self.range.len() - offset;
        inside.then(|| self.part.base().wrapping_add(offset))
    }
}

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
}

impl Peer {
    /// The part of the peer's segment with these bytes of its arena.
    fn map(&self, remote: u64, len: usize) -> Result<Arc<Mapped>, Failure> {
        let (segment, geometry) = (&self.segment, &self.geometry);
        let base = geometry.directory(segment).arena.load(Ordering::Acquire);
        let at = place(segment, geometry.arena(), base, remote, len).ok_or_else(not_there)?;
        let page = page_size();
        let range = at & !(page - 1)..(at + len.max(1)).next_multiple_of(page);
        let mut parts = self.parts.0.lock();
        parts.retain(|part| part.strong_count() > 0);
        let covers =
            |part: &Arc<Mapped>| part.range.start <= range.start && range.end <= part.range.end;
        if let Some(part) = parts.iter().filter_map(Weak::upgrade).find(covers) {
            return Ok(part);
        }
        let part = segment.join(range.clone()).map_err(failure)?;
        // Both are behind the beginning of the arena, as `place` has seen to.
        let address = remote - (at - range.start) as u64;
        let part = Arc::new(Mapped { range, part, address });
        parts.push(Arc::downgrade(&part));
        Ok(part)
    }
}

fn not_there() -> Failure {
    Failure::new(ERR_PROTOCOL, "it names memory that it has not")
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
