"""Columns of what the network says to each end: marks of congestion, and ICMP."""

from anechoic.captures.fields.field import Field

MARKS = [
    Field(
        "ecn_capable",
        "int64",
        "segments",
        "segments that a queue may mark instead of dropping them",
        source="RFC 3168 §5",
    ),
    Field(
        "ecn_marked",
        "int64",
        "segments",
        "segments that a queue had marked before the point of capture (CE)",
        source="RFC 3168 §5",
    ),
    Field(
        "ecn_echoes",
        "int64",
        "segments",
        "how often the other end told of marks on what this end sent: its segments with ECE, or, "
        "where ends count (`ecn` is `accurate`), how many marked segments it has counted",
        source="RFC 3168 §6.1.3, RFC 9768 §3.2.2",
    ),
    Field(
        "ecn_reductions",
        "int64",
        "segments",
        "segments by which it said that it had made its congestion window smaller (CWR); 0 "
        "where ends count, as the flag is a part of their count",
        source="RFC 3168 §6.1.2",
    ),
]
"""Marks of congestion."""

REPORTS = [
    Field(
        "icmp_too_big",
        "int64",
        "messages",
        "messages that a segment of this end was too large for a link",
        source="RFC 1191 §4, RFC 8201 §4",
    ),
    Field(
        "icmp_unreachable",
        "int64",
        "messages",
        "messages that no route led to the other end, or that its host did not answer",
        source="RFC 792, RFC 4443 §3.1",
    ),
    Field(
        "icmp_port_unreachable",
        "int64",
        "messages",
        "messages that nobody listened at the other end's port",
        source="RFC 792, RFC 4443 §3.1",
    ),
    Field(
        "icmp_prohibited",
        "int64",
        "messages",
        "messages that a filter forbade what this end sent",
        source="RFC 1812 §5.2.7.1, RFC 4443 §3.1",
    ),
    Field(
        "icmp_time_exceeded",
        "int64",
        "messages",
        "messages that a segment of this end was under way for too many hops",
        source="RFC 792, RFC 4443 §3.3",
    ),
]
"""What routers and hosts said by ICMP of its segments."""
