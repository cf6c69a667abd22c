//! The constants of mpi.h. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::without_provenance_mut;

use super::types::*;
use crate::abi::status::Status;

// Version

/// `MPI_VERSION`.
pub const MPI_VERSION: c_int = 5;
/// `MPI_SUBVERSION`.
pub const MPI_SUBVERSION: c_int = 0;
/// `MPI_ABI_VERSION`.
pub const MPI_ABI_VERSION: c_int = 1;
/// `MPI_ABI_SUBVERSION`.
pub const MPI_ABI_SUBVERSION: c_int = 0;

// Reduction operations

/// `MPI_OP_NULL`.
pub const MPI_OP_NULL: Op = Op::predefined(0x20);
/// `MPI_SUM`.
pub const MPI_SUM: Op = Op::predefined(0x21);
/// `MPI_MIN`.
pub const MPI_MIN: Op = Op::predefined(0x22);
/// `MPI_MAX`.
pub const MPI_MAX: Op = Op::predefined(0x23);
/// `MPI_PROD`.
pub const MPI_PROD: Op = Op::predefined(0x24);
/// `MPI_BAND`.
pub const MPI_BAND: Op = Op::predefined(0x28);
/// `MPI_BOR`.
pub const MPI_BOR: Op = Op::predefined(0x29);
/// `MPI_BXOR`.
pub const MPI_BXOR: Op = Op::predefined(0x2a);
/// `MPI_LAND`.
pub const MPI_LAND: Op = Op::predefined(0x30);
/// `MPI_LOR`.
pub const MPI_LOR: Op = Op::predefined(0x31);
/// `MPI_LXOR`.
pub const MPI_LXOR: Op = Op::predefined(0x32);
/// `MPI_MINLOC`.
pub const MPI_MINLOC: Op = Op::predefined(0x38);
/// `MPI_MAXLOC`.
pub const MPI_MAXLOC: Op = Op::predefined(0x39);
/// `MPI_REPLACE`.
pub const MPI_REPLACE: Op = Op::predefined(0x3c);
/// `MPI_NO_OP`.
pub const MPI_NO_OP: Op = Op::predefined(0x3d);

/// The predefined handles of this type and their names.
pub static OP_NAMES: &[(Op, &str)] = &[
    (MPI_OP_NULL, "MPI_OP_NULL"),
    (MPI_SUM, "MPI_SUM"),
    (MPI_MIN, "MPI_MIN"),
    (MPI_MAX, "MPI_MAX"),
    (MPI_PROD, "MPI_PROD"),
    (MPI_BAND, "MPI_BAND"),
    (MPI_BOR, "MPI_BOR"),
    (MPI_BXOR, "MPI_BXOR"),
    (MPI_LAND, "MPI_LAND"),
    (MPI_LOR, "MPI_LOR"),
    (MPI_LXOR, "MPI_LXOR"),
    (MPI_MINLOC, "MPI_MINLOC"),
    (MPI_MAXLOC, "MPI_MAXLOC"),
    (MPI_REPLACE, "MPI_REPLACE"),
    (MPI_NO_OP, "MPI_NO_OP"),
];

// Communicators

/// `MPI_COMM_NULL`.
pub const MPI_COMM_NULL: Comm = Comm::predefined(0x100);
/// `MPI_COMM_WORLD`.
pub const MPI_COMM_WORLD: Comm = Comm::predefined(0x101);
/// `MPI_COMM_SELF`.
pub const MPI_COMM_SELF: Comm = Comm::predefined(0x102);

/// The predefined handles of this type and their names.
pub static COMM_NAMES: &[(Comm, &str)] = &[
    (MPI_COMM_NULL, "MPI_COMM_NULL"),
    (MPI_COMM_WORLD, "MPI_COMM_WORLD"),
    (MPI_COMM_SELF, "MPI_COMM_SELF"),
];

// Groups

/// `MPI_GROUP_NULL`.
pub const MPI_GROUP_NULL: Group = Group::predefined(0x108);
/// `MPI_GROUP_EMPTY`.
pub const MPI_GROUP_EMPTY: Group = Group::predefined(0x109);

/// The predefined handles of this type and their names.
pub static GROUP_NAMES: &[(Group, &str)] =
    &[(MPI_GROUP_NULL, "MPI_GROUP_NULL"), (MPI_GROUP_EMPTY, "MPI_GROUP_EMPTY")];

// Windows

/// `MPI_WIN_NULL`.
pub const MPI_WIN_NULL: Win = Win::predefined(0x110);

/// The predefined handles of this type and their names.
pub static WIN_NAMES: &[(Win, &str)] = &[(MPI_WIN_NULL, "MPI_WIN_NULL")];

// Files

/// `MPI_FILE_NULL`.
pub const MPI_FILE_NULL: File = File::predefined(0x118);

/// The predefined handles of this type and their names.
pub static FILE_NAMES: &[(File, &str)] = &[(MPI_FILE_NULL, "MPI_FILE_NULL")];

// Sessions

/// `MPI_SESSION_NULL`.
pub const MPI_SESSION_NULL: Session = Session::predefined(0x120);

/// The predefined handles of this type and their names.
pub static SESSION_NAMES: &[(Session, &str)] = &[(MPI_SESSION_NULL, "MPI_SESSION_NULL")];

// Messages

/// `MPI_MESSAGE_NULL`.
pub const MPI_MESSAGE_NULL: Message = Message::predefined(0x128);
/// `MPI_MESSAGE_NO_PROC`.
pub const MPI_MESSAGE_NO_PROC: Message = Message::predefined(0x129);

/// The predefined handles of this type and their names.
pub static MESSAGE_NAMES: &[(Message, &str)] =
    &[(MPI_MESSAGE_NULL, "MPI_MESSAGE_NULL"), (MPI_MESSAGE_NO_PROC, "MPI_MESSAGE_NO_PROC")];

// Info objects

/// `MPI_INFO_NULL`.
pub const MPI_INFO_NULL: Info = Info::predefined(0x130);
/// `MPI_INFO_ENV`.
pub const MPI_INFO_ENV: Info = Info::predefined(0x131);

/// The predefined handles of this type and their names.
pub static INFO_NAMES: &[(Info, &str)] =
    &[(MPI_INFO_NULL, "MPI_INFO_NULL"), (MPI_INFO_ENV, "MPI_INFO_ENV")];

// Error handlers

/// `MPI_ERRHANDLER_NULL`.
pub const MPI_ERRHANDLER_NULL: Errhandler = Errhandler::predefined(0x140);
/// `MPI_ERRORS_ARE_FATAL`.
pub const MPI_ERRORS_ARE_FATAL: Errhandler = Errhandler::predefined(0x141);
/// `MPI_ERRORS_ABORT`.
pub const MPI_ERRORS_ABORT: Errhandler = Errhandler::predefined(0x142);
/// `MPI_ERRORS_RETURN`.
pub const MPI_ERRORS_RETURN: Errhandler = Errhandler::predefined(0x143);

