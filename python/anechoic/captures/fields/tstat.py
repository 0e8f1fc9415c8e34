"""Columns of `log_tcp_complete`, and what they are here."""

from anechoic.captures.fields.field import Field

_NEVER = "always 0: it is not looked for"

ONCE = [
    Field("first", "double", "ms", "`first_ns`, since 1970"),
    Field("last", "double", "ms", "`last_ns`, since 1970"),
    Field("durat", "double", "ms", "from the first packet to the last"),
    Field("con_t", "int64", "", _NEVER),
    Field("p2p_t", "int64", "", _NEVER),
    Field("http_t", "int64", "", _NEVER),
]
"""Columns of the connection."""

TWICE = [
    Field("ip", "string", "", "`address`"),
    Field("port", "int64", "", "`port`"),
    Field("pkts_all", "int64", "segments", "`packets`"),
    Field("rst_cnt", "int64", "segments", "`resets`"),
    Field("ack_cnt", "int64", "segments", "`acks`"),
    Field("ack_cnt_p", "int64", "segments", "`acks_pure`"),
    Field("bytes_uniq", "int64", "bytes", "`bytes_unique`"),
    Field("pkts_data", "int64", "segments", "`packets_data`"),
    Field("bytes_all", "int64", "bytes", "`bytes`"),
    Field("pkts_retx", "int64", "segments", "`packets_retransmitted`"),
    Field("bytes_retx", "int64", "bytes", "`bytes_retransmitted`"),
    Field("pkts_ooo", "int64", "segments", "`packets_out_of_order`"),
    Field("syn_cnt", "int64", "segments", "`syns`"),
    Field("fin_cnt", "int64", "segments", "`fins`"),
    Field("first", "double", "ms", "`first_data_ns`, since the first packet; 0 without payload"),
    Field("last", "double", "ms", "`last_data_ns`, since the first packet; 0 without payload"),
    Field("first_ack", "double", "ms", "`first_ack_ns`, since the first packet; 0 without any"),
    Field("isint", "int64", "", "1 for a private address (RFC 1918, RFC 4193), else 0"),
    Field("iscrypto", "int64", "", _NEVER),
    Field("rtt_avg", "double", "ms", "`rtt_mean_ms`; 0 without a sample"),
    Field("rtt_min", "double", "ms", "`rtt_min_ms`; 0 without a sample"),
    Field("rtt_max", "double", "ms", "`rtt_max_ms`; 0 without a sample"),
    Field("rtt_std", "double", "ms", "`rtt_deviation_ms`; 0 without a sample"),
    Field("rtt_cnt", "int64", "samples", "`rtt_count`; 0 without a sample"),
    Field("ttl_min", "int64", "hops", "`ttl_min`"),
    Field("ttl_max", "int64", "hops", "`ttl_max`"),
    Field("f1323_opt", "int64", "", "1 if it offered a window scale or timestamps, else 0"),
    Field("tm_opt", "int64", "", "`timestamps`, 1 or 0"),
    Field("win_scl", "int64", "bits", "`window_scale`; 0 if not offered"),
    Field("sack_opt", "int64", "", "`sack_permitted`, 1 or 0"),
    Field("sack_cnt", "int64", "segments", "`sacks` of the other end: those that this end sent"),
    Field("mss", "int64", "bytes", "`mss_option`; 0 without"),
    Field("mss_max", "int64", "bytes", "`mss_max`"),
    Field("mss_min", "int64", "bytes", "`mss_min`"),
    Field("win_max", "int64", "bytes", "`window_max`"),
    Field("win_min", "int64", "bytes", "`window_min`"),
    Field("win_0", "int64", "segments", "`window_zero`"),
    Field("cwin_max", "int64", "bytes", "`flight_max`"),
    Field("cwin_min", "int64", "bytes", "`flight_min`"),
    Field("cwin_ini", "int64", "bytes", "`flight_initial`"),
    Field("pkts_rto", "int64", "segments", "`causes_timeout`"),
    Field("pkts_fs", "int64", "segments", "`causes_fast` and `causes_rack`"),
    Field("pkts_reor", "int64", "segments", "`causes_reordering`"),
    Field("pkts_dup", "int64", "segments", "`causes_network_duplicate`"),
    Field(
        "pkts_unk",
        "int64",
        "segments",
        "`causes_unknown` and `causes_tail_probe`, and of either what was needless",
    ),
    Field("pkts_fc", "int64", "segments", "`causes_window_probe`"),
    Field("pkts_unrto", "int64", "segments", "`causes_needless_timeout`"),
    Field("pkts_unfs", "int64", "segments", "`causes_needless_fast`"),
    Field("syn_retx", "int64", "", "`syn_changed`, 1 or 0"),
]
"""Columns of each end."""
