//! Which rank runs on which node: the text `PMI_process_mapping`.
//!
//! `(vector,ITEM,ITEM..)`, where an item is `(X,Y,Z)` for nodes X to X+Y-1 with Z consecutive ranks
//! on each, or a number `N` for `(N,1,1)`, or `[ITEM,..]xK` for a list K times. A list that is too
//! short starts again at its first item for node 0.

#![forbid(unsafe_code)]

/// The nodes of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    nodes: Vec<u32>,
    count: u32,
}

/// How deep lists may lie in lists. No server writes more than one.
const DEPTH: u32 = 8;

impl Mapping {
    /// All on one node.
    pub fn one_node(size: u32) -> Self {
        Self { nodes: vec![0; size as usize], count: 1 }
    }

    /// Reads the text for a job of `size` ranks. `None` if it is empty or odd: then it is not known
    /// which ranks run on which node.
    pub fn parse(text: &str, size: u32) -> Option<Self> {
        let text: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let mut rest = text.strip_prefix(b"(vector,")?;
        let size = size as usize;
        // What follows an item for node 0, for lists that are too short.
        let mut blocks = Blocks { of: Vec::new(), ranks: 0, size };
        list(&mut rest, &mut blocks, DEPTH)?;
        if rest != b")" || blocks.ranks == 0 {
            return None;
        }
        let again = blocks.of.iter().position(|(node, _)| *node == 0).unwrap_or(0);
        let mut nodes = Vec::with_capacity(size);
        let mut block = 0;
        while nodes.len() < size {
            let (node, ranks) = blocks.of[block];
            nodes.extend(std::iter::repeat_n(node, ranks.min(size - nodes.len())));
            block = if block + 1 == blocks.of.len() { again } else { block + 1 };
        }
        // Numbers without gaps, so that they are below the count.
        let mut numbers: Vec<u32> = nodes.clone();
        numbers.sort_unstable();
        numbers.dedup();
        for node in &mut nodes {
            *node = numbers.binary_search(node).ok()? as u32;
        }
        Some(Self { nodes, count: numbers.len() as u32 })
    }

    /// The node of a rank.
    pub fn node_of(&self, rank: u32) -> Option<u32> {
        self.nodes.get(rank as usize).copied()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.count
    }

    /// The rank among the processes of its node, and how many these are.
    pub fn local(&self, rank: u32) -> (u32, u32) {
        let Some(own) = self.node_of(rank) else { return (0, 1) };
        let same = |ranks: &[u32]| ranks.iter().filter(|node| **node == own).count() as u32;
        (same(&self.nodes[..rank as usize]), same(&self.nodes))
    }
}

/// Nodes with so many consecutive ranks each, until there are enough for the job.
struct Blocks {
    of: Vec<(u32, usize)>,
    ranks: usize,
    size: usize,
}

impl Blocks {
    fn add(&mut self, node: u32, ranks: u32) {
        if self.ranks < self.size && ranks > 0 {
            self.of.push((node, ranks as usize));
            self.ranks = self.ranks.saturating_add(ranks as usize);
        }
    }
}

/// Items with commas between them.
fn list(rest: &mut &[u8], blocks: &mut Blocks, depth: u32) -> Option<()> {
    loop {
        item(rest, blocks, depth.checked_sub(1)?)?;
        if !take(rest, b',') {
            return Some(());
        }
    }
}

fn item(rest: &mut &[u8], blocks: &mut Blocks, depth: u32) -> Option<()> {
    if take(rest, b'(') {
        let first = number(rest)?;
        take(rest, b',').then_some(())?;
        let nodes = number(rest)?;
        take(rest, b',').then_some(())?;
        let ranks = number(rest)?;
        for node in first..first.checked_add(nodes)? {
            if blocks.ranks >= blocks.size || ranks == 0 {
                break;
            }
            blocks.add(node, ranks);
        }
        return take(rest, b')').then_some(());
    }
    if take(rest, b'[') {
        let start = blocks.of.len();
        list(rest, blocks, depth)?;
        (take(rest, b']') && take(rest, b'x')).then_some(())?;
        let times = number(rest)?;
        let once: Vec<(u32, usize)> = blocks.of[start..].to_vec();
        for _ in 1..times {
            if blocks.ranks >= blocks.size || once.is_empty() {
                break;
            }
            once.iter().for_each(|(node, ranks)| blocks.add(*node, *ranks as u32));
        }
        return Some(());
    }
    let node = number(rest)?;
    blocks.add(node, 1);
    Some(())
}

fn take(rest: &mut &[u8], byte: u8) -> bool {
    let there = rest.first() == Some(&byte);
    if there {
        *rest = &rest[1..];
    }
    there
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_servers_wrote() {
        for (text, nodes) in [
            ("(vector,(0,2,2))", &[0, 0, 1, 1][..]),
            ("(vector,[(0,3,1)]x2,0)", &[0, 1, 2, 0, 1, 2, 0]),
            ("(vector,(0,3,2),(0,2,2),2)", &[0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2]),
            ("(vector,(0,1,3),1,(2,1,2),(0,1,2))", &[0, 0, 0, 1, 2, 2, 0, 0]),
            ("(vector,[0,(1,1,2)]x2)", &[0, 1, 1, 0, 1, 1]),
            ("(vector,(0,2,1),(0,2,1))", &[0, 1, 0, 1]),
            (" (vector, (0, 1, 2))", &[0, 0]),
            ("(vector,(0,1,64))", &[0, 0, 0]),
            // Too short: again from the first item for node 0.
            ("(vector,(0,2,1))", &[0, 1, 0, 1, 0]),
            ("(vector,1,0,1)", &[1, 0, 1, 0, 1, 0, 1]),
            ("(vector,(7,1,2))", &[0, 0]),
            ("(vector,(0,4294967295,4294967295))", &[0, 0, 0]),
            ("(vector,[[0,1]x2]x4000000000)", &[0, 1, 0, 1, 0, 1]),
        ] {
            let mapping = Mapping::parse(text, nodes.len() as u32).expect(text);
            assert_eq!(mapping.nodes, nodes, "{text}");
        }
    }

    #[test]
    fn odd_texts_are_not_known() {
        for text in [
            "",
            "vector",
            "(vector,)",
            "(vector,(0,1))",
            "(vector,(0,1,1)",
            "(vector,(0,0,1))",
            "(vector,[0]x0x)",
            "(vector,99999999999)",
            &format!("(vector,{}0{})", "[".repeat(99), "]x1".repeat(99)),
        ] {
            assert_eq!(Mapping::parse(text, 3), None, "{text}");
        }
    }

    #[test]
    fn local_ranks_count_within_a_node() {
        let mapping = Mapping::parse("(vector,(0,2,1),(0,2,1))", 5).unwrap();
        assert_eq!(mapping.nodes(), 2);
        let local: Vec<(u32, u32)> = (0..5).map(|rank| mapping.local(rank)).collect();
        assert_eq!(local, [(0, 3), (0, 2), (1, 3), (1, 2), (2, 3)]);
        assert_eq!(mapping.node_of(5), None);
    }

    proptest! {
        #[test]
        fn any_text_is_taken_without_panic(
            text in "\\(vector,[(),0-9x\\[\\]]{0,40}", size in 1u32..500
        ) {
            if let Some(mapping) = Mapping::parse(&text, size) {
                prop_assert_eq!(mapping.nodes.len(), size as usize);
                prop_assert!(mapping.nodes.iter().all(|node| *node < mapping.nodes()));
            }
        }
    }
}
