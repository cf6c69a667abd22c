//! Completion of operations (MPI 5.0, sections 3.7 and 3.9).

use std::ffi::c_int;

use cairn_framework::abi::request::REQUEST_COLLECTIVE;
use cairn_framework::abi::status::OK;

use crate::codes;
use crate::objects::request;
use crate::objects::{grequest, special};
use crate::prelude::*;

pub fn wait(request: RequestVar<Option<RequestRef>>, status: StatusOut) -> Result<()> {
    let Some(view) = request.request.filter(|view| request::is_active(view)) else {
        status.set_empty();
        return Ok(());
    };
    request::wait(view).map_err(|error| error.at(request::origin(view)))?;
    let (after, result) = end(view, status);
    request.place.set(after);
    result
}

pub fn test(
    request: RequestVar<Option<RequestRef>>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let Some(view) = request.request.filter(|view| request::is_active(view)) else {
        flag.set(1);
        status.set_empty();
        return Ok(());
    };
    if !view.is_complete() {
        request::poll_once(&[request.place.get()]);
        if !view.is_complete() {
            flag.set(0);
            return Ok(());
        }
    }
    flag.set(1);
    let (after, result) = end(view, status);
    request.place.set(after);
    result
}

/// Reports a complete request and ends it; what its handle becomes, and how it went.
#[inline]
fn end(view: RequestRef, status: StatusOut) -> (Request, Result<()>) {
    if request::usual_outcome(view, status) {
        return (request::finish(view), Ok(()));
    }
    let (found, result) = request::outcome(view);
    status.set(found);
    (request::finish(view), result)
}

/// What is true of the requests in an array that there is something to wait for.
struct Overview {
    /// There is one.
    any: bool,
    /// The place of the first that is complete.
    complete: Option<usize>,
    /// All are complete.
    all: bool,
}

/// Looks at all requests of an array; an error if one is none.
fn overview(requests: &[Request]) -> Result<Overview> {
    let mut seen = Overview { any: false, complete: None, all: true };
    for (place, handle) in requests.iter().enumerate() {
        if let Some(view) = request::going(*handle)? {
            seen.any = true;
            if view.is_complete() {
                seen.complete = seen.complete.or(Some(place));
            } else {
                seen.all = false;
            }
        }
    }
    Ok(seen)
}

/// The same, after progress if nothing is as it should be.
fn look_again(requests: &[Request], enough: fn(&Overview) -> bool) -> Result<Overview> {
    let seen = overview(requests)?;
    if !seen.any || enough(&seen) {
        return Ok(seen);
    }
    request::poll_once(requests);
    overview(requests)
}

/// Statuses that a function that completes several operations fills in. Their error fields are written
/// only if an operation has failed, but then all are.
struct Outcomes {
    statuses: StatusesOut,
    written: usize,
    first: Option<Error>,
}

impl Outcomes {
    fn new(statuses: StatusesOut) -> Self {
        Self { statuses, written: 0, first: None }
    }

    /// Reports a complete request, the one at `index` of the array, and ends it; returns what its handle
    /// becomes.
    #[inline(always)]
    fn end(&mut self, index: usize, view: RequestRef) -> Request {
        let place = self.statuses.at(self.written);
        if self.first.is_some() || !request::usual_outcome(view, place) {
            self.unusual(index, view, place);
        }
        self.written += 1;
        request::finish(view)
    }

    #[cold]
    fn unusual(&mut self, index: usize, view: RequestRef, place: StatusOut) {
        let (status, result) = request::outcome(view);
        if result.is_ok() && self.first.is_none() {
            return place.set(status);
        }
        if self.first.is_none() {
            (0..self.written).for_each(|before| self.statuses.at(before).set_error(MPI_SUCCESS));
        }
        place.set_with_error(status);
        self.first = self
            .first
            .take()
            .or_else(|| Some(codes::in_status(&result.err()?, "array_of_requests", index)));
    }

    /// The status of one that there is nothing to wait for.
    #[inline(always)]
    fn nothing(&mut self) {
        self.statuses.at(self.written).set_empty();
        self.written += 1;
    }

    fn result(self) -> Result<()> {
        self.first.map_or(Ok(()), Err)
    }
}

pub fn waitall(
    _count: c_int,
    array_of_requests: &mut [Request],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    request::wait_all(array_of_requests)?;
    end_all(array_of_requests, array_of_statuses)
}

/// Reports and ends complete requests of an array; the others in it have empty statuses.
fn end_all(requests: &mut [Request], statuses: StatusesOut) -> Result<()> {
    let mut outcomes = Outcomes::new(statuses);
    for (index, handle) in requests.iter_mut().enumerate() {
        match request::going(*handle)? {
            Some(view) => *handle = outcomes.end(index, view),
            None => outcomes.nothing(),
        }
    }
    outcomes.result()
}

pub fn testall(
    _count: c_int,
    array_of_requests: &mut [Request],
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let all = look_again(array_of_requests, |seen| seen.all)?.all;
    flag.set(all.into());
    if all { end_all(array_of_requests, array_of_statuses) } else { Ok(()) }
}

pub fn waitany(
    _count: c_int,
    array_of_requests: &mut [Request],
    indx: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    loop {
        let seen = overview(array_of_requests)?;
        if !seen.any || seen.complete.is_some() {
            return end_one(&seen, array_of_requests, indx, status);
        }
        request::wait_some(array_of_requests)?;
    }
}

