//! The checks of arguments. `mpi/abi/kinds.txt` says which kind of parameter gets which; each gives
//! the error class that the standard names for it, and a text with the argument's name and value.

use std::ffi::{CStr, c_int};

use crate::abi::args::{Counts, InOut, MayBeNull, Reduction, is_null};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::*;
use crate::error::{Error, Result};
use crate::levels;
use crate::objects::comm::{self, CommRef};
use crate::objects::datatype::DatatypeRef;
use crate::objects::errhandler::{self, ErrhandlerRef};
use crate::objects::group::{self, GroupBody};
use crate::objects::info::{self, InfoRef};
use crate::objects::op::{self, OpRef};
use crate::objects::request::{self, RequestRef, RequestVar};
use crate::objects::session::{self, SessionRef};
use crate::objects::win::{self, WinRef};
use crate::objects::{self, message, sync};
use crate::state;
pub use crate::state::checks_arguments as enabled;

// --- State

/// MPI is initialized and not finalized, or there is a session, and the calling thread may call it.
#[inline(always)]
pub fn running() -> Result<()> {
    levels::enter()
}

/// The same, for what any thread may call whatever the level of thread support.
pub fn running_somewhere() -> Result<()> {
    if state::is_running() { Ok(()) } else { Err(levels::not_running()) }
}

/// The tool information interface is initialized.
pub fn tool_running() -> Result<()> {
    if crate::tool::is_running() {
        return Ok(());
    }
    Err(Error::new(MPI_T_ERR_NOT_INITIALIZED, "call MPI_T_init_thread first"))
}

// --- Pointers

/// A pointer that may not be null.
#[inline(always)]
pub fn pointer<P: MayBeNull>(name: &str, pointer: P) -> Result<()> {
    if is_null(pointer) { Err(null(name)) } else { Ok(()) }
}

/// An array that may be null if it has no elements.
#[inline(always)]
pub fn array<P: MayBeNull>(name: &str, pointer: P, length: usize) -> Result<()> {
    if length > 0 && is_null(pointer) { Err(null(name)) } else { Ok(()) }
}

/// A function that may not be null.
pub fn callback<F>(name: &str, function: Option<F>) -> Result<()> {
    function.map(|_| ()).ok_or_else(|| null(name))
}

/// A reduction that may not be null.
pub fn user_function(name: &str, function: Reduction) -> Result<()> {
    match function {
        Reduction::Small(None) | Reduction::Large(None) => Err(null(name)),
        Reduction::Small(_) | Reduction::Large(_) => Ok(()),
    }
}

#[cold]
fn null(name: &str) -> Error {
    Error::new(MPI_ERR_ARG, format!("{name} is a null pointer"))
}

// --- Numbers

/// Elements of a buffer or array.
#[inline(always)]
pub fn count(name: &str, count: Count) -> Result<()> {
    not_negative(MPI_ERR_COUNT, name, count)
}

/// Bytes of memory.
pub fn size(name: &str, size: Count) -> Result<()> {
    not_negative(MPI_ERR_ARG, name, size)
}

/// Elements of an array that is an argument.
#[inline(always)]
pub fn length(name: &str, length: c_int) -> Result<()> {
    not_negative(MPI_ERR_ARG, name, length.into())
}

/// Dimensions of a topology or an array.
pub fn ndims(name: &str, ndims: c_int) -> Result<()> {
    not_negative(MPI_ERR_DIMS, name, ndims.into())
}

/// Bytes of a window.
pub fn memory_size(name: &str, size: Aint) -> Result<()> {
    not_negative(MPI_ERR_SIZE, name, size)
}

/// Unit of the displacements in a window.
pub fn disp_unit(name: &str, unit: Count) -> Result<()> {
    if unit > 0 {
        return Ok(());
    }
    Err(Error::argument(MPI_ERR_DISP, name, unit, "must be positive"))
}

/// An array of counts.
pub fn counts(name: &str, counts: Counts<'_>) -> Result<()> {
    match counts.iter().position(|count| count < 0) {
        None => Ok(()),
        Some(index) => self::count(&format!("{name}[{index}]"), counts.at(index)),
    }
}

