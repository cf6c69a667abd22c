//! Operations of a CRI: what is under way, and what is complete and has not arrived.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use cairn_framework::abi::status::{ERR_PEER, ERR_UNSUPPORTED, OK, Status};
use cairn_framework::frameworks::btl::{
    BTL_REMOTE_ATOMIC, BTL_REMOTE_READ, BTL_REMOTE_WRITE, BtlAtomic, Completion, Device, OwnCri,
};

use super::fabric::{Access, Fabric};
use super::{Instance, Net};

/// What has been asked for.
pub enum What {
    Put { access: Access, local: *const u8, remote: u64, len: usize },
    Get { access: Access, local: *mut u8, remote: u64, len: usize },
    Atomic { access: Access, atomic: BtlAtomic },
    Flush { to: Option<u32> },
}

struct Queued {
    number: u64,
    what: What,
    /// Its effect is there already, since a flush has seen to it.
    done: bool,
    completion: Completion,
}

/// What is complete for its origin, and not yet in the target's memory.
enum Change {
    Bytes { access: Access, remote: u64, data: Vec<u8> },
    Atomic { access: Access, atomic: BtlAtomic },
}

struct Late {
    number: u64,
    change: Change,
}

impl Late {
    fn rank(&self) -> u32 {
        match &self.change {
            Change::Bytes { access, .. } | Change::Atomic { access, .. } => access.rank,
        }
    }
}

/// Most that is late.
const MOST_LATE: usize = 4096;

#[derive(Default)]
pub struct Queue {
    next: Cell<u64>,
    waiting: RefCell<Vec<Queued>>,
    late: RefCell<Vec<Late>>,
}

// SAFETY: what it points to stays until the completions are called, which any thread may do.
unsafe impl Send for Queue {}

impl Queue {
    /// Operations that are under way.
    pub fn len(&self) -> usize {
        self.waiting.borrow().len()
    }

    pub fn push(&self, what: What, completion: Completion) {
        let number = self.next.get();
        self.next.set(number + 1);
        self.waiting.borrow_mut().push(Queued { number, what, done: false, completion });
    }

    /// Shows the effect of one that was not complete or is late.
    fn arrive(fabric: &Fabric, own: u32, late: Late) {
        if fabric.is_cut(own, late.rank()) {
            return;
        }
        match late.change {
            Change::Bytes { access, remote, data } => {
                let place = (remote, data.len());
                fabric.reach(access, "a put that was not flushed", place, BTL_REMOTE_WRITE, |to| {
                    // SAFETY: so many bytes are registered, or the caller has vouched for them.
                    unsafe { move_bytes(data.as_ptr(), to, data.len()) };
                });
            }
            Change::Atomic { access, atomic } => change(fabric, access, &atomic),
        }
    }

    /// Sees to it that all up to a number are where they belong.
    fn flush(&self, device: &Device<Net>, cri: &OwnCri<Instance>, before: u64, to: Option<u32>) {
        let goes = |rank: u32| to.is_none_or(|to| to == rank);
        let mut all = Vec::new();
        for queued in self.waiting.borrow_mut().iter_mut() {
            if queued.number >= before || queued.done {
                continue;
            }
            match &queued.what {
                What::Put { access, .. } | What::Atomic { access, .. } if goes(access.rank) => {
                    all.extend(late(queued));
                    queued.done = true;
                }
                _ => {}
            }
        }
        let flushed = |late: &mut Late| late.number < before && goes(late.rank());
        all.extend(self.late.borrow_mut().extract_if(.., flushed));
        while !all.is_empty() {
            let one = all.swap_remove(cri.random.below(all.len()));
            Self::arrive(&device.fabric, device.rank, one);
        }
        fence(Ordering::SeqCst);
    }
}

/// What has to arrive of an operation.
fn late(queued: &Queued) -> Option<Late> {
    let change = match &queued.what {
        What::Put { access, local, remote, len } => {
            let mut data = vec![0; *len];
            // SAFETY: the caller's memory stays until the completion is called.
            unsafe { move_bytes(*local, data.as_mut_ptr(), *len) };
            Change::Bytes { access: *access, remote: *remote, data }
        }
        What::Atomic { access, atomic } => Change::Atomic { access: *access, atomic: *atomic },
        _ => return None,
    };
    Some(Late { number: queued.number, change })
}

