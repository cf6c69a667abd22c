//! Synchronisation: what makes targets ready, and how epochs end.

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_UNSUPPORTED, OK};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::issue::{Decision, ISSUE_FENCE, ISSUE_LOCK, ISSUE_PSCW};
use cairn_framework::frameworks::osc::{
    OSC_COMPLETE, OSC_FENCE, OSC_FLUSH, OSC_FLUSH_LOCAL, OSC_LOCK, OSC_LOCK_ALL, OSC_POST,
    OSC_START, OSC_SYNC, OSC_TEST, OSC_UNLOCK, OSC_UNLOCK_ALL, OSC_WAIT, OscSync,
};

use crate::lock_queue::Waiting;
use crate::outgoing::{End, Hold, Outgoing};
use crate::state::{State, died};
use crate::window::Shared;
use crate::wire::{Header, Kind};

/// `MPI_MODE_NOCHECK`.
const NO_CHECK: u32 = 1024;
/// `MPI_MODE_NOPRECEDE`.
const NO_PRECEDE: u32 = 2048;
/// `MPI_MODE_NOSUCCEED`.
const NO_SUCCEED: u32 = 16384;

/// Synchronises.
///
/// # Safety
/// The ranks are there.
pub unsafe fn synchronize(shared: &Shared, sync: &OscSync) -> Result<Outcome, Failure> {
    let wrong = || Failure::new(ERR_ARGUMENT, "no such rank");
    let ranks = || {
        let ranks = match sync.rank_count as usize {
            0 => &[],
            // SAFETY: promised by the caller.
            count => unsafe { core::slice::from_raw_parts(sync.ranks, count) },
        };
        let known = ranks.iter().all(|rank| *rank < shared.size);
        if known { Ok(ranks) } else { Err(wrong()) }
    };
    // That of one target, or those of all.
    let targets = || match u32::try_from(sync.target) {
        Err(_) => Ok(0..shared.size),
        Ok(target) if target < shared.size => Ok(target..target + 1),
        Ok(_) => Err(wrong()),
    };
    let (is_shared, checked) = (sync.shared != 0, sync.assertions & NO_CHECK == 0);
    match sync.kind {
        OSC_FENCE => fence(shared, sync.assertions)?,
        OSC_START => shared.with(|state| start(shared, state, ranks()?, checked))?,
        OSC_COMPLETE => complete(shared)?,
        OSC_POST => shared.with(|state| post(shared, state, ranks()?, checked))?,
        OSC_WAIT => shared.wait(is_exposure_over).map(drop)?,
        OSC_TEST => {
            if !shared.with(is_exposure_over)? {
                shared.host.progress();
                if !shared.with(is_exposure_over)? {
                    return Ok(Outcome::Nothing);
                }
            }
        }
        OSC_LOCK => lock(shared, targets()?, is_shared, checked, true)?,
        OSC_LOCK_ALL => lock(shared, 0..shared.size, true, checked, false)?,
        OSC_UNLOCK => unlock(shared, targets()?)?,
        OSC_UNLOCK_ALL => unlock(shared, 0..shared.size)?,
        OSC_FLUSH => flush(shared, targets()?, true)?,
        OSC_FLUSH_LOCAL => flush(shared, targets()?, false)?,
        OSC_SYNC => {
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            // A program that polls its own memory waits for what progress brings, or for what others do when they
            // have its operations.
            shared.with(|state| push(shared, state))?;
            shared.host.progress();
        }
        kind => return Err(Failure::new(ERR_UNSUPPORTED, format!("synchronisation {kind}"))),
    }
    Ok(Outcome::Done)
}

type Ranks = core::ops::Range<u32>;

/// The first error that one of the targets has told of.
fn errors(state: &mut State, targets: impl IntoIterator<Item = u32>) -> Result<(), Failure> {
    let told = targets.into_iter().map(|rank| state.outgoing[rank as usize].take_error());
    // All are taken, the first one is told.
    match told.fold(OK, |first, next| if first == OK { next } else { first }) {
        OK => Ok(()),
        status => Err(Failure::new(status, "an operation failed at its target")),
    }
}

