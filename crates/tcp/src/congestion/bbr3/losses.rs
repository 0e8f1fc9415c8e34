//! Losses as evidence of the path (§5.5.10): where they begin in a probe, and how much less is
//! delivered outside of one; and what is restored if nothing was lost after all (§5.5.11).

use units::Time;

use super::{BETA, Bbr3, Bbr3State, INFINITY, LOSS_THRESH, LostSegment, Rs, percent};

/// Delivery and losses of the last round trip (§2.10, §2.14).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LatestDelivery {
    /// BBR.bw_latest, BBR.inflight_latest.
    rate: u64,
    pub in_flight: u64,
    /// BBR.loss_round_delivered, in segments, and BBR.loss_round_start.
    round_ends_at: u64,
    pub begins_round: bool,
    /// BBR.is_loss_in_round.
    has_lost: bool,
    /// In how many places of the stream, in this round of Startup.
    pub gaps: u32,
}

/// State before losses were inferred (§2.15).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Saved {
    /// BBR.undo_state: what the losses have ended.
    pub state: Option<Bbr3State>,
    bw_shortterm: u64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
}

impl Bbr3 {
    /// IsInflightTooHigh (§5.5.10.2): of what was in flight, more than a fiftieth is lost.
    pub(super) fn is_inflight_too_high(&self, lost: u64, in_flight: u64) -> bool {
        lost > percent(LOSS_THRESH, in_flight) || (lost > 0 && !self.has_sack)
    }

    /// NoteLoss.
    pub(super) fn note_loss(&mut self) {
        if !self.latest.has_lost {
            self.latest.round_ends_at = self.delivered;
            self.save_state_upon_loss();
        }
        self.latest.has_lost = true;
    }

    /// HandleLostPacket.
    pub(super) fn handle_lost_packet(&mut self, now: Time, segment: &LostSegment) {
        self.note_loss();
        self.latest.gaps += u32::from(segment.begins_gap);
        if !self.probe.is_sampled {
            return;
        }
        let in_flight = u64::from(segment.in_flight) * self.setup.mss;
        let lost = segment.lost * self.setup.mss;
        if self.is_inflight_too_high(lost, in_flight) {
            let in_flight = self.inflight_at_loss(lost, in_flight);
            self.handle_inflight_too_high(now, in_flight, segment.app_limited);
        }
    }

    /// InflightAtLoss: what was in flight where the losses crossed the threshold.
    fn inflight_at_loss(&self, lost: u64, in_flight: u64) -> u64 {
        let before = in_flight.saturating_sub(self.setup.mss);
        let lost_before = lost.saturating_sub(self.setup.mss);
        let room = percent(LOSS_THRESH, before).saturating_sub(lost_before);
        before + room * 100 / (100 - LOSS_THRESH)
    }

    /// HandleInflightTooHigh.
    fn handle_inflight_too_high(&mut self, now: Time, in_flight: u64, is_app_limited: bool) {
        self.probe.was_too_high = true;
        self.probe.is_sampled = false;
        if !is_app_limited {
            self.inflight_longterm = in_flight.max(percent(BETA, self.target_inflight()));
        }
        if self.state == Bbr3State::ProbeBwUp {
            self.saved.state = Some(Bbr3State::ProbeBwUp);
            self.start_probe_bw_down(now);
        }
    }

    /// UpdateLatestDeliverySignals (§5.5.10.3).
    pub(super) fn update_latest_delivery_signals(&mut self, rs: &Rs) {
        let latest = &mut self.latest;
        latest.rate = latest.rate.max(rs.delivery_rate);
        latest.in_flight = latest.in_flight.max(rs.delivered);
        let ends_at = latest.round_ends_at;
        latest.begins_round = rs.prior_delivered.is_some_and(|prior| prior >= ends_at);
        if latest.begins_round {
            latest.round_ends_at = self.delivered;
        }
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance_latest_delivery_signals(&mut self, rs: &Rs) {
        if self.latest.begins_round {
            (self.latest.rate, self.latest.in_flight) = (rs.delivery_rate, rs.delivered);
        }
    }

    /// ResetCongestionSignals.
    pub(super) fn reset_congestion_signals(&mut self) {
        self.latest.has_lost = false;
        (self.latest.rate, self.latest.in_flight) = (0, 0);
    }

    /// UpdateCongestionSignals.
    pub(super) fn update_congestion_signals(&mut self, rs: &Rs) {
        self.update_max_bw(rs);
        if self.latest.begins_round {
            if self.latest.has_lost && !self.state.is_probing() {
                self.adapt_lower_bounds();
            }
            self.latest.has_lost = false;
        }
    }

    /// AdaptLowerBoundsFromCongestion: to what was delivered in the round, but not below 0.7 times
    /// what the bound was.
    fn adapt_lower_bounds(&mut self) {
        if self.bw_shortterm == INFINITY {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm == INFINITY {
            self.inflight_shortterm = self.window;
        }
        let latest = self.latest;
        self.bw_shortterm = latest.rate.max(percent(BETA, self.bw_shortterm));
        self.inflight_shortterm = latest.in_flight.max(percent(BETA, self.inflight_shortterm));
    }

    /// ResetShortTermModel.
    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (INFINITY, INFINITY);
    }

    /// BoundBWForModel.
    pub(super) fn bound_bw_for_model(&mut self) {
        self.bw = self.max_bw().min(self.bw_shortterm);
    }

    /// SaveStateUponLoss (§5.5.11.1).
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.saved = Saved {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// HandleSpuriousLossDetection (§5.5.11.2).
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.restore_cwnd();
        self.latest.has_lost = false;
        self.full_bw.reset(0);
        let saved = self.saved;
        self.bw_shortterm = self.bw_shortterm.max(saved.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(saved.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(saved.inflight_longterm);
        let is_held = self.state == Bbr3State::ProbeRtt;
        match saved.state {
            Some(Bbr3State::Startup) if self.state != Bbr3State::Startup => {
                self.full_bw.reached = false;
                if !is_held {
                    self.enter_startup();
                }
            }
            Some(Bbr3State::ProbeBwUp) if self.state != Bbr3State::ProbeBwUp && !is_held => {
                self.start_probe_bw_refill();
            }
            _ => {}
        }
        self.saved.state = None;
    }
}
