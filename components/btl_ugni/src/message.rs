//! Messages: sent while there are credits, kept in this process while there are none, taken out of mailboxes.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use cairn_framework::author::{Attempted, Failure, Outcome};
use cairn_transport::{Admitted, Head};

use crate::bindings::*;
use crate::connect;
use crate::context::{SEND_QUEUE, UgniCri};
use crate::library::explain;
use crate::link::{Link, State, UgniEndpoint};
use crate::module::{UgniDevice, gone};
use crate::nic::Event;
use crate::wire::{HEADER, Header};

/// Buffers that are made at once.
const AT_ONCE: usize = 16;

/// The tag of the network's; ours is in the head.
const TAG: u8 = 1;

/// Messages that are taken out of a mailbox in one go.
const MOST_TAKEN: u32 = 256;

/// Buffers of messages that the network or a backlog has.
pub struct Buffers {
    size: usize,
    free: Vec<u32>,
    slabs: Vec<NonNull<u8>>,
    /// By buffer: bytes of its message, and the link that it goes by.
    messages: Vec<(u32, u32)>,
}

// SAFETY: all of it belongs to a CRI.
unsafe impl Send for Buffers {}

impl Buffers {
    pub fn new(size: usize) -> Self {
        let size = size.next_multiple_of(64);
        Self { size, free: Vec::new(), slabs: Vec::new(), messages: Vec::new() }
    }

    fn layout(&self) -> Layout {
        Layout::from_size_align(self.size * AT_ONCE, 64).expect("messages are short")
    }

    /// One that is free.
    fn take(&mut self) -> Result<u32, Failure> {
        if self.free.is_empty() {
            // SAFETY: the layout is not empty.
            let slab = NonNull::new(unsafe { std::alloc::alloc(self.layout()) });
            self.slabs.push(slab.ok_or("no memory for messages")?);
            let first = self.messages.len() as u32;
            self.free.extend((first..first + AT_ONCE as u32).rev());
            self.messages.resize(first as usize + AT_ONCE, (0, 0));
        }
        self.free.pop().ok_or_else(|| Failure::from("no buffer"))
    }

    fn place(&self, buffer: u32) -> *mut u8 {
        let (slab, at) = (buffer as usize / AT_ONCE, buffer as usize % AT_ONCE);
        // SAFETY: there are so many in each slab.
        unsafe { self.slabs[slab].as_ptr().add(at * self.size) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        let layout = self.layout();
        // SAFETY: allocated so; the network has none of them any more.
        self.slabs.iter().for_each(|slab| unsafe { std::alloc::dealloc(slab.as_ptr(), layout) });
    }
}

/// Sends a message that `write` writes into a buffer; it returns how long it has become.
#[inline]
pub fn send(
    device: &UgniDevice,
    cri: &UgniCri,
    peer: &UgniEndpoint,
    tag: u8,
    write: impl FnOnce(*mut u8) -> usize,
) -> Attempted {
    if peer.has_failed() {
        return Err(gone(peer.rank));
    }
    let link = match cri.sending(peer.rank) {
        Some(link) => link,
        None => connect::link(device, cri, peer)?,
    };
    if link.backlog.borrow().len() >= device.config.send_buffers {
        return Ok(Outcome::NoResources);
    }
    if !link.has_greeted.get() {
        greet(device, cri, link)?;
    }
    submit(device, cri, link, link.pass.head(tag), write)?;
    Ok(Outcome::Done)
}

#[cold]
fn greet(device: &UgniDevice, cri: &UgniCri, link: &Link) -> Result<(), Failure> {
    let (head, proof) = link.pass.greeting();
    submit(device, cri, link, head, |place| {
        // SAFETY: buffers are longer.
        unsafe { std::ptr::copy_nonoverlapping(proof.as_ptr(), place, proof.len()) };
        proof.len()
    })?;
    link.has_greeted.set(true);
    link.has_said_goodbye.set(false);
    Ok(())
}

/// Hands a message to the network, behind those that wait; what it does not take now waits, too.
fn submit(
    device: &UgniDevice,
    cri: &UgniCri,
    link: &Link,
    head: Head,
    write: impl FnOnce(*mut u8) -> usize,
) -> Result<(), Failure> {
    let (buffer, place) = {
        let mut buffers = cri.buffers.borrow_mut();
        let buffer = buffers.take()?;
        (buffer, buffers.place(buffer))
    };
    // Packing may be the program's function, so nothing is borrowed meanwhile.
    // SAFETY: buffers have room for a header and the longest message.
    let len = write(unsafe { place.add(HEADER) });
    let header = Header { head, len: len as u32 };
    // SAFETY: as above; buffers are aligned.
    unsafe { place.cast::<[u64; 2]>().write(header.words()) };
    let whole = (HEADER + len) as u32;
    cri.buffers.borrow_mut().messages[buffer as usize] = (whole, link.index);
    cri.traffic();
    if link.is_connected() && link.backlog.borrow().is_empty() {
        match post(device, cri, link, buffer) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(failure) => {
                cri.buffers.borrow_mut().free.push(buffer);
                return Err(failure);
            }
        }
    }
    link.backlog.borrow_mut().push_back(buffer);
    if !link.is_waiting.replace(true) {
        cri.waiting.borrow_mut().push_back(link.index);
    }
    Ok(())
}

