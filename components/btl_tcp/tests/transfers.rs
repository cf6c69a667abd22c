//! Put, get and flush between ranks.

mod support;

use cairn_framework::abi::status::{DONE, ERR_ARGUMENT, NO_RESOURCES, OK, QUEUED};
use cairn_framework::frameworks::btl::{BTL_LOCAL, BTL_REMOTE_READ, BTL_REMOTE_WRITE};
use support::{Cards, Completion, Rank, Setup, TAG, close, job, pattern, rank, until};

const BOTH: u32 = BTL_LOCAL | BTL_REMOTE_READ | BTL_REMOTE_WRITE;

#[test]
fn puts_are_there_after_a_flush_and_gets_bring_them_back() {
    for threads in [false, true] {
        let ranks = job(&Setup { threads, ..Setup::default() });
        let (here, there) = (ranks[0].route(1), ranks[1].route(0));
        let mut memory = vec![0; 3 << 20];
        let (registration, key) = there.register(&mut memory, BOTH);
        let remote = here.remote(&memory, &key);
        let mut expected = memory.clone();
        let limit = here.module.put_limit as usize;
        let sizes = [0, 1, 7, 8, 9, 1000, 65536, limit];
        let mut offset = 3;
        for (i, size) in sizes.into_iter().enumerate() {
            let local = pattern(size, i);
            let (put, flush) = (Completion::new(), Completion::new());
            let outcome = here.put(&local, &remote, offset as u64, &put);
            assert!([DONE, QUEUED].contains(&outcome), "{outcome}");
            // Messages in between arrive in their order.
            assert_eq!(here.send(TAG, &[i as u8], &[]), DONE);
            assert_eq!(here.flush(i % 2 == 0, &flush), QUEUED);
            until(&ranks, "the flush", || flush.status().is_some());
            assert_eq!((put.status(), flush.status()), (Some(OK), Some(OK)));
            expected[offset..offset + size].copy_from_slice(&local);
            assert!(memory == expected, "{size} bytes at {offset}");
            let mut back = vec![0; size];
            let get = Completion::new();
            assert_eq!(here.get(&mut back, &remote, offset as u64, &get), QUEUED);
            until(&ranks, "the get", || get.status().is_some());
            assert!(get.status() == Some(OK) && back == local);
            offset += size + 5;
        }
        let order: Vec<u8> = ranks[1].messages().iter().map(|one| one[0]).collect();
        assert!(order.iter().copied().eq(0..sizes.len() as u8));
        // Nothing to flush.
        assert_eq!(here.flush(false, &Completion::new()), DONE);
        assert_eq!(here.flush(true, &Completion::new()), DONE);
        there.deregister(registration);
        close(&ranks);
    }
}

#[test]
fn transfers_that_the_key_does_not_allow_are_refused_at_once() {
    let ranks = job(&Setup::default());
    let (here, there) = (ranks[0].route(1), ranks[1].route(0));
    let mut memory = vec![0; 100];
    let (registration, key) = there.register(&mut memory, BOTH);
    let remote = here.remote(&memory, &key);
    let completion = Completion::new();
    let mut local = vec![1; 50];
    for offset in [51, 1000, u64::MAX] {
        assert_eq!(here.put(&local, &remote, offset, &completion), ERR_ARGUMENT);
        assert!(ranks[0].reason(&here).contains("outside of the peer's memory"));
        assert_eq!(here.get(&mut local, &remote, offset, &completion), ERR_ARGUMENT);
    }
    let long = vec![1; here.module.put_limit as usize + 1];
    assert_eq!(here.put(&long, &remote, 0, &completion), ERR_ARGUMENT);
    assert!(ranks[0].reason(&here).contains("at most"));
    assert_eq!(completion.calls(), 0);
    there.deregister(registration);
    close(&ranks);
}

#[test]
fn a_put_after_the_memory_is_gone_ends_the_connection() {
    let ranks = job(&Setup::default());
    let (here, there) = (ranks[0].route(1), ranks[1].route(0));
    let mut memory = vec![0; 100];
    let (registration, key) = there.register(&mut memory, BOTH);
    let remote = here.remote(&memory, &key);
    there.deregister(registration);
    let (put, flush) = (Completion::new(), Completion::new());
    here.put(&[1; 50], &remote, 0, &put);
    assert_eq!(here.flush(false, &flush), QUEUED);
    until(&ranks, "the end", || flush.status().is_some());
    assert_eq!(flush.status(), Some(cairn_framework::abi::status::ERR_PEER));
    assert!(ranks[1].said("no memory is registered with its key"), "{}", ranks[1].log());
    assert_eq!(memory, [0; 100]);
    close(&ranks);
}

