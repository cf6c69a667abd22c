//! Generalized requests (MPI 5.0, section 13.2): operations that the program itself carries out.

use super::generalized::Generalized;
use super::request::RequestRef;
use super::special::{self, Body};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Request;
use crate::error::{Error, Result};

/// Makes a request that the program completes.
pub fn start(generalized: Generalized) -> Request {
    special::make(Body::Generalized(generalized)).handle()
}

/// Completes the operation. From any thread; threads that wait for it wake up.
pub fn complete(request: RequestRef) -> Result<()> {
    match special::of(request).filter(|special| special.is_generalized()) {
        Some(_) if request.is_complete() => {
            Err(Error::new(MPI_ERR_REQUEST, "the request is complete already"))
        }
        Some(special) => {
            special.complete();
            // If it was freed, the program hears of the end at once.
            special::end_freed();
            Ok(())
        }
        None => Err(Error::new(MPI_ERR_REQUEST, "the request is no generalized one")),
    }
}

/// Cancels the operation behind a request, if it is such a one.
pub fn cancel(request: RequestRef) -> Option<Result<()>> {
    let generalized = special::of(request)?.generalized()?;
    Some(generalized.cancel(request.is_complete()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::status::Status;
    use crate::objects::request;
    use cairn_framework::author::Mutex;
    use std::ffi::{c_int, c_void};

    /// What the functions of a request do, and what was called.
    #[derive(Default)]
    struct Program {
        query: c_int,
        free: c_int,
        calls: Mutex<String>,
    }

    /// # Safety
    /// A program of a test.
    unsafe fn program(extra: *mut c_void, call: char) -> &'static Program {
        // SAFETY: promised by the caller.
        let program: &'static Program = unsafe { &*extra.cast() };
        program.calls.lock().push(call);
        program
    }

    unsafe extern "C" fn query(extra: *mut c_void, status: *mut Status) -> c_int {
        // SAFETY: called as `start` was told.
        unsafe {
            (*status).source = 3;
            (*status).set_bytes(40);
            program(extra, 'q').query
        }
    }

    unsafe extern "C" fn free(extra: *mut c_void) -> c_int {
        // SAFETY: as above.
        unsafe { program(extra, 'f').free }
    }

    unsafe extern "C" fn cancel(extra: *mut c_void, complete: c_int) -> c_int {
        // SAFETY: as above.
        unsafe { program(extra, if complete == 0 { 'c' } else { 'C' }) };
        MPI_SUCCESS
    }

    fn started(program: Program) -> (Request, RequestRef, &'static Program) {
        let program: &'static Program = Box::leak(Box::new(program));
        let extra = std::ptr::from_ref(program).cast_mut().cast();
        let handle = start(Generalized { query, free, cancel, extra });
        (handle, request::of(handle).unwrap(), program)
    }

    #[test]
    fn the_program_is_asked_once_and_told_of_the_end() {
        let (handle, view, program) = started(Program::default());
        super::cancel(view).unwrap().unwrap();
        assert!(!view.is_complete());
        complete(view).unwrap();
        assert!(view.is_complete());
        assert_eq!(complete(view).unwrap_err().code(), MPI_ERR_REQUEST);
        super::cancel(view).unwrap().unwrap();
        let (status, result) = request::outcome(view);
        result.unwrap();
        assert_eq!((status.source, status.bytes()), (3, 40));
        assert_eq!(request::finish(view), MPI_REQUEST_NULL);
        assert_eq!(*program.calls.lock(), "cCqf");
        assert!(request::find(handle).is_none());
    }

    #[test]
    fn its_errors_are_those_of_the_request() {
        for (query, free, code) in [
            (MPI_ERR_OTHER, MPI_SUCCESS, MPI_ERR_OTHER),
            (MPI_SUCCESS, MPI_ERR_INTERN, MPI_ERR_INTERN),
            (MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_INTERN),
        ] {
            let (_, view, _) = started(Program { query, free, ..Program::default() });
            complete(view).unwrap();
            let (status, result) = request::outcome(view);
            assert_eq!((status.error, result.unwrap_err().code()), (code, code));
            request::finish(view);
        }
    }

    #[test]
    fn one_that_was_freed_ends_when_it_is_complete() {
        let (handle, view, program) = started(Program::default());
        request::release(view);
        assert_eq!(*program.calls.lock(), "");
        complete(view).unwrap();
        assert_eq!(*program.calls.lock(), "f");
        assert!(request::find(handle).is_none());
    }

    #[test]
    fn a_look_ends_nothing() {
        let (_, view, program) = started(Program::default());
        complete(view).unwrap();
        assert_eq!(request::peek(view).unwrap().bytes(), 40);
        assert_eq!(*program.calls.lock(), "q");
        request::release(view);
        assert_eq!(*program.calls.lock(), "qf");
    }
}
