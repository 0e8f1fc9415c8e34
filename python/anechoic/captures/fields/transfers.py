"""Columns of `transfers`, `signal` and `stations`."""

from anechoic.captures.fields.field import UNHEARD, Field
from anechoic.captures.fields.losses import OF_A_CONNECTION
from anechoic.captures.tables.which_station import EVIDENCE

_NO_WINDOW = "it was not heard, or the scale is not known"
_NO_ROUND_TRIP = "none was measured during it"

TRANSFERS = [
    *OF_A_CONNECTION,
    Field(
        "is_after_idle",
        "bool",
        "",
        "its sender had had nothing to send for longer than its retransmission timeout; else it "
        "begins with the connection",
        source="RFC 5681 §4.1",
    ),
    Field(
        "start_s",
        "double",
        "s",
        "its begin since the capture's first TCP segment: the connection's SYN or first segment; "
        "after idle time the request that it answers, or its first segment",
    ),
    Field("end_s", "double", "s", "its last segment with payload, likewise"),
    Field("start_ns", "int64", "ns", "its begin since 1970"),
    Field("end_ns", "int64", "ns", "its end since 1970"),
    Field("duration_s", "double", "s", "from begin to end"),
    Field(
        "bytes",
        "int64",
        "bytes",
        "payload, each byte once",
        source="`bytes_unique` over the transfer",
    ),
    Field("throughput_mbps", "double", "Mbit/s", "`bytes` over `duration_s`", "it took no time"),
    Field(
        "segments",
        "int64",
        "segments",
        "segments with payload",
        source="`packets_data` over the transfer",
    ),
    Field(
        "segments_retransmitted",
        "int64",
        "segments",
        "those of which some byte had been captured before",
        source="`packets_retransmitted` over the transfer",
    ),
    Field(
        "segments_out_of_order",
        "int64",
        "segments",
        "those behind their successors of which none had",
        source="`packets_out_of_order` over the transfer",
    ),
    Field(
        "timeouts",
        "int64",
        "times",
        "how often the retransmission timer expired",
        source="`timeouts` over the transfer",
    ),
    Field(
        "recoveries",
        "int64",
        "times",
        "recoveries that were not by timeout",
        source="`recoveries` over the transfer",
    ),
    Field("flight_max", "int64", "bytes", "the most data in flight", UNHEARD),
    Field(
        "window_min",
        "int64",
        "bytes",
        "the smallest window that the receiver advertised meanwhile",
        _NO_WINDOW,
    ),
    Field("window_max", "int64", "bytes", "the largest", _NO_WINDOW),
    Field("rtt_count", "int64", "samples", "round trips measured meanwhile", source="Karn"),
    Field(
        "rtt_min_ms",
        "double",
        "ms",
        "the shortest, from the point of capture to the receiver and back",
        _NO_ROUND_TRIP,
    ),
    Field("rtt_mean_ms", "double", "ms", "their mean", _NO_ROUND_TRIP),
    Field("rtt_max_ms", "double", "ms", "the longest", _NO_ROUND_TRIP),
]

_NO_READING = "the log has no reading of its station during it, or near it"

OF_THE_SIGNAL = [
    Field(
        "again_share",
        "double",
        "0 to 1",
        "segments retransmitted and out of order over all segments with payload",
    ),
    Field(
        "signal_dbm_mean",
        "double",
        "dBm",
        "mean of the levels read during the transfer",
        _NO_READING,
    ),
    Field("signal_dbm_min", "double", "dBm", "the lowest", _NO_READING),
    Field("signal_dbm_max", "double", "dBm", "the highest", _NO_READING),
    Field(
        "noise_dbm_mean",
        "double",
        "dBm",
        "mean of the noise levels read during it",
        "the log tells none",
    ),
    Field("signal_readings", "int64", "", "readings that these are of"),
]
"""What a log of signal levels adds to a transfer."""

SIGNAL = [*TRANSFERS, *OF_THE_SIGNAL]

STATIONS = [
    Field(
        "station",
        "string",
        "",
        "address of the end whose link is taken to be under test, as `told_by` says",
    ),
    Field("direction", "string", "", "`up` for what it sent, `down` for what it got"),
    Field(
        "told_by",
        "string",
        "",
        "what tells that it is the station; of several connections what is least sure: "
        + "; ".join(f"`{name}`, {what}" for name, what in EVIDENCE.items()),
    ),
    Field("connections", "int64", "", "connections with a transfer in this direction"),
    Field("transfers", "int64", "", "transfers"),
    Field("bytes", "int64", "bytes", "their payload, each byte once"),
    Field("segments", "int64", "segments", "their segments with payload"),
    Field("segments_retransmitted", "int64", "segments", "sum of the transfers'"),
    Field("segments_out_of_order", "int64", "segments", "sum of the transfers'"),
    Field("timeouts", "int64", "times", "sum of the transfers'"),
    Field(
        "throughput_mbps_mean",
        "double",
        "Mbit/s",
        "mean over the transfers that have one",
        "none has",
    ),
    Field(
        "rtt_ms_mean",
        "double",
        "ms",
        "mean of the transfers' means, from the point of capture on",
        "none has one",
    ),
    Field("flight_max_mean", "double", "bytes", "mean of the transfers' largest flights", UNHEARD),
]
