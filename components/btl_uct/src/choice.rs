//! Which transports of UCT make which devices.
//!
//! A transport of UCT that has messages makes a device. What it lacks comes from a second one of the same
//! kind: the transports through shared memory allocate memory, send messages and have atomics, but reach
//! only what they have allocated; `cma` copies any memory, and does nothing else.
//!
//! Without a word of the user there is no device where another transport of this library does the same
//! better: shared memory is `btl_sm`'s, and networks without remote memory access are `btl_tcp`'s.

use std::fmt;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::author::{Failure, HostHandle};

use crate::bindings::*;
use crate::domain::{self, Candidate};
use crate::interface::{Interface, Worker};
use crate::library::*;
use crate::params::Params;

/// What a device is opened from.
pub struct Plan {
    pub messages: Candidate,
    pub bulk: Option<Candidate>,
}

impl Plan {
    /// Whether it reaches the processes of this node only.
    pub fn is_local(&self) -> bool {
        self.messages.is_local()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.messages.transport(), self.messages.device())?;
        match &self.bulk {
            Some(bulk) => write!(f, " with {} for what is large", bulk.transport()),
            None => Ok(()),
        }
    }
}

/// A candidate that opens, with what it can do.
struct Able {
    candidate: Candidate,
    messages: bool,
    bulk: bool,
    /// Messages and remote memory access.
    network: bool,
    local: bool,
}

impl Able {
    fn of(candidate: Candidate, worker: &Worker) -> Result<Self, Failure> {
        let trial = Interface::open(&candidate, worker.handle(), None, std::ptr::null_mut())?;
        let sends = AM_SHORT | AM_BCOPY | CONNECT_TO_IFACE | CB_SYNC;
        let moves = PUT_ZCOPY | GET_ZCOPY;
        Ok(Self {
            messages: trial.can(sends) && !trial.can(AM_DUP),
            bulk: trial.can(moves | CONNECT_TO_IFACE) && !trial.can(AM_BCOPY),
            network: trial.can(sends | moves),
            local: candidate.is_local(),
            candidate,
        })
    }
}

/// The devices for this job, at least one.
///
/// # Errors
/// When the user names what is not there, or there is nothing to use; with what there is.
pub fn choose(
    host: HostHandle,
    library: &'static Library,
    params: &Params,
) -> Result<Vec<Plan>, Failure> {
    let (transports, devices) = (params.transports(), params.devices());
    let all = domain::candidates(library)?;
    let names = |name: fn(&Candidate) -> &str| {
        let mut names: Vec<&str> = all.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    for (filter, what, there) in [
        (&transports, "transports", names(Candidate::transport)),
        (&devices, "devices", names(Candidate::device)),
    ] {
        let unknown = filter.unknown(&there);
        if !unknown.is_empty() {
            return Err(Failure::unavailable(format!(
                "btl_uct_{what} names {}; UCX has {} here",
                unknown.join(", "),
                there.join(", ")
            )));
        }
    }
    let named = host.is_named() || transports.includes() || devices.includes();
    let worker = Worker::new(library)?;
    let mut able = Vec::new();
    for candidate in &all {
        if !transports.takes(&[candidate.transport()]) || !devices.takes(&[candidate.device()]) {
            continue;
        }
        // A process's way to itself, which reaches nobody else, is made if it is asked for.
        if candidate.kind == UCT_DEVICE_TYPE_SELF && !transports.includes() {
            continue;
        }
        match Able::of(candidate.clone(), &worker) {
            Ok(one) => able.push(one),
            Err(failure) => host.log(LOG_INFO, || failure.to_string()),
        }
    }
    // Of what is alike, the first by name: the same one in every process of the job.
    able.sort_by(|one, other| one.candidate.transport.cmp(&other.candidate.transport));
    let plans = plan(host, able, named);
    if plans.is_empty() {
        let text = match named {
            true => "no transport of UCX that is allowed here can send messages",
            false => {
                "UCX has no network with remote memory access here; btl_uct_transports names others"
            }
        };
        return Err(Failure::unavailable(text));
    }
    Ok(plans)
}

fn plan(host: HostHandle, able: Vec<Able>, named: bool) -> Vec<Plan> {
    let job = host.job();
    let (local, network): (Vec<_>, Vec<_>) = able.into_iter().partition(|one| one.local);
    let bulk = local.iter().find(|one| one.bulk).map(|one| one.candidate.clone());
    let mut plans = Vec::new();
    if named && let Some(one) = local.into_iter().find(|one| one.messages) {
        plans.push(Plan { messages: one.candidate, bulk });
    }
    let alone = job.size == job.local_size;
    for one in network {
        // Peers on this node are reached through memory, or if need be over the first of the networks.
        let needed = if alone { plans.is_empty() } else { true };
        if one.messages && needed && (named || one.network) {
            plans.push(Plan { messages: one.candidate, bulk: None });
        }
    }
    plans
}
