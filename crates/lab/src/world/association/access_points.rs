//! What access points do that admit stations: answer, take in, let go, and tell the bridges behind
//! them.

use dot11::OutcomeResult;
use dot11::association::{AccessPointAnswer, AssociationChange};
use units::MacAddress;
use wire::ethernet::EtherType;

use super::super::World;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::network::Egress;
use crate::packets::{Body, ForeignPacket, InterfaceHop, Packet};
use crate::radios::Finished;

/// An Ethernet frame of IEEE 802.3 gives its length here: that of what follows.
const UPDATE_LENGTH: EtherType = EtherType(6);
/// What tells bridges where a station is now: an exchange identification of the null service
/// access point (IEEE 802.2 §5.4.1.1.2), in the station's name, as access points send it (IEEE
/// 802.11F §6.3).
const UPDATE: [u8; 6] = [0x00, 0x01, 0xaf, 0x81, 0x01, 0x00];

impl World {
    /// An access point's MAC has done with a packet.
    #[cold]
    pub(in crate::world) fn note_sent(&mut self, finished: Finished) {
        let interface = finished.interface;
        let destination = self.packets.get(finished.packet).hop.destination;
        let Some(associations) = &mut self.air.associations else {
            return;
        };
        let Some(admitting) = associations.access_point(interface) else {
            return;
        };
        let is_delivered = matches!(finished.result, OutcomeResult::Delivered { .. });
        let Some(station) = self.network.station_for(self.now, destination) else {
            return;
        };
        let answer = (admitting.access_point).on_sent(station.address(), is_delivered);
        self.answer_as(interface, station, answer);
    }

    /// An access point answers a station, and takes it in or lets it go.
    pub(super) fn answer_as(
        &mut self,
        interface: InterfaceId,
        station: InterfaceId,
        answer: AccessPointAnswer,
    ) {
        if let Some(what) = answer.says {
            self.send_management(interface, station.address(), what);
        }
        match answer.change {
            Some(AssociationChange::Joined) => self.take_in(interface, station),
            Some(AssociationChange::Left) => self.let_leave(interface, station),
            None => {}
        }
    }

    /// A station belongs to an access point, which tells the bridges behind it.
    fn take_in(&mut self, interface: InterfaceId, station: InterfaceId) {
        let node = self.network.interface(interface).node;
        let bridge = &mut self.network.machines[node.index()].bridge;
        bridge.fix(station.0, interface.0);
        self.tell_bridges(node, self.network.interface(station).mac);
        for address in self.network.behind.at(station.0).collect::<Vec<_>>() {
            let bridge = &mut self.network.machines[node.index()].bridge;
            bridge.learn(self.now, address, interface.0);
            self.tell_bridges(node, address);
        }
        let Some(admitting) = self.admitting(interface) else {
            return;
        };
        let (kept, others) = (std::mem::take(&mut admitting.kept).into_iter())
            .partition::<Vec<_>, _>(|&(whose, _)| whose == station);
        admitting.kept = others;
        for (_, handle) in kept {
            self.send_frame(interface, handle);
        }
    }

    fn tell_bridges(&mut self, node: NodeId, source: MacAddress) {
        let update = self.packets.keep(&UPDATE);
        let hop = InterfaceHop {
            source,
            destination: MacAddress::BROADCAST,
        };
        let handle = self.packets.insert(Packet {
            hop,
            load: Some(update),
            body: Body::Foreign(ForeignPacket::of_kind(UPDATE_LENGTH)),
            ..Packet::of_link(UPDATE.len() as u16)
        });
        self.packets.release_bytes(update);
        for at in 0..self.network.machines[node.index()].interfaces.len() {
            let port = self.network.machines[node.index()].interfaces[at];
            if let Egress::Link(_) | Egress::Segment(..) = self.network.interface(port).egress {
                self.packets.hold(handle);
                self.send_frame(port, handle);
            }
        }
        self.packets.release(handle);
    }

    /// A station belongs to an access point no more.
    fn let_leave(&mut self, interface: InterfaceId, station: InterfaceId) {
        let node = self.network.interface(interface).node;
        self.network.forget_station(node, station);
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let flushed = radios.flush(self.now, interface, station.address());
        let Some(admitting) = self.admitting(interface) else {
            return;
        };
        match admitting.keeps_queue {
            true => (admitting.kept).extend(flushed.into_iter().map(|handle| (station, handle))),
            false => (flushed.into_iter()).for_each(|handle| self.drop_for_absent(node, handle)),
        }
    }

    /// An access point drops a packet whose station is not with it.
    pub(in crate::world) fn drop_for_absent(&mut self, node: NodeId, handle: PacketId) {
        self.observers.absent_stations.count_drop(node);
        self.drop_packet(node, handle, DropReason::NoStation);
    }

    /// A bridge hears where a station is now.
    pub(in crate::world) fn hear_of_station(&mut self, port: InterfaceId, packet: &Packet) {
        let node = self.network.interface(port).node;
        let (Body::Foreign(update), Some(station)) =
            (packet.body, packet.hop.source.node().map(InterfaceId))
        else {
            return;
        };
        if update.kind != UPDATE_LENGTH {
            return;
        }
        for at in 0..self.network.machines[node.index()].interfaces.len() {
            let own = self.network.machines[node.index()].interfaces[at];
            let admitting = (self.air.associations.as_mut()).and_then(|all| all.access_point(own));
            if admitting.is_some_and(|each| each.access_point.on_moved(station.address())) {
                self.let_leave(own, station);
            }
        }
        let bridge = &mut self.network.machines[node.index()].bridge;
        bridge.learn(self.now, packet.hop.source, port.0);
    }

    /// Returns whether a packet at the head of an access point's queue is for a station that has
    /// left.
    pub(in crate::world) fn has_left(&mut self, interface: InterfaceId, handle: PacketId) -> bool {
        let destination = self.packets.get(handle).hop.destination;
        let Some(associations) = &mut self.air.associations else {
            return false;
        };
        let Some(station) = self.network.station_for(self.now, destination) else {
            return false;
        };
        let is_seeking = associations.station(station).is_some();
        let admitting = associations.access_point(interface);
        is_seeking && admitting.is_some_and(|each| !each.access_point.has(station.address()))
    }
}
