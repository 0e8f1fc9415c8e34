//! One radio: its MAC, its queues and what it has counted.

use dot11::{Address, GapStatistics, Mac};
use units::{Duration, Time};

use super::interface_queue::InterfaceQueue;
use super::service::{ServiceLog, ServiceTimes};
use crate::ids::{InterfaceId, NodeId};
use crate::meters::{Accesses, QueueMeter};
use crate::streams::RadioStreams;

/// One radio of a world.
#[derive(Debug)]
pub struct Radio {
    pub(super) mac: Mac,
    pub(super) streams: RadioStreams,
    /// The interface queue.
    pub queue: QueueMeter,
    pub(super) interface_queue: Option<Box<InterfaceQueue>>,
    pub(super) service: Option<Box<ServiceLog>>,
    /// How long it has sent.
    pub sent: Duration,
    /// Time that data frames from it or to it lasted, where that is kept.
    pub data_airtime: Duration,
    /// How its frames fared among those of others.
    pub accesses: Accesses,
    /// Whose it is.
    pub node: NodeId,
    pub(super) interface: InterfaceId,
    /// When the calendar has it look at what is due of its agreements.
    pub(super) looks_at: Time,
    /// Whether it hands up what is for all. That comes from an access point and is for stations, as
    /// access points take what is To DS (IEEE 802.11-2007 §7.2.2); and of a station's access
    /// functions the first one takes it in.
    pub(super) takes_broadcasts: bool,
    pub(super) monitored: bool,
    /// Whether it is to be told of beacons.
    pub(super) seeks: bool,
}

impl Radio {
    /// The number of its interface.
    pub fn interface(&self) -> InterfaceId {
        self.interface
    }

    /// Returns whether it is of 802.11n or later.
    pub fn aggregates(&self) -> bool {
        self.mac.config().aggregation.is_some()
    }

    /// Its MAC.
    pub fn mac(&self) -> &Mac {
        &self.mac
    }

    /// Packets waiting, the one in service included.
    #[cfg(test)]
    pub fn queue_len(&self) -> usize {
        self.mac.queue_len()
            + self
                .interface_queue
                .as_ref()
                .map_or(0, |interface_queue| interface_queue.len())
    }

    /// Returns what its own queue has done, if it has one. The longest sojourn is that since the
    /// last call.
    pub fn take_interface_queue_counts(&mut self) -> Option<net::queue::QueueCounts> {
        self.interface_queue
            .as_mut()
            .map(|interface_queue| interface_queue.take_counts())
    }

    /// Notes that data to or from a node have taken airtime, so many bytes of it to send.
    pub(super) fn report_airtime(&mut self, node: Address, airtime: Duration, bytes: u32) {
        self.data_airtime += airtime;
        if let Some(queue) = &mut self.interface_queue {
            queue.on_airtime(node, airtime, bytes);
        }
    }

    /// Returns how long packets waited for its MAC and were with it, if that is kept. Where it has
    /// a queue of its own, they wait there.
    pub fn service_times(&self) -> Option<ServiceTimes> {
        let times = self.service.as_ref()?.times();
        let own = self
            .interface_queue
            .as_ref()
            .and_then(|interface_queue| interface_queue.sojourns());
        Some(match own {
            Some(waits) => ServiceTimes { waits, ..times },
            None => times,
        })
    }

    /// The gaps between its fragments since they were asked for last.
    pub fn take_fragment_gaps(&mut self) -> GapStatistics {
        self.mac.take_fragment_gaps()
    }
}
