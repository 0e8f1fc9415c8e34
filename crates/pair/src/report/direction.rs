//! Report of one way between the points.

use serde::Serialize;

use super::air::{AirCounts, AirReport};
use crate::delays::{DelayDistribution, Delays};
use crate::passage::{PacketOutcome, Passage};

/// The most losses of the same bytes that are told apart; more count as so many.
const MOST_TIMES: usize = 16;

/// One way between the points.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct WayReport {
    /// Fate of the segments on the path, large ones counted as those they are cut into.
    pub segments: SegmentCounts,
    /// Packets, or parts of large ones, that both captures have: as they have them, large ones
    /// as one.
    pub passed: u64,
    /// Segments that passed the first point of the way and were lost before the second.
    pub lost: u64,
    /// Number of them that carried data, SYN or FIN.
    pub lost_data: u64,
    /// Number of these that had bytes that had come through before, so that nothing was missed.
    pub lost_needless: u64,
    /// Sequence numbers that they carried.
    pub lost_bytes: u64,
    /// Segments that the capture at the second point missed, as acknowledgments prove.
    pub uncaptured: u64,
    /// Packets that only the capture at the second point has.
    pub appeared: u64,
    /// Second copies.
    pub doubled: u64,
    /// Those that both captures have: doubled before the first point.
    pub doubled_before: u64,
    /// Those that only the capture at the second point has: doubled between the points, if that
    /// capture does not double packets itself ([`super::FileReport::doubles`]).
    pub doubled_between: u64,
    /// Those that only one capture has, and the receiver reported as received twice: not doubled
    /// by a capture.
    pub doubled_reported: u64,
    /// Packets that the other capture could not have.
    pub outside: u64,
    /// Packets that passed, behind one that was sent later.
    pub late: u64,
    /// Matches that the order decided.
    pub ambiguous: u64,
    /// Time that packets were under way.
    pub delay: Option<DelayDistribution>,
    /// Number of times the same bytes were lost before they came through: once, twice and so on.
    pub lost_times: Vec<u64>,
    /// The same of bytes that never came through.
    pub lost_for_good_times: Vec<u64>,
    /// The last bytes under way that were lost all of them.
    pub tails: TailReport,
    /// Report of the air, if one of the captures is from there.
    pub air: Option<AirReport>,
}

impl WayReport {
    fn count_doubled(&mut self, passage: &Passage) {
        let has_second = passage.sights[1 - passage.way.upstream()].is_some();
        let has_first = passage.sights[passage.way.upstream()].is_some();
        self.doubled += 1;
        self.doubled_before += u64::from(has_first && has_second);
        self.doubled_between += u64::from(has_second && !has_first);
        self.doubled_reported += u64::from(passage.is_reported);
    }

    /// Returns whether the capture at the first point doubles packets itself: more second copies
    /// are in it alone than went on to the second point or can have been lost on their way there.
    pub(super) fn is_doubled_at_first(&self) -> bool {
        let at_first = self.doubled - self.doubled_before - self.doubled_between;
        at_first > self.doubled_before + self.lost
    }
}

/// Segments on the path by what became of them: as many as a large one is cut into, whichever
/// capture has it large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SegmentCounts {
    /// In both captures.
    pub passed: u64,
    /// Lost between the points.
    pub lost: u64,
    /// Missed by the capture at the second point.
    pub uncaptured: u64,
    /// Only in the capture at the second point.
    pub appeared: u64,
    /// Second copies.
    pub doubled: u64,
    /// That the other capture could not have.
    pub outside: u64,
}

impl SegmentCounts {
    fn of(&mut self, fate: PacketOutcome) -> &mut u64 {
        match fate {
            PacketOutcome::Passed => &mut self.passed,
            PacketOutcome::Lost => &mut self.lost,
            PacketOutcome::Uncaptured => &mut self.uncaptured,
            PacketOutcome::Appeared => &mut self.appeared,
            PacketOutcome::Doubled => &mut self.doubled,
            PacketOutcome::Outside => &mut self.outside,
        }
    }
}

/// Tails: the last bytes under way, lost all of them. Nothing arrives behind them that would make
/// the receiver ask, and to a capture there it looks as if there was nothing to send.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct TailReport {
    /// Number that were lost.
    pub lost: u64,
    /// Number of them that never came through.
    pub lost_for_good: u64,
    /// From when the first of the tail was sent until what came through of it was.
    pub waited: Option<DelayDistribution>,
}

/// Counts a way's packets.
#[derive(Debug, Default)]
pub(super) struct WayCounts {
    report: WayReport,
    delays: Delays,
    tail_waits: Delays,
    air: AirCounts,
}

impl WayCounts {
    /// Counts a packet.
    pub fn count(&mut self, passage: &Passage) {
        let report = &mut self.report;
        *report.segments.of(passage.fate) += u64::from(passage.segments);
        match passage.fate {
            PacketOutcome::Passed => {
                report.passed += 1;
                report.late += u64::from(passage.is_late);
                report.ambiguous += u64::from(passage.is_ambiguous);
                if let Some(delay_ns) = passage.delay_ns() {
                    self.delays.add(delay_ns);
                }
            }
            PacketOutcome::Lost => {
                report.lost += 1;
                report.lost_data += u64::from(passage.length > 0);
                report.lost_needless += u64::from(passage.is_needless);
                report.lost_bytes += u64::from(passage.length);
            }
            PacketOutcome::Uncaptured => report.uncaptured += 1,
            PacketOutcome::Appeared => report.appeared += 1,
            PacketOutcome::Doubled => report.count_doubled(passage),
            PacketOutcome::Outside => report.outside += 1,
        }
        self.air.count(passage);
    }

    /// Counts bytes that came through after they were lost so many times.
    pub fn count_repaired(&mut self, times: u32) {
        count_times(&mut self.report.lost_times, times);
    }

    /// Counts bytes that never came through.
    pub fn count_never_repaired(&mut self, times: u32) {
        count_times(&mut self.report.lost_for_good_times, times);
    }

    /// Counts a tail that was lost, and retransmitted after so long or never.
    pub fn count_tail(&mut self, waited_ns: Option<i64>) {
        let tails = &mut self.report.tails;
        tails.lost += 1;
        match waited_ns {
            Some(waited_ns) => self.tail_waits.add(waited_ns),
            None => tails.lost_for_good += 1,
        }
    }

    /// Returns what is told.
    pub fn finish(self) -> WayReport {
        let mut report = self.report;
        report.delay = self.delays.distribution();
        report.tails.waited = self.tail_waits.distribution();
        report.air = self.air.finish();
        report
    }
}

fn count_times(counts: &mut Vec<u64>, times: u32) {
    let at = (times as usize).clamp(1, MOST_TIMES) - 1;
    if counts.len() <= at {
        counts.resize(at + 1, 0);
    }
    counts[at] += 1;
}
