//! Memory that the processes of a node share.
//!
//! ```text
//!   owner   create ─► memfd, its length fixed by seals ─► card ─ ─ ─► peers, by any way
//!   peer    attach(card) ─► /proc/<pid>/fd/<fd> ─► the check value inside is the card's
//!   both    reserve(range) before the range is touched for the first time,
//!           or map(range) and give_memory(range) to what of it is touched
//! ```
//!
//! **Nothing has a name.** A memfd goes when the last process that maps it goes, however it ends.
//! Where peers may not look into `/proc` (other pid namespaces, `hidepid`) a file in `/dev/shm` takes
//! its place ([`Backing::File`]); it is gone when all peers that were announced have attached, when
//! the owner drops the segment, or at the next sweep ([`sweep`]) after the last process that had
//! it open has died.
//!
//! **Nothing is touched that is not there.** A segment is as long as its owner may ever need, which
//! costs nothing. Its front is mapped by every peer; of the rest each maps the parts that it uses. The
//! first user of a part reserves it; when memory is short, of the machine, of a control group or of a file
//! system, that is an [`Error`] with numbers, where touching would be SIGBUS or the end of the process.
//! A memfd is sealed against shrinking, so a peer can't take away what is mapped.
//!
//! **Blocks for peers** come from a part of the segment that is as long as the machine has memory, at
//! addresses that say where in the segment they lie: [`Arena`].
//!
//! **No descriptor stays open but the owner's**, by which others find the segment, and that of a file,
//! which may have lost its name.
//!
//! **Whether the owner lives** its card tells, and where that can't be, a lock on the file: [`Owner`].
//!
//! What lies in a segment was written by others: its users check what they read. This crate trusts
//! no byte of a card.

mod arena;
mod card;
mod error;
mod limits;
mod map;
mod owner;
pub mod pace;
mod sweep;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub use arena::{Arena, arena_len};
use card::Facts;
pub use card::{CARD_LEN, Card};
pub use error::Error;
use limits::Limits;
use map::Map;
pub use owner::{IDENTITY, Life, Owner, machine};
use owner::{Identity, Sign};
pub use sweep::{Claim, foreign_name, sweep};
use sweep::{DIRECTORY, PREFIX};

/// Bytes at the beginning of a segment that are this crate's.
pub const HEADER: usize = 128;

/// Bytes of another process's part that are mapped at once, and not each page when it is touched.
const JOINED: usize = 4 << 20;

/// What a segment is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Memory without a name; a file where the system has no memfd or does not allow it.
    Memory,
    /// A file in `/dev/shm`, mode 0600.
    File,
}

/// What the owner makes a segment from.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// For `/proc/<pid>/maps` and the name of a file: the job and the component.
    pub name: &'a str,
    /// Its length for good.
    pub len: usize,
    /// Bytes of its front, which is reserved at once and mapped by every process that attaches.
    pub front: usize,
    /// What it is made of.
    pub backing: Backing,
    /// A file loses its name when so many peers have attached.
    pub peers: u32,
}

/// The beginning of every segment.
#[repr(C)]
struct Header {
    check: [u8; 16],
    /// Peers that have attached. Written by each once.
    attached: AtomicU32,
    peers: u32,
}

/// A segment with its front mapped: one's own or a peer's.
#[derive(Debug)]
pub struct Segment {
    map: Map,
    /// One's own, and a peer's if it may have no name any more.
    file: Option<File>,
    /// What tells the file from others: device and inode.
    file_id: (u64, u64),
    card: Card,
    /// The owner's, while the file may have its name.
    path: Option<PathBuf>,
    /// It is a peer's, which counts those that attach.
    counted: bool,
    /// The owner's sign of life.
    _sign: Option<Sign>,
}

/// A part of a segment that is mapped.
#[derive(Debug)]
pub struct Part {
    map: Map,
    /// Where in the segment it begins.
    begin: usize,
}

