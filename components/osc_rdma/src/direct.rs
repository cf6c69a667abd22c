//! Ways to the memory of a rank that need not its processor: loads and stores of what is mapped, or put, get and
//! atomics of a device.
//!
//! ```text
//!   hot.is_open  ─► mapped? ─► loads and stores, done in the call
//!                └► device  ─► put, get: one piece on both sides, long enough, aligned ─► stream of the thread's CRI
//!                            └► atomic: one integer of 4 or 8 bytes, an operation that the device has ─► stream
//!   else, or what no way takes ─► messages, in the state of the window
//! ```
//!
//! **One domain.** Where the memory can be mapped, elements change under the locks in the target's control block, as in
//! the target itself. Where atomics of a device may change some memory of the window, all processes change elements of
//! four and eight bytes by atomics (`Taker::atomics`).
//!
//! **Order.** Accumulates of one origin keep their order: loads and stores are done in the call; an atomic of a device waits
//! until those before it are flushed; and none overtakes accumulates that went by messages, which go on to do so until
//! the target has said that they are done.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::OnceLock;

use cairn_framework::abi::btl::{
    BTL_ADD, BTL_AND, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_COMPARE_SWAP, BTL_GET, BTL_LOCAL,
    BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_OR, BTL_PUT, BTL_SWAP, BTL_XOR, BtlAtomic,
    BtlTransfer, Endpoint,
};
use cairn_framework::abi::datatype::{
    DATATYPE_INTEGER, DATATYPE_PREDEFINED, Datatype, OP_BAND, OP_BOR, OP_BXOR, OP_NOTHING,
    OP_REPLACE, OP_SUM,
};
use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::request::Request as RequestView;
use cairn_framework::abi::status::OK;
use cairn_framework::author::{CachePadded, Failure};
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE, OSC_PUT,
    OscTransfer,
};
use cairn_rma::{Device, Key, Side, Target, Wish, operate};

use crate::link::assigned;
use crate::offer::{CHANGES, CONTROL, Control, Head, LOAD_STORE, LOCKS, MEMORY, Offer, PUT_GET};
use crate::operation::Operation;
use crate::requests;
use crate::stream::{Own, Piece, Purpose, Stream};
use crate::window::Shared;

/// What threads read of a target without the lock of the state, with which it changes.
#[derive(Default)]
pub struct Hot(CachePadded<HotFields>);

#[derive(Default)]
struct HotFields {
    /// The target is ready, and no operation waits to be sent.
    open: AtomicBool,
    /// No accumulate went by messages that may not be done.
    ordered: AtomicBool,
    /// Something that went by messages is not over.
    busy: AtomicBool,
    /// The number of the last packet whose answer has come.
    answered: AtomicU64,
    direct: OnceLock<Option<Box<Direct>>>,
}

impl Hot {
    /// Says how it is.
    pub fn set(&self, open: bool, ordered: bool, busy: bool, answered: u64) {
        let Self(CachePadded(fields)) = self;
        // Whoever finds it open may access what the synchronisation that opened it made visible.
        fields.ordered.store(ordered, Ordering::Release);
        fields.busy.store(busy, Ordering::Release);
        // Whoever finds it answered sees what it has fetched, and whether it is still busy.
        fields.answered.store(answered, Ordering::Release);
        fields.open.store(open, Ordering::Release);
    }

    #[inline]
    pub fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Acquire)
    }

    pub fn is_busy(&self) -> bool {
        self.0.busy.load(Ordering::Acquire)
    }

    pub fn answered(&self) -> u64 {
        self.0.answered.load(Ordering::Acquire)
    }

    fn is_ordered(&self) -> bool {
        self.0.ordered.load(Ordering::Acquire)
    }

    /// The way to it, if one was found.
    #[inline]
    pub fn direct(&self) -> Option<&Direct> {
        self.0.direct.get()?.as_deref()
    }

    /// Whether it was looked for.
    pub fn is_known(&self) -> bool {
        self.0.direct.get().is_some()
    }

    /// The way to it, which `find` looks for, once.
    pub fn find(&self, find: impl FnOnce() -> Option<Direct>) -> Option<&Direct> {
        self.0.direct.get_or_init(|| find().map(Box::new)).as_deref()
    }
}

