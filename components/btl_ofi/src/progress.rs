//! What is on its way: handed to the provider, taken back from it.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN};
use cairn_framework::abi::status::{ERR_OTHER, ERR_PEER, ERR_PROTOCOL, OK, Status};
use cairn_framework::author::{Attempted, Failure, Outcome};

use crate::bindings::*;
use crate::context::OfiCri;
use crate::link::Link;
use crate::module::{OfiDevice, gone};
use crate::op::{Kind, Op, OpRef};
use crate::order::MOST_AHEAD;
use crate::receive;
use crate::wire::{HEADER, Header};

/// Completions that are read at once, and how often in a pass.
const AT_ONCE: usize = 16;
const ROUNDS: usize = 4;

/// One of so many short messages has a completion. Without it nothing would tell that a peer takes no more, since a
/// provider may copy as many as there is memory for.
const INJECTED: u32 = 16;

/// How long operations to a peer that is gone may be with the provider until their callers are told so. It
/// mostly tells itself, when a connection breaks.
const GRACE: Duration = Duration::from_secs(1);

/// Errors that say that a peer is gone.
fn means_gone(error: c_int) -> bool {
    matches!(
        error,
        libc::EREMOTEIO
            | libc::EHOSTUNREACH
            | libc::EHOSTDOWN
            | libc::ENETUNREACH
            | libc::ECONNABORTED
            | libc::ECONNRESET
            | libc::ECONNREFUSED
            | libc::ENOTCONN
            | libc::ESHUTDOWN
            | libc::EPIPE
            | libc::ETIMEDOUT
            | libc::EIO
    )
}

/// An operation with a buffer.
pub fn message_op(device: &OfiDevice, cri: &OfiCri) -> Result<OpRef, Failure> {
    let key = || device.key();
    let domain = device.needs_local().then_some((&*device.domain, &key as &dyn Fn() -> u64));
    let taken = cri.messages.borrow_mut().take(domain);
    taken.map_err(|error| Failure::from(format!("no buffer: {}", device.library.explain(error))))
}

/// Hands an operation to the provider, behind those that wait; what it does not take now waits, too. When it
/// fails the operation is the caller's again.
///
/// # Safety
/// What it refers to is there until it is over.
pub unsafe fn submit(
    device: &OfiDevice,
    cri: &OfiCri,
    link: &Link,
    op: OpRef,
) -> Result<(), Failure> {
    op.link.set(link);
    let must_wait = !link.backlog.borrow().is_empty();
    if !must_wait {
        // SAFETY: promised by the caller.
        match unsafe { op.post(&cri.endpoint) } {
            Ok(()) => return Ok(()),
            Err(libc::EAGAIN) => {}
            Err(error) => return Err(refused(device, link, error)),
        }
        cri.waiting.borrow_mut().push_back(link.endpoint.rank);
    }
    link.backlog.borrow_mut().push_back(op);
    Ok(())
}

/// Why the provider did not take an operation.
#[cold]
fn refused(device: &OfiDevice, link: &Link, error: c_int) -> Failure {
    let rank = link.endpoint.rank;
    let why = device.library.explain(error);
    if means_gone(error) {
        device.fail(rank, &why);
        return gone(rank);
    }
    Failure::new(ERR_OTHER, format!("nothing can be sent to rank {rank}: {why}"))
}

