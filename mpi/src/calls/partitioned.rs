//! Partitioned communication (MPI 5.0, chapter 4).

use crate::abi::prelude::*;
use crate::objects::partitioned::{self, Plan};
use crate::objects::{comm, datatype, info};

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: Out<Request>,
) -> Result<()> {
    let plan = plan(buf.cast_mut(), partitions, count, datatype, (dest, tag, comm), info)?;
    request.set(partitioned::send_init(plan)?);
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    info: Info,
    request: Out<Request>,
) -> Result<()> {
    let plan = plan(buf, partitions, count, datatype, (dest, tag, comm), info)?;
    request.set(partitioned::recv_init(plan)?);
    Ok(())
}

fn plan(
    buffer: *mut c_void,
    partitions: c_int,
    count: Count,
    datatype: Datatype,
    (peer, tag, comm): (c_int, c_int, Comm),
    info: Info,
) -> Result<Plan> {
    // No hint is known.
    info::pairs(info)?;
    // Without a peer the data is not significant.
    let (count, datatype) = if peer == MPI_PROC_NULL { (0, MPI_BYTE) } else { (count, datatype) };
    let (datatype, comm) = (datatype::of(datatype)?, comm::of(comm)?);
    Ok(Plan { buffer, partitions: args::length(partitions), count, datatype, peer, tag, comm })
}

pub fn pready(partition: c_int, request: Request) -> Result<()> {
    partitioned::ready(request, partition)
}

pub fn pready_range(partition_low: c_int, partition_high: c_int, request: Request) -> Result<()> {
    (partition_low..=partition_high).try_for_each(|place| partitioned::ready(request, place))
}

pub fn pready_list(length: c_int, array_of_partitions: &[c_int], request: Request) -> Result<()> {
    let _ = length;
    array_of_partitions.iter().try_for_each(|place| partitioned::ready(request, *place))
}

pub fn parrived(request: Request, partition: c_int, flag: Out<c_int>) -> Result<()> {
    flag.set(partitioned::arrived(request, partition)?.into());
    Ok(())
}
