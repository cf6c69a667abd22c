//! Graphs of which each process knows its own edges.

use super::placement::{Places, decides, in_order, of_graph};
use super::routed::{Record, route, swapped};
use super::{nodes, none, placed};
use crate::calls::comm::related::intra_only;
use crate::calls::comm::words::bcast;
use crate::objects::topology::{Edges, Neighborhood, Topology};
use crate::prelude::*;

/// What this process knows of the graph of a communicator.
fn known(comm: CommRef) -> Result<&'static Neighborhood> {
    match comm.topology.as_deref() {
        Some(Topology::Distributed(known)) => Ok(known),
        _ => Err(none("distributed graph")),
    }
}

/// # Safety
/// There are as many destinations, and as many weights where there are any, as the degrees say.
#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub unsafe fn dist_graph_create(
    comm_old: CommRef,
    _n: c_int,
    sources: &[c_int],
    degrees: &[c_int],
    destinations: *const c_int,
    weights: *const c_int,
    info: InfoRef,
    reorder: c_int,
    comm_dist_graph: Out<Comm>,
) -> Result<()> {
    let old = intra_only(comm_old)?;
    if let Some(place) = degrees.iter().position(|degree| *degree < 0) {
        let (name, degree) = (format!("degrees[{place}]"), degrees[place]);
        return Err(Error::argument(MPI_ERR_ARG, &name, degree, "may not be negative"));
    }
    let number = degrees.iter().map(|degree| *degree as usize).sum();
    check::array("destinations", destinations, number)?;
    // SAFETY: promised by the caller.
    let (destinations, weights) =
        unsafe { (args::slice(destinations, number), given_weights("weights", weights, number)?) };
    all_ranks("sources", sources, old)?;
    all_ranks("destinations", destinations, old)?;
    let from = sources.iter().zip(degrees);
    let from = from.flat_map(|(source, degree)| std::iter::repeat_n(*source, *degree as usize));
    let known = collected(old, from, destinations, weights)?;
    comm_dist_graph.set(create(old, known, reorder != 0, info)?);
    Ok(())
}

/// # Safety
/// There are as many weights of each kind, where there are any, as edges.
#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub unsafe fn dist_graph_create_adjacent(
    comm_old: CommRef,
    _indegree: c_int,
    sources: &[c_int],
    sourceweights: *const c_int,
    _outdegree: c_int,
    destinations: &[c_int],
    destweights: *const c_int,
    info: InfoRef,
    reorder: c_int,
    comm_dist_graph: Out<Comm>,
) -> Result<()> {
    let old = intra_only(comm_old)?;
    all_ranks("sources", sources, old)?;
    all_ranks("destinations", destinations, old)?;
    // SAFETY: promised by the caller.
    let weights = unsafe {
        [
            given_weights("sourceweights", sourceweights, sources.len())?,
            given_weights("destweights", destweights, destinations.len())?,
        ]
    };
    let weighted = weights[0].is_some();
    if weighted != weights[1].is_some() {
        let text = "only one of sourceweights and destweights is MPI_UNWEIGHTED";
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    let edges = |ranks: &[c_int], weights: Option<&[c_int]>| Edges {
        ranks: ranks.to_vec(),
        weights: weights.map_or_else(|| vec![1; ranks.len()], <[c_int]>::to_vec),
    };
    let [of_sources, of_destinations] = weights;
    let known = Neighborhood {
        sources: edges(sources, of_sources),
        destinations: edges(destinations, of_destinations),
        weighted,
    };
    comm_dist_graph.set(create(old, known, reorder != 0, info)?);
    Ok(())
}

pub fn dist_graph_neighbors_count(
    comm: CommRef,
    indegree: Out<c_int>,
    outdegree: Out<c_int>,
    weighted: Out<c_int>,
) -> Result<()> {
    let known = known(comm)?;
    indegree.set(known.sources.ranks.len() as c_int);
    outdegree.set(known.destinations.ranks.len() as c_int);
    weighted.set(known.weighted.into());
    Ok(())
}

/// # Safety
/// There is room for as many weights, where they are wanted, as for ranks.
pub unsafe fn dist_graph_neighbors(
    comm: CommRef,
    _maxindegree: c_int,
    sources: &mut [c_int],
    sourceweights: *mut c_int,
    _maxoutdegree: c_int,
    destinations: &mut [c_int],
    destweights: *mut c_int,
) -> Result<()> {
    let known = known(comm)?;
    for (name, edges, ranks, weights) in [
        ("sourceweights", &known.sources, sources, sourceweights),
        ("destweights", &known.destinations, destinations, destweights),
    ] {
        // The first part is told where there is no room for all (MPI 5.0, section 8.5.5).
        let number = ranks.len().min(edges.ranks.len());
        ranks[..number].copy_from_slice(&edges.ranks[..number]);
        if known.weighted && weights.addr() != MPI_UNWEIGHTED.addr() && number > 0 {
            is_array(name, weights, number)?;
            // SAFETY: promised by the caller.
            let weights = unsafe { args::slice_mut(weights, number) };
            weights.copy_from_slice(&edges.weights[..number]);
        }
    }
    Ok(())
}

/// An array of weights is one: there is something to be counted.
fn is_array(name: &str, weights: *const c_int, number: usize) -> Result<()> {
    if weights.addr() == MPI_WEIGHTS_EMPTY.addr() {
        let text = format!("{name} is MPI_WEIGHTS_EMPTY, but there are {number} edges");
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    check::array(name, weights, number)
}

/// The weights that the program gives; none for `MPI_UNWEIGHTED`.
///
/// # Safety
/// There are as many, unless it is a constant.
unsafe fn given_weights<'a>(
    name: &str,
    weights: *const c_int,
    number: usize,
) -> Result<Option<&'a [c_int]>> {
    if weights.addr() == MPI_UNWEIGHTED.addr() {
        return Ok(None);
    }
    if number == 0 {
        // Any address will do.
        return Ok(Some(&[]));
    }
    is_array(name, weights, number)?;
    // SAFETY: promised by the caller.
    let weights = unsafe { args::slice(weights, number) };
    match weights.iter().position(|weight| *weight < 0) {
        None => Ok(Some(weights)),
        Some(place) => {
            let (name, weight) = (format!("{name}[{place}]"), weights[place]);
            Err(Error::argument(MPI_ERR_ARG, &name, weight, "may not be negative"))
        }
    }
}

