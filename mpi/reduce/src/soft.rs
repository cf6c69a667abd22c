//! Floating-point formats that Rust has no type for. They are rounded to nearest, ties to even, as the hardware
//! does.

use core::ops::{Add, Mul, Sub};

use super::number::{Arithmetic, Real, compared};

/// A format that has operators.
macro_rules! computed {
    ($name:ident) => {
        impl Arithmetic for $name {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
        impl Real for $name {}
    };
}

/// IEEE binary128.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct F128(u128);

compared!(F128, i128);

/// The bits of its fraction.
const FRACTION: u32 = 112;
/// The bit that a normal number has above its fraction, which is not stored.
const IMPLICIT: u128 = 1 << FRACTION;
const SIGN: u128 = 1 << 127;
/// The exponent of infinities and NaNs.
const TOP: i32 = 0x7fff;
const BIAS: i32 = 0x3fff;

impl F128 {
    const INFINITY: u128 = (TOP as u128) << FRACTION;
    /// What makes a NaN quiet.
    const QUIET: u128 = 1 << (FRACTION - 1);
    const NAN: Self = Self(Self::INFINITY | Self::QUIET);

    #[inline(always)]
    fn magnitude(self) -> u128 {
        self.0 & !SIGN
    }
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.0 >> 127 != 0
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.magnitude() > Self::INFINITY
    }
    #[inline(always)]
    fn unpadded(self) -> Self {
        self
    }
    /// Zero, infinite, or no number.
    #[inline(always)]
    fn is_special(self) -> bool {
        self.magnitude().wrapping_sub(1) >= Self::INFINITY - 1
    }
    /// Of two operands of which one is no number, that one, or the first.
    fn no_number(self, other: Self) -> Option<Self> {
        let nan = [self, other].into_iter().find(|operand| operand.is_nan())?;
        Some(Self(nan.0 | Self::QUIET))
    }

    #[cold]
    fn add_special(self, other: Self) -> Self {
        if let Some(nan) = self.no_number(other) {
            return nan;
        }
        match (self.magnitude(), other.magnitude()) {
            (Self::INFINITY, Self::INFINITY) if self.0 != other.0 => Self::NAN,
            (Self::INFINITY, _) | (_, 0) if other.magnitude() != 0 || self.magnitude() != 0 => self,
            (0, 0) => Self(self.0 & other.0),
            _ => other,
        }
    }

    #[cold]
    fn mul_special(self, other: Self) -> Self {
        if let Some(nan) = self.no_number(other) {
            return nan;
        }
        let sign = (self.0 ^ other.0) & SIGN;
        let (a, b) = (self.magnitude(), other.magnitude());
        match a.max(b) {
            Self::INFINITY if a.min(b) == 0 => Self::NAN,
            Self::INFINITY => Self(sign | Self::INFINITY),
            _ => Self(sign),
        }
    }

    /// The exponent, and the fraction with the implicit bit, of a finite number.
    #[inline(always)]
    fn parts(self) -> (i32, u128) {
        let exponent = (self.magnitude() >> FRACTION) as i32;
        let fraction = self.0 & (IMPLICIT - 1);
        if exponent == 0 { (1, fraction) } else { (exponent, fraction | IMPLICIT) }
    }

    /// The same with the implicit bit also for what is too small to be normal; the exponent may be negative.
    #[inline(always)]
    fn normalised(self) -> (i32, u128) {
        let (exponent, fraction) = self.parts();
        let shift = fraction.leading_zeros() - IMPLICIT.leading_zeros();
        (exponent - shift as i32, fraction << shift)
    }

    /// The number nearest to a fraction with an exponent that is not too small, and what lies below the fraction, as
    /// so many halves, quarters... of its last bit.
    #[inline(always)]
    fn rounded(sign: u128, exponent: i32, fraction: u128, below: u128) -> Self {
        if exponent >= TOP {
            return Self(sign | Self::INFINITY);
        }
        // The implicit bit adds one to the exponent, and a carry another one.
        let down = ((exponent - 1) as u128).wrapping_shl(FRACTION) + fraction;
        let half = SIGN;
        let up = (below > half) | (below == half) & (down & 1 == 1);
        Self(sign | (down + u128::from(up)))
    }
}

computed!(F128);

impl Add for F128 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        if self.is_special() | other.is_special() {
            return self.add_special(other);
        }
        let larger = self.magnitude() >= other.magnitude();
        let (a, b) = if larger { (self, other) } else { (other, self) };
        let sign = a.0 & SIGN;
        // Three bits more: two to round with, and one that is set if any below are.
        let ((mut exponent, x), (low, y)) = (a.parts(), b.parts());
        let (mut x, mut y) = (x << 3, y << 3);
        let shift = (exponent - low) as u32;
        if shift >= 128 {
            y = 1;
        } else if shift != 0 {
            y = y >> shift | u128::from(y << (128 - shift) != 0);
        }
        if (a.0 ^ b.0) & SIGN == 0 {
            x += y;
            if x >= IMPLICIT << 4 {
                x = x >> 1 | x & 1;
                exponent += 1;
            }
        } else {
            x -= y;
            if x == 0 {
                return Self(0);
            }
            let shift = x.leading_zeros() - (IMPLICIT << 3).leading_zeros();
            let shift = shift.min((exponent - 1) as u32);
            x <<= shift;
            exponent -= shift as i32;
        }
        Self::rounded(sign, exponent, x >> 3, x << 125)
    }
}

