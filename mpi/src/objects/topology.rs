//! Topologies of communicators (MPI 5.0, chapter 8): which ranks are neighbors. Values that know nothing
//! of processes and their messages.

#![forbid(unsafe_code)]

use std::ffi::c_int;

use cairn_framework::abi::comm::Neighbor;

use crate::abi::generated::constants::*;
use crate::error::{Error, Result};

/// The topology of a communicator.
#[derive(Debug, PartialEq, Eq)]
pub enum Topology {
    /// A grid, which is the same on all processes.
    Cartesian(Grid),
    /// A graph, which is the same on all processes.
    Graph(Graph),
    /// A graph of which each process knows its own edges.
    Distributed(Neighborhood),
}

impl Topology {
    /// What `MPI_Topo_test` says.
    pub fn kind(&self) -> c_int {
        match self {
            Self::Cartesian(_) => MPI_CART,
            Self::Graph(_) => MPI_GRAPH,
            Self::Distributed(_) => MPI_DIST_GRAPH,
        }
    }

    /// The ranks that this one receives from in neighborhood collectives, and those it sends to, with the
    /// blocks of the buffers that are theirs (MPI 5.0, section 8.6). Each list is in the order in which
    /// messages between two ranks match.
    pub fn neighbors(&self, own: u32) -> [Vec<Neighbor>; 2] {
        match self {
            Self::Cartesian(grid) => {
                let destinations = blocks(grid.around(own));
                // What one rank sends downwards first and upwards then, another one receives from above
                // first and from below then, which matters where they are one rank.
                let mut sources = destinations.clone();
                sources.sort_by_key(|neighbor| (neighbor.block / 2, neighbor.block % 2 == 0));
                [sources, destinations]
            }
            Self::Graph(graph) => [(); 2].map(|()| blocks(graph.neighbors(own).iter().copied())),
            Self::Distributed(known) => [&known.sources, &known.destinations]
                .map(|edges| blocks(edges.ranks.iter().copied())),
        }
    }

    /// How many blocks the buffers have that these ranks are received in and sent from.
    pub fn degrees(&self, own: u32) -> [usize; 2] {
        match self {
            Self::Cartesian(grid) => [2 * grid.dims().len(); 2],
            Self::Graph(graph) => [graph.neighbors(own).len(); 2],
            Self::Distributed(known) => {
                [&known.sources, &known.destinations].map(|edges| edges.ranks.len())
            }
        }
    }
}

/// The neighbors of ranks, in the order of their blocks. Where a grid ends is a block without a neighbor.
fn blocks(ranks: impl Iterator<Item = c_int>) -> Vec<Neighbor> {
    let all = (0..).zip(ranks).filter(|(_, rank)| *rank != MPI_PROC_NULL);
    all.map(|(block, rank)| Neighbor { rank: rank.cast_unsigned(), block }).collect()
}

/// A dimension of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// How many coordinates it has; at least one.
    pub length: u32,
    /// Whether the first coordinate follows the last one.
    pub periodic: bool,
}

impl Dimension {
    /// The coordinate so far from another one; none outside.
    fn moved(self, from: u32, distance: i64) -> Option<u32> {
        self.found(i64::from(from) + distance)
    }

    /// A coordinate of the program; none outside.
    fn found(self, at: i64) -> Option<u32> {
        let length = i64::from(self.length);
        let at = if self.periodic { at.rem_euclid(length) } else { at };
        (0..length).contains(&at).then_some(at as u32)
    }
}

/// A Cartesian grid. Ranks count in row-major order: the last coordinate changes fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    dims: Box<[Dimension]>,
}

