//! Random programs over transports of random behaviour, against what MPI promises.
//!
//! One thread plays all processes, so that a seed makes the same run again. Each message says which
//! it is. At the end every message was received once, by a receive that matches it, whole or cut
//! off; of two messages of one sender that match a receive, the earlier got the earlier receive,
//! unless the communicator asserts that this does not matter.

mod pair;

use cairn_framework::abi::comm::COMM_ALLOW_OVERTAKING;
use cairn_framework::abi::status::{ERR_TRUNCATED, OK};
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_HEADER_ROOM, BTL_NEEDS_REGISTRATION, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED,
};
use cairn_framework::frameworks::pml::{PML_ANY_SOURCE, PML_ANY_TAG, PML_READY, PML_SYNCHRONOUS};
use proptest::prelude::*;

use pair::btl::Behaviour;
use pair::{Buffer, Chance, Handle, Job, Pending, bytes, holes};

const RANKS: u64 = 3;
const COMMS: u64 = 2;

struct Sent {
    from: u32,
    to: u32,
    comm: usize,
    tag: i32,
    bytes: u64,
    request: Option<Pending>,
    _data: Buffer,
    /// The place in time of the receive that got it.
    received: Option<usize>,
}

struct Posted {
    at: u32,
    comm: usize,
    source: i32,
    tag: i32,
    request: Option<Pending>,
    into: Buffer,
    /// Of all receives, the order of their posting.
    when: usize,
    got: Option<usize>,
}

struct Play {
    job: Job,
    comms: Vec<Vec<Handle>>,
    /// Messages may overtake each other.
    overtaking: bool,
    chance: Chance,
    sent: Vec<Sent>,
    posted: Vec<Posted>,
}

/// What is before the data in the longest message.
const ROOM: u32 = BTL_HEADER_ROOM as u32;

fn behaviour(chance: &Chance, threaded: bool) -> Behaviour {
    let mut capabilities = match chance.below(4) {
        0 => BTL_SEND_IMMEDIATE,
        1 => BTL_SEND_PACKED,
        _ => BTL_SEND_IMMEDIATE | BTL_SEND_PACKED,
    };
    for bit in [BTL_GET, BTL_PUT, BTL_NEEDS_REGISTRATION] {
        capabilities |= if chance.below(2) == 0 { bit } else { 0 };
    }
    // Two are those of messages whose header is the first one that is padded, and the last one that is not.
    let limits = [64, 256, 300, 5000, 8216, 8248, 70_000];
    let limit = |chance: &Chance| limits[chance.below(limits.len() as u64) as usize];
    let (immediate_limit, mut packed_limit) = (limit(chance), limit(chance));
    let used = |bit, limit: u32| if capabilities & bit != 0 { limit } else { 0 };
    if used(BTL_SEND_IMMEDIATE, immediate_limit).max(used(BTL_SEND_PACKED, packed_limit)) < ROOM {
        // A header has to fit into one of the two.
        capabilities |= BTL_SEND_PACKED;
        packed_limit = ROOM;
    }
    let used = |bit, limit: u32| if capabilities & bit != 0 { limit } else { 0 };
    let longest =
        used(BTL_SEND_IMMEDIATE, immediate_limit).max(used(BTL_SEND_PACKED, packed_limit));
    let devices = if chance.below(3) == 0 { vec![100, 1000] } else { vec![1000] };
    let cris = 1 + chance.below(2) as u32;
    let alone = devices.len() == 1 && (cris == 1 || !threaded);
    Behaviour {
        seed: chance.below(1 << 40),
        reorders: chance.below(3) == 0,
        refuses: [0, 0, 30, 70][chance.below(4) as usize],
        room: [2, 10, 1 << 20][chance.below(3) as usize],
        capabilities,
        immediate_limit,
        packed_limit,
        eager_limit: [0, 40, 1000, 4096, 1 << 20][chance.below(5) as usize]
            .min(u64::from(longest - ROOM)),
        push_limit: [0, 0, 20_000, 1 << 20][chance.below(4) as usize],
        push_limit_recent: [0, 40_000, 1 << 20][chance.below(3) as usize],
        rdma_limit: [16, 1000, 1 << 20][chance.below(3) as usize],
        get_alignment: [1, 1, 4][chance.below(3) as usize],
        late: [0, 50, 100][chance.below(3) as usize],
        // Only where there is another way.
        fails: if alone { 0 } else { [0, 20][chance.below(2) as usize] },
        rdma_fails: [0, 0, 20][chance.below(3) as usize],
        devices,
        cris,
    }
}

