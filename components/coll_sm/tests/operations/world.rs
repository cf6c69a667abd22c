//! A job in one process: a system for each rank, on a thread of its own. All share a node.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::{PEER_LOCAL, Peer};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::CollOps;
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::System;
use coll_sm as _;

use super::pml::{Net, net};
use super::process;
use super::threads::Threads;

/// The largest job.
pub const MOST: u32 = 17;

/// The longest vector or block: those of plans are shorter.
pub const LIMIT: u64 = 240_000;

/// The same where processes share processors, of what has a limit of its own there.
pub const CROWDED_LIMIT: u64 = 400_000;

/// No case takes longer, on a machine however slow.
const DEADLINE: Duration = Duration::from_secs(120);

/// What a world is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    pub size: u32,
    /// Whether it has more processes than processors, as they are told.
    pub is_crowded: bool,
    /// Bytes of a slot.
    pub slot: u32,
    /// Bytes of all memory.
    pub memory: u32,
    /// Bytes of the shortest scan of a crowd.
    pub scan_from: u32,
}

impl Kind {
    pub const fn new(size: u32, is_crowded: bool, slot: u32) -> Self {
        Self { size, is_crowded, slot, memory: 64 << 20, scan_from: 0 }
    }
}

/// A job.
pub struct World {
    net: Arc<Net>,
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
    pub module: *mut std::ffi::c_void,
}

/// The world of this kind, for the caller alone.
pub fn world(kind: Kind) -> MutexGuard<'static, World> {
    static WORLDS: Mutex<Option<HashMap<Kind, &'static Mutex<World>>>> = Mutex::new(None);
    let mut worlds = WORLDS.lock().unwrap();
    let new = || &*Box::leak(Box::new(Mutex::new(World::new(kind))));
    let world = *worlds.get_or_insert_default().entry(kind).or_insert_with(new);
    drop(worlds);
    // A case that failed before says so itself.
    world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl World {
    /// One that no other test uses.
    pub fn new(kind: Kind) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("sm-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let ranks = {
            let name = name.clone();
            Threads::new(kind.size, move |rank| Rank::new(&name, rank, kind))
        };
        let net = net(&name, kind.size);
        Self { net, ranks, contexts: AtomicU32::new(10) }
    }

    /// The number of a communicator that was not used.
    pub fn contexts(&self) -> u32 {
        self.contexts.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether no message is under way.
    pub fn is_quiet(&self) -> bool {
        self.net.is_quiet()
    }

    /// Messages that were started.
    pub fn messages(&self) -> u64 {
        self.net.messages.load(Ordering::SeqCst)
    }

    /// A rank can start so many messages more; then each fails.
    pub fn limit(&self, rank: u32, messages: i64) {
        self.net.credit[rank as usize].store(messages, Ordering::SeqCst);
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
    fn new(job: &str, rank: u32, kind: Kind) -> Self {
        let set = |name: &str, value: String| (name.to_owned(), value);
        let mca = vec![
            set("coll", "sm".into()),
            set("coll_sm_after", "0".into()),
            // What the plans expect.
            set("coll_sm_priority", "10".into()),
            set("coll_sm_slot", kind.slot.to_string()),
            set("coll_sm_limit", LIMIT.to_string()),
            set("coll_sm_alltoall_limit", LIMIT.to_string()),
            set("coll_sm_rooted_limit", LIMIT.to_string()),
            set("coll_sm_crowded_limit", CROWDED_LIMIT.to_string()),
            set("coll_sm_few_limit", LIMIT.to_string()),
            set("coll_sm_few_blocks_limit", LIMIT.to_string()),
            set("coll_sm_few_alltoall_limit", LIMIT.to_string()),
            set("coll_sm_memory", kind.memory.to_string()),
            set("coll_sm_scan_from", kind.scan_from.to_string()),
        ];
        let system = process::system(mca, |line| println!("{line}"));
        let mut own = process::job(system, job, rank, kind.size);
        (own.local_rank, own.local_size) = (rank, kind.size);
        own.node_cores = if kind.is_crowded { kind.size.div_ceil(2) } else { kind.size };
        // SAFETY: nothing is open, and no other thread knows the system.
        unsafe { system.set_job(own) };
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let pml = system.select_one::<PmlOps>(&process).unwrap();
        let coll = system.select_many::<CollOps>(&process).unwrap().remove(0);
        Self {
            rank,
            size: kind.size,
            system,
            ops: coll.ops,
            instance: coll.instance,
            priority: 10,
            pml: pml.ops,
            pml_instance: pml.instance,
        }
    }

    /// The peer with a rank.
    pub fn peer(&self, rank: u32) -> &'static Peer {
        // SAFETY: peers stay.
        unsafe { &*self.system.peer(rank).unwrap() }
    }

    /// A communicator of all.
    pub fn open(&self, context: u32) -> Open<'_> {
        let peers: Vec<*mut Peer> =
            (0..self.size).map(|peer| self.system.peer(peer).unwrap()).collect();
        for rank in 0..self.size {
            self.peer(rank).flags.fetch_or(PEER_LOCAL, Ordering::Relaxed);
        }
        let mut comm = Box::new(Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, context, self.size, c"test"),
            rank: self.rank,
            remote_size: self.size,
            flags: 0,
            reserved: 0,
            context: ContextId::new(0, context.into()),
            peers: peers.as_ptr(),
            contexts: std::ptr::null(),
            neighbors: std::ptr::null(),
            parts: std::ptr::null(),
        });
        let mut module = std::ptr::null_mut();
        // SAFETY: the tables are complete and the components open.
        unsafe {
            assert_eq!(self.pml.comm_open.unwrap()(self.pml_instance, &mut comm), OK);
            assert_eq!(self.ops.comm_open.unwrap()(self.instance, &mut comm, &mut module), OK);
        }
        Open { rank: self, comm, _peers: peers, module }
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
