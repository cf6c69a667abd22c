//! **pmi** — how the job was launched, and the exchange of small data at start-up.
//!
//! A component speaks one protocol of process managers (PMI-1, PMI-2, PMIx) or stands for a process
//! that no launcher started (*singleton*). `query` looks at the environment and declines when its
//! protocol is not there, so that the right one is found without a parameter.
//!
//! **Life.** `connect` before transports open; then `put`, `fence` and `get` any number of times;
//! `disconnect` at the end. A process that ends without `disconnect` has failed, to most process
//! managers. After `disconnect` a process may come back with `connect`, of the same instance or of
//! another one, which fails if the process manager does not take it back.
//!
//! **Threads and locks.** Called with no lock of an instance held. Functions may wait for the process
//! manager. `connect`, `disconnect` and the fences are called by one thread at a time. `put`, `get`,
//! `publish` and `lookup` may be called by any thread at any time between `connect` and `disconnect`,
//! also while another thread is in a fence and from what `fence_with` calls: a process that a fence waits
//! for may itself wait for a message to which the value leads. They must not wait for the fence's end.
//! `abort` may be called by any thread at any time, also while another waits.
//!
//! **Limits.** Values are bytes of any kind, up to 64 KiB; the component encodes and cuts them to
//! what its protocol can carry. Keys are printable, without blanks, up to 63 bytes.

use core::ffi::{c_char, c_void};

use super::contract;
use crate::abi::component::Instance;
use crate::abi::status::{ERR_ARGUMENT, ERR_TRUNCATED, Status};
use crate::author::{self, Component, Failure};

/// [`PmiJob`]: bytes of its texts with the NUL.
pub const PMI_TEXT: usize = 256;

/// What the process manager says about the job.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PmiJob {
    /// Size of this struct in bytes, as the host has it.
    pub struct_size: u32,
    /// Rank of this process.
    pub rank: u32,
    /// Processes.
    pub size: u32,
    /// Number of the application among those started together (`MPI_APPNUM`), or -1.
    pub appnum: i32,
    /// Processes there could be (`MPI_UNIVERSE_SIZE`), or -1.
    pub universe: i32,
    /// 1 when `MPI_Comm_spawn` started this job.
    pub spawned: u32,
    /// Rank among the processes of this node.
    pub local_rank: u32,
    /// Processes of the job on this node.
    pub local_size: u32,
    /// Nodes that the job runs on; 0 if the process manager does not say which rank runs where, and then
    /// `node_of` is of no use either.
    pub nodes: u32,
    /// The job's name, NUL-terminated.
    pub id: [c_char; PMI_TEXT],
    /// The launcher, in words, such as `mpirun of Cairn MPI` or `hydra`. NUL-terminated.
    pub launcher: [c_char; PMI_TEXT],
}

/// Functions of a launch protocol.
#[repr(C)]
#[derive(Debug)]
pub struct PmiOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Connects to the process manager and fills in the job. Required.
    pub connect: Option<unsafe extern "C" fn(instance: *mut Instance, job: &mut PmiJob) -> Status>,
    /// Publishes a value of this process; peers see it after the next fence. Required.
    pub put: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            key: *const c_char,
            value: *const c_void,
            len: usize,
        ) -> Status,
    >,
    /// Waits until every process has called it. Required.
    pub fence: Option<unsafe extern "C" fn(instance: *mut Instance) -> Status>,
    /// Copies the value that `rank` published before the last fence into `value`, at most
    /// `capacity` bytes, and stores its whole length in `len`. `CAIRN_ERR_NOT_FOUND` when there is
    /// none. Required.
    pub get: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            rank: u32,
            key: *const c_char,
            value: *mut c_void,
            capacity: usize,
            len: &mut usize,
        ) -> Status,
    >,
    /// Asks for the end of the whole job with `code`. May return; the caller then exits. Required.
    pub abort:
        Option<unsafe extern "C" fn(instance: *mut Instance, code: i32, text: *const c_char)>,
    /// Takes leave of the process manager. Required.
    pub disconnect: Option<unsafe extern "C" fn(instance: *mut Instance) -> Status>,
    /// Publishes a port name for other jobs (`MPI_Publish_name`), or withdraws it if `port` is null.
    /// Default: `CAIRN_ERR_UNSUPPORTED`.
    pub publish: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            service: *const c_char,
            port: *const c_char,
        ) -> Status,
    >,
    /// Copies the port name that a job published; `CAIRN_ERR_TRUNCATED` if `capacity` bytes with the
    /// NUL are too few. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub lookup: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            service: *const c_char,
            port: *mut c_char,
            capacity: usize,
        ) -> Status,
    >,
    /// Stores the number of the node that `rank` runs on, below the job's `nodes`: ranks with one
    /// number share a machine. May be called from any thread between `connect` and the close.
    /// Default: `CAIRN_ERR_UNSUPPORTED`.
    pub node_of:
        Option<unsafe extern "C" fn(instance: *mut Instance, rank: u32, node: &mut u32) -> Status>,
    /// As `fence`, and calls `progress`, unless it is null, with `context` again and again while it
    /// waits, on this thread. Processes may mix it with `fence`. `progress` returns how much it has
    /// done; after calls that did nothing the process may sleep, a millisecond at most, before the next
    /// one. `progress` may call `put`, `get`, `publish`, `lookup` and `abort` of this table. Default:
    /// `CAIRN_ERR_UNSUPPORTED`.
    pub fence_with: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            progress: Option<unsafe extern "C" fn(context: *mut c_void) -> u32>,
            context: *mut c_void,
        ) -> Status,
    >,
}

