//! The data representation `external32` (MPI 5.0, section 14.5.2): most significant byte first, IEEE
//! numbers, and sizes that are the same everywhere. `MPI_LONG` has 4 bytes there, `MPI_WCHAR` 2, and
//! `MPI_LONG_DOUBLE` is the number of 16 bytes that has 112 bits of fraction.

use std::sync::{LazyLock, OnceLock};

use cairn_layout::{Basic, Type};

use crate::abi::generated::constants::*;
use crate::abi::generated::types::Datatype;
use crate::error::{Error, Result};

/// How a basic value is represented here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// So many bytes on both sides.
    Bytes(usize),
    /// An integer of 8 bytes that has 4; whether it is signed.
    Long(bool),
    /// A character of 4 bytes that has 2.
    Wide,
    /// The largest C number: 80 bits in 16 bytes, or with all of them.
    LongDouble,
}

use Form::{Bytes, Long, LongDouble, Wide};

/// The basic values that one of a predefined datatype, of so many bytes without gaps, consists of.
fn forms(datatype: Datatype, size: usize) -> Vec<Form> {
    match datatype {
        MPI_LONG => vec![Long(true)],
        MPI_UNSIGNED_LONG => vec![Long(false)],
        MPI_WCHAR => vec![Wide],
        MPI_LONG_DOUBLE => vec![LongDouble],
        MPI_C_LONG_DOUBLE_COMPLEX | MPI_CXX_LONG_DOUBLE_COMPLEX => vec![LongDouble; 2],
        MPI_C_FLOAT_COMPLEX
        | MPI_CXX_FLOAT_COMPLEX
        | MPI_C_DOUBLE_COMPLEX
        | MPI_CXX_DOUBLE_COMPLEX
        | MPI_COMPLEX
        | MPI_DOUBLE_COMPLEX
        | MPI_COMPLEX4
        | MPI_COMPLEX8
        | MPI_COMPLEX16
        | MPI_COMPLEX32
        | MPI_2INT
        | MPI_2INTEGER
        | MPI_2REAL
        | MPI_2DOUBLE_PRECISION => vec![Bytes(size / 2); 2],
        MPI_FLOAT_INT => vec![Bytes(4); 2],
        MPI_DOUBLE_INT => vec![Bytes(8), Bytes(4)],
        MPI_SHORT_INT => vec![Bytes(2), Bytes(4)],
        MPI_LONG_INT => vec![Long(true), Bytes(4)],
        MPI_LONG_DOUBLE_INT => vec![LongDouble, Bytes(4)],
        _ => vec![Bytes(size)],
    }
}

/// The same by the numbers of predefined datatypes.
fn forms_of(basic: &Basic) -> &'static [Form] {
    static KNOWN: LazyLock<Vec<OnceLock<Vec<Form>>>> =
        LazyLock::new(|| (0..NUMBERS).map(|_| OnceLock::new()).collect());
    KNOWN[basic.id as usize].get_or_init(|| {
        let size = basic.first + basic.second.map_or(0, |(_, len)| len);
        forms(Datatype::predefined(basic.id as usize), size)
    })
}

/// One more than the highest number of a predefined datatype.
const NUMBERS: usize = 0x300;

/// The bytes of one element of a datatype there: never more than here.
pub fn bytes_of(kind: &Type) -> u64 {
    kind.sum(|basic| forms_of(basic).iter().map(|form| form.external() as u64).sum())
}

/// Converts elements of a datatype, whose values are there without gaps, to the external representation.
pub fn encode_all(native: &[u8], kind: &Type, external: &mut [u8]) -> Result<()> {
    let (mut native, mut external, mut result) = (native, external, Ok(()));
    while !native.is_empty() && result.is_ok() {
        kind.for_each_basic(0, &mut |_, basic| {
            let forms = forms_of(basic);
            let (here, there) = sizes(forms);
            let (from, to);
            (from, native) = native.split_at(here);
            (to, external) = std::mem::take(&mut external).split_at_mut(there);
            if result.is_ok() {
                result = encode(from, forms, to);
            }
        });
    }
    result
}

