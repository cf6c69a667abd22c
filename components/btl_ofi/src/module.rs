//! The device: one domain of a provider. What its CRIs share.

use std::collections::HashSet;
use std::ffi::c_int;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN};
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES};
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::btl::{Btl, Device};
use cairn_transport::departures::{self, ENDED};
use cairn_transport::sockets::Lost;
use cairn_transport::{Admission, Departures, Lives, Registrations, Senders, Sockets};

use crate::bindings::*;
use crate::card::{self, Card};
use crate::choice::{Choice, Kind};
use crate::component::Ofi;
use crate::context::OfiCri;
use crate::fabric::{Domain, Endpoint, Object};
use crate::library::Library;
use crate::link::OfiEndpoint;
use crate::params::Config;
use crate::progress;

/// The device.
pub type OfiDevice = Device<Ofi>;

/// What the device keeps.
pub struct Module {
    pub host: HostHandle,
    pub library: &'static Library,
    /// Ends before what it belongs to: the domain and the first endpoint.
    pub registrations: Registrations<Object<fid_mr>>,
    pub choice: Choice,
    pub domain: Arc<Domain>,
    /// That of the first CRI, to which registrations belong where they belong to one.
    first: Option<Arc<Endpoint>>,
    pub config: Config,
    pub admission: Admission,
    pub lives: Lives,
    /// The provider's own connections, where it is one over TCP.
    sockets: Sockets,
    /// By rank in the job. Made by any thread, once each.
    endpoints: Box<[OnceLock<Arc<OfiEndpoint>>]>,
    /// By rank: it has said that it sends nothing more, and what breaks then has ended in order.
    parted: Box<[AtomicBool]>,
    /// By rank: it has failed, whether there is an endpoint or not.
    failed: Box<[AtomicBool]>,
    senders: Senders,
    /// Raised when a peer has failed, so that CRIs look which.
    failures: AtomicU32,
    departures: Departures,
    /// A queue has failed.
    broken: AtomicBool,
    closing: AtomicBool,
    next_key: AtomicU64,
}

impl Module {
    pub fn new(
        host: HostHandle,
        library: &'static Library,
        choice: Choice,
        domain: Arc<Domain>,
        first: Option<Arc<Endpoint>>,
        config: Config,
        own: &Card,
    ) -> Result<Self, Failure> {
        let ranks = host.job().size;
        let mut start = [0; 8];
        let flags = rustix::rand::GetRandomFlags::empty();
        rustix::rand::getrandom(&mut start, flags)
            .map_err(|error| Failure::from(format!("no random numbers: {error}")))?;
        let kept = config.kept_registrations.unwrap_or_else(|| choice.kept_registrations());
        Ok(Self {
            host,
            library,
            registrations: Registrations::new(host, kept)?,
            choice,
            domain,
            first,
            config,
            admission: Admission::new(host.job(), "btl_ofi")?,
            lives: Lives::new(config.watch_interval, Card::owner),
            sockets: Sockets::new(of_ip(&own.addresses).collect(), config.peer_timeout),
            endpoints: (0..ranks).map(|_| OnceLock::new()).collect(),
            parted: (0..ranks).map(|_| AtomicBool::new(false)).collect(),
            failed: (0..ranks).map(|_| AtomicBool::new(false)).collect(),
            senders: Senders::default(),
            failures: AtomicU32::new(0),
            departures: Departures::new(config.cris),
            broken: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            next_key: AtomicU64::new(u64::from_ne_bytes(start)),
        })
    }

    /// The endpoint of a rank, if there is one.
    #[inline]
    pub fn endpoint(&self, rank: u32) -> Option<&Arc<OfiEndpoint>> {
        self.endpoints.get(rank as usize)?.get()
    }