/// Whether the network has taken a message.
fn post(device: &UgniDevice, cri: &UgniCri, link: &Link, buffer: u32) -> Result<bool, Failure> {
    // Each has an event, for which there must be room.
    if cri.sent.get() >= SEND_QUEUE {
        return Ok(false);
    }
    let (place, len) = {
        let buffers = cri.buffers.borrow();
        (buffers.place(buffer).cast::<c_void>(), buffers.messages[buffer as usize].0)
    };
    // SAFETY: the link is connected, and the buffer stays until its event has come.
    let sent = unsafe {
        let ep = link.endpoint.ep;
        device.library.GNI_SmsgSendWTag(ep, null_mut(), 0, place, len, buffer, TAG)
    };
    match sent {
        GNI_RC_SUCCESS => {
            cri.sent.set(cri.sent.get() + 1);
            link.sent.set(link.sent.get() + 1);
            Ok(true)
        }
        GNI_RC_NOT_DONE => Ok(false),
        error => {
            let why = format!("nothing can be sent to it: {}", explain(error));
            device.fail(link.rank, &why);
            Err(gone(link.rank))
        }
    }
}

/// Hands to the network what waits for credits.
pub fn retry(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let turns = cri.waiting.borrow().len();
    let mut events = 0;
    for _ in 0..turns {
        let Some(index) = cri.waiting.borrow_mut().pop_front() else { break };
        let Some(link) = cri.link(index) else { continue };
        events += retry_link(device, cri, link);
        let has_more = !link.backlog.borrow().is_empty();
        link.is_waiting.set(has_more);
        if has_more {
            cri.waiting.borrow_mut().push_back(index);
        }
    }
    events
}

/// The same of one link.
pub fn retry_link(device: &UgniDevice, cri: &UgniCri, link: &Link) -> u32 {
    let mut events = 0;
    while link.is_connected() {
        let next = link.backlog.borrow().front().copied();
        let Some(buffer) = next else { break };
        match post(device, cri, link, buffer) {
            Ok(true) => {
                link.backlog.borrow_mut().pop_front();
                events += 1;
            }
            Ok(false) | Err(_) => break,
        }
    }
    events
}

/// What waits for a peer that is gone goes to nobody.
pub fn drop_backlog(cri: &UgniCri, link: &Link) {
    let backlog = std::mem::take(&mut *link.backlog.borrow_mut());
    cri.buffers.borrow_mut().free.extend(backlog);
}

/// Takes events of messages that were sent.
pub fn departures(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let mut events = 0;
    loop {
        let (entry, failed) = match cri.departures.next() {
            Event::None => return events,
            Event::Well(entry) => (entry, false),
            Event::Error(entry) => (entry, true),
            Event::Overrun => {
                device.break_down("events of messages that were sent are lost");
                return events;
            }
            Event::Broken(error) => {
                device.break_down(explain(error));
                return events;
            }
        };
        events += 1;
        // SAFETY: it takes any entry.
        let buffer = unsafe { device.library.gni_cq_get_msg_id(entry) } as u32;
        let Some((_, index)) = cri.buffers.borrow().messages.get(buffer as usize).copied() else {
            continue;
        };
        cri.buffers.borrow_mut().free.push(buffer);
        cri.sent.set(cri.sent.get() - 1);
        let Some(link) = cri.link(index) else { continue };
        link.sent.set(link.sent.get() - 1);
        if failed {
            // The network has tried again by itself, as often as it may.
            let (why, _) = device.library.error(entry);
            device.fail(link.rank, &why);
        }
    }
}

