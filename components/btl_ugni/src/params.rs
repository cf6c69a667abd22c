//! The parameters.

use std::time::Duration;

use cairn_framework::abi::job::Job;
use cairn_framework::abi::param::IntegerParam;
use cairn_framework::frameworks::btl::{BTL_EXCLUSIVITY_NETWORK, BTL_HEADER_ROOM, BtlModule};

use crate::bindings::GNI_SMSG_MOST;
use crate::card::MOST_CRIS;
use crate::wire::HEADER;

/// The shortest message that has room for headers of the layers above.
const LEAST: u32 = 512;

cairn_framework::params! {
    /// The parameters of `btl_ugni`.
    pub struct Params {
        pub priority: priority(25);
        pub protection_tag: integer(-1),
            "Protection tag of the job. -1: what PMI_GNI_PTAG says, which the launcher of a Cray sets",
            range(-1, 255), level(6);
        pub cookie: integer(-1),
            "Cookie of the job. -1: what PMI_GNI_COOKIE says, which the launcher of a Cray sets",
            range(-1, u32::MAX.into()), level(6);
        pub device: integer(-1),
            "Number of the network device. -1: the first that PMI_GNI_DEV_ID says, or 0",
            range(-1, 255), level(2);
        pub instances: instances(
            MOST_CRIS as u32,
            ". Each has a communication domain of uGNI; not more than the device has completion queues for"
        );
        pub message_size: integer(0),
            "Most bytes of a message in a mailbox, which has room for as many as it has credits. 0: by the \
             number of processes, 8192 for up to 512, 2048 for up to 1024, 1024 for up to 8192, otherwise 512. \
             The same for all processes of a job",
            range(0, GNI_SMSG_MOST.into()), unit("bytes"), level(4);
        pub credits: integer(32),
            "Messages that a mailbox has room for. The same for all processes of a job",
            range(2, 1024), level(5);
        pub eager_limit: size("64k"),
            "Largest message that is sent without asking the receiver first, if it fits into a message of \
             the network with a header of 256 bytes",
            range(0, 65536), level(4);
        pub send_buffers: integer(64),
            "Messages that an instance keeps for a peer that has no credits for them, before it takes no more",
            range(2, 65536), level(5);
        pub receive_queue: integer(8192),
            "Entries of the queue by which an instance learns of messages. When it overruns, all mailboxes are \
             looked at",
            range(2, 1 << 20), level(5);
        pub retransmits: integer(16),
            "How often the network sends a message again whose packets are lost",
            range(1, 65535), level(6);
        pub transfers: integer(256),
            "Puts, gets and atomics of an instance that may be under way at once",
            range(1, 65536), level(5);
        pub fma_put_limit: size("4k"),
            "Puts of up to so many bytes are written by the processor (FMA), longer ones by the engine (BTE)",
            range(0, 65536), level(5);
        pub fma_get_limit: size("2k"),
            "Gets of up to so many bytes go by FMA, longer ones by the engine (BTE)",
            range(0, 65536), level(5);
        pub get_piece: size("1m"),
            "Longer gets go in pieces of so many bytes",
            range(4096, 1 << 30), level(6);
        pub bounce_size: size("64k"),
            "Bytes of the buffers by which gets go whose addresses are not both the same modulo 4, in pieces",
            range(64, 1 << 24), level(6);
        pub bounce_buffers: integer(16),
            "How many of those an instance has",
            range(1, 4096), level(6);
        pub poll_interval: integer(32),
            "Progress passes for each look at the completion queues after a while without traffic",
            range(1, 65535), level(5);
        pub exclusivity: integer(0),
            "Preference among transports that reach a peer; only the highest are used. 0: as a network has",
            range(0, 65535), level(5);
        pub latency: integer(1_500),
            "Time of a small message, to choose among devices",
            range(0, u32::MAX.into()), unit("ns"), level(5);
        pub bandwidth: integer(8_000),
            "Speed, to share large messages among devices",
            range(0, u32::MAX.into()), unit("MB/s"), level(5);
        pub rma_from: size("0"),
            "Bytes from which windows put and get by the network's own operations; fewer go by messages",
            level(6);
        pub kept_registrations: integer(1024),
            "Registrations of the program's memory that are kept for the next transfer from there, until the \
             memory is unmapped, but no more than half of those that a process may have. 0: none",
            range(0, 1 << 20), level(5);
        pub close_timeout: integer(3_600_000),
            "How long the transport waits when it closes, for peers that compute and do not take what was \
             sent to them. It does not wait for those that have failed",
            range(0, 3_600_000), unit("ms"), level(6);
        inquiry_interval: integer(10_000),
            "Time after which peers of other nodes are asked again whether they are there, as nothing tells of one \
             that only sends to this process. 0: never",
            range(0, 3_600_000), unit("ms"), level(6);
        watch_interval: integer(50),
            "Time at least between two looks of a process whether the others of the node live",
            range(1, 3_600_000), unit("ms"), level(7);
    }
}

