//! The component, and what it keeps for a communicator.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_framework::abi::comm::{COMM_INTER, Comm};
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::ERR_TRUNCATED;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::coll::*;
use cairn_schedule::Link;
use cairn_schedule::told::{Told, lost};

use crate::deaths::{Deaths, Member};
use crate::operations::{self, Call, Limits};
use crate::setup::{self, Wish};
use crate::turns::Turns;

/// Before components that send messages, where the processes share a node.
const PRIORITY: i64 = 30;

/// The most processes of which each reads what all others have.
const FEW: u32 = 8;

/// Where slots hold so little that an alltoall had to meet more often than that, it goes in messages.
const MEETINGS: u64 = 8;

cairn_framework::params! {
    /// The parameters.
    pub struct Params {
        priority: priority(PRIORITY);
        after: integer(2),
            "Blocking operations of a communicator that are made of messages before its processes make \
             memory that they share for them",
            range(0, i64::from(u32::MAX)), unit("operations"), level(6), same();
        slot: size("16k"),
            "Data that a process has for others at a time; what is longer goes in several steps. A \
             communicator takes four times as much for each of its processes. Where these share processors or are more \
             than eight, it is up to four times as much at a time, and the communicator takes up to 256 times as much, or four \
             times as much for each process if that is more; 0 leaves only barriers in shared memory",
            level(5), same();
        limit: size("256k"),
            "What a process has for others in shared memory, at most: a vector, a block, or all parts of a \
             reduce-scatter; what is longer goes in messages",
            level(5), same();
        alltoall_limit: size("2m"),
            "The same for all blocks of an alltoall, and on average for each block of one with blocks of several lengths; \
             eight times what all slots but one hold at most, and blocks of several lengths what a slot has for each",
            level(5), same();
        rooted_limit: size("1m"),
            "The same for operations with a root",
            level(5), same();
        crowded_limit: size("16m"),
            "The same as coll_sm_limit and coll_sm_rooted_limit, in their place, where processes share processors, but for \
             parts of a reduce-scatter; of a gather or scatter all blocks twice as much, or each coll_sm_rooted_limit if \
             that is more",
            level(5), same();
        few_limit: size("4k"),
            "As coll_sm_limit and coll_sm_rooted_limit, of reductions, where at most eight processes have a core each: \
             there both sides of a message copy at once, and long ones are faster",
            level(5), same();
        few_blocks_limit: size("16k"),
            "As coll_sm_rooted_limit and coll_sm_limit, in the same place, of broadcasts and of blocks that are gathered \
             or scattered",
            level(5), same();
        few_alltoall_limit: size("8k"),
            "As coll_sm_alltoall_limit, in the same place",
            level(5), same();
        scan_from: size("2k"),
            "Shorter vectors of scan and exscan go in messages where processes share processors: who has sent              to the next one goes on, and need not wait for those behind",
            level(5), same();
        memory: size("64m"),
            "Memory of all communicators of whose processes this is the first, at most. When there is less left, slots \
             are shorter, or only barriers are in shared memory",
            level(5);
    }
}

/// The component.
pub struct SharedMemory {
    host: HostHandle,
    priority: i32,
    params: Params,
    /// Bytes of all memory that this process has made.
    made: Arc<AtomicU64>,
    deaths: Arc<Deaths>,
}

/// What it keeps for a communicator.
pub struct Module {
    /// For what makes the memory, and for blocks that have no room in slots.
    link: Link,
    /// Whether the processes of the communicator can share memory: several of one group and node.
    can_share: bool,
    /// Operations over messages so far.
    calls: AtomicU32,
    /// Set when the processes have tried to make one.
    member: OnceLock<Option<Arc<Member>>>,
    deaths: Arc<Deaths>,
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(Some(member)) = self.member.get() {
            self.deaths.remove(member);
        }
    }
}

