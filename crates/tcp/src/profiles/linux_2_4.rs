//! Linux 2.4 with its defaults, as on the hosts of Franceschinis et al. (2.4.24) and the terminal
//! of Vasudevan et al. (Red Hat 8.0, 2.4.18).
//!
//! "S&K" is P. Sarolahti and A. Kuznetsov, "Congestion Control in Linux TCP", USENIX 2002;
//! "ip-sysctl" the kernel's `Documentation/networking/ip-sysctl.txt`; names in capitals and of
//! functions are those of `include/net/tcp.h` and `net/ipv4/`.
//!
//! On a short path the same segment lost again and again is sent after about 1.7, 3.4, 6.7 and 13 s,
//! the fourth to the seventh doubling of 0.21 s. Those of exactly 3, 6 and 12 s come before anything
//! is measured, from the initial timeout of 3 s; and of data, from `bsd-4.4`.

use super::{ClassicSender, Family, Linux2Stack, LinuxKernel, ParameterDoc, Profile, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 65_535,
    send_buffer_bytes: 131_072,
    window_scaling: true,
    window_shift_min: 0,
    timestamps: true,
    timestamp_tick_ms: 10,
    sack: true,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Rfc5681,
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 127,
    dsack: true,
    ecn: EcnUse::Off,
    frto: false,
    nagle: Nagle::Short,
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: true,
    rto_initial_ms: 3000,
    rto_min_ms: 200,
    rto_max_ms: 120_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 120_000,
    probes_with_data: false,
    syn_retries: 5,
    syn_ack_retries: 5,
    syn_linear_timeouts: 0,
    data_retries: 15,
    time_wait_ms: 60_000,
    fin_wait2_ms: 60_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 9,
    family: Family::Linux2(Linux2Stack {
        remembers_ssthresh: true,
        segment_memory_bytes: 376,
        kernel: LinuxKernel {
            jiffy_ms: 10,
            delayed_ack_min_ms: 40,
            quick_acks: 16,
        },
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Sack,
            byte_counting: false,
            slow_start_limit_segments: 1,
            window_validation: WindowValidation::Full,
            reduces_window: true,
            limited_transmit: true,
            duplicates_by_number: false,
            timestamp_undo: true,
        },
    }),
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc(
        "mss_bytes",
        "RFC 9293 §3.7.1: an Ethernet MTU of 1500 less 40",
    ),
    doc(
        "receive_window_bytes",
        "ip-sysctl, tcp_rmem: 87,380 by default, of which three quarters, 65,535, are window",
    ),
    doc(
        "send_buffer_bytes",
        "ip-sysctl, tcp_wmem: a maximum of 128 KiB",
    ),
    doc("window_scaling", "ip-sysctl, tcp_window_scaling: 1"),
    doc(
        "window_shift_min",
        "tcp_select_initial_window: the default buffer needs none",
    ),
    doc("timestamps", "ip-sysctl, tcp_timestamps: 1"),
    doc("timestamp_tick_ms", "a jiffy at HZ=100"),
    doc("sack", "ip-sysctl, tcp_sack: 1"),
    doc("congestion_control", "S&K §3: RFC 2581"),
    doc(
        "initial_window",
        "tcp_init_cwnd: RFC 2414, by the segment's size 4, 3 or 2",
    ),
    doc(
        "congestion_window_max_segments",
        "ip-route(8): cwnd, which routes do not have by default",
    ),
    doc(
        "restart_after_idle",
        "tcp_cwnd_restart, RFC 2861: the kernel halves the window per timeout of silence, here it falls at once",
    ),
    doc("pacing", "inferred: the kernel has none before 3.13"),
    doc("duplicate_ack_threshold", "ip-sysctl, tcp_reordering: 3"),
    doc("reordering_max", "TCP_MAX_REORDERING: 127"),
    doc("dsack", "ip-sysctl, tcp_dsack: 1"),
    doc("ecn", "ip-sysctl, tcp_ecn: 0"),
    doc("frto", "ip-sysctl, tcp_frto: 0, where a 2.4 has it"),
    doc(
        "nagle",
        "tcp(7): on unless TCP_NODELAY is set; tcp_minshall_check: for a small segment",
    ),
    doc("delayed_ack_ms", "TCP_DELACK_MAX: HZ/5"),
    doc(
        "delayed_ack_segments",
        "__tcp_ack_snd_check: at once for more than one full segment",
    ),
    doc(
        "invalid_answer_interval_ms",
        "every one is answered, before tcp_invalid_ratelimit (Linux 4.0)",
    ),
    doc("resets_acknowledge", "tcp_send_active_reset: ACK and RST"),
    doc(
        "rto_initial_ms",
        "TCP_TIMEOUT_INIT: 3 s (RFC 1122, RFC 2988)",
    ),
    doc(
        "rto_min_ms",
        "TCP_RTO_MIN: HZ/5; tcp_rtt_estimator puts it under the variation",
    ),
    doc("rto_max_ms", "TCP_RTO_MAX: 120 s"),
    doc("rto_after_syn_loss_ms", "TCP_TIMEOUT_INIT: 3 s"),
    doc("persist_max_ms", "tcp_probe0_when: at most TCP_RTO_MAX"),
    doc(
        "probes_with_data",
        "tcp_xmit_probe_skb: an old sequence number and no data",
    ),
    doc("syn_retries", "ip-sysctl, tcp_syn_retries: 5, 189 s in all"),
    doc("syn_ack_retries", "ip-sysctl, tcp_synack_retries: 5"),
    doc("syn_linear_timeouts", "tcp_write_timeout: doubles at once"),
    doc(
        "data_retries",
        "ip-sysctl, tcp_retries2: 15, between 13 and 30 minutes",
    ),
    doc("time_wait_ms", "TCP_TIMEWAIT_LEN: 60 s"),
    doc("fin_wait2_ms", "ip-sysctl, tcp_fin_timeout: 60 s"),
    doc("keep_alive_idle_ms", "ip-sysctl, tcp_keepalive_time: 2 h"),
    doc(
        "keep_alive_interval_ms",
        "ip-sysctl, tcp_keepalive_intvl: 75 s",
    ),
    doc("keep_alive_probes", "ip-sysctl, tcp_keepalive_probes: 9"),
    doc(
        "family",
        "S&K §3 and §4; the sender is that of the RFCs it implements",
    ),
    doc(
        "remembers_ssthresh",
        "ip-sysctl, tcp_no_metrics_save: 0; tcp_update_metrics and tcp_init_metrics, of which the remembered round trip, reordering and age are not modelled",
    ),
    doc(
        "segment_memory_bytes",
        "truesize of alloc_skb: MAX_TCP_HEADER, 208 bytes, before 1448, rounded to 128 (SKB_DATA_ALIGN), and an sk_buff of 160; inferred for i386",
    ),
    doc("jiffy_ms", "a jiffy at HZ=100"),
    doc("delayed_ack_min_ms", "TCP_DELACK_MIN, TCP_ATO_MIN: HZ/25"),
    doc("quick_acks", "TCP_MAX_QUICKACKS: 16"),
    doc(
        "recovery",
        "inferred: RFC 3517, which RFC 6675 corrects; the kernel's FACK (tcp_fack) and rate halving are not modelled",
    ),
    doc("byte_counting", "tcp_cong_avoid: counts acknowledgements"),
    doc(
        "slow_start_limit_segments",
        "tcp_cong_avoid: one segment per acknowledgement",
    ),
    doc(
        "window_validation",
        "tcp_ack: grows if what was in flight filled the window",
    ),
    doc("reduces_window", "tcp_recalc_ssthresh: half of snd_cwnd"),
    doc("limited_transmit", "S&K §4.2: RFC 3042"),
    doc(
        "duplicates_by_number",
        "S&K §4.1: with SACK, what is SACKed is counted",
    ),
    doc(
        "timestamp_undo",
        "S&K §4.5: undoes by timestamps and by DSACK",
    ),
];