#[inline(always)]
fn not_negative(class: c_int, name: &str, value: Count) -> Result<()> {
    if value >= 0 { Ok(()) } else { Err(negative(class, name, value)) }
}

#[cold]
fn negative(class: c_int, name: &str, value: Count) -> Error {
    Error::argument(class, name, value, "may not be negative")
}

// --- Ranks and tags

/// Where something is sent to.
#[inline(always)]
pub fn dest(name: &str, rank: c_int, peers: usize) -> Result<()> {
    if rank == MPI_PROC_NULL { Ok(()) } else { self::rank(name, rank, peers) }
}

/// Where something comes from.
#[inline(always)]
pub fn source(name: &str, rank: c_int, peers: usize) -> Result<()> {
    if rank == MPI_ANY_SOURCE { Ok(()) } else { dest(name, rank, peers) }
}

/// A process.
#[inline(always)]
pub fn rank(name: &str, rank: c_int, peers: usize) -> Result<()> {
    in_group(MPI_ERR_RANK, name, rank, peers)
}

/// The root of a collective.
pub fn root(name: &str, root: c_int, comm: CommRef) -> Result<()> {
    if comm.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL) {
        return Ok(());
    }
    in_group(MPI_ERR_ROOT, name, root, comm.peers())
}

/// Whether this process is the root. The root of an intercommunicator says `MPI_ROOT`.
pub fn at_root(root: c_int, comm: CommRef) -> bool {
    root == MPI_ROOT || root >= 0 && !comm.is_inter() && root == comm.rank() as c_int
}

/// Whether this process has data of its own in a rooted collective: all do in an intracommunicator,
/// but only the group that the root is not in of an intercommunicator.
pub fn at_leaf(root: c_int) -> bool {
    root >= 0
}

/// Whether this process takes part in a rooted collective: of the root's group in an
/// intercommunicator, only the root does.
pub fn takes_part(root: c_int) -> bool {
    root != MPI_PROC_NULL
}

#[inline(always)]
fn in_group(class: c_int, name: &str, rank: c_int, size: usize) -> Result<()> {
    if usize::try_from(rank).is_ok_and(|rank| rank < size) {
        return Ok(());
    }
    Err(not_in_group(class, name, rank, size))
}

#[cold]
fn not_in_group(class: c_int, name: &str, rank: c_int, size: usize) -> Error {
    let ranks = format!("the ranks are 0 to {}", size.saturating_sub(1));
    Error::argument(class, name, rank, ranks)
}

/// The tag of a message that is sent.
#[inline(always)]
pub fn tag(name: &str, tag: c_int) -> Result<()> {
    if (0..=objects::tag_ub()).contains(&tag) { Ok(()) } else { Err(no_tag(name, tag)) }
}

#[cold]
fn no_tag(name: &str, tag: c_int) -> Error {
    let tags = format!("tags are 0 to {}", objects::tag_ub());
    Error::argument(MPI_ERR_TAG, name, tag, tags)
}

/// The tag of a message that is received.
#[inline(always)]
pub fn tag_or_any(name: &str, tag: c_int) -> Result<()> {
    if tag == MPI_ANY_TAG { Ok(()) } else { self::tag(name, tag) }
}

// --- Buffers

/// What may be the address of a buffer.
pub trait Address: Copy {
    /// The address as a number.
    fn address(self) -> usize;
}

impl<T> Address for *const T {
    fn address(self) -> usize {
        self.addr()
    }
}

impl<T> Address for *mut T {
    fn address(self) -> usize {
        self.addr()
    }
}

/// A buffer with one count and datatype. Without elements it may be anywhere: an empty array of bytes in
/// Rust has the address 1, which is `MPI_IN_PLACE`.
#[inline(always)]
pub fn buffer(name: &str, buffer: impl Address, count: Count, datatype: DatatypeRef) -> Result<()> {
    // One comparison for both addresses, 0 and 1, on the path of every message.
    match buffer.address() {
        address if address <= MPI_IN_PLACE.addr() => no_data(name, address, count, datatype),
        _ => Ok(()),
    }
}

