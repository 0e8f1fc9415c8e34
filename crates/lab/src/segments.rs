//! The segments of a world: shared cables, with the queues of those who share them.

use engine::Purpose;
use net::queue::{self, Cause, Queue};
use net::segment::{Counts, Outcome, Segment};
use net::wire_bytes;
use units::Time;

use crate::luck::Lot;
use crate::packet::Packets;
use crate::plan::{Plan, SegmentPlan};

/// One segment.
#[derive(Debug)]
pub struct Shared {
    cable: Segment,
    /// For disciplines that drop or mark by chance.
    luck: Lot,
    /// For the backoff of those who collide.
    backoff: Lot,
    /// When it will be woken next; [`Time::NEVER`] when it will not.
    wakes_at: Time,
}

/// The segments of a plan.
pub fn segments(plan: &Plan, seed: u64) -> Vec<Shared> {
    let all = (0..).zip(&plan.segments);
    all.map(|(number, segment)| Shared::new(segment, number, seed))
        .collect()
}

impl Shared {
    fn new(plan: &SegmentPlan, number: u64, seed: u64) -> Self {
        // Apart from links and radios, which are numbered from nought.
        let entity = 1 << 32 | number;
        let queues = plan.members.iter().map(|_| Queue::new(&plan.queue));
        Shared {
            cable: Segment::new(plan.rate_bps, plan.delay_ns, queues),
            luck: Lot::new(seed, entity, Purpose::Queue),
            backoff: Lot::new(seed, entity, Purpose::Backoff),
            wakes_at: Time::NEVER,
        }
    }

    /// Lets a station send a packet. One that the queue refuses is its owner's again.
    pub fn send(
        &mut self,
        now: Time,
        station: u16,
        handle: u32,
        packets: &mut Packets,
    ) -> Result<(), Cause> {
        let bytes = wire_bytes(u32::from(packets.get(handle).ip_bytes));
        (self.cable).send(now, station, handle, bytes, packets, &mut self.luck)
    }

    /// What has become of a frame by now; to be asked until nothing has.
    pub fn poll(&mut self, now: Time, packets: &mut Packets) -> Option<Outcome> {
        self.cable.poll(now, packets, &mut self.backoff)
    }

    /// When to wake it, if that is not already to be done earlier: [`Time::NEVER`].
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

    /// Packets that a station has not yet sent.
    pub fn backlog(&self, station: u16) -> u32 {
        self.cable.backlog(station)
    }

    /// Packets waiting, being sent or on the way.
    #[cfg(test)]
    pub fn under_way(&self) -> usize {
        self.cable.under_way()
    }

    /// What each station has done, and its queue. The longest sojourn is that since the last call.
    pub fn take_counts(&mut self) -> Vec<(Counts, queue::Counts)> {
        let stations: Vec<Counts> = self.cable.counts().collect();
        stations
            .into_iter()
            .zip(self.cable.take_queue_counts())
            .collect()
    }
}
