//! Synchronisation: the words of the control blocks, and how a thread waits for them.

use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_UNSUPPORTED};
use cairn_framework::author::{Failure, HostHandle, Outcome, Seldom, wake_sleepers};
use cairn_framework::frameworks::osc::{
    OSC_COMPLETE, OSC_FENCE, OSC_FLUSH, OSC_FLUSH_LOCAL, OSC_LOCK, OSC_LOCK_ALL, OSC_POST,
    OSC_START, OSC_SYNC, OSC_TEST, OSC_UNLOCK, OSC_UNLOCK_ALL, OSC_WAIT, OscSync,
};

use cairn_framework::sync::full_fence;

use crate::window::{Shared, SmWindow};

/// `MPI_MODE_NOCHECK`.
const NO_CHECK: u32 = 1024;
/// `MPI_MODE_NOPRECEDE`.
const NO_PRECEDE: u32 = 2048;
/// `MPI_MODE_NOSUCCEED`.
const NO_SUCCEED: u32 = 16384;

/// [`SmWindow::held`].
const FREE: u8 = 0;
const SHARED: u8 = 1;
const EXCLUSIVE: u8 = 2;
/// The program says that no lock is needed.
const UNCHECKED: u8 = 3;

/// Waits until `done`, for which `word` changes; `sleeping` is around every sleep on it.
fn wait(
    host: HostHandle,
    shared: &Shared,
    word: &AtomicU32,
    mut done: impl FnMut() -> bool,
    sleeping: impl Fn(&mut dyn FnMut() -> Result<(), Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if done() || host.job().poll_until(|_| host.progress(), &mut done) {
        return Ok(());
    }
    shared.waiting(|| {
        loop {
            // Acquire: what changed before is seen by `done`.
            let expected = word.load(Ordering::Acquire);
            if done() {
                return Ok(());
            }
            shared.check()?;
            sleeping(&mut || host.wait(&WaitSync { expected, word, ..WaitSync::of(1) }))?;
        }
    })
}

/// Synchronises.
///
/// # Safety
/// The ranks are there.
#[inline]
pub unsafe fn synchronize(
    host: HostHandle,
    window: &SmWindow,
    sync: &OscSync,
) -> Result<Outcome, Failure> {
    if matches!(sync.kind, OSC_FLUSH | OSC_FLUSH_LOCAL | OSC_SYNC) {
        flush(host);
        return Ok(Outcome::Done);
    }
    // SAFETY: promised by the caller.
    unsafe { synchronize_otherwise(host, window, sync) }
}

/// The same for what is seldom.
///
/// # Safety
/// As for `synchronize`.
#[cold]
unsafe fn synchronize_otherwise(
    host: HostHandle,
    window: &SmWindow,
    sync: &OscSync,
) -> Result<Outcome, Failure> {
    let ranks = || {
        let count = sync.rank_count as usize;
        let ranks = match count {
            0 => &[],
            // SAFETY: promised by the caller.
            _ => unsafe { std::slice::from_raw_parts(sync.ranks, count) },
        };
        match ranks.iter().all(|rank| *rank < window.shared.size) {
            true => Ok(ranks),
            false => Err(Failure::new(ERR_ARGUMENT, "no such rank")),
        }
    };
    match sync.kind {
        OSC_FENCE => barrier(host, window, sync.assertions)?,
        OSC_LOCK => lock(host, window, target(window, sync)?, sync.shared != 0, sync.assertions)?,
        OSC_UNLOCK => unlock(window, target(window, sync)?),
        OSC_LOCK_ALL => {
            for target in 0..window.shared.size {
                if let Err(failure) = lock(host, window, target, true, sync.assertions) {
                    (0..target).for_each(|held| unlock(window, held));
                    return Err(failure);
                }
            }
        }
        OSC_UNLOCK_ALL => (0..window.shared.size).for_each(|target| unlock(window, target)),
        OSC_POST => post(window, ranks()?, sync.assertions),
        OSC_START => start(host, window, ranks()?, sync.assertions)?,
        OSC_COMPLETE => {
            let started = std::mem::take(&mut *window.started.lock());
            started.into_iter().for_each(|target| window.shared.control(target).complete());
        }
        OSC_WAIT => {
            let shared = &window.shared;
            let news = &shared.own().news;
            let done = || is_complete(window);
            wait(host, shared, news.word(), done, |sleep| news.sleeping(sleep))?;
        }
        OSC_TEST => {
            if !is_complete(window) {
                host.progress();
                if !is_complete(window) {
                    window.shared.check()?;
                    return Ok(Outcome::Nothing);
                }
            }
        }
        kind => return Err(Failure::new(ERR_UNSUPPORTED, format!("synchronisation {kind}"))),
    }
    Ok(Outcome::Done)
}

/// Flushes of a thread between two passes.
static FLUSHES: Seldom = Seldom::new(64);

/// Operations are done when they have returned.
#[inline]
fn flush(host: HostHandle) {
    full_fence();
    // A thread may do nothing but this while it waits.
    if FLUSHES.is_due() {
        host.progress();
    }
}

fn target(window: &SmWindow, sync: &OscSync) -> Result<u32, Failure> {
    let target = u32::try_from(sync.target).ok().filter(|target| *target < window.shared.size);
    target.ok_or_else(|| Failure::new(ERR_ARGUMENT, "no such rank"))
}

/// The barrier of a fence, unless there is nothing before it and nothing behind it.
fn barrier(host: HostHandle, window: &SmWindow, assertions: u32) -> Result<(), Failure> {
    full_fence();
    if assertions & (NO_PRECEDE | NO_SUCCEED) == NO_PRECEDE | NO_SUCCEED {
        return Ok(());
    }
    let shared = &window.shared;
    let board = shared.control(0);
    let Some(generation) = board.arrive(shared.size) else { return Ok(()) };
    let signal = board.generation();
    let done = || board.is_over(generation);
    wait(host, shared, signal.word(), done, |sleep| signal.sleeping(sleep))
}

fn lock(
    host: HostHandle,
    window: &SmWindow,
    target: u32,
    shared: bool,
    assertions: u32,
) -> Result<(), Failure> {
    let (state, held) = (&window.shared, &window.held[target as usize]);
    if assertions & NO_CHECK != 0 {
        held.store(UNCHECKED, Ordering::Relaxed);
        // What the holder before has done is seen.
        full_fence();
        return Ok(());
    }
    let word = &state.control(target).lock;
    let done = || word.try_lock(shared, state.rank);
    let locked = wait(host, state, word.word(), done, |sleep| word.sleeping(sleep));
    if let Err(failure) = locked {
        if !shared && word.withdraw() {
            wake_sleepers(word.word());
        }
        return Err(failure);
    }
    held.store(if shared { SHARED } else { EXCLUSIVE }, Ordering::Relaxed);
    Ok(())
}

fn unlock(window: &SmWindow, target: u32) {
    let word = &window.shared.control(target).lock;
    let left = match window.held[target as usize].swap(FREE, Ordering::Relaxed) {
        SHARED => word.unlock(true),
        EXCLUSIVE => word.unlock(false),
        _ => {
            full_fence();
            false
        }
    };
    if left {
        wake_sleepers(word.word());
    }
}

/// Begins an exposure epoch.
fn post(window: &SmWindow, origins: &[u32], assertions: u32) {
    let shared = &window.shared;
    window.expected.fetch_add(origins.len() as u32, Ordering::Relaxed);
    if assertions & NO_CHECK != 0 {
        full_fence();
        return;
    }
    for origin in origins {
        shared.posts(shared.rank, *origin).fetch_add(1, Ordering::Release);
        shared.control(*origin).news.raise();
    }
}

/// Begins an access epoch: all targets have posted when it returns.
fn start(
    host: HostHandle,
    window: &SmWindow,
    targets: &[u32],
    assertions: u32,
) -> Result<(), Failure> {
    let shared = &window.shared;
    if assertions & NO_CHECK == 0 {
        let news = &shared.own().news;
        for target in targets {
            let (posts, met) = (shared.posts(*target, shared.rank), &window.met[*target as usize]);
            let before = met.load(Ordering::Relaxed);
            let done = || posts.load(Ordering::Acquire) != before;
            wait(host, shared, news.word(), done, |sleep| news.sleeping(sleep))?;
            met.store(before.wrapping_add(1), Ordering::Relaxed);
        }
    }
    *window.started.lock() = targets.to_vec();
    Ok(())
}

/// Whether all origins of the exposure epoch have completed their accesses.
fn is_complete(window: &SmWindow) -> bool {
    window.shared.own().completed() == window.expected.load(Ordering::Relaxed)
}
