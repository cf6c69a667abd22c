//! A connection to a server: a request and its answer, one at a time. Only a barrier is answered later,
//! and other requests may come before its answer, and their answers too.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND, ERR_PEER, ERR_PROTOCOL};
use cairn_framework::author::Failure;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::{Errno, FdFlags, ioctl_fionread};
use rustix::stdio::{stderr, stdout};

use crate::wire::Line;

/// What a request may have, with its newline: Slurm reads so much at once and takes it for all.
const MAX_REQUEST: usize = 1023;
/// The answer to a barrier.
const BARRIER_OUT: &str = "barrier_out";
/// How long a process that aborts the job waits for the launcher to take note, should that be stopped.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long for it to read what the process has written, should that go to a program that reads nothing.
const HANDOVER: Duration = Duration::from_secs(1);
/// No answer is longer, whatever the server announced.
const MAX_ANSWER: u64 = 1 << 20;

/// What a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limits {
    /// Our own server: values as long as it announced.
    Own,
    /// Any: no request longer than every server takes.
    Cautious,
}

/// What a server knows about a job.
#[derive(Debug)]
pub struct Facts {
    /// Which rank runs where, as text.
    pub mapping: Option<String>,
    /// Number of this program among those of the job, or -1.
    pub appnum: i32,
    /// Processes there could be, or -1.
    pub universe: i32,
}

/// A connection. Any kind of socket can be behind it.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<UnixStream>,
    rank: u32,
    kvs: String,
    key_max: usize,
    value_max: usize,
    limits: Limits,
    /// Requests without an answer, which go with the next one that has one.
    unsent: String,
    barrier: Barrier,
    /// The socket once more, and what becomes ready when another request has read the answer of a barrier.
    shared: Arc<(UnixStream, OwnedFd)>,
}

/// Whether the others are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Barrier {
    /// No.
    Outside,
    /// Yes.
    Waiting,
    /// The answer came before that to another request: whether all is well.
    Over(bool),
}

/// The socket of a connection for threads that don't hold that: to wait in a barrier, and to say that
/// the job must end.
#[derive(Debug, Clone)]
pub struct Side {
    shared: Arc<(UnixStream, OwnedFd)>,
    /// Whether the server takes a message of many words.
    words: bool,
}

impl Connection {
    /// A connection over an inherited socket, which stays open for the next connection. It is not
    /// inherited further: a program that this process starts must not speak in its name.
    pub fn new(socket: BorrowedFd<'_>) -> Result<Self, Failure> {
        rustix::io::fcntl_setfd(socket, FdFlags::CLOEXEC).map_err(|error| lost(error.into()))?;
        // So is the copy.
        let socket = UnixStream::from(socket.try_clone_to_owned().map_err(lost)?);
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let over = eventfd(0, flags).map_err(|error| lost(error.into()))?;
        let shared = Arc::new((socket.try_clone().map_err(lost)?, over));
        Ok(Self {
            reader: BufReader::new(socket),
            rank: 0,
            kvs: String::new(),
            key_max: 0,
            value_max: 0,
            limits: Limits::Cautious,
            unsent: String::new(),
            barrier: Barrier::Outside,
            shared,
        })
    }

    /// A connection to `host:port`, with the rank and the size it brings.
    pub fn dial(address: &str, id: &str) -> Result<(Self, u32, u32), Failure> {
        let socket = TcpStream::connect(address).map_err(|error| {
            let text = format!("can't reach the process manager at PMI_PORT={address}: {error}");
            Failure::new(ERR_PEER, text)
        })?;
        let _ = socket.set_nodelay(true);
        let mut connection = Self::new(socket.as_fd())?;
        connection.send(&format!("cmd=initack pmiid={id}"))?;
        connection.answer("initack")?;
        let (mut rank, mut size) = (None, None);
        // Three lines follow: size, rank, debug.
        for _ in 0..3 {
            let line = connection.answer("set")?;
            rank = line.number("rank").or(rank);
            size = line.number("size").or(size);
        }
        let (Some(rank), Some(size)) = (rank, size) else {
            return Err(protocol("the process manager did not say rank and size"));
        };
        Ok((connection, rank, size))
    }

