//! Copies of a few KiB between processes: what the other side has just written or read.
//!
//! The library's copy moves blocks of this size by one instruction of the processor (`rep movsb`), which asks
//! for the lines one behind the other. Where they lie in another processor's cache each takes long, and a loop
//! of vectors that asks for what comes next is a tenth to a fifth faster. Vectors of 64 bytes (AVX-512) are not: from
//! another processor's cache they are as fast up to 8 KiB, and a tenth slower beyond (Zen 4).
//!
//! Zen 5 writes whole lines by that instruction without reading them before. What goes to lines that another processor
//! has ([`copy_out`]) is up to twice as fast by it: between two without a common cache 4 KiB take 0.64 us instead of
//! 1.1, and 64 KiB 3.8 instead of 10, both copies included. Other copies are faster by it from 12 KiB on: 64 KiB by way
//! of a ring take 1.0 us instead of 1.3 within a processor's cache.

/// Shorter copies are over before it matters.
const FROM: usize = 2 << 10;
/// Longer ones do not come from another processor's cache, and the library's copy is as fast.
#[cfg(target_arch = "x86_64")]
const UPTO: usize = 64 << 10;
/// The same where the library's copy writes without reading. A little less than three pages, which a header may be in.
const UPTO_WHOLE_LINES: usize = 11 << 10;

/// Bytes from which the library's copy is the faster one on this processor; `None` where vectors are as fast up to lengths
/// of which it does not matter.
#[inline]
pub fn library_from() -> Option<usize> {
    writes_whole_lines().then_some(UPTO_WHOLE_LINES + 1)
}

/// Bytes from which [`copy_out`] writes whole lines without reading them on this processor.
#[inline]
pub fn whole_lines_from() -> Option<usize> {
    writes_whole_lines().then_some(FROM)
}

/// Whether `rep movsb` writes whole lines without reading them on this processor.
#[inline]
fn writes_whole_lines() -> bool {
    #[cfg(target_arch = "x86_64")]
    return upto() == UPTO_WHOLE_LINES;
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Longest copy by vectors on this processor.
#[cfg(target_arch = "x86_64")]
#[inline]
fn upto() -> usize {
    use core::sync::atomic::{AtomicUsize, Ordering};
    static UPTO_HERE: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: each thread finds the same.
    match UPTO_HERE.load(Ordering::Relaxed) {
        0 => {
            let upto = if is_zen_5() { UPTO_WHOLE_LINES } else { UPTO };
            UPTO_HERE.store(upto, Ordering::Relaxed);
            upto
        }
        upto => upto,
    }
}

/// Whether it is an AMD processor of that generation (family 1Ah) or of a later one.
#[cfg(target_arch = "x86_64")]
#[cold]
fn is_zen_5() -> bool {
    use core::arch::x86_64::__cpuid;
    let (maker, version) = (__cpuid(0), __cpuid(1).eax);
    let is_amd =
        [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD";
    // The extended family counts where the family is all ones.
    let (family, extended) = (version >> 8 & 0xf, version >> 20 & 0xff);
    is_amd && family == 0xf && family + extended >= 0x1a
}

/// Copies. On x86-64 by vectors where these pay; elsewhere, and for other lengths, as the library does.
///
/// # Safety
/// Both have `len` bytes and do not overlap.
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if (FROM..=upto()).contains(&len) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: promised by the caller, and the processor has the instructions.
        return unsafe { vectors(from, to, len) };
    }
    // SAFETY: promised by the caller.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len) };
}

/// Copies to lines that another processor has read or written: the same bytes as [`copy`], by whole lines where the
/// processor need not read these.
///
/// # Safety
/// As for [`copy`].
#[inline]
pub unsafe fn copy_out(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if whole_lines_from().is_some_and(|from| len >= from) {
        // SAFETY: promised by the caller.
        return unsafe { whole_lines(from, to, len) };
    }
    // SAFETY: promised by the caller.
    unsafe { copy(from, to, len) };
}

/// # Safety
/// As for [`copy`]; at least [`FROM`] bytes.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn whole_lines(from: *const u8, to: *mut u8, len: usize) {
    const LINE: usize = 64;
    let head = to.addr().wrapping_neg() % LINE;
    // SAFETY: promised by the caller; the direction is forwards, as everywhere.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") len - head => _,
            inout("rsi") from.add(head) => _,
            inout("rdi") to.add(head) => _,
            options(nostack, preserves_flags)
        );
        // Last, as a reader may be looking at this line: if it were written now and again when the reader is told, it
        // would change hands twice.
        core::ptr::copy_nonoverlapping(from, to, head);
    }
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

    /// # Safety
    /// As for `vectors`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn by_vectors(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: promised by the caller.
        unsafe { vectors(from, to, len) };
    }

    #[test]
    fn every_length_and_place_is_copied_and_nothing_else() {
        let from: Vec<u8> = (0..70_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
        let lengths = (0..40).chain(2000..2200).chain([3071, 3072, 4096, 16_384, 65_535, 65_537]);
        for len in lengths {
            for (start, place) in [(0, 0), (1, 0), (0, 1), (3, 77), (127, 128), (64, 129)] {
                let mut to = vec![0xee; 70_000];
                let mut ways: Vec<unsafe fn(*const u8, *mut u8, usize)> = vec![copy, copy_out];
                #[cfg(target_arch = "x86_64")]
                if len >= FROM {
                    // Those of other processors too.
                    ways.push(whole_lines);
                    if std::arch::is_x86_feature_detected!("avx2") {
                        ways.push(by_vectors);
                    }
                }
                for way in ways {
                    to.fill(0xee);
                    // SAFETY: both are long enough, and the processor has the instructions.
                    unsafe { way(from[start..].as_ptr(), to[place..].as_mut_ptr(), len) };
                    assert_eq!(to[place..place + len], from[start..start + len], "{len} {start}");
                    let mut rest = to[..place].iter().chain(&to[place + len..]);
                    assert!(rest.all(|byte| *byte == 0xee), "{len} {start} {place}");
                }
            }
        }
    }
}
