//! The rules of `osc`: see [`cairn_framework::frameworks::osc`].
//!
//! A rule is looked at in jobs of one rank and of several in this process, for windows of every flavor that the
//! component serves there; a flavor that it leaves to others in all ranks breaks no rule.

mod active;
mod memory;
mod operations;
mod passive;

use std::fmt::Debug;

use cairn_framework::frameworks::osc::{
    WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_DYNAMIC, WINDOW_NONCONTIGUOUS, WINDOW_SHARED,
};
use cairn_framework::host::{Slot, System};

use crate::ranks::Recipe;
use crate::windows::{Given, Job, Look, Plan, Rank, Reason, Win};
use crate::{Checks, Outcome, Verdict};

/// A rule, and how it is looked at.
pub struct Rule {
    /// What a component must do.
    pub text: &'static str,
    /// Looks whether it does, as each rank of a job of any size.
    pub look: fn(&Rank) -> Look,
}

const fn rule(text: &'static str, look: fn(&Rank) -> Look) -> Rule {
    Rule { text, look }
}

/// All of them, in their order.
pub const RULES: &[Rule] = &[
    rule("windows open and close, the same in all ranks, and leave nothing", memory::lives),
    rule("what is put between fences is there behind them", active::fences),
    rule("fences keep what their assertions leave", active::fence_assertions),
    rule("a start waits for its post, and a wait for every complete", active::neighbours),
    rule("start and post may say that they need not be checked", active::unchecked),
    rule("a test says no until all origins have completed", active::tests),
    rule("an exclusive lock is its owner's alone", passive::exclusive),
    rule("shared locks are held together", passive::shared),
    rule("all can be locked, and flushes complete what was started", passive::lock_all),
    rule("after a local flush the origin's memory is its own", passive::local_flushes),
    rule("locks may say that they need not be checked", passive::unchecked),
    rule("an operation with a request completes by progress alone", operations::requests),
    rule("operations of no elements do nothing, and complete", operations::nothing),
    rule("a rank's own memory is a target like others", operations::own_memory),
    rule("values are fetched, replaced and swapped", operations::fetches),
    rule("no addition is lost", operations::additions),
    rule("accumulates of an origin take effect in their order", operations::order),
    rule("gaps stay as they are, and datatypes are given back", operations::gaps),
    rule("data may be longer than any message", operations::long),
    rule("threads of a rank use a window at once", operations::threads),
    rule("windows know nothing of each other", memory::several),
    rule("what is attached can be reached, and nothing else", memory::dynamic),
    rule("shared memory is where it is said to be", memory::shared),
    rule("memory for programs is aligned, and theirs", memory::allocated),
    rule("a window's description is text and keeps to the buffer", memory::describes),
];

/// Ranks of the jobs.
pub const SIZES: [u32; 2] = [1, 3];
/// Transports, unless something is said of them: what the second has not, the first may have, and the other
/// way round.
const TRANSPORTS: [&str; 2] = ["self,sm", "self,tcp"];

/// Examines a component of a system. What it comes to besides what the checks say.
pub(crate) fn run(
    checks: &mut Checks<'_>,
    system: &'static System,
    slot: &'static Slot,
) -> Verdict {
    let recipe = Recipe::of(system).with("osc", &slot.loaded.name);
    let ways = match recipe.value("btl") {
        Some(_) => vec![recipe],
        None => TRANSPORTS.iter().map(|names| recipe.clone().with("btl", names)).collect(),
    };
    // The first way on which it serves windows of most sizes.
    let (mut jobs, mut why) = (Vec::new(), String::new());
    for way in &ways {
        match start(way) {
            Ok(started) if started.len() > jobs.len() => {
                close(&jobs);
                jobs = started;
            }
            Ok(started) => close(&started),
            Err(reason) => why = reason,
        }
        if jobs.len() == SIZES.len() {
            break;
        }
    }
    let mut looked = false;
    for rule in RULES {
        checks.record(rule.text, || {
            if jobs.is_empty() {
                return Outcome::Skipped(why.clone());
            }
            let outcome = look(&jobs, rule);
            looked |= !matches!(outcome, Outcome::Skipped(_));
            outcome
        });
    }
    close(&jobs);
    if looked { Verdict::Sound } else { Verdict::NotUsable }
}

