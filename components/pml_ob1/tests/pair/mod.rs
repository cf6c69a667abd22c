//! A job of several systems in one process: ob1 over the transport of [`btl`].

#![allow(dead_code)] // each test uses a part

pub mod btl;

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::datatype::{Cursor, DATATYPE_CONTIGUOUS, Datatype, Segment};
use cairn_framework::abi::job::{Job as View, THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::request::{MessageStatus, REQUEST_MAGIC, Request};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{DONE, NOTHING, OK, Status};
use cairn_framework::frameworks::matching::MatchOps;
use cairn_framework::frameworks::pml::{PmlOps, PmlReceive, PmlSend};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{CardExchange, Options, Search, System, take_reason};

use btl::{Behaviour, Fabric};
use {cri_round_robin as _, pml_ob1 as _};
use {match_bins as _, match_list as _, match_sharded as _, match_vector as _};

/// No test takes longer, on whatever machine.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// A job.
pub struct Job {
    pub fabric: Arc<Fabric>,
    pub ranks: Vec<Rank>,
}

/// One process of it.
pub struct Rank {
    pub number: u32,
    pub system: &'static System,
    ops: &'static PmlOps,
    instance: *mut cairn_framework::abi::component::Instance,
}

// SAFETY: components may be used by any thread, as far as the thread level says.
unsafe impl Send for Rank {}
// SAFETY: see `Send`.
unsafe impl Sync for Rank {}

struct NoCards;
impl CardExchange for NoCards {
    fn fetch(&self, _: u32, _: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }
}

impl Job {
    /// Starts a job of `size` processes.
    pub fn new(size: u32, threaded: bool, mca: &[(&str, &str)], behaviour: Behaviour) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("pair-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let fabric = Fabric::new(&name, behaviour);
        let id = CString::new(name).unwrap().into_raw();
        let ranks = (0..size).map(|rank| Rank::new(rank, size, threaded, id, mca)).collect();
        Self { fabric, ranks }
    }

    /// One process of a job of `size`, whose others are not there.
    pub fn alone(size: u32, threaded: bool) -> Self {
        let fabric = Fabric::new("alone", Behaviour::default());
        Self { fabric, ranks: vec![Rank::new(0, size, threaded, c"alone".as_ptr(), &[])] }
    }

    /// A communicator of all: one view a rank. Those with `open` false are opened later.
    pub fn comm(&self, context: u64, open: bool) -> Vec<Handle> {
        self.comm_with(context, open, 0)
    }

    /// The same with assertions.
    pub fn comm_with(&self, context: u64, open: bool, flags: u32) -> Vec<Handle> {
        self.ranks
            .iter()
            .map(|rank| {
                let all: Vec<u32> = (0..self.ranks.len() as u32).collect();
                let handle = rank.comm(context, flags, rank.number, &all);
                if open {
                    rank.open(handle);
                }
                handle
            })
            .collect()
    }

    /// Makes passes of every rank's progress engine until `done`.
    ///
    /// # Panics
    /// When that takes too long.
    pub fn until(&self, what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            for rank in &self.ranks {
                rank.system.progress();
            }
            assert!(start.elapsed() < DEADLINE, "{what}: not done after {DEADLINE:?}");
        }
    }

    /// Runs `work` for each rank in a thread of its own. A rank that is done makes progress until all
    /// are, as `MPI_Finalize` does: others may need what waits in its queues.
    pub fn each(&self, work: impl Fn(&Rank) + Sync) {
        let (start, done) = (Instant::now(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for rank in &self.ranks {
                let (work, done) = (&work, &done);
                scope.spawn(move || {
                    work(rank);
                    done.fetch_add(1, Ordering::Relaxed);
                    while done.load(Ordering::Relaxed) < self.ranks.len() as u32 {
                        rank.system.progress();
                        assert!(start.elapsed() < DEADLINE, "the others are not done");
                    }
                });
            }
        });
    }

    /// The sum of a counter over all ranks.
    pub fn count(&self, name: &str) -> u64 {
        let name = format!("pml_ob1_{name}");
        let count = |rank: &Rank| {
            let counters = rank.system.counters();
            counters.iter().find(|(info, _)| info.name == name).expect("a counter of ob1").1
        };
        self.ranks.iter().map(count).sum()
    }

    /// Closes the communicators and the job. Nothing may be left registered.
    pub fn end(self, comms: Vec<Vec<Handle>>) {
        // Each may have to wait until others have taken what it sends last.
        self.each(Rank::flush);
        for rank in &self.ranks {
            comms.iter().for_each(|comm| rank.close(comm[rank.number as usize]));
        }
        assert_eq!(self.fabric.registered(), 0, "memory is still registered");
        self.ranks.iter().for_each(|rank| rank.system.close());
    }
}

