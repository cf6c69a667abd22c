//! Copies into shared memory: which stores are the faster ones, by peer and size.
//!
//! A slot that the other side has read lies in its cache. If both processors share a cache, ordinary
//! stores take it from there at full speed. If they don't, every line crosses the machine twice, and
//! stores that go past the caches ("streaming", non-temporal) are twice as fast for the whole
//! transfer, though the reader then reads from memory. Which of the two holds depends on where the
//! processes run; on a virtual machine it changes while they run. So it is measured again and again: the
//! processor time that copying takes, of both sides where each learns the other's and of the writer
//! otherwise, which waiting does not disturb.

use std::sync::atomic::{AtomicU32, Ordering};

/// Sizes are told apart by powers of four, from 4 KiB on.
const CLASSES: usize = 8;
/// One transfer in so many goes the other way, to see whether that has become the better one.
const RETRY: u32 = 64;
/// The same where that costs more than twice as much, so that all such tries together stay cheap. That it has become the
/// cheaper one is noticed that much later; that the way which is taken has become dearer, by the next samples.
const RETRY_WORSE: u32 = 1024;

/// One transfer in so many is measured when both ways are known: that takes 30 ns of each side.
const SAMPLE: u32 = 16;

/// How a transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Past the caches.
    pub streams: bool,
    /// What it costs is to be measured. May be, if it is not.
    pub measured: bool,
}

/// Whether there is a choice on this machine.
pub const CHOICE: bool = cfg!(target_arch = "x86_64");

/// What a transfer costs, by the way its slots are filled. All fields are hints, so Relaxed.
#[derive(Default)]
pub struct Pace([Class; CLASSES]);

#[derive(Default)]
struct Class {
    /// Ticks a KiB: cached, streaming. 0 when it is not known.
    cost: [AtomicU32; 2],
    transfers: AtomicU32,
}

impl Class {
    fn costs(&self) -> [u32; 2] {
        self.cost.each_ref().map(|cost| cost.load(Ordering::Relaxed))
    }

    /// The same with the other side's; `None` until both ways were measured.
    fn totals(&self, theirs: [u32; 2]) -> Option<[u32; 2]> {
        let [cached, streaming] = self.costs();
        (cached != 0 && streaming != 0).then(|| [cached + theirs[0], streaming + theirs[1]])
    }
}

impl Pace {
    fn class(&self, len: usize) -> &Class {
        let size = len.max(1).ilog2() as usize;
        &self.0[(size.saturating_sub(12) / 2).min(CLASSES - 1)]
    }

    /// How the next transfer of so many bytes is to go. `theirs` is what the other side says that
    /// a KiB costs it, cached and streaming, beside what was measured here.
    pub fn choose(&self, len: usize, theirs: [u32; 2]) -> Choice {
        if !CHOICE {
            return Choice { streams: false, measured: false };
        }
        let class = self.class(len);
        // One that another thread counts too is no loss.
        let number = class.transfers.load(Ordering::Relaxed);
        class.transfers.store(number.wrapping_add(1), Ordering::Relaxed);
        let Some([cached, streaming]) = class.totals(theirs) else {
            return Choice { streams: class.costs()[0] != 0, measured: true };
        };
        let is_worse = cached.max(streaming) / 2 > cached.min(streaming);
        let interval = if is_worse { RETRY_WORSE } else { RETRY };
        // More often in the beginning, when what is known is from cold memory.
        let retry = number.is_power_of_two() || number.is_multiple_of(interval);
        Choice {
            streams: (streaming < cached) != retry,
            measured: retry || number < RETRY || number.is_multiple_of(SAMPLE),
        }
    }

    /// Whether it is known that transfers of so many bytes had better stream.
    pub fn streams(&self, len: usize, theirs: [u32; 2]) -> bool {
        self.class(len).totals(theirs).is_some_and(|[cached, streaming]| streaming < cached)
    }

    /// A transfer took so many ticks of processor time.
    pub fn measured(&self, len: usize, streaming: bool, ticks: u64) {
        let new = (ticks / (len as u64 / 1024).max(1)).clamp(1, u64::from(u32::MAX) / 2) as u32;
        let cost = &self.class(len).cost[usize::from(streaming)];
        let next = believed(cost.load(Ordering::Relaxed).into(), new.into());
        cost.store(next.max(1) as u32, Ordering::Relaxed);
    }

