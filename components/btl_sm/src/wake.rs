//! How a receiver sleeps.
//!
//! ```text
//!   receiver   SLEEPING on   barrier   look into each CRI   futex_wait(requests, what it was)
//!   sender     publish       barrier   SLEEPING on? ─► SLEEPING off and ++wake-ups, futex_wake
//! ```
//!
//! A process has one word for all its CRIs and threads: a thread that goes to sleep does so for
//! each CRI, and this way with one barrier and one word for the kernel, however many there are.
//!
//! **No wake-up is lost.** Of a message, and a thread that announces its sleep, one sees the other
//! (Dekker's mutual exclusion), if each side has a full barrier between its store and its load:
//!
//! * The sender's barrier came before the announcement's: the message is there when the thread looks
//!   into its CRI, whichever that is, since all looks come after the barrier.
//! * It came later: the sender sees SLEEPING. Only the first that does takes it off, and counts that in
//!   the word, so the word is never again what it was at the announcement. A thread that sleeps is
//!   woken; one that is about to finds another value when the kernel compares it, also if yet another
//!   thread has announced its sleep meanwhile.
//!
//! A thread that finds something does not sleep. At the first CRI it takes SLEEPING back if it was off
//! before: as both happen under that CRI's lock, no other thread can have relied on it. Later others
//! may, so it stays, and the next message costs a call of the kernel that wakes none.
//!
//! **Asymmetric Dekker** (Dice, Huang and Yang, Asymmetric Dekker Synchronization, 2001).
//! A fence with every message would cost the sender more than the message. So the receiver, which
//! is about to sleep and has time, makes one on the senders' processors too: `membarrier` with
//! `GLOBAL_EXPEDITED` interrupts the processors that run a process that registered for it. Where the
//! kernel lacks it senders fence themselves; the owner's directory and their own registration say so.

use std::sync::atomic::compiler_fence;

use cairn_framework::sync::{AtomicU32, Ordering, full_fence};

/// A receiver's word: SLEEPING, USES_BITMAP, and from bit 2 on how often a sender has woken its threads.
pub type Word = AtomicU32;

/// A thread of the receiver sleeps on the word. Set by the owner, cleared by the sender that wakes it.
pub const SLEEPING: u32 = 1;
/// A CRI wants senders to set their rings' bits; see `active`. Set by the owner, for good.
pub const USES_BITMAP: u32 = 2;
/// One wake-up.
const WAKE_UP: u32 = 4;

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
/// afterwards. With the lock of the receiver's first CRI held, until `take_back` if that is called.
pub fn announce(requests: &Word, barriers: bool) -> Announced {
    let before = requests.fetch_or(SLEEPING, Ordering::SeqCst);
    full_fence();
    if barriers {
        #[cfg(test)]
        BARRIERS.set(BARRIERS.get() + 1);
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    }
    Announced { expected: before | SLEEPING, others: before & SLEEPING != 0 }
}

