//! BBR, version 3, by draft-ietf-ccwg-bbr as its working group had it after -05 (its repository at
//! commit 007dbe1). Files, functions and sections (§) are the draft's, names too, in its units:
//! bytes, and bytes per second.
//!
//! Like version 1 it models the path by the most it has delivered per time and the least round
//! trip, and paces by that. What is new is what it makes of losses: a bound on what may be in
//! flight for as long as it asks for bandwidth (`inflight_longterm`), and others on rate and
//! volume until it asks again (`bw_shortterm`, `inflight_shortterm`).
//!
//! Where the draft leaves something open: it says of ECN that marks must be taken for congestion,
//! but not how (§3.6); a mark counts here as a loss in its round. What is lost before a segment may
//! be more than the threshold allows (§5.5.10.2); none of it then is below the threshold. The table
//! in §5.6.1 bounds Drain, the code in §5.6.4.7 does not, and is followed.

use units::{Duration, Time};

use super::chance::CongestionRandom;
use super::windowed_max::WindowedMax;
use super::{
    Acked, CongestionControl, ConnectionStart, Loss, LostSegment, RateSample, Restart, Setup,
};
use crate::tcp_info::CaState;

mod control;
mod losses;
mod path;
mod probe_bw;
mod probe_rtt;
mod startup;
#[cfg(test)]
mod tests;

use losses::{LatestDelivery, Saved};
use path::{ExtraAcked, MinRtt, Rounds};
use probe_bw::BandwidthProbe;
use probe_rtt::ProbeRtt;
use startup::FullBandwidth;

/// No bound: nothing was measured yet.
const INFINITY: u64 = u64::MAX;

/// BBR.MinPipeCwnd, in segments (§2.8).
const MIN_PIPE_SEGMENTS: u64 = 4;
/// BBR.LossThresh, BBR.Beta and BBR.Headroom, in percent (§2.8).
const LOSS_THRESH: u64 = 2;
const BETA: u64 = 70;
const HEADROOM: u64 = 15;

/// BBR.state (§5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bbr3State {
    /// Doubles the rate each round trip.
    Startup,
    /// Lets the queue run empty that this has made.
    Drain,
    /// Sends less than is delivered, so that others find room.
    ProbeBwDown,
    /// Sends what is delivered.
    ProbeBwCruise,
    /// Forgets the losses of before, and fills the path for a round trip.
    ProbeBwRefill,
    /// Sends more than is delivered.
    ProbeBwUp,
    /// Lets half of the path run empty, to see the least round trip.
    ProbeRtt,
}

impl Bbr3State {
    /// BBR.pacing_gain and BBR.cwnd_gain, in percent (§5.6.1). 4 ln 2 is the least that doubles the
    /// rate in a round trip (§2.5).
    fn gains(self) -> (u64, u64) {
        match self {
            Bbr3State::Startup => (277, 200),
            Bbr3State::Drain => (50, 200),
            Bbr3State::ProbeBwDown => (90, 200),
            Bbr3State::ProbeBwCruise | Bbr3State::ProbeBwRefill => (100, 200),
            Bbr3State::ProbeBwUp => (125, 225),
            Bbr3State::ProbeRtt => (100, 50),
        }
    }

    /// IsInAProbeBWState.
    fn is_probe_bw(self) -> bool {
        !matches!(
            self,
            Bbr3State::Startup | Bbr3State::Drain | Bbr3State::ProbeRtt
        )
    }

