//! Point-to-point messages between the systems of one process, in memory.
//!
//! A message lies on the wire until its receiver makes progress; which sender's is taken next changes
//! from one to the next. Messages above the eager limit are read from the sender's buffer when they are received. So
//! nothing completes unless every process does what it takes, and who writes to what he sends is found out.

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::datatype::{Cursor, Datatype};
use cairn_framework::abi::host::PROGRESS_EVERY_PASS;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_MAGIC, REQUEST_PENDING, REQUEST_RECEIVE, REQUEST_SEND, Request, WaitSync,
};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_OTHER, ERR_PEER, ERR_TRUNCATED, OK, Status};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::pml::{Pml, PmlReceive, PmlSend};

/// What the systems of one job share.
pub struct Net {
    inboxes: Vec<Mutex<Inbox>>,
    /// Longer messages are sent only when they are received.
    pub eager: AtomicU64,
    /// How many more messages each rank can start; then each fails.
    pub credit: Vec<AtomicI64>,
    /// Requests that were not given back.
    pub requests: AtomicI64,
    /// Messages that were started.
    pub messages: AtomicU64,
}

#[derive(Default)]
struct Inbox {
    /// By the sender's rank in the job.
    wire: Vec<VecDeque<Message>>,
    unexpected: VecDeque<Message>,
    posted: Vec<*mut Pending>,
    turn: usize,
}

// SAFETY: requests are used by the holder of the inbox.
unsafe impl Send for Inbox {}

struct Message {
    context: ContextId,
    source: i32,
    tag: i32,
    contents: Contents,
}

enum Contents {
    Eager(Vec<u8>),
    /// It is in the buffer of the send, which completes with it.
    Waiting(PmlSend, *mut Pending),
}

#[repr(C)]
struct Pending {
    head: Request,
    net: *const Net,
    /// The receiver's inbox.
    inbox: usize,
    receive: Option<PmlReceive>,
}

static NETS: Mutex<Option<HashMap<String, Arc<Net>>>> = Mutex::new(None);

/// The net of a job.
pub fn net(job: &str, size: u32) -> Arc<Net> {
    let mut nets = NETS.lock().unwrap();
    let net = nets.get_or_insert_default().entry(job.into()).or_insert_with(|| {
        let inbox = || {
            let wire = (0..size).map(|_| VecDeque::new()).collect();
            Mutex::new(Inbox { wire, ..Inbox::default() })
        };
        Arc::new(Net {
            inboxes: (0..size).map(|_| inbox()).collect(),
            eager: AtomicU64::new(0),
            credit: (0..size).map(|_| AtomicI64::new(i64::MAX)).collect(),
            requests: AtomicI64::new(0),
            messages: AtomicU64::new(0),
        })
    });
    net.clone()
}

impl Net {
    fn inbox(&self, rank: usize) -> MutexGuard<'_, Inbox> {
        self.inboxes[rank].lock().unwrap()
    }

    /// Whether nothing is under way.
    pub fn is_quiet(&self) -> bool {
        let quiet = |inbox: &Mutex<Inbox>| {
            let inbox = inbox.lock().unwrap();
            inbox.wire.iter().all(VecDeque::is_empty)
                && inbox.unexpected.is_empty()
                && inbox.posted.is_empty()
        };
        self.requests.load(Ordering::SeqCst) == 0 && self.inboxes.iter().all(quiet)
    }

    fn request(&self, kind: u32, inbox: usize, receive: Option<PmlReceive>) -> *mut Pending {
        self.requests.fetch_add(1, Ordering::SeqCst);
        Box::into_raw(Box::new(Pending {
            head: Request {
                magic: REQUEST_MAGIC,
                kind,
                completion: AtomicUsize::new(REQUEST_PENDING),
                status: MessageStatus::default(),
                free: Some(free),
                cancel: receive.is_some().then_some(cancel as _),
                start: None,
                object: null_mut(),
                struct_size: size_of::<Request>() as u32,
                active: 0,
            },
            net: self,
            inbox,
            receive,
        }))
    }

    fn take_credit(&self, rank: usize) -> Result<(), Failure> {
        self.messages.fetch_add(1, Ordering::SeqCst);
        if self.credit[rank].fetch_sub(1, Ordering::SeqCst) <= 0 {
            return Err(Failure::new(ERR_PEER, "out of credit"));
        }
        Ok(())
    }
}

