//! The components of the framework smsc, and which of them moves a message: see [`crate::choice`].

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::host::{LOG_DEBUG, LOG_INFO};
use cairn_framework::abi::peer::Peer as PeerView;
use cairn_framework::abi::status::{ERR_RESOURCES, OK};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::HostHandle;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::smsc::SmscOps;

use crate::choice::{Choice, MAX_COMPONENTS};

/// Sizes are told apart by their powers of two.
const SIZES: usize = 64;

/// A component of the framework smsc.
pub struct SmscComponent {
    pub name: String,
    /// The same in every process that has the component.
    pub id: u16,
    pub ops: &'static SmscOps,
    pub instance: *mut Instance,
    /// It has asked for an owner's help, so it needs a free line of the ring to that.
    asks: AtomicBool,
}

impl SmscComponent {
    /// Its number in keys, 1 to 15: four bits of the id.
    pub fn number(&self) -> u8 {
        (self.id % 15) as u8 + 1
    }

    /// Whether it needs the owner's help, as far as is known.
    pub fn asks(&self) -> bool {
        self.asks.load(Ordering::Relaxed)
    }

    /// It needs the owner's help.
    pub fn has_asked(&self) {
        if !self.asks() {
            self.asks.store(true, Ordering::Relaxed);
        }
    }
}

/// The components there are, and what is known about their speed.
pub struct SmscComponents {
    pub all: Vec<SmscComponent>,
    sizes: Box<[Choice; SIZES]>,
    /// Processes take turns on the processors.
    crowded: bool,
}

// SAFETY: tables and components are for any thread; the rest is atomic.
unsafe impl Send for SmscComponents {}
// SAFETY: see `Send`.
unsafe impl Sync for SmscComponents {}

