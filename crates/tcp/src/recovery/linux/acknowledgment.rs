//! An acknowledgement: what it has told so far (the flags of `tcp_ack`), and what it takes from
//! the queue (`tcp_clean_rtx_queue`).

use units::{Duration, Time};

use super::sent::{SegmentMarks, SentSegment};
use super::{Sender, View};
use crate::tcp_info::CaState;

/// News of one acknowledgement so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    pub prior_una: u64,
    prior_highest_sacked: u64,
    prior_delivered: u64,
    prior_lost: u64,
    pub prior_packets: u32,
    pub prior_in_flight: u32,
    prior_sacked: u32,
    /// It carries data, a SYN or a FIN (FLAG_DATA).
    pub has_data: bool,
    pub updates_window: bool,
    /// It tells of marked data (FLAG_ECE).
    pub echoes_congestion: bool,
    pub advances: bool,
    /// FLAG_DATA_ACKED, FLAG_RETRANS_DATA_ACKED.
    pub acknowledges: bool,
    pub(super) acknowledges_retransmitted: bool,
    /// FLAG_DATA_SACKED, FLAG_ORIG_SACK_ACKED.
    pub(super) sacks: bool,
    pub(super) tells_of_original: bool,
    /// FLAG_DSACKING_ACK, FLAG_DSACK_TLP.
    pub(super) reports_duplicate: bool,
    pub(super) reports_probe: bool,
    /// FLAG_LOST_RETRANS.
    pub(super) lost_retransmission: bool,
    pub(super) reneged: bool,
    /// FLAG_SET_XMIT_TIMER.
    pub sets_timer: bool,
    /// The lowest offset that came later than what was sent after it.
    pub(super) late: u64,
    pub(super) sacked_first: Option<Time>,
    pub(super) sacked_last: Option<Time>,
    /// The segment sent last of those delivered: when, where it ended, and how many had been
    /// delivered when it was sent.
    newest: Option<(Time, u64, u64)>,
}

/// The round-trip times an acknowledgement tells: of the first segment it delivers, for the
/// timeout, and of the last, for congestion control.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckRoundTrips {
    pub first: Option<Duration>,
    pub last: Option<Duration>,
    /// The acknowledgement may have been delayed (FLAG_ACK_MAYBE_DELAYED).
    pub maybe_delayed: bool,
}

impl Ack {
    /// Returns when the segment left that was sent last of those delivered, and how many had been
    /// then.
    pub fn newest_delivery(&self) -> Option<(Time, u64)> {
        self.newest.map(|(at, _, delivered)| (at, delivered))
    }

    /// Returns whether the peer has gone back on what it had told.
    pub fn has_reneged(&self) -> bool {
        self.reneged
    }

    /// Returns whether it reports a duplicate.
    pub fn reports_duplicate(&self) -> bool {
        self.reports_duplicate
    }
}

impl Sender {
    /// An acknowledgement of `view.una` arrives; before it SND.UNA was `prior_una`.
    pub fn begin(&self, prior_una: u64, view: &View) -> Ack {
        Ack {
            prior_una,
            prior_highest_sacked: self.highest_sacked(prior_una),
            prior_delivered: self.delivered,
            prior_lost: self.lost,
            prior_packets: self.packets_out(),
            prior_in_flight: self.in_flight(),
            prior_sacked: self.sacked_out,
            has_data: false,
            updates_window: false,
            echoes_congestion: false,
            advances: view.una > prior_una,
            acknowledges: false,
            acknowledges_retransmitted: false,
            sacks: false,
            tells_of_original: false,
            reports_duplicate: false,
            reports_probe: false,
            lost_retransmission: false,
            reneged: false,
            sets_timer: false,
            late: view.nxt,
            sacked_first: None,
            sacked_last: None,
            newest: None,
        }
    }

    /// Returns how many segments it delivered.
    #[inline]
    pub fn newly_delivered(&self, ack: &Ack) -> u32 {
        (self.delivered - ack.prior_delivered) as u32
    }

    #[inline]
    pub fn newly_lost(&self, ack: &Ack) -> u32 {
        (self.lost - ack.prior_lost) as u32
    }