/// A communicator's view.
#[derive(Clone, Copy)]
pub struct Handle(pub *mut Comm);

// SAFETY: views are leaked and used as the contract says.
unsafe impl Send for Handle {}
// SAFETY: see `Send`.
unsafe impl Sync for Handle {}

impl Rank {
    fn new(
        rank: u32,
        size: u32,
        threaded: bool,
        id: *const std::ffi::c_char,
        mca: &[(&str, &str)],
    ) -> Self {
        let mca = mca.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
        let system = System::new(Options {
            paths: Paths::default(),
            sources: Sources {
                command_line: CommandLine { mca, ..CommandLine::default() },
                ..Sources::default()
            },
            sink: Box::new(|_| ()),
            search: Search::Wanted,
        });
        system.check().unwrap_or_else(|problems| panic!("{problems}"));
        let job = View {
            struct_size: size_of::<View>() as u32,
            rank,
            size,
            local_rank: rank,
            local_size: size,
            thread_level: if threaded { THREAD_MULTIPLE } else { THREAD_SINGLE },
            cores: 2,
            node_cores: 0,
            id,
            secret: [3; 16],
            wait_polls: u32::MAX,
            lock_bias: 1,
        };
        // SAFETY: no component is open.
        unsafe { system.set_job(job) };
        assert!(system.set_card_exchange(Box::new(NoCards)));
        system.set_nodes(&vec![0; size as usize]);
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        system.open_transports().unwrap();
        system.select_one::<MatchOps>(&scope).unwrap();
        let pml = system.select_one::<PmlOps>(&scope).unwrap();
        Self { number: rank, system, ops: pml.ops, instance: pml.instance }
    }

