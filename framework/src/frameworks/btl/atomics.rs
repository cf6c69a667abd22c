//! Atomic operations by the processor, for transports whose peers' memory it reaches.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::{BTL_ADD, BTL_AND, BTL_COMPARE_SWAP, BTL_OR, BTL_SWAP, BTL_XOR, BtlAtomic};
use crate::abi::status::ERR_ARGUMENT;
use crate::author::Failure;

impl BtlAtomic {
    /// Does the operation on the integer at `place` and stores the old value.
    ///
    /// # Errors
    /// `CAIRN_ERR_ARGUMENT` when the width, the alignment or the operation is none of the contract's.
    ///
    /// # Safety
    /// There is such an integer, which all that access it at the same time access atomically, and room for the old
    /// value.
    pub unsafe fn apply(&self, place: *mut u8) -> Result<(), Failure> {
        macro_rules! apply {
            ($atomic:ty, $integer:ty) => {{
                // SAFETY: promised by the caller, and aligned.
                let place = unsafe { <$atomic>::from_ptr(place.cast::<$integer>()) };
                let operand = self.operand as $integer;
                let old = match self.operation {
                    BTL_ADD => place.fetch_add(operand, Ordering::AcqRel),
                    BTL_AND => place.fetch_and(operand, Ordering::AcqRel),
                    BTL_OR => place.fetch_or(operand, Ordering::AcqRel),
                    BTL_XOR => place.fetch_xor(operand, Ordering::AcqRel),
                    BTL_SWAP => place.swap(operand, Ordering::AcqRel),
                    BTL_COMPARE_SWAP => {
                        let compare = self.compare as $integer;
                        place
                            .compare_exchange(compare, operand, Ordering::AcqRel, Ordering::Acquire)
                            .unwrap_or_else(|old| old)
                    }
                    other => return Err(Failure::new(ERR_ARGUMENT, format!("operation {other}"))),
                };
                if !self.result.is_null() {
                    // SAFETY: promised by the caller.
                    unsafe { self.result.cast::<$integer>().write_unaligned(old) };
                }
            }};
        }
        let width = self.width as usize;
        if (width != 4 && width != 8) || !place.addr().is_multiple_of(width) {
            let text = format!("{width} bytes at {:#x}", self.remote);
            return Err(Failure::new(ERR_ARGUMENT, text));
        }
        if width == 8 {
            apply!(AtomicU64, u64)
        } else {
            apply!(AtomicU32, u32)
        }
        Ok(())
    }
}