impl Part {
    /// Its first byte.
    pub fn base(&self) -> *mut u8 {
        self.map.base()
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Maps pages that have memory at once, as far as they lie in the first bytes, and not each when it is touched.
    pub fn prefault(&self, bytes: usize) {
        let bytes = bytes.next_multiple_of(page_size()).min(self.len());
        // Without it each is mapped later.
        let _ = self.map.populate(0..bytes);
    }
}

impl Segment {
    /// Makes a segment.
    ///
    /// # Errors
    /// When the system has no memory, no file descriptor or no place for it.
    pub fn create(options: &Options<'_>) -> Result<Self, Error> {
        let front = options.front.max(HEADER).next_multiple_of(page_size());
        let len = options.len.max(front).next_multiple_of(page_size());
        within_limit(len)?;
        let (file, path) = match options.backing {
            Backing::Memory => match memfd(options.name) {
                Ok(file) => (file, None),
                // Too old a kernel, a filter of system calls (ENOSYS or EPERM, mostly), vm.memfd_noexec:
                // whatever it is, a file may do.
                Err(memory) => named(options.name)
                    .map_err(|file| Error::Nowhere { memory, file: Box::new(file) })?,
            },
            Backing::File => named(options.name)?,
        };
        // From here on a file that is dropped early leaves no name.
        let mut unfinished = Unfinished(path);
        file.set_len(len as u64).map_err(|error| Error::system("ftruncate", error))?;
        let sign = match &unfinished.0 {
            None => {
                seal(&file)?;
                None
            }
            Some(path) => Sign::give(|| open(path)).map_err(refused(path))?,
        };
        reserve(&file, 0..front, options.peers)?;
        let map = Map::new(&file, 0..front, false)?;
        let check = random().map_err(|error| Error::system("getrandom", error))?;
        let file_id = id_of(&file)?.0;
        // No other process will ask for it by name.
        let path = unfinished.0.take_if(|_| options.peers > 0);
        let card = Card::new(&Facts {
            owner: Identity::own(),
            fd: file.as_raw_fd() as u32,
            len: len as u64,
            front: front as u64,
            check,
            locked: sign.is_some(),
            path: path.as_deref(),
        });
        let header = map.base().cast::<Header>();
        // SAFETY: the header is mapped and reserved, and no other process has it yet.
        unsafe {
            (*header).check = check;
            (*header).attached = AtomicU32::new(0);
            (*header).peers = options.peers;
        }
        Ok(Self { map, file: Some(file), file_id, card, path, counted: false, _sign: sign })
    }

    /// Maps the front of the segment that a peer's card describes.
    ///
    /// # Errors
    /// When the card is none, the peer's descriptors can't be opened from here, or what is found is
    /// not what the card promises.
    pub fn attach(card: &[u8]) -> Result<Self, Error> {
        let card = Card::parse(card)?;
        let file = open(&card.path()).map_err(refused(&card.path()))?;
        if card.is_file() {
            sweep::hold(&file).map_err(|error| Error::system("flock", error))?;
        }
        let (file_id, len) = id_of(&file)?;
        let front = card.front();
        if len != card.len() || !(HEADER as u64..=len).contains(&front) {
            return Err(Error::Stranger { path: card.path() });
        }
        let map = Map::new(&file, 0..front as usize, false)?;
        let header = map.base().cast::<Header>();
        // SAFETY: the mapping is longer than a header, and the owner reserved it before it made the
        // card. If it is not the owner's memory after all, it is still a file of that length.
        let (check, attached, peers) =
            unsafe { ((*header).check, &(*header).attached, (*header).peers) };
        if check != card.check() {
            return Err(Error::Stranger { path: card.path() });
        }
        if attached.fetch_add(1, Ordering::Relaxed).wrapping_add(1) == peers && card.is_file() {
            // The owner does it at the latest when it closes.
            let _ = std::fs::remove_file(card.path());
        }
        let file = card.is_file().then_some(file);
        Ok(Self { map, file, file_id, card, path: None, counted: true, _sign: None })
    }

    /// Another mapping of one's own segment, for an owner that is a peer of itself.
    ///
    /// # Errors
    /// When the system has no descriptor or no address space for it.
    pub fn again(&self) -> Result<Self, Error> {
        let file = self.file()?.try_clone().map_err(|error| Error::system("dup", error))?;
        let map = Map::new(&file, 0..self.map.len(), false)?;
        let card = self.card.clone();
        let file_id = self.file_id;
        Ok(Self { map, file: Some(file), file_id, card, path: None, counted: false, _sign: None })
    }

    /// What peers need to attach.
    pub fn card(&self) -> &[u8; CARD_LEN] {
        self.card.bytes()
    }

