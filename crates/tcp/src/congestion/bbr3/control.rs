//! Control that follows from the model (§5.6): the rate at which segments leave, how many at once,
//! and how much may be in flight.

use units::Duration;

use super::{Bbr3, Bbr3State, INFINITY, MIN_PIPE_SEGMENTS, Rs, in_time, per_second, percent};
use crate::tcp_info::CaState;

/// BBR.PacingMarginPercent.
const MARGIN: u64 = 1;
/// Quantum that leaves at once: a millisecond's worth, at most 64 KB, at least two segments
/// (§5.6.3).
const QUANTUM_TIME: Duration = Duration::from_millis(1);
const QUANTUM_MAX: u64 = 64_000;
const QUANTUM_MIN_SEGMENTS: u64 = 2;
/// As many of them are in the hands of the two hosts (§5.5.8.1).
const QUANTA: u64 = 3;

impl Bbr3 {
    /// InitPacingRate (§5.6.2): the initial window in a round trip, or in a millisecond.
    pub(super) fn init_pacing_rate(&mut self, srtt: Option<Duration>) {
        self.has_seen_rtt = srtt.is_some();
        let nominal = per_second(
            self.setup.initial_window,
            srtt.unwrap_or(Duration::from_millis(1)),
        );
        let (gain, _) = Bbr3State::Startup.gains();
        self.pace = percent(gain, nominal);
    }

    /// SetPacingRate.
    pub(super) fn set_pacing_rate(&mut self, srtt: Option<Duration>) {
        if !self.has_seen_rtt && srtt.is_some() {
            self.init_pacing_rate(srtt);
        }
        self.set_pacing_rate_with_gain(self.state.gains().0);
    }

    /// SetPacingRateWithGain.
    pub(super) fn set_pacing_rate_with_gain(&mut self, gain: u64) {
        let rate = percent(100 - MARGIN, percent(gain, self.bw));
        if self.full_bw.reached || rate > self.pace {
            self.pace = rate;
        }
    }

    /// C.send_quantum (§5.6.3).
    fn send_quantum(&self) -> u64 {
        let most = in_time(self.pace, QUANTUM_TIME).min(QUANTUM_MAX);
        most.max(QUANTUM_MIN_SEGMENTS * self.setup.mss)
    }

    /// BDPMultiple (§5.6.4.2).
    pub(super) fn bdp_multiple(&self, bw: u64, gain: u64) -> u64 {
        match self.min_rtt.value {
            Some(least) => percent(gain, in_time(bw, least)),
            None => self.setup.initial_window,
        }
    }

    /// QuantizationBudget.
    fn quantization_budget(&self, inflight_cap: u64) -> u64 {
        let mss = self.setup.mss;
        let least = (QUANTA * self.send_quantum()).max(MIN_PIPE_SEGMENTS * mss);
        let more = if self.state == Bbr3State::ProbeBwUp {
            2 * mss
        } else {
            0
        };
        inflight_cap.max(least) + more
    }

    /// Inflight.
    pub(super) fn inflight(&self, bw: u64, gain: u64) -> u64 {
        self.quantization_budget(self.bdp_multiple(bw, gain))
    }

    /// UpdateMaxInflight.
    fn max_inflight(&self) -> u64 {
        let (_, gain) = self.state.gains();
        let extra = self.aggregation.extra_acked();
        self.quantization_budget(self.bdp_multiple(self.bw, gain) + extra)
    }

    /// Restores the window when a recovery is over (§5.6.4.4). One that begins for a
    /// mark (§3.6), or for a loss that a probe of the tail has mended, has no segment to tell of.
    pub(super) fn follow_recovery(&mut self, state: CaState) {
        if self.prior_state >= CaState::Recovery && state < CaState::Recovery {
            self.restore_cwnd();
        }
        if std::mem::take(&mut self.enters_recovery) {
            self.note_loss();
        }
        self.prior_state = state;
    }

    /// SaveCwnd.
    pub(super) fn save_cwnd(&mut self) {
        let is_cut = self.prior_state >= CaState::Recovery || self.state == Bbr3State::ProbeRtt;
        let least = if is_cut { self.prior_window } else { 0 };
        self.prior_window = self.window.max(least);
    }

    /// RestoreCwnd.
    pub(super) fn restore_cwnd(&mut self) {
        self.window = self.window.max(self.prior_window);
    }

    /// SetCwnd (§5.6.4.6).
    pub(super) fn set_cwnd(&mut self, rs: &Rs) {
        let max_inflight = self.max_inflight();
        let is_new = self.delivered * self.setup.mss < self.setup.initial_window;
        if self.full_bw.reached {
            self.window = (self.window + rs.newly_acked).min(max_inflight);
        } else if self.window < max_inflight || is_new {
            self.window += rs.newly_acked;
        }
        self.window = self.window.max(MIN_PIPE_SEGMENTS * self.setup.mss);
        if self.state == Bbr3State::ProbeRtt {
            self.window = self.window.min(self.probe_rtt.window);
        }
        self.bound_cwnd_for_model();
    }

    /// BoundCwndForModel (§5.6.4.7).
    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            Bbr3State::Startup | Bbr3State::Drain => INFINITY,
            Bbr3State::ProbeBwCruise | Bbr3State::ProbeRtt => self.inflight_with_headroom(),
            _ => self.inflight_longterm,
        };
        let least = MIN_PIPE_SEGMENTS * self.setup.mss;
        let cap = cap.min(self.inflight_shortterm).max(least);
        self.window = self.window.min(cap);
    }
}
