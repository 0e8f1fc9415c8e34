//! Whom frames and packets are for.

use std::net::Ipv4Addr;

use dot11::Address;
use units::{MacAddress, Time};

use super::{Egress, Network};
use crate::ids::{InterfaceId, NodeId};
use crate::packets::{InterfaceHop, Packet};

impl Network {
    /// The address of a node.
    #[inline]
    pub fn address(&self, node: NodeId) -> Ipv4Addr {
        self.interface(node.first_interface()).ip
    }

    /// Returns whether an address is one of a machine's.
    pub fn is_at_home(&self, node: NodeId, address: Ipv4Addr) -> bool {
        let owner = self.owner(address);
        owner.is_some_and(|number| self.interface(number).node == node)
    }

    /// Returns whether a packet that has come to an interface is for the machine that it is of.
    #[inline(always)]
    pub fn is_for(&self, interface: InterfaceId, packet: &Packet) -> bool {
        let here = self.interface(interface);
        packet.destination == here.ip || self.is_at_home(here.node, packet.destination)
    }

    /// Returns whether a frame is for the machine whose interface it has come to.
    #[inline(always)]
    pub fn is_for_machine(&self, interface: InterfaceId, hop: &InterfaceHop) -> bool {
        let here = self.interface(interface);
        // An access point sends its stations' broadcasts to all, their senders included.
        let is_for_all = || hop.destination.is_group() && hop.source != here.mac;
        hop.destination == here.mac || is_for_all()
    }

    /// The receiver of a frame on the air. One of a station goes to its access point, whoever it is
    /// for (IEEE 802.11-2007 §7.2.2); one of an access point to the station, or to all.
    #[inline]
    pub fn receiver(&self, now: Time, interface: InterfaceId, destination: MacAddress) -> Address {
        match self.interface(interface).access_point {
            Some(radio) => radio.address(),
            None => match address_of(destination) {
                Address::UNSAID => self.address_behind(now, destination),
                known => known,
            },
        }
    }

    /// The station behind which the machine from outside was heard that a frame is for.
    #[cold]
    fn address_behind(&self, now: Time, destination: MacAddress) -> Address {
        let station = self.station_for(now, destination);
        station.map_or(Address::UNSAID, InterfaceId::address)
    }

    /// Returns whether a frame that has come by radio is for a machine behind another station.
    #[cold]
    pub fn is_between_stations(&self, now: Time, from: InterfaceId, hop: &InterfaceHop) -> bool {
        let [source, destination] =
            [hop.source, hop.destination].map(|address| self.station_for(now, address));
        let is_radio = matches!(
            self.interface(from).egress,
            Egress::Radio | Egress::Functions
        );
        is_radio && destination.is_some() && source != destination
    }

    /// The IP identification of a machine's next packet.
    pub fn identify(&mut self, node: NodeId) -> u16 {
        let last = &mut self.machines[node.index()].identification;
        *last = last.wrapping_add(1);
        *last
    }
}

/// The address on the air of a link address: all stations' for a group; one that nobody answers
/// to for a machine from outside.
#[inline]
fn address_of(destination: MacAddress) -> Address {
    match destination.node() {
        Some(number) => Address(number),
        None if destination.is_group() => Address::BROADCAST,
        None => Address::UNSAID,
    }
}
