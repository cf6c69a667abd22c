//! Peers that don't keep the rules, and processes that are no peers.

mod support;

use std::io::Write;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use btl_tcp::wire::{Answer, Frame, Hello, WELCOME, Welcome};
use cairn_framework::abi::peer::PEER_FAILED;
use cairn_framework::abi::status::{DONE, ERR_PEER, QUEUED};
use cairn_framework::frameworks::btl::{BTL_REMOTE_READ, BTL_REMOTE_WRITE};
use proptest::prelude::*;
use support::played::{
    card, connect, connect_from, greet, greet_on, hello, is_closed, lone, lone_of, message, read,
    say, welcome, welcome_after,
};
use support::{Completion, SECRET, Setup, TAG, close, job, until, until_within};

#[test]
fn who_does_not_know_the_secret_gets_no_answer() {
    let one = lone(&[], None);
    let mut wrong = connect(one);
    wrong.write_all(&hello(one).encode(&[0; 16])).unwrap();
    assert!(is_closed(&mut wrong, &[one]));
    assert!(one.said("is not of this job"), "{}", one.log());
    let mut garbage = connect(one);
    garbage
        .write_all(b"GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: something else\r\n\r\n")
        .unwrap();
    assert!(is_closed(&mut garbage, &[one]));
    // The frames of an unknown process are not looked at, even in one packet with a hello.
    let mut eager = connect(one);
    let bytes = [&hello(one).encode(&[0; 16])[..], &message(TAG, b"boo")].concat();
    eager.write_all(&bytes).unwrap();
    assert!(is_closed(&mut eager, &[one]));
    assert_eq!(one.count(), 0);
    // Nothing of this is a warning: any port scanner can do it.
    assert!(!one.said("warn"), "{}", one.log());
    let mut good = greet(one);
    good.write_all(&message(TAG, b"hello")).unwrap();
    until(&[one], "a message", || one.messages() == [b"hello"]);
    one.system.close();
}

#[test]
fn ranks_with_different_secrets_do_not_meet() {
    // With both addresses of the loopback interface, to see that both are tried.
    let mca = &[("btl_tcp_if_include", "lo"), ("btl_tcp_peer_timeout", "1000")];
    let ranks = job(&Setup { mca, secrets: &[(1, [9; 16])], ..Setup::default() });
    let route = ranks[0].route(1);
    assert_eq!(route.send(TAG, b"x", b""), DONE);
    until(&ranks, "a refusal", || route.send(TAG, b"x", b"") == ERR_PEER);
    let reason = ranks[0].reason(&route);
    assert!(reason.contains("closed without an answer ("), "{reason}");
    assert!(reason.contains("127.0.0.1:") && reason.contains("[::1]:"), "{reason}");
    assert_eq!(ranks[1].count(), 0);
    close(&ranks);
}

#[test]
fn hellos_that_make_no_sense_are_told_so() {
    let one = lone(&[], None);
    for (hello, expected) in [
        (Hello { target: 1, ..hello(one) }, Answer::WrongRank),
        (Hello { listener: [0; 16], ..hello(one) }, Answer::Ended),
        (Hello { version: 9, ..hello(one) }, Answer::WrongVersion),
        (Hello { link: 1, ..hello(one) }, Answer::NoLink),
        (Hello { source: 2, ..hello(one) }, Answer::NoLink),
        (Hello { source: 0, ..hello(one) }, Answer::NoLink),
        (Hello { cris: 0, ..hello(one) }, Answer::NoLink),
        (Hello { frame_limit: u32::MAX, ..hello(one) }, Answer::NoLink),
    ] {
        let mut stream = connect(one);
        assert_eq!(say(&mut stream, one, &hello), Some(expected), "{hello:?}");
        assert!(is_closed(&mut stream, &[one]));
    }
    one.system.close();
}

