//! Buffered sends (MPI 5.0, section 3.6).
//!
//! ```text
//!   message ─ packed ─► a piece of the attached buffer ─ isend of bytes ─► point-to-point component
//! ```
//!
//! A message of a communicator goes into the buffer that the program attached to it, otherwise into
//! that of its session, otherwise into that of the process. Each takes its packed size and `MPI_BSEND_OVERHEAD` bytes, where they first
//! fit. The space is free again when the send is complete, which the next bsend, flush or detach sees.
//! The wire carries bytes, so the receiver does not notice.
//!
//! One lock protects all buffers. No thread waits while it holds it: a flush is a request, which progress
//! completes.

use std::ffi::c_void;

use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlSend};

use super::comm::CommRef;
use super::datatype::{self, DatatypeRef, Keeper};
use super::packing;
use super::request::{self, RequestRef};
use super::session::SessionRef;
use super::special::{self, Body, Persistent, Special};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Request;
use crate::abi::status::Status;
use crate::error::{Error, Result};
use crate::runtime::runtime;

/// Whose buffer it is.
#[derive(Clone)]
pub enum Owner {
    /// The process's.
    Process,
    /// A communicator's.
    Comm(CommRef),
    /// A session's.
    Session(SessionRef),
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Process, Self::Process) => true,
            (Self::Comm(one), Self::Comm(other)) => std::ptr::eq(*one, *other),
            (Self::Session(one), Self::Session(other)) => one == other,
            _ => false,
        }
    }
}

impl Owner {
    fn name(&self) -> &'static str {
        match self {
            Self::Process => "the process",
            Self::Comm(_) => "the communicator",
            Self::Session(_) => "the session",
        }
    }

    /// The session that it comes from.
    pub fn session(&self) -> Option<&SessionRef> {
        match self {
            Self::Process => None,
            Self::Comm(comm) => comm.session.as_ref(),
            Self::Session(session) => Some(session),
        }
    }
}

static BUFFERS: Mutex<Vec<Buffer>> = Mutex::at(LockLevel::BUFFERS, Vec::new());

/// An attached buffer.
struct Buffer {
    owner: Owner,
    memory: Memory,
    /// The messages that were not seen complete, by their place in the buffer.
    messages: Vec<Message>,
    /// Messages so far.
    number: u64,
    /// Flushes that are not complete.
    flushes: Vec<Flush>,
    /// What went wrong with a message first, for the next wait.
    failed: Option<Error>,
}

// SAFETY: the memory belongs to the buffer as long as it is attached, whichever thread uses it.
unsafe impl Send for Buffer {}

enum Memory {
    /// The program's.
    Attached { address: *mut u8, size: usize },
    /// Allocated for each message (`MPI_BUFFER_AUTOMATIC`).
    Automatic,
}

struct Message {
    /// Messages before it.
    number: u64,
    place: Piece,
    /// Of an automatic buffer; stays until the send is complete.
    _memory: Vec<u8>,
    request: RequestRef,
}

/// A part of a buffer that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    offset: usize,
    length: usize,
}

/// A flush: complete when the messages before it are.
struct Flush {
    before: u64,
    request: &'static Special,
}

/// Attaches a buffer.
pub fn attach(owner: Owner, address: *mut c_void, size: usize) -> Result<()> {
    let memory = if address == MPI_BUFFER_AUTOMATIC {
        Memory::Automatic
    } else if address.is_null() && size > 0 {
        let text = format!("the buffer is a null pointer, but its size is {size}");
        return Err(Error::new(MPI_ERR_BUFFER, text));
    } else {
        Memory::Attached { address: address.cast(), size }
    };
    let mut buffers = BUFFERS.lock();
    if buffers.iter().any(|buffer| buffer.owner == owner) {
        let text = format!("{} has a buffer already; detach it first", owner.name());
        return Err(Error::new(MPI_ERR_BUFFER, text));
    }
    buffers.push(Buffer {
        owner,
        memory,
        messages: Vec::new(),
        number: 0,
        flushes: Vec::new(),
        failed: None,
    });
    Ok(())
}

