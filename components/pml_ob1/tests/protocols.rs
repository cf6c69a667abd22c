//! Every protocol with one pair of processes: what arrives, what is reported, what is counted.

mod pair;

use cairn_framework::abi::comm::{COMM_ALLOW_OVERTAKING, COMM_INTER};
use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES, ERR_TRUNCATED, OK};
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_HEADER_ROOM, BTL_NEEDS_REGISTRATION, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED,
};
use cairn_framework::frameworks::pml::{
    PML_ANY_SOURCE, PML_ANY_TAG, PML_READY, PML_STANDARD, PML_SYNCHRONOUS,
};

use pair::btl::Behaviour;
use pair::{Buffer, Job, Pending, bytes, holes};

/// Where ob1's messages go.
const TAG: u8 = 64;
const SEND: u64 = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;

/// What is before the data in the longest message.
const ROOM: u32 = BTL_HEADER_ROOM as u32;

/// Transports that make ob1 take each of its ways.
fn transports() -> Vec<(&'static str, Behaviour)> {
    let behaviour = Behaviour::default;
    let rdma = |capabilities| Behaviour { capabilities: SEND | capabilities, ..behaviour() };
    vec![
        ("fragments", behaviour()),
        ("get", rdma(BTL_GET)),
        ("get, registered", rdma(BTL_GET | BTL_NEEDS_REGISTRATION)),
        ("get, aligned", Behaviour { get_alignment: 8, ..rdma(BTL_GET) }),
        ("put", rdma(BTL_PUT)),
        ("put, registered", rdma(BTL_PUT | BTL_NEEDS_REGISTRATION)),
        (
            "only immediate",
            Behaviour {
                capabilities: BTL_SEND_IMMEDIATE,
                immediate_limit: ROOM + 40,
                eager_limit: 40,
                ..behaviour()
            },
        ),
        (
            "only packed, no room for data",
            Behaviour {
                capabilities: BTL_SEND_PACKED,
                packed_limit: ROOM,
                eager_limit: 0,
                ..behaviour()
            },
        ),
        ("no room", Behaviour { refuses: 60, room: 3, ..rdma(BTL_GET | BTL_PUT) }),
        ("two devices", Behaviour { devices: vec![1000, 3000], ..behaviour() }),
        ("push", Behaviour { push_limit: 100_000, ..rdma(BTL_GET) }),
        (
            "push, only immediate",
            Behaviour {
                capabilities: BTL_SEND_IMMEDIATE,
                immediate_limit: ROOM + 40,
                eager_limit: 40,
                push_limit: 100_000,
                ..behaviour()
            },
        ),
        (
            "push, out of order",
            Behaviour {
                push_limit: 1 << 20,
                reorders: true,
                refuses: 20,
                room: 3,
                devices: vec![1000, 3000],
                ..behaviour()
            },
        ),
        ("get fails", Behaviour { rdma_fails: 30, ..rdma(BTL_GET | BTL_NEEDS_REGISTRATION) }),
        ("put fails", Behaviour { rdma_fails: 30, ..rdma(BTL_PUT | BTL_NEEDS_REGISTRATION) }),
        (
            "out of order",
            Behaviour {
                reorders: true,
                refuses: 20,
                late: 90,
                ..rdma(BTL_NEEDS_REGISTRATION | BTL_PUT)
            },
        ),
    ]
}

const SIZES: [u64; 14] = [0, 1, 7, 8, 40, 41, 240, 241, 4096, 4097, 8191, 65_537, 300_000, 1 << 20];

