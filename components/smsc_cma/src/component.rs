//! The component's life, and the functions of the contract.

use std::ffi::c_void;
use std::io;

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_OTHER, ERR_PEER, ERR_PROTOCOL};
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
    check: Box<[u8; 16]>,
}

/// Another process.
struct Process(libc::pid_t);

struct Transfer {
    pid: libc::pid_t,
    remote: u64,
    buffer: *mut u8,
    left: usize,
}

// SAFETY: used by one thread at a time; the buffer is the transfer's until it is finished.
unsafe impl Send for Transfer {}

/// Reads up to `len` bytes of another process; how many it were.
///
/// # Safety
/// There is room for `len` bytes at `to`.
unsafe fn read(pid: libc::pid_t, from: u64, to: *mut u8, len: usize) -> io::Result<usize> {
    let local = libc::iovec { iov_base: to.cast(), iov_len: len };
    let remote =
        libc::iovec { iov_base: std::ptr::without_provenance_mut(from as usize), iov_len: len };
    // SAFETY: promised by the caller; the kernel checks the remote side.
    let got = unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(got).map_err(|_| io::Error::last_os_error())
}

/// Lets every process of this user look at us, where only ancestors may otherwise.
fn allow() {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    if scope.is_ok_and(|scope| scope.trim() == "1") {
        // SAFETY: a system call that takes numbers. If it is refused, so will the peers be, and they
        // say so.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    }
}

impl Component for Cma {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(30)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        let mut check = Box::new([0u8; 16]);
        // SAFETY: the array has the length that is passed.
        if unsafe { libc::getrandom(check.as_mut_ptr().cast(), check.len(), 0) } != 16 {
            return Err(format!("getrandom: {}", io::Error::last_os_error()).into());
        }
        allow();
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
        let mut found = [0; 16];
        // SAFETY: the array has the length that is passed.
        let got = unsafe { read(pid, address, found.as_mut_ptr(), found.len()) };
        match got {
            Ok(16) if found == card[16..] => Ok(Process(pid)),
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
        Ok(Some(Transfer { pid: peer.0, remote, buffer: buffer.cast(), left: len }))
    }

    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        let Transfer { pid, remote, buffer, left } = transfer;
        // SAFETY: the transfer's buffer has `left` bytes more.
        match unsafe { read(*pid, *remote, *buffer, (*left).min(PIECE)) } {
            Ok(0) if *left > 0 => {
                Err(Failure::new(ERR_PROTOCOL, "the peer's memory ends before the message"))
            }
            Ok(got) => {
                // SAFETY: inside the buffer.
                *buffer = unsafe { buffer.add(got) };
                *remote += got as u64;
                *left -= got;
                Ok(if *left == 0 { Outcome::Done } else { Outcome::Queued })
            }
            Err(error) => Err(match error.raw_os_error() {
                Some(libc::ESRCH) => Failure::new(ERR_PEER, "the process is gone"),
                Some(libc::EFAULT) => {
                    Failure::new(ERR_PROTOCOL, "the peer's memory is not where it says")
                }
                _ => Failure::new(ERR_OTHER, format!("process_vm_readv: {error}")),
            }),
        }
    }
}

impl Drop for Cma {
    fn drop(&mut self) {
        // Who reads late finds that this is not the component any more.
        self.check.fill(0);
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Cma,
    name: "cma",
    description: "the receiver reads the sender's memory by a system call",
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
    fn what_is_read_is_what_is_there() {
        let cma = subject();
        let Ok(process) = cma.peer_open(&peer()) else {
            println!("skipped: process_vm_readv is refused here");
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
        let mut transfer = Transfer { pid: process.0, remote: 8, buffer: to.as_mut_ptr(), left: 8 };
        assert_eq!(cma.advance(&mut transfer).unwrap_err().status, ERR_PROTOCOL);
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
