use std::cell::UnsafeCell;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::receive::{RECEIVED_CONTIGUOUS, Received};
use cairn_framework::abi::status::{DONE, ERR_ARGUMENT, NO_RESOURCES, OutcomeCode};
use cairn_framework::frameworks::btl::{
    BTL_ADD, BTL_AND, BTL_COMPARE_SWAP, BTL_OR, BTL_SWAP, BTL_XOR, BtlOps, Endpoint, ops,
};
use cairn_framework::mock::MockHost;

use super::*;

const TAG: u8 = 9;
const OPS: BtlOps = ops::<SelfLoop>();

/// What arrived: bytes of each message, and what to do with each.
#[derive(Default)]
struct Inbox {
    messages: RefCell<Vec<Vec<u8>>>,
    /// Sends each message on to itself so many times.
    echoes: RefCell<usize>,
}

struct Subject {
    transport: SelfLoop,
    inbox: &'static Inbox,
}

unsafe extern "C" fn arrive(context: *mut c_void, received: *const Received) {
    // SAFETY: the test registered an inbox; the message is valid during the call.
    let (inbox, received) = unsafe { (&*context.cast::<Inbox>(), &*received) };
    assert!(received.data.addr().is_multiple_of(8));
    assert_eq!(received.flags, RECEIVED_CONTIGUOUS);
    // SAFETY: as above.
    let data = unsafe { std::slice::from_raw_parts(received.data.cast::<u8>(), received.len) };
    inbox.messages.borrow_mut().push(data.to_vec());
    if *inbox.echoes.borrow() > 0 {
        *inbox.echoes.borrow_mut() -= 1;
        // SAFETY: in a callback the CRI's lock is held.
        let sent = unsafe { send(&*received.module, &*received.cri, &data[..2], &data[2..]) };
        assert_eq!(sent, DONE);
    }
}

/// Sends as the protocol layer does.
///
/// # Safety
/// The CRI is one of the device and no other thread uses it.
unsafe fn send(view: &BtlModule, cri: &Cri, header: &[u8], payload: &[u8]) -> OutcomeCode {
    let message = BtlMessage {
        header: header.as_ptr().cast(),
        payload: payload.as_ptr().cast(),
        header_len: header.len() as u32,
        payload_len: payload.len() as u32,
        tag: TAG,
    };
    let endpoint = std::ptr::dangling_mut::<Endpoint>();
    // SAFETY: promised by the caller; the message is valid during the call.
    unsafe { OPS.send_immediate.unwrap()(view, cri, endpoint, &message) }
}

fn subject(params: &[(&str, &str)]) -> Subject {
    let mock = MockHost::leak("btl_self");
    for (name, value) in params {
        mock.set(name, value);
    }
    let inbox: &'static Inbox = Box::leak(Box::default());
    // SAFETY: the inbox lives as long as the process and is used by this thread only.
    unsafe {
        let context = std::ptr::from_ref(inbox).cast_mut().cast();
        mock.handle().receive_register(TAG, arrive, context).unwrap();
    }
    Subject { transport: mock.open().unwrap(), inbox }
}

impl Subject {
    fn view(&self) -> &BtlModule {
        self.transport.device.view()
    }

    fn pool(&self) -> &CriPool {
        self.transport.device.pool()
    }

    fn send(&self, header: &[u8], payload: &[u8]) -> OutcomeCode {
        // SAFETY: one thread.
        unsafe { send(self.view(), self.pool().cri(0), header, payload) }
    }

    /// Does something with the first CRI.
    fn with<R>(&self, act: impl FnOnce(Way<'_, SelfLoop>) -> R) -> R {
        let device = &*self.transport.device;
        act(Way { device, cri: &device.hold(0), endpoint: &() })
    }

    fn progress(&self) -> u32 {
        let pool = self.pool();
        let cri = std::ptr::from_ref(pool.cri(0)).cast_mut();
        // SAFETY: one thread.
        unsafe { pool.progress.unwrap()(pool.module, cri) }
    }
}

/// A completion that is not called.
fn none() -> Completion {
    // SAFETY: see above.
    unsafe { Completion::new(null_mut()) }
}

#[test]
fn messages_arrive_in_order_and_only_by_progress() {
    let subject = subject(&[]);
    let mut expected = Vec::new();
    for len in [0, 1, 7, 56, 57, 128, 1000, 1025, 9000, MESSAGE_LIMIT - 3] {
        let payload: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
        assert_eq!(subject.send(b"abc", &payload), DONE);
        expected.push([&b"abc"[..], &payload].concat());
    }
    assert!(subject.inbox.messages.borrow().is_empty());
    assert_eq!(subject.progress(), expected.len() as u32);
    assert_eq!(*subject.inbox.messages.borrow(), expected);
    assert_eq!(subject.progress(), 0);
    assert_eq!(subject.send(&[0; 4], &[0; MESSAGE_LIMIT - 3]), ERR_ARGUMENT);
}

#[test]
fn an_answer_to_oneself_comes_with_the_next_pass() {
    let subject = subject(&[]);
    *subject.inbox.echoes.borrow_mut() = 3;
    assert_eq!(subject.send(b"xy", b"ball"), DONE);
    for arrived in 1..=4 {
        assert_eq!(subject.progress(), 1);
        assert_eq!(subject.inbox.messages.borrow().len(), arrived);
    }
    assert_eq!(subject.progress(), 0);
}

#[test]
fn a_full_queue_refuses_until_progress() {
    let subject = subject(&[]);
    let mut sent = 0;
    while subject.send(b"h", &[1; 60_000]) == DONE {
        sent += 1;
        assert!(sent < 100_000);
    }
    assert_eq!(subject.send(b"h", &[1; 60_000]), NO_RESOURCES);
    assert_eq!(subject.progress(), sent);
    assert_eq!(subject.send(b"h", &[1; 60_000]), DONE);
}

#[test]
fn a_packed_message_may_turn_out_shorter() {
    unsafe extern "C" fn pack(context: *mut c_void, to: *mut c_void, len: usize) -> usize {
        // SAFETY: the test passes bytes; there is room for `len`.
        unsafe {
            let bytes = &*context.cast::<Vec<u8>>();
            let len = len.min(bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), len);
            len
        }
    }
    let subject = subject(&[]);
    let mut bytes = b"packed".to_vec();
    let message = BtlPacked {
        header: b"head".as_ptr().cast(),
        pack: Some(pack),
        context: (&raw mut bytes).cast(),
        header_len: 4,
        payload_len: 100,
        tag: TAG,
    };
    // SAFETY: one thread; the message is valid during the call.
    let sent = subject.with(|way| unsafe { SelfLoop::send_packed(way, &message) });
    assert_eq!((sent, subject.progress()), (Ok(Outcome::Done), 1));
    assert_eq!(*subject.inbox.messages.borrow(), [b"headpacked".to_vec()]);
}

