//! Windows 2000 as the thesis of Goel (2006) ran it on the wired host.
//!
//! "Registry" is Microsoft's reference of the entries under Tcpip\Parameters, "White paper"
//! is MacDonald and Barkley, "Microsoft Windows 2000 TCP/IP Implementation Details" (2000).

use super::{ParameterDoc, Profile, doc};
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::rtt::RtoEstimator;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 17_520,
    send_buffer_bytes: 131_072,
    window_scaling: false,
    window_shift_min: 0,
    timestamps: false,
    timestamp_tick_ms: 100,
    sack: true,
    recovery: RecoveryAlgorithm::Sack,
    tail_loss_probe: false,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Segments(2),
    byte_counting: false,
    counts_segments: false,
    hystart: false,
    slow_start_limit_segments: 1,
    window_validation: WindowValidation::Half,
    reduces_window: false,
    restart_after_idle: true,
    decays_when_idle: false,
    duplicate_ack_threshold: 2,
    reordering_max: 2,
    limited_transmit: false,
    dsack: false,
    frto: false,
    timestamp_undo: false,
    nagle: true,
    nagle_small_only: false,
    delayed_ack_ms: 200,
    delayed_ack_min_ms: 200,
    quick_acks: 0,
    delayed_ack_segments: 2,
    rto_initial_ms: 3000,
    rto_min_ms: 300,
    rto_max_ms: 240_000,
    rto_granularity_ms: 100,
    rto_estimator: RtoEstimator::Rfc6298,
    rto_slop_ms: 0,
    rtt_tick_us: 1,
    rtt_of_every_segment: false,
    timer_tick_ms: 0,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 240_000,
    probes_with_data: true,
    syn_retries: 2,
    syn_ack_retries: 2,
    syn_linear_timeouts: 0,
    data_retries: 5,
    data_retries_as_time: false,
    time_wait_ms: 240_000,
    fin_wait2_ms: 240_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 1000,
    keep_alive_probes: 5,
};

