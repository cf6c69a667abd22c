//! Sessions (MPI 5.0, section 11.3).

use std::ffi::{CStr, c_int};

use super::comm::parts;
use crate::objects::bsend;
use crate::objects::errhandler::Function;
use crate::objects::info::{self, Pairs};
use crate::objects::session::{self, PROCESS_SETS};
use crate::prelude::*;
use crate::runtime::runtime;
use crate::{check, life};

/// The key of the level of thread support.
const THREAD_LEVEL: &str = "thread_level";

pub fn session_init(info: InfoRef, errhandler: ErrhandlerRef, session: Out<Session>) -> Result<()> {
    let errhandler = errhandler.for_class(|function| matches!(function, Function::Session(_)))?;
    let hints = info.pairs();
    let required = match hints.get(THREAD_LEVEL) {
        None => MPI_THREAD_SINGLE,
        Some(name) => session::thread_level(name).ok_or_else(|| {
            let text = format!("{THREAD_LEVEL} is {name}, which is no level of thread support");
            Error::new(MPI_ERR_INFO_VALUE, text)
        })?,
    };
    parts::offer();
    let provided = life::enter(required)?;
    let mut known = Pairs::default();
    known.set(THREAD_LEVEL, session::thread_level_name(provided));
    known.set(info::MEMORY_KINDS, info::KNOWN_MEMORY_KINDS);
    session.set(session::make(errhandler, known));
    Ok(())
}

pub fn session_finalize(session: InOut<Session>) -> Result<()> {
    let handle = session.get();
    // An error is one of the session, as long as there is one.
    let at = |error: Error| error.at(Origin::Session(handle));
    bsend::detach_all(Some(&check::session("session", handle)?)).map_err(at)?;
    session::free(handle)?;
    session.set(MPI_SESSION_NULL);
    life::leave_session()
}

pub fn session_get_info(session: SessionRef, info_used: Out<Info>) -> Result<()> {
    info_used.set(info::make(session.info.clone()));
    Ok(())
}

pub fn session_get_num_psets(
    _session: SessionRef,
    _info: InfoRef,
    npset_names: Out<c_int>,
) -> Result<()> {
    npset_names.set(PROCESS_SETS.len() as c_int);
    Ok(())
}

/// # Safety
/// There is room for `pset_len` bytes at `pset_name`.
pub unsafe fn session_get_nth_pset(
    _session: SessionRef,
    _info: InfoRef,
    n: c_int,
    pset_len: InOut<c_int>,
    pset_name: *mut c_char,
) -> Result<()> {
    check::length("pset_len", pset_len.get())?;
    let found = usize::try_from(n).ok().and_then(|n| PROCESS_SETS.get(n)).ok_or_else(|| {
        let sets = format!("the process sets are 0 to {}", PROCESS_SETS.len() - 1);
        Error::argument(MPI_ERR_ARG, "n", n, sets)
    })?;
    // SAFETY: promised by the caller.
    unsafe { args::text_out(pset_name, args::length(pset_len.get())) }.set(found);
    // With the null character.
    pset_len.set(found.len() as c_int + 1);
    Ok(())
}

pub fn session_get_pset_info(
    _session: SessionRef,
    pset_name: &CStr,
    info: Out<Info>,
) -> Result<()> {
    let set = session::process_set(runtime().system.job(), &pset_name.to_string_lossy())?;
    let mut pairs = Pairs::default();
    pairs.set("mpi_size", &set.len().to_string());
    info.set(info::make(pairs));
    Ok(())
}
