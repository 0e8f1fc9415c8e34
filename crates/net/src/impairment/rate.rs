//! A limited rate: packets leave one after the other, and wait for their turn in a queue.

use std::collections::VecDeque;

use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};
use units::{Duration, Steps, Time};

use super::{Facts, Impairment, StageVerdict};
use crate::{Chance, wire_bytes};

units::declare! {
    /// Packets leave one after the other at a rate; what finds the queue full is dropped.
    pub struct Config = "rate" {
        /// how much leaves
        rate: units::Rate = Field::rate(),
        /// times of the run, each with the rate from then on; absent: it never changes
        changes: Option<Steps<units::Rate>> = Field::rate().steps().optional(),
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("Linux txqueuelen"),
        /// bytes of IP packets that may wait, besides the one being sent; absent: any number
        bytes: Option<u64> = Field::size().positive().optional(),
        /// what takes its time of the rate: the Ethernet frame with preamble and gap, or, as in dummynet, the IP packet alone
        counts: RateUnit = Field::of(Quantity::Choice(RateUnit::WORDS)).or(Default::Text("frames")).from("a wire's own rate"),
    }
}

/// Units that a sender's rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum RateUnit {
    /// Ethernet frames with preamble and gap.
    Frames,
    /// IP packets.
    Packets,
}

impl RateUnit {
    /// The word for each, in plans and in scenarios.
    pub const WORDS: &[&str] = &["frames", "packets"];
}

impl Measure for RateUnit {
    fn measure(&self) -> Option<f64> {
        None
    }
}

/// A stage with a sender of its own.
///
/// When a packet leaves is known when it comes, since nothing that comes later goes before it;
/// so the queue holds no packets, but the times at which each of them begins to be sent.
#[derive(Clone, Debug)]
pub struct Rate {
    rate: units::Rate,
    /// The changes still to come when the sender gets free.
    changes: VecDeque<(Time, units::Rate)>,
    most_packets: usize,
    most_bytes: u64,
    counts: RateUnit,
    /// Time when each packet that waits begins to be sent, and its bytes.
    waiting: VecDeque<(Time, u32)>,
    bytes: u64,
    /// Time when the last packet will have been sent.
    free_at: Time,
    /// Bit-nanoseconds owed from earlier roundings, so that a long train of packets takes
    /// exactly its bits over the rate.
    owed: u64,
}

impl Rate {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        Rate {
            rate: config.rate,
            changes: config.changes.iter().flat_map(Steps::iter).collect(),
            most_packets: config.packets as usize,
            most_bytes: config.bytes.unwrap_or(u64::MAX),
            counts: config.counts,
            waiting: VecDeque::new(),
            bytes: 0,
            free_at: Time::ZERO,
            owed: 0,
        }
    }

    /// Forgets the packets that no longer wait.
    fn advance(&mut self, now: Time) {
        while let Some(&(begins_at, bytes)) = self.waiting.front()
            && begins_at <= now
        {
            self.waiting.pop_front();
            self.bytes -= u64::from(bytes);
        }
    }

    /// Sends a packet that occupies the sender for `bytes` byte times from the time it is free.
    fn send(&mut self, bytes: u32) {
        let mut bit_nanos = u64::from(bytes) * 8 * 1_000_000_000 + self.owed;
        while let Some(&(changes_at, rate)) = self.changes.front() {
            let left = changes_at.saturating_since(self.free_at);
            if bit_nanos / self.rate.as_bps() < left.as_nanos() {
                break;
            }
            bit_nanos -= left.as_nanos() * self.rate.as_bps();
            self.free_at = self.free_at.max(changes_at);
            self.rate = rate;
            self.changes.pop_front();
        }
        let rate = self.rate.as_bps();
        self.free_at += Duration::from_nanos(bit_nanos / rate);
        self.owed = bit_nanos % rate;
    }
}

