//! A connection segment by segment, as columns.

use super::identity::ConnectionIdentity;
use crate::cause::Cause;
use crate::column::{ColumnValues, Columns};
use crate::stall::Stall;
use crate::step::{Revision, SegmentKind, Step};
use dissect::TcpSegment;

/// One segment of a traced connection. Sequence numbers count on from the SYN, which is 0; where
/// none was captured, the first byte is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TraceRow {
    time_ns: u64,
    packet: u64,
    range: Option<(i64, i64)>,
    ack: Option<i64>,
    payload: u32,
    window: Option<u64>,
    flight: Option<u64>,
    peer_flight: Option<u64>,
    seen: u64,
    skipped: u64,
    rtt_ns: Option<u64>,
    stall: Option<(Stall, u64)>,
    cause: Option<Cause>,
    /// The place of the rule that named the cause, from 1.
    rule: u8,
    answer: u8,
    kind: SegmentKind,
    from: u8,
    flags: u8,
    sack_blocks: u8,
    timer_expired: bool,
    begins_recovery: bool,
    has_sack_news: bool,
    reports_duplicate: bool,
}

/// The segments of one connection, in the order of the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionTrace {
    /// Its connection.
    pub of: ConnectionIdentity,
    rows: Vec<TraceRow>,
    /// The SACK blocks of all rows, one row's after the other's.
    blocks: Vec<(i64, i64)>,
}

/// Numbers of a connection's directions, relative to their SYNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bases(pub [u64; 2]);

impl Bases {
    pub const fn relative(self, side: usize, number: u64) -> i64 {
        number.wrapping_sub(self.0[side]) as i64
    }
}

impl ConnectionTrace {
    pub(super) const fn new(of: ConnectionIdentity) -> Self {
        ConnectionTrace {
            of,
            rows: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Returns how many segments it holds.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a segment. `blocks` are its SACK blocks in full numbers.
    pub(super) fn add(
        &mut self,
        segment: &TcpSegment,
        step: &Step,
        bases: Bases,
        blocks: impl Iterator<Item = (u64, u64)>,
    ) {
        let peer = 1 - step.from;
        let before = self.blocks.len();
        self.blocks.extend(
            blocks.map(|(start, end)| (bases.relative(peer, start), bases.relative(peer, end))),
        );
        let range = step.range.map(|(start, end)| {
            (
                bases.relative(step.from, start),
                bases.relative(step.from, end),
            )
        });
        self.rows.push(TraceRow {
            time_ns: segment.time_ns,
            packet: segment.number,
            range,
            ack: step.ack.map(|ack| bases.relative(peer, ack)),
            payload: segment.payload,
            window: step.window,
            flight: step.flight,
            peer_flight: step.peer_flight,
            seen: step.bytes_seen,
            skipped: step.skipped,
            rtt_ns: step.rtt_ns,
            stall: step.pause,
            cause: step.cause,
            rule: step.rule.map_or(0, |place| place as u8 + 1),
            answer: step.answer as u8,
            kind: step.kind,
            from: step.from as u8,
            flags: segment.flags.0,
            sack_blocks: (self.blocks.len() - before) as u8,
            timer_expired: step.timer_expired,
            begins_recovery: step.begins_recovery,
            has_sack_news: step.has_sack_news,
            reports_duplicate: step.reports_duplicate,
        });
    }

    /// A retransmission that begins at `start` turns out to have had another cause.
    pub(super) fn revise(&mut self, revision: &Revision, start: i64) {
        let packet = revision.packet;
        let behind = self.rows.partition_point(|row| row.packet <= packet);
        let row = self.rows[..behind]
            .iter_mut()
            .rev()
            .take_while(|row| row.packet == packet)
            .find(|row| row.range.is_some_and(|(first, _)| first == start));
        if let Some(row) = row {
            row.cause = Some(revision.cause);
            row.timer_expired |= revision.is_own;
        }
    }

    /// The columns, a value for each segment; `sack_start` and `sack_end` have one for each block.
    pub fn columns(&self) -> Columns {
        let rows = &self.rows;
        let optional =
            |of: fn(&TraceRow) -> Option<i64>| ColumnValues::optional(rows.iter().map(of));
        let whole = |of: fn(&TraceRow) -> u64| ColumnValues::counts(rows.iter().map(of));
        let code = |of: fn(&TraceRow) -> u8| ColumnValues::codes(rows.iter().map(of));
        vec![
            ("time_ns", whole(|row| row.time_ns)),
            ("packet", whole(|row| row.packet)),
            ("direction", code(|row| row.from)),
            ("seq", optional(|row| row.range.map(|range| range.0))),
            ("seq_end", optional(|row| row.range.map(|range| range.1))),
            ("payload", whole(|row| row.payload.into())),
            ("flags", code(|row| row.flags)),
            ("kind", code(|row| row.kind as u8)),
            (
                "cause",
                code(|row| row.cause.map_or(0, |cause| cause as u8 + 1)),
            ),
            ("because", code(|row| row.rule)),
            ("bytes_retransmitted", whole(|row| row.seen)),
            ("bytes_skipped", whole(|row| row.skipped)),
            ("ack", optional(|row| row.ack)),
            ("answer", code(|row| row.answer)),
            (
                "window",
                optional(|row| row.window.map(|bytes| bytes as i64)),
            ),
            (
                "flight",
                optional(|row| row.flight.map(|bytes| bytes as i64)),
            ),
            (
                "flight_other",
                optional(|row| row.peer_flight.map(|bytes| bytes as i64)),
            ),
            ("rtt_ns", optional(|row| row.rtt_ns.map(|ns| ns as i64))),
            (
                "stall",
                code(|row| row.stall.map_or(0, |(stall, _)| stall as u8 + 1)),
            ),
            ("stall_ns", whole(|row| row.stall.map_or(0, |(_, ns)| ns))),
            ("timer_expired", code(|row| row.timer_expired.into())),
            ("begins_recovery", code(|row| row.begins_recovery.into())),
            ("has_sack_news", code(|row| row.has_sack_news.into())),
            (
                "reports_duplicate",
                code(|row| row.reports_duplicate.into()),
            ),
            ("sack_blocks", code(|row| row.sack_blocks)),
            (
                "sack_start",
                ColumnValues::whole(self.blocks.iter().map(|block| block.0)),
            ),
            (
                "sack_end",
                ColumnValues::whole(self.blocks.iter().map(|block| block.1)),
            ),
        ]
    }
}
