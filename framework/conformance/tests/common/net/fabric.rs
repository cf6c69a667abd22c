//! What the ranks of a job share: inboxes, memory that is registered, and who is gone.

use std::alloc::Layout;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, Weak};

use cairn_framework::abi::job::Job;
use cairn_framework::host::System;

use super::random::Random;

/// Says what a caller must not do, and ends the process: whoever waits for it would wait for ever.
pub fn broken(text: &str) -> ! {
    eprintln!("net: {text}");
    std::process::abort();
}

/// Memory of a rank as a key says.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    pub rank: u32,
    /// Its number, if memory has to be registered.
    pub region: Option<u64>,
}

/// Memory that is registered.
pub struct Region {
    pub base: u64,
    pub len: usize,
    pub access: u32,
    /// Those that peers have unpacked.
    pub keys: i64,
    /// It is the device's.
    pub allocated: Option<Layout>,
}

/// A message on its way.
pub struct Message {
    pub from: u32,
    /// The CRI that sent it.
    pub lane: usize,
    pub tag: u8,
    pub len: usize,
    pub block: Box<[u64]>,
}

impl Message {
    /// Header and payload.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the block is as long or longer.
        unsafe { std::slice::from_raw_parts(self.block.as_ptr().cast(), self.len) }
    }
}

/// Messages for one CRI.
#[derive(Default)]
pub struct Inbox(VecDeque<Message>);

impl Inbox {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn push(&mut self, message: Message) {
        self.0.push_back(message);
    }

    /// How many of a lane wait.
    pub fn waiting(&self, from: u32, lane: usize) -> usize {
        self.0.iter().filter(|other| (other.from, other.lane) == (from, lane)).count()
    }

    /// Any of them; the first one of its lane, if lanes are `kept`.
    pub fn take(&mut self, random: &Random, kept: bool) -> Option<Message> {
        let any = match self.0.len() {
            0 => return None,
            len => random.below(len),
        };
        let lane = (self.0[any].from, self.0[any].lane);
        let first = self.0.iter().position(|other| (other.from, other.lane) == lane);
        self.0.remove(first.filter(|_| kept).unwrap_or(any))
    }
}

struct Port {
    inboxes: Box<[Mutex<Inbox>]>,
    regions: RwLock<HashMap<u64, Region>>,
    dead: AtomicBool,
}

/// What they share.
pub struct Fabric {
    ports: Box<[Port]>,
    any_dead: AtomicBool,
}

/// By the job's id.
static FABRICS: Mutex<BTreeMap<String, Weak<Fabric>>> = Mutex::new(BTreeMap::new());

/// Numbers of regions. None is used twice, so a key that is too old leads nowhere.
static REGIONS: AtomicU64 = AtomicU64::new(0x1000);

fn id(job: &Job) -> String {
    // SAFETY: the host's text, which stays.
    unsafe { CStr::from_ptr(job.id) }.to_string_lossy().into_owned()
}

/// A rank of a system's job is gone: nothing goes to it or comes from it any more, and all will learn that.
pub fn die(system: &System) {
    let job = system.job();
    let found = FABRICS.lock().expect("not poisoned").get(&id(job)).and_then(Weak::upgrade);
    let fabric = found.expect("the job has this transport");
    fabric.ports[job.rank as usize].dead.store(true, Ordering::Release);
    fabric.any_dead.store(true, Ordering::Release);
}

impl Fabric {
    /// That of a job, of whose ranks each has so many CRIs.
    pub fn join(job: &Job, cris: usize) -> Arc<Self> {
        let mut fabrics = FABRICS.lock().expect("not poisoned");
        fabrics.retain(|_, fabric| fabric.strong_count() > 0);
        if let Some(known) = fabrics.get(&id(job)).and_then(Weak::upgrade) {
            return known;
        }
        let port = |_| Port {
            inboxes: (0..cris).map(|_| Mutex::default()).collect(),
            regions: RwLock::default(),
            dead: AtomicBool::new(false),
        };
        let ports = (0..job.size).map(port).collect();
        let made = Arc::new(Self { ports, any_dead: AtomicBool::new(false) });
        fabrics.insert(id(job), Arc::downgrade(&made));
        made
    }

    /// Where messages of a CRI to a rank go.
    pub fn inbox(&self, rank: u32, cri: usize) -> MutexGuard<'_, Inbox> {
        self.ports[rank as usize].inboxes[cri].lock().expect("not poisoned")
    }

    pub fn is_any_dead(&self) -> bool {
        self.any_dead.load(Ordering::Acquire)
    }

    /// Whether nothing goes from one rank to another.
    pub fn is_cut(&self, one: u32, other: u32) -> bool {
        let dead = |rank: u32| self.ports[rank as usize].dead.load(Ordering::Acquire);
        self.is_any_dead() && one != other && (dead(one) || dead(other))
    }

    /// Registers memory of a rank.
    pub fn register(&self, rank: u32, region: Region) -> *mut c_void {
        let number = REGIONS.fetch_add(1, Ordering::Relaxed);
        let mut regions = self.ports[rank as usize].regions.write().expect("not poisoned");
        regions.insert(number, region);
        std::ptr::without_provenance_mut(number as usize)
    }

    /// Ends a registration.
    pub fn deregister(&self, rank: u32, registration: *mut c_void) -> Region {
        let mut regions = self.ports[rank as usize].regions.write().expect("not poisoned");
        let found = regions.remove(&(registration.addr() as u64));
        found.unwrap_or_else(|| broken(&format!("{registration:p} is no registration")))
    }

    /// Counts keys of memory; of what is not registered any more there may be some.
    pub fn hold_key(&self, access: Access, more: i64) {
        let mut regions = self.ports[access.rank as usize].regions.write().expect("not poisoned");
        match access.region.and_then(|number| regions.get_mut(&number)) {
            Some(region) => region.keys += more,
            None if more > 0 && !self.is_any_dead() => broken("a key is too old"),
            None => {}
        }
    }

    /// Whether it is the device's.
    pub fn is_allocated(&self, access: Access) -> bool {
        let regions = self.ports[access.rank as usize].regions.read().expect("not poisoned");
        let found = access.region.and_then(|number| regions.get(&number));
        found.is_some_and(|region| region.allocated.is_some())
    }

    /// Does something with memory that is registered for it, and stays so meanwhile.
    pub fn reach<R>(
        &self,
        access: Access,
        what: &str,
        (address, len): (u64, usize),
        rights: u32,
        work: impl FnOnce(*mut u8) -> R,
    ) -> R {
        let place = std::ptr::with_exposed_provenance_mut(address as usize);
        let Some(number) = access.region else { return work(place) };
        let regions = self.ports[access.rank as usize].regions.read().expect("not poisoned");
        let rank = access.rank;
        let Some(region) = regions.get(&number) else {
            broken(&format!(
                "{what}: {len} bytes at {address:#x} of rank {rank} are not registered (any more)"
            ));
        };
        let inside = address >= region.base
            && address + len as u64 <= region.base + region.len as u64
            || len == 0;
        if !inside || region.access & rights != rights {
            broken(&format!(
                "{what}: {len} bytes at {address:#x} of rank {rank} for {rights:#x}; registered are \
                 {} at {:#x} for {:#x}",
                region.len, region.base, region.access
            ));
        }
        work(place)
    }
}
