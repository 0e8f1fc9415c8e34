//! Associations in a world: stations that scan, join and leave, access points that admit them.

use std::collections::VecDeque;

use capture::packet::EtherType;
use dot11::association::{AccessPoint, Action, Answer, Cause, Change, Heard, Management, Station};
use dot11::codec::ManagementBody;
use dot11::{Address, Msdu};
use units::table::Node;
use units::{Duration, MacAddress, Time};

use super::{Event, World};
use crate::beacon::BeaconContent;
use crate::network::{Egress, Network};
use crate::packet::{Body, Hop, Packet};
use crate::plan::Plan;
use crate::record::AssociationCut;
use crate::roams::{Parts, Roam};

/// Stations and access points of a world whose associations are made on the air.
#[derive(Debug)]
pub struct Associations {
    stations: Vec<Seeking>,
    access_points: Vec<Admitting>,
    /// By interface, which of them it is.
    roles: Vec<Option<Part>>,
    /// Every time that a station left so far.
    pub roams: Vec<Roam>,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Station(u16),
    AccessPoint(u16),
}

/// A station.
#[derive(Debug)]
struct Seeking {
    station: Station,
    interface: u16,
    node: u16,
    /// Where its packets go while it is associated.
    egress: Egress,
    /// Packets that wait until it is back on its channel, or associated again.
    waiting: VecDeque<u32>,
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
struct Admitting {
    access_point: AccessPoint,
    keeps_queue: bool,
    /// Packets kept for stations that have left, by the station's interface.
    kept: Vec<(u16, u32)>,
    /// MSDUs given up so far.
    given_up: u64,
}

/// An Ethernet frame of IEEE 802.3 gives its length here: that of what follows.
const UPDATE_LENGTH: EtherType = EtherType(6);
/// What tells bridges where a station is now: an exchange identification of the null service
/// access point (IEEE 802.2 §5.4.1.1.2), in the station's name, as access points send it (IEEE
/// 802.11F §6.3).
const UPDATE: [u8; 6] = [0x00, 0x01, 0xaf, 0x81, 0x01, 0x00];
/// When a radio is asked again to change its channel that was in the middle of an exchange: about
/// as long as one. [inferred: devices take 1 to 5 ms to change]
const RETUNE: Duration = Duration::from_millis(1);

impl Associations {
    /// Those of a plan; none where all are associated for ever.
    pub fn new(plan: &Plan, network: &Network) -> Option<Box<Associations>> {
        let told = plan.associations.as_ref()?;
        let mut roles = vec![None; network.interfaces.len()];
        let mut access_points = Vec::new();
        for (number, admitting) in (0..).zip(&told.access_points) {
            let interface = network.interface_at(admitting.at);
            roles[usize::from(interface)] = Some(Part::AccessPoint(number));
            access_points.push(Admitting {
                access_point: AccessPoint::new(admitting.lost_packets),
                keeps_queue: admitting.keeps_queue,
                kept: Vec::new(),
                given_up: 0,
            });
        }
        let mut stations = Vec::new();
        for (number, seeking) in (0..).zip(&told.stations) {
            let interface = network.interface_at(seeking.at);
            let radio = plan.radio_at(seeking.at)?;
            let at = radio.access_point?;
            let access_point = plan.radio_at(at)?;
            let with = network.interface_at(at);
            if let Some(Part::AccessPoint(number)) = roles[usize::from(with)] {
                let admitting = &mut access_points[usize::from(number)];
                admitting.access_point.admit(Address(interface));
            }
            roles[usize::from(interface)] = Some(Part::Station(number));
            let air = plan.air.as_ref()?;
            let loss = air.loss_db[at.node][seeking.at.node];
            let heard = Heard {
                from: Address(with),
                frequency_mhz: access_point.frequency_mhz,
                interval: access_point.beacon_interval_ns.unwrap_or_default(),
                signal: access_point.tx_power_dbm - loss,
            };
            stations.push(Seeking {
                station: Station::new(seeking.by.clone(), heard),
                interface,
                node: seeking.at.node as u16,
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
            roams: Vec::new(),
        }))
    }

    /// The interfaces of the stations.
    pub fn stations(&self) -> impl Iterator<Item = u16> {
        self.stations.iter().map(|seeking| seeking.interface)
    }

    /// Packets that wait with stations and access points, and in no queue.
    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        let stations = self.stations.iter().map(|seeking| seeking.waiting.len());
        let kept = self.access_points.iter().map(|each| each.kept.len());
        stations.chain(kept).sum()
    }