impl Grid {
    /// A grid of these lengths that has no more places than there are processes. A length of 0 is a grid
    /// without places, as programs have it that divide a number of processes that is too small for them.
    pub fn new(lengths: &[c_int], periods: &[c_int], processes: u32) -> Result<Self> {
        let mut size = 1_u64;
        for (index, length) in lengths.iter().enumerate() {
            let known = u64::try_from(*length).map_err(|_| {
                let name = format!("dims[{index}]");
                Error::argument(MPI_ERR_DIMS, &name, length, "may not be negative")
            })?;
            size = size.saturating_mul(known);
        }
        if size > u64::from(processes) {
            let wanted = format!("the communicator has {processes} processes");
            return Err(Error::argument(MPI_ERR_DIMS, "the product of dims", size, wanted));
        }
        let dims = lengths.iter().zip(periods);
        let dims = dims
            .map(|(length, period)| Dimension { length: *length as u32, periodic: *period != 0 });
        Ok(Self { dims: dims.collect() })
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[Dimension] {
        &self.dims
    }

    /// How many places it has.
    pub fn size(&self) -> u32 {
        let lengths = || self.dims.iter().map(|dim| dim.length);
        if lengths().any(|length| length == 0) { 0 } else { lengths().product() }
    }

    /// The coordinates of a rank.
    pub fn coords(&self, rank: u32) -> Vec<u32> {
        let mut coords = vec![0; self.dims.len()];
        let mut rest = rank;
        for (at, dim) in coords.iter_mut().zip(&self.dims).rev() {
            *at = rest % dim.length;
            rest /= dim.length;
        }
        coords
    }

    /// The rank at coordinates, which may be out of range in periodic dimensions.
    pub fn rank(&self, coords: &[c_int]) -> Result<u32> {
        let mut rank = 0;
        for (index, (at, dim)) in coords.iter().zip(&self.dims).enumerate() {
            let found = dim.found(i64::from(*at)).ok_or_else(|| {
                let wanted = format!("they are 0 to {}, and not periodic", dim.length - 1);
                Error::argument(MPI_ERR_ARG, &format!("coords[{index}]"), at, wanted)
            })?;
            rank = rank * dim.length + found;
        }
        Ok(rank)
    }

    /// The ranks so far below and above in a direction, as source and destination of a shift.
    pub fn shift(&self, rank: u32, direction: usize, distance: c_int) -> [c_int; 2] {
        let stride: u32 = self.dims[direction + 1..].iter().map(|dim| dim.length).product();
        let dim = self.dims[direction];
        let at = rank / stride % dim.length;
        [-i64::from(distance), i64::from(distance)].map(|distance| {
            let there = dim.moved(at, distance);
            there.map_or(MPI_PROC_NULL, |there| (rank - at * stride + there * stride) as c_int)
        })
    }

    /// The neighbors of a rank: of each dimension the one below and the one above, `MPI_PROC_NULL` where
    /// the grid ends.
    fn around(&self, rank: u32) -> impl Iterator<Item = c_int> {
        (0..self.dims.len()).flat_map(move |direction| self.shift(rank, direction, 1))
    }

    /// The grid of those dimensions that remain, with its ranks in this one: all that have the
    /// coordinates of `rank` in the other dimensions.
    pub fn through(&self, rank: u32, remain: &[bool]) -> (Self, Vec<u32>) {
        let mut stride = self.size();
        let mut ranks = vec![0];
        for ((dim, at), remains) in self.dims.iter().zip(self.coords(rank)).zip(remain) {
            stride /= dim.length;
            let range = if *remains { 0..dim.length } else { at..at + 1 };
            let wider = |base: u32| range.clone().map(move |at| base + at * stride);
            ranks = ranks.into_iter().flat_map(wider).collect();
        }
        let dims = self.dims.iter().zip(remain).filter(|(_, remains)| **remains);
        (Self { dims: dims.map(|(dim, _)| *dim).collect() }, ranks)
    }
}

/// A graph as the program gives it: where the neighbors of each node end in the list of all neighbors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// By node.
    pub index: Box<[c_int]>,
    /// The neighbors of the first node, of the second one, and so on.
    pub edges: Box<[c_int]>,
}

impl Graph {
    /// How many edges a graph with this index has.
    pub fn count(index: &[c_int]) -> Result<usize> {
        let mut before = 0;
        for (node, end) in index.iter().enumerate() {
            if *end < before {
                let wanted = format!("it may not be less than {before}");
                return Err(Error::argument(MPI_ERR_ARG, &format!("indx[{node}]"), end, wanted));
            }
            before = *end;
        }
        Ok(before as usize)
    }

    /// A graph of this index, whose edges are as many as [`Graph::count`] says.
    pub fn new(index: &[c_int], edges: &[c_int]) -> Result<Self> {
        let nodes = 0..index.len() as c_int;
        if let Some(edge) = edges.iter().position(|node| !nodes.contains(node)) {
            let wanted = format!("the nodes are 0 to {}", index.len() - 1);
            let name = format!("edges[{edge}]");
            return Err(Error::argument(MPI_ERR_ARG, &name, edges[edge], wanted));
        }
        Ok(Self { index: index.into(), edges: edges.into() })
    }

    /// How many nodes there are.
    pub fn size(&self) -> u32 {
        self.index.len() as u32
    }

