//! A connection to a server: a request and its answer, one at a time.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;

use cairn_framework::abi::status::{ERR_ARGUMENT, ERR_NOT_FOUND, ERR_PEER, ERR_PROTOCOL};
use cairn_framework::author::Failure;
use rustix::io::FdFlags;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::wire::Line;

/// What a request may have, with its newline: Slurm reads so much at once and takes it for all.
const MAX_REQUEST: usize = 1023;
/// After so many passes in a row that did nothing, a process that waits for the others sleeps.
const IDLE_PASSES: u32 = 1000;
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
}

/// The way to say that the job must end, while another thread uses the connection.
#[derive(Debug)]
pub struct Aborter {
    socket: UnixStream,
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
        Ok(Self {
            reader: BufReader::new(socket),
            rank: 0,
            kvs: String::new(),
            key_max: 0,
            value_max: 0,
            limits: Limits::Cautious,
            unsent: String::new(),
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
            // Nobody waited for it.
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

    /// Waits for all processes.
    pub fn barrier(&mut self) -> Result<(), Failure> {
        self.send("cmd=barrier_in")?;
        self.barrier_out()
    }

    /// Waits for all processes, and makes progress meanwhile.
    pub fn barrier_with(&mut self, progress: &mut dyn FnMut() -> u32) -> Result<(), Failure> {
        self.send("cmd=barrier_in")?;
        let mut idle = 0;
        loop {
            idle = if progress() > 0 { 0 } else { idle + 1 };
            // Others may need this process again soon, so it does not sleep at once.
            let milliseconds = if idle < IDLE_PASSES { 0 } else { 1 };
            if self.reader.buffer().is_empty() && !readable(self.reader.get_ref(), milliseconds)? {
                if milliseconds == 0 {
                    std::thread::yield_now();
                }
                continue;
            }
            return self.barrier_out();
        }
    }

    fn barrier_out(&mut self) -> Result<(), Failure> {
        let answer = self.answer("barrier_out")?;
        if answer.succeeded() { Ok(()) } else { Err("the process manager's barrier failed".into()) }
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
    /// somebody has read its answer.
    pub fn finalize(&mut self) -> Result<(), Failure> {
        if self.is_own() {
            return self.send(&format!("cmd=finalize process={}", std::process::id()));
        }
        self.ask("cmd=finalize", "finalize_ack").map(|_| ())
    }

    /// The way to end the job.
    pub fn aborter(&self) -> Result<Aborter, Failure> {
        let socket = self.reader.get_ref().try_clone().map_err(lost)?;
        Ok(Aborter { socket, words: self.is_own() })
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

    fn answer(&mut self, command: &str) -> Result<Line, Failure> {
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
            _ => Err(protocol(&format!(
                "the process manager answers {:.100?} instead of {command}",
                text.trim_end()
            ))),
        }
    }
}

impl Aborter {
    /// Asks for the end of the job. Who can't be reached has ended it already.
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
        let _ = (&self.socket).write_all(format!("{line}\n").as_bytes());
    }
}

/// A number that a server knows, or -1.
fn number(answer: &Line, field: &str) -> i32 {
    answer.number(field).filter(|_| answer.succeeded()).unwrap_or(-1)
}

/// Whether a socket has something to read, now or in so many milliseconds.
fn readable(socket: &UnixStream, milliseconds: i64) -> Result<bool, Failure> {
    let timeout = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&timeout)) {
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
    Failure::new(ERR_NOT_FOUND, format!("nobody has published the name {service}"))
}
