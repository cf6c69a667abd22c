//! Messages in pieces, with what happens beside them: many threads, odd orders, deaths, full queues, strangers.

mod pair;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::datatype::{Cursor, Datatype};
use cairn_framework::abi::status::{ERR_TRUNCATED, OK};
use cairn_framework::frameworks::pml::PML_STANDARD;

use pair::btl::Behaviour;
use pair::{Buffer, Handle, Job, Pending, bytes, holes};

const TAG: u8 = 64;
const SIZE: u64 = 50_000;

fn behaviour() -> Behaviour {
    Behaviour { push_limit: SIZE, ..Behaviour::default() }
}

fn send_tag(job: &Job, comm: &[Handle], seed: u64, tag: i32) -> (Buffer, Pending) {
    let out = Buffer::filled(bytes(), SIZE, seed);
    let sent = job.ranks[0].isend(&out.send(comm[0], 1, tag, PML_STANDARD));
    (out, sent)
}

fn receive_tag(job: &Job, comm: &[Handle], tag: i32) -> (Buffer, Pending) {
    let into = Buffer::new(bytes(), SIZE);
    let received = job.ranks[1].irecv(&into.receive(comm[1], 0, tag));
    (into, received)
}

fn quiet(job: &Job) {
    job.until("quiet", || job.fabric.is_empty(0) && job.fabric.is_empty(1));
}

/// The order of locks: a pushed message that comes before its communicator is open.
#[test]
fn early_communicator() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], behaviour());
        let comm = job.comm(1, false);
        job.ranks[0].open(comm[0]);
        let (_out, sent) = send_tag(&job, &comm, 5, 0);
        quiet(&job);
        job.ranks[1].open(comm[1]);
        let (into, received) = receive_tag(&job, &comm, 0);
        job.until("it", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(5, SIZE);
        job.end(vec![comm]);
    }
}

/// The order of locks: a pushed message that overtakes another.
#[test]
fn overtaken() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], behaviour());
        let comm = job.comm(1, true);
        let (_out, sent) = send_tag(&job, &comm, 5, 0);
        let held = job.fabric.hold(1);
        let (_out2, sent2) = send_tag(&job, &comm, 6, 1);
        quiet(&job);
        job.fabric.let_go(1, held);
        for (seed, tag) in [(6, 1), (5, 0)] {
            let (into, received) = receive_tag(&job, &comm, tag);
            job.until("it", || received.is_complete());
            assert_eq!(received.end().error, OK);
            into.check(seed, SIZE);
        }
        assert_eq!((sent.end().error, sent2.end().error), (OK, OK));
        job.end(vec![comm]);
    }
}

