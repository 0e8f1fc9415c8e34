//! Linux 6 with its defaults (6.5 and later; RACK-TLP, PRR, HyStart and buffer tuning are not
//! modelled yet).
//!
//! "ip-sysctl" is the kernel's `Documentation/networking/ip-sysctl.rst`; names in capitals and of
//! functions are those of `include/net/tcp.h` and `net/ipv4/`.

use super::{ParameterDoc, Profile, doc};
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::rtt::RtoEstimator;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 3_145_728,
    send_buffer_bytes: 4_194_304,
    window_scaling: true,
    window_shift_min: 7,
    timestamps: true,
    timestamp_tick_ms: 1,
    sack: true,
    recovery: RecoveryAlgorithm::Sack,
    congestion_control: CongestionAlgorithm::Cubic,
    initial_window: InitialWindow::Segments(10),
    byte_counting: true,
    slow_start_limit_segments: 0,
    window_validation: WindowValidation::Linux,
    reduces_window: true,
    restart_after_idle: true,
    duplicate_ack_threshold: 3,
    reordering_max: 300,
    limited_transmit: true,
    dsack: true,
    frto: true,
    timestamp_undo: true,
    nagle: true,
    nagle_small_only: true,
    delayed_ack_ms: 200,
    delayed_ack_min_ms: 40,
    quick_acks: 16,
    delayed_ack_segments: 2,
    rto_initial_ms: 1000,
    rto_min_ms: 200,
    rto_max_ms: 120_000,
    rto_granularity_ms: 1,
    rto_estimator: RtoEstimator::Linux,
    rto_slop_ms: 0,
    rtt_tick_us: 1,
    rtt_of_every_segment: true,
    timer_tick_ms: 0,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 120_000,
    probes_with_data: false,
    syn_retries: 10,
    syn_ack_retries: 5,
    syn_linear_timeouts: 4,
    data_retries: 15,
    time_wait_ms: 60_000,
    fin_wait2_ms: 60_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 9,
};

