//! Communication domains, NICs, endpoints, registrations.

use std::cell::{Cell, RefCell};
use std::os::unix::net::UnixListener;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::faults::{self, Counter};
use crate::queue::{Queue, Role};
use crate::segment::{self, COMPLETED, FREE, Found, PENDING, REGIONS};
use crate::smsg::Channel;
use crate::target;
use crate::types::*;

/// A communication domain.
pub struct Cdm {
    id: u32,
    domain: u64,
    modes: u32,
    nic: Cell<*mut Nic>,
}

/// A communication domain that is attached to a NIC.
pub struct Nic {
    pub(crate) id: u32,
    pub(crate) address: u32,
    pub(crate) domain: u64,
    pub(crate) dual_events: bool,
    pub(crate) own: Found,
    listener: UnixListener,
    /// Places, and their queues of remote events.
    regions: RefCell<Vec<(u32, *const Queue)>>,
    endpoints: Cell<u32>,
    pub(crate) not_done: RefCell<Counter>,
    pub(crate) no_resource: RefCell<Counter>,
    pub(crate) overrun: RefCell<Counter>,
    pub(crate) recoverable: RefCell<Counter>,
    pub(crate) unrecoverable: RefCell<Counter>,
    pub(crate) stalls: Cell<u32>,
}

/// An endpoint.
pub struct Endpoint {
    nic: *const Nic,
    queue: *const Queue,
    pub(crate) bound: Cell<Option<(u32, u32)>>,
    found: Cell<Option<Found>>,
    events: Cell<Option<(u32, u32)>>,
    /// Posts whose events were not taken yet.
    pub(crate) outstanding: Rc<Cell<u32>>,
    pub(crate) channel: RefCell<Option<Channel>>,
    /// Its datagram: place, and where the answer goes.
    pub(crate) datagram: Cell<Option<(usize, *mut u8, usize)>>,
}

impl Endpoint {
    pub(crate) fn nic(&self) -> &Nic {
        // SAFETY: NICs are destroyed behind their endpoints.
        unsafe { &*self.nic }
    }

    pub(crate) fn queue(&self) -> Option<&Queue> {
        // SAFETY: null, or a queue, which is not destroyed while endpoints refer to it.
        unsafe { self.queue.as_ref() }
    }

    /// Whom it is bound to, if there is such an instance.
    pub(crate) fn target(&self) -> Option<Found> {
        if self.found.get().is_none() {
            let (address, id) = self.bound.get()?;
            self.found.set(segment::find(self.nic().domain, address, id));
        }
        self.found.get()
    }

    /// What stands in local and remote events.
    pub(crate) fn event_ids(&self) -> (u32, u32) {
        let remote_id = self.bound.get().map_or(0, |(_, id)| id);
        self.events.get().unwrap_or((remote_id, self.nic().id))
    }
}

impl Nic {
    /// Takes those that look for this instance out of the socket's queue.
    pub(crate) fn admit(&self) {
        while self.listener.accept().is_ok() {}
    }
}

/// The type of the network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_GetDeviceType(kind: *mut u32) -> Return {
    if kind.is_null() {
        return INVALID_PARAM;
    }
    // SAFETY: not null.
    unsafe { *kind = faults::get().device };
    SUCCESS
}

/// The address of a NIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CdmGetNicAddress(
    device: u32,
    address: *mut u32,
    cpu: *mut u32,
) -> Return {
    if address.is_null() || cpu.is_null() || device != 0 {
        return INVALID_PARAM;
    }
    // SAFETY: not null.
    unsafe { (*address, *cpu) = (faults::get().address, 0) };
    SUCCESS
}

/// Makes a communication domain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CdmCreate(
    id: u32,
    tag: u8,
    cookie: u32,
    modes: u32,
    cdm: *mut *mut Cdm,
) -> Return {
    if cdm.is_null() {
        return INVALID_PARAM;
    }
    let domain = u64::from(tag) << 32 | u64::from(cookie);
    let made = Cdm { id, domain, modes, nic: Cell::new(std::ptr::null_mut()) };
    // SAFETY: not null.
    unsafe { *cdm = Box::into_raw(Box::new(made)) };
    SUCCESS
}

