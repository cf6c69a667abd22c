//! The job from its start to its end: one loop that waits for the ranks' requests, the supervisor's
//! reports, signals, output and time.

#![forbid(unsafe_code)]

mod start;

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use cairn_framework::host::problem::Problem;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustix::process::{Pid, Signal, WaitOptions};

use crate::cli::{Timeout, Wanted};
use crate::job::Job;
use crate::pmi::{Event, MAX_LINE, Server, Stage};
use crate::report::{self, Cause, RankStatus};
use crate::stdio::{FULL, Input, Lines, Next, Sink};
use crate::supervisor::descendants;
use crate::supervisor::wire::{Channel, End, Order, Report};
use crate::sys;

/// How long ranks have to end when they are told to.
const GRACE: Duration = Duration::from_secs(2);
/// How long they have when the user told them to by a signal, which they may handle.
const SIGNAL_GRACE: Duration = Duration::from_secs(10);

/// Signals that end the job.
const ENDING: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
/// Signals that are passed on and mean nothing to mpirun.
const PASSED_ON: [i32; 2] = [libc::SIGUSR1, libc::SIGUSR2];

/// What a descriptor of the loop belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Signals,
    Supervisor,
    /// A rank's socket.
    Client(u32),
    /// A rank's output: which of [`Running::outputs`].
    Output(u32),
    /// Standard output or error is ready for more.
    Sink(u32),
    /// The terminal has input.
    Terminal,
    /// Rank 0 has room for input.
    Input,
}

impl Source {
    fn data(self) -> epoll::EventData {
        let (kind, number) = match self {
            Self::Signals => (0, 0),
            Self::Supervisor => (1, 0),
            Self::Client(rank) => (2, rank),
            Self::Output(index) => (3, index),
            Self::Sink(index) => (4, index),
            Self::Terminal => (5, 0),
            Self::Input => (6, 0),
        };
        epoll::EventData::new_u64((kind << 32) | u64::from(number))
    }

    fn of(data: epoll::EventData) -> Self {
        let (kind, number) = (data.u64() >> 32, data.u64() as u32);
        match kind {
            0 => Self::Signals,
            1 => Self::Supervisor,
            2 => Self::Client(number),
            3 => Self::Output(number),
            4 => Self::Sink(number),
            5 => Self::Terminal,
            _ => Self::Input,
        }
    }
}

/// The socket of a rank.
struct Client {
    /// Gone when the rank has closed its end.
    socket: Option<OwnedFd>,
    received: Vec<u8>,
    unsent: Vec<u8>,
}

/// A pipe with output of a rank.
struct Output {
    /// Gone at its end.
    pipe: Option<OwnedFd>,
    lines: Lines,
    /// Which sink it goes to.
    sink: usize,
    /// Whether it is not read because its sink is full.
    paused: bool,
}

/// A job that runs.
struct Running {
    job: Job,
    host: String,
    epoll: OwnedFd,
    signals: OwnedFd,
    supervisor: Pid,
    channel: Channel,
    /// Children that the process had before it became mpirun.
    inherited: Vec<Pid>,
    server: Server,
    clients: Vec<Client>,
    outputs: Vec<Output>,
    /// Standard output and error.
    sinks: [Sink; 2],
    /// Which of them are waited for.
    awaited: [bool; 2],
    input: Option<Input>,
    statuses: Vec<RankStatus>,
    started: Vec<Option<Instant>>,
    cause: Option<Cause>,
    /// What ranks have said that would end the job, while the supervisor is asked whether one has died
    /// before. In the order in which it came.
    suspects: Vec<Cause>,
    /// The signal by which the user ended the job.
    signal: Option<i32>,
    timeout: Option<Timeout>,
    /// When the job's time is up, and when ranks that were sent a signal are killed.
    deadline: Option<Instant>,
    signal_deadline: Option<Instant>,
}

/// Runs the job and returns the exit status of mpirun.
///
/// # Errors
/// It could not be started.
pub fn run(job: Job, wanted: &Wanted) -> Result<u8, Problem> {
    let mut running = start::start(job, wanted)?;
    running.watch();
    Ok(running.finish())
}

