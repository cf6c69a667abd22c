//! What can be computed with elements.

use core::ops::{Add, BitAnd, BitOr, BitXor, Mul, Sub};

/// Sums and products.
pub(crate) trait Arithmetic: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

/// The larger and the smaller one; of a number and a NaN, the number.
pub(crate) trait Ordered: Copy + PartialOrd {
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

/// A whole number, or a logical value.
pub(crate) trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    fn truth(self) -> bool;
    fn from_truth(truth: bool) -> Self;
}

/// A floating-point number, as far as complex ones need it.
pub(crate) trait Real:
    Arithmetic + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// A result of several operations: of NaNs always the same, where nothing else says which of the operands' it is.
    #[inline(always)]
    fn settled(self) -> Self {
        self
    }
}

/// A complex number, as C, C++ and Fortran lay it out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complex<T> {
    pub(crate) re: T,
    pub(crate) im: T,
}

impl<T: Real> Arithmetic for Complex<T> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { re: self.re.plus(other.re), im: self.im.plus(other.im) }
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self {
            re: (self.re * other.re - self.im * other.im).settled(),
            im: (self.re * other.im + self.im * other.re).settled(),
        }
    }
}

macro_rules! integers {
    ($($type:ty)*) => { $(
        impl Arithmetic for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
        impl Ordered for $type {
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }
        impl Bits for $type {
            #[inline(always)]
            fn truth(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn from_truth(truth: bool) -> Self {
                <$type>::from(truth)
            }
        }
    )* };
}
integers! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 }

// Of two NaNs the x86-64 takes the first operand's, and which operand of a sum or product is the first one the compiler
// decides anew for each loop and its rest. So that it doesn't matter, there is only one where the first is a NaN.
macro_rules! floats {
    ($($type:ty)*) => { $(
        impl Arithmetic for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + if self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * if self.is_nan() { self } else { other }
            }
        }
        impl Ordered for $type {
            // In this order the compiler makes three instructions of it; in the other one a store with a mask, which
            // takes several times as long.
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                other.max(self)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                other.min(self)
            }
        }
        impl Real for $type {
            #[inline(always)]
            fn settled(self) -> Self {
                if self.is_nan() { Self::NAN } else { self }
            }
        }
    )* };
}
floats! { f32 f64 }

/// What follows from `magnitude` (the bits without the sign), `is_negative`, `is_nan` and `unpadded` (zeros where a format
/// has no bits) of a format whose magnitudes are in the order of the values, as IEEE's and the x87's are. Of two zeros
/// the larger and smaller one is `other`, of two NaNs `self`.
macro_rules! compared {
    ($name:ident, $signed:ident) => {
        impl $name {
            /// In the order of the values; both zeros are 0.
            #[inline(always)]
            fn key(self) -> $signed {
                let magnitude = self.magnitude() as $signed;
                if self.is_negative() { -magnitude } else { magnitude }
            }
        }
        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                !self.is_nan() & !other.is_nan() & (self.key() == other.key())
            }
        }
        impl PartialOrd for $name {
            #[inline(always)]
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                (!self.is_nan() & !other.is_nan()).then(|| self.key().cmp(&other.key()))
            }
            #[inline(always)]
            fn gt(&self, other: &Self) -> bool {
                !self.is_nan() & !other.is_nan() & (self.key() > other.key())
            }
            #[inline(always)]
            fn lt(&self, other: &Self) -> bool {
                other > self
            }
        }
        impl $crate::number::Ordered for $name {
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                (if (self > other) | other.is_nan() { self } else { other }).unpadded()
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                (if (self < other) | other.is_nan() { self } else { other }).unpadded()
            }
        }
    };
}
pub(crate) use compared;
