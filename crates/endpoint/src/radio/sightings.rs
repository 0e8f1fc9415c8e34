//! What is kept of a radio's link while a test runs. No address is: who was met has a number.

use units::table::{Cell, Row};

use super::attributes::Attributes;
use super::event::{News, RadioEvent};
use super::station::{LinkedStation, StationSight};
use super::survey::Survey;
use crate::log::{EndpointLog, LogMemory};
use crate::message::{MeasuredRadio, RowTable};

/// `NL80211_ATTR_MAC`, `NL80211_ATTR_STA_INFO` and `NL80211_ATTR_SURVEY_INFO`.
pub(super) const MAC: u16 = 6;
const STATION: u16 = 21;
const SURVEY: u16 = 84;
/// Bytes of a value.
const VALUE: usize = 8;

/// An interface of this machine's radios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RadioInterface {
    /// The number that the kernel has for it.
    pub index: u32,
    /// True if it is that of a station, which has an access point.
    pub is_client: bool,
}

/// All that was seen.
#[derive(Debug)]
pub(crate) struct Sightings {
    interfaces: Vec<u32>,
    met: Vec<[u8; 6]>,
    stations: EndpointLog,
    surveys: EndpointLog,
    events: EndpointLog,
}

impl Sightings {
    /// Nothing so far.
    pub fn new(room: &LogMemory) -> Sightings {
        Sightings {
            interfaces: Vec::new(),
            met: Vec::new(),
            stations: EndpointLog::of_rows(width::<LinkedStation>(), room.clone()),
            surveys: EndpointLog::of_rows(width::<Survey>(), room.clone()),
            events: EndpointLog::of_rows(width::<RadioEvent>(), room.clone()),
        }
    }

    /// Notes what the kernel told of a station, and how long that took; tells whether it was one.
    pub fn station(
        &mut self,
        interface: RadioInterface,
        told: Attributes<'_>,
        time_s: f64,
        took_ms: f64,
    ) -> bool {
        let (Some(address), Some(info)) = (told.address(MAC), told.bytes(STATION)) else {
            return false;
        };
        let sight = StationSight {
            time_s,
            took_ms,
            interface: number(&mut self.interfaces, interface.index),
            station: number(&mut self.met, address),
            is_access_point: interface.is_client,
        };
        push(
            &mut self.stations,
            &LinkedStation::of(sight, Attributes(info)),
        );
        true
    }

    /// Notes what the kernel told of the channel that an interface is on.
    pub fn survey(&mut self, interface: RadioInterface, told: Attributes<'_>, time_s: f64) {
        let interface = number(&mut self.interfaces, interface.index);
        if let Some(survey) = Survey::of(time_s, interface, told.within(SURVEY)) {
            push(&mut self.surveys, &survey);
        }
    }

    /// Notes what the kernel told of its own accord.
    pub fn event(&mut self, interface: RadioInterface, news: News, time_s: f64) {
        let station = news.address.map(|address| number(&mut self.met, address));
        let event = RadioEvent {
            time_s,
            interface: number(&mut self.interfaces, interface.index),
            event: news.what,
            station: station.map(f64::from),
            is_by_other: news.is_by_other,
            reason: news.reason,
            status: news.status,
        };
        push(&mut self.events, &event);
    }

    /// Gives what was seen; `hears_events` tells whether events would have been.
    pub fn end(self, hears_events: bool) -> MeasuredRadio {
        MeasuredRadio {
            hears_events,
            stations: table::<LinkedStation>(self.stations),
            surveys: table::<Survey>(self.surveys),
            events: table::<RadioEvent>(self.events),
        }
    }
}

impl MeasuredRadio {
    /// What is told of a machine whose flows leave by no radio.
    pub(crate) fn silent() -> MeasuredRadio {
        Sightings::new(&LogMemory::new(0)).end(false)
    }
}

/// The number of something among those that were met, which it is from now on.
fn number<T: PartialEq>(met: &mut Vec<T>, one: T) -> u32 {
    let known = met.iter().position(|each| *each == one);
    let place = known.unwrap_or_else(|| {
        met.push(one);
        met.len() - 1
    });
    place as u32
}

/// Bytes of a row: each value is a real number, little-endian, and not a number where none is told.
fn width<R: Row>() -> usize {
    R::columns().len() * VALUE
}

fn push(log: &mut EndpointLog, row: &impl Row) {
    let values = row.cells().into_iter().flat_map(|cell| {
        let value = match cell {
            Cell::Real(value) => value,
            Cell::Whole(value) => value as f64,
            Cell::Code(value) => f64::from(value),
        };
        value.to_le_bytes()
    });
    log.push(&[&values.collect::<Vec<u8>>()]);
}

fn table<R: Row>(log: EndpointLog) -> RowTable {
    let (bytes, lost) = log.end();
    RowTable {
        row: width::<R>() as u32,
        lost,
        bytes,
    }
}

#[cfg(test)]
mod tests;
