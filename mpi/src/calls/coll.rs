//! Collective communication (MPI 5.0, chapter 6), in the three ways in which it can be called.
//!
//! What an operation makes of its arguments is written once; [`collectives!`] makes the blocking, the
//! nonblocking and the persistent function of it, also for [`super::neighbor`].

use std::ffi::{c_int, c_void};

use cairn_framework::abi::datatype::{Datatype as DatatypeView, Op as OpView};
use cairn_framework::frameworks::coll::{
    COLL_ALLGATHER, COLL_ALLGATHERV, COLL_ALLREDUCE, COLL_ALLTOALL, COLL_ALLTOALLV, COLL_ALLTOALLW,
    COLL_BARRIER, COLL_BCAST, COLL_EXSCAN, COLL_GATHER, COLL_GATHERV, COLL_NONBLOCKING,
    COLL_PERSISTENT, COLL_REDUCE, COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK, COLL_SCAN,
    COLL_SCATTER, COLL_SCATTERV, CollArgs, CollCounts, CollSide,
};

use crate::objects::request;
use crate::prelude::*;
use crate::runtime::no_data;

mod agree;
pub(super) mod apart;

/// An operation that is ready to be run or started.
pub(super) struct Prepared {
    pub(super) args: CollArgs,
    /// What the arguments lead to: the datatypes of both sides, by block.
    datatypes: [Vec<*const DatatypeView>; 2],
    /// The reduction operation.
    op: Option<OpRef>,
}

impl From<CollArgs> for Prepared {
    fn from(args: CollArgs) -> Self {
        Self { args, datatypes: Default::default(), op: None }
    }
}

