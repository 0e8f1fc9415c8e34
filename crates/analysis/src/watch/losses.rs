//! Losses, one by one: which copy of which data was lost when, and what repaired it.
//!
//! A loss shows when its data are retransmitted; that the retransmission was needless may show
//! still later, and is then said of it.

use std::collections::VecDeque;

use super::course::{RoundTripSample, RttCourse};
use super::trace::Bases;
use crate::cause::Cause;
use crate::column::{ColumnValues, Columns};
use crate::direction::DirectionState;
use crate::step::{Revision, SegmentKind, Step};
use dissect::{ControlBits, TcpSegment};

/// Segments of a direction whose sending is remembered until they are acknowledged; as many as
/// the analyser itself remembers.
const MOST_REMEMBERED: usize = 65_536;

/// The latest of them among which lost copies are looked for: the window of a path of 100 ms and
/// 0.4 Gbit/s (inferred: beyond, looking costs more than it tells).
const MOST_SEARCHED: usize = 4_096;

/// A lost copy of some data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostCopy {
    /// Number of the watched connection, and of the end that sent the data: 0 the client.
    connection: usize,
    from: usize,
    /// Its sequence numbers.
    start: i64,
    end: i64,
    /// Time when it was sent; or when its place was left empty, if it was lost before the capture.
    lost_ns: u64,
    is_before_capture: bool,
    /// Number of this copy of the data, from 1.
    copy: u32,
    /// Segments with payload that its sender had sent by then, it included.
    segments: u64,
    /// Bytes that it had in flight.
    flight: Option<u64>,
    /// The round trip that the segment just before it had, as far as it is known, and its rank
    /// among those of the direction, in millionths.
    rtt_ns: Option<u64>,
    rtt_rank_ppm: Option<u32>,
    /// Time when the next copy was sent, in which packet, and why.
    repaired_ns: u64,
    packet: u64,
    cause: Cause,
}

/// The losses of all connections.
#[derive(Clone, Debug, Default)]
pub struct ConnectionLosses {
    losses: Vec<LostCopy>,
    most: usize,
    /// Losses that are not listed because there are too many.
    pub unlisted: u64,
}

impl ConnectionLosses {
    pub(super) fn at_most(most: usize) -> Self {
        ConnectionLosses {
            most,
            ..ConnectionLosses::default()
        }
    }

    /// Lists a loss, and gives its place in the list if there is room for it.
    pub(super) fn add(&mut self, loss: LostCopy) -> Option<usize> {
        let place = self.losses.len();
        if place < self.most {
            self.losses.push(loss);
            Some(place)
        } else {
            self.unlisted += 1;
            None
        }
    }

    /// All round trips of a direction are known: ranks those of its losses, at these places.
    pub(super) fn rank(&mut self, places: &[usize], course: &RttCourse) {
        for &place in places {
            let loss = &mut self.losses[place];
            loss.rtt_rank_ppm = loss.rtt_ns.map(|rtt_ns| course.rank_ppm(rtt_ns));
        }
    }

    /// A retransmission that begins at `start` had another cause than it seemed: if it was needless,
    /// nothing was lost.
    pub(super) fn revise(&mut self, connection: usize, revision: &Revision, start: i64) {
        let is_meant = |loss: &&mut LostCopy| {
            (loss.connection, loss.packet, loss.start) == (connection, revision.packet, start)
        };
        if let Some(loss) = self.losses.iter_mut().rev().find(is_meant) {
            loss.cause = revision.cause;
        }
    }

    /// The columns, a value for each loss, in the order of their repairs.
    pub fn columns(&self) -> Columns {
        let losses = &self.losses;
        let count = |of: fn(&LostCopy) -> u64| ColumnValues::counts(losses.iter().map(of));
        let code = |of: fn(&LostCopy) -> u8| ColumnValues::codes(losses.iter().map(of));
        let optional =
            |of: fn(&LostCopy) -> Option<i64>| ColumnValues::optional(losses.iter().map(of));
        vec![
            ("connection", count(|loss| loss.connection as u64)),
            ("sender", code(|loss| loss.from as u8)),
            (
                "seq",
                ColumnValues::whole(losses.iter().map(|loss| loss.start)),
            ),
            (
                "seq_end",
                ColumnValues::whole(losses.iter().map(|loss| loss.end)),
            ),
            ("lost_ns", count(|loss| loss.lost_ns)),
            (
                "is_before_capture",
                code(|loss| loss.is_before_capture.into()),
            ),
            ("copy", count(|loss| loss.copy.into())),
            ("segments_sent", count(|loss| loss.segments)),
            (
                "flight",
                optional(|loss| loss.flight.map(|bytes| bytes as i64)),
            ),
            ("rtt_ns", optional(|loss| loss.rtt_ns.map(|ns| ns as i64))),
            (
                "rtt_rank_ppm",
                optional(|loss| loss.rtt_rank_ppm.map(i64::from)),
            ),
            ("repaired_ns", count(|loss| loss.repaired_ns)),
            ("packet", count(|loss| loss.packet)),
            ("cause", code(|loss| loss.cause as u8 + 1)),
        ]
    }
}

/// Times at which one direction sent what may still turn out to be lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Sendings {
    sendings: VecDeque<Sending>,
    segments: u64,
    course: RttCourse,
    /// The places of its losses in the list.
    losses: Vec<usize>,
    refused: RefusedData,
}

