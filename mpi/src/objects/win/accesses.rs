//! Which bytes of its targets' memory a process accesses between two synchronizations, and which accesses
//! conflict (MPI 5.0, sections 12.3 and 12.7.1). Knows neither windows nor messages.
//!
//! Two accesses to a byte conflict if one is a put, or exactly one is an accumulate. Two accumulates do unless
//! they are of one predefined type, with elements that begin at the same bytes, and of operations that the
//! info key `accumulate_ops` lets be concurrent. Compare-and-swap has no such operation and goes with any.
//!
//! ```text
//!   History ── target ──► Access ──► ranges: disjoint, and neighbors are one
//!      │                                       an operation is compared with those of other accesses
//!      └─ at a fence, sorted by their beginnings: `compare` sweeps over those of all origins
//! ```

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use cairn_framework::frameworks::osc::{OSC_COMPARE_SWAP, OSC_GET, OSC_PUT};

/// How bytes are accessed. Processes send each other this.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The kind of operation: [`OSC_PUT`] and the others.
    pub kind: u32,
    /// The predefined type of the elements of an accumulate, by the number of the ABI.
    pub element: u32,
    /// The reduction operation of an accumulate, by the number of the ABI; 0 where there is none.
    pub op: u32,
    /// Where the elements of an accumulate begin, modulo their extent.
    pub phase: u32,
}

/// Bytes that are accessed in one way. Processes send each other this.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// How.
    pub access: Access,
    /// The first byte.
    pub start: u64,
    /// The one behind the last byte.
    pub end: u64,
}

/// Why two accesses conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not both are gets or accumulates.
    Kinds,
    /// Accumulates of different types.
    Types,
    /// Accumulates of elements that overlap, but are not the same.
    Elements,
    /// Accumulates that may not be concurrent as [`Operations`] says.
    Operations,
}

/// Which operations concurrent accumulates to an element may have: the info key `accumulate_ops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// The number of an operation that goes with any other: `MPI_NO_OP`, unless the key is `same_op`.
    pub any: Option<u32>,
}

impl Access {
    fn accumulates(self) -> bool {
        self.kind != OSC_PUT && self.kind != OSC_GET
    }

    /// Whether accesses to the same byte conflict.
    pub fn conflict(self, other: Self, operations: Operations) -> Option<Reason> {
        match (self.accumulates(), other.accumulates()) {
            (false, false) if self.kind == OSC_GET && other.kind == OSC_GET => None,
            (true, true) if self.element != other.element => Some(Reason::Types),
            (true, true) if self.phase != other.phase => Some(Reason::Elements),
            (true, true) => {
                let swaps = [self, other].iter().any(|one| one.kind == OSC_COMPARE_SWAP);
                let any = [self, other].iter().any(|one| operations.any == Some(one.op));
                (self.op != other.op && !swaps && !any).then_some(Reason::Operations)
            }
            _ => Some(Reason::Kinds),
        }
    }
}

/// Ranges of one access, from their first byte to the one behind the last. They neither overlap nor touch.
#[derive(Default)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// The first of those that overlap with these bytes.
    fn overlapping(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let range = |(start, end): (&u64, &u64)| (*start, *end);
        let before = self.0.range(..=start).next_back().map(range);
        let before = before.filter(|(_, last)| *last > start && end > start);
        before.or_else(|| {
            let after = if end > start { self.0.range(start..end).next() } else { None };
            after.map(range)
        })
    }

    fn add(&mut self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        // From behind: the last one that begins at or before the end may reach beyond it.
        while let Some((first, last)) = self.0.range(..=end).next_back().map(|(f, l)| (*f, *l)) {
            if last < start {
                break;
            }
            self.0.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.0.insert(start, end);
    }
}

/// An operation that conflicts with an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What the earlier one accesses, which may be what several such do, side by side.
    pub earlier: Range,
    /// A piece of what the later one would access.
    pub later: Range,
    /// Why.
    pub reason: Reason,
}

/// What a process has done since the last synchronization, to the memory of each target.
pub struct History {
    targets: BTreeMap<u32, BTreeMap<Access, Ranges>>,
    operations: Operations,
    /// Ranges that there are, and that there may be.
    count: usize,
    limit: usize,
}

