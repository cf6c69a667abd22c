//! Parameters.

use cairn_framework::abi::param::{ChoiceParam, IntegerParam, SizeParam};
use cairn_framework::author::{Failure, Instances, Registrar};
use cairn_segment::Backing;

/// Most bytes of header and payload in `send_immediate`.
pub const IMMEDIATE_LIMIT: usize = 8 << 10;
/// Most bytes of header and payload in `send_packed`, if the ring is large enough.
const PACKED_LIMIT: usize = 32 << 10;

/// The parameters of `btl_sm`.
pub struct Params {
    pub priority: IntegerParam,
    pub eager_limit: SizeParam,
    pub instances: Instances,
    ring_size: SizeParam,
    max_rings: IntegerParam,
    pub bitmap_from: IntegerParam,
    backing: ChoiceParam,
}

impl Params {
    pub fn register(registrar: &Registrar<'_>) -> Result<Self, Failure> {
        Ok(Self {
            priority: registrar.priority(60)?,
            eager_limit: registrar
                .size(
                    "eager_limit",
                    "16k",
                    "Largest message that is sent without asking the receiver first",
                )
                .range(0, 1 << 20)
                .level(4)
                .register()?,
            instances: registrar.instances(1024, "")?,
            ring_size: registrar
                .size(
                    "ring_size",
                    "128k",
                    "Bytes for messages on their way from one instance to another; rounded up to a \
                     power of two",
                )
                .range(16 << 10, 64 << 20)
                .level(5)
                .register()?,
            max_rings: registrar
                .integer(
                    "max_rings",
                    1024,
                    "Rings in the memory of a process for further instances of the others, besides \
                     one for each other process of the node; an instance that gets none shares one",
                )
                .range(0, 1 << 20)
                .level(6)
                .register()?,
            bitmap_from: registrar
                .integer(
                    "bitmap_from",
                    16,
                    "Rings from which a receiver looks only into those that senders have marked in a \
                     bitmap; below, it looks into each, which moves one cache line less for a message",
                )
                .range(1, 1 << 22)
                .level(6)
                .register()?,
            backing: registrar
                .choice(
                    "backing",
                    &["memory", "file"],
                    "memory",
                    "What shared memory is made of: memory without a name (memfd), or a file in \
                     /dev/shm, for processes that may not look into each other's /proc",
                )
                .level(5)
                .register()?,
        })
    }

    /// Bytes of a ring's lines.
    pub fn ring_size(&self) -> usize {
        (self.ring_size.get() as usize).next_power_of_two()
    }

    /// Rings for instances beyond the first of each process.
    pub fn max_rings(&self) -> usize {
        self.max_rings.get() as usize
    }

    /// Most bytes of header and payload in one message of any kind.
    pub fn packed_limit(&self) -> usize {
        PACKED_LIMIT.min(self.ring_size() / 4)
    }

    pub fn backing(&self) -> Backing {
        if self.backing.get() == 1 { Backing::File } else { Backing::Memory }
    }
}
