//! Instances for tests, and what is done with them again and again.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks, missing_docs)]

use std::ffi::c_void;
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;

use ugni_emulator::datagram::*;
use ugni_emulator::nic::*;
use ugni_emulator::post::*;
use ugni_emulator::queue::*;
use ugni_emulator::smsg::*;
use ugni_emulator::types::*;

pub const TAG: u8 = 7;

/// Says what part a process has that a test starts.
pub const ROLE: &str = "UGNI_TEST_ROLE";

/// A cookie that no other process of tests has.
pub fn cookie() -> u32 {
    std::process::id()
}

/// An instance with a queue of local events, and one of remote ones.
pub struct Side {
    pub cdm: *mut Cdm,
    pub nic: *mut Nic,
    pub address: u32,
    pub id: u32,
    pub local: *mut Queue,
    pub remote: *mut Queue,
}

impl Side {
    pub fn new(id: u32) -> Self {
        Self::with(id, cookie(), 64)
    }

    pub fn with(id: u32, cookie: u32, entries: u32) -> Self {
        let (mut cdm, mut nic, mut address) = (null_mut(), null_mut(), 0);
        let (mut local, mut remote) = (null_mut(), null_mut());
        unsafe {
            assert_eq!(GNI_CdmCreate(id, TAG, cookie, 0, &mut cdm), SUCCESS);
            assert_eq!(GNI_CdmAttach(cdm, 0, &mut address, &mut nic), SUCCESS);
            for queue in [&mut local, &mut remote] {
                let made = GNI_CqCreate(nic, entries, 0, BLOCKING, null_mut(), null_mut(), queue);
                assert_eq!(made, SUCCESS);
            }
        }
        Self { cdm, nic, address, id, local, remote }
    }

    pub fn endpoint(&self) -> *mut Endpoint {
        let mut endpoint = null_mut();
        assert_eq!(unsafe { GNI_EpCreate(self.nic, self.local, &mut endpoint) }, SUCCESS);
        endpoint
    }

    pub fn bound(&self, address: u32, id: u32) -> *mut Endpoint {
        let endpoint = self.endpoint();
        assert_eq!(unsafe { GNI_EpBind(endpoint, address, id) }, SUCCESS);
        endpoint
    }

    pub fn register<T>(&self, memory: &mut [T], flags: u32, events: bool) -> MemHandle {
        let mut handle = MemHandle::default();
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let queue = if events { self.remote } else { null_mut() };
        let len = size_of_val(memory) as u64;
        let done =
            unsafe { GNI_MemRegister(self.nic, address, len, queue, flags, u32::MAX, &mut handle) };
        assert_eq!(done, SUCCESS);
        handle
    }

    pub fn deregister(&self, mut handle: MemHandle) {
        assert_eq!(unsafe { GNI_MemDeregister(self.nic, &mut handle) }, SUCCESS);
        assert_eq!(handle, MemHandle::default());
    }

    pub fn end(self) {
        unsafe {
            assert_eq!(GNI_CqDestroy(self.local), SUCCESS);
            assert_eq!(GNI_CqDestroy(self.remote), SUCCESS);
            assert_eq!(GNI_CdmDestroy(self.cdm), SUCCESS);
        }
    }

    /// Posts, and takes the event.
    pub fn run(&self, endpoint: *mut Endpoint, post: &mut PostDescriptor) -> Return {
        let posted = unsafe {
            match post.kind {
                RDMA_PUT | RDMA_GET => GNI_PostRdma(endpoint, post),
                CQWRITE => GNI_PostCqWrite(endpoint, post),
                _ => GNI_PostFma(endpoint, post),
            }
        };
        if posted != SUCCESS {
            return posted;
        }
        let (outcome, entry) = event(self.local);
        let mut done = null_mut();
        assert_eq!(unsafe { GNI_GetCompleted(self.local, entry, &mut done) }, outcome);
        assert!(std::ptr::eq(done, post));
        assert_eq!(unsafe { GNI_GetCompleted(self.local, entry, &mut done) }, DESCRIPTOR_ERROR);
        outcome
    }
}

pub fn free(endpoint: *mut Endpoint) {
    assert_eq!(unsafe { GNI_EpDestroy(endpoint) }, SUCCESS);
}

/// The next event, if there is one.
pub fn event(queue: *mut Queue) -> (Return, u64) {
    let mut entry = 0;
    let outcome = unsafe { GNI_CqGetEvent(queue, &mut entry) };
    (outcome, entry)
}