/// `MPI_Win_fence`.
fn fence(shared: &Shared, assertions: u32) -> Result<(), Failure> {
    // Whatever went wrong with an operation, the others wait for this process.
    let settled = shared.settle(0..shared.size, true);
    let completes = shared.with(|state| state.check_everybody().map(|()| state.fence.open))?
        && assertions & NO_PRECEDE == 0;
    let (passed, told) = if completes { complete_fence(shared)? } else { (false, Ok(())) };
    let opens = assertions & NO_SUCCEED == 0;
    let decision = if opens { shared.policy.epoch_open(ISSUE_FENCE) } else { Decision::Hold };
    // Where operations need not wait for their targets, they go at once.
    let all_early = decision != Decision::Hold || (opens && shared.takes_locks());
    if all_early && !passed {
        barrier(shared)?;
    }
    shared.with(|state| {
        state.close_epoch(shared, None);
        state.epoch = ISSUE_FENCE;
        state.decision = decision;
        let fence = &mut state.fence;
        (fence.open, fence.all_early, fence.went) = (opens, all_early, false);
        fence.passed = opens && (passed || all_early);
        let passed = fence.passed;
        for (rank, out) in state.outgoing.iter_mut().enumerate() {
            // This process has come to the fence.
            out.set_ready(opens && (passed || rank as u32 == shared.rank));
            out.decision = Decision::Hold;
        }
    });
    settled.and(told)
}

/// Ends the epoch of the last fence. Whether it is known that all that came before is done everywhere, and what went
/// wrong with operations.
fn complete_fence(shared: &Shared) -> Result<(bool, Result<(), Failure>), Failure> {
    let all_early = shared.with(|state| {
        let all_early = state.fence.all_early;
        if !all_early && state.fence.sum.is_none() {
            state.start_sum(shared, false)?;
        }
        Ok::<_, Failure>(all_early)
    })?;
    let mut sums = [0, 1];
    if !all_early {
        shared.wait(|state| match state.take_sum() {
            None => state.check_everybody().map(|()| false),
            Some(Ok(ended)) => {
                sums = ended;
                Ok(true)
            }
            Some(Err(status)) => Err(Failure::new(status, "the sum of a fence")),
        })?;
    }
    let [origins, early] = sums;
    let end = if early > 0 { End::Answer } else { End::Fence };
    shared.with(|state| {
        for out in &mut state.outgoing {
            if !out.queue.is_empty() || !out.fetching.is_empty() || out.is_unasked() {
                out.finish(end);
            }
        }
        state.pass_fence(shared);
    });
    let ended = |state: &State| state.outgoing.iter().all(|out| out.has_ended());
    if early > 0 {
        shared.wait(|state| {
            state.check_everybody()?;
            Ok(ended(state) && state.outgoing.iter().all(|out| out.is_answered()))
        })?;
        barrier(shared)?;
    } else {
        shared.wait(|state| {
            let over = ended(state) && state.fence.arrived >= origins;
            if !over {
                return state.check_everybody().map(|()| false);
            }
            state.fence.arrived -= origins;
            state.outgoing.iter_mut().for_each(Outgoing::settle);
            Ok(true)
        })?;
    }
    Ok((early > 0, shared.with(|state| errors(state, 0..shared.size))))
}

/// Waits until all processes have come here, or one has died. Those that hear of a death can't tell the others.
fn barrier(shared: &Shared) -> Result<(), Failure> {
    shared.with(|state| state.start_barrier(shared))?;
    shared
        .wait(|state| match state.take_barrier() {
            None => state.check_everybody().map(|()| false),
            Some(Ok(())) => Ok(true),
            Some(Err(status)) => Err(Failure::new(status, "the barrier of a fence")),
        })
        .map(drop)
}

/// `MPI_Win_start`: does not wait.
fn start(
    shared: &Shared,
    state: &mut State,
    targets: &[u32],
    checked: bool,
) -> Result<(), Failure> {
    state.check_all(targets)?;
    state.epoch = ISSUE_PSCW;
    state.decision = shared.policy.epoch_open(ISSUE_PSCW);
    state.measured = Default::default();
    state.measured.ask();
    state.started = targets.to_vec();
    for out in &mut state.outgoing {
        out.set_ready(false);
    }
    for target in targets {
        let out = &mut state.outgoing[*target as usize];
        out.set_ready(!checked);
        out.needs_post = checked;
        out.decision = Decision::Hold;
        state.take_post(shared, *target);
    }
    Ok(())
}

