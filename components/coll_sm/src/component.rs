//! The component, and what it keeps for a communicator.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_framework::abi::comm::{COMM_INTER, Comm};
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar, wake_sleepers};
use cairn_framework::frameworks::coll::{COLL_BARRIER, COLL_BLOCKING, Coll, CollArgs};

use crate::board::{Gone, Next};
use crate::deaths::{Deaths, Member};
use crate::links::{Operation, lost};
use crate::setup;
use cairn_framework::frameworks::pml::PmlHandle;

/// Before `basic`, where the processes share a node.
const PRIORITY: i64 = 30;

cairn_framework::params! {
    /// The parameters.
    pub struct Params {
        priority: priority(PRIORITY);
        after: integer(2),
            "Barriers of a communicator that are made of messages before its processes make a \
             board in shared memory",
            range(0, i64::from(u32::MAX)), unit("barriers"), level(6);
    }
}

/// The component.
pub struct SharedMemory {
    host: HostHandle,
    priority: i32,
    /// Barriers of a communicator before its board is made.
    after: u32,
    deaths: Arc<Deaths>,
}

/// What it keeps for a communicator.
pub struct Module {
    pml: PmlHandle,
    /// Barriers over messages so far.
    calls: AtomicU32,
    /// Set when the processes have tried to make one.
    board: OnceLock<Option<Arc<Member>>>,
    deaths: Arc<Deaths>,
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(Some(member)) = self.board.get() {
            self.deaths.remove(member);
        }
    }
}

impl Component for SharedMemory {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let (priority, after) = (params.priority.get() as i32, params.after.get() as u32);
        Ok(Self { host, priority, after, deaths: Deaths::watch(host)? })
    }

    fn query(&self, scope: &Scope) -> Answer {
        match scope.kind {
            SCOPE_PROCESS | SCOPE_COMMUNICATOR => Answer::Priority(self.priority),
            _ => Answer::Decline("collective operations are a communicator's".into()),
        }
    }
}

impl Coll for SharedMemory {
    type Module = Module;

    fn comm_open(&self, _comm: &mut Comm) -> Result<Module, Failure> {
        let pml = PmlHandle::find(self.host)?;
        let deaths = Arc::clone(&self.deaths);
        Ok(Module { pml, calls: AtomicU32::new(0), board: OnceLock::new(), deaths })
    }

    fn offer(&self, comm: &Comm, _module: &Module, operation: u32, way: u32) -> Option<i32> {
        let offered = operation == COLL_BARRIER
            && way == COLL_BLOCKING
            && comm.flags & COMM_INTER == 0
            && comm.remote_size > 1
            && is_on_one_node(comm);
        offered.then_some(self.priority)
    }

    unsafe fn run(&self, comm: &Comm, module: &Module, args: &CollArgs) -> Result<(), Failure> {
        if let Some(Some(member)) = module.board.get() {
            return self.barrier(member, comm.remote_size);
        }
        let operation = Operation { pml: &module.pml, comm, tag: args.tag };
        // Relaxed: one thread at a time has an operation on the communicator.
        let call = module.calls.fetch_add(1, Ordering::Relaxed);
        if call < self.after || module.board.get().is_some() {
            return operation.barrier();
        }
        // No process has a board before all have come.
        let shared = setup::share(self.host, &operation)?;
        module.board.get_or_init(|| shared.map(|shared| self.deaths.add(comm, shared)));
        Ok(())
    }
}

impl SharedMemory {
    fn barrier(&self, member: &Member, size: u32) -> Result<(), Failure> {
        let board = member.board();
        let generation = match board.arrive(size) {
            Next::Leave => return Ok(()),
            Next::Wake => {
                wake_sleepers(board.word());
                return Ok(());
            }
            Next::Wait(generation) => generation,
            Next::Broken => return Err(lost()),
        };
        let gone = match self.poll(member, generation) {
            Some(gone) => gone,
            None => member.waiting(|| self.wait(member, generation))?,
        };
        match gone {
            Gone::Passed => Ok(()),
            Gone::Broken => Err(lost()),
        }
    }

    /// What happens soon.
    fn poll(&self, member: &Member, generation: u32) -> Option<Gone> {
        let mut gone = member.board().left(generation);
        if gone.is_none() {
            self.host.job().poll_until(
                |_| self.host.progress(),
                || {
                    gone = member.board().left(generation);
                    gone.is_some()
                },
            );
        }
        gone
    }

    /// What happens later.
    fn wait(&self, member: &Member, generation: u32) -> Result<Gone, Failure> {
        let board = member.board();
        loop {
            board.sleeping(|| {
                let word = board.word();
                let sync = WaitSync { expected: generation, word, ..WaitSync::of(1) };
                self.host.wait(&sync)
            })?;
            if let Some(gone) = board.left(generation) {
                return Ok(gone);
            }
        }
    }
}

/// Whether every process of a communicator runs on this node, which then is so for each of them, and is one
/// rank only: the segment counts processes.
fn is_on_one_node(comm: &Comm) -> bool {
    // SAFETY: a communicator has so many peers; they stay.
    let local = |rank| unsafe { (**comm.peers.add(rank)).is(PEER_LOCAL) };
    // SAFETY: as above.
    (0..comm.remote_size as usize).all(local) && unsafe { !comm.shares_processes() }
}
