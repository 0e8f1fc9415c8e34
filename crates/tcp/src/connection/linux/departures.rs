//! Departure of what is sent, where it is paced: held back here (`tcp_pacing_check`), or handed
//! down with its time to a queue below, as `fq` is, which holds it back (the earliest departure
//! times of `tcp_update_skb_after_send`). Of what waits there, or in a queue that tells what leaves it,
//! a connection hands down but little more (`tcp_small_queue_check`).

use units::Time;

use super::super::Connection;
use crate::Segment;
use crate::recovery::linux::{BUFFER_COST, Rates, Sender};
use crate::timers::Timer;

/// Segments that wait for the queue below.
#[derive(Clone, Copy, Debug)]
pub(super) enum WaitingSegments {
    /// A piece of so many bytes.
    New(u64),
    /// A segment that is lost, for which the queue may hold twice as much.
    Lost,
}

impl Connection {
    /// Returns when the segment that was polled last leaves the queue below, where that paces.
    pub fn leaves_at(&self) -> Time {
        self.leaves_at
    }

    /// The next segment leaves when those before it have.
    #[cold]
    pub(in crate::connection) fn look_when_it_leaves(&mut self, now: Time) {
        let sender = self.linux.as_ref();
        self.leaves_at = sender.map_or(now, |sender| sender.leaves_at(now));
    }

    /// SO_MAX_PACING_RATE, in bytes per second.
    pub(in crate::connection) fn limit_pace(&mut self, most: Option<u64>) {
        let pacing = &mut self.config.pacing;
        pacing.most = most.unwrap_or(u64::MAX);
        pacing.is_on |= most.is_some();
        self.begin_pacing();
    }

    /// A queue below paces.
    pub(in crate::connection) fn pace_below(&mut self) {
        let pacing = &mut self.config.pacing;
        (pacing.is_on, pacing.is_below) = (true, true);
        self.begin_pacing();
    }

    /// Paces what is sent from now on, if it is to be.
    pub(super) fn begin_pacing(&mut self) {
        if let Some(mut sender) = self.linux.take() {
            self.pace_sender(&mut sender);
            self.linux = Some(sender);
        }
    }

    pub(super) fn pace_sender(&self, sender: &mut Sender) {
        let pacing = self.config.pacing;
        if pacing.is_on {
            let sent = self.counters.data_segments_sent;
            let rates = sender
                .rates
                .get_or_insert_with(|| Box::new(Rates::after(sent)));
            rates.is_below |= pacing.is_below;
            sender.pace = sender.pace.min(pacing.most);
        }
    }

    /// Returns whether a piece has to wait until the queue below holds less (`tcp_small_queue_check`).
    /// While no more than a piece is outstanding, none waits.
    pub(super) fn waits_for_queue(
        &mut self,
        sender: &mut Sender,
        now: Time,
        piece: WaitingSegments,
    ) -> bool {
        let is_asked = self.config.pacing.is_below || self.below.is_some();
        if !is_asked || sender.pieces_out() <= 1 {
            return false;
        }
        let most = self.most_below(sender, piece);
        if let Some(until) = sender.queued_until(now, most) {
            self.timers.arm(Timer::Departure, until);
            return true;
        }
        let below = self.below.as_mut();
        below.is_some_and(|below| below.awaits_less_than(most))
    }

    /// Returns how much memory the queue below may hold at most for a piece to follow: two of its
    /// kind, or what leaves in the time that the pacing shift says.
    fn most_below(&self, sender: &Sender, piece: WaitingSegments) -> u64 {
        let pacing = &self.config.pacing;
        let (bytes, factor) = match piece {
            WaitingSegments::New(bytes) => (bytes, 1),
            WaitingSegments::Lost => (self.segment_max(), 2),
        };
        let most = (2 * (bytes + BUFFER_COST)).max(sender.pace >> pacing.shift);
        let is_paced = pacing.is_on || self.congestion.models_path();
        let limit = if is_paced {
            u64::MAX
        } else {
            pacing.output_limit
        };
        most.min(limit).saturating_mul(factor)
    }

    /// A segment of data goes to the queue below.
    pub(super) fn enter_below(&mut self, segment: &Segment) {
        if let Some(below) = &mut self.below {
            below.held += segment.memory();
        }
    }

    /// Notes that a segment has left the queue below, sent or dropped; answers whether that has been
    /// waited for, so that there may be something to send.
    pub fn note_left(&mut self, segment: &Segment) -> bool {
        let Some(below) = &mut self.below else {
            return false;
        };
        below.held = below.held.saturating_sub(segment.memory());
        let is_awaited = core::mem::take(&mut below.is_awaited);
        if let Some(sender) = self.linux.as_mut().filter(|_| is_awaited) {
            sender.on_occasion();
        }
        is_awaited
    }

    /// Returns whether a queue below has to tell what leaves it.
    #[inline]
    pub fn counts_below(&self) -> bool {
        self.below.is_some()
    }
}

/// Memory of a connection in a queue below that tells what leaves it (`sk_wmem_alloc`).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::connection) struct Below {
    held: u64,
    /// True if something is not sent before the queue holds less (TSQ_THROTTLED).
    is_awaited: bool,
}

impl Below {
    fn awaits_less_than(&mut self, most: u64) -> bool {
        self.is_awaited = self.held >= most;
        self.is_awaited
    }
}
