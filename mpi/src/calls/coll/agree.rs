//! Whether the processes of a group call the same collective operation (`coll_check`): each says what it calls
//! before it runs a blocking one, and all compare.
//!
//! ```text
//!   each rank: operation, root, bytes, op … ─► all to all ─► all alike? ─┬─► yes, and blocks of several sizes:
//!                                                                        │   bytes by pair ─► alltoall, allgather
//!                                                                        └─► no: the same error on every rank
//! ```
//!
//! The first exchange goes straight from each to each, so that a rank knows whom it waits for, and says so after
//! a while. The others are collective operations themselves. All ranks run them, whatever they were called with. A
//! nonblocking operation must not wait for others, so it is only counted, and the next blocking one compares the
//! numbers. Between groups nothing is compared.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::request::Request as View;
use cairn_framework::abi::status::OK;
use cairn_framework::author::BYTES;
use cairn_framework::frameworks::coll::*;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};
use cairn_mpi_params as params;

use super::apart;
use crate::error::failure;
use crate::prelude::*;
use crate::runtime::{no_data, runtime};

/// Whether calls are compared. Asked for each call, so it is looked up once.
#[inline]
pub fn wanted() -> bool {
    /// 0 before that, then 1 for no and 2 for yes.
    static WANTED: AtomicU8 = AtomicU8::new(0);
    match WANTED.load(Ordering::Relaxed) {
        0 => {
            let wanted = params::flag(runtime().system, params::PARAM_COLL_CHECK);
            WANTED.store(1 + u8::from(wanted), Ordering::Relaxed);
            wanted
        }
        known => known == 2,
    }
}

/// What a rank says of its call; what is not known alike to all ranks is -1.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    operation: i64,
    root: i64,
    /// Of the vector or of one block.
    bytes: i64,
    /// The ABI's number of the reduction operation; 0 if the program made it.
    op: i64,
    /// A hash of the counts of a reduce-scatter.
    counts: i64,
    /// Nonblocking operations and persistent requests so far.
    nonblocking: i64,
    persistent: i64,
    /// Whether blocks that it is to receive lie on each other, which only this rank can know.
    overlaps: i64,
}

/// It travels as bytes.
const _: () = assert!(size_of::<Said>() == size_of::<[i64; 8]>());

/// After so long a rank says whom it waits for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Compares a call that is about to be run with those of the other ranks.
#[cold]
pub fn check(comm: CommRef, args: &CollArgs) -> Result<()> {
    let overlap = overlapping(comm, args);
    if comm.is_inter() {
        return overlap;
    }
    let own = Said { overlaps: overlap.is_err().into(), ..said(comm, args) };
    let ranks = comm.size() as usize;
    let mut all = vec![own; ranks];
    meet(comm, &own, &mut all)?;
    let overlaps = all.iter().position(|said| said.overlaps != 0);
    all.iter_mut().for_each(|said| said.overlaps = 0);
    if let Some(other) = all.iter().find(|said| **said != all[0]) {
        return Err(Error::new(class(&all[0], other), differences(&all)));
    }
    match (overlap, overlaps) {
        (Ok(()), None) => blocks(comm, args, ranks),
        (Ok(()), Some(rank)) => {
            let name = name(args.operation);
            let text =
                format!("the blocks that rank {rank} is to receive overlap in {name} (coll_check)");
            Err(Error::new(MPI_ERR_BUFFER, text))
        }
        (mistake, _) => mistake,
    }
}

/// Each rank tells each what it calls.
fn meet(comm: CommRef, own: &Said, all: &mut [Said]) -> Result<()> {
    let (tag, rank, len) = (comm.next_tag(), comm.rank() as usize, size_of::<Said>() as u64);
    let places = all.as_mut_ptr();
    // The requests of receives, by rank, and those of sends.
    let mut started: [Vec<(usize, *mut View)>; 2] = Default::default();
    let mut start = || -> Result<()> {
        for peer in (0..all.len()).filter(|peer| *peer != rank) {
            // SAFETY: there is a place for each rank.
            let buffer = unsafe { places.add(peer) }.cast();
            let (source, datatype) = (peer as i32, &BYTES);
            let comm = comm.view();
            let receive = PmlReceive { buffer, count: len, datatype, comm, source, tag };
            started[0].push((peer, runtime().irecv(&receive)?));
            let (buffer, peer_rank) = (std::ptr::from_ref(own).cast(), peer as u32);
            let send = PmlSend {
                buffer,
                count: len,
                datatype,
                comm,
                peer: peer_rank,
                tag,
                mode: PML_STANDARD,
                reserved: 0,
            };
            started[1].push((peer, runtime().isend(&send)?));
        }
        Ok(())
    };
    let mut result = start();
    // SAFETY: requests that are given back below.
    let is_missing = |part: &&(usize, *mut View)| unsafe { !(*part.1).is_complete() };
    let (since, told) = (Instant::now(), Cell::new(false));
    // What was started leads here, so there is no way back before all of it is complete.
    runtime().progress_while(|| {
        let [receives, sends] = &started;
        let waits = receives.iter().chain(sends).any(|part| is_missing(&part));
        if waits && !told.get() && since.elapsed() > PATIENCE {
            told.set(true);
            let missing: Vec<usize> = receives.iter().filter(is_missing).map(|(peer, _)| *peer).collect();
            let (name, text) = (name(own.operation as u32), ranks(&missing));
            eprintln!(
                "cairn: rank {rank} waits in {name} on {:?} for {text}, which called no blocking collective operation \
                 there (coll_check)",
                comm.name()
            );
        }
        waits
    });
    for (_, view) in started.iter().flatten() {
        // SAFETY: it is complete, and given back once.
        let status = unsafe {
            let status = (**view).status.error;
            if let Some(free) = (**view).free {
                free(*view);
            }
            status
        };
        if status != OK && result.is_ok() {
            result = Err(failure("recv", status));
        }
    }
    result
}

