//! Proportional integral controller enhanced (PIE, RFC 8033).

use std::collections::VecDeque;

use units::{Duration, Time};

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::{Chance, wire_bytes};

units::declare! {
    /// First in, first out; drops or marks by chance, by how long packets wait (PIE).
    pub struct Config = "pie" {
        /// wait that the controller aims at
        target: Duration = Field::duration().positive().or(Default::Text("15 ms")).from("RFC 8033 §4.2, QDELAY_REF"),
        /// time between two adjustments of the probability
        update: Duration = Field::duration().positive().or(Default::Text("15 ms")).from("RFC 8033 §4.2, T_UPDATE"),
        /// probability per second of wait above the target
        alpha: f64 = Field::of(Quantity::Number).within(0.0, 32.0).or(Default::Number(0.125)).from("RFC 8033 Appendix A"),
        /// probability per second that the wait has grown
        beta: f64 = Field::of(Quantity::Number).within(0.0, 32.0).or(Default::Number(1.25)).from("RFC 8033 Appendix A"),
        /// time that a burst may last before packets are dropped
        max_burst: Duration = Field::duration().or(Default::Text("150 ms")).from("RFC 8033 §4.4, MAX_BURST"),
        /// whether packets of TCP with ECN are marked where others are dropped
        ecn: bool = Field::of(Quantity::Flag).or(Default::Flag(false)).from("tc-pie(8): to be asked for"),
        /// probability from which packets of TCP with ECN are dropped like others
        ecn_limit: f64 = Field::probability().or(Default::Number(0.1)).from("RFC 8033 §5.1, mark_ecnth"),
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("tc-pie(8)"),
    }
}

/// A backlog of this many byte times is never dropped from: two packets of mean size, which here
/// are full ones (RFC 8033 §4.1).
const SPARED_BYTES: u64 = 2 * wire_bytes(1500) as u64;

/// The probability is adjusted by a part of what the formula gives while it is small: below each
/// of these, by one over (RFC 8033 §4.2).
const TUNING: [(f64, f64); 6] = [
    (0.000_001, 2048.0),
    (0.000_01, 512.0),
    (0.000_1, 128.0),
    (0.001, 32.0),
    (0.01, 8.0),
    (0.1, 2.0),
];

/// Probabilities that add up to less are spared, to more than the other are none any more
/// (RFC 8033 §5.4).
const ACCUMULATED: [f64; 2] = [0.85, 8.5];

/// A queue with a controller.
#[derive(Clone, Debug)]
pub struct Pie {
    config: Config,
    packets: VecDeque<QueuedPacket>,
    /// The names are those of the pseudocode (RFC 8033 Appendix A).
    drop_prob: f64,
    accu_prob: f64,
    burst_allowance: Duration,
    /// Time waited by the packet that left last (§4.3, by timestamps); nothing once none waits, as
    /// in Linux `sch_pie.c`.
    current_qdelay: Duration,
    qdelay_old: Duration,
    update_at: Time,
}

