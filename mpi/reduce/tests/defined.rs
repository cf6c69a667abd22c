//! Which operation is defined on which datatype, and how datatypes lie in memory.

use cairn_reduce::*;

/// The groups of MPI 5.0, §6.9.2, by the standard's own names.
const C_INTEGER: &str = "INT LONG SHORT UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG LONG_LONG \
    UNSIGNED_LONG_LONG CHAR SIGNED_CHAR UNSIGNED_CHAR INT8_T INT16_T INT32_T INT64_T UINT8_T UINT16_T \
    UINT32_T UINT64_T";
const FORTRAN_INTEGER: &str = "INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16";
const FLOATING_POINT: &str =
    "FLOAT DOUBLE REAL DOUBLE_PRECISION LONG_DOUBLE REAL2 REAL4 REAL8 REAL16";
const LOGICAL: &str = "LOGICAL C_BOOL CXX_BOOL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8 LOGICAL16";
const COMPLEX: &str = "COMPLEX C_FLOAT_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX \
    CXX_FLOAT_COMPLEX CXX_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX4 COMPLEX8 \
    COMPLEX16 COMPLEX32";
const BYTE: &str = "BYTE";
const MULTI_LANGUAGE: &str = "AINT OFFSET COUNT";
const PAIRS: &str = "FLOAT_INT DOUBLE_INT LONG_INT 2INT SHORT_INT LONG_DOUBLE_INT 2REAL \
    2DOUBLE_PRECISION 2INTEGER";
const TEXT: &str = "PACKED CHARACTER WCHAR";
const ALL: [&str; 9] = [
    C_INTEGER,
    FORTRAN_INTEGER,
    FLOATING_POINT,
    LOGICAL,
    COMPLEX,
    BYTE,
    MULTI_LANGUAGE,
    PAIRS,
    TEXT,
];

fn groups(op: u32) -> Vec<&'static str> {
    match op {
        MAX | MIN => vec![C_INTEGER, FORTRAN_INTEGER, FLOATING_POINT, MULTI_LANGUAGE],
        SUM | PROD => vec![C_INTEGER, FORTRAN_INTEGER, FLOATING_POINT, COMPLEX, MULTI_LANGUAGE],
        // The last ones are beyond the standard.
        LAND | LOR | LXOR => vec![C_INTEGER, LOGICAL, MULTI_LANGUAGE],
        BAND | BOR | BXOR => vec![C_INTEGER, FORTRAN_INTEGER, BYTE, MULTI_LANGUAGE],
        MINLOC | MAXLOC => vec![PAIRS],
        REPLACE | NO_OP => ALL.to_vec(),
        _ => vec![],
    }
}

#[test]
fn every_pair_that_the_standard_defines_has_a_kernel_and_no_other() {
    let mut kernels = 0;
    for op in 0..0x400 {
        let names: Vec<&str> =
            groups(op).into_iter().flat_map(|group| group.split_whitespace()).collect();
        for datatype in 0..0x400 {
            let name = DATATYPES.iter().find(|(value, _)| *value == datatype).map(|(_, name)| name);
            let defined = name.is_some_and(|name| names.contains(name));
            let found = kernel(op, datatype).is_some();
            assert_eq!(found, defined, "operation {op:#x} on {datatype:#x} {name:?}");
            kernels += usize::from(found);
        }
    }
    // With MPI_CHAR as an integer: MAX and MIN, SUM and PROD, logical, bitwise, MINLOC and MAXLOC, REPLACE and NO_OP.
    assert_eq!(kernels, 2 * 37 + 2 * 49 + 3 * 30 + 3 * 29 + 2 * 9 + 2 * 70);
    assert!(kernel(SUM, u32::MAX).is_none());
    assert_eq!(type_info(u32::MAX), None);
}

#[test]
fn every_datatype_is_named_once() {
    let mut named: Vec<&str> = ALL.iter().flat_map(|group| group.split_whitespace()).collect();
    let mut known: Vec<&str> = DATATYPES.iter().map(|(_, name)| *name).collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(known, named);
}

#[repr(C)]
struct Pair<V, I>(V, I);

#[test]
fn sizes_are_those_of_c() {
    fn scalar(size: usize) -> TypeInfo {
        TypeInfo { size, alignment: size, extent: size }
    }
    fn complex(half: usize) -> TypeInfo {
        TypeInfo { size: 2 * half, alignment: half, extent: 2 * half }
    }
    fn pair<V, I>() -> TypeInfo {
        TypeInfo {
            size: size_of::<V>() + size_of::<I>(),
            alignment: align_of::<Pair<V, I>>(),
            extent: size_of::<Pair<V, I>>(),
        }
    }
    type LongDouble = u128; // 16 bytes, aligned to 16
    for &(value, name) in DATATYPES {
        let expected = match name {
            "C_BOOL" | "CXX_BOOL" | "BYTE" | "PACKED" | "CHARACTER" => scalar(1),
            "CHAR" | "SIGNED_CHAR" | "UNSIGNED_CHAR" => scalar(1),
            "SHORT" | "UNSIGNED_SHORT" => scalar(2),
            "INT" | "UNSIGNED" | "WCHAR" | "FLOAT" => scalar(4),
            "LOGICAL" | "INTEGER" | "REAL" => scalar(4),
            "LONG" | "UNSIGNED_LONG" | "LONG_LONG" | "UNSIGNED_LONG_LONG" => scalar(8),
            "DOUBLE" | "DOUBLE_PRECISION" | "AINT" | "OFFSET" | "COUNT" => scalar(8),
            "LONG_DOUBLE" => scalar(16),
            "COMPLEX" | "C_FLOAT_COMPLEX" | "CXX_FLOAT_COMPLEX" => complex(4),
            "DOUBLE_COMPLEX" | "C_DOUBLE_COMPLEX" | "CXX_DOUBLE_COMPLEX" => complex(8),
            "C_LONG_DOUBLE_COMPLEX" | "CXX_LONG_DOUBLE_COMPLEX" => complex(16),
            "FLOAT_INT" => pair::<f32, i32>(),
            "DOUBLE_INT" => pair::<f64, i32>(),
            "LONG_INT" => pair::<i64, i32>(),
            "2INT" | "2INTEGER" => pair::<i32, i32>(),
            "SHORT_INT" => pair::<i16, i32>(),
            "LONG_DOUBLE_INT" => pair::<LongDouble, i32>(),
            "2REAL" => pair::<f32, f32>(),
            "2DOUBLE_PRECISION" => pair::<f64, f64>(),
            sized => {
                // INT32_T has its size in bits, INTEGER4 in bytes, COMPLEX8 that of both halves.
                let sized = sized.trim_end_matches("_T");
                let kind = sized.trim_end_matches(char::is_numeric);
                let number: usize = sized[kind.len()..].parse().unwrap();
                match kind {
                    "INT" | "UINT" => scalar(number / 8),
                    "INTEGER" | "REAL" | "LOGICAL" => scalar(number),
                    "COMPLEX" => complex(number / 2),
                    _ => panic!("{name}"),
                }
            }
        };
        assert_eq!(type_info(value), Some(expected), "{name}");
        // The ABI's numbers of types with a fixed size tell it.
        if value >= 0x240 {
            assert_eq!(expected.size, 1 << ((value >> 3) & 7), "{name}");
        }
    }
}
