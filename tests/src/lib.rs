//! What the tests of the whole share: an installation, commands with a deadline, plugins made on
//! the fly.

pub mod debian;
pub mod fetched;
pub mod foreign;
pub mod functions;
pub mod hosts;
pub mod mpi4py;
pub mod pool;
pub mod programs;
pub mod strategies;
pub mod suites;
pub mod windows;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

pub use cairn_skips::skipped;

/// A script of the shell around a rank: runs the program, and stays where that was killed, so that the launcher does
/// not end the job.
pub const SURVIVOR: &str =
    "\"$@\"; status=$?; [ $status -lt 128 ] && exit $status; exec sleep 1000";

/// No command of these tests takes longer, however busy the machine, unless it says so.
const DEADLINE: Duration = Duration::from_secs(120);

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in it").to_owned()
}

/// The installation: where `CAIRN_DIST` says, or made by `cargo xtask dist`.
pub fn dist() -> &'static Path {
    static DIST: OnceLock<PathBuf> = OnceLock::new();
    DIST.get_or_init(|| installation("CAIRN_DIST", &["xtask", "dist"]))
}

/// The one whose components are all shared libraries: where `CAIRN_DIST_SHARED` says, or made by
/// `cargo xtask dist --shared`.
pub fn dist_shared() -> &'static Path {
    static DIST: OnceLock<PathBuf> = OnceLock::new();
    DIST.get_or_init(|| installation("CAIRN_DIST_SHARED", &["xtask", "dist", "--shared"]))
}

fn installation(variable: &str, command: &[&str]) -> PathBuf {
    if let Some(dist) = std::env::var_os(variable) {
        return dist.into();
    }
    let out = Run::new("cargo").args(command).dir(root()).ok();
    PathBuf::from(out.stdout.trim())
}

/// A command with a deadline, in an environment of its own.
pub struct Run {
    command: Command,
    shown: String,
    deadline: Duration,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    shown: String,
}

impl Run {
    /// A command without Cairn's variables of the environment, without a home directory.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&program);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("CAIRN_") || name.starts_with("OMPI_") || name.starts_with("PMI") {
                command.env_remove(name);
            }
        }
        let shown = program.as_ref().to_string_lossy().into_owned();
        Self { command, shown, deadline: DEADLINE }
    }

    /// `cairn-info` of the installation, with a home directory of its own.
    pub fn info(home: &Path) -> Self {
        Self::new(dist().join("bin/cairn-info")).env("HOME", home)
    }

    /// `mpirun` of the installation, without a home directory, as on a machine with a network of Cray's (the emulator).
    pub fn mpirun() -> Self {
        let mut run = Self::new(dist().join("bin/mpirun")).env("HOME", "/nonexistent");
        if let Some(emulator) = foreign::emulator() {
            run.command.env("LD_LIBRARY_PATH", emulator);
            run.command.envs(ugni_emulator::ENVIRONMENT);
        }
        run
    }

    /// Gives it a file's content as standard input.
    pub fn input(mut self, file: &Path) -> Self {
        self.command.stdin(std::fs::File::open(file).expect("a file to read"));
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        for arg in args {
            self.shown += &format!(" {}", arg.as_ref().to_string_lossy());
            self.command.arg(arg);
        }
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{name}={} {}", value.as_ref().to_string_lossy(), self.shown);
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Where a program of the system is, if it is installed.
    pub fn exists(program: &str) -> Option<PathBuf> {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&paths).map(|dir| dir.join(program)).find(|path| path.is_file())
    }

    /// Runs it in a directory.
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Gives it another deadline, for what builds a lot.
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it can't be started or does not end in time; then it and its children are killed.
    pub fn end(mut self) -> Ended {
        self.command.process_group(0);
        let mut child = self.command.spawn().unwrap_or_else(|e| panic!("{}: {e}", self.shown));
        let reader = |mut from: Box<dyn Read + Send>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = from.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        };
        let stdout = reader(Box::new(child.stdout.take().expect("piped")));
        let stderr = reader(Box::new(child.stderr.take().expect("piped")));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("our own child") {
                break status;
            }
            if start.elapsed() > self.deadline {
                let group = format!("-{}", child.id());
                let _ = Command::new("kill").args(["-9", "--", &group]).status();
                let _ = child.wait();
                panic!("{} did not end in {:?}", self.shown, self.deadline);
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let join = |thread: std::thread::JoinHandle<String>| thread.join().expect("no panic");
        Ended { status, stdout: join(stdout), stderr: join(stderr), shown: self.shown }
    }

    /// Runs it to its end, which must be a success.
    pub fn ok(self) -> Ended {
        let ended = self.end();
        assert!(ended.status.success(), "{ended}");
        ended
    }

    /// Runs it to its end, which must be a success that it has nothing to say about.
    pub fn says_nothing(self) {
        let ended = self.ok();
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended}");
    }

    /// Runs it to its end, which must have this exit status.
    pub fn exits(self, code: i32) -> Ended {
        let ended = self.end();
        assert_eq!(ended.status.code(), Some(code), "{ended}");
        ended
    }

    /// Runs it to its end, which must be exit status 1: it says that something is wrong.
    pub fn fails(self) -> Ended {
        self.exits(1)
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let signal = self.status.signal();
        write!(
            f,
            "{}\n{} (signal {signal:?})\n--- stdout\n{}\n--- stderr\n{}",
            self.shown, self.status, self.stdout, self.stderr
        )
    }
}