/// `MPI_Win_complete`.
fn complete(shared: &Shared) -> Result<(), Failure> {
    let settled = match shared.has_direct() {
        true => {
            let started = shared.with(|state| state.started.clone());
            settle_all(shared, started)
        }
        false => Ok(()),
    };
    let started = shared.with(|state| {
        state.check()?;
        // Errors of dynamic windows are found at the target.
        let end = End::Complete { answered: state.memory.is_dynamic() };
        let started = state.started.clone();
        for target in &started {
            state.outgoing[*target as usize].finish(end);
            state.pump(shared, *target);
        }
        Ok::<_, Failure>(started)
    })?;
    shared.wait(|state| {
        let outgoing = &state.outgoing;
        Ok(started.iter().all(|target| {
            let out = &outgoing[*target as usize];
            out.has_ended() && out.is_answered()
        }))
    })?;
    shared.with(|state| {
        state.close_epoch(shared, None);
        state.decision = Decision::Hold;
        for target in &started {
            let out = &mut state.outgoing[*target as usize];
            out.set_ready(false);
            out.settle();
        }
        state.started.clear();
        errors(state, started)
    })?;
    settled
}

/// What went to these targets over devices is done there. The first error.
fn settle_all(shared: &Shared, targets: Vec<u32>) -> Result<(), Failure> {
    let settle = |target| shared.settle(target..target + 1, true);
    targets.into_iter().map(settle).fold(Ok(()), Result::and)
}

/// `MPI_Win_post`.
fn post(shared: &Shared, state: &mut State, origins: &[u32], checked: bool) -> Result<(), Failure> {
    state.check()?;
    state.exposed = origins.to_vec();
    if checked {
        origins.iter().for_each(|origin| state.tell(shared, *origin, Header::new(Kind::Post)));
    }
    Ok(())
}

/// Whether all origins of the exposure epoch have completed theirs; then it is over.
fn is_exposure_over(state: &mut State) -> Result<bool, Failure> {
    let State { exposed, incoming, .. } = &mut *state;
    let missing = |origin: &&u32| incoming[**origin as usize].completed == 0;
    if exposed.iter().any(|origin| missing(&origin)) {
        state.check_all(
            state.exposed.iter().filter(|origin| state.incoming[**origin as usize].completed == 0),
        )?;
        return Ok(false);
    }
    exposed.drain(..).for_each(|origin| incoming[origin as usize].completed -= 1);
    Ok(true)
}

/// `MPI_Win_lock`, and of all. Waits for the lock of this process's own memory alone, after those that were
/// locked before it, and begins for one target what the strategy says.
fn lock(
    shared: &Shared,
    targets: Ranks,
    is_shared: bool,
    checked: bool,
    alone: bool,
) -> Result<(), Failure> {
    let own = targets.contains(&shared.rank) && checked;
    let mut begins = false;
    shared.with(|state| {
        state.check()?;
        if state.epoch != ISSUE_LOCK {
            state.epoch = ISSUE_LOCK;
            state.decision = Decision::Hold;
            for out in &mut state.outgoing {
                out.hold = Hold::Free;
                out.set_ready(false);
            }
        }
        if alone {
            state.check_all(&[targets.start])?;
        }
        for target in targets.clone() {
            let decision = shared.policy.epoch_open(ISSUE_LOCK);
            let out = &mut state.outgoing[target as usize];
            out.decision = if alone { decision } else { Decision::Hold };
            out.measured = Default::default();
            let wanted = Hold::Wanted { shared: is_shared };
            let ready;
            (out.hold, ready) = match checked {
                _ if out.dead => (Hold::Refused, false),
                true => (wanted, false),
                false => (Hold::Unchecked, true),
            };
            out.set_ready(ready);
            if target == shared.rank || !checked {
                continue;
            }
            if alone {
                state.order.enter(target);
                begins = decision != Decision::Hold;
            }
        }
        if begins && !shared.takes_locks() {
            state.begin(shared, targets.start)?;
        }
        if own && alone {
            state.order.begin_all();
            state.ask_next(shared);
        }
        Ok::<_, Failure>(())
    })?;
    if alone && checked && shared.takes_locks() {
        let target = targets.start;
        let taken = shared.take_lock(target)? == Some(true);
        if begins && !taken {
            shared.with(|state| state.begin(shared, target))?;
        }
    }
    if !own {
        return Ok(());
    }
    let mut asked = false;
    shared
        .wait(|state| {
            if !asked {
                if alone && state.order.is_missing(&state.outgoing) {
                    return Ok(false);
                }
                asked = true;
                state.outgoing[shared.rank as usize].hold = Hold::Asked { shared: is_shared };
                let wish = Waiting { rank: shared.rank, shared: is_shared, operation: None };
                let entered = state.locks.enter(wish);
                debug_assert!(entered, "a program locks a window once");
                state.grant(shared);
            }
            match state.outgoing[shared.rank as usize].hold {
                Hold::Held { .. } => Ok(true),
                Hold::Refused => Err(died()),
                _ => Ok(false),
            }
        })
        .map(drop)
}

