//! Whether the process that made a segment lives.
//!
//! A process that is killed says no goodbye, so others ask. Where processes have the same ids for each
//! other (one pid namespace, one `/proc`) the card's id and the moment at which that process started
//! lead to it or to no process, also when the id has been given to another. Elsewhere there can only be a
//! file between them; its owner holds a lock on it (`F_OFD_SETLK`), which the kernel takes back when the
//! process ends.
//!
//! The lock belongs to an open file, which a child shares that a process forks. So it is one that is
//! not mapped, since mappings keep it open, too, and its descriptor is [`Private`].

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::OnceLock;

use cairn_descriptors::Private;

use crate::card::Card;

/// What is known of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It lives.
    Lives,
    /// It has ended, and nothing that it does can be seen any more.
    Ended,
    /// There is no way to tell from here.
    Unknown,
}

/// A process, for others on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Identity {
    pub pid: u32,
    /// The namespace of its id, on this boot of this machine; 0 when it is not known.
    pub namespace: u64,
    /// When it started, in ticks of the system.
    pub start: u64,
}

impl Identity {
    /// This process.
    pub fn own() -> Self {
        let pid = std::process::id();
        let start = match namespace() {
            Some(_) => Stat::read(pid).map_or(0, |stat| stat.start),
            None => 0,
        };
        let namespace = namespace().filter(|_| start != 0).unwrap_or(0);
        Self { pid, namespace, start }
    }

    /// The process's id as this one has it.
    fn here(&self) -> Option<u32> {
        (self.namespace != 0 && namespace() == Some(self.namespace)).then_some(self.pid)
    }

    fn life(&self) -> Life {
        let Some(pid) = self.here() else { return Life::Unknown };
        match Stat::read(pid) {
            Ok(stat) if stat.start != self.start || stat.is_dead() => Life::Ended,
            Ok(_) => Life::Lives,
            // `/proc` may hide processes.
            Err(_) => {
                // SAFETY: a plain system call; signal 0 is none.
                let sent = unsafe { libc::kill(pid as libc::pid_t, 0) };
                let gone = io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
                if sent != 0 && gone { Life::Ended } else { Life::Unknown }
            }
        }
    }
}

/// The namespace of this process's ids, if `/proc` shows it.
fn namespace() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    static NAMESPACE: OnceLock<Option<u64>> = OnceLock::new();
    *NAMESPACE.get_or_init(|| {
        let own = fs::read_link("/proc/self").ok()?;
        if own != Path::new(&std::process::id().to_string()) {
            return None;
        }
        let inode = fs::metadata("/proc/self/ns/pid").ok()?.ino();
        Some(inode ^ machine()?)
    })
}

/// What tells the machine, until it starts again, from others; all of its containers see the same. Not 0. `None` if the
/// system does not tell.
pub fn machine() -> Option<u64> {
    static MACHINE: OnceLock<Option<u64>> = OnceLock::new();
    *MACHINE.get_or_init(|| {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        fold(&boot).filter(|id| *id != 0)
    })
}

/// A boot's id as a number. The first namespace of every machine has the same inode, so that alone it would make
/// processes of other machines ours.
fn fold(boot: &str) -> Option<u64> {
    let id = u128::from_str_radix(&boot.trim().replace('-', ""), 16).ok()?;
    Some((id >> 64) as u64 ^ id as u64)
}

/// What `/proc/<pid>/stat` says (proc(5)).
struct Stat {
    state: u8,
    threads: u64,
    start: u64,
}

impl Stat {
    fn read(pid: u32) -> io::Result<Self> {
        let text = fs::read(format!("/proc/{pid}/stat"))?;
        let none = || io::Error::from(io::ErrorKind::InvalidData);
        Self::parse(&String::from_utf8_lossy(&text)).ok_or_else(none)
    }

    fn parse(text: &str) -> Option<Self> {
        // The name, field 2, may contain anything.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse().ok();
        Some(Self {
            state: *fields.first()?.as_bytes().first()?,
            threads: number(20)?,
            start: number(22)?,
        })
    }

    /// Only the exit status is left. The first thread of a process may end before the others.
    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x') && self.threads <= 1
    }
}

/// Bytes of [`Owner::identity`].
pub const IDENTITY: usize = 20;

/// A process, as another one asks for it: the one that made a segment, or one that says who it is.
#[derive(Debug)]
pub struct Owner {
    identity: Identity,
    /// The segment's.
    card: Option<Card>,
    /// The segment's file, if it is one.
    file: Option<File>,
}

impl Owner {
    /// The owner of the segment that a card describes; `None` when it is no card.
    pub fn of(card: &[u8]) -> Option<Self> {
        Card::parse(card).ok().map(|card| Self::with_file(&card, None))
    }

    pub(crate) fn with_file(card: &Card, file: Option<File>) -> Self {
        Self { identity: card.owner(), card: Some(card.clone()), file }
    }

