//! What every transport must do, tried with each that this machine offers: jobs of several ranks in
//! this process.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use cairn_conformance::ranks::{Ranks, Way};
use cairn_framework::abi::job::{THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::status::{
    DONE, ERR_ARGUMENT, ERR_PEER, ERR_PROTOCOL, ERR_RESOURCES, NO_RESOURCES, OK, QUEUED,
};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_ALLOCATE, BTL_AND, BTL_ATOMIC_32, BTL_ATOMIC_64, BTL_CAN_WAKE, BTL_COMPARE_SWAP,
    BTL_GET, BTL_HEADER_ROOM, BTL_OR, BTL_PUT, BTL_REMOTE_ATOMIC, BTL_REMOTE_READ,
    BTL_REMOTE_WRITE, BTL_SWAP, BTL_XOR, BtlAtomic, BtlTransfer,
};
use common::{DEADLINE, ECHO, Get, Inbox, TAG, payload, start, until};
use linked as _;

/// The transports. Where there is one to other ranks, it is what goes between rank 0 and rank 1.
const ALL_TRANSPORTS: &[&[(&str, &str)]] = &[
    &[("btl", "sm")],
    &[("btl", "self,sm"), ("btl_sm_num_cris", "3"), ("btl_sm_ring_size", "32k")],
    &[("btl", "sm"), ("btl_sm_num_cris", "3"), ("btl_sm_max_rings", "0")],
    &[("btl", "self,sm"), ("btl_sm_backing", "file")],
    &[("btl", "self,tcp")],
    // Messages in many pieces, buffers that are full soon.
    &[
        ("btl", "self,tcp"),
        ("btl_tcp_num_cris", "3"),
        ("btl_tcp_output_limit", "256k"),
        ("btl_tcp_sndbuf", "16k"),
        ("btl_tcp_rcvbuf", "4k"),
    ],
    &[("btl", "self,uct")],
    &[("btl", "self,uct"), ("btl_uct_num_cris", "3")],
    &[("btl", "self,uct"), ("btl_uct_transports", "posix")],
    &[("btl", "self,uct"), ("btl_uct_transports", "sysv,cma")],
    &[("btl", "self,uct"), ("btl_uct_transports", "tcp")],
    &[("btl", "self,uct"), ("btl_uct_transports", "tcp"), ("btl_uct_num_cris", "3")],
    OFI_SHM,
    &[OFI_SHM[0], OFI_SHM[1], OFI_SHM[2], ("btl_ofi_num_cris", "3")],
    OFI_TCP,
    &[OFI_TCP[0], OFI_TCP[1], OFI_TCP[2], ("btl_ofi_num_cris", "3")],
    // Messages that the provider sends in several steps, and few buffers.
    &[
        OFI_TCP[0],
        OFI_TCP[1],
        OFI_TCP[2],
        ("btl_ofi_eager_limit", "100k"),
        ("btl_ofi_receive_buffers", "2"),
        ("btl_ofi_send_buffers", "16"),
    ],
    OFI_SOCKETS,
    UGNI,
    &[UGNI[0], UGNI[1], UGNI[2], UGNI[3], ("btl_ugni_num_cris", "3")],
    // Few credits, short queues, nothing but the engine, gets in many pieces.
    &[
        UGNI[0],
        UGNI[1],
        UGNI[2],
        UGNI[3],
        ("btl_ugni_credits", "2"),
        ("btl_ugni_send_buffers", "16"),
        ("btl_ugni_receive_queue", "2"),
        ("btl_ugni_fma_put_limit", "0"),
        ("btl_ugni_fma_get_limit", "0"),
        ("btl_ugni_get_piece", "4096"),
        ("btl_ugni_transfers", "2"),
    ],
    SELF,
    &[SELF[0], ("btl_self_num_cris", "3")],
];

/// Those that this machine offers.
fn transports() -> impl Iterator<Item = &'static &'static [(&'static str, &'static str)]> {
    ALL_TRANSPORTS.iter().filter(|mca| offered(mca))
}

/// Whether what a transport loads is there.
fn offered(mca: &[(&str, &str)]) -> bool {
    let is = |name| mca[0].1.split(',').any(|one| one == name);
    let has = |name, library| !is(name) || cairn_skips::has_library(library);
    has("uct", "libuct.so.0")
        && has("ofi", "libfabric.so.1")
        && (!is("ugni") || ugni_emulator::load())
}

/// Ranks close one after the other here, and the last ones find nobody who takes what they have to say.
const OFI_CLOSE: (&str, &str) = ("btl_ofi_close_timeout", "500");
const OFI_SHM: &[(&str, &str)] = &[("btl", "self,ofi"), ("btl_ofi_providers", "shm"), OFI_CLOSE];
const OFI_SOCKETS: &[(&str, &str)] =
    &[("btl", "self,ofi"), ("btl_ofi_providers", "sockets"), OFI_CLOSE];
