//! What the kernels compute, against models that take another way.

mod oracle;

use cairn_reduce::*;
use proptest::prelude::*;

use rustc_apfloat::ieee;

use oracle::{formats, half_to_double, long_double, nearest_half, whole};

/// Runs a kernel on elements at an odd address, with guards around the result.
fn reduce(op: u32, datatype: u32, input: &[u8], inout: &[u8]) -> Vec<u8> {
    let extent = type_info(datatype).unwrap().extent;
    assert_eq!((input.len(), input.len() % extent), (inout.len(), 0));
    let framed = |bytes: &[u8]| [&[0xa5], bytes, &[0x5a; 40]].concat();
    let (from, mut to) = (framed(input), framed(inout));
    let kernel = kernel(op, datatype).unwrap();
    // SAFETY: both have room for as many elements after the first byte, and are two vectors.
    unsafe { kernel(from.as_ptr().add(1), to.as_mut_ptr().add(1), input.len() / extent) };
    assert_eq!(from, framed(input));
    assert!(to[0] == 0xa5 && to[1 + input.len()..] == [0x5a; 40], "wrote outside");
    to[1..1 + input.len()].to_vec()
}

/// Of vectors of any length the larger and smaller elements, with the bits that the same operation on one has:
/// also of zeros with other signs, and of NaNs.
#[test]
fn maxima_and_minima_of_long_vectors_are_those_of_their_elements() {
    fn vector(length: usize, seed: u64, special: &[u64]) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 20
        };
        let mut value = || match next() % 3 {
            0 => next() << 20 ^ next(),
            _ => special[next() as usize % special.len()],
        };
        (0..length).map(|_| value()).collect()
    }
    let doubles = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, -1.5, 1.5].map(f64::to_bits);
    let floats = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, -1.5, 1.5];
    let pairs = floats.map(|low| u64::from(low.to_bits()) | 0x8000_0000_0000_0000);
    let whole = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1];
    for (name, special, elements) in [
        ("DOUBLE", &doubles[..], 1),
        ("FLOAT", &pairs, 2),
        ("INT64_T", &whole, 1),
        ("UINT64_T", &whole, 1),
    ] {
        let (datatype, bytes) = (number(name), 8 / elements);
        for length in [0, 1, 3, 100, 255, 256, 257, 511, 512, 513, 1200] {
            let list = |seed| -> Vec<u8> {
                let words = vector(length, seed, special);
                words.iter().flat_map(|word| word.to_le_bytes()).collect()
            };
            let (input, inout) = (list(7), list(length as u64));
            for op in [MAX, MIN] {
                let all = reduce(op, datatype, &input, &inout);
                let pairs = input.chunks(bytes).zip(inout.chunks(bytes)).zip(all.chunks(bytes));
                for ((a, b), result) in pairs {
                    assert_eq!(one(name, op, a, b), result, "{name} {op:x} {a:?} {b:?}");
                }
            }
        }
    }
}

/// The larger or smaller of two elements.
fn one(name: &str, op: u32, a: &[u8], b: &[u8]) -> Vec<u8> {
    macro_rules! of {
        ($type:ty) => {{
            let number = |bytes: &[u8]| <$type>::from_le_bytes(bytes.try_into().unwrap());
            let (a, b) = std::hint::black_box((number(a), number(b)));
            (if op == MAX { b.max(a) } else { b.min(a) }).to_le_bytes().to_vec()
        }};
    }
    match name {
        "DOUBLE" => of!(f64),
        "FLOAT" => of!(f32),
        "INT64_T" => of!(i64),
        _ => of!(u64),
    }
}

type Models<T> = [(u32, fn(T, T) -> T); 4];

fn number(name: &str) -> u32 {
    DATATYPES.iter().find(|(_, known)| *known == name).unwrap().0
}

/// Two vectors of as many elements of so many bytes. Lengths run over whole vectors and rests.
fn operands(bytes: usize) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (0..70usize).prop_flat_map(move |count| {
        let vector = prop::collection::vec(any::<u8>(), count * bytes);
        (vector.clone(), vector)
    })
}

