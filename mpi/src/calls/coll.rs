//! Blocking collective communication (MPI 5.0, chapter 6).

use std::ffi::{c_int, c_void};

use cairn_framework::abi::datatype::Op as OpView;
use cairn_framework::frameworks::coll::{
    COLL_ALLGATHER, COLL_ALLGATHERV, COLL_ALLREDUCE, COLL_ALLTOALL, COLL_ALLTOALLV, COLL_ALLTOALLW,
    COLL_BARRIER, COLL_BCAST, COLL_EXSCAN, COLL_GATHER, COLL_GATHERV, COLL_REDUCE,
    COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK, COLL_SCAN, COLL_SCATTER, COLL_SCATTERV,
    CollArgs, CollCounts, CollSide,
};

use crate::abi::prelude::*;
use crate::objects::comm::{self, CommRef};
use crate::objects::{datatype, op};
use crate::runtime::no_data;

/// Runs an operation.
fn run(comm: CommRef, args: &CollArgs) -> Result<()> {
    // SAFETY: the arguments were checked, and the program vouches for the buffers.
    unsafe { comm.run(args) }
}

/// One side of an operation with one count. A datatype that is not significant may be none.
fn side(buffer: *const c_void, count: Count, datatype: Datatype) -> CollSide {
    CollSide {
        buffer: buffer.cast_mut(),
        count: count as u64,
        datatype: datatype::view(datatype).map_or(std::ptr::null(), std::ptr::from_ref),
        ..no_data(0).send
    }
}

/// One side of an operation with counts and displacements by rank.
fn sides(
    buffer: *const c_void,
    counts: Counts<'_>,
    displacements: Counts<'_>,
    datatype: Datatype,
) -> CollSide {
    CollSide {
        counts: array(counts),
        displacements: array(displacements),
        ..side(buffer, 0, datatype)
    }
}

fn array(counts: Counts<'_>) -> CollCounts {
    match counts {
        Counts::Small(all) => CollCounts { data: all.as_ptr().cast(), width: 4, reserved: 0 },
        Counts::Large(all) => CollCounts { data: all.as_ptr().cast(), width: 8, reserved: 0 },
    }
}

/// The operation of a reduction on elements of a type.
fn operation(op: Op, datatype: Datatype) -> Result<&'static OpView> {
    let none = || Error::new(MPI_ERR_OP, format!("{:#x} is no reduction operation", op.value()));
    let view = op::view(op).ok_or_else(none)?;
    if op::is_defined(view, datatype::of(datatype)?) {
        return Ok(view);
    }
    let text = "the operation is not defined on elements of this datatype";
    Err(Error::new(MPI_ERR_OP, text))
}

pub fn barrier(comm: Comm) -> Result<()> {
    run(comm::of(comm)?, &no_data(COLL_BARRIER))
}

pub fn bcast(
    buffer: *mut c_void,
    count: Count,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
) -> Result<()> {
    let args = CollArgs { receive: side(buffer, count, datatype), root, ..no_data(COLL_BCAST) };
    run(comm::of(comm)?, &args)
}

/// Operations with one count on each side.
macro_rules! plain {
    ($($name:ident: $operation:ident, $($root:ident)?;)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
        pub fn $name(
            sendbuf: *const c_void,
            sendcount: Count,
            sendtype: Datatype,
            recvbuf: *mut c_void,
            recvcount: Count,
            recvtype: Datatype,
            $($root: c_int,)?
            comm: Comm,
        ) -> Result<()> {
            let args = CollArgs {
                send: side(sendbuf, sendcount, sendtype),
                receive: side(recvbuf, recvcount, recvtype),
                $($root,)?
                ..no_data($operation)
            };
            run(comm::of(comm)?, &args)
        }
    )*};
}

plain! {
    gather: COLL_GATHER, root;
    scatter: COLL_SCATTER, root;
    allgather: COLL_ALLGATHER, ;
    alltoall: COLL_ALLTOALL, ;
}

