//! Messages whose pieces come unasked: what the receiver keeps, and what becomes of the rest when one side
//! goes no further.

mod pair;

use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES, ERR_TRUNCATED, OK};
use cairn_framework::frameworks::pml::{PML_STANDARD, PML_SYNCHRONOUS};

use pair::btl::Behaviour;
use pair::{Buffer, Chance, Handle, Job, Pending, bytes, holes};

/// Where ob1's messages go.
const TAG: u8 = 64;
/// Bytes of a message in several pieces.
const SIZE: u64 = 50_000;
/// Those of the longest in one: the longest frame of the device without the header.
const PIECE: u64 = 8192 - 56;

fn behaviour() -> Behaviour {
    Behaviour { push_limit: SIZE, ..Behaviour::default() }
}

fn send(job: &Job, comm: &[Handle], seed: u64) -> (Buffer, Pending) {
    send_so_many(job, comm, SIZE, seed)
}

fn send_so_many(job: &Job, comm: &[Handle], len: u64, seed: u64) -> (Buffer, Pending) {
    let out = Buffer::filled(bytes(), len, seed);
    let sent = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
    (out, sent)
}

fn receive(job: &Job, comm: &[Handle]) -> (Buffer, Pending) {
    receive_so_many(job, comm, SIZE)
}

fn receive_so_many(job: &Job, comm: &[Handle], len: u64) -> (Buffer, Pending) {
    let into = Buffer::new(bytes(), len);
    let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
    (into, received)
}

/// Nothing is left of messages that are over.
fn nothing_is_left(job: &Job, comm: &[Handle]) {
    for (rank, handle) in job.ranks.iter().zip(comm) {
        assert!(rank.describe(*handle).contains("\n0 transfers"), "{}", rank.describe(*handle));
    }
}

