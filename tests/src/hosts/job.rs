//! A job that runs while the test does something to it.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Ended, Run, scratch};

/// A command that runs. Killed with its children when it is dropped. It writes to files: whoever outlives it keeps no
/// pipe open that a test would wait for.
pub struct Job {
    child: Child,
    shown: String,
    deadline: Duration,
    output: TempDir,
    ended: bool,
}

impl Job {
    /// Starts a command.
    pub fn start(run: Run) -> Self {
        let Run { mut command, shown, deadline } = run;
        let output = scratch();
        let file = |name| File::create(output.path().join(name)).expect("a file of ours");
        command.stdout(file("stdout")).stderr(file("stderr")).process_group(0);
        let child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        Self { child, shown, deadline, output, ended: false }
    }

    fn said(&self, name: &str) -> String {
        let bytes = fs::read(self.output.path().join(name)).expect("a file of ours");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What it has written to standard output and error.
    pub fn all_said(&self) -> String {
        self.said("stdout") + &self.said("stderr")
    }

    /// How it ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().expect("our own child");
        self.ended = status.is_some();
        status
    }

    /// Waits for something, while it runs.
    ///
    /// # Panics
    /// It has ended, or its deadline has passed.
    pub fn until(&mut self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            if let Some(status) = self.status() {
                panic!("{} ended before {what}: {status}\n{}", self.shown, self.all_said());
            }
            let late = start.elapsed() > self.deadline;
            assert!(!late, "{}: no {what} in {:?}\n{}", self.shown, self.deadline, self.all_said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Its deadline has passed; it is killed.
    pub fn end(mut self) -> Result<Ended, String> {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.status() {
                break status;
            }
            if start.elapsed() > self.deadline {
                let (shown, deadline, said) = (&self.shown, self.deadline, self.all_said());
                return Err(format!("{shown} did not end in {deadline:?}\n{said}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let (stdout, stderr) = (self.said("stdout"), self.said("stderr"));
        Ok(Ended { status, stdout, stderr, shown: std::mem::take(&mut self.shown) })
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Its deadline has passed.
    pub fn ends(self) -> Ended {
        self.end().unwrap_or_else(|late| panic!("{late}"))
    }

    /// Waits for its end, which must be a success that it has nothing to say about.
    pub fn says_nothing(self) {
        let ended = self.ends();
        assert!(ended.is_well(), "{ended}");
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.ended {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-9", "--", &group]).status();
            let _ = self.child.wait();
        }
    }
}
