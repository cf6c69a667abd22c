//! The rules of `progress`: see [`cairn_framework::frameworks::progress`].
//!
//! A component is given an engine of its own whose instances only count how often they are polled, and
//! threads that are numbers: one thread plays all of them, so nothing depends on timing.

use std::cell::RefCell;
use std::ptr::{from_ref, null};

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::host::{PROGRESS_EVERY_PASS, PROGRESS_SELDOM};
use cairn_framework::abi::pool::{Cri, CriPool, CriSet};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::progress::{
    PROGRESS_BY_OTHERS, PROGRESS_SINGLE, ProgressAsk, ProgressEngine, ProgressOps,
};
use cairn_framework::host::Slot;

use crate::Checks;

/// Instances of the pools.
const POOLS: [u32; 3] = [4, 1, 7];
/// Passes after which everything must have been polled.
const PATIENCE: u32 = 1_000;

/// How often what was polled.
#[derive(Default)]
struct Polled {
    cris: Vec<Vec<u32>>,
    callbacks: [u32; 2],
    /// The instance that always has something, which has kept many a design from the others.
    busy: Option<(u32, u32)>,
    /// The instances that another thread is at.
    held: Vec<(u32, u32)>,
}

thread_local! {
    static POLLED: RefCell<Polled> = RefCell::default();
}

unsafe extern "C" fn poll_cri(_: &ProgressEngine, pool: u32, cri: u32) -> i32 {
    POLLED.with_borrow_mut(|polled| {
        let Some(count) =
            polled.cris.get_mut(pool as usize).and_then(|it| it.get_mut(cri as usize))
        else {
            return 0;
        };
        if polled.held.contains(&(pool, cri)) {
            return -1;
        }
        *count += 1;
        i32::from(polled.busy == Some((pool, cri)))
    })
}

unsafe extern "C" fn poll_callbacks(_: &ProgressEngine, rate: u32) -> u32 {
    POLLED.with_borrow_mut(|polled| polled.callbacks[rate as usize & 1] += 1);
    0
}

/// An engine whose pools have no strategy.
struct Stage {
    view: ProgressEngine,
    pools: Vec<CriPool>,
    _places: Vec<*mut CriPool>,
    _cris: Vec<Vec<Cri>>,
}

impl Stage {
    fn new() -> Self {
        let mut cris: Vec<Vec<Cri>> = POOLS
            .iter()
            .map(|count| {
                let cri = |index| Cri::new(index);
                (0..*count).map(cri).collect()
            })
            .collect();
        let mut pools: Vec<CriPool> = Vec::new();
        for (id, cris) in cris.iter_mut().enumerate() {
            pools.push(CriPool { id: id as u32, ..CriPool::of(c"conformance", cris) });
        }
        // No pool is added any more, so they stay where they are.
        let places: Vec<*mut CriPool> = pools.iter_mut().map(std::ptr::from_mut).collect();
        let view = ProgressEngine {
            struct_size: size_of::<ProgressEngine>() as u32,
            pool_count: POOLS.len() as u32,
            pools: places.as_ptr(),
            poll_cri,
            poll_callbacks,
            host_private: null(),
        };
        Self { view, pools, _places: places, _cris: cris }
    }

    fn set(&self, places: Places) -> CriSet {
        let mut set = CriSet::default();
        places.iter().for_each(|(pool, cri)| set.add(&self.pools[*pool as usize], *cri));
        set
    }
}

/// A policy under test, at work on a stage.
struct Policy {
    ops: &'static ProgressOps,
    instance: *mut Instance,
    stage: Stage,
}

impl Policy {
    /// A pass of a thread that waits for something on some instances, or only tests.
    fn run(&self, thread: &Thread, sync: Option<&WaitSync>, at: Places, attempts: u32) -> u32 {
        let cris = self.stage.set(at);
        let ask = ProgressAsk {
            thread,
            sync: sync.map_or(null(), from_ref),
            cris: &cris,
            attempts,
            reserved: 0,
        };
        // SAFETY: the host completes tables; everything lives during the call.
        unsafe { (self.ops.run.expect("required"))(self.instance, &self.stage.view, &ask) }
    }

    fn leave(&self, thread: &Thread, sync: &WaitSync) {
        // SAFETY: as above.
        unsafe { (self.ops.leave.expect("completed"))(self.instance, thread, sync) }
    }
}

fn thread(number: u32) -> Thread {
    Thread { struct_size: size_of::<Thread>() as u32, index: number, serial: u64::from(number) + 1 }
}

fn nothing_polled(busy: Option<(u32, u32)>) {
    let cris = POOLS.iter().map(|count| vec![0; *count as usize]).collect();
    POLLED.set(Polled { cris, busy, ..Polled::default() });
}

/// What was not polled.
fn left_out() -> Result<(), String> {
    POLLED.with_borrow(|polled| {
        for (pool, cris) in polled.cris.iter().enumerate() {
            if let Some(cri) = cris.iter().position(|count| *count == 0) {
                return Err(format!(
                    "instance {cri} of a pool of {} was not polled in {PATIENCE} passes",
                    POOLS[pool]
                ));
            }
        }
        match polled.callbacks {
            [0, _] => Err("callbacks of every pass were not called".into()),
            [_, 0] => Err("callbacks that are seldom called never were".into()),
            _ => Ok(()),
        }
    })
}

