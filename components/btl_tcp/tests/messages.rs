//! Messages between ranks over loopback.

mod support;

use std::sync::atomic::Ordering;

use cairn_framework::abi::status::{DONE, ERR_PEER, NO_RESOURCES, OK};
use support::{ECHO, Setup, TAG, close, job, pattern, until};

#[test]
fn messages_of_every_size_arrive_whole_in_order_and_aligned() {
    for threads in [false, true] {
        let ranks = job(&Setup { threads, ..Setup::default() });
        let route = ranks[0].route(1);
        assert_eq!(route.describe(), "rank 1: not connected");
        let limit = route.module.immediate_limit as usize;
        let mut sent = Vec::new();
        let sizes = (0..70).chain([1000, 1499, 4095, 4096, 65537, limit - 24]);
        for (i, size) in sizes.enumerate() {
            let (header, payload) = (pattern(24, i), pattern(size, i));
            until(&ranks, "room", || match i % 2 {
                0 => route.send(TAG, &header, &payload) == DONE,
                _ => route.send_packed(&header, &payload, size) == DONE,
            });
            sent.push([header, payload].concat());
        }
        until(&ranks, "all messages", || ranks[1].count() as usize == sent.len());
        assert!(ranks[1].messages() == sent);
        assert_eq!(ranks[1].inbox.unaligned.load(Ordering::Relaxed), 0);
        assert!(route.describe().contains("connected to 127.0.0.1:"), "{}", route.describe());
        close(&ranks);
        let gone = "the process died";
        assert!(!ranks[0].said(gone) && !ranks[1].said(gone), "{}", ranks[0].log());
    }
}

#[test]
fn a_function_may_pack_less_than_it_said() {
    let ranks = job(&Setup::default());
    let route = ranks[0].route(1);
    assert_eq!(route.send_packed(b"head", b"short", 1000), DONE);
    assert_eq!(route.send_packed(b"", b"", 0), DONE);
    assert_eq!(route.send(TAG, b"last", b""), DONE);
    until(&ranks, "all messages", || ranks[1].count() == 3);
    assert_eq!(ranks[1].messages(), [&b"headshort"[..], b"", b"last"]);
    close(&ranks);
}

#[test]
fn both_sides_at_once_lose_nothing() {
    for round in 0..20 {
        let ranks = job(&Setup { ranks: 3, ..Setup::default() });
        // Every rank sends to every rank before any makes progress.
        for from in &ranks {
            for to in 0..3 {
                if to != from.number() {
                    for i in 0..10 {
                        let header = [from.number() as u8, i];
                        assert_eq!(from.route(to).send(TAG, &header, &[]), DONE);
                    }
                }
            }
        }
        // The order of progress differs from round to round.
        let mut order = ranks.clone();
        order.rotate_left(round % 3);
        if round % 2 == 1 {
            order.swap(0, 1);
        }
        until(&order, "all messages", || ranks.iter().all(|rank| rank.count() == 20));
        for rank in &ranks {
            for from in 0..3u8 {
                let messages = rank.messages();
                let of: Vec<u8> =
                    messages.iter().filter(|one| one[0] == from).map(|one| one[1]).collect();
                if u32::from(from) != rank.number() {
                    assert!(of.iter().copied().eq(0..10), "{of:?}");
                }
            }
        }
        close(&ranks);
    }
}

#[test]
fn callbacks_may_answer() {
    let ranks = job(&Setup::default());
    let route = ranks[0].route(1);
    for i in 0..1000u32 {
        until(&ranks, "room", || route.send(ECHO, &i.to_le_bytes(), &[7; 50]) == DONE);
    }
    until(&ranks, "all answers", || ranks[0].count() == 1000);
    assert_eq!(ranks[1].inbox.refused.load(Ordering::Relaxed), 0);
    let messages = ranks[0].messages();
    assert!(messages.iter().enumerate().all(|(i, one)| one[..4] == (i as u32).to_le_bytes()));
    close(&ranks);
}

#[test]
fn a_slow_reader_holds_the_sender_up_and_gets_everything() {
    let mca = [("btl_tcp_sndbuf", "8k"), ("btl_tcp_rcvbuf", "8k"), ("btl_tcp_output_limit", "8k")];
    let ranks = job(&Setup { mca: &mca, ..Setup::default() });
    let route = ranks[0].route(1);
    assert_eq!(route.send(TAG, &0u32.to_le_bytes(), &[]), DONE);
    until(&ranks, "a connection", || ranks[1].count() == 1);
    let (mut sent, mut refused) = (1u32, 0);
    let total = 200_000;
    while sent < total {
        // The reader looks only when the sender is stuck.
        match route.send(TAG, &sent.to_le_bytes(), &[0; 20]) {
            DONE => sent += 1,
            NO_RESOURCES => {
                refused += 1;
                ranks[0].progress();
                ranks[1].progress();
            }
            other => panic!("{other}: {}", ranks[0].reason(&route)),
        }
    }
    until(&ranks, "all messages", || ranks[1].count() == total);
    assert!(refused > 0);
    let messages = ranks[1].messages();
    assert!(messages.iter().enumerate().all(|(i, one)| one[..4] == (i as u32).to_le_bytes()));
    close(&ranks);
}

