//! The device: all of TCP on this node. What its CRIs share.

use std::io;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::host::{LOG_DEBUG, LOG_WARN};
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::lock::BiasedGuard;
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::author::Mutex;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::btl::BtlModule;

use crate::address::Local;
use crate::context::{self, Context};
use crate::endpoint::TcpEndpoint;
use crate::event::Arrival;
use crate::link::Link;
use crate::params::Config;
use crate::rdma::Registry;
use crate::sys;
use crate::wire::{Answer, Nonce, Secret, VERSION, Welcome};

/// The device.
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
    endpoints: Box<[OnceLock<Box<TcpEndpoint>>]>,
    /// Held while an endpoint is made, so that only one is.
    making: Mutex<()>,
    /// Has its own lock.
    pub registry: Registry,
    /// One a CRI, under its lock.
    pub contexts: Box<[Context]>,
    /// Both set before any other thread sees the device.
    pub view: AtomicPtr<BtlModule>,
    pub pool: AtomicPtr<CriPool>,
    closing: AtomicBool,
}

/// Where a link is: what its functions need besides itself.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub module: &'a Module,
    /// Of the CRI that polls the link.
    pub context: &'a Context,
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
        contexts: Box<[Context]>,
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
            contexts,
            view: AtomicPtr::default(),
            pool: AtomicPtr::default(),
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

    /// What others see of the device.
    pub fn view(&self) -> *const BtlModule {
        self.view.load(Ordering::Relaxed)
    }

    /// The endpoint of a rank, if there is one.
    pub fn endpoint(&self, rank: u32) -> Option<&TcpEndpoint> {
        self.endpoints.get(rank as usize)?.get().map(|endpoint| &**endpoint)
    }

    /// The endpoint of a rank, which has so many CRIs. `None` when there is no such rank.
    pub fn make_endpoint(&self, rank: u32, cris: u16) -> Option<&TcpEndpoint> {
        let place = self.endpoints.get(rank as usize)?;
        let _making = self.making.lock();
        Some(place.get_or_init(|| Box::new(TcpEndpoint::new(self.host, &self.config, rank, cris))))
    }

    /// All endpoints there are.
    pub fn all_endpoints(&self) -> impl Iterator<Item = &TcpEndpoint> {
        self.endpoints.iter().filter_map(|place| place.get().map(|endpoint| &**endpoint))
    }

    /// The context of the CRI that polls a link.
    pub fn context_of(&self, link: u16) -> &Context {
        &self.contexts[usize::from(link) % self.contexts.len()]
    }

    /// A CRI.
    pub fn cri(&self, index: u32) -> &Cri {
        // SAFETY: set before any other thread sees the device; the pool stays as long.
        unsafe { &*self.pool.load(Ordering::Relaxed) }.cri(index)
    }

    /// Takes a CRI's lock, unless the process is single-threaded.
    pub fn lock(&self, index: u32) -> Option<BiasedGuard<'_>> {
        if self.host.job().thread_level != THREAD_MULTIPLE {
            return None;
        }
        Some(self.cri(index).guard())
    }

    /// As [`Module::lock`], for what can be left out; `Err` when it is taken.
    pub fn try_lock(&self, index: u32) -> Result<Option<BiasedGuard<'_>>, ()> {
        if self.host.job().thread_level != THREAD_MULTIPLE {
            return Ok(None);
        }
        self.cri(index).try_guard().map(Some).ok_or(())
    }

    /// Ends the links to a peer: the goodbye goes behind everything that was sent. What the sockets
    /// do not take now goes out when progress is made, or in `close`.
    pub fn part(&self, endpoint: &TcpEndpoint) {
        if !endpoint.is_used() {
            return;
        }
        for (at, link) in self.links(endpoint) {
            let _held = self.lock(at.context.index);
            link.say_goodbye(at);
        }
    }

    /// At the close: sends what is left for all peers together in at most `close_timeout`. No other
    /// thread polls any more, and receivers may be closed: what comes meanwhile is dropped.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let until = Instant::now() + self.config.close_timeout;
        let used = || self.all_endpoints().filter(|endpoint| endpoint.is_used());
        loop {
            let mut left = false;
            for (at, link) in used().flat_map(|endpoint| self.links(endpoint)) {
                left |= !link.say_goodbye(at);
            }
            let now = Instant::now();
            if !left || now >= until {
                break;
            }
            if self.contexts.iter().map(|context| context.poll(self)).sum::<u32>() == 0 {
                context::sleep(&self.contexts, LONGEST_SLEEP.min(until - now));
            }
        }
        for (at, link) in used().flat_map(|endpoint| self.links(endpoint)) {
            let (rank, bytes) = (at.endpoint.rank, link.buffered());
            if bytes > 0 {
                self.host.log(LOG_WARN, || {
                    format!("rank {rank} does not take the last {bytes} bytes that were sent to it")
                });
            }
            link.drop_connection(at);
        }
    }

    /// The links to a peer, each with where it is.
    fn links<'a>(&'a self, endpoint: &'a TcpEndpoint) -> impl Iterator<Item = (At<'a>, &'a Link)> {
        endpoint.links.iter().enumerate().map(move |(index, link)| {
            (At { module: self, context: self.context_of(index as u16), endpoint }, link)
        })
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
