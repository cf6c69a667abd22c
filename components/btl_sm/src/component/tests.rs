use std::time::{Duration, Instant};

use cairn_framework::abi::receive::{RECEIVE_GROWING, RECEIVED_GROWING, Received};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::frameworks::btl::{BTL_HEADER_ROOM, HeldCri, OwnCri};
use cairn_framework::mock::MockHost;

use super::*;
use crate::endpoint::{NO_MEMORY, RingGuard};
use crate::receive::{ENDED, UNMAPPABLE};
use crate::ring::KIND_CONTROL;

/// Tag of messages.
const TAG: u8 = 201;

/// Our process in a job of four of the node; this test plays the other ranks.
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
        // So that a test can fill one.
        mock.set("ring_memory", "0");
        Self::on(mock)
    }

    /// Two processes to a core.
    fn crowded() -> Self {
        Self::on(MockHost::leak_on("btl_sm", 4, 2))
    }

    fn on(mock: &'static MockHost) -> Self {
        mock.set("num_cris", "1");
        let received = Box::new(Cell::new(0));
        let context = (&raw const *received).cast_mut().cast();
        // SAFETY: the counter lives as long as the transport.
        unsafe { mock.handle().receive_register(TAG, count, context).unwrap() };
        Self { mock, transport: mock.open().unwrap(), received }
    }

    fn state(&self) -> &SmDevice {
        &self.transport.device
    }

    fn cri(&self) -> HeldCri<'_, SmCri> {
        self.state().hold(0)
    }

    /// Another rank, as it sends to us. Its first ring is the one of its number.
    fn sender(&self, rank: u32) -> Peer {
        sender_to(self.state(), rank, self.mock.handle().job().is_crowded())
    }

    /// A pass. Whether anything has happened.
    fn pass(&self) -> bool {
        SharedMemory::progress(self.state(), &self.cri()) > 0
    }

    /// Sends one message to us.
    fn send(&self, sender: &Peer) {
        // SAFETY: one thread.
        unsafe { sender.outbound(self.state(), &self.cri(), 8) }.expect("room").send(
            KIND_MESSAGE,
            TAG,
            0,
        );
    }

    /// Makes passes and looks for ended processes, until something is so.
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
        let peer = with_short_rings(rank);
        self.state().peers[rank as usize].store(Box::leak(Box::new(peer)), Ordering::Release);
    }

    /// Sends a control message to us, if there is room.
    fn control(&self, sender: &Peer, tag: u8, body: &[u8]) -> bool {
        // SAFETY: one thread; a line has room for the body.
        unsafe {
            let cri = self.cri();
            let Some(mut ring) = sender.outbound(self.state(), &cri, 8) else { return false };
            ring.body().copy_from_nonoverlapping(body.as_ptr(), body.len());
            ring.send(KIND_CONTROL, tag, body.len());
        }
        true
    }

    /// Refusals of ours that a rank left us no room for.
    fn unsent(&self) -> usize {
        self.cri().transfers.borrow().unsent()
    }

    fn is_reaped(&self, rank: u32) -> bool {
        let line = format!("the process of rank {rank} has ended");
        self.mock.log().iter().any(|said| said.ends_with(&line))
    }
}

/// A rank as it sends to this process, in turns with it if they are crowded.
fn sender_to(state: &SmDevice, rank: u32, crowded: bool) -> Peer {
    let (instances, least_ring) = (state.cri_count(), state.least_ring);
    let own = Own { rank, local_rank: rank, barriers: false, instances, least_ring, crowded };
    Peer::new(state.segment.again().unwrap(), view(0), own).unwrap()
}

