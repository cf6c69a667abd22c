//! The lock budget: how many locks and atomic read-modify-writes each call of MPI makes, counted by
//! `cairn_framework::audit`, which only debug builds have.
//!
//! The measure is table 1 of Zambre et al. (2020), the row for request caches by instance:
//!
//! | | isend | isend, immediate | wait | wait, immediate |
//! |---|---|---|---|---|
//! | table 1, fine-grained with request caches | 1 | 1 | 2 | 0 |
//!
//! A process that was told to, this very program, sends messages to itself through shared memory and
//! says what its calls have done; it is one process so that the order of events is always the same.

#![cfg(debug_assertions)]

use std::ffi::{c_int, c_void};
use std::process::Command;
use std::ptr::null_mut;

use cairn_framework::audit::{self, Counts};
// Its functions are declared below, as C sees them.
use cairn_mpi as _;
// What is linked into the library, and what is not.
use cri_comm as _;
use linked as _;

type Handle = *mut c_void;

unsafe extern "C" {
    fn MPI_Init_thread(argc: *mut c_int, argv: Handle, required: c_int, given: *mut c_int)
    -> c_int;
    fn MPI_Finalize() -> c_int;
    fn MPI_Isend(
        buf: *const c_void,
        count: c_int,
        datatype: Handle,
        dest: c_int,
        tag: c_int,
        comm: Handle,
        request: *mut Handle,
    ) -> c_int;
    fn MPI_Issend(
        buf: *const c_void,
        count: c_int,
        datatype: Handle,
        dest: c_int,
        tag: c_int,
        comm: Handle,
        request: *mut Handle,
    ) -> c_int;
    fn MPI_Irecv(
        buf: *mut c_void,
        count: c_int,
        datatype: Handle,
        source: c_int,
        tag: c_int,
        comm: Handle,
        request: *mut Handle,
    ) -> c_int;
    fn MPI_Send(
        buf: *const c_void,
        count: c_int,
        datatype: Handle,
        dest: c_int,
        tag: c_int,
        comm: Handle,
    ) -> c_int;
    fn MPI_Wait(request: *mut Handle, status: *mut c_void) -> c_int;
    fn MPI_Test(request: *mut Handle, flag: *mut c_int, status: *mut c_void) -> c_int;
}

const WORLD: usize = 0x101;
const BYTE: usize = 0x247;
const PROC_NULL: c_int = -3;
const SINGLE: c_int = 0;
const FUNNELED: c_int = 1024;
const SERIALIZED: c_int = 2048;
const MULTIPLE: c_int = 4096;
const BYTES: c_int = 8;
/// Bytes of a message that is announced.
const MANY: c_int = 1 << 18;

/// In the environment of the process that measures: the level of thread support.
const LEVEL: &str = "CAIRN_TEST_LEVEL";

fn handle(constant: usize) -> Handle {
    std::ptr::without_provenance_mut(constant)
}

/// What a call did. It must have gone well.
fn cost(call: impl FnOnce() -> c_int) -> Counts {
    let before = audit::counts();
    let result = call();
    let cost = audit::counts() - before;
    assert_eq!(result, 0);
    cost
}

fn isend(dest: c_int, tag: c_int, request: &mut Handle) -> c_int {
    isend_of(b"8 bytes.", dest, tag, request)
}

fn isend_of(data: &'static [u8], dest: c_int, tag: c_int, request: &mut Handle) -> c_int {
    let (address, bytes) = (data.as_ptr().cast(), data.len() as c_int);
    // SAFETY: the data stays; the handles are constants.
    unsafe { MPI_Isend(address, bytes, handle(BYTE), dest, tag, handle(WORLD), request) }
}

fn issend(tag: c_int, request: &mut Handle) -> c_int {
    let (data, world) = (b"8 bytes.".as_ptr().cast(), handle(WORLD));
    // SAFETY: as above.
    unsafe { MPI_Issend(data, BYTES, handle(BYTE), 0, tag, world, request) }
}

