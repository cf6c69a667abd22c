//! Completion of operations (MPI 5.0, sections 3.7 and 3.9).

use std::ffi::c_int;

use cairn_framework::abi::status::OK;

use crate::abi::prelude::*;
use crate::objects::request::{self, RequestRef};
use crate::objects::{grequest, special};
use crate::runtime;

pub fn wait(request: InOut<Request>, status: StatusOut) -> Result<()> {
    let handle = request.get();
    if handle == MPI_REQUEST_NULL {
        status.set_empty();
        return Ok(());
    }
    let view = request::of(handle)?;
    if !request::is_active(view) {
        status.set_empty();
        return Ok(());
    }
    request::wait(view).map_err(|error| error.at(request::origin(view)))?;
    end(request, view, status)
}

pub fn test(request: InOut<Request>, flag: Out<c_int>, status: StatusOut) -> Result<()> {
    let handle = request.get();
    if handle == MPI_REQUEST_NULL {
        flag.set(1);
        status.set_empty();
        return Ok(());
    }
    let view = request::of(handle)?;
    if !request::is_active(view) {
        flag.set(1);
        status.set_empty();
        return Ok(());
    }
    if !view.is_complete() {
        runtime::runtime().system.progress();
        if !view.is_complete() {
            flag.set(0);
            return Ok(());
        }
    }
    flag.set(1);
    end(request, view, status)
}

/// Reports a complete request and ends it.
fn end(handle: InOut<Request>, view: RequestRef, status: StatusOut) -> Result<()> {
    let (found, result) = request::outcome(view);
    status.set(found);
    handle.set(request::finish(view));
    result
}

/// The requests in an array that can be waited for, with their places.
fn active(requests: &[Request]) -> Result<Vec<(usize, RequestRef)>> {
    let mut active = Vec::with_capacity(requests.len());
    for (place, handle) in requests.iter().enumerate() {
        if *handle != MPI_REQUEST_NULL {
            let view = request::of(*handle)?;
            if request::is_active(view) {
                active.push((place, view));
            }
        }
    }
    Ok(active)
}

pub fn waitall(
    _count: c_int,
    array_of_requests: &mut [Request],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    let views: Vec<RequestRef> = active.iter().map(|(_, view)| *view).collect();
    request::wait_all(&views)?;
    end_all(&active, array_of_requests, array_of_statuses)
}

/// Reports and ends complete requests of an array; the others in it have empty statuses.
fn end_all(
    active: &[(usize, RequestRef)],
    requests: &mut [Request],
    statuses: StatusesOut,
) -> Result<()> {
    let mut outcomes: Vec<(usize, Status, Option<Error>)> = Vec::with_capacity(active.len());
    for (place, view) in active {
        let (status, result) = request::outcome(view);
        outcomes.push((*place, status, result.err()));
        requests[*place] = request::finish(view);
    }
    let failed = outcomes.iter().any(|(_, _, error)| error.is_some());
    let mut outcomes = outcomes.into_iter().peekable();
    let mut first = None;
    for place in 0..requests.len() {
        match outcomes.next_if(|(own, ..)| *own == place) {
            None => statuses.at(place).set_empty(),
            Some((_, status, error)) => {
                if failed {
                    statuses.at(place).set_with_error(status);
                } else {
                    statuses.at(place).set(status);
                }
                first = first.or(error);
            }
        }
    }
    first.map_or(Ok(()), |error| Err(error.in_status()))
}

pub fn testall(
    _count: c_int,
    array_of_requests: &mut [Request],
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    let complete = || active.iter().all(|(_, view)| view.is_complete());
    if !complete() {
        runtime::runtime().system.progress();
        if !complete() {
            flag.set(0);
            return Ok(());
        }
    }
    flag.set(1);
    end_all(&active, array_of_requests, array_of_statuses)
}

pub fn waitany(
    _count: c_int,
    array_of_requests: &mut [Request],
    indx: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    if active.is_empty() {
        indx.set(MPI_UNDEFINED);
        status.set_empty();
        return Ok(());
    }
    let views: Vec<RequestRef> = active.iter().map(|(_, view)| *view).collect();
    loop {
        if end_first(&active, array_of_requests, indx, status)? {
            return Ok(());
        }
        request::wait_some(&views)?;
    }
}

/// Ends the first complete request, if there is one.
fn end_first(
    active: &[(usize, RequestRef)],
    requests: &mut [Request],
    indx: Out<c_int>,
    status: StatusOut,
) -> Result<bool> {
    let Some((place, view)) = active.iter().find(|(_, view)| view.is_complete()) else {
        return Ok(false);
    };
    indx.set(*place as c_int);
    let (found, result) = request::outcome(view);
    status.set(found);
    requests[*place] = request::finish(view);
    result.map(|()| true)
}

pub fn testany(
    _count: c_int,
    array_of_requests: &mut [Request],
    indx: Out<c_int>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    if active.is_empty() {
        indx.set(MPI_UNDEFINED);
        flag.set(1);
        status.set_empty();
        return Ok(());
    }
    if !active.iter().any(|(_, view)| view.is_complete()) {
        runtime::runtime().system.progress();
    }
    indx.set(MPI_UNDEFINED);
    flag.set(1);
    let found = end_first(&active, array_of_requests, indx, status)?;
    flag.set(found.into());
    Ok(())
}

