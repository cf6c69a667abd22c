//! Messages between two processes without MPI: what the machine itself asks for them.
//!
//! A duct is a ring in shared memory for each direction. A message goes through it in pieces, each with a
//! control word in front that says that it is there, and both processes copy at once, in the fastest way that
//! we know. That is the floor of a library that copies a message twice, without matching, ordering or progress
//! of anything else.

use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, Mode, OFlags, ftruncate, memfd_create, open};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use serde::Serialize;

use crate::comm::Comm;

/// Bytes of a line, at whose beginning a piece begins.
const LINE: usize = 64;
/// Most bytes of a piece that share their line with its control word.
const INLINE: usize = LINE - size_of::<u64>();
/// Most bytes of a piece: both processes copy at once from twice as many on.
const PIECE: usize = 12 << 10;
/// Lines of a ring: 2 MiB, more than a processor's own cache, so that lines that are written again have
/// left that of the receiver.
const LINES: usize = (2 << 20) / LINE;
/// Lines that the receiver gives back at once.
const BATCH: usize = LINES / 4;
/// Multiplied with the number of a piece: a control word that no data resemble.
const MARK: u64 = 0x9e37_79b9_7f4a_7c15;

/// How pieces are written.
#[derive(clap::ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Stores {
    /// Through the caches
    Cached,
    /// Past the caches, which is faster between processors that share none; on x86-64 only
    Streaming,
    /// Through the caches by `rep movsb`, with which newer processors write lines that they have not read; on
    /// x86-64 only
    Strings,
}

/// What both processes of a direction see.
#[repr(C, align(128))]
struct Ring {
    /// Lines that the receiver has given back, counted for ever. Written by the receiver.
    given_back: AtomicU64,
    apart: [u64; 15],
    /// Written by the sender.
    lines: [[u64; LINE / 8]; LINES],
}

/// One end of a ring.
#[derive(Default)]
struct End {
    /// Lines that went by.
    position: usize,
    /// Pieces that went by.
    pieces: u64,
    /// What the other side has given back, as last seen, or what this side has told it.
    known: usize,
}

impl End {
    /// Goes to where a piece of so many lines lies in one part.
    fn skip(&mut self, need: usize) {
        let at = self.position % LINES;
        if at + need > LINES {
            self.position += LINES - at;
        }
    }

    /// The control word of the next piece.
    fn mark(&self) -> u64 {
        (self.pieces + 1).wrapping_mul(MARK)
    }
}

/// Lines of a piece of so many bytes.
fn lines_of(len: usize) -> usize {
    if len <= INLINE { 1 } else { 1 + len.div_ceil(LINE) }
}

/// Where the bytes of a piece lie behind the beginning of its first line.
fn place_of(len: usize) -> usize {
    if len <= INLINE { size_of::<u64>() } else { LINE }
}

/// This process's ends of the two rings that it shares with another one.
pub struct Duct {
    rings: *mut Ring,
    /// Which of them this process writes.
    own: usize,
    out: End,
    into: End,
    stores: Stores,
}

// SAFETY: the memory stays mapped until the duct is dropped, and the thread that owns the duct has both of
// its ends.
unsafe impl Send for Duct {}

impl Duct {
    /// A duct to the other process, which makes its own end at the same time; `first` is true in one of
    /// the two. The tag is for them alone until both have returned.
    ///
    /// # Panics
    /// The system gives no memory, or this process may not look into the other one's `/proc`.
    pub fn new(comm: Comm, partner: usize, tag: usize, first: bool, stores: Stores) -> Duct {
        let mut place = [0; 2];
        let rings = if first {
            let file = memfd_create("duct", MemfdFlags::CLOEXEC).expect("a file in memory");
            ftruncate(&file, 2 * size_of::<Ring>() as u64).expect("memory for a duct");
            let rings = map(&file);
            place = [u64::from(std::process::id()), file.as_raw_fd() as u64];
            comm.send(place.map(u64::to_le_bytes).as_flattened(), partner, tag);
            // The file stays open until the other process has it.
            comm.receive(&mut [0], Some(partner), Some(tag));
            rings
        } else {
            let mut bytes = [[0; 8]; 2];
            comm.receive(bytes.as_flattened_mut(), Some(partner), Some(tag));
            for (number, bytes) in place.iter_mut().zip(bytes) {
                *number = u64::from_le_bytes(bytes);
            }
            let path = format!("/proc/{}/fd/{}", place[0], place[1]);
            let file = open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
            let rings = map(file.expect("the other process's memory"));
            comm.send(&[0], partner, tag);
            rings
        };
        Duct { rings, own: usize::from(first), out: End::default(), into: End::default(), stores }
    }

    fn ring(&self, index: usize) -> *mut Ring {
        // SAFETY: there are two.
        unsafe { self.rings.add(index) }
    }

