//! A profile and a connection's options turned into what the machine works with.

use units::Duration;

use crate::EcnUse;
use crate::InitialWindow;
use crate::congestion::{CongestionAlgorithm, Controller, Setup};
use crate::delayed_ack::AckDelay;
use crate::profiles::{ClassicSender, Family, Profile};
use crate::receive::{BufferSettings, ReceiverSettings, WindowRule};
use crate::recovery::linux::MtuSearchSettings;
use crate::recovery::{Recovery, RecoveryAlgorithm, RecoverySettings, linux};
use crate::rtt::RtoLimits;
use crate::segment::{MIN_MSS, TIMESTAMP_BYTES};
use crate::send::{LowWater, Nagle};
use family::{
    SenderKind, ack_delay, buffer, counts_arrivals, low_water, ms, mtu_search, remembers_ssthresh,
    rto_limits, segment_memory, tick, window_rule,
};

mod family;

/// Options that an application may set on its own connection, as by socket options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionOptions {
    /// Turns Nagle's algorithm off (TCP_NODELAY).
    pub no_delay: bool,
    /// Lowers the segment size, as a smaller MTU on the way out would.
    pub mss_limit_bytes: Option<u32>,
    /// The least MSS that is taken from a peer, instead of the stack's own.
    pub least_mss_bytes: Option<u32>,
    /// The receive buffer instead of the profile's (SO_RCVBUF).
    pub receive_window_bytes: Option<u32>,
    /// The send buffer instead of the profile's (SO_SNDBUF).
    pub send_buffer_bytes: Option<u32>,
    /// Probes a silent peer (SO_KEEPALIVE), as the profile times it.
    pub keep_alive: bool,
    /// The queue below that tells what leaves it, if there is one ([`Connection::note_left`]).
    ///
    /// [`Connection::note_left`]: crate::Connection::note_left
    pub queue_below: Option<QueueBelow>,
}

/// A queue below a connection that tells what leaves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueBelow {
    /// The pacing shift that it sets (`sk_pacing_shift_update`), instead of the stack's.
    pub pacing_shift: Option<u32>,
}

/// The largest shift RFC 7323 §2.3 allows.
pub(crate) const MAX_SHIFT: u8 = 14;
/// The MSS to assume of a peer that names none (RFC 9293 §3.7.1).
pub(crate) const DEFAULT_MSS: u32 = 536;

/// Times at which a silent peer is probed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepAlive {
    pub idle: Duration,
    pub interval: Duration,
    pub probes: u32,
}

/// Spacing of segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    pub is_on: bool,
    /// True if a queue below does it.
    pub is_below: bool,
    /// The most bytes per second.
    pub most: u64,
    /// Part of a second, 2 to the power of minus this, that a piece and what waits below may take.
    pub shift: u32,
    /// The most memory that may wait below where nothing is paced.
    pub output_limit: u64,
    /// True if a queue below tells what leaves it.
    pub is_told: bool,
}

