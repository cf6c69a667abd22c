//! The rules of `wait`: see [`cairn_framework::frameworks::wait`].
//!
//! A component is lent means of our own: passes that have an event when the rule says so, and a sleep
//! that returns at once or lasts until the sync object is signalled. So what a wait needs to end is
//! known exactly, and a component that does not do it hangs at the rule that it breaks.

use std::cell::Cell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::request::{SYNC_POLLING, WaitSync};
use cairn_framework::abi::status::{DONE, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode};
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::wait::{WaitMeans, WaitOps};
use cairn_framework::host::{Slot, take_reason};

use crate::Checks;

/// Passes after which what a thread waits for happens: at once, soon, and when it has begun to sleep.
const PASSES: [u64; 4] = [1, 2, 300, 3_000];
/// Threads that wait at a time, and how often each.
const THREADS: u32 = 4;
const ROUNDS: u32 = 20;

/// A component under test.
#[derive(Clone, Copy)]
struct Way {
    ops: &'static WaitOps,
    instance: *mut Instance,
}

// SAFETY: the table is complete, and the contract lets any thread call it.
unsafe impl Send for Way {}
// SAFETY: see `Send`.
unsafe impl Sync for Way {}

/// What a sleep of a waiting thread comes to.
#[derive(Clone, Copy)]
enum Sleep {
    /// It lasts until the object is signalled, or as long as it may.
    Real,
    /// It is over at once: something has arrived.
    Woken,
    /// There is something to poll.
    Refused,
    /// A transport can't wake the thread.
    Unsupported,
}

/// What stands behind the means of one wait.
struct Stage<'a> {
    sleep: Sleep,
    /// What a pass does: told its number, from 1, it returns the events.
    pass: &'a dyn Fn(u64) -> u32,
    passes: Cell<u64>,
    /// Tasks of others that are left.
    tasks: Cell<u32>,
}

impl<'a> Stage<'a> {
    fn new(sleep: Sleep, pass: &'a dyn Fn(u64) -> u32) -> Self {
        Self { sleep, pass, passes: Cell::new(0), tasks: Cell::new(0) }
    }
}

/// # Safety
/// The means are those that [`Way::wait`] lends.
unsafe fn stage<'a>(means: &'a WaitMeans) -> &'a Stage<'a> {
    // SAFETY: promised by the caller.
    unsafe { &*means.host_private.cast() }
}

unsafe extern "C" fn poll(means: &WaitMeans, _: &WaitSync) -> u32 {
    // SAFETY: lent by `wait`.
    let stage = unsafe { stage(means) };
    stage.passes.set(stage.passes.get() + 1);
    (stage.pass)(stage.passes.get())
}

unsafe extern "C" fn sleep(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode {
    // SAFETY: lent by `wait`.
    let stage = unsafe { stage(means) };
    match stage.sleep {
        Sleep::Real => {
            sync.pause(microseconds);
            DONE
        }
        Sleep::Woken => DONE,
        Sleep::Refused => NO_RESOURCES,
        Sleep::Unsupported => ERR_UNSUPPORTED,
    }
}

impl Way {
    /// Waits as the thread with this number.
    fn wait(&self, number: u32, sync: &WaitSync, stage: &Stage<'_>) -> Result<(), String> {
        let thread = Thread {
            struct_size: size_of::<Thread>() as u32,
            index: number,
            serial: u64::from(number) + 1,
        };
        let means = WaitMeans {
            struct_size: size_of::<WaitMeans>() as u32,
            threads: 1,
            thread: &thread,
            poll,
            sleep,
            host_private: std::ptr::from_ref(stage).cast(),
        };
        // SAFETY: the host completes tables; everything lives during the call.
        match unsafe { (self.ops.wait.expect("required"))(self.instance, sync, &means) } {
            OK if sync.is_complete() => Ok(()),
            OK => Err(format!(
                "it returned after {} passes, and what it waited for had not happened",
                stage.passes.get()
            )),
            status => Err(take_reason("wait", status)),
        }
    }
}

fn waits_for(completions: i32) -> WaitSync {
    WaitSync { pending: completions.into(), ..WaitSync::default() }
}

pub fn run(checks: &mut Checks<'_>, slot: &'static Slot) {
    let way = Way { ops: slot.table().expect("a wait"), instance: slot.instance() };

    checks.check("a wait for nothing returns at once", || {
        let stage = Stage::new(Sleep::Real, &|_| 0);
        (0..10).try_for_each(|number| way.wait(number, &waits_for(0), &stage))
    });

    checks.check("it polls until what it waits for has happened, and returns then", || {
        for kind in [Sleep::Woken, Sleep::Refused, Sleep::Unsupported] {
            for last in PASSES {
                let sync = waits_for(1);
                let pass = |number| {
                    if number == last {
                        sync.complete_one();
                    }
                    u32::from(number == last)
                };
                way.wait(0, &sync, &Stage::new(kind, &pass))?;
            }
        }
        Ok(())
    });

    checks.check("events of others do not end a wait", || {
        let sync = waits_for(3);
        let pass = |number: u64| {
            if number.is_multiple_of(100) {
                sync.complete_one();
            }
            1
        };
        way.wait(0, &sync, &Stage::new(Sleep::Woken, &pass))
    });

    checks.check("a word that processes share ends a wait as well", || {
        for last in PASSES {
            let word = AtomicU32::new(5);
            let sync = WaitSync { word: &word, expected: 5, ..waits_for(1) };
            let pass = |number| {
                if number == last {
                    word.store(6, Ordering::Release);
                }
                0
            };
            way.wait(0, &sync, &Stage::new(Sleep::Woken, &pass))?;
        }
        Ok(())
    });

    checks.check("tasks that it executes do not keep it from what it waits for", || {
        let sync = waits_for(1);
        let pass = |number| {
            if number == 1_500 {
                sync.complete_one();
            }
            0
        };
        let stage = Stage::new(Sleep::Woken, &pass);
        stage.tasks.set(1_000);
        way.wait(0, &sync, &stage)
    });

    checks.check(
        "many threads wait at a time, and each is woken when it has what it waits for",
        || {
            let syncs: Vec<WaitSync> = (0..THREADS).map(|_| WaitSync::default()).collect();
            let (begin, end) =
                (Barrier::new(THREADS as usize + 1), Barrier::new(THREADS as usize + 1));
            let wait = |sync: &WaitSync, number| {
                let mut result = Ok(());
                for _ in 0..ROUNDS {
                    sync.pending.store(2, Ordering::Relaxed);
                    sync.sleeping.store(SYNC_POLLING, Ordering::Relaxed);
                    begin.wait();
                    let stage = Stage::new(Sleep::Real, &|_| 0);
                    result = result.and(way.wait(number, sync, &stage));
                    end.wait();
                }
                result
            };
            let wait = &wait;
            std::thread::scope(|scope| {
                let waiters: Vec<_> = syncs
                    .iter()
                    .zip(0..)
                    .map(|(sync, i)| scope.spawn(move || wait(sync, i)))
                    .collect();
                for _ in 0..ROUNDS {
                    begin.wait();
                    (0..2).for_each(|_| syncs.iter().rev().for_each(WaitSync::complete_one));
                    end.wait();
                }
                waiters.into_iter().try_for_each(|waiter| waiter.join().expect("no panic"))
            })
        },
    );
}
