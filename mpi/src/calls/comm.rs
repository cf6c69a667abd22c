//! Communicators (MPI 5.0, chapter 7).

use std::ffi::{CStr, CString, c_int, c_void};

use cairn_framework::abi::request::Request as View;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::{COLL_ALLGATHER, CollArgs, CollSide};
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlReceive, PmlSend};

use crate::abi::prelude::*;
use crate::hardware;
use crate::objects::comm::{CommRef, Plan, compare, make, of, subgroup};
use crate::objects::group::{self, Ranks};
use crate::objects::info::Pairs;
use crate::objects::request::{self, RequestRef};
use crate::objects::{attributes, bsend, datatype, errhandler, info, special};
use crate::runtime::{self, runtime};

/// Tag of the messages that carry a new communicator's context id on its parent. Those of collectives
/// are above it, those of `MPI_Comm_create_group` below: each tag of the program has its own.
const CONTEXT_TAG: i32 = -(1 << 30);

/// The tag for the messages of `MPI_Comm_create_group` with the program's tag, which is below 2^30.
fn group_tag(tag: c_int) -> i32 {
    CONTEXT_TAG - 1 - tag
}

pub fn comm_rank(comm: Comm, rank: Out<c_int>) -> Result<()> {
    rank.set(of(comm)?.rank() as c_int);
    Ok(())
}

pub fn comm_size(comm: Comm, size: Out<c_int>) -> Result<()> {
    size.set(of(comm)?.size() as c_int);
    Ok(())
}

pub fn comm_remote_size(comm: Comm, size: Out<c_int>) -> Result<()> {
    size.set(inter(comm)?.view().remote_size as c_int);
    Ok(())
}

pub fn comm_test_inter(comm: Comm, flag: Out<c_int>) -> Result<()> {
    flag.set(of(comm)?.is_inter().into());
    Ok(())
}

pub fn comm_group(comm: Comm, group: Out<Group>) -> Result<()> {
    group.set(group::make(of(comm)?.group.clone()));
    Ok(())
}

pub fn comm_remote_group(comm: Comm, group: Out<Group>) -> Result<()> {
    group.set(group::make(inter(comm)?.remote.clone().unwrap_or_default()));
    Ok(())
}

fn inter(comm: Comm) -> Result<CommRef> {
    let found = of(comm)?;
    if found.is_inter() {
        return Ok(found);
    }
    Err(Error::new(MPI_ERR_COMM, "comm is an intracommunicator; an intercommunicator is needed"))
}

fn intra(comm: Comm) -> Result<CommRef> {
    let found = of(comm)?;
    if !found.is_inter() {
        return Ok(found);
    }
    Err(Error::new(MPI_ERR_COMM, "comm is an intercommunicator; an intracommunicator is needed"))
}

/// What is not there yet for intercommunicators.
fn not_inter(comm: Comm, function: &str) -> Result<CommRef> {
    let found = of(comm)?;
    if !found.is_inter() {
        return Ok(found);
    }
    let text = format!("{function} of an intercommunicator is not implemented in this version");
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}

pub fn comm_compare(comm1: Comm, comm2: Comm, result: Out<c_int>) -> Result<()> {
    let (one, other) = (of(comm1)?, of(comm2)?);
    result.set(if std::ptr::eq(one, other) {
        MPI_IDENT
    } else if one.is_inter() != other.is_inter() {
        MPI_UNEQUAL
    } else {
        let local = compare(&one.group, &other.group);
        let remote = match (&one.remote, &other.remote) {
            (Some(one), Some(other)) => compare(one, other),
            _ => MPI_IDENT,
        };
        match (local, remote) {
            (MPI_IDENT, MPI_IDENT) => MPI_CONGRUENT,
            (MPI_UNEQUAL, _) | (_, MPI_UNEQUAL) => MPI_UNEQUAL,
            _ => MPI_SIMILAR,
        }
    });
    Ok(())
}

pub fn comm_get_name(comm: Comm, comm_name: TextOut, resultlen: Out<c_int>) -> Result<()> {
    resultlen.set(match comm {
        MPI_COMM_NULL => comm_name.set("MPI_COMM_NULL"),
        comm => comm_name.set(&of(comm)?.name().to_string_lossy()),
    });
    Ok(())
}