    /// The first byte of the front. The first [`HEADER`] bytes are not the caller's.
    pub fn front(&self) -> *mut u8 {
        self.map.base()
    }

    /// Bytes of the front.
    pub fn front_len(&self) -> usize {
        self.map.len()
    }

    /// Bytes of the segment.
    pub fn len(&self) -> usize {
        self.card.len() as usize
    }

    /// Never; a segment has a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The process that made it.
    pub fn owner(&self) -> Owner {
        let file = self.file.as_ref().filter(|_| self.card.is_locked());
        Owner::with_file(&self.card, file.and_then(|file| file.try_clone().ok()))
    }

    /// Gives memory to a part that has not been used yet by any process, and maps it. It begins and ends at
    /// multiples of a page's size.
    ///
    /// # Errors
    /// [`Error::NoSpace`] with what is needed and what is there; nothing was taken then. What the system
    /// says when there is no descriptor or address space, or the owner is gone.
    ///
    /// # Panics
    /// When the part is not inside the segment.
    pub fn reserve(&self, part: Range<usize>) -> Result<Part, Error> {
        self.map_with(part, true, |file, part| reserve(file, part, self.peers()))
    }

    /// Peers that may take as much memory at this moment.
    fn peers(&self) -> u32 {
        // SAFETY: the front is at least a header; peers may write there what they like.
        unsafe { (*self.map.base().cast::<Header>()).peers }
    }

    /// Maps a part that another process has reserved.
    ///
    /// # Errors
    /// As for `reserve`. There is no lack of memory for what was reserved.
    ///
    /// # Panics
    /// When the part is not inside the segment.
    pub fn join(&self, part: Range<usize>) -> Result<Part, Error> {
        // A long one takes its time, and may not be needed as a whole.
        let all = part.len() <= JOINED;
        // Should the other one have lied, we still must not touch what is not there.
        self.map_with(part, all, allocate)
    }

    /// Maps a part of which only that is touched which has memory: what somebody has given it to.
    ///
    /// # Errors
    /// As for `reserve`; there is no lack of memory.
    ///
    /// # Panics
    /// When the part is not inside the segment.
    pub fn map(&self, part: Range<usize>) -> Result<Part, Error> {
        self.map_with(part, false, |_, _| Ok(()))
    }

    /// Gives memory to bytes of a part of this segment. The owner may be gone, where the system can do without it: from
    /// Linux 5.14 on.
    ///
    /// # Errors
    /// [`Error::NoSpace`] with what is needed and what is there; what had memory before is as it was.
    ///
    /// # Panics
    /// When the part has no such bytes.
    pub fn give_memory(&self, part: &Part, bytes: Range<usize>) -> Result<(), Error> {
        assert!(bytes.start <= bytes.end && bytes.end <= part.len(), "{bytes:?} of {}", part.len());
        let page = page_size();
        let pages = bytes.start / page * page..bytes.end.next_multiple_of(page).min(part.len());
        has_room(self.file.as_ref(), pages.len(), self.peers())?;
        // The file takes nothing when there is not enough, and needs to be open.
        if self.file.is_some() {
            self.allocate(part, pages.clone())?;
        }
        match part.map.populate(pages.clone())? {
            true => Ok(()),
            false => self.allocate(part, pages),
        }
    }

    /// The same by the file, for what is touched later.
    fn allocate(&self, part: &Part, pages: Range<usize>) -> Result<(), Error> {
        self.with_file(|file| allocate(file, part.begin + pages.start..part.begin + pages.end))
    }

    fn map_with(
        &self,
        part: Range<usize>,
        all: bool,
        prepare: impl FnOnce(&File, Range<usize>) -> Result<(), Error>,
    ) -> Result<Part, Error> {
        assert!(part.start <= part.end && part.end <= self.len(), "{part:?} of {}", self.len());
        self.with_file(|file| {
            prepare(file, part.clone())?;
            let begin = part.start;
            Ok(Part { map: Map::new(file, part, all)?, begin })
        })
    }

    /// Does something with the segment's file, which is opened unless it is.
    fn with_file<T>(&self, work: impl FnOnce(&File) -> Result<T, Error>) -> Result<T, Error> {
        if let Some(file) = &self.file {
            return work(file);
        }
        let path = self.card.path();
        let file = open(&path).map_err(refused(&path))?;
        if id_of(&file)? != (self.file_id, self.card.len()) {
            return Err(Error::Stranger { path });
        }
        work(&file)
    }

