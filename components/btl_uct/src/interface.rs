//! An interface: a transport on a device, opened for one worker.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cairn_framework::author::Failure;

use crate::bindings::*;
use crate::domain::{Candidate, Domain};
use crate::library::Library;
use crate::message::{HEAD_IN_MEMORY, HEAD_OVER_NETWORK};

/// The number of the one active message that there is.
pub const MESSAGE: u8 = 11;

/// An interface of a worker. Used by whoever uses the worker.
pub struct Interface {
    iface: uct_iface_h,
    pub attr: Box<uct_iface_attr_t>,
    /// Bytes of a message's head; see [`message`](crate::message).
    pub head: usize,
    /// [`Self::send_line`] takes what is short enough.
    pub takes_lines: bool,
    pub address: Vec<u8>,
    pub device_address: Vec<u8>,
    pub domain: Arc<Domain>,
}

// SAFETY: used under the lock of the CRI whose worker it belongs to.
unsafe impl Send for Interface {}

impl Drop for Interface {
    fn drop(&mut self) {
        // SAFETY: `open` opened it, and its endpoints are gone: they come before it in a CRI.
        unsafe { self.domain.library.uct_iface_close(self.iface) };
    }
}

/// Where the other side of a connection that it has accepted is gone, UCX's tcp connects again inside
/// `uct_ep_create`. If that fails at once, as it does where connecting waits, UCX frees the endpoint that it has
/// just returned.
///
/// # Safety
/// The configuration is one of tcp.
unsafe fn connect_without_waiting(
    library: &Library,
    config: *mut uct_iface_config_t,
) -> ucs_status_t {
    // SAFETY: promised by the caller.
    let set = |name: &CStr| unsafe {
        library.uct_config_modify(config.cast(), name.as_ptr(), c"y".as_ptr())
    };
    match set(c"CONN_NB") {
        // The later versions want the transport's name too.
        UCS_ERR_NO_ELEM => set(c"TCP_CONN_NB"),
        status => status,
    }
}

impl Interface {
    /// Opens it and lets it send and receive. `failed` is called with `hook` for each endpoint that breaks.
    pub fn open(
        candidate: &Candidate,
        worker: uct_worker_h,
        failed: uct_error_handler_t,
        hook: *mut c_void,
    ) -> Result<Self, Failure> {
        let library = candidate.domain.library;
        let head = if candidate.is_local() { HEAD_IN_MEMORY } else { HEAD_OVER_NETWORK };
        // SAFETY: domain and worker live; the places are filled before they are read; zeros are valid
        // values of the plain structs.
        unsafe {
            let (md, mut config) = (candidate.domain.md(), null_mut());
            let tl = candidate.transport.as_ptr();
            let read = library.uct_md_iface_config_read(md, tl, null(), null(), &raw mut config);
            library.check(format_args!("{}'s configuration", candidate.transport()), read)?;
            if candidate.transport() == "tcp" {
                let set = connect_without_waiting(library, config);
                if let Err(failure) = library.check("tcp's CONN_NB", set) {
                    library.uct_config_release(config.cast());
                    return Err(failure);
                }
            }
            let mut params: Box<uct_iface_params_t> = Box::new(std::mem::zeroed());
            params.field_mask = u64::from(
                UCT_IFACE_PARAM_FIELD_OPEN_MODE
                    | UCT_IFACE_PARAM_FIELD_DEVICE
                    | UCT_IFACE_PARAM_FIELD_ERR_HANDLER
                    | UCT_IFACE_PARAM_FIELD_ERR_HANDLER_ARG
                    | UCT_IFACE_PARAM_FIELD_AM_ALIGNMENT
                    | UCT_IFACE_PARAM_FIELD_AM_ALIGN_OFFSET,
            );
            params.open_mode = u64::from(UCT_IFACE_OPEN_MODE_DEVICE);
            params.mode.device.tl_name = tl;
            params.mode.device.dev_name = candidate.device.as_ptr();
            params.err_handler = failed;
            params.err_handler_arg = hook;
            // Where it can, the library receives what follows a head at a cache line.
            (params.am_alignment, params.am_align_offset) = (64, head);
            let mut iface = null_mut();
            let opened =
                library.uct_iface_open(md, worker, &raw const *params, config, &raw mut iface);
            library.uct_config_release(config.cast());
            let what = format_args!("{}/{}", candidate.transport(), candidate.device());
            library.check(what, opened)?;
            let mut interface = Self {
                iface,
                attr: Box::new(std::mem::zeroed()),
                head,
                takes_lines: false,
                address: Vec::new(),
                device_address: Vec::new(),
                domain: candidate.domain.clone(),
            };
            interface.query(library)?;
            interface.takes_lines = interface.may_take_lines();
            let enable = interface.ops().iface_progress_enable.expect("every interface has it");
            enable(iface, UCT_PROGRESS_SEND | UCT_PROGRESS_RECV);
            Ok(interface)
        }
    }

    /// # Safety
    /// The interface is open.
    unsafe fn query(&mut self, library: &Library) -> Result<(), Failure> {
        // SAFETY: promised by the caller. The address buffers have the lengths that the attributes say.
        unsafe {
            let asked = library.uct_iface_query(self.iface, &raw mut *self.attr);
            library.check("its attributes", asked)?;
            self.address = vec![0; self.attr.iface_addr_len];
            let address = self.address.as_mut_ptr().cast();
            library.check("its address", library.uct_iface_get_address(self.iface, address))?;
            self.device_address = vec![0; self.attr.device_addr_len];
            let address = self.device_address.as_mut_ptr().cast();
            let got = library.uct_iface_get_device_address(self.iface, address);
            library.check("its device's address", got)
        }
    }

