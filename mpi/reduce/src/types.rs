//! The predefined datatypes: what they are to a reduction, and their layout.

/// What the standard calls the groups of datatypes (MPI 5.0, §6.9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    CInteger,
    FortranInteger,
    FloatingPoint,
    Logical,
    Complex,
    Byte,
    MultiLanguage,
    /// A value and an index (§6.9.4).
    Pair,
    /// No arithmetic: characters and packed data.
    Text,
}

/// How an element lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repr {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F16,
    F32,
    F64,
    /// The x87's 80 bits in 16 bytes, or elsewhere the same as `F128`.
    LongDouble,
    F128,
    ComplexF16,
    ComplexF32,
    ComplexF64,
    ComplexLongDouble,
    ComplexF128,
    FloatInt,
    DoubleInt,
    LongInt,
    IntInt,
    ShortInt,
    LongDoubleInt,
    FloatFloat,
    DoubleDouble,
}

/// Sizes of a predefined datatype, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeInfo {
    /// Data in one element, without padding: `MPI_Type_size`.
    pub size: usize,
    /// What the address of an element is a multiple of, as C compilers have it.
    pub alignment: usize,
    /// From one element to the next.
    pub extent: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub class: Class,
    pub repr: Repr,
}

/// The lowest handle of a datatype, `MPI_DATATYPE_NULL`.
pub(crate) const FIRST: u32 = 0x200;
/// Of them.
pub(crate) const COUNT: usize = 256;

macro_rules! types {
    ($($class:ident { $($value:literal $name:tt $repr:ident,)* })*) => {
        /// Every predefined datatype but `MPI_DATATYPE_NULL`: its number in the ABI, and its name
        /// without `MPI_`.
        pub const DATATYPES: &[(u32, &str)] = &[$($(($value, stringify!($name)),)*)*];

        static TYPES: [Option<Type>; COUNT] = {
            let mut types = [None; COUNT];
            $($(types[($value - FIRST) as usize] =
                Some(Type { class: Class::$class, repr: Repr::$repr });)*)*
            types
        };
    };
}

// Sizes are those of Linux on x86-64 and AArch64; default Fortran types as compilers have them without
// options.
types! {
    CInteger {
        0x208 SHORT I16,
        0x209 INT I32,
        0x20a LONG I64,
        0x20b LONG_LONG I64,
        0x20c UNSIGNED_SHORT U16,
        0x20d UNSIGNED U32,
        0x20e UNSIGNED_LONG U64,
        0x20f UNSIGNED_LONG_LONG U64,
        0x240 INT8_T I8,
        0x241 UINT8_T U8,
        0x244 SIGNED_CHAR I8,
        // Beyond the standard, which wants MPI_SIGNED_CHAR for this: every other library takes it, and
        // programs rely on that, benchmarks among them.
        0x243 CHAR I8,
        0x245 UNSIGNED_CHAR U8,
        0x248 INT16_T I16,
        0x249 UINT16_T U16,
        0x250 INT32_T I32,
        0x251 UINT32_T U32,
        0x258 INT64_T I64,
        0x259 UINT64_T U64,
    }
    FortranInteger {
        0x219 INTEGER I32,
        0x2c1 INTEGER1 I8,
        0x2c9 INTEGER2 I16,
        0x2d1 INTEGER4 I32,
        0x2d9 INTEGER8 I64,
        0x2e1 INTEGER16 I128,
    }
    FloatingPoint {
        0x210 FLOAT F32,
        0x214 DOUBLE F64,
        0x21a REAL F32,
        0x21c DOUBLE_PRECISION F64,
        0x220 LONG_DOUBLE LongDouble,
        0x2ca REAL2 F16,
        0x2d2 REAL4 F32,
        0x2da REAL8 F64,
        0x2e2 REAL16 F128,
    }
    Logical {
        0x218 LOGICAL U32,
        0x238 C_BOOL U8,
        0x239 CXX_BOOL U8,
        0x2c0 LOGICAL1 U8,
        0x2c8 LOGICAL2 U16,
        0x2d0 LOGICAL4 U32,
        0x2d8 LOGICAL8 U64,
        0x2e0 LOGICAL16 U128,
    }
    Complex {
        0x212 C_FLOAT_COMPLEX ComplexF32,
        0x213 CXX_FLOAT_COMPLEX ComplexF32,
        0x216 C_DOUBLE_COMPLEX ComplexF64,
        0x217 CXX_DOUBLE_COMPLEX ComplexF64,
        0x21b COMPLEX ComplexF32,
        0x21d DOUBLE_COMPLEX ComplexF64,
        0x224 C_LONG_DOUBLE_COMPLEX ComplexLongDouble,
        0x225 CXX_LONG_DOUBLE_COMPLEX ComplexLongDouble,
        0x2d3 COMPLEX4 ComplexF16,
        0x2db COMPLEX8 ComplexF32,
        0x2e3 COMPLEX16 ComplexF64,
        0x2eb COMPLEX32 ComplexF128,
    }
    Byte {
        0x247 BYTE U8,
    }
    MultiLanguage {
        0x201 AINT I64,
        0x202 COUNT I64,
        0x203 OFFSET I64,
    }
    Pair {
        0x228 FLOAT_INT FloatInt,
        0x229 DOUBLE_INT DoubleInt,
        0x22a LONG_INT LongInt,
        0x22b 2INT IntInt,
        0x22c SHORT_INT ShortInt,
        0x22d LONG_DOUBLE_INT LongDoubleInt,
        0x230 2REAL FloatFloat,
        0x231 2DOUBLE_PRECISION DoubleDouble,
        0x232 2INTEGER IntInt,
    }
    Text {
        0x207 PACKED U8,
        0x21e CHARACTER U8,
        0x23c WCHAR U32,
    }
}