#[test]
fn a_hello_is_valid_once() {
    let one = lone(&[], None);
    let said = hello(one).encode(&SECRET);
    let mut stream = connect(one);
    stream.write_all(&said).unwrap();
    assert_eq!(read(&mut stream, &[one], WELCOME).len(), WELCOME, "it is welcome");
    stream.write_all(Frame::Bye.head().bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(is_closed(&mut stream, &[one]));
    // A program that has recorded it says it again, with a message behind.
    let mut recorded = connect(one);
    recorded.write_all(&[&said[..], &message(TAG, b"false")].concat()).unwrap();
    assert!(is_closed(&mut recorded, &[one]), "no answer");
    // The peer itself may come again, and its earlier hello is not valid now either.
    let (earlier, later) = (hello(one), hello(one));
    let mut stream = connect(one);
    assert_eq!(say(&mut stream, one, &later), Some(Answer::Welcome));
    stream.write_all(&message(TAG, b"true")).unwrap();
    until(&[one], "the message", || one.count() == 1);
    stream.write_all(Frame::Bye.head().bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(is_closed(&mut stream, &[one]));
    assert_eq!(say(&mut connect(one), one, &earlier), None);
    assert_eq!(one.messages(), [b"true"]);
    one.system.close();
}

/// Both sides connect, and the connection that is dropped is read late: when the other was closed again.
#[test]
fn a_hello_that_was_dropped_is_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let one = lone(&[], Some(card(&[listener.local_addr().unwrap()])));
    let (dropped, later) = (hello(one), hello(one));
    assert_eq!(one.route(1).send(TAG, b"x", b""), DONE);
    let mut taken = None;
    until(&[one], "the connection", || {
        taken = listener.accept().ok();
        taken.is_some()
    });
    let (mut stream, _) = taken.unwrap();
    welcome_after(&mut stream, one, dropped.count);
    stream.write_all(Frame::Bye.head().bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    until(&[one], "the end", || one.said("has closed the connection"));
    assert_eq!(say(&mut connect(one), one, &dropped), None);
    assert_eq!(say(&mut connect(one), one, &later), Some(Answer::Welcome));
    one.system.close();
    assert!(!one.said("broke"), "{}", one.log());
}

/// Connections from this address that say nothing, or nothing sensible.
fn unknown_peers(to: support::Rank, from: &str, number: usize) -> Vec<TcpStream> {
    let words: [&[u8]; 3] = [b"", b"Crn", &[0x43, 0x72, 0x6e, 0x48, 1, 2, 3, 4]];
    let one = |place: usize| {
        let mut stream = connect_from(to, from);
        stream.write_all(words[place % words.len()]).unwrap();
        stream
    };
    (0..number).map(one).collect()
}

#[test]
fn unknown_peers_give_way_to_each_other() {
    let one = lone(&[("btl_tcp_unauthenticated_limit", "4")], None);
    let mut silent = connect(one);
    until(&[one], "the connection", || one.said("a connection came from"));
    let mut crowd = unknown_peers(one, "127.0.0.2", 40);
    until(&[one], "room", || one.log().matches("too many that are not known").count() >= 37);
    assert!(crowd[..37].iter_mut().all(|stream| is_closed(stream, &[one])), "the oldest");
    assert_eq!(say(&mut silent, one, &hello(one)), Some(Answer::Welcome));
    // Words that no hello begins with are the end at once.
    let mut garbage = connect_from(one, "127.0.0.3");
    garbage.write_all(b"GET").unwrap();
    assert!(is_closed(&mut garbage, &[one]));
    one.system.close();
}

#[test]
fn a_hello_that_is_there_needs_no_room() {
    let one = lone(&[("btl_tcp_unauthenticated_limit", "1")], None);
    let _before = unknown_peers(one, "127.0.0.1", 20);
    let mut good = connect(one);
    let said = hello(one).encode(&SECRET);
    good.write_all(&said).unwrap();
    let _behind = unknown_peers(one, "127.0.0.1", 20);
    let answer = read(&mut good, &[one], WELCOME);
    let welcome = Welcome::decode(&answer.try_into().unwrap(), &SECRET, &said).unwrap();
    assert_eq!(welcome.answer, Answer::Welcome);
    one.system.close();
}

#[test]
fn a_listener_that_closes_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let one = lone(&[], Some(card(&[listener.local_addr().unwrap()])));
    assert_eq!(one.route(1).send(TAG, b"x", b""), DONE);
    let (mut closed, mut taken) = (0, None);
    until(&[one], "the sixth connection", || {
        if let Ok((stream, _)) = listener.accept() {
            closed += 1;
            taken = (closed > 5).then_some(stream);
        }
        taken.is_some()
    });
    welcome(&mut taken.unwrap(), one);
    one.system.close();
}

#[test]
fn frames_against_the_protocol_end_the_connection() {
    let get = |len| Frame::Get { token: 1, key: 2, address: 3, len };
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (Frame::Message { tag: TAG, len: (1 << 16) + 1 }.head().bytes().into(), "65537 bytes"),
        (vec![0xff; 40], "unknown kind 255"),
        (vec![0, 0, 0, 0, 0, 1, 1, 0], "reserved"),
        (
            Frame::Put { key: 1, address: 16, len: 8 }.head().bytes().into(),
            "no memory is registered",
        ),
        (get(8).head().bytes().into(), "no memory is registered"),
        (Frame::Data { token: 1, len: 8 }.head().bytes().into(), "nothing that was asked"),
        (Frame::Flushed { token: 1 }.head().bytes().into(), "nothing that was asked"),
        ([Frame::Bye.head().bytes(), &message(TAG, b"x")].concat(), "after its goodbye"),
    ];
    for (bytes, expected) in cases {
        let one = lone(&[], None);
        let mut stream = greet(one);
        stream.write_all(&message(TAG, b"first")).unwrap();
        stream.write_all(&bytes).unwrap();
        assert!(is_closed(&mut stream, &[one]), "{expected}");
        assert_eq!(one.messages(), [b"first"]);
        assert!(one.said("broke the protocol") && one.said(expected), "{expected}: {}", one.log());
        assert!(one.said("rank 1 (127.0.0.1:"), "{}", one.log());
        one.system.close();
    }
}