#[test]
fn every_size_arrives_by_every_protocol() {
    for threaded in [false, true] {
        for (name, behaviour) in transports() {
            let job = Job::new(2, threaded, &[], behaviour);
            let comm = job.comm(5, true);
            for (number, size) in SIZES.into_iter().enumerate() {
                for (from, to) in [(bytes(), bytes()), (holes(), holes()), (bytes(), holes())] {
                    let count = |size, datatype: &cairn_framework::abi::datatype::Datatype| {
                        size / datatype.size
                    };
                    let size = size / 5 * if from.size == to.size { from.size } else { 5 };
                    let out = Buffer::filled(from, count(size, from), number as u64);
                    let into = Buffer::new(to, count(size, to));
                    let modes = [PML_STANDARD, PML_SYNCHRONOUS, PML_READY];
                    let mode = modes[number % 3];
                    let posted = number % 2 == 0;
                    let receive = into.receive(comm[1], 0, 9);
                    let early = posted.then(|| job.ranks[1].irecv(&receive));
                    let send = job.ranks[0].isend(&out.send(comm[0], 1, 9, mode));
                    if !posted {
                        job.until("probe", || job.ranks[1].probe(&receive, false).is_some());
                        assert_eq!(job.ranks[1].probe(&receive, true).unwrap().bytes, size);
                        assert!(mode != PML_SYNCHRONOUS || !send.is_complete(), "{name} {size}");
                    }
                    let received = early.unwrap_or_else(|| job.ranks[1].irecv(&receive));
                    job.until(&format!("{name}, {size} bytes"), || {
                        send.is_complete() && received.is_complete()
                    });
                    assert_eq!(send.end().error, OK);
                    let status = received.end();
                    assert_eq!((status.source, status.tag, status.error), (0, 9, OK), "{name}");
                    assert_eq!(status.bytes, size, "{name}");
                    into.check(number as u64, size);
                }
            }
            let moved = |counter: &str| job.count(&format!("bytes_{counter}")) > 0;
            let by_get = name.starts_with("get") || name == "no room" || name == "push";
            assert_eq!(moved("get"), by_get, "{name}");
            assert_eq!(moved("put"), name.starts_with("put") || name == "out of order", "{name}");
            let pushed = job.count("messages_pushed");
            assert_eq!(pushed > 0, name.starts_with("push"), "{name}");
            assert_eq!(job.count("received_pushed"), pushed, "{name}");
            assert_eq!(moved("pushed"), moved("received_pushed"), "{name}");
            let synchronous = name != "push, out of order" || job.count("messages_rendezvous") > 0;
            assert!(synchronous, "a synchronous message was pushed");
            assert!(moved("fragments"), "{name}: data with holes, or synchronous");
            assert_eq!(job.count("violations"), 0);
            assert!(job.count("unexpected") > 0 && job.count("matched") > 0);
            if name == "two devices" {
                let sent = job
                    .fabric
                    .bytes
                    .iter()
                    .map(|bytes| bytes.load(std::sync::atomic::Ordering::Relaxed));
                let sent: Vec<u64> = sent.collect();
                assert!(sent[1] > sent[0] && sent[0] > sent[1] / 6, "not by bandwidth: {sent:?}");
            }
            job.end(vec![comm]);
        }
    }
}

#[test]
fn what_does_not_fit_is_cut_off() {
    for (name, behaviour) in transports() {
        let job = Job::new(2, false, &[], behaviour);
        let comm = job.comm(5, true);
        for size in [1, 100, 5000, 100_000] {
            for room in [0, 1, size / 2, size - 1] {
                for datatype in [bytes(), holes()] {
                    let out = Buffer::filled(bytes(), size, size);
                    let into = Buffer::new(datatype, room / datatype.size);
                    let fits = into.2 * datatype.size;
                    let send = job.ranks[0].isend(&out.send(comm[0], 1, 3, PML_STANDARD));
                    let receive = into.receive(comm[1], PML_ANY_SOURCE, PML_ANY_TAG);
                    let received = job.ranks[1].irecv(&receive);
                    job.until(&format!("{name}, {size} into {room}"), || {
                        send.is_complete() && received.is_complete()
                    });
                    assert_eq!(send.end().error, OK);
                    let status = received.end();
                    let error = if fits < size { ERR_TRUNCATED } else { OK };
                    assert_eq!((status.error, status.bytes), (error, fits), "{name}");
                    into.check(size, fits);
                }
            }
        }
        job.end(vec![comm]);
    }
}

