//! Named random streams.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Purpose of a stream's draws. The numbers are part of every record: never reuse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Backoff slots of a station.
    Backoff = 1,
    /// Success of a reception.
    Reception = 2,
    /// Initial sequence numbers of a flow, and what its applications draw.
    Flow = 3,
    /// Contents of a flow, as far as its applications have to know.
    Content = 4,
    /// Chance in a queue.
    Queue = 5,
    /// Chance in a stage of a wire's impairments.
    Impairment = 6,
    /// Fading of a link between two radios.
    Fading = 7,
    /// Start of a flow.
    Start = 8,
    /// Where a radio goes to.
    Movement = 9,
    /// First advertisement of an agent of Mobile IP.
    Advertisement = 10,
    /// Times and channels at which an emitter radiates.
    Emission = 11,
    /// Delay of a flow's start.
    StartJitter = 12,
    /// Where in its period a source of constant interval begins.
    Phase = 13,
    /// Delay of what an application does by the clock.
    WakeJitter = 14,
}

/// A stream of random numbers: Xoshiro256++ (Blackman and Vigna 2019), seeded by name.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream that `entity` uses for `purpose` in the replication with `seed`.
    ///
    /// The three are mixed by SplitMix64 steps, whose output is well spread even
    /// for neighbouring inputs.
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Self {
        let name = split_mix(split_mix(seed) ^ split_mix(entity ^ ((purpose as u64) << 48)));
        Stream(Xoshiro256PlusPlus::seed_from_u64(name))
    }

    /// A uniform integer in `0..=max`.
    ///
    /// Lemire's multiply-and-shift over 32 bits: the bias for the small ranges
    /// drawn here (contention windows up to 1023) is below 2⁻²².
    #[inline]
    pub fn up_to(&mut self, max: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * (u64::from(max) + 1)) >> 32) as u32
    }

    /// A uniform real in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood 2014).
fn split_mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_stream_never_change() {
        let mut stream = Stream::new(1, 0, Purpose::Backoff);
        let drawn: Vec<u32> = (0..8).map(|_| stream.up_to(31)).collect();
        assert_eq!(drawn, GOLDEN);
    }

    const GOLDEN: [u32; 8] = [18, 18, 27, 29, 22, 31, 0, 23];

    #[test]
    fn neighbouring_names_give_unrelated_streams() {
        let mut one = Stream::new(7, 3, Purpose::Backoff);
        let mut other = Stream::new(7, 4, Purpose::Backoff);
        let equal = (0..3200)
            .filter(|_| one.up_to(31) == other.up_to(31))
            .count();
        assert!(
            (60..=140).contains(&equal),
            "1 in 32 of 3200 expected, got {equal}"
        );
    }

    #[test]
    fn a_window_of_32_slots_is_drawn_evenly() {
        let mut stream = Stream::new(1, 1, Purpose::Backoff);
        let mut seen = [0u32; 32];
        for _ in 0..320_000 {
            seen[stream.up_to(31) as usize] += 1;
        }
        let chi2: f64 = seen
            .iter()
            .map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4)
            .sum();
        assert!(
            chi2 < 61.1,
            "99.9 % quantile of chi-squared with 31 degrees of freedom"
        );
    }
}