/// Operations, each with the names of its blocking, nonblocking and persistent function. Whether they are
/// defined on a communicator as they are called says `fits` of the module that this stands in.
macro_rules! collectives {
    ($($name:ident $start:ident $init:ident ($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        mod prepare {
            use super::*;
            $(
                #[allow(clippy::too_many_arguments, reason = "MPI's functions have them")]
                pub(super) fn $name($($arg: $type),*) -> Result<Prepared> $body
            )*
        }
        $(
            #[allow(clippy::too_many_arguments, reason = "MPI's functions have them")]
            pub fn $name($($arg: $type,)* comm: CommRef) -> Result<()> {
                let prepared = prepare::$name($($arg),*)?;
                fits(comm, &prepared.args)?;
                run(comm, &prepared)
            }
        )*
        /// The nonblocking functions.
        pub mod nonblocking {
            use super::*;
            $(
                #[allow(clippy::too_many_arguments, reason = "MPI's functions have them")]
                pub fn $start($($arg: $type,)* comm: CommRef, request: Out<Request>) -> Result<()> {
                    let prepared = prepare::$name($($arg),*)?;
                    fits(comm, &prepared.args)?;
                    request.set(start(COLL_NONBLOCKING, comm, &prepared)?);
                    Ok(())
                }
            )*
        }
        /// The persistent functions. No hint of an operation is known yet.
        pub mod persistent {
            use super::*;
            $(
                #[allow(clippy::too_many_arguments, reason = "MPI's functions have them")]
                pub fn $init(
                    $($arg: $type,)*
                    comm: CommRef,
                    _info: InfoRef,
                    request: Out<Request>,
                ) -> Result<()> {
                    let prepared = prepare::$name($($arg),*)?;
                    fits(comm, &prepared.args)?;
                    request.set(start(COLL_PERSISTENT, comm, &prepared)?);
                    Ok(())
                }
            )*
        }
    };
}

pub(super) use collectives;

/// Runs an operation.
pub(super) fn run(comm: CommRef, prepared: &Prepared) -> Result<()> {
    if agree::wanted() {
        agree::check(comm, &prepared.args)?;
    }
    // SAFETY: the arguments were checked, and the program vouches for the buffers.
    unsafe { comm.run(&prepared.args) }
}

/// Starts an operation, or makes a persistent request of it.
pub(super) fn start(way: u32, comm: CommRef, prepared: &Prepared) -> Result<Request> {
    if agree::wanted() {
        agree::overlapping(comm, &prepared.args)?;
    }
    // SAFETY: as above; the program leaves the buffers alone until the operation is complete.
    let view = unsafe { comm.start(way, &prepared.args) }?;
    let args = &prepared.args;
    let sides = [args.send.datatype, args.receive.datatype].into_iter();
    let all = sides.chain(prepared.datatypes.iter().flatten().copied());
    // SAFETY: the datatypes of checked arguments; they are kept from here on.
    let datatypes = all.filter_map(|datatype| unsafe { datatype.as_ref() });
    Ok(request::collective(view, comm, prepared.op, datatypes))
}

/// Whether the operation is defined on the communicator as it is called: between groups there are no
/// prefix reductions, every buffer that counts is a buffer (MPI 5.0, section 6.2.3), and data is not
/// sent from where it is received.
fn fits(comm: CommRef, args: &CollArgs) -> Result<()> {
    if args.operation == COLL_REDUCE_SCATTER {
        own_part(comm, args)?;
    }
    if comm.is_inter() && matches!(args.operation, COLL_SCAN | COLL_EXSCAN) {
        let text = "comm is an intercommunicator, for which prefix reductions are not defined";
        return Err(Error::new(MPI_ERR_COMM, text));
    }
    if own_buffer(args).1.addr() == MPI_IN_PLACE.addr() {
        return may_be_in_place(comm, args);
    }
    let rank = comm.rank();
    let has_both = !args.send.buffer.is_null() && (!is_rooted(args) || args.root == rank as c_int);
    // Between groups the standard leaves it to the program.
    if has_both && !comm.is_inter() && check::enabled() {
        apart::check(args, rank as usize, comm.size() as usize)?;
    }
    Ok(())
}

/// The buffer with this process's own part, which it may leave out where that is in place; and its
/// name.
fn own_buffer(args: &CollArgs) -> (&'static str, *mut c_void) {
    match args.operation {
        COLL_SCATTER | COLL_SCATTERV => ("recvbuf", args.receive.buffer),
        _ => ("sendbuf", args.send.buffer),
    }
}

/// Whether `MPI_IN_PLACE` may stand for this process's own part: not between groups, and where the
/// operation has a root only there.
#[cold]
fn may_be_in_place(comm: CommRef, args: &CollArgs) -> Result<()> {
    let (name, _) = own_buffer(args);
    let text = if comm.is_inter() {
        // Within the root's group only the root has data, and its buffer was checked.
        if args.root < 0 {
            return Ok(());
        }
        format!("{name} may not be MPI_IN_PLACE on an intercommunicator")
    } else {
        if !is_rooted(args) || args.root == comm.rank() as c_int {
            return Ok(());
        }
        format!("{name} may be MPI_IN_PLACE only at the root, which is {}", args.root)
    };
    Err(Error::new(MPI_ERR_BUFFER, text))
}

/// Whether only the root has both something to send and something to receive.
fn is_rooted(args: &CollArgs) -> bool {
    matches!(
        args.operation,
        COLL_GATHER | COLL_GATHERV | COLL_SCATTER | COLL_SCATTERV | COLL_REDUCE
    )
}

/// One side of an operation with one count.
pub(super) fn side(buffer: *const c_void, count: Count, datatype: DatatypeRef) -> CollSide {
    CollSide {
        buffer: buffer.cast_mut(),
        count: count as u64,
        datatype: datatype.view(),
        ..no_data(0).send
    }
}

/// One side of an operation with counts and displacements by block.
pub(super) fn sides(
    name: &str,
    buffer: *const c_void,
    counts: Counts<'_>,
    displacements: Counts<'_>,
    datatype: DatatypeRef,
) -> Result<CollSide> {
    present(name, buffer, counts.iter().map(|count| (count, datatype)))?;
    Ok(CollSide {
        counts: array(counts),
        displacements: array(displacements),
        ..side(buffer, 0, datatype)
    })
}

/// Checks a buffer of which is only known what is in it when counts by block have been read.
#[inline]
fn present(
    name: &str,
    buffer: *const c_void,
    mut data: impl Iterator<Item = (Count, DatatypeRef)>,
) -> Result<()> {
    if !buffer.is_null() || !check::enabled() {
        return Ok(());
    }
    data.try_for_each(|(count, datatype)| check::buffer_or_place(name, buffer, count, datatype))
}

fn array(counts: Counts<'_>) -> CollCounts {
    match counts {
        Counts::Small(all) => CollCounts { data: all.as_ptr().cast(), width: 4, reserved: 0 },
        Counts::Large(all) => CollCounts { data: all.as_ptr().cast(), width: 8, reserved: 0 },
    }
}

/// The operation of a reduction on elements of a type.
fn operation(op: OpRef, datatype: DatatypeRef) -> Result<&'static OpView> {
    if !op.is_defined(datatype.view()) {
        return Err(undefined(op, datatype));
    }
    // Section 12.3.4.
    let constant = op.constant();
    if constant == MPI_REPLACE || constant == MPI_NO_OP {
        let name = if constant == MPI_REPLACE { "MPI_REPLACE" } else { "MPI_NO_OP" };
        let text = "that is for one-sided communication alone";
        return Err(Error::argument(MPI_ERR_OP, "op", name, text));
    }
    Ok(op.view())
}

#[cold]
fn undefined(op: OpRef, datatype: DatatypeRef) -> Error {
    // An operation of the program is defined on all.
    let constant = op.constant();
    let name = OP_NAMES.iter().find(|(own, _)| *own == constant).map_or("none", |(_, name)| name);
    let on = DATATYPE_NAMES.iter().find(|(own, _)| *own == datatype.handle());
    let on = on.map_or("derived datatypes", |(_, name)| name);
    Error::argument(MPI_ERR_OP, "op", name, format_args!("that is not defined on {on}"))
}

collectives! {
    barrier ibarrier barrier_init () {
        Ok(no_data(COLL_BARRIER).into())
    }
    bcast ibcast bcast_init (buffer: *mut c_void, count: Count, datatype: DatatypeRef, root: c_int) {
        let receive = side(buffer, count, datatype);
        Ok(CollArgs { receive, root, ..no_data(COLL_BCAST) }.into())
    }
    gather igather gather_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
        root: c_int,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            root,
            ..no_data(COLL_GATHER)
        };
        Ok(args.into())
    }
    gatherv igatherv gatherv_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        displs: Counts<'_>,
        recvtype: DatatypeRef,
        root: c_int,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: sides("recvbuf", recvbuf, recvcounts, displs, recvtype)?,
            root,
            ..no_data(COLL_GATHERV)
        };
        Ok(args.into())
    }
    scatter iscatter scatter_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
        root: c_int,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            root,
            ..no_data(COLL_SCATTER)
        };
        Ok(args.into())
    }
    scatterv iscatterv scatterv_init (
        sendbuf: *const c_void,
        sendcounts: Counts<'_>,
        displs: Counts<'_>,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
        root: c_int,
    ) {
        let args = CollArgs {
            send: sides("sendbuf", sendbuf, sendcounts, displs, sendtype)?,
            receive: side(recvbuf, recvcount, recvtype),
            root,
            ..no_data(COLL_SCATTERV)
        };
        Ok(args.into())
    }
    allgather iallgather allgather_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            ..no_data(COLL_ALLGATHER)
        };
        Ok(args.into())
    }
    allgatherv iallgatherv allgatherv_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        displs: Counts<'_>,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: sides("recvbuf", recvbuf, recvcounts, displs, recvtype)?,
            ..no_data(COLL_ALLGATHERV)
        };
        Ok(args.into())
    }
    alltoall ialltoall alltoall_init (
        sendbuf: *const c_void,
        sendcount: Count,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcount: Count,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: side(sendbuf, sendcount, sendtype),
            receive: side(recvbuf, recvcount, recvtype),
            ..no_data(COLL_ALLTOALL)
        };
        Ok(args.into())
    }
    alltoallv ialltoallv alltoallv_init (
        sendbuf: *const c_void,
        sendcounts: Counts<'_>,
        sdispls: Counts<'_>,
        sendtype: DatatypeRef,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        rdispls: Counts<'_>,
        recvtype: DatatypeRef,
    ) {
        let args = CollArgs {
            send: sides("sendbuf", sendbuf, sendcounts, sdispls, sendtype)?,
            receive: sides("recvbuf", recvbuf, recvcounts, rdispls, recvtype)?,
            ..no_data(COLL_ALLTOALLV)
        };
        Ok(args.into())
    }
    alltoallw ialltoallw alltoallw_init (
        sendbuf: *const c_void,
        sendcounts: Counts<'_>,
        sdispls: Counts<'_>,
        sendtypes: &[Datatype],
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        rdispls: Counts<'_>,
        recvtypes: &[Datatype],
    ) {
        let (sent, received) = (types(sendtypes)?, types(recvtypes)?);
        present("sendbuf", sendbuf, sendcounts.iter().zip(sent.iter().copied()))?;
        present("recvbuf", recvbuf, recvcounts.iter().zip(received.iter().copied()))?;
        Ok(of_types(
            COLL_ALLTOALLW,
            (sendbuf, sendcounts, sdispls, sent),
            (recvbuf, recvcounts, rdispls, received),
        ))
    }
    reduce ireduce reduce_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: Count,
        datatype: DatatypeRef,
        op: OpRef,
        root: c_int,
    ) {
        let mut prepared = if check::takes_part(root) {
            reduction(COLL_REDUCE, sendbuf, recvbuf, count, datatype, op)?
        } else {
            no_data(COLL_REDUCE).into()
        };
        prepared.args.root = root;
        Ok(prepared)
    }
    allreduce iallreduce allreduce_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: Count,
        datatype: DatatypeRef,
        op: OpRef,
    ) {
        reduction(COLL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op)
    }
    scan iscan scan_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: Count,
        datatype: DatatypeRef,
        op: OpRef,
    ) {
        reduction(COLL_SCAN, sendbuf, recvbuf, count, datatype, op)
    }
    exscan iexscan exscan_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: Count,
        datatype: DatatypeRef,
        op: OpRef,
    ) {
        reduction(COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op)
    }
    reduce_scatter_block ireduce_scatter_block reduce_scatter_block_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcount: Count,
        datatype: DatatypeRef,
        op: OpRef,
    ) {
        reduction(COLL_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op)
    }
    reduce_scatter ireduce_scatter reduce_scatter_init (
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        recvcounts: Counts<'_>,
        datatype: DatatypeRef,
        op: OpRef,
    ) {
        let mut prepared = reduction(COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0, datatype, op)?;
        prepared.args.send.counts = array(recvcounts);
        prepared.args.receive.counts = array(recvcounts);
        present("sendbuf", sendbuf, recvcounts.iter().map(|count| (count, datatype)))?;
        Ok(prepared)
    }
}

