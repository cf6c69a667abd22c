//! Buffers of buffered sends (MPI 5.0, section 3.6).

use crate::objects::bsend::{self, Owner};
use crate::prelude::*;

/// # Safety
/// There are `size` bytes at `buffer`, which are not used otherwise until they are detached.
pub unsafe fn buffer_attach(buffer: *mut c_void, size: Count) -> Result<()> {
    bsend::attach(Owner::Process, buffer, args::length(size))
}

/// # Safety
/// There is room for a pointer at `buffer_addr`.
pub unsafe fn buffer_detach(buffer_addr: Out<*mut c_void>, size: CountOut) -> Result<()> {
    detach(Owner::Process, buffer_addr, size)
}

pub fn buffer_flush() -> Result<()> {
    bsend::flush(&Owner::Process)
}

pub fn buffer_iflush(request: Out<Request>) -> Result<()> {
    request.set(bsend::start_flush(Owner::Process));
    Ok(())
}

/// # Safety
/// As for `buffer_attach`.
pub unsafe fn comm_attach_buffer(comm: CommRef, buffer: *mut c_void, size: Count) -> Result<()> {
    bsend::attach(of(comm)?, buffer, args::length(size))
}

/// # Safety
/// As for `buffer_detach`.
pub unsafe fn comm_detach_buffer(
    comm: CommRef,
    buffer_addr: Out<*mut c_void>,
    size: CountOut,
) -> Result<()> {
    detach(of(comm)?, buffer_addr, size)
}

pub fn comm_flush_buffer(comm: CommRef) -> Result<()> {
    bsend::flush(&of(comm)?)
}

pub fn comm_iflush_buffer(comm: CommRef, request: Out<Request>) -> Result<()> {
    request.set(bsend::start_flush(of(comm)?));
    Ok(())
}

/// # Safety
/// As for `buffer_attach`.
pub unsafe fn session_attach_buffer(
    session: SessionRef,
    buffer: *mut c_void,
    size: Count,
) -> Result<()> {
    bsend::attach(of_session(session)?, buffer, args::length(size))
}

/// # Safety
/// As for `buffer_detach`.
pub unsafe fn session_detach_buffer(
    session: SessionRef,
    buffer_addr: Out<*mut c_void>,
    size: CountOut,
) -> Result<()> {
    detach(of_session(session)?, buffer_addr, size)
}

pub fn session_flush_buffer(session: SessionRef) -> Result<()> {
    bsend::flush(&of_session(session)?)
}

pub fn session_iflush_buffer(session: SessionRef, request: Out<Request>) -> Result<()> {
    request.set(bsend::start_flush(of_session(session)?));
    Ok(())
}

fn of_session(session: SessionRef) -> Result<Owner> {
    Ok(Owner::Session(session))
}

fn of(comm: CommRef) -> Result<Owner> {
    Ok(Owner::Comm(comm))
}

fn detach(owner: Owner, address: Out<*mut c_void>, size: CountOut) -> Result<()> {
    let (found, bytes) = bsend::detach(&owner)?;
    address.set(found);
    size.set(bytes as Count);
    Ok(())
}
