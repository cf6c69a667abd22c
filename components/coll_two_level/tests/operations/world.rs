//! A job in one process: a system for each rank, on a thread of its own, and nodes as a test says. Parts of
//! communicators are served by `coll_tuned`.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use cairn_framework::abi::comm::{Comm, CommParts, ContextId};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::frameworks::coll::{COLL_LOST, COLL_PASS_ON, CollArgs, CollOps, blocking_tag};
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::System;
use coll_tuned as _;
use coll_two_level as _;

use super::pml::{Net, net};
use super::process;
use super::threads::Threads;

/// The nodes of the ranks, of each job that tests use.
pub const LAYOUTS: [&[u32]; 8] = [
    &[0, 0, 1],
    &[0, 1, 0],
    &[5, 5, 3, 3],
    &[0, 1, 0, 1],
    &[0, 1, 1, 1, 2, 2],
    &[0, 1, 2, 0, 1, 2, 1],
    &[3, 2, 1, 0, 0, 0, 0, 0],
    &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3],
];

/// No case takes longer, on a machine however slow.
const DEADLINE: Duration = Duration::from_secs(60);

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
    served: Served,
}

/// What serves parts.
#[derive(Clone, Copy)]
struct Served {
    system: &'static System,
    ops: &'static CollOps,
    instance: *mut Instance,
    pml: &'static PmlOps,
    pml_instance: *mut Instance,
}

/// An open communicator.
pub struct Open<'a> {
    rank: &'a Rank,
    pub comm: Box<Comm>,
    _peers: Vec<*mut Peer>,
    pub module: *mut c_void,
}

/// An open part. Its view comes first.
#[repr(C)]
struct Part {
    comm: Comm,
    peers: Vec<*mut Peer>,
    module: *mut c_void,
    operations: AtomicU64,
    served: Served,
}

thread_local! {
    /// What serves the parts of this thread's rank.
    static SERVED: Cell<Option<Served>> = const { Cell::new(None) };
    /// In how many operations on parts this rank will be lost; then it is.
    pub static LOST_IN: Cell<u32> = const { Cell::new(u32::MAX) };
}

static PARTS: CommParts = CommParts {
    struct_size: size_of::<CommParts>() as u32,
    reserved: 0,
    make: make_part,
    run: run_part,
    free: free_part,
};

unsafe extern "C" fn make_part(
    comm: *const Comm,
    ranks: *const u32,
    count: u32,
    _tag: i32,
    part: *mut *const Comm,
) -> Status {
    let served = SERVED.get().unwrap();
    // SAFETY: the component's communicator, and its list.
    let (parent, ranks) = unsafe { (&*comm, std::slice::from_raw_parts(ranks, count as usize)) };
    // SAFETY: a communicator has so many peers.
    let peers: Vec<*mut Peer> =
        ranks.iter().map(|rank| unsafe { *parent.peers.add(*rank as usize) }).collect();
    // SAFETY: peers stay.
    let node = |place: usize| unsafe { (*peers[place]).node };
    // The leaders and their node are the only parts with one first rank.
    let is_node = node(0) == node(peers.len() - 1);
    let serial = parent.context.serial << 16 | u64::from(ranks[0]) << 1 | u64::from(is_node);
    let rank = ranks.iter().position(|rank| *rank == parent.rank).unwrap() as u32;
    let mut made = Box::new(Part {
        comm: view(ContextId::new(1, serial), rank, &peers, std::ptr::null()),
        peers,
        module: std::ptr::null_mut(),
        operations: AtomicU64::new(0),
        served,
    });
    made.comm.peers = made.peers.as_ptr();
    // SAFETY: the tables are complete and the components open.
    unsafe {
        assert_eq!(served.pml.comm_open.unwrap()(served.pml_instance, &mut made.comm), OK);
        let Part { comm, module, .. } = &mut *made;
        assert_eq!(served.ops.comm_open.unwrap()(served.instance, comm, module), OK);
        *part = Box::into_raw(made).cast();
    }
    OK
}

unsafe extern "C" fn run_part(part: *const Comm, args: *const c_void) -> Status {
    // SAFETY: made by `make_part`.
    let (part, args) = unsafe { (&*part.cast::<Part>(), &*args.cast::<CollArgs>()) };
    let tag = blocking_tag(part.operations.fetch_add(1, Ordering::Relaxed));
    assert!(args.flags & COLL_PASS_ON != 0);
    let left = LOST_IN.get();
    LOST_IN.set(left.saturating_sub((left != u32::MAX).into()));
    let lost = if left == 0 { COLL_LOST } else { 0 };
    let args = CollArgs { tag, flags: args.flags | lost, ..*args };
    // SAFETY: promised by the caller; `coll_tuned` offers everything.
    unsafe { part.served.ops.run.unwrap()(part.served.instance, &part.comm, part.module, &args) }
}

