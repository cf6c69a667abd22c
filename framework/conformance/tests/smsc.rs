//! What a transport makes of components of smsc that can't, or can't any more: a component that does
//! what its parameter says, alone and together with one that works.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_conformance::ranks::{Ranks, Way};
use cairn_framework::abi::job::THREAD_SINGLE;
use cairn_framework::abi::param::ChoiceParam;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_RESOURCES, ERR_UNSUPPORTED, OK};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::smsc::{Smsc, SmscTicket};
use common::{Get, payload, start, until};
use linked as _;

/// What the component does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It is not there.
    Off,
    /// A read fails at once.
    Fails,
    /// A read begins and fails later.
    Stops,
    /// A read needs the owner's help, and the owner refuses.
    Refused,
    /// The same, and the owner begins and fails later.
    Left,
    /// The same, and the reader fails while the owner goes on.
    Deserted,
    /// It can't be used with the first rank, from which the other one reads.
    Helpless,
    /// What was offered can't be accepted, and a read that needs no help fails later.
    Unaccepted,
    /// A peer breaks the rules.
    Broken,
    /// There are no resources.
    Busy,
    /// There are none for a peer, but later.
    Short,
    /// The same, and then a peer breaks the rules.
    ShortBroken,
}

const MODES: [(&str, Mode); 12] = [
    ("off", Mode::Off),
    ("fails", Mode::Fails),
    ("stops", Mode::Stops),
    ("refused", Mode::Refused),
    ("left", Mode::Left),
    ("deserted", Mode::Deserted),
    ("helpless", Mode::Helpless),
    ("unaccepted", Mode::Unaccepted),
    ("broken", Mode::Broken),
    ("busy", Mode::Busy),
    ("short", Mode::Short),
    ("short_broken", Mode::ShortBroken),
];

struct Odd {
    host: HostHandle,
    mode: Mode,
    /// How often a peer was asked for.
    peers: AtomicU32,
}

/// Owners that read memory for a reader that has deserted them.
static DESERTED: AtomicU32 = AtomicU32::new(0);

/// A side of a transfer.
struct Side {
    mode: Mode,
    reads: bool,
    /// Calls of `advance`.
    calls: u32,
}