/// Whether a block that is received lies on another one.
pub fn overlapping(comm: CommRef, args: &CollArgs) -> Result<()> {
    let blocks = match args.operation {
        COLL_GATHERV if comm.is_inter() => args.root == MPI_ROOT,
        COLL_GATHERV => args.root == comm.rank() as c_int,
        COLL_ALLGATHERV | COLL_ALLTOALLV | COLL_ALLTOALLW => true,
        _ => false,
    };
    if !blocks {
        return Ok(());
    }
    match apart::received_twice(args, comm.view().remote_size as usize) {
        None => Ok(()),
        Some([one, other]) => {
            let text = format!("what is received from rank {one} and from rank {other} overlaps");
            Err(Error::new(MPI_ERR_BUFFER, text))
        }
    }
}

fn said(comm: CommRef, args: &CollArgs) -> Said {
    let own_root = args.root == comm.rank() as c_int;
    let rooted = matches!(
        args.operation,
        COLL_BCAST | COLL_GATHER | COLL_GATHERV | COLL_SCATTER | COLL_SCATTERV | COLL_REDUCE
    );
    // SAFETY: a datatype of a side that is significant on this rank.
    let bytes = |side: &CollSide| unsafe { side.count.wrapping_mul((*side.datatype).size) as i64 };
    let bytes = match args.operation {
        COLL_GATHER if !own_root => bytes(&args.send),
        COLL_SCATTER if own_root => bytes(&args.send),
        COLL_BCAST | COLL_GATHER | COLL_SCATTER | COLL_ALLGATHER | COLL_ALLTOALL => {
            bytes(&args.receive)
        }
        COLL_REDUCE | COLL_ALLREDUCE | COLL_REDUCE_SCATTER_BLOCK | COLL_SCAN | COLL_EXSCAN => {
            bytes(&args.receive)
        }
        _ => -1,
    };
    // SAFETY: the operation of a call that has one.
    let op = unsafe { args.op.as_ref() }.map_or(-1, |op| op.predefined.into());
    let counts = match args.operation {
        COLL_REDUCE_SCATTER => {
            // SAFETY: a reduce-scatter has a count for each rank.
            let counts = unsafe { apart::array(&args.receive.counts, comm.size() as usize) };
            // FNV-1a over numbers.
            let add = |hash: u64, count: Count| (hash ^ count as u64).wrapping_mul(0x100_0000_01b3);
            counts.iter().fold(0xcbf2_9ce4_8422_2325, add) as i64
        }
        _ => -1,
    };
    let [nonblocking, persistent] = comm.begun().map(|number| number as i64);
    let root = if rooted { args.root.into() } else { -1 };
    let operation = args.operation.into();
    Said { operation, root, bytes, op, counts, nonblocking, persistent, overlaps: 0 }
}

/// The class of the first difference.
fn class(one: &Said, other: &Said) -> c_int {
    if one.operation != other.operation {
        MPI_ERR_OTHER
    } else if one.root != other.root {
        MPI_ERR_ROOT
    } else if one.bytes != other.bytes || one.counts != other.counts {
        MPI_ERR_COUNT
    } else if one.op != other.op {
        MPI_ERR_OP
    } else {
        MPI_ERR_OTHER
    }
}

/// Some ranks, for messages.
fn ranks(all: &[usize]) -> String {
    /// More are only counted.
    const NAMED: usize = 8;
    let named: Vec<String> = all.iter().take(NAMED).map(usize::to_string).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let rank = if all.len() == 1 { "rank" } else { "ranks" };
    format!("{rank} {}{more}", named.join(", "))
}

