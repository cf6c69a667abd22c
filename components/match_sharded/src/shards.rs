//! The grid of shards, its lines, and the order they keep.
//!
//! # Which lock guards what
//!
//! | what | accessed by |
//! |---|---|
//! | a shard: receives without wildcards, messages | the holder of the shard's lock |
//! | a line: receives with wildcards | the holder of all its shards' locks, or of one of them and the line's lock |
//! | [`Line::waiting`], `wildcards` | grow under the locks of all shards of the line, shrink with the line |
//! | `posts` | grows under the same locks; read under the lock of a shard |
//! | `arrivals` | grows under the lock of a shard |
//! | the words of an entry | the holder of the shard or the line that it is in |
//!
//! Locks are taken in one order, so no threads wait for each other: shards by number, then lines by number.
//!
//! # Why it is right
//!
//! **One at a time.** A call takes all its locks before it gives one back, and holds what it touches
//! (two-phase locking). So every run has the result of one in which each call happens at once, at
//! the moment when it has its last lock; in particular a call that returned before another began
//! comes before it. What one call does alone is what a single list would do, shown below. Two
//! things are read without a lock of their own:
//!
//! * A message's call reads `waiting` of its shard's three lines with only its shard's lock. These
//!   grow only under that lock, among others, so while it is held they only fall. If it reads 0, no
//!   receive of that line is in, from there to the end of the call. (It may read 0 while another
//!   message takes the last receive out. Then that call has its last lock already, and comes before
//!   this one.) If it reads more, it takes the line's lock and looks. Before that it reads
//!   `wildcards`, in which every receive of these lines is counted at least as long; so
//!   0 there says the same of all three.
//! * Numbers of receives, below.
//!
//! **Nothing is lost.** A receive with a wildcard is put into its line under the locks of all shards
//! where its messages may be, after it has looked through them. So a message of such a shard is
//! there before, and found, or comes after, and finds the receive.
//!
//! **Receives: the one posted first gets it.** Two receives of one key lie in one chain, in order. Two
//! of different keys both match a message only if one has a wildcard. A receive with a wildcard
//! gets the number `posts + 1` and makes it the new value of `posts`; one without gets the value of
//! `posts` and makes no new one, so threads without wildcards write nothing common. Both kinds hold
//! the shard of the message, the wildcard among others, so one comes before the other by that
//! shard's lock. If the wildcard W comes first, the other receive P reads what W wrote or later:
//! P ≥ W. If P comes first, W's addition comes after P's reading: P < W. So P goes first exactly
//! if its number is lower. Two wildcards whose lines share a shard are ordered by its lock, too, and
//! their additions come in that order: the lower number is the earlier one.
//!
//! **Messages: the one that arrived first.** A receive without wildcards finds them in one chain, in
//! order. One with a wildcard looks through several shards and takes the lowest number of arrival.
//! A number is taken from `arrivals` under the lock of the shard, before `keep` is called; so the
//! messages of a shard have rising numbers, and a message whose call returned, or whose `keep` was
//! called, before another's call began has the lower one. A thread that looks has all shards, so no message
//! is between its number and its place. (The lines' locks are given back before that. Nothing is
//! locked later, so it is still two-phase locking.)
//!
//! The model checker tries this with few entries in every order of steps:
//! `cargo test -p match_sharded --features loom --release --lib model_`.

use cairn_framework::audit::{Counted, LockLevel};
use cairn_framework::author::CachePadded;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::matching::{
    MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchArrived, MatchCounts, MatchPosted,
};
use cairn_matching::{Key, Table, Tally, Unexpected, tag_fits, write_lines};

use cairn_framework::sync::{AtomicUsize, Cell, Lock, Ordering};

/// Word of a receive: its number; see above.
const NUMBER: usize = 2;
/// Word of a receive: 1 while it is in.
const IN: usize = 3;

/// Word of a message that [`Unexpected`] leaves free: the number of its arrival.
const ARRIVAL: usize = 3;

/// Chains of an empty table.
const ROOM: usize = 4;

struct Shard {
    lock: Lock,
    inner: Cell<Inner>,
}

struct Inner {
    posted: Table<MatchPosted, true>,
    arrived: Unexpected,
    tally: Tally,
}