    /// What this process says of itself to others, which pass it to [`Owner::identified`].
    pub fn identity() -> [u8; IDENTITY] {
        let own = Identity::own();
        let mut bytes = [0; IDENTITY];
        bytes[..4].copy_from_slice(&own.pid.to_le_bytes());
        bytes[4..12].copy_from_slice(&own.namespace.to_le_bytes());
        bytes[12..].copy_from_slice(&own.start.to_le_bytes());
        bytes
    }

    /// The process that says this of itself. Whether it lives can't be told where processes have other ids
    /// for each other, as there is no file between them.
    pub fn identified(said: &[u8; IDENTITY]) -> Self {
        let long =
            |at: usize| u64::from_le_bytes(said[at..at + 8].try_into().expect("eight bytes"));
        let pid = u32::from_le_bytes(said[..4].try_into().expect("four bytes"));
        let identity = Identity { pid, namespace: long(4), start: long(12) };
        Self { identity, card: None, file: None }
    }

    /// Its process id, if that is the same here. It may be another process's by now, unless `life`
    /// says afterwards that it lives.
    pub fn id(&self) -> Option<u32> {
        self.identity.here()
    }

    /// Whether it lives.
    pub fn life(&self) -> Life {
        match self.identity.life() {
            Life::Unknown => self.by_lock(),
            known => known,
        }
    }

    /// To be asked again and again: keeps the file open if its lock is the only thing that tells, since
    /// the file may lose its name, and then nothing would tell any more.
    pub fn keep(mut self) -> Self {
        if self.file.is_none() && self.identity.life() == Life::Unknown {
            self.file = self.open();
        }
        self
    }

    fn by_lock(&self) -> Life {
        match &self.file {
            Some(file) => is_locked(file),
            None => self.open().map_or(Life::Unknown, |file| is_locked(&file)),
        }
    }

    fn open(&self) -> Option<File> {
        let card = self.card.as_ref().filter(|card| card.is_locked())?;
        let path = card.path();
        File::options().read(true).write(true).open(path).ok()
    }
}

/// The place of the lock in a file.
fn place() -> libc::flock {
    // SAFETY: all-zero is a valid value of the plain struct.
    let mut place: libc::flock = unsafe { std::mem::zeroed() };
    place.l_type = libc::F_WRLCK as libc::c_short;
    place.l_whence = libc::SEEK_SET as libc::c_short;
    place.l_len = 1;
    place
}

fn is_locked(file: &File) -> Life {
    let mut place = place();
    // SAFETY: the struct lives during the call.
    let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut place) };
    match (status, libc::c_int::from(place.l_type)) {
        (0, libc::F_UNLCK) => Life::Ended,
        (0, _) => Life::Lives,
        _ => Life::Unknown,
    }
}

/// A lock that lasts as long as this process, or until it is dropped.
#[derive(Debug)]
pub(crate) struct Sign {
    _file: Private,
}

