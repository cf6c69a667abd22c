//! The contract of matching engines.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::status::{DONE, NOTHING};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, Match, MatchArrived, MatchCounts, MatchOps, MatchPosted,
};

use super::support::{
    Blank, Life, Subject, Witness, at, called, calls, comm, note, p, play, said, writes,
};

struct Double(Life);

life!(Double, Double);

const POSTED: usize = 0x100;
const ARRIVED: usize = 0x200;
const CONTEXT: usize = 0x300;

impl Match for Double {
    type Engine = Witness;

    fn engine_open(&self, comm: &Comm) -> Result<Witness, Failure> {
        play("engine_open", (self.0.me(), p(comm)))?;
        Ok(Witness::new("engine_close", comm.scope.id))
    }
    /// Keeps messages with tags that are not positive.
    unsafe fn arrive(
        engine: &Witness,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let kept = (tag <= 0).then(keep);
        note("arrive", (engine.number, source, tag, kept));
        (tag > 0).then(|| at(POSTED))
    }
    fn find(
        engine: &Witness,
        source: i32,
        tag: i32,
        take: bool,
        look: &mut dyn FnMut(*mut MatchArrived),
    ) -> Option<*mut MatchArrived> {
        note("find", (engine.number, source, tag, take));
        (tag > 0).then(|| at(ARRIVED)).inspect(|found| look(*found))
    }
    plays! { [unsafe]
        fn cancel(engine: &Witness, posted: *mut MatchPosted) -> bool => posted == at(POSTED);
        fn post(engine: &Witness, posted: *mut MatchPosted) -> Option<*mut MatchArrived>
            => (posted == at(POSTED)).then(|| at(ARRIVED));
    }
    plays! { []
        fn drain(engine: &Witness) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>)
            => ((engine.number == 7).then(|| at(POSTED)), (engine.number == 8).then(|| at(ARRIVED)));
        fn counts(engine: &Witness) -> MatchCounts => some();
        fn describe(engine: &Witness) -> String => "5 receives".into();
        fn withdraw(engine: &Witness, source: i32) -> Option<*mut MatchPosted>
            => (source == 5).then_some(at(POSTED));
    }
}

fn some() -> MatchCounts {
    MatchCounts { posted: 1, arrived: 2, searches: 5, arrived_met: 11, ..MatchCounts::blank() }
}

/// All fields, for comparing.
fn numbers(counts: MatchCounts) -> String {
    format!("{counts:?}")
}

components!(matching, Double: counts, describe, withdraw);

/// Keeps a message where the context says.
unsafe extern "C" fn keep(context: *mut c_void) -> *mut MatchArrived {
    note("keep", context);
    context.cast()
}

unsafe extern "C" fn look(context: *mut c_void, arrived: *mut MatchArrived) {
    note("look", (context, arrived));
}

#[test]
fn every_function_reaches_the_engine() {
    let (world, half) = (comm(7), comm(8));
    let subject = Subject::<MatchOps>::double(&world.scope);
    let (ops, me) = (subject.ops, subject.instance);

    let (mut first, mut second) = (null_mut(), null_mut());
    check!(subject, report engine_open(me, &world, &mut first) => (me, p(&world)));
    check!(subject, report engine_open(me, &half, &mut second) => (me, p(&half)));

    let (receive, other) = (at::<MatchPosted>(POSTED), at::<MatchPosted>(POSTED + 1));
    for (posted, arrived, code) in [(receive, at(ARRIVED), DONE), (other, null_mut(), NOTHING)] {
        assert_eq!(check!(subject, plain post(first, posted) => (7, posted)), arrived);
        assert_eq!(check!(subject, plain cancel(second, posted) => (8, posted)), code);
    }
    for (tag, take, arrived) in [(1, 0, at(ARRIVED)), (1, 1, at(ARRIVED)), (-2, 1, null_mut())] {
        let context = at(CONTEXT);
        assert_eq!(c!(ops, find(second, MATCH_ANY_SOURCE, tag, take, look, context)), arrived);
        let found = said("find", (8, MATCH_ANY_SOURCE, tag, take == 1));
        let looked = (!arrived.is_null()).then(|| said("look", (context, arrived)));
        assert_eq!(calls(), Vec::from_iter([found].into_iter().chain(looked)));
    }
    for (engine, receive, message) in
        [(first, at(POSTED), null_mut()), (second, null_mut(), at(ARRIVED))]
    {
        let (mut posted, mut arrived) = (at(1), at(1));
        let number = if engine == first { 7 } else { 8 };
        check!(subject, plain drain(engine, &mut posted, &mut arrived) => number);
        assert_eq!((posted, arrived), (receive, message));
    }
    let mut counts = MatchCounts::default();
    check!(subject, plain counts(first, &mut counts) => 7);
    assert_eq!(numbers(counts), numbers(some()));
    writes("5 receives", &[said("describe", 8)], |text, capacity| {
        c!(ops, describe(second, text, capacity))
    });

    for (source, posted) in [(5, at(POSTED)), (MATCH_ANY_SOURCE, null_mut())] {
        assert_eq!(check!(subject, plain withdraw(second, source) => (8, source)), posted);
    }

    arrivals(&subject, first);
    for (engine, number) in [(first, 7), (second, 8)] {
        check!(subject, plain engine_close(engine) => number);
    }
    subject.close_complete();
}

/// `keep` is the caller's, with its context, and called only when the engine keeps the message.
fn arrivals(subject: &Subject<MatchOps>, engine: *mut c_void) {
    let ops = subject.ops;
    let kept = at::<MatchArrived>(ARRIVED);
    assert_eq!(c!(ops, arrive(engine, 3, 9, keep, kept.cast())), at(POSTED));
    called("arrive", (7, 3, 9, None::<Option<*mut MatchArrived>>));
    assert!(c!(ops, arrive(engine, 3, -9, keep, kept.cast())).is_null());
    assert_eq!(calls(), [said("keep", kept), said("arrive", (7, 3, -9, Some(Some(kept))))]);
    let nothing = null_mut::<MatchArrived>();
    assert!(c!(ops, arrive(engine, 3, -9, keep, nothing.cast())).is_null());
    let dropped = Some(None::<*mut MatchArrived>);
    assert_eq!(calls(), [said("keep", nothing), said("arrive", (7, 3, -9, dropped))]);
}

#[test]
fn absent_functions() {
    let world = comm(7);
    let subject = Subject::<MatchOps>::bare(&world.scope);
    let ops = subject.ops;
    subject.defaults([
        ("counts", &|| {
            let mut counts = some();
            c!(ops, counts(at(0x10), &mut counts));
            assert_eq!(numbers(counts), numbers(MatchCounts::default()));
        }),
        ("describe", &|| {
            writes("", &[], |text, capacity| c!(ops, describe(at(0x10), text, capacity)));
        }),
        ("withdraw", &|| assert!(c!(ops, withdraw(at(0x10), 1)).is_null())),
    ]);
    subject.close();
}