    /// Agrees on the version, and learns the job's name, how long keys and values may be, and what
    /// the server knows about the job. `own` is the job's name if our own `mpirun` started it; that
    /// says everything at once. Another launcher may have been started by a rank of such a job, so
    /// the name must be the same. A process that returns to a job of ours says that it is the same.
    pub fn start(&mut self, rank: u32, own: Option<&str>, returns: bool) -> Result<Facts, Failure> {
        self.rank = rank;
        let mut request = "cmd=init pmi_version=1 pmi_subversion=1".to_owned();
        if returns {
            // No caller waited for it.
            self.answer("finalize_ack")?;
            request = format!("{request} process={}", std::process::id());
        }
        let hello = self.ask(&request, "response_to_init")?;
        if !hello.succeeded() || hello.number("pmi_version") != Some(1) {
            let version = hello.get("pmi_version").unwrap_or("?");
            return Err(protocol(&format!(
                "the process manager refuses PMI-1 (it answers rc={} for version {version}); was \
                 MPI initialised before by this process or by the one that started it?",
                hello.get("rc").unwrap_or("?")
            )));
        }
        if own.is_some() && hello.get("kvsname") == own {
            self.limits = Limits::Own;
            self.learn(&hello, &hello)?;
            return Ok(Facts {
                mapping: hello.get("PMI_process_mapping").map(str::to_owned),
                appnum: number(&hello, "appnum"),
                universe: number(&hello, "size"),
            });
        }
        let maxes = self.ask("cmd=get_maxes", "maxes")?;
        let name = self.ask("cmd=get_my_kvsname", "my_kvsname")?;
        self.learn(&maxes, &name)?;
        Ok(Facts {
            mapping: self.lookup_key("PMI_process_mapping")?,
            appnum: number(&self.ask("cmd=get_appnum", "appnum")?, "appnum"),
            universe: number(&self.ask("cmd=get_universe_size", "universe_size")?, "size"),
        })
    }

    fn learn(&mut self, maxes: &Line, name: &Line) -> Result<(), Failure> {
        // Counted with the NUL.
        let max =
            |name, default: usize| maxes.number(name).unwrap_or(default).clamp(32, 65_536) - 1;
        self.key_max = max("keylen_max", 64);
        self.value_max = max("vallen_max", 1024);
        let name = name.get("kvsname").filter(|_| name.succeeded());
        name.ok_or_else(|| protocol("the process manager did not name the job"))?
            .clone_into(&mut self.kvs);
        Ok(())
    }

    /// Whether the server is our own.
    pub fn is_own(&self) -> bool {
        self.limits == Limits::Own
    }

    /// The name of the job's key-value space.
    pub fn kvs(&self) -> &str {
        &self.kvs
    }

    /// Rank of this process.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Bytes a key may have.
    pub fn key_max(&self) -> usize {
        self.key_max
    }

    /// Bytes a value may have that is put under `key`.
    pub fn room(&self, key: &str) -> usize {
        match self.limits {
            Limits::Own => self.value_max,
            Limits::Cautious => {
                let used = format!("cmd=put kvsname={} key={key} value=\n", self.kvs).len();
                self.value_max.min(MAX_REQUEST.saturating_sub(used))
            }
        }
    }

    /// Puts a value. Our own server is told so with the next request, and does not answer.
    pub fn put(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        if self.is_own() {
            self.unsent += &format!("cmd=put quiet=1 key={key} value={value}\n");
            return Ok(());
        }
        let request = format!("cmd=put kvsname={} key={key} value={value}", self.kvs);
        let answer = self.ask(&request, "put_result")?;
        if answer.succeeded() {
            return Ok(());
        }
        let reason = answer.get("msg").unwrap_or("it does not say why");
        Err(format!("the process manager does not take the value {key}: {reason}").into())
    }

    /// The value of a key, if there is one.
    pub fn lookup_key(&mut self, key: &str) -> Result<Option<String>, Failure> {
        let request = format!("cmd=get kvsname={} key={key}", self.kvs);
        let answer = self.ask(&request, "get_result")?;
        Ok(answer.get("value").filter(|_| answer.succeeded()).map(str::to_owned))
    }