impl Mul for F128 {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        if self.is_special() | other.is_special() {
            return self.mul_special(other);
        }
        let sign = (self.0 ^ other.0) & SIGN;
        let ((ea, x), (eb, y)) = (self.normalised(), other.normalised());
        // Of 226 bits, or 225, the upper ones lie where a fraction has them, or one below.
        let (mut high, mut low) = product(x, y << 15);
        let mut exponent = ea + eb - BIAS + 1;
        if high < IMPLICIT {
            high = high << 1 | low >> 127;
            low <<= 1;
            exponent -= 1;
        }
        if exponent < 1 {
            let shift = (1 - exponent) as u32;
            if shift >= 128 {
                return Self(sign);
            }
            low = high << (128 - shift) | low >> shift | u128::from(low << (128 - shift) != 0);
            high >>= shift;
            exponent = 1;
        }
        Self::rounded(sign, exponent, high, low)
    }
}

impl Sub for F128 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        let negative = if other.is_nan() { other } else { Self(other.0 ^ SIGN) };
        self + negative
    }
}

/// The upper and the lower half.
#[inline(always)]
fn product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let ((a1, a0), (b1, b0)) = ((a >> 64, a & LOW), (b >> 64, b & LOW));
    let middle = a1 * b0;
    // No sum is too large: a product of two halves has room for two more.
    let lower = ((a0 * b0) >> 64) + a0 * b1;
    let sum = (lower & LOW) + (middle & LOW);
    let low = a.wrapping_mul(b);
    (a1 * b1 + (lower >> 64) + (middle >> 64) + (sum >> 64), low)
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x87::LongDouble;

/// The format of the x87, computed by it.
#[cfg(target_arch = "x86_64")]
mod x87 {
    use core::arch::asm;
    use core::ops::{Add, Mul, Sub};

    use super::{Arithmetic, Real, compared};

    /// `long double`: a sign, 15 bits of exponent, and 64 of fraction with the leading one. The last six bytes are
    /// padding, zero in results.
    #[repr(transparent)]
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct LongDouble(u128);

    compared!(LongDouble, i128);
    computed!(LongDouble);

    impl LongDouble {
        #[inline(always)]
        fn magnitude(self) -> u128 {
            self.0 & ((1 << 79) - 1)
        }
        #[inline(always)]
        fn is_negative(self) -> bool {
            self.0 >> 79 & 1 != 0
        }
        /// Also what the processor does not take for a number: a leading zero.
        #[inline(always)]
        fn is_nan(self) -> bool {
            let (exponent, leading) = (self.magnitude() >> 64, self.0 as i64 >= 0);
            (self.magnitude() > 0x7fff << 64 | 1 << 63) | (exponent != 0) & leading
        }
        #[inline(always)]
        fn unpadded(self) -> Self {
            Self(self.0 & ((1 << 80) - 1))
        }
    }

    /// An operand in memory, in the pieces that the processor loads and stores.
    #[repr(C)]
    struct Pieces(u64, u16);

    impl Pieces {
        #[inline(always)]
        fn new(value: LongDouble) -> Self {
            Self(value.0 as u64, (value.0 >> 64) as u16)
        }
        #[inline(always)]
        fn value(self) -> LongDouble {
            LongDouble(u128::from(self.1) << 64 | u128::from(self.0))
        }
    }

    macro_rules! instruction {
        ($operator:ident, $name:ident, $instruction:literal) => {
            impl $operator for LongDouble {
                type Output = Self;

                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    let (a, b) = (Pieces::new(self), Pieces::new(other));
                    let mut result = Pieces(0, 0);
                    // SAFETY: reads ten bytes of each operand and writes ten of the result; the register stack is
                    // empty before and after.
                    unsafe {
                        asm!(
                            "fld tbyte ptr [{a}]",
                            "fld tbyte ptr [{b}]",
                            $instruction,
                            "fstp tbyte ptr [{result}]",
                            a = in(reg) &raw const a,
                            b = in(reg) &raw const b,
                            result = in(reg) &raw mut result,
                            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                            options(nostack),
                        );
                    }
                    result.value()
                }
            }
        };
    }
    instruction!(Add, add, "faddp st(1), st");
    instruction!(Sub, sub, "fsubp st(1), st");
    instruction!(Mul, mul, "fmulp st(1), st");
}

/// `long double`.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type LongDouble = F128;
