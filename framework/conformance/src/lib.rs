//! Checks that a component keeps its framework's contract.
//!
//! One suite a framework, the same for every component of it, ours or a vendor's, linked in or in a
//! library: it calls the component through its table, as the library would. `cairn-info check FILE`
//! runs it, and so do the tests of our own components.
//!
//! A check that finds a violation says which rule of the contract it breaks. A component that
//! crashes or hangs takes the process with it; `cairn-info check` says what was being checked.

mod cri;

use std::fmt;

use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::host::select::Verdict;
use cairn_framework::host::{Slot, Stage, System};
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

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Passed => write!(f, "passed   {}", self.rule),
            Outcome::Failed(reason) => write!(f, "FAILED   {}: {reason}", self.rule),
            Outcome::Skipped(reason) => write!(f, "skipped  {}: {reason}", self.rule),
        }
    }
}

/// The checks of one component as they are made. `begin` is told each rule before it is looked at.
struct Checks<'a> {
    begin: &'a mut dyn FnMut(&'static str),
    done: Vec<Check>,
}

impl Checks<'_> {
    fn check(&mut self, rule: &'static str, look: impl FnOnce() -> Result<(), String>) -> bool {
        (self.begin)(rule);
        let outcome = match look() {
            Ok(()) => Outcome::Passed,
            Err(reason) => Outcome::Failed(reason),
        };
        let passed = outcome == Outcome::Passed;
        self.done.push(Check { rule, outcome });
        passed
    }

    fn skip(&mut self, rule: &'static str, why: impl Into<String>) {
        self.done.push(Check { rule, outcome: Outcome::Skipped(why.into()) });
    }
}

/// Checks one component of a system in which nothing is open.
pub fn run(
    system: &'static System,
    slot: &'static Slot,
    begin: &mut dyn FnMut(&'static str),
) -> Vec<Check> {
    let mut checks = Checks { begin, done: Vec::new() };
    let framework = slot.loaded.contract;

    checks.check("its parameters register", || match slot.stage() {
        Stage::Failed(reason) => Err(reason),
        _ => Ok(()),
    });
    checks.check("every parameter explains itself", || {
        let own = system.params.all().into_iter().filter(|param| param.spec.owner == slot.name());
        let short: Vec<String> = own
            .filter(|param| param.spec.help.split_whitespace().count() < 3)
            .map(|param| param.spec.name.clone())
            .collect();
        if short.is_empty() { Ok(()) } else { Err(format!("no sentence: {}", short.join(", "))) }
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
    (checks.begin)("it opens");
    match slot.probe(&process) {
        Err(Verdict::Failed(reason)) => {
            checks.done.push(Check { rule: "it opens", outcome: Outcome::Failed(reason) });
            return checks.done;
        }
        Err(verdict) => checks.skip("it serves the process", verdict.to_string()),
        Ok(_) => checks.done.push(Check { rule: "it opens", outcome: Outcome::Passed }),
    }
    checks.check("it opens again after it was closed", || {
        for _ in 0..3 {
            slot.close();
            if let Err(Verdict::Failed(reason)) = slot.probe(&process) {
                return Err(reason);
            }
        }
        Ok(())
    });
    checks.check("it answers for a communicator, with a priority or a reason", || {
        let comm = Scope::new(SCOPE_COMMUNICATOR, 1, 4, c"conformance");
        match slot.probe(&comm) {
            Err(Verdict::Declined(reason)) if reason.trim().is_empty() => {
                Err("it declines without a reason".into())
            }
            Err(Verdict::Failed(reason)) => Err(reason),
            _ => Ok(()),
        }
    });

    match framework.name {
        "cri" => cri::run(&mut checks, slot),
        _ => checks.skip(
            "it keeps the rules of its framework",
            format!("the suite of {} comes with its first component", framework.name),
        ),
    }
    checks.check("it closes", || {
        slot.close();
        match slot.stage() {
            Stage::Idle => Ok(()),
            stage => Err(format!("it is {stage:?}")),
        }
    });
    checks.done
}
