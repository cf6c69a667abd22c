//! Windows for a component of `osc` without an MPI library: jobs of several ranks in this process, each with
//! a thread, and what the MPI layer would do for the component.
//!
//! ```text
//!   rule ─► Rank ─► Win ─► the component's table ─► pml, btl … of the rank's system
//!                              └─► WindowCalls (layer) ─► collective ─► messages of the same pml
//! ```
//!
//! A rank that finds a rule broken says so and ends; the others are told where they poll, and left behind where
//! the component does not return. So a job whose rule was broken is of no use any more.

mod collective;
mod datatypes;
mod layer;
mod window;

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::frameworks::osc::OscOps;
use cairn_framework::frameworks::pml::PmlOps;
use cairn_framework::host::problem::Problem;
use cairn_framework::host::{Chosen, System};

use crate::ranks::{Ranks, Recipe};
use collective::{Collectives, Messages};

pub use datatypes::{Gapped, LONG, MAX, NO_OP, REPLACE, SUM};
pub use window::{
    ALL_ORDERED, Given, NO_CHECK, NO_PRECEDE, NO_SUCCEED, Operation, Pending, Plan, Win,
};

/// No rule takes so long, on whatever machine: what does hangs.
pub const DEADLINE: Duration = Duration::from_secs(180);
/// How long the others may go on when a rank has found a rule broken.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a rule was not found to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It is broken, and how.
    Broken(String),
    /// It can't be looked at here, and why.
    NotHere(String),
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::Broken(text)
    }
}

/// What a rank finds of a rule.
pub type Look = Result<(), Reason>;

/// A job whose ranks have windows of one component. It stays for the life of the process, as do its systems.
pub struct Job {
    ranks: Ranks,
    members: Vec<&'static Member>,
    oscs: Vec<Chosen<OscOps>>,
    /// A type with gaps, for all its ranks.
    pub gapped: &'static Gapped,
    shared: &'static Shared,
    /// Threads of its ranks that were left behind.
    spoiled: AtomicBool,
}

// SAFETY: instances live as long as the process, and the components' functions are for any thread.
unsafe impl Send for Job {}
// SAFETY: see `Send`.
unsafe impl Sync for Job {}

/// What the ranks of a job share.
#[derive(Default)]
struct Shared {
    /// Calls of the barrier by all ranks.
    arrived: AtomicU64,
    /// Ranks whose work has ended, since the job began.
    ended: AtomicU64,
    words: Mutex<Vec<u64>>,
    /// A rule is broken: nobody waits for others any more.
    over: AtomicBool,
}

/// A rank, for what the MPI layer does.
pub struct Member {
    pub(crate) system: &'static System,
    messages: Messages,
    collectives: Collectives,
    shared: &'static Shared,
    /// Calls of the barrier.
    barriers: AtomicU64,
    /// Windows and communicators so far.
    windows: AtomicU32,
}

unsafe extern "C" fn advance(context: *mut c_void) -> u32 {
    // SAFETY: registered with a rank, which stays.
    let member = unsafe { &*context.cast::<Member>() };
    // What collective operations write to may have gone with a job whose rule was broken.
    if member.shared.over.load(Ordering::Acquire) { 0 } else { member.collectives.advance() }
}

fn told(problem: Problem) -> String {
    problem.to_string()
}

