//! The contract of copies between processes.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::peer::{PEER_LOCAL, Peer};
use cairn_framework::abi::status::{DONE, ERR_UNSUPPORTED, NO_RESOURCES, OK};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::smsc::{Smsc, SmscOps, SmscTicket};

use super::support::{
    Life, Next, Subject, Witness, at, called, calls, order, p, play, process, said,
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
    unsafe fn fetch(
        &self,
        peer: &Witness,
        remote: u64,
        buffer: *mut c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        let arguments = (self.0.me(), peer.number, remote, buffer, len, p(ticket));
        let outcome = play("fetch", arguments)?;
        ticket.len = 3;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 100), 0)))
    }
    unsafe fn serve(
        &self,
        peer: &Witness,
        ticket: &SmscTicket,
        buffer: *const c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let outcome = play("serve", (self.0.me(), peer.number, p(ticket), buffer, len))?;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 200), 0)))
    }
    unsafe fn offer(
        &self,
        peer: &Witness,
        buffer: *const c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        let outcome = play("offer", (self.0.me(), peer.number, buffer, len, p(ticket)))?;
        ticket.len = 2;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 300), 0)))
    }
    unsafe fn accept(
        &self,
        peer: &Witness,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let outcome = play("accept", (self.0.me(), peer.number, p(ticket), buffer, len))?;
        Ok((outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", 400), 0)))
    }
    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        transfer.1 += 1;
        play("advance", (self.0.me(), transfer.0.number))
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(smsc, Double: serve, offer, accept);

fn peer(rank: u32) -> Peer {
    Peer {
        struct_size: size_of::<Peer>() as u32,
        rank,
        job: 0,
        flags: PEER_LOCAL.into(),
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

    transfers(&smsc, first, second);

    for (object, number) in [(second, 2), (first, 1)] {
        c!(ops, peer_close(me, object));
        called("peer_close", number);
    }
    smsc.close_complete();
}

/// Both sides of a transfer, each with a peer of its own.
fn transfers(smsc: &Subject<SmscOps>, from: *mut c_void, to: *mut c_void) {
    let (ops, me) = (smsc.ops, smsc.instance);
    let mut ticket = SmscTicket::default();
    let buffer = at::<c_void>(0x800);
    let (mut read, mut served) = (null_mut(), null_mut());

    let expected = said("fetch", (me, 1, 0x9999u64, buffer, 4096, p(&ticket)));
    let mut fetch = || c!(ops, fetch(me, from, 0x9999, buffer, 4096, &mut ticket, &mut read));
    smsc.fails(&expected, &mut fetch);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(fetch(), NO_RESOURCES);
    assert_eq!((read, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, fetch(me, from, 0x9999, buffer, 4096, &mut ticket, &mut read)), DONE);
    assert_eq!((read.is_null(), ticket.len, calls()), (false, 3, vec![expected]));

    let expected = said("serve", (me, 2, p(&ticket), buffer, 99));
    let mut serve = || c!(ops, serve(me, to, &ticket, buffer, 99, &mut served));
    smsc.fails(&expected, &mut serve);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(serve(), NO_RESOURCES);
    assert_eq!((served, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, serve(me, to, &ticket, buffer, 99, &mut served)), DONE);
    assert_eq!((served.is_null(), calls()), (false, vec![expected]));

    let (mut offered, mut accepted) = (null_mut(), null_mut());
    let expected = said("offer", (me, 2, buffer, 99, p(&ticket)));
    let mut offer = || c!(ops, offer(me, to, buffer, 99, &mut ticket, &mut offered));
    smsc.fails(&expected, &mut offer);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(offer(), NO_RESOURCES);
    assert_eq!((offered, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, offer(me, to, buffer, 99, &mut ticket, &mut offered)), DONE);
    assert_eq!((offered.is_null(), ticket.len, calls()), (false, 2, vec![expected]));

    let expected = said("accept", (me, 1, p(&ticket), buffer, 55));
    let mut accept = || c!(ops, accept(me, from, &ticket, buffer, 55, &mut accepted));
    smsc.fails(&expected, &mut accept);
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(accept(), NO_RESOURCES);
    assert_eq!((accepted, calls()), (null_mut(), vec![expected.clone()]));
    assert_eq!(c!(ops, accept(me, from, &ticket, buffer, 55, &mut accepted)), DONE);
    assert_eq!((accepted.is_null(), calls()), (false, vec![expected]));

    for (transfer, number) in [(read, 100), (served, 200), (offered, 300), (accepted, 400)] {
        smsc.outcomes(&said("advance", (me, number)), || c!(ops, advance(me, transfer)));
        // SAFETY: the shims keep the double's transfer there.
        let advanced = unsafe { &*transfer.cast::<Transfer>() }.1;
        assert_eq!(advanced, 5);
        c!(ops, finish(me, transfer));
        called("finish", number);
    }
}

#[test]
fn a_component_without_optional_functions_says_so() {
    let scope = process();
    let smsc = Subject::<SmscOps>::bare(&scope);
    let (mut place, ticket) = (null_mut(), SmscTicket::default());
    let answer = c!(smsc.ops, serve(smsc.instance, null_mut(), &ticket, at(0x800), 5, &mut place));
    assert_eq!((answer, place, calls()), (ERR_UNSUPPORTED, null_mut(), Vec::<String>::new()));
    let answer = c!(smsc.ops, accept(smsc.instance, null_mut(), &ticket, at(0x800), 5, &mut place));
    assert_eq!((answer, place, calls()), (ERR_UNSUPPORTED, null_mut(), Vec::<String>::new()));
    // Who can't begin has no room to begin.
    let mut ticket = ticket;
    let answer =
        c!(smsc.ops, offer(smsc.instance, null_mut(), at(0x800), 5, &mut ticket, &mut place));
    assert_eq!((answer, place, calls()), (NO_RESOURCES, null_mut(), Vec::<String>::new()));
    smsc.close();
}
