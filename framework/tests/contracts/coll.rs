//! The contract of collective operations.

use std::ptr::null_mut;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::{
    COLL_ALLTOALLW, COLL_BCAST, COLL_BLOCKING, COLL_BLOCKING_TAGS, COLL_NONBLOCKING_TAGS,
    COLL_PERSISTENT, COLL_PERSISTENT_TAGS, COLL_TAG_FIRST, COLL_TAG_LAST, Coll, CollArgs, CollOps,
    blocking_tag, nonblocking_tag, persistent_tag,
};

use super::support::{Blank, Life, Subject, Witness, at, comm, p, play};

struct Double(Life);

life!(Double, Double);

impl Coll for Double {
    type Module = Witness;

    fn comm_open(&self, comm: &mut Comm) -> Result<Witness, Failure> {
        play("comm_open", (self.0.me(), p(comm)))?;
        Ok(Witness::new("comm_close", comm.scope.id))
    }
    plays! { [unsafe]
        fn run(&self, comm: &Comm, module: &Witness, args: &CollArgs) -> Result<(), Failure> = drop;
        fn start(&self, comm: &Comm, module: &Witness, args: &CollArgs)
            -> Result<*mut Request, Failure> = |_| at(0x100);
        fn init(&self, comm: &Comm, module: &Witness, args: &CollArgs)
            -> Result<*mut Request, Failure> = |_| at(0x200);
    }
    plays! { []
        fn pending(&self, comm: &Comm, module: &Witness) -> u64 => 4;
        fn offer(&self, comm: &Comm, module: &Witness, operation: u32, way: u32) -> Option<i32>
            => (way == COLL_BLOCKING).then_some(61);
    }
}

components!(coll, Double: start, init, pending);

#[test]
fn every_function_reaches_the_component() {
    let (mut world, mut half, args) = (comm(7), comm(8), CollArgs::blank());
    let coll = Subject::<CollOps>::double(&comm(7).scope);
    let me = coll.instance;

    let (mut module, mut other) = (null_mut(), null_mut());
    check!(coll, report comm_open(me, &mut world, &mut module) => (me, p(&world)));
    check!(coll, report comm_open(me, &mut half, &mut other) => (me, p(&half)));

    let priority = check!(coll, plain offer(me, &world, module, COLL_ALLTOALLW, COLL_BLOCKING)
        => (me, p(&world), module, COLL_ALLTOALLW, COLL_BLOCKING));
    assert_eq!(priority, 61);
    let none = check!(coll, plain offer(me, &half, other, COLL_BCAST, COLL_PERSISTENT)
        => (me, p(&half), other, COLL_BCAST, COLL_PERSISTENT));
    assert_eq!(none, -1);

    check!(coll, status run(me, &world, module, &args) => (me, p(&world), module, p(&args)));
    let mut request = null_mut();
    check!(coll, status start(me, &half, other, &args, &mut request)
        => (me, p(&half), other, p(&args)));
    assert_eq!(request, at(0x100));
    check!(coll, status init(me, &world, module, &args, &mut request)
        => (me, p(&world), module, p(&args)));
    assert_eq!(request, at(0x200));

    assert_eq!(check!(coll, plain pending(me, &world, module) => (me, p(&world), module)), 4);
    check!(coll, plain comm_close(me, &mut half, other) => 8);
    check!(coll, plain comm_close(me, &mut world, module) => 7);
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
    let (world, args) = (comm(7), CollArgs::blank());
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
