"""What a campaign found, in a few sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum, nan
from statistics import fmean
from typing import Literal

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.failures import failed, starved
from anechoic.campaign.replication import Summary
from anechoic.campaign.spans import Spans, milliseconds, number, percent, seconds

About = Literal[
    "failures",
    "starvation",
    "not_given",
    "shares",
    "round_trips",
    "datagrams",
    "transfers",
    "queues",
    "airtime",
    "collisions",
    "roams",
    "losses",
]

_WORTH_MS = 1.0
"""A queue in which even the worst wait is shorter needs no word."""
_MOST_OF = 0.5
"""A wait of at least such a part of the round trip is set against it."""


Windows = Sequence[tuple[str, str]]
"""Of each window the end of the names of its metrics, and how to speak of it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know of a campaign."""

    about: About
    text: str
    """One sentence or two."""


def in_short(
    all_cells: Sequence[Cell],
    compared: Sequence[Cell],
    traffics: Iterable[str],
    periods: Mapping[str, str],
) -> list[Finding]:
    """Give what there is to know; of windows, if there are any, each in turn.

    What went wrong is told of all cells, what they have of those that are ``compared``, which
    differ along one axis. ``periods`` says of windows by their names from when to when they are.
    """
    cells = compared
    windows = _windows(cells, periods)
    return [
        *(Finding("failures", text) for text in failed(all_cells)),
        *(Finding("starvation", text) for text in starved(all_cells)),
        *(Finding("shares", text) for text in _shares(cells, traffics)),
        *(Finding("round_trips", text) for text in _round_trips(cells, windows)),
        *(Finding("datagrams", text) for text in _datagrams(cells, windows)),
        *(Finding("transfers", text) for text in _transfers(cells)),
        *(Finding("queues", text) for text in _queues(cells, windows)),
        *(Finding("losses", text) for text in _losses(cells, windows)),
    ]


def jain(values: Sequence[float]) -> float:
    """Give Jain's index of fairness: 1 if all have the same, 1/n if one has everything.

    R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination, DEC-TR-301.
    """
    squares = fsum(value * value for value in values)
    return fsum(values) ** 2 / (len(values) * squares) if squares else nan


def _shares(cells: Sequence[Cell], traffics: Iterable[str]) -> Iterator[str]:
    """Tell how unequal the flows of each traffic fared that has several."""
    for traffic in traffics:
        flows = [_lasting(cell, traffic) for cell in cells]
        counts = sorted({len(each) for each in flows})
        if counts[0] < 2:
            continue
        goodputs = [[each.mean for each in own] for own in flows]
        if not any(chain.from_iterable(goodputs)):
            continue  # that they moved nothing is said above
        spans = Spans(cells)
        most, least = (spans.say([end(each) for each in goodputs], _mbps) for end in (max, min))
        fair = spans.say([_fairness(own) for own in flows], number)
        told = f" (Jain's index {fair})" if fair else ""
        of = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
        yield f"Of {of} flows of {traffic} the best off got {most}, the worst off {least}{told}."


def _lasting(cell: Cell, traffic: str) -> list[Summary]:
    """Give the goodput of a traffic's flows; what a finished transfer has is no rate of a run."""
    return [
        cell.metrics[f"{flow}.goodput_mbps"]
        for flow in _with(cell, "goodput_mbps")
        if flow.removeprefix("flow.").rpartition("-")[0] == traffic
        and not is_ping(cell, flow.removeprefix("flow."))
        and not _mean(cell, [flow], "transfers")
    ]


def _fairness(goodputs: Sequence[Summary]) -> float | None:
    """Give Jain's index, the mean over the runs in which any flow got something."""
    runs = zip(*(each.values for each in goodputs), strict=True)
    indices = [jain(run) for run in runs if any(run)]
    return fmean(indices) if indices else None


def _round_trips(cells: Sequence[Cell], windows: Windows) -> Iterator[str]:
    """Tell of pings, or else of what TCP measured."""
    flows, is_pinged = _timed(cells)
    what = "pings were back" if is_pinged else "round trips of TCP were over"
    for window, when in windows:
        spans = Spans(cells)
        half, most = (_of(cells, flows, f"rtt_ms_{each}{window}") for each in ("p50", "p99"))
        rate = _of(cells, flows, f"responsiveness_rpm{window}")
        if any(half):
            text = (
                f"Half of the {what} within {spans.say(half, milliseconds)}, 99 % within "
                f"{spans.say(most, milliseconds)}{when}."
            )
            if any(rate):
                fit = f"{spans.say(rate, number)} would fit into a minute (responsiveness)."
                text += f" One after another, {fit}"
            yield text


def _timed(cells: Sequence[Cell]) -> tuple[list[list[str]], bool]:
    """Give the flows of each cell whose round trips are told: pings, or else all, as ""."""
    pings = [_pings(cell) for cell in cells]
    return (pings, True) if any(pings) else ([[""] for _ in cells], False)


