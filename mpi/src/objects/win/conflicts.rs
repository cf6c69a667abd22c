//! The parameter `osc_debug`: accesses to a window that conflict (MPI 5.0, section 12.3) are errors.
//!
//! A process compares each operation with its own that no synchronization has completed at the target since.
//! What several processes do meets only where all of them come together, in a fence:
//!
//! ```text
//!   operation ─► admit: conflicts with an earlier one? ─ yes ► an error, and it is not started
//!                  │ no: it is kept                           complete, unlock, flush ► forgotten
//!   fence ─────► each target gets what was done to its memory, compares, and tells the origins:
//!                who takes part in a conflict has an error, after the fence
//! ```
//!
//! Loads and stores are not seen, nor is what processes do to each other in other epochs.

use std::ffi::c_void;
use std::fmt::{self, Display};
use std::io::Write as _;

use cairn_framework::abi::datatype::{Cursor, Segment};
use cairn_framework::abi::status::OutcomeCode;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::coll::{COLL_ALLTOALL, COLL_ALLTOALLV, CollArgs, CollCounts};
use cairn_framework::frameworks::osc::{
    OSC_COMPARE_SWAP, OSC_COMPLETE, OSC_FENCE, OSC_FLUSH, OSC_GET, OSC_PUT, OSC_UNLOCK,
    OSC_UNLOCK_ALL, OscSync, OscTransfer, WINDOW_DYNAMIC, Window as View,
};

use super::accesses::{Access, Conflict, Done, History, Operations, Range, Reason, compare};
use super::calls::side;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Datatype, Op};
use crate::error::{Error, Result};
use crate::objects::comm::CommRef;
use crate::objects::datatype::DatatypeRef;
use crate::runtime::no_data;
use crate::state;

/// Ranges of bytes that a process keeps of a window, some 30 megabytes, which a fence sends to the targets.
const LIMIT: usize = 1_000_000;

/// What a process knows of the accesses to a window.
pub struct Conflicts {
    state: Mutex<State>,
    operations: Operations,
    /// Places are addresses.
    dynamic: bool,
}

struct State {
    history: History,
    /// Whether the user knows that not everything is kept.
    told: bool,
}

impl Conflicts {
    /// For a new window; `same_op` is what the info key `accumulate_ops` says of `MPI_NO_OP`.
    pub fn new(view: &View, same_op: bool) -> Self {
        let any = (!same_op).then(|| MPI_NO_OP.value() as u32);
        let operations = Operations { any };
        let history = History::new(operations, LIMIT);
        let dynamic = view.flavor == WINDOW_DYNAMIC;
        Self { state: Mutex::new(State { history, told: false }), operations, dynamic }
    }