#[test]
fn several_instances_have_connections_of_their_own() {
    // As many as the side with more has, whichever connects.
    let more = Setup { mca: &[("btl_tcp_num_cris", "3")], ..Setup::default() };
    let ranks = job(&more);
    for (from, to) in [(0, 1), (1, 0)] {
        let route = ranks[from].route(to);
        for cri in 0..3 {
            assert_eq!(route.on(cri).send(TAG, &[cri as u8], &[]), DONE);
        }
        until(&ranks, "all messages", || ranks[to as usize].count() == 3);
        let mut messages = ranks[to as usize].messages();
        messages.sort();
        assert_eq!(messages, [[0], [1], [2]]);
    }
    let text = ranks[0].route(1).describe();
    assert_eq!(text.matches("connected to").count(), 3, "{text}");
    close(&ranks);
}

#[test]
fn with_threads_there_is_an_instance_for_each_processor() {
    // Of which a rank has two here.
    for (threads, instances) in [(false, 1), (true, 2)] {
        let ranks = job(&Setup { threads, ..Setup::default() });
        let route = ranks[0].route(1);
        // SAFETY: the pool stays.
        assert_eq!(unsafe { &*route.module.pool }.count, instances);
        for cri in 0..instances {
            assert_eq!(route.on(cri).send(TAG, &[cri as u8], &[]), DONE);
        }
        until(&ranks, "all messages", || ranks[1].count() == instances);
        close(&ranks);
    }
}

#[test]
fn threads_with_instances_of_their_own() {
    let mca = [("btl_tcp_num_cris", "2")];
    let ranks = job(&Setup { mca: &mca, threads: true, ..Setup::default() });
    let total = 3000u32;
    let begin = std::time::Instant::now();
    std::thread::scope(|scope| {
        for rank in &ranks {
            for cri in 0..2 {
                let route = rank.route(1 - rank.number()).on(cri);
                scope.spawn(move || {
                    let route = route;
                    let mut sent = 0;
                    while sent < total || rank.count() < 2 * total {
                        if sent < total && route.send(TAG, &[cri as u8], &[1; 100]) == DONE {
                            sent += 1;
                        }
                        rank.progress();
                        assert!(begin.elapsed() < support::DEADLINE, "{}", rank.log());
                    }
                });
            }
        }
    });
    for rank in &ranks {
        let messages = rank.messages();
        assert_eq!(messages.iter().filter(|one| one[0] == 1).count() as u32, total);
    }
    close(&ranks);
}

#[test]
fn what_was_sent_before_the_end_arrives() {
    let ranks = job(&Setup::default());
    let route = ranks[0].route(1);
    let payload = pattern(60_000, 3);
    let mut sent = 0;
    // There is no connection yet: all of it waits in this process.
    while route.send(TAG, &[1], &payload) == DONE {
        sent += 1;
    }
    assert!(sent > 5);
    let receiver = ranks[1];
    std::thread::scope(|scope| {
        scope.spawn(|| ranks[0].system.close());
        until(&[receiver], "all messages", || receiver.count() == sent);
    });
    let back = receiver.route(0);
    let closed = || back.describe().contains("has closed the connection");
    until(&[receiver], "the goodbye", closed);
    assert_eq!(back.send(TAG, b"x", b""), ERR_PEER);
    assert!(receiver.reason(&back).contains("has closed the connection"));
    assert!(!receiver.said("died"), "{}", receiver.log());
    receiver.system.close();
}

/// A rank that has sent more than the sockets take, to one that does not look: how much.
fn flood(ranks: &[support::Rank]) -> u32 {
    let route = ranks[0].route(1);
    assert_eq!(route.send(TAG, b"first", b""), DONE);
    until(ranks, "a connection", || ranks[1].count() == 1);
    let payload = pattern(60_000, 5);
    let mut sent = 1;
    let mut refused = 0;
    // What the transport holds goes to the socket in between, until neither has room.
    while refused < 3 {
        if route.send(TAG, b"next", &payload) == DONE {
            (sent, refused) = (sent + 1, 0);
        } else {
            refused += 1;
            ranks[0].progress();
        }
    }
    sent
}

