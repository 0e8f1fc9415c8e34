//! A microwave oven: a magnetron that the mains turn on and off.
//!
//! A. Kamerman and N. Erkoçevic, "Microwave oven interference on wireless LANs operating in the
//! 2.4 GHz ISM band", PIMRC 1997: a domestic oven radiates a line of a rather stable frequency near
//! 2.45 GHz, once in a cycle of the mains; one for restaurants has two magnetrons and radiates twice
//! in a cycle, sweeping over tens of megahertz. In the model of T. M. Taher, M. J. Misurac, J. L.
//! LoCicero and D. R. Ucci, "Microwave oven signal modelling", WCNC 2008, the mains modulate the
//! line's amplitude too; here, inferred, a burst has one power from its beginning to its end.

use std::sync::Arc;

use units::{Duration, Time};

use super::bursts::Bursts;
use super::{ListeningBand, Radiation};
use crate::stations::ReceptionRandom;

units::declare! {
    /// A microwave oven: a line that is on for half of each cycle of the mains, and may sweep.
    pub struct Config = "microwave-oven" {
        /// frequency of the mains
        mains: f64 = Field::of(Quantity::Number)
            .in_unit("Hz")
            .within(50.0, 60.0)
            .or(Default::Number(60.0))
            .from("IEC 60038 has 50 and 60 Hz; the ovens of Taher et al. 2008 had 60"),
        /// bursts in a cycle of the mains, one of each magnetron
        magnetrons: u16 = Field::count("magnetrons")
            .within(1.0, 2.0)
            .or(Default::Count(1))
            .from("domestic (Kamerman and Erkoçevic 1997); 2: for restaurants"),
        /// how long a burst lasts; absent: half a cycle, for which the rectifier lets a magnetron go
        burst: Option<Duration> = Field::duration().positive().optional(),
        /// its frequency in the middle of a burst
        frequency: u16 = Field::count("MHz")
            .within(2300.0, 2600.0)
            .or(Default::Count(2450))
            .from("Kamerman and Erkoçevic 1997: near 2.45 GHz"),
        /// how far its frequency rises in a burst, at a constant pace
        sweep: u16 = Field::count("MHz")
            .within(0.0, 200.0)
            .or(Default::Count(0))
            .from("Kamerman and Erkoçevic 1997: a domestic one is rather stable, one for restaurants \
                sweeps over tens of MHz; the pace is inferred"),
    }
}

/// An oven that is on, or what of it lies in a band.
#[derive(Clone, Copy, Debug)]
pub struct MicrowaveOven {
    /// Bursts a second.
    rate: f64,
    /// How long before the run the first of them was due.
    ahead: Duration,
    /// How much later than that a burst begins, and how long it is on.
    delay: Duration,
    burst: Duration,
    /// Its frequency at the beginning and at the end of a burst, in megahertz.
    line_mhz: [f64; 2],
}

impl MicrowaveOven {
    /// An oven that is on from the beginning; where the mains are then is chance.
    pub fn new(config: &Config, random: &mut impl ReceptionRandom) -> MicrowaveOven {
        let cycle_ns = 1e9 / config.mains;
        let half = f64::from(config.sweep) / 2.0;
        let middle = f64::from(config.frequency);
        MicrowaveOven {
            rate: config.mains * f64::from(config.magnetrons),
            ahead: Duration::from_nanos((random.unit() * cycle_ns) as u64),
            delay: Duration::ZERO,
            burst: (config.burst).unwrap_or(Duration::from_nanos((cycle_ns / 2.0) as u64)),
            line_mhz: [middle - half, middle + half],
        }
    }

    /// A burst by its number. Where bursts are longer than their distance, one ends as the next
    /// begins.
    fn burst(&self, number: u64) -> [Time; 2] {
        let since_first = |number: u64| {
            let nanos = number as f64 * 1e9 / self.rate;
            Duration::from_nanos(nanos as u64) + self.delay
        };
        let begin = since_first(number);
        let end = (begin + self.burst).min(since_first(number + 1));
        [begin, end].map(|at| Time::ZERO + at.saturating_sub(self.ahead))
    }

    /// The part of a burst that its line is in a band, from when until when of 1.
    fn part_in(&self, band: ListeningBand) -> Option<[f64; 2]> {
        let [from, to] = self.line_mhz;
        let [low, high] = band.edges_mhz();
        if from == to {
            return (low..high).contains(&from).then_some([0.0, 1.0]);
        }
        let part = [low, high].map(|edge| ((edge - from) / (to - from)).clamp(0.0, 1.0));
        (part[0] < part[1]).then_some(part)
    }
}

impl Radiation for MicrowaveOven {
    fn burst_after(&self, at: Time) -> Option<[Time; 2]> {
        let since_first = (at - Time::ZERO + self.ahead).as_nanos() as f64;
        let about = (since_first * self.rate / 1e9) as u64;
        let candidates = about.saturating_sub(1)..;
        candidates
            .map(|number| self.burst(number))
            .find(|&[_, end]| end > at)
    }

