//! The parameters.

use cairn_framework::abi::job::Job;
use cairn_framework::frameworks::btl::BTL_HEADER_ROOM;

use crate::wire::{MAX_CRIS, MAX_LANES};

cairn_framework::params! {
    /// Handles to the parameters.
    pub struct Params {
        pub priority: priority(20);
        pub if_include: list(""),
            "Network interfaces to use, by name (eth0), address (10.1.2.3, ::1) or network \
             (10.1.0.0/16); nothing else is listened on. Empty: loopback when ranks share this \
             node, and every other interface when ranks run on other nodes",
            level(2);
        pub if_exclude: list(""),
            "Network interfaces not to use, by name, address or network. Bridges of containers \
             and virtual machines need not be named: they are tried last",
            level(2);
        pub port_min: integer(0), "Lowest port to listen on, for firewalls. 0: the system chooses",
            range(0, 65535), level(2), synonyms("btl_tcp_port_min_v4");
        pub port_range: integer(1000), "How many ports from port_min on may be used",
            range(1, 65535), level(2), synonyms("btl_tcp_port_range_v4");
        pub instances: instances(u32::from(MAX_CRIS), ", but no more than half of the files it may open suffice for. Each has a connection \
                 of its own to a peer");
        pub links: integer(1),
            "Connections of a communication resource instance to a peer; the process of the two counts that wants more. Large \
             messages are fetched over all of them in turn: for networks where one stream is not enough, \
             or nodes with several networks that are alike, over which they spread. No more than \
             half of the files that the process may open suffice for",
            range(1, MAX_LANES.into()), level(4);
        pub eager_limit: size("128k"),
            "Largest message that is sent without asking the receiver first",
            range(0, 16 << 20), level(4);
        pub fragment_size: size("128k"),
            "Largest piece of a message that is sent in one go, header included. Each \
             connection has a receive buffer of about this size",
            range(4096, 16 << 20), level(4), synonyms("btl_tcp_max_send_size");
        pub transfer_limit: size("1m"),
            "Largest put or get; messages on the same connection wait behind it",
            range(4096, i64::from(crate::wire::MAX_TRANSFER)), level(5);
        pub output_limit: size("1m"),
            "Bytes that a connection copies and keeps for a slow receiver before it takes no \
             more; at least two fragments",
            range(8192, 1 << 30), level(5);
        pub sndbuf: size("0"),
            "Send buffer of a socket (SO_SNDBUF). 0: the system's choice, and 128k where both ends \
             are on one machine, so that what is on its way stays in a cache",
            range(0, 1 << 30), level(4);
        pub rcvbuf: size("0"), "Receive buffer of a socket (SO_RCVBUF). 0: the system's choice",
            range(0, 1 << 30), level(4);
        pub connect_timeout: integer(5000),
            "How long one address of a peer may take to accept a connection before the next is \
             tried. All are tried again and again, for btl_tcp_peer_timeout",
            range(1, 3_600_000), unit("ms"), level(5);
        pub peer_timeout: integer(300_000),
            "How long a network may be gone, as while a switch restarts. If a peer's node \
             answers nothing for longer, although it is asked, the peer has failed; one that \
             computes or sleeps has not, because its kernel answers. To be sure takes up to two \
             and a half times as long, four seconds for one, and before Linux 6.15 up to four \
             minutes more if data is on its way",
            range(1000, 900_000), unit("ms"), level(4);
        pub close_timeout: integer(3_600_000),
            "How long the transport waits when it closes, for peers that compute and do not \
             take what was sent to them. It does not wait for those that have failed",
            range(0, 3_600_000), unit("ms"), level(6);
        pub unauthenticated_limit: integer(128),
            "How many connections may be open that have not shown yet that they are of this \
             job. When another one comes, the oldest of the address that has most of them gives \
             way",
            range(1, 65535), level(6);
        pub poll_interval: integer(32),
            "Progress passes for each look at the sockets after a while without traffic, so \
             that an idle network does not slow shared memory down",
            range(1, 65535), level(5);
        pub exclusivity: integer(100),
            "Preference among transports that reach a peer; only the highest are used",
            range(0, 65535), level(5);
        pub rma_from: size("64k"),
            "Bytes from which windows put and get by requests that the peer serves into the memory \
             itself; fewer go by messages of their own",
            level(6);
        pub latency: integer(20_000), "Time of a small message, to choose among devices",
            range(0, i64::from(u32::MAX)), unit("ns"), level(5);
        pub bandwidth: integer(1000), "Speed, to share large messages among devices",
            range(1, i64::from(u32::MAX)), unit("MB/s"), level(5);
    }
}

/// The values, as `open` found them.
#[derive(Debug, Clone)]
pub struct Config {
    pub num_cris: u16,
    /// Links of a CRI to a peer.
    pub lanes: u16,
    /// Most bytes of header and payload in a message.
    pub frame_limit: u32,
    pub eager_limit: u64,
    pub transfer_limit: u32,
    pub output_limit: usize,
    pub sndbuf: usize,
    pub rcvbuf: usize,
    pub connect_timeout: std::time::Duration,
    pub peer_timeout: std::time::Duration,
    pub close_timeout: std::time::Duration,
    pub unauthenticated_limit: usize,
    pub poll_interval: u32,
}

impl Params {
    /// The values now; connections to a peer and CRIs no more than the process can afford.
    pub fn config(&self, job: &Job, lanes: u16, afford: u32) -> Config {
        let frame_limit =
            self.fragment_size.get().max(self.eager_limit.get() + BTL_HEADER_ROOM as u64) as u32;
        Config {
            num_cris: self.instances.number(job, afford) as u16,
            lanes,
            frame_limit,
            eager_limit: self.eager_limit.get(),
            transfer_limit: self.transfer_limit.get() as u32,
            output_limit: (self.output_limit.get() as usize).max(2 * frame_limit as usize),
            sndbuf: self.sndbuf.get() as usize,
            rcvbuf: self.rcvbuf.get() as usize,
            connect_timeout: self.connect_timeout.milliseconds(),
            peer_timeout: self.peer_timeout.milliseconds(),
            close_timeout: self.close_timeout.milliseconds(),
            unauthenticated_limit: self.unauthenticated_limit.get() as usize,
            poll_interval: self.poll_interval.get() as u32,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Some values.
    pub(crate) fn config() -> Config {
        let second = std::time::Duration::from_secs(1);
        Config {
            num_cris: 1,
            lanes: 1,
            frame_limit: 4096,
            eager_limit: 1024,
            transfer_limit: 4096,
            output_limit: 8192,
            sndbuf: 0,
            rcvbuf: 0,
            connect_timeout: second,
            peer_timeout: second,
            close_timeout: second,
            unauthenticated_limit: 4,
            poll_interval: 1,
        }
    }
}
