//! How the ranks of a communicator tell each other: words, straight from each to each.

use std::cell::Cell;
use std::time::{Duration, Instant};

use cairn_framework::abi::request::Request as View;
use cairn_framework::abi::status::OK;
use cairn_framework::author::BYTES;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use super::said;
use crate::error::failure;
use crate::prelude::*;
use crate::runtime::runtime;

/// After so long a rank says whom it waits for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Stands for what a rank of the own group should have said to the other group, but did not.
const LOST: i64 = i64::MIN;

/// What all ranks of the own group say, and those of the other group; the latter are none within one group. Whoever waits
/// for long says in which operation.
pub fn everyone<const N: usize>(
    comm: CommRef,
    own: [i64; N],
    operation: Option<u32>,
) -> Result<[Vec<[i64; N]>; 2]> {
    let peers = comm.peers();
    let told = (0..peers).filter(|peer| !is_own(comm, *peer));
    let mut theirs = vec![if comm.is_inter() { [LOST; N] } else { own }; peers];
    let receives = theirs.iter_mut().enumerate().filter(|(peer, _)| !is_own(comm, *peer));
    let receives = receives.map(|(peer, words)| (peer, &mut words[..]));
    let heard = exchange(comm, told.map(|peer| (peer, &own[..])), receives, operation);
    if !comm.is_inter() {
        return heard.map(|()| [theirs, Vec::new()]);
    }
    // A rank reaches only the other group, whose first rank says what it heard. It does so also where it has not heard
    // all, because it is waited for.
    let mut ours = vec![own; comm.size() as usize];
    let tells = if comm.rank() == 0 { peers } else { 0 };
    let sends = (0..tells).map(|peer| (peer, theirs.as_flattened()));
    let told = exchange(comm, sends, [(0, ours.as_flattened_mut())], None);
    heard.and(told)?;
    if let Some(rank) = ours.iter().position(|words| words.contains(&LOST)) {
        let text = format!("the other group did not hear what rank {rank} calls (coll_check)");
        return Err(Error::new(MPI_ERR_PROC_ABORTED, text));
    }
    Ok([ours, theirs])
}

/// Sends words to each rank and gets some from each, as many as there is room for. None are sent where none are
/// expected; those for this rank itself are copied.
pub fn swap(comm: CommRef, sent: &[Vec<i64>], come: &mut [Vec<i64>]) -> Result<()> {
    let own = comm.rank() as usize;
    if !comm.is_inter() {
        come[own].clone_from(&sent[own]);
    }
    let goes = |peer: usize, words: &[i64]| !is_own(comm, peer) && !words.is_empty();
    let sends = sent.iter().enumerate().map(|(peer, words)| (peer, &words[..]));
    let receives = come.iter_mut().enumerate().map(|(peer, words)| (peer, &mut words[..]));
    let sends = sends.filter(|(peer, words)| goes(*peer, words));
    exchange(comm, sends, receives.filter(|(peer, words)| goes(*peer, words)), None)
}

/// Whether that is this rank.
fn is_own(comm: CommRef, peer: usize) -> bool {
    !comm.is_inter() && peer == comm.rank() as usize
}

/// Sends words to other ranks and receives some, all at a time. Every rank calls it as often as the others.
fn exchange<'a>(
    comm: CommRef,
    sends: impl Iterator<Item = (usize, &'a [i64])>,
    receives: impl IntoIterator<Item = (usize, &'a mut [i64])>,
    operation: Option<u32>,
) -> Result<()> {
    let (view, tag, datatype) = (comm.view(), comm.next_tag(), &BYTES);
    // The requests of receives, by rank, and those of sends. What can't be started keeps no rank from hearing the rest.
    let mut started: [Vec<(usize, *mut View)>; 2] = Default::default();
    let mut result = Ok(());
    let mut keep = |requests: &mut Vec<_>, peer, request: Result<*mut View>| match request {
        Ok(request) => requests.push((peer, request)),
        Err(error) if result.is_ok() => result = Err(error),
        Err(_) => {}
    };
    for (peer, words) in receives {
        let (buffer, count) = (words.as_mut_ptr().cast(), size_of_val(words) as u64);
        let receive = PmlReceive { buffer, count, datatype, comm: view, source: peer as i32, tag };
        keep(&mut started[0], peer, runtime().irecv(&receive));
    }
    for (peer, words) in sends {
        let (buffer, count) = (words.as_ptr().cast(), size_of_val(words) as u64);
        let (mode, reserved) = (PML_STANDARD, 0);
        let to = peer as u32;
        let send = PmlSend { buffer, count, datatype, comm: view, peer: to, tag, mode, reserved };
        keep(&mut started[1], peer, runtime().isend(&send));
    }
    // What was started leads to words of the caller, so there is no way back before all of it is complete.
    wait(comm, &started, operation);
    for (_, request) in started.into_iter().flatten() {
        // SAFETY: it is complete, and given back once.
        let status = unsafe {
            let status = (*request).status.error;
            if let Some(free) = (*request).free {
                free(request);
            }
            status
        };
        if status != OK && result.is_ok() {
            result = Err(failure("recv", status));
        }
    }
    result
}

/// Waits for requests of receives and sends, which live until then.
fn wait(comm: CommRef, started: &[Vec<(usize, *mut View)>; 2], operation: Option<u32>) {
    // SAFETY: requests that nobody has given back yet.
    let is_missing = |part: &&(usize, *mut View)| unsafe { !(*part.1).is_complete() };
    let [receives, sends] = started;
    let (since, told) = (Instant::now(), Cell::new(operation.is_none()));
    runtime().progress_while(|| {
        let waits = receives.iter().chain(sends).any(|part| is_missing(&part));
        if let (true, Some(operation), false) = (waits, operation, told.get())
            && since.elapsed() > PATIENCE
        {
            told.set(true);
            let missing: Vec<usize> = receives.iter().filter(is_missing).map(|(peer, _)| *peer).collect();
            let (rank, name) = (comm.rank(), said::name(operation));
            let missing = said::ranks(&missing, comm.is_inter().then_some(said::OTHER_GROUP));
            eprintln!(
                "cairn: rank {rank} waits in {name} on {:?} for {missing}, which called no blocking collective operation \
                 there (coll_check)",
                comm.name()
            );
        }
        waits
    });
}
