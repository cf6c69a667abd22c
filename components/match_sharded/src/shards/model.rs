//! Few entries, in every order of steps.

use std::sync::atomic::AtomicUsize as Plain;

use cairn_framework::sync::loom;
use cairn_framework::sync::loom::sync::{Arc, Mutex};
use cairn_framework::sync::loom::thread::{self, JoinHandle};

use super::*;

const ANY: i32 = MATCH_ANY_TAG;
const ANYBODY: i32 = MATCH_ANY_SOURCE;

/// An engine, and receives and messages by number.
struct Case {
    engine: Shards,
    receives: Vec<core::cell::UnsafeCell<MatchPosted>>,
    messages: Vec<core::cell::UnsafeCell<MatchArrived>>,
    /// By receive: the number of the message it got, plus one.
    got: Vec<Plain>,
}

// SAFETY: an entry is its thread's, and then the engine's; loom runs one thread at a time.
unsafe impl Send for Case {}
// SAFETY: see `Send`.
unsafe impl Sync for Case {}

impl Case {
    /// Of a grid, receives with source and tag, and so many messages.
    fn new(grid: (usize, usize), receives: &[(i32, i32)], messages: usize) -> Arc<Self> {
        let receive = |(source, tag): &(i32, i32)| MatchPosted {
            source: *source,
            tag: *tag,
            engine_private: [0; 4],
        };
        let message = |_| MatchArrived { source: 9, tag: 9, engine_private: [0; 4] }.into();
        Arc::new(Self {
            engine: Shards::new(true, grid).unwrap(),
            receives: receives.iter().map(|one| receive(one).into()).collect(),
            messages: (0..messages).map(message).collect(),
            got: receives.iter().map(|_| Plain::new(0)).collect(),
        })
    }

    fn matched(&self, receive: usize, message: *mut MatchArrived) {
        let message = self.messages.iter().position(|one| one.get() == message).unwrap();
        let before = self.got[receive].swap(message + 1, Ordering::Relaxed);
        assert_eq!(before, 0, "receive {receive} got two messages");
    }

    fn post(&self, receive: usize) {
        // SAFETY: the entries live as long as the case.
        if let Some(message) = unsafe { self.engine.post(self.receives[receive].get()) } {
            self.matched(receive, message);
        }
    }

    fn arrive_keeping(&self, message: usize, source: i32, tag: i32, mut kept: impl FnMut()) {
        let own = self.messages[message].get();
        let mut keep = || {
            kept();
            Some(own)
        };
        // SAFETY: as above.
        if let Some(receive) = unsafe { self.engine.arrive(source, tag, &mut keep) } {
            let receive = self.receives.iter().position(|one| one.get() == receive).unwrap();
            self.matched(receive, own);
        }
    }

    fn arrive(&self, message: usize, source: i32, tag: i32) {
        self.arrive_keeping(message, source, tag, || ());
    }

    fn cancel(&self, receive: usize) -> bool {
        // SAFETY: as above.
        unsafe { self.engine.cancel(self.receives[receive].get()) }
    }

    /// What each receive got.
    fn got(&self) -> Vec<Option<usize>> {
        self.got.iter().map(|got| got.load(Ordering::Relaxed).checked_sub(1)).collect()
    }

    /// Receives and messages that are left in.
    fn left(&self) -> (u64, u64) {
        let counts = self.engine.counts();
        (counts.posted, counts.arrived)
    }
}

fn explore(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(run);
}

fn spawn(case: &Arc<Case>, work: impl FnOnce(&Case) + 'static) -> JoinHandle<()> {
    let case = Arc::clone(case);
    thread::spawn(move || work(&case))
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A wildcard's receive and the messages of two shards: none is missed.
#[test]
fn model_nothing_is_lost() {
    explore(|| {
        let case = Case::new((1, 2), &[(0, ANY)], 2);
        let threads =
            [spawn(&case, |case| case.arrive(0, 0, 0)), spawn(&case, |case| case.arrive(1, 0, 1))];
        case.post(0);
        join(threads);
        assert!(case.got()[0].is_some());
        assert_eq!(case.left(), (0, 1));
    });
}

/// Messages of one sender that go to different shards reach receives of any tag in order.
#[test]
fn model_messages_of_one_sender_keep_order() {
    explore(|| {
        let case = Case::new((1, 2), &[(0, ANY), (0, ANY)], 2);
        let sender = spawn(&case, |case| {
            case.arrive(0, 0, 1);
            case.arrive(1, 0, 0);
        });
        case.post(0);
        case.post(1);
        join([sender]);
        assert_eq!(case.got(), [Some(0), Some(1)]);
        assert_eq!(case.left(), (0, 0));
    });
}

/// Of a receive with a wildcard and one without, the one that was posted first gets the message.
#[test]
fn model_the_receive_posted_first_gets_it() {
    for receives in [[(0, 0), (0, ANY)], [(0, ANY), (0, 0)], [(ANYBODY, 0), (0, ANY)]] {
        explore(move || {
            let case = Case::new((2, 2), &receives, 2);
            let sender = spawn(&case, |case| {
                case.arrive(0, 0, 0);
                case.arrive(1, 0, 0);
            });
            case.post(0);
            case.post(1);
            join([sender]);
            assert_eq!(case.got(), [Some(0), Some(1)]);
            assert_eq!(case.left(), (0, 0));
        });
    }
}

/// A row and a column cross in the message's shard: one of their receives gets it.
#[test]
fn model_lines_cross() {
    explore(|| {
        let case = Case::new((2, 2), &[(0, ANY), (ANYBODY, 0)], 1);
        let threads =
            [spawn(&case, |case| case.post(0)), spawn(&case, |case| case.arrive(0, 0, 0))];
        case.post(1);
        join(threads);
        assert_eq!(case.got().iter().flatten().count(), 1);
        assert_eq!(case.left(), (1, 0));
    });
}

/// A receive is cancelled or gets the message, and not both.
#[test]
fn model_cancelled_or_matched() {
    for receive in [(0, ANY), (ANYBODY, 1), (0, 1)] {
        explore(move || {
            let case = Case::new((1, 2), &[receive], 1);
            case.post(0);
            let sender = spawn(&case, |case| case.arrive(0, 0, 1));
            let cancelled = case.cancel(0);
            join([sender]);
            assert_eq!(cancelled, case.got()[0].is_none());
            assert_eq!(case.left(), (0, u64::from(cancelled)));
        });
    }
}

/// A caller that lets the sender's next message in when `keep` is called keeps the sender's order.
#[test]
fn model_keep_means_that_the_place_is_fixed() {
    explore(|| {
        let case = Case::new((1, 2), &[(0, ANY), (0, ANY)], 2);
        let order = Arc::new(Mutex::new(0));
        let hand_in = |tag: i32| {
            let order = Arc::clone(&order);
            move |case: &Case| {
                let mut turn = order.lock().unwrap();
                let number = *turn;
                *turn += 1;
                let mut turn = Some(turn);
                case.arrive_keeping(number, 0, tag, || drop(turn.take()));
            }
        };
        let threads = [spawn(&case, hand_in(0)), spawn(&case, hand_in(1))];
        case.post(0);
        join(threads);
        case.post(1);
        assert_eq!(case.got(), [Some(0), Some(1)]);
    });
}
