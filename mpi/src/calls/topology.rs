//! Topologies (MPI 5.0, chapter 8).

mod cartesian;
mod dims;
mod distributed;
mod graph;
mod placement;
mod routed;

use std::sync::Arc;

use super::comm::agree::{Members, found};
use super::comm::related::Properties;
use crate::objects::info::Pairs;
use crate::objects::topology::Topology;
use crate::prelude::*;
use crate::runtime::runtime;
pub use cartesian::{
    cart_coords, cart_create, cart_get, cart_map, cart_rank, cart_shift, cart_sub, cartdim_get,
};
pub use dims::dims_create;
pub use distributed::{
    dist_graph_create, dist_graph_create_adjacent, dist_graph_neighbors, dist_graph_neighbors_count,
};
pub use graph::{
    graph_create, graph_get, graph_map, graph_neighbors, graph_neighbors_count, graphdims_get,
};
use placement::Places;

pub fn topo_test(comm: CommRef, status: Out<c_int>) -> Result<()> {
    status.set(comm.topology.as_ref().map_or(MPI_UNDEFINED, |topology| topology.kind()));
    Ok(())
}

/// The nodes of the processes of a communicator, by rank.
fn nodes(comm: CommRef) -> Vec<u32> {
    let runtime = runtime();
    comm.group.iter().map(|process| runtime.node_of(*process)).collect()
}

/// A communicator with a topology, of those processes of another one that have a place in it.
fn placed(old: CommRef, places: Places, topology: Topology, info: Pairs) -> Result<Comm> {
    // Every process counts it, also those that have no place.
    let tag = old.next_tag();
    let members = Members { local: places, remote: Vec::new() };
    found(old, &members, tag, Properties { info, topology: Some(Arc::new(topology)) })
}

/// The rank that a process gets.
fn rank_of(comm: CommRef, places: &Places) -> c_int {
    let rank = places.iter().position(|process| *process == comm.rank());
    rank.map_or(MPI_UNDEFINED, |rank| rank as c_int)
}

#[cold]
fn none(what: &str) -> Error {
    Error::new(MPI_ERR_TOPOLOGY, format!("comm has no {what} topology"))
}

/// Copies into an array of the program, which must be long enough.
fn fill(
    name: &str,
    into: &mut [c_int],
    values: impl ExactSizeIterator<Item = c_int>,
) -> Result<()> {
    if into.len() < values.len() {
        let wanted = format!("there are {}", values.len());
        return Err(Error::argument(MPI_ERR_ARG, name, into.len(), wanted));
    }
    into.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    Ok(())
}