#[test]
fn many_at_once_in_both_directions() {
    let mca = [("btl_tcp_num_cris", "2"), ("btl_tcp_sndbuf", "16k")];
    let ranks = job(&Setup { ranks: 3, mca: &mca, ..Setup::default() });
    let count = 300;
    let size = 5001;
    let mut memories: Vec<Vec<u8>> = (0..3).map(|_| vec![0; 3 * count * size]).collect();
    let mut keys = Vec::new();
    for (rank, memory) in ranks.iter().zip(&mut memories) {
        keys.push(rank.route((rank.number() + 1) % 3).register(memory, BOTH));
    }
    let local: Vec<Vec<u8>> = (0..count).map(|i| pattern(size, i)).collect();
    let mut completions = Vec::new();
    for (i, local) in local.iter().enumerate() {
        for from in 0..3 {
            for to in (0..3).filter(|to| *to != from) {
                let route = ranks[from].route(to as u32).on((i % 2) as u32);
                let remote = route.remote(&memories[to], &keys[to].1);
                let offset = ((from * count + i) * size) as u64;
                let put = Completion::new();
                until(&ranks, "room", || {
                    let outcome = route.put(local, &remote, offset, &put);
                    assert!([DONE, QUEUED, NO_RESOURCES].contains(&outcome), "{outcome}");
                    outcome != NO_RESOURCES
                });
                completions.push(put);
            }
        }
    }
    // One flush of a CRI covers all peers.
    for rank in &ranks {
        for cri in 0..2 {
            let flush = Completion::new();
            let route = rank.route((rank.number() + 1) % 3).on(cri);
            assert_eq!(route.flush(true, &flush), QUEUED);
            completions.push(flush);
        }
    }
    until(&ranks, "everything", || completions.iter().all(|one| one.status() == Some(OK)));
    assert!(completions.iter().all(|one| one.calls() <= 1));
    for (to, memory) in memories.iter().enumerate() {
        for from in (0..3).filter(|from| *from != to) {
            for (i, local) in local.iter().enumerate() {
                let at = (from * count + i) * size;
                assert!(memory[at..at + size] == *local, "{from} to {to}, {i}");
            }
        }
    }
    // Gets: more than a connection takes at once.
    let route = ranks[0].route(1);
    let remote = route.remote(&memories[1], &keys[1].1);
    let mut back: Vec<Vec<u8>> = (0..count).map(|_| vec![0; size]).collect();
    let mut refused = 0;
    let gets: Vec<_> = back
        .iter_mut()
        .enumerate()
        .map(|(i, back)| {
            let get = Completion::new();
            until(&ranks, "room", || {
                let outcome = route.get(back, &remote, (i * size) as u64, &get);
                refused += u32::from(outcome == NO_RESOURCES);
                outcome == QUEUED
            });
            get
        })
        .collect();
    until(&ranks, "all gets", || gets.iter().all(|one| one.status() == Some(OK)));
    assert!(refused > 0);
    assert!(back == local.iter().map(Vec::clone).collect::<Vec<_>>());
    close(&ranks);
}

/// Each CRI has links of its own besides that on which it sends, whichever side wants them.
#[test]
fn gets_go_over_all_links_in_turn() {
    let cards = Cards::default();
    let lanes = [&[("btl_tcp_links", "3"), ("btl_tcp_num_cris", "2")][..], &[]];
    let ranks: Vec<Rank> = lanes
        .iter()
        .zip(0..)
        .map(|(mca, number)| {
            let one = rank(&Setup { mca, ..Setup::default() }, number);
            one.open(&cards).unwrap();
            one
        })
        .collect();
    for [from, to] in [[0, 1], [1, 0]] {
        let (here, there) = (ranks[from].route(to as u32), ranks[to].route(from as u32));
        let mut memory = pattern(50_000, from);
        let (registration, key) = there.register(&mut memory, BOTH);
        let remote = here.remote(&memory, &key);
        let mut parts = vec![vec![0; 5000]; 10];
        let gets: Vec<_> = parts.iter().map(|_| Completion::new()).collect();
        // The first ones go over the link that is open already.
        for (place, (part, get)) in parts.iter_mut().zip(&gets).enumerate() {
            assert_eq!(here.get(part, &remote, (5000 * place) as u64, get), QUEUED);
            until(&ranks, "all links", || {
                here.describe().matches("connected to").count() == 3 || place == 0
            });
        }
        until(&ranks, "the gets", || gets.iter().all(|get| get.status().is_some()));
        assert!(gets.iter().all(|get| get.status() == Some(OK)) && parts.concat() == memory);
        let seen = here.describe();
        assert_eq!(seen.matches("connected to").count(), 3, "{seen}");
        there.deregister(registration);
    }
    close(&ranks);
}