    /// The endpoint of a rank, made if there is none. `None` when there is no such rank.
    pub fn make_endpoint(&self, rank: u32, addresses: Vec<Vec<u8>>) -> Option<&Arc<OfiEndpoint>> {
        let place = self.endpoints.get(rank as usize)?;
        let make = || Arc::new(OfiEndpoint::new(rank, addresses, self.admission.pass(rank)));
        let made = place.get_or_init(make);
        if self.failed[rank as usize].load(Ordering::Relaxed) {
            made.fail();
        }
        Some(made)
    }

    /// Makes a test's own endpoint.
    #[cfg(test)]
    pub fn insert_endpoint(&self, endpoint: OfiEndpoint) -> Arc<OfiEndpoint> {
        self.endpoints[endpoint.rank as usize].get_or_init(|| Arc::new(endpoint)).clone()
    }

    /// Most bytes of a message that the provider is to copy. That is faster over shm; over `ofi_rxm` it is not, and
    /// loses memory (libfabric 1.17).
    #[inline]
    pub fn inject_limit(&self) -> usize {
        match self.choice.kind {
            // SAFETY: as above.
            Kind::SharedMemory => unsafe { (*self.choice.info.get().tx_attr).inject_size },
            _ => 0,
        }
    }

    /// Whether the provider takes addresses of the peer, and not places in a registration.
    pub fn addresses_are_virtual(&self) -> bool {
        self.choice.mr_mode() & FI_MR_VIRT_ADDR != 0
    }

    /// Whether memory of this process's own must be registered, too.
    pub fn needs_local(&self) -> bool {
        self.choice.mr_mode() & FI_MR_LOCAL != 0
    }

    /// Whether a registration is good for one endpoint. It is that of the first CRI then.
    pub fn keys_are_of_endpoints(&self) -> bool {
        self.choice.mr_mode() & FI_MR_ENDPOINT != 0
    }

    /// The endpoint to which a registration is to belong, if it is to.
    pub fn registration_endpoint(&self) -> Option<&Endpoint> {
        self.first.as_deref().filter(|_| self.keys_are_of_endpoints())
    }

    /// A key for a registration; the provider may choose its own.
    pub fn key(&self) -> u64 {
        // Odd, so that every number comes once.
        let key = self.next_key.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        // SAFETY: as above.
        match unsafe { (*self.choice.info.get().domain_attr).mr_key_size } {
            size @ 1..8 => key & ((1 << (8 * size)) - 1),
            _ => key,
        }
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

    /// The queue of a CRI was emptied.
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

    /// Whether a rank that has sent to this process learns by this CRI that nothing comes from here.
    pub fn owes_goodbye(&self, rank: u32, cri: &OfiCri) -> bool {
        cri.index() == 0 && self.admission.has_greeted(rank) && !self.has_parted(rank)
    }

    /// A rank is told nothing when this process parts from it.
    #[cold]
    pub fn no_goodbye(&self, rank: u32, failure: &Failure) {
        self.host.log(LOG_DEBUG, || format!("no goodbye to rank {rank}: {failure}"));
    }

    /// Whether a rank runs on another node, from which the kernel does not tell of its end.
    fn is_far(&self, rank: u32) -> bool {
        !self.host.peer(rank).is_some_and(|peer| peer.is(PEER_LOCAL))
    }

    /// A rank has sent to this process. Ids of another node's processes mean nothing here.
    pub fn met(&self, rank: u32) {
        self.senders.greeted(rank);
        if !self.is_far(rank) {
            self.lives.met(rank);
        }
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
        self.host.show_once(c"queue", &format!("a completion queue of libfabric fails: {why}"));
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
        self.sockets.look(|| self.accepting()).into_iter().for_each(|lost| self.lose(lost));
        // Those that went in order are no news.
        let told = departures.tell(|rank, why| {
            if !self.has_parted(rank) && !self.is_closing() {
                departures::report(self.host, rank, why);
            }
        });
        ended.len() as u32 + told
    }
}

impl Module {
    /// Where peers accept connections of this process.
    fn accepting(&self) -> HashSet<SocketAddr> {
        let endpoints = self.endpoints.iter().filter_map(OnceLock::get);
        endpoints.flat_map(|endpoint| of_ip(&endpoint.addresses)).collect()
    }