    fn station(&mut self, interface: u16) -> Option<&mut Seeking> {
        match self.roles[usize::from(interface)]? {
            Part::Station(number) => self.stations.get_mut(usize::from(number)),
            Part::AccessPoint(_) => None,
        }
    }

    fn access_point(&mut self, interface: u16) -> Option<&mut Admitting> {
        match self.roles[usize::from(interface)]? {
            Part::AccessPoint(number) => self.access_points.get_mut(usize::from(number)),
            Part::Station(_) => None,
        }
    }

    /// A data frame of a station or to it has come through.
    fn note_served(&mut self, now: Time, interface: u16) {
        let Some(seeking) = self.station(interface).filter(|each| each.is_unserved) else {
            return;
        };
        seeking.is_unserved = false;
        let node = seeking.node;
        if let Some(roam) = self.last_roam(node) {
            roam.served_s = Some(now);
        }
    }

    /// How many changes of a station are over, and what all of them together were made of.
    fn over(&self, node: u16) -> (u64, Parts) {
        let own = self.roams.iter().filter(|roam| roam.station == Node(node));
        own.filter_map(Roam::parts)
            .fold((0, Parts::default()), |(count, all), parts| {
                (count + 1, all + parts)
            })
    }

    /// Mobile IP has registered a station.
    pub fn note_registration(&mut self, now: Time, node: u16) {
        if let Some(roam) = self.last_roam(node) {
            roam.registered_s.get_or_insert(now);
        }
    }

    /// The last time that a station left, if it is to be told of.
    fn last_roam(&mut self, node: u16) -> Option<&mut Roam> {
        let mut all = self.roams.iter_mut().rev();
        all.find(|roam| roam.station == Node(node))
    }
}

impl World {
    fn seeking(&mut self, interface: u16) -> Option<&mut Seeking> {
        self.associations.as_mut()?.station(interface)
    }

    fn admitting(&mut self, interface: u16) -> Option<&mut Admitting> {
        self.associations.as_mut()?.access_point(interface)
    }

    /// Every beacon and other management frame comes by here, where associations are made on the
    /// air.
    #[cold]
    pub(super) fn hear_management(&mut self, sender: Address) {
        let (Some(radios), Some(_)) = (&mut self.radios, &self.associations) else {
            return;
        };
        let from = radios.interface_of(sender);
        let beacons = std::mem::take(&mut radios.taken.beacons);
        for &interface in &beacons {
            self.hear_beacon(from, interface);
        }
        while let Some(delivered) =
            (self.radios.as_mut()).and_then(|radios| radios.taken.managed.pop())
        {
            if let Body::Management(what) = self.packets.get(delivered.packet).body {
                self.take_management(delivered.interface, from, what);
            }
        }
        if let Some(radios) = &mut self.radios {
            radios.taken.beacons = beacons;
            radios.taken.beacons.clear();
        }
    }

    fn hear_beacon(&mut self, from: u16, interface: u16) {
        let (Some(radios), Some(radio)) = (
            &self.radios,
            self.plan.radio_at(self.network.place_of(from)),
        ) else {
            return;
        };
        let heard = Heard {
            from: Address(from),
            frequency_mhz: radio.frequency_mhz,
            interval: radio.beacon_interval_ns.unwrap_or_default(),
            signal: radios.signal(Address(from), interface),
        };
        let now = self.now;
        if let Some(seeking) = self.seeking(interface) {
            seeking.station.on_beacon(now, &heard);
            self.do_as_told(interface);
        }
    }

    fn take_management(&mut self, interface: u16, from: u16, what: Management) {
        let now = self.now;
        let Some(associations) = &mut self.associations else {
            return;
        };
        if let Some(admitting) = associations.access_point(interface) {
            let answer = (admitting.access_point).on_management(Address(from), what);
            return self.answer_as(interface, from, answer);
        }
        if what == Management::ProbeResponse {
            return self.hear_beacon(from, interface);
        }
        let Some(seeking) = associations.station(interface) else {
            return;
        };
        seeking.station.on_management(now, Address(from), what);
        let node = seeking.node;
        if let (Management::Authentication { .. }, Some(roam)) =
            (what, associations.last_roam(node))
        {
            roam.authenticated_s = Some(now);
        }
        self.do_as_told(interface);
    }