/// Sends a message that `write` writes into a buffer; it returns how long it has become.
#[inline]
pub fn send(
    device: &OfiDevice,
    cri: &OfiCri,
    link: &Link,
    tag: u8,
    write: impl FnOnce(*mut u8) -> usize,
) -> Attempted {
    if link.endpoint.has_failed() {
        return Err(gone(link.endpoint.rank));
    }
    let (messages, number) = (link.messages.get(), link.number.get());
    if messages == 0 {
        link.all_taken.set(number);
    } else if messages >= device.config.send_buffers
        || number.wrapping_sub(link.all_taken.get()) >= MOST_AHEAD - 1
    {
        // Also when many short ones have gone past one that the provider still has: the receiver keeps no more.
        return Ok(Outcome::NoResources);
    }
    if !link.has_greeted.get() {
        greet(device, cri, link)?;
    }
    let op = message_op(device, cri)?;
    let head = link.endpoint.pass.head(tag);
    // SAFETY: buffers have room for a header and the longest message.
    let len = write(unsafe { op.local.get().add(HEADER) });
    fill(cri, link, op, head, len);
    // A short one is copied by the provider, which then says nothing of it: the next one that is not copied does.
    if op.len.get() <= device.inject_limit()
        && !number.is_multiple_of(INJECTED)
        && link.backlog.borrow().is_empty()
        && op.inject(&cri.endpoint, link.address)
    {
        cri.messages.borrow_mut().give(op);
        link.number.set(link.number.get().wrapping_add(1));
        return Ok(Outcome::Done);
    }
    push(device, cri, link, op)?;
    Ok(Outcome::Done)
}

/// Makes a message of a buffer behind whose header there are so many bytes.
fn fill(cri: &OfiCri, link: &Link, op: OpRef, head: cairn_transport::Head, len: usize) {
    let header = Header { head, number: link.number.get(), cri: cri.index() as u16 };
    // SAFETY: the buffer has room for a header, and is aligned.
    unsafe { op.local.get().cast::<[u64; 2]>().write(header.words()) };
    op.kind.set(Kind::Message);
    op.len.set(HEADER + len);
    cri.traffic();
}

/// Sends a message.
fn push(device: &OfiDevice, cri: &OfiCri, link: &Link, op: OpRef) -> Result<(), Failure> {
    // SAFETY: the buffer stays with the operation.
    if let Err(failure) = unsafe { submit(device, cri, link, op) } {
        cri.messages.borrow_mut().give(op);
        return Err(failure);
    }
    link.number.set(link.number.get().wrapping_add(1));
    link.messages.set(link.messages.get() + 1);
    Ok(())
}

#[cold]
fn greet(device: &OfiDevice, cri: &OfiCri, link: &Link) -> Result<(), Failure> {
    let (head, proof) = link.endpoint.pass.greeting();
    let op = message_op(device, cri)?;
    // SAFETY: buffers are longer.
    unsafe {
        let place = op.local.get().add(HEADER);
        std::ptr::copy_nonoverlapping(proof.as_ptr(), place, proof.len());
    }
    fill(cri, link, op, head, proof.len());
    push(device, cri, link, op)?;
    link.has_greeted.set(true);
    link.courtesy.set(0);
    Ok(())
}

/// Tells the peers of links that are over.
#[cold]
fn part(device: &OfiDevice, cri: &OfiCri) {
    cri.is_ending.set(false);
    for link in cri.all_links() {
        if link.is_ending.replace(false) {
            say_goodbye(device, cri, link);
        }
    }
}

/// Tells a peer that nothing more comes by a way, if it knows of the way, or by the first CRI's, if it knows of this
/// process because it has sent to it.
fn say_goodbye(device: &OfiDevice, cri: &OfiCri, link: &Link) {
    let rank = link.endpoint.rank;
    if link.endpoint.has_failed() || device.has_parted(rank) {
        return;
    }
    let knows_it = link.has_greeted.get();
    if !knows_it && (!device.owes_goodbye(rank, cri) || link.courtesy.get() > 0) {
        return;
    }
    let say = || {
        if !knows_it {
            greet(device, cri, link)?;
        }
        link.has_greeted.set(false);
        link.courtesy.set(if knows_it { 1 } else { 2 });
        let op = message_op(device, cri)?;
        fill(cri, link, op, link.endpoint.pass.goodbye(), 0);
        push(device, cri, link, op)
    };
    let said = say();
    if let Err(failure) = said {
        device.no_goodbye(rank, &failure);
    }
}