impl Running {
    /// Waits for everything until the supervisor is gone.
    fn watch(&mut self) {
        let mut events = Vec::with_capacity(64);
        loop {
            let timeout = self.next_deadline().map(|deadline| {
                let left = deadline.saturating_duration_since(Instant::now());
                Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
            });
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => panic!("waiting for the job: {error}"),
            }
            let mut there = true;
            for event in events.drain(..) {
                match Source::of(event.data) {
                    Source::Signals => self.take_signals(),
                    Source::Supervisor => there = self.take_reports(),
                    Source::Client(rank) => {
                        self.send(rank, "");
                        self.read_client(rank);
                    }
                    Source::Output(index) => {
                        self.read_output(index as usize);
                    }
                    // Below.
                    Source::Sink(_) => {}
                    Source::Terminal | Source::Input => self.pump_input(),
                }
            }
            self.flush();
            self.check_deadlines();
            if !there {
                return;
            }
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.deadline, self.signal_deadline].into_iter().flatten().min()
    }

    fn check_deadlines(&mut self) {
        let now = Instant::now();
        let is_up = self.deadline.take_if(|deadline| *deadline <= now).is_some();
        if let (true, Some(timeout)) = (is_up, self.timeout) {
            self.end(Cause::TimedOut(timeout));
        }
        if self.signal_deadline.take_if(|deadline| *deadline <= now).is_some() {
            self.order(Order::End { signal: libc::SIGKILL, grace: 0, except: None });
        }
    }

    /// Tells the supervisor. When it is gone, the end of the channel says so.
    fn order(&mut self, order: Order) {
        let _ = self.channel.send(&order);
    }

    /// Ends the job for a reason, unless it ends already.
    fn end(&mut self, cause: Cause) {
        if self.cause.is_none() {
            // It ends by itself, with the status that it wants.
            let except = match cause {
                Cause::Aborted(rank, ..) => Some(rank),
                _ => None,
            };
            self.cause = Some(cause);
            let grace = GRACE.as_millis() as u32;
            self.order(Order::End { signal: libc::SIGTERM, grace, except });
            if let Some(rank) = except {
                // It waits for this.
                self.hang_up(rank);
            }
        }
    }

    /// Ends the job for something that a rank has said, unless a rank had died before: that it has is
    /// often why another one speaks, and the news of it may come later.
    fn end_unless_earlier(&mut self, cause: Cause) {
        if self.cause.is_none() {
            self.suspects.push(cause);
            self.order(Order::Census);
        }
    }

    /// Closes the socket of a rank.
    fn hang_up(&mut self, rank: u32) {
        if let Some(socket) = self.clients[rank as usize].socket.take() {
            let _ = epoll::delete(&self.epoll, &socket);
        }
    }

    fn take_signals(&mut self) {
        while let Ok(Some(signal)) = sys::next_signal(&self.signals) {
            if ENDING.contains(&signal) {
                self.take_ending(signal);
            } else if PASSED_ON.contains(&signal) {
                self.order(Order::Signal(signal));
            } else if signal == libc::SIGTSTP {
                self.order(Order::Signal(libc::SIGSTOP));
                sys::stop();
                self.order(Order::Signal(libc::SIGCONT));
                self.pump_input();
            } else if signal == libc::SIGCONT {
                self.order(Order::Signal(libc::SIGCONT));
                self.pump_input();
            }
        }
    }

    /// The first such signal is passed on, so that ranks may handle it; the next one ends them.
    fn take_ending(&mut self, signal: i32) {
        if self.signal.is_some() {
            self.order(Order::End { signal: libc::SIGKILL, grace: 0, except: None });
            return;
        }
        self.signal = Some(signal);
        self.signal_deadline = Some(Instant::now() + SIGNAL_GRACE);
        self.order(Order::Signal(signal));
        self.order(Order::Signal(libc::SIGCONT));
    }

    /// False when the supervisor is gone.
    fn take_reports(&mut self) -> bool {
        let (reports, there) = self.channel.receive::<Report>();
        for report in reports {
            match report {
                Report::Started { rank, pid } => {
                    let rank = rank as usize;
                    self.statuses[rank].pid = Some(pid);
                    self.started[rank] = Some(Instant::now());
                }
                Report::NotStarted { rank, step, errno } => {
                    let of = &self.job.ranks[rank as usize];
                    let app = &self.job.apps[of.app];
                    let cause = report::not_started(rank, step, errno, app, &of.cpus);
                    self.end(cause);
                }
                Report::Exited { rank, end, lived, notified } => {
                    self.exited(rank, end, lived, notified)
                }
                Report::Census => self.end_for_suspects(|_| true),
                Report::LeftBehind(count) => {
                    let (es, were) = if count == 1 { ("", "was") } else { ("es", "were") };
                    self.say(&format!(
                        "mpirun: {count} process{es} that the ranks had left behind {were} ended\n"
                    ));
                }
            }
        }
        there
    }

    /// Ends the job for the first of those that are suspected, if there is one.
    fn end_for_suspects(&mut self, which: impl Fn(&Cause) -> bool) {
        if let Some(place) = self.suspects.iter().position(which) {
            let cause = self.suspects.remove(place);
            self.end(cause);
        }
    }

    fn say(&mut self, text: &str) {
        self.sinks[1].queue().extend_from_slice(text.as_bytes());
    }

    fn exited(&mut self, rank: u32, end: End, lived: u64, notified: bool) {
        // What it said before it ended comes first.
        self.read_client(rank);
        // The supervisor reports deaths in their order, so those before this rank spoke are known.
        self.end_for_suspects(|cause| cause.speaker() == Some(rank));
        let status = &mut self.statuses[rank as usize];
        status.end = Some(end);
        status.lived = Duration::from_micros(lived);
        status.notified = notified;
        let stage = self.server.stage(rank);
        // It is no failure of a rank that a signal to the job ended it.
        if !notified && self.signal.is_none() {
            match end {
                End::Exit(0) if stage == Stage::Joined => self.end(Cause::NotFinalized(rank)),
                End::Exit(0) => {}
                // The others don't wait for one that has taken leave; they may go on.
                _ if stage == Stage::Left => {
                    self.cause.get_or_insert(Cause::Failed(rank));
                }
                _ => self.end(Cause::Failed(rank)),
            }
        }
        if let Some(event) = self.server.ended(rank) {
            self.act(event);
        }
    }

    /// Reads what a rank asks, and answers.
    fn read_client(&mut self, rank: u32) {
        let mut closed = false;
        while let Some(socket) = &self.clients[rank as usize].socket {
            let mut bytes = [0; 4096];
            match rustix::net::recv(socket, &mut bytes[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => closed = true,
                Ok((_, len)) => {
                    self.clients[rank as usize].received.extend_from_slice(&bytes[..len]);
                    self.take_lines(rank);
                    // The rank waits for the answer, so there is rarely more.
                    if len == bytes.len() {
                        continue;
                    }
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(_) => closed = true,
            }
            break;
        }
        if closed {
            self.hang_up(rank);
        }
    }

    fn take_lines(&mut self, rank: u32) {
        let mut bytes = std::mem::take(&mut self.clients[rank as usize].received);
        let mut begin = 0;
        while let Some(len) = bytes[begin..].iter().position(|byte| *byte == b'\n') {
            for event in self.server.line(rank, &bytes[begin..begin + len]) {
                self.act(event);
            }
            begin += len + 1;
        }
        bytes.drain(..begin);
        if bytes.len() > MAX_LINE {
            bytes.clear();
            self.act(Event::Violation { rank, what: "a line without an end".into() });
        }
        self.clients[rank as usize].received = bytes;
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Reply(rank, text) => self.send(rank, &text),
            Event::Abort { rank, code, message } => {
                self.end_unless_earlier(Cause::Aborted(rank, code, message));
            }
            Event::Violation { rank, what } => {
                self.end_unless_earlier(Cause::Violation(rank, what));
            }
            Event::Stuck { ended, waits } => {
                let joined = self.server.stage(ended) != Stage::Silent;
                self.end_unless_earlier(Cause::Stuck { ended, waits, joined });
            }
            Event::SpawnRefused(rank) => self.say(&format!(
                "mpirun: rank {rank} asked for more processes (MPI_Comm_spawn); starting processes \
                 in a running job is not implemented yet\n"
            )),
        }
    }

    /// Sends a rank what it is to get, now or when it has room.
    fn send(&mut self, rank: u32, text: &str) {
        let client = &mut self.clients[rank as usize];
        let Some(socket) = &client.socket else { return };
        let waited = !client.unsent.is_empty();
        client.unsent.extend_from_slice(text.as_bytes());
        while !client.unsent.is_empty() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match rustix::net::send(socket, &client.unsent, flags) {
                Ok(len) => drop(client.unsent.drain(..len)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // It is gone, and the supervisor will say so.
                Err(_) => client.unsent.clear(),
            }
        }
        let waits = !client.unsent.is_empty();
        if waited != waits {
            let mut flags = epoll::EventFlags::IN;
            flags.set(epoll::EventFlags::OUT, waits);
            let _ = epoll::modify(&self.epoll, socket, Source::Client(rank).data(), flags);
        }
    }

    /// Reads output of a rank; false at its end.
    fn read_output(&mut self, index: usize) -> bool {
        let output = &mut self.outputs[index];
        let Some(pipe) = &output.pipe else { return false };
        let sink = &mut self.sinks[output.sink];
        let mut bytes = [0; 16 << 10];
        match rustix::io::read(pipe, &mut bytes) {
            Ok(0) => {}
            Ok(len) => {
                output.lines.add(&bytes[..len], sink.queue());
                if sink.len() > FULL && !output.paused {
                    output.paused = true;
                    let _ = epoll::delete(&self.epoll, pipe);
                }
                return true;
            }
            Err(Errno::INTR) => return true,
            // Every writer is gone when this is called last; so no process holds the pipe then.
            Err(Errno::AGAIN) => return false,
            Err(_) => {}
        }
        output.lines.finish(sink.queue());
        if !output.paused {
            let _ = epoll::delete(&self.epoll, pipe);
        }
        output.pipe = None;
        false
    }

    /// Writes what can be written, and sees to it that the rest is.
    fn flush(&mut self) {
        for index in 0..self.sinks.len() {
            let sink = &mut self.sinks[index];
            if sink.flush(false).is_err() {
                // Its reader is gone. The ranks learn that as if they wrote there.
                for output in self.outputs.iter_mut().filter(|output| output.sink == index) {
                    output.pipe = None;
                }
            }
            let waits = !sink.is_empty();
            if waits != self.awaited[index] {
                let data = Source::Sink(index as u32).data();
                let done = if waits {
                    epoll::add(&self.epoll, sink.target(), data, epoll::EventFlags::OUT)
                } else {
                    epoll::delete(&self.epoll, sink.target())
                };
                self.awaited[index] = waits && done.is_ok();
            }
            if sink.len() > FULL / 2 {
                continue;
            }
            for (number, output) in self.outputs.iter_mut().enumerate() {
                if output.sink != index || !std::mem::take(&mut output.paused) {
                    continue;
                }
                if let Some(pipe) = &output.pipe {
                    let data = Source::Output(number as u32).data();
                    let _ = epoll::add(&self.epoll, pipe, data, epoll::EventFlags::IN);
                }
            }
        }
    }

    /// Passes on input from the terminal.
    fn pump_input(&mut self) {
        let Some(input) = &mut self.input else { return };
        let stdin = rustix::stdio::stdin();
        let _ = epoll::delete(&self.epoll, stdin);
        let _ = epoll::delete(&self.epoll, input.target());
        let (terminal, room) = (Source::Terminal.data(), Source::Input.data());
        let _ = match input.pump() {
            Next::Read => epoll::add(&self.epoll, stdin, terminal, epoll::EventFlags::IN),
            Next::Write => epoll::add(&self.epoll, input.target(), room, epoll::EventFlags::OUT),
            Next::Background => return,
            Next::Done => {
                self.input = None;
                return;
            }
        };
    }

    /// The supervisor is gone. Sees to it that nothing is left, says what there is to say, and returns
    /// the exit status.
    fn finish(mut self) -> u8 {
        let ended = rustix::process::waitpid(Some(self.supervisor), WaitOptions::empty());
        let ended = ended.ok().flatten().map(|(_, status)| status);
        let clean = ended.is_some_and(|status| status.exit_status() == Some(0));
        if !clean {
            let how = match ended.and_then(|status| status.terminating_signal()) {
                Some(signal) => format!("was killed by {}", report::signal_name(signal)),
                None => "failed".into(),
            };
            // Whatever ranks did since was because of it.
            self.cause = Some(Cause::SupervisorDied(how));
            self.end_all();
            cairn_segment::sweep();
        }
        for index in 0..self.outputs.len() {
            while self.read_output(index) {
                let sink = self.outputs[index].sink;
                let _ = self.sinks[sink].flush(true);
            }
        }
        for (status, started) in self.statuses.iter_mut().zip(&self.started) {
            if let (None, Some(started)) = (status.end, started) {
                status.lived = started.elapsed();
            }
        }
        // The supervisor has told of every death.
        self.end_for_suspects(|_| true);
        if self.cause.is_none()
            && let Some(signal) = self.signal
        {
            // Ranks that handled the signal and ended well have done what was asked.
            let well = self.statuses.iter().all(|status| status.end == Some(End::Exit(0)));
            self.cause = (!well).then_some(Cause::Signal(signal));
        }
        let mut status = 0;
        if let Some(cause) = &self.cause {
            status = report::status(cause, &self.statuses);
            let text = report::text(cause, &self.statuses, &self.host);
            self.say(&text);
        }
        for sink in &mut self.sinks {
            let _ = sink.flush(true);
        }
        status
    }

    /// Kills every descendant but those of others. What the supervisor had is mpirun's now.
    fn end_all(&self) {
        loop {
            let mut children = descendants::children();
            children.retain(|child| !self.inherited.contains(child));
            if children.is_empty() {
                return;
            }
            descendants::signal(&children, Signal::KILL);
            for child in children {
                // Its own children come to mpirun before this returns.
                let _ = rustix::process::waitpid(Some(child), WaitOptions::empty());
            }
        }
    }
}
