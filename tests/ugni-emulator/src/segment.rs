//! What processes share: a segment each, an anonymous file that others map.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::types::{DATAGRAM_MOST, MemHandle};

/// Instances of a process.
pub const INSTANCES: usize = 1024;
/// Registrations of a process.
pub const REGIONS: usize = 1 << 16;
/// Queues of a process.
pub const QUEUES: usize = 4096;
/// Datagrams of an instance.
pub const DATAGRAMS: usize = 256;
/// Entries of all queues of a process.
const ENTRIES: usize = 1 << 25;

const NAME: &CStr = c"ugni-emulator";

/// A segment. All zero at first. Pages that are not used take no memory.
#[repr(C)]
pub struct Process {
    /// Held for atomic operations in the memory of the process.
    pub atomics: Lock,
    /// Raised when there is an event in a queue that can be waited for.
    pub doorbell: AtomicU32,
    pub regions: [Region; REGIONS],
    pub instances: [Instance; INSTANCES],
    pub queues: [Ring; QUEUES],
    pub entries: [AtomicU64; ENTRIES],
}

/// Registered memory. Written by its process, with the generation 0 meanwhile.
#[repr(C)]
pub struct Region {
    pub generation: AtomicU64,
    pub base: AtomicU64,
    pub len: AtomicU64,
    pub flags: AtomicU32,
    /// The queue of remote events, from 1 on; 0 for none.
    pub queue: AtomicU32,
}

/// A CDM that is attached to a NIC.
#[repr(C)]
pub struct Instance {
    /// Written last, with Release.
    pub used: AtomicU32,
    pub address: AtomicU32,
    pub id: AtomicU32,
    /// Protection tag and cookie.
    pub domain: AtomicU64,
    /// Guards the datagrams.
    pub lock: Lock,
    /// The order of datagrams.
    pub clock: AtomicU64,
    pub datagrams: [Datagram; DATAGRAMS],
}

/// A datagram exchange, guarded by the lock of its instance.
#[repr(C)]
pub struct Datagram {
    pub state: AtomicU32,
    /// A wildcard has none.
    pub is_directed: AtomicU32,
    pub address: AtomicU32,
    pub id: AtomicU32,
    /// When it was posted, then when it was finished.
    pub order: AtomicU64,
    pub post_id: AtomicU64,
    pub sent_len: AtomicU32,
    pub received_len: AtomicU32,
    pub sent: [AtomicU8; DATAGRAM_MOST],
    pub received: [AtomicU8; DATAGRAM_MOST],
}

/// States of a datagram in the table.
pub const FREE: u32 = 0;
pub const PENDING: u32 = 1;
pub const COMPLETED: u32 = 2;
pub const TERMINATED: u32 = 3;

/// A completion queue, guarded by its lock.
#[repr(C)]
pub struct Ring {
    pub lock: Lock,
    /// Entries that it has room for; 0 when there is no such queue.
    pub capacity: AtomicU32,
    /// Where in the entries it begins.
    pub start: AtomicU32,
    pub head: AtomicU32,
    /// Written with Release, so that a reader may look without the lock whether something is there.
    pub tail: AtomicU32,
    pub is_overrun: AtomicU32,
    pub is_blocking: AtomicU32,
}

/// A lock between processes: the id of the process that has it. It is taken over from one that has ended, unless
/// another process has its id by then.
#[repr(C)]
pub struct Lock(AtomicU32);

/// A lock that is held.
pub struct Held<'a>(&'a Lock);

impl Lock {
    pub fn hold(&self) -> Held<'_> {
        let own = std::process::id();
        for turn in 1_u32.. {
            match self.0.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(holder) if turn.is_multiple_of(1000) && has_ended(holder) => {
                    let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
                    if self.0.compare_exchange(holder, own, success, failure).is_ok() {
                        break;
                    }
                }
                Err(_) if turn > 100 => std::thread::yield_now(),
                Err(_) => std::hint::spin_loop(),
            }
        }
        Held(self)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}