/// A buffer of a collective that may be `MPI_IN_PLACE`.
#[inline(always)]
pub fn buffer_or_place(
    name: &str,
    buffer: impl Address,
    count: Count,
    datatype: DatatypeRef,
) -> Result<()> {
    match buffer.address() {
        0 => no_data(name, 0, count, datatype),
        _ => Ok(()),
    }
}

/// Whether a buffer may be null or `MPI_IN_PLACE`. With a derived type the null pointer is `MPI_BOTTOM`,
/// from which its addresses count.
#[cold]
fn no_data(name: &str, address: usize, count: Count, datatype: DatatypeRef) -> Result<()> {
    if count <= 0 {
        return Ok(());
    }
    if address != 0 {
        return Err(in_place(name));
    }
    if datatype.is_predefined() { Err(no_buffer(name, count)) } else { Ok(()) }
}

fn no_buffer(name: &str, count: Count) -> Error {
    let text = format!("{name} is a null pointer, but there are {count} elements");
    Error::new(MPI_ERR_BUFFER, text)
}

/// A buffer of which nothing more is known here than that it is not `MPI_IN_PLACE`.
#[inline(always)]
pub fn not_in_place(name: &str, buffer: impl Address) -> Result<()> {
    if buffer.address() != MPI_IN_PLACE.addr() { Ok(()) } else { Err(in_place(name)) }
}

#[cold]
fn in_place(name: &str) -> Error {
    Error::new(MPI_ERR_BUFFER, format!("{name} may not be MPI_IN_PLACE"))
}

/// A buffer of packed data, of which an empty one may be anywhere.
pub fn packed(name: &str, buffer: impl Address, size: Count) -> Result<()> {
    if size > 0 {
        not_in_place(name, buffer)?;
    }
    if buffer.address() == 0 && size > 0 {
        let text = format!("{name} is a null pointer, but its size is {size}");
        return Err(Error::new(MPI_ERR_BUFFER, text));
    }
    Ok(())
}

// --- Text

/// The key of an info object.
pub fn info_key(name: &str, key: &CStr) -> Result<()> {
    text(MPI_ERR_INFO_KEY, name, key, MPI_MAX_INFO_KEY)?;
    if key.is_empty() {
        return Err(Error::new(MPI_ERR_INFO_KEY, format!("{name} is empty")));
    }
    Ok(())
}

/// The value of a key.
pub fn info_value(name: &str, value: &CStr) -> Result<()> {
    text(MPI_ERR_INFO_VALUE, name, value, MPI_MAX_INFO_VAL)
}

fn text(class: c_int, name: &str, text: &CStr, max: c_int) -> Result<()> {
    let length = text.count_bytes();
    if length < max as usize {
        return Ok(());
    }
    let text = format!("{name} has {length} characters, but there is room for {}", max - 1);
    Err(Error::new(class, text))
}

// --- Handles

/// The checks of each class of handles: the handle itself, which gives what it leads to, and a variable
/// that holds one.
macro_rules! handles {
    ($($check:ident, $io:ident: $handle:ident $of:literal -> $object:ty, $find:expr,
       $class:ident, $names:expr;)*) => {$(
        #[doc = concat!("A valid `", $of, "`.")]
        #[inline(always)]
        pub fn $check(name: &str, handle: $handle) -> Result<$object> {
            #[cold]
            fn none(name: &str, handle: $handle) -> Error {
                invalid($class, name, $of, (handle, handle.value()), $names)
            }
            match $find(handle) {
                Some(object) => Ok(object),
                None => Err(none(name, handle)),
            }
        }

        #[doc = concat!("A variable that holds a valid `", $of, "`.")]
        pub fn $io(name: &str, handle: InOut<$handle>) -> Result<()> {
            pointer(name, handle)?;
            $check(name, handle.get()).map(drop)
        }
    )*};
}