/// Whether an operation is done or on its way, with its request if one was wanted, or has to go by messages.
pub enum Went {
    Out(Option<*mut RequestView>),
    Not,
}

/// The way to a rank.
pub struct Direct {
    /// What is loaded and stored.
    mapped: Option<Mapped>,
    /// The device that does the rest.
    device: Option<Reach>,
    /// Held as long as their memory is accessed.
    _keys: Vec<Key>,
}

/// Memory of a rank as this process sees it.
#[derive(Clone, Copy)]
struct Mapped {
    control: *const Control,
    /// Null where the window has no memory of its own, or none at this rank.
    base: *mut u8,
    /// There is such memory, and it is mapped.
    has_memory: bool,
}

/// Memory of a rank as a device sees it.
struct Reach {
    device: Device,
    /// Address and key of its memory, if that is reached.
    memory: Option<(u64, Key)>,
    /// The same of its control block, for the device's atomics.
    control: Option<(u64, Key)>,
    puts_and_gets: bool,
    /// The device changes the memory.
    changes: bool,
    /// One for each CRI.
    streams: Box<[Stream]>,
    /// Atomics that were issued, and those of them that are known to be in the target's memory.
    atomics: AtomicU64,
    flushed: AtomicU64,
}

// SAFETY: mapped memory stays as long as the keys; what processes share in it is atomic, or for the program to take care
// of.
unsafe impl Send for Direct {}
// SAFETY: see `Send`.
unsafe impl Sync for Direct {}

impl Direct {
    /// That to this process itself.
    pub fn here(control: &Control, base: *mut u8) -> Self {
        let mapped = Mapped { control, base, has_memory: true };
        Self { mapped: Some(mapped), device: None, _keys: Vec::new() }
    }

    /// That to a rank by what it offers for a device.
    ///
    /// # Errors
    /// A key of the peer's can't be used.
    pub fn open(
        shared: &Shared,
        (device, endpoint): (Device, *mut Endpoint),
        (head, offer): (&Head, &Offer),
        len: usize,
    ) -> Result<Option<Self>, Failure> {
        let (host, ways, mut keys) = (shared.host, shared.sizes.ways, Vec::new());
        let unpack = |has: u64, packed| match offer.has & has {
            0 => Ok(None),
            // SAFETY: the endpoint is the device's.
            _ => unsafe { device.unpack(host, endpoint, packed) }.map(Some),
        };
        let control = unpack(CONTROL, &offer.control)?;
        let memory = unpack(MEMORY, &offer.memory)?;
        let mut mapped = None;
        if ways & LOAD_STORE != 0
            && let Some(key) = &control
            && let Some(pointer) = key.map(host, head.control, size_of::<Control>())?
            && pointer.cast::<Control>().is_aligned()
        {
            let base = match &memory {
                Some(key) => key.map(host, head.memory, len)?,
                None => None,
            };
            mapped = Some(Mapped {
                control: pointer.cast_const().cast(),
                base: base.unwrap_or(null_mut()),
                has_memory: base.is_some(),
            });
        }
        let whole = mapped.is_some_and(|mapped| mapped.has_memory);
        let module = device.module();
        let moves = ways & PUT_GET != 0 && memory.is_some() && !whole;
        let puts_and_gets = moves && module.capabilities & (BTL_PUT | BTL_GET) != 0;
        let (locks, changes) = (offer.has & LOCKS != 0, offer.has & CHANGES != 0);
        let mut control = control;
        let mut reach = None;
        if puts_and_gets || ((locks || changes) && !whole) {
            // SAFETY: devices have pools, which stay.
            let pool: &'static CriPool = unsafe { &*module.pool };
            let count = if shared.threads { pool.count } else { 1 };
            let stream = |index| Stream::new(device, endpoint, pool.cri(index), shared.threads);
            reach = Some(Reach {
                device,
                memory: memory.map(|key| (head.memory, key)),
                control: control.take_if(|_| locks).map(|key| (head.control, key)),
                puts_and_gets,
                changes,
                streams: (0..count).map(stream).collect(),
                atomics: AtomicU64::new(0),
                flushed: AtomicU64::new(0),
            });
        } else {
            keys.extend(memory);
        }
        keys.extend(control);
        let any = mapped.is_some() || reach.is_some();
        Ok(any.then_some(Self { mapped, device: reach, _keys: keys }))
    }

