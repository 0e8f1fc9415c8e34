//! A connection as both captures have it.

use super::lane::{Lane, MOST_ALONE, PathState};
use super::numbering::Numbering;
use super::passage::PathDirection;
use super::side::CaptureSide;
use super::source::Sighting;
use super::transmission::PathTransmission;
use super::walk::Extents;
use super::witness::Witness;
use dissect::{ConnectionEnd, ControlBits, TcpSegment};

/// A SYN comes at most so long before or after its counterpart with another sequence number:
/// the first retransmission of a SYN is a second later (RFC 6298 §2.1), and takes the first's.
const SYN_NS: u64 = 1_000_000_000;

/// A connection, whose ends the captures may know under different names.
#[derive(Debug)]
pub(super) struct PairedConnection {
    pub number: u32,
    /// Its ends by each capture, the same end first.
    pub ends: [Option<[ConnectionEnd; 2]>; 2],
    /// Direction of each end.
    pub lanes: [Lane; 2],
    numbering: [Numbering; 2],
    /// Packets that say that the first end is beyond the first capture's point, less those that
    /// say that it is beyond the second's.
    votes: i64,
    /// The last packet of either capture, on the first capture's clock.
    pub last_ns: i64,
    /// The SYNs as each capture has them, by end.
    pub syns: [[Option<Syn>; 2]; 2],
}

/// Options that a SYN offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Syn {
    pub mss: Option<u16>,
    pub window_scale: Option<u8>,
    pub sack_permitted: bool,
    pub has_timestamps: bool,
    /// The snap length cut off options that may have been there.
    pub is_cut: bool,
}

impl PairedConnection {
    /// A connection whose first packet capture `side` has.
    pub fn new(number: u32, side: usize, segment: &TcpSegment) -> Self {
        let is_answer = segment.flags.has(ControlBits::SYN) && segment.flags.has(ControlBits::ACK);
        let ends = if is_answer {
            [segment.destination, segment.source]
        } else {
            [segment.source, segment.destination]
        };
        let mut known = [None, None];
        known[side] = Some(ends);
        PairedConnection {
            number,
            ends: known,
            lanes: Default::default(),
            numbering: Default::default(),
            votes: 0,
            last_ns: i64::MIN,
            syns: Default::default(),
        }
    }

    /// Returns whether a segment of capture `side` belongs to it.
    #[inline]
    pub fn joins(&self, side: usize, segment: &TcpSegment) -> bool {
        self.ends[side].is_some_and(|[one, other]| {
            (segment.source == one && segment.destination == other)
                || (segment.source == other && segment.destination == one)
        })
    }

    /// Returns which end sent a segment of capture `side`.
    #[inline]
    pub fn end_of(&self, side: usize, segment: &TcpSegment) -> usize {
        self.ends[side].map_or(0, |ends| usize::from(ends[0] != segment.source))
    }

    /// Returns whether a packet of it is in both captures.
    pub fn is_matched(&self) -> bool {
        self.lanes.iter().any(|lane| lane.is_matched)
    }

    /// By how much the second capture's numbers of an end's bytes are larger.
    pub fn shift(&self, end: usize) -> u32 {
        self.numbering[end].shift
    }

    /// Returns which way an end's packets go, if that is known.
    fn course(&self, end: usize) -> PathState {
        let lean = match (self.votes, end) {
            (0, end) => self.lean(end),
            (votes, 0) => votes,
            (votes, _) => -votes,
        };
        let way = match lean {
            1.. => Some(PathDirection::Forth),
            0 => None,
            ..0 => Some(PathDirection::Back),
        };
        // Where both directions show the clocks equally far apart, no time lies between the points,
        // and either way is as good.
        let are_both_known = self.lanes.iter().all(|lane| lane.is_matched);
        PathState {
            connection: self.number,
            end: end as u8,
            way,
            is_sure: self.votes != 0 || (lean == 0 && are_both_known),
        }
    }

    /// Returns which way an end's packets go, positive for forth, where the two directions together
    /// do not say it. The routers they passed do, and else their delays, of which the one furthest
    /// from zero counts: of one direction alone the fastest is taken to need no time, which says
    /// nothing.
    fn lean(&self, end: usize) -> i64 {
        let more =
            |of: fn(&Lane) -> i64| of(&self.lanes[end]).saturating_sub(of(&self.lanes[1 - end]));
        let by_hops = more(|lane| i64::from(lane.hops.unwrap_or(0)));
        if by_hops == 0 {
            more(|lane| lane.furthest_ns)
        } else {
            by_hops
        }
    }

    /// The way that an end's packets go.
    pub fn way(&self, end: usize) -> PathDirection {
        let fallback = if end == 0 {
            PathDirection::Forth
        } else {
            PathDirection::Back
        };
        self.course(end).way.unwrap_or(fallback)
    }

