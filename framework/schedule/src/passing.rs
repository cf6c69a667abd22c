//! Runs a schedule to its end whatever happens, and passes failures on (`COLL_PASS_ON`).
//!
//! A process that stops in the middle leaves those waiting that expect something of it, and they know nothing of the
//! death that it has noticed. So it does all of its steps. From the one that failed on its messages are empty, or have a
//! byte where a barrier's are empty. Where data was expected and a message is empty, the receiver is lost, too, and so the
//! failure takes the ways that the data would have taken.

use cairn_framework::abi::peer::PEER_FAILED;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{ERR_TRUNCATED, OK, Status};
use cairn_framework::author::Failure;

use crate::data::Data;
use crate::link::{Channel, Link, lost};
use crate::schedule::{Schedule, Step};
use crate::told;

/// What a barrier's message has that says that its sender is lost.
static BYTE: u8 = 0;

/// An operation on its way.
pub struct Passing<'a> {
    link: &'a Link,
    channel: Channel,
    /// Whether it is a barrier, whose messages are empty.
    is_barrier: bool,
    /// What was started.
    pub requests: Vec<*mut Request>,
    /// For each of them whether it receives data.
    pub expects: Vec<bool>,
    /// Why the process can't go on.
    lost: Option<Failure>,
    /// Data that had no room: the process goes on.
    truncated: Option<Failure>,
}

/// Does every step. `is_lost`: the process can't go on from the beginning.
///
/// # Safety
/// The memory of the steps and the channel are valid.
pub unsafe fn run(
    link: &Link,
    channel: Channel,
    schedule: &Schedule,
    is_barrier: bool,
    is_lost: bool,
) -> Result<(), Failure> {
    let mut passing = Passing::new(link, channel, is_barrier, is_lost.then(told::lost));
    // SAFETY: promised by the caller.
    unsafe {
        for step in &schedule.steps {
            passing.step(schedule, step);
        }
        passing.wait();
    }
    passing.result()
}

impl<'a> Passing<'a> {
    #[inline]
    pub fn new(link: &'a Link, channel: Channel, is_barrier: bool, lost: Option<Failure>) -> Self {
        let (requests, expects) = (Vec::new(), Vec::new());
        Self { link, channel, is_barrier, requests, expects, lost, truncated: None }
    }

    /// Whether nothing was started, nor failed.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.requests.is_empty() && self.lost.is_none() && self.truncated.is_none()
    }

    /// What came of it, when all is done.
    pub fn result(self) -> Result<(), Failure> {
        self.lost.or(self.truncated).map_or(Ok(()), Err)
    }

    /// # Safety
    /// As for `run`.
    unsafe fn step(&mut self, schedule: &Schedule, step: &Step) {
        // SAFETY: promised by the caller.
        let done = unsafe {
            match *step {
                Step::Send { to, data } => {
                    let data = if self.lost.is_some() { self.worthless(data) } else { data };
                    self.start(&Step::Send { to, data }, false)
                }
                Step::Receive { data, .. } => self.start(step, data.bytes() > 0),
                Step::Wait => {
                    self.wait();
                    Ok(())
                }
                Step::Copy { .. } | Step::Reduce { .. } if self.lost.is_some() => Ok(()),
                Step::Copy { .. } | Step::Reduce { .. } => schedule.compute(step),
            }
        };
        if let Err(failure) = done {
            self.note(failure);
        }
    }

    /// What is sent in place of data.
    fn worthless(&self, data: Data) -> Data {
        if self.is_barrier { Data::packed((&raw const BYTE).cast_mut(), 1) } else { data.of(0) }
    }

    /// # Safety
    /// As for `run`.
    pub unsafe fn start(&mut self, step: &Step, expects: bool) -> Result<(), Failure> {
        if let Step::Send { to: peer, .. } | Step::Receive { from: peer, .. } = *step {
            // SAFETY: the channel is valid, and its communicator has such a peer.
            let is_gone =
                unsafe { (**(*self.channel.comm).peers.add(peer as usize)).is(PEER_FAILED) };
            if is_gone {
                return Err(told::lost());
            }
        }
        // SAFETY: promised by the caller; all is waited for before the end.
        unsafe { self.link.start(self.channel, step, &mut self.requests)? };
        self.expects.push(expects);
        Ok(())
    }

    /// Waits for everything that was started.
    ///
    /// # Safety
    /// As for `run`.
    pub unsafe fn wait(&mut self) {
        let requests = core::mem::take(&mut self.requests);
        // SAFETY: started by `start`, and given back once. One that is complete may be nobody's, of which nothing can
        // be asked.
        unsafe {
            let is_under_way = |request: &*mut Request| !(**request).is_complete();
            let waiting: Vec<_> = requests.iter().copied().filter(is_under_way).collect();
            self.link.finish_all(&waiting);
        }
        let expects = core::mem::take(&mut self.expects);
        for (request, expects) in requests.iter().zip(expects) {
            // SAFETY: as above; it is complete, and `free` is set by its owner.
            let (status, bytes) = unsafe {
                let status = (**request).status;
                if let Some(free) = (**request).free {
                    free(*request);
                }
                (status.error, status.bytes)
            };
            if let Some(failure) = self.judge(status, expects && bytes == 0) {
                self.note(failure);
            }
        }
    }

    /// What became of a message: whether it failed, or was empty where data was expected.
    fn judge(&self, status: Status, is_empty: bool) -> Option<Failure> {
        match status {
            OK if is_empty => Some(told::lost()),
            OK => None,
            ERR_TRUNCATED if self.is_barrier => Some(told::lost()),
            status => Some(lost(status)),
        }
    }

    pub fn note(&mut self, failure: Failure) {
        let place =
            if failure.status == ERR_TRUNCATED { &mut self.truncated } else { &mut self.lost };
        place.get_or_insert(failure);
    }
}