// Of files there are predefined ones only in this version. A datatype that is looked at or built on need
// not be committed.
handles! {
    comm, comm_io: Comm "MPI_Comm" -> CommRef, comm::find, MPI_ERR_COMM, COMM_NAMES;
    group, group_io: Group "MPI_Group" -> GroupBody, group::find, MPI_ERR_GROUP, GROUP_NAMES;
    win, win_io: Win "MPI_Win" -> WinRef, win::find, MPI_ERR_WIN, WIN_NAMES;
    file, file_io: File "MPI_File" -> (), |file| listed(file, MPI_FILE_NULL, FILE_NAMES), MPI_ERR_FILE,
        FILE_NAMES;
    session, session_io: Session "MPI_Session" -> SessionRef, session::find, MPI_ERR_SESSION, SESSION_NAMES;
    info_object, info_io: Info "MPI_Info" -> InfoRef, info::find, MPI_ERR_INFO, INFO_NAMES;
    errhandler, errhandler_io: Errhandler "MPI_Errhandler" -> ErrhandlerRef, errhandler::valid,
        MPI_ERR_ERRHANDLER, ERRHANDLER_NAMES;
    op, op_io: Op "MPI_Op" -> OpRef, op::find, MPI_ERR_OP, OP_NAMES;
    message, message_io: Message "MPI_Message" -> (), message::find, MPI_ERR_REQUEST, MESSAGE_NAMES;
    oldtype, datatype_io: Datatype "MPI_Datatype" -> DatatypeRef, DatatypeRef::find_here, MPI_ERR_TYPE,
        DATATYPE_NAMES;
    sync, sync_io: XSync "MPIX_Sync" -> sync::SyncRef, sync::find, MPI_ERR_ARG, &[];
}

/// Whether a handle is one of these constants and not null.
fn listed<H: PartialEq>(handle: H, null: H, names: &[(H, &str)]) -> Option<()> {
    (handle != null && names.iter().any(|(constant, _)| *constant == handle)).then_some(())
}

/// What is said of a handle and its value, given the constants of its class.
#[cold]
fn invalid<H: PartialEq>(
    class: c_int,
    name: &str,
    of: &str,
    (handle, value): (H, usize),
    constants: &[(H, &str)],
) -> Error {
    match constants.iter().find(|(constant, _)| *constant == handle) {
        Some((_, constant)) => Error::argument(class, name, constant, "an object is needed"),
        None => Error::new(class, format!("{name} is {value:#x}, which is no {of}")),
    }
}

/// A file, or the null file, which has an error handler.
pub fn file_or_null(name: &str, file: File) -> Result<()> {
    if file == MPI_FILE_NULL { Ok(()) } else { self::file(name, file) }
}

/// A communicator, or the null one, which has a name.
pub fn comm_or_null(name: &str, comm: Comm) -> Result<()> {
    if comm == MPI_COMM_NULL { Ok(()) } else { self::comm(name, comm).map(drop) }
}

/// A window, or the null one, which has a name.
pub fn win_or_null(name: &str, win: Win) -> Result<()> {
    if win == MPI_WIN_NULL { Ok(()) } else { self::win(name, win).map(drop) }
}

/// A datatype, or the null one, which has a name.
pub fn oldtype_or_null(name: &str, datatype: Datatype) -> Result<()> {
    if datatype == MPI_DATATYPE_NULL { Ok(()) } else { oldtype(name, datatype).map(drop) }
}

/// Hints, or none.
pub fn info(name: &str, info: Info) -> Result<InfoRef> {
    if info == MPI_INFO_NULL { Ok(InfoRef::Null) } else { info_object(name, info) }
}

/// Hints for several, each of which may be none.
pub fn infos(name: &str, infos: &[Info]) -> Result<()> {
    each(name, infos, info)
}

/// A datatype that describes data: it must be committed.
#[inline(always)]
pub fn datatype(name: &str, handle: Datatype) -> Result<DatatypeRef> {
    // Predefined ones are, which is said without a look.
    match DatatypeRef::predefined(handle) {
        Some(datatype) => Ok(datatype),
        None => derived(name, handle),
    }
}

fn derived(name: &str, handle: Datatype) -> Result<DatatypeRef> {
    let Some(datatype) = DatatypeRef::find(handle) else { return Err(no_datatype(name, handle)) };
    if datatype.is_committed() { Ok(datatype) } else { Err(uncommitted(name)) }
}

/// A datatype that describes data which does not leave the process.
pub fn datatype_here(name: &str, handle: Datatype) -> Result<DatatypeRef> {
    let datatype = oldtype(name, handle)?;
    if datatype.is_committed() { Ok(datatype) } else { Err(uncommitted(name)) }
}

