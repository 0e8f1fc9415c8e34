//! What stations do that look for their access points: scan, ask, join, leave, wait.

use std::collections::VecDeque;

use dot11::Address;
use dot11::association::{Action, LeaveCause, Management};
use units::table::Node;
use units::{Duration, Time};

use super::super::{World, WorldEvent};
use super::AssociationPart;
use crate::ids::{InterfaceId, PacketId};
use crate::meters::DropReason;
use crate::network::Egress;
use crate::rows::Roam;

/// When a radio is asked again to change its channel that was in the middle of an exchange: about
/// as long as one. [inferred: devices take 1 to 5 ms to change]
const RETUNE: Duration = Duration::from_millis(1);

impl World {
    /// A station's time may have come.
    pub(in crate::world) fn look_at_association(&mut self, interface: InterfaceId) {
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
    pub(in crate::world) fn do_as_told(&mut self, interface: InterfaceId) {
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
                Action::Join(to) => self.join(interface, InterfaceId(to.0)),
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
            self.calendar
                .schedule(at, WorldEvent::Association(interface));
        }
    }

    fn tune(&mut self, interface: InterfaceId, frequency_mhz: u16) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let is_done = radios.tune(interface, frequency_mhz);
        if let Some(seeking) = self.seeking(interface) {
            seeking.to_tune = (!is_done).then_some(frequency_mhz);
        }
        if !is_done {
            let again_at = self.now + RETUNE;
            self.calendar
                .schedule(again_at, WorldEvent::Association(interface));
        }
    }

    /// A station asks an access point, or all.
    fn ask_access_point(&mut self, interface: InterfaceId, to: Address, what: Management) {
        if let Management::Authentication { .. } = what {
            let other = self.network.interface(InterfaceId(to.0)).node;
            let (node, now) = (self.network.interface(interface).node, self.now);
            self.observers.roams.change_last(node, |roam| {
                roam.to = other.into();
                roam.found_s = Some(now);
            });
        }
        self.send_management(interface, to, what);
    }

    /// A station belongs to an access point from here on.
    fn join(&mut self, interface: InterfaceId, access_point: InterfaceId) {
        let now = self.now;
        let Some(associations) = &mut self.air.associations else {
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
        (self.observers.roams).change_last(node, |roam| roam.associated_s = Some(now));
        self.network.interfaces[interface.index()].access_point = Some(access_point);
        let with = self.network.interface(access_point).mac;
        self.observers
            .taps
            .on_association(interface, Some(with), now);
        self.come_back(interface);
    }

    /// A station belongs to nobody from here on: as when a cable is pulled, what waits is dropped,
    /// unless the device keeps it.
    fn leave_access_point(&mut self, interface: InterfaceId, cause: LeaveCause) {
        let now = self.now;
        self.go_away(interface);
        let from = self.network.interface(interface).access_point;
        self.network.interfaces[interface.index()].egress = Egress::Nowhere;
        self.observers.taps.on_association(interface, None, now);
        let Some(associations) = &mut self.air.associations else {
            return;
        };
        let Some(seeking) = associations.station(interface) else {
            return;
        };
        seeking.left = Some(now);
        seeking.deauthenticated += u64::from(cause == LeaveCause::Deauthenticated);
        let (node, heard_s) = (seeking.node, seeking.station.heard_at());
        let waiting = match seeking.station.keeps_queue() {
            true => VecDeque::new(),
            false => std::mem::take(&mut seeking.waiting),
        };
        seeking.dropped += waiting.len() as u64;
        let from: Node = from
            .map_or(node, |from| self.network.interface(from).node)
            .into();
        let roam = Roam {
            station: node.into(),
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
        };
        self.observers.roams.on_leave(node, roam);
        for handle in waiting {
            self.drop_packet(node, handle, DropReason::NotAssociated);
        }
    }

    /// A station's packets wait while it is on other channels.
    fn go_away(&mut self, interface: InterfaceId) {
        let now = self.now;
        self.network.interfaces[interface.index()].egress = Egress::Held;
        let access_point = self.network.interface(interface).access_point;
        let (Some(radios), Some(access_point)) = (&mut self.air.radios, access_point) else {
            return;
        };
        let flushed = radios.flush(now, interface, access_point.address());
        if let Some(seeking) = self.seeking(interface) {
            seeking.waiting.extend(flushed);
        }
    }

    /// They go on.
    fn come_back(&mut self, interface: InterfaceId) {
        let Some(seeking) = self.seeking(interface) else {
            return;
        };
        let waiting = std::mem::take(&mut seeking.waiting);
        self.network.interfaces[interface.index()].egress = seeking.egress;
        for handle in waiting {
            self.send_frame(interface, handle);
        }
        let radios = (self.air.radios.as_ref()).map(|radios| radios.radios_of(interface));
        for radio in radios.unwrap_or_default() {
            self.feed_mac(interface, radio);
        }
        if self.hosts.saturates(interface) {
            self.fill(interface);
        }
    }

    /// Holds a packet of a station that is on another channel.
    #[cold]
    pub(in crate::world) fn hold(&mut self, interface: InterfaceId, handle: PacketId) {
        let Some(radios) = &self.air.radios else {
            return;
        };
        let most = radios.queue_limit(interface.address()) as usize;
        match self.seeking(interface) {
            Some(seeking) if seeking.waiting.len() < most => seeking.waiting.push_back(handle),
            Some(seeking) => {
                seeking.dropped += 1;
                self.drop_at(interface, handle, DropReason::NotAssociated);
            }
            None => self.packets.release(handle),
        }
    }

    /// Drops a packet that has no way out.
    #[cold]
    pub(in crate::world) fn drop_on_the_way_out(
        &mut self,
        interface: InterfaceId,
        handle: PacketId,
    ) {
        self.drop_at(interface, handle, DropReason::NotAssociated);
        if let Some(seeking) = self.seeking(interface) {
            seeking.dropped += 1;
        }
    }

    /// Returns whether the station of an interface is associated by frames on the air.
    pub(in crate::world) fn looks_for_access_points(&self, interface: InterfaceId) -> bool {
        let associations = self.air.associations.as_ref();
        associations.is_some_and(|all| {
            matches!(
                all.roles[interface.index()],
                Some(AssociationPart::Station(_))
            )
        })
    }
}
