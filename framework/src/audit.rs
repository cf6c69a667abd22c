//! What debug builds watch: how many locks and atomic read-modify-writes a thread uses, and in which
//! order it takes locks. In release builds all of it is compiled to nothing.
//!
//! ```text
//!   Lock::guard ──────────┐                                ┌─ counts of the thread: `counts`
//!   word.rmw().swap(...) ─┼─► the host's library ──────────┤
//!   (a component library:  through `Host::audit`) ─────────┴─ locks it holds: is this one in order?
//! ```
//!
//! There is one account for each thread, in the library that holds the host. A component that is a
//! shared library has thread-locals of its own, so what happens there is reported through the host
//! table; `attach` says to which one. A component that was built for release says nothing.
//!
//! **The order of locks.** A thread may wait for a lock only if its [`LockLevel`] is above those of all
//! locks that it holds. Then threads can't wait for each other in a circle. A try never waits, so it may
//! come in any order; what it took counts as held. Ranks are compared, addresses only where a rank says
//! that one thread takes several.
//!
//! | level | the lock of | where |
//! |---|---|---|
//! | [`LIBRARY`](LockLevel::LIBRARY) | the library joins its job or leaves it | `cairn-mpi` |
//! | [`WORLD`](LockLevel::WORLD) | a communicator that the library makes for itself | `cairn-mpi` |
//! | [`TOOLS`](LockLevel::TOOLS) | the tool information interface begins or ends | `cairn-mpi` |
//! | [`HANDLES`](LockLevel::HANDLES) | what tools ask for is listed; a tool's session | `cairn-mpi` |
//! | [`VARIABLES`](LockLevel::VARIABLES) | a tool's handle of a variable is used | `cairn-mpi` |
//! | [`SYSTEM`](LockLevel::SYSTEM) | the library makes its component system | `cairn-mpi` |
//! | [`LIFECYCLE`](LockLevel::LIFECYCLE) | components open, are chosen and close | host |
//! | [`SWEEP`](LockLevel::SWEEP) | what waits for peers that have failed is ended | `pml_ob1` |
//! | [`WINDOW`](LockLevel::WINDOW) | the operations and epochs of a window | `osc_rdma` |
//! | [`REQUESTS`](LockLevel::REQUESTS) | requests that the MPI layer completes | `cairn-mpi` |
//! | [`PARTITIONS`](LockLevel::PARTITIONS) | partitioned operations meet their other side | `cairn-mpi` |
//! | [`UNMET`](LockLevel::UNMET) | partitioned operations of a communicator that have not met | `cairn-mpi` |
//! | [`BUFFERS`](LockLevel::BUFFERS) | buffers of buffered sends | `cairn-mpi` |
//! | [`STATE`](LockLevel::STATE) | the state of a request of the MPI layer | `cairn-mpi` |
//! | [`OPERATIONS`](LockLevel::OPERATIONS) | collective operations under way | `cairn-schedule` |
//! | [`CRI`](LockLevel::CRI) | a communication resource instance | [`Cri::guard`](crate::abi::pool::Cri::guard) |
//! | [`CONNECTING`](LockLevel::CONNECTING) | a peer gets its routes | host, `btl_sm` |
//! | [`READING`](LockLevel::READING) | counters are read, which their owners bring up to date | host |
//! | [`COUNTED`](LockLevel::COUNTED) | the engines whose counts are added up | `pml_ob1` |
//! | [`SHARD`](LockLevel::SHARD) | a matching engine, or its shards, by address | `match_*` |
//! | [`LINE`](LockLevel::LINE) | receives with wildcards of several shards, by address | `match_sharded` |
//! | [`QUEUES`](LockLevel::QUEUES) | what waits for room to a peer | `pml_ob1` |
//! | [`LIST`](LockLevel::LIST) | a list, while a table is locked | everywhere |
//! | [`TABLE`](LockLevel::TABLE) | a table, while one of its entries is locked | everywhere |
//! | [`ENTRY`](LockLevel::ENTRY) | an entry of a table that leads to others | everywhere |
//! | [`LEAF`](LockLevel::LEAF) | anything else: nothing is taken while it is held |  |
//! | [`UNKNOWN`](LockLevel::UNKNOWN) | whatever C code locks: not checked | `Host::lock_acquire` |

use core::ffi::c_void;

/// What is reported, as `CAIRN_AUDIT_*` of `<cairn/lock.h>`: a lock that was waited for or might have
/// been, one that was taken by a try, one that was released, an atomic read-modify-write.
pub(crate) const LOCK: u32 = 1;
pub(crate) const TRY: u32 = 2;
pub(crate) const UNLOCK: u32 = 3;
pub(crate) const ATOMIC: u32 = 4;

