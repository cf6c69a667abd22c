//! libFuzzer and AddressSanitizer over everything that is read from outside: the targets of `fuzz/`.
//!
//! The compiler's flags for both are not stable ones, hence `RUSTC_BOOTSTRAP`. What libFuzzer learns is
//! kept in target/fuzz/corpus, so that the next run begins where this one ended; an input that fails is
//! kept in target/fuzz/failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::exec::{self, Workspace, step};
use crate::packages::{self, CC, CXX};

/// Coverage for libFuzzer: which branches were taken, and what was compared with what.
const FLAGS: &str = "-Zsanitizer=address -Cpasses=sancov-module \
                     -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                     -Cllvm-args=-sanitizer-coverage-pc-table \
                     -Cllvm-args=-sanitizer-coverage-trace-compares \
                     -Ccodegen-units=1";

/// What an input may take: seconds, megabytes in all, megabytes at once.
const LIMITS: [&str; 3] = ["-timeout=30", "-rss_limit_mb=4096", "-malloc_limit_mb=512"];

/// Inputs of one process.
const RUNS: u32 = 1_000_000;
/// Fewer for targets that start component systems or make communicators with each, which are never freed.
const FEWER_RUNS: [(&str, u32); 4] =
    [("ob1", 2000), ("osc_rdma", 200_000), ("shared_memory", 2000), ("tcp_connection", 2000)];

/// What to fuzz.
#[derive(Debug, Args)]
pub struct Wish {
    /// A target; all of them unless given
    target: Option<String>,
    /// Run this input once and look for no others
    #[arg(requires = "target")]
    input: Option<PathBuf>,
    /// For each target
    #[arg(long, default_value_t = 10)]
    seconds: u64,
}

/// Builds the targets and runs what is wished.
pub fn run(workspace: &Workspace, wish: &Wish) -> Result<()> {
    let fuzzer = Fuzzer::build(workspace)?;
    match (&wish.target, &wish.input) {
        (Some(target), Some(input)) => {
            exec::check(fuzzer.command(target).arg(std::path::absolute(input)?))
        }
        (Some(target), None) => fuzzer.look(target, wish.seconds),
        (None, _) => fuzzer.look_at_all(wish.seconds),
    }
}

/// What was built.
pub struct Fuzzer<'a> {
    workspace: &'a Workspace,
    program: PathBuf,
    dir: PathBuf,
    /// The names of the targets.
    pub targets: Vec<String>,
}

impl<'a> Fuzzer<'a> {
    /// Builds the targets, and has them write their seeds.
    pub fn build(workspace: &'a Workspace) -> Result<Self> {
        packages::require(&[CC, CXX])?;
        let dir = workspace.target.join("fuzz");
        step("the targets with libFuzzer", || {
            let host = exec::host(workspace)?;
            let mut cargo = workspace.cargo(&["build", "--release", "--quiet"]);
            cargo.args(["--package", "cairn-fuzz", "--features", "engine", "--target", &host]);
            cargo.env("CARGO_TARGET_DIR", &dir).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS);
            // Overflows and broken assumptions are failures, too.
            cargo.env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true");
            cargo.env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true");
            cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
            cargo.env("CARGO_PROFILE_RELEASE_STRIP", "none");
            exec::check(&mut cargo)?;
            let program = dir.join(host).join("release/fuzz");
            let seeds = dir.join("seeds");
            let mut names = workspace.command(&program);
            let names = exec::output(names.env("CAIRN_FUZZ_SEEDS", &seeds))?;
            let targets = names.lines().map(str::to_owned).collect();
            Ok(Self { workspace, program, dir, targets })
        })
    }

    /// Looks for inputs that fail, in all targets.
    pub fn look_at_all(&self, seconds: u64) -> Result<()> {
        let failed = |target: &&String| {
            self.look(target, seconds).inspect_err(|error| eprintln!("   {error:#}"))
        };
        let failures = self.targets.iter().filter(|target| failed(target).is_err()).count();
        if failures > 0 {
            bail!("inputs of {failures} targets fail");
        }
        Ok(())
    }

    /// Looks for an input that fails for so many seconds.
    pub fn look(&self, target: &str, seconds: u64) -> Result<()> {
        step(&format!("fuzzing {target} for {seconds} s"), || {
            let corpus = self.dir.join("corpus").join(target);
            let failed = self.dir.join("failed").join(target);
            fs::create_dir_all(&corpus).context("a directory for inputs")?;
            fs::create_dir_all(&failed).context("a directory for failures")?;
            let start = std::time::Instant::now();
            loop {
                let left = seconds.saturating_sub(start.elapsed().as_secs());
                if left == 0 {
                    return Ok(());
                }
                self.look_once(target, left, &corpus, &failed)?;
            }
        })
    }

    fn look_once(&self, target: &str, seconds: u64, corpus: &Path, failed: &Path) -> Result<()> {
        let log = self.dir.join(format!("{target}.log"));
        let out = fs::File::create(&log).with_context(|| format!("writing {}", log.display()))?;
        let mut command = self.command(target);
        command.arg(corpus).arg(self.dir.join("seeds").join(target));
        command.arg(format!("-max_total_time={seconds}"));
        command.arg(format!("-artifact_prefix={}/", failed.display()));
        let fewer = FEWER_RUNS.iter().find(|(name, _)| *name == target);
        command.arg(format!("-runs={}", fewer.map_or(RUNS, |(_, runs)| *runs)));
        command.arg("-print_final_stats=1");
        command.args(["-max_len=4096", "-len_control=20"]);
        command.stdout(out.try_clone()?).stderr(out);
        let ended = exec::check(&mut command);
        let said = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        if ended.is_ok() {
            let last = |word: &str| said.lines().rfind(|line| line.contains(word)).unwrap_or("");
            println!("   {}", last(" cov: "));
            return Ok(());
        }
        let lines: Vec<&str> = said.lines().collect();
        for line in &lines[lines.len().saturating_sub(60)..] {
            eprintln!("   {line}");
        }
        let input = said.lines().rev().find_map(|line| line.split_once("Test unit written to "));
        match input {
            Some((_, input)) => {
                bail!("{target} fails; once more: cargo xtask fuzz {target} {input}")
            }
            None => bail!("{target} fails; all that was said is in {}", log.display()),
        }
    }

    /// The program with a target.
    fn command(&self, target: &str) -> Command {
        let mut command = self.workspace.command(&self.program);
        // Component systems live as long as the process.
        command.env("ASAN_OPTIONS", "detect_leaks=0").env("CAIRN_FUZZ", target);
        command.args(LIMITS);
        command
    }
}
