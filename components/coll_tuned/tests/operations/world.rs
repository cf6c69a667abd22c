//! A job in one process: a system for each rank, on a thread of its own.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use cairn_framework::abi::comm::{COMM_INTER, Comm, ContextId, Neighbor, Neighbors};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::CollOps;
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::System;
use coll_basic as _;
use coll_tuned as _;

use super::pml::{Net, net};
use super::process;
use super::threads::Threads;

/// The largest job.
pub const MOST: u32 = 17;

/// No case takes longer, on a machine however slow.
const DEADLINE: Duration = Duration::from_secs(60);

/// What a world is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taste {
    /// coll_tuned as it is by itself.
    Default,
    /// Short segments, another radix, little at a time, no memory that is kept.
    Small,
    /// coll_basic.
    Basic,
}

/// A job.
pub struct World {
    pub net: Arc<Net>,
    ranks: Threads<Rank>,
    contexts: AtomicU32,
}

/// One process of a job.
pub struct Rank {
    pub rank: u32,
    pub size: u32,
    pub system: &'static System,
    pub ops: &'static CollOps,
    pub instance: *mut Instance,
    /// With which operations are offered.
    pub priority: i32,
    pml: &'static PmlOps,
    pml_instance: *mut Instance,
}

/// An open communicator.
pub struct Open<'a> {
    rank: &'a Rank,
    pub comm: Box<Comm>,
    _peers: Vec<*mut Peer>,
    _neighbors: Option<(Box<Neighbors>, [Vec<Neighbor>; 2])>,
    pub module: *mut c_void,
}