#[test]
fn puts_and_gets_touch_what_is_registered_and_nothing_else() {
    let mut memory = vec![5u8; 4096];
    let base = memory.as_mut_ptr().expose_provenance() as u64 + 1024;
    let put = |key, address, len: u32| {
        let head = Frame::Put { key, address, len }.head();
        [head.bytes(), &vec![9; (len as usize).next_multiple_of(8)]].concat()
    };
    let get =
        |key, address, len| Frame::Get { token: 1, key, address, len }.head().bytes().to_vec();
    let card = card(&[]);
    // What is tried: with which rights, and by how much it begins and ends off the memory.
    for (access, write, begin, len) in [
        (BTL_REMOTE_WRITE, true, -1i64, 8u32),
        (BTL_REMOTE_WRITE, true, 1017, 8),
        (BTL_REMOTE_WRITE, true, 0, 1025),
        (BTL_REMOTE_WRITE, true, i64::MIN, 8),
        (BTL_REMOTE_READ, true, 0, 8),
        (BTL_REMOTE_WRITE, false, 0, 8),
        (BTL_REMOTE_READ, false, 1, 1024),
    ] {
        let one = lone(&[], Some(card.clone()));
        let route = one.route(1);
        let (registration, key) = route.register(&mut memory[1024..2048], access);
        let key = u64::from_le_bytes(key[..8].try_into().unwrap());
        let mut stream = greet(one);
        // What is allowed works, right before.
        let good =
            if access == BTL_REMOTE_WRITE { put(key, base, 1024) } else { get(key, base, 8) };
        stream.write_all(&good).unwrap();
        let address = base.wrapping_add_signed(begin);
        let bad = if write { put(key, address, len) } else { get(key, address, len) };
        // The rank may have closed before everything was written.
        let _ = stream.write_all(&bad);
        until(&[one], "the end", || one.said("broke the protocol"));
        let expected = if access == BTL_REMOTE_WRITE { 9 } else { 5 };
        assert!(memory[1024..2048].iter().all(|byte| *byte == expected));
        assert!(memory[..1024].iter().chain(&memory[2048..]).all(|byte| *byte == 5));
        memory.fill(5);
        route.deregister(registration);
        one.system.close();
    }
}

#[test]
fn memory_that_is_withdrawn_in_the_middle_of_a_put_is_not_touched() {
    let mut memory = vec![5u8; 1 << 20];
    let one = lone(&[], Some(card(&[])));
    let route = one.route(1);
    let base = memory.as_mut_ptr().expose_provenance() as u64;
    let (registration, key) = route.register(&mut memory, BTL_REMOTE_WRITE);
    let key = u64::from_le_bytes(key[..8].try_into().unwrap());
    let mut stream = greet(one);
    stream.write_all(Frame::Put { key, address: base, len: 1 << 20 }.head().bytes()).unwrap();
    stream.write_all(&[9; 1000]).unwrap();
    until(&[one], "the first bytes", || memory[999] == 9);
    route.deregister(registration);
    memory.fill(5);
    let _ = stream.write_all(&[9; 1000]);
    until(&[one], "the end", || one.said("no memory is registered with its key"));
    assert!(memory.iter().all(|byte| *byte == 5));
    one.system.close();
}

