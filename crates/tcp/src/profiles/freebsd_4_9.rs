//! FreeBSD 4.9 with its defaults.
//!
//! Names are those of its sysctls (tcp(4)) and of `sys/netinet/tcp_timer.h`, `tcp_input.c` and
//! `tcp_output.c` of the time.

use super::{BsdStack, ClassicSender, Family, ParameterDoc, Profile, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 57_344,
    send_buffer_bytes: 32_768,
    window_scaling: true,
    window_shift_min: 0,
    timestamps: true,
    timestamp_tick_ms: 10,
    sack: false,
    congestion_control: CongestionAlgorithm::Reno,
    initial_window: InitialWindow::Segments(1),
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 3,
    dsack: false,
    ecn: EcnUse::Off,
    frto: false,
    nagle: Nagle::Any,
    delayed_ack_ms: 100,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: true,
    rto_initial_ms: 3000,
    rto_min_ms: 30,
    rto_max_ms: 64_000,
    rto_after_syn_loss_ms: 3000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 8,
    syn_ack_retries: 3,
    syn_linear_timeouts: 4,
    data_retries: 12,
    time_wait_ms: 60_000,
    fin_wait2_ms: 600_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 8,
    family: Family::Bsd(BsdStack {
        tick_ms: 10,
        quarter_ticks: true,
        rto_slop_ms: 200,
        send_low_water_bytes: 2048,
        window_update_segments: 2,
        counts_arrivals: true,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::NewReno,
            byte_counting: false,
            slow_start_limit_segments: 1,
            window_validation: WindowValidation::Off,
            reduces_window: false,
            limited_transmit: false,
            duplicates_by_number: true,
            timestamp_undo: false,
        },
    }),
};

pub(super) const SOURCES: &[ParameterDoc] = &[
    doc(
        "mss_bytes",
        "RFC 9293 §3.7.1: an Ethernet MTU of 1500 less 40",
    ),
    doc("receive_window_bytes", "net.inet.tcp.recvspace: 56 KiB"),
    doc(
        "send_buffer_bytes",
        "net.inet.tcp.sendspace: 32 KiB, which limits what is in flight too",
    ),
    doc("window_scaling", "net.inet.tcp.rfc1323: 1"),
    doc("window_shift_min", "the default buffer needs none"),
    doc("timestamps", "net.inet.tcp.rfc1323: 1"),
    doc("timestamp_tick_ms", "a tick at hz = 100"),
    doc("sack", "inferred: SACK came with FreeBSD 5.3"),
    doc("congestion_control", "tcp_input.c: RFC 2581"),
    doc(
        "initial_window",
        "net.inet.tcp.slowstart_flightsize: 1 beyond the local network",
    ),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc(
        "restart_after_idle",
        "tcp_output.c: to slowstart_flightsize after a timeout's silence",
    ),
    doc(
        "pacing",
        "inferred: tcp_output.c sends what the window holds",
    ),
    doc("duplicate_ack_threshold", "tcprexmtthresh: 3"),
    doc("reordering_max", "tcprexmtthresh: a constant"),
    doc("dsack", "there is no SACK"),
    doc("ecn", "inferred: not in FreeBSD 4"),
    doc("frto", "inferred: not in FreeBSD 4"),
    doc("nagle", "tcp(4): on unless TCP_NODELAY is set"),
    doc("delayed_ack_ms", "TCPTV_DELACK: hz/10"),
    doc("delayed_ack_segments", "tcp_input.c: every second segment"),
    doc(
        "invalid_answer_interval_ms",
        "tcp_input: every one is answered",
    ),
    doc("resets_acknowledge", "tcp_outflags of CLOSED: RST and ACK"),
    doc("rto_initial_ms", "TCPTV_RTOBASE: 3 s"),
    doc(
        "rto_min_ms",
        "net.inet.tcp.rexmit_min: hz/33, three ticks (since July 2002)",
    ),
    doc("rto_max_ms", "TCPTV_REXMTMAX: 64 s"),
    doc(
        "rto_after_syn_loss_ms",
        "inferred: TCPTV_RTOBASE stays until something is measured",
    ),
    doc("persist_max_ms", "TCPTV_PERSMAX: 60 s"),
    doc("probes_with_data", "tcp_output.c: one byte"),
    doc(
        "syn_retries",
        "tcp_syn_backoff and TCPTV_KEEP_INIT: what fits 75 s, though the last wait is cut to 18 s there",
    ),
    doc("syn_ack_retries", "SYNCACHE_MAXREXMTS: 3"),
    doc(
        "syn_linear_timeouts",
        "tcp_syn_backoff: 1, 1, 1, 1, 1, 2, 4, 8",
    ),
    doc("data_retries", "TCP_MAXRXTSHIFT: 12"),
    doc("time_wait_ms", "net.inet.tcp.msl: 30 s, twice"),
    doc("fin_wait2_ms", "tcp_maxidle: 8 probes at 75 s"),
    doc("keep_alive_idle_ms", "net.inet.tcp.keepidle: 2 h"),
    doc("keep_alive_interval_ms", "net.inet.tcp.keepintvl: 75 s"),
    doc("keep_alive_probes", "TCPTV_KEEPCNT: 8"),
    doc(
        "family",
        "tcp_input.c, tcp_timer.c: 4.4BSD's, on a finer clock",
    ),
    doc("tick_ms", "callouts run on ticks"),
    doc("quarter_ticks", "tcp_xmit_timer"),
    doc(
        "rto_slop_ms",
        "net.inet.tcp.rexmit_slop: TCPTV_CPU_VAR, hz/5",
    ),
    doc(
        "send_low_water_bytes",
        "soreserve, sbreserve: sb_lowat of a send buffer is MCLBYTES, 2 KiB",
    ),
    doc(
        "window_update_segments",
        "tcp_output.c: twice t_maxseg, or half of so_rcv.sb_hiwat",
    ),
    doc(
        "counts_arrivals",
        "tcp_input.c, DELAY_ACK: not while the timer of one runs",
    ),
    doc("recovery", "net.inet.tcp.newreno: 1"),
    doc("byte_counting", "tcp_input.c: counts acknowledgements"),
    doc(
        "slow_start_limit_segments",
        "tcp_input.c: one segment per acknowledgement",
    ),
    doc(
        "window_validation",
        "tcp_input.c: grows with every acknowledgement",
    ),
    doc(
        "reduces_window",
        "inferred: tcp_input.c: half of the lesser of the windows, which a bulk transfer has in flight",
    ),
    doc(
        "limited_transmit",
        "net.inet.tcp.rfc3042: inferred off, as its default came later",
    ),
    doc(
        "duplicates_by_number",
        "tcp_input.c: t_dupacks counts repetitions; there is no SACK",
    ),
    doc(
        "timestamp_undo",
        "inferred: its undo by time (t_badrxtwin) serves the first timeout only; not modelled",
    ),
];
