//! Entries of `crate::calls::p2p`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::abi::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Bsend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Bsend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_init(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Bsend_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Bsend_init_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Bsend_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibsend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ibsend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ibsend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ibsend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Improbe(
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _flag: *mut c_int,
    _message: *mut Message,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Improbe", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Imrecv(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _message: *mut Message,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Imrecv", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Imrecv_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _message: *mut Message,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Imrecv_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Iprobe(
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _flag: *mut c_int,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Iprobe", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irecv(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Irecv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irecv_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Irecv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irsend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Irsend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Irsend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Irsend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isendrecv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isendrecv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_replace(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isendrecv_replace", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Isendrecv_replace_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Isendrecv_replace_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Issend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Issend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Issend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Issend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mprobe(
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _message: *mut Message,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Mprobe", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mrecv(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _message: *mut Message,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Mrecv", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Mrecv_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _message: *mut Message,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Mrecv_c", Origin::None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Probe(
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Probe", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Recv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Recv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_init(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Recv_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Recv_init_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _source: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Recv_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Rsend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Rsend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_init(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rsend_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Rsend_init_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Rsend_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Send", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Send_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_init(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Send_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Send_init_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Send_init_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv(
    _sendbuf: *const c_void,
    _sendcount: c_int,
    _sendtype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _recvbuf: *mut c_void,
    _recvcount: c_int,
    _recvtype: Datatype,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Sendrecv", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_c(
    _sendbuf: *const c_void,
    _sendcount: Count,
    _sendtype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _recvbuf: *mut c_void,
    _recvcount: Count,
    _recvtype: Datatype,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Sendrecv_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_replace(
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Sendrecv_replace", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Sendrecv_replace_c(
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _sendtag: c_int,
    _source: c_int,
    _recvtag: c_int,
    comm: Comm,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_Sendrecv_replace_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Ssend", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
) -> c_int {
    unsupported("MPI_Ssend_c", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_init(
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ssend_init", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Ssend_init_c(
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _dest: c_int,
    _tag: c_int,
    comm: Comm,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_Ssend_init_c", Origin::Comm(comm))
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
