//! An installation: laid out in `target/dist`, copied to a prefix by `install`.
//!
//! ```text
//!   bin/            cairn-info
//!   lib/cairn/      components that are shared libraries
//!   lib/pkgconfig/  cairn.pc
//!   include/cairn/  headers for authors of components
//!   share/cairn/    mca-params, the Rust crate for authors of components
//!   share/man/      manual pages
//! ```
//!
//! Everything finds everything else relative to itself, so the tree can be moved.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::exec::{self, Workspace};

/// The tools that are installed.
const TOOLS: [&str; 1] = ["cairn-info"];

/// Builds everything and lays it out.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut build = workspace.cargo(&["build", "--release", "--quiet"]);
    build.args(TOOLS.iter().flat_map(|tool| ["--package", tool]));
    exec::check(&mut build)?;
    let shared = workspace.shared_components();
    for component in &shared {
        // Built alone, without the host, the crate exports the entry symbol.
        let name = component.name.as_str();
        let args = ["rustc", "--release", "--quiet", "--lib", "--crate-type", "cdylib"];
        exec::check(workspace.cargo(&args).args(["--package", name]))?;
    }

    let dist = workspace.target.join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).with_context(|| format!("clearing {}", dist.display()))?;
    }
    let release = workspace.target.join("release");
    for tool in TOOLS {
        copy(&release.join(tool), &dist.join("bin").join(tool))?;
    }
    for component in &shared {
        let name = component.name.as_str();
        copy(
            &release.join(format!("lib{name}.so")),
            &dist.join("lib/cairn").join(format!("{name}.so")),
        )?;
    }
    let root = &workspace.root;
    copy_tree(&root.join("include"), &dist.join("include"))?;
    copy_tree(&root.join("mca-params"), &dist.join("share/cairn/mca-params"))?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        copy(&root.join(file), &dist.join("share/doc/cairn").join(file))?;
    }
    rust_crate(root, &dist.join("share/cairn/rust/cairn-framework"))?;
    write(&dist.join("lib/pkgconfig/cairn.pc"), &pkg_config(workspace))?;

    let man = dist.join("share/man/man1");
    fs::create_dir_all(&man)?;
    let mut info = workspace.command(dist.join("bin/cairn-info"));
    exec::check(info.args(["generate", "man"]).arg(&man))?;
    Ok(dist)
}

/// Builds and copies to `prefix`.
pub fn install(workspace: &Workspace, prefix: &Path) -> Result<()> {
    let dist = build(workspace)?;
    let prefix = std::path::absolute(prefix)?;
    ensure!(prefix != dist, "{} is where it is built; choose another place", prefix.display());
    copy_tree(&dist, &prefix).with_context(|| format!("installing to {}", prefix.display()))?;
    println!("installed in {}", prefix.display());
    println!("try: {}", prefix.join("bin/cairn-info").display());
    Ok(())
}

/// The framework's crate as authors of components get it: without the host and its dependencies.
fn rust_crate(root: &Path, target: &Path) -> Result<()> {
    let source = root.join("framework/src");
    for entry in fs::read_dir(&source)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_owned();
        if name == "host" {
            continue;
        }
        let to = target.join("src").join(&name);
        if path.is_dir() { copy_tree(&path, &to)? } else { copy(&path, &to)? }
    }
    let manifest = format!(
        "# The contracts of Cairn MPI's frameworks, for authors of components in Rust.\n\
         [package]\n\
         name = \"cairn-framework\"\n\
         version = \"{}\"\n\
         edition = \"2024\"\n\
         license = \"MIT OR Apache-2.0\"\n\
         publish = false\n\
         \n\
         [features]\n\
         # A host of a few dozen lines for unit tests.\n\
         mock = []\n\
         # Belongs to Cairn itself; its sources are not here.\n\
         host = []\n\
         \n\
         [lints.rust]\n\
         unexpected_cfgs = {{ level = \"warn\", check-cfg = [\"cfg(loom)\"] }}\n",
        env!("CARGO_PKG_VERSION")
    );
    write(&target.join("Cargo.toml"), &manifest)
}

fn pkg_config(workspace: &Workspace) -> String {
    let version = workspace
        .packages()
        .into_iter()
        .find(|package| package.name == "cairn-framework")
        .map_or_else(|| env!("CARGO_PKG_VERSION").into(), |package| package.version.to_string());
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         includedir=${{prefix}}/include\n\
         componentdir=${{prefix}}/lib/cairn\n\
         rustdir=${{prefix}}/share/cairn/rust\n\
         \n\
         Name: cairn\n\
         Description: Headers for components of Cairn MPI\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n"
    )
}

fn write(path: &Path, text: &str) -> Result<()> {
    parent(path)?;
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    parent(to)?;
    // A running program or a mapped library keeps the old file: never write into it.
    if to.exists() {
        fs::remove_file(to).with_context(|| format!("replacing {}", to.display()))?;
    }
    fs::copy(from, to)
        .map(|_| ())
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("reading {}", from.display()))?;
    for entry in entries {
        let path = entry?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_tree(&path, &to)? } else { copy(&path, &to)? }
    }
    Ok(())
}

fn parent(path: &Path) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))
}