    /// IsProbingBW.
    fn is_probing(self) -> bool {
        matches!(
            self,
            Bbr3State::Startup | Bbr3State::ProbeBwRefill | Bbr3State::ProbeBwUp
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Bbr3 {
    setup: Setup,
    has_sack: bool,
    chance: CongestionRandom,
    state: Bbr3State,
    /// C.cwnd, C.pacing_rate, and whether this was begun with a round-trip time.
    window: u64,
    ssthresh: u64,
    pace: u64,
    has_seen_rtt: bool,
    /// Segments delivered since the connection began.
    delivered: u64,
    rounds: Rounds,
    /// BBR.max_bw_filter: the most of the probing cycle before, and of this one.
    max_bw: [u64; 2],
    bw: u64,
    min_rtt: MinRtt,
    aggregation: ExtraAcked,
    full_bw: FullBandwidth,
    drain_start_round: u32,
    bw_shortterm: u64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
    latest: LatestDelivery,
    probe: BandwidthProbe,
    probe_rtt: ProbeRtt,
    idle_restart: bool,
    /// BBR.prior_cwnd, and what recovery was at with the last acknowledgement.
    prior_window: u64,
    prior_state: CaState,
    enters_recovery: bool,
    saved: Saved,
}

/// The rate sample of an acknowledgement, RS, and what the connection knows with it, C (§2.2, §2.3).
#[derive(Clone, Copy, Debug)]
struct Rs {
    now: Time,
    /// The rate, or none where it is not to be relied upon, and what it was told of.
    delivery_rate: u64,
    delivered: u64,
    /// Segments delivered when the newest segment left of those delivered now; `None` if there is
    /// none.
    prior_delivered: Option<u64>,
    is_app_limited: bool,
    /// In flight when that had left, and lost since.
    tx_in_flight: u64,
    lost: u64,
    newly_acked: u64,
    newly_lost: u64,
    rtt: Option<Duration>,
    in_flight: u64,
    is_cwnd_limited: bool,
    recovery: CaState,
}

impl Rs {
    fn new(sample: &RateSample, mss: u64) -> Rs {
        let delivery = sample.delivery.as_ref();
        let interval = delivery.and_then(|each| each.interval);
        let delivered = delivery.map_or(0, |each| each.delivered * mss);
        Rs {
            now: sample.now,
            delivery_rate: interval.map_or(0, |interval| per_second(delivered, interval)),
            delivered,
            prior_delivered: delivery.map(|each| each.prior_delivered),
            is_app_limited: delivery.is_some_and(|each| each.app_limited),
            tx_in_flight: delivery.map_or(0, |each| u64::from(each.in_flight) * mss),
            lost: delivery.map_or(0, |each| each.lost * mss),
            newly_acked: u64::from(sample.newly_delivered) * mss,
            newly_lost: u64::from(sample.newly_lost) * mss,
            rtt: sample.rtt,
            in_flight: u64::from(sample.in_flight) * mss,
            is_cwnd_limited: sample.is_limited,
            recovery: sample.state,
        }
    }
}

/// Bytes in a time, as a rate.
fn per_second(bytes: u64, time: Duration) -> u64 {
    let per_second = u128::from(bytes) * 1_000_000_000 / u128::from(time.as_nanos().max(1));
    u64::try_from(per_second).unwrap_or(INFINITY)
}

/// Returns what a rate makes in a time, in bytes.
fn in_time(rate: u64, time: Duration) -> u64 {
    let bytes = u128::from(rate) * u128::from(time.as_nanos()) / 1_000_000_000;
    u64::try_from(bytes).unwrap_or(INFINITY)
}

/// A share of a value, which is infinity of infinity.
fn percent(share: u64, value: u64) -> u64 {
    if value == INFINITY {
        return INFINITY;
    }
    (u128::from(value) * u128::from(share) / 100) as u64
}

impl Bbr3 {
    /// OnInit (§5.2.1).
    pub fn new(setup: &Setup) -> Bbr3 {
        Bbr3 {
            setup: *setup,
            has_sack: true,
            chance: CongestionRandom::default(),
            state: Bbr3State::Startup,
            window: setup.initial_window,
            ssthresh: u64::MAX,
            pace: INFINITY,
            has_seen_rtt: false,
            delivered: 0,
            rounds: Rounds::default(),
            max_bw: [0; 2],
            bw: 0,
            min_rtt: MinRtt::default(),
            aggregation: ExtraAcked::default(),
            full_bw: FullBandwidth::default(),
            drain_start_round: 0,
            bw_shortterm: INFINITY,
            inflight_shortterm: INFINITY,
            inflight_longterm: INFINITY,
            latest: LatestDelivery::default(),
            probe: BandwidthProbe::default(),
            probe_rtt: ProbeRtt::default(),
            idle_restart: false,
            prior_window: 0,
            prior_state: CaState::Open,
            enters_recovery: false,
            saved: Saved::default(),
        }
    }

    /// UpdateModelAndState (§5.2.3). True if what is delivered next tells nothing of the path.
    fn update_model_and_state(&mut self, rs: &Rs) -> bool {
        self.update_latest_delivery_signals(rs);
        self.update_congestion_signals(rs);
        self.update_ack_aggregation(rs);
        self.check_full_bw_reached(rs);
        self.check_startup_done(rs);
        self.check_drain_done(rs);
        self.update_probe_bw_cycle_phase(rs);
        self.update_min_rtt(rs);
        let is_vain = self.check_probe_rtt(rs);
        self.advance_latest_delivery_signals(rs);
        self.bound_bw_for_model();
        is_vain
    }
}

impl CongestionControl for Bbr3 {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn begin(&mut self, beginning: &ConnectionStart) {
        self.has_sack = beginning.has_sack;
        self.chance = CongestionRandom(beginning.chance);
        self.min_rtt.begin(beginning.now, beginning.srtt);
        self.aggregation.restart(beginning.now);
        self.init_pacing_rate(beginning.srtt);
    }

    /// It goes by [`Self::on_rate`].
    fn on_ack(&mut self, _acked: &Acked) {}

    /// UpdateOnACK (§5.2.3).
    fn on_rate(&mut self, sample: &RateSample) -> bool {
        let rs = Rs::new(sample, self.setup.mss);
        self.delivered = sample.delivered;
        self.follow_recovery(sample.state);
        let is_vain = self.update_model_and_state(&rs);
        self.set_pacing_rate(sample.srtt);
        self.set_cwnd(&rs);
        is_vain
    }

    fn on_lost(&mut self, now: Time, delivered: u64, segment: &LostSegment) {
        self.delivered = delivered;
        self.handle_lost_packet(now, segment);
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pace)
    }

    /// OnEnterFastRecovery (§5.6.4.4).
    fn on_loss(&mut self, _loss: &Loss) {
        self.save_state_upon_loss();
        self.enters_recovery = true;
    }

    /// OnEnterRTO (§5.6.4.4); the connection sets the window.
    fn on_timeout(&mut self, _loss: &Loss, _again: bool) {
        self.save_state_upon_loss();
        self.prior_state = CaState::Loss;
    }

    fn on_undo(&mut self) {
        self.handle_spurious_loss_detection();
    }

    fn on_recovered(&mut self, _burst_limit: u64) {}

    fn on_idle(&mut self) {}

    fn on_restart(&mut self, restart: &Restart) {
        if restart.app_limited {
            self.handle_restart_from_idle(restart.now);
        }
    }

    fn set(&mut self, window: u64, ssthresh: u64) {
        (self.window, self.ssthresh) = (window, ssthresh);
    }
}
