use std::time::{Duration, Instant};

use cairn_framework::abi::receive::Received;
use cairn_framework::layout::{check, check_elements};
use cairn_framework::mock::MockHost;

use super::*;
use crate::receive::UNMAPPABLE;
use crate::ring::KIND_CONTROL;

/// Tag of messages.
const TAG: u8 = 201;

/// Our process in a job of four of the node, whose other ranks this test plays.
struct Job {
    mock: &'static MockHost,
    transport: SharedMemory,
    /// Messages that were received.
    received: Box<Cell<u32>>,
}

unsafe extern "C" fn count(received: *mut c_void, _: *const Received) {
    // SAFETY: registered with the counter.
    let received = unsafe { &*received.cast::<Cell<u32>>() };
    received.set(received.get() + 1);
}

impl Job {
    fn new() -> Self {
        let mock = MockHost::leak_among("btl_sm", 4);
        mock.set("num_cris", "1");
        let received = Box::new(Cell::new(0));
        let context = (&raw const *received).cast_mut().cast();
        // SAFETY: the counter lives as long as the transport.
        unsafe { mock.handle().receive_register(TAG, count, context).unwrap() };
        Self { mock, transport: mock.open().unwrap(), received }
    }

    fn state(&self) -> &State {
        self.transport.port._device.state()
    }

    fn cri(&self) -> &Cri {
        // SAFETY: the pool lives as long as the device.
        unsafe { &*self.state().pool }.cri(0)
    }

    /// Another rank, as it sends to us. Its first ring is the one of its number.
    fn sender(&self, rank: u32) -> Peer {
        let own = Own { rank, local_rank: rank, barriers: false, pool: self.state().pool };
        Peer::new(self.state().segment.again().unwrap(), view(0), own).unwrap()
    }

    /// A pass. Whether anything has happened.
    fn pass(&self) -> bool {
        let _held = self.cri().guard();
        let module = self.transport.port.modules[0].cast();
        // SAFETY: the instance of the device, whose lock is held.
        unsafe { progress(module, (&raw const *self.cri()).cast_mut()) > 0 }
    }

    /// Makes passes and looks who has ended, until something is so.
    fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < end, "{what}");
            self.pass();
            self.mock.run_progress();
        }
    }

    /// Connects us to a rank that never looks at what we send.
    fn connect(&self, rank: u32) {
        let mock = MockHost::leak_among("btl_sm", 4);
        mock.set("ring_size", "16k");
        let other: &SharedMemory = Box::leak(Box::new(mock.open().unwrap()));
        let segment = other.port._device.state().segment.again().unwrap();
        let own = Own { rank: 0, local_rank: 0, barriers: false, pool: self.state().pool };
        let peer = Peer::new(segment, view(rank), own).unwrap();
        self.state().peers[rank as usize].store(Box::leak(Box::new(peer)), Ordering::Release);
    }

    /// Sends a control message to us, if there is room.
    fn control(&self, sender: &Peer, tag: u8, body: &[u8]) -> bool {
        // SAFETY: one thread; a line has room for the body.
        unsafe {
            let Some(mut ring) = sender.outbound(self.cri()) else { return false };
            ring.body().copy_from_nonoverlapping(body.as_ptr(), body.len());
            ring.send(KIND_CONTROL, tag, body.len());
        }
        true
    }

    /// Refusals of ours that a rank left us no room for.
    fn unsent(&self) -> usize {
        // SAFETY: one thread, and not in a pass.
        unsafe { &*line(self.cri()).transfers.get() }.unsent()
    }

    fn is_buried(&self, rank: u32) -> bool {
        let line = format!("the process of rank {rank} has ended");
        self.mock.log().iter().any(|said| said.ends_with(&line))
    }
}

/// A peer, as the host has it.
fn view(rank: u32) -> &'static PeerView {
    Box::leak(Box::new(PeerView {
        struct_size: size_of::<PeerView>() as u32,
        rank,
        job: 0,
        flags: PEER_LOCAL.into(),
        node: 0,
        route_count: 0.into(),
        routes: UnsafeCell::new(null()),
        pml: null_mut(),
    }))
}

/// Sends one message.
fn send(sender: &Peer, cri: &Cri) {
    // SAFETY: one thread.
    unsafe { sender.outbound(cri) }.expect("room").send(KIND_MESSAGE, TAG, 0);
}

#[test]
fn a_ring_that_can_not_be_mapped_holds_up_the_end_of_its_own_sender_only() {
    let job = Job::new();
    let senders = [1, 2, 3].map(|rank| job.sender(rank));
    senders.iter().for_each(|sender| send(sender, job.cri()));
    UNMAPPABLE.set(vec![2]);
    job.until("messages of others", || job.received.get() == 2);
    // A thread may sleep meanwhile.
    assert!(nap(job.state()).is_some());
    (1..4).for_each(|rank| job.state().lives.has_ended(rank));
    job.until("ends of others", || job.is_buried(1) && job.is_buried(3));
    assert!(!job.is_buried(2));
    // What it had sent is not lost.
    UNMAPPABLE.take();
    job.until("the last message", || job.received.get() == 3);
    job.until("the last end", || job.is_buried(2));
}