impl History {
    /// Nothing yet.
    pub fn new(operations: Operations, limit: usize) -> Self {
        Self { targets: BTreeMap::new(), operations, count: 0, limit }
    }

    /// The first conflict of the pieces of an operation with what was done before.
    pub fn conflict(
        &self,
        target: u32,
        pieces: impl IntoIterator<Item = Range>,
    ) -> Option<Conflict> {
        let done = self.targets.get(&target)?;
        pieces.into_iter().find_map(|later| {
            done.iter().find_map(|(access, ranges)| {
                let reason = access.conflict(later.access, self.operations)?;
                let (start, end) = ranges.overlapping(later.start, later.end)?;
                let earlier = Range { access: *access, start, end };
                Some(Conflict { earlier, later, reason })
            })
        })
    }

    /// Keeps the pieces of an operation. False if not all, because there are too many.
    #[must_use]
    pub fn add(&mut self, target: u32, pieces: impl IntoIterator<Item = Range>) -> bool {
        let done = self.targets.entry(target).or_default();
        for Range { access, start, end } in pieces {
            if self.count >= self.limit {
                return false;
            }
            if start < end {
                let ranges = done.entry(access).or_default();
                let before = ranges.0.len();
                ranges.add(start, end);
                self.count = self.count + ranges.0.len() - before;
            }
        }
        true
    }

    /// A synchronization has completed what was done to a target.
    pub fn forget(&mut self, target: u32) {
        let gone = self.targets.remove(&target).unwrap_or_default();
        self.count -= gone.values().map(|ranges| ranges.0.len()).sum::<usize>();
    }

    /// The same for all targets.
    pub fn forget_all(&mut self) {
        self.targets.clear();
        self.count = 0;
    }

    /// What was done to a target.
    pub fn ranges(&self, target: u32) -> impl Iterator<Item = Range> {
        let done = self.targets.get(&target).into_iter().flatten();
        done.flat_map(|(access, ranges)| {
            let access = *access;
            ranges.0.iter().map(move |(start, end)| Range { access, start: *start, end: *end })
        })
    }
}

/// What a process has done to the memory of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its rank.
    pub origin: u32,
    /// What.
    pub range: Range,
}

