//! BBR, version 1: N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh and V. Jacobson, "BBR:
//! Congestion-Based Congestion Control", ACM Queue 14(5), 2016, and draft-cardwell-iccrg-bbr-
//! congestion-control-00, as Linux has it (`tcp_bbr.c`), with its numbers and its integers.
//!
//! It makes a model of the path: the most it has delivered per time within ten round trips, and
//! the least round-trip time within ten seconds. Segments leave at that rate, and twice what the
//! path holds without a queue may be in flight. It asks for more now and then (a rate of 5/4, then
//! of 3/4), drains the queue once every ten seconds to see the least round trip, and heeds no loss
//! but where it tells of a policer.

use units::{Duration, Time};

use super::chance::CongestionRandom;
use super::windowed_max::WindowedMax;
use super::{
    Acked, CongestionControl, ConnectionStart, CountingUnit, Loss, RateSample, Restart, Setup,
};
use crate::tcp_info::CaState;

mod excess;
mod policer;

use excess::Excess;
use policer::{Policer, Totals};

/// Rates are in segments per 2^-24 µs (BW_SCALE), gains in 256ths (BBR_SCALE).
const RATE_SHIFT: u32 = 24;
const RATE_UNIT: u64 = 1 << RATE_SHIFT;
const GAIN_SHIFT: u32 = 8;
const UNIT: u64 = 1 << GAIN_SHIFT;

/// 2/ln 2: the rate doubles in a round trip.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const WINDOW_GAIN: u64 = 2 * UNIT;
/// The rate's gains while bandwidth is looked for, a least round trip each.
const CYCLE: [u64; 8] = [
    UNIT * 5 / 4,
    UNIT * 3 / 4,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
];
/// It begins anywhere in the cycle but where it drains.
const CYCLE_STARTS: u32 = 7;

/// Rounds for which the most that was delivered is remembered, and for which the least round-trip
/// time is, in seconds.
const RATE_ROUNDS: u32 = CYCLE.len() as u32 + 2;
const LEAST_RTT_FOR: Duration = Duration::from_secs(10);
/// Time for which the queue is drained.
const PROBE_RTT_FOR: Duration = Duration::from_millis(200);

/// Segments that are kept in flight at least.
const WINDOW_MIN: u32 = 4;
/// The window where there is no round-trip time yet (TCP_INIT_CWND).
const WINDOW_INITIAL: u32 = 10;

/// The path is full when the rate has not grown by a quarter for three rounds.
const GROWTH: u64 = UNIT * 5 / 4;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;

/// Paced by a hundredth less than what the path seems to deliver.
const MARGIN_PERCENT: u64 = 1;
/// Below this a piece is a single segment (bbr_min_tso_rate, 1.2 Mbit/s), in bytes per second.
const SINGLE_BELOW: u64 = 1_200_000 >> 3;
/// The largest piece that is counted with, and how long it is sent for (`bbr_tso_segs_goal`).
const PIECE_MAX_BYTES: u64 = 65_536 - 1 - 320;
const PIECE_MAX: u64 = 0x7F;
const PACING_SHIFT: u32 = 10;

/// State of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BbrMode {
    /// Doubles the rate each round trip.
    Startup,
    /// Lets the queue run empty that this has made.
    Drain,
    /// Goes through the cycle of gains.
    ProbeBandwidth,
    /// Lets everything run empty, to see the least round trip.
    ProbeRtt,
}

#[derive(Clone, Debug)]
pub(crate) struct Bbr {
    setup: Setup,
    jiffy: Duration,
    /// In segments.
    window: u32,
    ssthresh: u64,
    mode: BbrMode,
    pacing_gain: u64,
    window_gain: u64,
    /// The place in the cycle of gains, and when it was entered.
    phase: usize,
    phase_since: Time,
    chance: CongestionRandom,
    rate: WindowedMax,
    totals: Totals,
    rounds: BbrRounds,
    full: FullPipe,
    least: MinRttProbe,
    excess: Excess,
    policer: Policer,
    /// Bytes per second at which segments leave.
    pace: u64,
    has_seen_rtt: bool,
    restarts_idle: bool,
    /// The window before a recovery or a probe of the round trip, to return to.
    prior_window: u32,
    prior_state: CaState,
    conserves: bool,
}

