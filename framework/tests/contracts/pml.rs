//! The contract of point-to-point messages.

use std::ffi::c_void;
use std::ptr::null_mut;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::abi::status::{DONE, NOTHING};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::pml::{Pml, PmlOps, PmlReceive, PmlSend};

use super::support::{
    Blank, Life, Next, Subject, at, calls, comm, order, p, peer, play, process, said, writes,
};

struct Double(Life);

life!(Double, Double);

fn found(tag: i32) -> MessageStatus {
    MessageStatus { source: 5, tag, error: 0, cancelled: 0, bytes: 678 }
}

impl Pml for Double {
    plays! { []
        fn comm_open(&self, comm: &mut Comm) -> Result<(), Failure> = drop;
        fn comm_close(&self, comm: &mut Comm) => ();
        fn comm_free(&self, comm: &mut Comm) => ();
        fn pending(&self, comm: &Comm) -> u64 => 3;
        fn describe(&self, comm: &Comm) -> String => "queues: 0".into();
        fn flush(&self) => ();
        fn peer_failed(&self, peer: &Peer) => ();
    }
    plays! { [unsafe]
        fn send(&self, send: &PmlSend) -> Result<(), Failure> = drop;
        fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure> = |_| at(0x100);
        fn recv(&self, receive: &PmlReceive, status: &mut MessageStatus) -> Result<(), Failure>
            = |_| *status = found(receive.tag);
        fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> = |_| at(0x200);
        fn send_init(&self, send: &PmlSend) -> Result<*mut Request, Failure> = |_| at(0x300);
        fn recv_init(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> = |_| at(0x400);
        fn mrecv(&self, message: *mut c_void, receive: &PmlReceive)
            -> Result<*mut Request, Failure> = |_| at(0x600);
        fn cris_of(&self, request: *const Request, cris: &mut CriSet) => ();
    }
    unsafe fn probe(
        &self,
        receive: &PmlReceive,
        blocking: bool,
        take: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure> {
        Ok(match play("probe", (self.0.me(), p(receive), blocking, take))? {
            Outcome::Nothing => None,
            _ => Some((found(receive.tag), at(0x500))),
        })
    }
}

components!(pml, Double: describe, flush, peer_failed, comm_free, pending, cris_of);

fn receive() -> PmlReceive {
    PmlReceive { tag: 9, ..PmlReceive::blank() }
}

fn numbers(status: &MessageStatus) -> (i32, i32, u64) {
    (status.source, status.tag, status.bytes)
}

#[test]
fn every_function_reaches_the_component() {
    let (mut world, scope) = (comm(7), process());
    let pml = Subject::<PmlOps>::double(&scope);
    let (ops, me, send, receive) = (pml.ops, pml.instance, PmlSend::blank(), receive());
    let address = p(&world);

    check!(pml, report comm_open(me, &mut world) => (me, address));
    check!(pml, status send(me, &send) => (me, p(&send)));
    let mut status = MessageStatus::default();
    check!(pml, status recv(me, &receive, &mut status) => (me, p(&receive), p(&status)));
    assert_eq!(numbers(&status), (5, 9, 678));

    let (message, mut request) = (at::<c_void>(0x500), null_mut());
    check!(pml, status isend(me, &send, &mut request) => (me, p(&send)));
    assert_eq!(request, at(0x100));
    check!(pml, status irecv(me, &receive, &mut request) => (me, p(&receive)));
    assert_eq!(request, at(0x200));
    check!(pml, status send_init(me, &send, &mut request) => (me, p(&send)));
    assert_eq!(request, at(0x300));
    check!(pml, status recv_init(me, &receive, &mut request) => (me, p(&receive)));
    assert_eq!(request, at(0x400));
    check!(pml, status mrecv(me, message, &receive, &mut request) => (me, message, p(&receive)));
    assert_eq!(request, at(0x600));

    probes(&pml);
    writes("queues: 0", &[said("describe", (me, address))], |text, capacity| {
        c!(ops, describe(me, &world, text, capacity))
    });
    let (peer, mut cris) = (peer(3), CriSet::default());
    check!(pml, plain flush(me) => me);
    check!(pml, plain peer_failed(me, &peer) => (me, p(&peer)));
    assert_eq!(check!(pml, plain pending(me, &world) => (me, address)), 3);
    check!(pml, plain cris_of(me, at(0x40), &mut cris)
        => (me, at::<Request>(0x40).cast_const(), p(&cris)));
    check!(pml, plain comm_close(me, &mut world) => (me, address));
    check!(pml, plain comm_free(me, &mut world) => (me, address));
    pml.close_complete();
}

/// With a place for the message and without, blocking or not, with a message and without.
fn probes(pml: &Subject<PmlOps>) {
    let (ops, me, receive) = (pml.ops, pml.instance, receive());
    for (blocking, take) in [(0, false), (0, true), (1, false), (1, true)] {
        let (mut message, mut status) = (null_mut(), MessageStatus::default());
        let place = if take { &raw mut message } else { null_mut() };
        let expected = said("probe", (me, p(&receive), blocking == 1, take));
        let mut call = || c!(ops, probe(me, &receive, blocking, place, &mut status));
        pml.fails(&expected, &mut call);
        order(Next::Outcome(Outcome::Nothing));
        assert_eq!(call(), NOTHING);
        assert_eq!(calls(), [expected.as_str()]);
        assert_eq!((message, numbers(&status)), (null_mut(), (0, 0, 0)));

        assert_eq!(c!(ops, probe(me, &receive, blocking, place, &mut status)), DONE);
        assert_eq!(calls(), [expected]);
        let taken = if take { at(0x500) } else { null_mut() };
        assert_eq!((message, numbers(&status)), (taken, (5, 9, 678)));
    }
}

#[test]
fn absent_functions() {
    let (world, other, scope) = (comm(7), comm(8), process());
    let pml = Subject::<PmlOps>::bare(&scope);
    let describe = || {
        writes("", &[], |text, capacity| {
            c!(pml.ops, describe(pml.instance, &world, text, capacity))
        });
    };
    let flush = || c!(pml.ops, flush(pml.instance));
    let peer_failed = || c!(pml.ops, peer_failed(pml.instance, &peer(3)));
    let other = std::cell::RefCell::new(other);
    let comm_free = || c!(pml.ops, comm_free(pml.instance, &mut other.borrow_mut()));
    let pending = || assert_eq!(c!(pml.ops, pending(pml.instance, &world)), 0);
    let cris_of = || {
        let mut cris = CriSet::default();
        c!(pml.ops, cris_of(pml.instance, at(0x40), &mut cris));
        assert!(cris.is_empty());
    };
    pml.defaults([
        ("describe", &describe),
        ("flush", &flush),
        ("peer_failed", &peer_failed),
        ("comm_free", &comm_free),
        ("pending", &pending),
        ("cris_of", &cris_of),
    ]);
    pml.close();
}