#[cold]
fn no_datatype(name: &str, handle: Datatype) -> Error {
    invalid(MPI_ERR_TYPE, name, "MPI_Datatype", (handle, handle.value()), DATATYPE_NAMES)
}

#[cold]
fn uncommitted(name: &str) -> Error {
    let text = format!("{name} is not committed; call MPI_Type_commit first");
    Error::new(MPI_ERR_TYPE, text)
}

/// Datatypes that describe data. Where the count is 0, programs give `MPI_DATATYPE_NULL`, which no
/// library minds.
pub fn datatypes(name: &str, datatypes: &[Datatype], counts: Counts<'_>) -> Result<()> {
    for (index, (datatype, count)) in datatypes.iter().zip(counts.iter()).enumerate() {
        if count != 0 && self::datatype(name, *datatype).is_err() {
            self::datatype(&format!("{name}[{index}]"), *datatype)?;
        }
    }
    Ok(())
}

/// Datatypes that others are made of.
pub fn oldtypes(name: &str, datatypes: &[Datatype]) -> Result<()> {
    each(name, datatypes, oldtype)
}

/// A request.
#[inline(always)]
pub fn request_object(name: &str, request: Request) -> Result<RequestRef> {
    match request::find(request) {
        Some(request) => Ok(request),
        None => Err(no_request(name, request)),
    }
}

#[cold]
fn no_request(name: &str, request: Request) -> Error {
    invalid(MPI_ERR_REQUEST, name, "MPI_Request", (request, request.value()), REQUEST_NAMES)
}

/// A request, or none.
#[inline(always)]
pub fn request(name: &str, request: Request) -> Result<Option<RequestRef>> {
    if request == MPI_REQUEST_NULL { Ok(None) } else { request_object(name, request).map(Some) }
}

/// A variable that holds a request, or none.
#[inline(always)]
pub fn request_io(name: &str, place: InOut<Request>) -> Result<RequestVar<Option<RequestRef>>> {
    pointer(name, place)?;
    Ok(RequestVar { place, request: request(name, place.get())? })
}

/// A variable that holds a request.
pub fn request_object_io(name: &str, place: InOut<Request>) -> Result<RequestVar<RequestRef>> {
    pointer(name, place)?;
    Ok(RequestVar { place, request: request_object(name, place.get())? })
}

/// Requests, each of which may be none.
pub fn requests(name: &str, requests: &[Request]) -> Result<()> {
    each(name, requests, request)
}

/// Requests.
pub fn request_objects(name: &str, requests: &[Request]) -> Result<()> {
    each(name, requests, request_object)
}

