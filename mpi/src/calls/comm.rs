//! Communicators (MPI 5.0, chapter 7).

use std::ffi::{CStr, CString, c_int};

use cairn_framework::abi::comm::ContextId;

mod agree;
mod from_group;
mod inter;

use crate::abi::prelude::*;
use crate::hardware;
use crate::objects::comm::{CommRef, Plan, compare, make, of, subgroup};
use crate::objects::group::{self, Ranks};
use crate::objects::info::Pairs;
use crate::objects::{attributes, bsend, errhandler, info, special};
use crate::runtime::runtime;
use agree::{Members, agree, gather};
pub use from_group::{comm_create_from_group, intercomm_create_from_groups};
pub use inter::{intercomm_create, intercomm_merge};

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
    let comm = of(comm)?;
    group.set(group::make(comm.group.clone(), comm.session.clone()));
    Ok(())
}

pub fn comm_remote_group(comm: Comm, group: Out<Group>) -> Result<()> {
    let comm = inter(comm)?;
    group.set(group::make(comm.remote.clone().unwrap_or_default(), comm.session.clone()));
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
    let comm = of(comm)?;
    let known = runtime().system.info_keys(&comm.view().scope);
    let used = comm.info.lock().in_use(known);
    info_used.set(info::make(used));
    Ok(())
}

pub fn comm_set_info(comm: Comm, info: Info) -> Result<()> {
    of(comm)?.info.lock().change(&info::pairs(info)?);
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
    // Other processes may still use it, and operations of this one may be under way: they keep it.
    comm.set(MPI_COMM_NULL);
    crate::objects::comm::free(found);
    Ok(())
}

pub fn comm_dup(comm: Comm, newcomm: Out<Comm>) -> Result<()> {
    // Hints are not handed on (MPI 5.0, section 7.4.2).
    comm_dup_with_info(comm, MPI_INFO_NULL, newcomm)
}

pub fn comm_dup_with_info(comm: Comm, info: Info, newcomm: Out<Comm>) -> Result<()> {
    let made = dup(of(comm)?, comm, info::pairs(info)?);
    newcomm.set(*made.as_ref().unwrap_or(&MPI_COMM_NULL));
    made.map(|_| ())
}

fn dup(parent: CommRef, handle: Comm, hints: Pairs) -> Result<Comm> {
    let members = Members::all(parent);
    let context = agree(parent, &members, parent.next_tag())?;
    let new = child(parent, context, &members, hints)?;
    copy_attributes(parent, handle, new)?;
    Ok(handle_of(new))
}

/// Copies the attributes to a duplicate, which is gone if that fails.
fn copy_attributes(parent: CommRef, handle: Comm, new: CommRef) -> Result<()> {
    attributes::copy_all(parent, handle, new).inspect_err(|_| crate::objects::comm::free(new))
}

fn handle_of(comm: CommRef) -> Comm {
    Comm::of(comm.address())
}

/// A communicator of processes of another one, whose error handler it gets.
fn child(parent: CommRef, context: ContextId, members: &Members, info: Pairs) -> Result<CommRef> {
    let group = subgroup(&parent.group, members.local.iter().copied());
    let remote = parent.remote.as_ref().map(|all| subgroup(all, members.remote.iter().copied()));
    related(parent, context, group, remote, info)
}

/// A communicator of these groups that gets the error handler of another one.
fn related(
    parent: CommRef,
    context: ContextId,
    group: Ranks,
    remote: Option<Ranks>,
    info: Pairs,
) -> Result<CommRef> {
    // Communicators that are not used any more make room first.
    special::end_freed();
    let errhandler = errhandler::share(*parent.errhandler.lock());
    let session = parent.session.clone();
    make(Plan { context, group, remote, session, name: c"".to_owned(), errhandler, info })
}

pub fn comm_idup(comm: Comm, newcomm: Out<Comm>, request: Out<Request>) -> Result<()> {
    comm_idup_with_info(comm, MPI_INFO_NULL, newcomm, request)
}