impl Component for SharedMemory {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let priority = params.priority.get() as i32;
        Ok(Self { host, priority, params, made: Arc::default(), deaths: Deaths::watch(host)? })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Coll for SharedMemory {
    type Module = Module;

    fn comm_open(&self, comm: &mut Comm) -> Result<Module, Failure> {
        Ok(Module {
            link: Link::find(self.host)?,
            can_share: comm.flags & COMM_INTER == 0 && comm.remote_size > 1 && is_on_one_node(comm),
            calls: AtomicU32::new(0),
            member: OnceLock::new(),
            deaths: Arc::clone(&self.deaths),
        })
    }

    fn offer(&self, _comm: &Comm, module: &Module, operation: u32, way: u32) -> Option<i32> {
        let is_known = matches!(operation, COLL_BARRIER..=COLL_EXSCAN);
        (is_known && way == COLL_BLOCKING && module.can_share).then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
        let Some(member) = module.member.get() else {
            // SAFETY: promised by the caller.
            return unsafe { self.run_first(comm, module, args) };
        };
        match member {
            // SAFETY: promised by the caller.
            Some(member) => unsafe { self.run_shared(comm, module, member, args) },
            None => over_messages(comm, module, args),
        }
    }
}

/// One of the operations before there is memory, or where there is none.
#[cold]
fn over_messages(comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
    match args.operation {
        COLL_BARRIER => {
            let told = Told { pml: module.link.pml(), comm, tag: args.tag };
            told.barrier(if args.flags & COLL_LOST == 0 { Ok(()) } else { Err(lost()) })
        }
        _ => Err(Failure::declined()),
    }
}

impl SharedMemory {
    /// # Safety
    /// As for `run`.
    #[cold]
    unsafe fn run_first(
        &self,
        comm: &Comm,
        module: &Module,
        args: &CollArgs,
    ) -> Result<(), Failure> {
        // Relaxed: one thread at a time has an operation on the communicator.
        let call = module.calls.fetch_add(1, Ordering::Relaxed);
        if i64::from(call) < self.params.after.get() {
            return over_messages(comm, module, args);
        }
        let operation = Told { pml: module.link.pml(), comm, tag: args.tag };
        let wish = Wish {
            slot: self.params.slot.get(),
            memory: self.params.memory.get(),
            made: Arc::clone(&self.made),
            is_few: comm.remote_size <= FEW && !self.host.job().is_crowded(),
            is_lost: args.flags & COLL_LOST != 0,
        };
        let shared = setup::share(self.host, &operation, &wish)?;
        let shared = shared.map(|shared| self.deaths.add(comm, shared));
        let member = module.member.get_or_init(|| shared);
        match member {
            Some(member) if member.board().is_broken() => Err(lost()),
            // No process has memory before all have come.
            _ if args.operation == COLL_BARRIER => Ok(()),
            // SAFETY: promised by the caller.
            Some(member) => unsafe { self.run_shared(comm, module, member, args) },
            None => Err(Failure::declined()),
        }
    }

    /// How long vectors and blocks may be among few processes that have a core each, or others.
    #[inline]
    fn limits(&self, turns: &Turns<'_>, slot: u64) -> Limits {
        let params = &self.params;
        if turns.is_few() {
            let (blocks, few) = (params.few_blocks_limit.get(), params.few_limit.get());
            return Limits {
                bcast: blocks,
                blocks,
                reduce: few,
                alltoall: params.few_alltoall_limit.get(),
                allgather: blocks,
                scan_from: 0,
                vectors: few,
                parts: few,
            };
        }
        let series = turns.most_in_series() * slot;
        let (rooted, most) = (params.rooted_limit.get(), params.limit.get());
        let many = Limits {
            bcast: rooted,
            blocks: rooted,
            reduce: rooted,
            alltoall: params.alltoall_limit.get().min(series.saturating_mul(MEETINGS)),
            allgather: most,
            scan_from: 0,
            vectors: most,
            parts: most,
        };
        if !self.host.job().is_crowded() {
            return many;
        }
        // Messages are no faster there, as processes find each other's data in their caches either way, and take more
        // turns. But what one process has for all others, or gets from them, is copied twice through slots: where that is
        // more than the caches hold, it costs more than turns do.
        let most = params.crowded_limit.get();
        let each = most.saturating_mul(2) / u64::from(turns.size - 1).max(1);
        Limits {
            bcast: most,
            blocks: rooted.max(each.min(most)),
            reduce: most,
            allgather: most,
            scan_from: params.scan_from.get(),
            vectors: most,
            ..many
        }
    }

    /// # Safety
    /// As for `run`.
    #[inline]
    unsafe fn run_shared(
        &self,
        comm: &Comm,
        module: &Module,
        member: &Member,
        args: &CollArgs,
    ) -> Result<(), Failure> {
        let (rank, size) = (comm.rank, comm.remote_size);
        let turns = Turns { host: self.host, member, rank, size };
        let slot = member.shared.shape().slot;
        let of = cairn_schedule::Call { comm, args };
        let limits = self.limits(&turns, slot);
        if !operations::fits(&of, slot, limits) {
            return Err(Failure::declined());
        }
        if args.flags & COLL_LOST != 0 {
            member.fail();
        }
        if member.has_failed() {
            return Err(lost());
        }
        // SAFETY: promised by the caller.
        unsafe { operations::run(&Call { turns, of, slot, limits, link: &module.link }) }
            .inspect_err(|failure| {
                // Data without room do not keep an operation from its end.
                if failure.status != ERR_TRUNCATED {
                    member.fail();
                }
            })
    }
}

/// Whether every process of a communicator runs on this node, which then is so for each of them, and is one
/// rank only: the segment counts processes.
fn is_on_one_node(comm: &Comm) -> bool {
    // SAFETY: a communicator has so many peers; they stay.
    let local = |rank| unsafe { (**comm.peers.add(rank)).is(PEER_LOCAL) };
    // SAFETY: as above.
    (0..comm.remote_size as usize).all(local) && unsafe { !comm.shares_processes() }
}
