//! From place to place at a constant speed.

use units::{Duration, Place, Time};

use super::{Leg, Movement, Path};
use crate::stations::ReceptionRandom;

units::declare! {
    /// From one place to the next in straight lines, at a constant speed; at the last it stays.
    pub struct Config = "waypoints" {
        /// the places, in order
        points: Vec<Place> = Field::of(Quantity::Places),
        /// how fast it goes
        speed: f64 = Field::speed(),
        /// time of the run at which it leaves
        start: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: it moves from the beginning"),
        /// how long it stays at each place on the way
        pause: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: it does not stop"),
    }
}

impl Movement for Config {
    fn path(&self, start: Place, _end: Time, _random: &mut dyn ReceptionRandom) -> Path {
        let mut legs: Vec<Leg> = Vec::with_capacity(self.points.len());
        let (mut at, mut here) = (Time::ZERO + self.start, start);
        for &point in &self.points {
            let leg = Leg::at_speed(at, here, point, self.speed);
            legs.push(leg);
            at = leg.end + self.pause;
            here = point;
        }
        Path::Legs(legs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::tests::Never;

    fn at(seconds: f64) -> Time {
        Time::ZERO + crate::mobility::path::seconds(seconds)
    }

    /// Janevski and Petrov 2009, Table IV: n3 leaves at 55 s and has 168.5 m to go, for which it
    /// needs 24.07 s at 7 m/s.
    #[test]
    fn a_walker_goes_at_its_speed_and_stays_at_its_end() {
        let config = Config {
            points: vec![Place(170.01, 220.1)],
            speed: 7.0,
            start: Duration::from_secs(55),
            pause: Duration::ZERO,
        };
        let start = Place(338.13, 231.0);
        let path = config.path(start, at(110.0), &mut Never);
        assert_eq!(path.place(at(0.0)), start);
        assert_eq!(path.place(at(55.0)), start);
        let gone = start.distance(path.place(at(65.0)));
        assert!((gone - 70.0).abs() < 1e-6, "{gone}");
        let arrives = 55.0 + start.distance(Place(170.01, 220.1)) / 7.0;
        assert!((arrives - 79.07).abs() < 0.01);
        assert!(path.place(at(arrives - 0.01)).0 > 170.02);
        assert_eq!(path.place(at(arrives + 0.001)), Place(170.01, 220.1));
        assert_eq!(path.place(at(110.0)), Place(170.01, 220.1));
    }

    #[test]
    fn it_pauses_at_each_place() {
        let config = Config {
            points: vec![Place(10.0, 0.0), Place(10.0, 5.0)],
            speed: 1.0,
            start: Duration::ZERO,
            pause: Duration::from_secs(3),
        };
        let path = config.path(Place(0.0, 0.0), at(100.0), &mut Never);
        let places = [5.0, 10.0, 13.0, 15.0, 18.0, 50.0].map(|time| path.place(at(time)));
        let expected = [
            (5.0, 0.0),
            (10.0, 0.0),
            (10.0, 0.0),
            (10.0, 2.0),
            (10.0, 5.0),
            (10.0, 5.0),
        ];
        assert_eq!(places, expected.map(|(x, y)| Place(x, y)));
    }
}
