//! The word by which a process tells the others how far it has come, and how its slots are used again.
//!
//! ```text
//!   turns of a communicator   0  1  2  3  4  5  6  7  8 ...     each process has n slots, each with a flag;
//!   slot and flag             0  1  2  3  0  1  2  3  0 ...     turn t has those with number t mod n
//!
//!   the process itself   (write data);  flag = t;  sleepers > 0? ─► futex_wake(flag)
//!   one that waits       poll flag until it is t or later;  ++sleepers, sleep on flag, --sleepers
//!   one that knows of a death   the board is broken, then   flag |= BROKEN;  futex_wake
//! ```
//!
//! Every process has every turn, in order, and sets the turn's flag, whether it has data for others or not.
//!
//! **What is read is whole.** The flag is set by a Release that comes after the data, and read with Acquire.
//!
//! **When a slot may be written again.** A process is through with turn t - 1, and so with everything that it reads
//! there, before it sets the flag of turn t. So whoever has seen the flags of turn t - n + 1 of all others,
//! may write the slot of turn t: all are through with turn t - n. Where all wait for all, each has
//! seen the flags of turn t - 1, and there is nothing to look at. So processes that don't hear from the others
//! are n - 1 turns ahead at most, and none is more than n turns behind another.
//!
//! **Several turns at once.** Where all wait for all, a process may begin several turns, fewer than there are slots, write
//! its slots of all of them, and meet the others in the first one only. It sets the flags of the rest when it has read what
//! all have written in all of them; so such a flag says here, too, that its owner is through with the turn before. For
//! room in the last of them all need to have begun the turn before the first one, so none waits for another that waits
//! for it.
//!
//! **Why numbers may go round.** Each flag gets a new number every n turns, and turns that are compared are
//! at most 2 * n apart; so the sign of their difference says which is later. The number of all turns is a multiple
//! of n, which is a power of two. What a process knows of the others ([`Count`]) may be older, when it has not asked for long; but a
//! process that begins a turn has heard, be it from one that waited for all, that none is further behind, and notes
//! that from time to time.
//!
//! **Why no wake-up is lost** is as for the board (`board`): `++sleepers` comes before the kernel's look at the flag,
//! the change of the flag before the look at `sleepers`, with a full fence between the two on both sides.
//!
//! **Why a death is seen.** The flag's owner writes it without looking, and may take the mark of a death away. Then
//! the flag has another turn than a sleeper saw, so that wakes up; and who goes to sleep looks at the
//! board after `++sleepers`, which was broken before any flag was marked.

use cairn_framework::sync::{AtomicU32, Ordering, Sleepers};

/// How many slots a process has: a power of two.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots(u32);

impl Slots {
    /// As many as are needed so that a process need not wait where all wait for all.
    pub const FEWEST: Self = Self(4);
    /// A process that only sends does as many operations, or parts of a long one, before others have to run.
    pub const MOST: Self = Self(16);

    /// Whether it is such a number, when it was read from memory.
    pub const fn is_known(self) -> bool {
        self.0.is_power_of_two() && Self::FEWEST.0 <= self.0 && self.0 <= Self::MOST.0
    }

    pub const fn number(self) -> u32 {
        self.0
    }

    /// Half as many, if those are enough.
    pub fn half(self) -> Option<Self> {
        let half = Self(self.0 / 2);
        half.is_known().then_some(half)
    }
}

/// A power of two: turns from one [`Turn::is_occasion`] to the next.
const OCCASIONS: u32 = 32;

/// Beside the turn in a flag: a process has died.
const BROKEN: u32 = 1;

/// A turn. Turns are counted in steps of two, so that a flag has room for [`BROKEN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn(u32);

impl Turn {
    /// Before the first turn: shortly before the numbers go round, so that this is nothing special.
    pub const BEFORE: Self = Self(0_u32.wrapping_sub(2 * 16 * Slots::MOST.0));

    pub const fn next(self) -> Self {
        self.after(1)
    }

    /// The one that comes so many turns after it.
    pub const fn after(self, turns: u32) -> Self {
        Self(self.0.wrapping_add(2 * turns))
    }

