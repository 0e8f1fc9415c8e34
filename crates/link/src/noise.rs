//! White noise, and the bits that are sent through it.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random bits and of normal deviates.
#[derive(Debug)]
pub struct Noise {
    random: Xoshiro256PlusPlus,
    spare: Option<f32>,
}

impl Noise {
    /// The stream of one run of one point: neighbouring names give unrelated streams, as their
    /// hash is what seeds.
    pub fn new(seed: u64, name: &str) -> Noise {
        let hash = name
            .bytes()
            .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                // FNV-1a (Fowler, Noll and Vo); the generator spreads it by SplitMix64.
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Noise {
            random: Xoshiro256PlusPlus::seed_from_u64(hash),
            spare: None,
        }
    }

    /// Fills `bits` with zeros and ones.
    pub fn draw_bits(&mut self, bits: &mut [u8]) {
        for chunk in bits.chunks_mut(64) {
            let drawn = self.random.next_u64();
            for (at, bit) in chunk.iter_mut().enumerate() {
                *bit = (drawn >> at & 1) as u8;
            }
        }
    }

    /// A deviate of mean 0 and variance 1, by Marsaglia's polar method.
    #[inline]
    pub fn normal(&mut self) -> f32 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let [x, y] = [self.within_one(), self.within_one()];
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                let scale = libm::sqrt(-2.0 * libm::log(square) / square);
                self.spare = Some((y * scale) as f32);
                return (x * scale) as f32;
            }
        }
    }

    /// A uniform number between −1 and 1.
    #[inline]
    fn within_one(&mut self) -> f64 {
        (self.random.next_u64() as i64 >> 11) as f64 / (1u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviates_have_the_moments_of_the_normal_distribution() {
        let mut noise = Noise::new(1, "moments");
        const COUNT: usize = 400_000;
        let mut moments = [0.0; 4];
        for _ in 0..COUNT {
            let deviate = f64::from(noise.normal());
            for (power, moment) in moments.iter_mut().enumerate() {
                *moment += deviate.powi(power as i32 + 1) / COUNT as f64;
            }
        }
        // Five standard errors of each.
        let errors =
            [1.0, 2.0, 15.0, 96.0].map(|variance: f64| 5.0 * (variance / COUNT as f64).sqrt());
        for ((found, expected), error) in moments.iter().zip([0.0, 1.0, 0.0, 3.0]).zip(errors) {
            assert!((found - expected).abs() < error, "{found} for {expected}");
        }
    }

    #[test]
    fn bits_are_ones_half_of_the_time_and_other_names_give_others() {
        let draw = |name| {
            let mut bits = vec![0; 10_000];
            Noise::new(1, name).draw_bits(&mut bits);
            bits
        };
        let (one, other) = (draw("one"), draw("other"));
        let ones = one.iter().filter(|&&bit| bit == 1).count();
        assert!((4_800..5_200).contains(&ones), "{ones}");
        let equal = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!((4_800..5_200).contains(&equal), "{equal}");
        assert_eq!(one, draw("one"));
    }
}
