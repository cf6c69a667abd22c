//! The loops.

#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;

use super::number::{Arithmetic, Bits, Complex, Ordered};
use super::soft::{F16, F128, LongDouble};
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

/// The kernel, if the operation is defined on the datatype.
pub(crate) fn find(op: u32, datatype: Type) -> Option<Kernel> {
    if !defined(op, datatype.class) {
        return None;
    }
    if op == NO_OP {
        return Some(nothing);
    }
    match datatype.repr {
        Repr::I8 => integer::<i8>(op),
        Repr::I16 => integer::<i16>(op),
        Repr::I32 => integer::<i32>(op),
        Repr::I64 => integer::<i64>(op),
        Repr::I128 => integer::<i128>(op),
        Repr::U8 => integer::<u8>(op),
        Repr::U16 => integer::<u16>(op),
        Repr::U32 => integer::<u32>(op),
        Repr::U64 => integer::<u64>(op),
        Repr::U128 => integer::<u128>(op),
        Repr::F16 => ordered::<F16>(op),
        Repr::F32 => ordered::<f32>(op),
        Repr::F64 => ordered::<f64>(op),
        Repr::LongDouble => ordered::<LongDouble>(op),
        Repr::F128 => ordered::<F128>(op),
        Repr::ComplexF16 => arithmetic::<Complex<F16>>(op),
        Repr::ComplexF32 => arithmetic::<Complex<f32>>(op),
        Repr::ComplexF64 => arithmetic::<Complex<f64>>(op),
        Repr::ComplexLongDouble => arithmetic::<Complex<LongDouble>>(op),
        Repr::ComplexF128 => arithmetic::<Complex<F128>>(op),
        Repr::FloatInt => pair::<f32, i32>(op),
        Repr::DoubleInt => pair::<f64, i32>(op),
        Repr::LongInt => pair::<i64, i32>(op),
        Repr::IntInt => pair::<i32, i32>(op),
        Repr::ShortInt => pair::<i16, i32>(op),
        Repr::LongDoubleInt => pair::<LongDouble, i32>(op),
        Repr::FloatFloat => pair::<f32, f32>(op),
        Repr::DoubleDouble => pair::<f64, f64>(op),
    }
}

fn integer<T: Arithmetic + Ordered + Bits>(op: u32) -> Option<Kernel> {
    Some(match op {
        LAND => pick::<Land, T>(),
        LOR => pick::<Lor, T>(),
        LXOR => pick::<Lxor, T>(),
        BAND => pick::<Band, T>(),
        BOR => pick::<Bor, T>(),
        BXOR => pick::<Bxor, T>(),
        _ => return ordered::<T>(op),
    })
}

fn ordered<T: Arithmetic + Ordered>(op: u32) -> Option<Kernel> {
    Some(match op {
        MAX => pick_choosing::<Max, T>(),
        MIN => pick_choosing::<Min, T>(),
        _ => return arithmetic::<T>(op),
    })
}

fn arithmetic<T: Arithmetic>(op: u32) -> Option<Kernel> {
    Some(match op {
        SUM => pick::<Sum, T>(),
        PROD => pick::<Prod, T>(),
        REPLACE => replace::<T>,
        _ => return None,
    })
}

fn pair<V: Ordered, I: Ordered>(op: u32) -> Option<Kernel> {
    Some(match op {
        MINLOC => locate::<false, V, I>,
        MAXLOC => locate::<true, V, I>,
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
    Sum: Arithmetic, |input, inout| input.add(inout);
    Prod: Arithmetic, |input, inout| input.mul(inout);
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

/// The loop that the compiler makes vector code of, in the instruction set of its caller.
///
/// # Safety
/// As for [`Kernel`].
#[inline(always)]
unsafe fn each<O: Combine<T>, T: Copy>(input: *const u8, inout: *mut u8, count: usize) {
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

/// # Safety
/// As for [`Kernel`].
unsafe fn plain<O: Combine<T>, T: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { each::<O, T>(input, inout, count) }
}

/// The x86-64 of 2003 has no minimum of 32-bit integers, no comparison of 64-bit ones and vectors of
/// 16 bytes; nearly all processors have this.
///
/// # Safety
/// As for [`Kernel`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<O: Combine<T>, T: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { each::<O, T>(input, inout, count) }
}

fn pick<O: Combine<T>, T: Copy>() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return avx2::<O, T>;
    }
    plain::<O, T>
}

/// Bytes of results that lie in between; they stay in the first-level cache.
#[cfg(target_arch = "x86_64")]
const BETWEEN: usize = 2048;

/// The same for operations whose result is one of the operands, by way of memory in between. Without it the
/// compiler stores only what changes, with a mask, and such stores take several times as long.
///
/// # Safety
/// As for [`Kernel`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2_choosing<O: Combine<T>, T: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    const { assert!(size_of::<T>() <= BETWEEN) };
    if count == 0 {
        return; // the buffers may be null
    }
    let mut between = [MaybeUninit::<u64>::uninit(); BETWEEN / size_of::<u64>()];
    let most = BETWEEN / size_of::<T>();
    // SAFETY: promised by the caller; every bit pattern is an element, and any address will do. What lies between
    // has room for as many as are combined at a time, and is copied as far as it was
    // written.
    unsafe {
        let input = std::slice::from_raw_parts(input.cast::<Unaligned<T>>(), count);
        let inout = std::slice::from_raw_parts_mut(inout.cast::<Unaligned<T>>(), count);
        let between = between.as_mut_ptr().cast::<MaybeUninit<Unaligned<T>>>();
        let between = std::slice::from_raw_parts_mut(between, most);
        for (input, inout) in input.chunks(most).zip(inout.chunks_mut(most)) {
            for ((input, inout), result) in input.iter().zip(inout.iter()).zip(between.iter_mut()) {
                result.write(Unaligned(O::combine(input.0, inout.0)));
            }
            let results = between.as_ptr().cast::<u8>();
            inout.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(results, size_of_val(inout));
        }
    }
}

/// The kernel of an operation whose result is one of the operands.
fn pick_choosing<O: Combine<T>, T: Ordered>() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if T::CHOSEN && std::arch::is_x86_feature_detected!("avx2") {
        return avx2_choosing::<O, T>;
    }
    pick::<O, T>()
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

/// # Safety
/// As for [`Kernel`].
unsafe fn locate<const LARGEST: bool, V: Ordered, I: Ordered>(
    input: *const u8,
    inout: *mut u8,
    count: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        each_pair::<V, I>(input, inout, count, |input, inout| {
            if input.value == inout.value {
                Pair { value: inout.value, index: input.index.smaller(inout.index) }
            } else if (input.value > inout.value) == LARGEST
                && input.value.partial_cmp(&inout.value).is_some()
            {
                input
            } else {
                inout
            }
        });
    }
}

/// # Safety
/// As for [`Kernel`].
unsafe fn replace_pairs<V: Copy, I: Copy>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { each_pair::<V, I>(input, inout, count, |input, _| input) }
}
