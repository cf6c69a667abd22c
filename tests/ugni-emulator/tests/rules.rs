//! The documented rules, with two instances in one process.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each calls functions with what they are for"
)]

mod common;

use std::ptr::null_mut;

use common::*;
use ugni_emulator::datagram::*;
use ugni_emulator::nic::*;
use ugni_emulator::post::*;
use ugni_emulator::queue::*;
use ugni_emulator::smsg::*;
use ugni_emulator::types::*;

#[test]
fn an_instance_is_there_once_and_a_domain_is_attached_once() {
    let one = Side::new(1);
    let (mut cdm, mut nic, mut address) = (null_mut(), null_mut(), 0);
    unsafe {
        assert_eq!(GNI_CdmAttach(one.cdm, 0, &mut address, &mut nic), INVALID_STATE);
        assert_eq!(GNI_CdmCreate(1, TAG, cookie(), 0, &mut cdm), SUCCESS);
        assert_eq!(GNI_CdmAttach(cdm, 0, &mut address, &mut nic), INVALID_STATE);
        assert_eq!(GNI_CdmAttach(cdm, 1, &mut address, &mut nic), INVALID_PARAM);
        assert_eq!(GNI_CdmDestroy(cdm), SUCCESS);
    }
    one.end();
    Side::new(1).end();
}

#[test]
fn puts_and_gets_move_bytes_and_keep_to_the_rules() {
    let (one, two) = (Side::new(10), Side::new(11));
    let mut here: Vec<u8> = (0..100_u8).collect();
    let mut there = vec![0_u8; 128];
    let (local, remote) = (one.register(&mut here, 0, false), two.register(&mut there, 0, false));
    let at = there.as_mut_ptr().expose_provenance() as u64;
    let ep = one.bound(two.address, two.id);
    for kind in [FMA_PUT, RDMA_PUT] {
        let mut put = transfer(kind, (&mut here[..97], local), (at + 1, remote));
        assert_eq!(one.run(ep, &mut put), SUCCESS);
        assert_eq!((there[0], &there[1..98], there[98]), (0, &here[..97], 0));
        there.fill(0);
    }
    there.copy_from_slice(&std::array::from_fn::<u8, 128, _>(|at| at as u8 ^ 0x55));
    for kind in [FMA_GET, RDMA_GET] {
        let mut get = transfer(kind, (&mut here[8..40], local), (at + 4, remote));
        assert_eq!(one.run(ep, &mut get), SUCCESS);
        assert_eq!(here[8..40], there[4..36]);
        for (from, to, len) in [(1, 0, 8), (0, 1, 8), (0, 0, 7), (2, 2, 4)] {
            let mut get = transfer(kind, (&mut here[from..from + len], local), (at + to, remote));
            assert_eq!(one.run(ep, &mut get), ALIGNMENT_ERROR);
        }
        let mut none = transfer(kind, (&mut here[..0], local), (at, remote));
        assert_eq!(one.run(ep, &mut none), INVALID_PARAM);
    }
    // A put of nothing is one, by FMA.
    assert_eq!(one.run(ep, &mut transfer(FMA_PUT, (&mut here[..0], local), (at, remote))), SUCCESS);
    // The wrong function, an endpoint that is not bound, both kinds of local events.
    let mut put = transfer(RDMA_PUT, (&mut here[..8], local), (at, remote));
    let unbound = one.endpoint();
    unsafe {
        assert_eq!(GNI_PostFma(ep, &mut put), INVALID_PARAM);
        assert_eq!(GNI_PostRdma(unbound, &mut put), INVALID_STATE);
        put.cq_mode = LOCAL_EVENT | GLOBAL_EVENT;
        assert_eq!(GNI_PostRdma(ep, &mut put), INVALID_PARAM);
    }
    free(unbound);
    free(ep);
    one.deregister(local);
    two.deregister(remote);
    one.end();
    two.end();
}

