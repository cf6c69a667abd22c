//! The components of the framework smsc, and which of them moves a message: see [`crate::choice`].

use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Duration;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::host::{LOG_DEBUG, LOG_INFO};
use cairn_framework::abi::peer::Peer as PeerView;
use cairn_framework::abi::status::OK;
use cairn_framework::author::HostHandle;
use cairn_framework::frameworks::smsc::SmscOps;

use crate::choice::{Choice, MOVERS};
use crate::module::State;

/// Sizes are told apart by their powers of two.
const SIZES: usize = 64;

/// A component of the framework smsc.
pub struct Mover {
    pub name: String,
    /// The same in every process that has the component.
    pub id: u16,
    pub ops: &'static SmscOps,
    pub instance: *mut Instance,
}

impl Mover {
    /// Four bits of the id, for keys. Never 0.
    pub fn mark(&self) -> u8 {
        (self.id % 15) as u8 + 1
    }
}

/// The components there are, and what is known about their speed.
pub struct Movers {
    pub all: Vec<Mover>,
    sizes: Box<[Choice; SIZES]>,
}

// SAFETY: tables and instances are for any thread; the rest is atomic.
unsafe impl Send for Movers {}
// SAFETY: see `Send`.
unsafe impl Sync for Movers {}

impl Movers {
    /// Those that serve the process.
    pub fn find(host: HostHandle) -> Self {
        let all = host.services(c"smsc").into_iter().take(MOVERS).map(|(ops, instance)| {
            // SAFETY: the host gives the framework's completed table, which stays, and a living
            // instance with its name.
            let (ops, name) =
                unsafe { (&*ops.cast::<SmscOps>(), cairn_framework::text::copy((*instance).name)) };
            Mover { id: hash(&name), name, ops, instance }
        });
        Self { all: all.collect(), sizes: Box::new(std::array::from_fn(|_| Choice::default())) }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn size(&self, len: usize) -> &Choice {
        &self.sizes[len.ilog2() as usize]
    }

    /// The place of the component for `len` bytes among those that this peer can be read by. `idle`:
    /// nothing is going on, so it can be measured.
    pub fn choose(&self, peer: &Lines, len: usize, idle: bool) -> Option<usize> {
        self.size(len).choose(|| peer.usable(), idle)
    }

    /// The places of components that `len` bytes may be offered by.
    pub fn to_offer(&self, peer: &Lines, len: usize) -> impl Iterator<Item = usize> {
        self.size(len).to_offer(|| peer.usable())
    }

    /// A transfer has begun.
    pub fn begun(&self, place: usize, len: usize) {
        self.size(len).begun(place);
    }

    /// Transfers of `len` bytes, and of `bytes` together, took that time.
    pub fn measured(
        &self,
        state: &State,
        place: usize,
        (len, bytes): (usize, usize),
        time: Duration,
    ) {
        let picoseconds = (time.as_nanos() * 1000 / bytes as u128) as u64;
        if self.size(len).measured(place, self.all.len(), picoseconds) {
            state.host.log(LOG_INFO, || {
                let from = 1u64 << len.ilog2();
                format!("messages of {from} bytes and more: {}", self.speeds(self.size(len)))
            });
        }
    }

    /// What was measured for a size, the fastest first.
    fn speeds(&self, size: &Choice) -> String {
        let times = self
            .all
            .iter()
            .enumerate()
            .filter_map(|(place, mover)| Some((size.time(place)?, mover.name.as_str())));
        let mut times: Vec<(u64, &str)> = times.collect();
        times.sort_unstable();
        let shown = times.iter().map(|(time, name)| format!("{name} {} MB/s", 1_000_000 / time));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What was chosen, for a person.
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

/// A peer as the components have it: by place in [`Movers`], where it can be used.
pub struct Lines(pub [Option<*mut c_void>; MOVERS]);

impl Lines {
    /// The places of components that can be used.
    fn usable(&self) -> impl Iterator<Item = usize> {
        (0..MOVERS).filter(|place| self.0[*place].is_some())
    }
}

/// A peer's [`Lines`], made at the first large message.
pub struct Lane {
    view: *const PeerView,
    lines: OnceLock<Lines>,
}

// SAFETY: peers of components are for any thread, and the view is the host's and stays.
unsafe impl Send for Lane {}
// SAFETY: see `Send`.
unsafe impl Sync for Lane {}

impl Lane {
    pub fn new(view: &PeerView) -> Self {
        Self { view, lines: OnceLock::new() }
    }

    pub fn lines(&self, state: &State) -> &Lines {
        self.lines.get_or_init(|| {
            let mut lines = Lines([None; MOVERS]);
            for (line, mover) in lines.0.iter_mut().zip(&state.movers.all) {
                let mut peer = std::ptr::null_mut();
                // SAFETY: the table is complete and the component open, since transports close
                // first; the view is the host's and stays.
                let status = unsafe {
                    (mover.ops.peer_open.unwrap_unchecked())(mover.instance, &*self.view, &mut peer)
                };
                *line = (status == OK).then_some(peer);
                if status != OK {
                    state.host.log(LOG_DEBUG, || format!("{} is not for this peer", mover.name));
                }
            }
            lines
        })
    }

    /// Ends what was made. No transfer with the peer is under way.
    pub fn close(&mut self, movers: &Movers) {
        if let Some(lines) = self.lines.take() {
            for (line, mover) in lines.0.iter().zip(&movers.all) {
                if let Some(peer) = line {
                    // SAFETY: `peer_open` made it; nobody uses it any more.
                    unsafe { (mover.ops.peer_close.unwrap_unchecked())(mover.instance, *peer) };
                }
            }
        }
    }
}