const SMALL: [(&str, &str); 2] = [("btl_tcp_sndbuf", "16k"), ("btl_tcp_rcvbuf", "16k")];

#[test]
fn ending_an_endpoint_does_not_wait_and_loses_nothing() {
    for threads in [false, true] {
        // A rank that waited for the other one would wait for an hour.
        let mca = [&SMALL[..], &[("btl_tcp_close_timeout", "3600000")]].concat();
        let ranks = job(&Setup { mca: &mca, threads, ..Setup::default() });
        let sent = flood(&ranks);
        let route = ranks[0].route(1);
        // One more that is ended here; the host ends its own when it closes.
        let peer = ranks[0].system.peer(1).unwrap().cast_const();
        let mut endpoint = std::ptr::null_mut();
        // SAFETY: one peer, and one place.
        let added = unsafe { route.ops.add_peers.unwrap()(route.module, 1, &peer, &mut endpoint) };
        assert_eq!((added, endpoint), (OK, route.endpoint));
        let (done, is_done) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let route = route;
            // SAFETY: the endpoint is the module's, and nothing is in flight on it.
            unsafe { route.ops.remove_peer.unwrap()(route.module, route.endpoint) };
            done.send(()).unwrap();
        });
        is_done.recv_timeout(support::DEADLINE).expect("it does not wait");
        assert!(route.describe().contains("bytes wait"), "{}", route.describe());
        // A message has to wait for the next connection now.
        assert_eq!(route.send(TAG, b"late", b""), NO_RESOURCES);
        until(&ranks, "everything", || ranks[1].count() == sent);
        let back = ranks[1].route(0);
        until(&ranks, "the goodbye", || back.describe().contains("has closed the connection"));
        assert_eq!(route.describe(), "rank 1: not connected");
        assert!(!ranks[1].said("died"), "{}", ranks[1].log());
        close(&ranks);
    }
}

#[test]
fn the_close_waits_so_long_and_no_longer() {
    let mca = [&SMALL[..], &[("btl_tcp_close_timeout", "20")]].concat();
    let ranks = job(&Setup { mca: &mca, ..Setup::default() });
    flood(&ranks);
    ranks[0].system.close();
    assert!(ranks[0].said("rank 1 does not take the last"), "{}", ranks[0].log());
    let back = ranks[1].route(0);
    until(&ranks[1..], "the end", || back.send(TAG, b"x", b"") == ERR_PEER);
    ranks[1].system.close();
}

#[test]
fn two_that_close_at_once_with_much_to_say_do_not_wait_for_each_other() {
    let mca = [&SMALL[..], &[("btl_tcp_close_timeout", "3600000")]].concat();
    let ranks = job(&Setup { mca: &mca, ..Setup::default() });
    flood(&ranks);
    let payload = pattern(60_000, 6);
    let route = ranks[1].route(0);
    while route.send(TAG, b"back", &payload) == DONE {}
    let (done, is_done) = std::sync::mpsc::channel();
    for rank in ranks {
        let done = done.clone();
        std::thread::spawn(move || {
            rank.system.close();
            done.send(()).unwrap();
        });
    }
    for _ in 0..2 {
        is_done.recv_timeout(support::DEADLINE).expect("they hear each other");
    }
}

#[test]
fn a_sleeper_is_woken() {
    let ranks = job(&Setup::default());
    let (from, to) = (ranks[0].route(1), ranks[1].route(0));
    // SAFETY: the module is the transport's; the place is valid.
    let arm = || unsafe {
        let mut wake = std::mem::zeroed();
        let outcome = to.ops.arm.unwrap()(to.module, to.cri, &mut wake);
        (outcome, wake)
    };
    for round in 0..3u8 {
        let begin = std::time::Instant::now();
        let sent = std::cell::Cell::new(false);
        while ranks[1].count() <= u32::from(round) {
            let (outcome, wake) = arm();
            if outcome == DONE {
                let mut poll = libc::pollfd { fd: wake.fd, events: libc::POLLIN, revents: 0 };
                // SAFETY: one descriptor.
                let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
                if !sent.replace(true) {
                    assert!(round > 0 || ready == 0, "nothing has happened");
                    assert_eq!(from.send(TAG, &[round], &[]), DONE);
                }
                ranks[0].progress();
                // SAFETY: one descriptor.
                let ready = unsafe { libc::poll(&raw mut poll, 1, 1000) };
                assert_eq!(ready, 1, "the sleeper is not woken");
            }
            ranks[1].progress();
            assert!(begin.elapsed() < support::DEADLINE);
        }
    }
    close(&ranks);
}
