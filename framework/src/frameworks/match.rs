//! **match** — the matching engine of a communicator: which receive gets which message.
//!
//! An engine holds the receives that were posted and not matched, and the messages that arrived and
//! were not matched. It knows source and tag, nothing of data or protocols; the `pml` component
//! puts messages of one sender into order before it hands them over.
//!
//! **Order.** A message goes to the receive that was posted first among those it matches, and a
//! receive gets the message that arrived first among those it matches (MPI 5.0, 3.5), with
//! wildcards and without. Two calls are ordered if one returned before the other began. So several
//! threads may hand in messages of one sender with different tags at the same time only if their
//! order does not matter (`CAIRN_COMM_ALLOW_OVERTAKING`); otherwise the caller lets the next one in when
//! `arrive` has returned, or when it has called `keep`: the place of a message is fixed by then.
//!
//! **Assertions.** What the program asserts of a communicator (`comm->flags`) may decide how an engine
//! is made, not whether the order holds: it also holds for a receive that breaks an assertion. The
//! flags that count are those at `engine_open`.
//!
//! **Life.** One engine a communicator, from `engine_open` to `engine_close`. When it closes, what
//! is left inside has been taken out by `drain`.
//!
//! **Threads and locks.** The functions on an engine are hot: any thread, any number at once. The
//! engine does its own locking; the caller holds no lock of it, and may hold a CRI's lock. In
//! a single-threaded process (`job->thread_level`) an engine takes no lock.
//!
//! **Ownership.** [`MatchPosted`] and [`MatchArrived`] are embedded in the caller's receive requests
//! and message buffers. They are the engine's from the call that puts them in until the call that
//! returns them.

use core::ffi::{c_char, c_void};

use super::contract;
use crate::abi::comm::Comm;
use crate::abi::component::Instance;
use crate::abi::status::{DONE, NOTHING, OutcomeCode, Status};
use crate::author::{self, Component, Failure};

/// [`MatchPosted::source`]: a message of anybody.
pub const MATCH_ANY_SOURCE: i32 = -1;
/// [`MatchPosted::tag`]: a message with any tag that is not negative. Negative tags are the
/// library's own and are matched only by naming them.
pub const MATCH_ANY_TAG: i32 = -2;

/// A posted receive.
#[repr(C)]
#[derive(Debug)]
pub struct MatchPosted {
    /// Rank of the sender or `CAIRN_MATCH_ANY_SOURCE`.
    pub source: i32,
    /// Tag or `CAIRN_MATCH_ANY_TAG`.
    pub tag: i32,
    /// The engine's own. What it has before the engine gets it says nothing.
    pub engine_private: [usize; 4],
}

/// An arrived message.
#[repr(C)]
#[derive(Debug)]
pub struct MatchArrived {
    /// Rank of the sender.
    pub source: i32,
    /// Its tag.
    pub tag: i32,
    /// The engine's own. What it has before the engine gets it says nothing.
    pub engine_private: [usize; 4],
}

/// Makes a [`MatchArrived`] that outlives the arrival, or null when there is no memory. Called by
/// `arrive`, once and only when no receive gets the message, before it is put in; it must not call
/// the engine. The message has its place among the others already: a call that begins after this one
/// comes after it. So a caller that puts a sender's messages into order may let the next one in
/// here, before it copies.
pub type MatchKeepFn = unsafe extern "C" fn(context: *mut c_void) -> *mut MatchArrived;

/// Looks at a message that `find` has found. Called while the message is in the engine and no other
/// thread can take it out, so what is read here is valid; it must not call the engine.
pub type MatchLookFn = unsafe extern "C" fn(context: *mut c_void, arrived: *mut MatchArrived);

/// What an engine holds and how hard it worked.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MatchCounts {
    /// Size of this struct in bytes, as the caller's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Receives in it.
    pub posted: u64,
    /// Messages in it.
    pub arrived: u64,
    /// Most receives ever in it.
    pub posted_max: u64,
    /// Most messages ever in it.
    pub arrived_max: u64,
    /// Calls of `post` and `arrive`.
    pub searches: u64,
    /// Entries these compared, all together.
    pub compared: u64,
    /// Most entries one of them compared.
    pub compared_max: u64,
    /// Calls of `post`.
    pub posts: u64,
    /// Calls of `arrive`.
    pub arrivals: u64,
    /// Receives that were in it when messages arrived, summed up: over the arrivals, the mean length
    /// of the queue that a message meets.
    pub posted_met: u64,
    /// Messages that were in it when receives were posted, summed up: over the posts, the mean length
    /// of the queue that a receive meets.
    pub arrived_met: u64,
}

