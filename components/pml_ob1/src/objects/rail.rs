//! A rail: a device of a transport and the endpoint on it by which a peer is reached.

use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};

use cairn_framework::abi::datatype::Cursor;
use cairn_framework::abi::peer::Route;
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{
    DONE, ERR_OTHER, ERR_UNSUPPORTED, NO_RESOURCES, OutcomeCode, QUEUED, Status,
};
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::btl::{
    BTL_HEADER_ROOM, BTL_LOCAL, BTL_LOCAL_UNREGISTERED, BTL_MAX_KEY, BTL_NEEDS_REGISTRATION,
    BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, BtlMessage, BtlModule, BtlOps, BtlPacked, Endpoint,
};
use cairn_framework::frameworks::cri::{CRI_SEND, CriAsker};

use crate::mode::Mode;
use crate::objects::data::{Data, pack};
use crate::wire;
/// The instance whose lock this thread holds, because it is in a callback of its transport.
pub type Held<'a> = Option<&'a Cri>;

/// A CRI whose lock this thread has taken.
pub struct CriGuard<'a, M: Mode> {
    /// The CRI.
    pub cri: &'a Cri,
    _guard: M::Guard<'a>,
}

impl<'a, M: Mode> CriGuard<'a, M> {
    /// Takes this CRI, with no CRI's lock held.
    #[inline(always)]
    pub fn new(cri: &'a Cri) -> Self {
        Self { cri, _guard: M::guard(cri) }
    }
}

/// `send_immediate` of a transport.
type SendImmediate =
    unsafe extern "C" fn(&BtlModule, &Cri, *mut Endpoint, &BtlMessage) -> OutcomeCode;

/// Whether messages of ours fit: all of them rely on the room for their header.
fn usable(module: &BtlModule) -> Result<(), Failure> {
    module.check_limits().map_err(|reason| {
        // SAFETY: a device has a name.
        let name = unsafe { CStr::from_ptr(module.name) }.to_string_lossy();
        Failure::new(ERR_UNSUPPORTED, format!("ob1 can't use the device {name}: {reason}"))
    })
}

/// A rail: a device and an endpoint on it, with the numbers that each message looks at.
pub struct Rail {
    /// The device.
    pub module: *const BtlModule,
    /// The endpoint.
    pub endpoint: *mut Endpoint,
    /// Its function for short messages.
    send_immediate: SendImmediate,
    /// The device's first instance.
    cri: *const Cri,
    /// Instances of the device.
    instances: u32,
    /// Most bytes of header and payload in `send_immediate`; 0 without it.
    immediate: usize,
    /// Most bytes of header and payload in `send_packed`; 0 without it.
    packed: usize,
    /// Most bytes of header and payload in one message, whichever function takes it. It may become less.
    frame: AtomicUsize,
}

// SAFETY: devices, endpoints and instances are made for use by any thread.
unsafe impl Send for Rail {}
// SAFETY: see `Send`.
unsafe impl Sync for Rail {}

impl Rail {
    /// The rail of a route.
    pub fn new(route: &Route) -> Result<Self, Failure> {
        // SAFETY: routes lead to devices that stay.
        let module = unsafe { &*route.module };
        // SAFETY: a device has a pool.
        let pool = unsafe { &*module.pool };
        let can = |bit, limit: u32| if module.capabilities & bit != 0 { limit as usize } else { 0 };
        let immediate = can(BTL_SEND_IMMEDIATE, module.immediate_limit);
        let packed = can(BTL_SEND_PACKED, module.packed_limit);
        usable(module)?;
        // SAFETY: the endpoint is the route's.
        let most = unsafe { message_limit(module, route.endpoint) };
        if (most as u64) < module.eager_limit.saturating_add(BTL_HEADER_ROOM as u64) {
            let text =
                format!("an endpoint takes {most} bytes, fewer than its device's eager limit");
            return Err(Failure::unavailable(text));
        }
        Ok(Self {
            module,
            endpoint: route.endpoint,
            // SAFETY: the host has set the table, which is complete.
            send_immediate: unsafe { (*module.ops).send_immediate.unwrap_unchecked() },
            cri: pool.cri(0),
            instances: pool.count,
            immediate: immediate.min(most),
            packed: packed.min(most),
            frame: module.message_limit().min(most).into(),
        })
    }

