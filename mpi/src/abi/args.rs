//! The arguments of MPI functions as the implementations see them.
//!
//! Entries make them from the raw arguments. The plain and the large-count form of a function give
//! the same types, so both share one implementation. What points to memory of the program is made
//! by an `unsafe` function here; that the memory is there, is as long as the standard says and is
//! not used by anyone else meanwhile, is what the program promises (MPI 5.0, section 2.5).

use std::ffi::{CStr, c_char, c_int, c_void};

use super::generated::constants::{MPI_PROC_NULL, MPI_ROOT, MPI_UNDEFINED};
use super::generated::types::{
    Comm, Count, DatarepConversionFunction, DatarepConversionFunctionC, UserFunction, UserFunctionC,
};
use super::status::{Status, StatusIn, StatusOut, StatusesOut};

/// A number of either form.
#[inline(always)]
pub fn count(value: impl Into<Count>) -> Count {
    value.into()
}

/// A number as the length of an array; a negative one is 0.
#[inline(always)]
pub fn length(value: impl Into<Count>) -> usize {
    usize::try_from(value.into()).unwrap_or(0)
}

/// Where a function puts a result.
///
/// Not a reference: the program may name one variable for several results it does not need.
pub struct Out<T>(*mut T);

/// A variable of the program that a function reads and changes.
pub struct InOut<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Clone for InOut<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for InOut<T> {}

impl<T: Copy> Out<T> {
    /// Puts the result there. Nothing happens if the program gave a null pointer where it may.
    #[inline(always)]
    pub fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: made by `out` from what the program promises to be such a variable, or null.
            unsafe { self.0.write(value) };
        }
    }
}

impl<T: Copy> InOut<T> {
    /// What is there.
    #[inline(always)]
    pub fn get(self) -> T {
        // SAFETY: made by `inout` from what the program promises to be such a variable. Entries
        // refuse null.
        unsafe { self.0.read() }
    }

    /// Changes it.
    #[inline(always)]
    pub fn set(self, value: T) {
        // SAFETY: as in `get`.
        unsafe { self.0.write(value) };
    }
}

/// # Safety
/// The pointer is null or that of a variable that stays until the call ends.
pub unsafe fn out<T>(pointer: *mut T) -> Out<T> {
    Out(pointer)
}

/// # Safety
/// The pointer is null or that of a variable that stays until the call ends.
pub unsafe fn inout<T>(pointer: *mut T) -> InOut<T> {
    InOut(pointer)
}

/// What a variable holds, or something else if there is no variable.
///
/// # Safety
/// The pointer is null or that of a variable that can be read.
#[inline(always)]
pub unsafe fn held<T: Copy>(pointer: *const T, otherwise: T) -> T {
    // SAFETY: promised by the caller.
    if pointer.is_null() { otherwise } else { unsafe { pointer.read() } }
}

/// Where a function puts a pointer; C declares it as `void *` so that any pointer type fits.
///
/// # Safety
/// The pointer is null or that of a pointer that stays until the call ends.
pub unsafe fn pointer_out(pointer: *mut c_void) -> Out<*mut c_void> {
    Out(pointer.cast())
}

/// Which form of a function was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The plain one, with counts of type `int`.
    Small,
    /// The large-count form.
    Large,
}

/// Where a function puts a number; an `int` in the plain form.
#[derive(Clone, Copy)]
pub enum CountOut {
    /// Of the plain form.
    Small(*mut c_int),
    /// Of the large-count form.
    Large(*mut Count),
}

impl CountOut {
    /// Puts the number there, or `MPI_UNDEFINED` if it is too large for the variable.
    pub fn set(self, value: Count) {
        match self {
            Self::Small(pointer) if !pointer.is_null() => {
                // SAFETY: made by `count_out` from what the program promises to be such a variable.
                unsafe { pointer.write(value.try_into().unwrap_or(MPI_UNDEFINED)) };
            }
            // SAFETY: as above.
            Self::Large(pointer) if !pointer.is_null() => unsafe { pointer.write(value) },
            Self::Small(_) | Self::Large(_) => {}
        }
    }

    /// Whether there is no such variable: the program gave a null pointer where it may, or the plain
    /// form has no such parameter.
    pub fn is_absent(self) -> bool {
        is_null(self)
    }
}

/// A number of the program that a function reads and changes.
#[derive(Clone, Copy)]
pub struct CountIo(CountOut);

impl CountIo {
    /// What is there.
    pub fn get(self) -> Count {
        match self.0 {
            // SAFETY: made by `count_io` from what the program promises to be such a variable.
            // Entries refuse null.
            CountOut::Small(pointer) => unsafe { pointer.read() }.into(),
            // SAFETY: as above.
            CountOut::Large(pointer) => unsafe { pointer.read() },
        }
    }

    /// Changes it; to `MPI_UNDEFINED` if the number is too large for the variable.
    pub fn set(self, value: Count) {
        self.0.set(value);
    }
}

impl From<*mut c_int> for CountOut {
    fn from(pointer: *mut c_int) -> Self {
        Self::Small(pointer)
    }
}

