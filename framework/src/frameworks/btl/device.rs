//! What a transport in Rust is built of: its devices with their pools of CRIs, and what its functions are
//! given.

use core::cell::UnsafeCell;
use core::ops::Deref;
use std::ffi::CString;

use super::*;
use crate::abi::host::PROGRESS_SELDOM;
use crate::abi::lock::BiasedGuard;
use crate::abi::pool::CriPool;
use crate::abi::receive::{RECEIVE_TAGS, RECEIVED_CONTIGUOUS, ReceiveEntry, Received};
use crate::author::HostHandle;

impl BtlModule {
    /// A device that can do nothing yet. What it is and can is said by the fields that a transport sets,
    /// in a struct expression of which this is the rest.
    pub const fn named(name: &'static CStr) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            exclusivity: BTL_EXCLUSIVITY_NETWORK,
            capabilities: 0,
            name: name.as_ptr(),
            state: core::ptr::null_mut(),
            pool: core::ptr::null_mut(),
            ops: core::ptr::null(),
            instance: core::ptr::null_mut(),
            immediate_limit: 0,
            packed_limit: 0,
            key_size: 0,
            eager_limit: 0,
            put_limit: 0,
            get_limit: 0,
            get_alignment: 1,
            latency: 0,
            bandwidth: 0,
            rma_from: 0,
            push_limit: 0,
            push_limit_recent: 0,
        }
    }
}

/// A CRI of a transport in Rust: what others see of it, and the transport's part `C`.
///
/// A reference to one is had with its lock held, or by the one thread there is; see [`Device::hold`].
#[repr(C, align(128))]
#[derive(Debug)]
pub struct OwnCri<C> {
    head: Cri,
    own: C,
}

impl<C> OwnCri<C> {
    /// One with this place in its pool.
    pub fn new(index: u32, own: C) -> Self {
        Self { head: Cri::new(index), own }
    }

    /// What others see.
    #[inline(always)]
    pub fn head(&self) -> &Cri {
        &self.head
    }

    /// Its place in the pool.
    #[inline(always)]
    pub fn index(&self) -> usize {
        self.head.index as usize
    }
}

impl<C> Deref for OwnCri<C> {
    type Target = C;

    #[inline(always)]
    fn deref(&self) -> &C {
        &self.own
    }
}

/// A CRI while its lock is held.
pub struct HeldCri<'a, C> {
    cri: &'a OwnCri<C>,
    _held: BiasedGuard<'a>,
}

impl<C> Deref for HeldCri<'_, C> {
    type Target = OwnCri<C>;

    fn deref(&self) -> &OwnCri<C> {
        self.cri
    }
}

/// A device: its state ([`Btl::State`], to which it dereferences), what others see of it, and its CRIs.
pub struct Device<T: Btl> {
    state: T::State,
    /// Written by the host until the device is used.
    view: UnsafeCell<BtlModule>,
    /// The same.
    pool: UnsafeCell<CriPool>,
    cris: Box<[OwnCri<T::Cri>]>,
    receivers: &'static [ReceiveEntry; RECEIVE_TAGS],
    _name: CString,
}

// SAFETY: view and pool are constant once others see them, the state may be shared, and a CRI's part is used
// by one thread at a time, which has its lock.
unsafe impl<T: Btl> Send for Device<T> {}
// SAFETY: see `Send`.
unsafe impl<T: Btl> Sync for Device<T> {}

impl<T: Btl> Deref for Device<T> {
    type Target = T::State;

    #[inline(always)]
    fn deref(&self) -> &T::State {
        &self.state
    }
}

impl<T: Btl> Device<T> {
    /// What others see of it.
    #[inline(always)]
    pub fn view(&self) -> &BtlModule {
        // SAFETY: constant once the device is used.
        unsafe { &*self.view.get() }
    }

    /// The pool of its CRIs.
    pub fn pool(&self) -> &CriPool {
        // SAFETY: as for the view.
        unsafe { &*self.pool.get() }
    }

    /// How many CRIs it has.
    pub fn cri_count(&self) -> usize {
        self.cris.len()
    }

