//! The component, and the functions of the contract.

use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COMPLETE, REQUEST_MAGIC, REQUEST_ONE_SIDED, Request,
};
use cairn_framework::abi::scope::{SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::author::{
    Answer, CachePadded, Component, Failure, HostHandle, Outcome, Registrar,
};
use cairn_framework::frameworks::osc::{Osc, OscSync, OscTransfer, Window};

use crate::deaths::Deaths;
use crate::memory::Memory;
use crate::window::SmWindow;
use crate::{setup, sync, transfer};

/// Before components that move data by messages.
const PRIORITY: i64 = 50;

cairn_framework::params! {
    /// The parameters.
    pub struct Params {
        priority: priority(PRIORITY);
    }
}

/// The component.
pub struct SharedMemory {
    host: HostHandle,
    priority: i32,
    deaths: Arc<Deaths>,
    memory: Memory,
    /// The request of every operation. Never written.
    done: CachePadded<Request>,
}

// SAFETY: the request is constant, and complete.
unsafe impl Send for SharedMemory {}
// SAFETY: see `Send`.
unsafe impl Sync for SharedMemory {}

impl Component for SharedMemory {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        unsafe extern "C" fn keep(_: *mut Request) {}
        let done = Request {
            magic: REQUEST_MAGIC,
            kind: REQUEST_ONE_SIDED,
            completion: REQUEST_COMPLETE.into(),
            status: MessageStatus::default(),
            free: Some(keep),
            cancel: None,
            start: None,
            object: std::ptr::null_mut(),
            struct_size: size_of::<Request>() as u32,
            active: 0,
        };
        Ok(Self {
            host,
            priority: params.priority.get() as i32,
            deaths: Deaths::watch(host)?,
            memory: Memory::default(),
            done: CachePadded(done),
        })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_WINDOW => Answer::Priority(self.priority),
            _ => Answer::Decline("one-sided operations are a window's".into()),
        }
    }
}

impl Osc for SharedMemory {
    type Window = SmWindow;

    fn window_open(&self, window: &mut Window) -> Result<Option<SmWindow>, Failure> {
        setup::open(self.host, &self.deaths, window)
    }

    fn window_close(&self, window: &mut Window, state: SmWindow) {
        setup::close(self.host, window, state);
    }

    #[inline]
    unsafe fn transfer(
        &self,
        window: &Window,
        state: &SmWindow,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure> {
        // SAFETY: promised by the caller.
        unsafe { transfer::run(self.host, window, state, transfer)? };
        Ok(requested.then(|| (&raw const *self.done).cast_mut()))
    }

    unsafe fn synchronize(
        &self,
        _: &Window,
        state: &SmWindow,
        sync: &OscSync,
    ) -> Result<Outcome, Failure> {
        // SAFETY: promised by the caller.
        unsafe { sync::synchronize(self.host, state, sync) }
    }

    fn shared_query(&self, _: &Window, state: &SmWindow, rank: u32) -> Option<*mut c_void> {
        state.bases.get(rank as usize).map(|base| base.cast())
    }

    fn memory_allocate(&self, size: u64, alignment: u64) -> Result<*mut c_void, Failure> {
        let (size, alignment) = (size as usize, alignment as usize);
        self.memory.allocate(self.host, size, alignment).map(|base| base.cast())
    }

    unsafe fn memory_free(&self, base: *mut c_void) {
        self.memory.free(base.cast());
    }

    fn describe(&self, _: &Window, state: &SmWindow) -> String {
        let ranks = state.shared.size;
        let lost = if state.shared.own().is_broken() { "; a process has died" } else { "" };
        format!("memory of {ranks} ranks is loaded and stored{lost}")
    }
}
