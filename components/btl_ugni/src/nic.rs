//! What the library has for this process, each destroyed when it is dropped.

use std::ptr::null_mut;

use cairn_framework::author::{Failure, Mutex};

use crate::bindings::*;
use crate::credentials::Credentials;
use crate::library::Library;

/// Bits of an instance's id that tell those of a process apart; the rest are the process's id.
const BITS: u32 = 10;

/// The numbers of this process's instances.
static NUMBERS: Mutex<Vec<bool>> = Mutex::new(Vec::new());

/// A number that no other instance of this process has.
struct Number(usize);

impl Number {
    fn take() -> Option<Self> {
        let mut all = NUMBERS.lock();
        let free = all.iter().position(|taken| !taken).unwrap_or(all.len());
        if free >= 1 << BITS {
            return None;
        }
        if free == all.len() {
            all.push(false);
        }
        all[free] = true;
        Some(Self(free))
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        NUMBERS.lock()[self.0] = false;
    }
}

/// A communication domain, attached to a NIC.
pub struct Nic {
    library: &'static Library,
    cdm: gni_cdm_handle_t,
    nic: gni_nic_handle_t,
    /// The id of this instance on its NIC.
    pub id: u32,
    _number: Number,
}

// SAFETY: may be used by any thread, by one at a time.
unsafe impl Send for Nic {}

impl Nic {
    pub fn open(
        library: &'static Library,
        credentials: Credentials,
        modes: u32,
    ) -> Result<Self, Failure> {
        let number = Number::take().ok_or("there is no number for another instance")?;
        let process = std::process::id();
        if process >= 1 << (32 - BITS) {
            return Err(Failure::unavailable(format!("the process's id {process} is too large")));
        }
        let id = process << BITS | number.0 as u32;
        let (tag, cookie, device) = (credentials.tag, credentials.cookie, credentials.device);
        let (mut cdm, mut nic, mut address) = (null_mut(), null_mut(), 0);
        // SAFETY: there is room for the answers.
        let made = unsafe { library.GNI_CdmCreate(id, tag, cookie, modes, &raw mut cdm) };
        library.check("a communication domain", made)?;
        // SAFETY: as above; the domain is there.
        let attached =
            unsafe { library.GNI_CdmAttach(cdm, device, &raw mut address, &raw mut nic) };
        let made = Self { library, cdm, nic, id, _number: number };
        library.check(format!("attaching to device {device}"), attached)?;
        Ok(made)
    }

    pub fn handle(&self) -> gni_nic_handle_t {
        self.nic
    }

    /// How often messages are sent again.
    pub fn set_retransmits(&self, times: u16) -> Result<(), Failure> {
        // SAFETY: the NIC is there.
        let set = unsafe { self.library.GNI_SmsgSetMaxRetrans(self.nic, times) };
        self.library.check("the number of retransmissions", set)
    }

    pub fn queue(&self, entries: u32) -> Result<Queue, Failure> {
        let (library, mut cq) = (self.library, null_mut());
        // SAFETY: the NIC is there, and room for the answer; no handler.
        let made = unsafe {
            library.GNI_CqCreate(
                self.nic,
                entries,
                0,
                GNI_CQ_NOBLOCK,
                None,
                null_mut(),
                &raw mut cq,
            )
        };
        library.check(format!("a completion queue of {entries} entries"), made)?;
        Ok(Queue { library, cq })
    }

    /// An endpoint, whose events go to a queue.
    pub fn endpoint(&self, queue: Option<&Queue>) -> Result<Endpoint, Failure> {
        let (library, mut ep) = (self.library, null_mut());
        let queue = queue.map_or(null_mut(), |queue| queue.cq);
        // SAFETY: the NIC and the queue are there, and room for the answer.
        let made = unsafe { library.GNI_EpCreate(self.nic, queue, &raw mut ep) };
        library.check("an endpoint", made)?;
        Ok(Endpoint { library, ep })
    }

    /// One that is bound to an instance.
    pub fn bound(&self, queue: &Queue, (address, id): (u32, u32)) -> Result<Endpoint, Failure> {
        let endpoint = self.endpoint(Some(queue))?;
        // SAFETY: the endpoint is there.
        let bound = unsafe { self.library.GNI_EpBind(endpoint.ep, address, id) };
        self.library.check("binding an endpoint", bound)?;
        Ok(endpoint)
    }

    /// Registers memory; `events` of what peers write there go to a queue.
    ///
    /// # Safety
    /// The memory is there until the registration ends.
    pub unsafe fn register(
        &self,
        address: u64,
        len: u64,
        events: Option<&Queue>,
        flags: u32,
    ) -> Result<gni_mem_handle_t, Failure> {
        let mut handle = gni_mem_handle_t { qword1: 0, qword2: 0 };
        let (nic, queue) = (self.nic, events.map_or(null_mut(), |queue| queue.cq));
        // SAFETY: promised by the caller; the rest is there.
        let made = unsafe {
            let handle = &raw mut handle;
            self.library.GNI_MemRegister(nic, address, len, queue, flags, u32::MAX, handle)
        };
        self.library.check(format!("{len} bytes can't be registered"), made)?;
        Ok(handle)
    }

    /// Ends a registration.
    pub fn deregister(&self, mut handle: gni_mem_handle_t) {
        // SAFETY: the NIC is there. A handle that it does not know is refused.
        unsafe { self.library.GNI_MemDeregister(self.nic, &raw mut handle) };
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        // SAFETY: nothing of the domain is used any more.
        unsafe { self.library.GNI_CdmDestroy(self.cdm) };
    }
}

/// A completion queue.
pub struct Queue {
    library: &'static Library,
    cq: gni_cq_handle_t,
}

// SAFETY: as for a NIC.
unsafe impl Send for Queue {}

/// What a queue has.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    None,
    Well(gni_cq_entry_t),
    /// Something has failed.
    Error(gni_cq_entry_t),
    /// Events were lost.
    Overrun,
    /// The queue can't be read.
    Broken(gni_return_t),
}

impl Queue {
    pub fn handle(&self) -> gni_cq_handle_t {
        self.cq
    }

    /// The next event.
    #[inline]
    pub fn next(&self) -> Event {
        let mut entry = 0;
        // SAFETY: the queue is there, and room for the answer.
        let got = unsafe { self.library.GNI_CqGetEvent(self.cq, &raw mut entry) };
        match got {
            GNI_RC_NOT_DONE => Event::None,
            GNI_RC_SUCCESS => {
                // SAFETY: it takes any entry.
                match unsafe { self.library.gni_cq_overrun(entry) } {
                    0 => Event::Well(entry),
                    _ => Event::Overrun,
                }
            }
            GNI_RC_ERROR_RESOURCE => Event::Overrun,
            GNI_RC_TRANSACTION_ERROR => Event::Error(entry),
            other => Event::Broken(other),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: nothing refers to it any more; if something does it is refused.
        unsafe { self.library.GNI_CqDestroy(self.cq) };
    }
}

/// An endpoint.
pub struct Endpoint {
    library: &'static Library,
    pub ep: gni_ep_handle_t,
}

// SAFETY: as for a NIC.
unsafe impl Send for Endpoint {}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // SAFETY: it is not used any more; one that is not bound is refused the first.
        unsafe {
            self.library.GNI_EpUnbind(self.ep);
            self.library.GNI_EpDestroy(self.ep);
        }
    }
}
