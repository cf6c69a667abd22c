//! Error handlers, classes, codes and strings (MPI 5.0, sections 9.3 to 9.5).

use std::ffi::c_int;

use crate::objects::errhandler::{self, Function};
use crate::objects::{comm, win};
use crate::prelude::*;
use crate::{codes, raise};

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

pub fn comm_create_errhandler(
    comm_errhandler_fn: Option<CommErrhandlerFunction>,
    errhandler: Out<Errhandler>,
) -> Result<()> {
    create(comm_errhandler_fn.map(Function::Comm), errhandler)
}

pub fn win_create_errhandler(
    win_errhandler_fn: Option<WinErrhandlerFunction>,
    errhandler: Out<Errhandler>,
) -> Result<()> {
    create(win_errhandler_fn.map(Function::Win), errhandler)
}

pub fn session_create_errhandler(
    session_errhandler_fn: Option<SessionErrhandlerFunction>,
    errhandler: Out<Errhandler>,
) -> Result<()> {
    create(session_errhandler_fn.map(Function::Session), errhandler)
}

fn create(function: Option<Function>, errhandler: Out<Errhandler>) -> Result<()> {
    let function =
        function.ok_or_else(|| Error::new(MPI_ERR_ARG, "the function is a null pointer"))?;
    errhandler.set(errhandler::make(function));
    Ok(())
}

pub fn comm_set_errhandler(comm: CommRef, errhandler: ErrhandlerRef) -> Result<()> {
    let errhandler = errhandler.for_class(|function| matches!(function, Function::Comm(_)))?;
    errhandler::replace(&comm.errhandler, errhandler);
    Ok(())
}

pub fn comm_get_errhandler(comm: CommRef, errhandler: Out<Errhandler>) -> Result<()> {
    errhandler.set(errhandler::hand_out(*comm.errhandler.lock()));
    Ok(())
}

pub fn comm_call_errhandler(comm: CommRef, errorcode: c_int) -> Result<()> {
    let error = Error::new(errorcode, "the program says so");
    raise::handle("MPI_Comm_call_errhandler", comm::origin(comm), &error);
    Ok(())
}

pub fn win_set_errhandler(win: WinRef, errhandler: ErrhandlerRef) -> Result<()> {
    let errhandler = errhandler.for_class(|function| matches!(function, Function::Win(_)))?;
    errhandler::replace(&win.errhandler, errhandler);
    Ok(())
}

pub fn win_get_errhandler(win: WinRef, errhandler: Out<Errhandler>) -> Result<()> {
    errhandler.set(errhandler::hand_out(*win.errhandler.lock()));
    Ok(())
}

pub fn win_call_errhandler(win: WinRef, errorcode: c_int) -> Result<()> {
    let error = Error::new(errorcode, "the program says so");
    raise::handle("MPI_Win_call_errhandler", win::origin(win), &error);
    Ok(())
}

pub fn session_set_errhandler(session: SessionRef, errhandler: ErrhandlerRef) -> Result<()> {
    let errhandler = errhandler.for_class(|function| matches!(function, Function::Session(_)))?;
    errhandler::replace(&session.errhandler, errhandler);
    Ok(())
}

pub fn session_get_errhandler(session: SessionRef, errhandler: Out<Errhandler>) -> Result<()> {
    errhandler.set(errhandler::hand_out(*session.errhandler.lock()));
    Ok(())
}

pub fn session_call_errhandler(session: SessionRef, errorcode: c_int) -> Result<()> {
    let error = Error::new(errorcode, "the program says so");
    raise::handle("MPI_Session_call_errhandler", Origin::Session(session.handle()), &error);
    Ok(())
}

pub fn errhandler_free(errhandler: InOut<Errhandler>) -> Result<()> {
    errhandler::free(errhandler.get())?;
    errhandler.set(MPI_ERRHANDLER_NULL);
    Ok(())
}
