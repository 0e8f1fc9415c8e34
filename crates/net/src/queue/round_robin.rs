//! Round robin: the stations that packets go to take turns, a packet each.

use std::collections::VecDeque;

use units::Time;

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::Chance;

units::declare! {
    /// A queue for each station that packets go to next; the queues send in turns, a packet each.
    pub struct Config = "round-robin" {
        /// packets that may wait for each station
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(100)).from("inferred: as much as a profile's access point has for all together"),
    }
}

/// A queue for each station.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    most: usize,
    /// By the number of the next node.
    stations: Vec<VecDeque<QueuedPacket>>,
    /// Those that packets wait for, the next one first (Nagle, RFC 970).
    turns: VecDeque<u16>,
}

impl RoundRobin {
    /// Empty queues.
    pub fn new(config: &Config) -> Self {
        RoundRobin {
            most: config.packets as usize,
            stations: Vec::new(),
            turns: VecDeque::new(),
        }
    }
}

impl Discipline for RoundRobin {
    #[inline(never)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        _random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let to = backlog.class(&packet).to;
        let place = usize::from(to);
        if place >= self.stations.len() {
            self.stations.resize(place + 1, VecDeque::new());
        }
        let queue = &mut self.stations[place];
        if queue.len() >= self.most {
            return Err(QueueDropCause::Full);
        }
        if queue.is_empty() {
            self.turns.push_back(to);
        }
        queue.push_back(packet);
        Ok(())
    }

    #[inline(never)]
    fn dequeue(&mut self, _: Time, _: &mut Backlog<'_, impl Owner>) -> Option<QueuedPacket> {
        let to = self.turns.pop_front()?;
        let queue = &mut self.stations[usize::from(to)];
        let packet = queue.pop_front();
        if !queue.is_empty() {
            self.turns.push_back(to);
        }
        packet
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
    fn a_station_with_a_packet_waits_for_one_packet_of_each_other() {
        let mut trial = QueueTrial::of(&Config { packets: 3 }.into());
        for to in [7, 7, 7, 2, 5] {
            assert_eq!(trial.offer(Time::ZERO, packet().for_node(to)), Ok(()));
        }
        let one_more = trial.offer(Time::ZERO, packet().for_node(7));
        assert_eq!(
            one_more,
            Err(QueueDropCause::Full),
            "station 7 has its share"
        );
        let taken = [(); 5].map(|()| trial.take(Time::ZERO));
        assert_eq!(taken, [0, 3, 4, 1, 2].map(Some));
    }
}