#[test]
fn what_is_not_registered_or_not_allowed_is_a_transaction_error() {
    let (one, two) = (Side::new(20), Side::new(21));
    let (mut here, mut there) = (vec![7_u8; 64], vec![0_u8; 64]);
    let (local, remote) =
        (one.register(&mut here, 0, false), two.register(&mut there, READ_ONLY, false));
    let at = there.as_mut_ptr().expose_provenance() as u64;
    let ep = one.bound(two.address, two.id);
    let nobody = one.bound(two.address, 4711);
    let none = MemHandle::default();
    let mut fails = |ep, kind, local, remote| {
        let mut post = transfer(kind, (&mut here[..16], local), remote);
        let posted = unsafe {
            match kind {
                RDMA_PUT | RDMA_GET => GNI_PostRdma(ep, &mut post),
                _ => GNI_PostFma(ep, &mut post),
            }
        };
        assert_eq!(posted, SUCCESS);
        let (outcome, entry) = event(one.local);
        assert_eq!(outcome, TRANSACTION_ERROR);
        assert_ne!(gni_cq_get_status(entry), 0);
        let (mut recoverable, mut text, mut done) = (9, [0; 64], null_mut());
        unsafe {
            assert_eq!(GNI_CqErrorRecoverable(entry, &mut recoverable), SUCCESS);
            assert_eq!(GNI_CqErrorStr(entry, text.as_mut_ptr(), 64), SUCCESS);
            assert_eq!(GNI_GetCompleted(one.local, entry, &mut done), TRANSACTION_ERROR);
        }
        assert_eq!((recoverable, text[0] != 0), (0, true));
    };
    fails(ep, FMA_PUT, local, (at, remote));
    fails(ep, RDMA_PUT, local, (at, remote));
    fails(ep, FMA_GET, local, (at + 52, remote));
    fails(ep, RDMA_GET, local, (at - 4, remote));
    fails(ep, FMA_GET, none, (at, remote));
    fails(ep, FMA_GET, local, (at, none));
    fails(ep, FMA_GET, local, (at, MemHandle { qword2: remote.qword2 + 1, ..remote }));
    fails(ep, FMA_GET, local, (at, MemHandle { qword1: u64::MAX, ..remote }));
    fails(nobody, FMA_GET, local, (at, remote));
    assert!(there.iter().all(|byte| *byte == 0));
    // What was registered is not any more.
    two.deregister(remote);
    fails(ep, FMA_GET, local, (at, remote));
    one.deregister(local);
    free(ep);
    free(nobody);
    one.end();
    two.end();
}

#[test]
fn registrations_are_of_any_address_and_no_length_of_zero() {
    let one = Side::new(25);
    let mut handle = MemHandle::default();
    let memory = [0_u8; 9];
    let at = memory.as_ptr().expose_provenance() as u64;
    let mut register = |at, len| unsafe {
        GNI_MemRegister(one.nic, at, len, null_mut(), 0, u32::MAX, &mut handle)
    };
    assert_eq!(register(at, 0), INVALID_PARAM);
    assert_eq!(register(u64::MAX, 8), INVALID_PARAM);
    assert_eq!(register(8, 8), INVALID_PARAM);
    assert_eq!(register(at + 1, 7), SUCCESS);
    one.deregister(handle);
    assert_eq!(unsafe { GNI_MemDeregister(one.nic, &mut handle) }, INVALID_PARAM);
    one.end();
}

