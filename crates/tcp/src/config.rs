//! A profile and a connection's options turned into what the machine works with.

use units::Duration;

use crate::InitialWindow;
use crate::congestion::{CongestionAlgorithm, Controller, Setup, WindowValidation};
use crate::profiles::Profile;
use crate::receive::{BufferSettings, ReceiverSettings};
use crate::recovery::{Recovery, RecoveryAlgorithm, RecoverySettings, linux};
use crate::rtt::RtoLimits;
use crate::send::Nagle;

/// What an application may set on its own connection, as by socket options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionOptions {
    /// Turns Nagle's algorithm off (TCP_NODELAY).
    pub no_delay: bool,
    /// Lowers the segment size, as a smaller MTU on the way out would.
    pub mss_limit_bytes: Option<u32>,
    /// The receive buffer in place of the profile's (SO_RCVBUF).
    pub receive_window_bytes: Option<u32>,
    /// The send buffer in place of the profile's (SO_SNDBUF).
    pub send_buffer_bytes: Option<u32>,
    /// Probes a silent peer (SO_KEEPALIVE), as the profile times it.
    pub keep_alive: bool,
}

/// The largest shift RFC 7323 §2.3 allows.
pub(crate) const MAX_SHIFT: u8 = 14;
/// The bytes the timestamps option takes of every segment (RFC 7323 appendix A).
pub(crate) const TIMESTAMP_BYTES: u32 = 12;
/// The MSS to assume of a peer that names none (RFC 9293 §3.7.1).
pub(crate) const DEFAULT_MSS: u32 = 536;
/// Linux sends no smaller segments, whatever the peer says (ip-sysctl, tcp_min_snd_mss).
const MIN_MSS: u32 = 48;

/// When a silent peer is probed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepAlive {
    pub idle: Duration,
    pub interval: Duration,
    pub probes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    /// The MSS announced.
    pub mss: u32,
    pub receive_capacity: u64,
    buffer: Option<BufferSettings>,
    pub send_capacity: u64,
    pub window_shift: Option<u8>,
    pub timestamps: bool,
    pub timestamp_tick: Duration,
    pub sack: bool,
    pub nagle: Nagle,
    /// What holds when the application has not turned it off.
    pub nagle_rule: Nagle,
    pub probes_with_data: bool,
    pub rto: RtoLimits,
    pub invalid_answer_interval: Duration,
    pub resets_acknowledge: bool,
    pub rto_after_syn_loss: Duration,
    pub delayed_ack: Duration,
    pub delayed_ack_min: Duration,
    pub quick_acks: u32,
    pub delayed_ack_segments: u32,
    pub compressed_ack: Duration,
    pub persist_max: Duration,
    pub time_wait: Duration,
    pub syn_retries: u32,
    pub syn_ack_retries: u32,
    pub syn_linear_timeouts: u32,
    pub data_retries: u32,
    pub data_retries_as_time: bool,
    pub restart_after_idle: bool,
    pub decays_when_idle: bool,
    pub rtt_of_every_segment: bool,
    /// Whether anything is taken down of every segment sent.
    pub watches_sending: bool,
    pub dsack: bool,
    pub fin_wait2: Option<Duration>,
    pub keep_alive: Option<KeepAlive>,
    /// How long data may stay unacknowledged, if the application says so (RFC 5482).
    pub user_timeout: Option<Duration>,
    pub validation: WindowValidation,
    reduces_window: bool,
    slow_start_limit_segments: u32,
    reordering_max: u32,
    frto: bool,
    timestamp_undo: bool,
    recovery: RecoveryAlgorithm,
    tail_loss_probe: bool,
    pub offload_segments: u64,
    counts_segments: bool,
    hystart: bool,
    congestion: CongestionAlgorithm,
    initial_window: InitialWindow,
    byte_counting: bool,
    duplicate_ack_threshold: u32,
    limited_transmit: bool,
}