/// What [`PmiOps::fence_with`] calls while it waits.
pub type PmiProgress = unsafe extern "C" fn(context: *mut c_void) -> u32;

/// What a protocol without `fence_with` lacks.
const WORK: &str = "work during a fence";
/// What a protocol without `node_of` lacks.
const NODES: &str = "the nodes of the other ranks";

impl Default for PmiJob {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            rank: 0,
            size: 1,
            appnum: -1,
            universe: -1,
            spawned: 0,
            local_rank: 0,
            local_size: 1,
            nodes: 0,
            id: [0; PMI_TEXT],
            launcher: [0; PMI_TEXT],
        }
    }
}

impl PmiJob {
    /// Sets the names of the job and of the launcher.
    pub fn set_texts(&mut self, id: &str, launcher: &str) {
        // SAFETY: both arrays have the length that is passed.
        unsafe {
            crate::text::write(id, self.id.as_mut_ptr(), self.id.len());
            crate::text::write(launcher, self.launcher.as_mut_ptr(), self.launcher.len());
        }
    }
}

/// A launch protocol in Rust. Functions correspond to those of [`PmiOps`].
pub trait Pmi: Component {
    /// Connects to the process manager.
    fn connect(&self) -> Result<PmiJob, Failure>;
    /// Publishes a value.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), Failure>;
    /// Waits until every process has called it.
    fn fence(&self) -> Result<(), Failure>;
    /// A value that `rank` published.
    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Failure>;
    /// Asks for the end of the whole job.
    fn abort(&self, code: i32, text: &str);
    /// Takes leave.
    fn disconnect(&self) -> Result<(), Failure>;
    /// Publishes a port name for other jobs, or withdraws it.
    fn publish(&self, _service: &str, _port: Option<&str>) -> Result<(), Failure> {
        Err(author::unsupported("name publishing"))
    }
    /// The port name that a job published.
    fn lookup(&self, _service: &str) -> Result<String, Failure> {
        Err(author::unsupported("name publishing"))
    }
    /// The number of the node that `rank` runs on.
    fn node_of(&self, _rank: u32) -> Result<u32, Failure> {
        Err(author::unsupported(NODES))
    }
    /// Waits until every process has called it or `fence`, and makes progress meanwhile.
    fn fence_with(&self, _progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        Err(author::unsupported(WORK))
    }
}

/// A text argument.
///
/// # Safety
/// `text` is null or NUL-terminated and lives during `'a`.
unsafe fn argument<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::new(ERR_ARGUMENT, "a text is null"));
    }
    // SAFETY: promised by the caller.
    unsafe { crate::text::borrow(text) }
        .ok_or_else(|| Failure::new(ERR_ARGUMENT, "a text is not UTF-8"))
}

contract! {
    table: PmiOps, from T: Pmi,
    "pmi", One, "how the job was launched";

    fn connect(instance: *mut Instance, job: &mut PmiJob) -> Status = report(instance) {
        *job = author::component::<T>(instance).connect()?;
        Ok(())
    }
    fn put(
        instance: *mut Instance, key: *const c_char, value: *const c_void, len: usize,
    ) -> Status = report(instance) {
        let value = author::bytes(value, len);
        author::component::<T>(instance).put(argument(key)?, value)
    }
    fn fence(instance: *mut Instance) -> Status = report(instance) {
        author::component::<T>(instance).fence()
    }
    fn get(
        instance: *mut Instance, rank: u32, key: *const c_char, value: *mut c_void,
        capacity: usize, len: &mut usize,
    ) -> Status = report(instance) {
        let found = author::component::<T>(instance).get(rank, argument(key)?)?;
        let copied = found.len().min(capacity);
        core::ptr::copy_nonoverlapping(found.as_ptr(), value.cast(), copied);
        *len = found.len();
        Ok(())
    }
    fn abort(instance: *mut Instance, code: i32, text: *const c_char) = no_unwind {
        author::component::<T>(instance).abort(code, &crate::text::copy(text))
    }
    fn disconnect(instance: *mut Instance) -> Status = report(instance) {
        author::component::<T>(instance).disconnect()
    }
    fn publish(
        instance: *mut Instance, service: *const c_char, port: *const c_char,
    ) -> Status = report(instance) {
        let port = if port.is_null() { None } else { Some(argument(port)?) };
        author::component::<T>(instance).publish(argument(service)?, port)
    } default { author::refuse(instance, "name publishing") }
    fn lookup(
        instance: *mut Instance, service: *const c_char, port: *mut c_char, capacity: usize,
    ) -> Status = report(instance) {
        let found = author::component::<T>(instance).lookup(argument(service)?)?;
        if crate::text::write(&found, port, capacity) >= capacity {
            return Err(Failure::new(ERR_TRUNCATED, "the port name is longer than the buffer"));
        }
        Ok(())
    } default { author::refuse(instance, "name publishing") }
    fn node_of(instance: *mut Instance, rank: u32, node: &mut u32) -> Status = report(instance) {
        *node = author::component::<T>(instance).node_of(rank)?;
        Ok(())
    } default { author::refuse(instance, NODES) }
    fn fence_with(
        instance: *mut Instance, progress: Option<PmiProgress>, context: *mut c_void,
    ) -> Status = report(instance) {
        let component = author::component::<T>(instance);
        match progress {
            Some(progress) => component.fence_with(Some(&mut || progress(context))),
            None => component.fence_with(None),
        }
    } default { author::refuse(instance, WORK) }
}
