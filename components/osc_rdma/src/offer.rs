//! What processes tell each other of their memory, so that others come to it without them.
//!
//! ```text
//!   each rank   control block, memory ─► a registration with each device that reaches memory ─► keys
//!   allgather   how many, and where they lie ─► keys, if any rank has some
//! ```
//!
//! Which way leads to a rank is found out when it is first used (`direct`). A rank that has no memory says so in
//! the first exchange, so that all fail.

use core::ffi::c_void;

use cairn_framework::abi::btl::{
    BTL_ALLOCATE, BTL_ATOMIC_64, BTL_ATOMIC_GLOBAL, BTL_GET, BTL_MAX_KEY, BTL_PUT, BTL_REMOTE_READ,
    BTL_REMOTE_WRITE,
};
use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::osc::{WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, Window};
use cairn_rma::{ALL_RIGHTS, AccumulateLocks, Device, PackedKey, Registration, RemoteLock};

use crate::memory::Memory;

/// A way of the parameter `ways`: loads and stores of mapped memory.
pub const LOAD_STORE: u32 = 1;
/// The same: put and get of a device.
pub const PUT_GET: u32 = 2;
/// The same: atomics of a device.
pub const ATOMICS: u32 = 4;

/// The way with a name.
///
/// # Errors
/// There is none.
pub fn way(name: &str) -> Result<u32, Failure> {
    let ways =
        [("load_store", LOAD_STORE), ("put_get", PUT_GET), ("atomics", ATOMICS), ("none", 0)];
    let found = ways.into_iter().find(|(other, _)| *other == name);
    found.map(|(_, way)| way).ok_or_else(|| {
        Failure::unavailable(format!(
            "osc_rdma_ways has {name}; there are load_store, put_get, atomics and none"
        ))
    })
}

/// [`Offer::has`]: peers reach the control block.
pub const CONTROL: u64 = 1;
/// The same: peers read and write the memory.
pub const MEMORY: u64 = 2;
/// The same: peers may use the device's atomics on the lock.
pub const LOCKS: u64 = 4;
/// The same: on the memory.
pub const CHANGES: u64 = 8;

/// Devices of a rank that others are told of.
const MOST_DEVICES: usize = 4;
/// [`Head::count`] of a rank that can't make the window.
const FAILED: u64 = u64::MAX;

/// What those share that access the memory of a rank. All of it is zero in the beginning.
#[repr(C)]
#[derive(Default)]
pub struct Control {
    pub locks: AccumulateLocks,
    pub lock: RemoteLock,
}

/// What a rank offers.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Head {
    /// Devices by which it can be reached.
    count: u64,
    /// Where its control block and its memory lie, for it.
    pub control: u64,
    pub memory: u64,
    /// Atomics of a device may change its memory: 1 or 0.
    changes: u64,
    /// Its lock can be taken without it: 1 or 0.
    locks: u64,
}

/// By one device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Offer {
    pub device: u64,
    /// `CONTROL` and the others.
    pub has: u64,
    pub control: PackedKey,
    pub memory: PackedKey,
}

const NONE: Offer =
    Offer { device: 0, has: 0, control: [0; BTL_MAX_KEY], memory: [0; BTL_MAX_KEY] };

/// What all ranks offer.
#[derive(Default)]
pub struct Offers {
    heads: Vec<Head>,
    each: Vec<Offer>,
    /// Offers of a rank that have room.
    most: usize,
    /// Locks of the window can be taken without their targets, so that operations need not wait for these.
    pub locks: bool,
    /// Atomics of devices may change memory of the window. So everybody changes elements by them, or by those of
    /// processors, that can be changed so.
    pub atomics: bool,
}

impl Offers {
    /// Whether all memory is reached by messages.
    pub fn is_empty(&self) -> bool {
        self.most == 0
    }

    /// Those of a rank.
    pub fn of(&self, rank: u32) -> Option<(&Head, &[Offer])> {
        let head = self.heads.get(rank as usize)?;
        let from = rank as usize * self.most;
        self.each.get(from..from + (head.count as usize).min(self.most)).map(|each| (head, each))
    }
}

/// What this process has made for a window.
pub struct Own {
    control: *const Control,
    /// The control block, where no device gives memory.
    heap: Option<Box<Control>>,
    registrations: Vec<Registration>,
}

