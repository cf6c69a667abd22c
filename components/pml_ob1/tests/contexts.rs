//! Communicators that processes open and free without waiting for each other.

mod pair;

use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::pml::{PML_ANY_SOURCE, PML_ANY_TAG, PML_STANDARD};
use proptest::prelude::*;

use pair::btl::Behaviour;
use pair::{Buffer, Handle, Job, bytes};

/// Sends a message of eight bytes with this content from rank 0 to rank 1.
fn send(job: &Job, comm: &[Handle], content: u64) {
    let out = Buffer::filled(bytes(), 8, content);
    assert_eq!(job.ranks[0].send(&out.send(comm[0], 1, 0, PML_STANDARD)), OK);
}

/// Receives such a message.
fn receive(job: &Job, comm: &[Handle], content: u64) {
    let into = Buffer::new(bytes(), 8);
    let receive = into.receive(comm[1], PML_ANY_SOURCE, PML_ANY_TAG);
    let received = job.ranks[1].irecv(&receive);
    job.until("a message", || received.is_complete());
    assert_eq!(received.end().error, OK);
    into.check(content, 8);
}

#[test]
fn what_arrives_after_the_end_is_dropped_and_counted() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour::default());
        let (world, comm) = (job.comm(0, true), job.comm(1, true));
        send(&job, &comm, 10);
        send(&job, &comm, 11);
        receive(&job, &comm, 10);
        // One is in the queue of its communicator, one has not arrived; large ones are announced.
        job.until("the second", || job.count("unexpected") + job.count("matched") == 2);
        let large = Buffer::filled(bytes(), 50_000, 1);
        let announced = job.ranks[0].isend(&large.send(comm[0], 1, 0, PML_STANDARD));
        send(&job, &comm, 12);
        let held = job.fabric.hold(1);
        job.ranks[1].close(comm[1]);
        assert_eq!(job.count("dropped"), 1);
        job.fabric.let_go(1, held);
        job.until("the others", || job.count("dropped") == 3);
        // The next one has the same view, and what else there is goes on.
        job.ranks[0].close(comm[0]);
        for rank in &job.ranks {
            rank.renew(comm[rank.number as usize], 2);
            rank.open(comm[rank.number as usize]);
        }
        send(&job, &comm, 20);
        send(&job, &world, 30);
        receive(&job, &world, 30);
        receive(&job, &comm, 20);
        assert_eq!((job.count("early"), job.count("violations")), (0, 0));
        // Its receiver has freed the communicator, so it has no end but that of the job.
        assert!(!announced.is_complete());
        job.end(vec![comm, world]);
    }
}

/// A process is a member of some communicators of a maker only, and its agreements on several of them
/// may end in any order: what it has not freed it may still open.
#[test]
fn communicators_are_opened_in_any_order() {
    for threaded in [false, true] {
        let job = Job::new(2, threaded, &[], Behaviour::default());
        let comms: Vec<_> = (0..4).map(|serial| job.comm(serial, false)).collect();
        for (content, comm) in comms.iter().enumerate() {
            job.ranks[0].open(comm[0]);
            send(&job, comm, content as u64);
        }
        job.until("all", || job.count("early") == 4);
        for serial in [3, 1, 0] {
            job.ranks[1].open(comms[serial][1]);
            receive(&job, &comms[serial], serial as u64);
            job.ranks[1].close(comms[serial][1]);
        }
        send(&job, &comms[2], 22);
        job.until("one more", || job.count("early") == 5);
        job.ranks[1].open(comms[2][1]);
        receive(&job, &comms[2], 2);
        receive(&job, &comms[2], 22);
        job.ranks[1].close(comms[2][1]);
        assert_eq!(job.count("dropped"), 0);
        comms.iter().for_each(|comm| job.ranks[0].close(comm[0]));
        job.end(vec![]);
    }
}

/// A message is late while its communicator ends and others come and go: by one more than fit into any
/// part of the number, and by very many.
#[test]
fn a_late_message_is_not_one_of_a_later_communicator() {
    for later in [1, 1 << 8, 1 << 10, 1 << 16, 1 << 22, 1 << 32, 1 << 48, u64::MAX - 5] {
        let job = Job::new(2, true, &[], Behaviour::default());
        let comm = job.comm(5, true);
        send(&job, &comm, 1);
        let held = job.fabric.hold(1);
        for (rank, comm) in job.ranks.iter().zip(&comm) {
            rank.close(*comm);
            rank.renew(*comm, later.wrapping_add(5));
            rank.open(*comm);
        }
        job.fabric.let_go(1, held);
        job.until("it", || job.count("dropped") == 1);
        send(&job, &comm, 2);
        receive(&job, &comm, 2);
        job.end(vec![comm]);
    }
}

/// What happens to one of several communicators.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// A rank opens it, or frees it and the next one takes its place.
    Next(usize),
    /// A message is sent on it.
    Send,
    /// What is on its way is held back, or comes back.
    Hold,
    /// A message is received, if there is one.
    Receive,
}

fn acts() -> impl Strategy<Value = Vec<(usize, Act)>> {
    let act = prop_oneof![
        3 => (0..2_usize).prop_map(Act::Next),
        3 => Just(Act::Send),
        1 => Just(Act::Hold),
        3 => Just(Act::Receive),
    ];
    prop::collection::vec((0..3_usize, act), 1..120)
}