impl Play {
    fn new(seed: u64, threaded: bool) -> Self {
        let chance = Chance::new(seed);
        let behaviour = behaviour(&chance, threaded);
        let choices = Chance::new(!seed);
        let engine = ["list", "bins", "vector", "sharded"][choices.below(4) as usize];
        let overtaking = choices.below(4) == 0;
        let kept = ["0", "20k", "4m"][choices.below(3) as usize];
        let mca =
            [("pml_ob1_fragment_size", "3000"), ("match", engine), ("pml_ob1_push_kept", kept)];
        let flags = if overtaking { COMM_ALLOW_OVERTAKING } else { 0 };
        let job = Job::new(RANKS as u32, threaded, &mca, behaviour);
        let comms = (0..COMMS).map(|context| job.comm_with(context * 5000, true, flags)).collect();
        Self { job, comms, overtaking, chance, sent: Vec::new(), posted: Vec::new() }
    }

    fn size(&self) -> u64 {
        let limit = [60, 60, 500, 5000, 5000, 50_000, 200_000, 0][self.chance.below(8) as usize];
        match limit {
            // About where headers begin to be padded.
            0 => 8192 - 40 + self.chance.below(80),
            limit => 4 + self.chance.below(limit),
        }
    }

    fn buffer(&self, size: u64, filled: Option<u64>) -> Buffer {
        let datatype = if self.chance.below(4) == 0 { holes() } else { bytes() };
        let count = size.div_ceil(datatype.size);
        match filled {
            Some(seed) => Buffer::filled(datatype, count, seed),
            None => Buffer::new(datatype, count),
        }
    }

    fn data_of(buffer: &Buffer, comm: Handle) -> u64 {
        let view = buffer.receive(comm, 0, 0);
        // SAFETY: a static type.
        view.count * unsafe { (*view.datatype).size }
    }

    fn send(&mut self) {
        let (from, to) = (self.chance.below(RANKS) as u32, self.chance.below(RANKS) as u32);
        let (comm, tag) = (self.chance.below(COMMS) as usize, self.chance.below(3) as i32);
        let data = self.buffer(self.size(), Some(self.sent.len() as u64));
        let mode = [0, 0, PML_SYNCHRONOUS, PML_READY][self.chance.below(4) as usize];
        let handle = self.comms[comm][from as usize];
        let mut request =
            Some(self.job.ranks[from as usize].isend(&data.send(handle, to, tag, mode)));
        if self.chance.below(10) == 0 {
            request.take().unwrap().free();
        }
        let bytes = Self::data_of(&data, handle);
        self.sent.push(Sent { from, to, comm, tag, bytes, request, _data: data, received: None });
    }

    fn receive(&mut self, probe: bool, everything: bool) -> bool {
        let at = self.chance.below(RANKS) as u32;
        let comm = self.chance.below(COMMS) as usize;
        let source = match self.chance.below(3) {
            0 => PML_ANY_SOURCE,
            _ if everything => PML_ANY_SOURCE,
            _ => self.chance.below(RANKS) as i32,
        };
        let tag = match self.chance.below(3) {
            0 => PML_ANY_TAG,
            _ if everything => PML_ANY_TAG,
            _ => self.chance.below(3) as i32,
        };
        let into = self.buffer(self.size(), None);
        let receive = into.receive(self.comms[comm][at as usize], source, tag);
        let rank = &self.job.ranks[at as usize];
        let request = if probe {
            let Some((found, message)) = rank.mprobe(&receive, false) else { return false };
            assert!(source == PML_ANY_SOURCE || source == found.source);
            assert!(tag == PML_ANY_TAG || tag == found.tag);
            let request = rank.mrecv(message, &receive);
            assert!(!request.cancel(), "it was matched");
            request
        } else {
            rank.irecv(&receive)
        };
        let (request, when) = (Some(request), self.posted.len());
        let posted = Posted { at, comm, source, tag, request, into, when, got: None };
        self.posted.push(posted);
        true
    }

    fn cancel(&mut self) {
        if self.posted.is_empty() {
            return;
        }
        let which = self.chance.below(self.posted.len() as u64) as usize;
        if let Some(request) = self.posted[which].request {
            request.cancel();
        }
    }

