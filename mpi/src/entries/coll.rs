//! Entries of `crate::calls::coll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Allgather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Allgather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.peers();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        }
    };
    finish("MPI_Allgatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.peers();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        }
    };
    finish("MPI_Allgatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::allreduce(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Allreduce", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::allreduce(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Allreduce_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Alltoall", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                if uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Alltoall_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let sdispls = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sdispls", sdispls, length)?;
                    args::counts(sdispls, length)
                }
            } else {
                Default::default()
            };
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.peers();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        }
    };
    finish("MPI_Alltoallv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let sdispls = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sdispls", sdispls, length)?;
                    args::counts(sdispls, length)
                }
            } else {
                Default::default()
            };
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.peers();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        }
    };
    finish("MPI_Alltoallv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let sdispls = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sdispls", sdispls, length)?;
                    args::counts(sdispls, length)
                }
            } else {
                Default::default()
            };
            let sendtypes = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendtypes", sendtypes, length)?;
                    args::slice(sendtypes, length)
                }
            } else {
                Default::default()
            };
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.peers();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.peers();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::coll::alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        }
    };
    finish("MPI_Alltoallw", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtypes: *const Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let sdispls = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sdispls", sdispls, length)?;
                    args::counts(sdispls, length)
                }
            } else {
                Default::default()
            };
            let sendtypes = if uses_sendbuf {
                {
                    let length = comm.peers();
                    check::array("sendtypes", sendtypes, length)?;
                    args::slice(sendtypes, length)
                }
            } else {
                Default::default()
            };
            let recvcounts = {
                let length = comm.peers();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.peers();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.peers();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::coll::alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        }
    };
    finish("MPI_Alltoallw_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Barrier(comm: Comm) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            crate::calls::coll::barrier(comm)
        }
    };
    finish("MPI_Barrier", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast(
    buffer: *mut c_void,
    count: c_int,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let takes_part = check::takes_part(root);
            let datatype = if takes_part {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if takes_part {
                    check::buffer("buffer", buffer, count, datatype)?;
                }
                if takes_part {
                    check::count("count", count)?;
                }
            }
            crate::calls::coll::bcast(buffer, count, datatype, root, comm)
        }
    };
    finish("MPI_Bcast", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_c(
    buffer: *mut c_void,
    count: Count,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let takes_part = check::takes_part(root);
            let datatype = if takes_part {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if takes_part {
                    check::buffer("buffer", buffer, count, datatype)?;
                }
                if takes_part {
                    check::count("count", count)?;
                }
            }
            crate::calls::coll::bcast(buffer, count, datatype, root, comm)
        }
    };
    finish("MPI_Bcast_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::exscan(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Exscan", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::exscan(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Exscan_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let at_root = check::at_root(root, comm);
            let sendtype = if at_leaf && uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_root {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_leaf && uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                if at_root {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_root {
                    check::count("recvcount", recvcount)?;
                }
            }
            crate::calls::coll::gather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Gather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let at_root = check::at_root(root, comm);
            let sendtype = if at_leaf && uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_root {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_leaf && uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                if at_root {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_root {
                    check::count("recvcount", recvcount)?;
                }
            }
            crate::calls::coll::gather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Gather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let at_root = check::at_root(root, comm);
            let sendtype = if at_leaf && uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_root {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_leaf && uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                if at_root {
                    check::not_in_place("recvbuf", recvbuf)?;
                }
            }
            let recvcounts = if at_root {
                {
                    let length = comm.peers();
                    check::array("recvcounts", recvcounts, length)?;
                    args::counts(recvcounts, length)
                }
            } else {
                Default::default()
            };
            let displs = if at_root {
                {
                    let length = comm.peers();
                    check::array("displs", displs, length)?;
                    args::counts(displs, length)
                }
            } else {
                Default::default()
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::gatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Gatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            let at_root = check::at_root(root, comm);
            let sendtype = if at_leaf && uses_sendbuf {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_root {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_leaf && uses_sendbuf {
                    check::count("sendcount", sendcount)?;
                }
                if at_root {
                    check::not_in_place("recvbuf", recvbuf)?;
                }
            }
            let recvcounts = if at_root {
                {
                    let length = comm.peers();
                    check::array("recvcounts", recvcounts, length)?;
                    args::counts(recvcounts, length)
                }
            } else {
                Default::default()
            };
            let displs = if at_root {
                {
                    let length = comm.peers();
                    check::array("displs", displs, length)?;
                    args::counts(displs, length)
                }
            } else {
                Default::default()
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::gatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Gatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let at_root = check::at_root(root, comm);
            let takes_part = check::takes_part(root);
            let datatype = if takes_part {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let op = if takes_part { check::op("op", op)? } else { OpRef::insignificant() };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                }
                if at_root {
                    check::buffer("recvbuf", recvbuf, count, datatype)?;
                }
                if takes_part {
                    check::count("count", count)?;
                }
            }
            crate::calls::coll::reduce(sendbuf, recvbuf, count, datatype, op, root, comm)
        }
    };
    finish("MPI_Reduce", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_leaf = check::at_leaf(root);
            let at_root = check::at_root(root, comm);
            let takes_part = check::takes_part(root);
            let datatype = if takes_part {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            let op = if takes_part { check::op("op", op)? } else { OpRef::insignificant() };
            if checks {
                if at_leaf {
                    check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                }
                if at_root {
                    check::buffer("recvbuf", recvbuf, count, datatype)?;
                }
                if takes_part {
                    check::count("count", count)?;
                }
            }
            crate::calls::coll::reduce(sendbuf, recvbuf, count, datatype, op, root, comm)
        }
    };
    finish("MPI_Reduce_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let op = check::op("op", op)?;
            if checks {
                check::buffer("inbuf", inbuf, count, datatype)?;
                check::buffer("inoutbuf", inoutbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::reduce_local(inbuf, inoutbuf, count, datatype, op)
        }
    };
    finish("MPI_Reduce_local", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_local_c(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let op = check::op("op", op)?;
            if checks {
                check::buffer("inbuf", inbuf, count, datatype)?;
                check::buffer("inoutbuf", inoutbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::reduce_local(inbuf, inoutbuf, count, datatype, op)
        }
    };
    finish("MPI_Reduce_local_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.size() as usize;
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm)
        }
    };
    finish("MPI_Reduce_scatter", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.size() as usize;
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::coll::reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm)
        }
    };
    finish("MPI_Reduce_scatter_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, recvcount, datatype)?;
                check::buffer("recvbuf", recvbuf, recvcount, datatype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::reduce_scatter_block(
                sendbuf, recvbuf, recvcount, datatype, op, comm,
            )
        }
    };
    finish("MPI_Reduce_scatter_block", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, recvcount, datatype)?;
                check::buffer("recvbuf", recvbuf, recvcount, datatype)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::coll::reduce_scatter_block(
                sendbuf, recvbuf, recvcount, datatype, op, comm,
            )
        }
    };
    finish("MPI_Reduce_scatter_block_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::scan(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Scan", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
            }
            crate::calls::coll::scan(sendbuf, recvbuf, count, datatype, op, comm)
        }
    };
    finish("MPI_Scan_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_root = check::at_root(root, comm);
            let at_leaf = check::at_leaf(root);
            let uses_recvbuf = recvbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if at_root {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_leaf && uses_recvbuf {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_root {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_root {
                    check::count("sendcount", sendcount)?;
                }
                if at_leaf {
                    check::buffer_or_place("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_leaf && uses_recvbuf {
                    check::count("recvcount", recvcount)?;
                }
            }
            crate::calls::coll::scatter(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Scatter", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_root = check::at_root(root, comm);
            let at_leaf = check::at_leaf(root);
            let uses_recvbuf = recvbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if at_root {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_leaf && uses_recvbuf {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_root {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                if at_root {
                    check::count("sendcount", sendcount)?;
                }
                if at_leaf {
                    check::buffer_or_place("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_leaf && uses_recvbuf {
                    check::count("recvcount", recvcount)?;
                }
            }
            crate::calls::coll::scatter(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Scatter_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_root = check::at_root(root, comm);
            let at_leaf = check::at_leaf(root);
            let uses_recvbuf = recvbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if at_root {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_leaf && uses_recvbuf {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_root {
                    check::not_in_place("sendbuf", sendbuf)?;
                }
                if at_leaf {
                    check::buffer_or_place("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_leaf && uses_recvbuf {
                    check::count("recvcount", recvcount)?;
                }
            }
            let sendcounts = if at_root {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let displs = if at_root {
                {
                    let length = comm.peers();
                    check::array("displs", displs, length)?;
                    args::counts(displs, length)
                }
            } else {
                Default::default()
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
            }
            crate::calls::coll::scatterv(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Scatterv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    displs: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::root("root", root, comm)?;
            }
            let at_root = check::at_root(root, comm);
            let at_leaf = check::at_leaf(root);
            let uses_recvbuf = recvbuf.addr() != MPI_IN_PLACE.addr();
            let sendtype = if at_root {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if at_leaf && uses_recvbuf {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if at_root {
                    check::not_in_place("sendbuf", sendbuf)?;
                }
                if at_leaf {
                    check::buffer_or_place("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                if at_leaf && uses_recvbuf {
                    check::count("recvcount", recvcount)?;
                }
            }
            let sendcounts = if at_root {
                {
                    let length = comm.peers();
                    check::array("sendcounts", sendcounts, length)?;
                    args::counts(sendcounts, length)
                }
            } else {
                Default::default()
            };
            let displs = if at_root {
                {
                    let length = comm.peers();
                    check::array("displs", displs, length)?;
                    args::counts(displs, length)
                }
            } else {
                Default::default()
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
            }
            crate::calls::coll::scatterv(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        }
    };
    finish("MPI_Scatterv_c", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Allgather",
    ".set MPI_Allgather, PMPI_Allgather",
    ".weak MPI_Allgather_c",
    ".set MPI_Allgather_c, PMPI_Allgather_c",
    ".weak MPI_Allgatherv",
    ".set MPI_Allgatherv, PMPI_Allgatherv",
    ".weak MPI_Allgatherv_c",
    ".set MPI_Allgatherv_c, PMPI_Allgatherv_c",
    ".weak MPI_Allreduce",
    ".set MPI_Allreduce, PMPI_Allreduce",
    ".weak MPI_Allreduce_c",
    ".set MPI_Allreduce_c, PMPI_Allreduce_c",
    ".weak MPI_Alltoall",
    ".set MPI_Alltoall, PMPI_Alltoall",
    ".weak MPI_Alltoall_c",
    ".set MPI_Alltoall_c, PMPI_Alltoall_c",
    ".weak MPI_Alltoallv",
    ".set MPI_Alltoallv, PMPI_Alltoallv",
    ".weak MPI_Alltoallv_c",
    ".set MPI_Alltoallv_c, PMPI_Alltoallv_c",
    ".weak MPI_Alltoallw",
    ".set MPI_Alltoallw, PMPI_Alltoallw",
    ".weak MPI_Alltoallw_c",
    ".set MPI_Alltoallw_c, PMPI_Alltoallw_c",
    ".weak MPI_Barrier",
    ".set MPI_Barrier, PMPI_Barrier",
    ".weak MPI_Bcast",
    ".set MPI_Bcast, PMPI_Bcast",
    ".weak MPI_Bcast_c",
    ".set MPI_Bcast_c, PMPI_Bcast_c",
    ".weak MPI_Exscan",
    ".set MPI_Exscan, PMPI_Exscan",
    ".weak MPI_Exscan_c",
    ".set MPI_Exscan_c, PMPI_Exscan_c",
    ".weak MPI_Gather",
    ".set MPI_Gather, PMPI_Gather",
    ".weak MPI_Gather_c",
    ".set MPI_Gather_c, PMPI_Gather_c",
    ".weak MPI_Gatherv",
    ".set MPI_Gatherv, PMPI_Gatherv",
    ".weak MPI_Gatherv_c",
    ".set MPI_Gatherv_c, PMPI_Gatherv_c",
    ".weak MPI_Reduce",
    ".set MPI_Reduce, PMPI_Reduce",
    ".weak MPI_Reduce_c",
    ".set MPI_Reduce_c, PMPI_Reduce_c",
    ".weak MPI_Reduce_local",
    ".set MPI_Reduce_local, PMPI_Reduce_local",
    ".weak MPI_Reduce_local_c",
    ".set MPI_Reduce_local_c, PMPI_Reduce_local_c",
    ".weak MPI_Reduce_scatter",
    ".set MPI_Reduce_scatter, PMPI_Reduce_scatter",
    ".weak MPI_Reduce_scatter_c",
    ".set MPI_Reduce_scatter_c, PMPI_Reduce_scatter_c",
    ".weak MPI_Reduce_scatter_block",
    ".set MPI_Reduce_scatter_block, PMPI_Reduce_scatter_block",
    ".weak MPI_Reduce_scatter_block_c",
    ".set MPI_Reduce_scatter_block_c, PMPI_Reduce_scatter_block_c",
    ".weak MPI_Scan",
    ".set MPI_Scan, PMPI_Scan",
    ".weak MPI_Scan_c",
    ".set MPI_Scan_c, PMPI_Scan_c",
    ".weak MPI_Scatter",
    ".set MPI_Scatter, PMPI_Scatter",
    ".weak MPI_Scatter_c",
    ".set MPI_Scatter_c, PMPI_Scatter_c",
    ".weak MPI_Scatterv",
    ".set MPI_Scatterv, PMPI_Scatterv",
    ".weak MPI_Scatterv_c",
    ".set MPI_Scatterv_c, PMPI_Scatterv_c",
);
