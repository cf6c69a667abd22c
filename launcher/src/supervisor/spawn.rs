//! Starting a rank.
//!
//! The standard library can start a program fast (`posix_spawn`) or do something in the new process
//! first (`pre_exec`, which forks), but not both. Here the new process borrows the supervisor's memory
//! until it executes its program, as in `vfork`: nothing is copied, and an error comes back through
//! that memory. On two cores 64 ranks start in half the time that forking takes.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr::null;

use super::wire::Step;
use crate::job::{App, Rank};
use crate::sys::SignalSet;

/// Where a rank finds the socket to the process manager. Shells and scripts use small numbers for
/// themselves; above 63 every process would need a larger table.
pub const PMI_FD: RawFd = 62;

/// Enough for the few calls the new process makes.
const STACK: usize = 64 << 10;

/// What the ranks of one block have in common, in the form `execve` takes.
pub struct Prepared {
    program: CString,
    /// Owns what `argv` leads to.
    _args: Vec<CString>,
    argv: Vec<*const c_char>,
    /// Owns what `envp` leads to.
    _env: Vec<CString>,
    /// Room for each rank's own variables at the end, and null.
    envp: Vec<*const c_char>,
    common: usize,
    dir: Option<CString>,
}

/// What does not change from rank to rank.
pub struct Spawner {
    stack: Vec<u128>,
    supervisor: libc::pid_t,
    mask: SignalSet,
    descriptors: libc::rlimit,
}

/// What the new process needs, and how it says what went wrong.
struct Order {
    supervisor: libc::pid_t,
    mask: *const libc::sigset_t,
    descriptors: *const libc::rlimit,
    cpus: *const libc::cpu_set_t,
    cpus_len: usize,
    places: [(RawFd, RawFd); 4],
    dir: *const c_char,
    program: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    /// Written by the new process before it gives up.
    failed: Option<(Step, c_int)>,
}

impl Prepared {
    /// Brings an app into form. What came from a command line and an environment has no NUL in it.
    pub fn new(app: &App) -> Self {
        let c = |text: &OsStr| CString::new(text.as_bytes()).unwrap_or_default();
        let args: Vec<CString> = app.args.iter().map(|arg| c(arg)).collect();
        let pair = |(name, value): &(OsString, OsString)| {
            let mut text = name.clone();
            text.push("=");
            text.push(value);
            c(&text)
        };
        let env: Vec<CString> = app.env.iter().map(pair).collect();
        let argv = args.iter().map(|arg| arg.as_ptr()).chain([null()]).collect();
        let envp: Vec<*const c_char> = env.iter().map(|one| one.as_ptr()).collect();
        Self {
            program: c(app.program.as_os_str()),
            _args: args,
            argv,
            _env: env,
            common: envp.len(),
            envp,
            dir: app.dir.as_ref().map(|dir| c(dir.as_os_str())),
        }
    }
}

impl Spawner {
    /// `mask` and `descriptors` are the signals and the limits that ranks begin with.
    pub fn new(mask: SignalSet, descriptors: (Option<u64>, Option<u64>)) -> Self {
        let limit = |value: Option<u64>| value.unwrap_or(libc::RLIM_INFINITY);
        Self {
            stack: vec![0; STACK / size_of::<u128>()],
            supervisor: rustix::process::getpid().as_raw_nonzero().get(),
            mask,
            descriptors: libc::rlimit {
                rlim_cur: limit(descriptors.0),
                rlim_max: limit(descriptors.1),
            },
        }
    }

