//! cma: the reader copies from the other process's memory by a system call (cross memory attach,
//! `process_vm_readv`).
//!
//! ```text
//!   open        card: pid, address and value of a check word
//!   peer_open   reads the peer's check word for real: allowed? the right process?
//!   advance     process_vm_readv, a few megabytes a call, now and then with the check word; the owner does
//!               nothing
//! ```
//!
//! Whether it is allowed is up to the system: the same user, the Yama module's ptrace scope, seccomp
//! filters of containers, user namespaces. Only trying tells. With ptrace scope 1 ("restricted") a
//! process may allow others to look at it, and ours do as long as the component is open.
//!
//! A process id is given to another process when its owner has ended. So what was read counts when the
//! same call that read the end of a message found the check word, too, or one shortly before has.

mod component;