    /// Whether the memory is loaded and stored.
    pub fn is_mapped(&self) -> bool {
        self.mapped.is_some_and(|mapped| mapped.has_memory)
    }

    /// Where the memory lies in this process.
    pub fn base(&self) -> Option<*mut u8> {
        self.mapped.filter(|mapped| mapped.has_memory).map(|mapped| mapped.base)
    }

    /// Does or starts an operation on a target that is ready.
    ///
    /// # Errors
    /// It was not started.
    ///
    /// # Safety
    /// The transfer is valid, what it names is there until the operation is complete, and what it touches lies in the
    /// window.
    #[inline]
    pub unsafe fn start(
        &self,
        shared: &Shared,
        hot: &Hot,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Went, Failure> {
        let moves = matches!(transfer.kind, OSC_PUT | OSC_GET);
        if !moves && shared.window().ordering != 0 && !hot.is_ordered() {
            return Ok(Went::Not);
        }
        if let Some(mapped) = self.mapped.as_ref().filter(|mapped| mapped.has_memory) {
            let check = |rank| {
                // Otherwise this process may not hear of a death.
                shared.host.progress();
                shared.check_rank(rank)
            };
            // SAFETY: mapped as long as the key.
            let locks = unsafe { &(*mapped.control).locks };
            // SAFETY: promised by the caller.
            unsafe {
                operate(shared.window(), mapped.base, locks, shared.taker(&check), transfer)?;
            }
            return Ok(Went::Out(requested.then(requests::complete_one)));
        }
        let Some(reach) = &self.device else { return Ok(Went::Not) };
        // SAFETY: promised by the caller.
        unsafe {
            if moves {
                Ok(reach.copy(shared, transfer, requested))
            } else {
                reach.change(shared, hot, transfer, requested)
            }
        }
    }

    /// Takes the lock of the target if it is free; `None` where that takes a message. After an error it may have been
    /// taken.
    pub fn take_lock(&self, shared: &Shared, wish: Wish) -> Option<Result<bool, Failure>> {
        if let Some(mapped) = &self.mapped {
            // SAFETY: mapped as long as the key.
            return Some(Ok(unsafe { (*mapped.control).lock.take(wish, false) }));
        }
        let reach = self.device.as_ref().filter(|reach| reach.control.is_some())?;
        let mut word = 0;
        loop {
            let Some(taken) = wish.taken(word, false) else { return Some(Ok(false)) };
            match reach.lock_word(shared, BTL_COMPARE_SWAP, taken, word) {
                Ok(found) if found == word => return Some(Ok(true)),
                Ok(found) => word = found,
                Err((failure, true)) => return Some(Err(failure)),
                Err((failure, false)) => {
                    shared.host.log(LOG_INFO, || {
                        format!("the lock of a target is asked for by a message: {failure}")
                    });
                    return None;
                }
            }
        }
    }

    /// Gives back a lock that was taken so. Whether the target is to be told.
    pub fn release_lock(&self, shared: &Shared, wish: Wish) -> Result<bool, Failure> {
        if let Some(mapped) = &self.mapped {
            // SAFETY: as above.
            return Ok(unsafe { (*mapped.control).lock.release(wish) });
        }
        let Some(reach) = &self.device else { return Ok(false) };
        let before = reach.lock_word(shared, BTL_ADD, wish.release(), 0);
        before.map(|before| wish.is_awaited(before)).map_err(|(failure, _)| failure)
    }

    /// What is under way, and has to be waited for: all, so that it is `remote`ly done, or so that buffers are free.
    pub fn pending<'a>(&'a self, remote: bool, pending: &mut Vec<Pending<'a>>) {
        let Some(reach) = &self.device else { return };
        for stream in &reach.streams {
            let issued = stream.issued();
            let over = if remote { stream.is_flushed(issued) } else { stream.is_done(issued) };
            if !over || stream.has_error() {
                pending.push(Pending { stream, issued, remote, asked: false });
            }
        }
    }

