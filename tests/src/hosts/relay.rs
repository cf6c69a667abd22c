//! A network between two hosts whose frames pass through the test, which may delay them, swap them, lose some, or
//! break the connections that they are of.
//!
//! Each host has a device (tap) whose frames the test reads and writes. What TCP makes of the rest is the kernel's:
//! with a small frame every message comes in many pieces.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Hosts, ip};

/// The name of its interface on each host.
pub const INTERFACE: &str = "relay";

/// What happens to frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Each arrives so much later.
    pub delay: Duration,
    /// Of so many that follow each other the first arrives last; 0 and 1 change nothing.
    pub swap: usize,
    /// One of so many is lost; 0 for none.
    pub lose: u64,
    /// Segments of TCP with data come as an end of their connection, at both sides.
    pub reset: bool,
}

/// A network between hosts 1 and 2.
pub struct Relay {
    rules: Arc<Mutex<Rules>>,
    passed: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// Connects the two, with frames of at most so many bytes. The hosts have the addresses 10.79.0.1 and
    /// 10.79.0.2.
    ///
    /// # Errors
    /// Why there are no such devices.
    pub fn new(hosts: &Hosts, mtu: u32, rules: Rules) -> Result<Self, String> {
        let mut devices = Vec::new();
        for host in [1, 2] {
            devices.push(hosts.within(host, device)?);
            let namespace = hosts.namespace(host);
            for arguments in [
                format!("address add 10.79.0.{host}/24 dev {INTERFACE}"),
                format!("link set {INTERFACE} mtu {mtu} up"),
            ] {
                let all = ["-n", &namespace].into_iter().chain(arguments.split(' '));
                ip(&all.collect::<Vec<_>>())?;
            }
        }
        let (over, passed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let rules = Arc::new(Mutex::new(rules));
        let shared = (rules.clone(), passed.clone(), over.clone());
        let thread = std::thread::spawn(move || pass_on(&devices, &shared.0, &shared.1, &shared.2));
        Ok(Self { rules, passed, over, thread: Some(thread) })
    }

    /// Other rules from now on.
    pub fn change(&self, rules: Rules) {
        *self.rules.lock().expect("nothing fails here") = rules;
    }

    /// How many frames have come.
    pub fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Makes the device of the namespace that the thread is in.
fn device() -> Result<File, String> {
    let mut options = File::options();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
    let file = options.open("/dev/net/tun").map_err(|error| format!("/dev/net/tun: {error}"))?;
    // SAFETY: all-zero is a valid value of the plain struct.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(INTERFACE.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the struct lives during the call.
    let made = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    match made {
        0 => Ok(file),
        _ => Err(format!("TUNSETIFF: {}", std::io::Error::last_os_error())),
    }
}

/// The frames of one direction that have not arrived yet.
#[derive(Default)]
struct Direction {
    /// With the times at which they do.
    waiting: VecDeque<(Instant, Vec<u8>)>,
    /// One that arrives after some others.
    held: Option<(usize, Vec<u8>)>,
}

fn pass_on(devices: &[File], rules: &Mutex<Rules>, passed: &AtomicU64, over: &AtomicBool) {
    let mut directions = [Direction::default(), Direction::default()];
    let mut frame = vec![0; 1 << 16];
    while !over.load(Ordering::Relaxed) {
        let rules = *rules.lock().expect("nothing fails here");
        for from in [0, 1] {
            // Not all at once: the other one has its turn.
            for _ in 0..64 {
                match (&devices[from]).read(&mut frame) {
                    Ok(length) => {
                        let number = passed.fetch_add(1, Ordering::Relaxed) + 1;
                        if rules.lose == 0 || !number.is_multiple_of(rules.lose) {
                            take(&mut directions, from, frame[..length].to_vec(), &rules);
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    // The namespace is about to go.
                    Err(_) => break,
                }
            }
        }
        let now = Instant::now();
        for (from, direction) in directions.iter_mut().enumerate() {
            while direction.waiting.front().is_some_and(|(when, _)| *when <= now) {
                let (_, frame) = direction.waiting.pop_front().expect("the first");
                // A device that takes no frame loses it, as others do.
                let _ = (&devices[1 - from]).write(&frame);
            }
        }
        let next = directions.iter().filter_map(|one| one.waiting.front()).map(|(when, _)| *when);
        // Who waits for a frame that is held sends none that would push it on: a program of many round trips would
        // wait so long for each of them.
        let holds = directions.iter().any(|one| one.held.is_some());
        let most = Duration::from_millis(if holds { 1 } else { 20 });
        let pause = next.min().map_or(most, |when| when - now).min(most);
        let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(pause.subsec_nanos()) };
        let mut both: Vec<_> = devices.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
        let _ = poll(&mut both, Some(&pause));
        if both.iter().all(|one| one.revents().is_empty()) {
            // Nothing has come that would push it on.
            for direction in &mut directions {
                let held = direction.held.take();
                direction.waiting.extend(held.map(|(_, frame)| (Instant::now(), frame)));
            }
        }
    }
}

fn take(directions: &mut [Direction; 2], from: usize, frame: Vec<u8>, rules: &Rules) {
    let when = Instant::now() + rules.delay;
    if rules.reset
        && let Some([there, back]) = resets(&frame)
    {
        directions[from].waiting.push_back((when, there));
        directions[1 - from].waiting.push_back((when, back));
        return;
    }
    let direction = &mut directions[from];
    match &mut direction.held {
        None if rules.swap > 1 => direction.held = Some((rules.swap - 1, frame)),
        None => direction.waiting.push_back((when, frame)),
        Some((left, _)) => {
            *left -= 1;
            direction.waiting.push_back((when, frame));
            if direction.held.as_ref().is_some_and(|(left, _)| *left == 0) {
                let (_, held) = direction.held.take().expect("it is held");
                direction.waiting.push_back((when, held));
            }
        }
    }
}

const ETHERNET: usize = 14;
const TCP: usize = 20;

/// For a segment of TCP over IPv4 with data, the end of its connection for the receiver and for the sender.
fn resets(frame: &[u8]) -> Option<[Vec<u8>; 2]> {
    let packet = frame.get(ETHERNET..)?;
    if frame[12..14] != [8, 0] || packet.first()? != &0x45 || packet.get(9)? != &6 {
        return None;
    }
    let segment = packet.get(20..).filter(|segment| segment.len() >= TCP)?;
    let length = usize::from(u16::from_be_bytes([packet[2], packet[3]])).checked_sub(20)?;
    let data = length.checked_sub(usize::from(segment.get(12)? >> 4) * 4)?;
    if data == 0 {
        return None;
    }
    let (sequence, acknowledged) = (&segment[4..8], &segment[8..12]);
    let reset = |swap: bool, number: &[u8]| {
        let mut frame = frame[..ETHERNET + 20 + TCP].to_vec();
        if swap {
            frame[..12].rotate_left(6);
            frame[ETHERNET + 12..ETHERNET + 20].rotate_left(4);
            frame[ETHERNET + 20..ETHERNET + 24].rotate_left(2);
        }
        let (ethernet_and_ip, tcp) = frame.split_at_mut(ETHERNET + 20);
        let ip = &mut ethernet_and_ip[ETHERNET..];
        ip[2..4].copy_from_slice(&40_u16.to_be_bytes());
        ip[10..12].fill(0);
        let sum = checksum(&[ip]);
        ip[10..12].copy_from_slice(&sum);
        tcp[4..8].copy_from_slice(number);
        tcp[8..12].fill(0);
        // No options; only RST; no window, no urgent data.
        (tcp[12], tcp[13]) = (5 << 4, 4);
        tcp[14..20].fill(0);
        let sum = checksum(&[&ip[12..20], &[0, 6, 0, TCP as u8], tcp]);
        tcp[16..18].copy_from_slice(&sum);
        frame
    };
    // Each side expects exactly this number next (RFC 5961, section 3.2).
    Some([reset(false, sequence), reset(true, acknowledged)])
}

/// The checksum of the internet protocols (RFC 1071).
fn checksum(parts: &[&[u8]]) -> [u8; 2] {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = words.map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}