    fn file(&self) -> Result<&File, Error> {
        let closed = || io::Error::from_raw_os_error(libc::EBADF);
        self.file.as_ref().ok_or_else(|| Error::system("open", closed()))
    }

    /// Says that all peers that will ever attach have done so, and that only the front is needed: closes the
    /// descriptor, and takes away the name that a file has.
    pub fn close_file(&mut self) {
        self.remove_name();
        self.file = None;
    }

    fn remove_name(&mut self) {
        if let Some(path) = self.path.take() {
            // The last peer to attach may have done it.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.remove_name();
        if self.counted {
            // SAFETY: the front is at least a header.
            let attached = unsafe { &(*self.map.base().cast::<Header>()).attached };
            // A peer that comes again is not another one.
            attached.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Opens a segment to map it. What is found may be anything.
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::Refused { path: path.to_owned(), error }
}

/// What tells a file from others, and its length.
fn id_of(file: &File) -> Result<((u64, u64), u64), Error> {
    use std::os::unix::fs::MetadataExt;
    let data = file.metadata().map_err(|error| Error::system("fstat", error))?;
    Ok(((data.dev(), data.ino()), data.len()))
}

/// Takes a file's name away unless the segment came to be.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn memfd(name: &str) -> io::Result<File> {
    let name = CString::new(full_name(name)).unwrap_or_default();
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // It will not be executed, and some systems demand that this is said (vm.memfd_noexec). Kernels
    // before 6.3 don't know the flag.
    for flags in [flags | libc::MFD_NOEXEC_SEAL, flags] {
        // SAFETY: the name is NUL-terminated.
        let fd = unsafe { libc::memfd_create(name.as_ptr(), flags) };
        if fd >= 0 {
            // SAFETY: just opened, and nothing else owns it.
            return Ok(unsafe { File::from_raw_fd(fd) });
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) {
            return Err(error);
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// A new file in `/dev/shm`.
fn named(name: &str) -> Result<(File, Option<PathBuf>), Error> {
    use std::os::unix::fs::OpenOptionsExt;
    // Jobs of a launcher that does not sweep begin without what others left behind.
    sweep();
    loop {
        let random = random().map_err(|error| Error::system("getrandom", error))?;
        let unique: String = random[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{}-{}-{unique}", full_name(name), std::process::id());
        let path = Path::new(DIRECTORY).join(name);
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| Error::Refused { path: path.clone(), error })?;
        let held = sweep::hold(&file).and_then(|()| sweep::has_name(&file));
        match held {
            Ok(true) => return Ok((file, Some(path))),
            // A sweep came between the two calls.
            Ok(false) => {}
            Err(error) => {
                let _ = std::fs::remove_file(&path);
                return Err(Error::system("flock", error));
            }
        }
    }
}

/// A name with the prefix, once.
fn full_name(name: &str) -> String {
    format!("{PREFIX}{}", name.strip_prefix(PREFIX).unwrap_or(name))
}

/// A longer file is ended with a signal (SIGXFSZ) instead of an error.
fn within_limit(len: usize) -> Result<(), Error> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the struct lives during the call.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    if status == 0 && limit.rlim_cur < len as u64 {
        return Err(Error::FileSize { needed: len, limit: limit.rlim_cur });
    }
    Ok(())
}

fn seal(file: &File) -> Result<(), Error> {
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: a plain system call on an open descriptor.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } {
        0 => Ok(()),
        _ => Err(Error::system("fcntl(F_ADD_SEALS)", io::Error::last_os_error())),
    }
}

/// Reserves a part, if there is room; `peers` may want as much at this moment.
fn reserve(file: &File, part: Range<usize>, peers: u32) -> Result<(), Error> {
    has_room(Some(file), part.len(), peers)?;
    allocate(file, part)
}

/// Whether so many bytes are there, for each of the peers too. Memory without a name needs no file to ask.
fn has_room(file: Option<&File>, needed: usize, peers: u32) -> Result<(), Error> {
    let check = |available: u64| match needed as u64 > available {
        true => Err(Error::NoSpace { needed, available }),
        false => Ok(()),
    };
    file.and_then(room).map_or(Ok(()), check)?;
    // The kernel refuses nothing here: it would end processes.
    let takers = u64::from(peers) + 1;
    memory((needed as u64).saturating_mul(takers)).map_or(Ok(()), |memory| check(memory / takers))
}

/// Gives memory to the pages of a part that have none.
fn allocate(file: &File, part: Range<usize>) -> Result<(), Error> {
    if part.is_empty() {
        return Ok(());
    }
    loop {
        // SAFETY: a plain system call on an open descriptor.
        let status = unsafe {
            libc::fallocate(
                file.as_raw_fd(),
                0,
                part.start as libc::off_t,
                part.len() as libc::off_t,
            )
        };
        if status == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::ENOSPC | libc::ENOMEM) => {
                let available =
                    [room(file), memory(u64::MAX)].into_iter().flatten().min().unwrap_or(0);
                return Err(Error::NoSpace { needed: part.len(), available });
            }
            _ => return Err(Error::system("fallocate", error)),
        }
    }
}

/// Bytes that the file system has left, if it has a limit; memory without a name has none.
fn room(file: &File) -> Option<u64> {
    // SAFETY: all-zero is a valid value of the plain struct.
    let mut place: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor and a struct that lives during the call.
    let status = unsafe { libc::fstatvfs(file.as_raw_fd(), &raw mut place) };
    (status == 0 && place.f_blocks > 0).then(|| place.f_bavail * place.f_frsize)
}

/// Bytes of memory that this process may still take, of the machine and of its control groups, or more than
/// enough, if that is known. The kernel ends a process when shared memory takes more. Any thread.
pub fn memory(enough: u64) -> Option<u64> {
    static LIMITS: OnceLock<Limits> = OnceLock::new();
    LIMITS.get_or_init(|| Limits::new("/")).available(enough)
}

fn random() -> io::Result<[u8; 16]> {
    let mut bytes = [0u8; 16];
    loop {
        // SAFETY: the array has the length that is passed.
        let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
        if got == bytes.len() as isize {
            return Ok(bytes);
        }
        let error = io::Error::last_os_error();
        if got < 0 && error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Bytes of a page.
pub fn page_size() -> usize {
    // SAFETY: a plain library call.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {

    use super::*;

    /// A segment with a front of a page.
    fn options(backing: Backing, len: usize) -> Options<'static> {
        Options { name: "segment-test", len, front: HEADER, backing, peers: 2 }
    }

    /// A few pages.
    fn pages(first: usize, last: usize) -> Range<usize> {
        first * page_size()..last * page_size()
    }

    #[test]
    fn two_mappings_show_the_same_memory() {
        for backing in [Backing::Memory, Backing::File] {
            let own = Segment::create(&options(backing, 1 << 20)).unwrap();
            let peer = Segment::attach(own.card()).unwrap();
            assert_eq!((own.len(), peer.len()), (1 << 20, 1 << 20));
            assert_eq!((own.front_len(), peer.front_len()), (page_size(), page_size()));
            assert_ne!(own.front(), peer.front());
            let (first, second) =
                (peer.reserve(pages(3, 5)).unwrap(), own.join(pages(3, 5)).unwrap());
            assert_eq!((first.len(), second.len()), (2 * page_size(), 2 * page_size()));
            // SAFETY: reserved above; one thread.
            unsafe {
                second.base().add(5555).write(77);
                assert_eq!(first.base().add(5555).read(), 77);
                own.front().add(HEADER).write(78);
                assert_eq!(peer.front().add(HEADER).read(), 78);
            }
            drop((own, second));
            // SAFETY: the peer's mapping stays.
            assert_eq!(unsafe { first.base().add(5555).read() }, 77);
        }
    }

    const CARD: &str = "CAIRN_TEST_CARD";

    /// The other process of the test below; on its own it has nothing to do.
    #[test]
    fn as_another_process() {
        let Ok(card) = std::env::var(CARD) else { return };
        let byte = |at| u8::from_str_radix(&card[at..at + 2], 16).unwrap();
        let card: Vec<u8> = (0..card.len()).step_by(2).map(byte).collect();
        let peer = Segment::attach(&card).unwrap();
        let (theirs, ours) = (peer.join(pages(1, 2)).unwrap(), peer.reserve(pages(2, 3)).unwrap());
        // SAFETY: reserved.
        unsafe {
            assert_eq!(theirs.base().read(), 33);
            ours.base().write(44);
        }
    }

    #[test]
    fn another_process_attaches() {
        for backing in [Backing::Memory, Backing::File] {
            let own = Segment::create(&options(backing, 1 << 20)).unwrap();
            let ours = own.reserve(pages(1, 2)).unwrap();
            // SAFETY: reserved.
            unsafe { ours.base().write(33) };
            let card: String = own.card().iter().map(|byte| format!("{byte:02x}")).collect();
            let ended = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "tests::as_another_process"])
                .env(CARD, card)
                .output()
                .unwrap();
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
            // SAFETY: reserved.
            assert_eq!(unsafe { own.join(pages(2, 3)).unwrap().base().read() }, 44);
        }
    }

