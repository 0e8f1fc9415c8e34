//! The MAC's times, and how much of a frame arrives, for whoever works sums out without a run.

use dot11::{Band, ExchangePart, MacConfig, Mode, Preamble, Standard};
use phy::{Characteristics, Coding, ErrorModel, TxVector};
use serde::Serialize;
use units::{Db, Duration, Time};

use crate::plan::{NodePlan, Plan};
use crate::radios::BeaconContent;

/// What a radio's contention waits for and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spaces {
    /// A slot.
    pub slot_ns: Duration,
    /// The gap inside an exchange.
    pub sifs_ns: Duration,
    /// The gap in front of a backoff.
    pub difs_ns: Duration,
    /// The same after a frame that could not be read.
    pub eifs_ns: Duration,
    /// CWmin.
    pub cw_min: u16,
    /// CWmax.
    pub cw_max: u16,
    /// The width of the channel whose noise a receiver takes in.
    pub bandwidth_hz: u32,
}

impl Spaces {
    /// Those that a standard's PHY fixes, with short slots if it has any, and of EIFS that behind
    /// a frame of its highest rate.
    pub fn of_phy(standard: Standard) -> Spaces {
        let phy = standard.characteristics(Band::Ghz2_4, true);
        Spaces::of(phy, phy.modes[phy.modes.len() - 1], Preamble::Long)
    }

    fn of(phy: &Characteristics, mode: Mode, preamble: Preamble) -> Spaces {
        Spaces {
            slot_ns: phy.slot,
            sifs_ns: phy.sifs,
            difs_ns: phy.difs,
            eifs_ns: phy.eifs_behind(TxVector::of(mode, preamble)),
            cw_min: phy.cw_min,
            cw_max: phy.cw_max,
            bandwidth_hz: phy.bandwidth_hz,
        }
    }

    /// Those of a radio, whose contention windows may be its own.
    pub fn of_radio(mac: &MacConfig) -> Spaces {
        let of_phy = Spaces::of(mac.phy(), mac.rate, mac.preamble);
        Spaces {
            cw_min: mac.cw_min,
            cw_max: mac.cw_max,
            difs_ns: mac.space(),
            eifs_ns: of_phy.eifs_ns - of_phy.difs_ns + mac.space(),
            bandwidth_hz: mac.bandwidth_hz(),
            ..of_phy
        }
    }
}

/// The frames of the exchange of an MSDU, at the radio's own rate.
pub fn exchange(mac: &MacConfig, msdu_bytes: u16) -> Vec<ExchangePart> {
    mac.exchange(mac.rate, msdu_bytes)
}

/// Returns how long a frame occupies the air.
pub fn airtime(mode: Mode, preamble: Preamble, mpdu_bytes: u16) -> Duration {
    TxVector::of(mode, preamble).duration(u32::from(mpdu_bytes))
}

/// The probability that a frame arrives whole at a ratio of signal to noise, in a code or that which
/// its format has without asking.
pub fn success(
    (mode, preamble): (Mode, Preamble),
    coding: Option<Coding>,
    mpdu_bytes: u16,
    snr_db: f64,
    model: ErrorModel,
) -> f64 {
    let usual = TxVector::of(mode, preamble);
    let vector = usual.coded(coding.unwrap_or(usual.coding));
    vector.success(u32::from(mpdu_bytes), Db(snr_db), model)
}

/// Returns how long the preamble and PLCP header of a frame last.
pub fn plcp(mode: Mode, preamble: Preamble) -> Duration {
    TxVector::of(mode, preamble).plcp_duration()
}

/// The bytes that an IP packet takes on a wire, preamble and gap included.
pub fn wire_bytes(ip_bytes: u32) -> u32 {
    net::wire_bytes(ip_bytes)
}

/// The bytes of frames of one length, and of what is put around an IP packet, by name.
pub const BYTES: [(&str, u16); 6] = [
    ("ack", dot11::ACK_BYTES),
    ("cts", dot11::CTS_BYTES),
    ("rts", dot11::RTS_BYTES),
    ("header", dot11::DATA_HEADER_BYTES),
    ("fcs", dot11::FCS_BYTES),
    ("llc_snap", dot11::LLC_SNAP_BYTES),
];

/// Of every radio that sends beacons: its name, the time between them, and how long each is.
pub fn beacons(plan: &Plan) -> Vec<(&str, Duration, Duration)> {
    let radios = plan.nodes.iter().flat_map(NodePlan::radios);
    let beacons = radios.filter_map(|radio| {
        let (interval, air) = (radio.beacon_interval_ns?, plan.air.as_ref()?);
        let bytes = BeaconContent::new(radio, air).at(Time::ZERO).bytes();
        Some((
            radio.name.as_str(),
            interval,
            radio.mac.broadcast_airtime(bytes),
        ))
    });
    beacons.collect()
}
