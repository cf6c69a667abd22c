//! Another process, as this one knows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_segment::Error;
use cairn_segment::pace::Pace;

use crate::bounce::{BOUNCE_BUFFERS, BounceBuffer, BounceBuffers, Plan};
use crate::counts::Served;
use crate::params::Streaming;
use crate::transfer::Side;

/// Bounce buffers of ours that reads from one process may use at the same time, and as many offers
/// to it. More would not be faster, as one transfer keeps both processors busy, and would leave the caches.
const LANES_EACH: u32 = 2;
/// Offers in all. They stay until the other side reads, and it may want to read something else before;
/// the other bounce buffers are for that.
const OFFERS: u32 = BOUNCE_BUFFERS as u32 / 2;

/// Another process.
pub struct Neighbour {
    view: *const Peer,
    /// The bounce buffers in its segment.
    pub bounces: Arc<BounceBuffers>,
    /// Which of those this process writes to, as the owner of what is read.
    pub served: Served,
    /// How slots are filled in transfers with it.
    pub pace: Pace,
    /// Bounce buffers of ours that are used with it: by offers, by reads.
    used: [AtomicU32; 2],
}

// SAFETY: the view is the host's, for any thread, and stays; the rest is as well.
unsafe impl Send for Neighbour {}
// SAFETY: see `Send`.
unsafe impl Sync for Neighbour {}

impl Neighbour {
    /// A process with this segment.
    pub fn new(view: &Peer, bounces: BounceBuffers) -> Self {
        let (bounces, used) = (Arc::new(bounces), Default::default());
        Self { view, bounces, served: Served::default(), pace: Pace::default(), used }
    }

    /// Whether it has ended.
    pub fn has_failed(&self) -> bool {
        // SAFETY: the host keeps its peers.
        unsafe { &*self.view }.is(PEER_FAILED)
    }

    /// Plans a transfer of `len` bytes over one of our own bounce buffers, which counts as used from
    /// then on; `None` when there is none now.
    pub fn plan(
        &self,
        own: &BounceBuffers,
        side: Side,
        len: usize,
        streaming: Streaming,
    ) -> Result<Option<(Plan, BounceBuffer)>, Error> {
        own.recall();
        // Threads that ask at the same moment may both get the last one, which does no harm.
        let used = &self.used[side as usize];
        let offers = own.offers.load(Ordering::Relaxed);
        if used.load(Ordering::Relaxed) >= LANES_EACH || side == Side::Owner && offers >= OFFERS {
            return Ok(None);
        }
        let chunk = Plan::chunk_for(len, own.geometry);
        let taken = own.take(side == Side::Reader, len, chunk)?;
        let Some((index, number, bounce)) = taken else { return Ok(None) };
        used.fetch_add(1, Ordering::Relaxed);
        if side == Side::Owner {
            own.offers.fetch_add(1, Ordering::Relaxed);
        }
        let streaming = match streaming {
            Streaming::Auto => self.pace.choose(len, [0; 2]).streams,
            Streaming::Never => false,
            Streaming::Always => true,
        };
        Ok(Some((Plan { bounce: index, chunk, streaming, number }, bounce)))
    }

    /// A planned transfer is over.
    pub fn over(&self, own: &BounceBuffers, side: Side) {
        self.used[side as usize].fetch_sub(1, Ordering::Relaxed);
        if side == Side::Owner {
            own.offers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// A bounce buffer is back that was lent to it for a read.
    pub fn has_given_back(&self) {
        self.used[Side::Reader as usize].fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether bounce buffers of ours are used with it.
    #[cfg(test)]
    pub fn is_busy(&self) -> bool {
        self.used.iter().any(|used| used.load(Ordering::Relaxed) > 0)
    }
}