/// The place of a lock in the order in which threads take locks; see the module's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockLevel(u32);

/// Declares the levels, in their order: number, name, and whether a thread may hold several locks of the level,
/// which it takes by rising addresses.
macro_rules! levels {
    ($($(#[$doc:meta])* $level:ident = $number:expr, $name:literal, $several:literal;)+) => {
        const TABLE: &[(LockLevel, &str, bool)] =
            &[$((LockLevel::$level, $name, $several),)+];

        impl LockLevel {
            $($(#[$doc])* pub const $level: Self = Self($number);)+
        }
    };
}

levels! {
    /// Not checked.
    UNKNOWN = 0, "unknown", true;
    /// The MPI library joins its job or leaves it.
    LIBRARY = 1, "library", false;
    /// A communicator that the library makes for itself.
    WORLD = 2, "world", false;
    /// The tool information interface begins or ends.
    TOOLS = 3, "tools", false;
    /// What tools ask for is listed; a tool's session.
    HANDLES = 4, "handles", false;
    /// A tool's handle of a variable is used.
    VARIABLES = 5, "variables", false;
    /// The library makes its component system.
    SYSTEM = 6, "system", false;
    /// Components open, are chosen and close.
    LIFECYCLE = 7, "lifecycle", false;
    /// Ending what waits for peers that have failed.
    SWEEP = 8, "sweep", false;
    /// The operations and epochs of a window.
    WINDOW = 9, "window", false;
    /// Requests that the MPI layer completes.
    REQUESTS = 10, "requests", false;
    /// Partitioned operations meet their other side.
    PARTITIONS = 12, "partitions", false;
    /// Partitioned operations of a communicator that have not met.
    UNMET = 13, "unmet", false;
    /// Buffers of buffered sends.
    BUFFERS = 14, "buffers", false;
    /// The state of a request of the MPI layer.
    STATE = 15, "state", false;
    /// Collective operations under way.
    OPERATIONS = 16, "operations", false;
    /// A communication resource instance.
    CRI = 20, "cri", false;
    /// A peer gets its routes.
    CONNECTING = 30, "connecting", false;
    /// Counters are read, which their owners bring up to date.
    READING = 32, "reading", false;
    /// Engines whose counts are added up.
    COUNTED = 36, "counted", false;
    /// A matching engine, or a part of one.
    SHARD = 40, "shard", true;
    /// Receives with wildcards of several shards.
    LINE = 50, "line", true;
    /// What waits for room.
    QUEUES = 60, "queues", false;
    /// A list, while a table is locked.
    LIST = 70, "list", false;
    /// A table, while one of its entries is locked.
    TABLE = 80, "table", false;
    /// An entry of a table that leads to others.
    ENTRY = 90, "entry", false;
    /// Nothing is taken while it is held.
    LEAF = u32::MAX, "leaf", false;
}

impl LockLevel {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|(rank, ..)| *rank == self).map_or("undocumented", |(_, name, _)| name)
    }

    #[cfg(debug_assertions)]
    fn has_several(self) -> bool {
        TABLE.iter().any(|(rank, _, several)| *rank == self && *several)
    }
}

/// What a thread has done since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Locks that it would have waited for.
    pub locks: u32,
    /// Locks that it has taken by a try, which never waits.
    pub tries: u32,
    /// Atomic read-modify-writes on the path of messages, besides those of locks.
    pub atomics: u32,
}

impl core::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            locks: self.locks - before.locks,
            tries: self.tries - before.tries,
            atomics: self.atomics - before.atomics,
        }
    }
}

/// Whether this build watches.
pub const ON: bool = cfg!(debug_assertions);

/// What the calling thread has done, as far as this library's account knows: in the library that holds
/// the host everything. Nothing in release builds.
pub fn counts() -> Counts {
    account::counts()
}

/// An atomic on the path of messages. `word.rmw().swap(...)` is `word.swap(...)`, and counts it in debug
/// builds.
pub trait Counted {
    /// Counts one read-modify-write.
    #[inline(always)]
    fn rmw(&self) -> &Self {
        report(ATOMIC, core::ptr::null(), LockLevel::UNKNOWN);
        self
    }
}

impl<T: ?Sized> Counted for T {}

/// Something has happened on this thread.
#[inline(always)]
pub(crate) fn report(event: u32, lock: *const c_void, rank: LockLevel) {
    if ON {
        account::report(event, lock, rank);
    }
}

/// What a function of the host table does: `rank` as a number.
#[cfg(any(feature = "host", feature = "mock"))]
pub(crate) unsafe extern "C" fn of_component(event: u32, lock: *const c_void, rank: u32) {
    if ON {
        account::own(event, lock, LockLevel(rank));
    }
}