#[test]
fn atomic_operations_do_what_their_names_say() {
    let (one, two) = (Side::new(30), Side::new(31));
    let (mut here, mut there) = ([0_u64; 1], [0_u64; 2]);
    let (local, remote) = (one.register(&mut here, 0, false), two.register(&mut there, 0, false));
    let at = there.as_mut_ptr().expose_provenance() as u64;
    let ep = one.bound(two.address, two.id);
    let mut amo = |command, before: u64, first: u64, second: u64, len| {
        unsafe { there.as_mut_ptr().write_volatile(before) };
        let mut post = transfer(AMO, (&mut here[..], local), (at, remote));
        (post.amo_cmd, post.first_operand, post.second_operand) = (command, first, second);
        post.length = len;
        let outcome = one.run(ep, &mut post);
        let now = unsafe { there.as_ptr().read_volatile() };
        (outcome, std::mem::take(&mut here[0]), now)
    };
    assert_eq!(amo(0x008, 5, 7, 0, 8), (SUCCESS, 5, 12));
    assert_eq!(amo(0x108, 5, 7, 0, 8), (SUCCESS, 0, 12));
    assert_eq!(amo(0x055, u64::MAX, 2, 0, 8), (SUCCESS, u64::MAX, 1));
    assert_eq!(amo(0x009, 0xff, 0xf0, 0, 8), (SUCCESS, 0xff, 0xf0));
    assert_eq!(amo(0x00a, 0x0f, 0xf0, 0, 8), (SUCCESS, 0x0f, 0xff));
    assert_eq!(amo(0x00b, 0xff, 0x0f, 0, 8), (SUCCESS, 0xff, 0xf0));
    assert_eq!(amo(0x047, 1, 2, 0, 8), (SUCCESS, 1, 2));
    assert_eq!(amo(0x00d, 3, 3, 9, 8), (SUCCESS, 3, 9));
    assert_eq!(amo(0x00d, 3, 4, 9, 8), (SUCCESS, 3, 3));
    assert_eq!(amo(0x051, u64::MAX, 1, 0, 8), (SUCCESS, u64::MAX, u64::MAX));
    assert_eq!(amo(0x053, u64::MAX, 1, 0, 8), (SUCCESS, u64::MAX, 1));
    let bits = |value: f64| value.to_bits();
    assert_eq!(amo(0x05d, bits(1.5), bits(2.25), 0, 8), (SUCCESS, bits(1.5), bits(3.75)));
    assert_eq!(amo(0x159, bits(1.5), bits(-2.0), 0, 8), (SUCCESS, 0, bits(-2.0)));
    // Of 32 bits; the rest stays.
    let high = 0xaaaa_0000_0000_0000_u64;
    assert_eq!(amo(0x254, high | u64::from(u32::MAX), 2, 0, 4), (SUCCESS, 0xffff_ffff, high | 1));
    assert_eq!(amo(0x24a, high | 6, 6, 8, 4), (SUCCESS, 6, high | 8));
    assert_eq!(amo(0x346, high | 6, 3, 0, 4), (SUCCESS, 0, high | 3));
    // A cached variant; one that there is not; a length that does not fit.
    assert_eq!(amo(0x018, 5, 7, 0, 8), (SUCCESS, 5, 12));
    assert_eq!(amo(0x10d, 5, 7, 0, 8).0, INVALID_PARAM);
    assert_eq!(amo(0x008, 5, 7, 0, 4).0, INVALID_PARAM);
    let mut post = transfer(AMO, (&mut here[..], local), (at + 4, remote));
    post.amo_cmd = 0x008;
    assert_eq!(one.run(ep, &mut post), ALIGNMENT_ERROR);
    free(ep);
    one.deregister(local);
    two.deregister(remote);
    one.end();
    two.end();
}

#[test]
fn a_queue_that_is_full_is_overrun_and_says_so_once() {
    let (one, two) = (Side::with(40, cookie(), 5), Side::with(41, cookie(), 5));
    let mut there = [0_u64; 1];
    let remote = two.register(&mut there, 0, true);
    let ep = one.bound(two.address, two.id);
    for value in 0..7 {
        let mut write = post(CQWRITE);
        (write.remote_mem_hndl, write.cqwrite_value) = (remote, 0xabc0 + value);
        assert_eq!(one.run(ep, &mut write), SUCCESS);
    }
    let (outcome, entry) = event(two.remote);
    assert_eq!((outcome, gni_cq_overrun(entry)), (ERROR_RESOURCE, 1));
    let values: Vec<u64> = std::iter::from_fn(|| match event(two.remote) {
        (SUCCESS, entry) => Some(gni_cq_get_data(entry)),
        (other, _) => {
            assert_eq!(other, NOT_DONE);
            None
        }
    })
    .collect();
    assert_eq!(values, (0xabc0..0xabc5).collect::<Vec<u64>>());
    free(ep);
    two.deregister(remote);
    one.end();
    two.end();
}

#[test]
fn a_queue_is_for_one_side_and_stays_while_it_is_used() {
    let one = Side::new(45);
    let mut memory = [0_u64; 1];
    let ep = one.endpoint();
    assert_eq!(unsafe { GNI_CqDestroy(one.local) }, ERROR_RESOURCE);
    let handle = one.register(&mut memory, 0, true);
    assert_eq!(unsafe { GNI_CqDestroy(one.remote) }, ERROR_RESOURCE);
    let mut other = null_mut();
    assert_eq!(unsafe { GNI_EpCreate(one.nic, one.remote, &mut other) }, INVALID_PARAM);
    let (at, mut none) = (memory.as_ptr().expose_provenance() as u64, MemHandle::default());
    let register = unsafe { GNI_MemRegister(one.nic, at, 8, one.local, 0, u32::MAX, &mut none) };
    assert_eq!(register, INVALID_PARAM);
    one.deregister(handle);
    free(ep);
    one.end();
}

