//! Puts, gets and atomics that are under way.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::ptr::{NonNull, null, null_mut};

use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::Completion;

use crate::bindings::*;
use crate::link::Route;
use crate::mailbox::Pages;
use crate::memory::{UNIT, units};
use crate::nic::Nic;
use crate::params::Config;

/// What an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Put,
    Get,
    Atomic,
}

/// An operation. It stays where it is while the network has it, and belongs to a CRI, whose lock whoever touches it
/// holds.
#[repr(C)]
pub struct Op {
    /// The network's while it is posted.
    post: UnsafeCell<gni_post_descriptor_t>,
    pub kind: Cell<Kind>,
    /// Routes stay as long as the CRI.
    pub route: Cell<*const Route>,
    pub completion: Cell<Option<Completion>>,
    /// Its number among the writes of the CRI.
    pub serial: Cell<u64>,
    /// How often its piece was tried.
    pub tries: Cell<u32>,
    pub local: Cell<*mut u8>,
    pub local_handle: Cell<gni_mem_handle_t>,
    pub remote: Cell<u64>,
    pub remote_handle: Cell<gni_mem_handle_t>,
    pub len: Cell<usize>,
    /// Bytes of the pieces that are over, and of the one that is under way.
    done: Cell<usize>,
    piece: Cell<usize>,
    /// A get that is not of whole units has a buffer; its piece goes there, behind so many bytes.
    pub bounce: Cell<*mut u8>,
    skip: Cell<Option<usize>>,
    /// Of atomics: command, operands, and where the old value goes, or null.
    pub command: Cell<u32>,
    pub operands: Cell<(u64, u64)>,
    pub result: Cell<*mut u8>,
    /// Where the network puts the old value.
    old: *mut u64,
}

/// An operation as it is passed around.
pub type OpRef = &'static Op;

/// A buffer that the network writes to, as it knows it.
const NONE: gni_mem_handle_t = gni_mem_handle_t { qword1: 0, qword2: 0 };

impl Op {
    /// One whose old values, of atomics, the network puts there.
    fn new(old: *mut u64) -> Self {
        Self {
            // SAFETY: zeros are such a struct.
            post: UnsafeCell::new(unsafe { std::mem::zeroed() }),
            kind: Cell::new(Kind::Put),
            route: Cell::new(null()),
            completion: Cell::new(None),
            serial: Cell::new(0),
            tries: Cell::new(0),
            local: Cell::new(null_mut()),
            local_handle: Cell::new(NONE),
            remote: Cell::new(0),
            remote_handle: Cell::new(NONE),
            len: Cell::new(0),
            done: Cell::new(0),
            piece: Cell::new(0),
            bounce: Cell::new(null_mut()),
            skip: Cell::new(None),
            command: Cell::new(0),
            operands: Cell::new((0, 0)),
            result: Cell::new(null_mut()),
            old,
        }
    }

    /// Makes it one that begins.
    pub fn begin(&self) {
        self.done.set(0);
        self.tries.set(0);
        self.skip.set(None);
    }

    /// Where old values go: room that the network may write to for one that has none of its own.
    pub fn room(&self) -> *mut u8 {
        self.old.cast()
    }

    /// Whether `flush` waits for it.
    pub fn is_write(&self) -> bool {
        self.kind.get() != Kind::Get
    }

    /// Whether a get of these needs a buffer.
    pub fn is_ragged(local: *mut u8, remote: u64, len: usize) -> bool {
        [local.addr() as u64, remote, len as u64].iter().any(|one| !one.is_multiple_of(UNIT))
    }

    /// Prepares the next piece. False when there is none.
    pub fn next_piece(&self, config: &Config, scratch: gni_mem_handle_t) -> bool {
        let (done, len) = (self.done.get(), self.len.get());
        if done >= len {
            return false;
        }
        let (left, local, remote) = (
            (len - done) as u64,
            self.local.get().wrapping_add(done),
            self.remote.get() + done as u64,
        );
        // SAFETY: zeros are such a struct.
        let mut post: gni_post_descriptor_t = unsafe { std::mem::zeroed() };
        post.cq_mode = GNI_CQMODE_GLOBAL_EVENT as u16;
        post.dlvr_mode = GNI_DLVMODE_PERFORMANCE as u16;
        post.remote_mem_hndl = self.remote_handle.get();
        post.local_mem_hndl = self.local_handle.get();
        post.local_addr = local.expose_provenance() as u64;
        post.remote_addr = remote;
        post.length = left;
        self.skip.set(None);
        self.piece.set(left as usize);
        match self.kind.get() {
            Kind::Put => {
                let is_short = left <= config.fma_put;
                post.type_ = if is_short { GNI_POST_FMA_PUT } else { GNI_POST_RDMA_PUT };
            }
            Kind::Get => {
                let (here, there) = (post.local_addr % UNIT, remote % UNIT);
                if here == 0 && there == 0 && left >= UNIT {
                    post.length = (left - left % UNIT).min(config.get_piece);
                    self.piece.set(post.length as usize);
                } else {
                    // Up to the next unit of both sides, if there is one, otherwise as much as there is room for.
                    let piece = match here == there && there != 0 {
                        true => left.min(UNIT - there),
                        false => left.min(config.bounce - UNIT),
                    };
                    let (start, whole) = units(remote, piece);
                    (post.remote_addr, post.length) = (start, whole);
                    post.local_addr = self.bounce.get().expose_provenance() as u64;
                    post.local_mem_hndl = scratch;
                    self.piece.set(piece as usize);
                    self.skip.set(Some(there as usize));
                }
                let is_short = post.length <= config.fma_get;
                post.type_ = if is_short { GNI_POST_FMA_GET } else { GNI_POST_RDMA_GET };
            }
            Kind::Atomic => {
                post.type_ = GNI_POST_AMO;
                post.amo_cmd = self.command.get();
                (post.first_operand, post.second_operand) = self.operands.get();
                post.local_addr = self.old.expose_provenance() as u64;
                post.local_mem_hndl = scratch;
            }
        }
        // SAFETY: the network has not got it.
        unsafe { *self.post.get() = post };
        true
    }

