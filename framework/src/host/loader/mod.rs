//! Finding components: those that are linked in and those in shared libraries.
//!
//! ```text
//!   inventory list ─────────────────────────────┐
//!                                               ├─► adopt: checks, complete copy ─► Catalog
//!   directories ─► elf: whole? this machine? ─► dlopen, cairn_components()
//! ```
//!
//! **File names.** A library called `<framework>_<component>.so` (or `lib<framework>_..`) holds
//! exactly that component, so it is not opened at all when the selection leaves the component out:
//! a job that says `--mca btl self,sm` never maps a network library. A library with any other name
//! is always opened and may hold several components.
//!
//! **Nothing is lost.** What is refused stays in the catalog with its reason, and so does what was
//! not opened.

mod adopt;
mod elf;
mod refusal;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::files::Obstacle;
use super::guard::guarded;
use super::problem::Problem;
use super::select::Wish;
use crate::abi::component::{ComponentDescriptor, ComponentsFn, ENTRY_SYMBOL};
use crate::frameworks::CONTRACTS;

pub use adopt::Loaded;
pub use refusal::{Refusal, StructSize};
#[doc(hidden)] // for fuzzing
pub use {adopt::adopt, elf::check_data};

/// Most components of one library; more are a sign that the entry symbol is something else.
const MAX_COMPONENTS: u32 = 256;

/// Where a component comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provider {
    /// Linked into this program.
    Linked,
    /// A shared library.
    File(PathBuf),
}

impl std::fmt::Display for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Linked => f.write_str("linked in"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Serialize for Provider {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A component or library that was not taken.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Framework and name, as far as they are known.
    pub component: Option<String>,
    /// Where it comes from.
    pub provider: Provider,
    /// Why.
    pub refusal: Refusal,
}

impl Refused {
    /// As a problem for the user.
    pub fn problem(&self) -> Problem {
        let what = match &self.component {
            Some(name) => format!("the component {name}"),
            None => "a component library".into(),
        };
        self.refusal.problem(&what, &self.provider.to_string())
    }
}

/// A library that was not opened, because the selection leaves its component out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unopened {
    /// The framework.
    pub framework: &'static str,
    /// The component that its name promises.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

/// A directory to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchDir {
    /// Where.
    pub path: PathBuf,
    /// Whether the user named it, so that it must be there.
    pub named: bool,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Components that can be used.
    pub loaded: Vec<Loaded>,
    /// What can't, and why.
    pub refused: Vec<Refused>,
    /// Libraries that are not wanted.
    pub unopened: Vec<Unopened>,
    /// Directories that could not be searched.
    pub problems: Vec<Problem>,
}

impl Catalog {
    /// Takes the components linked into this program, then those in `dirs` that `wishes` (by
    /// framework; none is any) could use.
    pub fn build(dirs: &[SearchDir], wishes: &HashMap<&str, Wish>) -> Self {
        let mut catalog = Self::linked();
        let files: Vec<PathBuf> = dirs.iter().flat_map(|dir| catalog.files(dir)).collect();
        for path in &files {
            let promised = promised(path);
            match &promised {
                Some((framework, name)) if !catalog.is_wanted(wishes, &files, framework, name) => {
                    let (name, path) = (name.clone(), path.clone());
                    catalog.unopened.push(Unopened { framework, name, path });
                }
                _ => catalog.open(path, promised),
            }
        }
        catalog
    }

    /// Whether the wishes could use a component that a file's name promises.
    fn is_wanted(
        &self,
        wishes: &HashMap<&str, Wish>,
        files: &[PathBuf],
        framework: &str,
        name: &str,
    ) -> bool {
        let known = |word: &str| {
            let linked = self.loaded.iter().filter(|loaded| loaded.contract.name == framework);
            linked.into_iter().any(|loaded| loaded.is_called(word))
                || files
                    .iter()
                    .filter_map(|path| promised(path))
                    .any(|(f, n)| f == framework && n == word)
        };
        match wishes.get(framework) {
            None | Some(Wish::Any) => true,
            Some(Wish::Except(words)) => !words.iter().any(|word| word == name),
            // A word that is no component's name may be another name of this one.
            Some(Wish::Only(words)) => words.iter().any(|word| word == name || !known(word)),
        }
    }

