//! Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", IEEE/ACM Transactions on Networking, August 1993).

use std::collections::VecDeque;

use units::{Duration, Time};

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::Chance;

units::declare! {
    /// First in, first out; drops or marks by chance, by the average length (RED).
    pub struct Config = "red" {
        /// average length from which packets are dropped
        min_threshold: f64 = Field::of(Quantity::Number).in_unit("packets").within(0.0, 1e6).or(Default::Number(5.0)).from("Floyd, RED: Discussions of Setting Parameters (1997)"),
        /// average length at which the probability has become max_probability
        max_threshold: f64 = Field::of(Quantity::Number).in_unit("packets").within(0.0, 1e6).above("min_threshold").or(Default::Number(15.0)).from("Floyd 1997: three times min_threshold"),
        /// probability of a drop at max_threshold
        max_probability: f64 = Field::probability().or(Default::Number(0.1)).from("Floyd 1997"),
        /// weight of each new length in the average
        weight: f64 = Field::probability().or(Default::Number(0.002)).from("Floyd and Jacobson 1993 §VI; Floyd 1997"),
        /// whether the probability rises on to 1 at twice max_threshold, instead of being 1 from max_threshold on
        gentle: bool = Field::of(Quantity::Flag).or(Default::Flag(true)).from("Floyd, Recommendation on using the gentle variant of RED (2000)"),
        /// time of one packet: while there is none, the average falls as if one in such a time had found the queue empty
        packet_time: Duration = Field::duration().positive().or(Default::Text("0.8 ms")).from("tc-red(8): packets of 1000 bytes at 10 Mbit/s where nothing else is said"),
        /// whether packets of TCP with ECN are marked below max_threshold (with gentle, below twice that) where others are dropped
        ecn: bool = Field::of(Quantity::Flag).or(Default::Flag(false)).from("tc-red(8): to be asked for"),
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("Linux txqueuelen"),
    }
}

/// A queue that looks at its average length.
#[derive(Clone, Debug)]
pub struct Red {
    config: Config,
    packets: VecDeque<QueuedPacket>,
    average: f64,
    /// Packets since the last that was hit, or since none may be.
    spared: u32,
    empty_since: Time,
}

/// Verdict of the average on a packet that comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RedVerdict {
    Spare,
    /// Drop it, or mark it, with this probability, that packets in between be of equal number.
    Perhaps(f64),
    Drop,
}

impl Red {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Red {
            config: config.clone(),
            packets: VecDeque::new(),
            average: 0.0,
            spared: 0,
            empty_since: Time::ZERO,
        }
    }

    /// The average, once a packet has come.
    fn average_at(&self, now: Time) -> f64 {
        let weight = self.config.weight;
        if !self.packets.is_empty() {
            return self.average + weight * (self.packets.len() as f64 - self.average);
        }
        let idle = (now - self.empty_since).as_nanos() as f64;
        let missed = idle / self.config.packet_time.as_nanos() as f64;
        self.average * libm::pow(1.0 - weight, missed)
    }

    fn verdict(&self) -> RedVerdict {
        let Config {
            min_threshold: min,
            max_threshold: max,
            max_probability: most,
            gentle,
            ..
        } = self.config;
        match self.average {
            low if low < min => RedVerdict::Spare,
            middle if middle < max => RedVerdict::Perhaps(most * (middle - min) / (max - min)),
            high if gentle && high < 2.0 * max => {
                RedVerdict::Perhaps(most + (1.0 - most) * (high - max) / max)
            }
            _ => RedVerdict::Drop,
        }
    }

    /// Returns whether the packet that comes is hit: of equal packets those that are hit are
    /// spread evenly (1993, §VII, method 2).
    fn hits(&mut self, probability: f64, random: &mut impl Chance) -> bool {
        let left = 1.0 - f64::from(self.spared) * probability;
        let hits = left <= 0.0 || random.unit() < probability / left;
        self.spared = if hits { 0 } else { self.spared + 1 };
        hits
    }
}

