//! One module for each thing that is read.

pub mod collective_tables;
pub mod command_lines;
pub mod descriptions;
pub mod elf;
pub mod experiments;
pub mod ob1;
pub mod ofi;
pub mod osc_rdma;
pub mod parameters;
pub mod plugins;
pub mod pmi_client;
pub mod pmi_server;
pub mod segments;
pub mod shared_memory;
pub mod sm_ring;
pub mod smsc_ring;
pub mod tcp_connection;
pub mod tcp_wire;
pub mod uct;
pub mod ugni;
