//! Fades of some seconds, as behind obstacles among which people move. Several make a channel of
//! more levels: what they cost adds up.

use units::{Db, Duration, Range, Time};

use super::levels::{Levels, Sojourn, TwoLevels};
use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// The level changes between two, each for a time between a shortest and a longest.
    pub struct Config = "fades" {
        /// how far the level falls in a fade
        depth: Db = Field::of(Quantity::Ratio),
        /// how long fades last, from the middle of one transition to that of the next
        faded: Range<Duration> = Field::duration().positive().range(),
        /// how long it is clear between them
        clear: Range<Duration> = Field::duration().positive().range(),
        /// how long the level takes from one to the other, evenly in decibels; no longer than
        /// either lasts
        transition: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: what cannot be seen at a sample every 0.1 s"),
    }
}

/// A link with fades.
#[derive(Clone, Debug)]
pub struct Fades<L>(TwoLevels<L>);

impl<L: ReceptionRandom> Fades<L> {
    /// A link that has had fades for ever.
    pub fn new(config: &Config, random: L) -> Fades<L> {
        let levels = Levels {
            depth: config.depth,
            lower: Sojourn::Uniform(config.faded),
            higher: Sojourn::Uniform(config.clear),
            transition: config.transition,
        };
        Fades(TwoLevels::new(levels, random))
    }
}

impl<L: ReceptionRandom + std::fmt::Debug + Send> Process for Fades<L> {
    fn gain(&mut self, at: Time) -> f64 {
        self.0.gain(at)
    }

    fn holds_until(&self) -> Time {
        self.0.holds_until()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, runs_below, sampled};

    const HOUR: u64 = 3600;

    fn fades(transition_ms: u64) -> Config {
        let millis = |ends: [u64; 2]| ends.map(Duration::from_millis).into();
        Config {
            depth: Db(6.0),
            faded: millis([1000, 4000]),
            clear: millis([2000, 6000]),
            transition: Duration::from_millis(transition_ms),
        }
    }

    /// Fades of 1 to 4 s have a mean of 2.5 s and a deviation of 3 / √12 s; of the time a share of
    /// 2.5 / (2.5 + 4) lies in them.
    #[test]
    fn fades_last_as_long_and_come_as_often_as_they_are_said_to() {
        let mut link = Fades::new(&fades(300), TrialRandom(7));
        let step = Duration::from_millis(10);
        let gains = sampled(&mut link, step, 40 * HOUR * 100);
        let levels: Vec<f64> = gains.iter().map(|&gain| decibels(gain)).collect();
        let lasted: Vec<f64> = runs_below(&levels, -3.0)
            .map(|samples| samples as f64 * 0.01)
            .collect();
        let count = lasted.len() as f64;
        let mean = lasted.iter().sum::<f64>() / count;
        let within = 3.0 * 3.0 / 12.0_f64.sqrt() / count.sqrt();
        assert!((mean - 2.5).abs() < within, "{mean} of {count}");
        let [shortest, longest] = [
            lasted.iter().copied().fold(9.0, f64::min),
            lasted.iter().copied().fold(0.0, f64::max),
        ];
        assert!(shortest > 0.98 && longest < 4.02, "{shortest} {longest}");
        let in_fades = lasted.iter().sum::<f64>() / (levels.len() as f64 * 0.01);
        assert!((in_fades / (2.5 / 6.5) - 1.0).abs() < 0.02, "{in_fades}");
    }

    /// A transition of 300 ms over 6 dB: 0.2 dB in 10 ms, and neither level is left otherwise.
    #[test]
    fn a_transition_takes_its_time_and_the_levels_are_what_they_are_said_to_be() {
        let mut link = Fades::new(&fades(300), TrialRandom(7));
        let gains = sampled(&mut link, Duration::from_millis(10), HOUR * 100);
        let levels: Vec<f64> = gains.iter().map(|&gain| decibels(gain)).collect();
        let steepest = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let steepest = steepest.fold(0.0, f64::max);
        assert!((steepest - 0.2).abs() < 1e-6, "{steepest}");
        let on_the_way = levels
            .iter()
            .filter(|&&level| level > -6.0 + 1e-9 && level < -1e-9);
        let share = on_the_way.count() as f64 / levels.len() as f64;
        assert!((share / (2.0 * 0.3 / 6.5) - 1.0).abs() < 0.1, "{share}");
    }

    #[test]
    fn who_asks_more_often_changes_nothing() {
        let mut often = Fades::new(&fades(300), TrialRandom(3));
        let mut seldom = Fades::new(&fades(300), TrialRandom(3));
        let every = sampled(&mut often, Duration::from_millis(10), 100_000);
        let some = sampled(&mut seldom, Duration::from_millis(1000), 1000);
        assert!(every.iter().step_by(100).eq(&some));
    }
}
