//! The types of mpi.h. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use std::ffi::{c_int, c_void};

use crate::abi::handle::handle;
use crate::abi::status::Status;

/// `MPI_Aint`.
pub type Aint = i64;
/// `MPI_Offset`.
pub type Offset = i64;
/// `MPI_Count`.
pub type Count = i64;
const _: () = assert!(size_of::<Aint>() == size_of::<usize>());

handle!(/// `MPI_Op`.
Op);
handle!(/// `MPI_Comm`.
Comm);
handle!(/// `MPI_Group`.
Group);
handle!(/// `MPI_Win`.
Win);
handle!(/// `MPI_File`.
File);
handle!(/// `MPI_Session`.
Session);
handle!(/// `MPI_Message`.
Message);
handle!(/// `MPI_Info`.
Info);
handle!(/// `MPI_Errhandler`.
Errhandler);
handle!(/// `MPI_Request`.
Request);
handle!(/// `MPI_Datatype`.
Datatype);
handle!(/// `MPI_T_enum`.
TEnum);
handle!(/// `MPI_T_cvar_handle`.
TCvarHandle);
handle!(/// `MPI_T_pvar_handle`.
TPvarHandle);
handle!(/// `MPI_T_pvar_session`.
TPvarSession);
handle!(/// `MPI_T_event_registration`.
TEventRegistration);
handle!(/// `MPI_T_event_instance`.
TEventInstance);
handle!(/// `MPIX_Sync`.
XSync);

/// `MPI_T_cb_safety`.
pub type TCbSafety = c_int;

/// `MPI_T_source_order`.
pub type TSourceOrder = c_int;

/// `MPI_User_function *`.
pub type UserFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut Datatype);

/// `MPI_User_function_c *`.
pub type UserFunctionC = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Count, *mut Datatype);

/// `MPI_Grequest_query_function *`.
pub type GrequestQueryFunction = unsafe extern "C" fn(*mut c_void, *mut Status) -> c_int;

/// `MPI_Grequest_free_function *`.
pub type GrequestFreeFunction = unsafe extern "C" fn(*mut c_void) -> c_int;

/// `MPI_Grequest_cancel_function *`.
pub type GrequestCancelFunction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

/// `MPI_Copy_function *`.
pub type CopyFunction =
    unsafe extern "C" fn(Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// `MPI_Delete_function *`.
pub type DeleteFunction = unsafe extern "C" fn(Comm, c_int, *mut c_void, *mut c_void) -> c_int;

/// `MPI_Comm_copy_attr_function *`.
pub type CommCopyAttrFunction =
    unsafe extern "C" fn(Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// `MPI_Comm_delete_attr_function *`.
pub type CommDeleteAttrFunction =
    unsafe extern "C" fn(Comm, c_int, *mut c_void, *mut c_void) -> c_int;

/// `MPI_Type_copy_attr_function *`.
pub type TypeCopyAttrFunction = unsafe extern "C" fn(
    Datatype,
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_int,
) -> c_int;

/// `MPI_Type_delete_attr_function *`.
pub type TypeDeleteAttrFunction =
    unsafe extern "C" fn(Datatype, c_int, *mut c_void, *mut c_void) -> c_int;

/// `MPI_Win_copy_attr_function *`.
pub type WinCopyAttrFunction =
    unsafe extern "C" fn(Win, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// `MPI_Win_delete_attr_function *`.
pub type WinDeleteAttrFunction =
    unsafe extern "C" fn(Win, c_int, *mut c_void, *mut c_void) -> c_int;

/// `MPI_Datarep_extent_function *`.
pub type DatarepExtentFunction = unsafe extern "C" fn(Datatype, *mut Aint, *mut c_void) -> c_int;

/// `MPI_Datarep_conversion_function *`.
pub type DatarepConversionFunction =
    unsafe extern "C" fn(*mut c_void, Datatype, c_int, *mut c_void, Offset, *mut c_void) -> c_int;

/// `MPI_Datarep_conversion_function_c *`.
pub type DatarepConversionFunctionC =
    unsafe extern "C" fn(*mut c_void, Datatype, Count, *mut c_void, Offset, *mut c_void) -> c_int;

/// `MPI_Comm_errhandler_function *`.
pub type CommErrhandlerFunction = unsafe extern "C" fn(*mut Comm, *mut c_int, ...);

/// `MPI_File_errhandler_function *`.
pub type FileErrhandlerFunction = unsafe extern "C" fn(*mut File, *mut c_int, ...);

/// `MPI_Win_errhandler_function *`.
pub type WinErrhandlerFunction = unsafe extern "C" fn(*mut Win, *mut c_int, ...);

/// `MPI_Session_errhandler_function *`.
pub type SessionErrhandlerFunction = unsafe extern "C" fn(*mut Session, *mut c_int, ...);

/// `MPI_T_event_cb_function *`.
pub type TEventCbFunction =
    unsafe extern "C" fn(TEventInstance, TEventRegistration, TCbSafety, *mut c_void);

/// `MPI_T_event_free_cb_function *`.
pub type TEventFreeCbFunction = unsafe extern "C" fn(TEventRegistration, TCbSafety, *mut c_void);

/// `MPI_T_event_dropped_cb_function *`.
pub type TEventDroppedCbFunction =
    unsafe extern "C" fn(Count, TEventRegistration, c_int, TCbSafety, *mut c_void);
