//! What belongs to a CRI: its worker and interfaces, and what was left for a progress call.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::{c_uint, c_void};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

use cairn_framework::abi::host::{LOG_INFO, LOG_WARN};
use cairn_framework::abi::status::Status;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::{Completion, OwnCri};
use cairn_transport::Admitted;

use crate::bindings::*;
use crate::choice::Plan;
use crate::endpoint::{Ends, UctEndpoint};
use crate::interface::{Connection, Interface, Worker};
use crate::library::Library;
use crate::message::{self, HEAD_IN_MEMORY};
use crate::module::UctDevice;
use crate::transfer::{Flush, Operation};

/// A CRI of this transport.
pub type UctInstance = OwnCri<UctCri>;

/// What belongs to a CRI. The order is that in which it ends: connections, interfaces, worker.
pub struct UctCri {
    /// Connections of endpoints that were removed, until what was sent has gone.
    parting: RefCell<Vec<Parting>>,
    pub messages: Interface,
    pub bulk: Option<Interface>,
    pub worker: Worker,
    /// Where callbacks of the library leave what they learn. They have its address.
    pub hook: Box<Hook>,
    /// Flushes that could not be begun for every peer yet.
    pub flushes: RefCell<Vec<Flush>>,
    /// A message where the receiver expects it: at a multiple of 8.
    aligned: RefCell<Vec<u64>>,
}

/// What callbacks of the library have.
#[derive(Default)]
pub struct Hook {
    /// The progress call in which callbacks come; at other times what they bring is kept.
    now: Cell<Option<(NonNull<UctDevice>, NonNull<UctInstance>)>>,
    /// Something below is not empty.
    busy: Cell<bool>,
    /// Messages that came while nothing polled.
    early: RefCell<VecDeque<Vec<u8>>>,
    /// Ranks whose lanes have something that waits.
    unready: RefCell<Vec<u32>>,
    /// Endpoints of the library that broke.
    broken: RefCell<Vec<uct_ep_h>>,
    /// Ranks on which an operation has failed for good.
    lost: RefCell<Vec<u32>>,
    /// Operations that are over.
    finished: RefCell<VecDeque<(Completion, Status)>>,
}

/// A connection that ends once it is flushed.
struct Parting {
    endpoint: Arc<UctEndpoint>,
    lane: Ends,
    /// Nothing is left that is worth a long wait.
    courtesy: bool,
    /// Set by the flush when it is over; none while it could not be begun.
    flushed: Option<Rc<Cell<bool>>>,
}

// SAFETY: a CRI is used under its lock, by one thread at a time; what the pointers in it lead to is used with it.
unsafe impl Send for UctCri {}

impl UctCri {
    /// Opens what a plan says.
    pub fn open(library: &'static Library, plan: &Plan) -> Result<Self, Failure> {
        let worker = Worker::new(library)?;
        let hook: Box<Hook> = Box::default();
        let context: *mut c_void = (&raw const *hook).cast_mut().cast();
        let open =
            |candidate, broke| Interface::open(candidate, worker.handle(), Some(broke), context);
        let messages = open(&plan.messages, broke as Broke)?;
        // What is refused there is refused for one transfer.
        let bulk = plan.bulk.as_ref().map(|bulk| open(bulk, refused as Broke)).transpose()?;
        messages.receive_by(Some(receive), context)?;
        let (parting, flushes, aligned) = Default::default();
        Ok(Self { parting, messages, bulk, worker, hook, flushes, aligned })
    }

    /// Most bytes of a message without its head.
    pub fn message_limit(&self) -> usize {
        // Transports through memory write the length as 16 bits, whatever size of segments they are set to.
        let most = match self.messages.head {
            HEAD_IN_MEMORY => u16::MAX.into(),
            _ => usize::MAX,
        };
        self.messages.attr.cap.am.max_bcopy.min(most) - self.messages.head
    }

    /// The interface for transfers of any memory.
    pub fn mover(&self) -> &Interface {
        self.bulk.as_ref().unwrap_or(&self.messages)
    }

    /// A connection of a removed endpoint goes on until everything has been sent.
    pub fn part(&self, device: &UctDevice, endpoint: &Arc<UctEndpoint>, index: usize) {
        let mut lane = endpoint.take(index);
        if endpoint.is_lost() {
            return;
        }
        // A peer that has sent to us learns that we go, from the first lane if we have none.
        let met = index == 0 && device.has_met(endpoint.rank);
        if lane.messages.is_none() && lane.waiting.is_empty() && !met {
            return;
        }
        if lane.messages.is_none() && endpoint.greet(self, index, &mut lane).is_err() {
            return;
        }
        // What a peer has in its memory is there. A network may still have to send what it has taken.
        let courtesy = if lane.greeted { device.is_local } else { lane.waiting.len() <= 1 };
        lane.keep(endpoint.pass.goodbye(), Vec::new());
        let endpoint = endpoint.clone();
        self.parting.borrow_mut().push(Parting { endpoint, lane, courtesy, flushed: None });
        self.hook.busy.set(true);
    }

