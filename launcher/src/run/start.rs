//! Everything that is made before the ranks run: sockets, pipes, files, the supervisor.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use cairn_framework::host::problem::Problem;
use cairn_framework::launch;
use rustix::event::epoll;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Resource, Rlimit};

use super::{Client, ENDING, Output, PASSED_ON, Running, Source};
use crate::cli::{self, Wanted};
use crate::job::Job;
use crate::pmi::Server;
use crate::report::RankStatus;
use crate::stdio::{Input, Lines, Sink};
use crate::supervisor::{self, Ends, PMI_FD, descendants};
use crate::sys::{self, Forked, SignalSet};

/// Descriptors that mpirun needs besides those of the ranks.
const OWN_DESCRIPTORS: u64 = 32 + PMI_FD as u64;

/// Starts the supervisor, which starts the ranks.
pub fn start(job: Job, wanted: &Wanted) -> Result<Running, Problem> {
    let ranks = job.ranks.len();
    let limits = raise_descriptors(ranks, &wanted.output)?;
    let place = reserve_place().map_err(failed("opening /dev/null"))?;

    // From here on signals come through a descriptor, so none is lost and none kills mpirun alone.
    // What was ignored before, as by nohup, stays so, here and in the ranks.
    let handled: Vec<i32> = ENDING
        .into_iter()
        .chain(PASSED_ON)
        .chain([libc::SIGTSTP, libc::SIGCONT])
        .filter(|signal| !sys::is_ignored(*signal))
        .collect();
    let set = SignalSet::of(&handled);
    let mask = set.block().map_err(failed("blocking signals"))?;
    let signals = set.descriptor().map_err(failed("signalfd"))?;

    // Files of jobs that were killed as a whole; ranks may need the room.
    cairn_segment::sweep();

    let inherited = descendants::children();
    // When the supervisor dies, what it kept comes to mpirun.
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own)).map_err(failed("becoming a subreaper"))?;

    let (channel, supervisor_end) = sockets()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(failed("epoll"))?;
    let watch = |fd: &OwnedFd, source: Source| {
        epoll::add(&epoll, fd, source.data(), epoll::EventFlags::IN).map_err(failed("epoll"))
    };
    watch(&signals, Source::Signals)?;
    watch(&channel, Source::Supervisor)?;

    let mut ends = Vec::with_capacity(ranks);
    let mut clients = Vec::with_capacity(ranks);
    let mut outputs = Vec::new();
    let mut input = None;
    for rank in 0..ranks {
        let (socket, pmi) = sockets()?;
        watch(&socket, Source::Client(rank as u32))?;
        clients.push(Client { socket: Some(socket), received: Vec::new(), unsent: Vec::new() });
        let output = match &wanted.output {
            cli::Output::Inherited => None,
            cli::Output::Tagged => {
                let mut make = |sink| {
                    let (from, to) = pipe()?;
                    rustix::io::ioctl_fionbio(&from, true).map_err(failed("making a pipe"))?;
                    watch(&from, Source::Output(outputs.len() as u32))?;
                    let lines = Lines::new(rank as u32);
                    outputs.push(Output { pipe: Some(from), lines, sink, paused: false });
                    Ok(to)
                };
                Some((make(0)?, make(1)?))
            }
            cli::Output::Directory(dir) => {
                Some((output_file(dir, rank, "out")?, output_file(dir, rank, "err")?))
            }
        };
        let input = if rank == 0 { terminal_input(&mut input)? } else { None };
        ends.push(Ends { input, output, pmi });
    }

    let supervisor = match sys::fork().map_err(failed("making the supervisor"))? {
        Forked::Child => {
            drop((epoll, signals, channel, clients, outputs, input, place));
            let current = launch::descriptors(limits.current, limits.maximum);
            supervisor::run(supervisor_end, &job, ends, mask, Rlimit { current, ..limits })
        }
        Forked::Parent(supervisor) => supervisor,
    };
    drop((ends, supervisor_end, place));
    let status = |app: usize| RankStatus {
        program: job.apps[app].args[0].to_string_lossy().into_owned(),
        ..RankStatus::default()
    };
    let mut running = Running {
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        epoll,
        signals,
        supervisor,
        channel: channel.into(),
        inherited,
        server: Server::new(&job.id, job.ranks.iter().map(|rank| rank.app as u32)),
        clients,
        outputs,
        sinks: [Sink::new(rustix::stdio::stdout()), Sink::new(rustix::stdio::stderr())],
        awaited: [false; 2],
        input,
        statuses: job.ranks.iter().map(|rank| status(rank.app)).collect(),
        started: vec![None; ranks],
        cause: None,
        signal: None,
        suspects: Vec::new(),
        timeout: wanted.timeout,
        deadline: wanted.timeout.map(|timeout| Instant::now() + timeout.after),
        signal_deadline: None,
        job,
    };
    running.pump_input();
    Ok(running)
}