#[test]
fn the_protocol_can_be_chosen() {
    let all = Behaviour { capabilities: SEND | BTL_GET | BTL_PUT, ..Behaviour::default() };
    for (protocol, used) in
        [("auto", "get"), ("get", "get"), ("put", "put"), ("fragments", "fragments")]
    {
        let job = Job::new(2, false, &[("pml_ob1_protocol", protocol)], all.clone());
        let comm = job.comm(1, true);
        let (out, into) = (Buffer::filled(bytes(), 50_000, 4), Buffer::new(bytes(), 50_000));
        let send = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until(protocol, || send.is_complete() && received.is_complete());
        assert_eq!((send.end().error, received.end().error), (OK, OK));
        into.check(4, 50_000);
        for counter in ["get", "put", "fragments"] {
            let expected = if counter == used { 50_000 } else { 0 };
            assert_eq!(job.count(&format!("bytes_{counter}")), expected, "{protocol}");
        }
        job.end(vec![comm]);
    }
}

#[test]
fn blocking_calls_wait_in_threads_of_their_own() {
    for threaded in [false, true] {
        for (_, behaviour) in transports() {
            let job = Job::new(2, threaded, &[("wait_polls", "3")], behaviour);
            let comm = job.comm(8, true);
            job.each(|rank| {
                let (me, other) = (rank.number as usize, 1 - rank.number);
                for size in [0, 8, 1000, 100_000] {
                    let out = Buffer::filled(bytes(), size, me as u64);
                    let into = Buffer::new(bytes(), size);
                    let receive = into.receive(comm[me], other as i32, 1);
                    let send = out.send(comm[me], other, 1, PML_SYNCHRONOUS);
                    if me == 0 {
                        assert_eq!(rank.send(&send), OK);
                        assert_eq!(rank.recv(&receive).0, OK);
                    } else {
                        assert_eq!(rank.recv(&receive).0, OK);
                        assert_eq!(rank.send(&send), OK);
                    }
                    into.check(u64::from(other), size);
                }
            });
            job.end(vec![comm]);
        }
    }
}

#[test]
fn a_blocking_receive_reports_what_does_not_fit() {
    let job = Job::new(1, false, &[], Behaviour::default());
    let comm = job.comm(8, true);
    let (out, into) = (Buffer::filled(bytes(), 20, 1), Buffer::new(bytes(), 10));
    assert_eq!(job.ranks[0].send(&out.send(comm[0], 0, 6, PML_STANDARD)), OK);
    let (status, found) = job.ranks[0].recv(&into.receive(comm[0], 0, 6));
    assert_eq!(status, ERR_TRUNCATED);
    assert_eq!((found.error, found.bytes, found.tag), (ERR_TRUNCATED, 10, 6));
    into.check(1, 10);
    job.end(vec![comm]);
}

#[test]
fn persistent_requests_start_again_and_again() {
    for (name, behaviour) in transports() {
        let job = Job::new(2, false, &[], behaviour);
        let comm = job.comm(2, true);
        for size in [4, 20_000] {
            let (out, into) = (Buffer::filled(bytes(), size, 7), Buffer::new(bytes(), size));
            let send = job.ranks[0].send_init(&out.send(comm[0], 1, 0, PML_STANDARD));
            let receive = job.ranks[1].recv_init(&into.receive(comm[1], PML_ANY_SOURCE, 0));
            assert!(send.is_complete() && receive.is_complete(), "not started");
            for turn in 0..3 {
                if turn % 2 == 0 {
                    receive.start();
                    send.start();
                } else {
                    send.start();
                    receive.start();
                }
                job.until(name, || send.is_complete() && receive.is_complete());
                assert_eq!(receive.status().bytes, size);
            }
            into.check(7, size);
            receive.start();
            assert!(receive.cancel());
            assert_eq!(receive.status().cancelled, 1);
            send.free();
            receive.free();
        }
        job.end(vec![comm]);
    }
}

