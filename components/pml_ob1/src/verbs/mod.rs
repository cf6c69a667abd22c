//! What the component does, each in terms of the core and the objects.

pub mod arrive;
mod comm;
mod control;
mod failure;
mod probe;
mod push;
mod receive;
mod rendezvous;
pub mod retry;
mod send;
mod wait;
