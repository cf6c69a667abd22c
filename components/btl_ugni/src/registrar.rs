//! Registers memory: one domain for all of a process, and no more registrations than the device gives it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::abi::status::ERR_RESOURCES;
use cairn_framework::author::{Failure, Mutex};

use crate::bindings::gni_mem_handle_t;
use crate::nic::Nic;

/// What makes registrations, which hold for the CRIs' domains, too. Any thread.
pub struct Registrar {
    nic: Mutex<Nic>,
    /// Registrations there are, and how many there may be.
    count: AtomicU64,
    most: u64,
}

/// Registered memory. The registration ends when it is dropped.
pub struct Registered {
    pub handle: gni_mem_handle_t,
    registrar: Arc<Registrar>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.registrar.nic.lock().deregister(self.handle);
        self.registrar.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Registrar {
    pub fn new(nic: Nic, most: u64) -> Arc<Self> {
        Arc::new(Self { nic: Mutex::new(nic), count: AtomicU64::new(0), most })
    }

    /// One registration more, if there may be one.
    pub fn allow(&self) -> Result<(), Failure> {
        if self.count.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(());
        }
        self.count.fetch_sub(1, Ordering::Relaxed);
        let most = self.most;
        let text = format!("all {most} registrations of memory are in use that a process may have");
        Err(Failure::new(ERR_RESOURCES, text))
    }

    /// Registers whole units of memory.
    ///
    /// # Safety
    /// The memory is there until the registration ends, or is not used with it after it is gone.
    pub unsafe fn register(
        self: &Arc<Self>,
        start: u64,
        len: u64,
        flags: u32,
    ) -> Result<Registered, Failure> {
        self.allow()?;
        // SAFETY: promised by the caller.
        let made = unsafe { self.nic.lock().register(start, len, None, flags) };
        let handle = made.inspect_err(|_| _ = self.count.fetch_sub(1, Ordering::Relaxed))?;
        Ok(Registered { handle, registrar: self.clone() })
    }
}