/// The way back.
pub fn decode_all(external: &[u8], kind: &Type, native: &mut [u8]) {
    let (mut native, mut external) = (native, external);
    while !native.is_empty() {
        kind.for_each_basic(0, &mut |_, basic| {
            let forms = forms_of(basic);
            let (here, there) = sizes(forms);
            let (from, to);
            (from, external) = external.split_at(there);
            (to, native) = std::mem::take(&mut native).split_at_mut(here);
            decode(from, forms, to);
        });
    }
}

/// Bytes here and there.
fn sizes(forms: &[Form]) -> (usize, usize) {
    let bytes = |size: fn(Form) -> usize| forms.iter().map(|form| size(*form)).sum();
    (bytes(Form::native), bytes(Form::external))
}

impl Form {
    /// Bytes there.
    fn external(self) -> usize {
        match self {
            Bytes(bytes) => bytes,
            Long(_) => 4,
            Wide => 2,
            LongDouble => 16,
        }
    }

    /// Bytes here.
    fn native(self) -> usize {
        match self {
            Bytes(bytes) => bytes,
            Long(_) => 8,
            Wide => 4,
            LongDouble => 16,
        }
    }
}

/// Converts values, which are there without gaps, to the external representation.
fn encode(native: &[u8], forms: &[Form], external: &mut [u8]) -> Result<()> {
    let (mut native, mut external) = (native, external);
    while !native.is_empty() {
        for form in forms {
            let (from, to);
            (from, native) = native.split_at(form.native());
            (to, external) = std::mem::take(&mut external).split_at_mut(form.external());
            // Numbers of up to 16 bytes; the lower bytes of one are what matters.
            let value = number(from, matches!(form, Long(true)));
            let value = match form {
                Bytes(_) => value,
                Long(true) => fitting(value.cast_signed(), i32::try_from)?,
                Long(false) => fitting(value.cast_signed(), u32::try_from)?,
                Wide => fitting(value.cast_signed(), u16::try_from)?,
                LongDouble => quad_of_native(value),
            };
            to.copy_from_slice(&value.to_be_bytes()[16 - to.len()..]);
        }
    }
    Ok(())
}

/// The way back.
fn decode(external: &[u8], forms: &[Form], native: &mut [u8]) {
    let (mut native, mut external) = (native, external);
    while !external.is_empty() {
        for form in forms {
            let (from, to);
            (from, external) = external.split_at(form.external());
            (to, native) = std::mem::take(&mut native).split_at_mut(form.native());
            let turned: Vec<u8> = from.iter().rev().copied().collect();
            let value = little(&turned, matches!(form, Long(true)));
            let value = if *form == LongDouble { native_of_quad(value) } else { value };
            let bytes = value.to_le_bytes();
            to.copy_from_slice(&bytes[..to.len()]);
            if cfg!(target_endian = "big") {
                to.reverse();
            }
        }
    }
}

/// The bytes of a number here.
fn number(bytes: &[u8], signed: bool) -> u128 {
    if cfg!(target_endian = "little") {
        return little(bytes, signed);
    }
    little(&bytes.iter().rev().copied().collect::<Vec<u8>>(), signed)
}