/// `MPI_Win_unlock`, and of all. Each lock goes back as soon as its own target is done: who waits for it may have another
/// one for which this process waits.
fn unlock(shared: &Shared, targets: Ranks) -> Result<(), Failure> {
    let settled = shared.settle(targets.clone(), true);
    let ended = end_locks(shared, &targets);
    let (not_told, mut result) = (ended.is_err(), settled.and(ended));
    let mut left: Vec<u32> = targets.collect();
    let is_over = |state: &State, target: u32| {
        let out = &state.outgoing[target as usize];
        out.has_ended() && out.is_answered()
    };
    while !left.is_empty() {
        let waited = match not_told {
            true => Ok(false),
            false => shared.wait(|state| Ok(left.iter().any(|target| is_over(state, *target)))),
        };
        // Whatever has gone wrong: others wait for the locks.
        let lost = not_told || waited.is_err();
        let mut taken = Vec::new();
        let told = shared.with(|state| {
            let over = left.extract_if(.., |target| lost || is_over(state, *target));
            let over: Vec<u32> = over.collect();
            for target in &over {
                taken.extend(give_up_lock(shared, state, *target, lost));
            }
            errors(state, over)
        });
        let release = |(target, is_shared)| shared.release_lock(target, is_shared);
        let released = taken.into_iter().map(release).fold(Ok(()), Result::and);
        result = result.and(waited.map(drop)).and(told).and(released);
    }
    result
}

/// The lock of a target is the program's no more. What has to be given back without the target, and how it was taken.
/// In a window that is `lost` nothing else tells the target.
fn give_up_lock(
    shared: &Shared,
    state: &mut State,
    target: u32,
    lost: bool,
) -> Option<(u32, bool)> {
    state.close_epoch(shared, Some(target));
    let out = &mut state.outgoing[target as usize];
    let hold = core::mem::replace(&mut out.hold, Hold::Free);
    out.decision = Decision::Hold;
    out.set_ready(false);
    if lost {
        out.end = None;
        state.order.leave(target);
        if matches!(hold, Hold::Held { .. }) {
            state.tell(shared, target, Header::new(Kind::Unlock));
        }
    }
    if let Hold::Taken { shared } = hold { Some((target, shared)) } else { None }
}

/// All that went to these targets by messages is to end.
fn end_locks(shared: &Shared, targets: &Ranks) -> Result<(), Failure> {
    shared.with(|state| {
        state.check()?;
        for target in targets.clone() {
            let out = &mut state.outgoing[target as usize];
            let answers = matches!(out.hold, Hold::Unchecked | Hold::Taken { .. });
            out.finish(if answers { End::Answer } else { End::Unlock });
            state.pump(shared, target);
        }
        Ok(())
    })
}

/// Lets the operations of an epoch of locks go that wait for its end. A program that synchronizes before that may be
/// waiting for what another process does when it has one of them (as a spin lock does that flushes nothing but its
/// own memory).
fn push(shared: &Shared, state: &mut State) -> Result<(), Failure> {
    if state.epoch != ISSUE_LOCK {
        return Ok(());
    }
    let mut behind = core::mem::take(&mut state.behind);
    let begun = behind.drain(..).try_for_each(|target| {
        let out = &mut state.outgoing[target as usize];
        out.is_behind = false;
        if !out.queue.is_empty() {
            out.forced = out.forced.max(out.issued);
            state.begin(shared, target)?;
            state.pump(shared, target);
        }
        Ok(())
    });
    debug_assert!(state.behind.is_empty(), "only operations that start are behind");
    // It keeps its memory.
    state.behind = behind;
    begun
}

