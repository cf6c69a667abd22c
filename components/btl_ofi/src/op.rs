//! What is handed to the provider and comes back by a completion queue.

use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};

use cairn_framework::frameworks::btl::Completion;

use crate::bindings::*;
use crate::fabric::{Domain, Endpoint, Object};
use crate::link::Link;

/// What an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A buffer that waits for a message.
    Receive,
    /// A message of this process's.
    Message,
    Put,
    Get,
    Atomic,
    /// Its caller was told that the peer is gone; the provider has it still.
    Orphan,
}

/// An operation. It stays where it is while the provider has it, and belongs to a CRI, whose lock whoever
/// touches it holds.
#[repr(C)]
pub struct Op {
    /// The provider's.
    context: UnsafeCell<fi_context2>,
    pub kind: Cell<Kind>,
    /// The provider has it.
    pub is_posted: Cell<bool>,
    /// The link that it goes by. Links stay as long as the CRI.
    pub link: Cell<*const Link>,
    pub completion: Cell<Option<Completion>>,
    /// Its number among the writes of the CRI.
    pub serial: Cell<u64>,
    /// The local side: of messages the buffer, which stays with the operation.
    pub local: Cell<*mut u8>,
    pub len: Cell<usize>,
    pub descriptor: Cell<*mut c_void>,
    /// The peer's side.
    pub remote: Cell<u64>,
    pub key: Cell<u64>,
    /// Of atomics: operation and type.
    pub atomic: Cell<(fi_op, fi_datatype)>,
    /// Of atomics: where the old value goes, or null.
    pub result: Cell<*mut c_void>,
    operand: UnsafeCell<u64>,
    compare: UnsafeCell<u64>,
    old: UnsafeCell<u64>,
}

/// An operation as it is passed around.
pub type OpRef = &'static Op;

impl Op {
    fn new(kind: Kind, local: *mut u8, descriptor: *mut c_void) -> Self {
        Self {
            context: UnsafeCell::new(fi_context2 { internal: [null_mut(); 8] }),
            kind: Cell::new(kind),
            is_posted: Cell::new(false),
            link: Cell::new(std::ptr::null()),
            completion: Cell::new(None),
            serial: Cell::new(0),
            local: Cell::new(local),
            len: Cell::new(0),
            descriptor: Cell::new(descriptor),
            remote: Cell::new(0),
            key: Cell::new(0),
            atomic: Cell::new((FI_SUM, FI_UINT64)),
            result: Cell::new(null_mut()),
            operand: UnsafeCell::new(0),
            compare: UnsafeCell::new(0),
            old: UnsafeCell::new(0),
        }
    }

    /// The operation of a completion.
    ///
    /// # Safety
    /// The context is null or that of an operation that was posted.
    pub unsafe fn of(context: *mut c_void) -> Option<OpRef> {
        // SAFETY: promised by the caller; the context is what an operation begins with, and operations live as
        // long as the endpoint.
        unsafe { context.cast::<Self>().cast_const().as_ref() }
    }

