//! Mechanisms that the family of a stack decides, each with what sets it.

use units::Duration;

use super::receive_capacity;
use crate::ConnectionOptions;
use crate::congestion::CountingUnit;
use crate::delayed_ack::{AckDelay, AdaptiveDelay};
use crate::profiles::{
    ClassicSender, Family, LinuxKernel, LinuxStack, MtuProbing, MtuProbingUse, Profile,
};
use crate::receive::{BufferSettings, WindowRule};
use crate::recovery::linux::MtuSearchSettings;
use crate::rtt::{RtoEstimator, RtoLimits};
use crate::send::LowWater;

/// The clock of Linux's sender since 3.15 (`tcp_rtt_estimator`).
const MICROSECOND: Duration = Duration::from_micros(1);

pub(super) fn ms(value: u32) -> Duration {
    Duration::from_millis(u64::from(value))
}

/// A tick, which is never nought.
pub(super) fn tick(value: u32) -> Duration {
    ms(value.max(1))
}

/// The room that a writer is woken for: a third of the buffer, as Linux has it (inferred for those
/// that say nothing of it), or BSD's mark.
pub(super) fn low_water(family: &Family) -> LowWater {
    match family {
        Family::Bsd(stack) => LowWater::Bytes(u64::from(stack.send_low_water_bytes)),
        Family::Standard(_) | Family::Linux2(_) | Family::Linux(_) => LowWater::Third,
    }
}

/// When the window's edge moves.
pub(super) fn window_rule(family: &Family) -> WindowRule {
    match family {
        Family::Bsd(stack) => WindowRule::Bsd {
            segments: stack.window_update_segments.max(1),
        },
        Family::Standard(_) | Family::Linux2(_) | Family::Linux(_) => WindowRule::Doubling,
    }
}

/// Whether acknowledgements fall due by the number of arrivals.
pub(super) fn counts_arrivals(family: &Family) -> bool {
    !matches!(family, Family::Bsd(stack) if !stack.counts_arrivals)
}

/// What a segment takes of the send buffer beside its payload, where that is counted.
pub(super) fn segment_memory(family: &Family) -> u64 {
    match family {
        Family::Linux2(stack) => u64::from(stack.segment_memory_bytes),
        Family::Standard(_) | Family::Bsd(_) | Family::Linux(_) => 0,
    }
}

/// Whether a host of the family remembers where slow start may end.
pub(super) fn remembers_ssthresh(family: &Family) -> bool {
    matches!(family, Family::Linux2(stack) if stack.remembers_ssthresh)
}

/// The sender of a stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum SenderKind {
    /// That of the RFCs.
    Classic(ClassicSender),
    /// Linux's, a machine of its own.
    Linux {
        tail_probe: bool,
        hystart: bool,
        jiffy: Duration,
    },
}

impl SenderKind {
    pub fn of(family: &Family) -> SenderKind {
        match family {
            Family::Standard(stack) => SenderKind::Classic(stack.sender),
            Family::Bsd(stack) => SenderKind::Classic(stack.sender),
            Family::Linux2(stack) => SenderKind::Classic(stack.sender),
            Family::Linux(stack) => SenderKind::Linux {
                tail_probe: stack.tail_loss_probe,
                hystart: stack.hystart,
                jiffy: tick(stack.kernel.jiffy_ms),
            },
        }
    }

    pub fn counting(&self) -> CountingUnit {
        match *self {
            SenderKind::Classic(sender) if sender.byte_counting => CountingUnit::Bytes,
            SenderKind::Classic(_) => CountingUnit::Acknowledgements,
            SenderKind::Linux { hystart, jiffy, .. } => CountingUnit::Segments { hystart, jiffy },
        }
    }

    /// Returns whether a loss leaves a share of the window (`tcp_reno_ssthresh`) or of what is in
    /// flight.
    pub fn reduces_window(&self) -> bool {
        match self {
            SenderKind::Classic(sender) => sender.reduces_window,
            SenderKind::Linux { .. } => true,
        }
    }

    /// The most segments one acknowledgement adds in slow start, if there is a limit
    /// (`tcp_slow_start` has none).
    pub fn slow_start_limit(&self) -> Option<u64> {
        match self {
            SenderKind::Classic(sender) => Some(u64::from(sender.slow_start_limit_segments)),
            SenderKind::Linux { .. } => None,
        }
        .filter(|&segments| segments > 0)
    }
}