/// Waits until the messages in a buffer are sent, and takes the buffer away. Returns its address and
/// size.
pub fn detach(owner: &Owner) -> Result<(*mut c_void, usize)> {
    loop {
        flush(owner)?;
        let mut buffers = BUFFERS.lock();
        let place = buffers.iter().position(|buffer| buffer.owner == *owner);
        let Some(place) = place else {
            let text = format!("{} has no buffer", owner.name());
            return Err(Error::new(MPI_ERR_BUFFER, text));
        };
        // Another thread may have sent meanwhile.
        if buffers[place].messages.is_empty() && buffers[place].flushes.is_empty() {
            return Ok(match buffers.swap_remove(place).memory {
                Memory::Attached { address, size } => (address.cast(), size),
                Memory::Automatic => (MPI_BUFFER_AUTOMATIC, 0),
            });
        }
    }
}

/// Takes the buffer of a communicator away that is freed, if it has one.
pub fn detach_freed(comm: CommRef) -> Result<()> {
    let owner = Owner::Comm(comm);
    if !BUFFERS.lock().iter().any(|buffer| buffer.owner == owner) {
        return Ok(());
    }
    detach(&owner).map(|_| ())
}

/// Takes all buffers of a session away, or those that are of none: no message is lost at its end.
pub fn detach_all(session: Option<&SessionRef>) -> Result<()> {
    loop {
        let of_session = |buffer: &&Buffer| buffer.owner.session() == session;
        let owner = BUFFERS.lock().iter().find(of_session).map(|buffer| buffer.owner.clone());
        match owner {
            Some(owner) => drop(detach(&owner)?),
            None => return Ok(()),
        }
    }
}

/// Waits until the messages that are in a buffer now are sent. Without a buffer there are none.
pub fn flush(owner: &Owner) -> Result<()> {
    let handle = start_flush(owner.clone());
    let view = request::of(handle)?;
    let waited = request::wait(view);
    let (_, result) = request::outcome(view);
    request::release(view);
    waited.and(result)
}