fn settings(taste: Taste) -> Vec<(String, String)> {
    let pairs: &[_] = match taste {
        Taste::Default => &[("coll", "tuned")],
        Taste::Small => &[
            ("coll", "tuned"),
            ("coll_tuned_segment", "16"),
            ("coll_tuned_radix", "3"),
            ("coll_tuned_alltoall_window", "2"),
            ("coll_tuned_kept", "0"),
        ],
        Taste::Basic => &[("coll", "basic")],
    };
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

thread_local! {
    /// The info of communicators that are opened by this thread.
    static INFO: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn info(
    _: *const Scope,
    key: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> isize {
    INFO.with_borrow(|info| {
        // SAFETY: the caller's key is a string, and the value has that much room.
        unsafe {
            let key = CStr::from_ptr(key).to_str().unwrap();
            let Some((_, text)) = info.iter().find(|(known, _)| known == key) else { return -1 };
            assert!(text.len() < capacity);
            value.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
            *value.add(text.len()) = 0;
            text.len() as isize
        }
    })
}

/// What the components have logged.
pub static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The world of this size and taste, for the caller alone. Odd sizes run with several threads.
pub fn world(size: u32, taste: Taste) -> MutexGuard<'static, World> {
    static WORLDS: OnceLock<Vec<OnceLock<Mutex<World>>>> = OnceLock::new();
    let worlds = WORLDS.get_or_init(|| (0..3 * (MOST + 1)).map(|_| OnceLock::new()).collect());
    let world = &worlds[(3 * size + taste as u32) as usize];
    let world = world.get_or_init(|| Mutex::new(World::new(size, taste)));
    // A case that failed before says so itself.
    world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl World {
    fn new(size: u32, taste: Taste) -> Self {
        let name = format!("{size}-{taste:?}");
        let ranks = {
            let name = name.clone();
            Threads::new(size, move |rank| Rank::new(&name, rank, size, taste))
        };
        Self { net: net(&name, size), ranks, contexts: AtomicU32::new(10) }
    }

    /// Two numbers of communicators that were not used.
    pub fn contexts(&self) -> u32 {
        self.contexts.fetch_add(2, Ordering::Relaxed)
    }

    /// Does something on every rank and returns what came out, by rank. Ends the process when that
    /// takes too long.
    pub fn run<R: Send + 'static>(
        &self,
        work: impl Fn(&Rank) -> R + Send + Sync + 'static,
    ) -> Vec<R> {
        self.ranks.run(DEADLINE, work)
    }
}

impl Rank {
    fn new(job: &str, rank: u32, size: u32, taste: Taste) -> Self {
        let system =
            process::system(settings(taste), |line| LOGGED.lock().unwrap().push(line.to_string()));
        let own = process::job(system, job, rank, size);
        // SAFETY: nothing is open, and no other thread knows the system.
        unsafe { system.set_job(own) };
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let pml = system.select_one::<PmlOps>(&process).unwrap();
        let coll = system.select_many::<CollOps>(&process).unwrap().remove(0);
        Self {
            rank,
            size,
            system,
            ops: coll.ops,
            instance: coll.instance,
            priority: if taste == Taste::Basic { 5 } else { 10 },
            pml: pml.ops,
            pml_instance: pml.instance,
        }
    }

    /// A communicator of all.
    pub fn open(&self, context: u32) -> Open<'_> {
        let all: Vec<u32> = (0..self.size).collect();
        self.open_between(context, self.rank, self.size, &all, 0, None)
    }

    /// The same with an info; or why it can't be opened.
    pub fn open_with_info(&self, context: u32, info: &[(&str, &str)]) -> Result<Open<'_>, String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        INFO.set(info.iter().map(own).collect());
        let all: Vec<u32> = (0..self.size).collect();
        let opened = self.try_open(context, self.rank, self.size, &all, 0, None);
        INFO.take();
        opened
    }

    /// The same, where this rank has these sources and destinations.
    pub fn open_with_neighbors(&self, context: u32, lists: [Vec<Neighbor>; 2]) -> Open<'_> {
        let all: Vec<u32> = (0..self.size).collect();
        self.open_between(context, self.rank, self.size, &all, 0, Some(lists))
    }

    /// A communicator between the ranks below `border` and the others.
    pub fn open_inter(&self, context: u32, border: u32) -> Open<'_> {
        if self.rank < border {
            let others: Vec<u32> = (border..self.size).collect();
            self.open_between(context, self.rank, border, &others, COMM_INTER, None)
        } else {
            let others: Vec<u32> = (0..border).collect();
            let (rank, size) = (self.rank - border, self.size - border);
            self.open_between(context, rank, size, &others, COMM_INTER, None)
        }
    }

    fn open_between(
        &self,
        context: u32,
        rank: u32,
        size: u32,
        peers: &[u32],
        flags: u32,
        neighbors: Option<[Vec<Neighbor>; 2]>,
    ) -> Open<'_> {
        self.try_open(context, rank, size, peers, flags, neighbors).unwrap()
    }

    fn try_open(
        &self,
        context: u32,
        rank: u32,
        size: u32,
        peers: &[u32],
        flags: u32,
        neighbors: Option<[Vec<Neighbor>; 2]>,
    ) -> Result<Open<'_>, String> {
        let neighbors = neighbors.map(|lists| {
            let view = Neighbors {
                sources: lists[0].as_ptr(),
                destinations: lists[1].as_ptr(),
                indegree: lists[0].len() as u32,
                outdegree: lists[1].len() as u32,
            };
            (Box::new(view), lists)
        });
        let peers: Vec<*mut Peer> =
            peers.iter().map(|peer| self.system.peer(*peer).unwrap()).collect();
        let mut comm = Box::new(Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, context, size, c"test"),
            rank,
            remote_size: peers.len() as u32,
            flags,
            reserved: 0,
            context: ContextId::new(0, context.into()),
            peers: peers.as_ptr(),
            contexts: std::ptr::null(),
            neighbors: neighbors.as_ref().map_or(std::ptr::null(), |(view, _)| &raw const **view),
            parts: std::ptr::null(),
        });
        comm.scope.info = Some(info);
        let mut module = std::ptr::null_mut();
        // SAFETY: the tables are complete and the components open.
        unsafe {
            assert_eq!(self.pml.comm_open.unwrap()(self.pml_instance, &mut comm), OK);
            if self.ops.comm_open.unwrap()(self.instance, &mut comm, &mut module) != OK {
                self.pml.comm_close.unwrap()(self.pml_instance, &mut comm);
                return Err(self.reason());
            }
        }
        Ok(Open { rank: self, comm, _peers: peers, _neighbors: neighbors, module })
    }

    /// Why a call failed.
    pub fn reason(&self) -> String {
        process::reason(self.instance)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let rank = self.rank;
        // SAFETY: opened before, and nothing is under way.
        unsafe {
            rank.ops.comm_close.unwrap()(rank.instance, &mut self.comm, self.module);
            rank.pml.comm_close.unwrap()(rank.pml_instance, &mut self.comm);
        }
    }
}