/// Messages that queued before the receiver said stop: the word comes long before most of them go.
#[test]
fn what_queued_before_the_word_is_announced_too() {
    let job =
        Job::new(2, false, &[("pml_ob1_push_kept", "200k")], Behaviour { room: 4, ..behaviour() });
    let comm = job.comm(1, true);
    let sent: Vec<_> = (0..100).map(|seed| send_tag(&job, &comm, seed, 0)).collect();
    for _ in 0..10_000 {
        job.ranks.iter().for_each(|rank| _ = rank.system.progress());
    }
    let pushed = job.count("messages_pushed");
    for (seed, (_out, sent)) in sent.into_iter().enumerate() {
        let (into, received) = receive_tag(&job, &comm, 0);
        job.until("in order", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(seed as u64, SIZE);
    }
    job.end(vec![comm]);
    assert!(pushed < 20, "{pushed} messages of 50 KB are kept where 200 KB are allowed");
}

/// The kept messages leave with their communicator.
#[test]
fn a_sender_goes_on_when_what_was_kept_is_dropped() {
    let job = Job::new(2, false, &[("pml_ob1_push_kept", "200k")], behaviour());
    let (freed, comm) = (job.comm(1, true), job.comm(2, true));
    let mut sent = Vec::new();
    for seed in 0..5 {
        sent.push(send_tag(&job, &freed, seed, 0));
        quiet(&job);
    }
    assert_eq!(job.count("messages_pushed"), 5);
    sent.into_iter().for_each(|(_, sent)| _ = sent.end());
    job.ranks[1].close(freed[1]);
    for seed in 0..20 {
        let (into, received) = receive_tag(&job, &comm, 0);
        let (_out, sent) = send_tag(&job, &comm, seed, 0);
        job.until("it", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(seed, SIZE);
    }
    let pushed = job.count("messages_pushed");
    job.ranks[0].close(freed[0]);
    job.end(vec![comm]);
    assert!(pushed > 5, "nothing is kept any more, and still nothing is pushed");
}

/// A message that overtook another is counted as kept and leaves by another way than `take`.
#[test]
fn a_sender_goes_on_when_what_overtook_is_received() {
    let job = Job::new(2, false, &[("pml_ob1_push_kept", "60k")], behaviour());
    let comm = job.comm(1, true);
    let mut all = Vec::new();
    // One that waits for its receive.
    all.push(send_tag(&job, &comm, 0, 0));
    job.until("it", || job.fabric.is_empty(1));
    let wanted = receive_tag(&job, &comm, 2);
    let wanted3 = receive_tag(&job, &comm, 3);
    // Three of which the third overtakes the second, and a fourth one that makes it too much.
    all.push(send_tag(&job, &comm, 2, 2));
    let held = job.fabric.hold(1);
    all.push(send_tag(&job, &comm, 3, 3));
    job.until("it", || job.fabric.is_empty(1));
    // Now two are kept, of which one overtook. A third one is unexpected, and of another communicator.
    let other = job.comm(2, true);
    all.push(send_tag(&job, &other, 4, 0));
    quiet(&job);
    let (into, received) = receive_tag(&job, &comm, 0);
    let (into4, received4) = receive_tag(&job, &other, 0);
    job.until("both", || received.is_complete() && received4.is_complete());
    into.check(0, SIZE);
    into4.check(4, SIZE);
    received.end();
    received4.end();
    // Only the one that overtook is kept, 50 KB of 60.
    job.fabric.let_go(1, held);
    job.until("the others", || wanted.1.is_complete() && wanted3.1.is_complete());
    wanted.0.check(2, SIZE);
    wanted3.0.check(3, SIZE);
    wanted.1.end();
    wanted3.1.end();
    quiet(&job);
    let before = job.count("messages_pushed");
    assert_eq!(before, 4);
    for seed in 0..20 {
        let (into, received) = receive_tag(&job, &comm, 0);
        all.push(send_tag(&job, &comm, seed, 0));
        job.until("it", || all.last().unwrap().1.is_complete() && received.is_complete());
        received.end();
        into.check(seed, SIZE);
    }
    let pushed = job.count("messages_pushed");
    all.into_iter().for_each(|(_, sent)| _ = sent.end());
    job.end(vec![comm, other]);
    assert!(pushed > before, "nothing is kept any more, and still nothing is pushed");
}

/// A third process writes into a receive.
#[test]
fn a_stranger_can_not_write_into_a_message_of_two_others() {
    let job = Job::new(3, false, &[], Behaviour { room: 3, ..behaviour() });
    let comm = job.comm(1, true);
    let (into, received) = receive_tag(&job, &comm, 0);
    let (_out, sent) = send_tag(&job, &comm, 5, 0);
    job.ranks[1].system.progress();
    // Rank 2 says that it is rank 0: the first message that rank 0 pushed, its last bytes.
    let mut piece = vec![9, 0, 0, 0, 0, 0, 0, 0];
    piece.extend(0u64.to_le_bytes());
    piece.extend((12 * 4096u64).to_le_bytes());
    piece.extend([0; 32]);
    piece.extend([0xee; SIZE as usize - 12 * 4096]);
    job.fabric.forge(2, 1, TAG, &piece);
    job.ranks[1].system.progress();
    job.until("it", || sent.is_complete() && received.is_complete());
    assert_eq!((sent.end().error, received.end().error), (OK, OK));
    into.check(5, SIZE);
}

/// The next unpack stops here until the number is 2.
static STOP: AtomicU32 = AtomicU32::new(0);
static GATED: Mutex<()> = Mutex::new(());

unsafe extern "C" fn unpack_slowly(
    cursor: *mut Cursor,
    packed: *const std::ffi::c_void,
    len: usize,
) -> usize {
    if STOP.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Acquire).is_ok() {
        while STOP.load(Ordering::Acquire) != 3 {
            std::thread::yield_now();
        }
    }
    // SAFETY: the caller's.
    unsafe { holes().unpack.unwrap()(cursor, packed, len) }
}

fn slow() -> &'static Datatype {
    static TYPE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let address = *TYPE.get_or_init(|| {
        let of = holes();
        let made = Datatype {
            struct_size: of.struct_size,
            flags: of.flags,
            size: of.size,
            extent: of.extent,
            true_lb: of.true_lb,
            true_extent: of.true_extent,
            predefined: 0,
            element: 0,
            pack: of.pack,
            unpack: Some(unpack_slowly),
            segments: of.segments,
            object: std::ptr::null_mut(),
        };
        Box::into_raw(Box::new(made)).expose_provenance()
    });
    // SAFETY: leaked.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

/// What had arrived whole is still received, also while another thread sweeps.
#[test]
fn a_message_that_has_arrived_whole_is_received_though_its_sender_is_gone() {
    let _gated = GATED.lock().unwrap();
    let job = Job::new(2, true, &[], behaviour());
    let comm = job.comm(1, true);
    let out = Buffer::filled(bytes(), SIZE, 5);
    let sent = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
    assert!(sent.is_complete());
    job.until("all of it", || job.fabric.is_empty(1));
    job.fabric.kill(0);
    job.ranks[1].peer_failed(0);
    let into = Buffer::new(slow(), SIZE / 5);
    STOP.store(1, Ordering::Release);
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            while STOP.load(Ordering::Acquire) != 2 {
                std::thread::yield_now();
            }
            for _ in 0..10_000 {
                job.ranks[1].system.progress();
            }
            STOP.store(3, Ordering::Release);
        });
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until("it", || received.is_complete());
        received.end().error
    });
    std::mem::forget(job);
    assert_eq!(error, OK);
    into.check(5, SIZE);
}

