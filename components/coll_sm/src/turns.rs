//! Turns of one process: it has data for others, waits for theirs, or for all.

use core::hint::spin_loop;
use core::sync::atomic::Ordering;
use std::thread;

use cairn_framework::abi::request::WaitSync;
use cairn_framework::author::{Failure, HostHandle, copy, copy_out, wake_sleepers};
use cairn_schedule::Data;
use cairn_segment::pace::{self, Choice};

use crate::board::{Gone, Next};
use crate::deaths::Member;
use crate::flag::{Flag, Seen, Turn};
use cairn_schedule::told::lost;

/// How often a process looks at a flag before it makes progress meanwhile: about as long as it takes another one
/// that runs to come as far.
const LOOKS: u32 = 100;

/// How often a process that shares its processor lets the others run before it makes progress meanwhile: mostly what
/// it waits for has come after the first time.
const ROUNDS: u32 = 4;

/// From so many bytes on there are two ways to copy them to a slot.
const MANY: u64 = 4096;

/// From so many bytes on lines are written whole, where that is faster.
const WHOLE_LINES: usize = 8192;

/// Ticks that a reader takes longer for a KiB which it has to read from memory, because it was written past the
/// caches: none of the many readers is asked. Measured as 6 to 9 a line on processors of 2022 that share a
/// cache; without one the difference is on the writer's side.
const READING: [u32; 2] = [0, 8 * 1024 / 64];

/// What a process needs for its turns.
#[derive(Clone, Copy)]
pub struct Turns<'a> {
    pub host: HostHandle,
    pub member: &'a Member,
    pub rank: u32,
    pub size: u32,
}

/// Turns that begin at once, of which all meet in the first one.
#[derive(Clone, Copy)]
pub struct Series {
    pub first: Turn,
    pub count: u32,
}

impl Series {
    /// The turn of this number.
    pub fn turn(self, nth: u64) -> Turn {
        self.first.after(nth as u32)
    }
}

