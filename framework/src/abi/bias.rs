//! Bias: what one thread uses nearly always, it uses without an atomic read-modify-write.
//!
//! A processor finishes all its earlier stores before a read-modify-write, and those of a message go to
//! memory that another processor has just read. So a lock on the path of a message costs much more than
//! its own few nanoseconds, although hardly ever two threads want it at a time.
//!
//! A lock that the same thread has taken many times in a row *stays taken for this thread*: the thread
//! has the bias. It comes and goes by stores to a word of its own, until another thread wants the lock
//! and takes the bias away:
//!
//! ```text
//!   owner  │ inside = 1   compiler fence   owner == me?  → it has the lock    inside = 0 (Release)
//!   other  │ owner = GOING   barrier in every thread   owner = GONE   inside == 0?  → has the lock
//! ```
//!
//! **One of them sees the other.** The other thread has the kernel make a memory barrier in every
//! running thread of the process (`membarrier`). If the owner's load of `owner` came before that barrier,
//! its store to `inside` did too, and is seen; otherwise the load finds GOING. Hence nobody trusts
//! `inside` before GONE says that the barrier was made. The price, a microsecond or two, is paid by who
//! takes the bias away, and each time the owner has to be twice as patient until it gets it again.
//!
//! **A word for each owner.** A thread that was stopped between its two loads may write its word when
//! the bias has long been another's. So each thread that ever has the bias has a seat with a word that
//! nobody else writes; where all seats are taken, the lock is an ordinary one for further threads.
//!
//! **Threads that end** leave seats behind. A thread is known by an address ([`mark`]) that a new thread
//! may get; it sits on then, which is right, because the C library hands memory of a thread on only when
//! it has ended. With whatever the old one wrote the new one is in order, by the same handing on.
//!
//! Model-checked: `RUSTFLAGS="--cfg loom" cargo test -p cairn-framework --release --lib model_`.

use crate::fences::{AtomicU32, AtomicUsize, Ordering, fence, heavy, light, mark, pause, ready};

/// Threads that can have the bias of one lock.
pub const BIAS_SEATS: usize = 4;

/// What [`Bias::owner`] says of the owner; above it is how often the lock had one.
const SEAT: u32 = 0x3f;
/// Another thread takes the bias away.
const GOING: u32 = 0x40;
/// The same, and the barrier was made.
const GONE: u32 = 0x80;
/// What distinguishes one bias from the next.
const GENERATION: u32 = 0x100;

/// Times in a row that a thread has to take a lock to get its bias, at first.
const PATIENCE: u32 = if cfg!(all(loom, test)) { 1 } else { 64 };
/// Patience doubles so many times at most: four million times in a row.
const MOST_PATIENCE: u32 = 16;
/// No thread gets the bias any more.
const NEVER: u32 = u32::MAX;

/// A thread that only tries takes a bias away at one try in so many: an owner that comes often will look
/// after what the lock guards.
const REFUSALS: u32 = if cfg!(all(loom, test)) { 1 } else { 32 };

std::thread_local! {
    /// A number that changes with every try of this thread that finds another's bias, and says which of
    /// them take it away. Not in the lock: a thread that polls what others have would take the owner's
    /// line away with each try. And no counter: of locks that a thread tries in turn, one would have all
    /// the tries that count, and another none.
    static REFUSED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Whether a try that finds another's bias takes it away: one in [`REFUSALS`], at random.
fn is_its_turn() -> bool {
    // A linear congruential generator (Knuth's MMIX), whose upper half is random enough.
    let number = REFUSED.get().wrapping_mul(6_364_136_223_846_793_005);
    let number = number.wrapping_add(1_442_695_040_888_963_407);
    REFUSED.set(number);
    ((number >> 32) as u32).is_multiple_of(REFUSALS)
}

/// Who has the bias of a lock. All zero is nobody. Belongs to a [`Lock`](super::lock::Lock), which is
/// held as long as somebody has the bias, so that who does not know of it stays out, too.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Bias {
    /// Seat of the owner, from 1, `GOING` or `GONE`, and a generation.
    owner: AtomicU32,
    /// Zero.
    reserved: AtomicU32,
    /// Times in a row that `last` has held the lock. Written by who holds it, as the next two.
    streak: AtomicU32,
    /// How often patience has doubled, or `NEVER`.
    patience: AtomicU32,
    /// Who held the lock last.
    last: AtomicUsize,
    /// The threads that have seats. Written once each, by who holds the lock.
    seats: [AtomicUsize; BIAS_SEATS],
    /// Whether the thread on the seat has the lock by its bias. Written by this thread only.
    inside: [AtomicU32; BIAS_SEATS],
}

