//! What a run costs beside time, for each of its messages: processor time, what Cairn counts itself,
//! and instructions. They are values like others, so they stand in tables, and verdicts are about them.
//!
//! ```text
//!   supervisor ── processor time of everything that ran ─┐
//!   counters_report of Cairn, on standard error ─────────┼─> divided by the messages of the run
//!   valgrind, in runs of its own ────────────────────────┘
//! ```
//!
//! All of these are of a run as a whole, with its start, checks and warm-up, and so are the messages that
//! the benchmark counts. Where a run has several points they can't be told apart.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::contract::{At, Better, Point};

/// The processor time of all processes.
const CPU: &str = "cpu_time_per_message";
/// The instructions of all processes of the benchmark, and those of the functions that start a message.
pub const INSTRUCTIONS: [&str; 2] = ["instructions_per_message", "send_instructions_per_message"];

/// What is made of the counters of Cairn.
const COUNTERS: [Counter; 7] = [
    Counter { metric: "lock_waits_per_message", names: &["mca_lock_waits"], beside: &[] },
    Counter {
        metric: "cri_lock_waits_per_message",
        names: &["*_lock_waits"],
        beside: &["*_lock_waits", "*_try_misses", "*_polls"],
    },
    Counter { metric: "try_misses_per_message", names: &["mca_progress_try_misses"], beside: &[] },
    Counter { metric: "polls_per_message", names: &["*_polls"], beside: &["*_polls"] },
    Counter { metric: "hits_per_message", names: &["*_hits"], beside: &["*_polls", "*_hits"] },
    Counter {
        metric: "sends_per_message",
        names: &[
            "pml_ob1_messages_eager",
            "pml_ob1_messages_synchronous",
            "pml_ob1_messages_pushed",
            "pml_ob1_messages_rendezvous",
        ],
        beside: &[],
    },
    Counter {
        metric: "rendezvous_per_message",
        names: &["pml_ob1_messages_rendezvous"],
        beside: &[],
    },
];

/// A metric that is a sum of counters.
struct Counter {
    metric: &'static str,
    /// Counters; `*` is any instance of any pool.
    names: &'static [&'static str],
    /// A report leaves out counters that are 0. That these are 0, and not missing, is seen by one of
    /// these counters; those that every build has need none.
    beside: &'static [&'static str],
}

impl Counter {
    fn has(&self, counter: &str) -> bool {
        among(self.names, counter)
    }

    /// Whether a report is of a process that counts it.
    fn is_in(&self, report: &BTreeMap<String, u64>) -> bool {
        self.beside.is_empty() || report.keys().any(|name| among(self.beside, name))
    }
}

/// Whether a counter is one of these.
fn among(names: &[&str], counter: &str) -> bool {
    names.iter().any(|name| match name.strip_prefix('*') {
        None => counter == *name,
        Some(what) => counter
            .strip_suffix(what)
            .and_then(|rest| rest.rsplit_once("_cri"))
            .is_some_and(|(_, number)| number.parse::<u32>().is_ok()),
    })
}

/// What was counted in a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Messages of all processes, as the benchmark says.
    pub messages: Option<u64>,
    /// Seconds of processor time of all processes, also those of the launcher.
    pub cpu: Option<f64>,
    /// Cairn's counters, of all processes together.
    pub counters: BTreeMap<String, u64>,
    /// The metrics that can't be had, and why.
    pub missing: BTreeMap<String, String>,
}

/// Whether a metric is one of these.
pub fn is_count(metric: &str) -> bool {
    let counter = COUNTERS.iter().any(|counter| counter.metric == metric);
    counter || metric == CPU || INSTRUCTIONS.contains(&metric)
}

impl Counts {
    /// Of a run that has ended well: what it says of its messages, its processor time, and, if it ran on
    /// Cairn, what it wrote to standard error.
    pub fn new(messages: Option<u64>, cpu: Option<Duration>, cairn: Option<&str>) -> Self {
        let mut counts = Self {
            messages: messages.filter(|messages| *messages > 0),
            cpu: cpu.map(|cpu| cpu.as_secs_f64()),
            ..Self::default()
        };
        let report = cairn.map(report);
        if counts.cpu.is_none() {
            counts.miss(CPU, "the system does not say it");
        }
        for counter in &COUNTERS {
            match &report {
                None => counts.miss(counter.metric, "it is a counter of Cairn"),
                Some(None) => counts.miss(counter.metric, "Cairn did not report its counters"),
                Some(Some(all)) if !counter.is_in(all) => {
                    let why = "no instance reports it: threads share none, or it is an older build";
                    counts.miss(counter.metric, why);
                }
                Some(Some(_)) => {}
            }
        }
        counts.counters = report.flatten().unwrap_or_default();
        if counts.messages.is_none() {
            let metrics = COUNTERS.iter().map(|counter| counter.metric).chain([CPU]);
            for metric in metrics {
                counts.miss(metric, "the benchmark does not say how many messages it sent");
            }
        }
        counts
    }

    /// A metric can't be had.
    pub fn miss(&mut self, metric: &str, why: &str) {
        self.missing.insert(metric.to_owned(), why.to_owned());
    }