fn send(tag: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { MPI_Send(b"8 bytes.".as_ptr().cast(), BYTES, handle(BYTE), 0, tag, handle(WORLD)) }
}

fn irecv(source: c_int, tag: c_int, request: &mut Handle) -> c_int {
    irecv_of(BYTES, source, tag, request)
}

fn irecv_of(bytes: c_int, source: c_int, tag: c_int, request: &mut Handle) -> c_int {
    let place: &mut [u8] = vec![0; bytes as usize].leak();
    // SAFETY: the place is never freed; the handles are constants.
    unsafe {
        let place = place.as_mut_ptr().cast();
        MPI_Irecv(place, bytes, handle(BYTE), source, tag, handle(WORLD), request)
    }
}

fn wait(request: &mut Handle) -> c_int {
    // SAFETY: a request of this program; null is MPI_STATUS_IGNORE.
    unsafe { MPI_Wait(request, null_mut()) }
}

/// Tests a request once.
fn test(request: &mut Handle, flag: &mut c_int) -> c_int {
    // SAFETY: as above.
    unsafe { MPI_Test(request, flag, null_mut()) }
}

/// Tests a request until it is complete, and says what that cost: one time, where there is one instance.
fn test_until(request: &mut Handle) -> Counts {
    let (mut flag, mut all) = (0, Counts::default());
    while flag == 0 {
        let Counts { locks, tries, atomics } = cost(|| test(request, &mut flag));
        all.locks += locks;
        all.tries += tries;
        all.atomics += atomics;
    }
    all
}

/// Every kind of call, by name, in an order in which each does what its name says.
fn measure() -> Vec<(&'static str, Counts)> {
    let (mut one, mut other, mut flag) = (null_mut(), null_mut(), 0);
    let mut seen = Vec::new();
    let mut note = |name, counts| seen.push((name, counts));
    note("isend, immediate", cost(|| isend(0, 1, &mut one)));
    note("wait for isend, immediate", cost(|| wait(&mut one)));
    note("send", cost(|| send(1)));
    note("irecv", cost(|| irecv(0, 1, &mut one)));
    note("irecv", cost(|| irecv(0, 1, &mut other)));
    note("wait that receives two", cost(|| wait(&mut one)));
    note("test for irecv, complete", test_until(&mut other));
    note("irecv", cost(|| irecv(0, 2, &mut one)));
    note("test of nothing", cost(|| test(&mut one, &mut flag)));
    note("send", cost(|| send(2)));
    note("test that receives", test_until(&mut one));
    // One that comes unexpected, seen by a test for another.
    note("irecv", cost(|| irecv(0, 3, &mut other)));
    note("send", cost(|| send(4)));
    note("test that keeps", cost(|| test(&mut other, &mut flag)));
    note("irecv, immediate", cost(|| irecv(0, 4, &mut one)));
    note("wait for irecv, complete", cost(|| wait(&mut one)));
    note("send", cost(|| send(3)));
    note("wait that receives", cost(|| wait(&mut other)));
    // One that says when it is received, and one that is announced.
    note("irecv", cost(|| irecv(0, 5, &mut one)));
    note("issend", cost(|| issend(5, &mut other)));
    note("wait that receives and says so", cost(|| wait(&mut one)));
    note("wait for issend", cost(|| wait(&mut other)));
    note("irecv", cost(|| irecv_of(MANY, 0, 6, &mut one)));
    note("isend, announced", cost(|| isend_of(&[1; MANY as usize], 0, 6, &mut other)));
    note("wait that fetches", cost(|| wait(&mut one)));
    note("wait that ends isend, announced", cost(|| wait(&mut other)));
    note("isend to nobody", cost(|| isend(PROC_NULL, 1, &mut one)));
    note("wait for nobody", cost(|| wait(&mut one)));
    note("irecv from nobody", cost(|| irecv(PROC_NULL, 1, &mut one)));
    note("wait for nobody", cost(|| wait(&mut one)));
    seen
}

