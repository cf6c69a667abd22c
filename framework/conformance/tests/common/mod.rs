//! What the tests of transports share: ranks that collect what they receive, and gets.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_conformance::ranks::{Ranks, Way};
use cairn_framework::abi::receive::Received;
use cairn_framework::abi::status::{DONE, NO_RESOURCES, OK, QUEUED};
use cairn_framework::frameworks::btl::{BtlCompletion, BtlTransfer};

pub const TAG: u8 = 101;
pub const ECHO: u8 = 102;
pub const DEADLINE: Duration = Duration::from_secs(60);

/// What a rank received.
#[derive(Default)]
pub struct Inbox {
    pub messages: Mutex<Vec<Vec<u8>>>,
    pub bytes: AtomicU64,
}

unsafe extern "C" fn collect(context: *mut c_void, received: *const Received) {
    // SAFETY: registered with an inbox; the message is valid during the call.
    unsafe {
        let (inbox, received) = (&*context.cast::<Inbox>(), &*received);
        assert!(received.data.addr().is_multiple_of(8));
        let data = std::slice::from_raw_parts(received.data.cast::<u8>(), received.len);
        inbox.bytes.fetch_add(data.len() as u64, Ordering::Relaxed);
        inbox.messages.lock().unwrap().push(data.to_vec());
    }
}

/// Answers on the endpoint the message came from.
unsafe extern "C" fn echo(_: *mut c_void, received: *const Received) {
    // SAFETY: as above; in a callback the instance's lock is held.
    unsafe {
        let received = &*received;
        assert!(!received.endpoint.is_null(), "the test connects both ways first");
        let route = cairn_framework::abi::peer::Route {
            module: received.module,
            endpoint: received.endpoint,
        };
        let data = std::slice::from_raw_parts(received.data.cast::<u8>(), received.len);
        assert_eq!(Way(route).send(&*received.cri, TAG, data, b"!"), DONE);
    }
}

pub fn start(count: u32, level: u32, mca: &[(&str, &str)]) -> (Ranks, Vec<&'static Inbox>) {
    let inboxes = RefCell::new(Vec::new());
    let ranks = Ranks::start(count, level, mca, |_, system| {
        let inbox: &'static Inbox = Box::leak(Box::default());
        let context = std::ptr::from_ref(inbox).cast_mut().cast();
        // SAFETY: inboxes live as long as the process, and are for any thread.
        unsafe {
            assert!(system.receive_register(TAG, collect, context));
            assert!(system.receive_register(ECHO, echo, context));
        }
        inboxes.borrow_mut().push(inbox);
    });
    (ranks.unwrap_or_else(|problem| panic!("{problem}")), inboxes.into_inner())
}

pub fn until(ranks: &Ranks, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !done() {
        ranks.progress();
        assert!(Instant::now() < end, "nothing arrives any more");
    }
}

pub fn payload(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(31) ^ seed.wrapping_mul(17) ^ (i >> 8)) as u8).collect()
}

/// A get that is under way, and how it ended. The transport writes to it while the test looks at it.
pub struct Get {
    completion: UnsafeCell<BtlCompletion>,
    status: Cell<Option<i32>>,
    /// The registration of the local memory while it is under way, where one is needed.
    registered: Cell<Option<(Way, *mut c_void)>>,
}

unsafe extern "C" fn got(completion: *mut BtlCompletion, status: i32) {
    // SAFETY: the test passes a `Get` as the context.
    unsafe { (*(*completion).context.cast::<Get>()).status.set(Some(status)) };
}

impl Get {
    pub fn new() -> Box<Self> {
        let completion = BtlCompletion { done: Some(got), context: null_mut() };
        let get = Box::new(Self {
            completion: UnsafeCell::new(completion),
            status: Cell::new(None),
            registered: Cell::new(None),
        });
        // SAFETY: no other thread knows of it yet.
        unsafe { (*get.completion.get()).context = (&raw const *get).cast_mut().cast() };
        get
    }

    /// Starts it; whether it was accepted.
    pub fn start(&self, way: &Way, local: &mut [u8], remote: u64, key: *mut c_void) -> bool {
        // SAFETY: the test keeps the buffer until it is complete.
        let registration = unsafe { way.register_local(local) };
        if !registration.is_null() {
            self.registered.set(Some((*way, registration)));
        }
        let transfer = BtlTransfer {
            local: local.as_mut_ptr().cast(),
            registration,
            remote,
            key,
            len: local.len(),
        };
        // SAFETY: one thread; the test keeps buffers and this until it is complete.
        match unsafe { way.get(way.cri(0), &transfer, self.completion.get()) } {
            DONE => self.status.set(Some(OK)),
            QUEUED => {}
            NO_RESOURCES => {
                self.deregister();
                return false;
            }
            error => self.status.set(Some(error)),
        }
        true
    }

    /// What other operations than gets are completed by.
    pub fn completion(&self) -> *mut BtlCompletion {
        self.completion.get()
    }

    /// How it ended, if it has.
    pub fn status(&self) -> Option<i32> {
        if self.status.get().is_some() {
            self.deregister();
        }
        self.status.get()
    }

    fn deregister(&self) {
        if let Some((way, registration)) = self.registered.take() {
            // SAFETY: nothing is under way any more.
            unsafe { way.conceal(registration) };
        }
    }
}
