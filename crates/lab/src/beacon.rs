//! What an access point's beacons say.

use dot11::codec::{Beacon, CAPABILITY_ESS, CAPABILITY_SHORT_PREAMBLE, Tim, supported_rate};
use dot11::{Mode, Preamble};
use units::{Duration, Time};

use crate::plan::{AirPlan, RadioPlan};

/// The unchanging part of an access point's beacons.
pub struct BeaconContent<'a> {
    ssid: &'a str,
    rates: [u8; Mode::COUNT],
    interval_tu: u16,
    capability: u16,
    channel: u8,
}

/// No broadcasts are held, nobody sleeps: an empty bitmap, each beacon a DTIM.
const NOBODY: Tim<'static> = Tim {
    dtim_count: 0,
    dtim_period: 1,
    bitmap_control: 0,
    bitmap: &[0],
};

/// A time unit, in which beacon intervals are told (IEEE 802.11-2007 §3.159).
const TIME_UNIT_NANOS: u64 = 1_024_000;

impl<'a> BeaconContent<'a> {
    /// The beacons of an access point's radio.
    pub fn new(radio: &RadioPlan, air: &'a AirPlan) -> Self {
        let interval = radio.beacon_interval_ns.map_or(0, Duration::as_nanos);
        let short = radio.mac.preamble == Preamble::Short;
        BeaconContent {
            ssid: &air.ssid,
            rates: Mode::ALL
                .map(|mode| supported_rate(mode, radio.mac.basic_rates.contains(&mode))),
            interval_tu: (interval / TIME_UNIT_NANOS) as u16,
            capability: CAPABILITY_ESS | if short { CAPABILITY_SHORT_PREAMBLE } else { 0 },
            channel: channel(air.frequency_mhz),
        }
    }

    /// The beacon sent at `now`.
    pub fn at(&self, now: Time) -> Beacon<'_> {
        Beacon {
            timestamp: now.as_nanos() / 1_000,
            interval_tu: self.interval_tu,
            capability: self.capability,
            ssid: self.ssid.as_bytes(),
            rates: &self.rates,
            channel: Some(self.channel),
            tim: Some(NOBODY),
        }
    }
}

/// The number of a 2.4 GHz channel (IEEE 802.11-2007 §18.4.6.2).
fn channel(frequency_mhz: u16) -> u8 {
    match frequency_mhz {
        2484 => 14,
        _ => (frequency_mhz.saturating_sub(2407) / 5) as u8,
    }
}
