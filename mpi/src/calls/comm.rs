//! Communicators (MPI 5.0, chapter 7).

use std::ffi::{CStr, CString, c_int};

pub(super) mod agree;
mod from_group;
mod inter;
pub mod parts;
pub(super) mod related;
pub(super) mod words;

use crate::hardware;
use crate::objects::comm::compare;
use crate::objects::group;
use crate::objects::info::Pairs;
use crate::objects::{attributes, bsend, info, partitioned, special};
use crate::prelude::*;
use crate::runtime::runtime;
use agree::{Members, agree, child, found};
pub use from_group::{comm_create_from_group, intercomm_create_from_groups};
pub use inter::{intercomm_create, intercomm_merge};
use related::{Properties, inter_only, intra_only, ranks_in};
use words::gather;

pub fn comm_rank(comm: CommRef, rank: Out<c_int>) -> Result<()> {
    rank.set(comm.rank() as c_int);
    Ok(())
}

pub fn comm_size(comm: CommRef, size: Out<c_int>) -> Result<()> {
    size.set(comm.size() as c_int);
    Ok(())
}

pub fn comm_remote_size(comm: CommRef, size: Out<c_int>) -> Result<()> {
    size.set(inter_only(comm)?.view().remote_size as c_int);
    Ok(())
}

pub fn comm_test_inter(comm: CommRef, flag: Out<c_int>) -> Result<()> {
    flag.set(comm.is_inter().into());
    Ok(())
}

pub fn comm_group(comm: CommRef, group: Out<Group>) -> Result<()> {
    group.set(group::make(comm.group.clone(), comm.session.clone()));
    Ok(())
}

pub fn comm_remote_group(comm: CommRef, group: Out<Group>) -> Result<()> {
    let comm = inter_only(comm)?;
    group.set(group::make(comm.remote.clone().unwrap_or_default(), comm.session.clone()));
    Ok(())
}

pub fn comm_compare(comm1: CommRef, comm2: CommRef, result: Out<c_int>) -> Result<()> {
    let (one, other) = (comm1, comm2);
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
        comm => comm_name.set(&crate::objects::comm::of(comm)?.name().to_string_lossy()),
    });
    Ok(())
}

pub fn comm_set_name(comm: CommRef, comm_name: &CStr) -> Result<()> {
    let room = MPI_MAX_OBJECT_NAME as usize - 1;
    let bytes = comm_name.to_bytes();
    let name = CString::new(&bytes[..bytes.len().min(room)]).unwrap_or_default();
    comm.set_name(name);
    Ok(())
}

pub fn comm_get_info(comm: CommRef, info_used: Out<Info>) -> Result<()> {
    let known = runtime().system.info_keys(&comm.view().scope);
    let used = comm.info.lock().in_use(known);
    info_used.set(info::make(used));
    Ok(())
}

pub fn comm_set_info(comm: CommRef, info: InfoRef) -> Result<()> {
    comm.info.lock().change(&info.pairs());
    Ok(())
}

pub fn comm_free(comm: InOut<Comm>) -> Result<()> {
    let handle = comm.get();
    if handle.is_predefined() {
        return Err(Error::new(MPI_ERR_COMM, "predefined communicators can't be freed"));
    }
    let found = crate::objects::comm::of(handle)?;
    attributes::delete_all(&found.attributes, handle)?;
    bsend::detach_freed(found)?;
    // Other processes may still use it, and operations of this one may be under way: they keep it.
    comm.set(MPI_COMM_NULL);
    partitioned::comm_freed(found);
    crate::objects::comm::free(found);
    Ok(())
}

pub fn comm_dup(comm: CommRef, newcomm: Out<Comm>) -> Result<()> {
    // Hints are not handed on (MPI 5.0, section 7.4.2).
    comm_dup_with_info(comm, InfoRef::Null, newcomm)
}

pub fn comm_dup_with_info(comm: CommRef, info: InfoRef, newcomm: Out<Comm>) -> Result<()> {
    let made = dup(comm, info.pairs());
    newcomm.set(*made.as_ref().unwrap_or(&MPI_COMM_NULL));
    made.map(|_| ())
}

fn dup(parent: CommRef, hints: Pairs) -> Result<Comm> {
    let members = Members::all(parent);
    let context = agree(parent, &members, parent.next_tag())?;
    let new = child(parent, context, &members, duplicate(parent, hints))?;
    copy_attributes(parent, parent.handle(), new)?;
    Ok(new.handle())
}