pub fn waitsome(
    _incount: c_int,
    array_of_requests: &mut [Request],
    outcount: Out<c_int>,
    array_of_indices: &mut [c_int],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    if active.is_empty() {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let views: Vec<RequestRef> = active.iter().map(|(_, view)| *view).collect();
    while !views.iter().any(|view| view.is_complete()) {
        request::wait_some(&views)?;
    }
    end_some(&active, array_of_requests, outcount, array_of_indices, array_of_statuses)
}

pub fn testsome(
    _incount: c_int,
    array_of_requests: &mut [Request],
    outcount: Out<c_int>,
    array_of_indices: &mut [c_int],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    if active.is_empty() {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    if !active.iter().any(|(_, view)| view.is_complete()) {
        runtime::runtime().system.progress();
    }
    end_some(&active, array_of_requests, outcount, array_of_indices, array_of_statuses)
}

/// Ends those that are complete, and lists them.
fn end_some(
    active: &[(usize, RequestRef)],
    requests: &mut [Request],
    outcount: Out<c_int>,
    indices: &mut [c_int],
    statuses: StatusesOut,
) -> Result<()> {
    let complete = active.iter().filter(|(_, view)| view.is_complete());
    let mut ended = Vec::new();
    for (place, view) in complete {
        let (status, result) = request::outcome(view);
        ended.push((*place, status, result.err()));
        requests[*place] = request::finish(view);
    }
    outcount.set(ended.len() as c_int);
    let failed = ended.iter().any(|(_, _, error)| error.is_some());
    let mut first = None;
    for (number, (place, status, error)) in ended.into_iter().enumerate() {
        indices[number] = place as c_int;
        if failed {
            statuses.at(number).set_with_error(status);
        } else {
            statuses.at(number).set(status);
        }
        first = first.or(error);
    }
    first.map_or(Ok(()), |error| Err(error.in_status()))
}

pub fn request_free(request: InOut<Request>) -> Result<()> {
    let view = request::of(request.get())?;
    request.set(MPI_REQUEST_NULL);
    if view.is_complete() || !request::is_active(view) || special::is(view) {
        request::release(view);
    } else {
        special::forget(view);
    }
    Ok(())
}

pub fn cancel(request: InOut<Request>) -> Result<()> {
    let view = request::of(request.get())?;
    match grequest::cancel(view) {
        Some(cancelled) => cancelled,
        None => request::cancel(view),
    }
}

pub fn start(request: InOut<Request>) -> Result<()> {
    start_one(request.get())
}

pub fn startall(_count: c_int, array_of_requests: &mut [Request]) -> Result<()> {
    array_of_requests.iter().try_for_each(|request| start_one(*request))
}

fn start_one(handle: Request) -> Result<()> {
    let view = request::of(handle)?;
    let Some(start) = view.start else {
        return Err(Error::new(MPI_ERR_REQUEST, "the request is not persistent"));
    };
    if view.active == 1 {
        return Err(Error::new(MPI_ERR_REQUEST, "the request was started already"));
    }
    let place = std::ptr::from_ref(view).cast_mut();
    // SAFETY: a valid request that is not going on; the field is ours.
    unsafe { (*place).active = 1 };
    let started = special::restart(view).unwrap_or_else(|| {
        // SAFETY: as above.
        match unsafe { start(place) } {
            OK => Ok(()),
            status => Err(runtime::failure("start", status)),
        }
    });
    if started.is_err() {
        // SAFETY: as above.
        unsafe { (*place).active = 0 };
    }
    started
}

pub fn request_get_status(request: Request, flag: Out<c_int>, status: StatusOut) -> Result<()> {
    if request == MPI_REQUEST_NULL {
        flag.set(1);
        status.set_empty();
        return Ok(());
    }
    let view = request::of(request)?;
    let seen = look(view);
    flag.set(seen.is_some().into());
    if let Some(found) = seen {
        status.set(found);
    }
    Ok(())
}

/// The status of a request, if it is complete or inactive, without ending it.
fn look(view: RequestRef) -> Option<Status> {
    if !request::is_active(view) {
        return Some(Status::EMPTY);
    }
    if !view.is_complete() {
        runtime::runtime().system.progress();
    }
    view.is_complete().then(|| request::peek(view))
}

pub fn request_get_status_all(
    _count: c_int,
    array_of_requests: &[Request],
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    let complete = active.iter().all(|(_, view)| look(view).is_some());
    flag.set(complete.into());
    if complete {
        for place in 0..array_of_requests.len() {
            let view = active.iter().find(|(own, _)| *own == place);
            array_of_statuses.at(place).set(view.map_or(Status::EMPTY, |one| request::peek(one.1)));
        }
    }
    Ok(())
}

pub fn request_get_status_any(
    _count: c_int,
    array_of_requests: &[Request],
    indx: Out<c_int>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    indx.set(MPI_UNDEFINED);
    if active.is_empty() {
        flag.set(1);
        status.set_empty();
        return Ok(());
    }
    let found = active.iter().find_map(|(place, view)| Some((*place, look(view)?)));
    flag.set(found.is_some().into());
    if let Some((place, found)) = found {
        indx.set(place as c_int);
        status.set(found);
    }
    Ok(())
}

pub fn request_get_status_some(
    _incount: c_int,
    array_of_requests: &[Request],
    outcount: Out<c_int>,
    array_of_indices: &mut [c_int],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let active = active(array_of_requests)?;
    if active.is_empty() {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let found = active.iter().filter_map(|(place, view)| Some((*place, look(view)?)));
    let mut number = 0;
    for (place, status) in found {
        array_of_indices[number] = place as c_int;
        array_of_statuses.at(number).set(status);
        number += 1;
    }
    outcount.set(number as c_int);
    Ok(())
}
