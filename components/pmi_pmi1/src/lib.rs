//! PMI-1: launched by a process manager that speaks version 1 of the process management interface:
//! our `mpirun`, Hydra of MPICH and of Intel MPI, `mpiexec.gforker`, `srun --mpi=pmi2`.
//!
//! ```text
//!   put(key, bytes) ─► pieces: base64, cut to what the server takes ─► "cmd=put kvsname=.. key=0.0.key value=.."
//!   get(rank, key)  ◄─ pieces put together and decoded             ◄─ "cmd=get_result rc=0 value=.."
//!   fence           ─► "cmd=barrier_in"      other requests      ◄─ "cmd=barrier_out"
//! ```
//!
//! * `environment`: which launcher it is and where its socket is
//! * `connection`: a request and its answer, one at a time, also while a fence waits for its own
//! * `wire`: lines of text
//! * `value`: values of any bytes as text in pieces
//! * `mapping`: which rank runs on which node
//!
//! What all these servers agree on is little; the rest is handled here: fields of answers come in
//! any order, `rc` may be missing, a request must be a single write of less than 1024 bytes and
//! wait for its answer (Slurm), no value may be empty (MPICH), hold a blank (Intel) or a backslash
//! (MPICH), and an unknown command ends the job.

#[doc(hidden)] // for fuzzing
pub mod connection;
mod environment;
#[doc(hidden)]
pub mod mapping;
#[doc(hidden)]
pub mod value;
mod wire;

use std::os::fd::BorrowedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND};
use cairn_framework::author::{
    Answer, Component, Failure, HostHandle, Mutex, MutexGuard, Registrar,
};
use cairn_framework::frameworks::pmi::{Pmi, PmiJob};

use connection::{Connection, Side};
use environment::{Environment, Server};
use mapping::Mapping;

/// Above the singleton, below protocols that can do more.
const PRIORITY: i64 = 50;

/// After so many passes in a row that did nothing, a process that waits for the others sleeps.
const IDLE_PASSES: u32 = 1000;
/// So long, between two passes.
const NAP: Duration = Duration::from_millis(1);

/// Whether this process has left the job that our own mpirun started. Of the process, because another
/// instance may come back.
static LEFT: AtomicBool = AtomicBool::new(false);

struct Pmi1 {
    environment: Environment,
    priority: i32,
    /// There from `connect` to `disconnect`. Held for a request and its answer, which the server does not
    /// put off; a fence, which depends on the other processes, lets go of it while it waits.
    connection: Mutex<Option<Connection>>,
    /// The socket of the last connection, for threads that don't hold that.
    side: Mutex<Option<Side>>,
    mapping: OnceLock<Mapping>,
}

impl Component for Pmi1 {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(_host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self {
            environment: Environment::read(|name| std::env::var(name).ok()),
            priority: priority.get() as i32,
            connection: Mutex::default(),
            side: Mutex::default(),
            mapping: OnceLock::new(),
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        match &self.environment.server {
            Ok(_) => Answer::Priority(self.priority),
            Err(reason) => Answer::Decline(reason.clone()),
        }
    }
}

impl Pmi1 {
    /// Runs with the connection, when other threads' requests are answered. After a panic in the middle of a
    /// request, which leaves nothing to go on with, there is none.
    fn with<T>(
        &self,
        run: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut place = self.connection.lock();
        let mut connection = place.take().ok_or("not connected to the process manager")?;
        let result = run(&mut connection);
        *place = Some(connection);
        result
    }

    fn side(&self) -> MutexGuard<'_, Option<Side>> {
        self.side.lock()
    }

    /// Waits for all processes. Meanwhile other threads, and what `progress` calls, may ask for values:
    /// a process that this one waits for may wait for a message that needs one.
    fn barrier(&self, mut progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        self.with(Connection::enter_barrier)?;
        let side = self.side().clone().ok_or("not connected to the process manager")?;
        let mut idle = 0;
        loop {
            let timeout = progress.as_mut().map(|progress| {
                idle = if progress() > 0 { 0 } else { idle + 1 };
                // Others may need this process again soon, so it does not sleep at once.
                if idle < IDLE_PASSES { Duration::ZERO } else { NAP }
            });
            if side.wait(timeout)? && self.with(Connection::has_left_barrier)? {
                return Ok(());
            }
            if timeout == Some(Duration::ZERO) {
                std::thread::yield_now();
            }
        }
    }