impl From<*mut Count> for CountOut {
    fn from(pointer: *mut Count) -> Self {
        Self::Large(pointer)
    }
}

/// # Safety
/// The pointer is null or that of a variable that stays until the call ends.
pub unsafe fn count_out<P: Into<CountOut>>(pointer: P) -> CountOut {
    pointer.into()
}

/// # Safety
/// The pointer is null or that of a variable that stays until the call ends.
pub unsafe fn count_io<P: Into<CountOut>>(pointer: P) -> CountIo {
    CountIo(pointer.into())
}

/// An array of counts, displacements or lengths of the program, read in place.
#[derive(Clone, Copy)]
pub enum Counts<'a> {
    /// Of the plain form.
    Small(&'a [c_int]),
    /// Of the large-count form; also displacements of type `MPI_Aint`.
    Large(&'a [Count]),
}

impl<'a> Counts<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            Self::Small(all) => all.len(),
            Self::Large(all) => all.len(),
        }
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn at(self, index: usize) -> Count {
        match self {
            Self::Small(all) => all[index].into(),
            Self::Large(all) => all[index],
        }
    }

    /// All of them.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Count> + 'a {
        (0..self.len()).map(move |index| self.at(index))
    }
}

impl Default for Counts<'_> {
    fn default() -> Self {
        Self::Small(&[])
    }
}

/// Element types of arrays that [`Counts`] can hold.
pub trait CountElement: Sized {
    /// The array.
    fn counts(all: &[Self]) -> Counts<'_>;
}

impl CountElement for c_int {
    fn counts(all: &[Self]) -> Counts<'_> {
        Counts::Small(all)
    }
}

impl CountElement for Count {
    fn counts(all: &[Self]) -> Counts<'_> {
        Counts::Large(all)
    }
}

/// # Safety
/// The pointer is that of `length` elements that stay until the call ends, or `length` is 0.
pub unsafe fn counts<'a, T: CountElement + 'a>(pointer: *const T, length: usize) -> Counts<'a> {
    // SAFETY: by the contract of this function.
    T::counts(unsafe { slice(pointer, length) })
}

/// # Safety
/// The pointer is that of `length` elements that stay until the call ends, or `length` is 0.
pub unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    // SAFETY: by the contract of this function; an array of no elements may have any address.
    if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, length) } }
}

/// # Safety
/// As for [`slice`]; and nothing else refers to the elements.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: by the contract of this function.
    if length == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(pointer, length) } }
}

/// # Safety
/// The pointer is null or that of a string that stays until the call ends.
pub unsafe fn text<'a>(pointer: *const c_char) -> &'a CStr {
    // SAFETY: by the contract of this function.
    if pointer.is_null() { c"" } else { unsafe { CStr::from_ptr(pointer) } }
}

/// Where a function puts a string.
#[derive(Clone, Copy)]
pub struct TextOut {
    pointer: *mut c_char,
    capacity: usize,
}

impl TextOut {
    /// Writes the string and the null after it, cut off at the end of a character if there is less
    /// room. Returns the length without the null.
    pub fn set(self, text: &str) -> c_int {
        let Some(room) = self.capacity.checked_sub(1) else { return 0 };
        let mut ends = (0..=room.min(text.len())).rev();
        let length = ends.find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        // SAFETY: made by `text_out`: there is room for `capacity` bytes.
        unsafe {
            self.pointer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            self.pointer.add(length).write(0);
        }
        length as c_int
    }
}

/// # Safety
/// The pointer is that of `capacity` bytes that stay until the call ends.
pub unsafe fn text_out(pointer: *mut c_char, capacity: usize) -> TextOut {
    TextOut { pointer, capacity: if pointer.is_null() { 0 } else { capacity } }
}

/// # Safety
/// The pointer is null or that of a status that stays until the call ends.
pub unsafe fn status(pointer: *const Status) -> StatusIn {
    StatusIn(pointer)
}

/// # Safety
/// The pointer is null or that of a status that stays until the call ends.
pub unsafe fn status_out(pointer: *mut Status) -> StatusOut {
    StatusOut(pointer)
}

/// # Safety
/// The pointer is null or that of `length` statuses that stay until the call ends.
pub unsafe fn statuses_out(pointer: *mut Status, length: usize) -> StatusesOut {
    StatusesOut { first: pointer, length }
}

/// A reduction that the program defined.
#[derive(Clone, Copy, Debug)]
pub enum Reduction {
    /// From the plain form: takes an `int`.
    Small(Option<UserFunction>),
    /// From the large-count form.
    Large(Option<UserFunctionC>),
}

impl From<Option<UserFunction>> for Reduction {
    fn from(function: Option<UserFunction>) -> Self {
        Self::Small(function)
    }
}

impl From<Option<UserFunctionC>> for Reduction {
    fn from(function: Option<UserFunctionC>) -> Self {
        Self::Large(function)
    }
}

/// A reduction of either form.
pub fn user_function(function: impl Into<Reduction>) -> Reduction {
    function.into()
}