/// Attaches it to a NIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CdmAttach(
    cdm: *mut Cdm,
    device: u32,
    address: *mut u32,
    nic: *mut *mut Nic,
) -> Return {
    // SAFETY: null or a domain.
    let Some(it) = (unsafe { cdm.as_ref() }) else { return INVALID_PARAM };
    if address.is_null() || nic.is_null() || device != 0 {
        return INVALID_PARAM;
    }
    if !it.nic.get().is_null() {
        return INVALID_STATE;
    }
    let Some(own) = segment::own() else { return ERROR_NOMEM };
    let nic_address = faults::get().address;
    // Another one has this id.
    let Some(listener) = segment::claim(it.domain, nic_address, it.id) else {
        return INVALID_STATE;
    };
    let free = own.process.instances.iter().position(|one| {
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        one.clock.compare_exchange(0, 1, success, failure).is_ok()
    });
    let Some(at) = free else { return ERROR_RESOURCE };
    let instance = &own.process.instances[at];
    instance.address.store(nic_address, Ordering::Relaxed);
    instance.id.store(it.id, Ordering::Relaxed);
    instance.domain.store(it.domain, Ordering::Relaxed);
    instance.used.store(1, Ordering::Release);
    let made = Nic {
        id: it.id,
        address: nic_address,
        domain: it.domain,
        dual_events: it.modes & DUAL_EVENTS != 0,
        own: Found { process: own.process, pid: own.id, at },
        listener,
        regions: RefCell::default(),
        endpoints: Cell::new(0),
        not_done: RefCell::default(),
        no_resource: RefCell::default(),
        overrun: RefCell::default(),
        recoverable: RefCell::default(),
        unrecoverable: RefCell::default(),
        stalls: Cell::new(0),
    };
    let made = Box::into_raw(Box::new(made));
    it.nic.set(made);
    // SAFETY: not null.
    unsafe { (*nic, *address) = (made, nic_address) };
    SUCCESS
}

/// Ends it, and its NIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_CdmDestroy(cdm: *mut Cdm) -> Return {
    // SAFETY: null or a domain.
    let Some(it) = (unsafe { cdm.as_ref() }) else { return INVALID_PARAM };
    let nic = it.nic.get();
    // SAFETY: null or a NIC.
    if let Some(attached) = unsafe { nic.as_ref() } {
        if attached.endpoints.get() > 0 {
            return INVALID_STATE;
        }
        let instance = attached.own.instance();
        instance.used.store(0, Ordering::Release);
        {
            let _held = instance.lock.hold();
            instance.datagrams.iter().for_each(|one| one.state.store(FREE, Ordering::Relaxed));
        }
        let regions = attached.regions.borrow().clone();
        regions.into_iter().for_each(|(at, _)| forget(attached, at));
        instance.clock.store(0, Ordering::Release);
        // SAFETY: made by `GNI_CdmAttach`.
        drop(unsafe { Box::from_raw(nic) });
    }
    // SAFETY: made by `GNI_CdmCreate`.
    drop(unsafe { Box::from_raw(cdm) });
    SUCCESS
}

/// Makes an endpoint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpCreate(
    nic: *mut Nic,
    queue: *mut Queue,
    endpoint: *mut *mut Endpoint,
) -> Return {
    // SAFETY: null, a NIC, a queue.
    let (nic, events) = unsafe { (nic.as_ref(), queue.as_ref()) };
    let Some(nic) = nic else { return INVALID_PARAM };
    if endpoint.is_null() || events.is_some_and(|events| !events.plays(Role::Local)) {
        return INVALID_PARAM;
    }
    if let Some(events) = events {
        events.users.set(events.users.get() + 1);
    }
    nic.endpoints.set(nic.endpoints.get() + 1);
    let made = Endpoint {
        nic,
        queue,
        bound: Cell::new(None),
        found: Cell::new(None),
        events: Cell::new(None),
        outstanding: Rc::default(),
        channel: RefCell::default(),
        datagram: Cell::new(None),
    };
    // SAFETY: not null.
    unsafe { *endpoint = Box::into_raw(Box::new(made)) };
    SUCCESS
}

/// Binds it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpBind(endpoint: *mut Endpoint, address: u32, id: u32) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    if it.bound.get().is_some() {
        return INVALID_STATE;
    }
    it.nic().admit();
    it.bound.set(Some((address, id)));
    it.found.set(None);
    SUCCESS
}

/// Unbinds it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpUnbind(endpoint: *mut Endpoint) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    if it.bound.get().is_none() {
        return INVALID_STATE;
    }
    let is_posted = |at: usize| {
        let datagram = &it.nic().own.instance().datagrams[at];
        datagram.state.load(Ordering::Relaxed) == PENDING
    };
    if it.outstanding.get() > 0 || it.datagram.get().is_some_and(|(at, ..)| is_posted(at)) {
        return NOT_DONE;
    }
    it.bound.set(None);
    it.found.set(None);
    *it.channel.borrow_mut() = None;
    SUCCESS
}

/// Ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpDestroy(endpoint: *mut Endpoint) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    if it.outstanding.get() > 0 {
        return NOT_DONE;
    }
    if let Some((at, ..)) = it.datagram.get() {
        let instance = it.nic().own.instance();
        let _held = instance.lock.hold();
        instance.datagrams[at].state.store(FREE, Ordering::Relaxed);
    }
    if let Some(queue) = it.queue() {
        queue.users.set(queue.users.get() - 1);
    }
    it.nic().endpoints.set(it.nic().endpoints.get() - 1);
    // SAFETY: made by `GNI_EpCreate`.
    drop(unsafe { Box::from_raw(endpoint) });
    SUCCESS
}

/// Sets what stands in events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpSetEventData(
    endpoint: *mut Endpoint,
    local: u32,
    remote: u32,
) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    it.events.set(Some((local, remote)));
    SUCCESS
}

