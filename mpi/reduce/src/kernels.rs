//! The loops: generic over operation and type, written so that the compiler makes vector code of them.

use core::marker::PhantomData;
#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;

use super::InstructionSet;
use super::half::{BLOCK, F16, Floats, narrowed, widened};
use super::number::{Arithmetic, Bits, Complex, Ordered};
use super::sets::{Loop, compiled};
use super::soft::{F128, LongDouble};
use super::types::{Class, Repr, Type};
use super::{
    BAND, BOR, BXOR, Kernel, LAND, LOR, LXOR, MAX, MAXLOC, MIN, MINLOC, NO_OP, PROD, REPLACE, SUM,
};

/// Whether the standard defines the operation on the class (MPI 5.0, §6.9.2, §6.9.4, §12.3.4).
fn defined(op: u32, class: Class) -> bool {
    use Class::*;
    match op {
        MAX | MIN => {
            matches!(class, CInteger | FortranInteger | FloatingPoint | MultiLanguage)
        }
        SUM | PROD => {
            matches!(class, CInteger | FortranInteger | FloatingPoint | Complex | MultiLanguage)
        }
        // Beyond the standard for addresses, counts and offsets: other libraries take them.
        LAND | LOR | LXOR => matches!(class, CInteger | Logical | MultiLanguage),
        BAND | BOR | BXOR => matches!(class, CInteger | FortranInteger | Byte | MultiLanguage),
        MINLOC | MAXLOC => class == Pair,
        REPLACE | NO_OP => true,
        _ => false,
    }
}

/// The set to use of one that the processor has. AVX-512 pays where more is computed than loaded, and is slower by 5 to
/// 10 % where not (measured on Zen 4, from 1 KiB in the first cache to 64 MiB in none).
#[cfg(target_arch = "x86_64")]
fn worth(set: InstructionSet, op: u32, repr: Repr) -> InstructionSet {
    let much = match repr {
        Repr::I64 | Repr::U64 => matches!(op, MAX | MIN | PROD),
        Repr::ComplexF32 | Repr::ComplexF64 => op == PROD,
        Repr::F16 | Repr::ComplexF16 => true,
        // Pairs.
        _ => matches!(op, MINLOC | MAXLOC),
    };
    if set == InstructionSet::Avx512 && !much { InstructionSet::Avx2 } else { set }
}

/// The kernel, if the operation is defined on the datatype, of at most what the set has.
pub(crate) fn find(set: InstructionSet, op: u32, datatype: Type) -> Option<Kernel> {
    if !defined(op, datatype.class) {
        return None;
    }
    if op == NO_OP {
        return Some(nothing);
    }
    #[cfg(target_arch = "x86_64")]
    let set = worth(set, op, datatype.repr);
    // No processor has vectors of elements of 128 bits, and what a compiler makes of them is slower.
    let scalar = InstructionSet::Baseline;
    match datatype.repr {
        Repr::I8 => integer::<i8>(set, op),
        Repr::I16 => integer::<i16>(set, op),
        Repr::I32 => integer::<i32>(set, op),
        Repr::I64 => integer::<i64>(set, op),
        Repr::I128 => integer::<i128>(scalar, op),
        Repr::U8 => integer::<u8>(set, op),
        Repr::U16 => integer::<u16>(set, op),
        Repr::U32 => integer::<u32>(set, op),
        Repr::U64 => integer::<u64>(set, op),
        Repr::U128 => integer::<u128>(scalar, op),
        Repr::F16 => halves(set, op),
        Repr::F32 => ordered::<f32>(set, op),
        Repr::F64 => ordered::<f64>(set, op),
        Repr::LongDouble => ordered::<LongDouble>(scalar, op),
        Repr::F128 => ordered::<F128>(scalar, op),
        Repr::ComplexF16 => complex_halves(set, op),
        Repr::ComplexF32 => arithmetic::<Complex<f32>>(set, op),
        Repr::ComplexF64 => arithmetic::<Complex<f64>>(set, op),
        Repr::ComplexLongDouble => arithmetic::<Complex<LongDouble>>(scalar, op),
        Repr::ComplexF128 => arithmetic::<Complex<F128>>(scalar, op),
        Repr::FloatInt => pair::<f32, i32>(set, op),
        Repr::DoubleInt => pair::<f64, i32>(set, op),
        Repr::LongInt => pair::<i64, i32>(set, op),
        Repr::IntInt => pair::<i32, i32>(set, op),
        Repr::ShortInt => pair::<i16, i32>(set, op),
        Repr::LongDoubleInt => pair::<LongDouble, i32>(scalar, op),
        Repr::FloatFloat => pair::<f32, f32>(set, op),
        Repr::DoubleDouble => pair::<f64, f64>(set, op),
    }
}

