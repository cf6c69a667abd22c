//! Handles.
//!
//! A handle is as large as a pointer. Predefined ones are the small numbers of the standard's ABI;
//! the others are addresses of objects of this library. No object lies in the first page, so the two
//! never meet (MPI 5.0, section 20.3).

/// Handles at or above this value are addresses.
pub const FIRST_ADDRESS: usize = 0x1000;

/// Makes the type of a class of handles.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(*mut std::ffi::c_void);

        // SAFETY: a handle is a value; what may be done with the object is the object's own matter.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl $name {
            /// The predefined handle of a value.
            pub const fn predefined(value: usize) -> Self {
                Self(std::ptr::without_provenance_mut(value))
            }

            /// The handle of an object.
            pub const fn of<T>(object: *mut T) -> Self {
                Self(object.cast())
            }

            /// The value of the handle: small for a predefined one, otherwise an address.
            pub fn value(self) -> usize {
                self.0.addr()
            }

            /// Whether it is one of the standard's constants, and not an object's address.
            pub fn is_predefined(self) -> bool {
                self.value() < crate::abi::handle::FIRST_ADDRESS
            }

            /// The object. Only for handles that are not predefined.
            pub const fn object<T>(self) -> *mut T {
                self.0.cast()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x})"), self.value())
            }
        }
    };
}

pub(crate) use handle;