impl Default for MatchCounts {
    fn default() -> Self {
        // SAFETY: all fields are numbers.
        let zeros: Self = unsafe { core::mem::zeroed() };
        Self { struct_size: size_of::<Self>() as u32, ..zeros }
    }
}

/// An engine's functions. `engine` is what `engine_open` stored.
#[repr(C)]
#[derive(Debug)]
pub struct MatchOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes the engine of a communicator. Set-up. Required.
    pub engine_open: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            comm: &Comm,
            engine: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees an empty engine that is not in use. Set-up. Required.
    pub engine_close: Option<unsafe extern "C" fn(engine: *mut c_void)>,
    /// A receive was posted: returns the message it gets, taken out, or null, and then the receive
    /// is in the engine. Hot. Required.
    pub post: Option<
        unsafe extern "C" fn(engine: *mut c_void, posted: *mut MatchPosted) -> *mut MatchArrived,
    >,
    /// A message arrived: returns the receive that gets it, taken out, or null, and then the
    /// message that `keep(context)` made is in the engine (or was dropped, if that was null).
    /// Hot. Required.
    pub arrive: Option<
        unsafe extern "C" fn(
            engine: *mut c_void,
            source: i32,
            tag: i32,
            keep: MatchKeepFn,
            context: *mut c_void,
        ) -> *mut MatchPosted,
    >,
    /// The message that a receive with this source and tag would get, or null; `look(context)` is
    /// called with it. With `take` 1 it is taken out and is the caller's. Without, another thread may
    /// take it as soon as `look` has returned, so the caller must not follow the result. Required.
    pub find: Option<
        unsafe extern "C" fn(
            engine: *mut c_void,
            source: i32,
            tag: i32,
            take: u32,
            look: MatchLookFn,
            context: *mut c_void,
        ) -> *mut MatchArrived,
    >,
    /// Takes a receive out again: `CAIRN_DONE`, or `CAIRN_NOTHING` when it was matched before.
    /// Required.
    pub cancel:
        Option<unsafe extern "C" fn(engine: *mut c_void, posted: *mut MatchPosted) -> OutcomeCode>,
    /// Takes one receive and one message out, whichever there are, before the engine closes:
    /// stores them, or null. Required.
    pub drain: Option<
        unsafe extern "C" fn(
            engine: *mut c_void,
            posted: &mut *mut MatchPosted,
            arrived: &mut *mut MatchArrived,
        ),
    >,
    /// Stores the counts. May be called while others work, and is then approximate. Default:
    /// stores zeros.
    pub counts: Option<unsafe extern "C" fn(engine: *mut c_void, counts: &mut MatchCounts)>,
    /// Writes what is in the engine as text for a person and returns the length of the whole
    /// text. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(engine: *mut c_void, text: *mut c_char, capacity: usize) -> usize,
    >,
    /// Takes one receive out, whichever there is, that names this source, whose process has failed;
    /// with `CAIRN_MATCH_ANY_SOURCE`, one of any source. Null when there is none. Default: null, so
    /// receives from a failed process wait until they are cancelled.
    pub withdraw:
        Option<unsafe extern "C" fn(engine: *mut c_void, source: i32) -> *mut MatchPosted>,
}

/// A matching engine in Rust. Functions correspond to those of [`MatchOps`].
///
/// # Safety of the unsafe functions
/// Entries that are put in stay valid and untouched until they come out.
#[allow(clippy::missing_safety_doc)] // said once, above
pub trait Match: Component {
    /// The engine of one communicator.
    type Engine: Send + Sync + 'static;