impl Drop for Side {
    fn drop(&mut self) {
        if self.mode == Mode::Deserted && !self.reads {
            DESERTED.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn failed() -> Failure {
    Failure::unavailable("as it was told")
}

impl Component for Odd {
    type Params = ChoiceParam;

    fn register(registrar: &Registrar<'_>) -> Result<ChoiceParam, Failure> {
        let names = MODES.map(|(name, _)| name);
        registrar.choice("mode", &names, "off", "What the component does").register()
    }

    fn open(host: HostHandle, mode: ChoiceParam) -> Result<Self, Failure> {
        Ok(Self { host, mode: MODES[mode.get()].1, peers: AtomicU32::new(0) })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        match self.mode {
            Mode::Off => Answer::Decline("it is for tests".into()),
            _ => Answer::Priority(90),
        }
    }
}

impl Smsc for Odd {
    type Peer = ();
    type Transfer = Side;

    fn peer_open(&self, _view: &Peer) -> Result<(), Failure> {
        let number = self.peers.fetch_add(1, Ordering::Relaxed);
        match self.mode {
            Mode::Helpless if self.host.job().rank == 1 => Err(failed()),
            Mode::Short | Mode::ShortBroken if number < 3 => {
                Err(Failure::new(ERR_RESOURCES, "none left"))
            }
            _ => Ok(()),
        }
    }

    unsafe fn fetch(
        &self,
        _peer: &(),
        _remote: u64,
        _buffer: *mut c_void,
        _len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Side>, Failure> {
        let helped = [Mode::Refused, Mode::Left, Mode::Deserted, Mode::Helpless];
        // Otherwise the ticket stays as it is, empty.
        if helped.contains(&self.mode) {
            ticket.len = 1;
        }
        match self.mode {
            Mode::Fails => Err(failed()),
            Mode::Busy => Ok(None),
            mode => Ok(Some(Side { mode, reads: true, calls: 0 })),
        }
    }

    unsafe fn serve(
        &self,
        _peer: &(),
        _ticket: &SmscTicket,
        _buffer: *const c_void,
        _len: usize,
    ) -> Result<Option<Side>, Failure> {
        match self.mode {
            Mode::Left => Ok(Some(Side { mode: self.mode, reads: false, calls: 0 })),
            Mode::Deserted => {
                DESERTED.fetch_add(1, Ordering::Relaxed);
                Ok(Some(Side { mode: self.mode, reads: false, calls: 0 }))
            }
            Mode::Helpless | Mode::Unaccepted => panic!("it was asked in vain"),
            _ => Err(failed()),
        }
    }

    unsafe fn offer(
        &self,
        _peer: &(),
        _buffer: *const c_void,
        _len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Side>, Failure> {
        if self.mode != Mode::Unaccepted {
            return Ok(None);
        }
        ticket.len = 3;
        Ok(Some(Side { mode: self.mode, reads: false, calls: 0 }))
    }

    fn advance(&self, transfer: &mut Side) -> Result<Outcome, Failure> {
        transfer.calls += 1;
        match (transfer.mode, transfer.reads, transfer.calls) {
            (Mode::Broken | Mode::ShortBroken, ..) => {
                Err(Failure::new(ERR_PROTOCOL, "as it was told"))
            }
            (Mode::Stops | Mode::Deserted | Mode::Unaccepted, true, 3..)
            | (Mode::Left, false, 3..) => Err(failed()),
            (Mode::Short, ..) => Err(failed()),
            _ => Ok(Outcome::Nothing),
        }
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Odd,
    name: "odd",
    description: "what can go wrong",
}

/// Two ranks, memory of the second that the first may read, and its key.
struct Job {
    ranks: Ranks,
    read: Way,
    own: Way,
    source: Vec<u8>,
}

impl Job {
    fn start(mode: &str, smsc: &str) -> Self {
        let mca = [("btl", "sm"), ("smsc_odd_mode", mode), ("smsc", smsc)];
        let (ranks, _) = start(2, THREAD_SINGLE, &mca);
        let (read, own) = (ranks.way(0, 1).unwrap(), ranks.way(1, 0).unwrap());
        Self { ranks, read, own, source: payload(3, 200_000) }
    }

    /// A get of memory that is offered or exposed: what the transport answers, and how the get ends.
    fn get(&mut self, offer: bool) -> [Option<i32>; 2] {
        let Self { ranks, read, own, source } = self;
        let remote = source.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the memory stays, unchanged, until it is concealed; the bytes are a key of the peer.
        let (registration, key) = unsafe {
            let (registration, packed) = match offer {
                true => own.offer(own.cri(0), source),
                false => own.expose(source),
            };
            (registration, read.unpack(&packed).1)
        };
        let (get, mut local) = (Get::new(), vec![0u8; source.len()]);
        let accepted = get.start(read, &mut local, remote, key);
        let answer = get.status();
        if accepted {
            until(ranks, || get.status().is_some());
        }
        assert_eq!(get.status() == Some(OK), local == *source);
        // SAFETY: nothing is under way.
        unsafe {
            read.release(key);
            own.conceal(registration);
        }
        [answer, get.status()]
    }
}

#[test]
fn another_component_moves_what_one_can_not() {
    for mode in ["fails", "stops", "refused", "left", "helpless", "unaccepted", "busy", "short"] {
        for other in ["ring", "cma", "ring,cma"] {
            // More often than there are resources for, if one of them were lost.
            let mut job = Job::start(mode, &format!("odd,{other}"));
            for round in 0..100 {
                // That the owner does not help shows only when it is asked for its key.
                let offer = mode == "helpless" || round % 2 == 0;
                assert_eq!(job.get(offer)[1], Some(OK), "{mode} {other} {round}");
            }
            job.ranks.close();
        }
    }
}

#[test]
fn without_another_component_the_protocol_layer_is_told() {
    let none = Some(ERR_UNSUPPORTED);
    for (mode, offer, expected) in [
        ("fails", false, [none, none]),
        ("helpless", true, [none, none]),
        // It was under way.
        ("stops", false, [None, none]),
        ("refused", false, [None, none]),
        ("left", true, [None, none]),
        // A later try may succeed.
        ("busy", false, [None, None]),
    ] {
        let mut job = Job::start(mode, "odd");
        for _ in 0..100 {
            assert_eq!(job.get(offer), expected, "{mode}");
        }
        job.ranks.close();
    }
    // No other component is to try.
    for others in ["odd", "odd,ring"] {
        let mut job = Job::start("broken", others);
        assert_eq!(job.get(true), [Some(ERR_PROTOCOL); 2]);
        job.ranks.close();
    }
}

/// What was short for a peer may be there later: it is asked for again, at the second, fourth and eighth
/// message, and then it is there.
#[test]
fn a_peer_is_asked_for_again_when_resources_were_short() {
    let mut job = Job::start("short_broken", "odd");
    for number in 1..=20 {
        let status = if number < 8 { ERR_UNSUPPORTED } else { ERR_PROTOCOL };
        assert_eq!(job.get(false), [Some(status); 2], "{number}");
    }
    job.ranks.close();
}

/// An owner that helps stops when the memory is not offered any more: it may be gone.
#[test]
fn nobody_reads_memory_that_is_not_offered_any_more() {
    let mut job = Job::start("deserted", "odd,cma,ring");
    for _ in 0..100 {
        assert_eq!(job.get(true)[1], Some(OK));
        assert_eq!(DESERTED.load(Ordering::Relaxed), 0);
    }
    job.ranks.close();
}
