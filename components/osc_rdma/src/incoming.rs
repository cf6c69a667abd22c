//! What comes from an origin, and this process does for it. Nothing of it is trusted.

use std::collections::BTreeMap;

use cairn_framework::abi::datatype::{
    DATATYPE_CONTIGUOUS, DATATYPE_PREDEFINED, Datatype, OP_NOTHING,
};
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PROTOCOL, OK, Status};
use cairn_framework::author::walk;
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE, OSC_PUT, Window,
};
use cairn_rma::{
    AccumulateLocks, Packed, Taker, Target, Update, accumulate, compare_and_swap, element_of,
};

use crate::link::Payload;
use crate::memory::Memory;
use crate::operation::Kept;
use crate::wire::Header;

/// Longest description of a datatype.
const LONGEST_TYPE: usize = 1 << 30;

/// Packets that may come before those that were sent before them.
const MOST_EARLY: u32 = 1 << 16;

/// What is known of an origin.
#[derive(Default)]
pub struct Incoming {
    /// The serial of the last packet that was handled.
    last: u32,
    /// Packets that have overtaken others, by serial.
    early: BTreeMap<u32, Box<[u8]>>,
    /// The type of its last operation that had one of its own, and what described it.
    described: Option<(Vec<u8>, Kept)>,
    /// A description that comes in parts.
    text: Vec<u8>,
    /// What went wrong since the last answer.
    pub error: Status,
    /// Access epochs that it has completed and no exposure epoch has counted.
    pub completed: u64,
}

// SAFETY: types are for any thread.
unsafe impl Send for Incoming {}

/// What operations are done with.
pub struct Place<'a> {
    pub window: &'a Window,
    pub memory: &'a Memory,
    pub locks: &'a AccumulateLocks,
    pub taker: Taker<'a>,
    /// Most bytes of a packet.
    pub packet: usize,
}

impl Incoming {
    /// How many packets come before one, which counts as handled when it is the next; `None` if it makes no sense.
    pub fn turn(&mut self, serial: u32) -> Option<u32> {
        let before = serial.wrapping_sub(self.last).wrapping_sub(1);
        if before == 0 {
            self.last = serial;
        }
        (before < MOST_EARLY).then_some(before)
    }

    /// Keeps one that others come before.
    pub fn keep(&mut self, serial: u32, packet: &[u8]) {
        self.early.insert(serial, packet.into());
    }

    /// The next one, if it was kept. It counts as handled.
    pub fn next(&mut self) -> Option<Box<[u8]>> {
        if self.early.is_empty() {
            return None;
        }
        let serial = self.last.wrapping_add(1);
        let next = self.early.remove(&serial)?;
        self.last = serial;
        Some(next)
    }

    /// A part of a description, behind so many bytes of it.
    pub fn take_text(&mut self, position: i64, data: &[u8]) {
        if position == 0 {
            self.text.clear();
        }
        let next = position == self.text.len() as i64;
        if next && self.text.len() + data.len() <= LONGEST_TYPE {
            self.text.extend_from_slice(data);
        } else {
            self.text.clear();
        }
    }

    /// The target's type of an operation.
    fn datatype(
        &mut self,
        window: &Window,
        header: &Header,
        text: &[u8],
    ) -> Option<*const Datatype> {
        if header.predefined != 0 {
            // SAFETY: any number may be asked for.
            let found = unsafe { (window.calls().datatype_predefined)(header.predefined.into()) };
            return (!found.is_null()).then_some(found);
        }
        let text = match header.more?.type_before {
            0 => text,
            len if len as usize == self.text.len() => &self.text,
            _ => return None,
        };
        if let Some((described, kept)) = &self.described
            && described == text
        {
            return Some(kept.datatype());
        }
        let mut made = core::ptr::null();
        // SAFETY: the description has so many bytes; it need not be one.
        let status = unsafe {
            (window.calls().datatype_decode)(text.as_ptr().cast(), text.len(), &mut made)
        };
        if status != OK || made.is_null() {
            return None;
        }
        // SAFETY: just made.
        let kept = unsafe { Kept::made(window, made) };
        self.described = Some((text.to_vec(), kept));
        Some(made)
    }