/// Instances that an operation's events can come from, as pools and indices.
type Places = &'static [(u32, u32)];

/// What threads wait for: nothing in particular, or what is on one or some instances.
const PLACES: [Places; 6] =
    [&[], &[(0, 0)], &[(0, 3)], &[(1, 0)], &[(2, 6)], &[(0, 1), (2, 0), (2, 4)]];

pub fn run(checks: &mut Checks<'_>, slot: &'static Slot) {
    let policy = Policy {
        ops: slot.table::<ProgressOps>().expect("a progress"),
        instance: slot.instance(),
        stage: Stage::new(),
    };
    const { assert!(PROGRESS_EVERY_PASS == 0 && PROGRESS_SELDOM == 1) };

    checks.check("a thread that waits polls everything, whatever it waits for", || {
        for at in PLACES {
            nothing_polled(None);
            let (own, sync) = (thread(0), WaitSync::of(1));
            (0..PATIENCE).for_each(|attempts| _ = policy.run(&own, Some(&sync), at, attempts));
            policy.leave(&own, &sync);
            left_out()?;
        }
        Ok(())
    });

    checks.check("where events can come from is polled at least as often as anything else", || {
        for at in PLACES.into_iter().skip(1) {
            nothing_polled(None);
            let (own, sync) = (thread(0), WaitSync::of(1));
            (0..PATIENCE).for_each(|attempts| _ = policy.run(&own, Some(&sync), at, attempts));
            policy.leave(&own, &sync);
            POLLED.with_borrow(|polled| {
                let polls = |(pool, cri): &(u32, u32)| polled.cris[*pool as usize][*cri as usize];
                let most = polled.cris.iter().flatten().max().copied().unwrap_or_default();
                match at.iter().find(|place| polls(place) < most) {
                    None => Ok(()),
                    Some(place) => Err(format!("{place:?}: {} polls of {most}", polls(place))),
                }
            })?;
        }
        Ok(())
    });

    checks.check("only a thread that can be woken is told that others poll for it", || {
        let threads: Vec<Thread> = (0..2).map(thread).collect();
        let sync = WaitSync::of(1);
        nothing_polled(None);
        policy.run(&threads[0], Some(&sync), &[], 0);
        let told = (0..PATIENCE).any(|attempts| {
            let attempts = if attempts == 0 { PROGRESS_SINGLE } else { attempts };
            policy.run(&threads[1], None, &[], attempts) == PROGRESS_BY_OTHERS
        });
        policy.leave(&threads[0], &sync);
        if told { Err("a thread without a sync object was told so".into()) } else { Ok(()) }
    });

    checks.check("a thread that only tests polls everything", || {
        nothing_polled(None);
        for _ in 0..PATIENCE {
            policy.run(&thread(0), None, &[], PROGRESS_SINGLE);
        }
        left_out()
    });

    checks.check("an instance that always has something does not hide the others", || {
        const BUSY: [Places; 4] = [&[(0, 0)], &[(0, 2)], &[(1, 0)], &[(2, 3)]];
        for busy in BUSY {
            nothing_polled(Some(busy[0]));
            let (own, sync) = (thread(0), WaitSync::of(1));
            for attempts in 0..PATIENCE {
                policy.run(&own, Some(&sync), busy, attempts);
            }
            policy.leave(&own, &sync);
            left_out()?;
        }
        Ok(())
    });

    checks.check("no thread waits for a CRI that another thread polls", || {
        nothing_polled(None);
        POLLED.with_borrow_mut(|polled| polled.held = vec![(0, 1), (2, 0)]);
        let (own, sync) = (thread(0), WaitSync::of(1));
        (0..PATIENCE).for_each(|attempts| _ = policy.run(&own, Some(&sync), &[(0, 1)], attempts));
        POLLED.with_borrow_mut(|polled| polled.held.clear());
        (0..PATIENCE).for_each(|attempts| _ = policy.run(&own, Some(&sync), &[(0, 1)], attempts));
        policy.leave(&own, &sync);
        left_out()
    });

    checks.check("when a thread leaves, or ends, the others poll everything", || {
        let threads: Vec<Thread> = (0..4).map(thread).collect();
        let syncs: Vec<WaitSync> = (0..4).map(|_| WaitSync::of(1)).collect();
        let pass = |i: usize, attempts| {
            policy.run(&threads[i], Some(&syncs[i]), &[], attempts);
        };
        // All wait; then one after the other has what it wanted and never comes again.
        (0..8).for_each(|attempts| (0..4).for_each(|i| pass(i, attempts)));
        let mut here = vec![0, 1, 2, 3];
        for gone in [2, 0, 3] {
            policy.leave(&threads[gone], &syncs[gone]);
            here.retain(|i| *i != gone);
            nothing_polled(None);
            (8..PATIENCE).for_each(|attempts| here.iter().for_each(|i| pass(*i, attempts)));
            left_out()?;
        }
        policy.leave(&threads[1], &syncs[1]);
        Ok(())
    });
}
