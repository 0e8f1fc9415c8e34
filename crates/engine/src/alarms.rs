//! Alarms: one wake-up per machine, moved far more often than it rings.

use units::Time;

/// One alarm per machine.
///
/// A station's countdown is frozen and resumed, a timeout set and lifted, once
/// or more per frame. In a heap each of these would leave a dead entry behind;
/// here it is a store. The earliest alarm is remembered and only searched for
/// again, by a scan over a dense array, when it was moved back.
#[derive(Debug)]
pub struct Alarms {
    at: Vec<Time>,
    earliest: usize,
    stale: bool,
}

impl Alarms {
    /// `machines` alarms, none of them set.
    pub fn new(machines: usize) -> Self {
        Alarms {
            at: vec![Time::NEVER; machines.max(1)],
            earliest: 0,
            stale: false,
        }
    }

    /// Sets the alarm of `machine`; [`Time::NEVER`] lifts it.
    #[inline]
    pub fn set(&mut self, machine: usize, at: Time) {
        let before = std::mem::replace(&mut self.at[machine], at);
        if at == before || self.stale {
            return;
        }
        let earliest_at = if machine == self.earliest {
            before
        } else {
            self.at[self.earliest]
        };
        if (at, machine) <= (earliest_at, self.earliest) {
            self.earliest = machine;
        } else if machine == self.earliest {
            self.stale = true;
        }
    }

    /// The next alarm: its time and its machine, the lowest machine first among equals.
    #[inline]
    pub fn next(&mut self) -> (Time, usize) {
        if self.stale {
            self.search();
        }
        (self.at[self.earliest], self.earliest)
    }

    fn search(&mut self) {
        let mut earliest = 0;
        for (machine, &at) in self.at.iter().enumerate() {
            if at < self.at[earliest] {
                earliest = machine;
            }
        }
        self.earliest = earliest;
        self.stale = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn a_moved_alarm_rings_at_its_new_time_only() {
        let mut alarms = Alarms::new(3);
        alarms.set(0, at(10));
        alarms.set(1, at(20));
        alarms.set(0, at(30));
        assert_eq!(alarms.next(), (at(20), 1));
        alarms.set(1, Time::NEVER);
        assert_eq!(alarms.next(), (at(30), 0));
    }

    #[test]
    fn of_equal_alarms_the_lowest_machine_rings_first() {
        let mut alarms = Alarms::new(3);
        alarms.set(2, at(5));
        alarms.set(1, at(5));
        assert_eq!(alarms.next(), (at(5), 1));
        alarms.set(1, at(6));
        assert_eq!(alarms.next(), (at(5), 2));
    }

    #[test]
    fn any_history_of_moves_agrees_with_a_plain_search() {
        let mut alarms = Alarms::new(7);
        let mut plain = [Time::NEVER; 7];
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let machine = (state >> 33) as usize % 7;
            let time = if state >> 62 == 0 {
                Time::NEVER
            } else {
                at((state >> 40) % 50)
            };
            alarms.set(machine, time);
            plain[machine] = time;
            let expected = (0..7)
                .min_by_key(|&m| (plain[m], m))
                .expect("seven machines");
            assert_eq!(alarms.next(), (plain[expected], expected));
        }
    }
}
