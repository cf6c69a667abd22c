//! Short messages: mailboxes in memory of their receivers, with credits.
//!
//! ```text
//!   0   messages of this side's that the peer has released (u32), written by the peer
//!   64  slots: number of the message, from 1 (u32), bytes (u32), tag (u32), zero; at 16 header and data
//! ```

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use crate::faults;
use crate::nic::{Endpoint, Nic};
use crate::post::remote_event;
use crate::queue::entry;
use crate::segment::Found;
use crate::target::{self, PROTECTION, Status, UNREACHABLE, WELL};
use crate::types::*;

const FRONT: u64 = 64;
const HEAD: u64 = 16;

/// The two mailboxes of an endpoint.
pub struct Channel {
    local: SmsgAttr,
    remote: SmsgAttr,
    sent: u32,
    received: u32,
    /// There is a message that was not released.
    is_open: bool,
}

fn slot(attr: &SmsgAttr) -> u64 {
    (HEAD + u64::from(attr.msg_maxsize)).next_multiple_of(64)
}

fn needed(attr: &SmsgAttr) -> Option<u64> {
    let is_type = matches!(attr.msg_type, SMSG_MBOX | SMSG_MBOX_AUTO_RETRANSMIT);
    let is_size = (1..=SMSG_MOST).contains(&attr.msg_maxsize) && attr.mbox_maxcredit > 0;
    (is_type && is_size).then(|| FRONT + u64::from(attr.mbox_maxcredit) * slot(attr))
}

fn base(attr: &SmsgAttr) -> u64 {
    attr.msg_buffer.addr() as u64 + u64::from(attr.mbox_offset)
}

/// Where the message of this number is.
fn place(attr: &SmsgAttr, number: u32) -> u64 {
    let at = number % u32::from(attr.mbox_maxcredit);
    base(attr) + FRONT + u64::from(at) * slot(attr)
}

/// A word of a mailbox of this process.
///
/// # Safety
/// There is one, for as long as the reference is used.
unsafe fn word<'a>(at: u64) -> &'a AtomicU32 {
    // SAFETY: promised by the caller; mailboxes are aligned.
    unsafe { &*std::ptr::with_exposed_provenance::<AtomicU32>(at as usize) }
}

/// Bytes of a mailbox.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgBufferSizeNeeded(attr: *mut SmsgAttr, size: *mut u32) -> Return {
    // SAFETY: null or attributes.
    let Some(attr) = (unsafe { attr.as_ref() }) else { return INVALID_PARAM };
    let Some(bytes) = needed(attr).and_then(|bytes| u32::try_from(bytes).ok()) else {
        return INVALID_PARAM;
    };
    if size.is_null() {
        return INVALID_PARAM;
    }
    // SAFETY: not null.
    unsafe { *size = bytes };
    SUCCESS
}

/// Gives an endpoint its mailboxes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgInit(
    endpoint: *mut Endpoint,
    local: *mut SmsgAttr,
    remote: *mut SmsgAttr,
) -> Return {
    // SAFETY: null, an endpoint, attributes.
    let (Some(it), Some(local), Some(remote)) =
        (unsafe { (endpoint.as_ref(), local.as_ref(), remote.as_ref()) })
    else {
        return INVALID_PARAM;
    };
    if it.bound.get().is_none() || it.channel.borrow().is_some() {
        return INVALID_STATE;
    }
    let (Some(bytes), Some(_)) = (needed(local), needed(remote)) else { return INVALID_PARAM };
    let (own, at) = (it.nic().own, base(local));
    let fits = u64::from(local.mbox_offset) + bytes <= u64::from(local.buff_size);
    if !fits
        || !at.is_multiple_of(8)
        || own.process.covered(own.pid, local.mem_hndl, at, bytes).is_none()
        || local.msg_type != remote.msg_type
    {
        return INVALID_PARAM;
    }
    _ = local.msg_buffer.expose_provenance();
    let (local, remote) = (*local, *remote);
    let made = Channel { local, remote, sent: 0, received: 0, is_open: false };
    *it.channel.borrow_mut() = Some(made);
    SUCCESS
}

/// How often a message is sent again; what is lost here is lost by a fault on purpose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgSetMaxRetrans(nic: *mut Nic, _times: u16) -> Return {
    if nic.is_null() { INVALID_PARAM } else { SUCCESS }
}