impl Config {
    pub fn new(profile: &Profile, options: &ConnectionOptions) -> Config {
        let p = profile;
        let ms = |value: u32| Duration::from_millis(u64::from(value));
        let receive = options
            .receive_window_bytes
            .unwrap_or(p.receive_window_bytes)
            .max(1);
        let mss_limit = options.mss_limit_bytes.unwrap_or(u32::MAX);
        let nagle_rule = match (p.nagle, p.nagle_small_only) {
            (false, _) => Nagle::Off,
            (true, false) => Nagle::On,
            (true, true) => Nagle::SmallOnly,
        };
        let rto_min = ms(p.rto_min_ms);
        // Vegas reads the clock for every segment (Brakmo and Peterson 1995, §III.A).
        let rtt_of_every_segment =
            p.rtt_of_every_segment || p.congestion_control == CongestionAlgorithm::Vegas;
        Config {
            mss: p
                .mss_bytes
                .min(mss_limit)
                .clamp(TIMESTAMP_BYTES + 1, 65_535),
            receive_capacity: receive_capacity(receive, p.window_scaling),
            buffer: buffer(p, options),
            send_capacity: u64::from(options.send_buffer_bytes.unwrap_or(p.send_buffer_bytes)),
            window_shift: p
                .window_scaling
                .then(|| window_shift(receive).max(usable_shift(p.window_shift_min, receive))),
            timestamps: p.timestamps,
            timestamp_tick: ms(p.timestamp_tick_ms.max(1)),
            sack: p.sack,
            nagle: if options.no_delay {
                Nagle::Off
            } else {
                nagle_rule
            },
            nagle_rule,
            probes_with_data: p.probes_with_data,
            rto: RtoLimits {
                estimator: p.rto_estimator,
                initial: ms(p.rto_initial_ms.max(1)),
                min: rto_min,
                max: ms(p.rto_max_ms).max(rto_min),
                granularity: ms(p.rto_granularity_ms.max(1)),
                slop: ms(p.rto_slop_ms),
                tick: Duration::from_micros(u64::from(p.rtt_tick_us.max(1))),
                timer_tick: ms(p.timer_tick_ms),
                takes_least_apart: p.recovery == RecoveryAlgorithm::Rack,
            },
            invalid_answer_interval: ms(p.invalid_answer_interval_ms),
            resets_acknowledge: p.resets_acknowledge,
            rto_after_syn_loss: ms(p.rto_after_syn_loss_ms),
            delayed_ack: ms(p.delayed_ack_ms),
            delayed_ack_min: ms(p.delayed_ack_min_ms.min(p.delayed_ack_ms)),
            quick_acks: p.quick_acks,
            delayed_ack_segments: p.delayed_ack_segments,
            compressed_ack: Duration::from_micros(u64::from(p.compressed_ack_us)),
            persist_max: ms(p.persist_max_ms.max(1)),
            time_wait: ms(p.time_wait_ms),
            syn_retries: p.syn_retries,
            syn_ack_retries: p.syn_ack_retries,
            syn_linear_timeouts: p.syn_linear_timeouts,
            data_retries: p.data_retries,
            data_retries_as_time: p.data_retries_as_time,
            restart_after_idle: p.restart_after_idle,
            decays_when_idle: p.decays_when_idle,
            rtt_of_every_segment,
            watches_sending: rtt_of_every_segment || p.window_validation == WindowValidation::Linux,
            dsack: p.dsack && p.sack,
            fin_wait2: (p.fin_wait2_ms > 0).then(|| ms(p.fin_wait2_ms)),
            keep_alive: options.keep_alive.then(|| KeepAlive {
                idle: ms(p.keep_alive_idle_ms.max(1)),
                interval: ms(p.keep_alive_interval_ms.max(1)),
                probes: p.keep_alive_probes,
            }),
            user_timeout: None,
            validation: p.window_validation,
            reduces_window: p.reduces_window,
            slow_start_limit_segments: p.slow_start_limit_segments,
            reordering_max: p.reordering_max,
            frto: p.frto,
            timestamp_undo: p.timestamp_undo,
            recovery: p.recovery,
            tail_loss_probe: p.tail_loss_probe,
            offload_segments: u64::from(p.offload_segments.max(1)),
            counts_segments: p.counts_segments,
            hystart: p.hystart,
            congestion: p.congestion_control,
            initial_window: p.initial_window,
            byte_counting: p.byte_counting,
            duplicate_ack_threshold: p.duplicate_ack_threshold.max(1),
            limited_transmit: p.limited_transmit,
        }
    }

