//! What a rank says of its call, and whether what all say fits.

use cairn_framework::frameworks::coll::*;

use crate::calls::coll::apart;
use crate::prelude::*;

/// What is not known alike to all ranks of a group, or matters nothing.
const NONE: i64 = -1;

/// The group of a rank, in messages: its own.
const THIS_GROUP: &str = "of this group";
/// The group that the rank does not belong to.
pub const OTHER_GROUP: &str = "of the other group";

/// What a rank says of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    pub operation: u32,
    /// As the rank gives it, so between groups also `MPI_ROOT` and `MPI_PROC_NULL`.
    root: i64,
    /// Of the vector or of one block; of one that is received where others are sent.
    bytes: i64,
    /// Of one block that is sent, where others are received.
    sent: i64,
    /// The ABI's number of the reduction operation; 0 if the program made it.
    op: i64,
    /// A hash of the counts of a reduce-scatter.
    counts: i64,
    /// Nonblocking operations and persistent requests so far.
    begun: [i64; 2],
    /// Whether blocks that it is to receive lie on each other, which only this rank can know.
    pub overlaps: bool,
}

/// How many words that is in a message.
pub const WORDS: usize = 9;

impl Said {
    pub fn new(comm: CommRef, args: &CollArgs, overlaps: bool) -> Self {
        let [nonblocking, persistent] = comm.begun().map(|number| number as i64);
        let (operation, begun) = (args.operation, [nonblocking, persistent]);
        let mut said = Self {
            operation,
            root: NONE,
            bytes: NONE,
            sent: NONE,
            op: NONE,
            counts: NONE,
            begun,
            overlaps,
        };
        if is_rooted(operation) {
            said.root = args.root.into();
            if !check::takes_part(args.root) {
                return said;
            }
        }
        let at_root = check::at_root(args.root, comm);
        let in_place = args.send.buffer.addr() == MPI_IN_PLACE.addr();
        // SAFETY: a datatype of a side that is significant on this rank.
        let bytes =
            |side: &CollSide| unsafe { side.count.wrapping_mul((*side.datatype).size) as i64 };
        match operation {
            COLL_GATHER if !at_root => said.bytes = bytes(&args.send),
            COLL_SCATTER if at_root => said.bytes = bytes(&args.send),
            COLL_ALLGATHER | COLL_ALLTOALL => {
                said.bytes = bytes(&args.receive);
                said.sent = bytes(if in_place { &args.receive } else { &args.send });
            }
            COLL_BCAST | COLL_GATHER | COLL_SCATTER => said.bytes = bytes(&args.receive),
            COLL_REDUCE | COLL_ALLREDUCE | COLL_SCAN | COLL_EXSCAN => {
                said.bytes = bytes(&args.receive)
            }
            // Groups of several sizes divide one vector.
            COLL_REDUCE_SCATTER_BLOCK => {
                said.bytes = bytes(&args.receive).wrapping_mul(comm.size().into());
            }
            COLL_REDUCE_SCATTER => {
                // SAFETY: a reduce-scatter has a count for each rank of the local group, and a datatype.
                let (counts, size) = unsafe {
                    (
                        apart::array(&args.receive.counts, comm.size() as usize),
                        (*args.receive.datatype).size,
                    )
                };
                let all = counts.iter().fold(0_u64, |all, count| all.wrapping_add(count as u64));
                // FNV-1a over numbers.
                let add =
                    |hash: u64, count: Count| (hash ^ count as u64).wrapping_mul(0x100_0000_01b3);
                said.bytes = all.wrapping_mul(size) as i64;
                said.counts = counts.iter().fold(0xcbf2_9ce4_8422_2325, add) as i64;
            }
            _ => {}
        }
        // SAFETY: the operation of a call that has one.
        said.op = unsafe { args.op.as_ref() }.map_or(NONE, |op| op.predefined.into());
        said
    }

    /// As it travels.
    pub fn words(&self) -> [i64; WORDS] {
        let &Self { operation, root, bytes, sent, op, counts, begun, overlaps } = self;
        let [nonblocking, persistent] = begun;
        let operation = operation.into();
        [operation, root, bytes, sent, op, counts, nonblocking, persistent, overlaps.into()]
    }

    /// What has come.
    pub fn of(words: [i64; WORDS]) -> Self {
        let [operation, root, bytes, sent, op, counts, begun @ .., overlaps] = words;
        let (operation, overlaps) = (operation as u32, overlaps != 0);
        Self { operation, root, bytes, sent, op, counts, begun, overlaps }
    }

    /// The call, and where it matters also how many others there were before.
    fn text(&self, numbers: bool) -> String {
        let mut what: Vec<String> = Vec::new();
        match self.root as c_int {
            _ if !is_rooted(self.operation) => {}
            MPI_ROOT => what.push("root MPI_ROOT".into()),
            MPI_PROC_NULL => what.push("root MPI_PROC_NULL".into()),
            root => what.push(format!("root {root}")),
        }
        let Self { bytes, sent, .. } = self;
        if *sent != NONE && sent != bytes {
            what.push(format!("{sent} bytes to each, {bytes} bytes from each"));
        } else if *bytes != NONE {
            what.push(format!("{bytes} bytes"));
        }
        if self.op > 0 {
            let named = OP_NAMES.iter().find(|(op, _)| op.value() as i64 == self.op);
            what.push(named.map_or("an operation", |(_, name)| *name).to_owned());
        } else if self.op == 0 {
            what.push("an operation of the program".into());
        }
        if self.counts != NONE {
            what.push(format!("counts of the hash {:x}", self.counts));
        }
        let mut text = name(self.operation).to_owned();
        if !what.is_empty() {
            text += &format!(" with {}", what.join(", "));
        }
        if numbers {
            let [begun, made] = self.begun;
            text +=
                &format!(" after {begun} nonblocking operations and {made} persistent requests");
        }
        text
    }
}

