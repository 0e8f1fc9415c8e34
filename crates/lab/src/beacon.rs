//! What an access point's beacons say.

use dot11::codec::{
    Beacon, CAPABILITY_ESS, CAPABILITY_SHORT_PREAMBLE, TIME_UNIT, Tim, channel_number,
    supported_rate,
};
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

impl<'a> BeaconContent<'a> {
    /// The beacons of an access point's radio.
    pub fn new(radio: &RadioPlan, air: &'a AirPlan) -> Self {
        let interval = radio.beacon_interval_ns.unwrap_or(Duration::ZERO);
        let short = radio.mac.preamble == Preamble::Short;
        BeaconContent {
            ssid: &air.ssid,
            rates: Mode::ALL
                .map(|mode| supported_rate(mode, radio.mac.basic_rates.contains(&mode))),
            interval_tu: interval.whole(TIME_UNIT) as u16,
            capability: CAPABILITY_ESS | if short { CAPABILITY_SHORT_PREAMBLE } else { 0 },
            channel: channel_number(radio.frequency_mhz),
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
