//! The frameworks: one file for each contract between the MPI library and a kind of component.
//!
//! Each file holds, in this order: the rules of the contract (life, threads and locks, completion,
//! ownership), the table of functions as C sees it (`<Framework>Ops`), the types that only this
//! contract uses, the trait a Rust author implements, and the list of the functions, with what leads from
//! the table to the trait. What C sees of `btl` and `cri` is in files of these names in [`crate::abi`],
//! whose structs lead to it.
//!
//! # Rules that hold in every contract
//!
//! * **Words.** An *instance* is a component in a host ([`Instance`](crate::abi::component::Instance),
//!   often called `self`). A *communication resource instance*, which threads share a device by, is
//!   always a **CRI** ([`Cri`](crate::abi::pool::Cri)).
//! * **Set-up functions** are called by one thread at a time, outside the hot path, with no CRI's lock
//!   held; they may call anything in the host table. The documentation marks the others **hot**.
//!   During the functions of a component's life the host holds its life-cycle lock; see
//!   `<cairn/component.h>`.
//! * **Hot functions** may be called by any thread at any time between the set-up and the
//!   tear-down of the object they work on. They must not sleep, and of the host table they use only
//!   what is read in place, `fail`, and the functions their own documentation names. Where they get
//!   a CRI, its lock is held by the caller, unless the process is single-threaded, where there are no
//!   locks.
//! * **The first argument** of a function is the instance of the component or an object that the
//!   component made, and is valid whenever the function is called.
//! * **Optional functions** may be null in the table; the host puts a safe default in their place
//!   before it calls anything, so no caller checks for null. What the default does is said with
//!   the function.
//! * **A pointer argument** is valid during the call only, unless the function says that it stays.
//! * **Return values** are a [`Status`](crate::abi::status::Status) or, where an operation may have
//!   to wait, an [`OutcomeCode`](crate::abi::status::OutcomeCode); both below zero for errors, with the
//!   reason given to `fail` before. Errors are not retried.
//! * **Versions.** The plugin ABI and all contracts have one version, `CAIRN_ABI_MAJOR` and
//!   `CAIRN_ABI_MINOR`. It is 0.N until the first release: a component is loaded by a host of the very
//!   same version, and refused by any other.
//! * **Exceptions and panics** never leave a component's function. The macros for Rust see to that;
//!   C++ catches its own.

use core::ffi::c_void;

pub mod btl;
pub mod coll;
pub mod cri;
pub mod issue;
#[path = "match.rs"]
pub mod matching; // `match` is a keyword
pub mod osc;
pub mod pmi;
pub mod pml;
pub mod progress;
pub mod smsc;
pub mod wait;

/// How many components of a framework serve one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// The one with the highest priority.
    One,
    /// All that accept, the highest priority first.
    Many,
}

/// One function of a contract's table.
#[derive(Debug)]
pub struct Function {
    /// Its name in the table.
    pub name: &'static str,
    /// Where it lies in the table, in bytes.
    pub offset: usize,
    /// Whether a component must have it.
    pub required: bool,
}

/// What the host knows about a framework: enough to check a component's table before any call.
#[derive(Debug)]
pub struct Contract {
    /// The framework's name, `cri`.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// One component or many.
    pub cardinality: Cardinality,
    /// Size of the table in bytes.
    pub size: usize,
    /// Every function, in the order of the table.
    pub functions: &'static [Function],
    /// Puts the defaults of optional functions where a table of `size` bytes has null.
    pub fill_defaults: unsafe fn(table: *mut c_void),
}

/// The table of a framework.
///
/// # Safety
/// The contract describes this very type.
pub unsafe trait Table: Sized + 'static {
    /// The framework's contract.
    fn contract() -> &'static Contract;
}

/// Every framework, by name.
pub static CONTRACTS: [&Contract; 11] = [
    &btl::CONTRACT,
    &coll::CONTRACT,
    &cri::CONTRACT,
    &matching::CONTRACT,
    &issue::CONTRACT,
    &osc::CONTRACT,
    &pmi::CONTRACT,
    &pml::CONTRACT,
    &progress::CONTRACT,
    &smsc::CONTRACT,
    &wait::CONTRACT,
];

/// The contract of the framework with this name.
pub fn by_name(name: &str) -> Option<&'static Contract> {
    CONTRACTS.into_iter().find(|contract| contract.name == name)
}

