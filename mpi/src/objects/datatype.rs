//! Datatypes.
//!
//! A handle is the number of a predefined type or the address of an object. What components see is a view:
//! a predefined type has one from the start, another gets one when it is made, and a second one, with the
//! functions that move its data, when it is committed. What moves data is [`cairn_layout`], also for pairs
//! with a gap.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use cairn_framework::abi::datatype::{
    Cursor, DATATYPE_CONTIGUOUS, DATATYPE_INTEGER, DATATYPE_PREDEFINED, Datatype as View, Segment,
};
use cairn_framework::author::Mutex;
use cairn_layout::{Basic, Elements, Placed, Shape, Type, describe as describe_kind};
use cairn_reduce::{is_integer, type_info};

use super::arena::{Object, class};
use super::attributes::Attributes;
use super::datatype_extras::{self, Extras};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Aint, Count, Datatype};
use crate::error::{Error, Result};

/// The lowest value of a predefined datatype's handle.
const FIRST: usize = 0x200;
/// One more than the highest.
const END: usize = 0x300;

/// In the flags of a view, the MPI layer's own: it may describe data in communication.
const COMMITTED: u32 = 1 << 31;

/// How a type was made: what `MPI_Type_get_envelope` and `MPI_Type_get_contents` say (section 5.1.13).
#[derive(Debug)]
pub struct Made {
    /// One of `MPI_COMBINER_*`.
    pub combiner: std::ffi::c_int,
    /// Arguments of type `int`.
    pub integers: Vec<std::ffi::c_int>,
    /// Arguments of type `MPI_Aint`.
    pub addresses: Vec<Aint>,
    /// Arguments of type `MPI_Count`, of the large-count forms.
    pub large: Vec<Count>,
    /// The types it was made of.
    pub types: Vec<Part>,
}

impl Drop for Made {
    /// Without a call for each level: programs nest without limit.
    fn drop(&mut self) {
        let mut open = std::mem::take(&mut self.types);
        while let Some(part) = open.pop() {
            if let Part::Derived(_, made) = part
                && let Some(mut made) = Arc::into_inner(made)
            {
                open.append(&mut made.types);
            }
        }
    }
}

/// A type that another one was made of. It outlives its handle.
#[derive(Clone, Debug)]
pub enum Part {
    /// Of the standard: its handle stays.
    Predefined(Datatype),
    /// Of the program.
    Derived(Arc<Type>, Arc<Made>),
}

/// What the handle of a type leads to that is not predefined.
pub struct DatatypeBody {
    kind: Arc<Type>,
    /// How it was made.
    pub made: Arc<Made>,
    /// What the program attaches.
    pub extras: Extras,
    /// Of `MPI_Type_create_f90_*`, which is never freed: the number of the predefined type that it is,
    /// on which the same reductions are defined (section 6.9.2). Otherwise 0.
    stands_for: u32,
    fresh: OnceLock<View>,
    committed: OnceLock<View>,
}

// SAFETY: the views point at the object itself, which stays as long as they do.
unsafe impl Send for DatatypeBody {}
// SAFETY: see `Send`.
unsafe impl Sync for DatatypeBody {}

class!(DatatypeBody, b"type");

impl DatatypeBody {
    /// Whether it is never freed.
    pub fn stays(&self) -> bool {
        self.stands_for != 0
    }

    /// The view that says most.
    fn view(&self) -> Option<&View> {
        self.committed.get().or_else(|| self.fresh.get())
    }
}

/// The view of a predefined datatype; `None` if the handle is not one of a datatype that describes data.
#[inline(always)]
fn predefined_view(handle: Datatype) -> Option<&'static View> {
    let index = handle.value().wrapping_sub(FIRST);
    let view = PREDEFINED.get(index)?;
    (view.extent != 0).then_some(view)
}

/// What a handle leads to that is not predefined.
fn object(handle: Datatype) -> Option<&'static Object<DatatypeBody>> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

thread_local! {
    /// The type whose handle a function of the program has got, until it returns.
    static LENT: Cell<Option<&'static Object<DatatypeBody>>> = const { Cell::new(None) };
}