/// Ends the first complete request, if there is one.
fn end_one(
    seen: &Overview,
    requests: &mut [Request],
    indx: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let Some(place) = seen.complete else {
        indx.set(MPI_UNDEFINED);
        if !seen.any {
            status.set_empty();
        }
        return Ok(());
    };
    indx.set(place as c_int);
    let view = request::of(requests[place])?;
    let result;
    (requests[place], result) = end(view, status);
    result
}

pub fn testany(
    _count: c_int,
    array_of_requests: &mut [Request],
    indx: Out<c_int>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let seen = look_again(array_of_requests, |seen| seen.complete.is_some())?;
    flag.set((!seen.any || seen.complete.is_some()).into());
    end_one(&seen, array_of_requests, indx, status)
}

pub fn waitsome(
    _incount: c_int,
    array_of_requests: &mut [Request],
    outcount: Out<c_int>,
    array_of_indices: &mut [c_int],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    loop {
        let seen = overview(array_of_requests)?;
        if !seen.any || seen.complete.is_some() {
            let out = (outcount, array_of_indices, array_of_statuses);
            return end_some(&seen, array_of_requests, out);
        }
        request::wait_some(array_of_requests)?;
    }
}

pub fn testsome(
    _incount: c_int,
    array_of_requests: &mut [Request],
    outcount: Out<c_int>,
    array_of_indices: &mut [c_int],
    array_of_statuses: StatusesOut,
) -> Result<()> {
    let seen = look_again(array_of_requests, |seen| seen.complete.is_some())?;
    end_some(&seen, array_of_requests, (outcount, array_of_indices, array_of_statuses))
}

/// Ends those that are complete, and lists them.
fn end_some(
    seen: &Overview,
    requests: &mut [Request],
    (outcount, indices, statuses): (Out<c_int>, &mut [c_int], StatusesOut),
) -> Result<()> {
    if !seen.any {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let mut outcomes = Outcomes::new(statuses);
    for place in seen.complete.unwrap_or(requests.len())..requests.len() {
        match request::going(requests[place])? {
            Some(view) if view.is_complete() => {
                indices[outcomes.written] = place as c_int;
                requests[place] = outcomes.end(place, view);
            }
            _ => {}
        }
    }
    outcount.set(outcomes.written as c_int);
    outcomes.result()
}

pub fn request_free(request: RequestVar<RequestRef>) -> Result<()> {
    let view = request.request;
    if request::is_active(view) {
        not_collective(view, "freed before it is complete")?;
    }
    request.place.set(MPI_REQUEST_NULL);
    if view.is_complete() || !request::is_active(view) || special::is(view) {
        request::release(view);
    } else {
        special::forget(view);
    }
    Ok(())
}

/// What must not be done to a collective operation (MPI 5.0, sections 6.12 and 6.13).
fn not_collective(view: RequestRef, what: &str) -> Result<()> {
    if view.kind != REQUEST_COLLECTIVE {
        return Ok(());
    }
    let text = format!("the request of a collective operation can't be {what}");
    Err(Error::new(MPI_ERR_REQUEST, text))
}

pub fn cancel(request: RequestVar<RequestRef>) -> Result<()> {
    let view = request.request;
    not_collective(view, "cancelled")?;
    match grequest::cancel(view) {
        Some(cancelled) => cancelled,
        None => request::cancel(view),
    }
}

pub fn start(request: RequestVar<RequestRef>) -> Result<()> {
    start_one(request.request)
}

pub fn startall(_count: c_int, array_of_requests: &mut [Request]) -> Result<()> {
    array_of_requests.iter().try_for_each(|request| start_one(request::of(*request)?))
}

fn start_one(view: RequestRef) -> Result<()> {
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
            status => Err(failure("start", status)),
        }
    });
    if started.is_err() {
        // SAFETY: as above.
        unsafe { (*place).active = 0 };
    }
    started
}

pub fn request_get_status(
    request: Option<RequestRef>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let Some(view) = request else {
        flag.set(1);
        status.set_empty();
        return Ok(());
    };
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
        request::poll_once(&[Request::of(std::ptr::from_ref(view).cast_mut())]);
    }
    view.is_complete().then(|| request::peek(view)).flatten()
}

pub fn request_get_status_all(
    _count: c_int,
    array_of_requests: &[Request],
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Result<()> {
    flag.set(0);
    if look_again(array_of_requests, |seen| seen.all)?.all {
        let status = |handle: &Request| {
            Ok(request::going(*handle)?.map_or(Some(Status::EMPTY), request::peek))
        };
        let statuses: Option<Vec<Status>> =
            array_of_requests.iter().map(status).collect::<Result<_>>()?;
        if let Some(statuses) = statuses {
            flag.set(1);
            for (place, status) in statuses.into_iter().enumerate() {
                array_of_statuses.at(place).set(status);
            }
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
    let seen = look_again(array_of_requests, |seen| seen.complete.is_some())?;
    indx.set(MPI_UNDEFINED);
    flag.set((!seen.any).into());
    if !seen.any {
        status.set_empty();
    } else if let Some(place) = seen.complete
        && let Some(found) = request::peek(request::of(array_of_requests[place])?)
    {
        flag.set(1);
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
    let seen = look_again(array_of_requests, |seen| seen.complete.is_some())?;
    if !seen.any {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let mut number = 0;
    for (place, handle) in array_of_requests.iter().enumerate() {
        let complete = request::going(*handle)?.filter(|view| view.is_complete());
        if let Some(status) = complete.and_then(request::peek) {
            array_of_indices[number] = place as c_int;
            array_of_statuses.at(number).set(status);
            number += 1;
        }
    }
    outcount.set(number as c_int);
    Ok(())
}