/// The process that measures. Its own thread calls MPI, as often as everything is made once.
#[test]
#[ignore = "the other tests run it"]
fn process() {
    let level = std::env::var(LEVEL).expect("run by the others").parse().expect("a number");
    let mut given = -1;
    // SAFETY: takes a number. Whatever happens, this process ends.
    unsafe { libc::alarm(100) };
    // SAFETY: null stands for the arguments.
    unsafe { assert_eq!(MPI_Init_thread(null_mut(), null_mut(), level, &mut given), 0) };
    assert_eq!(given, level);
    drop((measure(), measure()));
    for (name, Counts { locks, tries, atomics }) in measure() {
        println!("\ncost:{name}:{locks}:{tries}:{atomics}");
    }
    // SAFETY: no request is left.
    unsafe { assert_eq!(MPI_Finalize(), 0) };
}

/// What the calls cost at a level of thread support, with these parameters, in the order of the calls.
fn costs(level: c_int, mca: &[(&str, &str)]) -> Vec<(String, Counts)> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["process", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(LEVEL, level.to_string()).env("CAIRN_MCA_btl", "sm");
    command.env("CAIRN_MCA_btl_sm_push_limit", "0");
    // What is done at times is no cost of a call: a look whether the others live.
    command.env("CAIRN_MCA_btl_sm_watch_interval", "3600000");
    // It offers everywhere, and not every system lets a process read another's memory.
    command.env("CAIRN_MCA_smsc", "ring");
    for (name, value) in mca {
        command.env(format!("CAIRN_MCA_{name}"), value);
    }
    let out = command.output().expect("a process");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let mut all = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("cost:")) {
        let parts: Vec<&str> = line.split(':').collect();
        let number = |i: usize| parts[i].parse().expect("a number");
        let counts = Counts { locks: number(1), tries: number(2), atomics: number(3) };
        all.push((parts[0].to_owned(), counts));
    }
    assert!(!all.is_empty(), "{text}");
    all
}