    /// Capture `side` has a segment of it, at this time of the first capture's clock.
    pub fn take(
        &mut self,
        side: usize,
        sighting: &Sighting,
        aligned_ns: i64,
        witness: &mut impl Witness,
    ) {
        let segment = &sighting.segment;
        let end = self.end_of(side, segment);
        self.last_ns = self.last_ns.max(aligned_ns);
        if segment.flags.has(ControlBits::SYN) {
            self.note_syn(side, end, segment, aligned_ns);
        }
        let mut sent = self.transmission(side, end, sighting, aligned_ns);
        if let Some(shift) = self.other_shift(side, end, &sent) {
            self.renumber(end, shift, witness);
            sent = self.transmission(side, end, sighting, aligned_ns);
        }
        if segment.flags.has(ControlBits::ACK) {
            self.acknowledge(side, 1 - end, segment);
        }
        let course = self.course(end);
        self.lanes[end].arrive(side, sent, course, witness);
        self.vote();
    }

    fn transmission(
        &mut self,
        side: usize,
        end: usize,
        sighting: &Sighting,
        aligned_ns: i64,
    ) -> PathTransmission {
        let segment = &sighting.segment;
        let seq = segment.seq.wrapping_sub(self.shift_at(side, end));
        let (start, is_anew) = self.numbering[end].place(seq, segment.flags.has(ControlBits::SYN));
        if is_anew {
            self.lanes[end].restart();
        }
        let mut sent = PathTransmission::new(segment, sighting.exchange, aligned_ns, start);
        sent.is_equal = sighting.is_equal;
        sent.ack = segment.ack.wrapping_sub(self.shift_at(side, 1 - end));
        self.numbering[end].note(sent.end);
        sent
    }

    fn shift_at(&self, side: usize, end: usize) -> u32 {
        if side == 1 {
            self.numbering[end].shift
        } else {
            0
        }
    }

    /// The two directions' last packets say where the ends are: whatever the clocks, what goes
    /// forth shows the second clock further ahead than what comes back.
    fn vote(&mut self) {
        if let [Some((one, _)), Some((other, _))] =
            self.lanes.each_ref().map(|lane| lane.last_difference)
        {
            self.votes += one.wrapping_sub(other).signum();
        }
    }

    fn note_syn(&mut self, side: usize, end: usize, segment: &TcpSegment, aligned_ns: i64) {
        let options = &segment.options;
        self.lanes[1 - end].segment_size.announce(side, options.mss);
        self.syns[side][end] = Some(Syn {
            mss: options.mss,
            window_scale: options.window_scale,
            sack_permitted: options.sack_permitted,
            has_timestamps: options.timestamps.is_some(),
            is_cut: options.is_cut,
        });
        // Something may have renumbered this connection: the other capture's SYN that waits for
        // its counterpart has another number, and is the same otherwise.
        let own_clock = |timestamps: Option<(u32, u32)>| timestamps.map(|(own, _)| own);
        let is_alike = |other: &&PathTransmission| {
            other.flags == segment.flags
                && other.aligned_ns.abs_diff(aligned_ns) < SYN_NS
                && (other.has_lost_timestamps
                    || options.has_lost_timestamps()
                    || own_clock(other.timestamps) == own_clock(options.timestamps))
                && (other.ip_id == segment.ip_id.unwrap_or(0) || other.window == segment.window)
        };
        let own = segment.seq.wrapping_sub(self.shift_at(side, end));
        let waiting = self.lanes[end].sides[1 - side]
            .untouched(MOST_ALONE)
            .filter(is_alike);
        if let Some(other) = waiting.last().filter(|other| other.start as u32 != own) {
            self.numbering[end].shift = if side == 1 {
                segment.seq.wrapping_sub(other.seq)
            } else {
                other.seq.wrapping_sub(segment.seq)
            };
        }
    }

    /// In a connection that was under way before both captures: by how much the second's numbers
    /// are larger, if a segment is the same as another but for its number.
    fn other_shift(&self, side: usize, end: usize, sent: &PathTransmission) -> Option<u32> {
        let lane = &self.lanes[end];
        let is_known = lane.is_matched || self.ends.iter().any(Option::is_none);
        if is_known || sent.payload == 0 || sent.ip_id == 0 {
            return None;
        }
        let waiting = lane.sides[1 - side].untouched(MOST_ALONE);
        let mut alike = waiting.filter(|other| {
            other.ip_id == sent.ip_id
                && other.payload == sent.payload
                && other.flags == sent.flags
                && other.agrees_in_clock(sent)
                && other.window == sent.window
        });
        let other = alike.next()?;
        let [first, second] = if side == 0 {
            [sent.seq, other.seq]
        } else {
            [other.seq, sent.seq]
        };
        let shift = second.wrapping_sub(first);
        (shift != self.numbering[end].shift).then_some(shift)
    }

