//! The component, and what it keeps for a communicator.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::ERR_TRUNCATED;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::coll::*;
use cairn_framework::frameworks::pml::PmlHandle;
use cairn_schedule::told::Told;

use crate::layout::has_two_levels;
use crate::levels::{Course, Levels};
use crate::operations::{self, Limits};

/// Before components that see one level only.
const PRIORITY: i64 = 20;

cairn_framework::params! {
    /// The parameters.
    pub struct Params {
        priority: priority(PRIORITY);
        after: integer(2),
            "Blocking operations of a communicator that are made of messages between all its processes before \
             it is divided into nodes and leaders",
            range(0, i64::from(u32::MAX)), unit("operations"), level(6), same();
        allreduce_limit: size("64k"),
            "Longest vector of an allreduce that goes through two levels where the ranks of a node are not one \
             behind the other. Longer ones go in messages between all processes, most of which stay within \
             nodes there",
            level(5), same();
        allgather_limit: size("256k"),
            "Longest data of all processes together of an allgather that goes through two levels where the ranks \
             of a node are one behind the other. Longer data goes in messages between all processes, of which as \
             few leave a node there",
            level(5), same();
        gather_limit: size("2k"),
            "Longest block of a process in a gather or scatter that goes through two levels",
            level(5), same();
        alltoall_limit: size("1k"), "The same for alltoall", level(5), same();
    }
}

/// The component.
pub struct TwoLevel {
    host: HostHandle,
    priority: i32,
    params: Params,
}

/// What it keeps for a communicator.
pub struct Module {
    pml: PmlHandle,
    /// Whether there are two levels.
    is_fit: bool,
    /// Operations over messages so far.
    calls: AtomicU32,
    /// Set when the processes have tried to make the parts.
    levels: OnceLock<Option<Levels>>,
    /// An operation has failed, so none that follows is whole. The thread that has an operation on the communicator
    /// alone uses this and `calls`, so Relaxed.
    has_failed: AtomicBool,
}

impl Component for TwoLevel {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let priority = params.priority.get() as i32;
        Ok(Self { host, priority, params })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Coll for TwoLevel {
    type Module = Module;

    fn comm_open(&self, comm: &mut Comm) -> Result<Module, Failure> {
        Ok(Module {
            pml: PmlHandle::find(self.host)?,
            is_fit: has_two_levels(comm),
            calls: AtomicU32::new(0),
            levels: OnceLock::new(),
            has_failed: AtomicBool::new(false),
        })
    }

    fn offer(&self, _comm: &Comm, module: &Module, operation: u32, way: u32) -> Option<i32> {
        let is_known = matches!(
            operation,
            COLL_BARRIER
                | COLL_BCAST
                | COLL_GATHER
                | COLL_SCATTER
                | COLL_ALLGATHER
                | COLL_ALLTOALL
                | COLL_REDUCE
                | COLL_ALLREDUCE
        );
        (is_known && way == COLL_BLOCKING && module.is_fit).then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
        let levels = match module.levels.get() {
            Some(Some(levels)) => levels,
            Some(None) => return over_messages(comm, module, args),
            // SAFETY: promised by the caller.
            None => match unsafe { self.begin(comm, module, args) }? {
                Some(levels) => levels,
                None => return over_messages(comm, module, args),
            },
        };
        let call = cairn_schedule::Call { comm, args };
        if !operations::fits(&call, &levels.layout, &self.limits()) {
            return Err(Failure::declined());
        }
        let course = Course::new(levels, module.has_failed.load(Ordering::Relaxed));
        // SAFETY: promised by the caller.
        unsafe { operations::run(&call, course, &module.pml) }.inspect_err(|failure| {
            // Data without room keeps nobody from the next operation.
            if failure.status != ERR_TRUNCATED {
                module.has_failed.store(true, Ordering::Relaxed);
            }
        })
    }
}

/// One of the operations before there are parts, or where there are none.
#[cold]
fn over_messages(comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
    match args.operation {
        // With one that tells of deaths.
        COLL_BARRIER => Told { pml: &module.pml, comm, tag: args.tag }.barrier(Ok(())),
        _ => Err(Failure::declined()),
    }
}

impl TwoLevel {
    /// Counts the first operations, and makes the parts when it is time for them.
    ///
    /// # Safety
    /// As for `run`.
    #[cold]
    unsafe fn begin<'a>(
        &self,
        comm: &Comm,
        module: &'a Module,
        args: &CollArgs,
    ) -> Result<Option<&'a Levels>, Failure> {
        let call = module.calls.fetch_add(1, Ordering::Relaxed);
        if i64::from(call) < self.params.after.get() {
            return Ok(None);
        }
        // SAFETY: it has functions for parts, or nothing was offered; the module is closed before it.
        let made = unsafe { Levels::make(self.host, &module.pml, comm, args.tag) };
        let (levels, result) = match made {
            Ok(levels) => (Some(levels), Ok(())),
            Err(failure) => (None, Err(failure)),
        };
        let levels = module.levels.get_or_init(|| levels);
        result.map(|()| levels.as_ref())
    }

    fn limits(&self) -> Limits {
        Limits {
            allreduce: self.params.allreduce_limit.get(),
            allgather: self.params.allgather_limit.get(),
            gather: self.params.gather_limit.get(),
            alltoall: self.params.alltoall_limit.get(),
        }
    }
}
