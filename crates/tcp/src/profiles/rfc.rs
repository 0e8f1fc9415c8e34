//! The RFCs' letter: what a host would do that takes each recommendation and has no history.

use super::{ParameterDoc, Profile, doc};
use crate::congestion::{CongestionAlgorithm, InitialWindow};
use crate::recovery::RecoveryAlgorithm;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 65_535,
    send_buffer_bytes: 131_072,
    window_scaling: true,
    timestamps: false,
    timestamp_tick_ms: 1,
    sack: true,
    recovery: RecoveryAlgorithm::Sack,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Rfc5681,
    byte_counting: true,
    restart_after_idle: true,
    duplicate_ack_threshold: 3,
    limited_transmit: true,
    nagle: true,
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    rto_initial_ms: 1000,
    rto_min_ms: 1000,
    rto_max_ms: 60_000,
    rto_granularity_ms: 1,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 60_000,
    syn_retries: 7,
    data_retries: 6,
    time_wait_ms: 240_000,
};

pub(super) const SOURCES: [ParameterDoc; 26] = [
    doc(
        "mss_bytes",
        "bytes",
        "RFC 9293 §3.7.1 and RFC 894: 1500 less 20 of IPv4 and 20 of TCP",
    ),
    doc(
        "receive_window_bytes",
        "bytes",
        "RFC 9293 §3.1: the largest window without scaling",
    ),
    doc(
        "send_buffer_bytes",
        "bytes",
        "inferred: twice 64 KiB, so that a full window never waits",
    ),
    doc(
        "window_scaling",
        "",
        "RFC 7323 §2.2: may be sent in a SYN; with this buffer the shift is 0",
    ),
    doc(
        "timestamps",
        "",
        "RFC 7323 §3.2: optional; off, so that segments are 1460 bytes",
    ),
    doc(
        "timestamp_tick_ms",
        "ms",
        "RFC 7323 §5.4: between 1 ms and 1 s",
    ),
    doc("sack", "", "RFC 2018 §2"),
    doc("recovery", "", "RFC 6675 §5"),
    doc("congestion_control", "", "RFC 5681 §3.1"),
    doc("initial_window", "", "RFC 5681 §3.1"),
    doc(
        "byte_counting",
        "",
        "RFC 5681 §3.1: the recommended way of congestion avoidance",
    ),
    doc("restart_after_idle", "", "RFC 5681 §4.1"),
    doc(
        "duplicate_ack_threshold",
        "",
        "RFC 5681 §3.2: the third duplicate",
    ),
    doc("limited_transmit", "", "RFC 3042, RFC 5681 §3.2 step 1"),
    doc("nagle", "", "RFC 9293 §3.7.4"),
    doc(
        "delayed_ack_ms",
        "ms",
        "RFC 9293 §3.8.6.3: below 500 ms; 200 ms is the usual choice",
    ),
    doc(
        "delayed_ack_segments",
        "",
        "RFC 5681 §4.2: at least every second full segment",
    ),
    doc("rto_initial_ms", "ms", "RFC 6298 (2.1)"),
    doc("rto_min_ms", "ms", "RFC 6298 (2.4)"),
    doc("rto_max_ms", "ms", "RFC 6298 (2.5): at least 60 s"),
    doc(
        "rto_granularity_ms",
        "ms",
        "RFC 6298 §4: finer than 100 ms is better; inferred 1 ms",
    ),
    doc("rto_after_syn_loss_ms", "ms", "RFC 6298 (5.7)"),
    doc(
        "persist_max_ms",
        "ms",
        "inferred: RFC 9293 §3.8.6.1 gives no limit; that of the timeout",
    ),
    doc(
        "syn_retries",
        "",
        "RFC 9293 §3.8.3: R2 of at least 3 min; 1+2+4+8+16+32+60+60 = 183 s",
    ),
    doc(
        "data_retries",
        "",
        "RFC 9293 §3.8.3: R2 of at least 100 s; 1+2+4+8+16+32+60 = 123 s",
    ),
    doc("time_wait_ms", "ms", "RFC 9293 §3.4.2: an MSL of 2 min"),
];
