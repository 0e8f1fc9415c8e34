//! Two levels, between which the power of a link changes at random times.

use units::{Db, Duration, Range, Time};

use crate::stations::ReceptionRandom;

/// How long a level lasts.
#[derive(Clone, Copy, Debug)]
pub enum Sojourn {
    /// As long as any other time between two.
    Uniform(Range<Duration>),
    /// However long it has lasted, so long on average.
    Exponential(Duration),
}

impl Sojourn {
    fn mean(self) -> f64 {
        match self {
            Sojourn::Uniform(range) => {
                0.5 * (range.lowest.as_nanos() as f64 + range.highest.as_nanos() as f64)
            }
            Sojourn::Exponential(mean) => mean.as_nanos() as f64,
        }
    }

    fn draw(self, random: &mut impl ReceptionRandom) -> Duration {
        let unit = random.unit();
        let nanos = match self {
            Sojourn::Uniform(Range { lowest, highest }) => {
                let lowest = lowest.as_nanos() as f64;
                lowest + unit * (highest.as_nanos() as f64 - lowest)
            }
            Sojourn::Exponential(mean) => -libm::log(1.0 - unit) * mean.as_nanos() as f64,
        };
        Duration::from_nanos(nanos as u64)
    }

    /// Returns what is left of one in whose midst somebody looks: of a longer one that is likelier
    /// in proportion (W. Feller, An Introduction to Probability Theory and Its Applications II,
    /// 1971, §XI.4).
    fn draw_rest(self, random: &mut impl ReceptionRandom) -> Duration {
        let Sojourn::Uniform(Range { lowest, highest }) = self else {
            return self.draw(random);
        };
        let [lowest, highest] = [lowest, highest].map(|end| end.as_nanos() as f64);
        let squared = lowest * lowest + random.unit() * (highest * highest - lowest * lowest);
        Duration::from_nanos((random.unit() * libm::sqrt(squared)) as u64)
    }
}

/// How a link's level changes.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// The lower level below the higher.
    pub depth: Db,
    /// How long the lower one lasts, and the higher.
    pub lower: Sojourn,
    pub higher: Sojourn,
    /// How long a change takes: the level is half way at its middle, which is where one sojourn
    /// ends and the next begins, and takes no longer than either of them.
    pub transition: Duration,
}

/// A link of two levels.
#[derive(Clone, Debug)]
pub struct TwoLevels<L> {
    levels: Levels,
    gain_when_lower: f64,
    random: L,
    is_lower: bool,
    /// The change before now, and the two that follow.
    changes: [Time; 3],
    /// How far the first two reach to either side.
    reaches: [Duration; 2],
    /// Until when the level asked for last stays.
    holds_until: Time,
}

impl<L: ReceptionRandom> TwoLevels<L> {
    /// A link that has been as it is for ever.
    pub fn new(levels: Levels, mut random: L) -> TwoLevels<L> {
        let [lower, higher] = [levels.lower.mean(), levels.higher.mean()];
        let is_lower = random.unit() * (lower + higher) < lower;
        let mut link = TwoLevels {
            levels,
            gain_when_lower: gain(levels.depth.0),
            random,
            is_lower,
            changes: [Time::ZERO; 3],
            reaches: [Duration::ZERO; 2],
            holds_until: Time::ZERO,
        };
        link.changes[1] = Time::ZERO + link.sojourn(is_lower).draw_rest(&mut link.random);
        link.changes[2] = link.changes[1] + link.sojourn(!is_lower).draw(&mut link.random);
        link.reaches[1] = link.reach();
        link
    }

    fn sojourn(&self, is_lower: bool) -> Sojourn {
        match is_lower {
            true => self.levels.lower,
            false => self.levels.higher,
        }
    }

    /// Returns how far the change that comes next reaches to either side.
    fn reach(&self) -> Duration {
        let [before, at, after] = self.changes;
        self.levels.transition.min(at - before).min(after - at) / 2
    }

    fn turn(&mut self) {
        self.is_lower = !self.is_lower;
        let last = self.changes[2];
        let next = last + self.sojourn(!self.is_lower).draw(&mut self.random);
        self.changes = [self.changes[1], last, next];
        self.reaches = [self.reaches[1], self.reach()];
    }

    /// Until when the gain given last stays as it is.
    pub fn holds_until(&self) -> Time {
        self.holds_until
    }

    /// The power at a time over that of the higher level.
    pub fn gain(&mut self, at: Time) -> f64 {
        while at >= self.changes[1] {
            self.turn();
        }
        let since = at - self.changes[0];
        let left = self.changes[1] - at;
        // How much of a change is behind or still to come.
        let elsewhere = if since < self.reaches[0] {
            0.5 * (1.0 - share(since, self.reaches[0]))
        } else if left < self.reaches[1] {
            0.5 * (1.0 - share(left, self.reaches[1]))
        } else {
            0.0
        };
        self.holds_until = match elsewhere {
            0.0 => self.changes[1] - self.reaches[1],
            _ => Time::ZERO,
        };
        match (self.is_lower, elsewhere) {
            (false, 0.0) => 1.0,
            (true, 0.0) => self.gain_when_lower,
            (false, part) => gain(part * self.levels.depth.0),
            (true, part) => gain((1.0 - part) * self.levels.depth.0),
        }
    }
}

fn share(of: Duration, whole: Duration) -> f64 {
    of.as_nanos() as f64 / whole.as_nanos() as f64
}

/// Returns what so many decibels leave of a power.
fn gain(decibels: f64) -> f64 {
    libm::pow(10.0, -decibels / 10.0)
}