    /// A communicator's view whose ranks are the job's ranks in `peers`.
    pub fn comm(&self, context: u64, flags: u32, rank: u32, peers: &[u32]) -> Handle {
        let all: Vec<*mut Peer> =
            peers.iter().map(|peer| self.system.peer(*peer).unwrap()).collect();
        Handle(Box::into_raw(Box::new(Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, context as u32, peers.len() as u32, c"comm"),
            rank,
            remote_size: peers.len() as u32,
            flags,
            reserved: 0,
            context: ContextId::new(0, context),
            peers: all.leak().as_ptr(),
            contexts: std::ptr::null(),
            neighbors: std::ptr::null(),
            parts: std::ptr::null(),
        })))
    }

    /// The view of one rank of a communicator whose ranks are the job's ranks in `peers` and have these
    /// context ids.
    pub fn view(&self, contexts: &[ContextId], rank: u32, peers: &[u32]) -> Handle {
        let view = self.comm(0, 0, rank, peers);
        // SAFETY: just made, and not in use.
        unsafe {
            (*view.0).scope.struct_size = size_of::<Comm>() as u32;
            (*view.0).context = contexts[rank as usize];
            (*view.0).contexts = contexts.to_vec().leak().as_ptr();
        }
        view
    }

    pub fn open(&self, comm: Handle) {
        assert_eq!(self.try_open(comm), Ok(()));
    }

    /// The same; says why it can't be opened.
    pub fn try_open(&self, comm: Handle) -> Result<(), String> {
        // SAFETY: the view stays, and it is not used yet.
        unsafe {
            let view = &mut *comm.0;
            let status = self.ops.comm_open.unwrap()(self.instance, view);
            let opened = if status == OK { Ok(()) } else { Err(take_reason("comm_open", status)) };
            self.system.scope_opened(&raw mut view.scope).unwrap();
            opened
        }
    }

    /// Gives a communicator, which is not open yet, the info `cairn_match`.
    pub fn ask_for_engine(&self, comm: Handle, engine: &'static CStr) {
        unsafe extern "C" fn info(
            scope: *const Scope,
            key: *const c_char,
            value: *mut c_char,
            capacity: usize,
        ) -> isize {
            // SAFETY: the key is a string; the scope's name is the engine's, and there is room for it.
            unsafe {
                if CStr::from_ptr(key) != c"cairn_match" {
                    return -1;
                }
                cairn_framework::text::write((*scope).name(), value, capacity) as isize
            }
        }
        // SAFETY: it is not used yet.
        unsafe {
            (*comm.0).scope.name = engine.as_ptr();
            (*comm.0).scope.info = Some(info);
        }
    }

    /// A view that was closed, to be opened once more, with another context id.
    pub fn renew(&self, comm: Handle, context: u64) {
        self.renew_of(comm, 0, context);
    }

    /// The same, of another maker.
    pub fn renew_of(&self, comm: Handle, maker: u32, context: u64) {
        // SAFETY: it is not used.
        unsafe { (*comm.0).context = ContextId::new(maker, context) };
    }

    pub fn close(&self, comm: Handle) {
        // SAFETY: opened by `open`, and it is not used any more.
        unsafe {
            self.ops.comm_close.unwrap()(self.instance, &mut *comm.0);
            self.system.wait_for_passes();
            self.system.scope_closed(&raw mut (*comm.0).scope);
            self.ops.comm_free.unwrap()(self.instance, &mut *comm.0);
        }
    }

    /// A transport says that a process is gone.
    pub fn peer_failed(&self, rank: u32) {
        // SAFETY: peers are the system's and stay; the component is open.
        unsafe {
            let peer = &*self.system.peer(rank).unwrap();
            peer.flags.fetch_or(PEER_FAILED, Ordering::AcqRel);
            self.ops.peer_failed.unwrap()(self.instance, peer);
        }
    }

    /// Sends everything that waits to be sent.
    pub fn flush(&self) {
        // SAFETY: the component is open.
        unsafe { self.ops.flush.unwrap()(self.instance) };
    }

    pub fn isend(&self, send: &PmlSend) -> Pending {
        let mut request = std::ptr::null_mut();
        // SAFETY: tests keep buffers and types until requests are complete.
        let status = unsafe { self.ops.isend.unwrap()(self.instance, send, &mut request) };
        assert_eq!(status, OK);
        Pending(request)
    }

    pub fn send(&self, send: &PmlSend) -> Status {
        // SAFETY: as above.
        unsafe { self.ops.send.unwrap()(self.instance, send) }
    }

    pub fn irecv(&self, receive: &PmlReceive) -> Pending {
        let mut request = std::ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { self.ops.irecv.unwrap()(self.instance, receive, &mut request) };
        assert_eq!(status, OK);
        Pending(request)
    }

    pub fn recv(&self, receive: &PmlReceive) -> (Status, MessageStatus) {
        let mut found = MessageStatus::default();
        // SAFETY: as above.
        let status = unsafe { self.ops.recv.unwrap()(self.instance, receive, &mut found) };
        (status, found)
    }

    pub fn send_init(&self, send: &PmlSend) -> Pending {
        let mut request = std::ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { self.ops.send_init.unwrap()(self.instance, send, &mut request) };
        assert_eq!(status, OK);
        Pending(request)
    }

    pub fn recv_init(&self, receive: &PmlReceive) -> Pending {
        let mut request = std::ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { self.ops.recv_init.unwrap()(self.instance, receive, &mut request) };
        assert_eq!(status, OK);
        Pending(request)
    }

    pub fn probe(&self, receive: &PmlReceive, blocking: bool) -> Option<MessageStatus> {
        let mut found = MessageStatus::default();
        let null = std::ptr::null_mut();
        // SAFETY: as above.
        let code = unsafe {
            self.ops.probe.unwrap()(self.instance, receive, u32::from(blocking), null, &mut found)
        };
        assert!(code == DONE || code == NOTHING);
        (code == DONE).then_some(found)
    }

    pub fn mprobe(
        &self,
        receive: &PmlReceive,
        blocking: bool,
    ) -> Option<(MessageStatus, *mut c_void)> {
        let (mut found, mut message) = (MessageStatus::default(), std::ptr::null_mut());
        // SAFETY: as above.
        let code = unsafe {
            self.ops.probe.unwrap()(
                self.instance,
                receive,
                u32::from(blocking),
                &raw mut message,
                &mut found,
            )
        };
        (code == DONE).then_some((found, message))
    }

    pub fn mrecv(&self, message: *mut c_void, receive: &PmlReceive) -> Pending {
        let mut request = std::ptr::null_mut();
        // SAFETY: as above; `mprobe` gave the message.
        let status =
            unsafe { self.ops.mrecv.unwrap()(self.instance, message, receive, &mut request) };
        assert_eq!(status, OK);
        Pending(request)
    }

    pub fn describe(&self, comm: Handle) -> String {
        let mut text = vec![0u8; 8192];
        // SAFETY: the buffer has the length.
        let len = unsafe {
            self.ops.describe.unwrap()(
                self.instance,
                &*comm.0,
                text.as_mut_ptr().cast(),
                text.len(),
            )
        };
        String::from_utf8_lossy(&text[..len.min(text.len() - 1)]).into_owned()
    }
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct Pending(pub *mut Request);

