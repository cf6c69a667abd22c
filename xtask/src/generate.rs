//! Files that are made from the code and kept in the repository, so that nothing needs to be built
//! to read them.
//!
//! | file | made from |
//! |---|---|
//! | `include/cairn/*.h` | the contracts in the framework's sources |
//! | `mca-params/default.toml` | what the components register |
//! | `docs/architecture.svg` | the rooms in `xtask/src/rooms.rs` |
//! | `include/mpi.h`, `mpi/src/abi/generated`, `mpi/src/entries`, `docs/coverage.md` | the tables in `mpi/abi` |

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::dist::{self, Form};
use crate::exec::{self, Workspace};
use crate::{abi, headers, rooms};

/// Writes the files, or says which are stale.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let root = &workspace.root;
    // The library is built from these, so they come first.
    let mut stale = settle(&abi::generate(root)?, &abi::dirs(root), check)?;

    let dist = dist::build(workspace, Form::Linked)?;
    let mut files: BTreeMap<PathBuf, String> = headers::generate(workspace)?
        .into_iter()
        .map(|(name, text)| (headers::dir(root).join(name), text))
        .collect();
    let mut info = workspace.command(dist.join("bin/cairn-info"));
    info.args(["generate", "defaults"]);
    let defaults = exec::output(&mut info)?;
    files.insert(root.join("mca-params/default.toml"), defaults);
    files.insert(root.join("docs/architecture.svg"), rooms::picture());
    stale.extend(settle(&files, &[headers::dir(root)], check)?);

    let shown: Vec<String> = stale
        .iter()
        .map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string())
        .collect();
    match (stale.is_empty(), check) {
        (true, _) => println!("   generated files are fresh"),
        (false, false) => println!("   wrote {}", shown.join(", ")),
        (false, true) => {
            bail!("generated files are stale; run cargo xtask gen: {}", shown.join(", "))
        }
    }
    Ok(())
}

/// Writes the files that are made from the tables in `mpi/abi`.
pub fn abi(workspace: &Workspace) -> Result<()> {
    let root = &workspace.root;
    let stale = settle(&abi::generate(root)?, &abi::dirs(root), false)?;
    println!("   wrote {} files", stale.len());
    Ok(())
}

/// Writes what differs and removes what does not belong into directories of generated files, unless
/// it is only a check. Returns what was stale.
fn settle(
    files: &BTreeMap<PathBuf, String>,
    dirs: &[PathBuf],
    check: bool,
) -> Result<Vec<PathBuf>> {
    let mut stale = Vec::new();
    for (path, text) in files {
        if fs::read_to_string(path).ok().as_ref() != Some(text) {
            stale.push(path.clone());
            if !check {
                fs::create_dir_all(path.parent().unwrap_or(path))?;
                fs::write(path, text)?;
            }
        }
    }
    for dir in dirs.iter().filter(|dir| dir.exists()) {
        for path in unknown(dir, files)? {
            stale.push(path.clone());
            if !check {
                fs::remove_file(path)?;
            }
        }
    }
    Ok(stale)
}

/// Files in a directory of generated files that are not among them.
fn unknown(dir: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>> {
    let mut unknown = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_file() && !files.contains_key(&path) {
            unknown.push(path);
        }
    }
    Ok(unknown)
}
