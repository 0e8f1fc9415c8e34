//! Drop-tail: first in, first out, and whoever finds the queue full is dropped.

use std::collections::VecDeque;

use units::Time;

use super::{Discipline, Full, Waiting};
use crate::Chance;

units::declare! {
    /// First in, first out; what finds the queue full is dropped.
    pub struct Config = "drop-tail" {
        /// packets that may wait, besides the one being sent
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(1000)).from("Linux txqueuelen"),
    }
}

/// A queue of limited length.
#[derive(Clone, Debug)]
pub struct DropTail {
    limit: usize,
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl DropTail {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        DropTail {
            limit: config.packets as usize,
            packets: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl Discipline for DropTail {
    #[inline]
    fn enqueue(
        &mut self,
        _now: Time,
        packet: Waiting,
        _luck: &mut impl Chance,
        _dropped: &mut Vec<u32>,
    ) -> Result<(), Full> {
        if self.packets.len() >= self.limit {
            return Err(Full);
        }
        self.bytes += u64::from(packet.bytes);
        self.packets.push_back(packet);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<u32>) -> Option<Waiting> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }

    #[inline]
    fn len(&self) -> usize {
        self.packets.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    fn can_be_bypassed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::tests::Dice;
    use crate::queue::Class;

    #[test]
    fn packets_leave_in_the_order_they_came_and_the_last_finds_no_room() {
        let mut queue = DropTail::new(&Config { packets: 2 });
        let (mut luck, mut dropped) = (Dice(1), Vec::new());
        let mut offer = |handle| {
            let packet = Waiting {
                handle,
                bytes: 1538,
                class: Class::default(),
            };
            queue.enqueue(Time::ZERO, packet, &mut luck, &mut dropped)
        };
        assert_eq!([1, 2, 3].map(&mut offer), [Ok(()), Ok(()), Err(Full)]);
        assert_eq!((queue.len(), queue.bytes()), (2, 3076));
        let mut take = || queue.dequeue(Time::ZERO, &mut dropped).map(|it| it.handle);
        assert_eq!([take(), take(), take()], [Some(1), Some(2), None]);
        assert_eq!((queue.bytes(), dropped), (0, vec![]));
    }
}
