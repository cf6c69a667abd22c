//! Several threads at one engine.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};

use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG};

use super::engine::{Engine, Message, Receive};

/// Pairs of threads.
const PAIRS: i32 = 4;
/// Messages of each.
const MESSAGES: usize = 2_000;

/// Which receive got which message.
#[derive(Default)]
struct Matches(Mutex<Vec<(Receive, Message)>>);

impl Matches {
    fn add(&self, receive: Receive, message: Message) {
        self.0.lock().expect("not poisoned").push((receive, message));
    }

    /// By receive. Two of one receive or of one message are an error.
    fn by_receive(self) -> Result<HashMap<Receive, Message>, String> {
        let pairs = self.0.into_inner().expect("not poisoned");
        let count = pairs.len();
        let messages: HashMap<Message, Receive> =
            pairs.iter().map(|(receive, message)| (*message, *receive)).collect();
        let receives: HashMap<Receive, Message> = pairs.into_iter().collect();
        if messages.len() != count || receives.len() != count {
            return Err("a receive or a message was matched twice".into());
        }
        Ok(receives)
    }
}

fn post(engine: &Engine, matches: &Matches, receive: Receive) {
    if let Some(message) = engine.post(receive) {
        matches.add(receive, message);
    }
}

fn arrive(engine: &Engine, matches: &Matches, message: Message, source: i32, tag: i32) {
    if let Some(receive) = engine.arrive(source, tag, || message) {
        matches.add(receive, message);
    }
}

fn is_empty(engine: &Engine) -> Result<(), String> {
    let counts = engine.counts();
    if (counts.posted, counts.arrived) == (0, 0) {
        return Ok(());
    }
    Err(format!("{} receives and {} messages are left", counts.posted, counts.arrived))
}

/// A thread that posts and one that hands in for each tag: the n-th receive gets the n-th message.
pub fn own_tags(engine: &Engine) -> Result<(), String> {
    let matches = Matches::default();
    let start = Barrier::new(2 * PAIRS as usize);
    let made: Vec<(Vec<Receive>, Vec<Message>)> = (0..PAIRS)
        .map(|tag| {
            let receives = (0..MESSAGES).map(|_| engine.receive(1, tag)).collect();
            (receives, (0..MESSAGES).map(|_| engine.message()).collect())
        })
        .collect();
    std::thread::scope(|scope| {
        for (tag, (receives, messages)) in made.iter().enumerate() {
            let (matches, start) = (&matches, &start);
            scope.spawn(move || {
                start.wait();
                receives.iter().for_each(|receive| post(engine, matches, *receive));
            });
            scope.spawn(move || {
                start.wait();
                messages.iter().for_each(|one| arrive(engine, matches, *one, 1, tag as i32));
            });
        }
    });
    let got = matches.by_receive()?;
    for (tag, (receives, messages)) in made.iter().enumerate() {
        for (number, (receive, message)) in receives.iter().zip(messages).enumerate() {
            if got.get(receive) != Some(message) {
                return Err(format!("receive {number} of tag {tag} did not get message {number}"));
            }
        }
    }
    is_empty(engine)
}

/// As many receives as messages, with wildcards of every kind. Of each source and tag there are 1000
/// messages and, while threads run, 1000 receives that may take them; so each of these gets one,
/// whatever the others take. The last receives take the rest.
pub fn wildcards(engine: &Engine) -> Result<(), String> {
    let matches = Matches::default();
    let start = Barrier::new(2 * PAIRS as usize);
    std::thread::scope(|scope| {
        for thread in 0..PAIRS {
            let (matches, start) = (&matches, &start);
            scope.spawn(move || {
                let kinds = [
                    (thread % 2, MATCH_ANY_TAG),
                    (MATCH_ANY_SOURCE, thread),
                    (thread % 2, thread),
                    (MATCH_ANY_SOURCE, MATCH_ANY_TAG),
                ];
                start.wait();
                for number in 0..MESSAGES / 4 {
                    let (source, tag) = kinds[number % 4];
                    post(engine, matches, engine.receive(source, tag));
                }
            });
            scope.spawn(move || {
                start.wait();
                for number in 0..MESSAGES {
                    let tag = (number as i32 + thread) % PAIRS;
                    arrive(engine, matches, engine.message(), thread % 2, tag);
                }
            });
        }
    });
    for _ in 0..PAIRS as usize * MESSAGES * 3 / 4 {
        post(engine, &matches, engine.receive(MATCH_ANY_SOURCE, MATCH_ANY_TAG));
    }
    let all = PAIRS as usize * MESSAGES;
    let got = matches.by_receive()?.len();
    if got != all {
        return Err(format!("{got} of {all} messages got a receive"));
    }
    is_empty(engine)
}

