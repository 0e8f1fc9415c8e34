//! The Wi-Fi in a capture: stations, cells, what the air was spent on, and what TCP felt of it.
//!
//! A [`Sniffer`] takes the 802.11 frames of a capture one by one, as the dissector finds
//! them, and gives a [`Wifi`] at the end. Its memory is bounded whatever addresses a capture
//! makes up: see [`station::MOST_STATIONS`] and the limits of the lists.
//!
//! A sniffer hears what reaches its own antenna. It misses frames that others hear, cannot
//! tell a collision from an error at the receiver, and does not know who has something to
//! send; each figure says in its description what it stands for.

mod account;
mod books;
mod cell;
mod clock;
mod event;
mod exchange;
mod frames;
mod heard;
mod ledger;
mod medium;
mod msdu;
mod originator;
mod originators;
mod radio_use;
mod series;
mod station;
mod stations;
mod tcp;
mod timeline;

use serde::Serialize;

use crate::{Cause, Summary};
use dissect::{Dot11Frame, TcpSegment, kind};

use books::Books;
use cell::Cells;
use event::Events;
use exchange::SnifferChannel;
use heard::{Bitmap, Contents};
use tcp::MsduSegment;

pub use cell::Bss;
pub use clock::{SnifferClock, StampSource, StampedInstant};
pub use event::{Happening, StationEvent};
pub use frames::{FRAME_KINDS, Frames, frames, frames_of_bytes, frames_of_path};
pub use ledger::{ObservedUse, SnifferLedger};
pub use msdu::GIVES_UP_AFTER;
pub use radio_use::{RateUse, Signal};
pub use series::{SeriesRow, StationSeries};
pub use station::{AirStation, MOST_ATTEMPTS};
pub use stations::{MOST_STATIONS, Others};
pub use tcp::{Burst, TcpRetransmission};

/// Analysis of a capture's 802.11 frames.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Wifi {
    /// 802.11 frames.
    pub frames: u64,
    /// Those of them with a wrong check sequence or cut within the header, of which only the
    /// length counts.
    pub frames_illegible: u64,
    /// Frames that each interface of the file heard, and uses of the air there.
    pub channels: Vec<ChannelUse>,
    /// The cells, in the order in which they were first heard of.
    pub cells: Vec<Bss>,
    /// Beacons and probe responses of cells that are not listed, because they are so many.
    pub cells_unlisted: u64,
    /// The stations: access points first, then by airtime.
    pub stations: Vec<AirStation>,
    /// Stations that had to make room.
    pub others: Others,
    /// Who joined, left and moved.
    pub events: Vec<StationEvent>,
    /// Events that are not listed, because they are so many.
    pub events_unlisted: u64,
    /// TCP segments that needed four attempts or more, or never came through.
    pub bursts: Vec<Burst>,
    /// Bursts that are not listed, because they are so many.
    pub bursts_unlisted: u64,
    /// Activity of each station over time.
    pub series: StationSeries,
}

/// Frames that one interface of the file heard.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChannelUse {
    /// Index of the interface.
    pub interface: u32,
    /// Centres of the channels it listened to, in the order of their first frames.
    pub frequencies_mhz: Vec<u16>,
    /// Frames.
    pub frames: u64,
    /// Those of them of which it is not known when they were on the air, or how long.
    pub frames_untimed: u64,
    /// Meaning of its timestamps.
    pub clock: Option<SnifferClock>,
    /// Uses of the air, from the first frame to the last; all zeros where nothing is
    /// known of rates.
    pub ledger: SnifferLedger,
}

/// The status code for it (9.4.1.9).
const STATUS_SUCCESS: [u8; 2] = [0, 0];

/// Interfaces told apart; the frames of others are counted only.
const MOST_INTERFACES: usize = 4;

/// Frames of all interfaces while which causes are kept for channels that are still learning;
/// a channel that is first heard of later does without.
const EARLY_FRAMES: u64 = 1_024;

