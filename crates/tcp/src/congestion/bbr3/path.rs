//! The model of the path (§5.5.1 to §5.5.9): rounds, the most that was delivered per time, the
//! least round trip, and what acknowledgements bring at once.

use units::{Duration, Time};

use super::{Bbr3, Rs, WindowedMax, in_time};

/// BBR.ExtraAckedFilterLen, in rounds; until the path was full there is one (§5.5.9).
const AGGREGATION_ROUNDS: u32 = 10;

/// Round trips, counted by what was delivered when their segments left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    pub count: u32,
    /// BBR.next_round_delivered, in segments.
    ends_at: u64,
    /// BBR.round_start.
    pub begins: bool,
}

/// BBR.min_rtt and BBR.min_rtt_stamp.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    pub value: Option<Duration>,
    pub since: Time,
}

impl MinRtt {
    pub fn begin(&mut self, now: Time, srtt: Option<Duration>) {
        (self.value, self.since) = (srtt, now);
    }
}

/// BBR.extra_acked and what it is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtraAcked {
    since: Time,
    delivered: u64,
    extra: WindowedMax,
}

impl Default for ExtraAcked {
    fn default() -> ExtraAcked {
        ExtraAcked {
            since: Time::ZERO,
            delivered: 0,
            extra: WindowedMax::new(1),
        }
    }
}

impl ExtraAcked {
    pub fn restart(&mut self, now: Time) {
        self.since = now;
    }

    pub fn extra_acked(&self) -> u64 {
        self.extra.get()
    }
}

impl Bbr3 {
    /// StartRound.
    pub(super) fn start_round(&mut self) {
        self.rounds.ends_at = self.delivered;
    }

    /// UpdateRound (§5.5.1).
    fn update_round(&mut self, rs: &Rs) {
        let ends_at = self.rounds.ends_at;
        self.rounds.begins = rs.prior_delivered.is_some_and(|prior| prior >= ends_at);
        if self.rounds.begins {
            self.start_round();
            self.rounds.count += 1;
            self.probe.rounds_since_up += 1;
        }
    }

    /// UpdateMaxBw (§5.5.5).
    pub(super) fn update_max_bw(&mut self, rs: &Rs) {
        self.update_round(rs);
        if rs.delivery_rate >= self.max_bw() || !rs.is_app_limited {
            self.max_bw[1] = self.max_bw[1].max(rs.delivery_rate);
        }
    }

    pub(super) fn max_bw(&self) -> u64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// AdvanceMaxBwFilter (§5.5.6): the cycle before is forgotten, once this one has a sample.
    pub(super) fn advance_max_bw_filter(&mut self) {
        if self.max_bw[1] > 0 {
            self.max_bw = [self.max_bw[1], 0];
        }
    }

    /// BBR.bdp, or the initial window where there is no round trip yet.
    pub(super) fn bdp(&self) -> u64 {
        self.bdp_multiple(self.bw, 100)
    }

    /// UpdateACKAggregation (§5.5.9).
    pub(super) fn update_ack_aggregation(&mut self, rs: &Rs) {
        let aggregation = &mut self.aggregation;
        let mut expected = in_time(self.bw, rs.now.saturating_since(aggregation.since));
        if aggregation.delivered <= expected {
            (aggregation.delivered, aggregation.since) = (0, rs.now);
            expected = 0;
        }
        aggregation.delivered += rs.newly_acked;
        let extra = (aggregation.delivered - expected).min(self.window);
        if self.full_bw.reached {
            aggregation.extra.remember_for(AGGREGATION_ROUNDS);
        }
        aggregation.extra.take(self.rounds.count, extra);
    }
}
