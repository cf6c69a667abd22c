//! What arrives on a connection: finding frames in a buffer, and bodies that go elsewhere.
//!
//! ```text
//!   buffer   │ handled │ frame ──── frame ── part of a fr │ free        │
//!                      ▲ start (a multiple of 8)          ▲ end
//! ```
//!
//! Messages are handed on from the buffer. The body of a put or of a get's answer goes from the
//! socket to its destination; only what came into the buffer with the frames before it is copied.

use std::cell::RefCell;
use std::io;
use std::os::fd::BorrowedFd;

use crate::rdma::Registry;
use crate::sys::{self, Piece, piece};
use crate::wire::{Frame, HEADER, LONGEST_HEAD, Violation, padding};

/// Room behind the longest frame, to read several small ones at once.
const AHEAD: usize = 32 << 10;

/// Buffers that an instance has for whichever of its connections receives: as long as a connection is in the middle
/// of nothing it needs none.
#[derive(Debug, Default)]
pub struct Buffers(RefCell<Vec<Vec<u64>>>);

/// Buffers that are kept. Few connections are in the middle of something at once.
const KEPT_BUFFERS: usize = 4;

impl Buffers {
    fn take(&self, words: usize) -> Vec<u64> {
        let mut kept = self.0.borrow_mut();
        let fits = kept.iter().position(|buffer| buffer.len() >= words);
        fits.map_or_else(|| vec![0; words], |place| kept.swap_remove(place))
    }

    fn give(&self, buffer: Vec<u64>) {
        let mut kept = self.0.borrow_mut();
        if kept.len() < KEPT_BUFFERS {
            kept.push(buffer);
        }
    }
}

/// Where the body goes that is arriving.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// Into registered memory.
    Put { key: u64, address: u64 },
    /// Into the memory of the get at this place in the connection's list.
    Data { place: usize, address: *mut u8 },
}

/// The receiving half of a connection.
pub struct Input {
    /// In words, for the alignment of what is handed on. Empty between frames.
    buffer: Vec<u64>,
    /// Words of a buffer.
    words: usize,
    start: usize,
    end: usize,
    /// A body on its way and its missing bytes.
    body: Option<(Body, usize)>,
    /// Bytes after it that mean nothing.
    skip: usize,
    /// Most bytes of a message.
    frame_limit: u32,
    /// The peer has said goodbye.
    pub bye: bool,
    /// The kernel has told that the peer sends nothing any more.
    pub ended: bool,
}

/// What is next in the buffer.
pub enum Next {
    /// Nothing whole.
    Nothing,
    /// A message, in place: its tag, its first byte and its length.
    Message(u8, *const u8, usize),
    /// Another frame; its body, if it has one, is still to come.
    Frame(Frame),
    /// The body is complete.
    Complete(Body),
}

/// How a read went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// There may be more.
    Whole,
    /// That was all there is now.
    All,
    /// The peer sends nothing any more.
    End,
}

/// Why receiving failed.
#[derive(Debug)]
pub enum Failed {
    /// The socket.
    Io(io::Error),
    /// The peer.
    Violation(Violation),
}

impl From<Violation> for Failed {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

impl Input {
    pub fn new() -> Self {
        Self {
            buffer: Vec::new(),
            words: 0,
            start: 0,
            end: 0,
            body: None,
            skip: 0,
            frame_limit: 0,
            bye: false,
            ended: false,
        }
    }

    /// Begins with a new connection; its peer sends messages of at most `frame_limit` bytes.
    pub fn begin(&mut self, frame_limit: u32) {
        let limit = frame_limit as usize;
        let words = (HEADER + limit + padding(limit) + LONGEST_HEAD + AHEAD) / 8;
        *self = Self { words, frame_limit, ..Self::new() };
    }

    /// Whether the peer's end came in the middle of something.
    pub fn is_inside(&self) -> bool {
        self.body.is_some() || self.start < self.end
    }

    /// Says where the body goes of the frame that [`Input::next`] returned.
    pub fn expect(&mut self, body: Body, len: usize) {
        self.body = Some((body, len));
        self.skip = padding(len);
    }

    fn bytes(&self) -> *const u8 {
        self.buffer.as_ptr().cast()
    }

    /// The next thing in the buffer.
    #[inline]
    pub fn next(&mut self, registry: &Registry) -> Result<Next, Failed> {
        if self.body.is_some() || self.skip > 0 {
            if let Some(body) = self.drain_body(registry)? {
                return Ok(Next::Complete(body));
            }
            if self.body.is_some() || self.skip > 0 {
                return Ok(Next::Nothing);
            }
        }
        if self.start == self.end {
            return Ok(Next::Nothing);
        }
        // SAFETY: the buffer holds `end` bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts(self.bytes().add(self.start), self.end - self.start)
        };
        let Some((frame, head)) = Frame::parse(bytes, self.frame_limit)? else {
            return Ok(Next::Nothing);
        };
        if self.bye {
            return Err(Violation::AfterBye.into());
        }
        let Frame::Message { tag, len } = frame else {
            self.start += head;
            self.bye |= frame == Frame::Bye;
            return Ok(Next::Frame(frame));
        };
        let len = len as usize;
        let whole = HEADER + len + padding(len);
        if bytes.len() < whole {
            return Ok(Next::Nothing);
        }
        let data = bytes[HEADER..].as_ptr();
        self.start += whole;
        Ok(Next::Message(tag, data, len))
    }

