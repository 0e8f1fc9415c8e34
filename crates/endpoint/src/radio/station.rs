//! What a kernel tells of the station at the other end of a radio's link (`enum nl80211_sta_info`).

use super::attributes::Attributes;
use super::rate::Rate;

const INACTIVE: u16 = 1;
const RX_BYTES_32: u16 = 2;
const TX_BYTES_32: u16 = 3;
const SIGNAL: u16 = 7;
const TX_RATE: u16 = 8;
const RX_PACKETS: u16 = 9;
const TX_PACKETS: u16 = 10;
const TX_RETRIES: u16 = 11;
const TX_FAILED: u16 = 12;
const SIGNAL_MEAN: u16 = 13;
const RX_RATE: u16 = 14;
const CONNECTED: u16 = 16;
const BEACON_LOSS: u16 = 18;
const RX_BYTES: u16 = 23;
const TX_BYTES: u16 = 24;
const CHAIN_SIGNAL: u16 = 25;
const EXPECTED_THROUGHPUT: u16 = 27;
const RX_DROPS: u16 = 28;
const BEACONS: u16 = 29;
const BEACON_SIGNAL_MEAN: u16 = 30;
const RX_AIRTIME: u16 = 32;
const ACK_SIGNAL: u16 = 34;
const ACK_SIGNAL_MEAN: u16 = 35;
const RX_MPDUS: u16 = 36;
const FCS_ERRORS: u16 = 37;
const TX_AIRTIME: u16 = 39;
const AIRTIME_WEIGHT: u16 = 40;

const KBPS_PER_MBPS: f64 = 1e3;
const MS_PER_S: f64 = 1e3;
const US_PER_S: f64 = 1e6;

units::row! {
    /// What a machine's kernel told of the station at the other end of its radio's link. Counts run
    /// from when it came to know the station.
    pub struct LinkedStation = "stations" {
        /// when the kernel had answered, from the start of the run
        time_s: f64, "s";
        /// the machine's radio, counted from 0 on
        interface: u32, "";
        /// the station at the other end, counted from 0 on in the order in which the machine met
        /// them; addresses stay on the machine
        station: u32, "";
        /// 1 if that is the radio's access point, 0 if it is a station of the radio's own
        is_access_point: bool, "";
        /// how long the kernel and its driver took to answer
        took_ms: f64, "ms";
        /// of the last frame received
        signal_dbm: Option<f64>, "dBm";
        /// averaged by the driver
        signal_dbm_mean: Option<f64>, "dBm";
        /// of the last frame received, at the first antenna
        signal_dbm_1: Option<f64>, "dBm";
        /// the same at the second
        signal_dbm_2: Option<f64>, "dBm";
        /// the same at the third
        signal_dbm_3: Option<f64>, "dBm";
        /// the same at the fourth
        signal_dbm_4: Option<f64>, "dBm";
        /// of its beacons alone, averaged by the driver
        beacon_signal_dbm_mean: Option<f64>, "dBm";
        /// of its last acknowledgment
        ack_signal_dbm: Option<f64>, "dBm";
        /// of its acknowledgments, averaged by the driver
        ack_signal_dbm_mean: Option<f64>, "dBm";
        /// of the last data frame to it
        rate_mbps: Option<f64>, "Mbit/s";
        /// MCS of each stream of that frame, from 802.11n on
        mcs: Option<f64>, "";
        /// its spatial streams
        streams: Option<f64>, "";
        /// its width
        width_mhz: Option<f64>, "MHz";
        /// its guard interval
        guard_interval_ns: Option<f64>, "ns";
        /// of the last data frame from it
        rx_rate_mbps: Option<f64>, "Mbit/s";
        /// MCS of each stream of that frame, from 802.11n on
        rx_mcs: Option<f64>, "";
        /// its spatial streams
        rx_streams: Option<f64>, "";
        /// its width
        rx_width_mhz: Option<f64>, "MHz";
        /// its guard interval
        rx_guard_interval_ns: Option<f64>, "ns";
        /// goodput to it that the rate control expects
        expected_mbps: Option<f64>, "Mbit/s";
        /// sent to it
        tx_packets: Option<f64>, "MSDUs";
        /// sent to it
        tx_bytes: Option<f64>, "bytes";
        /// sent to it again
        retries: Option<f64>, "frames";
        /// given up
        failed: Option<f64>, "frames";
        /// received from it
        rx_packets: Option<f64>, "MSDUs";
        /// received from it
        rx_bytes: Option<f64>, "bytes";
        /// received from it
        rx_mpdus: Option<f64>, "frames";
        /// received from it with a wrong FCS
        fcs_errors: Option<f64>, "frames";
        /// received from it and dropped
        rx_drops: Option<f64>, "packets";
        /// airtime of all that was sent to it
        tx_airtime_s: Option<f64>, "s";
        /// airtime of all that was received from it
        rx_airtime_s: Option<f64>, "s";
        /// the weight of its share of airtime, 256 where all are alike
        airtime_weight: Option<f64>, "";
        /// received from it
        beacons: Option<f64>, "beacons";
        /// how often it was not heard for too long
        beacon_losses: Option<f64>, "";
        /// since anything was received from it
        inactive_s: Option<f64>, "s";
        /// since it was associated
        connected_s: Option<f64>, "s";
    }
}