#[test]
fn requests_that_were_freed_complete_on_their_own() {
    for (name, behaviour) in transports() {
        let job = Job::new(2, false, &[], behaviour);
        let comm = job.comm(2, true);
        for size in [4, 20_000] {
            let (out, into) = (Buffer::filled(bytes(), size, 7), Buffer::new(bytes(), size));
            let receive = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
            let old = receive.0;
            receive.free();
            let send = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_SYNCHRONOUS));
            send.free();
            // A second message, whose receive tells that the first is over.
            let last = job.ranks[0].isend(&out.send(comm[0], 1, 1, PML_SYNCHRONOUS));
            let other = Buffer::new(bytes(), size);
            let received = job.ranks[1].irecv(&other.receive(comm[1], 0, 1));
            assert_ne!(received.0, old, "{name}: still in use");
            let mut passes = 0;
            job.until(name, || {
                passes += 1;
                last.is_complete() && received.is_complete() && passes > 2000
            });
            assert_eq!((last.end().error, received.end().error), (OK, OK));
            into.check(7, size);
            let again = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
            let two = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
            assert!([again.0, two.0].contains(&old), "{name}: it is free again");
            for request in [again, two] {
                assert!(request.cancel());
                assert_eq!(request.end().cancelled, 1);
            }
        }
        job.end(vec![comm]);
    }
}

#[test]
fn sends_can_not_be_cancelled_and_matched_receives_neither() {
    let job = Job::new(2, false, &[], Behaviour::default());
    let comm = job.comm(2, true);
    let (out, into) = (Buffer::filled(bytes(), 9000, 7), Buffer::new(bytes(), 9000));
    let send = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
    assert!(!send.cancel(), "a send has no cancel");
    let receive = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
    job.until("match", || {
        job.ranks[1].system.progress();
        job.count("matched") == 1
    });
    assert!(receive.cancel());
    job.until("data", || send.is_complete() && receive.is_complete());
    assert_eq!(receive.status().cancelled, 0);
    into.check(7, 9000);
    assert_eq!((send.end().error, receive.end().error), (OK, OK));
    job.end(vec![comm]);
}

/// A message whose predecessor is still under way is matched at once if that was asserted, unless it is
/// the library's own, with a negative tag.
#[test]
fn messages_overtake_where_they_may() {
    for (threaded, asserted, tags) in [false, true]
        .into_iter()
        .flat_map(|threaded| [(threaded, false, [0, 1, 2]), (threaded, true, [0, 1, 2])])
        .chain([(false, true, [-7, -8, -9]), (true, true, [-7, -8, -9])])
    {
        let job = Job::new(2, threaded, &[], Behaviour::default());
        let flags = if asserted { COMM_ALLOW_OVERTAKING } else { 0 };
        let overtakes = asserted && tags[0] >= 0;
        let comm = job.comm_with(2, true, flags);
        let out = Buffer::filled(bytes(), 4, 7);
        let into = [0; 3].map(|_| Buffer::new(bytes(), 4));
        let receives: Vec<Pending> = std::iter::zip(&into, tags)
            .map(|(into, tag)| job.ranks[1].irecv(&into.receive(comm[1], 0, tag)))
            .collect();
        let send = |tag| assert_eq!(job.ranks[0].send(&out.send(comm[0], 1, tag, 0)), OK);
        send(tags[0]);
        let first = job.fabric.peek(1).expect("it was sent");
        job.fabric.clear(1);
        tags[1..].iter().for_each(|tag| send(*tag));
        job.until("the others", || {
            job.count("matched") == 2 * u64::from(overtakes)
                && job.count("out_of_sequence") == 2 * u64::from(!overtakes)
        });
        assert_eq!([0, 1, 2].map(|i| receives[i].is_complete()), [false, overtakes, overtakes]);
        job.fabric.forge(0, 1, TAG, &first);
        job.until("the first", || receives.iter().all(Pending::is_complete));
        for (receive, into) in receives.into_iter().zip(&into) {
            assert_eq!(receive.end().error, OK);
            into.check(7, 4);
        }
        job.end(vec![comm]);
    }
}

