//! Which addresses this process listens on, and in which order those of a peer are tried.
//!
//! Nothing is excluded that the user did not exclude: the bridge of a container runtime may be the
//! only network there is. What is unlikely to lead to the peer is tried last instead.

use std::net::{IpAddr, SocketAddr};

use if_addrs::Interface;
use ipnet::IpNet;

use crate::wire::CardAddress;

/// [`CardAddress::class`]: loopback, for peers on this node.
pub const LOOPBACK: u8 = 0;
/// [`CardAddress::class`]: an address of an ordinary interface.
pub const ORDINARY: u8 = 1;
/// [`CardAddress::class`]: an address that was not assigned (169.254.0.0/16).
pub const AUTOMATIC: u8 = 2;
/// [`CardAddress::class`]: a bridge or tunnel of containers or virtual machines. Every node may
/// have one with the same address.
pub const VIRTUAL: u8 = 3;

/// How names of interfaces begin that lead to containers and virtual machines of this node.
const VIRTUAL_NAMES: [&str; 16] = [
    "docker",
    "virbr",
    "br-",
    "veth",
    "lxcbr",
    "lxdbr",
    "cni",
    "flannel",
    "cali",
    "podman",
    "kube",
    "vmnet",
    "vboxnet",
    "tailscale",
    "zt",
    "wg",
];

/// An address of this node that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The interface.
    pub name: String,
    /// The address.
    pub ip: IpAddr,
    /// Bits that name the network.
    pub prefix: u8,
    /// [`LOOPBACK`] and the others.
    pub class: u8,
}

impl Local {
    /// The address of version 4 that leads to this node.
    pub fn loopback() -> Self {
        let ip = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
        Self { name: "lo".into(), ip, prefix: 8, class: LOOPBACK }
    }
}

/// What the process needs addresses for.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// Other ranks run on this node.
    pub local_peers: bool,
    /// Ranks run on other nodes.
    pub remote_peers: bool,
}

/// All addresses of this node, best first.
pub fn all() -> std::io::Result<Vec<Local>> {
    let mut locals: Vec<Local> = if_addrs::get_if_addrs()?.iter().filter_map(local).collect();
    sort(&mut locals);
    Ok(locals)
}

fn local(interface: &Interface) -> Option<Local> {
    let ip = interface.ip();
    // A link-local address of version 6 means nothing without the peer's number of the interface.
    if matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local()) {
        return None;
    }
    let prefix = match &interface.addr {
        if_addrs::IfAddr::V4(v4) => v4.prefixlen,
        if_addrs::IfAddr::V6(v6) => v6.prefixlen,
    };
    let name = interface.name.clone();
    Some(Local { class: class(&name, ip), name, ip, prefix })
}

fn class(name: &str, ip: IpAddr) -> u8 {
    if ip.is_loopback() {
        LOOPBACK
    } else if VIRTUAL_NAMES.iter().any(|virtual_name| name.starts_with(virtual_name)) {
        VIRTUAL
    } else if matches!(ip, IpAddr::V4(v4) if v4.is_link_local()) {
        AUTOMATIC
    } else {
        ORDINARY
    }
}

fn sort(locals: &mut [Local]) {
    locals.sort_by_key(|local| (local.class, local.ip.is_ipv6()));
}

/// The addresses to listen on, best first, and the words of the lists that match nothing.
///
/// With an empty `include` these are the loopback addresses for ranks on this node and the others
/// for ranks on other nodes.
///
/// # Errors
/// What the lists leave nothing of, or a network that can't be read.
pub fn choose(
    all: &[Local],
    include: &[&str],
    exclude: &[&str],
    need: Need,
) -> Result<(Vec<Local>, Vec<String>), String> {
    let include = include.iter().map(|word| Pattern::read(word)).collect::<Result<Vec<_>, _>>()?;
    let exclude = exclude.iter().map(|word| Pattern::read(word)).collect::<Result<Vec<_>, _>>()?;
    let unmatched = |patterns: &[Pattern]| {
        let idle = patterns.iter().filter(|pattern| !all.iter().any(|one| pattern.matches(one)));
        idle.map(|pattern| pattern.to_string()).collect::<Vec<_>>()
    };
    let wanted = |local: &Local| {
        if !include.is_empty() {
            include.iter().any(|pattern| pattern.matches(local))
        } else if local.class == LOOPBACK {
            need.local_peers || !need.remote_peers
        } else {
            need.remote_peers
        }
    };
    let chosen: Vec<Local> = all
        .iter()
        .filter(|local| wanted(local) && !exclude.iter().any(|pattern| pattern.matches(local)))
        .cloned()
        .collect();
    if chosen.is_empty() {
        let there: Vec<String> =
            all.iter().map(|local| format!("{} ({})", local.name, local.ip)).collect();
        let lists = [("btl_tcp_if_include", &include), ("btl_tcp_if_exclude", &exclude)]
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| {
                let words: Vec<String> = list.iter().map(ToString::to_string).collect();
                format!("{name} is {}", words.join(","))
            })
            .collect::<Vec<_>>();
        return Err(format!(
            "there is no network interface to use{}{}; this node has {}",
            if lists.is_empty() { "" } else { ": " },
            lists.join(" and "),
            if there.is_empty() { "none".into() } else { there.join(", ") },
        ));
    }
    Ok((chosen, [unmatched(&include), unmatched(&exclude)].concat()))
}

