//! The contract of windows.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::osc::{Osc, OscOps, OscSync, OscTransfer, SharedMemory, Window};

use super::support::{Blank, Life, Subject, at, p, play, said, window, writes};

struct Double(Life);

life!(Double, Double);

impl Osc for Double {
    fn window_open(&self, window: &mut Window) -> Result<(), Failure> {
        play("window_open", (self.0.me(), p(window)))?;
        window.base = at(0x300);
        Ok(())
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
    plays! { [unsafe]
        fn synchronize(&self, window: &Window, sync: &OscSync) -> Result<Outcome, Failure>
            = |outcome| outcome;
        fn attach(&self, window: &Window, base: *mut c_void, size: u64, attach: bool)
            -> Result<(), Failure> = drop;
    }
    plays! { []
        fn window_close(&self, window: &mut Window) => ();
        fn shared_query(&self, window: &Window, rank: u32) -> Result<SharedMemory, Failure>
            = |_| SharedMemory { base: at(0x500), size: 66, displacement_unit: 77 };
        fn describe(&self, window: &Window) -> String => "no epoch".into();
    }
}

components!(osc, Double: attach, shared_query, describe);

#[test]
fn every_function_reaches_the_component() {
    let mut window = window(4);
    let address = p(&window);
    let osc = Subject::<OscOps>::double(&self::window(4).scope);
    let (ops, me) = (osc.ops, osc.instance);

    check!(osc, report window_open(me, &mut window) => (me, address));
    assert_eq!(window.base, at(0x300));

    // With a place for a request and without.
    let (transfer, mut request) = (OscTransfer::blank(), null_mut());
    check!(osc, status transfer(me, &window, &transfer, null_mut())
        => (me, address, p(&transfer), false));
    check!(osc, status transfer(me, &window, &transfer, &raw mut request)
        => (me, address, p(&transfer), true));
    assert_eq!(request, at(0x400));

    let sync = OscSync::blank();
    check!(osc, outcome synchronize(me, &window, &sync) => (me, address, p(&sync)));
    for (attach, means) in [(1, true), (0, false)] {
        check!(osc, report attach(me, &window, at(0x600), 12, attach)
            => (me, address, at::<c_void>(0x600), 12, means));
    }
    let (mut base, mut size, mut unit) = (null_mut(), 0, 0);
    check!(osc, report shared_query(me, &window, 3, &mut base, &mut size, &mut unit)
        => (me, address, 3));
    assert_eq!((base, size, unit), (at(0x500), 66, 77));

    writes("no epoch", &[said("describe", (me, address))], |text, capacity| {
        c!(ops, describe(me, &window, text, capacity))
    });
    check!(osc, plain window_close(me, &mut window) => (me, address));
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
