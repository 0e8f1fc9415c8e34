//! Fate of a direction's packets, settled in the order in which they were sent.

use super::{Lane, MOST_STEPS, PathState, sight};
use crate::passage::{PacketOutcome, Passage, PathDirection};
use crate::transmission::PathTransmission;
use crate::walk::Extents;
use crate::witness::Witness;

/// Longest time that a packet may be under way: what the other capture has not shown by then never
/// came. Queues of seconds are known ("bufferbloat"); ten are twice the worst that is reported of
/// access links. Inferred.
pub(crate) const PATIENCE_NS: i64 = 10_000_000_000;

/// Time after which a packet does not arrive any more, if one sent later arrived and was
/// acknowledged. Networks reorder within milliseconds; RACK waits a quarter of a round trip (RFC
/// 8985 §6.2). Inferred.
const REORDERING_NS: i64 = 1_000_000_000;

/// Where room is short, so many transmissions of a direction that the other capture does not know
/// are kept. A connection that both captures have from its beginning began with fewer: TCP sends no
/// more than its initial window without an answer (RFC 6928: ten segments).
pub(crate) const MOST_ALONE: usize = 64;

impl Lane {
    /// Returns whether anything is over by `now_ns`, on the first capture's clock.
    #[inline]
    pub fn has_any_to_settle(&self, now_ns: i64) -> bool {
        (0..2).any(|side| self.is_front_over(side, now_ns))
    }

    /// Settles what is over by `now_ns`.
    pub fn settle(
        &mut self,
        now_ns: i64,
        course: PathState,
        extents: &Extents,
        witness: &mut impl Witness,
    ) {
        for side in 0..2 {
            while self.is_front_over(side, now_ns) {
                if self.is_matched {
                    self.settle_one(side, course, extents, witness);
                } else {
                    self.drop_one_alone(side);
                }
            }
        }
    }

    /// Makes room: keeps the last few of a direction that the other capture does not know.
    pub fn drop_alone(&mut self) {
        for side in 0..2 {
            while !self.is_matched && self.sides[side].len() > MOST_ALONE {
                self.drop_one_alone(side);
            }
        }
    }

    fn drop_one_alone(&mut self, side: usize) {
        self.sides[side].pop(&mut self.scratch);
        self.alone[side] += 1;
    }

    /// Returns whether the fate of the oldest transmission of a capture is known.
    #[inline]
    fn is_front_over(&self, side: usize, now_ns: i64) -> bool {
        let Some(sent) = self.sides[side].front() else {
            return false;
        };
        if sent.open == 0 || now_ns.saturating_sub(sent.aligned_ns) > PATIENCE_NS {
            return true;
        }
        let newest = self.sides[side].newest_ns();
        let is_overtaken =
            newest.is_some_and(|newest| newest.saturating_sub(sent.aligned_ns) > REORDERING_NS);
        is_overtaken && (sent.is_bare() || self.acknowledged.covers(sent.start, sent.end))
    }

    /// Settles everything, as the captures are over or there is no more room.
    pub fn finish(&mut self, course: PathState, extents: &Extents, witness: &mut impl Witness) {
        for side in 0..2 {
            if self.is_matched {
                while self.sides[side].len() > 0 {
                    self.settle_one(side, course, extents, witness);
                }
            }
            self.alone[side] += self.sides[side].len() as u64;
        }
        let way = course.way.unwrap_or(PathDirection::Forth);
        for times in self.losses.never_repaired() {
            witness.never_repaired(way, times);
        }
        if self.tail.is_lost_for_good() {
            self.tails_lost += 1;
            witness.tail_lost(way, None);
        }
    }

    fn settle_one(
        &mut self,
        side: usize,
        course: PathState,
        extents: &Extents,
        witness: &mut impl Witness,
    ) {
        let mut open = std::mem::take(&mut self.scratch);
        if let Some(sent) = self.sides[side].pop(&mut open) {
            let way = course.way_by(self.last_difference.map_or(0, |(_, aligned)| aligned));
            if side == way.upstream() {
                self.settle_sent(&sent, &open, way, course, extents, witness);
            } else {
                self.settle_arrived(&sent, &open, way, course, extents, witness);
            }
        }
        self.scratch = open;
    }

    /// A transmission that passed the first point of its way: what came through and what, the
    /// `open` parts, did not.
    fn settle_sent(
        &mut self,
        sent: &PathTransmission,
        open: &[(u64, u64)],
        way: PathDirection,
        course: PathState,
        extents: &Extents,
        witness: &mut impl Witness,
    ) {
        let mut at = sent.start;
        for &part in open {
            self.come_through(sent, (at, part.0), way, witness);
            at = part.1;
            let fate = self.fate_upstream(sent, part, way, extents);
            if fate == PacketOutcome::Uncaptured {
                self.sides[1 - way.upstream()].seen.add(part.0, part.1);
                self.come_through(sent, part, way, witness);
            }
            // With an acknowledgment alone no bytes are lost, and none were sent needlessly.
            let has_lost_bytes = fate == PacketOutcome::Lost && part.0 < part.1;
            let is_needless = has_lost_bytes && self.through.covers(part.0, part.1);
            if has_lost_bytes && !is_needless {
                self.tail.lose(part, sent.aligned_ns, self.through.end());
            }
            for piece in self.pieces(sent, part) {
                if has_lost_bytes && !is_needless {
                    self.losses.lose(piece.0, piece.1);
                }
                let passage = Passage {
                    is_needless,
                    ..course.passage(way, fate, sent, piece, 1)
                };
                tell(way.upstream(), sent, passage, witness);
            }
        }
        self.come_through(sent, (at, sent.end), way, witness);
    }