/// A sender is told when too much waits for receives, and when it may go on.
#[test]
fn a_receiver_keeps_no_more_than_it_was_told_to() {
    for (threaded, len, kept) in
        [(false, SIZE, "200k"), (true, SIZE, "200k"), (false, PIECE, "32k"), (true, PIECE, "32k")]
    {
        let job = Job::new(2, threaded, &[("pml_ob1_push_kept", kept)], behaviour());
        let comm = job.comm(1, true);
        let sent: Vec<_> = (0..20)
            .map(|seed| {
                let sent = send_so_many(&job, &comm, len, seed);
                let quiet = || job.fabric.is_empty(0) && job.fabric.is_empty(1);
                job.until("the receiver's word", quiet);
                sent
            })
            .collect();
        assert_eq!(job.count("messages_pushed"), 5, "four are kept, and one above");
        assert_eq!(job.count("messages_rendezvous"), 15);
        for (seed, (_out, sent)) in sent.into_iter().enumerate() {
            let (into, received) = receive_so_many(&job, &comm, len);
            job.until("in order", || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(seed as u64, len);
        }
        // Now there is room.
        let (into, received) = receive_so_many(&job, &comm, len);
        let (_out, sent) = send_so_many(&job, &comm, len, 77);
        job.until("again", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(77, len);
        assert_eq!(job.count("messages_pushed"), 6);
        nothing_is_left(&job, &comm);
        job.end(vec![comm]);
    }
}

/// A device that can't send the rest of a message: its receive ends with that, before or after it is posted,
/// and so does the send.
#[test]
fn a_message_whose_rest_can_not_be_sent_ends_its_receive() {
    for (threaded, posted) in [(false, false), (false, true), (true, false), (true, true)] {
        // Three messages find room; the others wait.
        let job = Job::new(2, threaded, &[], Behaviour { room: 3, ..behaviour() });
        let comm = job.comm(1, true);
        let early = posted.then(|| receive(&job, &comm));
        let (_out, sent) = send(&job, &comm, 5);
        assert!(!sent.is_complete());
        job.ranks[1].system.progress();
        job.fabric.break_sends(0, 0, 1);
        job.until("the failure", || sent.is_complete());
        assert_eq!(sent.end().error, ERR_RESOURCES);
        let (_into, received) = early.unwrap_or_else(|| receive(&job, &comm));
        job.until("its end", || received.is_complete());
        assert_eq!(received.end().error, ERR_RESOURCES);
        // The next one is not lost by it.
        let (into, received) = receive(&job, &comm);
        let (_out, sent) = send(&job, &comm, 6);
        job.until("the next", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(6, SIZE);
        nothing_is_left(&job, &comm);
        assert_eq!(job.count("violations"), 0);
        job.end(vec![comm]);
    }
}

/// A device that takes only shorter messages from some time on: pieces become shorter, of what is under way too.
#[test]
fn pieces_are_as_long_as_the_device_takes_them() {
    for (threaded, push_limit, begun) in [
        (false, SIZE, false),
        (false, SIZE, true),
        (true, SIZE, true),
        (false, 0, false),
        (false, 0, true),
        (true, 0, true),
    ] {
        let job = Job::new(2, threaded, &[], Behaviour { room: 3, push_limit, ..behaviour() });
        let comm = job.comm(1, true);
        // The first one finds the device as it was.
        for seed in [4, 5] {
            let (into, received) = receive(&job, &comm);
            let early = (begun || seed == 4).then(|| send(&job, &comm, seed));
            job.ranks[1].system.progress();
            if seed == 5 {
                job.fabric.shorten(5000);
            }
            let (_out, sent) = early.unwrap_or_else(|| send(&job, &comm, seed));
            job.until("its end", || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(seed, SIZE);
        }
        assert_eq!(job.count("messages_pushed"), if push_limit > 0 { 2 } else { 0 });
        assert_eq!(job.count("refused"), 1);
        nothing_is_left(&job, &comm);
        job.end(vec![comm]);
    }
}

/// A message of one piece needs no request to be sent and no place in a table to be received, if its receive is there.
#[test]
fn a_message_of_one_piece_is_sent_and_received_at_once() {
    for (threaded, len) in
        [(false, 4097), (false, PIECE), (true, PIECE), (false, PIECE + 1), (true, PIECE + 1)]
    {
        let job = Job::new(2, threaded, &[], behaviour());
        let comm = job.comm(1, true);
        for (seed, room) in [(1, len), (2, len + 7), (3, 100), (4, 0)] {
            let out = Buffer::filled(bytes(), len, seed);
            let into = Buffer::new(bytes(), room);
            // Posted, and not yet.
            for early in [true, false] {
                let post = || job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
                let posted = early.then(post);
                let sent = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
                assert!(sent.is_complete());
                let received = posted.unwrap_or_else(|| {
                    job.until("its arrival", || job.fabric.is_empty(1));
                    post()
                });
                job.until("its end", || received.is_complete());
                let status = received.end();
                let error = if room < len { ERR_TRUNCATED } else { OK };
                assert_eq!((status.error, status.bytes), (error, room.min(len)));
                assert_eq!(sent.end().error, OK);
                into.check(seed, room.min(len));
            }
        }
        assert_eq!(job.count("messages_pushed"), 8);
        // All that were finished at once have one request.
        let [first, second] = [8, 9].map(|seed| send_so_many(&job, &comm, len, seed));
        assert_eq!(first.1.is_same(&second.1), len <= PIECE);
        // A device that takes no more than half of it from now on gets it in two.
        job.fabric.shorten(len as usize / 2 + 100);
        let last = send_so_many(&job, &comm, len, 10);
        assert!(!last.1.is_same(&first.1));
        for (seed, (_out, sent)) in [(8, first), (9, second), (10, last)] {
            let (into, received) = receive_so_many(&job, &comm, len);
            job.until("its end", || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(seed, len);
        }
        // It is not tried again.
        let refused = job.count("refused");
        assert!(refused > 0);
        let (into, received) = receive_so_many(&job, &comm, len);
        let (_out, sent) = send_so_many(&job, &comm, len, 11);
        job.until("its end", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(11, len);
        assert_eq!(job.count("refused"), refused);
        assert_eq!(job.count("messages_pushed"), 12);
        nothing_is_left(&job, &comm);
        job.end(vec![comm]);
    }
}

/// What a device pushes only to few peers at a time goes so from the second message on, up to its limit.
#[test]
fn longer_messages_are_pushed_to_the_peers_that_got_the_last_ones() {
    for (threaded, peers, pushed) in [(false, 1, 3), (true, 4, 12), (false, 5, 0), (true, 5, 0)] {
        let limits = Behaviour { push_limit: 10_000, push_limit_recent: SIZE, ..behaviour() };
        let job = Job::new(peers + 1, threaded, &[], limits);
        let comm = job.comm(1, true);
        let exchange = |to: usize, bytes_of: u64| {
            let (out, into) =
                (Buffer::filled(bytes(), bytes_of, 7), Buffer::new(bytes(), bytes_of));
            let received = job.ranks[to].irecv(&into.receive(comm[to], 0, 0));
            let sent = job.ranks[0].isend(&out.send(comm[0], to as u32, 0, PML_STANDARD));
            job.until("its end", || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(7, bytes_of);
        };
        for _ in 0..4 {
            (1..=peers as usize).for_each(|to| exchange(to, SIZE));
        }
        assert_eq!(job.count("messages_pushed"), pushed);
        // Shorter messages go so to every peer, and longer ones to none.
        (1..=peers as usize).for_each(|to| exchange(to, 10_000));
        assert_eq!(job.count("messages_pushed"), pushed + u64::from(peers));
        (0..2).for_each(|_| exchange(1, SIZE + 1));
        assert_eq!(job.count("messages_pushed"), pushed + u64::from(peers));
        assert_eq!(job.count("violations"), 0);
        job.end(vec![comm]);
    }
}

/// A sender that dies behind its last piece has sent its message; before it, the receive ends.
#[test]
fn a_peer_that_is_gone_ends_what_is_not_whole() {
    for (threaded, posted, room) in [
        (false, false, 3),
        (false, true, 3),
        (true, true, 3),
        (false, false, 100),
        (false, true, 100),
        (true, false, 100),
    ] {
        let job = Job::new(2, threaded, &[], Behaviour { room, ..behaviour() });
        let comm = job.comm(1, true);
        let early = posted.then(|| receive(&job, &comm));
        let (_out, sent) = send(&job, &comm, 5);
        assert_eq!(sent.is_complete(), room == 100);
        let pass = || job.ranks[1].system.progress();
        pass();
        // As a transport does: what has arrived is handed on before.
        job.fabric.kill(0);
        job.ranks[1].peer_failed(0);
        let (into, received) = early.unwrap_or_else(|| receive(&job, &comm));
        let start = std::time::Instant::now();
        while !received.is_complete() {
            pass();
            assert!(start.elapsed() < pair::DEADLINE, "{threaded} {posted} {room}");
        }
        let expected = if room == 100 { OK } else { ERR_PEER };
        assert_eq!(received.end().error, expected, "{threaded} {posted} {room}");
        if room == 100 {
            into.check(5, SIZE);
        }
        std::mem::forget(job);
    }
}

/// A communicator is freed while a message for it is kept, all of it or a part.
#[test]
fn what_no_receive_can_get_leaves_nothing_behind() {
    for (threaded, room) in [(false, 3), (false, 100), (true, 3), (true, 100)] {
        let job = Job::new(2, threaded, &[], Behaviour { room, ..behaviour() });
        let (freed, other) = (job.comm(1, true), job.comm(2, true));
        let (_out, sent) = send(&job, &freed, 5);
        job.ranks[1].system.progress();
        job.ranks[1].close(freed[1]);
        job.until("a send that nobody receives", || sent.is_complete());
        assert_eq!(sent.end().error, OK);
        // And one that comes when it is freed already.
        let (_out, sent) = send(&job, &freed, 5);
        job.until("a send to nobody", || sent.is_complete());
        assert_eq!(sent.end().error, OK);
        let (into, received) = receive(&job, &other);
        let (_out, sent) = send(&job, &other, 6);
        job.until("the next", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(6, SIZE);
        assert_eq!(job.count("dropped"), 2);
        nothing_is_left(&job, &other);
        job.ranks[0].close(freed[0]);
        job.end(vec![other]);
    }
}

/// Pieces and ends that nobody sent, by every name near those in use.
#[test]
fn invented_pieces_never_reach_a_buffer() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour { room: 2, ..behaviour() });
        let comm = job.comm(1, true);
        let chance = Chance::new(7);
        for round in 0..20 {
            let (into, received) = receive(&job, &comm);
            let (_out, sent) = send(&job, &comm, round);
            let announced = job.fabric.peek(1).expect("the first piece");
            let name = u64::from_le_bytes(announced[32..40].try_into().unwrap());
            let mut forged = 0;
            while !(sent.is_complete() && received.is_complete()) {
                // Of the message itself only such as do not lie in it.
                let number = name.wrapping_sub(chance.below(100));
                let offset = if number == name {
                    [SIZE, u64::MAX - 3, 1 << 63][chance.below(3) as usize]
                } else {
                    chance.below(2 * SIZE)
                };
                let mut piece = vec![9, 0, 0, 0, 0, 0, 0, 0];
                piece.extend(number.to_le_bytes());
                piece.extend(offset.to_le_bytes());
                piece.extend([0xee; 40]);
                job.fabric.forge(0, 1, TAG, &piece);
                forged += 1;
                job.ranks.iter().for_each(|rank| _ = rank.system.progress());
                assert!(forged < 1_000_000, "it does not end");
            }
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
            into.check(round, SIZE);
        }
        assert!(job.count("violations") > 0);
        job.end(vec![comm]);
    }
}

/// What the sender must hear of, and what a limit leaves out, is announced; holes are no reason.
#[test]
fn what_is_pushed_is_what_the_device_says() {
    let job = Job::new(2, false, &[], behaviour());
    let comm = job.comm(1, true);
    let mut pushed = 0;
    for (size, mode, datatype, may) in [
        (SIZE, PML_STANDARD, bytes(), true),
        (SIZE, PML_STANDARD, holes(), true),
        (SIZE + 5, PML_STANDARD, bytes(), false),
        (SIZE, PML_SYNCHRONOUS, bytes(), false),
        (4096, PML_STANDARD, bytes(), false),
        (4097, PML_STANDARD, bytes(), true),
    ] {
        let count = size / datatype.size;
        let out = Buffer::filled(datatype, count, 3);
        let sent = job.ranks[0].isend(&out.send(comm[0], 1, 0, mode));
        let into = Buffer::new(datatype, count);
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until("it", || sent.is_complete() && received.is_complete());
        assert_eq!((sent.end().error, received.end().error), (OK, OK));
        into.check(3, count * datatype.size);
        pushed += u64::from(may);
        assert_eq!(job.count("messages_pushed"), pushed, "{size} bytes");
    }
    job.end(vec![comm]);
    for protocol in ["get", "put", "fragments"] {
        let job = Job::new(2, false, &[("pml_ob1_protocol", protocol)], behaviour());
        let comm = job.comm(1, true);
        for len in [SIZE, PIECE] {
            let (_into, received) = receive_so_many(&job, &comm, len);
            let (_out, sent) = send_so_many(&job, &comm, len, 3);
            job.until(protocol, || sent.is_complete() && received.is_complete());
            assert_eq!((sent.end().error, received.end().error), (OK, OK));
        }
        assert_eq!(job.count("messages_pushed"), 0, "{protocol} was asked for");
        job.end(vec![comm]);
    }
}
