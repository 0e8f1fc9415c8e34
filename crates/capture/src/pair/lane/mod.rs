//! One direction of a connection, matched packet by packet.
//!
//! Whatever either capture has waits until the other shows it. Its fate is settled in the order
//! in which it was sent, so that it is known how often the same bytes were lost before they came
//! through.

use super::losses::Losses;
use super::passage::{Fate, Passage, Sight, Way};
use super::ranges::Ranges;
use super::segment_size::SegmentSize;
use super::side::Side;
use super::transmission::{Customs, Transmission, same_id};
use super::{Extent, Witness};
use crate::dissect::Flags;

/// How long a packet may be under way: what the other capture has not shown by then never came.
/// Queues of seconds are known ("bufferbloat"); ten are twice the worst that is reported of
/// access links. Inferred.
pub(super) const PATIENCE_NS: i64 = 10_000_000_000;

/// What was sent so long before something that arrived, and was acknowledged, does not arrive
/// any more. Networks reorder within milliseconds; RACK waits a quarter of a round trip (RFC
/// 8985 §6.2). Inferred.
const REORDERING_NS: i64 = 1_000_000_000;

/// Transmissions kept of a direction that the other capture does not know at all. Those that it
/// will know had to begin with fewer: TCP sends no more than its initial window without an
/// answer (RFC 6928: ten segments).
const MOST_ALONE: usize = 64;

/// Steps along the parts of one packet at most; a packet of 64 KiB has 120 of the smallest
/// segment size that every host takes (RFC 9293 §3.7.1).
const MOST_STEPS: usize = 256;

/// What is counted of a direction at one point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub packets: u64,
    pub bytes: u64,
    /// Packets that came when what follows was there already: lost or overtaken before.
    pub fills: u64,
    /// Packets whose bytes had passed already, and had not, or had, been acknowledged.
    pub again: u64,
    pub again_needless: u64,
    /// Their payload.
    pub bytes_again: u64,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub sides: [Side; 2],
    pub counts: [Counts; 2],
    pub customs: Customs,
    pub segment_size: SegmentSize,
    /// What the receiver has said it has.
    pub acknowledged: Ranges,
    losses: Losses,
    /// What has come through, by the order of sending.
    through: Ranges,
    /// What the last matched packet showed: the second capture's time less the first's, by
    /// their own clocks and aligned.
    pub last_difference: Option<(i64, i64)>,
    /// The longest that one of them was under way.
    longest_ns: i64,
    pub is_matched: bool,
    /// Hops between the points: what the first capture's time to live is larger.
    pub hops: Option<i16>,
    /// Packets that only one capture has, of a direction that the other does not know.
    pub alone: [u64; 2],
    scratch: Vec<(u64, u64)>,
}

/// Which connection and direction, and how it goes, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub connection: u32,
    pub end: u8,
    pub way: Option<Way>,
    /// Packets of both directions say so.
    pub is_sure: bool,
}

impl Course {
    fn way_by(self, difference: i64) -> Way {
        // Where nothing takes any time, the client is as good as anywhere before the first point.
        self.way.unwrap_or(match (difference.signum(), self.end) {
            (1, _) | (0, 0) => Way::Forth,
            _ => Way::Back,
        })
    }
}

impl Lane {
    /// Capture `side` has a transmission.
    pub fn arrive(
        &mut self,
        side: usize,
        mut sent: Transmission,
        course: Course,
        witness: &mut impl Witness,
    ) {
        sent.is_copy = self.sides[side].note(&sent);
        self.segment_size.note(&sent);
        self.count(side, &sent);
        self.arrive_again(side, sent, course, witness);
    }

