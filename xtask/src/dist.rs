//! An installation: laid out in `target/dist`, copied to a prefix by `install`. A second one, in
//! `target/dist-shared`, has nothing linked in: all components are shared libraries.
//!
//! ```text
//!   bin/            mpirun and mpiexec, mpicc and mpicxx, cairn-info, cairn-ab
//!   lib/            libmpi_abi.so.1, the MPI library
//!   lib/cairn/      components that are shared libraries
//!   lib/pkgconfig/  mpi.pc for programs, cairn.pc for authors of components
//!   include/        mpi.h
//!   include/cairn/  headers for authors of components
//!   share/cairn/    mca-params, the Rust crate for authors of components, the benchmarks' sources
//!   share/doc/cairn/  README, docs, examples that can be built where they lie or copied
//!   share/man/      manual pages
//! ```
//!
//! Everything finds everything else relative to itself, so the tree can be moved.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::exec::{self, Workspace};

/// The programs that are installed: package, binary, and its other names. The last two of the compiler
/// wrapper are those that the standard recommends for its ABI.
const PROGRAMS: [(&str, &str, &[&str]); 4] = [
    ("cairn-ab", "cairn-ab", &[]),
    ("cairn-info", "cairn-info", &[]),
    ("cairn-launcher", "mpirun", &["mpiexec"]),
    ("cairn-mpicc", "mpicc", &["mpicxx", "mpic++", "mpiCC", "mpicc_abi", "mpicxx_abi"]),
];

/// What programs ask for at run time, and what they are linked with (MPI 5.0, section 20.2).
pub const LIBRARY: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so"];

/// The package of the MPI library.
pub const LIBRARY_PACKAGE: &str = "cairn-library";

/// Where the components of an installation are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Those that `components/linked` names are linked in.
    Linked,
    /// All are shared libraries.
    Shared,
}

/// Builds everything and lays it out.
pub fn build(workspace: &Workspace, form: Form) -> Result<PathBuf> {
    let mut build = workspace.cargo(&["build", "--release", "--quiet"]);
    build.args(PROGRAMS.iter().flat_map(|(package, ..)| ["--package", package]));
    build.args(["--package", LIBRARY_PACKAGE]);
    let (name, shared) = match form {
        Form::Linked => ("dist", workspace.shared_components()),
        Form::Shared => {
            // The feature `linked` is the only one that these packages have.
            build.arg("--no-default-features");
            ("dist-shared", workspace.components())
        }
    };
    exec::check(&mut build)?;
    for component in &shared {
        // Built alone, without the host, the crate exports the entry symbol.
        let name = component.name.as_str();
        let args = ["rustc", "--release", "--quiet", "--lib", "--crate-type", "cdylib"];
        exec::check(workspace.cargo(&args).args(["--package", name]))?;
    }

    let dist = workspace.target.join(name);
    if dist.exists() {
        fs::remove_dir_all(&dist).with_context(|| format!("clearing {}", dist.display()))?;
    }
    let release = workspace.target.join("release");
    for (_, binary, others) in PROGRAMS {
        copy(&release.join(binary), &dist.join("bin").join(binary))?;
        for other in others {
            link(binary, &dist.join("bin").join(other))?;
        }
    }
    copy(&release.join("libmpi_abi.so"), &dist.join("lib").join(LIBRARY[0]))?;
    link(LIBRARY[0], &dist.join("lib").join(LIBRARY[1]))?;
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
    documentation(root, &dist.join("share/doc/cairn"))?;
    rust_crate(root, &dist.join("share/cairn/rust/cairn-framework"))?;
    let built = |path: &Path| path.ends_with("target");
    copy_tree_but(&root.join("bench"), &dist.join("share/cairn/bench"), &built)?;
    write(&dist.join("lib/pkgconfig/cairn.pc"), &pkg_config(workspace, COMPONENTS_PC))?;
    write(&dist.join("lib/pkgconfig/mpi.pc"), &pkg_config(workspace, PROGRAMS_PC))?;

    let man = dist.join("share/man/man1");
    fs::create_dir_all(&man)?;
    let mut info = workspace.command(dist.join("bin/cairn-info"));
    exec::check(info.args(["generate", "man"]).arg(&man))?;
    let mut mpirun = workspace.command(dist.join("bin/mpirun"));
    exec::check(mpirun.arg("--generate-man").arg(&man))?;
    exec::check(workspace.command(dist.join("bin/cairn-ab")).arg("manual").arg(&man))?;
    Ok(dist)
}

