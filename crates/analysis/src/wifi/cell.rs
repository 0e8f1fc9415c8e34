//! Cells: what access points say of themselves in beacons and probe responses.

use serde::Serialize;

use dissect::{Dot11Frame, frequency_of, kind};
use units::MacAddress;

/// Cells kept; more are counted. A flood of made-up beacons has more than any place has.
const MOST_CELLS: usize = 1_024;

/// A time unit, in which beacon intervals are told (IEEE 802.11-2020, 3.1).
const TIME_UNIT_US: u64 = 1_024;

// Capability bits (9.4.1.4).
const PRIVACY: u16 = 1 << 4;
const SHORT_SLOT: u16 = 1 << 10;

// Element identifiers (9.4.2).
const SSID: u8 = 0;
const DS_PARAMETERS: u8 = 3;
const HT_OPERATION: u8 = 61;

/// A cell (BSS).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bss {
    /// Its identifier: the access point's address.
    pub bssid: MacAddress,
    /// The network's name; none if it is hidden. What is no UTF-8 is replaced.
    pub ssid: Option<String>,
    /// The channel's number.
    pub channel: Option<u8>,
    /// The centre of its primary 20 MHz; 0 if unknown.
    pub frequency_mhz: u16,
    /// Beacons captured.
    pub beacons: u64,
    /// Beacons that should have come between the first and the last, by the access point's own
    /// timer, less those that did.
    pub beacons_missed: u64,
    /// From one beacon to the next, in units of 1024 µs.
    pub interval_tu: u16,
    /// Data must be encrypted.
    pub has_privacy: bool,
    /// The short slot of 802.11g is in use.
    pub has_short_slot: bool,
    /// Time when it was first heard of, in nanoseconds since 1970.
    pub first_ns: u64,
    /// Time when it was last heard of.
    pub last_ns: u64,
    #[serde(skip)]
    timer_us: u64,
}

/// All cells, in the order in which they were first heard of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cells {
    pub listed: Vec<Bss>,
    /// Beacons and probe responses of cells that are not listed.
    pub unlisted: u64,
    recent: usize,
}

impl Cells {
    /// Takes a beacon or a probe response.
    pub fn take(&mut self, frame: &Dot11Frame, body: &[u8]) -> Option<&Bss> {
        let bssid = frame.third;
        let is_it = |cell: &Bss| cell.bssid == bssid;
        if !self.listed.get(self.recent).is_some_and(is_it) {
            self.recent = match self.listed.iter().position(is_it) {
                Some(place) => place,
                None if self.listed.len() < MOST_CELLS => {
                    self.listed.push(Bss {
                        bssid,
                        first_ns: frame.time_ns,
                        ..Bss::default()
                    });
                    self.listed.len() - 1
                }
                None => {
                    self.unlisted += 1;
                    return None;
                }
            };
        }
        let cell = &mut self.listed[self.recent];
        cell.last_ns = frame.time_ns;
        cell.take(frame, body);
        Some(cell)
    }
}

impl Bss {
    /// Timestamp (8), interval (2), capability (2), elements (9.3.3.2, 9.3.3.10).
    fn take(&mut self, frame: &Dot11Frame, body: &[u8]) {
        let Some((fixed, elements)) = body.split_first_chunk::<12>() else {
            return;
        };
        let timer_us = u64::from_le_bytes(*fixed.first_chunk().expect("eight bytes"));
        self.interval_tu = u16::from_le_bytes([fixed[8], fixed[9]]);
        let capability = u16::from_le_bytes([fixed[10], fixed[11]]);
        self.has_privacy = capability & PRIVACY != 0;
        self.has_short_slot = capability & SHORT_SLOT != 0;
        if frame.kind() == kind::BEACON {
            self.note_beacon(timer_us);
        }
        self.take_elements(elements);
        self.frequency_mhz = match self.channel {
            Some(channel) => frequency_of(channel.into()),
            None => frame.radio.frequency_mhz,
        };
    }

    fn note_beacon(&mut self, timer_us: u64) {
        let interval_us = u64::from(self.interval_tu) * TIME_UNIT_US;
        let elapsed_us = timer_us.checked_sub(self.timer_us);
        if let (Some(elapsed_us), true) = (elapsed_us, self.beacons > 0 && interval_us > 0) {
            // To the nearest: a beacon waits for a busy channel.
            let due = elapsed_us.saturating_add(interval_us / 2) / interval_us;
            self.beacons_missed = self.beacons_missed.saturating_add(due.saturating_sub(1));
        }
        self.beacons += 1;
        self.timer_us = timer_us;
    }

    fn take_elements(&mut self, mut elements: &[u8]) {
        while let [id, length, rest @ ..] = elements {
            let Some((value, rest)) = rest.split_at_checked(usize::from(*length)) else {
                return;
            };
            match (*id, value) {
                // A hidden name is empty or all zeros.
                (SSID, name) if name.iter().any(|&byte| byte != 0) => {
                    let is_known = self.ssid.as_deref().map(str::as_bytes) == Some(name);
                    if !is_known {
                        self.ssid = Some(String::from_utf8_lossy(name).into_owned());
                    }
                }
                (DS_PARAMETERS, [channel, ..]) | (HT_OPERATION, [channel, ..]) => {
                    self.channel = Some(*channel);
                }
                _ => {}
            }
            elements = rest;
        }
    }
}
