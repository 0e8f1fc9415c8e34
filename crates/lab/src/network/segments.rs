//! The segments of a world: shared cables, with the queues of those who share them.

use engine::Purpose;
use net::queue::{self, Queue, QueueDropCause};
use net::segment::{EthernetCounts, EthernetSegment, FrameOutcome};
use net::wire_bytes;
use units::Time;
use units::histogram::Distribution;

use crate::ids::{MemberId, PacketId};
use crate::packets::Packets;
use crate::plan::{Plan, SegmentPlan};
use crate::streams::NamedStream;

/// One segment.
#[derive(Debug)]
pub struct SharedCable {
    cable: EthernetSegment,
    /// For disciplines that drop or mark by chance.
    stream: NamedStream,
    /// For the backoff of those who collide.
    backoff: NamedStream,
    /// When it will be woken next; [`Time::NEVER`] when it will not.
    wakes_at: Time,
}

/// The segments of a plan.
pub fn segments(plan: &Plan, seed: u64) -> Vec<SharedCable> {
    let all = (0..).zip(&plan.segments);
    all.map(|(number, segment)| SharedCable::new(segment, number, seed, plan.tables.distributions))
        .collect()
}

impl SharedCable {
    fn new(plan: &SegmentPlan, number: u64, seed: u64, keeps_sojourns: bool) -> Self {
        // Apart from links and radios, which are numbered from nought.
        let entity = 1 << 32 | number;
        let queues = plan.members.iter().map(|_| Queue::new(&plan.queue));
        let mut cable = EthernetSegment::new(plan.rate_bps, plan.delay_ns, queues);
        if keeps_sojourns {
            cable.keep_sojourns();
        }
        SharedCable {
            cable,
            stream: NamedStream::new(seed, entity, Purpose::Queue),
            backoff: NamedStream::new(seed, entity, Purpose::Backoff),
            wakes_at: Time::NEVER,
        }
    }

    /// Lets a station send a packet. One that the queue refuses is its owner's again.
    pub fn send(
        &mut self,
        now: Time,
        station: MemberId,
        handle: PacketId,
        packets: &mut Packets,
    ) -> Result<(), QueueDropCause> {
        let bytes = wire_bytes(u32::from(packets.get(handle).ip_bytes));
        (self.cable).send(now, station.0, handle.0, bytes, packets, &mut self.stream)
    }

    /// Returns what has become of a frame by now; to be asked until nothing has.
    pub fn poll(&mut self, now: Time, packets: &mut Packets) -> Option<FrameOutcome> {
        self.cable.poll(now, packets, &mut self.backoff)
    }

    /// Returns when to wake it, if that is not already to be done earlier: [`Time::NEVER`].
    pub fn next_wake(&mut self, now: Time) -> Time {
        if self.wakes_at <= now {
            self.wakes_at = Time::NEVER;
        }
        let wanted = self.cable.next_wake();
        if wanted >= self.wakes_at {
            return Time::NEVER;
        }
        self.wakes_at = wanted;
        wanted
    }

    /// Those who share it.
    pub fn members(&self) -> impl Iterator<Item = MemberId> + use<> {
        (0..self.cable.counts().count()).map(MemberId::at)
    }

    /// Packets that a station has not yet sent.
    pub fn backlog(&self, station: MemberId) -> u32 {
        self.cable.backlog(station.0)
    }

    /// Packets waiting, being sent or on the way.
    #[cfg(test)]
    pub fn under_way(&self) -> usize {
        self.cable.under_way()
    }

    /// Returns what each station has done.
    pub fn counts(&self) -> Vec<EthernetCounts> {
        self.cable.counts().collect()
    }

    /// Returns what each station's queue has done. The longest sojourn is that since the last call.
    pub fn take_queue_counts(&mut self) -> Vec<queue::QueueCounts> {
        self.cable.take_queue_counts().collect()
    }

    /// Returns how long packets waited in each station's queue, if that is kept.
    pub fn sojourns(&self) -> impl Iterator<Item = Option<Distribution>> {
        self.cable.sojourns()
    }
}
