//! Jobs of several ranks in one process: each rank is a system of its own.

#![allow(dead_code)] // each test uses what it needs

pub mod nodes;
pub mod played;

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use btl_tcp as _;
use btl_tcp::wire::{Card, Secret};
use cairn_framework::abi::job::{Job, THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{OK, OutcomeCode, Status};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::component;
use cairn_framework::frameworks::btl::{
    BtlCompletion, BtlMessage, BtlModule, BtlOps, BtlPacked, BtlTransfer, Endpoint,
};
use cairn_framework::frameworks::wait::{Wait, WaitMeans, WaitOps};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::problem::Problem;
use cairn_framework::host::{CardExchange, Options, Search, System};
use cri_round_robin as _;

/// No test takes longer.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The tag of messages that are collected.
pub const TAG: u8 = 77;
/// The tag of messages that are answered with their own bytes under [`TAG`], from the callback.
pub const ECHO: u8 = 78;

/// What arrived at a rank.
#[derive(Default)]
pub struct Inbox {
    pub messages: Mutex<Vec<Vec<u8>>>,
    pub count: AtomicU32,
    /// Echoes that could not be sent at once.
    pub refused: AtomicU32,
    pub unaligned: AtomicU32,
    /// Count only.
    pub forget: std::sync::atomic::AtomicBool,
}

static INBOXES: Mutex<Option<HashMap<usize, &'static Inbox>>> = Mutex::new(None);

/// A component that registers the tags; its framework needs little.
struct Receiver;

impl Component for Receiver {
    type Params = ();

    fn register(_: &Registrar<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn open(host: HostHandle, (): ()) -> Result<Self, Failure> {
        let inbox: &'static Inbox = Box::leak(Box::default());
        let key = std::ptr::from_ref(host.job()).addr();
        INBOXES.lock().unwrap().get_or_insert_default().insert(key, inbox);
        let context = std::ptr::from_ref(inbox).cast_mut().cast();
        // SAFETY: the inbox is never freed.
        unsafe {
            host.receive_register(TAG, collect, context)?;
            host.receive_register(ECHO, echo, context)?;
        }
        Ok(Self)
    }

    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

impl Wait for Receiver {
    fn wait(&self, _: &WaitSync, _: &WaitMeans) -> Result<(), Failure> {
        Ok(())
    }
}

component! { framework: wait, component: Receiver, name: "receiver", description: "for tests" }

unsafe extern "C" fn collect(context: *mut c_void, received: *const Received) {
    // SAFETY: registered with an inbox; the message is valid during the call.
    let (inbox, bytes) = unsafe { (&*context.cast::<Inbox>(), bytes_of(&*received)) };
    if bytes.as_ptr().addr() % 8 != 0 {
        inbox.unaligned.fetch_add(1, Ordering::Relaxed);
    }
    if !inbox.forget.load(Ordering::Relaxed) {
        inbox.messages.lock().unwrap().push(bytes.to_vec());
    }
    inbox.count.fetch_add(1, Ordering::Release);
}

unsafe extern "C" fn echo(context: *mut c_void, received: *const Received) {
    // SAFETY: as above; the module, its CRI and endpoint are the transport's.
    unsafe {
        let received = &*received;
        let inbox = &*context.cast::<Inbox>();
        let message = BtlMessage {
            header: received.data,
            payload: std::ptr::null(),
            header_len: received.len as u32,
            payload_len: 0,
            tag: TAG,
        };
        let module = &*received.module;
        let send = (*module.ops).send_immediate.unwrap();
        if send(module, &*received.cri, received.endpoint, &message) != OK {
            inbox.refused.fetch_add(1, Ordering::Relaxed);
        }
    }
}

unsafe fn bytes_of(received: &Received) -> &[u8] {
    // SAFETY: valid during the callback.
    unsafe { std::slice::from_raw_parts(received.data.cast(), received.len) }
}

/// How to make a job.
pub struct Setup<'a> {
    pub ranks: u32,
    pub mca: &'a [(&'a str, &'a str)],
    pub threads: bool,
    /// By rank; all on node 0 unless said.
    pub nodes: Option<&'a [u32]>,
    /// A secret of a rank's own.
    pub secrets: &'a [(u32, Secret)],
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { ranks: 2, mca: &[], threads: false, nodes: None, secrets: &[] }
    }
}

/// One rank.
#[derive(Clone, Copy)]
pub struct Rank {
    pub system: &'static System,
    pub inbox: &'static Inbox,
    pub lines: &'static Mutex<Vec<String>>,
}

/// The cards of all ranks, for each to read.
pub type Cards = Arc<Mutex<HashMap<(u32, String), Vec<u8>>>>;

struct Exchange(Cards);

impl CardExchange for Exchange {
    fn fetch(&self, rank: u32, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.0.lock().unwrap().get(&(rank, name.to_owned())).cloned())
    }
}

