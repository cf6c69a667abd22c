//! The commit that the library says it was built from.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_tests::{Run, dist, root, scratch};

/// The build script of the library, as a program.
fn script(dir: &Path) -> PathBuf {
    let program = dir.join("script");
    let source = root().join("mpi/library/build.rs");
    Run::new("rustc").args(["--edition", "2024", "-o"]).args([&program]).args([source]).ok();
    program
}

/// Sources of a library in a directory.
fn sources(root: &Path) {
    for name in ["framework", "components", "mpi/library"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    fs::copy(self::root().join("mpi/library/commit"), root.join("mpi/library/commit")).unwrap();
    for name in ["Cargo.toml", "Cargo.lock", "README.md", "mpi/x.rs"] {
        fs::write(root.join(name), "").unwrap();
    }
}

fn git(dir: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=b"];
    Run::new("git").args(who).args(args).dir(dir).ok().stdout.trim().to_owned()
}

/// What the script says of sources: the commit, and which files it watches.
fn said(script: &Path, root: &Path) -> (String, Vec<String>) {
    let ended = Run::new(script)
        .env("CARGO_MANIFEST_DIR", root.join("mpi/library"))
        .env("RUSTC", "/nonexistent")
        .dir(root)
        .ok();
    let all = |start: &str| {
        let lines = ended.stdout.lines().filter_map(|line| line.strip_prefix(start));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let [commit] = &all("cargo::rustc-env=CAIRN_COMMIT=")[..] else { panic!("{ended:?}") };
    (commit.clone(), all("cargo::rerun-if-changed="))
}

#[test]
fn a_commit_is_said_where_there_is_one() {
    let dir = scratch();
    let script = script(dir.path());
    let root = dir.path().join("sources");
    sources(&root);
    let commit = || said(&script, &root).0;
    // Without a repository, and in that of something else.
    assert_eq!(commit(), "");
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    assert_eq!(commit(), "");

    git(&root, &["init", "-q"]);
    // One that has no commit yet.
    assert_eq!(commit(), "");
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "x"]);
    let head = git(&root, &["rev-parse", "--short=12", "HEAD"]);
    assert_eq!(commit(), head);
    // What is not the library's does not change it.
    fs::write(root.join("README.md"), "other").unwrap();
    assert_eq!(commit(), head);
    fs::write(root.join("mpi/x.rs"), "other").unwrap();
    assert_eq!(commit(), format!("{head}+"));
    git(&root, &["checkout", "-q", "mpi"]);
    fs::write(root.join("mpi/new.rs"), "").unwrap();
    assert_eq!(commit(), format!("{head}+"));
    fs::remove_file(root.join("mpi/new.rs")).unwrap();

    // All that is watched is there, or it would be built anew each time.
    let (_, watched) = said(&script, &root);
    for name in ["mpi", "Cargo.lock", ".git/HEAD", ".git/logs/HEAD", ".git/refs/heads/b"] {
        assert!(watched.iter().any(|it| it.ends_with(&format!("/{name}"))), "{name}: {watched:?}");
    }
    let sources = watched.iter().filter(|it| !it.ends_with("exports.map"));
    for file in sources {
        assert!(Path::new(file).exists(), "{file}");
    }
    // A worktree has a HEAD of its own.
    let other = dir.path().join("other");
    git(&root, &["worktree", "add", "-q", "--detach", &other.display().to_string()]);
    git(&other, &["commit", "-q", "--allow-empty", "-m", "y"]);
    let there = git(&other, &["rev-parse", "--short=12", "HEAD"]);
    assert_ne!(there, head);
    assert_eq!(said(&script, &other).0, there);
    assert_eq!(commit(), head);
}

#[test]
fn an_archive_says_its_commit() {
    let dir = scratch();
    let script = script(dir.path());
    let (root, archive) = (dir.path().join("sources"), dir.path().join("archive"));
    sources(&root);
    fs::copy(self::root().join(".gitattributes"), root.join(".gitattributes")).unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "x"]);
    let tar = dir.path().join("a.tar");
    git(&root, &["archive", "--prefix", "archive/", "-o", &tar.display().to_string(), "HEAD"]);
    Run::new("tar").args(["-xf"]).args([&tar]).dir(dir.path()).ok();
    // Git has no directories without files.
    fs::create_dir_all(archive.join("components")).unwrap();
    assert_eq!(said(&script, &archive).0, git(&root, &["rev-parse", "--short=12", "HEAD"]));
}

#[test]
fn the_library_says_it() {
    let dir = scratch();
    let program = dir.path().join("launched");
    let source = root().join("tests/mpi/launched.c");
    Run::new(dist().join("bin/mpicc")).args(["-o"]).args([&program]).args([source]).ok();
    let said = Run::new(&program).ok().stdout;
    let version = said.trim().strip_prefix("1 processes on Cairn MPI ").expect(&said);
    // Not that of this moment: the installation may be an older one.
    if root().join(".git").exists() && Run::exists("git").is_some() {
        let commit = version.split_once(" (commit ").and_then(|(_, rest)| rest.strip_suffix(')'));
        let commit = commit.expect(version).trim_end_matches('+');
        assert!(commit.len() == 12 && commit.bytes().all(|it| it.is_ascii_hexdigit()), "{version}");
    }
}
