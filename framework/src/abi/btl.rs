//! **btl** — byte transfer layer: moves bytes between two processes.
//!
//! A transport knows devices, endpoints and bytes. It does not know ranks of communicators, tags of
//! messages or datatypes; that is the protocol layer's (`pml`, `osc`), which drives it. The least a
//! transport must have is `send_immediate` or `send_packed`; everything else is optional and shows
//! in the capabilities of its modules.
//!
//! **Life.** In `open` the transport makes its devices and, for each, its CRIs (communication resource
//! instances), numbers them
//! ([`Cri::index`], from 0 in the pool) and gives the pool to the host by `pool_add`; it is polled from
//! then on. Then `modules` is asked once for the devices: one [`BtlModule`] each, with its limits and
//! its pool. `add_peers` makes endpoints, for all peers or for each on first contact, and may fetch
//! their cards (`card_get`); a transport that connects does it lazily, on the first message.
//! `remove_peer` ends an endpoint. At the end the host calls `remove_peer` for every endpoint, takes
//! the pools and callbacks back, so that nothing is polled any more, and calls `close`. Nothing may
//! wait for a peer in any of these but `close`: what was accepted and still lies in the transport
//! goes out with progress, and the rest when it closes, for which a parameter of the transport sets a
//! limit in time.
//!
//! **Threads and locks.** Sending, put, get, atomics, flush and the pool's `progress` are hot and
//! get a CRI whose lock the caller holds. Different CRIs work at the same time, so what
//! they share (a connection table, a registration cache) has its own lock, taken rarely.
//! `add_peers`, `remove_peer` and memory registration may be called from any thread, several at a
//! time; `remove_peer` with no CRI's lock held, the others also from callbacks. Of the host
//! table, hot functions use what is read in place and `fail`, and on an endpoint's first message, or
//! when something goes wrong, `card_get`, `log` and `show_once`. Besides the CRI's lock they may take
//! locks of the transport's own, for short.
//!
//! **What is used.** The protocol layer sends by `send_immediate` and `send_packed`, and moves large
//! messages by `put` and `get` where a device has them. One-sided communication loads and stores where
//! `map_key` gives it a pointer, and otherwise uses `put`, `get`, `atomic` and `flush` where a device has
//! them.
//!
//! **Memory of the transport.** A device with [`BTL_ALLOCATE`] gives out memory that its peers reach best,
//! for windows above all. `map_key` turns the key of memory into a pointer by which this process loads and
//! stores it as if it were its own, until the key is released; the transport sees to it that such an access
//! ends in no signal, whatever the peer does. Where there is a pointer, put, get, atomics and flush need not
//! be offered: what the processor does reaches the peer's memory at once.
//!
//! **Completion.** A function that returns `CAIRN_DONE` is finished: the buffers are free and the
//! completion will not be called. `CAIRN_QUEUED` promises exactly one call of the completion, from
//! a later progress call on the same CRI, never from inside the function itself. After
//! `CAIRN_NO_RESOURCES` nothing has happened. Completion is local (buffers are free); that a put
//! or an atomic has reached the peer's memory is what `flush` says.
//!
//! **Order.** Messages that one CRI sends to one endpoint arrive in order when the module has
//! [`BTL_IN_ORDER`]; otherwise the protocol layer sorts them. Nothing is ordered between puts, gets,
//! atomics and messages, except by `flush`.
//!
//! **Receiving.** A progress call hands each message to the host's receive table by its tag
//! ([`Received`]), in place; the callback copies what it keeps. What
//! comes from a peer is not trusted: a transport checks lengths and indices before it uses them, and
//! drops a connection that violates its protocol. A message may come before this process has asked
//! for an endpoint to its sender: then [`Received::endpoint`](crate::abi::receive::Received) is null,
//! and a sender that wants an answer names itself in its header, by which the receiver finds the peer and
//! connects. For tags from [`RECEIVE_GROWING`](crate::abi::receive::RECEIVE_GROWING) on a message may be handed on
//! while its sender still writes it; [`BtlOps::wait_for_more`] then says how much there is. Its memory stays the
//! sender's until it is whole, so the transport gives it back only then, whatever its receiver wanted.
//!
//! **Failure.** When a peer is gone, functions on its endpoint return `CAIRN_ERR_PEER`, and queued
//! completions are called with it. A transport that learns of it (a connection that was open broke
//! without a goodbye, a process of the node has ended) tells the host by `peer_failed`, after it has
//! handed on what had arrived before, since no other layer can know that receives wait in vain. `get`
//! may answer `CAIRN_ERR_UNSUPPORTED` on a single endpoint, where the system refuses to a pair what it
//! allows to others, or for a single transfer, when what it needs is short; nothing has happened then, and
//! the protocol layer has the peer send. That may show only when it is under way: its completion has this
//! status then, and nothing counts of what has come.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicU32;

