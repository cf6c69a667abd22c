//! What the message benchmarks share.
#![forbid(unsafe_code)]

mod player;
mod window;

pub use player::Player;
pub use window::{Side, Window, messages};