    /// Whether the stack is today's Linux, whose sender is a machine of its own.
    #[inline]
    pub fn is_linux(&self) -> bool {
        self.recovery == RecoveryAlgorithm::Rack
    }

    pub fn receiver(&self) -> ReceiverSettings {
        ReceiverSettings {
            capacity: self.receive_capacity,
            buffer: self.buffer,
            reports_duplicates: self.dsack,
        }
    }

    /// SMSS: what fits a segment beside the timestamps, if they are on.
    pub fn payload_limit(&self, peer_mss: u32, timestamps: bool) -> u32 {
        let least = if self.is_linux() { MIN_MSS } else { 1 };
        let mss = self.mss.min(peer_mss).max(least);
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
        Controller::new(self.congestion, &self.setup(mss, initial.bytes(mss)))
    }

    fn setup(&self, mss: u32, initial_window: u64) -> Setup {
        Setup {
            mss: u64::from(mss),
            initial_window,
            byte_counting: self.byte_counting,
            reduces_window: self.reduces_window,
            counts_segments: self.counts_segments,
            hystart: self.hystart,
            jiffy: self.rto.granularity,
            slow_start_limit: match u64::from(self.slow_start_limit_segments) {
                0 => u64::MAX,
                segments => segments * u64::from(mss),
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

    /// Linux's machine, where the profile has it.
    pub fn linux(&self, mss: u32, sack: bool) -> Option<Box<linux::Sender>> {
        let settings = linux::Settings {
            sack,
            mss: u64::from(mss),
            reordering: self.duplicate_ack_threshold,
            reordering_max: self.reordering_max.max(self.duplicate_ack_threshold),
            frto: self.frto,
            tail_probe: self.tail_loss_probe,
            jiffy: self.rto.granularity,
            rto_min: self.rto.min,
        };
        self.is_linux()
            .then(|| Box::new(linux::Sender::new(settings)))
    }

    pub fn recovery(&self, mss: u32, sack: bool) -> Recovery {
        let algorithm = match self.recovery {
            RecoveryAlgorithm::Sack if !sack => RecoveryAlgorithm::NewReno,
            algorithm => algorithm,
        };
        Recovery::new(RecoverySettings {
            algorithm,
            threshold: self.duplicate_ack_threshold,
            reordering_max: self.reordering_max,
            limited_transmit: self.limited_transmit,
            frto: self.frto,
            timestamp_undo: self.timestamp_undo,
            dsack: self.dsack && sack,
            mss: u64::from(mss),
        })
    }
}

/// The buffer that counts memory, where the profile has one. Of what the application sets the
/// host uses twice as much, for its own book-keeping (socket(7), SO_RCVBUF).
fn buffer(p: &Profile, options: &ConnectionOptions) -> Option<BufferSettings> {
    let set = options.receive_window_bytes;
    let first = set.map_or(u64::from(p.receive_buffer_bytes), |b| 2 * u64::from(b));
    (p.receive_buffer_bytes > 0).then(|| BufferSettings {
        first,
        most: u64::from(p.receive_buffer_max_bytes).max(first),
        is_set: set.is_some(),
        window: receive_capacity(p.receive_window_bytes, p.window_scaling),
    })
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
