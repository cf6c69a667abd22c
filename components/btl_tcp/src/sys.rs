//! What the kernel does for the transport: sockets, and reading and writing many pieces at once.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, bind, connect, ipproto, listen, socket_with,
    sockopt,
};

use crate::params::Config;

/// A piece of memory to read into or write from.
pub type Piece = libc::iovec;

/// A piece of memory.
pub fn piece(address: *const u8, len: usize) -> Piece {
    Piece { iov_base: address.cast_mut().cast(), iov_len: len }
}

/// Writes pieces to a socket without waiting; how many bytes it took.
///
/// # Safety
/// Every piece may be read.
pub unsafe fn write(fd: BorrowedFd<'_>, pieces: &[Piece]) -> io::Result<usize> {
    // SAFETY: all zero is a message without anything.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = pieces.as_ptr().cast_mut();
    message.msg_iovlen = pieces.len() as _;
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    retry(|| {
        // SAFETY: the kernel reads the pieces, which the caller vouches for.
        unsafe { libc::sendmsg(fd.as_raw_fd(), &raw const message, flags) }
    })
}

/// Reads from a nonblocking socket into pieces; how many bytes came, 0 at the end.
///
/// # Safety
/// Every piece may be written.
pub unsafe fn read(fd: BorrowedFd<'_>, pieces: &[Piece]) -> io::Result<usize> {
    retry(|| {
        // SAFETY: the kernel writes to the pieces, which the caller vouches for.
        unsafe { libc::readv(fd.as_raw_fd(), pieces.as_ptr(), pieces.len() as _) }
    })
}

#[inline]
fn retry(mut call: impl FnMut() -> isize) -> io::Result<usize> {
    loop {
        if let Ok(count) = usize::try_from(call()) {
            return Ok(count);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Sends bytes to a socket that has room for them, as a new one has for a greeting.
pub fn write_all(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let sent = rustix::net::send(fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Adds a descriptor to an epoll set.
pub fn watch(epoll: &OwnedFd, fd: impl AsFd, token: u64, flags: EventFlags) -> io::Result<()> {
    Ok(epoll::add(epoll, fd, EventData::new_u64(token), flags)?)
}

/// Changes the token and the flags of a descriptor in an epoll set; what is ready is told anew.
pub fn rewatch(epoll: &OwnedFd, fd: impl AsFd, token: u64, flags: EventFlags) -> io::Result<()> {
    Ok(epoll::modify(epoll, fd, EventData::new_u64(token), flags)?)
}

/// A nonblocking socket for addresses like this one, with the sizes that the user wants. A socket that a
/// listener accepts inherits them.
pub fn socket(ip: IpAddr, config: &Config) -> io::Result<OwnedFd> {
    let family = if ip.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    // Before the connection is made: the window's scale depends on them.
    if config.sndbuf > 0 {
        sockopt::set_socket_send_buffer_size(&fd, config.sndbuf)?;
    }
    if config.rcvbuf > 0 {
        sockopt::set_socket_recv_buffer_size(&fd, config.rcvbuf)?;
    }
    Ok(fd)
}

/// Sends small messages at once instead of collecting them.
pub fn no_delay(fd: impl AsFd) -> io::Result<()> {
    Ok(sockopt::set_tcp_nodelay(fd, true)?)
}

/// A socket that listens on an address, on the first free of the ports (0: the system's choice).
pub fn listener(
    ip: IpAddr,
    mut ports: impl Iterator<Item = u16>,
    config: &Config,
) -> io::Result<(OwnedFd, SocketAddr)> {
    loop {
        let Some(port) = ports.next() else { return Err(Errno::ADDRINUSE.into()) };
        let fd = socket(ip, config)?;
        if ip.is_ipv6() {
            sockopt::set_ipv6_v6only(&fd, true)?;
        }
        if port != 0 {
            // A port of the last job would be taken for a minute otherwise.
            sockopt::set_socket_reuseaddr(&fd, true)?;
        }
        match bind(&fd, &SocketAddr::new(ip, port)).and_then(|()| listen(&fd, i32::from(u16::MAX)))
        {
            Ok(()) => {
                let own = rustix::net::getsockname(&fd)?;
                let own = SocketAddr::try_from(own).map_err(|_| io::ErrorKind::InvalidData)?;
                return Ok((fd, own));
            }
            Err(Errno::ADDRINUSE) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Begins to connect.
pub fn dial(from: IpAddr, to: SocketAddr, config: &Config) -> io::Result<OwnedFd> {
    let fd = socket(from, config)?;
    bind(&fd, &SocketAddr::new(from, 0))?;
    match connect(&fd, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(fd),
        Err(error) => Err(error.into()),
    }
}

/// Why connecting failed, if it did.
pub fn connect_error(fd: impl AsFd) -> io::Result<()> {
    Ok(sockopt::socket_error(fd)??)
}

/// Whether an error means that this process or this node has too little of something: what was tried
/// may work later.
pub fn is_shortage(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        // The last one is epoll's when the user watches too many descriptors.
        Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::ENOSPC)
    )
}

/// Whether an error of connecting, or of a connection in the making, may be gone at the next try: the
/// network is disturbed, or the other side had no room. A port on which no process listens is not.
pub fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::ETIMEDOUT
                | libc::EHOSTUNREACH
                | libc::EHOSTDOWN
                | libc::ENETUNREACH
                | libc::ENETDOWN
                | libc::ENETRESET
                | libc::ECONNRESET
                | libc::ECONNABORTED
                | libc::EPIPE
                | libc::EADDRNOTAVAIL
                | libc::EADDRINUSE
        )
    ) || is_shortage(error)
}

/// Whether an error of sending means that the kernel takes nothing now: the socket is full, or there is
/// no memory.
pub fn takes_nothing(error: &io::Error) -> bool {
    would_block(error) || matches!(error.raw_os_error(), Some(libc::ENOBUFS | libc::ENOMEM))
}

/// Whether an error means that a call has nothing to do now.
pub fn would_block(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// How many files this process may open, if there is a limit.
pub fn open_files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// What an error means, in words a user can act on.
pub fn explain(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EMFILE) => {
            let allowed = open_files().map_or("any number".into(), |limit| limit.to_string());
            format!(
                "too many open files: {allowed} allowed for this process (raise it with ulimit -n)"
            )
        }
        Some(libc::ENFILE) => "too many open files on this node (sysctl fs.file-max)".into(),
        Some(libc::ENOBUFS | libc::ENOMEM) => {
            format!(
                "{error} (the kernel has too little memory for sockets; sysctl net.ipv4.tcp_mem)"
            )
        }
        Some(libc::ENOSPC) => {
            format!("{error} (too many descriptors are watched; sysctl fs.epoll.max_user_watches)")
        }
        Some(libc::EADDRNOTAVAIL) => format!("{error} (no free port, or the address went away)"),
        _ => error.to_string(),
    }
}