    /// The piece has come: what went elsewhere is put where it belongs.
    ///
    /// # Safety
    /// It has come, and the caller's memory is there.
    pub unsafe fn piece_is_done(&self) {
        let (done, piece) = (self.done.get(), self.piece.get());
        if let Some(skip) = self.skip.get() {
            // SAFETY: promised by the caller; so much was put into the buffer.
            unsafe {
                let from = self.bounce.get().add(skip);
                std::ptr::copy_nonoverlapping(from, self.local.get().add(done), piece);
            }
        }
        let (kind, result) = (self.kind.get(), self.result.get());
        if kind == Kind::Atomic && !result.is_null() {
            // SAFETY: promised by the caller; the width is 4 or 8.
            unsafe { std::ptr::copy_nonoverlapping(self.old.cast::<u8>(), result, piece) };
        }
        self.done.set(done + piece);
        self.tries.set(0);
    }

    /// What the library is given.
    pub fn descriptor(&self) -> *mut gni_post_descriptor_t {
        self.post.get()
    }

    /// Whether it goes by the engine.
    pub fn is_long(&self) -> bool {
        // SAFETY: nobody writes there while this runs.
        let kind = unsafe { (*self.post.get()).type_ };
        matches!(kind, GNI_POST_RDMA_PUT | GNI_POST_RDMA_GET)
    }

    /// The operation of a descriptor.
    ///
    /// # Safety
    /// It is null, or that of an operation.
    pub unsafe fn of(descriptor: *mut gni_post_descriptor_t) -> Option<OpRef> {
        // SAFETY: promised by the caller; an operation begins with it, and stays as long as the CRI.
        unsafe { descriptor.cast::<Self>().cast_const().as_ref() }
    }
}

/// The operations of a CRI, and what the network writes to for them.
pub struct Ops {
    all: NonNull<Op>,
    count: usize,
    free: RefCell<Vec<OpRef>>,
    bounces: RefCell<Vec<*mut u8>>,
    scratch: Pages,
    handle: gni_mem_handle_t,
}

impl Ops {
    pub fn new(config: &Config, nic: &Nic) -> Result<Self, Failure> {
        let count = config.transfers as usize;
        let front = (count * size_of::<u64>()).next_multiple_of(64);
        let scratch = Pages::new(front + config.bounces * config.bounce as usize, false)?;
        // SAFETY: the pages stay until the registration has ended.
        let handle = unsafe {
            nic.register(scratch.address(), scratch.len() as u64, None, GNI_MEM_READWRITE)?
        };
        // SAFETY: the layout is not empty.
        let all = NonNull::new(unsafe { alloc_zeroed(Self::layout(count)) }.cast::<Op>());
        let Some(all) = all else {
            nic.deregister(handle);
            return Err("no memory for operations".into());
        };
        let mut free = Vec::with_capacity(count);
        for at in (0..count).rev() {
            let op = Op::new(scratch.at(at * size_of::<u64>()).cast());
            // SAFETY: there is room for so many, which stay until `drop`; the references are given up before.
            unsafe {
                all.add(at).write(op);
                free.push(&*all.add(at).as_ptr().cast_const());
            }
        }
        let bounces = (0..config.bounces).map(|at| scratch.at(front + at * config.bounce as usize));
        let bounces = RefCell::new(bounces.collect());
        Ok(Self { all, count, free: RefCell::new(free), bounces, scratch, handle })
    }

    fn layout(count: usize) -> Layout {
        Layout::array::<Op>(count).expect("there are not so many")
    }

    /// One that is free, with a buffer if that is wanted.
    pub fn take(&self, bounce: bool) -> Option<OpRef> {
        let mut free = self.free.borrow_mut();
        free.last()?;
        let buffer = if bounce { self.bounces.borrow_mut().pop()? } else { null_mut() };
        let op = free.pop()?;
        op.bounce.set(buffer);
        Some(op)
    }

    /// Gives it back.
    pub fn give(&self, op: OpRef) {
        let buffer = op.bounce.replace(null_mut());
        if !buffer.is_null() {
            self.bounces.borrow_mut().push(buffer);
        }
        self.free.borrow_mut().push(op);
    }