    /// Whether no completion is still to come.
    pub fn is_idle(&self) -> bool {
        self.device.as_ref().is_none_or(|reach| reach.streams.iter().all(Stream::is_idle))
    }

    /// Atomics of the device that were issued.
    pub fn atomics(&self) -> u64 {
        self.device.as_ref().map_or(0, |reach| reach.atomics.load(Ordering::Acquire))
    }

    /// So many of them are in the target's memory.
    pub fn flushed(&self, atomics: u64) {
        if let Some(reach) = &self.device {
            reach.flushed.fetch_max(atomics, Ordering::AcqRel);
        }
    }

    /// Whether an accumulate by messages could overtake an atomic of the device.
    pub fn has_atomics(&self) -> bool {
        self.device.as_ref().is_some_and(Reach::has_atomics)
    }
}

/// A stream, up to an operation.
pub struct Pending<'a> {
    pub stream: &'a Stream,
    issued: u64,
    remote: bool,
    /// It was asked to flush.
    asked: bool,
}

impl Pending<'_> {
    /// Whether it is over; asks for what is missing. `held` is the CRI whose lock the thread holds.
    pub fn is_over(&mut self, shared: &Shared, held: crate::link::Held) -> bool {
        if !self.stream.is_done(self.issued) {
            return false;
        }
        if !self.remote || self.stream.is_flushed(self.issued) {
            return true;
        }
        if !self.asked {
            self.asked = self.stream.flush(shared, held);
            if !self.asked {
                shared.try_again();
            }
        }
        self.stream.is_flushed(self.issued)
    }
}

impl Reach {
    fn stream(&self, shared: &Shared, target: u32) -> &Stream {
        if self.streams.len() == 1 {
            return &self.streams[0];
        }
        // SAFETY: devices have pools, which stay.
        let pool = unsafe { &*self.device.module().pool };
        let cri = assigned(shared.host, pool, &shared.window().scope, target);
        &self.streams[cri.index as usize]
    }

    fn has_atomics(&self) -> bool {
        self.flushed.load(Ordering::Acquire) < self.atomics.load(Ordering::Acquire)
    }

