//! Entries of `crate::calls::convert`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
extern "C" fn PMPI_Comm_fromint(comm: c_int) -> Comm {
    crate::calls::convert::comm_fromint(comm)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Comm_toint(comm: Comm) -> c_int {
    crate::calls::convert::comm_toint(comm)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Errhandler_fromint(errhandler: c_int) -> Errhandler {
    crate::calls::convert::errhandler_fromint(errhandler)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Errhandler_toint(errhandler: Errhandler) -> c_int {
    crate::calls::convert::errhandler_toint(errhandler)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_File_fromint(file: c_int) -> File {
    crate::calls::convert::file_fromint(file)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_File_toint(file: File) -> c_int {
    crate::calls::convert::file_toint(file)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Group_fromint(group: c_int) -> Group {
    crate::calls::convert::group_fromint(group)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Group_toint(group: Group) -> c_int {
    crate::calls::convert::group_toint(group)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Info_fromint(info: c_int) -> Info {
    crate::calls::convert::info_fromint(info)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Info_toint(info: Info) -> c_int {
    crate::calls::convert::info_toint(info)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Message_fromint(message: c_int) -> Message {
    crate::calls::convert::message_fromint(message)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Message_toint(message: Message) -> c_int {
    crate::calls::convert::message_toint(message)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Op_fromint(op: c_int) -> Op {
    crate::calls::convert::op_fromint(op)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Op_toint(op: Op) -> c_int {
    crate::calls::convert::op_toint(op)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Request_fromint(request: c_int) -> Request {
    crate::calls::convert::request_fromint(request)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Request_toint(request: Request) -> c_int {
    crate::calls::convert::request_toint(request)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Session_fromint(session: c_int) -> Session {
    crate::calls::convert::session_fromint(session)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Session_toint(session: Session) -> c_int {
    crate::calls::convert::session_toint(session)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Type_fromint(datatype: c_int) -> Datatype {
    crate::calls::convert::type_fromint(datatype)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Type_toint(datatype: Datatype) -> c_int {
    crate::calls::convert::type_toint(datatype)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Win_fromint(win: c_int) -> Win {
    crate::calls::convert::win_fromint(win)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Win_toint(win: Win) -> c_int {
    crate::calls::convert::win_toint(win)
}

std::arch::global_asm!(
    ".weak MPI_Comm_fromint",
    ".set MPI_Comm_fromint, PMPI_Comm_fromint",
    ".weak MPI_Comm_toint",
    ".set MPI_Comm_toint, PMPI_Comm_toint",
    ".weak MPI_Errhandler_fromint",
    ".set MPI_Errhandler_fromint, PMPI_Errhandler_fromint",
    ".weak MPI_Errhandler_toint",
    ".set MPI_Errhandler_toint, PMPI_Errhandler_toint",
    ".weak MPI_File_fromint",
    ".set MPI_File_fromint, PMPI_File_fromint",
    ".weak MPI_File_toint",
    ".set MPI_File_toint, PMPI_File_toint",
    ".weak MPI_Group_fromint",
    ".set MPI_Group_fromint, PMPI_Group_fromint",
    ".weak MPI_Group_toint",
    ".set MPI_Group_toint, PMPI_Group_toint",
    ".weak MPI_Info_fromint",
    ".set MPI_Info_fromint, PMPI_Info_fromint",
    ".weak MPI_Info_toint",
    ".set MPI_Info_toint, PMPI_Info_toint",
    ".weak MPI_Message_fromint",
    ".set MPI_Message_fromint, PMPI_Message_fromint",
    ".weak MPI_Message_toint",
    ".set MPI_Message_toint, PMPI_Message_toint",
    ".weak MPI_Op_fromint",
    ".set MPI_Op_fromint, PMPI_Op_fromint",
    ".weak MPI_Op_toint",
    ".set MPI_Op_toint, PMPI_Op_toint",
    ".weak MPI_Request_fromint",
    ".set MPI_Request_fromint, PMPI_Request_fromint",
    ".weak MPI_Request_toint",
    ".set MPI_Request_toint, PMPI_Request_toint",
    ".weak MPI_Session_fromint",
    ".set MPI_Session_fromint, PMPI_Session_fromint",
    ".weak MPI_Session_toint",
    ".set MPI_Session_toint, PMPI_Session_toint",
    ".weak MPI_Type_fromint",
    ".set MPI_Type_fromint, PMPI_Type_fromint",
    ".weak MPI_Type_toint",
    ".set MPI_Type_toint, PMPI_Type_toint",
    ".weak MPI_Win_fromint",
    ".set MPI_Win_fromint, PMPI_Win_fromint",
    ".weak MPI_Win_toint",
    ".set MPI_Win_toint, PMPI_Win_toint",
);
