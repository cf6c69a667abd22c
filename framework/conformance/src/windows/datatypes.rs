//! The datatypes and reduction operations of the windows: unsigned integers of 64 bits, one behind the other or
//! with as long a gap behind each, and what is done with them.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::{from_ref, null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use cairn_framework::abi::datatype::{
    Cursor, DATATYPE_CONTIGUOUS, DATATYPE_INTEGER, DATATYPE_PREDEFINED, Datatype, OP_COMMUTATIVE,
    OP_NOTHING, OP_REPLACE, Op, Segment,
};
use cairn_framework::abi::status::{ERR_PROTOCOL, OK, Status};

/// The ABI's numbers of `MPI_UINT64_T` and of the operations.
const UINT64: u32 = 0x259;
const SUM_NUMBER: u32 = 0x21;
const MAX_NUMBER: u32 = 0x23;
const REPLACE_NUMBER: u32 = 0x3c;
const NO_OP_NUMBER: u32 = 0x3d;

/// Bytes of an integer.
const SIZE: u64 = 8;

/// `MPI_UINT64_T`.
pub static LONG: Datatype =
    datatype(DATATYPE_CONTIGUOUS | DATATYPE_PREDEFINED | DATATYPE_INTEGER, SIZE as i64, UINT64);

const fn datatype(flags: u32, extent: i64, predefined: u32) -> Datatype {
    Datatype {
        struct_size: size_of::<Datatype>() as u32,
        flags,
        size: SIZE,
        extent,
        true_lb: 0,
        true_extent: SIZE as i64,
        predefined,
        element: UINT64,
        pack: Some(pack),
        unpack: Some(unpack),
        segments: Some(segments),
        object: null_mut(),
    }
}

/// `MPI_SUM`.
pub static SUM: Op = op(OP_COMMUTATIVE, SUM_NUMBER, add);
/// `MPI_MAX`.
pub static MAX: Op = op(OP_COMMUTATIVE, MAX_NUMBER, greater);
/// `MPI_REPLACE`.
pub static REPLACE: Op = op(OP_REPLACE, REPLACE_NUMBER, never);
/// `MPI_NO_OP`.
pub static NO_OP: Op = op(OP_NOTHING, NO_OP_NUMBER, never);

type Apply = unsafe extern "C" fn(*const Op, *const c_void, *mut c_void, u64, *const Datatype);

const fn op(flags: u32, predefined: u32, apply: Apply) -> Op {
    Op {
        struct_size: size_of::<Op>() as u32,
        flags,
        predefined,
        reserved: 0,
        apply: Some(apply),
        object: null_mut(),
    }
}

/// # Safety
/// Both have so many integers.
unsafe fn each(input: *const c_void, inout: *mut c_void, count: u64, of: impl Fn(u64, u64) -> u64) {
    for at in 0..count as usize {
        // SAFETY: promised by the caller.
        unsafe {
            let place = inout.cast::<u64>().add(at);
            *place = of(*input.cast::<u64>().add(at), *place);
        }
    }
}

unsafe extern "C" fn add(
    _: *const Op,
    input: *const c_void,
    inout: *mut c_void,
    count: u64,
    _: *const Datatype,
) {
    // SAFETY: the component vouches for its buffers.
    unsafe { each(input, inout, count, u64::wrapping_add) };
}

unsafe extern "C" fn greater(
    _: *const Op,
    input: *const c_void,
    inout: *mut c_void,
    count: u64,
    _: *const Datatype,
) {
    // SAFETY: as above.
    unsafe { each(input, inout, count, u64::max) };
}

/// `MPI_REPLACE` and `MPI_NO_OP` have no function: nothing may become of a call.
unsafe extern "C" fn never(
    _: *const Op,
    _: *const c_void,
    inout: *mut c_void,
    count: u64,
    _: *const Datatype,
) {
    // SAFETY: as above.
    unsafe { each(inout, inout, count, |_, _| 0xbad0_bad0_bad0_bad0) };
}

/// Where the next bytes of data lie, and how many of at most `len` follow each other.
///
/// # Safety
/// A cursor over one of these types.
unsafe fn next(cursor: *mut Cursor, len: usize) -> (*mut u8, usize) {
    // SAFETY: promised by the caller.
    let (cursor, datatype) = unsafe { (&mut *cursor, &*(*cursor).datatype) };
    let (element, inside) = (cursor.position / SIZE, cursor.position % SIZE);
    let left = cursor.count.saturating_mul(SIZE) - cursor.position;
    let run = match datatype.extent == SIZE as i64 {
        true => left,
        false => left.min(SIZE - inside),
    };
    let run = run.min(len as u64);
    cursor.position += run;
    let offset = element as i64 * datatype.extent + inside as i64;
    (cursor.buffer.cast::<u8>().wrapping_offset(offset as isize), run as usize)
}

