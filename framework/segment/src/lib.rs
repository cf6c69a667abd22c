//! Memory that the processes of a node share.
//!
//! ```text
//!   owner   create ─► memfd, its length fixed by seals ─► card ─ ─ ─► peers, by any way
//!   peer    attach(card) ─► /proc/<pid>/fd/<fd> ─► the check value inside is the card's
//!   both    reserve(range) before the range is touched for the first time
//! ```
//!
//! **Nothing has a name.** A memfd goes when the last process that maps it goes, however it ends.
//! Where peers may not look into `/proc` (other pid namespaces, `hidepid`) a file in `/dev/shm` takes
//! its place ([`Backing::File`]); it is gone when all peers that were announced have attached, when
//! the owner drops the segment, or when somebody sweeps ([`sweep`]) after the last process that had
//! it open has died.
//!
//! **Nothing is touched that is not there.** A segment is as long as its owner may ever need and
//! costs address space only. Whoever uses a part of it for the first time reserves it; when memory is
//! short that is an [`Error`] with numbers, where touching would be SIGBUS. A memfd is sealed against
//! shrinking, so a peer can't take away what is mapped.
//!
//! What lies in a segment was written by others: its users check what they read. This crate trusts
//! no byte of a card.

mod card;
mod error;
mod map;
mod sweep;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use card::{CARD_LEN, Card};
pub use error::Error;
use map::Map;
pub use sweep::sweep;

/// Bytes at the beginning of a segment that are this crate's.
pub const HEADER: usize = 128;

/// What a segment is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Memory without a name; a file where the system has no memfd.
    Memory,
    /// A file in `/dev/shm`, mode 0600.
    File,
}

/// What the owner makes a segment from.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// For `/proc/<pid>/maps` and the name of a file: the job and the component.
    pub name: &'a str,
    /// Its length for good; nothing is reserved yet but the header.
    pub len: usize,
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

/// A mapped segment: one's own or a peer's.
#[derive(Debug)]
pub struct Segment {
    map: Map,
    file: File,
    card: Card,
    /// The owner's, while the file may have its name.
    path: Option<PathBuf>,
}

impl Segment {
    /// Makes a segment.
    ///
    /// # Errors
    /// When the system has no memory, no file descriptor or no place for it.
    pub fn create(options: &Options<'_>) -> Result<Self, Error> {
        let len = options.len.max(HEADER).next_multiple_of(page_size());
        within_limit(len)?;
        let (file, path) = match options.backing {
            Backing::Memory => match memfd(options.name) {
                Ok(file) => (file, None),
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => named(options.name)?,
                Err(error) => return Err(Error::system("memfd_create", error)),
            },
            Backing::File => named(options.name)?,
        };
        // From here on a file that is dropped early leaves no name.
        let mut segment = Unfinished(path);
        file.set_len(len as u64).map_err(|error| Error::system("ftruncate", error))?;
        if segment.0.is_none() {
            seal(&file)?;
        }
        reserve(&file, 0..HEADER)?;
        let map = Map::new(&file, len)?;
        let check = random().map_err(|error| Error::system("getrandom", error))?;
        // Nobody else will ask for it by name.
        let path = segment.0.take_if(|_| options.peers > 0);
        let card = Card::new(std::process::id(), file.as_raw_fd() as u32, len as u64, check, &path);
        let header = map.base().cast::<Header>();
        // SAFETY: the header is mapped, reserved and nobody else's yet.
        unsafe {
            (*header).check = check;
            (*header).attached = AtomicU32::new(0);
            (*header).peers = options.peers;
        }
        Ok(Self { map, file, card, path })
    }

