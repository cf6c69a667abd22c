//! What crosses the boundary between a component and its host, as C sees it.
//!
//! Every file here and every file under [`crate::frameworks`] becomes one C header of the same
//! name in `include/cairn/` (`cargo xtask gen`). The rules that keep the two languages and all
//! versions together:
//!
//! * Types are `repr(C)`, of fixed width, and carry no Rust type that C cannot spell.
//! * A struct that one side allocates and the other reads starts with `struct_size`, the size in
//!   bytes that its *author* knew. A newer minor version appends fields and never moves one, so
//!   whoever reads a field first checks that it lies inside `struct_size`; [`has_field!`] does.
//! * C enumerations are integers with named constants, because a value that no variant has must
//!   be an error message and not undefined behaviour.
//! * Memory is freed by the side that allocated it, and strings are NUL-terminated UTF-8.
//! * No panic, C++ exception or `longjmp` crosses a function of these tables.
//!
//! [`has_field!`]: crate::has_field

pub mod bias;
pub mod comm;
pub mod component;
pub mod counter;
pub mod datatype;
pub mod event;
pub mod host;
pub mod job;
pub mod lock;
pub mod param;
pub mod peer;
pub mod pool;
pub mod receive;
pub mod request;
pub mod scope;
pub mod status;
pub mod task;
pub mod thread;

/// Whether `field` lies inside the `struct_size` bytes that the author of `*$table` knew.
///
/// `$table` is a raw pointer or reference to a struct whose first field is `struct_size: u32`.
#[macro_export]
macro_rules! has_field {
    ($table:expr, $type:ty, $field:ident) => {
        ($table).struct_size as usize >= $crate::field_end!($type, $field)
    };
}

/// The offset of the first byte behind `$field` in `$type`.
#[macro_export]
macro_rules! field_end {
    ($type:ty, $field:ident) => {{
        const fn size_of_pointee<T>(_: *const T) -> usize {
            ::core::mem::size_of::<T>()
        }
        const END: usize = {
            let whole = ::core::mem::MaybeUninit::<$type>::uninit();
            // SAFETY: `&raw const` takes the field's address and reads nothing, so the memory
            // behind it may be uninitialised.
            let field = unsafe { &raw const (*whole.as_ptr()).$field };
            ::core::mem::offset_of!($type, $field) + size_of_pointee(field)
        };
        END
    }};
}
