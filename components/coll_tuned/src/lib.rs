//! Tuned: every collective operation over point-to-point messages, by the algorithm that suits it.
//!
//! ```text
//!   CollArgs ─► forced? ─► table ─► algorithms ─► Schedule ─► pml
//!   (what)      (by name)  (size)   (which steps) (cairn_schedule)
//! ```
//!
//! | file | |
//! |---|---|
//! | `algorithms/` | the algorithms, by operation, and the list of their names |
//! | `table.rs` | which of them is taken: by ranks, bytes, nodes; `mca-params/tables/coll_tuned.toml` is what holds by itself |
//! | `choice.rs` | what a user forces, by parameter or info key |
//!
//! Operations that are not commutative are always applied in the order of the ranks. Between two groups and
//! between neighbors there is one way each, that of `cairn_schedule`.

pub mod algorithms;
mod choice;
mod component;
mod params;
pub mod table;

use component::Tuned;

cairn_framework::component! {
    framework: coll,
    component: Tuned,
    name: "tuned",
    description: "collective operations over point-to-point messages, by algorithms that suit their sizes",
}
