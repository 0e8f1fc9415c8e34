//! Associations in a world: stations that scan, join and leave, access points that admit them.

mod access_points;
mod stations;

use std::collections::VecDeque;

use dot11::association::{AccessPoint, HeardBeacon, Management, Station};
use dot11::codec::ManagementBody;
use dot11::{Address, Msdu};
use units::{Duration, MacAddress, Time};

use super::World;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::network::{Egress, Network};
use crate::packets::{Body, InterfaceHop, Packet};
use crate::plan::Plan;
use crate::radios::BeaconContent;
use crate::record::AssociationCut;

/// Stations and access points of a world whose associations are made on the air.
#[derive(Debug)]
pub struct Associations {
    stations: Vec<StationState>,
    access_points: Vec<AccessPointState>,
    /// By interface, which of them it is.
    roles: Vec<Option<AssociationPart>>,
}

#[derive(Clone, Copy, Debug)]
enum AssociationPart {
    Station(usize),
    AccessPoint(usize),
}

/// A station.
#[derive(Debug)]
struct StationState {
    station: Station,
    interface: InterfaceId,
    node: NodeId,
    /// Where its packets go while it is associated.
    egress: Egress,
    /// Packets that wait until it is back on its channel, or associated again.
    waiting: VecDeque<PacketId>,
    /// When the calendar next has it look at its time.
    looks_at: Time,
    /// Where its radio has to go once its exchange is over.
    to_tune: Option<u16>,
    /// Since when it is without association, if it is.
    left: Option<Time>,
    /// Whether nothing has come through since it was associated.
    is_unserved: bool,
    outage: Duration,
    associations: u64,
    deauthenticated: u64,
    dropped: u64,
}

/// An access point.
#[derive(Debug)]
struct AccessPointState {
    access_point: AccessPoint,
    keeps_queue: bool,
    /// Packets kept for stations that have left, by the station's interface.
    kept: Vec<(InterfaceId, PacketId)>,
}

impl Associations {
    /// Those of a plan; none where all are associated for ever.
    pub fn new(plan: &Plan, network: &Network) -> Option<Box<Associations>> {
        let told = plan.associations.as_ref()?;
        let mut roles = vec![None; network.interfaces.len()];
        let mut access_points = Vec::new();
        for (number, admitting) in (0..).zip(&told.access_points) {
            let interface = network.interface_at(admitting.at);
            roles[interface.index()] = Some(AssociationPart::AccessPoint(number));
            access_points.push(AccessPointState {
                access_point: AccessPoint::new(admitting.lost_packets),
                keeps_queue: admitting.keeps_queue,
                kept: Vec::new(),
            });
        }
        let mut stations = Vec::new();
        for (number, seeking) in (0..).zip(&told.stations) {
            let interface = network.interface_at(seeking.at);
            let radio = plan.radio_at(seeking.at)?;
            let at = radio.access_point?;
            let access_point = plan.radio_at(at)?;
            let with = network.interface_at(at);
            if let Some(AssociationPart::AccessPoint(number)) = roles[with.index()] {
                let admitting: &mut AccessPointState = &mut access_points[number];
                admitting.access_point.admit(interface.address());
            }
            roles[interface.index()] = Some(AssociationPart::Station(number));
            let air = plan.air.as_ref()?;
            let loss = air.loss_db[at.node][seeking.at.node];
            let heard = HeardBeacon {
                from: with.address(),
                frequency_mhz: access_point.frequency_mhz,
                interval: access_point.beacon_interval_ns.unwrap_or_default(),
                signal: access_point.tx_power_dbm - loss,
            };
            stations.push(StationState {
                station: Station::new(seeking.by.clone(), heard),
                interface,
                node: NodeId::at(seeking.at.node),
                egress: network.interface(interface).egress,
                waiting: VecDeque::new(),
                looks_at: Time::NEVER,
                to_tune: None,
                left: None,
                is_unserved: false,
                outage: Duration::ZERO,
                associations: 0,
                deauthenticated: 0,
                dropped: 0,
            });
        }
        Some(Box::new(Associations {
            stations,
            access_points,
            roles,
        }))
    }

    /// The interfaces of the stations.
    pub fn stations(&self) -> impl Iterator<Item = InterfaceId> {
        self.stations.iter().map(|seeking| seeking.interface)
    }

    /// Packets that wait with stations and access points, and in no queue.
    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        let stations = self.stations.iter().map(|seeking| seeking.waiting.len());
        let kept = self.access_points.iter().map(|each| each.kept.len());
        stations.chain(kept).sum()
    }

    fn station(&mut self, interface: InterfaceId) -> Option<&mut StationState> {
        match self.roles[interface.index()]? {
            AssociationPart::Station(number) => self.stations.get_mut(number),
            AssociationPart::AccessPoint(_) => None,
        }
    }

    fn access_point(&mut self, interface: InterfaceId) -> Option<&mut AccessPointState> {
        match self.roles[interface.index()]? {
            AssociationPart::AccessPoint(number) => self.access_points.get_mut(number),
            AssociationPart::Station(_) => None,
        }
    }
}

impl World {
    fn seeking(&mut self, interface: InterfaceId) -> Option<&mut StationState> {
        self.air.associations.as_mut()?.station(interface)
    }

    fn admitting(&mut self, interface: InterfaceId) -> Option<&mut AccessPointState> {
        self.air.associations.as_mut()?.access_point(interface)
    }

