//! Floating-point formats that Rust has no type for. `rustc_apfloat` computes them, rounding to
//! nearest, ties to even, as the hardware does.

use std::cmp::Ordering;

use rustc_apfloat::Float;
#[cfg(target_arch = "x86_64")]
use rustc_apfloat::ieee::X87DoubleExtended;
use rustc_apfloat::ieee::{Half, Quad};

use super::number::{Arithmetic, Ordered, Real};

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident $float:ident $bits:ty, $mask:expr;)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name($bits);

        impl $name {
            fn get(self) -> $float {
                $float::from_bits(u128::from(self.0) & $mask)
            }
            fn new(value: $float) -> Self {
                // No bits are lost: the format has no more.
                Self(value.to_bits() as $bits)
            }
        }
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.get() == other.get()
            }
        }
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.get().partial_cmp(&other.get())
            }
        }
        impl Ordered for $name {
            fn larger(self, other: Self) -> Self {
                Self::new(self.get().max(other.get()))
            }
            fn smaller(self, other: Self) -> Self {
                Self::new(self.get().min(other.get()))
            }
        }
        impl Arithmetic for $name {
            fn add(self, other: Self) -> Self {
                Self::new((self.get() + other.get()).value)
            }
            fn mul(self, other: Self) -> Self {
                Self::new((self.get() * other.get()).value)
            }
        }
        impl Real for $name {
            fn sub(self, other: Self) -> Self {
                Self::new((self.get() - other.get()).value)
            }
        }
    )* };
}

formats! {
    /// IEEE binary16.
    F16 Half u16, u128::MAX;
    /// IEEE binary128.
    F128 Quad u128, u128::MAX;
}

#[cfg(target_arch = "x86_64")]
formats! {
    /// `long double`: the x87's extended format; the last six bytes are padding.
    LongDouble X87DoubleExtended u128, (1 << 80) - 1;
}

/// `long double`.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type LongDouble = F128;
