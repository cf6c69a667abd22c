//! An operation that its origin keeps: until it is sent, and until what it fetches has come.

use cairn_framework::abi::datatype::{Cursor, DATATYPE_PREDEFINED, Datatype, OP_NOTHING};
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::author::{Failure, walk};
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_GET, OSC_PUT, OscTransfer, Window, WindowCalls,
};
use cairn_rma::{Side, element_of};

use crate::link::Payload;
use crate::requests::{self, Request};
use crate::wire::{HEADER, Header, Kind, More};

/// An operation.
pub struct Operation {
    /// Its number among those with its target.
    pub ordinal: u64,
    /// What the program said. Its types are `kept`.
    pub transfer: OscTransfer,
    kept: Vec<Kept>,
    /// Bytes of the target's data that it touches, and all of them.
    len: u64,
    whole: u64,
    /// How much of that was sent, or asked for.
    position: u64,
    /// How much of it has come, if it fetches.
    fetched: u64,
    from: Data,
    to: Data,
    /// Packets end between such parts of the data.
    part: u64,
    /// What describes the target's type, if that is not predefined; and whether it goes ahead.
    text: Vec<u8>,
    pub text_goes_ahead: bool,
    /// The first error of an answer.
    error: Status,
    request: *mut Request,
}

// SAFETY: what it points to is the program's until it is complete, or kept.
unsafe impl Send for Operation {}

/// Data of the program.
enum Data {
    None,
    /// It lies in one piece from here on.
    Block(*mut u8),
    /// It has gaps, and is walked. Few are, so this lies elsewhere.
    Walk(Box<Cursor>),
}

impl Data {
    fn of(side: Side<'_>) -> Self {
        match side.contiguous() {
            Some(first) => Self::Block(first.as_ptr()),
            None => Self::Walk(Box::new(side.cursor(0))),
        }
    }
}

/// A datatype that stays as long as this.
pub struct Kept {
    datatype: *const Datatype,
    calls: &'static WindowCalls,
}

impl Kept {
    /// Keeps a type.
    ///
    /// # Safety
    /// It is there, and the calls stay.
    pub unsafe fn retain(window: &Window, datatype: *const Datatype) -> Self {
        let calls: *const WindowCalls = window.calls;
        // SAFETY: promised by the caller.
        unsafe {
            ((*calls).datatype_retain)(datatype);
            Self { datatype, calls: &*calls }
        }
    }

    /// Keeps a type that `datatype_decode` has made.
    ///
    /// # Safety
    /// It has, and the calls stay.
    pub unsafe fn made(window: &Window, datatype: *const Datatype) -> Self {
        // SAFETY: promised by the caller.
        Self { datatype, calls: unsafe { &*window.calls } }
    }

    pub fn datatype(&self) -> *const Datatype {
        self.datatype
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: it was retained or made.
        unsafe { (self.calls.datatype_release)(self.datatype) };
    }
}

impl Operation {
    /// What the program has asked for, with a request if one is wanted.
    ///
    /// # Safety
    /// The transfer is valid, and what it names is there until the operation is complete.
    pub unsafe fn new(window: &Window, transfer: &OscTransfer, request: *mut Request) -> Self {
        let mut kept = Vec::new();
        // SAFETY: promised by the caller, for the whole function.
        unsafe {
            let types =
                [transfer.target_datatype, transfer.origin.datatype, transfer.result.datatype];
            for datatype in types {
                if !datatype.is_null() && (*datatype).flags & DATATYPE_PREDEFINED == 0 {
                    kept.push(Kept::retain(window, datatype));
                }
            }
            let operand = transfer.op.as_ref().is_none_or(|op| op.flags & OP_NOTHING == 0);
            let from = Side::of(&transfer.origin).filter(|_| operand).map_or(Data::None, Data::of);
            let to = Side::of(&transfer.result).map_or(Data::None, Data::of);
            let target = &*transfer.target_datatype;
            let room = transfer.target_count.saturating_mul(target.size);
            let (len, part) = match transfer.kind {
                OSC_PUT => {
                    (room.min(Side::of(&transfer.origin).map_or(0, |side| side.len() as u64)), 1)
                }
                OSC_GET => {
                    (room.min(Side::of(&transfer.result).map_or(0, |side| side.len() as u64)), 1)
                }
                OSC_COMPARE_SWAP => (room, room.max(1)),
                _ => (room, element_of(window, target).map_or(1, |element| element.size.max(1))),
            };
            Self {
                ordinal: 0,
                transfer: *transfer,
                kept,
                len,
                whole: room,
                position: 0,
                fetched: 0,
                from,
                to,
                part,
                text: Vec::new(),
                text_goes_ahead: false,
                error: OK,
                request,
            }
        }
    }

    /// Bytes of the target's data.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether something comes back.
    pub fn fetches(&self) -> bool {
        !matches!(self.transfer.kind, OSC_PUT | OSC_ACCUMULATE)
    }

    /// Whether it is a put or a get, so that its order is none.
    pub fn is_move(&self) -> bool {
        matches!(self.transfer.kind, OSC_PUT | OSC_GET)
    }

    /// Whether all of it was sent, or asked for.
    pub fn is_sent(&self) -> bool {
        self.position >= self.len
    }

    /// Whether nothing of it was.
    pub fn is_new(&self) -> bool {
        self.position == 0
    }

