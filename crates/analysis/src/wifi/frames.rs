//! Frame by frame: when each was on the air, and what its header says, as columns.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::clock::{AirSpan, LEARNED_FROM, SnifferClock};
use super::timeline::SnifferTimeline;
use crate::column::{ColumnValues, Columns};
use dissect::read::{OpenError, PacketReader};
use dissect::{Dissected, Dissector, Dot11Frame, kind};
use units::MacAddress;

/// Meanings of the codes in the column `kind`.
pub const FRAME_KINDS: [&str; 8] = [
    "data",
    "beacon",
    "management",
    "rts",
    "cts",
    "ack",
    "control",
    "illegible",
];

/// Frames listed, which take about half a gigabyte; more are counted.
const MOST_FRAMES: usize = 1 << 22;

/// The 802.11 frames of a capture, in its order.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    rows: Vec<(Dot11Frame, Option<AirSpan>)>,
    /// Frames that are not listed, because they are so many.
    pub unlisted: u64,
}

/// Lists the frames of a capture. Each interface of the file has a clock of its own.
pub fn frames<R: Read>(reader: &mut PacketReader<R>) -> Frames {
    let mut dissector = Dissector::default();
    let mut found = Dissected::default();
    let mut listed = Vec::new();
    let mut unlisted = 0;
    while let Some(packet) = reader.next() {
        found.clear();
        dissector.take(&packet, &mut found);
        let room = MOST_FRAMES - listed.len();
        unlisted += found.frames.len().saturating_sub(room) as u64;
        listed.extend(found.frames.iter().take(room));
    }
    let mut timelines = BTreeMap::new();
    let place = |frame: &Dot11Frame| {
        let timeline = timelines.entry(frame.interface);
        let timeline = timeline.or_insert_with(|| learned(&listed, frame.interface));
        (*frame, timeline.place(frame))
    };
    Frames {
        rows: listed.iter().map(place).collect(),
        unlisted,
    }
}

/// Lists the frames of a capture file; `-` is the standard input.
pub fn frames_of_path(path: &Path) -> Result<Frames, OpenError> {
    if path.as_os_str() == "-" {
        return Ok(frames(&mut PacketReader::stdin()?));
    }
    Ok(frames(&mut PacketReader::open(path)?))
}

/// Lists the frames of a capture file that is held in memory.
pub fn frames_of_bytes(capture: &[u8]) -> Result<Frames, OpenError> {
    Ok(frames(&mut PacketReader::new(capture)?))
}

fn learned(frames: &[Dot11Frame], interface: u32) -> SnifferTimeline {
    let own = frames.iter().filter(|frame| frame.interface == interface);
    SnifferTimeline::with(SnifferClock::learn(own.take(LEARNED_FROM)))
}

impl Frames {
    /// The columns, a value for each frame.
    pub fn columns(&self) -> Columns {
        let rows = &self.rows;
        let whole =
            |of: fn(&Dot11Frame) -> u64| ColumnValues::counts(rows.iter().map(|row| of(&row.0)));
        let flag = |of: fn(&Dot11Frame) -> bool| {
            ColumnValues::codes(rows.iter().map(|row| of(&row.0).into()))
        };
        let optional = |of: fn(&Dot11Frame) -> Option<i64>| {
            ColumnValues::optional(rows.iter().map(|row| of(&row.0)))
        };
        let span = |of: fn(&AirSpan) -> u64| {
            ColumnValues::optional(
                rows.iter()
                    .map(|row| row.1.as_ref().map(|span| of(span) as i64)),
            )
        };
        vec![
            ("time_ns", whole(|frame| frame.time_ns)),
            ("packet", whole(|frame| frame.number)),
            ("interface", whole(|frame| frame.interface.into())),
            ("start_ns", span(|span| span.start)),
            ("end_ns", span(|span| span.end)),
            (
                "kind",
                ColumnValues::codes(rows.iter().map(|row| code(&row.0))),
            ),
            (
                "transmitter",
                optional(|frame| frame.transmitter.map(number)),
            ),
            (
                "receiver",
                optional(|frame| told(frame, number(frame.receiver))),
            ),
            ("bytes", whole(|frame| frame.bytes.into())),
            (
                "rate_kbps",
                optional(|frame| frame.radio.phy.rate_kbps().map(i64::from)),
            ),
            (
                "duration_us",
                optional(|frame| told(frame, frame.duration.into())),
            ),
            (
                "is_retry",
                flag(|frame| frame.is_legible() && frame.is_retry()),
            ),
            (
                "has_more_fragments",
                flag(|frame| frame.is_legible() && frame.has_more_fragments()),
            ),
            (
                "sequence",
                optional(|frame| numbered(frame, frame.sequence.into())),
            ),
            (
                "fragment",
                optional(|frame| numbered(frame, frame.fragment.into())),
            ),
            (
                "signal_dbm",
                optional(|frame| frame.radio.signal_dbm.map(i64::from)),
            ),
        ]
    }
}

/// A value of the header, where it could be read.
fn told(frame: &Dot11Frame, value: i64) -> Option<i64> {
    frame.is_legible().then_some(value)
}

/// A value that only frames of a count have.
fn numbered(frame: &Dot11Frame, value: i64) -> Option<i64> {
    told(frame, value).filter(|_| frame.is_numbered())
}

/// The six bytes of an address as a number, the first highest.
fn number(address: MacAddress) -> i64 {
    let bytes = address.0.iter();
    bytes.fold(0, |number, &byte| number << 8 | i64::from(byte))
}

/// The place of a frame's kind among [`FRAME_KINDS`].
fn code(frame: &Dot11Frame) -> u8 {
    match frame.kind() {
        _ if !frame.is_legible() => 7,
        _ if frame.is_data() => 0,
        kind::BEACON => 1,
        _ if frame.is_management() => 2,
        kind::RTS => 3,
        kind::CTS => 4,
        kind::ACK => 5,
        _ => 6,
    }
}
