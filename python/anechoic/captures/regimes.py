"""What a loss followed the last one by, and the regime that this speaks of.

Vasudevan and others tell the losses of a download over 802.11 by the time since the last one and
the segments sent meanwhile: some come at the spacing of the timer's back-off, because the same
segment is lost again; some regularly at high throughput, when the growing window has filled the
access point's queue; others in fades, at low throughput. Here each loss says itself which it is:

- ``again``: the copy that was lost had been sent for an earlier loss;
- ``same_window``: it was sent before the last loss was repaired;
- ``full_queue``: round trips were long when it was sent, so a queue on the way was full;
- ``path``: none of these: the path itself lost it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

REGIMES = ("again", "same_window", "full_queue", "path")

_DEVIATIONS = 2.0
"""What lies further above the mean is taken for a straggler, not for a longer queue (inferred: 95 %
of the samples of a normal distribution lie within two deviations)."""
_SCATTER = 1.1
"""Round trips of an idle path differ by as much as this (inferred)."""


def regimes(losses: "pyarrow.Table", connections: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give time and segments since the last loss of the same sender, and each loss's regime.

    Losses stand in the order of connection, sender and time.
    """
    names = ("connection", "sender", "lost_ns", "segments_sent", "copy", "rtt_ns", "repaired_ns")
    rows = list(zip(*(losses[name].to_pylist() for name in names), strict=True))
    since: list[float | None] = []
    segments: list[int | None] = []
    kinds: list[str] = []
    last: tuple[Any, ...] | None = None
    repaired_until = 0
    for row in rows:
        connection, sender, lost_ns, sent, copy, rtt_ns, repaired_ns = row
        if last is None or last[:2] != row[:2]:
            # The first of its sender.
            since.append(None)
            segments.append(None)
            is_unrepaired, repaired_until = False, repaired_ns
        else:
            since.append((lost_ns - last[2]) / 1e9)
            segments.append(max(sent - last[3], 0))
            is_unrepaired = lost_ns < repaired_until
            repaired_until = max(repaired_until, repaired_ns)
        direction = connections[connection - 1][sender]
        kinds.append(_regime(direction, copy, is_unrepaired, rtt_ns))
        last = row
    return _arrays(since, segments, kinds)


def _regime(direction: Mapping[str, Any], copy: int, is_unrepaired: bool, rtt_ns: int) -> str:
    if copy > 1:
        return "again"
    if is_unrepaired:
        return "same_window"
    return "full_queue" if rtt_ns / 1e6 > _long_rtt_ms(direction) else "path"


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
