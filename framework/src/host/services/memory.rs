//! Watches memory that components keep registered with a device: the kernel tells of every range that the program
//! unmaps, moves or empties, whoever does it and however, without hooks in the program's functions.
//!
//! ```text
//!   munmap, mremap, madvise, brk in any thread          the watch's thread
//!     changes the mappings                                poll ─► lock(gone) ─► read: the range ─► unlock
//!     waits until the event has been read  ◄────────────────────────────┘
//!     returns
//!   then whoever asks takes the lock, so he sees the range
//! ```
//!
//! It is `userfaultfd` without the faults: memory is registered for write protection and never protected, so that
//! only the events come. The watch's thread must never wait for a thread that changes mappings. So it takes no lock
//! but that of the list, behind which nobody allocates or frees, and does neither itself.
//!
//! What the kernel does not tell: that a file that is mapped gets shorter. Memory of System V is refused.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::abi::host::MemoryRange;

/// Ranges that are remembered. Who asks later than so many learns that everything may be gone.
const REMEMBERED: usize = 256;

/// Everything.
const ALL: MemoryRange = MemoryRange { address: 0, len: usize::MAX };

// linux/userfaultfd.h
const USER_MODE_ONLY: libc::c_int = 1;
const EVENTS: u64 = EVENT_REMAP_WANTED | EVENT_REMOVE_WANTED | EVENT_UNMAP_WANTED;
const EVENT_REMAP_WANTED: u64 = 1 << 2;
const EVENT_REMOVE_WANTED: u64 = 1 << 3;
const EVENT_UNMAP_WANTED: u64 = 1 << 6;
/// Shared memory and huge pages can be registered for write protection, too: Linux 5.19.
const PROTECTS_SHARED: u64 = 1 << 12;
const MODE_WRITE_PROTECT: u64 = 1 << 1;
const EVENT_REMAP: u8 = 0x14;
const EVENT_REMOVE: u8 = 0x15;
const EVENT_UNMAP: u8 = 0x16;

#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct Register {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Message {
    event: u8,
    _reserved: [u8; 7],
    words: [u64; 3],
}

/// The last ranges that are gone, and how many there were.
struct Gone {
    last: [MemoryRange; REMEMBERED],
    count: u64,
}

impl Gone {
    fn push(&mut self, range: MemoryRange) {
        self.last[self.count as usize % REMEMBERED] = range;
        self.count += 1;
    }

    /// Those behind the first `seen`, at most as many as there is room for.
    fn since(&self, seen: &mut u64, ranges: &mut [MemoryRange]) -> usize {
        let missed = self.count.saturating_sub(*seen);
        if missed > REMEMBERED as u64 {
            let Some(first) = ranges.first_mut() else { return 0 };
            *first = ALL;
            *seen = self.count;
            return 1;
        }
        let count = ranges.len().min(missed as usize);
        for place in &mut ranges[..count] {
            *place = self.last[*seen as usize % REMEMBERED];
            *seen += 1;
        }
        count
    }
}

/// The watch of a process, which begins with the first range.
#[derive(Default)]
pub(crate) struct MemoryWatch(crate::abi::lock::Mutex<Option<Result<Watch, String>>>);

struct Watch {
    shared: Arc<Shared>,
    /// Readable when the thread shall end.
    end: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    events: OwnedFd,
    /// The standard library's, which allocates nothing.
    gone: Mutex<Gone>,
}

impl MemoryWatch {
    /// Watches a range until it is gone.
    ///
    /// # Errors
    /// When the kernel does not tell, of this memory or at all; with why.
    pub fn watch(&self, range: MemoryRange) -> Result<(), String> {
        let mut watch = self.0.lock();
        match watch.get_or_insert_with(Watch::start) {
            Ok(watch) => watch.shared.add(range),
            Err(why) => Err(why.clone()),
        }
    }

    /// The ranges that are gone behind the first `seen` of them; see [`Host::memory_gone`].
    ///
    /// [`Host::memory_gone`]: crate::abi::host::Host::memory_gone
    pub fn gone(&self, seen: &mut u64, ranges: &mut [MemoryRange]) -> usize {
        let shared = match &*self.0.lock() {
            Some(Ok(watch)) => watch.shared.clone(),
            _ => return 0,
        };
        shared.gone().since(seen, ranges)
    }

    /// Ends the watch. What is watched afterwards is refused.
    pub fn close(&self) {
        let ended = self.0.lock().replace(Err("the library is closed".into()));
        drop(ended);
    }
}