pub fn comm_set_name(comm: Comm, comm_name: &CStr) -> Result<()> {
    let room = MPI_MAX_OBJECT_NAME as usize - 1;
    let bytes = comm_name.to_bytes();
    let name = CString::new(&bytes[..bytes.len().min(room)]).unwrap_or_default();
    of(comm)?.set_name(name);
    Ok(())
}

pub fn comm_get_info(comm: Comm, info_used: Out<Info>) -> Result<()> {
    let pairs = of(comm)?.info.lock().clone();
    info_used.set(info::make(pairs));
    Ok(())
}

pub fn comm_set_info(comm: Comm, info: Info) -> Result<()> {
    of(comm)?.info.lock().take_hints(&info::pairs(info)?);
    Ok(())
}

pub fn comm_free(comm: InOut<Comm>) -> Result<()> {
    let handle = comm.get();
    if handle.is_predefined() {
        return Err(Error::new(MPI_ERR_COMM, "predefined communicators can't be freed"));
    }
    let found = of(handle)?;
    attributes::delete_all(found, handle)?;
    bsend::detach_freed(found)?;
    if !found.is_inter() {
        // All its processes are here, so nobody needs a message of it any more that is on its way.
        // SAFETY: a barrier has no buffers.
        unsafe { found.run(&runtime::no_data(cairn_framework::frameworks::coll::COLL_BARRIER)) }?;
    }
    comm.set(MPI_COMM_NULL);
    crate::objects::comm::free(found);
    Ok(())
}

pub fn comm_dup(comm: Comm, newcomm: Out<Comm>) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_dup")?;
    let hints = parent.info.lock().clone();
    newcomm.set(dup(parent, comm, hints)?);
    Ok(())
}

pub fn comm_dup_with_info(comm: Comm, info: Info, newcomm: Out<Comm>) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_dup_with_info")?;
    let mut hints = Pairs::default();
    hints.take_hints(&info::pairs(info)?);
    newcomm.set(dup(parent, comm, hints)?);
    Ok(())
}

fn dup(parent: CommRef, handle: Comm, hints: Pairs) -> Result<Comm> {
    let context = agree(parent, &all(parent), CONTEXT_TAG)?;
    let new = child(parent, context, parent.group.clone(), hints)?;
    copy_attributes(parent, handle, new)?;
    Ok(handle_of(new))
}

/// Copies the attributes to a duplicate, which is gone if that fails.
fn copy_attributes(parent: CommRef, handle: Comm, new: CommRef) -> Result<()> {
    attributes::copy_all(parent, handle, new).inspect_err(|_| crate::objects::comm::free(new))
}

fn all(comm: CommRef) -> Vec<u32> {
    (0..comm.size()).collect()
}

fn handle_of(comm: CommRef) -> Comm {
    Comm::of(comm.address())
}

/// A communicator of processes of another one, whose error handler it gets.
fn child(parent: CommRef, context: u32, group: Ranks, info: Pairs) -> Result<CommRef> {
    let errhandler = errhandler::share(*parent.errhandler.lock());
    let name = c"".to_owned();
    make(Plan { context, group, remote: None, name, errhandler, info })
}

pub fn comm_idup(comm: Comm, newcomm: Out<Comm>, request: Out<Request>) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_idup")?;
    let hints = parent.info.lock().clone();
    idup(parent, comm, hints, newcomm, request)
}

pub fn comm_idup_with_info(
    comm: Comm,
    info: Info,
    newcomm: Out<Comm>,
    request: Out<Request>,
) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_idup_with_info")?;
    let mut hints = Pairs::default();
    hints.take_hints(&info::pairs(info)?);
    idup(parent, comm, hints, newcomm, request)
}

