"""Columns of `losses`."""

from anechoic.captures.fields.field import UNHEARD, Field

OF_A_CONNECTION = [
    Field("connection", "int64", "", "number of the connection, as in `connections`"),
    Field("client", "string", "", "the client's address"),
    Field("server", "string", "", "the server's address"),
    Field("sender", "string", "", "the end that sends, `client` or `server`"),
]
"""Whose loss or transfer it is."""

LOSSES = [
    *OF_A_CONNECTION,
    Field("seq", "int64", "", "first sequence number that was lost, counted as in `segments`"),
    Field("seq_end", "int64", "", "behind the last"),
    Field(
        "lost_s",
        "double",
        "s",
        "when the copy was sent that was lost, since the capture's first TCP segment; of one lost "
        "before the point of capture, when its place was left empty",
    ),
    Field("lost_ns", "int64", "ns", "the same since 1970"),
    Field("copy", "int64", "", "which copy of these data it was, from 1"),
    Field("multiplicity", "int64", "times", "how often these data were lost in all"),
    Field("cause", "string", "", "why the next copy was sent, as `causes_…` of the connection"),
    Field("repaired_s", "double", "s", "when that was, since the capture's first TCP segment"),
    Field("packet", "int64", "", "the number of that packet in the file, from 1"),
    Field(
        "is_before_capture",
        "bool",
        "",
        "it was lost before the point of capture: only its repair was captured, behind its "
        "successors",
    ),
    Field("flight", "int64", "bytes", "what its sender had in flight with it", UNHEARD),
    Field(
        "rtt_ms",
        "double",
        "ms",
        "the round trip of the segment sent just before it, and so the queue that it met; only of "
        "what was acknowledged at once",
        "none was measured of what was sent within a round trip before",
    ),
    Field(
        "rtt_rank",
        "double",
        "0 to 1",
        "the share of its sender's segments that met a shorter one, and half of those that met the "
        "same",
        "as `rtt_ms`",
    ),
    Field(
        "since_last_s",
        "double",
        "s",
        "since the last loss of the same sender was sent",
        "it is the first",
    ),
    Field(
        "segments_since_last",
        "int64",
        "segments",
        "segments with payload sent since then",
        "it is the first",
    ),
    Field(
        "regime",
        "string",
        "",
        "what it speaks of: `again`, `same_window`, `air`, `upstream`, `full_queue`, `path`, "
        "`undecided`",
        source="[Losses](../captures.md#losses)",
    ),
]