/// Checks each element; a failing one is named by its index.
fn each<T: Copy, O>(name: &str, all: &[T], check: impl Fn(&str, T) -> Result<O>) -> Result<()> {
    match all.iter().position(|element| check(name, *element).is_err()) {
        None => Ok(()),
        Some(index) => check(&format!("{name}[{index}]"), all[index]).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::args;

    fn class<T>(result: Result<T>) -> c_int {
        result.map_or_else(|error| error.code(), |_| MPI_SUCCESS)
    }

    #[test]
    fn ranks_and_tags() {
        let one = 1;
        for (rank, to, from, root) in [
            (0, MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS),
            (1, MPI_ERR_RANK, MPI_ERR_RANK, MPI_ERR_ROOT),
            (MPI_PROC_NULL, MPI_SUCCESS, MPI_SUCCESS, MPI_ERR_ROOT),
            (MPI_ANY_SOURCE, MPI_ERR_RANK, MPI_SUCCESS, MPI_ERR_ROOT),
            (MPI_ROOT, MPI_ERR_RANK, MPI_ERR_RANK, MPI_ERR_ROOT),
            (c_int::MIN, MPI_ERR_RANK, MPI_ERR_RANK, MPI_ERR_ROOT),
        ] {
            assert_eq!(class(dest("dest", rank, one)), to, "{rank}");
            assert_eq!(class(source("source", rank, one)), from, "{rank}");
            assert_eq!(class(in_group(MPI_ERR_ROOT, "root", rank, 1)), root, "{rank}");
        }
        assert_eq!(class(tag("tag", 0)), MPI_SUCCESS);
        assert_eq!(class(tag("tag", MPI_ANY_TAG)), MPI_ERR_TAG);
        assert_eq!(class(tag_or_any("tag", MPI_ANY_TAG)), MPI_SUCCESS);
        assert_eq!(class(tag_or_any("tag", -1)), MPI_ERR_TAG);
    }

    #[test]
    fn null_buffers_need_data_to_be_wrong() {
        let (null, place) = (std::ptr::null::<u8>(), MPI_IN_PLACE);
        // Which `buffer` relies on.
        assert_eq!(place.addr(), 1);
        let int = DatatypeRef::of(MPI_INT).unwrap();
        assert_eq!(class(buffer("buf", null, 0, int)), MPI_SUCCESS);
        assert_eq!(class(buffer("buf", null, 1, int)), MPI_ERR_BUFFER);
        assert_eq!(class(buffer("buf", null, 1, DatatypeRef::derived())), MPI_SUCCESS);
        assert_eq!(class(buffer("buf", place, 1, int)), MPI_ERR_BUFFER);
        assert_eq!(class(buffer("buf", place, 0, int)), MPI_SUCCESS);
        assert_eq!(class(packed("buf", place, 1)), MPI_ERR_BUFFER);
        assert_eq!(class(packed("buf", place, 0)), MPI_SUCCESS);
        assert_eq!(class(buffer_or_place("buf", place, 1, int)), MPI_SUCCESS);
        assert_eq!(class(packed("buf", null, 1)), MPI_ERR_BUFFER);
    }

    #[test]
    fn handles_of_another_class_are_invalid() {
        assert_eq!(class(comm("comm", MPI_COMM_NULL)), MPI_ERR_COMM);
        assert_eq!(class(comm("comm", Comm::predefined(0))), MPI_ERR_COMM);
        assert_eq!(class(comm("comm", Comm::predefined(0x209))), MPI_ERR_COMM);
        assert_eq!(class(datatype("datatype", MPI_DATATYPE_NULL)), MPI_ERR_TYPE);
        assert_eq!(class(info("info", MPI_INFO_NULL)), MPI_SUCCESS);
        assert_eq!(class(info_object("info", MPI_INFO_NULL)), MPI_ERR_INFO);
        assert_eq!(class(file("fh", MPI_FILE_NULL)), MPI_ERR_FILE);
        assert_eq!(class(file_or_null("file", MPI_FILE_NULL)), MPI_SUCCESS);
        assert_eq!(class(request("request", MPI_REQUEST_NULL)), MPI_SUCCESS);
        assert_eq!(class(request_object("request", MPI_REQUEST_NULL)), MPI_ERR_REQUEST);
    }

    #[test]
    fn elements_are_named_by_index() {
        let error = counts("recvcounts", Counts::Small(&[1, 2, -3])).unwrap_err();
        assert_eq!(error.code(), MPI_ERR_COUNT);
        assert_eq!(error.text(), "recvcounts[2] is -3, but may not be negative");
        let types = [MPI_INT, MPI_DATATYPE_NULL];
        assert!(datatypes("types", &types, Counts::Large(&[1, 0])).is_ok());
        let error = datatypes("types", &types, Counts::Large(&[1, 1])).unwrap_err();
        assert!(error.text().starts_with("types[1] is "), "{}", error.text());
    }

    #[test]
    fn keys_have_a_length() {
        let long = std::ffi::CString::new(vec![b'k'; 256]).unwrap();
        assert_eq!(class(info_key("key", &long)), MPI_ERR_INFO_KEY);
        assert_eq!(class(info_key("key", c"")), MPI_ERR_INFO_KEY);
        assert_eq!(class(info_key("key", c"k")), MPI_SUCCESS);
        assert_eq!(class(info_value("value", &long)), MPI_SUCCESS);
        // SAFETY: null is allowed.
        let nothing = unsafe { args::out::<c_int>(std::ptr::null_mut()) };
        assert_eq!(class(pointer("flag", nothing)), MPI_ERR_ARG);
        assert_eq!(class(array("ranks", std::ptr::null::<c_int>(), 0)), MPI_SUCCESS);
    }
}