    /// Takes off the queue what is acknowledged.
    #[inline]
    pub fn release(&mut self, ack: &mut Ack, view: &View) -> AckRoundTrips {
        let mut first = None;
        let mut last = None;
        let mut late = view.nxt;
        let mut released = 0;
        while let Some(&sent) = self.sent.front().filter(|s| s.range.end <= view.una) {
            let marks = sent.marks;
            if marks.contains(SegmentMarks::SENT_AGAIN) {
                self.retrans_out -= u32::from(marks.contains(SegmentMarks::RETRANSMITTED));
                ack.acknowledges_retransmitted = true;
            } else if !marks.contains(SegmentMarks::SACKED) {
                last = Some(sent.at);
                first = first.or(last);
                late = late.min(sent.range.start.max(ack.prior_una));
                ack.tells_of_original |= sent.range.end <= self.high_seq;
            }
            if marks.contains(SegmentMarks::SACKED) {
                self.sacked_out -= 1;
            } else if self.is_sack() {
                self.delivered += 1;
                if !self.is_copy_of_arrived(&sent, view) {
                    self.rack_advance(&sent, view);
                }
            }
            self.lost_out -= u32::from(marks.contains(SegmentMarks::LOST));
            ack.acknowledges = true;
            released += 1;
            self.note_delivered(ack, &sent);
            self.sent.pop_front();
        }
        self.sacked.discard_below(view.una);
        ack.reneged = self
            .sent
            .front()
            .is_some_and(|s| s.marks.contains(SegmentMarks::SACKED));
        let since = |at: Option<Time>| at.map(|at| view.now.saturating_since(at));
        let mut trips = AckRoundTrips::default();
        if first.is_some() && !ack.acknowledges_retransmitted {
            (trips.first, trips.last) = (since(first), since(last));
            trips.maybe_delayed = self.looks_delayed(ack, released, view);
        }
        let of_sacked = since(ack.sacked_first);
        if of_sacked.is_some() {
            trips.last = since(ack.sacked_last);
        }
        trips.first = trips.first.or(of_sacked);
        self.follow_release(ack, view, released, late, of_sacked);
        trips
    }

    /// A single short segment, acknowledged after everything before it.
    fn looks_delayed(&self, ack: &Ack, released: u32, view: &View) -> bool {
        let newest = ack.newest.map_or(0, |n| n.2);
        released == 1
            && ack.prior_sacked == 0
            && view.una - ack.prior_una < self.settings.mss
            && newest + 1 == self.delivered
            && !ack.sacks
            && !ack.reports_duplicate
    }

    /// Draws the consequences for the timer, and for what is known of reordering.
    #[inline]
    fn follow_release(
        &mut self,
        ack: &mut Ack,
        view: &View,
        released: u32,
        late: u64,
        of_sacked: Option<Duration>,
    ) {
        if ack.acknowledges {
            ack.sets_timer = true;
            if !self.is_sack() {
                self.release_duplicates(released);
                // Without SACK nothing tells a copy from its original.
                ack.tells_of_original &= !ack.acknowledges_retransmitted;
            } else if late < ack.prior_highest_sacked {
                self.note_reordering(late, view);
            }
        } else if let (Some(trip), Some(head)) = (of_sacked, self.sent.front()) {
            // The timer moves only for what was sent after the first segment.
            ack.sets_timer = trip > view.now.saturating_since(head.at);
        }
    }

    /// `tcp_rate_skb_delivered`, as far as the reordering window needs it.
    #[inline]
    pub(super) fn note_delivered(&self, ack: &mut Ack, sent: &SentSegment) {
        if sent.marks.contains(SegmentMarks::SACKED) {
            return; // it was told of before
        }
        let is_newer = |(at, end, _)| (sent.at, sent.range.end) > (at, end);
        if ack.newest.is_none_or(is_newer) {
            ack.newest = Some((sent.at, sent.range.end, sent.delivered));
        }
    }

    /// Returns how many segments had been delivered when the newest of those it tells of was sent.
    pub(super) fn delivered_before(&self, ack: &Ack) -> u64 {
        ack.newest.map_or(0, |n| n.2)
    }

    /// Returns how often something was taken back.
    pub fn times_undone(&self) -> u64 {
        self.undo.times
    }

    /// Returns when the first copy of this recovery left.
    pub fn first_copy_sent_at(&self) -> Option<Time> {
        self.undo.stamp
    }

    /// `tcp_ack_is_dubious`.
    #[inline]
    pub fn is_dubious(&self, ack: &Ack) -> bool {
        let is_no_duplicate = ack.has_data || ack.updates_window || ack.acknowledges;
        let alerts = ack.sacks || ack.echoes_congestion || ack.reports_duplicate;
        !is_no_duplicate || alerts || self.state != CaState::Open
    }

    /// Returns whether it counts as a duplicate.
    pub fn is_duplicate(&self, ack: &Ack) -> bool {
        let is_no_duplicate = ack.has_data || ack.updates_window || ack.acknowledges;
        !ack.advances && !is_no_duplicate && !ack.reports_duplicate
    }

    /// Returns whether the window may grow by it (`tcp_may_raise_cwnd`).
    #[inline]
    pub fn may_raise_window(&self, ack: &Ack) -> bool {
        ack.acknowledges || (ack.sacks && self.reordering > self.settings.reordering)
    }
}
