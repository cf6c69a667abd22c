//! What mpirun and its supervisor say to each other, in records of one length over a stream. The two are
//! one program, one a copy of the other, so the form has no version.

#![forbid(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

/// Bytes of a record.
const RECORD: usize = 24;

/// From mpirun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Send a signal to every rank's process group.
    Signal(i32),
    /// End every process: this signal now, SIGKILL after the grace.
    End {
        /// The signal.
        signal: i32,
        /// Milliseconds; 0 kills at once.
        grace: u32,
        /// The rank that ends by itself and is not sent the signal.
        except: Option<u32>,
    },
    /// Report every rank that has ended by now, and then that this was done.
    Census,
}

/// From the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// A rank runs.
    Started {
        /// Which one.
        rank: u32,
        /// Its process id.
        pid: i32,
    },
    /// A rank could not be started, and no further ones will be.
    NotStarted {
        /// Which one.
        rank: u32,
        /// What did not work.
        step: Step,
        /// The error's number.
        errno: i32,
    },
    /// A rank has ended.
    Exited {
        /// Which one.
        rank: u32,
        /// How.
        end: End,
        /// Microseconds from its start to its end.
        lived: u64,
        /// Whether it had been told to end before.
        notified: bool,
    },
    /// The ranks have ended, but not so many of the processes they had started.
    LeftBehind(u32),
    /// Every rank that had ended when [`Order::Census`] came has been reported.
    Census,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with an exit status.
    Exit(i32),
    /// By a signal, and whether its memory was dumped.
    Signal(i32, bool),
}

/// The steps of a start that may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Making the process.
    Process,
    /// Binding it to its processors.
    Bind,
    /// Going to its directory.
    Directory,
    /// Executing the program.
    Program,
}

const STEPS: [Step; 4] = [Step::Process, Step::Bind, Step::Directory, Step::Program];

/// Something that fits a record: a kind, three words, and a long one.
pub trait Message: Sized {
    /// As numbers.
    fn pack(&self) -> (u32, [i32; 3], u64);
    /// Back from numbers; `None` for what the other side never sends.
    fn unpack(kind: u32, words: [i32; 3], long: u64) -> Option<Self>;
}

impl Message for Order {
    fn pack(&self) -> (u32, [i32; 3], u64) {
        match *self {
            Self::Signal(signal) => (0, [signal, 0, 0], 0),
            Self::End { signal, grace, except } => {
                let except = except.map_or(-1, |rank| rank as i32);
                (1, [signal, except, 0], grace.into())
            }
            Self::Census => (2, [0; 3], 0),
        }
    }

    fn unpack(kind: u32, [signal, except, _]: [i32; 3], long: u64) -> Option<Self> {
        match kind {
            0 => Some(Self::Signal(signal)),
            1 => Some(Self::End {
                signal,
                grace: long.try_into().ok()?,
                except: u32::try_from(except).ok(),
            }),
            2 => Some(Self::Census),
            _ => None,
        }
    }
}

impl Message for Report {
    fn pack(&self) -> (u32, [i32; 3], u64) {
        match *self {
            Self::Started { rank, pid } => (0, [rank as i32, pid, 0], 0),
            Self::NotStarted { rank, step, errno } => (1, [rank as i32, step as i32, errno], 0),
            Self::Exited { rank, end, lived, notified } => {
                let notified = i32::from(notified);
                match end {
                    End::Exit(code) => (2, [rank as i32, code, notified], lived),
                    End::Signal(signal, false) => (3, [rank as i32, signal, notified], lived),
                    End::Signal(signal, true) => (4, [rank as i32, signal, notified], lived),
                }
            }
            Self::LeftBehind(count) => (5, [count as i32, 0, 0], 0),
            Self::Census => (6, [0; 3], 0),
        }
    }