/// The type of a handle that this thread may use, but not communicate with, although it is freed.
#[cold]
fn lent(handle: Datatype) -> Option<&'static Object<DatatypeBody>> {
    LENT.get().filter(|object| std::ptr::eq(object.address(), handle.object()))
}

/// Calls a function of the program with the handle of a view. There it is valid also if the program has
/// freed it since it started the operation, which keeps the type.
pub fn lend(view: &'static View, call: impl FnOnce(Datatype)) {
    let before = LENT.replace(DatatypeRef(view).object());
    call(handle(view));
    LENT.set(before);
}

/// Makes a type, with one handle.
pub fn make(kind: Arc<Type>, made: Arc<Made>) -> DatatypeRef {
    make_with(kind, made, 0)
}

/// Makes a type that is another predefined one: it is committed and stays.
pub fn make_lasting(of: DatatypeRef, made: Arc<Made>) -> DatatypeRef {
    let made = make_with(of.kind(), made, of.view().predefined);
    made.commit();
    DatatypeRef::find(made.handle()).unwrap_or(made)
}

fn make_with(kind: Arc<Type>, made: Arc<Made>, stands_for: u32) -> DatatypeRef {
    let object = Object::make(DatatypeBody {
        kind,
        made,
        extras: Extras::default(),
        stands_for,
        fresh: OnceLock::new(),
        committed: OnceLock::new(),
    });
    DatatypeRef(object.fresh.get_or_init(|| view_of(0, object)))
}

/// The view of a type of the program.
fn view_of(flags: u32, object: &'static Object<DatatypeBody>) -> View {
    let kind = &object.kind;
    let (true_lb, true_extent) = kind.true_bounds();
    View {
        struct_size: size_of::<View>() as u32,
        flags,
        size: kind.size(),
        extent: kind.extent(),
        true_lb,
        true_extent,
        predefined: object.stands_for,
        element: kind.element().unwrap_or(0),
        pack: Some(pack),
        unpack: Some(unpack),
        segments: Some(segments),
        object: object.address().cast(),
    }
}

