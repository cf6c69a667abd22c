//! A communicator, as far as components see it.

use core::ffi::c_void;

use super::peer::Peer;
use super::scope::Scope;
use super::status::Status;

/// [`Comm::flags`]: messages may overtake each other (`mpi_assert_allow_overtaking`).
pub const COMM_ALLOW_OVERTAKING: u32 = 1;
/// [`Comm::flags`]: no receive uses `MPI_ANY_SOURCE` (`mpi_assert_no_any_source`).
pub const COMM_NO_ANY_SOURCE: u32 = 2;
/// [`Comm::flags`]: no receive uses `MPI_ANY_TAG` (`mpi_assert_no_any_tag`).
pub const COMM_NO_ANY_TAG: u32 = 4;
/// [`Comm::flags`]: an inter-communicator; `peers` is the remote group.
pub const COMM_INTER: u32 = 16;

/// Communicators whose `scope.id` is below this are not of the program's making: `MPI_COMM_WORLD`,
/// `MPI_COMM_SELF`, and one of all processes that the library keeps for itself.
pub const COMM_OWN_IDS: u32 = 3;

/// [`ContextId::maker`] of communicators that are not of the program's making; their serials are
/// their `scope.id`.
pub const CONTEXT_OWN: u32 = u32::MAX;

/// The context id of a communicator: the same in all its processes, and of no other communicator that
/// the job has or had. The process that makes it numbers what it makes, and no number comes again.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId {
    /// The number among those of its maker.
    pub serial: u64,
    /// Rank in the job of the process that made it, or `CAIRN_CONTEXT_OWN`.
    pub maker: u32,
    /// Zero.
    pub reserved: u32,
}

impl ContextId {
    /// The id with this number of a maker.
    pub const fn new(maker: u32, serial: u64) -> Self {
        Self { serial, maker, reserved: 0 }
    }
}

/// The other end of an edge of a topology, as a rank at one end sees it (MPI 5.0, chapter 8).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbor {
    /// Its rank, which may be the own one.
    pub rank: u32,
    /// The number of the edge's block among those of a buffer of a neighborhood collective.
    pub block: u32,
}

/// The neighbors of a rank. Where a grid ends is none, so a buffer may have more blocks than there are
/// neighbors.
///
/// Several edges may lead from one rank to another, which then is several of the destinations of the one,
/// and the one several of the sources of the other. Both list these edges in the same order, so that messages
/// along them match if each side starts them as listed. That need not be the order of the blocks: along a
/// periodic dimension of one or two processes, what is sent downwards comes from above.
#[repr(C)]
#[derive(Debug)]
pub struct Neighbors {
    /// Those that edges come from: `indegree` of them.
    pub sources: *const Neighbor,
    /// Those that edges lead to: `outdegree` of them.
    pub destinations: *const Neighbor,
    /// How many edges end at the rank.
    pub indegree: u32,
    /// How many edges begin there.
    pub outdegree: u32,
}

/// What the MPI layer does with parts of a communicator, for components of `coll` that make an operation of
/// others among some of its ranks. A part is a communicator of its own, with a context id of its own, which the
/// program never sees: its operations are served by the components of `coll` that serve any communicator, and
/// are counted apart. It has the hints that its communicator was made with.
#[repr(C)]
#[derive(Debug)]
pub struct CommParts {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes a part of these `count` different ranks of an intra-communicator, in this order, and stores its
    /// view. Each of them calls it, in an operation of the communicator, whose `tag` the messages carry that
    /// this takes. Where it fails on one process others may have the part, so they have to tell each other
    /// before one is used.
    pub make: unsafe extern "C" fn(
        comm: *const Comm,
        ranks: *const u32,
        count: u32,
        tag: i32,
        part: *mut *const Comm,
    ) -> Status,
    /// Runs a blocking operation (`cairn_coll_args_t`) on a part to its end; its `tag` does not matter. One
    /// thread at a time for one part.
    pub run: unsafe extern "C" fn(part: *const Comm, args: *const c_void) -> Status,
    /// Gives a part back, in `comm_close` at the latest.
    pub free: unsafe extern "C" fn(part: *const Comm),
}

/// A view of a communicator, that of one rank. Allocated by the MPI layer; constant but for the scope's
/// slots and the assertion flags, which change only where the standard lets them.
///
/// Mostly a process is one rank, has one view, and stands in `peers` once. Where it is several ranks it
/// has a view for each, and this holds:
///
/// * A view speaks for its `rank` alone: its messages come from there, its receives get what was sent
///   there, and it is opened, used, closed and freed like a communicator of its own, with slots of its own.
/// * `peers` may name one process several times, also this one. A rank is told by its number, never by its
///   peer, and a process is more than one rank's.
/// * Each rank that shares its process has a context id that no other view of the process has; a message
///   carries that of the rank it goes to. `contexts` names them.
/// * A component that can't serve such a view refuses it in `comm_open`, or leaves the choice to others;
///   `shares_processes` tells.
#[repr(C)]
#[derive(Debug)]
pub struct Comm {
    /// Kind, number in this process, number of ranks in the local group, name, info and private slots.
    pub scope: Scope,
    /// The view's rank in the local group.
    pub rank: u32,
    /// Ranks in the group that messages go to: the remote group of an inter-communicator, else
    /// the local one.
    pub remote_size: u32,
    /// `CAIRN_COMM_*`.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
    /// What messages to this rank carry, and, where `contexts` is null, those to every other.
    pub context: ContextId,
    /// `remote_size` peers by rank.
    pub peers: *const *mut Peer,
    /// What messages to each of the `remote_size` ranks carry, or null where all carry
    /// `context`.
    pub contexts: *const ContextId,
    /// The rank's neighbors, or null where the communicator has no topology, which then is so on all its
    /// processes.
    pub neighbors: *const Neighbors,
    /// What makes communicators of some of the ranks, or null where nothing does.
    pub parts: *const CommParts,
}

impl Comm {
    /// What messages to a rank below `remote_size` carry.
    ///
    /// # Safety
    /// `contexts` is null or leads to `remote_size` ids.
    #[inline]
    pub unsafe fn context_of(&self, rank: u32) -> ContextId {
        if self.contexts.is_null() {
            return self.context;
        }
        // SAFETY: promised by the caller.
        unsafe { *self.contexts.add(rank as usize) }
    }

    /// The sources and the destinations; none without a topology.
    ///
    /// # Safety
    /// `neighbors` is null or leads to as many as it says, which stay as long as the view.
    pub unsafe fn neighbors(&self) -> Option<[&[Neighbor]; 2]> {
        // SAFETY: promised by the caller.
        unsafe {
            let all = self.neighbors.as_ref()?;
            let list = |first: *const Neighbor, number: u32| match number {
                0 => &[][..],
                _ => core::slice::from_raw_parts(first, number as usize),
            };
            Some([list(all.sources, all.indegree), list(all.destinations, all.outdegree)])
        }
    }

    /// Whether several of the ranks in `peers` are one process.
    ///
    /// # Safety
    /// `peers` leads to `remote_size` peers.
    pub unsafe fn shares_processes(&self) -> bool {
        // SAFETY: promised by the caller.
        let peers = (0..self.remote_size as usize).map(|rank| unsafe { *self.peers.add(rank) });
        let mut seen = std::collections::HashSet::new();
        !peers.into_iter().all(|peer| seen.insert(peer))
    }
}