    /// Hands messages that come in to `receive`, with `hook`.
    pub fn receive_by(&self, receive: uct_am_callback_t, hook: *mut c_void) -> Result<(), Failure> {
        let library = self.domain.library;
        // SAFETY: the hook outlives the interface; see `Cri`.
        let set =
            unsafe { library.uct_iface_set_am_handler(self.iface, MESSAGE, receive, hook, 0) };
        library.check("a handler of messages", set)
    }

    /// The functions of this interface, which the library's header calls in place.
    #[inline(always)]
    pub fn ops(&self) -> &uct_iface_ops {
        // SAFETY: the interface is open, and they are constant.
        unsafe { &(*self.iface).ops }
    }

    /// Whether all of these flags hold for it.
    pub fn can(&self, flags: u64) -> bool {
        self.attr.cap.flags & flags == flags
    }

    /// What answers which interfaces this one reaches.
    pub fn reach(&self) -> Reach {
        Reach {
            iface: self.iface,
            library: self.domain.library,
            lens: [self.device_address.len(), self.address.len()],
        }
    }

    /// Connects to the interface with these addresses, which it reaches. Does not wait.
    ///
    /// # Safety
    /// The thread may use the worker.
    pub unsafe fn connect(&self, device: &[u8], address: &[u8]) -> Result<Connection, Failure> {
        let library = self.domain.library;
        // SAFETY: promised by the caller; zeros are a valid value of the plain struct, and the addresses are
        // used during the call only.
        unsafe {
            let mut params: uct_ep_params_t = std::mem::zeroed();
            params.field_mask = u64::from(
                UCT_EP_PARAM_FIELD_IFACE
                    | UCT_EP_PARAM_FIELD_DEV_ADDR
                    | UCT_EP_PARAM_FIELD_IFACE_ADDR,
            );
            params.iface = self.iface;
            params.dev_addr = device.as_ptr().cast();
            params.iface_addr = address.as_ptr().cast();
            let mut ep = null_mut();
            let made = library.uct_ep_create(&raw const params, &raw mut ep);
            library.check("no endpoint", made)?;
            Ok(Connection { ep, library })
        }
    }
}

/// Which interfaces one reaches. Its use ends before that of the interface.
pub struct Reach {
    iface: uct_iface_h,
    library: &'static Library,
    /// Bytes of addresses, of the device and of the interface.
    lens: [usize; 2],
}

// SAFETY: the question reads what does not change while the interface is open.
unsafe impl Send for Reach {}
// SAFETY: see `Send`.
unsafe impl Sync for Reach {}

impl Reach {
    /// Whether it reaches the interface with these addresses. Any thread.
    pub fn reaches(&self, device: &[u8], address: &[u8]) -> bool {
        // Interfaces look at as many bytes as their own addresses have.
        [device.len(), address.len()] == self.lens
            // SAFETY: the interface is open, and the addresses are as long as it expects.
            && unsafe {
                self.library.uct_iface_is_reachable(
                    self.iface,
                    device.as_ptr().cast(),
                    address.as_ptr().cast(),
                ) != 0
            }
    }
}

/// An endpoint of UCT. Used, and dropped, by whoever uses the worker.
pub struct Connection {
    ep: uct_ep_h,
    library: &'static Library,
}

impl Connection {
    #[inline(always)]
    pub fn ep(&self) -> uct_ep_h {
        self.ep
    }
}

// SAFETY: see `Interface`.
unsafe impl Send for Connection {}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: `connect` made it, and who drops it may use the worker.
        unsafe { self.library.uct_ep_destroy(self.ep) };
    }
}

/// A worker: what makes the interfaces of a CRI move.
pub struct Worker {
    pub library: &'static Library,
    worker: uct_worker_h,
    events: *mut ucs_async_context_t,
}

// SAFETY: see `Interface`.
unsafe impl Send for Worker {}

impl Worker {
    pub fn new(library: &'static Library) -> Result<Self, Failure> {
        let mut made = Self { library, worker: null_mut(), events: null_mut() };
        // SAFETY: the places are filled by calls that succeed; `drop` looks at which.
        unsafe {
            let context =
                library.ucs_async_context_create(UCS_ASYNC_MODE_THREAD, &raw mut made.events);
            library.check("no context for events", context)?;
            let mode = UCS_THREAD_MODE_SINGLE;
            let worker = library.uct_worker_create(made.events, mode, &raw mut made.worker);
            library.check("no worker", worker)?;
        }
        Ok(made)
    }

    /// The worker itself.
    pub fn handle(&self) -> uct_worker_h {
        self.worker
    }

    /// Calls what is due. See [`Library::progress`].
    ///
    /// # Safety
    /// The thread may use the worker.
    #[inline(always)]
    pub unsafe fn progress(&self) -> u32 {
        // SAFETY: promised by the caller.
        unsafe { self.library.progress(self.worker) }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: `new` made both, or not; the interfaces are closed: they come before it in a CRI.
        unsafe {
            if !self.worker.is_null() {
                self.library.uct_worker_destroy(self.worker);
            }
            if !self.events.is_null() {
                self.library.ucs_async_context_destroy(self.events);
            }
        }
    }
}
