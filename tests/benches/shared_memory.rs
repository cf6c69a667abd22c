//! btl_sm without anything above it: two ranks, each a thread pinned to a core of its own.
//!
//! ```text
//!   cargo bench -p cairn-tests --bench shared_memory
//! ```
//!
//! The floor is what a cache line needs from one core to the other and back: a flag that both write.
//! Everything else is shown beside it.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::hint::{black_box, spin_loop};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_conformance::ranks::{Ranks, Way};
use cairn_framework::abi::job::THREAD_SINGLE;
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::status::{DONE, NO_RESOURCES, QUEUED};
use cairn_framework::frameworks::btl::{BtlCompletion, BtlTransfer};
use linked as _;

const TAG: u8 = 101;
/// Of the length that ob1's match header has.
const HEADER: [u8; 16] = [0; 16];
/// Each figure is the best of so many, since the machine is not ours alone.
const ROUNDS: usize = 9;

#[repr(align(128))]
#[derive(Default)]
struct Line(AtomicU64);

/// What a rank has received, written by its own thread.
#[repr(align(128))]
#[derive(Default)]
struct Inbox {
    count: UnsafeCell<u64>,
    buffer: UnsafeCell<Vec<u8>>,
}

unsafe extern "C" fn arrive(context: *mut c_void, received: *const Received) {
    // SAFETY: registered with an inbox that only the thread that polls uses.
    unsafe {
        let (inbox, received) = (&*context.cast::<Inbox>(), &*received);
        let len = received.len - HEADER.len();
        let to = (*inbox.buffer.get()).as_mut_ptr();
        std::ptr::copy_nonoverlapping(received.data.cast::<u8>().add(HEADER.len()), to, len);
        *inbox.count.get() += 1;
    }
}

fn pin(core: usize) {
    // SAFETY: all-zero is an empty set; the calls work on a set of this function.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

/// Runs `body` for both ranks on two cores, `ROUNDS` times; the best time of rank 0.
fn best(body: impl Fn(u32) + Sync) -> Duration {
    let barrier = Barrier::new(2);
    let run = |rank: u32| {
        pin(rank as usize);
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            barrier.wait();
            let start = Instant::now();
            body(rank);
            best = best.min(start.elapsed());
        }
        best
    };
    std::thread::scope(|scope| {
        scope.spawn(|| run(1));
        scope.spawn(|| run(0)).join().expect("rank 0")
    })
}

struct Pair {
    ranks: Ranks,
    ways: [Way; 2],
    inboxes: [&'static Inbox; 2],
}

// SAFETY: each rank's thread uses its own inbox only.
unsafe impl Sync for Pair {}

impl Pair {
    fn start(mca: &[(&str, &str)]) -> Self {
        let inboxes: [&'static Inbox; 2] = std::array::from_fn(|_| {
            let inbox = Inbox::default();
            // SAFETY: not shared yet.
            unsafe { (*inbox.buffer.get()).resize(1 << 20, 0) };
            &*Box::leak(Box::new(inbox))
        });
        let ranks = Ranks::start(2, THREAD_SINGLE, mca, |rank, system| {
            let context = std::ptr::from_ref(inboxes[rank as usize]).cast_mut().cast();
            // SAFETY: inboxes live as long as the process.
            assert!(unsafe { system.receive_register(TAG, arrive, context) });
        })
        .unwrap_or_else(|problem| panic!("{problem}"));
        let way = |from, to| ranks.way(from, to).unwrap_or_else(|problem| panic!("{problem}"));
        let ways = [way(0, 1), way(1, 0)];
        Self { ranks, ways, inboxes }
    }

    fn received(&self, rank: u32) -> u64 {
        // SAFETY: on the rank's own thread.
        unsafe { *self.inboxes[rank as usize].count.get() }
    }

    #[inline]
    fn poll(&self, rank: u32) {
        let pool = self.ways[rank as usize].module().pool;
        // SAFETY: the rank's thread is the only one that uses its instance.
        unsafe {
            let cri = (*pool).instances;
            ((*pool).progress.unwrap_unchecked())((*pool).module, cri);
        }
    }

    #[inline]
    fn send(&self, rank: u32, payload: &[u8]) {
        let way = self.ways[rank as usize];
        let module = way.module();
        loop {
            // SAFETY: as above.
            let sent = unsafe {
                if payload.len() + HEADER.len() <= module.immediate_limit as usize {
                    way.send(way.cri(0), TAG, &HEADER, payload)
                } else {
                    way.send_packed(way.cri(0), TAG, &HEADER, payload)
                }
            };
            match sent {
                DONE => return,
                NO_RESOURCES => self.poll(rank),
                error => panic!("{error}"),
            }
        }
    }

    fn wait(&self, rank: u32, count: u64, engine: bool) {
        while self.received(rank) < count {
            if engine {
                self.ranks.system(rank).progress();
            } else {
                self.poll(rank);
            }
        }
    }

    /// Nanoseconds of half a round trip.
    fn ping_pong(&self, len: usize, turns: u64, engine: bool) -> f64 {
        let payload = vec![1u8; len];
        let time = best(|rank| {
            let before = self.received(rank);
            for turn in 1..=turns {
                if rank == 0 {
                    self.send(0, &payload);
                }
                self.wait(rank, before + turn, engine);
                if rank == 1 {
                    self.send(1, &payload);
                }
            }
        });
        time.as_nanos() as f64 / turns as f64 / 2.0
    }

