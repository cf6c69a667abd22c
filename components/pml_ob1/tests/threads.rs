//! Several threads of each process at a time.

mod pair;

use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_NEEDS_REGISTRATION, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED,
};
use cairn_framework::frameworks::pml::{
    PML_ANY_SOURCE, PML_ANY_TAG, PML_STANDARD, PML_SYNCHRONOUS,
};

use pair::btl::Behaviour;
use pair::{Buffer, Job, Rank, bytes};

const ENGINES: [&str; 4] = ["list", "bins", "vector", "sharded"];
const THREADS: i32 = 3;
const MESSAGES: u64 = 60;

fn behaviours() -> Vec<Behaviour> {
    let all = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;
    [0, BTL_GET, BTL_PUT | BTL_NEEDS_REGISTRATION]
        .into_iter()
        .flat_map(|rdma| {
            let base = Behaviour { capabilities: all | rdma, ..Behaviour::default() };
            [
                Behaviour { cris: 1, ..base.clone() },
                Behaviour { cris: 3, reorders: true, refuses: 20, room: 20, ..base.clone() },
                Behaviour { cris: 2, devices: vec![10, 20], refuses: 5, ..base.clone() },
                Behaviour { cris: 3, push_limit: 1 << 20, refuses: 5, room: 20, ..base.clone() },
                Behaviour { cris: 3, push_limit: 1 << 20, reorders: true, ..base },
            ]
        })
        .collect()
}

fn size(number: u64) -> u64 {
    4 + [0, 60, 3000, 40_000][number as usize % 4]
}

/// What a thread does: sends to its partner and receives from it, in its own tag, in order.
fn talk(rank: &Rank, comm: pair::Handle, thread: i32) {
    let other = 1 - rank.number;
    for number in 0..MESSAGES {
        let seed = number << 8 | thread as u64;
        let out = Buffer::filled(bytes(), size(number), seed);
        let into = Buffer::new(bytes(), size(number));
        let receive =
            into.receive(comm, if number % 2 == 0 { PML_ANY_SOURCE } else { other as i32 }, thread);
        let mode = if number % 5 == 0 { PML_SYNCHRONOUS } else { PML_STANDARD };
        let send = out.send(comm, other, thread, mode);
        match number % 3 {
            0 => {
                let sent = rank.isend(&send);
                assert_eq!(rank.recv(&receive).0, OK);
                wait(rank, sent);
            }
            1 => {
                let received = rank.irecv(&receive);
                assert_eq!(rank.send(&send), OK);
                wait(rank, received);
            }
            _ => {
                let sent = rank.isend(&send);
                while rank.probe(&receive, false).is_none() {}
                let (found, message) = rank.mprobe(&receive, true).expect("it was there");
                assert_eq!(found.bytes, size(number));
                wait(rank, rank.mrecv(message, &receive));
                wait(rank, sent);
            }
        }
        into.check(seed, size(number));
    }
}

fn wait(rank: &Rank, request: pair::Pending) {
    let start = std::time::Instant::now();
    while !request.is_complete() {
        rank.system.progress();
        assert!(start.elapsed() < pair::DEADLINE);
    }
    assert_eq!(request.end().error, OK);
}

#[test]
fn each_thread_gets_its_messages_in_order() {
    for (behaviour, engine) in behaviours().into_iter().zip(ENGINES.into_iter().cycle()) {
        let mca = [("wait_polls", "5"), ("match", engine)];
        let job = Job::new(2, true, &mca, behaviour);
        let comm = job.comm(4, true);
        job.each(|rank| {
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let mine = comm[rank.number as usize];
                    scope.spawn(move || talk(rank, mine, thread));
                }
            });
        });
        assert_eq!(job.count("violations"), 0);
        job.end(vec![comm]);
    }
}

/// Threads that probe for anything take each message once.
#[test]
fn threads_that_probe_share_the_messages() {
    const ALL: u64 = 300;
    for (behaviour, engine) in behaviours().into_iter().zip(ENGINES.into_iter().rev().cycle()) {
        let job = Job::new(2, true, &[("match", engine)], behaviour);
        let comm = job.comm(4, true);
        let seen: Vec<_> = (0..ALL).map(|_| std::sync::atomic::AtomicU32::new(0)).collect();
        let left = std::sync::atomic::AtomicU64::new(ALL);
        job.each(|rank| {
            let mine = comm[rank.number as usize];
            if rank.number == 0 {
                for number in 0..ALL {
                    let out = Buffer::filled(bytes(), size(number), number);
                    assert_eq!(rank.send(&out.send(mine, 1, number as i32, PML_STANDARD)), OK);
                }
                return;
            }
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        while left.load(std::sync::atomic::Ordering::Relaxed) > 0 {
                            let into = Buffer::new(bytes(), 50_000);
                            let any = into.receive(mine, PML_ANY_SOURCE, PML_ANY_TAG);
                            rank.probe(&any, false);
                            let Some((found, message)) = rank.mprobe(&any, false) else { continue };
                            left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                            wait(rank, rank.mrecv(message, &any));
                            let number = into.seed();
                            assert_eq!(found.tag as u64, number);
                            into.check(number, size(number));
                            seen[number as usize]
                                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                    });
                }
            });
        });
        assert!(seen.iter().all(|seen| seen.load(std::sync::atomic::Ordering::Relaxed) == 1));
        job.end(vec![comm]);
    }
}

/// Threads that find a peer with messages that wait, and come to it when another has sent the last of them.
#[test]
fn what_waits_for_room_is_never_forgotten() {
    const ALL: u64 = 500;
    let capabilities = BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;
    let behaviour = Behaviour { capabilities, cris: 1, refuses: 70, ..Behaviour::default() };
    let job = Job::new(2, true, &[("wait_polls", "5")], behaviour);
    let comm = job.comm(4, true);
    let left = std::sync::atomic::AtomicU64::new(2);
    job.each(|rank| {
        let mine = comm[rank.number as usize];
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while left.load(std::sync::atomic::Ordering::Relaxed) > 0 {
                        rank.system.progress();
                    }
                });
            }
            for number in 0..ALL {
                let out = Buffer::filled(bytes(), 100, number);
                let into = Buffer::new(bytes(), 100);
                let received = rank.irecv(&into.receive(mine, 1 - rank.number as i32, 0));
                wait(rank, rank.isend(&out.send(mine, 1 - rank.number, 0, PML_STANDARD)));
                wait(rank, received);
                into.check(number, 100);
            }
            left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        });
    });
    job.end(vec![comm]);
}
