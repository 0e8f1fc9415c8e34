//! One direction of a connection, matched packet by packet.
//!
//! Whatever either capture has waits until the other shows it. Its fate is settled in the order
//! in which it was sent, so that it is known how often the same bytes were lost before they came
//! through.

mod counts;
mod course;
mod settling;

use super::losses::LostBytes;
use super::passage::{PacketOutcome, Passage};
use super::ranges::Ranges;
use super::segment_size::SegmentSize;
use super::side::{CaptureSide, Fit};
use super::tail::TailLoss;
use super::transmission::{Customs, PathTransmission, same_id};
use super::witness::Witness;

use counts::LaneCounts;
use course::sight;

pub(super) use course::PathState;
pub(super) use settling::{MOST_ALONE, PATIENCE_NS};

/// Steps along the parts of one packet at most; a packet of 64 KiB has 120 of the smallest
/// segment size that every host takes (RFC 9293 §3.7.1).
const MOST_STEPS: usize = 256;

/// Time when the other capture should have a transmission, on the first capture's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub at_ns: i64,
    /// Distance within which all times are as likely.
    pub within_ns: u64,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub sides: [CaptureSide; 2],
    pub counts: [LaneCounts; 2],
    pub customs: Customs,
    pub segment_size: SegmentSize,
    /// Ranges that the receiver has acknowledged.
    pub acknowledged: Ranges,
    losses: LostBytes,
    /// Ranges that have come through, by the order of sending.
    through: Ranges,
    /// Ranges lost since, if those are all.
    tail: TailLoss,
    /// Tails that were lost whole.
    pub tails_lost: u64,
    /// Difference that the last matched packet showed: the second capture's time less the first's,
    /// by their own clocks and aligned.
    pub last_difference: Option<(i64, i64)>,
    /// By how much that varies from one to the next.
    variation_ns: Option<u64>,
    /// Of their times under way the one furthest from zero, less than that on the way back.
    pub furthest_ns: i64,
    pub is_matched: bool,
    /// Hops between the points: what the first capture's time to live is larger.
    pub hops: Option<i16>,
    /// Packets that only one capture has, of a direction that the other does not know.
    pub alone: [u64; 2],
    scratch: Vec<(u64, u64)>,
}

impl Lane {
    /// Capture `side` has a transmission.
    pub fn arrive(
        &mut self,
        side: usize,
        mut sent: PathTransmission,
        course: PathState,
        witness: &mut impl Witness,
    ) {
        let own = &mut self.sides[side];
        sent.is_copy = own.note(&sent);
        self.segment_size.note(&sent);
        self.counts[side].add(&sent, &own.seen, &self.acknowledged);
        if !sent.is_bare() && !sent.is_copy {
            own.seen.add(sent.start, sent.end);
        }
        self.arrive_again(side, sent, course, witness);
    }

    /// A transmission that was counted before finds its counterpart, or waits for it.
    pub fn arrive_again(
        &mut self,
        side: usize,
        mut sent: PathTransmission,
        course: PathState,
        witness: &mut impl Witness,
    ) {
        let mut open = std::mem::take(&mut self.scratch);
        open.clear();
        let expected = self.expected(side, &sent);
        let piece = self.segment_size.least();
        let (mut at, mut steps) = (sent.start, 0);
        while (at < sent.end || sent.is_bare()) && steps < MOST_STEPS {
            steps += 1;
            let other = &self.sides[1 - side];
            match other.find(&sent, at, expected, &self.customs, piece) {
                Some(fit) => {
                    self.match_up(side, &sent, &fit, course, witness);
                    if sent.is_bare() {
                        sent.open = 0;
                        break;
                    }
                    sent.open -= (fit.part.1 - fit.part.0) as u32;
                    at = fit.part.1;
                }
                None if sent.is_bare() => break,
                None => {
                    let next = other.next_start(at, sent.end).unwrap_or(sent.end);
                    open.push((at, next));
                    at = next;
                }
            }
        }
        if at < sent.end {
            open.push((at, sent.end));
        }
        self.sides[side].keep(sent, &open);
        self.scratch = open;
    }

