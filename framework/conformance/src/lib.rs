//! Checks that a component keeps its framework's contract.
//!
//! One suite a framework, the same for every component of it, ours or a vendor's, linked in or in a
//! library: it calls the component through its table, as the library would. `cairn-info check FILE`
//! runs it, and so do the tests of our own components.
//!
//! A check that finds a violation says which rule of the contract it breaks. A component that
//! crashes or hangs takes the process with it; `cairn-info check` says which rule it was at.

mod cri;
mod issue;
pub mod matching;
pub mod osc;
mod progress;
pub mod ranks;
mod wait;
pub mod windows;

use std::fmt;

use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::author::DESCRIBE_PANICKED;
use cairn_framework::host::params::help_problem;
use cairn_framework::host::select::Verdict as Choice;
use cairn_framework::host::{Options, Slot, Stage, System};
use serde::Serialize;

/// How a check went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "reason", rename_all = "lowercase")]
pub enum Outcome {
    /// The component keeps the rule.
    Passed,
    /// It breaks it, and how.
    Failed(String),
    /// It could not be looked at, and why.
    Skipped(String),
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The rule.
    pub rule: &'static str,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(reason) => write!(f, "FAILED: {reason}"),
            Self::Skipped(reason) => write!(f, "skipped: {reason}"),
        }
    }
}

/// What all checks of a component come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It keeps its contract as far as the suite of its framework looks.
    Sound,
    /// Nothing wrong was found, but its framework has no suite yet.
    NoSuite,
    /// It says that it can't be used here, so hardly anything could be looked at.
    NotUsable,
    /// It breaks a rule.
    Broken,
}

/// The checks of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Examination {
    /// The checks, in their order. One that makes the later ones pointless ends the list.
    pub checks: Vec<Check>,
    /// What they come to.
    pub verdict: Verdict,
}

/// Told of the checks as they are made, because a component that is not sound may crash or hang.
pub enum Event<'a> {
    /// This rule is looked at next.
    Begin(&'static str),
    /// That is how it went.
    End(&'a Outcome),
}

/// The checks of one component as they are made.
struct Checks<'a> {
    listener: &'a mut dyn FnMut(Event<'_>),
    done: Vec<Check>,
}

impl Checks<'_> {
    /// Looks at a rule; whether the component keeps it.
    fn check(&mut self, rule: &'static str, look: impl FnOnce() -> Result<(), String>) -> bool {
        self.record(rule, || match look() {
            Ok(()) => Outcome::Passed,
            Err(reason) => Outcome::Failed(reason),
        })
    }

    fn record(&mut self, rule: &'static str, look: impl FnOnce() -> Outcome) -> bool {
        (self.listener)(Event::Begin(rule));
        let outcome = look();
        (self.listener)(Event::End(&outcome));
        let passed = outcome == Outcome::Passed;
        self.done.push(Check { rule, outcome });
        passed
    }

    fn verdict(self, otherwise: Verdict) -> Examination {
        let broken = self.done.iter().any(|check| matches!(check.outcome, Outcome::Failed(_)));
        let verdict = if broken { Verdict::Broken } else { otherwise };
        Examination { checks: self.done, verdict }
    }
}

/// Makes a system for [`run`], whose job lets threads do anything.
pub fn system(options: Options) -> &'static System {
    let system = System::new(options);
    let mut job = *system.job();
    job.thread_level = THREAD_MULTIPLE;
    // SAFETY: nothing is open, and no other thread knows the system.
    unsafe { system.set_job(job) };
    system
}

/// Examines one component of a system in which nothing is open.
pub fn run(
    system: &'static System,
    slot: &'static Slot,
    listener: &mut dyn FnMut(Event<'_>),
) -> Examination {
    let mut checks = Checks { listener, done: Vec::new() };
    let framework = slot.loaded.contract;

    let registered = checks.check("its parameters register", || match slot.stage() {
        Stage::Failed(reason) => Err(reason),
        _ => Ok(()),
    });
    if !registered {
        return checks.verdict(Verdict::Broken);
    }
    checks.check("every parameter explains itself", || {
        let own = system.params.all().into_iter().filter(|param| param.spec.owner == slot.name());
        let short: Vec<String> = own
            .filter_map(|param| {
                let problem = help_problem(&param.spec.help)?;
                Some(format!("{}: {problem}", param.spec.name))
            })
            .collect();
        if short.is_empty() { Ok(()) } else { Err(short.join("; ")) }
    });
    checks.check("it has a description of one line", || {
        let description = &slot.loaded.description;
        if description.trim().is_empty() || description.contains('\n') {
            Err(format!("{description:?}"))
        } else {
            Ok(())
        }
    });

    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    let mut usable = true;
    let opened = checks.record("it opens", || match slot.probe(&process) {
        Err(Choice::Failed(reason)) => Outcome::Failed(reason),
        Err(Choice::Unavailable(reason)) => {
            usable = false;
            Outcome::Skipped(format!("it is not available here: {reason}"))
        }
        // It may serve communicators only.
        _ => Outcome::Passed,
    });
    if !opened {
        return checks.verdict(if usable { Verdict::Broken } else { Verdict::NotUsable });
    }
    let reopened = checks.check("it opens again after it was closed", || {
        for _ in 0..3 {
            slot.close();
            if let Err(Choice::Failed(reason) | Choice::Unavailable(reason)) = slot.probe(&process)
            {
                return Err(reason);
            }
        }
        Ok(())
    });
    if !reopened {
        return checks.verdict(Verdict::Broken);
    }
    checks.check("it answers for a communicator, with a priority or a reason", || {
        let comm = Scope::new(SCOPE_COMMUNICATOR, 1, 4, c"conformance");
        match slot.probe(&comm) {
            Err(Choice::Failed(reason)) => Err(reason),
            _ => Ok(()),
        }
    });

    let mut verdict = Verdict::Sound;
    match framework.name {
        "cri" => cri::run(&mut checks, slot),
        "issue" => issue::run(&mut checks, slot),
        "progress" => progress::run(&mut checks, slot),
        "match" => matching::run(&mut checks, slot),
        "osc" => verdict = osc::run(&mut checks, system, slot),
        "wait" => wait::run(&mut checks, slot),
        "btl" => {
            checks.check("its devices are in order", || {
                slot.probe(&process).map_err(|verdict| verdict.to_string())?;
                system.examine_devices(slot)
            });
            verdict = Verdict::NoSuite;
        }
        _ => verdict = Verdict::NoSuite,
    }
    checks.check("it closes", || {
        slot.close();
        match slot.stage() {
            Stage::Idle => Ok(()),
            stage => Err(format!("it is {stage:?}")),
        }
    });
    checks.verdict(verdict)
}

/// Whether a description is text, ends with NUL and keeps to its buffer. `describe` writes it and
/// returns its whole length.
fn describes(describe: impl Fn(&mut [u8]) -> usize) -> Result<(), String> {
    let mut whole = [0u8; 4096];
    let len = describe(&mut whole);
    let text = whole.get(..len).ok_or("it is longer than 4095 bytes")?;
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    if text.starts_with(DESCRIBE_PANICKED) {
        return Err(text.into());
    }
    if text.contains('\0') || whole[len] != 0 {
        return Err("it is not NUL-terminated behind its length".into());
    }
    for capacity in 0..=len {
        let mut guarded = vec![0xa5; capacity + 8];
        describe(&mut guarded[..capacity]);
        if guarded[capacity..].iter().any(|byte| *byte != 0xa5) {
            return Err(format!("it wrote behind a buffer of {capacity} bytes"));
        }
    }
    Ok(())
}
