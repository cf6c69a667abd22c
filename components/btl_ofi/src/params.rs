//! The parameters.

use std::time::Duration;

use cairn_framework::abi::job::Job;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::frameworks::btl::{
    BTL_EXCLUSIVITY_NETWORK, BTL_EXCLUSIVITY_SHARED_MEMORY, BTL_HEADER_ROOM, BtlModule,
};

use crate::card::MOST_CRIS;
use crate::choice::Kind;
use crate::order::MOST_AHEAD;
use crate::wire::HEADER;

cairn_framework::params! {
    /// The parameters of `btl_ofi`.
    pub struct Params {
        pub priority: priority(15);
        pub providers: list(""),
            "Providers of libfabric to use, the first of them that works here, such as tcp;ofi_rxm, shm or \
             sockets; or with ^ before the first, those not to use. Empty: among processes of one node shm \
             before all others, otherwise the first in libfabric's order that is not shm",
            level(2);
        pub devices: list(""),
            "Domains of the provider to use, such as eth0, the first of them that works here; or with ^ \
             before the first, those not to use. Empty: among processes of one node loopback before all \
             others, otherwise the first in libfabric's order that is not loopback",
            level(2);
        pub instances: instances(MOST_CRIS as u32, ". Each has an endpoint and a completion queue of libfabric");
        pub eager_limit: size("12k"),
            "Largest message that is sent without asking the receiver first. Buffers are so long, with room \
             for a header; providers often send up to 16 KiB at once",
            range(0, 4 << 20), level(4);
        pub receive_buffers: integer(64),
            "Buffers that an instance has ready for messages that come",
            range(2, 65536), level(5);
        pub send_buffers: integer(64),
            "Messages that an instance keeps for a peer that does not take them, before it takes no more; of short \
             ones, which the provider copies, up to 16 times as many",
            range(2, MOST_AHEAD.into()), level(5);
        pub transfers: integer(256),
            "Puts, gets and atomics of an instance to one peer that may be under way at once",
            range(1, 65536), level(5);
        pub poll_interval: integer(32),
            "Progress passes for each look at a completion queue after a while without traffic, so that an \
             idle network does not slow shared memory down",
            range(1, 65535), level(5);
        pub exclusivity: integer(0),
            "Preference among transports that reach a peer; only the highest are used. 0: behind the other \
             transports through shared memory with shm, before btl_tcp with others",
            range(0, 65535), level(5);
        pub latency: integer(0),
            "Time of a small message, to choose among devices. 0: what is usual for the provider",
            range(0, u32::MAX.into()), unit("ns"), level(5);
        pub bandwidth: integer(0),
            "Speed, to share large messages among devices. 0: what is usual for the \
             provider",
            range(0, u32::MAX.into()), unit("MB/s"), level(5);
        pub rma_from: size("8k"),
            "Bytes from which windows put and get by the provider's own operations; fewer go by messages",
            level(6);
        pub kept_registrations: integer(-1),
            "Registrations of the program's memory that are kept for the next transfer from there, until the \
             memory is unmapped. -1: 1024 with a provider for which memory must be there when it is registered, \
             as it takes time then, otherwise none",
            range(-1, 1 << 20), level(5);
        pub close_timeout: integer(3_600_000),
            "How long the transport waits when it closes, for peers that compute and do not take what was \
             sent to them. It does not wait for those that have failed",
            range(0, 3_600_000), unit("ms"), level(6);
        peer_timeout: integer(300_000),
            "With providers over TCP: how long a network may be gone, as while a switch restarts. If a peer's \
             node answers nothing for longer, although its kernel is asked, the peer has failed; one that \
             computes or sleeps has not. To be sure takes up to two and a half times as long",
            range(1000, 900_000), unit("ms"), level(4);
        watch_interval: integer(50),
            "Time at least between two looks of a process whether the others of the node live",
            range(1, 3_600_000), unit("ms"), level(7);
    }
}

/// The values, as `open` found them.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub cris: u32,
    /// Bytes of a buffer: header and message.
    pub frame: usize,
    pub receive_buffers: usize,
    pub send_buffers: u32,
    pub transfers: u32,
    pub poll_interval: u32,
    /// Most registrations that are kept; none: as the provider wants.
    pub kept_registrations: Option<usize>,
    pub close_timeout: Duration,
    pub peer_timeout: Duration,
    pub watch_interval: Duration,
}

impl Params {
    /// The values now.
    pub fn config(&self, job: &Job) -> Config {
        let message = self.eager_limit.get() as usize + BTL_HEADER_ROOM;
        Config {
            cris: self.instances.number(job, MOST_CRIS as u32),
            frame: (HEADER + message).next_multiple_of(64),
            receive_buffers: self.receive_buffers.get() as usize,
            send_buffers: self.send_buffers.get() as u32,
            transfers: self.transfers.get() as u32,
            poll_interval: self.poll_interval.get() as u32,
            kept_registrations: usize::try_from(self.kept_registrations.get()).ok(),
            close_timeout: self.close_timeout.milliseconds(),
            peer_timeout: self.peer_timeout.milliseconds(),
            watch_interval: self.watch_interval.milliseconds(),
        }
    }

    /// The numbers of a device by which others choose, for a provider of this kind.
    pub fn view(&self, kind: Kind) -> BtlModule {
        let or = |param: IntegerParam, usual: u32| match param.get() {
            0 => usual,
            set => set as u32,
        };
        let (exclusivity, latency, bandwidth) = match kind {
            // Behind btl_sm, and behind what another library does through shared memory.
            Kind::SharedMemory => (BTL_EXCLUSIVITY_SHARED_MEMORY - 2, 500, 4_000),
            Kind::Kernel => (BTL_EXCLUSIVITY_NETWORK, 20_000, 1_000),
            Kind::Network => (BTL_EXCLUSIVITY_NETWORK, 2_000, 10_000),
        };
        BtlModule {
            exclusivity: or(self.exclusivity, exclusivity),
            latency: or(self.latency, latency),
            bandwidth: or(self.bandwidth, bandwidth),
            eager_limit: self.eager_limit.get(),
            rma_from: u32::try_from(self.rma_from.get()).unwrap_or(u32::MAX),
            ..BtlModule::named(c"ofi")
        }
    }
}
