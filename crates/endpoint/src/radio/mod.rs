//! The radio by which a flow leaves this machine: what its kernel tells of signal, rates, retries,
//! airtime and channel by nl80211, and when it joins and leaves access points.
//!
//! Asked for and told is what the flows' own links are like. Addresses and names stay here.

mod attributes;
mod event;
mod netlink;
mod rate;
mod sightings;
mod station;
mod survey;
mod ways;

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use netlink_sys::protocols::{NETLINK_GENERIC, NETLINK_ROUTE};
use os::clock::monotonic_ns;

use crate::log::LogMemory;
use crate::message::MeasuredRadio;
use attributes::{Attributes, write};
use event::News;
pub use event::{RadioEvent, RadioEventKind};
use netlink::{Netlink, RequestExtent};
use sightings::{MAC, RadioInterface, Sightings};
pub use station::LinkedStation;
pub use survey::Survey;
use ways::PeerRoute;

/// The family by which others are found, its command, and attributes (`linux/genetlink.h`).
const CONTROL: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const GROUPS: u16 = 7;
const GROUP_NAME: u16 = 1;
const GROUP_ID: u16 = 2;

const NL80211: &[u8] = b"nl80211\0";
/// The group that is told who joins and leaves whom.
const MLME: &[u8] = b"mlme\0";
const GET_INTERFACE: u8 = 5;
const GET_STATION: u8 = 17;
const GET_SURVEY: u8 = 50;
const INDEX: u16 = 3;
const TYPE: u16 = 5;
/// Types of interfaces that have an access point: stations, and those of a direct link.
const CLIENTS: [u64; 2] = [2, 8];

/// The shortest time between two looks: what a station tells changes no faster.
const SHORTEST: Duration = Duration::from_millis(100);
/// A look takes at most one part in so many of the time: some drivers ask their firmware.
const PARTS: u32 = 10;
/// The longest wait, so that a test is stopped soon.
const STOPPING: Duration = Duration::from_millis(50);

/// How this machine's kernel is asked about its radios. The sockets are opened before an endpoint
/// gives up its rights to open any.
#[derive(Debug)]
pub(crate) struct RadioSockets {
    routes: Netlink,
    asked: Netlink,
    /// Where the kernel tells of events, if it lets an endpoint hear them.
    events: Option<Netlink>,
    /// The number that the kernel has for nl80211.
    family: u16,
}

/// What a test needs to know of the links of its flows.
pub(crate) struct WantedLinks {
    /// The machines at the other ends.
    pub peers: Vec<IpAddr>,
    /// The time between two looks, or a little more.
    pub every: Duration,
    /// Instant at which it begins, by CLOCK_MONOTONIC.
    pub start_ns: u64,
    /// Memory for what is seen.
    pub room: LogMemory,
}

impl RadioSockets {
    /// Gets ready to ask; `None` where the kernel knows no radios.
    pub fn open() -> Option<RadioSockets> {
        let mut asked = Netlink::open(NETLINK_GENERIC).ok()?;
        let (family, group) = family(&mut asked, NL80211, MLME)?;
        let events = group.and_then(|group| {
            let events = Netlink::open(NETLINK_GENERIC).ok()?;
            events.join(group).ok().map(|()| events)
        });
        Some(RadioSockets {
            routes: Netlink::open(NETLINK_ROUTE).ok()?,
            asked,
            events,
            family,
        })
    }

    /// Looks at the links of a test until `stop` is set, and tells what was seen.
    pub fn watch(&mut self, wanted: &WantedLinks, stop: &AtomicBool) -> MeasuredRadio {
        let mut seen = Sightings::new(&wanted.room);
        let links = Links::of(&wanted.peers, self);
        let mut next = Instant::now();
        if let Some(events) = &mut self.events {
            // What was told before this test is none of its.
            events.told(|_| {});
        }
        while !links.interfaces.is_empty() && !stop.load(Ordering::Relaxed) {
            let began = Instant::now();
            if began >= next {
                self.look(&links, wanted, &mut seen);
                next = began + wanted.every.max(SHORTEST).max(began.elapsed() * PARTS);
            }
            self.hear(&links, wanted, &mut seen);
            let left = next.saturating_duration_since(Instant::now());
            self.wait(left.min(STOPPING));
        }
        seen.end(self.events.is_some())
    }

    fn look(&mut self, links: &Links, wanted: &WantedLinks, seen: &mut Sightings) {
        for &interface in &links.interfaces {
            let mut is_met = false;
            if interface.is_client {
                if links.leads_by(interface) {
                    is_met = self.meet(interface, None, wanted, seen);
                }
            } else {
                for way in &links.ways {
                    if let Some(next) = way.next_address(&mut self.routes) {
                        is_met |= self.meet(interface, Some(next), wanted, seen);
                    }
                }
            }
            if is_met {
                self.survey(interface, wanted, seen);
            }
        }
    }

    /// Asks about one station, or about all; tells whether there was any.
    fn meet(
        &mut self,
        interface: RadioInterface,
        station: Option<[u8; 6]>,
        wanted: &WantedLinks,
        seen: &mut Sightings,
    ) -> bool {
        let index = interface.index.to_ne_bytes();
        let mut about = vec![(INDEX, &index[..])];
        let address = station.unwrap_or_default();
        let extent = if station.is_some() {
            about.push((MAC, &address));
            RequestExtent::One
        } else {
            RequestExtent::All
        };
        let began = Instant::now();
        let mut is_met = false;
        // A station that has gone meanwhile is an error, and nothing to tell.
        let _ = self.ask(GET_STATION, extent, &about, |told| {
            let took_ms = began.elapsed().as_secs_f64() * 1e3;
            is_met |= seen.station(interface, told, since_s(wanted), took_ms);
        });
        is_met
    }

