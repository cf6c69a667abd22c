//! An engine against a model that only knows the order in which things came.

use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG};

use super::engine::{Engine, Message, Receive};

/// A call of an engine.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Posts a receive.
    Post {
        /// Whose messages.
        source: i32,
        /// Which.
        tag: i32,
    },
    /// Hands a message in.
    Arrive {
        /// Its sender.
        source: i32,
        /// Its tag.
        tag: i32,
        /// There is memory to keep it.
        room: bool,
    },
    /// Looks for a message.
    Find {
        /// Whose messages.
        source: i32,
        /// Which.
        tag: i32,
        /// Takes it out.
        take: bool,
    },
    /// Cancels one of the receives that were ever posted, whether it waits or not.
    Cancel {
        /// Any number; it is taken modulo the number of receives.
        which: usize,
    },
    /// Takes one of each kind out.
    Drain,
}

/// Two lists in the order of their making, searched from the front.
#[derive(Default)]
struct Model {
    posted: Vec<(Receive, i32, i32)>,
    arrived: Vec<(Message, i32, i32)>,
    posted_max: usize,
    arrived_max: usize,
}

fn fits((source, tag): (i32, i32), (from, sent): (i32, i32)) -> bool {
    (source == MATCH_ANY_SOURCE || source == from)
        && if tag == MATCH_ANY_TAG { sent >= 0 } else { tag == sent }
}

impl Model {
    fn find(&mut self, source: i32, tag: i32, take: bool) -> Option<Message> {
        let at =
            self.arrived.iter().position(|(_, from, sent)| fits((source, tag), (*from, *sent)))?;
        Some(if take { self.arrived.remove(at).0 } else { self.arrived[at].0 })
    }

    fn post(&mut self, receive: Receive, source: i32, tag: i32) -> Option<Message> {
        let found = self.find(source, tag, true);
        if found.is_none() {
            self.posted.push((receive, source, tag));
            self.posted_max = self.posted_max.max(self.posted.len());
        }
        found
    }

    fn receive_for(&mut self, source: i32, tag: i32) -> Option<Receive> {
        let mut posted = self.posted.iter();
        let at = posted.position(|(_, from, wanted)| fits((*from, *wanted), (source, tag)))?;
        Some(self.posted.remove(at).0)
    }

    fn keep(&mut self, message: Message, source: i32, tag: i32) {
        self.arrived.push((message, source, tag));
        self.arrived_max = self.arrived_max.max(self.arrived.len());
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what} is {got:?}, not {expected:?}")) }
}

/// Runs a program on an empty engine and on the model.
///
/// # Errors
/// The first difference.
pub fn play(engine: &Engine, acts: &[Act]) -> Result<(), String> {
    let mut model = Model::default();
    let mut receives = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        step(engine, &mut model, &mut receives, *act)
            .map_err(|reason| format!("call {number}, {act:?}: {reason}"))?;
    }
    let counts = engine.counts();
    let held = (counts.posted, counts.arrived);
    same("what it counts", held, (model.posted.len() as u64, model.arrived.len() as u64))?;
    if counts.posted_max < model.posted_max as u64 || counts.arrived_max < model.arrived_max as u64
    {
        return Err(format!(
            "there were {} receives and {} messages; the counts are {counts:?}",
            model.posted_max, model.arrived_max
        ));
    }
    Ok(())
}

fn step(
    engine: &Engine,
    model: &mut Model,
    receives: &mut Vec<Receive>,
    act: Act,
) -> Result<(), String> {
    match act {
        Act::Post { source, tag } => {
            let receive = engine.receive(source, tag);
            receives.push(receive);
            same("its message", engine.post(receive), model.post(receive, source, tag))
        }
        Act::Arrive { source, tag, room } => {
            let (message, mut kept) = (engine.message(), 0);
            let got = engine.arrive_or_drop(source, tag, &mut || {
                kept += 1;
                room.then_some(message)
            });
            let expected = model.receive_for(source, tag);
            same("its receive", got, expected)?;
            same("how often it was kept", kept, u32::from(expected.is_none()))?;
            if expected.is_none() && room {
                model.keep(message, source, tag);
                same("what the kept message says", engine.of(message), (source, tag))?;
            }
            Ok(())
        }
        Act::Find { source, tag, take } => {
            let got = engine.find(source, tag, take);
            same("the message", got, model.find(source, tag, take))
        }
        Act::Cancel { which } => {
            if receives.is_empty() {
                return Ok(());
            }
            let receive = receives[which % receives.len()];
            let at = model.posted.iter().position(|(posted, ..)| *posted == receive);
            same("whether it was in", engine.cancel(receive), at.is_some())?;
            at.map(|at| model.posted.remove(at));
            Ok(())
        }
        Act::Drain => {
            let (posted, arrived) = engine.drain();
            same("whether a receive came out", posted.is_some(), !model.posted.is_empty())?;
            same("whether a message came out", arrived.is_some(), !model.arrived.is_empty())?;
            let (receives, messages) = (model.posted.len(), model.arrived.len());
            model.posted.retain(|(receive, ..)| Some(*receive) != posted);
            model.arrived.retain(|(message, ..)| Some(*message) != arrived);
            let gone = (receives - model.posted.len(), messages - model.arrived.len());
            let expected = (usize::from(posted.is_some()), usize::from(arrived.is_some()));
            same("how many of ours came out", gone, expected)
        }
    }
}
