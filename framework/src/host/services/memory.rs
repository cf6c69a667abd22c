//! Watches memory that components keep registered with a device: the kernel tells of every range that the program
//! unmaps, moves or empties, whoever does it and however, without hooks in the program's functions.
//!
//! ```text
//!   munmap, mremap, madvise, brk in any thread          the watch's thread
//!     changes the mappings                                poll ─► `turn` odd ─► read: the range ─► `turn` even
//!     waits until the event has been read  ◄─────────────────────────────┘
//!     returns
//!   then whoever asks waits while `turn` is odd, so he sees the range
//! ```
//!
//! It is `userfaultfd` without the faults: memory is registered for write protection and never protected, so that
//! only the events come. The watch's thread waits for nobody, and takes no lock, because any thread may be in the middle
//! of a change of mappings, also in a handler of a signal that has interrupted one which asks. It allocates and frees
//! nothing.
//!
//! Between the change and its event another thread may get the same addresses. As long as there is such a change the
//! kernel refuses to protect memory, so who asks tries that first, with no memory.
//!
//! Whole mappings are watched, so that none is split: a program may have only so many, and moves only one at a time.
//! Mappings of files and shared memory are refused: what others do to those is not told.
//!
//! The watch lasts as long as the process: a child that was forked has its descriptor, too, and a process
//! without a thread that reads would wait for ever.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};

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
const PROTECTS: u64 = 1;
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
struct Protect {
    start: u64,
    len: u64,
    mode: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Message {
    event: u8,
    _reserved: [u8; 7],
    words: [u64; 3],
}

/// The watch of a process.
struct Watch {
    events: OwnedFd,
    /// Odd while the watch's thread reads, and writes what it has read.
    turn: AtomicU64,
    /// The last ranges that are gone, first address and bytes, and how many there were.
    last: [[AtomicUsize; 2]; REMEMBERED],
    count: AtomicU64,
    /// Nothing is told any more: something has closed the descriptor. The last that was told is everything.
    dead: AtomicBool,
}

/// Watches a range until it is gone.
///
/// # Errors
/// When the kernel does not tell, of this memory or at all; with why.
pub(crate) fn watch(range: MemoryRange) -> Result<(), String> {
    match the_watch() {
        Ok(watch) => watch.add(range),
        Err(why) => Err(why.clone()),
    }
}

/// The ranges that are gone behind the first `seen` of them; see [`Host::memory_gone`].
///
/// [`Host::memory_gone`]: crate::abi::host::Host::memory_gone
pub(crate) fn gone(seen: &mut u64, ranges: &mut [MemoryRange]) -> usize {
    match WATCH.get() {
        Some(Ok(watch)) => watch.gone(seen, ranges),
        _ => 0,
    }
}

/// Begins with the first range.
static WATCH: OnceLock<Result<Watch, String>> = OnceLock::new();

fn the_watch() -> &'static Result<Watch, String> {
    WATCH.get_or_init(|| {
        let watch = Watch::new()?;
        let run = || {
            if let Ok(watch) = WATCH.wait() {
                watch.run();
            }
        };
        let started = crate::sys::spawn_quiet("cairn-memory", run);
        started.map(|_| watch).map_err(|error| format!("a thread: {error}"))
    })
}

impl Watch {
    fn new() -> Result<Self, String> {
        let failed = |error| format!("userfaultfd: {error}");
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
        // SAFETY: takes no memory.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) } as libc::c_int;
        if fd < 0 {
            return Err(failed(std::io::Error::last_os_error()));
        }
        // SAFETY: a new descriptor.
        let events = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut api = Api { api: 0xAA, features: EVENTS | PROTECTS, ioctls: 0 };
        // SAFETY: the kernel reads and writes the struct, which has the size that the number says.
        let agreed = unsafe { libc::ioctl(fd, libc::_IOWR::<Api>(0xAA, 0x3F), &raw mut api) };
        if agreed != 0 {
            return Err(failed(std::io::Error::last_os_error()));
        }
        Ok(Self {
            events,
            turn: AtomicU64::new(0),
            last: [const { [const { AtomicUsize::new(0) }; 2] }; REMEMBERED],
            count: AtomicU64::new(0),
            dead: AtomicBool::new(false),
        })
    }

