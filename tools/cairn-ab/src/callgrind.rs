//! How many instructions a message takes, by callgrind of valgrind, in runs of their own: they are fifty
//! times as slow, so their times mean nothing.
//!
//! Two runs differ in their iterations only. By the messages and the instructions that the second has
//! more, start and end fall out. In these are the instructions of waiting, and a process that polls
//! executes more of them the longer it waits; those of the functions that start a message have none of
//! it, as long as they need not wait themselves.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, End, Interrupt};

/// Valgrind says its version in less.
const LIMIT: Duration = Duration::from_secs(60);

/// The iterations of the first run.
pub const FIRST: u64 = 4;

/// About so many messages more has the second one.
const MORE_MESSAGES: u64 = 20_000;

/// Options of benchmarks by which they know how long to measure. All have a value.
const LENGTHS: [&str; 5] = ["--time", "--iterations", "-i", "--warmup", "--batches"];

/// The functions that start a message.
const SENDS: [&str; 7] =
    ["MPI_Send", "MPI_Isend", "MPI_Ssend", "MPI_Issend", "MPI_Put", "MPI_Get", "MPI_Accumulate"];

/// Whether valgrind is there.
///
/// # Errors
/// In words: it is not.
pub fn available(interrupt: &Interrupt) -> Result<(), String> {
    let mut version = Command::new("valgrind");
    version.arg("--version");
    match process::run(&version, LIMIT, interrupt) {
        Ok(finished) if matches!(finished.end, End::Exited(status) if status.success()) => Ok(()),
        Ok(_) => Err("valgrind does not run".into()),
        Err(error) => Err(format!("valgrind can't be run: {error}")),
    }
}

/// The words that run a program under valgrind, which leaves a file of each process in a directory.
pub fn under(program: &Path, dir: &Path) -> Vec<OsString> {
    let mut file = OsString::from("--callgrind-out-file=");
    file.push(dir.join("%p"));
    let words = ["valgrind", "--tool=callgrind", "--quiet"].map(OsString::from);
    words.into_iter().chain([file, program.into()]).collect()
}

/// Arguments without those that say how long to measure.
pub fn without_length(args: &[String]) -> Vec<String> {
    let mut left = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if LENGTHS.contains(&arg.as_str()) {
            args.next();
        } else if !arg.split_once('=').is_some_and(|(name, _)| LENGTHS.contains(&name)) {
            left.push(arg.clone());
        }
    }
    left
}

/// The arguments that say it: so many iterations, and none before them but the checks.
pub fn length(iterations: u64) -> [String; 6] {
    let number = iterations.to_string();
    ["--iterations", &number, "--warmup", "0", "--batches", "1"].map(str::to_owned)
}

/// The iterations of the second run, by the messages of the first.
pub fn second(messages: u64) -> u64 {
    // Without its checks, an iteration has no fewer.
    let each = (messages / (2 * FIRST)).max(1);
    FIRST + MORE_MESSAGES.div_ceil(each)
}

/// What the processes of a run have executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    /// Messages, as the benchmark says.
    pub messages: u64,
    /// Instructions.
    pub all: u64,
    /// Calls of the functions that start a message.
    pub sends: u64,
    /// The instructions in these, with all that they call.
    pub in_sends: u64,
}

impl Executed {
    /// Of a run of so many processes, from the files that they left.
    ///
    /// # Errors
    /// In words: not all of them left one that can be read.
    pub fn read(dir: &Path, ranks: u32, messages: u64) -> Result<Self, String> {
        let mut sum = Self { messages, ..Self::default() };
        let mut files = 0;
        for entry in fs::read_dir(dir).map_err(|error| error.to_string())?.flatten() {
            let text = fs::read_to_string(entry.path()).map_err(|error| error.to_string())?;
            let one = parse(&text).ok_or("valgrind left a file that can't be understood")?;
            sum.all += one.all;
            sum.sends += one.sends;
            sum.in_sends += one.in_sends;
            files += 1;
        }
        if files != ranks {
            return Err(format!("{files} of {ranks} processes ran under valgrind"));
        }
        Ok(sum)
    }

    /// Instructions for each message, of all that is executed and of the functions that start one, by what
    /// a longer run has more. None where it does not have more.
    pub fn each(&self, longer: &Self) -> [Option<f64>; 2] {
        let quotient = |more: Option<u64>, by: Option<u64>| {
            Some(more.filter(|it| *it > 0)? as f64 / by.filter(|it| *it > 0)? as f64)
        };
        [
            quotient(longer.all.checked_sub(self.all), longer.messages.checked_sub(self.messages)),
            quotient(
                longer.in_sends.checked_sub(self.in_sends),
                longer.sends.checked_sub(self.sends),
            ),
        ]
    }
}

