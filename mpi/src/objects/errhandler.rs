//! Error handlers.
//!
//! A handler lives as long as the program has a handle of it or an object uses it. The two are counted
//! apart: what `MPI_Errhandler_free` takes away is a handle, and without one the handler is not valid
//! as an argument, though objects still call it (MPI 5.0, section 9.3).

use std::ffi::c_int;

use cairn_framework::author::Mutex;

use super::arena::{Object, class};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::*;
use crate::error::{Error, Result};

/// A function of the program, of one of the classes of objects that have handlers.
#[derive(Clone, Copy)]
pub enum Function {
    /// For communicators.
    Comm(CommErrhandlerFunction),
    /// For windows.
    Win(WinErrhandlerFunction),
    /// For sessions.
    Session(SessionErrhandlerFunction),
}

/// What a handle of a handler that is not predefined leads to.
pub struct ErrhandlerBody {
    function: Function,
    needed: Mutex<Needed>,
}

class!(ErrhandlerBody, b"errh");

/// What needs a handler.
struct Needed {
    handles: u32,
    users: u32,
}

/// A handle for a function of the program.
pub fn make(function: Function) -> Errhandler {
    let needed = Mutex::new(Needed { handles: 1, users: 0 });
    Errhandler::of(Object::make(ErrhandlerBody { function, needed }).address())
}

/// A handler of the program, as long as anybody needs it.
fn find(handle: Errhandler) -> Option<&'static Object<ErrhandlerBody>> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// A handler that a program may use.
#[derive(Clone, Copy)]
pub struct ErrhandlerRef {
    handle: Errhandler,
    /// None of a predefined one.
    function: Option<Function>,
}

impl ErrhandlerRef {
    /// The handle, for an object of a class whose handlers are predefined or have such a function.
    pub fn for_class(self, class: impl FnOnce(&Function) -> bool) -> Result<Errhandler> {
        if self.function.as_ref().is_none_or(class) {
            return Ok(self.handle);
        }
        let text = "the error handler is for objects of another class";
        Err(Error::new(MPI_ERR_ERRHANDLER, text))
    }
}

/// The handler of a handle, if a program may use it.
pub fn valid(handle: Errhandler) -> Option<ErrhandlerRef> {
    let function = match handle {
        MPI_ERRORS_ARE_FATAL | MPI_ERRORS_ABORT | MPI_ERRORS_RETURN => None,
        handle => Some(find(handle).filter(|handler| handler.needed.lock().handles > 0)?.function),
    };
    Some(ErrhandlerRef { handle, function })
}

/// The function behind a handler, if it is not predefined.
pub fn function(handle: Errhandler) -> Option<Function> {
    find(handle).map(|handler| handler.function)
}

/// Another reference to an error handler, for an object that gets the same.
pub fn share(handle: Errhandler) -> Errhandler {
    if let Some(handler) = find(handle) {
        handler.needed.lock().users += 1;
    }
    handle
}

/// The way back: an object needs it no more.
pub fn unshare(handle: Errhandler) {
    change(handle, |needed| needed.users -= 1);
}

/// Another handle of it, for the program.
pub fn hand_out(handle: Errhandler) -> Errhandler {
    if let Some(handler) = find(handle) {
        handler.needed.lock().handles += 1;
    }
    handle
}

/// Takes a handle back from the program.
pub fn free(handle: Errhandler) -> Result<()> {
    valid(handle).ok_or_else(|| none(handle))?;
    change(handle, |needed| needed.handles -= 1);
    Ok(())
}

/// Makes an object use another handler.
pub fn replace(place: &Mutex<Errhandler>, handle: Errhandler) {
    let new = share(handle);
    let old = std::mem::replace(&mut *place.lock(), new);
    unshare(old);
}

/// The error about an argument that is no handler.
#[cold]
fn none(handle: Errhandler) -> Error {
    let text = format!("{:#x} is no error handler", handle.value());
    Error::new(MPI_ERR_ERRHANDLER, text)
}

fn change(handle: Errhandler, change: impl FnOnce(&mut Needed)) {
    let Some(handler) = find(handle) else { return };
    let mut needed = handler.needed.lock();
    change(&mut needed);
    let unneeded = needed.handles == 0 && needed.users == 0;
    drop(needed);
    if unneeded {
        handler.close();
    }
}

impl Function {
    /// Calls it for an object: a communicator, a window or a session.
    pub fn call(self, mut comm: Comm, mut win: Win, mut session: Session, mut code: c_int) {
        // SAFETY: the program vouches for its function, which is variadic and takes these two.
        unsafe {
            match self {
                Self::Comm(function) => function(&raw mut comm, &raw mut code),
                Self::Win(function) => function(&raw mut win, &raw mut code),
                Self::Session(function) => function(&raw mut session, &raw mut code),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::audit::LockLevel;

    use super::*;

    /// A function that is never called: Rust can't define one with a variable number of arguments.
    fn some() -> CommErrhandlerFunction {
        // SAFETY: never called.
        unsafe { std::mem::transmute::<usize, CommErrhandlerFunction>(0x1000) }
    }

    #[test]
    fn a_handler_lives_as_long_as_it_is_needed() {
        let handler = make(Function::Comm(some()));
        let object = Mutex::at(LockLevel::TABLE, MPI_ERRORS_RETURN);
        replace(&object, handler);
        free(handler).unwrap();
        assert!(valid(handler).is_none() && function(handler).is_some());
        assert_eq!(free(handler).unwrap_err().code(), MPI_ERR_ERRHANDLER);
        let again = hand_out(*object.lock());
        assert!(valid(again).is_some());
        replace(&object, MPI_ERRORS_ARE_FATAL);
        assert!(valid(again).is_some());
        free(again).unwrap();
        assert!(function(again).is_none());
    }

    #[test]
    fn predefined_ones_stay() {
        for handler in [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN] {
            free(handler).unwrap();
            unshare(share(handler));
            assert!(valid(handler).is_some());
        }
        assert!(valid(MPI_ERRHANDLER_NULL).is_none());
    }
}