/// Operations that gather counts by rank.
macro_rules! gathers {
    ($($name:ident: $operation:ident, $($root:ident)?;)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
        pub fn $name(
            sendbuf: *const c_void,
            sendcount: Count,
            sendtype: Datatype,
            recvbuf: *mut c_void,
            recvcounts: Counts<'_>,
            displs: Counts<'_>,
            recvtype: Datatype,
            $($root: c_int,)?
            comm: Comm,
        ) -> Result<()> {
            let args = CollArgs {
                send: side(sendbuf, sendcount, sendtype),
                receive: sides(recvbuf, recvcounts, displs, recvtype),
                $($root,)?
                ..no_data($operation)
            };
            run(comm::of(comm)?, &args)
        }
    )*};
}

gathers! {
    gatherv: COLL_GATHERV, root;
    allgatherv: COLL_ALLGATHERV, ;
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn scatterv(
    sendbuf: *const c_void,
    sendcounts: Counts<'_>,
    displs: Counts<'_>,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> Result<()> {
    let args = CollArgs {
        send: sides(sendbuf, sendcounts, displs, sendtype),
        receive: side(recvbuf, recvcount, recvtype),
        root,
        ..no_data(COLL_SCATTERV)
    };
    run(comm::of(comm)?, &args)
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn alltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts<'_>,
    sdispls: Counts<'_>,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts<'_>,
    rdispls: Counts<'_>,
    recvtype: Datatype,
    comm: Comm,
) -> Result<()> {
    let args = CollArgs {
        send: sides(sendbuf, sendcounts, sdispls, sendtype),
        receive: sides(recvbuf, recvcounts, rdispls, recvtype),
        ..no_data(COLL_ALLTOALLV)
    };
    run(comm::of(comm)?, &args)
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts<'_>,
    sdispls: Counts<'_>,
    sendtypes: &[Datatype],
    recvbuf: *mut c_void,
    recvcounts: Counts<'_>,
    rdispls: Counts<'_>,
    recvtypes: &[Datatype],
    comm: Comm,
) -> Result<()> {
    let views = |types: &[Datatype]| {
        types
            .iter()
            .map(|one| Ok(std::ptr::from_ref(datatype::of(*one)?)))
            .collect::<Result<Vec<_>>>()
    };
    let (send, receive) = (views(sendtypes)?, views(recvtypes)?);
    let args = CollArgs {
        send: CollSide {
            datatypes: send.as_ptr(),
            ..sides(sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL)
        },
        receive: CollSide {
            datatypes: receive.as_ptr(),
            ..sides(recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL)
        },
        ..no_data(COLL_ALLTOALLW)
    };
    run(comm::of(comm)?, &args)
}

/// The arguments of a reduction.
fn reduction(
    which: u32,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
) -> Result<CollArgs> {
    Ok(CollArgs {
        send: side(sendbuf, count, datatype),
        receive: side(recvbuf, count, datatype),
        op: operation(op, datatype)?,
        ..no_data(which)
    })
}

#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
) -> Result<()> {
    let args = if args::takes_part(root) {
        CollArgs { root, ..reduction(COLL_REDUCE, sendbuf, recvbuf, count, datatype, op)? }
    } else {
        CollArgs { root, ..no_data(COLL_REDUCE) }
    };
    run(comm::of(comm)?, &args)
}

/// Reductions without a root.
macro_rules! reductions {
    ($($name:ident: $operation:ident;)*) => {$(
        pub fn $name(
            sendbuf: *const c_void,
            recvbuf: *mut c_void,
            count: Count,
            datatype: Datatype,
            op: Op,
            comm: Comm,
        ) -> Result<()> {
            let args = reduction($operation, sendbuf, recvbuf, count, datatype, op)?;
            run(comm::of(comm)?, &args)
        }
    )*};
}

reductions! {
    allreduce: COLL_ALLREDUCE;
    scan: COLL_SCAN;
    exscan: COLL_EXSCAN;
    reduce_scatter_block: COLL_REDUCE_SCATTER_BLOCK;
}

pub fn reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts<'_>,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<()> {
    let mut args = reduction(COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0, datatype, op)?;
    args.send.counts = array(recvcounts);
    args.receive.counts = array(recvcounts);
    run(comm::of(comm)?, &args)
}

pub fn reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
) -> Result<()> {
    let op = operation(op, datatype)?;
    let view = datatype::of(datatype)?;
    if let (Some(apply), 1..) = (op.apply, count) {
        // SAFETY: the arguments were checked, and the program vouches for the buffers.
        unsafe { apply(op, inbuf, inoutbuf, count as u64, view) };
    }
    Ok(())
}
