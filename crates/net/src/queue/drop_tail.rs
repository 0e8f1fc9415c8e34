//! Drop-tail: first in, first out, and whoever finds the queue full is dropped.

use std::collections::VecDeque;

use units::Time;

use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket};
use crate::Chance;

units::declare! {
    /// First in, first out; what finds the queue full is dropped.
    pub struct Config = "drop-tail" {
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("Linux txqueuelen"),
        /// bytes of IP packets that may wait, besides the one being sent; absent: any number
        bytes: Option<u64> = Field::size().positive().optional(),
    }
}

/// A queue of limited length.
#[derive(Clone, Debug)]
pub struct DropTail {
    most_packets: usize,
    /// The most bytes of IP packets, and how many there are, where anybody counts them.
    bytes: Option<Bytes>,
    packets: VecDeque<QueuedPacket>,
}

#[derive(Clone, Copy, Debug)]
struct Bytes {
    most: u64,
    waiting: u64,
}

impl DropTail {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        DropTail {
            most_packets: config.packets as usize,
            bytes: config.bytes.map(|most| Bytes { most, waiting: 0 }),
            packets: VecDeque::new(),
        }
    }
}

impl Discipline for DropTail {
    #[inline]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        _random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        if backlog.packets() > self.most_packets {
            return Err(QueueDropCause::Full);
        }
        if let Some(bytes) = &mut self.bytes {
            let more = bytes.waiting + u64::from(backlog.class(&packet).ip_bytes);
            if more > bytes.most {
                return Err(QueueDropCause::Full);
            }
            bytes.waiting = more;
        }
        self.packets.push_back(packet);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _: Time, backlog: &mut Backlog<'_, impl Owner>) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        if let Some(bytes) = &mut self.bytes {
            bytes.waiting -= u64::from(backlog.class(&packet).ip_bytes);
        }
        Some(packet)
    }

    #[inline]
    fn can_be_bypassed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::trial::{QueueTrial, packet};

    #[test]
    fn packets_leave_in_the_order_they_came_and_the_last_finds_no_room() {
        let config = Config {
            packets: 2,
            bytes: None,
        };
        let mut trial = QueueTrial::of(&config.into());
        let offered = [1, 2, 3].map(|_| trial.offer(Time::ZERO, packet()));
        assert_eq!(offered, [Ok(()), Ok(()), Err(QueueDropCause::Full)]);
        assert_eq!((trial.buffer.len(), trial.buffer.bytes()), (2, 3076));
        let taken = [(); 3].map(|()| trial.take(Time::ZERO));
        assert_eq!(taken, [Some(0), Some(1), None]);
        assert_eq!((trial.buffer.bytes(), trial.dropped.len()), (0, 0));
    }

    #[test]
    fn small_packets_find_room_in_a_queue_of_bytes_where_large_ones_do_not() {
        let config = Config {
            packets: 1000,
            bytes: Some(3_100),
        };
        let mut trial = QueueTrial::of(&config.into());
        let sizes = [1500, 1500, 1500, 40, 40, 40];
        let offered = sizes.map(|size| {
            let one = packet().of_bytes(size);
            trial.offer(Time::ZERO, one).is_ok()
        });
        assert_eq!(offered, [true, true, false, true, true, false]);
        trial.take(Time::ZERO);
        assert_eq!(trial.offer(Time::ZERO, packet()), Ok(()));
    }
}
