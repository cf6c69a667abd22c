//! A libugni in software: the functions of uGNI that a transport uses, between processes of one machine.
//!
//! ```text
//!   segment of a process (memfd) ── instances ── datagrams
//!                                ├─ regions of registered memory
//!                                └─ completion queues (rings)
//!   put, get, AMO, SMSG ──► process_vm_readv, process_vm_writev ──► memory of the other process
//!                       └─► an event ──► a ring of this process, a ring of the other
//! ```
//!
//! It is written from what is documented of uGNI, and is what `btl_ugni` is tested on, because that needs a Cray
//! Gemini or Aries network. It follows the documented rules (alignment, credits, overrun, states, error codes)
//! and is stricter than a network where programs are better off for it. Where it differs:
//!
//! * Transfers are done inside the call that posts them. Events may be delayed and put out of order ([`faults`]).
//! * A get, put or AMO needs the target's process to be one that this one may trace (the same user).
//! * The limit on registrations holds for each process by itself.
//! * Collective functions, message queues and DMAPP events are not there. A post with a synchronization flag is.
//!
//! An instance is found by an abstract socket of its name, which is gone as soon as its process is; segments are
//! anonymous files. So nothing is left of a process that dies. A lock whose holder has died is taken over.
//!
//! **Threads**: as with uGNI, objects of different NICs may be used at the same time, and those of one NIC by one
//! thread at a time. Only `GNI_CqVectorMonitor` needs no lock.

// The functions have uGNI's names, and are unsafe in uGNI's way, as is said of each in uGNI's manual: pointers are
// valid, objects were made and not destroyed. What may be null is checked.
#![allow(non_snake_case, clippy::missing_safety_doc)]

use std::path::PathBuf;
use std::sync::OnceLock;

pub mod datagram;
pub mod faults;
pub mod nic;
pub mod post;
pub mod queue;
mod segment;
pub mod smsg;
mod target;
pub mod types;

/// What a system of Cray's says to each process of a job, in its environment.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("PMI_GNI_PTAG", "9"),
    ("PMI_GNI_COOKIE", "4711"),
    ("PMI_GNI_DEV_ID", "0"),
    ("PMI_GNI_LOC_ADDR", "256"),
];

/// The shared library, which Cargo has built beside the program that runs.
///
/// # Errors
/// When it is not there.
pub fn library() -> std::io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let places = program.ancestors().skip(1).take(2);
    let found = places.map(|place| place.join("libugni_emulator.so")).find(|path| path.exists());
    found.ok_or_else(|| std::io::Error::other("libugni_emulator.so is not beside this program"))
}

/// Makes it the `libugni.so.0` of this process: who loads that later gets it. Whether it is.
pub fn load() -> bool {
    static LOADED: OnceLock<bool> = OnceLock::new();
    *LOADED.get_or_init(|| {
        let Ok(path) = library() else { return false };
        let Ok(path) = std::ffi::CString::new(path.into_os_string().into_encoded_bytes()) else {
            return false;
        };
        // SAFETY: a string; the library has no constructors.
        !unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) }.is_null()
    })
}
