//! One direction of a wire: drop-tail queue, serialiser, delay.

use std::collections::VecDeque;

use units::{Duration, Rate, Time};

/// One direction of a full-duplex point-to-point link.
///
/// The owner calls [`Link::send`] and, when that answers with an arrival to
/// schedule, [`Link::arrive`] at that time. One arrival is outstanding at a
/// time, so a packet costs one event.
#[derive(Debug)]
pub struct Link {
    rate: Rate,
    delay: Duration,
    capacity: usize,
    /// Arrival times and handles of packets not yet handed out.
    in_flight: VecDeque<(Time, u32)>,
    /// How many of them, counted from the first, have left the sender.
    departed: usize,
    free_at: Time,
    /// Bit-nanoseconds owed from earlier roundings, so that a long train of
    /// packets takes exactly its bits over the rate.
    owed: u64,
}

/// The queue is full; the packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A packet at the far end, and when the next one comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The packet's handle.
    pub packet: u32,
    /// When to call [`Link::arrive`] again; [`Time::NEVER`] when nothing is under way.
    pub next_at: Time,
}

impl Link {
    /// A link whose queue holds `capacity` packets besides the one being sent.
    pub fn new(rate: Rate, delay: Duration, capacity: usize) -> Self {
        Link {
            rate,
            delay,
            capacity,
            in_flight: VecDeque::new(),
            departed: 0,
            free_at: Time::ZERO,
            owed: 0,
        }
    }

    /// Sends `packet`, which occupies the wire for `bytes` byte times.
    ///
    /// Answers the time to call [`Link::arrive`] when this packet is the next to
    /// arrive, and [`Time::NEVER`] when an earlier one is still under way.
    #[inline]
    pub fn send(&mut self, now: Time, packet: u32, bytes: u32) -> Result<Time, Full> {
        if self.backlog(now) > self.capacity {
            return Err(Full);
        }
        let departure = self.free_at.max(now) + self.serialise(bytes);
        self.free_at = departure;
        let arrival = departure + self.delay;
        let first = self.in_flight.is_empty();
        self.in_flight.push_back((arrival, packet));
        Ok(if first { arrival } else { Time::NEVER })
    }

    /// Takes the packet that arrives now.
    ///
    /// # Panics
    /// When no packet is under way, which only a caller's bug can bring about.
    #[inline]
    pub fn arrive(&mut self) -> Arrival {
        let (_, packet) = self
            .in_flight
            .pop_front()
            .expect("an arrival was announced");
        self.departed = self.departed.saturating_sub(1);
        let next_at = self.in_flight.front().map_or(Time::NEVER, |&(at, _)| at);
        Arrival { packet, next_at }
    }

    /// Packets waiting or being sent at `now`.
    #[inline]
    pub fn backlog(&mut self, now: Time) -> usize {
        let left = |&(arrival, _): &(Time, u32)| arrival <= now + self.delay;
        while self.in_flight.get(self.departed).is_some_and(left) {
            self.departed += 1;
        }
        self.in_flight.len() - self.departed
    }

    /// Packets accepted that have not arrived.
    pub fn under_way(&self) -> usize {
        self.in_flight.len()
    }

    /// When the last packet accepted so far will have left the sender.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    #[inline]
    fn serialise(&mut self, bytes: u32) -> Duration {
        let bit_nanos = u64::from(bytes) * 8 * 1_000_000_000 + self.owed;
        self.owed = bit_nanos % self.rate.as_bps();
        Duration::from_nanos(bit_nanos / self.rate.as_bps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fast_ethernet(capacity: usize) -> Link {
        Link::new(Rate::from_mbps(100.0), Duration::from_millis(1), capacity)
    }

    #[test]
    fn a_packet_arrives_after_its_serialisation_and_the_delay() {
        let mut link = fast_ethernet(10);
        let arrival = link.send(Time::ZERO, 7, 1538).expect("empty queue");
        assert_eq!(arrival.as_nanos(), 123_040 + 1_000_000);
        assert_eq!(
            link.arrive(),
            Arrival {
                packet: 7,
                next_at: Time::NEVER
            }
        );
    }

    #[test]
    fn packets_queue_behind_each_other_and_the_last_is_dropped() {
        let mut link = fast_ethernet(1);
        let first = link.send(Time::ZERO, 1, 1538).expect("on the wire");
        assert_eq!(link.send(Time::ZERO, 2, 1538), Ok(Time::NEVER), "waits");
        assert_eq!(link.send(Time::ZERO, 3, 1538), Err(Full));
        assert_eq!(link.backlog(Time::ZERO), 2);
        let then = link.arrive();
        assert_eq!(
            (then.packet, then.next_at),
            (1, first + Duration::from_nanos(123_040))
        );
        assert_eq!(link.backlog(first), 0, "both have left long since");
    }

    #[test]
    fn roundings_do_not_add_up() {
        let third = Rate::from_bps(3_000_000);
        let mut link = Link::new(third, Duration::ZERO, 1_000_000);
        for packet in 0..300_000 {
            link.send(Time::ZERO, packet, 1).expect("room");
        }
        assert_eq!(link.free_at(), Time::ZERO + Duration::from_millis(800));
    }
}