impl Pie {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Pie {
            config: config.clone(),
            packets: VecDeque::new(),
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: config.max_burst,
            current_qdelay: Duration::ZERO,
            qdelay_old: Duration::ZERO,
            update_at: Time::ZERO + config.update,
        }
    }

    /// Makes up for the adjustments that were due.
    fn advance(&mut self, now: Time) {
        while self.update_at <= now {
            if self.is_at_rest() {
                let missed = (now - self.update_at).whole(self.config.update) + 1;
                self.update_at += self.config.update * missed;
                return;
            }
            self.calculate_drop_prob();
            self.update_at += self.config.update;
        }
    }

    /// Returns whether further adjustments change nothing that the next packet does not put right.
    fn is_at_rest(&self) -> bool {
        self.is_over() && self.current_qdelay == Duration::ZERO && self.qdelay_old == Duration::ZERO
    }

    /// Returns whether the congestion is over, so that the next burst is let through (RFC 8033
    /// §4.4).
    fn is_over(&self) -> bool {
        let is_calm = |delay: Duration| delay * 2 < self.config.target;
        self.drop_prob == 0.0 && is_calm(self.current_qdelay) && is_calm(self.qdelay_old)
    }

    /// RFC 8033 §4.2, §4.4 and §5.5.
    fn calculate_drop_prob(&mut self) {
        let Config {
            target,
            alpha,
            beta,
            update,
            ..
        } = self.config;
        let [now, old, target_s] =
            [self.current_qdelay, self.qdelay_old, target].map(Duration::as_secs_f64);
        let mut p = alpha * (now - target_s) + beta * (now - old);
        let tuning = TUNING.iter().find(|(below, _)| self.drop_prob < *below);
        p /= tuning.map_or(1.0, |(_, by)| *by);
        if self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        if now == 0.0 && old == 0.0 {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.burst_allowance = self.burst_allowance.saturating_sub(update);
    }

    /// Returns whether the packet that comes is to be dropped (RFC 8033 §4.1 and §5.4).
    fn drops_early(&mut self, backlog_bytes: u64, random: &mut impl Chance) -> bool {
        let is_calm = self.qdelay_old * 2 < self.config.target && self.drop_prob < 0.2;
        if is_calm || backlog_bytes <= SPARED_BYTES {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        let [least, most] = ACCUMULATED;
        if self.accu_prob < least {
            return false;
        }
        self.accu_prob >= most || random.unit() < self.drop_prob
    }
}

impl Discipline for Pie {
    #[inline(never)]
    fn enqueue(
        &mut self,
        mut packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        self.advance(packet.since);
        if self.is_over() {
            self.burst_allowance = self.config.max_burst;
        }
        if self.packets.len() >= self.config.packets as usize {
            self.accu_prob = 0.0;
            return Err(QueueDropCause::Full);
        }
        let waiting = backlog.bytes() - u64::from(packet.bytes);
        if self.burst_allowance == Duration::ZERO && self.drops_early(waiting, random) {
            self.accu_prob = 0.0;
            let may_mark = self.config.ecn && self.drop_prob < self.config.ecn_limit;
            if !(may_mark && backlog.mark(&mut packet)) {
                return Err(QueueDropCause::Early);
            }
        }
        self.packets.push_back(packet);
        Ok(())
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _: &mut Backlog<'_, impl Owner>) -> Option<QueuedPacket> {
        self.advance(now);
        let packet = self.packets.pop_front()?;
        self.current_qdelay = match self.packets.is_empty() {
            true => Duration::ZERO,
            false => now - packet.since,
        };
        Some(packet)
    }

    /// The controller has to see that none waits.
    fn can_be_bypassed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::trial::{QueueTrial, millis, packet};

    fn of_the_rfc() -> Config {
        Config {
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Duration::from_millis(150),
            ecn: false,
            ecn_limit: 0.1,
            packets: 1000,
        }
    }

    fn with_delay(now_ms: u64, old_ms: u64, drop_prob: f64) -> Pie {
        Pie {
            drop_prob,
            current_qdelay: Duration::from_millis(now_ms),
            qdelay_old: Duration::from_millis(old_ms),
            ..Pie::new(&of_the_rfc())
        }
    }

    fn after_update(now_ms: u64, old_ms: u64, drop_prob: f64) -> f64 {
        let mut pie = with_delay(now_ms, old_ms, drop_prob);
        pie.calculate_drop_prob();
        pie.drop_prob
    }

    fn near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} is not {expected}"
        );
    }

    /// RFC 8033 §4.2: alpha (delay - target) + beta (delay - old delay), over the tuning.
    #[test]
    fn each_update_adds_what_the_formula_gives() {
        near(after_update(30, 0, 0.0), (0.001_875 + 0.0375) / 2048.0);
        near(
            after_update(30, 30, 0.000_005),
            0.000_005 + 0.001_875 / 512.0,
        );
        near(after_update(30, 30, 0.000_05), 0.000_05 + 0.001_875 / 128.0);
        near(after_update(30, 30, 0.000_5), 0.000_5 + 0.001_875 / 32.0);
        near(after_update(30, 30, 0.005), 0.005 + 0.001_875 / 8.0);
        near(after_update(30, 30, 0.05), 0.05 + 0.001_875 / 2.0);
        near(after_update(30, 30, 0.5), 0.5 + 0.001_875);
        near(after_update(5, 15, 0.5), 0.5 - 0.001_25 - 0.0125);
    }

    #[test]
    fn the_probability_stays_within_its_bounds() {
        near(after_update(500, 0, 0.3), 0.3 + 0.02);
        near(after_update(500, 0, 0.99), 1.0);
        near(after_update(0, 20, 0.000_000_1), 0.0);
        near(after_update(0, 0, 0.5), (0.5 - 0.001_875) * 0.98);
    }

    /// RFC 8033 §4.4: nothing is dropped for the first 150 ms, ten updates, and again after each
    /// calm time.
    #[test]
    fn a_burst_is_let_through_and_the_next_one_after_a_calm() {
        let mut pie = with_delay(300, 300, 0.5);
        for update in 1..=10 {
            assert!(pie.burst_allowance > Duration::ZERO, "{update}");
            pie.advance(millis(15 * update));
        }
        assert_eq!(pie.burst_allowance, Duration::ZERO);
        pie.current_qdelay = Duration::ZERO;
        pie.advance(millis(60_000));
        assert!(pie.is_at_rest() && pie.drop_prob == 0.0 && pie.update_at == millis(60_015));
        assert_eq!(
            after_a_packet(pie).burst_allowance,
            Duration::from_millis(150)
        );
    }

    /// RFC 8033 §4.4: the last two samples of the delay have to be below half the target.
    #[test]
    fn a_burst_is_not_let_through_before_the_delay_has_been_short_twice() {
        let allowance = |now_ms, old_ms, drop_prob| {
            let mut pie = with_delay(now_ms, old_ms, drop_prob);
            pie.burst_allowance = Duration::ZERO;
            after_a_packet(pie).burst_allowance.as_nanos() / 1_000_000
        };
        assert_eq!(allowance(7, 7, 0.0), 150);
        assert_eq!(
            [
                allowance(8, 7, 0.0),
                allowance(7, 8, 0.0),
                allowance(7, 7, 1e-9)
            ],
            [0; 3]
        );
    }

    /// A queue to which a packet has come before any update was due.
    fn after_a_packet(mut pie: Pie) -> Pie {
        pie.update_at = Time::NEVER;
        let mut trial = QueueTrial::with(pie);
        let _dropped_or_not = trial.offer(Time::ZERO, packet());
        trial.buffer.queue().clone()
    }

    /// RFC 8033 §4.2: a probability that is left over falls to 1/e within 50 updates, by the decay
    /// alone, and sooner by what the formula takes from it besides.
    #[test]
    fn what_is_left_of_the_probability_decays() {
        let mut pie = with_delay(0, 0, 0.5);
        (0..50).for_each(|_| pie.calculate_drop_prob());
        let by_decay = 0.5 * 0.98_f64.powi(50);
        assert!(pie.drop_prob < by_decay && pie.drop_prob > by_decay - 50.0 * 0.001_875);
    }

    /// RFC 8033 §5.4: neither two drops close together nor long times without any.
    #[test]
    fn drops_are_not_left_to_chance_alone() {
        let mut pie = with_delay(100, 100, 0.1);
        let mut random = crate::chance::tests::MmixRandom(2);
        let mut gaps = Vec::new();
        let mut gap = 0;
        for _ in 0..100_000 {
            gap += 1;
            if pie.drops_early(1_000_000, &mut random) {
                pie.accu_prob = 0.0;
                gaps.push(gap);
                gap = 0;
            }
        }
        let (least, most) = (gaps.iter().min(), gaps.iter().max());
        assert!(
            least >= Some(&9) && most <= Some(&86),
            "{least:?} to {most:?}"
        );
    }

    #[test]
    fn calm_and_short_queues_are_spared() {
        let mut random = crate::chance::tests::MmixRandom(2);
        let mut drops = |mut pie: Pie, bytes| {
            pie.accu_prob = 9.0;
            pie.drops_early(bytes, &mut random)
        };
        assert!(!drops(with_delay(100, 7, 0.1), 1_000_000));
        assert!(drops(with_delay(100, 8, 0.1), 1_000_000));
        assert!(!drops(with_delay(100, 100, 0.9), 2 * 1538));
        assert!(drops(with_delay(100, 100, 0.9), 2 * 1538 + 1));
    }

    /// Twice the sender's rate of what does not give way: the probability goes to a half.
    #[test]
    fn the_wait_settles_at_the_target() {
        let mut trial = QueueTrial::of(&of_the_rfc().into());
        let mut late = Vec::new();
        for ms in 0..60_000 {
            for _ in 0..2 {
                let _dropped_or_not = trial.offer(millis(ms), packet());
            }
            trial.take(millis(ms));
            if ms > 30_000 {
                late.push(trial.buffer.take_counts().longest_sojourn.as_secs_f64() * 1e3);
            }
        }
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!((13.0..17.0).contains(&mean), "{mean} ms");
        let counts = trial.buffer.take_counts();
        let share = counts.early as f64 / (counts.early + counts.sent) as f64;
        assert!((0.48..0.52).contains(&share), "{share}");
        assert_eq!(counts.full, 0);
    }

    #[test]
    fn what_knows_marks_is_marked_while_the_probability_is_small() {
        let offered = |drop_prob, is_capable: bool| {
            let config = Config {
                ecn: true,
                ..of_the_rfc()
            };
            let mut pie = Pie {
                burst_allowance: Duration::ZERO,
                accu_prob: 9.0,
                ..with_delay(100, 100, drop_prob)
            };
            pie.config = config;
            let mut trial = QueueTrial::with(pie);
            let one = if is_capable {
                packet().ecn_capable()
            } else {
                packet()
            };
            let first: Vec<_> = (0..4).map(|_| trial.offer(Time::ZERO, one)).collect();
            (first[3], trial.marked)
        };
        assert_eq!(offered(0.09, true), (Ok(()), vec![3]));
        assert_eq!(offered(0.09, false), (Err(QueueDropCause::Early), vec![]));
        assert_eq!(offered(0.1, true), (Err(QueueDropCause::Early), vec![]));
    }
}