    /// Counts an end's bytes anew, as the second capture's numbers turn out to be larger by
    /// `shift`, and matches what waits once more.
    fn renumber(&mut self, end: usize, shift: u32, witness: &mut impl Witness) {
        let change = shift.wrapping_sub(self.numbering[end].shift);
        self.numbering[end] = Numbering::shifted(shift);
        for lane in [end, 1 - end] {
            let kept = [0, 1].map(|side| self.lanes[lane].sides[side].take());
            for (side, kept) in kept.into_iter().enumerate() {
                for mut sent in kept {
                    if lane == end {
                        let seq = sent.seq.wrapping_sub(self.shift_at(side, end));
                        let (start, _) =
                            self.numbering[end].place(seq, sent.flags.has(ControlBits::SYN));
                        (sent.start, sent.end) = (start, start + (sent.end - sent.start));
                        self.numbering[end].note(sent.end);
                    } else if side == 1 {
                        sent.ack = sent.ack.wrapping_sub(change);
                    }
                    let course = self.course(lane);
                    self.lanes[lane].arrive_again(side, sent, course, witness);
                }
            }
        }
    }

    /// Takes over what the other capture has of the same connection under other names, whose
    /// end 0 is end `end` here.
    pub fn join(
        &mut self,
        mut other: PairedConnection,
        side: usize,
        end: usize,
        witness: &mut impl Witness,
    ) {
        self.ends[side] = other.ends[side].map(|ends| [ends[end], ends[1 - end]]);
        self.last_ns = self.last_ns.max(other.last_ns);
        for own in 0..2 {
            let theirs = own ^ end;
            self.syns[side][own] = other.syns[side][theirs];
            let lane = &mut self.lanes[own];
            lane.counts[side] = other.lanes[theirs].counts[side];
            lane.alone[side] += other.lanes[theirs].alone[side];
            let size = &other.lanes[theirs].segment_size;
            lane.segment_size.join(side, size);
            for mut sent in other.lanes[theirs].sides[side].take() {
                let (start, _) =
                    self.numbering[own].place(sent.seq, sent.flags.has(ControlBits::SYN));
                (sent.start, sent.end) = (start, start + (sent.end - sent.start));
                let course = self.course(own);
                self.lanes[own].arrive_again(side, sent, course, witness);
            }
        }
    }

    /// Capture `side` has it that the receiver of `end`'s bytes has some of them.
    fn acknowledge(&mut self, side: usize, end: usize, segment: &TcpSegment) {
        let shift = self.shift_at(side, end);
        let (numbering, lane) = (&self.numbering[end], &mut self.lanes[end]);
        let Some(ack) = numbering.unwrap(segment.ack.wrapping_sub(shift)) else {
            return;
        };
        lane.acknowledged.add_below(ack);
        if let Some(report) = segment.duplicate_report() {
            let [start, end] =
                [report.left, report.right].map(|edge| numbering.unwrap(edge.wrapping_sub(shift)));
            if let (Some(start), Some(end)) = (start, end) {
                lane.sides
                    .iter_mut()
                    .for_each(|own| own.report_twice(start, end));
            }
        }
        for block in segment.options.sack() {
            let [left, right] =
                [block.left, block.right].map(|edge| numbering.unwrap(edge.wrapping_sub(shift)));
            if let (Some(left), Some(right)) = (left, right) {
                lane.acknowledged.add(left, right);
            }
        }
    }

    /// Settles what is over.
    pub fn settle(&mut self, now_ns: i64, extents: &Extents, witness: &mut impl Witness) {
        for end in 0..2 {
            if self.lanes[end].has_any_to_settle(now_ns) {
                let course = self.course(end);
                self.lanes[end].settle(now_ns, course, extents, witness);
            }
        }
    }

    /// Makes room: keeps the last few of what the other capture does not know.
    pub fn drop_alone(&mut self) {
        self.lanes.iter_mut().for_each(Lane::drop_alone);
    }

    /// Returns how many packets wait for their fate.
    pub fn waiting(&self) -> usize {
        self.lanes
            .iter()
            .flat_map(|lane| &lane.sides)
            .map(CaptureSide::len)
            .sum()
    }

    /// Settles everything.
    pub fn finish(&mut self, extents: &Extents, witness: &mut impl Witness) {
        for end in 0..2 {
            let course = self.course(end);
            self.lanes[end].finish(course, extents, witness);
        }
    }
}