    /// Returns when the other capture has this transmission if it is as long under way as the last
    /// was; at any time, as long as that is not known.
    fn expected(&self, side: usize, sent: &PathTransmission) -> Expected {
        let usual = self.last_difference.map_or(0, |(_, aligned)| aligned);
        let away = if side == 0 {
            usual
        } else {
            usual.saturating_neg()
        };
        Expected {
            at_ns: sent.aligned_ns.saturating_add(away),
            within_ns: self.variation_ns.unwrap_or(u64::MAX),
        }
    }

    /// The other capture has what fits to a transmission of capture `side`, or to a part of it.
    fn match_up(
        &mut self,
        side: usize,
        sent: &PathTransmission,
        fit: &Fit,
        course: PathState,
        witness: &mut impl Witness,
    ) {
        let other = self.sides[1 - side].get(fit.number).copied();
        let other = other.expect("what was found is kept");
        let is_late = self.sides[1 - side].strike(fit.number, fit.part);
        let both = if side == 0 {
            [sent, &other]
        } else {
            [&other, sent]
        };
        let difference_ns = self.note_both(both);
        let way = course.way_by(difference_ns);
        let (before, after) = (both[way.upstream()], both[1 - way.upstream()]);
        self.segment_size.compare(before, after);
        let segments = self.segments(before, fit.part);
        let fate = if before.is_copy && after.is_copy {
            PacketOutcome::Doubled
        } else {
            PacketOutcome::Passed
        };
        let passage = Passage {
            sights: both.map(|each| Some(sight(each))),
            is_ambiguous: fit.is_ambiguous,
            is_late: is_late && !fit.is_ambiguous,
            exchanges: both.map(|each| each.exchange),
            ..course.passage(way, fate, before, fit.part, segments)
        };
        witness.matched(&passage, course.is_sure, self.hops);
        witness.passage(&passage);
    }

    /// Learns from a packet that both captures have. Gives how much later the second has it.
    fn note_both(&mut self, [first, second]: [&PathTransmission; 2]) -> i64 {
        let aligned = second.aligned_ns.saturating_sub(first.aligned_ns);
        let own = (second.time_ns as i64).saturating_sub(first.time_ns as i64);
        self.vary(aligned);
        self.last_difference = Some((own, aligned));
        if aligned.unsigned_abs() > self.furthest_ns.unsigned_abs() {
            self.furthest_ns = aligned;
        }
        self.is_matched = true;
        if let Some(is_same) = same_id(first, second, self.segment_size.least()) {
            self.customs.ids[usize::from(!is_same)] += 1;
        }
        if first.timestamps.is_some() && second.timestamps.is_some() {
            let is_same = first.timestamps == second.timestamps;
            self.customs.has_same_clock |= is_same;
            self.customs.has_other_clock |= !is_same;
        }
        self.hops = Some(i16::from(first.ttl) - i16::from(second.ttl));
        aligned
    }

    /// Takes note of a packet's delay, to which the last was like or not: smoothed as the variation
    /// of round trips is (RFC 6298 §2.2 and §2.3).
    fn vary(&mut self, aligned: i64) {
        let change_ns = self
            .last_difference
            .map_or(0, |(_, last)| last.abs_diff(aligned));
        self.variation_ns = Some(match self.variation_ns {
            None => aligned.unsigned_abs() / 2,
            Some(variation_ns) => variation_ns - variation_ns / 4 + change_ns / 4,
        });
    }

    /// Returns how many segments on the path a part of a transmission is.
    fn segments(&self, sent: &PathTransmission, (start, end): (u64, u64)) -> u32 {
        let payload = (end - start).saturating_sub(sent.markers());
        self.segment_size.segments(payload)
    }

    /// Starts anew with the sender, apart from what was lost before.
    pub fn restart(&mut self) {
        self.acknowledged = Ranges::default();
        self.through = Ranges::default();
        self.tail = TailLoss::default();
        self.segment_size.restart();
        for side in &mut self.sides {
            side.seen = Ranges::default();
        }
    }
}
