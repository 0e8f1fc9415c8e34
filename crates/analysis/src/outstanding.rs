//! Segments that are on their way: sent, as far as captured, and not yet acknowledged.
//!
//! What is captured in front of a card that cuts segments (or behind one that puts them together)
//! is larger than what the network carries. Its pieces are lost, reported and retransmitted one by
//! one, so a segment is cut where a SACK block or a retransmission ends inside it.

use super::ring::Ring;
use dissect::prefetch::prefetch;

/// Segments remembered of a direction whose receiver is heard; enough for a window of 95 MB
/// in segments of 1460 bytes. The oldest is forgotten beyond that, and only its round trip is
/// missed.
const MOST: usize = 65_536;

/// Segments remembered where nobody acknowledges: half of the conversation was not captured.
const MOST_UNHEARD: usize = 64;

/// One segment on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SegmentInFlight {
    /// Behind its last sequence number.
    pub end: u64,
    /// Time when it was sent last.
    pub last_ns: u64,
    /// Sequence numbers.
    pub length: u32,
    pub ip_id: u16,
    /// Number of times it was sent, up to 255.
    pub times: u8,
    pub is_sacked: bool,
}

const _: () = assert!(
    32 * size_of::<SegmentInFlight>() == super::blocks::BYTES,
    "a block of them"
);

impl SegmentInFlight {
    #[inline]
    pub const fn start(&self) -> u64 {
        self.end - self.length as u64
    }
}

/// Segments that an acknowledgment took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AcknowledgedSegments {
    /// The first of those that were sent once and not reported before.
    pub first: Option<SegmentInFlight>,
    /// The last of all.
    pub last: Option<SegmentInFlight>,
    /// Time when the youngest was sent of which something arrived.
    pub newest_ns: u64,
    /// True if one of them was sent more often than once.
    pub has_repair: bool,
}

/// News of a SACK block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reported {
    /// Time when the youngest of its segments was sent; 0 if it tells nothing new.
    pub newest_ns: u64,
    /// The first of its segments that was sent once.
    pub first_sent_once: Option<SegmentInFlight>,
}

impl Reported {
    /// Takes what another block tells.
    pub fn take(&mut self, other: Reported) {
        self.newest_ns = self.newest_ns.max(other.newest_ns);
        let both = [self.first_sent_once, other.first_sent_once];
        self.first_sent_once = both.into_iter().flatten().min_by_key(|sent| sent.end);
    }
}

/// Segments on their way, in the order of their sequence numbers.
#[derive(Debug, Default)]
pub(super) struct SegmentsInFlight {
    segments: Ring<SegmentInFlight>,
}

impl SegmentsInFlight {
    /// Asks for where the next acknowledgment will read and where the next segments will be put:
    /// two of each, as most acknowledgments are of two segments (RFC 5681 §4.2).
    #[inline]
    pub fn prefetch(&self) {
        for first in [0, self.segments.len()] {
            if let Some((one, other)) = self.segments.peek(first).zip(self.segments.peek(first + 1))
            {
                prefetch(one, 0, 1);
                prefetch(
                    other,
                    size_of::<SegmentInFlight>() - 1,
                    size_of::<SegmentInFlight>(),
                );
            }
        }
    }

    /// A segment is sent beyond all others.
    #[inline]
    pub fn push(&mut self, sent: SegmentInFlight, is_heard: bool) {
        let most = if is_heard { MOST } else { MOST_UNHEARD };
        if self.segments.len() >= most {
            self.segments.pop_front();
        }
        self.segments.push_back(sent);
    }

    /// A segment turns up between others, where no other was.
    pub fn insert(&mut self, sent: SegmentInFlight) {
        if self.segments.len() >= MOST {
            return;
        }
        let at = self
            .segments
            .partition_point(|other| other.end <= sent.start());
        self.segments.insert(at, sent);
    }

