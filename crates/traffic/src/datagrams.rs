//! Datagrams at a constant rate, or as many as the interface takes.

use units::{Duration, Rate, Time};

/// A source of equal datagrams.
#[derive(Clone, Debug)]
pub struct DatagramSource {
    payload: u32,
    /// Time between datagrams; `None` for a source that is never out of datagrams.
    interval: Option<Duration>,
    next_at: Time,
}

impl DatagramSource {
    /// Datagrams of `payload` bytes at `rate` payload bit/s from `start` on, or,
    /// without a rate, whenever the host's interface has room.
    pub fn new(payload: u32, rate: Option<Rate>, start: Time) -> Self {
        let interval = rate.map(|rate| rate.duration_of(u64::from(payload)));
        DatagramSource {
            payload,
            interval,
            next_at: start,
        }
    }

    /// Payload bytes of each datagram.
    pub fn payload(&self) -> u32 {
        self.payload
    }

    /// Whether the source sends whenever there is room.
    #[inline]
    pub fn is_saturating(&self) -> bool {
        self.interval.is_none()
    }

    /// When the next datagram is due.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Notes that the datagram due at [`Self::next_at`] was sent.
    pub fn on_sent(&mut self) {
        if let Some(interval) = self.interval {
            self.next_at += interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_bytes_at_8_mbps_leave_every_millisecond() {
        let mut source = DatagramSource::new(1000, Some(Rate::from_mbps(8.0)), Time::ZERO);
        source.on_sent();
        source.on_sent();
        assert_eq!(source.next_at(), Time::ZERO + Duration::from_millis(2));
        assert!(!source.is_saturating());
    }
}
