//! Operations (MPI 5.0, section 12.3): the arguments are checked and become what the component is told.

use std::ffi::{c_int, c_void};

use cairn_framework::abi::datatype::{OP_NOTHING, OP_REPLACE, Op as OpView};
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE, OSC_PUT, OscSide,
    OscTransfer, WindowRemote,
};
use cairn_reduce::{is_comparable, kernel};

use crate::objects::request;
use crate::prelude::*;

/// No data.
const NOWHERE: OscSide =
    OscSide { buffer: std::ptr::null_mut(), count: 0, datatype: std::ptr::null() };

/// Data of this process.
#[derive(Clone, Copy)]
struct Local {
    buffer: *mut c_void,
    count: Count,
    datatype: DatatypeRef,
}

impl Local {
    #[inline(always)]
    fn side(self) -> OscSide {
        let Self { buffer, count, datatype } = self;
        OscSide { buffer, count: count as u64, datatype: datatype.view() }
    }

    #[inline(always)]
    fn bytes(self) -> Result<u64> {
        bytes(self.count, self.datatype)
    }
}

/// Data of a target, which is not `MPI_PROC_NULL`.
#[derive(Clone, Copy)]
struct Target {
    rank: c_int,
    disp: Aint,
    count: Count,
    datatype: DatatypeRef,
}

/// Bytes of data in elements of a type.
#[inline(always)]
fn bytes(count: Count, datatype: DatatypeRef) -> Result<u64> {
    match (count as u64).checked_mul(datatype.size) {
        Some(bytes) => Ok(bytes),
        None => Err(too_much(count)),
    }
}

#[cold]
fn too_much(count: Count) -> Error {
    Error::new(MPI_ERR_COUNT, format!("{count} elements are more than there can be"))
}

/// How many elements of a type receive so many bytes, of those that there is room for.
#[inline(always)]
fn received(sent: u64, count: Count, datatype: DatatypeRef) -> Result<Count> {
    let room = bytes(count, datatype)?;
    if sent == room { Ok(count) } else { shortened(sent, room, datatype) }
}

