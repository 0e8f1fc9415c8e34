"""Columns of `connections` that tell of each end."""

from anechoic.captures.fields.causes import CAUSES, LIMITS, STALLS
from anechoic.captures.fields.field import UNHEARD, Field, prefixed
from anechoic.captures.fields.network import MARKS, REPORTS
from anechoic.captures.fields.syn import SYN

_NONE_SENT = "no payload was captured"
_NO_ROUND_TRIP = "none was measured"
_NO_WINDOW = "none was captured, or the scale is not known and it is not 0"

_ROUND_TRIPS = [
    Field(
        "count",
        "int64",
        "samples",
        "round trips measured: acknowledgments of exactly one segment's end, of what was sent once "
        "and not held up by a repair",
        _NO_ROUND_TRIP,
        "Karn; Tstat `rtt_cnt`",
    ),
    Field(
        "min_ms",
        "double",
        "ms",
        "the shortest, from the point of capture to the receiver and back: where the sender is far "
        "(`is_far`), less of the path than lies before that; `handshake_ms` and the sum of "
        "`smoothed_rtt_ms` and `sender_rtt_ms` are of all of it",
        _NO_ROUND_TRIP,
        "Tstat `rtt_min`",
    ),
    Field("mean_ms", "double", "ms", "their mean", _NO_ROUND_TRIP, "Tstat `rtt_avg`"),
    Field(
        "max_ms",
        "double",
        "ms",
        "the longest; an acknowledgment that was held back is among them",
        _NO_ROUND_TRIP,
        "Tstat `rtt_max`",
    ),
    Field(
        "deviation_ms",
        "double",
        "ms",
        "their standard deviation; 0 of one",
        _NO_ROUND_TRIP,
        "Tstat `rtt_std`",
    ),
]

