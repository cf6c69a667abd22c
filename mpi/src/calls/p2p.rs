//! Point-to-point communication (MPI 5.0, chapter 3).

use std::ffi::{c_int, c_void};

use cairn_framework::abi::request::{MessageStatus, Request as View};
use cairn_framework::abi::status::{DONE, ERR_TRUNCATED, NOTHING, OK};
use cairn_framework::frameworks::pml::{
    PML_READY, PML_STANDARD, PML_SYNCHRONOUS, PmlReceive, PmlSend,
};

use crate::objects::comm;
use crate::objects::request::{self, RequestRef};
use crate::objects::{bsend, message, packing, special};
use crate::prelude::*;
use crate::runtime::runtime;

/// A message to send, made of checked arguments. The communicator is looked up by the caller.
#[inline(always)]
fn to_send(
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    mode: u32,
) -> PmlSend {
    PmlSend {
        buffer: buf,
        count: count as u64,
        datatype: datatype.view(),
        comm: comm.view(),
        peer: dest as u32,
        tag,
        mode,
        reserved: 0,
    }
}

/// A message to receive.
#[inline(always)]
fn to_receive(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    source: c_int,
    tag: c_int,
    comm: CommRef,
) -> PmlReceive {
    PmlReceive {
        buffer: buf,
        count: count as u64,
        datatype: datatype.view(),
        comm: comm.view(),
        source,
        tag,
    }
}

/// Sends and waits until the buffer is free.
#[inline(always)]
fn send_in(
    mode: u32,
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
) -> Result<()> {
    if dest == MPI_PROC_NULL {
        return Ok(());
    }
    let send = to_send(buf, count, datatype, dest, tag, comm, mode);
    runtime().send(&send)
}

/// Starts a send.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
fn isend_in(
    mode: u32,
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    if dest == MPI_PROC_NULL {
        request.set(request::nothing(false));
        return Ok(());
    }
    let send = to_send(buf, count, datatype, dest, tag, comm, mode);
    request.set(request::message(runtime().isend(&send)?, comm, datatype.view()));
    Ok(())
}

/// The functions that send, in their blocking, nonblocking and persistent forms.
macro_rules! sends {
    ($($send:ident, $isend:ident, $init:ident: $mode:expr;)*) => {$(
        #[inline(always)]
        pub fn $send(
            buf: *const c_void,
            count: Count,
            datatype: DatatypeRef,
            dest: c_int,
            tag: c_int,
            comm: CommRef,
        ) -> Result<()> {
            send_in($mode, buf, count, datatype, dest, tag, comm)
        }

        #[inline(always)]
        pub fn $isend(
            buf: *const c_void,
            count: Count,
            datatype: DatatypeRef,
            dest: c_int,
            tag: c_int,
            comm: CommRef,
            request: Out<Request>,
        ) -> Result<()> {
            isend_in($mode, buf, count, datatype, dest, tag, comm, request)
        }

        pub fn $init(
            buf: *const c_void,
            count: Count,
            datatype: DatatypeRef,
            dest: c_int,
            tag: c_int,
            comm: CommRef,
            request: Out<Request>,
        ) -> Result<()> {
            if dest == MPI_PROC_NULL {
                request.set(special::idle(false));
                return Ok(());
            }
            let send = to_send(buf, count, datatype, dest, tag, comm, $mode);
            request.set(request::message(runtime().send_init(&send)?, comm, datatype.view()));
            Ok(())
        }
    )*};
}

sends! {
    send, isend, send_init: PML_STANDARD;
    ssend, issend, ssend_init: PML_SYNCHRONOUS;
    rsend, irsend, rsend_init: PML_READY;
}

#[inline(always)]
pub fn recv(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    source: c_int,
    tag: c_int,
    comm: CommRef,
    status: StatusOut,
) -> Result<()> {
    if source == MPI_PROC_NULL {
        status.set(Status::FROM_NOBODY);
        return Ok(());
    }
    let receive = to_receive(buf, count, datatype, source, tag, comm);
    let mut found = MessageStatus::default();
    let result = runtime().recv(&receive, &mut found);
    received(result, &found, status)
}

/// Ends a receive: its status, and an error if it has one.
#[inline(always)]
fn received(result: i32, found: &MessageStatus, status: StatusOut) -> Result<()> {
    status.set_received(found.source, found.tag, found.bytes);
    if result == OK { Ok(()) } else { Err(not_received(result, found)) }
}

#[cold]
fn not_received(result: i32, found: &MessageStatus) -> Error {
    match result {
        ERR_TRUNCATED => {
            let text = request::truncated(found.source, found.tag, found.bytes);
            Error::new(MPI_ERR_TRUNCATE, text)
        }
        other => failure("recv", other),
    }
}

#[inline(always)]
pub fn irecv(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    source: c_int,
    tag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    if source == MPI_PROC_NULL {
        request.set(request::nothing(true));
        return Ok(());
    }
    let receive = to_receive(buf, count, datatype, source, tag, comm);
    request.set(request::message(runtime().irecv(&receive)?, comm, datatype.view()));
    Ok(())
}