/// As a message may be shorter than its buffer, but not longer.
#[cold]
fn shortened(sent: u64, room: u64, datatype: DatatypeRef) -> Result<Count> {
    if sent > room {
        let text = format!("there are {sent} bytes of data, but room for {room}");
        return Err(Error::new(MPI_ERR_TRUNCATE, text));
    }
    if !sent.is_multiple_of(datatype.size) {
        let text = format!("the data ends within an element: there are {sent} bytes");
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    Ok((sent / datatype.size) as Count)
}

/// An operation without data of this process.
#[inline(always)]
fn prepared(kind: u32, target: Target, offset: i64) -> OscTransfer {
    OscTransfer {
        struct_size: size_of::<OscTransfer>() as u32,
        kind,
        target: target.rank as u32,
        reserved: 0,
        origin: NOWHERE,
        result: NOWHERE,
        compare: std::ptr::null(),
        offset,
        target_count: target.count as u64,
        target_datatype: target.datatype.view(),
        op: std::ptr::null(),
    }
}

/// Where the data is in the target's memory; of a dynamic window, its address. All of it lies in there.
#[inline(always)]
fn offset(target: Target, win: WinRef) -> Result<i64> {
    let Some(remote) = win.remotes().get(target.rank as usize) else {
        return Err(no_target(target.rank));
    };
    // What nearly all operations are: neither very far nor very long, and forward.
    let datatype = target.datatype.view();
    let offset = target.disp.checked_mul(remote.displacement_unit as i64);
    let reach = (target.count - 1).checked_mul(datatype.extent);
    if let (Some(offset), Some(reach)) = (offset, reach)
        && let Some(first) = offset.checked_add(datatype.true_lb)
        && let Some(last) = first.checked_add(reach)
        && let Some(end) = last.checked_add(datatype.true_extent)
        && first >= 0
        && reach >= 0
        && end as u64 <= remote.size
    {
        return Ok(offset);
    }
    unusual_offset(target, remote)
}

/// The same for any operation.
#[cold]
fn unusual_offset(target: Target, remote: &WindowRemote) -> Result<i64> {
    let offset = i128::from(target.disp) * i128::from(remote.displacement_unit as i64);
    if check::enabled() {
        let datatype = target.datatype.view();
        let begin = offset + i128::from(datatype.true_lb);
        let reach = i128::from(target.count - 1) * i128::from(datatype.extent);
        let first = begin + reach.min(0);
        let end = begin + i128::from(datatype.true_extent) + reach.max(0);
        if first < 0 || end > i128::from(remote.size) {
            return Err(outside(first, end, remote.size));
        }
    }
    Ok(offset as i64)
}

#[cold]
fn no_target(rank: c_int) -> Error {
    Error::argument(MPI_ERR_RANK, "target_rank", rank, "the window has no such rank")
}

#[cold]
fn outside(first: i128, end: i128, size: u64) -> Error {
    let text = format!("the data lies from byte {first} to {end} of the target's memory of {size}");
    Error::new(MPI_ERR_RMA_RANGE, text)
}

/// Whether there may be an operation with a target now.
#[inline(always)]
fn permit(target: c_int, request: Option<Out<Request>>, win: WinRef) -> Result<()> {
    if !check::enabled() {
        return Ok(());
    }
    match request {
        None => win.epochs.permit(target as u32),
        Some(_) => win.epochs.permit_passive(target as u32),
    }
}

/// Starts an operation.
#[inline(always)]
fn start(transfer: &OscTransfer, request: Option<Out<Request>>, win: WinRef) -> Result<()> {
    let Some(place) = request else {
        // SAFETY: the arguments were checked, and the program leaves the buffers alone until the operation is
        // complete.
        return unsafe { win.transfer(transfer, std::ptr::null_mut()) };
    };
    let mut made = std::ptr::null_mut();
    // SAFETY: as above.
    unsafe { win.transfer(transfer, &raw mut made) }?;
    place.set(request::one_sided(made, win));
    Ok(())
}

/// An operation that moves nothing, which is complete.
#[inline(always)]
fn nothing(request: Option<Out<Request>>) -> Result<()> {
    if let Some(place) = request {
        place.set(request::nothing(false));
    }
    Ok(())
}

#[inline(always)]
fn put_in(origin: Local, target: Target, win: WinRef, request: Option<Out<Request>>) -> Result<()> {
    if target.rank == MPI_PROC_NULL {
        return nothing(request);
    }
    permit(target.rank, request, win)?;
    let sent = origin.bytes()?;
    let count = received(sent, target.count, target.datatype)?;
    if sent == 0 {
        return nothing(request);
    }
    let target = Target { count, ..target };
    let prepared = prepared(OSC_PUT, target, offset(target, win)?);
    start(&OscTransfer { origin: origin.side(), ..prepared }, request, win)
}

#[inline(always)]
fn get_in(result: Local, target: Target, win: WinRef, request: Option<Out<Request>>) -> Result<()> {
    if target.rank == MPI_PROC_NULL {
        return nothing(request);
    }
    permit(target.rank, request, win)?;
    let sent = bytes(target.count, target.datatype)?;
    let count = received(sent, result.count, result.datatype)?;
    if sent == 0 {
        return nothing(request);
    }
    let result = Local { count, ..result }.side();
    start(&OscTransfer { result, ..prepared(OSC_GET, target, offset(target, win)?) }, request, win)
}

/// The predefined operation, which the types of the data must be made for.
fn reduces(op: OpRef, datatypes: &[DatatypeRef], may_be_none: bool) -> Result<*const OpView> {
    let OpRef::Predefined(view) = op else {
        return Err(Error::new(MPI_ERR_OP, "op is one of the program, but must be predefined"));
    };
    if !check::enabled() {
        return Ok(view);
    }
    if view.flags & OP_NOTHING != 0 && !may_be_none {
        return Err(Error::new(MPI_ERR_OP, "op is MPI_NO_OP, which fetches and changes nothing"));
    }
    let mut elements = datatypes.iter().map(|datatype| datatype.element);
    let element = elements.next().unwrap_or(0);
    if element == 0 || elements.any(|other| other != element) {
        let text = "the datatypes are not all made of the same one predefined type";
        return Err(Error::new(MPI_ERR_TYPE, text));
    }
    let moves = view.flags & (OP_NOTHING | OP_REPLACE) != 0;
    if !moves && kernel(view.predefined, element).is_none() {
        let text = "op is not defined on the type that the datatypes are made of";
        return Err(Error::new(MPI_ERR_OP, text));
    }
    Ok(view)
}

#[inline(always)]
fn accumulate_in(
    origin: Local,
    target: Target,
    op: OpRef,
    win: WinRef,
    request: Option<Out<Request>>,
) -> Result<()> {
    if target.rank == MPI_PROC_NULL {
        return nothing(request);
    }
    permit(target.rank, request, win)?;
    let sent = origin.bytes()?;
    let count = received(sent, target.count, target.datatype)?;
    if sent == 0 {
        return nothing(request);
    }
    let op = reduces(op, &[origin.datatype, target.datatype], false)?;
    let target = Target { count, ..target };
    let prepared = prepared(OSC_ACCUMULATE, target, offset(target, win)?);
    start(&OscTransfer { origin: origin.side(), op, ..prepared }, request, win)
}

fn get_accumulate_in(
    origin: Local,
    result: Local,
    target: Target,
    op: OpRef,
    win: WinRef,
    request: Option<Out<Request>>,
) -> Result<()> {
    if target.rank == MPI_PROC_NULL {
        return nothing(request);
    }
    permit(target.rank, request, win)?;
    let fetches_only = op.constant() == MPI_NO_OP;
    let all = bytes(target.count, target.datatype)?;
    if result.bytes()? != all || !fetches_only && origin.bytes()? != all {
        let text = "origin, result and target are not of the same length";
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    if all == 0 {
        return nothing(request);
    }
    let datatypes = [target.datatype, result.datatype, origin.datatype];
    let op = reduces(op, if fetches_only { &datatypes[..2] } else { &datatypes }, true)?;
    let origin = if fetches_only { NOWHERE } else { origin.side() };
    let prepared = prepared(OSC_GET_ACCUMULATE, target, offset(target, win)?);
    start(&OscTransfer { origin, result: result.side(), op, ..prepared }, request, win)
}

/// The functions with data on one side here: one that is complete with its epoch, and one with a request.
macro_rules! operations {
    ($($name:ident, $with_request:ident: $start:ident, $buffer:ty => $cast:ident $(, $op:ident)?;)*) => {$(
        /// # Safety
        /// The program leaves the buffer alone until the operation is complete.
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
        pub unsafe fn $name(
            origin_addr: $buffer,
            origin_count: Count,
            origin_datatype: DatatypeRef,
            target_rank: c_int,
            target_disp: Aint,
            target_count: Count,
            target_datatype: DatatypeRef,
            $($op: OpRef,)?
            win: WinRef,
        ) -> Result<()> {
            let buffer = origin_addr.$cast();
            let origin = Local { buffer, count: origin_count, datatype: origin_datatype };
            let (rank, disp) = (target_rank, target_disp);
            let target = Target { rank, disp, count: target_count, datatype: target_datatype };
            $start(origin, target, $($op,)? win, None)
        }

        /// # Safety
        /// As above.
        #[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
        pub unsafe fn $with_request(
            origin_addr: $buffer,
            origin_count: Count,
            origin_datatype: DatatypeRef,
            target_rank: c_int,
            target_disp: Aint,
            target_count: Count,
            target_datatype: DatatypeRef,
            $($op: OpRef,)?
            win: WinRef,
            request: Out<Request>,
        ) -> Result<()> {
            let buffer = origin_addr.$cast();
            let origin = Local { buffer, count: origin_count, datatype: origin_datatype };
            let (rank, disp) = (target_rank, target_disp);
            let target = Target { rank, disp, count: target_count, datatype: target_datatype };
            $start(origin, target, $($op,)? win, Some(request))
        }
    )*};
}

operations! {
    put, rput: put_in, *const c_void => cast_mut;
    get, rget: get_in, *mut c_void => cast;
    accumulate, raccumulate: accumulate_in, *const c_void => cast_mut, op;
}

/// # Safety
/// As above, for both buffers.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn get_accumulate(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: DatatypeRef,
    result_addr: *mut c_void,
    result_count: Count,
    result_datatype: DatatypeRef,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: DatatypeRef,
    op: OpRef,
    win: WinRef,
) -> Result<()> {
    let buffer = origin_addr.cast_mut();
    let origin = Local { buffer, count: origin_count, datatype: origin_datatype };
    let result = Local { buffer: result_addr, count: result_count, datatype: result_datatype };
    let (rank, disp) = (target_rank, target_disp);
    let target = Target { rank, disp, count: target_count, datatype: target_datatype };
    get_accumulate_in(origin, result, target, op, win, None)
}

/// # Safety
/// As above.
#[allow(clippy::too_many_arguments, reason = "MPI's functions have the parameters they have")]
pub unsafe fn rget_accumulate(
    origin_addr: *const c_void,
    origin_count: Count,
    origin_datatype: DatatypeRef,
    result_addr: *mut c_void,
    result_count: Count,
    result_datatype: DatatypeRef,
    target_rank: c_int,
    target_disp: Aint,
    target_count: Count,
    target_datatype: DatatypeRef,
    op: OpRef,
    win: WinRef,
    request: Out<Request>,
) -> Result<()> {
    let buffer = origin_addr.cast_mut();
    let origin = Local { buffer, count: origin_count, datatype: origin_datatype };
    let result = Local { buffer: result_addr, count: result_count, datatype: result_datatype };
    let (rank, disp) = (target_rank, target_disp);
    let target = Target { rank, disp, count: target_count, datatype: target_datatype };
    get_accumulate_in(origin, result, target, op, win, Some(request))
}

/// A type of one element of which one is fetched.
fn predefined(datatype: DatatypeRef) -> Result<()> {
    if !check::enabled() || datatype.predefined != 0 {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_TYPE, "datatype is derived, but must be predefined"))
}