    /// Put and get.
    ///
    /// # Safety
    /// As for `Direct::start`.
    unsafe fn copy(&self, shared: &Shared, transfer: &OscTransfer, requested: bool) -> Went {
        let puts = transfer.kind == OSC_PUT;
        let side = if puts { &transfer.origin } else { &transfer.result };
        // SAFETY: promised by the caller.
        let (near, datatype) = unsafe { (Side::of(side), transfer.target_datatype.as_ref()) };
        let (Some(near), Some(datatype)) = (near, datatype) else { return Went::Not };
        let (Some((memory, key)), true) = (&self.memory, self.puts_and_gets) else {
            return Went::Not;
        };
        let (offset, count) = (transfer.offset, transfer.target_count);
        // An address of the target's.
        let base = core::ptr::without_provenance_mut(*memory as usize);
        let far = Target { base, offset, count, datatype }.side();
        let len = near.len().min(far.len());
        let (Some(from), Some(to)) = (near.contiguous(), far.contiguous()) else {
            return Went::Not;
        };
        let module = self.device.module();
        let (local, remote) = (from.as_ptr(), to.as_ptr().addr() as u64);
        let (able, limit, alignment) = match puts {
            true => (BTL_PUT, module.put_limit, 1),
            false => (BTL_GET, module.get_limit, module.get_alignment.max(1) as usize),
        };
        let aligned = |number: usize| number.is_multiple_of(alignment);
        if len == 0
            || len < module.rma_from as usize
            || !self.device.can(able)
            || limit == 0
            || ![local.addr(), remote as usize, len].into_iter().all(aligned)
        {
            return Went::Not;
        }
        // All pieces but the last one are whole.
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let most = (most - most % alignment).max(alignment);
        let mut registration = None;
        if self.device.can(BTL_NEEDS_REGISTRATION) && !self.device.can(BTL_LOCAL_UNREGISTERED) {
            // SAFETY: the program keeps it until the operation is complete.
            let made = unsafe { self.device.register(shared.host, local.cast(), len, BTL_LOCAL) };
            match made {
                Ok(made) => registration = Some(made),
                Err(_) => return Went::Not,
            }
        }
        let registered = registration.map_or(null_mut(), |made| made.raw());
        let pieces = (0..len).step_by(most).map(|at| {
            let transfer = BtlTransfer {
                local: local.wrapping_add(at).cast(),
                registration: registered,
                remote: remote + at as u64,
                key: key.raw(),
                len: most.min(len - at),
            };
            if puts { Piece::Put(transfer) } else { Piece::Get(transfer) }
        });
        let request = if requested { requests::make() } else { null_mut() };
        // SAFETY: promised by the caller; no lock is held.
        unsafe {
            let operation = Operation::new(shared.window(), transfer, request);
            let stream = self.stream(shared, transfer.target);
            let number = stream.issue(shared, pieces, Purpose::Program(operation), registration);
            // Where a peer serves them they go on when progress is made, and a program that computes between them makes
            // no other calls.
            if module.rma_from > 0 && !stream.is_done(number - 1) {
                shared.host.progress();
            }
        }
        Went::Out(requested.then_some(request.cast()))
    }

