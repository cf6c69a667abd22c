//! Communicators of processes that have none in common yet (MPI 5.0, sections 7.4.2 and 7.6.2).
//!
//! Their messages go over a communicator of all processes of the job that no program sees, with a tag
//! made of the program's string and the group, and they carry a seal of both: what is made at the same
//! time in other threads is not mixed up, or at least noticed.

use std::ffi::{CStr, c_int};

use super::agree::{self, agree_within};
use super::inter::{Meeting, connect};
use crate::life;
use crate::objects::comm::{CommRef, Plan, free, make};
use crate::objects::errhandler::{self, Function};
use crate::objects::group::GroupBody;
use crate::objects::info::Pairs;
use crate::prelude::*;
use crate::runtime::runtime;

pub fn comm_create_from_group(
    group: GroupBody,
    stringtag: &CStr,
    info: InfoRef,
    errhandler: ErrhandlerRef,
    newcomm: Out<Comm>,
) -> Result<()> {
    if group.ranks.is_empty() {
        newcomm.set(MPI_COMM_NULL);
        return Ok(());
    }
    let made = from_group(group, Stringtag::of(stringtag, 0)?, errhandler, info.pairs())?;
    newcomm.set(made.handle());
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn intercomm_create_from_groups(
    local_group: GroupBody,
    local_leader: c_int,
    remote_group: Group,
    remote_leader: c_int,
    stringtag: &CStr,
    info: InfoRef,
    errhandler: ErrhandlerRef,
    newintercomm: Out<Comm>,
) -> Result<()> {
    let group = local_group;
    let leader = usize::try_from(local_leader).ok().filter(|rank| *rank < group.ranks.len());
    let leader = leader.ok_or_else(|| {
        let size = format!("local_group has {} processes", group.ranks.len());
        Error::argument(MPI_ERR_RANK, "local_leader", local_leader, size)
    })?;
    let tag = Stringtag::of(stringtag, 1)?;
    let hints = info.pairs();
    // The two groups have nothing but the string in common.
    let between = agree::leader_tag(tag.tag());
    let leads = group.ranks[leader] == runtime().system.job().rank;
    let local = from_group(group, tag, errhandler, Pairs::default())?;
    let meeting = leads.then(|| {
        let remote = check::group("remote_group", remote_group)?.ranks;
        let rank = usize::try_from(remote_leader).ok().and_then(|rank| remote.get(rank));
        let leader = *rank.ok_or_else(|| {
            let size = format!("remote_group has {} processes", remote.len());
            Error::argument(MPI_ERR_RANK, "remote_leader", remote_leader, size)
        })?;
        Ok(Meeting { comm: life::all_processes()?, leader, tag: between })
    });
    let made = connect(local, leader as c_int, meeting, hints);
    free(local);
    newintercomm.set(made?.handle());
    Ok(())
}

/// A communicator of the processes of a group, of which this process is one.
fn from_group(
    group: GroupBody,
    tag: Stringtag,
    errhandler: ErrhandlerRef,
    info: Pairs,
) -> Result<CommRef> {
    let errhandler = errhandler.for_class(|function| matches!(function, Function::Comm(_)))?;
    let own = runtime().system.job().rank;
    if !group.ranks.contains(&own) {
        return Err(Error::new(MPI_ERR_GROUP, "this process is not in the group"));
    }
    let tag = group.ranks.iter().fold(tag, |tag, rank| tag.with(&rank.to_le_bytes()));
    let all = life::all_processes()?;
    let context = agree_within(all, &group.ranks, agree::group_tag(tag.tag()), tag.0)?;
    make(Plan {
        context,
        group: group.ranks,
        remote: None,
        session: group.session,
        name: c"".to_owned(),
        errhandler: errhandler::share(errhandler),
        info,
        topology: None,
    })
}

/// What a string of the program, and what is made with it, becomes on its way (FNV-1a, 64 bits).
#[derive(Clone, Copy)]
struct Stringtag(u64);

impl Stringtag {
    /// Of a string and a number for the function.
    fn of(text: &CStr, function: u8) -> Result<Self> {
        let length = text.count_bytes();
        if length >= MPI_MAX_STRINGTAG_LEN as usize {
            let room = format!("there is room for {}", MPI_MAX_STRINGTAG_LEN - 1);
            return Err(Error::argument(MPI_ERR_ARG, "the length of stringtag", length, room));
        }
        Ok(Self(0xcbf2_9ce4_8422_2325).with(&[function]).with(text.to_bytes_with_nul()))
    }

    fn with(self, bytes: &[u8]) -> Self {
        Self(
            bytes
                .iter()
                .fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// A tag as programs have them. Its bits are not those that the seal has alone.
    fn tag(self) -> c_int {
        (self.0 >> 32) as c_int & crate::objects::TAG_UB
    }
}