#[test]
fn a_peer_that_dies_ends_what_waits_for_it() {
    for cut in [0, 1, 3] {
        let one = lone(&[("btl_tcp_sndbuf", "8k")], Some(card(&[])));
        let mut stream = greet(one);
        let route = one.route(1);
        let big = vec![1; 100_000];
        let completions: Vec<_> = (0..100).map(|_| Completion::new()).collect();
        let queued: Vec<&Completion> = completions
            .iter()
            .map(|one| &**one)
            .filter(|one| route.put_in_vain(&big, one) == QUEUED)
            .collect();
        let memory = vec![0u8; 64];
        let mut key = vec![0; 32];
        key[8..16].copy_from_slice(&(memory.as_ptr().addr() as u64).to_le_bytes());
        key[16] = 64;
        let remote = route.remote(&memory, &key);
        let mut local = [0; 8];
        let (get, put, flush) = (Completion::new(), Completion::new(), Completion::new());
        assert_eq!(route.get(&mut local, &remote, 0, &get), QUEUED);
        assert_eq!(route.put(&local, &remote, 0, &put), QUEUED);
        assert_eq!(route.flush(true, &flush), QUEUED);
        assert!(queued.len() > 50);
        // In the middle of a message, or between two.
        let last = message(TAG, b"last");
        stream.write_all(&last).unwrap();
        stream.write_all(&last[..cut * 3]).unwrap();
        match cut {
            // The kernel resets a connection that is closed before all of its bytes were read.
            3 => drop(stream),
            // Half of it, as a process does that is about to die.
            _ => stream.shutdown(Shutdown::Write).unwrap(),
        }
        until(&[one], "all completions", || {
            queued.iter().all(|one| one.status().is_some()) && flush.status().is_some()
        });
        assert!(queued.iter().any(|one| one.status() == Some(ERR_PEER)));
        assert_eq!((get.status(), flush.status()), (Some(ERR_PEER), Some(ERR_PEER)));
        assert!(queued.iter().all(|one| one.calls() == 1));
        assert_eq!(route.send(TAG, b"x", b""), ERR_PEER);
        let reason = one.reason(&route);
        assert!(reason.contains("rank 1 (127.0.0.1:") && reason.contains("died"), "{reason}");
        assert!(one.said(&reason), "{}", one.log());
        if cut < 3 {
            assert_eq!(one.messages(), [b"last"]);
            assert_eq!(reason.contains("in the middle of a message"), cut > 0, "{reason}");
        }
        one.system.close();
    }
}

#[test]
fn a_peer_that_dies_is_told_of_once() {
    let one = lone(&[("btl_tcp_num_cris", "3")], Some(card(&[])));
    let streams = [0, 1, 2].map(|link| greet_on(one, link));
    drop(streams);
    let told = |part| one.log().lines().filter(|line| line.contains(part)).count();
    until(&[one], "the end of all", || told("died") == 3);
    assert_eq!(told("warn"), 1, "{}", one.log());
    for cri in 0..3 {
        assert_eq!(one.route(1).on(cri).send(TAG, b"x", b""), ERR_PEER);
    }
    one.system.close();
}

#[test]
fn a_peer_that_dies_ends_what_waits_for_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let card = card(&[listener.local_addr().unwrap()]);
    let one = lone(&[("btl_tcp_num_cris", "2")], Some(card));
    let open = greet_on(one, 0);
    let (route, completion) = (one.route(1).on(1), Completion::new());
    assert_eq!(route.put_in_vain(b"y", &completion), QUEUED);
    assert!(route.describe().contains("waits for its answer"), "{}", route.describe());
    drop(open);
    until(&[one], "the end", || completion.calls() == 1);
    assert_eq!(completion.status(), Some(ERR_PEER));
    // SAFETY: peers stay.
    assert!(unsafe { &*one.system.peer(1).unwrap() }.is(PEER_FAILED));
    assert_eq!(route.send(TAG, b"x", b""), ERR_PEER);
    // What comes later is told so.
    assert_eq!(say(&mut connect(one), one, &Hello { link: 1, ..hello(one) }), Some(Answer::Ended));
    one.system.close();
}