impl Sign {
    /// Opens a file that is not mapped by this descriptor, and takes the lock on it. `None` where the file
    /// system has no locks.
    pub fn give(open: impl FnOnce() -> io::Result<File>) -> io::Result<Option<Self>> {
        let file = Private::open(|| Ok(open()?.into()))?;
        let lock = place();
        // SAFETY: the struct lives during the call.
        let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
        Ok((status == 0).then_some(Self { _file: file }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::process::{Child, ChildStdout, Command, Stdio};

    use super::*;
    use crate::{Backing, Options, Segment};

    const BACKING: &str = "CAIRN_TEST_BACKING";

    /// Makes a segment, prints its card, and lives until its input ends, or as a child that it has
    /// forked as long as that; on its own the test has nothing to do.
    #[test]
    fn as_an_owner() {
        let Ok(backing) = std::env::var(BACKING) else { return };
        let backing = if backing == "file" { Backing::File } else { Backing::Memory };
        let options = Options { name: "owner-test", len: 8192, front: 4096, backing, peers: 2 };
        let segment = Segment::create(&options).unwrap();
        let (mut there, here) = io::pipe().unwrap();
        // SAFETY: the child says that it runs, and sleeps.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let _ = (&here).write(b"x");
            // SAFETY: plain system calls. If the test does not end it, the alarm does.
            unsafe {
                libc::alarm(300);
                loop {
                    libc::pause();
                }
            }
        }
        there.read_exact(&mut [0]).unwrap();
        let card: String = segment.card().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("\ncard {card} {child}");
        let _ = std::io::stdin().read(&mut [0]);
        // SAFETY: a plain system call. No destructor runs, as when the process is killed.
        unsafe { libc::_exit(0) };
    }

    fn owner(backing: &str) -> (Child, ChildStdout, Vec<u8>, libc::pid_t) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "owner::tests::as_an_owner", "--nocapture"])
            .env(BACKING, backing)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut said = Vec::new();
        let line = loop {
            let mut byte = [0];
            assert_eq!(output.read(&mut byte).unwrap(), 1, "it ended");
            match byte {
                [b'\n'] if said.starts_with(b"card ") => break String::from_utf8(said).unwrap(),
                [b'\n'] => said.clear(),
                [byte] => said.push(byte),
            }
        };
        let mut words = line.split(' ').skip(1);
        let card = words.next().unwrap();
        let byte = |at| u8::from_str_radix(&card[at..at + 2], 16).unwrap();
        let card = (0..card.len()).step_by(2).map(byte).collect();
        (child, output, card, words.next().unwrap().parse().unwrap())
    }

    /// The card as a process of another pid namespace would have made it.
    fn foreign(card: &[u8]) -> Vec<u8> {
        let mut card = card.to_vec();
        card[48] ^= 0xff;
        card
    }

    #[test]
    fn the_end_of_an_owner_is_seen_before_and_after_it_was_reaped() {
        for backing in ["memory", "file"] {
            let (mut child, output, card, forked) = owner(backing);
            let own = Owner::of(&card).unwrap();
            let far = Owner::of(&foreign(&card)).unwrap();
            let segment = Segment::attach(&foreign(&card)).unwrap();
            let (attached, kept) = (segment.owner(), Owner::of(&foreign(&card)).unwrap().keep());
            assert_eq!((own.id(), far.id()), (Some(child.id()), None));
            let lives = if backing == "file" { Life::Lives } else { Life::Unknown };
            assert_eq!((own.life(), far.life(), attached.life()), (Life::Lives, lives, lives));
            drop(child.stdin.take());
            // Its end, when it is still there as a zombie.
            let pid = child.id() as libc::pid_t;
            // SAFETY: the struct lives during the call.
            unsafe {
                let mut info = std::mem::zeroed();
                let wait = libc::WEXITED | libc::WNOWAIT;
                assert_eq!(libc::waitid(libc::P_PID, pid as u32, &raw mut info, wait), 0);
            }
            let ended = if backing == "file" { Life::Ended } else { Life::Unknown };
            assert_eq!((own.life(), far.life(), attached.life()), (Life::Ended, ended, ended));
            child.wait().unwrap();
            // Without a kept file nothing is found when the file has lost its name.
            drop(segment);
            let _ = fs::remove_file(far.card.as_ref().unwrap().path());
            assert_eq!((own.life(), far.life()), (Life::Ended, Life::Unknown));
            assert_eq!((attached.life(), kept.life()), (ended, ended));
            // The child that it had forked changes nothing of that.
            // SAFETY: a plain system call.
            unsafe { libc::kill(forked, libc::SIGKILL) };
            drop(output);
            crate::sweep();
        }
    }

    #[test]
    fn who_says_who_it_is_can_be_asked_for() {
        let mut said = Owner::identity();
        let own = Owner::identified(&said);
        assert_eq!((own.id(), own.life()), (Some(std::process::id()), Life::Lives));
        said[12] ^= 1;
        assert_eq!(Owner::identified(&said).life(), Life::Ended);
        said[4] ^= 1;
        let far = Owner::identified(&said).keep();
        assert_eq!((far.id(), far.life()), (None, Life::Unknown));
    }

    #[test]
    fn a_process_of_another_machine_is_not_one_of_ours() {
        use std::os::unix::fs::MetadataExt;
        // As a process of a machine that has never booted would say it: its first namespace has this inode, too.
        let inode = fs::metadata("/proc/self/ns/pid").unwrap().ino();
        let far = Identity { namespace: inode, ..Identity::own() };
        assert_eq!((far.here(), far.life()), (None, Life::Unknown));
        let boots =
            ["00000000-0000-0001-0000-000000000002\n", "00000000-0000-0001-0000-000000000003"];
        assert_eq!(boots.map(fold), [Some(3), Some(2)]);
        assert_eq!(fold("none"), None);
    }

    #[test]
    fn a_number_that_another_process_has_is_no_life() {
        let options =
            |backing| Options { name: "owner-test", len: 8192, front: 4096, backing, peers: 2 };
        let own = Segment::create(&options(Backing::Memory)).unwrap();
        assert_eq!(own.owner().life(), Life::Lives);
        let mut card = *own.card();
        card[56] ^= 1;
        assert_eq!(Owner::of(&card).unwrap().life(), Life::Ended);
        assert!(Owner::of(b"no card").is_none());
    }

    #[test]
    fn the_first_thread_may_end_before_the_others() {
        let fields = |state: &str, threads: u32| {
            format!(
                "77 (a) b) c) {state} 1 77 77 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 {threads} 0 4711 9 10"
            )
        };
        for (state, threads, dead) in
            [("S", 1, false), ("Z", 2, false), ("Z", 1, true), ("X", 1, true), ("R", 3, false)]
        {
            let stat = Stat::parse(&fields(state, threads)).unwrap();
            assert_eq!((stat.is_dead(), stat.start), (dead, 4711), "{state} {threads}");
        }
        assert!(Stat::parse("77 (x) S 1").is_none() && Stat::parse("").is_none());
    }
}
