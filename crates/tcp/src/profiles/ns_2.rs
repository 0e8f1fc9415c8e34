//! ns-2 2.35: what its one-way agents (`Agent/TCP` and its heirs, `TCPSink`) do by their defaults,
//! as far as an endpoint can that shakes hands and has two directions.

use super::{ClassicSender, Family, ParameterDoc, Profile, StandardStack, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1000,
    receive_window_bytes: 20_000,
    send_buffer_bytes: 1_048_576,
    window_scaling: true,
    window_shift_min: 0,
    timestamps: false,
    timestamp_tick_ms: 1,
    sack: false,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Segments(2),
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 3,
    dsack: false,
    ecn: EcnUse::Off,
    frto: false,
    nagle: Nagle::Off,
    delayed_ack_ms: 200,
    delayed_ack_segments: 1,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: false,
    rto_initial_ms: 3000,
    rto_min_ms: 200,
    rto_max_ms: 60_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 255,
    syn_ack_retries: 255,
    syn_linear_timeouts: 0,
    data_retries: 255,
    time_wait_ms: 240_000,
    fin_wait2_ms: 0,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 9,
    family: Family::Standard(StandardStack {
        rto_granularity_ms: 10,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Tahoe,
            byte_counting: false,
            slow_start_limit_segments: 1,
            window_validation: WindowValidation::Off,
            reduces_window: true,
            limited_transmit: true,
            duplicates_by_number: true,
            timestamp_undo: false,
        },
    }),
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc("mss_bytes", "ns-default.tcl: packetSize_ 1000"),
    doc(
        "receive_window_bytes",
        "ns-default.tcl: window_ 20 packets; an agent's window counts packets, so swept with mss_bytes",
    ),
    doc(
        "send_buffer_bytes",
        "inferred: an agent's application never waits for room; a mebibyte",
    ),
    doc(
        "window_scaling",
        "inferred: an agent's window has no field that could be too short",
    ),
    doc("window_shift_min", "inferred: no larger than needed"),
    doc("timestamps", "ns-default.tcl: timestamps_ false"),
    doc("timestamp_tick_ms", "inferred: no timestamps are sent"),
    doc(
        "sack",
        "ns-default.tcl: the agent of this name, Agent/TCP, has none; true for Sack1",
    ),
    doc(
        "congestion_control",
        "tcp.cc, opencwnd and slowdown; vegas-ns-2 for Agent/TCP/Vegas",
    ),
    doc("initial_window", "ns-default.tcl: windowInit_ 2"),
    doc(
        "congestion_window_max_segments",
        "ns-default.tcl: maxcwnd_ 0",
    ),
    doc(
        "restart_after_idle",
        "ns-default.tcl: slow_start_restart_ true",
    ),
    doc(
        "pacing",
        "ns-2 2.35: tcp.cc sends what the window holds; overhead_ 0",
    ),
    doc("duplicate_ack_threshold", "ns-default.tcl: numdupacks_ 3"),
    doc("reordering_max", "ns-default.tcl: numdupacks_ 3, always"),
    doc("dsack", "ns-default.tcl: generateDSacks_ false"),
    doc("ecn", "ns-default.tcl: ecn_ 0"),
    doc("frto", "ns-default.tcl: frto_ 0"),
    doc("nagle", "inferred: an agent sends whole packets only"),
    doc(
        "delayed_ack_ms",
        "inferred: nothing is held back with delayed_ack_segments = 1; DelAck's interval_ is 100 ms",
    ),
    doc(
        "delayed_ack_segments",
        "tcp-sink.cc: TCPSink acknowledges each packet; 2 for DelAck",
    ),
    doc(
        "invalid_answer_interval_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "resets_acknowledge",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc("rto_initial_ms", "ns-default.tcl: rtxcur_init_ 3.0"),
    doc("rto_min_ms", "ns-default.tcl: minrto_ 0.2"),
    doc("rto_max_ms", "ns-default.tcl: maxrto_ 60"),
    doc(
        "rto_after_syn_loss_ms",
        "inferred: the agent's SYN is a packet like others; as rto_initial_ms",
    ),
    doc(
        "persist_max_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "probes_with_data",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc("syn_retries", "inferred: an agent never gives up"),
    doc("syn_ack_retries", "inferred: an agent never gives up"),
    doc(
        "syn_linear_timeouts",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc("data_retries", "inferred: an agent never gives up"),
    doc(
        "time_wait_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "fin_wait2_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "keep_alive_idle_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "keep_alive_interval_ms",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "keep_alive_probes",
        "inferred: an agent has no such thing; as rfc",
    ),
    doc(
        "family",
        "tcp.cc, tcp-reno.cc, tcp-newreno.cc, tcp-sack1.cc",
    ),
    doc("rto_granularity_ms", "ns-default.tcl: tcpTick_ 0.01"),
    doc(
        "recovery",
        "Agent/TCP is Tahoe; reno, newreno, sack and vegas for its heirs",
    ),
    doc("byte_counting", "tcp.cc, opencwnd: counts acknowledgements"),
    doc(
        "slow_start_limit_segments",
        "tcp.cc, opencwnd: one for each acknowledgement",
    ),
    doc("window_validation", "ns-default.tcl: control_increase_ 0"),
    doc(
        "reduces_window",
        "tcp.cc, slowdown: half of windowd(), the smaller of cwnd_ and window_",
    ),
    doc("limited_transmit", "ns-default.tcl: singledup_ 1"),
    doc(
        "duplicates_by_number",
        "tcp-sack1.cc, recv: what repeats last_ack_",
    ),
    doc("timestamp_undo", "inferred: no timestamps are sent"),
];