/// Several threads hand in what one sender sent, each with the lock of the sender's order, which they
/// give back when `keep` is called: receives of any tag get the messages in this order.
pub fn one_sender(engine: &Engine) -> Result<(), String> {
    let matches = Matches::default();
    let order = Mutex::new(0usize);
    let start = Barrier::new(PAIRS as usize + 1);
    let all = PAIRS as usize * MESSAGES / 4;
    let receives: Vec<Receive> = (0..all).map(|_| engine.receive(0, MATCH_ANY_TAG)).collect();
    let messages: Vec<Message> = (0..all).map(|_| engine.message()).collect();
    std::thread::scope(|scope| {
        for thread in 0..PAIRS {
            let (matches, start, order, messages) = (&matches, &start, &order, &messages);
            scope.spawn(move || {
                start.wait();
                for number in 0..all / PAIRS as usize {
                    let mut turn = order.lock().expect("not poisoned");
                    let message = messages[*turn];
                    *turn += 1;
                    let mut turn = Some(turn);
                    let tag = thread + PAIRS * (number % 3) as i32;
                    let receive = engine.arrive(0, tag, || {
                        drop(turn.take());
                        message
                    });
                    receive.inspect(|receive| matches.add(*receive, message));
                }
            });
        }
        start.wait();
        receives.iter().for_each(|receive| post(engine, &matches, *receive));
    });
    let got = matches.by_receive()?;
    for (number, (receive, message)) in receives.iter().zip(&messages).enumerate() {
        if got.get(receive) != Some(message) {
            return Err(format!("receive {number} of any tag did not get message {number}"));
        }
    }
    is_empty(engine)
}

/// Receives are cancelled while their messages arrive.
pub fn cancels(engine: &Engine) -> Result<(), String> {
    let matches = Matches::default();
    let receives: Vec<Receive> = (0..MESSAGES)
        .map(|number| match number % 3 {
            0 => engine.receive(1, 5),
            1 => engine.receive(MATCH_ANY_SOURCE, 5),
            _ => engine.receive(1, MATCH_ANY_TAG),
        })
        .collect();
    receives.iter().for_each(|receive| post(engine, &matches, *receive));
    let (cancelled, start) = (AtomicU32::new(0), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            start.wait();
            for receive in receives.iter().rev() {
                cancelled.fetch_add(u32::from(engine.cancel(*receive)), Ordering::Relaxed);
            }
        });
        start.wait();
        for _ in 0..MESSAGES {
            arrive(engine, &matches, engine.message(), 1, 5);
        }
    });
    let (cancelled, matched) = (cancelled.into_inner() as usize, matches.by_receive()?.len());
    let counts = engine.counts();
    if cancelled + matched != MESSAGES || counts.posted != 0 || counts.arrived != cancelled as u64 {
        return Err(format!(
            "of {MESSAGES} receives and as many messages {matched} met and {cancelled} were \
             cancelled; the counts are {counts:?}"
        ));
    }
    Ok(())
}

/// Probing threads look at messages while another thread receives them: a message stays in the engine
/// as long as a thread looks at it.
pub fn looks(engine: &Engine) -> Result<(), String> {
    let (taken, done) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
    let (gone, looks) = (AtomicU32::new(0), AtomicU32::new(0));
    let is_taken = |message| taken.lock().expect("not poisoned").contains(&message);
    std::thread::scope(|scope| {
        for (source, tag) in [(1, 5), (MATCH_ANY_SOURCE, 5), (1, MATCH_ANY_TAG)] {
            let (is_taken, done, gone, looks) = (&is_taken, &done, &gone, &looks);
            scope.spawn(move || {
                let mut look = |message| {
                    for _ in 0..3 {
                        gone.fetch_add(u32::from(is_taken(message)), Ordering::Relaxed);
                        std::thread::yield_now();
                    }
                    looks.fetch_add(1, Ordering::Relaxed);
                };
                while !done.load(Ordering::Relaxed) {
                    engine.find_and_look(source, tag, false, &mut look);
                }
            });
        }
        // At least so many, and until there was a look: on a busy machine that may take a while.
        let mut count = 0;
        while count < MESSAGES || looks.load(Ordering::Relaxed) == 0 {
            count += 1;
            engine.arrive(1, 5, || engine.message());
            let message = match count % 2 {
                0 => engine.post(engine.receive(1, 5)),
                _ => engine.find(1, 5, true),
            };
            taken.lock().expect("not poisoned").extend(message);
        }
        done.store(true, Ordering::Relaxed);
    });
    match gone.into_inner() {
        0 => is_empty(engine),
        gone => Err(format!("{gone} times a thread looked at a message that was not in any more")),
    }
}
