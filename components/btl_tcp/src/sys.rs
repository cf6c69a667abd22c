//! What the kernel does for the transport: sockets, and reading and writing many pieces at once.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use cairn_descriptors::Private;
use cairn_transport::life::{Keepalive, tcp_info};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, acceptfrom_with, bind, connect, ipproto,
    listen, socket_with, sockopt,
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

/// An epoll set. A forked child that has it by mistake would take the parent's events.
pub fn epoll() -> io::Result<Private> {
    Private::open(|| Ok(epoll::create(epoll::CreateFlags::CLOEXEC)?))
}

/// Adds a descriptor to an epoll set.
pub fn watch(epoll: &Private, fd: impl AsFd, token: u64, flags: EventFlags) -> io::Result<()> {
    Ok(epoll::add(epoll, fd, EventData::new_u64(token), flags)?)
}

/// Changes the token and the flags of a descriptor in an epoll set; what is ready is told anew.
pub fn rewatch(epoll: &Private, fd: impl AsFd, token: u64, flags: EventFlags) -> io::Result<()> {
    Ok(epoll::modify(epoll, fd, EventData::new_u64(token), flags)?)
}

/// A nonblocking socket for addresses like this one, with the sizes that the user wants. The kernel
/// asks a silent peer whether it is there ([`crate::life`]). A socket that a listener accepts inherits
/// all of it. Forked children don't keep it: a peer would not learn of the end of this process as long as
/// one of them lives.
pub fn socket(ip: IpAddr, config: &Config) -> io::Result<Private> {
    let family = if ip.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let open = || Ok(socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?);
    let fd = Private::open(open)?;
    // Before the connection is made: the window's scale depends on them.
    if config.sndbuf > 0 {
        sockopt::set_socket_send_buffer_size(&fd, config.sndbuf)?;
    }
    if config.rcvbuf > 0 {
        sockopt::set_socket_recv_buffer_size(&fd, config.rcvbuf)?;
    }
    Keepalive::during(config.peer_timeout).set(&fd, config.peer_timeout)?;
    Ok(fd)
}

/// Bytes that the kernel has taken and could not send yet, because the other side has no room.
pub fn unsent(fd: impl AsFd) -> u32 {
    // A connection that has failed has nothing to send.
    tcp_info(fd).map_or(0, |info| info.tcpi_notsent_bytes)
}

/// Gives a connection up at once when it is closed: the kernel does not go on trying to send what it
/// still has, and answers what the peer sends later with a reset.
pub fn give_up(fd: impl AsFd) {
    // Without it the connection ends later.
    let _ = sockopt::set_socket_linger(fd, Some(Duration::ZERO));
}

/// What a connection within a machine may have on its way. It stays in the second level of a cache, and the receiver
/// reads it there. What the kernel takes by itself, megabytes, has left the caches when the receiver comes to it:
/// 4 MiB went at half the speed, and between containers at a quarter.
const ON_ITS_WAY_WITHIN: usize = 128 << 10;

/// Prepares a connection for messages, `within` this machine or to another one. Small messages are sent at once instead
/// of being collected.
pub fn prepare(fd: impl AsFd, within: bool, config: &Config) -> io::Result<()> {
    sockopt::set_tcp_nodelay(&fd, true)?;
    if within && config.sndbuf == 0 {
        sockopt::set_socket_send_buffer_size(&fd, ON_ITS_WAY_WITHIN)?;
    }
    Ok(())
}

/// A socket that listens on an address, on the first free of the ports (0: the system's choice).
pub fn listener(
    ip: IpAddr,
    mut ports: impl Iterator<Item = u16>,
    config: &Config,
) -> io::Result<(Private, SocketAddr)> {
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

/// Takes a connection from a listener, and says from where it came if the kernel does.
pub fn accept(listener: &Private) -> io::Result<(Private, Option<SocketAddr>)> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let mut from = None;
    let socket = Private::open(|| {
        let (socket, address) = acceptfrom_with(listener, flags)?;
        from = address;
        Ok(socket)
    })?;
    Ok((socket, from.and_then(|from| SocketAddr::try_from(from).ok())))
}

/// Begins to connect.
pub fn dial(from: IpAddr, to: SocketAddr, config: &Config) -> io::Result<Private> {
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

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::params::tests::config;

    #[test]
    fn within_the_machine_little_is_on_its_way() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connection = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let room = |connection: &TcpStream| sockopt::socket_send_buffer_size(connection).unwrap();
        let (ours, users, far) = (connection(), connection(), connection());
        let before = room(&users);
        prepare(&ours, true, &config()).unwrap();
        // The kernel takes twice of what is asked for, for its own needs.
        assert_eq!(room(&ours), 2 * ON_ITS_WAY_WITHIN);
        // A size that the user wants is the socket's before it is a connection.
        prepare(&users, true, &Config { sndbuf: 4096, ..config() }).unwrap();
        prepare(&far, false, &config()).unwrap();
        assert_eq!([room(&users), room(&far)], [before; 2]);
    }
}
