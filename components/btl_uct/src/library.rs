//! UCX's libraries, as they are found when the first device is wanted.
//!
//! UCT promises no binary interface. What is used of it has been the same in the releases from 1.13 to 1.21
//! but for the elements of a worker's queue of callbacks, so those are what is taken; others are refused by
//! name.
//!
//! The library would do more than move bytes: it installs handlers of signals, writes log lines, and has hooks
//! in functions for memory. All of that belongs to the program. The handlers are put back, log lines are dropped
//! (what fails comes back as a status), and the hooks are told that somebody else reports changes of memory.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fmt::Display;
use std::ops::Deref;
use std::sync::OnceLock;

use cairn_framework::author::Failure;
use cairn_transport::Signals;
use libloading::os::unix::{self, RTLD_LOCAL, RTLD_NOW};

use crate::bindings::*;

const UCT: &str = "libuct.so.0";
/// UCT has no function that says its version; this library comes with it.
const UCP: &str = "libucp.so.0";

const OLDEST: (u32, u32) = (1, 13);
const NEWEST: (u32, u32) = (1, 21);
/// From here on an element of a queue of callbacks has two words.
const SHORT_ELEMENTS: (u32, u32) = (1, 16);

// What the headers define by macros, of which bindings are not made.
pub const AM_SHORT: u64 = 1;
pub const AM_BCOPY: u64 = 1 << 1;
pub const PUT_SHORT: u64 = 1 << 4;
pub const PUT_BCOPY: u64 = 1 << 5;
pub const PUT_ZCOPY: u64 = 1 << 6;
pub const GET_ZCOPY: u64 = 1 << 10;
pub const ATOMIC_CPU: u64 = 1 << 30;
pub const ATOMIC_DEVICE: u64 = 1 << 31;
pub const CONNECT_TO_IFACE: u64 = 1 << 40;
pub const AM_DUP: u64 = 1 << 43;
pub const CB_SYNC: u64 = 1 << 44;

/// The keys and handles that stand for none.
pub const NO_KEY: uct_rkey_t = uct_rkey_t::MAX;

/// Events of memory that UCX would have hooks for.
const MEMORY_EVENTS: c_int = 0x3ff | 3 << 16;

/// The loaded library.
pub struct Library {
    functions: Uct,
    /// Words of an element of a queue of callbacks: function, argument and what follows.
    words: usize,
    pub version: (u32, u32, u32),
}

impl Deref for Library {
    type Target = Uct;

    fn deref(&self) -> &Uct {
        &self.functions
    }
}

impl Library {
    /// The library, loaded by the first call and kept as long as the process lives: it has threads and
    /// destructors of its own.
    ///
    /// # Errors
    /// When it is not there, or its version is not one that is known.
    pub fn get() -> Result<&'static Self, Failure> {
        static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
        LIBRARY.get_or_init(load).as_ref().map_err(|text| Failure::unavailable(text.clone()))
    }

    /// What a status means.
    pub fn explain(&self, status: ucs_status_t) -> String {
        // SAFETY: the function takes any status and returns a string that stays.
        let text = unsafe { CStr::from_ptr(self.ucs_status_string(status)) };
        text.to_string_lossy().into_owned()
    }

    /// A failure, if a status is one.
    pub fn check(&self, what: impl Display, status: ucs_status_t) -> Result<(), Failure> {
        match status {
            UCS_OK => Ok(()),
            other => Err(Failure::unavailable(format!("{what}: {}", self.explain(other)))),
        }
    }

    /// Calls what has registered with a worker, and returns how many events there were. What the header has as
    /// an inline function.
    ///
    /// # Safety
    /// The worker is there and used by this thread alone.
    #[inline]
    pub unsafe fn progress(&self, worker: uct_worker_h) -> u32 {
        let mut element = worker.cast::<usize>();
        let mut count = 0;
        // SAFETY: the queue begins with its elements, the last of which has no function; a function is followed
        // by its argument.
        unsafe {
            while let Some(call) = *element.cast::<ucs_callback_t>() {
                count += call(*element.add(1).cast());
                element = element.add(self.words);
            }
        }
        count
    }
}

fn load() -> Result<Library, String> {
    let (functions, version) = open()?;
    let (major, minor, release) = version;
    if (major, minor) < OLDEST || (major, minor) > NEWEST {
        let text = |(major, minor)| format!("{major}.{minor}");
        return Err(format!(
            "{UCT} is of UCX {major}.{minor}.{release}; known are {} to {}",
            text(OLDEST),
            text(NEWEST)
        ));
    }
    // SAFETY: both take any value; the handler drops what it is given.
    unsafe {
        functions.ucs_log_push_handler(Some(silent));
        functions.ucm_set_external_event(MEMORY_EVENTS);
    }
    let words = if (major, minor) < SHORT_ELEMENTS { 3 } else { 2 };
    Ok(Library { functions, words, version })
}

fn open() -> Result<(Uct, (u32, u32, u32)), String> {
    let _signals = Signals::save();
    // SAFETY: the libraries' constructors are made to run in any process; the functions have these types.
    unsafe {
        let load = |name: &str| {
            let found = unix::Library::open(Some(name), RTLD_NOW | RTLD_LOCAL);
            found.map_err(|error| format!("{name} not found: {error}"))
        };
        let uct = load(UCT)?;
        let ucp = load(UCP)?;
        let version = {
            type Version = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);
            let version = ucp.get::<Version>(b"ucp_get_version\0");
            let version = version.map_err(|error| format!("{UCP}: {error}"))?;
            let (mut major, mut minor, mut release) = (0, 0, 0);
            version(&raw mut major, &raw mut minor, &raw mut release);
            (major, minor, release)
        };
        std::mem::forget(ucp);
        let functions = Uct::from_library(uct).map_err(|error| format!("{UCT}: {error}"))?;
        Ok((functions, version))
    }
}

/// Takes the library's log lines and writes none.
unsafe extern "C" fn silent(
    _: *const c_char,
    _: c_uint,
    _: *const c_char,
    _: ucs_log_level_t,
    _: *const ucs_log_component_config_t,
    _: *const c_char,
    _: *mut __va_list_tag,
) -> ucs_log_func_rc_t {
    UCS_LOG_FUNC_RC_STOP
}
