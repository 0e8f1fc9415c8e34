//! Counts of stations, whichever sniffer heard it.

use super::msdu::{GIVES_UP_AFTER, MsduEnd, MsduUnderWay};
use super::originator::Noted;
use super::stations::AirStations;
use super::tcp::TcpBursts;
use dissect::{Dot11Frame, kind};
use units::MacAddress;

/// State of all stations.
#[derive(Debug, Default)]
pub(super) struct Books {
    pub stations: AirStations,
    pub bursts: TcpBursts,
}

impl Books {
    /// A frame that says who sent it.
    pub fn count_sent(
        &mut self,
        frame: &Dot11Frame,
        transmitter: MacAddress,
        airtime_ns: u64,
        noted: &Noted,
    ) {
        let station = self.stations.send(transmitter, frame, airtime_ns);
        if frame.has_data() {
            station.airtime_retries_ns += if frame.is_retry() { airtime_ns } else { 0 };
            station.duplicates += u64::from(noted.is_duplicate);
        }
        // A beacon may be sent while an MSDU is under way, of which it tells nothing.
        if frame.is_numbered() && frame.kind() != kind::BEACON {
            station.on_gap(noted.missed, GIVES_UP_AFTER);
            station.frames_missed += u64::from(noted.is_orphan);
            station.rts_in_vain = 0;
        }
        if !frame.is_to_group() {
            let receiver = self.stations.enter(frame.receiver, frame.time_ns);
            receiver.airtime_received_ns += airtime_ns;
            if receiver.bssid.is_none() && frame.is_data() && frame.is_from_ds() {
                receiver.bssid = Some(transmitter);
            }
        }
    }

    /// A response that was due: it does not say who sent it, but the frame it responds to does.
    pub fn count_response(&mut self, frame: &Dot11Frame, responder: MacAddress, airtime_ns: u64) {
        let station = self.stations.send(responder, frame, airtime_ns);
        if frame.kind() == kind::ACK {
            station.acks += 1;
        } else {
            station.cts += 1;
        }
    }

    /// An MSDU is over.
    pub fn on_end(&mut self, transmitter: MacAddress, msdu: &MsduUnderWay, end: MsduEnd) {
        if !msdu.is_data {
            return;
        }
        let station = self.stations.enter(transmitter, msdu.last_ns);
        station.on_end(end, msdu.attempts_max);
    }
}
