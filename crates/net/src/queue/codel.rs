//! Controlled delay (CoDel, RFC 8289).

use std::collections::VecDeque;

use units::{Duration, Time};

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::{Chance, wire_bytes};

units::declare! {
    /// First in, first out; drops or marks what has waited for too long (CoDel).
    pub struct Config = "codel" {
        /// wait that is fine however long it lasts
        target: Duration = Field::duration().positive().or(Default::Text("5 ms")).from("RFC 8289 §4.3: 5 % of the interval"),
        /// time that the wait may be longer before the first drop: a round trip at its longest
        interval: Duration = Field::duration().positive().above("target").or(Default::Text("100 ms")).from("RFC 8289 §4.2"),
        /// whether packets of TCP with ECN are marked where others are dropped
        ecn: bool = Field::of(Quantity::Flag).or(Default::Flag(false)).from("tc-codel(8): to be asked for"),
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("tc-codel(8)"),
    }
}

/// A backlog of this many byte times is no standing queue: one packet as long as the interface's
/// MTU (RFC 8289 §5.3, maxpacket).
const MTU_BYTES: u64 = wire_bytes(1500) as u64;

/// Settings of the controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoDelSetting {
    pub target: Duration,
    pub interval: Duration,
    pub ecn: bool,
}

/// Decides which packets to drop, by how long each has waited when its time comes; the names are
/// those of the pseudocode (RFC 8289 §5).
#[derive(Clone, Debug, Default)]
pub(super) struct CoDelController {
    /// Time when the wait will have been above the target for an interval; zero while it is not
    /// above.
    first_above_time: Option<Time>,
    drop_next: Time,
    /// Packets dropped since the state was entered.
    count: u32,
    lastcount: u32,
    dropping: bool,
}

/// Packets in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Fifo {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
}

impl Fifo {
    pub(super) fn push(&mut self, packet: QueuedPacket) {
        self.packets.push_back(packet);
        self.bytes += u64::from(packet.bytes);
    }

    pub(super) fn pop(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns what they occupy the sender for, in byte times.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl CoDelController {
    /// Takes the packet to be sent next, or none where none is left (RFC 8289 §5.5).
    pub(super) fn dequeue(
        &mut self,
        now: Time,
        setting: CoDelSetting,
        fifo: &mut Fifo,
        backlog: &mut Backlog<'_, impl Owner>,
    ) -> Option<QueuedPacket> {
        let (mut packet, mut ok_to_drop) = self.take(now, setting, fifo, backlog);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                let is_gone = give_up(packet.as_mut()?, setting, backlog);
                if !is_gone {
                    self.drop_next = control_law(self.drop_next, setting.interval, self.count);
                    return packet;
                }
                (packet, ok_to_drop) = self.take(now, setting, fifo, backlog);
                if ok_to_drop {
                    self.drop_next = control_law(self.drop_next, setting.interval, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            let is_gone = give_up(packet.as_mut()?, setting, backlog);
            if is_gone {
                (packet, _) = self.take(now, setting, fifo, backlog);
            }
            self.enter(now, setting);
        }
        packet
    }

    /// Begins to drop: where it ended not long ago, at about the rate that was right then.
    fn enter(&mut self, now: Time, setting: CoDelSetting) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.lastcount);
        let ended_lately = now.saturating_since(self.drop_next) < setting.interval * 16;
        self.count = if delta > 1 && ended_lately { delta } else { 1 };
        self.drop_next = control_law(now, setting.interval, self.count);
        self.lastcount = self.count;
    }

    /// Takes the first packet, and whether it may be dropped (RFC 8289 §5.6, dodequeue). What is
    /// left counts over all queues of the same sender (§4.4).
    fn take(
        &mut self,
        now: Time,
        setting: CoDelSetting,
        fifo: &mut Fifo,
        backlog: &Backlog<'_, impl Owner>,
    ) -> (Option<QueuedPacket>, bool) {
        let Some(packet) = fifo.pop() else {
            self.first_above_time = None;
            return (None, false);
        };
        let left = backlog.bytes() - u64::from(packet.bytes);
        if now - packet.since < setting.target || left <= MTU_BYTES {
            self.first_above_time = None;
            return (Some(packet), false);
        }
        let ends_at = *(self.first_above_time).get_or_insert(now + setting.interval);
        (Some(packet), now >= ends_at)
    }
}

/// Returns when the next drop is due (RFC 8289 §5.6).
fn control_law(after: Time, interval: Duration, count: u32) -> Time {
    let gap = interval.as_nanos() as f64 / f64::from(count).sqrt();
    after + Duration::from_nanos(gap as u64)
}

/// Marks a packet, or else drops it; answers whether it is gone.
fn give_up(
    packet: &mut QueuedPacket,
    setting: CoDelSetting,
    backlog: &mut Backlog<'_, impl Owner>,
) -> bool {
    if setting.ecn && backlog.mark(packet) {
        return false;
    }
    backlog.drop(*packet, QueueDropCause::Late);
    true
}

/// A queue with a controller.
#[derive(Clone, Debug)]
pub struct Codel {
    setting: CoDelSetting,
    most: usize,
    controller: CoDelController,
    fifo: Fifo,
}

impl Codel {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Codel {
            setting: CoDelSetting {
                target: config.target,
                interval: config.interval,
                ecn: config.ecn,
            },
            most: config.packets as usize,
            controller: CoDelController::default(),
            fifo: Fifo::default(),
        }
    }
}