/// Registers memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_MemRegister(
    nic: *mut Nic,
    address: u64,
    len: u64,
    queue: *mut Queue,
    flags: u32,
    _vmdh_index: u32,
    handle: *mut MemHandle,
) -> Return {
    // SAFETY: null, a NIC, a queue.
    let (nic, events) = unsafe { (nic.as_ref(), queue.as_ref()) };
    let Some(nic) = nic else { return INVALID_PARAM };
    let Some(last) = address.checked_add(len).and_then(|end| end.checked_sub(1)) else {
        return INVALID_PARAM;
    };
    if handle.is_null() || len == 0 || events.is_some_and(|queue| !queue.plays(Role::Remote)) {
        return INVALID_PARAM;
    }
    let Some(own) = segment::own() else { return ERROR_NOMEM };
    let mut byte = [0];
    if [address, last].into_iter().any(|at| target::read(own.id, &mut byte, at) != target::WELL) {
        return INVALID_PARAM;
    }
    let mut registered = own.registered.lock().expect("no holder panics");
    if *registered >= faults::get().mdd_limit {
        return ERROR_RESOURCE;
    }
    // The length of a place in use is not 0.
    let regions = &own.process.regions;
    let first = *registered as usize;
    let mut free = (first..REGIONS).chain(0..first);
    let free = free.find(|at| regions[*at].len.load(Ordering::Relaxed) == 0);
    let Some(at) = free else { return ERROR_RESOURCE };
    *registered += 1;
    let region = &regions[at];
    // Never one that this place had before.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let generation = NEXT.fetch_add(1, Ordering::Relaxed);
    region.base.store(address, Ordering::Relaxed);
    region.len.store(len, Ordering::Relaxed);
    region.flags.store(flags, Ordering::Relaxed);
    region.queue.store(events.map_or(0, |queue| queue.at as u32 + 1), Ordering::Relaxed);
    region.generation.store(generation, Ordering::Release);
    if let Some(queue) = events {
        queue.users.set(queue.users.get() + 1);
    }
    nic.regions.borrow_mut().push((at as u32, queue));
    let made = MemHandle { qword1: u64::from(own.id) << 32 | at as u64, qword2: generation };
    // SAFETY: not null.
    unsafe { *handle = made };
    SUCCESS
}

fn forget(nic: &Nic, at: u32) {
    let Some(own) = segment::own() else { return };
    let mut registered = own.registered.lock().expect("no holder panics");
    let region = &own.process.regions[at as usize];
    region.generation.store(0, Ordering::Release);
    region.len.store(0, Ordering::Release);
    *registered -= 1;
    let mut regions = nic.regions.borrow_mut();
    let Some(found) = regions.iter().position(|(other, _)| *other == at) else { return };
    let (_, queue) = regions.swap_remove(found);
    // SAFETY: null, or a queue, which is not destroyed while registrations refer to it.
    if let Some(queue) = unsafe { queue.as_ref() } {
        queue.users.set(queue.users.get() - 1);
    }
}

/// Ends a registration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_MemDeregister(nic: *mut Nic, handle: *mut MemHandle) -> Return {
    // SAFETY: null, a NIC, a handle.
    let (Some(nic), Some(it)) = (unsafe { (nic.as_ref(), handle.as_mut()) }) else {
        return INVALID_PARAM;
    };
    let at = it.qword1 as u32;
    if nic.own.process.region(nic.own.pid, *it).is_none()
        || !nic.regions.borrow().iter().any(|(other, _)| *other == at)
    {
        return INVALID_PARAM;
    }
    forget(nic, at);
    *it = MemHandle::default();
    SUCCESS
}

/// How much of a resource there is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_GetJobResInfo(
    device: u32,
    _tag: u8,
    resource: u32,
    answer: *mut JobResources,
) -> Return {
    if answer.is_null() || device != 0 {
        return INVALID_PARAM;
    }
    let Some(own) = segment::own() else { return ERROR_NOMEM };
    let limits = faults::get();
    let queues = || {
        let is_used = |ring: &&segment::Ring| ring.capacity.load(Ordering::Relaxed) != 0;
        own.process.queues.iter().filter(is_used).count() as u64
    };
    let (used, limit) = match resource {
        RES_MDD => (*own.registered.lock().expect("no holder panics"), limits.mdd_limit),
        RES_CQ => (queues(), limits.cq_limit),
        RES_FMA => (0, limits.fma_limit),
        _ => return INVALID_PARAM,
    };
    // SAFETY: not null.
    unsafe { *answer = JobResources { used, limit } };
    SUCCESS
}

/// A statistic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_GetNicStat(nic: *mut Nic, which: u32, value: *mut u32) -> Return {
    // SAFETY: null or a NIC.
    let Some(nic) = (unsafe { nic.as_ref() }) else { return INVALID_PARAM };
    if value.is_null() || which as usize >= STATISTICS {
        return INVALID_PARAM;
    }
    let number = if which == MBOX_CREDITS_STALL { nic.stalls.get() } else { 0 };
    // SAFETY: not null.
    unsafe { *value = number };
    SUCCESS
}

/// Whether a datagram is finished.
pub(crate) fn is_finished(state: u32) -> bool {
    state >= COMPLETED
}
