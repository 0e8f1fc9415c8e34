//! Where a machine's random numbers come from: its owner, who seeds them.

use units::Range;

/// A stream of random numbers.
pub trait Chance {
    /// A uniform number in `[0, 1)`.
    fn unit(&mut self) -> f64;

    /// A whole number of a range, all equally likely.
    #[inline]
    fn within(&mut self, range: Range<u32>) -> u32 {
        let numbers = f64::from(range.highest - range.lowest) + 1.0;
        range.lowest + (self.unit() * numbers) as u32
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Chance;

    /// Knuth's 64-bit linear congruential generator (MMIX), good enough for tests.
    #[derive(Clone, Debug)]
    pub(crate) struct Dice(pub u64);

    impl Dice {
        pub(crate) fn below(&mut self, bound: u64) -> u64 {
            (self.unit() * bound as f64) as u64
        }
    }

    impl Chance for Dice {
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
