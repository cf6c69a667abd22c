//! Error classes, codes and strings (MPI 5.0, sections 9.4 and 9.5).

use std::ffi::c_int;

use crate::abi::prelude::*;
use crate::codes;

pub fn error_class(errorcode: c_int, errorclass: Out<c_int>) -> Result<()> {
    errorclass.set(codes::class(errorcode)?);
    Ok(())
}

pub fn error_string(errorcode: c_int, string: TextOut, resultlen: Out<c_int>) -> Result<()> {
    resultlen.set(string.set(&codes::text(errorcode)?));
    Ok(())
}

pub fn add_error_class(errorclass: Out<c_int>) -> Result<()> {
    errorclass.set(codes::add_class());
    Ok(())
}

pub fn add_error_code(errorclass: c_int, errorcode: Out<c_int>) -> Result<()> {
    errorcode.set(codes::add_code(errorclass)?);
    Ok(())
}

pub fn add_error_string(errorcode: c_int, string: &CStr) -> Result<()> {
    let length = string.count_bytes();
    if length >= MPI_MAX_ERROR_STRING as usize {
        let room = MPI_MAX_ERROR_STRING - 1;
        let text = format!("string has {length} characters, but there is room for {room}");
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    codes::set_text(errorcode, Some(string.to_string_lossy().into_owned()))
}

pub fn remove_error_class(errorclass: c_int) -> Result<()> {
    codes::remove_class(errorclass)
}

pub fn remove_error_code(errorcode: c_int) -> Result<()> {
    codes::remove_code(errorcode)
}

pub fn remove_error_string(errorcode: c_int) -> Result<()> {
    codes::set_text(errorcode, None)
}
