//! Error classes, codes and strings (MPI 5.0, section 9.4).

use std::ffi::c_int;

use crate::abi::prelude::*;

pub fn error_class(errorcode: c_int, errorclass: Out<c_int>) -> Result<()> {
    let (class, ..) = predefined(errorcode)?;
    errorclass.set(*class);
    Ok(())
}

pub fn error_string(errorcode: c_int, string: TextOut, resultlen: Out<c_int>) -> Result<()> {
    let (_, name, text) = predefined(errorcode)?;
    resultlen.set(string.set(&format!("{name}: {text}")));
    Ok(())
}

fn predefined(code: c_int) -> Result<&'static (c_int, &'static str, &'static str)> {
    let class = ERROR_CLASSES.iter().find(|(class, ..)| *class == code);
    class.ok_or_else(|| Error::argument(MPI_ERR_ARG, "errorcode", code, "no error has this code"))
}
