//! Departure of what is sent, where it is paced: held back here (`tcp_pacing_check`), or handed
//! down with its time to a queue below, as `fq` is, which holds it back (the earliest departure
//! times of `tcp_update_skb_after_send`). Of what waits there a connection hands down but little
//! more (`tcp_small_queue_check`).

use units::Time;

use super::super::Connection;
use crate::recovery::linux::{Rates, Sender};
use crate::timers::Timer;

/// Segments that wait for the queue below.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
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

    /// Returns whether a piece of so many bytes has to wait until the queue below holds less.
    pub(super) fn waits_for_queue(
        &mut self,
        sender: &mut Sender,
        now: Time,
        piece: Waiting,
    ) -> bool {
        let until = match piece {
            Waiting::New(bytes) => sender.queued_until(now, bytes, 0),
            Waiting::Lost => sender.queued_until(now, self.segment_max(), 1),
        };
        if let Some(until) = until {
            self.timers.arm(Timer::Departure, until);
        }
        until.is_some()
    }
}
