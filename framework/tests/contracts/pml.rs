//! The contract of point-to-point messages.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::abi::status::{DONE, NOTHING, OK, Status};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::pml::{
    PML_ANY_SOURCE, PML_READY, Pml, PmlOps, PmlReceive, PmlSend,
};

use super::support::{
    Life, Next, Subject, at, called, calls, comm, note, order, p, play, process, said, writes,
};

struct Double(Life);

life!(Double, Double);

fn found(tag: i32) -> MessageStatus {
    MessageStatus { source: 5, tag, error: 0, cancelled: 0, bytes: 678 }
}

impl Pml for Double {
    fn comm_open(&self, comm: &mut Comm) -> Result<(), Failure> {
        play("comm_open", (self.0.me(), p(comm))).map(drop)
    }
    fn comm_close(&self, comm: &mut Comm) {
        note("comm_close", (self.0.me(), p(comm)));
    }
    unsafe fn send(&self, send: &PmlSend) -> Result<(), Failure> {
        play("send", (self.0.me(), p(send))).map(drop)
    }
    unsafe fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        play("isend", (self.0.me(), p(send)))?;
        Ok(at(0x100))
    }
    unsafe fn recv(&self, receive: &PmlReceive, status: &mut MessageStatus) -> Result<(), Failure> {
        play("recv", (self.0.me(), p(receive)))?;
        *status = found(receive.tag);
        Ok(())
    }
    unsafe fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        play("irecv", (self.0.me(), p(receive)))?;
        Ok(at(0x200))
    }
    unsafe fn send_init(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        play("send_init", (self.0.me(), p(send)))?;
        Ok(at(0x300))
    }
    unsafe fn recv_init(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        play("recv_init", (self.0.me(), p(receive)))?;
        Ok(at(0x400))
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
    unsafe fn mrecv(
        &self,
        message: *mut c_void,
        receive: &PmlReceive,
    ) -> Result<*mut Request, Failure> {
        play("mrecv", (self.0.me(), message, p(receive)))?;
        Ok(at(0x600))
    }
    fn describe(&self, comm: &Comm) -> String {
        note("describe", (self.0.me(), p(comm)));
        "queues: 0".into()
    }
    fn flush(&self) {
        note("flush", self.0.me());
    }
    fn peer_failed(&self, peer: &Peer) {
        note("peer_failed", (self.0.me(), p(peer)));
    }
    fn comm_free(&self, comm: &mut Comm) {
        note("comm_free", (self.0.me(), p(comm)));
    }
    fn pending(&self, comm: &Comm) -> u64 {
        note("pending", (self.0.me(), p(comm)));
        3
    }
    unsafe fn cris_of(&self, request: *const Request, cris: &mut CriSet) {
        note("cris_of", (self.0.me(), request, p(cris)));
    }
}

cairn_framework::component! {
    framework: pml,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(pml, Double: describe, flush, peer_failed, comm_free, pending, cris_of);

const SEND: PmlSend = PmlSend {
    buffer: null(),
    count: 3,
    datatype: null(),
    comm: null(),
    peer: 2,
    tag: 9,
    mode: PML_READY,
    reserved: 0,
};
const RECEIVE: PmlReceive = PmlReceive {
    buffer: null_mut(),
    count: 3,
    datatype: null(),
    comm: null(),
    source: PML_ANY_SOURCE,
    tag: 9,
};

fn numbers(status: &MessageStatus) -> (i32, i32, u64) {
    (status.source, status.tag, status.bytes)
}

#[test]
fn every_function_reaches_the_component() {
    let (mut world, scope) = (comm(7), process());
    let pml = Subject::<PmlOps>::double(&scope);
    let (ops, me, send, receive) = (pml.ops, pml.instance, SEND, RECEIVE);
    let address = p(&world);

    let expected = said("comm_open", (me, address));
    pml.fails(&expected, || c!(ops, comm_open(me, &mut world)));
    pml.panics(&expected, || c!(ops, comm_open(me, &mut world)));
    assert_eq!(c!(ops, comm_open(me, &mut world)), OK);
    assert_eq!(calls(), [expected]);

    let expected = said("send", (me, p(&send)));
    pml.fails(&expected, || c!(ops, send(me, &send)));
    assert_eq!(c!(ops, send(me, &send)), OK);
    assert_eq!(calls(), [expected]);

    let mut status = MessageStatus::default();
    let expected = said("recv", (me, p(&receive)));
    pml.fails(&expected, || c!(ops, recv(me, &receive, &mut status)));
    assert_eq!(numbers(&status), (0, 0, 0));
    assert_eq!(c!(ops, recv(me, &receive, &mut status)), OK);
    assert_eq!((numbers(&status), calls()), ((5, 9, 678), vec![expected]));

    let message = at::<c_void>(0x500);
    type Start<'a> = &'a dyn Fn(&mut *mut Request) -> Status;
    let functions: [(String, usize, Start<'_>); 5] = [
        (said("isend", (me, p(&send))), 0x100, &|request| c!(ops, isend(me, &send, request))),
        (said("irecv", (me, p(&receive))), 0x200, &|request| c!(ops, irecv(me, &receive, request))),
        (said("send_init", (me, p(&send))), 0x300, &|request| {
            c!(ops, send_init(me, &send, request))
        }),
        (said("recv_init", (me, p(&receive))), 0x400, &|request| {
            c!(ops, recv_init(me, &receive, request))
        }),
        (said("mrecv", (me, message, p(&receive))), 0x600, &|request| {
            c!(ops, mrecv(me, message, &receive, request))
        }),
    ];
    for (expected, made, call) in functions {
        let mut request = null_mut();
        pml.fails(&expected, || call(&mut request));
        assert!(request.is_null());
        assert_eq!(call(&mut request), OK);
        assert_eq!((request, calls()), (at(made), vec![expected]));
    }

    probes(&pml);
    writes("queues: 0", &[said("describe", (me, address))], |text, capacity| {
        c!(ops, describe(me, &world, text, capacity))
    });
    c!(ops, flush(me));
    called("flush", me);
    let peer = peer();
    c!(ops, peer_failed(me, &peer));
    called("peer_failed", (me, p(&peer)));
    assert_eq!(c!(ops, pending(me, &world)), 3);
    called("pending", (me, address));
    let mut cris = CriSet::default();
    c!(ops, cris_of(me, at(0x40), &mut cris));
    called("cris_of", (me, at::<Request>(0x40).cast_const(), p(&cris)));
    c!(ops, comm_close(me, &mut world));
    called("comm_close", (me, address));
    c!(ops, comm_free(me, &mut world));
    called("comm_free", (me, address));
    pml.close_complete();
}

fn peer() -> Peer {
    Peer {
        struct_size: size_of::<Peer>() as u32,
        rank: 3,
        job: 0,
        flags: PEER_FAILED.into(),
        node: 0,
        route_count: Default::default(),
        routes: std::cell::UnsafeCell::new(null()),
        pml: null_mut(),
    }
}

/// With a place for the message and without, blocking or not, with a message and without.
fn probes(pml: &Subject<PmlOps>) {
    let (ops, me, receive) = (pml.ops, pml.instance, RECEIVE);
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
    let peer_failed = || c!(pml.ops, peer_failed(pml.instance, &peer()));
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
