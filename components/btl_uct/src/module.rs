//! A device: what its CRIs share.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::author::{Failure, HostHandle, Mutex};
use cairn_framework::frameworks::btl::Device;
use cairn_transport::sockets::Lost;
use cairn_transport::{Admission, Lives, Registrations, Senders, Sockets};

use crate::card::{Card, CardDevice, CardInterface};
use crate::component::Uct;
use crate::domain::Domain;
use crate::endpoint::UctEndpoint;
use crate::interface::Reach;
use crate::library::Library;
use crate::memory::{Blocks, Handle};

/// A device of this transport.
pub type UctDevice = Device<Uct>;

/// What the functions of the contract work on: what is constant, and who is there.
pub struct State {
    fixed: Fixed,
    pub blocks: Blocks,
    /// By rank. Written by `add` and `remove`.
    endpoints: Box<[AtomicPtr<UctEndpoint>]>,
    /// Those that there are.
    owned: Mutex<Owned>,
    /// By rank: it has sent to us, so that it wants to know when we part.
    met: Box<[AtomicBool]>,
    /// By rank: it has said that it sends nothing more.
    parted: Box<[AtomicBool]>,
    /// By rank: its endpoint was removed, so that nobody wants to know of its end but what still goes to it.
    left: Box<[AtomicBool]>,
    pub senders: Senders,
    /// Endpoints that were made of those.
    pub acquainted: Mutex<Vec<Arc<UctEndpoint>>>,
    /// By rank: why it is not reached any more, until that is told.
    pub unreached: Mutex<HashMap<u32, String>>,
    closing: AtomicBool,
    refused: AtomicBool,
}

/// Endpoints by rank, and how many have been given out of each.
type Owned = HashMap<u32, (Arc<UctEndpoint>, usize)>;

/// What is constant of a device.
pub struct Fixed {
    pub host: HostHandle,
    pub library: &'static Library,
    /// The messages' transport.
    pub transport: String,
    /// It reaches the processes of this node only.
    pub is_local: bool,
    pub admission: Admission,
    pub lives: Lives,
    /// UCX's own connections over TCP, if there are some.
    pub sockets: Sockets,
    /// Of the messages, and of transfers of any memory.
    pub domain: Arc<Domain>,
    /// Of the program's memory, in `bulk_domain`.
    pub registrations: Registrations<Handle>,
    pub bulk_domain: Arc<Domain>,
    pub messages: Reach,
    pub bulk: Option<Reach>,
    /// Most bytes of a message.
    pub message_limit: usize,
    /// Any memory can be put to or got from.
    pub moves: bool,
    /// Atomics reach memory that is registered.
    pub atomics_anywhere: bool,
}

impl Deref for State {
    type Target = Fixed;

    #[inline(always)]
    fn deref(&self) -> &Fixed {
        &self.fixed
    }
}

impl State {
    pub fn new(fixed: Fixed) -> Self {
        let size = fixed.host.job().size;
        Self {
            fixed,
            blocks: Blocks::default(),
            endpoints: (0..size).map(|_| AtomicPtr::default()).collect(),
            owned: Mutex::default(),
            met: (0..size).map(|_| AtomicBool::default()).collect(),
            parted: (0..size).map(|_| AtomicBool::default()).collect(),
            left: (0..size).map(|_| AtomicBool::default()).collect(),
            senders: Senders::default(),
            acquainted: Mutex::default(),
            unreached: Mutex::default(),
            closing: AtomicBool::new(false),
            refused: AtomicBool::new(false),
        }
    }

    /// The endpoint to a rank of the job, if there is one. It stays while a CRI's lock is held: `remove` takes
    /// each of them before it lets go.
    #[inline]
    pub fn endpoint(&self, rank: u32) -> Option<&UctEndpoint> {
        let endpoint = self.endpoints.get(rank as usize)?.load(Ordering::Acquire);
        // SAFETY: null, or one that is owned as said.
        unsafe { endpoint.as_ref() }
    }

    /// All endpoints. The same holds.
    pub fn endpoints(&self) -> impl Iterator<Item = &UctEndpoint> {
        (0..self.endpoints.len() as u32).filter_map(|rank| self.endpoint(rank))
    }

    /// The endpoint to a rank: the one that there is, or what `make` makes.
    pub fn add(
        &self,
        rank: u32,
        make: impl FnOnce() -> Result<Option<UctEndpoint>, Failure>,
    ) -> Result<Option<Arc<UctEndpoint>>, Failure> {
        if let Some(there) = Self::share(&mut self.owned.lock(), rank) {
            return Ok(Some(there));
        }
        // Without the lock, as it asks others.
        let Some(made) = make()? else { return Ok(None) };
        let mut owned = self.owned.lock();
        if let Some(there) = Self::share(&mut owned, rank) {
            return Ok(Some(there));
        }
        let made = Arc::new(made);
        // Release: a thread that finds the endpoint sees what is in it.
        self.endpoints[rank as usize].store(Arc::as_ptr(&made).cast_mut(), Ordering::Release);
        self.left[rank as usize].store(false, Ordering::Relaxed);
        owned.insert(rank, (made.clone(), 1));
        Ok(Some(made))
    }

