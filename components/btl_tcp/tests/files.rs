//! No more files: a test on its own, because the limit is the process's.

mod support;

use std::fs::File;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use cairn_framework::abi::status::DONE;
use support::{Rank, Setup, TAG, close, job, rank, until};

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

/// Makes progress for longer than anything waits for a file.
fn for_a_while(ranks: &[Rank]) {
    let end = Instant::now() + Duration::from_millis(500);
    until(ranks, "half a second", || Instant::now() > end);
}

fn told(rank: &Rank, part: &str) -> usize {
    rank.log().lines().filter(|line| line.contains(part)).count()
}

#[test]
fn too_many_open_files_are_called_that_and_pass() {
    let mut small = limit();
    small.rlim_cur = 256;
    // SAFETY: a valid limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const small) }, 0);

    // Rather fewer CRIs than too many files; others may do as they like.
    for (ranks, num_cris, instances) in [(2, "0", 2), (100, "0", 1), (100, "2", 2)] {
        let mca = [("btl_tcp_num_cris", num_cris)];
        let one = rank(&Setup { ranks, mca: &mca, threads: true, ..Setup::default() }, 0);
        one.open(&Default::default()).unwrap();
        assert_eq!(one.card().cris, instances);
        one.system.close();
    }

    // The side that connects: the message waits, the cause is told once, and nothing is spoilt.
    let ranks = job(&Setup::default());
    let route = ranks[0].route(1);
    let files = exhaust();
    assert_eq!(route.send(TAG, b"first", b""), DONE);
    let cause = "no connection to rank 1 for now: too many open files: 256 allowed";
    until(&ranks, cause, || told(&ranks[0], cause) > 0);
    for_a_while(&ranks);
    assert_eq!(told(&ranks[0], cause), 1, "{}", ranks[0].log());
    assert_eq!(route.send(TAG, b"second", b""), DONE);
    drop(files);
    until(&ranks, "the messages", || ranks[1].messages() == [&b"first"[..], b"second"]);
    close(&ranks);

    // The side that listens: the connection waits.
    let ranks = job(&Setup::default());
    let mut files = exhaust();
    files.pop();
    assert_eq!(ranks[0].route(1).send(TAG, b"third", b""), DONE);
    let cause = "others can't connect to this process for now, and wait: too many open files: 256";
    until(&ranks, cause, || told(&ranks[1], cause) > 0);
    for_a_while(&ranks);
    assert_eq!(told(&ranks[1], cause), 1, "{}", ranks[1].log());
    drop(files);
    until(&ranks, "the message", || ranks[1].messages() == [b"third"]);

    // A pending connection gives way to one that waits.
    let address = ranks[0].card().addresses[0].address;
    let silent = TcpStream::connect(address).unwrap();
    let connected = format!("a connection came from {}", silent.local_addr().unwrap());
    until(&ranks, "the connection", || ranks[0].said(&connected));
    let mut files = exhaust();
    files.pop();
    let other = TcpStream::connect(address).unwrap();
    let left = format!("closed the connection of {}: too many", silent.local_addr().unwrap());
    until(&ranks, "room", || ranks[0].said(&left));
    drop((silent, other, files));
    close(&ranks);
}