pub fn comm_idup_with_info(
    comm: Comm,
    info: Info,
    newcomm: Out<Comm>,
    request: Out<Request>,
) -> Result<()> {
    idup(of(comm)?, comm, info::pairs(info)?, newcomm, request)
}

/// The context id is agreed on in the background. The communicator itself is made when the program learns
/// that the operation is complete, before which it may not be used.
fn idup(
    parent: CommRef,
    handle: Comm,
    hints: Pairs,
    newcomm: Out<Comm>,
    request: Out<Request>,
) -> Result<()> {
    let agree::Started { agreement, parts, next } = agree::start(parent)?;
    parent.retain();
    let finish = move || {
        // SAFETY: all parts are complete.
        let made = unsafe { agreement.context() }.and_then(|context| {
            let new = child(parent, context, &Members::all(parent), hints)?;
            copy_attributes(parent, handle, new)?;
            Ok(handle_of(new))
        });
        newcomm.set(*made.as_ref().unwrap_or(&MPI_COMM_NULL));
        parent.release();
        (Status::EMPTY, made.map(|_| ()))
    };
    request.set(special::in_steps(parts, next, Box::new(finish)));
    Ok(())
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
    let parent = of(comm)?;
    if parent.is_inter() {
        return inter::create(parent, group, newcomm);
    }
    create(parent, group, parent.next_tag(), newcomm)
}

pub fn comm_create_group(comm: Comm, group: Group, tag: c_int, newcomm: Out<Comm>) -> Result<()> {
    create(intra(comm)?, group, agree::group_tag(tag), newcomm)
}

/// A communicator of the processes of a group, if this one is among them.
fn create(parent: CommRef, group: Group, tag: i32, newcomm: Out<Comm>) -> Result<()> {
    let members =
        Members { local: ranks_in(parent, &group::of(group)?.ranks)?, remote: Vec::new() };
    newcomm.set(found(parent, &members, tag)?);
    Ok(())
}

/// A communicator of some processes of another one; none for those that are not among them, and none
/// at all if one of two groups would be empty.
fn found(parent: CommRef, members: &Members, tag: i32) -> Result<Comm> {
    let nobody = parent.is_inter() && members.remote.is_empty();
    if nobody || !members.local.contains(&parent.rank()) {
        return Ok(MPI_COMM_NULL);
    }
    let context = agree(parent, members, tag)?;
    Ok(handle_of(child(parent, context, members, Pairs::default())?))
}

pub fn comm_split(comm: Comm, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    let parent = of(comm)?;
    if color < 0 && color != MPI_UNDEFINED {
        let wanted = "it may not be negative, except for MPI_UNDEFINED";
        return Err(Error::argument(MPI_ERR_ARG, "color", color, wanted));
    }
    split(parent, color, key, newcomm)
}

fn split(parent: CommRef, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    let all = gather(parent, [color, key])?;
    // Everybody counts it, whoever needs it.
    let tag = parent.next_tag();
    if color == MPI_UNDEFINED {
        newcomm.set(MPI_COMM_NULL);
        return Ok(());
    }
    let same_color = |given: Vec<[c_int; 2]>| -> Vec<u32> {
        let mut same: Vec<_> = (0..).zip(given).filter(|(_, [other, _])| *other == color).collect();
        // Equal keys are in the order of the ranks.
        same.sort_by_key(|(rank, [_, key])| (*key, *rank));
        same.into_iter().map(|(rank, _)| rank).collect()
    };
    let members = Members { local: same_color(all.local), remote: same_color(all.remote) };
    newcomm.set(found(parent, &members, tag)?);
    Ok(())
}

pub fn comm_split_type(
    comm: Comm,
    split_type: c_int,
    key: c_int,
    info: Info,
    newcomm: Out<Comm>,
) -> Result<()> {
    let parent = of(comm)?;
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
            let nodes = gather(parent, [own_node(), 0])?;
            let mut nodes = nodes.local.iter().chain(&nodes.remote);
            let same = nodes.all(|[node, _]| *node == own_node());
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
