//! What lies where in a segment.
//!
//! ```text
//!   header of cairn-segment   ┐
//!   directory                 │ constant: what the owner has
//!   claims                    │ where senders look for free rings; written by them on first contact
//!   doorbell                  │ what senders are to do after a message; on a cache line of its own
//!   news × CRIs               │ two cache lines each
//!   bits × rings × CRIs       │ which rings have something; written by senders, where there are many
//!   entry × rings             ┘ the ring's sender; written by the sender when it claims the ring
//!   ring × rings                head, lines; memory only when it is claimed, and for the front of the lines
//!   arena                       blocks; memory only while they are there
//! ```
//!
//! What is before the rings is the segment's front, which every peer maps; a ring is mapped by its two
//! sides. The first rings are kept, one for each process of the node, so that no process can use up
//! what others need to reach the owner at all.
//!
//! Both sides work with offsets that they compute from the directory; a sender checks it before, the
//! owner uses its own copy.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64};

use cairn_segment::{HEADER, Part, Segment, page_size};

use crate::active::{Bits, WORD};
use crate::announce::Link;
use crate::ring::{Head, LINE, Parts};
use crate::wake::Word;

/// Changes with anything below or in `ring`.
pub const LAYOUT: u32 = 11;

/// [`Entry::state`]: the ring has no sender.
pub const ENTRY_FREE: u32 = 0;
/// [`Entry::state`]: the ring belongs to a sender.
pub const ENTRY_TAKEN: u32 = 1;

/// What the owner has. Constant once the card is out, but for the last.
#[repr(C)]
pub struct Directory {
    pub layout: u32,
    pub instances: u32,
    pub rings: u32,
    /// So many of them, the first ones, belong to one process of the node each.
    pub kept: u32,
    pub ring_size: u64,
    /// 1 when the owner makes senders' fences unnecessary; see `wake`.
    pub barriers: u32,
    /// The owner's address of the arena; 0 before its first block. Written once by the owner, with Release.
    pub arena: AtomicU64,
}

/// For senders that want more than their first ring.
#[repr(C, align(128))]
pub struct Claims {
    /// Where the next one begins to look for a free one: a hint.
    pub next: AtomicU32,
}

/// One for all CRIs of the owner. Read by senders with every message; written when a thread goes to
/// sleep or is woken.
#[repr(C, align(128))]
pub struct Doorbell {
    /// What a sender is to do after it has published a message: see `wake`.
    pub requests: Word,
}

/// One for each CRI of the owner. Read by the owner in every poll; written on first contact.
#[repr(C, align(128))]
pub struct News {
    /// Rings that this CRI does not know yet. Added to by senders.
    pub newest: Link,
    /// 1 when senders to this CRI are to set their rings' bits; see `active`. Written
    /// by the owner, once, before `wake::USES_BITMAP`.
    pub uses_bitmap: AtomicU32,
}

/// The sender that writes a ring.
#[repr(C)]
pub struct Entry {
    /// Changed by senders.
    pub state: AtomicU32,
    /// The sender's rank. Written before the ring is announced, like the next.
    pub rank: AtomicU32,
    /// The next one that the owner's CRI does not know yet.
    pub next: Link,
    /// Bytes of its lines that have memory when it is announced.
    pub bytes: AtomicU32,
}

/// The numbers that everything else follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub instances: usize,
    pub rings: usize,
    /// Of the rings, those that belong to one process of the node each.
    pub kept: usize,
    /// Bytes of a ring's lines, a power of two.
    pub ring_size: usize,
}

/// Bounds of what a peer's directory may say, far above what makes sense.
const MAX_INSTANCES: usize = 1 << 16;
const MAX_RINGS: usize = 1 << 22;
const MAX_RING: usize = 1 << 30;

/// Large pages of the common processors.
const LARGE: usize = 2 << 20;

const DIRECTORY: usize = HEADER;
const CLAIMS: usize = DIRECTORY + 128;
const DOORBELL: usize = CLAIMS + size_of::<Claims>();
const NEWS: usize = DOORBELL + size_of::<Doorbell>();

