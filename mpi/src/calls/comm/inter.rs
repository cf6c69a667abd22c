//! Intercommunicators: making them of two groups, and one group of them (MPI 5.0, section 7.6).

use std::ffi::c_int;

use cairn_framework::abi::comm::ContextId;

use super::agree::{self, Members, agree, context_of, found, words_of};
use super::related::{Properties, inter_only, intra_only, ranks_in, related};
use super::words::{bcast, gather, swap};
use crate::objects::comm::of;
use crate::objects::group::Ranks;
use crate::objects::info::Pairs;
use crate::prelude::*;
use crate::runtime::runtime;

pub fn intercomm_create(
    local_comm: CommRef,
    local_leader: c_int,
    peer_comm: Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: Out<Comm>,
) -> Result<()> {
    let local = intra_only(local_comm)?;
    let leads = local.rank() as c_int == local_leader;
    let meeting = leads.then(|| {
        let comm = of(peer_comm)?;
        let peers = comm.view().remote_size;
        let leader = u32::try_from(remote_leader).ok().filter(|rank| *rank < peers);
        let leader = leader.ok_or_else(|| {
            let ranks = format!("the ranks of peer_comm are 0 to {}", peers - 1);
            Error::argument(MPI_ERR_RANK, "remote_leader", remote_leader, ranks)
        })?;
        Ok(Meeting { comm, leader, tag: agree::leader_tag(tag) })
    });
    let made = connect(local, local_leader, meeting, Pairs::default())?;
    newintercomm.set(made.handle());
    Ok(())
}

/// Where a leader meets that of the other group.
pub struct Meeting {
    /// A communicator that both are in.
    pub comm: CommRef,
    /// The rank of the other leader there.
    pub leader: u32,
    /// The tag of their messages.
    pub tag: i32,
}

/// Makes an intercommunicator of a communicator and another one. The leader knows where it meets that
/// of the other, or why it can't.
pub fn connect(
    local: CommRef,
    local_leader: c_int,
    meeting: Option<Result<Meeting>>,
    hints: Pairs,
) -> Result<CommRef> {
    // What the leaders have agreed on, or the leader's error: the others wait for either.
    let met = meeting.map(|meeting| meet(local, &meeting?));
    let mut head = match &met {
        Some(Ok(Met { context, remote })) => {
            let [maker, low, high] = words_of(*context).map(u32::cast_signed);
            [MPI_SUCCESS, maker, low, high, remote.len() as c_int]
        }
        Some(Err(error)) => [error.code(), 0, 0, 0, 0],
        None => [0; 5],
    };
    bcast(local, local_leader, &mut head)?;
    let [code, context @ .., size] = head;
    let mut remote = match met {
        Some(met) => met?.remote,
        None if code != MPI_SUCCESS => {
            let text = "the leader of this group found an error";
            return Err(Error::new(code, text));
        }
        None => vec![0; size as usize],
    };
    bcast(local, local_leader, &mut remote)?;
    let remote: Ranks = remote.into_iter().map(c_int::cast_unsigned).collect();
    let context = context_of(context.map(c_int::cast_unsigned));
    related(local, context, local.group.clone(), Some(remote), hints.into())
}

/// What the leaders of two groups agree on.
struct Met {
    context: ContextId,
    /// The processes of the other group: their ranks in the job.
    remote: Vec<c_int>,
}

/// Talks to the leader of the other group.
fn meet(local: CommRef, meeting: &Meeting) -> Result<Met> {
    let Meeting { comm: peer, leader: to, tag } = *meeting;
    let other = peer.remote.as_ref().unwrap_or(&peer.group)[to as usize];
    let own = local.group[local.rank() as usize];
    // Of the two the one with the lower rank in the job makes the context id.
    let context = (own < other).then(|| runtime().new_context());
    let [maker, low, high] = context.map_or([0; 3], words_of);
    let mut theirs = [0; 4];
    swap(peer, tag, (to, &[maker, low, high, local.size()]), (to, &mut theirs))?;
    let [words @ .., size] = theirs;
    let mut remote = vec![0; size as usize];
    swap(peer, tag, (to, &local.group), (to, &mut remote))?;
    if let Some(both) = remote.iter().find(|process| local.group.contains(process)) {
        let text = format!("process {both} of the job is in both groups");
        return Err(Error::new(MPI_ERR_COMM, text));
    }
    let context = context.unwrap_or_else(|| context_of(words));
    Ok(Met { context, remote: remote.into_iter().map(u32::cast_signed).collect() })
}

pub fn intercomm_merge(intercomm: CommRef, high: c_int, newintracomm: Out<Comm>) -> Result<()> {
    let parent = inter_only(intercomm)?;
    let given = gather(parent, [(high != 0).into(), 0])?;
    let tag = parent.next_tag();
    let highs = [&given.local, &given.remote].map(|group| group[0][0] != 0);
    let same = |group: &[[c_int; 2]]| group.iter().all(|other| *other == group[0]);
    if !same(&given.local) || !same(&given.remote) {
        let text = "the processes of a group differ in the argument high";
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    let remote = parent.remote.clone().unwrap_or_default();
    let own_first = match highs {
        [false, true] => true,
        [true, false] => false,
        _ => parent.group[0] < remote[0],
    };
    let context = agree(parent, &Members::all(parent), tag)?;
    let (low, high) = if own_first { (&parent.group, &remote) } else { (&remote, &parent.group) };
    let group: Ranks = low.iter().chain(high.iter()).copied().collect();
    let made = related(parent, context, group, None, Properties::default())?;
    newintracomm.set(made.handle());
    Ok(())
}

/// `MPI_Comm_create` of an intercommunicator: each group names those of it that are to be in the new
/// one.
pub fn create(parent: CommRef, group: GroupBody, newcomm: Out<Comm>) -> Result<()> {
    // Instead of a place in the new communicator.
    const NOT_THERE: c_int = -1;
    const WRONG: c_int = -2;
    let local = ranks_in(parent, &group.ranks);
    let place = match &local {
        Ok(local) => local.iter().position(|rank| *rank == parent.rank()),
        Err(_) => None,
    };
    let place = place.map_or(if local.is_ok() { NOT_THERE } else { WRONG }, |at| at as c_int);
    let given = gather(parent, [place, 0])?;
    let tag = parent.next_tag();
    let local = local?;
    if given.local.iter().chain(&given.remote).any(|[place, _]| *place == WRONG) {
        let text = "another process gave a group with processes that are not in its local group";
        return Err(Error::new(MPI_ERR_GROUP, text));
    }
    let mut remote: Vec<(c_int, u32)> =
        (0..).zip(given.remote).map(|(rank, [place, _])| (place, rank)).collect();
    remote.retain(|(place, _)| *place >= 0);
    remote.sort_unstable();
    let remote = remote.into_iter().map(|(_, rank)| rank).collect();
    newcomm.set(found(parent, &Members { local, remote }, tag, Properties::default())?);
    Ok(())
}
