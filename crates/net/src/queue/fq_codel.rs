//! Flow queueing with controlled delay (FQ-CoDel, RFC 8290).

use std::collections::VecDeque;

use units::{Duration, Time};

use super::codel::{CoDelController, CoDelSetting, Fifo};
use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::Chance;

units::declare! {
    /// Flows send in turns, sparse ones first; each drops or marks as CoDel does (FQ-CoDel).
    pub struct Config = "fq-codel" {
        /// wait that is fine however long it lasts
        target: Duration = Field::duration().positive().or(Default::Text("5 ms")).from("RFC 8290 §5.2.2"),
        /// time that the wait may be longer before the first drop: a round trip at its longest
        interval: Duration = Field::duration().positive().above("target").or(Default::Text("100 ms")).from("RFC 8290 §5.2.1"),
        /// bytes of Ethernet frames, without check sequence, of one turn
        quantum: u64 = Field::size().within(256.0, 1e6).or(Default::Count(1514)).from("RFC 8290 §5.2.4"),
        /// queues, to one of which each flow is assigned
        flows: u32 = Field::count("queues").within(1.0, 65_536.0).or(Default::Count(1024)).from("RFC 8290 §5.2.5"),
        /// whether packets of TCP with ECN are marked where others are dropped
        ecn: bool = Field::of(Quantity::Flag).or(Default::Flag(true)).from("RFC 8290 §5.2.6"),
        /// packets that may wait in all queues together, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(10_240)).from("RFC 8290 §5.2.3"),
    }
}

/// Packets dropped at once, at most, when all queues together are full (RFC 8290 §4.1).
const DROP_BATCH: usize = 64;

/// Bytes of an Ethernet header, which counts in a turn (RFC 8290 §5.2.4).
const ETHERNET_HEADER: u32 = 14;

/// Queues of flows, and their turns.
#[derive(Clone, Debug)]
pub struct FqCodel {
    setting: CoDelSetting,
    quantum: i64,
    most: usize,
    flows: Vec<FlowQueue>,
    /// Drawn with the first packet, so that no two runs put the same flows together (§4.1).
    perturbation: Option<u32>,
    /// Queues that have just got a packet after having been empty, and all others that hold any.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// How often a queue has come to be a new one.
    pub(super) new_flows: u64,
}

#[derive(Clone, Debug, Default)]
struct FlowQueue {
    fifo: Fifo,
    controller: CoDelController,
    /// Bytes that it may still send in its turn.
    credits: i64,
    is_listed: bool,
}

impl FqCodel {
    /// Empty queues.
    pub fn new(config: &Config) -> Self {
        FqCodel {
            setting: CoDelSetting {
                target: config.target,
                interval: config.interval,
                ecn: config.ecn,
            },
            quantum: config.quantum as i64,
            most: config.packets as usize,
            flows: vec![FlowQueue::default(); config.flows as usize],
            perturbation: None,
            new: VecDeque::new(),
            old: VecDeque::new(),
            new_flows: 0,
        }
    }

    /// Returns what all that waits occupies the sender for, in byte times.
    pub(super) fn bytes(&self) -> u64 {
        let listed = self.new.iter().chain(&self.old);
        listed
            .map(|&place| self.flows[place as usize].fifo.bytes())
            .sum()
    }

    /// The queue of a flow: multiplicative hashing (Knuth, TAOCP 3, §6.4).
    fn place(&mut self, flow: u32, random: &mut impl Chance) -> u32 {
        let perturbation = *(self.perturbation)
            .get_or_insert_with(|| (random.unit() * f64::from(u32::MAX)) as u32);
        let hash = (flow ^ perturbation).wrapping_mul(0x9E37_79B1);
        ((u64::from(hash) * self.flows.len() as u64) >> 32) as u32
    }

    /// Makes room at the head of the longest queue: half of its packets, a batch at most.
    pub(super) fn shorten_the_longest(&mut self, backlog: &mut Backlog<'_, impl Owner>) {
        let listed = self.new.iter().chain(&self.old);
        let longest = listed.max_by_key(|&&place| self.flows[place as usize].fifo.bytes());
        let Some(&longest) = longest else { return };
        let fifo = &mut self.flows[longest as usize].fifo;
        for _ in 0..fifo.len().div_ceil(2).min(DROP_BATCH) {
            let packet = fifo
                .pop()
                .expect("half of its packets are not more than all");
            backlog.drop(packet, QueueDropCause::Full);
        }
    }
}

