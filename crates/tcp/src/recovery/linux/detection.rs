//! RACK: a segment is lost when one sent later has arrived, and time enough has passed
//! (RFC 8985 §6.2; `tcp_recovery.c`).

use units::{Duration, Time};

use super::sent::{SegmentMarks, SentSegment};
use super::{Ack, Sender, View};
use crate::tcp_info::CaState;

/// The recoveries for which a reordering window widened by duplicates lasts (RFC 8985 §6.2
/// step 4; TCP_RACK_RECOVERY_THRESH).
pub(super) const WIDE_FOR: u32 = 16;
/// The most quarters of the least round-trip time it may be wide.
const STEPS_MAX: u32 = 0xff;
/// Margin of a timer for reordered segments or for a probe
/// (TCP_TIMEOUT_MIN_US).
pub(super) const TIMER_MARGIN: Duration = Duration::from_millis(2);

#[derive(Clone, Copy, Debug)]
pub(super) struct Rack {
    /// RACK.xmit_ts and RACK.end_seq: the segment sent last of those delivered.
    sent_at: Time,
    end: u64,
    /// RACK.rtt of it.
    rtt: Duration,
    /// True if it has moved since losses were looked for.
    pub advanced: bool,
    /// A duplicate was reported that reordering may have caused.
    pub duplicate_seen: bool,
    /// RACK.reo_wnd_mult and how long it lasts.
    steps: u32,
    pub wide_for: u32,
    widened_at: u64,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            sent_at: Time::ZERO,
            end: 0,
            rtt: Duration::ZERO,
            advanced: false,
            duplicate_seen: false,
            steps: 1,
            wide_for: 0,
            widened_at: 0,
        }
    }
}

impl Sender {
    /// `sent` was delivered (RFC 8985 §6.2 step 2).
    #[inline]
    pub(super) fn rack_advance(&mut self, sent: &SentSegment, view: &View) {
        let rtt = view.now.saturating_since(sent.at);
        let is_again = sent.marks.contains(SegmentMarks::SENT_AGAIN);
        if is_again && view.min_rtt.is_none_or(|min| rtt < min) {
            return; // more likely the original's acknowledgement
        }
        let rack = &mut self.rack;
        rack.advanced = true;
        rack.rtt = rtt;
        if (sent.at, sent.range.end) > (rack.sent_at, rack.end) {
            (rack.sent_at, rack.end) = (sent.at, sent.range.end);
        }
    }

    /// Returns whether the acknowledgement is of the original rather than of the copy, by its echo
    /// (`tcp_skb_spurious_retrans`).
    pub(super) fn is_copy_of_arrived(&self, sent: &SentSegment, view: &View) -> bool {
        let is_again = sent.marks.contains(SegmentMarks::SENT_AGAIN);
        is_again && view.echoes_before(sent.at)
    }

    /// RFC 8985 §6.2 step 4, `tcp_rack_update_reo_wnd`.
    #[inline]
    pub fn adapt_to_duplicates(&mut self, ack: &Ack) {
        let before = self.delivered_before(ack);
        if before == 0 {
            return;
        }
        let delivered = self.delivered;
        let rack = &mut self.rack;
        if before < rack.widened_at {
            rack.duplicate_seen = false; // at most once per round trip
        }
        if rack.duplicate_seen {
            rack.steps = (rack.steps + 1).min(STEPS_MAX);
            rack.duplicate_seen = false;
            rack.widened_at = delivered;
            rack.wide_for = WIDE_FOR;
        } else if rack.wide_for == 0 {
            rack.steps = 1;
        }
    }

    /// Returns how much later than others a segment may come.
    fn reordering_window(&self, view: &View) -> Duration {
        if self.reordering_seen == 0
            && (self.is_recovering_or_worse() || self.sacked_out >= self.reordering)
        {
            return Duration::ZERO;
        }
        let quarter = view.min_rtt.map_or(Duration::ZERO, |min| min / 4);
        let window = quarter * u64::from(self.rack.steps);
        window.min(view.srtt.unwrap_or(Duration::ZERO))
    }

    fn is_recovering_or_worse(&self) -> bool {
        matches!(self.state, CaState::Recovery | CaState::Loss)
    }

    /// Returns how long until `sent` is lost by its time; nought once it is.
    pub(super) fn time_left(&self, sent: &SentSegment, view: &View, window: Duration) -> Duration {
        let deadline = sent.at + self.rack.rtt + window;
        deadline.saturating_since(view.now)
    }

    /// Marks what is lost by its time (RFC 8985 §6.2 step 5); gives how long until the rest
    /// that is in doubt will be, nought if nothing is.
    pub(super) fn detect_losses(&mut self, view: &View) -> Duration {
        let window = self.reordering_window(view);
        let mut wait = Duration::ZERO;
        let mut place = 0;
        while let Some(entry) = self.sent.in_order(place) {
            let Ok(index) = entry else {
                if place == 0 {
                    self.sent.drop_oldest();
                } else {
                    place += 1;
                }
                continue;
            };
            place += 1;
            let sent = *self.sent.at_mut(index);
            if sent.marks.contains(SegmentMarks::LOST)
                && !sent.marks.contains(SegmentMarks::RETRANSMITTED)
            {
                continue;
            }
            if (sent.at, sent.range.end) >= (self.rack.sent_at, self.rack.end) {
                break;
            }
            let left = self.time_left(&sent, view, window);
            if left == Duration::ZERO {
                self.mark_lost(index);
                self.sent.at_mut(index).marks.clear(SegmentMarks::LISTED);
            } else {
                wait = wait.max(left);
            }
        }
        wait
    }

    /// After an acknowledgement (`tcp_rack_mark_lost`): gives what the timer for what is in doubt
    /// is to be set to.
    pub(super) fn look_for_losses(&mut self, view: &View) -> Option<Duration> {
        if !std::mem::take(&mut self.rack.advanced) {
            return None;
        }
        let wait = self.detect_losses(view);
        (wait > Duration::ZERO).then_some(wait + TIMER_MARGIN)
    }

    /// `tcp_mark_skb_lost`.
    pub(super) fn mark_lost(&mut self, index: usize) {
        let sent = self.sent.at_mut(index);
        if sent.marks.contains(SegmentMarks::SACKED) {
            return;
        }
        self.hint = self.hint.min(sent.range.start);
        if !sent.marks.contains(SegmentMarks::LOST) {
            sent.marks.set(SegmentMarks::LOST);
            self.lost_out += 1;
        } else if sent.marks.contains(SegmentMarks::RETRANSMITTED) {
            sent.marks.clear(SegmentMarks::RETRANSMITTED);
            self.retrans_out -= 1;
        } else {
            return;
        }
        self.lost += 1;
        if let Some(rates) = &mut self.rates {
            rates.on_lost(sent.range, sent.at, self.lost);
        }
    }
}
