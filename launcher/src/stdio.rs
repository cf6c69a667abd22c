//! Output that passes through mpirun: lines with the rank in front, and where they go.

#![forbid(unsafe_code)]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// A line that gets longer is passed on in parts.
const MAX_LINE: usize = 64 << 10;
/// Above so many waiting bytes, ranks wait until some were read.
pub const FULL: usize = 1 << 20;
/// A pipe that is ready takes so many bytes at once.
const AT_ONCE: usize = 4096;

/// Output of one rank, cut into lines.
#[derive(Debug)]
pub struct Lines {
    prefix: String,
    line: Vec<u8>,
}

impl Lines {
    /// For the output of a rank.
    pub fn new(rank: u32) -> Self {
        Self { prefix: format!("[{rank}] "), line: Vec::new() }
    }

    /// Takes what the rank wrote and appends whole lines to `to`.
    pub fn add(&mut self, mut bytes: &[u8], to: &mut Vec<u8>) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            to.extend_from_slice(self.prefix.as_bytes());
            to.append(&mut self.line);
            to.extend_from_slice(&bytes[..=end]);
            bytes = &bytes[end + 1..];
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > MAX_LINE {
            self.finish(to);
        }
    }

    /// Passes on what has no end of line yet.
    pub fn finish(&mut self, to: &mut Vec<u8>) {
        if !self.line.is_empty() {
            to.extend_from_slice(self.prefix.as_bytes());
            to.append(&mut self.line);
            to.push(b'\n');
        }
    }
}

/// Standard output or error of mpirun. Others may write there, too, so it is not made non-blocking;
/// nothing is written before it is ready.
#[derive(Debug)]
pub struct Sink {
    to: BorrowedFd<'static>,
    waiting: Vec<u8>,
}

impl Sink {
    /// For a descriptor.
    pub fn new(to: BorrowedFd<'static>) -> Self {
        Self { to, waiting: Vec::new() }
    }

    /// Where lines are appended.
    pub fn queue(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    /// How many bytes wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The descriptor.
    pub fn target(&self) -> BorrowedFd<'static> {
        self.to
    }

    /// Writes what can be written without waiting, or everything if `wait`.
    ///
    /// # Errors
    /// The reader has closed its end, or the disk is full.
    pub fn flush(&mut self, wait: bool) -> io::Result<()> {
        let mut written = 0;
        let result = loop {
            let rest = &self.waiting[written..];
            if rest.is_empty() {
                break Ok(());
            }
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            let mut place = [PollFd::from_borrowed_fd(self.to, PollFlags::OUT)];
            match poll(&mut place, if wait { None } else { Some(&now) }) {
                Ok(0) => break Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => break Err(error.into()),
            }
            match rustix::io::write(self.to, &rest[..rest.len().min(AT_ONCE)]) {
                Ok(len) => written += len,
                Err(Errno::INTR) => {}
                // Another process made it non-blocking, and the poll above says when to go on.
                Err(Errno::AGAIN) if wait => {}
                Err(Errno::AGAIN) => break Ok(()),
                Err(error) => break Err(error.into()),
            }
        };
        if result.is_err() {
            self.waiting.clear();
        } else {
            self.waiting.drain(..written);
        }
        result
    }
}

/// Standard input from a terminal. A rank is not in the terminal's foreground group and may not read
/// from it; mpirun is, and passes on what it reads.
#[derive(Debug)]
pub struct Input {
    to: OwnedFd,
    waiting: Vec<u8>,
}

/// What is to be done for standard input next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Read when the terminal has something.
    Read,
    /// Write when the rank has room.
    Write,
    /// Nothing before mpirun is in the foreground.
    Background,
    /// It has ended.
    Done,
}

impl Input {
    /// Passes on to this pipe, which does not block.
    pub fn new(to: OwnedFd) -> Self {
        Self { to, waiting: Vec::new() }
    }

    /// The pipe.
    pub fn target(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd;
        self.to.as_fd()
    }

    /// Whether mpirun may read from its terminal; it would be stopped otherwise.
    pub fn in_foreground() -> bool {
        rustix::termios::tcgetpgrp(rustix::stdio::stdin())
            .is_ok_and(|group| group == rustix::process::getpgrp())
    }

    /// Reads and writes what is there.
    pub fn pump(&mut self) -> Next {
        if self.waiting.is_empty() {
            if !Self::in_foreground() {
                return Next::Background;
            }
            let mut bytes = [0; 4096];
            match rustix::io::read(rustix::stdio::stdin(), &mut bytes) {
                Ok(0) => return Next::Done,
                Ok(len) => self.waiting.extend_from_slice(&bytes[..len]),
                Err(Errno::INTR | Errno::AGAIN) => return Next::Read,
                Err(_) => return Next::Done,
            }
        }
        match rustix::io::write(&self.to, &self.waiting) {
            Ok(len) => {
                self.waiting.drain(..len);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return Next::Done,
        }
        if self.waiting.is_empty() { Next::Read } else { Next::Write }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_get_their_rank_whatever_they_come_in() {
        let (mut lines, mut out) = (Lines::new(12), Vec::new());
        for part in ["a", "b\n\nc", "", "d\ne"] {
            lines.add(part.as_bytes(), &mut out);
        }
        assert_eq!(out, b"[12] ab\n[12] \n[12] cd\n");
        lines.finish(&mut out);
        lines.finish(&mut out);
        assert!(out.ends_with(b"cd\n[12] e\n"));
        out.clear();
        lines.add(&vec![b'x'; MAX_LINE + 1], &mut out);
        assert_eq!(out.len(), MAX_LINE + 1 + "[12] \n".len());
    }
}