/// Takes events of messages that have come, and the messages.
pub fn arrivals(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let (mut events, mut overrun) = (0, false);
    loop {
        match cri.arrivals.next() {
            Event::None => break,
            // One with an error names a link all the same, in whose mailbox there may be something.
            Event::Well(entry) | Event::Error(entry) => {
                events += 1;
                if let Some(link) = cri.link(crate::context::link_of(device.library, entry)) {
                    drain(device, cri, link);
                }
            }
            Event::Overrun => {
                events += 1;
                overrun = true;
            }
            Event::Broken(error) => {
                device.break_down(explain(error));
                break;
            }
        }
        // Others have their turn, too.
        if events >= MOST_TAKEN && !overrun {
            return events;
        }
    }
    if overrun {
        // The queue is empty, and events are lost.
        cri.all_links().into_iter().for_each(|link| drain(device, cri, link));
    }
    device.looked(cri.index());
    events
}

/// Takes what is in a mailbox.
pub fn drain(device: &UgniDevice, cri: &UgniCri, link: &Link) {
    let most = cri_most(device);
    while link.is_connected() {
        let (mut place, mut tag) = (null_mut::<c_void>(), GNI_SMSG_ANY_TAG as u8);
        let ep = link.endpoint.ep;
        // SAFETY: the link is connected, and there is room for the answers.
        let got = unsafe { device.library.GNI_SmsgGetNextWTag(ep, &raw mut place, &raw mut tag) };
        match got {
            GNI_RC_SUCCESS => {}
            GNI_RC_NOT_DONE => return,
            error => {
                link.state.set(State::Broken);
                device.fail(link.rank, &format!("its mailbox can't be read: {}", explain(error)));
                return;
            }
        }
        // SAFETY: a message lies there, until it is released; mailboxes have room for a header.
        let header = Header::of(unsafe { place.cast::<[u64; 2]>().read_unaligned() });
        if header.len as usize <= most {
            let rest = place.cast::<u8>().cast_const().wrapping_add(HEADER);
            if rest.addr().is_multiple_of(8) {
                // SAFETY: so many bytes of the mailbox follow, which the peer leaves alone until they are released.
                let rest = unsafe { std::slice::from_raw_parts(rest, header.len as usize) };
                act(device, cri, link, header.head, rest);
            } else {
                aligned(device, cri, link, header, rest);
            }
        } else {
            device.refuse("a message is longer than its mailbox");
        }
        // SAFETY: as above; nothing of the message is used any more.
        let released = unsafe { device.library.GNI_SmsgRelease(ep) };
        if released != GNI_RC_SUCCESS {
            link.state.set(State::Broken);
            let why = format!("its mailbox is blocked: {}", explain(released));
            device.fail(link.rank, &why);
        }
    }
}

fn cri_most(device: &UgniDevice) -> usize {
    device.config.most as usize - HEADER
}

/// A message that does not lie where its receiver can use it.
#[cold]
fn aligned(device: &UgniDevice, cri: &UgniCri, link: &Link, header: Header, rest: *const u8) {
    let len = header.len as usize;
    let mut words = vec![0_u64; len.div_ceil(8)];
    // SAFETY: so many bytes are in the mailbox, and there is room for them.
    let bytes = unsafe {
        std::ptr::copy_nonoverlapping(rest, words.as_mut_ptr().cast(), len);
        std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), len)
    };
    act(device, cri, link, header.head, bytes);
}

#[inline]
fn act(device: &UgniDevice, cri: &UgniCri, link: &Link, head: Head, rest: &[u8]) {
    match device.admission.admit(head, rest) {
        // What comes by a link is of whom it leads to.
        Admitted::Message(rank, _) | Admitted::Greeting(rank) | Admitted::Goodbye(rank)
            if rank != link.rank =>
        {
            device.refuse("a message names another rank than its link");
        }
        Admitted::Message(rank, tag) => {
            if !device.is_closing() {
                let endpoint = device.endpoint(rank).map(|endpoint| &**endpoint);
                device.deliver(cri, endpoint, tag, rest);
            }
        }
        Admitted::Greeting(rank) => device.greeted(rank),
        Admitted::Goodbye(rank) => device.part(rank, true),
        Admitted::Refused => device.refuse("a message came from a process that is not of this job"),
    }
}

/// Tells a peer that nothing more comes by a link, if it knows of the link, be it that it has only sent by it.
pub fn say_goodbye(device: &UgniDevice, cri: &UgniCri, link: &Link) {
    let rank = link.rank;
    if device.has_failed(rank) || device.has_parted(rank) || link.has_said_goodbye.get() {
        return;
    }
    if !link.has_greeted.get() && (!link.is_connected() || greet(device, cri, link).is_err()) {
        return;
    }
    link.has_greeted.set(false);
    link.has_said_goodbye.set(true);
    // That it can't be said is known by then of the peer itself.
    _ = submit(device, cri, link, link.pass.goodbye(), |_| 0);
}