#[test]
fn messages_wait_for_their_communicator() {
    for threaded in [false, true] {
        let behaviour = Behaviour { reorders: true, ..Behaviour::default() };
        let job = Job::new(2, threaded, &[], behaviour);
        let world = job.comm(0, true);
        let late = job.comm(7, false);
        job.ranks[0].open(late[0]);
        let out: Vec<Buffer> =
            (0..20).map(|number| Buffer::filled(bytes(), number * 500, number)).collect();
        let sends: Vec<_> = out
            .iter()
            .map(|out| job.ranks[0].isend(&out.send(late[0], 1, 4, PML_STANDARD)))
            .collect();
        job.until("arrival", || job.count("early") == 20);
        job.ranks[1].open(late[1]);
        let into: Vec<Buffer> = (0..20).map(|number| Buffer::new(bytes(), number * 500)).collect();
        let receives: Vec<_> =
            into.iter().map(|into| job.ranks[1].irecv(&into.receive(late[1], 0, 4))).collect();
        job.until("receives", || sends.iter().chain(&receives).all(pair::Pending::is_complete));
        for (number, into) in into.iter().enumerate() {
            into.check(number as u64, number as u64 * 500);
        }
        sends.into_iter().chain(receives).for_each(|request| assert_eq!(request.end().error, OK));
        job.end(vec![late, world]);
    }
}

#[test]
fn groups_share_the_context_of_an_intercommunicator() {
    let job = Job::new(3, false, &[], Behaviour::default());
    let world = job.comm(0, true);
    // The groups {0} and {1, 2}.
    let inter = [
        job.ranks[0].comm(12, COMM_INTER, 0, &[1, 2]),
        job.ranks[1].comm(12, COMM_INTER, 0, &[0]),
        job.ranks[2].comm(12, COMM_INTER, 1, &[0]),
    ];
    job.ranks.iter().zip(inter).for_each(|(rank, comm)| rank.open(comm));
    let out = Buffer::filled(bytes(), 8, 1);
    let into = [Buffer::new(bytes(), 8), Buffer::new(bytes(), 8)];
    for rank in [1, 2] {
        let send = job.ranks[rank].isend(&out.send(inter[rank], 0, rank as i32, PML_STANDARD));
        send.end();
    }
    for (from, into) in into.iter().enumerate() {
        let receive = job.ranks[0].irecv(&into.receive(inter[0], from as i32, PML_ANY_TAG));
        job.until("inter", || receive.is_complete());
        let status = receive.end();
        assert_eq!((status.source, status.tag), (from as i32, from as i32 + 1));
        into.check(1, 8);
    }
    let back = Buffer::new(bytes(), 8);
    let send = job.ranks[0].isend(&out.send(inter[0], 1, 9, PML_SYNCHRONOUS));
    let receive = job.ranks[2].irecv(&back.receive(inter[2], PML_ANY_SOURCE, 9));
    job.until("inter", || send.is_complete() && receive.is_complete());
    assert_eq!((send.end().error, receive.end().source), (OK, 0));
    back.check(1, 8);
    job.end(vec![inter.to_vec(), world]);
}

#[test]
fn a_peer_that_is_gone_ends_what_needs_it() {
    for (name, behaviour) in transports() {
        let job = Job::new(2, false, &[], behaviour);
        let comm = job.comm(2, true);
        let out = Buffer::filled(bytes(), 50_000, 7);
        let announced = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
        let into = Buffer::new(bytes(), 50_000);
        job.until("announcement", || {
            job.ranks[1].probe(&into.receive(comm[1], 0, 0), false).is_some()
        });
        job.fabric.kill(0);
        // What a dead peer has sent needs no answer of it, if it is pushed: `push.rs` has the rest.
        if !name.starts_with("push") {
            let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
            job.until(name, || received.is_complete());
            assert_eq!(received.end().error, ERR_PEER, "{name}");
            // It waits for an answer that never comes; the program ends without it.
            assert!(!announced.is_complete());
        }
        let small = Buffer::filled(bytes(), 5, 7);
        assert_eq!(job.ranks[1].send(&small.send(comm[1], 0, 0, PML_STANDARD)), ERR_PEER);
        let large = job.ranks[1].isend(&out.send(comm[1], 0, 0, PML_STANDARD));
        job.until(name, || large.is_complete());
        assert_eq!(large.end().error, ERR_PEER, "{name}");
        std::mem::forget(job);
    }
}

