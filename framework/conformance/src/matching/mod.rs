//! The rules of `match`: see [`cairn_framework::frameworks::matching`].

mod engine;
mod model;
mod threads;

use cairn_framework::abi::comm::{COMM_NO_ANY_SOURCE, COMM_NO_ANY_TAG};
use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG};
use cairn_framework::host::Slot;

use crate::{Checks, describes};
pub use engine::{Engine, Message, Receive, Strategy};
pub use model::{Act, play};

/// Sources of the random programs.
pub const SOURCES: u32 = 4;
/// Random programs of each kind, and calls in each.
const PROGRAMS: u64 = 150;
const CALLS: usize = 200;
/// Entries of the checks with many.
const MANY: usize = 100_000;

/// A kind of random programs: its name, what the communicator asserts, and which acts there are.
type Kind = (&'static str, u32, fn(&mut Random) -> Act);

const KINDS: [Kind; 4] = [
    ("with every wildcard", 0, |random| act(random, true, true)),
    ("without MPI_ANY_TAG", COMM_NO_ANY_TAG, |random| act(random, true, false)),
    ("without MPI_ANY_SOURCE", COMM_NO_ANY_SOURCE, |random| act(random, false, true)),
    ("without wildcards", COMM_NO_ANY_SOURCE | COMM_NO_ANY_TAG, |random| act(random, false, false)),
];

/// Numbers that repeat exactly (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Few sources and tags, so that much matches; now and then a tag at the end of its range.
fn act(random: &mut Random, any_source: bool, any_tag: bool) -> Act {
    let sent = |random: &mut Random| match random.below(8) {
        0 => -7,
        1 => [i32::MAX, i32::MIN, -1, 0x0100_0000, i32::MIN + 1][random.below(5) as usize],
        _ => random.below(4) as i32,
    };
    let source = random.below(u64::from(SOURCES)) as i32;
    let tag = sent(random);
    let wanted_source = if any_source && random.below(4) == 0 { MATCH_ANY_SOURCE } else { source };
    let wanted_tag = if any_tag && random.below(4) == 0 { MATCH_ANY_TAG } else { tag };
    match random.below(23) {
        0..9 => Act::Post { source: wanted_source, tag: wanted_tag },
        9..18 => Act::Arrive { source, tag, room: random.below(16) != 0 },
        18..20 => Act::Find { source: wanted_source, tag: wanted_tag, take: random.below(2) == 0 },
        20..22 => Act::Cancel { which: random.below(1 << 32) as usize },
        _ => Act::Drain,
    }
}

/// The strategy of a component.
pub fn strategy(slot: &'static Slot) -> Strategy {
    Strategy { ops: slot.table().expect("a matching engine"), instance: slot.instance() }
}

pub(crate) fn run(checks: &mut Checks<'_>, slot: &'static Slot) {
    let strategy = strategy(slot);

    checks.check("the order is that of two lists searched from the front", || {
        for (kind, flags, act) in KINDS {
            for program in 1..=PROGRAMS {
                let mut random = Random(program.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let acts: Vec<Act> = (0..CALLS).map(|_| act(&mut random)).collect();
                let engine = Engine::open(strategy, SOURCES, flags)?;
                play(&engine, &acts)
                    .map_err(|reason| format!("random program {program} {kind}: {reason}"))?;
            }
        }
        Ok(())
    });

    checks.check("a wildcard of tags leaves out negative ones, also its own number", || {
        let engine = Engine::open(strategy, SOURCES, 0)?;
        let sent = [-1, MATCH_ANY_TAG, i32::MIN];
        let mut acts = vec![
            Act::Post { source: 0, tag: MATCH_ANY_TAG },
            Act::Post { source: MATCH_ANY_SOURCE, tag: MATCH_ANY_TAG },
        ];
        acts.extend(sent.map(|tag| Act::Arrive { source: 0, tag, room: true }));
        acts.push(Act::Find { source: 0, tag: MATCH_ANY_TAG, take: true });
        acts.push(Act::Post { source: 0, tag: i32::MIN });
        acts.push(Act::Post { source: MATCH_ANY_SOURCE, tag: -1 });
        play(&engine, &acts)
    });

    checks.check("ranks and tags may be as large as they get", || {
        let ranks = 1 << 20;
        let engine = Engine::open(strategy, ranks, 0)?;
        let mut acts = Vec::new();
        for source in [0, 1, ranks as i32 / 2, ranks as i32 - 1] {
            for tag in [0, 1, i32::MAX - 1, i32::MAX, i32::MIN, -1] {
                acts.push(Act::Post { source, tag });
                acts.push(Act::Arrive { source, tag: tag ^ 0x10000, room: true });
            }
        }
        for act in acts.clone() {
            match act {
                Act::Post { source, tag } => acts.push(Act::Arrive { source, tag, room: true }),
                Act::Arrive { source, tag, .. } => acts.push(Act::Post { source, tag }),
                _ => {}
            }
        }
        play(&engine, &acts)
    });

    checks.check("many receives and messages wait at the same time", || {
        let engine = Engine::open(strategy, 3, 0)?;
        many(&engine)
    });

    checks.check("an entry that came out may go in again", || {
        let engine = Engine::open(strategy, SOURCES, 0)?;
        for round in 0..1_000 {
            let receive = engine.receive(1, round % 3);
            for _ in 0..3 {
                if engine.post(receive).is_some() || !engine.cancel(receive) {
                    return Err("a receive did not wait, with no message there".into());
                }
                if engine.cancel(receive) {
                    return Err("a receive was cancelled twice".into());
                }
            }
            engine.post(receive);
            let message = engine.message();
            if engine.arrive(1, round % 3, || message) != Some(receive) {
                return Err("a receive that was posted again was not found".into());
            }
            if engine.cancel(receive) {
                return Err("a receive was cancelled that had its message".into());
            }
        }
        Ok(())
    });

    checks.check("an engine that withdraws receives takes those that name the source", || {
        withdrawals(&Engine::open(strategy, SOURCES, 0)?)
    });

    checks.check("communicators do not meet", || {
        let engines: Vec<Engine> =
            (0..10).map(|_| Engine::open(strategy, SOURCES, 0)).collect::<Result<_, _>>()?;
        let receives: Vec<_> = engines.iter().map(|engine| engine.receive(0, 5)).collect();
        for (engine, receive) in engines.iter().zip(&receives) {
            engine.post(*receive);
        }
        for (engine, receive) in engines.iter().zip(&receives).rev() {
            let message = engine.message();
            if engine.arrive(0, 5, || message) != Some(*receive) {
                return Err("a message got another communicator's receive".into());
            }
        }
        Ok(())
    });

    checks.check("threads with tags of their own each keep their order", || {
        threads::own_tags(&Engine::open(strategy, SOURCES, 0)?)
    });
    checks.check("threads and receives with wildcards lose nothing", || {
        threads::wildcards(&Engine::open(strategy, SOURCES, 0)?)
    });
    checks.check("messages of one sender that several threads hand in keep their order", || {
        threads::one_sender(&Engine::open(strategy, SOURCES, 0)?)
    });
    checks.check("a receive is cancelled or gets a message, and not both", || {
        threads::cancels(&Engine::open(strategy, SOURCES, 0)?)
    });
    checks.check("a message stays in as long as a thread looks at it", || {
        threads::looks(&Engine::open(strategy, SOURCES, 0)?)
    });

    checks.check("its description is text and keeps to the buffer", || {
        let engine = Engine::open(strategy, SOURCES, 0)?;
        for tag in 0..20 {
            engine.post(engine.receive(0, tag));
            let message = engine.message();
            engine.arrive(1, tag, || message);
        }
        describes(|buffer| engine.describe(buffer))
    });

    checks.check("an engine that closes leaves no counter of its own", || {
        drop(Engine::open(strategy, SOURCES, 0)?);
        let before = slot.counter_cells();
        for _ in 0..3 {
            let engine = Engine::open(strategy, SOURCES, 0)?;
            engine.post(engine.receive(0, 1));
        }
        match slot.counter_cells().saturating_sub(before) {
            0 => Ok(()),
            left => Err(format!("three engines left {left} cells")),
        }
    });
}

/// Receives are withdrawn by their source, each once.
fn withdrawals(engine: &Engine) -> Result<(), String> {
    let any = MATCH_ANY_SOURCE;
    let sources = [1, 2, any, 1, any, 1, 0];
    let posted = sources.map(|source| {
        let tags = [5, MATCH_ANY_TAG, 7];
        tags.map(|tag| (source, engine.receive(source, tag)))
    });
    let posted = posted.concat();
    for (_, receive) in &posted {
        engine.post(*receive);
    }
    for wanted in [1, any, 2] {
        let mut left: Vec<_> =
            posted.iter().filter(|(source, _)| *source == wanted).map(|(_, it)| *it).collect();
        while let Some(receive) = engine.withdraw(wanted) {
            let place = left.iter().position(|it| *it == receive);
            let place = place.ok_or("a receive came out that does not name the source")?;
            left.swap_remove(place);
            if engine.cancel(receive) {
                return Err("a receive that was withdrawn is still in".into());
            }
        }
        // An engine of version 1.0 withdraws nothing.
        if wanted == 1 && left.len() == 9 {
            return Ok(());
        }
        if !left.is_empty() {
            return Err(format!("{} receives that name the source {wanted} stay", left.len()));
        }
    }
    let message = engine.message();
    if engine.arrive(1, 5, || message).is_some() {
        return Err("a message got a receive that was withdrawn".into());
    }
    let counts = engine.counts();
    if (counts.posted, counts.arrived) != (3, 1) {
        return Err(format!("3 receives and a message are in; the counts are {counts:?}"));
    }
    Ok(())
}

/// Many of both kinds, matched from the front, as programs do that post first; every seventh is
/// taken out before.
fn many(engine: &Engine) -> Result<(), String> {
    let receives: Vec<_> = (0..MANY).map(|tag| engine.receive(1, tag as i32)).collect();
    for receive in &receives {
        if engine.post(*receive).is_some() {
            return Err("a receive got a message, and there was none".into());
        }
    }
    let is_in = |tag: usize| !tag.is_multiple_of(7);
    for tag in (0..MANY).filter(|tag| !is_in(*tag)) {
        if !engine.cancel(receives[tag]) {
            return Err(format!("receive {tag} of {MANY} was not in"));
        }
    }
    let counts = engine.counts();
    let left = MANY - MANY.div_ceil(7);
    if counts.posted != left as u64 || counts.posted_max < MANY as u64 {
        return Err(format!("{left} of {MANY} receives are in; the counts are {counts:?}"));
    }
    for tag in (0..MANY).filter(|tag| is_in(*tag)) {
        let message = engine.message();
        if engine.arrive(1, tag as i32, || message) != Some(receives[tag]) {
            return Err(format!("message {tag} of {MANY} did not get its receive"));
        }
    }
    let messages: Vec<_> = (0..MANY).map(|_| engine.message()).collect();
    for (tag, message) in messages.iter().enumerate() {
        if engine.arrive(2, tag as i32, || *message).is_some() {
            return Err("a message got a receive, and there was none".into());
        }
    }
    for (tag, message) in messages.iter().enumerate() {
        // Half of them by a wildcard.
        let source = if tag % 2 == 0 { 2 } else { MATCH_ANY_SOURCE };
        if engine.post(engine.receive(source, tag as i32)) != Some(*message) {
            return Err(format!("receive {tag} of {MANY} did not get its message"));
        }
    }
    let counts = engine.counts();
    if (counts.posted, counts.arrived) != (0, 0) || counts.arrived_max < MANY as u64 {
        return Err(format!("all are out; the counts are {counts:?}"));
    }
    Ok(())
}
