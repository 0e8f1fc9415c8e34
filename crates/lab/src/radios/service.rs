//! How long packets wait for a MAC and how long it has to do with them, where that is kept.

use std::collections::VecDeque;

use units::Time;
use units::histogram::{Distribution, Histogram};

/// Times of the packets of a MAC, which it serves in the order in which they come.
#[derive(Clone, Debug, Default)]
pub struct ServiceLog {
    /// When those came that it has not done with.
    came: VecDeque<Time>,
    /// When it had done with the last one.
    free_since: Time,
    waits: Histogram,
    services: Histogram,
}

/// How long packets waited, and how long it had to do with each.
#[derive(Clone, Debug, Default)]
pub struct ServiceTimes {
    /// From coming to being the next to be sent.
    pub waits: Distribution,
    /// From there to the acknowledgment or to being given up.
    pub services: Distribution,
}

impl ServiceLog {
    /// A packet comes.
    #[inline]
    pub fn on_entry(&mut self, now: Time) {
        self.came.push_back(now);
    }

    /// A packet comes that so many go before, and not all.
    pub fn on_entry_behind(&mut self, now: Time, places: usize) {
        self.came.insert(places, now);
    }

    /// The packet that so many were before has left without having been served.
    pub fn on_flush(&mut self, place: usize) {
        self.came.remove(place);
    }

    /// The MAC has done with the one that came first.
    #[inline]
    pub fn on_done(&mut self, now: Time) {
        let Some(came) = self.came.pop_front() else {
            return;
        };
        let began = came.max(self.free_since);
        self.waits.add(began - came);
        self.services.add(now - began);
        self.free_since = now;
    }

    /// Returns what has been counted so far.
    pub fn times(&self) -> ServiceTimes {
        ServiceTimes {
            waits: self.waits.distribution(),
            services: self.services.distribution(),
        }
    }
}

impl ServiceTimes {
    /// Returns what came since `earlier`.
    pub fn since(&self, earlier: &ServiceTimes) -> ServiceTimes {
        ServiceTimes {
            waits: self.waits.since(&earlier.waits),
            services: self.services.since(&earlier.services),
        }
    }
}

#[cfg(test)]
mod tests {
    use units::histogram::RELATIVE_ERROR;

    use super::*;

    #[test]
    fn a_packet_is_served_from_when_it_is_the_next() {
        let at = Time::from_nanos;
        let mut service = ServiceLog::default();
        service.on_entry(at(1_000));
        service.on_entry(at(2_000));
        service.on_done(at(5_000));
        service.on_done(at(6_000));
        let times = service.times();
        let longest = |of: &Distribution| of.quantile_s(1.0).expect("there are two") * 1e9;
        let is_near = |told: f64, exact: f64| (told - exact).abs() <= RELATIVE_ERROR * exact;
        assert!(is_near(longest(&times.waits), 3_000.0), "from 2 to 5 µs");
        assert!(is_near(longest(&times.services), 4_000.0), "from 1 to 5 µs");
    }
}