    /// Takes the components of these libraries, and of those linked in the ones that have no
    /// namesake in them.
    pub fn of_files(files: &[PathBuf]) -> Self {
        let mut catalog = Self::default();
        for file in files {
            catalog.open(file, promised(file));
        }
        let Self { loaded, refused, .. } = Self::linked();
        let new = |one: &Loaded| {
            let name = one.full_name();
            catalog.loaded.iter().all(|taken| taken.full_name() != name)
        };
        let loaded: Vec<Loaded> = loaded.into_iter().filter(new).collect();
        catalog.loaded.extend(loaded);
        catalog.refused.extend(refused);
        catalog
    }

    /// The components linked into this program.
    fn linked() -> Self {
        let mut catalog = Self::default();
        for linked in inventory::iter::<super::Linked> {
            for descriptor in linked.0 {
                // SAFETY: descriptors that are linked in are whole and live as long as the process.
                unsafe { catalog.add(*descriptor, Provider::Linked, None) };
            }
        }
        catalog
    }

    /// The libraries in a directory, sorted.
    fn files(&mut self, dir: &SearchDir) -> Vec<PathBuf> {
        let listed = std::fs::read_dir(&dir.path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let entries: Vec<PathBuf> = match listed {
            Ok(entries) => entries,
            Err(error) if !dir.named && error.kind() == std::io::ErrorKind::NotFound => {
                return Vec::new();
            }
            Err(error) => {
                self.problems.push(
                    Problem::new(format!(
                        "can't search the component directory {}: {error}",
                        dir.path.display()
                    ))
                    .at("mca_component_path")
                    .allowed("directories, separated by commas")
                    .fix("create the directory or correct the path"),
                );
                return Vec::new();
            }
        };
        let mut files: Vec<PathBuf> = entries
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "so"))
            .collect();
        files.sort();
        files
    }

    fn open(&mut self, path: &Path, promised: Option<(&'static str, String)>) {
        let provider = Provider::File(path.to_owned());
        let descriptors = elf::check(path).and_then(|()| {
            let head = format!("cairn: the component library {} was loaded and", path.display());
            let tail = "; remove it, or leave its component out of the selection";
            guarded(head, tail.into(), || descriptors(path))
        });
        let descriptors = match descriptors {
            Ok(descriptors) => descriptors,
            Err(refusal) => {
                let component = promised.map(|(framework, name)| format!("{framework}_{name}"));
                self.refused.push(Refused { component, provider, refusal });
                return;
            }
        };
        let promised = promised.map(|(framework, name)| format!("{framework}_{name}"));
        if let Some(promised) = &promised {
            // SAFETY: `descriptors` got these from the library's entry symbol.
            let found: Vec<String> =
                descriptors.iter().map(|&one| unsafe { claimed_name(one) }).collect();
            // An empty name belongs to what is no descriptor at all, which `add` will say.
            if found.iter().any(|name| name != promised && !name.is_empty()) || found.len() > 1 {
                let component = Some(promised.clone());
                let refusal =
                    Refusal::Misnamed { promised: promised.clone(), found: found.join(", ") };
                self.refused.push(Refused { component, provider, refusal });
                return;
            }
        }
        for descriptor in descriptors {
            // SAFETY: as above; the library stays mapped.
            unsafe { self.add(descriptor, provider.clone(), promised.as_deref()) };
        }
    }

    /// Takes a component or refuses it; what says no name of its own is called what its file's name
    /// promises.
    ///
    /// # Safety
    /// As for [`adopt::adopt`].
    unsafe fn add(
        &mut self,
        descriptor: *const ComponentDescriptor,
        provider: Provider,
        promised: Option<&str>,
    ) {
        // SAFETY: promised by the caller.
        match unsafe { adopt::adopt(descriptor, provider.clone()) } {
            Ok(loaded) => {
                let same = |other: &&Loaded| {
                    other.contract.name == loaded.contract.name && other.name == loaded.name
                };
                match self.loaded.iter().find(same) {
                    None => self.loaded.push(loaded),
                    Some(first) => self.refused.push(Refused {
                        component: Some(loaded.full_name()),
                        provider,
                        refusal: Refusal::Duplicate { first: first.provider.to_string() },
                    }),
                }
            }
            Err((component, refusal)) => {
                let component = component.or_else(|| promised.map(str::to_owned));
                self.refused.push(Refused { component, provider, refusal });
            }
        }
    }
}