    /// Says that this process waits for all the others.
    pub fn enter_barrier(&mut self) -> Result<(), Failure> {
        if self.barrier != Barrier::Outside {
            return Err("another thread is in a fence".into());
        }
        self.send("cmd=barrier_in")?;
        self.barrier = Barrier::Waiting;
        Ok(())
    }

    /// Whether all the others have come, without waiting for them.
    pub fn has_left_barrier(&mut self) -> Result<bool, Failure> {
        let success = match self.barrier {
            Barrier::Over(success) => success,
            // No other request waits for an answer.
            _ if !self.reader.buffer().is_empty() || readable(self.reader.get_ref())? => {
                self.line(BARRIER_OUT)?.succeeded()
            }
            _ => return Ok(false),
        };
        self.barrier = Barrier::Outside;
        // Nothing was written there if this thread has read the answer itself.
        let (_, over) = &*self.shared;
        let _ = rustix::io::read(over, &mut [0; 8]);
        if success { Ok(true) } else { Err("the process manager's barrier failed".into()) }
    }

    /// Publishes a port under a name.
    pub fn publish(&mut self, service: &str, port: &str) -> Result<(), Failure> {
        let request = format!("cmd=publish_name service={service} port={port}");
        self.service(&request, "publish_result", || {
            Failure::new(ERR_ARGUMENT, format!("the name {service} can't be published"))
        })
    }

    /// Withdraws a name.
    pub fn unpublish(&mut self, service: &str) -> Result<(), Failure> {
        let request = format!("cmd=unpublish_name service={service}");
        self.service(&request, "unpublish_result", || not_published(service))
    }

    fn service(
        &mut self,
        request: &str,
        answer: &str,
        failure: impl FnOnce() -> Failure,
    ) -> Result<(), Failure> {
        if self.ask(request, answer)?.succeeded() { Ok(()) } else { Err(failure()) }
    }

    /// The port published under a name.
    pub fn lookup(&mut self, service: &str) -> Result<String, Failure> {
        let answer = self.ask(&format!("cmd=lookup_name service={service}"), "lookup_result")?;
        let port = answer.get("port").filter(|_| answer.succeeded());
        port.map(str::to_owned).ok_or_else(|| not_published(service))
    }

    /// Takes leave. Our own server knows it when it sees that this process has ended, whether or not
    /// its answer was read.
    pub fn finalize(&mut self) -> Result<(), Failure> {
        if self.is_own() {
            return self.send(&format!("cmd=finalize process={}", std::process::id()));
        }
        self.ask("cmd=finalize", "finalize_ack").map(|_| ())
    }

    /// The socket for threads that don't hold the connection.
    pub fn side(&self) -> Side {
        Side { shared: Arc::clone(&self.shared), words: self.is_own() }
    }

    fn ask(&mut self, request: &str, answer: &str) -> Result<Line, Failure> {
        self.send(request)?;
        self.answer(answer)
    }

    fn send(&mut self, request: &str) -> Result<(), Failure> {
        if request.len() >= MAX_REQUEST && self.limits == Limits::Cautious {
            let text = format!("{} bytes are too long for the process manager", request.len());
            return Err(Failure::new(ERR_ARGUMENT, text));
        }
        // One write, because some servers take what they read at once for a whole request.
        let mut lines = std::mem::take(&mut self.unsent);
        lines += request;
        lines.push('\n');
        self.reader.get_mut().write_all(lines.as_bytes()).map_err(lost)
    }

    /// The answer to a request, which may come behind that to a barrier.
    fn answer(&mut self, command: &str) -> Result<Line, Failure> {
        loop {
            let line = self.line(command)?;
            let is_answer = line.command == command;
            if !is_answer {
                self.barrier = Barrier::Over(line.succeeded());
            }
            // What was read ahead makes no socket ready any more.
            if !is_answer || (self.barrier == Barrier::Waiting && !self.reader.buffer().is_empty())
            {
                let (_, over) = &*self.shared;
                rustix::io::write(over, &1_u64.to_ne_bytes())
                    .map_err(|error| lost(error.into()))?;
            }
            if is_answer {
                return Ok(line);
            }
        }
    }