    /// Takes a CRI's lock. Not from a function that got a CRI.
    pub fn hold(&self, index: usize) -> HeldCri<'_, T::Cri> {
        let cri = &self.cris[index];
        HeldCri { cri, _held: cri.head.guard() }
    }

    /// The same if the lock is free; from anywhere.
    pub fn try_hold(&self, index: usize) -> Option<HeldCri<'_, T::Cri>> {
        let cri = &self.cris[index];
        cri.head.try_guard().map(|held| HeldCri { cri, _held: held })
    }

    /// Takes the locks of all CRIs, one after the other.
    pub fn hold_each(&self) -> impl Iterator<Item = HeldCri<'_, T::Cri>> {
        (0..self.cris.len()).map(|index| self.hold(index))
    }

    /// What the receiver of a message is to get, but for the message itself.
    #[inline(always)]
    pub fn received(&self, cri: &OwnCri<T::Cri>, endpoint: Option<&T::Endpoint>) -> Received {
        Received {
            struct_size: size_of::<Received>() as u32,
            flags: RECEIVED_CONTIGUOUS,
            module: self.view.get(),
            cri: (&raw const cri.head).cast_mut(),
            endpoint: endpoint.map_or(core::ptr::null_mut(), pointer),
            data: core::ptr::null(),
            len: 0,
        }
    }

    /// Who gets messages with this tag.
    #[inline(always)]
    pub fn receiver(&self, tag: u8) -> &'static ReceiveEntry {
        &self.receivers[usize::from(tag)]
    }

    /// Hands a message, header and payload, to its receiver. `message` is aligned to 8 bytes. From
    /// [`Btl::progress`] only.
    #[inline(always)]
    pub fn deliver(
        &self,
        cri: &OwnCri<T::Cri>,
        endpoint: Option<&T::Endpoint>,
        tag: u8,
        message: &[u8],
    ) {
        let mut received = self.received(cri, endpoint);
        received.data = message.as_ptr().cast();
        received.len = message.len();
        // SAFETY: everything lives during the call.
        unsafe { self.receiver(tag).call(&received) };
    }
}

/// An endpoint as others have it.
#[inline(always)]
pub fn pointer<E>(endpoint: &E) -> *mut Endpoint {
    (&raw const *endpoint).cast_mut().cast()
}

/// A device as its transport keeps it. Its address is fixed from the start, because the host and the
/// protocol layer keep it.
#[repr(transparent)]
pub struct DeviceBox<T: Btl> {
    view: *mut BtlModule,
    device: core::marker::PhantomData<Box<Device<T>>>,
}

// SAFETY: see `Device`.
unsafe impl<T: Btl> Send for DeviceBox<T> {}
// SAFETY: see `Send`.
unsafe impl<T: Btl> Sync for DeviceBox<T> {}

impl<T: Btl> DeviceBox<T> {
    /// Makes a device with these CRIs, at least one, and gives the pool of them to the host. The numbers
    /// of `view` hold; a capability for which it has a limit that is not 0 need not be said.
    pub fn new(
        host: HostHandle,
        view: BtlModule,
        state: T::State,
        cris: impl IntoIterator<Item = T::Cri>,
    ) -> Result<Self, Failure> {
        let cris: Box<[_]> = (0..).zip(cris).map(|(index, own)| OwnCri::new(index, own)).collect();
        // SAFETY: the name is a constant string.
        let name = unsafe { crate::text::borrow(view.name) }.unwrap_or("?");
        let name = match host.name() {
            component if component.ends_with(name) => component.into(),
            component => format!("{component}/{name}"),
        };
        let name = crate::text::to_c(&name);
        let pool = CriPool { progress: Some(progress::<T>), ..CriPool::of(&name, &cris) };
        let (receivers, pool) = (host.receive_table(), pool.into());
        let device = Device { state, view: view.into(), pool, cris, receivers, _name: name };
        let device: *mut Device<T> = Box::into_raw(Box::new(device));
        // SAFETY: made just now; no other thread has it yet. The pool is complete, and it and its CRIs
        // live until `drop` has taken it back.
        unsafe {
            let (view, pool) = ((*device).view.get(), (*device).pool.get());
            let made = Self { view, device: core::marker::PhantomData };
            (*view).state = device.cast();
            (*view).pool = pool;
            (*view).instance = host.instance();
            (*view).capabilities |= (*view).limited();
            (*pool).module = device.cast();
            host.pool_add(pool)?;
            Ok(made)
        }
    }
}

impl<T: Btl> DeviceBox<T> {
    /// Has [`Btl::seldom`] called now and then.
    pub fn look_seldom(&self) -> Result<(), Failure> {
        let device = self.view().state;
        // SAFETY: the device is there until `drop` has taken it back.
        unsafe { self.host().progress_add(seldom::<T>, device, PROGRESS_SELDOM) }
    }

    fn host(&self) -> HostHandle {
        // SAFETY: `new` got it.
        unsafe { HostHandle::new(self.view().instance) }
    }
}

impl<T: Btl> Deref for DeviceBox<T> {
    type Target = Device<T>;

    #[inline(always)]
    fn deref(&self) -> &Device<T> {
        // SAFETY: `new` made it, and `drop` frees it.
        unsafe { &*(*self.view).state.cast() }
    }
}

