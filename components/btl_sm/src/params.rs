//! Parameters.

use std::time::Duration;

use cairn_framework::abi::param::SizeParam;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::{BTL_EXCLUSIVITY_SHARED_MEMORY, BTL_HEADER_ROOM};
use cairn_segment::Backing;

use crate::ring;

cairn_framework::params! {
    /// The parameters of `btl_sm`.
    pub struct Params {
        ring_size: size("128k"),
            "Bytes for messages on their way from one instance to another; rounded up to a \
             power of two",
            range(16 << 10, 64 << 20), level(5);
        fragment_size: size(&text(longest(ring_size).min(32 << 10))),
            "Largest piece of a message that is sent in one go, header included; at most a \
             quarter of btl_sm_ring_size",
            range(4096, longest(ring_size) as i64), level(5);
        pub eager_limit: size(&text(largest(ring_size).min(16 << 10))),
            "Largest message that is sent without asking the receiver first; with a header of \
             256 bytes at most a quarter of btl_sm_ring_size",
            range(0, largest(ring_size) as i64), level(4);
        pub immediate_limit: size(&text(frame(fragment_size, eager_limit).min(8 << 10))),
            "Largest message, header included, that is copied from one piece of memory; longer \
             ones are packed into the ring. At most btl_sm_fragment_size, or btl_sm_eager_limit \
             with its header if that is more",
            range(BTL_HEADER_ROOM as i64, frame(fragment_size, eager_limit) as i64), level(6);
        pub priority: priority(60);
        pub exclusivity: integer(BTL_EXCLUSIVITY_SHARED_MEMORY.into()),
            "Preference among transports that reach a peer; only the highest are used",
            range(0, 65535), level(5);
        pub latency: integer(100), "Time of a small message, to choose among devices",
            range(0, u32::MAX.into()), unit("ns"), level(5);
        pub bandwidth: integer(10_000), "Speed, to share large messages among devices",
            range(1, u32::MAX.into()), unit("MB/s"), level(5);
        pub instances: instances(1024, "");
        max_rings: integer(1024),
            "Rings in the memory of a process for further instances of the others, besides one \
             for each other process of the node; an instance that gets none shares one",
            range(0, 1 << 20), level(6);
        pub bitmap_from: integer(16),
            "Rings from which a receiver looks only into those that senders have marked in a \
             bitmap; below, it looks into each, which moves one cache line less for a message",
            range(1, 1 << 22), level(6);
        watch_interval: integer(50),
            "Time at least between two looks of a process whether the others of the node live",
            range(1, 3_600_000), unit("ms"), level(7);
        backing: choice(&["memory", "file"], "memory"),
            "What shared memory is made of: memory without a name (memfd), or a file in \
             /dev/shm, for processes that may not look into each other's /proc",
            level(5);
    }
}

impl Params {
    /// How long at least between two looks whether processes live.
    pub fn watch_interval(&self) -> Duration {
        Duration::from_millis(self.watch_interval.get().unsigned_abs())
    }

    /// Bytes of a ring's cache lines.
    pub fn ring_size(&self) -> usize {
        rounded(self.ring_size)
    }

    /// Rings for CRIs beyond the first of each process.
    pub fn max_rings(&self) -> usize {
        self.max_rings.get() as usize
    }

    /// Most bytes of header and payload in one message of any kind.
    pub fn packed_limit(&self) -> usize {
        frame(self.fragment_size, self.eager_limit)
    }

    /// Whether the values fit each other: a tool may have changed one after the ranges of others were
    /// derived from it.
    pub fn check(&self) -> Result<(), Failure> {
        for (name, param, most) in [
            ("fragment_size", self.fragment_size, longest(self.ring_size)),
            ("eager_limit", self.eager_limit, largest(self.ring_size)),
            ("immediate_limit", self.immediate_limit, self.packed_limit()),
        ] {
            let value = param.get();
            if value > most as u64 {
                return Err(Failure::unavailable(format!(
                    "btl_sm_{name} is {value}; allowed are at most {most} bytes with rings of {}",
                    self.ring_size()
                )));
            }
        }
        Ok(())
    }

    pub fn backing(&self) -> Backing {
        if self.backing.get() == 1 { Backing::File } else { Backing::Memory }
    }
}

fn rounded(ring_size: SizeParam) -> usize {
    (ring_size.get() as usize).next_power_of_two()
}

/// The longest message that goes through a ring.
fn longest(ring_size: SizeParam) -> usize {
    ring::longest(rounded(ring_size))
}

/// The same without its header.
fn largest(ring_size: SizeParam) -> usize {
    longest(ring_size) - BTL_HEADER_ROOM
}

fn frame(fragment_size: SizeParam, eager_limit: SizeParam) -> usize {
    (fragment_size.get() as usize).max(eager_limit.get() as usize + BTL_HEADER_ROOM)
}

/// A default, as a user would write it.
fn text(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 10) { format!("{}k", bytes >> 10) } else { bytes.to_string() }
}
