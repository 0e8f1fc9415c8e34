//! Linux 6 with its defaults (6.5 and later; receiving as 6.18 does).
//!
//! "ip-sysctl" is the kernel's `Documentation/networking/ip-sysctl.rst`; names in capitals and of
//! functions are those of `include/net/tcp.h` and `net/ipv4/`.

use super::{Family, LinuxKernel, LinuxStack, MtuProbing, MtuProbingUse};
use super::{ParameterDoc, Profile, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow};
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 3_981_312,
    send_buffer_bytes: 4_194_304,
    window_scaling: true,
    window_shift_min: 7,
    timestamps: true,
    timestamp_tick_ms: 1,
    sack: true,
    congestion_control: CongestionAlgorithm::Cubic,
    initial_window: InitialWindow::Segments(10),
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 300,
    dsack: true,
    ecn: EcnUse::Passive,
    frto: true,
    nagle: Nagle::Short,
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 500,
    resets_acknowledge: true,
    rto_initial_ms: 1000,
    rto_min_ms: 200,
    rto_max_ms: 120_000,
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
    family: Family::Linux(STACK),
};

pub(super) const STACK: LinuxStack = LinuxStack {
    receive_buffer_bytes: 131_072,
    receive_buffer_max_bytes: 6_291_456,
    tail_loss_probe: true,
    offload_segments: 65_535,
    pacing_shift: 10,
    output_limit_bytes: 4_194_304,
    hystart: true,
    compressed_ack_us: 1000,
    timer_tick_ms: 0,
    kernel: LinuxKernel {
        jiffy_ms: 1,
        delayed_ack_min_ms: 40,
        quick_acks: 16,
    },
    mtu_search: MtuProbing {
        mtu_probing: MtuProbingUse::Off,
        mtu_probe_base_bytes: 1024,
        mtu_probe_floor_bytes: 48,
        mtu_probe_interval_ms: 600_000,
        mtu_probe_threshold_bytes: 8,
        mtu_probe_retries: 3,
    },
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc(
        "mss_bytes",
        "RFC 9293 §3.7.1: an Ethernet MTU of 1500 less 40",
    ),
    doc(
        "receive_window_bytes",
        "tcp_measure_rcv_mss: what 6 MiB of memory hold in segments of 1460 bytes, 162/256",
    ),
    doc(
        "send_buffer_bytes",
        "ip-sysctl, tcp_wmem: a maximum of 4 MiB, which tuning reaches",
    ),
    doc("window_scaling", "ip-sysctl, tcp_window_scaling: 1"),
    doc(
        "window_shift_min",
        "tcp_select_initial_window: the shift that tcp_rmem's maximum of 6 MiB needs",
    ),
    doc("timestamps", "ip-sysctl, tcp_timestamps: 1"),
    doc("timestamp_tick_ms", "TCP_TS_HZ: 1000 per second"),
    doc("sack", "ip-sysctl, tcp_sack: 1"),
    doc(
        "congestion_control",
        "ip-sysctl, tcp_congestion_control: cubic",
    ),
    doc("initial_window", "TCP_INIT_CWND: 10"),
    doc(
        "congestion_window_max_segments",
        "ip-route(8): cwnd, which routes do not have by default",
    ),
    doc(
        "restart_after_idle",
        "ip-sysctl, tcp_slow_start_after_idle: 1",
    ),
    doc(
        "pacing",
        "net.core.default_qdisc without fq: only BBR asks for it (`sk_pacing_status`)",
    ),
    doc("duplicate_ack_threshold", "ip-sysctl, tcp_reordering: 3"),
    doc("reordering_max", "ip-sysctl, tcp_max_reordering: 300"),
    doc("dsack", "ip-sysctl, tcp_dsack: 1"),
    doc("ecn", "ip-sysctl, tcp_ecn: 2"),
    doc("frto", "ip-sysctl, tcp_frto: 2"),
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
        "ip-sysctl, tcp_invalid_ratelimit: 500",
    ),
    doc("resets_acknowledge", "tcp_send_active_reset: ACK and RST"),
    doc("rto_initial_ms", "TCP_TIMEOUT_INIT: 1 s (RFC 6298)"),
    doc(
        "rto_min_ms",
        "TCP_RTO_MIN: HZ/5; tcp_rtt_estimator puts it under the variation",
    ),
    doc("rto_max_ms", "TCP_RTO_MAX: 120 s"),
    doc(
        "rto_after_syn_loss_ms",
        "TCP_TIMEOUT_FALLBACK: 3 s, where no timestamp tells better",
    ),
    doc("persist_max_ms", "tcp_probe0_when: at most TCP_RTO_MAX"),
    doc(
        "probes_with_data",
        "tcp_xmit_probe_skb: an old sequence number and no data",
    ),
    doc(
        "syn_retries",
        "ip-sysctl, tcp_syn_retries: 6 beyond the 4 of tcp_syn_linear_timeouts, 131 s in all",
    ),
    doc("syn_ack_retries", "ip-sysctl, tcp_synack_retries: 5"),
    doc(
        "syn_linear_timeouts",
        "ip-sysctl, tcp_syn_linear_timeouts: 4 (since 6.5)",
    ),
    doc("data_retries", "ip-sysctl, tcp_retries2: 15"),
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
        "tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_timer.c",
    ),
    doc(
        "receive_buffer_bytes",
        "ip-sysctl, tcp_rmem: 128 KiB by default",
    ),
    doc(
        "receive_buffer_max_bytes",
        "ip-sysctl, tcp_rmem: a maximum of 6 MiB (32 MiB since 6.16)",
    ),
    doc("tail_loss_probe", "ip-sysctl, tcp_early_retrans: 3"),
    doc(
        "offload_segments",
        "GSO_MAX_SEGS, what a device takes unless it says less (ip-link(8), gso_max_segs)",
    ),
    doc("pacing_shift", "sock_init_data: sk_pacing_shift of 10"),
    doc(
        "output_limit_bytes",
        "ip-sysctl, tcp_limit_output_bytes: 4 MiB",
    ),
    doc("hystart", "tcp_cubic.c, hystart: 1"),
    doc(
        "compressed_ack_us",
        "ip-sysctl, tcp_comp_sack_delay_ns: 1 ms, at most a twentieth of the round trip",
    ),
    doc("timer_tick_ms", "the jiffy stands in jiffy_ms"),
    doc(
        "jiffy_ms",
        "inferred: a jiffy at HZ=1000; distributions use 250 or 1000",
    ),
    doc("delayed_ack_min_ms", "TCP_DELACK_MIN, TCP_ATO_MIN: HZ/25"),
    doc("quick_acks", "TCP_MAX_QUICKACKS: 16"),
    doc("mtu_probing", "ip-sysctl, tcp_mtu_probing: 0"),
    doc("mtu_probe_base_bytes", "ip-sysctl, tcp_base_mss: 1024"),
    doc(
        "mtu_probe_floor_bytes",
        "ip-sysctl, tcp_mtu_probe_floor: 48",
    ),
    doc(
        "mtu_probe_interval_ms",
        "ip-sysctl, tcp_probe_interval: 600 s",
    ),
    doc(
        "mtu_probe_threshold_bytes",
        "ip-sysctl, tcp_probe_threshold: 8",
    ),
    doc("mtu_probe_retries", "ip-sysctl, tcp_retries1: 3"),
];
