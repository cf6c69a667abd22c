//! What a component of windows asks of all ranks together, by messages of each rank to each other one.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COLLECTIVE, REQUEST_MAGIC, REQUEST_PENDING, Request,
};
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::author::BYTES;
use cairn_framework::frameworks::pml::{PML_STANDARD, PmlOps, PmlReceive, PmlSend};
use cairn_framework::host::forget_reason;

/// The messages of a rank.
#[derive(Clone, Copy)]
pub struct Messages {
    pub ops: &'static PmlOps,
    pub instance: *mut Instance,
}

// SAFETY: tables and instances stay, and the functions are for any thread.
unsafe impl Send for Messages {}
// SAFETY: see `Send`.
unsafe impl Sync for Messages {}

/// What becomes of what has come.
pub enum Goal {
    /// Nothing: it is a barrier.
    Nothing,
    /// It is stored by rank, with what this rank has sent to itself.
    Stored(*mut u8),
    /// Numbers are added.
    Added(*mut u64),
}

/// A collective operation. Behind the address of its head.
#[repr(C)]
pub struct Collective {
    head: Request,
    goal: Goal,
    /// Bytes from each rank.
    len: usize,
    /// To each rank and from each, by rank.
    sent: Box<[u8]>,
    received: Box<[UnsafeCell<u8>]>,
    messages: Vec<*mut Request>,
    /// The component has given the request back, or the operation has ended.
    left: AtomicBool,
}

/// The operations of a rank that have not ended.
#[derive(Default)]
pub struct Collectives(Mutex<Vec<Entry>>);

struct Entry(*mut Collective);

// SAFETY: an operation is its list's until it is complete, and its messages are for any thread.
unsafe impl Send for Entry {}

impl Collectives {
    /// Starts one: this rank sends the part of `sent` that is for each rank there. The caller frees the
    /// request by its `free`.
    ///
    /// # Safety
    /// What the goal leads to stays until the request is complete, and the communicator.
    pub unsafe fn start(
        &self,
        messages: &Messages,
        comm: &Comm,
        tag: i32,
        sent: Box<[u8]>,
        goal: Goal,
    ) -> Result<*mut Request, Status> {
        let size = comm.remote_size as usize;
        let len = sent.len() / size;
        let received = (0..sent.len()).map(|_| UnsafeCell::new(0)).collect();
        let started = Box::into_raw(Box::new(Collective {
            head: head(),
            goal,
            len,
            sent,
            received,
            messages: Vec::new(),
            left: AtomicBool::new(false),
        }));
        // SAFETY: just made; nothing moves its buffers until all messages have ended.
        let (one, begun) = unsafe {
            let one = &mut *started;
            let begun = one.begin(messages, comm, tag);
            (one, begun)
        };
        let request = &raw mut one.head;
        match begun {
            Ok(()) => {
                self.0.lock().expect("not poisoned").push(Entry(started));
                Ok(request)
            }
            // Messages that have begun are never asked for, so it stays.
            Err(status) => Err(status),
        }
    }

    /// Completes those whose messages have come. Returns how many those were.
    pub fn advance(&self) -> u32 {
        // Another thread is at it, maybe this one further up, which starts an operation.
        let Ok(mut list) = self.0.try_lock() else { return 0 };
        let mut ended = Vec::new();
        list.retain(|entry| {
            // SAFETY: operations stay until they are complete.
            let over = unsafe { (*entry.0).is_over() };
            if over {
                ended.push(entry.0);
            }
            !over
        });
        drop(list);
        // SAFETY: they belong to nothing but this any more, and to the component.
        ended.iter().for_each(|one| unsafe { complete(*one) });
        ended.len() as u32
    }
}

fn head() -> Request {
    Request {
        magic: REQUEST_MAGIC,
        kind: REQUEST_COLLECTIVE,
        completion: AtomicUsize::new(REQUEST_PENDING),
        status: MessageStatus { source: -1, tag: -2, ..MessageStatus::default() },
        free: Some(free),
        cancel: None,
        start: None,
        object: null_mut(),
        struct_size: size_of::<Request>() as u32,
        active: 0,
    }
}

impl Collective {
    fn begin(&mut self, messages: &Messages, comm: &Comm, tag: i32) -> Result<(), Status> {
        let own = comm.rank as usize;
        let len = self.len;
        for (place, byte) in self.received[own * len..][..len].iter_mut().enumerate() {
            *byte.get_mut() = self.sent[own * len + place];
        }
        for peer in (0..comm.remote_size as usize).filter(|peer| *peer != own) {
            let receive = PmlReceive {
                buffer: self.received[peer * len..].as_ptr().cast_mut().cast::<c_void>(),
                count: len as u64,
                datatype: &raw const BYTES,
                comm,
                source: peer as i32,
                tag,
            };
            let send = PmlSend {
                buffer: self.sent[peer * len..].as_ptr().cast(),
                count: len as u64,
                datatype: &raw const BYTES,
                comm,
                peer: peer as u32,
                tag,
                mode: PML_STANDARD,
                reserved: 0,
            };
            let Messages { ops, instance, .. } = *messages;
            // SAFETY: the host completes tables; buffers and communicator stay.
            unsafe {
                let mut begin = |start: &dyn Fn(&mut *mut Request) -> Status| {
                    let mut request = null_mut();
                    match start(&mut request) {
                        OK => {
                            self.messages.push(request);
                            Ok(())
                        }
                        status => {
                            // The component that asked says what it makes of it.
                            forget_reason();
                            Err(status)
                        }
                    }
                };
                begin(&|request| (ops.irecv.expect(COMPLETE))(instance, &receive, request))?;
                begin(&|request| (ops.isend.expect(COMPLETE))(instance, &send, request))?;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        // SAFETY: requests that were not given back.
        self.messages.iter().all(|message| unsafe { (**message).is_complete() })
    }
}

const COMPLETE: &str = "the host completes tables";

/// Stores what has come, and completes the request.
///
/// # Safety
/// All messages have ended, and this is called once.
unsafe fn complete(one: *mut Collective) {
    // SAFETY: promised by the caller; what the goal leads to stays until the request is complete.
    unsafe {
        for message in std::mem::take(&mut (*one).messages) {
            let error = (*message).status.error;
            if error != OK && (*one).head.status.error == OK {
                (*one).head.status.error = error;
            }
            ((*message).free.expect("requests can be given back"))(message);
        }
        let received = &(*one).received;
        let bytes = std::slice::from_raw_parts(received.as_ptr().cast::<u8>(), received.len());
        match (*one).goal {
            Goal::Nothing => {}
            Goal::Stored(to) => to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()),
            Goal::Added(to) => {
                let width = (*one).len / 8;
                for place in 0..width {
                    let of_rank = |part: &[u8]| {
                        let number = part[8 * place..][..8].try_into().expect("eight");
                        u64::from_ne_bytes(number)
                    };
                    let sum = bytes.chunks_exact((*one).len).map(of_rank);
                    to.add(place).write(sum.fold(0, u64::wrapping_add));
                }
            }
        }
        (*one).head.complete();
        leave(one);
    }
}

/// # Safety
/// A living operation that the caller leaves: the operation itself, or the component.
unsafe fn leave(one: *mut Collective) {
    // SAFETY: promised by the caller. AcqRel: the second to leave sees what the first one did.
    unsafe {
        if (*one).left.swap(true, Ordering::AcqRel) {
            drop(Box::from_raw(one));
        }
    }
}

unsafe extern "C" fn free(request: *mut Request) {
    // SAFETY: the head of an operation, which the component gives back, once.
    unsafe { leave(request.cast()) };
}