    /// A station's time may have come.
    pub(super) fn look_at_association(&mut self, interface: u16) {
        let now = self.now;
        let Some(seeking) = self.seeking(interface) else {
            return;
        };
        if let Some(frequency_mhz) = seeking.to_tune.take() {
            self.tune(interface, frequency_mhz);
        }
        let Some(seeking) = self.seeking(interface) else {
            return;
        };
        if seeking.looks_at <= now {
            seeking.looks_at = Time::NEVER;
        }
        seeking.station.on_timer(now);
        self.do_as_told(interface);
    }

    /// Does what a station wants done, and sees to it that its time is looked at.
    pub(super) fn do_as_told(&mut self, interface: u16) {
        loop {
            let Some(seeking) = self.seeking(interface) else {
                return;
            };
            let Some(action) = seeking.station.poll() else {
                break;
            };
            match action {
                Action::Tune(frequency_mhz) => self.tune(interface, frequency_mhz),
                Action::Send(to, what) => self.ask_access_point(interface, to, what),
                Action::Join(to) => self.join(interface, to.0),
                Action::Leave(cause) => self.leave_access_point(interface, cause),
                Action::Away => self.go_away(interface),
                Action::Back => self.come_back(interface),
            }
        }
        let Some(seeking) = self.seeking(interface) else {
            return;
        };
        let wake_at = seeking.station.wake_at();
        if wake_at < seeking.looks_at {
            seeking.looks_at = wake_at;
            let at = wake_at.max(self.now);
            self.calendar.schedule(at, Event::Association(interface));
        }
    }

