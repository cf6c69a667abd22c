//! The component system of Cairn MPI.
//!
//! Everything that can be done in more than one way — moving bytes, matching messages, sharing a
//! device among threads, waiting — is a *component* behind the contract of a *framework*, chosen
//! when the program starts. This crate is the ground both sides stand on:
//!
//! ```text
//!   what crosses the boundary   for authors in Rust   the contracts        the library, cairn-info
//!
//!        abi  ◄──────────────────  author  ◄─────────  frameworks  ◄───────  host  loader, selection,
//!         │                        Component,          one file each              parameters, services
//!         ▼                        Failure, the host                              behind the host table
//!   text, sys, fences, audit       as methods
//! ```
//!
//! Each uses what is to its left, and nothing to its right. The macro `component!` (`export`) joins them
//! at the user's side; `mock` is a host for tests of a component.
//!
//! Without the feature `host` the crate has no dependency: that is the form in which component
//! authors get it, inside an installation. With it, [`host::System`] is the running system.
//!
//! A component's source is the same in both cases; whether it is linked in or exported from a
//! shared library is decided by what it is built with (see [`author`]).

pub mod abi;
pub mod audit;
pub mod author;
mod export;
mod fences;
pub mod frameworks;
#[cfg(feature = "host")]
pub mod host;
pub mod launch;
#[cfg(feature = "mock")]
pub mod layout;
#[cfg(feature = "mock")]
pub mod mock;
#[cfg_attr(not(any(feature = "host", feature = "loom")), allow(unused_imports))]
mod own;
pub mod sync;
#[cfg_attr(
    all(feature = "loom", test),
    expect(dead_code, reason = "the model has barriers of its own")
)]
mod sys;
pub mod text;
