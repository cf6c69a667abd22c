//! Another process of the job, as transports and protocols see it.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use super::btl::{BtlModule, Endpoint};

/// One way to reach a peer: a device and an endpoint on it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The device.
    pub module: *const BtlModule,
    /// The transport's endpoint on it.
    pub endpoint: *mut Endpoint,
}

/// [`Peer::flags`]: it is this process.
pub const PEER_SELF: u32 = 1;
/// [`Peer::flags`]: it runs on this node.
pub const PEER_LOCAL: u32 = 2;
/// [`Peer::flags`]: it failed; operations that need it end with `CAIRN_ERR_PEER`. Set by the host, at
/// any time and for good, when a transport has said so.
pub const PEER_FAILED: u32 = 4;

/// Another process, or this one. Allocated by the host, one for each process that is known.
#[repr(C)]
#[derive(Debug)]
pub struct Peer {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Its rank in its job.
    pub rank: u32,
    /// Number of its job in this process; 0 is our own.
    pub job: u32,
    /// `CAIRN_PEER_*`.
    pub flags: AtomicU32,
    /// Its node's number in the job.
    pub node: u32,
    /// Routes at `routes`; 0 until the host's `peer_connect` has found some. Read with Acquire.
    pub route_count: AtomicU32,
    /// The ways to reach it, best first: by latency, then bandwidth. Valid once there are some.
    pub routes: UnsafeCell<*const Route>,
    /// The point-to-point component's own: sequence numbers, queues.
    pub pml: *mut c_void,
}

impl Peer {
    /// Whether one of `CAIRN_PEER_*` is set.
    #[inline]
    pub fn is(&self, flag: u32) -> bool {
        // Relaxed: nothing else is read because of it.
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    /// The ways to reach it; none until it was connected.
    #[inline]
    pub fn routes(&self) -> &[Route] {
        // Acquire pairs with the Release with which the host publishes the routes.
        let count = self.route_count.load(Ordering::Acquire) as usize;
        if count == 0 {
            return &[];
        }
        // SAFETY: the host publishes that many and changes the pointer no more; they stay as long
        // as the peer.
        unsafe { core::slice::from_raw_parts(*self.routes.get(), count) }
    }
}

// SAFETY: constant once the host has made it, but for the flags and routes, which are atomic, and
// `pml`, whose owner protects it.
unsafe impl Sync for Peer {}
// SAFETY: see `Sync`.
unsafe impl Send for Peer {}
