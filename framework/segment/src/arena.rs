//! Blocks of memory that a process gives out, which its peers can map.
//!
//! ```text
//!   segment   │ front │ ... │ arena: as long as the machine has memory, and empty │
//!   owner                   └─► addresses, kept for it: block b of the arena lies at base + b
//!   peer                         join(start + (address − base) .. )
//! ```
//!
//! So a block's address in its owner says where it lies in the segment, and peers need to know no more than
//! the base.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::{Segment, page_size, reserve, within_limit};

/// Blocks that are no shorter begin at a multiple of it, so that the kernel can use large pages.
const LARGE: usize = 2 << 20;
/// The shortest arena that is worth having.
const LEAST: usize = 16 << 20;
/// Bytes that are reserved at a time, so that processes that take much memory at the same time see what
/// the others have taken.
const STEP: usize = 64 << 20;

/// The part of one's own segment from which blocks are given out.
#[derive(Debug)]
pub struct Arena {
    addresses: Addresses,
    /// In the segment.
    start: usize,
    blocks: Mutex<Blocks>,
}

/// Length by beginning, in bytes from the base.
#[derive(Debug)]
struct Blocks {
    used: BTreeMap<usize, usize>,
    free: BTreeMap<usize, usize>,
}

/// How long an arena may be behind so many bytes of a segment: no process has more memory than the machine.
pub fn arena_len(before: usize) -> usize {
    // SAFETY: all-zero is a valid value of the plain struct, which lives during the call.
    let machine = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        match libc::sysinfo(&raw mut info) {
            0 => (info.totalram as usize).saturating_mul(info.mem_unit as usize),
            _ => 0,
        }
    };
    let machine = machine & !(LARGE - 1);
    match within_limit(before.saturating_add(machine)) {
        Ok(()) => machine,
        Err(Error::FileSize { limit, .. }) => {
            (limit as usize).saturating_sub(before).min(machine) & !(LARGE - 1)
        }
        Err(_) => 0,
    }
}

