//! The device: one NIC. What its CRIs share.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::abi::status::ERR_PEER;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::btl::Device;
use cairn_transport::departures::{self, ENDED};
use cairn_transport::{Admission, Departures, Lives, Registrations};

use crate::bindings::*;
use crate::card::Card;
use crate::component::Ugni;
use crate::credentials::Credentials;
use crate::inquiry::Inquiries;
use crate::library::Library;
use crate::link::{Link, UgniEndpoint};
use crate::memory::{Region, units};
use crate::nic::Nic;
use crate::params::Config;
use crate::progress;
use crate::registrar::{Registered, Registrar};

/// The device.
pub type UgniDevice = Device<Ugni>;

/// Registrations of a node whose library does not say how many there are.
const USUAL_REGISTRATIONS: u64 = 1200;

/// Instances of a node up to which each has an FMA window of its own.
const WINDOWS: u64 = 122;

/// What the device keeps.
pub struct Module {
    pub host: HostHandle,
    pub library: &'static Library,
    pub credentials: Credentials,
    /// Those of each communication domain.
    pub modes: u32,
    pub is_gemini: bool,
    pub config: Config,
    pub admission: Admission,
    pub lives: Lives,
    pub registrar: Arc<Registrar>,
    /// Of the program's memory, by address, bytes and flags.
    pub registrations: Registrations<Registered>,
    /// By rank in the job. Made by any thread, once each.
    endpoints: Box<[OnceLock<Arc<UgniEndpoint>>]>,
    /// By rank: it has failed, whether there is an endpoint or not.
    failed: Box<[AtomicBool]>,
    /// By rank: it has said that it sends nothing more, and what breaks then has ended in order.
    parted: Box<[AtomicBool]>,
    /// Raised when a peer has failed, so that CRIs look which.
    failures: AtomicU32,
    departures: Departures,
    pub inquiries: Inquiries,
    /// A queue has failed.
    broken: AtomicBool,
    closing: AtomicBool,
}

/// A registration here.
pub struct Registration {
    pub region: Region,
    /// None where there are no bytes.
    memory: Option<Arc<Registered>>,
}

impl Registration {
    /// The library's handle, if there are bytes.
    pub fn handle(&self) -> Option<gni_mem_handle_t> {
        self.memory.as_ref().map(|memory| memory.handle)
    }
}

/// What a node has for all processes of a job, and how many processes these are.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub processes: u32,
    pub queues: Option<u64>,
    pub windows: Option<u64>,
    pub registrations: Option<u64>,
}

impl Limits {
    /// What the library says.
    pub fn ask(library: &Library, credentials: Credentials, processes: u32) -> Self {
        let limit = |resource| library.limit(credentials.device, credentials.tag, resource);
        Self {
            processes: processes.max(1),
            queues: limit(GNI_JOB_RES_CQ),
            windows: limit(GNI_JOB_RES_FMA),
            registrations: limit(GNI_JOB_RES_MDD),
        }
    }

