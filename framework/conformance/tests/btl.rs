//! What every transport must do, tried with each that this machine offers: jobs of several ranks in
//! this process.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_conformance::ranks::{Ranks, Way};
use cairn_framework::abi::job::{THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::status::{DONE, ERR_ARGUMENT, NO_RESOURCES};
use linked as _;

const TAG: u8 = 201;
const ECHO: u8 = 202;
const DEADLINE: Duration = Duration::from_secs(60);

/// The transports, with what reaches what.
const TRANSPORTS: [&[(&str, &str)]; 3] = [
    &[("btl", "sm")],
    &[("btl", "self,sm"), ("btl_sm_num_cris", "3"), ("btl_sm_ring_size", "32k")],
    &[("btl", "self,sm"), ("btl_sm_backing", "file")],
];

/// What a rank received.
#[derive(Default)]
struct Inbox {
    messages: Mutex<Vec<Vec<u8>>>,
    bytes: AtomicU64,
}

unsafe extern "C" fn collect(context: *mut c_void, received: *const Received) {
    // SAFETY: registered with an inbox; the message is valid during the call.
    unsafe {
        let (inbox, received) = (&*context.cast::<Inbox>(), &*received);
        assert!(received.data.addr().is_multiple_of(8));
        let data = std::slice::from_raw_parts(received.data.cast::<u8>(), received.len);
        inbox.bytes.fetch_add(data.len() as u64, Ordering::Relaxed);
        inbox.messages.lock().unwrap().push(data.to_vec());
    }
}

/// Answers on the endpoint the message came from.
unsafe extern "C" fn echo(_: *mut c_void, received: *const Received) {
    // SAFETY: as above; in a callback the instance's lock is held.
    unsafe {
        let received = &*received;
        assert!(!received.endpoint.is_null(), "the test connects both ways first");
        let route = cairn_framework::abi::peer::Route {
            module: received.module,
            endpoint: received.endpoint,
        };
        let data = std::slice::from_raw_parts(received.data.cast::<u8>(), received.len);
        assert_eq!(Way(route).send(&*received.cri, TAG, data, b"!"), DONE);
    }
}

fn start(count: u32, level: u32, mca: &[(&str, &str)]) -> (Ranks, Vec<&'static Inbox>) {
    let inboxes = RefCell::new(Vec::new());
    let ranks = Ranks::start(count, level, mca, |_, system| {
        let inbox: &'static Inbox = Box::leak(Box::default());
        let context = std::ptr::from_ref(inbox).cast_mut().cast();
        // SAFETY: inboxes live as long as the process, and are for any thread.
        unsafe {
            assert!(system.receive_register(TAG, collect, context));
            assert!(system.receive_register(ECHO, echo, context));
        }
        inboxes.borrow_mut().push(inbox);
    });
    (ranks.unwrap_or_else(|problem| panic!("{problem}")), inboxes.into_inner())
}

fn until(ranks: &Ranks, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !done() {
        ranks.progress();
        assert!(Instant::now() < end, "nothing arrives any more");
    }
}

fn payload(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(31) ^ seed.wrapping_mul(17) ^ (i >> 8)) as u8).collect()
}

fn lengths(limit: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..70).chain([127, 128, 129, 255, 1000, 1024, 4095, 4097]).collect();
    all.extend([8000, 8192, 16_383, 30_000, limit - 1, limit]);
    all.retain(|len| *len <= limit);
    all
}

#[test]
fn messages_of_every_size_arrive_whole_and_in_order() {
    for mca in TRANSPORTS {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let header = [7u8; 16];
        for (from, to) in [(0, 1), (1, 0)] {
            let way = ranks.way(from, to).unwrap();
            let module = way.module();
            let mut expected = Vec::new();
            for round in 0..20 {
                for packed in [false, true] {
                    let limit = if packed { module.packed_limit } else { module.immediate_limit };
                    for len in lengths(limit as usize - header.len()) {
                        let bytes = payload(len + round, len);
                        let cri = way.cri(0);
                        // SAFETY: one thread.
                        let send = || unsafe {
                            if packed {
                                way.send_packed(cri, TAG, &header, &bytes)
                            } else {
                                way.send(cri, TAG, &header, &bytes)
                            }
                        };
                        until(&ranks, || match send() {
                            DONE => true,
                            NO_RESOURCES => false,
                            error => panic!("{error}"),
                        });
                        expected.push([&header[..], &bytes].concat());
                    }
                }
            }
            until(&ranks, || inboxes[to as usize].messages.lock().unwrap().len() >= expected.len());
            assert_eq!(*inboxes[to as usize].messages.lock().unwrap(), expected);
            let long = vec![0; module.packed_limit as usize];
            // SAFETY: one thread.
            unsafe {
                assert_eq!(way.send_packed(way.cri(0), TAG, &header, &long), ERR_ARGUMENT);
                assert_eq!(way.send(way.cri(0), TAG, &header, &long), ERR_ARGUMENT);
            }
        }
        ranks.close();
    }
}

