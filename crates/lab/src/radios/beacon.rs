//! What an access point's beacons say.

use dot11::codec::{
    Beacon, CAPABILITY_ESS, CAPABILITY_SHORT_PREAMBLE, CAPABILITY_SHORT_SLOT, ERP_NON_ERP_PRESENT,
    ERP_USE_PROTECTION, TIME_UNIT, Tim, channel_number, supported_rate,
};
use dot11::{Preamble, Protection, Standard};
use phy::Format;
use units::{Duration, Time};

use crate::plan::{AirPlan, RadioPlan};

/// The unchanging part of an access point's beacons.
pub struct BeaconContent<'a> {
    ssid: &'a str,
    rates: Vec<u8>,
    interval_tu: u16,
    capability: u16,
    channel: Option<u8>,
    erp: Option<u8>,
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
        let mac = &radio.mac;
        let modes = mac.phy().modes.iter();
        let is_erp = mac.standard != Standard::Dot11b && mac.phy().ofdm == Format::ErpOfdm;
        BeaconContent {
            ssid: &air.ssid,
            rates: modes
                .map(|&mode| supported_rate(mode, mac.basic_rates.contains(&mode)))
                .collect(),
            interval_tu: interval.whole(TIME_UNIT) as u16,
            capability: CAPABILITY_ESS
                | set(mac.preamble == Preamble::Short, CAPABILITY_SHORT_PREAMBLE)
                | set(is_erp && mac.short_slot, CAPABILITY_SHORT_SLOT),
            // The element that gives it is one of DSSS (IEEE 802.11-2007 Table 7-8).
            channel: (mac.phy().ofdm == Format::ErpOfdm)
                .then(|| channel_number(radio.frequency_mhz)),
            // Long slots and protection have one cause here: a station of 802.11b.
            erp: is_erp.then_some({
                let protects = mac.protection != Protection::None;
                set(!mac.short_slot, ERP_NON_ERP_PRESENT) | set(protects, ERP_USE_PROTECTION)
            }),
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
            channel: self.channel,
            erp: self.erp,
            tim: Some(NOBODY),
            extended_rates: &[],
        }
    }
}

/// The bits, if they are set.
fn set<T: Default>(is_set: bool, bits: T) -> T {
    if is_set { bits } else { T::default() }
}