/// A datatype that was looked up.
#[derive(Clone, Copy)]
pub struct DatatypeRef(&'static View);

impl DatatypeRef {
    /// The datatype of a handle.
    #[inline(always)]
    pub fn find(handle: Datatype) -> Option<Self> {
        match predefined_view(handle) {
            Some(view) => Some(Self(view)),
            None => Self::of_program(handle),
        }
    }

    /// The predefined datatype of a handle.
    #[inline(always)]
    pub fn predefined(handle: Datatype) -> Option<Self> {
        predefined_view(handle).map(Self)
    }

    /// As `find`, where no message is sent or received: there a function that [`lend`] calls may use the
    /// type that it has got also if the program has freed it. What sends does not look for that.
    pub fn find_here(handle: Datatype) -> Option<Self> {
        let lent = || lent(handle).and_then(|object| object.view().map(Self));
        Self::find(handle).or_else(lent)
    }

    /// As `find_here`, or an error.
    pub fn of(handle: Datatype) -> Result<Self> {
        Self::find_here(handle).ok_or_else(|| none(handle))
    }

    /// One that is not predefined.
    fn of_program(handle: Datatype) -> Option<Self> {
        let object = object(handle)?;
        object.committed.get().or_else(|| object.fresh.get()).map(Self)
    }

    /// Stands for an argument that is not significant, whatever the program gave: no data.
    #[inline(always)]
    pub fn insignificant() -> Self {
        static NOTHING: View = predefined(0, 0, 0);
        Self(&NOTHING)
    }

    /// One of the program.
    #[cfg(test)]
    pub fn derived() -> Self {
        let kind = kind_of(predefined_view(MPI_INT).expect("a type"));
        let types = vec![Part::Predefined(MPI_INT)];
        let (integers, addresses, large) = Default::default();
        let made = Made { combiner: MPI_COMBINER_DUP, integers, addresses, large, types };
        make(kind, Arc::new(made))
    }

    /// What components see of it.
    #[inline(always)]
    pub fn view(self) -> &'static View {
        self.0
    }

    /// The handle by which the program knows it.
    pub fn handle(self) -> Datatype {
        handle(self.0)
    }

    /// Whether it may describe data in communication.
    #[inline(always)]
    pub fn is_committed(self) -> bool {
        self.0.flags & (COMMITTED | DATATYPE_PREDEFINED) != 0
    }

    /// Whether the standard defines it.
    #[inline(always)]
    pub fn is_predefined(self) -> bool {
        self.0.flags & DATATYPE_PREDEFINED != 0
    }

    /// The object, of one that is not predefined.
    pub fn object(self) -> Option<&'static Object<DatatypeBody>> {
        // SAFETY: the view of a type of the program is in the object that this is the address of.
        (!self.0.object.is_null()).then(|| unsafe { &*self.0.object.cast() })
    }

    /// What it is without MPI.
    pub fn kind(self) -> Arc<Type> {
        kind_of(self.0)
    }

    /// How other types remember that they were made of it.
    pub fn part(self) -> Part {
        match self.object().filter(|object| !object.stays()) {
            None => Part::Predefined(self.handle()),
            Some(object) => Part::Derived(object.kind.clone(), object.made.clone()),
        }
    }

    /// The lower bound.
    pub fn lb(self) -> i64 {
        self.object().map_or(0, |object| object.kind.lb())
    }

    /// What the program attaches to it.
    pub fn extras(self) -> &'static Extras {
        match self.object() {
            Some(object) => &object.extras,
            None => datatype_extras::of(self.handle()),
        }
    }

    /// Its attributes.
    pub fn attributes(self) -> &'static Mutex<Attributes<Datatype>> {
        &self.extras().attributes
    }

    /// The name that the program gave it; that of its constant otherwise, if it has one.
    pub fn name(self) -> String {
        let given = self.extras().name.lock().clone();
        given.unwrap_or_else(|| {
            let own = DATATYPE_NAMES.iter().find(|(other, _)| *other == self.handle());
            own.map_or_else(String::new, |(_, name)| (*name).to_owned())
        })
    }

    /// It may be used for communication from now on.
    pub fn commit(self) {
        let Some(object) = self.object() else { return };
        object.committed.get_or_init(|| {
            let placed = object.kind.placed();
            let dense = match *placed.shape {
                Shape::Empty => true,
                Shape::Block(len) => object.kind.extent() == len as i64,
                _ => false,
            };
            let contiguous = if dense { DATATYPE_CONTIGUOUS } else { 0 };
            view_of(COMMITTED | contiguous, object)
        });
    }

    /// Ends its handle; false if it can't be freed. The type stays as long as operations need it.
    pub fn free(self) -> bool {
        self.object().is_some_and(|object| !object.stays() && object.close())
    }
}

impl Part {
    /// A handle of the type for the program, which has to free it if it is not predefined.
    pub fn handle(&self) -> Datatype {
        match self {
            Self::Predefined(handle) => *handle,
            Self::Derived(kind, made) => make(kind.clone(), made.clone()).handle(),
        }
    }
}

impl Deref for DatatypeRef {
    type Target = View;

    #[inline(always)]
    fn deref(&self) -> &View {
        self.0
    }
}

/// Keeps a type alive that an operation needs, after the program has freed it.
pub struct Keeper(Option<&'static Object<DatatypeBody>>);

/// Keeps the type of a view; predefined ones stay anyway.
pub fn keep(view: &'static View) -> Keeper {
    let object = DatatypeRef(view).object();
    if let Some(object) = object {
        object.retain();
    }
    Keeper(object)
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(object) = self.0 {
            object.release();
        }
    }
}

/// Keeps the type of a view without a keeper, until [`release`].
pub fn retain(view: &'static View) {
    std::mem::forget(keep(view));
}

/// Ends what [`retain`] began.
pub fn release(view: &'static View) {
    drop(Keeper(DatatypeRef(view).object()));
}

/// Describes the type of a view to another process.
pub fn describe(view: &View) -> Vec<u8> {
    if view.predefined != 0 {
        // What stands for a predefined type is that type.
        let handle = Datatype::predefined(view.predefined as usize);
        return predefined_view(handle).map_or_else(Vec::new, |own| describe_kind(&kind_of(own)));
    }
    describe_kind(&kind_of(view))
}