/// A problem of the machine.
fn failed<E: Into<io::Error>>(what: &str) -> impl Fn(E) -> Problem {
    move |error| {
        Problem::new(format!("can't start the job: {what}: {}", error.into()))
            .at("mpirun")
            .fix("look at the limits of this machine: cairn-info doctor")
    }
}

fn sockets() -> Result<(OwnedFd, OwnedFd), Problem> {
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(failed("making a socket"))
}

/// The ends to read from and to write to.
fn pipe() -> Result<(OwnedFd, OwnedFd), Problem> {
    pipe_with(PipeFlags::CLOEXEC).map_err(failed("making a pipe"))
}

/// Occupies the number that the socket of a rank gets, so that no descriptor of mpirun and its supervisor
/// stands there and is replaced by another.
fn reserve_place() -> io::Result<OwnedFd> {
    let null = File::open("/dev/null")?;
    // If it is taken, as by the program that started mpirun, another above it is found.
    Ok(rustix::io::fcntl_dupfd_cloexec(&null, PMI_FD)?)
}

/// Makes room for all descriptors, and returns the limits from before.
fn raise_descriptors(ranks: usize, output: &cli::Output) -> Result<Rlimit, Problem> {
    let limits = rustix::process::getrlimit(Resource::Nofile);
    // Both ends of a socket, a descriptor of the process, and the pipes or files of the output.
    let each = match output {
        cli::Output::Inherited => 3,
        cli::Output::Directory(_) => 5,
        cli::Output::Tagged => 7,
    };
    let needed = OWN_DESCRIPTORS + each * ranks as u64;
    if let Some(maximum) = limits.maximum.filter(|maximum| *maximum < needed) {
        return Err(Problem::new(format!(
            "{ranks} processes need {needed} descriptors ({each} each, and {OWN_DESCRIPTORS}); the \
             limit is {maximum}"
        ))
        .at("-n")
        .allowed(format!("up to {} processes", maximum.saturating_sub(OWN_DESCRIPTORS) / each))
        .fix(format!("raise the limit: ulimit -Hn {needed}")));
    }
    if limits.current.is_some_and(|current| current < needed) {
        let raised = Rlimit { current: limits.maximum, maximum: limits.maximum };
        rustix::process::setrlimit(Resource::Nofile, raised).map_err(|error| {
            Problem::new(format!("can't raise the limit on descriptors to {needed}: {error}"))
                .at("-n")
                .fix(format!("raise it: ulimit -n {needed}"))
        })?;
    }
    Ok(limits)
}

fn output_file(dir: &Path, rank: usize, kind: &str) -> Result<OwnedFd, Problem> {
    let path = dir.join(format!("rank.{rank}.{kind}"));
    let file = OpenOptions::new().create(true).write(true).truncate(true).open(&path);
    file.map(OwnedFd::from).map_err(|error| {
        Problem::new(format!("can't write output to {}: {error}", path.display()))
            .at(format!("--output-dir {}", dir.display()))
            .fix("name a directory that you may write to")
    })
}

/// A pipe for rank 0 when standard input is a terminal; otherwise it reads for itself.
fn terminal_input(input: &mut Option<Input>) -> Result<Option<OwnedFd>, Problem> {
    if !rustix::termios::isatty(rustix::stdio::stdin()) {
        return Ok(None);
    }
    let (from, to) = pipe()?;
    rustix::io::ioctl_fionbio(to.as_fd(), true).map_err(failed("making a pipe"))?;
    *input = Some(Input::new(to));
    Ok(Some(from))
}
