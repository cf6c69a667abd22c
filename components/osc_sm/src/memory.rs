//! Memory for programs (`MPI_Alloc_mem`), from which windows can be made that all processes load and store.

use std::collections::HashMap;
use std::sync::OnceLock;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::{Failure, HostHandle, Mutex};

use cairn_rma::{Device, Registration};

/// Memory that programs have.
#[derive(Default)]
pub struct Memory {
    device: OnceLock<Option<Device>>,
    /// By address.
    given: Mutex<HashMap<usize, Registration>>,
}

impl Memory {
    /// The device by which this process reaches another one of its node.
    fn device(&self, host: HostHandle) -> Option<Device> {
        *self.device.get_or_init(|| {
            let job = host.job();
            if job.local_size < 2 {
                return None;
            }
            let peers = (0..job.size).filter_map(|rank| host.peer(rank));
            peers.filter_map(|peer| Device::to(host, peer)).map(|(device, _)| device).next()
        })
    }

    pub fn allocate(
        &self,
        host: HostHandle,
        size: usize,
        alignment: usize,
    ) -> Result<*mut u8, Failure> {
        let none = || Failure::new(ERR_UNSUPPORTED, "no transport gives out memory");
        let device = self.device(host).ok_or_else(none)?;
        // Where memory that is shared is short, other memory need not be.
        let (given, registration) = device.allocate(host, size, alignment).map_err(|failure| {
            host.log(LOG_INFO, || {
                format!("memory for the program comes from elsewhere: {failure}")
            });
            none()
        })?;
        self.given.lock().insert(given.addr(), registration);
        Ok(given)
    }

    pub fn free(&self, base: *mut u8) {
        let registration = self.given.lock().remove(&base.addr());
        if let Some(registration) = registration {
            registration.end();
        }
    }
}