    /// Maps the segment that a peer's card describes.
    ///
    /// # Errors
    /// When the card is none, the peer's descriptors can't be opened from here, or what is found is
    /// not what the card promises.
    pub fn attach(card: &[u8]) -> Result<Self, Error> {
        let card = Card::parse(card)?;
        let file = File::options()
            .read(true)
            .write(true)
            .open(card.path())
            .map_err(|error| Error::Refused { path: card.path(), error })?;
        if card.is_file() {
            sweep::hold(&file).map_err(|error| Error::system("flock", error))?;
        }
        let len = file.metadata().map_err(|error| Error::system("fstat", error))?.len();
        if len != card.len() || len < HEADER as u64 {
            return Err(Error::Stranger { path: card.path() });
        }
        let map = Map::new(&file, len as usize)?;
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
        Ok(Self { map, file, card, path: None })
    }

    /// The process through whose descriptors a card leads to a segment; none when it leads to a file,
    /// whose owner may have another id here.
    pub fn owner(card: &[u8]) -> Option<u32> {
        Card::parse(card).ok().filter(|card| !card.is_file()).map(|card| card.pid())
    }

    /// Another mapping of the same segment, for an owner who is a peer of itself.
    ///
    /// # Errors
    /// When the system has no descriptor or no address space for it.
    pub fn again(&self) -> Result<Self, Error> {
        let file = self.file.try_clone().map_err(|error| Error::system("dup", error))?;
        let map = Map::new(&file, self.len())?;
        Ok(Self { map, file, card: self.card.clone(), path: None })
    }

    /// What peers need to attach.
    pub fn card(&self) -> &[u8; CARD_LEN] {
        self.card.bytes()
    }

    /// The first byte. The first [`HEADER`] bytes are not the caller's.
    pub fn base(&self) -> *mut u8 {
        self.map.base()
    }

    /// Bytes that are mapped.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Never; a segment has a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Makes sure that a part of the segment has memory behind it. Cheap when it has.
    ///
    /// # Errors
    /// [`Error::NoSpace`] with what is needed and what is there.
    ///
    /// # Panics
    /// When the part is not inside the segment.
    pub fn reserve(&self, part: Range<usize>) -> Result<(), Error> {
        assert!(part.start <= part.end && part.end <= self.len(), "{part:?} of {}", self.len());
        reserve(&self.file, part)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The last peer to attach may have done it.
            let _ = std::fs::remove_file(path);
        }
    }
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
    // SAFETY: the name is NUL-terminated.
    let fd =
        unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and nobody else's.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// A file in `/dev/shm` that nobody had before.
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
            // Somebody swept between the two calls.
            Ok(false) => {}
            Err(error) => {
                let _ = std::fs::remove_file(&path);
                return Err(Error::system("flock", error));
            }
        }
    }
}

/// Where files lie.
pub(crate) const DIRECTORY: &str = "/dev/shm";
/// How the names of files and of memory begin.
pub(crate) const PREFIX: &str = "cairn-";

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

fn reserve(file: &File, part: Range<usize>) -> Result<(), Error> {
    if part.is_empty() {
        return Ok(());
    }
    let short = || Error::NoSpace { needed: part.len(), available: available(file) };
    // A memfd has no limit of its own: the kernel would take all memory of the machine and end
    // processes before it says no.
    if part.len() >= LARGE && part.len() as u64 > available(file) {
        return Err(short());
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
            Some(libc::ENOSPC | libc::ENOMEM) => return Err(short()),
            _ => return Err(Error::system("fallocate", error)),
        }
    }
}

/// From how many bytes on it is worth a look at what is there before they are reserved.
const LARGE: usize = 1 << 20;

