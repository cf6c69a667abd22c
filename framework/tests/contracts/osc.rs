//! The contract of windows.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{DONE, ERR_UNSUPPORTED, NOTHING, OK};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::osc::{Osc, OscOps, OscSync, OscTransfer, Window};

use super::support::{
    Blank, Life, Next, Subject, at, called, note, order, p, play, said, window, writes,
};

struct Double(Life);

life!(Double, Double);

/// What the double keeps for a window.
struct Kept(u32);

impl Osc for Double {
    type Window = Kept;

    fn window_open(&self, window: &mut Window) -> Result<Option<Kept>, Failure> {
        let outcome = play("window_open", (self.0.me(), p(window)))?;
        window.base = at(0x300);
        Ok((outcome != Outcome::Nothing).then_some(Kept(88)))
    }
    fn window_close(&self, window: &mut Window, Kept(kept): Kept) {
        note("window_close", (self.0.me(), p(window), kept));
    }
    unsafe fn transfer(
        &self,
        window: &Window,
        Kept(kept): &Kept,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure> {
        play("transfer", (self.0.me(), p(window), kept, p(transfer), requested))?;
        Ok(requested.then(|| at(0x400)))
    }
    unsafe fn synchronize(
        &self,
        window: &Window,
        Kept(kept): &Kept,
        sync: &OscSync,
    ) -> Result<Outcome, Failure> {
        play("synchronize", (self.0.me(), p(window), kept, p(sync)))
    }
    unsafe fn attach(
        &self,
        window: &Window,
        Kept(kept): &Kept,
        base: *mut c_void,
        size: u64,
    ) -> Result<(), Failure> {
        play("attach", (self.0.me(), p(window), kept, base, size)).map(drop)
    }
    unsafe fn detach(
        &self,
        window: &Window,
        Kept(kept): &Kept,
        base: *mut c_void,
    ) -> Result<(), Failure> {
        play("attach", (self.0.me(), p(window), kept, base)).map(drop)
    }
    fn shared_query(&self, window: &Window, Kept(kept): &Kept, rank: u32) -> Option<*mut c_void> {
        note("shared_query", (self.0.me(), p(window), kept, rank));
        (rank == 3).then(|| at(0x500))
    }
    fn memory_allocate(&self, size: u64, alignment: u64) -> Result<*mut c_void, Failure> {
        play("memory_allocate", (self.0.me(), size, alignment)).map(|_| at(0x700))
    }
    unsafe fn memory_free(&self, base: *mut c_void) {
        note("memory_free", (self.0.me(), base));
    }
    fn describe(&self, window: &Window, Kept(kept): &Kept) -> String {
        note("describe", (self.0.me(), p(window), kept));
        "no epoch".into()
    }
}

components!(osc, Double: attach, shared_query, memory_allocate, memory_free, describe);

#[test]
fn every_function_reaches_the_component() {
    let mut window = window(4);
    let address = p(&window);
    let osc = Subject::<OscOps>::double(&self::window(4).scope);
    let (ops, me) = (osc.ops, osc.instance);

    let opened = said("window_open", (me, address));
    let mut state = null_mut();
    osc.fails(&opened, || c!(ops, window_open(me, &mut window, &mut state)));
    order(Next::Outcome(Outcome::Nothing));
    assert_eq!(c!(ops, window_open(me, &mut window, &mut state)), NOTHING);
    called("window_open", (me, address));
    assert!(state.is_null());
    assert_eq!(c!(ops, window_open(me, &mut window, &mut state)), DONE);
    called("window_open", (me, address));
    assert_eq!(window.base, at(0x300));

    // With a place for a request and without.
    let (transfer, mut request) = (OscTransfer::blank(), null_mut());
    check!(osc, status transfer(me, &window, state, &transfer, null_mut())
        => (me, address, 88, p(&transfer), false));
    check!(osc, status transfer(me, &window, state, &transfer, &raw mut request)
        => (me, address, 88, p(&transfer), true));
    assert_eq!(request, at(0x400));

    let sync = OscSync::blank();
    check!(osc, outcome synchronize(me, &window, state, &sync) => (me, address, 88, p(&sync)));
    let memory = at::<c_void>(0x600);
    check!(osc, report attach(me, &window, state, memory, 12, 1) => (me, address, 88, memory, 12));
    check!(osc, report attach(me, &window, state, memory, 12, 0) => (me, address, 88, memory));
    for (rank, expected) in [(3, at(0x500)), (4, null_mut())] {
        let mut base = at(1);
        assert_eq!(c!(ops, shared_query(me, &window, state, rank, &mut base)), OK);
        called("shared_query", (me, address, 88, rank));
        assert_eq!(base, expected);
    }
    let mut base = null_mut();
    check!(osc, report memory_allocate(me, 55, 16, &mut base) => (me, 55, 16));
    assert_eq!(base, at(0x700));
    check!(osc, plain memory_free(me, base) => (me, base));

    writes("no epoch", &[said("describe", (me, address, 88))], |text, capacity| {
        c!(ops, describe(me, &window, state, text, capacity))
    });
    check!(osc, plain window_close(me, &mut window, state) => (me, address, 88));
    osc.close_complete();
}

#[test]
fn absent_functions() {
    let window = window(4);
    let osc = Subject::<OscOps>::bare(&window.scope);
    let (ops, me) = (osc.ops, osc.instance);
    let state = null_mut();
    osc.defaults([
        ("attach", &|| {
            assert_eq!(c!(ops, attach(me, &window, state, at(0x600), 12, 1)), ERR_UNSUPPORTED);
        }),
        ("shared_query", &|| {
            let mut base = at(1);
            assert_eq!(c!(ops, shared_query(me, &window, state, 3, &mut base)), OK);
            assert!(base.is_null());
        }),
        ("memory_allocate", &|| {
            let mut base = at(1);
            assert_eq!(c!(ops, memory_allocate(me, 55, 16, &mut base)), ERR_UNSUPPORTED);
            assert_eq!(base, at(1));
        }),
        // That this does nothing shows in the notes.
        ("memory_free", &|| c!(ops, memory_free(me, null_mut()))),
        ("describe", &|| {
            writes("", &[], |text, capacity| c!(ops, describe(me, &window, state, text, capacity)));
        }),
    ]);
    osc.close();
}