pub(super) const SOURCES: [ParameterDoc; 54] = [
    doc(
        "mss_bytes",
        "bytes",
        "White paper: an Ethernet MTU of 1500 less 40",
    ),
    doc(
        "receive_window_bytes",
        "bytes",
        "White paper, TcpWindowSize: 16 KB rounded up to whole segments, twelve of them on Ethernet",
    ),
    doc(
        "send_buffer_bytes",
        "bytes",
        "inferred: Winsock's quota is 8 KB (DefaultSendWindow), but a send is buffered whole \
         while the quota is not used up (Knowledge Base 214397), so a program that writes in \
         large pieces, as a traffic generator does, never leaves the window short of data",
    ),
    doc(
        "window_scaling",
        "",
        "inferred: Tcp1323Opts allows it when the peer asks, but a window of 17,520 never offers it",
    ),
    doc("window_shift_min", "", "inferred: no larger than needed"),
    doc(
        "timestamps",
        "",
        "inferred: Tcp1323Opts, used when the peer asks; neither host asks first",
    ),
    doc(
        "timestamp_tick_ms",
        "ms",
        "inferred: the 100 ms tick of its TCP timers; unused, being off",
    ),
    doc("sack", "", "Registry, SackOpts: on by default"),
    doc(
        "recovery",
        "",
        "inferred: SackOpts says that it reports and honours SACK, not how; RFC 6675",
    ),
    doc("tail_loss_probe", "", "RFC 8985 is younger"),
    doc(
        "congestion_control",
        "",
        "inferred: RFC 2581, the standard of its time",
    ),
    doc(
        "initial_window",
        "",
        "inferred: RFC 2581 §3.1 allows two segments",
    ),
    doc(
        "byte_counting",
        "",
        "inferred: RFC 2581 (3), the usual implementation of its time",
    ),
    doc("counts_segments", "", "there is no CUBIC in this stack"),
    doc("hystart", "", "HyStart is younger"),
    doc("slow_start_limit_segments", "", "inferred: RFC 2581 (2)"),
    doc(
        "window_validation",
        "",
        "inferred: no document; RFC 7661 §4.1 as the careful reading of RFC 2581",
    ),
    doc(
        "reduces_window",
        "",
        "inferred: RFC 2581 (3): half of FlightSize",
    ),
    doc(
        "restart_after_idle",
        "",
        "inferred: RFC 2581 §4.1; no document says otherwise",
    ),
    doc("decays_when_idle", "", "RFC 5681 §4.1: at once"),
    doc(
        "duplicate_ack_threshold",
        "",
        "Registry, TcpMaxDupAcks: 2 (range 1 to 3)",
    ),
    doc("reordering_max", "", "Registry, TcpMaxDupAcks: a constant"),
    doc(
        "limited_transmit",
        "",
        "inferred: RFC 3042 is younger than the release",
    ),
    doc(
        "dsack",
        "",
        "inferred: RFC 2883 is younger than the release",
    ),
    doc("frto", "", "inferred: RFC 4138 is younger than the release"),
    doc(
        "timestamp_undo",
        "",
        "inferred: RFC 3522 is younger than the release",
    ),
    doc(
        "nagle",
        "",
        "Knowledge Base 214397: on unless TCP_NODELAY is set",
    ),
    doc(
        "nagle_small_only",
        "",
        "inferred: RFC 896; no document says otherwise",
    ),
    doc(
        "delayed_ack_ms",
        "ms",
        "Registry, TcpDelAckTicks: 2 ticks of 100 ms",
    ),
    doc(
        "delayed_ack_min_ms",
        "ms",
        "Registry, TcpDelAckTicks: one delay",
    ),
    doc("quick_acks", "", "inferred: no document knows of any"),
    doc(
        "delayed_ack_segments",
        "",
        "Registry, TcpDelAckTicks: otherwise every other segment",
    ),
    doc("rto_initial_ms", "ms", "Registry, TcpInitialRtt: 3 s"),
    doc(
        "rto_min_ms",
        "ms",
        "inferred: three ticks of 100 ms, commonly observed of this generation",
    ),
    doc(
        "rto_max_ms",
        "ms",
        "inferred: 2 MSL; no document gives the limit of the doubling",
    ),
    doc(
        "rto_granularity_ms",
        "ms",
        "inferred: the tick that TcpDelAckTicks counts in",
    ),
    doc(
        "rto_estimator",
        "",
        "White paper: the algorithm of RFC 1122, which RFC 6298 writes down",
    ),
    doc("rto_slop_ms", "ms", "inferred: no document knows of any"),
    doc(
        "rtt_tick_us",
        "us",
        "inferred: its clock is finer than its timers; 1 us",
    ),
    doc(
        "rtt_of_every_segment",
        "",
        "inferred: one at a time, the usual way without timestamps",
    ),
    doc(
        "timer_tick_ms",
        "ms",
        "inferred: the granularity stands in rto_granularity_ms already",
    ),
    doc("rto_after_syn_loss_ms", "ms", "inferred: as TcpInitialRtt"),
    doc(
        "persist_max_ms",
        "ms",
        "inferred: as the limit of the retransmission timeout",
    ),
    doc("probes_with_data", "", "inferred: RFC 1122 §4.2.2.17"),
    doc(
        "syn_retries",
        "",
        "Registry, TcpMaxConnectRetransmissions: 2",
    ),
    doc(
        "syn_ack_retries",
        "",
        "Registry, TcpMaxConnectResponseRetransmissions: 2",
    ),
    doc(
        "syn_linear_timeouts",
        "",
        "Registry, TcpMaxConnectRetransmissions: doubled with each",
    ),
    doc(
        "data_retries",
        "",
        "Registry, TcpMaxDataRetransmissions: 5; the thesis set 500 (Table 4)",
    ),
    doc("data_retries_as_time", "", "a count of retransmissions"),
    doc("time_wait_ms", "ms", "Registry, TcpTimedWaitDelay: 240 s"),
    doc("fin_wait2_ms", "ms", "Registry, TcpFinWait2Delay: 240 s"),
    doc("keep_alive_idle_ms", "ms", "Registry, KeepAliveTime: 2 h"),
    doc(
        "keep_alive_interval_ms",
        "ms",
        "Registry, KeepAliveInterval: 1 s",
    ),
    doc(
        "keep_alive_probes",
        "",
        "Registry, KeepAliveInterval: TcpMaxDataRetransmissions, 5",
    ),
];
