//! ProbeBW (§5.3.3): down, cruise, refill and up, time and again; a probe goes on for as long as
//! the rate grows or the bound on what is in flight does, and losses allow.

use units::{Duration, Time};

use super::{Bbr3, Bbr3State, HEADROOM, INFINITY, MIN_PIPE_SEGMENTS, Rs, percent};

/// Between two probes there are 2 to 3 s, or 62 to 63 round trips if that is less (§5.3.3.5.2).
const WAIT_MIN: Duration = Duration::from_secs(2);
const WAIT_MORE_US: u32 = 1_000_000;
const RENO_ROUNDS_MAX: u64 = 63;
/// Number of times the growth of the bound is doubled (§5.3.3.6).
const UP_ROUNDS_MAX: u32 = 30;

/// BBR.ack_phase: what acknowledgements tell of the probe (§2.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    #[default]
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// The state of probing (§2.14).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BandwidthProbe {
    pub ack_phase: AckPhase,
    /// BBR.is_bw_probe_sample: what is told of left while bandwidth was probed for.
    pub is_sampled: bool,
    /// BBR.prev_probe_too_high, BBR.prev_probe_precautionary.
    pub was_too_high: bool,
    was_precautionary: bool,
    /// BBR.bw_probe_up_acked, BBR.probe_up_acked_per_inc, BBR.bw_probe_up_rounds.
    up_acked: u64,
    acked_per_increase: u64,
    up_rounds: u32,
    /// BBR.rounds_since_probe_up, BBR.bw_probe_wait, BBR.cycle_stamp.
    pub rounds_since_up: u64,
    wait: Duration,
    cycle_since: Time,
}

impl Bbr3 {
    /// StartProbeBW_DOWN, which EnterProbeBW is, too.
    pub(super) fn start_probe_bw_down(&mut self, now: Time) {
        self.reset_congestion_signals();
        self.probe.acked_per_increase = INFINITY;
        self.pick_probe_wait();
        self.probe.cycle_since = now;
        self.probe.ack_phase = AckPhase::Stopping;
        self.start_round();
        self.state = Bbr3State::ProbeBwDown;
    }

    pub(super) fn start_probe_bw_cruise(&mut self) {
        self.state = Bbr3State::ProbeBwCruise;
    }

    /// StartProbeBW_REFILL.
    pub(super) fn start_probe_bw_refill(&mut self) {
        self.reset_short_term_model();
        self.probe.up_rounds = 0;
        self.probe.up_acked = 0;
        self.probe.was_precautionary = false;
        self.probe.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = Bbr3State::ProbeBwRefill;
    }