use super::component::Instance;
use super::peer::Peer;
use super::pool::{Cri, CriPool};
use super::receive::Received;
use super::status::{OutcomeCode, Status};

/// [`BtlModule::capabilities`]: `send_immediate`.
pub const BTL_SEND_IMMEDIATE: u64 = 1;
/// [`BtlModule::capabilities`]: `send_packed`.
pub const BTL_SEND_PACKED: u64 = 2;
/// [`BtlModule::capabilities`]: `put`.
pub const BTL_PUT: u64 = 8;
/// [`BtlModule::capabilities`]: `get`.
pub const BTL_GET: u64 = 16;
/// [`BtlModule::capabilities`]: `atomic` on 8-byte integers, all of `CAIRN_BTL_ADD` and the others.
pub const BTL_ATOMIC_64: u64 = 32;
/// [`BtlModule::capabilities`]: `atomic` on 4-byte integers.
pub const BTL_ATOMIC_32: u64 = 64;
/// [`BtlModule::capabilities`]: the device's atomics are atomic with the processor's.
pub const BTL_ATOMIC_GLOBAL: u64 = 128;
/// [`BtlModule::capabilities`]: memory must be registered before put, get and atomics use it.
pub const BTL_NEEDS_REGISTRATION: u64 = 256;
/// [`BtlModule::capabilities`]: messages of one CRI to one endpoint arrive in order.
pub const BTL_IN_ORDER: u64 = 512;
/// [`BtlModule::capabilities`]: `arm` works, so a thread can sleep until something arrives.
pub const BTL_CAN_WAKE: u64 = 1024;

/// [`BtlModule::capabilities`]: with `BTL_NEEDS_REGISTRATION`, only memory that peers read or write has
/// to be registered; this process's own side of put, get and atomics may be any memory.
pub const BTL_LOCAL_UNREGISTERED: u64 = 2048;
/// [`BtlModule::capabilities`]: `allocate_memory`; peers have a pointer to what it gives, by `map_key`.
pub const BTL_ALLOCATE: u64 = 4096;

/// [`BtlModule::exclusivity`]: a network.
pub const BTL_EXCLUSIVITY_NETWORK: u32 = 1024;
/// [`BtlModule::exclusivity`]: memory that the processes of a node share.
pub const BTL_EXCLUSIVITY_SHARED_MEMORY: u32 = 2048;
/// [`BtlModule::exclusivity`]: a process's way to itself.
pub const BTL_EXCLUSIVITY_SELF: u32 = 3072;

/// [`BtlModule`] key and registration limits: bytes of a packed remote key.
pub const BTL_MAX_KEY: usize = 128;

/// Bytes that a protocol layer may put before the data of a message, a packed key included. Every device
/// sends a header of this size and `eager_limit` bytes of payload in one message.
pub const BTL_HEADER_ROOM: usize = 256;

/// Access rights of a registration: the device uses local memory for this process's own operations
/// (put, send, get).
pub const BTL_LOCAL: u32 = 1;
/// Access rights of a registration: peers may read it.
pub const BTL_REMOTE_READ: u32 = 2;
/// Access rights of a registration: peers may write it.
pub const BTL_REMOTE_WRITE: u32 = 4;
/// Access rights of a registration: peers may use atomics on it.
pub const BTL_REMOTE_ATOMIC: u32 = 8;

/// [`BtlAtomic::operation`]: add, wrapping.
pub const BTL_ADD: u32 = 0;
/// [`BtlAtomic::operation`]: bitwise and.
pub const BTL_AND: u32 = 1;
/// [`BtlAtomic::operation`]: bitwise or.
pub const BTL_OR: u32 = 2;
/// [`BtlAtomic::operation`]: bitwise exclusive or.
pub const BTL_XOR: u32 = 3;
/// [`BtlAtomic::operation`]: replace.
pub const BTL_SWAP: u32 = 4;
/// [`BtlAtomic::operation`]: replace by `operand` if it equals `compare`.
pub const BTL_COMPARE_SWAP: u32 = 5;

