//! The frameworks: one file for each contract between the MPI library and a kind of component.
//!
//! Each file holds, in this order: the rules of the contract (life, threads and locks, completion,
//! ownership), the table of functions as C sees it (`<Framework>Ops`), the types that only this
//! contract uses, the trait a Rust author implements, and the shims between the two. What C sees of `btl`
//! and `cri` is in files of these names in [`crate::abi`], whose structs lead to it.
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
pub static CONTRACTS: [&Contract; 10] = [
    &btl::CONTRACT,
    &coll::CONTRACT,
    &cri::CONTRACT,
    &matching::CONTRACT,
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

/// Declares, next to a table, which of its functions are required and what takes the place of the
/// others. Generates `CONTRACT`. Fails to compile when a function of the table is
/// not listed.
macro_rules! contract {
    (
        $ops:ident: $name:literal, $cardinality:ident, $summary:literal;
        $(required $required:ident;)*
        $(optional $optional:ident = $default:expr;)*
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
            functions: &[
                $( $crate::frameworks::Function {
                    name: stringify!($required),
                    offset: ::core::mem::offset_of!($ops, $required),
                    required: true,
                }, )*
                $( $crate::frameworks::Function {
                    name: stringify!($optional),
                    offset: ::core::mem::offset_of!($ops, $optional),
                    required: false,
                }, )*
            ],
            fill_defaults,
        };

        // SAFETY: the contract was made from this type, above.
        unsafe impl $crate::frameworks::Table for $ops {
            fn contract() -> &'static $crate::frameworks::Contract {
                &CONTRACT
            }
        }

        /// # Safety
        /// `table` leads to a whole, writable table of this version.
        unsafe fn fill_defaults(table: *mut ::core::ffi::c_void) {
            // SAFETY: promised by the caller.
            let table = unsafe { &mut *table.cast::<$ops>() };
            // A pattern without `..`: a function that is in neither list does not compile.
            let $ops { struct_size: _, reserved: _, $($required: _,)* $($optional,)* } = table;
            $( if $optional.is_none() { *$optional = Some($default); } )*
        }
    };
}
pub(crate) use contract;

/// Declares the functions of a table that forward to a trait. Each has the signature of its field
/// and one of two ways to deal with a panic: `report(instance)` for functions that return a status
/// (the body is a `Result<(), Failure>`), `no_unwind` for the others.
macro_rules! shims {
    ($T:ident: $Trait:ident; $(
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)?
            = $guard:ident $(($instance:expr))? $body:block
    )*) => {
        $( unsafe extern "C" fn $name<$T: $Trait>($($arg: $type),*) $(-> $result)? {
            // SAFETY: the caller keeps the contract's rules: references are valid during the
            // call, objects were made by `$T` and are alive, and pointers are what the table says.
            unsafe { $crate::frameworks::shims!(@ $guard $T $name $(($instance))? $body) }
        } )*
    };
    (@ report $T:ident $name:ident ($instance:expr) $body:block) => {
        $crate::author::report($instance, || $body)
    };
    (@ no_unwind $T:ident $name:ident $body:block) => {
        $crate::author::no_unwind::<$T, _, _>(
            || $body,
            // A type of its own, so that the name is not written anywhere until it is needed.
            || stringify!($name),
        )
    };
}
pub(crate) use shims;
