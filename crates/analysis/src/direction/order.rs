//! The order in which a direction's segments were sent, by timestamps and IP identification.

use super::DirectionState;
use crate::holes::HoleLeaver;
use dissect::TcpSegment;

impl DirectionState {
    /// Returns whether the newest timestamp of this end is later.
    pub(super) fn is_of_the_past(&self, segment: &TcpSegment) -> bool {
        let clocks = self.clock().zip(segment.options.timestamps);
        clocks.is_some_and(|(newest, (clock, _))| (clock.wrapping_sub(newest) as i32) < 0)
    }

    /// Returns whether the segment was sent before the last in sequence, by its timestamp or, where
    /// the sender counts them, its IP identification.
    pub(super) fn sent_before(&self, segment: &TcpSegment) -> Option<bool> {
        if let (Some((clock, _)), Some(highest)) = (segment.options.timestamps, self.clock()) {
            let ahead = clock.wrapping_sub(highest) as i32;
            if ahead != 0 {
                return Some(ahead < 0);
            }
        }
        let ip_id = segment.ip_id.filter(|_| self.counts_ip_ids())?;
        let ahead = ip_id.wrapping_sub(self.ip_id) as i16;
        (ahead != 0).then_some(ahead < 0)
    }

    /// Returns whether it was sent before all that follows it in sequence. A repair was not that
    /// newer data overtook, or joined within a tick: it is younger than what left the hole, or more
    /// follows it than the packets numbered since can hold.
    pub(super) fn sent_before_successors(
        &self,
        segment: &TcpSegment,
        end: u64,
        left: HoleLeaver,
    ) -> Option<bool> {
        if left.is_before(segment) {
            return Some(false);
        }
        let is_repair = |ip_id: u16| {
            let since = u64::from(self.ip_id.wrapping_sub(ip_id));
            self.next.saturating_sub(end) > since * u64::from(self.mss_max)
        };
        let ip_id = segment.ip_id.filter(|_| self.counts_ip_ids());
        match self.sent_before(segment) {
            Some(true) => Some(!ip_id.is_some_and(is_repair)),
            said => said,
        }
    }

    /// Returns whether a repair of the same data, sent later, was captured before.
    pub(super) fn was_overtaken_by_repair(
        &self,
        segment: &TcpSegment,
        start: u64,
        end: u64,
    ) -> bool {
        let mut recent = self.trouble.iter().flat_map(|trouble| &trouble.recent);
        recent.any(|again| {
            again.start <= start
                && end <= again.end
                && again.cause.is_retransmission()
                && again.is_younger_than(segment, self.counts_ip_ids())
        })
    }

    /// Returns whether this end numbers its packets one by one, as seen on segments in sequence:
    /// two steps as small as that are one of a million pairs of arbitrary numbers.
    pub(super) fn counts_ip_ids(&self) -> bool {
        let [regular, irregular] = self.ip_id_steps;
        regular > 8 * irregular && regular >= 2
    }

    #[inline]
    pub(super) fn note_clocks(&mut self, segment: &TcpSegment, is_in_sequence: bool) {
        if let Some(ip_id) = segment.ip_id {
            // Other connections of the host may share the count.
            let step = ip_id.wrapping_sub(self.ip_id);
            if is_in_sequence {
                self.ip_id_steps[usize::from(!(1..64).contains(&step))] += 1;
            }
            if is_in_sequence || self.packets_data <= 1 || (step as i16) > 0 {
                self.ip_id = ip_id;
            }
        }
        if let Some((clock, _)) = segment.options.timestamps {
            let highest = self.clock().unwrap_or(clock);
            let is_newer = (clock.wrapping_sub(highest) as i32) > 0;
            // Stored in any case: a branch on it would be foreseen as seldom as a coin's fall.
            self.highest_clock = if is_newer { clock } else { highest };
            self.has_clock = true;
        }
    }

    /// The highest timestamp sent; none without timestamps.
    #[inline]
    pub(super) fn clock(&self) -> Option<u32> {
        self.has_clock.then_some(self.highest_clock)
    }
}