pub const SECRET: Secret = *b"of this job only";

/// Makes a rank without opening transports.
pub fn rank(setup: &Setup<'_>, rank: u32) -> Rank {
    let lines: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let mut mca: Vec<(String, String)> = vec![
        ("btl".into(), "tcp".into()),
        ("mca_log".into(), "warn,btl_tcp=debug".into()),
        ("btl_tcp_close_timeout".into(), "5000".into()),
    ];
    for (name, text) in setup.mca {
        mca.retain(|one| one.0 != *name);
        mca.push(((*name).into(), (*text).into()));
    }
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources {
            command_line: CommandLine { mca, ..CommandLine::default() },
            ..Sources::default()
        },
        sink: Box::new(move |line| lines.lock().unwrap().push(line.to_owned())),
        search: Search::Wanted,
    });
    let all_here = vec![0; setup.ranks as usize];
    let nodes = setup.nodes.unwrap_or(&all_here);
    let local_size = nodes.iter().filter(|node| **node == nodes[rank as usize]).count() as u32;
    let secret = setup.secrets.iter().find(|one| one.0 == rank).map_or(SECRET, |one| one.1);
    let job = Job {
        struct_size: size_of::<Job>() as u32,
        rank,
        size: setup.ranks,
        local_rank: 0,
        local_size,
        thread_level: if setup.threads { THREAD_MULTIPLE } else { THREAD_SINGLE },
        cores: 2,
        node_cores: 0,
        id: CString::from(c"test").into_raw(),
        secret,
        wait_polls: u32::MAX,
        lock_bias: 1,
    };
    // SAFETY: nothing is open, and no other thread has the system.
    unsafe { system.set_job(job) };
    system.set_nodes(nodes);
    let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    system.select_one::<WaitOps>(&scope).unwrap();
    let key = std::ptr::from_ref(system.job()).addr();
    let inbox = INBOXES.lock().unwrap().as_ref().unwrap()[&key];
    Rank { system, inbox, lines }
}

/// Makes a job, all of it in this process.
pub fn job(setup: &Setup<'_>) -> Vec<Rank> {
    let cards = Cards::default();
    let ranks: Vec<Rank> = (0..setup.ranks).map(|number| rank(setup, number)).collect();
    for one in &ranks {
        one.open(&cards).unwrap();
    }
    ranks
}

impl Rank {
    pub fn open(&self, cards: &Cards) -> Result<(), Problem> {
        self.system.open_transports()?;
        self.system.set_card_exchange(Box::new(Exchange(cards.clone())));
        let mut all = cards.lock().unwrap();
        for (name, card) in self.system.own_cards() {
            all.insert((self.system.job().rank, name), card.to_vec());
        }
        Ok(())
    }

    pub fn number(&self) -> u32 {
        self.system.job().rank
    }

    /// What this rank has published.
    pub fn card(&self) -> Card {
        let (_, card) =
            self.system.own_cards().into_iter().find(|(name, _)| name == "btl_tcp").unwrap();
        Card::decode(card).unwrap()
    }

    pub fn progress(&self) -> u32 {
        self.system.progress()
    }

    /// The one route to a rank.
    pub fn route(&self, to: u32) -> Route {
        // SAFETY: peers stay.
        let peer = unsafe { &*self.system.peer(to).unwrap() };
        self.system.connect(peer).unwrap();
        let route = peer.routes()[0];
        // SAFETY: modules, tables and pools stay while transports are open.
        let (module, ops, pool) = unsafe {
            let module = &*route.module;
            (module, &*module.ops, &*module.pool)
        };
        Route {
            module,
            ops,
            endpoint: route.endpoint,
            cri: pool.cri(0),
            threads: self.system.job().thread_level == THREAD_MULTIPLE,
        }
    }

    pub fn messages(&self) -> Vec<Vec<u8>> {
        self.inbox.messages.lock().unwrap().clone()
    }

    pub fn count(&self) -> u32 {
        self.inbox.count.load(Ordering::Acquire)
    }

    pub fn said(&self, part: &str) -> bool {
        self.lines.lock().unwrap().iter().any(|line| line.contains(part))
    }