/// Receives with a wildcard, for the shards of a row, of a column or for all.
struct Line {
    /// How many are in.
    waiting: AtomicUsize,
    lock: Lock,
    inner: Cell<Waiting>,
}

struct Waiting {
    posted: Table<MatchPosted, true>,
    tally: Tally,
}

/// The engine of one communicator.
pub struct Shards {
    threaded: bool,
    rows: usize,
    columns: usize,
    /// Row by row.
    shards: Box<[CachePadded<Shard>]>,
    /// One for each row, one for each column, one for all.
    lines: Box<[CachePadded<Line>]>,
    /// Receives in all lines. Read by all, seldom written.
    wildcards: CachePadded<AtomicUsize>,
    /// Receives with wildcards that were ever posted. Read by all, seldom written.
    posts: CachePadded<AtomicUsize>,
    /// Messages that were ever kept.
    arrivals: CachePadded<AtomicUsize>,
}

// SAFETY: see the table above; entries belong to the holder of the shard or line.
unsafe impl Send for Shards {}
// SAFETY: see `Send`.
unsafe impl Sync for Shards {}

/// Where a receive or a probe looks and waits.
#[derive(Clone, Copy)]
enum Place {
    /// No wildcard: a shard.
    Shard(usize),
    /// A wildcard: a line.
    Line(usize),
}

/// The receive with the lowest number so far, and that number.
type Best = Option<(*mut MatchPosted, usize)>;

/// What a search found, of which the earlier one wins. A receive without wildcards comes last, so
/// that of equal numbers the wildcard's wins, which is the earlier one.
fn earlier(best: Best, found: Option<*mut MatchPosted>) -> Best {
    let Some(found) = found else { return best };
    // SAFETY: what is in is valid.
    let number = unsafe { (*found).engine_private[NUMBER] };
    match best {
        // Numbers wrap, so their distance counts.
        Some((_, other)) if (number.wrapping_sub(other) as isize) >= 0 => best,
        _ => Some((found, number)),
    }
}

impl Shards {
    /// An empty engine of rows and columns, both powers of two.
    pub fn new(threaded: bool, (rows, columns): (usize, usize)) -> Result<Self, Failure> {
        let shard = |_| {
            let inner = Inner {
                posted: Table::new(ROOM)?,
                arrived: Unexpected::new(ROOM)?,
                tally: Tally::default(),
            };
            Ok(CachePadded(Shard { lock: Lock::new(), inner: Cell::new(inner) }))
        };
        let line = |_| {
            let inner = Waiting { posted: Table::new(ROOM)?, tally: Tally::default() };
            let (waiting, lock) = (AtomicUsize::new(0), Lock::new());
            Ok(CachePadded(Line { waiting, lock, inner: Cell::new(inner) }))
        };
        Ok(Self {
            threaded,
            rows,
            columns,
            shards: (0..rows * columns).map(shard).collect::<Result<_, Failure>>()?,
            lines: (0..rows + columns + 1).map(line).collect::<Result<_, Failure>>()?,
            wildcards: CachePadded(AtomicUsize::new(0)),
            posts: CachePadded(AtomicUsize::new(0)),
            arrivals: CachePadded(AtomicUsize::new(0)),
        })
    }

    /// A receive was posted.
    ///
    /// # Safety
    /// It is valid until it comes out.
    #[inline]
    pub unsafe fn post(&self, posted: *mut MatchPosted) -> Option<*mut MatchArrived> {
        // SAFETY: promised by the caller.
        let (source, tag) = unsafe { ((*posted).source, (*posted).tag) };
        let shard = match self.place(source, tag) {
            // SAFETY: promised by the caller.
            Place::Line(line) => return unsafe { self.post_wildcard(posted, line) },
            Place::Shard(shard) => shard,
        };
        self.in_shard(shard, |inner| {
            let (found, compared) = inner.arrived.search(source, tag);
            inner.tally.post_searched(compared);
            // SAFETY: the entries are ours, the shard is, and what was found is in it.
            unsafe {
                (*posted).engine_private[IN] = 0;
                if let Some(found) = found {
                    inner.take(found);
                    return Some(found);
                }
                (*posted).engine_private[NUMBER] = self.posts.load(Ordering::Relaxed);
                (*posted).engine_private[IN] = 1;
                inner.posted.push(posted);
            }
            inner.tally.posted();
            None
        })
    }