/// One pass over a CRI.
pub fn pass(device: &OfiDevice, cri: &OfiCri) -> u32 {
    let mut events = 0;
    let mut is_empty = false;
    if !cri.unposted.borrow().is_empty() {
        post_buffers(device, cri);
    }
    if !cri.waiting.borrow().is_empty() {
        events += retry(device, cri);
    }
    for _ in 0..ROUNDS {
        let mut entries = [MaybeUninit::<fi_cq_msg_entry>::uninit(); AT_ONCE];
        let cq = cri.endpoint.cq.get();
        // SAFETY: the queue is open, and there is room for so many entries of its format.
        let got = unsafe {
            match (*(*cq).ops).read {
                Some(read) => read(cq, entries.as_mut_ptr().cast(), AT_ONCE),
                None => -(libc::ENOSYS as isize),
            }
        };
        if got > 0 {
            for entry in &entries[..got as usize] {
                // SAFETY: so many were written; contexts are those of operations.
                let (op, len) = unsafe {
                    let entry = entry.assume_init_ref();
                    (Op::of(entry.op_context), entry.len)
                };
                if let Some(op) = op {
                    over(device, cri, op, Ok(len));
                }
            }
            events += got as u32;
            if (got as usize) < AT_ONCE {
                device.looked(cri.index());
                break;
            }
        } else if got == -(FI_EAVAIL as isize) {
            events += 1;
            if !read_error(device, cri) {
                break;
            }
        } else {
            if got != -(libc::EAGAIN as isize) && got != 0 && got != -(libc::EINTR as isize) {
                complain(device, -got as c_int);
            }
            device.looked(cri.index());
            is_empty = true;
            break;
        }
    }
    if events > 0 {
        cri.traffic();
    }
    if is_empty && cri.is_ending.get() {
        part(device, cri);
    }
    if cri.failures.get() != device.failures() || cri.give_up.get().is_some() {
        events += sweep(device, cri);
    }
    events
}

/// A queue can't be used any more. One that is overrun says so each time it is read; with resource management, which
/// the choice asks for, a provider takes no operation for whose end its queue has no room.
#[cold]
fn complain(device: &OfiDevice, error: c_int) {
    device.break_down(&device.library.explain(error));
}

/// Takes an error out of the queue. False when it can't be had now.
#[cold]
fn read_error(device: &OfiDevice, cri: &OfiCri) -> bool {
    let cq = cri.endpoint.cq.get();
    // SAFETY: zeros are such an entry; the queue is open.
    let (got, entry) = unsafe {
        let mut entry: fi_cq_err_entry = std::mem::zeroed();
        let got = match (*(*cq).ops).readerr {
            Some(read) => read(cq, &raw mut entry, 0),
            None => -(libc::ENOSYS as isize),
        };
        (got, entry)
    };
    if got != 1 {
        if !matches!(-got as c_int, 0 | libc::EAGAIN | libc::EINTR) {
            complain(device, -got as c_int);
        }
        return false;
    }
    // SAFETY: the context is that of an operation, or null.
    match unsafe { Op::of(entry.op_context) } {
        Some(op) => over(device, cri, op, Err(entry.err)),
        None => {
            let why = device.library.explain(entry.err);
            device.host.log(LOG_DEBUG, || format!("an error without an operation: {why}"));
        }
    }
    true
}

