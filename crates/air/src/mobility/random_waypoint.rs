//! Random waypoint: D. B. Johnson and D. A. Maltz, "Dynamic Source Routing in Ad Hoc Wireless
//! Networks", in Mobile Computing, Kluwer 1996, §5.1; what ns-2's `setdest` and BonnMotion draw.

use units::{Duration, Place, Time};

use super::{Leg, Movement, Path};
use crate::stations::ReceptionRandom;

units::declare! {
    /// To a place drawn evenly from an area, at a speed drawn evenly, and so on after a pause.
    pub struct Config = "random-waypoint" {
        /// the corner of the area that is opposite to the origin
        area: Place = Field::of(Quantity::Place),
        /// how fast it goes, at most
        speed: f64 = Field::speed().above("speed_min"),
        /// how fast it goes, at least; absent: always at the same speed
        speed_min: Option<f64> = Field::speed().optional(),
        /// how long it stays at each place
        pause: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: it does not stop"),
    }
}

/// No leg takes less, however near the next place is drawn, so that their number has an end.
const SHORTEST: Duration = Duration::from_millis(1);

impl Movement for Config {
    fn path(&self, start: Place, end: Time, random: &mut dyn ReceptionRandom) -> Path {
        let slowest = self.speed_min.unwrap_or(self.speed);
        let mut legs = Vec::new();
        let (mut at, mut here) = (Time::ZERO, start);
        while at <= end {
            let there = Place(random.unit() * self.area.0, random.unit() * self.area.1);
            let speed = slowest + random.unit() * (self.speed - slowest);
            let leg = Leg::at_speed(at, here, there, speed);
            legs.push(leg);
            at = leg.end.max(at + SHORTEST) + self.pause;
            here = there;
        }
        Path::Legs(legs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::path::seconds;
    use crate::mobility::tests::CountedRandom;

    /// Two places drawn evenly from a square of side a are 0.5214 a apart on average (B. Ghosh,
    /// Bulletin of the Calcutta Mathematical Society 43, 1951).
    #[test]
    fn legs_are_as_long_as_between_random_places_and_as_fast_as_drawn() {
        let config = Config {
            area: Place(100.0, 100.0),
            speed: 3.0,
            speed_min: Some(1.0),
            pause: Duration::from_secs(2),
        };
        let end = Time::ZERO + Duration::from_secs(1_000_000);
        let Path::Legs(legs) = config.path(Place(50.0, 50.0), end, &mut CountedRandom(7)) else {
            panic!("straight lines");
        };
        let lengths: Vec<f64> = legs.iter().map(|leg| leg.from.distance(leg.to)).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!(
            (mean / 52.14 - 1.0).abs() < 0.01,
            "{mean} over {} legs",
            legs.len()
        );
        for (leg, length) in legs.iter().zip(lengths).filter(|(_, length)| *length > 1.0) {
            let speed = length / ((leg.end - leg.begin).as_nanos() as f64 / 1e9);
            assert!((1.0 - 1e-6..3.0 + 1e-6).contains(&speed), "{speed}");
        }
        for pair in legs.windows(2) {
            assert_eq!(pair[1].from, pair[0].to);
            assert!(pair[1].begin - pair[0].end >= Duration::from_secs(2));
        }
    }

    #[test]
    fn where_it_is_depends_on_seed_and_time_alone() {
        let config = Config {
            area: Place(100.0, 100.0),
            speed: 1.0,
            speed_min: None,
            pause: Duration::ZERO,
        };
        let path = |seed| {
            let end = Time::ZERO + Duration::from_secs(1000);
            config.path(Place(0.0, 0.0), end, &mut CountedRandom(seed))
        };
        let at = |path: &Path, time| path.place(Time::ZERO + seconds(time));
        let one = path(1);
        let (later, sooner) = (at(&one, 700.0), at(&one, 300.0));
        assert_eq!((at(&path(1), 300.0), at(&path(1), 700.0)), (sooner, later));
        assert!(at(&path(2), 700.0) != later);
    }
}
