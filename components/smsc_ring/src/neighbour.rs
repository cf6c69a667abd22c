//! Another process, as this one knows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_segment::Error;

use crate::counts::Served;
use crate::lane::{LANES, Lane, Lanes, Plan};
use crate::pace::Pace;
use crate::params::Streaming;
use crate::transfer::Side;

/// Lanes of ours that reads from one process may use at the same time, and as many offers to it. More would not be faster,
/// as one transfer keeps both processors busy, and would leave the caches.
const LANES_EACH: u32 = 2;
/// Offers in all. They stay until the other side reads, and it may want to read something else before;
/// the other lanes are for that.
const OFFERS: u32 = LANES as u32 / 2;

/// Another process.
pub struct Neighbour {
    view: *const Peer,
    /// The lanes in its segment.
    pub lanes: Arc<Lanes>,
    /// Which of those this process writes to, as the owner of what is read.
    pub served: Served,
    /// How slots are filled in transfers with it.
    pub pace: Pace,
    /// Lanes of ours that are used with it: by offers, by reads.
    lanes_used: [AtomicU32; 2],
}

// SAFETY: the view is the host's, for any thread, and stays; the rest is as well.
unsafe impl Send for Neighbour {}
// SAFETY: see `Send`.
unsafe impl Sync for Neighbour {}

impl Neighbour {
    /// A process with this segment.
    pub fn new(view: &Peer, lanes: Lanes) -> Self {
        let (lanes, lanes_used) = (Arc::new(lanes), Default::default());
        Self { view, lanes, served: Served::default(), pace: Pace::default(), lanes_used }
    }

    /// Whether it has ended.
    pub fn has_failed(&self) -> bool {
        // SAFETY: the host keeps its peers.
        unsafe { &*self.view }.is(PEER_FAILED)
    }

    /// Plans a transfer of `len` bytes over one of our own lanes, which counts as used from then on;
    /// `None` when there is none now.
    pub fn plan(
        &self,
        own: &Lanes,
        side: Side,
        len: usize,
        streaming: Streaming,
    ) -> Result<Option<(Plan, Lane)>, Error> {
        own.recall();
        // Threads that ask at the same moment may both get the last one, which does no harm.
        let used = &self.lanes_used[side as usize];
        let offers = own.offers.load(Ordering::Relaxed);
        if used.load(Ordering::Relaxed) >= LANES_EACH || side == Side::Owner && offers >= OFFERS {
            return Ok(None);
        }
        let taken = own.take(side == Side::Reader)?;
        let Some((index, number, lane)) = taken else { return Ok(None) };
        used.fetch_add(1, Ordering::Relaxed);
        if side == Side::Owner {
            own.offers.fetch_add(1, Ordering::Relaxed);
        }
        let streaming = match streaming {
            Streaming::Auto => self.pace.choose(len),
            Streaming::Never => false,
            Streaming::Always => true,
        };
        Ok(Some((
            Plan { lane: index, chunk: Plan::chunk_for(len, own.geometry), streaming, number },
            lane,
        )))
    }

    /// A planned transfer is over.
    pub fn over(&self, own: &Lanes, side: Side) {
        self.lanes_used[side as usize].fetch_sub(1, Ordering::Relaxed);
        if side == Side::Owner {
            own.offers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// A lane is back that was lent to it for a read.
    pub fn has_given_back(&self) {
        self.lanes_used[Side::Reader as usize].fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether lanes of ours are used with it.
    #[cfg(test)]
    pub fn is_busy(&self) -> bool {
        self.lanes_used.iter().any(|used| used.load(Ordering::Relaxed) > 0)
    }
}