/// Makes a committed type of a description, which is not trusted; it stays until [`release`].
pub fn described(text: &[u8]) -> Option<&'static View> {
    let known = |number: u32| {
        let view = predefined_view(Datatype::predefined(number as usize))?;
        Some(kind_of(view))
    };
    let kind = cairn_layout::described(text, known)?;
    if let Some(number) = kind.basic_id() {
        return predefined_view(Datatype::predefined(number as usize));
    }
    let (integers, addresses, large) = Default::default();
    // No program gets a handle, so that none asks how it was made.
    let made = Made { combiner: MPI_COMBINER_NAMED, integers, addresses, large, types: Vec::new() };
    let made = make(kind, Arc::new(made));
    made.commit();
    let object = made.object()?;
    object.retain();
    object.close();
    object.committed.get()
}

/// The handle that a view belongs to.
pub fn handle(view: &View) -> Datatype {
    if view.object.is_null() {
        Datatype::predefined(view.predefined as usize)
    } else {
        Datatype::of(view.object.cast::<Object<DatatypeBody>>())
    }
}

#[cold]
fn none(handle: Datatype) -> Error {
    Error::new(MPI_ERR_TYPE, format!("{:#x} is no datatype", handle.value()))
}

/// Every value that the handle of a predefined datatype may have; those that none has have no extent.
static PREDEFINED: [View; END - FIRST] = {
    let mut all = [const { predefined(0, 0, 0) }; END - FIRST];
    let mut index = 0;
    while index < all.len() {
        let number = (FIRST + index) as u32;
        if let Some(info) = type_info(number) {
            all[index] = predefined(number, info.size, info.extent);
        }
        index += 1;
    }
    all
};

const fn predefined(number: u32, size: usize, extent: usize) -> View {
    // Pairs have padding between or behind their parts.
    let dense = size == extent;
    View {
        struct_size: size_of::<View>() as u32,
        flags: DATATYPE_PREDEFINED
            | if dense { DATATYPE_CONTIGUOUS } else { 0 }
            | if is_integer(number) { DATATYPE_INTEGER } else { 0 },
        size: size as u64,
        extent: extent as i64,
        true_lb: 0,
        true_extent: match pair(number) {
            Some((_, index, len)) => index + len,
            None => extent,
        } as i64,
        predefined: number,
        element: number,
        pack: Some(if dense { pack_dense } else { pack }),
        unpack: Some(if dense { unpack_dense } else { unpack }),
        segments: Some(if dense { segments_dense } else { segments }),
        object: std::ptr::null_mut(),
    }
}

/// Of a predefined pair (MPI 5.0, section 6.9.4): bytes of the value, and where the index lies and its
/// bytes.
const fn pair(number: u32) -> Option<(usize, usize, usize)> {
    Some(match number {
        // FLOAT_INT, 2INT, 2REAL, 2INTEGER
        0x228 | 0x22b | 0x230 | 0x232 => (4, 4, 4),
        // DOUBLE_INT, LONG_INT
        0x229 | 0x22a => (8, 8, 4),
        // SHORT_INT
        0x22c => (2, 4, 4),
        // LONG_DOUBLE_INT: all 16 bytes of the value travel.
        0x22d => (16, 16, 4),
        // 2DOUBLE_PRECISION
        0x231 => (8, 8, 8),
        _ => return None,
    })
}

/// The predefined types without MPI, by their numbers.
static KINDS: LazyLock<Vec<Arc<Type>>> = LazyLock::new(|| {
    let kind = |number: usize| {
        let nothing = Basic { id: 0, extent: 0, alignment: 1, first: 0, second: None };
        let basic = type_info(number as u32).map_or(nothing, |info| {
            let (first, second) = match pair(number as u32) {
                Some((first, at, len)) => (first, Some((at, len))),
                None => (info.size, None),
            };
            let (extent, alignment) = (info.extent, info.alignment);
            Basic { id: number as u32, extent, alignment, first, second }
        });
        Type::basic(basic).expect("predefined types are small")
    };
    (FIRST..END).map(kind).collect()
});