/// A peer with the shortest rings, which never looks at what is sent to it.
fn with_short_rings(rank: u32) -> Peer {
    let mock = MockHost::leak_among("btl_sm", 4);
    mock.set("ring_size", "16k");
    mock.set("ring_memory", "0");
    let other: &SharedMemory = Box::leak(Box::new(mock.open().unwrap()));
    let segment = other.device.segment.again().unwrap();
    let own = Own {
        rank: 0,
        local_rank: 0,
        barriers: false,
        instances: 1,
        least_ring: 16 << 10,
        crowded: false,
    };
    Peer::new(segment, view(rank), own).unwrap()
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
        routes: UnsafeCell::new(std::ptr::null()),
        pml: null_mut(),
    }))
}

#[test]
fn a_ring_that_can_not_be_mapped_holds_up_the_end_of_its_own_sender_only() {
    let job = Job::new();
    let senders = [1, 2, 3].map(|rank| job.sender(rank));
    senders.iter().for_each(|sender| job.send(sender));
    UNMAPPABLE.set(vec![2]);
    job.until("messages of others", || job.received.get() == 2);
    // A thread may sleep meanwhile.
    assert!(sleep(job.state()).is_some());
    (1..4).for_each(|rank| job.state().lives.has_ended(rank));
    job.until("ends of others", || job.is_reaped(1) && job.is_reaped(3));
    assert!(!job.is_reaped(2));
    // What it had sent is not lost.
    UNMAPPABLE.take();
    job.until("the last message", || job.received.get() == 3);
    job.until("the last end", || job.is_reaped(2));
}

#[test]
fn a_ring_that_can_never_be_mapped_is_given_up_after_the_end_of_its_sender() {
    let job = Job::new();
    let [lost, other] = [1, 2].map(|rank| job.sender(rank));
    UNMAPPABLE.set(vec![1]);
    job.send(&lost);
    // As long as its sender lives it is tried, however often it is announced.
    let state = job.state();
    let (news, entry) =
        (state.geometry.news(&state.segment, 0), state.geometry.entry(&state.segment, 1));
    let again = || {
        job.pass();
        news.newest.push(1, &entry.next);
        // SAFETY: one thread, and not in a pass.
        unsafe { (*job.cri().inbox.get()).make_due() };
        job.mock.run_progress();
    };
    (0..200).for_each(|_| again());
    state.lives.has_ended(1);
    let mut passes = 0;
    job.until("the end", || {
        again();
        passes += 1;
        job.is_reaped(1)
    });
    let given_up = "rank 1 has ended and ring 1 can't be mapped; it is not read";
    let said = |text: &str| job.mock.log().iter().filter(|line| line.ends_with(text)).count();
    assert!(said(given_up) == 1 && passes > 10, "{passes}: {:?}", job.mock.log());
    // It is not read any more, and others are.
    UNMAPPABLE.take();
    (0..10).for_each(|_| again());
    job.send(&other);
    job.until("a message", || job.received.get() == 1);
    (0..10).for_each(|_| again());
    assert_eq!((job.received.get(), said(given_up)), (1, 1));
}

/// Arms all CRIs, as a thread does before it sleeps.
fn sleep(device: &SmDevice) -> Option<Vec<BtlWake>> {
    device.hold_each().map(|cri| SharedMemory::arm(device, &cri).unwrap()).collect()
}

#[test]
fn a_sleep_of_many_cris_makes_one_barrier_and_has_one_word() {
    let mock = MockHost::leak("btl_sm");
    mock.set("num_cris", "200");
    let transport: SharedMemory = mock.open().unwrap();
    let state = &*transport.device;
    let barriers = wake::BARRIERS.get();
    let wakes = sleep(state).expect("nothing has come");
    assert_eq!(wake::BARRIERS.get() - barriers, u32::from(state.barriers));
    assert_eq!(wakes.len(), 200);
    assert!(wakes.iter().all(|wake| wake.word == wakes[0].word && wake.fd < 0));
    // SAFETY: in the segment.
    let word = unsafe { &*wakes[0].word };
    assert_eq!(word.load(Ordering::Relaxed), wakes[0].expected);
    // A message to the last CRI: the others are armed in vain.
    let news = state.geometry.news(&state.segment, 199);
    news.newest.push(0, &state.geometry.entry(&state.segment, 0).next);
    assert!(sleep(state).is_none());
    // Its sender wakes the threads that slept on what the word was.
    wake::wake(word);
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
    assert!(news.newest.take().is_some() && sleep(state).is_some());
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
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
    job.send(&other);
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
    job.send(&sender);
    job.until("a message", || job.received.get() == 1);
}