    fn unpack(kind: u32, [first, second, third]: [i32; 3], lived: u64) -> Option<Self> {
        let rank = first as u32;
        let exited = |end| Self::Exited { rank, end, lived, notified: third != 0 };
        Some(match kind {
            0 => Self::Started { rank, pid: second },
            1 => {
                let step = *STEPS.get(usize::try_from(second).ok()?)?;
                Self::NotStarted { rank, step, errno: third }
            }
            2 => exited(End::Exit(second)),
            3 => exited(End::Signal(second, false)),
            4 => exited(End::Signal(second, true)),
            5 => Self::LeftBehind(rank),
            6 => Self::Census,
            _ => return None,
        })
    }
}

/// One end of the stream.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
    unsent: Vec<u8>,
}

impl From<OwnedFd> for Channel {
    fn from(socket: OwnedFd) -> Self {
        Self { socket, received: Vec::new(), unsent: Vec::new() }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Channel {
    /// Keeps a message for the next [`Channel::flush`].
    pub fn queue(&mut self, message: &impl Message) {
        let (kind, words, long) = message.pack();
        self.unsent.extend_from_slice(&kind.to_ne_bytes());
        words.iter().for_each(|word| self.unsent.extend_from_slice(&word.to_ne_bytes()));
        self.unsent.extend_from_slice(&long.to_ne_bytes());
    }

    /// Sends all messages; waits while the stream is full.
    pub fn flush(&mut self) -> io::Result<()> {
        let unsent = std::mem::take(&mut self.unsent);
        let mut rest = &unsent[..];
        while !rest.is_empty() {
            match rustix::net::send(&self.socket, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends a message at once.
    pub fn send(&mut self, message: &impl Message) -> io::Result<()> {
        self.queue(message);
        self.flush()
    }

    /// Takes what has come, without waiting. The flag says whether the other side is still there.
    pub fn receive<M: Message>(&mut self) -> (Vec<M>, bool) {
        let mut there = true;
        loop {
            let mut bytes = [0; 4096];
            match rustix::net::recv(&self.socket, &mut bytes[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => there = false,
                Ok((_, len)) => {
                    self.received.extend_from_slice(&bytes[..len]);
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(_) => there = false,
            }
            break;
        }
        let whole = self.received.len() / RECORD * RECORD;
        let messages = self.received[..whole].chunks_exact(RECORD).filter_map(record).collect();
        self.received.drain(..whole);
        (messages, there)
    }
}

fn record<M: Message>(bytes: &[u8]) -> Option<M> {
    let word = |i: usize| Some(i32::from_ne_bytes(bytes.get(i..i + 4)?.try_into().ok()?));
    let long = u64::from_ne_bytes(bytes.get(16..)?.try_into().ok()?);
    M::unpack(word(0)? as u32, [word(4)?, word(8)?, word(12)?], long)
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    #[test]
    fn messages_arrive_whole_and_in_order() {
        let (here, there) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
                .unwrap();
        let (mut here, mut there) = (Channel::from(here), Channel::from(there));
        let reports = [
            Report::Started { rank: 4_000_000_000, pid: 77 },
            Report::NotStarted { rank: 1, step: Step::Program, errno: 2 },
            Report::Exited { rank: 2, end: End::Exit(255), lived: u64::MAX, notified: false },
            Report::Exited { rank: 3, end: End::Signal(11, true), lived: 5, notified: true },
            Report::Exited { rank: 3, end: End::Signal(9, false), lived: 5, notified: true },
            Report::LeftBehind(3),
            Report::Census,
        ];
        assert_eq!(there.receive::<Report>(), (vec![], true));
        reports.iter().for_each(|report| here.queue(report));
        assert_eq!(there.receive::<Report>(), (vec![], true));
        here.flush().unwrap();
        assert_eq!(there.receive(), (reports.to_vec(), true));
        let orders = [
            Order::Signal(10),
            Order::End { signal: 15, grace: u32::MAX, except: None },
            Order::End { signal: 9, grace: 0, except: Some(3) },
            Order::Census,
        ];
        orders.iter().for_each(|order| here.send(order).unwrap());
        drop(here);
        assert_eq!(there.receive(), (orders.to_vec(), false));
    }
}
