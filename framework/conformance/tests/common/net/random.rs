//! Chance that repeats.

use std::cell::Cell;

/// Numbers by chance; the same ones with the same seed.
pub struct Random(Cell<u64>);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// The next one (xorshift64*, Vigna 2016).
    fn next(&self) -> u64 {
        let mut x = self.0.get();
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0.set(x);
        x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// One below a number that is not 0.
    pub fn below(&self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn chance(&self, percent: i64) -> bool {
        percent > 0 && (self.below(100) as i64) < percent
    }
}