/// The types of blocks. One that no element has need not be one.
pub(super) fn types(handles: &[Datatype]) -> Result<Vec<DatatypeRef>> {
    let find = |handle: &Datatype| match *handle {
        MPI_DATATYPE_NULL => Ok(DatatypeRef::insignificant()),
        handle => DatatypeRef::of(handle),
    };
    handles.iter().map(find).collect()
}

/// Blocks of several types: buffer, counts, displacements in bytes and types of each side.
pub(super) fn of_types(
    operation: u32,
    send: (*const c_void, Counts<'_>, Counts<'_>, Vec<DatatypeRef>),
    receive: (*mut c_void, Counts<'_>, Counts<'_>, Vec<DatatypeRef>),
) -> Prepared {
    let views = |types: Vec<DatatypeRef>| -> Vec<*const DatatypeView> {
        types.into_iter().map(|datatype| std::ptr::from_ref(datatype.view())).collect()
    };
    let datatypes = [views(send.3), views(receive.3)];
    let typed = |buffer, counts, displacements, types: &Vec<_>| CollSide {
        counts: array(counts),
        displacements: array(displacements),
        datatypes: types.as_ptr(),
        ..side(buffer, 0, DatatypeRef::insignificant())
    };
    let args = CollArgs {
        send: typed(send.0, send.1, send.2, &datatypes[0]),
        receive: typed(receive.0.cast_const(), receive.1, receive.2, &datatypes[1]),
        ..no_data(operation)
    };
    Prepared { args, datatypes, op: None }
}