/// Sends that were freed, started again, and messages into less room, with and without holes.
#[test]
fn odd_requests() {
    for (threaded, room) in [(false, 3), (false, 1000), (true, 3), (true, 1000)] {
        let job = Job::new(2, threaded, &[], Behaviour { room, ..behaviour() });
        let comm = job.comm(1, true);
        // Freed while its rest waits.
        let out = Buffer::filled(holes(), SIZE / 5, 5);
        job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD)).free();
        let (into, received) = receive_tag(&job, &comm, 0);
        job.until("it", || received.is_complete());
        assert_eq!(received.end().error, OK);
        into.check(5, SIZE);
        // A receive that was freed.
        let into = Buffer::new(holes(), SIZE / 5);
        job.ranks[1].irecv(&into.receive(comm[1], 0, 0)).free();
        let (_out, sent) = send_tag(&job, &comm, 6, 0);
        job.until("it", || sent.is_complete() && job.fabric.is_empty(1));
        sent.end();
        into.check(6, SIZE);
        // Started again, with truncation to every kind of room.
        let out = Buffer::filled(holes(), SIZE / 5, 7);
        let sent = job.ranks[0].send_init(&out.send(comm[0], 1, 0, PML_STANDARD));
        for early in [false, true] {
            for elements in [0, 1, 100, 820, 821, 5000, SIZE / 5] {
                let into = Buffer::new(holes(), elements);
                let receive = || job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
                let posted = (!early).then(receive);
                sent.start();
                if early {
                    for _ in 0..100 {
                        job.ranks.iter().for_each(|rank| _ = rank.system.progress());
                    }
                }
                let received = posted.unwrap_or_else(receive);
                job.until("again", || sent.is_complete() && received.is_complete());
                let expected = if elements < SIZE / 5 { ERR_TRUNCATED } else { OK };
                assert_eq!(sent.status().error, OK);
                let status = received.end();
                assert_eq!((status.error, status.bytes), (expected, elements * 5));
                into.check(7, elements * 5);
            }
        }
        sent.free();
        assert_eq!(job.count("violations"), 0);
        job.end(vec![comm]);
    }
}

