//! The component's life, and the functions of the contract.

use std::ffi::c_void;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PEER, ERR_PROTOCOL, ERR_UNAVAILABLE};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::smsc::{Smsc, SmscTicket};

/// Most bytes of one system call, so that others get their turn.
const PIECE: usize = 4 << 20;

/// Bytes of a card: pid u32, zero u32, address u64, check [16].
const CARD: usize = 32;

struct Cma {
    host: HostHandle,
    priority: i32,
    /// What peers read to see whether they may. Never changes.
    check: Box<Check>,
}

/// How long, in milliseconds, a process is known to be the right one that has shown its check word. Its
/// number is given to another one when it has ended and all other numbers were given out, tens of
/// thousands, which takes far longer; and to read the word costs as much as a short message.
const KNOWN: u64 = 100;

/// Another process, by its number, which the system may give to a third one when it has ended.
#[derive(Debug)]
struct Process {
    pid: libc::pid_t,
    /// Where its check word is.
    place: u64,
    check: Check,
    /// When it has shown it, in milliseconds of [`now`]. A hint, so Relaxed.
    shown: AtomicU64,
}

/// What a process shows to be the one of a card.
type Check = [u8; 16];

struct Transfer {
    /// It outlives its transfers.
    process: *const Process,
    remote: u64,
    buffer: *mut u8,
    left: usize,
}

// SAFETY: used by one thread at a time; the buffer is the transfer's until it is finished.
unsafe impl Send for Transfer {}

/// Reads from another process to these places, one behind the other; how many bytes it were. The
/// number leads to one and the same process during a call.
///
/// # Safety
/// There is room at each place for as many bytes as it says.
unsafe fn read<const PLACES: usize>(
    pid: libc::pid_t,
    parts: [(u64, *mut u8, usize); PLACES],
) -> io::Result<usize> {
    let local = parts.map(|(_, to, len)| libc::iovec { iov_base: to.cast(), iov_len: len });
    let remote = parts.map(|(from, _, len)| libc::iovec {
        iov_base: std::ptr::without_provenance_mut(from as usize),
        iov_len: len,
    });
    let count = PLACES as libc::c_ulong;
    // SAFETY: promised by the caller; the kernel checks the remote side.
    let got =
        unsafe { libc::process_vm_readv(pid, local.as_ptr(), count, remote.as_ptr(), count, 0) };
    usize::try_from(got).map_err(|_| io::Error::last_os_error())
}

/// Writes to another process; how many bytes it were.
///
/// # Safety
/// There are so many bytes to be read.
unsafe fn write(pid: libc::pid_t, to: u64, from: *const u8, len: usize) -> io::Result<usize> {
    let local = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: len };
    let place = std::ptr::without_provenance_mut(to as usize);
    let remote = libc::iovec { iov_base: place, iov_len: len };
    // SAFETY: promised by the caller; the kernel checks the remote side.
    let put = unsafe { libc::process_vm_writev(pid, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(put).map_err(|_| io::Error::last_os_error())
}

/// A clock that costs next to nothing and is right to a few milliseconds.
fn now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the struct lives during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}

/// The process has ended and its number was given to another, or it has closed the component.
fn gone() -> Failure {
    Failure::new(ERR_PEER, "the process is gone")
}

