//! Registrations, keys, and memory that the library allocates.
//!
//! ```text
//!   owner   allocate ─► block of the messages' domain ─┐
//!           register ─► inside a block, or else any    ├─► registration ─► key: kind, address, length, the
//!                       memory for the bulk transport ─┘                   library's own key
//!   peer    key ─► the library's, or for a block that can be mapped a pointer
//! ```
//!
//! A key comes from a peer of the job. An access that leaves the range that it names is refused. That the range is
//! the peer's to give is believed: the library does not check it (UCT's posix and sysv map as much as their part of
//! the key says, whatever there is), so a peer of the job that lies, or cuts its memory off, can end this process.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_PROTOCOL, ERR_RESOURCES, ERR_UNSUPPORTED};
use cairn_framework::author::{Failure, Mutex};
use cairn_framework::frameworks::btl::{BTL_REMOTE_ATOMIC, BTL_REMOTE_READ, BTL_REMOTE_WRITE};

use crate::bindings::*;
use crate::domain::Domain;
use crate::library::NO_KEY;
use crate::module::State;

/// Bytes of a key before the library's.
pub const KEY: usize = 20;

const BULK: u32 = 0;
const BLOCK: u32 = 1;

/// Memory that the library has allocated.
struct Block {
    memory: uct_allocated_memory_t,
    domain: Arc<Domain>,
    key: Vec<u8>,
}

// SAFETY: constant; the memory is its users'.
unsafe impl Send for Block {}
// SAFETY: see `Send`.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        let _changing = self.domain.changing.lock();
        // SAFETY: the library has allocated it, and its users are through with it.
        unsafe { self.domain.library.uct_mem_free(&raw const self.memory) };
    }
}

/// Blocks by their address.
#[derive(Default)]
pub struct Blocks(Mutex<Vec<Arc<Block>>>);

impl Blocks {
    fn around(&self, address: *mut c_void, len: usize) -> Option<Arc<Block>> {
        let at = address.addr();
        let holds = |block: &&Arc<Block>| {
            let offset = at.checked_sub(block.memory.address.addr());
            let end = offset.and_then(|offset| offset.checked_add(len));
            end.is_some_and(|end| end <= block.memory.length)
        };
        self.0.lock().iter().find(holds).cloned()
    }
}

/// A registration.
pub struct Region {
    address: u64,
    len: usize,
    memory: Memory,
}

enum Memory {
    Block(Arc<Block>),
    /// Any memory, with the library's handle where it wants one.
    Any(Option<Arc<Handle>>),
}

/// The library's handle of registered memory.
pub struct Handle {
    domain: Arc<Domain>,
    memh: uct_mem_h,
}

// SAFETY: a handle is for any thread; it is ended under the domain's lock.
unsafe impl Send for Handle {}
// SAFETY: see `Send`.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let _changing = self.domain.changing.lock();
        // SAFETY: `register` got it, and nothing uses it any more.
        unsafe { self.domain.library.uct_md_mem_dereg(self.domain.md(), self.memh) };
    }
}

impl Region {
    /// The library's handle for local memory, or none.
    ///
    /// # Safety
    /// The registration is null or one that lives.
    pub unsafe fn handle(registration: *mut c_void) -> uct_mem_h {
        // SAFETY: promised by the caller.
        match unsafe { registration.cast::<Self>().as_ref() }.map(|region| &region.memory) {
            Some(Memory::Any(Some(handle))) => handle.memh,
            _ => null_mut(),
        }
    }

    fn leak(self) -> *mut c_void {
        Box::into_raw(Box::new(self)).cast()
    }
}

