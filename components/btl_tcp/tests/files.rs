//! No more files: a test on its own, because the limit is the process's.

mod support;

use std::fs::File;
use std::net::TcpStream;

use cairn_framework::abi::status::{DONE, ERR_RESOURCES};
use support::{Setup, TAG, close, job, rank, until};

/// Opens files until there are no more.
fn exhaust() -> Vec<File> {
    let mut files = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        files.push(file);
    }
    files
}

fn limit() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills the place.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }, 0);
    limit
}

#[test]
fn too_many_open_files_are_called_that_and_pass() {
    let mut small = limit();
    small.rlim_cur = 256;
    // SAFETY: a valid limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const small) }, 0);

    // Rather fewer instances than too many files; others may do as they like.
    for (ranks, num_cris, instances) in [(2, "0", 2), (100, "0", 1), (100, "2", 2)] {
        let mca = [("btl_tcp_num_cris", num_cris)];
        let one = rank(&Setup { ranks, mca: &mca, threads: true, ..Setup::default() }, 0);
        one.open(&Default::default()).unwrap();
        assert_eq!(one.card().cris, instances);
        one.system.close();
    }

    let ranks = job(&Setup::default());
    let route = ranks[0].route(1);

    // The side that connects: an error with the cause, and nothing is spoilt.
    let files = exhaust();
    assert_eq!(route.send(TAG, b"first", b""), ERR_RESOURCES);
    let reason = ranks[0].reason(&route);
    assert!(reason.contains("too many open files: 256 allowed"), "{reason}");
    drop(files);

    // The side that listens: the connection waits, a warning says why, nothing spins.
    let mut files = exhaust();
    files.pop();
    assert_eq!(route.send(TAG, b"second", b""), DONE);
    until(&ranks, "the warning", || ranks[1].said("others can't connect to this process"));
    assert!(ranks[1].said("too many open files: 256 allowed"), "{}", ranks[1].log());
    drop(files);
    until(&ranks, "the message", || ranks[1].messages() == [b"second"]);

    // Somebody who is not known gives way to somebody who waits.
    let address = ranks[0].card().addresses[0].address;
    let silent = TcpStream::connect(address).unwrap();
    let connected = format!("somebody connected from {}", silent.local_addr().unwrap());
    until(&ranks, "the guest", || ranks[0].said(&connected));
    let mut files = exhaust();
    files.pop();
    let other = TcpStream::connect(address).unwrap();
    until(&ranks, "room", || ranks[0].said("there are too many open files"));
    drop((silent, other, files));
    close(&ranks);
}