/// Round trips, counted by what was delivered when their segments left.
#[derive(Clone, Copy, Debug, Default)]
struct BbrRounds {
    count: u32,
    ends_at: u64,
    begins: bool,
}

/// Detection of a full path.
#[derive(Clone, Copy, Debug, Default)]
struct FullPipe {
    reached: bool,
    rate: u64,
    rounds: u32,
}

/// The least round-trip time, and when the probe for it is over; times are in jiffies.
#[derive(Clone, Copy, Debug)]
struct MinRttProbe {
    us: Option<u64>,
    since: u64,
    done_at: Option<u64>,
    round_done: bool,
}

impl Bbr {
    pub fn new(setup: &Setup) -> Bbr {
        let jiffy = match setup.counting {
            CountingUnit::Segments { jiffy, .. } => jiffy,
            _ => Duration::from_millis(1),
        };
        Bbr {
            setup: *setup,
            jiffy,
            window: (setup.initial_window / setup.mss).max(1) as u32,
            ssthresh: u64::MAX,
            mode: BbrMode::Startup,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            phase: 0,
            phase_since: Time::ZERO,
            chance: CongestionRandom::default(),
            rate: WindowedMax::new(RATE_ROUNDS),
            totals: Totals::default(),
            rounds: BbrRounds::default(),
            full: FullPipe::default(),
            least: MinRttProbe {
                us: None,
                since: 0,
                done_at: None,
                round_done: false,
            },
            excess: Excess::default(),
            policer: Policer::default(),
            pace: u64::MAX,
            has_seen_rtt: false,
            restarts_idle: false,
            prior_window: 0,
            prior_state: CaState::Open,
            conserves: false,
        }
    }

    fn jiffies(&self, now: Time) -> u64 {
        now.as_nanos() / self.jiffy.as_nanos()
    }

    fn in_jiffies(&self, span: Duration) -> u64 {
        span.as_nanos().div_ceil(self.jiffy.as_nanos())
    }

    /// Returns what the path delivers, in the model.
    fn bandwidth(&self) -> u64 {
        self.policer.rate_in_use().unwrap_or(self.rate.get())
    }

    fn bytes_per_second(&self, rate: u64, gain: u64) -> u64 {
        let rate = (rate * self.setup.mss * gain) >> GAIN_SHIFT;
        let rate = u128::from(rate) * u128::from(1_000_000 / 100 * (100 - MARGIN_PERCENT));
        u64::try_from(rate >> RATE_SHIFT).unwrap_or(u64::MAX)
    }

    /// Before anything was delivered: the initial window in a round trip, or in a millisecond.
    fn pace_by_window(&mut self, srtt: Option<Duration>) {
        let rtt_us = srtt.map_or(1000, |srtt| srtt.as_micros().max(1));
        self.has_seen_rtt = srtt.is_some();
        let rate = u64::from(self.window) * RATE_UNIT / rtt_us;
        self.pace = self.bytes_per_second(rate, HIGH_GAIN);
    }

    fn set_pace(&mut self, gain: u64, srtt: Option<Duration>) {
        let rate = self.bytes_per_second(self.bandwidth(), gain);
        if !self.has_seen_rtt && srtt.is_some() {
            self.pace_by_window(srtt);
        }
        if self.full.reached || rate > self.pace {
            self.pace = rate;
        }
    }

    /// Returns how many segments make a piece at this rate.
    fn piece(&self) -> u64 {
        let bytes = (self.pace >> PACING_SHIFT).min(PIECE_MAX_BYTES);
        (bytes / self.setup.mss)
            .max(self.piece_min())
            .min(PIECE_MAX)
    }