/// What the device says of itself with these parameters: its frame, its limits of eager and immediate
/// messages, and its preferences.
fn view_with(params: &[(&str, &str)]) -> ([usize; 3], [u32; 3]) {
    let mock = MockHost::leak("btl_sm");
    params.iter().for_each(|(name, value)| mock.set(name, value));
    let transport: SharedMemory = mock.open().unwrap();
    let view = transport.device.view();
    let limits = [view.packed_limit, view.eager_limit as u32, view.immediate_limit];
    (limits.map(|limit| limit as usize), [view.exclusivity, view.latency, view.bandwidth])
}

#[test]
fn limits_follow_from_the_parameters_and_the_ring() {
    let limits = |params: &[(&str, &str)]| view_with(params).0;
    let frame = |bytes: usize| bytes + BTL_HEADER_ROOM;
    assert_eq!(limits(&[]), [frame(256 << 10), 16 << 10, frame(256 << 10)]);
    // A ring takes messages of a quarter of its length.
    let short = |size| limits(&[("ring_size", size), ("ring_memory", "0")]);
    assert_eq!(short("128k"), [32 << 10, 16 << 10, 32 << 10]);
    assert_eq!(short("16k"), [4096, 4096 - BTL_HEADER_ROOM, 4096]);
    // A larger eager message makes a larger frame; nothing is cut.
    let large = [("ring_size", "4m"), ("eager_limit", "512k"), ("immediate_limit", "64k")];
    assert_eq!(limits(&large), [frame(512 << 10), 512 << 10, 64 << 10]);
    assert_eq!(limits(&[("ring_size", "8m"), ("fragment_size", "1m")])[0], frame(1 << 20));
    let preferences = [("exclusivity", "7"), ("latency", "300"), ("bandwidth", "2000")];
    assert_eq!(view_with(&preferences).1, [7, 300, 2000]);
}

/// Sends as long as there is room, and says how many that were.
fn fill(ring: &mut Outbound, len: usize) -> usize {
    let mut sent = 0;
    while ring.room(len, 0).is_some() {
        ring.answers_now(0);
        ring.send_room(KIND_MESSAGE, TAG, len);
        sent += 1;
    }
    sent
}

/// Where processes take turns on a core: what the parameters make of it, and what a ring to another does with it.
#[test]
fn in_turns_messages_of_half_a_ring_go_unasked_and_longer_ones_to_few() {
    let open = |cores, memory: &str| -> &'static SharedMemory {
        let mock = MockHost::leak_on("btl_sm", 4, cores);
        mock.set("num_cris", "1");
        mock.set("ring_memory", memory);
        Box::leak(Box::new(mock.open().unwrap()))
    };
    let (alone, crowded) = (open(4, "8m"), open(2, "8m"));
    for transport in [alone, crowded] {
        assert_eq!(transport.device.geometry.ring_size, 2 << 20);
    }
    let limits = |transport: &SharedMemory| {
        let view = transport.device.view();
        (view.push_limit, view.push_limit_recent)
    };
    assert_eq!(limits(alone), (4 << 20, 4 << 20));
    assert_eq!(limits(crowded), (1 << 20, 4 << 20));
    // Where rings are short, longer ones have no room but in many turns.
    assert_eq!(limits(open(2, "1600k")), (256 << 10, 4 << 20));
    assert_eq!(limits(open(2, "1500k")), (128 << 10, 128 << 10));
    assert_eq!(limits(open(4, "0")), (4 << 20, 4 << 20));
    let grows = |transport: &SharedMemory| transport.device.grows(RECEIVE_GROWING, 100_000);
    assert!(grows(alone) && !grows(crowded));

    for (rank, in_turns, short) in [(1, false, 32767), (2, true, 2047)] {
        let sender = sender_to(&crowded.device, rank, in_turns);
        let cri = crowded.device.hold(0);
        // SAFETY: one thread.
        let ring = unsafe { sender.outbound(&crowded.device, &cri, 8) };
        let Some(RingGuard::Own(ring)) = ring else { panic!("a ring of its own") };
        assert_eq!(fill(ring, 8), short);
    }
}