    /// What is on its way to a rank that has ended is given up.
    fn give_up(&self, rank: u32) {
        self.parting.borrow_mut().retain(|one| one.endpoint.rank != rank);
    }

    /// Whether nothing is on its way any more, or nothing that is worth to wait for.
    pub fn has_parted(&self, with_courtesy: bool) -> bool {
        self.parting.borrow().iter().all(|one| one.courtesy && !with_courtesy)
    }

    /// Polls. With the CRI's lock, and not from a callback.
    #[inline]
    pub fn poll(device: &UctDevice, cri: &UctInstance) -> u32 {
        let hook = &cri.hook;
        hook.now.set(Some((NonNull::from(device), NonNull::from(cri))));
        let mut count = if hook.busy.get() { cri.deliver_early(device, cri) } else { 0 };
        // SAFETY: the CRI's lock is held.
        count += unsafe { cri.worker.progress() };
        hook.now.set(None);
        if hook.busy.get() {
            count += cri.rest(device, cri);
        }
        count
    }

    #[cold]
    fn deliver_early(&self, device: &UctDevice, cri: &UctInstance) -> u32 {
        let early = self.hook.early.take();
        let count = early.len() as u32;
        early.iter().for_each(|message| take(device, cri, message));
        count
    }

    /// What callbacks, and calls that could not do it themselves, have left.
    #[cold]
    fn rest(&self, device: &UctDevice, cri: &UctInstance) -> u32 {
        let hook = &self.hook;
        hook.busy.set(false);
        let mut count = 0;
        for rank in hook.unready.take() {
            let Some(endpoint) = device.endpoint(rank) else { continue };
            let mut lane = endpoint.lane(cri.index()).borrow_mut();
            let before = lane.waiting.len();
            // Sent already by a call that came before this.
            if before == 0 {
                continue;
            }
            match endpoint.greet(self, cri.index(), &mut lane) {
                Ok(true) => {}
                Ok(false) if !endpoint.is_lost() => hook.unready(rank),
                // What waits is lost with the peer; and a peer that would miss it, whatever the reason, is lost.
                _ => {
                    lane.waiting.clear();
                    hook.lost(rank);
                }
            }
            count += (before - lane.waiting.len()) as u32;
        }
        for ep in hook.broken.take() {
            let is_its =
                |ends: &Option<Connection>| ends.as_ref().is_some_and(|one| one.ep() == ep);
            let owner = device
                .endpoints()
                .find(|endpoint| is_its(&endpoint.lane(cri.index()).borrow().messages));
            if let Some(endpoint) = owner {
                hook.lost.borrow_mut().push(endpoint.rank);
            }
            self.parting.borrow_mut().retain(|one| !is_its(&one.lane.messages));
        }
        for rank in hook.lost.take() {
            count += 1;
            lose(device, rank);
        }
        // After what has broken: the library may find nothing to flush on a connection that has lost it.
        self.flushes.borrow_mut().retain_mut(|flush| !flush.go_on(device, cri));
        count += self.part_further();
        if !self.flushes.borrow().is_empty() || !hook.lost.borrow().is_empty() {
            hook.busy.set(true);
        }
        loop {
            let next = hook.finished.borrow_mut().pop_front();
            let Some((completion, status)) = next else { break };
            // When it closes nobody is there any more to be told.
            if !device.is_closing() {
                count += 1;
                completion.call(status);
            }
        }
        if !hook.early.borrow().is_empty() {
            hook.busy.set(true);
        }
        count
    }

    /// Sends and flushes what removed endpoints have left.
    fn part_further(&self) -> u32 {
        let mut parting = self.parting.take();
        let before = parting.len();
        parting.retain_mut(|one| !one.go_on(self));
        let count = before - parting.len();
        if !parting.is_empty() {
            self.hook.busy.set(true);
        }
        self.parting.borrow_mut().append(&mut parting);
        count as u32
    }
}

impl Parting {
    /// Whether it is over.
    fn go_on(&mut self, cri: &UctCri) -> bool {
        let sent = self.endpoint.push(cri, &mut self.lane);
        let (Ok(sent), Some(connection)) = (sent, &self.lane.messages) else { return true };
        if !sent {
            return false;
        }
        if self.flushed.is_none() {
            self.flushed = Operation::flush_connection(cri, connection.ep());
            // Once a flush is begun, nothing waits in the library for the network; some networks then ask the
            // peer, which may compute for hours.
            self.courtesy |= self.flushed.is_some();
        }
        self.flushed.as_ref().is_some_and(|flushed| flushed.get())
    }
}

/// A rank can't be reached any more. The host is told when all CRIs were seen without a message of it.
#[cold]
fn lose(device: &UctDevice, rank: u32) {
    if let Some(endpoint) = device.endpoint(rank) {
        endpoint.lose();
    }
    device.lives.has_ended(rank);
}

impl Hook {
    /// Whether the library is calling us back.
    pub fn is_called_back(&self) -> bool {
        self.now.get().is_some()
    }

