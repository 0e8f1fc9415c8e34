//! A connection driving Linux's loss recovery ([`crate::recovery::linux`]): an
//! acknowledgement in the order of `tcp_ack`. The one timer of outstanding data stands in
//! [`timer`], what is sent when in [`sending`], and how much at once in [`pieces`].

use units::{Duration, Time};

use super::Connection;
use crate::congestion::{Acked, ConnectionStart, RoundTrip};
use crate::ranges::OffsetRange;
use crate::recovery::linux::{Ack, AckRoundTrips, Sender, TimerPurpose, View};
use crate::rtt::RttSample;
use crate::tcp_info::CaState;
use crate::timers::Timer;
use crate::{Event, RecoveryPhase, Segment};

mod departures;
mod memory;
mod mtu_probing;
mod pieces;
mod sending;
mod timer;

pub(super) use departures::Below;
pub(super) use memory::SendLimits;

/// The soonest the timer expires after the peer has gone back on a SACK
/// (`tcp_check_sack_reneging`).
const RENEGING_DELAY: Duration = Duration::from_millis(10);

impl Connection {
    pub(super) fn view(&self, now: Time, echo: Option<u64>) -> View {
        let window = self.send.edge.saturating_sub(self.send.nxt);
        View {
            now,
            una: self.send.una,
            nxt: self.send.nxt,
            data_end: self.send.end,
            srtt: self.rtt.smoothed(),
            min_rtt: self.rtt.least(),
            rto: self.rtt.rto(),
            echo,
            tick: self.config.timestamp_tick,
            retries: self.retries,
            may_send_new: self.send.nxt < self.send.end && window > 0,
        }
    }

    /// The tick that a segment echoes.
    fn echoed_tick(&self, now: Time, segment: &Segment) -> Option<u64> {
        let echo = segment.options.timestamps.map_or(0, |t| t.echo);
        if self.timestamps.is_none() || echo == 0 {
            return None;
        }
        let age = u64::from(self.clock(now).wrapping_sub(echo));
        let ticks = now.as_nanos() / self.config.timestamp_tick.as_nanos();
        Some(ticks.saturating_sub(age))
    }

    /// `tcp_ack`, from where the acknowledgement is known to be of what was sent.
    pub(super) fn take_ack_as_linux(&mut self, now: Time, segment: &Segment, start: u64, ack: u64) {
        let Some(mut sender) = self.linux.take() else {
            return;
        };
        sender.on_occasion();
        if ack < self.send.una {
            self.take_old_ack(&mut sender, now, segment);
        } else {
            self.take_ack(&mut sender, now, segment, start, ack);
        }
        self.linux = Some(sender);
    }

    fn take_ack(
        &mut self,
        sender: &mut Sender,
        now: Time,
        segment: &Segment,
        start: u64,
        ack: u64,
    ) {
        let prior_una = self.send.una;
        self.send.stop_expecting();
        let window = u64::from(segment.window) << self.peer_shift;
        let widest = self.send.max_window();
        let updates_window = self.send.update_window_as_linux(start, ack, window);
        if self.send.max_window() > widest {
            self.follow_mtu_search(sender);
        }
        if ack > prior_una {
            self.counters.bytes_acknowledged += self.send.acknowledge(ack);
            self.retries = 0;
        }
        let echo = self.echoed_tick(now, segment);
        let view = self.view(now, echo);
        let mut a = sender.begin(prior_una, &view);
        a.has_data = segment.sequence_length() > 0;
        a.updates_window = updates_window;
        a.echoes_congestion = self.is_congestion_echo(segment);
        self.take_blocks(sender, &mut a, &view, segment);
        if a.prior_packets == 0 {
            if a.reports_duplicate() {
                self.judge(sender, &mut a, &view);
            }
            sender.settle_probe(&a, &view, &mut self.congestion);
            if self.timers.is_armed(Timer::Persist) {
                self.wait_anew_for_window(sender, now);
            }
            return;
        }
        let trips = sender.release(&mut a, &view);
        self.take_round_trips(sender, now, echo, &a, &trips);
        if a.acknowledges {
            self.settle_mtu_probe(sender);
        }
        let view = self.view(now, echo);
        sender.adapt_to_duplicates(&a);
        sender.settle_probe(&a, &view, &mut self.congestion);
        if sender.is_dubious(&a) {
            self.judge(sender, &mut a, &view);
        }
        if a.sets_timer {
            self.set_transmission_timer(sender, now);
        }
        self.adjust_window(sender, &a, &trips, now);
        if self.limits.is_none() && self.send.take_unblocked() {
            self.events.push(Event::Writable);
        }
        if a.advances && self.send.is_fin_acknowledged() {
            self.take_fin_acknowledgment(now);
        }
    }

