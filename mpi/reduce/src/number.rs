//! What can be computed with elements.

/// Sums and products.
pub(crate) trait Arithmetic: Copy {
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
}

/// The larger and the smaller one; of a number and a NaN, the number.
pub(crate) trait Ordered: Copy + PartialOrd {
    /// Whether the processor compares and then chooses, rather than having an instruction for the larger one:
    /// floats because of NaNs, integers of 64 bits before AVX-512.
    const CHOSEN: bool = false;
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

/// A whole number, or a logical value.
pub(crate) trait Bits:
    Copy
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
{
    fn truth(self) -> bool;
    fn from_truth(truth: bool) -> Self;
}

/// A floating-point number, as far as complex ones need it.
pub(crate) trait Real: Arithmetic {
    fn sub(self, other: Self) -> Self;
}

/// A complex number, as C, C++ and Fortran lay it out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Real> Arithmetic for Complex<T> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: self.re.add(other.re), im: self.im.add(other.im) }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re.mul(other.re).sub(self.im.mul(other.im)),
            im: self.re.mul(other.im).add(self.im.mul(other.re)),
        }
    }
}

macro_rules! integers {
    ($($type:ty)*) => { $(
        impl Arithmetic for $type {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
        impl Ordered for $type {
            const CHOSEN: bool = size_of::<$type>() == 8;
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

macro_rules! floats {
    ($($type:ty)*) => { $(
        impl Arithmetic for $type {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
        }
        impl Ordered for $type {
            const CHOSEN: bool = true;
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }
        impl Real for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
        }
    )* };
}
floats! { f32 f64 }
