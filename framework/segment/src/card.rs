//! What peers need to attach to a segment, as bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Bytes of a card.
pub const CARD_LEN: usize = 160;

/// "CASG", and the version of what lies in a segment's header.
const MAGIC: u32 = 0x4753_4143;
const VERSION: u32 = 1;

/// Where the path begins; what is left of the card is zero.
const PATH: usize = 48;

/// The place and the check value of a segment.
///
/// ```text
///   0 magic u32   4 version u32   8 pid u32   12 fd u32   16 length u64   24 check [16]
///   40 bytes of the path u64      48 path
/// ```
#[derive(Debug, Clone)]
pub struct Card([u8; CARD_LEN]);

impl Card {
    pub(crate) fn new(
        pid: u32,
        fd: u32,
        len: u64,
        check: [u8; 16],
        path: &Option<PathBuf>,
    ) -> Self {
        let mut bytes = [0; CARD_LEN];
        let path = path.as_deref().map_or(&[][..], |path| path.as_os_str().as_bytes());
        // Segments have names of a few dozen bytes; a longer one is cut and then not found.
        let path = &path[..path.len().min(CARD_LEN - PATH)];
        for (at, word) in [(0, MAGIC), (4, VERSION), (8, pid), (12, fd)] {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes[16..24].copy_from_slice(&len.to_le_bytes());
        bytes[24..40].copy_from_slice(&check);
        bytes[40..48].copy_from_slice(&(path.len() as u64).to_le_bytes());
        bytes[PATH..PATH + path.len()].copy_from_slice(path);
        Self(bytes)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
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
        let directory = Path::new(crate::DIRECTORY);
        let inside = |path: &Path| {
            path.parent() == Some(directory)
                && path
                    .file_name()
                    .is_some_and(|name| name.as_bytes().starts_with(crate::PREFIX.as_bytes()))
        };
        if card.long(40) as usize > CARD_LEN - PATH || name.is_some_and(|path| !inside(path)) {
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

    pub(crate) fn check(&self) -> [u8; 16] {
        self.0[24..40].try_into().expect("sixteen bytes")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.word(8)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.name().is_some()
    }

    /// What to open.
    pub(crate) fn path(&self) -> PathBuf {
        match self.name() {
            Some(path) => path.to_owned(),
            None => format!("/proc/{}/fd/{}", self.word(8), self.word(12)).into(),
        }
    }

    fn name(&self) -> Option<&Path> {
        let len = (self.long(40) as usize).min(CARD_LEN - PATH);
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

    #[test]
    fn a_card_names_segments_only() {
        let card = |path: &str| {
            let card = Card::new(7, 8, 4096, [9; 16], &Some(path.into()));
            Card::parse(card.bytes()).map(|card| card.path())
        };
        assert_eq!(card("/dev/shm/cairn-x").unwrap(), Path::new("/dev/shm/cairn-x"));
        for path in ["/etc/passwd", "/dev/shm/../../etc/cairn-x", "/dev/shm/x", "cairn-x", "/"] {
            assert!(card(path).is_err(), "{path}");
        }
        let memory = Card::new(7, 8, 4096, [9; 16], &None);
        assert_eq!(Card::parse(memory.bytes()).unwrap().path(), Path::new("/proc/7/fd/8"));
        let mut wrong = *memory.bytes();
        wrong[40] = 255;
        assert!(Card::parse(&wrong).is_err());
        let mut newer = *memory.bytes();
        newer[4] = 2;
        assert!(Card::parse(&newer).unwrap_err().to_string().contains("layout 2"));
    }
}
