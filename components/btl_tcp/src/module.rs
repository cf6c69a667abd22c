//! The device: all of TCP on this node. What its CRIs share.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN};
use cairn_framework::author::Mutex;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::btl::Device;

use crate::address::Local;
use crate::component::Tcp;
use crate::context::{self, Shared, TcpCri};
use crate::endpoint::TcpEndpoint;
use crate::event::Arrival;
use crate::link::Link;
use crate::params::Config;
use crate::progress::Pass;
use crate::rdma::Registry;
use crate::sys;
use crate::wire::{Answer, Nonce, Secret, VERSION, Welcome, lane_and_cri};

/// The device.
pub type TcpDevice = Device<Tcp>;

/// What it keeps.
pub struct Module {
    pub host: HostHandle,
    pub config: Config,
    /// Addresses that were chosen, best first.
    pub locals: Vec<Local>,
    /// All addresses of this node.
    pub node: Vec<Local>,
    /// What hellos to this process repeat.
    pub nonce: Nonce,
    /// Hellos that were said.
    hellos: AtomicU64,
    /// By rank in the job. Made by any thread, once each.
    endpoints: Box<[OnceLock<Arc<TcpEndpoint>>]>,
    /// Held while an endpoint is made, so that only one is.
    making: Mutex<()>,
    /// Has its own lock.
    pub registry: Registry,
    /// One a CRI.
    pub shared: Box<[Arc<Shared>]>,
    closing: AtomicBool,
}

/// Where a link is: what its functions need besides itself.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub module: &'a TcpDevice,
    /// The CRI that polls the link.
    pub context: &'a TcpCri,
    pub endpoint: &'a TcpEndpoint,
}

/// How long the close sleeps at most between looks at what is left.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);

impl Module {
    pub fn new(
        host: HostHandle,
        config: Config,
        locals: Vec<Local>,
        node: Vec<Local>,
        nonce: Nonce,
        shared: Box<[Arc<Shared>]>,
    ) -> Result<Self, Failure> {
        let mut start = [0; 8];
        random(&mut start).map_err(no_random)?;
        Ok(Self {
            endpoints: (0..host.job().size).map(|_| OnceLock::new()).collect(),
            making: Mutex::new(()),
            registry: Registry::new(u64::from_le_bytes(start)),
            host,
            config,
            locals,
            node,
            nonce,
            hellos: AtomicU64::new(0),
            shared,
            closing: AtomicBool::new(false),
        })
    }

    /// What every process of the job knows and no other process.
    pub fn secret(&self) -> &'static Secret {
        &self.host.job().secret
    }

    /// The number of the next hello: above all before.
    pub fn next_hello(&self) -> u64 {
        self.hellos.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many hellos were said: no number so far is above it.
    pub fn hellos(&self) -> u64 {
        self.hellos.load(Ordering::Relaxed)
    }

    /// Our rank.
    pub fn rank(&self) -> u32 {
        self.host.job().rank
    }

    /// The endpoint of a rank, if there is one.
    pub fn endpoint(&self, rank: u32) -> Option<&Arc<TcpEndpoint>> {
        self.endpoints.get(rank as usize)?.get()
    }

    /// The endpoint of a rank, which has so many CRIs and wants so many lanes. `None` when there is no such rank.
    pub fn make_endpoint(&self, rank: u32, has: (u16, u16)) -> Option<&Arc<TcpEndpoint>> {
        let place = self.endpoints.get(rank as usize)?;
        let _making = self.making.lock();
        Some(place.get_or_init(|| Arc::new(TcpEndpoint::new(self.host, &self.config, rank, has))))
    }

    /// All endpoints there are.
    pub fn all_endpoints(&self) -> impl Iterator<Item = &TcpEndpoint> {
        self.endpoints.iter().filter_map(|place| place.get().map(|endpoint| &**endpoint))
    }

    /// The CRI that polls a link.
    pub fn cri_of(&self, link: u16) -> usize {
        usize::from(lane_and_cri(link).1) % self.shared.len()
    }

    /// Answers the hello. A welcome under the lock of the link's CRI, so that it covers all hellos
    /// that were said on it.
    pub fn answer(&self, arrival: &Arrival, answer: Answer) -> io::Result<()> {
        let welcome = Welcome {
            version: VERSION,
            answer,
            rank: self.rank(),
            frame_limit: self.config.frame_limit,
            hellos: self.hellos(),
        };
        sys::write_all(arrival.socket.as_fd(), &welcome.encode(self.secret(), &arrival.said))
    }

    /// Whether the transport closes, so that no receiver is left.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Tells the user, once, that there is too little of something to take connections with.
    pub fn report_shortage(&self, error: &io::Error) {
        let why = sys::explain(error);
        let text = format!("others can't connect to this process for now, and wait: {why}");
        self.host.show_once(c"accept", &text);
    }

    /// Writes a line to the debug log.
    pub fn debug(&self, text: impl FnOnce() -> String) {
        self.host.log(LOG_DEBUG, text);
    }
}

/// Ends the links to a peer: the goodbye goes behind everything that was sent. What the sockets
/// do not take now goes out when progress is made, or in `close`.
pub fn part(device: &TcpDevice, endpoint: &TcpEndpoint) {
    each_link(device, endpoint, |at, link| _ = link.say_goodbye(at));
}

/// At the close: sends what is left for all peers together in at most `close_timeout`. No other
/// thread polls any more, and receivers may be closed: what comes meanwhile is dropped.
pub fn close(device: &TcpDevice) {
    device.closing.store(true, Ordering::Relaxed);
    let until = Instant::now() + device.config.close_timeout;
    loop {
        let mut left = false;
        for endpoint in device.all_endpoints() {
            each_link(device, endpoint, |at, link| left |= !link.say_goodbye(at));
        }
        let now = Instant::now();
        if !left || now >= until {
            break;
        }
        let poll = |context: &TcpCri| Pass { module: device, context }.poll();
        if device.hold_each().map(|cri| poll(&cri)).sum::<u32>() == 0 {
            context::sleep(&device.shared, LONGEST_SLEEP.min(until - now));
        }
    }
    for endpoint in device.all_endpoints() {
        each_link(device, endpoint, |at, link| {
            let (rank, bytes) = (at.endpoint.rank, link.buffered());
            if bytes > 0 {
                device.host.log(LOG_WARN, || {
                    format!("rank {rank} does not take the last {bytes} bytes that were sent to it")
                });
            }
            link.drop_connection(at);
        });
    }
}

/// Does something with each link to a peer, if any was ever used.
fn each_link(device: &TcpDevice, endpoint: &TcpEndpoint, mut act: impl FnMut(At<'_>, &Link)) {
    if !endpoint.is_used() {
        return;
    }
    for link in &endpoint.links {
        let context = &*device.hold(device.cri_of(link.id.index));
        act(At { module: device, context, endpoint }, link);
    }
}

/// Fills bytes with random ones.
pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        let flags = rustix::rand::GetRandomFlags::empty();
        filled += rustix::rand::getrandom(&mut bytes[filled..], flags)?;
    }
    Ok(())
}

/// Why the transport can't be used.
pub fn no_random(error: io::Error) -> Failure {
    Failure::from(format!("no random numbers: {error}"))
}
