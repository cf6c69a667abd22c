//! Which networks are used.

mod support;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use btl_tcp::wire::Card;
use cairn_framework::abi::status::DONE;
use cairn_skips::skipped;
use support::nodes::{ip, two_nodes};
use support::{ECHO, Rank, Setup, TAG, close, job, rank, until};

fn addresses(rank: &Rank) -> Vec<IpAddr> {
    rank.card().addresses.iter().map(|one| one.address.ip()).collect()
}

/// Sends a message there and back.
fn talk(ranks: &[Rank]) {
    assert_eq!(ranks[0].route(1).send(ECHO, b"there", b"and back"), DONE);
    until(ranks, "the answer", || ranks[0].messages() == [b"thereand back"]);
}

/// An address of this node that is not loopback.
fn outer() -> Option<(String, IpAddr)> {
    let all = if_addrs::get_if_addrs().unwrap();
    all.iter()
        .find(|one| !one.is_loopback() && one.ip().is_ipv4())
        .map(|one| (one.name.clone(), one.ip()))
}

#[test]
fn ranks_on_one_node_use_loopback_and_listen_on_nothing_else() {
    let ranks = job(&Setup::default());
    assert!(addresses(&ranks[0]).iter().all(IpAddr::is_loopback));
    talk(&ranks);
    assert!(ranks[0].route(1).describe().contains("127.0.0.1:"));
    close(&ranks);
}

#[test]
fn version_six_of_the_protocol_works_alone() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return skipped("this node has no ::1");
    }
    for word in ["::1", "::/64", "0:0:0:0:0:0:0:0/8"] {
        let ranks = job(&Setup { mca: &[("btl_tcp_if_include", word)], ..Setup::default() });
        assert!(addresses(&ranks[0]).iter().all(IpAddr::is_ipv6), "{word}");
        if word == "::1" {
            talk(&ranks);
            assert!(ranks[0].route(1).describe().contains("[::1]:"));
        }
        close(&ranks);
    }
}

#[test]
fn the_chosen_interface_and_no_other_is_listened_on() {
    let Some((name, ip)) = outer() else {
        return skipped("this node has nothing but loopback");
    };
    for word in [name, format!("{ip}/32"), ip.to_string()] {
        let mca = [("btl_tcp_if_include", word.as_str()), ("btl_tcp_if_exclude", "::/0")];
        let ranks = job(&Setup { mca: &mca, ..Setup::default() });
        assert_eq!(addresses(&ranks[0]), [ip]);
        let port = ranks[0].card().addresses[0].address.port();
        // Another program may have this port on loopback.
        let other = TcpStream::connect(SocketAddr::new("127.0.0.1".parse().unwrap(), port));
        talk(&ranks);
        if let Ok(other) = other {
            let came = format!("a connection came from {}", other.local_addr().unwrap());
            assert!(!ranks[0].said(&came), "{}", ranks[0].log());
        }
        close(&ranks);
    }
}

#[test]
fn ports_come_from_the_range() {
    let first = 20_000 + (std::process::id() % 20_000) as u16;
    let first_text = first.to_string();
    let mca = [
        ("btl_tcp_if_include", "127.0.0.1"),
        ("btl_tcp_port_min", first_text.as_str()),
        ("btl_tcp_port_range", "40"),
    ];
    let ranks = job(&Setup { ranks: 3, mca: &mca, ..Setup::default() });
    let mut ports: Vec<u16> =
        ranks.iter().map(|rank| rank.card().addresses[0].address.port()).collect();
    assert!(ports.iter().all(|port| (first..first + 40).contains(port)), "{ports:?}");
    ports.dedup();
    assert_eq!(ports.len(), 3);
    talk(&ranks);
    close(&ranks);
}

#[test]
fn interfaces_that_are_not_there_are_an_error_that_lists_those_that_are() {
    let mca = [("btl_tcp_if_include", "nothing0,10.99.99.0/24")];
    let one = rank(&Setup { mca: &mca, ..Setup::default() }, 0);
    let problem = one.open(&Arc::default()).unwrap_err().to_string();
    assert!(problem.contains("btl_tcp_if_include is nothing0,10.99.99.0/24"), "{problem}");
    assert!(problem.contains("lo (127.0.0.1)"), "{problem}");
    let mca = [("btl_tcp_if_include", "127.0.0.1,nothing0")];
    let one = rank(&Setup { mca: &mca, ..Setup::default() }, 0);
    one.open(&Arc::default()).unwrap();
    assert!(one.said("no interface of this node is meant by nothing0"), "{}", one.log());
    one.system.close();
}

