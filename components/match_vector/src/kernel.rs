//! Finding the first key that fits, with the instructions that the processor has.

/// Cells that a kernel looks at together. Keys come in multiples of it.
pub const BLOCK: usize = 16;

/// Finds the first key of `keys` of which `mask` is equal to that of `key`: `(k ^ key) & mask == 0`.
/// The length when there is none.
type One = fn(keys: &[u64], key: u64, mask: u64) -> usize;
/// The same with a mask for each key, as many as there are keys.
type Each = fn(keys: &[u64], masks: &[u64], key: u64) -> usize;

/// The searches in one kind of instructions.
#[derive(Debug)]
pub struct Kernel {
    /// As the parameter calls it.
    pub name: &'static str,
    /// One mask for all keys.
    pub one: One,
    /// A mask for each key.
    pub each: Each,
    /// Whether the processor has the instructions.
    available: fn() -> bool,
}

/// Every kernel, the widest first.
static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    Kernel {
        name: "avx512",
        // SAFETY: `choose` gives this kernel out only where the processor has the instructions.
        one: |keys, key, mask| unsafe { x86::one_avx512(keys, key, mask) },
        // SAFETY: as above.
        each: |keys, masks, key| unsafe { x86::each_avx512(keys, masks, key) },
        available: || is_x86_feature_detected!("avx512f"),
    },
    #[cfg(target_arch = "x86_64")]
    Kernel {
        name: "avx2",
        // SAFETY: as above.
        one: |keys, key, mask| unsafe { x86::one_avx2(keys, key, mask) },
        // SAFETY: as above.
        each: |keys, masks, key| unsafe { x86::each_avx2(keys, masks, key) },
        available: || is_x86_feature_detected!("avx2"),
    },
    #[cfg(target_arch = "aarch64")]
    Kernel {
        name: "neon",
        // SAFETY: as above.
        one: |keys, key, mask| unsafe { arm::one_neon(keys, key, mask) },
        // SAFETY: as above.
        each: |keys, masks, key| unsafe { arm::each_neon(keys, masks, key) },
        available: || std::arch::is_aarch64_feature_detected!("neon"),
    },
    Kernel { name: "scalar", one: one_scalar, each: each_scalar, available: || true },
];

/// The kernel of this name, or with `auto` the widest, if the processor has it.
pub fn choose(name: &str) -> Option<&'static Kernel> {
    KERNELS.iter().find(|kernel| (name == "auto" || name == kernel.name) && (kernel.available)())
}

fn one_scalar(keys: &[u64], key: u64, mask: u64) -> usize {
    keys.iter().position(|other| (other ^ key) & mask == 0).unwrap_or(keys.len())
}