fn apply(operation: u32, width: u32, at: u64, operand: u64, compare: u64) -> Result<u64, Failure> {
    let mut old = 0u64;
    let atomic = BtlAtomic {
        remote: at,
        key: null_mut(),
        operation,
        width,
        operand,
        compare,
        result: (&raw mut old).cast(),
    };
    // SAFETY: the tests pass places of their own.
    let done = subject(&[]).with(|way| unsafe { SelfLoop::atomic(way, &atomic, none()) });
    done.map(|_| old)
}

#[test]
fn atomics_return_the_old_value() {
    for width in [4, 8] {
        let mut place = 0b1100u64;
        let at = (&raw mut place).expose_provenance() as u64;
        let mut steps = Vec::new();
        for (operation, operand, compare) in [
            (BTL_ADD, 2, 0),
            (BTL_AND, 0b0110, 0),
            (BTL_OR, 0b0001, 0),
            (BTL_XOR, 0b1111, 0),
            (BTL_SWAP, 40, 0),
            (BTL_COMPARE_SWAP, 50, 41),
            (BTL_COMPARE_SWAP, 60, 40),
        ] {
            steps.push(apply(operation, width, at, operand, compare).unwrap());
        }
        assert_eq!(steps, [0b1100, 0b1110, 0b0110, 0b0111, 0b1000, 40, 40]);
        assert_eq!(place, 60);
        assert_eq!(apply(BTL_ADD, width, at, u64::MAX, 0), Ok(60));
        assert_eq!(place, 59);
        assert!(apply(BTL_ADD, width, at + 1, 1, 0).is_err());
        assert!(apply(77, width, at, 1, 0).is_err());
    }
    assert!(apply(BTL_ADD, 2, 0x1000, 1, 0).is_err());
}

#[test]
fn put_and_get_are_done_on_return() {
    let (mut here, mut there) = (vec![1u8; 100], vec![2u8; 100]);
    let transfer = BtlTransfer {
        local: here.as_mut_ptr().cast(),
        registration: null_mut(),
        remote: there.as_mut_ptr().expose_provenance() as u64,
        key: null_mut(),
        len: 60,
    };
    let subject = subject(&[]);
    // SAFETY: both vectors are longer than the transfer.
    let put = subject.with(|way| unsafe { SelfLoop::put(way, &transfer, none()) });
    assert_eq!((put, there[59], there[60]), (Ok(Outcome::Done), 1, 2));
    there[..60].fill(7);
    // SAFETY: as above.
    let get = subject.with(|way| unsafe { SelfLoop::get(way, &transfer, none()) });
    assert_eq!(get, Ok(Outcome::Done));
    assert_eq!((here[59], here[60]), (7, 1));
}

#[test]
fn a_sleeper_is_woken_by_a_message() {
    let subject = subject(&[]);
    let device = &*subject.transport.device;
    let arm = |index| SelfLoop::arm(device, &device.hold(index)).unwrap();
    let wake = arm(0).expect("nothing waits");
    // SAFETY: the queue lives as long as the transport.
    let word = unsafe { &*wake.word };
    assert_eq!(word.load(Ordering::Acquire), wake.expected);
    assert_eq!(subject.send(b"h", b""), DONE);
    assert_ne!(word.load(Ordering::Acquire), wake.expected);
    assert!(arm(0).is_none());
    subject.progress();
    // All CRIs have one word, so that any number of them can be slept on.
    for index in 0..device.cri_count() {
        let wake = arm(index).expect("nothing waits");
        assert_eq!(wake.word, std::ptr::from_ref(word).cast());
    }
}

#[test]
fn it_reaches_itself_and_no_other_process_with_an_instance_for_each_core() {
    let subject = subject(&[]);
    assert_eq!(subject.pool().count, 4);
    let peer = |rank, flags| Peer {
        struct_size: size_of::<Peer>() as u32,
        rank,
        job: 0,
        flags: u32::into(flags),
        node: 0,
        route_count: 0.into(),
        routes: UnsafeCell::new(null()),
        pml: null_mut(),
    };
    let add = |peer: &Peer| SelfLoop::add_peer(&subject.transport.device, peer).unwrap();
    assert!(add(&peer(0, PEER_SELF)).is_some());
    assert!(add(&peer(1, 0)).is_none());
}

#[test]
fn the_number_of_instances_is_a_parameter() {
    assert_eq!(subject(&[("num_cris", "3")]).pool().count, 3);
}
