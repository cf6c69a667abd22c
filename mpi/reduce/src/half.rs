//! Half precision: computed in floats.

use super::number::{Complex, compared};

/// IEEE binary16.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct F16(u16);

compared!(F16, i16);

impl F16 {
    pub(crate) const ZERO: Self = Self(0);
    const INFINITY: u16 = 0x7c00;

    #[inline(always)]
    fn magnitude(self) -> u16 {
        self.0 & 0x7fff
    }
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.0 >> 15 != 0
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.magnitude() > Self::INFINITY
    }
    #[inline(always)]
    fn unpadded(self) -> Self {
        self
    }
}

/// Every half is a float. A sum or product of two, rounded to a float and then to a half, is what rounding once gives,
/// since a float has more than twice as many bits (Figueroa, "When is double rounding innocuous?", 1995).
///
/// Conversions are those of the instructions of x86-64 (F16C) to the bit, and have no branches, so that loops become
/// vector code. No float on the way is too small to be normal: programs switch such off.
impl F16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        let magnitude = u32::from(self.magnitude());
        let small = (magnitude as i32 as f32 * f32::from_bits((127 - 24) << 23)).to_bits();
        // The exponent is counted from elsewhere; that of infinities and NaNs is the largest one.
        let normal = (magnitude << 13) + ((127 - 15) << 23);
        let huge = (normal + ((127 - 15) << 23)) | u32::from(self.is_nan()) << 22;
        let bits = if magnitude < 0x400 { small } else { normal };
        let bits = if magnitude < u32::from(Self::INFINITY) { bits } else { huge };
        f32::from_bits(bits | u32::from(self.0 & 0x8000) << 16)
    }

    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        let bits = wide.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Such a sum has the last bits of the half where a float has its last bits, and rounds there.
        let magic = (127 - 15 + 23 - 10 + 1) << 23;
        let small =
            (f32::from_bits(magnitude) + f32::from_bits(magic)).to_bits().wrapping_sub(magic);
        // Half of the last bit less one, and one more for an odd number. May carry into the exponent, up to infinity.
        let odd = magnitude >> 13 & 1;
        let normal = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0xfff + odd) >> 13;
        let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
        let huge = if magnitude > 0x7f80_0000 { nan } else { u32::from(Self::INFINITY) };
        let half = if magnitude < (127 - 14) << 23 { small } else { normal };
        let half = if magnitude < (127 + 16) << 23 { half } else { huge };
        Self((half | bits >> 16 & 0x8000) as u16)
    }
}

/// Halves that are converted at a time.
pub(crate) const BLOCK: usize = 32;

/// An element that consists of floats.
pub(crate) trait Floats: Copy {
    fn elements(block: &[f32; BLOCK]) -> &[Self];
    fn elements_mut(block: &mut [f32; BLOCK]) -> &mut [Self];
}

impl Floats for f32 {
    #[inline(always)]
    fn elements(block: &[f32; BLOCK]) -> &[Self] {
        block
    }
    #[inline(always)]
    fn elements_mut(block: &mut [f32; BLOCK]) -> &mut [Self] {
        block
    }
}

impl Floats for Complex<f32> {
    #[inline(always)]
    fn elements(block: &[f32; BLOCK]) -> &[Self] {
        // SAFETY: a complex number is two floats, one after the other.
        unsafe { &*(&raw const *block).cast::<[Self; BLOCK / 2]>() }
    }
    #[inline(always)]
    fn elements_mut(block: &mut [f32; BLOCK]) -> &mut [Self] {
        // SAFETY: as above.
        unsafe { &mut *(&raw mut *block).cast::<[Self; BLOCK / 2]>() }
    }
}

/// # Safety
/// On a processor that has what `HALVES` says: instructions for it.
#[inline(always)]
pub(crate) unsafe fn widened<const HALVES: bool>(halves: &[F16; BLOCK]) -> [f32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if HALVES {
        use core::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};
        let mut floats = [0.0; BLOCK];
        for (from, to) in halves.chunks_exact(8).zip(floats.chunks_exact_mut(8)) {
            // SAFETY: promised by the caller; eight of either.
            unsafe {
                let vector = _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast()));
                _mm256_storeu_ps(to.as_mut_ptr(), vector);
            }
        }
        return floats;
    }
    halves.map(F16::widen)
}

/// # Safety
/// As for [`widened`].
#[inline(always)]
pub(crate) unsafe fn narrowed<const HALVES: bool>(floats: &[f32; BLOCK]) -> [F16; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if HALVES {
        use core::arch::x86_64::{
            _MM_FROUND_TO_NEAREST_INT, _mm_storeu_si128, _mm256_cvtps_ph, _mm256_loadu_ps,
        };
        let mut halves = [F16::ZERO; BLOCK];
        for (from, to) in floats.chunks_exact(8).zip(halves.chunks_exact_mut(8)) {
            // SAFETY: promised by the caller; eight of either.
            unsafe {
                let vector = _mm256_loadu_ps(from.as_ptr());
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(vector);
                _mm_storeu_si128(to.as_mut_ptr().cast(), halves);
            }
        }
        return halves;
    }
    floats.map(F16::narrow)
}