impl Ended {
    /// It ended well and had nothing to say.
    pub fn is_well(&self) -> bool {
        self.status.success() && self.stdout.is_empty() && self.stderr.is_empty()
    }

    /// Standard output must contain all of these.
    pub fn says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.stdout.contains(part), "no \"{part}\" in what it says\n{self}");
        }
        self
    }

    /// Standard error must contain all of these.
    pub fn complains(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no \"{part}\" in its complaints\n{self}");
        }
        self
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

/// A directory that is gone at the end of the test.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory for temporary files")
}

/// Writes a script that can be started at once.
///
/// A child writes it. Of a file that this process has open for writing, a child that another test has just started
/// has a descriptor too for a moment, and who would execute the file then is told that it is busy.
pub fn executable(path: &Path, text: &str) {
    let script = "cat > \"$1\" && chmod 755 \"$1\"";
    let child =
        Command::new("sh").args(["-c", script, "sh"]).arg(path).stdin(Stdio::piped()).spawn();
    let mut child = child.expect("there is a shell");
    let written = child.stdin.take().expect("asked for").write_all(text.as_bytes());
    let ended = child.wait().expect("our own child");
    assert!(ended.success() && written.is_ok(), "{}: {ended}, {written:?}", path.display());
}

/// Compiles a C file into a library at `target`.
pub fn compile_c(source: &Path, target: &Path, include: &Path, flags: &[&str]) {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    Run::new(compiler)
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"])
        .args([include])
        .args(flags)
        .args([OsStr::new("-o"), target.as_os_str(), source.as_os_str()])
        .ok();
}

/// A plugin made of `tests/plugins/c/odd.c`, which is as odd as the macros say, at `target`.
pub fn odd_plugin(target: &Path, macros: &[&str]) {
    let source = root().join("tests/plugins/c/odd.c");
    // What a macro takes away leaves something unused behind.
    let flags = [&["-Wno-unused", "-Wno-unused-parameter"], macros].concat();
    compile_c(&source, target, &dist().join("include"), &flags);
}

/// A crate of `tests/plugins` as a shared library. Built once for each name.
pub fn rust_plugin(name: &str) -> PathBuf {
    static BUILT: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().expect("no test fails building");
    built
        .entry(name.to_owned())
        .or_insert_with(|| {
            // Not the directory of the tests themselves, whose lock may be held.
            let target = dist().parent().expect("target").join("plugins");
            Run::new("cargo")
                .args(["rustc", "--quiet", "--lib", "--crate-type", "cdylib", "--package", name])
                .env("CARGO_TARGET_DIR", &target)
                .dir(root())
                .ok();
            target.join(format!("debug/lib{name}.so"))
        })
        .clone()
}
