//! Common part of delays by chance: a time drawn, and whether packets keep their order.

use units::{Duration, Time};

use super::StageVerdict;

/// Holds packets, each for its own time.
///
/// Where it keeps their order, none leaves before the one that came before it. That is what a
/// queue does, the usual reason for delays that vary, and the default: whoever wants packets out
/// of order says so. `netem` takes the other way unless it has a rate: there, jitter reorders.
#[derive(Clone, Copy, Debug)]
pub struct HoldingOrder {
    is_kept: bool,
    last: Time,
}

impl HoldingOrder {
    /// One that has held no packet.
    pub fn new(is_kept: bool) -> HoldingOrder {
        let last = Time::ZERO;
        HoldingOrder { is_kept, last }
    }

    /// Holds a packet that came now for so many nanoseconds, or until the last has left.
    #[inline]
    pub fn hold(&mut self, now: Time, nanos: f64) -> StageVerdict {
        // To the nearest; what is negative becomes zero, what is endless nearly that.
        let nanos = ((nanos + 0.5) as i64).max(0) as u64;
        let at = now + Duration::from_nanos(nanos);
        if !self.is_kept {
            return StageVerdict::Hold(at);
        }
        self.last = self.last.max(at);
        StageVerdict::Hold(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_order_is_kept_none_leaves_before_the_one_before_it() {
        let times = |is_kept| {
            let mut order = HoldingOrder::new(is_kept);
            let came = [(0, 9.0), (1, 2.0), (4, 9.0)];
            came.map(|(now, nanos)| order.hold(Time::from_nanos(now), nanos))
        };
        let until = |nanos| StageVerdict::Hold(Time::from_nanos(nanos));
        assert_eq!(times(true), [9, 9, 13].map(until));
        assert_eq!(times(false), [9, 3, 13].map(until));
    }

    #[test]
    fn a_time_below_zero_is_none_and_one_without_end_lasts_for_centuries() {
        let mut order = HoldingOrder::new(false);
        assert_eq!(order.hold(Time::ZERO, -3.0), StageVerdict::Hold(Time::ZERO));
        let longest = Time::from_nanos(i64::MAX as u64);
        assert_eq!(order.hold(Time::ZERO, 1e30), StageVerdict::Hold(longest));
    }
}