    #[test]
    fn only_what_is_reserved_takes_memory() {
        use std::os::unix::fs::MetadataExt;
        let own = Segment::create(&options(Backing::Memory, 1 << 30)).unwrap();
        let _part = own.reserve(pages(100, 101)).unwrap();
        let blocks = own.file().unwrap().metadata().unwrap().blocks();
        assert!(blocks * 512 <= 4 * page_size() as u64);
    }

    #[test]
    fn a_part_gets_memory_piece_by_piece() {
        use std::os::unix::fs::MetadataExt;
        for backing in [Backing::Memory, Backing::File] {
            let own = Segment::create(&options(backing, 1 << 30)).unwrap();
            let file = own.file().unwrap().try_clone().unwrap();
            let taken = || file.metadata().unwrap().blocks() as usize * 512 / page_size();
            let peer = Segment::attach(own.card()).unwrap();
            let (theirs, ours) =
                (peer.map(pages(100, 164)).unwrap(), own.map(pages(100, 164)).unwrap());
            assert_eq!((theirs.len(), taken()), (64 * page_size(), 1));
            peer.give_memory(&theirs, 0..page_size() + 1).unwrap();
            assert_eq!(taken(), 3);
            // SAFETY: given above; one thread.
            unsafe {
                theirs.base().add(5555).write(77);
                assert_eq!(ours.base().add(5555).read(), 77);
            }
            // What has some keeps what is in it, whichever way it goes.
            peer.give_memory(&theirs, 5000..pages(0, 4).end).unwrap();
            own.allocate(&ours, pages(1, 5)).unwrap();
            assert_eq!(taken(), 6);
            // SAFETY: as above.
            assert_eq!(unsafe { theirs.base().add(5555).read() }, 77);
            // Nobody's descriptor is needed.
            drop(own);
            peer.give_memory(&theirs, pages(60, 64)).unwrap();
            assert_eq!(taken(), 10);
        }
    }