    /// Makes the engine of a communicator.
    fn engine_open(&self, comm: &Comm) -> Result<Self::Engine, Failure>;
    /// A receive was posted.
    unsafe fn post(engine: &Self::Engine, posted: *mut MatchPosted) -> Option<*mut MatchArrived>;
    /// A message arrived.
    unsafe fn arrive(
        engine: &Self::Engine,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted>;
    /// The message that a receive would get, which `look` is called with before another thread can
    /// take it; with `take` it is taken out.
    fn find(
        engine: &Self::Engine,
        source: i32,
        tag: i32,
        take: bool,
        look: &mut dyn FnMut(*mut MatchArrived),
    ) -> Option<*mut MatchArrived>;
    /// Takes a receive out: whether it was still in.
    unsafe fn cancel(engine: &Self::Engine, posted: *mut MatchPosted) -> bool;
    /// Takes one receive and one message out.
    fn drain(engine: &Self::Engine) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>);
    /// What it holds and how hard it worked.
    fn counts(_engine: &Self::Engine) -> MatchCounts {
        MatchCounts::default()
    }
    /// What is in it, for a person.
    fn describe(_engine: &Self::Engine) -> String {
        String::new()
    }
    /// Takes a receive out that names this source.
    fn withdraw(_engine: &Self::Engine, _source: i32) -> Option<*mut MatchPosted> {
        None
    }
}

/// # Safety
/// `engine` was made by `engine_open` of `T` and is not closed during `'a`.
unsafe fn engine_of<'a, T: Match>(engine: *mut c_void) -> &'a T::Engine {
    // SAFETY: promised by the caller.
    unsafe { &*engine.cast::<T::Engine>() }
}

fn or_null<E>(entry: Option<*mut E>) -> *mut E {
    entry.unwrap_or(core::ptr::null_mut())
}

contract! {
    table: MatchOps, from T: Match,
    "match", One, "which receive gets which message";

    fn engine_open(
        instance: *mut Instance, comm: &Comm, engine: &mut *mut c_void,
    ) -> Status = report(instance) {
        let opened = author::component::<T>(instance).engine_open(comm)?;
        *engine = Box::into_raw(Box::new(opened)).cast();
        Ok(())
    }
    fn engine_close(engine: *mut c_void) = no_unwind {
        drop(Box::from_raw(engine.cast::<T::Engine>()));
    }
    fn post(engine: *mut c_void, posted: *mut MatchPosted) -> *mut MatchArrived = no_unwind {
        or_null(T::post(engine_of::<T>(engine), posted))
    }
    fn arrive(
        engine: *mut c_void, source: i32, tag: i32, keep: MatchKeepFn, context: *mut c_void,
    ) -> *mut MatchPosted = no_unwind {
        let mut keep = move || Some(keep(context)).filter(|kept| !kept.is_null());
        or_null(T::arrive(engine_of::<T>(engine), source, tag, &mut keep))
    }
    fn find(
        engine: *mut c_void, source: i32, tag: i32, take: u32, look: MatchLookFn,
        context: *mut c_void,
    ) -> *mut MatchArrived = no_unwind {
        let mut look = |arrived| look(context, arrived);
        or_null(T::find(engine_of::<T>(engine), source, tag, take != 0, &mut look))
    }
    fn cancel(engine: *mut c_void, posted: *mut MatchPosted) -> OutcomeCode = no_unwind {
        if T::cancel(engine_of::<T>(engine), posted) { DONE } else { NOTHING }
    }
    fn drain(
        engine: *mut c_void, posted: &mut *mut MatchPosted, arrived: &mut *mut MatchArrived,
    ) = no_unwind {
        let (receive, message) = T::drain(engine_of::<T>(engine));
        *posted = or_null(receive);
        *arrived = or_null(message);
    }
    fn counts(engine: *mut c_void, counts: &mut MatchCounts) = no_unwind {
        *counts = T::counts(engine_of::<T>(engine));
    } default { *counts = MatchCounts::default(); }
    fn describe(
        engine: *mut c_void, text: *mut c_char, capacity: usize,
    ) -> usize = describe(text, capacity) {
        T::describe(engine_of::<T>(engine))
    } default { crate::text::write("", text, capacity) }
    fn withdraw(engine: *mut c_void, source: i32) -> *mut MatchPosted = no_unwind {
        or_null(T::withdraw(engine_of::<T>(engine), source))
    } default { core::ptr::null_mut() }
}
