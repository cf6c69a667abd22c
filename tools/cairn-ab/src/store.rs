//! What was measured, in a file that only grows: one JSON object a line, each on the disk before the
//! next run begins.
//!
//! A line that was not finished, because the machine or the program stopped, is left out and said.
//! Anything else that is no record is an error.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::Problem;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::contract::{At, Point};
use crate::counts::Counts;
use crate::environment::Environment;
use crate::experiment::Experiment;

/// The version of the format.
const FORMAT: u32 = 1;

/// The file in the directory of a store.
pub const SAMPLES: &str = "samples.jsonl";

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// The first line: what is measured.
    Store {
        /// The version of the format.
        format: u32,
        /// With everything filled in.
        experiment: Box<Experiment>,
    },
    /// Measuring begins, or goes on.
    Environment(Box<Environment>),
    /// A variant can't be measured here.
    Skipped {
        /// Its name.
        variant: String,
        /// Why.
        reason: String,
    },
    /// A program ran.
    Run(Box<Run>),
    /// A program ran under valgrind; its times mean nothing.
    Instructions(Box<Run>),
    /// All runs of a block are there.
    Block(Block),
}

/// A run of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The block, from 0; the first ones are for warming up.
    pub block: u32,
    /// Which attempt at the block, from 0.
    pub attempt: u32,
    /// The name of the variant.
    pub variant: String,
    /// The name of the benchmark.
    pub benchmark: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Processes.
    pub ranks: u32,
    /// What was swept.
    pub at: At,
    /// The whole command line.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub started: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The load averages of 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// The share of the machine's processors that others used.
    pub others: f64,
    /// Nanoseconds of the same piece of work before and after it.
    pub work_ns: [u64; 2],
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// Values.
    Measured {
        /// The library, in its own words.
        mpi: String,
        /// The file that it was loaded from, if the benchmark says it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        library: Option<PathBuf>,
        /// All parameters of the benchmark.
        parameters: serde_json::Value,
        /// The values.
        points: Vec<Point>,
        /// What was counted, if the experiment counts; values of it are among the points.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        counts: Option<Box<Counts>>,
    },
    /// The library lacks what is measured.
    Skipped {
        /// Why.
        reason: String,
    },
    /// It did not work.
    Failed {
        /// Why.
        reason: String,
        /// The end of what it wrote to standard error.
        output: String,
    },
}

/// How quiet the machine was in a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The block.
    pub block: u32,
    /// The attempt that counts.
    pub attempt: u32,
    /// How many there were.
    pub attempts: u32,
    /// By how much the machine's speed varied, as a share.
    pub spread: f64,
    /// The largest share that others had during a run.
    pub others: f64,
    /// Whether it was more than the experiment allows, also at the last attempt.
    pub disturbed: bool,
}

/// A store that is read.
#[derive(Debug)]
pub struct Contents {
    /// Its lines but the first.
    pub records: Vec<Record>,
    /// What the first one says.
    pub experiment: Experiment,
    /// The last line was not finished.
    pub torn: Option<Problem>,
    /// How many bytes the finished lines have.
    length: u64,
}

/// A store that grows.
#[derive(Debug)]
pub struct Store {
    file: File,
    path: PathBuf,
}

/// Reads a store.
///
/// # Errors
/// There is none, or a line is no record: names file and line.
pub fn read(dir: &Path) -> Result<Contents, Problem> {
    let path = dir.join(SAMPLES);
    parse(&fs::read(&path).map_err(unreadable(&path))?, &path)
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> Problem {
    move |error| match error.kind() {
        ErrorKind::NotFound => Problem::new("there are no measurements")
            .at(path.display())
            .fix("cairn-ab run EXPERIMENT.toml makes them"),
        _ => Problem::new(format!("can't read the store: {error}")).at(path.display()),
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<Contents, Problem> {
    let corrupt = |line: usize, why: &str| {
        Problem::new(format!("the store is corrupt: {why}"))
            .at(format!("{}:{line}", path.display()))
            .fix("take the line out if you know why it is so, or measure anew with --overwrite")
    };
    let mut records = Vec::new();
    let mut experiment = None;
    let mut torn = None;
    let mut length = 0;
    for (i, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let number = i + 1;
        let Some(text) = line.strip_suffix(b"\n") else {
            torn = Some(
                Problem::new("the last line is not finished and is left out")
                    .at(format!("{}:{number}", path.display()))
                    .warning(),
            );
            break;
        };
        let record = serde_json::from_slice::<Record>(text)
            .map_err(|error| corrupt(number, &error.to_string()))?;
        match (record, number) {
            (Record::Store { format, .. }, 1) if format != FORMAT => {
                return Err(corrupt(1, &format!("its format is {format}; known is {FORMAT}")));
            }
            (Record::Store { experiment: it, .. }, 1) => experiment = Some(*it),
            (Record::Store { .. }, _) => return Err(corrupt(number, "a store begins in it")),
            (_, 1) => return Err(corrupt(1, "it does not begin with an experiment")),
            (record, _) => records.push(record),
        }
        length += line.len() as u64;
    }
    let experiment = experiment.ok_or_else(|| corrupt(1, "it is empty"))?;
    Ok(Contents { records, experiment, torn, length })
}

impl Contents {
    /// The runs that are timed.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.records.iter().filter_map(|record| match record {
            Record::Run(run) => Some(&**run),
            _ => None,
        })
    }

    /// The library that each variant ran on, in its own words.
    ///
    /// # Errors
    /// Runs of a variant say different things: its values are not of one library.
    pub fn versions(&self) -> Result<BTreeMap<String, String>, Problem> {
        let mut versions = BTreeMap::new();
        for record in &self.records {
            if let Record::Run(run) | Record::Instructions(run) = record {
                same_version(&mut versions, run)?;
            }
        }
        Ok(versions)
    }
}

