//! What it costs to match: `cargo bench -p cairn-conformance --bench matching`, with the names of
//! engines behind `--` for only these. docs/matching.md says what the columns mean.
//!
//! Every number is the median of several rounds, in nanoseconds for one call of the engine through
//! its table. Rounds of the engines take turns, so that a machine that changes its speed changes all.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cairn_conformance::matching::{Engine, Message, Receive, strategy};
use cairn_framework::abi::job::{THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};
use linked as _;

const ROUNDS: usize = 7;
/// Of one round of one engine.
const TIME: Duration = Duration::from_millis(10);
const LENGTHS: [usize; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// Where in a queue of some length the match is.
type Place = (&'static str, fn(usize) -> usize);
const PLACES: [Place; 3] =
    [("first", |_| 0), ("middle", |length| length / 2), ("last", |length| length - 1)];

/// Opens the engine of a component in a system of its own.
fn open(name: &str, level: u32) -> Engine {
    let mca = vec![("match".to_owned(), name.to_owned())];
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources {
            command_line: CommandLine { mca, ..CommandLine::default() },
            ..Sources::default()
        },
        sink: Box::new(|line| eprintln!("{line}")),
        search: Search::Wanted,
    });
    let mut job = *system.job();
    job.thread_level = level;
    // SAFETY: nothing is open, and no other thread knows the system.
    unsafe { system.set_job(job) };
    let name = format!("match_{name}");
    let slot = system.components().into_iter().find(|slot| slot.name() == name);
    let slot = slot.unwrap_or_else(|| panic!("there is no {name}"));
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    slot.probe(&process).unwrap_or_else(|verdict| panic!("{name}: {verdict:?}"));
    Engine::open(strategy(slot), 8, 0).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

/// Runs a pair of calls again and again and returns the nanoseconds of one call.
fn round(mut pair: impl FnMut()) -> f64 {
    let (start, mut pairs) = (Instant::now(), 0u32);
    loop {
        for _ in 0..8 {
            pair();
        }
        pairs += 8;
        let passed = start.elapsed();
        if passed >= TIME {
            return passed.as_secs_f64() * 1e9 / f64::from(pairs) / 2.0;
        }
    }
}

/// A row: the medians of all engines.
fn row(label: &str, engines: &[Engine], mut measure: impl FnMut(&Engine) -> f64) {
    let mut times = vec![Vec::new(); engines.len()];
    for _ in 0..ROUNDS {
        for (times, engine) in times.iter_mut().zip(engines) {
            times.push(measure(engine));
        }
    }
    let cells: String = times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            format!(" {:10.1}", times[ROUNDS / 2])
        })
        .collect();
    println!("{label:42}{cells}");
}

fn empty(engine: &Engine) {
    while engine.drain() != (None, None) {}
}

/// Fills with receives of distinct tags, all of one source.
fn fill_receives(engine: &Engine, length: usize) {
    for tag in 0..length {
        assert!(engine.post(engine.receive(1, tag as i32)).is_none());
    }
}

fn fill_messages(engine: &Engine, length: usize) {
    for tag in 0..length {
        let message = engine.message();
        assert!(engine.arrive(1, tag as i32, || message).is_none());
    }
}

/// The tags that come to a place of a queue of tags 0, 1, ... when what is there is taken out and put
/// behind the others, again and again: what is behind the place turns in a circle.
fn circle(length: usize, place: usize) -> impl FnMut() -> i32 {
    let mut tag = place;
    move || {
        let now = tag;
        tag = if tag + 1 == length { place } else { tag + 1 };
        now as i32
    }
}

/// A message gets one of `length` receives, which is then posted again.
fn posted(engine: &Engine, length: usize, place: usize) -> f64 {
    let (mut next, message) = (circle(length, place), engine.message());
    round(|| {
        let tag = next();
        let receive: Option<Receive> = engine.arrive(1, tag, || message);
        black_box(engine.post(receive.expect("it is posted")));
    })
}

/// The same with messages that wait and a receive, which may have wildcards.
fn unexpected(engine: &Engine, length: usize, place: usize, any_source: bool) -> f64 {
    let mut next = circle(length, place);
    round(|| {
        let tag = next();
        let source = if any_source { MATCH_ANY_SOURCE } else { 1 };
        let message: Option<Message> = engine.find(source, tag, true);
        let message = message.expect("it is kept");
        black_box(engine.arrive(1, tag, || message));
    })
}

/// One receive of this kind, `length` others, and a message for the first.
fn wildcard(engine: &Engine, source: i32, tag: i32) -> f64 {
    let (receive, message) = (engine.receive(source, tag), engine.message());
    round(|| {
        engine.post(receive);
        black_box(engine.arrive(1, 1 << 20, || message));
    })
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let names: Vec<&str> = match named.is_empty() {
        true => vec!["list", "bins", "vector", "sharded"],
        false => named.iter().map(String::as_str).collect(),
    };
    for (level, text) in
        [(THREAD_SINGLE, "one thread"), (THREAD_MULTIPLE, "several threads allowed")]
    {
        let open: Vec<Engine> = names.iter().map(|name| open(name, level)).collect();
        let heads: String = names.iter().map(|name| format!(" {name:>10}")).collect();
        println!("\n{:42}{heads}", format!("ns a call, {text}"));
        for length in LENGTHS {
            for (place, at) in PLACES.iter().take(if length == 1 { 1 } else { 3 }) {
                open.iter().for_each(|engine| fill_receives(engine, length));
                let label = format!("posted {length}, match {place}");
                row(&label, &open, |engine| posted(engine, length, at(length)));
                open.iter().for_each(empty);
            }
        }
        for length in LENGTHS {
            for (place, at) in PLACES.iter().take(if length == 1 { 1 } else { 3 }) {
                for any_source in [false, true] {
                    open.iter().for_each(|engine| fill_messages(engine, length));
                    let wild = if any_source { " by any source" } else { "" };
                    let label = format!("unexpected {length}, match {place}{wild}");
                    row(&label, &open, |engine| unexpected(engine, length, at(length), any_source));
                    open.iter().for_each(empty);
                }
            }
        }
        for length in [0, 10, 1_000] {
            for (label, source, tag) in [
                ("any source", MATCH_ANY_SOURCE, 1 << 20),
                ("any tag", 1, MATCH_ANY_TAG),
                ("any source and tag", MATCH_ANY_SOURCE, MATCH_ANY_TAG),
            ] {
                open.iter().for_each(|engine| fill_receives(engine, length));
                let label = format!("receive of {label}, {length} others posted");
                row(&label, &open, |engine| wildcard(engine, source, tag));
                open.iter().for_each(empty);
            }
        }
    }
    threads(&names);
}

/// Threads that each match on a tag of their own, all at one engine.
fn threads(names: &[&str]) {
    const PAIRS: u32 = 200_000;
    println!();
    let open: Vec<Engine> = names.iter().map(|name| open(name, THREAD_MULTIPLE)).collect();
    for count in [1, 2, 4, 8] {
        row(&format!("{count} threads, a tag for each, posted 1"), &open, |engine| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for thread in 0..count {
                    scope.spawn(move || {
                        let (receive, message) = (engine.receive(1, thread), engine.message());
                        for _ in 0..PAIRS / count as u32 {
                            engine.post(receive);
                            black_box(engine.arrive(1, thread, || message));
                        }
                    });
                }
            });
            start.elapsed().as_secs_f64() * 1e9 / f64::from(PAIRS) / 2.0
        });
    }
}