/// Declares a contract: the list of its functions, in the order of the table, with what leads from each
/// to the trait.
///
/// ```text
/// contract! {
///     table: CriOps, from T: Cri,                  the view of C, and that of Rust
///     "cri", One, "which communication resource instance an operation uses";
///
///     fn thread_exit(pool: &CriPool, thread: &Thread) = no_unwind {
///         T::thread_exit(&attached::<T>(pool).pool, pool, thread)
///     } default {}
///     ...
/// }
/// ```
///
/// A function has the signature of its field in the table. A function with a `default`, which takes its
/// place in a table that lacks it, is optional; any other is required. Bodies and defaults may do what is
/// unsafe, because the caller keeps the contract's rules. The word before a body says how its result becomes
/// the function's, and what happens when it panics; only in a `report` can it use `?`:
///
/// | | the body is | a failure | a panic |
/// |---|---|---|---|
/// | `report(instance)` | `Result<(), Failure>` | is the status; the host has the reason | is a failure |
/// | `status(instance)` | `Result<(), Failure>` | the same | ends the process |
/// | `outcome(instance)` | `Result<Outcome, Failure>` | the same | ends the process |
/// | `describe(text, capacity)` | the `String` to write | | is what the text says |
/// | `no_unwind` | the result | | ends the process |
///
/// Made of it are `CONTRACT`, the table's place in it ([`Table`]), what fills defaults in, the functions
/// of a Rust component (`shims`) and its table (`ops`). A function of the table that is not in the list does
/// not compile, nor does a list in another order.
macro_rules! contract {
    (
        table: $ops:ident, from $T:ident: $Trait:ident,
        $name:literal, $cardinality:ident, $summary:literal;
        $(
            fn $function:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)?
                = $guard:ident $(($($with:expr),+))? $body:block $(default $default:block)?
        )+
    ) => {
        /// The framework's name as C sees it. For the `component!` macro, like the type below.
        #[doc(hidden)]
        pub const NAME: &::core::ffi::CStr = $crate::__c_str!($name);

        /// The table.
        #[doc(hidden)]
        pub type Ops = $ops;

        /// What the host checks before it calls anything.
        pub static CONTRACT: $crate::frameworks::Contract = $crate::frameworks::Contract {
            name: $name,
            summary: $summary,
            cardinality: $crate::frameworks::Cardinality::$cardinality,
            size: size_of::<$ops>(),
            functions: FUNCTIONS,
            fill_defaults,
        };

        const FUNCTIONS: &[$crate::frameworks::Function] = &[
            $( $crate::frameworks::Function {
                name: stringify!($function),
                offset: ::core::mem::offset_of!($ops, $function),
                required: $crate::frameworks::part!(@is_required $($default)?),
            }, )+
        ];
        const _: () = $crate::frameworks::check_order(FUNCTIONS);

        // SAFETY: the contract was made from this type, above.
        unsafe impl $crate::frameworks::Table for $ops {
            fn contract() -> &'static $crate::frameworks::Contract {
                &CONTRACT
            }
        }

        /// # Safety
        /// `table` leads to a whole, writable table of this version.
        unsafe fn fill_defaults(table: *mut ::core::ffi::c_void) {
            #[allow(unused_variables)] // where no function is optional
            // SAFETY: promised by the caller.
            let table = unsafe { &mut *table.cast::<$ops>() };
            $( $crate::frameworks::part!(@fill table $function $($default)?); )+
        }

        /// The table of a component in Rust; the `component!` macro puts it into the descriptor.
        pub const fn ops<$T: $Trait>() -> $ops {
            $ops {
                struct_size: size_of::<$ops>() as u32,
                reserved: 0,
                $( $function: Some(shims::$function::<$T>), )+
            }
        }

        /// The functions of a component in Rust, which forward to its trait.
        mod shims {
            use super::*;

            $( pub unsafe extern "C" fn $function<$T: $Trait>($($arg: $type),*) $(-> $result)? {
                // SAFETY: the caller keeps the contract's rules: references are valid during the
                // call, objects were made by the component and are alive, and pointers are what the
                // table says.
                unsafe { $crate::frameworks::part!(@$guard($T $function $(, $($with),+)?) $body) }
            } )+
        }

        /// What takes the place of optional functions.
        mod defaults {
            #[allow(unused_imports)] // where no function is optional
            use super::*;

            $( $crate::frameworks::part! {
                @default $function($($arg: $type),*) $(-> $result)?; $($default)?
            } )+
        }
    };
}
pub(crate) use contract;

/// The parts of [`contract!`] that differ from function to function.
macro_rules! part {
    (@is_required) => { true };
    (@is_required $default:block) => { false };

    (@fill $table:ident $function:ident) => {};
    (@fill $table:ident $function:ident $default:block) => {
        $table.$function.get_or_insert(defaults::$function)
    };

    (@default $function:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;) => {};
    (@default $function:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?; $default:block) => {
        // Has one address, by which `BtlOps::offered` knows it.
        #[inline(never)]
        #[allow(unused_variables, unused_unsafe)]
        pub unsafe extern "C" fn $function($($arg: $type),*) $(-> $result)? {
            // SAFETY: the caller keeps the contract's rules, as for the function itself.
            unsafe { $default }
        }
    };

    (@report($T:ident $function:ident, $instance:expr) $body:block) => {
        $crate::author::report($instance, || $body)
    };
    (@status($T:ident $function:ident, $instance:expr) $body:block) => {
        $crate::frameworks::part!(@no_unwind($T $function) {
            $crate::author::status($instance, $body)
        })
    };
    (@outcome($T:ident $function:ident, $instance:expr) $body:block) => {
        $crate::frameworks::part!(@no_unwind($T $function) {
            $crate::author::outcome($instance, $body)
        })
    };
    (@describe($T:ident $function:ident, $text:expr, $capacity:expr) $body:block) => {
        $crate::author::describe($text, $capacity, || $body)
    };
    (@no_unwind($T:ident $function:ident) $body:block) => {
        $crate::author::no_unwind::<$T, _, _>(
            || $body,
            // A type of its own, so that the name is not written anywhere until it is needed.
            || stringify!($function),
        )
    };
}
pub(crate) use part;

/// Fails to compile when functions are not in the order of the table.
const fn check_order(functions: &[Function]) {
    let mut i = 1;
    while i < functions.len() {
        assert!(functions[i - 1].offset < functions[i].offset, "the list has the table's order");
        i += 1;
    }
}