    /// What is known, for a person: ticks a KiB of both ways, by the smallest size of the class.
    #[cfg(test)]
    fn known(&self, len: usize) -> [u32; 2] {
        self.class(len).costs()
    }
}

/// What is believed of a time (0: not known) after another measurement of it. A better one is believed at once. A
/// worse one may have been interrupted, and moves what is believed by a quarter at most.
#[inline]
pub fn believed(old: u64, new: u64) -> u64 {
    if new < old || old == 0 {
        return new;
    }
    old + ((new - old).min(old) / 4).max(u64::from(new > old))
}

/// The processor's clock; 0 where there is no choice to be made.
#[inline]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has it.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Copies past the caches. What was copied is visible to others after a later Release store.
///
/// # Safety
/// Both have `len` bytes and do not overlap.
pub unsafe fn stream(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: promised by the caller; the streamed part begins at a multiple of 16 bytes of `to`, and
    // no store leaves the `len` bytes.
    unsafe {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        /// Stores of a cache line follow each other, so that it leaves in one piece. It does so as fast as with
        /// stores of 32 or 64 bytes.
        const LINE: usize = 64;
        let head = to.align_offset(LINE).min(len);
        std::ptr::copy_nonoverlapping(from, to, head);
        let lines = (len - head) / LINE;
        for line in 0..lines {
            let from = from.add(head + line * LINE).cast::<__m128i>();
            let to = to.add(head + line * LINE).cast::<__m128i>();
            let words = [0, 1, 2, 3].map(|word| _mm_loadu_si128(from.add(word)));
            for (word, value) in words.into_iter().enumerate() {
                _mm_stream_si128(to.add(word), value);
            }
        }
        let done = head + lines * LINE;
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), len - done);
        // Streaming stores are not ordered by a Release store alone.
        _mm_sfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: promised by the caller.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamed_bytes_are_the_same_at_every_offset_and_length() {
        let from: Vec<u8> = (0..1000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for (start, place) in [(0, 0), (1, 0), (0, 1), (3, 17), (63, 65)] {
            for len in [0, 1, 15, 16, 63, 64, 65, 127, 128, 500, 800] {
                let mut to = vec![0xee; 1000];
                // SAFETY: both slices are long enough.
                unsafe { stream(from[start..].as_ptr(), to[place..].as_mut_ptr(), len) };
                assert_eq!(
                    to[place..place + len],
                    from[start..start + len],
                    "{start} {place} {len}"
                );
                let rest = to[..place].iter().chain(&to[place + len..]);
                assert!(rest.into_iter().all(|byte| *byte == 0xee));
            }
        }
    }

    #[test]
    fn the_cheaper_way_is_taken_and_a_change_is_noticed() {
        if !CHOICE {
            return;
        }
        let pace = Pace::default();
        let len = 64 << 10;
        // Ticks of either way; halfway they change places.
        let mut taken = [[0; 2]; 2];
        for (half, costs) in [[100_000, 300_000], [300_000, 100_000]].into_iter().enumerate() {
            for _ in 0..10_000 {
                let Choice { streams, measured } = pace.choose(len, [0; 2]);
                taken[half][usize::from(streams)] += 1;
                if measured {
                    pace.measured(len, streams, costs[usize::from(streams)]);
                }
            }
        }
        assert!(taken[0][0] > 9700 && taken[1][1] > 9300, "{taken:?}");
        // Three times as much is not paid often.
        assert!(taken[0][1] < 40, "{taken:?}");
        // Less than twice as much, with the other side's costs, is.
        let retries = (0..1000).filter(|_| !pace.choose(len, [3200; 2]).streams).count();
        assert!((15..20).contains(&retries), "{retries}");
        // Other sizes know nothing of it.
        assert_eq!(pace.known(1 << 20), [0, 0]);
        // An interruption does not change what is chosen.
        let before = pace.known(len);
        pace.measured(len, true, u64::MAX);
        let after = pace.known(len);
        assert!(after[0] == before[0] && after[1] < 2 * before[1] && after[1] < after[0]);
    }
}