/// A matched message of which pieces arrive later; to itself; freed before the last communicator closes.
#[test]
fn to_itself_and_taken_out() {
    for threaded in [false, true] {
        let job = Job::new(
            2,
            threaded,
            &[("pml_ob1_push_kept", "0")],
            Behaviour { room: 3, ..behaviour() },
        );
        let comm = job.comm(1, true);
        let out = Buffer::filled(bytes(), SIZE, 9);
        let sent = job.ranks[0].isend(&out.send(comm[0], 0, 3, PML_STANDARD));
        let into = Buffer::new(bytes(), SIZE);
        let mut found = None;
        job.until("a message", || {
            found = job.ranks[0].mprobe(&into.receive(comm[0], 0, 3), false);
            found.is_some()
        });
        let (status, message) = found.unwrap();
        assert_eq!(status.bytes, SIZE);
        let received = job.ranks[0].mrecv(message, &into.receive(comm[0], 0, 3));
        job.until("it", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(9, SIZE);
        assert_eq!(job.count("messages_pushed"), 1);
        job.end(vec![comm]);
    }
}

/// Many threads on several instances: pieces in any order, kept or not, with holes, into too little room.
#[test]
fn many_threads() {
    const THREADS: usize = 16;
    for (number, behaviour) in [
        Behaviour { cris: 4, push_limit: 1 << 20, reorders: true, ..Behaviour::default() },
        Behaviour { cris: 3, push_limit: 1 << 20, room: 6, refuses: 10, ..Behaviour::default() },
        Behaviour {
            cris: 4,
            push_limit: 1 << 20,
            room: 12,
            devices: vec![1000, 3000],
            reorders: true,
            ..Behaviour::default()
        },
    ]
    .into_iter()
    .enumerate()
    {
        let kept = ["0", "200k", "4m"][number % 3];
        let job = Job::new(2, true, &[("pml_ob1_push_kept", kept)], behaviour);
        let comm = job.comm(1, true);
        job.each(|rank| {
            let comm = comm[rank.number as usize];
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    scope.spawn(move || {
                        let chance = pair::Chance::new((thread * 2) as u64 + 9);
                        let other = 1 - rank.number;
                        for message in 0..12u64 {
                            let size = 5 * (900 + chance.below(15_000));
                            let seed = message << 8 | thread as u64;
                            let out = if chance.below(2) == 0 {
                                Buffer::filled(bytes(), size, seed)
                            } else {
                                Buffer::filled(holes(), size / 5, seed)
                            };
                            let less = chance.below(4) == 0;
                            let room = if less { 5 * chance.below(size / 5) } else { size };
                            let into = if chance.below(2) == 0 {
                                Buffer::new(bytes(), room)
                            } else {
                                Buffer::new(holes(), room / 5)
                            };
                            let receive = into.receive(comm, other as i32, thread as i32);
                            let send = out.send(comm, other, thread as i32, PML_STANDARD);
                            let late = chance.below(2) == 0;
                            let early = (!late).then(|| rank.irecv(&receive));
                            let sent = rank.isend(&send);
                            let passes = chance.below(200);
                            let received = early.unwrap_or_else(|| {
                                (0..passes).for_each(|_| _ = rank.system.progress());
                                rank.irecv(&receive)
                            });
                            let start = std::time::Instant::now();
                            while !(sent.is_complete() && received.is_complete()) {
                                rank.system.progress();
                                assert!(start.elapsed() < pair::DEADLINE, "{number} {thread}");
                            }
                            let expected = if room < size { ERR_TRUNCATED } else { OK };
                            assert_eq!(sent.end().error, OK);
                            let status = received.end();
                            assert_eq!((status.error, status.bytes), (expected, room));
                            into.check(seed, room);
                        }
                    });
                }
            });
        });
        assert_eq!(job.count("violations"), 0);
        assert!(job.count("messages_pushed") > 0);
        for (rank, handle) in job.ranks.iter().zip(&comm) {
            assert!(rank.describe(*handle).contains("\n0 transfers"));
        }
        job.end(vec![comm]);
    }
}