    /// Returns what the path holds without a queue, times a gain, in segments.
    fn held(&self, rate: u64, gain: u64) -> u32 {
        let Some(least_us) = self.least.us else {
            return WINDOW_INITIAL;
        };
        let held = (u128::from(rate) * u128::from(least_us) * u128::from(gain)) >> GAIN_SHIFT;
        let segments = held.div_ceil(u128::from(RATE_UNIT));
        u32::try_from(segments).unwrap_or(u32::MAX / 2)
    }

    /// Allows for the pieces that either host has in hand, and for delayed acknowledgements.
    fn with_pieces(&self, segments: u32) -> u32 {
        let even = (segments + 3 * self.piece() as u32).next_multiple_of(2);
        let asks_for_more = self.mode == BbrMode::ProbeBandwidth && self.phase == 0;
        even + if asks_for_more { 2 } else { 0 }
    }

    fn in_flight_at(&self, rate: u64, gain: u64) -> u32 {
        self.with_pieces(self.held(rate, gain))
    }

    /// Returns what will be in the network when the next piece leaves.
    fn in_network(&self, in_flight: u32, sample: &RateSample) -> u32 {
        let wait_us = sample.departs_at.saturating_since(sample.now).as_micros();
        let delivered = (self.bandwidth() * wait_us) >> RATE_SHIFT;
        let next = if self.pacing_gain > UNIT {
            self.piece()
        } else {
            0
        };
        (u64::from(in_flight) + next).saturating_sub(delivered) as u32
    }

    fn update_rate(&mut self, sample: &RateSample) {
        self.rounds.begins = false;
        let Some((delivery, interval_us)) = valid(sample) else {
            return;
        };
        if delivery.prior_delivered >= self.rounds.ends_at {
            self.rounds.ends_at = sample.delivered;
            self.rounds.count += 1;
            self.rounds.begins = true;
            self.conserves = false;
        }
        self.look_for_policer(sample.newly_lost > 0, delivery.app_limited);
        let rate = delivery.delivered * RATE_UNIT / interval_us;
        if !delivery.app_limited || rate >= self.rate.get() {
            self.rate.take(self.rounds.count, rate);
        }
    }

    fn look_for_policer(&mut self, has_lost: bool, is_app_limited: bool) {
        if self.policer.rate_in_use().is_some() {
            let counts = self.mode == BbrMode::ProbeBandwidth && self.rounds.begins;
            if counts && self.policer.is_over() {
                self.policer.reset(&self.totals);
                self.enter_cycle(self.totals.at);
            }
            return;
        }
        let begins = self.rounds.begins;
        let least = self.rate_of(policer::DIFFERENCE);
        if (self.policer).looks_limited(&self.totals, has_lost, is_app_limited, begins, least) {
            self.pacing_gain = UNIT;
        }
    }

    /// The rate that bytes per second make, the margin aside.
    fn rate_of(&self, bytes_per_second: u64) -> u64 {
        bytes_per_second * RATE_UNIT / (self.setup.mss * 1_000_000 / 100 * (100 - MARGIN_PERCENT))
    }

    fn update_excess(&mut self, sample: &RateSample) {
        if sample.newly_delivered == 0 || valid(sample).is_none() {
            return;
        }
        let acked = u64::from(sample.newly_delivered);
        let (rate, most) = (self.bandwidth(), u64::from(self.window));
        if self.rounds.begins {
            self.excess.begin_round();
        }
        self.excess.update(sample.delivered_at, acked, rate, most);
    }

    fn update_phase(&mut self, sample: &RateSample) {
        if self.mode == BbrMode::ProbeBandwidth && self.is_phase_over(sample) {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_since = sample.delivered_at;
        }
    }

