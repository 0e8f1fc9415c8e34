//! Windows 11 with its defaults, as far as Microsoft tells them.
//!
//! "Template" is what `Get-NetTCPSetting -SettingName Internet` prints, "Announcement" is
//! Microsoft's "Announcing: New Transport Advancements in the Anniversary Update for Windows 10 and
//! Windows Server 2016" (2016), "Cable Guy" its "Next Generation TCP/IP Stack in Windows Vista and
//! Windows Server 2008" (2005), "Registry" its reference of the entries under Tcpip\Parameters. Not
//! modelled: RACK and tail loss probes (Announcement: for round trips above 10 ms), HyStart++
//! (RFC 9406), and what the buffers begin with before tuning.

use super::{ClassicSender, Family, ParameterDoc, Profile, StandardStack, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 16_776_960,
    send_buffer_bytes: 16_777_216,
    window_scaling: true,
    window_shift_min: 8,
    timestamps: false,
    timestamp_tick_ms: 1,
    sack: true,
    congestion_control: CongestionAlgorithm::Cubic,
    initial_window: InitialWindow::Segments(10),
    congestion_window_max_segments: 0,
    restart_after_idle: false,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 3,
    dsack: true,
    ecn: EcnUse::Off,
    frto: true,
    nagle: Nagle::Any,
    delayed_ack_ms: 40,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: true,
    rto_initial_ms: 1000,
    rto_min_ms: 300,
    rto_max_ms: 60_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 4,
    syn_ack_retries: 4,
    syn_linear_timeouts: 0,
    data_retries: 5,
    time_wait_ms: 120_000,
    fin_wait2_ms: 120_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 1000,
    keep_alive_probes: 10,
    family: Family::Standard(StandardStack {
        rto_granularity_ms: 16,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Sack,
            byte_counting: true,
            slow_start_limit_segments: 8,
            window_validation: WindowValidation::Half,
            reduces_window: true,
            limited_transmit: true,
            duplicates_by_number: false,
            timestamp_undo: false,
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
        "Template, AutoTuningLevelLocal: Normal; Cable Guy: up to 16 MB; inferred: what a shift \
         of 8 can tell of it",
    ),
    doc(
        "send_buffer_bytes",
        "inferred: a backlog that follows the path (SIO_IDEAL_SEND_BACKLOG_QUERY) never leaves the \
         window short of data",
    ),
    doc(
        "window_scaling",
        "Cable Guy: on, as auto-tuning needs it (RFC 1323)",
    ),
    doc("window_shift_min", "inferred: the shift that its SYNs have"),
    doc("timestamps", "Template, Timestamps: Disabled"),
    doc(
        "timestamp_tick_ms",
        "inferred: a tick of 1 ms (RFC 7323 §5.4); unused, being off",
    ),
    doc("sack", "Cable Guy: RFC 2018, with RFC 2883 and RFC 3517"),
    doc("congestion_control", "Template, CongestionProvider: CUBIC"),
    doc(
        "initial_window",
        "Announcement and Template, InitialCongestionWindow: 10",
    ),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc("restart_after_idle", "Template, CwndRestart: False"),
    doc("pacing", "inferred: no document tells of any"),
    doc(
        "duplicate_ack_threshold",
        "inferred: RFC 5681; TcpMaxDupAcks is gone since Windows Vista",
    ),
    doc("reordering_max", "inferred: RFC 5681, a constant"),
    doc("dsack", "Cable Guy: RFC 2883"),
    doc("ecn", "Template, EcnCapability: Disabled"),
    doc("frto", "Cable Guy: RFC 4138"),
    doc(
        "nagle",
        "Knowledge Base 214397: on unless TCP_NODELAY is set",
    ),
    doc("delayed_ack_ms", "Template, DelayedAckTimeout: 40 ms"),
    doc("delayed_ack_segments", "Template, DelayedAckFrequency: 2"),
    doc(
        "invalid_answer_interval_ms",
        "inferred: no limit is documented",
    ),
    doc("resets_acknowledge", "inferred: as Windows 2000"),
    doc("rto_initial_ms", "Template, InitialRto: 1000 ms"),
    doc("rto_min_ms", "Template, MinRto: 300 ms"),
    doc(
        "rto_max_ms",
        "inferred: RFC 6298 (2.5), the least limit that it allows",
    ),
    doc("rto_after_syn_loss_ms", "inferred: RFC 6298 (5.7)"),
    doc(
        "persist_max_ms",
        "inferred: as the limit of the retransmission timeout",
    ),
    doc("probes_with_data", "inferred: RFC 1122 §4.2.2.17"),
    doc("syn_retries", "Template, MaxSynRetransmissions: 4"),
    doc("syn_ack_retries", "inferred: as many as of a SYN"),
    doc(
        "syn_linear_timeouts",
        "inferred: doubled with each, as by Windows 2000",
    ),
    doc("data_retries", "Registry, TcpMaxDataRetransmissions: 5"),
    doc("time_wait_ms", "Registry, TcpTimedWaitDelay: 120 s"),
    doc("fin_wait2_ms", "inferred: as TcpTimedWaitDelay"),
    doc("keep_alive_idle_ms", "Registry, KeepAliveTime: 2 h"),
    doc("keep_alive_interval_ms", "Registry, KeepAliveInterval: 1 s"),
    doc(
        "keep_alive_probes",
        "SIO_KEEPALIVE_VALS: 10 since Windows Vista",
    ),
    doc("family", "Cable Guy and Announcement: the RFCs' mechanisms"),
    doc(
        "rto_granularity_ms",
        "inferred: the system clock's tick of 15.6 ms",
    ),
    doc("recovery", "Cable Guy: RFC 3517"),
    doc(
        "byte_counting",
        "inferred: RFC 9406 §4.2, whose authors describe Windows, counts bytes",
    ),
    doc(
        "slow_start_limit_segments",
        "inferred: RFC 9406 §4.2: an L of 8 without pacing",
    ),
    doc(
        "window_validation",
        "inferred: RFC 9438 §4.2 asks for it; RFC 7661 §4.1",
    ),
    doc(
        "reduces_window",
        "inferred: RFC 8312 §4.5, the CUBIC of its time",
    ),
    doc("limited_transmit", "inferred: RFC 3042, part of RFC 3517"),
    doc("duplicates_by_number", "inferred: RFC 6675 §2"),
    doc(
        "timestamp_undo",
        "inferred: there are no timestamps to go by",
    ),
];
