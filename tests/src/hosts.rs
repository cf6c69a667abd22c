//! Hosts that are network namespaces of this machine, each with a name and addresses of its own, and jobs that
//! MPICH's Hydra starts on them.
//!
//! ```text
//!   namespace of host N                         namespace of the switch
//!     data     10.77.0.N/24  ◄── veth pair ──►  data N ─── bridge "data"
//!     control  10.78.0.N/24  ◄── veth pair ──►  control N ─── bridge "control"
//! ```
//!
//! Hydra runs on host 1 and talks over the control network. It starts its proxies with a script that it takes for
//! `ssh`, which enters the namespace of a host. Hosts share the processors, the ids of processes, and `/dev/shm`.
//!
//! Whatever runs on a host ends when [`Hosts`] is dropped, and the namespaces go. What a test process left behind that
//! was killed goes when the next one makes hosts: their names say whose they are.

pub mod job;
pub mod relay;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tempfile::TempDir;

use crate::fetched::mpich;
use crate::{Run, executable, scratch, skipped};

/// What the names of all namespaces begin with.
const PREFIX: &str = "cairn-hosts-";

/// Where the system keeps the names of namespaces.
const NAMES: &str = "/run/netns";

/// How long what was ended may take to be gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// A network between the hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// What ranks are to use.
    Data,
    /// What the launcher uses.
    Control,
}

impl Network {
    /// The name of each host's interface.
    pub fn interface(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Control => "control",
        }
    }

    /// The address of a host, which are counted from 1.
    pub fn address(self, host: u32) -> String {
        match self {
            Self::Data => format!("10.77.0.{host}"),
            Self::Control => format!("10.78.0.{host}"),
        }
    }
}

/// Some hosts. They are counted from 1.
pub struct Hosts {
    /// What the names of their namespaces begin with.
    name: String,
    count: u32,
    /// With the scripts that enter a host.
    dir: TempDir,
    mpiexec: &'static Path,
}

