//! Data that can be recognised.
//!
//! Every byte of a message follows from a seed, which says who sent it, to whom, and the how
//! manieth it is. A message that came from elsewhere, in the wrong order, or in part is noticed.

/// What receive buffers hold before anything arrives. [`fill`] never writes a buffer full of it.
pub const POISON: u8 = 0xa5;

/// Writes the data of a message.
pub fn fill(buffer: &mut [u8], seed: u64) {
    let mut state = start(seed);
    let mut words = buffer.chunks_exact_mut(8);
    for word in &mut words {
        word.copy_from_slice(&step(&mut state).to_le_bytes());
    }
    let last = step(&mut state).to_le_bytes();
    let rest = words.into_remainder();
    let length = rest.len();
    rest.copy_from_slice(&last[..length]);
}

/// Whether these are the data of that message.
#[must_use]
pub fn check(buffer: &[u8], seed: u64) -> bool {
    let mut state = start(seed);
    let words = buffer.chunks_exact(8);
    let rest = words.remainder();
    for word in words {
        if *word != step(&mut state).to_le_bytes() {
            return false;
        }
    }
    *rest == step(&mut state).to_le_bytes()[..rest.len()]
}

fn start(seed: u64) -> u64 {
    // Neighbouring seeds differ in every byte of the first word.
    seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// One step of a linear congruential generator, with the better upper bits in every byte.
fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state ^ (*state >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_recognised_whatever_their_length() {
        for length in [0, 1, 7, 8, 9, 64, 1001] {
            let mut buffer = vec![POISON; length];
            fill(&mut buffer, 3);
            assert!(check(&buffer, 3));
            for wrong in 0..length {
                buffer[wrong] ^= 1;
                assert!(!check(&buffer, 3), "byte {wrong} of {length}");
                buffer[wrong] ^= 1;
            }
        }
    }

    #[test]
    fn neighbouring_messages_differ_even_when_short() {
        let first_bytes: Vec<[u8; 4]> = (0..1000)
            .map(|seed| {
                let mut buffer = [0; 4];
                fill(&mut buffer, seed);
                buffer
            })
            .collect();
        for (seed, bytes) in first_bytes.iter().enumerate() {
            assert!(!first_bytes[..seed].contains(bytes));
            assert!(!check(&[POISON; 4], seed as u64));
        }
    }
}