def _datagrams(cells: Sequence[Cell], windows: Windows) -> Iterator[str]:
    of_all = [[""] for _ in cells]
    for window, when in windows:
        spans = Spans(cells)
        half, most = (_of(cells, of_all, f"delay_ms_{each}{window}") for each in ("p50", "p99"))
        flows = [_with(cell, f"datagram_loss{window}") for cell in cells]
        losses = _of(cells, flows, f"datagram_loss{window}")
        jitter = _of(cells, flows, f"jitter_ms_mean{window}")
        if any(half):
            took = [spans.say(each, milliseconds) for each in (half, most)]
            lost = spans.say(losses, percent) if any(losses) else "none"
            varied = spans.say(jitter, milliseconds)
            yield (
                f"Half of the datagrams arrived within {took[0]}, 99 % within {took[1]}{when}; "
                f"{lost} were lost, and the delay varied by {varied} from one to the next (jitter)."
            )


def _transfers(cells: Sequence[Cell]) -> Iterator[str]:
    of_all = [["tcp"] for _ in cells]
    half, most, count = (
        _of(cells, of_all, name) for name in ("transfer_s_p50", "transfer_s_p99", "transfers")
    )
    if any(half):
        spans = Spans(cells)
        yield (
            f"On average {spans.say(count, number)} transfers were completed in a run, half of "
            f"them within {spans.say(half, seconds)}, 99 % within {spans.say(most, seconds)}."
        )


def _queues(cells: Sequence[Cell], windows: Windows) -> Iterator[str]:
    """Tell of the queue in which packets waited longest."""
    for window, when in windows:
        worst: dict[str, float] = {}
        for cell in cells:
            for name in cell.metrics:
                whole, _, own = name.partition("@")
                if ".queue_ms_p99" in whole and "p999" not in whole and own == window[1:]:
                    found = cell.metrics[name]
                    worst[whole] = max(worst.get(whole, 0.0), found.mean if found.n else 0.0)
        longest = max(worst, key=worst.__getitem__, default="")
        if not longest or worst[longest] < _WORTH_MS:
            continue
        spans = Spans(cells)
        half, most = (
            _of(cells, [[""]] * len(cells), longest.replace("_p99", each) + window)
            for each in ("_p50", "_p99")
        )
        yield (
            f"Packets waited longest {_queue(longest)}: the median wait was "
            f"{spans.say(half, milliseconds)}, and 1 in 100 waited longer than "
            f"{spans.say(most, milliseconds)}{when}.{_of_trips(cells, half, window)}"
        )


def _of_trips(cells: Sequence[Cell], waits: Sequence[float | None], window: str) -> str:
    """Set the longest wait against the round trips of its cell, if it is most of them."""
    flows, _ = _timed(cells)
    trips = _of(cells, flows, f"rtt_ms_p50{window}")
    pairs = zip(waits, trips, cells, strict=True)
    given = [(wait, trip, cell) for wait, trip, cell in pairs if wait and trip]
    wait, trip, cell = max(given, key=lambda each: each[0], default=(0.0, 1.0, cells[0]))
    if not _MOST_OF <= wait / trip <= 1:
        return ""
    where = f" with {Spans(cells).name(cell)}" if len(cells) > 1 else ""
    return f" The median wait is {percent(wait / trip)} of the median round trip{where}."


def _queue(name: str) -> str:
    kind, owner, *_, end = name.split(".")
    return f"before the {kind} {owner} at {end}" if kind != "node" else f"before {owner}'s radio"


def _losses(cells: Sequence[Cell], windows: Windows) -> Iterator[str]:
    """Tell what TCP retransmitted."""
    for window, when in windows:
        again, sent, timeouts = (
            _of(cells, [["tcp"]] * len(cells), f"{name}{window}")
            for name in ("retransmissions", "segments_sent", "timeouts")
        )
        if any(again) and any(sent):
            shares = [
                a / s if s and a is not None else None for a, s in zip(again, sent, strict=True)
            ]
            spans = Spans(cells)
            share = spans.say(shares, percent)
            times = f"expired {spans.say(timeouts, number)} times a run"
            expired = times if any(timeouts) else "never expired"
            yield f"TCP retransmitted {share} of its segments{when}; its timers {expired}."


def _windows(cells: Sequence[Cell], periods: Mapping[str, str]) -> Windows:
    names = dict.fromkeys(
        name.partition("@")[2] for cell in cells for name in cell.metrics if "@" in name
    )
    if not names:
        return [("", "")]
    return [(f"@{name}", f" in the window {name} ({periods[name]})") for name in names]


def _pings(cell: Cell) -> list[str]:
    trips = _with(cell, "rtt_ms_mean")
    return [flow for flow in trips if is_ping(cell, flow.removeprefix("flow."))]


def _with(cell: Cell, metric: str) -> list[str]:
    end = f".{metric}"
    return [n.removesuffix(end) for n in cell.metrics if n.startswith("flow.") and n.endswith(end)]


def _of(cells: Sequence[Cell], whose: Sequence[Sequence[str]], metric: str) -> list[float | None]:
    """Give for each cell the mean of a metric over those who have it; None if nobody does."""
    return [_mean(cell, own, metric) for cell, own in zip(cells, whose, strict=True)]


def _mean(cell: Cell, whose: Sequence[str], metric: str) -> float | None:
    names = (f"{name}.{metric}" if name else metric for name in whose)
    found = [cell.metrics[name] for name in names if name in cell.metrics]
    values = [each.mean for each in found if each.n]
    return fmean(values) if values else None


def _mbps(value: float) -> str:
    return f"{number(value)} Mbit/s"