/// The values, as `open` found them.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Bytes of a message with its header.
    pub most: u32,
    pub credits: u16,
    pub send_buffers: usize,
    pub receive_queue: u32,
    pub retransmits: u16,
    pub transfers: u32,
    pub fma_put: u64,
    pub fma_get: u64,
    pub get_piece: u64,
    pub bounce: u64,
    pub bounces: usize,
    pub poll_interval: u32,
    /// Most registrations that are kept.
    pub kept_registrations: usize,
    pub close_timeout: Duration,
    pub inquiry_interval: Duration,
    pub watch_interval: Duration,
}

/// Bytes of a message in a job of so many processes.
fn usual(processes: u32) -> u32 {
    match processes {
        0..=512 => 8192,
        513..=1024 => 2048,
        1025..=8192 => 1024,
        _ => LEAST,
    }
}

impl Params {
    /// The values now.
    pub fn config(&self, job: &Job) -> Config {
        let most = match self.message_size.get() {
            0 => usual(job.size),
            set => (set as u32).max(LEAST),
        };
        Config {
            most,
            credits: self.credits.get() as u16,
            send_buffers: self.send_buffers.get() as usize,
            receive_queue: self.receive_queue.get() as u32,
            retransmits: self.retransmits.get() as u16,
            transfers: self.transfers.get() as u32,
            fma_put: self.fma_put_limit.get(),
            fma_get: self.fma_get_limit.get(),
            get_piece: self.get_piece.get() / 4 * 4,
            bounce: self.bounce_size.get().next_multiple_of(64),
            bounces: self.bounce_buffers.get() as usize,
            poll_interval: self.poll_interval.get() as u32,
            kept_registrations: self.kept_registrations.get() as usize,
            close_timeout: self.close_timeout.milliseconds(),
            inquiry_interval: self.inquiry_interval.milliseconds(),
            watch_interval: self.watch_interval.milliseconds(),
        }
    }

    /// The numbers of the device by which others choose.
    pub fn view(&self, config: &Config) -> BtlModule {
        let number = |param: IntegerParam| param.get() as u32;
        let message = config.most - HEADER as u32;
        BtlModule {
            exclusivity: match number(self.exclusivity) {
                0 => BTL_EXCLUSIVITY_NETWORK,
                set => set,
            },
            latency: number(self.latency),
            bandwidth: number(self.bandwidth),
            immediate_limit: message,
            packed_limit: message,
            eager_limit: self.eager_limit.get().min(u64::from(message) - BTL_HEADER_ROOM as u64),
            rma_from: u32::try_from(self.rma_from.get()).unwrap_or(u32::MAX),
            ..BtlModule::named(c"ugni")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_shorter_in_large_jobs_and_always_have_room_for_a_header() {
        let sizes = [1, 512, 513, 1025, 8193, u32::MAX].map(usual);
        assert_eq!(sizes, [8192, 8192, 2048, 1024, 512, 512]);
        assert!(sizes.iter().all(|size| *size as usize >= HEADER + BTL_HEADER_ROOM));
    }
}
