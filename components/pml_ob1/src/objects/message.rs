//! A message that arrived.

use cairn_framework::abi::receive::Received;
use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::btl::BtlModule;

use crate::objects::kept::Kept;
use crate::objects::rail::Held;
use crate::wire::{self, kind};

/// A message that arrived, in place or kept.
pub struct Incoming<'a> {
    /// What its header says, if it is one that is matched. The peer may change what lies at `data`
    /// at any time, so that is read only once.
    pub header: wire::Match,
    /// Header and payload.
    pub data: *const u8,
    /// Bytes of both, at least as many as the kind's header has.
    pub len: usize,
    /// The device it came in by.
    pub module: *const BtlModule,
    /// The instance whose lock is held.
    pub held: Held<'a>,
    /// Whether its payload is there.
    pub rest: Rest<'a>,
}

/// Whether the payload of a message is there. Its header is.
#[derive(Clone, Copy)]
pub enum Rest<'a> {
    /// All of it.
    There,
    /// It is still being written.
    Coming(&'a Received),
    /// Not all, and no more will come.
    Lost,
}

impl Rest<'_> {
    /// Waits for all of it. False if that will not come.
    #[inline]
    pub fn has_come(&self) -> bool {
        match self {
            Self::There => true,
            Self::Coming(received) => more(received, received.len - 1) == received.len,
            Self::Lost => false,
        }
    }
}

/// As [`BtlOps::wait_for_more`], for a message whose receiver this is.
///
/// [`BtlOps::wait_for_more`]: cairn_framework::abi::btl::BtlOps::wait_for_more
#[inline]
pub fn more(received: &Received, have: usize) -> usize {
    // SAFETY: the transport's message, which is valid during the call of its receiver; the host has completed the
    // table.
    unsafe {
        let module = &*received.module;
        let there = ((*module.ops).wait_for_more.unwrap_unchecked())(module, received, have);
        there.min(received.len)
    }
}

impl<'a> Incoming<'a> {
    /// A kept message.
    pub fn of_kept(kept: *mut Kept, held: Held<'a>) -> Self {
        // SAFETY: the holder of a kept message may read it.
        let (len, module, lost) = unsafe { ((*kept).len, (*kept).module, (*kept).lost) };
        let rest = if lost { Rest::Lost } else { Rest::There };
        let data = Kept::data(kept);
        // SAFETY: no message is shorter.
        let header = unsafe { wire::Match::read(data) };
        Self { header, data, len, module, held, rest }
    }

    /// Its kind.
    #[inline]
    pub fn kind(&self) -> u8 {
        wire::kind_of(self.header.word)
    }

    /// The bytes that the sender of a message of this kind, which is one that is matched, has for the
    /// receiver.
    #[inline]
    pub fn bytes(&self, kind: u8) -> u64 {
        match kind {
            kind::MATCH => (self.len - wire::Match::SIZE) as u64,
            kind::LONG => (self.len - wire::DATA) as u64,
            kind::SYNC => (self.len - wire::Sync::SIZE) as u64,
            // SAFETY: messages are as long as their headers.
            _ => unsafe { wire::Rendezvous::read(self.data).length },
        }
    }

    /// For choosing a copy of the counters.
    #[inline]
    pub fn block(&self) -> u32 {
        self.held.map_or(0, |cri| cri.index)
    }
}

/// What a receive of a kept message would say.
///
/// # Safety
/// The message is valid.
pub unsafe fn status_of(kept: *mut Kept) -> MessageStatus {
    // Lengths were checked when it arrived.
    let message = Incoming::of_kept(kept, None);
    let bytes = message.bytes(message.kind());
    let header = &message.header;
    MessageStatus { source: header.source as i32, tag: header.tag, error: OK, cancelled: 0, bytes }
}