impl<T: Btl> Drop for DeviceBox<T> {
    fn drop(&mut self) {
        let (device, pool) = (self.view().state, self.view().pool);
        let host = self.host();
        // The host has done that if the component is closed, and has not if it can't be opened.
        host.progress_remove(seldom::<T>, device);
        host.pool_remove(pool);
        // SAFETY: `new` boxed it, and a device that is dropped is not used any more.
        unsafe { drop(Box::from_raw(device.cast::<Device<T>>())) };
    }
}

/// The progress function of a device's pool.
unsafe extern "C" fn progress<T: Btl>(device: *mut c_void, cri: *mut Cri) -> u32 {
    // SAFETY: the pool says so of the device, and has its CRIs; the caller holds this one's lock.
    let (device, cri) = unsafe { (&*device.cast::<Device<T>>(), &*cri.cast::<OwnCri<T::Cri>>()) };
    author::no_unwind::<T, _, _>(|| T::progress(device, cri), || "progress")
}

unsafe extern "C" fn seldom<T: Btl>(device: *mut c_void) -> u32 {
    // SAFETY: `look_seldom` passes a device.
    let device = unsafe { &*device.cast::<Device<T>>() };
    author::no_unwind::<T, _, _>(|| T::seldom(device), || "seldom")
}

/// Where an operation takes place: on a device, by a CRI whose lock is held, to a peer.
pub struct Way<'a, T: Btl> {
    /// The device.
    pub device: &'a Device<T>,
    /// The CRI.
    pub cri: &'a OwnCri<T::Cri>,
    /// The peer.
    pub endpoint: &'a T::Endpoint,
}

impl<T: Btl> Clone for Way<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Btl> Copy for Way<'_, T> {}

impl<'a, T: Btl> Way<'a, T> {
    /// # Safety
    /// All three are of `T`, and the CRI's lock is held.
    #[inline(always)]
    pub(super) unsafe fn new(module: &'a BtlModule, cri: &'a Cri, endpoint: *mut Endpoint) -> Self {
        // SAFETY: promised by the caller; see `device` and `own`.
        unsafe { Self { device: device(module), cri: own::<T>(cri), endpoint: &*endpoint.cast() } }
    }
}

/// # Safety
/// The module is one of `T`.
#[inline(always)]
pub(super) unsafe fn device<T: Btl>(module: &BtlModule) -> &Device<T> {
    // SAFETY: `DeviceBox::new` stored it, and the transport keeps it while it is open.
    unsafe { &*module.state.cast() }
}

/// # Safety
/// The CRI is one of `T`, and its lock is held.
#[inline(always)]
pub(super) unsafe fn own<T: Btl>(cri: &Cri) -> &OwnCri<T::Cri> {
    // SAFETY: every CRI of the pool is the beginning of one.
    unsafe { &*core::ptr::from_ref(cri).cast() }
}

/// What is called, once, when an operation that was queued is over.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion(*mut BtlCompletion);

// SAFETY: a completion may be called on any thread.
unsafe impl Send for Completion {}

impl Completion {
    /// # Safety
    /// The completion stays until it is called, if it ever is.
    #[inline(always)]
    pub unsafe fn new(completion: *mut BtlCompletion) -> Self {
        Self(completion)
    }

    /// Where it lies, by which it can be told from others.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// Calls it. From [`Btl::progress`] only.
    pub fn call(self, status: Status) {
        // SAFETY: see `new`.
        unsafe {
            if let Some(done) = (*self.0).done {
                done(self.0, status);
            }
        }
    }
}

impl BtlWake {
    /// A word of which `expected` means that nothing has happened yet.
    pub fn word(word: *const AtomicU32, expected: u32) -> Self {
        Self { fd: -1, reserved: 0, word, expected }
    }

    /// A descriptor that becomes readable.
    pub fn fd(fd: c_int) -> Self {
        Self { fd, ..Self::word(core::ptr::null(), 0) }
    }
}

impl BtlPacked {
    /// Writes the payload to `place` and returns how many bytes that are, at most `payload_len`.
    ///
    /// # Safety
    /// There is room for so many bytes; the function and its context fit each other.
    #[inline(always)]
    pub unsafe fn pack_to(&self, place: *mut u8) -> usize {
        let len = self.payload_len as usize;
        match self.pack {
            // SAFETY: promised by the caller.
            Some(pack) if len > 0 => unsafe { pack(self.context, place.cast(), len).min(len) },
            _ => 0,
        }
    }
}

/// The failure of a message or transfer that is longer than the device's limit.
#[cold]
pub fn too_long(what: &str, len: usize, limit: usize) -> Failure {
    Failure::new(ERR_ARGUMENT, format!("{what} of {len} bytes; at most {limit} are allowed"))
}