    /// The neighbors of a node, in the order in which they were given.
    pub fn neighbors(&self, node: u32) -> &[c_int] {
        let node = node as usize;
        let begin = if node == 0 { 0 } else { self.index[node - 1] };
        &self.edges[begin as usize..self.index[node] as usize]
    }
}

/// What a process knows of a distributed graph: the edges that end at it and those that begin there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighborhood {
    /// Where edges come from.
    pub sources: Edges,
    /// Where edges lead to.
    pub destinations: Edges,
    /// Whether the program gave weights.
    pub weighted: bool,
}

/// The other ends of edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// The ranks.
    pub ranks: Vec<c_int>,
    /// As many weights; ones if the program gave none.
    pub weights: Vec<c_int>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NONE: c_int = MPI_PROC_NULL;

    fn grid(lengths: &[c_int], periods: &[c_int]) -> Grid {
        Grid::new(lengths, periods, c_int::MAX as u32).expect("a grid")
    }

    fn class<T>(result: Result<T>) -> c_int {
        result.map_or_else(|error| error.code(), |_| MPI_SUCCESS)
    }

    #[test]
    fn ranks_are_in_row_major_order() {
        let grid = grid(&[2, 3, 4], &[0, 1, 0]);
        assert_eq!(grid.size(), 24);
        assert_eq!(grid.coords(0), [0, 0, 0]);
        assert_eq!(grid.coords(17), [1, 1, 1]);
        assert_eq!(grid.coords(23), [1, 2, 3]);
        assert_eq!(grid.rank(&[1, 1, 1]).unwrap(), 17);
        assert_eq!(grid.rank(&[1, -2, 1]).unwrap(), 17);
        assert_eq!(grid.rank(&[1, c_int::MAX, 1]).unwrap(), 17);
        assert_eq!(class(grid.rank(&[2, 0, 0])), MPI_ERR_ARG);
        assert_eq!(class(grid.rank(&[0, 0, -1])), MPI_ERR_ARG);
    }

    #[test]
    fn a_grid_must_fit() {
        for (lengths, processes, wanted) in [
            (&[2, 3][..], 6, MPI_SUCCESS),
            (&[2, 3], 5, MPI_ERR_DIMS),
            (&[], 1, MPI_SUCCESS),
            (&[0, 3], 6, MPI_SUCCESS),
            (&[c_int::MAX, c_int::MAX, c_int::MAX, 0], 6, MPI_SUCCESS),
            (&[-2, -3], 6, MPI_ERR_DIMS),
            (&[c_int::MAX; 9], c_int::MAX as u32, MPI_ERR_DIMS),
        ] {
            let grid = Grid::new(lengths, &[0; 9], processes);
            if let Ok(grid) = &grid {
                let size = lengths.iter().map(|length| i128::from(*length)).product::<i128>();
                assert_eq!(i128::from(grid.size()), size);
            }
            assert_eq!(class(grid), wanted, "{lengths:?}");
        }
    }

    #[test]
    fn shifts_end_at_the_edge_or_come_around() {
        let grid = grid(&[3, 4], &[0, 1]);
        let own = grid.rank(&[0, 3]).unwrap();
        assert_eq!(grid.shift(own, 0, 1), [NONE, 7]);
        assert_eq!(grid.shift(own, 0, -2), [11, NONE]);
        assert_eq!(grid.shift(own, 0, 3), [NONE, NONE]);
        assert_eq!(grid.shift(own, 1, 1), [2, 0]);
        assert_eq!(grid.shift(own, 1, 6), [1, 1]);
        assert_eq!(grid.shift(own, 1, 0), [3, 3]);
        assert_eq!(grid.shift(own, 0, c_int::MIN), [NONE, NONE]);
        assert_eq!(grid.shift(own, 1, c_int::MIN), [3, 3]);
    }

    fn pairs(topology: &Topology, own: u32) -> [Vec<(u32, u32)>; 2] {
        let pairs = |all: Vec<Neighbor>| all.iter().map(|it| (it.rank, it.block)).collect();
        topology.neighbors(own).map(pairs)
    }

    /// Of each dimension the block of the neighbor below, then that of the one above. Messages come from
    /// above first.
    #[test]
    fn neighbors_are_in_the_order_of_the_standard() {
        let cartesian = Topology::Cartesian(grid(&[3, 4], &[0, 1]));
        assert_eq!(
            pairs(&cartesian, 3),
            [vec![(7, 1), (0, 3), (2, 2)], vec![(7, 1), (2, 2), (0, 3)]]
        );
        assert_eq!(cartesian.degrees(3), [4, 4]);
        let own = Topology::Cartesian(grid(&[1, 2], &[1, 1]));
        assert_eq!(
            pairs(&own, 0),
            [vec![(0, 1), (0, 0), (1, 3), (1, 2)], vec![(0, 0), (0, 1), (1, 2), (1, 3)]]
        );
        let nothing = Topology::Cartesian(grid(&[], &[]));
        assert_eq!((nothing.neighbors(0), nothing.degrees(0)), ([vec![], vec![]], [0, 0]));

        let graph = Graph::new(&[2, 2, 5], &[2, 1, 2, 0, 2]).unwrap();
        let graph = Topology::Graph(graph);
        assert_eq!(pairs(&graph, 0), [(); 2].map(|()| vec![(2, 0), (1, 1)]));
        assert!(graph.neighbors(1).iter().all(Vec::is_empty));
        assert_eq!(pairs(&graph, 2), [(); 2].map(|()| vec![(2, 0), (0, 1), (2, 2)]));
        assert_eq!(graph.degrees(2), [3, 3]);

        let edges = |ranks: &[c_int]| Edges { ranks: ranks.into(), weights: vec![1; ranks.len()] };
        let (sources, destinations) = (edges(&[5, 5, 1]), edges(&[0]));
        let known = Neighborhood { sources, destinations, weighted: false };
        let distributed = Topology::Distributed(known);
        assert_eq!(pairs(&distributed, 4), [vec![(5, 0), (5, 1), (1, 2)], vec![(0, 0)]]);
        assert_eq!(distributed.degrees(4), [3, 1]);
        let kinds = [cartesian, graph, distributed].map(|topology| topology.kind());
        assert_eq!(kinds, [MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH]);
    }

    #[test]
    fn graphs_that_are_none_are_errors() {
        assert_eq!(Graph::count(&[0, 2, 2, 3]).unwrap(), 3);
        assert_eq!(Graph::count(&[]).unwrap(), 0);
        assert_eq!(class(Graph::count(&[-1, 2])), MPI_ERR_ARG);
        assert_eq!(class(Graph::count(&[2, 1])), MPI_ERR_ARG);
        assert_eq!(class(Graph::new(&[1, 2], &[0, 2])), MPI_ERR_ARG);
        assert_eq!(class(Graph::new(&[1, 2], &[-1, 0])), MPI_ERR_ARG);
    }

    #[test]
    fn grids_are_cut_along_their_dimensions() {
        let whole = grid(&[2, 3, 4], &[0, 1, 0]);
        let (rows, ranks) = whole.through(17, &[false, true, false]);
        assert_eq!((rows, ranks), (grid(&[3], &[1]), vec![13, 17, 21]));
        let (planes, ranks) = whole.through(17, &[true, false, true]);
        assert_eq!((planes, ranks), (grid(&[2, 4], &[0, 0]), vec![4, 5, 6, 7, 16, 17, 18, 19]));
        assert_eq!(whole.through(17, &[false; 3]), (grid(&[], &[]), vec![17]));
        assert_eq!(whole.through(17, &[true; 3]), (whole.clone(), (0..24).collect()));
    }

    proptest! {
        #[test]
        fn ranks_have_coordinates_and_shifts_come_back(
            dims in prop::collection::vec((1..6_i32, 0..2_i32), 0..5),
            distance in any::<c_int>(),
            near in -7..8_i32,
        ) {
            let (lengths, periods): (Vec<_>, Vec<_>) = dims.iter().copied().unzip();
            let grid = grid(&lengths, &periods);
            for rank in 0..grid.size() {
                let coords: Vec<c_int> =
                    grid.coords(rank).into_iter().map(u32::cast_signed).collect();
                prop_assert_eq!(grid.rank(&coords).unwrap(), rank);
                for (direction, (length, period)) in dims.iter().enumerate() {
                    for distance in [distance, near] {
                        let [source, destination] = grid.shift(rank, direction, distance);
                        let mut there = coords.clone();
                        let at = i64::from(coords[direction]) + i64::from(distance);
                        there[direction] = at.rem_euclid(i64::from(*length)) as c_int;
                        let outside = *period == 0 && at != i64::from(there[direction]);
                        let wanted =
                            if outside { NONE } else { grid.rank(&there).unwrap() as c_int };
                        prop_assert_eq!(destination, wanted);
                        for (other, side) in [(destination, 0), (source, 1)] {
                            if other != NONE {
                                let back = grid.shift(other as u32, direction, distance);
                                prop_assert_eq!(back[side], rank as c_int);
                            }
                        }
                    }
                }
            }
        }
    }
}
