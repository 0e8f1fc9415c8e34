//! A way through the plane, as a function of time.

use core::f64::consts::TAU;

use units::{Duration, Place, Time};

/// Where something is at each time.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// Straight lines, one after the other, with a place before the first and after the last.
    Legs(Vec<Leg>),
    /// A circle.
    Circle(Circle),
}

/// A straight line at a constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// When it begins.
    pub begin: Time,
    /// When it ends.
    pub end: Time,
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
}

/// Round and round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Its centre.
    pub centre: Place,
    /// Its radius in metres.
    pub radius_m: f64,
    /// The angle at which it begins, in radians from the x axis.
    pub angle: f64,
    /// Radians per second, anticlockwise above zero.
    pub turn: f64,
    /// When it begins to turn.
    pub begin: Time,
}

impl Leg {
    /// From one place to another, at a speed in m/s.
    pub fn at_speed(begin: Time, from: Place, to: Place, speed: f64) -> Leg {
        let end = begin + seconds(from.distance(to) / speed);
        Leg {
            begin,
            end,
            from,
            to,
        }
    }

    /// Metres per second. A leg that takes no time is no longer than its speed's rounding.
    fn speed(&self) -> f64 {
        let lasts = (self.end - self.begin).max(Duration::from_nanos(1));
        self.from.distance(self.to) / as_seconds(lasts)
    }

    fn place(&self, at: Time) -> Place {
        let whole = (self.end - self.begin).as_nanos();
        if whole == 0 {
            return self.to;
        }
        let part = at.saturating_since(self.begin).as_nanos() as f64 / whole as f64;
        self.from.towards(self.to, part.min(1.0))
    }
}

impl Path {
    /// Nowhere else than here.
    pub fn still(place: Place) -> Path {
        let leg = Leg {
            begin: Time::ZERO,
            end: Time::ZERO,
            from: place,
            to: place,
        };
        Path::Legs(vec![leg])
    }

    /// Where it is at a time.
    pub fn place(&self, at: Time) -> Place {
        match self {
            Path::Legs(legs) => {
                let next = legs.partition_point(|leg| leg.begin <= at);
                match next.checked_sub(1).and_then(|before| legs.get(before)) {
                    Some(leg) => leg.place(at),
                    None => legs.first().map_or(Place::default(), |leg| leg.from),
                }
            }
            Path::Circle(circle) => {
                let turned = circle.turn * as_seconds(at.saturating_since(circle.begin));
                let angle = (circle.angle + turned) % TAU;
                Place(
                    circle.centre.0 + circle.radius_m * libm::cos(angle),
                    circle.centre.1 + circle.radius_m * libm::sin(angle),
                )
            }
        }
    }

    /// Returns how fast it goes at most, in m/s; faster than anything if it jumps from one leg to
    /// the next.
    pub fn fastest(&self) -> f64 {
        match self {
            Path::Legs(legs) => {
                let jumps = legs.windows(2).any(|pair| pair[0].to != pair[1].from);
                let least = if jumps { f64::INFINITY } else { 0.0 };
                legs.iter().map(Leg::speed).fold(least, f64::max)
            }
            Path::Circle(circle) => (circle.radius_m * circle.turn).abs(),
        }
    }

    /// Returns whether it stays where it is.
    pub fn is_still(&self) -> bool {
        match self {
            Path::Legs(legs) => {
                legs.windows(2).all(|pair| pair[0].to == pair[1].from)
                    && legs.iter().all(|leg| leg.from == leg.to)
            }
            Path::Circle(circle) => circle.turn == 0.0,
        }
    }
}

/// A time of so many seconds; one that is too long is as long as can be.
pub fn seconds(of: f64) -> Duration {
    Duration::from_nanos(libm::round(of * 1e9) as u64)
}

fn as_seconds(of: Duration) -> f64 {
    of.as_nanos() as f64 / 1e9
}
