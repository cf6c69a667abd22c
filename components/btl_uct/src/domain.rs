//! Memory domains and what can be opened on them.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cairn_framework::author::{Failure, Mutex};

use crate::bindings::*;
use crate::library::Library;

/// A memory domain.
pub struct Domain {
    pub library: &'static Library,
    component: uct_component_h,
    md: uct_md_h,
    /// `UCT_MD_FLAG_*`.
    pub flags: u64,
    /// Bytes of a packed key.
    pub key_size: usize,
    /// Most bytes of a block.
    pub max_alloc: u64,
    /// Held by calls that change something in the domain.
    pub changing: Mutex<()>,
}

// SAFETY: calls that change something are made under the lock; the others read.
unsafe impl Send for Domain {}
// SAFETY: see `Send`.
unsafe impl Sync for Domain {}

impl Drop for Domain {
    fn drop(&mut self) {
        // SAFETY: `open` opened it, and what was opened on it keeps it alive.
        unsafe { self.library.uct_md_close(self.md) };
    }
}

/// A transport on a device, which can be opened.
#[derive(Clone)]
pub struct Candidate {
    pub domain: Arc<Domain>,
    pub transport: CString,
    pub device: CString,
    pub kind: uct_device_type_t,
}

impl Candidate {
    pub fn transport(&self) -> &str {
        self.transport.to_str().unwrap_or("?")
    }

    pub fn device(&self) -> &str {
        self.device.to_str().unwrap_or("?")
    }

    /// Whether it reaches the processes of this node only, through memory.
    pub fn is_local(&self) -> bool {
        matches!(self.kind, UCT_DEVICE_TYPE_SHM | UCT_DEVICE_TYPE_SELF)
    }
}

impl Domain {
    pub fn md(&self) -> uct_md_h {
        self.md
    }

    pub fn component(&self) -> uct_component_h {
        self.component
    }

    fn open(
        library: &'static Library,
        component: uct_component_h,
        name: &CStr,
    ) -> Result<Self, Failure> {
        // SAFETY: the component is one that the library listed; the places are filled before they are read,
        // and zeros are a valid value of the plain struct.
        unsafe {
            let mut config = null_mut();
            let read = library.uct_md_config_read(component, null(), null(), &raw mut config);
            library.check("its configuration", read)?;
            let mut md = null_mut();
            let status = library.uct_md_open(component, name.as_ptr(), config, &raw mut md);
            library.uct_config_release(config.cast());
            library.check(name.to_string_lossy(), status)?;
            let changing = Mutex::default();
            let mut domain =
                Self { library, component, md, flags: 0, key_size: 0, max_alloc: 0, changing };
            // Longer than the struct of any version that is known.
            let mut attr: Box<(uct_md_attr_t, [u64; 64])> = Box::new(std::mem::zeroed());
            library.check("its attributes", library.uct_md_query(md, &raw mut attr.0))?;
            domain.flags = attr.0.cap.flags;
            domain.key_size = attr.0.rkey_packed_size;
            domain.max_alloc = attr.0.cap.max_alloc;
            Ok(domain)
        }
    }

    /// What can be opened on it.
    fn candidates(self) -> Result<Vec<Candidate>, Failure> {
        let (mut list, mut count) = (null_mut(), 0);
        let library = self.library;
        let domain = Arc::new(self);
        // SAFETY: the library fills the places with an array that is there until it is released.
        unsafe {
            let found = library.uct_md_query_tl_resources(domain.md, &raw mut list, &raw mut count);
            library.check("its transports", found)?;
            if list.is_null() {
                return Ok(Vec::new());
            }
            let all = std::slice::from_raw_parts(list, count as usize);
            let candidates = all.iter().map(|one| Candidate {
                domain: domain.clone(),
                transport: name(&one.tl_name),
                device: name(&one.dev_name),
                kind: one.dev_type,
            });
            let candidates = candidates.collect();
            library.uct_release_tl_resource_list(list);
            Ok(candidates)
        }
    }
}

/// Everything that the library can open here. What can't be opened is left out: UCX lists what it could
/// drive, with or without the hardware.
pub fn candidates(library: &'static Library) -> Result<Vec<Candidate>, Failure> {
    let (mut list, mut count) = (null_mut(), 0);
    let mut found = Vec::new();
    // SAFETY: the library fills the places with an array that is there until it is released, and the
    // attributes' array as long as it is asked for; zeros are valid values of the plain structs.
    unsafe {
        library.check(
            "no components of UCT",
            library.uct_query_components(&raw mut list, &raw mut count),
        )?;
        for place in 0..count as usize {
            let component = *list.add(place);
            let mut attr: Box<uct_component_attr_t> = Box::new(std::mem::zeroed());
            attr.field_mask = u64::from(UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT);
            if library.uct_component_query(component, &raw mut *attr) != UCS_OK {
                continue;
            }
            let mut domains: Vec<uct_md_resource_desc_t> =
                vec![std::mem::zeroed(); attr.md_resource_count as usize];
            attr.field_mask = u64::from(UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES);
            attr.md_resources = domains.as_mut_ptr();
            if library.uct_component_query(component, &raw mut *attr) != UCS_OK {
                continue;
            }
            for domain in &domains {
                let opened = Domain::open(library, component, &name(&domain.md_name));
                found.extend(opened.and_then(Domain::candidates).unwrap_or_default());
            }
        }
        library.uct_release_component_list(list);
    }
    Ok(found)
}

/// A name in an array that need not have a NUL.
fn name(array: &[c_char]) -> CString {
    let bytes: Vec<u8> =
        array.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
    CString::new(bytes).expect("without a NUL")
}