/// The component that a library's file name promises.
fn promised(path: &Path) -> Option<(&'static str, String)> {
    let stem = path.file_stem()?.to_str()?;
    let stem = stem.strip_prefix("lib").unwrap_or(stem);
    CONTRACTS.iter().find_map(|contract| {
        let name = stem.strip_prefix(contract.name)?.strip_prefix('_')?;
        super::params::valid_name(name).then(|| (contract.name, name.to_owned()))
    })
}

/// Maps a library for good and asks it for its descriptors.
fn descriptors(path: &Path) -> Result<Vec<*const ComponentDescriptor>, Refusal> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

    // A name without a slash would be searched for in the system's directories.
    let path = std::path::absolute(path)
        .map_err(|error| Refusal::Unreadable(Obstacle::Other(error.to_string())))?;
    // RTLD_NODELETE: never unmapped, because threads, thread-local destructors and callbacks of
    // the component may outlive every handle. RTLD_NOW: a missing symbol is an error message here
    // and not the end of the process in the middle of a run. RTLD_LOCAL: two components may have
    // functions of the same name.
    let flags = RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE;
    // SAFETY: loading runs the library's initialisers. The user has put it into a directory whose
    // libraries are to be loaded; its headers were checked.
    let library = unsafe { Library::open(Some(&path), flags) }
        .map_err(|error| Refusal::Linker(linker_text(&error, &path)))?;
    // SAFETY: the symbol's type is fixed by the plugin ABI.
    let entry = unsafe { library.get::<ComponentsFn>(ENTRY_SYMBOL.as_bytes()) }
        .map_err(|_| Refusal::NoEntry)?;
    let mut count = 0;
    // SAFETY: the function takes a place for the count and returns that many pointers.
    unsafe {
        let first = entry(&raw mut count);
        if first.is_null() || count == 0 {
            return Err(Refusal::Empty);
        }
        if count > MAX_COMPONENTS {
            return Err(Refusal::NotADescriptor);
        }
        Ok(std::slice::from_raw_parts(first, count as usize).to_vec())
    }
}

/// The linker's reason without the path that it repeats.
fn linker_text(error: &libloading::Error, path: &Path) -> String {
    use std::error::Error;
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let prefix = format!("{}: ", path.display());
    text.strip_prefix(&prefix).unwrap_or(&text).to_owned()
}

/// Framework and name of what claims to be a descriptor, or an empty text.
///
/// # Safety
/// As for [`adopt::adopt`].
unsafe fn claimed_name(descriptor: *const ComponentDescriptor) -> String {
    // SAFETY: promised by the caller.
    unsafe {
        let Ok(descriptor) = adopt::known(descriptor) else {
            return String::new();
        };
        let framework = crate::text::copy(descriptor.framework);
        let name = crate::text::copy(descriptor.name);
        if framework.is_empty() || name.is_empty() {
            return String::new();
        }
        format!("{framework}_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_promise_components() {
        let promised = |name: &str| promised(Path::new(name));
        assert_eq!(promised("/x/btl_sm.so"), Some(("btl", "sm".into())));
        assert_eq!(promised("/x/libcri_round_robin.so"), Some(("cri", "round_robin".into())));
        assert_eq!(promised("/x/vendor.so"), None);
        assert_eq!(promised("/x/btlsm.so"), None);
        assert_eq!(promised("/x/btl_.so"), None);
        assert_eq!(promised("/x/btl_Sm.so"), None);
    }

    #[test]
    fn a_library_that_may_not_be_read_is_refused_with_its_name() {
        use std::os::unix::fs::PermissionsExt;
        let dir = crate::host::files::tests::public_dir();
        let path = dir.path().join("libcri_odd.so");
        std::fs::write(&path, "no library").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
        let search = [SearchDir { path: dir.path().into(), named: true }];
        let refused = crate::host::files::tests::as_nobody(|| {
            Catalog::build(&search, &HashMap::new()).refused.remove(0)
        });
        assert_eq!(refused.component.as_deref(), Some("cri_odd"));
        assert_eq!(refused.refusal, Refusal::Unreadable(Obstacle::Denied));
        assert!(refused.refusal.fix().contains("check the permissions"));
    }

    #[test]
    fn a_directory_that_can_t_be_searched_is_a_problem_if_it_was_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let problems = |path: PathBuf, named| {
            Catalog::build(&[SearchDir { path, named }], &HashMap::new()).problems
        };
        assert!(problems(file, false)[0].what.contains("Not a directory"));
        assert_eq!(problems(dir.path().join("none"), false), []);
        assert!(problems(dir.path().join("none"), true)[0].what.contains("No such file"));
    }
}
