//! Counts of each station.

use std::net::IpAddr;

use serde::Serialize;

use super::msdu::MsduEnd;
use super::radio_use::{RateUse, Signal};
use super::series::SeriesRow;
use dissect::{Dot11Frame, IpAddress, kind};
use units::MacAddress;

/// MSDUs are told apart by how often they were tried, up to this.
pub const MOST_ATTEMPTS: usize = 8;

/// Rates told apart of a station; frames at others are counted without.
const MOST_RATES: usize = 64;

/// IP addresses listed of a station; a bridge may have any number behind it.
const MOST_IP_ADDRESSES: usize = 8;

/// A station of the air, as far as its frames tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AirStation {
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<MacAddress>,
    /// The cell it is in: its own if it is an access point.
    pub bssid: Option<MacAddress>,
    /// True if it is an access point.
    pub is_access_point: bool,
    /// The hosts on its own side whose TCP segments it sent, up to eight, in the order of their
    /// first ones: its own addresses, but where it is a bridge.
    pub ip_addresses: Vec<IpAddr>,
    /// Time when it was first heard of, in nanoseconds since 1970.
    pub first_ns: u64,
    /// Time when it was last heard of.
    pub last_ns: u64,
    /// Frames of which it is known that it sent them.
    pub frames: u64,
    /// Their bytes, from MAC header to frame check sequence.
    pub bytes: u64,
    /// Data frames with something in them, retries included.
    pub data_frames: u64,
    /// Those of them with the retry bit.
    pub retries: u64,
    /// Data frames that are fragments of a larger MSDU.
    pub fragments: u64,
    /// Management frames but beacons.
    pub management_frames: u64,
    /// Beacons.
    pub beacons: u64,
    /// Data and management frames that no acknowledgment followed.
    pub ack_failures: u64,
    /// Data frames retransmitted although their acknowledgment was captured.
    pub duplicates: u64,
    /// MSDUs acknowledged to the last fragment.
    pub msdus_delivered: u64,
    /// MSDUs given up: tried at least four times, and no acknowledgment captured.
    pub msdus_given_up: u64,
    /// MSDUs that must have been acknowledged, because the sender went on after fewer attempts.
    pub msdus_ack_missed: u64,
    /// MSDUs sent to groups.
    pub msdus_group: u64,
    /// MSDUs to one receiver by how often they were tried: once, twice, … eight times or more.
    pub attempts: [u64; MOST_ATTEMPTS],
    /// Acknowledgments it sent, as far as they tell whose they are.
    pub acks: u64,
    /// RTS it sent.
    pub rts: u64,
    /// Those of them that no CTS followed.
    pub rts_failures: u64,
    /// CTS it sent in response to an RTS.
    pub cts: u64,
    /// CTS with its address that respond to no captured RTS: to itself, for protection.
    pub cts_to_self: u64,
    /// Data and management frames it sent that the capture missed, by gaps in the numbers of
    /// MSDUs and fragments, by acknowledgments without a frame, and by retries without a first
    /// attempt.
    pub frames_missed: u64,
    /// Airtime of the frames it sent, preambles included.
    pub airtime_ns: u64,
    /// That of data frames with the retry bit.
    pub airtime_retries_ns: u64,
    /// Airtime of the frames addressed to it.
    pub airtime_received_ns: u64,
    /// The power of its frames at the sniffer.
    pub signal: Option<Signal>,
    /// Its data frames by rate, slowest first.
    pub rates: Vec<RateUse>,
    /// The one of its IP addresses that sent last; the unspecified one, from which nobody sends
    /// TCP, before any did.
    #[serde(skip)]
    last_ip_address: IpAddress,
    /// Acknowledgments of frames that were not captured since the last that was.
    #[serde(skip)]
    orphan_acks: u64,
    /// RTS without CTS in a row.
    #[serde(skip)]
    pub(super) rts_in_vain: u16,
    /// Time when it last sent data, and the rate's place in the list.
    #[serde(skip)]
    pub(super) last_data_ns: u64,
    #[serde(skip)]
    rate_place: usize,
    /// The number of the management frame it sent last, beacons and probe responses left out.
    #[serde(skip)]
    pub(super) last_management: Option<u16>,
    /// Sum of the rates of its data frames whose rate is known, and their number.
    #[serde(skip)]
    rates_kbps: (u64, u64),
    /// Its counts at the last row of the series.
    #[serde(skip)]
    told: SeriesRow,
    /// It has sent something since.
    #[serde(skip)]
    pub(super) is_untold: bool,
}

impl AirStation {
    /// One that is heard of for the first time.
    pub(super) fn new(address: MacAddress, now_ns: u64) -> Self {
        AirStation {
            address: Some(address),
            first_ns: now_ns,
            last_ns: now_ns,
            ..AirStation::default()
        }
    }