/// Sends a message without a header by one of our CRIs.
fn send_bytes(device: &SmDevice, number: usize, endpoint: &Peer, data: &[u8]) -> Attempted {
    let (header, payload) = (data.as_ptr().cast(), data.as_ptr().cast());
    let payload_len = data.len() as u32;
    let message = BtlMessage { header, payload, header_len: 0, payload_len, tag: TAG };
    let cri = &*device.hold(number);
    // SAFETY: the data is as long.
    unsafe { SharedMemory::send_immediate(Way { device, cri, endpoint }, &message) }
}

#[test]
fn a_ring_gets_the_memory_that_is_used() {
    let job = Job::crowded();
    let sender = job.sender(1);
    // SAFETY: one thread, and this is the only ring that it uses.
    let mut ring = unsafe { sender.outbound(job.state(), &job.cri(), 8) }.expect("a ring");
    assert_eq!(job.state().geometry.ring_size, 2 << 20);
    assert_eq!(ring.memory(), 128 << 10);
    for len in [8, 1000] {
        for _ in 0..100 {
            fill(&mut ring, len);
            job.pass();
        }
    }
    assert_eq!(ring.memory(), 128 << 10);
    while job.pass() {}
    // A longer message takes as much as it needs to find room for ever, and more of them the whole ring.
    ring.room(200_000, 0).expect("room");
    ring.send_room(KIND_MESSAGE, TAG, 200_000);
    assert_eq!(ring.memory(), 512 << 10);
    assert!(fill(&mut ring, 200_000) > 7);
    assert_eq!(ring.memory(), 2 << 20);
    drop(ring);
    // So do messages that are not short ones, when they find no room.
    let sender = job.sender(2);
    // SAFETY: one thread, and this is the only ring that it uses now.
    let mut ring = unsafe { sender.outbound(job.state(), &job.cri(), 8) }.expect("a ring");
    ring.room(4000, 0).expect("room");
    assert_eq!(ring.memory(), 128 << 10);
    fill(&mut ring, 4000);
    assert!(ring.memory() > 128 << 10);
}

#[test]
fn where_memory_is_short_messages_that_have_room_go_on_and_longer_ones_are_errors() {
    let job = Job::crowded();
    let endpoint = &job.sender(1);
    let data = vec![7u8; 70_000];
    let send = |len: usize| send_bytes(job.state(), 0, endpoint, &data[..len]);
    NO_MEMORY.set(true);
    for round in 0..3 {
        // Half of what there is always finds room.
        for len in [8, 5000, 65_000] {
            for _ in 0..50 {
                assert!(matches!(send(len), Ok(Outcome::Done)), "{len} bytes, round {round}");
                job.pass();
            }
        }
        let refused = send(70_000).expect_err("no memory");
        assert_eq!(refused.status, ERR_RESOURCES);
        for part in ["70000 bytes", "4096", "btl_sm_ring_memory"] {
            assert!(refused.text.contains(part), "{refused}");
        }
        // A full ring is only full.
        while matches!(send(5000), Ok(Outcome::Done)) {}
        assert!(matches!(send(5000), Ok(Outcome::NoResources)));
        while job.pass() {}
    }
    let before = job.received.get();
    NO_MEMORY.set(false);
    assert!(matches!(send(70_000), Ok(Outcome::Done)));
    job.pass();
    assert_eq!(job.received.get(), before + 1);
}