// SAFETY: what processes and threads share in the control block is atomic, and it stays as long as this.
unsafe impl Send for Own {}
// SAFETY: see `Send`.
unsafe impl Sync for Own {}

impl Own {
    /// With a control block that no other process reaches.
    fn alone() -> Self {
        let heap = Box::<Control>::default();
        Self { control: &raw const *heap, heap: Some(heap), registrations: Vec::new() }
    }

    /// What is shared of this process's memory.
    #[inline]
    pub fn control(&self) -> &Control {
        // SAFETY: it lies on the heap or in memory of a device, until `end`.
        unsafe { &*self.control }
    }

    /// Ends it, when no peer has its keys any more.
    pub fn end(self) {
        self.registrations.into_iter().for_each(Registration::end);
        drop(self.heap);
    }
}

/// Makes the memory of this process for a window, and exchanges what all offer. A process that is not `able` to make the
/// window says so, since the others wait for it.
///
/// # Errors
/// A process has no memory, or is not able.
pub fn make(
    host: HostHandle,
    window: &Window,
    ways: u32,
    able: bool,
) -> Result<(Memory, Own, Offers), Failure> {
    let unable = || Err(Failure::new(ERR_RESOURCES, "this process can't make the window"));
    let prepared = if able { prepare(host, window, ways) } else { unable() };
    let head = match &prepared {
        Ok(prepared) => prepared.head,
        Err(_) => Head { count: FAILED, ..Head::default() },
    };
    let each = prepared.as_ref().map_or(&[][..], |prepared| &prepared.each);
    let offers = exchange(host, window, head, each);
    let Prepared { memory, own, .. } = prepared?;
    match offers {
        Ok(offers) => Ok((memory, own, offers)),
        Err(failure) => {
            own.end();
            Err(failure)
        }
    }
}

struct Prepared {
    memory: Memory,
    own: Own,
    head: Head,
    each: Vec<Offer>,
}

fn prepare(host: HostHandle, window: &Window, ways: u32) -> Result<Prepared, Failure> {
    let given = window.remotes()[window.comm().rank as usize].size;
    let devices = match window.scope.size {
        1 => Vec::new(),
        _ => devices(host, ways),
    };
    let giver = devices.iter().copied().find(|device| device.can(BTL_ALLOCATE));
    let mut own = Own::alone();
    // Memory that a device gives, and its registration.
    let give = |own: &mut Own, len: usize, alignment: usize| {
        let (base, made) = giver?
            .allocate(host, len, alignment)
            .inspect_err(|failure| {
                host.log(LOG_INFO, || {
                    format!("memory of a window comes from elsewhere: {failure}")
                });
            })
            .ok()?;
        own.registrations.push(made);
        Some((base, made))
    };
    let control = give(&mut own, size_of::<Control>(), align_of::<Control>());
    if let Some((base, _)) = control {
        (own.control, own.heap) = (base.cast_const().cast(), None);
    }
    let mut given_memory = None;
    let memory = match window.flavor {
        WINDOW_CREATE => Memory::of_program(window.base.cast(), given),
        WINDOW_DYNAMIC => Memory::dynamic(),
        WINDOW_ALLOCATE => {
            let alignment = (window.alignment as usize).max(64).next_power_of_two();
            let len = usize::try_from(given).ok().filter(|len| *len > 0);
            given_memory = len.and_then(|len| give(&mut own, len, alignment));
            match given_memory {
                Some((base, _)) => Memory::of_program(base, given),
                None => match Memory::allocate(given, window.alignment) {
                    Ok(memory) => memory,
                    Err(failure) => {
                        own.end();
                        return Err(failure);
                    }
                },
            }
        }
        flavor => {
            own.end();
            return Err(Failure::new(ERR_RESOURCES, format!("no memory of flavor {flavor}")));
        }
    };
    let control_is_mapped = control.is_some();
    let len = if memory.is_dynamic() { 0 } else { given as usize };
    let place = (memory.base.cast::<c_void>(), len);
    let control_place = (own.control.cast_mut().cast::<c_void>(), size_of::<Control>());
    let mut each = Vec::new();
    for device in devices {
        let mut offer = Offer { device: device.id(), ..NONE };
        let mut register = |(base, len), made: Option<Registration>, key: &mut PackedKey| {
            let known = made.filter(|made| made.device.id() == device.id());
            // SAFETY: the memory stays as long as the window.
            let (made, rights) = unsafe { registration(host, device, base, len, known)? };
            if known.is_none() {
                own.registrations.push(made);
            }
            made.pack(host, key).ok()?;
            Some(rights)
        };
        let control = register(control_place, control.map(|(_, made)| made), &mut offer.control);
        let reached = (len > 0)
            .then(|| register(place, given_memory.map(|(_, made)| made), &mut offer.memory));
        let reached = reached.flatten();
        offer.has |= if control.is_some() { CONTROL } else { 0 };
        offer.has |= if reached.is_some() { MEMORY } else { 0 };
        // Where memory can be mapped, processors change it.
        let changes = ways & ATOMICS != 0
            && device.can(BTL_ATOMIC_64 | BTL_ATOMIC_GLOBAL)
            && (ways & LOAD_STORE == 0 || !device.can(BTL_ALLOCATE));
        offer.has |= if changes && control == Some(ALL_RIGHTS) { LOCKS } else { 0 };
        offer.has |= if changes && reached == Some(ALL_RIGHTS) { CHANGES } else { 0 };
        if offer.has != 0 {
            each.push(offer);
        }
    }
    let any = |has| u64::from(each.iter().any(|offer: &Offer| offer.has & has != 0));
    let mapped = ways & LOAD_STORE != 0 && control_is_mapped;
    let head = Head {
        count: each.len() as u64,
        control: own.control.expose_provenance() as u64,
        memory: memory.base.expose_provenance() as u64,
        changes: any(CHANGES),
        locks: any(LOCKS) | u64::from(mapped),
    };
    Ok(Prepared { memory, own, head, each })
}