    #[test]
    fn a_file_loses_its_name_with_the_last_peer_or_the_owner() {
        let own = Segment::create(&options(Backing::File, 4096)).unwrap();
        let path = own.path.clone().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        let first = Segment::attach(own.card()).unwrap();
        assert!(path.exists());
        let second = Segment::attach(own.card()).unwrap();
        assert!(!path.exists());
        drop((own, first, second));

        let own = Segment::create(&options(Backing::File, 4096)).unwrap();
        let path = own.path.clone().unwrap();
        drop(own);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_not_the_promised_segment_is_refused() {
        let own = Segment::create(&options(Backing::Memory, 4096)).unwrap();
        let other = Segment::create(&options(Backing::Memory, 4096)).unwrap();
        assert!(matches!(Segment::attach(&[]), Err(Error::Card(_))));
        assert!(matches!(Segment::attach(&[0; CARD_LEN]), Err(Error::Card(_))));
        for len in 0..CARD_LEN {
            assert!(Segment::attach(&own.card()[..len]).is_err());
        }
        // The other's descriptor with our check value, and a length that is not the file's.
        let stranger = |fd, len| {
            let card = Card::new(&Facts {
                owner: Identity::own(),
                fd,
                len,
                front: 4096,
                check: own.card.check(),
                locked: false,
                path: None,
            });
            Segment::attach(card.bytes())
        };
        let fd = other.file().unwrap().as_raw_fd() as u32;
        assert!(matches!(stranger(fd, 4096), Err(Error::Stranger { .. })));
        let fd = own.file().unwrap().as_raw_fd() as u32;
        assert!(matches!(stranger(fd, 8192), Err(Error::Stranger { .. })));
        assert!(stranger(fd, 4096).is_ok());
        assert!(matches!(stranger(9999, 4096), Err(Error::Refused { .. })));
        // It can't be made shorter.
        assert!(own.file().unwrap().set_len(0).is_err());
    }

    #[test]
    fn a_peer_keeps_no_descriptor_and_finds_the_segment_again() {
        let own = Segment::create(&options(Backing::Memory, 1 << 20)).unwrap();
        let peer = Segment::attach(own.card()).unwrap();
        assert!(peer.file.is_none());
        assert!(peer.reserve(pages(1, 2)).is_ok());
        // The descriptor leads to another file by now.
        let Segment { file, .. } = &own;
        let fd = file.as_ref().unwrap().as_raw_fd();
        let (kept, other) = (file.as_ref().unwrap().try_clone().unwrap(), memfd("other").unwrap());
        // SAFETY: plain system calls on open descriptors.
        unsafe { libc::dup2(other.as_raw_fd(), fd) };
        assert!(matches!(peer.reserve(pages(2, 3)), Err(Error::Stranger { .. })));
        // SAFETY: as above.
        unsafe { libc::dup2(kept.as_raw_fd(), fd) };
        assert!(peer.reserve(pages(2, 3)).is_ok());
    }

    #[test]
    fn a_segment_that_nobody_else_attaches_to_needs_no_descriptor() {
        for backing in [Backing::Memory, Backing::File] {
            let mut own = Segment::create(&options(backing, 4096)).unwrap();
            let path = own.path.clone();
            own.close_file();
            assert!(own.file.is_none() && path.is_none_or(|path| !path.exists()));
            // SAFETY: the front is still mapped.
            unsafe { own.front().add(HEADER).write(1) };
            assert!(Segment::attach(own.card()).is_err() && own.again().is_err());
        }
    }

    #[test]
    fn who_attaches_again_is_counted_once() {
        let own = Segment::create(&options(Backing::File, 4096)).unwrap();
        let path = own.path.clone().unwrap();
        for _ in 0..3 {
            drop(Segment::attach(own.card()).unwrap());
            assert!(path.exists());
        }
        let both = [0, 1].map(|_| Segment::attach(own.card()).unwrap());
        assert!(!path.exists());
        drop(both);
    }

    #[test]
    fn what_is_short_may_be_there_later() {
        let system = |code| Error::system("x", io::Error::from_raw_os_error(code));
        assert!(system(libc::EMFILE).is_shortage() && !system(libc::EPERM).is_shortage());
        let refused =
            |code| Error::Refused { path: "x".into(), error: io::Error::from_raw_os_error(code) };
        assert!(refused(libc::ENFILE).is_shortage() && !refused(libc::ENOENT).is_shortage());
        let memory = io::Error::from_raw_os_error(libc::ENOSYS);
        let nowhere = Error::Nowhere { memory, file: Box::new(refused(libc::EROFS)) };
        assert!(!nowhere.is_shortage());
        let text = nowhere.to_string();
        assert!(
            text.contains("memfd_create: Function not implemented") && text.contains("Read-only")
        );
    }

    /// On a file system with a limit, which says no before it takes anything. Never try this with
    /// memory, which has no limit of its own: the kernel would take all there is.
    #[test]
    fn a_lack_of_space_is_an_error_with_numbers() {
        let own = Segment::create(&options(Backing::File, 1 << 46)).unwrap();
        if room(own.file().unwrap()).is_none() {
            return cairn_skips::skipped("/dev/shm has no limit here");
        }
        let error = own.reserve(0..1 << 46).unwrap_err();
        let Error::NoSpace { needed, available } = error else { panic!("{error}") };
        assert_eq!(needed, 1 << 46);
        assert!(available > 0 && available < needed as u64);
        let part = own.map(0..1 << 46).unwrap();
        let error = own.give_memory(&part, 0..1 << 46).unwrap_err();
        assert!(matches!(error, Error::NoSpace { needed, .. } if needed == 1 << 46), "{error}");
    }
}