#[test]
fn an_endpoint_stays_bound_while_a_post_is_outstanding() {
    let (one, two) = (Side::new(50), Side::new(51));
    let mut there = [0_u64; 1];
    let remote = two.register(&mut there, 0, false);
    let ep = one.bound(two.address, two.id);
    assert_eq!(unsafe { GNI_EpBind(ep, two.address, two.id) }, INVALID_STATE);
    let mut write = post(CQWRITE);
    write.remote_mem_hndl = remote;
    unsafe {
        assert_eq!(GNI_PostCqWrite(ep, &mut write), SUCCESS);
        assert_eq!((GNI_EpUnbind(ep), GNI_EpDestroy(ep)), (NOT_DONE, NOT_DONE));
        let mut done = null_mut();
        assert_eq!(GNI_GetCompleted(one.local, event(one.local).1, &mut done), SUCCESS);
        assert_eq!((GNI_EpUnbind(ep), GNI_EpUnbind(ep)), (SUCCESS, INVALID_STATE));
    }
    free(ep);
    two.deregister(remote);
    one.end();
    two.end();
}

#[test]
fn messages_have_credits_tags_and_one_event_on_each_side() {
    let (one, two) = (Side::new(60), Side::new(61));
    let ((_m, mine), (_n, its)) = (mailbox(&one, 4, 100), mailbox(&two, 4, 100));
    let (ep, back) = (one.bound(two.address, two.id), two.bound(one.address, one.id));
    let (mut mine, mut its) = (mine, its);
    assert_eq!(send(ep, b"early", 0, 0), INVALID_STATE);
    unsafe {
        let unbound = one.endpoint();
        assert_eq!(GNI_SmsgInit(unbound, &mut mine, &mut its), INVALID_STATE);
        free(unbound);
        assert_eq!(GNI_SmsgInit(ep, &mut mine, &mut its), SUCCESS);
        assert_eq!(GNI_EpSetEventData(ep, 5, 77), SUCCESS);
    }
    let message = |i: u8| vec![i; usize::from(i) * 9];
    // The receiver may come later than the messages.
    for i in 0..4_u8 {
        assert_eq!(send(ep, &message(i), 100 + u32::from(i), i), SUCCESS);
    }
    assert_eq!(send(ep, b"too many", 104, 4), NOT_DONE);
    assert_eq!(send(ep, &[0; 101], 104, 4), ERROR_RESOURCE);
    let mut stalls = 0;
    assert_eq!(unsafe { GNI_GetNicStat(one.nic, MBOX_CREDITS_STALL, &mut stalls) }, SUCCESS);
    assert_eq!(stalls, 1);
    for i in 0..4 {
        let (outcome, entry) = event(one.local);
        assert_eq!((outcome, gni_cq_get_type(entry)), (SUCCESS, EVENT_SMSG));
        assert_eq!(gni_cq_get_msg_id(entry), 100 + i);
        let (outcome, entry) = event(two.remote);
        assert_eq!((outcome, gni_cq_get_inst_id(entry)), (SUCCESS, 77));
    }
    assert_eq!((event(one.local).0, event(two.remote).0), (NOT_DONE, NOT_DONE));
    assert_eq!(unsafe { GNI_SmsgInit(back, &mut its, &mut mine) }, SUCCESS);
    assert_eq!(receive(back, 0, &mut 3), Err(NO_MATCH));
    for i in 0..4_u8 {
        let mut tag = SMSG_ANY_TAG;
        let got = receive(back, usize::from(i) * 9, &mut tag);
        assert_eq!((got, tag), (Ok(message(i)), i));
        // The credit is there again.
        assert_eq!(send(ep, &message(4 + i), 0, 9), SUCCESS);
        assert_eq!(send(ep, b"too many", 104, 4), NOT_DONE);
    }
    for i in 4..8_u8 {
        assert_eq!(receive(back, usize::from(i) * 9, &mut 9), Ok(message(i)));
    }
    assert_eq!(receive(back, 0, &mut 9), Err(NOT_DONE));
    assert_eq!(unsafe { GNI_SmsgRelease(back) }, INVALID_STATE);
    free(ep);
    free(back);
    one.deregister(mine.mem_hndl);
    two.deregister(its.mem_hndl);
    one.end();
    two.end();
}