    /// The next line, which must be this answer or that to a barrier.
    fn line(&mut self, command: &str) -> Result<Line, Failure> {
        let mut text = Vec::new();
        let read = self.reader.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut text);
        match read.map_err(lost)? {
            0 => return Err(lost(io::ErrorKind::UnexpectedEof.into())),
            _ if text.last() != Some(&b'\n') => return Err(protocol("an answer without an end")),
            _ => {}
        }
        let text = String::from_utf8_lossy(&text);
        match Line::parse(&text) {
            Some(line) if line.command == command => Ok(line),
            Some(line) if line.command == BARRIER_OUT && self.barrier == Barrier::Waiting => {
                Ok(line)
            }
            _ => Err(protocol(&format!(
                "the process manager answers {:.100?} instead of {command}",
                text.trim_end()
            ))),
        }
    }
}

impl Side {
    /// Waits until there is something to read, a thread in a barrier has its answer, or the time is over.
    /// Whether there may be news.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool, Failure> {
        let (socket, over) = &*self.shared;
        let timeout = timeout.map(timespec);
        let mut places = [PollFd::new(socket, PollFlags::IN), PollFd::new(over, PollFlags::IN)];
        match poll(&mut places, timeout.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(lost(error.into())),
        }
    }

    /// Asks for the end of the job. A server that can't be reached has ended it already.
    pub fn abort(&self, code: i32, text: &str) {
        let mut message = String::new();
        for c in text.chars().take(400) {
            // Elsewhere a blank ends the message, and a backslash means something.
            match c {
                c if self.words => message.push(if c.is_control() { ' ' } else { c }),
                c if c.is_ascii_graphic() && !"\\;=".contains(c) => message.push(c),
                _ => message.push('_'),
            }
        }
        let mut line = format!("cmd=abort exitcode={code}");
        if !message.trim().is_empty() {
            line += &format!(" message={}", message.trim());
        }
        if !self.words {
            hand_over_output();
        }
        let (socket, _) = &*self.shared;
        let sent = (&*socket).write_all(format!("{line}\n").as_bytes());
        // Our own server hangs up when it has noted that this rank was the first. Before that no
        // process may see this one end, because what others do then could look like the cause.
        if self.words && sent.is_ok() {
            self.wait_for_the_end();
        }
    }

    fn wait_for_the_end(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = timespec(deadline.saturating_duration_since(Instant::now()));
            match poll(&mut [PollFd::new(&self.shared.0, PollFlags::RDHUP)], Some(&left)) {
                Err(Errno::INTR) => {}
                _ => return,
            }
        }
    }
}

/// Waits until the launcher has read what this process has written, should it do so through pipes. Hydra ends a job
/// without another look at them, and the reason of its end would be lost.
fn hand_over_output() {
    let deadline = Instant::now() + HANDOVER;
    let is_pipe = |fd: BorrowedFd<'_>| {
        fstat(fd).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo)
    };
    for fd in [stderr(), stdout()].into_iter().filter(|fd| is_pipe(*fd)) {
        // What is left in a pipe can be seen from both of its ends.
        while ioctl_fionread(fd).is_ok_and(|left| left > 0) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A number that a server knows, or -1.
fn number(answer: &Line, field: &str) -> i32 {
    answer.number(field).filter(|_| answer.succeeded()).unwrap_or(-1)
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: duration.subsec_nanos().into() }
}

/// Whether a socket has something to read.
fn readable(socket: &UnixStream) -> Result<bool, Failure> {
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&timespec(Duration::ZERO))) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(lost(error.into())),
    }
}

fn lost(error: io::Error) -> Failure {
    let gone = matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    );
    let text = if gone {
        "the process manager is gone".to_owned()
    } else {
        format!("no connection to the process manager: {error}")
    };
    Failure::new(ERR_PEER, text)
}

fn protocol(text: &str) -> Failure {
    Failure::new(ERR_PROTOCOL, text)
}

fn not_published(service: &str) -> Failure {
    Failure::new(ERR_NOT_FOUND, format!("no process has published the name {service}"))
}
