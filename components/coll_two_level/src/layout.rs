//! Which rank is on which node.

use cairn_framework::abi::comm::{COMM_INTER, Comm};
use cairn_framework::abi::peer::Peer;

/// The ranks of a communicator by their nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The ranks of all nodes, one node behind the other; those of a node rise. Nodes are in the order of their first
    /// ranks, so that the first of each is the leader with its number among the leaders.
    ranks: Vec<u32>,
    /// Where each node begins in `ranks`, and the end.
    begins: Vec<u32>,
    /// The node of each rank.
    nodes: Vec<u32>,
    /// This rank's node.
    own: u32,
    /// Whether ranks in the order of the nodes are in their own order, too.
    is_in_order: bool,
    /// Whether all nodes have as many ranks.
    is_even: bool,
}

impl Layout {
    /// From the nodes' names by rank.
    pub fn new(names: &[u32], rank: u32) -> Self {
        let mut firsts: Vec<(u32, u32)> = Vec::new();
        let mut known = std::collections::HashMap::new();
        let nodes: Vec<u32> = (0..)
            .zip(names)
            .map(|(rank, name)| {
                *known.entry(*name).or_insert_with(|| {
                    firsts.push((rank, *name));
                    firsts.len() as u32 - 1
                })
            })
            .collect();
        let mut ranks: Vec<u32> = (0..names.len() as u32).collect();
        ranks.sort_by_key(|rank| nodes[*rank as usize]);
        let mut begins: Vec<u32> = vec![0; firsts.len() + 1];
        for node in &nodes {
            begins[*node as usize + 1] += 1;
        }
        for node in 0..firsts.len() {
            begins[node + 1] += begins[node];
        }
        let own = nodes[rank as usize];
        let is_in_order = ranks.is_sorted();
        let is_even = begins.windows(2).all(|two| two[1] - two[0] == begins[1]);
        Self { ranks, begins, nodes, own, is_in_order, is_even }
    }

    /// That of a communicator.
    pub fn of(comm: &Comm) -> Self {
        let names: Vec<u32> = peers(comm).map(|peer| peer.node).collect();
        Self::new(&names, comm.rank)
    }

    /// How many nodes there are.
    pub fn count(&self) -> u32 {
        self.begins.len() as u32 - 1
    }

    /// The ranks of a node.
    pub fn node(&self, node: u32) -> &[u32] {
        let at = |node: u32| self.begins[node as usize] as usize;
        &self.ranks[at(node)..at(node + 1)]
    }

    /// How many ranks a node has.
    pub fn len(&self, node: u32) -> u64 {
        self.node(node).len() as u64
    }

    /// How many ranks the nodes before this one have.
    pub fn before(&self, node: u32) -> u64 {
        self.begins[node as usize].into()
    }

    /// This rank's node.
    pub fn own(&self) -> u32 {
        self.own
    }

    /// The ranks of this rank's node.
    pub fn mates(&self) -> &[u32] {
        self.node(self.own)
    }

    /// All ranks, one node behind the other: the order in which data of all lies between nodes.
    pub fn order(&self) -> &[u32] {
        &self.ranks
    }

    /// The node of a rank, and its number there.
    pub fn place(&self, rank: u32) -> (u32, u32) {
        let node = self.nodes[rank as usize];
        let number = self.node(node).binary_search(&rank).expect("a rank is on its node");
        (node, number as u32)
    }

    /// The first rank of each node.
    pub fn leaders(&self) -> Vec<u32> {
        (0..self.count()).map(|node| self.node(node)[0]).collect()
    }

    /// Whether ranks in the order of the nodes are in their own order, too.
    pub fn is_in_order(&self) -> bool {
        self.is_in_order
    }

    /// Whether all nodes have as many ranks.
    pub fn is_even(&self) -> bool {
        self.is_even
    }
}

/// Whether the communicator has several nodes and several ranks on one of them, as all its processes find alike.
pub fn has_two_levels(comm: &Comm) -> bool {
    if comm.flags & COMM_INTER != 0 || comm.parts.is_null() {
        return false;
    }
    // Numbers of nodes are those of a job, so two of them may be one node.
    let nodes: Option<Vec<u32>> =
        peers(comm).map(|peer| (peer.job == 0).then_some(peer.node)).collect();
    let Some(mut nodes) = nodes else { return false };
    nodes.sort_unstable();
    nodes.dedup();
    // SAFETY: a communicator has so many peers.
    (2..comm.remote_size as usize).contains(&nodes.len()) && unsafe { !comm.shares_processes() }
}

fn peers(comm: &Comm) -> impl Iterator<Item = &Peer> {
    // SAFETY: a communicator has so many peers; they stay.
    (0..comm.remote_size as usize).map(|rank| unsafe { &**comm.peers.add(rank) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_in_the_order_of_their_first_ranks() {
        let layout = Layout::new(&[7, 3, 7, 3, 7, 0], 3);
        assert_eq!(layout.count(), 3);
        assert_eq!([0, 1, 2].map(|node| layout.node(node)), [&[0, 2, 4][..], &[1, 3], &[5]]);
        assert_eq!((layout.own(), layout.mates()), (1, &[1, 3][..]));
        assert_eq!(layout.leaders(), [0, 1, 5]);
        assert_eq!((layout.place(4), layout.place(5)), ((0, 2), (2, 0)));
        assert_eq!([0, 1, 2, 3].map(|node| layout.before(node)), [0, 3, 5, 6]);
        assert!(!layout.is_in_order() && !layout.is_even());
        let layout = Layout::new(&[1, 1, 0, 0], 0);
        assert!(layout.is_in_order() && layout.is_even());
    }
}
