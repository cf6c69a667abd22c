//! Children have nothing that is private, and everything else, whatever other threads open and close
//! meanwhile. Sockets are private here, and nothing else is a socket.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use cairn_descriptors::Private;

/// More than there are places at first.
const MANY: usize = 200;
/// Descriptors of a process that are looked at, but for those that it was started with.
const LIMIT: RawFd = 1024;
const FORKS: usize = 300;

fn pair() -> [Private; 2] {
    let (one, other) = UnixStream::pair().unwrap();
    [one, other].map(|socket| Private::open(|| Ok(OwnedFd::from(socket))).unwrap())
}

fn socket() -> Private {
    // SAFETY: a plain system call; nothing else owns its descriptor yet.
    let open = || unsafe {
        use std::os::fd::FromRawFd;
        match libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    };
    Private::open(open).unwrap()
}

/// The kind of file behind a descriptor; 0 when there is none. May be called in a child.
fn kind(fd: RawFd) -> libc::mode_t {
    // SAFETY: the kernel fills the struct.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(fd, &raw mut stat) == 0 { stat.st_mode & libc::S_IFMT } else { 0 }
    }
}

/// Forks, and returns the status with which the child ends, which is what the function says.
fn in_child(look: impl FnOnce() -> u8) -> i32 {
    // SAFETY: the child calls what may be called in the child of a process with threads, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: ends the child.
        unsafe { libc::_exit(look().into()) };
    }
    assert!(child > 0);
    let mut status = 0;
    // SAFETY: the place is valid.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "the child was killed");
    libc::WEXITSTATUS(status)
}

fn count_of_sockets() -> u8 {
    (3..LIMIT).filter(|fd| kind(*fd) == libc::S_IFSOCK).count().min(255) as u8
}

#[test]
fn children_have_nothing_private_and_all_else() {
    one_thread();
    many_threads();
    without_files();
}

fn one_thread() {
    let (mut reader, writer) = io::pipe().unwrap();
    let mut held: Vec<[Private; 2]> = (0..MANY / 2).map(|_| pair()).collect();
    // Places in the middle are free, and used again.
    held.drain(10..60);
    held.extend((0..20).map(|_| pair()));
    let own = [reader.as_raw_fd(), writer.as_raw_fd()];
    let is_own = || own.iter().all(|fd| kind(*fd) == libc::S_IFIFO);
    let first = held[0][0].as_raw_fd();
    let seen = in_child(|| {
        // The child's copies keep their numbers, and can neither be read nor written.
        let mut byte = 0_u8;
        // SAFETY: the byte lives.
        let read = unsafe { libc::read(first, (&raw mut byte).cast(), 1) };
        // A child of the child.
        let grandchild = in_child(|| u8::from(is_own()) << 1 | count_of_sockets().min(1));
        let kept = kind(first) != 0 && read == -1;
        u8::from(is_own()) << 4
            | u8::from(kept) << 3
            | (grandchild as u8) << 1
            | count_of_sockets().min(1)
    });
    assert_eq!(seen, 0b1_1100);
    // What the child drops is no file of its own, and what it opens is its own.
    let seen = in_child(|| {
        // SAFETY: the number is the child's, which has closed what was behind it.
        let mine = unsafe { libc::dup3(own[0], first, 0) };
        drop(std::mem::take(&mut held));
        let opened = socket();
        let is_open = count_of_sockets() == 1 && kind(opened.as_raw_fd()) == libc::S_IFSOCK;
        drop(opened);
        let is_closed = count_of_sockets() == 0;
        u8::from(mine == first && kind(first) == libc::S_IFIFO) << 2
            | u8::from(is_open) << 1
            | u8::from(is_closed)
    });
    assert_eq!(seen, 0b111);
    // The parent has all, and their connections are open.
    assert_eq!(
        held.iter().flatten().filter(|one| kind(one.as_raw_fd()) == libc::S_IFSOCK).count(),
        140
    );
    for [one, other] in &held {
        let mut byte = 0_u8;
        // SAFETY: the bytes live.
        unsafe {
            assert_eq!(libc::write(one.as_raw_fd(), b"x".as_ptr().cast(), 1), 1);
            assert_eq!(libc::read(other.as_raw_fd(), (&raw mut byte).cast(), 1), 1);
        }
    }
    // The last descriptor of a connection was the parent's.
    let [one, other] = held.pop().unwrap();
    drop(one);
    let mut byte = 0_u8;
    // SAFETY: the byte lives.
    assert_eq!(unsafe { libc::read(other.as_raw_fd(), (&raw mut byte).cast(), 1) }, 0);
    drop(writer);
    assert_eq!(io::Read::read(&mut reader, &mut [0]).unwrap(), 0);
}

/// Some threads open and close what is private, some what is not, and some fork.
fn many_threads() {
    let end = AtomicBool::new(false);
    // Pipes that are open now, and not about to be closed.
    let pipes: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];
    let begin = Barrier::new(6);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                begin.wait();
                while !end.load(Ordering::Relaxed) {
                    let held = [(); 3].map(|()| socket());
                    drop(held);
                }
            });
        }
        for place in &pipes {
            let (begin, end) = (&begin, &end);
            scope.spawn(move || {
                begin.wait();
                while !end.load(Ordering::Relaxed) {
                    let (reader, _writer) = io::pipe().unwrap();
                    place.store(reader.as_raw_fd(), Ordering::SeqCst);
                    std::thread::yield_now();
                    place.store(-1, Ordering::SeqCst);
                }
            });
        }
        let forks = [(); 2].map(|()| {
            scope.spawn(|| {
                begin.wait();
                let look = || {
                    let is_pipe = |place: &AtomicI32| match place.load(Ordering::SeqCst) {
                        -1 => true,
                        // The kernel copies descriptors before memory: the pipe may be younger. But what
                        // the child has closed is a directory now.
                        fd => [0, libc::S_IFIFO].contains(&kind(fd)),
                    };
                    u8::from(!pipes.iter().all(is_pipe)) << 1 | count_of_sockets().min(1)
                };
                (0..FORKS).map(|_| in_child(look)).fold(0, |all, one| all | one)
            })
        });
        let seen = forks.map(|thread| thread.join());
        end.store(true, Ordering::Relaxed);
        for one in seen {
            assert_eq!(one.unwrap(), 0);
        }
    });
    assert_eq!(count_of_sockets(), 0);
}

/// A child that may not open the file that keeps the numbers taken.
fn without_files() {
    let seen = in_child(|| {
        let _held = [(); 3].map(|()| socket());
        let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
        // SAFETY: a valid limit.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
        count_of_sockets() << 1 | in_child(count_of_sockets) as u8
    });
    assert_eq!(seen, 3 << 1);
}