impl Inbox {
    /// Takes a message off the wire and matches it. Whether there was one.
    fn deliver(&mut self) -> bool {
        let senders = self.wire.len();
        self.turn = self.turn.wrapping_mul(5).wrapping_add(3);
        let found =
            (0..senders).map(|i| (self.turn + i) % senders).find(|i| !self.wire[*i].is_empty());
        let Some(message) = found.and_then(|sender| self.wire[sender].pop_front()) else {
            return false;
        };
        let matching = self.posted.iter().position(|posted| fits(*posted, &message));
        match matching {
            Some(i) => arrive(self.posted.remove(i), &message),
            None => self.unexpected.push_back(message),
        }
        true
    }
}

fn fits(posted: *mut Pending, message: &Message) -> bool {
    // SAFETY: a posted receive that is not complete; its communicator outlives it.
    unsafe {
        let receive = (*posted).receive.as_ref().unwrap();
        let context = (*receive.comm).context;
        (context, receive.source, receive.tag) == (message.context, message.source, message.tag)
    }
}

/// Receives a message and completes both sides.
fn arrive(posted: *mut Pending, message: &Message) {
    // SAFETY: requests that are not complete; their buffers and types are valid until then.
    unsafe {
        let receive = (*posted).receive.as_ref().unwrap();
        let datatype = &*receive.datatype;
        let room = receive.count * datatype.size;
        let data = match &message.contents {
            Contents::Eager(data) => data,
            Contents::Waiting(send, _) => &packed(send),
        };
        let len = room.min(data.len() as u64);
        let mut cursor = cursor(datatype, receive.buffer, receive.count);
        let mut done = 0;
        while done < len {
            let rest = &data[done as usize..len as usize];
            let moved = datatype.unpack.unwrap()(&mut cursor, rest.as_ptr().cast(), rest.len());
            assert!(moved > 0);
            done += moved as u64;
        }
        let error = if len < data.len() as u64 { ERR_TRUNCATED } else { OK };
        (*posted).head.status = MessageStatus {
            source: message.source,
            tag: message.tag,
            error,
            cancelled: 0,
            bytes: len,
        };
        (*posted).head.complete();
        if let Contents::Waiting(_, sender) = message.contents {
            (*sender).head.complete();
        }
    }
}

/// The bytes of a message.
///
/// # Safety
/// Its buffer and its type are valid.
unsafe fn packed(send: &PmlSend) -> Vec<u8> {
    // SAFETY: promised by the caller.
    unsafe {
        let datatype = &*send.datatype;
        let mut data = vec![0; (send.count * datatype.size) as usize];
        let mut cursor = cursor(datatype, send.buffer.cast_mut(), send.count);
        let mut done = 0;
        while done < data.len() {
            let rest = &mut data[done..];
            let moved = datatype.pack.unwrap()(&mut cursor, rest.as_mut_ptr().cast(), rest.len());
            assert!(moved > 0);
            done += moved;
        }
        data
    }
}

fn cursor(datatype: &Datatype, buffer: *mut c_void, count: u64) -> Cursor {
    Cursor { datatype, buffer, count, position: 0, state: [0; 4] }
}

unsafe extern "C" fn free(request: *mut Request) {
    // SAFETY: boxed by `Net::request`.
    unsafe {
        let pending = Box::from_raw(request.cast::<Pending>());
        assert!(pending.head.is_complete(), "freed while under way");
        (*pending.net).requests.fetch_sub(1, Ordering::SeqCst);
    }
}

unsafe extern "C" fn cancel(request: *mut Request) -> Status {
    let pending = request.cast::<Pending>();
    // SAFETY: a receive that was not given back.
    unsafe {
        let mut inbox = (*(*pending).net).inbox((*pending).inbox);
        if let Some(i) = inbox.posted.iter().position(|posted| *posted == pending) {
            inbox.posted.remove(i);
            (*request).status.cancelled = 1;
            (*request).complete();
        }
    }
    OK
}

struct Memory {
    host: HostHandle,
    net: Arc<Net>,
    rank: usize,
    /// Whether the progress callback was added.
    polled: OnceLock<()>,
}

impl Component for Memory {
    type Params = ();

    fn register(_: &Registrar<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn open(host: HostHandle, (): ()) -> Result<Self, Failure> {
        let job = host.job();
        // SAFETY: a string that lives as long as the process.
        let id = unsafe { CStr::from_ptr(job.id) }.to_str().unwrap();
        Ok(Self { host, net: net(id, job.size), rank: job.rank as usize, polled: OnceLock::new() })
    }

    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(50)
    }
}