#[test]
fn where_memory_is_short_no_other_instance_takes_a_ring_for_what_does_not_fit() {
    let mock = MockHost::leak_on("btl_sm", 4, 2);
    mock.set("num_cris", "2");
    let transport: SharedMemory = mock.open().unwrap();
    let device = &*transport.device;
    let endpoint = &sender_to(device, 1, true);
    let data = vec![7u8; 100_000];
    let send = |number| send_bytes(device, number, endpoint, &data);
    NO_MEMORY.set(true);
    // At the beginning of a ring it fits.
    assert!(matches!(send(0), Ok(Outcome::Done)));
    for number in [0, 1, 0] {
        let refused = send(number).expect_err("no memory");
        assert_eq!(refused.status, ERR_RESOURCES);
        assert!(refused.text.contains("and one of 65464 has"), "{refused}");
    }
    assert!(!endpoint.describe().contains("share"));
    assert_eq!(SharedMemory::message_limit(device, endpoint), 65464);
}

/// Messages of any length that answer each other go to the same place in turns.
#[test]
fn in_turns_answers_stay_where_the_ring_begins() {
    let job = Job::new();
    let sender = sender_to(job.state(), 1, true);
    let mut places = Vec::new();
    for number in 1..20 {
        let cri = job.cri();
        // SAFETY: one thread; there is room for so many bytes.
        unsafe {
            let mut ring = sender.outbound(job.state(), &cri, 16 << 10).expect("room");
            let room = ring.room(16 << 10, number).expect("room");
            ring.answers_now(number);
            places.push(room.place);
            room.place.write_bytes(0, 16 << 10);
            ring.send_room(KIND_MESSAGE, TAG, 16 << 10);
        }
        drop(cri);
        assert!(job.pass());
    }
    assert!(places[1..].iter().all(|place| *place == places[0]), "{places:?}");
}

#[test]
fn rings_share_the_memory() {
    let size = |processes: u32, params: &[(&str, &str)]| {
        let mock = MockHost::leak_among("btl_sm", processes);
        params.iter().for_each(|(name, value)| mock.set(name, value));
        let transport: SharedMemory = mock.open().unwrap();
        transport.device.geometry.ring_size >> 10
    };
    assert_eq!(size(2, &[("num_cris", "1")]), 2048);
    assert_eq!(size(2, &[("num_cris", "8")]), 1024);
    assert_eq!(size(9, &[("num_cris", "1")]), 1024);
    assert_eq!(size(200, &[("num_cris", "1")]), 128);
    assert_eq!(size(2, &[("ring_memory", "0")]), 128);
}