/// Most that a pacing rate may be shifted by.
const MOST_SHIFT: u32 = 63;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpConfig {
    /// The MSS announced.
    pub mss: u32,
    /// The least that is taken from a peer.
    least_mss: u32,
    pub receive_capacity: u64,
    buffer: Option<BufferSettings>,
    window_rule: WindowRule,
    /// The send buffer: bytes, or memory where a segment takes more than its payload.
    pub send_capacity: u64,
    pub segment_memory: u64,
    pub low_water: LowWater,
    /// SO_SNDBUF, where it limits memory.
    pub memory_limit: Option<u32>,
    pub window_shift: Option<u8>,
    pub timestamps: bool,
    pub timestamp_tick: Duration,
    pub sack: bool,
    pub nagle: Nagle,
    /// Rule where the application has not turned it off.
    pub nagle_rule: Nagle,
    pub probes_with_data: bool,
    pub rto: RtoLimits,
    pub invalid_answer_interval: Duration,
    pub resets_acknowledge: bool,
    pub rto_after_syn_loss: Duration,
    pub ack_delay: AckDelay,
    pub delayed_ack_segments: u32,
    /// Whether so many segments are acknowledged as they arrive, before they are read, or as they
    /// are read.
    pub counts_arrivals: bool,
    /// Whether an acknowledgement that an arrival asks for leaves before the application reads.
    pub acknowledges_unread: bool,
    /// How long acknowledgements for one gap are gathered at most; nought where they are not.
    pub compressed_ack: Duration,
    pub persist_max: Duration,
    pub time_wait: Duration,
    pub syn_retries: u32,
    pub syn_ack_retries: u32,
    pub syn_linear_timeouts: u32,
    pub data_retries: u32,
    pub restart_after_idle: bool,
    pub pacing: Pacing,
    pub remembers_ssthresh: bool,
    /// Where slow start ends at first, in bytes.
    pub first_ssthresh: u64,
    pub rtt_of_every_segment: bool,
    pub dsack: bool,
    pub ecn: EcnUse,
    pub fin_wait2: Option<Duration>,
    pub keep_alive: Option<KeepAlive>,
    /// Time that data may stay unacknowledged, if the application says so (RFC 5482).
    pub user_timeout: Option<Duration>,
    /// Search for the path's MTU, in a stack that does so.
    pub mtu_search: Option<MtuSearchSettings>,
    /// True if an idle window that falls decays by halves (RFC 2861), and not at once.
    pub decays_when_idle: bool,
    sender: SenderKind,
    reordering_max: u32,
    frto: bool,
    pub offload_segments: u64,
    congestion: CongestionAlgorithm,
    initial_window: InitialWindow,
    congestion_window_max: Option<u64>,
    duplicate_ack_threshold: u32,
}

impl TcpConfig {
    pub fn new(profile: &Profile, options: &ConnectionOptions) -> TcpConfig {
        let p = profile;
        let receive = options
            .receive_window_bytes
            .unwrap_or(p.receive_window_bytes)
            .max(1);
        let mss_limit = options.mss_limit_bytes.unwrap_or(u32::MAX);
        let is_linux_of_any_age = matches!(p.family, Family::Linux2(_) | Family::Linux(_));
        let own_least = match p.family {
            Family::Linux(_) => MIN_MSS,
            _ => 1,
        };
        let mut config = TcpConfig {
            least_mss: options.least_mss_bytes.unwrap_or(own_least),
            mss: p
                .mss_bytes
                .min(mss_limit)
                .clamp(TIMESTAMP_BYTES + 1, 65_535),
            receive_capacity: receive_capacity(receive, p.window_scaling),
            buffer: buffer(p, options),
            window_rule: window_rule(&p.family),
            low_water: low_water(&p.family),
            send_capacity: u64::from(options.send_buffer_bytes.unwrap_or(p.send_buffer_bytes)),
            segment_memory: segment_memory(&p.family),
            memory_limit: options
                .send_buffer_bytes
                .filter(|_| matches!(p.family, Family::Linux(_))),
            window_shift: p
                .window_scaling
                .then(|| window_shift(receive).max(usable_shift(p.window_shift_min, receive))),
            timestamps: p.timestamps,
            timestamp_tick: tick(p.timestamp_tick_ms),
            sack: p.sack,
            nagle: if options.no_delay {
                Nagle::Off
            } else {
                p.nagle
            },
            nagle_rule: p.nagle,
            probes_with_data: p.probes_with_data,
            rto: rto_limits(p),
            invalid_answer_interval: ms(p.invalid_answer_interval_ms),
            resets_acknowledge: p.resets_acknowledge,
            rto_after_syn_loss: ms(p.rto_after_syn_loss_ms),
            ack_delay: ack_delay(p),
            delayed_ack_segments: p.delayed_ack_segments.max(1),
            counts_arrivals: counts_arrivals(&p.family),
            acknowledges_unread: matches!(p.family, Family::Bsd(_)),
            compressed_ack: Duration::ZERO,
            persist_max: tick(p.persist_max_ms),
            time_wait: ms(p.time_wait_ms),
            syn_retries: p.syn_retries,
            syn_ack_retries: p.syn_ack_retries,
            syn_linear_timeouts: p.syn_linear_timeouts,
            data_retries: p.data_retries,
            restart_after_idle: p.restart_after_idle,
            pacing: Pacing {
                is_on: p.pacing,
                is_below: false,
                most: u64::MAX,
                shift: 0,
                output_limit: u64::MAX,
                is_told: false,
            },
            remembers_ssthresh: remembers_ssthresh(&p.family),
            first_ssthresh: u64::MAX,
            rtt_of_every_segment: is_linux_of_any_age,
            dsack: p.dsack && p.sack,
            ecn: p.ecn,
            fin_wait2: (p.fin_wait2_ms > 0).then(|| ms(p.fin_wait2_ms)),
            keep_alive: options.keep_alive.then(|| KeepAlive {
                idle: tick(p.keep_alive_idle_ms),
                interval: tick(p.keep_alive_interval_ms),
                probes: p.keep_alive_probes,
            }),
            user_timeout: None,
            mtu_search: None,
            decays_when_idle: is_linux_of_any_age,
            sender: SenderKind::of(&p.family),
            reordering_max: p.reordering_max,
            frto: p.frto,
            offload_segments: 1,
            congestion: p.congestion_control,
            initial_window: p.initial_window,
            congestion_window_max: (p.congestion_window_max_segments > 0)
                .then(|| p.congestion_window_max_segments.into()),
            duplicate_ack_threshold: p.duplicate_ack_threshold.max(1),
        };
        if let Family::Linux(stack) = &p.family {
            config.compressed_ack = Duration::from_micros(u64::from(stack.compressed_ack_us));
            config.offload_segments = u64::from(stack.offload_segments.max(1));
            config.mtu_search = mtu_search(&stack.mtu_search);
            let set_below = options.queue_below.and_then(|below| below.pacing_shift);
            let pacing = &mut config.pacing;
            pacing.shift = set_below.unwrap_or(stack.pacing_shift).min(MOST_SHIFT);
            pacing.output_limit = stack.output_limit_bytes.into();
            pacing.is_told = options.queue_below.is_some();
        }
        config.rtt_of_every_segment |= config.controller(config.mss, false).times_every_segment()
            || config.recovery(config.mss, false).is_vegas();
        config
    }