/// Builds and copies to `prefix`.
pub fn install(workspace: &Workspace, prefix: &Path) -> Result<()> {
    let dist = build(workspace, Form::Linked)?;
    let prefix = std::path::absolute(prefix)?;
    ensure!(prefix != dist, "{} is where it is built; choose another place", prefix.display());
    let kept =
        place(&dist, &prefix).with_context(|| format!("installing to {}", prefix.display()))?;
    println!("installed in {}", prefix.display());
    if let Some(new) = kept {
        println!(
            "kept {}, in which somebody has set parameters; the one that ships is beside it: {}",
            prefix.join(DEFAULTS).display(),
            new.display()
        );
    }
    println!("try: {}", prefix.join("bin/cairn-info").display());
    Ok(())
}

/// The parameters that an installation sets for everybody. Ships with every line commented out.
const DEFAULTS: &str = "share/cairn/mca-params/default.toml";

/// Copies what `build` laid out to a prefix. A file of defaults in which an administrator has set
/// something stays as it is; the new one is put beside it, and its path returned.
fn place(dist: &Path, prefix: &Path) -> Result<Option<PathBuf>> {
    let installed = prefix.join(DEFAULTS);
    let kept = match fs::read(&installed) {
        Ok(text) => has_settings(&String::from_utf8_lossy(&text)).then_some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            return Err(error).with_context(|| format!("reading {}", installed.display()));
        }
    };
    let skip = |path: &Path| kept.is_some() && path == dist.join(DEFAULTS);
    copy_tree_but(dist, prefix, &skip)?;
    if kept.is_none() {
        return Ok(None);
    }
    let new = installed.with_extension("toml.new");
    copy(&dist.join(DEFAULTS), &new)?;
    Ok(Some(new))
}

/// Whether a file of parameters has anything but comments.
fn has_settings(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// What there is to read, in the places that the links between the pages expect.
fn documentation(root: &Path, target: &Path) -> Result<()> {
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CONTRIBUTING.md"] {
        copy(&root.join(file), &target.join(file))?;
    }
    copy_tree(&root.join("docs"), &target.join("docs"))?;
    let built = |path: &Path| {
        path.ends_with("target") || path.extension().is_some_and(|extension| extension == "so")
    };
    copy_tree_but(&root.join("examples"), &target.join("examples"), &built)?;
    // In the repository the example in Rust uses the crate in target/dist, here the one beside it.
    let manifest = target.join("examples/strategy-rust/Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    let (ours, theirs) = ("../../target/dist/share/cairn/rust/", "../../../../cairn/rust/");
    ensure!(text.contains(ours), "{} does not use the crate in {ours}", manifest.display());
    let comment = " Here it\n# is the one that `cargo xtask dist` lays out.";
    write(&manifest, &text.replace(comment, "").replace(ours, theirs))
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
         rust-version = \"{}\"\n\
         publish = false\n\
         \n\
         [features]\n\
         # A host of a few dozen lines for unit tests.\n\
         mock = []\n\
         # Belongs to Cairn itself; its sources are not here.\n\
         host = []\n\
         # The same, for its models.\n\
         loom = []\n",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_RUST_VERSION")
    );
    write(&target.join("Cargo.toml"), &manifest)
}

