//! ProbeRTT (§5.3.4): when the least round trip has not been seen for ten seconds, half of what the
//! path holds is in flight for 200 ms and a round trip; and what follows an idle time (§5.4).

use units::{Duration, Time};

use super::probe_bw::AckPhase;
use super::{Bbr3, Bbr3State, MIN_PIPE_SEGMENTS, Rs};

/// BBR.MinRTTFilterLen, which is BBR.ProbeRTTInterval, too; drafts to -05 had 5 s for the latter.
const LEAST_RTT_FOR: Duration = Duration::from_secs(10);
/// BBR.ProbeRTTDuration.
const PROBE_FOR: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// BBR.probe_rtt_cwnd.
    pub window: u64,
    done_at: Option<Time>,
    round_done: bool,
    is_due: bool,
}

impl Bbr3 {
    /// UpdateMinRTT (§5.3.4.3).
    pub(super) fn update_min_rtt(&mut self, rs: &Rs) {
        let is_expired = rs.now > self.min_rtt.since + LEAST_RTT_FOR;
        self.probe_rtt.is_due = is_expired && self.state != Bbr3State::ProbeRtt;
        if self.probe_rtt.is_due {
            self.save_probe_rtt_cwnd();
        }
        if let Some(rtt) = rs.rtt
            && (self.min_rtt.value.is_none_or(|least| rtt < least) || is_expired)
        {
            self.min_rtt.value = Some(rtt);
            self.min_rtt.since = rs.now;
        }
    }

    /// SaveProbeRTTCwnd (§5.6.4.5), before a round trip with a queue in it takes the place of the
    /// least.
    fn save_probe_rtt_cwnd(&mut self) {
        let (_, gain) = Bbr3State::ProbeRtt.gains();
        let least = MIN_PIPE_SEGMENTS * self.setup.mss;
        self.probe_rtt.window = self.bdp_multiple(self.bw, gain).max(least);
    }

    /// CheckProbeRTT. True if what is delivered next tells nothing of the path.
    pub(super) fn check_probe_rtt(&mut self, rs: &Rs) -> bool {
        if self.probe_rtt.is_due && !self.idle_restart {
            self.save_cwnd();
            self.state = Bbr3State::ProbeRtt;
            self.probe_rtt.done_at = None;
            self.probe.ack_phase = AckPhase::Stopping;
            self.start_round();
        }
        let is_probing = self.state == Bbr3State::ProbeRtt;
        if is_probing {
            self.handle_probe_rtt(rs);
        }
        if rs.delivered > 0 {
            self.idle_restart = false;
        }
        is_probing
    }

    /// HandleProbeRTT.
    fn handle_probe_rtt(&mut self, rs: &Rs) {
        if self.probe_rtt.done_at.is_some() {
            self.probe_rtt.round_done |= self.rounds.begins;
            if self.probe_rtt.round_done {
                self.check_probe_rtt_done(rs.now);
            }
        } else if rs.in_flight <= self.probe_rtt.window {
            self.probe_rtt.done_at = Some(rs.now + PROBE_FOR);
            self.probe_rtt.round_done = false;
            self.start_round();
        }
    }

    /// CheckProbeRTTDone.
    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt.done_at.is_some_and(|done_at| now > done_at) {
            self.min_rtt.since = now;
            self.restore_cwnd();
            self.exit_probe_rtt(now);
        }
    }

    /// ExitProbeRTT (§5.3.4.4).
    fn exit_probe_rtt(&mut self, now: Time) {
        self.reset_short_term_model();
        if self.full_bw.reached {
            self.start_probe_bw_down(now);
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// HandleRestartFromIdle (§5.4.1).
    pub(super) fn handle_restart_from_idle(&mut self, now: Time) {
        self.idle_restart = true;
        self.aggregation.restart(now);
        if self.state.is_probe_bw() {
            self.set_pacing_rate_with_gain(100);
        } else if self.state == Bbr3State::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }
}