/// What a type is without MPI.
pub fn kind_of(view: &View) -> Arc<Type> {
    if view.object.is_null() {
        KINDS[(view.predefined as usize).saturating_sub(FIRST)].clone()
    } else {
        // SAFETY: the view of a type of the program is in the object that this is the address of.
        unsafe { &*view.object.cast::<Object<DatatypeBody>>() }.kind.clone()
    }
}

/// The data of one element of a type with gaps.
fn placed(view: &View) -> &'static Placed {
    let kind: &'static Arc<Type> = if view.object.is_null() {
        &KINDS[view.predefined as usize - FIRST]
    } else {
        // SAFETY: as above; who walks data keeps its type alive.
        &unsafe { &*view.object.cast::<Object<DatatypeBody>>() }.kind
    };
    kind.placed()
}

/// What a cursor walks over, and where its first byte of data is.
fn elements(cursor: &Cursor, view: &View) -> (Elements<'static>, *mut u8) {
    let placed = placed(view);
    let all = Elements {
        count: cursor.count as usize,
        extent: view.extent as isize,
        shape: &placed.shape,
    };
    (all, cursor.buffer.cast::<u8>().wrapping_offset(placed.offset))
}

/// What is left of a walk from its cursor on, in bytes.
fn rest(cursor: &Cursor, datatype: &View) -> usize {
    // Elements that overlap may be more than bytes can count, or a receiver has only said so.
    (cursor.count.saturating_mul(datatype.size) - cursor.position) as usize
}