    /// Returns whether the stack is today's Linux, whose sender is a machine of its own.
    #[inline]
    pub fn is_linux(&self) -> bool {
        matches!(self.sender, SenderKind::Linux { .. })
    }

    pub fn receiver(&self) -> ReceiverSettings {
        ReceiverSettings {
            capacity: self.receive_capacity,
            buffer: self.buffer,
            rule: self.window_rule,
            reports_duplicates: self.dsack,
        }
    }

    /// The MSS that is taken from a peer who names `mss`.
    pub fn peer_mss(&self, mss: u32) -> u32 {
        mss.max(self.least_mss)
    }

    /// SMSS: what fits a segment beside the timestamps, if they are on.
    pub fn payload_limit(&self, peer_mss: u32, timestamps: bool) -> u32 {
        self.payload_on_path(self.peer_mss(peer_mss), timestamps)
    }

    /// The same of a path that takes segments of `limit` bytes.
    pub fn payload_on_path(&self, limit: u32, timestamps: bool) -> u32 {
        let mss = self.mss.min(limit);
        if timestamps {
            mss.max(TIMESTAMP_BYTES + 1) - TIMESTAMP_BYTES
        } else {
            mss
        }
    }

    /// The controller of a connection with segments of `mss` bytes. RFC 5681 §3.1 wants the
    /// window of a connection whose SYN was lost to start at one segment.
    pub fn controller(&self, mss: u32, syn_lost: bool) -> Controller {
        let initial = if syn_lost {
            InitialWindow::Segments(1)
        } else {
            self.initial_window
        };
        let mut controller = Controller::new(self.congestion, &self.setup(mss, initial.bytes(mss)));
        if self.first_ssthresh < u64::MAX {
            controller.set(controller.window(), self.first_ssthresh);
        }
        controller
    }

    fn setup(&self, mss: u32, initial_window: u64) -> Setup {
        Setup {
            mss: u64::from(mss),
            initial_window,
            window_max: match self.congestion_window_max {
                Some(segments) => segments * u64::from(mss),
                None => u64::MAX,
            },
            counting: self.sender.counting(),
            reduces_window: self.sender.reduces_window(),
            slow_start_limit: match self.sender.slow_start_limit() {
                Some(segments) => segments * u64::from(mss),
                None => u64::MAX,
            },
        }
    }

    /// The congestion control.
    pub fn algorithm(&self) -> CongestionAlgorithm {
        self.congestion
    }

