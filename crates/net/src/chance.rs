//! Where a machine's random numbers come from: its owner, who seeds them.

use units::Range;

/// A stream of random numbers.
pub trait Chance {
    /// A uniform number in `[0, 1)`.
    fn unit(&mut self) -> f64;
}

/// The number of a range at a share of its length, from 0 to just below 1: a random share makes
/// all of them equally likely.
#[inline]
pub(crate) fn number_at(range: Range<u32>, share: f64) -> u32 {
    let numbers = f64::from(range.highest - range.lowest) + 1.0;
    range.lowest + ((share * numbers) as u32).min(range.highest - range.lowest)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Chance;

    /// Knuth's 64-bit linear congruential generator (MMIX), good enough for tests.
    #[derive(Clone, Debug)]
    pub(crate) struct MmixRandom(pub u64);

    impl MmixRandom {
        pub(crate) fn below(&mut self, bound: u64) -> u64 {
            (self.unit() * bound as f64) as u64
        }
    }

    impl Chance for MmixRandom {
        fn unit(&mut self) -> f64 {
            self.0 = (self.0)
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Numbers that a test lays down.
    pub(crate) struct Loaded(std::slice::Iter<'static, f64>);

    impl Loaded {
        pub(crate) fn with(numbers: &'static [f64]) -> Self {
            Loaded(numbers.iter())
        }
    }

    impl Chance for Loaded {
        fn unit(&mut self) -> f64 {
            *self.0.next().expect("a number for each draw")
        }
    }
}
