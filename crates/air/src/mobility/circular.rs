//! Round in a circle.

use units::{Duration, Place, Time};

use super::{Circle, Movement, Path};
use crate::stations::ReceptionRandom;

units::declare! {
    /// Round in a circle at a constant speed, from the place where it is.
    pub struct Config = "circular" {
        /// the middle, whose distance from where it begins is the radius
        centre: Place = Field::of(Quantity::Place),
        /// how fast it goes along the circle
        speed: f64 = Field::speed(),
        /// the way round
        clockwise: bool = Field::of(Quantity::Flag)
            .or(Default::Flag(false))
            .from("inferred: as angles are counted"),
        /// time of the run at which it leaves
        start: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: it moves from the beginning"),
    }
}

impl Movement for Config {
    fn path(&self, start: Place, _end: Time, _random: &mut dyn ReceptionRandom) -> Path {
        let radius_m = self.centre.distance(start);
        if radius_m == 0.0 {
            return Path::still(start);
        }
        let turn = self.speed / radius_m;
        Path::Circle(Circle {
            centre: self.centre,
            radius_m,
            angle: libm::atan2(start.1 - self.centre.1, start.0 - self.centre.0),
            turn: if self.clockwise { -turn } else { turn },
            begin: Time::ZERO + self.start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::path::seconds;
    use crate::mobility::tests::Never;

    /// Once round a circle of 10 m takes 2π 10 s at 1 m/s, a quarter of it a quarter of that.
    #[test]
    fn a_quarter_of_the_way_round_is_a_quarter_of_the_circle() {
        let config = |clockwise| Config {
            centre: Place(5.0, 5.0),
            speed: 1.0,
            clockwise,
            start: Duration::from_secs(2),
        };
        let quarter = core::f64::consts::TAU * 10.0 / 4.0;
        for (clockwise, y) in [(false, 15.0), (true, -5.0)] {
            let path = config(clockwise).path(Place(15.0, 5.0), Time::NEVER, &mut Never);
            for (time, place) in [(0.0, Place(15.0, 5.0)), (2.0 + quarter, Place(5.0, y))] {
                let found = path.place(Time::ZERO + seconds(time));
                assert!(found.distance(place) < 1e-6, "{found:?}");
            }
        }
    }
}