    /// A peer that answers and leaves no room for what is next is probed a whole wait later; with
    /// room there is nothing to probe (`tcp_ack_probe`).
    #[cold]
    fn wait_anew_for_window(&mut self, sender: &Sender, now: Time) {
        let next = sender.buffers.first().map_or(self.send.end, |b| b.end);
        if next <= self.send.edge {
            self.stop_probing();
        } else {
            self.persist_backoff -= 1;
            self.arm_persist(now);
        }
    }

    /// An acknowledgement older than the last may still bring news by SACK.
    #[cold]
    fn take_old_ack(&mut self, sender: &mut Sender, now: Time, segment: &Segment) {
        if segment.options.sack.is_empty() {
            return;
        }
        let echo = self.echoed_tick(now, segment);
        let view = self.view(now, echo);
        let mut a = sender.begin(self.send.una, &view);
        a.updates_window = true; // it counts as no duplicate
        self.take_blocks(sender, &mut a, &view, segment);
        self.judge(sender, &mut a, &view);
    }

    fn take_blocks(&mut self, sender: &mut Sender, a: &mut Ack, view: &View, segment: &Segment) {
        if segment.options.sack.is_empty() || !sender.is_sack() {
            return;
        }
        let mut blocks = [OffsetRange::default(); 4];
        let mut count = 0;
        for block in segment.options.sack.as_slice() {
            if let Some(range) = self.offsets(block) {
                blocks[count] = range;
                count += 1;
            }
        }
        let max_window = self.send.max_window();
        let reported = sender.take_blocks(a, view, &blocks[..count], max_window);
        self.counters.dsacks_received += u64::from(reported);
    }

    fn judge(&mut self, sender: &mut Sender, a: &mut Ack, view: &View) {
        self.counters.duplicate_acks_received += u64::from(sender.is_duplicate(a));
        let undone = sender.times_undone();
        let judgement = sender.judge(a, view, &mut self.congestion);
        self.counters.spurious_recoveries += sender.times_undone() - undone;
        self.counters.fast_recoveries += u64::from(judgement.begins_recovery);
        self.counters.ecn_reductions += u64::from(judgement.heeds_marks);
        if judgement.reneged {
            let delay = self.rtt.smoothed().map_or(RENEGING_DELAY, |srtt| srtt / 2);
            let deadline = self
                .rtt
                .tick_after(view.now, sender.in_jiffies(delay.max(RENEGING_DELAY)));
            self.arm(sender, TimerPurpose::Timeout, deadline);
            a.sets_timer = false;
        } else if let Some(wait) = judgement.wait {
            let wait = sender.in_jiffies(wait);
            let deadline = self.rtt.tick_after(view.now, wait);
            self.arm(sender, TimerPurpose::Reordering, deadline);
        }
    }

