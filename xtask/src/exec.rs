//! The workspace, and running commands in it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

/// What there is to build.
pub struct Workspace {
    /// The repository.
    pub root: PathBuf,
    /// Where cargo builds.
    pub target: PathBuf,
    metadata: Metadata,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .exec()
            .context("cargo can't read the workspace")?;
        Ok(Self {
            root: metadata.workspace_root.clone().into(),
            target: metadata.target_directory.clone().into(),
            metadata,
        })
    }

    /// The packages of the workspace.
    pub fn packages(&self) -> Vec<&Package> {
        self.metadata.workspace_packages()
    }

    /// The packages in `components/`, but for the list of those that are linked in.
    pub fn components(&self) -> Vec<&Package> {
        let dir = self.root.join("components");
        let mut all: Vec<&Package> = self
            .packages()
            .into_iter()
            .filter(|package| package.manifest_path.starts_with(&dir) && package.name != "linked")
            .collect();
        all.sort_by_key(|package| package.name.clone());
        all
    }

    /// The components that are built as shared libraries.
    pub fn shared_components(&self) -> Vec<&Package> {
        let linked = self.packages().into_iter().find(|package| package.name == "linked");
        let linked = linked.map_or(&[][..], |package| &package.dependencies);
        self.components()
            .into_iter()
            .filter(|package| !linked.iter().any(|linked| linked.name == package.name.as_str()))
            .collect()
    }

    /// A command that runs in the repository.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// The cargo that runs this program.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(args);
        command
    }
}

/// Runs a command to its end; anything but success is an error that shows the command.
pub fn check(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("can't run {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs tests to their end. Their output is shown as it comes; the error repeats what those that failed said, which
/// the output of others stands behind.
pub fn check_tests(command: &mut Command) -> Result<()> {
    let started = command.stdout(Stdio::piped()).spawn();
    let mut child = started.with_context(|| format!("can't run {}", shown(command)))?;
    let (output, (sender, lines)) = (child.stdout.take().context("no output")?, mpsc::channel());
    // A thread of its own, which may outlive this: a process that a test has left behind keeps the pipe open.
    thread::spawn(move || {
        let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
        lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
    });
    let mut failures = Failures::default();
    loop {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => {
                let line = String::from_utf8_lossy(&line).into_owned();
                println!("{line}");
                failures.hear(line);
            }
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {}
            Err(_) => break,
        }
    }
    let status = child.wait()?;
    if !status.success() {
        let said: Vec<String> = failures.said.into();
        bail!("{} failed: {status}\n{}", shown(command), said.join("\n"));
    }
    Ok(())
}

/// What failed tests said: the parts of the output between "failures:" and the result of each program.
#[derive(Default)]
struct Failures {
    said: VecDeque<String>,
    inside: bool,
}

impl Failures {
    /// So many lines at most, the last ones.
    const MOST: usize = 200;

    fn hear(&mut self, line: String) {
        self.inside |= line == "failures:";
        if self.inside {
            self.inside = !line.starts_with("test result:");
            self.said.push_back(line);
            self.said.drain(..self.said.len().saturating_sub(Self::MOST));
        }
    }
}

/// Runs a command to its end and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("can't run {}", shown(command)))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed: {}\n{error}", shown(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} wrote no UTF-8", shown(command)))
}

/// What rustc builds for unless it is told otherwise.
pub fn host(workspace: &Workspace) -> Result<String> {
    let version = output(workspace.command("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs a step of a longer task with a heading and its time.
pub fn step<R>(heading: &str, body: impl FnOnce() -> Result<R>) -> Result<R> {
    println!("── {heading}");
    let start = Instant::now();
    let result = body().with_context(|| heading.to_owned())?;
    println!("   {:.1} s", start.elapsed().as_secs_f64());
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_repeats_what_failed_tests_said() {
        let output = "running 2 tests\n..\ntest result: ok.\nrunning 1 test\nfailures:\n\n\
                      ---- the_test stdout ----\nwhy\n\nfailures:\n    the_test\n\n\
                      test result: FAILED.\nrunning 3 tests\ntest result: ok.\n";
        let error =
            check_tests(Command::new("sh").args(["-c", &format!("printf '{output}'; exit 3")]));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("exit status: 3\nfailures:"), "{error}");
        assert!(error.ends_with("the_test\n\ntest result: FAILED."), "{error}");
        check_tests(&mut Command::new("true")).unwrap();
    }

    #[test]
    fn a_process_that_is_left_behind_is_not_waited_for() {
        // It ends when this file is removed, or removes it when it ends by itself.
        let file = std::env::temp_dir().join(format!("cairn-xtask-{}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let waits = "i=0; while [ -e \"$0\" ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done";
        let left = format!("({waits}; rm -f \"$0\") & echo test result: ok.");
        check_tests(Command::new("sh").args(["-c", &left]).arg(&file)).unwrap();
        assert!(file.exists());
        std::fs::remove_file(&file).unwrap();
    }
}
