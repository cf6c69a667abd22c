//! Where the installation lies, found from where this code lies, so that a tree can be moved.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The directories of an installation and of its user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paths {
    /// The installation's root, if this code runs from one: `<root>/bin` or `<root>/lib` holds it.
    pub prefix: Option<PathBuf>,
    /// `~/.cairn`, if there is a home directory.
    pub user: Option<PathBuf>,
}

impl Paths {
    /// Finds both from the file that holds this code and from `HOME`.
    pub fn locate() -> Self {
        Self {
            prefix: own_file().as_deref().and_then(prefix_of),
            user: std::env::var_os("HOME")
                .filter(|home| !home.is_empty())
                .map(|home| Path::new(&home).join(".cairn")),
        }
    }

    /// The parameters that the installation sets for all users.
    pub fn system_file(&self) -> Option<PathBuf> {
        self.prefix.as_ref().map(|prefix| prefix.join("share/cairn/mca-params/default.toml"))
    }

    /// The parameters that the user sets for all his runs.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|user| user.join("mca-params.toml"))
    }

    /// Where profiles are looked for, the user's first.
    pub fn profile_dirs(&self) -> Vec<PathBuf> {
        let user = self.user.as_ref().map(|user| user.join("mca-params"));
        let system = self.prefix.as_ref().map(|prefix| prefix.join("share/cairn/mca-params"));
        user.into_iter().chain(system).collect()
    }

    /// Where component libraries are looked for unless `mca_component_path` says otherwise.
    pub fn component_dirs(&self) -> Vec<PathBuf> {
        let system = self.prefix.as_ref().map(|prefix| prefix.join("lib/cairn"));
        let user = self.user.as_ref().map(|user| user.join("components"));
        system.into_iter().chain(user).collect()
    }
}

/// The root of the installation that `file` belongs to.
fn prefix_of(file: &Path) -> Option<PathBuf> {
    let file = file.canonicalize().ok()?;
    let directory = file.parent()?;
    let prefix = match directory.file_name()?.to_str()? {
        "bin" | "lib" | "lib64" => directory.parent()?,
        _ => return None,
    };
    prefix.join("share/cairn").is_dir().then(|| prefix.to_owned())
}

/// The executable or library that holds this function.
fn own_file() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is one of this code, and `info` has room for the answer; on success
    // `dli_fname` is null or a string that lives as long as the object is loaded.
    let name = unsafe {
        if libc::dladdr(own_file as fn() -> Option<PathBuf> as *const _, info.as_mut_ptr()) == 0 {
            return None;
        }
        let name = info.assume_init().dli_fname;
        if name.is_null() {
            return None;
        }
        PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes()))
    };
    // For the main program the name is what it was started with, which may be relative to a
    // directory that is no longer the current one.
    if name.is_absolute() { Some(name) } else { std::env::current_exe().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_needs_the_share_directory() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/tool"), "").unwrap();
        assert_eq!(prefix_of(&root.join("bin/tool")), None);
        std::fs::create_dir_all(root.join("share/cairn")).unwrap();
        assert_eq!(prefix_of(&root.join("bin/tool")), Some(root.clone()));
        std::os::unix::fs::symlink(root.join("bin/tool"), root.join("link")).unwrap();
        assert_eq!(prefix_of(&root.join("link")), Some(root));
    }

    #[test]
    fn own_file_is_this_test() {
        assert_eq!(
            own_file().unwrap().canonicalize().unwrap(),
            std::env::current_exe().unwrap().canonicalize().unwrap()
        );
    }
}
