//! Ranks that compute and call the library seldom: less often than any time-out of the transport.

mod support;

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use btl_tcp::wire::Answer;
use cairn_framework::abi::status::DONE;
use support::played::{connect, hello, lone, message, say};
use support::{DEADLINE, Rank, Setup, TAG, close, job, until};

/// Between two calls of a late rank: longer than the time-outs below.
const COMPUTING: Duration = Duration::from_millis(1300);
const MCA: [(&str, &str); 2] =
    [("btl_tcp_connect_timeout", "20"), ("btl_tcp_peer_timeout", "1000")];

/// A way in which two ranks meet.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// By rank: whether it calls the library seldom.
    late: [bool; 2],
    /// By rank: whether it sends. Each receives what the other sends.
    sends: [bool; 2],
    instances: u32,
    threads: bool,
    /// A thread of the library makes progress while a late rank computes.
    background: bool,
}

/// What a rank does: sends over each CRI, and then computes most of the time, or waits.
fn run(case: Case, rank: Rank, done: &AtomicU32) {
    let number = rank.number() as usize;
    let [count, expected] = [number, 1 - number].map(|rank| u32::from(case.sends[rank]));
    let (mut left, begin, mut is_done) = (count * case.instances, Instant::now(), false);
    while done.load(Ordering::SeqCst) < 2 {
        if left > 0 {
            let route = rank.route(1 - rank.number()).on(left - 1);
            left -= u32::from(route.send(TAG, b"message", b"") == DONE);
        }
        let all_here = left == 0 && rank.count() == expected * case.instances;
        if all_here && !is_done {
            is_done = true;
            done.fetch_add(1, Ordering::SeqCst);
        }
        // Until the end, because the other's messages may still wait in this rank.
        match case.late[number] {
            true => std::thread::sleep(COMPUTING),
            false => std::thread::sleep(Duration::from_millis(1)),
        }
        rank.progress();
        assert!(begin.elapsed() < DEADLINE, "{case:?}\n{}", rank.log());
    }
}

fn meet(case: Case) {
    let instances = case.instances.to_string();
    let mca = [&MCA[..], &[("btl_tcp_num_cris", instances.as_str())]].concat();
    let threads = case.threads || case.background;
    let ranks = job(&Setup { mca: &mca, threads, ..Setup::default() });
    let done = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for rank in &ranks {
            scope.spawn(|| run(case, *rank, &done));
            if case.background {
                scope.spawn(|| {
                    while done.load(Ordering::SeqCst) < 2 && !std::thread::panicking() {
                        rank.progress();
                        std::thread::sleep(Duration::from_millis(5));
                    }
                });
            }
        }
    });
    for rank in &ranks {
        assert!(!rank.said("warn"), "{case:?}\n{}", rank.log());
    }
    close(&ranks);
}

#[test]
fn late_ranks_lose_nothing() {
    let both = [[true, false], [false, true], [true, true]];
    std::thread::scope(|scope| {
        for late in both {
            for sends in both {
                for (instances, threads, background) in
                    [(1, false, false), (3, true, false), (3, true, true)]
                {
                    let case = Case { late, sends, instances, threads, background };
                    scope.spawn(move || meet(case));
                }
            }
        }
    });
}

#[test]
fn a_dialer_may_be_silent_for_long() {
    // There is no time-out for this, so the time is one that a time-out had once, and more.
    let silent = Duration::from_secs(6);
    let one = lone(&MCA, None);
    let (mut stream, begin) = (connect(one), Instant::now());
    until(&[one], "a long time", || begin.elapsed() > silent);
    assert_eq!(say(&mut stream, one, &hello(one)), Some(Answer::Welcome));
    stream.write_all(&message(TAG, b"late")).unwrap();
    until(&[one], "the message", || one.messages() == [b"late"]);
    one.system.close();
}

#[test]
fn a_rank_that_closes_waits_for_one_that_computes() {
    let small = [("btl_tcp_sndbuf", "128k"), ("btl_tcp_rcvbuf", "4k")];
    let mca = [&MCA[..], &small, &[("btl_tcp_close_timeout", "3600000")]].concat();
    // As much as the kernel takes, of which the other side's has no room for a part.
    let fill = |most: u32| {
        let ranks = job(&Setup { mca: &mca, ..Setup::default() });
        let route = ranks[0].route(1);
        assert_eq!(route.send(TAG, b"first", b""), DONE);
        until(&ranks, "the connection", || ranks[1].count() == 1);
        let mut sent = 0;
        while sent < most && !route.describe().contains("bytes wait") {
            assert_eq!(route.send(TAG, &sent.to_le_bytes(), &[7; 1000]), DONE);
            sent += 1;
        }
        (ranks, sent)
    };
    let (ranks, too_much) = fill(u32::MAX);
    close(&ranks);
    let (ranks, sent) = fill(too_much / 2);
    assert!(!ranks[0].route(1).describe().contains("bytes wait"));
    std::thread::scope(|scope| {
        scope.spawn(|| ranks[0].system.close());
        std::thread::sleep(5 * COMPUTING);
        let back = ranks[1].route(0);
        let closed = || back.describe().contains("has closed the connection");
        until(&ranks[1..], "the goodbye", closed);
    });
    assert_eq!(ranks[1].count(), sent + 1);
    ranks[1].system.close();
}