impl Bias {
    /// Takes the lock if the calling thread has the bias; the seat, for [`Bias::leave`].
    #[inline(always)]
    pub fn enter(&self) -> Option<usize> {
        let owner = self.owner.load(Ordering::Relaxed);
        // Nobody, or one that is going, has no seat.
        let seat = (owner & (GENERATION - 1)).wrapping_sub(1) as usize;
        if seat >= BIAS_SEATS || self.seats[seat].load(Ordering::Relaxed) != mark() {
            return None;
        }
        let inside = &self.inside[seat];
        // The lock is not recursive: a second try of its holder fails, as anybody's.
        if inside.load(Ordering::Relaxed) != 0 {
            return None;
        }
        inside.store(1, Ordering::Relaxed);
        light();
        // Relaxed: the last who held the lock before the bias was this thread.
        if self.owner.load(Ordering::Relaxed) == owner {
            return Some(seat);
        }
        inside.store(0, Ordering::Release);
        None
    }

    /// Gives the lock back that `enter` took.
    #[inline(always)]
    pub fn leave(&self, seat: usize) {
        // Release pairs with the Acquire in `take_away`.
        self.inside[seat].store(0, Ordering::Release);
    }

    /// Whether somebody has the bias. For a waiter who said before that it sleeps: see [`Bias::keep`].
    pub fn is_there(&self) -> bool {
        fence(Ordering::SeqCst);
        self.owner.load(Ordering::Relaxed) & SEAT != 0
    }

    /// Takes the bias away; true if the caller has the lock now. False if nobody had the bias, another
    /// thread was faster, or, unless `waits`, the owner is inside.
    #[cold]
    pub fn take_away(&self, waits: bool) -> bool {
        let mut owner = self.owner.load(Ordering::Acquire);
        let seat = owner & SEAT;
        if seat == 0 {
            return false;
        }
        if owner & (GOING | GONE) == 0 {
            if !self.change(owner, owner | GOING) {
                return false;
            }
            heavy();
            let patience = self.patience.load(Ordering::Relaxed);
            if patience < MOST_PATIENCE {
                self.patience.store(patience + 1, Ordering::Relaxed);
            }
            owner |= GONE;
            self.owner.store(owner, Ordering::Release);
        }
        let inside = &self.inside[seat as usize - 1];
        for turn in 0.. {
            // Acquire: what the owner did inside comes before.
            if owner & GONE != 0 && inside.load(Ordering::Acquire) == 0 {
                return self.change(owner, owner & !(GENERATION - 1));
            }
            if !waits {
                return false;
            }
            pause(turn);
            let before = owner & !(GOING | GONE);
            owner = self.owner.load(Ordering::Acquire);
            if owner & !(GOING | GONE) != before {
                break;
            }
        }
        false
    }

    /// The same for who only tries. Mostly the owner is left in peace.
    #[cold]
    pub fn try_take_away(&self) -> bool {
        let owner = self.owner.load(Ordering::Relaxed);
        if owner & (GOING | GONE) == 0 && !is_its_turn() {
            return false;
        }
        self.take_away(false)
    }

    /// For who is about to release the lock, which nobody has the bias of: true if it stays taken,
    /// because the calling thread has the bias from now on. `sleepers` says whether somebody sleeps until
    /// the lock is released.
    #[inline(always)]
    pub fn keep(&self, sleepers: impl FnOnce() -> bool) -> bool {
        let own = mark();
        if self.last.load(Ordering::Relaxed) != own {
            self.last.store(own, Ordering::Relaxed);
            self.streak.store(0, Ordering::Relaxed);
            return false;
        }
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        self.streak.store(streak, Ordering::Relaxed);
        streak >= PATIENCE && self.keep_if_patient(own, streak, sleepers)
    }