    /// The registration of buffers and results.
    pub fn scratch(&self) -> gni_mem_handle_t {
        self.handle
    }

    /// Whether some are under way.
    pub fn are_used(&self) -> bool {
        self.free.borrow().len() < self.count
    }

    /// Ends the registration.
    pub fn close(&self, nic: &Nic) {
        nic.deregister(self.handle);
    }
}

impl Drop for Ops {
    fn drop(&mut self) {
        self.free.get_mut().clear();
        // SAFETY: made in `new`; the network has none of them any more, and an operation needs no drop but that of
        // its completion, which is none.
        unsafe { dealloc(self.all.as_ptr().cast(), Self::layout(self.count)) };
        debug_assert!(self.scratch.len() > 0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SCRATCH: gni_mem_handle_t = gni_mem_handle_t { qword1: 7, qword2: 7 };
    const BOUNCE: u64 = 64;

    fn config() -> Config {
        Config {
            most: 8192,
            credits: 32,
            send_buffers: 1,
            receive_queue: 2,
            retransmits: 1,
            transfers: 1,
            fma_put: 100,
            fma_get: 32,
            get_piece: 256,
            bounce: BOUNCE,
            bounces: 1,
            poll_interval: 1,
            kept_registrations: 0,
            close_timeout: Duration::ZERO,
            inquiry_interval: Duration::ZERO,
            watch_interval: Duration::ZERO,
        }
    }

    fn op(kind: Kind, local: *mut u8, remote: u64, len: usize) -> Op {
        let op = Op::new(null_mut());
        op.kind.set(kind);
        op.local.set(local);
        op.remote.set(remote);
        op.len.set(len);
        op.begin();
        op
    }

    /// A get as the network does it: by whole units only.
    fn get(from: &[u8], at: usize, len: usize, to: &mut [u8]) -> usize {
        let mut bounce = [0_u32; BOUNCE as usize / 4];
        let bounce = bounce.as_mut_ptr().cast::<u8>();
        let remote = from.as_ptr().expose_provenance() as u64 + at as u64;
        let op = op(Kind::Get, to.as_mut_ptr(), remote, len);
        op.bounce.set(bounce);
        let mut pieces = 0;
        while op.next_piece(&config(), SCRATCH) {
            pieces += 1;
            // SAFETY: a piece is inside of both sides, or of the buffer.
            unsafe {
                let post = &*op.descriptor();
                let numbers = [post.local_addr, post.remote_addr, post.length];
                assert!(numbers.iter().all(|one| one.is_multiple_of(UNIT)) && post.length > 0);
                assert_eq!(op.is_long(), post.length > config().fma_get);
                let is_bounced = post.local_addr == bounce.addr() as u64;
                assert_eq!(post.local_mem_hndl.qword1 == SCRATCH.qword1, is_bounced);
                assert!(post.length <= if is_bounced { BOUNCE } else { config().get_piece });
                let start = std::ptr::with_exposed_provenance::<u8>(post.remote_addr as usize);
                let place = std::ptr::with_exposed_provenance_mut::<u8>(post.local_addr as usize);
                std::ptr::copy_nonoverlapping(start, place, post.length as usize);
                op.piece_is_done();
            }
        }
        pieces
    }

    #[test]
    fn gets_of_any_bytes_are_made_of_whole_units() {
        let source: Vec<u32> = (0..256).map(|i| 0x0101_0101_u32.wrapping_mul(i) ^ i << 9).collect();
        // SAFETY: so many bytes are there.
        let source = unsafe { std::slice::from_raw_parts(source.as_ptr().cast::<u8>(), 1024) };
        let mut place = vec![0_u32; 256];
        _ = place.as_mut_ptr().expose_provenance();
        for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))) {
            for len in (1..40).chain([63, 64, 65, 200, 700]) {
                place.fill(0);
                // SAFETY: as above.
                let place = unsafe {
                    std::slice::from_raw_parts_mut(place.as_mut_ptr().cast::<u8>(), 1024)
                };
                let pieces = get(source, from, len, &mut place[to..]);
                assert_eq!(place[to..to + len], source[from..from + len], "{from} {to} {len}");
                assert!(place[..to].iter().chain(&place[to + len..]).all(|byte| *byte == 0));
                if (from ^ to) % 4 == 0 {
                    // The middle goes directly.
                    assert!(pieces <= 2 + len.div_ceil(256), "{from} {to} {len}: {pieces}");
                }
            }
        }
    }

    #[test]
    fn puts_go_in_one_piece_by_their_length() {
        for (len, is_long) in [(1, false), (100, false), (101, true), (1 << 33, true)] {
            let op = op(Kind::Put, null_mut(), 1, len);
            assert!(op.next_piece(&config(), SCRATCH));
            assert_eq!(op.is_long(), is_long);
            // SAFETY: nothing was done.
            unsafe {
                assert_eq!((*op.descriptor()).length, len as u64);
                op.piece_is_done();
            }
            assert!(!op.next_piece(&config(), SCRATCH));
        }
    }
}