/// The first process sends the number to all others. The communicator itself is made when the program
/// learns that the operation is complete, before which it may not be used.
fn idup(
    parent: CommRef,
    handle: Comm,
    hints: Pairs,
    newcomm: Out<Comm>,
    request: Out<Request>,
) -> Result<()> {
    let mut context = Box::new(0_u32);
    let place: *mut u32 = &raw mut *context;
    let mut parts: Vec<RequestRef> = Vec::new();
    let mut keep = |view: *mut View| {
        request::handle(view, parent);
        // SAFETY: started just now.
        parts.push(unsafe { &*view });
    };
    if parent.rank() == 0 {
        *context = runtime().new_context()?;
        for peer in 1..parent.size() {
            keep(runtime().isend(&number_to(place, peer, CONTEXT_TAG, parent)?)?);
        }
    } else {
        keep(runtime().irecv(&number_from(place, 0, CONTEXT_TAG, parent)?)?);
    }
    parent.retain();
    let finish = move || {
        let made = child(parent, *context, parent.group.clone(), hints).and_then(|new| {
            copy_attributes(parent, handle, new)?;
            newcomm.set(handle_of(new));
            Ok(())
        });
        parent.release();
        (Status::EMPTY, made)
    };
    request.set(special::several(parts, Box::new(finish)));
    Ok(())
}

fn number_to(place: *const u32, peer: u32, tag: i32, comm: CommRef) -> Result<PmlSend> {
    Ok(PmlSend {
        buffer: place.cast(),
        count: 1,
        datatype: datatype::of(MPI_UINT32_T)?,
        comm: comm.view(),
        peer,
        tag,
        mode: PML_STANDARD,
        reserved: 0,
    })
}

fn number_from(place: *mut u32, peer: u32, tag: i32, comm: CommRef) -> Result<PmlReceive> {
    Ok(PmlReceive {
        buffer: place.cast(),
        count: 1,
        datatype: datatype::of(MPI_UINT32_T)?,
        comm: comm.view(),
        source: peer as i32,
        tag,
    })
}

/// Agrees on the number of a new communicator: the first of `members`, ranks of the parent, makes it,
/// and it reaches the others along a binomial tree. This process is one of them.
fn agree(parent: CommRef, members: &[u32], tag: i32) -> Result<u32> {
    let own = parent.rank();
    let place = members.iter().position(|member| *member == own).ok_or_else(|| {
        Error::new(MPI_ERR_INTERN, "a process agrees on a communicator that it is not in")
    })?;
    let mut number = 0_u32;
    let mut step = 1;
    if place == 0 {
        number = runtime().new_context()?;
        step = members.len().next_power_of_two();
    } else {
        while place & step == 0 {
            step <<= 1;
        }
        receive_number(&mut number, members[place - step], tag, parent)?;
    }
    step >>= 1;
    while step > 0 {
        if let Some(peer) = members.get(place + step) {
            runtime().send(&number_to(&raw const number, *peer, tag, parent)?)?;
        }
        step >>= 1;
    }
    Ok(number)
}

fn receive_number(number: &mut u32, peer: u32, tag: i32, parent: CommRef) -> Result<()> {
    let receive = number_from(number, peer, tag, parent)?;
    match runtime().recv(&receive).0 {
        OK => Ok(()),
        status => Err(runtime::failure("recv", status)),
    }
}

/// Ranks in a communicator of the processes of a group.
fn ranks_in(comm: CommRef, group: &Ranks) -> Result<Vec<u32>> {
    group
        .iter()
        .map(|process| {
            let rank = comm.group.iter().position(|own| own == process);
            rank.map(|rank| rank as u32).ok_or_else(|| {
                let text =
                    format!("the group has process {process} of the job, which is not in comm");
                Error::new(MPI_ERR_GROUP, text)
            })
        })
        .collect()
}

pub fn comm_create(comm: Comm, group: Group, newcomm: Out<Comm>) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_create")?;
    create(parent, group, CONTEXT_TAG, newcomm)
}

pub fn comm_create_group(comm: Comm, group: Group, tag: c_int, newcomm: Out<Comm>) -> Result<()> {
    create(intra(comm)?, group, group_tag(tag), newcomm)
}

/// A communicator of the processes of a group, if this one is among them.
fn create(parent: CommRef, group: Group, tag: i32, newcomm: Out<Comm>) -> Result<()> {
    let group = group::of(group)?;
    let members = ranks_in(parent, &group)?;
    if !members.contains(&parent.rank()) {
        newcomm.set(MPI_COMM_NULL);
        return Ok(());
    }
    let context = agree(parent, &members, tag)?;
    let hints = Pairs::default();
    newcomm.set(handle_of(child(parent, context, group, hints)?));
    Ok(())
}