    /// The turn that all must have begun before the slot of this one is written.
    pub const fn free_from(self, slots: Slots) -> Self {
        Self(self.0.wrapping_sub(2 * (slots.0 - 1)))
    }

    /// The number of its slot.
    pub const fn slot(self, slots: Slots) -> usize {
        ((self.0 / 2) & (slots.0 - 1)) as usize
    }

    /// Every so often: a process whose turns never wait for long makes progress with everything else then.
    pub const fn is_occasion(self) -> bool {
        self.0.is_multiple_of(2 * OCCASIONS)
    }

    /// Whether it is another one or comes after it.
    pub const fn is_from(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() >= 0
    }
}

/// How far a process is, and all others as far as it knows. The thread that has an operation on the communicator alone
/// uses this and the next, so Relaxed.
pub struct Count {
    /// The last turn that it has begun.
    turn: AtomicU32,
    /// All processes are known to have begun this turn.
    all: AtomicU32,
    /// [`AFTER_BARRIER`] and [`FIRST_SENDS`].
    habit: AtomicU32,
}

/// The last operation was a barrier.
const AFTER_BARRIER: u32 = 1;
/// After the last barrier that something has come after the others waited for data of rank 0.
const FIRST_SENDS: u32 = 2;

/// Operations as far as they matter to the barrier before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Barrier,
    /// All others wait for data of rank 0.
    FirstSends,
    Other,
}

impl Default for Count {
    fn default() -> Self {
        let [turn, all] = [Turn::BEFORE; 2].map(|turn| AtomicU32::new(turn.0));
        Self { turn, all, habit: 0.into() }
    }
}

impl Count {
    /// Begins the next turn.
    #[inline]
    pub fn begin(&self) -> Turn {
        let turn = Turn(self.turn.load(Ordering::Relaxed)).next();
        self.turn.store(turn.0, Ordering::Relaxed);
        if turn.0.is_multiple_of(OFTEN) {
            self.note(turn);
        }
        turn
    }

    /// An operation comes. All processes have the same ones, in one order, so they learn the same of them.
    #[inline]
    pub fn comes(&self, kind: Kind) {
        let habit = self.habit.load(Ordering::Relaxed);
        let sends = match kind {
            _ if habit & AFTER_BARRIER == 0 => habit & FIRST_SENDS,
            Kind::FirstSends => FIRST_SENDS,
            Kind::Barrier | Kind::Other => 0,
        };
        let after = if kind == Kind::Barrier { AFTER_BARRIER } else { 0 };
        self.habit.store(sends | after, Ordering::Relaxed);
    }

    /// Whether the others are expected to wait for data of rank 0 after a barrier, as they did the last time.
    #[inline]
    pub fn waits_for_first(&self) -> bool {
        self.habit.load(Ordering::Relaxed) & FIRST_SENDS != 0
    }

    /// What is known of all others must not get so old that it seems to be new.
    #[cold]
    fn note(&self, turn: Turn) {
        let known = Turn(turn.0.wrapping_sub(2 * 2 * Slots::MOST.0));
        if !self.have_all(known) {
            self.all_have(known);
        }
    }

    /// All processes have begun a turn.
    #[inline]
    pub fn all_have(&self, turn: Turn) {
        self.all.store(turn.0, Ordering::Relaxed);
    }

    /// Whether all processes are known to have begun a turn.
    #[inline]
    pub fn have_all(&self, turn: Turn) -> bool {
        Turn(self.all.load(Ordering::Relaxed)).is_from(turn)
    }
}

/// A power of two: at turns with such numbers what is known of others is looked at.
const OFTEN: u32 = 1 << 20;

/// A flag, at the beginning of its slot. Beside `sleepers` only the owner writes it, but for [`BROKEN`].
#[repr(C)]
pub struct Flag {
    turn: AtomicU32,
    sleepers: Sleepers,
}

/// What a flag says to one that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Its owner has come so far.
    There,
    /// Not yet: this is its word.
    Wait(u32),
    /// A process has died.
    Broken,
}