    /// The provider does not tell that peers are not reached any more: they have failed.
    #[cold]
    fn lose(&self, lost: Lost) {
        let why = lost.explain(&self.sockets, "btl_ofi_peer_timeout");
        for rank in (0..self.endpoints.len() as u32).filter(|rank| self.is_far(*rank)) {
            let is_lost = match self.endpoint(rank) {
                Some(endpoint) => of_ip(&endpoint.addresses).any(|address| lost.is(&address)),
                // It has sent to this process, which has not sent to it.
                None => self.admission.has_greeted(rank) && lost.is_sender(self.host, rank, doors),
            };
            if is_lost {
                self.fail(rank, &why);
            }
        }
    }
}

/// Where the process with this card accepts connections.
fn doors(card: &[u8]) -> Option<Vec<SocketAddr>> {
    Some(of_ip(&Card::parse(card).ok()?.addresses).collect())
}

/// Those of libfabric's addresses that are of IP.
fn of_ip(addresses: &[Vec<u8>]) -> impl Iterator<Item = SocketAddr> {
    addresses.iter().filter_map(|address| card::of_ip(address))
}

/// Why a peer's address can't be used.
#[cold]
pub fn no_address(device: &OfiDevice, rank: u32, error: c_int) -> Failure {
    let why = device.library.explain(error);
    Failure::new(ERR_RESOURCES, format!("the address of rank {rank} is not taken: {why}"))
}

/// The failure of an operation to a peer that is gone.
#[cold]
pub fn gone(rank: u32) -> Failure {
    Failure::new(ERR_PEER, format!("rank {rank} is gone"))
}

/// Has goodbye be said to a peer by all ways that it knows, behind all that was sent, and by one at least if it has
/// sent to this process. Progress says it, when it has seen what has come: a peer that has said it already may not be
/// there any more.
pub fn part_from(device: &OfiDevice, endpoint: &OfiEndpoint) {
    let rank = endpoint.rank;
    if endpoint.has_failed() {
        return;
    }
    for cri in device.hold_each() {
        let link = match cri.existing(rank) {
            None if device.owes_goodbye(rank, &cri) => cri.link(device, &cri, endpoint).map(Some),
            existing => Ok(existing),
        };
        let link = link.unwrap_or_else(|failure| {
            device.no_goodbye(rank, &failure);
            None
        });
        if let Some(link) = link {
            link.is_ending.set(true);
            cri.is_ending.set(true);
            cri.traffic();
        }
    }
}

/// Makes endpoints of those that have greeted since the last call. With no CRI's lock held.
pub fn acquaint(device: &OfiDevice) {
    for peer in device.senders.take(device.host) {
        if let Err(failure) = Ofi::add_peer(device, peer) {
            device.no_goodbye(peer.rank, &failure);
        }
    }
}

/// How long a goodbye may take. The peer may have closed before it came, and its provider not have answered; nothing
/// tells of that.
const GOODBYE: Duration = Duration::from_millis(500);

/// At the close: waits for what was sent, for at most `close_timeout`. No other thread polls any more, and
/// receivers may be closed: what comes meanwhile is dropped.
pub fn close(device: &OfiDevice) {
    device.closing.store(true, Ordering::Relaxed);
    device.hold_each().for_each(|cri| cri.is_closing.set(true));
    let until = Instant::now() + device.config.close_timeout;
    for endpoint in device.endpoints.iter().filter_map(OnceLock::get) {
        part_from(device, endpoint);
    }
    let patience = Instant::now() + GOODBYE;
    loop {
        let mut busy = false;
        let mut events = 0;
        let now = Instant::now();
        for cri in device.hold_each() {
            events += progress::pass(device, &cri);
            busy |= cri.is_busy(now >= patience);
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
    for cri in device.hold_each() {
        progress::give_up_all(device, &cri);
    }
}