/// A predefined datatype by its number in the ABI.
#[inline]
pub(crate) const fn find(datatype: u32) -> Option<Type> {
    let index = datatype.wrapping_sub(FIRST) as usize;
    if index < TYPES.len() { TYPES[index] } else { None }
}

/// The sizes of a predefined datatype, given by its number in the ABI; `None` when there is none.
pub const fn type_info(datatype: u32) -> Option<TypeInfo> {
    let Some(found) = find(datatype) else { return None };
    let (size, alignment, extent) = match found.repr {
        Repr::I8 | Repr::U8 => (1, 1, 1),
        Repr::I16 | Repr::U16 | Repr::F16 => (2, 2, 2),
        Repr::I32 | Repr::U32 | Repr::F32 => (4, 4, 4),
        Repr::I64 | Repr::U64 | Repr::F64 => (8, 8, 8),
        Repr::I128 | Repr::U128 | Repr::LongDouble | Repr::F128 => (16, 16, 16),
        Repr::ComplexF16 => (4, 2, 4),
        Repr::ComplexF32 => (8, 4, 8),
        Repr::ComplexF64 => (16, 8, 16),
        Repr::ComplexLongDouble | Repr::ComplexF128 => (32, 16, 32),
        Repr::FloatInt | Repr::IntInt | Repr::FloatFloat => (8, 4, 8),
        Repr::DoubleInt | Repr::LongInt => (12, 8, 16),
        Repr::ShortInt => (6, 4, 8),
        Repr::LongDoubleInt => (20, 16, 32),
        Repr::DoubleDouble => (16, 8, 16),
    };
    Some(TypeInfo { size, alignment, extent })
}

/// Whether a predefined datatype is one of integers: the C and Fortran integers and the multi-language types.
pub const fn is_integer(datatype: u32) -> bool {
    use Class::{CInteger, FortranInteger, MultiLanguage};
    let Some(found) = find(datatype) else { return false };
    matches!(found.class, CInteger | FortranInteger | MultiLanguage)
}

/// Whether `MPI_Compare_and_swap` takes a predefined datatype (MPI 5.0, section 12.3.5): integers, logicals,
/// bytes and the multi-language types.
pub const fn is_comparable(datatype: u32) -> bool {
    use Class::{Byte, CInteger, FortranInteger, Logical, MultiLanguage};
    let Some(found) = find(datatype) else { return false };
    matches!(found.class, CInteger | FortranInteger | Logical | MultiLanguage | Byte)
}