/// Bytes that the file's place still has: of its file system, or, where that has no limit, of the
/// machine and the container.
fn available(file: &File) -> u64 {
    // SAFETY: all-zero is a valid value of the plain struct.
    let mut place: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor and a struct that lives during the call.
    let status = unsafe { libc::fstatvfs(file.as_raw_fd(), &raw mut place) };
    if status == 0 && place.f_blocks > 0 {
        return place.f_bavail * place.f_frsize;
    }
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let machine = kilobytes
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes << 10);
    let number = |file: &str| {
        let text = std::fs::read_to_string(Path::new("/sys/fs/cgroup").join(file)).ok()?;
        text.trim().parse::<u64>().ok()
    };
    match (number("memory.max"), number("memory.current")) {
        (Some(limit), Some(used)) => machine.min(limit.saturating_sub(used)),
        _ => machine,
    }
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

    fn options(backing: Backing, len: usize) -> Options<'static> {
        Options { name: "segment-test", len, backing, peers: 2 }
    }

    #[test]
    fn two_mappings_show_the_same_memory() {
        for backing in [Backing::Memory, Backing::File] {
            let own = Segment::create(&options(backing, 1 << 20)).unwrap();
            let peer = Segment::attach(own.card()).unwrap();
            assert_eq!((own.len(), peer.len()), (1 << 20, 1 << 20));
            assert_ne!(own.base(), peer.base());
            peer.reserve(500_000..600_000).unwrap();
            own.reserve(500_000..600_000).unwrap();
            // SAFETY: reserved above; one thread.
            unsafe {
                own.base().add(555_555).write(77);
                assert_eq!(peer.base().add(555_555).read(), 77);
            }
            drop(own);
            // SAFETY: the peer's mapping stays.
            assert_eq!(unsafe { peer.base().add(555_555).read() }, 77);
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
        peer.reserve(8192..8193).unwrap();
        // SAFETY: reserved by both.
        unsafe {
            assert_eq!(peer.base().add(4096).read(), 33);
            peer.base().add(8192).write(44);
        }
    }

    #[test]
    fn another_process_attaches() {
        for backing in [Backing::Memory, Backing::File] {
            let own = Segment::create(&options(backing, 1 << 20)).unwrap();
            own.reserve(4096..8193).unwrap();
            // SAFETY: reserved.
            unsafe { own.base().add(4096).write(33) };
            let card: String = own.card().iter().map(|byte| format!("{byte:02x}")).collect();
            let ended = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "tests::as_another_process"])
                .env(CARD, card)
                .output()
                .unwrap();
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
            // SAFETY: reserved.
            assert_eq!(unsafe { own.base().add(8192).read() }, 44);
        }
    }

    #[test]
    fn only_what_is_reserved_takes_memory() {
        use std::os::unix::fs::MetadataExt;
        let own = Segment::create(&options(Backing::Memory, 1 << 30)).unwrap();
        own.reserve(1 << 20..(1 << 20) + 4096).unwrap();
        assert!(own.file.metadata().unwrap().blocks() * 512 <= 4 * page_size() as u64);
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
            let card = Card::new(std::process::id(), fd, len, own.card.check(), &None);
            Segment::attach(card.bytes())
        };
        let fd = other.file.as_raw_fd() as u32;
        assert!(matches!(stranger(fd, 4096), Err(Error::Stranger { .. })));
        let fd = own.file.as_raw_fd() as u32;
        assert!(matches!(stranger(fd, 8192), Err(Error::Stranger { .. })));
        assert!(stranger(fd, 4096).is_ok());
        assert!(matches!(stranger(9999, 4096), Err(Error::Refused { .. })));
        // Nobody can make it shorter.
        assert!(own.file.set_len(0).is_err());
    }

    /// On a file system with a limit, which says no before it takes anything. Never try this with
    /// memory, which has no limit of its own: the kernel would take all there is.
    #[test]
    fn a_lack_of_space_is_an_error_with_numbers() {
        let own = Segment::create(&options(Backing::File, 1 << 46)).unwrap();
        // SAFETY: all-zero is a valid value of the plain struct.
        let mut place: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: an open descriptor and a struct that lives during the call.
        unsafe { libc::fstatvfs(own.file.as_raw_fd(), &raw mut place) };
        if place.f_blocks == 0 {
            println!("skipped: /dev/shm has no limit here");
            return;
        }
        let error = own.reserve(0..1 << 46).unwrap_err();
        let Error::NoSpace { needed, available } = error else { panic!("{error}") };
        assert_eq!(needed, 1 << 46);
        assert!(available > 0 && available < needed as u64);
    }
}
