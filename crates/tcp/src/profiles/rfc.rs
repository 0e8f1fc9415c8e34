//! The RFCs' letter: what a host would do that takes each recommendation and has no history.

use super::{ClassicSender, Family, ParameterDoc, Profile, StandardStack, doc};
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
    timestamps: false,
    timestamp_tick_ms: 1,
    sack: true,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Rfc5681,
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 3,
    dsack: false,
    ecn: EcnUse::Off,
    frto: false,
    nagle: Nagle::Any,
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: false,
    rto_initial_ms: 1000,
    rto_min_ms: 1000,
    rto_max_ms: 60_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 7,
    syn_ack_retries: 7,
    syn_linear_timeouts: 0,
    data_retries: 6,
    time_wait_ms: 240_000,
    fin_wait2_ms: 0,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 9,
    family: Family::Standard(StandardStack {
        rto_granularity_ms: 1,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Sack,
            byte_counting: true,
            slow_start_limit_segments: 1,
            window_validation: WindowValidation::Half,
            reduces_window: false,
            limited_transmit: true,
            duplicates_by_number: false,
            timestamp_undo: false,
        },
    }),
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc(
        "mss_bytes",
        "RFC 9293 §3.7.1 and RFC 894: 1500 less 20 of IPv4 and 20 of TCP",
    ),
    doc(
        "receive_window_bytes",
        "RFC 9293 §3.1: the largest window without scaling",
    ),
    doc(
        "send_buffer_bytes",
        "inferred: twice 64 KiB, so that a full window never waits",
    ),
    doc(
        "window_scaling",
        "RFC 7323 §2.2: may be sent in a SYN; with this buffer the shift is 0",
    ),
    doc("window_shift_min", "RFC 7323 §2.3: no larger than needed"),
    doc(
        "timestamps",
        "RFC 7323 §3.2: optional; off, so that segments are 1460 bytes",
    ),
    doc("timestamp_tick_ms", "RFC 7323 §5.4: between 1 ms and 1 s"),
    doc("sack", "RFC 2018 §2"),
    doc("congestion_control", "RFC 5681 §3.1"),
    doc("initial_window", "RFC 5681 §3.1"),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc("restart_after_idle", "RFC 5681 §4.1"),
    doc(
        "pacing",
        "RFC 5681 lets what the window holds leave at once",
    ),
    doc(
        "duplicate_ack_threshold",
        "RFC 5681 §3.2: the third duplicate",
    ),
    doc("reordering_max", "RFC 5681 §3.2: always the third"),
    doc(
        "dsack",
        "RFC 2883 §4: may be sent; off, as RFC 6675 makes nothing of it",
    ),
    doc("ecn", "RFC 3168 §6.1.1: may be negotiated; off"),
    doc("frto", "RFC 5682 §1: an option; off"),
    doc("nagle", "RFC 9293 §3.7.4"),
    doc(
        "delayed_ack_ms",
        "RFC 9293 §3.8.6.3: below 500 ms; 200 ms is the usual choice",
    ),
    doc(
        "delayed_ack_segments",
        "RFC 5681 §4.2: at least every second full segment",
    ),
    doc(
        "invalid_answer_interval_ms",
        "RFC 5961 §7 leaves the limit to the implementation",
    ),
    doc(
        "resets_acknowledge",
        "RFC 9293 §3.10.5, ABORT: SEQ and RST alone",
    ),
    doc("rto_initial_ms", "RFC 6298 (2.1)"),
    doc("rto_min_ms", "RFC 6298 (2.4)"),
    doc("rto_max_ms", "RFC 6298 (2.5): at least 60 s"),
    doc("rto_after_syn_loss_ms", "RFC 6298 (5.7)"),
    doc(
        "persist_max_ms",
        "inferred: RFC 9293 §3.8.6.1 gives no limit; that of the timeout",
    ),
    doc(
        "probes_with_data",
        "RFC 9293 §3.8.6.1: at least one byte of new data",
    ),
    doc(
        "syn_retries",
        "RFC 9293 §3.8.3: R2 of at least 3 min; 1+2+4+8+16+32+60+60 = 183 s",
    ),
    doc("syn_ack_retries", "RFC 9293 §3.8.3: as syn_retries"),
    doc("syn_linear_timeouts", "RFC 6298 (5.5): doubles at once"),
    doc(
        "data_retries",
        "RFC 9293 §3.8.3: R2 of at least 100 s; 1+2+4+8+16+32+60 = 123 s",
    ),
    doc("time_wait_ms", "RFC 9293 §3.4.2: an MSL of 2 min"),
    doc("fin_wait2_ms", "RFC 9293 §3.6 knows no limit"),
    doc(
        "keep_alive_idle_ms",
        "RFC 9293 §3.8.4: not less than two hours",
    ),
    doc(
        "keep_alive_interval_ms",
        "inferred: RFC 9293 §3.8.4 gives none; that of 4.4BSD",
    ),
    doc(
        "keep_alive_probes",
        "inferred: RFC 9293 §3.8.4: one must not suffice; that of Linux",
    ),
    doc("family", "RFC 5681, RFC 6298, RFC 6582 and RFC 6675"),
    doc(
        "rto_granularity_ms",
        "RFC 6298 §4: finer than 100 ms is better; inferred 1 ms",
    ),
    doc("recovery", "RFC 6675 §5"),
    doc(
        "byte_counting",
        "RFC 5681 §3.1: the recommended way of congestion avoidance",
    ),
    doc(
        "slow_start_limit_segments",
        "RFC 5681 (2): min(N, SMSS); RFC 3465, with 2, is experimental",
    ),
    doc(
        "window_validation",
        "RFC 7661 §4.1: a window of which half is not used is not validated",
    ),
    doc("reduces_window", "RFC 5681 (4): half of FlightSize"),
    doc("limited_transmit", "RFC 3042, RFC 5681 §3.2 step 1"),
    doc(
        "duplicates_by_number",
        "RFC 6675 §2: with SACK a duplicate is what tells something new",
    ),
    doc(
        "timestamp_undo",
        "RFC 3522 is experimental; off, as are timestamps",
    ),
];