/// A job whose communicators are followed by others, in three places. Tags say which one it is, and the
/// content counts messages.
struct Places {
    job: Job,
    /// The number of the first one.
    first: u64,
    comms: Vec<Vec<Handle>>,
    /// By place and rank: which of its communicators it is, and whether that is open.
    at: [[(u64, bool); 2]; 3],
    /// By place: the content that was received last.
    last: [u64; 3],
    sent: u64,
    received: u64,
}

impl Places {
    fn tag(&self, place: usize, rank: usize) -> i32 {
        (self.context(place, rank) & 0xff_ffff) as i32
    }

    fn context(&self, place: usize, rank: usize) -> u64 {
        self.first + 3 * self.at[place][rank].0 + place as u64
    }

    /// Opens a communicator, or frees it, after which the next one is in its place.
    fn next(&mut self, place: usize, rank: usize) {
        let (handle, context) = (self.comms[place][rank], self.context(place, rank));
        let (number, open) = &mut self.at[place][rank];
        if *open {
            self.job.ranks[rank].close(handle);
            *number += 1;
        } else {
            self.job.ranks[rank].renew(handle, context);
            self.job.ranks[rank].open(handle);
        }
        *open = !*open;
        if rank == 1 {
            self.last[place] = 0;
        }
    }

    fn send(&mut self, place: usize) {
        if self.at[place][0].1 {
            self.sent += 1;
            let out = Buffer::filled(bytes(), 8, self.sent);
            let send = out.send(self.comms[place][0], 1, self.tag(place, 0), PML_STANDARD);
            assert_eq!(self.job.ranks[0].send(&send), OK);
        }
    }

    /// Receives a message, if there is one: the next of this communicator.
    fn receive(&mut self, place: usize) -> bool {
        let rank = &self.job.ranks[1];
        rank.system.progress();
        let into = Buffer::new(bytes(), 8);
        let receive = into.receive(self.comms[place][1], PML_ANY_SOURCE, PML_ANY_TAG);
        if !self.at[place][1].1 || rank.probe(&receive, false).is_none() {
            return false;
        }
        let (status, found) = rank.recv(&receive);
        assert_eq!((status, found.tag), (OK, self.tag(place, 1)));
        assert!(into.seed() > self.last[place], "{} after {}", into.seed(), self.last[place]);
        self.last[place] = into.seed();
        self.received += 1;
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Two ranks open and free communicators as they like while messages are late. Every message that is
    /// received is one of its communicator, in order, and none is lost but those that no receive asked
    /// for before the communicator was freed.
    #[test]
    fn messages_stay_in_their_communicators(
        acts in acts(),
        first in prop_oneof![Just(0), Just(u64::from(u32::MAX) - 2)],
    ) {
        let job = Job::new(2, true, &[], Behaviour::default());
        let comms = (0..3).map(|_| job.comm(0, false)).collect();
        let at = [[(0, false); 2]; 3];
        let mut places = Places { job, first, comms, at, last: [0; 3], sent: 0, received: 0 };
        let mut held = None;
        for (place, act) in acts {
            match (act, held.take()) {
                (Act::Hold, Some(late)) => places.job.fabric.let_go(1, late),
                (Act::Hold, None) => held = Some(places.job.fabric.hold(1)),
                (act, late) => {
                    held = late;
                    match act {
                        Act::Next(rank) => places.next(place, rank),
                        Act::Send => places.send(place),
                        Act::Receive => drop(places.receive(place)),
                        Act::Hold => unreachable!(),
                    }
                }
            }
        }
        if let Some(late) = held {
            places.job.fabric.let_go(1, late);
        }
        places.job.until("all", || places.job.fabric.is_empty(1));
        // The second rank opens what the first has opened, and receives what is there.
        for place in 0..3 {
            if places.at[place][0].1 {
                places.next(place, 0);
            }
            while places.at[place][1].0 < places.at[place][0].0 || places.at[place][1].1 {
                if !places.at[place][1].1 {
                    places.next(place, 1);
                }
                while places.receive(place) {}
                places.next(place, 1);
            }
        }
        assert_eq!(places.received + places.job.count("dropped"), places.sent);
        assert_eq!(places.job.count("violations"), 0);
        places.job.end(vec![]);
    }
}

#[test]
fn a_communicator_may_ask_for_its_engine() {
    let job = Job::new(1, false, &[], Behaviour::default());
    let chosen = |scope: &str| {
        let decisions = job.ranks[0].system.decisions();
        let own = decisions.iter().find(|one| (one.framework, &*one.scope) == ("match", scope))?;
        own.chosen().next().map(str::to_owned)
    };
    let [plain, asking, wrong] = [1, 2, 3].map(|serial| job.comm(serial, false)[0]);
    let rank = &job.ranks[0];
    rank.ask_for_engine(asking, c"bins");
    rank.ask_for_engine(wrong, c"bin");
    rank.open(plain);
    rank.open(asking);
    assert_eq!(chosen("communicator bins"), Some("bins".to_owned()));
    assert_eq!(chosen("process"), Some("list".to_owned()));
    let reason = rank.try_open(wrong).unwrap_err();
    for part in ["bin", "info key cairn_match of communicator bin", "did you mean bins?"] {
        assert!(reason.contains(part), "no \"{part}\" in \"{reason}\"");
    }
    [plain, asking, wrong].into_iter().for_each(|comm| rank.close(comm));
    assert_eq!((chosen("communicator bins"), chosen("communicator bin")), (None, None));
    job.end(vec![]);
}
