//! Counting the instructions of what was measured, after all that is timed.

use std::time::Duration;

use cairn_framework::host::problem::Problem;

use super::{Job, PATIENCE, Session};
use crate::callgrind::{self, Executed};
use crate::contract::Scalar;
use crate::counts::{self, Counts, INSTRUCTIONS};
use crate::process::Stop;
use crate::store::{self, Outcome, Record, Run};

/// So often instructions are counted at most; they vary less than times.
const SAMPLES: u32 = 6;

/// So many times as long may a run under valgrind take.
const SLOWER: f64 = 5.0;

/// Whether a run has not what it was made for.
pub(super) fn missing(run: &Run) -> bool {
    match &run.outcome {
        Outcome::Measured { counts: Some(counts), .. } => !counts.missing.is_empty(),
        _ => true,
    }
}

impl Session<'_> {
    /// Counts the instructions of everything that runs here, after all that is timed.
    pub(super) fn count_instructions(&mut self) -> Result<(), Stop> {
        let there = callgrind::available(&self.places.interrupt);
        let jobs: Vec<Job> = self.jobs.iter().flatten().cloned().collect();
        self.bar.inc_length(jobs.len() as u64);
        for job in jobs {
            self.proceed()?;
            self.bar.inc(1);
            let key = self.key(&job);
            // What does not run without valgrind does not run with it.
            if self.failures.get(&key).is_some_and(|failures| *failures >= PATIENCE)
                || !self.versions.contains_key(&key.0)
            {
                continue;
            }
            let counted = self.executed.get(&key).copied().unwrap_or_default();
            self.bar.set_message(format!("{}: {}: instructions", key.0, key.1));
            for sample in counted..self.experiment.repeats.min(SAMPLES) {
                self.proceed()?;
                let block = self.experiment.warmup + sample;
                let run = match &there {
                    Ok(()) => self.executed(&job, block)?,
                    Err(why) => self.not_executed(&job, block, why),
                };
                let missing = missing(&run);
                store::same_version(&mut self.versions, &run)?;
                self.store.append(&Record::Instructions(Box::new(run)))?;
                // What can't be had is not tried again.
                if missing {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Runs a benchmark twice under valgrind.
    fn executed(&self, job: &Job, block: u32) -> Result<Run, Stop> {
        let mut plain = self.experiment.variants[job.variant].clone();
        let texts: Vec<String> = plain.args.iter().map(ToString::to_string).collect();
        plain.args = callgrind::without_length(&texts).into_iter().map(Scalar::Word).collect();
        let limit = Duration::from_secs_f64(self.experiment.time_limit * SLOWER);
        let mut shorter: Option<Executed> = None;
        loop {
            let dir = tempfile::tempdir().map_err(|error| {
                Problem::new(format!("can't make a directory for valgrind: {error}"))
            })?;
            let program = callgrind::under(&self.program(job), dir.path());
            let mut command = self.launch(job, &plain, false, &program);
            command.args(callgrind::without_length(&job.case.args));
            let iterations = shorter.map_or(callgrind::FIRST, |it| callgrind::second(it.messages));
            command.args(callgrind::length(iterations)).arg("--json");
            let mut run = self.one(job, block, 0, &command, limit, true)?;
            let (points, counts) = match &mut run.outcome {
                Outcome::Measured { points, counts: Some(counts), .. } => (points, counts),
                Outcome::Failed { reason, .. } | Outcome::Skipped { reason } => {
                    let why = format!("it does not run under valgrind: {reason}");
                    return Ok(self.not_executed(job, block, &why));
                }
                Outcome::Measured { .. } => unreachable!("these runs are counted"),
            };
            let silent = "the benchmark does not say how many messages it sent";
            let executed = counts.messages.ok_or_else(|| silent.to_owned());
            let executed = executed.and_then(|it| Executed::read(dir.path(), job.case.ranks, it));
            match (executed, shorter) {
                (Err(why), _) => return Ok(self.not_executed(job, block, &why)),
                (Ok(executed), None) => shorter = Some(executed),
                (Ok(longer), Some(shorter)) => {
                    let at = counts::place(points);
                    points.clear();
                    counts.missing.clear();
                    for (metric, value) in INSTRUCTIONS.into_iter().zip(shorter.each(&longer)) {
                        match value {
                            Some(value) => points.push(counts::point(&at, metric, "1", value)),
                            None => counts.miss(metric, "a longer run does not have more"),
                        }
                    }
                    return Ok(run);
                }
            }
        }
    }

    /// What is stored of a run that could not be.
    fn not_executed(&self, job: &Job, block: u32, why: &str) -> Run {
        let (variant, benchmark, ..) = self.key(job);
        self.say(&format!("{variant}: {benchmark}: instructions are not counted: {why}"));
        let mut counts = Counts::default();
        for metric in INSTRUCTIONS {
            counts.miss(metric, why);
        }
        let outcome = Outcome::Measured {
            mpi: self.versions.get(&variant).cloned().unwrap_or_default(),
            library: None,
            parameters: serde_json::Value::Null,
            points: Vec::new(),
            counts: Some(Box::new(counts)),
        };
        self.record(job, block, 0, outcome)
    }
}