/// Bytes, the least significant first, as a number.
fn little(bytes: &[u8], signed: bool) -> u128 {
    let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

fn fitting<T, E>(value: i128, convert: impl Fn(i128) -> Result<T, E>) -> Result<u128> {
    match convert(value) {
        Ok(_) => Ok(value.cast_unsigned()),
        Err(_) => {
            let text = format!("{value} does not fit into its external32 representation");
            Err(Error::new(MPI_ERR_CONVERSION, text))
        }
    }
}

/// Bits of fraction that the number of 80 bits has, besides the one before the point.
const SHORT: u32 = 63;
/// Bits of fraction of the one of 128 bits, which implies that one.
const FULL: u32 = 112;

/// A `long double` as a number of 128 bits.
fn quad_of_native(value: u128) -> u128 {
    if !cfg!(target_arch = "x86_64") {
        return value;
    }
    let sign_and_exponent = value >> 64 & 0xffff;
    let fraction = value & ((1 << SHORT) - 1);
    sign_and_exponent << FULL | fraction << (FULL - SHORT)
}

/// The way back, rounded to the nearest, to even if there are two.
fn native_of_quad(value: u128) -> u128 {
    if !cfg!(target_arch = "x86_64") {
        return value;
    }
    const EXPONENT: u128 = 0x7fff;
    let cut = FULL - SHORT;
    let (kept, lost) = (value >> cut, value & ((1 << cut) - 1));
    let half = 1 << (cut - 1);
    let special = value >> FULL & EXPONENT == EXPONENT;
    let up = lost > half || lost == half && kept & 1 == 1;
    // A carry out of the fraction is one of the exponent, as it should be. What is no number stays none.
    let rounded = match special {
        false => kept + u128::from(up),
        true => kept | u128::from(lost != 0),
    };
    let sign_and_exponent = rounded >> SHORT;
    let normal = u128::from(sign_and_exponent & EXPONENT != 0);
    sign_and_exponent << 64 | normal << SHORT | rounded & ((1 << SHORT) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(native: &[u8], forms: &[Form], external: &[u8]) {
        let mut found = vec![0; external.len()];
        encode(native, forms, &mut found).unwrap();
        assert_eq!(found, external);
        let mut back = vec![0; native.len()];
        decode(external, forms, &mut back);
        assert_eq!(back, native);
    }

    #[test]
    fn numbers_are_turned_around() {
        there_and_back(&0x0102_0304_i32.to_ne_bytes(), &[Bytes(4)], &[1, 2, 3, 4]);
        there_and_back(&1.0_f64.to_ne_bytes(), &[Bytes(8)], &[0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
        there_and_back(b"abc", &[Bytes(1)], b"abc");
        let pair = [7.5_f64.to_ne_bytes().to_vec(), 3_i32.to_ne_bytes().to_vec()].concat();
        let forms = forms(MPI_DOUBLE_INT, 12);
        there_and_back(&pair, &forms, &[0x40, 0x1e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    }

    #[test]
    fn long_integers_have_four_bytes() {
        there_and_back(&(-2_i64).to_ne_bytes(), &[Long(true)], &[0xff, 0xff, 0xff, 0xfe]);
        there_and_back(&0xffff_fffe_u64.to_ne_bytes(), &[Long(false)], &[0xff, 0xff, 0xff, 0xfe]);
        there_and_back(&0x263a_u32.to_ne_bytes(), &[Wide], &[0x26, 0x3a]);
        for (value, form) in [(1_i64 << 31, Long(true)), (1 << 32, Long(false)), (-1, Long(false))]
        {
            let failed = encode(&value.to_ne_bytes(), &[form], &mut [0; 4]);
            assert_eq!(failed.unwrap_err().code(), MPI_ERR_CONVERSION);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn long_doubles_have_another_fraction() {
        let native = |exponent: u16, fraction: u64| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&fraction.to_le_bytes());
            bytes[8..10].copy_from_slice(&exponent.to_le_bytes());
            bytes
        };
        let quad = |high: u64, low: u64| [high.to_be_bytes(), low.to_be_bytes()].concat();
        for (here, there) in [
            (native(0, 0), quad(0, 0)),
            (native(0x8000, 0), quad(1 << 63, 0)),
            (native(0x3fff, 1 << 63), quad(0x3fff << 48, 0)),
            (native(0xbfff, 3 << 62), quad(0xbfff_8000_0000_0000, 0)),
            (native(0x3fff, (1 << 63) | 1), quad(0x3fff << 48, 1 << 49)),
            // The smallest, an infinity, and what is no number.
            (native(0, 1), quad(0, 1 << 49)),
            (native(0x7fff, 1 << 63), quad(0x7fff << 48, 0)),
            (native(0x7fff, 3 << 62), quad(0x7fff_8000_0000_0000, 0)),
        ] {
            there_and_back(&here, &[LongDouble], &there);
        }
        let back = |high, low| {
            let mut bytes = [0; 16];
            decode(&quad(high, low), &[LongDouble], &mut bytes);
            bytes
        };
        // Between two: to the nearest, to even, and into the next power.
        assert_eq!(back(0x3fff << 48, (1 << 48) - 1), native(0x3fff, 1 << 63));
        assert_eq!(back(0x3fff << 48, 1 << 48), native(0x3fff, 1 << 63));
        assert_eq!(back(0x3fff << 48, 3 << 48), native(0x3fff, (1 << 63) | 2));
        assert_eq!(back(0x3fff_ffff_ffff_ffff, u64::MAX), native(0x4000, 1 << 63));
        assert_eq!(back(0x7fff << 48, 1), native(0x7fff, (1 << 63) | 1));
    }
}