impl Watch {
    fn start() -> Result<Self, String> {
        let failed = |what| move |error| format!("{what}: {error}");
        // SAFETY: neither call takes memory; the descriptors are new.
        let (events, end) = unsafe {
            let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
            let events = owned(libc::syscall(libc::SYS_userfaultfd, flags) as libc::c_int)
                .map_err(failed("userfaultfd"))?;
            let end = owned(libc::eventfd(0, libc::EFD_CLOEXEC)).map_err(failed("eventfd"))?;
            (events, end)
        };
        let mut api = Api { api: 0xAA, features: EVENTS | PROTECTS_SHARED, ioctls: 0 };
        // SAFETY: the kernel reads and writes the struct, which has the size that the number says.
        let agreed = unsafe {
            libc::ioctl(events.as_raw_fd(), libc::_IOWR::<Api>(0xAA, 0x3F), &raw mut api)
        };
        if agreed != 0 {
            return Err(failed("userfaultfd")(std::io::Error::last_os_error()));
        }
        let gone = Mutex::new(Gone { last: [ALL; REMEMBERED], count: 0 });
        let shared = Arc::new(Shared { events, gone });
        let (of_thread, end_fd) = (shared.clone(), end.as_raw_fd());
        // The thread ends before `end` is closed: see `drop`.
        let thread = crate::sys::spawn_quiet("cairn-memory", move || of_thread.run(end_fd))
            .map_err(failed("a thread"))?;
        Ok(Self { shared, end, thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let one = 1_u64;
        // SAFETY: eight bytes, as eventfd wants.
        unsafe { libc::write(self.end.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// # Safety
/// A new descriptor, or -1 with the reason in `errno`.
unsafe fn owned(fd: libc::c_int) -> Result<OwnedFd, std::io::Error> {
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: promised by the caller.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

impl Shared {
    fn gone(&self) -> MutexGuard<'_, Gone> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, range: MemoryRange) -> Result<(), String> {
        // SAFETY: takes no memory.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = range.address - range.address % page;
        let end =
            range.address.checked_add(range.len).and_then(|end| end.checked_next_multiple_of(page));
        let end = end.ok_or("memory behind the end of all addresses")?;
        let mut register = Register {
            start: start as u64,
            len: (end - start) as u64,
            mode: MODE_WRITE_PROTECT,
            ioctls: 0,
        };
        // SAFETY: the kernel reads and writes the struct, which has the size that the number says; what it does to
        // the range is to note who hears of its end.
        let done = unsafe {
            let number = libc::_IOWR::<Register>(0xAA, 0);
            libc::ioctl(self.events.as_raw_fd(), number, &raw mut register)
        };
        match done {
            0 => Ok(()),
            _ => Err(format!("it can't be watched: {}", std::io::Error::last_os_error())),
        }
    }

    /// What the watch's thread does. See above for what it must not do.
    fn run(&self, end: libc::c_int) {
        let mut polled = [self.events.as_raw_fd(), end].map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        loop {
            // SAFETY: an array of two.
            unsafe { libc::poll(polled.as_mut_ptr(), 2, -1) };
            if polled[1].revents != 0 {
                return;
            }
            let mut gone = self.gone();
            while let Some(message) = self.read() {
                let [first, second, third] = message.words.map(|word| word as usize);
                match message.event {
                    EVENT_UNMAP | EVENT_REMOVE => {
                        gone.push(MemoryRange { address: first, len: second - first });
                    }
                    // From here to there, and so long. What lay there was unmapped.
                    EVENT_REMAP => gone.push(MemoryRange { address: first, len: third }),
                    _ => gone.push(ALL),
                }
            }
        }
    }

    fn read(&self) -> Option<Message> {
        let mut message = Message { event: 0, _reserved: [0; 7], words: [0; 3] };
        let size = size_of::<Message>();
        // SAFETY: the place has room for one message.
        let got = unsafe { libc::read(self.events.as_raw_fd(), (&raw mut message).cast(), size) };
        (got == size as isize).then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    const PAGE: usize = 4096;

    /// Pages that are there.
    fn map(pages: usize) -> usize {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
        // SAFETY: new memory.
        let address = unsafe { libc::mmap(null_mut(), pages * PAGE, rights, flags, -1, 0) };
        assert_ne!(address, libc::MAP_FAILED);
        address.expose_provenance()
    }

    fn unmap(address: usize, pages: usize) {
        let pointer = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the test's own memory.
        assert_eq!(unsafe { libc::munmap(pointer, pages * PAGE) }, 0);
    }

    fn range(address: usize, pages: usize) -> MemoryRange {
        MemoryRange { address, len: pages * PAGE }
    }

    /// A watch, if this kernel lets this process have one.
    fn watch() -> Option<MemoryWatch> {
        cairn_skips::has_userfaultfd().then(|| {
            let watch = MemoryWatch::default();
            let address = map(1);
            watch.watch(range(address, 1)).unwrap();
            unmap(address, 1);
            assert_eq!(all(&watch, &mut 0), [range(address, 1)]);
            watch
        })
    }

    fn all(watch: &MemoryWatch, seen: &mut u64) -> Vec<MemoryRange> {
        let mut ranges = [ALL; 2 * REMEMBERED];
        let count = watch.gone(seen, &mut ranges);
        ranges[..count].to_vec()
    }

    #[test]
    fn what_is_unmapped_moved_emptied_or_mapped_over_is_known_at_once() {
        let Some(watch) = watch() else { return };
        let mut seen = 1;
        let address = map(8);
        watch.watch(MemoryRange { address: address + 10, len: 8 * PAGE - 20 }).unwrap();
        let pointer = |page: usize| std::ptr::with_exposed_provenance_mut(address + page * PAGE);
        assert_eq!(all(&watch, &mut seen), []);
        unmap(address, 1);
        assert_eq!(all(&watch, &mut seen), [range(address, 1)]);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the test's own memory.
        unsafe {
            assert_eq!(libc::madvise(pointer(1), PAGE, libc::MADV_DONTNEED), 0);
            assert_eq!(all(&watch, &mut seen), [range(address + PAGE, 1)]);
            libc::mmap(pointer(2), PAGE, rights, flags, -1, 0);
            assert_eq!(all(&watch, &mut seen), [range(address + 2 * PAGE, 1)]);
            let moved = libc::mremap(pointer(4), PAGE, 3 * PAGE, libc::MREMAP_MAYMOVE);
            assert_ne!(moved, pointer(4));
            assert!(all(&watch, &mut seen).contains(&range(address + 4 * PAGE, 1)));
            unmap(moved.expose_provenance(), 3);
        }
        // Nobody has asked to watch what was mapped since, but what has moved is watched where it is now.
        all(&watch, &mut seen);
        unmap(address + 2 * PAGE, 1);
        assert_eq!(all(&watch, &mut seen), []);
        unmap(address + PAGE, 1);
        unmap(address + 3 * PAGE, 1);
        unmap(address + 5 * PAGE, 3);
        assert_eq!(all(&watch, &mut seen).len(), 3);
    }

    #[test]
    fn who_asks_too_late_learns_that_all_may_be_gone() {
        let Some(watch) = watch() else { return };
        let (mut seen, mut late) = (1, 1);
        let pages = REMEMBERED + 1;
        let address = map(pages);
        watch.watch(range(address, pages)).unwrap();
        for page in 0..pages {
            unmap(address + page * PAGE, 1);
            assert_eq!(all(&watch, &mut seen), [range(address + page * PAGE, 1)]);
        }
        assert_eq!(all(&watch, &mut late), [ALL]);
        assert_eq!(all(&watch, &mut late), []);
        // With little room they come bit by bit.
        let address = map(3);
        watch.watch(range(address, 3)).unwrap();
        (0..3).for_each(|page| unmap(address + page * PAGE, 1));
        let mut two = [ALL; 2];
        assert_eq!(watch.gone(&mut late, &mut two), 2);
        assert_eq!(watch.gone(&mut late, &mut two), 1);
        assert_eq!(two[0], range(address + 2 * PAGE, 1));
    }

    #[test]
    fn many_threads_unmap_and_ask() {
        let Some(watch) = watch() else { return };
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let mut seen =
                            watch.0.lock().as_ref().unwrap().as_ref().unwrap().shared.gone().count;
                        let address = map(2);
                        watch.watch(range(address, 2)).unwrap();
                        unmap(address, 2);
                        let found = all(&watch, &mut seen);
                        assert!(found.contains(&range(address, 2)) || found == [ALL], "{found:?}");
                    }
                });
            }
        });
    }

    #[test]
    fn what_can_not_be_watched_is_refused() {
        let Some(watch) = watch() else { return };
        let address = map(1);
        unmap(address, 1);
        assert!(watch.watch(range(address, 1)).is_err());
        assert!(watch.watch(MemoryRange { address: usize::MAX - 10, len: 5 }).is_err());
        // The kernel does not tell of the end of memory of System V.
        // SAFETY: a segment of the test's own, which is removed at once and ends with the mapping.
        unsafe {
            let id = libc::shmget(libc::IPC_PRIVATE, PAGE, 0o600);
            assert!(id >= 0);
            let there = libc::shmat(id, null_mut(), 0);
            libc::shmctl(id, libc::IPC_RMID, null_mut());
            assert!(watch.watch(range(there.expose_provenance(), 1)).is_err());
            libc::shmdt(there);
        }
        watch.close();
        let address = map(1);
        assert_eq!(watch.watch(range(address, 1)), Err("the library is closed".into()));
        unmap(address, 1);
    }
}