    pub fn log(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    /// Why the last call on this thread failed.
    pub fn reason(&self, route: &Route) -> String {
        // SAFETY: the CRI is the module's; the buffer has the length that is passed.
        unsafe {
            let instance = route.module.instance;
            let mut text = vec![0u8; 4096];
            let len = ((*(*instance).host).reason)(instance, text.as_mut_ptr().cast(), 4096);
            text.truncate(len.min(4095));
            String::from_utf8(text).unwrap()
        }
    }
}

/// A way to a peer, with the functions of the table.
#[derive(Clone, Copy)]
pub struct Route {
    pub module: &'static BtlModule,
    pub ops: &'static BtlOps,
    pub endpoint: *mut Endpoint,
    pub cri: &'static Cri,
    threads: bool,
}

// SAFETY: calls take the CRI's lock where there are threads.
unsafe impl Send for Route {}

impl Route {
    /// The same on another CRI.
    pub fn on(mut self, index: u32) -> Self {
        // SAFETY: the pool stays.
        self.cri = unsafe { &*self.module.pool }.cri(index);
        self
    }

    /// A pass of this CRI alone.
    pub fn progress(&self) -> u32 {
        // SAFETY: the pool stays, and the CRI is one of it.
        self.locked(|| unsafe {
            let pool = &*self.module.pool;
            pool.progress.unwrap()(pool.module, std::ptr::from_ref(self.cri).cast_mut())
        })
    }

    pub fn locked<R>(&self, call: impl FnOnce() -> R) -> R {
        let _held = self.threads.then(|| self.cri.guard());
        call()
    }

    pub fn send(&self, tag: u8, header: &[u8], payload: &[u8]) -> OutcomeCode {
        let message = BtlMessage {
            header: header.as_ptr().cast(),
            payload: payload.as_ptr().cast(),
            header_len: header.len() as u32,
            payload_len: payload.len() as u32,
            tag,
        };
        // SAFETY: slices; the endpoint is the module's.
        self.locked(|| unsafe {
            self.ops.send_immediate.unwrap()(self.module, self.cri, self.endpoint, &message)
        })
    }

    /// Sends `payload` by a function that packs it.
    pub fn send_packed(&self, header: &[u8], payload: &[u8], most: usize) -> OutcomeCode {
        unsafe extern "C" fn pack(context: *mut c_void, to: *mut c_void, len: usize) -> usize {
            // SAFETY: the context is a slice, `to` has room for `len` bytes.
            unsafe {
                let payload = *context.cast::<&[u8]>();
                let len = len.min(payload.len());
                to.cast::<u8>().copy_from_nonoverlapping(payload.as_ptr(), len);
                len
            }
        }
        let message = BtlPacked {
            header: header.as_ptr().cast(),
            pack: Some(pack),
            context: (&raw const payload).cast_mut().cast(),
            header_len: header.len() as u32,
            payload_len: most as u32,
            tag: TAG,
        };
        // SAFETY: as above.
        self.locked(|| unsafe {
            self.ops.send_packed.unwrap()(self.module, self.cri, self.endpoint, &message)
        })
    }

    /// Puts to memory that the peer never gave out: something that waits for a peer that does not take it.
    pub fn put_in_vain(&self, local: &[u8], done: &Completion) -> OutcomeCode {
        let mut key = vec![0; self.module.key_size as usize];
        key[8..16].copy_from_slice(&(local.as_ptr().addr() as u64).to_le_bytes());
        key[16..24].copy_from_slice(&(local.len() as u64).to_le_bytes());
        self.put(local, &self.remote(local, &key), 0, done)
    }

    pub fn put(&self, local: &[u8], to: &Remote, offset: u64, done: &Completion) -> OutcomeCode {
        let transfer = to.transfer(local.as_ptr(), local.len(), offset);
        // SAFETY: as above.
        done.note(self.locked(|| unsafe {
            self.ops.put.unwrap()(self.module, self.cri, self.endpoint, &transfer, done.raw())
        }))
    }

    pub fn get(
        &self,
        local: &mut [u8],
        from: &Remote,
        offset: u64,
        done: &Completion,
    ) -> OutcomeCode {
        let transfer = from.transfer(local.as_mut_ptr(), local.len(), offset);
        // SAFETY: as above.
        done.note(self.locked(|| unsafe {
            self.ops.get.unwrap()(self.module, self.cri, self.endpoint, &transfer, done.raw())
        }))
    }

    pub fn flush(&self, all: bool, done: &Completion) -> OutcomeCode {
        let endpoint = if all { std::ptr::null_mut() } else { self.endpoint };
        // SAFETY: as above.
        done.note(self.locked(|| unsafe {
            self.ops.flush.unwrap()(self.module, self.cri, endpoint, done.raw())
        }))
    }