    /// Counts a frame that it sent.
    #[inline]
    pub(super) fn on_sent(&mut self, frame: &Dot11Frame) {
        self.last_ns = frame.time_ns;
        self.frames += 1;
        self.bytes += u64::from(frame.bytes);
        if let Some(dbm) = frame.radio.signal_dbm {
            Signal::add(&mut self.signal, dbm);
        }
        if frame.has_data() {
            self.on_data(frame);
        } else if frame.kind() == kind::BEACON {
            self.beacons += 1;
        } else if frame.is_management() {
            self.management_frames += 1;
        } else if frame.kind() == kind::RTS {
            self.rts += 1;
        }
    }

    fn on_data(&mut self, frame: &Dot11Frame) {
        let retry = u64::from(frame.is_retry());
        self.data_frames += 1;
        self.retries += retry;
        self.fragments += u64::from(frame.fragment > 0 || frame.has_more_fragments());
        let rate_kbps = frame.radio.phy.rate_kbps().unwrap_or(0);
        self.rates_kbps.0 += u64::from(rate_kbps);
        self.rates_kbps.1 += u64::from(rate_kbps > 0);
        let is_same = |rate: &RateUse| rate.rate_kbps == rate_kbps;
        if !self.rates.get(self.rate_place).is_some_and(is_same) {
            self.rate_place = self.rates.iter().position(is_same).unwrap_or_else(|| {
                if self.rates.len() < MOST_RATES {
                    self.rates.push(RateUse {
                        rate_kbps,
                        frames: 0,
                        retries: 0,
                    });
                }
                self.rates.len()
            });
            self.rate_place = self.rate_place.min(self.rates.len() - 1);
        }
        let rate = &mut self.rates[self.rate_place];
        if is_same(rate) {
            rate.frames += 1;
            rate.retries += retry;
        }
    }

    /// A host on its own side, if not the station itself, sent a TCP segment.
    #[inline]
    pub(super) fn on_segment_from(&mut self, host: IpAddress) {
        if self.last_ip_address != host {
            self.last_ip_address = host;
            self.note_ip_address(host.into());
        }
    }

    #[cold]
    fn note_ip_address(&mut self, address: IpAddr) {
        let known = &mut self.ip_addresses;
        if known.len() < MOST_IP_ADDRESSES && !known.contains(&address) {
            known.push(address);
        }
    }

    /// Returns what it has sent so far, as a row of the series.
    fn sent(&self) -> SeriesRow {
        let (signal_dbm_sum, signal_frames) =
            (self.signal).map_or((0, 0), |signal| (signal.sum, signal.frames));
        SeriesRow {
            interval: 0,
            station: self.address.unwrap_or_default(),
            frames: self.frames,
            data_frames: self.data_frames,
            retries: self.retries,
            bytes: self.bytes,
            airtime_ns: self.airtime_ns,
            rate_kbps_sum: self.rates_kbps.0,
            rate_frames: self.rates_kbps.1,
            signal_dbm_sum,
            signal_frames,
        }
    }

    /// Returns what it has sent since this was asked last.
    pub(super) fn sent_since(&mut self) -> SeriesRow {
        let sent = self.sent();
        self.is_untold = false;
        sent.less(&std::mem::replace(&mut self.told, sent))
    }

    /// The response to a frame of it came, or did not.
    pub(super) fn on_response(&mut self, frame: &Dot11Frame, is_lost: bool) {
        if frame.kind() != kind::RTS {
            self.ack_failures += u64::from(is_lost);
        } else if is_lost {
            self.rts_failures += 1;
            self.rts_in_vain = self.rts_in_vain.saturating_add(1);
        } else {
            self.rts_in_vain = 0;
        }
    }

    /// An acknowledgment for it whose frame was not captured.
    pub(super) fn on_orphan_ack(&mut self) {
        self.orphan_acks += 1;
        self.frames_missed += 1;
    }

    /// A frame of it tells that others were not captured, of which acknowledgments may have told
    /// already, or which were given up without a CTS.
    pub(super) fn on_gap(&mut self, missed: u16, gives_up_after: u16) {
        let mut missed = u64::from(missed);
        if missed > 0 && self.rts_in_vain >= gives_up_after {
            self.msdus_given_up += 1;
            missed -= 1;
        }
        self.frames_missed += missed.saturating_sub(self.orphan_acks);
        self.orphan_acks = 0;
    }

    /// An MSDU of it has ended.
    pub(super) fn on_end(&mut self, end: MsduEnd, attempts: u16) {
        let counter = match end {
            MsduEnd::Delivered => &mut self.msdus_delivered,
            MsduEnd::AckMissed => &mut self.msdus_ack_missed,
            MsduEnd::GivenUp => &mut self.msdus_given_up,
            MsduEnd::Group => {
                self.msdus_group += 1;
                return;
            }
        };
        *counter += 1;
        let place = usize::from(attempts.max(1)) - 1;
        self.attempts[place.min(MOST_ATTEMPTS - 1)] += 1;
    }
}