    /// A lane to this rank has something that waits.
    pub fn unready(&self, rank: u32) {
        self.unready.borrow_mut().push(rank);
        self.busy.set(true);
    }

    /// An operation on this rank has failed for good.
    pub fn lost(&self, rank: u32) {
        self.lost.borrow_mut().push(rank);
        self.busy.set(true);
    }

    /// An operation is over.
    pub fn finish(&self, completion: Completion, status: Status) {
        self.finished.borrow_mut().push_back((completion, status));
        self.busy.set(true);
    }

    /// Something is left for a progress call.
    pub fn wait(&self) {
        self.busy.set(true);
    }
}

/// A message has come in.
unsafe extern "C" fn receive(
    hook: *mut c_void,
    data: *mut c_void,
    len: usize,
    _: c_uint,
) -> ucs_status_t {
    // SAFETY: the hook was given with this function; the library hands on so many bytes, which are ours
    // until this returns.
    let (hook, bytes) =
        unsafe { (&*hook.cast::<Hook>(), std::slice::from_raw_parts(data.cast::<u8>(), len)) };
    match hook.now.get() {
        // SAFETY: they live during the progress call that has set them.
        Some((device, cri)) => unsafe { take(device.as_ref(), cri.as_ref(), bytes) },
        None => {
            hook.early.borrow_mut().push_back(bytes.to_vec());
            hook.busy.set(true);
        }
    }
    UCS_OK
}

/// Called when an endpoint of the library has broken.
type Broke = unsafe extern "C" fn(*mut c_void, uct_ep_h, ucs_status_t) -> ucs_status_t;

/// A transfer was refused, of which its completion tells.
unsafe extern "C" fn refused(_: *mut c_void, _: uct_ep_h, _: ucs_status_t) -> ucs_status_t {
    UCS_OK
}

/// An endpoint of the library has broken.
unsafe extern "C" fn broke(hook: *mut c_void, ep: uct_ep_h, _: ucs_status_t) -> ucs_status_t {
    // SAFETY: the hook was given with this function.
    let hook = unsafe { &*hook.cast::<Hook>() };
    hook.broken.borrow_mut().push(ep);
    hook.busy.set(true);
    UCS_OK
}

/// Takes a message that came in, head first: from a peer of the job, or it is nobody's.
#[inline]
fn take(device: &UctDevice, cri: &UctInstance, message: &[u8]) {
    let Some((head, rest)) = message::parse(message, cri.messages.head) else { return };
    match device.admission.admit(head, rest) {
        // Nobody is left to take it.
        Admitted::Message(..) if device.is_closing() => {}
        Admitted::Message(rank, tag) => {
            let endpoint = device.endpoint(rank);
            if rest.as_ptr().addr().is_multiple_of(8) {
                device.deliver(cri, endpoint, tag, rest);
            } else {
                let mut room = cri.aligned.take();
                let words = rest.len().div_ceil(8);
                if room.len() < words {
                    room.resize(words, 0);
                }
                // SAFETY: the room is longer; bytes need not be initialized further than they are.
                let place = unsafe {
                    let place = room.as_mut_ptr().cast::<u8>();
                    place.copy_from_nonoverlapping(rest.as_ptr(), rest.len());
                    std::slice::from_raw_parts(place, rest.len())
                };
                device.deliver(cri, endpoint, tag, place);
                *cri.aligned.borrow_mut() = room;
            }
        }
        Admitted::Greeting(rank) => device.greeted(rank),
        Admitted::Goodbye(rank) => device.part(rank),
        Admitted::Refused => device.refuse(),
    }
}

/// Polls of a CRI after which what a peer had sent before it ended is handed on, also where others go on sending:
/// the library takes several messages in each, and the queues that it shares have 64.
const LAST_POLLS: u32 = 64;

/// Reports the peers that have ended. With no CRI's lock held.
pub fn reap(device: &UctDevice) -> u32 {
    for gone in device.sockets.look(|| device.accepting()) {
        let why = gone.explain(&device.sockets, "btl_uct_peer_timeout");
        for rank in device.lost(gone) {
            device.unreached.lock().insert(rank, why.clone());
            device.lives.has_ended(rank);
        }
    }
    let ended = device.lives.reap(device.host, |_| {
        for cri in device.hold_each() {
            (0..LAST_POLLS).any(|_| UctCri::poll(device, &cri) == 0);
        }
        true
    });
    for rank in &ended {
        for cri in device.hold_each() {
            cri.give_up(*rank);
            // With a lock, so that the endpoint stays.
            if let Some(endpoint) = device.endpoint(*rank) {
                endpoint.lose();
            }
        }
        // One that has said goodbye has ended in order.
        if !device.has_parted(*rank) && !device.is_closing() {
            let why = device.unreached.lock().remove(rank);
            match why {
                Some(why) => device.host.log(LOG_WARN, || format!("rank {rank} is gone: {why}")),
                None => device.host.log(LOG_INFO, || format!("rank {rank} is gone")),
            }
            device.host.peer_failed(*rank);
        }
    }
    ended.len() as u32
}