    /// Keeps an operation that is to be started, or says with which earlier one it conflicts. From any thread.
    ///
    /// # Safety
    /// The datatype at the target lives.
    pub unsafe fn admit(&self, transfer: &OscTransfer) -> Result<()> {
        // SAFETY: promised by the caller.
        let pieces = || unsafe { Pieces::of(transfer) };
        let target = transfer.target;
        let State { history, told } = &mut *self.state.lock();
        if let Some(conflict) = history.conflict(target, pieces()) {
            return Err(self.of_process(target, &conflict));
        }
        if !history.add(target, pieces()) && !std::mem::replace(told, true) {
            let text = format!(
                "cairn: {}osc_debug: this process has accessed more than {LIMIT} separate ranges of a \
                 window since the last synchronization; not all of them are checked for conflicts\n",
                state::whoami()
            );
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        Ok(())
    }

    /// An operation was not started, after all. What was kept of it can't be told from the rest, so nothing of
    /// its target is known any more: rather a conflict that is not found than one that is none.
    pub fn withdraw(&self, target: u32) {
        self.state.lock().history.forget(target);
    }

    /// A synchronization has ended with this result. A fence tells the conflicts of its epoch in which this process
    /// has taken part; that is collective, unless a process has died in the fence.
    pub fn synchronized(
        &self,
        comm: CommRef,
        sync: &OscSync,
        result: Result<OutcomeCode>,
    ) -> Result<OutcomeCode> {
        let nothing_precedes = sync.assertions & MPI_MODE_NOPRECEDE as u32 != 0;
        let died = result.as_ref().is_err_and(|error| error.code() == MPI_ERR_PROC_ABORTED);
        match sync.kind {
            OSC_FENCE if !nothing_precedes && !died => {
                // Others come here also if something else has failed in this process.
                let compared = self.fenced(comm);
                return result.and_then(|outcome| compared.map(|()| outcome));
            }
            OSC_UNLOCK | OSC_FLUSH if sync.target >= 0 => {
                self.state.lock().history.forget(sync.target as u32);
            }
            OSC_FENCE | OSC_COMPLETE | OSC_UNLOCK_ALL | OSC_FLUSH => {
                self.state.lock().history.forget_all();
            }
            // What is complete at the origin need not be at the target.
            _ => {}
        }
        result
    }

    fn fenced(&self, comm: CommRef) -> Result<()> {
        let peers = comm.size();
        let mut ranges = Vec::new();
        let to_each: Vec<u64> = {
            let history = &mut self.state.lock().history;
            let counts = (0..peers).map(|target| {
                let before = ranges.len();
                ranges.extend(history.ranges(target));
                (ranges.len() - before) as u64
            });
            let counts = counts.collect();
            history.forget_all();
            counts
        };
        let from_each = all_to_all(comm, &to_each)?;
        let done = exchange(comm, &ranges, &to_each, &from_each)?;
        let verdicts = all_to_all(comm, &judge(comm, done, self.operations))?;
        let sum: u64 = verdicts.iter().map(|verdict| verdict.conflicts).sum();
        match verdicts.iter().zip(0..).find(|(verdict, _)| verdict.conflicts > 0) {
            None => Ok(()),
            Some((first, target)) => Err(self.of_epoch(target, first, sum)),
        }
    }

    #[cold]
    fn of_process(&self, target: u32, conflict: &Conflict) -> Error {
        let Conflict { earlier, later, reason } = conflict;
        let [earlier, later] = [earlier, later].map(|range| self.told(range));
        let why = self.why(Some(*reason));
        let text = format!(
            "{later} in the memory of rank {target} conflicts with {earlier}, which no synchronization has \
             completed there{why}"
        );
        Error::new(MPI_ERR_RMA_CONFLICT, text)
    }

    #[cold]
    fn of_epoch(&self, target: u32, verdict: &Verdict, sum: u64) -> Error {
        let Verdict { origins: [one, other], ranges, .. } = verdict;
        let [first, second] = [0, 1].map(|index| self.told(&ranges[index]));
        let why = self.why(ranges[0].access.conflict(ranges[1].access, self.operations));
        let more = match sum - 1 {
            0 => String::new(),
            1 => "; there is another conflict".to_owned(),
            more => format!("; there are {more} more conflicts"),
        };
        let text = format!(
            "{first} by rank {one} and {second} by rank {other}, in the memory of rank {target}, conflict \
             in the epoch that this fence ends{why}{more}"
        );
        Error::new(MPI_ERR_RMA_CONFLICT, text)
    }

    fn told<'a>(&self, range: &'a Range) -> Told<'a> {
        Told { range, dynamic: self.dynamic }
    }

    /// What is to be said besides.
    fn why(&self, reason: Option<Reason>) -> &'static str {
        match reason {
            None | Some(Reason::Kinds) => "",
            Some(Reason::Types) => ": accumulates of different types",
            Some(Reason::Elements) => ": accumulates of elements that overlap and are not the same",
            Some(Reason::Operations) if self.operations.any.is_none() => {
                ": accumulates of different operations, but accumulate_ops is same_op"
            }
            Some(Reason::Operations) => {
                ": accumulates of different operations, but accumulate_ops is same_op_no_op"
            }
        }
    }
}

/// A range in messages.
struct Told<'a> {
    range: &'a Range,
    dynamic: bool,
}

impl Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KINDS: [&str; 6] = [
            "MPI_Put",
            "MPI_Get",
            "MPI_Accumulate",
            "MPI_Get_accumulate",
            "MPI_Fetch_and_op",
            "MPI_Compare_and_swap",
        ];
        let Range { access, start, end } = *self.range;
        let Access { kind, element, op, .. } = access;
        f.write_str(KINDS.get(kind as usize).unwrap_or(&"an operation"))?;
        if kind != OSC_PUT && kind != OSC_GET {
            let element = named(DATATYPE_NAMES, Datatype::predefined(element as usize));
            match kind {
                OSC_COMPARE_SWAP => write!(f, " ({element})")?,
                _ => write!(f, " ({} of {element})", named(OP_NAMES, Op::predefined(op as usize)))?,
            }
        }
        write!(f, " of {} bytes ", end.wrapping_sub(start))?;
        if self.dynamic {
            write!(f, "at address {start:#x}")
        } else {
            write!(f, "at byte displacement {start}")
        }
    }
}