/// Each is a rank of the communicator.
fn all_ranks(name: &str, ranks: &[c_int], comm: CommRef) -> Result<()> {
    let size = comm.size();
    match ranks.iter().position(|rank| !(0..size as c_int).contains(rank)) {
        None => Ok(()),
        Some(place) => check::rank(&format!("{name}[{place}]"), ranks[place], size as usize),
    }
}

/// An edge begins at the process that a record belongs to.
const BEGINS: u32 = 0;
/// It ends there.
const ENDS: u32 = 1;

/// What this process knows of a graph whose edges are given by any processes.
fn collected(
    old: CommRef,
    from: impl Iterator<Item = c_int>,
    to: &[c_int],
    weights: Option<&[c_int]>,
) -> Result<Neighborhood> {
    let weight = |edge| weights.map_or(1, |weights: &[c_int]| weights[edge]);
    let edges = from.zip(to).enumerate().map(|(edge, (from, to))| (from, *to, weight(edge)));
    let arrived = route(old, old.next_tag(), for_both_ends(old.rank(), edges))?;
    Ok(neighborhood(&in_order_of_both_ends(arrived), weights.is_some()))
}

/// What both ends of edges (from, to, weight) have to know that a process gives.
fn for_both_ends(owner: u32, edges: impl Iterator<Item = (c_int, c_int, c_int)>) -> Vec<Record> {
    let ends = |(from, to, weight): (c_int, c_int, c_int)| {
        let [from, to, weight] = [from, to, weight].map(c_int::cast_unsigned);
        [[from, owner, BEGINS, to, weight], [to, owner, ENDS, from, weight]]
    };
    edges.flat_map(ends).collect()
}

/// Several edges between two processes are in the same order on both sides: by the process that gave
/// them, and those of one process as it gave them.
fn in_order_of_both_ends(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by_key(|[_, owner, _, other, _]| (*other, *owner));
    records
}

/// What records say that have come to a process.
fn neighborhood(records: &[Record], weighted: bool) -> Neighborhood {
    let edges = |side: u32| {
        let edges = records.iter().filter(|[_, _, own, ..]| *own == side);
        let (ranks, weights) =
            edges.map(|[.., other, weight]| (*other as c_int, *weight as c_int)).unzip();
        Edges { ranks, weights }
    };
    Neighborhood { sources: edges(ENDS), destinations: edges(BEGINS), weighted }
}

