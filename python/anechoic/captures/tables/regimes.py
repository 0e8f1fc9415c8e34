"""What a loss followed the last one by, and the regime that this speaks of.

Vasudevan and others tell the losses of a download over 802.11 by the time since the last one and
the segments sent meanwhile: some come at the spacing of the timer's back-off, because the same
segment is lost again; some regularly at high throughput, when the growing window has filled the
access point's queue; others in fades, at low throughput. Here each loss says itself which it is:

- ``again``: the copy that was lost had been sent for an earlier loss;
- ``same_window``: it was sent before the last loss was repaired;
- ``air``: it was tried many times on the air, never acknowledged there, and given up;
- ``upstream``: it was lost before the point of capture, from where no queue there can be seen;
- ``full_queue``, ``path`` or ``undecided``: none of these, see ``queue_or_path.py``.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from anechoic.captures.verdicts.queue_or_path import queue_or_path
from anechoic.captures.wifi.bursts import repairs_of_given_up

if TYPE_CHECKING:
    import pyarrow

Row = Mapping[str, Any]

_NEEDED = [
    *("connection", "sender", "lost_ns", "repaired_ns", "segments_sent", "copy"),
    *("is_before_capture", "rtt_ms", "rtt_rank", "packet"),
]


def regimes(losses: "pyarrow.Table", document: Mapping[str, Any]) -> dict[str, Any]:
    """Give time and segments since the last loss of the same sender, and each loss's regime.

    Losses stand in the order of connection, sender and time.
    """
    given_up = repairs_of_given_up(document["wifi"])
    since: list[float | None] = []
    segments: list[int | None] = []
    kinds: list[str] = []
    rows = losses.select(_NEEDED).to_pylist()
    for (number, sender), group in groupby(rows, key=itemgetter("connection", "sender")):
        own = list(group)
        since += [
            None,
            *((loss["lost_ns"] - last["lost_ns"]) / 1e9 for last, loss in pairwise(own)),
        ]
        segments += [None, *(_segments_between(*pair) for pair in pairwise(own))]
        kinds += _regimes(own, document["connections"][number - 1][sender], given_up)
    return _arrays(since, segments, kinds)


def _segments_between(last: Row, loss: Row) -> int:
    segments: int = loss["segments_sent"] - last["segments_sent"]
    return max(segments, 0)


def _regimes(losses: Sequence[Row], direction: Mapping[str, Any], given_up: Set[int]) -> list[str]:
    """Give the regimes of a sender's losses."""
    explained = _explained(losses, given_up)
    rest = [loss for loss, regime in zip(losses, explained, strict=True) if regime is None]
    ranks, rtts_ms = ([loss[name] for loss in rest] for name in ("rtt_rank", "rtt_ms"))
    shortest_ms = direction["rtt"]["min_ms"] if direction["rtt"] else 0.0
    judged = iter(queue_or_path(ranks, rtts_ms, shortest_ms))
    return [next(judged) if regime is None else regime for regime in explained]


def _explained(losses: Sequence[Row], given_up: Set[int]) -> list[str | None]:
    """Give the regimes of losses that another loss, the air or the point of capture explains."""
    explained: list[str | None] = []
    repaired_ns = 0
    for loss in losses:
        if loss["copy"] > 1:
            explained.append("again")
        elif loss["lost_ns"] < repaired_ns:
            explained.append("same_window")
        elif loss["packet"] in given_up:
            explained.append("air")
        else:
            explained.append("upstream" if loss["is_before_capture"] else None)
        repaired_ns = max(repaired_ns, loss["repaired_ns"])
    return explained


def _arrays(
    since: list[float | None], segments: list[int | None], kinds: list[str]
) -> "dict[str, pyarrow.Array]":
    import pyarrow

    return {
        "since_last_s": pyarrow.array(since, type=pyarrow.float64()),
        "segments_since_last": pyarrow.array(segments, type=pyarrow.int64()),
        "regime": pyarrow.array(kinds, type=pyarrow.string()),
    }