/// A call, with the locks that it may wait for, tries, and atomics besides.
type Row = (&'static str, u32, u32, u32);

/// What calls cost with several threads, one instance, and the defaults of everything else.
const THREADED: [Row; 21] = [
    // Of the instance; and the message's number.
    ("isend, immediate", 1, 0, 1),
    ("send", 1, 0, 1),
    ("wait for isend, immediate", 0, 0, 0),
    // Of the matching engine; and the communicator is needed as long as the request.
    ("irecv", 1, 0, 1),
    // It is complete and needs no communicator; and it was completed.
    ("irecv, immediate", 1, 0, 1),
    ("wait for irecv, complete", 0, 0, 0),
    ("test for irecv, complete", 0, 0, 1),
    // A pass: the instance.
    ("test of nothing", 0, 1, 0),
    // The engine's lock; and the sender's turn.
    ("test that keeps", 1, 1, 1),
    // The same; and the request is completed, and the communicator is not needed any more.
    ("test that receives", 1, 1, 3),
    ("wait that receives", 1, 1, 3),
    ("wait that receives two", 2, 1, 5),
    // The instance; the message's number, the communicator is needed until the answer, and from when on
    // the send may end because its peer fails.
    ("issend", 1, 0, 3),
    // As one that receives; and the answer comes in the same pass: the send's number is taken, it is
    // completed.
    ("wait that receives and says so", 1, 1, 5),
    // The communicator is not needed any more.
    ("wait for issend", 0, 0, 1),
    // The same for many bytes, and the locks of the transport's offers and of its bounce buffers. The
    // transfer is counted on its communicator, in and out.
    ("isend, announced", 3, 0, 3),
    ("wait that fetches", 1, 2, 8),
    // The memory is not offered any more: the same locks.
    ("wait that ends isend, announced", 3, 1, 3),
    ("isend to nobody", 0, 0, 0),
    ("irecv from nobody", 0, 0, 0),
    ("wait for nobody", 0, 0, 0),
];

/// Compares; `what` has been measured.
#[track_caller]
fn compare(what: &str, seen: &[(String, Counts)], expected: &[Row]) {
    println!("\n{what}\n  {:<28} locks tries atomics", "call");
    for (name, Counts { locks, tries, atomics }) in seen {
        println!("  {name:<28} {locks:5} {tries:5} {atomics:7}");
    }
    for (name, locks, tries, atomics) in expected {
        let expected = Counts { locks: *locks, tries: *tries, atomics: *atomics };
        let mut found = seen.iter().filter(|(other, _)| other == name).peekable();
        assert!(found.peek().is_some(), "{what}: {name} was not measured");
        found.for_each(|(_, counts)| assert_eq!(*counts, expected, "{what}: {name}"));
    }
    let known = |name: &str| expected.iter().any(|row| row.0 == name);
    assert!(seen.iter().all(|(name, _)| known(name)), "{what}: {seen:?}");
}

/// The rows with some of them replaced.
fn but(rows: &[Row], others: &[Row]) -> Vec<Row> {
    let other = |row: &Row| *others.iter().find(|other| other.0 == row.0).unwrap_or(row);
    rows.iter().map(other).collect()
}

const ONE_INSTANCE: (&str, &str) = ("btl_sm_num_cris", "1");

#[test]
fn calls_of_several_threads_keep_to_the_budget() {
    for matching in ["list", "bins", "vector"] {
        let seen = costs(MULTIPLE, &[ONE_INSTANCE, ("match", matching)]);
        compare(matching, &seen, &THREADED);
    }
    // Messages that nobody waits for are numbered.
    let seen = costs(MULTIPLE, &[ONE_INSTANCE, ("match", "sharded")]);
    compare("sharded", &seen, &but(&THREADED, &[("test that keeps", 1, 1, 2)]));
}

#[test]
fn strategies_keep_to_the_budget() {
    for progress in ["concurrent", "hybrid"] {
        let seen = costs(MULTIPLE, &[ONE_INSTANCE, ("progress", progress)]);
        compare(progress, &seen, &THREADED);
    }
    for cri in ["dedicated", "comm"] {
        let seen = costs(MULTIPLE, &[ONE_INSTANCE, ("cri", cri)]);
        compare(cri, &seen, &THREADED);
    }
    // A thread that only tests becomes the owner for each pass, one that waits once. It says from the
    // beginning that it waits, and is told of the end as if it slept.
    let passes = THREADED.map(|(name, locks, tries, atomics)| {
        let waits = if name.starts_with("wait") { tries.min(1) } else { 0 };
        let owns = if waits > 0 { 1 } else { tries };
        (name, locks, tries, atomics + owns + 5 * waits)
    });
    compare("serial", &costs(MULTIPLE, &[ONE_INSTANCE, ("progress", "serial")]), &passes);
}

/// Requests that threads share cost a lock to take and one to give back. Table 1 has, for `global`, two
/// for an isend (VCI + Request) and for a wait (VCI + Request), which is what is seen here; for `cri` it
/// has one and two, because there the lock of the cache is that of the VCI.
#[test]
fn shared_requests_cost_a_lock_each_way() {
    const SHARED: [Row; 13] = [
        // Of the cache, and of the matching engine.
        ("irecv", 2, 0, 1),
        ("irecv, immediate", 2, 0, 1),
        ("wait for irecv, complete", 1, 0, 0),
        ("test for irecv, complete", 1, 0, 1),
        ("test that receives", 2, 1, 3),
        ("wait that receives", 2, 1, 3),
        ("wait that receives two", 3, 1, 5),
        // Of the cache, and of the instance.
        ("issend", 2, 0, 3),
        ("wait that receives and says so", 2, 1, 5),
        ("wait for issend", 1, 0, 1),
        ("isend, announced", 4, 0, 3),
        ("wait that fetches", 2, 2, 8),
        ("wait that ends isend, announced", 4, 1, 3),
    ];
    let rows = but(&THREADED, &SHARED);
    for cache in ["cri", "global"] {
        for cri in ["dedicated", "comm", "round_robin"] {
            let mca = [ONE_INSTANCE, ("pml_ob1_request_cache", cache), ("cri", cri)];
            compare(&format!("{cache}, {cri}"), &costs(MULTIPLE, &mca), &rows);
        }
    }
    // A single thread's are its own.
    for cache in ["thread", "cri", "global"] {
        let seen = costs(SINGLE, &[("pml_ob1_request_cache", cache)]);
        assert!(
            seen.iter().all(|(name, counts)| {
                *counts == Counts::default() || name.ends_with("announced")
            })
        );
    }
}

/// The strategy is asked once for the request of a send and its message together: with two instances
/// that take turns, the messages of consecutive sends go to both.
#[test]
fn a_request_and_its_message_are_one_turn() {
    for cache in ["thread", "cri"] {
        let mca =
            [("btl_sm_num_cris", "2"), ("cri", "round_robin"), ("pml_ob1_request_cache", cache)];
        for (name, counts) in costs(MULTIPLE, &mca) {
            if name == "issend" {
                let locks = if cache == "cri" { 2 } else { 1 };
                // The turn, and what it costs with one instance.
                assert_eq!(counts, Counts { locks, tries: 0, atomics: 4 }, "{cache}");
            }
        }
    }
}

/// However many instances there are: a call that starts an operation takes one lock, and the others
/// together wait for that of the matching engine once with each message, and for the three of what offers
/// memory once when an offer begins and ends. Which of them gets a message depends on the instance it came to.
#[test]
fn more_instances_cost_no_more_locks() {
    for cri in ["dedicated", "round_robin", "comm"] {
        for progress in ["concurrent", "hybrid", "serial"] {
            for instances in ["2", "4"] {
                let mca = [("btl_sm_num_cris", instances), ("cri", cri), ("progress", progress)];
                let (mut messages, mut offers, mut waits) = (0, 0, 0);
                for (name, counts) in costs(MULTIPLE, &mca) {
                    if name.contains("nobody") || name.contains("wait for isend") {
                        assert_eq!(counts, Counts::default(), "{mca:?}: {name}");
                    } else if name.starts_with("wait") || name.starts_with("test") {
                        waits += counts.locks;
                    } else {
                        let offers_memory = name == "isend, announced";
                        let locks = if offers_memory { 3 } else { 1 };
                        assert_eq!(counts.locks, locks, "{mca:?}: {name}");
                        messages += u32::from(!name.starts_with("irecv"));
                        offers += u32::from(offers_memory);
                    }
                }
                let enough = messages + 3 * offers;
                assert!(messages > 4 && waits <= enough, "{mca:?}: {waits} of {enough}");
            }
        }
    }
}

/// Without threads nobody locks, and nobody makes an atomic read-modify-write; but for many bytes, whose
/// offer knows nothing of threads.
#[test]
fn a_single_thread_pays_for_none() {
    let nothing = THREADED.map(|(name, ..)| (name, 0, 0, 0));
    let offers = [("isend, announced", 2, 0, 0), ("wait that ends isend, announced", 3, 0, 0)];
    let nothing = but(&nothing, &offers);
    for level in [SINGLE, FUNNELED, SERIALIZED] {
        compare("one thread", &costs(level, &[]), &nothing);
    }
    for matching in ["bins", "vector", "sharded"] {
        compare(matching, &costs(SINGLE, &[("match", matching)]), &nothing);
    }
}