    /// Sends the next piece of a message of which `sent` bytes are sent already, if there is room; whether
    /// it was the last one. A message without bytes is a piece.
    fn push(&mut self, message: &[u8], sent: &mut usize) -> bool {
        let piece = &message[*sent..];
        let piece = &piece[..piece.len().min(PIECE)];
        let (ring, need) = (self.ring(self.own), lines_of(piece.len()));
        self.out.skip(need);
        if self.out.position + need > self.out.known + LINES {
            // SAFETY: mapped as long as the duct is there. Acquire: the lines were read.
            let given_back = unsafe { &(*ring).given_back }.load(Ordering::Acquire);
            self.out.known = given_back as usize;
            if self.out.position + need > self.out.known + LINES {
                return false;
            }
        }
        let first = self.out.position % LINES;
        // SAFETY: the lines are free and in one part; the receiver reads them after the control word.
        unsafe {
            let line = (&raw mut (*ring).lines).cast::<u8>().add(first * LINE);
            copy(piece, line.add(place_of(piece.len())), self.stores);
            (*line.cast::<AtomicU64>()).store(self.out.mark(), Ordering::Release);
        }
        self.out.position += need;
        self.out.pieces += 1;
        *sent += piece.len();
        *sent == message.len()
    }

    /// Receives the next piece of a message of which `got` bytes are there already, if it has come; whether
    /// it was the last one.
    fn pull(&mut self, message: &mut [u8], got: &mut usize) -> bool {
        let len = (message.len() - *got).min(PIECE);
        let piece = &mut message[*got..*got + len];
        let (ring, need) = (self.ring(1 - self.own), lines_of(len));
        self.into.skip(need);
        let first = self.into.position % LINES;
        // SAFETY: the piece lies there once its control word says so.
        unsafe {
            let line = (&raw const (*ring).lines).cast::<u8>().add(first * LINE);
            if (*line.cast::<AtomicU64>()).load(Ordering::Acquire) != self.into.mark() {
                return false;
            }
            copy_through(line.add(place_of(len)), piece.as_mut_ptr(), len, self.stores);
        }
        self.into.position += need;
        self.into.pieces += 1;
        if self.into.position - self.into.known > BATCH {
            self.into.known = self.into.position;
            // SAFETY: as above. Release: what was read may be overwritten.
            unsafe { &(*ring).given_back }.store(self.into.position as u64, Ordering::Release);
        }
        *got += len;
        *got == message.len()
    }

    /// Sends a message.
    pub fn send(&mut self, message: &[u8]) {
        let mut sent = 0;
        while !self.push(message, &mut sent) {
            std::hint::spin_loop();
        }
    }

    /// Receives a message of this length.
    pub fn receive(&mut self, message: &mut [u8]) {
        let mut got = 0;
        while !self.pull(message, &mut got) {
            std::hint::spin_loop();
        }
    }

    /// Sends and receives a window of messages at the same time, piece by piece in turn.
    pub fn exchange<'a>(
        &mut self,
        outgoing: impl IntoIterator<Item = &'a [u8]>,
        incoming: impl IntoIterator<Item = &'a mut [u8]>,
    ) {
        let (mut outgoing, mut incoming) = (outgoing.into_iter(), incoming.into_iter());
        let (mut out, mut into) = (outgoing.next(), incoming.next());
        let (mut sent, mut got) = (0, 0);
        while out.is_some() || into.is_some() {
            if let Some(message) = out
                && self.push(message, &mut sent)
            {
                (out, sent) = (outgoing.next(), 0);
            }
            if let Some(message) = &mut into
                && self.pull(message, &mut got)
            {
                (into, got) = (incoming.next(), 0);
            }
        }
    }
}

impl Drop for Duct {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nothing of it is borrowed.
        let _ = unsafe { munmap(self.rings.cast(), 2 * size_of::<Ring>()) };
    }
}

/// Maps the rings, with all their pages.
fn map(file: impl AsFd) -> *mut Ring {
    let flags = MapFlags::SHARED | MapFlags::POPULATE;
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping, away from any other.
    let mapped =
        unsafe { mmap(std::ptr::null_mut(), 2 * size_of::<Ring>(), access, flags, file, 0) };
    mapped.expect("the memory of a duct").cast()
}

/// Copies a piece.
///
/// # Safety
/// There is room for it.
unsafe fn copy(piece: &[u8], to: *mut u8, stores: Stores) {
    #[cfg(target_arch = "x86_64")]
    if stores == Stores::Streaming && piece.len() > INLINE {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        let (words, rest) = piece.as_chunks::<16>();
        // SAFETY: promised by the caller; such a piece begins at the beginning of a line.
        unsafe {
            for (index, word) in words.iter().enumerate() {
                let value = _mm_loadu_si128(word.as_ptr().cast());
                _mm_stream_si128(to.cast::<__m128i>().add(index), value);
            }
            let end = to.add(words.len() * 16);
            end.copy_from_nonoverlapping(rest.as_ptr(), rest.len());
            // A Release store alone does not order them.
            _mm_sfence();
        }
        return;
    }
    // SAFETY: promised by the caller; a ring is no buffer of the program.
    unsafe { copy_through(piece.as_ptr(), to, piece.len(), stores) };
}