impl Impairment for Rate {
    fn on_packet(&mut self, now: Time, _: u64, facts: &Facts, _: &mut impl Chance) -> StageVerdict {
        self.advance(now);
        if self.free_at > now {
            let bytes = self.bytes + u64::from(facts.ip_bytes);
            if self.waiting.len() >= self.most_packets || bytes > self.most_bytes {
                return StageVerdict::Drop;
            }
            self.waiting.push_back((self.free_at, facts.ip_bytes));
            self.bytes = bytes;
        } else {
            self.free_at = now;
        }
        self.send(match self.counts {
            RateUnit::Frames => wire_bytes(facts.ip_bytes),
            RateUnit::Packets => facts.ip_bytes,
        });
        StageVerdict::Hold(self.free_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{ChainTrial, IP_BYTES, every, numbers};

    /// A sender that needs a millisecond for a packet.
    fn one_per_ms() -> Config {
        Config {
            rate: of_packets(1_000),
            changes: None,
            packets: 1_000,
            bytes: None,
            counts: RateUnit::Frames,
        }
    }

    fn of_packets(per_second: u64) -> units::Rate {
        units::Rate::from_bps(u64::from(wire_bytes(IP_BYTES)) * 8 * per_second)
    }

    fn millis(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Returns what leaves of so many packets that come at once.
    fn burst(config: Config, packets: u32) -> (Vec<(u32, Time)>, u64) {
        let mut trial = ChainTrial::of(&[every("slow", config.into())]);
        trial.send_every(Duration::ZERO, packets);
        let left = trial.end();
        (left, trial.counts("slow").dropped)
    }

    #[test]
    fn packets_leave_at_the_rate() {
        let (left, dropped) = burst(one_per_ms(), 1_000);
        assert_eq!((left[0], dropped), ((0, millis(1)), 0));
        assert_eq!(left[999], (999, millis(1_000)));
    }

    #[test]
    fn what_finds_the_queue_full_is_dropped() {
        let full = Config {
            packets: 5,
            ..one_per_ms()
        };
        let (left, dropped) = burst(full, 10);
        assert_eq!(numbers(&left), [0, 1, 2, 3, 4, 5], "one is being sent");
        assert_eq!(dropped, 4);
        let full = Config {
            bytes: Some(u64::from(2 * IP_BYTES)),
            ..one_per_ms()
        };
        assert_eq!(numbers(&burst(full, 10).0), [0, 1, 2]);
    }

    #[test]
    fn room_comes_with_each_packet_that_begins_to_be_sent() {
        let config = Config {
            packets: 1,
            ..one_per_ms()
        };
        let mut trial = ChainTrial::of(&[every("slow", config.into())]);
        trial.send_every(Duration::from_micros(500), 8);
        // Every other one finds the place taken, once it is.
        assert_eq!(numbers(&trial.end()), [0, 1, 2, 4, 6]);
    }

    /// FreeBSD's dummynet: a pipe of 1 Mbit/s takes 12 ms for a packet of 1500 bytes.
    #[test]
    fn a_pipe_sends_packets_and_no_frames() {
        let pipe = Config {
            rate: units::Rate::from_mbps(1.0),
            bytes: Some(62 * 1024),
            counts: RateUnit::Packets,
            ..one_per_ms()
        };
        let (left, dropped) = burst(pipe, 100);
        assert_eq!((left[0], left[1]), ((0, millis(12)), (1, millis(24))));
        assert_eq!(dropped, 100 - 1 - 42, "42 packets are within 63,488 bytes");
    }

    #[test]
    fn the_rate_changes_while_a_packet_is_being_sent() {
        let config = Config {
            changes: Some(Steps(vec![
                (Duration::from_micros(1_500), of_packets(500)),
                (Duration::from_millis(5), of_packets(2_000)),
            ])),
            ..one_per_ms()
        };
        // Half of the second packet at half the rate, two millisecond for the third, then ...
        let left = burst(config, 5).0;
        let micros: Vec<u64> = left.iter().map(|(_, at)| at.as_nanos() / 1_000).collect();
        assert_eq!(micros, [1_000, 2_500, 4_500, 5_375, 5_875]);
    }

    #[test]
    fn a_rate_that_has_changed_while_nothing_was_sent_holds_for_the_next_packet() {
        let config = Config {
            changes: Some(Steps(vec![(Duration::from_millis(5), of_packets(500))])),
            ..one_per_ms()
        };
        let mut trial = ChainTrial::of(&[every("slow", config.into())]);
        trial.send_every(Duration::from_millis(10), 2);
        assert_eq!(trial.end(), [(0, millis(1)), (1, millis(12))]);
    }
}
