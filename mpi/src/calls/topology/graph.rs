//! Graphs that every process knows as a whole.

use super::placement::{Places, in_order, of_graph};
use super::{fill, nodes, none, placed, rank_of};
use crate::calls::comm::related::intra_only;
use crate::objects::info::Pairs;
use crate::objects::topology::{Graph, Topology};
use crate::prelude::*;

/// The graph of a communicator.
fn graph(comm: CommRef) -> Result<&'static Graph> {
    match comm.topology.as_deref() {
        Some(Topology::Graph(graph)) => Ok(graph),
        _ => Err(none("graph")),
    }
}

/// A graph that fits into a communicator, and the processes that become its ranks.
///
/// # Safety
/// There are as many edges as the index says.
unsafe fn plan(
    comm: CommRef,
    indx: &[c_int],
    edges: *const c_int,
    reorder: bool,
) -> Result<(Graph, Places)> {
    let size = intra_only(comm)?.size();
    if indx.len() > size as usize {
        let wanted = format!("the communicator has {size} processes");
        return Err(Error::argument(MPI_ERR_ARG, "nnodes", indx.len(), wanted));
    }
    let number = Graph::count(indx)?;
    check::array("edges", edges, number)?;
    // SAFETY: promised by the caller.
    let graph = Graph::new(indx, unsafe { args::slice(edges, number) })?;
    let places = if reorder {
        let each = |node| graph.neighbors(node).iter().map(move |to| (node, *to as u32, 1));
        of_graph(graph.size(), (0..graph.size()).flat_map(each), &nodes(comm))
    } else {
        in_order(graph.size())
    };
    Ok((graph, places))
}

/// # Safety
/// There are as many edges as `indx` says.
pub unsafe fn graph_create(
    comm_old: CommRef,
    _nnodes: c_int,
    indx: &[c_int],
    edges: *const c_int,
    reorder: c_int,
    comm_graph: Out<Comm>,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let (graph, places) = unsafe { plan(comm_old, indx, edges, reorder != 0) }?;
    comm_graph.set(placed(comm_old, places, Topology::Graph(graph), Pairs::default())?);
    Ok(())
}

/// # Safety
/// There are as many edges as `indx` says.
pub unsafe fn graph_map(
    comm: CommRef,
    _nnodes: c_int,
    indx: &[c_int],
    edges: *const c_int,
    newrank: Out<c_int>,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let (_, places) = unsafe { plan(comm, indx, edges, true) }?;
    newrank.set(rank_of(comm, &places));
    Ok(())
}

pub fn graphdims_get(comm: CommRef, nnodes: Out<c_int>, nedges: Out<c_int>) -> Result<()> {
    let graph = graph(comm)?;
    nnodes.set(graph.index.len() as c_int);
    nedges.set(graph.edges.len() as c_int);
    Ok(())
}

pub fn graph_get(
    comm: CommRef,
    _maxindex: c_int,
    _maxedges: c_int,
    indx: &mut [c_int],
    edges: &mut [c_int],
) -> Result<()> {
    let graph = graph(comm)?;
    fill("maxindex", indx, graph.index.iter().copied())?;
    fill("maxedges", edges, graph.edges.iter().copied())
}

/// The neighbors of a rank.
fn neighbors(comm: CommRef, rank: c_int) -> Result<&'static [c_int]> {
    let graph = graph(comm)?;
    check::rank("rank", rank, graph.index.len())?;
    Ok(graph.neighbors(rank as u32))
}

pub fn graph_neighbors_count(comm: CommRef, rank: c_int, nneighbors: Out<c_int>) -> Result<()> {
    nneighbors.set(neighbors(comm, rank)?.len() as c_int);
    Ok(())
}

pub fn graph_neighbors(
    comm: CommRef,
    rank: c_int,
    _maxneighbors: c_int,
    into: &mut [c_int],
) -> Result<()> {
    fill("maxneighbors", into, neighbors(comm, rank)?.iter().copied())
}