fn integer<T: Arithmetic + Ordered + Bits>(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        LAND => compiled::<Each<Land, T>>(set),
        LOR => compiled::<Each<Lor, T>>(set),
        LXOR => compiled::<Each<Lxor, T>>(set),
        BAND => compiled::<Each<Band, T>>(set),
        BOR => compiled::<Each<Bor, T>>(set),
        BXOR => compiled::<Each<Bxor, T>>(set),
        #[cfg(target_arch = "x86_64")]
        MAX | MIN if size_of::<T>() == 8 && set == InstructionSet::Avx2 => {
            if op == MAX {
                compiled::<Choose<Max, T>>(set)
            } else {
                compiled::<Choose<Min, T>>(set)
            }
        }
        _ => return ordered::<T>(set, op),
    })
}

fn ordered<T: Arithmetic + Ordered>(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        MAX => compiled::<Each<Max, T>>(set),
        MIN => compiled::<Each<Min, T>>(set),
        _ => return arithmetic::<T>(set, op),
    })
}

fn arithmetic<T: Arithmetic>(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        SUM => compiled::<Each<Sum, T>>(set),
        PROD => compiled::<Each<Prod, T>>(set),
        REPLACE => replace::<T>,
        _ => return None,
    })
}

fn halves(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        MAX => compiled::<Each<Max, F16>>(set),
        MIN => compiled::<Each<Min, F16>>(set),
        SUM => compiled::<Halves<Sum, f32>>(set),
        PROD => compiled::<Halves<Prod, f32>>(set),
        REPLACE => replace::<F16>,
        _ => return None,
    })
}

fn complex_halves(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        SUM => compiled::<Halves<Sum, Complex<f32>>>(set),
        PROD => compiled::<Halves<Prod, Complex<f32>>>(set),
        REPLACE => replace::<Complex<F16>>,
        _ => return None,
    })
}

fn pair<V: Ordered, I: Ordered>(set: InstructionSet, op: u32) -> Option<Kernel> {
    Some(match op {
        MINLOC => compiled::<Locate<false, V, I>>(set),
        MAXLOC => compiled::<Locate<true, V, I>>(set),
        REPLACE => replace_pairs::<V, I>,
        _ => return None,
    })
}

/// An operation on elements of a type.
trait Combine<T> {
    fn combine(input: T, inout: T) -> T;
}

macro_rules! operations {
    ($($name:ident: $bound:ident, |$input:ident, $inout:ident| $result:expr;)*) => { $(
        struct $name;
        impl<T: $bound> Combine<T> for $name {
            #[inline(always)]
            fn combine($input: T, $inout: T) -> T {
                $result
            }
        }
    )* };
}
operations! {
    Sum: Arithmetic, |input, inout| input.plus(inout);
    Prod: Arithmetic, |input, inout| input.times(inout);
    Max: Ordered, |input, inout| input.larger(inout);
    Min: Ordered, |input, inout| input.smaller(inout);
    Band: Bits, |input, inout| input & inout;
    Bor: Bits, |input, inout| input | inout;
    Bxor: Bits, |input, inout| input ^ inout;
    Land: Bits, |input, inout| T::from_truth(input.truth() & inout.truth());
    Lor: Bits, |input, inout| T::from_truth(input.truth() | inout.truth());
    Lxor: Bits, |input, inout| T::from_truth(input.truth() ^ inout.truth());
}

