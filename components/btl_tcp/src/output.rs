//! What a connection has to send and the socket has not taken yet.
//!
//! ```text
//!   buffer   │ sent │ frames and messages that were copied        │
//!                     ▲ head
//!   queue    Copied(n) ─ Memory ─ Copied(pad) ─ Done ─ Copied(n) ─ Exposed ─ ...
//! ```
//!
//! The queue says in which order bytes of the buffer and bytes of the users' memory go out. In the
//! common case it is empty: then a message goes to the socket right away, from where it lies.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use cairn_framework::abi::status::{OK, Status};
use cairn_framework::author::Outcome;
use cairn_framework::frameworks::btl::Completion;

use crate::rdma::Registry;
use crate::sys::{self, Piece, piece};
use crate::wire::{Frame, MAX_REQUESTS, Violation, padding};

/// Pieces in one call of the kernel.
const PIECES: usize = 64;
/// Parts in the queue before a connection takes no more.
const PARTS: usize = 4096;
/// Bytes that one connection sends in a pass before it is the next one's turn.
const TURN: usize = 4 << 20;

/// Memory that a connection keeps which has nothing to send: bytes, and parts of the queue.
const KEPT_BYTES: usize = 1024;
const KEPT_PARTS: usize = 16;

static ZEROS: [u8; 8] = [0; 8];

/// A completion to call, and how its operation ended.
pub type Finished = (Completion, Status);

/// Bytes on their way to the peer.
pub struct Output {
    buffer: Vec<u8>,
    /// Where the first byte that was not sent lies in `buffer`.
    head: usize,
    queue: VecDeque<Part>,
    /// Most bytes in the buffer, but for answers.
    limit: usize,
}

enum Part {
    /// So many bytes of the buffer.
    Copied(usize),
    /// The user's memory, which stays until the completion.
    Memory(*const u8, usize),
    /// Registered memory that a peer reads: it is looked up each time.
    Exposed { key: u64, address: u64, len: usize },
    /// Everything of an operation is before this.
    Done(Completion),
}

/// Why sending failed.
pub enum Failed {
    /// The socket.
    Io(io::Error),
    /// The memory that a peer reads is not registered any more.
    Memory(Violation),
}

/// The bytes of some pieces.
fn total(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.iov_len).sum()
}

/// The zeros behind `len` bytes.
pub fn pad(len: usize) -> Piece {
    piece(ZEROS.as_ptr(), padding(len))
}

