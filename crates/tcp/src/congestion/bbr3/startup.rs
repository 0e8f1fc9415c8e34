//! Startup (§5.3.1) and Drain (§5.3.2): the rate is doubled each round trip until the path is full,
//! by a rate that no longer grows or by losses, and the queue drained that this has made.

use super::{Bbr3, Bbr3State, Rs, percent};
use crate::tcp_info::CaState;

/// Growth that a rate must have in a round, in percent of the one before, and the rounds without
/// that after which the path is full (§5.3.1.2).
const GROWTH: u64 = 125;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// BBRStartupFullLossCnt: gaps in a round (§5.3.1.3).
const FULL_LOSS_GAPS: u32 = 6;
/// Rounds after which Drain is over in any case (§5.3.2).
const DRAIN_ROUNDS: u32 = 3;

/// Detection of a rate that no longer grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBandwidth {
    /// BBR.full_bw_reached: it ever was full. BBR.full_bw_now: it is, since this was asked.
    pub reached: bool,
    pub now: bool,
    pub rate: u64,
    count: u32,
}

impl FullBandwidth {
    /// ResetFullBW, with a rate to begin from.
    pub fn reset(&mut self, rate: u64) {
        (self.rate, self.count, self.now) = (rate, 0, false);
    }
}

impl Bbr3 {
    /// EnterStartup.
    pub(super) fn enter_startup(&mut self) {
        self.state = Bbr3State::Startup;
    }

    /// CheckFullBWReached (§5.3.1.2).
    pub(super) fn check_full_bw_reached(&mut self, rs: &Rs) {
        if self.full_bw.now || !self.rounds.begins || rs.is_app_limited {
            return;
        }
        if rs.delivery_rate >= percent(GROWTH, self.full_bw.rate) {
            self.full_bw.reset(rs.delivery_rate);
            return;
        }
        self.full_bw.count += 1;
        self.full_bw.now = self.full_bw.count >= ROUNDS_WITHOUT_GROWTH;
        self.full_bw.reached |= self.full_bw.now;
    }

    /// CheckStartupDone (§5.3.1.1).
    pub(super) fn check_startup_done(&mut self, rs: &Rs) {
        if self.state != Bbr3State::Startup {
            return;
        }
        if self.is_startup_loss_high(rs) {
            self.saved.state = Some(Bbr3State::Startup);
            self.full_bw.reached = true;
            self.inflight_longterm = self.bdp().max(self.latest.in_flight);
        }
        if self.full_bw.reached {
            self.enter_drain();
        }
    }

    /// CheckStartupHighLoss (§5.3.1.3): a round in recovery with more losses than are tolerated, in
    /// several places, or any loss where no more than one can be told in a round trip.
    fn is_startup_loss_high(&mut self, rs: &Rs) -> bool {
        let recovers = rs.recovery == CaState::Recovery;
        if !self.has_sack {
            return recovers && rs.newly_lost > 0;
        }
        if !self.latest.begins_round {
            return false;
        }
        let gaps = std::mem::take(&mut self.latest.gaps);
        recovers && gaps >= FULL_LOSS_GAPS && self.is_inflight_too_high(rs.lost, rs.tx_in_flight)
    }

    /// EnterDrain (§5.3.2).
    fn enter_drain(&mut self) {
        self.state = Bbr3State::Drain;
        self.drain_start_round = self.rounds.count;
    }

    /// CheckDrainDone (§5.3.2).
    pub(super) fn check_drain_done(&mut self, rs: &Rs) {
        let is_drained = rs.in_flight <= self.inflight(self.bw, 100);
        let takes_long = self.rounds.count > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == Bbr3State::Drain && (is_drained || takes_long) {
            self.start_probe_bw_down(rs.now);
        }
    }
}