    /// Million messages a second in one direction, answered once for each window.
    fn rate(&self, len: usize, windows: u64) -> f64 {
        const WINDOW: u64 = 64;
        let payload = vec![1u8; len];
        let time = best(|rank| {
            let before = self.received(rank);
            for window in 1..=windows {
                if rank == 0 {
                    (0..WINDOW).for_each(|_| self.send(0, &payload));
                    self.wait(0, before + window, false);
                } else {
                    self.wait(1, before + window * WINDOW, false);
                    self.send(1, &[]);
                }
            }
        });
        (windows * WINDOW) as f64 / time.as_nanos() as f64 * 1e3
    }

    /// Nanoseconds of a get of `len` bytes and the message that asks for it, as in a rendezvous, with
    /// buffers of one's own for each direction.
    fn get(&self, len: usize, turns: u64) -> f64 {
        let mut source = vec![1u8; len];
        let remote = source.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the memory is concealed below.
        let (registration, packed) = unsafe { self.ways[0].expose(&mut source) };
        // SAFETY: the key is the peer's.
        let key = Shared(unsafe { self.ways[1].unpack(&packed) }.1);
        let time = best(|rank| {
            let before = self.received(rank);
            if rank == 0 {
                for turn in 1..=turns {
                    self.send(0, &[0; 40]);
                    self.wait(0, before + turn, false);
                }
                return;
            }
            let mut local = vec![0u8; len];
            for turn in 1..=turns {
                self.wait(1, before + turn, false);
                self.fetch(&mut local, remote, &key);
                self.send(1, &[0; 8]);
            }
        });
        // SAFETY: nothing is under way.
        unsafe {
            self.ways[1].release(key.0);
            self.ways[0].conceal(registration);
        }
        time.as_nanos() as f64 / turns as f64
    }

    fn fetch(&self, local: &mut [u8], remote: u64, key: &Shared) {
        unsafe extern "C" fn done(completion: *mut BtlCompletion, status: i32) {
            assert_eq!(status, DONE, "a get failed");
            // SAFETY: the flag below.
            unsafe { *(*completion).context.cast::<bool>() = true };
        }
        let mut finished = false;
        let mut completion =
            BtlCompletion { done: Some(done), context: (&raw mut finished).cast() };
        let transfer = BtlTransfer {
            local: local.as_mut_ptr().cast(),
            registration: std::ptr::null_mut(),
            remote,
            key: key.0,
            len: local.len(),
        };
        let way = self.ways[1];
        // SAFETY: rank 1's thread; everything stays until it is finished.
        match unsafe { way.get(way.cri(0), &transfer, &raw mut completion) } {
            DONE => {}
            QUEUED => {
                // SAFETY: written by the completion, on this thread.
                while !unsafe { (&raw const finished).read_volatile() } {
                    self.poll(1);
                }
            }
            other => panic!("get: {other}"),
        }
    }
}

/// A key that both threads know.
struct Shared(*mut c_void);

// SAFETY: a number.
unsafe impl Sync for Shared {}

/// Nanoseconds that a cache line needs from one core to the other.
fn floor(turns: u64) -> f64 {
    let lines = [Line::default(), Line::default()];
    let time = best(|rank| {
        let own = &lines[rank as usize].0;
        let other = &lines[1 - rank as usize].0;
        let start = own.load(Ordering::Relaxed);
        for turn in start + 1..=start + turns {
            if rank == 0 {
                own.store(turn, Ordering::Release);
            }
            while other.load(Ordering::Acquire) != turn {
                spin_loop();
            }
            if rank == 1 {
                own.store(turn, Ordering::Release);
            }
        }
    });
    black_box(time.as_nanos() as f64 / turns as f64 / 2.0)
}

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let wanted = |what: &str| {
        let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
        words.is_empty() || words.iter().any(|word| word == what)
    };
    println!("cache line handover            {:8.0} ns", floor(100_000));
    let pair = Pair::start(&[("btl", "sm")]);
    if wanted("latency") {
        for len in [0, 8, 40, 41, 100, 256, 1024, 4096, 8000, 16_000, 32_000] {
            let turns = if len <= 1024 { 100_000 } else { 20_000 };
            println!("half a round trip, {len:6} B   {:8.0} ns", pair.ping_pong(len, turns, false));
        }
        println!("the same through the engine, 8 B {:6.0} ns", pair.ping_pong(8, 100_000, true));
    }
    if wanted("rate") {
        for len in [0, 8, 40, 100, 1024] {
            println!("message rate, {len:6} B        {:8.1} M/s", pair.rate(len, 10_000));
        }
    }
    if wanted("get") {
        for mover in ["ring", "cma", "ring,cma"] {
            let pair = Pair::start(&[("btl", "sm"), ("smsc", mover)]);
            for len in [8 << 10, 16 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20] {
                let time = pair.get(len, (200_000_000 / len as u64).min(5000));
                let rate = len as f64 / time;
                println!("get by {mover:8} {:5} KiB {time:9.0} ns {rate:6.1} GB/s", len >> 10);
            }
        }
    }
}