    /// Looks at what is complete.
    fn reap(&mut self) {
        for sent in &mut self.sent {
            if let Some(request) = sent.request.take_if(|request| request.is_complete()) {
                assert_eq!(request.end().error, OK);
            }
        }
        for posted in &mut self.posted {
            let Some(request) = posted.request.take_if(|request| request.is_complete()) else {
                continue;
            };
            let status = request.end();
            if status.cancelled != 0 {
                posted.into.check(0, 0);
                continue;
            }
            let which = posted.into.seed() as usize;
            let sent = &mut self.sent[which];
            assert!(sent.received.is_none(), "message {which} was received twice");
            assert_eq!((sent.to, sent.comm), (posted.at, posted.comm));
            assert_eq!((sent.from as i32, sent.tag), (status.source, status.tag));
            assert!([PML_ANY_SOURCE, status.source].contains(&posted.source));
            assert!([PML_ANY_TAG, status.tag].contains(&posted.tag));
            let room = Self::data_of(&posted.into, self.comms[posted.comm][0]);
            assert_eq!(status.bytes, room.min(sent.bytes));
            assert_eq!(status.error, if room < sent.bytes { ERR_TRUNCATED } else { OK });
            posted.into.check(which as u64, status.bytes);
            sent.received = Some(posted.when);
            posted.got = Some(which);
        }
    }

    fn act(&mut self) {
        match self.chance.below(100) {
            0..30 => self.send(),
            30..55 => drop(self.receive(false, false)),
            55..62 => drop(self.receive(true, false)),
            62..66 => self.cancel(),
            66..70 => self.reap(),
            _ => {
                let rank = self.chance.below(RANKS) as usize;
                self.job.ranks[rank].system.progress();
            }
        }
    }

    /// Receives what is left and checks the whole.
    fn end(mut self) {
        let start = std::time::Instant::now();
        loop {
            self.receive(true, true);
            (0..RANKS as usize).for_each(|rank| _ = self.job.ranks[rank].system.progress());
            self.reap();
            let over = |sent: &Sent| sent.received.is_some() && sent.request.is_none();
            // A send whose request was freed is over when its memory is free again: before that its
            // communicator may not be closed.
            if self.sent.iter().all(over) && self.job.fabric.registered() == 0 {
                break;
            }
            assert!(
                start.elapsed() < pair::DEADLINE,
                "{}",
                self.job.ranks[0].describe(self.comms[0][0])
            );
        }
        let posted: Vec<Pending> = self.posted.iter().filter_map(|posted| posted.request).collect();
        for request in posted {
            assert!(request.cancel());
        }
        self.reap();
        if self.overtaking {
            assert_eq!(self.job.count("out_of_sequence"), 0);
        } else {
            self.check_order();
        }
        assert_eq!(self.job.count("violations"), 0);
        self.job.end(self.comms);
    }

    /// Messages of one sender did not overtake each other.
    fn check_order(&self) {
        for later in &self.posted {
            let Some(second) = later.got else { continue };
            let (source, tag) = (self.sent[second].from, later.tag);
            for (first, sent) in self.sent[..second].iter().enumerate() {
                let same = (sent.from, sent.to, sent.comm) == (source, later.at, later.comm);
                if !same || (tag != PML_ANY_TAG && tag != sent.tag) {
                    continue;
                }
                // The receive could have had the first message, which went to this one.
                let winner = &self.posted[sent.received.unwrap()];
                assert!(winner.when < later.when, "message {second} overtook {first}");
            }
        }
    }
}

fn play(seed: u64, threaded: bool) {
    let mut play = Play::new(seed, threaded);
    for _ in 0..150 {
        play.act();
    }
    play.end();
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::with_cases(30)
    })]
    #[test]
    fn programs_of_one_thread_get_what_mpi_promises(seed in any::<u64>()) {
        play(seed, false);
    }

    #[test]
    fn the_same_with_locks(seed in any::<u64>()) {
        play(seed, true);
    }
}

/// A program whose last send was freed while its receiver still read the data.
#[test]
fn a_freed_send_ends_on_its_own() {
    play(6781806136695370631, false);
}

/// A program at whose end a process still has to tell another one, whose inbox is full, that it may push again.
#[test]
fn what_is_told_last_finds_room() {
    play(13072005932396430164, false);
}
