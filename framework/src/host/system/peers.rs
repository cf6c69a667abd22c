//! The processes of the job and the ways to reach them.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;

use super::System;
use super::slot::{Chosen, Slot, Stage};
use crate::abi::host::LOG_INFO;
use crate::abi::peer::{PEER_FAILED, PEER_LOCAL, PEER_SELF, Peer, Route};
use crate::abi::receive::ReceiveFn;
use crate::abi::scope::{SCOPE_PROCESS, Scope};
use crate::abi::status::OK;
use crate::frameworks::btl::{BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, BtlModule, BtlOps};
use crate::frameworks::pml::PmlOps;
use crate::frameworks::smsc::SmscOps;
use crate::host::problem::Problem;
use crate::host::services::table;

/// The transports' devices and the processes of the job.
pub(super) struct Peers {
    /// The most exclusive first. Set by `open_transports`.
    devices: OnceLock<Vec<Device>>,
    /// By rank; set by `set_nodes`, or at first use with every other process on another node.
    all: OnceLock<Vec<PeerPointer>>,
    /// Held while a peer gets its routes.
    connecting: Mutex<()>,
}

impl Default for Peers {
    fn default() -> Self {
        let connecting = Mutex::at(LockLevel::CONNECTING, ());
        Self { devices: OnceLock::new(), all: OnceLock::new(), connecting }
    }
}

struct PeerPointer(*mut Peer);

// SAFETY: a `Peer` is `Sync`, and these are never freed.
unsafe impl Send for PeerPointer {}
// SAFETY: see `Send`.
unsafe impl Sync for PeerPointer {}

/// A device of an open transport.
struct Device {
    component: String,
    module: *mut BtlModule,
}

// SAFETY: a `BtlModule` is `Sync` and stays while its transport is open.
unsafe impl Send for Device {}
// SAFETY: see `Send`.
unsafe impl Sync for Device {}

impl System {
    /// Selects and opens the transports and asks them for their devices. Once, before messages are
    /// sent. What transports build upon, copies between address spaces, is selected before them.
    ///
    /// # Errors
    /// A list that can't be fulfilled. A transport that was not asked for by name and whose devices are
    /// not in order is not used, and the user learns why.
    pub fn open_transports(&'static self) -> Result<(), Problem> {
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        if self.slots.iter().any(|slot| slot.loaded.contract.name == "smsc") {
            self.select_many::<SmscOps>(&process)?;
        }
        let chosen = self.select_many::<BtlOps>(&process)?;
        if let Some(problem) = self.denied.lock().take() {
            return Err(problem);
        }
        let mut devices = Vec::new();
        for transport in &chosen {
            // SAFETY: an instance of this system.
            let slot = unsafe { Slot::of(transport.instance) };
            match self.modules_of(slot, transport) {
                Ok(modules) => devices.extend(
                    modules
                        .into_iter()
                        .map(|module| Device { component: transport.name.clone(), module }),
                ),
                Err(reason) => self.give_up(slot, &reason)?,
            }
        }
        // SAFETY: devices stay while their transports are open.
        devices.sort_by_key(|device| std::cmp::Reverse(unsafe { (*device.module).exclusivity }));
        self.peers.devices.set(devices).map_err(|_| Problem::new("the transports are open already"))
    }

    /// The devices of the transports that are open.
    pub(crate) fn modules(&self) -> impl Iterator<Item = *const BtlModule> {
        self.peers.devices.get().into_iter().flatten().map(|device| device.module.cast_const())
    }

