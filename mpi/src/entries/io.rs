//! Entries of `crate::calls::io`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_call_errhandler(fh: File, _errorcode: c_int) -> c_int {
    unsupported("MPI_File_call_errhandler", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_close(fh: *mut File) -> c_int {
    // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
    let held = unsafe { args::held(fh, MPI_FILE_NULL) };
    unsupported("MPI_File_close", Origin::File(held))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_create_errhandler(
    _file_errhandler_fn: Option<FileErrhandlerFunction>,
    _errhandler: *mut Errhandler,
) -> c_int {
    unsupported("MPI_File_create_errhandler", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_delete(_filename: *const c_char, _info: Info) -> c_int {
    unsupported("MPI_File_delete", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_amode(fh: File, _amode: *mut c_int) -> c_int {
    unsupported("MPI_File_get_amode", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_atomicity(fh: File, _flag: *mut c_int) -> c_int {
    unsupported("MPI_File_get_atomicity", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_byte_offset(
    fh: File,
    _offset: Offset,
    _disp: *mut Offset,
) -> c_int {
    unsupported("MPI_File_get_byte_offset", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_errhandler(_file: File, _errhandler: *mut Errhandler) -> c_int {
    unsupported("MPI_File_get_errhandler", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_group(fh: File, _group: *mut Group) -> c_int {
    unsupported("MPI_File_get_group", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_info(fh: File, _info_used: *mut Info) -> c_int {
    unsupported("MPI_File_get_info", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_position(fh: File, _offset: *mut Offset) -> c_int {
    unsupported("MPI_File_get_position", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_position_shared(fh: File, _offset: *mut Offset) -> c_int {
    unsupported("MPI_File_get_position_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_size(fh: File, _size: *mut Offset) -> c_int {
    unsupported("MPI_File_get_size", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_type_extent(
    fh: File,
    _datatype: Datatype,
    _extent: *mut Aint,
) -> c_int {
    unsupported("MPI_File_get_type_extent", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_type_extent_c(
    fh: File,
    _datatype: Datatype,
    _extent: *mut Count,
) -> c_int {
    unsupported("MPI_File_get_type_extent_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_get_view(
    fh: File,
    _disp: *mut Offset,
    _etype: *mut Datatype,
    _filetype: *mut Datatype,
    _datarep: *mut c_char,
) -> c_int {
    unsupported("MPI_File_get_view", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_all(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_all_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_at(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_at", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_at_c(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_at_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_at_all(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_at_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_at_all_c(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_at_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_shared(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iread_shared_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iread_shared_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_all(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_all_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_at(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_at", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_at_c(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_at_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_at_all(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_at_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_at_all_c(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_at_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_shared(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_iwrite_shared_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _request: *mut Request,
) -> c_int {
    unsupported("MPI_File_iwrite_shared_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_open(
    _comm: Comm,
    _filename: *const c_char,
    _amode: c_int,
    _info: Info,
    _fh: *mut File,
) -> c_int {
    unsupported("MPI_File_open", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_preallocate(fh: File, _size: Offset) -> c_int {
    unsupported("MPI_File_preallocate", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_all(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_all_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_all_begin(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_all_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_all_begin_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_all_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_all_end(
    fh: File,
    _buf: *mut c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_all_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_at", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_c(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_at_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_all(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_at_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_all_c(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_at_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_all_begin(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_at_all_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_all_begin_c(
    fh: File,
    _offset: Offset,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_at_all_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_at_all_end(
    fh: File,
    _buf: *mut c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_at_all_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_ordered(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_ordered", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_ordered_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_ordered_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_ordered_begin(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_ordered_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_ordered_begin_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_read_ordered_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_ordered_end(
    fh: File,
    _buf: *mut c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_ordered_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_shared(
    fh: File,
    _buf: *mut c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_read_shared_c(
    fh: File,
    _buf: *mut c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_read_shared_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_seek(fh: File, _offset: Offset, _whence: c_int) -> c_int {
    unsupported("MPI_File_seek", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_seek_shared(fh: File, _offset: Offset, _whence: c_int) -> c_int {
    unsupported("MPI_File_seek_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_set_atomicity(fh: File, _flag: c_int) -> c_int {
    unsupported("MPI_File_set_atomicity", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_set_errhandler(_file: File, _errhandler: Errhandler) -> c_int {
    unsupported("MPI_File_set_errhandler", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_set_info(fh: File, _info: Info) -> c_int {
    unsupported("MPI_File_set_info", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_set_size(fh: File, _size: Offset) -> c_int {
    unsupported("MPI_File_set_size", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_set_view(
    fh: File,
    _disp: Offset,
    _etype: Datatype,
    _filetype: Datatype,
    _datarep: *const c_char,
    _info: Info,
) -> c_int {
    unsupported("MPI_File_set_view", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_sync(fh: File) -> c_int {
    unsupported("MPI_File_sync", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_all(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_all_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_all_begin(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_all_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_all_begin_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_all_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_all_end(
    fh: File,
    _buf: *const c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_all_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_at", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_c(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_at_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_all(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_at_all", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_all_c(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_at_all_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_all_begin(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_at_all_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_all_begin_c(
    fh: File,
    _offset: Offset,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_at_all_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_at_all_end(
    fh: File,
    _buf: *const c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_at_all_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_ordered(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_ordered", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_ordered_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_ordered_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_ordered_begin(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_ordered_begin", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_ordered_begin_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
) -> c_int {
    unsupported("MPI_File_write_ordered_begin_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_ordered_end(
    fh: File,
    _buf: *const c_void,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_ordered_end", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_shared(
    fh: File,
    _buf: *const c_void,
    _count: c_int,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_shared", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_File_write_shared_c(
    fh: File,
    _buf: *const c_void,
    _count: Count,
    _datatype: Datatype,
    _status: *mut Status,
) -> c_int {
    unsupported("MPI_File_write_shared_c", Origin::File(fh))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Register_datarep(
    _datarep: *const c_char,
    _read_conversion_fn: Option<DatarepConversionFunction>,
    _write_conversion_fn: Option<DatarepConversionFunction>,
    _dtype_file_extent_fn: Option<DatarepExtentFunction>,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Register_datarep", Origin::File(MPI_FILE_NULL))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Register_datarep_c(
    _datarep: *const c_char,
    _read_conversion_fn: Option<DatarepConversionFunctionC>,
    _write_conversion_fn: Option<DatarepConversionFunctionC>,
    _dtype_file_extent_fn: Option<DatarepExtentFunction>,
    _extra_state: *mut c_void,
) -> c_int {
    unsupported("MPI_Register_datarep_c", Origin::File(MPI_FILE_NULL))
}

std::arch::global_asm!(
    ".weak MPI_File_call_errhandler",
    ".set MPI_File_call_errhandler, PMPI_File_call_errhandler",
    ".weak MPI_File_close",
    ".set MPI_File_close, PMPI_File_close",
    ".weak MPI_File_create_errhandler",
    ".set MPI_File_create_errhandler, PMPI_File_create_errhandler",
    ".weak MPI_File_delete",
    ".set MPI_File_delete, PMPI_File_delete",
    ".weak MPI_File_get_amode",
    ".set MPI_File_get_amode, PMPI_File_get_amode",
    ".weak MPI_File_get_atomicity",
    ".set MPI_File_get_atomicity, PMPI_File_get_atomicity",
    ".weak MPI_File_get_byte_offset",
    ".set MPI_File_get_byte_offset, PMPI_File_get_byte_offset",
    ".weak MPI_File_get_errhandler",
    ".set MPI_File_get_errhandler, PMPI_File_get_errhandler",
    ".weak MPI_File_get_group",
    ".set MPI_File_get_group, PMPI_File_get_group",
    ".weak MPI_File_get_info",
    ".set MPI_File_get_info, PMPI_File_get_info",
    ".weak MPI_File_get_position",
    ".set MPI_File_get_position, PMPI_File_get_position",
    ".weak MPI_File_get_position_shared",
    ".set MPI_File_get_position_shared, PMPI_File_get_position_shared",
    ".weak MPI_File_get_size",
    ".set MPI_File_get_size, PMPI_File_get_size",
    ".weak MPI_File_get_type_extent",
    ".set MPI_File_get_type_extent, PMPI_File_get_type_extent",
    ".weak MPI_File_get_type_extent_c",
    ".set MPI_File_get_type_extent_c, PMPI_File_get_type_extent_c",
    ".weak MPI_File_get_view",
    ".set MPI_File_get_view, PMPI_File_get_view",
    ".weak MPI_File_iread",
    ".set MPI_File_iread, PMPI_File_iread",
    ".weak MPI_File_iread_c",
    ".set MPI_File_iread_c, PMPI_File_iread_c",
    ".weak MPI_File_iread_all",
    ".set MPI_File_iread_all, PMPI_File_iread_all",
    ".weak MPI_File_iread_all_c",
    ".set MPI_File_iread_all_c, PMPI_File_iread_all_c",
    ".weak MPI_File_iread_at",
    ".set MPI_File_iread_at, PMPI_File_iread_at",
    ".weak MPI_File_iread_at_c",
    ".set MPI_File_iread_at_c, PMPI_File_iread_at_c",
    ".weak MPI_File_iread_at_all",
    ".set MPI_File_iread_at_all, PMPI_File_iread_at_all",
    ".weak MPI_File_iread_at_all_c",
    ".set MPI_File_iread_at_all_c, PMPI_File_iread_at_all_c",
    ".weak MPI_File_iread_shared",
    ".set MPI_File_iread_shared, PMPI_File_iread_shared",
    ".weak MPI_File_iread_shared_c",
    ".set MPI_File_iread_shared_c, PMPI_File_iread_shared_c",
    ".weak MPI_File_iwrite",
    ".set MPI_File_iwrite, PMPI_File_iwrite",
    ".weak MPI_File_iwrite_c",
    ".set MPI_File_iwrite_c, PMPI_File_iwrite_c",
    ".weak MPI_File_iwrite_all",
    ".set MPI_File_iwrite_all, PMPI_File_iwrite_all",
    ".weak MPI_File_iwrite_all_c",
    ".set MPI_File_iwrite_all_c, PMPI_File_iwrite_all_c",
    ".weak MPI_File_iwrite_at",
    ".set MPI_File_iwrite_at, PMPI_File_iwrite_at",
    ".weak MPI_File_iwrite_at_c",
    ".set MPI_File_iwrite_at_c, PMPI_File_iwrite_at_c",
    ".weak MPI_File_iwrite_at_all",
    ".set MPI_File_iwrite_at_all, PMPI_File_iwrite_at_all",
    ".weak MPI_File_iwrite_at_all_c",
    ".set MPI_File_iwrite_at_all_c, PMPI_File_iwrite_at_all_c",
    ".weak MPI_File_iwrite_shared",
    ".set MPI_File_iwrite_shared, PMPI_File_iwrite_shared",
    ".weak MPI_File_iwrite_shared_c",
    ".set MPI_File_iwrite_shared_c, PMPI_File_iwrite_shared_c",
    ".weak MPI_File_open",
    ".set MPI_File_open, PMPI_File_open",
    ".weak MPI_File_preallocate",
    ".set MPI_File_preallocate, PMPI_File_preallocate",
    ".weak MPI_File_read",
    ".set MPI_File_read, PMPI_File_read",
    ".weak MPI_File_read_c",
    ".set MPI_File_read_c, PMPI_File_read_c",
    ".weak MPI_File_read_all",
    ".set MPI_File_read_all, PMPI_File_read_all",
    ".weak MPI_File_read_all_c",
    ".set MPI_File_read_all_c, PMPI_File_read_all_c",
    ".weak MPI_File_read_all_begin",
    ".set MPI_File_read_all_begin, PMPI_File_read_all_begin",
    ".weak MPI_File_read_all_begin_c",
    ".set MPI_File_read_all_begin_c, PMPI_File_read_all_begin_c",
    ".weak MPI_File_read_all_end",
    ".set MPI_File_read_all_end, PMPI_File_read_all_end",
    ".weak MPI_File_read_at",
    ".set MPI_File_read_at, PMPI_File_read_at",
    ".weak MPI_File_read_at_c",
    ".set MPI_File_read_at_c, PMPI_File_read_at_c",
    ".weak MPI_File_read_at_all",
    ".set MPI_File_read_at_all, PMPI_File_read_at_all",
    ".weak MPI_File_read_at_all_c",
    ".set MPI_File_read_at_all_c, PMPI_File_read_at_all_c",
    ".weak MPI_File_read_at_all_begin",
    ".set MPI_File_read_at_all_begin, PMPI_File_read_at_all_begin",
    ".weak MPI_File_read_at_all_begin_c",
    ".set MPI_File_read_at_all_begin_c, PMPI_File_read_at_all_begin_c",
    ".weak MPI_File_read_at_all_end",
    ".set MPI_File_read_at_all_end, PMPI_File_read_at_all_end",
    ".weak MPI_File_read_ordered",
    ".set MPI_File_read_ordered, PMPI_File_read_ordered",
    ".weak MPI_File_read_ordered_c",
    ".set MPI_File_read_ordered_c, PMPI_File_read_ordered_c",
    ".weak MPI_File_read_ordered_begin",
    ".set MPI_File_read_ordered_begin, PMPI_File_read_ordered_begin",
    ".weak MPI_File_read_ordered_begin_c",
    ".set MPI_File_read_ordered_begin_c, PMPI_File_read_ordered_begin_c",
    ".weak MPI_File_read_ordered_end",
    ".set MPI_File_read_ordered_end, PMPI_File_read_ordered_end",
    ".weak MPI_File_read_shared",
    ".set MPI_File_read_shared, PMPI_File_read_shared",
    ".weak MPI_File_read_shared_c",
    ".set MPI_File_read_shared_c, PMPI_File_read_shared_c",
    ".weak MPI_File_seek",
    ".set MPI_File_seek, PMPI_File_seek",
    ".weak MPI_File_seek_shared",
    ".set MPI_File_seek_shared, PMPI_File_seek_shared",
    ".weak MPI_File_set_atomicity",
    ".set MPI_File_set_atomicity, PMPI_File_set_atomicity",
    ".weak MPI_File_set_errhandler",
    ".set MPI_File_set_errhandler, PMPI_File_set_errhandler",
    ".weak MPI_File_set_info",
    ".set MPI_File_set_info, PMPI_File_set_info",
    ".weak MPI_File_set_size",
    ".set MPI_File_set_size, PMPI_File_set_size",
    ".weak MPI_File_set_view",
    ".set MPI_File_set_view, PMPI_File_set_view",
    ".weak MPI_File_sync",
    ".set MPI_File_sync, PMPI_File_sync",
    ".weak MPI_File_write",
    ".set MPI_File_write, PMPI_File_write",
    ".weak MPI_File_write_c",
    ".set MPI_File_write_c, PMPI_File_write_c",
    ".weak MPI_File_write_all",
    ".set MPI_File_write_all, PMPI_File_write_all",
    ".weak MPI_File_write_all_c",
    ".set MPI_File_write_all_c, PMPI_File_write_all_c",
    ".weak MPI_File_write_all_begin",
    ".set MPI_File_write_all_begin, PMPI_File_write_all_begin",
    ".weak MPI_File_write_all_begin_c",
    ".set MPI_File_write_all_begin_c, PMPI_File_write_all_begin_c",
    ".weak MPI_File_write_all_end",
    ".set MPI_File_write_all_end, PMPI_File_write_all_end",
    ".weak MPI_File_write_at",
    ".set MPI_File_write_at, PMPI_File_write_at",
    ".weak MPI_File_write_at_c",
    ".set MPI_File_write_at_c, PMPI_File_write_at_c",
    ".weak MPI_File_write_at_all",
    ".set MPI_File_write_at_all, PMPI_File_write_at_all",
    ".weak MPI_File_write_at_all_c",
    ".set MPI_File_write_at_all_c, PMPI_File_write_at_all_c",
    ".weak MPI_File_write_at_all_begin",
    ".set MPI_File_write_at_all_begin, PMPI_File_write_at_all_begin",
    ".weak MPI_File_write_at_all_begin_c",
    ".set MPI_File_write_at_all_begin_c, PMPI_File_write_at_all_begin_c",
    ".weak MPI_File_write_at_all_end",
    ".set MPI_File_write_at_all_end, PMPI_File_write_at_all_end",
    ".weak MPI_File_write_ordered",
    ".set MPI_File_write_ordered, PMPI_File_write_ordered",
    ".weak MPI_File_write_ordered_c",
    ".set MPI_File_write_ordered_c, PMPI_File_write_ordered_c",
    ".weak MPI_File_write_ordered_begin",
    ".set MPI_File_write_ordered_begin, PMPI_File_write_ordered_begin",
    ".weak MPI_File_write_ordered_begin_c",
    ".set MPI_File_write_ordered_begin_c, PMPI_File_write_ordered_begin_c",
    ".weak MPI_File_write_ordered_end",
    ".set MPI_File_write_ordered_end, PMPI_File_write_ordered_end",
    ".weak MPI_File_write_shared",
    ".set MPI_File_write_shared, PMPI_File_write_shared",
    ".weak MPI_File_write_shared_c",
    ".set MPI_File_write_shared_c, PMPI_File_write_shared_c",
    ".weak MPI_Register_datarep",
    ".set MPI_Register_datarep, PMPI_Register_datarep",
    ".weak MPI_Register_datarep_c",
    ".set MPI_Register_datarep_c, PMPI_Register_datarep_c",
);