/// Registers memory; `blocks` says whether a block is looked for around it.
pub fn register(
    state: &State,
    address: *mut c_void,
    len: usize,
    access: u32,
    blocks: bool,
) -> Result<*mut c_void, Failure> {
    let remote = access & (BTL_REMOTE_READ | BTL_REMOTE_WRITE | BTL_REMOTE_ATOMIC) != 0;
    let place = address.expose_provenance() as u64;
    if remote
        && blocks
        && let Some(block) = state.blocks.around(address, len)
    {
        return Ok(Region { address: place, len, memory: Memory::Block(block) }.leak());
    }
    if access & BTL_REMOTE_ATOMIC != 0 && !state.atomics_anywhere {
        let text = "atomics reach only memory that UCX has allocated";
        return Err(Failure::new(ERR_UNSUPPORTED, text));
    }
    if remote && !state.moves {
        let text = "peers reach only memory that UCX has allocated";
        return Err(Failure::new(ERR_UNSUPPORTED, text));
    }
    let domain = &state.bulk_domain;
    let needed = domain.flags & u64::from(UCT_MD_FLAG_NEED_MEMH) != 0 || domain.key_size > 0;
    if !needed || len == 0 {
        // A key is all that a peer needs, and a pointer all that we do.
        return match remote {
            true => Ok(Region { address: place, len, memory: Memory::Any(None) }.leak()),
            false => Ok(null_mut()),
        };
    }
    let make = || {
        let library = domain.library;
        let mut memh = null_mut();
        let changing = domain.changing.lock();
        // SAFETY: the caller keeps the memory until he ends the registration; afterwards it is used no more unless
        // the memory is still the same.
        let status = unsafe {
            library.uct_md_mem_reg(domain.md(), address, len, UCT_MD_MEM_ACCESS_ALL, &raw mut memh)
        };
        drop(changing);
        if status != UCS_OK {
            let text = format!("{len} bytes: {}", library.explain(status));
            return Err(Failure::new(ERR_RESOURCES, text));
        }
        Ok(Handle { domain: domain.clone(), memh })
    };
    // Each is made with all rights.
    let handle = state.registrations.get(address, len, 0, make)?;
    Ok(Region { address: place, len, memory: Memory::Any(Some(handle)) }.leak())
}

/// Ends a registration.
///
/// # Safety
/// It is null, or `register` or `allocate` gave it and nothing uses it.
pub unsafe fn deregister(registration: *mut c_void) {
    if !registration.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(registration.cast::<Region>()) });
    }
}

/// Allocates a block: its address and its registration.
pub fn allocate(state: &State, len: usize) -> Result<(*mut c_void, *mut c_void), Failure> {
    let domain = &state.domain;
    let library = domain.library;
    let failed = |status| {
        let text = format!("{len} bytes from UCX: {}", library.explain(status));
        Failure::new(ERR_RESOURCES, text)
    };
    // UCX would take what there is, until the kernel ends a process.
    let asked = len as u64;
    let there = cairn_segment::memory(asked).map_or(u64::MAX, |there| there.min(domain.max_alloc));
    if asked > there {
        let text = format!("{len} bytes of memory are not there");
        return Err(Failure::new(ERR_RESOURCES, text));
    }
    let mds = [domain.md()];
    // SAFETY: zeros are valid values of the plain structs; arrays and names live during the call.
    let (status, memory) = unsafe {
        let mut params: uct_mem_alloc_params_t = std::mem::zeroed();
        params.field_mask = u64::from(
            UCT_MEM_ALLOC_PARAM_FIELD_FLAGS
                | UCT_MEM_ALLOC_PARAM_FIELD_MDS
                | UCT_MEM_ALLOC_PARAM_FIELD_MEM_TYPE
                | UCT_MEM_ALLOC_PARAM_FIELD_NAME,
        );
        params.flags = UCT_MD_MEM_ACCESS_ALL;
        params.mem_type = UCS_MEMORY_TYPE_HOST;
        params.mds.mds = mds.as_ptr();
        params.mds.count = 1;
        params.name = c"cairn".as_ptr();
        let mut memory: uct_allocated_memory_t = std::mem::zeroed();
        let method = UCT_ALLOC_METHOD_MD;
        let _changing = domain.changing.lock();
        let (params, memory_place) = (&raw const params, &raw mut memory);
        (library.uct_mem_alloc(len, &raw const method, 1, params, memory_place), memory)
    };
    if status != UCS_OK {
        return Err(failed(status));
    }
    let mut block = Block { memory, domain: domain.clone(), key: vec![0; domain.key_size] };
    // SAFETY: the key has the length that the domain says.
    let packed = unsafe {
        let _changing = domain.changing.lock();
        library.uct_md_mkey_pack(domain.md(), memory.memh, block.key.as_mut_ptr().cast())
    };
    if packed != UCS_OK {
        return Err(failed(packed));
    }
    let address = memory.address;
    let block = Arc::new(block);
    state.blocks.0.lock().push(block.clone());
    let place = address.expose_provenance() as u64;
    Ok((address, Region { address: place, len, memory: Memory::Block(block) }.leak()))
}

