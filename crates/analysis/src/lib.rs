//! Passive analysis: what happened to the TCP connections of a capture.
//!
//! A [`Tracker`] follows every connection, segment by segment, in one pass. Of
//! each direction it keeps counters, the segments on their way and the gaps; its
//! memory grows with the connections that are open and with the data they have
//! in flight, not with the capture. [`analyse`] feeds it a whole file.
//!
//! [`watch`] tells more than totals: segment by segment, loss by loss, transfer by transfer.
//!
//! What is told, a [`Summary`] for each connection, are the quantities of Tstat's
//! `log_tcp_complete` (which [`tstat`] prints under their names) and why each
//! segment was retransmitted ([`Cause`]) and what each pause was for ([`Stall`]).
//!
//! ```
//! use analysis::{TrackerLimits, analyse};
//! use capture::pcapng::{CaptureInterface, LinkType, Writer};
//! use dissect::read::PacketReader;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut file = Writer::new(Vec::new(), None)?;
//! file.add_interface(&CaptureInterface::new(LinkType::Ethernet, "wire"))?;
//! let mut reader = PacketReader::new(std::io::Cursor::new(file.finish()?))?;
//! let analysis = analyse(&mut reader, TrackerLimits::default());
//! assert_eq!((analysis.tally.packets, analysis.connections.len()), (0, 0));
//! # Ok(())
//! # }
//! ```

mod ahead;
mod announced;
mod batch;
mod blocks;
mod cause;
mod checksums;
mod column;
mod connection;
mod counters;
mod direction;
mod holes;
mod huge_pages;
mod limit;
mod listing;
mod observer;
mod outstanding;
mod places;
mod progress;
mod ring;
mod rtt;
mod silence;
mod stall;
mod step;
mod store;
mod summary;
mod suspicion;
mod tracker;
mod trains;
pub mod tstat;
pub mod watch;
pub mod wifi;

use std::io::Read;
use std::path::Path;

use serde::Serialize;

use ahead::ahead;
use batch::Batch;
use listing::Listing;
use observer::Observer;

use dissect::read::{OpenError, PacketReader, Warning};
use dissect::{Dissector, IcmpReport, Tally, TcpSegment, Unopened};
use wifi::{Sniffer, Wifi};

pub use announced::{EcnFeedback, SynOptions};
pub use cause::Cause;
pub use checksums::WrongChecksums;
pub use counters::DirectionCounters;
pub use limit::{HeldUp, Limit};
pub use observer::Alone;
pub use rtt::CapturedRoundTrips;
pub use silence::Silences;
pub use stall::{Pauses, Stall};
pub use summary::{ConnectionStage, DirectionSummary, Summary};
pub use tracker::{Tracker, TrackerLimits};

/// Analysis of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Analysis {
    /// The connections, in the order of their first packets.
    pub connections: Vec<Summary>,
    /// Number of packets of each kind.
    pub tally: Tally,
    /// The link types of packets whose link type is not known here.
    pub unknown_links: Vec<Unopened>,
    /// Other things met in packets that are not opened here.
    pub unopened: Vec<Unopened>,
    /// Attempts that nobody answered, or that were refused, and that are not listed, because they
    /// are so many.
    pub unlisted: u64,
    /// Connections that were told before their end, because too many were open.
    pub evicted: u64,
    /// The Wi-Fi in it; none without 802.11 frames.
    pub wifi: Option<Wifi>,
    /// Warnings about what the reader could not take as it stood.
    pub warnings: Vec<Warning>,
}

/// Analyses all connections of a capture.
pub fn analyse<R: Read + Send>(reader: &mut PacketReader<R>, limits: TrackerLimits) -> Analysis {
    let mut analysis = Analysis::default();
    let mut listing = Listing::default();
    let tracker = Tracker::new(limits, |summary: Summary| {
        if listing.has_place(summary.outcome) {
            analysis.connections.push(summary);
        } else {
            analysis.unlisted += 1;
        }
    });
    let mut sniffer = Sniffer::default();
    let (dissector, evicted) = feed(reader, tracker, &mut sniffer);
    analysis
        .connections
        .sort_by_key(|summary| summary.first_packet);
    checksums::judge(&mut analysis.connections);
    analysis.wifi = sniffer.finish(&analysis.connections);
    if analysis.wifi.is_some() {
        doubt_silences(&mut analysis.connections);
    }
    analysis.tally = *dissector.tally();
    analysis.unknown_links = dissector.unknown_links();
    analysis.unopened = dissector.unopened();
    analysis.evicted = evicted;
    analysis.warnings = reader.warnings().to_vec();
    analysis
}