/// An element at any address. Unaligned vector loads cost nothing on the processors at hand.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Unaligned<T: Copy>(T);

/// The operation on each element.
struct Each<O, T>(PhantomData<(O, T)>);

impl<O: Combine<T>, T: Copy> Loop for Each<O, T> {
    #[inline(always)]
    unsafe fn run<const HALVES: bool>(input: *const u8, inout: *mut u8, count: usize) {
        if count == 0 {
            return; // the buffers may be null
        }
        // SAFETY: promised by the caller; every bit pattern is an element, and any address will do.
        let (input, inout) = unsafe {
            (
                std::slice::from_raw_parts(input.cast::<Unaligned<T>>(), count),
                std::slice::from_raw_parts_mut(inout.cast::<Unaligned<T>>(), count),
            )
        };
        for (input, inout) in input.iter().zip(inout) {
            inout.0 = O::combine(input.0, inout.0);
        }
    }
}

/// Bytes of results that lie in between; they stay in the first-level cache.
#[cfg(target_arch = "x86_64")]
const BETWEEN: usize = 2048;

/// The same for the larger or smaller integer of 64 bits with AVX2, which compares but has no instruction for it: by
/// way of memory in between. Without it the compiler stores only what changes, with a mask, and such stores take
/// twice as long.
#[cfg(target_arch = "x86_64")]
struct Choose<O, T>(PhantomData<(O, T)>);

#[cfg(target_arch = "x86_64")]
impl<O: Combine<T>, T: Copy> Loop for Choose<O, T> {
    #[inline(always)]
    unsafe fn run<const HALVES: bool>(input: *const u8, inout: *mut u8, count: usize) {
        const { assert!(size_of::<T>() <= BETWEEN) };
        if count == 0 {
            return; // the buffers may be null
        }
        let mut between = [MaybeUninit::<u64>::uninit(); BETWEEN / size_of::<u64>()];
        let most = BETWEEN / size_of::<T>();
        // SAFETY: promised by the caller; every bit pattern is an element, and any address will do. What lies
        // between has room for as many as are combined at a time, and is copied as far as it was written.
        unsafe {
            let input = std::slice::from_raw_parts(input.cast::<Unaligned<T>>(), count);
            let inout = std::slice::from_raw_parts_mut(inout.cast::<Unaligned<T>>(), count);
            let between = between.as_mut_ptr().cast::<MaybeUninit<Unaligned<T>>>();
            let between = std::slice::from_raw_parts_mut(between, most);
            for (input, inout) in input.chunks(most).zip(inout.chunks_mut(most)) {
                let operands = input.iter().zip(inout.iter());
                for ((input, inout), result) in operands.zip(between.iter_mut()) {
                    result.write(Unaligned(O::combine(input.0, inout.0)));
                }
                let results = between.as_ptr().cast::<u8>();
                inout
                    .as_mut_ptr()
                    .cast::<u8>()
                    .copy_from_nonoverlapping(results, size_of_val(inout));
            }
        }
    }
}

/// The operation on elements of halves, computed as elements of floats and rounded once.
struct Halves<O, T>(PhantomData<(O, T)>);

impl<O: Combine<T>, T: Floats> Halves<O, T> {
    /// # Safety
    /// On a processor that has what `HALVES` says.
    #[inline(always)]
    unsafe fn block<const HALVES: bool>(input: &[F16; BLOCK], inout: &mut [F16; BLOCK]) {
        // SAFETY: promised by the caller.
        let (a, mut b) = unsafe { (widened::<HALVES>(input), widened::<HALVES>(inout)) };
        for (a, b) in T::elements(&a).iter().zip(T::elements_mut(&mut b)) {
            *b = O::combine(*a, *b);
        }
        // SAFETY: promised by the caller.
        *inout = unsafe { narrowed::<HALVES>(&b) };
    }
}

