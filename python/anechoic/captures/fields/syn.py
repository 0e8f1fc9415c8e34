"""Columns of what the SYN of each end announced."""

from anechoic.captures.fields.field import Field

_NO_SYN = "not found, and its SYN's options were not captured whole"

SYN = [
    Field(
        "isn",
        "int64",
        "",
        "its initial sequence number",
        "its SYN was not captured",
        "RFC 9293 §3.4.1",
    ),
    Field(
        "syn_options",
        "string",
        "",
        "what is known of its SYN's options: `captured` (all), `cut` (what the snap length left), "
        "`missed` (no SYN)",
    ),
    Field(
        "mss_option",
        "int64",
        "bytes",
        "the largest segment that it says it takes",
        "not offered, or not captured",
        "RFC 9293 §3.7.1; Tstat `mss`",
    ),
    Field(
        "window_scale",
        "int64",
        "bits",
        "the shift of its windows, as offered",
        "not offered, or not captured",
        "RFC 7323 §2; Tstat `win_scl`",
    ),
    Field(
        "sack_permitted", "bool", "", "it offered SACK", _NO_SYN, "RFC 2018 §2; Tstat `sack_opt`"
    ),
    Field(
        "timestamps", "bool", "", "it offered timestamps", _NO_SYN, "RFC 7323 §3; Tstat `tm_opt`"
    ),
    Field(
        "syn_changed",
        "bool",
        "",
        "its SYN came again with another initial sequence number",
        source="Tstat `syn_retx`",
    ),
]
"""What an end announced in its SYN."""
