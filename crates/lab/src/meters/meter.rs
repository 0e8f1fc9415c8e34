//! Values, of which the mean and the largest are told.

use units::Duration;

/// Values of which the mean and the largest matter: durations in nanoseconds, or sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// How many.
    pub count: u64,
    /// All of them together.
    pub sum: u64,
    /// The largest since the last restart.
    pub most: u64,
}

impl Meter {
    /// Enters a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += value;
        self.most = self.most.max(value);
    }

    /// Enters a duration.
    #[inline]
    pub fn add_duration(&mut self, duration: Duration) {
        self.add(duration.as_nanos());
    }

    /// Returns what came since `earlier`; the largest is still that since the last restart.
    pub fn since(&self, earlier: &Meter) -> Meter {
        Meter {
            count: self.count - earlier.count,
            sum: self.sum - earlier.sum,
            most: self.most,
        }
    }

    /// The mean; none without any value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The largest; none without any value.
    pub fn largest(&self) -> Option<f64> {
        (self.count > 0).then_some(self.most as f64)
    }

    /// The mean of durations in milliseconds.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| milliseconds(self.sum) / self.count as f64)
    }

    /// The longest of durations in milliseconds.
    pub fn longest_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| milliseconds(self.most))
    }
}

fn milliseconds(nanos: u64) -> f64 {
    Duration::from_nanos(nanos).as_secs_f64() * 1e3
}