/// Copies through the caches: by the instruction for strings, or from some KiB on by vectors, which ask for lines that
/// the other process has written before they read them.
///
/// # Safety
/// Both have `len` bytes and do not overlap.
unsafe fn copy_through(from: *const u8, to: *mut u8, len: usize, stores: Stores) {
    #[cfg(target_arch = "x86_64")]
    if stores == Stores::Strings && len > INLINE {
        // SAFETY: promised by the caller; the direction is forwards, as everywhere.
        return unsafe {
            std::arch::asm!(
                "rep movsb",
                inout("rcx") len => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags)
            );
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = stores;
    #[cfg(target_arch = "x86_64")]
    if len >= VECTORS && is_x86_feature_detected!("avx2") {
        // SAFETY: promised by the caller; the processor has the instructions.
        return unsafe { copy_vectors(from, to, len) };
    }
    // SAFETY: promised by the caller.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}

/// Bytes from which vectors are faster than the copy of the system.
#[cfg(target_arch = "x86_64")]
const VECTORS: usize = 2 << 10;

/// # Safety
/// As for [`copy_through`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn copy_vectors(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch, _mm256_loadu_si256, _mm256_storeu_si256};
    /// So far before it is read a line is asked for, but none behind the end: that may be being written.
    const AHEAD: usize = 1 << 10;
    let whole = len - len % LINE;
    for place in (0..whole).step_by(LINE) {
        // SAFETY: promised by the caller; all of it lies inside.
        unsafe {
            if place + AHEAD < whole {
                _mm_prefetch::<_MM_HINT_T0>(from.add(place + AHEAD).cast());
            }
            let low = _mm256_loadu_si256(from.add(place).cast());
            let high = _mm256_loadu_si256(from.add(place + LINE / 2).cast());
            _mm256_storeu_si256(to.add(place).cast(), low);
            _mm256_storeu_si256(to.add(place + LINE / 2).cast(), high);
        }
    }
    // SAFETY: as above.
    unsafe { to.add(whole).copy_from_nonoverlapping(from.add(whole), len - whole) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of a duct, in one process.
    fn pair(stores: Stores) -> [Duct; 2] {
        let file = memfd_create("duct", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 2 * size_of::<Ring>() as u64).unwrap();
        [0, 1].map(|own| Duct {
            rings: map(&file),
            own,
            out: End::default(),
            into: End::default(),
            stores,
        })
    }

    fn data(len: usize, seed: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 7 + i / 251 + seed) as u8).collect()
    }

    #[test]
    fn messages_of_every_size_arrive_in_order_around_the_ring() {
        for stores in [Stores::Cached, Stores::Streaming, Stores::Strings] {
            let [mut one, mut other] = pair(stores);
            let sizes = [0, 1, 56, 57, 64, 1000, PIECE - 1, PIECE, PIECE + 1, 300_001];
            // More than a ring has.
            for round in 0..40 {
                for len in sizes {
                    let (from, mut to) = (data(len, round), vec![0xee; len]);
                    one.send(&from);
                    other.receive(&mut to);
                    assert_eq!(from, to, "{len} bytes");
                }
            }
        }
    }

    #[test]
    fn a_full_ring_takes_no_more_and_both_ways_go_at_once() {
        let [mut one, mut other] = pair(Stores::Cached);
        let message = data(PIECE, 3);
        let pieces = (0..).take_while(|_| one.push(&message, &mut 0)).count();
        assert!((100..=LINES * LINE / PIECE).contains(&pieces));
        let mut to = vec![0; PIECE];
        (0..pieces).for_each(|_| other.receive(&mut to));
        assert!(one.push(&message, &mut 0));
        other.receive(&mut to);
        assert_eq!(to, message);
        // Windows longer than the rings, by two threads.
        let window = |duct: &mut Duct, seed: usize| {
            let outgoing: Vec<_> = (0..80).map(|i| data(70_000, seed + i)).collect();
            let mut incoming = vec![vec![0; 70_000]; 80];
            duct.exchange(
                outgoing.iter().map(Vec::as_slice),
                incoming.iter_mut().map(Vec::as_mut_slice),
            );
            let right = |(i, message): (usize, &Vec<u8>)| *message == data(70_000, 100 - seed + i);
            assert!(incoming.iter().enumerate().all(right));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| window(&mut one, 0));
            window(&mut other, 100);
        });
    }
}
