//! Strict priority: what is more urgent by its DSCP always leaves first.

use std::collections::VecDeque;

use units::Time;

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::Chance;

units::declare! {
    /// Eight queues by the packets' DSCP; the most urgent that holds a packet always sends first.
    pub struct Config = "priority" {
        /// packets that may wait in each of the eight queues
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("Linux prio: a pfifo of txqueuelen in each band"),
    }
}

/// Class selectors: the three bits of a DSCP that order the others (RFC 2474 §4.2.2.2).
const CLASSES: usize = 8;

/// A queue for each class selector, the least urgent first.
#[derive(Clone, Debug)]
pub struct Priority {
    most: usize,
    classes: [VecDeque<QueuedPacket>; CLASSES],
}

impl Priority {
    /// Empty queues.
    pub fn new(config: &Config) -> Self {
        Priority {
            most: config.packets as usize,
            classes: Default::default(),
        }
    }
}

impl Discipline for Priority {
    #[inline(never)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        _random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let class = usize::from(backlog.class(&packet).dscp >> 3) % CLASSES;
        let queue = &mut self.classes[class];
        if queue.len() >= self.most {
            return Err(QueueDropCause::Full);
        }
        queue.push_back(packet);
        Ok(())
    }

    #[inline(never)]
    fn dequeue(&mut self, _: Time, _: &mut Backlog<'_, impl Owner>) -> Option<QueuedPacket> {
        self.classes.iter_mut().rev().find_map(VecDeque::pop_front)
    }

    fn can_be_bypassed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::trial::{QueueTrial, packet};

    #[test]
    fn expedited_packets_overtake_best_effort_which_overtakes_nothing() {
        let mut trial = QueueTrial::of(&Config { packets: 2 }.into());
        // Best effort, AF11, EF (RFC 3246), AF13 of the same class as AF11, and best effort.
        for dscp in [0, 10, 46, 14, 0] {
            let one = packet().with_dscp(dscp);
            assert_eq!(trial.offer(Time::ZERO, one), Ok(()));
        }
        assert_eq!(trial.offer(Time::ZERO, packet()), Err(QueueDropCause::Full));
        let taken = [(); 6].map(|()| trial.take(Time::ZERO));
        assert_eq!(taken, [Some(2), Some(1), Some(3), Some(0), Some(4), None]);
    }
}
