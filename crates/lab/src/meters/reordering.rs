//! How far segments come late: the reordering extent of RFC 4737 §4.2.

use std::collections::VecDeque;

use tcp::{Segment, SendCause, Seq};

/// What one end of a connection knows of the order in which data come to it.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    /// Data segments so far.
    arrived: u64,
    /// The highest sequence number so far, past the end.
    highest: Seq,
    /// Segments that came beyond a gap: where, and which arrival they were.
    ahead: VecDeque<(Seq, u64)>,
}

/// Segments beyond a gap that are remembered: what is later than that many has been lost rather
/// than reordered. [inferred: the largest window without scaling holds 45 segments of 1460 bytes]
const MOST_AHEAD: usize = 64;

impl Reordering {
    /// Data have come; answers how many segments before them should have come later. One that
    /// TCP has retransmitted is in order whenever it comes.
    #[inline]
    pub fn on_data(&mut self, segment: &Segment) -> Option<u64> {
        self.arrived += 1;
        if segment.seq != self.highest {
            return self.on_gap(segment);
        }
        self.highest += segment.payload;
        None
    }

    #[cold]
    fn on_gap(&mut self, segment: &Segment) -> Option<u64> {
        let is_ahead = |other: Seq| (other.since(segment.seq) as i32) > 0;
        let end = segment.seq + segment.payload;
        if self.arrived == 1 {
            self.highest = end;
            return None;
        }
        if !is_ahead(self.highest) {
            if self.ahead.len() == MOST_AHEAD {
                self.ahead.pop_front();
            }
            self.ahead.push_back((segment.seq, self.arrived));
            self.highest = end;
            return None;
        }
        if (end.since(self.highest) as i32) > 0 {
            self.highest = end;
        }
        if segment.kind != SendCause::Data {
            return None;
        }
        let mut ahead = self.ahead.iter();
        let &(_, earliest) = ahead.find(|&&(start, _)| is_ahead(start))?;
        Some(self.arrived - earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(order: &[(u32, SendCause)]) -> Vec<Option<u64>> {
        let mut reordering = Reordering::default();
        let segment = |&(number, kind): &(u32, SendCause)| Segment {
            seq: Seq(u32::MAX - 1000) + number * 1000,
            payload: 1000,
            kind,
            ..Segment::default()
        };
        (order.iter().map(segment))
            .map(|segment| reordering.on_data(&segment))
            .collect()
    }

    #[test]
    fn an_extent_is_the_distance_to_the_first_segment_that_should_have_come_later() {
        let order = [0, 1, 3, 4, 2, 5].map(|number| (number, SendCause::Data));
        let expected = [None, None, None, None, Some(2), None];
        assert_eq!(extents(&order), expected);
    }

    #[test]
    fn what_is_retransmitted_is_not_reordered() {
        let order = [
            (0, SendCause::Data),
            (2, SendCause::Data),
            (3, SendCause::Data),
            (1, SendCause::FastRetransmission),
        ];
        assert_eq!(extents(&order), [None; 4]);
    }
}