/// The provider is through with an operation: bytes, or an error.
fn over(device: &OfiDevice, cri: &OfiCri, op: OpRef, how: Result<usize, c_int>) {
    op.is_posted.set(false);
    match op.kind.get() {
        Kind::Receive => {
            match how {
                Ok(len) if len <= device.config.frame => {
                    // SAFETY: the buffer has the length of a frame, and nobody writes to it until it is posted.
                    let bytes = unsafe { std::slice::from_raw_parts(op.local.get(), len) };
                    receive::arrived(device, cri, bytes);
                }
                Ok(_) => {}
                Err(error) => {
                    let why = device.library.explain(error);
                    device.host.log(LOG_DEBUG, || format!("a message is dropped: {why}"));
                }
            }
            if matches!(how, Err(libc::ECANCELED)) {
                cri.messages.borrow_mut().give(op);
                return;
            }
            // SAFETY: the buffer stays with the operation.
            if unsafe { op.post(&cri.endpoint) }.is_err() {
                cri.unposted.borrow_mut().push(op);
            }
        }
        Kind::Orphan => cri.transfers.borrow_mut().give(op),
        _ => settle(device, cri, op, how.map(|_| ())),
    }
}

/// An operation of this process's is over, and is given back.
fn settle(device: &OfiDevice, cri: &OfiCri, op: OpRef, how: Result<(), c_int>) {
    // SAFETY: links stay as long as the CRI.
    let link = unsafe { &*op.link.get() };
    let rank = link.endpoint.rank;
    let status = match how {
        Ok(()) => OK,
        Err(error) => failed(device, rank, op, error),
    };
    if op.kind.get() == Kind::Message {
        link.messages.set(link.messages.get() - 1);
        cri.messages.borrow_mut().give(op);
        return;
    }
    if status == OK && op.kind.get() == Kind::Atomic {
        // SAFETY: it is over; the caller keeps the place until it is told so.
        unsafe { op.give_result() };
    }
    finish(cri, link, op, status, true);
}

/// A put, get or atomic is over for its caller, and if `free` for the provider.
fn finish(cri: &OfiCri, link: &Link, op: OpRef, status: Status, free: bool) {
    link.transfers.set(link.transfers.get() - 1);
    let write = op.is_write().then(|| op.serial.get());
    let completion = op.completion.take();
    if free {
        cri.transfers.borrow_mut().give(op);
    } else {
        op.kind.set(Kind::Orphan);
    }
    // When it closes nobody is there any more to be told.
    if let Some(completion) = completion
        && !cri.is_closing.get()
    {
        completion.call(status);
    }
    if let Some(serial) = write {
        link.writes.set(link.writes.get() - 1);
        cri.flushes.over(link.endpoint.rank, serial, status, cri.is_closing.get());
    }
}

/// What an error means for the caller, and for the peer.
#[cold]
fn failed(device: &OfiDevice, rank: u32, op: OpRef, error: c_int) -> Status {
    let why = device.library.explain(error);
    if error == libc::ECANCELED {
        return ERR_PEER;
    }
    if means_gone(error) {
        device.fail(rank, &why);
        return ERR_PEER;
    }
    let kind = op.kind.get();
    device.host.log(LOG_WARN, || format!("{kind:?} to rank {rank}: {why}"));
    if kind == Kind::Message {
        // What is behind it can't be delivered without it.
        device.fail(rank, &why);
        return ERR_PEER;
    }
    match error {
        libc::EACCES | libc::EKEYREJECTED | libc::EINVAL | libc::EFAULT => ERR_PROTOCOL,
        error if error == FI_ENOKEY as c_int => ERR_PROTOCOL,
        _ => ERR_OTHER,
    }
}

/// Hands to the provider what it did not take before.
fn retry(device: &OfiDevice, cri: &OfiCri) -> u32 {
    let mut events = 0;
    let turns = cri.waiting.borrow().len();
    for _ in 0..turns {
        let Some(rank) = cri.waiting.borrow_mut().pop_front() else { break };
        let Some(link) = cri.existing(rank) else { continue };
        loop {
            let next = link.backlog.borrow().front().copied();
            let Some(op) = next else { break };
            // SAFETY: who submitted it promised that.
            match unsafe { op.post(&cri.endpoint) } {
                Ok(()) => _ = link.backlog.borrow_mut().pop_front(),
                Err(libc::EAGAIN) => {
                    cri.waiting.borrow_mut().push_back(rank);
                    break;
                }
                Err(error) => {
                    link.backlog.borrow_mut().pop_front();
                    settle(device, cri, op, Err(error));
                }
            }
            events += 1;
        }
    }
    events
}