/// Whether there is no such process any more, or it waits to be buried.
fn has_ended(id: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/stat")) else { return true };
    // Behind the name, which may have anything in it.
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

/// This process.
pub struct Own {
    pub process: &'static Process,
    pub id: u32,
    /// Places for the entries of queues: the next, and those that were given back by their length.
    room: Mutex<(u32, HashMap<u32, Vec<u32>>)>,
    /// Registrations there are.
    pub registered: Mutex<u64>,
    _file: OwnedFd,
}

/// The segment of this process, made if there is none.
pub fn own() -> Option<&'static Own> {
    static OWN: OnceLock<Option<Own>> = OnceLock::new();
    OWN.get_or_init(|| {
        // SAFETY: the name is a string; the descriptor is ours.
        let file = unsafe {
            let file = libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return None;
            }
            OwnedFd::from_raw_fd(file)
        };
        // SAFETY: ours.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size_of::<Process>() as i64) } != 0 {
            return None;
        }
        let process = map(&file)?;
        let id = std::process::id();
        Some(Own { process, id, room: Mutex::default(), registered: Mutex::default(), _file: file })
    })
    .as_ref()
}

impl Own {
    /// Room for so many entries, a power of two.
    pub fn reserve(&self, capacity: u32) -> Option<u32> {
        let mut room = self.room.lock().expect("no holder panics");
        if let Some(start) = room.1.get_mut(&capacity).and_then(Vec::pop) {
            return Some(start);
        }
        let start = room.0;
        room.0 = start.checked_add(capacity).filter(|end| *end as usize <= ENTRIES)?;
        Some(start)
    }

    pub fn give_back(&self, start: u32, capacity: u32) {
        self.room.lock().expect("no holder panics").1.entry(capacity).or_default().push(start);
    }
}

/// Maps a segment, for good.
fn map(file: &impl AsRawFd) -> Option<&'static Process> {
    let (rights, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    // SAFETY: a new mapping; the file has the length.
    let address = unsafe {
        libc::mmap(std::ptr::null_mut(), size_of::<Process>(), rights, flags, file.as_raw_fd(), 0)
    };
    if address == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: mapped for good, zeros at first, and all atomic.
    Some(unsafe { &*address.cast::<Process>() })
}

/// An instance of some process.
#[derive(Clone, Copy)]
pub struct Found {
    pub process: &'static Process,
    pub pid: u32,
    pub at: usize,
}

impl Found {
    pub fn instance(&self) -> &'static Instance {
        &self.process.instances[self.at]
    }
}

fn name(domain: u64, address: u32, id: u32) -> Option<SocketAddr> {
    // SAFETY: no arguments.
    let user = unsafe { libc::getuid() };
    let name = format!("ugni-emulator/{user}/{domain:x}/{address:x}/{id:x}");
    SocketAddr::from_abstract_name(name.as_bytes()).ok()
}

/// How long a name is waited for that nobody has any more: a process that was forked from its owner has the socket,
/// too, until it runs another program.
const FORKED: Duration = Duration::from_secs(10);

