//! Receives and messages, as far as engines see them.

use cairn_framework::frameworks::matching::{MATCH_ANY_TAG, MatchArrived, MatchPosted};

/// A receive or a message.
pub trait Entry {
    /// The words that are the engine's own.
    fn words(&mut self) -> &mut [usize; 4];
    /// Its source and tag.
    fn key(&self) -> Key;
}

impl Entry for MatchPosted {
    #[inline]
    fn words(&mut self) -> &mut [usize; 4] {
        &mut self.engine_private
    }
    #[inline]
    fn key(&self) -> Key {
        Key::new(self.source, self.tag)
    }
}

impl Entry for MatchArrived {
    #[inline]
    fn words(&mut self) -> &mut [usize; 4] {
        &mut self.engine_private
    }
    #[inline]
    fn key(&self) -> Key {
        Key::new(self.source, self.tag)
    }
}

/// Source and tag in one word, wildcards as the numbers they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The key of a source and a tag.
    #[inline]
    pub fn new(source: i32, tag: i32) -> Self {
        Self(u64::from(source as u32) << 32 | u64::from(tag as u32))
    }

    /// A number in whose every bit each bit of the key may show: the two halves of a product,
    /// one over the other. Neighbouring tags come far apart, and so do multiples of large powers of two.
    #[inline]
    pub fn hash(self) -> usize {
        let product = u128::from(self.0) * 0x9e37_79b9_7f4a_7c15;
        (product as u64 ^ (product >> 64) as u64) as usize
    }
}

/// Whether a receive with this tag takes a message with that one.
#[inline]
pub fn tag_fits(wanted: i32, tag: i32) -> bool {
    (wanted == tag && tag != MATCH_ANY_TAG) || (wanted == MATCH_ANY_TAG && tag >= 0)
}