/// The name of a constant.
fn named<H: PartialEq>(names: &[(H, &'static str)], handle: H) -> &'static str {
    names.iter().find(|(own, _)| *own == handle).map_or("unknown", |(_, name)| name)
}

/// What a target tells a process of the conflicts in which it has taken part.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Verdict {
    conflicts: u64,
    /// The first of them.
    origins: [u32; 2],
    ranges: [Range; 2],
}

const _: () = assert!(size_of::<Range>() == 32 && size_of::<Verdict>() == 80);

/// Compares what all did to this process's memory: a verdict for each.
fn judge(comm: CommRef, done: Vec<Done>, operations: Operations) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::default(); comm.size() as usize];
    compare(done, operations, |pair, _| {
        let origins = pair.map(|done| done.origin);
        let own = (!origins.contains(&comm.rank())).then(|| comm.rank());
        for rank in origins.into_iter().chain(own) {
            let verdict = &mut verdicts[rank as usize];
            if verdict.conflicts == 0 {
                verdict.origins = origins;
                verdict.ranges = pair.map(|done| done.range);
            }
            verdict.conflicts += 1;
        }
    });
    verdicts
}

/// What is sent as it lies in memory.
///
/// # Safety
/// There are no gaps in it, and any bytes are a value.
unsafe trait Plain: Copy + Default {}
// SAFETY: a number.
unsafe impl Plain for u64 {}
// SAFETY: numbers without gaps; see the assertion of its size.
unsafe impl Plain for Range {}
// SAFETY: as above.
unsafe impl Plain for Verdict {}

/// Each process has an element for each, and gets those that are for it. Collective.
fn all_to_all<T: Plain>(comm: CommRef, sent: &[T]) -> Result<Vec<T>> {
    let mut received = vec![T::default(); sent.len()];
    let bytes = size_of::<T>();
    let args = CollArgs {
        send: side(sent.as_ptr().cast_mut().cast(), bytes, MPI_BYTE)?,
        receive: side(received.as_mut_ptr().cast(), bytes, MPI_BYTE)?,
        ..no_data(COLL_ALLTOALL)
    };
    // SAFETY: there is an element of each process on both sides, and any bytes are one.
    unsafe { comm.run(&args) }?;
    Ok(received)
}

/// Each process has so many ranges for each. Gives what all did to this process's memory. Collective.
fn exchange(comm: CommRef, ranges: &[Range], to: &[u64], from: &[u64]) -> Result<Vec<Done>> {
    let total: u64 = from.iter().sum();
    let mut received = vec![Range::default(); total as usize];
    /// Bytes for each process, and where they are.
    fn places(counts: &[u64]) -> [Vec<i64>; 2] {
        let bytes = size_of::<Range>() as i64;
        let counts: Vec<i64> = counts.iter().map(|count| *count as i64 * bytes).collect();
        let places = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end - count)
        });
        let places = places.collect();
        [counts, places]
    }
    let array = |of: &[i64]| CollCounts { data: of.as_ptr().cast(), width: 8, reserved: 0 };
    let (sends, receives) = (places(to), places(from));
    let part = |buffer: *mut c_void, [counts, places]: &[Vec<i64>; 2]| {
        let mut part = side(buffer, 0, MPI_BYTE)?;
        (part.counts, part.displacements) = (array(counts), array(places));
        Ok(part)
    };
    let args = CollArgs {
        send: part(ranges.as_ptr().cast_mut().cast(), &sends)?,
        receive: part(received.as_mut_ptr().cast(), &receives)?,
        ..no_data(COLL_ALLTOALLV)
    };
    // SAFETY: the processes have told each other the counts, and any bytes are ranges.
    unsafe { comm.run(&args) }?;
    let origins = from.iter().zip(0..);
    let origins = origins.flat_map(|(count, origin)| std::iter::repeat_n(origin, *count as usize));
    Ok(origins.zip(received).map(|(origin, range)| Done { origin, range }).collect())
}

/// Pieces that a walk asks for at once.
const BATCH: usize = 64;

/// The pieces of the target's memory that an operation accesses.
struct Pieces {
    access: Access,
    cursor: Cursor,
    /// Where elements of an accumulate begin: modulo this.
    grid: u64,
    /// Elements with gaps in them, which are pieces as a whole: their bytes of data, and those from the first to
    /// the last.
    apart: Option<(usize, u64)>,
    found: [Segment; BATCH],
    next: usize,
    end: usize,
}

