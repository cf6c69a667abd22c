//! The contract of windows.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{ERR_UNSUPPORTED, OK};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::osc::{
    OSC_GET, OSC_LOCK, Osc, OscOps, OscSide, OscSync, OscTransfer, SharedMemory, Window,
};

use super::support::{Life, Subject, at, called, calls, note, p, play, said, window, writes};

struct Double(Life);

life!(Double, Double);

impl Osc for Double {
    fn window_open(&self, window: &mut Window) -> Result<(), Failure> {
        play("window_open", (self.0.me(), p(window)))?;
        window.base = at(0x300);
        Ok(())
    }
    fn window_close(&self, window: &mut Window) {
        note("window_close", (self.0.me(), p(window)));
    }
    unsafe fn transfer(
        &self,
        window: &Window,
        transfer: &OscTransfer,
        requested: bool,
    ) -> Result<Option<*mut Request>, Failure> {
        play("transfer", (self.0.me(), p(window), p(transfer), requested))?;
        Ok(requested.then(|| at(0x400)))
    }
    unsafe fn synchronize(&self, window: &Window, sync: &OscSync) -> Result<Outcome, Failure> {
        play("synchronize", (self.0.me(), p(window), p(sync)))
    }
    unsafe fn attach(
        &self,
        window: &Window,
        base: *mut c_void,
        size: u64,
        attach: bool,
    ) -> Result<(), Failure> {
        play("attach", (self.0.me(), p(window), base, size, attach)).map(drop)
    }
    fn shared_query(&self, window: &Window, rank: u32) -> Result<SharedMemory, Failure> {
        play("shared_query", (self.0.me(), p(window), rank))?;
        Ok(SharedMemory { base: at(0x500), size: 66, displacement_unit: 77 })
    }
    fn describe(&self, window: &Window) -> String {
        note("describe", (self.0.me(), p(window)));
        "no epoch".into()
    }
}

cairn_framework::component! {
    framework: osc,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(osc, Double: attach, shared_query, describe);

fn transfer() -> OscTransfer {
    let side = OscSide { buffer: at(0x10), count: 3, datatype: null() };
    OscTransfer {
        kind: OSC_GET,
        target: 2,
        origin: side,
        result: side,
        compare: null(),
        displacement: -4,
        target_count: 3,
        target_datatype: null(),
        op: null(),
    }
}

#[test]
fn every_function_reaches_the_component() {
    let mut window = window(4);
    let address = p(&window);
    let osc = Subject::<OscOps>::double(&self::window(4).scope);
    let (ops, me) = (osc.ops, osc.instance);

    let expected = said("window_open", (me, address));
    osc.fails(&expected, || c!(ops, window_open(me, &mut window)));
    osc.panics(&expected, || c!(ops, window_open(me, &mut window)));
    assert_eq!(c!(ops, window_open(me, &mut window)), OK);
    assert_eq!((window.base, calls()), (at(0x300), vec![expected]));

    // With a place for a request and without.
    let transfer = transfer();
    let expected = said("transfer", (me, address, p(&transfer), false));
    osc.fails(&expected, || c!(ops, transfer(me, &window, &transfer, null_mut())));
    assert_eq!(c!(ops, transfer(me, &window, &transfer, null_mut())), OK);
    assert_eq!(calls(), [expected]);
    let mut request = null_mut();
    let expected = said("transfer", (me, address, p(&transfer), true));
    osc.fails(&expected, || c!(ops, transfer(me, &window, &transfer, &raw mut request)));
    assert!(request.is_null());
    assert_eq!(c!(ops, transfer(me, &window, &transfer, &raw mut request)), OK);
    assert_eq!((request, calls()), (at(0x400), vec![expected]));

    let sync = OscSync {
        kind: OSC_LOCK,
        assertions: 1,
        target: 2,
        shared: 1,
        ranks: null(),
        rank_count: 0,
        reserved: 0,
    };
    osc.outcomes(&said("synchronize", (me, address, p(&sync))), || {
        c!(ops, synchronize(me, &window, &sync))
    });

    for (attach, means) in [(1, true), (0, false)] {
        let expected = said("attach", (me, address, at::<c_void>(0x600), 12, means));
        osc.fails(&expected, || c!(ops, attach(me, &window, at(0x600), 12, attach)));
        osc.panics(&expected, || c!(ops, attach(me, &window, at(0x600), 12, attach)));
        assert_eq!(c!(ops, attach(me, &window, at(0x600), 12, attach)), OK);
        assert_eq!(calls(), [expected]);
    }

    let (mut base, mut size, mut unit) = (null_mut(), 0, 0);
    let expected = said("shared_query", (me, address, 3));
    let mut query = || c!(ops, shared_query(me, &window, 3, &mut base, &mut size, &mut unit));
    osc.fails(&expected, &mut query);
    osc.panics(&expected, &mut query);
    assert_eq!(query(), OK);
    assert_eq!((base, size, unit, calls()), (at(0x500), 66, 77, vec![expected]));

    writes("no epoch", &[said("describe", (me, address))], |text, capacity| {
        c!(ops, describe(me, &window, text, capacity))
    });
    c!(ops, window_close(me, &mut window));
    called("window_close", (me, address));
    osc.close_complete();
}

#[test]
fn absent_functions() {
    let window = window(4);
    let osc = Subject::<OscOps>::bare(&window.scope);
    let (ops, me) = (osc.ops, osc.instance);
    osc.defaults([
        ("attach", &|| {
            assert_eq!(c!(ops, attach(me, &window, at(0x600), 12, 1)), ERR_UNSUPPORTED);
        }),
        ("shared_query", &|| {
            let (mut base, mut size, mut unit) = (null_mut(), 5, 6);
            let status = c!(ops, shared_query(me, &window, 3, &mut base, &mut size, &mut unit));
            assert_eq!(status, ERR_UNSUPPORTED);
            assert_eq!((base, size, unit), (null_mut(), 5, 6));
        }),
        ("describe", &|| {
            writes("", &[], |text, capacity| c!(ops, describe(me, &window, text, capacity)));
        }),
    ]);
    osc.close();
}