    /// Says what is wrong with the devices of a component, if it is an open transport: for tools.
    ///
    /// # Errors
    /// Why jobs can't use it.
    pub fn examine_devices(&self, slot: &Slot) -> Result<(), String> {
        match slot.table::<BtlOps>() {
            Some(ops) if slot.stage() == Stage::Open => {
                let instance = slot.instance();
                let transport = Chosen { name: slot.name(), ops, instance, priority: 0 };
                self.modules_of(slot, &transport).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The devices of a transport, checked and completed.
    fn modules_of(
        &self,
        slot: &Slot,
        transport: &Chosen<BtlOps>,
    ) -> Result<Vec<*mut BtlModule>, String> {
        let _lifecycle = self.lifecycle.lock();
        let (mut first, mut count) = (std::ptr::null(), 0);
        let modules = transport.ops.modules;
        // SAFETY: the table is complete and the transport open; the places are valid.
        slot.call("modules", || unsafe {
            (modules.unwrap_unchecked())(transport.instance, &mut first, &mut count)
        })
        .map_err(|unfit| unfit.whole())?;
        if count > 0 && first.is_null() {
            return Err(format!("modules said that there are {count} devices, at null"));
        }
        let place_of = |place| {
            // SAFETY: the transport vouches for `count` pointers.
            let module = unsafe { *first.add(place) };
            // SAFETY: a transport's device is as large as it says.
            unsafe { complete(transport, module) }?;
            // SAFETY: it is a whole device.
            let pool = unsafe { (*module).pool };
            if self.has_pool(transport.instance.addr(), pool) {
                Ok(module)
            } else {
                Err("its pool was not given to pool_add, so nothing would poll it".into())
            }
        };
        (0..count as usize)
            .map(|place| {
                place_of(place)
                    .map_err(|reason: String| format!("modules, device {place}: {reason}"))
            })
            .collect()
    }

    /// Tells the user once that something works, but not as well as it could. What is true of one
    /// process is mostly true of all on its node, so the first of them speaks for all, when it is
    /// known which one that is.
    pub(super) fn note(&self, component: &str, text: &str) {
        if let Some(held) = &mut *self.held_notes.lock() {
            held.push((component.to_owned(), text.to_owned()));
            return;
        }
        if self.job().local_rank == 0 {
            self.log.show_once(&format!("{component} fails"), text);
        } else {
            self.log.write(LOG_INFO, component, text);
        }
    }

    /// Handles messages that arrive with `tag`, for a driver of transports that is not a
    /// component: tests and benchmarks. False when a component handles them.
    ///
    /// # Safety
    /// No transport receives yet; `context` fits `callback` and stays as long as the process lives.
    pub unsafe fn receive_register(
        &self,
        tag: u8,
        callback: ReceiveFn,
        context: *mut c_void,
    ) -> bool {
        self.receive.register(std::ptr::from_ref(self).addr(), tag, callback, context).is_ok()
    }

    /// Says which node each rank of the job runs on. Before the first use of a peer.
    pub fn set_nodes(&self, nodes: &[u32]) {
        let _ = self.peers.all.set(self.make_peers(|rank| nodes[rank as usize]));
    }

    fn make_peers(&self, node_of: impl Fn(u32) -> u32) -> Vec<PeerPointer> {
        let job = self.job();
        let own_node = node_of(job.rank);
        (0..job.size)
            .map(|rank| {
                let node = node_of(rank);
                let mut flags = 0;
                if rank == job.rank {
                    flags |= PEER_SELF;
                }
                if node == own_node {
                    flags |= PEER_LOCAL;
                }
                let peer = Peer {
                    struct_size: size_of::<Peer>() as u32,
                    rank,
                    job: 0,
                    flags: flags.into(),
                    node,
                    route_count: 0.into(),
                    routes: std::cell::UnsafeCell::new(std::ptr::null()),
                    pml: std::ptr::null_mut(),
                };
                PeerPointer(Box::into_raw(Box::new(peer)))
            })
            .collect()
    }

    /// The process with this rank in the job.
    pub fn peer(&self, rank: u32) -> Option<*mut Peer> {
        // It was not said which processes share a node, so none do.
        let all = self.peers.all.get_or_init(|| self.make_peers(|rank| rank));
        all.get(rank as usize).map(|peer| peer.0)
    }

    /// Makes sure that a peer has routes.
    ///
    /// # Errors
    /// When no transport reaches it, with what each of them says.
    pub fn connect(&self, peer: &Peer) -> Result<(), Problem> {
        if !peer.routes().is_empty() {
            return Ok(());
        }
        let _connecting = self.peers.connecting.lock();
        if !peer.routes().is_empty() {
            return Ok(());
        }
        let devices = self.peers.devices.get().map_or(&[][..], Vec::as_slice);
        let mut routes: Vec<(Route, &Device)> = Vec::new();
        let mut answers = Vec::new();
        let mut failures = Vec::new();
        let mut best = 0;
        for device in devices {
            // SAFETY: devices stay while their transports are open.
            let module = unsafe { &*device.module };
            // The rest could only lose. They are not asked, because their endpoints could not be taken
            // back here: the caller may hold the lock of an instance, which `remove_peer` needs.
            if module.exclusivity < best {
                break;
            }
            let mut endpoint = std::ptr::null_mut();
            let one = std::ptr::from_ref(peer);
            table::forget_reason();
            // SAFETY: the table is complete; one peer and one place for its endpoint.
            let status = unsafe {
                ((*module.ops).add_peers.unwrap_unchecked())(
                    module,
                    1,
                    &raw const one,
                    &raw mut endpoint,
                )
            };
            if status != OK {
                let reason = table::take_reason("add_peers", status);
                answers.push(format!("{}: {reason}", device.component));
                failures.push((module.exclusivity, device, reason));
            } else if endpoint.is_null() {
                answers.push(format!("{}: does not reach it", device.component));
            } else {
                best = module.exclusivity;
                routes.push((Route { module, endpoint }, device));
            }
        }
        if routes.is_empty() {
            return Err(self.unreachable(peer, &answers));
        }
        // The user should know why it is slower than it could be.
        for (_, device, reason) in failures.iter().filter(|(rank, ..)| *rank > best) {
            let others: Vec<&str> = routes.iter().map(|(_, by)| by.component.as_str()).collect();
            let (component, others) = (&device.component, others.join(" and "));
            let text =
                format!("{component} can't reach rank {}, so {others} does: {reason}", peer.rank);
            self.note(component, &text);
        }
        // SAFETY: as above.
        let view = |route: &Route| unsafe { &*route.module };
        routes.sort_by_key(|(route, _)| {
            (view(route).latency, std::cmp::Reverse(view(route).bandwidth))
        });
        let routes: Vec<Route> = routes.into_iter().map(|(route, _)| route).collect();
        let count = routes.len() as u32;
        // SAFETY: no thread looks at them before the count is published.
        unsafe { *peer.routes.get() = routes.leak().as_ptr() };
        // Release: a thread that sees the count sees the routes.
        peer.route_count.store(count, Ordering::Release);
        Ok(())
    }

    /// A transport knows that a process is gone: operations that need it end.
    pub(crate) fn peer_failed(&self, rank: u32) {
        let Some(peer) = self.peer(rank) else { return };
        // SAFETY: peers are never freed.
        let peer = unsafe { &*peer };
        if peer.flags.fetch_or(PEER_FAILED, Ordering::AcqRel) & PEER_FAILED != 0 {
            return;
        }
        let Some(slot) = self.serving("pml", None, 0) else { return };
        let Some(ops) = slot.table::<PmlOps>() else { return };
        // SAFETY: the table is complete, and the component serves.
        unsafe { (ops.peer_failed.unwrap_unchecked())(slot.instance(), peer) };
    }

    /// Whether any process of the job was ever connected.
    pub fn is_connected(&self) -> bool {
        let all = self.peers.all.get().map_or(&[][..], Vec::as_slice);
        // SAFETY: peers are never freed.
        all.iter().any(|PeerPointer(peer)| !unsafe { &**peer }.routes().is_empty())
    }

    fn unreachable(&self, peer: &Peer, answers: &[String]) -> Problem {
        let answers =
            if answers.is_empty() { "no transport is open".into() } else { answers.join("; ") };
        let place = if peer.is(PEER_LOCAL) { "this node" } else { "another node" };
        Problem::new(format!(
            "rank {} of the job, on {place}, can't be reached ({answers})",
            peer.rank
        ))
        .fix("allow a transport that reaches it, such as --mca btl self,sm,tcp")
    }

    /// Ends all endpoints, before the transports close. Nothing is in flight.
    pub(super) fn disconnect_all(&self) {
        for PeerPointer(peer) in self.peers.all.get().map_or(&[][..], Vec::as_slice) {
            // SAFETY: peers are never freed.
            let peer = unsafe { &**peer };
            let routes = {
                let _connecting = self.peers.connecting.lock();
                let routes = peer.routes();
                peer.route_count.store(0, Ordering::Release);
                routes
            };
            // Without the lock: threads that connect may hold that of a CRI, which a transport may want here.
            for route in routes {
                // SAFETY: made by `add_peers` of this device; no thread sends any more.
                unsafe {
                    let module = &*route.module;
                    ((*module.ops).remove_peer.unwrap_unchecked())(module, route.endpoint);
                }
            }
        }
    }
}

/// Checks a device and fills in what is the host's.
///
/// # Safety
/// `module` is null or as large as it says.
unsafe fn complete(transport: &Chosen<BtlOps>, module: *mut BtlModule) -> Result<(), String> {
    if module.is_null() {
        return Err("it is null".into());
    }
    // SAFETY: promised by the caller, field by field as far as the checks have come.
    unsafe {
        let size = (*module).struct_size as usize;
        if size != size_of::<BtlModule>() {
            return Err(format!("struct_size is {size}: set it to sizeof(cairn_btl_module_t)"));
        }
        let module = &mut *module;
        if module.pool.is_null() {
            return Err("it has no pool of CRIs".into());
        }
        module.ops = transport.ops;
        module.instance = transport.instance;
        module.capabilities &= transport.ops.offered();
        if module.capabilities & (BTL_SEND_IMMEDIATE | BTL_SEND_PACKED) == 0 {
            return Err("it has neither send_immediate nor send_packed".into());
        }
        module.check_limits()?;
    }
    Ok(())
}
