//! How packets get to a rank: an endpoint, and what could not be sent yet.
//!
//! All packets of a window to a rank go through one CRI of the first transport that reaches it, which the process's
//! strategy gives to the window. So they arrive in order wherever a CRI keeps order.

use std::collections::VecDeque;
use std::ffi::c_void;

use cairn_framework::abi::btl::{
    BTL_HEADER_ROOM, BTL_SEND_IMMEDIATE, BtlMessage, BtlModule, BtlPacked, Endpoint,
};
use cairn_framework::abi::cri::{CRI_RMA, CriAsker};
use cairn_framework::abi::peer::Route;
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{DONE, NO_RESOURCES};
use cairn_framework::author::{Failure, HostHandle};

use crate::wire::HEADER;

/// The tag of packets in the receive table.
pub const TAG: u8 = 65;

/// The CRI whose lock the calling thread holds because it is in a callback of its transport; null in other threads.
pub type Held = *const Cri;

/// The way to a rank.
pub struct Link {
    module: &'static BtlModule,
    endpoint: *mut Endpoint,
    cri: &'static Cri,
    /// Whether locks are needed.
    threads: bool,
    /// Most bytes of header and payload in `send_immediate`; 0 without it.
    immediate: usize,
    /// What waits for room, in order.
    waiting: VecDeque<Box<[u8]>>,
}

/// Bytes that follow a header.
#[derive(Clone, Copy)]
pub struct Payload {
    pub from: *const u8,
    pub len: usize,
}

impl Payload {
    pub const NONE: Self = Self { from: core::ptr::null(), len: 0 };

    pub fn of(bytes: &[u8]) -> Self {
        Self { from: bytes.as_ptr(), len: bytes.len() }
    }
}

impl Link {
    /// The one over a route.
    ///
    /// # Errors
    /// The transport does not send messages.
    pub fn new(
        host: HostHandle,
        route: &Route,
        scope: &Scope,
        peer: u32,
        threads: bool,
    ) -> Result<Self, Failure> {
        // SAFETY: devices stay as long as the component system, which the component does not outlive, and have a pool.
        let (module, pool): (&'static BtlModule, &'static CriPool) =
            unsafe { (&*route.module, &*(*route.module).pool) };
        let immediate = match module.capabilities & BTL_SEND_IMMEDIATE {
            0 => 0,
            _ => module.immediate_limit as usize,
        };
        if let Err(reason) = module.check_limits() {
            return Err(Failure::unavailable(reason));
        }
        let cri = if threads { assigned(host, pool, scope, peer) } else { pool.cri(0) };
        let endpoint = route.endpoint;
        Ok(Self { module, endpoint, cri, threads, immediate, waiting: VecDeque::new() })
    }

    /// Most bytes of a packet. What one message takes may be more, and fill the transport's buffers.
    pub fn packet(&self) -> usize {
        (self.module.eager_limit as usize).saturating_add(HEADER).max(BTL_HEADER_ROOM)
    }

    /// Packets that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Sends a packet, or keeps it behind those that wait. Whether it was sent.
    ///
    /// # Errors
    /// It can't be sent: nothing comes after it.
    ///
    /// # Safety
    /// The payload is there, and together with the header no longer than a packet.
    pub unsafe fn send(
        &mut self,
        held: Held,
        header: &[u8],
        payload: Payload,
    ) -> Result<bool, Failure> {
        // SAFETY: promised by the caller.
        if self.waiting.is_empty() && unsafe { self.attempt(held, header, payload) }? {
            return Ok(true);
        }
        let mut packet = Vec::with_capacity(header.len() + payload.len);
        packet.extend_from_slice(header);
        if payload.len > 0 {
            // SAFETY: promised by the caller.
            packet.extend_from_slice(unsafe {
                core::slice::from_raw_parts(payload.from, payload.len)
            });
        }
        self.waiting.push_back(packet.into());
        Ok(false)
    }

    /// Sends what waits, as far as there is room. How much that was.
    ///
    /// # Errors
    /// As for `send`.
    pub fn drain(&mut self, held: Held) -> Result<u32, Failure> {
        let mut sent = 0;
        while let Some(packet) = self.waiting.front() {
            // SAFETY: the packet has no payload beside it.
            if !unsafe { self.attempt(held, packet, Payload::NONE) }? {
                break;
            }
            self.waiting.pop_front();
            sent += 1;
        }
        Ok(sent)
    }

    /// Whether a packet was sent; otherwise there is no room, or another thread is busy where this one must not wait.
    ///
    /// # Safety
    /// As for `send`.
    unsafe fn attempt(&self, held: Held, header: &[u8], payload: Payload) -> Result<bool, Failure> {
        let _guard = match () {
            () if !self.threads || core::ptr::eq(held, self.cri) => None,
            () if held.is_null() => Some(self.cri.guard()),
            // Another CRI's lock is held, so this one may be waited for in vain.
            () => match self.cri.try_guard() {
                Some(guard) => Some(guard),
                None => return Ok(false),
            },
        };
        let (header_len, payload_len) = (header.len() as u32, payload.len as u32);
        let (header_place, from) = (header.as_ptr().cast(), payload.from.cast::<c_void>());
        // SAFETY: the host has set the table, which is complete.
        let ops = unsafe { &*self.module.ops };
        let outcome = if header.len() + payload.len <= self.immediate {
            let message = BtlMessage {
                header: header_place,
                payload: from,
                header_len,
                payload_len,
                tag: TAG,
            };
            // SAFETY: the CRI is held; promised by the caller.
            unsafe {
                let send = ops.send_immediate.unwrap_unchecked();
                send(self.module, self.cri, self.endpoint, &message)
            }
        } else {
            let message = BtlPacked {
                header: header_place,
                pack: Some(copy),
                context: from.cast_mut(),
                header_len,
                payload_len,
                tag: TAG,
            };
            // SAFETY: as above.
            unsafe {
                let send = ops.send_packed.unwrap_unchecked();
                send(self.module, self.cri, self.endpoint, &message)
            }
        };
        match outcome {
            DONE => Ok(true),
            NO_RESOURCES => Ok(false),
            error => Err(Failure::new(error, "a message of a window was not sent")),
        }
    }
}

/// Packs what lies in one piece.
unsafe extern "C" fn copy(from: *mut c_void, to: *mut c_void, len: usize) -> usize {
    if len > 0 {
        // SAFETY: the transport has room for so many bytes, which `attempt` was given.
        unsafe { core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), len) };
    }
    len
}

/// The CRI that the process's strategy gives to a window, or to an operation of the calling thread on it.
pub fn assigned<'a>(host: HostHandle, pool: &'a CriPool, scope: &Scope, peer: u32) -> &'a Cri {
    if pool.count == 1 {
        return pool.cri(0);
    }
    let asker = CriAsker { thread: host.thread(), scope, peer, operation: CRI_RMA };
    // SAFETY: `pool_add` gave the pool a strategy, whose table is complete.
    let index = unsafe { ((*pool.strategy).assign.unwrap_unchecked())(pool, &asker) };
    pool.cri(index)
}