/// Reads a file of callgrind. Functions are named once, `(3) MPI_Send`, and by their number then; a call
/// is `calls=COUNT …` after `cfn=`, and the next line has its position and what it cost in all.
fn parse(text: &str) -> Option<Executed> {
    let mut found = Executed::default();
    let mut total = None;
    // By number.
    let mut sends: HashMap<&str, bool> = HashMap::new();
    let (mut caller, mut callee) = (false, false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("fn=") {
            caller = is_send(name, &mut sends)?;
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = is_send(name, &mut sends)?;
        } else if let Some(calls) = line.strip_prefix("calls=") {
            let cost: u64 = lines.next()?.split(' ').nth(1)?.parse().ok()?;
            // A function that has two names may call itself.
            if callee && !caller {
                found.sends += calls.split(' ').next()?.parse::<u64>().ok()?;
                found.in_sends += cost;
            }
        } else if let Some(number) = line.strip_prefix("totals: ") {
            total = Some(number.split(' ').next()?.parse().ok()?);
        }
    }
    found.all = total?;
    Some(found)
}

/// Whether a function starts a message. None if it was never named.
fn is_send<'a>(function: &'a str, sends: &mut HashMap<&'a str, bool>) -> Option<bool> {
    if let Some((number, name)) = function.split_once(' ') {
        sends.insert(number, SENDS.contains(&name.strip_prefix('P').unwrap_or(name)));
        return sends.get(number).copied();
    }
    sends.get(function).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two calls of one send of 100 instructions each and one of another, of 1000 in all.
    const FILE: &str = "# callgrind format\nversion: 1\nevents: Ir\n\n\
        ob=(1) /bench\nfl=(1) a.rs\nfn=(1) main\n0 70\ncob=(2) /lib\ncfi=(2) ???\n\
        cfn=(2) PMPI_Isend\ncalls=2 0\n0 200\n+3 20\ncfn=(3) MPI_Waitall\ncalls=1 0\n* 600\n\
        \nfn=(4) other\n5 5\ncfn=(2)\ncalls=1 0\n-2 50\ncfn=(5) MPI_Put\ncalls=1 0\n+1 30\n\n\
        fn=(5)\n0 5\ncfn=(2)\ncalls=1 0\n0 25\n\ntotals: 1000\n";

    #[test]
    fn a_file_is_read() {
        let read = parse(FILE).unwrap();
        assert_eq!(read, Executed { messages: 0, all: 1000, sends: 4, in_sends: 280 });
        for (from, to) in [("totals", "total"), ("* 600", "*"), ("fn=(4) other", "fn=(9)")] {
            assert_eq!(parse(&FILE.replace(from, to)), None, "{from}");
        }
        // The total stands last: without it something was cut off.
        let end = FILE.find("totals").unwrap();
        assert!((0..end).all(|end| parse(&FILE[..end]).is_none()));
    }

    #[test]
    fn all_processes_count() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("1"), FILE).unwrap();
        let why = Executed::read(dir.path(), 2, 7).unwrap_err();
        assert_eq!(why, "1 of 2 processes ran under valgrind");
        fs::write(dir.path().join("2"), FILE).unwrap();
        let both = Executed::read(dir.path(), 2, 7).unwrap();
        assert_eq!(both, Executed { messages: 7, all: 2000, sends: 8, in_sends: 560 });
        fs::write(dir.path().join("2"), "").unwrap();
        Executed::read(dir.path(), 2, 7).unwrap_err();
    }

    #[test]
    fn the_start_falls_out() {
        let run = |messages| Executed {
            messages,
            all: 1_000_000 + 500 * messages,
            sends: 3 + messages,
            in_sends: 700 + 120 * messages,
        };
        assert_eq!(run(10).each(&run(30)), [Some(500.0), Some(120.0)]);
        assert_eq!(run(10).each(&run(10)), [None, None]);
        assert_eq!(run(30).each(&run(10)), [None, None]);
    }

    #[test]
    fn the_length_of_a_run_is_its_own() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let args = words("--time 0.1 -s 8 -i 5 --batches=3 --warmup 2 --times x");
        assert_eq!(without_length(&args), words("-s 8 --times x"));
        assert_eq!(length(9).join(" "), "--iterations 9 --warmup 0 --batches 1");
        // Three checks and four iterations of a window of 64: the next has 20000 more.
        assert!((300..700).contains(&second(7 * 64)), "{}", second(7 * 64));
        assert!(second(1) > 20_000 && second(u64::MAX) == FIRST + 1);
    }
}
