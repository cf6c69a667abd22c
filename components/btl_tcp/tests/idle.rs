//! What a connection holds that has nothing to do: it has been used in both directions, and is idle now. Alone in its
//! program, because it counts all memory.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use btl_tcp::wire::{Answer, HEADER, Hello, padding};
use support::played::{connect, hello, lone_of, message, read, say};
use support::{ECHO, Rank, Setup, until};

/// Counts what is allocated.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does everything but the counting.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const PEERS: usize = 20;
const LONG: usize = 60_000;

/// Connects as a rank.
fn greet_as(to: Rank, source: u32) -> TcpStream {
    let mut stream = connect(to);
    assert_eq!(say(&mut stream, to, &Hello { source, ..hello(to) }), Some(Answer::Welcome));
    stream
}

/// A short and a long message, and their echoes, for which the socket has no room at once.
fn exchange(stream: &mut TcpStream, rank: Rank) {
    for len in [8, LONG] {
        let count = if len == LONG { 8 } else { 1 };
        let sent = message(ECHO, &vec![7; len]);
        let mut left: Vec<u8> = std::iter::repeat_n(&sent[..], count).flatten().copied().collect();
        stream.set_nonblocking(true).unwrap();
        until(&[rank], "room for the messages", || {
            let wrote = stream.write(&left).unwrap_or(0);
            left.drain(..wrote);
            left.is_empty()
        });
        let echoes = count * (HEADER + len + padding(len));
        assert_eq!(read(stream, &[rank], echoes).len(), echoes);
    }
}

#[test]
fn an_idle_connection_holds_less_than_four_kibibytes() {
    let mca = [
        ("btl_tcp_output_limit", "8m"),
        ("btl_tcp_sndbuf", "16k"),
        ("mca_log", "error"),
        // An eighth of that is the time after which an idle connection gives up what it has.
        ("btl_tcp_peer_timeout", "1000"),
    ];
    let setup = Setup { ranks: PEERS as u32 + 1, mca: &mca, ..Setup::default() };
    let one = lone_of(&setup, None);
    // What every instance has once, for whichever connection is busy.
    let mut streams = vec![greet_as(one, 1)];
    exchange(&mut streams[0], one);
    let before = ALLOCATED.load(Ordering::Relaxed);
    for source in 2..=PEERS as u32 {
        let mut stream = greet_as(one, source);
        exchange(&mut stream, one);
        streams.push(stream);
    }
    let each = || ALLOCATED.load(Ordering::Relaxed).saturating_sub(before) / (PEERS - 1);
    until(&[one], "less than four kibibytes for each", || each() < 4096);
    drop(streams);
    one.system.close();
}
