//! Versions of the ABI, and what it leaves to Fortran (MPI 5.0, section 20.4).
//!
//! There are no Fortran bindings in this library, but its Fortran datatypes have the sizes and logical
//! values that the compilers of this platform have without options. So both are set from the start,
//! and a Fortran library that finds others must not go on.

use std::ffi::{c_int, c_void};

use cairn_reduce::type_info;

use crate::objects::info::{self, Pairs};
use crate::prelude::*;

pub fn abi_get_version(abi_major: Out<c_int>, abi_minor: Out<c_int>) -> Result<()> {
    abi_major.set(MPI_ABI_VERSION);
    abi_minor.set(MPI_ABI_SUBVERSION);
    Ok(())
}

pub fn abi_get_info(info: Out<Info>) -> Result<()> {
    let mut pairs = Pairs::default();
    for (key, size) in [
        ("mpi_aint_size", size_of::<Aint>()),
        ("mpi_count_size", size_of::<Count>()),
        ("mpi_offset_size", size_of::<Offset>()),
    ] {
        pairs.set(key, &size.to_string());
    }
    info.set(info::make(pairs));
    Ok(())
}

pub fn abi_get_fortran_info(info: Out<Info>) -> Result<()> {
    let mut pairs = Pairs::default();
    let known = |datatype: Datatype| type_info(datatype.value() as u32);
    for (key, datatype) in [
        ("mpi_logical_size", MPI_LOGICAL),
        ("mpi_integer_size", MPI_INTEGER),
        ("mpi_real_size", MPI_REAL),
        ("mpi_double_precision_size", MPI_DOUBLE_PRECISION),
    ] {
        let size = known(datatype).map_or(0, |info| info.size);
        pairs.set(key, &size.to_string());
    }
    for (key, datatype) in [
        ("mpi_logical1_supported", MPI_LOGICAL1),
        ("mpi_logical2_supported", MPI_LOGICAL2),
        ("mpi_logical4_supported", MPI_LOGICAL4),
        ("mpi_logical8_supported", MPI_LOGICAL8),
        ("mpi_logical16_supported", MPI_LOGICAL16),
        ("mpi_integer1_supported", MPI_INTEGER1),
        ("mpi_integer2_supported", MPI_INTEGER2),
        ("mpi_integer4_supported", MPI_INTEGER4),
        ("mpi_integer8_supported", MPI_INTEGER8),
        ("mpi_integer16_supported", MPI_INTEGER16),
        ("mpi_real2_supported", MPI_REAL2),
        ("mpi_real4_supported", MPI_REAL4),
        ("mpi_real8_supported", MPI_REAL8),
        ("mpi_real16_supported", MPI_REAL16),
        ("mpi_complex4_supported", MPI_COMPLEX4),
        ("mpi_complex8_supported", MPI_COMPLEX8),
        ("mpi_complex16_supported", MPI_COMPLEX16),
        ("mpi_complex32_supported", MPI_COMPLEX32),
        ("mpi_double_complex_supported", MPI_DOUBLE_COMPLEX),
    ] {
        pairs.set(key, if known(datatype).is_some() { "true" } else { "false" });
    }
    info.set(info::make(pairs));
    Ok(())
}

pub fn abi_set_fortran_info(info: InfoRef) -> Result<()> {
    let _ = info;
    Err(Error::new(MPI_ERR_ABI, "what this library knows of Fortran is set already"))
}

/// The size of a `LOGICAL`, in bytes.
const LOGICAL_SIZE: usize = 4;

/// # Safety
/// There are `logical_size` bytes at both addresses, unless the size is refused.
pub unsafe fn abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result<()> {
    let _ = (checked(logical_size)?, logical_true, logical_false);
    Err(Error::new(MPI_ERR_ABI, "the Fortran booleans are set already"))
}

/// # Safety
/// There are `logical_size` bytes at both addresses, unless the size is refused.
pub unsafe fn abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: Out<c_int>,
) -> Result<()> {
    let size = checked(logical_size)?;
    if size != LOGICAL_SIZE {
        return Err(Error::argument(MPI_ERR_ABI, "logical_size", size, "a LOGICAL has 4 bytes"));
    }
    let write = |value: i32, to: *mut c_void| {
        let bytes: [u8; LOGICAL_SIZE] = value.to_ne_bytes();
        // SAFETY: by the contract of this function.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), LOGICAL_SIZE) };
    };
    write(1, logical_true);
    write(0, logical_false);
    is_set.set(1);
    Ok(())
}

fn checked(size: c_int) -> Result<usize> {
    match size {
        1 | 2 | 4 | 8 | 16 => Ok(size as usize),
        _ => Err(Error::argument(MPI_ERR_ARG, "logical_size", size, "it must be 1, 2, 4, 8 or 16")),
    }
}