/// Peers have failed: what was for them is over. What the provider has still is cancelled where it can do that,
/// and given up when it has said nothing for a while: its caller is told that the peer is gone, since it would wait
/// for ever otherwise.
///
/// Of what is given up a provider may still read the memory of a put, and write to that of a get, if the peer lives
/// all the same. Those of 1.17 end operations by themselves when a connection breaks; shm copies within the call, or
/// waits for a process that has ended. The results of atomics lie in the operation until they are given.
#[cold]
fn sweep(device: &OfiDevice, cri: &OfiCri) -> u32 {
    let mut events = 0;
    let seen = device.failures();
    if cri.failures.replace(seen) != seen {
        cri.give_up.set(Some(Instant::now() + GRACE));
        let pending = with_provider(cri, |link| link.endpoint.has_failed());
        pending.iter().for_each(|op| op.cancel(&cri.endpoint));
    }
    let links = cri.all_links();
    for link in links.iter().filter(|link| link.endpoint.has_failed()) {
        loop {
            let next = link.backlog.borrow_mut().pop_front();
            let Some(op) = next else { break };
            settle(device, cri, op, Err(libc::ECANCELED));
            events += 1;
        }
    }
    if cri.give_up.get().is_some_and(|until| Instant::now() >= until) {
        cri.give_up.set(None);
        events += give_up(cri, |link| link.endpoint.has_failed());
    }
    events
}

/// Puts, gets and atomics by some links that the provider has.
fn with_provider(cri: &OfiCri, which: impl Fn(&Link) -> bool) -> Vec<OpRef> {
    let transfers = cri.transfers.borrow();
    let is_one = |op: &OpRef| {
        op.is_posted.get()
            && op.kind.get() != Kind::Orphan
            // SAFETY: links stay as long as the CRI.
            && which(unsafe { &*op.link.get() })
    };
    transfers.all().filter(is_one).collect()
}

/// Tells the callers of operations that the provider has that these are over.
fn give_up(cri: &OfiCri, which: impl Fn(&Link) -> bool) -> u32 {
    let all = with_provider(cri, which);
    for op in &all {
        // SAFETY: links stay as long as the CRI.
        finish(cri, unsafe { &*op.link.get() }, op, ERR_PEER, false);
    }
    all.len() as u32
}

/// At the end: all callers are told.
pub fn give_up_all(device: &OfiDevice, cri: &OfiCri) {
    for link in cri.all_links() {
        loop {
            let next = link.backlog.borrow_mut().pop_front();
            let Some(op) = next else { break };
            settle(device, cri, op, Err(libc::ECANCELED));
        }
    }
    give_up(cri, |_| true);
}

/// Makes buffers for messages that come.
pub fn make_buffers(device: &OfiDevice, cri: &OfiCri) -> Result<(), Failure> {
    for _ in 0..device.config.receive_buffers {
        let op = message_op(device, cri)?;
        op.kind.set(Kind::Receive);
        op.len.set(device.config.frame);
        cri.unposted.borrow_mut().push(op);
    }
    post_buffers(device, cri);
    Ok(())
}

/// Hands buffers to the provider, as many as it takes.
pub fn post_buffers(device: &OfiDevice, cri: &OfiCri) {
    loop {
        let Some(op) = cri.unposted.borrow_mut().pop() else { return };
        // SAFETY: the buffer stays with the operation.
        match unsafe { op.post(&cri.endpoint) } {
            Ok(()) => {}
            Err(error) => {
                cri.unposted.borrow_mut().push(op);
                if error != libc::EAGAIN {
                    complain(device, error);
                }
                return;
            }
        }
    }
}
