//! Randomness for jitter: nothing that secrets depend on.

use std::hash::{BuildHasher, RandomState};

/// `SplitMix64`: enough for spreading waits, and the same for the same seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        // The standard library's hasher is seeded by the operating system, anew for each of them.
        Self(seed.unwrap_or_else(|| RandomState::new().hash_one(0_u8)))
    }

    /// The next number in `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // 53 bits are what a double holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let unit = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_in_range() {
        let (mut one, mut other) = (Random::new(Some(42)), Random::new(Some(42)));
        let numbers: Vec<f64> = (0..1000).map(|_| one.unit()).collect();
        assert!(numbers.iter().all(|unit| (0.0..1.0).contains(unit)));
        assert_eq!(numbers, (0..1000).map(|_| other.unit()).collect::<Vec<_>>());
        assert!(numbers.iter().any(|unit| *unit < 0.1) && numbers.iter().any(|unit| *unit > 0.9));
        assert_ne!(Random::new(None).unit().to_bits(), Random::new(None).unit().to_bits());
    }
}
