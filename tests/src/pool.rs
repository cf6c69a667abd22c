//! A pool of instances without a transport, to ask strategies with.

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::OK;
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::cri::{CRI_SEND, CriAsker, CriOps};
use cairn_framework::host::{Chosen, Slot};

/// A pool and the strategy it is attached to.
pub struct TestPool {
    /// The pool.
    pub pool: Box<CriPool>,
    ops: &'static CriOps,
    instance: *mut Instance,
    _cris: Vec<Cri>,
}

// SAFETY: the contract lets any thread ask.
unsafe impl Send for TestPool {}
// SAFETY: see `Send`.
unsafe impl Sync for TestPool {}

const COMPLETE: &str = "the host completes tables";

impl TestPool {
    /// A pool of `count` instances, attached to a strategy that was chosen.
    pub fn attached(strategy: &Chosen<CriOps>, count: u32) -> Self {
        Self::new(strategy.ops, strategy.instance, count)
    }

    /// A pool of `count` instances, attached to an open strategy.
    pub fn of_slot(slot: &'static Slot, count: u32) -> Self {
        Self::new(slot.table().expect("a strategy"), slot.instance(), count)
    }

    fn new(ops: &'static CriOps, instance: *mut Instance, count: u32) -> Self {
        let cris: Vec<Cri> = (0..count).map(Cri::new).collect();
        let mut pool = Box::new(CriPool { strategy: ops, ..CriPool::of(c"test", &cris) });
        // SAFETY: the strategy is open and the pool stays where it is.
        let status = unsafe { (ops.attach.expect(COMPLETE))(instance, &mut pool) };
        assert_eq!(status, OK, "attach");
        Self { pool, ops, instance, _cris: cris }
    }

    /// Asks for an instance for an operation to `peer`, as a thread with the number 5.
    pub fn assign(&self, scope: &Scope, peer: u32) -> u32 {
        let thread = Thread { struct_size: size_of::<Thread>() as u32, index: 5, serial: 6 };
        let asker = CriAsker { thread: &thread, scope, peer, operation: CRI_SEND };
        // SAFETY: attached, and the asker lives during the call.
        unsafe { (self.ops.assign.expect(COMPLETE))(&self.pool, &asker) }
    }

    /// What the strategy says about the pool.
    pub fn describe(&self) -> String {
        let mut text = vec![0u8; 1000];
        // SAFETY: attached, and the buffer has the length that is passed.
        let len = unsafe {
            (self.ops.describe.expect(COMPLETE))(&self.pool, text.as_mut_ptr().cast(), text.len())
        };
        text.truncate(len);
        String::from_utf8(text).expect("text")
    }

    /// Detaches the pool.
    pub fn detach(&mut self) {
        // SAFETY: attached, and not asked any more.
        unsafe { (self.ops.detach.expect(COMPLETE))(self.instance, &mut self.pool) };
    }
}
