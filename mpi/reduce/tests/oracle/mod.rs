//! Other ways to floating-point formats that Rust has no type for.

/// A whole number in an IEEE format with so many bits of fraction and exponent.
pub fn whole(value: i128, fraction: u32, exponent: u32, bytes: usize) -> Vec<u8> {
    let magnitude = value.unsigned_abs();
    let mut bits = u128::from(value < 0) << (fraction + exponent);
    if magnitude != 0 {
        let top = magnitude.ilog2();
        assert!(top <= fraction, "{value} would be rounded");
        let bias = (1u128 << (exponent - 1)) - 1;
        bits |= (u128::from(top) + bias) << fraction;
        bits |= (magnitude ^ (1 << top)) << (fraction - top);
    }
    bits.to_le_bytes()[..bytes].to_vec()
}

/// A whole number as a `long double`: in the x87's format, which shows the leading bit of the fraction,
/// or where that is not, in an IEEE format.
pub fn long_double(value: i128) -> Vec<u8> {
    if !cfg!(target_arch = "x86_64") {
        return whole(value, 112, 15, 16);
    }
    let magnitude = value.unsigned_abs();
    let mut bits = u128::from(value < 0) << 79;
    if magnitude != 0 {
        let top = magnitude.ilog2();
        bits |= (u128::from(top) + 16383) << 64;
        bits |= magnitude << (63 - top);
    }
    bits.to_le_bytes().to_vec()
}

pub fn half_to_double(half: u16) -> f64 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if half >> 15 == 1 { -magnitude } else { magnitude }
}

/// The half nearest to a double, as a double; of two, the one with an even last bit.
pub fn nearest_half(value: f64) -> f64 {
    let magnitude = value.abs();
    // Halves without a sign are in order: the first that is not smaller, and the one before.
    let (mut above, mut end) = (0, 0x7c00u16);
    while above < end {
        let middle = (above + end) / 2;
        if half_to_double(middle) < magnitude { above = middle + 1 } else { end = middle }
    }
    let rounded = match above {
        // Beyond the largest one; rounding goes as if there were a next one.
        0x7c00 if magnitude >= 65520.0 => f64::INFINITY,
        0x7c00 => 65504.0,
        0 => 0.0,
        above => {
            let (low, high) = (half_to_double(above - 1), half_to_double(above));
            let tie = magnitude - low == high - magnitude;
            let down = magnitude - low < high - magnitude || tie && above % 2 == 1;
            if down { low } else { high }
        }
    };
    rounded.copysign(value)
}

#[cfg(target_arch = "x86_64")]
pub mod x87 {
    use std::arch::asm;

    macro_rules! instruction {
        ($name:ident, $instruction:literal) => {
            pub fn $name(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
                let mut result = [0; 16];
                // SAFETY: reads ten bytes of each operand and writes ten of the result; the
                // register stack is empty before and after.
                unsafe {
                    asm!(
                        "fld tbyte ptr [{a}]",
                        "fld tbyte ptr [{b}]",
                        $instruction,
                        "fstp tbyte ptr [{result}]",
                        a = in(reg) &a,
                        b = in(reg) &b,
                        result = in(reg) &mut result,
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    );
                }
                result
            }
        };
    }
    instruction!(add, "faddp st(1), st");
    instruction!(multiply, "fmulp st(1), st");

    /// A double times an integer.
    pub fn scaled(value: f64, factor: i32) -> [u8; 16] {
        let mut result = [0; 16];
        // SAFETY: as above, with operands of eight and four bytes.
        unsafe {
            asm!(
                "fld qword ptr [{a}]",
                "fild dword ptr [{b}]",
                "fmulp st(1), st",
                "fstp tbyte ptr [{result}]",
                a = in(reg) &value,
                b = in(reg) &factor,
                result = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        result
    }

    /// Whether `a < b`.
    pub fn less(a: [u8; 16], b: [u8; 16]) -> bool {
        let above: u8;
        // SAFETY: as above; compares and pops both.
        unsafe {
            asm!(
                "fld tbyte ptr [{a}]",
                "fld tbyte ptr [{b}]",
                "fcomip st, st(1)",
                "seta {above}",
                "fstp st(0)",
                a = in(reg) &a,
                b = in(reg) &b,
                above = out(reg_byte) above,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        above == 1
    }
}

/// Another implementation of formats, and numbers that are hard to compute with.
pub mod formats {
    use cairn_reduce::{MAX, MIN, PROD, SUM};
    use proptest::prelude::*;
    use rustc_apfloat::Float;

    /// Whether the bits are the result of an operation. Any NaN is as good as another, and of two zeros either is the
    /// larger one.
    pub fn is<F: Float>(op: u32, a: u128, b: u128, result: u128) -> bool {
        let ((a, b), result) = ((F::from_bits(a), F::from_bits(b)), F::from_bits(result));
        let expected = match op {
            SUM => (a + b).value,
            PROD => (a * b).value,
            MAX => a.max(b),
            _ => a.min(b),
        };
        let chosen = op == MAX || op == MIN;
        match expected.is_nan() {
            true => result.is_nan(),
            false if chosen && expected.is_zero() => result.is_zero(),
            false => result.bitwise_eq(expected),
        }
    }

    /// Bits of a format with so many bits of exponent, and of fraction below it: exponents that are small or large,
    /// or so near to each other that numbers cancel, or whose products are next to the smallest number.
    pub fn bits(exponent: u32, fraction: u32) -> impl Strategy<Value = u128> {
        let top = (1i64 << exponent) - 1;
        let exponents = prop_oneof![
            0..4i64,
            top - 3..top + 1,
            top / 2 - 2..top / 2 + 4,
            top / 2 - 70..top / 2 + 70,
            top / 4 - 70..top / 4 + 70,
        ];
        let fractions = prop_oneof![
            any::<u128>(),
            Just(0),
            Just(u128::MAX),
            (0..128u32, any::<u128>()).prop_map(|(shift, bits)| bits << shift),
            (0..128u32).prop_map(|shift| u128::MAX >> shift),
        ];
        (any::<bool>(), exponents, fractions).prop_map(move |(sign, middle, below)| {
            let middle = middle.clamp(0, top) as u128;
            u128::from(sign) << (exponent + fraction)
                | middle << fraction
                | below & ((1 << fraction) - 1)
        })
    }
}
