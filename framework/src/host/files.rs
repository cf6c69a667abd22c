//! Opening files that others put there.
//!
//! Under a name that is searched or given there may be anything: opening a FIFO waits for a writer,
//! reading a terminal waits for its user, and reading `/dev/zero` never ends. So only regular files
//! are opened, and what else is there is told apart.

use std::fmt;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Why a file can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// Nothing has this name.
    Missing,
    /// A symbolic link to something that is not there.
    BrokenLink(PathBuf),
    /// A symbolic link that leads back to itself.
    LinkLoop,
    /// There is something else of this name.
    NotAFile(&'static str),
    /// This user may not read it.
    Denied,
    /// What the system says.
    Other(String),
}

/// Opens a regular file for reading. Never waits for anybody.
pub fn open(path: &Path) -> Result<(File, Metadata), Obstacle> {
    let told = |error: io::Error| Obstacle::of(path, &error);
    // Asked before it is opened, because opening some devices does something.
    regular(std::fs::metadata(path).map_err(told)?.file_type())?;
    // What has taken its place since then does not make the opening wait.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(told)?;
    let metadata = file.metadata().map_err(told)?;
    regular(metadata.file_type())?;
    Ok((file, metadata))
}

fn regular(kind: FileType) -> Result<(), Obstacle> {
    if kind.is_file() {
        return Ok(());
    }
    Err(Obstacle::NotAFile(if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }))
}

impl Obstacle {
    fn of(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => {
                std::fs::read_link(path).map_or(Self::Missing, Self::BrokenLink)
            }
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ if error.raw_os_error() == Some(libc::ELOOP) => Self::LinkLoop,
            _ => Self::Other(error.to_string()),
        }
    }

    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Missing => "check the name",
            Self::BrokenLink(_) | Self::LinkLoop => "mend the link or remove it",
            Self::NotAFile(_) => "only regular files are read: name another, or take this away",
            Self::Denied => "check the permissions of the file and of the directories above it",
            Self::Other(_) => "check the file and the disk it is on",
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::BrokenLink(target) => {
                write!(f, "a link to {}, which is not there", target.display())
            }
            Self::LinkLoop => f.write_str("a link that leads back to itself"),
            Self::NotAFile(what) => write!(f, "{what}, not a regular file"),
            Self::Denied => f.write_str("this user may not read it"),
            Self::Other(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for Obstacle {}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    /// Runs something as a user that may do less than root, also when the tests run as root.
    pub(crate) fn as_nobody<T: Send>(body: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|threads| {
            let unprivileged = threads.spawn(|| {
                // SAFETY: changes whose files the calling thread may use, and nothing else; the
                // thread ends here. For others than root it does nothing.
                unsafe { libc::setfsuid(65534) };
                body()
            });
            unprivileged.join().expect("the body does not panic")
        })
    }

    /// A directory that all users may search.
    pub(crate) fn public_dir() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o755)).unwrap();
        dir
    }

    #[test]
    fn only_regular_files_open_and_the_others_are_named() {
        let dir = public_dir();
        let path = |name: &str| dir.path().join(name);
        let obstacle = |name: &str| open(&path(name)).unwrap_err();

        std::fs::write(path("file"), "text").unwrap();
        assert_eq!(open(&path("file")).unwrap().1.len(), 4);
        symlink("file", path("link")).unwrap();
        assert_eq!(open(&path("link")).unwrap().1.len(), 4);

        assert_eq!(obstacle("nothing"), Obstacle::Missing);
        assert_eq!(obstacle("nothing").fix(), "check the name");
        symlink("nothing", path("broken")).unwrap();
        assert_eq!(obstacle("broken"), Obstacle::BrokenLink("nothing".into()));
        symlink("round", path("round")).unwrap();
        assert_eq!(obstacle("round"), Obstacle::LinkLoop);
        std::fs::create_dir(path("directory")).unwrap();
        assert_eq!(obstacle("directory"), Obstacle::NotAFile("a directory"));
        let _listener = UnixListener::bind(path("socket")).unwrap();
        assert_eq!(obstacle("socket"), Obstacle::NotAFile("a socket"));
        symlink("/dev/zero", path("device")).unwrap();
        assert_eq!(obstacle("device"), Obstacle::NotAFile("a device"));
        let fifo = crate::text::to_c(path("fifo").to_str().unwrap());
        // SAFETY: a path that is valid during the call.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        assert_eq!(obstacle("fifo"), Obstacle::NotAFile("a FIFO"));

        std::fs::set_permissions(path("file"), PermissionsExt::from_mode(0o000)).unwrap();
        as_nobody(|| assert_eq!(obstacle("file"), Obstacle::Denied));
        assert!(obstacle("file/below").to_string().contains("Not a directory"));
    }
}