    /// Accumulates and their like.
    ///
    /// # Errors
    /// Those before it failed.
    ///
    /// # Safety
    /// As for `Direct::start`.
    unsafe fn change(
        &self,
        shared: &Shared,
        hot: &Hot,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Went, Failure> {
        // SAFETY: promised by the caller.
        let Some(mut atomic) = (unsafe { self.atomic(transfer) }) else { return Ok(Went::Not) };
        if shared.window().ordering != 0 && self.has_atomics() {
            shared.settle(transfer.target..transfer.target + 1, true)?;
            // One of them may go by messages after all.
            if shared.has_returned() || !hot.is_ordered() {
                return Ok(Went::Not);
            }
        }
        let Some((memory, key)) = &self.memory else { return Ok(Went::Not) };
        atomic.remote = memory.wrapping_add_signed(transfer.offset);
        atomic.key = key.raw();
        let request = if requested { requests::make() } else { null_mut() };
        // SAFETY: promised by the caller; no lock is held.
        unsafe {
            let operation = Operation::new(shared.window(), transfer, request);
            let stream = self.stream(shared, transfer.target);
            let piece = core::iter::once(Piece::Atomic(atomic));
            stream.issue(shared, piece, Purpose::Program(operation), None);
        }
        // Whoever counts it finds it in the stream, and does not flush without it.
        self.atomics.fetch_add(1, Ordering::AcqRel);
        Ok(Went::Out(requested.then_some(request.cast())))
    }

    /// What the device is to do for an operation, if it can. Place and key are missing.
    ///
    /// # Safety
    /// As for `Direct::start`.
    unsafe fn atomic(&self, transfer: &OscTransfer) -> Option<BtlAtomic> {
        // SAFETY: promised by the caller.
        let (datatype, op) = unsafe { (transfer.target_datatype.as_ref()?, transfer.op.as_ref()) };
        let width = datatype.size;
        let able = match width {
            4 => BTL_ATOMIC_32,
            8 => BTL_ATOMIC_64,
            _ => return None,
        };
        let simple = |datatype: &Datatype| datatype.flags & DATATYPE_PREDEFINED != 0;
        let (memory, _) = self.memory.as_ref()?;
        let place = memory.wrapping_add_signed(transfer.offset);
        if !self.changes
            || !self.device.can(able)
            || transfer.target_count != 1
            || !simple(datatype)
            || !place.is_multiple_of(width)
        {
            return None;
        }
        let side = |side| {
            // SAFETY: as above.
            let side = unsafe { Side::of(side) };
            side.filter(|side| side.len() as u64 == width)?.contiguous().map(|place| place.as_ptr())
        };
        // SAFETY: as above: there is an element.
        let read = |place: *const u8| unsafe {
            match width {
                4 => u64::from(place.cast::<u32>().read_unaligned()),
                _ => place.cast::<u64>().read_unaligned(),
            }
        };
        let (operation, operand, compare) = match transfer.kind {
            OSC_COMPARE_SWAP => {
                let compare = read(transfer.compare.cast());
                (BTL_COMPARE_SWAP, read(transfer.origin.buffer.cast_const().cast()), compare)
            }
            OSC_ACCUMULATE | OSC_GET_ACCUMULATE | OSC_FETCH_OP => {
                let op = op?;
                match (op.flags & (OP_NOTHING | OP_REPLACE), op.predefined) {
                    // What is read is as it is.
                    (OP_NOTHING, _) => (BTL_OR, 0, 0),
                    (OP_REPLACE, _) => (BTL_SWAP, read(side(&transfer.origin)?), 0),
                    (_, number) => {
                        let operation = match number {
                            OP_SUM if datatype.flags & DATATYPE_INTEGER != 0 => BTL_ADD,
                            OP_BAND => BTL_AND,
                            OP_BOR => BTL_OR,
                            OP_BXOR => BTL_XOR,
                            _ => return None,
                        };
                        (operation, read(side(&transfer.origin)?), 0)
                    }
                }
            }
            _ => return None,
        };
        let result = match transfer.kind {
            OSC_ACCUMULATE => null_mut(),
            OSC_COMPARE_SWAP => transfer.result.buffer,
            _ => side(&transfer.result)?.cast(),
        };
        let width = width as u32;
        Some(BtlAtomic { remote: 0, key: null_mut(), operation, width, operand, compare, result })
    }

    /// Changes the word of the target's lock, and waits for what it was before. With an error: whether it may have been
    /// changed all the same.
    fn lock_word(
        &self,
        shared: &Shared,
        operation: u32,
        operand: u64,
        compare: u64,
    ) -> Result<u64, (Failure, bool)> {
        let out_of_reach = || (Failure::from("the lock is out of reach"), false);
        let (control, key) = self.control.as_ref().ok_or_else(out_of_reach)?;
        let mut before = 0_u64;
        let atomic = BtlAtomic {
            remote: control + core::mem::offset_of!(Control, lock) as u64,
            key: key.raw(),
            operation,
            width: 8,
            operand,
            compare,
            result: (&raw mut before).cast(),
        };
        let stream = &self.streams[0];
        let (piece, own) = (core::iter::once(Piece::Atomic(atomic)), Own::default());
        // SAFETY: `before` and `own` stay, as the wait does not end before the operation.
        let number = unsafe { stream.issue(shared, piece, Purpose::Window(&own), None) };
        while !stream.is_done(number) {
            if shared.host.progress() == 0 {
                std::thread::yield_now();
            }
        }
        match own.status.into_inner() {
            OK => Ok(before),
            status => Err((Failure::new(status, "the lock of a target"), own.taken.into_inner())),
        }
    }
}