    fn add(&self, range: MemoryRange) -> Result<(), String> {
        if self.dead.load(Ordering::Relaxed) {
            return Err("userfaultfd: something has closed it".into());
        }
        let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
        let whole = mappings(&maps, range)?;
        let (start, len) = (whole.address as u64, whole.len as u64);
        let mut register = Register { start, len, mode: MODE_WRITE_PROTECT, ioctls: 0 };
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

    fn gone(&self, seen: &mut u64, ranges: &mut [MemoryRange]) -> usize {
        while self.is_changing() {
            std::thread::yield_now();
        }
        loop {
            let turn = self.turn.load(Ordering::Acquire);
            if turn.is_multiple_of(2) {
                let (copied, now) = self.copy(*seen, ranges);
                fence(Ordering::Acquire);
                if self.turn.load(Ordering::Relaxed) == turn {
                    *seen = now;
                    return copied;
                }
            }
            std::thread::yield_now();
        }
    }

    /// Whether some mapping has changed of which the event is not read yet.
    fn is_changing(&self) -> bool {
        let mut nothing = Protect { start: 0, len: 0, mode: 0 };
        // SAFETY: the kernel reads the struct, which has the size that the number says, and refuses to do anything to
        // no memory.
        let done = unsafe {
            let number = libc::_IOWR::<Protect>(0xAA, 6);
            libc::ioctl(self.events.as_raw_fd(), number, &raw mut nothing)
        };
        done != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
    }

    /// The ranges behind the first `seen`, as many as there is room for, and how many are seen then. They hold if
    /// the turn is the same afterwards.
    fn copy(&self, seen: u64, ranges: &mut [MemoryRange]) -> (usize, u64) {
        let count = self.count.load(Ordering::Relaxed);
        let missed = count.saturating_sub(seen);
        if missed > REMEMBERED as u64 {
            let Some(first) = ranges.first_mut() else { return (0, seen) };
            *first = ALL;
            return (1, count);
        }
        let copied = ranges.len().min(missed as usize);
        for (place, number) in ranges[..copied].iter_mut().zip(seen..) {
            let [address, len] = &self.last[number as usize % REMEMBERED];
            let (address, len) = (address.load(Ordering::Relaxed), len.load(Ordering::Relaxed));
            *place = MemoryRange { address, len };
        }
        (copied, seen + copied as u64)
    }

    /// What the watch's thread does. See above for what it must not do.
    fn run(&self) {
        let fd = self.events.as_raw_fd();
        let mut polled = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        loop {
            // SAFETY: one descriptor.
            unsafe { libc::poll(&raw mut polled, 1, -1) };
            let turn = self.turn.load(Ordering::Relaxed);
            self.turn.store(turn + 1, Ordering::Relaxed);
            // Before the read, which lets the thread go on that has changed the mapping.
            fence(Ordering::SeqCst);
            let alive = polled.revents & (libc::POLLERR | libc::POLLNVAL) == 0 && self.read_all();
            if !alive {
                self.dead.store(true, Ordering::Relaxed);
                self.push(ALL);
            }
            self.turn.store(turn + 2, Ordering::Release);
            if !alive {
                return;
            }
        }
    }

    /// Reads what there is. False when the descriptor is not what it was.
    fn read_all(&self) -> bool {
        loop {
            let mut message = Message { event: 0, _reserved: [0; 7], words: [0; 3] };
            let size = size_of::<Message>();
            let fd = self.events.as_raw_fd();
            // SAFETY: the place has room for one message.
            let got = unsafe { libc::read(fd, (&raw mut message).cast(), size) };
            if got != size as isize {
                let error = std::io::Error::last_os_error().raw_os_error();
                return got < 0 && matches!(error, Some(libc::EAGAIN | libc::EINTR));
            }
            let [first, second, third] = message.words.map(|word| word as usize);
            self.push(match message.event {
                EVENT_UNMAP | EVENT_REMOVE => {
                    MemoryRange { address: first, len: second.saturating_sub(first) }
                }
                // From here to there, and so long. What lay there was unmapped.
                EVENT_REMAP => MemoryRange { address: first, len: third },
                _ => ALL,
            });
        }
    }

    fn push(&self, range: MemoryRange) {
        let count = self.count.load(Ordering::Relaxed);
        let [address, len] = &self.last[count as usize % REMEMBERED];
        address.store(range.address, Ordering::Relaxed);
        len.store(range.len, Ordering::Relaxed);
        self.count.store(count + 1, Ordering::Relaxed);
    }
}

/// The mappings of which the range is, from the first address to the last, by the text of `/proc/self/maps`.
///
/// # Errors
/// When there is a hole, or memory that others may change: of a file, or shared.
fn mappings(maps: &str, range: MemoryRange) -> Result<MemoryRange, String> {
    let end =
        range.address.checked_add(range.len).ok_or("memory behind the end of all addresses")?;
    let mut whole: Option<(usize, usize)> = None;
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (addresses, rights) = (words.next(), words.next());
        let inode = words.nth(2);
        let parsed = addresses.and_then(|text| text.split_once('-')).and_then(|(from, to)| {
            Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
        });
        let Some((from, to)) = parsed else { continue };
        if to <= range.address || from >= end {
            continue;
        }
        if whole.map_or(from > range.address, |(_, before)| from != before) {
            return Err("there is a hole in it".into());
        }
        if inode != Some("0") || rights.is_none_or(|rights| !rights.ends_with('p')) {
            return Err("it is shared, or of a file".into());
        }
        whole = Some((whole.map_or(from, |(first, _)| first), to));
    }
    match whole {
        Some((first, last)) if last >= end => Ok(MemoryRange { address: first, len: last - first }),
        _ => Err("there is a hole in it".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;
    use std::sync::Mutex;

    use super::*;

    const PAGE: usize = 4096;

    /// The watch is the process's; each of these tests has it for itself.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Pages that are there, between some that are not.
    fn map(pages: usize) -> usize {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory.
        unsafe {
            let none = libc::PROT_NONE;
            let around = libc::mmap(null_mut(), (pages + 2) * PAGE, none, flags, -1, 0);
            assert_ne!(around, libc::MAP_FAILED);
            let address = around.byte_add(PAGE);
            assert_eq!(libc::mprotect(address, pages * PAGE, rights), 0);
            address.cast::<u8>().write_bytes(1, pages * PAGE);
            address.expose_provenance()
        }
    }

    fn unmap(address: usize, pages: usize) {
        let pointer = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the test's own memory.
        assert_eq!(unsafe { libc::munmap(pointer, pages * PAGE) }, 0);
    }

    fn range(address: usize, pages: usize) -> MemoryRange {
        MemoryRange { address, len: pages * PAGE }
    }

    fn all(seen: &mut u64) -> Vec<MemoryRange> {
        let mut ranges = [ALL; 2 * REMEMBERED];
        let count = gone(seen, &mut ranges);
        ranges[..count].to_vec()
    }

    /// What is seen so far.
    fn now() -> u64 {
        let mut seen = 0;
        while !all(&mut seen).is_empty() {}
        seen
    }

    #[test]
    fn what_is_unmapped_moved_emptied_or_mapped_over_is_known_at_once() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        let address = map(8);
        watch(MemoryRange { address: address + 10, len: 8 * PAGE - 20 }).unwrap();
        let mut seen = now();
        let pointer = |page: usize| std::ptr::with_exposed_provenance_mut(address + page * PAGE);
        unmap(address, 1);
        assert_eq!(all(&mut seen), [range(address, 1)]);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the test's own memory.
        unsafe {
            assert_eq!(libc::madvise(pointer(1), PAGE, libc::MADV_DONTNEED), 0);
            assert_eq!(all(&mut seen), [range(address + PAGE, 1)]);
            libc::mmap(pointer(2), PAGE, rights, flags, -1, 0);
            assert_eq!(all(&mut seen), [range(address + 2 * PAGE, 1)]);
            let moved = libc::mremap(pointer(4), PAGE, 3 * PAGE, libc::MREMAP_MAYMOVE);
            assert_ne!(moved, pointer(4));
            assert!(all(&mut seen).contains(&range(address + 4 * PAGE, 1)));
            unmap(moved.expose_provenance(), 3);
        }
        // Nobody has asked to watch what was mapped since.
        all(&mut seen);
        unmap(address + 2 * PAGE, 1);
        assert_eq!(all(&mut seen), []);
        unmap(address + PAGE, 1);
        unmap(address + 3 * PAGE, 1);
        unmap(address + 5 * PAGE, 3);
        assert_eq!(all(&mut seen).len(), 3);
    }

    #[test]
    fn who_asks_too_late_learns_that_all_may_be_gone() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        let pages = REMEMBERED + 1;
        let address = map(pages);
        watch(range(address, pages)).unwrap();
        let mut seen = now();
        let mut late = seen;
        for page in 0..pages {
            unmap(address + page * PAGE, 1);
            assert_eq!(all(&mut seen), [range(address + page * PAGE, 1)]);
        }
        assert_eq!(all(&mut late), [ALL]);
        assert_eq!(all(&mut late), []);
        // With little room they come bit by bit.
        let address = map(3);
        watch(range(address, 3)).unwrap();
        (0..3).for_each(|page| unmap(address + page * PAGE, 1));
        let mut two = [ALL; 2];
        assert_eq!(gone(&mut late, &mut two), 2);
        assert_eq!(gone(&mut late, &mut two), 1);
        assert_eq!(two[0], range(address + 2 * PAGE, 1));
    }

