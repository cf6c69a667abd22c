//! Completion objects (`MPIX_Sync`) and progress on demand (Patinyasakdikul 2019, appendix B).

use crate::codes;
use crate::objects::sync::{self, Event, MPIX_SYNC_EMPTY, SyncRef};
use crate::prelude::*;
use crate::raise::raise;
use crate::{levels, runtime};

pub fn sync_init(sync: Out<XSync>) -> Result<()> {
    sync.set(sync::make());
    Ok(())
}

pub fn sync_free(sync: InOut<XSync>) {
    let free = || {
        if check::enabled() {
            check::pointer("sync", sync)?;
        }
        let body = of(sync.get())?;
        sync.set(XSync::predefined(0));
        sync::free(body)
    };
    told("MPIX_Sync_free", free());
}

/// # Safety
/// The data is only given back to the program.
pub unsafe fn sync_attach(
    sync: XSync,
    request: RequestVar<RequestRef>,
    completion_data: *mut c_void,
) -> Result<()> {
    let body = of(sync)?;
    body.end_silent()?;
    sync::attach(body, request.request, completion_data)
}

pub fn sync_detach(sync: XSync, request: RequestVar<RequestRef>) -> Result<()> {
    sync::detach(of(sync)?, request.request)
}

pub fn sync_waitall(sync: XSync) -> Result<()> {
    sync::wait_all(of(sync)?)
}

pub fn sync_size(sync: XSync) -> c_int {
    let size = told("MPIX_Sync_size", of(sync).map(|body| body.incomplete()));
    size.unwrap_or(MPI_UNDEFINED)
}

pub fn sync_probe(sync: XSync) -> c_int {
    let events = told("MPIX_Sync_probe", of(sync).map(|body| body.events()));
    events.unwrap_or(MPI_UNDEFINED)
}

pub fn sync_query(sync: XSync, status: StatusOut) -> *mut c_void {
    let query = || {
        let body = of(sync)?;
        body.end_silent()?;
        Ok(first(body))
    };
    let Some(Some(Event { data, status: found, result })) = told("MPIX_Sync_query", query()) else {
        return MPIX_SYNC_EMPTY.value();
    };
    // There is no error code, so the status has it.
    status.set_with_error(found);
    told("MPIX_Sync_query", result);
    data
}

pub fn sync_query_bulk(
    incount: c_int,
    sync: XSync,
    outcount: Out<c_int>,
    cbdata: &mut [*mut c_void],
    status: StatusesOut,
) -> Result<()> {
    let body = of(sync)?;
    body.end_silent()?;
    let mut error = None;
    let mut number = 0;
    let mut next = if incount > 0 { first(body) } else { None };
    while let Some(Event { data, status: found, result }) = next {
        cbdata[number] = data;
        status.at(number).set_with_error(found);
        error = error.or_else(|| Some(codes::in_status(&result.err()?, "cbdata", number)));
        number += 1;
        next = if number < cbdata.len() { body.next() } else { None };
    }
    outcount.set(number as c_int);
    error.map_or(Ok(()), Err)
}

pub fn progress() {
    let pass = check::running().map(|()| runtime::runtime().system.progress());
    told("MPIX_Progress", pass);
}

/// The object of a handle, between initialization and finalization.
fn of(handle: XSync) -> Result<SyncRef> {
    check::running()?;
    sync::find(handle)
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("{:#x} is no MPIX_Sync", handle.value())))
}

/// The first event; if there is none, after a pass.
fn first(body: SyncRef) -> Option<Event> {
    body.next().or_else(|| {
        runtime::runtime().system.progress();
        body.next()
    })
}

/// Gives an error of a function that returns no code to the error handler, and ends the call.
fn told<T>(function: &'static str, result: Result<T>) -> Option<T> {
    levels::leave();
    result.map_err(|error| raise(function, Origin::None, error)).ok()
}
