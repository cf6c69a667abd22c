//! Structures and constants, as a program sees them.

use std::ffi::{c_char, c_void};

/// What a function returns.
pub type Return = u32;

/// Done.
pub const SUCCESS: Return = 0;
/// Not now: try again.
pub const NOT_DONE: Return = 1;
/// An argument is wrong.
pub const INVALID_PARAM: Return = 2;
/// There is no room.
pub const ERROR_RESOURCE: Return = 3;
/// The time is over.
pub const TIMEOUT: Return = 4;
/// Not allowed.
pub const PERMISSION_ERROR: Return = 5;
/// There is no such descriptor.
pub const DESCRIPTOR_ERROR: Return = 6;
/// An address or length is not aligned.
pub const ALIGNMENT_ERROR: Return = 7;
/// Not in this state.
pub const INVALID_STATE: Return = 8;
/// There is none that fits.
pub const NO_MATCH: Return = 9;
/// A length is wrong.
pub const SIZE_ERROR: Return = 10;
/// A transaction has failed.
pub const TRANSACTION_ERROR: Return = 11;
/// The device does not do that.
pub const ILLEGAL_OP: Return = 12;
/// No memory.
pub const ERROR_NOMEM: Return = 13;

/// A table of names that C sees.
#[repr(transparent)]
pub struct Names<const N: usize>([*const c_char; N]);

// SAFETY: pointers to constant strings.
unsafe impl<const N: usize> Sync for Names<N> {}

/// The names of what functions return.
#[unsafe(no_mangle)]
pub static gni_err_str: Names<14> = Names([
    c"GNI_RC_SUCCESS".as_ptr(),
    c"GNI_RC_NOT_DONE".as_ptr(),
    c"GNI_RC_INVALID_PARAM".as_ptr(),
    c"GNI_RC_ERROR_RESOURCE".as_ptr(),
    c"GNI_RC_TIMEOUT".as_ptr(),
    c"GNI_RC_PERMISSION_ERROR".as_ptr(),
    c"GNI_RC_DESCRIPTOR_ERROR".as_ptr(),
    c"GNI_RC_ALIGNMENT_ERROR".as_ptr(),
    c"GNI_RC_INVALID_STATE".as_ptr(),
    c"GNI_RC_NO_MATCH".as_ptr(),
    c"GNI_RC_SIZE_ERROR".as_ptr(),
    c"GNI_RC_TRANSACTION_ERROR".as_ptr(),
    c"GNI_RC_ILLEGAL_OP".as_ptr(),
    c"GNI_RC_ERROR_NOMEM".as_ptr(),
]);

/// The names of the statistics.
#[unsafe(no_mangle)]
pub static gni_statistic_str: Names<STATISTICS> = Names([
    c"SMSG_BUFF_CREDITS_STALL".as_ptr(),
    c"SMSG_DLA_STALL".as_ptr(),
    c"SMSG_MBOX_CREDITS_STALL".as_ptr(),
    c"SMSG_REQ_STALL".as_ptr(),
    c"SMSG_RETRANS_COUNT".as_ptr(),
    c"SMSG_RETRANS_DLA_COUNT".as_ptr(),
    c"SMSG_RETRANS_STALL".as_ptr(),
]);

/// How many statistics there are.
pub const STATISTICS: usize = 7;
/// The statistic of messages that found no credits.
pub const MBOX_CREDITS_STALL: u32 = 2;

/// Device types.
pub const GEMINI: u32 = 0;
/// See [`GEMINI`].
pub const ARIES: u32 = 1;

/// Mode of a CDM: posts may ask for local and global events at once.
pub const DUAL_EVENTS: u32 = 0x1000;

/// Flag of a registration: peers only read.
pub const READ_ONLY: u32 = 1;

/// Mode of a queue: it can be waited for.
pub const BLOCKING: u32 = 1;

/// Types of events.
pub const EVENT_POST: u64 = 0;
/// See [`EVENT_POST`].
pub const EVENT_SMSG: u64 = 1;

/// `cq_mode`: an event here when the buffer is free.
pub const LOCAL_EVENT: u16 = 1;
/// `cq_mode`: an event here when the peer sees the data.
pub const GLOBAL_EVENT: u16 = 2;
/// `cq_mode`: an event at the peer.
pub const REMOTE_EVENT: u16 = 4;

