//! How the processes of a communicator agree on one that is made of it: who is in it, and its number.
//!
//! The number, the context id, is made by one of its processes and sent to the others on the parent.
//! Within a group it goes down a binomial tree. Between groups a process reaches only those of the
//! other one, so it takes two steps:
//!
//! ```text
//!   first group       maker ──1──► all of the second group
//!   second group      its first process ──2──► all others of the first group
//! ```
//!
//! The first group is that whose first process has the lower rank in the job, which both know.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

use cairn_framework::abi::request::Request as View;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::{COLL_ALLGATHER, COLL_BCAST, CollArgs, CollSide};
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use crate::abi::prelude::*;
use crate::objects::comm::CommRef;
use crate::objects::datatype;
use crate::objects::group::Ranks;
use crate::objects::request::{self, RequestRef};
use crate::objects::special::Next;
use crate::runtime::{self, runtime};

/// The tag for the messages of `MPI_Comm_create_group` with the program's tag.
pub fn group_tag(tag: c_int) -> i32 {
    // Below those of `leader_tag`, of which there are as many as tags of the program.
    leader_tag(MPI_TAGS - 1) - 1 - tag
}

/// The tag for the messages between the leaders in `MPI_Intercomm_create` with the program's tag.
pub fn leader_tag(tag: c_int) -> i32 {
    // Those of collective operations are above.
    -MPI_TAGS - 1 - tag
}

/// How many tags a program has.
const MPI_TAGS: i32 = crate::objects::TAG_UB + 1;

/// Processes of a communicator that are to be in a new one, as ranks in their groups.
pub struct Members {
    pub local: Vec<u32>,
    /// Of the remote group, between groups.
    pub remote: Vec<u32>,
}

impl Members {
    /// All of them.
    pub fn all(comm: CommRef) -> Self {
        let remote = if comm.is_inter() { comm.view().remote_size } else { 0 };
        Self { local: (0..comm.size()).collect(), remote: (0..remote).collect() }
    }
}

/// Agrees on the number of a new communicator of these members, of which this process is one.
/// Between groups there is at least one of each.
pub fn agree(parent: CommRef, members: &Members, tag: i32) -> Result<u32> {
    match &parent.remote {
        None => agree_within(parent, &members.local, tag, 0),
        Some(remote) => agree_between(parent, remote, members, tag),
    }
}

/// Agrees on the number of a new communicator of these members of a group. The seal says what it is
/// made for: all have the same one, or a message went astray.
pub fn agree_within(parent: CommRef, members: &[u32], tag: i32, seal: u64) -> Result<u32> {
    let own = parent.rank();
    let place = members.iter().position(|member| *member == own).ok_or_else(|| {
        Error::new(MPI_ERR_INTERN, "a process agrees on a communicator that it is not in")
    })?;
    let seal = [seal as u32, (seal >> 32) as u32];
    let mut words = [0, seal[0], seal[1]];
    let mut step = 1;
    if place == 0 {
        words[0] = runtime().new_context()?;
        step = members.len().next_power_of_two();
    } else {
        while place & step == 0 {
            step <<= 1;
        }
        receive(&mut words, members[place - step], tag, parent)?;
    }
    step >>= 1;
    while step > 0 {
        if let Some(peer) = members.get(place + step) {
            runtime().send(&words_to(words.as_ptr(), words.len(), *peer, tag, parent)?)?;
        }
        step >>= 1;
    }
    if words[1..] != seal {
        let text = "this process and another one make different communicators";
        return Err(Error::new(MPI_ERR_INTERN, text));
    }
    Ok(words[0])
}

fn agree_between(parent: CommRef, remote: &Ranks, members: &Members, tag: i32) -> Result<u32> {
    let (local, others) = (&members.local, &members.remote);
    let leads = local[0] == parent.rank();
    let first = parent.group[local[0] as usize] < remote[others[0] as usize];
    let mut number = 0_u32;
    let told: &[u32] = match (leads, first) {
        (true, true) => {
            number = runtime().new_context()?;
            others
        }
        _ => {
            receive(std::slice::from_mut(&mut number), others[0], tag, parent)?;
            if leads { &others[1..] } else { &[] }
        }
    };
    told.iter()
        .try_for_each(|peer| runtime().send(&number_to(&raw const number, *peer, tag, parent)?))
        .map(|()| number)
}

/// An agreement in the background.
pub struct Agreement {
    /// Where the number is when everything is complete.
    pub number: Box<UnsafeCell<u32>>,
    /// What is under way.
    pub parts: Vec<RequestRef>,
    /// What comes then.
    pub next: Option<Next>,
}

