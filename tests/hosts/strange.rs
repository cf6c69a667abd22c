//! Networks that are slow, ambiguous or full of strangers: a job goes on.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use btl_tcp::wire::{HELLO, Hello, VERSION};
use cairn_tests::hosts::relay::{INTERFACE, Relay, Rules};
use cairn_tests::skipped;

use super::*;

/// Ranks listen on these ports.
const PORTS: std::ops::Range<u16> = 21000..21004;

/// A second that no try to connect need take where there is something better.
const QUICK: Parameters<'static> = &[["btl_tcp_connect_timeout", "200"]];

/// A bridge of containers has the same address everywhere, and leads nowhere.
#[test]
fn a_bridge_with_the_same_address_everywhere_does_not_matter() {
    let Some(hosts) = Hosts::new(3) else { return };
    hosts.add_useless_bridges();
    let everything: Parameters<'_> = &[["btl", "self,tcp"]];
    let but_control: Parameters<'_> = &[["btl", "self,tcp"], ["btl_tcp_if_exclude", "control,lo"]];
    for parameters in [everything, but_control] {
        for name in ["p2p", "colls"] {
            let run = job(&hosts, 4, &[HOSTS, QUICK, parameters], &compiled(name));
            Job::start(run).says_nothing();
        }
    }
    // Nothing else is there, so none reaches the other, and it is said why.
    let bridge: Parameters<'_> =
        &[["btl", "self,tcp"], ["btl_tcp_if_include", "docker0"], ["btl_tcp_peer_timeout", "1000"]];
    let dir = scratch();
    fs::write(dir.path().join("go"), "").unwrap();
    let run = job(&hosts, 2, &[HOSTS, QUICK, bridge], &compiled("traffic"));
    let ended = Job::start(run.args([Path::new("send"), dir.path()])).ends();
    assert!(!ended.status.success(), "{ended}");
    ended.complains(&["172.17.0.1"]);
    hosts.nothing_is_left();
}

/// The first network that is tried swallows everything; the next one is fine.
#[test]
fn a_network_that_swallows_everything_is_left_for_the_next() {
    let Some(hosts) = Hosts::new(2) else { return };
    hosts.cut(Network::Data, 2);
    let run = job(&hosts, 2, &[HOSTS, QUICK, &[["btl", "self,tcp"]]], &compiled("p2p"));
    Job::start(run).says_nothing();
    hosts.nothing_is_left();
}

#[test]
fn narrow_networks_are_only_slow() {
    let Some(hosts) = Hosts::new(2) else { return };
    for host in [1, 2] {
        if let Err(reason) = hosts.limit(Network::Data, host, "500mbit") {
            return skipped(&reason);
        }
    }
    for way in ways() {
        for name in ["p2p", "large"] {
            Job::start(job(&hosts, 2, &[HOSTS, way], &compiled(name))).says_nothing();
        }
    }
    hosts.nothing_is_left();
}

/// A network through the test, which ranks use alone.
fn relayed(mtu: u32, rules: Rules, body: impl FnOnce(&Hosts, &Relay)) {
    let Some(hosts) = Hosts::new(2) else { return };
    match Relay::new(&hosts, mtu, rules) {
        Ok(relay) => body(&hosts, &relay),
        Err(reason) => skipped(&reason),
    }
    hosts.nothing_is_left();
}

const RELAYED: Parameters<'static> = &[["btl", "self,tcp"], ["btl_tcp_if_include", INTERFACE]];

#[test]
fn frames_that_are_late_cut_small_swapped_or_lost_change_nothing() {
    let none = Rules::default();
    let ways = [
        (1500, Rules { delay: Duration::from_millis(1), ..none }),
        (576, none),
        (1500, Rules { swap: 4, ..none }),
        (1500, Rules { lose: 100, ..none }),
    ];
    broken::each(ways, |(mtu, rules)| {
        relayed(mtu, rules, |hosts, relay| {
            for (name, level) in [("p2p", "single"), ("win_operations", "multiple")] {
                let run = job(hosts, 2, &[HOSTS, RELAYED], &compiled(name));
                let before = relay.passed();
                Job::start(run.env("TEST_THREAD_LEVEL", level)).says_nothing();
                assert!(relay.passed() > before, "it went another way");
            }
        });
    });
}