    /// Registers memory; the packed key, too.
    pub fn register(&self, memory: &mut [u8], access: u32) -> (*mut c_void, Vec<u8>) {
        let mut registration = std::ptr::null_mut();
        let mut key = vec![0; self.module.key_size as usize];
        // SAFETY: a slice, which the test keeps; the key has the size that is asked for.
        unsafe {
            let address = memory.as_mut_ptr().cast();
            let register = self.ops.register_memory.unwrap();
            assert_eq!(register(self.module, address, memory.len(), access, &mut registration), OK);
            let pack = self.ops.pack_key.unwrap();
            assert_eq!(pack(self.module, registration, key.as_mut_ptr().cast()), OK);
        }
        (registration, key)
    }

    pub fn deregister(&self, registration: *mut c_void) {
        // SAFETY: made by `register`.
        unsafe { self.ops.deregister_memory.unwrap()(self.module, registration) };
    }

    /// Unpacks a key of the peer.
    pub fn remote(&self, memory: &[u8], key: &[u8]) -> Remote {
        let mut unpacked = std::ptr::null_mut();
        // SAFETY: the key has the size that is expected.
        unsafe {
            let unpack = self.ops.unpack_key.unwrap();
            assert_eq!(unpack(self.module, self.endpoint, key.as_ptr().cast(), &mut unpacked), OK);
        }
        Remote { base: memory.as_ptr().expose_provenance() as u64, key: unpacked }
    }

    pub fn describe(&self) -> String {
        let mut text = vec![0u8; 1000];
        // SAFETY: the buffer has the length that is passed.
        let len = unsafe {
            let describe = self.ops.describe.unwrap();
            describe(self.module, self.endpoint, text.as_mut_ptr().cast(), text.len())
        };
        text.truncate(len);
        String::from_utf8(text).unwrap()
    }
}

/// Memory of a peer.
pub struct Remote {
    pub base: u64,
    pub key: *mut c_void,
}

// SAFETY: a key is for any thread.
unsafe impl Send for Remote {}
// SAFETY: see `Send`.
unsafe impl Sync for Remote {}

impl Remote {
    fn transfer(&self, local: *const u8, len: usize, offset: u64) -> BtlTransfer {
        BtlTransfer {
            local: local.cast_mut().cast(),
            registration: std::ptr::null_mut(),
            remote: self.base.wrapping_add(offset),
            key: self.key,
            len,
        }
    }
}

/// Tells when it was called.
#[repr(C)]
pub struct Completion {
    raw: BtlCompletion,
    calls: AtomicU32,
    status: AtomicI32,
}

// SAFETY: the context is null; the rest is atomic or constant.
unsafe impl Send for Completion {}
// SAFETY: see `Send`.
unsafe impl Sync for Completion {}

impl Completion {
    pub fn new() -> Box<Self> {
        Box::new(Self {
            raw: BtlCompletion { done: Some(completed), context: std::ptr::null_mut() },
            calls: AtomicU32::new(0),
            status: AtomicI32::new(i32::MAX),
        })
    }

    fn raw(&self) -> *mut BtlCompletion {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// What a function returned: when it is done the completion is not called.
    fn note(&self, outcome: OutcomeCode) -> OutcomeCode {
        if outcome == OK {
            self.status.store(OK, Ordering::Release);
        }
        outcome
    }

    /// How the operation ended, if it did.
    pub fn status(&self) -> Option<Status> {
        let status = self.status.load(Ordering::Acquire);
        (status != i32::MAX).then_some(status)
    }

    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Acquire)
    }
}

unsafe extern "C" fn completed(completion: *mut BtlCompletion, status: Status) {
    // SAFETY: the first field of one of ours.
    let completion = unsafe { &*completion.cast::<Completion>() };
    completion.status.store(status, Ordering::Release);
    completion.calls.fetch_add(1, Ordering::Release);
}

/// Makes progress on all ranks in turn until it is so.
pub fn until(ranks: &[Rank], what: &str, so: impl FnMut() -> bool) {
    until_within(ranks, what, DEADLINE, so);
}

pub fn until_within(ranks: &[Rank], what: &str, time: Duration, mut so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !so() {
        let events: u32 = ranks.iter().map(Rank::progress).sum();
        if events == 0 {
            std::thread::yield_now();
        }
        if begin.elapsed() > time {
            let logs: Vec<String> = ranks.iter().map(Rank::log).collect();
            panic!("not within {time:?}: {what}\n{}", logs.join("\n--\n"));
        }
    }
}

/// Closes all ranks, each on a thread of its own, as processes would.
pub fn close(ranks: &[Rank]) {
    std::thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(|| rank.system.close());
        }
    });
}

/// Bytes that tell where they are from.
pub fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(31) ^ (i >> 8) ^ seed.wrapping_mul(97)) as u8).collect()
}