    /// # Safety
    /// As for `post`; the receive belongs to this line.
    #[cold]
    unsafe fn post_wildcard(
        &self,
        posted: *mut MatchPosted,
        line: usize,
    ) -> Option<*mut MatchArrived> {
        self.holding(line, || {
            // SAFETY: the entry is ours, and all shards of the line are.
            unsafe {
                (*posted).engine_private[IN] = 0;
                let (found, compared) =
                    self.search_line(line, (*posted).source, (*posted).tag, true);
                self.lines[line].inner.with(|inner| {
                    inner.tally.post_searched(compared);
                    if found.is_some() {
                        return;
                    }
                    let number = self.add(&self.posts, 1).wrapping_add(1);
                    (*posted).engine_private[NUMBER] = number;
                    (*posted).engine_private[IN] = 1;
                    inner.posted.push(posted);
                    inner.tally.posted();
                    self.add(&self.lines[line].waiting, 1);
                    self.add(&self.wildcards, 1);
                });
                found
            }
        })
    }

    /// A message arrived.
    ///
    /// # Safety
    /// What `keep` makes is valid until it comes out.
    #[inline]
    pub unsafe fn arrive(
        &self,
        source: i32,
        tag: i32,
        keep: &mut dyn FnMut() -> Option<*mut MatchArrived>,
    ) -> Option<*mut MatchPosted> {
        let shard = self.shard(source, tag);
        self.in_shard(shard, |inner| {
            if self.wildcards.load(Ordering::Relaxed) != 0 {
                // SAFETY: the shard is ours.
                if let Some(found) = unsafe { self.with_wildcards(inner, source, tag) } {
                    return Some(found);
                }
            } else {
                let (found, compared) = inner.posted_first(source, tag);
                inner.tally.arrive_searched(compared);
                if let Some(found) = found {
                    // SAFETY: found in the shard.
                    unsafe { inner.withdraw(found) };
                    return Some(found);
                }
            }
            let number = self.add(&self.arrivals, 1);
            let kept = keep()?;
            // SAFETY: promised by the caller; the shard is ours.
            unsafe {
                (*kept).source = source;
                (*kept).tag = tag;
                (*kept).engine_private[ARRIVAL] = number;
                inner.arrived.push(kept);
            }
            inner.tally.arrived();
            None
        })
    }

    /// The receive that gets a message while some have wildcards, taken out.
    ///
    /// # Safety
    /// The caller has the shard of the message.
    #[cold]
    unsafe fn with_wildcards(
        &self,
        inner: &mut Inner,
        source: i32,
        tag: i32,
    ) -> Option<*mut MatchPosted> {
        let keys =
            [(source, MATCH_ANY_TAG), (MATCH_ANY_SOURCE, tag), (MATCH_ANY_SOURCE, MATCH_ANY_TAG)];
        let (mut best, mut from, mut compared): (Best, _, _) = (None, None, 0);
        let mut held = [None; 3];
        for (held, (source, wanted)) in held.iter_mut().zip(keys) {
            let line = self.line(source, wanted);
            if !tag_fits(wanted, tag) || self.lines[line].waiting.load(Ordering::Relaxed) == 0 {
                continue;
            }
            self.lock(&self.lines[line].lock, LockLevel::LINE);
            *held = Some(line);
            // SAFETY: a shard of the line is ours, and the line's lock is held.
            let (found, more) = unsafe {
                self.lines[line].inner.with(|inner| inner.posted.first(Key::new(source, wanted)))
            };
            compared += more;
            let before = best;
            best = earlier(before, found);
            if best != before {
                from = Some(line);
            }
        }
        let (own, more) = inner.posted_first(source, tag);
        compared += more;
        let before = best;
        best = earlier(before, own);
        inner.tally.arrive_searched(compared);
        // SAFETY: found there, and the locks are held.
        unsafe {
            if best != before {
                own.inspect(|own| inner.withdraw(*own));
            } else if let (Some((found, _)), Some(line)) = (best, from) {
                self.withdraw_wildcard(found, line);
            }
            held.into_iter().flatten().for_each(|line| self.unlock(&self.lines[line].lock));
        }
        best.map(|(found, _)| found)
    }

