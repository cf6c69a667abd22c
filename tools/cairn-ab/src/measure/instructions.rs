//! Counting the instructions of what was measured, after all that is timed.

use std::time::Duration;

use cairn_framework::host::problem::Problem;

use super::{Ended, Job, PATIENCE, Session};
use crate::callgrind::{self, Executed};
use crate::contract::Scalar;
use crate::counts::{self, Counts, INSTRUCTIONS};
use crate::environment::now;
use crate::noise;
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
    pub(super) fn count_instructions(&mut self) -> Result<Ended, Problem> {
        let there = callgrind::available(self.interrupt);
        let jobs: Vec<Job> = self.jobs.iter().flatten().cloned().collect();
        self.bar.inc_length(jobs.len() as u64);
        for job in jobs {
            let key = self.key(&job);
            // What does not run without valgrind does not run with it.
            let fails = self.failures.get(&key).is_some_and(|failures| *failures >= PATIENCE)
                || !self.versions.contains_key(&key.0);
            let counted = self.executed.get(&key).copied().unwrap_or_default();
            self.bar.set_message(format!("{}: {}: instructions", key.0, key.1));
            for sample in counted..self.experiment.repeats.min(SAMPLES) {
                if fails || self.interrupt.wished() {
                    break;
                }
                let block = self.experiment.warmup + sample;
                let run = match &there {
                    Ok(()) => self.executed(&job, block)?,
                    Err(why) => Some(self.not_executed(&job, block, why)),
                };
                let Some(run) = run else { return Ok(Ended::Interrupted) };
                let missing = missing(&run);
                store::same_version(&mut self.versions, &run)?;
                self.store.append(&Record::Instructions(Box::new(run)))?;
                // What can't be had is not tried again.
                if missing {
                    break;
                }
            }
            if self.interrupt.wished() {
                return Ok(Ended::Interrupted);
            }
            self.bar.inc(1);
        }
        Ok(Ended::Complete)
    }

    /// Runs a benchmark twice under valgrind. None if the user wants to stop.
    fn executed(&self, job: &Job, block: u32) -> Result<Option<Run>, Problem> {
        let variant = &self.experiment.variants[job.variant];
        let mut plain = variant.clone();
        let texts: Vec<String> = variant.args.iter().map(ToString::to_string).collect();
        plain.args = callgrind::without_length(&texts).into_iter().map(Scalar::Word).collect();
        let limit = Duration::from_secs_f64(self.experiment.time_limit * SLOWER);
        let mut runs: Vec<(Run, Executed)> = Vec::new();
        let mut iterations = callgrind::FIRST;
        for _ in 0..2 {
            let dir = tempfile::tempdir().map_err(|error| {
                Problem::new(format!("can't make a directory for valgrind: {error}"))
            })?;
            let program = callgrind::under(&self.program(job), dir.path());
            let (ranks, pinning) = (job.case.ranks, self.experiment.pinning);
            let cores = self.cores.len();
            let mut command =
                self.library(job).launch(&plain, ranks, pinning, cores, false, &program);
            command.args(callgrind::without_length(&job.case.args));
            command.args(callgrind::length(iterations)).arg("--json");
            let Some(run) = self.one(job, block, 0, &command, limit, true) else { return Ok(None) };
            let counted = match &run.outcome {
                Outcome::Measured { counts: Some(counts), .. } => match counts.messages {
                    Some(messages) => Executed::read(dir.path(), ranks, messages),
                    None => Err("the benchmark does not say how many messages it sent".into()),
                },
                Outcome::Failed { reason, .. } | Outcome::Skipped { reason } => {
                    Err(format!("it does not run under valgrind: {reason}"))
                }
                Outcome::Measured { .. } => unreachable!("these runs are counted"),
            };
            match counted {
                Ok(executed) => {
                    iterations = callgrind::second(executed.messages);
                    runs.push((run, executed));
                }
                Err(why) => return Ok(Some(self.not_executed(job, block, &why))),
            }
        }
        let [(_, shorter), (run, longer)] = &mut runs[..] else { unreachable!("there are two") };
        if let Outcome::Measured { points, counts: Some(counts), .. } = &mut run.outcome {
            let at = counts::place(points);
            let values = shorter.each(longer);
            points.clear();
            counts.missing.clear();
            for (metric, value) in INSTRUCTIONS.into_iter().zip(values) {
                match value {
                    Some(value) => points.push(counts::point(&at, metric, "1", value)),
                    None => counts.miss(metric, "a longer run does not have more"),
                }
            }
        }
        Ok(runs.pop().map(|(run, _)| run))
    }

    /// What is stored of a run that could not be.
    fn not_executed(&self, job: &Job, block: u32, why: &str) -> Run {
        let (variant, benchmark, args, ranks) = self.key(job);
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
        Run {
            block,
            attempt: 0,
            variant,
            benchmark,
            args,
            ranks,
            at: job.case.at.clone(),
            command: String::new(),
            started: now(),
            seconds: 0.0,
            load: noise::load(),
            others: 0.0,
            work_ns: [0, 0],
            outcome,
        }
    }
}