/// A reduction.
fn reduction(
    which: u32,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    op: OpRef,
) -> Result<Prepared> {
    let args = CollArgs {
        send: side(sendbuf, count, datatype),
        receive: side(recvbuf, count, datatype),
        op: operation(op, datatype)?,
        ..no_data(which)
    };
    Ok(Prepared { op: Some(op), ..args.into() })
}

pub fn reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
    op: OpRef,
) -> Result<()> {
    let op = operation(op, datatype)?;
    let view = datatype.view();
    if check::enabled() {
        apart::check_operands(inbuf, inoutbuf, count as u64, view)?;
    }
    if let (Some(apply), 1..) = (op.apply, count) {
        // SAFETY: the arguments were checked, and the program vouches for the buffers.
        unsafe { apply(op, inbuf, inoutbuf, count as u64, view) };
    }
    Ok(())
}

/// Where this process receives its part of a reduction.
fn own_part(comm: CommRef, args: &CollArgs) -> Result<()> {
    let CollSide { buffer, ref counts, .. } = args.receive;
    if !buffer.is_null() || !check::enabled() {
        return Ok(());
    }
    let rank = comm.rank() as usize;
    // SAFETY: there is a count for each process of the group, as wide as it says; a reduction has a
    // datatype.
    let (own, predefined) = unsafe {
        let own = match counts.width {
            4 => args::counts(counts.data.cast::<c_int>(), rank + 1).at(rank),
            _ => args::counts(counts.data.cast::<Count>(), rank + 1).at(rank),
        };
        (own, (*args.receive.datatype).predefined != 0)
    };
    // With a derived type the null pointer is MPI_BOTTOM.
    let byte = DatatypeRef::of(MPI_BYTE)?;
    present("recvbuf", buffer, predefined.then_some((own, byte)).into_iter())
}
