//! Waves from all around a radio that moves: the sum of sinusoids of C. Xiao, Y. R. Zheng and
//! N. C. Beaulieu, "Novel Sum-of-Sinusoids Simulation Models for Rayleigh and Rician Fading
//! Channels", IEEE Transactions on Wireless Communications 5(12), 2006, whose
//! autocorrelation is that of W. C. Jakes, Microwave Mobile Communications, 1974: J₀(ω_d τ).
//!
//! Each wave turns at its own rate. Phases are kept in fractions of a turn as integers, so that
//! they are exact however late it is, and wrap by themselves.

use std::f64::consts::{PI, TAU};
use std::sync::OnceLock;

use units::Time;

use crate::stations::ReceptionRandom;

/// How many waves. The authors find 8 to be enough of one sum; of the mean of four, as Nakagami's
/// fading has it, 32 bring a level with 2 % below it to within 5 % of its share, 16 do not.
const WAVES: usize = 32;

/// What each wave adds: all have the same power, and together that of the fixed loss.
const AMPLITUDE: f64 = 1.0 / (4.0 * std::f64::consts::SQRT_2);

/// A wave that turns.
#[derive(Clone, Copy, Debug)]
pub struct Wave {
    /// Its phase at the beginning, and what is added in a nanosecond, both in turns of 2⁶⁴.
    start: u64,
    per_nano: u64,
}

impl Wave {
    /// A wave from a direction, an angle from where the radio moves to, with a phase by chance.
    pub fn new(doppler_hz: f64, angle: f64, random: &mut impl ReceptionRandom) -> Wave {
        const TURN: f64 = 18_446_744_073_709_551_616.0;
        let turns_per_nano = doppler_hz * 1e-9 * libm::cos(angle);
        Wave {
            start: (random.unit() * TURN) as u64,
            per_nano: libm::round(turns_per_nano * TURN) as i64 as u64,
        }
    }

    /// Cosine and sine of its phase.
    #[inline(always)]
    pub fn at(&self, time: Time, cosines: &Cosines) -> [f64; 2] {
        let phase = (self.per_nano.wrapping_mul(time.as_nanos())).wrapping_add(self.start);
        cosines.of(phase)
    }
}

/// Waves from all around.
#[derive(Clone, Debug)]
pub struct Paths {
    waves: [Wave; WAVES],
}

impl Paths {
    /// Waves whose directions and phases chance has chosen; `doppler_hz` is what the radio's speed
    /// shifts one from straight ahead by.
    pub fn new(doppler_hz: f64, random: &mut impl ReceptionRandom) -> Paths {
        let waves = std::array::from_fn(|number| {
            let within = PI * (2.0 * random.unit() - 1.0);
            let angle = (TAU * (number + 1) as f64 + within) / WAVES as f64;
            Wave::new(doppler_hz, angle, random)
        });
        Paths { waves }
    }

    /// Both components of their sum, whose squares add up to 1 on average.
    #[inline]
    pub fn at(&self, time: Time, cosines: &Cosines) -> [f64; 2] {
        let [mut re, mut im] = [0.0; 2];
        for wave in &self.waves {
            let [cosine, sine] = wave.at(time, cosines);
            re += cosine;
            im += sine;
        }
        [AMPLITUDE * re, AMPLITUDE * im]
    }
}

/// The cosine at 4096 phases of a turn, the nearest of which is within 0.0008 of any.
#[derive(Debug)]
pub struct Cosines([f64; Cosines::STEPS]);

impl Cosines {
    const BITS: u32 = 12;
    const STEPS: usize = 1 << Cosines::BITS;

    /// The table, computed when it is first asked for.
    pub fn table() -> &'static Cosines {
        static TABLE: OnceLock<Cosines> = OnceLock::new();
        TABLE.get_or_init(|| {
            let middle = |step: usize| (step as f64 + 0.5) / Cosines::STEPS as f64;
            Cosines(std::array::from_fn(|step| libm::cos(TAU * middle(step))))
        })
    }

    /// Cosine and sine of a phase in turns of 2⁶⁴.
    #[inline(always)]
    fn of(&self, phase: u64) -> [f64; 2] {
        let step = (phase >> (u64::BITS - Cosines::BITS)) as usize;
        let before = step.wrapping_sub(Cosines::STEPS / 4) % Cosines::STEPS;
        [self.0[step % Cosines::STEPS], self.0[before]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, autocorrelation};

    /// Xiao, Zheng and Beaulieu 2006, and Jakes 1974: J₀(ω_d τ).
    #[test]
    fn the_autocorrelation_of_a_component_is_a_bessel_function() {
        let doppler = 10.0;
        let component = |seed: u64| {
            let paths = Paths::new(doppler, &mut TrialRandom(1000 * seed));
            let at = |milli: u64| paths.at(Time::from_nanos(milli * 1_000_000), Cosines::table());
            (0..20_000).map(|milli| at(milli)[0]).collect::<Vec<_>>()
        };
        let links: Vec<_> = (1..=200).map(component).collect();
        for lag_ms in [5, 10, 20, 30, 60, 100] {
            let expected = libm::j0(TAU * doppler * 1e-3 * lag_ms as f64);
            let found = autocorrelation(&links, lag_ms);
            assert!(
                (found - expected).abs() < 0.02,
                "{found} at {lag_ms} ms, not {expected}"
            );
        }
    }
}