    /// Most bytes of header and payload in `send_immediate`; 0 without it.
    pub fn immediate_limit(&self) -> usize {
        self.immediate
    }

    /// Most bytes of header and payload in one message.
    #[inline]
    pub fn frame(&self) -> usize {
        // Relaxed: the number alone is what counts.
        self.frame.load(Ordering::Relaxed)
    }

    /// A message of so many bytes was refused: whether the endpoint takes only shorter ones now.
    #[cold]
    pub fn takes_less(&self, len: usize) -> bool {
        // SAFETY: the endpoint is the route's.
        let most = unsafe { message_limit(self.device(), self.endpoint) };
        self.frame.fetch_min(most, Ordering::Relaxed);
        len > most
    }

    /// The device.
    #[inline]
    pub fn device(&self) -> &BtlModule {
        // SAFETY: devices stay as long as there are peers.
        unsafe { &*self.module }
    }

    /// The device's instances.
    #[inline]
    pub fn pool(&self) -> &CriPool {
        // SAFETY: a device has a pool.
        unsafe { &*self.device().pool }
    }

    /// The transport's functions.
    #[inline]
    pub fn ops(&self) -> &BtlOps {
        // SAFETY: the host has set the table, which stays.
        unsafe { &*self.device().ops }
    }

    /// Whether the device has all of these capabilities.
    #[inline]
    pub fn can(&self, bits: u64) -> bool {
        self.device().capabilities & bits == bits
    }

    /// Whether memory must be registered for these uses.
    pub fn registers(&self, access: u32) -> bool {
        let free = access == BTL_LOCAL && self.can(BTL_LOCAL_UNREGISTERED);
        self.can(BTL_NEEDS_REGISTRATION) && !free
    }

    /// Bytes of a packed key; 0 where none is needed.
    pub fn key_size(&self) -> usize {
        if self.can(BTL_NEEDS_REGISTRATION) { self.device().key_size as usize } else { 0 }
    }

    /// Whether `cri` is one of this device's.
    pub fn owns(&self, cri: &Cri) -> bool {
        // SAFETY: a device has a pool.
        let pool = unsafe { &*self.device().pool };
        let first = pool.instances.addr();
        let end = first + pool.count as usize * pool.stride;
        (first..end).contains(&(&raw const *cri).addr())
    }

    /// Takes the CRI of the device that is the calling thread's, with no CRI's lock held.
    #[inline(always)]
    pub fn take<'a, M: Mode>(&self, host: HostHandle, scope: &Scope, peer: u32) -> CriGuard<'a, M> {
        if M::THREADED && self.instances > 1 {
            return CriGuard::new(self.assigned(host, scope, peer));
        }
        // SAFETY: CRIs stay as long as their device.
        CriGuard::new(unsafe { &*self.cri })
    }

    /// An instance for a series of operations.
    pub fn choose_cri<M: Mode>(
        &self,
        host: HostHandle,
        scope: &Scope,
        peer: u32,
        held: Held<'_>,
    ) -> *const Cri {
        match held.filter(|held| M::THREADED && self.owns(held)) {
            Some(held) => held,
            None if M::THREADED && self.instances > 1 => self.assigned(host, scope, peer),
            None => self.cri,
        }
    }

    /// Runs `work` with the CRI that is held, if it is this device's, or the calling thread's and, where
    /// that ends with an error, with each of the others: one that can't be used for this peer does not
    /// keep the others from it. `None` when this thread holds another device's CRI and ours is taken, so
    /// that waiting for it could mean a deadlock.
    pub fn with_any_cri<M: Mode>(
        &self,
        host: HostHandle,
        scope: &Scope,
        peer: u32,
        held: Held<'_>,
        mut work: impl FnMut(&Cri) -> Result<Outcome, Status>,
    ) -> Option<Result<Outcome, Status>> {
        let first = match held {
            Some(held) if M::THREADED && !self.owns(held) => self.cri,
            _ => self.choose_cri::<M>(host, scope, peer, held),
        };
        // SAFETY: CRIs stay as long as their device.
        let first = unsafe { &*first };
        let mut result = self.with_this_cri::<M, _>(first, held, || work(first))?;
        if !M::THREADED {
            return Some(result);
        }
        let others = (0..self.instances).map(|index| self.instance(index));
        for cri in others.filter(|cri| !core::ptr::eq(*cri, first)) {
            if result.is_ok() {
                break;
            }
            result = self.with_this_cri::<M, _>(cri, held, || work(cri))?;
        }
        Some(result)
    }

