//! For tests: a queue, packets offered to it, and what becomes of them.

use units::{Duration, Time};

use super::{Buffer, Class, Config, Discipline, Owner, Queue, QueueDropCause, QueuedPacket};
use crate::chance::tests::MmixRandom;
use crate::wire_bytes;

/// A packet's class, and whether its sender knows what a mark means.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialPacket {
    class: Class,
    is_ecn_capable: bool,
}

/// A full packet of the first flow, which knows no marks.
pub(super) fn packet() -> TrialPacket {
    let class = Class {
        ip_bytes: 1500,
        ..Class::default()
    };
    TrialPacket {
        class,
        is_ecn_capable: false,
    }
}

impl TrialPacket {
    pub(super) fn of_bytes(mut self, ip_bytes: u32) -> TrialPacket {
        self.class.ip_bytes = ip_bytes;
        self
    }

    pub(super) fn with_dscp(mut self, dscp: u8) -> TrialPacket {
        self.class.dscp = dscp;
        self
    }

    pub(super) fn of_flow(mut self, flow: u32) -> TrialPacket {
        self.class.flow = flow;
        self
    }

    pub(super) fn for_node(mut self, to: u16) -> TrialPacket {
        self.class.to = to;
        self
    }

    pub(super) fn ecn_capable(mut self) -> TrialPacket {
        self.is_ecn_capable = true;
        self
    }
}

/// The owner of packets whose handles are their numbers.
#[derive(Default)]
struct Numbered<'a> {
    packets: &'a [TrialPacket],
    dropped: Vec<u32>,
    marked: Vec<u32>,
}

impl Owner for Numbered<'_> {
    fn class(&self, handle: u32) -> Class {
        self.packets[handle as usize].class
    }

    fn drop(&mut self, handle: u32, _: QueueDropCause) {
        self.dropped.push(handle);
    }

    fn mark(&mut self, handle: u32) -> Option<u32> {
        let knows = self.packets[handle as usize].is_ecn_capable;
        knows.then(|| {
            self.marked.push(handle);
            handle
        })
    }
}

/// A queue and all packets that were offered to it, numbered from 0.
pub(super) struct QueueTrial<Q = Queue> {
    pub(super) buffer: Buffer<Q>,
    pub(super) random: MmixRandom,
    packets: Vec<TrialPacket>,
    /// Accepted packets that were dropped, and packets that were marked.
    pub(super) dropped: Vec<u32>,
    pub(super) marked: Vec<u32>,
}

impl QueueTrial {
    pub(super) fn of(config: &Config) -> QueueTrial {
        config.check().expect("it is within its limits");
        QueueTrial::with(Queue::new(config))
    }
}

impl<Q: Discipline> QueueTrial<Q> {
    pub(super) fn with(queue: Q) -> QueueTrial<Q> {
        QueueTrial {
            buffer: Buffer::new(queue),
            random: MmixRandom(1),
            packets: Vec::new(),
            dropped: Vec::new(),
            marked: Vec::new(),
        }
    }

    pub(super) fn offer(&mut self, now: Time, packet: TrialPacket) -> Result<(), QueueDropCause> {
        let waiting = QueuedPacket {
            handle: self.packets.len() as u32,
            bytes: wire_bytes(packet.class.ip_bytes),
            since: now,
        };
        self.packets.push(packet);
        self.call(|buffer, owner, random| buffer.enqueue(waiting, owner, random))
    }

    pub(super) fn take(&mut self, now: Time) -> Option<u32> {
        self.call(|buffer, owner, _| buffer.dequeue(now, owner))
            .map(|packet| packet.handle)
    }

    fn call<R>(
        &mut self,
        call: impl FnOnce(&mut Buffer<Q>, &mut Numbered<'_>, &mut MmixRandom) -> R,
    ) -> R {
        let mut owner = Numbered {
            packets: &self.packets,
            ..Numbered::default()
        };
        let result = call(&mut self.buffer, &mut owner, &mut self.random);
        self.dropped.append(&mut owner.dropped);
        self.marked.append(&mut owner.marked);
        result
    }
}

/// A time of the run.
pub(super) fn millis(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}