pub fn post(kind: u32) -> PostDescriptor {
    let mut made: PostDescriptor = unsafe { std::mem::zeroed() };
    (made.kind, made.cq_mode) = (kind, GLOBAL_EVENT);
    made
}

/// A post between memory of both sides.
pub fn transfer<T>(
    kind: u32,
    local: (&mut [T], MemHandle),
    remote: (u64, MemHandle),
) -> PostDescriptor {
    let mut made = post(kind);
    made.local_addr = local.0.as_mut_ptr().expose_provenance() as u64;
    made.length = size_of_val(local.0) as u64;
    (made.local_mem_hndl, made.remote_addr, made.remote_mem_hndl) = (local.1, remote.0, remote.1);
    made
}

/// Memory of a mailbox, and its description.
pub fn mailbox(side: &Side, credits: u16, most: u32) -> (Vec<u64>, SmsgAttr) {
    let mut attr = SmsgAttr {
        msg_type: SMSG_MBOX_AUTO_RETRANSMIT,
        msg_buffer: null_mut(),
        buff_size: 0,
        mem_hndl: MemHandle::default(),
        mbox_offset: 0,
        mbox_maxcredit: credits,
        msg_maxsize: most,
    };
    let mut size = 0;
    assert_eq!(unsafe { GNI_SmsgBufferSizeNeeded(&mut attr, &mut size) }, SUCCESS);
    let mut memory = vec![0_u64; size.div_ceil(8) as usize];
    attr.mem_hndl = side.register(&mut memory, 0, true);
    (attr.msg_buffer, attr.buff_size) = (memory.as_mut_ptr().cast(), size);
    (memory, attr)
}

pub fn send(endpoint: *mut Endpoint, bytes: &[u8], id: u32, tag: u8) -> Return {
    let (header, rest) = bytes.split_at(bytes.len() / 3);
    let pointer = |bytes: &[u8]| bytes.as_ptr().cast_mut().cast::<c_void>();
    let (one, two) = (header.len() as u32, rest.len() as u32);
    unsafe { GNI_SmsgSendWTag(endpoint, pointer(header), one, pointer(rest), two, id, tag) }
}

/// The next message, of so many bytes.
pub fn receive(endpoint: *mut Endpoint, len: usize, tag: &mut u8) -> Result<Vec<u8>, Return> {
    let mut header = null_mut();
    match unsafe { GNI_SmsgGetNextWTag(endpoint, &mut header, tag) } {
        SUCCESS => {}
        error => return Err(error),
    }
    let bytes = unsafe { std::slice::from_raw_parts(header.cast::<u8>(), len) }.to_vec();
    let mut again = null_mut();
    assert_eq!(unsafe { GNI_SmsgGetNextWTag(endpoint, &mut again, tag) }, INVALID_STATE);
    assert_eq!(unsafe { GNI_SmsgRelease(endpoint) }, SUCCESS);
    Ok(bytes)
}

/// Posts a datagram whose answer goes to `answer`.
pub fn exchange(endpoint: *mut Endpoint, bytes: &[u8], answer: &mut [u8], id: u64) -> Return {
    let (len, room) = (bytes.len() as u16, answer.len() as u16);
    let (bytes, answer) = (bytes.as_ptr().cast_mut().cast(), answer.as_mut_ptr().cast());
    unsafe { GNI_EpPostDataWId(endpoint, bytes, len, answer, room, id) }
}

/// The first exchange that is finished.
pub fn probe(side: &Side) -> Option<u64> {
    let mut id = 0;
    match unsafe { GNI_PostDataProbeById(side.nic, &mut id) } {
        SUCCESS => Some(id),
        NO_MATCH => None,
        other => panic!("{other}"),
    }
}

/// Finishes it: state, and who it was.
pub fn finish(endpoint: *mut Endpoint, id: u64) -> (Return, u32, (u32, u32)) {
    let (mut state, mut address, mut remote) = (99, 0, 0);
    let outcome = unsafe {
        GNI_EpPostDataWaitById(endpoint, id, u32::MAX, &mut state, &mut address, &mut remote)
    };
    (outcome, state, (address, remote))
}

/// Runs one test of this program in a process of its own, in another part.
pub fn start(test: &str, role: &str, variables: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ROLE, role)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The part of this process.
pub fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}
