//! Files that are made from the code and kept in the repository, so that nobody needs to build
//! anything to read them.
//!
//! | file | made from |
//! |---|---|
//! | `include/cairn/*.h` | the contracts in the framework's sources |
//! | `mca-params/default.toml` | what the components register |

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::exec::{self, Workspace};
use crate::{dist, headers};

/// Writes the files, or says which are stale.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let dist = dist::build(workspace)?;
    let mut files: BTreeMap<PathBuf, String> = headers::generate(workspace)?
        .into_iter()
        .map(|(name, text)| (headers::dir(&workspace.root).join(name), text))
        .collect();
    let mut info = workspace.command(dist.join("bin/cairn-info"));
    info.args(["generate", "defaults"]);
    let defaults = exec::output(&mut info)?;
    files.insert(workspace.root.join("mca-params/default.toml"), defaults);

    let mut stale = Vec::new();
    for (path, text) in &files {
        if fs::read_to_string(path).ok().as_ref() != Some(text) {
            stale.push(path.clone());
            if !check {
                fs::write(path, text)?;
            }
        }
    }
    for path in unknown(&headers::dir(&workspace.root), &files)? {
        stale.push(path.clone());
        if !check {
            fs::remove_file(path)?;
        }
    }
    let shown: Vec<String> = stale
        .iter()
        .map(|path| path.strip_prefix(&workspace.root).unwrap_or(path).display().to_string())
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

/// Files in a directory of generated files that are not among them.
fn unknown(dir: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>> {
    let mut unknown = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if !files.contains_key(&path) {
            unknown.push(path);
        }
    }
    Ok(unknown)
}