#[test]
fn a_peer_that_dies_is_gone_when_its_last_words_on_all_connections_are_heard() {
    for threads in [false, true] {
        let setup = Setup { mca: &[("btl_tcp_num_cris", "3")], threads, ..Setup::default() };
        let one = lone_of(&setup, Some(card(&[])));
        let mut streams = [0, 1, 2].map(|link| greet_on(one, link));
        for words in 0..20 {
            streams[words % 2].write_all(&message(TAG, &[7; 1000])).unwrap();
        }
        drop(streams);
        // SAFETY: peers stay.
        let peer = unsafe { &*one.system.peer(1).unwrap() };
        let [silent, talks] = [2, 1].map(|cri| one.route(1).on(cri));
        until(&[], "the end of one", || silent.progress() > 0 && one.said("died"));
        assert!(one.count() == 0 && !peer.is(PEER_FAILED));
        until(&[], "the end of another", || talks.progress() > 0 && one.count() == 10);
        assert!(!peer.is(PEER_FAILED));
        until(&[one], "the end", || peer.is(PEER_FAILED));
        assert_eq!(one.count(), 20);
        one.system.close();
    }
}

#[test]
fn every_address_is_tried_and_told() {
    // Nothing listens on the first; the second is taken by a program that closes, the third by one
    // that answers with rubbish.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let rude = TcpListener::bind("127.0.0.1:0").unwrap();
    let odd = TcpListener::bind("127.0.0.1:0").unwrap();
    let addresses = [closed, rude.local_addr().unwrap(), odd.local_addr().unwrap()];
    let one = lone(&[("btl_tcp_peer_timeout", "1000")], Some(card(&addresses)));
    let route = one.route(1);
    let completion = Completion::new();
    assert_eq!(route.send(TAG, b"x", b""), DONE);
    assert_eq!(route.put_in_vain(b"y", &completion), QUEUED);
    rude.set_nonblocking(true).unwrap();
    odd.set_nonblocking(true).unwrap();
    let mut kept = Vec::new();
    until(&[one], "the end", || {
        drop(rude.accept());
        if let Ok((mut stream, _)) = odd.accept() {
            stream.write_all(&[1; 100]).unwrap();
            kept.push(stream);
        }
        completion.status().is_some()
    });
    assert_eq!(completion.status(), Some(ERR_PEER));
    assert_eq!(route.send(TAG, b"x", b""), ERR_PEER);
    let reason = one.reason(&route);
    for (address, why) in
        addresses.iter().zip(["Connection refused", "without an answer", "not of this job"])
    {
        let (_, rest) = reason.split_once(&address.to_string()).expect(&reason);
        assert!(rest.split("; ").next().unwrap().contains(why), "{why}: {reason}");
    }
    one.system.close();
}

#[test]
fn an_address_that_swallows_packets_is_passed_after_a_while() {
    // A listener with a full queue: the kernel drops what wants to connect.
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::STREAM,
        None,
    )
    .unwrap();
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    rustix::net::bind(&socket, &any).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let deaf = TcpListener::from(socket);
    let address = deaf.local_addr().unwrap();
    let mut fillers = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
        fillers.push(stream);
        assert!(fillers.len() < 100);
    }
    let good = TcpListener::bind("127.0.0.1:0").unwrap();
    good.set_nonblocking(true).unwrap();
    let mca = [("btl_tcp_connect_timeout", "100")];
    let one = lone(&mca, Some(card(&[address, good.local_addr().unwrap()])));
    assert_eq!(one.route(1).send(TAG, b"x", b""), DONE);
    let mut taken = None;
    until(&[one], "the second address", || {
        taken = good.accept().ok();
        taken.is_some()
    });
    let (mut stream, _) = taken.unwrap();
    welcome(&mut stream, one);
    drop(stream);
    one.system.close();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever a peer of the job sends: the connection ends or goes on, nothing else.
    #[test]
    fn arbitrary_bytes_from_a_peer(
        bytes in proptest::collection::vec(any::<u8>(), 1..400),
        sound in proptest::collection::vec(0..200usize, 0..5),
        kind in 0..9u8,
    ) {
        let one = lone(&[], None);
        let mut stream = greet(one);
        for len in &sound {
            stream.write_all(&message(TAG, &vec![1; *len])).unwrap();
        }
        let mut bytes = bytes;
        if kind > 0 && bytes.len() > 8 {
            // Closer to what is sound.
            let len = bytes[0] % 64;
            bytes[..8].copy_from_slice(&[len, 0, 0, 0, TAG, kind, 0, 0]);
        }
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        until_within(&[one], "the end", Duration::from_secs(20), || {
            one.said("broke") || one.said("has closed the connection")
        });
        prop_assert!(one.count() as usize >= sound.len());
        one.system.close();
    }
}
