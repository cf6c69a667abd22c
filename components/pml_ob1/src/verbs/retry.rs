//! What waits for room is tried again.

use core::ffi::c_void;

use crate::core::Core;
use crate::core::pending::Step;
use crate::mode::{Mode, fetch_sub};
use crate::objects::peer::{Control, Peer, Work};

/// The progress callback.
pub unsafe extern "C" fn retry<M: Mode>(core: *mut c_void) -> u32 {
    // SAFETY: registered with the core, which stays until the component closes.
    unsafe { Core::at(core).retry::<M>() }
}

impl Core {
    /// Returns when nothing waits for room in a transport.
    pub fn flush(&self) {
        self.pending.drain(|| _ = self.host.progress());
    }

    /// Tries again what waits for room.
    #[inline]
    fn retry<M: Mode>(&self) -> u32 {
        if self.pending.is_empty() {
            return 0;
        }
        self.retry_all::<M>()
    }

    #[inline(never)]
    fn retry_all<M: Mode>(&self) -> u32 {
        let mut events = 0;
        let mut place = 0;
        while let Some(peer) = self.pending.at::<M>(place) {
            let (done, idle) = self.retry_peer::<M>(peer);
            events += done;
            // One that is idle has left the list, and another has taken its place.
            place += usize::from(!idle);
        }
        events
    }

    /// Tries what waits for a peer: the events, and whether nothing waits any more.
    fn retry_peer<M: Mode>(&self, peer: &Peer) -> (u32, bool) {
        let (mine, listed) = self.pending.begin::<M>(peer);
        if !mine {
            return (0, !listed);
        }
        let mut events = 0;
        let mut blocked = false;
        // Also while others wait for room: a transfer whose data has moved completes.
        while let Some(mut work) = peer.queues.with::<M, _>(|queues| queues.ends.pop_front()) {
            self.step::<M>(peer, &mut work);
            events += 1;
        }
        while !blocked
            && let Some(mut work) = peer.queues.with::<M, _>(|queues| queues.messages.pop_front())
        {
            if self.step::<M>(peer, &mut work) == Step::Done {
                fetch_sub::<M>(&peer.waiting, 1);
                events += 1;
            } else {
                peer.queues.with::<M, _>(|queues| queues.messages.push_front(work));
                blocked = true;
            }
        }
        while !blocked
            && let Some(mut work) = peer.queues.with::<M, _>(|queues| queues.streams.pop_front())
        {
            if self.step::<M>(peer, &mut work) == Step::Done {
                events += 1;
            } else {
                peer.queues.with::<M, _>(|queues| queues.streams.push_front(work));
                blocked = true;
            }
        }
        (events, self.pending.end::<M>(peer))
    }

    /// One try.
    fn step<M: Mode>(&self, peer: &Peer, work: &mut Work) -> Step {
        // SAFETY: what is in a queue belongs to the queue, and now to us.
        unsafe {
            match work {
                Work::First(request) => {
                    self.reconsider::<M>(*request);
                    self.inject::<M>(*request, None)
                }
                Work::Control(Control { bytes, rail, only, receive }) => {
                    let (rail, only, receive) = (*rail, *only, *receive);
                    let control = Control { bytes: &bytes[..], rail, only, receive };
                    self.push_control::<M>(peer, None, control).unwrap_or_else(|status| {
                        self.lost::<M>(receive, status, None);
                        Step::Done
                    })
                }
                Work::Skip(bytes) => {
                    let skip = Control { bytes: &bytes[..], rail: 0, only: false, receive: None };
                    self.push_control::<M>(peer, None, skip).unwrap_or(Step::Done)
                }
                Work::Rest(request) | Work::Push(request) => {
                    self.push_answered::<M>(*request, None)
                }
                Work::Fetch(request) => self.fetch::<M>(*request, None),
                Work::EndSend(request) => {
                    self.end_send::<M>(*request, (**request).request.status.error, None);
                    Step::Done
                }
                Work::EndReceive(request) => {
                    self.end_receive::<M>(*request, (**request).request.status.error, None);
                    Step::Done
                }
            }
        }
    }
}