/// A transport's endpoint: its own type behind a pointer. Made by `add_peers`.
#[repr(C)]
#[derive(Debug)]
pub struct Endpoint {
    /// The transport's own. Not accessed by anybody else.
    pub transport_private: usize,
}

/// One device of a transport. Allocated by the transport; the numbers are constant and read in
/// place on the hot path.
#[repr(C)]
#[derive(Debug)]
pub struct BtlModule {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Preference when several devices reach a peer: only those with the highest are used. One of
    /// `CAIRN_BTL_EXCLUSIVITY_*`, or a number between them.
    pub exclusivity: u32,
    /// `CAIRN_BTL_*`. The host takes away the bits of functions that the table lacks.
    pub capabilities: u64,
    /// The device's name, `eth0`; unique in the component.
    pub name: *const c_char,
    /// The transport's own.
    pub state: *mut c_void,
    /// The CRIs, given to the host by `pool_add`.
    pub pool: *mut CriPool,
    /// Set by the host: the component's table, complete.
    pub ops: *const BtlOps,
    /// Set by the host: the component.
    pub instance: *mut Instance,
    /// Most bytes of header and payload together in `send_immediate`.
    pub immediate_limit: u32,
    /// Most bytes of header and payload together in `send_packed`.
    pub packed_limit: u32,
    /// Bytes of a packed remote key, at most `CAIRN_BTL_MAX_KEY`.
    pub key_size: u32,
    /// Messages up to this many bytes of payload go without asking the receiver first. With
    /// `CAIRN_BTL_HEADER_ROOM` bytes of header they are no longer than `immediate_limit` or
    /// `packed_limit`; otherwise the device is refused.
    pub eager_limit: u64,
    /// Most bytes in one put. 0 without put.
    pub put_limit: u64,
    /// Most bytes in one get. 0 without get.
    pub get_limit: u64,
    /// Both addresses and the length of a get are multiples of it; 1 when there is no such rule.
    pub get_alignment: u32,
    /// One way, small message, in nanoseconds; for choosing among devices.
    pub latency: u32,
    /// In 10^6 bytes a second; for sharing large messages among devices.
    pub bandwidth: u32,
    /// Puts and gets of fewer bytes take longer than a message and its answer, as where each is a call of
    /// the system; 0 where that is so of none.
    pub rma_from: u32,
    /// Messages above `eager_limit` and up to this many bytes go in pieces, one behind the other, without
    /// asking the receiver first; 0 where that is never better. Worth it where both sides copy, so that
    /// the receiver copies one piece while the sender writes the next.
    pub push_limit: u64,
    /// The same for a peer that got one of the last few of the messages which this limit lets through and `push_limit`
    /// does not; 0 where that makes no difference. For transports through whose memory few peers at a time get long
    /// messages sooner, and many later.
    pub push_limit_recent: u64,
}

// SAFETY: constant after `modules`; CRIs carry their locks.
unsafe impl Sync for BtlModule {}
// SAFETY: see `Sync`.
unsafe impl Send for BtlModule {}

/// What to call when an operation that was queued is finished. Allocated by the caller; stays
/// valid until it is called.
#[repr(C)]
#[derive(Debug)]
pub struct BtlCompletion {
    /// Called once, from a progress call with the CRI's lock held. It may start operations;
    /// it must not wait and must not poll. `status` is `CAIRN_OK` or what went wrong.
    pub done: Option<unsafe extern "C" fn(completion: *mut BtlCompletion, status: Status)>,
    /// The caller's own.
    pub context: *mut c_void,
}

/// An active message whose header and payload lie in memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BtlMessage {
    /// The header; copied.
    pub header: *const c_void,
    /// The payload, or null; copied by `send_immediate`.
    pub payload: *const c_void,
    /// Bytes of header.
    pub header_len: u32,
    /// Bytes of payload.
    pub payload_len: u32,
    /// Entry of the receive table that gets it at the peer.
    pub tag: u8,
}

/// An active message whose payload a function writes into the transport's own buffer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BtlPacked {
    /// The header; copied.
    pub header: *const c_void,
    /// Writes at most `len` bytes of payload to `destination` and returns how many; called once,
    /// inside the function, if the message is accepted.
    pub pack: Option<
        unsafe extern "C" fn(context: *mut c_void, destination: *mut c_void, len: usize) -> usize,
    >,
    /// Passed to `pack`.
    pub context: *mut c_void,
    /// Bytes of header.
    pub header_len: u32,
    /// Bytes of payload.
    pub payload_len: u32,
    /// Entry of the receive table that gets it at the peer.
    pub tag: u8,
}