/// A communicator in which each rank has the edges that the process with this rank in the old one gave.
fn create(old: CommRef, known: Neighborhood, reorder: bool, info: InfoRef) -> Result<Comm> {
    let nodes = if reorder { nodes(old) } else { Vec::new() };
    // Without a choice nothing is exchanged.
    let (places, known) = if decides(&nodes) {
        let places = chosen(old, &known, &nodes)?;
        let known = moved(old, known, &places)?;
        (places, known)
    } else {
        (in_order(old.size()), known)
    };
    placed(old, places, Topology::Distributed(known), info.pairs())
}

/// The places that the first process chooses, which for this learns the whole graph.
fn chosen(old: CommRef, known: &Neighborhood, nodes: &[u32]) -> Result<Places> {
    let Edges { ranks, weights } = &known.destinations;
    let own = old.rank();
    let records = ranks.iter().zip(weights);
    let records = records.map(|(to, weight)| [0, own, BEGINS, *to as u32, *weight as u32]);
    let edges = route(old, old.next_tag(), records.collect())?;
    let mut places = vec![0; old.size() as usize];
    if own == 0 {
        let edges = edges.into_iter().map(|[_, from, _, to, weight]| (from, to, weight.into()));
        let chosen = of_graph(old.size(), edges, nodes);
        places = chosen.into_iter().map(u32::cast_signed).collect();
    }
    bcast(old, 0, &mut places)?;
    Ok(places.into_iter().map(c_int::cast_unsigned).collect())
}

/// What the process with the rank in the old communicator knows that this one has in the new one.
fn moved(old: CommRef, known: Neighborhood, places: &Places) -> Result<Neighborhood> {
    let tag = old.next_tag();
    let own = old.rank();
    let to = places[own as usize];
    let rank = places.iter().position(|process| *process == own);
    let Some(from) = rank.filter(|_| to != own) else { return Ok(known) };
    let sides = [(ENDS, &known.sources), (BEGINS, &known.destinations)];
    let records = sides.into_iter().flat_map(|(side, edges)| {
        let edges = edges.ranks.iter().zip(&edges.weights);
        edges.map(move |(other, weight)| [to, own, side, *other as u32, *weight as u32])
    });
    let records: Vec<Record> = records.collect();
    let records = swapped(old, tag, (to, &records), from as u32)?;
    Ok(neighborhood(&records, known.weighted))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::routed::tests::routed;
    use super::*;

    proptest! {
        /// Edges (from, to, weight) that any processes give, on any number of processes.
        #[test]
        fn processes_know_their_edges_whoever_gives_them(
            size in 1..20_u32,
            given in prop::collection::vec((0..20_u32, 0..20_u32, 0..20_u32, 0..4_i32), 0..60),
        ) {
            let given: Vec<_> = given
                .into_iter()
                .map(|(owner, from, to, weight)| {
                    (owner % size, (from % size) as c_int, (to % size) as c_int, weight)
                })
                .collect();
            let records = |owner| {
                let own = given.iter().filter(|(giver, ..)| *giver == owner);
                for_both_ends(owner, own.map(|(_, from, to, weight)| (*from, *to, *weight)))
            };
            let arrived = routed((0..size).map(records).collect());
            // In the order of those that gave them, and of each as it did.
            let mut edges = given.clone();
            edges.sort_by_key(|(owner, ..)| *owner);
            for (rank, arrived) in (0..).zip(arrived) {
                let known = neighborhood(&in_order_of_both_ends(arrived), true);
                let mut sources: Vec<_> =
                    edges.iter().filter(|edge| edge.2 == rank).map(|edge| (edge.1, edge.3)).collect();
                let mut destinations: Vec<_> =
                    edges.iter().filter(|edge| edge.1 == rank).map(|edge| (edge.2, edge.3)).collect();
                sources.sort_by_key(|(other, _)| *other);
                destinations.sort_by_key(|(other, _)| *other);
                for (wanted, found) in
                    [(sources, known.sources), (destinations, known.destinations)]
                {
                    let found: Vec<_> = found.ranks.into_iter().zip(found.weights).collect();
                    prop_assert_eq!(found, wanted);
                }
            }
        }
    }
}
