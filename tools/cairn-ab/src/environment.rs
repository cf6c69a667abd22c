//! Where and with what it was measured, kept beside the values.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::noise;

/// The machine, the libraries and what they were set to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// When, in seconds since 1970.
    pub time: f64,
    /// The processor's name.
    pub cpu: String,
    /// How many cores this process may use.
    pub cores: usize,
    /// The kernel and its version.
    pub kernel: String,
    /// Whether the machine is a virtual one, as far as the processor says.
    pub virtual_machine: bool,
    /// Memory, in bytes.
    pub memory: u64,
    /// The load averages at the beginning.
    pub load: [f64; 3],
    /// The commit of the sources that the benchmarks were built from, `+` if they were changed.
    pub commit: Option<String>,
    /// The version of this program.
    pub version: String,
    /// The library of each variant: where it is, and the version of its package.
    pub libraries: BTreeMap<String, String>,
    /// Each variant of Cairn's parameters that are not as built in, and who set them.
    pub parameters: BTreeMap<String, BTreeMap<String, String>>,
}

impl Environment {
    /// Looks around.
    pub fn new(
        libraries: BTreeMap<String, String>,
        sources: Option<&Path>,
        parameters: BTreeMap<String, BTreeMap<String, String>>,
    ) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let uname = rustix::system::uname();
        Self {
            time: now(),
            cpu: value_of(&cpuinfo, "model name").unwrap_or("unknown").to_owned(),
            cores: noise::cores().len(),
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            virtual_machine: value_of(&cpuinfo, "flags")
                .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            memory: memory().unwrap_or_default(),
            load: noise::load(),
            commit: sources.and_then(commit),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            libraries,
            parameters,
        }
    }
}

impl Environment {
    /// The machine and its kernel in words.
    pub fn machine(&self) -> String {
        let kind = if self.virtual_machine { ", a virtual machine" } else { "" };
        format!("{}, {} cores{kind}, {}", self.cpu, self.cores, self.kernel)
    }

    /// The day when it was measured, in UTC, such as 2026-02-28.
    pub fn date(&self) -> String {
        // A time at which no measurement can have been made is shown as the beginning.
        jiff::Timestamp::from_second(self.time as i64)
            .unwrap_or_default()
            .strftime("%Y-%m-%d")
            .to_string()
    }
}

/// Seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}

fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = value_of(&text, "MemTotal")?.split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

/// The commit that a directory is at, if it is part of a repository, with a `+` if files in the directory
/// differ from it. Changes elsewhere, such as a page with results, do not alter what is measured.
fn commit(dir: &Path) -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(dir).args(args).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let mut commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    if !git(&["status", "--porcelain", "--untracked-files=no", "--", "."])?.is_empty() {
        commit.push('+');
    }
    Some(commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_around() {
        let it = Environment::new(BTreeMap::new(), None, BTreeMap::new());
        assert!(it.cores > 0 && it.memory > 0 && it.time > 0.0);
        assert!(it.kernel.starts_with("Linux"), "{}", it.kernel);
        let at = |time| Environment { time, ..Environment::default() }.date();
        assert_eq!(at(951_782_400.0), "2000-02-29");
        assert_eq!(at(f64::INFINITY), "1970-01-01");
        assert_eq!(value_of("a\t: b c\nd: e\n", "d"), Some("e"));
    }
}