/// Sends a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgSendWTag(
    endpoint: *mut Endpoint,
    header: *mut c_void,
    header_len: u32,
    data: *mut c_void,
    data_len: u32,
    id: u32,
    tag: u8,
) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    let missing = (header_len > 0 && header.is_null()) || (data_len > 0 && data.is_null());
    if missing || tag == SMSG_ANY_TAG {
        return INVALID_PARAM;
    }
    let mut channel = it.channel.borrow_mut();
    let (Some(channel), Some(queue)) = (channel.as_mut(), it.queue()) else { return INVALID_STATE };
    let nic = it.nic();
    let len = u64::from(header_len) + u64::from(data_len);
    if len > u64::from(channel.remote.msg_maxsize) {
        return ERROR_RESOURCE;
    }
    // SAFETY: the local mailbox was registered when the channel was made.
    let released = unsafe { word(base(&channel.local)) }.load(Ordering::Acquire);
    if channel.sent.wrapping_sub(released) >= u32::from(channel.remote.mbox_maxcredit) {
        nic.stalls.set(nic.stalls.get() + 1);
        return NOT_DONE;
    }
    if nic.not_done.borrow_mut().strikes(faults::get().not_done) {
        return NOT_DONE;
    }
    let parts = [(header, header_len), (data, data_len)];
    let status = it.target().map_or(UNREACHABLE, |target| deliver(channel, target, parts, tag));
    channel.sent = channel.sent.wrapping_add(1);
    if let (WELL, Some(target)) = (status, it.target()) {
        let event = entry(EVENT_SMSG, WELL, 0, it.event_ids().1);
        let lose = nic.overrun.borrow_mut().strikes(faults::get().overrun);
        remote_event(target, channel.remote.mem_hndl, event, lose);
    }
    nic.own.process.push(queue.at, entry(EVENT_SMSG, status, 0, id), false);
    SUCCESS
}

fn deliver(channel: &Channel, target: Found, parts: [(*mut c_void, u32); 2], tag: u8) -> Status {
    let attr = &channel.remote;
    let at = place(attr, channel.sent);
    let len = parts[0].1 + parts[1].1;
    let (process, pid) = (target.process, target.pid);
    match process.covered(pid, attr.mem_hndl, at, HEAD + u64::from(len)) {
        Some((_, flags)) if flags & READ_ONLY == 0 => {}
        _ => return PROTECTION,
    }
    let mut to = at + HEAD;
    for (part, len) in parts {
        let from = part.expose_provenance() as u64;
        let status = target::copy(pid, from, to, len.into(), true);
        if status != WELL {
            return status;
        }
        to += u64::from(len);
    }
    let mut rest = [0; 8];
    rest[..4].copy_from_slice(&len.to_ne_bytes());
    rest[4..].copy_from_slice(&u32::from(tag).to_ne_bytes());
    let status = target::write(pid, &rest, at + 4);
    if status != WELL {
        return status;
    }
    // The number last: it says that the rest is there.
    fence(Ordering::SeqCst);
    target::write(pid, &channel.sent.wrapping_add(1).to_ne_bytes(), at)
}

/// The next message with this tag, or with any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgGetNextWTag(
    endpoint: *mut Endpoint,
    header: *mut *mut c_void,
    tag: *mut u8,
) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    if header.is_null() || tag.is_null() {
        return INVALID_PARAM;
    }
    let mut channel = it.channel.borrow_mut();
    let Some(channel) = channel.as_mut() else { return INVALID_STATE };
    if channel.is_open {
        return INVALID_STATE;
    }
    let at = place(&channel.local, channel.received);
    // SAFETY: the local mailbox was registered when the channel was made.
    unsafe {
        if word(at).load(Ordering::Acquire) != channel.received.wrapping_add(1) {
            return NOT_DONE;
        }
        let its = word(at + 8).load(Ordering::Relaxed) as u8;
        if *tag != SMSG_ANY_TAG && *tag != its {
            return NO_MATCH;
        }
        *tag = its;
        *header = std::ptr::with_exposed_provenance_mut((at + HEAD) as usize);
    }
    channel.is_open = true;
    SUCCESS
}

/// Gives the place of a message back to its sender.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_SmsgRelease(endpoint: *mut Endpoint) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    let mut channel = it.channel.borrow_mut();
    let Some(channel) = channel.as_mut().filter(|channel| channel.is_open) else {
        return INVALID_STATE;
    };
    channel.is_open = false;
    channel.received = channel.received.wrapping_add(1);
    let Some(target) = it.target() else { return SUCCESS };
    let at = base(&channel.remote);
    // A peer that is gone needs no credits.
    if target.process.covered(target.pid, channel.remote.mem_hndl, at, 4).is_some() {
        fence(Ordering::SeqCst);
        target::write(target.pid, &channel.received.to_ne_bytes(), at);
    }
    SUCCESS
}