impl Output {
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), head: 0, queue: VecDeque::new(), limit }
    }

    /// Whether everything was sent.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Bytes that were copied and not sent.
    pub fn buffered(&self) -> usize {
        self.buffer.len() - self.head
    }

    /// Whether there are more answers than a peer that keeps the protocol can have asked for.
    pub fn is_flooded(&self) -> bool {
        self.queue.len() > PARTS + 4 * MAX_REQUESTS
            || self.buffered() > self.limit + 64 * MAX_REQUESTS
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.buffered() + bytes <= self.limit && self.queue.len() < PARTS
    }

    /// Sends pieces, or copies what the socket does not take: `Done` or `NoResources`.
    ///
    /// # Safety
    /// Every piece may be read.
    #[inline]
    pub unsafe fn send_copied(
        &mut self,
        socket: Option<BorrowedFd<'_>>,
        pieces: &[Piece],
    ) -> io::Result<Outcome> {
        // SAFETY: promised by the caller, here and below.
        unsafe {
            match socket {
                Some(socket) if self.is_empty() => {
                    let sent = sent(sys::write(socket, pieces))?;
                    if sent < total(pieces) {
                        self.copy(pieces, sent);
                    }
                }
                _ => {
                    if !self.has_room(total(pieces)) {
                        return Ok(Outcome::NoResources);
                    }
                    self.copy(pieces, 0);
                }
            }
        }
        Ok(Outcome::Done)
    }

    /// Sends pieces of which those in `memory` stay until the completion and are not copied; of the
    /// others, each may be copied. `Done`, `Queued` or `NoResources`.
    ///
    /// # Safety
    /// Every piece may be read, those in `memory` until the completion.
    pub unsafe fn send_in_place(
        &mut self,
        socket: Option<BorrowedFd<'_>>,
        pieces: &[Piece],
        memory: std::ops::Range<usize>,
        completion: Completion,
    ) -> io::Result<Outcome> {
        let mut skip = 0;
        match socket {
            Some(socket) if self.is_empty() => {
                // SAFETY: promised by the caller.
                skip = sent(unsafe { sys::write(socket, pieces) })?;
                if skip == total(pieces) {
                    return Ok(Outcome::Done);
                }
            }
            _ => {
                let copied = total(&pieces[..memory.start]) + total(&pieces[memory.end..]);
                if !self.has_room(copied) {
                    return Ok(Outcome::NoResources);
                }
            }
        }
        for (place, one) in pieces.iter().enumerate() {
            let gone = skip.min(one.iov_len);
            skip -= gone;
            if gone == one.iov_len {
                continue;
            }
            if memory.contains(&place) {
                // SAFETY: inside of the piece.
                let rest = unsafe { one.iov_base.cast::<u8>().add(gone) };
                self.queue.push_back(Part::Memory(rest, one.iov_len - gone));
            } else {
                // SAFETY: promised by the caller.
                unsafe { self.copy(std::slice::from_ref(one), gone) };
            }
        }
        self.queue.push_back(Part::Done(completion));
        Ok(Outcome::Queued)
    }

    /// Copies a message: the header, and at most `len` bytes that a function writes behind it. `make` gets the room for them and returns how many it wrote; then `head` makes the frame.
    pub fn send_packed(
        &mut self,
        header: &[u8],
        len: usize,
        head: impl FnOnce(usize) -> Frame,
        make: impl FnOnce(*mut u8) -> usize,
    ) -> Outcome {
        let most = crate::wire::HEADER + header.len() + len;
        let most = most + padding(most);
        if !self.has_room(most) {
            return Outcome::NoResources;
        }
        self.reserve(most);
        let begin = self.buffer.len();
        self.buffer.extend([0; crate::wire::HEADER]);
        self.buffer.extend_from_slice(header);
        let room = &mut self.buffer.spare_capacity_mut()[..len];
        let written = make(room.as_mut_ptr().cast()).min(len);
        // SAFETY: `make` wrote so many bytes behind the others.
        unsafe { self.buffer.set_len(self.buffer.len() + written) };
        let frame = head(header.len() + written);
        self.buffer[begin..begin + crate::wire::HEADER].copy_from_slice(frame.head().bytes());
        let end = self.buffer.len() - begin;
        self.buffer.resize(begin + end + padding(end), 0);
        self.copied(self.buffer.len() - begin);
        Outcome::Done
    }

    /// Queues a frame that has nothing but a head. Such frames are bounded by the protocol, not here.
    pub fn append(&mut self, frame: Frame) {
        let head = frame.head();
        let bytes = head.bytes();
        // SAFETY: the piece is a slice.
        unsafe { self.copy(&[piece(bytes.as_ptr(), bytes.len())], 0) };
    }

    /// Queues the answer to a get.
    pub fn append_exposed(&mut self, frame: Frame, key: u64, address: u64, len: usize) {
        self.append(frame);
        if len > 0 {
            self.queue.push_back(Part::Exposed { key, address, len });
        }
        // SAFETY: the piece is a static.
        unsafe { self.copy(&[pad(len)], 0) };
    }

    /// # Safety
    /// Every piece may be read.
    unsafe fn copy(&mut self, pieces: &[Piece], mut skip: usize) {
        let mut count = 0;
        self.reserve(total(pieces) - skip.min(total(pieces)));
        for one in pieces {
            let gone = skip.min(one.iov_len);
            skip -= gone;
            let rest = one.iov_len - gone;
            if rest > 0 {
                // SAFETY: promised by the caller.
                let bytes = unsafe {
                    std::slice::from_raw_parts(one.iov_base.cast::<u8>().add(gone), rest)
                };
                self.buffer.extend_from_slice(bytes);
                count += rest;
            }
        }
        self.copied(count);
    }

    fn copied(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        match self.queue.back_mut() {
            Some(Part::Copied(before)) => *before += count,
            _ => self.queue.push_back(Part::Copied(count)),
        }
    }

    /// Makes room at the end of the buffer. What was sent is given up only when its room is needed,
    /// so each byte is moved at most once for each time the limit was sent.
    fn reserve(&mut self, bytes: usize) {
        if self.head == self.buffer.len() {
            self.buffer.clear();
            self.head = 0;
        }
        if self.buffer.capacity() - self.buffer.len() >= bytes {
            return;
        }
        if self.head > 0 {
            self.buffer.copy_within(self.head.., 0);
            self.buffer.truncate(self.buffer.len() - self.head);
            self.head = 0;
        }
        let needed = self.buffer.len() + bytes;
        if needed > self.buffer.capacity() {
            let wanted = (2 * needed).min(2 * self.limit).max(needed).max(KEPT_BYTES);
            self.buffer.reserve_exact(wanted - self.buffer.len());
        }
    }

    /// Gives back what was needed while the socket took nothing, if everything was sent. Small ones stay.
    pub fn rest(&mut self) {
        if !self.is_empty() {
            return;
        }
        if self.buffer.capacity() > KEPT_BYTES {
            self.buffer = Vec::new();
            self.head = 0;
        }
        if self.queue.capacity() > KEPT_PARTS {
            self.queue = VecDeque::new();
        }
    }

    /// Sends what the socket takes. True when the connection's turn ended before the socket was full.
    pub fn write(
        &mut self,
        socket: BorrowedFd<'_>,
        registry: &Registry,
        finished: &mut VecDeque<Finished>,
    ) -> Result<bool, Failed> {
        let mut turn = 0;
        loop {
            if self.queue.is_empty() {
                return Ok(false);
            }
            if turn >= TURN {
                return Ok(true);
            }
            let sent = match self.write_once(socket, registry) {
                Err(Failed::Io(error)) if sys::takes_nothing(&error) => return Ok(false),
                other => other?,
            };
            turn += sent;
            self.advance(sent, finished);
        }
    }

    fn write_once(&self, socket: BorrowedFd<'_>, registry: &Registry) -> Result<usize, Failed> {
        let mut pieces = [piece(ZEROS.as_ptr(), 0); PIECES];
        let (mut count, mut copied) = (0, self.head);
        // Held while the kernel reads exposed memory, and the part of the registry that it is.
        let mut held = None;
        for part in &self.queue {
            if count == PIECES {
                break;
            }
            pieces[count] = match *part {
                Part::Done(_) => continue,
                Part::Copied(len) => {
                    copied += len;
                    piece(self.buffer[copied - len..].as_ptr(), len)
                }
                Part::Memory(address, len) => piece(address, len),
                Part::Exposed { key, address, len } => {
                    let place = Registry::part(key);
                    let (part, regions) = held.get_or_insert_with(|| (place, registry.hold(key)));
                    // A thread holds one at a time: what is behind goes with the next call.
                    if *part != place {
                        break;
                    }
                    let found = regions.find(false, key, address, len as u64);
                    piece(found.map_err(Failed::Memory)?, len)
                }
            };
            count += 1;
        }
        // SAFETY: slices of the buffer; users' memory, which stays until the completion; registered
        // memory, which stays while the registrations are held.
        unsafe { sys::write(socket, &pieces[..count]) }.map_err(Failed::Io)
    }

    /// Takes what was sent off the queue, and the operations that are complete with it.
    fn advance(&mut self, mut sent: usize, finished: &mut VecDeque<Finished>) {
        while let Some(part) = self.queue.front_mut() {
            let (gone, rest) = match part {
                Part::Done(_) => {
                    if let Some(Part::Done(completion)) = self.queue.pop_front() {
                        finished.push_back((completion, OK));
                    }
                    continue;
                }
                Part::Copied(len) => {
                    let gone = sent.min(*len);
                    self.head += gone;
                    *len -= gone;
                    (gone, *len)
                }
                Part::Memory(address, len) => {
                    let gone = sent.min(*len);
                    // SAFETY: inside of the user's memory, or at its end.
                    *address = unsafe { address.add(gone) };
                    *len -= gone;
                    (gone, *len)
                }
                Part::Exposed { address, len, .. } => {
                    let gone = sent.min(*len);
                    *address += gone as u64;
                    *len -= gone;
                    (gone, *len)
                }
            };
            sent -= gone;
            if rest > 0 {
                return;
            }
            self.queue.pop_front();
        }
    }

    /// Gives everything up; operations end with `status`.
    pub fn fail(&mut self, status: Status, finished: &mut VecDeque<Finished>) {
        for part in self.queue.drain(..) {
            if let Part::Done(completion) = part {
                finished.push_back((completion, status));
            }
        }
        self.buffer = Vec::new();
        self.head = 0;
    }
}

