//! The process manager, through the component of `pmi` that speaks its protocol.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use cairn_framework::abi::job::Job;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{ERR_NOT_FOUND, ERR_UNSUPPORTED, OK};
use cairn_framework::frameworks::pmi::{PmiJob, PmiOps, PmiProgress};
use cairn_framework::host::system::random_secret;
use cairn_framework::host::{Chosen, System, forget_reason, node_cores, own_cores, take_reason};
use cairn_framework::launch::{JOB_ID, JOB_SECRET, NODE_CORES, descriptors, secret};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::abi::generated::constants::MPI_ERR_OTHER;
use crate::error::{Error, Result, failure, problem};

/// Key under which the first process publishes the job's secret if the launcher has none.
const SECRET: &str = "cairn-secret";

/// A connection to the process manager. Cloning shares it.
#[derive(Clone)]
pub struct Launch(Arc<Inner>);

struct Inner {
    pmi: Chosen<PmiOps>,
    told: PmiJob,
}

impl Launch {
    /// Chooses the protocol and asks which rank this process is.
    pub fn connect(system: &'static System) -> Result<Self> {
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        let pmi = system.select_one::<PmiOps>(&process).map_err(problem)?;
        let mut told = PmiJob::default();
        forget_reason();
        // SAFETY: the table is complete and the component open.
        let status = unsafe { (pmi.ops.connect.unwrap_unchecked())(pmi.instance, &mut told) };
        if status == OK {
            Ok(Self(Arc::new(Inner { pmi, told })))
        } else {
            Err(failure("connect", status))
        }
    }

    /// Comes back after `disconnect`.
    pub fn connect_again(&self) -> Result<()> {
        let Inner { pmi, told } = &*self.0;
        let mut now = PmiJob::default();
        // SAFETY: as above.
        check("connect", unsafe { (pmi.ops.connect.unwrap_unchecked())(pmi.instance, &mut now) })?;
        if (now.rank, now.size) == (told.rank, told.size) {
            return Ok(());
        }
        let text = format!(
            "the process manager says rank {} of {}, but said rank {} of {} before",
            now.rank, now.size, told.rank, told.size
        );
        Err(Error::new(MPI_ERR_OTHER, text))
    }

    /// The job of this process, in which a wait may begin with so many passes.
    pub fn job(&self, thread_level: u32, wait_polls: u32) -> Result<Job> {
        let told = &self.0.told;
        // SAFETY: the component filled in a NUL-terminated text.
        let id = unsafe { cairn_framework::text::copy(told.id.as_ptr()) };
        let secret = match std::env::var(JOB_SECRET).ok().and_then(|text| secret(&text)) {
            Some(secret) => secret,
            None if told.size == 1 => random_secret(),
            None => self.agree_on_secret()?,
        };
        Ok(Job {
            struct_size: size_of::<Job>() as u32,
            rank: told.rank,
            size: told.size,
            local_rank: told.local_rank,
            local_size: told.local_size,
            thread_level,
            cores: own_cores(),
            node_cores: std::env::var(NODE_CORES)
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or_else(node_cores),
            // Lives as long as the process.
            id: cairn_framework::text::to_c(&id).into_raw(),
            secret,
            wait_polls,
            lock_bias: 1,
        })
    }

    /// The launcher gave no secret, so the first process makes one.
    fn agree_on_secret(&self) -> Result<[u8; 16]> {
        let own = random_secret();
        if self.0.told.rank == 0 {
            self.put(SECRET, &own)?;
        }
        self.fence()?;
        let found = self.get(0, SECRET)?.unwrap_or_default();
        found.try_into().map_err(|_| {
            let text = "the first process published no secret";
            Error::new(MPI_ERR_OTHER, text)
        })
    }

    /// The node of each rank, if the process manager says.
    pub fn nodes(&self, size: u32) -> Option<Vec<u32>> {
        let Inner { pmi, told } = &*self.0;
        if told.nodes == 0 {
            return (told.local_size == size).then(|| vec![0; size as usize]);
        }
        (0..size)
            .map(|rank| {
                let mut node = 0;
                // SAFETY: the table is complete and the component open.
                let status =
                    unsafe { (pmi.ops.node_of.unwrap_unchecked())(pmi.instance, rank, &mut node) };
                (status == OK).then_some(node)
            })
            .collect()
    }