#[test]
fn a_ring_that_can_never_be_mapped_is_given_up_after_the_end_of_its_sender() {
    let job = Job::new();
    let [lost, other] = [1, 2].map(|rank| job.sender(rank));
    UNMAPPABLE.set(vec![1]);
    send(&lost, job.cri());
    // As long as its sender lives it is tried, however often it is announced.
    let state = job.state();
    let (news, entry) =
        (state.geometry.news(&state.segment, 0), state.geometry.entry(&state.segment, 1));
    let again = || {
        job.pass();
        news.newest.push(1, &entry.next);
        // SAFETY: the lock is not held by any; one thread.
        unsafe { (*line(job.cri()).inbox.get()).make_due() };
        job.mock.run_progress();
    };
    (0..200).for_each(|_| again());
    state.lives.has_ended(1);
    let mut passes = 0;
    job.until("the end", || {
        again();
        passes += 1;
        job.is_buried(1)
    });
    let given_up = "rank 1 has ended and ring 1 can't be mapped; it is not read";
    let said = |text: &str| job.mock.log().iter().filter(|line| line.ends_with(text)).count();
    assert!(said(given_up) == 1 && passes > 10, "{passes}: {:?}", job.mock.log());
    // It is not read any more, and others are.
    UNMAPPABLE.take();
    (0..10).for_each(|_| again());
    send(&other, job.cri());
    job.until("a message", || job.received.get() == 1);
    (0..10).for_each(|_| again());
    assert_eq!((job.received.get(), said(given_up)), (1, 1));
}

/// A nap of all instances.
fn nap(state: &State) -> Option<Vec<BtlWake>> {
    // SAFETY: the pool lives as long as the device.
    let pool = unsafe { &*state.pool };
    let arm = |index| {
        let cri = pool.cri(index);
        let _held = cri.guard();
        SharedMemory::arm(state, cri).unwrap()
    };
    (0..pool.count).map(arm).collect()
}

#[test]
fn a_nap_of_many_instances_makes_one_barrier_and_has_one_word() {
    let mock = MockHost::leak("btl_sm");
    mock.set("num_cris", "200");
    let transport: SharedMemory = mock.open().unwrap();
    let state = transport.port._device.state();
    let barriers = wake::BARRIERS.get();
    let wakes = nap(state).expect("nothing has come");
    assert_eq!(wake::BARRIERS.get() - barriers, u32::from(state.barriers));
    assert_eq!(wakes.len(), 200);
    assert!(wakes.iter().all(|wake| wake.word == wakes[0].word && wake.fd < 0));
    // SAFETY: in the segment.
    let word = unsafe { &*wakes[0].word };
    assert_eq!(word.load(Ordering::Relaxed), wakes[0].expected);
    // A message to the last instance: the others are armed in vain.
    let news = state.geometry.news(&state.segment, 199);
    news.newest.push(0, &state.geometry.entry(&state.segment, 0).next);
    assert!(nap(state).is_none());
    // Its sender wakes who slept on what the word was.
    wake::wake(word);
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
    assert!(news.newest.take().is_some() && nap(state).is_some());
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
}

#[test]
fn instances_share_no_lines() {
    let parts = cairn_framework::parts!(Line {
        cri: "who holds the lock",
        inbox: "who holds the lock",
        transfers: "who holds the lock",
        starved: "who holds the lock",
    });
    check("an instance of btl_sm", &parts);
    check_elements("instances of btl_sm", size_of::<Line>(), align_of::<Line>());
}

/// More than any peer has a reason to send.
const FLOOD: usize = 20_000;

#[test]
fn orders_without_end_of_a_peer_that_hears_no_answer_are_not_kept() {
    let job = Job::new();
    job.connect(1);
    let [flood, other] = [1, 2].map(|rank| job.sender(rank));
    // Of no key that there is.
    let order = [0xff; INLINE];
    let mut most = 0;
    let sent = (0..FLOOD).take_while(|_| {
        let room = job.control(&flood, large::ORDER, &order);
        job.pass();
        most = most.max(job.unsent());
        room
    });
    let sent = sent.count();
    assert!(sent < FLOOD && most <= 1000, "{most} kept of {sent}");
    send(&other, job.cri());
    job.until("a message of another", || job.received.get() == 1);
}

#[test]
fn refusals_of_what_was_not_asked_for_are_not_kept() {
    let job = Job::new();
    job.connect(1);
    let sender = job.sender(1);
    for id in 0..FLOOD as u32 {
        let refusal = [(id & 0xffff).to_le_bytes(), (-1i32).to_le_bytes()].concat();
        assert!(job.control(&sender, large::REFUSAL, &refusal));
        job.pass();
    }
    assert_eq!(job.state().refused.len(), 0);
    send(&sender, job.cri());
    job.until("a message", || job.received.get() == 1);
}