/// Takes the version that a run says into those of the variants.
///
/// # Errors
/// An earlier run of the variant said something else.
pub fn same_version(versions: &mut BTreeMap<String, String>, run: &Run) -> Result<(), Problem> {
    let Outcome::Measured { mpi, .. } = &run.outcome else { return Ok(()) };
    let before = versions.entry(run.variant.clone()).or_insert_with(|| mpi.clone());
    if before == mpi {
        return Ok(());
    }
    let what = format!("the library of a variant has changed: it was {before}, and is {mpi}");
    Err(Problem::new(what)
        .at(format!("variant {}", run.variant))
        .fix("measure anew with --overwrite, or name the former installation by prefix"))
}

#[cfg(test)]
impl Contents {
    /// What a test says.
    pub fn of(experiment: Experiment, records: Vec<Record>) -> Self {
        Self { records, experiment, torn: None, length: 0 }
    }
}

impl Store {
    /// Whether a store may begin.
    ///
    /// # Errors
    /// There is one already.
    pub fn refuse(dir: &Path) -> Result<(), Problem> {
        let path = dir.join(SAMPLES);
        if path.metadata().is_ok_and(|metadata| metadata.len() > 0) {
            return Err(Problem::new("there are measurements already")
                .at(path.display())
                .fix("go on with --resume, begin anew with --overwrite, or choose --store DIR"));
        }
        Ok(())
    }

    /// Begins a store, instead of one that is there.
    ///
    /// # Errors
    /// Another process writes to it, or the directory can't be written.
    pub fn create(dir: &Path, experiment: &Experiment) -> Result<Self, Problem> {
        let path = dir.join(SAMPLES);
        fs::create_dir_all(dir).map_err(failed(&path))?;
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let mut store = Self::locked(file.map_err(failed(&path))?, &path)?;
        store.file.set_len(0).map_err(failed(&path))?;
        let experiment = Box::new(experiment.clone());
        store.append(&Record::Store { format: FORMAT, experiment })?;
        Ok(store)
    }

    /// Goes on with a store: reads it, and cuts off what was not finished.
    ///
    /// # Errors
    /// There is none, another process writes to it, or it can't be read or written.
    pub fn resume(dir: &Path) -> Result<(Self, Contents), Problem> {
        let path = dir.join(SAMPLES);
        let file = OpenOptions::new().append(true).open(&path).map_err(unreadable(&path))?;
        // Read behind the lock, so that no process adds to it in between.
        let store = Self::locked(file, &path)?;
        let contents = read(dir)?;
        store.file.set_len(contents.length).map_err(failed(&path))?;
        Ok((store, contents))
    }

