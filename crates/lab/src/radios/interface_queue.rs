//! A radio's own queue, in front of its MAC, which then holds the packet in service alone.

use dot11::{Address, LLC_SNAP_BYTES};
use engine::Purpose;
use net::queue::{Buffer, Config, Queue, QueueCounts, QueueDropCause, QueuedPacket, StationCounts};
use net::wire_bytes;
use units::histogram::Distribution;
use units::{Duration, Time};

use super::{OutgoingPacket, Radios};
use crate::ids::PacketId;
use crate::packets::Packets;
use crate::streams::{NamedStream, name_hash};

/// A queue of any discipline.
#[derive(Clone, Debug)]
pub struct InterfaceQueue {
    buffer: Buffer,
    stream: NamedStream,
}

impl InterfaceQueue {
    /// That of a radio, empty.
    pub fn new(config: &Config, seed: u64, name: &str, keeps_sojourns: bool) -> InterfaceQueue {
        let mut buffer = Buffer::new(Queue::new(config));
        if keeps_sojourns {
            buffer.keep_sojourns();
        }
        InterfaceQueue {
            buffer,
            stream: NamedStream::new(seed, name_hash(name), Purpose::Queue),
        }
    }

    /// Packets that wait in it.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns how long the packets waited that have left it, if that is kept.
    pub fn sojourns(&self) -> Option<Distribution> {
        self.buffer.sojourns()
    }

    /// Its radio has spent airtime on a node, or that on the radio; on sending so many bytes, or none.
    pub fn on_airtime(&mut self, node: Address, airtime: Duration, bytes: u32) {
        self.buffer.on_airtime(node.0, airtime, bytes);
    }

    /// A node shall have so much of the airtime in proportion to others.
    pub fn set_weight(&mut self, node: Address, weight: u32) {
        self.buffer.set_weight(node.0, weight);
    }

    /// The MAC has done with an MSDU to a node.
    pub fn on_done(&mut self, to: Address, msdu_bytes: u16) {
        let ip_bytes = msdu_bytes.saturating_sub(LLC_SNAP_BYTES);
        self.buffer.on_done(to.0, u32::from(ip_bytes));
    }

    /// Returns what it has done for a node, if it keeps account of each.
    pub fn counts_of(&self, node: Address) -> Option<StationCounts> {
        self.buffer.counts_of(node.0)
    }

    /// Returns what it has done. The longest sojourn is that since the last call.
    pub fn take_counts(&mut self) -> QueueCounts {
        self.buffer.take_counts()
    }
}

impl Radios {
    /// Returns whether a radio has a queue of its own in front of its MAC.
    #[inline]
    pub fn has_queue(&self, radio: Address) -> bool {
        let at = self.of(radio);
        self.each[at].interface_queue.is_some()
    }

    /// Puts a packet into a radio's own queue. One that this refuses stays its owner's.
    pub fn enqueue_at_interface(
        &mut self,
        now: Time,
        radio: Address,
        handle: PacketId,
        packets: &mut Packets,
    ) -> Result<(), QueueDropCause> {
        let at = self.of(radio);
        let radio = &mut self.each[at];
        let Some(interface_queue) = &mut radio.interface_queue else {
            return Err(QueueDropCause::Full);
        };
        let waiting = QueuedPacket {
            handle: handle.0,
            bytes: wire_bytes(u32::from(packets.get(handle).ip_bytes)),
            since: now,
        };
        let before = interface_queue.len();
        let accepted =
            interface_queue
                .buffer
                .enqueue(waiting, packets, &mut interface_queue.stream);
        if accepted.is_err() {
            radio.mac.count_refused();
            return accepted;
        }
        let dropped = before + 1 - interface_queue.len();
        self.enter(now, at);
        self.leave(now, at, dropped);
        Ok(())
    }

    /// The packet that a radio's own queue gives its MAC, if that wants one; it goes on by
    /// [`Radios::serve`].
    pub fn dequeue_for_mac(
        &mut self,
        now: Time,
        radio: Address,
        packets: &mut Packets,
    ) -> Option<PacketId> {
        let at = self.of(radio);
        let radio = &mut self.each[at];
        let interface_queue = radio.interface_queue.as_mut()?;
        if !radio.mac.wants_more() {
            return None;
        }
        let before = interface_queue.len();
        let next = interface_queue
            .buffer
            .dequeue(now, packets)
            .map(|waiting| PacketId(waiting.handle));
        if next.is_none() {
            radio.mac.close_aggregate();
        }
        let dropped = before - interface_queue.len() - usize::from(next.is_some());
        self.leave(now, at, dropped);
        next
    }

    /// Hands the MAC of a radio with a queue of its own the packet that has left it, for `to`;
    /// answers whether that has taken it.
    pub fn serve(
        &mut self,
        now: Time,
        radio: Address,
        to: Address,
        packet: OutgoingPacket,
    ) -> bool {
        let at = self.of(radio);
        self.hand_to_mac(now, at, to, packet)
    }
}
