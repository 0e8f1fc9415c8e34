//! A vector signal generator: a train of bursts, all alike.

use phy::Spectrum;
use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};
use units::{Duration, Time};

use super::Radiation;
use crate::stations::ReceptionRandom;

units::declare! {
    /// A vector signal generator that sends frames at a constant rate, heedless of others.
    pub struct Config = "signal-generator" {
        /// bursts a second; 0: none
        rate: f64 = Field::of(Quantity::Number).in_unit("Hz").within(0.0, 30_000.0),
        /// from the beginning of a burst to its end; in the last 6 µs of a frame of OFDM, its signal
        /// extension, nothing radiates
        burst: Duration = Field::duration()
            .within(30_000.0, 20_000_000.0)
            .or(Default::Text("30 us"))
            .from("the shortest frame of ERP-OFDM: preamble 16 µs, SIGNAL 4 µs, a symbol 4 µs, \
                signal extension 6 µs (IEEE 802.11-2007 §17.3.2.3, §19.3.2.3)"),
        /// what a burst is: a frame of OFDM, mere energy to a station of 802.11b, or of CCK, whose
        /// preamble it detects and defers to, in a burst of at least 192 µs
        frame: BurstFrame = Field::of(Quantity::Choice(BurstFrame::WORDS))
            .or(Default::Text("ofdm"))
            .from("goel2006 §4.3.9"),
        /// centre of its spectrum; absent: that of every channel that receives it
        frequency: Option<u16> = Field::count("MHz").within(2400.0, 6000.0).optional(),
        /// time of the first burst
        phase: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: where in a period stations begin is chance all the same"),
    }
}

/// What a burst is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum BurstFrame {
    /// A frame of ERP-OFDM.
    Ofdm,
    /// A frame of CCK.
    Cck,
}

impl BurstFrame {
    /// The word for each, in plans and in scenarios.
    pub const WORDS: &[&str] = &["ofdm", "cck"];
}

impl Measure for BurstFrame {
    fn measure(&self) -> Option<f64> {
        None
    }
}

/// The signal extension of a frame of ERP-OFDM (IEEE 802.11-2007 §19.3.2.3).
const SIGNAL_EXTENSION: Duration = Duration::from_micros(6);

/// A generator that runs.
#[derive(Clone, Copy, Debug)]
pub struct SignalGenerator {
    rate: f64,
    phase: Time,
    energy: Duration,
    frame: BurstFrame,
    frequency_mhz: Option<u16>,
}

impl SignalGenerator {
    /// One that begins with the run.
    pub fn new(config: &Config, _random: &mut impl ReceptionRandom) -> SignalGenerator {
        let extension = match config.frame {
            BurstFrame::Ofdm => SIGNAL_EXTENSION,
            BurstFrame::Cck => Duration::ZERO,
        };
        SignalGenerator {
            rate: config.rate,
            phase: Time::ZERO + config.phase,
            energy: config.burst - extension,
            frame: config.frame,
            frequency_mhz: config.frequency,
        }
    }

    /// A burst by its number. Where bursts are longer than their distance, one ends as the next
    /// begins.
    fn burst(&self, number: u64) -> [Time; 2] {
        let begin = |number: u64| {
            let nanos = number as f64 * 1e9 / self.rate;
            self.phase + Duration::from_nanos(nanos as u64)
        };
        let end = (begin(number) + self.energy).min(begin(number + 1));
        [begin(number), end]
    }
}

impl Radiation for SignalGenerator {
    fn burst_after(&self, at: Time) -> Option<[Time; 2]> {
        if self.rate == 0.0 {
            return None;
        }
        // The number of the last burst that begins by then, or one beside it.
        let passed = at.saturating_since(self.phase).as_nanos() as f64;
        let about = (passed * self.rate / 1e9) as u64;
        let candidates = about.saturating_sub(1)..;
        candidates
            .map(|number| self.burst(number))
            .find(|&[_, end]| end > at)
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(match self.frame {
            BurstFrame::Ofdm => Spectrum::Ofdm,
            BurstFrame::Cck => Spectrum::Dsss,
        })
    }

    fn frequency_mhz(&self) -> Option<u16> {
        self.frequency_mhz
    }

    fn has_preamble(&self) -> bool {
        self.frame == BurstFrame::Cck
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::TrialRandom;

    fn generator(rate: f64, burst_us: u64, frame: BurstFrame) -> SignalGenerator {
        let config = Config {
            rate,
            burst: Duration::from_micros(burst_us),
            frame,
            frequency: None,
            phase: Duration::from_micros(100),
        };
        SignalGenerator::new(&config, &mut TrialRandom(1))
    }

    /// The bursts of the first so many milliseconds.
    fn within(generator: &SignalGenerator, millis: u64) -> Vec<[Time; 2]> {
        let until = Time::ZERO + Duration::from_millis(millis);
        let next = |burst: &[Time; 2]| generator.burst_after(burst[1]);
        std::iter::successors(generator.burst_after(Time::ZERO), next)
            .take_while(|[begin, _]| *begin < until)
            .collect()
    }

    #[test]
    fn of_1908_bursts_a_second_each_radiates_for_24_of_its_30_us() {
        let bursts = within(&generator(1908.0, 30, BurstFrame::Ofdm), 1000);
        assert_eq!(bursts.len(), 1908);
        assert_eq!(bursts[0][0], Time::ZERO + Duration::from_micros(100));
        assert!(
            bursts
                .iter()
                .all(|[begin, end]| *end - *begin == Duration::from_micros(24))
        );
        let period = (bursts[1][0] - bursts[0][0]).as_nanos();
        assert_eq!(period, 524_109);
    }

    #[test]
    fn a_burst_is_found_from_any_time_in_it_and_before() {
        let generator = generator(1908.0, 30, BurstFrame::Ofdm);
        for [begin, end] in within(&generator, 100) {
            let nanosecond = Duration::from_nanos(1);
            for at in [begin, end - nanosecond] {
                assert_eq!(generator.burst_after(at), Some([begin, end]));
            }
            assert!(
                generator
                    .burst_after(end)
                    .is_some_and(|[next, _]| next > end)
            );
        }
    }

    #[test]
    fn bursts_longer_than_their_distance_are_one_without_end() {
        let bursts = within(&generator(5000.0, 500, BurstFrame::Cck), 10);
        assert!(bursts.windows(2).all(|pair| pair[0][1] == pair[1][0]));
    }

    #[test]
    fn a_rate_of_zero_is_silence() {
        assert_eq!(
            generator(0.0, 30, BurstFrame::Ofdm).burst_after(Time::ZERO),
            None
        );
    }
}
