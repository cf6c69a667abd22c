//! What can go wrong with a segment, in words a user understands.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a segment could not be made, attached or reserved.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is not enough memory for it.
    NoSpace {
        /// Bytes that were to be reserved.
        needed: usize,
        /// Bytes that are there for this process.
        available: u64,
    },
    /// The process may not make files of this length (`RLIMIT_FSIZE`).
    FileSize {
        /// Its length in bytes.
        needed: usize,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system does not let this process open it.
    Refused {
        /// What was opened.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// What was found is not the segment that the card describes.
    Stranger {
        /// What was opened.
        path: PathBuf,
    },
    /// The card is not in order.
    Card(String),
    /// The system makes no memory without a name, and a file can't take its place.
    Nowhere {
        /// Why there is no such memory.
        memory: io::Error,
        /// Why there is no file.
        file: Box<Error>,
    },
    /// A system call failed.
    System {
        /// Its name.
        call: &'static str,
        /// What the system said.
        error: io::Error,
    },
}

impl Error {
    pub(crate) fn system(call: &'static str, error: io::Error) -> Self {
        Self::System { call, error }
    }

    /// Whether memory, descriptors or address space are short, so that a later try may succeed.
    pub fn is_shortage(&self) -> bool {
        const SHORT: [i32; 4] = [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOSPC];
        match self {
            Self::NoSpace { .. } => true,
            Self::Refused { error, .. } | Self::System { error, .. } => {
                error.raw_os_error().is_some_and(|code| SHORT.contains(&code))
            }
            Self::Nowhere { file, .. } => file.is_shortage(),
            Self::FileSize { .. } | Self::Stranger { .. } | Self::Card(_) => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSpace { needed, available } => write!(
                f,
                "shared memory is short: {needed} bytes are needed and {available} are available"
            ),
            Self::FileSize { needed, limit } => write!(
                f,
                "shared memory of {needed} bytes is needed, and this process may make files of up to \
                 {limit} bytes; raise the limit: ulimit -f unlimited"
            ),
            Self::Refused { path, error } => write!(f, "can't open {}: {error}", path.display()),
            Self::Stranger { path } => write!(
                f,
                "{} is not the peer's segment (another pid namespace, or the peer has ended)",
                path.display()
            ),
            Self::Card(why) => write!(f, "the peer's card of its segment: {why}"),
            Self::Nowhere { memory, file } => write!(f, "memfd_create: {memory}; {file}"),
            Self::System { call, error } => write!(f, "{call}: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused { error, .. } | Self::System { error, .. } => Some(error),
            Self::Nowhere { file, .. } => Some(file),
            _ => None,
        }
    }
}