// SAFETY: requests may be used by any thread.
unsafe impl Send for Pending {}

impl Pending {
    fn view(&self) -> &Request {
        // SAFETY: requests stay until they are freed.
        let view = unsafe { &*self.0 };
        assert_eq!(view.magic, REQUEST_MAGIC, "a request that was freed");
        view
    }

    pub fn is_complete(&self) -> bool {
        self.view().is_complete()
    }

    /// The status of a complete request, which is given back.
    pub fn end(self) -> MessageStatus {
        assert!(self.is_complete());
        let status = self.view().status;
        self.free();
        status
    }

    pub fn status(&self) -> MessageStatus {
        assert!(self.is_complete());
        self.view().status
    }

    /// Whether both are one request, as all sends are that were finished at once.
    pub fn is_same(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }

    pub fn free(self) {
        let free = self.view().free.expect("requests can be freed");
        // SAFETY: ours, once.
        unsafe { free(self.0) };
    }

    pub fn cancel(&self) -> bool {
        let Some(cancel) = self.view().cancel else { return false };
        // SAFETY: a living request.
        assert_eq!(unsafe { cancel(self.0) }, OK);
        true
    }

    pub fn start(&self) {
        let start = self.view().start.expect("a persistent request");
        // SAFETY: a living request that is not started.
        assert_eq!(unsafe { start(self.0) }, OK);
    }
}

/// Bytes without holes.
pub fn bytes() -> &'static Datatype {
    static TYPE: Datatype = Datatype {
        struct_size: size_of::<Datatype>() as u32,
        flags: DATATYPE_CONTIGUOUS,
        size: 1,
        extent: 1,
        true_lb: 0,
        true_extent: 1,
        predefined: 0,
        element: 0,
        pack: None,
        unpack: None,
        segments: None,
        object: std::ptr::null_mut(),
    };
    &TYPE
}

/// Three bytes of data, a hole of one, two of data, a hole of two: 5 bytes in 8.
pub fn holes() -> &'static Datatype {
    static TYPE: Datatype = Datatype {
        struct_size: size_of::<Datatype>() as u32,
        flags: 0,
        size: 5,
        extent: 8,
        true_lb: 0,
        true_extent: 6,
        predefined: 0,
        element: 0,
        pack: Some(pack),
        unpack: Some(unpack),
        segments: Some(segments),
        object: std::ptr::null_mut(),
    };
    &TYPE
}

/// Where a byte of data of [`holes`] lies.
pub fn place(datatype: &Datatype, byte: u64) -> usize {
    if datatype.size == 1 {
        return byte as usize;
    }
    (byte / 5 * 8 + [0, 1, 2, 4, 5][(byte % 5) as usize]) as usize
}

unsafe extern "C" fn pack(cursor: *mut Cursor, packed: *mut c_void, len: usize) -> usize {
    // SAFETY: the caller's cursor and room hold.
    unsafe { walk(cursor, len, |user, at| *packed.cast::<u8>().add(at) = *user) }
}

unsafe extern "C" fn unpack(cursor: *mut Cursor, packed: *const c_void, len: usize) -> usize {
    // SAFETY: as above.
    unsafe { walk(cursor, len, |user, at| *user = *packed.cast::<u8>().add(at)) }
}