    /// `tcp_ack_update_rtt`.
    fn take_round_trips(
        &mut self,
        sender: &Sender,
        now: Time,
        echo: Option<u64>,
        a: &Ack,
        trips: &AckRoundTrips,
    ) {
        let mut trips = *trips;
        if trips.first.is_none() && a.acknowledges {
            if let Some(echo) = echo {
                let tick = self.config.timestamp_tick;
                let ticks = (now.as_nanos() / tick.as_nanos())
                    .saturating_sub(echo)
                    .max(1);
                trips.first = Some(tick * ticks);
                trips.last = trips.first;
            }
        }
        let (Some(first), Some(last)) = (trips.first, trips.last) else {
            return;
        };
        if !trips.maybe_delayed || self.rtt.least().is_none_or(|least| last <= least) {
            self.rtt.note_least(now, last);
        }
        self.rtt.on_sample(&RttSample {
            now,
            rtt: first,
            una: self.send.una,
            max: self.send.nxt,
        });
        self.counters.rtt_samples += 1;
        self.sample = Some(first);
        self.congestion.on_round_trip(&RoundTrip {
            now,
            rtt: last,
            una: self.send.una,
            max: self.send.nxt,
            bytes_per_second: sender.pace,
        });
    }

    /// The connection is established.
    pub(super) fn begin_as_linux(&mut self, now: Time) {
        if let Some(mut sender) = self.linux.take() {
            self.begin_control(&mut sender, now);
            self.linux = Some(sender);
        }
    }

    /// A congestion control begins (`tcp_init_congestion_control`).
    fn begin_control(&mut self, sender: &mut Sender, now: Time) {
        if !self.congestion.models_path() {
            sender.pace = self.pace_of(sender);
            self.pace_sender(sender);
            return;
        }
        sender.rates.get_or_insert_default();
        self.congestion.begin(&ConnectionStart {
            now,
            srtt: self.rtt.smoothed(),
            least_rtt: self.rtt.least(),
            chance: self.isn.0,
            has_sack: sender.is_sack(),
        });
        sender.pace = self.congestion.pacing_rate().unwrap_or(u64::MAX);
        self.pace_sender(sender);
    }

    /// Returns what the kernel would pace at (`tcp_update_pacing_rate`): two windows per round trip
    /// in slow start, later 1.2.
    fn pace_of(&self, sender: &Sender) -> u64 {
        let srtt = self.rtt.smoothed().map_or(0, Duration::as_micros);
        let window = self.congestion.window();
        let percent = if window < self.congestion.ssthresh() / 2 {
            200
        } else {
            120
        };
        let out = u64::from(sender.packets_out()) * u64::from(self.mss);
        (window.max(out) * percent * 10_000)
            .checked_div(srtt)
            .map_or(u64::MAX, |pace| pace.min(self.config.pacing.most))
    }

    /// `tcp_cong_control`.
    fn adjust_window(&mut self, sender: &mut Sender, a: &Ack, trips: &AckRoundTrips, now: Time) {
        if self.congestion.models_path() {
            let view = self.view(now, None);
            let is_limited = self.usage.was_full();
            sender.model(a, &view, trips, is_limited, &mut self.congestion);
            sender.pace = sender.pace.min(self.config.pacing.most);
            return;
        }
        let delivered = sender.newly_delivered(a);
        let is_reducing = sender.is_reducing();
        if is_reducing {
            sender.reduce(a, &mut self.congestion);
        }
        let phase = match sender.state() {
            _ if is_reducing || !sender.may_raise_window(a) => RecoveryPhase::Fast,
            CaState::Loss => RecoveryPhase::Timeout,
            _ => RecoveryPhase::Open,
        };
        if phase != RecoveryPhase::Fast {
            self.usage.note_settled(now);
        }
        let mss = u64::from(self.mss);
        let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
        self.congestion.on_ack(&Acked {
            now,
            bytes: u64::from(delivered) * mss,
            una: self.send.una,
            max: self.send.nxt,
            rtt: trips.last,
            srtt: self.rtt.smoothed().unwrap_or(Duration::ZERO),
            limited: self.usage.was_limited(window, ssthresh),
            phase,
        });
        sender.pace = self.pace_of(sender);
    }
}