#[test]
fn a_sender_is_refused_when_nobody_receives_and_nothing_is_lost() {
    for mca in TRANSPORTS {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let way = ranks.way(0, 1).unwrap();
        for len in [0, 40, 41, 3000] {
            let mut sent: usize = 0;
            // SAFETY: one thread.
            while unsafe { way.send(way.cri(0), TAG, &[1; 16], &payload(sent, len)) } == DONE {
                sent += 1;
                assert!(sent < 1_000_000);
            }
            assert!(sent > 0);
            let inbox = inboxes[1];
            until(&ranks, || inbox.messages.lock().unwrap().len() >= sent);
            let messages = std::mem::take(&mut *inbox.messages.lock().unwrap());
            assert_eq!(messages.len(), sent);
            assert!((0..sent).all(|i| messages[i][16..] == payload(i, len)));
        }
        ranks.close();
    }
}

#[test]
fn many_ranks_answer_each_other_from_callbacks() {
    for mca in TRANSPORTS {
        let (ranks, inboxes) = start(6, THREAD_SINGLE, mca);
        let all = ranks.count();
        let ways: Vec<Vec<Way>> = (0..all)
            .map(|from| (0..all).map(|to| ranks.way(from, to).unwrap()).collect())
            .collect();
        for round in 0..50u8 {
            for from in 0..all {
                for to in 0..all {
                    let way = ways[from as usize][to as usize];
                    let header = [from as u8, to as u8, round];
                    // SAFETY: one thread.
                    until(&ranks, || unsafe { way.send(way.cri(0), ECHO, &header, b"?") == DONE });
                }
            }
            let count = (usize::from(round) + 1) * all as usize;
            until(&ranks, || {
                inboxes.iter().all(|inbox| inbox.messages.lock().unwrap().len() >= count)
            });
        }
        for (rank, inbox) in inboxes.iter().enumerate() {
            for to in 0..all as u8 {
                let messages = inbox.messages.lock().unwrap();
                let from_one: Vec<&[u8]> =
                    messages.iter().filter(|m| m[1] == to).map(Vec::as_slice).collect();
                let expected: Vec<Vec<u8>> =
                    (0..50).map(|round| vec![rank as u8, to, round, b'?', b'!']).collect();
                assert_eq!(from_one, expected);
            }
        }
        ranks.close();
    }
}

#[test]
fn threads_use_different_instances_at_the_same_time() {
    const MESSAGES: u64 = 3000;
    const THREADS: u32 = 3;
    let mca = [("btl", "self,sm"), ("btl_sm_num_cris", "3"), ("btl_self_num_cris", "3")];
    let (ranks, inboxes) = start(2, THREAD_MULTIPLE, &mca);
    let way = [ranks.way(0, 1).unwrap(), ranks.way(1, 0).unwrap()];
    let end = Instant::now() + DEADLINE;
    std::thread::scope(|scope| {
        for rank in 0..2u32 {
            for thread in 0..THREADS {
                let (ranks, way, inboxes) = (&ranks, way[rank as usize], &inboxes);
                scope.spawn(move || {
                    let cri = way.cri(thread);
                    for number in 0..MESSAGES {
                        let bytes = payload(number as usize, (number % 100) as usize);
                        let header = (number << 8 | u64::from(thread)).to_le_bytes();
                        loop {
                            let held = cri.lock.guard();
                            // SAFETY: the instance's lock is held.
                            let sent = unsafe { way.send(cri, TAG, &header, &bytes) };
                            drop(held);
                            if sent == DONE {
                                break;
                            }
                            ranks.system(rank).progress();
                            assert!(Instant::now() < end);
                        }
                    }
                    let expected = MESSAGES * u64::from(THREADS);
                    let inbox = inboxes[rank as usize];
                    while (inbox.messages.lock().unwrap().len() as u64) < expected {
                        ranks.system(rank).progress();
                        assert!(Instant::now() < end);
                    }
                });
            }
        }
    });
    for inbox in inboxes {
        let messages = inbox.messages.lock().unwrap();
        for thread in 0..THREADS as u8 {
            let own: Vec<&Vec<u8>> = messages.iter().filter(|m| m[0] == thread).collect();
            assert_eq!(own.len() as u64, MESSAGES);
            for (number, message) in own.iter().enumerate() {
                assert_eq!(message[8..], payload(number, number % 100));
                assert_eq!(message[1..8], (number as u64).to_le_bytes()[..7]);
            }
        }
    }
    ranks.close();
}