pub fn recv_init(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    source: c_int,
    tag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    if source == MPI_PROC_NULL {
        request.set(special::idle(true));
        return Ok(());
    }
    let receive = to_receive(buf, count, datatype, source, tag, comm);
    request.set(request::message(runtime().recv_init(&receive)?, comm, datatype.view()));
    Ok(())
}

pub fn bsend(
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
) -> Result<()> {
    if dest == MPI_PROC_NULL {
        return Ok(());
    }
    bsend::send(to_send(buf, count, datatype, dest, tag, comm, PML_STANDARD), comm)
}

pub fn ibsend(
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    // The message is in the buffer when the function returns, so the operation is complete.
    bsend(buf, count, datatype, dest, tag, comm)?;
    request.set(request::nothing(false));
    Ok(())
}

pub fn bsend_init(
    buf: *const c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    if dest == MPI_PROC_NULL {
        request.set(special::idle(false));
        return Ok(());
    }
    let send = to_send(buf, count, datatype, dest, tag, comm, PML_STANDARD);
    request.set(bsend::init(send, comm, datatype));
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn sendrecv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: DatatypeRef,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: DatatypeRef,
    source: c_int,
    recvtag: c_int,
    comm: CommRef,
    status: StatusOut,
) -> Result<()> {
    if source == MPI_PROC_NULL {
        send(sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
        status.set(Status::FROM_NOBODY);
        return Ok(());
    }
    let receive = to_receive(recvbuf, recvcount, recvtype, source, recvtag, comm);
    let request = runtime().irecv(&receive)?;
    let sent = send(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    // SAFETY: started above.
    let request: RequestRef = unsafe { &*request };
    // What could not be sent may never be answered.
    let undone = if sent.is_err() { request::cancel(request) } else { Ok(()) };
    let waited = request::wait(request);
    let (found, received) = request::outcome(request);
    request::release(request);
    status.set(found);
    sent.and(undone).and(waited).and(received)
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn sendrecv_replace(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: CommRef,
    status: StatusOut,
) -> Result<()> {
    if dest == MPI_PROC_NULL {
        return recv(buf, count, datatype, source, recvtag, comm, status);
    }
    // SAFETY: the program vouches for its buffer.
    let copy = unsafe { packing::packed(buf, count, datatype.view()) }?;
    let (bytes, packed) = (copy.as_ptr().cast(), copy.len() as Count);
    let packed_type = DatatypeRef::of(MPI_PACKED)?;
    sendrecv(
        bytes,
        packed,
        packed_type,
        dest,
        sendtag,
        buf,
        count,
        datatype,
        source,
        recvtag,
        comm,
        status,
    )
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn isendrecv(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: DatatypeRef,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: DatatypeRef,
    source: c_int,
    recvtag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    let send = (dest != MPI_PROC_NULL)
        .then(|| to_send(sendbuf, sendcount, sendtype, dest, sendtag, comm, PML_STANDARD));
    let receive = (source != MPI_PROC_NULL)
        .then(|| to_receive(recvbuf, recvcount, recvtype, source, recvtag, comm));
    request.set(both(send, receive, comm, Vec::new())?);
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn isendrecv_replace(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: CommRef,
    request: Out<Request>,
) -> Result<()> {
    let (mut copy, mut send) = (Vec::new(), None);
    if dest != MPI_PROC_NULL {
        // SAFETY: the program vouches for its buffer.
        copy = unsafe { packing::packed(buf, count, datatype.view()) }?;
        let (bytes, packed) = (copy.as_ptr().cast(), copy.len() as Count);
        let view = DatatypeRef::of(MPI_PACKED)?;
        send = Some(to_send(bytes, packed, view, dest, sendtag, comm, PML_STANDARD));
    }
    let receive =
        (source != MPI_PROC_NULL).then(|| to_receive(buf, count, datatype, source, recvtag, comm));
    request.set(both(send, receive, comm, copy)?);
    Ok(())
}

/// One request for a send and a receive; `keep` stays until both are complete.
fn both(
    send: Option<PmlSend>,
    receive: Option<PmlReceive>,
    comm: CommRef,
    keep: Vec<u8>,
) -> Result<Request> {
    let start = |receive: PmlReceive| Ok((runtime().irecv(&receive)?, receive.datatype));
    let received = receive.map(start).transpose()?;
    let start = |send: PmlSend| Ok((runtime().isend(&send)?, send.datatype));
    let sent = send.map(start).transpose()?;
    let view = |(request, datatype): (*mut View, *const _)| -> RequestRef {
        // SAFETY: started above, with a checked datatype.
        unsafe {
            request::message(request, comm, &*datatype);
            &*request
        }
    };
    let received = received.map(view);
    let sent = sent.map(view);
    let finish = move || {
        drop(keep);
        let sent = sent.map_or(Ok(()), |sent| request::outcome(sent).1);
        let (status, received) = received.map_or((Status::FROM_NOBODY, Ok(())), request::outcome);
        (status, received.and(sent))
    };
    Ok(special::several(received.into_iter().chain(sent).collect(), Box::new(finish)))
}

/// Looks for a message; with `take` it is taken out of matching.
fn look(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    blocking: bool,
    take: bool,
) -> Result<Option<(MessageStatus, *mut c_void)>> {
    let runtime = runtime();
    let receive = PmlReceive {
        buffer: std::ptr::null_mut(),
        count: 0,
        datatype: std::ptr::null(),
        comm: comm.view(),
        source,
        tag,
    };
    let (mut found, mut message) = (MessageStatus::default(), std::ptr::null_mut());
    let place = if take { &raw mut message } else { std::ptr::null_mut() };
    // SAFETY: the table is complete and the component open; the places live during the call.
    let outcome = unsafe {
        let probe = runtime.pml.probe.unwrap_unchecked();
        probe(runtime.pml_instance, &receive, blocking.into(), place, &mut found)
    };
    match outcome {
        DONE => Ok(Some((found, message))),
        NOTHING => Ok(None),
        status => Err(failure("probe", status)),
    }
}

pub fn probe(source: c_int, tag: c_int, comm: CommRef, status: StatusOut) -> Result<()> {
    iprobe_in(source, tag, comm, true, status).map(|_| ())
}

pub fn iprobe(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    flag: Out<c_int>,
    status: StatusOut,
) -> Result<()> {
    let found = iprobe_in(source, tag, comm, false, status)?;
    flag.set(found.into());
    Ok(())
}

fn iprobe_in(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    blocking: bool,
    status: StatusOut,
) -> Result<bool> {
    if source == MPI_PROC_NULL {
        status.set(Status::FROM_NOBODY);
        return Ok(true);
    }
    let found = look(source, tag, comm, blocking, false)?;
    if let Some((found, _)) = &found {
        status.set(Status::received(found.source, found.tag, found.bytes));
    }
    Ok(found.is_some())
}

pub fn mprobe(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    message: Out<Message>,
    status: StatusOut,
) -> Result<()> {
    improbe_in(source, tag, comm, true, message, status).map(|_| ())
}

pub fn improbe(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    flag: Out<c_int>,
    message: Out<Message>,
    status: StatusOut,
) -> Result<()> {
    let found = improbe_in(source, tag, comm, false, message, status)?;
    flag.set(found.into());
    Ok(())
}

fn improbe_in(
    source: c_int,
    tag: c_int,
    comm: CommRef,
    blocking: bool,
    message: Out<Message>,
    status: StatusOut,
) -> Result<bool> {
    if source == MPI_PROC_NULL {
        message.set(MPI_MESSAGE_NO_PROC);
        status.set(Status::FROM_NOBODY);
        return Ok(true);
    }
    let Some((found, taken)) = look(source, tag, comm, blocking, true)? else {
        return Ok(false);
    };
    message.set(message::make(taken, comm));
    status.set(Status::received(found.source, found.tag, found.bytes));
    Ok(true)
}

pub fn mrecv(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    message: InOut<Message>,
    status: StatusOut,
) -> Result<()> {
    if message.get() == MPI_MESSAGE_NO_PROC {
        message.set(MPI_MESSAGE_NULL);
        status.set(Status::FROM_NOBODY);
        return Ok(());
    }
    let (request, comm) = start_matched(buf, count, datatype, message)?;
    // SAFETY: started just now.
    let request: RequestRef = unsafe { &*request };
    let waited = request::wait(request);
    let (found, received) = request::outcome(request);
    request::release(request);
    status.set(found);
    // The function has no communicator, the message has.
    let ended = waited.and(received).map_err(|error| error.at(comm::origin(comm)));
    comm.release();
    ended
}

pub fn imrecv(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    message: InOut<Message>,
    request: Out<Request>,
) -> Result<()> {
    if message.get() == MPI_MESSAGE_NO_PROC {
        message.set(MPI_MESSAGE_NULL);
        request.set(request::nothing(true));
        return Ok(());
    }
    let (view, comm) = start_matched(buf, count, datatype, message)?;
    request.set(request::message(view, comm, datatype.view()));
    comm.release();
    Ok(())
}

/// Starts to receive a message that was taken out of matching. The caller releases the communicator.
fn start_matched(
    buf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    message: InOut<Message>,
) -> Result<(*mut View, CommRef)> {
    let (taken, comm) = message::take(message.get())?;
    message.set(MPI_MESSAGE_NULL);
    let receive = to_receive(buf, count, datatype, MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
    let runtime = runtime();
    let mut view = std::ptr::null_mut();
    // SAFETY: the table is complete and the component open; the program vouches for the buffer until
    // the request is complete; the message was taken out and not received yet.
    let status = unsafe {
        let mrecv = runtime.pml.mrecv.unwrap_unchecked();
        mrecv(runtime.pml_instance, taken, &receive, &mut view)
    };
    match status {
        OK => Ok((view, comm)),
        status => {
            comm.release();
            Err(failure("mrecv", status))
        }
    }
}