/// A transfer between local memory and the memory of a peer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BtlTransfer {
    /// Local memory; stays until completion.
    pub local: *mut c_void,
    /// Its registration, or null where none is needed.
    pub registration: *mut c_void,
    /// The peer's address.
    pub remote: u64,
    /// What `unpack_key` made, or null where none is needed.
    pub key: *mut c_void,
    /// Bytes.
    pub len: usize,
}

/// An atomic operation on an integer in the memory of a peer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BtlAtomic {
    /// The peer's address, a multiple of `width`.
    pub remote: u64,
    /// What `unpack_key` made, or null where none is needed.
    pub key: *mut c_void,
    /// `CAIRN_BTL_ADD` and the others.
    pub operation: u32,
    /// 4 or 8.
    pub width: u32,
    /// The operand.
    pub operand: u64,
    /// For `CAIRN_BTL_COMPARE_SWAP`.
    pub compare: u64,
    /// Where the old value goes, `width` bytes that stay until completion; null when it is not
    /// wanted.
    pub result: *mut c_void,
}

/// How to be woken when a CRI has something to do.
#[repr(C)]
#[derive(Debug)]
pub struct BtlWake {
    /// A file descriptor that becomes readable, or -1.
    pub fd: c_int,
    /// Zero.
    pub reserved: u32,
    /// A futex word that changes and is woken, or null. May be in memory shared with peers, so the
    /// futex call is not a private one.
    pub word: *const AtomicU32,
    /// The value of `word` that means nothing has happened yet. CRIs may share a word, which is better
    /// where there are many, as a thread can sleep on about a hundred; what the first of them says counts.
    pub expected: u32,
}