/// The receiver dies while the rest of a message waits for room, and while others queue behind it.
#[test]
fn a_receiver_that_dies_ends_the_rest() {
    for (threaded, freed) in [(false, false), (false, true), (true, false), (true, true)] {
        let job = Job::new(2, threaded, &[], Behaviour { room: 3, ..behaviour() });
        let comm = job.comm(1, true);
        let (_first, sent) = send_tag(&job, &comm, 5, 0);
        let (_second, behind) = send_tag(&job, &comm, 6, 0);
        assert!(!sent.is_complete() && !behind.is_complete());
        if freed {
            sent.free();
        }
        job.fabric.kill(1);
        job.ranks[0].peer_failed(1);
        let start = std::time::Instant::now();
        while !(behind.is_complete() && (freed || sent.is_complete())) {
            job.ranks[0].system.progress();
            assert!(start.elapsed() < pair::DEADLINE, "{threaded} {freed}");
        }
        assert_eq!(behind.end().error, cairn_framework::abi::status::ERR_PEER);
        if !freed {
            assert_eq!(sent.end().error, cairn_framework::abi::status::ERR_PEER);
        }
        for _ in 0..1000 {
            job.ranks[0].system.progress();
        }
        assert!(job.ranks[0].describe(comm[0]).contains("\n0 transfers"));
        job.ranks[0].flush();
        job.ranks[0].close(comm[0]);
        std::mem::forget(job);
    }
}

/// A communicator is freed by the sender's side, the request too, while the rest waits; then the process ends.
#[test]
fn the_end_waits_for_the_rest() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour { room: 3, ..behaviour() });
        let comm = job.comm(1, true);
        let (into, received) = receive_tag(&job, &comm, 0);
        let (out, sent) = send_tag(&job, &comm, 5, 0);
        assert!(!sent.is_complete());
        sent.free();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                job.ranks[0].flush();
                job.ranks[0].close(comm[0]);
            });
            while !received.is_complete() {
                job.ranks[1].system.progress();
            }
        });
        into.check(5, SIZE);
        received.end();
        job.ranks[1].close(comm[1]);
        drop(out);
        job.end(vec![]);
    }
}

/// Requests of instances: the instance's lock is held while the pieces go.
#[test]
fn requests_of_instances() {
    for cache in ["cri", "global"] {
        let behaviour = Behaviour {
            cris: 3,
            push_limit: 1 << 20,
            room: 5,
            refuses: 10,
            devices: vec![1000, 3000],
            ..Behaviour::default()
        };
        let job = Job::new(2, true, &[("pml_ob1_request_cache", cache)], behaviour);
        let comm = job.comm(1, true);
        job.each(|rank| {
            let comm = comm[rank.number as usize];
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for message in 0..10u64 {
                            let (other, seed) = (1 - rank.number, message << 8 | thread as u64);
                            let out = Buffer::filled(bytes(), SIZE, seed);
                            let into = Buffer::new(bytes(), SIZE);
                            let sent = rank.isend(&out.send(comm, other, thread, PML_STANDARD));
                            let received = rank.irecv(&into.receive(comm, other as i32, thread));
                            let start = std::time::Instant::now();
                            while !(sent.is_complete() && received.is_complete()) {
                                rank.system.progress();
                                assert!(start.elapsed() < pair::DEADLINE);
                            }
                            assert_eq!((sent.end().error, received.end().error), (OK, OK));
                            into.check(seed, SIZE);
                        }
                    });
                }
            });
        });
        job.end(vec![comm]);
    }
}
