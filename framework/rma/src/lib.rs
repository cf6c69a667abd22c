//! What one-sided components are built of: operations on memory that this process can load and store, and
//! the locks that processes share for them. No messages, no files, no waiting for peers but on a lock.
//!
//! ```text
//!   put, get        copy      from one side to the other, whatever their datatypes
//!   accumulate …    apply     elements, block by block ──► locks   one for each 4096 bytes of the target
//!                   short     a few of one type, most of all one: without preparations ──► the same locks
//!   operate       whatever the contract of windows has, by these two
//!   memory of peers           device      the functions of transports that reach it
//!   MPI_Win_lock              lock_word   shared or exclusive, of one target, by processes of a node
//!                             remote_lock the same, also by the atomics of devices
//! ```

mod apply;
mod copy;
mod device;
mod lock_word;
mod locks;
mod operation;
mod remote_lock;
mod short;

pub use apply::{Packed, Target, Update, accumulate, accumulate_sides, compare_and_swap};
pub use copy::{Side, copy};
pub use device::{ALL_RIGHTS, Device, Key, PackedKey, Registration};
pub use lock_word::LockWord;
pub use locks::{AccumulateLocks, BLOCK, Held, LOCKS, Taker};
pub use operation::{element_of, operate};
pub use remote_lock::{RemoteLock, Wish};