    fn context(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Whether `flush` waits for it.
    pub fn is_write(&self) -> bool {
        matches!(self.kind.get(), Kind::Put | Kind::Atomic)
    }

    pub fn set_operands(&self, operand: u64, compare: u64) {
        // SAFETY: nobody else has the operation now.
        unsafe {
            *self.operand.get() = operand;
            *self.compare.get() = compare;
        }
    }

    /// Stores what an atomic operation found, if that is wanted.
    ///
    /// # Safety
    /// It is over, and the place of the result is there.
    pub unsafe fn give_result(&self) {
        let (place, width) = (self.result.get(), self.len.get());
        if !place.is_null() {
            // SAFETY: promised by the caller; the width is 4 or 8.
            unsafe {
                let old = self.old.get().cast::<u8>();
                std::ptr::copy_nonoverlapping(old, place.cast::<u8>(), width);
            }
        }
    }

    /// Asks the provider to end it soon. Not all can; its end is reported like any other.
    pub fn cancel(&self, endpoint: &Endpoint) {
        let ep = endpoint.ep.get();
        // SAFETY: the endpoint is open, and takes any context.
        unsafe {
            let table = (*ep).ops;
            if let Some(cancel) = table.as_ref().and_then(|table| table.cancel) {
                cancel(ep.cast(), self.context());
            }
        }
    }

    /// Has the provider copy and send its bytes; there is no completion. Whether it did; otherwise nothing has
    /// happened.
    pub fn inject(&self, endpoint: &Endpoint, to: fi_addr_t) -> bool {
        let ep = endpoint.ep.get();
        // SAFETY: the endpoint is open, and the buffer stays with the operation.
        unsafe {
            let (table, local) = ((*ep).msg, self.local.get().cast::<c_void>());
            let inject = table.as_ref().and_then(|table| table.inject);
            inject.is_some_and(|inject| inject(ep, local, self.len.get(), to) == 0)
        }
    }

    /// Hands it to the provider, or says why that did not take it; nothing has happened then.
    ///
    /// # Safety
    /// What it refers to is there until it is over.
    pub unsafe fn post(&self, endpoint: &Endpoint) -> Result<(), c_int> {
        let ep = endpoint.ep.get();
        // SAFETY: the endpoint is open; links live as long as operations use them; the rest is promised by the
        // caller.
        let answer = unsafe {
            let context = self.context();
            let (local, len, descriptor) =
                (self.local.get().cast::<c_void>(), self.len.get(), self.descriptor.get());
            let to = || &*self.link.get();
            macro_rules! call {
                ($table:ident.$function:ident($($argument:expr),* $(,)?)) => {{
                    let table = (*ep).$table;
                    match if table.is_null() { None } else { (*table).$function } {
                        Some(function) => function(ep, $($argument),*),
                        None => -(libc::ENOSYS as isize),
                    }
                }};
            }
            match self.kind.get() {
                Kind::Receive => {
                    call!(msg.recv(local, len, descriptor, u64::MAX, context))
                }
                Kind::Message => call!(msg.send(local, len, descriptor, to().address, context)),
                Kind::Put => {
                    // Complete when it is in the peer's memory, as a flush promises.
                    let flags = u64::from(FI_COMPLETION) | u64::from(FI_DELIVERY_COMPLETE);
                    let from = iovec { iov_base: local, iov_len: len };
                    let target = fi_rma_iov { addr: self.remote.get(), len, key: self.key.get() };
                    let mut descriptor = descriptor;
                    let message = fi_msg_rma {
                        msg_iov: &raw const from,
                        desc: &raw mut descriptor,
                        iov_count: 1,
                        addr: to().memory,
                        rma_iov: &raw const target,
                        rma_iov_count: 1,
                        context,
                        data: 0,
                    };
                    call!(rma.writemsg(&raw const message, flags))
                }
                Kind::Get => call!(rma.read(
                    local,
                    len,
                    descriptor,
                    to().memory,
                    self.remote.get(),
                    self.key.get(),
                    context,
                )),
                Kind::Atomic => {
                    let (operation, datatype) = self.atomic.get();
                    let operand = self.operand.get().cast::<c_void>();
                    let old = self.old.get().cast::<c_void>();
                    let (home, remote, key) = (to().home, self.remote.get(), self.key.get());
                    if operation == FI_CSWAP {
                        let compare = self.compare.get().cast::<c_void>();
                        call!(atomic.compwrite(
                            operand,
                            1,
                            null_mut(),
                            compare,
                            null_mut(),
                            old,
                            null_mut(),
                            home,
                            remote,
                            key,
                            datatype,
                            operation,
                            context,
                        ))
                    } else {
                        call!(atomic.readwrite(
                            operand,
                            1,
                            null_mut(),
                            old,
                            null_mut(),
                            home,
                            remote,
                            key,
                            datatype,
                            operation,
                            context,
                        ))
                    }
                }
                Kind::Orphan => unreachable!("it is over for all but the provider"),
            }
        };
        if answer < 0 {
            return Err(-answer as c_int);
        }
        self.is_posted.set(true);
        Ok(())
    }
}

/// Operations of a CRI: those in use, which their users have, and those that are free.
pub struct Pool {
    /// Bytes of the buffer that each has.
    buffer: usize,
    free: Vec<OpRef>,
    slabs: Vec<Slab>,
}

/// Some operations, and their buffers.
struct Slab {
    ops: NonNull<[Op]>,
    memory: Option<(NonNull<u8>, Layout)>,
    _registration: Option<Object<fid_mr>>,
}

/// Operations that are made at once.
const AT_ONCE: usize = 16;

// SAFETY: all of it belongs to a CRI.
unsafe impl Send for Pool {}

impl Pool {
    /// Of operations with a buffer, or without if that is 0.
    pub fn new(buffer: usize) -> Self {
        Self { buffer, free: Vec::new(), slabs: Vec::new() }
    }

