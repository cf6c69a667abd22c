//! Versions of the ABI, and what it leaves to Fortran (MPI 5.0, section 20.4).

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

use crate::abi::prelude::*;

pub fn abi_get_version(abi_major: Out<c_int>, abi_minor: Out<c_int>) -> Result<()> {
    abi_major.set(MPI_ABI_VERSION);
    abi_minor.set(MPI_ABI_SUBVERSION);
    Ok(())
}

/// The values of `.TRUE.` and `.FALSE.`: as many bytes as a `LOGICAL` has. There are no Fortran
/// bindings in this library, so nothing is known until a Fortran library tells it.
struct Booleans {
    size: usize,
    yes: [u8; MAX_LOGICAL],
    no: [u8; MAX_LOGICAL],
}

/// The largest size of a `LOGICAL` (`LOGICAL*16`).
const MAX_LOGICAL: usize = 16;

static BOOLEANS: Mutex<Option<Booleans>> = Mutex::new(None);

/// # Safety
/// There are `logical_size` bytes at both addresses, unless the size is refused.
pub unsafe fn abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result<()> {
    let size = checked(logical_size)?;
    let mut booleans = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    if booleans.is_some() {
        return Err(Error::new(MPI_ERR_ABI, "the Fortran booleans are set already"));
    }
    let read = |from: *mut c_void| {
        let mut bytes = [0; MAX_LOGICAL];
        // SAFETY: by the contract of this function; the array has room for the largest size.
        unsafe { from.cast::<u8>().copy_to_nonoverlapping(bytes.as_mut_ptr(), size) };
        bytes
    };
    *booleans = Some(Booleans { size, yes: read(logical_true), no: read(logical_false) });
    Ok(())
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
    let booleans = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    is_set.set(booleans.is_some().into());
    let Some(booleans) = &*booleans else { return Ok(()) };
    if booleans.size != size {
        let wanted = format!("it was set to {}", booleans.size);
        return Err(Error::argument(MPI_ERR_ABI, "logical_size", size, wanted));
    }
    let write = |bytes: &[u8], to: *mut c_void| {
        // SAFETY: by the contract of this function.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), size) };
    };
    write(&booleans.yes, logical_true);
    write(&booleans.no, logical_false);
    Ok(())
}

fn checked(size: c_int) -> Result<usize> {
    match size {
        1 | 2 | 4 | 8 | 16 => Ok(size as usize),
        _ => Err(Error::argument(MPI_ERR_ARG, "logical_size", size, "it must be 1, 2, 4, 8 or 16")),
    }
}
