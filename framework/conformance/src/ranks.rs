//! A job inside one process: each rank is a component system of its own.
//!
//! Transports can't tell it from a job of processes, since everything a rank knows of the others
//! comes through its system. One thread may make all ranks progress in turn, so that a test repeats
//! exactly, or each rank has a thread.

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_framework::abi::peer::Route;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{DONE, NO_RESOURCES, OK, OutcomeCode};
use cairn_framework::frameworks::btl::{
    BTL_LOCAL, BTL_LOCAL_UNREGISTERED, BTL_NEEDS_REGISTRATION, BTL_REMOTE_READ, BtlAtomic,
    BtlCompletion, BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake,
};
use cairn_framework::host::loader::Provider;
use cairn_framework::host::params::{CommandLine, Given, Origin, Param, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::problem::Problem;
use cairn_framework::host::system::random_secret;
use cairn_framework::host::{CardExchange, Options, Search, System};

/// The ranks of a job.
pub struct Ranks {
    systems: Vec<&'static System>,
}

/// Reads the cards of the other systems.
struct Neighbours(Arc<OnceLock<Vec<&'static System>>>);

impl CardExchange for Neighbours {
    fn fetch(&self, rank: u32, name: &str) -> Result<Option<Vec<u8>>, String> {
        let systems = self.0.get().ok_or("the job has not started")?;
        let system = systems.get(rank as usize).ok_or("no such rank")?;
        let card = system.own_cards().into_iter().find(|(owner, _)| owner == name);
        Ok(card.map(|(_, card)| card.to_vec()))
    }
}

/// What the systems of the ranks are made from: parameters, and components.
#[derive(Debug, Clone)]
pub struct Recipe {
    mca: Vec<(String, String)>,
    search: Search,
}

impl Recipe {
    /// Components that are linked in, with these parameters.
    pub fn new(mca: &[(&str, &str)]) -> Self {
        let mca = mca.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self { mca, search: Search::Wanted }
    }

    /// The components of another system, and the parameters that somebody has set there.
    pub fn of(system: &System) -> Self {
        let files =
            system.components().into_iter().filter_map(|slot| match &slot.loaded.provider {
                Provider::File(file) => Some(file.clone()),
                Provider::Linked => None,
            });
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        files.dedup();
        let given = |param: &Param| match param.current().1 {
            Given { origin: Origin::Default, .. } => None,
            Given { text, .. } => Some((param.spec.name.clone(), text)),
        };
        let mca = system.params.all().iter().filter_map(|param| given(param)).collect();
        Self { mca, search: Search::Only(files) }
    }

    /// The same with another value of a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.mca.retain(|(other, _)| other != name);
        self.mca.push((name.into(), value.into()));
        self
    }

    /// The value that it gives to a parameter, if it gives one.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.mca.iter().rfind(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

impl Ranks {
    /// Starts `count` ranks on one node with these parameters, up to open transports. `prepare` is
    /// called for each before that.
    ///
    /// # Errors
    /// What a process would be told that can't start so.
    pub fn start(
        count: u32,
        thread_level: u32,
        mca: &[(&str, &str)],
        prepare: impl Fn(u32, &'static System),
    ) -> Result<Self, Problem> {
        Self::start_from(&Recipe::new(mca), count, thread_level, prepare)
    }

    /// The same from a recipe.
    ///
    /// # Errors
    /// As for [`Ranks::start`].
    pub fn start_from(
        recipe: &Recipe,
        count: u32,
        thread_level: u32,
        prepare: impl Fn(u32, &'static System),
    ) -> Result<Self, Problem> {
        static JOBS: AtomicU32 = AtomicU32::new(0);
        let number = JOBS.fetch_add(1, Ordering::Relaxed);
        let id = CString::new(format!("ranks-{}-{number}", std::process::id()));
        let id: &'static CStr = Box::leak(id.unwrap_or_default().into_boxed_c_str());
        let secret = random_secret();
        let known = Arc::new(OnceLock::new());
        let mut systems = Vec::new();
        for rank in 0..count {
            let command_line = CommandLine { mca: recipe.mca.clone(), ..CommandLine::default() };
            let system = System::new(Options {
                paths: Paths::default(),
                sources: Sources { command_line, ..Sources::default() },
                sink: Box::new(|line| eprintln!("{line}")),
                search: recipe.search.clone(),
            });
            let mut job = *system.job();
            (job.rank, job.size) = (rank, count);
            (job.local_rank, job.local_size) = (rank, count);
            job.thread_level = thread_level;
            job.id = id.as_ptr();
            job.secret = secret;
            // SAFETY: nothing is open, and no other thread knows the system.
            unsafe { system.set_job(job) };
            system.set_nodes(&vec![0; count as usize]);
            system.set_card_exchange(Box::new(Neighbours(Arc::clone(&known))));
            prepare(rank, system);
            systems.push(system);
            if let Err(problem) = system.open_transports() {
                Self { systems }.close();
                return Err(problem);
            }
        }
        let _ = known.set(systems.clone());
        Ok(Self { systems })
    }

    /// Ranks there are.
    pub fn count(&self) -> u32 {
        self.systems.len() as u32
    }

    /// A rank's system.
    pub fn system(&self, rank: u32) -> &'static System {
        self.systems[rank as usize]
    }

    /// Connects a rank to a peer and returns the best way there.
    ///
    /// # Errors
    /// When no transport reaches the peer.
    pub fn way(&self, from: u32, to: u32) -> Result<Way, Problem> {
        let system = self.system(from);
        let peer = system.peer(to).ok_or_else(|| Problem::new("there is no such rank"))?;
        // SAFETY: peers are never freed.
        let peer = unsafe { &*peer };
        system.connect(peer)?;
        Ok(Way(peer.routes()[0]))
    }

    /// Makes every rank progress once and returns the events.
    pub fn progress(&self) -> u32 {
        self.systems.iter().map(|system| system.progress()).sum()
    }

    /// Closes all ranks.
    pub fn close(self) {
        self.systems.iter().for_each(|system| system.close());
    }
}

/// A route with the functions of its transport as methods. None of them takes a lock: the caller is
/// the only one that uses the CRI, or holds its lock.
#[derive(Clone, Copy)]
pub struct Way(pub Route);

// SAFETY: devices and endpoints may be used by any thread.
unsafe impl Send for Way {}
// SAFETY: see `Send`.
unsafe impl Sync for Way {}

const COMPLETE: &str = "the host completes tables";

#[allow(clippy::missing_safety_doc)] // said in the type's text
impl Way {
    /// The device.
    pub fn module(&self) -> &'static BtlModule {
        // SAFETY: routes stay as long as their system is open.
        unsafe { &*self.0.module }
    }

    /// An instance of the device.
    pub fn cri(&self, index: u32) -> &'static Cri {
        // SAFETY: as above.
        unsafe { &*self.module().pool }.cri(index)
    }

    /// Sends by `send_immediate`.
    pub unsafe fn send(&self, cri: &Cri, tag: u8, header: &[u8], payload: &[u8]) -> OutcomeCode {
        let message = BtlMessage {
            header: header.as_ptr().cast(),
            payload: payload.as_ptr().cast(),
            header_len: header.len() as u32,
            payload_len: payload.len() as u32,
            tag,
        };
        let module = self.module();
        // SAFETY: promised by the caller; the message is valid during the call.
        unsafe {
            let ops = &*module.ops;
            (ops.send_immediate.expect(COMPLETE))(module, cri, self.0.endpoint, &message)
        }
    }

    /// Sends by `send_packed`.
    pub unsafe fn send_packed(
        &self,
        cri: &Cri,
        tag: u8,
        header: &[u8],
        payload: &[u8],
    ) -> OutcomeCode {
        unsafe extern "C" fn pack(context: *mut c_void, to: *mut c_void, len: usize) -> usize {
            // SAFETY: below, the context is the payload's address and `len` its length.
            unsafe { std::ptr::copy_nonoverlapping(context.cast::<u8>(), to.cast(), len) };
            len
        }
        let message = BtlPacked {
            header: header.as_ptr().cast(),
            pack: Some(pack),
            context: payload.as_ptr().cast_mut().cast(),
            header_len: header.len() as u32,
            payload_len: payload.len() as u32,
            tag,
        };
        let module = self.module();
        // SAFETY: as above.
        unsafe {
            let ops = &*module.ops;
            (ops.send_packed.expect(COMPLETE))(module, cri, self.0.endpoint, &message)
        }
    }

    /// Starts a get.
    pub unsafe fn get(
        &self,
        cri: &Cri,
        transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe {
            let ops = &*module.ops;
            (ops.get.expect(COMPLETE))(module, cri, self.0.endpoint, transfer, completion)
        }
    }

    /// Registers memory for these rights.
    pub unsafe fn register(&self, memory: &mut [u8], rights: u32) -> *mut c_void {
        let module = self.module();
        let mut registration = std::ptr::null_mut();
        // SAFETY: promised by the caller.
        let status = unsafe {
            let (address, len) = (memory.as_mut_ptr().cast(), memory.len());
            let register = (*module.ops).register_memory.expect(COMPLETE);
            register(module, address, len, rights, &mut registration)
        };
        assert_eq!(status, OK);
        registration
    }

    /// Registers memory that this side of a transfer uses, where that is needed.
    pub unsafe fn register_local(&self, memory: &mut [u8]) -> *mut c_void {
        match self.module().capabilities & (BTL_NEEDS_REGISTRATION | BTL_LOCAL_UNREGISTERED) {
            // SAFETY: promised by the caller.
            BTL_NEEDS_REGISTRATION => unsafe { self.register(memory, BTL_LOCAL) },
            _ => std::ptr::null_mut(),
        }
    }

    /// Registers memory that the peer may read and returns the registration and its packed key.
    pub unsafe fn expose(&self, memory: &mut [u8]) -> (*mut c_void, Vec<u8>) {
        // SAFETY: promised by the caller.
        unsafe { self.expose_for(memory, BTL_REMOTE_READ) }
    }

    /// The same for these rights.
    pub unsafe fn expose_for(&self, memory: &mut [u8], rights: u32) -> (*mut c_void, Vec<u8>) {
        let module = self.module();
        let mut key = vec![0u8; module.key_size as usize];
        // SAFETY: promised by the caller.
        unsafe {
            let registration = self.register(memory, rights);
            let pack = (*module.ops).pack_key.expect(COMPLETE);
            assert_eq!(pack(module, registration, key.as_mut_ptr().cast()), OK);
            (registration, key)
        }
    }

    /// Registers memory that the peer is about to get, which may begin at once. It does not change
    /// until it is concealed.
    pub unsafe fn offer(&self, cri: &Cri, memory: &mut [u8]) -> (*mut c_void, Vec<u8>) {
        let module = self.module();
        let mut registration = std::ptr::null_mut();
        let mut key = vec![0u8; module.key_size as usize];
        // SAFETY: promised by the caller.
        unsafe {
            let ops = &*module.ops;
            let (address, len) = (memory.as_mut_ptr().cast(), memory.len());
            let offer = ops.offer_memory.expect(COMPLETE);
            let status = offer(module, cri, self.0.endpoint, address, len, &mut registration);
            assert_eq!(status, 0);
            let pack = ops.pack_key.expect(COMPLETE);
            assert_eq!(pack(module, registration, key.as_mut_ptr().cast()), 0);
        }
        (registration, key)
    }

    /// Ends what `register`, `expose` or `offer` began.
    pub unsafe fn conceal(&self, registration: *mut c_void) {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe { ((*module.ops).deregister_memory.expect(COMPLETE))(module, registration) };
    }

    /// Makes a key of the peer usable; the status and the key.
    pub unsafe fn unpack(&self, packed: &[u8]) -> (i32, *mut c_void) {
        let module = self.module();
        let mut key = std::ptr::null_mut();
        // SAFETY: promised by the caller.
        let status = unsafe {
            let unpack = (*module.ops).unpack_key.expect(COMPLETE);
            unpack(module, self.0.endpoint, packed.as_ptr().cast(), &mut key)
        };
        (status, key)
    }

    /// Prepares an instance for sleeping; `None` when something has arrived.
    ///
    /// # Errors
    /// The status of a transport that can't.
    pub fn arm(&self, cri: &Cri) -> Result<Option<BtlWake>, i32> {
        let module = self.module();
        let mut wake = BtlWake { fd: -1, reserved: 0, word: std::ptr::null(), expected: 0 };
        // SAFETY: routes stay as long as their system is open.
        match unsafe { ((*module.ops).arm.expect(COMPLETE))(module, cri, &mut wake) } {
            DONE => Ok(Some(wake)),
            NO_RESOURCES => Ok(None),
            error => Err(error),
        }
    }

    /// Allocates memory for peers: its address, its registration and its packed key; or the status.
    pub fn allocate(&self, len: usize) -> Result<(*mut u8, *mut c_void, Vec<u8>), i32> {
        let module = self.module();
        let mut key = vec![0u8; module.key_size as usize];
        let (mut address, mut registration) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: routes stay as long as their system is open; a registration has a key.
        unsafe {
            let ops = &*module.ops;
            let allocate = ops.allocate_memory.expect(COMPLETE);
            match allocate(module, len, &mut address, &mut registration) {
                OK => {}
                error => return Err(error),
            }
            let pack = ops.pack_key.expect(COMPLETE);
            assert_eq!(pack(module, registration, key.as_mut_ptr().cast()), OK);
        }
        Ok((address.cast(), registration, key))
    }

    /// Frees it.
    pub unsafe fn free(&self, registration: *mut c_void) {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe { ((*module.ops).free_memory.expect(COMPLETE))(module, registration) };
    }

    /// The pointer to memory of the peer, null if there is none; or the status.
    pub unsafe fn map(&self, key: *mut c_void, remote: u64, len: usize) -> Result<*mut u8, i32> {
        let module = self.module();
        let mut pointer = std::ptr::null_mut();
        // SAFETY: promised by the caller.
        let status = unsafe {
            let map = (*module.ops).map_key.expect(COMPLETE);
            map(module, key, remote, len, &mut pointer)
        };
        if status == OK { Ok(pointer.cast()) } else { Err(status) }
    }

    /// Starts a put.
    pub unsafe fn put(
        &self,
        cri: &Cri,
        transfer: &BtlTransfer,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe {
            let put = (*module.ops).put.expect(COMPLETE);
            put(module, cri, self.0.endpoint, transfer, completion)
        }
    }

    /// Starts an atomic operation.
    pub unsafe fn atomic(
        &self,
        cri: &Cri,
        atomic: &BtlAtomic,
        completion: *mut BtlCompletion,
    ) -> OutcomeCode {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe {
            let start = (*module.ops).atomic.expect(COMPLETE);
            start(module, cri, self.0.endpoint, atomic, completion)
        }
    }

    /// Starts a flush.
    pub unsafe fn flush(&self, cri: &Cri, completion: *mut BtlCompletion) -> OutcomeCode {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe {
            let flush = (*module.ops).flush.expect(COMPLETE);
            flush(module, cri, self.0.endpoint, completion)
        }
    }

    /// Frees what `unpack` made.
    pub unsafe fn release(&self, key: *mut c_void) {
        let module = self.module();
        // SAFETY: promised by the caller.
        unsafe { ((*module.ops).release_key.expect(COMPLETE))(module, key) };
    }
}