pub(super) fn rto_limits(p: &Profile) -> RtoLimits {
    let (estimator, timer_tick) = match &p.family {
        Family::Standard(stack) => {
            let granularity = tick(stack.rto_granularity_ms);
            (RtoEstimator::Rfc6298 { granularity }, Duration::ZERO)
        }
        Family::Bsd(stack) => {
            let tick = tick(stack.tick_ms);
            let estimator = RtoEstimator::Bsd {
                tick,
                is_finer: stack.quarter_ticks,
                slop: ms(stack.rto_slop_ms),
            };
            (estimator, tick)
        }
        Family::Linux2(stack) => {
            let jiffy = tick(stack.kernel.jiffy_ms);
            (RtoEstimator::Linux { tick: jiffy, jiffy }, jiffy)
        }
        Family::Linux(stack) => {
            let estimator = RtoEstimator::Linux {
                tick: MICROSECOND,
                jiffy: tick(stack.kernel.jiffy_ms),
            };
            (estimator, ms(stack.timer_tick_ms))
        }
    };
    RtoLimits {
        estimator,
        initial: tick(p.rto_initial_ms),
        min: ms(p.rto_min_ms),
        max: ms(p.rto_max_ms.max(p.rto_min_ms)),
        timer_tick,
        takes_least_apart: matches!(p.family, Family::Linux(_)),
    }
}

pub(super) fn ack_delay(p: &Profile) -> AckDelay {
    let adaptive = |kernel: &LinuxKernel| {
        AckDelay::Adaptive(AdaptiveDelay {
            least: ms(kernel.delayed_ack_min_ms.min(p.delayed_ack_ms)),
            most: ms(p.delayed_ack_ms),
            quick: kernel.quick_acks,
            rto_min: ms(p.rto_min_ms),
            jiffy: tick(kernel.jiffy_ms),
        })
    };
    match &p.family {
        Family::Standard(_) | Family::Bsd(_) => AckDelay::Fixed(ms(p.delayed_ack_ms)),
        Family::Linux2(stack) => adaptive(&stack.kernel),
        Family::Linux(stack) => adaptive(&stack.kernel),
    }
}

/// The buffer that counts memory. Of what the application sets the host uses twice as much, for
/// its own book-keeping (socket(7), SO_RCVBUF).
pub(super) fn buffer(p: &Profile, options: &ConnectionOptions) -> Option<BufferSettings> {
    let Family::Linux(stack) = &p.family else {
        return None;
    };
    let LinuxStack {
        receive_buffer_bytes: usual,
        receive_buffer_max_bytes: most,
        ..
    } = *stack;
    let set = options.receive_window_bytes;
    let first = set.map_or(u64::from(usual), |bytes| 2 * u64::from(bytes));
    Some(BufferSettings {
        first,
        most: u64::from(most).max(first),
        is_set: set.is_some(),
        window: receive_capacity(p.receive_window_bytes, p.window_scaling),
    })
}

/// Returns how the path's MTU is searched for, if ever.
pub(super) fn mtu_search(of: &MtuProbing) -> Option<MtuSearchSettings> {
    (of.mtu_probing != MtuProbingUse::Off).then(|| MtuSearchSettings {
        is_on: of.mtu_probing == MtuProbingUse::On,
        base: of.mtu_probe_base_bytes,
        floor: of.mtu_probe_floor_bytes,
        interval: ms(of.mtu_probe_interval_ms),
        threshold: of.mtu_probe_threshold_bytes,
        retries: of.mtu_probe_retries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::profile;

    #[test]
    fn the_paths_mtu_is_searched_for_unless_that_is_off() {
        let Family::Linux(stack) = profile("linux-6").expect("it is there").family else {
            unreachable!("it is Linux")
        };
        for &mtu_probing in MtuProbingUse::ALL {
            let of = MtuProbing {
                mtu_probing,
                ..stack.mtu_search
            };
            assert_eq!(mtu_search(&of).is_some(), mtu_probing != MtuProbingUse::Off);
        }
    }
}
