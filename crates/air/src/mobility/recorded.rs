//! As a file tells: what ns-2's `setdest` or BonnMotion has written.

use units::declaration::{Field, Measure};
use units::serde::{Deserialize, Serialize};
use units::{Duration, Place, Time};

use super::{Leg, Movement, Path};
use crate::stations::ReceptionRandom;

units::declare! {
    /// As a file tells, of ns-2 (`setdest`) or of BonnMotion; before and after that it stays.
    pub struct Config = "recorded" {
        /// the file
        file: RecordedTrack = Field::of(Quantity::Movements).of_file(),
        /// which of the file's nodes it is, counted from 0
        node: u32 = Field::count("number")
            .within(0.0, 1e6)
            .or(Default::Count(0))
            .from("inferred: a file of one node"),
    }
}

/// When something is where, the earliest first; in between it goes straight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent, crate = "units::serde")]
pub struct RecordedTrack(pub Vec<(Duration, Place)>);

impl Measure for RecordedTrack {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        if self.0.is_empty() {
            return Err(format!("{}: it tells of no place", field.name));
        }
        if !self.0.is_sorted_by(|(one, _), (next, _)| one < next) {
            return Err(format!(
                "{}: a time is not after the one before",
                field.name
            ));
        }
        self.0.iter().try_for_each(|(_, place)| place.check(field))
    }
}

impl Movement for Config {
    /// Where it begins is the file's matter.
    fn path(&self, _start: Place, _end: Time, _random: &mut dyn ReceptionRandom) -> Path {
        let fixes = &self.file.0;
        let Some(&(_, first)) = fixes.first() else {
            return Path::still(Place::default());
        };
        let before = [(Duration::ZERO, first)];
        let all: Vec<_> = before.iter().chain(fixes).collect();
        let legs = all.windows(2).map(|pair| {
            let [(begin, from), (end, to)] = [*pair[0], *pair[1]];
            Leg {
                begin: Time::ZERO + begin,
                end: Time::ZERO + end,
                from,
                to,
            }
        });
        Path::Legs(legs.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::tests::Never;

    #[test]
    fn between_two_fixes_it_goes_straight_and_before_and_after_it_stays() {
        let fix = |seconds, x| (Duration::from_secs(seconds), Place(x, 1.0));
        let file = RecordedTrack(vec![fix(10, 5.0), fix(20, 25.0), fix(30, 25.0)]);
        let config = Config { file, node: 0 };
        let path = config.path(Place::default(), Time::NEVER, &mut Never);
        let x = |seconds| path.place(Time::ZERO + Duration::from_secs(seconds)).0;
        assert_eq!(
            [0, 10, 15, 20, 25, 99].map(x),
            [5.0, 5.0, 15.0, 25.0, 25.0, 25.0]
        );
    }

    #[test]
    fn a_file_goes_forward_in_time() {
        let fix = |seconds| (Duration::from_secs(seconds), Place::default());
        let check = |fixes: &[u64]| {
            RecordedTrack(fixes.iter().copied().map(fix).collect()).check(&Field::count(""))
        };
        assert_eq!(check(&[1, 2]), Ok(()));
        assert!(check(&[2, 2]).is_err() && check(&[]).is_err());
    }
}