/// Registers memory for as much as the device allows.
///
/// # Safety
/// It is there as long as the registration.
unsafe fn registration(
    host: HostHandle,
    device: Device,
    base: *mut c_void,
    len: usize,
    known: Option<Registration>,
) -> Option<(Registration, u32)> {
    if let Some(known) = known {
        return Some((known, ALL_RIGHTS));
    }
    [ALL_RIGHTS, BTL_REMOTE_READ | BTL_REMOTE_WRITE].into_iter().find_map(|rights| {
        // SAFETY: promised by the caller.
        let made = unsafe { device.register(host, base, len, rights) };
        made.ok().map(|made| (made, rights))
    })
}

/// Those that reach memory of other processes.
fn devices(host: HostHandle, ways: u32) -> Vec<Device> {
    let wanted =
        [(LOAD_STORE, BTL_ALLOCATE), (PUT_GET, BTL_PUT | BTL_GET), (ATOMICS, BTL_ATOMIC_64)];
    let wanted = wanted.into_iter().filter(|(way, _)| ways & way != 0);
    let capabilities = wanted.fold(0, |all, (_, capabilities)| all | capabilities);
    Device::all(host, capabilities).take(MOST_DEVICES).collect()
}

fn exchange(
    host: HostHandle,
    window: &Window,
    head: Head,
    own: &[Offer],
) -> Result<Offers, Failure> {
    let size = window.scope.size as usize;
    let mut heads = vec![Head::default(); size];
    gather(host, window, &[head], &mut heads)?;
    if heads.iter().any(|head| head.count == FAILED) {
        return Err(Failure::new(ERR_RESOURCES, "a process can't make the window"));
    }
    let most = heads.iter().map(|head| head.count as usize).max().unwrap_or(0).min(MOST_DEVICES);
    if most == 0 {
        return Ok(Offers::default());
    }
    let mut sent = own.to_vec();
    sent.resize(most, NONE);
    let mut each = vec![NONE; size * most];
    gather(host, window, &sent, &mut each)?;
    let atomics = heads.iter().any(|head| head.changes != 0);
    let locks = heads.iter().any(|head| head.locks != 0);
    Ok(Offers { heads, each, most, locks, atomics })
}

/// What every rank says, by rank; as many as this one.
pub fn gather<T>(
    host: HostHandle,
    window: &Window,
    own: &[T],
    all: &mut [T],
) -> Result<(), Failure> {
    debug_assert_eq!(all.len(), own.len() * window.scope.size as usize);
    let (sent, received) = (own.as_ptr().cast(), all.as_mut_ptr().cast());
    let gather = window.calls().allgather;
    // SAFETY: there is a place for each rank.
    host.check(unsafe { gather(window, sent, received, size_of_val(own)) })
}