    /// A transmission that was counted before finds its counterpart, or waits for it.
    pub fn arrive_again(
        &mut self,
        side: usize,
        mut sent: Transmission,
        course: Course,
        witness: &mut impl Witness,
    ) {
        let mut open = std::mem::take(&mut self.scratch);
        open.clear();
        let usual = self.last_difference.map_or(0, |(_, aligned)| aligned);
        let away = if side == 0 {
            usual
        } else {
            usual.saturating_neg()
        };
        let expected_ns = sent.aligned_ns.saturating_add(away);
        let piece = self.segment_size.least();
        let (mut at, mut steps) = (sent.start, 0);
        while (at < sent.end || sent.is_bare()) && steps < MOST_STEPS {
            steps += 1;
            let other = &self.sides[1 - side];
            match other.find(&sent, at, expected_ns, &self.customs, piece) {
                Some(fit) => {
                    let other = self.sides[1 - side].get(fit.number).copied();
                    let other = other.expect("what was found is kept");
                    let is_late = self.sides[1 - side].strike(fit.number, fit.part);
                    let both = if side == 0 {
                        [&sent, &other]
                    } else {
                        [&other, &sent]
                    };
                    self.match_up(both, fit.part, course, (fit.is_ambiguous, is_late), witness);
                    if sent.is_bare() {
                        sent.open = 0;
                        break;
                    }
                    sent.open -= (fit.part.1 - fit.part.0) as u32;
                    at = fit.part.1;
                }
                None if sent.is_bare() => break,
                None => {
                    let next = self.sides[1 - side]
                        .next_start(at, sent.end)
                        .unwrap_or(sent.end);
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

    fn count(&mut self, side: usize, sent: &Transmission) {
        let (counts, seen) = (&mut self.counts[side], &mut self.sides[side].seen);
        counts.packets += 1;
        counts.bytes += u64::from(sent.payload);
        if sent.is_bare() || sent.is_copy {
            return;
        }
        if seen.touches(sent.start, sent.end) {
            counts.bytes_again += u64::from(sent.payload);
            if self.acknowledged.covers(sent.start, sent.end) {
                counts.again_needless += 1;
            } else {
                counts.again += 1;
            }
        } else if sent.start < seen.end() {
            counts.fills += 1;
        }
        seen.add(sent.start, sent.end);
    }

    /// Both captures have a packet, or this part of it.
    fn match_up(
        &mut self,
        both: [&Transmission; 2],
        part: (u64, u64),
        course: Course,
        (is_ambiguous, is_late): (bool, bool),
        witness: &mut impl Witness,
    ) {
        let [first, second] = both;
        let aligned = second.aligned_ns.saturating_sub(first.aligned_ns);
        let own = (second.time_ns as i64).saturating_sub(first.time_ns as i64);
        self.last_difference = Some((own, aligned));
        self.longest_ns = self.longest_ns.max(aligned.saturating_abs());
        self.is_matched = true;
        if let Some(is_same) = same_id(first, second, self.segment_size.least()) {
            self.customs.ids[usize::from(!is_same)] += 1;
        }
        if first.flags.has(Flags::SYN) && first.timestamps.is_some() && second.timestamps.is_some()
        {
            self.customs.rewrites_timestamps = first.timestamps != second.timestamps;
        }
        self.hops = Some(i16::from(first.ttl) - i16::from(second.ttl));
        let way = course.way_by(aligned);
        let (sent, arrived) = (both[way.upstream()], both[1 - way.upstream()]);
        self.segment_size.compare(sent, arrived);
        let passage = Passage {
            connection: course.connection,
            end: course.end,
            way,
            fate: Fate::Passed,
            sights: both.map(|each| Some(sight(each))),
            seq: sent
                .seq
                .wrapping_add((part.0.saturating_sub(sent.start)) as u32),
            length: (part.1 - part.0) as u32,
            segments: self.segments(sent, part),
            flags: sent.flags.0,
            is_ambiguous,
            is_late: is_late && !is_ambiguous,
            is_needless: false,
            exchanges: both.map(|each| each.exchange),
        };
        witness.matched(&passage, course.is_sure, self.hops);
        witness.passage(&passage);
    }

    /// Settles what is over by `now_ns`, on the first capture's clock.
    pub fn settle(
        &mut self,
        now_ns: i64,
        course: Course,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) {
        if !self.is_matched {
            self.drop_alone();
            return;
        }
        for side in 0..2 {
            while self.sides[side]
                .front()
                .is_some_and(|sent| self.is_over(side, sent, now_ns))
            {
                self.settle_one(side, course, extents, witness);
            }
        }
    }

    fn drop_alone(&mut self) {
        for side in 0..2 {
            while self.sides[side].len() > MOST_ALONE {
                self.sides[side].pop(&mut self.scratch);
                self.alone[side] += 1;
            }
        }
    }

    fn is_over(&self, side: usize, sent: &Transmission, now_ns: i64) -> bool {
        if sent.open == 0 || now_ns.saturating_sub(sent.aligned_ns) > PATIENCE_NS {
            return true;
        }
        let newest = self.sides[side].newest_ns();
        let is_overtaken =
            newest.is_some_and(|newest| newest.saturating_sub(sent.aligned_ns) > REORDERING_NS);
        is_overtaken && (sent.is_bare() || self.acknowledged.covers(sent.start, sent.end))
    }

    /// Settles everything, as the captures are over or there is no more room.
    pub fn finish(&mut self, course: Course, extents: &[Extent; 2], witness: &mut impl Witness) {
        for side in 0..2 {
            if self.is_matched {
                while self.sides[side].len() > 0 {
                    self.settle_one(side, course, extents, witness);
                }
            }
            self.alone[side] += self.sides[side].len() as u64;
        }
        for times in self.losses.never_repaired() {
            witness.never_repaired(course.way.unwrap_or(Way::Forth), times);
        }
    }

    /// What the sender starts anew has nothing to do with what was lost before.
    pub fn restart(&mut self) {
        self.acknowledged = Ranges::default();
        self.through = Ranges::default();
        self.segment_size.restart();
        for side in &mut self.sides {
            side.seen = Ranges::default();
        }
    }

    fn settle_one(
        &mut self,
        side: usize,
        course: Course,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) {
        let mut parts = std::mem::take(&mut self.scratch);
        if let Some(sent) = self.sides[side].pop(&mut parts) {
            let way = course.way_by(self.last_difference.map_or(0, |(_, aligned)| aligned));
            if side == way.upstream() {
                self.settle_sent(&sent, &parts, way, course, extents, witness);
            } else {
                for &part in &parts {
                    let fate = self.fate_downstream(&sent, way, extents);
                    let segments = self.segments(&sent, part);
                    let told = (side, fate, false, segments);
                    tell(&sent, part, told, way, course, witness);
                }
            }
        }
        self.scratch = parts;
    }

    /// A transmission that passed the first point of its way: what came through and what did not.
    fn settle_sent(
        &mut self,
        sent: &Transmission,
        parts: &[(u64, u64)],
        way: Way,
        course: Course,
        extents: &[Extent; 2],
        witness: &mut impl Witness,
    ) {
        let mut at = sent.start;
        for &part in parts {
            self.repair((at, part.0), way, witness);
            at = part.1;
            let fate = self.fate_upstream(sent, part, way, extents);
            if fate == Fate::Uncaptured {
                self.sides[1 - way.upstream()].seen.add(part.0, part.1);
                self.repair(part, way, witness);
            }
            // With an acknowledgment alone no bytes are lost, and none were sent needlessly.
            let has_lost_bytes = fate == Fate::Lost && part.0 < part.1;
            let is_needless = has_lost_bytes && self.through.covers(part.0, part.1);
            for piece in self.pieces(sent, part) {
                if has_lost_bytes && !is_needless {
                    self.losses.lose(piece.0, piece.1);
                }
                let told = (way.upstream(), fate, is_needless, 1);
                tell(sent, piece, told, way, course, witness);
            }
        }
        self.repair((at, sent.end), way, witness);
    }

    /// The segments on the wire of a part of a transmission; SYN and FIN take no room there.
    fn pieces(
        &self,
        sent: &Transmission,
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

    /// How many segments on the wire a part of a transmission is.
    fn segments(&self, sent: &Transmission, (start, end): (u64, u64)) -> u32 {
        let payload = (end - start).saturating_sub(sent.markers());
        self.segment_size.segments(payload)
    }

    fn repair(&mut self, (start, end): (u64, u64), way: Way, witness: &mut impl Witness) {
        if start >= end {
            return;
        }
        self.through.add(start, end);
        if !self.losses.is_empty() {
            self.losses
                .repair(start, end, |times| witness.repaired(way, times));
        }
    }

    fn delay_ns(&self) -> i64 {
        self.last_difference
            .map_or(0, |(_, aligned)| aligned.saturating_abs())
    }

    fn fate_upstream(
        &self,
        sent: &Transmission,
        (start, end): (u64, u64),
        way: Way,
        extents: &[Extent; 2],
    ) -> Fate {
        let far = &extents[1 - way.upstream()];
        if sent.is_copy {
            return Fate::Doubled;
        }
        // Without a successor that arrived it may have been on its way when the capture ended.
        let has_successor = self.sides[way.upstream()].newest_ns() > Some(sent.aligned_ns);
        let delay_ns = if has_successor {
            self.delay_ns()
        } else {
            self.longest_ns
        };
        let arrival_ns = sent.aligned_ns.saturating_add(delay_ns);
        if far.is_outside(sent.aligned_ns) || far.is_outside(arrival_ns) {
            return Fate::Outside;
        }
        let has_arrived = start < end
            && self.acknowledged.covers(start, end)
            && !self.sides[1 - way.upstream()].seen.touches(start, end)
            && !self.sides[way.upstream()].has_open(start, end);
        if has_arrived {
            Fate::Uncaptured
        } else {
            Fate::Lost
        }
    }

    fn fate_downstream(&self, sent: &Transmission, way: Way, extents: &[Extent; 2]) -> Fate {
        let near = &extents[way.upstream()];
        if sent.is_copy {
            Fate::Doubled
        } else if near.is_outside(sent.aligned_ns)
            || near.is_outside(sent.aligned_ns.saturating_sub(self.delay_ns()))
        {
            Fate::Outside
        } else {
            Fate::Appeared
        }
    }
}

fn sight(sent: &Transmission) -> Sight {
    Sight {
        number: sent.number,
        time_ns: sent.time_ns,
        aligned_ns: sent.aligned_ns,
    }
}

/// Tells of a part that only capture `side` has.
fn tell(
    sent: &Transmission,
    part: (u64, u64),
    (side, fate, is_needless, segments): (usize, Fate, bool, u32),
    way: Way,
    course: Course,
    witness: &mut impl Witness,
) {
    let mut sights = [None, None];
    sights[side] = Some(sight(sent));
    let mut exchanges = [None, None];
    exchanges[side] = sent.exchange;
    witness.passage(&Passage {
        connection: course.connection,
        end: course.end,
        way,
        fate,
        sights,
        seq: sent.seq.wrapping_add((part.0 - sent.start) as u32),
        length: (part.1 - part.0) as u32,
        segments,
        flags: sent.flags.0,
        is_ambiguous: false,
        is_late: false,
        is_needless,
        exchanges,
    });
}
