//! Peers that break the protocol: what they send is dropped, and all other traffic goes on.

mod pair;

use cairn_framework::abi::status::{ERR_PROTOCOL, OK};
use cairn_framework::frameworks::btl::{BTL_GET, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED};
use cairn_framework::frameworks::pml::PML_STANDARD;

use pair::btl::Behaviour;
use pair::{Buffer, Chance, Job, bytes};

/// The entry of the receive table that ob1 has.
const TAG: u8 = 64;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn what_breaks_the_protocol_is_dropped() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour::default());
        let comm = job.comm(1, true);
        let forged: Vec<(&str, Vec<u8>)> = vec![
            ("nothing", vec![]),
            ("too short", words(&[1, 1, 0])),
            ("no such kind", words(&[0, 0, 0, 0, 1, 0])),
            ("no such kind", words(&[99, 0, 0, 0, 1, 0])),
            ("a rank that is not there", words(&[1, 2, 0, 0, 1, 0])),
            ("a negative rank", words(&[1, u32::MAX, 0, 0, 1, 0])),
            ("half a sync", words(&[2, 0, 0, 0, 1, 0])),
            ("half an announcement", words(&[3, 0, 0, 0, 1, 0, 5, 0, 0, 0])),
            ("a huge key", words(&[&[3 | 1 << 6, 0, 0, 0, 1, 0, 5, 0][..], &[0; 37]].concat())),
            ("a key that is not said", words(&[3, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0, 7])),
            ("half an answer", words(&[4, 1, 0, 0, 0, 0])),
            ("an answer without an operation", words(&[4, 1, 0, 0, 0, 0, 5, 0, 0, 0])),
            ("half a fragment", words(&[5, 0, 0, 0])),
            (
                "a fragment without an operation",
                words(&[&[5, 0, 3, 4, 0, 0, 1, 2, 3][..], &[0; 9]].concat()),
            ),
            ("half a header of a long message", words(&[12, 0, 0, 0, 1, 0])),
            ("all but a word of it", words(&[&[12, 0, 0, 0, 1, 0][..], &[0; 7]].concat())),
            ("half an end", words(&[6, 0, 0, 0])),
            ("an end of nothing", words(&[6, 0, 0, 0, 0, 0])),
            ("half a pushed message", words(&[8, 0, 0, 0, 1, 0, 5, 0, 0, 0])),
            (
                "a first piece longer than its message",
                words(&[8, 0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0x0403_0201]),
            ),
            ("half a piece", words(&[9, 0, 1, 0])),
            ("half a broken message", words(&[10, 0, 1, 0])),
            ("a word on pushing of a stranger", words(&[11, 7, 1, 0, 1, 0])),
            ("an old number", words(&[1 | 0x7f_ffff << 8, 0, 0, 0, 1, 0])),
        ];
        for (number, (what, bytes)) in forged.iter().enumerate() {
            job.fabric.forge(0, 1, TAG, bytes);
            job.until(what, || job.count("violations") == number as u64 + 1);
        }
        let (out, into) = (Buffer::filled(bytes(), 8, 3), Buffer::new(bytes(), 8));
        assert_eq!(job.ranks[0].send(&out.send(comm[0], 1, 0, PML_STANDARD)), OK);
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until("the next message", || received.is_complete());
        assert_eq!(received.end().error, OK);
        into.check(3, 8);
        job.end(vec![comm]);
    }
}

#[test]
fn a_number_that_came_before_is_dropped() {
    let job = Job::new(2, false, &[], Behaviour::default());
    let comm = job.comm(1, true);
    // Number 2 waits for 0 and 1, so another 2 is one too many.
    job.fabric.forge(0, 1, TAG, &words(&[1 | 2 << 8, 0, 0, 0, 1, 0, 7]));
    job.fabric.forge(0, 1, TAG, &words(&[1 | 2 << 8, 0, 0, 0, 1, 0, 7]));
    job.until("both", || job.count("violations") == 1 && job.count("out_of_sequence") == 1);
    assert!(job.ranks[1].describe(comm[1]).contains("1 wait for it"));
    let (out, into) = (Buffer::filled(bytes(), 4, 3), Buffer::new(bytes(), 4));
    for _ in 0..2 {
        assert_eq!(job.ranks[0].send(&out.send(comm[0], 1, 0, PML_STANDARD)), OK);
    }
    for expected in [3, 3, 7] {
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        job.until("in order", || received.is_complete());
        assert_eq!(received.end().error, OK);
        into.check(expected, 4);
    }
    job.end(vec![comm]);
}

/// Fragments and answers with every number near those in use.
#[test]
fn invented_numbers_never_reach_a_buffer() {
    for capabilities in [0, BTL_GET, BTL_PUT] {
        let capabilities = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED | capabilities;
        let job = Job::new(2, false, &[], Behaviour { capabilities, ..Behaviour::default() });
        let comm = job.comm(1, true);
        let chance = Chance::new(7);
        let out = Buffer::filled(bytes(), 100_000, 5);
        let into = Buffer::new(bytes(), 100_000);
        let send = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
        let received = job.ranks[1].irecv(&into.receive(comm[1], 0, 0));
        let mut forged = 0;
        while !(send.is_complete() && received.is_complete()) {
            for rank in [0, 1] {
                let place = chance.below(3) as u32;
                let generation = chance.below(1 << 32) as u32;
                let kind = 4 + chance.below(3) as u32;
                let head = [kind, 1, place, generation, place, generation];
                let message = words(&[&head[..], &[9; 13]].concat());
                job.fabric.forge(1 - rank, rank, TAG, &message);
                forged += 1;
                job.ranks[rank as usize].system.progress();
            }
            assert!(forged < 1_000_000, "it does not end");
        }
        assert_eq!((send.end().error, received.end().error), (OK, OK));
        into.check(5, 100_000);
        assert!(job.count("violations") > 0);
        job.end(vec![comm]);
    }
}

/// A peer that knows the number of a send and answers nonsense ends that send with an error.
#[test]
fn a_wrong_answer_ends_the_send() {
    let job = Job::new(2, false, &[], Behaviour::default());
    let comm = job.comm(1, true);
    let out = Buffer::filled(bytes(), 10_000, 5);
    for (way, length) in [(1u32, 10_001u32), (2, 10_000), (77, 1)] {
        let send = job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD));
        let header = job.fabric.peek(1).expect("the announcement");
        let mut answer = words(&[4, way]);
        answer.extend_from_slice(&header[32..40]);
        answer.extend(words(&[0, 0, length, 0, 0, 0]));
        job.fabric.forge(1, 0, TAG, &answer);
        job.until("the answer", || send.is_complete());
        assert_eq!(send.end().error, ERR_PROTOCOL);
        job.until("the announcement", || job.count("unexpected") > 0);
        job.fabric.clear(1);
    }
    job.end(vec![comm]);
}