/// What a duplicate has: hints of its own, and the topology.
fn duplicate(parent: CommRef, info: Pairs) -> Properties {
    Properties { info, topology: parent.topology.clone() }
}

/// Copies the attributes to a duplicate, which is gone if that fails.
fn copy_attributes(parent: CommRef, handle: Comm, new: CommRef) -> Result<()> {
    let (from, to) = (&parent.attributes, &new.attributes);
    attributes::copy_all(from, handle, to, new.handle())
        .inspect_err(|_| crate::objects::comm::free(new))
}

pub fn comm_idup(comm: CommRef, newcomm: Out<Comm>, request: Out<Request>) -> Result<()> {
    comm_idup_with_info(comm, InfoRef::Null, newcomm, request)
}

pub fn comm_idup_with_info(
    comm: CommRef,
    info: InfoRef,
    newcomm: Out<Comm>,
    request: Out<Request>,
) -> Result<()> {
    idup(comm, info.pairs(), newcomm, request)
}

/// The context id is agreed on in the background. The communicator itself is made when the program learns
/// that the operation is complete, before which it may not be used.
fn idup(parent: CommRef, hints: Pairs, newcomm: Out<Comm>, request: Out<Request>) -> Result<()> {
    let agree::Started { agreement, parts, next } = agree::start(parent)?;
    let handle = parent.handle();
    parent.retain();
    let finish = move || {
        // SAFETY: all parts are complete.
        let made = unsafe { agreement.context() }.and_then(|context| {
            let members = Members::all(parent);
            let new = child(parent, context, &members, duplicate(parent, hints))?;
            copy_attributes(parent, handle, new)?;
            Ok(new.handle())
        });
        newcomm.set(*made.as_ref().unwrap_or(&MPI_COMM_NULL));
        parent.release();
        (Status::EMPTY, made.map(|_| ()))
    };
    request.set(special::in_steps(parts, next, Box::new(finish)));
    Ok(())
}

pub fn comm_create(comm: CommRef, group: GroupBody, newcomm: Out<Comm>) -> Result<()> {
    if comm.is_inter() {
        return inter::create(comm, group, newcomm);
    }
    create(comm, group, comm.next_tag(), newcomm)
}

pub fn comm_create_group(
    comm: CommRef,
    group: GroupBody,
    tag: c_int,
    newcomm: Out<Comm>,
) -> Result<()> {
    create(intra_only(comm)?, group, agree::group_tag(tag), newcomm)
}

/// A communicator of the processes of a group, if this one is among them.
fn create(parent: CommRef, group: GroupBody, tag: i32, newcomm: Out<Comm>) -> Result<()> {
    let members = Members { local: ranks_in(parent, &group.ranks)?, remote: Vec::new() };
    newcomm.set(found(parent, &members, tag, Properties::default())?);
    Ok(())
}

pub fn comm_split(comm: CommRef, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    if color < 0 && color != MPI_UNDEFINED {
        let wanted = "it may not be negative, except for MPI_UNDEFINED";
        return Err(Error::argument(MPI_ERR_ARG, "color", color, wanted));
    }
    split(comm, color, key, newcomm)
}

fn split(parent: CommRef, color: c_int, key: c_int, newcomm: Out<Comm>) -> Result<()> {
    let all = gather(parent, [color, key])?;
    // Every process counts it, also those that do not need it.
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
    newcomm.set(found(parent, &members, tag, Properties::default())?);
    Ok(())
}

pub fn comm_split_type(
    comm: CommRef,
    split_type: c_int,
    key: c_int,
    info: InfoRef,
    newcomm: Out<Comm>,
) -> Result<()> {
    let hints = info.pairs();
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
            let nodes = gather(comm, [own_node(), 0])?;
            let mut nodes = nodes.local.iter().chain(&nodes.remote);
            let same = nodes.all(|[node, _]| *node == own_node());
            if same { MPI_UNDEFINED } else { own_node() }
        }
        other => {
            let text = "it must be one of the MPI_COMM_TYPE constants";
            return Err(Error::argument(MPI_ERR_ARG, "split_type", other, text));
        }
    };
    split(comm, color, key, newcomm)
}

/// The number of an instance of a resource of this process's node, by its first processor.
fn on_node(processor: u32) -> c_int {
    const PROCESSORS: c_int = 1 << 13;
    own_node() * PROCESSORS + processor as c_int
}

/// The number of this process's node.
fn own_node() -> c_int {
    let runtime = runtime();
    runtime.node_of(runtime.system.job().rank) as c_int
}
