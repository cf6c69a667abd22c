//! The epochs of a window in this process (MPI 5.0, section 12.5): which synchronization may follow which,
//! and which targets an operation may have now.
//!
//! ```text
//!              fence             operation
//!   NOTHING ─────────► FENCED ─────────────► USED      a fence closes what a fence opened
//!      │                 │ nothing was done: the same as NOTHING
//!      ├── start ──► STARTED ── complete ──► NOTHING
//!      ├── lock ───► LOCKED ─── last unlock ► NOTHING   targets are locked one by one
//!      └── lock_all ► LOCKED_ALL ─ unlock_all ► NOTHING
//! ```
//!
//! An exposure epoch, from a post to its wait, is there beside it. An operation reads one word, and where
//! the epoch is not with all processes a byte of its target. Changes are made under a lock.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use cairn_framework::author::{Mutex, MutexGuard};

use crate::abi::generated::constants::MPI_ERR_RMA_SYNC;
use crate::error::{Error, Result};

/// No access epoch.
const NOTHING: u32 = 0;
/// A fence has opened an epoch in which nothing was done yet.
const FENCED: u32 = 1;
/// The same, and there are operations.
const USED: u32 = 2;
/// Between start and complete.
const STARTED: u32 = 3;
/// Some targets are locked.
const LOCKED: u32 = 4;
/// All are.
const LOCKED_ALL: u32 = 5;

/// The epochs of a window.
pub struct Epochs {
    access: AtomicU32,
    exposed: AtomicBool,
    /// Whether the epoch is with a process: 1 for each that is started or locked.
    targets: Box<[AtomicU8]>,
    /// This process's own rank.
    own: u32,
    /// How many targets there are in the epoch.
    changing: Mutex<u32>,
}

#[cold]
fn wrong<T>(text: impl Into<std::borrow::Cow<'static, str>>) -> Result<T> {
    Err(Error::new(MPI_ERR_RMA_SYNC, text))
}

impl Epochs {
    /// Those of a new window.
    pub fn new(size: u32, own: u32) -> Self {
        Self {
            access: AtomicU32::new(NOTHING),
            exposed: AtomicBool::new(false),
            targets: (0..size).map(|_| AtomicU8::new(0)).collect(),
            own,
            changing: Mutex::new(0),
        }
    }

    /// Whether there may be an operation with a target now.
    #[inline(always)]
    pub fn permit(&self, target: u32) -> Result<()> {
        match self.access.load(Ordering::Relaxed) {
            USED | LOCKED_ALL => Ok(()),
            STARTED | LOCKED if self.is_with(target) => Ok(()),
            FENCED => {
                self.first();
                Ok(())
            }
            _ => self.refuse(target),
        }
    }

    /// The same for operations with a request, and for flushes: only where targets are locked.
    pub fn permit_passive(&self, target: u32) -> Result<()> {
        match self.access.load(Ordering::Relaxed) {
            LOCKED_ALL => Ok(()),
            LOCKED if self.is_with(target) => Ok(()),
            LOCKED => self.refuse(target),
            _ => self.refuse_passive(),
        }
    }

    /// Whether there may be a flush of all targets.
    pub fn permit_flush_all(&self) -> Result<()> {
        match self.access.load(Ordering::Relaxed) {
            LOCKED | LOCKED_ALL => Ok(()),
            _ => self.refuse_passive(),
        }
    }

    #[inline(always)]
    fn is_with(&self, target: u32) -> bool {
        let target = self.targets.get(target as usize);
        target.is_some_and(|target| target.load(Ordering::Relaxed) != 0)
    }

    /// The first operation since a fence.
    #[cold]
    fn first(&self) {
        let (change, relaxed) = (&self.access, Ordering::Relaxed);
        // Another thread's may have been first.
        let _ = change.compare_exchange(FENCED, USED, relaxed, relaxed);
    }

    #[cold]
    fn refuse(&self, target: u32) -> Result<()> {
        match self.access() {
            STARTED => wrong(format!("rank {target} is not in the group that MPI_Win_start gave")),
            LOCKED => wrong(format!("rank {target} is not locked")),
            _ => wrong("there is no access epoch: no fence, start or lock came before"),
        }
    }