/// Agrees in the background on the number of a duplicate.
pub fn start(parent: CommRef) -> Result<Agreement> {
    let tag = parent.next_tag();
    let number = Box::new(UnsafeCell::new(0_u32));
    let place = number.get();
    let keep = move |view: *mut View| -> RequestRef {
        request::handle(view, parent);
        // SAFETY: started just now.
        unsafe { &*view }
    };
    let send_to = move |ranks: std::ops::Range<u32>| -> Result<Vec<RequestRef>> {
        ranks
            .map(|peer| Ok(keep(runtime().isend(&number_to(place, peer, tag, parent)?)?)))
            .collect()
    };
    let leads = parent.rank() == 0;
    let others = parent.view().remote_size;
    let (makes, told) = match &parent.remote {
        None => (leads, 1..others),
        Some(remote) => (leads && parent.group[0] < remote[0], 0..others),
    };
    if makes {
        // SAFETY: nobody else knows the place.
        unsafe { *place = runtime().new_context()? };
        return Ok(Agreement { number, parts: send_to(told)?, next: None });
    }
    let parts = vec![keep(runtime().irecv(&number_from(place, 0, tag, parent)?)?)];
    let forwards = leads && parent.is_inter();
    let next: Option<Next> = forwards.then(|| Box::new(move || send_to(1..others)) as Next);
    Ok(Agreement { number, parts, next })
}

fn number_to(place: *const u32, peer: u32, tag: i32, comm: CommRef) -> Result<PmlSend> {
    words_to(place, 1, peer, tag, comm)
}

fn number_from(place: *mut u32, peer: u32, tag: i32, comm: CommRef) -> Result<PmlReceive> {
    words_from(place, 1, peer, tag, comm)
}

/// A message of words of 32 bits.
pub fn words_to(
    place: *const u32,
    count: usize,
    peer: u32,
    tag: i32,
    comm: CommRef,
) -> Result<PmlSend> {
    Ok(PmlSend {
        buffer: place.cast(),
        count: count as u64,
        datatype: datatype::of(MPI_UINT32_T)?,
        comm: comm.view(),
        peer,
        tag,
        mode: PML_STANDARD,
        reserved: 0,
    })
}

/// The same, to receive it.
pub fn words_from(
    place: *mut u32,
    count: usize,
    peer: u32,
    tag: i32,
    comm: CommRef,
) -> Result<PmlReceive> {
    Ok(PmlReceive {
        buffer: place.cast(),
        count: count as u64,
        datatype: datatype::of(MPI_UINT32_T)?,
        comm: comm.view(),
        source: peer as i32,
        tag,
    })
}

fn receive(words: &mut [u32], peer: u32, tag: i32, parent: CommRef) -> Result<()> {
    match runtime().recv(&words_from(words.as_mut_ptr(), words.len(), peer, tag, parent)?).0 {
        OK => Ok(()),
        status => Err(runtime::failure("recv", status)),
    }
}

/// What every process gave, by rank.
pub struct Given {
    pub local: Vec<[c_int; 2]>,
    /// Of the remote group, between groups.
    pub remote: Vec<[c_int; 2]>,
}

/// Every process learns what all others give.
pub fn gather(comm: CommRef, own: [c_int; 2]) -> Result<Given> {
    let mut all = vec![[0; 2]; comm.view().remote_size as usize];
    let args = CollArgs {
        send: words((&raw const own).cast_mut().cast(), 2)?,
        receive: words(all.as_mut_ptr().cast(), 2)?,
        ..runtime::no_data(COLL_ALLGATHER)
    };
    // SAFETY: both buffers are as long as the operation says.
    unsafe { comm.run(&args) }?;
    let Some(remote) = &comm.remote else {
        return Ok(Given { local: all, remote: Vec::new() });
    };
    // That was what the others gave. They know what the own group gave, and tell it.
    let mut local = vec![[0; 2]; comm.size() as usize];
    let own_first = comm.group[0] < remote[0];
    for tells_first in [true, false] {
        if own_first == tells_first {
            let root = if comm.rank() == 0 { MPI_ROOT } else { MPI_PROC_NULL };
            bcast(comm, root, all.as_flattened_mut())?;
        } else {
            bcast(comm, 0, local.as_flattened_mut())?;
        }
    }
    Ok(Given { local, remote: all })
}

/// Sends words of 32 bits from a root to all.
pub fn bcast(comm: CommRef, root: c_int, data: &mut [c_int]) -> Result<()> {
    let args = CollArgs {
        receive: words(data.as_mut_ptr().cast(), data.len() as u64)?,
        root,
        ..runtime::no_data(COLL_BCAST)
    };
    // SAFETY: the buffer is as long as the operation says.
    unsafe { comm.run(&args) }
}

fn words(buffer: *mut c_void, count: u64) -> Result<CollSide> {
    Ok(CollSide { buffer, count, datatype: datatype::of(MPI_INT)?, ..runtime::no_data(0).send })
}