/// Takes the 802.11 frames of a capture.
#[derive(Debug, Default)]
pub struct Sniffer {
    frames: u64,
    frames_illegible: u64,
    channels: Vec<(u32, SnifferChannel)>,
    books: Books,
    cells: Cells,
    events: Events,
}

impl Sniffer {
    /// Returns whether a frame's body tells of more than the TCP segment in it.
    #[inline]
    pub(crate) fn looks_into(frame: &Dot11Frame) -> bool {
        frame.is_legible() && (frame.is_management() || frame.kind() == kind::BLOCK_ACK)
    }

    /// Takes a frame, what was kept of its body (nobody looks into some: see `looks_into`), and the
    /// first TCP segment in it, whether or not it was captured before.
    #[inline]
    pub fn take(&mut self, frame: &Dot11Frame, body: &[u8], carried: Option<&TcpSegment>) {
        self.frames += 1;
        let contents = self.look_into(frame, body, carried);
        if let Some(channel) = channel(&mut self.channels, frame.interface) {
            channel.take(frame, &contents, &mut self.books);
        }
    }

    /// Takes what a frame's body tells of stations and cells, and gives what it tells of exchanges.
    #[inline]
    fn look_into(
        &mut self,
        frame: &Dot11Frame,
        body: &[u8],
        carried: Option<&TcpSegment>,
    ) -> Contents {
        if !frame.is_legible() {
            self.frames_illegible += 1;
        } else if frame.is_data() {
            self.take_data(frame, carried);
            if let Some(segment) = carried {
                return Contents::Segment(MsduSegment::of(segment));
            }
        } else if frame.is_management() {
            self.take_management(frame, body);
        } else if frame.kind() == kind::BLOCK_ACK {
            if let Some(bitmap) = Bitmap::parse(body) {
                return Contents::Acknowledged(bitmap);
            }
        }
        Contents::Other
    }

    #[inline]
    fn take_data(&mut self, frame: &Dot11Frame, carried: Option<&TcpSegment>) {
        let Some(transmitter) = frame.transmitter else {
            return;
        };
        let bssid = match (frame.is_to_ds(), frame.is_from_ds()) {
            (true, _) => frame.receiver,
            (_, true) => transmitter,
            _ => return,
        };
        let station = self.books.stations.enter(transmitter, frame.time_ns);
        let before = station.bssid.replace(bssid);
        station.is_access_point |= frame.is_from_ds();
        if let Some(segment) = carried.filter(|_| frame.is_to_ds()) {
            station.on_segment_from(segment.source.address);
        }
        let last_data_ns = std::mem::replace(&mut station.last_data_ns, frame.time_ns);
        let since_ns = frame.time_ns.saturating_sub(last_data_ns);
        match before {
            Some(previous) if previous != bssid && frame.is_to_ds() => {
                let was_heard = last_data_ns > 0;
                self.events.add(StationEvent {
                    time_ns: frame.time_ns,
                    packet: frame.number,
                    what: Happening::Roamed,
                    station: transmitter,
                    bssid,
                    is_by_station: true,
                    previous_bssid: Some(previous),
                    code: None,
                    interruption_ms: was_heard.then_some(since_ns as f64 / 1e6),
                });
            }
            _ => {}
        }
    }

    fn take_management(&mut self, frame: &Dot11Frame, body: &[u8]) {
        let is_announcement = matches!(frame.kind(), kind::BEACON | kind::PROBE_RESPONSE);
        let is_answer = matches!(
            frame.kind(),
            kind::ASSOCIATION_RESPONSE | kind::REASSOCIATION_RESPONSE
        );
        if is_announcement || is_answer {
            let station = self.books.stations.enter(frame.third, frame.time_ns);
            station.is_access_point = true;
            station.bssid = Some(frame.third);
        }
        if is_answer && body.get(2..4) == Some(&STATUS_SUCCESS) {
            let station = self.books.stations.enter(frame.receiver, frame.time_ns);
            station.bssid.get_or_insert(frame.third);
        }
        if is_announcement {
            let cell = self.cells.take(frame, body);
            let has_short_slot = cell.is_some_and(|cell| cell.has_short_slot);
            if let Some(channel) = channel(&mut self.channels, frame.interface) {
                channel.medium.has_short_slot = has_short_slot;
            }
        } else if !self.is_told(frame) {
            self.events.take(frame, body);
        }
    }