    /// Starts a rank, with standard input, output and error and its socket, and returns its
    /// process id. It is in a process group of its own and is killed when the supervisor dies.
    ///
    /// # Errors
    /// What did not work, and the error's number.
    pub fn spawn(
        &mut self,
        app: &mut Prepared,
        rank: &Rank,
        stdio: [BorrowedFd<'_>; 3],
        pmi: BorrowedFd<'_>,
    ) -> Result<i32, (Step, i32)> {
        let own: Vec<CString> =
            rank.env.iter().filter_map(|one| CString::new(one.as_bytes()).ok()).collect();
        app.envp.truncate(app.common);
        app.envp.extend(own.iter().map(|one| one.as_ptr()).chain([null()]));
        let cpus = cpu_set(&rank.cpus);
        let [input, output, error] = stdio.map(|fd| fd.as_raw_fd());
        let mut order = Order {
            supervisor: self.supervisor,
            mask: &raw const self.mask.0,
            descriptors: &raw const self.descriptors,
            cpus: if cpus.is_empty() { null() } else { cpus.as_ptr().cast() },
            cpus_len: size_of_val(&cpus[..]),
            places: [(input, 0), (output, 1), (error, 2), (pmi.as_raw_fd(), PMI_FD)],
            dir: app.dir.as_ref().map_or(null(), |dir| dir.as_ptr()),
            program: app.program.as_ptr(),
            argv: app.argv.as_ptr(),
            envp: app.envp.as_ptr(),
            failed: None,
        };
        let is_place = |fd: RawFd| order.places.iter().any(|(_, place)| *place == fd);
        assert!(order.places.iter().all(|(from, to)| from == to || !is_place(*from)));
        let order: *mut Order = &raw mut order;
        // SAFETY: the new process runs on a stack of its own, while this thread, the only one,
        // waits until it has executed its program or ended (CLONE_VFORK); so everything the order
        // leads to stays as it is. The new process makes system calls only, writes nothing but
        // `failed` (and this thread's errno), and shares neither descriptors nor signal handlers.
        // All signals are blocked, so that no handler runs in it.
        unsafe {
            let top = self.stack.as_mut_ptr().add(self.stack.len()).cast::<c_void>();
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(begin, top, flags, order.cast());
            if pid == -1 {
                let error = io::Error::last_os_error();
                return Err((Step::Process, error.raw_os_error().unwrap_or(0)));
            }
            match (*order).failed {
                None => Ok(pid),
                Some(failed) => Err(failed),
            }
        }
    }
}

/// The set as the kernel takes it: bits in words, as many as needed.
fn cpu_set(cpus: &[u32]) -> Vec<libc::c_ulong> {
    let bits = libc::c_ulong::BITS;
    let mut words = Vec::new();
    for cpu in cpus {
        let word = (cpu / bits) as usize;
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (cpu % bits);
    }
    words
}

/// The new process up to its program. System calls only: see [`Spawner::spawn`].
extern "C" fn begin(order: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes an order that is complete and stays valid; this process is the only
    // one that runs on this memory.
    unsafe {
        let order = order.cast::<Order>();
        let failed = prepare(&*order);
        (*order).failed = Some((failed, *libc::__errno_location()));
        libc::_exit(127)
    }
}

/// Does everything; returns only when something fails.
///
/// # Safety
/// As for [`begin`].
unsafe fn prepare(order: &Order) -> Step {
    // SAFETY: promised by the caller; the arguments are what each call takes.
    unsafe {
        // Not a session: where the kernel shares the processors among sessions (autogroup), a new one
        // would have to wait for its turn before the program is executed, and the supervisor with it.
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The supervisor may have died before the call above.
        if libc::getppid() != order.supervisor {
            libc::_exit(127);
        }
        if !order.cpus.is_null() && libc::sched_setaffinity(0, order.cpus_len, order.cpus) != 0 {
            return Step::Bind;
        }
        for (from, to) in order.places {
            if from != to && libc::dup2(from, to) == -1 {
                return Step::Process;
            }
        }
        libc::setrlimit(libc::RLIMIT_NOFILE, order.descriptors);
        if !order.dir.is_null() && libc::chdir(order.dir) != 0 {
            return Step::Directory;
        }
        // A rank is in no terminal's foreground group; asking its size or setting it up must not
        // stop it.
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
        // The supervisor ignores it, as every Rust program, and ignoring is inherited.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_SETMASK, order.mask, std::ptr::null_mut());
        libc::execve(order.program, order.argv, order.envp);
        Step::Program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_become_bits() {
        assert!(cpu_set(&[]).is_empty());
        assert_eq!(cpu_set(&[0, 2]), [0b101]);
        assert_eq!(cpu_set(&[64]), [0, 1]);
    }
}
