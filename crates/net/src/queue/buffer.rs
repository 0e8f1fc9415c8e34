//! A queue with what is common to all disciplines: its backlog, and what it has done.

use units::histogram::{Distribution, Histogram};
use units::{Duration, Time};

use super::{
    Class, Discipline, Owner, Queue, QueueCounts, QueueDropCause, QueuedPacket, StationCounts,
};
use crate::Chance;

/// A queue of packets in front of a sender, and its counts.
#[derive(Clone, Debug)]
pub struct Buffer<Q = Queue> {
    queue: Q,
    can_be_bypassed: bool,
    tally: BufferTally,
    /// Times that packets waited, if that is kept.
    sojourns: Option<Histogram>,
}

/// Packets that wait, and the fate of all that came.
#[derive(Clone, Copy, Debug, Default)]
struct BufferTally {
    packets: usize,
    bytes: u64,
    counts: QueueCounts,
}

/// The packets of a queue, as its discipline sees them.
pub struct Backlog<'a, O> {
    tally: &'a mut BufferTally,
    owner: &'a mut O,
}

impl<O: Owner> Backlog<'_, O> {
    /// Packets that wait, one that comes just now among them.
    #[inline]
    pub fn packets(&self) -> usize {
        self.tally.packets
    }

    /// Returns what they occupy the sender for, in byte times.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.tally.bytes
    }

    /// Packets marked so far.
    pub(super) fn marked(&self) -> u64 {
        self.tally.counts.marked
    }

    /// Returns what a packet is.
    #[inline]
    pub fn class(&self, packet: &QueuedPacket) -> Class {
        self.owner.class(packet.handle)
    }

    /// Drops a packet that waits.
    pub fn drop(&mut self, packet: QueuedPacket, cause: QueueDropCause) {
        self.tally.take(&packet);
        self.tally.counts.add(cause);
        self.owner.drop(packet.handle, cause);
    }

    /// Marks a packet instead of dropping it, if both its ends know what that means; answers
    /// whether it has a mark now.
    pub fn mark(&mut self, packet: &mut QueuedPacket) -> bool {
        let Some(handle) = self.owner.mark(packet.handle) else {
            return false;
        };
        packet.handle = handle;
        self.tally.counts.marked += 1;
        true
    }
}

impl BufferTally {
    #[inline]
    fn take(&mut self, packet: &QueuedPacket) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.bytes);
    }
}

impl QueueCounts {
    fn add(&mut self, cause: QueueDropCause) {
        match cause {
            QueueDropCause::Full => self.full += 1,
            QueueDropCause::Early => self.early += 1,
            QueueDropCause::Late => self.late += 1,
        }
    }
}

impl<Q: Discipline> Buffer<Q> {
    /// An empty queue.
    pub fn new(queue: Q) -> Self {
        Buffer {
            can_be_bypassed: queue.can_be_bypassed(),
            queue,
            tally: BufferTally::default(),
            sojourns: None,
        }
    }

    /// The discipline, for tests of what it remembers.
    #[cfg(test)]
    pub(super) fn queue(&self) -> &Q {
        &self.queue
    }

    /// Offers a packet. One that is refused stays the caller's; of those that are dropped in its
    /// favour the owner is told.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        packet: QueuedPacket,
        owner: &mut impl Owner,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let tally = &mut self.tally;
        tally.packets += 1;
        tally.bytes += u64::from(packet.bytes);
        let accepted = (self.queue).enqueue(packet, &mut Backlog { tally, owner }, random);
        if let Err(cause) = accepted {
            self.tally.take(&packet);
            self.tally.counts.add(cause);
        }
        accepted
    }

    /// Takes the packet to be sent next, at the time the sender is free for it. Of those that are
    /// dropped before it the owner is told.
    #[inline(always)]
    pub fn dequeue(&mut self, now: Time, owner: &mut impl Owner) -> Option<QueuedPacket> {
        let tally = &mut self.tally;
        let packet = (self.queue).dequeue(now, &mut Backlog { tally, owner })?;
        self.tally.take(&packet);
        let counts = &mut self.tally.counts;
        let sojourn = now - packet.since;
        counts.sent += 1;
        counts.sojourn += sojourn;
        counts.longest_sojourn = counts.longest_sojourn.max(sojourn);
        if let Some(sojourns) = &mut self.sojourns {
            sojourns.add(sojourn);
        }
        Some(packet)
    }

    /// The sender, a radio, has spent airtime on a node, or that on the radio; on sending so many bytes,
    /// or none.
    pub fn on_airtime(&mut self, to: u16, airtime: Duration, bytes: u32) {
        self.queue.on_airtime(to, airtime, bytes);
    }

    /// A node shall have so much of the airtime in proportion to others, which have 256.
    pub fn set_weight(&mut self, to: u16, weight: u32) {
        self.queue.set_weight(to, weight);
    }

    /// The sender has done with a packet to a node, of so many bytes of IP.
    pub fn on_done(&mut self, to: u16, bytes: u32) {
        self.queue.on_done(to, bytes);
    }

    /// Returns what has been done for a node, where account is kept of each.
    pub fn counts_of(&self, to: u16) -> Option<StationCounts> {
        self.queue.counts_of(to)
    }

    /// A packet asks to be sent at once, as the sender is free; answers whether it may.
    #[inline]
    pub fn lets_by(&mut self) -> bool {
        let may = self.is_empty() && self.can_be_bypassed;
        self.tally.counts.sent += u64::from(may);
        if may && let Some(sojourns) = &mut self.sojourns {
            sojourns.add(Duration::ZERO);
        }
        may
    }

    /// Packets that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.tally.packets
    }

    /// Returns whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns what the waiting packets occupy the sender for, in byte times.
    pub fn bytes(&self) -> u64 {
        self.tally.bytes
    }

    /// Keeps from now on how long packets waited.
    pub fn keep_sojourns(&mut self) {
        self.sojourns = Some(Histogram::default());
    }

    /// Returns how long the packets waited that have left for the sender, if that is kept.
    pub fn sojourns(&self) -> Option<Distribution> {
        self.sojourns.as_ref().map(Histogram::distribution)
    }

    /// Returns what has become of the packets so far. The longest sojourn is that since the last
    /// call.
    pub fn take_counts(&mut self) -> QueueCounts {
        let counts = self.tally.counts;
        self.tally.counts.longest_sojourn = Duration::ZERO;
        counts
    }
}