#[test]
fn datagrams_meet_directed_ones_first_and_wildcards_otherwise() {
    let (one, two) = (Side::new(70), Side::new(71));
    let (wild, other) = (two.endpoint(), two.bound(one.address, one.id));
    let (ep, third) = (one.bound(two.address, two.id), one.bound(two.address, two.id));
    let (mut a, mut b, mut c, mut d) = ([0; 8], [0; 8], [0; 8], [0; 8]);
    assert_eq!(exchange(wild, b"wild", &mut a, u64::MAX), INVALID_PARAM);
    assert_eq!(exchange(wild, &[0; 129], &mut a, 0), SIZE_ERROR);
    assert_eq!(exchange(wild, b"wild", &mut a, 0), SUCCESS);
    assert_eq!(exchange(wild, b"again", &mut a, 0), ERROR_RESOURCE);
    assert_eq!(probe(&two), None);
    // This one meets the wildcard of another instance only if that is its peer.
    assert_eq!(exchange(ep, b"first", &mut b, 11), SUCCESS);
    assert_eq!(probe(&one), Some(11));
    assert_eq!(finish(ep, 12), (NO_MATCH, 99, (0, 0)));
    assert_eq!(finish(ep, 11), (SUCCESS, POST_COMPLETED, (two.address, two.id)));
    assert_eq!((&b[..4], probe(&one), probe(&two)), (&b"wild"[..], None, Some(0)));
    assert_eq!(finish(wild, 0), (SUCCESS, POST_COMPLETED, (one.address, one.id)));
    assert_eq!(&a[..5], b"first");
    // Nobody answers, then both are there: that which is directed is met.
    assert_eq!(exchange(third, b"third", &mut c, 33), SUCCESS);
    assert_eq!(probe(&one), None);
    assert_eq!(exchange(other, b"other", &mut d, 44), SUCCESS);
    assert_eq!(exchange(wild, b"wild", &mut a, 0), SUCCESS);
    assert_eq!((probe(&one), probe(&two)), (Some(33), Some(44)));
    assert_eq!(finish(third, 33).1, POST_COMPLETED);
    assert_eq!(finish(other, 44).1, POST_COMPLETED);
    assert_eq!((&c[..5], &d[..5]), (&b"other"[..], &b"third"[..]));
    // One that is cancelled is finished.
    let (mut state, mut address, mut id) = (0, 0, 0);
    unsafe {
        let wait = GNI_EpPostDataWaitById(wild, 0, 0, &mut state, &mut address, &mut id);
        assert_eq!(wait, INVALID_PARAM);
        let wait = GNI_EpPostDataWaitById(wild, 0, 1, &mut state, &mut address, &mut id);
        assert_eq!((wait, state), (TIMEOUT, POST_PENDING));
        assert_eq!(GNI_EpPostDataCancelById(wild, 0), SUCCESS);
    }
    assert_eq!(probe(&two), Some(0));
    assert_eq!(finish(wild, 0).1, POST_TERMINATED);
    [wild, other, ep, third].into_iter().for_each(free);
    one.end();
    two.end();
}

#[test]
fn a_thread_waits_for_several_queues() {
    let (one, two) = (Side::new(80), Side::new(81));
    let mut there = [0_u64; 1];
    let remote = two.register(&mut there, 0, true);
    let ep = one.bound(two.address, two.id);
    let (queues, mut which) = ([two.local, two.remote], 9);
    unsafe {
        assert_eq!(GNI_CqVectorMonitor(queues.as_ptr(), 2, 1, &mut which), TIMEOUT);
        let addresses = queues.map(|queue| queue.expose_provenance());
        let waiter = std::thread::spawn(move || {
            let queues = addresses.map(std::ptr::with_exposed_provenance_mut::<Queue>);
            let mut which = 9;
            (GNI_CqVectorMonitor(queues.as_ptr(), 2, u64::MAX, &mut which), which)
        });
        let mut write = post(CQWRITE);
        (write.remote_mem_hndl, write.cqwrite_value) = (remote, 5);
        assert_eq!(one.run(ep, &mut write), SUCCESS);
        assert_eq!(waiter.join().unwrap(), (SUCCESS, 1));
        // It has taken nothing.
        assert_eq!(gni_cq_get_data(event(two.remote).1), 5);
    }
    free(ep);
    two.deregister(remote);
    one.end();
    two.end();
}
