//! A communicator, as far as components see it.

use super::peer::Peer;
use super::scope::Scope;

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