fn each_scalar(keys: &[u64], masks: &[u64], key: u64) -> usize {
    let mut cells = keys.iter().zip(masks);
    cells.position(|(other, mask)| (other ^ key) & mask == 0).unwrap_or(keys.len())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64,
        _mm256_loadu_si256, _mm256_movemask_pd, _mm256_or_si256, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_testz_si256, _mm256_xor_si256, _mm512_loadu_si512,
        _mm512_set1_epi64, _mm512_testn_epi64_mask, _mm512_xor_si512,
    };

    use super::BLOCK;

    /// Compares a block: `fits(n)` has all bits set in the lanes of cells 4n..4n+4 that fit.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn place_avx2(fits: impl Fn(usize) -> __m256i) -> Option<usize> {
        let parts = [fits(0), fits(1), fits(2), fits(3)];
        let any = _mm256_or_si256(
            _mm256_or_si256(parts[0], parts[1]),
            _mm256_or_si256(parts[2], parts[3]),
        );
        if _mm256_testz_si256(any, any) != 0 {
            return None;
        }
        let bits = |part: usize| _mm256_movemask_pd(_mm256_castsi256_pd(parts[part])) as u32;
        let bits = bits(0) | bits(1) << 4 | bits(2) << 8 | bits(3) << 12;
        Some(bits.trailing_zeros() as usize)
    }

    /// Cells 4n..4n+4 of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_avx2(block: &[u64; BLOCK], part: usize) -> __m256i {
        let four: &[u64; 4] = block[4 * part..][..4].try_into().expect("a block has 16");
        // SAFETY: four words are there; the load asks for no alignment.
        unsafe { _mm256_loadu_si256(four.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    pub fn one_avx2(keys: &[u64], key: u64, mask: u64) -> usize {
        let wanted = _mm256_set1_epi64x((key & mask) as i64);
        let mask = _mm256_set1_epi64x(mask as i64);
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let fits =
                |part| _mm256_cmpeq_epi64(_mm256_and_si256(load_avx2(block, part), mask), wanted);
            if let Some(place) = place_avx2(fits) {
                return number * BLOCK + place;
            }
        }
        keys.len()
    }

    #[target_feature(enable = "avx2")]
    pub fn each_avx2(keys: &[u64], masks: &[u64], key: u64) -> usize {
        let (wanted, zero) = (_mm256_set1_epi64x(key as i64), _mm256_setzero_si256());
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, (block, masks)) in blocks.iter().zip(masks.as_chunks().0).enumerate() {
            let fits = |part| {
                let differ = _mm256_xor_si256(load_avx2(block, part), wanted);
                _mm256_cmpeq_epi64(_mm256_and_si256(differ, load_avx2(masks, part)), zero)
            };
            if let Some(place) = place_avx2(fits) {
                return number * BLOCK + place;
            }
        }
        keys.len()
    }

    /// Cells 8n..8n+8 of a block.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load_avx512(block: &[u64; BLOCK], part: usize) -> __m512i {
        let eight: &[u64; 8] = block[8 * part..][..8].try_into().expect("a block has 16");
        // SAFETY: eight words are there; the load asks for no alignment.
        unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) }
    }

    /// Which of the eight keys of each half are equal to `wanted` where `masks` has ones.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn bits_avx512(block: &[u64; BLOCK], masks: [__m512i; 2], wanted: __m512i) -> u32 {
        let half = |part| {
            let differ = _mm512_xor_si512(load_avx512(block, part), wanted);
            u32::from(_mm512_testn_epi64_mask(differ, masks[part]))
        };
        half(0) | half(1) << 8
    }

    #[target_feature(enable = "avx512f")]
    pub fn one_avx512(keys: &[u64], key: u64, mask: u64) -> usize {
        let (wanted, mask) = (_mm512_set1_epi64(key as i64), _mm512_set1_epi64(mask as i64));
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            let bits = bits_avx512(block, [mask, mask], wanted);
            if bits != 0 {
                return number * BLOCK + bits.trailing_zeros() as usize;
            }
        }
        keys.len()
    }

    #[target_feature(enable = "avx512f")]
    pub fn each_avx512(keys: &[u64], masks: &[u64], key: u64) -> usize {
        let wanted = _mm512_set1_epi64(key as i64);
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, (block, masks)) in blocks.iter().zip(masks.as_chunks().0).enumerate() {
            let masks = [load_avx512(masks, 0), load_avx512(masks, 1)];
            let bits = bits_avx512(block, masks, wanted);
            if bits != 0 {
                return number * BLOCK + bits.trailing_zeros() as usize;
            }
        }
        keys.len()
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{
        uint64x2_t, vandq_u64, vceqq_u64, vceqzq_u64, vdupq_n_u64, veorq_u64, vld1q_u64,
        vmaxvq_u32, vorrq_u64, vreinterpretq_u32_u64,
    };

    use super::{BLOCK, each_scalar, one_scalar};

    /// Cells 2n and 2n+1 of a block.
    #[inline]
    #[target_feature(enable = "neon")]
    fn load(block: &[u64; BLOCK], part: usize) -> uint64x2_t {
        let two: &[u64; 2] = block[2 * part..][..2].try_into().expect("a block has 16");
        // SAFETY: two words are there.
        unsafe { vld1q_u64(two.as_ptr()) }
    }

    /// Whether any lane of any part of a block fits.
    #[inline]
    #[target_feature(enable = "neon")]
    fn any(fits: impl Fn(usize) -> uint64x2_t) -> bool {
        let all = (1..BLOCK / 2).fold(fits(0), |all, part| vorrq_u64(all, fits(part)));
        vmaxvq_u32(vreinterpretq_u32_u64(all)) != 0
    }

    #[target_feature(enable = "neon")]
    pub fn one_neon(keys: &[u64], key: u64, mask: u64) -> usize {
        let (wanted, masks) = (vdupq_n_u64(key & mask), vdupq_n_u64(mask));
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            if any(|part| vceqq_u64(vandq_u64(load(block, part), masks), wanted)) {
                return number * BLOCK + one_scalar(block, key, mask);
            }
        }
        keys.len()
    }

    #[target_feature(enable = "neon")]
    pub fn each_neon(keys: &[u64], masks: &[u64], key: u64) -> usize {
        let wanted = vdupq_n_u64(key);
        let (blocks, _) = keys.as_chunks::<BLOCK>();
        for (number, (block, masks)) in blocks.iter().zip(masks.as_chunks().0).enumerate() {
            let fits = |part| {
                let differ = veorq_u64(load(block, part), wanted);
                vceqzq_u64(vandq_u64(differ, load(masks, part)))
            };
            if any(fits) {
                return number * BLOCK + each_scalar(block, masks, key);
            }
        }
        keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that repeat exactly (xorshift).
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// Every kernel of this processor finds what the scalar one finds.
    #[test]
    fn kernels_agree() {
        let mut state = 0x1234_5678_9abc_def1;
        for kernel in KERNELS {
            if !(kernel.available)() {
                cairn_skips::skipped(&format!(
                    "this processor has no {} instructions",
                    kernel.name
                ));
                continue;
            }
            for round in 0..if cfg!(miri) { 20 } else { 2_000 } {
                let len = BLOCK * (round % 7);
                // Few values, so that keys often fit, in every place.
                let rare = 1 + round as u64 / 10;
                let mut word = |values: u64| {
                    let high = random(&mut state) % values;
                    (high << 32) | (random(&mut state) % values)
                };
                let keys: Vec<u64> = (0..len).map(|_| word(2 + rare)).collect();
                let key = word(2 + rare);
                let choices = [!0, 0x8000_0000_ffff_ffff, 0xffff_ffff_8000_0000, 0];
                let masks: Vec<u64> =
                    (0..len).map(|_| choices[(random(&mut state) % 3) as usize]).collect();
                for mask in choices {
                    assert_eq!((kernel.one)(&keys, key, mask), one_scalar(&keys, key, mask));
                }
                assert_eq!((kernel.each)(&keys, &masks, key), each_scalar(&keys, &masks, key));
            }
            // One fits, in each place.
            for place in 0..4 * BLOCK {
                let mut keys = vec![(7 << 32) | 1; 4 * BLOCK];
                keys[place] = (7 << 32) | 2;
                let masks = vec![!0; 4 * BLOCK];
                assert_eq!((kernel.one)(&keys, (7 << 32) | 2, !0), place, "{}", kernel.name);
                assert_eq!((kernel.each)(&keys, &masks, (7 << 32) | 2), place, "{}", kernel.name);
                assert_eq!((kernel.one)(&keys, 9, !0), keys.len());
            }
        }
    }

    #[test]
    fn what_the_processor_lacks_is_not_chosen() {
        assert!(choose("auto").is_some());
        assert_eq!(choose("scalar").unwrap().name, "scalar");
        assert!(choose("altivec").is_none());
        #[cfg(target_arch = "x86_64")]
        assert!(choose("neon").is_none());
    }
}