    /// As values of the run.
    pub fn points(&self, at: &At) -> Vec<Point> {
        let Some(messages) = self.messages else { return Vec::new() };
        let each = |value: f64| value / messages as f64;
        let cpu = self.cpu.map(|cpu| point(at, CPU, "s", each(cpu)));
        let there = |counter: &&Counter| !self.missing.contains_key(counter.metric);
        let counters = COUNTERS.iter().filter(there).map(|counter| {
            let own = self.counters.iter().filter(|(name, _)| counter.has(name));
            let sum: u64 = own.map(|(_, value)| value).sum();
            point(at, counter.metric, "1", each(sum as f64))
        });
        cpu.into_iter().chain(counters).collect()
    }
}

/// A value of which less is better.
pub fn point(at: &At, metric: &str, unit: &str, value: f64) -> Point {
    let (metric, unit) = (metric.to_owned(), unit.to_owned());
    Point { at: at.clone(), metric, unit, better: Better::Lower, value }
}

/// The place of a run as a whole: the coordinates that all of its points have in common.
pub fn place(points: &[Point]) -> At {
    let mut at = points.first().map_or_else(At::new, |point| point.at.clone());
    for point in points {
        at.retain(|name, value| point.at.get(name) == Some(value));
    }
    at
}

/// The table that `--mca counters_report sum` prints: a counter's name, its unit, and first of its
/// numbers the one of all processes together. Counters that are 0 are left out of it.
fn report(stderr: &str) -> Option<BTreeMap<String, u64>> {
    let mut lines = stderr.lines().skip_while(|line| !line.starts_with("cairn: counters of "));
    lines.next()?;
    let rows = lines.take_while(|line| line.starts_with("  ")).filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        Some((name, words.find_map(|word| word.parse().ok())?))
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Scalar;

    const REPORT: &str = "a warning\n\
        cairn: counters of 2 processes\n\
        \x20 counter                      all  least  most\n\
        \x20 btl_sm_cri0_lock_waits       acquisitions  4  1  3\n\
        \x20 btl_sm_cri12_lock_waits      acquisitions  6  3  3\n\
        \x20 btl_sm_cri0_polls   polls    50  20  30\n\
        \x20 mca_lock_waits      acquisitions  12  4  8\n\
        \x20 mca_wait_wake_ups   wake-ups  2  1  1\n\
        \x20 pml_ob1_messages_eager        messages  19  9  10\n\
        \x20 pml_ob1_messages_rendezvous   messages  1  0  1\n\
        other lines 7\n";

    fn values(counts: &Counts) -> BTreeMap<String, f64> {
        counts.points(&At::new()).into_iter().map(|it| (it.metric, it.value)).collect()
    }

    #[test]
    fn a_report_becomes_values() {
        let cpu = Some(Duration::from_millis(40));
        let counts = Counts::new(Some(20), cpu, Some(REPORT));
        assert_eq!(counts.counters.len(), 7);
        assert!(counts.missing.is_empty());
        let expected = [
            ("cpu_time_per_message", 0.002),
            ("cri_lock_waits_per_message", 0.5),
            // Polled, and found nothing.
            ("hits_per_message", 0.0),
            ("lock_waits_per_message", 0.6),
            ("polls_per_message", 2.5),
            ("rendezvous_per_message", 0.05),
            ("sends_per_message", 1.0),
            // Every build counts them, and the report leaves out what is 0.
            ("try_misses_per_message", 0.0),
        ];
        assert_eq!(values(&counts), expected.map(|(name, value)| (name.into(), value)).into());
        // A build that does not count polls.
        let older = Counts::new(Some(20), cpu, Some(&REPORT.replace("_polls", "_else")));
        let missing: Vec<&str> = older.missing.keys().map(String::as_str).collect();
        assert_eq!(missing, ["hits_per_message", "polls_per_message"]);
        assert_eq!(values(&older).len(), 6);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let cpu = Some(Duration::from_millis(1));
        let peer = Counts::new(Some(10), cpu, None);
        assert_eq!(values(&peer), [(CPU.into(), 1e-4)].into());
        assert_eq!(peer.missing["lock_waits_per_message"], "it is a counter of Cairn");
        assert_eq!(peer.missing.len(), COUNTERS.len());
        let off = Counts::new(Some(10), cpu, Some("nothing\n"));
        assert_eq!(off.missing["sends_per_message"], "Cairn did not report its counters");
        for messages in [None, Some(0)] {
            let silent = Counts::new(messages, cpu, Some(REPORT));
            assert!(values(&silent).is_empty() && silent.missing.contains_key(CPU));
        }
    }

    #[test]
    fn a_run_stands_where_all_its_points_do() {
        let at = |pairs: &[(&str, f64)]| -> At {
            pairs.iter().map(|(name, it)| ((*name).into(), Scalar::Number(*it))).collect()
        };
        let point = |pairs| point(&at(pairs), "rate", "1", 1.0);
        let points = [
            point(&[("bytes", 8.0), ("threads", 2.0)]),
            point(&[("bytes", 16.0), ("threads", 2.0)]),
        ];
        assert_eq!(place(&points), at(&[("threads", 2.0)]));
        assert_eq!(place(&points[..1]), points[0].at);
        let odd = [points[0].clone(), point(&[("counter", 1.0)])];
        assert_eq!(place(&odd), At::new());
        assert_eq!(place(&[]), At::new());
    }

    #[test]
    fn counts_are_known_by_name() {
        assert!(is_count("polls_per_message") && is_count(CPU) && is_count(INSTRUCTIONS[0]));
        assert!(!is_count("rate"));
        // A pool may be called by a device.
        let polls = &COUNTERS[3];
        assert!(polls.has("btl_tcp_eth0_cri3_polls"));
        assert!(!polls.has("btl_tcp_crix_polls") && !polls.has("cri_polls"));
    }
}
