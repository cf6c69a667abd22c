//! The functions of MPI: what stands behind the entries.
//!
//! A row of `mpi/abi/functions.txt` in section `[p2p]` is implemented in `calls/p2p.rs` under its
//! name in lower case, for both the plain and the large-count form, and says `yes` in the column
//! `done`. The types of the parameters follow from their kinds; `cargo xtask signature Send` prints
//! them. When it is called, MPI is in the state that the row demands, and the arguments are checked
//! as their kinds say, unless the user turned the checks off.

pub mod abi;
pub mod attribute;
pub mod buffer;
pub mod coll;
pub mod comm;
pub mod convert;
pub mod datatype;
pub mod env;
pub mod error;
pub mod grequest;
pub mod group;
pub mod icoll;
pub mod info;
pub mod neighbor;
pub mod op;
pub mod p2p;
pub mod partitioned;
pub mod pcoll;
pub mod process;
pub mod request;
pub mod rma;
pub mod session;
pub mod status;
pub mod sync;
pub mod tool;
pub mod topology;