/// Frees a block by its registration.
///
/// # Safety
/// `allocate` gave it, and nothing uses the memory.
pub unsafe fn free(state: &State, registration: *mut c_void) {
    // SAFETY: promised by the caller.
    let region = unsafe { Box::from_raw(registration.cast::<Region>()) };
    if let Memory::Block(block) = &region.memory {
        state.blocks.0.lock().retain(|one| !Arc::ptr_eq(one, block));
    }
}

/// Writes the key of a registration.
///
/// # Safety
/// `register` or `allocate` gave the registration.
pub unsafe fn pack(registration: *mut c_void, key: &mut [u8]) -> Result<(), Failure> {
    // SAFETY: promised by the caller.
    let region = unsafe { registration.cast::<Region>().as_ref() };
    let region = region.ok_or("only memory that peers may reach has a key")?;
    key.fill(0);
    let (head, own) = key.split_at_mut(KEY);
    let kind = match &region.memory {
        Memory::Block(block) => {
            own[..block.key.len()].copy_from_slice(&block.key);
            BLOCK
        }
        Memory::Any(handle) => {
            if let Some(handle) = handle {
                let Handle { domain, memh } = &**handle;
                let _changing = domain.changing.lock();
                // SAFETY: there is room for a key of the domain; see `State::key_size`.
                let packed = unsafe {
                    domain.library.uct_md_mkey_pack(domain.md(), *memh, own.as_mut_ptr().cast())
                };
                domain.library.check("a key", packed)?;
            }
            BULK
        }
    };
    head[..8].copy_from_slice(&region.address.to_ne_bytes());
    head[8..16].copy_from_slice(&(region.len as u64).to_ne_bytes());
    head[16..].copy_from_slice(&kind.to_ne_bytes());
    Ok(())
}

/// A peer's key, unpacked.
pub struct Key {
    address: u64,
    len: u64,
    pub reach: Reach,
    bundle: Option<(Arc<Domain>, uct_rkey_bundle_t)>,
}

/// How the memory of a key is reached.
#[derive(Debug, Clone, Copy)]
pub enum Reach {
    /// It is mapped, at its address plus this, which may wrap.
    Mapped(usize),
    /// By the library: over the connection for transfers of any memory, or that for messages.
    Library { rkey: uct_rkey_t, bulk: bool },
}