/// Says whose host this library's components have, so that there is one account. For `register`.
#[cfg(not(feature = "host"))]
pub(crate) fn attach(audit: unsafe extern "C" fn(u32, *const c_void, u32)) {
    if ON {
        account::attach(audit);
    }
}

/// The components are where the host is.
#[cfg(feature = "host")]
pub(crate) fn attach(_: unsafe extern "C" fn(u32, *const c_void, u32)) {}

#[cfg(not(debug_assertions))]
mod account {
    use core::ffi::c_void;

    use super::{Counts, LockLevel};

    pub fn counts() -> Counts {
        Counts::default()
    }
    pub fn report(_: u32, _: *const c_void, _: LockLevel) {}
    #[cfg(any(feature = "host", feature = "mock"))]
    pub fn own(_: u32, _: *const c_void, _: LockLevel) {}
    #[cfg(not(feature = "host"))]
    pub fn attach(_: unsafe extern "C" fn(u32, *const c_void, u32)) {}
}

#[cfg(debug_assertions)]
mod account {
    use core::cell::{Cell, RefCell};
    use core::ffi::c_void;

    use super::{ATOMIC, Counts, LOCK, LockLevel, TRY, UNLOCK};

    thread_local! {
        static COUNTS: Cell<Counts> = const { Cell::new(Counts { locks: 0, tries: 0, atomics: 0 }) };
        /// Address and rank of the locks that the thread holds.
        static HELD: RefCell<Vec<(usize, LockLevel)>> = const { RefCell::new(Vec::new()) };
    }

    pub fn counts() -> Counts {
        COUNTS.get()
    }

    #[cfg(not(feature = "host"))]
    mod elsewhere {
        use core::ffi::c_void;
        use core::sync::atomic::{AtomicPtr, Ordering};

        type Audit = unsafe extern "C" fn(u32, *const c_void, u32);

        /// The host's function; null before a component was registered.
        static HOST: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

        pub fn attach(host: Audit) {
            HOST.store(host as *mut c_void, Ordering::Release);
        }

        pub fn host() -> Option<Audit> {
            let host = HOST.load(Ordering::Acquire);
            // SAFETY: null or stored by `attach`.
            (!host.is_null()).then(|| unsafe { core::mem::transmute::<*mut c_void, Audit>(host) })
        }
    }
    #[cfg(not(feature = "host"))]
    pub use elsewhere::attach;

    pub fn report(event: u32, lock: *const c_void, rank: LockLevel) {
        #[cfg(not(feature = "host"))]
        if let Some(host) = elsewhere::host() {
            // SAFETY: the host's function lives as long as the process, and looks at no lock.
            return unsafe { host(event, lock, rank.0) };
        }
        own(event, lock, rank);
    }

    /// Writes it into the account of this library.
    pub fn own(event: u32, lock: *const c_void, rank: LockLevel) {
        let mut counts = COUNTS.get();
        match event {
            LOCK => counts.locks += 1,
            TRY => counts.tries += 1,
            ATOMIC => counts.atomics += 1,
            _ => {}
        }
        COUNTS.set(counts);
        if event == ATOMIC {
            return;
        }
        // At a thread's end the list may be gone; what is locked then is not checked.
        let wrong = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            let address = lock.addr();
            if event == UNLOCK {
                if let Some(place) = held.iter().rposition(|(other, _)| *other == address) {
                    held.swap_remove(place);
                }
                return None;
            }
            let wrong = held.iter().copied().find(|(other, above)| {
                event == LOCK && !may_follow((*other, *above), (address, rank))
            });
            if wrong.is_none() {
                held.push((address, rank));
            }
            wrong
        });
        if let Ok(Some((other, above))) = wrong {
            out_of_order((other, above), (lock.addr(), rank));
        }
    }

    /// Whether a thread that holds one lock may wait for another.
    fn may_follow(held: (usize, LockLevel), next: (usize, LockLevel)) -> bool {
        if held.0 == next.0 {
            return false;
        }
        if held.1 == LockLevel::UNKNOWN || next.1 == LockLevel::UNKNOWN {
            return true;
        }
        held.1 < next.1 || (held.1 == next.1 && next.1.has_several() && held.0 < next.0)
    }

    #[cold]
    fn out_of_order(held: (usize, LockLevel), next: (usize, LockLevel)) -> ! {
        panic!(
            "locks out of order: a thread waits for the lock \"{}\" at {:#x} while it holds \"{}\" \
             at {:#x}; another thread may do the reverse, and then both wait for ever. The order is \
             in cairn_framework::audit",
            next.1.name(),
            next.0,
            held.1.name(),
            held.0
        );
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(TABLE.is_sorted_by_key(|(rank, ..)| *rank));
        assert_eq!((LockLevel::LINE.name(), LockLevel(99).name()), ("line", "undocumented"));
    }
}
