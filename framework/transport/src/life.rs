//! Whether the peer of a connection is there.
//!
//! A peer that computes for minutes, or sleeps with full buffers, is alive: its kernel goes on
//! acknowledging. A peer is dead when its kernel leaves unanswered for `peer_timeout` what ours asks.
//! What asks, and when, differs:
//!
//! | the connection has | what asks | what decides |
//! |---|---|---|
//! | nothing to send | keepalive probes, every [`Keepalive::interval`] after as long without a word | the kernel, after [`Keepalive::count`] of them, or [`Life`] |
//! | data on its way | retransmissions, twice as far apart each time | [`Life`] |
//! | data, and the peer's window is closed | window probes, twice as far apart each time although each is answered | [`Life`] |
//!
//! A peer's silence proves nothing by itself: with a closed window, or after a retransmission, it may
//! be minutes until the kernel asks again. So [`Life`] looks for a question that was asked
//! `peer_timeout` after the first one that was not answered, and was not answered either. A network
//! that is back before that has lost nothing, since the retransmission gets through. (The socket option
//! `TCP_USER_TIMEOUT` ends a connection if the window stays closed although every probe is answered,
//! and is of no use here.)

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use rustix::net::sockopt;

/// How often the time-out passes between two looks, or two questions of the kernel.
const LOOKS: u32 = 8;
const QUESTIONS: u32 = 4;

/// Most unanswered probes of an idle connection that Linux counts.
const MOST_PROBES: u32 = 127;

/// When the kernel asks the peer of an idle connection whether it is there.
#[derive(Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// Time without a word before the first probe; the kernel knows whole seconds.
    pub idle: Duration,
    /// Time between two probes.
    pub interval: Duration,
    /// Probes that are not answered.
    pub count: u32,
}

impl Keepalive {
    /// When the kernel asks, so that a network that is gone for less than `peer_timeout` has failed no
    /// connection: that long lies between the first probe and the last.
    pub fn during(peer_timeout: Duration) -> Self {
        let interval = Duration::from_secs(
            (peer_timeout / QUESTIONS).as_millis().div_ceil(1000).max(1) as u64,
        );
        let count = peer_timeout.as_millis().div_ceil(interval.as_millis()) as u32 + 1;
        Self { idle: interval, interval, count }
    }

    /// The same for a connection of somebody else, who need not tell when the kernel ends it: it goes on asking.
    pub fn for_ever(peer_timeout: Duration) -> Self {
        Self { count: MOST_PROBES, ..Self::during(peer_timeout) }
    }

    /// Has the kernel ask the peer of a connection, no more than half of `peer_timeout` apart where it can do that.
    ///
    /// # Errors
    /// It is no TCP socket.
    pub fn set(&self, fd: impl AsFd, peer_timeout: Duration) -> io::Result<()> {
        sockopt::set_socket_keepalive(&fd, true)?;
        sockopt::set_tcp_keepidle(&fd, self.idle)?;
        sockopt::set_tcp_keepintvl(&fd, self.interval)?;
        sockopt::set_tcp_keepcnt(&fd, self.count)?;
        limit_backoff(fd, peer_timeout / 2);
        Ok(())
    }
}

/// Time between two looks at what the kernel knows.
pub fn look_interval(peer_timeout: Duration) -> Duration {
    peer_timeout / LOOKS
}

