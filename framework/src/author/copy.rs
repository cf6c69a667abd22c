//! Copies of a few KiB between processes: what the other side has just written or read.
//!
//! The library's copy moves blocks of this size by one instruction of the processor (`rep movsb`), which asks
//! for the lines one behind the other. Where they lie in another processor's cache each takes long, and a loop
//! of vectors that asks for what comes next is a tenth to a fifth faster. Vectors of 64 bytes (AVX-512) are not: from
//! another processor's cache they are as fast up to 8 KiB, and a tenth slower beyond (Zen 4).

/// Shorter copies are over before it matters.
#[cfg(target_arch = "x86_64")]
const FROM: usize = 2 << 10;
/// Longer ones do not come from another processor's cache, and the library's copy is as fast.
#[cfg(target_arch = "x86_64")]
const UPTO: usize = 64 << 10;

/// Copies. On x86-64 by vectors where these pay; elsewhere, and for other lengths, as the library does.
///
/// # Safety
/// Both have `len` bytes and do not overlap.
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if (FROM..=UPTO).contains(&len) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: promised by the caller, and the processor has the instructions.
        return unsafe { vectors(from, to, len) };
    }
    // SAFETY: promised by the caller.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
}

/// # Safety
/// As for [`copy`]; at least [`FROM`] bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn vectors(from: *const u8, to: *mut u8, len: usize) {
    use core::arch::x86_64::{
        __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_loadu_si256, _mm256_storeu_si256,
    };
    /// Bytes of a round: two cache lines.
    const ROUND: usize = 128;
    /// So far before a line is read it is asked for.
    const AHEAD: usize = 1 << 10;

    // SAFETY: promised by the caller for all of these: no access leaves the `len` bytes.
    unsafe {
        let vector = |place: usize| _mm256_loadu_si256(from.add(place).cast::<__m256i>());
        let store = |place: usize, value| _mm256_storeu_si256(to.add(place).cast(), value);
        let round = |place: usize| {
            let all = [0, 32, 64, 96].map(|offset| vector(place + offset));
            for (value, offset) in all.into_iter().zip([0, 32, 64, 96]) {
                store(place + offset, value);
            }
        };
        // What is not whole rounds comes first, with a part of the next one, so that what follows begins with
        // a line of the target, to which stores are the slower ones.
        let head = ROUND - to.addr() % ROUND;
        round(0);
        let mut place = head;
        // Not what lies behind: the other side may be writing it.
        while place + AHEAD + ROUND <= len {
            _mm_prefetch::<_MM_HINT_T0>(from.add(place + AHEAD).cast());
            _mm_prefetch::<_MM_HINT_T0>(from.add(place + AHEAD + 64).cast());
            round(place);
            place += ROUND;
        }
        while place + ROUND <= len {
            round(place);
            place += ROUND;
        }
        // Overlaps what was copied before.
        round(len - ROUND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_place_is_copied_and_nothing_else() {
        let from: Vec<u8> = (0..70_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
        let lengths = (0..40).chain(2000..2200).chain([3071, 3072, 4096, 16_384, 65_535, 65_537]);
        for len in lengths {
            for (start, place) in [(0, 0), (1, 0), (0, 1), (3, 77), (127, 128), (64, 129)] {
                let mut to = vec![0xee; 70_000];
                // SAFETY: both are long enough.
                unsafe { copy(from[start..].as_ptr(), to[place..].as_mut_ptr(), len) };
                assert_eq!(to[place..place + len], from[start..start + len], "{len} {start}");
                let mut rest = to[..place].iter().chain(&to[place + len..]);
                assert!(rest.all(|byte| *byte == 0xee), "{len} {start} {place}");
            }
        }
    }
}
