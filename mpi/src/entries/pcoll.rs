//! Entries of `crate::calls::pcoll`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::allgather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Allgather_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgather_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::allgather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Allgather_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::allgatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request,
            )
        }
    };
    finish("MPI_Allgatherv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allgatherv_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::allgatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request,
            )
        }
    };
    finish("MPI_Allgatherv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::allreduce_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Allreduce_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Allreduce_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::allreduce_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Allreduce_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoall_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Alltoall_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoall_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoall_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Alltoall_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoallv_init(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request,
            )
        }
    };
    finish("MPI_Alltoallv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallv_init_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtype: Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoallv_init(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request,
            )
        }
    };
    finish("MPI_Alltoallv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoallw_init(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request,
            )
        }
    };
    finish("MPI_Alltoallw_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Alltoallw_init_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    rdispls: *const Aint,
    recvtypes: *const Datatype,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::alltoallw_init(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request,
            )
        }
    };
    finish("MPI_Alltoallw_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Barrier_init(comm: Comm, info: Info, request: *mut Request) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::barrier_init(comm, info, request)
        }
    };
    finish("MPI_Barrier_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_init(
    buffer: *mut c_void,
    count: c_int,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::bcast_init(buffer, count, datatype, root, comm, info, request)
        }
    };
    finish("MPI_Bcast_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bcast_init_c(
    buffer: *mut c_void,
    count: Count,
    datatype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::bcast_init(buffer, count, datatype, root, comm, info, request)
        }
    };
    finish("MPI_Bcast_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::exscan_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Exscan_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Exscan_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::exscan_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Exscan_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::gather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request,
            )
        }
    };
    finish("MPI_Gather_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gather_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::gather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request,
            )
        }
    };
    finish("MPI_Gather_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::gatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                info, request,
            )
        }
    };
    finish("MPI_Gatherv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Gatherv_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    displs: *const Aint,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::gatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                info, request,
            )
        }
    };
    finish("MPI_Gatherv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::reduce_init(
                sendbuf, recvbuf, count, datatype, op, root, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::reduce_init(
                sendbuf, recvbuf, count, datatype, op, root, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, recvcount, datatype)?;
                check::buffer("recvbuf", recvbuf, recvcount, datatype)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::reduce_scatter_block_init(
                sendbuf, recvbuf, recvcount, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_scatter_block_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_block_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, recvcount, datatype)?;
                check::buffer("recvbuf", recvbuf, recvcount, datatype)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::reduce_scatter_block_init(
                sendbuf, recvbuf, recvcount, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_scatter_block_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::reduce_scatter_init(
                sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_scatter_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Reduce_scatter_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::reduce_scatter_init(
                sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Reduce_scatter_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::scan_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Scan_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scan_init_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
            if checks {
                check::buffer_or_place("sendbuf", sendbuf, count, datatype)?;
                check::buffer("recvbuf", recvbuf, count, datatype)?;
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::pcoll::scan_init(
                sendbuf, recvbuf, count, datatype, op, comm, info, request,
            )
        }
    };
    finish("MPI_Scan_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::scatter_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request,
            )
        }
    };
    finish("MPI_Scatter_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatter_init_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::scatter_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request,
            )
        }
    };
    finish("MPI_Scatter_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::scatterv_init(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                info, request,
            )
        }
    };
    finish("MPI_Scatterv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Scatterv_init_c(
    sendbuf: *const c_void,
    sendcounts: *const Count,
    displs: *const Aint,
    sendtype: Datatype,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    root: c_int,
    comm: Comm,
    info: Info,
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
            let info = check::info("info", info)?;
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
            crate::calls::pcoll::scatterv_init(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                info, request,
            )
        }
    };
    finish("MPI_Scatterv_init_c", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Allgather_init",
    ".set MPI_Allgather_init, PMPI_Allgather_init",
    ".weak MPI_Allgather_init_c",
    ".set MPI_Allgather_init_c, PMPI_Allgather_init_c",
    ".weak MPI_Allgatherv_init",
    ".set MPI_Allgatherv_init, PMPI_Allgatherv_init",
    ".weak MPI_Allgatherv_init_c",
    ".set MPI_Allgatherv_init_c, PMPI_Allgatherv_init_c",
    ".weak MPI_Allreduce_init",
    ".set MPI_Allreduce_init, PMPI_Allreduce_init",
    ".weak MPI_Allreduce_init_c",
    ".set MPI_Allreduce_init_c, PMPI_Allreduce_init_c",
    ".weak MPI_Alltoall_init",
    ".set MPI_Alltoall_init, PMPI_Alltoall_init",
    ".weak MPI_Alltoall_init_c",
    ".set MPI_Alltoall_init_c, PMPI_Alltoall_init_c",
    ".weak MPI_Alltoallv_init",
    ".set MPI_Alltoallv_init, PMPI_Alltoallv_init",
    ".weak MPI_Alltoallv_init_c",
    ".set MPI_Alltoallv_init_c, PMPI_Alltoallv_init_c",
    ".weak MPI_Alltoallw_init",
    ".set MPI_Alltoallw_init, PMPI_Alltoallw_init",
    ".weak MPI_Alltoallw_init_c",
    ".set MPI_Alltoallw_init_c, PMPI_Alltoallw_init_c",
    ".weak MPI_Barrier_init",
    ".set MPI_Barrier_init, PMPI_Barrier_init",
    ".weak MPI_Bcast_init",
    ".set MPI_Bcast_init, PMPI_Bcast_init",
    ".weak MPI_Bcast_init_c",
    ".set MPI_Bcast_init_c, PMPI_Bcast_init_c",
    ".weak MPI_Exscan_init",
    ".set MPI_Exscan_init, PMPI_Exscan_init",
    ".weak MPI_Exscan_init_c",
    ".set MPI_Exscan_init_c, PMPI_Exscan_init_c",
    ".weak MPI_Gather_init",
    ".set MPI_Gather_init, PMPI_Gather_init",
    ".weak MPI_Gather_init_c",
    ".set MPI_Gather_init_c, PMPI_Gather_init_c",
    ".weak MPI_Gatherv_init",
    ".set MPI_Gatherv_init, PMPI_Gatherv_init",
    ".weak MPI_Gatherv_init_c",
    ".set MPI_Gatherv_init_c, PMPI_Gatherv_init_c",
    ".weak MPI_Reduce_init",
    ".set MPI_Reduce_init, PMPI_Reduce_init",
    ".weak MPI_Reduce_init_c",
    ".set MPI_Reduce_init_c, PMPI_Reduce_init_c",
    ".weak MPI_Reduce_scatter_block_init",
    ".set MPI_Reduce_scatter_block_init, PMPI_Reduce_scatter_block_init",
    ".weak MPI_Reduce_scatter_block_init_c",
    ".set MPI_Reduce_scatter_block_init_c, PMPI_Reduce_scatter_block_init_c",
    ".weak MPI_Reduce_scatter_init",
    ".set MPI_Reduce_scatter_init, PMPI_Reduce_scatter_init",
    ".weak MPI_Reduce_scatter_init_c",
    ".set MPI_Reduce_scatter_init_c, PMPI_Reduce_scatter_init_c",
    ".weak MPI_Scan_init",
    ".set MPI_Scan_init, PMPI_Scan_init",
    ".weak MPI_Scan_init_c",
    ".set MPI_Scan_init_c, PMPI_Scan_init_c",
    ".weak MPI_Scatter_init",
    ".set MPI_Scatter_init, PMPI_Scatter_init",
    ".weak MPI_Scatter_init_c",
    ".set MPI_Scatter_init_c, PMPI_Scatter_init_c",
    ".weak MPI_Scatterv_init",
    ".set MPI_Scatterv_init, PMPI_Scatterv_init",
    ".weak MPI_Scatterv_init_c",
    ".set MPI_Scatterv_init_c, PMPI_Scatterv_init_c",
);