/// Data that the receiver had no room for, when a probe found its window closed: everything from
/// the probe's number on that had been sent by then. Whether it came that far nobody can tell; it
/// would not have been taken. So was not what came with a SYN, where the answer is to the SYN
/// alone.
#[derive(Clone, Copy, Debug, Default)]
struct RefusedData {
    start: u64,
    until_ns: u64,
}

impl RefusedData {
    const fn has(self, sending: &Sending, start: u64) -> bool {
        start >= self.start && sending.time_ns <= self.until_ns
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sending {
    time_ns: u64,
    start: u64,
    end: u64,
    segments: u64,
    flight: Option<u64>,
}

impl Sendings {
    /// The direction `half` sends a segment with payload.
    pub fn add(&mut self, segment: &TcpSegment, (start, end): (u64, u64), half: &DirectionState) {
        let is_delivered = |sending: &Sending| sending.end <= half.acked;
        while self.sendings.front().is_some_and(is_delivered) {
            self.sendings.pop_front();
        }
        if self.sendings.len() >= MOST_REMEMBERED {
            self.sendings.pop_front();
        }
        let earliest = self.sendings.front();
        self.course
            .forget_before(earliest.map_or(segment.time_ns, |sending| sending.time_ns));
        self.segments += 1;
        self.sendings.push_back(Sending {
            time_ns: segment.time_ns,
            start,
            end,
            segments: self.segments,
            flight: half.flight(),
        });
    }

    /// The other end answers to what `half` sent.
    pub fn on_answer(&mut self, segment: &TcpSegment, step: &Step, half: &DirectionState) {
        self.decline(segment, half);
        let Some(rtt_ns) = step.rtt_ns else {
            return;
        };
        let sent_ns = segment.time_ns.saturating_sub(rtt_ns);
        let by_then = (self.sendings).partition_point(|sending| sending.time_ns <= sent_ns);
        let last = by_then.checked_sub(1).and_then(|at| self.sendings.get(at));
        let next = (self.sendings.get(by_then)).filter(|next| next.start >= half.acked);
        if let Some(last) = last {
            self.course.add(RoundTripSample {
                sent_ns,
                segments: last.segments,
                rtt_ns,
                is_shared: step.acked_anew > half.full_segment(),
                followed_ns: next.map(|next| next.time_ns - sent_ns),
            });
        }
    }

    /// The answer to a SYN took it, and not what it carried.
    fn decline(&mut self, segment: &TcpSegment, half: &DirectionState) {
        if segment.flags.has(ControlBits::SYN) && half.has_sent_one_syn() {
            self.refused = RefusedData {
                start: half.acked,
                until_ns: segment.time_ns,
            };
        }
    }

    /// Lists the loss that a segment retransmitted shows, if it does.
    pub fn note_loss(
        &mut self,
        segment: &TcpSegment,
        step: &Step,
        bases: Bases,
        connection: usize,
        losses: &mut ConnectionLosses,
    ) {
        if let (Some(Cause::WindowProbe), Some((start, _))) = (step.cause, step.range) {
            let until_ns = segment.time_ns;
            self.refused = RefusedData { start, until_ns };
        }
        let loss = self.loss(segment, step, bases, connection);
        self.losses.extend(loss.and_then(|loss| losses.add(loss)));
    }

    /// Nothing more comes of the direction.
    pub fn end(&self, losses: &mut ConnectionLosses) {
        losses.rank(&self.losses, &self.course);
    }

    fn loss(
        &self,
        segment: &TcpSegment,
        step: &Step,
        bases: Bases,
        connection: usize,
    ) -> Option<LostCopy> {
        let cause = step.cause.filter(|cause| cause.is_retransmission())?;
        let (start, end) = step.range?;
        let (lost, copy) = match self.last_copy(start) {
            Some((sending, _)) if self.refused.has(&sending, start) => return None,
            found => found.or_else(|| self.unseen(step))?,
        };
        Some(LostCopy {
            connection,
            from: step.from,
            start: bases.relative(step.from, start),
            end: bases.relative(step.from, end),
            lost_ns: lost.time_ns,
            is_before_capture: step.kind == SegmentKind::OutOfOrder,
            copy,
            segments: lost.segments,
            flight: lost.flight,
            rtt_ns: self.course.met_at(lost.time_ns),
            rtt_rank_ppm: None,
            repaired_ns: segment.time_ns,
            packet: segment.number,
            cause,
        })
    }

    /// The last segment that carried the number `start`, and how many did.
    fn last_copy(&self, start: u64) -> Option<(Sending, u32)> {
        let carries = |sending: &&Sending| sending.start <= start && start < sending.end;
        let recent = self.sendings.iter().rev().take(MOST_SEARCHED);
        let mut copies = recent.filter(carries);
        let last = copies.next()?;
        Some((*last, 1 + copies.count() as u32))
    }

    /// Returns what was sent last before the place was left empty that the segment fills.
    fn unseen(&self, step: &Step) -> Option<(Sending, u32)> {
        let time_ns = step.left_at_ns?;
        let at = (self.sendings).partition_point(|sending| sending.time_ns <= time_ns);
        let before = at.checked_sub(1).and_then(|at| self.sendings.get(at));
        let before = before.copied().unwrap_or_default();
        Some((Sending { time_ns, ..before }, 1))
    }
}
