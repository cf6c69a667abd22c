//! Entries of `crate::calls::icoll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iallgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Iallgather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgather_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iallgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Iallgather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::iallgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Iallgatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallgatherv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::iallgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Iallgatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iallreduce", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iallreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iallreduce_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ialltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ialltoall", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoall_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ialltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ialltoall_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::ialltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request,
            )
        }
    };
    finish("MPI_Ialltoallv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtype: Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::ialltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request,
            )
        }
    };
    finish("MPI_Ialltoallv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
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
            crate::calls::icoll::ialltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request,
            )
        }
    };
    finish("MPI_Ialltoallw", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ialltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtypes: *const Datatype,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_sendbuf = sendbuf.addr() != MPI_IN_PLACE.addr();
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
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
            crate::calls::icoll::ialltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request,
            )
        }
    };
    finish("MPI_Ialltoallw_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibarrier(comm: Comm, request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ibarrier(comm, request)
        }
    };
    finish("MPI_Ibarrier", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibcast(
    buffer: *mut c_void,
    count: c_int,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ibcast(buffer, count, datatype, root, comm, request)
        }
    };
    finish("MPI_Ibcast", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibcast_c(
    buffer: *mut c_void,
    count: Count,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ibcast(buffer, count, datatype, root, comm, request)
        }
    };
    finish("MPI_Ibcast_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iexscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iexscan(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iexscan", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iexscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iexscan(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iexscan_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::igather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
            )
        }
    };
    finish("MPI_Igather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igather_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::igather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
            )
        }
    };
    finish("MPI_Igather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::igatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                request,
            )
        }
    };
    finish("MPI_Igatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Igatherv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::igatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                request,
            )
        }
    };
    finish("MPI_Igatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request)
        }
    };
    finish("MPI_Ireduce", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request)
        }
    };
    finish("MPI_Ireduce_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.size() as usize;
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::icoll::ireduce_scatter(
                sendbuf, recvbuf, recvcounts, datatype, op, comm, request,
            )
        }
    };
    finish("MPI_Ireduce_scatter", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype("datatype", datatype)?;
            let op = check::op("op", op)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.size() as usize;
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::icoll::ireduce_scatter(
                sendbuf, recvbuf, recvcounts, datatype, op, comm, request,
            )
        }
    };
    finish("MPI_Ireduce_scatter_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ireduce_scatter_block(
                sendbuf, recvbuf, recvcount, datatype, op, comm, request,
            )
        }
    };
    finish("MPI_Ireduce_scatter_block", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ireduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::ireduce_scatter_block(
                sendbuf, recvbuf, recvcount, datatype, op, comm, request,
            )
        }
    };
    finish("MPI_Ireduce_scatter_block_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iscan(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iscan", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iscan(sendbuf, recvbuf, count, datatype, op, comm, request)
        }
    };
    finish("MPI_Iscan_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iscatter(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
            )
        }
    };
    finish("MPI_Iscatter", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatter_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
            }
            crate::calls::icoll::iscatter(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
            )
        }
    };
    finish("MPI_Iscatter_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::iscatterv(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                request,
            )
        }
    };
    finish("MPI_Iscatterv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iscatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    displs: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let recvcount = args::count(recvcount);
            let request = args::out(request);
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
                check::pointer("request", request)?;
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
            crate::calls::icoll::iscatterv(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                request,
            )
        }
    };
    finish("MPI_Iscatterv_c", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Iallgather",
    ".set MPI_Iallgather, PMPI_Iallgather",
    ".weak MPI_Iallgather_c",
    ".set MPI_Iallgather_c, PMPI_Iallgather_c",
    ".weak MPI_Iallgatherv",
    ".set MPI_Iallgatherv, PMPI_Iallgatherv",
    ".weak MPI_Iallgatherv_c",
    ".set MPI_Iallgatherv_c, PMPI_Iallgatherv_c",
    ".weak MPI_Iallreduce",
    ".set MPI_Iallreduce, PMPI_Iallreduce",
    ".weak MPI_Iallreduce_c",
    ".set MPI_Iallreduce_c, PMPI_Iallreduce_c",
    ".weak MPI_Ialltoall",
    ".set MPI_Ialltoall, PMPI_Ialltoall",
    ".weak MPI_Ialltoall_c",
    ".set MPI_Ialltoall_c, PMPI_Ialltoall_c",
    ".weak MPI_Ialltoallv",
    ".set MPI_Ialltoallv, PMPI_Ialltoallv",
    ".weak MPI_Ialltoallv_c",
    ".set MPI_Ialltoallv_c, PMPI_Ialltoallv_c",
    ".weak MPI_Ialltoallw",
    ".set MPI_Ialltoallw, PMPI_Ialltoallw",
    ".weak MPI_Ialltoallw_c",
    ".set MPI_Ialltoallw_c, PMPI_Ialltoallw_c",
    ".weak MPI_Ibarrier",
    ".set MPI_Ibarrier, PMPI_Ibarrier",
    ".weak MPI_Ibcast",
    ".set MPI_Ibcast, PMPI_Ibcast",
    ".weak MPI_Ibcast_c",
    ".set MPI_Ibcast_c, PMPI_Ibcast_c",
    ".weak MPI_Iexscan",
    ".set MPI_Iexscan, PMPI_Iexscan",
    ".weak MPI_Iexscan_c",
    ".set MPI_Iexscan_c, PMPI_Iexscan_c",
    ".weak MPI_Igather",
    ".set MPI_Igather, PMPI_Igather",
    ".weak MPI_Igather_c",
    ".set MPI_Igather_c, PMPI_Igather_c",
    ".weak MPI_Igatherv",
    ".set MPI_Igatherv, PMPI_Igatherv",
    ".weak MPI_Igatherv_c",
    ".set MPI_Igatherv_c, PMPI_Igatherv_c",
    ".weak MPI_Ireduce",
    ".set MPI_Ireduce, PMPI_Ireduce",
    ".weak MPI_Ireduce_c",
    ".set MPI_Ireduce_c, PMPI_Ireduce_c",
    ".weak MPI_Ireduce_scatter",
    ".set MPI_Ireduce_scatter, PMPI_Ireduce_scatter",
    ".weak MPI_Ireduce_scatter_c",
    ".set MPI_Ireduce_scatter_c, PMPI_Ireduce_scatter_c",
    ".weak MPI_Ireduce_scatter_block",
    ".set MPI_Ireduce_scatter_block, PMPI_Ireduce_scatter_block",
    ".weak MPI_Ireduce_scatter_block_c",
    ".set MPI_Ireduce_scatter_block_c, PMPI_Ireduce_scatter_block_c",
    ".weak MPI_Iscan",
    ".set MPI_Iscan, PMPI_Iscan",
    ".weak MPI_Iscan_c",
    ".set MPI_Iscan_c, PMPI_Iscan_c",
    ".weak MPI_Iscatter",
    ".set MPI_Iscatter, PMPI_Iscatter",
    ".weak MPI_Iscatter_c",
    ".set MPI_Iscatter_c, PMPI_Iscatter_c",
    ".weak MPI_Iscatterv",
    ".set MPI_Iscatterv, PMPI_Iscatterv",
    ".weak MPI_Iscatterv_c",
    ".set MPI_Iscatterv_c, PMPI_Iscatterv_c",
);
