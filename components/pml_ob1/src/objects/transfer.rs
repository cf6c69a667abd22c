//! What a message that is too large to be sent at once needs, on either side.

use core::ffi::c_void;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use cairn_framework::abi::datatype::Cursor;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::frameworks::btl::BtlCompletion;

use crate::mode::{Mode, fetch_add, fetch_sub};
use crate::objects::rail::{Key, Rail};

/// Rails that a message is spread over, at most.
pub const SPREAD: usize = 4;

/// What a message that is too large to be sent at once needs, on either side.
pub struct Transfer {
    /// Our memory, registered with the device of `rail`.
    pub registration: Option<*mut c_void>,
    /// The other side's memory: its key, if there is one.
    pub key: Option<*mut c_void>,
    /// The other side's memory: its address.
    pub address: u64,
    /// The other side's number for it.
    pub theirs: u64,
    /// Bytes that the receiver wants.
    pub wanted: u64,
    /// Bytes that were started.
    pub offset: u64,
    /// Where the walk through data with holes stands.
    pub walk: Option<Cursor>,
    /// The rail, among the peer's.
    pub rail: usize,
    /// The instance of all puts, so that one flush covers them.
    pub cri: *const Cri,
    /// Operations in flight, and one as long as not all are started.
    pub outstanding: AtomicU32,
    /// The first error, or OK.
    pub failure: AtomicI32,
    /// What the transport calls for each operation.
    pub completion: BtlCompletion,
    /// Bytes sent by each rail, for sharing out by bandwidth.
    pub sent: [u64; SPREAD],
    /// Among the transfers of its communicator.
    under_way: bool,
}

impl Transfer {
    /// Nothing is started.
    pub fn new() -> Self {
        Self {
            registration: None,
            key: None,
            address: 0,
            theirs: 0,
            wanted: 0,
            offset: 0,
            walk: None,
            rail: 0,
            cri: core::ptr::null(),
            outstanding: AtomicU32::new(1),
            failure: AtomicI32::new(OK),
            completion: BtlCompletion { done: None, context: core::ptr::null_mut() },
            sent: [0; SPREAD],
            under_way: false,
        }
    }

    /// Its data begins to move: one more of its communicator's.
    pub fn begin<M: Mode>(&mut self, transfers: &AtomicU32) {
        fetch_add::<M>(transfers, 1);
        self.under_way = true;
    }

    /// It is over, if it had begun.
    pub fn end<M: Mode>(&mut self, transfers: &AtomicU32) {
        if core::mem::take(&mut self.under_way) {
            fetch_sub::<M>(transfers, 1);
        }
    }

    /// Begins anew, in another way: nothing of it is in flight.
    pub fn again(&mut self) {
        self.offset = 0;
        self.walk = None;
        *self.outstanding.get_mut() = 1;
        *self.failure.get_mut() = OK;
    }

    /// Keeps the first error.
    pub fn fail(&self, status: Status) {
        let _ = self.failure.compare_exchange(OK, status, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Registers our memory if the device asks for it. With no instance's lock held.
    ///
    /// # Safety
    /// The memory stays until `release`.
    pub unsafe fn register(
        &mut self,
        rail: &Rail,
        address: *mut u8,
        len: u64,
        access: u32,
    ) -> Result<(), Status> {
        if self.registration.is_some() || !rail.registers(access) {
            return Ok(());
        }
        let mut registration = core::ptr::null_mut();
        // SAFETY: promised by the caller; the table is complete.
        let status = unsafe {
            (rail.ops().register_memory.unwrap_unchecked())(
                rail.device(),
                address.cast(),
                len as usize,
                access,
                &mut registration,
            )
        };
        if status != OK {
            return Err(status);
        }
        self.registration = Some(registration);
        Ok(())
    }

    /// Registers our memory for one get by the peer, which may begin at once.
    ///
    /// # Safety
    /// The instance is one of the rail's device and its lock is held. The memory stays, unchanged,
    /// until `release`.
    pub unsafe fn offer(
        &mut self,
        rail: &Rail,
        cri: &Cri,
        address: *mut u8,
        len: u64,
    ) -> Result<(), Status> {
        let mut registration = core::ptr::null_mut();
        // SAFETY: promised by the caller; the table is complete.
        let status = unsafe {
            (rail.ops().offer_memory.unwrap_unchecked())(
                rail.device(),
                cri,
                rail.endpoint,
                address.cast(),
                len as usize,
                &mut registration,
            )
        };
        if status != OK {
            return Err(status);
        }
        self.registration = Some(registration);
        Ok(())
    }

    /// Writes what the other side needs to use our memory; returns the key's length.
    pub fn pack_key(&self, rail: &Rail, key: &mut Key) -> Result<usize, Status> {
        let Some(registration) = self.registration else { return Ok(0) };
        // SAFETY: registered with this device; a key is at most that long.
        let status = unsafe {
            (rail.ops().pack_key.unwrap_unchecked())(
                rail.device(),
                registration,
                key.as_mut_ptr().cast(),
            )
        };
        if status == OK { Ok(rail.key_size()) } else { Err(status) }
    }

    /// Reads the other side's key. False when it is not one.
    pub fn unpack_key(&mut self, rail: &Rail, packed: &[u8]) -> bool {
        if packed.len() != rail.key_size() {
            return false;
        }
        if packed.is_empty() {
            return true;
        }
        let mut key = core::ptr::null_mut();
        // SAFETY: as long as the device's keys are; the table is complete.
        let status = unsafe {
            (rail.ops().unpack_key.unwrap_unchecked())(
                rail.device(),
                rail.endpoint,
                packed.as_ptr().cast(),
                &mut key,
            )
        };
        self.key = (status == OK).then_some(key);
        status == OK
    }

    /// Whether `release` has to deregister memory.
    pub fn is_registered(&self) -> bool {
        self.registration.is_some()
    }

    /// Gives the key and the registration back. With no instance's lock held, if memory is
    /// registered.
    pub fn release(&mut self, rail: &Rail) {
        // SAFETY: made by this device, and nothing in flight uses them.
        unsafe {
            if let Some(key) = self.key.take() {
                (rail.ops().release_key.unwrap_unchecked())(rail.device(), key);
            }
            if let Some(registration) = self.registration.take() {
                (rail.ops().deregister_memory.unwrap_unchecked())(rail.device(), registration);
            }
        }
    }
}