fn pkg_config(workspace: &Workspace, rest: &str) -> String {
    let version = workspace
        .packages()
        .into_iter()
        .find(|package| package.name == "cairn-framework")
        .map_or_else(|| env!("CARGO_PKG_VERSION").into(), |package| package.version.to_string());
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         includedir=${{prefix}}/include\n\
         libdir=${{prefix}}/lib\n\
         {rest}\
         Version: {version}\n"
    )
}

const COMPONENTS_PC: &str = "\
componentdir=${prefix}/lib/cairn
rustdir=${prefix}/share/cairn/rust

Name: cairn
Description: Headers for components of Cairn MPI
Cflags: -I${includedir}
";

const PROGRAMS_PC: &str = "
Name: mpi
Description: Cairn MPI, for programs in C and C++
Cflags: -I${includedir}
Libs: -L${libdir} -Wl,-rpath,${libdir} -Wl,--enable-new-dtags -lmpi_abi
";

fn write(path: &Path, text: &str) -> Result<()> {
    parent(path)?;
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// Copies a file to a place whose directory need not be there.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    parent(to)?;
    // A running program or a mapped library keeps the old file: never write into it.
    if to.exists() {
        fs::remove_file(to).with_context(|| format!("replacing {}", to.display()))?;
    }
    fs::copy(from, to)
        .map(|_| ())
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))
}

/// A symbolic link to a file beside it.
fn link(to: &str, link: &Path) -> Result<()> {
    parent(link)?;
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link).with_context(|| format!("replacing {}", link.display()))?;
    }
    std::os::unix::fs::symlink(to, link).with_context(|| format!("linking {}", link.display()))
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    copy_tree_but(from, to, &|_| false)
}

/// Copies a tree without the files and directories that `skip` says.
fn copy_tree_but(from: &Path, to: &Path, skip: &impl Fn(&Path) -> bool) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("reading {}", from.display()))?;
    for entry in entries {
        let path = entry?.path();
        if skip(&path) {
            continue;
        }
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_symlink() {
            link(&fs::read_link(&path)?.to_string_lossy(), &to)?;
        } else if path.is_dir() {
            copy_tree_but(&path, &to, skip)?;
        } else {
            copy(&path, &to)?;
        }
    }
    Ok(())
}

fn parent(path: &Path) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_administrator_has_set_stays() {
        let place_of = tempfile::tempdir().unwrap();
        let (dist, prefix) = (place_of.path().join("dist"), place_of.path().join("prefix"));
        let defaults = prefix.join(DEFAULTS);
        let new = prefix.join("share/cairn/mca-params/default.toml.new");
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        write(&dist.join(DEFAULTS), "# first\n#cri = \"\"\n").unwrap();
        write(&dist.join("bin/tool"), "first").unwrap();

        // There is none yet, or the one that shipped: it is replaced.
        assert_eq!(place(&dist, &prefix).unwrap(), None);
        write(&dist.join(DEFAULTS), "# second\n#cri = \"\"\n").unwrap();
        assert_eq!(place(&dist, &prefix).unwrap(), None);
        assert_eq!(read(&defaults), "# second\n#cri = \"\"\n");
        assert!(!new.exists());

        // A user set something: it stays, and everything else is installed.
        write(&defaults, "# second\n cri = \"comm\"\n").unwrap();
        for version in ["third", "fourth"] {
            write(&dist.join(DEFAULTS), &format!("# {version}\n")).unwrap();
            write(&dist.join("bin/tool"), version).unwrap();
            assert_eq!(place(&dist, &prefix).unwrap(), Some(new.clone()));
            assert_eq!(read(&defaults), "# second\n cri = \"comm\"\n");
            assert_eq!(read(&new), format!("# {version}\n"));
            assert_eq!(read(&prefix.join("bin/tool")), version);
        }
    }

    #[test]
    fn the_file_that_ships_has_no_settings() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = fs::read_to_string(root.join("mca-params/default.toml")).unwrap();
        assert!(!has_settings(&text));
        assert!(has_settings("# x\n[cri]\n") && has_settings("\tcri = 1"));
    }
}
