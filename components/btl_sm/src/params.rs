//! Parameters.

use std::time::Duration;

use cairn_framework::abi::job::Job;
use cairn_framework::abi::param::SizeParam;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::{BTL_EXCLUSIVITY_SHARED_MEMORY, BTL_HEADER_ROOM};
use cairn_segment::Backing;

use crate::ring;

cairn_framework::params! {
    /// The parameters of `btl_sm`.
    pub struct Params {
        ring_size: size("128k"),
            "Bytes at least for messages on their way from one instance to another; rounded up to \
             a power of two. The limits of messages follow from it. Where processes have to share cores no more \
             than so many bytes of messages of at most 1 KiB are unread also in a longer ring",
            range(16 << 10, 64 << 20), level(5);
        ring_memory: size("8m"),
            "Bytes that a process shares out among the rings that the other processes of its node \
             write to, where that makes these longer than btl_sm_ring_size; none becomes longer than 2m by it. \
             Where processes have to share cores what is longer takes memory when it is first used",
            range(0, 1 << 40), level(5);
        fragment_size: size("256k"),
            "Largest piece of a message that is sent in one go, as far as it takes no more than a quarter of \
             a ring with a header of 256 bytes",
            range(4096, 16 << 20), level(5);
        pub eager_limit: size(&text(largest(ring_size).min(16 << 10))),
            "Largest message that is sent without asking the receiver first; with a header of \
             256 bytes at most a quarter of btl_sm_ring_size",
            range(0, largest(ring_size) as i64), level(4);
        push_limit: size("4m"),
            "Largest message that is sent in pieces of btl_sm_fragment_size without asking the \
             receiver first; longer ones are announced and fetched. Where processes have to share cores those above \
             half the length of this process's rings are, too, unless rings have 512k and one of the last four such \
             messages of the process went to the same receiver. 0 where all that are above btl_sm_eager_limit are announced",
            level(4);
        grow_from: size("8k"),
            "Message without holes from which the receiver is told of it while it is written, and copies \
             what there is, where each process has a core, and the sender has looked for messages since \
             its last one or the message has 128k; those of pml_ob1 have 8k at least. 0 where each is told of when all of it is \
             written",
            range(0, 1 << 30), level(5);
        immediate_limit: size(&text(frame(fragment_size, eager_limit))),
            "Largest message, header included, that is copied from one piece of memory; longer \
             ones are packed into the ring. At most btl_sm_fragment_size, or btl_sm_eager_limit \
             if that is more, with its header",
            range(BTL_HEADER_ROOM as i64, frame(fragment_size, eager_limit) as i64), level(6);
        pub priority: priority(60);
        pub exclusivity: integer(BTL_EXCLUSIVITY_SHARED_MEMORY.into()),
            "Preference among transports that reach a peer; only the highest are used",
            range(0, 65535), level(5);
        pub latency: integer(100), "Time of a small message, to choose among devices",
            range(0, u32::MAX.into()), unit("ns"), level(5);
        pub bandwidth: integer(10_000), "Speed, to share large messages among devices",
            range(1, u32::MAX.into()), unit("MB/s"), level(5);
        pub rma_from: size("8k"),
            "Bytes from which memory of peers that can't be mapped is put and got by the system's calls \
             where a message and its answer would do",
            level(6);
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
        self.watch_interval.milliseconds()
    }

    /// Bytes of a ring's cache lines, for so many instances in each process. A receiver keeps a short ring
    /// in its own cache, from which the sender has to take each line before it can write; a longer one has
    /// left it for the cache that both share when its lines come to be written again.
    ///
    /// Processes that take turns on a core find each other's lines in its cache. There no more than a
    /// [window](ring::Producer::in_turns) of short messages is unread, and a longer ring spares turns of longer ones.
    pub fn ring_size(&self, job: &Job, instances: usize) -> usize {
        let least = self.least_ring();
        let rings = (job.local_size as usize).saturating_sub(1).max(1) * instances;
        lengthened(least, self.ring_memory.get() as usize / rings)
    }

    /// The same without a lengthening.
    pub fn least_ring(&self) -> usize {
        rounded(self.ring_size)
    }

    /// Bytes of a message up to which it goes in pieces to any peer, and those up to which it does to a peer that got
    /// one of the last ones, where our rings, and so those of others with the same parameters, have so many bytes.
    ///
    /// A receiver that does not run does not copy one piece while the next is written, and what waits for room costs a
    /// turn of the processor, as an announcement does. So a message that leaves no room for others is fetched there,
    /// but one to few peers: through rings that lie in the caches it moves nearly twice as fast (1 MiB between 4 pairs
    /// on 2 processors 50 GB/s instead of 32), and an alltoall of 16 takes 1.3 times as long so. Rings of 128 KiB, with
    /// pieces of 32, cost so many turns that 256 KiB move at 32 GB/s instead of 41; those of 512 are fast enough.
    pub fn push_limits(&self, job: &Job, ring_size: usize) -> (u64, u64) {
        const LONG_RING: usize = 512 << 10;
        let limit = self.push_limit.get();
        if !job.is_crowded() {
            return (limit, limit);
        }
        let any = limit.min(ring_size as u64 / 2);
        (any, if ring_size < LONG_RING { any } else { limit })
    }

    /// Bytes of a message, header included, from which it is sent while it is written. A receiver that does not run
    /// does not copy meanwhile, and one that does would wait for a sender that does not.
    pub fn grow_from(&self, job: &Job) -> usize {
        match self.grow_from.get() as usize {
            0 => usize::MAX,
            _ if job.is_crowded() => usize::MAX,
            // One piece is no growth.
            from => from.max(ring::PIECE + 1),
        }
    }

    /// Rings for CRIs beyond the first of each process.
    pub fn max_rings(&self) -> usize {
        self.max_rings.get() as usize
    }

    /// Most bytes of header and payload in one message of any kind, through rings of so many bytes.
    pub fn packed_limit(&self, ring_size: usize) -> usize {
        frame(self.fragment_size, self.eager_limit).min(ring::longest(ring_size))
    }

    /// The same of one that is copied from one piece of memory.
    pub fn immediate_limit(&self, ring_size: usize) -> usize {
        self.packed_limit(ring_size).min(self.immediate_limit.get() as usize)
    }

    /// Whether the values fit each other: a tool may have changed one after the range of another was
    /// derived from it.
    pub fn check(&self) -> Result<(), Failure> {
        let (value, most) = (self.eager_limit.get(), largest(self.ring_size));
        if value > most as u64 {
            return Err(Failure::unavailable(format!(
                "btl_sm_eager_limit is {value}; allowed are at most {most} bytes with rings of {}",
                rounded(self.ring_size)
            )));
        }
        Ok(())
    }

    pub fn backing(&self) -> Backing {
        if self.backing.get() == 1 { Backing::File } else { Backing::Memory }
    }
}

