//! The endpoint's timers, by name, and the earliest of them.

use units::Time;

/// The timers a connection has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// RFC 6298: the oldest outstanding segment is overdue.
    Retransmission,
    /// RFC 9293 §3.8.6.1: the peer's window has been closed for long.
    Persist,
    /// RFC 9293 §3.8.6.3: an acknowledgement has been held back long enough.
    DelayedAck,
    /// RFC 9293 §3.6: 2 MSL of TIME-WAIT are over; or FIN-WAIT-2 has lasted long enough.
    TimeWait,
    /// RFC 9293 §3.8.4: the peer has been silent for long.
    KeepAlive,
    /// The next segment may leave at the rate that congestion control paces at.
    Departure,
}

impl Timer {
    const COUNT: usize = 6;
    const ALL: [Timer; Timer::COUNT] = [
        Timer::Retransmission,
        Timer::Persist,
        Timer::DelayedAck,
        Timer::TimeWait,
        Timer::KeepAlive,
        Timer::Departure,
    ];
}

/// Deadlines by timer; `Time::NEVER` is a timer at rest.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    deadlines: [Time; Timer::COUNT],
    earliest: Time,
}

impl Timers {
    pub fn new() -> Timers {
        Timers {
            deadlines: [Time::NEVER; Timer::COUNT],
            earliest: Time::NEVER,
        }
    }

    /// Returns when the first timer expires.
    #[inline]
    pub fn earliest(&self) -> Time {
        self.earliest
    }

    #[inline]
    pub fn is_armed(&self, timer: Timer) -> bool {
        self.deadlines[timer as usize] != Time::NEVER
    }

    /// Returns when `timer` expires; `Time::NEVER` if it rests.
    #[inline]
    pub fn deadline(&self, timer: Timer) -> Time {
        self.deadlines[timer as usize]
    }

    #[inline]
    pub fn arm(&mut self, timer: Timer, deadline: Time) {
        self.deadlines[timer as usize] = deadline;
        let [a, b, c, d, e, f] = self.deadlines;
        self.earliest = a.min(b).min(c.min(d)).min(e.min(f));
    }

    #[inline]
    pub fn cancel(&mut self, timer: Timer) {
        if self.is_armed(timer) {
            self.arm(timer, Time::NEVER);
        }
    }

    pub fn cancel_all(&mut self) {
        *self = Timers::new();
    }

    /// Takes one timer that has expired by `now`.
    pub fn take_expired(&mut self, now: Time) -> Option<Timer> {
        if self.earliest > now {
            return None;
        }
        let timer = Timer::ALL
            .into_iter()
            .find(|&t| self.deadlines[t as usize] <= now)?;
        self.cancel(timer);
        Some(timer)
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;

    #[test]
    fn the_earliest_deadline_is_the_wake_up() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut timers = Timers::new();
        assert_eq!(timers.earliest(), Time::NEVER);
        timers.arm(Timer::Retransmission, at(300));
        timers.arm(Timer::DelayedAck, at(200));
        assert_eq!(timers.earliest(), at(200));
        assert_eq!(timers.take_expired(at(199)), None);
        assert_eq!(timers.take_expired(at(200)), Some(Timer::DelayedAck));
        assert_eq!(timers.earliest(), at(300));
        timers.cancel(Timer::Retransmission);
        assert_eq!(timers.earliest(), Time::NEVER);
    }
}