impl Discipline for Red {
    #[inline(never)]
    fn enqueue(
        &mut self,
        mut packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        self.average = self.average_at(packet.since);
        if self.packets.len() >= self.config.packets as usize {
            return Err(QueueDropCause::Full);
        }
        match self.verdict() {
            RedVerdict::Spare => self.spared = 0,
            RedVerdict::Perhaps(probability) => {
                if self.hits(probability, random) && !(self.config.ecn && backlog.mark(&mut packet))
                {
                    return Err(QueueDropCause::Early);
                }
            }
            // Marks do not help any more (RFC 3168 §7).
            RedVerdict::Drop => {
                self.spared = 0;
                return Err(QueueDropCause::Early);
            }
        }
        self.packets.push_back(packet);
        Ok(())
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _: &mut Backlog<'_, impl Owner>) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        if self.packets.is_empty() {
            self.empty_since = now;
        }
        Some(packet)
    }

    /// An idle time has to be seen.
    fn can_be_bypassed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::trial::{QueueTrial, millis, packet};

    /// Five to fifteen packets, without memory: the average is what waits now.
    fn without_memory() -> Config {
        Config {
            min_threshold: 5.0,
            max_threshold: 15.0,
            max_probability: 0.1,
            weight: 1.0,
            gentle: true,
            packet_time: Duration::from_millis(1),
            ecn: false,
            packets: 1000,
        }
    }

    fn at_average(average: f64, config: &Config) -> Red {
        Red {
            average,
            ..Red::new(config)
        }
    }

    #[test]
    fn the_probability_rises_between_the_thresholds_and_gently_beyond() {
        let of = |average| at_average(average, &without_memory()).verdict();
        assert_eq!(of(4.9), RedVerdict::Spare);
        assert_eq!(of(10.0), RedVerdict::Perhaps(0.05));
        assert_eq!(of(15.0), RedVerdict::Perhaps(0.1));
        assert_eq!(of(22.5), RedVerdict::Perhaps(0.55));
        assert_eq!(of(30.0), RedVerdict::Drop);
        let abrupt = Config {
            gentle: false,
            ..without_memory()
        };
        assert_eq!(at_average(15.0, &abrupt).verdict(), RedVerdict::Drop);
    }

    /// 1993, §V: with w = 0.001, n packets in a row into an empty queue bring the average to
    /// n + 1 + ((1 - w)^(n+1) - 1) / w.
    #[test]
    fn a_burst_raises_the_average_as_the_closed_form_says() {
        let weight = 0.001;
        let config = Config {
            weight,
            min_threshold: 1e5,
            max_threshold: 1e6,
            ..without_memory()
        };
        let mut red = at_average(0.0, &config);
        for n in 0..=50_u32 {
            red.average = red.average_at(Time::ZERO);
            red.packets.push_back(QueuedPacket {
                handle: n,
                bytes: 1538,
                since: Time::ZERO,
            });
        }
        let expected = 51.0 + ((1.0_f64 - weight).powi(51) - 1.0) / weight;
        assert!((red.average - expected).abs() < 1e-6, "{}", red.average);
        assert!((1.2..1.3).contains(&expected), "{expected}");
    }

    #[test]
    fn an_idle_time_counts_as_packets_that_found_the_queue_empty() {
        let config = Config {
            weight: 0.5,
            ..without_memory()
        };
        let red = at_average(8.0, &config);
        assert_eq!(red.average_at(millis(3)), 1.0, "three halvings");
    }

    /// 1993, §VII: the gaps between hits are uniform on 1 to 1/p, and 1/(2p) + 1/2 on average.
    #[test]
    fn hits_are_spread_evenly() {
        let mut red = at_average(10.0, &without_memory());
        let mut random = crate::chance::tests::MmixRandom(3);
        let (mut gaps, mut gap) = (vec![0_u32; 21], 0);
        for _ in 0..210_000 {
            gap += 1;
            if red.hits(0.05, &mut random) {
                gaps[gap] += 1;
                gap = 0;
            }
        }
        assert_eq!(gaps[0], 0);
        let hits: u32 = gaps.iter().sum();
        for (gap, &count) in gaps.iter().enumerate().skip(1) {
            let share = f64::from(count) / f64::from(hits);
            assert!((share - 0.05).abs() < 0.005, "a gap of {gap}: {share}");
        }
    }

    #[test]
    fn what_knows_marks_is_marked_until_the_average_is_too_long() {
        let config = Config {
            ecn: true,
            max_probability: 1.0,
            ..without_memory()
        };
        let mut trial = QueueTrial::of(&config.into());
        let offered = (0..40).map(|_| trial.offer(Time::ZERO, packet().ecn_capable()));
        let offered: Vec<_> = offered.collect();
        assert_eq!(offered[..30], [Ok(()); 30], "up to twice max_threshold");
        assert_eq!(offered[30..], [Err(QueueDropCause::Early); 10]);
        assert!(trial.marked.len() > 10, "{:?}", trial.marked);
        assert!(trial.marked[0] > 5);
    }

    #[test]
    fn thresholds_the_wrong_way_round_are_refused() {
        let wrong = Config {
            min_threshold: 15.0,
            max_threshold: 5.0,
            ..without_memory()
        };
        let refused = Err("max_threshold: not above min_threshold".to_owned());
        assert_eq!(wrong.check(), refused);
    }
}
