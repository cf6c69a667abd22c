//! What the message benchmarks share.
#![forbid(unsafe_code)]

mod floor;
mod player;
mod window;

pub use floor::Floor;
pub use player::Player;
pub use window::{Side, Window, messages};