    /// Connects the socket, and learns rank and size.
    fn dial(&self) -> Result<(Connection, u32, u32), Failure> {
        match self.environment.server.as_ref().map_err(|reason| reason.as_str())? {
            Server::Descriptor { fd, rank, size } => {
                // SAFETY: the launcher left this descriptor, a socket, to this library, which never
                // closes it.
                let socket = unsafe { BorrowedFd::borrow_raw(*fd) };
                Ok((Connection::new(socket)?, *rank, *size))
            }
            Server::Port { address, id } => Connection::dial(address, id),
        }
    }
}

impl Pmi for Pmi1 {
    fn connect(&self) -> Result<PmiJob, Failure> {
        let (mut connection, rank, size) = self.dial()?;
        if rank >= size {
            return Err(format!("the process manager says rank {rank} of {size}").into());
        }
        let returns = LEFT.swap(false, Ordering::Relaxed);
        let facts = connection.start(rank, self.environment.job_id.as_deref(), returns)?;
        *self.side() = Some(connection.side());

        let mapping = facts.mapping.and_then(|text| Mapping::parse(&text, size));
        let mapping = mapping.or_else(|| match self.environment {
            Environment { local: Some((_, local)), .. } if local == size => {
                Some(Mapping::one_node(size))
            }
            _ => None,
        });
        let mut job = PmiJob {
            rank,
            size,
            appnum: facts.appnum,
            universe: facts.universe,
            spawned: u32::from(self.environment.spawned),
            ..PmiJob::default()
        };
        if let Some(mapping) = mapping {
            (job.local_rank, job.local_size) = mapping.local(rank);
            job.nodes = mapping.nodes();
            let _ = self.mapping.set(mapping);
        } else if let Some((local_rank, local_size)) = self.environment.local {
            (job.local_rank, job.local_size) = (local_rank, local_size);
        }
        job.set_texts(&file_name(connection.kvs()), self.environment.launcher);
        *self.connection.lock() = Some(connection);
        Ok(job)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), Failure> {
        self.with(|connection| {
            let rank = connection.rank();
            let room = connection.room(&value::key(rank, u32::MAX, key, connection.key_max()));
            for (piece, text) in value::pieces(value, room).enumerate() {
                let key = value::key(rank, piece as u32, key, connection.key_max());
                connection.put(&key, &text)?;
            }
            Ok(())
        })
    }

    fn fence(&self) -> Result<(), Failure> {
        self.barrier(None)
    }

    fn fence_with(&self, progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        self.barrier(progress)
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Failure> {
        self.with(|connection| {
            let max = connection.key_max();
            let mut fetch = |piece| connection.lookup_key(&value::key(rank, piece, key, max));
            let missing = || Failure::new(ERR_NOT_FOUND, format!("rank {rank} has put no {key}"));
            value::assemble(&fetch(0)?.ok_or_else(missing)?, |piece| {
                fetch(piece)?.ok_or_else(missing)
            })
        })
    }

    fn abort(&self, code: i32, text: &str) {
        let side = self.side().clone();
        if let Some(side) = side {
            side.abort(code, text);
        }
    }

    fn disconnect(&self) -> Result<(), Failure> {
        let own = self.with(|connection| connection.finalize().map(|()| connection.is_own()))?;
        LEFT.store(own, Ordering::Relaxed);
        *self.connection.lock() = None;
        Ok(())
    }

    fn publish(&self, service: &str, port: Option<&str>) -> Result<(), Failure> {
        let service = value::escape(service);
        self.with(|connection| match port {
            Some(port) => connection.publish(&service, &value::escape(port)),
            None => connection.unpublish(&service),
        })
    }

    fn lookup(&self, service: &str) -> Result<String, Failure> {
        self.with(|connection| {
            let port = connection.lookup(&value::escape(service))?;
            value::unescape(&port).ok_or_else(|| "the port name is not UTF-8".into())
        })
    }

    fn node_of(&self, rank: u32) -> Result<u32, Failure> {
        let mapping = self.mapping.get().ok_or_else(|| {
            let text = "the process manager does not say which ranks run on which node";
            Failure::new(ERR_NOT_FOUND, text)
        })?;
        mapping
            .node_of(rank)
            .ok_or_else(|| Failure::new(ERR_ARGUMENT, format!("the job has no rank {rank}")))
    }
}

/// The job's name, fit for file names.
fn file_name(kvs: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    kvs.chars().map(fit).collect()
}

cairn_framework::component! {
    framework: pmi,
    component: Pmi1,
    name: "pmi1",
    description: "launched by mpirun, Hydra, srun or another process manager that speaks PMI-1",
}

#[cfg(test)]
mod tests;