/// Retransmissions and probes of a closed window come so far apart at most, and not up to two minutes.
/// Linux 6.15 and later can do it; elsewhere a dead peer is noticed later. A kernel ends a
/// connection by itself if the peer has withdrawn a window that it had opened, after twice this time
/// without a word.
fn limit_backoff(fd: impl AsFd, most: Duration) {
    /// Of `linux/tcp.h`; the libc crate has no name for it yet.
    const TCP_RTO_MAX_MS: libc::c_int = 44;
    let milliseconds = most.clamp(Duration::from_secs(1), Duration::from_secs(120)).as_millis();
    let value = milliseconds as libc::c_int;
    // SAFETY: the value is an integer of the length that is passed. An older kernel refuses it.
    unsafe {
        libc::setsockopt(
            fd.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            TCP_RTO_MAX_MS,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
}

/// What the kernel knows of a connection as a whole.
///
/// # Errors
/// It is no TCP socket.
pub fn tcp_info(fd: impl AsFd) -> io::Result<libc::tcp_info> {
    // SAFETY: all zero is a valid value of a struct of integers.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut len = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the kernel writes at most so many bytes to the struct.
    let status = unsafe {
        libc::getsockopt(
            fd.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut len,
        )
    };
    match status {
        0 => Ok(info),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What the kernel knows of the other side's answers.
#[derive(Debug, Clone, Copy)]
pub struct AckState {
    /// Something was sent and not acknowledged: data, or a probe.
    pub unanswered: bool,
    /// Grows whenever the kernel asks again, for as long as there is no answer.
    pub asked: u64,
    /// For how long the peer has not been heard.
    pub heard: Duration,
}

impl AckState {
    /// That of a connection.
    ///
    /// # Errors
    /// It is no TCP socket.
    pub fn of(fd: impl AsFd) -> io::Result<Self> {
        let info = tcp_info(fd)?;
        let heard = info.tcpi_last_ack_recv.min(info.tcpi_last_data_recv);
        Ok(Self {
            unanswered: info.tcpi_unacked > 0 || info.tcpi_probes > 0,
            // A timer may count one without another: where there is no route nothing is retransmitted,
            // and where the peer has shrunk its window the number of time-outs does not grow.
            asked: u64::from(info.tcpi_total_retrans)
                + u64::from(info.tcpi_retransmits)
                + u64::from(info.tcpi_probes),
            heard: Duration::from_millis(heard.into()),
        })
    }
}

/// What is known of the peer of a connection that is looked at now and then.
#[derive(Debug, Default)]
pub struct Life(Option<Silence>);

/// A time in which a question was not answered and nothing was heard.
#[derive(Debug, Clone, Copy)]
struct Silence {
    /// When it was seen first.
    since: Instant,
    /// The look before this one, and [`AckState::asked`] then.
    looked: Instant,
    asked: u64,
    /// The kernel asked again after this time.
    last: Instant,
}

impl Life {
    /// How long a question has not been answered, as far as was seen.
    pub fn silent_for(&self, now: Instant) -> Duration {
        self.0.map_or(Duration::ZERO, |silence| now.saturating_duration_since(silence.since))
    }

    /// A look. True when the peer is dead.
    pub fn look(&mut self, now: Instant, ack_state: AckState, timeout: Duration) -> bool {
        let unheard =
            |since: &Instant| now.checked_sub(ack_state.heard).is_none_or(|heard| heard <= *since);
        let silence = self.0.filter(|silence| ack_state.unanswered && unheard(&silence.since));
        let Some(mut silence) = silence else {
            let asked = ack_state.asked;
            let new = Silence { since: now, looked: now, asked, last: now };
            self.0 = ack_state.unanswered.then_some(new);
            return false;
        };
        // The question was there at the last look already: there was time for an answer.
        if silence.last >= silence.since + timeout {
            return true;
        }
        if ack_state.asked != silence.asked {
            silence.last = silence.looked;
        }
        (silence.looked, silence.asked) = (now, ack_state.asked);
        self.0 = Some(silence);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(40);
    const LOOK: u64 = 5;

    /// Looks every [`LOOK`] seconds at a connection of which `ack_state` tells; the second in which the
    /// peer is taken for dead.
    fn death(mut ack_state: impl FnMut(u64) -> AckState) -> Option<u64> {
        let (mut life, begin) = (Life::default(), Instant::now());
        (0..2000).step_by(LOOK as usize).find(|second| {
            life.look(begin + Duration::from_secs(*second), ack_state(*second), TIMEOUT)
        })
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Retransmissions at 1, 3, 7, 15, 31, 63 ... seconds after `first`, at most `most` apart.
    fn asked(first: u64, now: u64, most: u64) -> u64 {
        let (mut at, mut step, mut count) = (first, 1, 0);
        while at + step <= now {
            at += step;
            step = (2 * step).min(most);
            count += 1;
        }
        count
    }

    #[test]
    fn the_kernel_asks_for_as_long_as_the_timeout() {
        for milliseconds in [1000, 1500, 2000, 60_000, 300_000, 900_000] {
            let peer_timeout = Duration::from_millis(milliseconds);
            let Keepalive { idle, interval, count } = Keepalive::during(peer_timeout);
            assert!(interval * (count - 1) >= peer_timeout, "{milliseconds}");
            assert!(idle + interval * count <= (peer_timeout * 3 / 2).max(seconds(4)));
            // What Linux takes.
            assert!((1..=32767).contains(&idle.as_secs()) && (1..=127).contains(&count));
        }
    }

    #[test]
    fn data_that_is_never_acknowledged_ends_it() {
        let ack_state =
            |now| AckState { unanswered: true, asked: asked(0, now, 120), heard: seconds(now) };
        // Asked at 63 seconds for the first time after the time-out.
        assert_eq!(death(ack_state), Some(70));
        let ack_state =
            |now| AckState { unanswered: true, asked: asked(0, now, 10), heard: seconds(now) };
        assert_eq!(death(ack_state), Some(50));
    }

    #[test]
    fn what_is_acknowledged_or_needs_no_answer_does_not() {
        // New data all the time, each acknowledged.
        let ack_state = |_| AckState { unanswered: true, asked: 3, heard: Duration::ZERO };
        assert_eq!(death(ack_state), None);
        // Nothing to say for long.
        let ack_state = |now| AckState { unanswered: false, asked: 0, heard: seconds(now) };
        assert_eq!(death(ack_state), None);
        // Every probe is answered, but they are two minutes apart, thrice the time-out.
        let ack_state = |now| AckState { unanswered: false, asked: 0, heard: seconds(now % 120) };
        assert_eq!(death(ack_state), None);
        // The same with data that the peer has no room for: unacknowledged all the time.
        let ack_state =
            |now| AckState { unanswered: true, asked: now / 120, heard: seconds(now % 120) };
        assert_eq!(death(ack_state), None);
        // One probe is lost, the next one is answered two minutes later.
        let ack_state = |now| match now % 240 {
            since @ 0..120 => AckState { unanswered: false, asked: 0, heard: seconds(since) },
            since => AckState { unanswered: true, asked: 1, heard: seconds(since) },
        };
        assert_eq!(death(ack_state), None);
    }

    #[test]
    fn a_network_that_is_back_before_the_next_question_does_not() {
        // Back after 39 seconds, but the kernel asks at 63 seconds for the next time.
        let ack_state = |now| {
            let unanswered = now < 63;
            let heard = if unanswered { now } else { now - 63 };
            AckState {
                unanswered,
                asked: if unanswered { asked(0, now, 120) } else { 6 },
                heard: seconds(heard),
            }
        };
        assert_eq!(death(ack_state), None);
    }

    #[test]
    fn a_process_that_was_away_looks_twice() {
        let (mut life, begin) = (Life::default(), Instant::now());
        let mut look = |second: u64, asked: u64| {
            let ack_state = AckState { unanswered: true, asked, heard: seconds(second) };
            life.look(begin + seconds(second), ack_state, TIMEOUT)
        };
        assert!(!look(0, 0));
        // It has asked in vain for ten minutes, but the network may be back since the last question.
        assert!(!look(600, 11));
        assert!(!look(605, 11));
        assert!(!look(700, 12));
        assert!(look(705, 12));
    }
}