    fn tune(&mut self, interface: u16, frequency_mhz: u16) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        let is_done = radios.tune(interface, frequency_mhz);
        if let Some(seeking) = self.seeking(interface) {
            seeking.to_tune = (!is_done).then_some(frequency_mhz);
        }
        if !is_done {
            let again_at = self.now + RETUNE;
            self.calendar
                .schedule(again_at, Event::Association(interface));
        }
    }

    /// A station asks an access point, or all.
    fn ask_access_point(&mut self, interface: u16, to: Address, what: Management) {
        let now = self.now;
        if let (Management::Authentication { .. }, Some(associations)) =
            (what, &mut self.associations)
        {
            let other = self.network.interface(to.0).node;
            let node = self.network.interface(interface).node;
            if let Some(roam) = associations.last_roam(node) {
                roam.to = Node(other);
                roam.found_s = Some(now);
            }
        }
        self.send_management(interface, to, what);
    }

    fn send_management(&mut self, interface: u16, to: Address, what: Management) {
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
            false => self.network.interface(address.0).mac,
        };
        let hop = Hop {
            source: mac(Address(interface)),
            destination: mac(to),
        };
        let handle = self.packets.insert(Packet {
            hop,
            body: Body::Management(what),
            ..Packet::of_link(bytes)
        });
        let mmpdu = Msdu {
            id: handle,
            destination: to,
            bytes,
            kind: what.kind(),
        };
        if let Some(radios) = &mut self.radios {
            radios.send_management(self.now, interface, mmpdu);
        }
    }

    /// A station belongs to an access point from here on.
    fn join(&mut self, interface: u16, access_point: u16) {
        let now = self.now;
        let Some(associations) = &mut self.associations else {
            return;
        };
        let Some(seeking) = associations.station(interface) else {
            return;
        };
        let node = seeking.node;
        seeking.associations += 1;
        seeking.is_unserved = true;
        let since = seeking.left.take().unwrap_or(now);
        seeking.outage += now - since;
        if let Some(roam) = associations.last_roam(node) {
            roam.associated_s = Some(now);
        }
        self.network.interfaces[usize::from(interface)].access_point = Some(access_point);
        let with = self.network.interface(access_point).mac;
        self.taps.on_association(interface, Some(with), now);
        self.come_back(interface);
    }

    /// A station belongs to nobody from here on: as when a cable is pulled, what waits is dropped,
    /// unless the device keeps it.
    fn leave_access_point(&mut self, interface: u16, cause: Cause) {
        let now = self.now;
        self.go_away(interface);
        let from = self.network.interface(interface).access_point;
        self.network.interfaces[usize::from(interface)].egress = Egress::Nowhere;
        self.taps.on_association(interface, None, now);
        let Some(associations) = &mut self.associations else {
            return;
        };
        let Some(seeking) = associations.station(interface) else {
            return;
        };
        seeking.left = Some(now);
        seeking.deauthenticated += u64::from(cause == Cause::Deauthenticated);
        let (node, heard_s) = (seeking.node, seeking.station.heard_at());
        if !seeking.station.keeps_queue() {
            let waiting = std::mem::take(&mut seeking.waiting);
            seeking.dropped += waiting.len() as u64;
            waiting
                .into_iter()
                .for_each(|handle| self.packets.release(handle));
        }
        let from = Node(from.map_or(node, |from| self.network.interface(from).node));
        associations.roams.push(Roam {
            station: Node(node),
            from,
            to: from,
            why: cause.into(),
            heard_s,
            left_s: now,
            found_s: None,
            authenticated_s: None,
            associated_s: None,
            registered_s: None,
            served_s: None,
        });
    }

    /// A station's packets wait while it is on other channels.
    fn go_away(&mut self, interface: u16) {
        let now = self.now;
        self.network.interfaces[usize::from(interface)].egress = Egress::Held;
        let access_point = self.network.interface(interface).access_point;
        let (Some(radios), Some(access_point)) = (&mut self.radios, access_point) else {
            return;
        };
        let flushed = radios.flush(now, interface, Address(access_point));
        if let Some(seeking) = self.seeking(interface) {
            seeking.waiting.extend(flushed);
        }
    }

    /// They go on.
    fn come_back(&mut self, interface: u16) {
        let Some(seeking) = self.seeking(interface) else {
            return;
        };
        let waiting = std::mem::take(&mut seeking.waiting);
        self.network.interfaces[usize::from(interface)].egress = seeking.egress;
        for handle in waiting {
            self.send_frame(interface, handle);
        }
        self.call_up(interface);
        if !self.greedy[usize::from(interface)].is_empty() {
            self.fill(interface);
        }
    }

    /// Whether the station of an interface is associated by frames on the air.
    pub(super) fn looks_for_access_points(&self, interface: u16) -> bool {
        let associations = self.associations.as_ref();
        associations
            .is_some_and(|all| matches!(all.roles[usize::from(interface)], Some(Part::Station(_))))
    }

    /// Holds a packet of a station that is on another channel.
    #[cold]
    pub(super) fn hold(&mut self, interface: u16, handle: u32) {
        let Some(radios) = &self.radios else { return };
        let most = radios.queue_limit(interface) as usize;
        match self.seeking(interface) {
            Some(seeking) if seeking.waiting.len() < most => seeking.waiting.push_back(handle),
            Some(seeking) => {
                seeking.dropped += 1;
                self.packets.release(handle);
            }
            None => self.packets.release(handle),
        }
    }

    /// Drops a packet that has no way out.
    #[cold]
    pub(super) fn drop_on_the_way_out(&mut self, interface: u16, handle: u32) {
        self.packets.release(handle);
        if let Some(seeking) = self.seeking(interface) {
            seeking.dropped += 1;
        }
    }

    /// Whether an interface takes a data frame from another one: stations from their access point
    /// alone, access points from their stations, others from anybody.
    #[cold]
    pub(super) fn admits(&mut self, interface: u16, from: u16, handle: u32) -> bool {
        let Some(associations) = &mut self.associations else {
            return true;
        };
        let sender = Address(from);
        let (station, told) = match associations.roles[usize::from(interface)] {
            Some(Part::AccessPoint(number)) => {
                let admitting = &mut associations.access_points[usize::from(number)];
                match associations.roles[usize::from(from)] {
                    Some(Part::Station(_)) => (from, admitting.access_point.on_data(sender)),
                    _ => return true,
                }
            }
            Some(Part::Station(number)) => {
                let seeking = &mut associations.stations[usize::from(number)];
                if seeking.station.access_point() != Some(sender) {
                    let is_for_all = self.packets.get(handle).hop.destination.is_group();
                    seeking.dropped += u64::from(!is_for_all);
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
            associations.note_served(self.now, station);
        }
        true
    }

    /// An access point's MAC has done with a packet.
    #[cold]
    pub(super) fn note_sent(&mut self, interface: u16, handle: u32) {
        let destination = self.packets.get(handle).hop.destination;
        let (Some(associations), Some(radios)) = (&mut self.associations, &self.radios) else {
            return;
        };
        let Some(admitting) = associations.access_point(interface) else {
            return;
        };
        let given_up = radios.given_up(interface);
        let is_given_up = std::mem::replace(&mut admitting.given_up, given_up) != given_up;
        let Some(station) = destination.node().filter(|_| !destination.is_group()) else {
            return;
        };
        let answer = (admitting.access_point).on_sent(Address(station), !is_given_up);
        self.answer_as(interface, station, answer);
    }

    /// An access point answers a station, and takes it in or lets it go.
    fn answer_as(&mut self, interface: u16, station: u16, answer: Answer) {
        if let Some(what) = answer.says {
            self.send_management(interface, Address(station), what);
        }
        match answer.change {
            Some(Change::Joined) => self.take_in(interface, station),
            Some(Change::Left) => self.let_leave(interface, station),
            None => {}
        }
    }

    /// A station belongs to an access point, which tells the bridges behind it.
    fn take_in(&mut self, interface: u16, station: u16) {
        let node = self.network.interface(interface).node;
        let bridge = &mut self.network.machines[usize::from(node)].bridge;
        bridge.fix(station, interface);
        self.tell_bridges(node, station);
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

    fn tell_bridges(&mut self, node: u16, station: u16) {
        let number = self.foreign.keep(&UPDATE);
        let hop = Hop {
            source: self.network.interface(station).mac,
            destination: MacAddress::BROADCAST,
        };
        let handle = self.packets.insert(Packet {
            hop,
            body: Body::Foreign(UPDATE_LENGTH, number),
            ..Packet::of_link(UPDATE.len() as u16)
        });
        for at in 0..self.network.machines[usize::from(node)].interfaces.len() {
            let port = self.network.machines[usize::from(node)].interfaces[at];
            if let Egress::Link(_) | Egress::Segment(..) = self.network.interface(port).egress {
                self.packets.hold(handle);
                self.send_frame(port, handle);
            }
        }
        self.packets.release(handle);
    }

    /// A station belongs to an access point no more.
    fn let_leave(&mut self, interface: u16, station: u16) {
        let node = self.network.interface(interface).node;
        (self.network.machines[usize::from(node)].bridge).forget(station);
        let Some(radios) = &mut self.radios else {
            return;
        };
        let flushed = radios.flush(self.now, interface, Address(station));
        let Some(admitting) = self.admitting(interface) else {
            return;
        };
        match admitting.keeps_queue {
            true => (admitting.kept).extend(flushed.into_iter().map(|handle| (station, handle))),
            false => (flushed.into_iter()).for_each(|handle| self.drop_stray(node, handle)),
        }
    }

    /// An access point drops a packet whose station is not with it.
    pub(super) fn drop_stray(&mut self, node: u16, handle: u32) {
        self.strays.note(node);
        self.packets.release(handle);
    }

    /// A bridge hears where a station is now.
    pub(super) fn hear_of_station(&mut self, port: u16, packet: &Packet) {
        let node = self.network.interface(port).node;
        let (Body::Foreign(UPDATE_LENGTH, _), Some(station)) =
            (packet.body, packet.hop.source.node())
        else {
            return;
        };
        for at in 0..self.network.machines[usize::from(node)].interfaces.len() {
            let own = self.network.machines[usize::from(node)].interfaces[at];
            let admitting = (self.associations.as_mut()).and_then(|all| all.access_point(own));
            if admitting.is_some_and(|each| each.access_point.on_moved(Address(station))) {
                self.let_leave(own, station);
            }
        }
        let bridge = &mut self.network.machines[usize::from(node)].bridge;
        bridge.learn(self.now, packet.hop.source, port);
    }

    /// Whether a packet at the head of an access point's queue is for a station that has left.
    pub(super) fn has_left(&mut self, interface: u16, handle: u32) -> bool {
        let destination = self.packets.get(handle).hop.destination;
        let Some(associations) = &mut self.associations else {
            return false;
        };
        let Some(station) = destination.node().filter(|_| !destination.is_group()) else {
            return false;
        };
        let is_seeking = associations.station(station).is_some();
        let admitting = associations.access_point(interface);
        is_seeking && admitting.is_some_and(|each| !each.access_point.has(Address(station)))
    }

    /// What stations have counted, for a cut.
    pub(super) fn association_cuts(&self) -> Vec<AssociationCut> {
        let (Some(associations), Some(radios)) = (&self.associations, &self.radios) else {
            return Vec::new();
        };
        let cut = |seeking: &Seeking| {
            let open = seeking.left.map_or(Duration::ZERO, |left| self.now - left);
            AssociationCut {
                node: seeking.node,
                roams: seeking.associations,
                deauthenticated: seeking.deauthenticated,
                outage: seeking.outage + open,
                management: radios.management_sent(seeking.interface),
                dropped: seeking.dropped,
                over: associations.over(seeking.node),
            }
        };
        associations.stations.iter().map(cut).collect()
    }
}
