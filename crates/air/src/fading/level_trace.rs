//! Levels as a file tells: what a card's log, or an attenuator's, has of a link over time.

use std::fmt::Debug;
use std::sync::Arc;

use units::declaration::{Field, Measure};
use units::serde::{Deserialize, Deserializer, Serialize, Serializer};
use units::{Db, Dbm, Duration, Time};

use crate::stations::ReceptionRandom;
use crate::varying::Process;

units::declare! {
    /// As a file tells, of which each reading holds until the next.
    pub struct Config = "level-trace" {
        /// the file
        file: LevelTraces = Field::of(Quantity::Levels).of_file(),
        /// level in the file that stands for the link's own loss; a file of losses has none
        reference: Option<Dbm> = Field::of(Quantity::Power).optional().from("a file of losses"),
        /// how long a reading may hold
        longest_gap: Option<Duration> = Field::duration().positive().optional()
            .from(
                "ten times the median time between readings; inferred: a log that skips nine in a \
                 row was interrupted",
            ),
    }
}

/// A reading: its time in the run, and how much more than by the link's own loss there is then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct LevelReading(pub Duration, pub Db);

/// Readings by their name in a plan, which holds each file once, and the readings themselves as
/// soon as they are known.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTraces {
    name: String,
    readings: Arc<[LevelReading]>,
}

impl LevelTraces {
    /// Those of a name, the earliest first.
    pub fn new(name: &str, readings: Arc<[LevelReading]>) -> LevelTraces {
        let name = name.to_owned();
        LevelTraces { name, readings }
    }

    /// Returns what the plan calls them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the readings, which all links of the same file share.
    pub fn fill(&mut self, readings: &Arc<[LevelReading]>) {
        self.readings = Arc::clone(readings);
    }
}

impl Serialize for LevelTraces {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(to)
    }
}

impl<'de> Deserialize<'de> for LevelTraces {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<LevelTraces, D::Error> {
        let name = String::deserialize(from)?;
        let readings = Arc::new([]);
        Ok(LevelTraces { name, readings })
    }
}

impl Measure for LevelTraces {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        if self.readings.is_empty() {
            return Err(format!("{}: there are no readings", field.name));
        }
        if !self.readings.is_sorted_by(|one, next| one.0 < next.0) {
            return Err(format!(
                "{}: a time is not after the one before",
                field.name
            ));
        }
        match self.readings.iter().all(|reading| reading.1.0.is_finite()) {
            true => Ok(()),
            false => Err(format!(
                "{}: every level must be a finite number",
                field.name
            )),
        }
    }
}

/// A link whose level a file tells.
#[derive(Clone, Debug)]
pub struct LevelTrace {
    readings: Arc<[LevelReading]>,
    /// The reading behind the one that holds.
    next: usize,
    gain: f64,
}

impl LevelTrace {
    /// A link as the file has it; it draws nothing.
    pub fn new(config: &Config, _random: impl ReceptionRandom) -> LevelTrace {
        let readings = Arc::clone(&config.file.readings);
        let gain = readings.first().map_or(1.0, gain);
        LevelTrace {
            readings,
            next: 1,
            gain,
        }
    }
}

impl Process for LevelTrace {
    fn gain(&mut self, at: Time) -> f64 {
        while let Some(reading) = self.readings.get(self.next)
            && Time::ZERO + reading.0 <= at
        {
            self.gain = gain(reading);
            self.next += 1;
        }
        self.gain
    }

    fn holds_until(&self) -> Time {
        let next = self.readings.get(self.next);
        next.map_or(Time::NEVER, |reading| Time::ZERO + reading.0)
    }
}

fn gain(reading: &LevelReading) -> f64 {
    libm::pow(10.0, reading.1.0 / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::{TrialRandom, decibels, sampled};

    fn trace(readings: &[(u64, f64)]) -> Config {
        let read = |&(millis, level)| LevelReading(Duration::from_millis(millis), Db(level));
        let file = LevelTraces::new("walk", readings.iter().map(read).collect());
        Config {
            file,
            reference: None,
            longest_gap: None,
        }
    }

    #[test]
    fn a_reading_holds_until_the_next_and_the_last_for_good() {
        let mut link =
            LevelTrace::new(&trace(&[(0, 0.0), (250, -6.0), (500, 3.0)]), TrialRandom(1));
        let gains = sampled(&mut link, Duration::from_millis(125), 6);
        let levels: Vec<_> = gains.iter().map(|&gain| decibels(gain).round()).collect();
        assert_eq!(levels, [0.0, 0.0, -6.0, -6.0, 3.0, 3.0]);
        assert_eq!(link.holds_until(), Time::NEVER);
    }

    #[test]
    fn nobody_has_to_ask_before_the_next_reading() {
        let mut link =
            LevelTrace::new(&trace(&[(0, 0.0), (250, -6.0), (500, 3.0)]), TrialRandom(1));
        for (asked, until) in [(0, 250), (249, 250), (250, 500)] {
            link.gain(Time::ZERO + Duration::from_millis(asked));
            assert_eq!(
                link.holds_until(),
                Time::ZERO + Duration::from_millis(until)
            );
        }
    }

    #[test]
    fn a_file_goes_forward_in_time() {
        let refused = |readings: &[(u64, f64)]| trace(readings).check().is_err();
        assert!(!refused(&[(0, 0.0), (1, -3.0)]));
        assert!(refused(&[]) && refused(&[(1, 0.0), (1, -3.0)]) && refused(&[(0, f64::NAN)]));
    }
}