    fn locked(file: File, path: &Path) -> Result<Self, Problem> {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { file, path: path.to_owned() }),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                Err(Problem::new("somebody else is measuring into this store")
                    .at(path.display())
                    .fix("wait for it, or choose another with --store DIR"))
            }
            Err(error) => Err(failed(path)(error.into())),
        }
    }

    /// Adds a line; it is on the disk when this returns.
    ///
    /// # Errors
    /// It can't be written.
    pub fn append(&mut self, record: &Record) -> Result<(), Problem> {
        let mut line = serde_json::to_string(record).expect("records are JSON");
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        written.and_then(|()| self.file.sync_data()).map_err(failed(&self.path))
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> Problem {
    move |error| Problem::new(format!("can't write the store: {error}")).at(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Better, Scalar};
    use proptest::prelude::*;

    fn experiment() -> Experiment {
        let json = r#"{"title":"t","variant":[{"name":"a"}],"benchmark":[{"binary":"b"}]}"#;
        serde_json::from_str(json).unwrap()
    }

    fn run(block: u32, value: f64, word: &str) -> Record {
        let at = At::from([("mode".into(), Scalar::Word(word.into()))]);
        Record::Run(Box::new(Run {
            block,
            attempt: 0,
            variant: word.into(),
            benchmark: "b".into(),
            args: vec![word.into()],
            ranks: 2,
            at: at.clone(),
            command: String::new(),
            started: 1.5,
            seconds: 0.5,
            load: [0.0, 1.0, 2.0],
            others: 0.25,
            work_ns: [1, 2],
            outcome: Outcome::Measured {
                mpi: word.into(),
                library: None,
                parameters: serde_json::json!({ "x": [1] }),
                points: vec![Point {
                    at,
                    metric: "rate".into(),
                    unit: "1".into(),
                    better: Better::Higher,
                    value,
                }],
                counts: None,
            },
        }))
    }

    #[test]
    fn a_store_is_not_overwritten_by_mistake() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path(), &experiment()).unwrap();
        let second = Store::create(dir.path(), &experiment()).unwrap_err();
        assert!(second.what.contains("somebody else"), "{second}");
        drop(store);
        let again = Store::refuse(dir.path()).unwrap_err();
        assert!(again.to_string().contains("--resume"), "{again}");
        Store::create(dir.path(), &experiment()).unwrap();
    }

    #[test]
    fn corrupt_stores_name_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(SAMPLES);
        let wrong = |text: &str, line: &str, why: &str| {
            fs::write(&path, text).unwrap();
            for problem in [read(dir.path()).unwrap_err(), Store::resume(dir.path()).unwrap_err()] {
                assert!(problem.place.as_deref().unwrap().ends_with(line), "{problem}");
                assert!(problem.what.contains(why), "{problem}");
            }
        };
        let first = serde_json::to_string(&Record::Store {
            format: FORMAT,
            experiment: Box::new(experiment()),
        });
        let first = first.unwrap();
        wrong("", ":1", "empty");
        wrong("{\"kind\":\"skipped\",\"variant\":\"a\",\"reason\":\"\"}\n", ":1", "experiment");
        wrong(&first.replace("\"format\":1", "\"format\":9"), ":1", "empty");
        wrong(&(first.replace("\"format\":1", "\"format\":9") + "\n"), ":1", "format is 9");
        wrong(&format!("{first}\n{{\"kind\":\"odd\"}}\n"), ":2", "odd");
        wrong(&format!("{first}\n\n"), ":2", "EOF");
        wrong(&format!("{first}\n{first}\n"), ":2", "begins");
        fs::remove_file(&path).unwrap();
        assert!(read(dir.path()).unwrap_err().what.contains("no measurements"));
    }

    #[test]
    fn a_variant_has_one_version() {
        let mut contents = Contents::of(experiment(), vec![run(0, 1.0, "a"), run(1, 1.0, "b")]);
        let versions = contents.versions().unwrap();
        assert_eq!(versions, [("a", "a"), ("b", "b")].map(|(k, v)| (k.into(), v.into())).into());
        let Record::Run(mut other) = run(1, 1.0, "a") else { unreachable!() };
        let Outcome::Measured { mpi, .. } = &mut other.outcome else { unreachable!() };
        *mpi = "a 2".into();
        contents.records.push(Record::Run(other));
        let problem = contents.versions().unwrap_err();
        assert!(problem.what.contains("it was a, and is a 2"), "{problem}");
        assert_eq!(problem.place.as_deref(), Some("variant a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is written comes back; wherever it is cut, all finished lines do, and it goes on.
        #[test]
        fn a_store_comes_back(
            values in prop::collection::vec((0..9u32, -1e300..1e300f64, ".*"), 0..5),
            cut in 0.0..1.0f64,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(SAMPLES);
            let records: Vec<Record> =
                values.iter().map(|(block, value, word)| run(*block, *value, word)).collect();
            let mut store = Store::create(dir.path(), &experiment()).unwrap();
            let first = path.metadata().unwrap().len() as usize;
            for record in &records {
                store.append(record).unwrap();
            }
            drop(store);
            let back = read(dir.path()).unwrap();
            prop_assert_eq!(&back.records, &records);
            prop_assert!(back.torn.is_none());

            let bytes = fs::read(&path).unwrap();
            let length = first + ((bytes.len() - first) as f64 * cut) as usize;
            fs::write(&path, &bytes[..length]).unwrap();
            let finished = bytes[first..length].iter().filter(|byte| **byte == b'\n').count();
            let (mut store, cut) = Store::resume(dir.path()).unwrap();
            prop_assert_eq!(&cut.records, &records[..finished]);
            prop_assert_eq!(cut.torn.is_some(), bytes[length - 1] != b'\n');
            store.append(&run(1, 2.0, "next")).unwrap();
            drop(store);
            let back = read(dir.path()).unwrap();
            prop_assert_eq!(back.records.len(), finished + 1);
            prop_assert!(back.torn.is_none());
        }

        /// No bytes whatever make it panic.
        #[test]
        fn anything_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes, Path::new("x"));
        }
    }
}
