//! How a receiver sleeps.
//!
//! ```text
//!   receiver   SLEEPING on   barrier   look once more   futex_wait(requests)
//!   sender     publish       barrier   SLEEPING on? ─► SLEEPING off, futex_wake
//! ```
//!
//! One of the two sees the other (Dekker), if each has a full barrier between its store and its load.
//! A fence with every message would cost the sender more than the message. So the receiver, who is
//! about to sleep and has time, makes one on the senders' processors too: `membarrier` with
//! `GLOBAL_EXPEDITED` interrupts the processors that run a process that registered for it. Where the
//! kernel lacks it senders fence themselves; the owner's directory and their own registration say so.
//!
//! Several threads of the receiver may sleep on one word. So a thread that finds something instead of
//! going to sleep takes SLEEPING back only if it was off before: otherwise another one may sleep, and a
//! sender that looks now must see that. If none does any more, the next message costs a futex call.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::atomic::compiler_fence;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// A receiver's word.
pub type Word = AtomicU32;

/// A thread of the receiver sleeps on the word. Set by the owner, cleared by who wakes it.
pub const SLEEPING: u32 = 1;
/// Senders mark their ring; see `active`. Set by the owner, for good.
pub const CROWDED: u32 = 2;

const MEMBARRIER_CMD_GLOBAL_EXPEDITED: i32 = 1 << 1;
const MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED: i32 = 1 << 2;

fn membarrier(command: i32) -> bool {
    // SAFETY: a system call that takes numbers.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Asks for the barriers of others and says whether this process can make and will get them.
pub fn register() -> bool {
    membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
}

/// What a thread's announcement changed.
pub struct Announced {
    /// What the word is while the thread sleeps.
    pub expected: u32,
    /// Another thread may sleep on the word.
    others: bool,
}

/// Says that a thread is about to sleep; what a sender published before it saw that is visible
/// afterwards. With the lock of the receiver's instance held, until `take_back` if that is called.
pub fn announce(requests: &Word, barriers: bool) -> Announced {
    let before = requests.fetch_or(SLEEPING, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    if barriers {
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    }
    Announced { expected: before | SLEEPING, others: before & SLEEPING != 0 }
}

/// The thread does not sleep after all.
pub fn take_back(requests: &Word, announced: &Announced) {
    if !announced.others {
        requests.fetch_and(!SLEEPING, Ordering::Relaxed);
    }
}

/// After a message was published: what the receiver wants of its sender. `fenced` when the receiver
/// can't make the barrier for us.
#[inline]
pub fn requests(requests: &Word, fenced: bool) -> u32 {
    if fenced {
        fence(Ordering::SeqCst);
    } else {
        compiler_fence(Ordering::SeqCst);
    }
    requests.load(Ordering::Relaxed)
}

/// Wakes the receiver, if nobody else does.
#[cold]
pub fn wake(requests: &Word) {
    if requests.fetch_and(!SLEEPING, Ordering::AcqRel) & SLEEPING != 0 {
        #[cfg(not(loom))]
        cairn_framework::author::wake_sleepers(requests);
        #[cfg(loom)]
        model::wake_sleepers(requests);
    }
}

#[cfg(loom)]
mod model {
    //! The kernel's part: a thread sleeps that has not been woken since it compared the word.

    use super::*;

    /// In the word: how often sleepers were woken. The real word has no such bits.
    const WOKEN: u32 = 1 << 8;

    pub fn wake_sleepers(requests: &Word) {
        requests.fetch_add(WOKEN, Ordering::AcqRel);
    }

    #[cfg(test)]
    mod tests {
        use std::sync::Arc;

        use loom::sync::Mutex;
        use loom::sync::atomic::AtomicU32;
        use loom::thread;

        use super::*;

        struct Receiver {
            requests: AtomicU32,
            /// Messages that were published.
            published: AtomicU32,
            /// Messages that were received, by whoever holds the instance's lock.
            received: Mutex<u32>,
        }

        impl Receiver {
            /// Receives what there is.
            fn poll(&self) {
                let mut received = self.received.lock().unwrap();
                *received = self.published.load(Ordering::Acquire);
            }

            /// What the word was when the thread may sleep; `None` when something has come.
            fn arm(&self) -> Option<u32> {
                let received = self.received.lock().unwrap();
                let announced = announce(&self.requests, false);
                if self.published.load(Ordering::Acquire) != *received {
                    take_back(&self.requests, &announced);
                    return None;
                }
                Some(announced.expected)
            }

            fn send(&self, number: u32) {
                self.published.store(number, Ordering::Release);
                if requests(&self.requests, true) & SLEEPING != 0 {
                    wake(&self.requests);
                }
            }
        }

        /// A sender of two messages, a thread that sleeps, and one that comes to sleep and finds
        /// something: afterwards the sleeper is awake or nothing is left for it.
        #[test]
        fn model_no_sleeper_is_forgotten_because_another_stays_awake() {
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound = Some(3);
            builder.check(|| {
                let receiver = Arc::new(Receiver {
                    requests: AtomicU32::new(0),
                    published: AtomicU32::new(0),
                    received: Mutex::new(0),
                });
                let expected = receiver.arm().expect("nothing was sent");
                let sender = {
                    let receiver = Arc::clone(&receiver);
                    thread::spawn(move || (1..=2).for_each(|number| receiver.send(number)))
                };
                let other = {
                    let receiver = Arc::clone(&receiver);
                    thread::spawn(move || {
                        // One that does not sleep, but leaves to do something else.
                        if receiver.arm().is_none() {
                            receiver.poll();
                        }
                    })
                };
                sender.join().unwrap();
                other.join().unwrap();
                // The kernel has compared the word at any moment since, and was called to wake after
                // that, or else the first thread sleeps on.
                let woken = receiver.requests.load(Ordering::Acquire) >= WOKEN;
                let left = *receiver.received.lock().unwrap() < 2;
                let asleep = !woken && expected == SLEEPING;
                assert!(!(asleep && left), "a message has come, and the sleeper sleeps on");
            });
        }
    }
}