impl Key {
    /// What a peer's key says.
    pub fn unpack(state: &State, packed: &[u8]) -> Result<Box<Self>, Failure> {
        let wrong = |text: &str| Failure::new(ERR_PROTOCOL, text);
        let (head, own) = packed.split_at_checked(KEY).ok_or_else(|| wrong("a short key"))?;
        let long =
            |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let (address, len) = (long(0), long(8));
        if address.checked_add(len).is_none() {
            return Err(wrong("a key of memory that has no end"));
        }
        let kind = u32::from_ne_bytes(head[16..].try_into().expect("four bytes"));
        let (domain, bulk) = match kind {
            BLOCK => (&state.domain, false),
            BULK => (&state.bulk_domain, state.bulk.is_some()),
            _ => return Err(wrong("it is no key")),
        };
        let library = domain.library;
        if domain.key_size == 0 {
            let reach = Reach::Library { rkey: NO_KEY, bulk };
            return Ok(Box::new(Self { address, len, reach, bundle: None }));
        }
        if own.len() < domain.key_size {
            return Err(wrong("a short key"));
        }
        // SAFETY: zeros are a valid value of the plain struct, and the key is long enough.
        let (status, bundle) = unsafe {
            let mut bundle: uct_rkey_bundle_t = std::mem::zeroed();
            let _changing = domain.changing.lock();
            let own = own.as_ptr().cast();
            (library.uct_rkey_unpack(domain.component(), own, &raw mut bundle), bundle)
        };
        if status != UCS_OK {
            let text = format!("a key of memory that is gone: {}", library.explain(status));
            return Err(Failure::new(ERR_PROTOCOL, text));
        }
        let reach = Reach::Library { rkey: bundle.rkey, bulk };
        let mut key =
            Box::new(Self { address, len, reach, bundle: Some((domain.clone(), bundle)) });
        if domain.flags & u64::from(UCT_MD_FLAG_RKEY_PTR) != 0 {
            key.map()?;
        }
        Ok(key)
    }

    /// Finds where the memory is mapped: its first byte and its last.
    fn map(&mut self) -> Result<(), Failure> {
        let Some((domain, bundle)) = &mut self.bundle else { return Ok(()) };
        let mut found = [null_mut(); 2];
        let last = self.address + self.len.saturating_sub(1);
        for (address, place) in [self.address, last].into_iter().zip(&mut found) {
            let library = domain.library;
            // SAFETY: the bundle was unpacked by this component; that the address is in it is believed, see above.
            let status = unsafe {
                library.uct_rkey_ptr(domain.component(), bundle, address, &raw mut *place)
            };
            if status != UCS_OK {
                let text = format!("a key of memory elsewhere: {}", library.explain(status));
                return Err(Failure::new(ERR_PROTOCOL, text));
            }
        }
        let [first, _] = found.map(|pointer: *mut c_void| pointer.expose_provenance());
        self.reach = Reach::Mapped(first.wrapping_sub(self.address as usize));
        Ok(())
    }

    /// The key that `unpack` made.
    ///
    /// # Safety
    /// It is null, or lives.
    pub unsafe fn of<'a>(key: *mut c_void) -> Result<&'a Self, Failure> {
        // SAFETY: promised by the caller.
        let key = unsafe { key.cast::<Self>().as_ref() };
        key.ok_or_else(|| Failure::new(ERR_ARGUMENT, "a transfer without the peer's key"))
    }

    /// Whether an access stays in the memory.
    #[inline]
    pub fn check(&self, remote: u64, len: usize) -> Result<(), Failure> {
        let inside = remote.checked_sub(self.address).and_then(|at| at.checked_add(len as u64));
        if inside.is_some_and(|end| end <= self.len) {
            Ok(())
        } else {
            Err(self.outside(remote, len))
        }
    }

    #[cold]
    fn outside(&self, remote: u64, len: usize) -> Failure {
        let (own, address) = (self.len, self.address);
        let text = format!(
            "{len} bytes at {remote:#x} are outside of the peer's memory, {own} bytes at {address:#x}"
        );
        Failure::new(ERR_ARGUMENT, text)
    }

    /// The pointer to such memory, or null. The address comes from the peer.
    pub fn pointer(&self, remote: u64, len: usize) -> Result<*mut c_void, Failure> {
        self.check(remote, len)
            .map_err(|failure| Failure::new(ERR_PROTOCOL, failure.to_string()))?;
        Ok(match self.reach {
            Reach::Mapped(offset) => {
                std::ptr::with_exposed_provenance_mut((remote as usize).wrapping_add(offset))
            }
            Reach::Library { .. } => null_mut(),
        })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if let Some((domain, bundle)) = &self.bundle {
            let _changing = domain.changing.lock();
            // SAFETY: `unpack` got it, and nothing uses it any more.
            unsafe { domain.library.uct_rkey_release(domain.component(), bundle) };
        }
    }
}