/// A persistent buffered send.
struct Buffered(PmlSend, CommRef, #[allow(dead_code, reason = "kept")] Keeper);

/// Makes a persistent request of a buffered send.
pub fn init(send: PmlSend, comm: CommRef, datatype: DatatypeRef) -> Request {
    comm.retain();
    let kept = datatype::keep(datatype.view());
    special::persistent(Body::Persistent(Box::new(Buffered(send, comm, kept)))).handle()
}

impl Persistent for Buffered {
    fn comm(&self) -> CommRef {
        self.1
    }

    fn starter(&self) -> fn(&'static Special) -> Result<()> {
        |special| match special.with(|this: &mut Self| (this.0, this.1)) {
            Some((message, comm)) => send(message, comm),
            None => Ok(()),
        }
    }

    fn end(self: Box<Self>, _: &'static Special) {
        self.1.release();
    }
}

/// A request that is complete when the messages that are in a buffer now are sent.
pub fn start_flush(owner: Owner) -> Request {
    let of = owner.clone();
    let finish = move || (Status::EMPTY, settle(&of));
    let request = special::make(Body::Several {
        parts: Vec::new(),
        next: None,
        finish: Some(Box::new(finish)),
    });
    let mut buffers = BUFFERS.lock();
    match buffers.iter_mut().find(|buffer| buffer.owner == owner) {
        Some(buffer) if !buffer.is_sent(buffer.number) => {
            buffer.flushes.push(Flush { before: buffer.number, request });
            drop(buffers);
            runtime().poll(poll);
        }
        _ => {
            drop(buffers);
            request.complete();
        }
    }
    request.handle()
}

/// Frees the space of messages that are sent. An error of one of them is that of the caller.
fn settle(owner: &Owner) -> Result<()> {
    special::end_freed();
    let mut buffers = BUFFERS.lock();
    let Some(buffer) = buffers.iter_mut().find(|buffer| buffer.owner == *owner) else {
        return Ok(());
    };
    buffer.reap();
    buffer.failed.take().map_or(Ok(()), Err)
}

/// Looks for flushes whose messages are sent. From progress; returns how many it completed.
fn poll() -> u32 {
    let Some(mut buffers) = BUFFERS.try_lock() else { return 0 };
    let mut complete = Vec::new();
    for buffer in &mut *buffers {
        let flushes = std::mem::take(&mut buffer.flushes);
        let (sent, waiting) = flushes.into_iter().partition(|flush| buffer.is_sent(flush.before));
        buffer.flushes = waiting;
        let sent: Vec<Flush> = sent;
        complete.extend(sent);
    }
    drop(buffers);
    complete.iter().for_each(|flush| flush.request.complete());
    complete.len() as u32
}

/// Copies a message into the buffer that the program attached, and starts to send it from there.
pub fn send(send: PmlSend, comm: CommRef) -> Result<()> {
    // SAFETY: the type of a message is valid until it is sent.
    let datatype = unsafe { &*send.datatype };
    let bytes = packing::bytes(send.count as i64, datatype)?;
    special::end_freed();
    let mut buffers = BUFFERS.lock();
    let found = |buffers: &Vec<Buffer>| {
        let session = comm.session.clone().map(Owner::Session);
        let owners = [Some(Owner::Comm(comm)), session, Some(Owner::Process)];
        let mut owners = owners.into_iter().flatten();
        owners
            .find_map(|owner| buffers.iter().position(|own| own.owner == owner))
            .ok_or_else(|| Error::new(MPI_ERR_BUFFER, "no buffer is attached"))
    };
    let mut place = found(&buffers)?;
    buffers[place].reap();
    if buffers[place].room(bytes).is_err() {
        // Perhaps a message is sent by now.
        drop(buffers);
        runtime().system.progress();
        buffers = BUFFERS.lock();
        place = found(&buffers)?;
        buffers[place].reap();
    }
    let buffer = &mut buffers[place];
    let (index, offset) = buffer.room(bytes)?;
    let mut memory = Vec::new();
    let packed = match &buffer.memory {
        Memory::Attached { address, .. } => address.wrapping_add(offset),
        Memory::Automatic => {
            memory.try_reserve_exact(bytes).map_err(|_| {
                let text = format!("there is no memory for a message of {bytes} bytes");
                Error::new(MPI_ERR_NO_MEM, text)
            })?;
            memory.resize(bytes, 0);
            memory.as_mut_ptr()
        }
    };
    // SAFETY: the program vouches for its buffers, and `room` found the place free.
    unsafe { packing::pack(send.buffer, send.count as i64, datatype, packed, bytes)? };
    let message = PmlSend {
        buffer: packed.cast(),
        count: bytes as u64,
        datatype: DatatypeRef::of(MPI_PACKED)?.view(),
        mode: PML_STANDARD,
        ..send
    };
    // The packed message stays until the request is complete.
    let view = runtime().isend(&message)?;
    request::handle(view, comm);
    // SAFETY: started just now, and only given back below or by `reap`.
    let request: RequestRef = unsafe { &*view };
    let place = Piece { offset, length: bytes.saturating_add(OVERHEAD) };
    let message = Message { number: buffer.number, place, _memory: memory, request };
    buffer.messages.insert(index, message);
    buffer.number += 1;
    buffer.reap();
    Ok(())
}

/// What a message takes beyond its bytes.
const OVERHEAD: usize = MPI_BSEND_OVERHEAD as usize;

impl Buffer {
    /// Gives messages back that are sent. Their requests end in the next call that makes one or looks at a
    /// buffer, without its lock: the last use of a communicator may end with one (see `special::end_freed`).
    fn reap(&mut self) {
        let failed = &mut self.failed;
        self.messages.retain(|message| {
            if !message.request.is_complete() {
                return true;
            }
            if let Err(error) = request::outcome(message.request).1 {
                failed.get_or_insert(error);
            }
            special::release_later(message.request);
            false
        });
    }

    /// Whether all messages before this one are sent.
    fn is_sent(&self, before: u64) -> bool {
        let mut earlier = self.messages.iter().filter(|message| message.number < before);
        earlier.all(|message| message.request.is_complete())
    }

    /// Where a message of these bytes fits: its place among the others, and its offset.
    fn room(&self, bytes: usize) -> Result<(usize, usize)> {
        let Memory::Attached { size, .. } = self.memory else {
            return Ok((self.messages.len(), 0));
        };
        let needed = bytes.saturating_add(OVERHEAD);
        let used = self.messages.iter().map(|message| message.place);
        first_fit(used.clone(), size, needed).ok_or_else(|| {
            let taken: usize = used.map(|piece| piece.length).sum();
            let free = size - taken;
            let text = format!(
                "a message of {bytes} bytes needs {needed} bytes in one piece, and of the {size} \
                 bytes of the buffer of {} {free} are free",
                self.owner.name()
            );
            Error::new(MPI_ERR_BUFFER, text)
        })
    }
}

/// The first gap between pieces, which are in the order of their offsets, that is large enough: the
/// piece behind it, and its offset.
fn first_fit(
    used: impl Iterator<Item = Piece>,
    size: usize,
    needed: usize,
) -> Option<(usize, usize)> {
    let (mut index, mut free) = (0, 0);
    for piece in used {
        if piece.offset - free >= needed {
            return Some((index, free));
        }
        free = piece.offset + piece.length;
        index += 1;
    }
    (size - free >= needed).then_some((index, free))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_where_they_first_fit() {
        let fit = |used: &[(usize, usize)], needed| {
            let pieces = used.iter().map(|&(offset, length)| Piece { offset, length });
            first_fit(pieces, 100, needed)
        };
        assert_eq!(fit(&[], 100), Some((0, 0)));
        assert_eq!(fit(&[], 101), None);
        assert_eq!(fit(&[(0, 10), (30, 10)], 20), Some((1, 10)));
        assert_eq!(fit(&[(0, 10), (30, 10)], 21), Some((2, 40)));
        assert_eq!(fit(&[(5, 10), (30, 10)], 5), Some((0, 0)));
        assert_eq!(fit(&[(0, 10), (30, 10)], 61), None);
        assert_eq!(fit(&[(0, 100)], 1), None);
    }

    // One test: the buffers are the process's.
    #[test]
    fn buffers_come_and_go() {
        let mut memory = [0_u8; 1000];
        let address: *mut c_void = memory.as_mut_ptr().cast();
        let class = |result: Result<()>| result.unwrap_err().code();
        assert_eq!(class(attach(Owner::Process, std::ptr::null_mut(), 1)), MPI_ERR_BUFFER);
        assert_eq!(class(detach(&Owner::Process).map(drop)), MPI_ERR_BUFFER);
        flush(&Owner::Process).unwrap();
        attach(Owner::Process, address, memory.len()).unwrap();
        assert_eq!(class(attach(Owner::Process, address, memory.len())), MPI_ERR_BUFFER);
        {
            let buffers = BUFFERS.lock();
            assert_eq!(buffers[0].room(488).unwrap(), (0, 0));
            let error = buffers[0].room(489).unwrap_err();
            assert_eq!(error.code(), MPI_ERR_BUFFER);
            assert!(error.text().contains("needs 1001 bytes"), "{}", error.text());
        }
        flush(&Owner::Process).unwrap();
        assert_eq!(detach(&Owner::Process).unwrap(), (address, 1000));
        attach(Owner::Process, MPI_BUFFER_AUTOMATIC, 0).unwrap();
        assert_eq!(detach(&Owner::Process).unwrap(), (MPI_BUFFER_AUTOMATIC, 0));
        detach_all(None).unwrap();
    }
}