    /// Another controller, which begins with `window` bytes.
    pub fn other_controller(
        &mut self,
        algorithm: CongestionAlgorithm,
        mss: u32,
        window: u64,
    ) -> Controller {
        self.congestion = algorithm;
        Controller::new(algorithm, &self.setup(mss, window))
    }

    /// The window a connection starts with, and to which an idle one decays.
    pub fn initial_window(&self, mss: u32) -> u64 {
        self.initial_window.bytes(mss)
    }

    /// Returns whether a window of which `in_flight` was used before an acknowledgement may grow.
    /// Linux's sender, which remembers more, judges for itself.
    #[inline]
    pub fn is_limited(&self, in_flight: u64, window: u64, mss: u64) -> bool {
        match &self.sender {
            SenderKind::Classic(sender) => sender.window_validation.is_met(in_flight, window, mss),
            SenderKind::Linux { .. } => false,
        }
    }

    /// Linux's machine, where the stack has it.
    pub fn linux(&self, mss: u32, sack: bool) -> Option<Box<linux::Sender>> {
        let SenderKind::Linux {
            tail_probe, jiffy, ..
        } = self.sender
        else {
            return None;
        };
        Some(Box::new(linux::Sender::new(linux::LinuxRecoverySettings {
            sack,
            mss: u64::from(mss),
            reordering: self.duplicate_ack_threshold,
            reordering_max: self.reordering_max.max(self.duplicate_ack_threshold),
            frto: self.frto,
            tail_probe,
            jiffy,
            rto_min: self.rto.min,
        })))
    }

    /// The RFCs' recovery; where Linux's machine takes its place, it stands idle.
    pub fn recovery(&self, mss: u32, sack: bool) -> Recovery {
        let sender = match self.sender {
            SenderKind::Classic(sender) => Some(sender),
            SenderKind::Linux { .. } => None,
        };
        let is = |helper: fn(&ClassicSender) -> bool| sender.as_ref().is_some_and(helper);
        Recovery::new(RecoverySettings {
            algorithm: match sender.map_or(RecoveryAlgorithm::NewReno, |s| s.recovery) {
                RecoveryAlgorithm::Sack if !sack => RecoveryAlgorithm::NewReno,
                algorithm => algorithm,
            },
            threshold: self.duplicate_ack_threshold,
            reordering_max: self.reordering_max,
            limited_transmit: is(|s| s.limited_transmit),
            duplicates_by_number: is(|s| s.duplicates_by_number),
            frto: self.frto,
            timestamp_undo: is(|s| s.timestamp_undo),
            dsack: self.dsack && sack,
            mss: u64::from(mss),
        })
    }
}

/// The buffer, cut to what a window field can tell of.
fn receive_capacity(bytes: u32, scaling: bool) -> u64 {
    let largest = if scaling {
        65_535u64 << MAX_SHIFT
    } else {
        65_535
    };
    u64::from(bytes).min(largest)
}

/// The least shift that makes `bytes` fit the window field.
fn window_shift(bytes: u32) -> u8 {
    (0..MAX_SHIFT)
        .find(|shift| bytes >> shift <= 65_535)
        .unwrap_or(MAX_SHIFT)
}

/// The shift a profile wants, unless the window field would then be too coarse to tell of a
/// small buffer: its unit is at most a sixteenth of it (ours, inferred: hosts have no such
/// buffers beside such shifts).
fn usable_shift(wanted: u32, bytes: u32) -> u8 {
    let coarsest = (bytes / 16).max(1).ilog2();
    wanted.min(coarsest).min(u32::from(MAX_SHIFT)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_buffer_keeps_a_fine_window_field() {
        assert_eq!(usable_shift(7, 3_145_728), 7);
        assert_eq!(usable_shift(7, 64), 2);
        assert_eq!(usable_shift(7, 1), 0);
    }

    #[test]
    fn the_shift_is_the_least_that_fits() {
        assert_eq!(
            [17_520, 65_535, 65_536, 131_072, 1 << 30].map(window_shift),
            [0, 0, 1, 2, 14]
        );
    }

    #[test]
    fn without_scaling_the_window_ends_at_64_kb() {
        assert_eq!(receive_capacity(1 << 20, false), 65_535);
        assert_eq!(receive_capacity(1 << 20, true), 1 << 20);
    }
}
