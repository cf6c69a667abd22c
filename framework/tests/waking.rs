//! A thread that is woken finds the one that woke it outside of the sync object, also where both share a processor
//! and the one that wakes loses it at once.
#![cfg(feature = "host")]

use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::request::{SYNC_SIGNALLED, WaitSync};

const ROUNDS: usize = 200;

/// Has the calling thread run on the first processor that it may use.
fn pin() {
    // SAFETY: the set lives during the calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&set), &raw mut set), 0);
        let first = (0..libc::CPU_SETSIZE as usize).find(|cpu| libc::CPU_ISSET(*cpu, &set));
        libc::CPU_ZERO(&mut set);
        libc::CPU_SET(first.expect("it runs somewhere"), &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
    }
}

/// Waits until a thread of this process is in a system call in which it sleeps: futex(2).
fn until_it_sleeps(thread: i32, since: Instant) {
    let path = format!("/proc/self/task/{thread}/syscall");
    loop {
        let said = std::fs::read_to_string(&path).expect("the kernel says what threads do");
        let call = said.split(' ').next().and_then(|number| number.parse().ok());
        if call == Some(libc::SYS_futex) {
            return;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it never sleeps: {said}");
        std::thread::yield_now();
    }
}

#[test]
fn who_is_woken_need_not_wait_for_the_one_that_woke() {
    let since = Instant::now();
    let (sleeper, thread) = (AtomicPtr::<WaitSync>::default(), AtomicI32::new(0));
    let inside = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin();
            // SAFETY: it has no arguments.
            thread.store(unsafe { libc::gettid() }, Ordering::Release);
            for _ in 0..ROUNDS {
                let sync = WaitSync::of(1);
                sleeper.store((&raw const sync).cast_mut(), Ordering::Release);
                while sync.sleeping.load(Ordering::Acquire) != SYNC_SIGNALLED {
                    sync.pause(0);
                }
                inside.fetch_add(sync.signalling.load(Ordering::Acquire), Ordering::Relaxed);
                while !sync.is_complete() {
                    std::thread::yield_now();
                }
            }
        });
        scope.spawn(|| {
            pin();
            for _ in 0..ROUNDS {
                let mut found = std::ptr::null_mut::<WaitSync>();
                while found.is_null() {
                    std::thread::yield_now();
                    found = sleeper.swap(std::ptr::null_mut(), Ordering::Acquire);
                }
                until_it_sleeps(thread.load(Ordering::Acquire), since);
                // SAFETY: it stays until it has been completed.
                unsafe { (*found).complete_one() };
            }
        });
    });
    assert_eq!(inside.into_inner(), 0, "times of {ROUNDS} that the one that woke was inside");
}
