//! The component, and the functions of the contract.

use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::btl::BTL_HEADER_ROOM;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::scope::{SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::author::counters::Counted;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::osc::{Osc, OscSync, OscTransfer, Window};

use crate::offer;
use crate::ports::Ports;
use crate::sync;
use crate::window::{LEAST_PACKET, RdmaWindow, Sizes, Traffic};

/// Behind components that need no messages.
const PRIORITY: i64 = 10;

cairn_framework::params! {
    /// The parameters.
    pub struct Params {
        priority: priority(PRIORITY);
        packet: size("64k"),
            "Most bytes of an active message, if the way to its target sends as many at once",
            range(BTL_HEADER_ROOM as i64, 16 << 20), level(5), same();
        in_flight: size("1m"),
            "Bytes of active messages that a target need not have handled before more are sent to it; short \
             ones count 512",
            range(4096, 1 << 40), level(6);
        ways: list("load_store,put_get,atomics"),
            "Ways to the memory of other processes that need not their processors: loads and stores of \
             mapped memory, put and get of devices, atomics of devices. Messages do what these don't",
            level(6), same();
    }
}

/// The component.
pub struct Rdma {
    host: HostHandle,
    priority: i32,
    sizes: Sizes,
    /// The address leads to it from the receive table, for as long as the component is open.
    ports: Box<Ports>,
    counters: Arc<Counted<Traffic>>,
}

impl Component for Rdma {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let sizes = Sizes {
            packet: (params.packet.get() as usize).clamp(LEAST_PACKET, 1 << 24),
            in_flight: params.in_flight.get(),
            ways: params
                .ways
                .get()
                .try_fold(0, |ways, name| offer::way(name).map(|way| ways | way))?,
        };
        let counters = Arc::new(Counted::new(host)?);
        let ports = Ports::listen(host)?;
        Ok(Self { host, priority: params.priority.get() as i32, sizes, ports, counters })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_WINDOW => Answer::Priority(self.priority),
            _ => Answer::Decline("one-sided operations are a window's".into()),
        }
    }
}

impl Osc for Rdma {
    type Window = RdmaWindow;

    fn window_open(&self, window: &mut Window) -> Result<Option<RdmaWindow>, Failure> {
        // SAFETY: windows are closed before the component is.
        let ports = unsafe { &*std::ptr::from_ref::<Ports>(&self.ports) };
        RdmaWindow::open(self.host, ports, &self.counters, self.sizes, window)
    }

    fn window_close(&self, _: &mut Window, state: RdmaWindow) {
        state.close();
    }

    #[inline]
    unsafe fn transfer(
        &self,
        _: &Window,
        state: &RdmaWindow,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure> {
        // SAFETY: promised by the caller.
        unsafe { state.start(transfer, requested) }
    }

    unsafe fn synchronize(
        &self,
        _: &Window,
        state: &RdmaWindow,
        sync: &OscSync,
    ) -> Result<Outcome, Failure> {
        // SAFETY: promised by the caller.
        unsafe { sync::synchronize(state, sync) }
    }

    unsafe fn attach(
        &self,
        _: &Window,
        state: &RdmaWindow,
        base: *mut c_void,
        size: u64,
    ) -> Result<(), Failure> {
        state.with(|inner| inner.memory.attach(base.expose_provenance() as u64, size))
    }

    unsafe fn detach(
        &self,
        _: &Window,
        state: &RdmaWindow,
        base: *mut c_void,
    ) -> Result<(), Failure> {
        state.with(|inner| inner.memory.detach(base.addr() as u64))
    }

    fn shared_query(&self, _: &Window, state: &RdmaWindow, rank: u32) -> Option<*mut c_void> {
        state.find(rank)?.base().map(|base| base.cast())
    }

    fn describe(&self, _: &Window, state: &RdmaWindow) -> String {
        state.with(|inner| inner.describe(state))
    }
}