    fn in_band(&self, band: ListeningBand) -> Option<Arc<dyn Radiation>> {
        let Some([from, until]) = self.part_in(band) else {
            return Some(Arc::new(Bursts(Vec::new())));
        };
        let of_burst = |part: f64| (part * self.burst.as_nanos() as f64) as u64;
        let [low, high] = self.line_mhz;
        let at = |part: f64| low + part * (high - low);
        Some(Arc::new(MicrowaveOven {
            delay: self.delay + Duration::from_nanos(of_burst(from)),
            burst: Duration::from_nanos(of_burst(until) - of_burst(from)),
            line_mhz: [at(from), at(until)],
            ..*self
        }))
    }

    fn spectrum_name(&self) -> Option<&'static str> {
        Some(match self.line_mhz[0] == self.line_mhz[1] {
            true => "a line",
            false => "a line that sweeps",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::TrialRandom;

    fn oven(magnetrons: u16, sweep: u16, burst: Option<Duration>) -> MicrowaveOven {
        let config = Config {
            mains: 50.0,
            magnetrons,
            burst,
            frequency: 2450,
            sweep,
        };
        MicrowaveOven::new(&config, &mut TrialRandom(5))
    }

    /// The part of ten seconds in which it radiates.
    fn duty_cycle(radiation: &dyn Radiation) -> f64 {
        let end = Time::ZERO + Duration::from_millis(10_000);
        let next = |burst: &[Time; 2]| radiation.burst_after(burst[1]);
        let bursts = std::iter::successors(radiation.burst_after(Time::ZERO), next);
        let lengths = bursts
            .take_while(|[_, until]| *until < end)
            .map(|[at, until]| until - at);
        lengths.map(|length| length.as_nanos() as f64).sum::<f64>() / 10e9
    }

    fn in_channel(oven: &MicrowaveOven, centre_mhz: u16) -> f64 {
        let band = ListeningBand {
            centre_mhz,
            bandwidth_hz: 22_000_000,
        };
        duty_cycle(&*oven.in_band(band).expect("it is narrow"))
    }

    /// At 50 Hz 10 of every 20 ms, of each magnetron.
    #[test]
    fn a_domestic_oven_is_on_for_half_of_each_cycle() {
        let oven_on = oven(1, 0, None);
        let after = |at| oven_on.burst_after(at).expect("it is on");
        let first = after(after(Time::ZERO)[1]);
        assert_eq!(first[1] - first[0], Duration::from_millis(10));
        assert_eq!(after(first[1])[0] - first[0], Duration::from_millis(20));
        assert!((duty_cycle(&oven(1, 0, None)) - 0.5).abs() < 0.002);
        let short = Some(Duration::from_millis(5));
        assert!((duty_cycle(&oven(1, 0, short)) - 0.25).abs() < 0.002);
        assert!((duty_cycle(&oven(2, 0, short)) - 0.5).abs() < 0.002);
    }

    /// Channel 9 is at 2452 MHz, channel 6 at 2437; 2450 lies beyond its 11 MHz.
    #[test]
    fn a_line_that_stays_is_in_a_channel_or_not() {
        let oven = oven(1, 0, None);
        assert!((in_channel(&oven, 2452) - 0.5).abs() < 0.002);
        assert_eq!(in_channel(&oven, 2437), 0.0);
    }

    /// From 2430 to 2470 MHz in 10 ms: channel 6 has the first 18 of 40, channel 9 the middle 22,
    /// channel 13 the last 9, channel 1 none.
    #[test]
    fn a_line_that_sweeps_is_in_a_channel_for_its_part_of_the_sweep() {
        let oven = oven(1, 40, None);
        for (centre, megahertz) in [(2437, 18.0), (2452, 22.0), (2472, 9.0), (2412, 0.0)] {
            let expected = 0.5 * megahertz / 40.0;
            assert!(
                (in_channel(&oven, centre) - expected).abs() < 0.002,
                "{centre}"
            );
        }
    }

    #[test]
    fn its_parts_come_one_after_the_other() {
        let oven = oven(1, 40, None);
        let late = Time::ZERO + Duration::from_millis(100);
        let whole = oven.burst_after(late).expect("it is on");
        let next = oven.burst_after(whole[1]).expect("and again");
        let first = |centre_mhz| {
            let band = ListeningBand {
                centre_mhz,
                bandwidth_hz: 22_000_000,
            };
            let part = oven.in_band(band).expect("it is narrow");
            part.burst_after(whole[1]).map(|[begin, _]| begin - next[0])
        };
        let begins = [2437, 2452, 2472].map(first);
        let microseconds = [0, 2_750, 7_750].map(|at| Some(Duration::from_micros(at)));
        assert_eq!(
            begins, microseconds,
            "2430, 2441 and 2461 MHz, of 40 in 10 ms"
        );
    }
}