impl Discipline for Codel {
    #[inline(never)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        _: &mut Backlog<'_, impl Owner>,
        _: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        if self.fifo.len() >= self.most {
            return Err(QueueDropCause::Full);
        }
        self.fifo.push(packet);
        Ok(())
    }

    #[inline(never)]
    fn dequeue(
        &mut self,
        now: Time,
        backlog: &mut Backlog<'_, impl Owner>,
    ) -> Option<QueuedPacket> {
        (self.controller).dequeue(now, self.setting, &mut self.fifo, backlog)
    }

    /// The controller has to see that none waits.
    fn can_be_bypassed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Queue;
    use crate::queue::trial::{QueueTrial, TrialPacket, millis, packet};

    fn of_the_rfc(ecn: bool) -> Config {
        Config {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn,
            packets: 100_000,
        }
    }

    /// A queue in which every packet has waited for 50 ms when its time comes, a packet each
    /// millisecond from 50 ms on, as a standing queue in front of a sender of that rate.
    fn stand(config: Config, packet: TrialPacket, until: u64) -> (QueueTrial, Vec<u64>) {
        let mut trial = QueueTrial::of(&config.into());
        let mut drops = Vec::new();
        for ms in 0..until {
            trial.offer(millis(ms), packet).expect("room");
            // One dropped leaves its place to the next, so the wait is made up for.
            while trial.buffer.len() < 50 {
                trial.offer(millis(ms), packet).expect("room");
            }
            if ms >= 50 {
                let before = trial.dropped.len() + trial.marked.len();
                trial.take(millis(ms));
                let more = trial.dropped.len() + trial.marked.len() - before;
                drops.extend(std::iter::repeat_n(ms, more));
            }
        }
        (trial, drops)
    }

    /// RFC 8289 §5.6: each drop comes interval / sqrt(count) after the one before. The first one
    /// comes when the wait has been above the target for an interval.
    #[test]
    fn drops_come_at_the_times_of_the_control_law() {
        let (_, drops) = stand(of_the_rfc(false), packet(), 700);
        let mut expected = vec![150.0_f64];
        for count in 1..20 {
            expected.push(expected[expected.len() - 1] + 100.0 / f64::from(count).sqrt());
        }
        let expected: Vec<u64> = expected.iter().map(|at| at.ceil() as u64).collect();
        assert!(drops.len() > 10, "{drops:?}");
        assert_eq!(drops[..], expected[..drops.len()]);
    }

    #[test]
    fn a_wait_that_falls_below_the_target_within_an_interval_is_a_good_queue() {
        let mut trial = QueueTrial::of(&of_the_rfc(false).into());
        for burst in 0..20_u64 {
            let start = burst * 120;
            (0..90).for_each(|_| trial.offer(millis(start), packet()).expect("room"));
            (0..90).for_each(|ms| assert!(trial.take(millis(start + ms)).is_some()));
        }
        assert!(trial.dropped.is_empty());
    }

    #[test]
    fn a_single_packet_that_waits_for_long_is_no_queue() {
        let mut trial = QueueTrial::of(&of_the_rfc(false).into());
        for second in 0..10 {
            trial.offer(millis(1000 * second), packet()).expect("room");
            let at = millis(1000 * second + 900);
            assert_eq!(trial.take(at), Some(second as u32));
        }
    }

    #[test]
    fn what_knows_marks_is_marked_where_others_are_dropped() {
        let (trial, marks) = stand(of_the_rfc(true), packet().ecn_capable(), 700);
        assert_eq!((trial.dropped.len(), trial.marked.len()), (0, marks.len()));
        let (_, drops) = stand(of_the_rfc(true), packet(), 700);
        assert_eq!(marks, drops);
    }

    /// RFC 8289 §5.5, step by step: the drop with which the state is left counts like the others.
    #[test]
    fn the_drop_that_ends_the_state_counts() {
        let config = Config {
            target: Duration::from_millis(60),
            ..of_the_rfc(false)
        };
        let mut trial = QueueTrial::of(&config.into());
        (0..5).for_each(|_| trial.offer(millis(0), packet()).expect("room"));
        let controller = |trial: &QueueTrial| match trial.buffer.queue() {
            Queue::Codel(queue) => queue.controller.clone(),
            _ => unreachable!("it is one of those"),
        };
        // The wait is above the target from 200 ms on, so for an interval at 300 ms.
        assert_eq!(trial.take(millis(200)), Some(0));
        assert_eq!(
            (trial.take(millis(300)), trial.dropped.as_slice()),
            (Some(2), &[1][..])
        );
        assert_eq!(
            (controller(&trial).count, controller(&trial).drop_next),
            (1, millis(400))
        );
        (0..4).for_each(|_| trial.offer(millis(345), packet()).expect("room"));
        assert_eq!(trial.take(millis(350)), Some(3));
        // The next drop is due, and what follows it has not waited for as long as the target.
        assert_eq!(
            (trial.take(millis(400)), trial.dropped.as_slice()),
            (Some(5), &[1, 4][..])
        );
        let left = controller(&trial);
        assert!(!left.dropping && left.drop_next == millis(400));
        assert_eq!((left.count, left.lastcount), (2, 1));
    }

    /// RFC 8289 §5.5: a queue that comes again soon is dropped from at about the rate that it was
    /// controlled with, not from the beginning.
    #[test]
    fn what_was_learnt_is_kept_for_sixteen_intervals() {
        let setting = Codel::new(&of_the_rfc(false)).setting;
        let after = |pause_ms: u64| {
            let mut controller = CoDelController {
                drop_next: millis(1000),
                count: 9,
                lastcount: 1,
                ..CoDelController::default()
            };
            controller.enter(millis(1000 + pause_ms), setting);
            controller.count
        };
        assert_eq!((after(0), after(1_599), after(1_600)), (8, 8, 1));
    }
}