    /// One that is free. `domain` when the provider wants buffers to be registered. `keys` makes keys.
    pub fn take(&mut self, domain: Option<(&Domain, &dyn Fn() -> u64)>) -> Result<OpRef, c_int> {
        if self.free.is_empty() {
            self.grow(domain)?;
        }
        self.free.pop().ok_or(libc::ENOMEM)
    }

    /// Gives one back.
    pub fn give(&mut self, op: OpRef) {
        self.free.push(op);
    }

    /// All there are.
    pub fn all(&self) -> impl Iterator<Item = OpRef> + '_ {
        // SAFETY: slabs live as long as the pool; the references that leave it are given up before.
        self.slabs.iter().flat_map(|slab| unsafe { slab.ops.as_ref() }.iter())
    }

    fn grow(&mut self, domain: Option<(&Domain, &dyn Fn() -> u64)>) -> Result<(), c_int> {
        let mut memory = None;
        let mut registration = None;
        if self.buffer > 0 {
            let layout =
                Layout::from_size_align(self.buffer * AT_ONCE, 64).map_err(|_| libc::ENOMEM)?;
            // SAFETY: the layout is not empty.
            let start =
                NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or(libc::ENOMEM)?;
            if let Some((domain, key)) = domain {
                let access = u64::from(FI_SEND) | u64::from(FI_RECV);
                // SAFETY: the memory is freed behind the registration.
                let made = unsafe {
                    domain.register(start.as_ptr().cast(), layout.size(), access, key(), None)
                };
                match made {
                    Ok(made) => registration = Some(made),
                    Err(error) => {
                        // SAFETY: allocated above.
                        unsafe { std::alloc::dealloc(start.as_ptr(), layout) };
                        return Err(error);
                    }
                }
            }
            memory = Some((start, layout));
        }
        // SAFETY: the registration is open.
        let descriptor =
            registration.as_ref().map_or(null_mut(), |one| unsafe { (*one.get()).mem_desc });
        let place = |at: usize| {
            // SAFETY: so many buffers are there.
            memory.map_or(null_mut(), |(start, _)| unsafe { start.as_ptr().add(at * self.buffer) })
        };
        let ops: Box<[Op]> =
            (0..AT_ONCE).map(|at| Op::new(Kind::Orphan, place(at), descriptor)).collect();
        let ops = NonNull::from(Box::leak(ops));
        // SAFETY: leaked until the pool is dropped.
        self.free.extend(unsafe { ops.as_ref() }.iter());
        self.slabs.push(Slab { ops, memory, _registration: registration });
        Ok(())
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        self._registration = None;
        // SAFETY: made in `grow`; the endpoint is closed, so that the provider has none of them any more.
        unsafe {
            drop(Box::from_raw(self.ops.as_ptr()));
            if let Some((start, layout)) = self.memory {
                std::alloc::dealloc(start.as_ptr(), layout);
            }
        }
    }
}