    /// Moves what the buffer has of the body to where it goes, and skips what follows it.
    fn drain_body(&mut self, registry: &Registry) -> Result<Option<Body>, Failed> {
        let there = self.end - self.start;
        if let Some((body, left)) = self.body {
            let len = left.min(there);
            // SAFETY: inside of the buffer.
            let from = unsafe { self.bytes().add(self.start) };
            match body {
                Body::Put { key, address } => {
                    let regions = registry.hold(key);
                    let to = regions.find(true, key, address, left as u64)?;
                    // SAFETY: registered, and held in place.
                    unsafe { to.copy_from_nonoverlapping(from, len) };
                }
                // SAFETY: the get's memory stays until its completion.
                Body::Data { address, .. } => unsafe {
                    address.copy_from_nonoverlapping(from, len);
                },
            }
            self.start += len;
            self.advance_body(len);
        }
        if let Some((body, 0)) = self.body {
            self.body = None;
            return Ok(Some(body));
        }
        if self.body.is_none() {
            let gone = self.skip.min(self.end - self.start);
            self.start += gone;
            self.skip -= gone;
        }
        Ok(None)
    }

    fn advance_body(&mut self, len: usize) {
        if let Some((body, left)) = &mut self.body {
            *left -= len;
            match body {
                Body::Put { address, .. } => *address += len as u64,
                // SAFETY: inside of the get's memory, or at its end.
                Body::Data { address, .. } => *address = unsafe { address.add(len) },
            }
        }
    }

    /// Reads from the socket: first what is missing of a body, then into the buffer. Everything in
    /// the buffer was handled as far as it is whole.
    pub fn fill(
        &mut self,
        socket: BorrowedFd<'_>,
        registry: &Registry,
        buffers: &Buffers,
    ) -> Result<Filled, Failed> {
        if self.buffer.is_empty() {
            self.buffer = buffers.take(self.words);
        }
        self.make_room();
        let capacity = 8 * self.buffer.len();
        // SAFETY: inside of the buffer.
        let free = unsafe { self.buffer.as_mut_ptr().cast::<u8>().add(self.end) };
        let behind = piece(free, capacity - self.end);
        let direct = self.body.map_or(0, |(_, left)| left);
        let read = |pieces: &[Piece]| {
            // SAFETY: free room of the buffer, and the memory found below.
            unsafe { sys::read(socket, pieces) }
        };
        let result = match self.body {
            None => read(&[behind]),
            Some((Body::Data { address, .. }, left)) => read(&[piece(address, left), behind]),
            Some((Body::Put { key, address }, left)) => {
                // Held while the kernel writes.
                let regions = registry.hold(key);
                let to = regions.find(true, key, address, left as u64)?;
                read(&[piece(to, left), behind])
            }
        };
        let got = match result {
            Ok(0) => return Ok(Filled::End),
            Ok(got) => got,
            Err(error) if sys::would_block(&error) => return Ok(Filled::All),
            Err(error) => return Err(Failed::Io(error)),
        };
        let into_body = got.min(direct);
        self.advance_body(into_body);
        self.end += got - into_body;
        let whole = got == direct + behind.iov_len;
        Ok(if whole { Filled::Whole } else { Filled::All })
    }

    /// Gives the buffer back if nothing is in it.
    #[inline]
    pub fn rest(&mut self, buffers: &Buffers) {
        if self.start == self.end && !self.buffer.is_empty() {
            buffers.give(std::mem::take(&mut self.buffer));
            (self.start, self.end) = (0, 0);
        }
    }

    /// Moves an incomplete frame to the front. Frames stay at multiples of 8.
    fn make_room(&mut self) {
        if self.start == self.end {
            // What comes first is the rest after a body: the frame behind it is to be aligned.
            let offset = (8 - self.skip) % 8;
            (self.start, self.end) = (offset, offset);
            return;
        }
        if self.start > 0 {
            let front = self.start % 8;
            // SAFETY: both ranges are inside of the buffer.
            unsafe {
                let buffer = self.buffer.as_mut_ptr().cast::<u8>();
                buffer.add(front).copy_from(buffer.add(self.start), self.end - self.start);
            }
            self.end -= self.start - front;
            self.start = front;
        }
    }
}
