//! Communicators in which a process is several ranks, with a view for each.

mod pair;

use cairn_framework::abi::comm::ContextId;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::pml::{
    PML_ANY_SOURCE, PML_ANY_TAG, PML_STANDARD, PML_SYNCHRONOUS,
};

use pair::btl::Behaviour;
use pair::{Buffer, Handle, Job, Rank, bytes};

/// The process of each rank, in an order that is not theirs.
const PROCESSES: [u32; 4] = [0, 1, 1, 0];
/// Messages from each rank to each.
const MESSAGES: u64 = 12;
/// Room for the largest.
const ROOM: u64 = 40_000;

/// A communicator of four ranks in two processes.
fn comm(job: &Job, serial: u64) -> Vec<Handle> {
    let contexts: Vec<_> = (0..4).map(|rank| ContextId::new(0, serial + rank)).collect();
    let view = |rank: u32| {
        let view = process(job, rank).view(&contexts, rank, &PROCESSES);
        process(job, rank).open(view);
        view
    };
    (0..4).map(view).collect()
}

fn process(job: &Job, rank: u32) -> &Rank {
    &job.ranks[PROCESSES[rank as usize] as usize]
}

/// What a message says of itself, and its length: some are announced.
fn message(from: u32, to: u32, number: u64) -> (u64, u64) {
    let len = if number % 4 == 3 { ROOM } else { 8 };
    (number << 8 | u64::from(from) << 4 | u64::from(to), len)
}

/// Sends everything from every rank to every rank, itself too, and receives it from any source or from each;
/// receives are posted before the messages come, or after.
fn all_to_all(job: &Job, comm: &[Handle], any: bool, posted: bool) {
    let post = || -> Vec<_> {
        let each = (0..4).flat_map(|to| {
            (0..4 * MESSAGES)
                .map(move |index| (to, if any { PML_ANY_SOURCE } else { (index % 4) as i32 }))
        });
        let post = |(to, source): (u32, i32)| {
            let into = Buffer::new(bytes(), ROOM);
            let receive = into.receive(comm[to as usize], source, PML_ANY_TAG);
            (to, source, process(job, to).irecv(&receive), into)
        };
        each.map(post).collect()
    };
    let mut receives = if posted { post() } else { Vec::new() };
    let mut sends = Vec::new();
    for number in 0..MESSAGES {
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            let (seed, len) = message(from, to, number);
            let out = Buffer::filled(bytes(), len, seed);
            let mode = if number % 4 == 2 { PML_SYNCHRONOUS } else { PML_STANDARD };
            let send = out.send(comm[from as usize], to, number as i32, mode);
            sends.push((process(job, from).isend(&send), out));
        }
    }
    if !posted {
        // Whatever fits has come, unexpected.
        job.until("the messages", || job.ranks.iter().all(|rank| rank.system.progress() == 0));
        receives = post();
    }
    job.until("all messages", || {
        let received = receives.iter().all(|(_, _, request, _)| request.is_complete());
        received && sends.iter().all(|(request, _)| request.is_complete())
    });
    let mut next = [[0; 4]; 4];
    for (to, source, request, into) in receives {
        let status = request.end();
        assert_eq!(status.error, OK);
        assert!(any || status.source == source);
        // Each pair of ranks keeps its order.
        let from = status.source as u32;
        let number = &mut next[from as usize][to as usize];
        let (seed, len) = message(from, to, *number);
        assert_eq!((status.tag, status.bytes), (*number as i32, len), "from {from} to {to}");
        into.check(seed, len);
        *number += 1;
    }
    assert_eq!(next, [[MESSAGES; 4]; 4]);
    for (request, _out) in sends {
        assert_eq!(request.end().error, OK);
    }
}

#[test]
fn messages_go_between_all_ranks_of_two_processes() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour::default());
        let world = job.comm(0, true);
        // Two such communicators do not meet.
        let (one, other) = (comm(&job, 10), comm(&job, 20));
        for (any, posted) in [(true, true), (true, false), (false, true), (false, false)] {
            all_to_all(&job, &one, any, posted);
            all_to_all(&job, &other, any, posted);
        }
        assert_eq!((job.count("violations"), job.count("dropped")), (0, 0));
        for comm in [one, other] {
            for (rank, view) in comm.into_iter().enumerate() {
                process(&job, rank as u32).close(view);
            }
        }
        job.end(vec![world]);
    }
}

/// What came for one rank of a process before its view was opened waits for that one.
#[test]
fn views_of_a_process_are_opened_one_after_the_other() {
    let job = Job::new(2, false, &[], Behaviour::default());
    let world = job.comm(0, true);
    let contexts: Vec<_> = (0..4).map(|rank| ContextId::new(0, 10 + rank)).collect();
    let view = |rank| process(&job, rank).view(&contexts, rank, &PROCESSES);
    let views: Vec<_> = (0..4).map(view).collect();
    process(&job, 0).open(views[0]);
    for to in [1, 2, 3] {
        let out = Buffer::filled(bytes(), 8, to);
        let send = out.send(views[0], to as u32, 0, PML_STANDARD);
        assert_eq!(process(&job, 0).send(&send), OK);
    }
    job.until("the messages", || job.count("early") == 3);
    for to in [2, 3, 1] {
        process(&job, to).open(views[to as usize]);
        let into = Buffer::new(bytes(), 8);
        let receive = into.receive(views[to as usize], PML_ANY_SOURCE, PML_ANY_TAG);
        let received = process(&job, to).irecv(&receive);
        job.until("a message", || received.is_complete());
        assert_eq!((received.end().source, into.seed()), (0, u64::from(to)));
    }
    for (rank, view) in views.into_iter().enumerate() {
        process(&job, rank as u32).close(view);
    }
    job.end(vec![world]);
}
