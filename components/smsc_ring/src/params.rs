//! Parameters.

use cairn_framework::abi::job::Job;
use cairn_segment::Backing;
use cairn_segment::pace::CHOICE;

use crate::bounce::{Geometry, IN_TURN};

/// How slots are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// By what is measured.
    Auto,
    Never,
    Always,
}

cairn_framework::params! {
    /// The parameters of `smsc_ring`.
    pub struct Params {
        pub priority: priority(40);
        chunk: size("32k"), "Largest piece that is copied at once; rounded up to a multiple of 4k",
            range(4 << 10, 1 << 20), level(5);
        slots: integer(8), "Pieces of one message that may be on their way at once",
            range(2, 64), level(5);
        memory: size("4m"),
            "Bytes that transfers walk through where each process has a core, so that what they write \
             to has left the cache of the processor that read it; with less memory than \
             smsc_ring_slots of smsc_ring_chunk for each of four transfers, and where processes share \
             cores, it is that",
            range(0, 1 << 30), level(5);
        streaming: choice(&["auto", "never", "always"], "auto"),
            "Whether slots are filled past the caches, which is faster between processors that \
             share none; auto measures it for each peer and size, again and again",
            level(6);
        backing: choice(&["memory", "file"], "memory"),
            "What shared memory is made of, as for btl_sm_backing", level(5);
    }
}

impl Params {
    /// Of the bounce buffers in a job.
    pub fn geometry(&self, job: &Job) -> Geometry {
        let chunk = (self.chunk.get() as usize).next_multiple_of(4 << 10);
        let slots = self.slots.get() as usize;
        // Processes that take turns on a core find each other's lines in its cache.
        let share =
            if job.is_crowded() { 0 } else { self.memory.get() as usize / IN_TURN as usize };
        Geometry { slots, chunk, span: share.max(slots * chunk) }
    }

    pub fn streaming(&self) -> Streaming {
        match self.streaming.get() {
            0 => Streaming::Auto,
            2 if CHOICE => Streaming::Always,
            _ => Streaming::Never,
        }
    }

    pub fn backing(&self) -> Backing {
        if self.backing.get() == 1 { Backing::File } else { Backing::Memory }
    }
}
