//! Windows 2000 as the thesis of Goel (2006) ran it on the wired host.
//!
//! "Registry" is Microsoft's reference of the entries under Tcpip\Parameters, "White paper"
//! is MacDonald and Barkley, "Microsoft Windows 2000 TCP/IP Implementation Details" (2000).

use super::{ClassicSender, Family, ParameterDoc, Profile, StandardStack, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 17_520,
    send_buffer_bytes: 131_072,
    window_scaling: false,
    window_shift_min: 0,
    timestamps: false,
    timestamp_tick_ms: 100,
    sack: true,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Segments(2),
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 2,
    reordering_max: 2,
    dsack: false,
    ecn: EcnUse::Off,
    frto: false,
    nagle: Nagle::Any,
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: true,
    rto_initial_ms: 3000,
    rto_min_ms: 300,
    rto_max_ms: 240_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 240_000,
    probes_with_data: true,
    syn_retries: 2,
    syn_ack_retries: 2,
    syn_linear_timeouts: 0,
    data_retries: 5,
    time_wait_ms: 240_000,
    fin_wait2_ms: 240_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 1000,
    keep_alive_probes: 5,
    family: Family::Standard(StandardStack {
        rto_granularity_ms: 100,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Sack,
            byte_counting: false,
            slow_start_limit_segments: 1,
            window_validation: WindowValidation::Half,
            reduces_window: false,
            limited_transmit: false,
            duplicates_by_number: true,
            timestamp_undo: false,
        },
    }),
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc("mss_bytes", "White paper: an Ethernet MTU of 1500 less 40"),
    doc(
        "receive_window_bytes",
        "White paper, TcpWindowSize: 16 KB rounded up to whole segments, twelve of them on Ethernet",
    ),
    doc(
        "send_buffer_bytes",
        "inferred: Winsock's quota is 8 KB (DefaultSendWindow), but a send is buffered whole \
         while the quota is not used up (Knowledge Base 214397), so a program that writes in \
         large pieces, as a traffic generator does, never leaves the window short of data",
    ),
    doc(
        "window_scaling",
        "inferred: Tcp1323Opts allows it when the peer asks, but a window of 17,520 never offers it",
    ),
    doc("window_shift_min", "inferred: no larger than needed"),
    doc(
        "timestamps",
        "inferred: Tcp1323Opts, used when the peer asks; neither host asks first",
    ),
    doc(
        "timestamp_tick_ms",
        "inferred: the 100 ms tick of its TCP timers; unused, being off",
    ),
    doc("sack", "Registry, SackOpts: on by default"),
    doc(
        "congestion_control",
        "inferred: RFC 2581, the standard of its time",
    ),
    doc(
        "initial_window",
        "inferred: RFC 2581 §3.1 allows two segments",
    ),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc(
        "restart_after_idle",
        "inferred: RFC 2581 §4.1; no document says otherwise",
    ),
    doc("pacing", "inferred: no document tells of any"),
    doc(
        "duplicate_ack_threshold",
        "Registry, TcpMaxDupAcks: 2 (range 1 to 3)",
    ),
    doc("reordering_max", "Registry, TcpMaxDupAcks: a constant"),
    doc("dsack", "inferred: RFC 2883 is younger than the release"),
    doc("ecn", "inferred: RFC 3168 is younger than the release"),
    doc("frto", "inferred: RFC 4138 is younger than the release"),
    doc(
        "nagle",
        "Knowledge Base 214397: on unless TCP_NODELAY is set",
    ),
    doc(
        "delayed_ack_ms",
        "Registry, TcpDelAckTicks: 2 ticks of 100 ms",
    ),
    doc(
        "delayed_ack_segments",
        "Registry, TcpDelAckTicks: otherwise every other segment",
    ),
    doc(
        "invalid_answer_interval_ms",
        "inferred: no limit is documented",
    ),
    doc(
        "resets_acknowledge",
        "inferred: as the BSD its design follows",
    ),
    doc("rto_initial_ms", "Registry, TcpInitialRtt: 3 s"),
    doc(
        "rto_min_ms",
        "inferred: three ticks of 100 ms, commonly observed of this generation",
    ),
    doc(
        "rto_max_ms",
        "inferred: 2 MSL; no document gives the limit of the doubling",
    ),
    doc("rto_after_syn_loss_ms", "inferred: as TcpInitialRtt"),
    doc(
        "persist_max_ms",
        "inferred: as the limit of the retransmission timeout",
    ),
    doc("probes_with_data", "inferred: RFC 1122 §4.2.2.17"),
    doc("syn_retries", "Registry, TcpMaxConnectRetransmissions: 2"),
    doc(
        "syn_ack_retries",
        "Registry, TcpMaxConnectResponseRetransmissions: 2",
    ),
    doc(
        "syn_linear_timeouts",
        "Registry, TcpMaxConnectRetransmissions: doubled with each",
    ),
    doc(
        "data_retries",
        "Registry, TcpMaxDataRetransmissions: 5; the thesis set 500 (Table 4)",
    ),
    doc("time_wait_ms", "Registry, TcpTimedWaitDelay: 240 s"),
    doc("fin_wait2_ms", "Registry, TcpFinWait2Delay: 240 s"),
    doc("keep_alive_idle_ms", "Registry, KeepAliveTime: 2 h"),
    doc("keep_alive_interval_ms", "Registry, KeepAliveInterval: 1 s"),
    doc(
        "keep_alive_probes",
        "Registry, KeepAliveInterval: TcpMaxDataRetransmissions, 5",
    ),
    doc(
        "family",
        "inferred: White paper names no mechanism beyond the RFCs'",
    ),
    doc(
        "rto_granularity_ms",
        "inferred: the tick that TcpDelAckTicks counts in",
    ),
    doc(
        "recovery",
        "inferred: SackOpts says that it reports and honours SACK, not how; RFC 6675",
    ),
    doc(
        "byte_counting",
        "inferred: RFC 2581 (3), the usual implementation of its time",
    ),
    doc("slow_start_limit_segments", "inferred: RFC 2581 (2)"),
    doc(
        "window_validation",
        "inferred: no document; RFC 7661 §4.1 as the careful reading of RFC 2581",
    ),
    doc(
        "reduces_window",
        "inferred: RFC 2581 (3): half of FlightSize",
    ),
    doc(
        "limited_transmit",
        "inferred: RFC 3042 is younger than the release",
    ),
    doc(
        "duplicates_by_number",
        "Registry, TcpMaxDupAcks: the number of duplicate ACKs for the same sequence number; no \
         other rule is named where SackOpts is on",
    ),
    doc(
        "timestamp_undo",
        "inferred: RFC 3522 is younger than the release",
    ),
];