/// The size of rings that each may have a share of the memory.
fn lengthened(least: usize, share: usize) -> usize {
    const LONGEST: usize = 2 << 20;
    let power = share.checked_ilog2().map_or(0, |log| 1 << log);
    power.min(LONGEST).max(least)
}

fn rounded(ring_size: SizeParam) -> usize {
    (ring_size.get() as usize).next_power_of_two()
}

/// The longest message that goes through a ring, without its header.
fn largest(ring_size: SizeParam) -> usize {
    ring::longest(rounded(ring_size)) - BTL_HEADER_ROOM
}

fn frame(fragment_size: SizeParam, eager_limit: SizeParam) -> usize {
    fragment_size.get().max(eager_limit.get()) as usize + BTL_HEADER_ROOM
}

/// A default, as a user would write it.
fn text(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 10) { format!("{}k", bytes >> 10) } else { bytes.to_string() }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    #[test]
    fn rings_are_lengthened_to_their_share() {
        let kib = |least: usize, share: usize| lengthened(least << 10, share << 10) >> 10;
        assert_eq!(kib(128, 8 << 10), 2048);
        assert_eq!(kib(128, 1025), 1024);
        assert_eq!(kib(128, 100), 128);
        assert_eq!(kib(128, 0), 128);
        assert_eq!(kib(16 << 10, 8 << 10), 16 << 10);
    }
}