    fn is_phase_over(&self, sample: &RateSample) -> bool {
        let passed = sample
            .delivered_at
            .saturating_since(self.phase_since)
            .as_micros();
        let is_full_length = passed > self.least.us.unwrap_or(u64::MAX);
        if self.pacing_gain == UNIT {
            return is_full_length;
        }
        let in_network = self.in_network(sample.prior_in_flight, sample);
        let rate = self.rate.get();
        if self.pacing_gain > UNIT {
            let is_enough = in_network >= self.in_flight_at(rate, self.pacing_gain);
            return is_full_length && (sample.newly_lost > 0 || is_enough);
        }
        is_full_length || in_network <= self.in_flight_at(rate, UNIT)
    }

    /// Begins the cycle anywhere but where it drains.
    fn enter_cycle(&mut self, at: Time) {
        self.mode = BbrMode::ProbeBandwidth;
        let drawn = self.chance.below(CYCLE_STARTS) as usize;
        self.phase = (CYCLE.len() - drawn) % CYCLE.len();
        self.phase_since = at;
    }

    fn check_full(&mut self, sample: &RateSample) {
        let is_app_limited = sample.delivery.is_some_and(|each| each.app_limited);
        if self.full.reached || !self.rounds.begins || is_app_limited {
            return;
        }
        let rate = self.rate.get();
        if rate >= (self.full.rate * GROWTH) >> GAIN_SHIFT {
            self.full.rate = rate;
            self.full.rounds = 0;
            return;
        }
        self.full.rounds += 1;
        self.full.reached = self.full.rounds >= ROUNDS_WITHOUT_GROWTH;
    }

    fn check_drain(&mut self, sample: &RateSample) {
        let drained = self.in_flight_at(self.rate.get(), UNIT);
        if self.mode == BbrMode::Startup && self.full.reached {
            self.mode = BbrMode::Drain;
            self.ssthresh = u64::from(drained) * self.setup.mss;
        }
        if self.mode == BbrMode::Drain && self.in_network(sample.in_flight, sample) <= drained {
            self.enter_cycle(sample.delivered_at);
        }
    }

    /// True if what is delivered next says nothing of the path.
    fn update_least(&mut self, sample: &RateSample) -> bool {
        let now = self.jiffies(sample.now);
        let expired = now > self.least.since + self.in_jiffies(LEAST_RTT_FOR);
        if let Some(rtt) = sample.rtt {
            let rtt = rtt.as_micros();
            let is_less = self.least.us.is_none_or(|least| rtt <= least);
            if is_less || expired && !sample.maybe_delayed {
                self.least.us = Some(rtt);
                self.least.since = now;
            }
        }
        if expired && !self.restarts_idle && self.mode != BbrMode::ProbeRtt {
            self.mode = BbrMode::ProbeRtt;
            self.save_window();
            self.least.done_at = None;
        }
        let is_draining = self.mode == BbrMode::ProbeRtt;
        if is_draining {
            self.go_on_draining(now, sample);
        }
        if sample.delivery.is_some_and(|each| each.delivered > 0) {
            self.restarts_idle = false;
        }
        is_draining
    }

    fn go_on_draining(&mut self, now: u64, sample: &RateSample) {
        match self.least.done_at {
            None if sample.in_flight <= WINDOW_MIN => {
                self.least.done_at = Some(now + self.in_jiffies(PROBE_RTT_FOR));
                self.least.round_done = false;
                self.rounds.ends_at = sample.delivered;
            }
            None => {}
            Some(_) => {
                self.least.round_done |= self.rounds.begins;
                if self.least.round_done {
                    self.end_draining(now, sample.delivered_at);
                }
            }
        }
    }