impl Arena {
    /// Keeps addresses for the blocks in a part of the segment, or in the beginning of it if there are not so
    /// many addresses.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(part: Range<usize>) -> Result<Self, Error> {
        let mut len = part.len() & !(LARGE - 1);
        let addresses = loop {
            match Addresses::keep(len) {
                Ok(addresses) => break addresses,
                Err(error) if len / 2 < LEAST => return Err(error),
                Err(_) => len = (len / 2) & !(LARGE - 1),
            }
        };
        let blocks = Blocks { used: BTreeMap::new(), free: BTreeMap::from([(0, len)]) };
        Ok(Self { addresses, start: part.start, blocks: Mutex::new(blocks) })
    }

    /// Where the first byte of the part would lie.
    pub fn base(&self) -> *mut u8 {
        self.addresses.base
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of zeros, at least so long, that begins at a page.
    ///
    /// # Errors
    /// [`Error::NoSpace`] with what is needed and what is there; nothing was taken then. What the system
    /// says otherwise.
    pub fn allocate(&self, segment: &Segment, len: usize) -> Result<*mut u8, Error> {
        let len = len.max(1).checked_next_multiple_of(page_size()).unwrap_or(usize::MAX);
        let taken = self.blocks().take(len);
        let at = taken.ok_or(Error::NoSpace { needed: len, available: 0 })?;
        match self.fill(segment, at, len) {
            Ok(()) => Ok(self.base().wrapping_add(at)),
            Err(error) => {
                self.clear(segment, at, len);
                self.blocks().give_back(at);
                Err(error)
            }
        }
    }

    fn fill(&self, segment: &Segment, at: usize, len: usize) -> Result<(), Error> {
        let file = segment.file()?;
        let end = at + len;
        // A peer that has mapped what was here before may have written since.
        self.punch(file, at, len);
        for from in (at..end).step_by(STEP) {
            let to = end.min(from + STEP);
            reserve(file, self.start + from..self.start + to, segment.peers())?;
        }
        // SAFETY: the addresses are the arena's, and of a block that is not used yet.
        let mapped = unsafe {
            libc::mmap(
                self.base().wrapping_add(at).cast(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED,
                file.as_raw_fd(),
                (self.start + at) as libc::off_t,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(Error::system("mmap", io::Error::last_os_error()));
        }
        Ok(())
    }

    /// Gives the memory of a block back to the system.
    fn clear(&self, segment: &Segment, at: usize, len: usize) {
        // SAFETY: addresses of the arena, of a block that is not used any more.
        unsafe {
            let base = self.base().wrapping_add(at).cast();
            let (none, kept) = (libc::PROT_NONE, Addresses::FLAGS | libc::MAP_FIXED);
            libc::mmap(base, len, none, kept, -1, 0);
        }
        if let Ok(file) = segment.file() {
            self.punch(file, at, len);
        }
    }

    fn punch(&self, file: &File, at: usize, len: usize) {
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (from, len) = ((self.start + at) as libc::off_t, len as libc::off_t);
        // SAFETY: a plain system call on an open descriptor. Should it fail, memory is lost until the segment
        // goes.
        unsafe { libc::fallocate(file.as_raw_fd(), hole, from, len) };
    }

    /// Frees a block; whether there was one at this address. Peers that have mapped it keep what they have
    /// mapped, without what was in it, and may find the next block there.
    ///
    /// # Safety
    /// The block is not used any more.
    pub unsafe fn free(&self, segment: &Segment, block: *mut u8) -> bool {
        let at = block.addr().wrapping_sub(self.base().addr());
        let Some(len) = self.blocks().used.get(&at).copied() else { return false };
        self.clear(segment, at, len);
        self.blocks().give_back(at);
        true
    }

    /// Whether all of this memory lies in one block.
    pub fn contains(&self, address: *const u8, len: usize) -> bool {
        let at = address.addr().wrapping_sub(self.base().addr());
        let blocks = self.blocks();
        let block = blocks.used.range(..=at).next_back();
        block.is_some_and(|(from, length)| at - from <= *length && len <= *length - (at - from))
    }
}

impl Blocks {
    /// Takes so many bytes from the first place that has them.
    fn take(&mut self, len: usize) -> Option<usize> {
        let alignment = if len >= LARGE { LARGE } else { page_size() };
        let (from, length, at) = self.free.iter().find_map(|(from, length)| {
            let at = from.next_multiple_of(alignment);
            let fits = (at - from).checked_add(len).is_some_and(|needed| needed <= *length);
            fits.then_some((*from, *length, at))
        })?;
        self.free.remove(&from);
        if at > from {
            self.free.insert(from, at - from);
        }
        let rest = from + length - (at + len);
        if rest > 0 {
            self.free.insert(at + len, rest);
        }
        self.used.insert(at, len);
        Some(at)
    }

    fn give_back(&mut self, at: usize) {
        let Some(mut len) = self.used.remove(&at) else { return };
        let mut from = at;
        if let Some(next) = self.free.remove(&(at + len)) {
            len += next;
        }
        if let Some((before, length)) = self.free.range(..at).next_back()
            && before + length == at
        {
            (from, len) = (*before, length + len);
        }
        self.free.insert(from, len);
    }
}

/// Addresses at which nothing else is mapped.
#[derive(Debug)]
struct Addresses {
    /// A multiple of [`LARGE`].
    base: *mut u8,
    first: *mut libc::c_void,
    len: usize,
}

// SAFETY: it is addresses; users of the memory take care of races.
unsafe impl Send for Addresses {}
// SAFETY: see `Send`.
unsafe impl Sync for Addresses {}

impl Addresses {
    const FLAGS: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

    fn keep(len: usize) -> Result<Self, Error> {
        let all = len + LARGE;
        let (null, none) = (std::ptr::null_mut(), libc::PROT_NONE);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let first = unsafe { libc::mmap(null, all, none, Self::FLAGS, -1, 0) };
        if first == libc::MAP_FAILED {
            return Err(Error::system("mmap", io::Error::last_os_error()));
        }
        let up = first.addr().next_multiple_of(LARGE) - first.addr();
        Ok(Self { base: first.cast::<u8>().wrapping_add(up), first, len: all })
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        // SAFETY: mapped by `keep`, and blocks are not used after the drop.
        unsafe { libc::munmap(self.first, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backing, HEADER, Options};

    const START: usize = 2 * LARGE;

    fn segment(backing: Backing) -> Segment {
        let len = START + 32 * LARGE;
        let options = Options { name: "arena-test", len, front: HEADER, backing, peers: 1 };
        Segment::create(&options).unwrap()
    }

    /// Bytes of memory that the segment has.
    fn taken(segment: &Segment) -> u64 {
        use std::os::unix::fs::MetadataExt;
        segment.file().unwrap().metadata().unwrap().blocks() * 512
    }

    #[test]
    fn a_block_is_where_its_address_says() {
        for backing in [Backing::Memory, Backing::File] {
            let own = segment(backing);
            let arena = Arena::new(START..own.len()).unwrap();
            let before = taken(&own);
            let blocks = [1, 5000, LARGE, 3 * LARGE].map(|len| {
                let block = arena.allocate(&own, len).unwrap();
                // SAFETY: a block of at least so many bytes.
                unsafe { block.write_bytes(len as u8 | 1, len) };
                assert!(arena.contains(block, len) && !arena.contains(block, 64 * LARGE));
                (block, len)
            });
            assert!(blocks[2].0.addr().is_multiple_of(LARGE));
            let peer = Segment::attach(own.card()).unwrap();
            for (block, len) in blocks {
                let at = START + (block.addr() - arena.base().addr());
                let part = peer.join(at..at + len.next_multiple_of(page_size())).unwrap();
                // SAFETY: the part has so many bytes.
                unsafe {
                    assert_eq!(*part.base().add(len - 1), len as u8 | 1);
                    *part.base() = 77;
                    assert_eq!(*block, 77);
                }
                // SAFETY: not used any more.
                assert!(unsafe { arena.free(&own, block) });
                // SAFETY: as above, and not there any more.
                assert!(!unsafe { arena.free(&own, block) } && !arena.contains(block, 1));
            }
            assert_eq!(taken(&own), before);
            // What was freed is one piece again, and new.
            let all = arena.allocate(&own, own.len() - START).unwrap();
            assert_eq!(all, arena.base());
            // SAFETY: it is a block.
            assert_eq!(unsafe { *blocks[3].0 }, 0);
            assert!(arena.allocate(&own, 1).unwrap_err().is_shortage());
        }
    }

    const CARD: &str = "CAIRN_TEST_ARENA";

    /// Another process: changes what it finds in the segment that it is told of; on its own the test has nothing
    /// to do.
    #[test]
    fn as_a_peer() {
        let Ok(card) = std::env::var(CARD) else { return };
        let byte = |at| u8::from_str_radix(&card[at..at + 2], 16).unwrap();
        let card: Vec<u8> = (0..card.len()).step_by(2).map(byte).collect();
        let part = Segment::attach(&card).unwrap().join(START..START + LARGE).unwrap();
        // SAFETY: the part has so many bytes.
        unsafe {
            assert_eq!(*part.base().add(LARGE - 1), 5);
            *part.base() = 6;
        }
    }

    #[test]
    fn a_block_is_one_memory_for_two_processes() {
        for backing in [Backing::Memory, Backing::File] {
            let own = segment(backing);
            let arena = Arena::new(START..own.len()).unwrap();
            let block = arena.allocate(&own, LARGE).unwrap();
            // SAFETY: a block of so many bytes.
            unsafe { *block.add(LARGE - 1) = 5 };
            let card: String = own.card().iter().map(|byte| format!("{byte:02x}")).collect();
            let peer = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "arena::tests::as_a_peer"])
                .env(CARD, card)
                .status();
            assert!(peer.unwrap().success());
            // SAFETY: as above.
            assert_eq!(unsafe { *block }, 6);
        }
    }

    #[test]
    fn places_are_used_again() {
        let page = page_size();
        let mut blocks = Blocks { used: BTreeMap::new(), free: BTreeMap::from([(0, 4 * LARGE)]) };
        let taken: Vec<_> = (0..4).map(|_| blocks.take(page).unwrap()).collect();
        assert_eq!(taken, [0, page, 2 * page, 3 * page]);
        assert_eq!(blocks.take(LARGE), Some(LARGE));
        blocks.give_back(page);
        assert_eq!((blocks.take(2 * page), blocks.take(page)), (Some(4 * page), Some(page)));
        for at in [0, 3 * page, LARGE, 4 * page, page, 2 * page] {
            blocks.give_back(at);
        }
        assert_eq!(blocks.free, BTreeMap::from([(0, 4 * LARGE)]));
        assert_eq!((blocks.take(4 * LARGE + 1), blocks.take(usize::MAX)), (None, None));
    }

    #[test]
    fn what_the_machine_does_not_have_is_not_given() {
        let own = segment(Backing::Memory);
        let arena = Arena::new(START..own.len()).unwrap();
        let error = arena.allocate(&own, usize::MAX).unwrap_err();
        assert!(error.is_shortage(), "{error}");
        assert!(arena_len(LARGE).is_multiple_of(LARGE) && arena_len(LARGE) > 0);
    }
}
