//! Partitioned communication (MPI 5.0, chapter 4).

use crate::objects::partitioned::{self, Plan};
use crate::prelude::*;

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    // No hint is known.
    _info: InfoRef,
    request: Out<Request>,
) -> Result<()> {
    let plan = plan(buf.cast_mut(), partitions, count, datatype, (dest, tag, comm))?;
    request.set(partitioned::send_init(plan)?);
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: Count,
    datatype: DatatypeRef,
    dest: c_int,
    tag: c_int,
    comm: CommRef,
    // No hint is known.
    _info: InfoRef,
    request: Out<Request>,
) -> Result<()> {
    let plan = plan(buf, partitions, count, datatype, (dest, tag, comm))?;
    request.set(partitioned::recv_init(plan)?);
    Ok(())
}

fn plan(
    buffer: *mut c_void,
    partitions: c_int,
    count: Count,
    datatype: DatatypeRef,
    (peer, tag, comm): (c_int, c_int, CommRef),
) -> Result<Plan> {
    // Without a peer the data is not significant.
    let count = if peer == MPI_PROC_NULL { 0 } else { count };
    let (partitions, datatype) = (args::length(partitions), datatype.view());
    Ok(Plan { buffer, partitions, count, datatype, peer, tag, comm })
}

pub fn pready(partition: c_int, request: RequestRef) -> Result<()> {
    partitioned::ready(request, partition)
}

pub fn pready_range(
    partition_low: c_int,
    partition_high: c_int,
    request: RequestRef,
) -> Result<()> {
    (partition_low..=partition_high).try_for_each(|place| partitioned::ready(request, place))
}

pub fn pready_list(
    length: c_int,
    array_of_partitions: &[c_int],
    request: RequestRef,
) -> Result<()> {
    let _ = length;
    array_of_partitions.iter().try_for_each(|place| partitioned::ready(request, *place))
}

pub fn parrived(request: RequestRef, partition: c_int, flag: Out<c_int>) -> Result<()> {
    flag.set(partitioned::arrived(request, partition)?.into());
    Ok(())
}