/// # Safety
/// As above.
pub unsafe fn fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: DatatypeRef,
    target_rank: c_int,
    target_disp: Aint,
    op: OpRef,
    win: WinRef,
) -> Result<()> {
    if target_rank == MPI_PROC_NULL {
        return Ok(());
    }
    permit(target_rank, None, win)?;
    predefined(datatype)?;
    let one = |buffer| Local { buffer, count: 1, datatype }.side();
    let origin = if op.constant() == MPI_NO_OP { NOWHERE } else { one(origin_addr.cast_mut()) };
    let op = reduces(op, &[datatype], true)?;
    let target = Target { rank: target_rank, disp: target_disp, count: 1, datatype };
    let prepared = prepared(OSC_FETCH_OP, target, offset(target, win)?);
    start(&OscTransfer { origin, result: one(result_addr), op, ..prepared }, None, win)
}

/// # Safety
/// As above.
pub unsafe fn compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: DatatypeRef,
    target_rank: c_int,
    target_disp: Aint,
    win: WinRef,
) -> Result<()> {
    if target_rank == MPI_PROC_NULL {
        return Ok(());
    }
    permit(target_rank, None, win)?;
    predefined(datatype)?;
    if check::enabled() && !is_comparable(datatype.predefined) {
        let text = "datatype is no integer, logical, byte or multi-language type";
        return Err(Error::new(MPI_ERR_TYPE, text));
    }
    let one = |buffer| Local { buffer, count: 1, datatype }.side();
    let (origin, result) = (one(origin_addr.cast_mut()), one(result_addr));
    let target = Target { rank: target_rank, disp: target_disp, count: 1, datatype };
    let prepared = prepared(OSC_COMPARE_SWAP, target, offset(target, win)?);
    start(&OscTransfer { origin, result, compare: compare_addr, ..prepared }, None, win)
}