    fn survey(&mut self, interface: RadioInterface, wanted: &WantedLinks, seen: &mut Sightings) {
        let index = interface.index.to_ne_bytes();
        // A driver may have no survey.
        let _ = self.ask(GET_SURVEY, RequestExtent::All, &[(INDEX, &index)], |told| {
            seen.survey(interface, told, since_s(wanted));
        });
    }

    /// Takes what the kernel has told of its own accord.
    fn hear(&mut self, links: &Links, wanted: &WantedLinks, seen: &mut Sightings) {
        let Some(events) = &mut self.events else {
            return;
        };
        let routes = &mut self.routes;
        events.told(|message| {
            let Some((command, told)) = content(message) else {
                return;
            };
            let (Some(index), Some(news)) = (told.number(INDEX), News::of(command, told)) else {
                return;
            };
            let mut interfaces = links.interfaces.iter();
            let interface = interfaces.find(|each| u64::from(each.index) == index);
            if let Some(&interface) = interface
                && links.concern(interface, &news, routes)
            {
                seen.event(interface, news, since_s(wanted));
            }
        });
    }

    fn wait(&self, longest: Duration) {
        match &self.events {
            // Where waiting is refused, looking is what is left.
            Some(events) => events.wait(longest).unwrap_or(()),
            None => std::thread::sleep(longest),
        }
    }

    fn interfaces(&mut self) -> Vec<RadioInterface> {
        let mut found = Vec::new();
        let _ = self.ask(GET_INTERFACE, RequestExtent::All, &[], |told| {
            let index = told.number(INDEX);
            if let Some(index) = index.and_then(|index| u32::try_from(index).ok()) {
                let is_client = told.number(TYPE).is_some_and(|of| CLIENTS.contains(&of));
                found.push(RadioInterface { index, is_client });
            }
        });
        found
    }

    fn ask(
        &mut self,
        command: u8,
        extent: RequestExtent,
        about: &[(u16, &[u8])],
        mut each: impl FnMut(Attributes<'_>),
    ) -> io::Result<()> {
        let asked = write(&header(command), about);
        self.asked.ask(self.family, extent, &asked, |message| {
            if let Some((_, told)) = content(message) {
                each(told);
            }
        })
    }
}

/// The links of a test's flows.
#[derive(Debug)]
struct Links {
    ways: Vec<PeerRoute>,
    /// The machine's radios.
    interfaces: Vec<RadioInterface>,
}

impl Links {
    fn of(peers: &[IpAddr], radios: &mut RadioSockets) -> Links {
        let ways = peers
            .iter()
            .map(|&peer| PeerRoute::to(peer, &mut radios.routes));
        let mut ways: Vec<PeerRoute> = ways.flatten().collect();
        ways.dedup();
        Links {
            ways,
            interfaces: radios.interfaces(),
        }
    }

    fn leads_by(&self, interface: RadioInterface) -> bool {
        self.ways.iter().any(|way| way.interface == interface.index)
    }

    /// Tells whether an event is about a link of the test: the station's own, or at an access point
    /// that of a machine at the other end, which may stand behind a bridge.
    fn concern(&self, interface: RadioInterface, news: &News, routes: &mut Netlink) -> bool {
        if interface.is_client {
            return self.leads_by(interface);
        }
        let mut nexts = self.ways.iter().map(|way| way.next_address(routes));
        news.address.is_some() && nexts.any(|next| next == news.address)
    }
}

fn since_s(wanted: &WantedLinks) -> f64 {
    let since = monotonic_ns().wrapping_sub(wanted.start_ns) as i64;
    since as f64 / 1e9
}

/// The header of generic netlink: a command, the version, and nothing.
fn header(command: u8) -> [u8; 4] {
    [command, 1, 0, 0]
}

/// The command of a message, and its attributes.
fn content(message: &[u8]) -> Option<(u8, Attributes<'_>)> {
    let (header, attributes) = message.split_first_chunk::<4>()?;
    Some((header[0], Attributes(attributes)))
}

/// The number of a family, and that of one of its groups.
fn family(kernel: &mut Netlink, name: &[u8], group: &[u8]) -> Option<(u16, Option<u32>)> {
    let asked = write(&header(GET_FAMILY), &[(FAMILY_NAME, name)]);
    let mut found = None;
    kernel
        .ask(CONTROL, RequestExtent::One, &asked, |message| {
            let Some((_, told)) = content(message) else {
                return;
            };
            let groups = told.within(GROUPS).each().map(|(_, each)| Attributes(each));
            let mut named = groups.filter(|each| each.bytes(GROUP_NAME) == Some(group));
            let number = named.next().and_then(|each| each.number(GROUP_ID));
            let id = told.number(FAMILY_ID).and_then(|id| u16::try_from(id).ok());
            found = id.map(|id| (id, number.and_then(|number| u32::try_from(number).ok())));
        })
        .ok()?;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confined::confine;

    #[test]
    fn a_confined_endpoint_asks_on_what_was_open_before() {
        let found = std::thread::spawn(|| {
            let mut kernel = Netlink::open(NETLINK_GENERIC).unwrap();
            let before = family(&mut kernel, b"nlctrl\0", b"notify\0");
            confine().unwrap();
            (before, family(&mut kernel, b"nlctrl\0", b"notify\0"))
        });
        let (before, behind) = found.join().unwrap();
        let (number, group) = before.unwrap();
        assert_eq!(number, CONTROL);
        assert!(group.is_some());
        assert_eq!(behind, before);
    }

    #[test]
    fn a_family_that_the_kernel_does_not_know_is_none() {
        let mut kernel = Netlink::open(NETLINK_GENERIC).unwrap();
        assert_eq!(family(&mut kernel, b"nl80299\0", MLME), None);
    }
}