/// Tells which accesses of different processes to one memory conflict.
pub fn compare(
    mut all: Vec<Done>,
    operations: Operations,
    mut conflict: impl FnMut([&Done; 2], Reason),
) {
    all.sort_by_key(|done| (done.range.start, done.origin));
    // Those that reach beyond the beginning of the next one.
    let mut open: Vec<&Done> = Vec::new();
    for done in all.iter().filter(|done| done.range.start < done.range.end) {
        open.retain(|before| before.range.end > done.range.start);
        for before in open.iter().filter(|before| before.origin != done.origin) {
            if let Some(reason) = before.range.access.conflict(done.range.access, operations) {
                conflict([before, done], reason);
            }
        }
        open.push(done);
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OSC_FETCH_OP, OSC_GET_ACCUMULATE};

    use super::*;

    const INT: u32 = 1;
    const DOUBLE: u32 = 2;
    const SUM: u32 = 1;
    const MAX: u32 = 2;
    const NO_OP: u32 = 9;
    const SAME_OP: Operations = Operations { any: None };
    const SAME_OP_NO_OP: Operations = Operations { any: Some(NO_OP) };

    const PUT: Access = Access { kind: OSC_PUT, element: 0, op: 0, phase: 0 };
    const GET: Access = Access { kind: OSC_GET, ..PUT };
    const SWAP: Access = Access { kind: OSC_COMPARE_SWAP, element: INT, op: 0, phase: 0 };

    const fn accumulate(element: u32, op: u32) -> Access {
        Access { kind: OSC_ACCUMULATE, element, op, phase: 0 }
    }

    const ADD: Access = accumulate(INT, SUM);

    fn range(access: Access, start: u64, end: u64) -> Range {
        Range { access, start, end }
    }

    fn history() -> History {
        History::new(SAME_OP_NO_OP, 1000)
    }

    fn done(history: &History, target: u32) -> Vec<Range> {
        history.ranges(target).collect()
    }

    #[test]
    fn kinds() {
        let fetch = Access { kind: OSC_FETCH_OP, ..accumulate(INT, NO_OP) };
        let get_add = Access { kind: OSC_GET_ACCUMULATE, ..ADD };
        let is = |one: Access, other: Access, reason: Option<Reason>| {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(one.conflict(other, SAME_OP_NO_OP), reason, "{one:?} {other:?}");
            }
        };
        is(PUT, PUT, Some(Reason::Kinds));
        is(GET, GET, None);
        for other in [GET, ADD, fetch, get_add, SWAP] {
            is(PUT, other, Some(Reason::Kinds));
        }
        // Also one that only reads: the standard asks what is an accumulate, not what changes something.
        for other in [ADD, fetch, get_add, SWAP] {
            is(GET, other, Some(Reason::Kinds));
            is(ADD, other, None);
            is(SWAP, other, None);
        }
    }

    #[test]
    fn types_elements_and_operations_of_accumulates() {
        let is = |one: Access, other: Access, operations: Operations, reason: Option<Reason>| {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(one.conflict(other, operations), reason, "{one:?} {other:?}");
            }
        };
        for operations in [SAME_OP, SAME_OP_NO_OP] {
            is(ADD, accumulate(DOUBLE, SUM), operations, Some(Reason::Types));
            is(ADD, Access { phase: 2, ..ADD }, operations, Some(Reason::Elements));
            is(ADD, accumulate(INT, MAX), operations, Some(Reason::Operations));
            is(accumulate(INT, MAX), SWAP, operations, None);
            is(SWAP, Access { element: DOUBLE, ..SWAP }, operations, Some(Reason::Types));
            is(SWAP, Access { phase: 1, ..SWAP }, operations, Some(Reason::Elements));
        }
        is(ADD, accumulate(INT, NO_OP), SAME_OP_NO_OP, None);
        is(ADD, accumulate(INT, NO_OP), SAME_OP, Some(Reason::Operations));
    }

    #[test]
    fn neighbors_become_one() {
        let mut history = history();
        // Before, behind, between, around; and what is there already.
        for (start, end) in [(8, 12), (4, 8), (12, 16), (20, 24), (28, 32), (9, 10), (4, 16)] {
            assert!(history.add(0, [range(PUT, start, end)]));
        }
        assert_eq!(done(&history, 0), [(4, 16), (20, 24), (28, 32)].map(|(s, e)| range(PUT, s, e)));
        assert_eq!(history.count, 3);
        assert!(history.add(0, [range(PUT, 16, 20)]));
        assert_eq!(done(&history, 0), [range(PUT, 4, 24), range(PUT, 28, 32)]);
        assert!(history.add(0, [range(PUT, 0, 100)]));
        assert_eq!((done(&history, 0), history.count), (vec![range(PUT, 0, 100)], 1));
        // But not of different accesses, nor nothing.
        let all = [range(GET, 100, 104), range(ADD, 104, 108), range(PUT, 200, 200)];
        assert!(history.add(0, all));
        assert_eq!(history.count, 3);
    }

    #[test]
    fn ranges_are_like_a_set_of_bytes() {
        let mut dice = 1_u64;
        let mut next = |below: u64| {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % below
        };
        for _ in 0..200 {
            let (mut ranges, mut bytes) = (Ranges::default(), [false; 64]);
            for _ in 0..20 {
                let start = next(60);
                let end = start + next(5);
                let used = bytes[start as usize..end as usize].contains(&true);
                let found = ranges.overlapping(start, end);
                assert_eq!(found.is_some(), used);
                if let Some((first, last)) = found {
                    assert!(first < end && start < last);
                }
                if start < end {
                    ranges.add(start, end);
                    bytes[start as usize..end as usize].fill(true);
                }
                let runs = bytes.chunk_by(|one, other| one == other).filter(|run| run[0]).count();
                assert_eq!(ranges.0.len(), runs);
            }
        }
    }

    #[test]
    fn only_bytes_in_common_conflict() {
        let mut history = history();
        assert!(history.add(1, [range(PUT, 8, 16), range(PUT, 24, 32)]));
        let conflict = |access, start, end| history.conflict(1, [range(access, start, end)]);
        // Touching, on all sides.
        for (start, end) in [(0, 8), (16, 24), (32, 40), (12, 12), (8, 8)] {
            assert_eq!(conflict(PUT, start, end), None, "{start} {end}");
        }
        // The same, nested in both ways, over an end, over several.
        for (start, end) in [(8, 16), (9, 10), (0, 20), (0, 9), (15, 24), (0, 40), (16, 25)] {
            let found = conflict(GET, start, end).expect("a conflict");
            assert_eq!((found.later, found.reason), (range(GET, start, end), Reason::Kinds));
            let first = if start < 16 { range(PUT, 8, 16) } else { range(PUT, 24, 32) };
            assert_eq!(found.earlier, first);
        }
        // The piece that does is told.
        let pieces = [range(ADD, 0, 4), range(ADD, 16, 20), range(ADD, 28, 32)];
        assert_eq!(history.conflict(1, pieces).map(|found| found.later), Some(pieces[2]));
        assert_eq!(history.conflict(0, pieces), None);
    }

    #[test]
    fn synchronization_forgets() {
        let mut history = history();
        for target in 0..3 {
            assert!(history.add(target, [range(PUT, 0, 8), range(GET, 16, 24)]));
        }
        history.forget(1);
        history.forget(7);
        let conflicts = |history: &History, target| history.conflict(target, [range(PUT, 4, 20)]);
        assert_eq!((conflicts(&history, 1), history.count), (None, 4));
        assert!(conflicts(&history, 0).is_some() && conflicts(&history, 2).is_some());
        history.forget_all();
        assert_eq!((conflicts(&history, 2), history.count), (None, 0));
    }

    #[test]
    fn there_is_a_limit() {
        let mut history = History::new(SAME_OP_NO_OP, 3);
        let gaps = (0..).map(|n| range(PUT, 4 * n, 4 * n + 1));
        assert!(history.add(0, gaps.clone().take(3)));
        assert!(!history.add(1, gaps.clone().take(1)));
        assert_eq!(history.count, 3);
        // What is there is still compared with, and there is room again afterwards.
        assert!(history.conflict(0, gaps.clone().take(1)).is_some());
        history.forget(0);
        assert!(!history.add(0, gaps.take(4)));
        assert_eq!(done(&history, 0).len(), 3);
    }

    /// Conflicts of what processes did, as pairs of origins.
    fn pairs(all: &[(u32, Access, u64, u64)], operations: Operations) -> Vec<[u32; 2]> {
        let all = all.iter();
        let all = all.map(|(origin, access, start, end)| Done {
            origin: *origin,
            range: range(*access, *start, *end),
        });
        let mut found = Vec::new();
        compare(all.collect(), operations, |done, _| found.push(done.map(|done| done.origin)));
        found.iter_mut().for_each(|pair| pair.sort_unstable());
        found.sort_unstable();
        found
    }

    #[test]
    fn processes_are_compared_with_each_other() {
        let pairs = |all: &[_]| pairs(all, SAME_OP_NO_OP);
        assert!(pairs(&[]).is_empty());
        // Side by side; and a process with itself, which was compared before.
        assert!(pairs(&[(0, PUT, 0, 8), (1, PUT, 8, 16), (1, GET, 12, 16)]).is_empty());
        assert!(pairs(&[(0, GET, 0, 8), (1, GET, 0, 8), (2, GET, 4, 16)]).is_empty());
        // In any order.
        assert_eq!(pairs(&[(0, PUT, 0, 8), (1, GET, 7, 9)]), [[0, 1]]);
        assert_eq!(pairs(&[(1, GET, 7, 9), (0, PUT, 0, 8)]), [[0, 1]]);
        // One that is long with all that lie in it, also behind a short one.
        let long = [(2, PUT, 0, 100), (0, ADD, 10, 14), (1, ADD, 10, 14), (0, GET, 50, 51)];
        assert_eq!(pairs(&long), [[0, 2], [0, 2], [1, 2]]);
        assert_eq!(pairs(&[(0, PUT, 0, 4), (0, PUT, 8, 8), (1, PUT, 0, 4)]), [[0, 1]]);
    }

    #[test]
    fn accumulates_of_processes() {
        let max = accumulate(INT, MAX);
        let none = accumulate(INT, NO_OP);
        let all =
            [(0, ADD, 0, 4), (1, ADD, 0, 8), (2, none, 0, 4), (3, max, 4, 8), (4, SWAP, 4, 8)];
        assert_eq!(pairs(&all, SAME_OP_NO_OP), [[1, 3]]);
        assert_eq!(pairs(&all, SAME_OP), [[0, 2], [1, 2], [1, 3]]);
    }
}
