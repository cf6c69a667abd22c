//! Parameters.

use cairn_segment::Backing;

use crate::pace::CHOICE;

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
        streaming: choice(&["auto", "never", "always"], "auto"),
            "Whether slots are filled past the caches, which is faster between processors that \
             share none; auto measures it for each peer and size, again and again",
            level(6);
        backing: choice(&["memory", "file"], "memory"),
            "What shared memory is made of, as for btl_sm_backing", level(5);
    }
}

impl Params {
    /// Bytes of a slot.
    pub fn chunk(&self) -> usize {
        (self.chunk.get() as usize).next_multiple_of(4 << 10)
    }

    /// Slots of a bounce buffer.
    pub fn slots(&self) -> usize {
        self.slots.get() as usize
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
