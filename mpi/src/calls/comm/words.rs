//! Numbers of 32 bits that the processes of a communicator exchange for the library's own purposes.

use std::ffi::{c_int, c_void};

use cairn_framework::abi::request::MessageStatus;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::{COLL_ALLGATHER, COLL_BCAST, CollArgs, CollSide};
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use crate::objects::request;
use crate::prelude::*;
use crate::runtime::{self, runtime};

/// A message of words of 32 bits.
pub fn words_to(
    place: *const u32,
    count: usize,
    peer: u32,
    tag: i32,
    comm: CommRef,
) -> Result<PmlSend> {
    Ok(PmlSend {
        buffer: place.cast(),
        count: count as u64,
        datatype: DatatypeRef::of(MPI_UINT32_T)?.view(),
        comm: comm.view(),
        peer,
        tag,
        mode: PML_STANDARD,
        reserved: 0,
    })
}

/// The same, to receive it.
pub fn words_from(
    place: *mut u32,
    count: usize,
    peer: u32,
    tag: i32,
    comm: CommRef,
) -> Result<PmlReceive> {
    Ok(PmlReceive {
        buffer: place.cast(),
        count: count as u64,
        datatype: DatatypeRef::of(MPI_UINT32_T)?.view(),
        comm: comm.view(),
        source: peer as i32,
        tag,
    })
}

/// Exchanges words with other processes, each of which may be this one: sends some to one and receives
/// some from one.
pub fn swap(comm: CommRef, tag: i32, to: (u32, &[u32]), from: (u32, &mut [u32])) -> Result<()> {
    let ((to, out), (from, into)) = (to, from);
    let view = runtime().isend(&words_to(out.as_ptr(), out.len(), to, tag, comm)?)?;
    request::handle(view, comm);
    let receive = words_from(into.as_mut_ptr(), into.len(), from, tag, comm)?;
    let received = match runtime().recv(&receive, &mut MessageStatus::default()) {
        OK => Ok(()),
        status => Err(failure("recv", status)),
    };
    // SAFETY: started above, and given back once.
    let send = unsafe { &*view };
    let sent = request::wait(send).and_then(|()| request::outcome(send).1);
    request::release(send);
    received.and(sent)
}

/// What every process gave, by rank.
pub struct Given {
    pub local: Vec<[c_int; 2]>,
    /// Of the remote group, between groups.
    pub remote: Vec<[c_int; 2]>,
}

/// Every process learns what all others give.
pub fn gather(comm: CommRef, own: [c_int; 2]) -> Result<Given> {
    let mut all = vec![[0; 2]; comm.view().remote_size as usize];
    let args = CollArgs {
        send: words((&raw const own).cast_mut().cast(), 2)?,
        receive: words(all.as_mut_ptr().cast(), 2)?,
        ..runtime::no_data(COLL_ALLGATHER)
    };
    // SAFETY: both buffers are as long as the operation says.
    unsafe { comm.run(&args) }?;
    let Some(remote) = &comm.remote else {
        return Ok(Given { local: all, remote: Vec::new() });
    };
    // That was what the others gave. They know what the own group gave, and tell it.
    let mut local = vec![[0; 2]; comm.size() as usize];
    let own_first = comm.group[0] < remote[0];
    for tells_first in [true, false] {
        if own_first == tells_first {
            let root = if comm.rank() == 0 { MPI_ROOT } else { MPI_PROC_NULL };
            bcast(comm, root, all.as_flattened_mut())?;
        } else {
            bcast(comm, 0, local.as_flattened_mut())?;
        }
    }
    Ok(Given { local, remote: all })
}

/// Sends words of 32 bits from a root to all.
pub fn bcast(comm: CommRef, root: c_int, data: &mut [c_int]) -> Result<()> {
    let args = CollArgs {
        receive: words(data.as_mut_ptr().cast(), data.len() as u64)?,
        root,
        ..runtime::no_data(COLL_BCAST)
    };
    // SAFETY: the buffer is as long as the operation says.
    unsafe { comm.run(&args) }
}

fn words(buffer: *mut c_void, count: u64) -> Result<CollSide> {
    Ok(CollSide {
        buffer,
        count,
        datatype: DatatypeRef::of(MPI_INT)?.view(),
        ..runtime::no_data(0).send
    })
}