    fn instance(&self, index: u32) -> &Cri {
        self.pool().cri(index)
    }

    /// Runs `work` with that CRI. `None` as for `with_any_cri`.
    pub fn with_this_cri<M: Mode, R>(
        &self,
        cri: &Cri,
        held: Held<'_>,
        work: impl FnOnce() -> R,
    ) -> Option<R> {
        match held {
            Some(held) if core::ptr::eq(held, cri) => Some(work()),
            Some(_) => {
                let _guard = M::try_guard(cri)?;
                Some(work())
            }
            None => {
                let _guard = M::guard(cri);
                Some(work())
            }
        }
    }

    /// The instance that the process's strategy gives to the calling thread.
    fn assigned<'a>(&self, host: HostHandle, scope: &Scope, peer: u32) -> &'a Cri {
        // SAFETY: a device has a pool, and `pool_add` gave it a strategy.
        unsafe {
            let pool = &*self.device().pool;
            let asker = CriAsker { thread: host.thread(), scope, peer, operation: CRI_SEND };
            pool.cri(((*pool.strategy).assign.unwrap_unchecked())(pool, &asker))
        }
    }

    /// Sends a header and `len` bytes of data from `offset` on: `Done`, or `NoResources`, and then
    /// nothing has happened. `walk` is where an earlier call ended, as for [`Data::write`].
    ///
    /// # Safety
    /// The instance is this device's and its lock is held; header and data fit `frame`, and the
    /// data is there.
    #[inline]
    pub unsafe fn push(
        &self,
        cri: &Cri,
        header: &[u8],
        data: &Data,
        offset: u64,
        len: usize,
        walk: &mut Option<Cursor>,
    ) -> Result<Outcome, Status> {
        if data.contiguous && header.len() + len <= self.immediate {
            // SAFETY: promised by the caller.
            return unsafe { self.immediate(wire::TAG_GROWING, cri, header, data.at(offset), len) };
        }
        // SAFETY: as above.
        unsafe { self.pack(cri, header, data, offset, len, walk) }
    }

    /// Sends a header and contiguous data with `send_immediate`.
    ///
    /// # Safety
    /// As for `push`; both together are at most what the function takes.
    #[inline(always)]
    pub unsafe fn immediate(
        &self,
        tag: u8,
        cri: &Cri,
        header: &[u8],
        payload: *const u8,
        len: usize,
    ) -> Result<Outcome, Status> {
        let message = BtlMessage {
            header: header.as_ptr().cast(),
            payload: payload.cast(),
            header_len: header.len() as u32,
            payload_len: len as u32,
            tag,
        };
        // SAFETY: promised by the caller.
        outcome(unsafe { (self.send_immediate)(self.device(), cri, self.endpoint, &message) })
    }