/// The predefined handles of this type and their names.
pub static ERRHANDLER_NAMES: &[(Errhandler, &str)] = &[
    (MPI_ERRHANDLER_NULL, "MPI_ERRHANDLER_NULL"),
    (MPI_ERRORS_ARE_FATAL, "MPI_ERRORS_ARE_FATAL"),
    (MPI_ERRORS_ABORT, "MPI_ERRORS_ABORT"),
    (MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN"),
];

// Requests

/// `MPI_REQUEST_NULL`.
pub const MPI_REQUEST_NULL: Request = Request::predefined(0x180);

/// The predefined handles of this type and their names.
pub static REQUEST_NAMES: &[(Request, &str)] = &[(MPI_REQUEST_NULL, "MPI_REQUEST_NULL")];

// Datatypes

/// `MPI_DATATYPE_NULL`.
pub const MPI_DATATYPE_NULL: Datatype = Datatype::predefined(0x200);
/// `MPI_AINT`.
pub const MPI_AINT: Datatype = Datatype::predefined(0x201);
/// `MPI_COUNT`.
pub const MPI_COUNT: Datatype = Datatype::predefined(0x202);
/// `MPI_OFFSET`.
pub const MPI_OFFSET: Datatype = Datatype::predefined(0x203);
/// `MPI_PACKED`.
pub const MPI_PACKED: Datatype = Datatype::predefined(0x207);
/// `MPI_SHORT`.
pub const MPI_SHORT: Datatype = Datatype::predefined(0x208);
/// `MPI_INT`.
pub const MPI_INT: Datatype = Datatype::predefined(0x209);
/// `MPI_LONG`.
pub const MPI_LONG: Datatype = Datatype::predefined(0x20a);
/// `MPI_LONG_LONG`.
pub const MPI_LONG_LONG: Datatype = Datatype::predefined(0x20b);
/// `MPI_LONG_LONG_INT`.
pub const MPI_LONG_LONG_INT: Datatype = MPI_LONG_LONG;
/// `MPI_UNSIGNED_SHORT`.
pub const MPI_UNSIGNED_SHORT: Datatype = Datatype::predefined(0x20c);
/// `MPI_UNSIGNED`.
pub const MPI_UNSIGNED: Datatype = Datatype::predefined(0x20d);
/// `MPI_UNSIGNED_LONG`.
pub const MPI_UNSIGNED_LONG: Datatype = Datatype::predefined(0x20e);
/// `MPI_UNSIGNED_LONG_LONG`.
pub const MPI_UNSIGNED_LONG_LONG: Datatype = Datatype::predefined(0x20f);
/// `MPI_FLOAT`.
pub const MPI_FLOAT: Datatype = Datatype::predefined(0x210);
/// `MPI_C_FLOAT_COMPLEX`.
pub const MPI_C_FLOAT_COMPLEX: Datatype = Datatype::predefined(0x212);
/// `MPI_C_COMPLEX`.
pub const MPI_C_COMPLEX: Datatype = MPI_C_FLOAT_COMPLEX;
/// `MPI_CXX_FLOAT_COMPLEX`.
pub const MPI_CXX_FLOAT_COMPLEX: Datatype = Datatype::predefined(0x213);
/// `MPI_DOUBLE`.
pub const MPI_DOUBLE: Datatype = Datatype::predefined(0x214);
/// `MPI_C_DOUBLE_COMPLEX`.
pub const MPI_C_DOUBLE_COMPLEX: Datatype = Datatype::predefined(0x216);
/// `MPI_CXX_DOUBLE_COMPLEX`.
pub const MPI_CXX_DOUBLE_COMPLEX: Datatype = Datatype::predefined(0x217);
/// `MPI_LOGICAL`.
pub const MPI_LOGICAL: Datatype = Datatype::predefined(0x218);
/// `MPI_INTEGER`.
pub const MPI_INTEGER: Datatype = Datatype::predefined(0x219);
/// `MPI_REAL`.
pub const MPI_REAL: Datatype = Datatype::predefined(0x21a);
/// `MPI_COMPLEX`.
pub const MPI_COMPLEX: Datatype = Datatype::predefined(0x21b);
/// `MPI_DOUBLE_PRECISION`.
pub const MPI_DOUBLE_PRECISION: Datatype = Datatype::predefined(0x21c);
/// `MPI_DOUBLE_COMPLEX`.
pub const MPI_DOUBLE_COMPLEX: Datatype = Datatype::predefined(0x21d);
/// `MPI_CHARACTER`.
pub const MPI_CHARACTER: Datatype = Datatype::predefined(0x21e);
/// `MPI_LONG_DOUBLE`.
pub const MPI_LONG_DOUBLE: Datatype = Datatype::predefined(0x220);
/// `MPI_C_LONG_DOUBLE_COMPLEX`.
pub const MPI_C_LONG_DOUBLE_COMPLEX: Datatype = Datatype::predefined(0x224);
/// `MPI_CXX_LONG_DOUBLE_COMPLEX`.
pub const MPI_CXX_LONG_DOUBLE_COMPLEX: Datatype = Datatype::predefined(0x225);
/// `MPI_FLOAT_INT`.
pub const MPI_FLOAT_INT: Datatype = Datatype::predefined(0x228);
/// `MPI_DOUBLE_INT`.
pub const MPI_DOUBLE_INT: Datatype = Datatype::predefined(0x229);
/// `MPI_LONG_INT`.
pub const MPI_LONG_INT: Datatype = Datatype::predefined(0x22a);
/// `MPI_2INT`.
pub const MPI_2INT: Datatype = Datatype::predefined(0x22b);
/// `MPI_SHORT_INT`.
pub const MPI_SHORT_INT: Datatype = Datatype::predefined(0x22c);
/// `MPI_LONG_DOUBLE_INT`.
pub const MPI_LONG_DOUBLE_INT: Datatype = Datatype::predefined(0x22d);
/// `MPI_2REAL`.
pub const MPI_2REAL: Datatype = Datatype::predefined(0x230);
/// `MPI_2DOUBLE_PRECISION`.
pub const MPI_2DOUBLE_PRECISION: Datatype = Datatype::predefined(0x231);
/// `MPI_2INTEGER`.
pub const MPI_2INTEGER: Datatype = Datatype::predefined(0x232);
/// `MPI_C_BOOL`.
pub const MPI_C_BOOL: Datatype = Datatype::predefined(0x238);
/// `MPI_CXX_BOOL`.
pub const MPI_CXX_BOOL: Datatype = Datatype::predefined(0x239);
/// `MPI_WCHAR`.
pub const MPI_WCHAR: Datatype = Datatype::predefined(0x23c);
/// `MPI_INT8_T`.
pub const MPI_INT8_T: Datatype = Datatype::predefined(0x240);
/// `MPI_UINT8_T`.
pub const MPI_UINT8_T: Datatype = Datatype::predefined(0x241);
/// `MPI_CHAR`.
pub const MPI_CHAR: Datatype = Datatype::predefined(0x243);
/// `MPI_SIGNED_CHAR`.
pub const MPI_SIGNED_CHAR: Datatype = Datatype::predefined(0x244);
/// `MPI_UNSIGNED_CHAR`.
pub const MPI_UNSIGNED_CHAR: Datatype = Datatype::predefined(0x245);
/// `MPI_BYTE`.
pub const MPI_BYTE: Datatype = Datatype::predefined(0x247);
/// `MPI_INT16_T`.
pub const MPI_INT16_T: Datatype = Datatype::predefined(0x248);
/// `MPI_UINT16_T`.
pub const MPI_UINT16_T: Datatype = Datatype::predefined(0x249);
/// `MPI_INT32_T`.
pub const MPI_INT32_T: Datatype = Datatype::predefined(0x250);
/// `MPI_UINT32_T`.
pub const MPI_UINT32_T: Datatype = Datatype::predefined(0x251);
/// `MPI_INT64_T`.
pub const MPI_INT64_T: Datatype = Datatype::predefined(0x258);
/// `MPI_UINT64_T`.
pub const MPI_UINT64_T: Datatype = Datatype::predefined(0x259);
/// `MPI_LOGICAL1`.
pub const MPI_LOGICAL1: Datatype = Datatype::predefined(0x2c0);
/// `MPI_INTEGER1`.
pub const MPI_INTEGER1: Datatype = Datatype::predefined(0x2c1);
/// `MPI_LOGICAL2`.
pub const MPI_LOGICAL2: Datatype = Datatype::predefined(0x2c8);
/// `MPI_INTEGER2`.
pub const MPI_INTEGER2: Datatype = Datatype::predefined(0x2c9);
/// `MPI_REAL2`.
pub const MPI_REAL2: Datatype = Datatype::predefined(0x2ca);
/// `MPI_LOGICAL4`.
pub const MPI_LOGICAL4: Datatype = Datatype::predefined(0x2d0);
/// `MPI_INTEGER4`.
pub const MPI_INTEGER4: Datatype = Datatype::predefined(0x2d1);
/// `MPI_REAL4`.
pub const MPI_REAL4: Datatype = Datatype::predefined(0x2d2);
/// `MPI_COMPLEX4`.
pub const MPI_COMPLEX4: Datatype = Datatype::predefined(0x2d3);
/// `MPI_LOGICAL8`.
pub const MPI_LOGICAL8: Datatype = Datatype::predefined(0x2d8);
/// `MPI_INTEGER8`.
pub const MPI_INTEGER8: Datatype = Datatype::predefined(0x2d9);
/// `MPI_REAL8`.
pub const MPI_REAL8: Datatype = Datatype::predefined(0x2da);
/// `MPI_COMPLEX8`.
pub const MPI_COMPLEX8: Datatype = Datatype::predefined(0x2db);
/// `MPI_LOGICAL16`.
pub const MPI_LOGICAL16: Datatype = Datatype::predefined(0x2e0);
/// `MPI_INTEGER16`.
pub const MPI_INTEGER16: Datatype = Datatype::predefined(0x2e1);
/// `MPI_REAL16`.
pub const MPI_REAL16: Datatype = Datatype::predefined(0x2e2);
/// `MPI_COMPLEX16`.
pub const MPI_COMPLEX16: Datatype = Datatype::predefined(0x2e3);
/// `MPI_COMPLEX32`.
pub const MPI_COMPLEX32: Datatype = Datatype::predefined(0x2eb);

/// The predefined handles of this type and their names.
pub static DATATYPE_NAMES: &[(Datatype, &str)] = &[
    (MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL"),
    (MPI_AINT, "MPI_AINT"),
    (MPI_COUNT, "MPI_COUNT"),
    (MPI_OFFSET, "MPI_OFFSET"),
    (MPI_PACKED, "MPI_PACKED"),
    (MPI_SHORT, "MPI_SHORT"),
    (MPI_INT, "MPI_INT"),
    (MPI_LONG, "MPI_LONG"),
    (MPI_LONG_LONG, "MPI_LONG_LONG"),
    (MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT"),
    (MPI_UNSIGNED, "MPI_UNSIGNED"),
    (MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG"),
    (MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG"),
    (MPI_FLOAT, "MPI_FLOAT"),
    (MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX"),
    (MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX"),
    (MPI_DOUBLE, "MPI_DOUBLE"),
    (MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX"),
    (MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX"),
    (MPI_LOGICAL, "MPI_LOGICAL"),
    (MPI_INTEGER, "MPI_INTEGER"),
    (MPI_REAL, "MPI_REAL"),
    (MPI_COMPLEX, "MPI_COMPLEX"),
    (MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION"),
    (MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX"),
    (MPI_CHARACTER, "MPI_CHARACTER"),
    (MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE"),
    (MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX"),
    (MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX"),
    (MPI_FLOAT_INT, "MPI_FLOAT_INT"),
    (MPI_DOUBLE_INT, "MPI_DOUBLE_INT"),
    (MPI_LONG_INT, "MPI_LONG_INT"),
    (MPI_2INT, "MPI_2INT"),
    (MPI_SHORT_INT, "MPI_SHORT_INT"),
    (MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT"),
    (MPI_2REAL, "MPI_2REAL"),
    (MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION"),
    (MPI_2INTEGER, "MPI_2INTEGER"),
    (MPI_C_BOOL, "MPI_C_BOOL"),
    (MPI_CXX_BOOL, "MPI_CXX_BOOL"),
    (MPI_WCHAR, "MPI_WCHAR"),
    (MPI_INT8_T, "MPI_INT8_T"),
    (MPI_UINT8_T, "MPI_UINT8_T"),
    (MPI_CHAR, "MPI_CHAR"),
    (MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR"),
    (MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR"),
    (MPI_BYTE, "MPI_BYTE"),
    (MPI_INT16_T, "MPI_INT16_T"),
    (MPI_UINT16_T, "MPI_UINT16_T"),
    (MPI_INT32_T, "MPI_INT32_T"),
    (MPI_UINT32_T, "MPI_UINT32_T"),
    (MPI_INT64_T, "MPI_INT64_T"),
    (MPI_UINT64_T, "MPI_UINT64_T"),
    (MPI_LOGICAL1, "MPI_LOGICAL1"),
    (MPI_INTEGER1, "MPI_INTEGER1"),
    (MPI_LOGICAL2, "MPI_LOGICAL2"),
    (MPI_INTEGER2, "MPI_INTEGER2"),
    (MPI_REAL2, "MPI_REAL2"),
    (MPI_LOGICAL4, "MPI_LOGICAL4"),
    (MPI_INTEGER4, "MPI_INTEGER4"),
    (MPI_REAL4, "MPI_REAL4"),
    (MPI_COMPLEX4, "MPI_COMPLEX4"),
    (MPI_LOGICAL8, "MPI_LOGICAL8"),
    (MPI_INTEGER8, "MPI_INTEGER8"),
    (MPI_REAL8, "MPI_REAL8"),
    (MPI_COMPLEX8, "MPI_COMPLEX8"),
    (MPI_LOGICAL16, "MPI_LOGICAL16"),
    (MPI_INTEGER16, "MPI_INTEGER16"),
    (MPI_REAL16, "MPI_REAL16"),
    (MPI_COMPLEX16, "MPI_COMPLEX16"),
    (MPI_COMPLEX32, "MPI_COMPLEX32"),
];

// Fortran status

/// `MPI_F_STATUS_SIZE`.
pub const MPI_F_STATUS_SIZE: c_int = 8;
/// `MPI_F_SOURCE`.
pub const MPI_F_SOURCE: c_int = 0;
/// `MPI_F_TAG`.
pub const MPI_F_TAG: c_int = 1;
/// `MPI_F_ERROR`.
pub const MPI_F_ERROR: c_int = 2;

// Error classes

/// `MPI_SUCCESS`.
pub const MPI_SUCCESS: c_int = 0;
/// `MPI_ERR_BUFFER`.
pub const MPI_ERR_BUFFER: c_int = 1;
/// `MPI_ERR_COUNT`.
pub const MPI_ERR_COUNT: c_int = 2;
/// `MPI_ERR_TYPE`.
pub const MPI_ERR_TYPE: c_int = 3;
/// `MPI_ERR_TAG`.
pub const MPI_ERR_TAG: c_int = 4;
/// `MPI_ERR_COMM`.
pub const MPI_ERR_COMM: c_int = 5;
/// `MPI_ERR_RANK`.
pub const MPI_ERR_RANK: c_int = 6;
/// `MPI_ERR_REQUEST`.
pub const MPI_ERR_REQUEST: c_int = 7;
/// `MPI_ERR_ROOT`.
pub const MPI_ERR_ROOT: c_int = 8;
/// `MPI_ERR_GROUP`.
pub const MPI_ERR_GROUP: c_int = 9;
/// `MPI_ERR_OP`.
pub const MPI_ERR_OP: c_int = 10;
/// `MPI_ERR_TOPOLOGY`.
pub const MPI_ERR_TOPOLOGY: c_int = 11;
/// `MPI_ERR_DIMS`.
pub const MPI_ERR_DIMS: c_int = 12;
/// `MPI_ERR_ARG`.
pub const MPI_ERR_ARG: c_int = 13;
/// `MPI_ERR_UNKNOWN`.
pub const MPI_ERR_UNKNOWN: c_int = 14;
/// `MPI_ERR_TRUNCATE`.
pub const MPI_ERR_TRUNCATE: c_int = 15;
/// `MPI_ERR_OTHER`.
pub const MPI_ERR_OTHER: c_int = 16;
/// `MPI_ERR_INTERN`.
pub const MPI_ERR_INTERN: c_int = 17;
/// `MPI_ERR_PENDING`.
pub const MPI_ERR_PENDING: c_int = 18;
/// `MPI_ERR_IN_STATUS`.
pub const MPI_ERR_IN_STATUS: c_int = 19;
/// `MPI_ERR_ACCESS`.
pub const MPI_ERR_ACCESS: c_int = 20;
/// `MPI_ERR_AMODE`.
pub const MPI_ERR_AMODE: c_int = 21;
/// `MPI_ERR_ASSERT`.
pub const MPI_ERR_ASSERT: c_int = 22;
/// `MPI_ERR_BAD_FILE`.
pub const MPI_ERR_BAD_FILE: c_int = 23;
/// `MPI_ERR_BASE`.
pub const MPI_ERR_BASE: c_int = 24;
/// `MPI_ERR_CONVERSION`.
pub const MPI_ERR_CONVERSION: c_int = 25;
/// `MPI_ERR_DISP`.
pub const MPI_ERR_DISP: c_int = 26;
/// `MPI_ERR_DUP_DATAREP`.
pub const MPI_ERR_DUP_DATAREP: c_int = 27;
/// `MPI_ERR_FILE_EXISTS`.
pub const MPI_ERR_FILE_EXISTS: c_int = 28;
/// `MPI_ERR_FILE_IN_USE`.
pub const MPI_ERR_FILE_IN_USE: c_int = 29;
/// `MPI_ERR_FILE`.
pub const MPI_ERR_FILE: c_int = 30;
/// `MPI_ERR_INFO_KEY`.
pub const MPI_ERR_INFO_KEY: c_int = 31;
/// `MPI_ERR_INFO_NOKEY`.
pub const MPI_ERR_INFO_NOKEY: c_int = 32;
/// `MPI_ERR_INFO_VALUE`.
pub const MPI_ERR_INFO_VALUE: c_int = 33;
/// `MPI_ERR_INFO`.
pub const MPI_ERR_INFO: c_int = 34;
/// `MPI_ERR_IO`.
pub const MPI_ERR_IO: c_int = 35;
/// `MPI_ERR_KEYVAL`.
pub const MPI_ERR_KEYVAL: c_int = 36;
/// `MPI_ERR_LOCKTYPE`.
pub const MPI_ERR_LOCKTYPE: c_int = 37;
/// `MPI_ERR_NAME`.
pub const MPI_ERR_NAME: c_int = 38;
/// `MPI_ERR_NO_MEM`.
pub const MPI_ERR_NO_MEM: c_int = 39;
/// `MPI_ERR_NOT_SAME`.
pub const MPI_ERR_NOT_SAME: c_int = 40;
/// `MPI_ERR_NO_SPACE`.
pub const MPI_ERR_NO_SPACE: c_int = 41;
/// `MPI_ERR_NO_SUCH_FILE`.
pub const MPI_ERR_NO_SUCH_FILE: c_int = 42;
/// `MPI_ERR_PORT`.
pub const MPI_ERR_PORT: c_int = 43;
/// `MPI_ERR_QUOTA`.
pub const MPI_ERR_QUOTA: c_int = 44;
/// `MPI_ERR_READ_ONLY`.
pub const MPI_ERR_READ_ONLY: c_int = 45;
/// `MPI_ERR_RMA_ATTACH`.
pub const MPI_ERR_RMA_ATTACH: c_int = 46;
/// `MPI_ERR_RMA_CONFLICT`.
pub const MPI_ERR_RMA_CONFLICT: c_int = 47;
/// `MPI_ERR_RMA_RANGE`.
pub const MPI_ERR_RMA_RANGE: c_int = 48;
/// `MPI_ERR_RMA_SHARED`.
pub const MPI_ERR_RMA_SHARED: c_int = 49;
/// `MPI_ERR_RMA_SYNC`.
pub const MPI_ERR_RMA_SYNC: c_int = 50;
/// `MPI_ERR_SERVICE`.
pub const MPI_ERR_SERVICE: c_int = 51;
/// `MPI_ERR_SIZE`.
pub const MPI_ERR_SIZE: c_int = 52;
/// `MPI_ERR_SPAWN`.
pub const MPI_ERR_SPAWN: c_int = 53;
/// `MPI_ERR_UNSUPPORTED_DATAREP`.
pub const MPI_ERR_UNSUPPORTED_DATAREP: c_int = 54;
/// `MPI_ERR_UNSUPPORTED_OPERATION`.
pub const MPI_ERR_UNSUPPORTED_OPERATION: c_int = 55;
/// `MPI_ERR_WIN`.
pub const MPI_ERR_WIN: c_int = 56;
/// `MPI_ERR_RMA_FLAVOR`.
pub const MPI_ERR_RMA_FLAVOR: c_int = 57;
/// `MPI_ERR_PROC_ABORTED`.
pub const MPI_ERR_PROC_ABORTED: c_int = 58;
/// `MPI_ERR_VALUE_TOO_LARGE`.
pub const MPI_ERR_VALUE_TOO_LARGE: c_int = 59;
/// `MPI_ERR_SESSION`.
pub const MPI_ERR_SESSION: c_int = 60;
/// `MPI_ERR_ERRHANDLER`.
pub const MPI_ERR_ERRHANDLER: c_int = 61;
/// `MPI_ERR_ABI`.
pub const MPI_ERR_ABI: c_int = 62;
/// `MPI_T_ERR_CANNOT_INIT`.
pub const MPI_T_ERR_CANNOT_INIT: c_int = 1001;
/// `MPI_T_ERR_NOT_ACCESSIBLE`.
pub const MPI_T_ERR_NOT_ACCESSIBLE: c_int = 1002;
/// `MPI_T_ERR_NOT_INITIALIZED`.
pub const MPI_T_ERR_NOT_INITIALIZED: c_int = 1003;
/// `MPI_T_ERR_NOT_SUPPORTED`.
pub const MPI_T_ERR_NOT_SUPPORTED: c_int = 1004;
/// `MPI_T_ERR_MEMORY`.
pub const MPI_T_ERR_MEMORY: c_int = 1005;
/// `MPI_T_ERR_INVALID`.
pub const MPI_T_ERR_INVALID: c_int = 1006;
/// `MPI_T_ERR_INVALID_INDEX`.
pub const MPI_T_ERR_INVALID_INDEX: c_int = 1007;
/// `MPI_T_ERR_INVALID_ITEM`.
pub const MPI_T_ERR_INVALID_ITEM: c_int = 1008;
/// `MPI_T_ERR_INVALID_SESSION`.
pub const MPI_T_ERR_INVALID_SESSION: c_int = 1009;
/// `MPI_T_ERR_INVALID_HANDLE`.
pub const MPI_T_ERR_INVALID_HANDLE: c_int = 1010;
/// `MPI_T_ERR_INVALID_NAME`.
pub const MPI_T_ERR_INVALID_NAME: c_int = 1011;
/// `MPI_T_ERR_OUT_OF_HANDLES`.
pub const MPI_T_ERR_OUT_OF_HANDLES: c_int = 1012;
/// `MPI_T_ERR_OUT_OF_SESSIONS`.
pub const MPI_T_ERR_OUT_OF_SESSIONS: c_int = 1013;
/// `MPI_T_ERR_CVAR_SET_NOT_NOW`.
pub const MPI_T_ERR_CVAR_SET_NOT_NOW: c_int = 1014;
/// `MPI_T_ERR_CVAR_SET_NEVER`.
pub const MPI_T_ERR_CVAR_SET_NEVER: c_int = 1015;
/// `MPI_T_ERR_PVAR_NO_WRITE`.
pub const MPI_T_ERR_PVAR_NO_WRITE: c_int = 1016;
/// `MPI_T_ERR_PVAR_NO_STARTSTOP`.
pub const MPI_T_ERR_PVAR_NO_STARTSTOP: c_int = 1017;
/// `MPI_T_ERR_PVAR_NO_ATOMIC`.
pub const MPI_T_ERR_PVAR_NO_ATOMIC: c_int = 1018;
/// `MPI_ERR_LASTCODE`.
pub const MPI_ERR_LASTCODE: c_int = 16383;

// Buffer addresses

/// `MPI_BOTTOM`.
pub const MPI_BOTTOM: *mut c_void = without_provenance_mut(0);
/// `MPI_IN_PLACE`.
pub const MPI_IN_PLACE: *mut c_void = without_provenance_mut(1);
/// `MPI_BUFFER_AUTOMATIC`.
pub const MPI_BUFFER_AUTOMATIC: *mut c_void = without_provenance_mut(2);

// Ignored arguments

/// `MPI_ARGV_NULL`.
pub const MPI_ARGV_NULL: *mut *mut c_char = without_provenance_mut(0);
/// `MPI_ARGVS_NULL`.
pub const MPI_ARGVS_NULL: *mut *mut *mut c_char = without_provenance_mut(0);
/// `MPI_ERRCODES_IGNORE`.
pub const MPI_ERRCODES_IGNORE: *mut c_int = without_provenance_mut(0);
/// `MPI_STATUS_IGNORE`.
pub const MPI_STATUS_IGNORE: *mut Status = without_provenance_mut(0);
/// `MPI_STATUSES_IGNORE`.
pub const MPI_STATUSES_IGNORE: *mut Status = without_provenance_mut(0);
/// `MPI_UNWEIGHTED`.
pub const MPI_UNWEIGHTED: *mut c_int = without_provenance_mut(10);
/// `MPI_WEIGHTS_EMPTY`.
pub const MPI_WEIGHTS_EMPTY: *mut c_int = without_provenance_mut(11);

// Lengths of strings and overhead of buffered messages

/// `MPI_MAX_DATAREP_STRING`.
pub const MPI_MAX_DATAREP_STRING: c_int = 128;
/// `MPI_MAX_ERROR_STRING`.
pub const MPI_MAX_ERROR_STRING: c_int = 512;
/// `MPI_MAX_INFO_KEY`.
pub const MPI_MAX_INFO_KEY: c_int = 256;
/// `MPI_MAX_INFO_VAL`.
pub const MPI_MAX_INFO_VAL: c_int = 1024;
/// `MPI_MAX_LIBRARY_VERSION_STRING`.
pub const MPI_MAX_LIBRARY_VERSION_STRING: c_int = 8192;
/// `MPI_MAX_OBJECT_NAME`.
pub const MPI_MAX_OBJECT_NAME: c_int = 128;
/// `MPI_MAX_PORT_NAME`.
pub const MPI_MAX_PORT_NAME: c_int = 1024;
/// `MPI_MAX_PROCESSOR_NAME`.
pub const MPI_MAX_PROCESSOR_NAME: c_int = 256;
/// `MPI_MAX_STRINGTAG_LEN`.
pub const MPI_MAX_STRINGTAG_LEN: c_int = 1024;
/// `MPI_MAX_PSET_NAME_LEN`.
pub const MPI_MAX_PSET_NAME_LEN: c_int = 1024;
/// `MPI_BSEND_OVERHEAD`.
pub const MPI_BSEND_OVERHEAD: c_int = 512;

// File modes

/// `MPI_MODE_APPEND`.
pub const MPI_MODE_APPEND: c_int = 1;
/// `MPI_MODE_CREATE`.
pub const MPI_MODE_CREATE: c_int = 2;
/// `MPI_MODE_DELETE_ON_CLOSE`.
pub const MPI_MODE_DELETE_ON_CLOSE: c_int = 4;
/// `MPI_MODE_EXCL`.
pub const MPI_MODE_EXCL: c_int = 8;
/// `MPI_MODE_RDONLY`.
pub const MPI_MODE_RDONLY: c_int = 16;
/// `MPI_MODE_RDWR`.
pub const MPI_MODE_RDWR: c_int = 32;
/// `MPI_MODE_SEQUENTIAL`.
pub const MPI_MODE_SEQUENTIAL: c_int = 64;
/// `MPI_MODE_UNIQUE_OPEN`.
pub const MPI_MODE_UNIQUE_OPEN: c_int = 128;
/// `MPI_MODE_WRONLY`.
pub const MPI_MODE_WRONLY: c_int = 256;

// Window assertions

/// `MPI_MODE_NOCHECK`.
pub const MPI_MODE_NOCHECK: c_int = 1024;
/// `MPI_MODE_NOPRECEDE`.
pub const MPI_MODE_NOPRECEDE: c_int = 2048;
/// `MPI_MODE_NOPUT`.
pub const MPI_MODE_NOPUT: c_int = 4096;
/// `MPI_MODE_NOSTORE`.
pub const MPI_MODE_NOSTORE: c_int = 8192;
/// `MPI_MODE_NOSUCCEED`.
pub const MPI_MODE_NOSUCCEED: c_int = 16384;

// Ranks and tags

/// `MPI_ANY_SOURCE`.
pub const MPI_ANY_SOURCE: c_int = -1;
/// `MPI_ANY_TAG`.
pub const MPI_ANY_TAG: c_int = -2;
/// `MPI_PROC_NULL`.
pub const MPI_PROC_NULL: c_int = -3;
/// `MPI_ROOT`.
pub const MPI_ROOT: c_int = -4;

// Undefined

/// `MPI_UNDEFINED`.
pub const MPI_UNDEFINED: c_int = -32766;

// Thread levels

/// `MPI_THREAD_SINGLE`.
pub const MPI_THREAD_SINGLE: c_int = 0;
/// `MPI_THREAD_FUNNELED`.
pub const MPI_THREAD_FUNNELED: c_int = 1024;
/// `MPI_THREAD_SERIALIZED`.
pub const MPI_THREAD_SERIALIZED: c_int = 2048;
/// `MPI_THREAD_MULTIPLE`.
pub const MPI_THREAD_MULTIPLE: c_int = 4096;

// Array orders

/// `MPI_ORDER_C`.
pub const MPI_ORDER_C: c_int = 0xC;
/// `MPI_ORDER_FORTRAN`.
pub const MPI_ORDER_FORTRAN: c_int = 0xF;

// Array distributions

/// `MPI_DISTRIBUTE_NONE`.
pub const MPI_DISTRIBUTE_NONE: c_int = 16;
/// `MPI_DISTRIBUTE_BLOCK`.
pub const MPI_DISTRIBUTE_BLOCK: c_int = 17;
/// `MPI_DISTRIBUTE_CYCLIC`.
pub const MPI_DISTRIBUTE_CYCLIC: c_int = 18;
/// `MPI_DISTRIBUTE_DFLT_DARG`.
pub const MPI_DISTRIBUTE_DFLT_DARG: c_int = 19;

// Combiners

/// `MPI_COMBINER_NAMED`.
pub const MPI_COMBINER_NAMED: c_int = 101;
/// `MPI_COMBINER_DUP`.
pub const MPI_COMBINER_DUP: c_int = 102;
/// `MPI_COMBINER_CONTIGUOUS`.
pub const MPI_COMBINER_CONTIGUOUS: c_int = 103;
/// `MPI_COMBINER_VECTOR`.
pub const MPI_COMBINER_VECTOR: c_int = 104;
/// `MPI_COMBINER_HVECTOR`.
pub const MPI_COMBINER_HVECTOR: c_int = 105;
/// `MPI_COMBINER_INDEXED`.
pub const MPI_COMBINER_INDEXED: c_int = 106;
/// `MPI_COMBINER_HINDEXED`.
pub const MPI_COMBINER_HINDEXED: c_int = 107;
/// `MPI_COMBINER_INDEXED_BLOCK`.
pub const MPI_COMBINER_INDEXED_BLOCK: c_int = 108;
/// `MPI_COMBINER_HINDEXED_BLOCK`.
pub const MPI_COMBINER_HINDEXED_BLOCK: c_int = 109;
/// `MPI_COMBINER_STRUCT`.
pub const MPI_COMBINER_STRUCT: c_int = 110;
/// `MPI_COMBINER_SUBARRAY`.
pub const MPI_COMBINER_SUBARRAY: c_int = 111;
/// `MPI_COMBINER_DARRAY`.
pub const MPI_COMBINER_DARRAY: c_int = 112;
/// `MPI_COMBINER_F90_REAL`.
pub const MPI_COMBINER_F90_REAL: c_int = 113;
/// `MPI_COMBINER_F90_COMPLEX`.
pub const MPI_COMBINER_F90_COMPLEX: c_int = 114;
/// `MPI_COMBINER_F90_INTEGER`.
pub const MPI_COMBINER_F90_INTEGER: c_int = 115;
/// `MPI_COMBINER_RESIZED`.
pub const MPI_COMBINER_RESIZED: c_int = 116;
/// `MPI_COMBINER_VALUE_INDEX`.
pub const MPI_COMBINER_VALUE_INDEX: c_int = 117;

// Type classes

/// `MPIX_TYPECLASS_LOGICAL`.
pub const MPIX_TYPECLASS_LOGICAL: c_int = 191;
/// `MPI_TYPECLASS_INTEGER`.
pub const MPI_TYPECLASS_INTEGER: c_int = 192;
/// `MPI_TYPECLASS_REAL`.
pub const MPI_TYPECLASS_REAL: c_int = 193;
/// `MPI_TYPECLASS_COMPLEX`.
pub const MPI_TYPECLASS_COMPLEX: c_int = 194;

// Comparisons

/// `MPI_IDENT`.
pub const MPI_IDENT: c_int = 201;
/// `MPI_CONGRUENT`.
pub const MPI_CONGRUENT: c_int = 202;
/// `MPI_SIMILAR`.
pub const MPI_SIMILAR: c_int = 203;
/// `MPI_UNEQUAL`.
pub const MPI_UNEQUAL: c_int = 204;

// Topologies

/// `MPI_CART`.
pub const MPI_CART: c_int = 211;
/// `MPI_GRAPH`.
pub const MPI_GRAPH: c_int = 212;
/// `MPI_DIST_GRAPH`.
pub const MPI_DIST_GRAPH: c_int = 213;

// Communicator split types

/// `MPI_COMM_TYPE_SHARED`.
pub const MPI_COMM_TYPE_SHARED: c_int = 221;
/// `MPI_COMM_TYPE_HW_UNGUIDED`.
pub const MPI_COMM_TYPE_HW_UNGUIDED: c_int = 222;
/// `MPI_COMM_TYPE_HW_GUIDED`.
pub const MPI_COMM_TYPE_HW_GUIDED: c_int = 223;
/// `MPI_COMM_TYPE_RESOURCE_GUIDED`.
pub const MPI_COMM_TYPE_RESOURCE_GUIDED: c_int = 224;

// Window locks

/// `MPI_LOCK_EXCLUSIVE`.
pub const MPI_LOCK_EXCLUSIVE: c_int = 301;
/// `MPI_LOCK_SHARED`.
pub const MPI_LOCK_SHARED: c_int = 302;

// Window flavors

/// `MPI_WIN_FLAVOR_CREATE`.
pub const MPI_WIN_FLAVOR_CREATE: c_int = 311;
/// `MPI_WIN_FLAVOR_ALLOCATE`.
pub const MPI_WIN_FLAVOR_ALLOCATE: c_int = 312;
/// `MPI_WIN_FLAVOR_DYNAMIC`.
pub const MPI_WIN_FLAVOR_DYNAMIC: c_int = 313;
/// `MPI_WIN_FLAVOR_SHARED`.
pub const MPI_WIN_FLAVOR_SHARED: c_int = 314;

// Window memory models

/// `MPI_WIN_UNIFIED`.
pub const MPI_WIN_UNIFIED: c_int = 321;
/// `MPI_WIN_SEPARATE`.
pub const MPI_WIN_SEPARATE: c_int = 322;

// File positions

/// `MPI_SEEK_CUR`.
pub const MPI_SEEK_CUR: c_int = 401;
/// `MPI_SEEK_END`.
pub const MPI_SEEK_END: c_int = 402;
/// `MPI_SEEK_SET`.
pub const MPI_SEEK_SET: c_int = 403;

// File displacements

/// `MPI_DISPLACEMENT_CURRENT`.
pub const MPI_DISPLACEMENT_CURRENT: Offset = -1;

// Communicator attributes

/// `MPI_KEYVAL_INVALID`.
pub const MPI_KEYVAL_INVALID: c_int = 0;
/// `MPI_TAG_UB`.
pub const MPI_TAG_UB: c_int = 501;
/// `MPI_IO`.
pub const MPI_IO: c_int = 502;
/// `MPI_HOST`.
pub const MPI_HOST: c_int = 503;
/// `MPI_WTIME_IS_GLOBAL`.
pub const MPI_WTIME_IS_GLOBAL: c_int = 504;
/// `MPI_APPNUM`.
pub const MPI_APPNUM: c_int = 505;
/// `MPI_LASTUSEDCODE`.
pub const MPI_LASTUSEDCODE: c_int = 506;
/// `MPI_UNIVERSE_SIZE`.
pub const MPI_UNIVERSE_SIZE: c_int = 507;

// Window attributes

/// `MPI_WIN_BASE`.
pub const MPI_WIN_BASE: c_int = 601;
/// `MPI_WIN_DISP_UNIT`.
pub const MPI_WIN_DISP_UNIT: c_int = 602;
/// `MPI_WIN_SIZE`.
pub const MPI_WIN_SIZE: c_int = 603;
/// `MPI_WIN_CREATE_FLAVOR`.
pub const MPI_WIN_CREATE_FLAVOR: c_int = 604;
/// `MPI_WIN_MODEL`.
pub const MPI_WIN_MODEL: c_int = 605;

// Enumerations of the tool interface

/// `MPI_T_ENUM_NULL`.
pub const MPI_T_ENUM_NULL: TEnum = TEnum::predefined(0);

/// The predefined handles of this type and their names.
pub static T_ENUM_NAMES: &[(TEnum, &str)] = &[(MPI_T_ENUM_NULL, "MPI_T_ENUM_NULL")];

// Control variables of the tool interface

/// `MPI_T_CVAR_HANDLE_NULL`.
pub const MPI_T_CVAR_HANDLE_NULL: TCvarHandle = TCvarHandle::predefined(0);

/// The predefined handles of this type and their names.
pub static T_CVAR_HANDLE_NAMES: &[(TCvarHandle, &str)] =
    &[(MPI_T_CVAR_HANDLE_NULL, "MPI_T_CVAR_HANDLE_NULL")];

// Performance variable sessions

/// `MPI_T_PVAR_SESSION_NULL`.
pub const MPI_T_PVAR_SESSION_NULL: TPvarSession = TPvarSession::predefined(0);

/// The predefined handles of this type and their names.
pub static T_PVAR_SESSION_NAMES: &[(TPvarSession, &str)] =
    &[(MPI_T_PVAR_SESSION_NULL, "MPI_T_PVAR_SESSION_NULL")];

// Performance variables

/// `MPI_T_PVAR_HANDLE_NULL`.
pub const MPI_T_PVAR_HANDLE_NULL: TPvarHandle = TPvarHandle::predefined(0);
/// `MPI_T_PVAR_ALL_HANDLES`.
pub const MPI_T_PVAR_ALL_HANDLES: TPvarHandle = TPvarHandle::predefined(1);

/// The predefined handles of this type and their names.
pub static T_PVAR_HANDLE_NAMES: &[(TPvarHandle, &str)] = &[
    (MPI_T_PVAR_HANDLE_NULL, "MPI_T_PVAR_HANDLE_NULL"),
    (MPI_T_PVAR_ALL_HANDLES, "MPI_T_PVAR_ALL_HANDLES"),
];

// Callback safety

/// `MPI_T_CB_REQUIRE_NONE`.
pub const MPI_T_CB_REQUIRE_NONE: TCbSafety = 0x0;
/// `MPI_T_CB_REQUIRE_MPI_RESTRICTED`.
pub const MPI_T_CB_REQUIRE_MPI_RESTRICTED: TCbSafety = 0x3;
/// `MPI_T_CB_REQUIRE_THREAD_SAFE`.
pub const MPI_T_CB_REQUIRE_THREAD_SAFE: TCbSafety = 0xF;
/// `MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE`.
pub const MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE: TCbSafety = 0x3F;

// Order of event sources

/// `MPI_T_SOURCE_ORDERED`.
pub const MPI_T_SOURCE_ORDERED: TSourceOrder = 1;
/// `MPI_T_SOURCE_UNORDERED`.
pub const MPI_T_SOURCE_UNORDERED: TSourceOrder = 2;

// Verbosity

/// `MPI_T_VERBOSITY_USER_BASIC`.
pub const MPI_T_VERBOSITY_USER_BASIC: c_int = 0x9;
/// `MPI_T_VERBOSITY_USER_DETAIL`.
pub const MPI_T_VERBOSITY_USER_DETAIL: c_int = 0xa;
/// `MPI_T_VERBOSITY_USER_ALL`.
pub const MPI_T_VERBOSITY_USER_ALL: c_int = 0xc;
/// `MPI_T_VERBOSITY_TUNER_BASIC`.
pub const MPI_T_VERBOSITY_TUNER_BASIC: c_int = 0x11;
/// `MPI_T_VERBOSITY_TUNER_DETAIL`.
pub const MPI_T_VERBOSITY_TUNER_DETAIL: c_int = 0x12;
/// `MPI_T_VERBOSITY_TUNER_ALL`.
pub const MPI_T_VERBOSITY_TUNER_ALL: c_int = 0x14;
/// `MPI_T_VERBOSITY_MPIDEV_BASIC`.
pub const MPI_T_VERBOSITY_MPIDEV_BASIC: c_int = 0x21;
/// `MPI_T_VERBOSITY_MPIDEV_DETAIL`.
pub const MPI_T_VERBOSITY_MPIDEV_DETAIL: c_int = 0x22;
/// `MPI_T_VERBOSITY_MPIDEV_ALL`.
pub const MPI_T_VERBOSITY_MPIDEV_ALL: c_int = 0x24;

// Objects that variables are bound to

/// `MPI_T_BIND_NO_OBJECT`.
pub const MPI_T_BIND_NO_OBJECT: c_int = 1;
/// `MPI_T_BIND_MPI_COMM`.
pub const MPI_T_BIND_MPI_COMM: c_int = 2;
/// `MPI_T_BIND_MPI_DATATYPE`.
pub const MPI_T_BIND_MPI_DATATYPE: c_int = 3;
/// `MPI_T_BIND_MPI_ERRHANDLER`.
pub const MPI_T_BIND_MPI_ERRHANDLER: c_int = 4;
/// `MPI_T_BIND_MPI_FILE`.
pub const MPI_T_BIND_MPI_FILE: c_int = 5;
/// `MPI_T_BIND_MPI_GROUP`.
pub const MPI_T_BIND_MPI_GROUP: c_int = 6;
/// `MPI_T_BIND_MPI_OP`.
pub const MPI_T_BIND_MPI_OP: c_int = 7;
/// `MPI_T_BIND_MPI_REQUEST`.
pub const MPI_T_BIND_MPI_REQUEST: c_int = 8;
/// `MPI_T_BIND_MPI_WIN`.
pub const MPI_T_BIND_MPI_WIN: c_int = 9;
/// `MPI_T_BIND_MPI_MESSAGE`.
pub const MPI_T_BIND_MPI_MESSAGE: c_int = 10;
/// `MPI_T_BIND_MPI_INFO`.
pub const MPI_T_BIND_MPI_INFO: c_int = 11;
/// `MPI_T_BIND_MPI_SESSION`.
pub const MPI_T_BIND_MPI_SESSION: c_int = 12;

// Scopes of control variables

/// `MPI_T_SCOPE_CONSTANT`.
pub const MPI_T_SCOPE_CONSTANT: c_int = 1;
/// `MPI_T_SCOPE_READONLY`.
pub const MPI_T_SCOPE_READONLY: c_int = 2;
/// `MPI_T_SCOPE_LOCAL`.
pub const MPI_T_SCOPE_LOCAL: c_int = 3;
/// `MPI_T_SCOPE_GROUP`.
pub const MPI_T_SCOPE_GROUP: c_int = 4;
/// `MPI_T_SCOPE_GROUP_EQ`.
pub const MPI_T_SCOPE_GROUP_EQ: c_int = 5;
/// `MPI_T_SCOPE_ALL`.
pub const MPI_T_SCOPE_ALL: c_int = 6;
/// `MPI_T_SCOPE_ALL_EQ`.
pub const MPI_T_SCOPE_ALL_EQ: c_int = 7;

// Classes of performance variables

/// `MPI_T_PVAR_CLASS_STATE`.
pub const MPI_T_PVAR_CLASS_STATE: c_int = 1;
/// `MPI_T_PVAR_CLASS_LEVEL`.
pub const MPI_T_PVAR_CLASS_LEVEL: c_int = 2;
/// `MPI_T_PVAR_CLASS_SIZE`.
pub const MPI_T_PVAR_CLASS_SIZE: c_int = 3;
/// `MPI_T_PVAR_CLASS_PERCENTAGE`.
pub const MPI_T_PVAR_CLASS_PERCENTAGE: c_int = 4;
/// `MPI_T_PVAR_CLASS_HIGHWATERMARK`.
pub const MPI_T_PVAR_CLASS_HIGHWATERMARK: c_int = 5;
/// `MPI_T_PVAR_CLASS_LOWWATERMARK`.
pub const MPI_T_PVAR_CLASS_LOWWATERMARK: c_int = 6;
/// `MPI_T_PVAR_CLASS_COUNTER`.
pub const MPI_T_PVAR_CLASS_COUNTER: c_int = 7;
/// `MPI_T_PVAR_CLASS_AGGREGATE`.
pub const MPI_T_PVAR_CLASS_AGGREGATE: c_int = 8;
/// `MPI_T_PVAR_CLASS_TIMER`.
pub const MPI_T_PVAR_CLASS_TIMER: c_int = 9;
/// `MPI_T_PVAR_CLASS_GENERIC`.
pub const MPI_T_PVAR_CLASS_GENERIC: c_int = 10;

/// The predefined error classes: value, name and text.
pub static ERROR_CLASSES: &[(c_int, &str, &str)] = &[
    (MPI_SUCCESS, "MPI_SUCCESS", "no error"),
    (MPI_ERR_BUFFER, "MPI_ERR_BUFFER", "invalid buffer"),
    (MPI_ERR_COUNT, "MPI_ERR_COUNT", "invalid count"),
    (MPI_ERR_TYPE, "MPI_ERR_TYPE", "invalid datatype"),
    (MPI_ERR_TAG, "MPI_ERR_TAG", "invalid tag"),
    (MPI_ERR_COMM, "MPI_ERR_COMM", "invalid communicator"),
    (MPI_ERR_RANK, "MPI_ERR_RANK", "invalid rank"),
    (MPI_ERR_REQUEST, "MPI_ERR_REQUEST", "invalid request"),
    (MPI_ERR_ROOT, "MPI_ERR_ROOT", "invalid root"),
    (MPI_ERR_GROUP, "MPI_ERR_GROUP", "invalid group"),
    (MPI_ERR_OP, "MPI_ERR_OP", "invalid operation"),
    (MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY", "invalid topology"),
    (MPI_ERR_DIMS, "MPI_ERR_DIMS", "invalid dimensions"),
    (MPI_ERR_ARG, "MPI_ERR_ARG", "invalid argument"),
    (MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error"),
    (MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE", "message longer than the receive buffer"),
    (MPI_ERR_OTHER, "MPI_ERR_OTHER", "error outside of the other classes"),
    (MPI_ERR_INTERN, "MPI_ERR_INTERN", "internal error of the library"),
    (MPI_ERR_PENDING, "MPI_ERR_PENDING", "request not completed yet"),
    (MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "see the error field of each status"),
    (MPI_ERR_ACCESS, "MPI_ERR_ACCESS", "permission denied"),
    (MPI_ERR_AMODE, "MPI_ERR_AMODE", "invalid file access mode"),
    (MPI_ERR_ASSERT, "MPI_ERR_ASSERT", "invalid assertion"),
    (MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE", "invalid file name"),
    (MPI_ERR_BASE, "MPI_ERR_BASE", "invalid base address"),
    (MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION", "error in a data conversion function"),
    (MPI_ERR_DISP, "MPI_ERR_DISP", "invalid displacement"),
    (MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP", "data representation already registered"),
    (MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS", "file exists"),
    (MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE", "file in use by another process"),
    (MPI_ERR_FILE, "MPI_ERR_FILE", "invalid file handle"),
    (MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "invalid info key"),
    (MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "no such info key"),
    (MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE", "invalid info value"),
    (MPI_ERR_INFO, "MPI_ERR_INFO", "invalid info object"),
    (MPI_ERR_IO, "MPI_ERR_IO", "input/output error"),
    (MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL", "invalid attribute key"),
    (MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE", "invalid lock type"),
    (MPI_ERR_NAME, "MPI_ERR_NAME", "service name not published"),
    (MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "out of memory"),
    (MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME", "collective argument differs between processes"),
    (MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE", "no space left on the device"),
    (MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE", "no such file"),
    (MPI_ERR_PORT, "MPI_ERR_PORT", "invalid port name"),
    (MPI_ERR_QUOTA, "MPI_ERR_QUOTA", "disk quota exceeded"),
    (MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY", "read-only file or file system"),
    (MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH", "memory cannot be attached"),
    (MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"),
    (MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE", "target memory outside of the window"),
    (MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED", "memory cannot be shared"),
    (MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC", "wrong synchronization of one-sided calls"),
    (MPI_ERR_SERVICE, "MPI_ERR_SERVICE", "service name cannot be withdrawn"),
    (MPI_ERR_SIZE, "MPI_ERR_SIZE", "invalid size"),
    (MPI_ERR_SPAWN, "MPI_ERR_SPAWN", "processes cannot be started"),
    (MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP", "unsupported data representation"),
    (MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION", "unsupported operation"),
    (MPI_ERR_WIN, "MPI_ERR_WIN", "invalid window"),
    (MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR", "wrong flavor of window"),
    (MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED", "a peer process has aborted"),
    (MPI_ERR_VALUE_TOO_LARGE, "MPI_ERR_VALUE_TOO_LARGE", "value too large to store"),
    (MPI_ERR_SESSION, "MPI_ERR_SESSION", "invalid session"),
    (MPI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER", "invalid error handler"),
    (MPI_ERR_ABI, "MPI_ERR_ABI", "ABI settings cannot be changed"),
    (MPI_T_ERR_CANNOT_INIT, "MPI_T_ERR_CANNOT_INIT", "tool interface cannot be initialized"),
    (MPI_T_ERR_NOT_ACCESSIBLE, "MPI_T_ERR_NOT_ACCESSIBLE", "tool interface not accessible"),
    (MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED", "tool interface not initialized"),
    (MPI_T_ERR_NOT_SUPPORTED, "MPI_T_ERR_NOT_SUPPORTED", "not supported by the tool interface"),
    (MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY", "tool interface out of memory"),
    (MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID", "invalid use of the tool interface"),
    (MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX", "invalid index"),
    (MPI_T_ERR_INVALID_ITEM, "MPI_T_ERR_INVALID_ITEM", "invalid item index"),
    (MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION", "invalid tool session"),
    (MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE", "invalid tool handle"),
    (MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME", "invalid name"),
    (MPI_T_ERR_OUT_OF_HANDLES, "MPI_T_ERR_OUT_OF_HANDLES", "no more tool handles"),
    (MPI_T_ERR_OUT_OF_SESSIONS, "MPI_T_ERR_OUT_OF_SESSIONS", "no more tool sessions"),
    (
        MPI_T_ERR_CVAR_SET_NOT_NOW,
        "MPI_T_ERR_CVAR_SET_NOT_NOW",
        "control variable cannot be set now",
    ),
    (
        MPI_T_ERR_CVAR_SET_NEVER,
        "MPI_T_ERR_CVAR_SET_NEVER",
        "control variable cannot be set until the end",
    ),
    (MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE", "performance variable cannot be written"),
    (
        MPI_T_ERR_PVAR_NO_STARTSTOP,
        "MPI_T_ERR_PVAR_NO_STARTSTOP",
        "performance variable cannot be started or stopped",
    ),
    (
        MPI_T_ERR_PVAR_NO_ATOMIC,
        "MPI_T_ERR_PVAR_NO_ATOMIC",
        "performance variable cannot be read and reset at once",
    ),
    (MPI_ERR_LASTCODE, "MPI_ERR_LASTCODE", "last predefined error code"),
];