/// Jobs of those sizes with which the component serves windows.
fn start(recipe: &Recipe) -> Result<Vec<&'static Job>, String> {
    let (mut jobs, mut why) = (Vec::new(), String::new());
    for size in SIZES {
        let job = Job::start(recipe, size)?;
        match job.run(|rank| every_window(rank, |_| Ok(()))) {
            Ok(()) => jobs.push(job),
            // What is broken is found by the rules, in a job that is not spoiled.
            Err(Reason::Broken(_)) => jobs.push(Job::start(recipe, size)?),
            Err(Reason::NotHere(reason)) => {
                job.close();
                why = format!("over {}: {reason}", recipe.value("btl").unwrap_or("nothing"));
            }
        }
    }
    if jobs.is_empty() { Err(why) } else { Ok(jobs) }
}

fn close(jobs: &[&'static Job]) {
    jobs.iter().for_each(|job| job.close());
}

/// Looks at a rule in jobs of all sizes.
pub fn look(jobs: &[&'static Job], rule: &Rule) -> Outcome {
    let (mut outcome, mut skipped) = (None, None);
    for job in jobs {
        match job.run(rule.look) {
            Ok(()) => outcome = Some(Outcome::Passed),
            Err(Reason::NotHere(reason)) => skipped = Some(reason),
            Err(Reason::Broken(reason)) => return Outcome::Failed(reason),
        }
    }
    outcome.unwrap_or_else(|| Outcome::Skipped(skipped.unwrap_or_default()))
}

/// Windows that are no dynamic ones.
const PLANS: [(u32, u32, Given); 5] = [
    (WINDOW_ALLOCATE, 0, Given::Heap),
    (WINDOW_CREATE, 0, Given::Heap),
    (WINDOW_CREATE, 0, Given::Component),
    (WINDOW_SHARED, 0, Given::Heap),
    (WINDOW_SHARED, WINDOW_NONCONTIGUOUS, Given::Heap),
];

/// Opens windows of every flavor that the component serves, with so many integers in each rank, and closes each
/// when `work` is done.
fn windows(rank: &Rank, len: fn(u32) -> u64, work: impl Fn(&Win<'_>) -> Look) -> Look {
    let mut served = false;
    for (flavor, flags, given) in PLANS {
        let plan = Plan { flags, len, given, ..Plan::of(flavor) };
        let Some(window) = rank.open(plan)? else { continue };
        served = true;
        let in_flavor = |reason| match reason {
            Reason::Broken(text) => Reason::Broken(format!("{text}, in a {}", called(plan))),
            other => other,
        };
        work(&window).map_err(in_flavor)?;
        window.close()?;
    }
    if served { Ok(()) } else { Err(not_served()) }
}

/// The same with 100 integers in each rank.
fn every_window(rank: &Rank, work: impl Fn(&Win<'_>) -> Look) -> Look {
    windows(rank, |_| 100, work)
}

fn not_served() -> Reason {
    Reason::NotHere("it leaves these windows to others".into())
}

/// What a window is called where something is wrong with it.
fn called(plan: Plan) -> &'static str {
    match (plan.flavor, plan.flags, plan.given) {
        (WINDOW_ALLOCATE, ..) => "window that it allocates",
        (WINDOW_SHARED, 0, _) => "shared window",
        (WINDOW_SHARED, ..) => "shared window that is not contiguous",
        (WINDOW_DYNAMIC, ..) => "dynamic window",
        (_, _, Given::Heap) => "window on memory of the program",
        (_, _, Given::Component) => "window on memory that it gave to the program",
    }
}

/// Whether two things are the same.
fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, and not {expected:?}")) }
}

/// The ranks of a job.
fn all(rank: &Rank) -> Vec<u32> {
    (0..rank.size()).collect()
}

/// The one behind a rank, and the one before it.
fn neighbours_of(rank: &Rank) -> (u32, u32) {
    let (me, size) = (rank.number, rank.size());
    ((me + 1) % size, (me + size - 1) % size)
}