    /// StartProbeBW_UP.
    fn start_probe_bw_up(&mut self, rs: &Rs) {
        self.probe.is_sampled = true;
        self.probe.ack_phase = AckPhase::Starting;
        self.start_round();
        self.full_bw.reset(rs.delivery_rate);
        self.state = Bbr3State::ProbeBwUp;
        self.raise_inflight_longterm_slope();
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_probe_bw_cycle_phase(&mut self, rs: &Rs) {
        if !self.full_bw.reached || rs.newly_acked == 0 || self.adapt_long_term_model(rs) {
            return;
        }
        match self.state {
            Bbr3State::ProbeBwDown | Bbr3State::ProbeBwCruise
                if self.is_time_to_probe_bw(rs.now) =>
            {
                self.start_probe_bw_refill();
            }
            Bbr3State::ProbeBwDown if self.is_time_to_cruise(rs) => self.start_probe_bw_cruise(),
            Bbr3State::ProbeBwRefill if self.rounds.begins => self.start_probe_bw_up(rs),
            Bbr3State::ProbeBwUp => self.go_down_in_time(rs),
            _ => {}
        }
    }

    fn go_down_in_time(&mut self, rs: &Rs) {
        if self.is_time_to_go_down(rs) {
            self.probe.was_too_high = false;
            self.start_probe_bw_down(rs.now);
        }
    }

    /// IsTimeToProbeBW (§5.3.3.5.3).
    fn is_time_to_probe_bw(&self, now: Time) -> bool {
        let has_waited = now > self.probe.cycle_since + self.probe.wait;
        let reno_rounds = self.target_inflight() / self.setup.mss;
        has_waited || self.probe.rounds_since_up >= reno_rounds.min(RENO_ROUNDS_MAX)
    }

    /// PickProbeWait (§5.3.3.5.3).
    fn pick_probe_wait(&mut self) {
        self.probe.rounds_since_up = u64::from(self.chance.below(2));
        let more = self.chance.below(WAIT_MORE_US + 1);
        self.probe.wait = WAIT_MIN + Duration::from_micros(u64::from(more));
    }

    /// TargetInflight: what the path holds, unless congestion has cut the window.
    pub(super) fn target_inflight(&self) -> u64 {
        self.bdp().min(self.window)
    }

    /// IsTimeToCruise.
    fn is_time_to_cruise(&self, rs: &Rs) -> bool {
        let has_headroom = rs.in_flight <= self.inflight_with_headroom();
        has_headroom && rs.in_flight <= self.inflight(self.max_bw(), 100)
    }

    /// IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, rs: &Rs) -> bool {
        if self.probe.was_too_high && rs.in_flight >= self.inflight_longterm {
            self.probe.was_precautionary = true;
            return true;
        }
        if rs.is_cwnd_limited && self.window >= self.inflight_longterm {
            self.full_bw.reset(rs.delivery_rate);
            return false;
        }
        self.full_bw.now
    }

    /// InflightWithHeadroom: leaves room for others.
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_longterm == INFINITY {
            return INFINITY;
        }
        let headroom = percent(HEADROOM, self.inflight_longterm).max(self.setup.mss);
        let left = self.inflight_longterm.saturating_sub(headroom);
        left.max(MIN_PIPE_SEGMENTS * self.setup.mss)
    }

    /// RaiseInflightLongtermSlope.
    fn raise_inflight_longterm_slope(&mut self) {
        let growth = self.window >> self.probe.up_rounds;
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(UP_ROUNDS_MAX);
        self.probe.acked_per_increase = growth.max(self.setup.mss);
    }

    /// ProbeInflightLongtermUpward: by 1, 2, 4, 8, … segments a round.
    fn probe_inflight_longterm_upward(&mut self, rs: &Rs) {
        if !rs.is_cwnd_limited || self.window < self.inflight_longterm {
            return;
        }
        self.probe.up_acked += rs.newly_acked;
        let steps = self.probe.up_acked / self.probe.acked_per_increase;
        self.probe.up_acked -= steps * self.probe.acked_per_increase;
        self.inflight_longterm += steps * self.setup.mss;
        if self.rounds.begins {
            self.raise_inflight_longterm_slope();
        }
    }

    /// AdaptLongTermModel. True if the state has changed.
    fn adapt_long_term_model(&mut self, rs: &Rs) -> bool {
        if self.probe.ack_phase == AckPhase::Starting && self.rounds.begins {
            self.probe.ack_phase = AckPhase::Feedback;
        }
        if self.probe.ack_phase == AckPhase::Stopping && self.rounds.begins && self.end_feedback(rs)
        {
            return true;
        }
        let is_safe = !self.is_inflight_too_high(rs.lost, rs.tx_in_flight);
        if is_safe && self.inflight_longterm != INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(rs.tx_in_flight);
            if self.state == Bbr3State::ProbeBwUp {
                self.probe_inflight_longterm_upward(rs);
            }
        }
        false
    }

    /// All that left in a probe has been told of. True if the next begins at once: the last was
    /// broken off at the bound of the one before, and nothing was lost by it.
    fn end_feedback(&mut self, rs: &Rs) -> bool {
        self.probe.is_sampled = false;
        self.probe.ack_phase = AckPhase::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if !rs.is_app_limited {
            self.advance_max_bw_filter();
        }
        let goes_on = self.probe.was_precautionary && !self.probe.was_too_high;
        if goes_on {
            self.start_probe_bw_refill();
        }
        goes_on
    }
}