/// A tool may change a parameter after the ranges of others were derived from it.
#[test]
fn a_limit_that_does_not_fit_the_ring_any_more_is_an_error() {
    let mock = MockHost::leak("btl_sm");
    mock.set("ring_size", "16k");
    mock.set("eager_limit", "4000");
    let refused = mock.open::<SharedMemory>().err().expect("an error").text;
    for part in ["eager_limit", "4000", "at most 3840"] {
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn messages_up_to_the_limits_are_sent_and_longer_ones_are_errors() {
    let mock = MockHost::leak("btl_sm");
    for (name, value) in [
        ("ring_size", "1m"),
        ("ring_memory", "0"),
        ("fragment_size", "256k"),
        ("immediate_limit", "5k"),
    ] {
        mock.set(name, value);
    }
    let received = Box::new(Cell::new(0));
    let context = (&raw const *received).cast_mut().cast();
    // SAFETY: the counter lives as long as the transport.
    unsafe { mock.handle().receive_register(TAG, count, context).unwrap() };
    let job = Job { mock, transport: mock.open().unwrap(), received };
    let sender = job.sender(0);
    let data = vec![7u8; (256 << 10) + 1];
    let status = |sent: Result<Outcome, Failure>| sent.map_err(|failure| failure.status);
    unsafe extern "C" fn pack(from: *mut c_void, to: *mut c_void, len: usize) -> usize {
        // SAFETY: both have so many bytes.
        unsafe { from.cast::<u8>().copy_to_nonoverlapping(to.cast(), len) };
        len
    }
    let endpoint = &sender;
    let (header, payload) = (data.as_ptr().cast::<c_void>(), data.as_ptr().cast::<c_void>());
    let immediate = |len: usize| {
        let (header_len, payload_len) = (24, (len - 24) as u32);
        let message = BtlMessage { header, payload, header_len, payload_len, tag: TAG };
        let (device, cri) = (job.state(), &*job.cri());
        // SAFETY: the data is longer.
        status(unsafe { SharedMemory::send_immediate(Way { device, cri, endpoint }, &message) })
    };
    let packed = |len: usize| {
        let message = BtlPacked {
            header,
            header_len: 24,
            payload_len: (len - 24) as u32,
            pack: Some(pack),
            context: payload.cast_mut(),
            tag: TAG,
        };
        let (device, cri) = (job.state(), &*job.cri());
        // SAFETY: as above.
        status(unsafe { SharedMemory::send_packed(Way { device, cri, endpoint }, &message) })
    };
    for round in 1..100 {
        assert_eq!(immediate(5 << 10), Ok(Outcome::Done));
        // A quarter of the ring finds room wherever the ring begins anew.
        assert_eq!(packed(256 << 10), Ok(Outcome::Done));
        job.pass();
        assert_eq!(job.received.get(), 2 * round);
    }
    assert_eq!(immediate((5 << 10) + 1), Err(ERR_ARGUMENT));
    assert_eq!(packed((256 << 10) + 1), Err(ERR_ARGUMENT));
}

#[test]
fn a_peer_with_rings_too_small_for_our_messages_is_refused() {
    let job = Job::new();
    let peer = with_short_rings(1);
    assert_eq!(peer.message_limit(), 4096);
    assert_eq!(SharedMemory::message_limit(job.state(), &peer), 4096);
    let eager = job.state().view().eager_limit as usize + BTL_HEADER_ROOM;
    let refused = peer.takes(eager).unwrap_err();
    assert!(refused.text.contains("btl_sm_ring_size differs"), "{refused}");
    assert!(job.sender(1).takes(eager).is_ok());
}

/// What the receiver of messages that grow has found.
struct Found {
    mock: &'static MockHost,
    /// How much was there each time that it asked, of the last message.
    asked: RefCell<Vec<usize>>,
    /// Messages that were whole, and right.
    whole: Cell<u32>,
    /// Every other message is not looked at.
    skips: Cell<bool>,
}

/// Bytes of the message of this number.
fn contents(number: u32, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32 / 7 + number) as u8).collect()
}

unsafe extern "C" fn follow(found: *mut c_void, received: *const Received) {
    // SAFETY: registered with it; the message is the transport's.
    let (found, received) = unsafe { (&*found.cast::<Found>(), &*received) };
    let number = found.whole.get();
    if !(found.skips.get() && number.is_multiple_of(2)) {
        found.asked.take();
        let (mut bytes, mut have) = (Vec::new(), 0);
        loop {
            // SAFETY: the device is there; inside the call of the receiver.
            let there = unsafe {
                let cri = &*received.cri.cast::<OwnCri<SmCri>>();
                let device = &*(*received.module).state.cast::<SmDevice>();
                match received.flags & RECEIVED_GROWING {
                    0 => received.len,
                    _ => SharedMemory::wait_for_more(device, cri, received, have),
                }
            };
            found.asked.borrow_mut().push(there);
            if there == have {
                return;
            }
            let new = received.data.cast::<u8>().wrapping_add(have);
            // SAFETY: so many bytes are there.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(new, there - have) });
            have = there;
            if have == received.len {
                break;
            }
        }
        assert!(bytes == contents(number, received.len), "message {number} differs");
    }
    found.whole.set(number + 1);
}