/// A conversion between data representations; none for `MPI_CONVERSION_FN_NULL`.
#[derive(Clone, Copy, Debug)]
pub enum Conversion {
    /// From the plain form: takes an `int`.
    Small(Option<DatarepConversionFunction>),
    /// From the large-count form.
    Large(Option<DatarepConversionFunctionC>),
}

impl From<Option<DatarepConversionFunction>> for Conversion {
    fn from(function: Option<DatarepConversionFunction>) -> Self {
        Self::Small(function)
    }
}

impl From<Option<DatarepConversionFunctionC>> for Conversion {
    fn from(function: Option<DatarepConversionFunctionC>) -> Self {
        Self::Large(function)
    }
}

/// A conversion of either form.
pub fn conversion_function(function: impl Into<Conversion>) -> Conversion {
    function.into()
}

/// What happens to an attribute when its object is duplicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying<F> {
    /// It is not copied (`MPI_COMM_NULL_COPY_FN` and its like, which are 0).
    Never,
    /// It is copied as it is (`MPI_COMM_DUP_FN` and its like, which are 1).
    Always,
    /// The program's function decides.
    Ask(F),
}

/// The constants are numbers and not functions, so they are told apart before anyone calls them.
pub fn copying<F: Copy>(function: Option<F>) -> Copying<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    match function {
        None => Copying::Never,
        Some(function) => {
            // SAFETY: a function pointer is as large as an address, and any bits are an address.
            let address: usize = unsafe { std::mem::transmute_copy(&function) };
            if address == 1 { Copying::Always } else { Copying::Ask(function) }
        }
    }
}

/// What may be a null pointer.
pub trait MayBeNull {
    /// Whether it is.
    fn is_null(&self) -> bool;
}

/// Whether an argument is a null pointer.
pub fn is_null<P: MayBeNull>(pointer: P) -> bool {
    pointer.is_null()
}

impl<T> MayBeNull for *const T {
    fn is_null(&self) -> bool {
        <*const T>::is_null(*self)
    }
}

impl<T> MayBeNull for *mut T {
    fn is_null(&self) -> bool {
        <*mut T>::is_null(*self)
    }
}

impl<T> MayBeNull for Out<T> {
    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T> MayBeNull for InOut<T> {
    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl MayBeNull for CountOut {
    fn is_null(&self) -> bool {
        match self {
            Self::Small(pointer) => pointer.is_null(),
            Self::Large(pointer) => pointer.is_null(),
        }
    }
}

impl MayBeNull for CountIo {
    fn is_null(&self) -> bool {
        MayBeNull::is_null(&self.0)
    }
}

impl MayBeNull for StatusIn {
    fn is_null(&self) -> bool {
        StatusIn::is_null(*self)
    }
}

impl MayBeNull for StatusOut {
    fn is_null(&self) -> bool {
        StatusOut::is_null(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_too_large_for_an_int_are_undefined() {
        let (mut small, mut large) = (0 as c_int, 0 as Count);
        // SAFETY: the variables stay.
        let (small_out, large_out) =
            unsafe { (count_out(&raw mut small), count_out(&raw mut large)) };
        for (value, seen) in [(7, 7), (0x7fff_ffff, 0x7fff_ffff), (0x8000_0000, MPI_UNDEFINED)] {
            small_out.set(value);
            large_out.set(value);
            assert_eq!((small, large), (seen, value));
        }
        CountOut::Large(std::ptr::null_mut()).set(1);
        assert!(CountOut::Large(std::ptr::null_mut()).is_absent());
    }

    #[test]
    fn arrays_of_both_forms_read_the_same() {
        let (small, large) = ([1, -2, 3], [1, -2, 3]);
        // SAFETY: the arrays stay.
        let (small, large) =
            unsafe { (counts::<c_int>(small.as_ptr(), 3), counts::<Count>(large.as_ptr(), 3)) };
        assert!(small.iter().eq(large.iter()));
        assert_eq!((small.len(), large.at(1)), (3, -2));
        assert_eq!(Counts::default().len(), 0);
    }

    #[test]
    fn text_is_cut_between_characters() {
        let mut room = [1 as c_char; 4];
        // SAFETY: the array stays.
        let out = unsafe { text_out(room.as_mut_ptr(), room.len()) };
        assert_eq!(out.set("ab\u{e9}"), 2);
        assert_eq!(room, [b'a' as c_char, b'b' as c_char, 0, 1]);
        assert_eq!(out.set("a\u{e9}"), 3);
        assert_eq!(room[3], 0);
    }

    #[test]
    fn constants_for_copying_are_not_called() {
        type Function = unsafe extern "C" fn();
        unsafe extern "C" fn real() {}
        assert_eq!(copying::<Function>(None), Copying::Never);
        // SAFETY: not null, and never called.
        let one: Option<Function> = unsafe { std::mem::transmute(1_usize) };
        assert_eq!(copying(one), Copying::Always);
        assert!(matches!(copying(Some(real as Function)), Copying::Ask(_)));
    }
}
