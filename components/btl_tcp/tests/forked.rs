//! A forked child has no descriptor of the transport, by which it would keep connections open when this
//! process ends, or take its events. A test on its own, because it looks at all that the process has.

mod support;

use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};

use cairn_framework::abi::status::DONE;
use support::{Setup, TAG, close, job, until};

/// The sockets and epoll sets of this process.
fn sockets_and_sets() -> Vec<RawFd> {
    let all = std::fs::read_dir("/proc/self/fd").unwrap();
    let name = |one: std::io::Result<std::fs::DirEntry>| one.unwrap().file_name();
    let numbers = all.map(|one| name(one).to_str().unwrap().parse().unwrap());
    let is_one = |fd: &RawFd| {
        std::fs::read_link(format!("/proc/self/fd/{fd}")).is_ok_and(|target| {
            let target = target.to_string_lossy();
            target.starts_with("socket:") || target == "anon_inode:[eventpoll]"
        })
    };
    numbers.filter(is_one).collect()
}

/// What stands behind a descriptor, or nothing. May be called in a child.
fn file(fd: RawFd) -> Option<(libc::dev_t, libc::ino_t)> {
    // SAFETY: the kernel fills the struct.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        (libc::fstat(fd, &raw mut stat) == 0).then_some((stat.st_dev, stat.st_ino))
    }
}

/// How many of these a forked child has.
fn left_in_child(descriptors: &[RawFd]) -> i32 {
    let here: Vec<_> = descriptors.iter().map(|fd| (*fd, file(*fd))).collect();
    // SAFETY: the child reads memory, asks the kernel and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let left = here.iter().filter(|(fd, before)| file(*fd) == *before).count();
        // SAFETY: ends the child.
        unsafe { libc::_exit(left.min(255) as i32) };
    }
    let mut status = 0;
    // SAFETY: the place is valid.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "the child was killed");
    libc::WEXITSTATUS(status)
}

#[test]
fn a_forked_child_has_nothing_of_the_transport() {
    let others = sockets_and_sets();
    let own = |pending: Option<RawFd>| {
        let mut own = sockets_and_sets();
        own.retain(|fd| !others.contains(fd) && pending != Some(*fd));
        own
    };
    let ranks = job(&Setup::default());
    // A listener and an epoll set each.
    assert_eq!(own(None).len(), 4);
    assert_eq!(left_in_child(&own(None)), 0);

    // An attempt to connect, which rank 1 has not answered yet.
    let route = ranks[0].route(1);
    assert_eq!(route.send(TAG, b"first", b""), DONE);
    assert_eq!(own(None).len(), 5);
    assert_eq!(left_in_child(&own(None)), 0);

    // Both ends of the connection, and a pending one at rank 1.
    let pending = TcpStream::connect(ranks[1].card().addresses[0].address).unwrap();
    let came = format!("a connection came from {}", pending.local_addr().unwrap());
    until(&ranks, "the pending connection", || ranks[1].said(&came) && ranks[1].count() == 1);
    let all = own(Some(pending.as_raw_fd()));
    assert_eq!(all.len(), 7);
    assert_eq!(left_in_child(&all), 0);
    assert_eq!(left_in_child(&[pending.as_raw_fd()]), 1);

    // This process has them all.
    assert_eq!(route.send(TAG, b"second", b""), DONE);
    until(&ranks, "the messages", || ranks[1].messages() == [&b"first"[..], b"second"]);
    close(&ranks);
    assert!(own(Some(pending.as_raw_fd())).is_empty());
}
