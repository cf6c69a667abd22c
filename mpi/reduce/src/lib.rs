//! The predefined reduction operations on the predefined datatypes.
//!
//! ```text
//!   op ─────────┐
//!   datatype ───┴─► types: class and representation ─► is the pair defined? ─► kernel
//! ```
//!
//! Operations and datatypes are the numbers that their handles have in the standard ABI (MPI 5.0,
//! chapter 20). Which operation is defined on which datatype is in MPI 5.0, §6.9.2 and §6.9.4 (MINLOC
//! and MAXLOC); [`kernel`] knows these pairs and no other. The crate knows no MPI objects.
//!
//! A result has the same bits with every instruction set, and wherever an element lies in a vector: also NaNs, and
//! halves, which some processors convert by instructions. Nothing is contracted or taken in another order. So
//! processes that reduce the same operands have the same result on different processors of an architecture.
//!
//! Integers wrap around on overflow. Of a number and a NaN, MAX and MIN take the number, MAXLOC and
//! MINLOC what is in `inout`. Of two NaNs SUM and PROD take the one in `input`; a NaN in a product of complex numbers
//! says nothing of the operands'. Logical values are true unless all their bits are zero; a logical result is 1 or
//! 0, as C and the common Fortran compilers have it.

use core::sync::atomic::{AtomicPtr, Ordering};

mod half;
mod kernels;
mod number;
mod sets;
mod soft;
mod types;

pub use sets::InstructionSet;
pub use types::{DATATYPES, TypeInfo, is_comparable, is_integer, type_info};

/// `MPI_SUM`.
pub const SUM: u32 = 0x21;
/// `MPI_MIN`.
pub const MIN: u32 = 0x22;
/// `MPI_MAX`.
pub const MAX: u32 = 0x23;
/// `MPI_PROD`.
pub const PROD: u32 = 0x24;
/// `MPI_BAND`.
pub const BAND: u32 = 0x28;
/// `MPI_BOR`.
pub const BOR: u32 = 0x29;
/// `MPI_BXOR`.
pub const BXOR: u32 = 0x2a;
/// `MPI_LAND`.
pub const LAND: u32 = 0x30;
/// `MPI_LOR`.
pub const LOR: u32 = 0x31;
/// `MPI_LXOR`.
pub const LXOR: u32 = 0x32;
/// `MPI_MINLOC`.
pub const MINLOC: u32 = 0x38;
/// `MPI_MAXLOC`.
pub const MAXLOC: u32 = 0x39;
/// `MPI_REPLACE`: `inout` becomes `input`.
pub const REPLACE: u32 = 0x3c;
/// `MPI_NO_OP`: `inout` stays as it is.
pub const NO_OP: u32 = 0x3d;

/// Every predefined operation but `MPI_OP_NULL`. All are commutative but `MPI_REPLACE` and
/// `MPI_NO_OP`, which only one-sided operations take.
pub const OPERATIONS: [u32; 14] =
    [SUM, MIN, MAX, PROD, BAND, BOR, BXOR, LAND, LOR, LXOR, MINLOC, MAXLOC, REPLACE, NO_OP];

/// `inout[i] = input[i] op inout[i]` for `count` elements, each as far from the next as the extent of
/// the datatype says. Any thread, no lock, no allocation.
///
/// # Safety
/// Both buffers hold `count` elements of the datatype, may be unaligned, and do not overlap. With a
/// `count` of zero they are not looked at.
pub type Kernel = unsafe fn(input: *const u8, inout: *mut u8, count: usize);

/// The kernel of an operation on a datatype, both as numbers of the ABI; `None` when the standard does
/// not define the operation on the datatype, or one of them is not predefined.
///
/// Chooses among a few instruction sets by what the processor has, once for each.
#[inline]
pub fn kernel(op: u32, datatype: u32) -> Option<Kernel> {
    let of_op = KNOWN.get(op.wrapping_sub(FIRST_OP) as usize)?;
    let known = of_op.get(datatype.wrapping_sub(types::FIRST) as usize)?.load(Ordering::Relaxed);
    if known.is_null() {
        return find(op, datatype);
    }
    // SAFETY: `find` has stored a kernel there, which is a constant.
    Some(unsafe { core::mem::transmute::<*mut (), Kernel>(known) })
}

/// Numbers of operations begin here.
const FIRST_OP: u32 = 0x20;

/// Kernels that were found, by operation and datatype. Pages of it that nothing uses take no memory.
static KNOWN: [[AtomicPtr<()>; types::COUNT]; 32] =
    [const { [const { AtomicPtr::new(core::ptr::null_mut()) }; types::COUNT] }; 32];

/// The same made of at most a given instruction set, for tests and benchmarks. Calling it takes a processor that has
/// the set.
pub fn kernel_in(set: InstructionSet, op: u32, datatype: u32) -> Option<Kernel> {
    kernels::find(set, op, types::find(datatype)?)
}

#[cold]
fn find(op: u32, datatype: u32) -> Option<Kernel> {
    let found = kernel_in(InstructionSet::best(), op, datatype)?;
    let (op, datatype) = (op.wrapping_sub(FIRST_OP), datatype.wrapping_sub(types::FIRST));
    KNOWN[op as usize][datatype as usize].store(found as *mut (), Ordering::Relaxed);
    Some(found)
}