/// Fails if the ranks of a group, or of two, do not call what fits; on all of them, and with one class.
pub fn compare(groups: [&[Said]; 2]) -> Result<()> {
    match mistake(groups) {
        Some(class) => Err(Error::new(class, differences(groups))),
        None => Ok(()),
    }
}

/// The class of what does not fit.
fn mistake(groups: [&[Said]; 2]) -> Option<c_int> {
    let [own, others] = groups;
    let between = !others.is_empty();
    let alike = |part: fn(&Said) -> i64| {
        let mut known = groups.into_iter().flatten().map(part).filter(|value| *value != NONE);
        let first = known.next();
        known.all(|value| Some(value) == first)
    };
    // The counts of a reduce-scatter are those of one group.
    let within = |part: fn(&Said) -> i64| {
        groups.iter().all(|group| group.iter().all(|said| part(said) == part(&group[0])))
    };
    // What one group sends the other one receives, which may be other than what it sends.
    let arrives = |from: &[Said], to: &[Said]| {
        let sent = from[0].sent;
        from.iter().all(|said| said.sent == sent) && to.iter().all(|said| said.bytes == sent)
    };
    if !alike(|said| said.operation.into()) {
        return Some(MPI_ERR_OTHER);
    }
    let roots_fit = match between && is_rooted(own[0].operation) {
        true => has_root(own, others) || has_root(others, own),
        false => alike(|said| said.root),
    };
    let counts_fit = match (own[0].sent != NONE, between) {
        (true, true) => arrives(own, others) && arrives(others, own),
        (true, false) => arrives(own, own),
        _ => alike(|said| said.bytes) && within(|said| said.counts),
    };
    if !roots_fit {
        Some(MPI_ERR_ROOT)
    } else if !counts_fit {
        Some(MPI_ERR_COUNT)
    } else if !alike(|said| said.op) {
        Some(MPI_ERR_OP)
    } else if !alike(|said| said.begun[0]) || !alike(|said| said.begun[1]) {
        Some(MPI_ERR_OTHER)
    } else {
        None
    }
}

/// Whether a group has one root, and the other group calls that by its rank (MPI 5.0, section 6.2.3).
fn has_root(group: &[Said], others: &[Said]) -> bool {
    let is_root = |said: &Said| said.root == i64::from(MPI_ROOT);
    let Some(root) = group.iter().position(is_root) else { return false };
    let leave =
        |(rank, said): (usize, &Said)| rank == root || said.root == i64::from(MPI_PROC_NULL);
    group.iter().enumerate().all(leave) && others.iter().all(|said| said.root == root as i64)
}

/// Which ranks call what.
fn differences(groups: [&[Said]; 2]) -> String {
    let begun = groups[0][0].begun;
    let numbers = groups.into_iter().flatten().any(|said| said.begun != begun);
    let mut texts: Vec<String> = Vec::new();
    for (group, of) in groups.into_iter().zip([THIS_GROUP, OTHER_GROUP]) {
        let mut kinds: Vec<(Said, Vec<usize>)> = Vec::new();
        for (rank, said) in group.iter().enumerate() {
            match kinds.iter_mut().find(|(kind, _)| kind == said) {
                Some((_, ranks)) => ranks.push(rank),
                None => kinds.push((*said, vec![rank])),
            }
        }
        let of = (!groups[1].is_empty()).then_some(of);
        let text = |(said, own): &(Said, Vec<usize>)| {
            format!("{}: {}", ranks(own, of), said.text(numbers))
        };
        texts.extend(kinds.iter().map(text));
    }
    format!("the ranks do not call the same (coll_check): {}", texts.join("; "))
}

/// A rank in messages; between groups also in which one it is.
pub fn rank(comm: CommRef, rank: usize, is_other: bool) -> String {
    let group = if is_other { OTHER_GROUP } else { THIS_GROUP };
    ranks(&[rank], comm.is_inter().then_some(group))
}

/// Some ranks, in messages.
pub fn ranks(all: &[usize], group: Option<&str>) -> String {
    /// More are only counted.
    const NAMED: usize = 8;
    let named: Vec<String> = all.iter().take(NAMED).map(usize::to_string).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let rank = if all.len() == 1 { "rank" } else { "ranks" };
    let group = group.map_or_else(String::new, |group| format!(" {group}"));
    format!("{rank} {}{more}{group}", named.join(", "))
}

fn is_rooted(operation: u32) -> bool {
    matches!(
        operation,
        COLL_BCAST | COLL_GATHER | COLL_GATHERV | COLL_SCATTER | COLL_SCATTERV | COLL_REDUCE
    )
}

pub fn name(operation: u32) -> &'static str {
    const NAMES: [&str; COLL_OPERATIONS as usize] = [
        "MPI_Barrier",
        "MPI_Bcast",
        "MPI_Gather",
        "MPI_Gatherv",
        "MPI_Scatter",
        "MPI_Scatterv",
        "MPI_Allgather",
        "MPI_Allgatherv",
        "MPI_Alltoall",
        "MPI_Alltoallv",
        "MPI_Alltoallw",
        "MPI_Reduce",
        "MPI_Allreduce",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
        "MPI_Scan",
        "MPI_Exscan",
        "MPI_Neighbor_allgather",
        "MPI_Neighbor_allgatherv",
        "MPI_Neighbor_alltoall",
        "MPI_Neighbor_alltoallv",
        "MPI_Neighbor_alltoallw",
    ];
    NAMES.get(operation as usize).copied().unwrap_or("an operation")
}