/// Which ranks call what.
fn differences(all: &[Said]) -> String {
    let mut kinds: Vec<(Said, Vec<usize>)> = Vec::new();
    for (rank, said) in all.iter().enumerate() {
        match kinds.iter_mut().find(|(kind, _)| kind == said) {
            Some((_, ranks)) => ranks.push(rank),
            None => kinds.push((*said, vec![rank])),
        }
    }
    let numbers = all
        .iter()
        .any(|said| (said.nonblocking, said.persistent) != (all[0].nonblocking, all[0].persistent));
    let kind = |(said, own): &(Said, Vec<usize>)| format!("{}: {}", ranks(own), said.text(numbers));
    let kinds: Vec<String> = kinds.iter().map(kind).collect();
    format!("the ranks do not call the same (coll_check): {}", kinds.join("; "))
}

impl Said {
    fn text(&self, numbers: bool) -> String {
        let mut text = name(self.operation as u32).to_owned();
        let mut add = |what: String| {
            text += if text.contains(" with ") { ", " } else { " with " };
            text += &what;
        };
        if self.root >= 0 {
            add(format!("root {}", self.root));
        }
        if self.bytes >= 0 {
            add(format!("{} bytes", self.bytes));
        }
        if self.op > 0 {
            let named = OP_NAMES.iter().find(|(op, _)| op.value() as i64 == self.op);
            add(named.map_or("an operation", |(_, name)| *name).to_owned());
        } else if self.op == 0 {
            add("an operation of the program".into());
        }
        if self.operation == i64::from(COLL_REDUCE_SCATTER) {
            add(format!("counts of the hash {:x}", self.counts));
        }
        if numbers {
            let (begun, made) = (self.nonblocking, self.persistent);
            text +=
                &format!(" after {begun} nonblocking operations and {made} persistent requests");
        }
        text
    }
}

/// Compares what is sent with what is received, for operations with counts by block.
fn blocks(comm: CommRef, args: &CollArgs, ranks: usize) -> Result<()> {
    let rank = comm.rank() as usize;
    let own_root = args.root == rank as c_int;
    let in_place = args.send.buffer.addr() == MPI_IN_PLACE.addr();
    // SAFETY: sides that are significant on this rank, with counts and types for each rank.
    let bytes = |side: &CollSide, block| unsafe { apart::bytes(side, ranks, block) as i64 };
    let (sent, expected): (Vec<i64>, Vec<i64>) = (0..ranks)
        .map(|peer| match args.operation {
            _ if peer == rank => (0, 0),
            COLL_GATHERV => {
                let sends = peer as c_int == args.root;
                let sent = if sends { bytes(&args.send, 0) } else { 0 };
                (sent, if own_root { bytes(&args.receive, peer) } else { 0 })
            }
            COLL_SCATTERV => {
                let receives = peer as c_int == args.root;
                let expected = if receives { bytes(&args.receive, 0) } else { 0 };
                (if own_root { bytes(&args.send, peer) } else { 0 }, expected)
            }
            COLL_ALLGATHERV => {
                let own = if in_place { bytes(&args.receive, rank) } else { bytes(&args.send, 0) };
                (own, bytes(&args.receive, peer))
            }
            COLL_ALLTOALLV | COLL_ALLTOALLW => {
                let side = if in_place { &args.receive } else { &args.send };
                (bytes(side, peer), bytes(&args.receive, peer))
            }
            _ => (0, 0),
        })
        .unzip();
    if !matches!(
        args.operation,
        COLL_GATHERV | COLL_SCATTERV | COLL_ALLGATHERV | COLL_ALLTOALLV | COLL_ALLTOALLW
    ) {
        return Ok(());
    }
    let mut come = vec![0i64; ranks];
    exchange(comm, COLL_ALLTOALL, sent.as_ptr().cast(), come.as_mut_ptr().cast(), 1)?;
    let wrong = (0..ranks).find(|peer| come[*peer] != expected[*peer]);
    let own = wrong.map_or([-1, 0, 0], |peer| [peer as i64, come[peer], expected[peer]]);
    let mut all = vec![own; ranks];
    exchange(comm, COLL_ALLGATHER, own.as_ptr().cast(), all.as_mut_ptr().cast(), 3)?;
    let Some((rank, [peer, sent, expected])) =
        all.iter().enumerate().find(|(_, [peer, ..])| *peer >= 0)
    else {
        return Ok(());
    };
    let name = name(args.operation);
    let text = format!(
        "the ranks do not call the same (coll_check): in {name} rank {rank} is to receive {expected} bytes from \
         rank {peer}, which sends {sent}"
    );
    Err(Error::new(MPI_ERR_COUNT, text))
}

/// Runs an exchange of so many numbers for each rank.
fn exchange(
    comm: CommRef,
    operation: u32,
    from: *const c_void,
    to: *mut c_void,
    count: u64,
) -> Result<()> {
    let datatype = DatatypeRef::of(MPI_INT64_T)?.view();
    let side = |buffer| CollSide { buffer, count, datatype, ..no_data(0).send };
    let args = CollArgs { send: side(from.cast_mut()), receive: side(to), ..no_data(operation) };
    // SAFETY: the buffers are as long as the operation says.
    unsafe { comm.run(&args) }
}

fn name(operation: u32) -> &'static str {
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