/// Values of which many are alike or zero.
fn narrow(bytes: usize) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (0..70usize).prop_flat_map(move |count| {
        let element = (0..4u8).prop_map(move |low| {
            let mut element = vec![0; bytes];
            element[0] = low;
            element
        });
        let vector = prop::collection::vec(element, count).prop_map(|list| list.concat());
        (vector.clone(), vector)
    })
}

/// An element of at most 16 bytes as a number.
fn wide(bytes: &[u8], signed: bool) -> i128 {
    let mut all = if signed && bytes.last().unwrap() >= &128 { [0xff; 16] } else { [0; 16] };
    all[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(all)
}

fn integer_model(op: u32, signed: bool, a: &[u8], b: &[u8]) -> Vec<u8> {
    let (x, y) = (wide(a, signed), wide(b, signed));
    let result = match op {
        SUM => x.wrapping_add(y),
        PROD => x.wrapping_mul(y),
        MAX => x.max(y),
        MIN => x.min(y),
        BAND => x & y,
        BOR => x | y,
        BXOR => x ^ y,
        LAND => i128::from(x != 0 && y != 0),
        LOR => i128::from(x != 0 || y != 0),
        LXOR => i128::from((x != 0) != (y != 0)),
        REPLACE => x,
        NO_OP => y,
        _ => unreachable!(),
    };
    result.to_le_bytes()[..a.len()].to_vec()
}

/// Checks every operation that is defined on a datatype of whole numbers or logical values.
fn check_integers(name: &str, signed: bool, (input, inout): &(Vec<u8>, Vec<u8>)) {
    let datatype = number(name);
    let size = type_info(datatype).unwrap().size;
    for op in OPERATIONS {
        if kernel(op, datatype).is_none() {
            continue;
        }
        let expected: Vec<u8> = input
            .chunks(size)
            .zip(inout.chunks(size))
            .flat_map(|(a, b)| integer_model(op, signed, a, b))
            .collect();
        assert_eq!(reduce(op, datatype, input, inout), expected, "{op:#x} on {name}");
    }
}

const SIGNED: &str = "SHORT INT LONG LONG_LONG INT8_T CHAR SIGNED_CHAR INT16_T INT32_T INT64_T INTEGER \
    INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16 AINT COUNT OFFSET";
const UNSIGNED: &str = "UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG UNSIGNED_LONG_LONG UINT8_T \
    UNSIGNED_CHAR UINT16_T UINT32_T UINT64_T BYTE C_BOOL CXX_BOOL LOGICAL LOGICAL1 LOGICAL2 \
    LOGICAL4 LOGICAL8 LOGICAL16";

/// Checks an operation on floating-point datatypes against a model on each pair of elements.
fn check_floats<T: Copy + PartialEq + std::fmt::Debug, const N: usize>(
    names: &[&str],
    list: &[(T, T)],
    bytes: fn(T) -> [u8; N],
    value: fn([u8; N]) -> T,
    models: Models<T>,
) {
    let input: Vec<u8> = list.iter().flat_map(|(x, _)| bytes(*x)).collect();
    let inout: Vec<u8> = list.iter().flat_map(|(_, y)| bytes(*y)).collect();
    for name in names {
        for (op, model) in models {
            let result = reduce(op, number(name), &input, &inout);
            for ((x, y), result) in list.iter().zip(result.chunks(N)) {
                let (expected, result) = (model(*x, *y), value(result.try_into().unwrap()));
                #[allow(clippy::eq_op)] // a value that is no number is not equal to itself
                let no_numbers = expected != expected && result != result;
                assert!(expected == result || no_numbers, "{name} {op:#x} {x:?} {y:?} {result:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn whole_numbers_and_logical_values(
        which in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
        all in operands(16),
        few in narrow(16),
    ) {
        let signed = SIGNED.split_whitespace().map(|name| (name, true));
        let names: Vec<_> =
            signed.chain(UNSIGNED.split_whitespace().map(|name| (name, false))).collect();
        let (name, signed) = names[which.index(names.len())];
        let size = type_info(number(name)).unwrap().size;
        let cut = |vector: &[u8]| vector[..end.index(vector.len() / size + 1) * size].to_vec();
        check_integers(name, signed, &(cut(&all.0), cut(&all.1)));
        check_integers(name, signed, &(cut(&few.0), cut(&few.1)));
    }

    #[test]
    fn floats(list in prop::collection::vec(any::<(f32, f32)>(), 0..70)) {
        check_floats(&["FLOAT", "REAL", "REAL4"], &list, f32::to_le_bytes, f32::from_le_bytes, [
            (SUM, |x, y| x + y),
            (PROD, |x, y| x * y),
            (MAX, f32::max),
            (MIN, f32::min),
        ]);
    }

    #[test]
    fn doubles(list in prop::collection::vec(any::<(f64, f64)>(), 0..70)) {
        let names = ["DOUBLE", "DOUBLE_PRECISION", "REAL8"];
        check_floats(&names, &list, f64::to_le_bytes, f64::from_le_bytes, [
            (SUM, |x, y| x + y),
            (PROD, |x, y| x * y),
            (MAX, f64::max),
            (MIN, f64::min),
        ]);
    }

    /// Small whole numbers, which every format computes exactly, and no zeros, which have signs.
    #[test]
    fn complex_numbers(list in prop::collection::vec(prop::array::uniform4(-20..20i128), 0..70)) {
        let list: Vec<[i128; 4]> =
            list.into_iter().map(|four| four.map(|v| if v < 0 { v } else { v + 1 })).collect();
        let half = |v| whole(v, 10, 5, 2);
        let float = |v| (v as f32).to_le_bytes().to_vec();
        let double = |v| (v as f64).to_le_bytes().to_vec();
        let quad = |v| whole(v, 112, 15, 16);
        #[allow(clippy::type_complexity)]
        let groups: [(&str, &dyn Fn(i128) -> Vec<u8>); 5] = [
            ("COMPLEX4", &half),
            ("COMPLEX COMPLEX8 C_FLOAT_COMPLEX CXX_FLOAT_COMPLEX", &float),
            ("DOUBLE_COMPLEX COMPLEX16 C_DOUBLE_COMPLEX CXX_DOUBLE_COMPLEX", &double),
            ("C_LONG_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX", &long_double),
            ("COMPLEX32", &quad),
        ];
        for (names, encode) in groups {
            let vector = |pick: &dyn Fn(&[i128; 4]) -> [i128; 2]| -> Vec<u8> {
                list.iter().flat_map(pick).flat_map(encode).collect()
            };
            let (input, inout) = (vector(&|l| [l[0], l[1]]), vector(&|l| [l[2], l[3]]));
            for name in names.split_whitespace() {
                let sum = reduce(SUM, number(name), &input, &inout);
                prop_assert_eq!(sum, vector(&|l| [l[0] + l[2], l[1] + l[3]]), "{}", name);
                let product = reduce(PROD, number(name), &input, &inout);
                let expected =
                    vector(&|l| [l[0] * l[2] - l[1] * l[3], l[0] * l[3] + l[1] * l[2]]);
                prop_assert_eq!(product, expected, "{}", name);
            }
        }
    }

    /// Products of two whole numbers of 55 bits fit into the 113 of a quad.
    #[test]
    fn quads(list in prop::collection::vec((-1i128 << 55..1 << 55, -1i128 << 55..1 << 55), 0..40)) {
        let bytes = |list: Vec<i128>| -> Vec<u8> {
            list.into_iter().flat_map(|v| whole(v, 112, 15, 16)).collect()
        };
        let (x, y): (Vec<i128>, Vec<i128>) = list.iter().copied().unzip();
        let models: Models<i128> = [
            (SUM, |x, y| x + y),
            (PROD, |x, y| x * y),
            (MAX, i128::max),
            (MIN, i128::min),
        ];
        for (op, model) in models {
            let result = reduce(op, number("REAL16"), &bytes(x.clone()), &bytes(y.clone()));
            prop_assert_eq!(result, bytes(list.iter().map(|(x, y)| model(*x, *y)).collect()));
        }
    }

    /// Every half is a double, and so are sums and products of two; what is left is to find the
    /// nearest half.
    #[test]
    fn halves(list in prop::collection::vec(any::<(u16, u16)>(), 0..40)) {
        let input: Vec<u8> = list.iter().flat_map(|(x, _)| x.to_le_bytes()).collect();
        let inout: Vec<u8> = list.iter().flat_map(|(_, y)| y.to_le_bytes()).collect();
        let models: Models<f64> = [
            (SUM, |x, y| x + y),
            (PROD, |x, y| x * y),
            (MAX, f64::max),
            (MIN, f64::min),
        ];
        for (op, model) in models {
            let result = reduce(op, number("REAL2"), &input, &inout);
            for ((x, y), result) in list.iter().zip(result.chunks(2)) {
                let result = half_to_double(u16::from_le_bytes(result.try_into().unwrap()));
                let expected = model(half_to_double(*x), half_to_double(*y));
                if expected.is_nan() {
                    prop_assert!(result.is_nan());
                } else {
                    prop_assert_eq!(result, nearest_half(expected));
                }
            }
        }
    }

    /// Formats without a type, against another implementation.
    #[test]
    fn formats_of_software(
        half in prop::collection::vec((formats::bits(5, 10), formats::bits(5, 10)), 0..40),
        quad in prop::collection::vec((formats::bits(15, 112), formats::bits(15, 112)), 0..40),
        long in prop::collection::vec((formats::bits(15, 63), formats::bits(15, 63)), 0..40),
    ) {
        // Shows the leading bit.
        let shown = |bits: u128| {
            let leading = u128::from(bits >> 63 & 0x7fff != 0) << 63;
            bits >> 63 << 64 | bits & ((1 << 63) - 1) | leading
        };
        let long: Vec<_> = long.into_iter().map(|(a, b)| (shown(a), shown(b))).collect();
        type Model = fn(u32, u128, u128, u128) -> bool;
        type List = Vec<(u128, u128)>;
        let mut cases: Vec<(&str, usize, List, Model)> = vec![
            ("REAL2", 2, half, formats::is::<ieee::Half>),
            ("REAL16", 16, quad, formats::is::<ieee::Quad>),
        ];
        if cfg!(target_arch = "x86_64") {
            cases.push(("LONG_DOUBLE", 16, long, formats::is::<ieee::X87DoubleExtended>));
        }
        for (name, size, list, model) in cases {
            let bytes = |bits: u128| bits.to_le_bytes().into_iter().take(size);
            let input: Vec<u8> = list.iter().flat_map(|(a, _)| bytes(*a)).collect();
            let inout: Vec<u8> = list.iter().flat_map(|(_, b)| bytes(*b)).collect();
            for op in [SUM, PROD, MAX, MIN] {
                let result = reduce(op, number(name), &input, &inout);
                for ((a, b), result) in list.iter().zip(result.chunks(size)) {
                    let result = wide(result, false) as u128;
                    prop_assert!(model(op, *a, *b, result), "{name} {op:#x} {a:x} {b:x} {result:x}");
                }
            }
        }
    }

    /// The processor's own x87 says what is right.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn long_doubles(
        list in prop::collection::vec(any::<(f64, i32, f64, i32)>(), 0..40),
        padding in any::<u8>(),
    ) {
        use oracle::x87;

        // Without the sign.
        let value = |bytes: &[u8]| wide(bytes, false) & !(1 << 79);
        // The product of a double and an integer has more bits than a double.
        let x: Vec<[u8; 16]> = list.iter().map(|l| x87::scaled(l.0, l.1)).collect();
        let y: Vec<[u8; 16]> = list.iter().map(|l| x87::scaled(l.2, l.3)).collect();
        let bytes = |list: &[[u8; 16]]| -> Vec<u8> {
            let padded = |value: &[u8; 16]| {
                let mut value = *value;
                value[10..].fill(padding);
                value
            };
            list.iter().flat_map(padded).collect()
        };
        let models: Models<[u8; 16]> = [
            (SUM, x87::add),
            (PROD, x87::multiply),
            (MAX, |x, y| if x87::less(y, x) { x } else { y }),
            (MIN, |x, y| if x87::less(x, y) { x } else { y }),
        ];
        for (op, model) in models {
            let result = reduce(op, number("LONG_DOUBLE"), &bytes(&x), &bytes(&y));
            for ((x, y), result) in x.iter().zip(&y).zip(result.chunks(16)) {
                // Of two zeros either is the larger one.
                if value(&x[..10]) == 0 && value(&y[..10]) == 0 {
                    prop_assert_eq!(value(&result[..10]), 0);
                    continue;
                }
                prop_assert_eq!(&result[..10], &model(*x, *y)[..10]);
            }
        }
    }

    #[test]
    fn pairs(list in prop::collection::vec(prop::array::uniform4(-3..3i16), 0..70)) {
        type Encode = fn(i16) -> Vec<u8>;
        let long: Encode = |v| i64::from(v).to_le_bytes().to_vec();
        let int: Encode = |v| i32::from(v).to_le_bytes().to_vec();
        let short: Encode = |v| v.to_le_bytes().to_vec();
        let float: Encode = |v| f32::from(v).to_le_bytes().to_vec();
        let double: Encode = |v| f64::from(v).to_le_bytes().to_vec();
        let long_double: Encode = |v| long_double(v.into());
        // With the offset of the index.
        let cases: [(&str, Encode, Encode, usize); 9] = [
            ("FLOAT_INT", float, int, 4),
            ("DOUBLE_INT", double, int, 8),
            ("LONG_INT", long, int, 8),
            ("2INT", int, int, 4),
            ("SHORT_INT", short, int, 4),
            ("LONG_DOUBLE_INT", long_double, int, 16),
            ("2REAL", float, float, 4),
            ("2DOUBLE_PRECISION", double, double, 8),
            ("2INTEGER", int, int, 4),
        ];
        for (name, value, index, offset) in cases {
            let extent = type_info(number(name)).unwrap().extent;
            let vector = |padding: u8, pick: &dyn Fn(&[i16; 4]) -> (i16, i16)| -> Vec<u8> {
                let element = |l| {
                    let (v, i) = pick(l);
                    let (value, index) = (value(v), index(i));
                    let mut element = vec![padding; extent];
                    element[..value.len()].copy_from_slice(&value);
                    element[offset..][..index.len()].copy_from_slice(&index);
                    element
                };
                list.iter().flat_map(element).collect()
            };
            // Padding of the input must not get into the result.
            let (input, inout) = (vector(0x11, &|l| (l[0], l[1])), vector(0x77, &|l| (l[2], l[3])));
            for (op, order) in [(MAXLOC, -1), (MINLOC, 1)] {
                let expected = vector(0x77, &|l| {
                    let best = [(l[0] * order, l[1]), (l[2] * order, l[3])].into_iter().min();
                    best.map(|(value, index)| (value * order, index)).unwrap()
                });
                prop_assert_eq!(reduce(op, number(name), &input, &inout), expected, "{}", name);
            }
            let replaced = vector(0x77, &|l| (l[0], l[1]));
            prop_assert_eq!(reduce(REPLACE, number(name), &input, &inout), replaced, "{}", name);
            prop_assert_eq!(reduce(NO_OP, number(name), &input, &inout), inout, "{}", name);
        }
    }
}

#[test]
fn replace_and_no_op_take_every_datatype() {
    for &(datatype, name) in DATATYPES {
        let info = type_info(datatype).unwrap();
        let input: Vec<u8> = (0..5 * info.extent).map(|i| i as u8).collect();
        let inout = vec![0xee; input.len()];
        assert_eq!(reduce(NO_OP, datatype, &input, &inout), inout, "{name}");
        let result = reduce(REPLACE, datatype, &input, &inout);
        let changed = result.iter().filter(|byte| **byte != 0xee).count();
        assert_eq!(changed, 5 * info.size, "{name}");
    }
}

#[test]
fn no_elements_no_buffers() {
    for op in OPERATIONS {
        for &(datatype, _) in DATATYPES {
            if let Some(kernel) = kernel(op, datatype) {
                // SAFETY: a count of zero.
                unsafe { kernel(std::ptr::null(), std::ptr::null_mut(), 0) };
            }
        }
    }
}

#[test]
fn a_value_that_is_no_number_stays_out_of_pairs() {
    let pair = |value: f32, index: i32| [value.to_le_bytes(), index.to_le_bytes()].concat();
    for op in [MINLOC, MAXLOC] {
        let inout = pair(1.0, 4);
        assert_eq!(reduce(op, number("FLOAT_INT"), &pair(f32::NAN, 1), &inout), inout);
    }
}
