//! Two processes, one that dies, and faults on purpose.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each calls functions with what they are for"
)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;

use common::*;
use ugni_emulator::nic::*;
use ugni_emulator::queue::*;
use ugni_emulator::types::*;

/// What a peer says of itself: cookie, address of its NIC, handle and address of its memory.
struct Peer {
    child: Child,
    cookie: u32,
    handle: MemHandle,
    at: u64,
}

const PEER: u32 = 5;

/// A process with an instance and 4 KiB of memory, which lives until its input ends.
#[test]
fn as_a_peer() {
    if role().as_deref() != Some("peer") {
        return;
    }
    let side = Side::new(PEER);
    let mut memory = vec![0_u64; 512];
    let handle = side.register(&mut memory, 0, true);
    let at = memory.as_mut_ptr().expose_provenance();
    println!("\npeer {} {} {} {at}", cookie(), handle.qword1, handle.qword2);
    let _ = std::io::stdin().read(&mut [0]);
    let sum: u64 = memory.iter().sum();
    let events = std::iter::from_fn(|| (event(side.remote).0 == SUCCESS).then_some(())).count();
    println!("\nend {sum} {events}");
}

fn peer() -> Peer {
    let mut child = start("as_a_peer", "peer", &[]);
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let said = lines.find_map(|line| line.unwrap().strip_prefix("peer ").map(str::to_owned));
    let said = said.expect("it says who it is");
    let mut numbers = said.split(' ').map(|number| number.parse::<u64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (cookie, qword1, qword2, at) = (next() as u32, next(), next(), next());
    Peer { child, cookie, handle: MemHandle { qword1, qword2 }, at }
}

#[test]
fn memory_of_another_process_is_reached_and_one_that_has_died_is_an_error() {
    let Peer { mut child, cookie, handle, at } = peer();
    let side = Side::with(9, cookie, 64);
    let mut here = vec![3_u64; 512];
    let local = side.register(&mut here, 0, false);
    let ep = side.bound(side.address, PEER);
    let mut put = transfer(RDMA_PUT, (&mut here[..], local), (at, handle));
    put.cq_mode |= REMOTE_EVENT;
    assert_eq!(side.run(ep, &mut put), SUCCESS);
    let mut add = transfer(AMO, (&mut here[..1], local), (at + 8, handle));
    (add.amo_cmd, add.first_operand) = (0x008, 39);
    assert_eq!((side.run(ep, &mut add), here[0]), (SUCCESS, 3));
    // It sees what was put, and the event.
    child.stdin.take().unwrap().write_all(b"x").unwrap();
    let mut rest = String::new();
    child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\nend 1575 1"), "{rest}");
    assert!(child.wait().unwrap().success());
    let mut get = transfer(FMA_GET, (&mut here[..], local), (at, handle));
    assert_eq!(side.run(ep, &mut get), TRANSACTION_ERROR);
    free(ep);
    // Its name is free, and another takes it.
    let next = Side::with(PEER, cookie, 64);
    next.end();
    side.deregister(local);
    side.end();
}

#[test]
fn nothing_is_left_of_a_process_that_is_killed() {
    let Peer { mut child, cookie, handle, at } = peer();
    child.kill().unwrap();
    child.wait().unwrap();
    let side = Side::with(PEER, cookie, 64);
    let mut here = [0_u64; 1];
    let local = side.register(&mut here, 0, false);
    let ep = side.bound(side.address, PEER);
    let mut get = transfer(FMA_GET, (&mut here[..], local), (at, handle));
    assert_eq!(side.run(ep, &mut get), TRANSACTION_ERROR);
    free(ep);
    side.deregister(local);
    side.end();
}

/// Runs a test of this file with a variable.
fn with(test: &str, variables: &[(&str, &str)]) {
    let mut child = start(test, "faults", variables);
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{test} {variables:?}\n{said}");
}

/// In a process with faults: how many of ten puts ended how, and in which order.
#[test]
fn as_one_with_faults() {
    if role().as_deref() != Some("faults") {
        return;
    }
    let faults = ugni_emulator::faults::get();
    let (one, two) = (Side::new(1), Side::new(2));
    let mut memory = vec![0_u64; 32];
    let (local, remote) =
        (one.register(&mut memory, 0, false), two.register(&mut memory, 0, false));
    let at = memory.as_mut_ptr().expose_provenance() as u64;
    let ep = one.bound(two.address, two.id);
    let mut posts: Vec<_> = (0..10)
        .map(|i| transfer(FMA_PUT, (&mut memory[i..i + 1], local), (at + 128, remote)))
        .collect();
    let refused: Vec<_> = posts
        .iter_mut()
        .map(|post| unsafe { ugni_emulator::post::GNI_PostFma(ep, post) })
        .filter(|posted| *posted != SUCCESS)
        .collect();
    let (mut order, mut failed) = (Vec::new(), Vec::new());
    let mut looks = 0;
    while order.len() + refused.len() < 10 {
        looks += 1;
        let (outcome, entry) = event(one.local);
        if outcome == NOT_DONE {
            continue;
        }
        let (mut done, mut recoverable) = (std::ptr::null_mut(), 0);
        assert_eq!(unsafe { GNI_GetCompleted(one.local, entry, &mut done) }, outcome);
        order.push(done.addr());
        if outcome == TRANSACTION_ERROR {
            unsafe { GNI_CqErrorRecoverable(entry, &mut recoverable) };
            failed.push(recoverable);
        }
    }
    let expected = |every: u64, what: u32| match every {
        0 => vec![],
        _ => vec![what; 10 / every as usize],
    };
    let refusal = if faults.not_done > 0 { NOT_DONE } else { ERROR_RESOURCE };
    assert_eq!(refused, expected(faults.not_done.max(faults.no_resource), refusal));
    let is_recoverable = u32::from(faults.recoverable > 0);
    assert_eq!(failed, expected(faults.recoverable.max(faults.unrecoverable), is_recoverable));
    let is_sorted = order.is_sorted();
    assert_eq!(is_sorted, !faults.reorder, "{order:?}");
    assert_eq!(looks > 10, faults.delay > 0 || !refused.is_empty() && looks > 10);
    let mut kind = 9;
    assert_eq!(unsafe { GNI_GetDeviceType(&mut kind) }, SUCCESS);
    let mut swap = transfer(AMO, (&mut memory[..1], local), (at, remote));
    swap.amo_cmd = 0x047;
    if kind == GEMINI {
        assert_eq!(one.run(ep, &mut swap), ILLEGAL_OP);
    }
    let (mut info, mut more) = (JobResources::default(), Vec::new());
    assert_eq!(unsafe { GNI_GetJobResInfo(0, TAG, RES_MDD, &mut info) }, SUCCESS);
    assert_eq!((info.used, info.limit), (2, faults.mdd_limit));
    if info.limit == 3 {
        more.push(one.register(&mut memory, 0, false));
        let mut handle = MemHandle::default();
        let none = std::ptr::null_mut();
        let full = unsafe { GNI_MemRegister(one.nic, at, 8, none, 0, u32::MAX, &mut handle) };
        assert_eq!(full, ERROR_RESOURCE);
    }
    more.into_iter().for_each(|handle| one.deregister(handle));
    free(ep);
    one.deregister(local);
    two.deregister(remote);
    one.end();
    two.end();
}

#[test]
fn faults_come_when_they_are_asked_for() {
    with("as_one_with_faults", &[]);
    for fault in ["NOT_DONE", "NO_RESOURCE", "RECOVERABLE", "UNRECOVERABLE"] {
        with("as_one_with_faults", &[(&format!("UGNI_EMULATOR_{fault}"), "3")]);
    }
    let delay = ("UGNI_EMULATOR_DELAY", "20");
    with("as_one_with_faults", &[delay]);
    with("as_one_with_faults", &[delay, ("UGNI_EMULATOR_REORDER", "1")]);
    with("as_one_with_faults", &[("UGNI_EMULATOR_DEVICE", "gemini")]);
    with("as_one_with_faults", &[("UGNI_EMULATOR_MDD_LIMIT", "3")]);
}

/// Threads with an instance each.
#[test]
fn instances_of_different_threads_work_at_the_same_time() {
    let target = Side::new(100);
    let mut memory = [0_u64; 1];
    let remote = target.register(&mut memory, 0, false);
    let at = memory.as_mut_ptr().expose_provenance() as u64;
    std::thread::scope(|scope| {
        for id in 101..105 {
            let address = target.address;
            scope.spawn(move || {
                let (side, mut here) = (Side::new(id), [0_u64; 1]);
                let local = side.register(&mut here, 0, false);
                let ep = side.bound(address, 100);
                for _ in 0..500 {
                    let mut add = transfer(AMO, (&mut here[..], local), (at, remote));
                    (add.amo_cmd, add.first_operand) = (0x008, 1);
                    assert_eq!(side.run(ep, &mut add), SUCCESS);
                }
                free(ep);
                side.deregister(local);
                side.end();
            });
        }
    });
    // SAFETY: the kernel has written there.
    assert_eq!(unsafe { memory.as_ptr().read_volatile() }, 2000);
    target.deregister(remote);
    target.end();
}