impl Hosts {
    /// Makes hosts, or nothing after the reason was said.
    pub fn new(count: u32) -> Option<Self> {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let mpich = mpich()?;
        if let Err(reason) = permitted() {
            skipped(reason);
            return None;
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{serial}", own());
        let mpiexec = Box::leak(mpich.join("mpiexec").into_boxed_path());
        // From here on, what is there goes when it is dropped.
        let hosts = Self { name, count, dir: scratch(), mpiexec };
        hosts.build().unwrap_or_else(|reason| panic!("{reason}"));
        Some(hosts)
    }

    fn build(&self) -> Result<(), String> {
        let switch = self.switch();
        ip(&["netns", "add", &switch])?;
        for network in [Network::Data, Network::Control] {
            let bridge = network.interface();
            ip(&["-n", &switch, "link", "add", bridge, "type", "bridge"])?;
            ip(&["-n", &switch, "link", "set", bridge, "up"])?;
        }
        for host in self.numbers() {
            let namespace = self.namespace(host);
            ip(&["netns", "add", &namespace])?;
            ip(&["-n", &namespace, "link", "set", "lo", "up"])?;
            for network in [Network::Data, Network::Control] {
                let (name, port) = (network.interface(), port(network, host));
                let pair = ["type", "veth", "peer", "name", name, "netns", &namespace];
                ip(&[&["-n", &switch, "link", "add", &port][..], &pair].concat())?;
                ip(&["-n", &switch, "link", "set", &port, "master", name, "up"])?;
                let address = format!("{}/24", network.address(host));
                ip(&["-n", &namespace, "address", "add", &address, "dev", name])?;
                ip(&["-n", &namespace, "link", "set", name, "up"])?;
            }
        }
        self.script("enter", "", "number=$1; shift");
        // What Hydra says to ssh: options, a host, and a line for its shell.
        // The end of ssh on this side ends nothing on the other: that learns of it by the network.
        self.script(
            "ssh",
            "setsid --fork --wait",
            "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n\
             number=${1##*.}; shift\n\
             set -- sh -c \"$*\"",
        );
        Ok(())
    }

    /// A script that runs a command on the host whose number it finds.
    fn script(&self, name: &str, by: &str, number: &str) {
        let enter = format!(
            "#!/bin/sh\n{number}\n\
             exec {by} ip netns exec {0}-$number unshare --uts sh -c \
             'hostname \"$1\"; shift; exec \"$@\"' sh {0}-$number \"$@\"\n",
            self.name
        );
        executable(&self.dir.path().join(name), &enter);
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        1..=self.count
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The namespace of a host, and its name.
    pub fn namespace(&self, host: u32) -> String {
        format!("{}-{host}", self.name)
    }

    fn switch(&self) -> String {
        format!("{}-switch", self.name)
    }

    /// A directory for what a job needs, the same on all hosts.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A command on a host.
    pub fn on(&self, host: u32, program: &str) -> Run {
        Run::new(self.dir.path().join("enter")).args([&host.to_string(), program])
    }

    /// Hydra for a job of so many processes, which takes the hosts by turns. It runs on host 1 and reaches the
    /// others over a network. Parameters are variables of its environment, which all ranks get.
    pub fn mpiexec(&self, processes: u32, over: Network) -> Run {
        let hosts: Vec<String> = self.numbers().map(|host| over.address(host)).collect();
        let ssh = self.dir.path().join("ssh");
        self.on(1, self.mpiexec.to_str().expect("a path of ours"))
            .args(["-launcher", "ssh", "-launcher-exec"])
            .args([ssh])
            .args(["-hosts", &hosts.join(","), "-iface", over.interface(), "-ppn", "1"])
            .args(["-n", &processes.to_string()])
            .env("HOME", "/nonexistent")
    }

    /// Host's frames leave and arrive nowhere, as behind a switch that fails: no interface says that it is down.
    pub fn cut(&self, network: Network, host: u32) {
        let port = port(network, host);
        ip(&["-n", &self.switch(), "link", "set", &port, "nomaster"])
            .expect("a port of the switch");
    }

    /// The cable of a host is pulled: its interface has no carrier.
    pub fn unplug(&self, network: Network, host: u32) {
        let port = port(network, host);
        ip(&["-n", &self.switch(), "link", "set", &port, "down"]).expect("a port of the switch");
    }

    /// What was cut is as before, within a second or so: where other links have just changed, the kernel tells an
    /// interface no sooner that it has a carrier, and until then drops what is sent there.
    pub fn heal(&self, network: Network, host: u32) {
        let (port, bridge) = (port(network, host), network.interface());
        ip(&["-n", &self.switch(), "link", "set", &port, "master", bridge, "up"])
            .expect("a port of the switch");
    }

    /// Everything that arrives at a host over a network comes no faster than this, as `tc` has it (`100mbit`);
    /// why not, if the kernel has no such queue.
    ///
    /// # Errors
    /// What `tc` says.
    pub fn limit(&self, network: Network, host: u32, rate: &str) -> Result<(), String> {
        let (port, switch) = (port(network, host), self.switch());
        let queue = ["root", "tbf", "rate", rate, "burst", "64kb", "latency", "50ms"];
        command("tc", &[&["-n", &switch, "qdisc", "replace", "dev", &port][..], &queue].concat())
    }

    /// A bridge on each host that leads nowhere, with the same address on all, as those of containers.
    pub fn add_useless_bridges(&self) {
        for host in self.numbers() {
            let namespace = self.namespace(host);
            for arguments in [
                "link add docker0 type veth peer name docker0p",
                "address add 172.17.0.1/16 dev docker0",
                "link set docker0 up",
                "link set docker0p up",
            ] {
                let arguments = arguments.split(' ');
                let all: Vec<&str> = ["-n", &namespace].into_iter().chain(arguments).collect();
                ip(&all).unwrap_or_else(|reason| panic!("{reason}"));
            }
        }
    }

    /// Does something with the network of a host, in a thread of its own.
    pub fn within<T: Send>(&self, host: u32, body: impl FnOnce() -> T + Send) -> T {
        let namespace = Path::new(NAMES).join(self.namespace(host));
        let enter = || {
            let namespace = File::open(namespace).expect("a namespace of ours");
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                .expect("who makes namespaces may enter them");
            body()
        };
        std::thread::scope(|scope| {
            let ended = scope.spawn(enter).join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// The processes on all hosts: their numbers and command lines.
    pub fn processes(&self) -> BTreeSet<(u32, String)> {
        let of = |host| pids(&self.namespace(host));
        let named = |pid: u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, String::from_utf8_lossy(&line).replace('\0', " "))
        };
        self.numbers().flat_map(of).map(named).collect()
    }

    /// Waits until no process is on any host.
    ///
    /// # Panics
    /// Some are there after a while.
    pub fn nothing_is_left(&self) {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < end, "left on the hosts: {left:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let all = self.numbers().map(|host| self.namespace(host)).chain([self.switch()]);
        all.for_each(|namespace| remove(&namespace));
    }
}

/// The switch's end of a host's cable.
fn port(network: Network, host: u32) -> String {
    format!("{}{host}", network.interface())
}

/// Whether hosts can be made here, or why not; looks once, and removes what others have left behind.
fn permitted() -> Result<(), &'static str> {
    static PERMITTED: OnceLock<Result<(), String>> = OnceLock::new();
    let look = || {
        sweep();
        let name = format!("{PREFIX}{}-try", own());
        let made = ip(&["netns", "add", &name]).and_then(|()| {
            let bridge = ["link", "add", "data", "type", "bridge"];
            ip(&[&["-n", &name][..], &bridge].concat())?;
            command("ip", &["netns", "exec", &name, "unshare", "--uts", "hostname", "host"])
        });
        remove(&name);
        made.map_err(|reason| format!("hosts of network namespaces can't be made: {reason}"))
    };
    PERMITTED.get_or_init(look).as_ref().copied().map_err(String::as_str)
}

/// This process, for names: its number, and when it started.
fn own() -> String {
    let pid = std::process::id();
    format!("{pid}-{}", started(pid).unwrap_or(0))
}

/// When a process started, in ticks; nothing if there is none.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    // Field 22 (proc(5)); the first behind the name is the third.
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// Removes the namespaces of processes that are no more, which the first hosts of a process do by themselves.
pub fn sweep() {
    for entry in fs::read_dir(NAMES).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        let mut parts = rest.split('-').map(str::parse::<u64>);
        if let (Some(Ok(pid)), Some(Ok(start))) = (parts.next(), parts.next())
            && started(pid as u32) != Some(start)
        {
            remove(&name);
        }
    }
}

/// Ends what runs in a namespace, and takes its name away. Its interfaces go with its last process.
fn remove(namespace: &str) {
    let end = Instant::now() + PATIENCE;
    loop {
        let left = pids(namespace);
        if left.is_empty() || Instant::now() > end {
            break;
        }
        for pid in left {
            let _ =
                Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    if Path::new(NAMES).join(namespace).exists() {
        let _ = ip(&["netns", "delete", namespace]);
    }
}

/// The processes in a namespace.
fn pids(namespace: &str) -> Vec<u32> {
    let output = Command::new("ip").args(["netns", "pids", namespace]).output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().filter_map(|line| line.trim().parse().ok()).collect()
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    command("ip", arguments)
}

fn command(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program} can't be run: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{program} {}: {}", arguments.join(" "), said.trim()))
        }
    }
}