fn change(fabric: &Fabric, access: Access, atomic: &BtlAtomic) {
    let place = (atomic.remote, atomic.width as usize);
    fabric.reach(access, "an atomic that was not flushed", place, BTL_REMOTE_ATOMIC, |to| {
        // SAFETY: there is an integer, which was checked, and room for the old value until it is complete.
        unsafe { atomic.apply(to) }.expect("it is a right one");
    });
}

/// Completes some operations, and lets some changes arrive.
pub fn advance(device: &Device<Net>, cri: &OwnCri<Instance>) -> u32 {
    let (queue, random, params) = (&cri.queue, &cri.random, &device.params);
    let mut events = 0;
    for _ in 0..random.below(queue.len() + 1) {
        let len = queue.len();
        // Completions may have started others, but none has ended one.
        let place = match params.completes.get() {
            0 => random.below(len),
            1 => len - 1,
            _ => 0,
        };
        let queued = queue.waiting.borrow_mut().remove(place);
        let status = run(device, cri, &queued);
        queued.completion.call(status);
        events += 1;
    }
    let most = if params.arrives.get() == 0 { MOST_LATE } else { random.below(16) };
    while queue.late.borrow().len() > most {
        let len = queue.late.borrow().len();
        let one = queue.late.borrow_mut().swap_remove(random.below(len));
        Queue::arrive(&device.fabric, device.rank, one);
    }
    events
}

/// Does what is to be done before an operation is complete.
fn run(device: &Device<Net>, cri: &OwnCri<Instance>, queued: &Queued) -> Status {
    let (fabric, own) = (&device.fabric, device.rank);
    let rank = match &queued.what {
        What::Put { access, .. } | What::Get { access, .. } | What::Atomic { access, .. } => {
            Some(access.rank)
        }
        What::Flush { to } => *to,
    };
    if rank.is_some_and(|rank| fabric.is_cut(own, rank)) {
        return ERR_PEER;
    }
    match &queued.what {
        What::Get { access, local, remote, len } => {
            if cri.random.chance(device.params.refused_late.get()) {
                // SAFETY: the caller's memory, which nothing counts of.
                unsafe { local.write_bytes(0xab, *len / 2) };
                return ERR_UNSUPPORTED;
            }
            fabric.reach(*access, "a get", (*remote, *len), BTL_REMOTE_READ, |from| {
                // SAFETY: both are there until the completion is called.
                unsafe { move_bytes(from, *local, *len) };
            });
        }
        What::Flush { to } => cri.queue.flush(device, cri, queued.number, *to),
        What::Put { .. } | What::Atomic { .. } if queued.done => {}
        What::Atomic { access, atomic } if !atomic.result.is_null() => {
            change(fabric, *access, atomic);
        }
        What::Put { .. } | What::Atomic { .. } => {
            if let Some(late) = late(queued) {
                match cri.random.chance(20) {
                    true => Queue::arrive(fabric, own, late),
                    false => cri.queue.late.borrow_mut().push(late),
                }
            }
        }
    }
    OK
}

/// Copies words where both sides have some, as a device does: no word is seen in halves.
///
/// # Safety
/// Both sides have so many bytes, which others may access meanwhile.
unsafe fn move_bytes(from: *const u8, to: *mut u8, len: usize) {
    let words = from.addr().is_multiple_of(8) && to.addr().is_multiple_of(8);
    let whole = if words { len - len % 8 } else { 0 };
    // SAFETY: promised by the caller; aligned, and atomic on both sides.
    unsafe {
        for at in (0..whole).step_by(8) {
            let word = AtomicU64::from_ptr(from.add(at).cast_mut().cast()).load(Ordering::Acquire);
            AtomicU64::from_ptr(to.add(at).cast()).store(word, Ordering::Release);
        }
        for at in whole..len {
            let byte = AtomicU8::from_ptr(from.add(at).cast_mut()).load(Ordering::Relaxed);
            AtomicU8::from_ptr(to.add(at)).store(byte, Ordering::Relaxed);
        }
    }
}
