//! The contract of collective operations.

use std::ptr::{null, null_mut};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{ERR_UNSUPPORTED, OK};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::{
    COLL_ALLTOALLW, COLL_BCAST, COLL_BLOCKING, COLL_BLOCKING_TAGS, COLL_NONBLOCKING_TAGS,
    COLL_PERSISTENT, COLL_PERSISTENT_TAGS, COLL_TAG_FIRST, COLL_TAG_LAST, Coll, CollArgs,
    CollCounts, CollOps, CollSide, blocking_tag, nonblocking_tag, persistent_tag,
};

use super::support::{Life, Subject, Witness, at, called, calls, comm, note, p, play, said};

struct Double(Life);

life!(Double, Double);

impl Coll for Double {
    type Module = Witness;

    fn comm_open(&self, comm: &mut Comm) -> Result<Witness, Failure> {
        play("comm_open", (self.0.me(), p(comm)))?;
        Ok(Witness::new("comm_close", comm.scope.id))
    }
    fn offer(&self, comm: &Comm, module: &Witness, operation: u32, way: u32) -> Option<i32> {
        note("offer", (self.0.me(), p(comm), module.number, operation, way));
        (way == COLL_BLOCKING).then_some(61)
    }
    unsafe fn run(&self, comm: &Comm, module: &Witness, args: &CollArgs) -> Result<(), Failure> {
        play("run", (self.0.me(), p(comm), module.number, p(args))).map(drop)
    }
    unsafe fn start(
        &self,
        comm: &Comm,
        module: &Witness,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        play("start", (self.0.me(), p(comm), module.number, p(args)))?;
        Ok(at(0x100))
    }
    unsafe fn init(
        &self,
        comm: &Comm,
        module: &Witness,
        args: &CollArgs,
    ) -> Result<*mut Request, Failure> {
        play("init", (self.0.me(), p(comm), module.number, p(args)))?;
        Ok(at(0x200))
    }
    fn pending(&self, comm: &Comm, module: &Witness) -> u64 {
        note("pending", (self.0.me(), p(comm), module.number));
        4
    }
}

cairn_framework::component! {
    framework: coll,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(coll, Double: start, init, pending);

fn args() -> CollArgs {
    let none = CollCounts { data: null(), width: 4, reserved: 0 };
    let side = CollSide {
        buffer: at(1),
        count: 5,
        datatype: null(),
        counts: none,
        displacements: none,
        datatypes: null(),
    };
    CollArgs {
        struct_size: size_of::<CollArgs>() as u32,
        operation: COLL_BCAST,
        send: side,
        receive: side,
        op: null(),
        root: 2,
        tag: blocking_tag(5),
    }
}

#[test]
fn every_function_reaches_the_component() {
    let (mut world, mut half, args) = (comm(7), comm(8), args());
    let coll = Subject::<CollOps>::double(&comm(7).scope);
    let (ops, me) = (coll.ops, coll.instance);

    let (mut module, mut other) = (null_mut(), null_mut());
    let expected = said("comm_open", (me, p(&world)));
    coll.fails(&expected, || c!(ops, comm_open(me, &mut world, &mut module)));
    coll.panics(&expected, || c!(ops, comm_open(me, &mut world, &mut module)));
    assert!(module.is_null());
    assert_eq!(c!(ops, comm_open(me, &mut world, &mut module)), OK);
    assert_eq!(calls(), [expected]);
    assert_eq!(c!(ops, comm_open(me, &mut half, &mut other)), OK);
    called("comm_open", (me, p(&half)));

    assert_eq!(c!(ops, offer(me, &world, module, COLL_ALLTOALLW, COLL_BLOCKING)), 61);
    called("offer", (me, p(&world), 7, COLL_ALLTOALLW, COLL_BLOCKING));
    assert_eq!(c!(ops, offer(me, &half, other, COLL_BCAST, COLL_PERSISTENT)), -1);
    called("offer", (me, p(&half), 8, COLL_BCAST, COLL_PERSISTENT));

    let expected = said("run", (me, p(&world), 7, p(&args)));
    coll.fails(&expected, || c!(ops, run(me, &world, module, &args)));
    assert_eq!(c!(ops, run(me, &world, module, &args)), OK);
    assert_eq!(calls(), [expected]);

    let mut request = null_mut();
    let expected = said("start", (me, p(&half), 8, p(&args)));
    coll.fails(&expected, || c!(ops, start(me, &half, other, &args, &mut request)));
    assert!(request.is_null());
    assert_eq!(c!(ops, start(me, &half, other, &args, &mut request)), OK);
    assert_eq!((request, calls()), (at(0x100), vec![expected]));

    let mut request = null_mut();
    let expected = said("init", (me, p(&world), 7, p(&args)));
    coll.fails(&expected, || c!(ops, init(me, &world, module, &args, &mut request)));
    assert!(request.is_null());
    assert_eq!(c!(ops, init(me, &world, module, &args, &mut request)), OK);
    assert_eq!((request, calls()), (at(0x200), vec![expected]));

    assert_eq!(c!(ops, pending(me, &world, module)), 4);
    called("pending", (me, p(&world), 7));
    c!(ops, comm_close(me, &mut half, other));
    called("comm_close", 8);
    c!(ops, comm_close(me, &mut world, module));
    called("comm_close", 7);
    coll.close_complete();
}

/// A nonblocking operation, a persistent request and blocking operations never meet, and nonblocking
/// operations and persistent requests do not meet others of their kind for long.
#[test]
fn tags_are_negative_and_do_not_meet() {
    assert_eq!([0, 1, 32767, 32768].map(blocking_tag), [-1024, -1025, -33791, -1024]);
    assert_eq!(blocking_tag(u64::MAX), -33791);
    let ends = [
        (blocking_tag(0), blocking_tag(u64::from(COLL_BLOCKING_TAGS) - 1)),
        (nonblocking_tag(0), nonblocking_tag(u64::from(COLL_NONBLOCKING_TAGS) - 1)),
        (persistent_tag(0), persistent_tag(u64::from(COLL_PERSISTENT_TAGS) - 1)),
    ];
    assert_eq!((ends[0].0, ends[2].1), (COLL_TAG_FIRST, COLL_TAG_LAST));
    assert!(ends.iter().all(|(first, last)| first > last), "{ends:?}");
    assert!(ends.windows(2).all(|two| two[0].1 - 1 == two[1].0), "{ends:?}");
    const { assert!(COLL_NONBLOCKING_TAGS >= 1 << 28 && COLL_PERSISTENT_TAGS >= 1 << 27) };
}

#[test]
fn absent_functions() {
    let (world, args) = (comm(7), args());
    let coll = Subject::<CollOps>::bare(&world.scope);
    let (ops, me) = (coll.ops, coll.instance);
    coll.defaults([
        ("start", &|| {
            let mut request = null_mut();
            let status = c!(ops, start(me, &world, at(0x10), &args, &mut request));
            assert_eq!((status, request), (ERR_UNSUPPORTED, null_mut()));
        }),
        ("init", &|| {
            let mut request = null_mut();
            let status = c!(ops, init(me, &world, at(0x10), &args, &mut request));
            assert_eq!((status, request), (ERR_UNSUPPORTED, null_mut()));
        }),
        ("pending", &|| assert_eq!(c!(ops, pending(me, &world, at(0x10))), 0)),
    ]);
    coll.close();
}
