//! A network that is gone: for long, and both ranks learn of it; for a moment, and nothing is lost. And
//! ranks that are silent for longer than any time-out, and alive.
//!
//! Time-outs are as short as they can be where they are to pass, and much longer than the deadline of
//! the tests' patience where they are not.

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cairn_framework::abi::status::{DONE, ERR_PEER, NO_RESOURCES, QUEUED};
use cairn_skips::skipped;
use support::nodes::{Node, plain, two_nodes};
use support::{Completion, ECHO, Setup, TAG, pattern, until};

const SHORT: (&str, &str) = ("btl_tcp_peer_timeout", "1000");
const LONG: (&str, &str) = ("btl_tcp_peer_timeout", "60000");
/// Longer than the short one, by far.
const SLEEP: Duration = Duration::from_millis(3500);
/// Shorter than the long one, by far.
const MOMENT: Duration = Duration::from_millis(1500);
const SMALL: [(&str, &str); 2] = [("btl_tcp_sndbuf", "16k"), ("btl_tcp_rcvbuf", "16k")];

/// Does the same with each of these at the same time.
fn each<T: Send>(cases: impl IntoIterator<Item = T>, body: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| body(case));
        }
    });
}

fn nodes(mca: &[(&str, &str)], threads: bool, body: impl Fn(&Node<'_>) + Sync) {
    if let Err(reason) = two_nodes(plain, &Setup { mca, threads, ..Setup::default() }, body) {
        skipped(&reason);
    }
}

/// A message there and back over each CRI, so that all connections are open.
fn talk(node: &Node<'_>) {
    let before = node.rank.count();
    // SAFETY: the pool stays.
    let instances = unsafe { &*node.route().module.pool }.count;
    for index in 0..instances {
        assert_eq!(node.route().on(index).send(ECHO, b"there", b"and back"), DONE);
    }
    until(&[node.rank], "the answers", || node.rank.count() == before + instances);
    // The other one's, too, which this rank answers.
    node.meet_polling();
}

/// Sends, without receiving anything, until the transport takes no more; how much that was.
fn fill(node: &Node<'_>) -> u32 {
    let (route, payload) = (node.route(), pattern(10_000, 3));
    (0..).find(|_| route.send(TAG, b"fill", &payload) == NO_RESOURCES).unwrap()
}

/// Waits, polling or sleeping, until the transport says that the other rank has failed.
fn learns(node: &Node<'_>, sleeps: bool) {
    if sleeps {
        while !node.has_lost_the_other() {
            node.sleep();
        }
    }
    until(&[node.rank], "the failure", || node.has_lost_the_other());
    assert_eq!(node.route().send(TAG, b"x", b""), ERR_PEER);
    // Both learn it by themselves: no connection is closed before.
    node.meet();
}

#[test]
fn a_cut_is_noticed_by_those_who_only_wait() {
    each([("1", false), ("3", true)], |(instances, threads)| {
        nodes(&[SHORT, ("btl_tcp_num_cris", instances)], threads, |node| {
            talk(node);
            node.cut();
            learns(node, node.number == 0);
            assert!(node.rank.said("broke"), "{}", node.rank.log());
        });
    });
}

#[test]
fn a_cut_is_noticed_by_those_who_have_data_in_flight() {
    each([("1", false), ("3", true)], |(instances, threads)| {
        nodes(&[SHORT, ("btl_tcp_num_cris", instances)], threads, |node| {
            talk(node);
            node.cut();
            let data = pattern(100_000, 1);
            let completions: Vec<_> = (0..200).map(|_| Completion::new()).collect();
            let queued: Vec<&Completion> = completions
                .iter()
                .map(|one| &**one)
                .filter(|one| node.route().put_in_vain(&data, one) == QUEUED)
                .collect();
            assert!(!queued.is_empty());
            learns(node, node.number == 0);
            until(&[node.rank], "completions", || queued.iter().all(|one| one.calls() > 0));
            assert!(queued.iter().all(|one| one.calls() == 1 && one.status() == Some(ERR_PEER)));
            assert!(node.rank.said("nothing was heard of it for 1 s"), "{}", node.rank.log());
        });
    });
}

#[test]
fn a_cut_is_noticed_by_those_whose_peer_has_no_room() {
    nodes(&[&SMALL[..], &[SHORT]].concat(), false, |node| {
        talk(node);
        if node.number == 1 {
            // Rank 0 fills what there is, and its kernel asks from time to time whether there is room.
            std::thread::sleep(SLEEP);
        } else {
            fill(node);
            node.meet();
        }
        if node.number == 1 {
            node.meet();
        }
        node.cut();
        learns(node, node.number == 0);
    });
}

#[test]
fn a_rank_that_sleeps_with_full_buffers_is_alive() {
    each([&SMALL[..], &[]], |small| {
        let sent = [0, 1].map(|_| AtomicU32::new(u32::MAX));
        nodes(&[small, &[SHORT]].concat(), false, |node| {
            talk(node);
            let before = node.rank.count();
            let mut total = fill(node);
            node.meet();
            // Both sleep, and then only rank 1 does, while rank 0 looks after its connections.
            std::thread::sleep(SLEEP);
            if node.number == 0 {
                let end = std::time::Instant::now() + SLEEP;
                until(&[node.rank], "the other wakes up", || {
                    total += u32::from(node.route().send(TAG, b"more", b"") == DONE);
                    std::time::Instant::now() > end
                });
            } else {
                std::thread::sleep(SLEEP);
            }
            let [mine, theirs] = [node.number, 1 - node.number].map(|rank| &sent[rank as usize]);
            mine.store(total, Ordering::Relaxed);
            until(&[node.rank], "everything", || {
                assert!(!node.has_lost_the_other(), "{}", node.rank.log());
                node.rank.count() - before == theirs.load(Ordering::Relaxed)
            });
            node.meet_polling();
            assert!(!node.rank.said("broke"), "{}", node.rank.log());
        });
    });
}

#[test]
fn a_moment_without_a_network_costs_nothing() {
    nodes(&[LONG], false, |node| {
        talk(node);
        // In flight when the network goes, and idle.
        for busy in [true, false] {
            let before = node.rank.count();
            let send = |number: u32| {
                until(&[node.rank], "room", || {
                    node.route().send(TAG, &number.to_le_bytes(), &[7; 5000]) == DONE
                });
            };
            let total = if busy { 1000 } else { 0 };
            (0..total / 2).for_each(send);
            node.meet_polling();
            node.cut();
            // As much as there is room for.
            let more = (total / 2..total)
                .find(|number| node.route().send(TAG, &number.to_le_bytes(), &[7; 5000]) != DONE);
            let end = std::time::Instant::now() + MOMENT;
            until(&[node.rank], "a moment", || std::time::Instant::now() > end);
            node.heal();
            (more.unwrap_or(total)..total).for_each(send);
            until(&[node.rank], "everything", || node.rank.count() == before + total);
            node.meet_polling();
            talk(node);
        }
        assert!(!node.has_lost_the_other() && !node.rank.said("broke"), "{}", node.rank.log());
    });
}

#[test]
fn a_network_that_is_cut_when_the_first_message_is_sent_is_noticed() {
    nodes(&[SHORT, ("btl_tcp_connect_timeout", "200")], false, |node| {
        node.cut();
        if node.number == 0 {
            let completion = Completion::new();
            assert_eq!(node.route().put_in_vain(b"y", &completion), QUEUED);
            learns(node, true);
            until(&[node.rank], "the completion", || completion.calls() == 1);
            assert_eq!(completion.status(), Some(ERR_PEER));
            let again = "does not answer and is tried again for 1 s";
            assert!(node.rank.said(again), "{}", node.rank.log());
            assert!(node.rank.said("rank 1 can't be reached; tried 10.77.0.2"));
        } else {
            node.meet();
        }
    });
}

#[test]
fn a_network_that_is_cut_before_the_peer_has_answered_is_noticed() {
    nodes(&[SHORT, ("btl_tcp_connect_timeout", "200")], false, |node| {
        if node.number == 0 {
            assert_eq!(node.route().send(TAG, b"x", b""), DONE);
            // Rank 1 does nothing: its kernel has taken the connection.
            until(&[node.rank], "the connection", || {
                node.route().describe().contains("waits for its answer")
            });
        }
        node.cut();
        learns(node, node.number == 0);
        // Rank 1 has accepted it, and answered into the void.
        assert_eq!(node.number == 1, node.rank.said("connected to rank"), "{}", node.rank.log());
    });
}

#[test]
fn a_moment_without_a_network_while_connecting_costs_nothing() {
    each([true, false], |early| {
        nodes(&[LONG, ("btl_tcp_connect_timeout", "100")], false, |node| {
            if early {
                node.cut();
            }
            // Rank 1 does nothing until the network is back.
            if node.number == 0 {
                (0..10u8)
                    .for_each(|number| assert_eq!(node.route().send(ECHO, &[number], b""), DONE));
                let end = std::time::Instant::now() + MOMENT;
                until(&[node.rank], "a moment", || std::time::Instant::now() > end);
            }
            if !early {
                node.cut();
                std::thread::sleep(MOMENT);
            }
            node.heal();
            if node.number == 0 {
                until(&[node.rank], "the answers", || node.rank.count() == 10);
                assert!((0..10).eq(node.rank.messages().iter().map(|one| one[0])));
            }
            until(&[node.rank], "the connection", || {
                node.route().describe().contains("connected to")
            });
            talk(node);
        });
    });
}