impl Geometry {
    /// Reads and checks a peer's directory.
    pub fn read(segment: &Segment) -> Result<(Self, bool), String> {
        if segment.front_len() < NEWS {
            return Err(format!("the peer's segment has only {} bytes", segment.front_len()));
        }
        // SAFETY: inside the front, which the owner reserved before it gave out its card.
        let directory = unsafe { &*segment.front().add(DIRECTORY).cast::<Directory>() };
        if directory.layout != LAYOUT {
            return Err(format!(
                "the peer's segment has layout {} and this library {LAYOUT}: do all processes run \
                 the same version?",
                directory.layout
            ));
        }
        let geometry = Self {
            instances: directory.instances as usize,
            rings: directory.rings as usize,
            kept: directory.kept as usize,
            ring_size: directory.ring_size as usize,
        };
        let sound = (1..=MAX_INSTANCES).contains(&geometry.instances)
            && (1..=MAX_RINGS).contains(&geometry.rings)
            && geometry.kept <= geometry.rings
            && (4096..=MAX_RING).contains(&geometry.ring_size)
            && geometry.ring_size.is_power_of_two()
            && geometry.front() <= segment.front_len()
            && geometry.len() <= segment.len();
        if !sound {
            return Err(format!("the peer's segment describes itself as {geometry:?}"));
        }
        Ok((geometry, directory.barriers == 1))
    }

    /// Writes the directory of a new segment of one's own.
    pub fn write(&self, segment: &Segment, barriers: bool) {
        assert!(self.front() <= segment.front_len() && self.len() <= segment.len());
        // SAFETY: inside the front, and no peer has its card yet.
        unsafe {
            segment.front().add(DIRECTORY).cast::<Directory>().write(Directory {
                layout: LAYOUT,
                instances: self.instances as u32,
                rings: self.rings as u32,
                kept: self.kept as u32,
                ring_size: self.ring_size as u64,
                barriers: u32::from(barriers),
                arena: AtomicU64::new(0),
            });
        }
    }

    /// Bytes of a segment.
    #[allow(clippy::len_without_is_empty, reason = "no caller asks")]
    pub fn len(&self) -> usize {
        self.ring(self.rings)
    }

    /// Where the arena begins. The rest of the segment is it.
    pub fn arena(&self) -> usize {
        self.len().next_multiple_of(LARGE)
    }