    fn end_draining(&mut self, now: u64, delivered_at: Time) {
        if self.least.done_at.is_none_or(|done_at| now <= done_at) {
            return;
        }
        self.least.since = now;
        self.window = self.window.max(self.prior_window);
        if self.full.reached {
            self.enter_cycle(delivered_at);
        } else {
            self.mode = BbrMode::Startup;
        }
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.window_gain) = match self.mode {
            BbrMode::Startup => (HIGH_GAIN, HIGH_GAIN),
            BbrMode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            BbrMode::ProbeBandwidth if self.policer.rate_in_use().is_some() => (UNIT, WINDOW_GAIN),
            BbrMode::ProbeBandwidth => (CYCLE[self.phase], WINDOW_GAIN),
            BbrMode::ProbeRtt => (UNIT, UNIT),
        };
    }

    fn save_window(&mut self) {
        let is_cut = self.prior_state >= CaState::Recovery || self.mode == BbrMode::ProbeRtt;
        let least = if is_cut { self.prior_window } else { 0 };
        self.prior_window = self.window.max(least);
    }

    /// In the first round of a recovery what leaves is what arrives; after it the window returns.
    /// True if no more than that may leave.
    fn recover_or_restore(&mut self, sample: &RateSample) -> bool {
        let (prior, state) = (self.prior_state, sample.state);
        let left = sample.in_flight + sample.newly_delivered;
        self.window = self.window.saturating_sub(sample.newly_lost).max(1);
        if state == CaState::Recovery && prior != CaState::Recovery {
            self.conserves = true;
            self.rounds.ends_at = sample.delivered;
            self.window = left;
        } else if prior >= CaState::Recovery && state < CaState::Recovery {
            self.window = self.window.max(self.prior_window);
            self.conserves = false;
        }
        self.prior_state = state;
        if self.conserves {
            self.window = self.window.max(left);
        }
        self.conserves
    }

    fn set_window(&mut self, sample: &RateSample) {
        let acked = sample.newly_delivered;
        if acked > 0 && !self.recover_or_restore(sample) {
            let rate = self.bandwidth();
            let excess = if self.full.reached {
                self.excess.allowed(rate)
            } else {
                0
            };
            let target = self.with_pieces(self.held(rate, self.window_gain) + excess);
            if self.full.reached {
                self.window = (self.window + acked).min(target);
            } else if self.window < target || sample.delivered < u64::from(WINDOW_INITIAL) {
                self.window += acked;
            }
            self.window = self.window.max(WINDOW_MIN);
        }
        if self.mode == BbrMode::ProbeRtt {
            self.window = self.window.min(WINDOW_MIN);
        }
    }
}

/// A delivery, and the time it took in µs, where both are known.
fn valid(sample: &RateSample) -> Option<(&super::Delivery, u64)> {
    let delivery = sample.delivery.as_ref()?;
    let interval_us = delivery.interval?.as_micros();
    (interval_us > 0).then_some((delivery, interval_us))
}

impl CongestionControl for Bbr {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    #[inline]
    fn window(&self) -> u64 {
        u64::from(self.window) * self.setup.mss
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// It goes by [`Self::on_rate`].
    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_rate(&mut self, sample: &RateSample) -> bool {
        self.totals = Totals {
            at: sample.delivered_at,
            delivered: sample.delivered,
            lost: sample.lost,
        };
        self.update_rate(sample);
        self.update_excess(sample);
        self.update_phase(sample);
        self.check_full(sample);
        self.check_drain(sample);
        let is_draining = self.update_least(sample);
        self.update_gains();
        self.set_pace(self.pacing_gain, sample.srtt);
        self.set_window(sample);
        is_draining
    }

    fn begin(&mut self, beginning: &ConnectionStart) {
        self.least.us = beginning.least_rtt.map(Duration::as_micros);
        self.least.since = self.jiffies(beginning.now);
        self.chance = CongestionRandom(beginning.chance);
        self.excess.restart(beginning.now);
        self.pace_by_window(beginning.srtt);
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pace)
    }

    fn piece_min(&self) -> u64 {
        if self.pace < SINGLE_BELOW { 1 } else { 2 }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.save_window();
    }

    fn on_timeout(&mut self, _loss: &Loss, again: bool) {
        if !again {
            self.save_window();
        }
        self.prior_state = CaState::Loss;
        self.full.rate = 0;
        self.rounds.begins = true;
        self.look_for_policer(true, false);
    }

    fn on_undo(&mut self) {
        self.full.rate = 0;
        self.full.rounds = 0;
        self.policer.reset(&self.totals);
    }

    fn on_recovered(&mut self, _burst_limit: u64) {}