const OFI_TCP: &[(&str, &str)] =
    &[("btl", "self,ofi"), ("btl_ofi_providers", "tcp;ofi_rxm"), OFI_CLOSE];

/// On the emulator.
const UGNI: &[(&str, &str)] = &[
    ("btl", "self,ugni"),
    ("btl_ugni_protection_tag", "7"),
    ("btl_ugni_cookie", "4711"),
    ("btl_ugni_close_timeout", "500"),
];

/// A transport that reaches the own process only.
const SELF: &[(&str, &str)] = &[("btl", "self")];

/// What reaches what: a rank and its peer, there and back, by the transport in question.
fn pairs(mca: &[(&str, &str)]) -> [(u32, u32); 2] {
    if mca[0] == SELF[0] { [(0, 0), (1, 1)] } else { [(0, 1), (1, 0)] }
}

fn lengths(limit: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..70).chain([127, 128, 129, 255, 1000, 1024, 4095, 4097]).collect();
    all.extend([8000, 8192, 16_383, 30_000, limit - 1, limit]);
    all.retain(|len| *len <= limit);
    all
}

#[test]
fn messages_of_every_size_arrive_whole_and_in_order() {
    for mca in transports() {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let header = [7u8; 16];
        for (from, to) in pairs(mca) {
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

/// Limits at the ends of the ranges of their parameters, those that depend on others included, and bytes
/// of the longest message that goes eagerly.
const EXTREMES: [(&[(&str, &str)], u64); 19] = [
    (&[("btl", "self"), ("btl_self_eager_limit", "0")], 0),
    (&[("btl", "self"), ("btl_self_eager_limit", "65280")], 65_280),
    (&[("btl", "sm"), ("btl_sm_eager_limit", "0")], 0),
    (
        &[
            ("btl", "sm"),
            ("btl_sm_eager_limit", "0"),
            ("btl_sm_fragment_size", "4096"),
            ("btl_sm_immediate_limit", "256"),
        ],
        0,
    ),
    (&[("btl", "sm"), ("btl_sm_ring_size", "16k")], 3840),
    (&[("btl", "sm"), ("btl_sm_ring_size", "16k"), ("btl_sm_eager_limit", "0")], 0),
    (
        &[
            ("btl", "sm"),
            ("btl_sm_ring_size", "16k"),
            ("btl_sm_eager_limit", "3840"),
            ("btl_sm_immediate_limit", "256"),
        ],
        3840,
    ),
    (&[("btl", "sm"), ("btl_sm_fragment_size", "4096"), ("btl_sm_eager_limit", "32512")], 32_512),
    (&[("btl", "tcp"), ("btl_tcp_eager_limit", "0")], 0),
    (&[("btl", "tcp"), ("btl_tcp_eager_limit", "0"), ("btl_tcp_fragment_size", "4096")], 0),
    (&[("btl", "tcp"), ("btl_tcp_eager_limit", "4096"), ("btl_tcp_fragment_size", "4096")], 4096),
    (&[("btl", "tcp"), ("btl_tcp_eager_limit", "16m"), ("btl_tcp_fragment_size", "16m")], 16 << 20),
    (&[OFI_SHM[0], OFI_SHM[1], OFI_CLOSE, ("btl_ofi_eager_limit", "0")], 0),
    (&[OFI_SHM[0], OFI_SHM[1], OFI_CLOSE, ("btl_ofi_eager_limit", "4m")], 4 << 20),
    (&[OFI_TCP[0], OFI_TCP[1], OFI_CLOSE, ("btl_ofi_eager_limit", "0")], 0),
    (&[OFI_TCP[0], OFI_TCP[1], OFI_CLOSE, ("btl_ofi_eager_limit", "4m")], 4 << 20),
    (&[UGNI[0], UGNI[1], UGNI[2], UGNI[3], ("btl_ugni_eager_limit", "0")], 0),
    (&[UGNI[0], UGNI[1], UGNI[2], UGNI[3], ("btl_ugni_message_size", "1")], 240),
    (&[UGNI[0], UGNI[1], UGNI[2], UGNI[3], ("btl_ugni_message_size", "65535")], 65_263),
];

#[test]
fn a_header_has_room_before_every_eager_message_whatever_the_limits() {
    assert!(ugni_emulator::load());
    for (mca, eager) in EXTREMES {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let (from, to) = pairs(mca)[0];
        let way = ranks.way(from, to).unwrap();
        let module = way.module();
        assert_eq!(module.check_limits(), Ok(()), "{mca:?}");
        assert_eq!(module.eager_limit, eager, "{mca:?}");
        let header = [5u8; BTL_HEADER_ROOM];
        let bytes = payload(3, eager as usize);
        let packed = module.packed_limit as usize == module.message_limit();
        until(&ranks, || {
            // SAFETY: one thread.
            let sent = unsafe {
                if packed {
                    way.send_packed(way.cri(0), TAG, &header, &bytes)
                } else {
                    way.send(way.cri(0), TAG, &header, &bytes)
                }
            };
            match sent {
                DONE => true,
                NO_RESOURCES => false,
                error => panic!("{error} with {mca:?}"),
            }
        });
        let messages = || inboxes[to as usize].messages.lock().unwrap();
        until(&ranks, || !messages().is_empty());
        assert_eq!(*messages(), [[&header[..], &bytes].concat()], "{mca:?}");
        ranks.close();
    }
}

#[test]
fn a_sender_is_refused_when_nobody_receives_and_nothing_is_lost() {
    for mca in transports() {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let (from, to) = pairs(mca)[0];
        let way = ranks.way(from, to).unwrap();
        for len in [0, 40, 41, 3000] {
            let mut sent: usize = 0;
            // SAFETY: one thread.
            while unsafe { way.send(way.cri(0), TAG, &[1; 16], &payload(sent, len)) } == DONE {
                sent += 1;
                assert!(sent < 1_000_000);
            }
            assert!(sent > 0, "{mca:?} {len}");
            let inbox = inboxes[to as usize];
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
    for mca in transports() {
        let (ranks, inboxes) = start(6, THREAD_SINGLE, mca);
        let all = ranks.count();
        let reached = |from| if mca[0] == SELF[0] { from..from + 1 } else { 0..all };
        let ways: Vec<Vec<(u32, Way)>> = (0..all)
            .map(|from| reached(from).map(|to| (to, ranks.way(from, to).unwrap())).collect())
            .collect();
        for round in 0..50u8 {
            for (from, ways) in ways.iter().enumerate() {
                for (to, way) in ways {
                    let header = [from as u8, *to as u8, round];
                    // SAFETY: one thread.
                    until(&ranks, || unsafe { way.send(way.cri(0), ECHO, &header, b"?") == DONE });
                }
            }
            let count = (usize::from(round) + 1) * ways[0].len();
            until(&ranks, || {
                inboxes.iter().all(|inbox| inbox.messages.lock().unwrap().len() >= count)
            });
        }
        for (rank, inbox) in inboxes.iter().enumerate() {
            for to in reached(rank as u32).map(|to| to as u8) {
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

/// Ways of getting, each for sure.
const ALL_MOVERS: [&[(&str, &str)]; 13] = [
    &[("btl", "sm")],
    &[("btl", "sm"), ("smsc", "ring"), ("smsc_ring_chunk", "4k"), ("smsc_ring_slots", "2")],
    &[("btl", "sm"), ("smsc", "cma")],
    &[("btl", "sm"), ("btl_sm_backing", "file"), ("smsc_ring_backing", "file")],
    &[("btl", "self,tcp"), ("btl_tcp_transfer_limit", "5m")],
    &[("btl", "self,uct")],
    &[("btl", "self,uct"), ("btl_uct_transports", "sysv,cma"), ("btl_uct_num_cris", "3")],
    OFI_SHM,
    OFI_TCP,
    OFI_SOCKETS,
    UGNI,
    &[
        UGNI[0],
        UGNI[1],
        UGNI[2],
        UGNI[3],
        ("btl_ugni_bounce_size", "64"),
        ("btl_ugni_bounce_buffers", "1"),
    ],
    SELF,
];

/// Those that this machine offers.
fn movers() -> impl Iterator<Item = &'static [(&'static str, &'static str)]> {
    ALL_MOVERS.into_iter().filter(|mca| offered(mca))
}

/// The ways there and back between two ranks that reach each other.
fn there_and_back(ranks: &Ranks, (from, to): (u32, u32)) -> (Way, Way) {
    (ranks.way(from, to).unwrap(), ranks.way(to, from).unwrap())
}

#[test]
fn a_get_brings_what_is_there() {
    for mca in movers() {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let (read, own) = there_and_back(&ranks, pairs(mca)[0]);
        assert_ne!(read.module().capabilities & BTL_GET, 0);
        for len in [0, 1, 63, 4096, 65_536, 100_003, 1 << 20, (4 << 20) + 7] {
            let mut source = payload(len, len);
            let remote = source.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: the memory stays until it is concealed.
            let (registration, packed) = unsafe { own.expose(&mut source) };
            // SAFETY: the bytes are a key of the peer.
            let (status, key) = unsafe { read.unpack(&packed) };
            assert_eq!(status, OK);
            // Often enough that every component has its turns.
            for _ in 0..8 {
                let (get, mut local) = (Get::new(), vec![0u8; len]);
                assert!(get.start(&read, &mut local, remote, key));
                until(&ranks, || get.status().is_some());
                assert_eq!((get.status(), local == source), (Some(OK), true), "{mca:?} {len}");
            }
            // SAFETY: nothing is under way.
            unsafe {
                read.release(key);
                own.conceal(registration);
            }
        }
        ranks.close();
    }
}

/// Transports by which ranks load and store what the other one has.
const ALL_MAPPERS: [&[(&str, &str)]; 5] = [
    &[("btl", "sm")],
    &[("btl", "self,sm"), ("btl_sm_backing", "file")],
    &[("btl", "self,uct")],
    &[("btl", "self,uct"), ("btl_uct_transports", "sysv,cma")],
    SELF,
];

/// Those that this machine offers.
fn mappers() -> impl Iterator<Item = &'static [(&'static str, &'static str)]> {
    ALL_MAPPERS.into_iter().filter(|mca| offered(mca))
}

/// Memory of this side that the peer reaches: what the transport has allocated, if it does, because there may be
/// rights that it has not for other memory.
struct Given {
    address: *mut u8,
    registration: *mut c_void,
    packed: Vec<u8>,
    heap: Option<Vec<u64>>,
}

impl Given {
    /// Zeros; of the heap for these rights.
    ///
    /// # Safety
    /// The peer uses it no longer than until `take_back`.
    unsafe fn by(own: &Way, len: usize, rights: u32) -> Self {
        if own.module().capabilities & BTL_ALLOCATE != 0 {
            let (address, registration, packed) = own.allocate(len).expect("there is memory");
            return Self { address, registration, packed, heap: None };
        }
        let mut heap = vec![0_u64; len.div_ceil(8)];
        let address = heap.as_mut_ptr().cast::<u8>();
        // SAFETY: so many bytes are there, as long as the registration.
        let (registration, packed) =
            unsafe { own.expose_for(std::slice::from_raw_parts_mut(address, len), rights) };
        Self { address, registration, packed, heap: Some(heap) }
    }

    fn is_allocated(&self) -> bool {
        self.heap.is_none()
    }

    /// # Safety
    /// The peer does not use it any more.
    unsafe fn take_back(self, own: &Way) {
        // SAFETY: promised by the caller; it was made so.
        unsafe {
            match self.heap {
                None => own.free(self.registration),
                Some(_) => own.conceal(self.registration),
            }
        }
    }
}

#[test]
fn memory_of_a_transport_is_the_same_for_both() {
    for mca in mappers() {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let (read, own) = there_and_back(&ranks, pairs(mca)[0]);
        for len in [1_usize, 8, 4096, 5000, 3 << 20, 70 << 20] {
            // SAFETY: it is given back below.
            let given = unsafe { Given::by(&own, len, BTL_REMOTE_READ) };
            assert_eq!(given.is_allocated(), mca[0] != SELF[0]);
            let (address, packed) = (given.address, &given.packed);
            let remote = address.expose_provenance() as u64;
            // SAFETY: the bytes are keys of the peer, and what is mapped has the length; it is used before
            // the key is released.
            unsafe {
                assert_eq!((*address, *address.add(len - 1)), (0, 0));
                let (first, second) = (read.unpack(packed).1, read.unpack(packed).1);
                let one = read.map(first, remote, len).unwrap();
                let other = read.map(second, remote + len as u64 / 2, len - len / 2).unwrap();
                *address.add(len - 1) = 7;
                assert_eq!((*one.add(len - 1), *other.add(len - len / 2 - 1)), (7, 7));
                read.release(first);
                *other = 9;
                assert_eq!(*address.add(len / 2), 9);
                // It can be got, too.
                let (get, mut local) = (Get::new(), vec![0u8; len]);
                assert!(get.start(&read, &mut local, remote, second));
                until(&ranks, || get.status().is_some());
                let whole = std::slice::from_raw_parts(address, len);
                assert_eq!((get.status(), &local[..] == whole), (Some(OK), true));
                if !given.is_allocated() {
                    given.take_back(&own);
                    continue;
                }
                // A part that is registered has a key of its own.
                let part = std::slice::from_raw_parts_mut(address.add(len / 2), len - len / 2);
                let (of_part, packed) = own.expose(part);
                let third = read.unpack(&packed).1;
                assert_eq!(*read.map(third, part.as_ptr().addr() as u64, 1).unwrap(), part[0]);
                // What is mapped stays when it was freed.
                own.conceal(of_part);
                given.take_back(&own);
                other.write(3);
                read.release(second);
                read.release(third);
            }
        }
        ranks.close();
    }
}

#[test]
fn memory_that_a_peer_has_not_is_not_mapped() {
    for mca in mappers().filter(|mca| mca[0] != SELF[0]) {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let (read, own) = there_and_back(&ranks, (0, 1));
        let (address, registration, packed) = own.allocate(10_000).unwrap();
        let remote = address.addr() as u64;
        let mut other = payload(1, 100);
        // SAFETY: the bytes are keys, or are refused; nothing that is mapped is used.
        unsafe {
            let key = read.unpack(&packed).1;
            for (remote, len) in
                [(0, 1), (remote - 1, 1), (remote, usize::MAX), (u64::MAX, 1), (remote, 1 << 46)]
            {
                assert_eq!(read.map(key, remote, len), Err(ERR_PROTOCOL), "{remote:x} {len}");
            }
            // The peer lies, or memory was freed: that is refused, or there is some memory all the same.
            match read.map(key, remote + 20_000, 1) {
                Ok(pointer) => assert!(!pointer.is_null()),
                Err(status) => assert_eq!(status, ERR_PROTOCOL),
            }
            read.release(key);
            // Other memory has no pointer.
            let (exposed, packed) = own.expose(&mut other);
            let plain = read.unpack(&packed).1;
            assert_eq!(read.map(plain, other.as_ptr().addr() as u64, 100), Ok(null_mut()));
            assert_eq!(read.map(null_mut(), remote, 100), Ok(null_mut()));
            own.conceal(exposed);
            own.free(registration);
            // No machine has so much.
            assert_eq!(own.allocate(usize::MAX / 2).unwrap_err(), ERR_RESOURCES);
        }
        ranks.close();
    }
}

#[test]
fn blocks_come_and_go_in_threads() {
    for mca in mappers().filter(|mca| mca[0] != SELF[0]) {
        let (ranks, _) = start(2, THREAD_MULTIPLE, mca);
        let ways = pairs(mca).map(|pair| there_and_back(&ranks, pair));
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let (read, own) = ways[thread % 2];
                scope.spawn(move || {
                    for round in 0..100_usize {
                        let len = 1 + (thread * 37 + round * 4099) % 50_000;
                        let (address, registration, packed) = own.allocate(len).unwrap();
                        // SAFETY: a block of so many bytes, mapped until the key is released.
                        unsafe {
                            let key = read.unpack(&packed).1;
                            let remote = address.expose_provenance() as u64;
                            let there = read.map(key, remote, len).unwrap();
                            assert_eq!(*there.add(len - 1), 0);
                            there.write_bytes(thread as u8 + 1, len);
                            assert_eq!(*address.add(len / 2), thread as u8 + 1);
                            read.release(key);
                            own.free(registration);
                        }
                    }
                });
            }
        });
        ranks.close();
    }
}

#[test]
fn puts_and_atomics_reach_the_memory_of_the_peer() {
    for mca in transports() {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let (way, own) = there_and_back(&ranks, pairs(mca)[0]);
        let capabilities = way.module().capabilities;
        let atomics = capabilities & (BTL_ATOMIC_32 | BTL_ATOMIC_64) != 0;
        let rights = if atomics { BTL_REMOTE_ATOMIC } else { 0 };
        let rights = BTL_REMOTE_READ | BTL_REMOTE_WRITE | rights;
        let count = 1000;
        let bytes = count * 8;
        // SAFETY: it is given back below.
        let given = unsafe { Given::by(&own, bytes, rights) };
        let address = given.address;
        let remote = address.expose_provenance() as u64;
        // SAFETY: a key of the peer.
        let key = unsafe { way.unpack(&given.packed) }.1;
        // SAFETY: so many elements are there; nothing changes them while one is read or written.
        let read = |at: usize| unsafe { address.cast::<u64>().add(at).read_volatile() };
        // SAFETY: as above.
        let write = |at: usize, value| unsafe { address.cast::<u64>().add(at).write(value) };
        let wait = |get: Box<Get>, outcome: i32| {
            assert!(outcome == DONE || outcome == QUEUED, "{outcome}");
            until(&ranks, || outcome == DONE || get.status() == Some(OK));
        };
        if capabilities & BTL_PUT != 0 {
            let mut source: Vec<u64> = (0..count as u64).collect();
            // SAFETY: both sides stay until all has happened.
            unsafe {
                let local = source.as_mut_ptr().cast();
                let whole = std::slice::from_raw_parts_mut(source.as_mut_ptr().cast(), bytes);
                let registration = way.register_local(whole);
                let transfer = BtlTransfer { local, registration, remote, key, len: bytes };
                let (put, flush) = (Get::new(), Get::new());
                let mut outcome = NO_RESOURCES;
                until(&ranks, || {
                    outcome = way.put(way.cri(0), &transfer, put.completion());
                    outcome != NO_RESOURCES
                });
                wait(put, outcome);
                let outcome = way.flush(way.cri(0), flush.completion());
                wait(flush, outcome);
                if !registration.is_null() {
                    way.conceal(registration);
                }
            }
            assert_eq!((0..count).map(read).collect::<Vec<u64>>(), source);
        }
        for (width, capability) in [(4, BTL_ATOMIC_32), (8, BTL_ATOMIC_64)] {
            if capabilities & capability == 0 {
                continue;
            }
            write(5, 12);
            for (operation, operand, compare, then) in [
                (BTL_ADD, 30, 0, 42),
                (BTL_AND, 0xf, 0, 10),
                (BTL_OR, 5, 0, 15),
                (BTL_XOR, 6, 0, 9),
                (BTL_SWAP, 77, 0, 77),
                (BTL_COMPARE_SWAP, 1, 2, 77),
                (BTL_COMPARE_SWAP, 3, 77, 3),
            ] {
                let (before, mut old) = (read(5), 0_u64);
                let result = (&raw mut old).cast();
                let remote = remote + 40;
                let atomic = BtlAtomic { remote, key, operation, width, operand, compare, result };
                let (done, flush) = (Get::new(), Get::new());
                // SAFETY: as above.
                unsafe {
                    let outcome = way.atomic(way.cri(0), &atomic, done.completion());
                    wait(done, outcome);
                    let outcome = way.flush(way.cri(0), flush.completion());
                    wait(flush, outcome);
                }
                assert_eq!((old, read(5)), (before, then), "{operation} {width}");
            }
        }
        // SAFETY: nothing is under way.
        unsafe {
            way.release(key);
            given.take_back(&own);
        }
        ranks.close();
    }
}

#[test]
fn what_is_offered_is_got_whole_in_part_or_not_at_all() {
    for mca in movers() {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let (read, own) = there_and_back(&ranks, pairs(mca)[0]);
        for len in [1, 63, 4096, 65_536, 100_003, 1 << 20, (4 << 20) + 7] {
            // More often than there are resources for, if one offer did not give them back.
            for round in 0..80 {
                let mut source = payload(len, len.min(200_000 / (round + 1) + 1));
                let len = source.len();
                let remote = source.as_mut_ptr().expose_provenance() as u64;
                // SAFETY: the memory stays, unchanged, until it is concealed; the bytes are a key of
                // the peer.
                let (registration, packed) = unsafe { own.offer(own.cri(0), &mut source) };
                // SAFETY: as above.
                let (status, key) = unsafe { read.unpack(&packed) };
                assert_eq!(status, OK);
                let wanted = [len, len.div_ceil(3), 0][round % 3];
                if round % 2 == 0 {
                    // The owner is ahead.
                    ranks.progress();
                }
                let (get, mut local) = (Get::new(), vec![0u8; wanted]);
                assert!(get.start(&read, &mut local, remote, key));
                until(&ranks, || get.status().is_some());
                assert_eq!(
                    (get.status(), local == source[..wanted]),
                    (Some(OK), true),
                    "{mca:?} {len}"
                );
                // SAFETY: nothing is under way.
                unsafe {
                    read.release(key);
                    own.conceal(registration);
                }
            }
        }
        ranks.close();
    }
}

#[test]
fn many_offers_are_open_at_once() {
    for mca in movers() {
        let (ranks, _) = start(2, THREAD_SINGLE, mca);
        let ways = pairs(mca).map(|pair| there_and_back(&ranks, pair));
        let mut sources: Vec<_> = (0..200).map(|i| payload(i, 40_000 + i * 500)).collect();
        let mut offers = Vec::new();
        for (i, source) in sources.iter_mut().enumerate() {
            let (read, own) = &ways[i % 2];
            let remote = source.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: as above.
            unsafe {
                let (registration, packed) = own.offer(own.cri(0), source);
                offers.push((remote, registration, read.unpack(&packed).1));
            }
        }
        // The last first.
        for (i, (remote, registration, key)) in offers.into_iter().enumerate().rev() {
            let (read, own) = &ways[i % 2];
            let (get, mut local) = (Get::new(), vec![0u8; sources[i].len()]);
            until(&ranks, || get.start(read, &mut local, remote, key));
            until(&ranks, || get.status().is_some());
            assert_eq!((get.status(), local == sources[i]), (Some(OK), true), "{mca:?} {i}");
            // SAFETY: nothing is under way.
            unsafe { own.conceal(registration) };
        }
        ranks.close();
    }
}

#[test]
fn many_gets_at_once_in_both_directions() {
    for mca in movers() {
        let (ranks, _) = start(3, THREAD_SINGLE, mca);
        let mut source = payload(3, 300_000);
        let remote = source.as_mut_ptr().expose_provenance() as u64;
        let ways = match mca[0] == SELF[0] {
            true => [(0, 0), (1, 1), (2, 2), (0, 0)],
            false => [(0, 1), (1, 0), (2, 0), (1, 2)],
        }
        .map(|pair| there_and_back(&ranks, pair));
        let keys = ways.each_ref().map(|(read, own)| {
            // SAFETY: the memory outlives the job; the bytes are a key of the peer.
            unsafe { read.unpack(&own.expose(&mut source).1).1 }
        });
        // More than there are resources for.
        let mut gets: Vec<_> =
            (0..400).map(|i| (i, Get::new(), vec![0u8; 1000 + i * 700])).collect();
        for (i, get, local) in &mut gets {
            let at = remote + *i as u64;
            until(&ranks, || get.start(&ways[*i % 4].0, local, at, keys[*i % 4]));
        }
        until(&ranks, || gets.iter().all(|(_, get, _)| get.status().is_some()));
        for (i, get, local) in &gets {
            assert_eq!(get.status(), Some(OK));
            assert!(local[..] == source[*i..*i + local.len()]);
        }
        ranks.close();
    }
}

#[test]
fn a_get_of_memory_that_was_not_offered_fails_and_nothing_hangs() {
    let (ranks, _) = start(2, THREAD_SINGLE, ALL_MOVERS[1]);
    let (read, own) = (ranks.way(0, 1).unwrap(), ranks.way(1, 0).unwrap());
    let mut source = payload(1, 100_000);
    let remote = source.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: as above.
    let (registration, packed) = unsafe { own.expose(&mut source) };
    // SAFETY: as above.
    let key = unsafe { read.unpack(&packed) }.1;
    let attempt = |remote, key| {
        let (get, mut local) = (Get::new(), vec![9u8; 50_000]);
        assert!(get.start(&read, &mut local, remote, key));
        until(&ranks, || get.status().is_some());
        assert!(local.iter().all(|byte| *byte == 9) || get.status() == Some(OK));
        get.status()
    };
    assert_eq!(attempt(remote + 1, key), Some(OK));
    assert_eq!(attempt(remote + 50_001, key), Some(ERR_PROTOCOL));
    assert_eq!(attempt(remote - 1, key), Some(ERR_PROTOCOL));
    // What is no key is refused, and one that the peer never made is of no use.
    let mut forged = packed.clone();
    forged[0] ^= 0x55;
    // SAFETY: both have a key's length; the second is released when nothing is under way.
    unsafe {
        assert_eq!(read.unpack(&77_u64.to_le_bytes()).0, ERR_PROTOCOL);
        let (status, forged) = read.unpack(&forged);
        assert_eq!((status, attempt(remote, forged)), (OK, Some(ERR_PROTOCOL)));
        read.release(forged);
    }
    // SAFETY: nothing is under way.
    unsafe { own.conceal(registration) };
    assert_eq!(attempt(remote, key), Some(ERR_PROTOCOL));
    // A get that is not served is given up when the job ends.
    let (get, mut local) = (Get::new(), vec![9u8; 50_000]);
    assert!(get.start(&read, &mut local, remote, key));
    ranks.close();
    assert_eq!(get.status(), Some(ERR_PEER));
}

#[test]
fn a_sleeper_is_woken_by_a_message() {
    for mca in transports() {
        let (ranks, inboxes) = start(2, THREAD_MULTIPLE, mca);
        let (from, to) = pairs(mca)[0];
        let (way, back) = there_and_back(&ranks, (from, to));
        let inbox = inboxes[to as usize];
        if way.module().capabilities & BTL_CAN_WAKE == 0 {
            ranks.close();
            continue;
        }
        let arm = || {
            let _held = back.cri(0).guard();
            back.arm(back.cri(0)).expect("it can")
        };
        for round in 0..20 {
            let mut wake = None;
            // Something may be left to do of the message before.
            until(&ranks, || {
                wake = arm().filter(|wake| wake.fd < 0 || !is_readable(wake.fd, 0));
                wake.is_some()
            });
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _held = way.cri(0).guard();
                    // SAFETY: the instance's lock is held. The first message makes the ring or the
                    // connection, the others use it.
                    let sent = unsafe { way.send(way.cri(0), TAG, &[1; 16], b"wake up") };
                    assert_eq!(sent, DONE);
                });
                let wake = wake.expect("it was armed");
                let woken = match wake.fd {
                    // SAFETY: the word stays as long as the job.
                    -1 => unsafe { has_changed(&*wake.word, wake.expected) },
                    fd => is_readable(fd, DEADLINE.as_millis() as i32),
                };
                assert!(woken, "{mca:?}: it sleeps on");
            });
            // A file says by itself that something is there.
            assert!(arm().is_none_or(|wake| wake.fd >= 0), "{mca:?}");
            until(&ranks, || inbox.messages.lock().unwrap().len() > round);
        }
        ranks.close();
    }
}

