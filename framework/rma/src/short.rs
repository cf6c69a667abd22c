//! Accumulates of a few elements of one predefined type, most of all of one that the processor's registers hold, without
//! the general way's preparations: counters, queues and locks of programs are made of them.

use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::datatype::{
    DATATYPE_CONTIGUOUS, DATATYPE_INTEGER, DATATYPE_PREDEFINED, Datatype, OP_BAND, OP_BOR, OP_BXOR,
    OP_NOTHING, OP_REPLACE, OP_SUM, Op,
};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::osc::{OSC_ACCUMULATE, OscSide, OscTransfer};

use crate::apply::{Target, is_atomic};
use crate::copy::copy_bytes;
use crate::locks::{AccumulateLocks, BLOCK, Taker};

/// What becomes of the element.
#[derive(Clone, Copy)]
enum Change {
    Nothing,
    Replace,
    Add,
    And,
    Or,
    Xor,
}

/// Does an accumulate, a get_accumulate or a fetch_and_op of a few elements of one predefined type, if it is such a
/// one. `None`: it is not.
///
/// # Errors
/// The taker's.
///
/// # Safety
/// As for `operate`.
#[inline]
pub unsafe fn change_short(
    locks: &AccumulateLocks,
    taker: &Taker<'_>,
    transfer: &OscTransfer,
    target: &Target<'_>,
) -> Option<Result<(), Failure>> {
    let datatype = target.datatype;
    let dense = DATATYPE_PREDEFINED | DATATYPE_CONTIGUOUS;
    if datatype.flags & dense != dense || datatype.extent != datatype.size as i64 {
        return None;
    }
    // SAFETY: promised by the caller.
    let op = unsafe { transfer.op.as_ref()? };
    let fits =
        |side: &OscSide| side.count == target.count && core::ptr::eq(side.datatype, datatype);
    let nothing = op.flags & OP_NOTHING != 0;
    let fetches = transfer.kind != OSC_ACCUMULATE;
    if !(nothing || fits(&transfer.origin)) || (fetches && !fits(&transfer.result)) {
        return None;
    }
    let ends = Ends {
        address: target.base.wrapping_offset(target.offset as isize),
        operand: if nothing { null() } else { transfer.origin.buffer.cast_const().cast() },
        old: if fetches { transfer.result.buffer.cast() } else { null_mut() },
    };
    let place = (locks, target.offset as usize, taker);
    let size = datatype.size as usize;
    if target.count == 1
        && is_atomic(ends.address, size)
        && let Some(change) = change_of(op, datatype)
    {
        // SAFETY: promised by the caller; the element is aligned to its size.
        return Some(unsafe {
            match size {
                8 => change_u64(ends, change, place),
                _ => change_u32(ends, change, place),
            }
        });
    }
    // SAFETY: promised by the caller.
    unsafe { change_few(op, target, ends, place) }
}

/// Addresses of the data; null where there is none.
#[derive(Clone, Copy)]
struct Ends {
    address: *mut u8,
    operand: *const u8,
    old: *mut u8,
}

/// What becomes of an element, if it is something that processors do at once.
#[inline]
fn change_of(op: &Op, datatype: &Datatype) -> Option<Change> {
    Some(match (op.flags & (OP_NOTHING | OP_REPLACE), op.predefined) {
        (OP_NOTHING, _) => Change::Nothing,
        (OP_REPLACE, _) => Change::Replace,
        _ if datatype.flags & DATATYPE_INTEGER == 0 => return None,
        (_, OP_SUM) => Change::Add,
        (_, OP_BAND) => Change::And,
        (_, OP_BOR) => Change::Or,
        (_, OP_BXOR) => Change::Xor,
        _ => return None,
    })
}