    /// Everything before `ack` is delivered.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64) -> AcknowledgedSegments {
        let mut delivered = AcknowledgedSegments::default();
        while let Some(&sent) = self.segments.get(0) {
            if sent.end > ack {
                if sent.start() < ack {
                    delivered.newest_ns = delivered.newest_ns.max(sent.last_ns);
                }
                break;
            }
            delivered.newest_ns = delivered.newest_ns.max(sent.last_ns);
            delivered.has_repair |= sent.times > 1;
            if delivered.first.is_none() && sent.times == 1 && !sent.is_sacked {
                delivered.first = Some(sent);
            }
            delivered.last = Some(sent);
            self.segments.pop_front();
            // The next, which would stop it as well, may not be at hand.
            if sent.end == ack {
                break;
            }
        }
        delivered
    }

    /// Cuts segment number `index` in two where it holds both what is before `at` and what is
    /// behind it; gives whether it did. Beyond [`MOST`] it stays whole.
    #[inline]
    fn cut(&mut self, index: usize, at: u64) -> bool {
        match self.segments.get(index) {
            Some(&whole) if whole.start() < at && at < whole.end => self.cut_inside(index, at),
            _ => false,
        }
    }

    #[cold]
    fn cut_inside(&mut self, index: usize, at: u64) -> bool {
        let is_possible = self.segments.len() < MOST;
        if let Some(rear) = self.segments.get_mut(index).filter(|_| is_possible) {
            let front = SegmentInFlight {
                end: at,
                length: (at - rear.start()) as u32,
                ..*rear
            };
            rear.length = (rear.end - at) as u32;
            self.segments.insert(index, front);
        }
        is_possible
    }

    /// Applies `change` to the segments that share bytes with `start..end`, cut to it.
    #[inline]
    fn change(&mut self, start: u64, end: u64, mut change: impl FnMut(&mut SegmentInFlight)) {
        let mut at = self.segments.partition_point(|sent| sent.end <= start);
        at += usize::from(self.cut(at, start));
        while self.segments.get(at).is_some_and(|sent| sent.start() < end) {
            self.cut(at, end);
            if let Some(sent) = self.segments.get_mut(at) {
                change(sent);
            }
            at += 1;
        }
    }

    /// `start..end` is retransmitted: gives the first segment concerned as it was, and whether
    /// the receiver had reported all of them.
    pub fn retransmit(
        &mut self,
        start: u64,
        end: u64,
        now_ns: u64,
        ip_id: u16,
    ) -> Option<(SegmentInFlight, bool)> {
        let mut first = None;
        let mut all_sacked = true;
        self.change(start, end, |sent| {
            first.get_or_insert(*sent);
            all_sacked &= sent.is_sacked;
            sent.times = sent.times.saturating_add(1);
            sent.last_ns = now_ns;
            sent.ip_id = ip_id;
        });
        first.map(|first| (first, all_sacked))
    }

    /// The receiver reports `start..end`, which is known up to `from`.
    pub fn sack(&mut self, start: u64, end: u64, from: u64) -> Reported {
        let mut reported = Reported::default();
        self.change(from, end, |sent| {
            if !sent.is_sacked && sent.start() >= start && sent.end <= end {
                sent.is_sacked = true;
                reported.newest_ns = reported.newest_ns.max(sent.last_ns);
                if sent.times == 1 {
                    reported.first_sent_once.get_or_insert(*sent);
                }
            }
        });
        reported
    }

    /// SACKed bytes from `from` on, counted until they exceed `enough`.
    pub fn sacked_above(&self, from: u64, enough: u64) -> u64 {
        let first = self.segments.partition_point(|sent| sent.end <= from);
        let mut sum = 0;
        for sent in (first..self.segments.len()).filter_map(|index| self.segments.get(index)) {
            sum += if sent.is_sacked {
                u64::from(sent.length)
            } else {
                0
            };
            if sum > enough {
                break;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(end: u64, at: u64) -> SegmentInFlight {
        SegmentInFlight {
            end,
            last_ns: at,
            length: 10,
            ip_id: 0,
            times: 1,
            is_sacked: false,
        }
    }

    fn three() -> SegmentsInFlight {
        let mut outstanding = SegmentsInFlight::default();
        for (end, at) in [(10, 1), (20, 2), (30, 3)] {
            outstanding.push(sent(end, at), true);
        }
        outstanding
    }

    #[test]
    fn an_acknowledgment_takes_whole_segments_and_hears_of_the_one_it_ends_in() {
        let mut outstanding = three();
        let heard_of = |ends: Option<[SegmentInFlight; 2]>, newest_ns| AcknowledgedSegments {
            first: ends.map(|[first, _]| first),
            last: ends.map(|[_, last]| last),
            newest_ns,
            has_repair: false,
        };
        let both = [sent(10, 1), sent(20, 2)];
        assert_eq!(outstanding.acknowledge(5), heard_of(None, 1));
        assert_eq!(outstanding.acknowledge(20), heard_of(Some(both), 2));
        assert_eq!(outstanding.acknowledge(20), heard_of(None, 0));
        assert_eq!(outstanding.acknowledge(25), heard_of(None, 3));
    }

    #[test]
    fn retransmitting_marks_what_is_retransmitted() {
        let mut outstanding = three();
        let (first, all_sacked) = outstanding.retransmit(10, 25, 9, 7).unwrap();
        assert_eq!((first, all_sacked), (sent(20, 2), false));
        let again = SegmentInFlight {
            times: 2,
            last_ns: 9,
            ip_id: 7,
            ..sent(20, 2)
        };
        let on_its_way = |at| outstanding.segments.get(at).copied();
        assert_eq!(on_its_way(1), Some(again));
        // Of the third segment only the first half.
        let length = 5;
        let half = SegmentInFlight {
            end: 25,
            length,
            ..again
        };
        assert_eq!(on_its_way(2), Some(half));
        let rest = SegmentInFlight {
            length,
            ..sent(30, 3)
        };
        assert_eq!(on_its_way(3), Some(rest));
        assert!(outstanding.acknowledge(30).has_repair);
        let nothing_is_on_its_way = outstanding.retransmit(0, 30, 10, 8);
        assert_eq!(nothing_is_on_its_way, None);
    }

    #[test]
    fn a_block_is_news_once() {
        let mut outstanding = three();
        assert_eq!(outstanding.sack(10, 30, 10).newest_ns, 3);
        assert_eq!(outstanding.sack(10, 30, 10).newest_ns, 0);
        assert_eq!(outstanding.sacked_above(10, 100), 20);
        assert_eq!(outstanding.sacked_above(20, 100), 10);
    }

    #[test]
    fn blocks_cut_a_segment_into_what_arrived_and_what_did_not() {
        let mut outstanding = SegmentsInFlight::default();
        let offloaded = SegmentInFlight {
            length: 100,
            ..sent(100, 1)
        };
        outstanding.push(offloaded, true);
        assert_eq!(outstanding.sack(20, 40, 20).newest_ns, 1);
        assert_eq!(
            outstanding.sack(20, 60, 40).newest_ns,
            1,
            "the block has grown"
        );
        assert_eq!(outstanding.sack(80, 90, 80).newest_ns, 1);
        let above: Vec<u64> = [0, 20, 60, 80, 90]
            .map(|from| outstanding.sacked_above(from, 100))
            .into();
        assert_eq!(above, [50, 50, 10, 10, 0]);
        let (first, _) = outstanding.retransmit(0, 10, 2, 0).unwrap();
        assert_eq!((first.end, first.times), (10, 1));
        let (first, _) = outstanding.retransmit(10, 20, 3, 0).unwrap();
        assert_eq!(first.times, 1, "its neighbour was retransmitted");
        let had = outstanding.retransmit(30, 60, 4, 0).unwrap();
        assert!(had.1, "the receiver had all of it");
        let needed = outstanding.retransmit(50, 70, 5, 0).unwrap();
        assert!(!needed.1, "the receiver had half of it");
    }

    #[test]
    fn what_cannot_be_kept_in_pieces_stays_whole() {
        let mut outstanding = SegmentsInFlight::default();
        for n in 1..=MOST as u64 {
            outstanding.push(sent(10 * n, n), true);
        }
        assert_eq!(outstanding.sack(5, 15, 5).newest_ns, 0);
        assert_eq!(outstanding.sack(5, 20, 5).newest_ns, 2);
        assert_eq!(outstanding.sacked_above(0, 100), 10);
    }
}
