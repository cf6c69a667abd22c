//! The contract of copies between processes.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::status::{DONE, ERR_UNSUPPORTED, NO_RESOURCES, OutcomeCode};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::smsc::{Smsc, SmscOps, SmscTicket};

use super::support::{Life, Next, Subject, Witness, at, order, p, peer, play, process, said};

struct Double(Life);

life!(Double, Double);

/// A transfer, and how often it was advanced.
struct Transfer(Witness, u32);

fn transfer(outcome: Outcome, number: u32) -> Option<Transfer> {
    (outcome == Outcome::Done).then(|| Transfer(Witness::new("finish", number), 0))
}

impl Smsc for Double {
    type Peer = Witness;
    type Transfer = Transfer;

    fn peer_open(&self, view: &Peer) -> Result<Witness, Failure> {
        play("peer_open", (self.0.me(), p(view)))?;
        Ok(Witness::new("peer_close", view.rank))
    }
    plays! { [unsafe]
        fn fetch(&self, peer: &Witness, remote: u64, buffer: *mut c_void, len: usize,
            ticket: &mut SmscTicket) -> Result<Option<Transfer>, Failure> = |outcome| {
                ticket.len = 3;
                transfer(outcome, 100)
            };
        fn serve(&self, peer: &Witness, ticket: &SmscTicket, buffer: *const c_void, len: usize)
            -> Result<Option<Transfer>, Failure> = |outcome| transfer(outcome, 200);
        fn offer(&self, peer: &Witness, buffer: *const c_void, len: usize,
            ticket: &mut SmscTicket) -> Result<Option<Transfer>, Failure> = |outcome| {
                ticket.len = 2;
                transfer(outcome, 300)
            };
        fn accept(&self, peer: &Witness, ticket: &SmscTicket, buffer: *mut c_void, len: usize)
            -> Result<Option<Transfer>, Failure> = |outcome| transfer(outcome, 400);
        fn write(&self, peer: &Witness, remote: u64, buffer: *const c_void, len: usize)
            -> Result<(), Failure> = |_| ();
    }
    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        transfer.1 += 1;
        play("advance", (self.0.me(), transfer.0.number))
    }
}

components!(smsc, Double: serve, offer, accept, write);

#[test]
fn every_function_reaches_the_component() {
    let (near, far, scope) = (peer(1), peer(2), process());
    let smsc = Subject::<SmscOps>::double(&scope);
    let (_ops, me) = (smsc.ops, smsc.instance);

    let (mut first, mut second) = (null_mut(), null_mut());
    check!(smsc, report peer_open(me, &near, &mut first) => (me, p(&near)));
    check!(smsc, report peer_open(me, &far, &mut second) => (me, p(&far)));

    transfers(&smsc, first, second);

    for (object, number) in [(second, 2), (first, 1)] {
        check!(smsc, plain peer_close(me, object) => number);
    }
    smsc.close_complete();
}

/// Both sides of a transfer, each with a peer of its own.
fn transfers(smsc: &Subject<SmscOps>, from: *mut c_void, to: *mut c_void) {
    let (ops, me) = (smsc.ops, smsc.instance);
    let mut ticket = SmscTicket::default();
    let buffer = at::<c_void>(0x800);
    let [mut read, mut served, mut offered, mut accepted] = [null_mut(); 4];
    let place = p(&ticket);

    starts(smsc, &said("fetch", (me, from, 0x9999_u64, buffer, 4096, place)), |or| {
        c!(ops, fetch(me, from, 0x9999, buffer, 4096, &mut ticket, or.unwrap_or(&mut read)))
    });
    assert_eq!((read.is_null(), ticket.len), (false, 3));
    starts(smsc, &said("serve", (me, to, place, buffer, 99)), |or| {
        c!(ops, serve(me, to, &ticket, buffer, 99, or.unwrap_or(&mut served)))
    });
    starts(smsc, &said("offer", (me, to, buffer, 99, place)), |or| {
        c!(ops, offer(me, to, buffer, 99, &mut ticket, or.unwrap_or(&mut offered)))
    });
    assert_eq!(ticket.len, 2);
    starts(smsc, &said("accept", (me, from, place, buffer, 55)), |or| {
        c!(ops, accept(me, from, &ticket, buffer, 55, or.unwrap_or(&mut accepted)))
    });

    check!(smsc, report write(me, to, 0x7777, buffer, 44) => (me, to, 0x7777_u64, buffer, 44));

    for (transfer, number) in [(read, 100), (served, 200), (offered, 300), (accepted, 400)] {
        check!(smsc, outcome advance(me, transfer) => (me, number));
        // SAFETY: the shims keep the double's transfer there.
        let advanced = unsafe { &*transfer.cast::<Transfer>() }.1;
        assert_eq!(advanced, 5);
        check!(smsc, plain finish(me, transfer) => number);
    }
}

/// Starts a transfer: with a failure, without resources, which both leave the place empty, and at last.
fn starts(
    smsc: &Subject<SmscOps>,
    expected: &str,
    mut call: impl FnMut(Option<&mut *mut c_void>) -> OutcomeCode,
) {
    let mut empty = null_mut();
    smsc.fails(expected, || call(Some(&mut empty)));
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(smsc.plain(expected, || call(Some(&mut empty))), NO_RESOURCES);
    assert!(empty.is_null());
    assert_eq!(smsc.plain(expected, || call(None)), DONE);
}

#[test]
fn absent_functions() {
    let scope = process();
    let smsc = Subject::<SmscOps>::bare(&scope);
    let (ops, me, peer, buffer) = (smsc.ops, smsc.instance, null_mut(), at(0x800));
    let answers = |code, call: &dyn Fn(&mut SmscTicket, &mut *mut c_void) -> OutcomeCode| {
        let (mut ticket, mut place) = (SmscTicket::default(), null_mut());
        assert_eq!((call(&mut ticket, &mut place), place), (code, null_mut()));
    };
    smsc.defaults([
        ("serve", &|| {
            answers(ERR_UNSUPPORTED, &|ticket, to| c!(ops, serve(me, peer, ticket, buffer, 5, to)));
        }),
        // What can't begin has no room to begin.
        ("offer", &|| {
            answers(NO_RESOURCES, &|ticket, to| c!(ops, offer(me, peer, buffer, 5, ticket, to)));
        }),
        ("accept", &|| {
            answers(ERR_UNSUPPORTED, &|ticket, to| {
                c!(ops, accept(me, peer, ticket, buffer, 5, to))
            });
        }),
        ("write", &|| {
            answers(ERR_UNSUPPORTED, &|_, _| c!(ops, write(me, peer, 0x7777, buffer, 5)));
        }),
    ]);
    smsc.close();
}