/// A job whose messages that grow are received by `follow`.
fn growing(skips: bool) -> (Job, Box<Found>) {
    let (asked, whole, skips) = (RefCell::default(), Cell::new(0), Cell::new(skips));
    let job = Job::new();
    let found = Box::new(Found { mock: job.mock, asked, whole, skips });
    let context = (&raw const *found).cast_mut().cast();
    // SAFETY: it lives as long as the transport.
    unsafe { found.mock.handle().receive_register(RECEIVE_GROWING, follow, context).unwrap() };
    (job, found)
}

/// A receiver that follows the sender gets the messages as they were sent, and so does one that leaves every other
/// message to the transport, which waits for its end.
#[test]
fn messages_are_received_while_they_are_written() {
    const MESSAGES: u32 = 3000;
    let end = Instant::now() + Duration::from_secs(60);
    for skips in [false, true] {
        let (job, found) = growing(skips);
        let sender = job.sender(2);
        let state = job.state();
        std::thread::scope(|scope| {
            let cri = job.cri();
            // SAFETY: one thread at a time has the CRI's ring: the other one, from here on.
            let ring = unsafe { sender.outbound(job.state(), &cri, 8) };
            drop(cri);
            let Some(RingGuard::Own(ring)) = ring else { panic!("a ring of its own") };
            scope.spawn(move || {
                for number in 0..MESSAGES {
                    // From one piece and a bit to as many as find room.
                    let len = 8192 + (number as usize * 811) % 24_000;
                    let bytes = contents(number, len);
                    let (header, payload) = bytes.split_at(24);
                    let message = BtlMessage {
                        header: header.as_ptr().cast(),
                        payload: payload.as_ptr().cast(),
                        header_len: header.len() as u32,
                        payload_len: payload.len() as u32,
                        tag: RECEIVE_GROWING,
                    };
                    assert!(state.grows(message.tag, len));
                    let room = loop {
                        match ring.room(len, 0) {
                            Some(room) => break room,
                            None => assert!(Instant::now() < end, "no room"),
                        }
                    };
                    // SAFETY: it is as long as the room.
                    unsafe { ring.send_growing(room, &message) };
                }
            });
            while found.whole.get() < MESSAGES {
                assert!(Instant::now() < end, "{} came", found.whole.get());
                job.pass();
            }
        });
    }
}

/// A sender that ends in the midst of a message keeps nobody waiting, and what it began is no message.
#[test]
fn a_message_whose_sender_has_ended_is_not_waited_for() {
    for skips in [false, true] {
        let (job, found) = growing(skips);
        let sender = job.sender(2);
        let other = job.sender(3);
        // SAFETY: one thread.
        unsafe {
            let mut ring = sender.outbound(job.state(), &job.cri(), 8).expect("room");
            // With two further steps of its eight.
            ring.begin_growing(RECEIVE_GROWING, 30_000, 1, 2);
        }
        ENDED.with_borrow_mut(|ranks| ranks.push(2));
        assert!(job.pass());
        let there = ring::grown(3);
        match skips {
            true => assert_eq!(found.whole.get(), 1, "it was not looked at"),
            false => assert_eq!((found.asked.take(), found.whole.get()), (vec![there, there], 0)),
        }
        assert!(!job.pass(), "it was given back");
        job.send(&other);
        assert!(job.pass() && job.received.get() == 1);
        ENDED.with_borrow_mut(Vec::clear);
    }
}

/// A message that grows is one for a receiver that is ready for it.
#[test]
fn messages_for_other_receivers_do_not_grow() {
    let job = Job::new();
    let sender = job.sender(2);
    // SAFETY: one thread.
    unsafe {
        let mut ring = sender.outbound(job.state(), &job.cri(), 8).expect("room");
        let grows = |tag, len| job.state().grows(tag, len);
        assert!(!grows(RECEIVE_GROWING - 1, 10_000) && !grows(RECEIVE_GROWING, 8191));
        assert!(grows(RECEIVE_GROWING, 8192));
        ring.begin_growing(RECEIVE_GROWING - 1, 20_000, 2, 0);
    }
    job.pass();
    assert!(job.mock.log().iter().any(|said| said.contains("rank 2 broke the protocol")));
}
