//! 4.4BSD-Lite, the ancestor of many stacks of the nineties: Reno on a clock of 500 ms.
//!
//! "Stevens 2" is G. Wright and W. R. Stevens, "TCP/IP Illustrated, Volume 2: The Implementation"
//! (1995); names in capitals are those of its `tcp_timer.h`.
//!
//! On a path much shorter than its clock's tick its timeouts are 1.5, 3, 6, 12, 24, 48 and 64 s
//! (Stevens, Volume 1, §21.2), which are those of the UMass traces (Vasudevan et al. 2003).

use super::{BsdStack, ClassicSender, Family, ParameterDoc, Profile, doc};
use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

pub(super) const PROFILE: Profile = Profile {
    mss_bytes: 1460,
    receive_window_bytes: 8192,
    send_buffer_bytes: 8192,
    window_scaling: true,
    window_shift_min: 0,
    timestamps: false,
    timestamp_tick_ms: 500,
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
    delayed_ack_ms: 200,
    delayed_ack_segments: 2,
    invalid_answer_interval_ms: 0,
    resets_acknowledge: true,
    rto_initial_ms: 6000,
    rto_min_ms: 1000,
    rto_max_ms: 64_000,
    rto_after_syn_loss_ms: 6000,
    persist_max_ms: 60_000,
    probes_with_data: true,
    syn_retries: 2,
    syn_ack_retries: 2,
    syn_linear_timeouts: 0,
    data_retries: 12,
    time_wait_ms: 60_000,
    fin_wait2_ms: 600_000,
    keep_alive_idle_ms: 7_200_000,
    keep_alive_interval_ms: 75_000,
    keep_alive_probes: 8,
    family: Family::Bsd(BsdStack {
        tick_ms: 500,
        quarter_ticks: false,
        rto_slop_ms: 0,
        send_low_water_bytes: 2048,
        window_update_segments: 2,
        counts_arrivals: false,
        sender: ClassicSender {
            recovery: RecoveryAlgorithm::Reno,
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
    doc("receive_window_bytes", "tcp_recvspace: 8 KiB"),
    doc(
        "send_buffer_bytes",
        "tcp_sendspace: 8 KiB, which limits what is in flight too",
    ),
    doc("window_scaling", "tcp_do_rfc1323: 1"),
    doc("window_shift_min", "the default buffer needs none"),
    doc(
        "timestamps",
        "inferred: off, as its derivatives of the time shipped it; tcp_do_rfc1323 turns both on",
    ),
    doc("timestamp_tick_ms", "tcp_now counts slow timeouts"),
    doc("sack", "4.4BSD has none"),
    doc("congestion_control", "Stevens 2, §29.3"),
    doc("initial_window", "Stevens 2, §27.9: one segment"),
    doc(
        "congestion_window_max_segments",
        "inferred: no stack of the kind is known to have one",
    ),
    doc(
        "restart_after_idle",
        "Stevens 2, §26.3: to one segment after a timeout's silence",
    ),
    doc(
        "pacing",
        "Stevens 2, §26.3: tcp_output sends what the window holds",
    ),
    doc("duplicate_ack_threshold", "tcprexmtthresh: 3"),
    doc("reordering_max", "tcprexmtthresh: a constant"),
    doc("dsack", "there is no SACK"),
    doc("ecn", "RFC 3168 is younger"),
    doc("frto", "RFC 5682 is younger"),
    doc("nagle", "tcp(4): on unless TCP_NODELAY is set"),
    doc(
        "delayed_ack_ms",
        "Stevens 2, §25.4: the fast timer; there it ends on the tick, up to 200 ms later",
    ),
    doc(
        "delayed_ack_segments",
        "what the update of the window comes to: tcp_input.c counts none",
    ),
    doc(
        "invalid_answer_interval_ms",
        "tcp_input: every one is answered",
    ),
    doc("resets_acknowledge", "tcp_outflags of CLOSED: RST and ACK"),
    doc(
        "rto_initial_ms",
        "Stevens 2, §25.7: 12 slow ticks; the second SYN there follows after 24 s, here after 12",
    ),
    doc("rto_min_ms", "TCPTV_MIN: two slow ticks"),
    doc("rto_max_ms", "TCPTV_REXMTMAX: 64 s"),
    doc(
        "rto_after_syn_loss_ms",
        "Stevens 2, §25.7: the initial value stays",
    ),
    doc("persist_max_ms", "TCPTV_PERSMAX: 60 s"),
    doc("probes_with_data", "Stevens 2, §25.6: one byte"),
    doc("syn_retries", "TCPTV_KEEP_INIT: what fits 75 s"),
    doc("syn_ack_retries", "TCPTV_KEEP_INIT: what fits 75 s"),
    doc("syn_linear_timeouts", "tcp_backoff: doubles at once"),
    doc("data_retries", "TCP_MAXRXTSHIFT: 12"),
    doc("time_wait_ms", "TCPTV_MSL: 30 s, twice"),
    doc("fin_wait2_ms", "tcp_maxidle: 8 probes at 75 s"),
    doc("keep_alive_idle_ms", "TCPTV_KEEP_IDLE: 2 h"),
    doc("keep_alive_interval_ms", "TCPTV_KEEPINTVL: 75 s"),
    doc("keep_alive_probes", "TCPTV_KEEPCNT: 8"),
    doc("family", "Stevens 2, chapters 24 to 29"),
    doc("tick_ms", "PR_SLOWHZ: timers expire on slow ticks"),
    doc("quarter_ticks", "Stevens 2, §25.10"),
    doc("rto_slop_ms", "TCPT_RANGESET adds nothing"),
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
        "tcp_input.c: TF_DELACK alone; that reading tells of two segments' room acknowledges every second one",
    ),
    doc(
        "recovery",
        "Stevens 2, §29.4: fast recovery as in 4.3BSD Reno",
    ),
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
        "inferred: Stevens 2, §29.4: half of the lesser of the windows, which a bulk transfer has in flight",
    ),
    doc("limited_transmit", "RFC 3042 is younger"),
    doc(
        "duplicates_by_number",
        "tcp_input.c: t_dupacks counts repetitions; there is no SACK",
    ),
    doc("timestamp_undo", "RFC 3522 is younger"),
];