/// Elements of one block, which one lock is for.
///
/// # Safety
/// As for `change_short`.
unsafe fn change_few(
    op: &Op,
    target: &Target<'_>,
    Ends { address, operand, old }: Ends,
    (locks, offset, taker): (&AccumulateLocks, usize, &Taker<'_>),
) -> Option<Result<(), Failure>> {
    let size = target.datatype.size;
    let len = target.count.checked_mul(size)? as usize;
    let alignment = 1 << size.trailing_zeros().min(4);
    let by_apply = op.flags & (OP_NOTHING | OP_REPLACE) == 0;
    if len > BLOCK - offset % BLOCK
        || (taker.atomics && matches!(size, 4 | 8))
        || (by_apply && !(address.addr() | operand.addr()).is_multiple_of(alignment))
    {
        return None;
    }
    let apply = if by_apply { Some(op.apply?) } else { None };
    let _held = match locks.hold(offset, taker) {
        Ok(held) => held,
        Err(failure) => return Some(Err(failure)),
    };
    // SAFETY: promised by the caller; the lock is held.
    unsafe {
        if !old.is_null() {
            copy_bytes(address, old, len);
        }
        match apply {
            Some(apply) => {
                apply(op, operand.cast(), address.cast(), target.count, target.datatype);
            }
            None if op.flags & OP_REPLACE != 0 => copy_bytes(operand, address, len),
            None => {}
        }
    }
    Some(Ok(()))
}

macro_rules! changes {
    ($($name:ident: $integer:ty, $atomic:ty;)*) => {$(
        /// # Safety
        /// There is such an integer, aligned. `operand` has one unless nothing changes; `old` has room for one, or
        /// is null.
        #[inline]
        unsafe fn $name(
            Ends { address, operand, old }: Ends,
            change: Change,
            (locks, offset, taker): (&AccumulateLocks, usize, &Taker<'_>),
        ) -> Result<(), Failure> {
            // SAFETY: promised by the caller.
            let (word, operand) = unsafe {
                let operand = match change {
                    Change::Nothing => 0,
                    _ => operand.cast::<$integer>().read_unaligned(),
                };
                (<$atomic>::from_ptr(address.cast()), operand)
            };
            let before = if taker.atomics {
                // What was written before an accumulate is seen by those that see it.
                let ordering = Ordering::AcqRel;
                match change {
                    Change::Nothing => word.load(Ordering::Acquire),
                    Change::Replace => word.swap(operand, ordering),
                    Change::Add => word.fetch_add(operand, ordering),
                    Change::And => word.fetch_and(operand, ordering),
                    Change::Or => word.fetch_or(operand, ordering),
                    Change::Xor => word.fetch_xor(operand, ordering),
                }
            } else {
                let _held = locks.hold(offset, taker)?;
                let before = word.load(Ordering::Relaxed);
                let after = match change {
                    Change::Nothing => before,
                    Change::Replace => operand,
                    Change::Add => before.wrapping_add(operand),
                    Change::And => before & operand,
                    Change::Or => before | operand,
                    Change::Xor => before ^ operand,
                };
                // Loads of others may see it at any time.
                word.store(after, Ordering::Relaxed);
                before
            };
            if !old.is_null() {
                // SAFETY: promised by the caller.
                unsafe { old.cast::<$integer>().write_unaligned(before) };
            }
            Ok(())
        }
    )*};
}

changes! {
    change_u32: u32, AtomicU32;
    change_u64: u64, AtomicU64;
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use core::ffi::c_void;

    use cairn_framework::author::BYTES;
    use cairn_framework::frameworks::osc::{OSC_FETCH_OP, OSC_GET_ACCUMULATE};

    use super::*;

    fn predefined(size: u64, integer: bool) -> Datatype {
        let kind = if integer { DATATYPE_INTEGER } else { 0 };
        let flags = DATATYPE_CONTIGUOUS | DATATYPE_PREDEFINED | kind;
        Datatype { size, extent: size as i64, true_extent: size as i64, flags, ..BYTES }
    }

    fn op(flags: u32, predefined: u32) -> Op {
        let struct_size = size_of::<Op>() as u32;
        Op { struct_size, flags, predefined, reserved: 0, apply: None, object: null_mut() }
    }

    /// Memory, operand and what was there, of which the last ones are the result, if this does the operation.
    fn run(
        kind: u32,
        datatypes: [&Datatype; 2],
        op: &Op,
        offset: i64,
        count: u64,
        atomics: bool,
    ) -> Option<[u64; 3]> {
        let mut words = [0x1234_5678_9abc_def0_u64, 0x0fed_cba9_8765_4321, 7];
        let [memory, operand, old] = words.each_mut().map(|word| (&raw mut *word).cast::<u8>());
        let side =
            |buffer: *mut u8| OscSide { buffer: buffer.cast(), count, datatype: datatypes[1] };
        let transfer = OscTransfer {
            struct_size: size_of::<OscTransfer>() as u32,
            kind,
            target: 0,
            reserved: 0,
            origin: side(operand),
            result: side(old),
            compare: core::ptr::null(),
            offset,
            target_count: count,
            target_datatype: datatypes[0],
            op,
        };
        let locks = AccumulateLocks::default();
        let taker = Taker { rank: 0, atomics, check: &|_| panic!("the lock is free") };
        let target = Target { base: memory, offset, count, datatype: datatypes[0] };
        // SAFETY: the words are long enough for what is done.
        let done = unsafe { change_short(&locks, &taker, &transfer, &target)? };
        assert!(done.is_ok());
        Some(words)
    }

    #[test]
    fn integers_change_as_the_operation_says() {
        type Expected = fn(u64, u64) -> u64;
        let operations: [(u32, u32, Expected); 6] = [
            (OP_NOTHING, 0, |before, _| before),
            (OP_REPLACE, 0, |_, operand| operand),
            (0, OP_SUM, u64::wrapping_add),
            (0, OP_BAND, |before, operand| before & operand),
            (0, OP_BOR, |before, operand| before | operand),
            (0, OP_BXOR, |before, operand| before ^ operand),
        ];
        let (long, int) = (predefined(8, true), predefined(4, true));
        for (flags, number, expected) in operations {
            let op = op(flags, number);
            for (kind, atomics) in [
                (OSC_ACCUMULATE, false),
                (OSC_FETCH_OP, true),
                (OSC_FETCH_OP, false),
                (OSC_GET_ACCUMULATE, true),
            ] {
                let [memory, operand, old] = run(kind, [&long; 2], &op, 0, 1, atomics).unwrap();
                let (before, fetches) = (0x1234_5678_9abc_def0, kind != OSC_ACCUMULATE);
                assert_eq!(memory, expected(before, operand));
                assert_eq!(old, if fetches { before } else { 7 });
                // The upper half, as of a little machine.
                let [memory, operand, old] = run(kind, [&int; 2], &op, 4, 1, atomics).unwrap();
                let half = expected(before >> 32, operand & u64::from(u32::MAX));
                assert_eq!(memory, half << 32 | (before & u64::from(u32::MAX)));
                assert_eq!(old, if fetches { before >> 32 } else { 7 });
            }
        }
    }

    #[test]
    fn the_rest_goes_the_general_way() {
        let (long, real, other) = (predefined(8, true), predefined(8, false), predefined(8, true));
        let (sum, replace, largest) = (op(0, OP_SUM), op(OP_REPLACE, 0), op(0, 0x23));
        let fetch =
            |datatypes, op, offset, count| run(OSC_FETCH_OP, datatypes, op, offset, count, false);
        assert!(fetch([&long; 2], &sum, 0, 1).is_some());
        // A sum of what is no integer, of two, at an odd place, of another type, and an operation that is not here.
        assert!(
            fetch([&real; 2], &sum, 0, 1).is_none() && fetch([&real; 2], &replace, 0, 1).is_some()
        );
        assert!(fetch([&long; 2], &sum, 0, 2).is_none() && fetch([&long; 2], &sum, 4, 1).is_none());
        assert!(fetch([&long, &other], &sum, 0, 1).is_none());
        assert!(fetch([&long; 2], &largest, 0, 1).is_none());
        assert!(fetch([&predefined(2, true); 2], &sum, 0, 1).is_none());
    }

    #[test]
    fn elements_of_a_block_change_together() {
        unsafe extern "C" fn add(
            _: *const Op,
            input: *const c_void,
            inout: *mut c_void,
            count: u64,
            _: *const Datatype,
        ) {
            for at in 0..count as usize {
                // SAFETY: the test's integers.
                unsafe { *inout.cast::<u16>().add(at) += *input.cast::<u16>().add(at) };
            }
        }
        let short = predefined(2, true);
        let sum = Op { apply: Some(add), ..op(0, OP_SUM) };
        for atomics in [false, true] {
            let words = run(OSC_GET_ACCUMULATE, [&short; 2], &sum, 2, 3, atomics).unwrap();
            assert_eq!(words[0], 0x1234_5678_9abc_def0 + 0xcba9_8765_4321_0000);
            assert_eq!(words[2], 0x1234_5678_9abc);
        }
        let replaced = run(OSC_ACCUMULATE, [&short; 2], &op(OP_REPLACE, 0), 2, 2, false).unwrap();
        assert_eq!(replaced[0], 0x1234_8765_4321_def0);
        let fetched = run(OSC_FETCH_OP, [&short; 2], &op(OP_NOTHING, 0), 2, 2, false).unwrap();
        assert_eq!([fetched[0], fetched[2]], [0x1234_5678_9abc_def0, 0x5678_9abc]);
        // Where others use the processor's atomics, so does the general way; and no block ends before the elements.
        let int = Op { apply: Some(add), ..op(0, OP_SUM) };
        assert!(run(OSC_FETCH_OP, [&predefined(4, true); 2], &int, 0, 2, true).is_none());
        let far = BLOCK as i64 - 2;
        assert!(run(OSC_FETCH_OP, [&short; 2], &sum, far, 2, false).is_none());
    }
}