/// One that can't be sent is an error, and the next one is not lost by it; with another instance or
/// another device it is none.
#[test]
fn a_message_that_can_not_be_sent_does_no_harm() {
    for (threaded, cris, devices) in
        [(false, 1, 1), (true, 1, 1), (true, 3, 1), (false, 1, 2), (true, 2, 2)]
    {
        let behaviour = Behaviour { cris, devices: vec![1000; devices], ..Behaviour::default() };
        let job = Job::new(2, threaded, &[], behaviour);
        let comm = job.comm(2, true);
        let alone = cris == 1 && devices == 1;
        let sizes = [8, 3000, 50_000];
        let (mut expected, mut failed) = (Vec::new(), 0);
        for (number, size) in sizes.into_iter().cycle().take(12).enumerate() {
            let out = Buffer::filled(bytes(), size, number as u64);
            let mode = if number % 2 == 0 { PML_STANDARD } else { PML_SYNCHRONOUS };
            // The way of a message that is sent at once, and of one that is not, is tried once each.
            job.fabric.break_sends(0, 0, if number % 3 == 1 { 2 } else { 0 });
            let sent = job.ranks[0].isend(&out.send(comm[0], 1, 4, mode));
            job.fabric.break_sends(0, 0, 0);
            if alone && number % 3 == 1 {
                assert_eq!(sent.end().error, ERR_RESOURCES);
                // What the receiver is told instead would be in the way of the next message.
                job.ranks[0].system.progress();
                failed += 1;
            } else {
                expected.push((out, sent, number as u64, size));
            }
        }
        for (_out, sent, number, size) in expected {
            let into = Buffer::new(bytes(), size);
            let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 4));
            job.until("the next", || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(number, size);
        }
        assert_eq!(failed, if alone { 4 } else { 0 });
        assert!(cris > 1 || job.count("refused") > 0);
        job.end(vec![comm]);
    }
}

/// A transfer whose data has moved completes, whatever else waits for room.
#[test]
fn ends_of_transfers_need_no_room() {
    for threaded in [false, true] {
        let capabilities = SEND | BTL_GET | BTL_NEEDS_REGISTRATION;
        let behaviour = Behaviour { capabilities, late: 100, ..Behaviour::default() };
        let job = Job::new(2, threaded, &[], behaviour);
        let comm = job.comm(2, true);
        let out = Buffer::filled(bytes(), 9000, 1);
        let into = Buffer::new(bytes(), 9000);
        let sent = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until("the get", || job.count("bytes_rendezvous") == 9000 && job.fabric.is_late(1));
        // From here on nothing that the receiver sends finds room, and messages of its wait.
        job.fabric.fill(0);
        let small = Buffer::filled(bytes(), 8, 2);
        let waits = job.ranks[1].isend(&small.send(comm[1], 0, 1, PML_STANDARD));
        let start = std::time::Instant::now();
        while !received.is_complete() {
            job.ranks[1].system.progress();
            assert!(start.elapsed() < pair::DEADLINE, "the receive does not end");
        }
        into.check(1, 9000);
        assert!(!waits.is_complete() && !sent.is_complete());
        job.fabric.unfill(0);
        let other = Buffer::new(bytes(), 8);
        let last = job.ranks[0].irecv(&other.receive(comm[0], 1, 1));
        job.until("the others", || [sent, waits, last].iter().all(Pending::is_complete));
        [sent, received, waits, last].into_iter().for_each(|it| assert_eq!(it.end().error, OK));
        job.end(vec![comm]);
    }
}