impl Process {
    /// Reads the next bytes of a message; how many it were. The last ones come with the check word, if
    /// that was not seen for a while: if it is right the process lives, and so it did when all bytes
    /// before were read.
    ///
    /// # Safety
    /// There is room for `left` bytes at `to`.
    unsafe fn read(&self, from: u64, to: *mut u8, left: usize) -> Result<usize, Failure> {
        if left > PIECE {
            // SAFETY: promised by the caller.
            let got = unsafe { read(self.pid, [(from, to, PIECE)]) };
            return got.map_err(|error| self.refused(&error));
        }
        let now = now();
        if now.wrapping_sub(self.shown.load(Ordering::Relaxed)) < KNOWN {
            // SAFETY: promised by the caller.
            let got = unsafe { read(self.pid, [(from, to, left)]) };
            return got.map_err(|error| self.refused(&error));
        }
        let mut check: Check = [0; 16];
        let word = (self.place, check.as_mut_ptr(), check.len());
        // SAFETY: promised by the caller; the array has the length that is passed.
        match unsafe { read(self.pid, [word, (from, to, left)]) } {
            Ok(got) if check == self.check => {
                self.shown.store(now, Ordering::Relaxed);
                Ok(got.saturating_sub(check.len()))
            }
            Ok(_) => Err(gone()),
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// Writes bytes. Those of other processes are not touched: one that has not shown its check word for a while
    /// does that first.
    ///
    /// # Safety
    /// There are `len` bytes to be read.
    unsafe fn write(
        &self,
        mut to: u64,
        mut from: *const u8,
        mut len: usize,
    ) -> Result<(), Failure> {
        while len > 0 {
            let now = now();
            if now.wrapping_sub(self.shown.load(Ordering::Relaxed)) >= KNOWN {
                if !self.is_there() {
                    return Err(gone());
                }
                self.shown.store(now, Ordering::Relaxed);
            }
            // SAFETY: promised by the caller.
            let put = unsafe { write(self.pid, to, from, len.min(PIECE)) };
            match put.map_err(|error| self.refused(&error))? {
                0 => return Err(Failure::new(ERR_PROTOCOL, "the peer's memory ends before that")),
                put => (to, from, len) = (to + put as u64, from.wrapping_add(put), len - put),
            }
        }
        Ok(())
    }

    /// What an error of the system means.
    #[cold]
    fn refused(&self, error: &io::Error) -> Failure {
        match error.raw_os_error() {
            Some(libc::EFAULT) if self.is_there() => {
                Failure::new(ERR_PROTOCOL, "the peer's memory is not where it says")
            }
            Some(libc::ESRCH | libc::EFAULT) => gone(),
            // Not any more, or not now; another way may do.
            _ => Failure::new(ERR_UNAVAILABLE, format!("the system does not copy: {error}")),
        }
    }

    /// Whether it shows its check word.
    fn is_there(&self) -> bool {
        let mut check: Check = [0; 16];
        // SAFETY: the array has the length that is passed.
        let got = unsafe { read(self.pid, [(self.place, check.as_mut_ptr(), check.len())]) };
        got.is_ok() && check == self.check
    }
}

/// Whether only ancestors may look at a process unless it says otherwise (Yama, "restricted").
fn is_restricted() -> bool {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    scope.is_ok_and(|scope| scope.trim() == "1")
}

/// Lets every process of this user look at us, or those again that the system would. One process, with
/// its descendants, could be named instead, but the ranks have no parent in common that is known to be
/// one in every way of starting them.
fn allow(any: bool) {
    if is_restricted() {
        let tracer = if any { libc::PR_SET_PTRACER_ANY } else { 0 };
        // SAFETY: a system call that takes numbers. If it is refused, so will the peers be, and they
        // say so.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, tracer) };
    }
}

impl Component for Cma {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(30)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        let mut check: Box<Check> = Box::default();
        // SAFETY: the array has the length that is passed.
        if unsafe { libc::getrandom(check.as_mut_ptr().cast(), check.len(), 0) } != 16 {
            return Err(format!("getrandom: {}", io::Error::last_os_error()).into());
        }
        allow(true);
        let mut card = [0; CARD];
        card[..4].copy_from_slice(&std::process::id().to_le_bytes());
        card[8..16].copy_from_slice(&(check.as_ptr().expose_provenance() as u64).to_le_bytes());
        card[16..].copy_from_slice(&*check);
        host.card_put(&card)?;
        Ok(Self { host, priority: priority.get() as i32, check })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Cma {
    /// Reads the check word of the process that a card describes.
    fn try_it(&self, card: &[u8]) -> Result<Process, String> {
        let card: &[u8; CARD] =
            card.try_into().map_err(|_| format!("its card has {} bytes", card.len()))?;
        let pid = u32::from_le_bytes(card[..4].try_into().expect("four bytes"));
        let address = u64::from_le_bytes(card[8..16].try_into().expect("eight bytes"));
        let pid = libc::pid_t::try_from(pid).map_err(|_| format!("its pid is {pid}"))?;
        let check: Check = card[16..].try_into().expect("sixteen bytes");
        let mut found: Check = [0; 16];
        // SAFETY: the array has the length that is passed.
        let got = unsafe { read(pid, [(address, found.as_mut_ptr(), found.len())]) };
        match got {
            Ok(16) if found == check => {
                Ok(Process { pid, place: address, check, shown: now().into() })
            }
            Ok(_) => Err("another process has its number (another pid namespace)".into()),
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => Err(
                "the system does not allow it (kernel.yama.ptrace_scope, or a container without \
                 CAP_SYS_PTRACE)"
                    .into(),
            ),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Smsc for Cma {
    type Peer = Process;
    type Transfer = Transfer;

    fn peer_open(&self, view: &Peer) -> Result<Process, Failure> {
        let card = self.host.card_get(view.rank)?;
        self.try_it(card).map_err(|why| {
            // One rank of a node speaks for all: the reason is the node's.
            if self.host.job().local_rank == 0 {
                let text = format!(
                    "a process can't read another's memory: {why}; large messages go another way"
                );
                self.host.show_once(c"refused", &text);
            }
            self.host.log(LOG_INFO, || format!("not with rank {}: {why}", view.rank));
            Failure::unavailable(why)
        })
    }

    unsafe fn fetch(
        &self,
        peer: &Process,
        remote: u64,
        buffer: *mut c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        ticket.len = 0;
        Ok(Some(Transfer { process: peer, remote, buffer: buffer.cast(), left: len }))
    }

    unsafe fn write(
        &self,
        peer: &Process,
        remote: u64,
        buffer: *const c_void,
        len: usize,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        unsafe { peer.write(remote, buffer.cast(), len) }
    }

    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        let Transfer { process, remote, buffer, left } = transfer;
        // SAFETY: the process outlives its transfers; the buffer has `left` bytes more.
        let got = unsafe { (**process).read(*remote, *buffer, *left) }?;
        if got == 0 {
            return Err(Failure::new(ERR_PROTOCOL, "the peer's memory ends before the message"));
        }
        // SAFETY: inside the buffer.
        *buffer = unsafe { buffer.add(got) };
        *remote += got as u64;
        *left -= got;
        Ok(if *left == 0 { Outcome::Done } else { Outcome::Queued })
    }
}

impl Drop for Cma {
    fn drop(&mut self) {
        // A late reader finds that this is not the component any more.
        self.check.fill(0);
        allow(false);
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Cma,
    name: "cma",
    description: "one process reads or writes the other's memory by a system call",
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    fn peer() -> Peer {
        Peer {
            struct_size: size_of::<Peer>() as u32,
            rank: 0,
            job: 0,
            flags: 0.into(),
            node: 0,
            route_count: 0.into(),
            routes: std::cell::UnsafeCell::new(std::ptr::null()),
            pml: std::ptr::null_mut(),
        }
    }

    /// A process may always read itself.
    fn subject() -> Cma {
        MockHost::leak("smsc_cma").open().unwrap()
    }

    #[test]
    fn what_is_written_is_there() {
        let cma = subject();
        let Ok(process) = cma.peer_open(&peer()) else {
            skipped();
            return;
        };
        for len in [1, 4097, PIECE + 1, 3 * PIECE] {
            let from: Vec<u8> = (0..len).map(|i| (i ^ (i >> 11)) as u8).collect();
            let mut to = vec![0u8; len + 2];
            let remote = to.as_mut_ptr().expose_provenance() as u64 + 1;
            for since in [now(), 0] {
                process.shown.store(since, Ordering::Relaxed);
                // SAFETY: both vectors are long enough.
                unsafe { cma.write(&process, remote, from.as_ptr().cast(), len) }.unwrap();
            }
            assert!(to[1..=len] == from && to[0] == 0 && to[len + 1] == 0);
        }
        let byte = [1_u8];
        for since in [now(), 0] {
            process.shown.store(since, Ordering::Relaxed);
            // SAFETY: one byte.
            let written = unsafe { cma.write(&process, 8, byte.as_ptr().cast(), 1) };
            assert_eq!(written.unwrap_err().status, ERR_PROTOCOL);
        }
        // Another process has its number.
        let other = Process { check: [9; 16], shown: 0.into(), ..process };
        // SAFETY: as above.
        let written = unsafe { cma.write(&other, 8, byte.as_ptr().cast(), 1) };
        assert_eq!(written.unwrap_err().status, ERR_PEER);
    }

    #[test]
    fn what_is_read_is_what_is_there() {
        let cma = subject();
        let Ok(process) = cma.peer_open(&peer()) else {
            skipped();
            return;
        };
        for len in [1, 4097, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let from: Vec<u8> = (0..len).map(|i| (i ^ (i >> 11)) as u8).collect();
            let mut to = vec![0u8; len];
            let mut ticket = SmscTicket { len: 9, ..SmscTicket::default() };
            let remote = from.as_ptr().expose_provenance() as u64;
            // SAFETY: both vectors outlive the transfer.
            let mut transfer =
                unsafe { cma.fetch(&process, remote, to.as_mut_ptr().cast(), len, &mut ticket) }
                    .unwrap()
                    .unwrap();
            assert_eq!(ticket.len, 0);
            let mut calls = 1;
            while cma.advance(&mut transfer).unwrap() != Outcome::Done {
                calls += 1;
            }
            assert_eq!((calls, to == from), (len.div_ceil(PIECE), true));
        }
        let mut to = [0u8; 8];
        for since in [now(), 0] {
            process.shown.store(since, Ordering::Relaxed);
            let (process, buffer) = (&raw const process, to.as_mut_ptr());
            let mut transfer = Transfer { process, remote: 8, buffer, left: 8 };
            assert_eq!(cma.advance(&mut transfer).unwrap_err().status, ERR_PROTOCOL);
        }
    }

    fn skipped() {
        cairn_skips::skipped("process_vm_readv is refused here");
    }

    /// What is read of a process after its number was given to another is no message: the other one
    /// has not the word, or nothing at its place.
    #[test]
    fn a_number_that_was_given_to_another_process_is_noticed() {
        let cma = subject();
        let Ok(process) = cma.peer_open(&peer()) else { return skipped() };
        let other: Check = [1; 16];
        let elsewhere = other.as_ptr().expose_provenance() as u64;
        for len in [1, 5000, PIECE + 1] {
            let (from, mut to) = (vec![7u8; len], vec![0u8; len]);
            let remote = from.as_ptr().expose_provenance() as u64;
            for place in [elsewhere, 8] {
                let buffer = to.as_mut_ptr();
                let process = Process { place, shown: 0.into(), ..process };
                let process = &raw const process;
                let mut transfer = Transfer { process, remote, buffer, left: len };
                let end = loop {
                    match cma.advance(&mut transfer) {
                        Ok(Outcome::Queued) => {}
                        end => break end,
                    }
                };
                assert_eq!(end.unwrap_err().status, ERR_PEER);
            }
        }
        // A number that no process has.
        let process = Process { pid: libc::pid_t::MAX, shown: now().into(), ..process };
        let (process, mut to) = (&raw const process, [0u8; 8]);
        let mut transfer = Transfer { process, remote: 8, buffer: to.as_mut_ptr(), left: 8 };
        assert_eq!(cma.advance(&mut transfer).unwrap_err().status, ERR_PEER);
    }

    #[test]
    fn who_has_closed_the_component_is_not_read_any_more() {
        let cma = subject();
        let Ok(process) = cma.peer_open(&peer()) else { return skipped() };
        let (from, mut to) = (vec![7u8; 100], vec![0u8; 100]);
        let remote = from.as_ptr().expose_provenance() as u64;
        drop(cma);
        process.shown.store(0, Ordering::Relaxed);
        // SAFETY: there is room for so many bytes.
        let read = unsafe { process.read(remote, to.as_mut_ptr(), to.len()) };
        assert_eq!(read.unwrap_err().status, ERR_PEER);
    }

    #[test]
    fn another_process_is_refused_with_the_reason() {
        let cma = subject();
        let mut card = [0; CARD];
        card[..4].copy_from_slice(&std::process::id().to_le_bytes());
        let here = [1u8; 16];
        card[8..16].copy_from_slice(&(here.as_ptr().expose_provenance() as u64).to_le_bytes());
        assert!(cma.try_it(&card).is_err());
        card[16..].copy_from_slice(&here);
        let refused = cma.try_it(&card).is_err();
        assert_eq!(refused, cma.peer_open(&peer()).is_err());
        assert!(cma.try_it(&card[1..]).is_err());
        card[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(cma.try_it(&card).is_err());
    }
}