/// A word of `if_include` or `if_exclude`.
enum Pattern {
    Name(String),
    Network(IpNet),
}

impl Pattern {
    fn read(word: &str) -> Result<Self, String> {
        if word.contains('/') {
            let network = word.parse::<IpNet>();
            return network
                .map(Self::Network)
                .map_err(|_| format!("{word} is no network; write 10.1.0.0/16 or fd00::/8"));
        }
        Ok(match word.parse::<IpAddr>() {
            Ok(ip) => Self::Network(ip.into()),
            Err(_) => Self::Name(word.to_owned()),
        })
    }

    fn matches(&self, local: &Local) -> bool {
        match self {
            Self::Name(name) => local.name == *name,
            Self::Network(network) => network.contains(&local.ip),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Network(network) => write!(f, "{network}"),
        }
    }
}

/// A way to try: from one of our addresses to one of the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Ours.
    pub from: IpAddr,
    /// The peer's.
    pub to: SocketAddr,
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} from {}", self.to, self.from)
    }
}

/// The ways to a peer in the order to try them. `node` has all addresses of this node, chosen or
/// not; `on_node` says that the peer runs here. Where several interfaces are as good as the best, that of the
/// `turn` comes first, so that connections with different ones spread.
pub fn pairs(
    locals: &[Local],
    node: &[Local],
    remotes: &[CardAddress],
    on_node: bool,
    turn: usize,
) -> Vec<Pair> {
    let mut ways = Vec::new();
    for (place, remote) in remotes.iter().enumerate() {
        let ip = remote.address.ip();
        for local in locals {
            let loopback = local.class == LOOPBACK;
            if local.ip.is_ipv4() != ip.is_ipv4()
                || loopback != (remote.class == LOOPBACK)
                || (loopback && !on_node)
            {
                continue;
            }
            // An address that this node has, too, leads to this node.
            let ours = !on_node && node.iter().any(|own| own.ip == ip);
            let class = local.class.max(remote.class);
            let near = IpNet::new(local.ip, local.prefix)
                .is_ok_and(|network| network.contains(&ip) && local.prefix == remote.prefix);
            let pair = Pair { from: local.ip, to: remote.address };
            ways.push(((ours, class, !near), place, &local.name, pair));
        }
    }
    ways.sort_by_key(|(order, place, ..)| (*order, *place));
    // Each with an interface and an address of the peer that none before has.
    let mut alike: Vec<usize> = Vec::new();
    for (at, (order, place, name, _)) in ways.iter().enumerate() {
        let is_new = |other: &usize| ways[*other].1 != *place && ways[*other].2 != *name;
        if *order == ways[0].0 && alike.iter().all(is_new) {
            alike.push(at);
        }
    }
    if let Some(first) = turn.checked_rem(alike.len()) {
        ways[..=alike[first]].rotate_right(1);
    }
    ways.into_iter().map(|(.., pair)| pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> Vec<Local> {
        let mut locals: Vec<Local> = [
            ("docker0", "172.17.0.1", 16),
            ("eth0", "10.1.0.5", 16),
            ("eth0", "fd00::5", 64),
            ("lo", "127.0.0.1", 8),
            ("lo", "::1", 128),
            ("ib0", "192.168.4.5", 24),
        ]
        .iter()
        .map(|(name, ip, prefix)| {
            let ip = ip.parse().unwrap();
            Local { name: (*name).into(), ip, prefix: *prefix, class: class(name, ip) }
        })
        .collect();
        sort(&mut locals);
        locals
    }

    fn names(include: &[&str], exclude: &[&str], need: Need) -> Vec<String> {
        let (chosen, _) = choose(&node(), include, exclude, need).unwrap();
        chosen.iter().map(|local| local.ip.to_string()).collect()
    }

    const LOCAL: Need = Need { local_peers: true, remote_peers: false };
    const REMOTE: Need = Need { local_peers: false, remote_peers: true };

    #[test]
    fn what_is_listened_on() {
        assert_eq!(names(&[], &[], LOCAL), ["127.0.0.1", "::1"]);
        let remote = ["10.1.0.5", "192.168.4.5", "fd00::5", "172.17.0.1"];
        assert_eq!(names(&[], &[], REMOTE), remote);
        assert_eq!(names(&["ib0"], &[], LOCAL), ["192.168.4.5"]);
        assert_eq!(names(&["10.0.0.0/8", "lo"], &["::/0"], REMOTE), ["127.0.0.1", "10.1.0.5"]);
        assert_eq!(names(&["docker0"], &[], REMOTE), ["172.17.0.1"]);
        assert_eq!(names(&["fd00::5"], &[], REMOTE), ["fd00::5"]);
    }

    #[test]
    fn what_matches_nothing_is_told() {
        let (_, idle) = choose(&node(), &["eth0", "eth9"], &["1.2.3.0/24"], REMOTE).unwrap();
        assert_eq!(idle, ["eth9", "1.2.3.0/24"]);
        let error = choose(&node(), &["eth9"], &[], REMOTE).unwrap_err();
        assert!(error.contains("btl_tcp_if_include is eth9"), "{error}");
        assert!(error.contains("ib0 (192.168.4.5)"), "{error}");
        let error = choose(&node(), &["10.0.0.0/99"], &[], REMOTE).unwrap_err();
        assert!(error.contains("10.0.0.0/99 is no network"), "{error}");
    }

    fn card(node: &[Local]) -> Vec<CardAddress> {
        node.iter()
            .map(|local| CardAddress {
                address: SocketAddr::new(local.ip, 99),
                prefix: local.prefix,
                class: local.class,
            })
            .collect()
    }

    fn order(pairs: &[Pair]) -> Vec<String> {
        pairs.iter().map(|pair| format!("{}>{}", pair.from, pair.to.ip())).collect()
    }

    #[test]
    fn near_ordinary_addresses_come_first_and_ambiguous_ones_last() {
        let mut other = node();
        for local in &mut other {
            local.ip = match local.ip.to_string().as_str() {
                "10.1.0.5" => "10.1.0.6".parse().unwrap(),
                "192.168.4.5" => "192.168.4.6".parse().unwrap(),
                "fd00::5" => "fd00::6".parse().unwrap(),
                same => same.parse().unwrap(),
            };
        }
        let ways = order(&pairs(&node(), &node(), &card(&other), false, 0));
        assert_eq!(ways[..3], ["10.1.0.5>10.1.0.6", "192.168.4.5>192.168.4.6", "fd00::5>fd00::6"]);
        assert!(ways[ways.len() - 3..].iter().all(|way| way.ends_with(">172.17.0.1")), "{ways:?}");
        assert!(ways.iter().all(|way| !way.contains("127.0.0.1")));
    }

    #[test]
    fn loopback_is_for_this_node_and_first_there() {
        let ways = order(&pairs(&node(), &node(), &card(&node()), true, 0));
        assert_eq!(ways[..2], ["127.0.0.1>127.0.0.1", "::1>::1"]);
        let only = [card(&node())[0]];
        assert_eq!(pairs(&node(), &node(), &only, false, 0), []);
    }

    #[test]
    fn connections_spread_over_interfaces_that_are_as_good() {
        let mut other = node();
        other.iter_mut().filter(|local| local.class == ORDINARY).for_each(|local| {
            local.ip =
                local.ip.to_string().replace(".5", ".6").replace("::5", "::6").parse().unwrap();
        });
        let first = |turn| {
            let ways = order(&pairs(&node(), &node(), &card(&other), false, turn));
            assert_eq!(ways.len(), pairs(&node(), &node(), &card(&other), false, 0).len());
            ways[0].clone()
        };
        let [eth, ib] = ["10.1.0.5>10.1.0.6", "192.168.4.5>192.168.4.6"];
        assert_eq!([0, 1, 2, 3].map(first), [eth, ib, eth, ib]);
        // Two interfaces in one network: each to another address of the peer.
        let host = |last: u8| -> Vec<Local> {
            let address = |name: &str, last: u8| Local {
                name: name.into(),
                ip: IpAddr::from([10, 1, 0, last]),
                prefix: 16,
                class: ORDINARY,
            };
            vec![address("eth0", last), address("eth1", last + 1)]
        };
        let first =
            |turn| order(&pairs(&host(5), &host(5), &card(&host(7)), false, turn))[0].clone();
        assert_eq!([0, 1].map(first), ["10.1.0.5>10.1.0.7", "10.1.0.6>10.1.0.8"]);
        // Loopback has one interface.
        let ways = order(&pairs(&node(), &node(), &card(&node()), true, 1));
        assert_eq!(ways[..2], ["127.0.0.1>127.0.0.1", "::1>::1"]);
    }
}