    /// CRIs that a process may have: each has three queues and a window, and there is a window for registrations.
    pub fn cris(&self) -> u32 {
        let share = |all: Option<u64>| all.map_or(u64::MAX, |all| all / u64::from(self.processes));
        let most = (share(self.queues) / 3).min(share(self.windows).saturating_sub(1));
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// Registrations that a process may have.
    pub fn registrations(&self) -> u64 {
        self.registrations.unwrap_or(USUAL_REGISTRATIONS) / u64::from(self.processes)
    }

    /// The modes of communication domains, of which a process has one more than CRIs.
    pub fn modes(&self, cris: u32) -> u32 {
        let is_shared = u64::from(self.processes) * (u64::from(cris) + 1) >= WINDOWS;
        let windows = if is_shared { GNI_CDM_MODE_FMA_SHARED } else { GNI_CDM_MODE_FMA_DEDICATED };
        GNI_CDM_MODE_FORK_PARTCOPY
            | GNI_CDM_MODE_ERR_NO_KILL
            | GNI_CDM_MODE_FAST_DATAGRAM_POLL
            | GNI_CDM_MODE_MDD_SHARED
            | GNI_CDM_MODE_FMA_SMALL_WINDOW
            | windows
    }
}

impl Module {
    pub fn new(
        host: HostHandle,
        library: &'static Library,
        credentials: Credentials,
        limits: Limits,
        cris: u32,
        config: Config,
    ) -> Result<Self, Failure> {
        let ranks = host.job().size;
        let modes = limits.modes(cris);
        let most = limits.registrations();
        // The rest is for memory that is in use.
        let kept = config.kept_registrations.min(usize::try_from(most / 2).unwrap_or(usize::MAX));
        let flags = || (0..ranks).map(|_| AtomicBool::new(false)).collect();
        Ok(Self {
            host,
            library,
            credentials,
            modes,
            is_gemini: library.is_gemini()?,
            config,
            admission: Admission::new(host.job(), "btl_ugni")?,
            lives: Lives::new(config.watch_interval, Card::owner),
            registrar: Registrar::new(Nic::open(library, credentials, modes)?, most),
            registrations: Registrations::new(host, kept)?,
            endpoints: (0..ranks).map(|_| OnceLock::new()).collect(),
            failed: flags(),
            parted: flags(),
            failures: AtomicU32::new(0),
            departures: Departures::new(cris),
            inquiries: Inquiries::new(config.inquiry_interval),
            broken: AtomicBool::new(false),
            closing: AtomicBool::new(false),
        })
    }

    /// The endpoint of a rank, if there is one.
    #[inline]
    pub fn endpoint(&self, rank: u32) -> Option<&Arc<UgniEndpoint>> {
        self.endpoints.get(rank as usize)?.get()
    }

    /// The endpoint of a rank, made if there is none. `None` when there is no such rank.
    pub fn make_endpoint(
        &self,
        rank: u32,
        address: u32,
        ids: Vec<u32>,
    ) -> Option<Arc<UgniEndpoint>> {
        let place = self.endpoints.get(rank as usize)?;
        let made = place.get_or_init(|| Arc::new(UgniEndpoint::new(rank, address, ids)));
        if self.has_failed(rank) {
            made.fail();
        }
        Some(made.clone())
    }

    /// Registers memory, from the unit in which it begins to the one in which it ends, or finds the registration of
    /// an earlier time.
    ///
    /// # Safety
    /// The memory is there until the registration ends.
    pub unsafe fn register(
        &self,
        address: *mut c_void,
        len: usize,
        flags: u32,
    ) -> Result<Registration, Failure> {
        let base = address.expose_provenance() as u64;
        let whole_len = len as u64;
        if len == 0 {
            let region = Region { handle: [0; 2], base, len: 0 };
            return Ok(Registration { region, memory: None });
        }
        let (start, whole) = units(base, whole_len);
        // SAFETY: promised by the caller, and afterwards the registration is used for the same memory only; a unit does
        // not go beyond a page.
        let make = || unsafe { self.registrar.register(start, whole, flags) };
        let memory = self.registrations.get(address, len, flags, make)?;
        let handle = memory.handle;
        let region = Region { handle: [handle.qword1, handle.qword2], base, len: whole_len };
        Ok(Registration { region, memory: Some(memory) })
    }

    /// Whether the transport closes, so that no receiver is left.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// How often a peer has failed.
    #[inline(always)]
    pub fn failures(&self) -> u32 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Whether a rank is gone.
    pub fn has_failed(&self, rank: u32) -> bool {
        self.failed.get(rank as usize).is_some_and(|failed| failed.load(Ordering::Relaxed))
    }

    /// The queues of a CRI were emptied.
    pub fn looked(&self, cri: usize) {
        self.departures.looked(cri);
    }

    /// A rank sends nothing more, or sends again.
    pub fn part(&self, rank: u32, parted: bool) {
        if let Some(place) = self.parted.get(rank as usize) {
            place.store(parted, Ordering::Relaxed);
        }
    }

    /// Whether a rank sends nothing more.
    pub fn has_parted(&self, rank: u32) -> bool {
        self.parted.get(rank as usize).is_some_and(|place| place.load(Ordering::Relaxed))
    }

    /// A rank has greeted. Ids of another node's processes mean nothing here.
    pub fn greeted(&self, rank: u32) {
        self.part(rank, false);
        if self.host.peer(rank).is_some_and(|peer| peer.is(PEER_LOCAL)) {
            self.lives.met(rank);
        }
    }