unsafe extern "C" fn pack(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the walker vouches for cursor, type, buffer and room.
    unsafe {
        let cursor = &mut *cursor;
        let view = &*cursor.datatype;
        let len = len.min(rest(cursor, view));
        let (all, memory) = elements(cursor, view);
        cairn_layout::pack(all, memory, cursor.position as usize, packed.cast(), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn unpack(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let cursor = &mut *cursor;
        let view = &*cursor.datatype;
        let len = len.min(rest(cursor, view));
        let (all, memory) = elements(cursor, view);
        cairn_layout::unpack(all, memory, cursor.position as usize, packed.cast(), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn segments(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    // SAFETY: as above.
    let (cursor, len) = unsafe { (&mut *cursor, &mut *len) };
    // SAFETY: as above.
    let view = unsafe { &*cursor.datatype };
    let wanted = (*len).min(rest(cursor, view));
    let (all, memory) = elements(cursor, view);
    let (mut used, mut done, mut last) = (0_usize, 0, None::<Segment>);
    cairn_layout::blocks(all, memory, cursor.position as usize, &mut |address, block| {
        if done == wanted {
            return false;
        }
        let block = block.min(wanted - done);
        let segment = match last {
            Some(Segment { address: first, len })
                if first.cast::<u8>().wrapping_add(len) == address =>
            {
                Segment { address: first, len: len + block }
            }
            _ if used == capacity => return false,
            _ => {
                used += 1;
                Segment { address: address.cast(), len: block }
            }
        };
        // SAFETY: as above; there is room for `capacity` segments, which need not hold any before.
        unsafe { segments.add(used - 1).write(segment) };
        last = Some(segment);
        done += block;
        true
    });
    cursor.position += done as u64;
    *len = done;
    used
}

/// Where the walk stands in a buffer without gaps.
fn place_dense(cursor: &Cursor) -> *mut u8 {
    cursor.buffer.cast::<u8>().wrapping_add(cursor.position as usize)
}

unsafe extern "C" fn pack_dense(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let cursor = &mut *cursor;
        let len = len.min(rest(cursor, &*cursor.datatype));
        packed.cast::<u8>().copy_from_nonoverlapping(place_dense(cursor), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn unpack_dense(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let cursor = &mut *cursor;
        let len = len.min(rest(cursor, &*cursor.datatype));
        place_dense(cursor).copy_from_nonoverlapping(packed.cast(), len);
        cursor.position += len as u64;
        len
    }
}

unsafe extern "C" fn segments_dense(
    cursor: *mut Cursor,
    segments: *mut Segment,
    capacity: usize,
    len: *mut usize,
) -> usize {
    // SAFETY: as above; there is room for `capacity` segments.
    unsafe {
        let cursor = &mut *cursor;
        let bytes = (*len).min(rest(cursor, &*cursor.datatype));
        if capacity == 0 || bytes == 0 {
            *len = 0;
            return 0;
        }
        segments.write(Segment { address: place_dense(cursor).cast(), len: bytes });
        cursor.position += bytes as u64;
        *len = bytes;
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_types_have_sizes() {
        let of = |handle| {
            let view = DatatypeRef::of(handle).expect("a type").view();
            (view.size, view.extent, view.true_extent)
        };
        assert_eq!(of(MPI_INT), (4, 4, 4));
        assert_eq!(of(MPI_DOUBLE_INT), (12, 16, 12));
        assert_eq!(of(MPI_SHORT_INT), (6, 8, 8));
        assert_eq!(of(MPI_LONG_DOUBLE_INT), (20, 32, 20));
        assert!(DatatypeRef::find(MPI_DATATYPE_NULL).is_none());
        assert!(DatatypeRef::find(Datatype::predefined(0x101)).is_none());
    }

    #[test]
    fn what_is_said_of_predefined_types_in_two_places_is_the_same() {
        for (handle, _) in DATATYPE_NAMES {
            let Some(datatype) = DatatypeRef::find(*handle) else { continue };
            let (kind, view) = (datatype.kind(), datatype.view());
            assert_eq!((kind.size(), kind.extent()), (view.size, view.extent), "{handle:?}");
            assert_eq!(kind.true_bounds(), (view.true_lb, view.true_extent), "{handle:?}");
        }
    }

    #[test]
    fn pairs_are_packed_without_their_padding() {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Pair(i16, i32);
        let mut pairs = [Pair(1, 2), Pair(3, 4), Pair(5, 6)];
        let view = DatatypeRef::of(MPI_SHORT_INT).expect("a type").view();
        let cursor = |pairs: &mut [Pair; 3]| Cursor {
            datatype: view,
            buffer: pairs.as_mut_ptr().cast(),
            count: 3,
            position: 0,
            state: [0; 4],
        };
        for step in 1..20 {
            let (mut from, mut packed, mut done) = (cursor(&mut pairs), [0_u8; 18], 0);
            // SAFETY: the buffers are as long as the walk.
            unsafe {
                while done < 18 {
                    let place = packed[done..].as_mut_ptr().cast();
                    done += pack(&mut from, place, step.min(18 - done));
                }
                let mut copy = [Pair(0, 0); 3];
                let (mut to, mut done) = (cursor(&mut copy), 0);
                while done < 18 {
                    done += unpack(&mut to, packed[done..].as_ptr().cast(), step.min(18 - done));
                }
                assert_eq!(copy, pairs);
            }
        }
    }

    #[test]
    fn a_freed_type_stays_as_long_as_it_is_needed() {
        let kind = Type::vector(2, 1, 8, &DatatypeRef::of(MPI_INT).unwrap().kind()).unwrap();
        let made = Made {
            combiner: MPI_COMBINER_VECTOR,
            integers: vec![2, 1, 2],
            addresses: vec![],
            large: vec![],
            types: vec![Part::Predefined(MPI_INT)],
        };
        let datatype = make(kind, Arc::new(made));
        let handle = datatype.handle();
        assert!(!datatype.is_committed());
        datatype.commit();
        let datatype = DatatypeRef::find(handle).unwrap();
        assert!(datatype.is_committed() && datatype.flags & DATATYPE_CONTIGUOUS == 0);
        let object = datatype.object().unwrap();
        object.retain();
        assert!(datatype.free());
        assert!(DatatypeRef::find(handle).is_none());
        let mut data = [1_i32, 2, 3];
        let (mut packed, buffer) = ([0_i32; 2], data.as_mut_ptr().cast());
        let mut cursor =
            Cursor { datatype: datatype.view(), buffer, count: 1, position: 0, state: [0; 4] };
        // SAFETY: the type is retained, and the buffers are long enough.
        unsafe { pack(&mut cursor, packed.as_mut_ptr().cast(), 8) };
        assert_eq!(packed, [1, 3]);
        object.release();
    }
}