    /// Returns whether a management frame is another attempt of the one before from its
    /// transmitter, by the retry bit and the number (10.3.2.14).
    fn is_told(&mut self, frame: &Dot11Frame) -> bool {
        let Some(transmitter) = frame.transmitter else {
            return false;
        };
        let station = self.books.stations.enter(transmitter, frame.time_ns);
        let before = station.last_management.replace(frame.sequence);
        frame.is_retry() && before == Some(frame.sequence)
    }

    /// Returns whether frames wait for the clock to be learned, so that nobody knows yet which
    /// causes will be wanted.
    #[inline]
    pub(crate) fn is_learning(&self) -> bool {
        self.frames <= EARLY_FRAMES
            && (self.channels.iter()).any(|(_, channel)| channel.is_learning())
    }

    /// Tells why TCP sent the segment of a packet again, while it learns.
    pub(crate) fn note_cause(&mut self, packet: u64, cause: Cause) {
        self.books.bursts.early.push((packet, cause));
    }

    /// Returns whether the cause of a retransmission in some packet is wanted.
    #[inline]
    pub(crate) fn wants_causes(&self) -> bool {
        !self.books.bursts.wanted.is_empty()
    }

    /// Tells why TCP sent the segments of the packets that are wanted again.
    pub(crate) fn take_causes(&mut self, mut cause_of: impl FnMut(u64) -> Option<Cause>) {
        let wanted = std::mem::take(&mut self.books.bursts.wanted);
        let mut judged = None;
        for (packet, place) in wanted {
            let cause = match judged {
                Some((same, cause)) if same == packet => cause,
                _ => cause_of(packet),
            };
            judged = Some((packet, cause));
            if let Some(cause) = cause {
                self.books.bursts.on_cause(place, cause);
            }
        }
    }

    /// Returns what was heard; none if there was not a single frame. The connections are those of
    /// the same capture.
    pub fn finish(mut self, connections: &[Summary]) -> Option<Wifi> {
        if self.frames == 0 {
            return None;
        }
        let mut channels = Vec::new();
        for (interface, mut channel) in self.channels {
            let (clock, frequencies_mhz) = channel.finish(&mut self.books);
            channels.push(ChannelUse {
                interface,
                clock,
                frequencies_mhz,
                frames: channel.frames,
                frames_untimed: channel.frames_untimed,
                ledger: channel.medium.ledger,
            });
        }
        self.books.bursts.settle(connections);
        let (stations, others, series) = self.books.stations.finish();
        Some(Wifi {
            frames: self.frames,
            frames_illegible: self.frames_illegible,
            channels,
            cells: self.cells.listed,
            cells_unlisted: self.cells.unlisted,
            stations,
            others,
            events: self.events.listed,
            events_unlisted: self.events.unlisted,
            bursts: self.books.bursts.listed,
            bursts_unlisted: self.books.bursts.unlisted,
            series,
        })
    }
}

/// The channel of an interface.
#[inline]
fn channel(
    channels: &mut Vec<(u32, SnifferChannel)>,
    interface: u32,
) -> Option<&mut SnifferChannel> {
    let place = channels.iter().position(|(known, _)| *known == interface);
    let place = match place {
        Some(place) => place,
        None if channels.len() < MOST_INTERFACES => {
            channels.push((interface, SnifferChannel::default()));
            channels.len() - 1
        }
        None => return None,
    };
    Some(&mut channels[place].1)
}

#[cfg(test)]
mod tests;
