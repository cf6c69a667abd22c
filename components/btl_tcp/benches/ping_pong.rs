//! Latency and bandwidth over loopback, next to plain nonblocking sockets that are polled.
//!
//! Two threads, each on a processor of its own where there are two, pass a message to and fro. The
//! two ways take turns, so that what else the machine does meets both; shown are the medians.
//! `cargo bench -p btl_tcp`

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Instant;

use cairn_framework::abi::btl::BTL_REMOTE_WRITE;
use cairn_framework::abi::status::{DONE, NO_RESOURCES, QUEUED};
use support::{Completion, Rank, Remote, Setup, TAG, close, job};

const ROUNDS: usize = 9;
const SIZES: [usize; 7] = [8, 256, 4096, 32 << 10, 128 << 10, 1 << 20, 4 << 20];

/// Keeps the calling thread on a processor.
fn pin(processor: usize) {
    // SAFETY: an empty set that is filled in; a wrong number is refused.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

fn passes(size: usize) -> u32 {
    if size > 100_000 { 60 } else { 2000 }
}

/// Seconds for one way, as `there` and `back` pass a message to and fro.
fn time(size: usize, mut there: impl FnMut() + Send, mut back: impl FnMut() + Send) -> f64 {
    let warm = passes(size) / 10;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            pin(1);
            (0..passes(size) + warm).for_each(|_| back());
        });
        let here = scope.spawn(move || {
            pin(0);
            (0..warm).for_each(|_| there());
            let begin = Instant::now();
            (0..passes(size)).for_each(|_| there());
            begin.elapsed().as_secs_f64() / f64::from(2 * passes(size))
        });
        here.join().unwrap()
    })
}

fn write(mut stream: &TcpStream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
}

fn read(mut stream: &TcpStream, mut bytes: &mut [u8]) {
    while !bytes.is_empty() {
        match stream.read(bytes) {
            Ok(got) => bytes = &mut bytes[got..],
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
}

fn sockets(size: usize, pair: &(TcpStream, TcpStream)) -> f64 {
    let (mut here, mut there) = (vec![0; size], vec![0; size]);
    let (one, other) = pair;
    time(
        size,
        || {
            write(one, &here);
            read(one, &mut here);
        },
        || {
            read(other, &mut there);
            write(other, &there);
        },
    )
}

/// Sends a message, or if it is long puts it and says so, and waits until the last byte is gone.
fn send(rank: Rank, route: &support::Route, bytes: &[u8], to: &Remote, completion: &Completion) {
    let is_put = bytes.len() > route.module.eager_limit as usize;
    let limit = route.module.put_limit as usize;
    for (place, part) in bytes.chunks(limit).enumerate().filter(|_| is_put) {
        let before = completion.calls();
        let mut outcome = NO_RESOURCES;
        while outcome == NO_RESOURCES {
            outcome = route.put(part, to, (place * limit) as u64, completion);
            assert!([DONE, QUEUED, NO_RESOURCES].contains(&outcome), "{outcome}");
            rank.progress();
        }
        while outcome == QUEUED && completion.calls() == before {
            rank.progress();
        }
    }
    while route.send(TAG, &[], if is_put { &[] } else { bytes }) != DONE {
        rank.progress();
    }
}

fn transport(size: usize, ranks: &[Rank]) -> f64 {
    let bytes = vec![0; size];
    let mut memory = [vec![0; size], vec![0; size]];
    let registered = [0, 1].map(|number: usize| {
        ranks[number].route(1 - number as u32).register(&mut memory[number], BTL_REMOTE_WRITE)
    });
    let side = |number: usize| {
        let (rank, bytes) = (ranks[number], &bytes);
        let route = rank.route(1 - number as u32);
        let to = route.remote(&memory[1 - number], &registered[1 - number].1);
        let completion = Completion::new();
        let mut expected = rank.count();
        move |first: bool| {
            let route = &route;
            if first {
                send(rank, route, bytes, &to, &completion);
            }
            expected += 1;
            while rank.count() != expected {
                rank.progress();
            }
            if !first {
                send(rank, route, bytes, &to, &completion);
            }
        }
    };
    let (mut here, mut there) = (side(0), side(1));
    let time = time(size, move || here(true), move || there(false));
    for (number, (registration, _)) in registered.iter().enumerate() {
        ranks[number].route(1 - number as u32).deregister(*registration);
    }
    time
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let ranks = job(&Setup::default());
    for rank in &ranks {
        rank.inbox.forget.store(true, Ordering::Relaxed);
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let pair = (one, listener.accept().unwrap().0);
    for stream in [&pair.0, &pair.1] {
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
    }
    println!(
        "{:>9} {:>12} {:>12} {:>7} {:>12} {:>12}",
        "bytes", "sockets us", "btl_tcp us", "ratio", "sockets MB/s", "btl_tcp MB/s"
    );
    for size in SIZES {
        let (mut plain, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plain.push(sockets(size, &pair));
            ours.push(transport(size, &ranks));
            ratios.push(ours[ours.len() - 1] / plain[plain.len() - 1]);
        }
        let (plain, ours) = (median(plain), median(ours));
        println!(
            "{size:>9} {:>12.2} {:>12.2} {:>7.2} {:>12.0} {:>12.0}",
            plain * 1e6,
            ours * 1e6,
            median(ratios),
            size as f64 / plain / 1e6,
            size as f64 / ours / 1e6
        );
    }
    close(&ranks);
}