/// A socket that takes nothing now has taken 0 bytes.
#[inline]
fn sent(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if sys::takes_nothing(&error) => Ok(0),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use cairn_framework::frameworks::btl::BTL_REMOTE_READ;

    use super::*;

    fn bytes(len: usize, seed: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 7 + seed) as u8).collect()
    }

    fn part(bytes: &[u8]) -> Piece {
        piece(bytes.as_ptr(), bytes.len())
    }

    /// Whatever the way a message goes out, its bytes arrive in order, and operations complete when
    /// their last byte is gone.
    #[test]
    fn everything_arrives_in_order_through_a_narrow_socket() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        theirs.set_nonblocking(true).unwrap();
        let registry = Registry::new(9);
        let shown = bytes(100_000, 5);
        let base = shown.as_ptr().expose_provenance() as u64;
        // In different parts of the registry.
        let regions = [0, 1, 2].map(|_| registry.add(base, 100_000, BTL_REMOTE_READ));
        let mut output = Output::new(1 << 20);
        let (mut expected, mut seen) = (Vec::new(), Vec::new());
        let mut finished = VecDeque::new();
        let mut queued = 0;
        let large: Vec<Vec<u8>> = (0..8).map(|i| bytes(150_000 + i, i)).collect();
        for (round, large) in large.iter().enumerate() {
            let (head, body) = (bytes(16, round), bytes(1000 + round, round));
            // SAFETY: slices that live long enough.
            unsafe {
                let pieces = [part(&head), part(&body)];
                let sent = output.send_copied(Some(ours.as_fd()), &pieces).unwrap();
                assert_eq!(sent, Outcome::Done);
                expected.extend([&head[..], &body[..]].concat());
                let pieces = [part(&head), part(large), pad(3)];
                let completion = Completion::new(std::ptr::without_provenance_mut(round + 1));
                let sent =
                    output.send_in_place(Some(ours.as_fd()), &pieces, 1..2, completion).unwrap();
                queued += usize::from(sent == Outcome::Queued);
                expected.extend([&head[..], &large[..], &[0; 5]].concat());
            }
            for region in regions {
                let frame = Frame::Data { token: round as u64, len: 99 };
                output.append_exposed(frame, region.key, region.base + 1, 99);
                expected.extend(frame.head().bytes());
                expected.extend(&shown[1..100]);
                expected.extend([0; 5]);
            }
            let packed = |len| Frame::Message { tag: 1, len: len as u32 };
            let outcome = output.send_packed(b"head", 100, packed, |room| {
                // SAFETY: there is room for 100 bytes.
                unsafe { room.copy_from_nonoverlapping(shown.as_ptr(), 50) };
                50
            });
            assert_eq!(outcome, Outcome::Done);
            expected.extend(packed(54).head().bytes());
            expected.extend([b"head", &shown[..50], &[0, 0]].concat());
        }
        assert!(queued > 0, "the socket is narrow");
        while seen.len() < expected.len() {
            let more = output.write(ours.as_fd(), &registry, &mut finished);
            assert!(more.is_ok());
            let _ = theirs.read_to_end(&mut seen);
        }
        assert!(seen == expected);
        assert!(output.is_empty());
        let order: Vec<usize> = finished.iter().map(|one| one.0.address()).collect();
        assert_eq!(order.len(), queued);
        assert!(order.is_sorted() && finished.iter().all(|one| one.1 == OK));
    }

    #[test]
    fn a_full_buffer_takes_no_more_and_a_failure_completes_what_waits() {
        let mut output = Output::new(1000);
        let body = bytes(400, 1);
        let send = |output: &mut Output| {
            // SAFETY: a slice.
            unsafe { output.send_copied(None, &[part(&body)]).unwrap() }
        };
        assert_eq!(send(&mut output), Outcome::Done);
        assert_eq!(send(&mut output), Outcome::Done);
        assert_eq!(send(&mut output), Outcome::NoResources);
        let refused =
            output.send_packed(&[], 400, |_| Frame::Bye, |_| unreachable!("there is no room"));
        assert_eq!(refused, Outcome::NoResources);
        // SAFETY: it is not called.
        let [completion, same] =
            [8, 8].map(|at| unsafe { Completion::new(std::ptr::without_provenance_mut(at)) });
        // SAFETY: a slice.
        let queued = unsafe { output.send_in_place(None, &[part(&body)], 0..1, completion) };
        assert_eq!(queued.unwrap(), Outcome::Queued);
        let mut finished = VecDeque::new();
        output.fail(-7, &mut finished);
        assert_eq!(finished, [(same, -7)]);
        assert!(output.is_empty());
    }

    #[test]
    fn memory_that_is_no_longer_registered_is_not_sent() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let registry = Registry::new(9);
        let shown = bytes(100, 5);
        let region = registry.add(shown.as_ptr().expose_provenance() as u64, 100, BTL_REMOTE_READ);
        let mut output = Output::new(1000);
        output.append_exposed(Frame::Data { token: 1, len: 9 }, region.key, region.base, 9);
        registry.remove(region.key);
        let result = output.write(ours.as_fd(), &registry, &mut VecDeque::new());
        assert!(matches!(result, Err(Failed::Memory(_))));
    }
}
