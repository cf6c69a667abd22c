//! What the command lines have in common.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Options that every benchmark has. A program takes them in with `#[command(flatten)]` and
/// `#[serde(flatten)]`.
#[derive(clap::Args, Serialize, Debug, Clone)]
pub struct Common {
    /// Seconds to measure each point for
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub time: f64,
    /// Iterations to measure each point for, instead of a time
    #[arg(short, long, value_name = "N", conflicts_with = "time", value_parser = at_least_one)]
    pub iterations: Option<u64>,
    /// Iterations before the measurement [default: as many as take a tenth of the time]
    #[arg(long, value_name = "N")]
    pub warmup: Option<u64>,
    /// Parts of the measurement; the result is their median
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    pub batches: u64,
    /// Thread level to ask MPI for [default: single for one thread, else multiple]
    #[arg(long, value_enum)]
    pub level: Option<Level>,
    /// Where the threads run: none (as the launcher bound the process), threads (thread k on the
    /// k-th core of its process), or cores for all threads of all ranks in order, as in 0,2,1,3
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub pin: Pinning,
    /// Print one JSON object instead of a table
    #[arg(long)]
    #[serde(skip)]
    pub json: bool,
}

/// Levels of thread support (MPI 5.0, section 11.6).
#[derive(clap::ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "named as in the standard")]
pub enum Level {
    Single,
    Funneled,
    Serialized,
    Multiple,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if f64::is_finite(seconds) && seconds > 0.0 => Ok(seconds),
        _ => Err("seconds are a number above 0".into()),
    }
}

/// A number of things of which one is needed at least.
///
/// # Errors
/// It is none.
pub fn count(text: &str) -> Result<usize, String> {
    at_least_one(text).map(|number| number as usize)
}

fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number >= 1 => Ok(number),
        _ => Err("a whole number from 1 on is needed".into()),
    }
}

/// A list of sizes or counts: `0,8,64k-1m`. A range goes up in powers of two; k, m and g are
/// binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    values: Vec<usize>,
    text: String,
}

impl List {
    /// The values in the order in which they were given.
    pub fn values(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.values.iter().copied()
    }

    /// The largest of them.
    pub fn largest(&self) -> usize {
        self.values().max().expect("a list has a value")
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.values.len()
    }
}

impl From<usize> for List {
    fn from(value: usize) -> List {
        List { values: vec![value], text: value.to_string() }
    }
}

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<List, String> {
        let mut values = Vec::new();
        for part in text.split(',') {
            let Some((first, last)) = part.split_once('-') else {
                values.push(number(part)?);
                continue;
            };
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("the range {part} goes down"));
            }
            if first == 0 {
                values.push(0);
            }
            let mut value = first.max(1);
            while value <= last {
                values.push(value);
                value = value.checked_mul(2).ok_or_else(|| format!("{part} is too large"))?;
            }
        }
        Ok(List { values, text: text.into() })
    }
}

impl fmt::Display for List {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A single value is a number, so that tools can compute with it.
        match self.values[..] {
            [value] => serializer.serialize_u64(value as u64),
            _ => serializer.serialize_str(&self.text),
        }
    }
}

/// How a value of an option is written on the command line.
pub fn name(value: &impl clap::ValueEnum) -> String {
    let value = value.to_possible_value().expect("no value is hidden");
    value.get_name().to_owned()
}

/// A list of sizes of messages, which a number of elements in MPI must hold.
///
/// # Errors
/// It is no list, or a size is too large.
pub fn sizes(text: &str) -> Result<List, String> {
    let list: List = text.parse()?;
    if i32::try_from(list.largest()).is_err() {
        return Err(format!("a message has at most {} bytes", i32::MAX));
    }
    Ok(list)
}

/// `64k`: a number with an optional binary suffix.
fn number(text: &str) -> Result<usize, String> {
    let wrong = || format!("'{text}' is not a number such as 8, 64k or 1m");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => return Err(wrong()),
    };
    let value: usize = digits.parse().map_err(|_| wrong())?;
    value.checked_mul(1 << shift).ok_or_else(|| format!("{text} is too large"))
}

/// Where the threads run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinning {
    /// Where the launcher and the kernel put them.
    None,
    /// Thread k of a process on the k-th of the cores that the process may use, and so on from the
    /// first when there are more threads.
    Threads,
    /// These cores for the threads of rank 0, of rank 1, and so on.
    Cores(Vec<usize>),
}

impl FromStr for Pinning {
    type Err = String;

    fn from_str(text: &str) -> Result<Pinning, String> {
        match text {
            "none" => Ok(Pinning::None),
            "threads" => Ok(Pinning::Threads),
            _ => text
                .split(',')
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map(Pinning::Cores)
                .map_err(|_| format!("'{text}' is not none, threads or a list of cores")),
        }
    }
}

impl fmt::Display for Pinning {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Pinning::None => out.write_str("none"),
            Pinning::Threads => out.write_str("threads"),
            Pinning::Cores(cores) => {
                let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
                out.write_str(&cores.join(","))
            }
        }
    }
}

impl Serialize for Pinning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn list(text: &str, expected: &[usize]) {
        let list: List = text.parse().unwrap();
        assert_eq!(list.values().collect::<Vec<_>>(), expected);
        assert_eq!(list.to_string(), text);
    }

    #[test]
    fn lists_are_numbers_and_ranges() {
        list("0", &[0]);
        list("0,8,64k-256K", &[0, 8, 65536, 131072, 262144]);
        list("0-4", &[0, 1, 2, 4]);
        list("3-20", &[3, 6, 12]);
        list("1g,1M", &[1 << 30, 1 << 20]);
        list("8-8", &[8]);
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "not a number"),
            ("8,", "not a number"),
            ("-1", "not a number"),
            ("12q", "not a number"),
            ("k", "not a number"),
            ("8-4", "goes down"),
            ("99999999999999999999", "not a number"),
            ("18014398509481984k", "too large"),
        ] {
            let error = text.parse::<List>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_message_fits_into_an_int() {
        assert!(sizes("0,1g").is_ok());
        assert!(sizes("2g").unwrap_err().contains("at most 2147483647"));
    }

    #[test]
    fn pinning_is_a_word_or_cores() {
        assert_eq!("none".parse(), Ok(Pinning::None));
        assert_eq!("threads".parse(), Ok(Pinning::Threads));
        assert_eq!("0,2,1".parse(), Ok(Pinning::Cores(vec![0, 2, 1])));
        assert!("cores".parse::<Pinning>().is_err());
        assert!("1,".parse::<Pinning>().is_err());
    }
}
