//! A learning bridge (IEEE 802.1D-2004 clause 7).

use units::{MacAddress, Time};

use crate::addresses::{AGEING, AddressEntry, Addresses};

/// The addresses whose frames no bridge forwards, 01-80-C2-00-00-00 to -0F (IEEE 802.1D-2004
/// Table 7-10), without their last four bits.
const RESERVED: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x00];

/// Where a frame goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Through this port.
    Port(u16),
    /// Through every port but the one it came through.
    Flood,
    /// Nowhere: it has passed its receiver, or is meant for the bridge alone.
    Discard,
}

/// A bridge's knowledge of where stations are.
#[derive(Clone, Debug, Default)]
pub struct Bridge {
    /// Simulated interfaces, by their number.
    ours: Vec<AddressEntry>,
    /// All others.
    foreign: Addresses,
}

const UNHEARD: AddressEntry = AddressEntry {
    port: 0,
    until: Time::ZERO,
};

impl Bridge {
    /// Notes that `source` has sent a frame that came through `port`.
    #[inline]
    pub fn learn(&mut self, now: Time, source: MacAddress, port: u16) {
        let until = now + AGEING;
        let entry = AddressEntry { port, until };
        match source.node() {
            Some(number) => match self.ours.get_mut(usize::from(number)) {
                Some(fixed) if fixed.until == Time::NEVER => {}
                Some(place) => *place = entry,
                None => self.make_room(number, entry),
            },
            None if source.is_group() => {}
            None => self.foreign.learn(now, source, port),
        }
    }

    /// Enters that frames to a simulated interface go through `port` whatever is heard (IEEE
    /// 802.1D-2004 §7.9.1, a static entry): a station that is associated, or the bridge itself.
    pub fn fix(&mut self, number: u16, port: u16) {
        let until = Time::NEVER;
        let entry = AddressEntry { port, until };
        match self.ours.get_mut(usize::from(number)) {
            Some(place) => *place = entry,
            None => self.make_room(number, entry),
        }
    }

    /// Takes out what is known of a simulated interface: a station that has left.
    pub fn forget(&mut self, number: u16) {
        if let Some(place) = self.ours.get_mut(usize::from(number)) {
            *place = UNHEARD;
        }
    }

    /// Takes out what is known of an address that is no simulated interface's.
    pub fn forget_foreign(&mut self, address: MacAddress) {
        self.foreign.forget(address);
    }

    /// Where a frame to `destination` goes that came through the port `from`.
    #[inline]
    pub fn decide(&self, now: Time, from: u16, destination: MacAddress) -> Decision {
        let Some(number) = destination.node() else {
            return self.decide_foreign(now, from, destination);
        };
        pass_on(now, from, self.ours.get(usize::from(number)))
    }

    #[inline(never)]
    fn decide_foreign(&self, now: Time, from: u16, destination: MacAddress) -> Decision {
        if is_reserved(destination) {
            return Decision::Discard;
        }
        pass_on(now, from, self.foreign.entry(destination))
    }

    #[cold]
    fn make_room(&mut self, number: u16, entry: AddressEntry) {
        self.ours.resize(usize::from(number), UNHEARD);
        self.ours.push(entry);
    }
}

/// Where a frame goes that came through the port `from`, if its receiver was heard as `entry` says.
#[inline]
fn pass_on(now: Time, from: u16, entry: Option<&AddressEntry>) -> Decision {
    match entry {
        Some(entry) if entry.until == Time::NEVER => Decision::Port(entry.port),
        Some(entry) if now >= entry.until => Decision::Flood,
        Some(entry) if entry.port == from => Decision::Discard,
        Some(entry) => Decision::Port(entry.port),
        None => Decision::Flood,
    }
}

fn is_reserved(address: MacAddress) -> bool {
    let [a, b, c, d, e, f] = address.0;
    [a, b, c, d, e, f & 0xF0] == RESERVED
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;

    #[test]
    fn what_is_fixed_goes_there_from_wherever_it_comes() {
        let mut bridge = Bridge::default();
        bridge.fix(1, 7);
        bridge.learn(Time::ZERO, ALICE, 3);
        for from in [3, 7] {
            assert_eq!(bridge.decide(Time::ZERO, from, ALICE), Decision::Port(7));
        }
    }

    const ALICE: MacAddress = MacAddress::of_node(1);
    const BOB: MacAddress = MacAddress::of_node(2);
    const PRINTER: MacAddress = MacAddress([0x00, 0x60, 0xB0, 0x12, 0x34, 0x56]);

    fn at(secs: u64) -> Time {
        Time::ZERO + Duration::from_secs(secs)
    }

    #[test]
    fn the_first_frame_goes_everywhere_and_its_answer_back_only() {
        let mut bridge = Bridge::default();
        bridge.learn(at(0), ALICE, 0);
        assert_eq!(bridge.decide(at(0), 0, BOB), Decision::Flood);
        bridge.learn(at(0), BOB, 1);
        assert_eq!(bridge.decide(at(0), 1, ALICE), Decision::Port(0));
        assert_eq!(bridge.decide(at(0), 0, BOB), Decision::Port(1));
    }

    #[test]
    fn what_its_receiver_has_heard_already_is_not_forwarded() {
        let mut bridge = Bridge::default();
        bridge.learn(at(0), BOB, 0);
        assert_eq!(bridge.decide(at(0), 0, BOB), Decision::Discard);
    }

    #[test]
    fn a_station_that_has_moved_is_found_as_soon_as_it_sends() {
        for station in [ALICE, PRINTER] {
            let mut bridge = Bridge::default();
            bridge.learn(at(0), station, 0);
            bridge.learn(at(1), station, 2);
            assert_eq!(bridge.decide(at(1), 1, station), Decision::Port(2));
        }
    }

    #[test]
    fn a_station_that_has_been_silent_for_300_s_is_looked_for_everywhere() {
        for station in [ALICE, PRINTER] {
            let mut bridge = Bridge::default();
            bridge.learn(at(10), station, 1);
            assert_eq!(bridge.decide(at(309), 0, station), Decision::Port(1));
            assert_eq!(bridge.decide(at(310), 0, station), Decision::Flood);
        }
    }

    #[test]
    fn a_group_is_nowhere_in_particular_and_a_bridge_keeps_what_is_for_bridges() {
        let mut bridge = Bridge::default();
        bridge.learn(at(0), MacAddress::BROADCAST, 1);
        let to_all = bridge.decide(at(0), 0, MacAddress::BROADCAST);
        assert_eq!(to_all, Decision::Flood);
        let pause = MacAddress([0x01, 0x80, 0xC2, 0, 0, 0x01]);
        assert_eq!(bridge.decide(at(0), 0, pause), Decision::Discard);
    }
}
