//! Memory into which peers and the network write: mailboxes for messages, buffers for gets.

use std::ptr::{NonNull, null_mut};

use cairn_framework::author::Failure;

use crate::bindings::*;
use crate::library::Library;
use crate::memory::handle;
use crate::nic::{Nic, Queue};
use crate::wire::Mailbox;

/// A block of mailboxes is about so long: a huge page.
const BLOCK: usize = 2 << 20;

/// Pages of zeros.
pub struct Pages {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: memory; who has it says who may use it.
unsafe impl Send for Pages {}

impl Pages {
    /// At least so many bytes; of huge pages, if there are any and they are wanted.
    pub fn new(len: usize, huge: bool) -> Result<Self, Failure> {
        let len = len.next_multiple_of(if huge { BLOCK } else { 4096 });
        let map = |more| {
            let (rights, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping.
            let at = unsafe { libc::mmap(null_mut(), len, rights, flags | more, -1, 0) };
            (at != libc::MAP_FAILED).then_some(at)
        };
        let made = huge.then(|| map(libc::MAP_HUGETLB)).flatten().or_else(|| map(0));
        let start = made.and_then(|at| NonNull::new(at.cast::<u8>()));
        let start = start.ok_or_else(|| {
            let why = std::io::Error::last_os_error();
            Failure::from(format!("there are no {len} bytes of memory: {why}"))
        })?;
        // A child of the program need not have it, and must not share it while the network writes there.
        // SAFETY: mapped above.
        unsafe { libc::madvise(start.as_ptr().cast(), len, libc::MADV_DONTFORK) };
        Ok(Self { start, len })
    }

    pub fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.len);
        // SAFETY: inside.
        unsafe { self.start.as_ptr().add(offset) }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The address of its first byte, for the network.
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and not used any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// The mailboxes of a CRI. Those that were given out stay until it ends: a peer may always write there.
pub struct Mailboxes {
    /// Bytes of one.
    size: u32,
    most: u32,
    credits: u16,
    huge: bool,
    blocks: Vec<(Pages, gni_mem_handle_t)>,
    /// In the last block.
    used: u32,
}

impl Mailboxes {
    pub fn new(library: &Library, most: u32, credits: u16, huge: bool) -> Result<Self, Failure> {
        let mut attr = attributes(&Mailbox {
            memory: 0,
            handle: [0; 2],
            len: 0,
            offset: 0,
            size: 0,
            most,
            credits,
        });
        let mut size = 0;
        // SAFETY: both are there.
        let asked = unsafe { library.GNI_SmsgBufferSizeNeeded(&raw mut attr, &raw mut size) };
        library.check("the size of a mailbox", asked)?;
        let size = size.next_multiple_of(64);
        Ok(Self { size, most, credits, huge, blocks: Vec::new(), used: 0 })
    }

    fn each_block(&self) -> u32 {
        (BLOCK as u32 / self.size).max(1)
    }

    /// Another mailbox. `allow` is asked before memory is registered.
    pub fn take(
        &mut self,
        nic: &Nic,
        events: &Queue,
        allow: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Mailbox, Failure> {
        if self.blocks.is_empty() || self.used == self.each_block() {
            let pages = Pages::new(self.size as usize * self.each_block() as usize, self.huge)?;
            allow()?;
            // SAFETY: the pages stay until the registration has ended.
            let handle = unsafe {
                let len = pages.len() as u64;
                nic.register(pages.address(), len, Some(events), GNI_MEM_READWRITE)?
            };
            self.blocks.push((pages, handle));
            self.used = 0;
        }
        let (pages, handle) = self.blocks.last().ok_or("a block was made")?;
        let offset = self.used * self.size;
        self.used += 1;
        Ok(Mailbox {
            memory: pages.address(),
            handle: [handle.qword1, handle.qword2],
            len: pages.len() as u32,
            offset,
            size: self.size,
            most: self.most,
            credits: self.credits,
        })
    }

    /// Ends the registrations.
    pub fn close(&mut self, nic: &Nic) {
        self.blocks.drain(..).for_each(|(_pages, handle)| nic.deregister(handle));
    }
}

/// A mailbox as the library wants it.
pub fn attributes(mailbox: &Mailbox) -> gni_smsg_attr_t {
    gni_smsg_attr_t {
        msg_type: GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT,
        msg_buffer: std::ptr::with_exposed_provenance_mut(mailbox.memory as usize),
        buff_size: mailbox.len,
        mem_hndl: handle(mailbox.handle),
        mbox_offset: mailbox.offset,
        mbox_maxcredit: mailbox.credits,
        msg_maxsize: mailbox.most,
    }
}