/// Moves no more than a piece at a time, which a component has to expect.
unsafe extern "C" fn pack(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the component vouches for cursor, data and room.
    unsafe {
        let (place, len) = next(cursor, len);
        place.copy_to_nonoverlapping(packed.cast(), len);
        len
    }
}

unsafe extern "C" fn unpack(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let (place, len) = next(cursor, len);
        place.copy_from_nonoverlapping(packed.cast(), len);
        len
    }
}

unsafe extern "C" fn segments(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    // SAFETY: as above; there is room for `capacity` pieces.
    unsafe {
        let (mut count, mut done) = (0, 0);
        while count < capacity && done < *len {
            let (place, run) = next(cursor, *len - done);
            if run == 0 {
                break;
            }
            segments.add(count).write(Segment { address: place.cast(), len: run });
            (count, done) = (count + 1, done + run);
        }
        *len = done;
        count
    }
}

/// Types that processes describe to each other, by address.
static DERIVED: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

/// What a description begins with.
const MAGIC: &[u8; 8] = b"integers";
/// Bytes of a description: it does not fit into the shortest message that a component may have.
const DESCRIPTION: usize = 700;

/// Integers with a gap as long as themselves behind each. It counts who needs it.
pub struct Gapped {
    view: Datatype,
    users: AtomicI64,
}

impl Gapped {
    /// One more, which stays.
    pub fn leak() -> &'static Self {
        let view = datatype(0, 2 * SIZE as i64, 0);
        let made = Box::leak(Box::new(Self { view, users: AtomicI64::new(0) }));
        made.view.object = (&raw mut made.users).cast();
        let mut known = DERIVED.lock().expect("not poisoned");
        known.get_or_insert_default().insert(from_ref(&made.view).expose_provenance());
        made
    }

    /// What components see of it.
    pub fn view(&self) -> &Datatype {
        &self.view
    }

    /// How often it was kept, or made of a description, and not given back.
    pub fn users(&self) -> i64 {
        self.users.load(Ordering::SeqCst)
    }
}

fn count_users(datatype: *const Datatype, step: i64) {
    // SAFETY: the component hands in a type that it has got; those that are counted are never freed.
    unsafe {
        if let Some(users) = (*datatype).object.cast::<AtomicI64>().as_ref() {
            users.fetch_add(step, Ordering::SeqCst);
        }
    }
}

pub unsafe extern "C" fn retain(datatype: *const Datatype) {
    count_users(datatype, 1);
}

pub unsafe extern "C" fn release(datatype: *const Datatype) {
    count_users(datatype, -1);
}

pub unsafe extern "C" fn encode(
    datatype: *const Datatype,
    text: *mut c_void,
    capacity: usize,
) -> usize {
    let mut description = [0x5a; DESCRIPTION];
    description[..8].copy_from_slice(MAGIC);
    description[8..16].copy_from_slice(&(datatype.expose_provenance() as u64).to_le_bytes());
    if DESCRIPTION <= capacity {
        // SAFETY: the component vouches for the room.
        unsafe { text.cast::<u8>().copy_from_nonoverlapping(description.as_ptr(), DESCRIPTION) };
    }
    DESCRIPTION
}

pub unsafe extern "C" fn decode(
    text: *const c_void,
    len: usize,
    datatype: &mut *const Datatype,
) -> Status {
    let text = match len {
        0 => &[],
        // SAFETY: the component vouches for so many bytes.
        len => unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) },
    };
    let whole = text.len() == DESCRIPTION && text[16..].iter().all(|byte| *byte == 0x5a);
    let Some(rest) = text.strip_prefix(MAGIC).filter(|_| whole) else { return ERR_PROTOCOL };
    let address = u64::from_le_bytes(rest[..8].try_into().expect("eight")) as usize;
    let known = DERIVED.lock().expect("not poisoned");
    if !known.as_ref().is_some_and(|known| known.contains(&address)) {
        return ERR_PROTOCOL;
    }
    *datatype = std::ptr::with_exposed_provenance(address);
    count_users(*datatype, 1);
    OK
}

pub unsafe extern "C" fn predefined(number: u32) -> *const Datatype {
    if number == UINT64 { &raw const LONG } else { null() }
}

pub unsafe extern "C" fn op_predefined(number: u32) -> *const Op {
    match number {
        SUM_NUMBER => &raw const SUM,
        MAX_NUMBER => &raw const MAX,
        REPLACE_NUMBER => &raw const REPLACE,
        NO_OP_NUMBER => &raw const NO_OP,
        _ => null(),
    }
}
