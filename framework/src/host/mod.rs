//! The side that loads and runs components.

mod cores;
mod files;
mod guard;
mod lifecycle;
pub mod loader;
pub mod params;
pub mod paths;
pub mod problem;
pub mod report;
pub mod select;
mod services;
pub mod system;

pub use cores::{node_cores, own_cores, spread};
pub use files::Obstacle;
pub use inventory;
pub use services::cards::CardExchange;
pub use services::counters::CounterInfo;
pub use services::events::{Delivery, Event, EventInfo, Listener, now};
pub use services::log::Sink;
pub use services::table::{forget_reason, give_reason, take_reason};
pub use system::{Chosen, Options, Search, Slot, Stage, System};

use crate::abi::component::ComponentDescriptor;

/// Components that are linked into this program; collected at link time.
pub struct Linked(pub &'static [&'static ComponentDescriptor]);

inventory::collect!(Linked);
