//! Datatypes and addresses (MPI 5.0, chapter 5).

use std::ffi::c_void;

use crate::abi::prelude::*;

pub fn get_address(location: *const c_void, address: Out<Aint>) -> Result<()> {
    address.set(location.addr() as Aint);
    Ok(())
}

pub fn aint_add(base: Aint, disp: Aint) -> Aint {
    base.wrapping_add(disp)
}

pub fn aint_diff(addr1: Aint, addr2: Aint) -> Aint {
    addr1.wrapping_sub(addr2)
}