pub(super) const SOURCES: [ParameterDoc; 49] = [
    doc(
        "mss_bytes",
        "bytes",
        "RFC 9293 §3.7.1: an Ethernet MTU of 1500 less 40",
    ),
    doc(
        "receive_window_bytes",
        "bytes",
        "inferred: what receive buffer tuning may reach, half of tcp_rmem's maximum of 6 MiB (tcp_adv_win_scale 1); the tuning itself is not modelled",
    ),
    doc(
        "send_buffer_bytes",
        "bytes",
        "ip-sysctl, tcp_wmem: a maximum of 4 MiB, which tuning reaches",
    ),
    doc("window_scaling", "", "ip-sysctl, tcp_window_scaling: 1"),
    doc(
        "window_shift_min",
        "",
        "tcp_select_initial_window: the shift that tcp_rmem's maximum of 6 MiB needs",
    ),
    doc("timestamps", "", "ip-sysctl, tcp_timestamps: 1"),
    doc("timestamp_tick_ms", "ms", "TCP_TS_HZ: 1000 per second"),
    doc("sack", "", "ip-sysctl, tcp_sack: 1"),
    doc(
        "recovery",
        "",
        "inferred: RFC 6675 in place of RACK-TLP (RFC 8985) and PRR (RFC 6937), which are not modelled yet",
    ),
    doc(
        "congestion_control",
        "",
        "ip-sysctl, tcp_congestion_control: cubic",
    ),
    doc("initial_window", "", "TCP_INIT_CWND: 10"),
    doc(
        "byte_counting",
        "",
        "tcp_cong_avoid_ai: counts the segments acknowledged",
    ),
    doc(
        "slow_start_limit_segments",
        "",
        "tcp_slow_start: by what was acknowledged, without a limit",
    ),
    doc("window_validation", "", "tcp_is_cwnd_limited"),
    doc(
        "reduces_window",
        "",
        "tcp_reno_ssthresh, cubictcp_recalc_ssthresh: a share of snd_cwnd",
    ),
    doc(
        "restart_after_idle",
        "",
        "ip-sysctl, tcp_slow_start_after_idle: 1; the kernel halves the window per timeout of silence (RFC 2861), here it falls at once",
    ),
    doc(
        "duplicate_ack_threshold",
        "",
        "ip-sysctl, tcp_reordering: 3",
    ),
    doc("reordering_max", "", "ip-sysctl, tcp_max_reordering: 300"),
    doc(
        "limited_transmit",
        "",
        "RFC 3042; in state Disorder the kernel sends new data for SACKed ones",
    ),
    doc("dsack", "", "ip-sysctl, tcp_dsack: 1"),
    doc("frto", "", "ip-sysctl, tcp_frto: 2"),
    doc(
        "timestamp_undo",
        "",
        "tcp_packet_delayed: RFC 3522 where there are timestamps",
    ),
    doc("nagle", "", "tcp(7): on unless TCP_NODELAY is set"),
    doc(
        "nagle_small_only",
        "",
        "tcp_minshall_check: while a small segment is outstanding",
    ),
    doc("delayed_ack_ms", "ms", "TCP_DELACK_MAX: HZ/5"),
    doc(
        "delayed_ack_min_ms",
        "ms",
        "TCP_DELACK_MIN, TCP_ATO_MIN: HZ/25",
    ),
    doc("quick_acks", "", "TCP_MAX_QUICKACKS: 16"),
    doc(
        "delayed_ack_segments",
        "",
        "__tcp_ack_snd_check: at once for more than one full segment",
    ),
    doc("rto_initial_ms", "ms", "TCP_TIMEOUT_INIT: 1 s (RFC 6298)"),
    doc(
        "rto_min_ms",
        "ms",
        "TCP_RTO_MIN: HZ/5; tcp_rtt_estimator puts it under the variation",
    ),
    doc("rto_max_ms", "ms", "TCP_RTO_MAX: 120 s"),
    doc(
        "rto_granularity_ms",
        "ms",
        "inferred: a jiffy at HZ=1000; distributions use 250 or 1000",
    ),
    doc("rto_estimator", "", "tcp_rtt_estimator"),
    doc("rto_slop_ms", "ms", "tcp_set_rto adds nothing"),
    doc(
        "rtt_tick_us",
        "us",
        "tcp_rtt_estimator: microseconds since 3.15",
    ),
    doc(
        "rtt_of_every_segment",
        "",
        "tcp_clean_rtx_queue: by the time each segment left",
    ),
    doc(
        "timer_tick_ms",
        "ms",
        "the jiffy stands in rto_granularity_ms",
    ),
    doc(
        "rto_after_syn_loss_ms",
        "ms",
        "TCP_TIMEOUT_FALLBACK: 3 s, where no timestamp tells better",
    ),
    doc(
        "persist_max_ms",
        "ms",
        "tcp_probe0_when: at most TCP_RTO_MAX",
    ),
    doc(
        "probes_with_data",
        "",
        "tcp_xmit_probe_skb: an old sequence number and no data",
    ),
    doc(
        "syn_retries",
        "",
        "ip-sysctl, tcp_syn_retries: 6 beyond the 4 of tcp_syn_linear_timeouts, 131 s in all",
    ),
    doc("syn_ack_retries", "", "ip-sysctl, tcp_synack_retries: 5"),
    doc(
        "syn_linear_timeouts",
        "",
        "ip-sysctl, tcp_syn_linear_timeouts: 4 (since 6.5)",
    ),
    doc(
        "data_retries",
        "",
        "ip-sysctl, tcp_retries2: 15; the kernel turns it into a time, 924.6 s at the least timeout",
    ),
    doc("time_wait_ms", "ms", "TCP_TIMEWAIT_LEN: 60 s"),
    doc("fin_wait2_ms", "ms", "ip-sysctl, tcp_fin_timeout: 60 s"),
    doc(
        "keep_alive_idle_ms",
        "ms",
        "ip-sysctl, tcp_keepalive_time: 2 h",
    ),
    doc(
        "keep_alive_interval_ms",
        "ms",
        "ip-sysctl, tcp_keepalive_intvl: 75 s",
    ),
    doc(
        "keep_alive_probes",
        "",
        "ip-sysctl, tcp_keepalive_probes: 9",
    ),
];