END = [
    Field("address", "string", "", "the end's IP address", source="Tstat `ip`"),
    Field("port", "int64", "", "its port", source="Tstat `port`"),
    Field(
        "packets",
        "int64",
        "segments",
        "segments that it sent, those of the handshake included",
        source="Tstat `pkts_all`",
    ),
    Field("acks", "int64", "segments", "those with the ACK flag", source="Tstat `ack_cnt`"),
    Field(
        "acks_pure",
        "int64",
        "segments",
        "those with the ACK flag and without payload, SYN, FIN and RST",
        source="Tstat `ack_cnt_p`",
    ),
    Field("packets_data", "int64", "segments", "those with payload", source="Tstat `pkts_data`"),
    Field(
        "bytes",
        "int64",
        "bytes",
        "payload, each byte as often as it was sent",
        source="Tstat `bytes_all`",
    ),
    Field("bytes_unique", "int64", "bytes", "payload, each byte once", source="Tstat `bytes_uniq`"),
    Field(
        "flight_max",
        "int64",
        "bytes",
        "the most data in flight: highest sequence number sent less the last acknowledged",
        UNHEARD,
        "Tstat `cwin_max`",
    ),
    Field(
        "flight_min",
        "int64",
        "bytes",
        "the least, counted as each segment of new data was sent, this included",
        UNHEARD,
        "Tstat `cwin_min`",
    ),
    Field(
        "window_max",
        "int64",
        "bytes",
        "the largest window that it advertised, scaled",
        _NO_WINDOW,
        "RFC 7323 §2; Tstat `win_max`",
    ),
    Field("window_min", "int64", "bytes", "the smallest", _NO_WINDOW, "Tstat `win_min`"),
    Field("mss_max", "int64", "bytes", "its largest payload", source="Tstat `mss_max`"),
    Field(
        "mss_min", "int64", "bytes", "its smallest payload; 0 without any", source="Tstat `mss_min`"
    ),
    Field(
        "ttl_min",
        "int64",
        "hops",
        "the smallest time to live (IPv6: hop limit) of its packets, as captured",
        source="Tstat `ttl_min`",
    ),
    Field("ttl_max", "int64", "hops", "the largest", source="Tstat `ttl_max`"),
    Field(
        "window_zero",
        "int64",
        "segments",
        "segments by which it advertised no window at all",
        source="Tstat `win_0`",
    ),
    Field("pushes", "int64", "segments", "segments with the PSH flag"),
    Field(
        "first_ack_ns",
        "int64",
        "ns",
        "when its first segment with ACK and without SYN was captured, since 1970; 0 without any",
        source="Tstat `first_ack`",
    ),
    Field(
        "flight_initial",
        "int64",
        "bytes",
        "data in flight before the first acknowledgment of data: its initial window",
        UNHEARD,
        "RFC 6928; Tstat `cwin_ini`",
    ),
    Field(
        "first_data_ns",
        "int64",
        "ns",
        "when its first payload was captured, since 1970; 0 without any",
        source="Tstat `first`",
    ),
    Field("resets", "int64", "segments", "segments with the RST flag", source="Tstat `rst_cnt`"),
    Field("syns", "int64", "segments", "segments with the SYN flag", source="Tstat `syn_cnt`"),
    Field("fins", "int64", "segments", "segments with the FIN flag", source="Tstat `fin_cnt`"),
    Field(
        "packets_retransmitted",
        "int64",
        "segments",
        "segments of which some byte had been captured before: sent again, or doubled by the "
        "network (`causes_network_duplicate`)",
        source="Tstat `pkts_retx`",
    ),
    Field(
        "bytes_retransmitted",
        "int64",
        "bytes",
        "payload that had been captured before",
        source="Tstat `bytes_retx`",
    ),
    Field(
        "packets_out_of_order",
        "int64",
        "segments",
        "segments behind their successors of which no byte had been captured before: overtaken "
        "(`causes_reordering`), or repairs of what was lost before the point of capture",
        source="Tstat `pkts_ooo`",
    ),
    *prefixed("causes_", CAUSES),
    Field(
        "timeouts",
        "int64",
        "times",
        "how often its retransmission timer expired, as far as it shows; what follows of one "
        "expiry is one",
        source="RFC 6298",
    ),
    Field(
        "recoveries",
        "int64",
        "times",
        "how often it entered a recovery that was not by timeout",
        source="RFC 6675",
    ),
    Field(
        "keep_alives",
        "int64",
        "segments",
        "keep-alives, with a byte in them or without",
        source="RFC 9293 §3.8.4",
    ),
    Field(
        "gaps",
        "int64",
        "times",
        "how often its sequence numbers went on further than they should: something before was "
        "lost, overtaken or not captured",
    ),
    Field(
        "acks_of_unseen",
        "int64",
        "segments",
        "acknowledgments for this end of data that were not captured",
    ),
    Field(
        "acks_early",
        "int64",
        "segments",
        "acknowledgments for this end of data that were captured only later: clocks of several "
        "captures in one file that disagree, records out of their order, or, of a few, data that "
        "the capture missed first and that came again needlessly",
    ),
    Field("acks_early_ns", "int64", "ns", "by how much these came too early in all"),
    Field("acks_old", "int64", "segments", "acknowledgments for this end below an earlier one"),
    Field(
        "duplicate_acks",
        "int64",
        "segments",
        "duplicate acknowledgments for this end",
        source="RFC 5681 §2",
    ),
    Field(
        "duplicate_acks_sack",
        "int64",
        "segments",
        "acknowledgments for this end with something new in their SACK blocks",
        source="RFC 6675 §2",
    ),
    Field(
        "sacks",
        "int64",
        "segments",
        "acknowledgments for this end with SACK blocks",
        source="RFC 2018; Tstat `sack_cnt` of the other end",
    ),
    Field(
        "duplicates_reported",
        "int64",
        "segments",
        "segments of this end that the receiver reported to have come twice (DSACK)",
        source="RFC 2883",
    ),
    Field(
        "reorderings",
        "int64",
        "segments",
        "acknowledgments which showed this sender that something sent once was delivered after "
        "something sent later",
        source="Linux `tcpi_reord_seen`",
    ),
    Field(
        "checksums_right",
        "int64",
        "segments",
        "segments captured whole with the right checksum",
        source="RFC 9293 §3.1",
    ),
    Field(
        "checksums_partial",
        "int64",
        "segments",
        "segments whose checksum covers the pseudo header alone: a card puts in the rest",
    ),
    Field("checksums_wrong", "int64", "segments", "segments with any other wrong checksum"),
    Field(
        "options_cut",
        "int64",
        "segments",
        "segments whose TCP options, or a part of them, the snap length cut off",
    ),
    Field(
        "segments_strange",
        "int64",
        "segments",
        "segments whose sequence number is out of all proportion, by more than 2³⁰",
    ),
    Field("acks_strange", "int64", "segments", "acknowledgments for this end whose number is"),
    *MARKS,
    *REPORTS,
    *prefixed("stalls_", STALLS),
    Field(
        "last_data_ns",
        "int64",
        "ns",
        "when its last payload was captured, but for probes of a closed window, since 1970; 0 "
        "without any",
        source="Tstat `last`",
    ),
    Field(
        "closed_at_end_ns",
        "int64",
        "ns",
        "how long the receiver's window has been closed when the capture ends, as far as the "
        "probes of this end tell; none of `stalls_window`, as it lasts. 0 if it is open",
        source="RFC 9293 §3.8.6.1",
    ),
    Field(
        "path_mtu",
        "int64",
        "bytes",
        "the largest packet that all links take, as far as routers said",
        "no router said it",
        "RFC 1191, RFC 8201",
    ),
    *prefixed("rtt_", _ROUND_TRIPS),
    Field(
        "smoothed_rtt_ms",
        "double",
        "ms",
        "what a sender at the point of capture has for its smoothed round trip at the end, "
        "measured as Linux does",
        "none was measured",
        "RFC 6298 §2; Linux `tcpi_rtt`",
    ),
    Field(
        "sender_rtt_ms",
        "double",
        "ms",
        "smoothed round trip from the point of capture to this end and back, by the timestamps "
        "that it echoes",
        "no timestamps, or none that tell",
        "RFC 7323 §3",
    ),
    Field(
        "transfer_ms",
        "double",
        "ms",
        "from the SYN, or the first packet, to its last segment with payload, or its last probe of "
        "a window that stayed closed",
        _NONE_SENT,
        "Tstat",
    ),
    Field(
        "throughput_mbps",
        "double",
        "Mbit/s",
        "`bytes_unique` over that time",
        "no time passed, or no payload",
    ),
    Field(
        "is_far",
        "bool",
        "",
        "more of the path lies between this end and the point of capture than behind that, by the "
        "round trips to either side, or by the handshake's share of either; also where nothing "
        "tells (no timestamps, and a handshake not captured or below 1 ms), unless round trips "
        "from there are longer than its receiver alone would make them",
    ),
    *prefixed("limits_", LIMITS),
    Field(
        "bytes_missed",
        "int64",
        "bytes",
        "acknowledged, but never captured: the capture missed them; not what was on its way when "
        "a capture began in the middle. Where they are a hundredth of its bytes or more, `limits` "
        "are in doubt",
    ),
    Field(
        "is_offloaded",
        "bool",
        "",
        "it sent segments larger than the other end's MSS: its card has yet to cut them, or the "
        "other's has joined them",
        "the other end's MSS was not captured, and no segment is larger than a jumbo frame",
    ),
    Field(
        "wrong_checksums",
        "string",
        "",
        "why checksums are wrong: `offload` (its card was still to put them in), `corrupted`, "
        "`rewritten` (wrong at both ends throughout)",
        "none is",
    ),
    *SYN,
]
"""What one end sends, and what the other end says of it."""