    /// Takes a receive out of its line.
    ///
    /// # Safety
    /// It is in; the caller has the line.
    unsafe fn withdraw_wildcard(&self, posted: *mut MatchPosted, line: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            self.lines[line].inner.with(|inner| {
                inner.posted.remove(posted);
                inner.tally.unposted();
            });
            (*posted).engine_private[IN] = 0;
        }
        self.add(&self.lines[line].waiting, usize::MAX);
        self.add(&self.wildcards, usize::MAX);
    }

    /// The message that a receive would get, which `look` is called with; with `take` it is taken out.
    pub fn find(
        &self,
        source: i32,
        tag: i32,
        take: bool,
        look: &mut dyn FnMut(*mut MatchArrived),
    ) -> Option<*mut MatchArrived> {
        match self.place(source, tag) {
            Place::Shard(shard) => self.in_shard(shard, |inner| {
                let found = inner.arrived.search(source, tag).0?;
                look(found);
                if take {
                    // SAFETY: found in the shard.
                    unsafe { inner.take(found) };
                }
                Some(found)
            }),
            Place::Line(line) => self.holding(line, || {
                // SAFETY: all shards of the line are ours, so what was taken out or is in stays valid
                // until they are given back.
                let found = unsafe { self.search_line(line, source, tag, take) }.0;
                found.inspect(|found| look(*found))
            }),
        }
    }

    /// The message in the shards of a line that a receive would get, with `take` taken out; and how
    /// many were compared.
    ///
    /// # Safety
    /// The caller has all shards of the line.
    unsafe fn search_line(
        &self,
        line: usize,
        source: i32,
        tag: i32,
        take: bool,
    ) -> (Option<*mut MatchArrived>, u64) {
        let mut best: Option<(*mut MatchArrived, usize, usize)> = None;
        let mut compared = 0;
        for shard in self.shards_of(line) {
            // SAFETY: promised by the caller; what is in is valid.
            unsafe {
                let (found, more) =
                    self.shards[shard].inner.with(|inner| inner.arrived.search(source, tag));
                compared += more;
                let Some(found) = found else { continue };
                let number = (*found).engine_private[ARRIVAL];
                // Numbers wrap, so their distance counts.
                if best.is_none_or(|(_, other, _)| (number.wrapping_sub(other) as isize) < 0) {
                    best = Some((found, number, shard));
                }
            }
        }
        if take && let Some((found, _, shard)) = best {
            // SAFETY: found there.
            unsafe { self.shards[shard].inner.with(|inner| inner.take(found)) };
        }
        (best.map(|(found, ..)| found), compared)
    }

    /// Takes a receive out if it is in.
    ///
    /// # Safety
    /// It was posted and is valid.
    pub unsafe fn cancel(&self, posted: *mut MatchPosted) -> bool {
        // SAFETY: promised by the caller; these are not written while it is posted.
        match unsafe { self.place((*posted).source, (*posted).tag) } {
            // SAFETY: the shard is ours, and with it the receive's words.
            Place::Shard(shard) => self.in_shard(shard, |inner| unsafe {
                let waits = (*posted).engine_private[IN] == 1;
                if waits {
                    inner.withdraw(posted);
                }
                waits
            }),
            // One shard of the line is enough beside the line's lock.
            Place::Line(line) => self.in_line(line, || {
                // SAFETY: the line is ours, and with it the receive's words.
                unsafe {
                    let waits = (*posted).engine_private[IN] == 1;
                    if waits {
                        self.withdraw_wildcard(posted, line);
                    }
                    waits
                }
            }),
        }
    }

    /// Takes one receive and one message out.
    pub fn drain(&self) -> (Option<*mut MatchPosted>, Option<*mut MatchArrived>) {
        let all = self.lines.len() - 1;
        // SAFETY: all shards are ours, and with them all lines.
        self.holding(all, || unsafe {
            let posted = self.shards.iter().find_map(|shard| {
                shard
                    .inner
                    .with(|inner| inner.posted.any().inspect(|posted| inner.withdraw(*posted)))
            });
            let posted = posted.or_else(|| {
                (0..self.lines.len()).find_map(|line| {
                    let any = self.lines[line].inner.with(|inner| inner.posted.any());
                    any.inspect(|posted| self.withdraw_wildcard(*posted, line))
                })
            });
            let arrived = self.shards.iter().find_map(|shard| {
                shard
                    .inner
                    .with(|inner| inner.arrived.first().inspect(|arrived| inner.take(*arrived)))
            });
            (posted, arrived)
        })
    }

    /// Takes a receive out that names this source, whichever.
    pub fn withdraw(&self, source: i32) -> Option<*mut MatchPosted> {
        let all = self.lines.len() - 1;
        let fits = |posted: &MatchPosted| posted.source == source;
        // SAFETY: all shards are ours, and with them all lines.
        self.holding(all, || unsafe {
            let own = self.shards.iter().find_map(|shard| {
                shard
                    .inner
                    .with(|inner| inner.posted.find(fits).inspect(|posted| inner.withdraw(*posted)))
            });
            own.or_else(|| {
                (0..self.lines.len()).find_map(|line| {
                    let found = self.lines[line].inner.with(|inner| inner.posted.find(fits));
                    found.inspect(|posted| self.withdraw_wildcard(*posted, line))
                })
            })
        })
    }

    /// What is in it and how hard it worked, part by part: the most of the whole is taken for the
    /// sum of the most of its parts.
    pub fn counts(&self) -> MatchCounts {
        let mut all = MatchCounts::default();
        let mut add = |tally: &mut Tally| {
            let part = tally.counts();
            all.posted += part.posted;
            all.arrived += part.arrived;
            all.posted_max += part.posted_max;
            all.arrived_max += part.arrived_max;
            all.searches += part.searches;
            all.compared += part.compared;
            all.compared_max = all.compared_max.max(part.compared_max);
            all.posts += part.posts;
            all.arrivals += part.arrivals;
            all.posted_met += part.posted_met;
            all.arrived_met += part.arrived_met;
        };
        for shard in 0..self.shards.len() {
            self.in_shard(shard, |inner| add(&mut inner.tally));
        }
        for line in 0..self.lines.len() {
            // SAFETY: the line is ours.
            self.in_line(line, || unsafe {
                self.lines[line].inner.with(|inner| add(&mut inner.tally));
            });
        }
        all
    }

    /// What is in it, for a person.
    pub fn describe(&self) -> String {
        let counts = self.counts();
        let (mut receives, mut messages) = (Vec::new(), Vec::new());
        self.holding(self.lines.len() - 1, || {
            // Of equal numbers, the wildcard's receive is the earlier one.
            let mut receive = |entry: &MatchPosted, own: usize| {
                let number = entry.engine_private[NUMBER].wrapping_mul(2).wrapping_add(own);
                receives.push((number, entry.source, entry.tag));
            };
            // SAFETY: all shards are ours, and with them all lines.
            unsafe {
                for shard in &self.shards {
                    shard.inner.with(|inner| {
                        inner.posted.each(|entry| receive(entry, 1));
                        inner.arrived.each(|entry| {
                            let number = entry.engine_private[ARRIVAL];
                            messages.push((number, entry.source, entry.tag));
                        });
                    });
                }
                for line in &self.lines {
                    line.inner.with(|inner| inner.posted.each(|entry| receive(entry, 0)));
                }
            }
        });
        write_lines(&counts, &mut receives, &mut messages)
    }

    /// The row of a source.
    #[inline]
    fn row(&self, source: i32) -> usize {
        source as usize & (self.rows - 1)
    }

    /// The column of a tag. Tags that follow each other have different ones, and so do multiples of
    /// powers of two.
    #[inline]
    fn column(&self, tag: i32) -> usize {
        let mut folded = tag as u32;
        folded ^= folded >> 16;
        folded ^= folded >> 8;
        folded ^= folded >> 4;
        folded as usize & (self.columns - 1)
    }

    #[inline]
    fn shard(&self, source: i32, tag: i32) -> usize {
        self.row(source) * self.columns + self.column(tag)
    }

    #[inline]
    fn place(&self, source: i32, tag: i32) -> Place {
        if source == MATCH_ANY_SOURCE || tag == MATCH_ANY_TAG {
            Place::Line(self.line(source, tag))
        } else {
            Place::Shard(self.shard(source, tag))
        }
    }

    /// The line of a source and a tag of which at least one is a wildcard.
    fn line(&self, source: i32, tag: i32) -> usize {
        match (source, tag) {
            (MATCH_ANY_SOURCE, MATCH_ANY_TAG) => self.rows + self.columns,
            (MATCH_ANY_SOURCE, tag) => self.rows + self.column(tag),
            (source, _) => self.row(source),
        }
    }

    /// The shards of a line, in order.
    fn shards_of(&self, line: usize) -> impl Iterator<Item = usize> + use<> {
        let (rows, columns) = (self.rows, self.columns);
        let (from, to, step) = if line < rows {
            (line * columns, (line + 1) * columns, 1)
        } else if line < rows + columns {
            (line - rows, rows * columns, columns)
        } else {
            (0, rows * columns, 1)
        };
        (from..to).step_by(step)
    }

    /// Adds to a number that several threads may write, and returns what it was. To subtract, add the
    /// negative number, which wraps around.
    #[inline]
    fn add(&self, number: &AtomicUsize, more: usize) -> usize {
        if self.threaded {
            return number.rmw().fetch_add(more, Ordering::Relaxed);
        }
        let before = number.load(Ordering::Relaxed);
        number.store(before.wrapping_add(more), Ordering::Relaxed);
        before
    }

    #[inline]
    fn lock(&self, lock: &Lock, rank: LockLevel) {
        if self.threaded {
            lock.lock_as(rank);
        }
    }

    /// # Safety
    /// The calling thread holds the lock.
    #[inline]
    unsafe fn unlock(&self, lock: &Lock) {
        if self.threaded {
            // SAFETY: promised by the caller.
            unsafe { lock.unlock() };
        }
    }

    /// Runs `work` in the hands of one shard. A panic in it ends the process.
    #[inline]
    fn in_shard<R>(&self, shard: usize, work: impl FnOnce(&mut Inner) -> R) -> R {
        let shard = &self.shards[shard].0;
        self.lock(&shard.lock, LockLevel::SHARD);
        // SAFETY: the lock is held, or there is one thread.
        unsafe {
            let result = shard.inner.with(work);
            self.unlock(&shard.lock);
            result
        }
    }

    /// Runs `work` in the hands of all shards of a line.
    fn holding<R>(&self, line: usize, work: impl FnOnce() -> R) -> R {
        self.shards_of(line)
            .for_each(|shard| self.lock(&self.shards[shard].lock, LockLevel::SHARD));
        let result = work();
        // SAFETY: taken above.
        self.shards_of(line).for_each(|shard| unsafe { self.unlock(&self.shards[shard].lock) });
        result
    }

    /// Runs `work` in the hands of a line, by its first shard.
    fn in_line<R>(&self, line: usize, work: impl FnOnce() -> R) -> R {
        let first = self.shards_of(line).next().expect("no line is empty");
        let (shard, line) = (&self.shards[first].lock, &self.lines[line].lock);
        self.lock(shard, LockLevel::SHARD);
        self.lock(line, LockLevel::LINE);
        let result = work();
        // SAFETY: taken above.
        unsafe {
            self.unlock(line);
            self.unlock(shard);
        }
        result
    }
}

impl Inner {
    /// The first receive of this source and tag, without wildcards.
    #[inline]
    fn posted_first(&self, source: i32, tag: i32) -> (Option<*mut MatchPosted>, u64) {
        if self.posted.is_empty() {
            return (None, 0);
        }
        self.posted.first(Key::new(source, tag))
    }

    /// Takes a message out.
    ///
    /// # Safety
    /// It is in this shard.
    #[inline]
    unsafe fn take(&mut self, arrived: *mut MatchArrived) {
        // SAFETY: promised by the caller.
        unsafe { self.arrived.remove(arrived) };
        self.tally.taken();
    }

    /// Takes a receive out.
    ///
    /// # Safety
    /// It is in this shard.
    #[inline]
    unsafe fn withdraw(&mut self, posted: *mut MatchPosted) {
        // SAFETY: promised by the caller.
        unsafe {
            self.posted.remove(posted);
            (*posted).engine_private[IN] = 0;
        }
        self.tally.unposted();
    }
}

impl Drop for Shards {
    fn drop(&mut self) {
        #[cfg(not(feature = "loom"))] // which does not know that no other thread is left
        self.counts();
    }
}

#[cfg(all(test, feature = "loom"))]
mod model;