/// Of whom and when something is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StationSight {
    pub time_s: f64,
    pub took_ms: f64,
    pub interface: u32,
    pub station: u32,
    pub is_access_point: bool,
}

impl LinkedStation {
    /// Reads what is told.
    pub(crate) fn of(sight: StationSight, told: Attributes<'_>) -> LinkedStation {
        let count = |kind| told.real(kind, 1.0);
        let seconds = |kind, per| told.real(kind, per);
        let antenna = |number| told.within(CHAIN_SIGNAL).dbm(number);
        let to_it = Rate::of(told.within(TX_RATE));
        let from_it = Rate::of(told.within(RX_RATE));
        LinkedStation {
            time_s: sight.time_s,
            interface: sight.interface,
            station: sight.station,
            is_access_point: sight.is_access_point,
            took_ms: sight.took_ms,
            signal_dbm: told.dbm(SIGNAL),
            signal_dbm_mean: told.dbm(SIGNAL_MEAN),
            signal_dbm_1: antenna(0),
            signal_dbm_2: antenna(1),
            signal_dbm_3: antenna(2),
            signal_dbm_4: antenna(3),
            beacon_signal_dbm_mean: told.dbm(BEACON_SIGNAL_MEAN),
            ack_signal_dbm: told.dbm(ACK_SIGNAL),
            ack_signal_dbm_mean: told.dbm(ACK_SIGNAL_MEAN),
            rate_mbps: to_it.mbps,
            mcs: to_it.mcs,
            streams: to_it.streams,
            width_mhz: to_it.width_mhz,
            guard_interval_ns: to_it.guard_interval_ns,
            rx_rate_mbps: from_it.mbps,
            rx_mcs: from_it.mcs,
            rx_streams: from_it.streams,
            rx_width_mhz: from_it.width_mhz,
            rx_guard_interval_ns: from_it.guard_interval_ns,
            expected_mbps: told.real(EXPECTED_THROUGHPUT, KBPS_PER_MBPS),
            tx_packets: count(TX_PACKETS),
            tx_bytes: count(TX_BYTES).or_else(|| count(TX_BYTES_32)),
            retries: count(TX_RETRIES),
            failed: count(TX_FAILED),
            rx_packets: count(RX_PACKETS),
            rx_bytes: count(RX_BYTES).or_else(|| count(RX_BYTES_32)),
            rx_mpdus: count(RX_MPDUS),
            fcs_errors: count(FCS_ERRORS),
            rx_drops: count(RX_DROPS),
            tx_airtime_s: seconds(TX_AIRTIME, US_PER_S),
            rx_airtime_s: seconds(RX_AIRTIME, US_PER_S),
            airtime_weight: count(AIRTIME_WEIGHT),
            beacons: count(BEACONS),
            beacon_losses: count(BEACON_LOSS),
            inactive_s: seconds(INACTIVE, MS_PER_S),
            connected_s: seconds(CONNECTED, 1.0),
        }
    }
}