impl Turns<'_> {
    /// Begins the next turn.
    #[inline]
    pub fn begin(&self) -> Turn {
        let turn = self.member.count().begin();
        if turn.is_occasion() {
            self.host.progress();
        }
        turn
    }

    /// How many turns a series has at most. With as many as there are slots each would wait for the others to begin it.
    pub fn most_in_series(&self) -> u64 {
        if self.is_few() { 1 } else { u64::from(self.member.shared.shape().slots.number() - 1) }
    }

    /// Begins as many turns of all for all as are wanted, and may be: this process's slots of all of them may be
    /// written.
    pub fn begin_series(&self, wanted: u64) -> Result<Series, Failure> {
        let count = wanted.clamp(1, self.most_in_series()) as u32;
        let first = self.begin();
        // Where there is room for the last one there is for all.
        let last = (1..count).fold(first, |_, _| self.begin());
        self.make_room(last)?;
        Ok(Series { first, count })
    }

    /// Ends them, when this process has read what others have in all of them.
    pub fn end_series(&self, series: Series) {
        (1..series.count.into()).for_each(|nth| self.set(series.turn(nth)));
    }

    /// Whether each process reads what all others have.
    #[inline]
    pub fn is_few(&self) -> bool {
        self.member.shared.shape().is_few != 0
    }

    /// See [`Shape::piece`](crate::setup::Shape::piece).
    #[inline]
    pub fn least_piece(&self) -> u64 {
        self.member.shared.shape().piece
    }

    /// Waits until the process's own slot may be written.
    #[inline]
    pub fn make_room(&self, turn: Turn) -> Result<(), Failure> {
        let needed = turn.free_from(self.member.shared.shape().slots);
        if self.member.count().have_all(needed) { Ok(()) } else { self.wait_for_room(needed) }
    }

    #[cold]
    fn wait_for_room(&self, needed: Turn) -> Result<(), Failure> {
        self.wait_for_others(needed)?;
        self.member.count().all_have(needed);
        Ok(())
    }

    #[inline]
    fn wait_for_others(&self, turn: Turn) -> Result<(), Failure> {
        // Each begins with the rank behind it, so that they don't come to one line together.
        (self.rank + 1..self.size)
            .chain(0..self.rank)
            .try_for_each(|rank| self.wait_for(rank, turn))
    }

    /// The data of this process's slot.
    #[inline]
    pub fn own(&self, turn: Turn) -> *mut u8 {
        self.data(self.rank, turn)
    }

    /// The data of a process's slot.
    #[inline]
    pub fn data(&self, rank: u32, turn: Turn) -> *mut u8 {
        self.member.shared.data(rank, turn)
    }

    /// Copies bytes of data to a slot. More than a few of them go past the caches where that takes less time:
    /// a slot was read by others, and its lines are in their caches.
    ///
    /// # Safety
    /// As for [`Data::read`].
    #[inline]
    pub unsafe fn put(&self, data: &Data, from: u64, to: *mut u8, len: u64) {
        // SAFETY: promised by the caller.
        unsafe {
            match data.flat() {
                Some(flat) if len >= MANY => {
                    self.put_many(flat.buffer.wrapping_add(from as usize), to, len as usize);
                }
                _ => data.read(from, to, len),
            }
        }
    }

    /// # Safety
    /// Both have so many bytes, and do not overlap.
    unsafe fn put_many(&self, from: *const u8, to: *mut u8, len: usize) {
        let pace = &self.member.pace;
        let Choice { streams, measured } = pace.choose(len, READING);
        let begin = if measured { pace::ticks() } else { 0 };
        // SAFETY: promised by the caller.
        unsafe {
            if streams {
                pace::stream(from, to, len);
            } else {
                // The few slots stay in the caches, where a short copy need not spare the reading.
                let way = if len < WHOLE_LINES { copy } else { copy_out };
                way(from, to, len);
            }
        }
        if measured {
            pace.measured(len, streams, pace::ticks().wrapping_sub(begin));
        }
    }

    /// Says to others how many bytes this process's operation has, from when its flag is set.
    #[inline]
    pub fn say_bytes(&self, turn: Turn, bytes: u64) {
        self.member.shared.bytes(self.rank, turn).store(bytes, Ordering::Relaxed);
    }

    /// What a process has said, whose flag was set.
    #[inline]
    pub fn bytes(&self, rank: u32, turn: Turn) -> u64 {
        self.member.shared.bytes(rank, turn).load(Ordering::Relaxed)
    }

    /// This process has come to a turn, and others may read its slot.
    #[inline]
    pub fn set(&self, turn: Turn) {
        let flag = self.member.shared.flag(self.rank, turn);
        if flag.set(turn) {
            wake_sleepers(flag.word());
        }
    }

    /// Whether a process has come to a turn.
    pub fn has_come(&self, rank: u32, turn: Turn) -> bool {
        self.member.shared.flag(rank, turn).has(turn)
    }

    /// Waits until a process has come to a turn.
    #[inline]
    pub fn wait_for(&self, rank: u32, turn: Turn) -> Result<(), Failure> {
        let flag = self.member.shared.flag(rank, turn);
        if flag.has(turn) {
            return Ok(());
        }
        // Where processes share processors there are no polls, because the other one needs this one's.
        if self.host.job().wait_polls > 0 {
            for _ in 0..LOOKS {
                spin_loop();
                if flag.has(turn) {
                    return Ok(());
                }
            }
        }
        self.wait_long(flag, turn)
    }

    /// Where processes share processors, lets others run until something has come; whether it has.
    fn let_others_run(&self, mut has_come: impl FnMut() -> bool) -> bool {
        self.host.job().is_crowded()
            && (0..ROUNDS).any(|_| {
                thread::yield_now();
                has_come()
            })
    }

    #[cold]
    fn wait_long(&self, flag: &Flag, turn: Turn) -> Result<(), Failure> {
        if self.let_others_run(|| flag.has(turn)) {
            return Ok(());
        }
        if self.host.job().poll_until(|_| self.host.progress(), || flag.has(turn)) {
            return Ok(());
        }
        self.member.waiting(|| -> Result<(), Failure> {
            loop {
                let seen = flag.sleeping(|| -> Result<Seen, Failure> {
                    let seen = flag.look(turn);
                    let Seen::Wait(expected) = seen else { return Ok(seen) };
                    if self.member.board().is_broken() {
                        return Ok(Seen::Broken);
                    }
                    let word = flag.word();
                    self.host.wait(&WaitSync { expected, word, ..WaitSync::of(1) })?;
                    Ok(flag.look(turn))
                })?;
                match seen {
                    Seen::There => return Ok(()),
                    Seen::Wait(_) => {}
                    Seen::Broken => return Err(lost()),
                }
            }
        })
    }

    /// Ends this process's writing in a turn in which all read what all have written, and waits for all
    /// others.
    #[inline]
    pub fn exchange(&self, turn: Turn) -> Result<(), Failure> {
        if !self.is_few() {
            return self.meet(turn, || ()).map(drop);
        }
        self.set(turn);
        self.wait_for_others(turn)?;
        self.member.count().all_have(turn);
        Ok(())
    }

    /// A barrier. The last process that comes is the first to leave it, unless the others are expected to wait for rank 0 next:
    /// among processes that share processors that one would have its turn after all of them.
    pub fn barrier(&self, turn: Turn) -> Result<(), Failure> {
        let has_flags = self.member.shared.shape().slot > 0;
        if has_flags && self.member.count().waits_for_first() {
            self.gather_and_go(turn)
        } else {
            self.exchange(turn)
        }
    }

    /// A barrier that rank 0 is the first to leave.
    fn gather_and_go(&self, turn: Turn) -> Result<(), Failure> {
        if self.rank == 0 {
            self.wait_for_others(turn)?;
            self.set(turn);
        } else {
            self.set(turn);
            self.wait_for(0, turn)?;
        }
        self.member.count().all_have(turn);
        Ok(())
    }

    /// A barrier of which the last process that comes does something before all go on. Whether that was this one.
    #[inline]
    pub fn meet(&self, turn: Turn, work: impl FnOnce()) -> Result<bool, Failure> {
        // Nobody waits for the flag: when it is asked for next, all are known to have begun this turn.
        if self.member.shared.shape().slot > 0 {
            self.member.shared.flag(self.rank, turn).note(turn);
        }
        let board = self.member.board();
        let is_last = match board.arrive(self.size) {
            Next::Open => {
                work();
                if board.open() {
                    wake_sleepers(board.word());
                }
                true
            }
            Next::Wait(generation, missing) => {
                self.wait_for_all(generation, missing)?;
                false
            }
            Next::Broken => return Err(lost()),
        };
        self.member.count().all_have(turn);
        Ok(is_last)
    }

    fn wait_for_all(&self, generation: u32, missing: u32) -> Result<(), Failure> {
        let board = self.member.board();
        let mut gone = board.left(generation);
        // Where processes share processors, those that are missing may run at this moment if there are as many other
        // processors. Then they come in less time than it takes to let others run.
        if missing < self.host.job().node_cores {
            for _ in 0..LOOKS {
                if gone.is_some() {
                    break;
                }
                spin_loop();
                gone = board.left(generation);
            }
        }
        if gone.is_none() {
            self.let_others_run(|| {
                gone = board.left(generation);
                gone.is_some()
            });
        }
        if gone.is_none() {
            self.host.job().poll_until(
                |_| self.host.progress(),
                || {
                    gone = board.left(generation);
                    gone.is_some()
                },
            );
        }
        if gone.is_none() {
            self.member.waiting(|| -> Result<(), Failure> {
                while gone.is_none() {
                    board.sleeping(|| {
                        let word = board.word();
                        let sync = WaitSync { expected: generation, word, ..WaitSync::of(1) };
                        self.host.wait(&sync)
                    })?;
                    gone = board.left(generation);
                }
                Ok(())
            })?;
        }
        if gone == Some(Gone::Passed) { Ok(()) } else { Err(lost()) }
    }
}