pub fn comm_split(comm: Comm, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_split")?;
    if color < 0 && color != MPI_UNDEFINED {
        let wanted = "it may not be negative, except for MPI_UNDEFINED";
        return Err(Error::argument(MPI_ERR_ARG, "color", color, wanted));
    }
    split(parent, color, key, newcomm)
}

fn split(parent: CommRef, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    let mut all = gather_pairs(parent, [color, key])?;
    if color == MPI_UNDEFINED {
        newcomm.set(MPI_COMM_NULL);
        return Ok(());
    }
    all.retain(|(_, [other, _])| *other == color);
    // Equal keys are in the order of the ranks.
    all.sort_by_key(|(rank, [_, key])| (*key, *rank));
    let members: Vec<u32> = all.into_iter().map(|(rank, _)| rank).collect();
    let context = agree(parent, &members, CONTEXT_TAG)?;
    let group = subgroup(&parent.group, members);
    newcomm.set(handle_of(child(parent, context, group, Pairs::default())?));
    Ok(())
}

/// What every process gives, by rank.
fn gather_pairs(comm: CommRef, own: [c_int; 2]) -> Result<Vec<(u32, [c_int; 2])>> {
    let mut all = vec![[0; 2]; comm.size() as usize];
    let side = |buffer: *mut c_void| -> Result<CollSide> {
        Ok(CollSide { buffer, count: 2, datatype: datatype::of(MPI_INT)?, ..no_side() })
    };
    let args = CollArgs {
        send: side((&raw const own).cast_mut().cast())?,
        receive: side(all.as_mut_ptr().cast())?,
        ..runtime::no_data(COLL_ALLGATHER)
    };
    // SAFETY: both buffers are as long as the operation says.
    unsafe { comm.run(&args) }?;
    Ok((0..).zip(all).collect())
}

fn no_side() -> CollSide {
    runtime::no_data(COLL_ALLGATHER).send
}

pub fn comm_split_type(
    comm: Comm,
    split_type: c_int,
    key: c_int,
    info: Info,
    newcomm: Out<Comm>,
) -> Result<()> {
    let parent = not_inter(comm, "MPI_Comm_split_type")?;
    let hints = info::pairs(info)?;
    let color = match split_type {
        MPI_UNDEFINED => MPI_UNDEFINED,
        MPI_COMM_TYPE_SHARED => own_node(),
        MPI_COMM_TYPE_HW_GUIDED => match hints.get("mpi_hw_resource_type") {
            // Every process of a node shares its memory and its whole hardware.
            Some("mpi_shared_memory") => own_node(),
            Some(kind) => hardware::instance(kind).map_or(MPI_UNDEFINED, on_node),
            None => MPI_UNDEFINED,
        },
        MPI_COMM_TYPE_RESOURCE_GUIDED => match hints.get("mpi_hw_resource_type") {
            Some("mpi_shared_memory") => own_node(),
            _ => MPI_UNDEFINED,
        },
        // The next smaller resource than all of the communicator's: the node, if that is smaller.
        MPI_COMM_TYPE_HW_UNGUIDED => {
            let nodes = gather_pairs(parent, [own_node(), 0])?;
            let same = nodes.iter().all(|(_, [node, _])| *node == own_node());
            if same { MPI_UNDEFINED } else { own_node() }
        }
        other => {
            let text = "it must be one of the MPI_COMM_TYPE constants";
            return Err(Error::argument(MPI_ERR_ARG, "split_type", other, text));
        }
    };
    split(parent, color, key, newcomm)
}

/// The number of an instance of a resource of this process's node, by its first processor.
fn on_node(processor: u32) -> c_int {
    const PROCESSORS: c_int = 1 << 13;
    own_node() * PROCESSORS + processor as c_int
}

/// The number of this process's node.
fn own_node() -> c_int {
    let system = runtime().system;
    let peer = system.peer(system.job().rank).expect("this process is in the job");
    // SAFETY: peers are never freed.
    unsafe { (*peer).node as c_int }
}