/// What a flush waits for of a target.
#[derive(Clone, Copy, Default)]
struct Through {
    /// The last operation that was issued.
    issued: u64,
    /// The last packet of those, once it was sent.
    last: Option<u64>,
}

/// `MPI_Win_flush` and the others: what any thread has issued before is done, at the target if `remote`. Ends
/// although others go on to issue.
fn flush(shared: &Shared, targets: Ranks, remote: bool) -> Result<(), Failure> {
    let mut settled = Ok(());
    if shared.has_direct() {
        settled = shared.settle(targets.clone(), remote);
        if !shared.is_busy(targets.clone()) {
            shared.pass_by();
            return settled;
        }
    }
    if remote && targets.len() == 1 && await_answer(shared, targets.start)? {
        return settled;
    }
    let (mut one, mut many) = ([Through::default()], Vec::new());
    let through = match targets.len() {
        1 => &mut one[..],
        count => {
            many.resize(count, Through::default());
            &mut many[..]
        }
    };
    let mut begun = false;
    let waited = shared.wait(|state| {
        if !begun {
            begun = true;
            for (target, through) in targets.clone().zip(through.iter_mut()) {
                through.issued = state.outgoing[target as usize].issued;
            }
            let_go(shared, state, targets.clone(), remote)?;
        }
        let mut done = true;
        for (target, through) in targets.clone().zip(through.iter_mut()) {
            done &= has_come(shared, state, target, through, remote);
        }
        if done { errors(state, targets.clone()).map(|()| true) } else { Ok(false) }
    })?;
    if !waited {
        // A program that waits for its own memory may flush only that.
        shared.host.progress();
    }
    settled
}

/// What was issued for these targets goes out. The last operation for each asks for the answer, if the flush is `remote`.
fn let_go(shared: &Shared, state: &mut State, targets: Ranks, remote: bool) -> Result<(), Failure> {
    state.check()?;
    for target in targets {
        let out = &mut state.outgoing[target as usize];
        if remote && !out.queue.is_empty() {
            out.answer_at = out.issued;
        }
    }
    push(shared, state)
}

/// The short way of a flush: all that was issued for one target goes out at once, and this thread polls for its answer
/// without being one of those that the state has to wake. Whether it has come, and with it no error.
fn await_answer(shared: &Shared, target: u32) -> Result<bool, Failure> {
    let (issued, last) = shared.with(|state| {
        let_go(shared, state, target..target + 1, true)?;
        let out = &state.outgoing[target as usize];
        // What waits for the target, or for room, has no number yet.
        let last = out.queue.is_empty().then_some(out.last);
        let issued = out.issued;
        if last.is_some_and(|last| out.asked < last) {
            state.ask(shared, target);
        }
        Ok::<_, Failure>((issued, last))
    })?;
    let (Some(last), Some(hot)) = (last, shared.hot(target)) else { return Ok(false) };
    let has_come = || hot.answered() >= last;
    let is_over = || has_come() || shared.is_lost();
    if is_over() {
        // A program that waits for its own memory may flush only that.
        shared.host.progress();
    } else {
        shared.host.job().poll_until(|_| shared.host.progress(), is_over);
    }
    if !has_come() {
        return Ok(false);
    }
    if !hot.is_busy() {
        return Ok(true);
    }
    // Something has gone wrong, or others go on; or the target has answered what it was not asked.
    shared.with(|state| match state.outgoing[target as usize].is_local(issued) {
        true => errors(state, [target]).map(|()| true),
        false => Ok(false),
    })
}

/// Whether what a flush waits for of a target is done; the target is asked when it has everything.
fn has_come(
    shared: &Shared,
    state: &mut State,
    target: u32,
    through: &mut Through,
    remote: bool,
) -> bool {
    let out = &state.outgoing[target as usize];
    if !out.is_local(through.issued) || !remote {
        return out.is_local(through.issued);
    }
    let last = *through.last.get_or_insert(out.last);
    if out.asked < last {
        state.ask(shared, target);
    }
    state.outgoing[target as usize].answered >= last
}
