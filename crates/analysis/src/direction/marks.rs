//! Marks of congestion: those that queues set, and those by which ends tell of them.

use super::DirectionState;
use dissect::{ControlBits, TcpSegment};

/// First value of accurate ECN's counter at both ends (RFC 9768 §3.2.1).
const FIRST_COUNT: u8 = 5;

impl DirectionState {
    /// A segment of this direction that may be marked, or was.
    #[cold]
    pub(super) fn on_marks(&mut self, segment: &TcpSegment) {
        let counters = &mut self.trouble().counters;
        counters.ecn_capable += 1;
        counters.ecn_marked += u64::from(segment.marks.has_met_congestion());
    }

    /// This end counts in three flags the marked packets that it received (RFC 9768 §3.2.2): gives how
    /// many more there are. In the client's first acknowledgment they say how the answer to its SYN
    /// came (§3.2.1), and are no count.
    #[cold]
    pub fn count_marks(&mut self, segment: &TcpSegment, is_first: bool) -> u64 {
        if is_first {
            return 0;
        }
        let flags = [
            (segment.marks.is_accurate(), 4),
            (segment.flags.has(ControlBits::CWR), 2),
            (segment.flags.has(ControlBits::ECE), 1),
        ];
        let set = flags.into_iter().filter(|(is_set, _)| *is_set);
        let count: u8 = set.map(|(_, value)| value).sum();
        let before = self.trouble().marks_counted.replace(count);
        (count.wrapping_sub(before.unwrap_or(FIRST_COUNT)) & 7).into()
    }

    /// The other end tells of so many marks on what this one sent.
    #[cold]
    pub fn on_marks_told(&mut self, marks: u64) {
        self.trouble().counters.ecn_echoes += marks;
    }
}
