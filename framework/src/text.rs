//! Strings that cross the boundary.

use core::ffi::{CStr, c_char};
use std::ffi::CString;

/// Borrows a C string as UTF-8. `None` for null and for bytes that are not UTF-8.
///
/// # Safety
/// `pointer` is null or leads to a NUL-terminated string that lives and stays unchanged for `'a`.
pub unsafe fn borrow<'a>(pointer: *const c_char) -> Option<&'a str> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_str().ok()
}

/// Copies a C string; bytes that are not UTF-8 become replacement characters, null becomes "".
///
/// # Safety
/// `pointer` is null or leads to a NUL-terminated string.
pub unsafe fn copy(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A C string with the text up to its first NUL.
pub fn to_c(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Writes `text` and a NUL into `buffer` of `capacity` bytes, cutting at a character boundary,
/// and returns the length of the whole text.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or `capacity` is zero.
pub unsafe fn write(text: &str, buffer: *mut c_char, capacity: usize) -> usize {
    if capacity > 0 && !buffer.is_null() {
        let mut end = text.len().min(capacity - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: `end` < `capacity`, which the caller vouches for.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), end);
            *buffer.add(end) = 0;
        }
    }
    text.len()
}