    /// Does a part of an operation. What it fetches is returned, and lies in the window or in `scratch`.
    pub fn operate(
        &mut self,
        place: &Place<'_>,
        header: &Header,
        data: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<Payload, Status> {
        let type_len = header.more.map_or(0, |more| more.type_len);
        let (text, data) = data.split_at_checked(type_len as usize).ok_or(ERR_PROTOCOL)?;
        let datatype = self.datatype(place.window, header, text).ok_or(ERR_PROTOCOL)?;
        // SAFETY: predefined, or kept until the next one is described.
        let datatype = unsafe { &*datatype };
        let Place { memory, locks, taker, .. } = place;
        let len = header.len as usize;
        let (count, position) = match header.more {
            Some(more) => (more.count, more.position),
            // One block in one packet.
            None => (u64::from(header.len).checked_div(datatype.size).ok_or(ERR_PROTOCOL)?, 0),
        };
        let target = Target { base: memory.base, offset: header.offset, count, datatype };
        let side = target.side();
        let end = position.checked_add(len as u64).ok_or(ERR_PROTOCOL)?;
        let room = count.checked_mul(datatype.size).ok_or(ERR_PROTOCOL)?;
        // More than a packet is not asked for: it would not fit into the answer.
        if end > room || len > place.packet {
            return Err(ERR_PROTOCOL);
        }
        memory.check(header.offset, &side, position..end)?;
        let exactly =
            |expected: usize| if data.len() == expected { Ok(()) } else { Err(ERR_PROTOCOL) };
        match u32::from(header.operation) {
            OSC_PUT => {
                exactly(len)?;
                match side.contiguous() {
                    // SAFETY: the data lies in this process's memory, which was checked.
                    Some(first) => unsafe {
                        let to = first.as_ptr().wrapping_add(position as usize);
                        core::ptr::copy_nonoverlapping(data.as_ptr(), to, len);
                    },
                    // SAFETY: as above.
                    None => unsafe {
                        walk::unpack(&mut side.cursor(position), data.as_ptr(), len);
                    },
                }
                Ok(Payload::NONE)
            }
            OSC_GET => {
                exactly(0)?;
                if let Some(first) = side.contiguous() {
                    let from = first.as_ptr().wrapping_add(position as usize);
                    return Ok(Payload { from: from.cast_const().cast(), len });
                }
                room_for(scratch, len, |to| {
                    // SAFETY: as above; there is room.
                    let packed = unsafe { walk::pack(&mut side.cursor(position), to, len) };
                    if packed == len { Ok(()) } else { Err(ERR_PROTOCOL) }
                })
            }
            OSC_COMPARE_SWAP => {
                exactly(len.checked_mul(2).ok_or(ERR_PROTOCOL)?)?;
                // Other types' bytes do not lie together where the element begins.
                let (whole, simple) =
                    (position == 0 && count == 1, DATATYPE_PREDEFINED | DATATYPE_CONTIGUOUS);
                let simple = datatype.flags & simple == simple;
                if !whole || !simple || len as u64 != datatype.size {
                    return Err(ERR_PROTOCOL);
                }
                let (new, expected) = data.split_at(len);
                room_for(scratch, len, |old| {
                    // SAFETY: all have the width of the type, which lies in the window.
                    let swapped = unsafe {
                        compare_and_swap(
                            memory.base,
                            header.offset,
                            len,
                            new.as_ptr().cast_mut(),
                            expected.as_ptr().cast_mut(),
                            old,
                            locks,
                            taker,
                        )
                    };
                    swapped.map_err(|failure| failure.status)
                })
            }
            kind @ (OSC_ACCUMULATE | OSC_GET_ACCUMULATE | OSC_FETCH_OP) => {
                // SAFETY: any number may be asked for; operations stay.
                let op = unsafe { (place.window.calls().op_predefined)(header.op.into()).as_ref() };
                let op = op.ok_or(ERR_ARGUMENT)?;
                let element = element_of(place.window, datatype).ok_or(ERR_ARGUMENT)?;
                exactly(if op.flags & OP_NOTHING != 0 { 0 } else { len })?;
                let update = Update { op, element, locks, taker: *taker };
                let run = |old: *mut u8| {
                    let packed = Packed { operand: data.as_ptr(), old, len };
                    // SAFETY: the data lies in the window; both have so many bytes.
                    let done = unsafe { accumulate(&target, position, packed, &update) };
                    done.map_err(|failure| failure.status)
                };
                match kind {
                    OSC_ACCUMULATE => run(core::ptr::null_mut()).map(|()| Payload::NONE),
                    _ => room_for(scratch, len, run),
                }
            }
            _ => Err(ERR_PROTOCOL),
        }
    }
}

/// `len` bytes that `write` writes to `scratch`.
fn room_for(
    scratch: &mut Vec<u8>,
    len: usize,
    write: impl FnOnce(*mut u8) -> Result<(), Status>,
) -> Result<Payload, Status> {
    scratch.resize(len, 0);
    write(scratch.as_mut_ptr())?;
    Ok(Payload::of(scratch))
}
