//! What a choice is made for: the process, a communicator, a window or a file.

use core::ffi::{c_char, c_void};

/// [`Scope::kind`]: the whole process.
pub const SCOPE_PROCESS: u32 = 0;
/// [`Scope::kind`]: a communicator. The scope is the head of a `cairn_comm_t`.
pub const SCOPE_COMMUNICATOR: u32 = 1;
/// [`Scope::kind`]: a window.
pub const SCOPE_WINDOW: u32 = 2;
/// [`Scope::kind`]: a file.
pub const SCOPE_FILE: u32 = 3;

/// Private slots of a scope; a component reserves the index of one with `scope_slot_reserve`.
pub const SCOPE_SLOTS: usize = 16;

/// A communicator, window, file or the process, as far as every framework sees it.
///
/// Allocated by the host side. Larger views embed it as their first field.
#[repr(C)]
#[derive(Debug)]
pub struct Scope {
    /// Size in bytes of this struct, or of the larger one that begins with it.
    pub struct_size: u32,
    /// One of `CAIRN_SCOPE_*`.
    pub kind: u32,
    /// Number of the scope, unique in the process among living scopes of its kind. 0 for the process.
    pub id: u32,
    /// Ranks in it.
    pub size: u32,
    /// What to call it in reports, such as `MPI_COMM_WORLD`.
    pub name: *const c_char,
    /// Copies the value of an info key into `value` (at most `capacity` bytes with the NUL) and
    /// returns its length without the NUL, or -1 when the key is not set. Null when the scope
    /// has no info.
    pub info: Option<
        unsafe extern "C" fn(
            scope: *const Scope,
            key: *const c_char,
            value: *mut c_char,
            capacity: usize,
        ) -> isize,
    >,
    /// One pointer for each component that reserved a slot. Written by its owner only while no
    /// other thread can use the scope: in the framework's functions that are called when a scope
    /// is made and freed. Null before.
    pub slots: [*mut c_void; SCOPE_SLOTS],
}

// SAFETY: the host hands a scope to several threads; the only fields that change are the slots,
// under the rule stated with them.
unsafe impl Sync for Scope {}

impl Scope {
    /// A scope without info and with empty slots. `name` must live as long as the scope.
    pub const fn new(kind: u32, id: u32, size: u32, name: &'static core::ffi::CStr) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            kind,
            id,
            size,
            name: name.as_ptr(),
            info: None,
            slots: [core::ptr::null_mut(); SCOPE_SLOTS],
        }
    }

    /// The name for reports.
    pub fn name(&self) -> &str {
        // SAFETY: the host sets `name` to a NUL-terminated string that lives as long as the scope.
        unsafe { crate::text::borrow(self.name) }.unwrap_or("?")
    }

    /// The value of an info key, if it is set.
    pub fn info(&self, key: &core::ffi::CStr) -> Option<String> {
        let lookup = self.info?;
        let mut value = [0u8; 1025];
        // SAFETY: the buffer has the length that is passed, and the key is NUL-terminated.
        let length = unsafe { lookup(self, key.as_ptr(), value.as_mut_ptr().cast(), value.len()) };
        let length = usize::try_from(length).ok()?;
        Some(String::from_utf8_lossy(value.get(..length)?).into_owned())
    }
}