unsafe extern "C" fn progress(context: *mut c_void) -> u32 {
    // SAFETY: added with the component, which outlives it.
    let memory = unsafe { &*context.cast::<Memory>() };
    u32::from(memory.net.inbox(memory.rank).deliver())
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.host.progress_remove(progress, std::ptr::from_ref(self).cast_mut().cast());
    }
}

impl Memory {
    fn wait(&self, request: *mut Request) -> Result<MessageStatus, Failure> {
        // SAFETY: a request of this component; waited for on this stack.
        unsafe {
            let sync = WaitSync::default();
            sync.pending.store(1, Ordering::Relaxed);
            let address = (&raw const sync).expose_provenance();
            let attached = (*request).completion.compare_exchange(
                REQUEST_PENDING,
                address,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if attached.is_ok() {
                self.host.wait(&sync)?;
            }
            let status = (*request).status;
            (*request).free.unwrap()(request);
            match status.error {
                OK => Ok(status),
                error => Err(Failure::new(error, "the message did not fit")),
            }
        }
    }
}

impl Pml for Memory {
    fn comm_open(&self, _: &mut Comm) -> Result<(), Failure> {
        self.polled.get_or_init(|| {
            let context = std::ptr::from_ref(self).cast_mut().cast();
            // SAFETY: the component lies still now that it is open, and takes the callback out.
            unsafe { self.host.progress_add(progress, context, PROGRESS_EVERY_PASS) }.unwrap();
        });
        Ok(())
    }

    fn comm_close(&self, _: &mut Comm) {}

    unsafe fn send(&self, send: &PmlSend) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        let request = unsafe { self.isend(send)? };
        self.wait(request).map(drop)
    }

    unsafe fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        self.net.take_credit(self.rank)?;
        // SAFETY: promised by the caller.
        unsafe {
            let (comm, datatype) = (&*send.comm, &*send.datatype);
            assert!(send.peer < comm.remote_size && send.tag < 0);
            let receiver = (**comm.peers.add(send.peer as usize)).rank as usize;
            let request = self.net.request(REQUEST_SEND, receiver, None);
            let eager = self.net.eager.load(Ordering::Relaxed);
            let contents = if send.count * datatype.size > eager {
                Contents::Waiting(*send, request)
            } else {
                (*request).head.complete();
                Contents::Eager(packed(send))
            };
            let (context, source, tag) = (comm.context, comm.rank as i32, send.tag);
            let message = Message { context, source, tag, contents };
            self.net.inbox(receiver).wire[self.rank].push_back(message);
            Ok(request.cast())
        }
    }

    unsafe fn recv(&self, receive: &PmlReceive, status: &mut MessageStatus) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        let request = unsafe { self.irecv(receive)? };
        *status = self.wait(request)?;
        Ok(())
    }

    unsafe fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        self.net.take_credit(self.rank)?;
        // SAFETY: promised by the caller.
        let peers = unsafe { (*receive.comm).remote_size };
        assert!(u32::try_from(receive.source).is_ok_and(|source| source < peers));
        let posted = self.net.request(REQUEST_RECEIVE, self.rank, Some(*receive));
        let mut inbox = self.net.inbox(self.rank);
        match inbox.unexpected.iter().position(|message| fits(posted, message)) {
            Some(i) => arrive(posted, &inbox.unexpected.remove(i).unwrap()),
            None => inbox.posted.push(posted),
        }
        Ok(posted.cast())
    }

    unsafe fn send_init(&self, _: &PmlSend) -> Result<*mut Request, Failure> {
        Err(Failure::new(ERR_OTHER, "not in these tests"))
    }
    unsafe fn recv_init(&self, _: &PmlReceive) -> Result<*mut Request, Failure> {
        Err(Failure::new(ERR_OTHER, "not in these tests"))
    }
    unsafe fn probe(
        &self,
        _: &PmlReceive,
        _: bool,
        _: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure> {
        Err(Failure::new(ERR_OTHER, "not in these tests"))
    }
    unsafe fn mrecv(&self, _: *mut c_void, _: &PmlReceive) -> Result<*mut Request, Failure> {
        Err(Failure::new(ERR_OTHER, "not in these tests"))
    }
}

cairn_framework::component! {
    framework: pml,
    component: Memory,
    name: "memory",
    description: "messages between the systems of a test",
}
