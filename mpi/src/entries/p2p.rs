//! Entries of `crate::calls::p2p`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::bsend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Bsend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::bsend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Bsend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_init(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::bsend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Bsend_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_init_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::bsend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Bsend_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibsend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::ibsend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Ibsend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibsend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::ibsend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Ibsend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Improbe(
    source: c_int,
    tag: c_int,
    comm: Comm,
    flag: *mut c_int,
    message: *mut Message,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            let message = args::out(message);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("flag", flag)?;
                check::pointer("message", message)?;
            }
            crate::calls::p2p::improbe(source, tag, comm, flag, message, status)
        }
    };
    finish("MPI_Improbe", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Imrecv(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    message: *mut Message,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let message = args::inout(message);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            if checks {
                check::message_io("message", message)?;
            }
            let uses_message = message.get() != MPI_MESSAGE_NO_PROC;
            let datatype = if uses_message {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_message {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::imrecv(buf, count, datatype, message, request)
        }
    };
    finish("MPI_Imrecv", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Imrecv_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    message: *mut Message,
    request: *mut Request,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let message = args::inout(message);
            let request = args::out(request);
            if checks {
                check::running()?;
            }
            if checks {
                check::message_io("message", message)?;
            }
            let uses_message = message.get() != MPI_MESSAGE_NO_PROC;
            let datatype = if uses_message {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_message {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::imrecv(buf, count, datatype, message, request)
        }
    };
    finish("MPI_Imrecv_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iprobe(
    source: c_int,
    tag: c_int,
    comm: Comm,
    flag: *mut c_int,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let flag = args::out(flag);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("flag", flag)?;
            }
            crate::calls::p2p::iprobe(source, tag, comm, flag, status)
        }
    };
    finish("MPI_Iprobe", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irecv(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
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
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::irecv(buf, count, datatype, source, tag, comm, request)
        }
    };
    finish("MPI_Irecv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irecv_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
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
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::irecv(buf, count, datatype, source, tag, comm, request)
        }
    };
    finish("MPI_Irecv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irsend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::irsend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Irsend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irsend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::irsend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Irsend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Isend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Isend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    source: c_int,
    recvtag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let uses_source = source != MPI_PROC_NULL;
            let sendtype = if uses_dest {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if uses_source {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                check::count("sendcount", sendcount)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                if uses_source {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                check::count("recvcount", recvcount)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isendrecv(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, request,
            )
        }
    };
    finish("MPI_Isendrecv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    source: c_int,
    recvtag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let uses_source = source != MPI_PROC_NULL;
            let sendtype = if uses_dest {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if uses_source {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                check::count("sendcount", sendcount)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                if uses_source {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                check::count("recvcount", recvcount)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isendrecv(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, request,
            )
        }
    };
    finish("MPI_Isendrecv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_replace(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
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
            let uses_dest_or_source = dest != MPI_PROC_NULL || source != MPI_PROC_NULL;
            let datatype = if uses_dest_or_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest_or_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isendrecv_replace(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, request,
            )
        }
    };
    finish("MPI_Isendrecv_replace", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_replace_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
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
            let uses_dest_or_source = dest != MPI_PROC_NULL || source != MPI_PROC_NULL;
            let datatype = if uses_dest_or_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest_or_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::isendrecv_replace(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, request,
            )
        }
    };
    finish("MPI_Isendrecv_replace_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Issend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::issend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Issend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Issend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::issend(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Issend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mprobe(
    source: c_int,
    tag: c_int,
    comm: Comm,
    message: *mut Message,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let message = args::out(message);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("message", message)?;
            }
            crate::calls::p2p::mprobe(source, tag, comm, message, status)
        }
    };
    finish("MPI_Mprobe", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mrecv(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    message: *mut Message,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let message = args::inout(message);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::message_io("message", message)?;
            }
            let uses_message = message.get() != MPI_MESSAGE_NO_PROC;
            let datatype = if uses_message {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_message {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
            }
            crate::calls::p2p::mrecv(buf, count, datatype, message, status)
        }
    };
    finish("MPI_Mrecv", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mrecv_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    message: *mut Message,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let message = args::inout(message);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            if checks {
                check::message_io("message", message)?;
            }
            let uses_message = message.get() != MPI_MESSAGE_NO_PROC;
            let datatype = if uses_message {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_message {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
            }
            crate::calls::p2p::mrecv(buf, count, datatype, message, status)
        }
    };
    finish("MPI_Mrecv_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Probe(
    source: c_int,
    tag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
            }
            crate::calls::p2p::probe(source, tag, comm, status)
        }
    };
    finish("MPI_Probe", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
            }
            crate::calls::p2p::recv(buf, count, datatype, source, tag, comm, status)
        }
    };
    finish("MPI_Recv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
            }
            crate::calls::p2p::recv(buf, count, datatype, source, tag, comm, status)
        }
    };
    finish("MPI_Recv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_init(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
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
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::recv_init(buf, count, datatype, source, tag, comm, request)
        }
    };
    finish("MPI_Recv_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_init_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
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
            let uses_source = source != MPI_PROC_NULL;
            let datatype = if uses_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::recv_init(buf, count, datatype, source, tag, comm, request)
        }
    };
    finish("MPI_Recv_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::rsend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Rsend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::rsend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Rsend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_init(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::rsend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Rsend_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_init_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::rsend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Rsend_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::send(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Send", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::send(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Send_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_init(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::send_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Send_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_init_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::send_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Send_init_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: Datatype,
    source: c_int,
    recvtag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let uses_source = source != MPI_PROC_NULL;
            let sendtype = if uses_dest {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if uses_source {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                check::count("sendcount", sendcount)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                if uses_source {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                check::count("recvcount", recvcount)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
            }
            crate::calls::p2p::sendrecv(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, status,
            )
        }
    };
    finish("MPI_Sendrecv", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_c(
    sendbuf: *const c_void,
    sendcount: Count,
    sendtype: Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: Count,
    recvtype: Datatype,
    source: c_int,
    recvtag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let sendcount = args::count(sendcount);
            let recvcount = args::count(recvcount);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_dest = dest != MPI_PROC_NULL;
            let uses_source = source != MPI_PROC_NULL;
            let sendtype = if uses_dest {
                check::datatype("sendtype", sendtype)?
            } else {
                DatatypeRef::insignificant()
            };
            let recvtype = if uses_source {
                check::datatype("recvtype", recvtype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("sendbuf", sendbuf, sendcount, sendtype)?;
                }
                check::count("sendcount", sendcount)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                if uses_source {
                    check::buffer("recvbuf", recvbuf, recvcount, recvtype)?;
                }
                check::count("recvcount", recvcount)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
            }
            crate::calls::p2p::sendrecv(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, status,
            )
        }
    };
    finish("MPI_Sendrecv_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_replace(
    buf: *mut c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_dest_or_source = dest != MPI_PROC_NULL || source != MPI_PROC_NULL;
            let datatype = if uses_dest_or_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest_or_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
            }
            crate::calls::p2p::sendrecv_replace(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, status,
            )
        }
    };
    finish("MPI_Sendrecv_replace", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_replace_c(
    buf: *mut c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: Comm,
    status: *mut Status,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let status = args::status_out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            let uses_dest_or_source = dest != MPI_PROC_NULL || source != MPI_PROC_NULL;
            let datatype = if uses_dest_or_source {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest_or_source {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("sendtag", sendtag)?;
                check::source("source", source, comm.peers())?;
                check::tag_or_any("recvtag", recvtag)?;
            }
            crate::calls::p2p::sendrecv_replace(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, status,
            )
        }
    };
    finish("MPI_Sendrecv_replace_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::ssend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Ssend", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
            }
            crate::calls::p2p::ssend(buf, count, datatype, dest, tag, comm)
        }
    };
    finish("MPI_Ssend_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_init(
    buf: *const c_void,
    count: c_int,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::ssend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Ssend_init", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_init_c(
    buf: *const c_void,
    count: Count,
    datatype: Datatype,
    dest: c_int,
    tag: c_int,
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
            let uses_dest = dest != MPI_PROC_NULL;
            let datatype = if uses_dest {
                check::datatype("datatype", datatype)?
            } else {
                DatatypeRef::insignificant()
            };
            if checks {
                if uses_dest {
                    check::buffer("buf", buf, count, datatype)?;
                }
                check::count("count", count)?;
                check::dest("dest", dest, comm.peers())?;
                check::tag("tag", tag)?;
                check::pointer("request", request)?;
            }
            crate::calls::p2p::ssend_init(buf, count, datatype, dest, tag, comm, request)
        }
    };
    finish("MPI_Ssend_init_c", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Bsend",
    ".set MPI_Bsend, PMPI_Bsend",
    ".weak MPI_Bsend_c",
    ".set MPI_Bsend_c, PMPI_Bsend_c",
    ".weak MPI_Bsend_init",
    ".set MPI_Bsend_init, PMPI_Bsend_init",
    ".weak MPI_Bsend_init_c",
    ".set MPI_Bsend_init_c, PMPI_Bsend_init_c",
    ".weak MPI_Ibsend",
    ".set MPI_Ibsend, PMPI_Ibsend",
    ".weak MPI_Ibsend_c",
    ".set MPI_Ibsend_c, PMPI_Ibsend_c",
    ".weak MPI_Improbe",
    ".set MPI_Improbe, PMPI_Improbe",
    ".weak MPI_Imrecv",
    ".set MPI_Imrecv, PMPI_Imrecv",
    ".weak MPI_Imrecv_c",
    ".set MPI_Imrecv_c, PMPI_Imrecv_c",
    ".weak MPI_Iprobe",
    ".set MPI_Iprobe, PMPI_Iprobe",
    ".weak MPI_Irecv",
    ".set MPI_Irecv, PMPI_Irecv",
    ".weak MPI_Irecv_c",
    ".set MPI_Irecv_c, PMPI_Irecv_c",
    ".weak MPI_Irsend",
    ".set MPI_Irsend, PMPI_Irsend",
    ".weak MPI_Irsend_c",
    ".set MPI_Irsend_c, PMPI_Irsend_c",
    ".weak MPI_Isend",
    ".set MPI_Isend, PMPI_Isend",
    ".weak MPI_Isend_c",
    ".set MPI_Isend_c, PMPI_Isend_c",
    ".weak MPI_Isendrecv",
    ".set MPI_Isendrecv, PMPI_Isendrecv",
    ".weak MPI_Isendrecv_c",
    ".set MPI_Isendrecv_c, PMPI_Isendrecv_c",
    ".weak MPI_Isendrecv_replace",
    ".set MPI_Isendrecv_replace, PMPI_Isendrecv_replace",
    ".weak MPI_Isendrecv_replace_c",
    ".set MPI_Isendrecv_replace_c, PMPI_Isendrecv_replace_c",
    ".weak MPI_Issend",
    ".set MPI_Issend, PMPI_Issend",
    ".weak MPI_Issend_c",
    ".set MPI_Issend_c, PMPI_Issend_c",
    ".weak MPI_Mprobe",
    ".set MPI_Mprobe, PMPI_Mprobe",
    ".weak MPI_Mrecv",
    ".set MPI_Mrecv, PMPI_Mrecv",
    ".weak MPI_Mrecv_c",
    ".set MPI_Mrecv_c, PMPI_Mrecv_c",
    ".weak MPI_Probe",
    ".set MPI_Probe, PMPI_Probe",
    ".weak MPI_Recv",
    ".set MPI_Recv, PMPI_Recv",
    ".weak MPI_Recv_c",
    ".set MPI_Recv_c, PMPI_Recv_c",
    ".weak MPI_Recv_init",
    ".set MPI_Recv_init, PMPI_Recv_init",
    ".weak MPI_Recv_init_c",
    ".set MPI_Recv_init_c, PMPI_Recv_init_c",
    ".weak MPI_Rsend",
    ".set MPI_Rsend, PMPI_Rsend",
    ".weak MPI_Rsend_c",
    ".set MPI_Rsend_c, PMPI_Rsend_c",
    ".weak MPI_Rsend_init",
    ".set MPI_Rsend_init, PMPI_Rsend_init",
    ".weak MPI_Rsend_init_c",
    ".set MPI_Rsend_init_c, PMPI_Rsend_init_c",
    ".weak MPI_Send",
    ".set MPI_Send, PMPI_Send",
    ".weak MPI_Send_c",
    ".set MPI_Send_c, PMPI_Send_c",
    ".weak MPI_Send_init",
    ".set MPI_Send_init, PMPI_Send_init",
    ".weak MPI_Send_init_c",
    ".set MPI_Send_init_c, PMPI_Send_init_c",
    ".weak MPI_Sendrecv",
    ".set MPI_Sendrecv, PMPI_Sendrecv",
    ".weak MPI_Sendrecv_c",
    ".set MPI_Sendrecv_c, PMPI_Sendrecv_c",
    ".weak MPI_Sendrecv_replace",
    ".set MPI_Sendrecv_replace, PMPI_Sendrecv_replace",
    ".weak MPI_Sendrecv_replace_c",
    ".set MPI_Sendrecv_replace_c, PMPI_Sendrecv_replace_c",
    ".weak MPI_Ssend",
    ".set MPI_Ssend, PMPI_Ssend",
    ".weak MPI_Ssend_c",
    ".set MPI_Ssend_c, PMPI_Ssend_c",
    ".weak MPI_Ssend_init",
    ".set MPI_Ssend_init, PMPI_Ssend_init",
    ".weak MPI_Ssend_init_c",
    ".set MPI_Ssend_init_c, PMPI_Ssend_init_c",
);