#[test]
fn no_common_network_is_an_error_that_names_both_sides() {
    let four = rank(&Setup { mca: &[("btl_tcp_if_include", "127.0.0.1")], ..Setup::default() }, 0);
    let address = "[2001:db8::1]:99".parse().unwrap();
    let card = Card {
        cris: 1,
        lanes: 1,
        nonce: [7; 16],
        machine: None,
        addresses: vec![btl_tcp::wire::CardAddress { address, prefix: 64, class: 1 }],
    };
    let cards = HashMap::from([((1, "btl_tcp".to_owned()), card.encode())]);
    four.open(&Arc::new(Mutex::new(cards))).unwrap();
    let route = four.route(1);
    assert_eq!(route.send(TAG, b"x", b""), cairn_framework::abi::status::ERR_PEER);
    let reason = four.reason(&route);
    assert!(reason.contains("[2001:db8::1]:99") && reason.contains("127.0.0.1"), "{reason}");
    four.system.close();
}

/// Two ranks as on two nodes send a message there and back; what rank 0 describes and logs, or why it
/// could not be tried.
fn there_and_back(
    networks: impl Fn(u32, libc::pid_t) -> Result<(), String> + Sync,
    mca: &[(&str, &str)],
) -> Result<(String, String), String> {
    let done = AtomicBool::new(false);
    let [first, _] = two_nodes(networks, &Setup { mca, ..Setup::default() }, |node| {
        let mut text = String::new();
        if node.number == 0 {
            assert_eq!(node.route().send(ECHO, b"there", b"and back"), DONE);
            until(&[node.rank], "the answer", || node.rank.count() == 1);
            text = node.route().describe();
            done.store(true, Ordering::SeqCst);
        }
        until(&[node.rank], "the other", || done.load(Ordering::SeqCst));
        (text, node.rank.log())
    })?;
    Ok(first)
}

#[test]
fn ambiguous_and_dead_networks_do_not_matter() {
    let setup = |step: u32, first: libc::pid_t| {
        let mine = 1 + step % 2;
        if step < 2 {
            // The same bridge on both nodes, and a network that swallows everything; both come
            // before the good one.
            for (name, address) in
                [("docker0", "172.17.0.1/16".to_owned()), ("dead0", format!("10.66.0.{mine}/24"))]
            {
                ip(&format!("link add {name} type veth peer name {name}p"))?;
                ip(&format!("addr add {address} dev {name}"))?;
                ip(&format!("link set {name} up"))?;
                ip(&format!("link set {name}p up"))?;
            }
        }
        if step == 1 {
            ip(&format!("link add cairn0 type veth peer name cairn0 netns {first}"))?;
        }
        if step > 0 {
            ip(&format!("addr add 10.77.0.{mine}/24 dev cairn0"))?;
            ip("link set cairn0 up")?;
        }
        Ok(())
    };
    match there_and_back(setup, &[("btl_tcp_connect_timeout", "200")]) {
        Ok((text, log)) => {
            assert!(text.contains("connected to 10.77.0.2:"), "{text}");
            let dead = log.find("connecting to rank 1 at 10.66.0.2").expect("tried");
            assert!(dead < log.find("connecting to rank 1 at 10.77.0.2").expect("tried"), "{log}");
            assert!(!log.contains("at 172.17.0.1"), "{log}");
        }
        Err(reason) => skipped(&reason),
    }
}

#[test]
fn a_bridge_that_is_the_only_network_is_used() {
    let setup = |step: u32, first: libc::pid_t| {
        if step == 1 {
            ip(&format!("link add docker0 type veth peer name docker0 netns {first}"))?;
        }
        if step > 0 {
            ip(&format!("addr add 172.17.0.{}/16 dev docker0", 1 + step % 2))?;
            ip("link set docker0 up")?;
        }
        Ok(())
    };
    match there_and_back(setup, &[]) {
        Ok((text, _)) => assert!(text.contains("connected to 172.17.0.2:"), "{text}"),
        Err(reason) => skipped(&reason),
    }
}