    /// Something came that is dropped.
    #[cold]
    pub fn refuse(&self, why: &str) {
        self.host.show_once(c"refused", why);
    }

    /// A peer is gone: tells CRIs, and has the host be told. Also from functions that may not tell it, as those
    /// that send.
    pub fn fail(&self, rank: u32, why: &str) {
        let Some(failed) = self.failed.get(rank as usize) else { return };
        let first = !failed.swap(true, Ordering::Relaxed);
        // It may be made at this moment, and looks at the flag then.
        if let Some(endpoint) = self.endpoint(rank) {
            endpoint.fail();
        }
        if first {
            self.failures.fetch_add(1, Ordering::Relaxed);
            self.departures.note(rank, why);
        }
    }

    /// A queue has failed, and what it had to tell is lost: no peer is reached any more.
    #[cold]
    pub fn break_down(&self, why: &str) {
        if self.broken.swap(true, Ordering::SeqCst) {
            return;
        }
        self.host.show_once(c"queue", &format!("a completion queue of uGNI fails: {why}"));
        for rank in 0..self.endpoints.len() as u32 {
            if self.endpoint(rank).is_some() || self.admission.has_greeted(rank) {
                self.fail(rank, why);
            }
        }
    }

    /// Whether a queue has failed.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::SeqCst)
    }

    /// Looks for processes of the node that have ended, and tells the host of peers that are gone.
    pub fn reap(&self) -> u32 {
        let departures = &self.departures;
        let ended = self.lives.reap(self.host, |rank| departures.is_through_with(rank));
        for rank in &ended {
            self.fail(*rank, ENDED);
        }
        // Those that went in order are no news.
        let told = departures.tell(|rank, why| {
            if !self.has_parted(rank) && !self.is_closing() {
                departures::report(self.host, rank, why);
            }
        });
        ended.len() as u32 + told
    }
}

/// The failure of an operation to a peer that is gone.
#[cold]
pub fn gone(rank: u32) -> Failure {
    Failure::new(ERR_PEER, format!("rank {rank} is gone"))
}

/// Has goodbye be said by links, behind all that was sent. Progress says it, when it has seen what has come: a peer
/// that has said it already may not be there any more.
pub fn part(device: &UgniDevice, is_over: impl Fn(&Link) -> bool) {
    for cri in device.hold_each() {
        for link in cri.all_links().into_iter().filter(|link| is_over(link)) {
            link.is_ending.set(true);
            cri.is_ending.set(true);
            cri.traffic();
        }
    }
}

/// At the close: waits for what was sent, for at most `close_timeout`. No other thread polls any more, and
/// receivers may be closed: what comes meanwhile is dropped.
pub fn close(device: &UgniDevice) {
    device.closing.store(true, Ordering::Relaxed);
    device.hold_each().for_each(|cri| cri.is_closing.set(true));
    let until = Instant::now() + device.config.close_timeout;
    part(device, |_| true);
    loop {
        let mut busy = false;
        let mut events = 0;
        for cri in device.hold_each() {
            events += progress::pass(device, &cri, true);
            busy |= cri.is_busy(device);
        }
        if !busy {
            break;
        }
        if Instant::now() >= until {
            let text = "peers do not take the last messages that were sent to them";
            device.host.log(LOG_WARN, || text.into());
            break;
        }
        device.reap();
        if events == 0 {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_node_has_is_shared_by_its_processes() {
        let all =
            Limits { processes: 4, queues: Some(64), windows: Some(32), registrations: Some(4000) };
        assert_eq!((all.cris(), all.registrations()), (5, 1000));
        assert_eq!(Limits { windows: Some(12), ..all }.cris(), 2);
        assert_eq!(Limits { queues: None, windows: None, ..all }.cris(), u32::MAX);
        assert_eq!(Limits { registrations: None, ..all }.registrations(), 300);
        let is_shared = |cris| all.modes(cris) & GNI_CDM_MODE_FMA_SHARED != 0;
        assert!(!is_shared(29) && is_shared(30));
        assert_eq!(all.modes(29) & GNI_CDM_MODE_FMA_DEDICATED, GNI_CDM_MODE_FMA_DEDICATED);
    }
}