unsafe extern "C" fn free_part(part: *const Comm) {
    // SAFETY: made by `make_part`, and given back once.
    unsafe {
        let mut part = Box::from_raw(part.cast_mut().cast::<Part>());
        let Served { ops, instance, pml, pml_instance, .. } = part.served;
        ops.comm_close.unwrap()(instance, &mut part.comm, part.module);
        pml.comm_close.unwrap()(pml_instance, &mut part.comm);
    }
}

fn view(context: ContextId, rank: u32, peers: &[*mut Peer], parts: *const CommParts) -> Comm {
    let size = peers.len() as u32;
    Comm {
        scope: Scope::new(SCOPE_COMMUNICATOR, context.serial as u32, size, c"test"),
        rank,
        remote_size: size,
        flags: 0,
        reserved: 0,
        context,
        peers: peers.as_ptr(),
        contexts: std::ptr::null(),
        neighbors: std::ptr::null(),
        parts,
    }
}

/// The world with this layout, for the caller alone.
pub fn world(layout: usize) -> MutexGuard<'static, World> {
    static WORLDS: [Mutex<Option<&'static Mutex<World>>>; LAYOUTS.len()] =
        [const { Mutex::new(None) }; LAYOUTS.len()];
    let new = || &*Box::leak(Box::new(Mutex::new(World::new(LAYOUTS[layout]))));
    let world = *WORLDS[layout].lock().unwrap().get_or_insert_with(new);
    // A case that failed before says so itself.
    world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl World {
    /// One that no other test uses.
    pub fn new(layout: &'static [u32]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("two-level-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let size = layout.len() as u32;
        let ranks = {
            let name = name.clone();
            Threads::new(size, move |rank| Rank::new(&name, rank, layout))
        };
        Self { net: net(&name, size), ranks, contexts: AtomicU32::new(10) }
    }

    /// The number of a communicator that was not used.
    pub fn contexts(&self) -> u32 {
        self.contexts.fetch_add(1, Ordering::Relaxed)
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
    fn new(job: &str, rank: u32, layout: &[u32]) -> Self {
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mca = vec![
            set("coll", "two_level,tuned"),
            set("coll_two_level_after", "0"),
            set("coll_two_level_gather_limit", "1g"),
            set("coll_two_level_allgather_limit", "1g"),
            set("coll_two_level_alltoall_limit", "1g"),
            set("coll_two_level_allreduce_limit", "1g"),
        ];
        let system = process::system(mca, |line| println!("{line}"));
        let size = layout.len() as u32;
        let own = process::job(system, job, rank, size);
        // SAFETY: nothing is open, and no other thread knows the system or its peers.
        unsafe {
            system.set_job(own);
            for (rank, node) in layout.iter().enumerate() {
                (*system.peer(rank as u32).unwrap()).node = *node;
            }
        }
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let pml = system.select_one::<PmlOps>(&process).unwrap();
        let mut colls = system.select_many::<CollOps>(&process).unwrap();
        let (two_level, tuned) = (colls.remove(0), colls.remove(0));
        let served = Served {
            system,
            ops: tuned.ops,
            instance: tuned.instance,
            pml: pml.ops,
            pml_instance: pml.instance,
        };
        let (ops, instance) = (two_level.ops, two_level.instance);
        Self { rank, size, system, ops, instance, priority: 20, served }
    }

    /// A communicator of all.
    pub fn open(&self, context: u32) -> Open<'_> {
        let all: Vec<u32> = (0..self.size).collect();
        self.open_some(context, &all)
    }

    /// A communicator of some ranks, of which this is one.
    pub fn open_some(&self, context: u32, ranks: &[u32]) -> Open<'_> {
        SERVED.set(Some(self.served));
        let peers: Vec<*mut Peer> =
            ranks.iter().map(|rank| self.served.system.peer(*rank).unwrap()).collect();
        let rank = ranks.iter().position(|rank| *rank == self.rank).unwrap() as u32;
        let mut comm = Box::new(view(ContextId::new(0, context.into()), rank, &peers, &PARTS));
        let mut module = std::ptr::null_mut();
        let Served { pml, pml_instance, .. } = self.served;
        // SAFETY: the tables are complete and the components open.
        unsafe {
            assert_eq!(pml.comm_open.unwrap()(pml_instance, &mut comm), OK);
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
        let Served { pml, pml_instance, .. } = rank.served;
        // SAFETY: opened before, and nothing is under way.
        unsafe {
            rank.ops.comm_close.unwrap()(rank.instance, &mut self.comm, self.module);
            pml.comm_close.unwrap()(pml_instance, &mut self.comm);
        }
    }
}