    /// A transmission at the second point of its way, with parts that never passed the first.
    fn settle_arrived(
        &self,
        sent: &PathTransmission,
        open: &[(u64, u64)],
        way: PathDirection,
        course: PathState,
        extents: &Extents,
        witness: &mut impl Witness,
    ) {
        for &part in open {
            let fate = self.fate_downstream(sent, way, extents);
            let passage = course.passage(way, fate, sent, part, self.segments(sent, part));
            tell(1 - way.upstream(), sent, passage, witness);
        }
    }

    /// The segments on the path of a part of a transmission; SYN and FIN take no room there.
    fn pieces(
        &self,
        sent: &PathTransmission,
        part: (u64, u64),
    ) -> impl Iterator<Item = (u64, u64)> + use<> {
        let least = (part.1 - part.0).div_ceil(MOST_STEPS as u64);
        let piece = u64::from(self.segment_size.on_wire()).max(least);
        let most = piece + sent.markers();
        let mut at = Some(part.0);
        std::iter::from_fn(move || {
            let start = at?;
            let end = if part.1 - start > most {
                start + piece
            } else {
                part.1
            };
            at = (end < part.1).then_some(end);
            Some((start, end))
        })
    }

    /// `start` to before `end` of a transmission came through.
    fn come_through(
        &mut self,
        sent: &PathTransmission,
        (start, end): (u64, u64),
        way: PathDirection,
        witness: &mut impl Witness,
    ) {
        if start >= end {
            return;
        }
        if let Some(waited_ns) = self.tail.come_through((start, end), sent.aligned_ns) {
            self.tails_lost += 1;
            witness.tail_lost(way, Some(waited_ns));
        }
        self.through.add(start, end);
        if !self.losses.is_empty() {
            self.losses
                .repair(start, end, |times| witness.repaired(way, times));
        }
    }

    /// Returns how long the last packet was under way.
    fn delay_ns(&self) -> i64 {
        self.last_difference
            .map_or(0, |(_, aligned)| aligned.saturating_abs())
    }

    fn fate_upstream(
        &self,
        sent: &PathTransmission,
        (start, end): (u64, u64),
        way: PathDirection,
        extents: &Extents,
    ) -> PacketOutcome {
        if sent.is_copy {
            return PacketOutcome::Doubled;
        }
        // Without a successor that arrived it may have been on its way when the capture ended.
        let has_successor = self.sides[way.upstream()].newest_ns() > Some(sent.aligned_ns);
        let delay_ns = if has_successor {
            self.delay_ns()
        } else {
            self.furthest_ns.saturating_abs()
        };
        let times = [sent.aligned_ns, sent.aligned_ns.saturating_add(delay_ns)];
        let far = 1 - way.upstream();
        if times.iter().any(|&at_ns| extents.is_outside(far, at_ns)) {
            return PacketOutcome::Outside;
        }
        let has_arrived = start < end
            && self.acknowledged.covers(start, end)
            && !self.sides[far].seen.touches(start, end)
            && !self.sides[way.upstream()].has_open(start, end);
        if has_arrived {
            PacketOutcome::Uncaptured
        } else {
            PacketOutcome::Lost
        }
    }

    fn fate_downstream(
        &self,
        sent: &PathTransmission,
        way: PathDirection,
        extents: &Extents,
    ) -> PacketOutcome {
        let set_off_ns = sent.aligned_ns.saturating_sub(self.delay_ns());
        let times = [sent.aligned_ns, set_off_ns];
        let near = way.upstream();
        if sent.is_copy {
            PacketOutcome::Doubled
        } else if times.iter().any(|&at_ns| extents.is_outside(near, at_ns)) {
            PacketOutcome::Outside
        } else if sent.is_equal {
            // One more than the first capture has, whatever tells them apart.
            PacketOutcome::Doubled
        } else {
            PacketOutcome::Appeared
        }
    }
}

/// Tells of a part that only capture `side` has.
fn tell(side: usize, sent: &PathTransmission, mut passage: Passage, witness: &mut impl Witness) {
    passage.sights[side] = Some(sight(sent));
    passage.exchanges[side] = sent.exchange;
    passage.is_reported = passage.fate == PacketOutcome::Doubled && sent.is_reported;
    witness.passage(&passage);
}
