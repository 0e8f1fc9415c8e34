//! macOS 15 with its defaults, whose kernel XNU is public (bsd/netinet in the source that Apple
//! publishes).
//!
//! Names in capitals are those of `tcp_timer.h` and `tcp_cc.h`, "net.inet.tcp" stands for the
//! sysctls that `tcp_input.c`, `tcp_output.c` and `tcp_sysctls.c` declare. Not modelled:
//! acknowledgments that a fast stream stretches to eight segments, the 100 ms by which fast timers
//! are joined, tail loss probes, RACK, and the history by which ECN is given up.

use super::{BsdStack, ClassicSender, Family, ParameterDoc, Profile, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 2_097_152,
    send_buffer_bytes: 2_097_152,
    window_scaling: true,
    window_shift_min: 3,
    timestamps: true,
    timestamp_tick_ms: 1,
    sack: true,
    congestion_control: CongestionAlgorithm::Cubic,
    initial_window: InitialWindow::Segments(10),
    congestion_window_max_segments: 0,
    restart_after_idle: true,
    pacing: false,
    duplicate_ack_threshold: 3,
    reordering_max: 3,
    dsack: true,
    ecn: EcnUse::On,
    frto: false,
    nagle: Nagle::Any,
    delayed_ack_ms: 100,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 100,
    resets_acknowledge: true,
    rto_initial_ms: 1000,
    rto_min_ms: 30,
    rto_max_ms: 64_000,
    rto_after_syn_loss_ms: 1000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 10,
    syn_ack_retries: 6,
    syn_linear_timeouts: 4,
    data_retries: 12,
    time_wait_ms: 30_000,
    fin_wait2_ms: 60_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 8,
    family: Family::Bsd(BsdStack {
        tick_ms: 1,
        quarter_ticks: true,
        rto_slop_ms: 200,
        send_low_water_bytes: 2048,
        window_update_segments: 2,
        counts_arrivals: true,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Sack,
            byte_counting: true,
            slow_start_limit_segments: 2,
            window_validation: WindowValidation::Half,
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
        "net.inet.tcp.autorcvbufmax: 2 MiB, which tuning reaches",
    ),
    doc(
        "send_buffer_bytes",
        "net.inet.tcp.autosndbufmax: 2 MiB, which tuning reaches",
    ),
    doc("window_scaling", "net.inet.tcp.rfc1323: 1"),
    doc("window_shift_min", "net.inet.tcp.win_scale_factor: 3"),
    doc("timestamps", "net.inet.tcp.rfc1323: 1"),
    doc("timestamp_tick_ms", "TCP_RETRANSHZ: 1000 per second"),
    doc("sack", "net.inet.tcp.sack: 1"),
    doc(
        "congestion_control",
        "TCP_CC_ALGO_CUBIC_INDEX: the default; net.inet.tcp.use_newreno: 0",
    ),
    doc("initial_window", "TCP_CC_CWND_INIT_PKTS: 10"),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc(
        "restart_after_idle",
        "tcp_cubic.c: the window begins anew after an idle timeout",
    ),
    doc(
        "pacing",
        "inferred: L4S alone is paced, and net.inet.tcp.l4s is 0",
    ),
    doc("duplicate_ack_threshold", "tcprexmtthresh: 3"),
    doc(
        "reordering_max",
        "tcprexmtthresh: a constant, where RACK is off",
    ),
    doc(
        "dsack",
        "tcp_reass: t_dsack_lseq; TCP_CC_DSACK_BAD_REXMT undoes",
    ),
    doc(
        "ecn",
        "net.inet.tcp.ecn: 1, and net.inet.tcp.ecn_setup_percentage: 100",
    ),
    doc(
        "frto",
        "inferred: tcp_bad_rexmt_check goes by timestamps alone",
    ),
    doc("nagle", "tcp(4): on unless TCP_NODELAY is set"),
    doc(
        "delayed_ack_ms",
        "tcp_timer.h: fast timers run in the order of 100 ms",
    ),
    doc(
        "delayed_ack_segments",
        "net.inet.tcp.delayed_ack: 3; every second segment, where no stream is stretched",
    ),
    doc(
        "invalid_answer_interval_ms",
        "net.inet.tcp.challengeack_limit: 10 a second; inferred: at even distances",
    ),
    doc(
        "resets_acknowledge",
        "inferred: tcp_outflags of CLOSED, as in the BSDs",
    ),
    doc("rto_initial_ms", "TCPTV_RTOBASE: 1 s"),
    doc("rto_min_ms", "TCPTV_REXMTMIN: TCP_RETRANSHZ/33"),
    doc("rto_max_ms", "TCPTV_REXMTMAX: 64 s"),
    doc(
        "rto_after_syn_loss_ms",
        "inferred: TCPTV_RTOBASE stays until something is measured",
    ),
    doc("persist_max_ms", "TCPTV_PERSMAX: 60 s"),
    doc("probes_with_data", "tcp_timer.h, TCPT_PERSIST: one byte"),
    doc(
        "syn_retries",
        "tcp_syn_backoff and TCPTV_KEEP_INIT: what fits 75 s",
    ),
    doc(
        "syn_ack_retries",
        "inferred: tcp_backoff and TCPTV_KEEP_INIT: what fits 75 s",
    ),
    doc(
        "syn_linear_timeouts",
        "tcp_syn_backoff: 1, 1, 1, 1, 1, 2, 4, 8",
    ),
    doc("data_retries", "TCP_MAXRXTSHIFT: 12"),
    doc("time_wait_ms", "TCPTV_MSL: 15 s, twice"),
    doc("fin_wait2_ms", "TCPTV_FINWAIT2: 60 s"),
    doc("keep_alive_idle_ms", "TCPTV_KEEP_IDLE: 2 h"),
    doc("keep_alive_interval_ms", "TCPTV_KEEPINTVL: 75 s"),
    doc("keep_alive_probes", "TCPTV_KEEPCNT: 8"),
    doc(
        "family",
        "tcp_input.c, tcp_timer.c: 4.4BSD's, on a finer clock",
    ),
    doc("tick_ms", "TCP_RETRANSHZ: 1000 per second"),
    doc(
        "quarter_ticks",
        "inferred: tcp_xmit_timer keeps fractions of a tick",
    ),
    doc("rto_slop_ms", "TCPTV_REXMTSLOP: TCP_RETRANSHZ/5"),
    doc(
        "send_low_water_bytes",
        "inferred: sbreserve, as in the BSDs: one cluster",
    ),
    doc(
        "window_update_segments",
        "inferred: tcp_output, as in the BSDs: two segments",
    ),
    doc("counts_arrivals", "tcp_cc_delay_ack: t_unacksegs"),
    doc("recovery", "tcp_sack.c, tcp_flight_size: RFC 6675"),
    doc("byte_counting", "net.inet.tcp.rfc3465: 1"),
    doc(
        "slow_start_limit_segments",
        "net.inet.tcp.rfc3465_lim2: 1, an L of 2",
    ),
    doc(
        "window_validation",
        "tcp_cc.h, tcp_cc_is_cwnd_nonvalidated: RFC 7661",
    ),
    doc(
        "reduces_window",
        "inferred: tcp_cubic.c leaves a share of the congestion window",
    ),
    doc("limited_transmit", "tcp_cc.h: TCP_CC_LIMITED_TRANSMIT"),
    doc(
        "duplicates_by_number",
        "inferred: RFC 6675 §2, which the source names",
    ),
    doc("timestamp_undo", "tcp_bad_rexmt_check: RFC 3522"),
];
