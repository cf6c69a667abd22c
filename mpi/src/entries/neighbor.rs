//! Entries of `crate::calls::neighbor`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgather(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::ineighbor_allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_allgather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgather_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::ineighbor_allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_allgather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgatherv(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_allgatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_allgatherv_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_allgatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoall(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::ineighbor_alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoall", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoall_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::ineighbor_alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoall_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallv(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoallv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallv_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoallv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoallw", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ineighbor_alltoallw_c(
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::ineighbor_alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request,
            )
        }
    };
    finish("MPI_Ineighbor_alltoallw_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::neighbor::neighbor_allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_allgather", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::neighbor::neighbor_allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_allgather_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_init(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::neighbor_allgather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_allgather_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgather_init_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::neighbor_allgather_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_allgather_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_allgatherv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_allgatherv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_init(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_allgatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request,
            )
        }
    };
    finish("MPI_Neighbor_allgatherv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_allgatherv_init_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let displs = {
                let length = comm.in_degree();
                check::array("displs", displs, length)?;
                args::counts(displs, length)
            };
            if checks {
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_allgatherv_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request,
            )
        }
    };
    finish("MPI_Neighbor_allgatherv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::neighbor::neighbor_alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoall", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
            }
            crate::calls::neighbor::neighbor_alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoall_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_init(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::neighbor_alltoall_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoall_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoall_init_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::count("sendcount", sendcount)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::count("recvcount", recvcount)?;
                check::pointer("request", request)?;
            }
            crate::calls::neighbor::neighbor_alltoall_init(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoall_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoallv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoallv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_init(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallv_init(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoallv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallv_init_c(
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
            let sendtype = check::datatype("sendtype", sendtype)?;
            let recvtype = check::datatype("recvtype", recvtype)?;
            let comm = check::comm("comm", comm)?;
            let info = check::info("info", info)?;
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallv_init(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoallv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoallw", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_c(
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        }
    };
    finish("MPI_Neighbor_alltoallw_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_init(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const Aint,
    sendtypes: *const Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallw_init(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoallw_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Neighbor_alltoallw_init_c(
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
            if checks {
                check::not_in_place("sendbuf", sendbuf)?;
                check::not_in_place("recvbuf", recvbuf)?;
                check::pointer("request", request)?;
            }
            let sendcounts = {
                let length = comm.out_degree();
                check::array("sendcounts", sendcounts, length)?;
                args::counts(sendcounts, length)
            };
            let sdispls = {
                let length = comm.out_degree();
                check::array("sdispls", sdispls, length)?;
                args::counts(sdispls, length)
            };
            let sendtypes = {
                let length = comm.out_degree();
                check::array("sendtypes", sendtypes, length)?;
                args::slice(sendtypes, length)
            };
            let recvcounts = {
                let length = comm.in_degree();
                check::array("recvcounts", recvcounts, length)?;
                args::counts(recvcounts, length)
            };
            let rdispls = {
                let length = comm.in_degree();
                check::array("rdispls", rdispls, length)?;
                args::counts(rdispls, length)
            };
            let recvtypes = {
                let length = comm.in_degree();
                check::array("recvtypes", recvtypes, length)?;
                args::slice(recvtypes, length)
            };
            if checks {
                check::counts("sendcounts", sendcounts)?;
                check::datatypes("sendtypes", sendtypes, sendcounts)?;
                check::counts("recvcounts", recvcounts)?;
                check::datatypes("recvtypes", recvtypes, recvcounts)?;
            }
            crate::calls::neighbor::neighbor_alltoallw_init(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request,
            )
        }
    };
    finish("MPI_Neighbor_alltoallw_init_c", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Ineighbor_allgather",
    ".set MPI_Ineighbor_allgather, PMPI_Ineighbor_allgather",
    ".weak MPI_Ineighbor_allgather_c",
    ".set MPI_Ineighbor_allgather_c, PMPI_Ineighbor_allgather_c",
    ".weak MPI_Ineighbor_allgatherv",
    ".set MPI_Ineighbor_allgatherv, PMPI_Ineighbor_allgatherv",
    ".weak MPI_Ineighbor_allgatherv_c",
    ".set MPI_Ineighbor_allgatherv_c, PMPI_Ineighbor_allgatherv_c",
    ".weak MPI_Ineighbor_alltoall",
    ".set MPI_Ineighbor_alltoall, PMPI_Ineighbor_alltoall",
    ".weak MPI_Ineighbor_alltoall_c",
    ".set MPI_Ineighbor_alltoall_c, PMPI_Ineighbor_alltoall_c",
    ".weak MPI_Ineighbor_alltoallv",
    ".set MPI_Ineighbor_alltoallv, PMPI_Ineighbor_alltoallv",
    ".weak MPI_Ineighbor_alltoallv_c",
    ".set MPI_Ineighbor_alltoallv_c, PMPI_Ineighbor_alltoallv_c",
    ".weak MPI_Ineighbor_alltoallw",
    ".set MPI_Ineighbor_alltoallw, PMPI_Ineighbor_alltoallw",
    ".weak MPI_Ineighbor_alltoallw_c",
    ".set MPI_Ineighbor_alltoallw_c, PMPI_Ineighbor_alltoallw_c",
    ".weak MPI_Neighbor_allgather",
    ".set MPI_Neighbor_allgather, PMPI_Neighbor_allgather",
    ".weak MPI_Neighbor_allgather_c",
    ".set MPI_Neighbor_allgather_c, PMPI_Neighbor_allgather_c",
    ".weak MPI_Neighbor_allgather_init",
    ".set MPI_Neighbor_allgather_init, PMPI_Neighbor_allgather_init",
    ".weak MPI_Neighbor_allgather_init_c",
    ".set MPI_Neighbor_allgather_init_c, PMPI_Neighbor_allgather_init_c",
    ".weak MPI_Neighbor_allgatherv",
    ".set MPI_Neighbor_allgatherv, PMPI_Neighbor_allgatherv",
    ".weak MPI_Neighbor_allgatherv_c",
    ".set MPI_Neighbor_allgatherv_c, PMPI_Neighbor_allgatherv_c",
    ".weak MPI_Neighbor_allgatherv_init",
    ".set MPI_Neighbor_allgatherv_init, PMPI_Neighbor_allgatherv_init",
    ".weak MPI_Neighbor_allgatherv_init_c",
    ".set MPI_Neighbor_allgatherv_init_c, PMPI_Neighbor_allgatherv_init_c",
    ".weak MPI_Neighbor_alltoall",
    ".set MPI_Neighbor_alltoall, PMPI_Neighbor_alltoall",
    ".weak MPI_Neighbor_alltoall_c",
    ".set MPI_Neighbor_alltoall_c, PMPI_Neighbor_alltoall_c",
    ".weak MPI_Neighbor_alltoall_init",
    ".set MPI_Neighbor_alltoall_init, PMPI_Neighbor_alltoall_init",
    ".weak MPI_Neighbor_alltoall_init_c",
    ".set MPI_Neighbor_alltoall_init_c, PMPI_Neighbor_alltoall_init_c",
    ".weak MPI_Neighbor_alltoallv",
    ".set MPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallv",
    ".weak MPI_Neighbor_alltoallv_c",
    ".set MPI_Neighbor_alltoallv_c, PMPI_Neighbor_alltoallv_c",
    ".weak MPI_Neighbor_alltoallv_init",
    ".set MPI_Neighbor_alltoallv_init, PMPI_Neighbor_alltoallv_init",
    ".weak MPI_Neighbor_alltoallv_init_c",
    ".set MPI_Neighbor_alltoallv_init_c, PMPI_Neighbor_alltoallv_init_c",
    ".weak MPI_Neighbor_alltoallw",
    ".set MPI_Neighbor_alltoallw, PMPI_Neighbor_alltoallw",
    ".weak MPI_Neighbor_alltoallw_c",
    ".set MPI_Neighbor_alltoallw_c, PMPI_Neighbor_alltoallw_c",
    ".weak MPI_Neighbor_alltoallw_init",
    ".set MPI_Neighbor_alltoallw_init, PMPI_Neighbor_alltoallw_init",
    ".weak MPI_Neighbor_alltoallw_init_c",
    ".set MPI_Neighbor_alltoallw_init_c, PMPI_Neighbor_alltoallw_init_c",
);