    /// # Safety
    /// As for `push`.
    #[inline(never)]
    unsafe fn pack(
        &self,
        cri: &Cri,
        header: &[u8],
        data: &Data,
        offset: u64,
        len: usize,
        walk: &mut Option<Cursor>,
    ) -> Result<Outcome, Status> {
        let mut packer = Packer {
            from: data.at(offset),
            walk: (!data.contiguous).then(|| {
                walk.filter(|walk| walk.position == offset).unwrap_or(data.cursor(offset))
            }),
        };
        let sent = if header.len() + len <= self.packed {
            let message = BtlPacked {
                header: header.as_ptr().cast(),
                pack: Some(Packer::run),
                context: (&raw mut packer).cast(),
                header_len: header.len() as u32,
                payload_len: len as u32,
                tag: wire::TAG,
            };
            // SAFETY: promised by the caller; the packer lives during the call, which is when it
            // is used; the table is complete.
            outcome(unsafe {
                (self.ops().send_packed.unwrap_unchecked())(
                    self.device(),
                    cri,
                    self.endpoint,
                    &message,
                )
            })?
        } else {
            // A transport that can't pack, or packs only less: it copies from a copy.
            let mut copy = Vec::<u8>::with_capacity(len);
            // SAFETY: the copy has room for them.
            unsafe {
                Packer::run((&raw mut packer).cast(), copy.as_mut_ptr().cast(), len);
                self.immediate(wire::TAG, cri, header, copy.as_ptr(), len)?
            }
        };
        if sent == Outcome::Done && packer.walk.is_some() {
            *walk = packer.walk;
        }
        Ok(sent)
    }

    /// Sends bytes of our own.
    ///
    /// # Safety
    /// The instance is this device's and its lock is held.
    pub unsafe fn push_bytes(&self, cri: &Cri, bytes: &[u8]) -> Result<Outcome, Status> {
        debug_assert!(bytes.len() <= self.frame());
        if bytes.len() <= self.immediate {
            // SAFETY: promised by the caller; nothing besides the header.
            return unsafe { self.immediate(wire::TAG, cri, bytes, core::ptr::null(), 0) };
        }
        let nothing = Data {
            first: core::ptr::null_mut(),
            datatype: core::ptr::null(),
            count: 0,
            bytes: 0,
            contiguous: true,
        };
        // SAFETY: as above.
        unsafe { self.pack(cri, bytes, &nothing, 0, 0, &mut None) }
    }
}

/// Most bytes of a message to an endpoint.
///
/// # Safety
/// The endpoint is one of the device's.
unsafe fn message_limit(module: &BtlModule, endpoint: *mut Endpoint) -> usize {
    // SAFETY: promised by the caller; the host has set the table, which is complete.
    unsafe { ((*module.ops).message_limit.unwrap_unchecked())(module, endpoint) }
}

/// The outcome of a function of a transport that is finished when it returns.
#[inline]
pub fn outcome(code: OutcomeCode) -> Result<Outcome, Status> {
    match code {
        DONE => Ok(Outcome::Done),
        NO_RESOURCES => Ok(Outcome::NoResources),
        QUEUED => Ok(Outcome::Queued),
        error if error < 0 => Err(error),
        _ => Err(ERR_OTHER),
    }
}

/// What a transport's call to `pack` needs.
struct Packer {
    from: *const u8,
    walk: Option<Cursor>,
}

impl Packer {
    unsafe extern "C" fn run(
        context: *mut core::ffi::c_void,
        destination: *mut core::ffi::c_void,
        len: usize,
    ) -> usize {
        // SAFETY: `Rail::pack` passes itself one of these; the transport passes room for the bytes
        // it was told of.
        unsafe {
            let this = &mut *context.cast::<Self>();
            match &mut this.walk {
                Some(walk) => pack(walk, destination.cast(), len),
                None if len > 0 => {
                    core::ptr::copy_nonoverlapping(this.from, destination.cast(), len);
                }
                None => {}
            }
        }
        len
    }
}

/// Room for any key of a peer's memory.
pub type Key = [u8; BTL_MAX_KEY];

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::btl::BTL_HEADER_ROOM;

    use super::*;

    #[test]
    fn a_device_without_room_for_headers_is_refused_with_its_limits() {
        let mut device = BtlModule {
            capabilities: BTL_SEND_PACKED,
            packed_limit: 1000,
            eager_limit: 1000 - BTL_HEADER_ROOM as u64,
            ..BtlModule::named(c"eth7")
        };
        assert_eq!(usable(&device), Ok(()));
        device.eager_limit += 1;
        let refused = usable(&device).unwrap_err();
        assert_eq!(refused.status, ERR_UNSUPPORTED);
        let reason = refused.to_string();
        assert!(
            ["eth7", "eager_limit is 745", "1000"].iter().all(|part| reason.contains(part)),
            "{reason}"
        );
    }
}
