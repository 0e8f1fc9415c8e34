"""Columns of `connections`: what is told of a connection, and of each of its ends."""

from anechoic.captures.fields.ends import END
from anechoic.captures.fields.field import Field, prefixed

_SILENCES = {
    "client": "the client had nothing to send, had no room, or held back an acknowledgment; before "
    "the first data from the handshake on",
    "server": "the server did",
    "network": "something was on its way, or lost there",
}

CONNECTION = [
    Field("connection", "int64", "", "its number, from 1 in the order of first packets"),
    Field("first_packet", "int64", "", "number of its first packet in the file, from 1"),
    Field("first_ns", "int64", "ns", "when that was captured, since 1970", source="Tstat `first`"),
    Field(
        "last_ns",
        "int64",
        "ns",
        "when its last packet was captured, since 1970",
        source="Tstat `last`",
    ),
    Field(
        "outcome",
        "string",
        "",
        "how far it came: `unanswered` (SYNs only), `refused`, `open` (under way when the capture "
        "ended), `closed` (both ends sent a FIN), `reset`",
    ),
    Field(
        "has_handshake",
        "bool",
        "",
        "all three segments of its handshake were captured",
        source="RFC 9293 §3.5",
    ),
    Field("starts_midway", "bool", "", "no SYN of it was captured"),
    Field(
        "back_in_time",
        "int64",
        "segments",
        "segments with an earlier time than one before them: records out of their order, or a "
        "clock that was set back",
    ),
    Field(
        "handshake_ms",
        "double",
        "ms",
        "from the SYN to the acknowledgment of its answer: a round trip of the whole path, "
        "wherever it is captured",
        "one of these is missing, or came twice",
    ),
    Field(
        "connect_ms",
        "double",
        "ms",
        "from the first SYN to that acknowledgment, however often they came",
        "one of these is missing",
    ),
    Field(
        "ecn",
        "string",
        "",
        "what the ends agreed on to tell of marked packets: `none`, `classic`, `accurate`, or "
        "`unknown`, where a SYN is missing",
        source="RFC 3168 §6.1.1, RFC 9768 §3.1",
    ),
    *(
        field
        for whose, what in _SILENCES.items()
        for field in (
            Field(
                f"silences_{whose}_count",
                "int64",
                "pauses",
                f"pauses, longer than 200 ms and than two round trips, in which neither end sent "
                f"data because {what}",
            ),
            Field(f"silences_{whose}_total_ns", "int64", "ns", "how long these were in all"),
        )
    ),
]
"""What is told of a connection as a whole."""

CONNECTIONS = [*CONNECTION, *prefixed("client_", END), *prefixed("server_", END)]