#[cfg(test)]
thread_local! {
    /// Barriers that this thread has made.
    pub static BARRIERS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// The thread does not sleep after all.
pub fn take_back(requests: &Word, announced: &Announced) {
    if !announced.others {
        requests.fetch_and(!SLEEPING, Ordering::Relaxed);
    }
}

/// After `announce`, by the same thread: what the word is, or `None` when a sender has woken all since.
pub fn announced(requests: &Word) -> Option<u32> {
    // Relaxed: the kernel compares it with what it was at the announcement.
    let now = requests.load(Ordering::Relaxed);
    (now & SLEEPING != 0).then_some(now)
}

/// After a message was published: what the receiver wants of its sender, mostly nothing (0).
/// `fenced` when the receiver can't make the barrier for us.
#[inline]
pub fn requests(requests: &Word, fenced: bool) -> u32 {
    if fenced {
        full_fence();
    } else {
        compiler_fence(Ordering::SeqCst);
    }
    requests.load(Ordering::Relaxed) & (SLEEPING | USES_BITMAP)
}

/// Wakes the receiver's threads, if no other sender does.
#[cold]
pub fn wake(requests: &Word) {
    if take_off(requests) {
        // The model has a kernel of its own.
        #[cfg(not(feature = "loom"))]
        cairn_framework::author::wake_sleepers(requests);
    }
}

/// Takes SLEEPING off; whether it was on.
fn take_off(requests: &Word) -> bool {
    // Acquire and Release: a sender that finds it off sees what the sender saw that took it off.
    let (release, relaxed) = (Ordering::AcqRel, Ordering::Relaxed);
    let taken = requests.fetch_update(release, relaxed, |now| {
        (now & SLEEPING != 0).then_some((now & !SLEEPING).wrapping_add(WAKE_UP))
    });
    taken.is_ok()
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_woken_on_is_never_again_what_it_was() {
        let word = Word::new(USES_BITMAP);
        let first = announce(&word, false);
        let second = announce(&word, false);
        assert_eq!((first.expected, first.others), (USES_BITMAP | SLEEPING, false));
        assert_eq!((second.expected, second.others), (first.expected, true));
        // One that stays awake does not take away what another sleeps on.
        take_back(&word, &second);
        assert_eq!(announced(&word), Some(first.expected));
        assert!(take_off(&word) && !take_off(&word) && announced(&word).is_none());
        let third = announce(&word, false);
        assert_ne!(third.expected, first.expected);
        take_back(&word, &third);
        // Of wake-ups in the past senders hear nothing.
        assert_eq!(requests(&word, true), USES_BITMAP);
        assert!(announced(&word).is_none() && !take_off(&word));
        // The count goes round and leaves the rest alone.
        let word = Word::new(u32::MAX);
        assert!(take_off(&word));
        assert_eq!(word.load(Ordering::Relaxed), USES_BITMAP);
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use std::sync::Arc;

    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::Mutex;
    use cairn_framework::sync::loom::sync::atomic::AtomicU32;
    use cairn_framework::sync::loom::thread;

    use super::*;

    const INSTANCES: usize = 2;

    #[derive(Default)]
    struct Instance {
        /// Messages that were published.
        published: AtomicU32,
        /// Messages that were received, with the CRI's lock held.
        received: Mutex<u32>,
    }

    #[derive(Default)]
    struct Receiver {
        requests: AtomicU32,
        instances: [Instance; INSTANCES],
        /// The kernel's: the first thread sleeps.
        asleep: Mutex<bool>,
    }

    impl Receiver {
        /// Receives what there is.
        fn poll(&self) {
            for instance in &self.instances {
                let mut received = instance.received.lock().unwrap();
                *received = instance.published.load(Ordering::Acquire);
            }
        }

        /// What the word was when the thread may sleep; `None` when something has come.
        fn arm(&self) -> Option<u32> {
            let [first, others @ ..] = &self.instances;
            let expected = {
                let received = first.received.lock().unwrap();
                let announced = announce(&self.requests, false);
                if first.published.load(Ordering::Acquire) != *received {
                    take_back(&self.requests, &announced);
                    return None;
                }
                announced.expected
            };
            for instance in others {
                let received = instance.received.lock().unwrap();
                if instance.published.load(Ordering::Acquire) != *received {
                    return None;
                }
                announced(&self.requests)?;
            }
            Some(expected)
        }

        /// As the kernel: compares the word under its own lock.
        fn sleep(&self, expected: u32) {
            let mut asleep = self.asleep.lock().unwrap();
            *asleep = self.requests.load(Ordering::Relaxed) == expected;
        }

        fn send(&self, instance: usize, number: u32) {
            self.instances[instance].published.store(number, Ordering::Release);
            if requests(&self.requests, true) & SLEEPING != 0 && take_off(&self.requests) {
                *self.asleep.lock().unwrap() = false;
            }
        }

        fn is_through(&self) -> bool {
            self.instances.iter().all(|instance| {
                *instance.received.lock().unwrap() == instance.published.load(Ordering::Relaxed)
            })
        }
    }

    /// A thread that sleeps if it may, a sender of two messages to these CRIs, and another thread that
    /// comes to sleep and finds something or leaves: afterwards the first is awake, or nothing is left for
    /// it.
    fn check(to: [usize; 2]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let receiver = Arc::new(Receiver::default());
            let sender = {
                let receiver = Arc::clone(&receiver);
                thread::spawn(move || {
                    for (number, instance) in (1..).zip(to) {
                        receiver.send(instance, number);
                    }
                })
            };
            let other = {
                let receiver = Arc::clone(&receiver);
                thread::spawn(move || {
                    // It receives what it finds and leaves, or leaves because it was told to.
                    if receiver.arm().is_none() {
                        receiver.poll();
                    }
                })
            };
            match receiver.arm() {
                Some(expected) => receiver.sleep(expected),
                None => receiver.poll(),
            }
            sender.join().unwrap();
            other.join().unwrap();
            let asleep = *receiver.asleep.lock().unwrap();
            assert!(
                !asleep || receiver.is_through(),
                "a message has come, and the sleeper sleeps on"
            );
        });
    }

    #[test]
    fn model_no_sleeper_is_forgotten() {
        check([0, 0]);
        check([1, 1]);
        check([0, 1]);
        check([1, 0]);
    }
}