/// Types of posts.
pub const RDMA_PUT: u32 = 1;
/// See [`RDMA_PUT`].
pub const RDMA_GET: u32 = 2;
/// See [`RDMA_PUT`].
pub const FMA_PUT: u32 = 3;
/// See [`RDMA_PUT`].
pub const FMA_PUT_W_SYNCFLAG: u32 = 4;
/// See [`RDMA_PUT`].
pub const FMA_GET: u32 = 5;
/// See [`RDMA_PUT`].
pub const AMO: u32 = 6;
/// See [`RDMA_PUT`].
pub const CQWRITE: u32 = 7;

/// States of a datagram.
pub const POST_PENDING: u32 = 0;
/// See [`POST_PENDING`].
pub const POST_COMPLETED: u32 = 1;
/// See [`POST_PENDING`].
pub const POST_TERMINATED: u32 = 4;

/// Types of mailboxes.
pub const SMSG_MBOX: u32 = 1;
/// See [`SMSG_MBOX`].
pub const SMSG_MBOX_AUTO_RETRANSMIT: u32 = 2;
/// Any tag.
pub const SMSG_ANY_TAG: u8 = 0xff;
/// Most bytes of a message.
pub const SMSG_MOST: u32 = 65_535;
/// Most bytes of a datagram.
pub const DATAGRAM_MOST: usize = 128;

/// Job resources: registrations.
pub const RES_MDD: u32 = 1;
/// Job resources: completion queues.
pub const RES_CQ: u32 = 5;
/// Job resources: FMA windows.
pub const RES_FMA: u32 = 6;

/// A registration as others know it. All zero: none.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemHandle {
    /// The process, and the place of the region in its table.
    pub qword1: u64,
    /// The generation of the place, which is not 0.
    pub qword2: u64,
}

/// A mailbox.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SmsgAttr {
    /// [`SMSG_MBOX`] or the other.
    pub msg_type: u32,
    /// Memory of mailboxes.
    pub msg_buffer: *mut c_void,
    /// Its length.
    pub buff_size: u32,
    /// Its registration.
    pub mem_hndl: MemHandle,
    /// Where in it this mailbox begins.
    pub mbox_offset: u32,
    /// Messages that it has room for.
    pub mbox_maxcredit: u16,
    /// Most bytes of a message.
    pub msg_maxsize: u32,
}

/// What is to be done.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PostDescriptor {
    /// The program's.
    pub next_descr: *mut c_void,
    /// The program's.
    pub prev_descr: *mut c_void,
    /// The program's.
    pub post_id: u64,
    /// How it ended.
    pub status: u64,
    /// The `cq_mode` of its end.
    pub cq_mode_complete: u16,
    /// One of [`RDMA_PUT`] and the others.
    pub kind: u32,
    /// Which events are wanted.
    pub cq_mode: u16,
    /// Which way packets take.
    pub dlvr_mode: u16,
    /// Here.
    pub local_addr: u64,
    /// The registration of the memory here.
    pub local_mem_hndl: MemHandle,
    /// There.
    pub remote_addr: u64,
    /// The registration of the memory there.
    pub remote_mem_hndl: MemHandle,
    /// Bytes.
    pub length: u64,
    /// Fences.
    pub rdma_mode: u16,
    /// Where the event of an RDMA goes, if not to the endpoint's queue.
    pub src_cq_hndl: *mut crate::queue::Queue,
    /// What is written behind the data.
    pub sync_flag_value: u64,
    /// Where.
    pub sync_flag_addr: u64,
    /// Which atomic operation.
    pub amo_cmd: u32,
    /// Its operand; the comparand of a compare and swap.
    pub first_operand: u64,
    /// The new value of a compare and swap.
    pub second_operand: u64,
    /// The value of a CQ write.
    pub cqwrite_value: u64,
    /// The collective engine's, which there is none of.
    pub ce_cmd: u32,
    /// The same.
    pub ce_mode: u32,
    /// The same.
    pub ce_red_id: u64,
}

/// How much of a resource there is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct JobResources {
    /// In use by this process.
    pub used: u64,
    /// The limit of the job on this node.
    pub limit: u64,
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<MemHandle>() == 16 && size_of::<SmsgAttr>() == 56);
    assert!(offset_of!(SmsgAttr, mem_hndl) == 24 && offset_of!(SmsgAttr, mbox_maxcredit) == 44);
    assert!(size_of::<PostDescriptor>() == 184);
    assert!(offset_of!(PostDescriptor, kind) == 36 && offset_of!(PostDescriptor, local_addr) == 48);
    assert!(offset_of!(PostDescriptor, length) == 96 && offset_of!(PostDescriptor, amo_cmd) == 136);
    assert!(offset_of!(PostDescriptor, cqwrite_value) == 160);
};