impl<O: Combine<T>, T: Floats> Loop for Halves<O, T> {
    #[inline(always)]
    unsafe fn run<const HALVES: bool>(input: *const u8, inout: *mut u8, count: usize) {
        let bytes = count * (size_of::<T>() / 2);
        let mut place = 0;
        // SAFETY: promised by the caller; every bit pattern is an element, any address will do, and no access leaves
        // the elements.
        unsafe {
            while place + 2 * BLOCK <= bytes {
                let target = inout.add(place).cast::<[F16; BLOCK]>();
                let mut result = target.read_unaligned();
                let operand = input.add(place).cast::<[F16; BLOCK]>().read_unaligned();
                Self::block::<HALVES>(&operand, &mut result);
                target.write_unaligned(result);
                place += 2 * BLOCK;
            }
            let rest = bytes - place;
            if rest != 0 {
                let (mut operand, mut result) = ([F16::ZERO; BLOCK], [F16::ZERO; BLOCK]);
                let (from, to) = ((&raw mut operand).cast::<u8>(), (&raw mut result).cast::<u8>());
                from.copy_from_nonoverlapping(input.add(place), rest);
                to.copy_from_nonoverlapping(inout.add(place), rest);
                Self::block::<HALVES>(&operand, &mut result);
                inout.add(place).copy_from_nonoverlapping(to, rest);
            }
        }
    }
}

/// # Safety
/// As for [`Kernel`].
unsafe fn nothing(_: *const u8, _: *mut u8, _: usize) {}

/// # Safety
/// As for [`Kernel`].
unsafe fn replace<T: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    if count != 0 {
        // SAFETY: promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(input, inout, count * size_of::<T>()) }
    }
}

/// A value and where it is, with the padding that C gives such a struct (§6.9.4).
#[repr(C)]
#[derive(Clone, Copy)]
struct Pair<V: Copy, I: Copy> {
    value: V,
    index: I,
}

/// What every loop over pairs does with the elements. Only fields are written: what lies between
/// belongs to nobody (in a window, perhaps to somebody else).
///
/// # Safety
/// As for [`Kernel`].
#[inline(always)]
unsafe fn each_pair<V: Copy, I: Copy>(
    input: *const u8,
    inout: *mut u8,
    count: usize,
    combine: impl Fn(Pair<V, I>, Pair<V, I>) -> Pair<V, I>,
) {
    let (input, inout) = (input.cast::<Pair<V, I>>(), inout.cast::<Pair<V, I>>());
    for i in 0..count {
        // SAFETY: promised by the caller.
        unsafe {
            let element = inout.add(i);
            let result = combine(input.add(i).read_unaligned(), element.read_unaligned());
            (&raw mut (*element).value).write_unaligned(result.value);
            (&raw mut (*element).index).write_unaligned(result.index);
        }
    }
}

/// The value and where it is; of equal ones the smaller index. Chosen without branches, which would be foretold wrongly
/// half of the time.
struct Locate<const LARGEST: bool, V, I>(PhantomData<(V, I)>);

impl<const LARGEST: bool, V: Ordered, I: Ordered> Loop for Locate<LARGEST, V, I> {
    #[inline(always)]
    unsafe fn run<const HALVES: bool>(input: *const u8, inout: *mut u8, count: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            each_pair::<V, I>(input, inout, count, |input, inout| {
                let (a, b) = (input.value, inout.value);
                let better = if LARGEST { a > b } else { a < b };
                let nearer = (a == b) & (input.index < inout.index);
                Pair {
                    value: if better { a } else { b },
                    index: if better | nearer { input.index } else { inout.index },
                }
            });
        }
    }
}

/// # Safety
/// As for [`Kernel`].
unsafe fn replace_pairs<V: Copy, I: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { each_pair::<V, I>(input, inout, count, |input, _| input) }
}
