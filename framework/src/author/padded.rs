//! Keeping what threads write off each other's cache lines.

use core::ops::Deref;

use crate::abi::pool::CACHE_LINE_PAIR;

/// On cache lines of its own, because one thread writes it while others use what lies beside it.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct CachePadded<T>(pub T);

const _: () = assert!(align_of::<CachePadded<u8>>() == CACHE_LINE_PAIR);

impl<T> Deref for CachePadded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
