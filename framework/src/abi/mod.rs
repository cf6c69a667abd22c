//! What crosses the boundary between a component and its host, as C sees it.
//!
//! Every file here and every file under [`crate::frameworks`] becomes one C header of the same
//! name in `include/cairn/` (`cargo xtask gen`). Of the contracts, [`btl`] and [`cri`] have their C side
//! here, because a peer's routes and a pool's strategy lead to it. The rules that keep the two languages and all
//! versions together:
//!
//! * Types are `repr(C)`, of fixed width, and carry no Rust type that C cannot spell.
//! * A struct that may grow says its size, in `struct_size`, as its *author* knew it. In version 0.N
//!   that must be this header's; from 1.0 on fields are appended, and none moves. A struct without
//!   `struct_size` is used for each message, or lies inside others: it never changes within a major
//!   version. `cargo xtask headers-compatible OLD NEW` compares the headers of two versions.
//! * C enumerations are integers with named constants, because a value that no variant has must
//!   be an error message and not undefined behaviour.
//! * Memory is freed by the side that allocated it, and strings are NUL-terminated UTF-8.
//! * No panic, C++ exception or `longjmp` crosses a function of these tables.

pub mod bias;
pub mod btl;
pub mod comm;
pub mod component;
pub mod counter;
pub mod cri;
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
pub mod thread;