impl Discipline for FqCodel {
    #[inline(never)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let place = self.place(backlog.class(&packet).flow, random);
        let flow = &mut self.flows[place as usize];
        flow.fifo.push(packet);
        if !flow.is_listed {
            flow.is_listed = true;
            flow.credits = self.quantum;
            self.new.push_back(place);
            self.new_flows += 1;
        }
        if backlog.packets() > self.most {
            self.shorten_the_longest(backlog);
        }
        Ok(())
    }

    /// RFC 8290 §4.2.
    #[inline(never)]
    fn dequeue(
        &mut self,
        now: Time,
        backlog: &mut Backlog<'_, impl Owner>,
    ) -> Option<QueuedPacket> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let place = *list.front()?;
            let flow = &mut self.flows[place as usize];
            // The text says "negative", and explains it by a quantum that has been used up.
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            let packet = (flow.controller).dequeue(now, self.setting, &mut flow.fifo, backlog);
            let Some(packet) = packet else {
                list.pop_front();
                // Else it could come to the front again by a packet each turn.
                if is_new {
                    self.old.push_back(place);
                } else {
                    flow.is_listed = false;
                }
                continue;
            };
            flow.credits -= i64::from(backlog.class(&packet).ip_bytes + ETHERNET_HEADER);
            return Some(packet);
        }
    }

    /// The controllers have to see that none waits.
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
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            quantum: 1514,
            flows: 1024,
            ecn: true,
            packets: 10_240,
        }
    }

    fn take_all(trial: &mut QueueTrial) -> Vec<u32> {
        std::iter::from_fn(|| trial.take(Time::ZERO)).collect()
    }

    #[test]
    fn two_flows_send_in_turns() {
        let mut trial = QueueTrial::of(&of_the_rfc().into());
        for flow in [1, 1, 1, 2, 2, 2] {
            trial
                .offer(Time::ZERO, packet().of_flow(flow))
                .expect("room");
        }
        assert_eq!(take_all(&mut trial), [0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn turns_are_of_bytes_and_not_of_packets() {
        let mut trial = QueueTrial::of(&of_the_rfc().into());
        for _ in 0..30 {
            trial.offer(Time::ZERO, packet().of_flow(1)).expect("room");
            let small = packet().of_flow(2).of_bytes(486);
            trial.offer(Time::ZERO, small).expect("room");
        }
        let first: Vec<u32> = take_all(&mut trial).into_iter().take(16).collect();
        let of_large = first.iter().filter(|&&number| number % 2 == 0).count();
        assert_eq!(
            of_large, 4,
            "three frames of 500 bytes for one of 1514, and what is owed"
        );
    }

    /// RFC 8290 §4.2: a queue that has been empty goes before those that hold packets already.
    #[test]
    fn a_sparse_flow_does_not_wait_behind_a_standing_queue() {
        let mut trial = QueueTrial::of(&of_the_rfc().into());
        for _ in 0..10 {
            trial.offer(Time::ZERO, packet().of_flow(1)).expect("room");
        }
        assert_eq!(trial.take(Time::ZERO), Some(0), "it is new, too");
        assert_eq!(
            trial.take(Time::ZERO),
            Some(1),
            "its turn has ended, and it is alone"
        );
        trial.offer(Time::ZERO, packet().of_flow(2)).expect("room");
        assert_eq!(trial.take(Time::ZERO), Some(10));
        // Once its queue is empty it is old, and waits for its turn.
        assert_eq!(trial.take(Time::ZERO), Some(2));
        trial.offer(Time::ZERO, packet().of_flow(2)).expect("room");
        assert_eq!(
            [(); 2].map(|()| trial.take(Time::ZERO)),
            [Some(11), Some(3)]
        );
    }

    /// RFC 8290 §4.1: half the packets of the queue with the most bytes, from its head, 64 at most.
    #[test]
    fn the_longest_queue_makes_room() {
        let dropped_at = |packets: u32| {
            let config = Config {
                packets,
                ..of_the_rfc()
            };
            let mut trial = QueueTrial::of(&config.into());
            trial.offer(Time::ZERO, packet().of_flow(2)).expect("room");
            for _ in 0..packets {
                let small = packet().of_flow(1).of_bytes(100 + packets % 7);
                trial.offer(Time::ZERO, small).expect("room");
            }
            assert_eq!(trial.buffer.take_counts().full, trial.dropped.len() as u64);
            trial.dropped
        };
        assert_eq!(dropped_at(100), Vec::from_iter(1..=50));
        assert_eq!(dropped_at(1000), Vec::from_iter(1..=64));
    }

    /// RFC 8289 §4.4: what all queues of a sender hold tells whether one of them stands. The second
    /// flow has a single packet at a time, which waits for its turn behind the first one's.
    #[test]
    fn a_single_packet_is_a_queue_where_others_wait_too() {
        let config = Config {
            ecn: false,
            ..of_the_rfc()
        };
        let mut trial = QueueTrial::of(&config.into());
        (0..1000).for_each(|_| trial.offer(Time::ZERO, packet().of_flow(1)).expect("room"));
        let mut of_second = Vec::new();
        for turn in 0..40 {
            of_second.push(1000 + of_second.len() as u32);
            trial
                .offer(millis(20 * turn), packet().of_flow(2))
                .expect("room");
            trial.take(millis(20 * turn + 10));
            trial.take(millis(20 * turn + 20));
        }
        let lost = trial
            .dropped
            .iter()
            .filter(|number| of_second.contains(number));
        assert!(lost.count() > 0, "{:?}", trial.dropped);
    }

    #[test]
    fn only_the_flow_that_stands_is_dropped_from() {
        let mut trial = QueueTrial::of(&of_the_rfc().into());
        let mut waits = [Duration::ZERO; 2];
        for ms in 0..3_000 {
            // Twice the rate of the sender; and a packet of another flow now and then.
            for _ in 0..2 {
                trial.offer(millis(ms), packet().of_flow(1)).expect("room");
            }
            if ms % 20 == 0 {
                trial.offer(millis(ms), packet().of_flow(2)).expect("room");
            }
            trial.take(millis(ms));
            let counts = trial.buffer.take_counts();
            waits[usize::from(ms % 20 == 0)] = counts.longest_sojourn;
        }
        let counts = trial.buffer.take_counts();
        assert!(counts.late > 20, "{counts:?}");
        assert_eq!(waits[1], Duration::ZERO, "it is sent as it comes");
        assert!(waits[0] > Duration::from_millis(5));
    }

    #[test]
    fn flows_spread_over_the_queues() {
        let mut queue = FqCodel::new(&of_the_rfc());
        let mut random = crate::chance::tests::MmixRandom(5);
        let places: std::collections::BTreeSet<u32> = (0..64)
            .map(|flow| queue.place(flow * 0x1_0001, &mut random))
            .collect();
        assert!(places.len() >= 60, "{}", places.len());
    }

    /// RFC 8290 §5.3: one of 100 flows is alone in its queue with a probability of 90.78 %.
    #[test]
    fn flows_are_as_seldom_together_as_the_rfc_computes() {
        let mut alone = 0;
        for run in 0..200 {
            let mut queue = FqCodel::new(&of_the_rfc());
            let mut random = crate::chance::tests::MmixRandom(run + 1);
            // Numbers without a pattern, as the RFC's perfect hash has them.
            let flows: Vec<u32> = (0..100).map(|_| (random.unit() * 4e9) as u32).collect();
            let places: Vec<u32> = flows
                .iter()
                .map(|&flow| queue.place(flow, &mut random))
                .collect();
            let is_alone = |place: &&u32| places.iter().filter(|other| other == place).count() == 1;
            alone += places.iter().filter(is_alone).count();
        }
        let share = alone as f64 / 20_000.0;
        assert!((share - 0.9078).abs() < 0.01, "{share}");
    }
}