/// What a box between the hosts ends is lost: the job ends with it.
#[test]
fn connections_that_are_broken_end_the_job() {
    broken::each(["send", "large", "receive", "window", "all"], |kind| {
        relayed(1500, Rules::default(), |hosts, relay| {
            let dir = scratch();
            let way = (Network::Control, 2);
            let soon: Parameters<'_> = &[["btl_tcp_peer_timeout", "1000"]];
            let job = broken::communicates(hosts, way, &[RELAYED, soon], (kind, dir.path()));
            // Where nothing is sent only the kernels ask whether the other is there, with no data.
            let nothing = Rules { lose: 1, ..Rules::default() };
            let reset = Rules { reset: true, ..Rules::default() };
            relay.change(if kind == "receive" { nothing } else { reset });
            let ended = job.ends();
            assert!(!ended.status.success(), "{ended}");
            broken::says_why(&ended.stderr, 2);
        });
    });
}

/// What a stranger says, and whether it says it byte by byte and never ends.
fn words(number: usize) -> Vec<u8> {
    let hello = Hello {
        version: VERSION,
        link: 0,
        source: 1,
        target: 0,
        frame_limit: 1 << 16,
        cris: 1,
        lanes: 1,
        count: u64::MAX,
        listener: [7; 16],
        nonce: [1; 16],
    };
    let wrong = hello.encode(&[3; 16]).to_vec();
    let noise =
        |number: usize| (0..HELLO).map(|at| (at * number * 31 + 7 * number) as u8).collect();
    match number % 5 {
        0 => noise(number),
        1 => wrong,
        2 => wrong[..HELLO - 1].to_vec(),
        3 => b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        _ => Vec::new(),
    }
}

/// So many connections of strangers to all ports of a host; those that the other side does not take are none.
fn strangers(hosts: &Hosts, number: usize) -> Vec<TcpStream> {
    let to: Vec<SocketAddr> = PORTS
        .map(|port| SocketAddr::new(Network::Data.address(1).parse().unwrap(), port))
        .collect();
    hosts.within(2, || {
        let connect = |number: usize| {
            let timeout = Duration::from_secs(5);
            let mut stream = TcpStream::connect_timeout(&to[number % to.len()], timeout).ok()?;
            let _ = stream.write_all(&words(number));
            Some(stream)
        };
        (0..number).filter_map(connect).collect()
    })
}

/// Programs that find the ports of ranks, before these know each other and while they communicate: random bytes, the
/// right beginning with a wrong secret, greetings that never end, nothing; many of them.
#[test]
fn strangers_don_t_stop_a_job() {
    let Some(hosts) = Hosts::new(2) else { return };
    let range = PORTS.len().to_string();
    let ports = [["btl_tcp_port_min", "21000"], ["btl_tcp_port_range", &range]];
    for level in ["single", "multiple"] {
        let dir = scratch();
        let run = set(hosts.mpiexec(4, Network::Control), &[HOSTS, TCP, &ports]);
        let run = run.env("TEST_THREAD_LEVEL", level);
        let run = run.args([compiled("traffic")]).args([Path::new("all"), dir.path()]);
        let mut job = Job::start(run);
        let all = |name: &str| (0..4).all(|rank| dir.path().join(format!("{name}{rank}")).exists());
        job.until("processes", |_| all("ready."));
        let before = strangers(&hosts, 1000);
        assert!(before.len() >= 500, "{}", before.len());
        fs::write(dir.path().join("go"), "").unwrap();
        job.until("traffic", |_| all(""));
        let mut during = strangers(&hosts, 1000);
        assert!(during.len() >= 500, "{}", during.len());
        // A slow one, that goes on as long as it may.
        for stream in during.iter_mut().take(50) {
            let _ = stream.write_all(b"C");
        }
        fs::write(dir.path().join("stop"), "").unwrap();
        let ended = job.ends();
        assert!(ended.is_well(), "{ended}");
        // Nothing was said to any of them.
        for mut stream in before.into_iter().chain(during) {
            let mut answer = [0; 1];
            stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            assert!(!matches!(stream.read(&mut answer), Ok(1..)), "an answer to a stranger");
        }
    }
    hosts.nothing_is_left();
}