/// Sleeps until the file is readable or so many milliseconds have passed; whether it is.
fn is_readable(fd: i32, limit: i32) -> bool {
    let mut file = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: there is one of them, which lives during the call.
    unsafe { libc::poll(&raw mut file, 1, limit) == 1 }
}

/// Sleeps until the word has changed or the deadline has passed; whether it has.
fn has_changed(word: &AtomicU32, expected: u32) -> bool {
    let end = Instant::now() + DEADLINE;
    while word.load(Ordering::SeqCst) == expected && Instant::now() < end {
        let limit = libc::timespec { tv_sec: 1, tv_nsec: 0 };
        let (word, limit) = (word.as_ptr(), &raw const limit);
        // SAFETY: the word and the limit live during the call.
        unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, expected, limit) };
    }
    word.load(Ordering::SeqCst) != expected
}

/// A way that is full: gets are refused, any number of times, and go on when there is room.
#[test]
fn gets_that_find_no_room_cost_nothing() {
    for mca in movers() {
        let (ranks, inboxes) = start(2, THREAD_SINGLE, mca);
        let (read, own) = there_and_back(&ranks, pairs(mca)[0]);
        let (inbox, mut sent) = (inboxes[pairs(mca)[0].1 as usize], 0);
        let mut source = payload(5, 100_000);
        let remote = source.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the memory stays until it is concealed; the bytes are a key of the peer.
        let (registration, packed) = unsafe { own.expose(&mut source) };
        // SAFETY: as above.
        let key = unsafe { read.unpack(&packed) }.1;
        for _ in 0..3 {
            // SAFETY: one thread.
            while unsafe { read.send(read.cri(0), TAG, &[1; 16], &[]) } == DONE {
                sent += 1;
            }
            for _ in 0..200 {
                let (get, mut local) = (Get::new(), vec![0u8; source.len()]);
                if get.start(&read, &mut local, remote, key) {
                    // By a component that needs no room.
                    until(&ranks, || get.status().is_some());
                    assert_eq!((get.status(), local == source), (Some(OK), true));
                    break;
                }
            }
            until(&ranks, || inbox.messages.lock().unwrap().len() == sent);
            let (get, mut local) = (Get::new(), vec![0u8; source.len()]);
            assert!(get.start(&read, &mut local, remote, key), "{mca:?}");
            until(&ranks, || get.status().is_some());
            assert_eq!((get.status(), local == source), (Some(OK), true), "{mca:?}");
        }
        assert_ne!(sent, 0);
        // SAFETY: nothing is under way.
        unsafe {
            read.release(key);
            own.conceal(registration);
        }
        ranks.close();
    }
}