    fn on_idle(&mut self) {}

    fn on_restart(&mut self, restart: &Restart) {
        if !restart.app_limited {
            return;
        }
        self.restarts_idle = true;
        self.excess.restart(restart.now);
        match self.mode {
            BbrMode::ProbeBandwidth => self.set_pace(UNIT, None),
            BbrMode::ProbeRtt => self.end_draining(self.jiffies(restart.now), restart.now),
            BbrMode::Startup | BbrMode::Drain => {}
        }
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        self.window = (window / self.setup.mss).max(1) as u32;
        self.ssthresh = ssthresh;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::setup;
    use super::super::{CountingUnit, Delivery};
    use super::*;

    /// A path that holds ten segments of 1000 bytes: one each millisecond, 10 ms long.
    struct Path {
        bbr: Bbr,
        now: Time,
        delivered: u64,
    }

    const LEAST: Duration = Duration::from_millis(10);

    impl Path {
        fn new() -> Path {
            let jiffy = Duration::from_millis(1);
            let mut bbr = Bbr::new(&Setup {
                initial_window: 10_000,
                counting: CountingUnit::Segments {
                    hystart: false,
                    jiffy,
                },
                ..setup()
            });
            bbr.begin(&ConnectionStart {
                now: Time::ZERO,
                srtt: Some(LEAST),
                least_rtt: Some(LEAST),
                chance: 7,
                has_sack: true,
            });
            Path {
                bbr,
                now: Time::ZERO,
                delivered: 1,
            }
        }

        /// A segment is delivered a millisecond after the one before, with `in_flight` behind it;
        /// the round trip is what these take, 10 ms at least.
        fn deliver(&mut self, in_flight: u32) -> bool {
            self.now += Duration::from_millis(1);
            self.delivered += 1;
            let rtt = LEAST.max(Duration::from_millis(u64::from(in_flight)));
            let sent = u64::from(in_flight).min(self.delivered - 1);
            let sample = RateSample {
                now: self.now,
                delivery: Some(Delivery {
                    prior_delivered: self.delivered - sent,
                    delivered: sent,
                    interval: Some(Duration::from_millis(sent.max(10))),
                    // What the sender tells from what this has answered.
                    app_limited: self.bbr.mode == BbrMode::ProbeRtt,
                    in_flight: in_flight + 1,
                    lost: 0,
                }),
                delivered_at: self.now,
                delivered: self.delivered,
                lost: 0,
                newly_delivered: 1,
                newly_lost: 0,
                prior_in_flight: in_flight + 1,
                in_flight,
                rtt: Some(rtt),
                maybe_delayed: false,
                srtt: Some(rtt),
                departs_at: self.now,
                is_limited: false,
                state: CaState::Open,
            };
            self.bbr.on_rate(&sample)
        }

        /// With as much in flight as the window takes, until it has drained what that has made.
        fn settled() -> Path {
            let mut path = Path::new();
            for _ in 0..500 {
                let in_flight = path.bbr.window;
                path.deliver(in_flight);
                if path.bbr.mode == BbrMode::Drain {
                    path.deliver(10);
                }
            }
            assert_eq!(path.bbr.mode, BbrMode::ProbeBandwidth);
            path
        }
    }

    /// The initial window in a round trip, times 2/ln 2, less the margin of a hundredth.
    #[test]
    fn it_begins_with_the_initial_window_at_twice_over_ln_2() {
        let pace = Path::new().bbr.pacing_rate().expect("it paces") as f64;
        let expected = 10_000.0 / 0.01 * 2.885 * 0.99;
        assert!((pace / expected - 1.0).abs() < 0.005, "{pace} {expected}");
    }

    #[test]
    fn it_ends_its_start_when_the_rate_has_not_grown_for_three_rounds() {
        let mut path = Path::new();
        let mut modes = vec![BbrMode::Startup];
        while modes.len() < 3 && path.delivered < 1000 {
            let in_flight = if path.bbr.mode == BbrMode::Drain {
                10
            } else {
                path.bbr.window
            };
            path.deliver(in_flight);
            if modes.last() != Some(&path.bbr.mode) {
                modes.push(path.bbr.mode);
            }
        }
        assert_eq!(
            modes,
            [BbrMode::Startup, BbrMode::Drain, BbrMode::ProbeBandwidth]
        );
        assert!(path.bbr.full.rounds == 3, "{:?}", path.bbr.full);
    }

    /// A segment each millisecond, and twice what the path holds, with three pieces of two more,
    /// two where it asks for more, and what acknowledgements brought at once.
    #[test]
    fn it_paces_at_what_is_delivered_and_has_twice_what_the_path_holds_in_flight() {
        let mut path = Path::settled();
        let mut paces = Vec::new();
        for _ in 0..80 {
            path.deliver(if path.bbr.pacing_gain > UNIT { 24 } else { 10 });
            paces.push(path.bbr.pace as f64 / (0.99 * 1_000_000.0));
        }
        let near = |gain: f64| {
            paces
                .iter()
                .filter(|pace| (*pace - gain).abs() < 0.01)
                .count()
        };
        assert_eq!(near(1.25) + near(0.75) + near(1.0), 80, "{paces:?}");
        assert!(
            near(1.25) >= 8 && near(0.75) > 0 && near(1.0) >= 40,
            "{paces:?}"
        );
        assert!((26..=30).contains(&path.bbr.window), "{}", path.bbr.window);
    }

    /// Every ten seconds four segments are in flight for 200 ms, unless the round trip has been as
    /// short meanwhile.
    #[test]
    fn it_drains_the_path_once_in_ten_seconds() {
        let mut path = Path::settled();
        let began = path.now;
        while !path.deliver(20) {
            assert!(path.now - began < Duration::from_secs(11));
        }
        assert_eq!(path.bbr.window, WINDOW_MIN);
        let (drains_since, prior) = (path.now, path.bbr.prior_window);
        while path.bbr.mode == BbrMode::ProbeRtt {
            path.deliver(4);
        }
        let drained = path.now - drains_since;
        assert!(
            (200..215).contains(&(drained.as_micros() / 1000)),
            "{drained:?}"
        );
        assert!(path.bbr.window >= prior.min(20) && path.bbr.least.us == Some(10_000));
    }

    #[test]
    fn the_cycle_begins_anywhere_but_where_it_drains() {
        let mut bbr = Path::new().bbr;
        let mut begins = [0; CYCLE.len()];
        for _ in 0..7000 {
            bbr.enter_cycle(Time::ZERO);
            begins[bbr.phase] += 1;
        }
        assert_eq!(begins[1], 0);
        let others = begins.iter().enumerate().filter(|(phase, _)| *phase != 1);
        assert!(
            others
                .into_iter()
                .all(|(_, count)| (900..1100).contains(count)),
            "{begins:?}"
        );
    }

    /// In the first round of a recovery what leaves is what arrives, then the window returns.
    #[test]
    fn a_recovery_gives_the_window_back() {
        let mut path = Path::settled();
        path.deliver(10);
        let before = path.bbr.window;
        path.bbr.on_loss(&Loss { in_flight: 10_000 });
        let in_state = |state, in_flight| RateSample {
            now: path.now,
            delivery: None,
            delivered_at: path.now,
            delivered: path.delivered,
            lost: 1,
            newly_delivered: 1,
            newly_lost: u32::from(state == CaState::Recovery),
            prior_in_flight: 10,
            in_flight,
            rtt: None,
            maybe_delayed: false,
            srtt: Some(LEAST),
            departs_at: path.now,
            is_limited: false,
            state,
        };
        let (recovery, open) = (in_state(CaState::Recovery, 9), in_state(CaState::Open, 9));
        path.bbr.on_rate(&recovery);
        assert_eq!(path.bbr.window, 10);
        path.bbr.on_rate(&open);
        assert_eq!(path.bbr.window, before);
    }
}
