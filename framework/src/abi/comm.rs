//! A communicator, as far as components see it.

use super::peer::Peer;
use super::scope::Scope;

/// [`Comm::flags`]: messages may overtake each other (`mpi_assert_allow_overtaking`).
pub const COMM_ALLOW_OVERTAKING: u32 = 1;
/// [`Comm::flags`]: no receive uses `MPI_ANY_SOURCE` (`mpi_assert_no_any_source`).
pub const COMM_NO_ANY_SOURCE: u32 = 2;
/// [`Comm::flags`]: no receive uses `MPI_ANY_TAG` (`mpi_assert_no_any_tag`).
pub const COMM_NO_ANY_TAG: u32 = 4;
/// [`Comm::flags`]: receives fit exactly (`mpi_assert_exact_length`).
pub const COMM_EXACT_LENGTH: u32 = 8;
/// [`Comm::flags`]: an inter-communicator; `peers` is the remote group.
pub const COMM_INTER: u32 = 16;

/// Communicators whose `scope.id` is below this are not of the program's making: `MPI_COMM_WORLD`,
/// `MPI_COMM_SELF`, and one of all processes that the library keeps for itself.
pub const COMM_OWN_IDS: u32 = 3;

/// A communicator. Allocated by the MPI layer; constant but for the scope's slots and the
/// assertion flags, which change only where the standard lets them.
#[repr(C)]
#[derive(Debug)]
pub struct Comm {
    /// Kind, context id, number of ranks in the local group, name, info and private slots.
    pub scope: Scope,
    /// Rank of this process in the local group.
    pub rank: u32,
    /// Ranks in the group that messages go to: the remote group of an inter-communicator, else
    /// the local one.
    pub remote_size: u32,
    /// `CAIRN_COMM_*`.
    pub flags: u32,
    /// Context id that the peers use for messages to us; differs from `scope.id` only between
    /// groups.
    pub receive_context: u32,
    /// `remote_size` peers by rank.
    pub peers: *const *mut Peer,
}