    #[test]
    fn a_whole_mapping_is_watched_and_can_be_moved_as_one() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        let address = map(16);
        watch(range(address + 4 * PAGE, 2)).unwrap();
        let mut seen = now();
        let pointer = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the test's own memory.
        unsafe {
            let moved = libc::mremap(pointer, 16 * PAGE, 32 * PAGE, libc::MREMAP_MAYMOVE);
            assert_ne!(moved, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
            assert!(all(&mut seen).contains(&range(address, 16)));
            unmap(moved.expose_provenance(), 32);
        }
    }

    /// Another thread gets the addresses as soon as the kernel has taken them away, whether or not the first one has
    /// come back from its call.
    #[test]
    fn who_gets_the_addresses_of_others_knows_that_they_are_new() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        for _ in 0..100 {
            let address = map(1);
            watch(range(address, 1)).unwrap();
            let mut seen = now();
            std::thread::scope(|scope| {
                scope.spawn(|| unmap(address, 1));
                let rights = libc::PROT_READ | libc::PROT_WRITE;
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
                let wanted = std::ptr::with_exposed_provenance_mut(address);
                // SAFETY: replaces nothing.
                while unsafe { libc::mmap(wanted, PAGE, rights, flags, -1, 0) } != wanted {
                    std::hint::spin_loop();
                }
                assert!(all(&mut seen).contains(&range(address, 1)));
            });
            unmap(address, 1);
        }
    }

    #[test]
    fn many_threads_unmap_and_ask() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let address = map(2);
                        watch(range(address, 2)).unwrap();
                        let mut seen = now();
                        unmap(address, 2);
                        let found = all(&mut seen);
                        assert!(found.contains(&range(address, 2)) || found == [ALL], "{found:?}");
                    }
                });
            }
        });
    }

    static HANDLED: AtomicU64 = AtomicU64::new(0);
    static PLACE: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn empties(_: libc::c_int) {
        let place = std::ptr::with_exposed_provenance_mut(PLACE.load(Ordering::Relaxed));
        // SAFETY: the test's own page; the call may be made in a handler.
        unsafe { libc::madvise(place, PAGE, libc::MADV_DONTNEED) };
        HANDLED.fetch_add(1, Ordering::Relaxed);
    }

    /// A handler that interrupts who asks changes mappings, for which the watch's thread must not need him.
    #[test]
    fn a_handler_of_a_signal_changes_mappings() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        let address = map(1);
        watch(range(address, 1)).unwrap();
        PLACE.store(address, Ordering::Relaxed);
        // SAFETY: the handler is put back before its page goes; signals go to this thread.
        unsafe {
            let before = libc::signal(libc::SIGUSR2, empties as *const () as libc::sighandler_t);
            let own = libc::pthread_self() as usize;
            let sender = std::thread::spawn(move || {
                for round in 1..=500 {
                    libc::pthread_kill(own as libc::pthread_t, libc::SIGUSR2);
                    while HANDLED.load(Ordering::Relaxed) < round {
                        std::hint::spin_loop();
                    }
                }
            });
            let mut seen = now();
            while !sender.is_finished() {
                all(&mut seen);
            }
            sender.join().unwrap();
            libc::signal(libc::SIGUSR2, before);
        }
        unmap(address, 1);
    }

    #[test]
    fn what_can_not_be_watched_is_refused() {
        if !cairn_skips::has_userfaultfd() {
            return;
        }
        let _alone = ALONE.lock();
        let address = map(1);
        unmap(address, 1);
        assert!(watch(range(address, 1)).is_err());
        assert!(watch(MemoryRange { address: usize::MAX - 10, len: 5 }).is_err());
        // SAFETY: new memory.
        unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
            let shared = libc::mmap(null_mut(), PAGE, rights, flags, -1, 0).expose_provenance();
            assert!(watch(range(shared, 1)).is_err());
            unmap(shared, 1);
        }
    }

    #[test]
    fn mappings_are_found_in_the_list_of_all() {
        let maps = "1000-3000 rw-p 00000000 00:00 0 \n3000-5000 r--p 00000000 00:00 0 [heap]\n\
                    7000-8000 rw-p 00000000 00:00 0\n8000-9000 rw-s 00000000 00:01 0 /dev/zero\n\
                    9000-a000 r-xp 00001000 fe:00 77 /lib/x y.so\n";
        let found = |from: usize, to: usize| {
            mappings(maps, MemoryRange { address: from, len: to - from })
                .map(|whole| (whole.address, whole.address + whole.len))
        };
        assert_eq!(found(0x1800, 0x1900), Ok((0x1000, 0x3000)));
        assert_eq!(found(0x2fff, 0x3001), Ok((0x1000, 0x5000)));
        assert_eq!(found(0x3000, 0x5000), Ok((0x3000, 0x5000)));
        for (from, to, why) in [
            (0x4fff, 0x5001, "hole"),
            (0x5000, 0x5001, "hole"),
            (0x4000, 0x7800, "hole"),
            (0x800, 0x1001, "hole"),
            (0x8000, 0x8001, "shared"),
            (0x9000, 0x9001, "file"),
        ] {
            assert!(found(from, to).unwrap_err().contains(why), "{from:x}");
        }
    }
}