    /// The application's number and the universe's size, if known.
    pub fn appnum_and_universe(&self) -> (Option<c_int>, Option<c_int>) {
        let known = |number: i32| (number >= 0).then_some(number);
        (known(self.0.told.appnum), known(self.0.told.universe))
    }

    /// Whether another process started this one by `MPI_Comm_spawn`.
    pub fn is_spawned(&self) -> bool {
        self.0.told.spawned != 0
    }

    /// Publishes a value.
    pub fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        let pmi = &self.0.pmi;
        let key = cairn_framework::text::to_c(key);
        // SAFETY: as above; key and value live during the call.
        check("put", unsafe {
            (pmi.ops.put.unwrap_unchecked())(
                pmi.instance,
                key.as_ptr(),
                value.as_ptr().cast(),
                value.len(),
            )
        })
    }

    /// Waits until every process has called it.
    pub fn fence(&self) -> Result<()> {
        let pmi = &self.0.pmi;
        // SAFETY: as above.
        check("fence", unsafe { (pmi.ops.fence.unwrap_unchecked())(pmi.instance) })
    }

    /// Waits until every process has called it. With `progress` there is progress meanwhile. False, at
    /// once and in every process, if their process manager does not offer it.
    pub fn fence_with(&self, progress: bool) -> Result<bool> {
        let pmi = &self.0.pmi;
        let progress = progress.then_some(pass as PmiProgress);
        // SAFETY: as above; the function looks at no context.
        let status = unsafe {
            (pmi.ops.fence_with.unwrap_unchecked())(pmi.instance, progress, std::ptr::null_mut())
        };
        if status == ERR_UNSUPPORTED {
            drop(take_reason("fence_with", status));
            return Ok(false);
        }
        check("fence_with", status).map(|()| true)
    }

    /// A value that a process published before the last fence.
    pub fn get(&self, rank: u32, key: &str) -> Result<Option<Vec<u8>>> {
        let pmi = &self.0.pmi;
        let key = cairn_framework::text::to_c(key);
        let mut value = vec![0_u8; 1024];
        loop {
            let mut len = 0;
            // SAFETY: as above; there is room for the capacity that is passed.
            let status = unsafe {
                (pmi.ops.get.unwrap_unchecked())(
                    pmi.instance,
                    rank,
                    key.as_ptr(),
                    value.as_mut_ptr().cast(),
                    value.len(),
                    &mut len,
                )
            };
            if status == ERR_NOT_FOUND {
                drop(take_reason("get", status));
                return Ok(None);
            }
            check("get", status)?;
            if len <= value.len() {
                value.truncate(len);
                return Ok(Some(value));
            }
            value.resize(len, 0);
        }
    }

    /// Asks for the end of the whole job.
    pub fn abort(&self, code: c_int, text: &str) {
        let pmi = &self.0.pmi;
        let text: CString = cairn_framework::text::to_c(text);
        let text: *const c_char = text.as_ptr();
        // SAFETY: as above; any thread may call it at any time.
        unsafe { (pmi.ops.abort.unwrap_unchecked())(pmi.instance, code, text) };
    }

    /// Takes leave.
    pub fn disconnect(&self) -> Result<()> {
        let pmi = &self.0.pmi;
        // SAFETY: as above.
        check("disconnect", unsafe { (pmi.ops.disconnect.unwrap_unchecked())(pmi.instance) })
    }
}

/// A pass of the progress engine.
unsafe extern "C" fn pass(_: *mut c_void) -> u32 {
    super::runtime().system.progress()
}

/// Transports have descriptors for each peer. Our own mpirun has raised the limit already, and a script
/// between it and the program may have lowered it.
pub fn raise_descriptors() {
    if std::env::var_os(JOB_ID).is_some() {
        return;
    }
    let limits = getrlimit(Resource::Nofile);
    let current = descriptors(limits.current, limits.maximum);
    if current != limits.current {
        // Without more, a large job fails later, with a message of its own.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, ..limits });
    }
}

fn check(function: &str, status: i32) -> Result<()> {
    if status == OK { Ok(()) } else { Err(failure(function, status)) }
}