/// On the air a silence does not tell that a sender had nothing to send.
fn doubt_silences(connections: &mut [Summary]) {
    for connection in connections {
        for end in [&mut connection.client, &mut connection.server] {
            end.limits.iter_mut().for_each(HeldUp::doubt_silence);
        }
    }
}

/// Analyses all connections of a capture file; `-` is the standard input.
pub fn analyse_path(path: &Path, limits: TrackerLimits) -> Result<Analysis, OpenError> {
    if path.as_os_str() == "-" {
        return Ok(analyse(&mut PacketReader::stdin()?, limits));
    }
    Ok(analyse(&mut PacketReader::open(path)?, limits))
}

/// Analyses all connections of a capture file that is held in memory.
pub fn analyse_bytes(capture: &[u8], limits: TrackerLimits) -> Result<Analysis, OpenError> {
    Ok(analyse(&mut PacketReader::new(capture)?, limits))
}

/// Feeds a whole capture to a tracker, and its 802.11 frames to a sniffer; gives the dissector,
/// which knows how many packets were what, and how many connections had to make room.
#[expect(
    private_bounds,
    reason = "observers look into connections, which stay private"
)]
pub fn feed<R: Read + Send, S: FnMut(Summary), O: Observer>(
    reader: &mut PacketReader<R>,
    mut tracker: Tracker<S, O>,
    sniffer: &mut Sniffer,
) -> (Dissector, u64) {
    let mut dissector = Dissector::default();
    ahead(
        |batch: &mut Batch| batch.fill(reader, &mut dissector),
        |batch| {
            let mut reports = batch.reports();
            for part in batch.parts() {
                for (frame, body, carried) in part.frames() {
                    sniffer.take(frame, body, carried);
                }
                reports = take_with_reports(&mut tracker, part.segments(), reports, sniffer);
            }
            for report in reports {
                tracker.take_report(report);
            }
        },
    );
    let evicted = tracker.evicted();
    tracker.finish();
    (dissector, evicted)
}

/// Lets the tracker take segments, and what was said of segments until then, in the order of the
/// capture; gives what was said later.
fn take_with_reports<'a, S: FnMut(Summary), O: Observer>(
    tracker: &mut Tracker<S, O>,
    segments: &[TcpSegment],
    reports: &'a [IcmpReport],
    sniffer: &mut Sniffer,
) -> &'a [IcmpReport] {
    let last = segments.last().map_or(0, |segment| segment.number);
    let until_last = reports.partition_point(|report| report.number < last);
    let mut rest = segments;
    for report in &reports[..until_last] {
        let (before, after) =
            rest.split_at(rest.partition_point(|segment| segment.number < report.number));
        take(tracker, before, sniffer);
        tracker.take_report(report);
        rest = after;
    }
    take(tracker, rest, sniffer);
    &reports[until_last..]
}

/// Lets the tracker take segments, and tells the sniffer why those were retransmitted of which it
/// wants to know.
fn take<S: FnMut(Summary), O: Observer>(
    tracker: &mut Tracker<S, O>,
    segments: &[TcpSegment],
    sniffer: &mut Sniffer,
) {
    let mut rest = segments;
    if sniffer.is_learning() {
        for segment in segments {
            if let Some(cause) = tracker.judge(segment) {
                sniffer.note_cause(segment.number, cause);
            }
        }
        return;
    }
    if sniffer.wants_causes() {
        sniffer.take_causes(|packet| {
            let at = rest.iter().position(|segment| segment.number == packet)?;
            tracker.take(&rest[..at]);
            let cause = tracker.judge(&rest[at]);
            rest = &rest[at + 1..];
            cause
        });
    }
    tracker.take(rest);
}

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod lifetime_tests;
#[cfg(test)]
mod midway_tests;
#[cfg(test)]
mod needless_tests;
#[cfg(test)]
mod offload_tests;
#[cfg(test)]
mod pace_tests;
#[cfg(test)]
mod pause_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
mod round_trip_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod window_tests;