    #[cold]
    fn keep_if_patient(&self, own: usize, streak: u32, sleepers: impl FnOnce() -> bool) -> bool {
        let patience = self.patience.load(Ordering::Relaxed);
        if patience == NEVER {
            self.streak.store(0, Ordering::Relaxed);
            return false;
        }
        if streak < PATIENCE << patience {
            return false;
        }
        self.streak.store(0, Ordering::Relaxed);
        let seat = self.seats.iter().position(|seat| {
            let sits = seat.load(Ordering::Relaxed);
            if sits == 0 {
                seat.store(own, Ordering::Relaxed);
            }
            sits == 0 || sits == own
        });
        let Some(seat) = seat.filter(|_| ready()) else { return false };
        let nobody = self.owner.load(Ordering::Relaxed);
        debug_assert!(nobody & SEAT == 0, "the lock has an owner");
        let owner = nobody.wrapping_add(GENERATION) | (seat as u32 + 1);
        // Release pairs with the Acquire in `take_away`. The fence with that in `is_there`: either this
        // thread sees that one sleeps, or that one, before it does, that there is an owner.
        self.owner.store(owner, Ordering::Release);
        fence(Ordering::SeqCst);
        if !sleepers() {
            return true;
        }
        // If another thread takes it away already, that one has the lock.
        !self.change(owner, owner & !SEAT)
    }

    /// Makes the owner another, unless somebody was faster.
    fn change(&self, from: u32, to: u32) -> bool {
        self.owner.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// No thread gets the bias from now on. For who makes the lock.
    pub fn forbid(&self) {
        self.patience.store(NEVER, Ordering::Relaxed);
    }
}

#[cfg(all(loom, test))]
mod model {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    const FREE: u32 = 0;
    const HELD: u32 = 1;
    const CONTENDED: u32 = 2;

    /// What `Lock` does, but for the kernel: who sleeps looks until the word is not CONTENDED.
    struct Locked {
        word: AtomicU32,
        bias: Bias,
        /// loom finds two threads that touch it at once.
        value: UnsafeCell<u32>,
    }

    // SAFETY: loom checks the cell.
    unsafe impl Sync for Locked {}
    // SAFETY: see `Sync`.
    unsafe impl Send for Locked {}

    impl Locked {
        fn take(&self) -> bool {
            let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
            self.word.compare_exchange(FREE, HELD, acquire, relaxed).is_ok()
        }

        fn by_word(&self) {
            if self.take() {
                return;
            }
            while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
                if self.bias.is_there() {
                    if self.bias.take_away(true) {
                        return;
                    }
                    pause(0);
                } else {
                    while self.word.load(Ordering::Acquire) == CONTENDED {
                        pause(0);
                    }
                }
            }
        }

        fn with(&self, seat: Option<usize>) {
            // SAFETY: the caller has the lock.
            self.value.with_mut(|value| unsafe { *value += 1 });
            match seat {
                Some(seat) => self.bias.leave(seat),
                None if self.bias.keep(|| self.word.load(Ordering::Relaxed) == CONTENDED) => {}
                None => drop(self.word.swap(FREE, Ordering::Release)),
            }
        }

        fn lock(&self) {
            let seat = self.bias.enter();
            if seat.is_none() {
                self.by_word();
            }
            self.with(seat);
        }

        fn try_lock(&self) -> bool {
            let seat = self.bias.enter();
            let taken = seat.is_some() || self.take() || self.bias.try_take_away();
            if taken {
                self.with(seat);
            }
            taken
        }
    }

    /// `switches` is how often a thread is stopped where it need not be. With more it takes many minutes.
    fn locked(switches: usize, threads: &'static [fn(&Locked)]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(switches);
        // A thread that waits long for two others makes many steps.
        builder.max_branches = 10_000;
        builder.check(move || {
            let lock = Arc::new(Locked {
                word: AtomicU32::new(FREE),
                bias: Bias::default(),
                value: UnsafeCell::new(0),
            });
            let started: Vec<_> = threads
                .iter()
                .map(|work| {
                    let lock = lock.clone();
                    thread::spawn(move || work(&lock))
                })
                .collect();
            started.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    fn once(lock: &Locked) {
        lock.lock();
    }

    fn thrice(lock: &Locked) {
        (0..3).for_each(|_| lock.lock());
    }

    fn tries(lock: &Locked) {
        lock.try_lock();
    }

    #[test]
    fn model_one_has_the_bias_and_another_takes_it_away() {
        locked(4, &[thrice, once]);
    }

    #[test]
    fn model_the_bias_changes_hands() {
        locked(3, &[thrice, thrice]);
    }

    #[test]
    fn model_two_take_it_away() {
        locked(1, &[thrice, tries, once]);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A thread that polls several instances tries their locks in turn, in the same order each time.
    #[test]
    fn no_lock_is_left_out_by_tries_in_turn() {
        for locks in 1..=64 {
            let mut counts = vec![0; locks];
            for _ in 0..100 * REFUSALS {
                counts.iter_mut().for_each(|count| *count += u32::from(is_its_turn()));
            }
            assert!(counts.iter().all(|count| (50..200).contains(count)), "{locks}: {counts:?}");
        }
    }
}