#[test]
fn threads_use_different_instances_at_the_same_time() {
    // With a ring each, with one for all, and with one for most of them.
    for rings in ["1024", "0", "1"] {
        use_different_instances(&[
            ("btl", "self,sm"),
            ("btl_sm_num_cris", "3"),
            ("btl_sm_max_rings", rings),
        ]);
    }
    use_different_instances(&[("btl", "self,tcp"), ("btl_tcp_num_cris", "3")]);
    for ofi in [OFI_SHM, OFI_TCP] {
        use_different_instances(&[ofi[0], ofi[1], ofi[2], ("btl_ofi_num_cris", "3")]);
    }
    assert!(ugni_emulator::load());
    let three = ("btl_ugni_num_cris", "3");
    use_different_instances(&[UGNI[0], UGNI[1], UGNI[2], UGNI[3], three]);
    use_different_instances(&[SELF[0], ("btl_self_num_cris", "3")]);
}

fn use_different_instances(mca: &[(&str, &str)]) {
    const MESSAGES: u64 = 3000;
    const THREADS: u32 = 3;
    let (ranks, inboxes) = start(2, THREAD_MULTIPLE, mca);
    let way = pairs(mca).map(|(from, to)| ranks.way(from, to).unwrap());
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
                            let held = cri.guard();
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
                    // What a transport has accepted may need this rank's progress until the other has it.
                    let expected = MESSAGES * u64::from(THREADS);
                    let lacks =
                        |inbox: &&&Inbox| (inbox.messages.lock().unwrap().len() as u64) < expected;
                    while inboxes.iter().any(|inbox| lacks(&inbox)) {
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

/// A message that makes its receiver answer arrives under its instance's lock, and the receiver may
/// have to connect for the answer.
#[test]
fn connecting_needs_no_instance() {
    let (ranks, _) = start(2, THREAD_MULTIPLE, &[("btl", "self,sm,tcp")]);
    let sm = ranks.way(0, 1).unwrap();
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        // SAFETY: devices stay as long as their system is open.
        let count = unsafe { &*sm.module().pool }.count;
        let held: Vec<_> =
            (0..count).map(|index| sm.cri(index).try_guard().expect("free")).collect();
        let ranks = &ranks;
        // To itself a process has a way by shared memory, too, which is not taken.
        scope.spawn(move || {
            ranks.way(0, 0).unwrap();
            done.send(()).unwrap();
        });
        let outcome = is_done.recv_timeout(DEADLINE);
        drop(held);
        outcome.expect("connecting waits for an instance");
    });
    ranks.close();
}
