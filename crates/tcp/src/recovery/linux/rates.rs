//! Rate at which segments are delivered (`tcp_rate.c`, draft-cheng-iccrg-delivery-rate-estimation),
//! and when the next may leave (`tcp_pacing_check`): for a congestion control that models the path.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::piece::BUFFER_COST;
use crate::congestion::{Delivery, LostSegment};
use crate::ranges::OffsetRange;

/// As many segments leave unpaced as a connection begins with (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;

/// Knowledge when segments left, from `since` until the next epoch.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    since: Time,
    state: DeliveryRateState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DeliveryRateState {
    /// Time when the segment left that was delivered last, or the first of those in flight.
    first_sent_at: Time,
    /// Time when something was delivered last, or began to be in flight.
    delivered_at: Time,
    is_app_limited: bool,
    /// Segments marked lost since the connection began, and those in flight with all that left
    /// at the time.
    lost: u64,
    in_flight: u32,
}

/// State when a segment is about to leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub now: Time,
    pub bytes: u64,
    /// Not acknowledged, and of them in flight.
    pub packets_out: u32,
    pub in_flight: u32,
    /// Lost since the connection began.
    pub lost: u64,
    /// Time when the oldest left of those that are not acknowledged.
    pub oldest: Time,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    epochs: VecDeque<Epoch>,
    state: DeliveryRateState,
    /// Number delivered when the application no longer has limited what left.
    app_limited_until: Option<u64>,
    /// Segments marked lost that have not been told of, and the end of the last one.
    losses: Vec<LostSegment>,
    loss_end: u64,
    /// Time when the next piece may leave.
    pub departs_at: Time,
    /// Segments that have left, and bytes of the piece that is leaving.
    segments: u64,
    piece: u64,
    /// True if a queue below holds pieces back until they leave; those that it holds, with the
    /// memory that each takes.
    pub is_below: bool,
    held: VecDeque<(Time, u64)>,
}

impl Rates {
    /// For a connection that has sent so many segments of data.
    pub fn after(segments: u64) -> Rates {
        Rates {
            segments,
            ..Rates::default()
        }
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, departure: &Departure) {
        let (now, oldest) = (departure.now, departure.oldest);
        if departure.packets_out == 0 {
            self.state.first_sent_at = now;
            self.state.delivered_at = now;
        }
        self.segments += 1;
        self.piece += departure.bytes;
        self.state.is_app_limited = self.app_limited_until.is_some();
        self.state.lost = departure.lost;
        self.state.in_flight = departure.in_flight + 1;
        let state = self.state;
        if self.epochs.back().is_none_or(|last| last.state != state) {
            while self.epochs.get(1).is_some_and(|next| next.since <= oldest) {
                self.epochs.pop_front();
            }
            self.epochs.push_back(Epoch { since: now, state });
        }
    }

    /// All of a piece has left, at a rate of so many bytes per second: the next one waits, less by
    /// as much as this one was late, up to half of it.
    pub fn end_piece(&mut self, now: Time, bytes_per_second: u64) {
        let piece = std::mem::take(&mut self.piece);
        let late = now.saturating_since(self.departs_at);
        let was_due = self.departs_at;
        self.departs_at = self.departs_at.max(now);
        if self.is_below && self.departs_at > now {
            self.held.push_back((self.departs_at, piece + BUFFER_COST));
        }
        if self.segments < UNPACED || bytes_per_second == 0 || bytes_per_second == u64::MAX {
            return;
        }
        let nanos = u128::from(piece) * 1_000_000_000 / u128::from(bytes_per_second);
        let wait = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        let credit = if was_due == Time::ZERO {
            Duration::ZERO
        } else {
            late
        };
        self.departs_at += wait - credit.min(wait / 2);
    }

    /// Until when the next piece waits for what the queue below holds, which is to be less than so
    /// much.
    pub fn queued_until(&mut self, now: Time, most: u64) -> Option<Time> {
        while self.held.front().is_some_and(|first| first.0 <= now) {
            self.held.pop_front();
        }
        let held: u64 = self.held.iter().map(|piece| piece.1).sum();
        let first = self.held.front()?;
        (held >= most).then_some(first.0)
    }

    /// A segment that left at `sent_at` is marked lost, the `lost`-th since the connection began.
    pub fn on_lost(&mut self, range: OffsetRange, sent_at: Time, lost: u64) {
        let known = self.state_at(sent_at).unwrap_or_default();
        self.losses.push(LostSegment {
            in_flight: known.in_flight,
            lost: lost - known.lost,
            app_limited: known.is_app_limited,
            begins_gap: range.start != self.loss_end,
        });
        self.loss_end = range.end;
    }

    /// Returns what was marked lost and has not been told of.
    pub fn losses(&mut self) -> impl Iterator<Item = LostSegment> {
        self.losses.drain(..)
    }

