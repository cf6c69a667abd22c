//! The contract of copies between processes.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::peer::{PEER_LOCAL, Peer};
use cairn_framework::abi::status::{DONE, NO_RESOURCES, OK};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::smsc::{SMSC_MAX_TICKET, Smsc, SmscOps, SmscTicket};

use super::support::{
    Life, Next, Subject, Witness, at, called, calls, note, order, p, play, process, said,
};

struct Double(Life);

life!(Double, Double);

/// A transfer, and how often it was advanced.
struct Transfer(Witness, u32);

impl Smsc for Double {
    type Peer = Witness;
    type Transfer = Transfer;

    fn peer_open(&self, view: &Peer) -> Result<Witness, Failure> {
        play("peer_open", (self.0.me(), p(view)))?;
        Ok(Witness::new("peer_close", view.rank))
    }
    unsafe fn offer(
        &self,
        peer: &Witness,
        buffer: *const c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        let outcome = play("offer", (self.0.me(), peer.number, buffer, len, p(ticket)))?;
        ticket.len = 3;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 100), 0)))
    }
    unsafe fn accept(
        &self,
        peer: &Witness,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let outcome = play("accept", (self.0.me(), peer.number, p(ticket), buffer, len))?;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 200), 0)))
    }
    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        transfer.1 += 1;
        play("advance", (self.0.me(), transfer.0.number))
    }
    fn estimate(&self, len: usize) -> u64 {
        note("estimate", (self.0.me(), len));
        u64::MAX - 5
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Double,
    name: "double",
    description: "implements everything",
}

fn peer(rank: u32) -> Peer {
    Peer {
        struct_size: size_of::<Peer>() as u32,
        rank,
        job: 0,
        flags: PEER_LOCAL,
        node: 0,
        route_count: Default::default(),
        routes: std::cell::UnsafeCell::new(std::ptr::null()),
        pml: null_mut(),
    }
}

#[test]
fn every_function_reaches_the_component() {
    let (near, far, scope) = (peer(1), peer(2), process());
    let smsc = Subject::<SmscOps>::double(&scope);
    let (ops, me) = (smsc.ops, smsc.instance);

    let (mut first, mut second) = (null_mut(), null_mut());
    let expected = said("peer_open", (me, p(&near)));
    smsc.fails(&expected, || c!(ops, peer_open(me, &near, &mut first)));
    smsc.panics(&expected, || c!(ops, peer_open(me, &near, &mut first)));
    assert!(first.is_null());
    assert_eq!(c!(ops, peer_open(me, &near, &mut first)), OK);
    assert_eq!(calls(), [expected]);
    assert_eq!(c!(ops, peer_open(me, &far, &mut second)), OK);
    called("peer_open", (me, p(&far)));
    assert_eq!(c!(ops, estimate(me, 4096)), u64::MAX - 5);
    called("estimate", (me, 4096));

    transfers(&smsc, first, second);

    for (object, number) in [(second, 2), (first, 1)] {
        c!(ops, peer_close(me, object));
        called("peer_close", number);
    }
    smsc.close_complete();
}

/// Both sides of a transfer, each with a peer of its own.
fn transfers(smsc: &Subject<SmscOps>, to: *mut c_void, from: *mut c_void) {
    let (ops, me) = (smsc.ops, smsc.instance);
    let mut ticket = SmscTicket { len: 0, reserved: 0, data: [0; SMSC_MAX_TICKET] };
    let buffer = at::<c_void>(0x800);
    let (mut sent, mut received) = (null_mut(), null_mut());

    let expected = said("offer", (me, 1, buffer, 4096, p(&ticket)));
    let mut offer = || c!(ops, offer(me, to, buffer, 4096, &mut ticket, &mut sent));
    smsc.fails(&expected, &mut offer);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(offer(), NO_RESOURCES);
    assert_eq!((sent, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, offer(me, to, buffer, 4096, &mut ticket, &mut sent)), DONE);
    assert_eq!((sent.is_null(), ticket.len, calls()), (false, 3, vec![expected]));

    let expected = said("accept", (me, 2, p(&ticket), buffer, 99));
    let mut accept = || c!(ops, accept(me, from, &ticket, buffer, 99, &mut received));
    smsc.fails(&expected, &mut accept);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(accept(), NO_RESOURCES);
    assert_eq!((received, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, accept(me, from, &ticket, buffer, 99, &mut received)), DONE);
    assert_eq!((received.is_null(), calls()), (false, vec![expected]));

    for (transfer, number) in [(sent, 100), (received, 200)] {
        smsc.outcomes(&said("advance", (me, number)), || c!(ops, advance(me, transfer)));
        // SAFETY: the shims keep the double's transfer there.
        let advanced = unsafe { &*transfer.cast::<Transfer>() }.1;
        assert_eq!(advanced, 5);
        c!(ops, finish(me, transfer));
        called("finish", number);
    }
}
