//! What peers need to attach to a segment, as bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::owner::Identity;
use crate::sweep;

/// Bytes of a card.
pub const CARD_LEN: usize = 192;

/// "CASG", and the version of what lies in a segment's header.
const MAGIC: u32 = 0x4753_4143;
const VERSION: u32 = 2;

/// The owner holds a lock on the file as long as it lives.
const LOCKED: u32 = 1;

/// Where the path begins; what is left of the card is zero.
const PATH: usize = 72;

/// The place and the check value of a segment.
///
/// ```text
///   0 magic u32   4 version u32   8 pid u32   12 fd u32   16 length u64   24 check [16]
///   40 front u64   48 pid namespace u64   56 start of the process u64
///   64 flags u32   68 bytes of the path u32   72 path
/// ```
#[derive(Debug, Clone)]
pub struct Card([u8; CARD_LEN]);

/// What a card is made from.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub owner: Identity,
    pub fd: u32,
    pub len: u64,
    pub front: u64,
    pub check: [u8; 16],
    pub locked: bool,
    pub path: Option<&'a Path>,
}

impl Card {
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let mut bytes = [0; CARD_LEN];
        let path = facts.path.map_or(&[][..], |path| path.as_os_str().as_bytes());
        // Segments have names of a few dozen bytes; a longer one is cut and then not found.
        let path = &path[..path.len().min(CARD_LEN - PATH)];
        let flags = if facts.locked { LOCKED } else { 0 };
        let words = [
            (0, MAGIC),
            (4, VERSION),
            (8, facts.owner.pid),
            (12, facts.fd),
            (64, flags),
            (68, path.len() as u32),
        ];
        for (at, word) in words {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let (namespace, start) = (facts.owner.namespace, facts.owner.start);
        for (at, long) in [(16, facts.len), (40, facts.front), (48, namespace), (56, start)] {
            bytes[at..at + 8].copy_from_slice(&long.to_le_bytes());
        }
        bytes[24..40].copy_from_slice(&facts.check);
        bytes[PATH..PATH + path.len()].copy_from_slice(path);
        Self(bytes)
    }

    #[doc(hidden)] // for fuzzing
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let found: [u8; CARD_LEN] =
            bytes.get(..CARD_LEN).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
                Error::Card(format!("{} bytes instead of {CARD_LEN}", bytes.len()))
            })?;
        let card = Self(found);
        if card.word(0) != MAGIC {
            return Err(Error::Card("it is none".into()));
        }
        if card.word(4) != VERSION {
            let version = card.word(4);
            return Err(Error::Card(format!("layout {version}, and this library has {VERSION}")));
        }
        let name = card.name();
        let directory = Path::new(sweep::DIRECTORY);
        let inside = |path: &Path| {
            path.parent() == Some(directory)
                && path
                    .file_name()
                    .is_some_and(|name| name.as_bytes().starts_with(sweep::PREFIX.as_bytes()))
        };
        if card.word(68) as usize > CARD_LEN - PATH || name.is_some_and(|path| !inside(path)) {
            return Err(Error::Card("it names a file that is not a segment".into()));
        }
        Ok(card)
    }

    /// As peers get it.
    pub fn bytes(&self) -> &[u8; CARD_LEN] {
        &self.0
    }

    pub(crate) fn len(&self) -> u64 {
        self.long(16)
    }

    pub(crate) fn front(&self) -> u64 {
        self.long(40)
    }

    pub(crate) fn check(&self) -> [u8; 16] {
        self.0[24..40].try_into().expect("sixteen bytes")
    }

    pub(crate) fn owner(&self) -> Identity {
        Identity { pid: self.word(8), namespace: self.long(48), start: self.long(56) }
    }

    pub(crate) fn is_file(&self) -> bool {
        self.name().is_some()
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.is_file() && self.word(64) & LOCKED != 0
    }

    /// What to open.
    #[doc(hidden)] // for fuzzing
    pub fn path(&self) -> PathBuf {
        match self.name() {
            Some(path) => path.to_owned(),
            None => format!("/proc/{}/fd/{}", self.word(8), self.word(12)).into(),
        }
    }

    fn name(&self) -> Option<&Path> {
        let len = (self.word(68) as usize).min(CARD_LEN - PATH);
        (len > 0).then(|| Path::new(OsStr::from_bytes(&self.0[PATH..PATH + len])))
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    fn long(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(path: Option<&Path>) -> Facts<'_> {
        let owner = Identity { pid: 7, namespace: 1, start: 2 };
        Facts { owner, fd: 8, len: 8192, front: 4096, check: [9; 16], locked: false, path }
    }

    #[test]
    fn a_card_says_what_it_was_made_of() {
        let path = Path::new("/dev/shm/cairn-x");
        let made = Card::new(&Facts { locked: true, ..facts(Some(path)) });
        let card = Card::parse(made.bytes()).unwrap();
        assert_eq!((card.len(), card.front(), card.check()), (8192, 4096, [9; 16]));
        assert_eq!(card.owner(), Identity { pid: 7, namespace: 1, start: 2 });
        assert_eq!((card.is_file(), card.is_locked(), card.path()), (true, true, path.into()));
    }

    #[test]
    fn a_card_names_segments_only() {
        let card = |path: &str| {
            let card = Card::new(&facts(Some(path.as_ref())));
            Card::parse(card.bytes()).map(|card| card.path())
        };
        assert_eq!(card("/dev/shm/cairn-x").unwrap(), Path::new("/dev/shm/cairn-x"));
        for path in ["/etc/passwd", "/dev/shm/../../etc/cairn-x", "/dev/shm/x", "cairn-x", "/"] {
            assert!(card(path).is_err(), "{path}");
        }
        let memory = Card::new(&facts(None));
        assert_eq!(Card::parse(memory.bytes()).unwrap().path(), Path::new("/proc/7/fd/8"));
        let mut wrong = *memory.bytes();
        wrong[68] = 255;
        assert!(Card::parse(&wrong).is_err());
        let mut newer = *memory.bytes();
        newer[4] = 3;
        assert!(Card::parse(&newer).unwrap_err().to_string().contains("layout 3"));
    }
}