    /// Returns what an acknowledgement has delivered: the segment of it that left last did so at
    /// `sent_at`, when `delivered_before` had been delivered; `delivered` are by now, `newly` of
    /// them by it, and `lost` were lost.
    pub fn take(
        &mut self,
        now: Time,
        newest: Option<(Time, u64)>,
        (delivered, lost): (u64, u64),
        newly: u32,
        least_rtt: Option<Duration>,
    ) -> Option<Delivery> {
        if self
            .app_limited_until
            .is_some_and(|until| delivered > until)
        {
            self.app_limited_until = None;
        }
        let (sent_at, delivered_before) = newest.unzip();
        let known = sent_at.and_then(|at| self.state_at(at));
        if let Some(sent_at) = sent_at {
            self.state.first_sent_at = sent_at;
        }
        if newly > 0 {
            self.state.delivered_at = now;
        }
        let (known, sent_at, prior_delivered) = (known?, sent_at?, delivered_before?);
        // The longer of what sending and what acknowledging took.
        let sending = sent_at.saturating_since(known.first_sent_at);
        let interval = sending.max(now.saturating_since(known.delivered_at));
        let is_too_short = least_rtt.is_some_and(|least| interval < least);
        Some(Delivery {
            prior_delivered,
            delivered: delivered - prior_delivered,
            interval: (!is_too_short).then_some(interval),
            app_limited: known.is_app_limited,
            in_flight: known.in_flight,
            lost: lost - known.lost,
        })
    }

    /// Returns what was known when a segment left.
    fn state_at(&self, sent_at: Time) -> Option<DeliveryRateState> {
        let next = self.epochs.partition_point(|epoch| epoch.since <= sent_at);
        Some(self.epochs.get(next.checked_sub(1)?)?.state)
    }

    /// Returns when something was delivered last.
    pub fn delivered_at(&self) -> Time {
        self.state.delivered_at
    }

    /// Notes that what is in flight until `delivered` are is limited by other than the path.
    pub fn note_limited(&mut self, delivered: u64) {
        self.app_limited_until = Some(delivered.max(1));
    }

    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A segment of `bytes` leaves beside `others`.
    fn leaves(now: Time, bytes: u64, others: u32) -> Departure {
        Departure {
            now,
            bytes,
            packets_out: others,
            in_flight: others,
            lost: 0,
            oldest: at(0),
        }
    }

    /// Ten segments leave at once; they are delivered one each millisecond, after 50.
    #[test]
    fn the_rate_is_what_was_delivered_over_how_long_it_took() {
        let mut rates = Rates::default();
        (0..10).for_each(|number| rates.on_sent(&leaves(at(0), 1000, number)));
        let first = rates
            .take(at(50), Some((at(0), 1)), (2, 0), 1, None)
            .expect("it is known");
        assert_eq!(
            (first.delivered, first.interval),
            (1, Some(Duration::from_millis(50)))
        );
        let last = rates
            .take(at(59), Some((at(0), 1)), (11, 0), 1, None)
            .expect("it is known");
        assert_eq!(
            (last.delivered, last.interval),
            (10, Some(Duration::from_millis(59)))
        );
    }

    /// What is acknowledged all at once was delivered no faster than it was sent.
    #[test]
    fn the_longer_of_sending_and_acknowledging_counts() {
        let mut rates = Rates::default();
        for number in 0..10 {
            rates.on_sent(&leaves(at(10 * u64::from(number)), 1000, number));
        }
        rates.take(at(100), Some((at(0), 1)), (2, 0), 1, None);
        let burst = rates
            .take(at(101), Some((at(90), 1)), (11, 0), 9, None)
            .expect("it is known");
        assert_eq!(
            (burst.delivered, burst.interval),
            (10, Some(Duration::from_millis(101)))
        );
    }

    #[test]
    fn a_piece_waits_for_its_predecessor_to_have_left_at_the_rate() {
        let mut rates = Rates::default();
        for _ in 0..10 {
            rates.on_sent(&leaves(at(0), 1000, 1));
        }
        rates.end_piece(at(0), 1_000_000);
        assert_eq!(rates.departs_at, at(10));
        rates.on_sent(&leaves(at(12), 10_000, 1));
        rates.end_piece(at(12), 1_000_000);
        assert_eq!(
            rates.departs_at,
            at(20),
            "two milliseconds late, and made up for"
        );
        rates.on_sent(&leaves(at(120), 10_000, 1));
        rates.end_piece(at(120), 1_000_000);
        assert_eq!(rates.departs_at, at(125), "no more than half of it");
    }

    /// Of ten segments that left at once the third and the fourth are lost, when a later one has
    /// been: one gap, and each counts the losses since it left.
    #[test]
    fn a_loss_is_told_with_what_was_known_when_the_segment_left() {
        let mut rates = Rates::default();
        (0..10).for_each(|number| rates.on_sent(&leaves(at(0), 1000, number)));
        rates.on_lost(OffsetRange::new(2000, 3000), at(0), 1);
        rates.on_lost(OffsetRange::new(3000, 4000), at(0), 2);
        rates.on_lost(OffsetRange::new(7000, 8000), at(0), 3);
        let told: Vec<_> = rates.losses().collect();
        let seen = |each: &LostSegment| (each.in_flight, each.lost, each.begins_gap);
        let expected = [(10, 1, true), (10, 2, false), (10, 3, true)];
        assert_eq!(told.iter().map(seen).collect::<Vec<_>>(), expected);
        assert_eq!(rates.losses().count(), 0);
    }
}
