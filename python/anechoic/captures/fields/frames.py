"""Columns of the table of 802.11 frames."""

from anechoic.captures.fields.field import Field

_ILLEGIBLE = "its header cannot be read"
_UNTIMED = "the capture does not tell its time on the air, or its rate"

FRAMES = [
    Field("time_ns", "int64", "ns", "when it was captured, since 1970"),
    Field("packet", "int64", "", "its number in the file, from 1"),
    Field("interface", "int64", "", "number of the interface in the file, from 0"),
    Field(
        "start_ns",
        "int64",
        "ns",
        "when its preamble began, by the clock of the sniffer: its radio's timer, in whole "
        "microseconds, if all frames have it",
        _UNTIMED,
    ),
    Field("end_ns", "int64", "ns", "when its last bit ended, by the same clock", _UNTIMED),
    Field(
        "kind",
        "string",
        "",
        "`data`, `beacon`, other `management`, `rts`, `cts`, `ack`, other `control`, `illegible`",
    ),
    Field("transmitter", "string", "", "who sent it, address 2", "it does not say"),
    Field("receiver", "string", "", "who is to take it, address 1", _ILLEGIBLE),
    Field("bytes", "int64", "bytes", "from MAC header to frame check sequence"),
    Field("rate_kbps", "int64", "kbit/s", "its rate", "the capture does not tell it"),
    Field(
        "duration_us",
        "int64",
        "µs",
        "its Duration field: how long behind it others keep silent, where it is below 32768",
        _ILLEGIBLE,
        "IEEE 802.11-2020 §9.2.4.2",
    ),
    Field("is_retry", "bool", "", "the retry bit is set"),
    Field("has_more_fragments", "bool", "", "another fragment of its MSDU follows"),
    Field("sequence", "int64", "", "its sequence number", "it has none that counts"),
    Field("fragment", "int64", "", "its fragment number", "as `sequence`"),
    Field(
        "signal_dbm",
        "int64",
        "dBm",
        "its power at the sniffer",
        "unknown, as of what the sniffer itself sent",
    ),
]