    #[cold]
    fn refuse_passive(&self) -> Result<()> {
        wrong(match self.access() {
            NOTHING | FENCED => "nothing is locked",
            _ => "this needs a lock, and the epoch is not one of MPI_Win_lock or MPI_Win_lock_all",
        })
    }

    fn access(&self) -> u32 {
        self.access.load(Ordering::Relaxed)
    }

    fn set(&self, access: u32) {
        self.access.store(access, Ordering::Relaxed);
    }

    fn mark(&self, targets: impl IntoIterator<Item = u32>, is: u8) {
        for target in targets {
            if let Some(target) = self.targets.get(target as usize) {
                target.store(is, Ordering::Relaxed);
            }
        }
    }

    /// For a change, if there is no access epoch that excludes it.
    fn free_for(&self, what: &str) -> Result<MutexGuard<'_, u32>> {
        let changing = self.changing.lock();
        match self.access() {
            NOTHING | FENCED => Ok(changing),
            USED => wrong(format!("{what} while operations since the last fence are not complete")),
            STARTED => wrong(format!("{what} before MPI_Win_complete")),
            _ => wrong(format!("{what} while targets are locked")),
        }
    }

    fn not_exposed(&self, what: &str) -> Result<()> {
        if self.exposed.load(Ordering::Relaxed) {
            return wrong(format!("{what} before MPI_Win_wait has ended the exposure epoch"));
        }
        Ok(())
    }

    /// A fence begins. It completes operations, unless `precedes` says that there are none.
    pub fn fence(&self, precedes: bool) -> Result<()> {
        let _changing = self.changing.lock();
        match self.access() {
            NOTHING | FENCED => {}
            USED if precedes => {}
            USED => {
                return wrong("MPI_MODE_NOPRECEDE, but there are operations since the last fence");
            }
            STARTED => return wrong("a fence before MPI_Win_complete"),
            _ => return wrong("a fence while targets are locked"),
        }
        self.not_exposed("a fence")
    }

    /// It has ended, and operations may follow, or not.
    pub fn fenced(&self, succeeds: bool) {
        self.set(if succeeds { FENCED } else { NOTHING });
    }

    /// An access epoch with these targets begins.
    pub fn start(&self, targets: &[u32]) -> Result<()> {
        let _changing = self.free_for("MPI_Win_start")?;
        self.mark(targets.iter().copied(), 1);
        self.set(STARTED);
        Ok(())
    }

    /// It ends.
    pub fn complete(&self) -> Result<()> {
        let _changing = self.changing.lock();
        if self.access() != STARTED {
            return wrong("no MPI_Win_start came before");
        }
        self.mark(0..self.targets.len() as u32, 0);
        self.set(NOTHING);
        Ok(())
    }

    /// An exposure epoch begins.
    pub fn post(&self) -> Result<()> {
        let _changing = self.changing.lock();
        self.not_exposed("MPI_Win_post")?;
        match self.access() {
            USED => {
                return wrong(
                    "MPI_Win_post while operations since the last fence are not complete",
                );
            }
            LOCKED if self.is_with(self.own) => {
                return wrong("MPI_Win_post while this process's own memory is locked");
            }
            LOCKED_ALL => return wrong("MPI_Win_post while this process's own memory is locked"),
            FENCED => self.set(NOTHING),
            _ => {}
        }
        self.exposed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether an exposure epoch may be waited for.
    pub fn wait(&self) -> Result<()> {
        if self.exposed.load(Ordering::Relaxed) {
            Ok(())
        } else {
            wrong("no MPI_Win_post came before")
        }
    }

    /// It has ended.
    pub fn waited(&self) {
        self.exposed.store(false, Ordering::Relaxed);
    }

    /// A target is locked.
    pub fn lock(&self, target: u32) -> Result<()> {
        let mut changing = self.changing.lock();
        match self.access() {
            LOCKED if self.is_with(target) => {
                return wrong(format!("rank {target} is locked already"));
            }
            LOCKED => {}
            LOCKED_ALL => return wrong("MPI_Win_lock while all targets are locked"),
            _ => {
                drop(changing);
                changing = self.free_for("MPI_Win_lock")?;
            }
        }
        if target == self.own {
            self.not_exposed("MPI_Win_lock of this process's own memory")?;
        }
        self.mark([target], 1);
        *changing += 1;
        self.set(LOCKED);
        Ok(())
    }

    /// That ends.
    pub fn unlock(&self, target: u32) -> Result<()> {
        let mut changing = self.changing.lock();
        if self.access() != LOCKED || !self.is_with(target) {
            return wrong(format!("rank {target} was not locked by MPI_Win_lock"));
        }
        self.mark([target], 0);
        *changing -= 1;
        if *changing == 0 {
            self.set(NOTHING);
        }
        Ok(())
    }

    /// All targets are locked.
    pub fn lock_all(&self) -> Result<()> {
        let _changing = self.free_for("MPI_Win_lock_all")?;
        self.not_exposed("MPI_Win_lock_all")?;
        self.set(LOCKED_ALL);
        Ok(())
    }

    /// That ends.
    pub fn unlock_all(&self) -> Result<()> {
        let _changing = self.changing.lock();
        if self.access() != LOCKED_ALL {
            return wrong("no MPI_Win_lock_all came before");
        }
        self.set(NOTHING);
        Ok(())
    }

    /// Whether the window may end.
    pub fn end(&self) -> Result<()> {
        let _changing = self.free_for("MPI_Win_free")?;
        self.not_exposed("MPI_Win_free")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the calls of a program do, by letter; upper case letters end what lower case ones begin.
    fn call(epochs: &Epochs, what: char) -> Result<()> {
        match what {
            // Fences: one between epochs, the last one, and one that says that nothing precedes.
            'f' => epochs.fence(true).map(|()| epochs.fenced(true)),
            'F' => epochs.fence(true).map(|()| epochs.fenced(false)),
            'n' => epochs.fence(false).map(|()| epochs.fenced(true)),
            // Operations with rank 1, and with rank 2; with a request.
            'o' => epochs.permit(1),
            'O' => epochs.permit(2),
            'r' => epochs.permit_passive(1),
            'a' => epochs.permit_flush_all(),
            's' => epochs.start(&[1]),
            'S' => epochs.complete(),
            'p' => epochs.post(),
            'P' => epochs.wait().map(|()| epochs.waited()),
            // Of rank 1, of rank 2, of the own rank, of all.
            'l' => epochs.lock(1),
            'L' => epochs.unlock(1),
            'm' => epochs.lock(2),
            'M' => epochs.unlock(2),
            'i' => epochs.lock(0),
            'I' => epochs.unlock(0),
            'k' => epochs.lock_all(),
            'K' => epochs.unlock_all(),
            'e' => epochs.end(),
            _ => unreachable!(),
        }
    }

    /// Whether the last call of a program is allowed, all others being so.
    fn allows(calls: &str) -> bool {
        let epochs = Epochs::new(3, 0);
        let last = calls.len() - 1;
        for what in calls[..last].chars() {
            call(&epochs, what).unwrap_or_else(|_| panic!("{what} in {calls}"));
        }
        let result = call(&epochs, calls[last..].chars().next().unwrap());
        if let Err(error) = &result {
            assert_eq!(error.code(), MPI_ERR_RMA_SYNC);
        }
        result.is_ok()
    }

    #[test]
    fn programs_that_are_right() {
        for calls in [
            "fofoFe", "fe", "ffFF", "nofoFs", "fs", "fp", "flL", "fkK", "soSe", "soSsoS", "pPpPe",
            "psoSPe", "psSP", "loLe", "lomOLMe", "lrLkrK", "laL", "kaK", "koOKe", "lpLP", "ilILe",
            "plLP", "iIpP",
        ] {
            assert!(allows(calls), "{calls}");
        }
    }

    #[test]
    fn programs_that_are_wrong() {
        for calls in [
            // Operations without an epoch, after its end, and with a target outside of it.
            "o", "Fo", "fFo", "soSo", "sO", "lLo", "lO", "kKo", "po", "fpo", "flO",
            // With a request, and flushes.
            "r", "fr", "sr", "mr", "a", "fa", "sa", // What excludes each other.
            "fos", "fop", "fol", "fok", "foe", "fon", "sf", "ss", "sl", "sk", "se", "lf", "ls",
            "ll", "lk", "le", "kf", "ks", "kl", "kk", "kp", "ke", "pf", "pp", "pe", "pk", "pi",
            "ip", // Ends of what was not begun.
            "S", "P", "L", "K", "lM", "kL", "lK", "sSS", "pPP", "lLL", "kKK", "fS",
        ] {
            assert!(!allows(calls), "{calls}");
        }
    }
}