    /// Every beacon and other management frame comes by here, where associations are made on the
    /// air.
    #[cold]
    pub(super) fn hear_management(&mut self, sender: Address) {
        let (Some(radios), Some(_)) = (&mut self.air.radios, &self.air.associations) else {
            return;
        };
        let from = radios.interface_of(sender);
        let beacons = std::mem::take(&mut radios.taken.beacons);
        for &interface in &beacons {
            self.hear_beacon(from, interface);
        }
        while let Some(delivered) =
            (self.air.radios.as_mut()).and_then(|radios| radios.taken.managed.pop())
        {
            if let Body::Management(what) = self.packets.get(delivered.packet).body {
                self.take_management(delivered.interface, from, what);
            }
        }
        if let Some(radios) = &mut self.air.radios {
            radios.taken.beacons = beacons;
            radios.taken.beacons.clear();
        }
    }

    fn hear_beacon(&mut self, from: InterfaceId, interface: InterfaceId) {
        let (Some(radios), Some(radio)) = (
            &mut self.air.radios,
            self.plan.radio_at(self.network.place_of(from)),
        ) else {
            return;
        };
        let heard = HeardBeacon {
            from: from.address(),
            frequency_mhz: radio.frequency_mhz,
            interval: radio.beacon_interval_ns.unwrap_or_default(),
            signal: radios.signal(from.address(), interface),
        };
        let now = self.now;
        if let Some(seeking) = self.seeking(interface) {
            seeking.station.on_beacon(now, &heard);
            self.do_as_told(interface);
        }
    }

    fn take_management(&mut self, interface: InterfaceId, from: InterfaceId, what: Management) {
        let now = self.now;
        let Some(associations) = &mut self.air.associations else {
            return;
        };
        if let Some(admitting) = associations.access_point(interface) {
            let answer = (admitting.access_point).on_management(from.address(), what);
            return self.answer_as(interface, from, answer);
        }
        if what == Management::ProbeResponse {
            return self.hear_beacon(from, interface);
        }
        let Some(seeking) = associations.station(interface) else {
            return;
        };
        seeking.station.on_management(now, from.address(), what);
        let node = seeking.node;
        if let Management::Authentication { .. } = what {
            (self.observers.roams).change_last(node, |roam| roam.authenticated_s = Some(now));
        }
        self.do_as_told(interface);
    }

    fn send_management(&mut self, interface: InterfaceId, to: Address, what: Management) {
        let (Some(radio), Some(air)) = (
            self.plan.radio_at(self.network.place_of(interface)),
            &self.plan.air,
        ) else {
            return;
        };
        let cell = BeaconContent::new(radio, air);
        let body = ManagementBody {
            what,
            cell: cell.at(self.now),
        };
        let bytes = body.bytes();
        let mac = |address: Address| match address.is_broadcast() {
            true => MacAddress::BROADCAST,
            false => self.network.interface(InterfaceId(address.0)).mac,
        };
        let hop = InterfaceHop {
            source: mac(interface.address()),
            destination: mac(to),
        };
        let handle = self.packets.insert(Packet {
            hop,
            body: Body::Management(what),
            ..Packet::of_link(bytes)
        });
        let mmpdu = Msdu {
            id: handle.0,
            destination: to,
            bytes,
            kind: what.kind(),
        };
        if let Some(radios) = &mut self.air.radios {
            radios.send_management(self.now, interface, mmpdu);
        }
    }

    /// Returns whether an interface takes a data frame from another one: stations from their access
    /// point alone, access points from their stations, others from anybody.
    #[cold]
    pub(super) fn admits(
        &mut self,
        interface: InterfaceId,
        from: InterfaceId,
        handle: PacketId,
    ) -> bool {
        let Some(associations) = &mut self.air.associations else {
            return true;
        };
        let sender = from.address();
        let (station, told) = match associations.roles[interface.index()] {
            Some(AssociationPart::AccessPoint(number)) => {
                let admitting = &mut associations.access_points[number];
                match associations.roles[from.index()] {
                    Some(AssociationPart::Station(_)) => {
                        (from, admitting.access_point.on_data(sender))
                    }
                    _ => return true,
                }
            }
            Some(AssociationPart::Station(number)) => {
                let seeking = &mut associations.stations[number];
                if seeking.station.access_point() != Some(sender) {
                    let is_for_all = self.packets.get(handle).hop.destination.is_group();
                    seeking.dropped += u64::from(!is_for_all);
                    if !is_for_all {
                        let node = seeking.node;
                        self.note_drop(node, handle, DropReason::NotAssociated);
                    }
                    return false;
                }
                (interface, None)
            }
            None => return true,
        };
        if let Some(told) = told {
            self.send_management(interface, sender, told);
            return false;
        }
        let packet = self.packets.get(handle);
        let is_service = !packet.hop.destination.is_group()
            && !matches!(packet.body, Body::Arp(_) | Body::MobileIp(_));
        if is_service {
            self.note_served(station);
        }
        true
    }

    /// A data frame of a station or to it has come through.
    fn note_served(&mut self, interface: InterfaceId) {
        let seeking = self.seeking(interface);
        let Some(seeking) = seeking.filter(|each| each.is_unserved) else {
            return;
        };
        seeking.is_unserved = false;
        let (node, now) = (seeking.node, self.now);
        (self.observers.roams).change_last(node, |roam| roam.served_s = Some(now));
    }

    /// Returns what stations have counted, for a cut.
    pub(super) fn association_cuts(&self) -> Vec<AssociationCut> {
        let (Some(associations), Some(radios)) = (&self.air.associations, &self.air.radios) else {
            return Vec::new();
        };
        let cut = |seeking: &StationState| {
            let open = seeking.left.map_or(Duration::ZERO, |left| self.now - left);
            AssociationCut {
                node: seeking.node,
                roams: seeking.associations,
                deauthenticated: seeking.deauthenticated,
                outage: seeking.outage + open,
                management: radios.management_sent(seeking.interface),
                dropped: seeking.dropped,
                over: self.observers.roams.over(seeking.node),
            }
        };
        associations.stations.iter().map(cut).collect()
    }
}