/// Takes the name of an instance, for as long as the socket is open. None when somebody has it.
pub fn claim(domain: u64, address: u32, id: u32) -> Option<UnixListener> {
    let end = Instant::now() + FORKED;
    loop {
        match UnixListener::bind_addr(&name(domain, address, id)?) {
            Ok(listener) => {
                listener.set_nonblocking(true).ok()?;
                return Some(listener);
            }
            Err(error) if error.kind() != std::io::ErrorKind::AddrInUse => return None,
            // A process of another namespace is nobody's owner that has died: what has a number here is.
            Err(_) if listening(domain, address, id) == Some(0) => return None,
            Err(_) if find(domain, address, id).is_some() || Instant::now() > end => return None,
            // Seldom: nobody takes the connections of these looks.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Segments that are mapped, by process.
static KNOWN: Mutex<Vec<(u32, &'static Process)>> = Mutex::new(Vec::new());

/// The process that listens for the instance with this name; 0 if it is of another namespace.
fn listening(domain: u64, address: u32, id: u32) -> Option<u32> {
    let stream = UnixStream::connect_addr(&name(domain, address, id)?).ok()?;
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = size_of::<libc::ucred>() as u32;
    // SAFETY: there is room for the answer.
    let asked = unsafe {
        let (place, len) = ((&raw mut peer).cast::<c_void>(), &raw mut len);
        libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, place, len)
    };
    u32::try_from(peer.pid).ok().filter(|_| asked == 0)
}

/// The instance with this name.
pub fn find(domain: u64, address: u32, id: u32) -> Option<Found> {
    let own = own()?;
    let among = |process: &'static Process, pid| {
        let at = process.instances.iter().position(|one| {
            one.used.load(Ordering::Acquire) != 0
                && one.domain.load(Ordering::Relaxed) == domain
                && one.address.load(Ordering::Relaxed) == address
                && one.id.load(Ordering::Relaxed) == id
        })?;
        Some(Found { process, pid, at })
    };
    if let Some(found) = among(own.process, own.id) {
        return Some(found);
    }
    // Who listens is the process, as the kernel says.
    let pid = listening(domain, address, id).filter(|pid| *pid != 0 && *pid != own.id)?;
    let mut known = KNOWN.lock().expect("no holder panics");
    for (other, process) in known.iter() {
        if *other == pid
            && let Some(found) = among(process, pid)
        {
            return Some(found);
        }
    }
    // Not yet mapped, or of another process that had this id.
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten() {
        let is_one = |link: std::path::PathBuf| {
            link.to_string_lossy().starts_with(&format!("/memfd:{}", NAME.to_string_lossy()))
        };
        if !std::fs::read_link(entry.path()).is_ok_and(is_one) {
            continue;
        }
        let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open(entry.path()) else {
            continue;
        };
        if !file.metadata().is_ok_and(|data| data.len() == size_of::<Process>() as u64) {
            continue;
        }
        if let Some(process) = map(&file)
            && let Some(found) = among(process, pid)
        {
            known.push((pid, process));
            return Some(found);
        }
    }
    None
}

impl Process {
    /// What a handle stands for, if it is one of this process's: its place, base, length and flags.
    pub fn region(&self, pid: u32, handle: MemHandle) -> Option<(&Region, u64, u64, u32)> {
        if (handle.qword1 >> 32) as u32 != pid || handle.qword2 == 0 {
            return None;
        }
        let region = self.regions.get(handle.qword1 as u32 as usize)?;
        let is_that = || region.generation.load(Ordering::Acquire) == handle.qword2;
        if !is_that() {
            return None;
        }
        let (base, len) = (region.base.load(Ordering::Relaxed), region.len.load(Ordering::Relaxed));
        let flags = region.flags.load(Ordering::Relaxed);
        std::sync::atomic::fence(Ordering::Acquire);
        is_that().then_some((region, base, len, flags))
    }

    /// The same if these bytes are inside.
    pub fn covered(
        &self,
        pid: u32,
        handle: MemHandle,
        at: u64,
        len: u64,
    ) -> Option<(&Region, u32)> {
        let (region, base, size, flags) = self.region(pid, handle)?;
        let inside = at >= base && at.checked_add(len)? <= base.checked_add(size)?;
        inside.then_some((region, flags))
    }

    /// Puts an event into a queue. What does not fit is lost.
    pub fn push(&self, queue: usize, entry: u64, lose: bool) {
        let Some(ring) = self.queues.get(queue) else { return };
        {
            let _held = ring.lock.hold();
            let capacity = ring.capacity.load(Ordering::Relaxed);
            let (head, tail) =
                (ring.head.load(Ordering::Relaxed), ring.tail.load(Ordering::Relaxed));
            if capacity == 0 {
                return;
            }
            if lose || tail.wrapping_sub(head) >= capacity {
                ring.is_overrun.store(1, Ordering::Release);
            } else {
                let mask = capacity.next_power_of_two() - 1;
                let at = ring.start.load(Ordering::Relaxed) + (tail & mask);
                let Some(place) = self.entries.get(at as usize) else { return };
                place.store(entry, Ordering::Relaxed);
                ring.tail.store(tail.wrapping_add(1), Ordering::Release);
            }
        }
        if ring.is_blocking.load(Ordering::Relaxed) != 0 {
            self.doorbell.fetch_add(1, Ordering::SeqCst);
            // SAFETY: the word is mapped for good.
            unsafe {
                libc::syscall(libc::SYS_futex, self.doorbell.as_ptr(), libc::FUTEX_WAKE, i32::MAX)
            };
        }
    }
}