impl Pieces {
    /// # Safety
    /// The datatype lives as long as the walk.
    unsafe fn of(transfer: &OscTransfer) -> Self {
        let mut access = Access { kind: transfer.kind, ..Access::default() };
        let (mut grid, mut apart) = (1, None);
        if access.kind != OSC_PUT && access.kind != OSC_GET {
            // SAFETY: promised by the caller; predefined operations stay.
            let (datatype, op) = unsafe { (&*transfer.target_datatype, transfer.op.as_ref()) };
            access.element = datatype.element;
            access.op = op.map_or(0, |op| op.predefined);
            let element = Datatype::predefined(datatype.element as usize);
            if let Some(element) = DatatypeRef::predefined(element) {
                grid = element.extent.max(1) as u64;
                let gaps = element.size != element.extent as u64;
                apart = gaps.then_some((element.size as usize, element.true_extent as u64));
            }
        }
        let cursor = Cursor {
            datatype: transfer.target_datatype,
            // Nothing is read there: the walk adds to it.
            buffer: std::ptr::without_provenance_mut(transfer.offset as usize),
            count: transfer.target_count,
            position: 0,
            state: [0; 4],
        };
        let nothing = Segment { address: std::ptr::null_mut(), len: 0 };
        Self { access, cursor, grid, apart, found: [nothing; BATCH], next: 0, end: 0 }
    }

    /// The next pieces, if there are some.
    fn look(&mut self) {
        let mut len = self.apart.map_or(usize::MAX, |(bytes, _)| bytes);
        self.next = 0;
        // SAFETY: the datatype lives, as `of` says; there is room for so many.
        self.end = unsafe {
            match (*self.cursor.datatype).segments {
                Some(segments) => {
                    segments(&raw mut self.cursor, self.found.as_mut_ptr(), BATCH, &raw mut len)
                }
                None => 0,
            }
        };
        if let Some((_, hull)) = self.apart
            && self.end > 0
        {
            self.found[0].len = hull as usize;
            self.end = 1;
        }
    }
}

impl Iterator for Pieces {
    type Item = Range;

    fn next(&mut self) -> Option<Range> {
        if self.next == self.end {
            self.look();
        }
        let Segment { address, len } = *self.found[..self.end].get(self.next)?;
        self.next += 1;
        let start = address.addr() as u64;
        let phase = (start % self.grid) as u32;
        let access = Access { phase, ..self.access };
        Some(Range { access, start, end: start.saturating_add(len as u64) })
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::datatype::Op as OpView;
    use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OscSide};

    use super::*;
    use crate::objects::op;

    fn pieces(kind: u32, datatype: Datatype, count: u64, offset: i64) -> Vec<Range> {
        let nowhere =
            OscSide { buffer: std::ptr::null_mut(), count: 0, datatype: std::ptr::null() };
        let sum: &OpView = op::predefined_op(MPI_SUM).expect("an operation");
        let datatype = DatatypeRef::of(datatype).expect("a type");
        let transfer = OscTransfer {
            struct_size: size_of::<OscTransfer>() as u32,
            kind,
            target: 0,
            reserved: 0,
            origin: nowhere,
            result: nowhere,
            compare: std::ptr::null(),
            offset,
            target_count: count,
            target_datatype: datatype.view(),
            op: if kind == OSC_ACCUMULATE { sum } else { std::ptr::null() },
        };
        // SAFETY: predefined types stay.
        unsafe { Pieces::of(&transfer) }.collect()
    }

    #[test]
    fn pieces_of_predefined_types() {
        let put = Access { kind: OSC_PUT, ..Access::default() };
        assert_eq!(pieces(OSC_PUT, MPI_INT, 3, 6), [Range { access: put, start: 6, end: 18 }]);
        let [piece] = pieces(OSC_ACCUMULATE, MPI_INT, 3, 6)[..] else { panic!("one piece") };
        assert_eq!((piece.start, piece.end, piece.access.phase), (6, 18, 2));
        assert_eq!(piece.access.op, MPI_SUM.value() as u32);
        // Of pairs only the parts are put, but a reduction is of the whole.
        let put = pieces(OSC_PUT, MPI_SHORT_INT, 2, 8);
        let of = |all: &[Range]| -> Vec<_> { all.iter().map(|it| (it.start, it.end)).collect() };
        assert_eq!(of(&put), [(8, 10), (12, 18), (20, 24)]);
        let sum = pieces(OSC_ACCUMULATE, MPI_SHORT_INT, 2, 9);
        assert_eq!(of(&sum), [(9, 17), (17, 25)]);
        assert!(sum.iter().all(|piece| piece.access.phase == 1));
    }

    #[test]
    fn messages_name_operations() {
        let element = MPI_INT.value() as u32;
        let access = Access { kind: OSC_ACCUMULATE, element, op: MPI_SUM.value() as u32, phase: 0 };
        let range = Range { access, start: 16, end: 24 };
        let told = Told { range: &range, dynamic: false }.to_string();
        assert_eq!(told, "MPI_Accumulate (MPI_SUM of MPI_INT) of 8 bytes at byte displacement 16");
        let range = Range { access: Access { kind: OSC_GET, ..access }, ..range };
        let told = Told { range: &range, dynamic: true }.to_string();
        assert_eq!(told, "MPI_Get of 8 bytes at address 0x10");
    }
}