impl Flag {
    /// For the one that makes it, before any other has it.
    pub fn begin(&self, before: Turn) {
        self.turn.store(before.0, Ordering::Relaxed);
        self.sleepers.begin();
    }

    /// Its owner has come to this turn, and nobody waits for that by the flag.
    #[inline]
    pub fn note(&self, turn: Turn) {
        self.turn.store(turn.0, Ordering::Release);
    }

    /// Its owner has come to this turn, and all that it has written in its slot may be read. Whether sleepers are to be
    /// woken.
    #[inline]
    pub fn set(&self, turn: Turn) -> bool {
        self.note(turn);
        self.sleepers.any()
    }

    /// Whether its owner has come to this turn.
    #[inline]
    pub fn has(&self, turn: Turn) -> bool {
        Turn(self.turn.load(Ordering::Acquire) & !BROKEN).is_from(turn)
    }

    /// For one that is counted as a sleeper, and looks at the board itself.
    pub fn look(&self, turn: Turn) -> Seen {
        let word = self.turn.load(Ordering::Acquire);
        match word & BROKEN {
            _ if Turn(word & !BROKEN).is_from(turn) => Seen::There,
            0 => Seen::Wait(word),
            _ => Seen::Broken,
        }
    }

    /// Around every sleep on the word.
    pub fn sleeping<R>(&self, sleep: impl FnOnce() -> R) -> R {
        self.sleepers.around(sleep)
    }

    /// No process is to wait any more, which the board says already. Whether sleepers are to be woken.
    #[cold]
    pub fn break_off(&self) -> bool {
        self.turn.fetch_or(BROKEN, Ordering::Release);
        self.sleepers.any()
    }

    /// The word to sleep on.
    pub fn word(&self) -> &AtomicU32 {
        &self.turn
    }
}

#[cfg(all(test, feature = "loom"))]
mod model {
    use cairn_framework::sync::Cell;
    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::sync::Arc;
    use cairn_framework::sync::loom::thread;

    use super::*;
    use crate::board::Board;

    const SLOTS: Slots = Slots::FEWEST;

    /// Two processes with their slots, and what the kernel knows of sleepers on the flags of the first.
    struct Shared {
        board: Board,
        flags: [[Flag; SLOTS.number() as usize]; 2],
        slots: [[Cell<u32>; SLOTS.number() as usize]; 2],
        woken: AtomicU32,
    }

    impl Shared {
        fn new() -> Arc<Self> {
            let flag = || Flag { turn: AtomicU32::new(BEFORE.0), sleepers: Sleepers::default() };
            let flags = [0, 1].map(|_| [0; SLOTS.number() as usize].map(|_| flag()));
            let slots = [0, 1].map(|_| [0; SLOTS.number() as usize].map(|_| Cell::new(0)));
            Arc::new(Self { board: Board::default(), flags, slots, woken: AtomicU32::new(0) })
        }

        fn flag(&self, process: usize, turn: Turn) -> &Flag {
            &self.flags[process][turn.slot(SLOTS)]
        }

        fn set(&self, process: usize, turn: Turn) {
            if self.flag(process, turn).set(turn) {
                self.woken.store(1, Ordering::Release);
            }
        }

        fn write(&self, process: usize, turn: Turn) {
            // SAFETY: what the model checks.
            unsafe { self.slots[process][turn.slot(SLOTS)].with(|data| *data = turn.0) };
        }

        fn read(&self, process: usize, turn: Turn) -> u32 {
            // SAFETY: what the model checks.
            unsafe { self.slots[process][turn.slot(SLOTS)].with(|data| *data) }
        }