/// A transport's functions.
#[repr(C)]
#[derive(Debug)]
pub struct BtlOps {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Stores the array of the transport's devices in `modules` and their number in `count`; the
    /// array stays valid until `close`. Set-up, once. Required.
    pub modules: Option<
        unsafe extern "C" fn(
            instance: *mut Instance,
            modules: &mut *const *mut BtlModule,
            count: &mut u32,
        ) -> Status,
    >,
    /// For each of `count` peers, makes an endpoint and stores it in `endpoints`, or null when the
    /// device does not reach the peer. Does not wait for the peer. When it fails for one, it has made
    /// none. Any thread. Required.
    pub add_peers: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            count: u32,
            peers: *const *const Peer,
            endpoints: *mut *mut Endpoint,
        ) -> Status,
    >,
    /// Ends an endpoint, on which nothing is in flight. Does not wait: what was sent on it still
    /// arrives. Any thread. Required.
    pub remove_peer: Option<unsafe extern "C" fn(module: &BtlModule, endpoint: *mut Endpoint)>,

    /// Sends a small message by copying it: `CAIRN_DONE`, `CAIRN_NO_RESOURCES` or an error. Hot.
    /// Default: `CAIRN_ERR_UNSUPPORTED`.
    pub send_immediate: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            message: &BtlMessage,
        ) -> OutcomeCode,
    >,
    /// Sends a message whose payload a function packs: `CAIRN_DONE`, `CAIRN_NO_RESOURCES` (without
    /// having packed) or an error. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub send_packed: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            message: &BtlPacked,
        ) -> OutcomeCode,
    >,
    /// Writes local memory into the peer's. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub put: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            transfer: &BtlTransfer,
            completion: *mut BtlCompletion,
        ) -> OutcomeCode,
    >,
    /// Reads the peer's memory into local memory. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub get: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            transfer: &BtlTransfer,
            completion: *mut BtlCompletion,
        ) -> OutcomeCode,
    >,
    /// Does an atomic operation in the peer's memory. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
    pub atomic: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            atomic: &BtlAtomic,
            completion: *mut BtlCompletion,
        ) -> OutcomeCode,
    >,
    /// Completes when every put and atomic that this CRI started before, on `endpoint` or,
    /// if that is null, on all, is visible in the peers' memory. Hot. Default:
    /// `CAIRN_ERR_UNSUPPORTED`; required of a transport with put or atomics.
    pub flush: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            completion: *mut BtlCompletion,
        ) -> OutcomeCode,
    >,

    /// Registers `len` bytes for the rights in `access` (`CAIRN_BTL_LOCAL` and the others) and
    /// stores the registration. Any thread. Default: stores null.
    pub register_memory: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            address: *mut c_void,
            len: usize,
            access: u32,
            registration: &mut *mut c_void,
        ) -> Status,
    >,
    /// Ends a registration that nothing in flight uses, as far as the peer has said. Any thread; with
    /// no CRI's lock held if a peer may use the memory. Default: nothing.
    pub deregister_memory:
        Option<unsafe extern "C" fn(module: &BtlModule, registration: *mut c_void)>,
    /// Writes the `key_size` bytes that a peer needs to use a registration. Any thread. Default:
    /// nothing.
    pub pack_key: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            registration: *mut c_void,
            key: *mut c_void,
        ) -> Status,
    >,
    /// Turns a packed key of the peer into what put, get and atomics take. Any thread. Default:
    /// stores null.
    pub unpack_key: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            endpoint: *mut Endpoint,
            packed: *const c_void,
            key: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees what `unpack_key` made. Any thread. Default: nothing.
    pub release_key: Option<unsafe extern "C" fn(module: &BtlModule, key: *mut c_void)>,

    /// Prepares a CRI for sleeping and says what to sleep on. `CAIRN_DONE`: nothing has
    /// happened, sleep. `CAIRN_NO_RESOURCES`: something has happened meanwhile, poll instead. A thread
    /// that is about to sleep arms all CRIs of a pool, one after the other, in the order of their
    /// indices, and begins with 0 each time. With the CRI's lock held. Default:
    /// `CAIRN_ERR_UNSUPPORTED`.
    pub arm:
        Option<unsafe extern "C" fn(module: &BtlModule, cri: &Cri, wake: &mut BtlWake) -> Status>,
    /// Writes what an endpoint is and does, as text for a person (address, connected or not, bytes
    /// queued), and returns the length of the whole text. Any thread. Default: an empty text.
    pub describe: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            endpoint: *mut Endpoint,
            text: *mut c_char,
            capacity: usize,
        ) -> usize,
    >,
    /// Registers `len` bytes (not 0) that the peer behind `endpoint` is about to get, once, all of them
    /// or the first ones, in one piece. They do not change until the registration ends, so the
    /// transport may begin to move them at once, before the peer asks. With the CRI's lock held. Hot.
    /// Default: `register_memory` for `CAIRN_BTL_LOCAL` and `CAIRN_BTL_REMOTE_READ`.
    pub offer_memory: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            cri: &Cri,
            endpoint: *mut Endpoint,
            address: *mut c_void,
            len: usize,
            registration: &mut *mut c_void,
        ) -> Status,
    >,
    /// Allocates `len` bytes (not 0) of zeros that begin at a page, stores their address, and registers them
    /// for all rights. What lies in them may be registered further. Any thread. Default:
    /// `CAIRN_ERR_UNSUPPORTED`.
    pub allocate_memory: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            len: usize,
            address: &mut *mut c_void,
            registration: &mut *mut c_void,
        ) -> Status,
    >,
    /// Frees what `allocate_memory` gave, by its registration. Peers have released their keys; what one that
    /// has not still stores ends in no signal, and may spoil what is allocated next. Any thread. Default:
    /// nothing.
    pub free_memory: Option<unsafe extern "C" fn(module: &BtlModule, registration: *mut c_void)>,
    /// Stores the pointer by which this process loads and stores `len` bytes of the peer's at `remote`, or
    /// null if there is none. It stays valid until `release_key`. Any thread. Default: stores null.
    pub map_key: Option<
        unsafe extern "C" fn(
            module: &BtlModule,
            key: *mut c_void,
            remote: u64,
            len: usize,
            pointer: &mut *mut c_void,
        ) -> Status,
    >,

    /// Waits until more than `have` bytes of a message that is still being written are there, and returns
    /// how many are; `have` if no more will come, because the sender has ended. Only for a message with
    /// `CAIRN_RECEIVED_GROWING` and inside the call of its receiver, which need not wait for what it does not
    /// want. Default: all are there.
    pub wait_for_more:
        Option<unsafe extern "C" fn(module: &BtlModule, received: &Received, have: usize) -> usize>,
    /// Most bytes of header and payload in one message to this endpoint, where that is less than the device's
    /// limits say; `eager_limit` with a header of `CAIRN_BTL_HEADER_ROOM` bytes at least. It may become less, and
    /// longer messages fail from then on: who is refused one asks again. Any thread. Default: as many as the
    /// device's limits say.
    pub message_limit:
        Option<unsafe extern "C" fn(module: &BtlModule, endpoint: *mut Endpoint) -> usize>,
}
