//! Two ranks as on two nodes: each has a thread with a network namespace of its own, which ends with
//! the thread.

use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use cairn_framework::abi::peer::PEER_FAILED;
use cairn_framework::abi::status::{DONE, OK};

use super::{DEADLINE, Rank, Route, Setup, rank, until};

/// Where the two threads wait for each other. Unlike a barrier of the standard library it fails when
/// one of them has.
#[derive(Default)]
struct Meeting {
    arrived: Mutex<(u32, bool)>,
    changed: Condvar,
}

impl Meeting {
    /// Comes; how many will have come when both are here.
    fn come(&self) -> u32 {
        let mut arrived = self.arrived.lock().unwrap();
        arrived.0 += 1;
        self.changed.notify_all();
        arrived.0.next_multiple_of(2)
    }

    /// Whether so many have come, after at most so much time.
    fn is_met(&self, number: u32, time: Duration) -> bool {
        let waits = |state: &mut (u32, bool)| state.0 < number && !state.1;
        let arrived = self.arrived.lock().unwrap();
        let (arrived, _) = self.changed.wait_timeout_while(arrived, time, waits).unwrap();
        assert!(!arrived.1, "the other rank has failed");
        arrived.0 >= number
    }

    fn meet(&self) {
        let number = self.come();
        assert!(self.is_met(number, DEADLINE), "the other rank is not there");
    }
}

/// Tells the other thread when this one panics.
struct Leaving<'a>(&'a Meeting);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Poisoned when the other one has panicked, too.
            if let Ok(mut arrived) = self.0.arrived.lock() {
                arrived.1 = true;
            }
            self.0.changed.notify_all();
        }
    }
}

/// A rank, its peer, and the network between them.
pub struct Node<'a> {
    pub rank: Rank,
    pub number: u32,
    meeting: &'a Meeting,
}

impl Node<'_> {
    /// Returns when both ranks are here; this one does nothing until then.
    pub fn meet(&self) {
        self.meeting.meet();
    }

    /// The same, with progress.
    pub fn meet_polling(&self) {
        let number = self.meeting.come();
        until(&[self.rank], "the other", || self.meeting.is_met(number, Duration::ZERO));
    }

    /// The way to the other rank.
    pub fn route(&self) -> Route {
        self.rank.route(1 - self.number)
    }

    /// Cuts the network, as a switch does that fails: frames leave, and arrive nowhere. Both ranks call
    /// it.
    pub fn cut(&self) {
        self.meet();
        let nowhere = "lladdr 02:00:00:00:00:99 dev cairn0 nud permanent";
        ip(&format!("neigh replace 10.77.0.{} {nowhere}", 2 - self.number)).unwrap();
        self.meet();
    }

    /// The network is as it was. Both ranks call it.
    pub fn heal(&self) {
        self.meet();
        ip(&format!("neigh del 10.77.0.{} dev cairn0", 2 - self.number)).unwrap();
        self.meet();
    }

    /// Whether the transport says that the other rank has failed.
    pub fn has_lost_the_other(&self) -> bool {
        // SAFETY: peers stay.
        unsafe { &*self.rank.system.peer(1 - self.number).unwrap() }.is(PEER_FAILED)
    }

    /// Makes progress, and sleeps as a thread does that waits for a message: until the transport wakes
    /// it, however long that takes.
    pub fn sleep(&self) {
        let route = self.route();
        // SAFETY: the pool and the module stay; the place is valid.
        let (count, arm) = unsafe { ((*route.module.pool).count, route.ops.arm.unwrap()) };
        let mut fds = Vec::new();
        let idle = (0..count).all(|index| {
            let route = route.on(index);
            // SAFETY: with the CRI's lock.
            route.locked(|| unsafe {
                let mut wake = std::mem::zeroed();
                let outcome = arm(route.module, route.cri, &mut wake);
                fds.push(libc::pollfd { fd: wake.fd, events: libc::POLLIN, revents: 0 });
                outcome == DONE
            })
        });
        if idle && self.rank.progress() == 0 {
            let time = DEADLINE.as_millis() as i32;
            // SAFETY: as many descriptors as it says.
            let ready = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, time) };
            assert!(ready > OK, "a sleeper is not woken\n{}", self.rank.log());
        }
        self.rank.progress();
    }
}

/// Runs a command of a network namespace's set-up; why it failed.
pub fn ip(arguments: &str) -> Result<(), String> {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    let output = output.map_err(|error| format!("ip can't be run: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ip {arguments}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// A network between the two, with the addresses 10.77.0.1 and 10.77.0.2; for [`two_nodes`].
pub fn plain(step: u32, first: libc::pid_t) -> Result<(), String> {
    if step == 1 {
        ip(&format!("link add cairn0 type veth peer name cairn0 netns {first}"))?;
    }
    if step > 0 {
        ip(&format!("addr add 10.77.0.{}/24 dev cairn0", 1 + step % 2))?;
        ip("link set cairn0 up")?;
    }
    Ok(())
}

/// Runs `body` for both ranks and returns what they return, or why that could not be tried. `networks`
/// makes the networks in three steps, the first and the last in the namespace of rank 0, the middle one
/// in that of rank 1; it gets the step and the number of rank 0's thread, which names its namespace.
pub fn two_nodes<R: Send>(
    networks: impl Fn(u32, libc::pid_t) -> Result<(), String> + Sync,
    setup: &Setup<'_>,
    body: impl Fn(&Node<'_>) -> R + Sync,
) -> Result<[R; 2], String> {
    let (meeting, tid, failed) = (Meeting::default(), Mutex::new(0), Mutex::new(None));
    let cards = Arc::default();
    let run = |number: u32| -> Option<R> {
        let _leaving = Leaving(&meeting);
        // SAFETY: it changes the calling thread only.
        let mut made = match unsafe { libc::unshare(libc::CLONE_NEWNET) } {
            0 => ip("link set lo up"),
            _ => Err(format!("no namespace: {}", std::io::Error::last_os_error())),
        };
        if number == 0 {
            // SAFETY: always succeeds.
            *tid.lock().unwrap() = unsafe { libc::gettid() };
        }
        meeting.meet();
        for step in 0..3 {
            if made.is_ok() && step % 2 == number {
                made = networks(step, *tid.lock().unwrap());
            }
            meeting.meet();
        }
        if let Err(reason) = made {
            *failed.lock().unwrap() = Some(reason);
        }
        meeting.meet();
        if failed.lock().unwrap().is_some() {
            return None;
        }
        let setup = Setup { ranks: 2, nodes: Some(&[0, 1]), ..*setup };
        let node = Node { rank: rank(&setup, number), number, meeting: &meeting };
        node.rank.open(&cards).unwrap();
        node.meet();
        let result = body(&node);
        node.rank.system.close();
        Some(result)
    };
    let results = std::thread::scope(|scope| {
        let second = scope.spawn(|| run(1));
        let first = run(0);
        (first, second.join().unwrap())
    });
    match results {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(failed.into_inner().unwrap().unwrap_or_default()),
    }
}