    /// The endpoint that there is, for one user more.
    fn share(owned: &mut Owned, rank: u32) -> Option<Arc<UctEndpoint>> {
        let (endpoint, users) = owned.get_mut(&rank)?;
        *users += 1;
        Some(endpoint.clone())
    }

    /// An endpoint was given back. It is returned if nobody else has it; then nobody finds it any more.
    pub fn remove(&self, endpoint: &Arc<UctEndpoint>) -> Option<Arc<UctEndpoint>> {
        let mut owned = self.owned.lock();
        let (_, users) = owned.get_mut(&endpoint.rank)?;
        *users -= 1;
        if *users > 0 {
            return None;
        }
        self.endpoints[endpoint.rank as usize].store(null_mut(), Ordering::Release);
        self.left[endpoint.rank as usize].store(true, Ordering::Relaxed);
        owned.remove(&endpoint.rank).map(|(endpoint, _)| endpoint)
    }

    /// Where the process with this card is on this device, if it is reached. Any thread.
    pub fn reached(&self, card: &Card) -> Option<CardDevice> {
        // UCT reads as many bytes of each as its own addresses have.
        let reaches = |reach: &Reach, one: &CardInterface| {
            one.addresses.iter().all(|address| reach.reaches(&one.device, address))
        };
        let same = |device: &&CardDevice| {
            let one = &device.messages;
            one.transport == self.transport.as_bytes() && reaches(&self.messages, one)
        };
        let mut found = card.devices.iter().find(same)?.clone();
        if !self.bulk.as_ref().is_some_and(|bulk| reaches(bulk, &found.bulk)) {
            found.bulk.addresses.clear();
        }
        Some(found)
    }

    /// Where peers accept connections of this process.
    pub fn accepting(&self) -> HashSet<SocketAddr> {
        let owned = self.owned.lock();
        owned.values().flat_map(|(endpoint, _)| doors(&endpoint.place)).collect()
    }

    /// The ranks of other nodes that were lost.
    #[cold]
    pub fn lost(&self, lost: Lost) -> Vec<u32> {
        let is_near = |rank| self.host.peer(rank).is_some_and(|peer| peer.is(PEER_LOCAL));
        let is_meant = |rank: &u32| {
            if is_near(*rank) {
                return false;
            }
            let endpoint = self.owned.lock().get(rank).map(|(endpoint, _)| endpoint.clone());
            match endpoint {
                Some(endpoint) => doors(&endpoint.place).any(|door| lost.is(&door)),
                // It has sent to this process, which has not sent to it.
                None => {
                    let read = |card: &[u8]| {
                        let card = Card::parse(card).ok()?;
                        Some(card.devices.iter().flat_map(doors).collect())
                    };
                    self.has_met(*rank) && lost.is_sender(self.host, *rank, read)
                }
            }
        };
        (0..self.met.len() as u32).filter(is_meant).collect()
    }

    /// A rank of the job has greeted.
    pub fn greeted(&self, rank: u32) {
        self.met[rank as usize].store(true, Ordering::Relaxed);
        self.senders.greeted(rank);
        self.parted[rank as usize].store(false, Ordering::Relaxed);
        // Ids of another node's processes mean nothing here.
        if self.host.peer(rank).is_some_and(|peer| peer.is(PEER_LOCAL)) {
            self.lives.met(rank);
        }
    }

    /// A rank of the job sends nothing more.
    pub fn part(&self, rank: u32) {
        self.parted[rank as usize].store(true, Ordering::Relaxed);
    }

    /// Whether a rank has sent to this process.
    pub fn has_met(&self, rank: u32) -> bool {
        self.met[rank as usize].load(Ordering::Relaxed)
    }

    /// Whether a rank ends in order: it sends nothing more, or is nobody's peer any more.
    pub fn has_parted(&self, rank: u32) -> bool {
        [&self.parted, &self.left].iter().any(|one| one[rank as usize].load(Ordering::Relaxed))
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// A message came from a process that has not shown that it is of this job.
    #[cold]
    pub fn refuse(&self) {
        if !self.refused.swap(true, Ordering::Relaxed) {
            self.host.log(LOG_WARN, || {
                format!(
                    "a message over {} that is of no process of this job was dropped",
                    self.transport
                )
            });
        }
    }
}

/// Where a process accepts connections of UCX's on a device.
fn doors(place: &CardDevice) -> impl Iterator<Item = SocketAddr> {
    place.doors.iter().flatten().copied()
}
