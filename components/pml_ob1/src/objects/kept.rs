//! Messages that have to stay: unexpected ones, those that overtook others, and those of
//! communicators that are not open yet.

use core::ptr::null_mut;
use std::alloc::{Layout, alloc, dealloc};

use cairn_framework::frameworks::btl::BtlModule;
use cairn_framework::frameworks::matching::MatchArrived;

use crate::mode::Mode;
use crate::pool::Pool;

/// A kept message. Its bytes, header and payload as they came, lie behind this struct.
#[repr(C, align(16))]
pub struct Kept {
    /// What the matching engine holds. First, so that its address is the message's.
    pub arrived: MatchArrived,
    /// The device it came in by.
    pub module: *const BtlModule,
    /// Bytes of header and payload.
    pub len: usize,
    /// It counts as one that a peer has pushed and no receive has got.
    pub counted: bool,
    /// Not all of it came before its sender ended.
    pub lost: bool,
    /// The pool it is from, or `CLASSES.len()` for the system's memory.
    class: usize,
}

const _: () = assert!(core::mem::offset_of!(Kept, arrived) == 0);

/// A kept message in a list, which owns it.
pub struct KeptPointer(pub *mut Kept);

// SAFETY: the owner of the list has the message for itself.
unsafe impl Send for KeptPointer {}

/// Bytes, header and payload, that a message of each class has room for. Each node has room for
/// the struct, too.
const CLASSES: [usize; 9] = [64, 320, 1344, 4416, 16_704, 33_088, 65_856, 131_392, 262_464];

impl Kept {
    /// Header and payload.
    pub fn data(this: *mut Self) -> *mut u8 {
        this.wrapping_add(1).cast()
    }
}

/// Makes and frees kept messages.
pub struct UnexpectedPool {
    pools: [Pool; CLASSES.len()],
}

fn layout(len: usize) -> Option<Layout> {
    let whole = size_of::<Kept>().checked_add(len)?;
    Layout::from_size_align(whole, align_of::<Kept>()).ok()
}

impl UnexpectedPool {
    /// Without any memory yet.
    pub fn new() -> Self {
        Self { pools: CLASSES.map(|room| Pool::behind(size_of::<Kept>() + room)) }
    }

    /// Copies a message; null when there is no memory.
    ///
    /// # Safety
    /// `len` bytes are at `data`.
    pub unsafe fn keep<M: Mode>(
        &self,
        module: *const BtlModule,
        data: *const u8,
        len: usize,
    ) -> *mut Kept {
        let class = CLASSES.iter().position(|room| len <= *room).unwrap_or(CLASSES.len());
        let kept: *mut Kept = match self.pools.get(class) {
            Some(pool) => pool.take::<M>().cast(),
            None => layout(len).map_or(null_mut(), |layout| {
                // SAFETY: the size is not zero.
                unsafe { alloc(layout) }.cast()
            }),
        };
        if kept.is_null() {
            return kept;
        }
        let arrived = MatchArrived { source: 0, tag: 0, engine_private: [0; 4] };
        // SAFETY: a node or an allocation with room for both.
        unsafe {
            kept.write(Kept { arrived, module, len, counted: false, lost: false, class });
            cairn_framework::author::copy(data, Kept::data(kept), len);
        }
        kept
    }

    /// Frees a message.
    ///
    /// # Safety
    /// `keep` of this pool made it, and it is not used any more.
    pub unsafe fn free<M: Mode>(&self, kept: *mut Kept) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.pools.get((*kept).class) {
                Some(pool) => pool.give::<M>(kept.cast()),
                None => {
                    let layout = layout((*kept).len).expect("it was a layout when it was made");
                    dealloc(kept.cast(), layout);
                }
            }
        }
    }
}
