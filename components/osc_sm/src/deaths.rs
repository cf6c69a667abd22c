//! Waits for processes that have died. Of those that live, one at least learns of each death, and breaks off
//! the waits of all.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::host::PROGRESS_SELDOM;
use cairn_framework::author::{Failure, HostHandle, Mutex};

use crate::window::Shared;

/// The windows of a process.
#[derive(Default)]
pub struct Deaths {
    windows: Mutex<Vec<Arc<Shared>>>,
    /// How many those are.
    count: AtomicU32,
}

impl Deaths {
    /// Looks from time to time, for as long as the component is open.
    pub fn watch(host: HostHandle) -> Result<Arc<Self>, Failure> {
        let deaths = Arc::new(Self::default());
        let context = Arc::as_ptr(&deaths).cast_mut().cast();
        // SAFETY: the component has it as long as it is open, and then the host has taken the callback
        // back.
        unsafe { host.progress_add(look, context, PROGRESS_SELDOM)? };
        Ok(deaths)
    }

    /// A window was made.
    pub fn add(&self, window: &Arc<Shared>) {
        let mut windows = self.windows.lock();
        windows.push(Arc::clone(window));
        self.count.store(windows.len() as u32, Ordering::Relaxed);
    }

    /// A window is freed. Nothing looks at it any more.
    pub fn remove(&self, window: &Arc<Shared>) {
        let mut windows = self.windows.lock();
        windows.retain(|other| !Arc::ptr_eq(other, window));
        self.count.store(windows.len() as u32, Ordering::Relaxed);
    }

    /// Returns how many windows have lost a process for which some thread waits.
    fn look(&self) -> u32 {
        if self.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let Some(windows) = self.windows.try_lock() else { return 0 };
        let mut broken = 0;
        for window in windows.iter() {
            let waits = window.waiting.load(Ordering::Relaxed) != 0;
            if waits && !window.own().is_broken() && window.has_lost() {
                window.break_off();
                broken += 1;
            }
        }
        broken
    }
}

/// The progress callback.
unsafe extern "C" fn look(deaths: *mut c_void) -> u32 {
    // SAFETY: registered with one that lives.
    unsafe { &*deaths.cast::<Deaths>() }.look()
}