impl Member {
    /// Chooses the components of a rank.
    fn start(
        system: &'static System,
        shared: &'static Shared,
    ) -> Result<(&'static Self, Chosen<OscOps>), String> {
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let pml = system.select_one::<PmlOps>(&scope).map_err(told)?;
        system.start_engines().map_err(told)?;
        let osc = system.select_one::<OscOps>(&scope).map_err(told)?;
        let member: &'static Self = Box::leak(Box::new(Self {
            system,
            messages: Messages { ops: pml.ops, instance: pml.instance },
            collectives: Collectives::default(),
            shared,
            barriers: AtomicU64::new(0),
            windows: AtomicU32::new(0),
        }));
        let context = std::ptr::from_ref(member).cast_mut().cast();
        // SAFETY: for any thread; the member stays.
        unsafe { system.add_progress(advance, context) };
        Ok((member, osc))
    }

    /// Makes progress until `done`.
    ///
    /// # Errors
    /// When another rank has found a rule broken, and when it takes too long.
    fn poll(&self, what: &str, mut done: impl FnMut() -> bool) -> Result<(), String> {
        let start = Instant::now();
        while !done() {
            if self.shared.over.load(Ordering::Acquire) {
                return Err(format!("it waited for {what}, and another rank gave up"));
            }
            if start.elapsed() > DEADLINE {
                return Err(format!("it has waited {} s for {what}", DEADLINE.as_secs()));
            }
            if self.system.progress() == 0 {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

impl Job {
    /// Starts a job of `count` ranks on one node.
    ///
    /// # Errors
    /// What a process would be told that can't start so.
    pub fn start(recipe: &Recipe, count: u32) -> Result<&'static Self, String> {
        let ranks = Ranks::start_from(recipe, count, THREAD_MULTIPLE, |_, _| ()).map_err(told)?;
        let shared: &'static Shared = Box::leak(Box::default());
        *shared.words.lock().expect("not poisoned") = vec![0; count as usize];
        let started: Result<Vec<_>, _> =
            (0..count).map(|rank| Member::start(ranks.system(rank), shared)).collect();
        let (members, oscs) = match started {
            Ok(started) => started.into_iter().unzip(),
            Err(reason) => {
                ranks.close();
                return Err(reason);
            }
        };
        let (gapped, spoiled) = (Gapped::leak(), AtomicBool::new(false));
        Ok(Box::leak(Box::new(Self { ranks, members, oscs, gapped, shared, spoiled })))
    }

    /// Does `work` as each of the ranks.
    ///
    /// # Errors
    /// What a rank says, first of all of a rule that is broken; and when it takes too long.
    pub fn run(&'static self, work: impl Fn(&Rank) -> Look + Send + Sync + 'static) -> Look {
        if self.spoiled.load(Ordering::Relaxed) {
            return Err(Reason::NotHere("an earlier rule was broken".into()));
        }
        let (work, (found, finds)) = (Arc::new(work), channel());
        let before = self.shared.ended.load(Ordering::Acquire);
        for number in 0..self.ranks.count() {
            let (work, found) = (Arc::clone(&work), found.clone());
            std::thread::spawn(move || {
                let rank = self.rank(number);
                let look = catch_unwind(AssertUnwindSafe(|| work(&rank)));
                let look = look.unwrap_or_else(|panic| Err(Reason::Broken(said(&*panic))));
                // The others give up when they are told, so that this is to be heard first.
                let broken = matches!(look, Err(Reason::Broken(_)));
                let unheard = found.send((number, look)).is_err();
                if broken {
                    self.shared.over.store(true, Ordering::Release);
                }
                // Others may need what this rank's memory is asked for.
                self.shared.ended.fetch_add(1, Ordering::AcqRel);
                let all = before + u64::from(self.ranks.count());
                let ended = || self.shared.ended.load(Ordering::Acquire) >= all;
                if !unheard && rank.member.poll("the other ranks", ended).is_ok() {
                    // The last ones may have been told, and not have answered.
                    rank.member.system.progress();
                }
                // Whoever is told next may run again.
                let _ = found.send((number, Ok(())));
            });
        }
        drop(found);
        let (mut ends, mut told, mut until) = (0, Ok(()), Instant::now() + DEADLINE);
        while ends < 2 * self.ranks.count() {
            let most = until.saturating_duration_since(Instant::now());
            let (rank, look) = match finds.recv_timeout(most) {
                Ok(found) => found,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.shared.over.store(true, Ordering::Release);
                    if !matches!(told, Err(Reason::Broken(_))) {
                        let text = format!("it has not ended after {} s", DEADLINE.as_secs());
                        told = Err(Reason::Broken(text));
                    }
                    break;
                }
            };
            ends += 1;
            match (&told, look) {
                (Ok(()) | Err(Reason::NotHere(_)), Err(Reason::Broken(text))) => {
                    until = Instant::now() + PATIENCE;
                    told = Err(Reason::Broken(format!("rank {rank}: {text}")));
                }
                (Ok(()), other) => told = other,
                _ => {}
            }
        }
        self.spoiled.store(matches!(told, Err(Reason::Broken(_))), Ordering::Relaxed);
        told
    }

    fn rank(&'static self, number: u32) -> Rank {
        let system = self.ranks.system(number);
        let peers = (0..self.ranks.count()).map(|peer| system.peer(peer).expect("a peer"));
        Rank { number, job: self, member: self.members[number as usize], peers: peers.collect() }
    }

    /// Closes the components of all ranks, unless threads may still use them.
    pub fn close(&'static self) {
        if !self.spoiled.load(Ordering::Relaxed) {
            (0..self.ranks.count()).for_each(|rank| self.ranks.system(rank).close());
        }
    }
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("and said nothing"))
}

/// A rank of a job, in its thread.
pub struct Rank {
    /// Its number.
    pub number: u32,
    pub(crate) job: &'static Job,
    pub(crate) member: &'static Member,
    peers: Vec<*mut Peer>,
}

// SAFETY: peers are never freed.
unsafe impl Sync for Rank {}

impl Rank {
    /// Ranks that there are.
    pub fn size(&self) -> u32 {
        self.job.ranks.count()
    }

    /// The component that serves its windows.
    pub fn osc(&self) -> &Chosen<OscOps> {
        &self.job.oscs[self.number as usize]
    }

    /// The system of its components.
    pub fn system(&self) -> &'static System {
        self.member.system
    }

    /// A peer.
    pub fn peer(&self, rank: u32) -> &Peer {
        // SAFETY: peers are never freed.
        unsafe { &*self.peers[rank as usize] }
    }

    /// A type with gaps, the same one for all ranks.
    pub fn gapped(&self) -> &'static Gapped {
        self.job.gapped
    }

    /// Makes progress until `done`.
    ///
    /// # Errors
    /// When another rank has found a rule broken, and when it takes too long.
    pub fn poll(&self, what: &str, done: impl FnMut() -> bool) -> Result<(), String> {
        self.member.poll(what, done)
    }

    /// Waits for all ranks, without a window.
    ///
    /// # Errors
    /// As for [`Rank::poll`].
    pub fn barrier(&self) -> Result<(), String> {
        let before = self.member.barriers.fetch_add(1, Ordering::Relaxed);
        let all = (before + 1) * u64::from(self.size());
        let arrived = &self.member.shared.arrived;
        arrived.fetch_add(1, Ordering::AcqRel);
        self.poll("the other ranks", || arrived.load(Ordering::Acquire) >= all)
    }

    /// Tells all ranks a number, and returns theirs.
    ///
    /// # Errors
    /// As for [`Rank::poll`].
    pub fn share(&self, number: u64) -> Result<Vec<u64>, String> {
        let words = || self.member.shared.words.lock().expect("not poisoned");
        words()[self.number as usize] = number;
        self.barrier()?;
        let all = words().clone();
        self.barrier()?;
        Ok(all)
    }
}