    /// Describes the target's type, unless it is predefined or was described before.
    pub fn describe(&mut self, window: &Window, packet: usize) {
        let datatype = self.transfer.target_datatype;
        // SAFETY: the type is kept.
        if !self.text.is_empty() || unsafe { (*datatype).flags } & DATATYPE_PREDEFINED != 0 {
            return;
        }
        let encode = window.calls().datatype_encode;
        let mut text = vec![0; 256];
        loop {
            // SAFETY: there is so much room.
            let len = unsafe { encode(datatype, text.as_mut_ptr().cast(), text.len()) };
            let fits = len <= text.len();
            text.resize(len, 0);
            if fits {
                break;
            }
        }
        self.text_goes_ahead = text.len() > packet / 2;
        self.text = text;
    }

    /// What describes the target's type.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Bytes that a packet's data may have.
    fn room(&self, packet: usize) -> u64 {
        let text = if self.text_goes_ahead { 0 } else { self.text.len() };
        (packet - HEADER - text) as u64
    }

    /// Bytes of each of the target's that a packet carries.
    fn chunk(&self, packet: usize) -> u64 {
        let room = self.room(packet);
        (room - room % self.part).max(self.part).min(self.len - self.position)
    }

    /// Whether it is one packet.
    pub fn fits(&self, packet: usize) -> bool {
        self.is_new() && !self.text_goes_ahead && self.chunk(packet) == self.len
    }

    /// Whether the next packet is the last one.
    pub fn is_last(&self, packet: usize) -> bool {
        self.position + self.chunk(packet) >= self.len
    }

    /// The header of the next packet.
    pub fn header(&self, packet: usize) -> Header {
        let transfer = &self.transfer;
        let (inline, before) = match self.text_goes_ahead {
            true => (0, self.text.len()),
            false => (self.text.len(), 0),
        };
        // SAFETY: types and operations stay.
        let (predefined, op) = unsafe {
            let op = transfer.op.as_ref().map_or(0, |op| op.predefined);
            let predefined =
                if self.text.is_empty() { (*transfer.target_datatype).predefined } else { 0 };
            // Numbers of the ABI have ten bits.
            (predefined as u16, op as u16)
        };
        let len = self.chunk(packet);
        let more = More {
            count: transfer.target_count,
            position: self.position,
            type_len: inline as u32,
            type_before: before as u32,
        };
        let short = predefined != 0 && len == self.whole;
        Header {
            operation: transfer.kind as u8,
            predefined,
            op,
            len: len as u32,
            offset: transfer.offset,
            more: (!short).then_some(more),
            ..Header::new(Kind::Operation)
        }
    }

    /// What follows the header, which `header` gave: where it lies, or in `scratch`, which is empty. The part counts
    /// as sent.
    ///
    /// # Errors
    /// The origin's data ends early.
    pub fn data(&mut self, header: &Header, scratch: &mut Vec<u8>) -> Result<Payload, Failure> {
        let (len, text) = (header.len as usize, header.more.map_or(0, |more| more.type_len));
        let position = self.position;
        self.position += len as u64;
        let swap = self.transfer.kind == OSC_COMPARE_SWAP;
        if !swap && text == 0 {
            match &self.from {
                Data::None => return Ok(Payload::NONE),
                Data::Block(first) => {
                    let from = first.wrapping_add(position as usize).cast_const();
                    return Ok(Payload { from, len });
                }
                Data::Walk(_) => {}
            }
        }
        if text > 0 {
            scratch.extend_from_slice(&self.text);
        }
        match &mut self.from {
            Data::None => {}
            // SAFETY: the program's data is there until the operation is complete.
            Data::Block(first) => scratch.extend_from_slice(unsafe {
                core::slice::from_raw_parts(first.wrapping_add(position as usize), len)
            }),
            // SAFETY: as above; there is room.
            Data::Walk(from) => unsafe {
                scratch.reserve(len);
                let packed = walk::pack(from, scratch.as_mut_ptr().add(scratch.len()), len);
                scratch.set_len(scratch.len() + packed);
                if packed != len {
                    return Err("the origin's data ends early".into());
                }
            },
        }
        if swap {
            // SAFETY: there is an element of the type.
            let compare = unsafe { core::slice::from_raw_parts(self.transfer.compare.cast(), len) };
            scratch.extend_from_slice(compare);
        }
        Ok(Payload::of(scratch))
    }

    /// The next part of what it fetches has come, or an error. False if it is not of the right length.
    pub fn take(&mut self, header: &Header, data: &[u8], len: u32) -> bool {
        let error = header.error();
        if error == OK && data.len() != len as usize {
            return false;
        }
        let at = self.fetched as usize;
        self.fetched += u64::from(len);
        if error != OK {
            self.error = if self.error == OK { error } else { self.error };
            return true;
        }
        match &mut self.to {
            Data::None => {}
            // SAFETY: the program's memory is there until the operation is complete.
            Data::Block(first) => unsafe {
                let to = first.wrapping_add(at);
                core::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len());
            },
            // SAFETY: as above.
            Data::Walk(to) => unsafe {
                walk::unpack(to, data.as_ptr(), data.len());
            },
        }
        true
    }

    /// Whether all that it fetches has come.
    pub fn is_fetched(&self) -> bool {
        self.fetched >= self.len
    }

    /// It is complete at the origin. What its request does not say, the synchronisation has to.
    pub fn complete(mut self, error: Status) -> Status {
        let error = if self.error == OK { error } else { self.error };
        self.kept.clear();
        if self.request.is_null() {
            return error;
        }
        // SAFETY: made with the operation, and completed once.
        unsafe { requests::complete(self.request, error) };
        OK
    }
}