    pub fn directory<'a>(&self, segment: &'a Segment) -> &'a Directory {
        // SAFETY: inside the front by its length, and written before the card was given out.
        unsafe { &*segment.front().add(DIRECTORY).cast() }
    }

    /// Where the bits of a CRI begin; on cache lines of their own.
    fn bits(&self, instance: usize) -> usize {
        let len = (self.rings.div_ceil(WORD) * size_of::<Bits>()).next_multiple_of(128);
        NEWS + self.instances * size_of::<News>() + instance * len
    }

    /// Where the entries begin.
    fn entries(&self) -> usize {
        self.bits(self.instances)
    }

    /// Bytes of the front.
    pub fn front(&self) -> usize {
        (self.entries() + self.rings * size_of::<Entry>()).next_multiple_of(page_size())
    }

    /// Where a ring begins.
    fn ring(&self, index: usize) -> usize {
        self.front() + index * self.ring_len()
    }

    /// Where a ring lies.
    pub fn place(&self, ring: usize) -> Range<usize> {
        assert!(ring < self.rings);
        self.ring(ring)..self.ring(ring + 1)
    }

    /// Bytes from one ring to the next.
    fn ring_len(&self) -> usize {
        Self::ring_end(self.ring_size).next_multiple_of(page_size())
    }

    /// Where in a ring so many bytes of its lines end.
    pub const fn ring_end(bytes: usize) -> usize {
        size_of::<Head>() + bytes
    }

    pub fn claims<'a>(&self, segment: &'a Segment) -> &'a Claims {
        // SAFETY: inside the front by its length; zeroed memory is a valid value.
        unsafe { &*segment.front().add(CLAIMS).cast() }
    }

    pub fn doorbell<'a>(&self, segment: &'a Segment) -> &'a Doorbell {
        // SAFETY: as above.
        unsafe { &*segment.front().add(DOORBELL).cast() }
    }

    pub fn news<'a>(&self, segment: &'a Segment, instance: usize) -> &'a News {
        assert!(instance < self.instances);
        // SAFETY: as above.
        unsafe { &*segment.front().add(NEWS).cast::<News>().add(instance) }
    }

    /// Which rings have something for a CRI, 64 in an element.
    pub fn active<'a>(&self, segment: &'a Segment, instance: usize) -> &'a [Bits] {
        assert!(instance < self.instances);
        // SAFETY: as above.
        unsafe {
            let first = segment.front().add(self.bits(instance)).cast();
            std::slice::from_raw_parts(first, self.rings.div_ceil(WORD))
        }
    }

    pub fn entry<'a>(&self, segment: &'a Segment, ring: usize) -> &'a Entry {
        assert!(ring < self.rings);
        // SAFETY: as above.
        unsafe { &*segment.front().add(self.entries()).cast::<Entry>().add(ring) }
    }

    /// The parts of a ring that is mapped.
    pub fn parts(&self, ring: &Part) -> Parts {
        assert!(Self::ring_end(self.ring_size) <= ring.len());
        let head = ring.base();
        // SAFETY: inside the part by its length.
        let lines = unsafe { head.add(size_of::<Head>()).cast() };
        Parts { head: head.cast(), lines, count: (self.ring_size / LINE) as u64 }
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use cairn_framework::layout::Part;

    use super::*;

    #[test]
    fn the_layout_is_what_peers_of_the_same_version_expect() {
        assert_eq!((size_of::<crate::ring::Line>(), size_of::<Head>()), (64, 640));
        assert_eq!((size_of::<Doorbell>(), size_of::<News>(), size_of::<Entry>()), (128, 128, 16));
        assert!(size_of::<Directory>() <= 128);
        let geometry = Geometry { instances: 2, rings: 3, kept: 2, ring_size: 1 << 17 };
        assert_eq!(geometry.ring(0) % page_size(), 0);
        assert_eq!(geometry.ring_len(), (640_usize + (1 << 17)).next_multiple_of(page_size()));
        assert_eq!(geometry.len(), geometry.ring(0) + 3 * geometry.ring_len());
    }

    #[test]
    fn senders_and_receivers_share_no_lines_of_a_segment() {
        let geometry = Geometry { instances: 2, rings: 2, kept: 2, ring_size: 4096 };
        let part = |name, at, size, writer| Part { name, at, size, writer };
        let news = size_of::<News>();
        let ring = |index, head, lines| {
            let (at, size) = (geometry.ring(index), size_of::<Head>());
            let producer = if index == 0 { "sender 0" } else { "sender 1" };
            let consumer = if index == 0 { "instance 0" } else { "instance 1" };
            [part(head, at, size, consumer), part(lines, at + size, geometry.ring_size, producer)]
        };
        let entries = geometry.rings * size_of::<Entry>();
        let mut parts = vec![
            part("directory", DIRECTORY, size_of::<Directory>(), "no process"),
            part("claims", CLAIMS, size_of::<Claims>(), "senders, once each"),
            part("doorbell", DOORBELL, size_of::<Doorbell>(), "sleepers and their wakers"),
            part("news 0", NEWS, news, "senders to 0, once each"),
            part("news 1", NEWS + news, news, "senders to 1, once each"),
            part("entries of rings", geometry.entries(), entries, "senders, once each"),
        ];
        parts.extend(ring(0, "ring 0: head", "ring 0: lines"));
        parts.extend(ring(1, "ring 1: head", "ring 1: lines"));
        cairn_framework::layout::check("a segment of btl_sm", &parts);
        assert!(parts[1..5].iter().all(|part| part.at.is_multiple_of(128)));
    }
}