impl SmscComponents {
    /// Those that serve the process.
    pub fn find(host: HostHandle) -> Self {
        let all = host.services(c"smsc").into_iter().take(MAX_COMPONENTS).map(|(ops, instance)| {
            // SAFETY: the host gives the framework's completed table, which stays, and a living
            // instance with its name.
            let (ops, name) =
                unsafe { (&*ops.cast::<SmscOps>(), cairn_framework::text::copy((*instance).name)) };
            SmscComponent { id: hash(&name), name, ops, instance, asks: AtomicBool::new(false) }
        });
        Self {
            all: all.collect(),
            sizes: Box::new(std::array::from_fn(|_| Choice::default())),
            crowded: host.job().is_crowded(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn size(&self, len: usize) -> &Choice {
        &self.sizes[len.ilog2() as usize]
    }

    /// The place of the component for `len` bytes among those that this peer can be read by. `idle`:
    /// nothing is going on, so it can be measured.
    ///
    /// Where processes take turns, time says little of a transfer: mostly who ran meanwhile. There one that
    /// needs no help of the owner is taken, which may have to wait for its turn first.
    pub fn choose(&self, peer: &Handles, len: usize, idle: bool) -> Option<usize> {
        self.alone(peer).or_else(|| self.size(len).choose(|| peer.usable(), idle))
    }

    /// Where processes take turns, a component that needs no help of the owner, as far as is known.
    fn alone(&self, peer: &Handles) -> Option<usize> {
        if !self.crowded {
            return None;
        }
        peer.usable().find(|place| !self.all[*place].asks())
    }

    /// The places of components that `len` bytes may be offered by: none where the reader needs no help.
    pub fn to_offer(&self, peer: &Handles, len: usize) -> impl Iterator<Item = usize> {
        let offers = self.alone(peer).is_none();
        self.size(len).to_offer(|| peer.usable()).filter(move |_| offers)
    }

    /// A transfer has begun.
    pub fn begun(&self, place: usize, len: usize) {
        self.size(len).begun(place);
    }

    /// Transfers of `len` bytes, and of `bytes` together, took that time.
    pub fn measured(
        &self,
        host: HostHandle,
        place: usize,
        (len, bytes): (usize, usize),
        time: Duration,
    ) {
        let picoseconds = (time.as_nanos() * 1000 / bytes as u128) as u64;
        if self.size(len).measured(place, self.all.len(), picoseconds) {
            host.log(LOG_INFO, || {
                let from = 1u64 << len.ilog2();
                format!("messages of {from} bytes and more: {}", self.speeds(self.size(len)))
            });
        }
    }

    /// What was measured for a size, the fastest first.
    fn speeds(&self, size: &Choice) -> String {
        let times =
            self.all.iter().enumerate().filter_map(|(place, component)| {
                Some((size.time(place)?, component.name.as_str()))
            });
        let mut times: Vec<(u64, &str)> = times.collect();
        times.sort_unstable();
        let shown = times.iter().map(|(time, name)| format!("{name} {} MB/s", 1_000_000 / time));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What was chosen, in words.
    pub fn describe(&self) -> String {
        let decided = self.sizes.iter().enumerate().filter(|(_, size)| size.is_decided());
        let sizes: Vec<String> = decided
            .map(|(number, size)| format!("from {} B: {}", 1u64 << number, self.speeds(size)))
            .collect();
        if sizes.is_empty() { "no large messages measured yet".into() } else { sizes.join("; ") }
    }
}

/// FNV-1a, folded.
fn hash(name: &str) -> u16 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, step);
    (hash >> 16 ^ hash) as u16
}

/// A peer as the components have it: by place in [`SmscComponents`], where it can be used.
#[derive(Clone, Copy)]
pub struct Handles(pub [Option<NonNull<c_void>>; MAX_COMPONENTS]);

impl Handles {
    /// The places of components that can be used.
    pub fn usable(&self) -> impl Iterator<Item = usize> {
        (0..MAX_COMPONENTS).filter(|place| self.0[*place].is_some())
    }

    /// Their numbers, a bit each.
    pub fn numbers(&self, components: &SmscComponents) -> u16 {
        self.usable().fold(0, |numbers, place| numbers | 1 << components.all[place].number())
    }
}

/// A peer of the components; its handles are made at the first large message.
pub struct SmscPeer {
    view: *const PeerView,
    peers: [AtomicPtr<c_void>; MAX_COMPONENTS],
    /// Nothing is left to be tried.
    settled: AtomicBool,
    opening: Mutex<Opening>,
}

/// Which components are still to be tried.
struct Opening {
    open: [bool; MAX_COMPONENTS],
    asked: u32,
}

// SAFETY: peers of components are for any thread, and the view is the host's and stays.
unsafe impl Send for SmscPeer {}
// SAFETY: see `Send`.
unsafe impl Sync for SmscPeer {}

impl SmscPeer {
    pub fn new(view: &PeerView) -> Self {
        let opening = Opening { open: [true; MAX_COMPONENTS], asked: 0 };
        let opening = Mutex::at(LockLevel::CONNECTING, opening);
        Self { view, peers: Default::default(), settled: AtomicBool::new(false), opening }
    }

    pub fn handles(&self, components: &SmscComponents, host: HostHandle) -> Handles {
        if !self.settled.load(Ordering::Acquire) {
            self.open(components, host);
        }
        // Acquire pairs with the Release in `open`.
        Handles(std::array::from_fn(|place| {
            NonNull::new(self.peers[place].load(Ordering::Acquire))
        }))
    }

    /// Tries the components that were not tried yet, or had no resources: those again at every second,
    /// fourth, eighth ... large message, as a try costs system calls.
    #[cold]
    fn open(&self, components: &SmscComponents, host: HostHandle) {
        let mut opening = self.opening.lock();
        opening.asked = opening.asked.saturating_add(1);
        if !opening.asked.is_power_of_two() {
            return;
        }
        for (place, component) in components.all.iter().enumerate() {
            if !opening.open[place] {
                continue;
            }
            let mut peer = std::ptr::null_mut();
            // SAFETY: the table is complete and the component open, since transports close
            // first; the view is the host's and stays.
            let status = unsafe {
                (component.ops.peer_open.unwrap_unchecked())(
                    component.instance,
                    &*self.view,
                    &mut peer,
                )
            };
            opening.open[place] = status == ERR_RESOURCES;
            if status == OK {
                self.peers[place].store(peer, Ordering::Release);
            } else {
                host.log(LOG_DEBUG, || format!("{} is not for this peer", component.name));
            }
        }
        let all = components.all.len();
        self.settled.store(!opening.open[..all].contains(&true), Ordering::Release);
    }

    /// Ends what was made. No transfer with the peer is under way.
    pub fn close(&self, components: &SmscComponents) {
        for (peer, component) in self.peers.iter().zip(&components.all) {
            let peer = peer.swap(std::ptr::null_mut(), Ordering::Acquire);
            if !peer.is_null() {
                // SAFETY: `peer_open` made it, and nothing uses it any more.
                unsafe { (component.ops.peer_close.unwrap_unchecked())(component.instance, peer) };
            }
        }
    }
}
