//! Which instructions a kernel is made of.

use super::Kernel;

/// Instruction sets that kernels are compiled for, the smallest first. What a kernel computes does not depend
/// on the set: processes of a job may run on different processors.
///
/// On AArch64 vectors (NEON) are a part of the baseline, so the loops are vector code there as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// What every processor of the architecture has.
    Baseline,
    /// With F16C. The x86-64 of 2003 has no minimum of 32-bit integers, no comparison of 64-bit ones and vectors of
    /// 16 bytes; nearly all processors have this.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Products, minima and maxima of 64-bit integers, and shuffles of two vectors: without, these, products of complex
    /// numbers and pairs are half as fast. Kernels that gain nothing are made of AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// All of this architecture, the smallest first.
    pub const ALL: &[Self] = &[
        Self::Baseline,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
    ];

    /// Whether this processor has it.
    pub fn is_here(self) -> bool {
        match self {
            Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_here()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
        }
    }

    /// The largest one that this processor has.
    pub(crate) fn best() -> Self {
        *Self::ALL.iter().rfind(|set| set.is_here()).expect("every processor has the baseline")
    }
}

/// A loop over elements that the compiler makes vector code of, in the instruction set of its caller. It is inlined
/// with all that it calls.
pub(crate) trait Loop {
    /// # Safety
    /// As for [`Kernel`], on a processor that has what `HALVES` says: instructions that convert halves.
    unsafe fn run<const HALVES: bool>(input: *const u8, inout: *mut u8, count: usize);
}

/// The loop, compiled for an instruction set.
pub(crate) fn compiled<L: Loop>(set: InstructionSet) -> Kernel {
    match set {
        InstructionSet::Baseline => L::run::<false>,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => avx2::<L>,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => avx512::<L>,
    }
}

/// # Safety
/// As for [`Kernel`], on a processor with these.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn avx2<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { L::run::<true>(input, inout, count) }
}

/// # Safety
/// As for [`Kernel`], on a processor with these.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,f16c")]
unsafe fn avx512<L: Loop>(input: *const u8, inout: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { L::run::<true>(input, inout, count) }
}
