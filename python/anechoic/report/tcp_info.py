"""The columns of the samples of TCP_INFO: Linux's names, units and meanings.

`struct tcp_info` of `include/uapi/linux/tcp.h` gives names and units; tcp(7) and ss(8) the
meanings. What it has and a simulation does not (pacing, delivery rate, busy times, ECN) is left
out.
"""

SAMPLE = {
    "time_s": ("s", "when, from the start of the run"),
    "flow": ("", "the flow's name"),
    "end": ("", "`sender` opened the connection and sends the flow's data, `receiver` does not"),
}

FIELDS = {
    "tcpi_state": ("", "connection state by Linux's number: 1 ESTABLISHED, 6 TIME-WAIT, 7 CLOSED"),
    "tcpi_ca_state": ("", "0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss"),
    "tcpi_retransmits": ("", "timeouts since the last new acknowledgement"),
    "tcpi_probes": ("", "unanswered window probes"),
    "tcpi_backoff": ("", "how often the timeout has been doubled"),
    "tcpi_options": ("", "sum of the options in use: 1 timestamps, 2 SACK, 4 window scaling"),
    "tcpi_snd_wscale": ("bits", "shift of the peer's window field"),
    "tcpi_rcv_wscale": ("bits", "shift of its own"),
    "tcpi_rto": ("µs", "retransmission timeout, backed off"),
    "tcpi_ato": ("µs", "delay of the delayed acknowledgement, as it stands"),
    "tcpi_snd_mss": ("bytes", "payload of a full segment sent"),
    "tcpi_rcv_mss": ("bytes", "payload of the largest segment received, 536 before any"),
    "tcpi_unacked": ("segments", "sent and not acknowledged, SACKed ones included"),
    "tcpi_sacked": ("segments", "SACKed, or without SACK the duplicate acknowledgements"),
    "tcpi_lost": ("segments", "believed lost"),
    "tcpi_retrans": ("segments", "sent again and not yet acknowledged"),
    "tcpi_fackets": ("segments", "0, as in Linux since 4.15"),
    "tcpi_rtt": ("µs", "smoothed round-trip time; 0 before the first measurement"),
    "tcpi_rttvar": ("µs", "its variation, as the profile's estimator keeps it"),
    "tcpi_min_rtt": ("µs", "least round-trip time"),
    "tcpi_snd_ssthresh": ("segments", "slow start threshold; 2147483647 before the first loss"),
    "tcpi_snd_cwnd": ("segments", "congestion window, without fast recovery's inflation"),
    "tcpi_advmss": ("bytes", "the MSS announced"),
    "tcpi_reordering": ("segments", "how many duplicates speak for a loss by now"),
    "tcpi_rcv_rtt": ("µs", "the receiver's estimate of the round trip; 0 where it makes none"),
    "tcpi_rcv_space": ("bytes", "the most that was read in one round trip"),
    "tcpi_rcv_ssthresh": ("bytes", "the window it is willing to show"),
    "tcpi_snd_wnd": ("bytes", "the peer's window, beyond what is acknowledged"),
    "tcpi_total_retrans": ("segments", "sent again in all, SYNs included"),
    "tcpi_bytes_acked": ("bytes", "acknowledged by the peer"),
    "tcpi_bytes_received": ("bytes", "received in order"),
    "tcpi_bytes_sent": ("bytes", "payload sent, retransmissions included"),
    "tcpi_bytes_retrans": ("bytes", "payload sent again"),
    "tcpi_segs_out": ("segments", "sent"),
    "tcpi_segs_in": ("segments", "received"),
    "tcpi_data_segs_out": ("segments", "sent with payload"),
    "tcpi_data_segs_in": ("segments", "received with payload"),
    "tcpi_delivered": ("segments", "known to have arrived, the SYN and SACKed ones included"),
    "tcpi_dsack_dups": ("", "DSACK reports received"),
    "tcpi_reord_seen": ("", "whether reordering was seen (Linux counts how often)"),
    "tcpi_rcv_ooopack": ("segments", "received out of order"),
    "tcpi_notsent_bytes": ("bytes", "written and never sent"),
}

COUNTS = {
    "fast_retransmissions": ("segments", "sent again by fast recovery (TCPFastRetrans)"),
    "timeout_retransmissions": ("segments", "sent again by the timer (TCPSlowStartRetrans)"),
    "syn_retransmissions": ("segments", "SYNs and SYN-ACKs sent again (TCPSynRetrans)"),
    "fast_recoveries": ("", "entries into fast recovery (TCPSackRecovery, TCPRenoRecovery)"),
    "spurious_recoveries": ("", "recoveries and timeouts undone as spurious (TCPFullUndo …)"),
}
"""What Linux counts outside TCP_INFO, for the whole host; `nstat` shows it under these names."""