/// Moves at most 1000 bytes a call, to see that callers come again. The state holds the position
/// doubled, to see that callers keep it or zero it.
unsafe fn walk(cursor: *mut Cursor, len: usize, mut each: impl FnMut(*mut u8, usize)) -> usize {
    // SAFETY: the caller's cursor holds.
    unsafe {
        let cursor = &mut *cursor;
        assert!(cursor.state[0] == 0 || cursor.state[0] == cursor.position * 2, "a broken cursor");
        let datatype = &*cursor.datatype;
        let rest = cursor.count * datatype.size - cursor.position;
        let len = (len as u64).min(rest).min(1000);
        for at in 0..len {
            let user = cursor.buffer.cast::<u8>().add(place(datatype, cursor.position + at));
            each(user, at as usize);
        }
        cursor.position += len;
        cursor.state[0] = cursor.position * 2;
        len as usize
    }
}

unsafe extern "C" fn segments(_: *mut Cursor, _: *mut Segment, _: usize, _: *mut usize) -> usize {
    unimplemented!("ob1 does not ask for segments")
}

/// A user's buffer that transports write behind the compiler's back.
pub struct Buffer(Box<[UnsafeCell<u8>]>, &'static Datatype, pub u64);

// SAFETY: tests look only when no thread writes.
unsafe impl Sync for Buffer {}
// SAFETY: see `Sync`.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Room for `count` elements, all bytes 0xee.
    pub fn new(datatype: &'static Datatype, count: u64) -> Self {
        let len = count as usize * datatype.extent as usize;
        Self((0..len.max(1)).map(|_| UnsafeCell::new(0xee)).collect(), datatype, count)
    }

    /// Filled with a pattern.
    pub fn filled(datatype: &'static Datatype, count: u64, seed: u64) -> Self {
        let buffer = Self::new(datatype, count);
        for byte in 0..count * datatype.size {
            // SAFETY: no other thread has it.
            unsafe { *buffer.0[place(datatype, byte)].get() = pattern(seed, byte) };
        }
        buffer
    }

    pub fn address(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }

    /// Checks that the first `len` bytes of data are the pattern and that nothing else was touched.
    pub fn check(&self, seed: u64, len: u64) {
        let mut touched = vec![false; self.0.len()];
        for byte in 0..len {
            let at = place(self.1, byte);
            touched[at] = true;
            // SAFETY: the operation is complete.
            let found = unsafe { *self.0[at].get() };
            assert_eq!(found, pattern(seed, byte), "byte {byte} of {len}");
        }
        for (at, cell) in self.0.iter().enumerate().filter(|(at, _)| !touched[*at]) {
            // SAFETY: as above.
            assert_eq!(unsafe { *cell.get() }, 0xee, "byte {at} was touched");
        }
    }

    /// The seed of what was received, four bytes at least.
    pub fn seed(&self) -> u64 {
        // SAFETY: the operation is complete.
        (0..4)
            .map(|byte| u64::from(unsafe { *self.0[place(self.1, byte)].get() }) << (8 * byte))
            .sum()
    }

    pub fn send(&self, comm: Handle, peer: u32, tag: i32, mode: u32) -> PmlSend {
        PmlSend {
            buffer: self.address(),
            count: self.2,
            datatype: self.1,
            comm: comm.0,
            peer,
            tag,
            mode,
            reserved: 0,
        }
    }

    pub fn receive(&self, comm: Handle, source: i32, tag: i32) -> PmlReceive {
        PmlReceive {
            buffer: self.address(),
            count: self.2,
            datatype: self.1,
            comm: comm.0,
            source,
            tag,
        }
    }
}

/// What a byte of data is: the first four are the seed, so that a message says which it is.
pub fn pattern(seed: u64, byte: u64) -> u8 {
    if byte < 4 {
        return (seed >> (8 * byte)) as u8;
    }
    (seed.wrapping_mul(31) ^ byte ^ (byte >> 8).wrapping_mul(7)) as u8
}

/// A row of numbers from a seed.
pub struct Chance(AtomicU64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    pub fn below(&self, limit: u64) -> u64 {
        let mut x = self.0.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.store(x, Ordering::Relaxed);
        x % limit
    }
}