        /// Waits as the component does, asleep if it `sleeps`. Whether the process has come.
        fn wait(&self, process: usize, turn: Turn, sleeps: bool) -> bool {
            let flag = self.flag(process, turn);
            loop {
                if flag.has(turn) {
                    return true;
                }
                let seen = flag.sleeping(|| {
                    if self.board.is_broken() {
                        return if flag.has(turn) { Seen::There } else { Seen::Broken };
                    }
                    let seen = flag.look(turn);
                    if let Seen::Wait(word) = seen
                        && sleeps
                        && flag.word().load(Ordering::Relaxed) == word
                    {
                        while self.woken.load(Ordering::Acquire) == 0 {
                            thread::yield_now();
                        }
                    }
                    seen
                });
                match seen {
                    Seen::There => return true,
                    Seen::Broken => return false,
                    Seen::Wait(_) => thread::yield_now(),
                }
            }
        }
    }

    /// The turn behind the first one is number 0.
    const BEFORE: Turn = Turn(0_u32.wrapping_sub(4));

    fn check(model: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(model);
    }

    /// Both write and both read, and none looks whether its slot is free.
    #[test]
    fn model_all_wait_for_all() {
        check(|| {
            let run = |shared: &Shared, own: usize| {
                let mut turn = BEFORE;
                for round in 0..3 {
                    turn = turn.next();
                    shared.write(own, turn);
                    shared.set(own, turn);
                    assert!(shared.wait(1 - own, turn, round == 1 && own == 0));
                    assert_eq!(shared.read(1 - own, turn), turn.0);
                }
            };
            let shared = Shared::new();
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || run(&shared, 1))
            };
            run(&shared, 0);
            other.join().unwrap();
        });
    }

    /// One writes as long as it may; the other only reads.
    #[test]
    fn model_a_slot_is_written_when_it_was_read() {
        check(|| {
            let shared = Shared::new();
            let reader = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut turn = BEFORE;
                    for _ in 0..SLOTS.number() + 2 {
                        turn = turn.next();
                        shared.set(1, turn);
                        assert!(shared.wait(0, turn, false));
                        assert_eq!(shared.read(0, turn), turn.0);
                    }
                })
            };
            let mut turn = BEFORE;
            for _ in 0..SLOTS.number() + 2 {
                turn = turn.next();
                // Sleeps for the reader, who wakes it.
                assert!(shared.wait(1, turn.free_from(SLOTS), true));
                shared.write(0, turn);
                shared.set(0, turn);
            }
            reader.join().unwrap();
        });
    }

    /// Both begin as many turns at once as may be, and meet in the first. Then one writes as long as it may.
    #[test]
    fn model_several_turns_at_once() {
        check(|| {
            let exchange = |shared: &Shared, own: usize| {
                let first = BEFORE.next();
                let turns = || (0..SLOTS.number() - 1).map(|nth| first.after(nth));
                turns().for_each(|turn| shared.write(own, turn));
                shared.set(own, first);
                assert!(shared.wait(1 - own, first, false));
                turns().for_each(|turn| assert_eq!(shared.read(1 - own, turn), turn.0));
                turns().skip(1).for_each(|turn| shared.set(own, turn));
                first.after(SLOTS.number() - 1)
            };
            let shared = Shared::new();
            let reader = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut turn = exchange(&shared, 1);
                    for _ in 0..2 {
                        shared.set(1, turn);
                        assert!(shared.wait(0, turn, false));
                        assert_eq!(shared.read(0, turn), turn.0);
                        turn = turn.next();
                    }
                })
            };
            let mut turn = exchange(&shared, 0);
            for _ in 0..2 {
                assert!(shared.wait(1, turn.free_from(SLOTS), true));
                shared.write(0, turn);
                shared.set(0, turn);
                turn = turn.next();
            }
            reader.join().unwrap();
        });
    }

    /// A third process has died, of which the one that does not wait comes to know.
    #[test]
    fn model_a_death_ends_the_wait_for_a_flag() {
        check(|| {
            let shared = Shared::new();
            let turn = BEFORE.next();
            let waiter = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.wait(0, turn, true))
            };
            let owner = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.set(0, turn))
            };
            shared.board.break_off();
            if shared.flag(0, turn).break_off() {
                shared.woken.store(1, Ordering::Release);
            }
            let came = waiter.join().unwrap();
            owner.join().unwrap();
            // The wait has ended; if not well, because it was broken off.
            assert!(came || shared.board.is_broken());
        });
    }

    /// The same, and the owner never comes.
    #[test]
    fn model_a_death_ends_the_wait_for_the_dead() {
        check(|| {
            let shared = Shared::new();
            let turn = BEFORE.next();
            let waiter = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || assert!(!shared.wait(0, turn, true)))
            };
            shared.board.break_off();
            if shared.flag(0, turn).break_off() {
                shared.woken.store(1, Ordering::Release);
            }
            waiter.join().unwrap();
        });
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round() {
        for slots in [Slots::FEWEST, Slots::MOST] {
            let mut turn = Turn::BEFORE;
            for _ in 0..40 * Slots::MOST.0 {
                let next = turn.next();
                let behind = |turn: Turn| (turn.slot(slots) + 1) % slots.0 as usize;
                assert_eq!(next.slot(slots), behind(turn));
                assert!(next.is_from(turn) && next.is_from(next) && !turn.is_from(next));
                let free = next.free_from(slots);
                assert!(!free.is_from(next) && turn.is_from(free));
                assert_eq!(free.slot(slots), behind(next));
                turn = next;
            }
            assert!(turn.0 < Turn::BEFORE.0);
        }
    }

    #[test]
    fn only_some_numbers_of_slots_are_known() {
        let known: Vec<u32> = (0..100).filter(|number| Slots(*number).is_known()).collect();
        assert_eq!(known, [4, 8, 16]);
        assert_eq!(Slots::MOST.half(), Some(Slots(8)));
        assert_eq!(Slots::FEWEST.half(), None);
    }

    /// A process that never waits for all others, since it is mostly the one that is waited for.
    #[test]
    fn what_is_known_of_others_gets_old_and_never_new() {
        let count = Count::default();
        for _ in 0..2 * (u32::MAX / OFTEN) {
            let before = count.turn.load(Ordering::Relaxed);
            // On to shortly before the next look.
            let next = (before / OFTEN * OFTEN).wrapping_add(OFTEN);
            count.turn.store(next.wrapping_sub(4), Ordering::Relaxed);
            for _ in 0..4 {
                let turn = count.begin();
                assert!(!count.have_all(turn.free_from(Slots::MOST)), "{before} {turn:?}");
            }
        }
        let turn = count.begin();
        count.all_have(turn);
        assert!(count.have_all(turn.next().free_from(Slots::FEWEST)));
    }

    #[test]
    fn a_flag_tells_the_turn_and_a_death() {
        let flag = Flag { turn: AtomicU32::new(7), sleepers: Sleepers::default() };
        let first = Turn::BEFORE.next();
        // Whatever was there before.
        flag.sleeping(|| {
            flag.begin(Turn::BEFORE);
            assert!(!flag.set(first));
        });
        flag.begin(Turn::BEFORE);
        assert!(flag.has(Turn::BEFORE) && !flag.has(first));
        assert_eq!(flag.look(first), Seen::Wait(Turn::BEFORE.0));
        assert!(!flag.set(first) && flag.has(first));
        assert_eq!(flag.look(first), Seen::There);
        assert!(flag.sleeping(|| flag.set(first.next())));
        assert!(!flag.break_off() && flag.sleeping(|| flag.break_off()));
        // What was there is there.
        assert_eq!(flag.look(first), Seen::There);
        assert_eq!(flag.look(first.next().next()), Seen::Broken);
    }

    #[test]
    fn a_barrier_goes_by_what_came_after_the_one_before() {
        let count = Count::default();
        let after = |kinds: &[Kind]| {
            kinds.iter().for_each(|kind| count.comes(*kind));
            count.waits_for_first()
        };
        use Kind::{Barrier, FirstSends, Other};
        assert!(!after(&[FirstSends, Barrier]));
        // What comes later than the next one does not matter.
        assert!(after(&[FirstSends, Other, Barrier]));
        assert!(!after(&[Other, FirstSends, Barrier]));
        assert!(after(&[FirstSends, Barrier]));
        assert!(!after(&[Barrier]));
    }
}
