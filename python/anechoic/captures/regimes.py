"""What a loss followed the last one by, and the regime that this speaks of.

Vasudevan and others tell the losses of a download over 802.11 by the time since the last one and
the segments sent meanwhile: some come at the spacing of the timer's back-off, because the same
segment is lost again; some regularly at high throughput, when the growing window has filled the
access point's queue; others in fades, at low throughput. Here each loss says itself which it is:

- ``again``: the copy that was lost had been sent for an earlier loss;
- ``same_window``: it was sent before the last loss was repaired;
- ``upstream``: it was lost before the point of capture, from where no queue there can be seen;
- ``full_queue``: round trips were long when it was sent, so a queue on the way was full;
- ``path``: none of these: the path itself lost it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

Row = Mapping[str, Any]

_NEEDED = [
    *("connection", "sender", "lost_ns", "repaired_ns", "segments_sent", "copy", "rtt_ns"),
    "is_before_capture",
]
_DEVIATIONS = 2.0
"""What lies further above the mean is taken for a straggler, not for a longer queue (inferred: 95 %
of the samples of a normal distribution lie within two deviations)."""
_SCATTER = 1.1
"""Round trips of an idle path differ by as much as this (inferred)."""


def regimes(losses: "pyarrow.Table", connections: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give time and segments since the last loss of the same sender, and each loss's regime.

    Losses stand in the order of connection, sender and time.
    """
    since: list[float | None] = []
    segments: list[int | None] = []
    kinds: list[str] = []
    last: Row | None = None
    repaired_ns = 0
    for row in losses.select(_NEEDED).to_pylist():
        is_first = last is None or any(row[name] != last[name] for name in ("connection", "sender"))
        if is_first or last is None:
            since.append(None)
            segments.append(None)
            repaired_ns = 0
        else:
            since.append((row["lost_ns"] - last["lost_ns"]) / 1e9)
            segments.append(max(row["segments_sent"] - last["segments_sent"], 0))
        direction = connections[row["connection"] - 1][row["sender"]]
        kinds.append(_regime(row, direction, row["lost_ns"] < repaired_ns))
        repaired_ns = max(repaired_ns, row["repaired_ns"])
        last = row
    return _arrays(since, segments, kinds)


def _regime(loss: Row, direction: Mapping[str, Any], is_same_window: bool) -> str:
    if loss["copy"] > 1:
        return "again"
    if is_same_window:
        return "same_window"
    if loss["is_before_capture"]:
        return "upstream"
    return "full_queue" if loss["rtt_ns"] / 1e6 > _long_rtt_ms(direction) else "path"


def _long_rtt_ms(direction: Mapping[str, Any]) -> float:
    """Give the round trip above which a queue counts as full: midway of the usual range."""
    rtt = direction["rtt"]
    if rtt is None:
        return float("inf")
    usual = min(rtt["max_ms"], rtt["mean_ms"] + _DEVIATIONS * rtt["deviation_ms"])
    return float(max((rtt["min_ms"] + usual) / 2, _SCATTER * rtt["min_ms"]))


def _arrays(
    since: list[float | None], segments: list[int | None], kinds: list[str]
) -> "dict[str, pyarrow.Array]":
    import pyarrow

    return {
        "since_last_s": pyarrow.array(since, type=pyarrow.float64()),
        "segments_since_last": pyarrow.array(segments, type=pyarrow.int64()),
        "regime": pyarrow.array(kinds, type=pyarrow.string()),
    }
