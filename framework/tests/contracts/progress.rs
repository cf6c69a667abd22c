//! The contract of policies for the progress engine.

use std::ptr::null;

use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::progress::{Progress, ProgressAsk, ProgressEngine, ProgressOps};
use cairn_framework::frameworks::wait::WaitMeans;

use super::support::{Life, Subject, at, calls, cri, note, p, pool, process, said, thread};
use super::wait::means;

struct Double(Life);

life!(Double, Double);

impl Progress for Double {
    plays! { []
        fn run(&self, engine: &ProgressEngine, ask: &ProgressAsk) -> u32 => 17;
        fn leave(&self, thread: &Thread, sync: *const WaitSync) => ();
        fn pools_changed(&self, engine: &ProgressEngine) => ();
        fn threads(&self) -> u32 => 3;
        fn background(&self, sync: &WaitSync, means: &WaitMeans) => ();
        fn anonymous_passes(&self) -> u32 => 2;
    }
}

components!(progress, Double: leave, pools_changed, threads, background, anonymous_passes);

/// Another thread is at instance 0.
unsafe extern "C" fn poll_cri(engine: &ProgressEngine, pool: u32, cri: u32) -> i32 {
    note("poll_cri", (p(engine), pool, cri));
    if cri == 0 { -1 } else { 6 }
}

unsafe extern "C" fn poll_callbacks(engine: &ProgressEngine, rate: u32) -> u32 {
    note("poll_callbacks", (p(engine), rate));
    8
}

fn engine() -> ProgressEngine {
    ProgressEngine {
        struct_size: size_of::<ProgressEngine>() as u32,
        pool_count: 0,
        pools: at(align_of::<usize>()),
        poll_cri,
        poll_callbacks,
        host_private: null(),
    }
}

#[test]
fn every_function_reaches_the_policy() {
    let scope = process();
    let progress = Subject::<ProgressOps>::double(&scope);
    let me = progress.instance;
    let (engine, thread, sync) = (engine(), thread(4), WaitSync::default());
    let ask = ProgressAsk {
        thread: &raw const thread,
        sync: &raw const sync,
        cris: null(),
        attempts: 5,
        reserved: 0,
    };
    let means = means(&raw const thread);
    assert_eq!(check!(progress, plain run(me, &engine, &ask) => (me, p(&engine), p(&ask))), 17);
    for sync in [&raw const sync, null()] {
        check!(progress, plain leave(me, &thread, sync) => (me, p(&thread), sync));
    }
    check!(progress, plain pools_changed(me, &engine) => (me, p(&engine)));
    assert_eq!(check!(progress, plain threads(me) => me), 3);
    check!(progress, plain background(me, &sync, &means) => (me, p(&sync), p(&means)));
    assert_eq!(check!(progress, plain anonymous_passes(me) => me), 2);
    progress.close_complete();
}

#[test]
fn the_engine_is_asked_through_its_functions() {
    let mut engine = engine();
    assert!(engine.pools().is_empty());
    let (few, many) = ([cri(0)], [cri(0), cri(1)]);
    let (mut left, mut right) = (pool(20, &few), pool(21, &many));
    let pools = [&raw mut left, &raw mut right];
    (engine.pools, engine.pool_count) = (pools.as_ptr(), 2);
    assert_eq!(
        engine.pools().iter().map(|pool| (pool.id, pool.count)).collect::<Vec<_>>(),
        [(20, 1), (21, 2)]
    );

    calls();
    assert_eq!([engine.poll(1, 0), engine.poll(0, 1)], [None, Some(6)]);
    assert_eq!([engine.callbacks(1), engine.callbacks(0)], [8, 8]);
    assert_eq!(
        calls(),
        [
            said("poll_cri", (p(&engine), 1, 0)),
            said("poll_cri", (p(&engine), 0, 1)),
            said("poll_callbacks", (p(&engine), 1)),
            said("poll_callbacks", (p(&engine), 0)),
        ]
    );
}

#[test]
fn what_is_known_is_polled_first_and_the_rest_when_that_has_nothing() {
    let mut engine = engine();
    let (few, many) = ([cri(0), cri(1)], [cri(0), cri(1), cri(2), cri(3)]);
    let (mut left, mut right) = (pool(20, &few), pool(21, &many));
    let pools = [&raw mut left, &raw mut right];
    (engine.pools, engine.pool_count) = (pools.as_ptr(), 2);
    let thread = thread(4);
    let mut cris = CriSet::default();
    let ask = |cris: &CriSet| ProgressAsk {
        thread: &raw const thread,
        sync: null(),
        cris,
        attempts: 0,
        reserved: 0,
    };
    let poll = |pool: u32, cri: u32| said("poll_cri", (p(&engine), pool, cri));

    // Nothing is known: the first of each pool, which have no strategy. Another thread is at them.
    calls();
    engine.poll_outward(&ask(&cris), false);
    let order = [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (1, 3)];
    assert_eq!(calls(), order.map(|(pool, cri)| poll(pool, cri)));
    // One that has something, and with everything all the same.
    cris.add(engine.pools()[1], 2);
    assert_eq!(engine.poll_outward(&ask(&cris), false), 6);
    assert_eq!(calls(), [poll(1, 2)]);
    engine.poll_outward(&ask(&cris), true);
    let order = [(1, 2), (0, 0), (0, 1), (1, 3), (1, 0), (1, 1)];
    assert_eq!(calls(), order.map(|(pool, cri)| poll(pool, cri)));
    assert_eq!(engine.poll_all(), 4 * 6);
    assert_eq!(calls().len(), 6);
}

#[test]
fn absent_functions() {
    let scope = process();
    let progress = Subject::<ProgressOps>::bare(&scope);
    let (ops, me) = (progress.ops, progress.instance);
    // That they do nothing shows in the notes.
    progress.defaults([
        ("leave", &|| c!(ops, leave(me, &thread(4), at(0x10)))),
        ("pools_changed", &|| c!(ops, pools_changed(me, &engine()))),
        ("threads", &|| assert_eq!(c!(ops, threads(me)), 0)),
        ("background", &|| c!(ops, background(me, &WaitSync::default(), &means(null())))),
        ("anonymous_passes", &|| assert_eq!(c!(ops, anonymous_passes(me)), u32::MAX)),
    ]);
    progress.close();
}
