"""Time series as figures: means over replications with their intervals, and single ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil

import numpy

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.replication import t_quantile
from anechoic.campaign.results import Results
from anechoic.campaign.spans import Spans, seconds
from anechoic.report.chart import (
    Chart,
    Marks,
    Moment,
    Panel,
    Scale,
    Series,
    Shade,
    View,
    count_note,
)
from anechoic.report.choices import drawn_of, needed, none_in
from anechoic.report.each import plans_of
from anechoic.report.moves import moves_of
from anechoic.report.occasions import latest_of, moments_of, shades_of
from anechoic.report.owners import Owners, owners_of
from anechoic.report.palette import AIRTIME_COLOURS, colours
from anechoic.report.slugs import slug_of
from anechoic.scenario.catalogue import airtime_labels
from anechoic.scenario.quantities import nanoseconds
from anechoic.tables.table import Floats

MOST_CELLS = 16
"""Cells whose series are on the page; the files have all."""
MOST_PANELS = 4
"""So many are seen at once, each with its cells."""
ALL_CELLS = "all cells"
_MOST_VALUES = 600_000
"""Values of single replications on a page: what they weigh is measured in decision 8."""
_FEWEST_STEPS, _MOST_STEPS = 12, 120
"""Steps in which a single replication is shown, by how much room there is."""
_FEW = 12
"""So many lines are told apart, each with its interval."""
SYMBOLS = {"retransmitted": "D", "timeout": "^", "rate change": "s", "roam": "X", "handover": "P"}
"""How what is marked on a line looks."""
_MARKED = {
    "retransmitted": "◆ segments retransmitted",
    "timeout": "▲ timeouts",
    "rate change": "■ changes of a radio's rate",
    "roam": "✖ roams",
    "handover": "✚ handovers of Mobile IP",
}
_BANDS = 3
"""Bands of more lines hide each other."""
_MOST_SINGLE = 100
"""So many replications can be looked at singly; the files have all."""

Lines = dict[str, Floats]
"""Of each name a value for each replication and step."""


@dataclass(frozen=True)
class History:
    """The series of one cell: of each a value for each replication and step."""

    cell: Cell
    times: Floats
    series: Mapping[str, int]
    values: Floats
    owners: Sequence[Owners]
    shades: Sequence[Shade]
    moments: Sequence[Moment]
    late: Mapping[str, tuple[float, float]]
    """Of traffic that still arrives after its stop when that is, and when the last of it did."""

    def __contains__(self, name: str) -> bool:
        """Say whether there is a series of this name."""
        return name in self.series

    def __getitem__(self, name: str) -> Floats:
        """Give the values of a series."""
        values: Floats = self.values[:, self.series[name]]
        return values

    @property
    def single(self) -> int:
        """Say how many replications can be looked at singly."""
        return min(self.cell.replications, _MOST_SINGLE)

    def thinned(self, most: int) -> "History":
        """Give those that can be looked at, in so many steps at most, each the mean of several."""
        step = ceil(len(self.times) / most)
        kept = len(self.times) // step * step
        steps = self.values[: self.single, :, :kept].reshape(
            self.single, len(self.series), -1, step
        )
        times = self.times[step - 1 : kept : step]
        return replace(self, times=times, values=_mean(steps, axis=3))


@dataclass(frozen=True)
class Quantity:
    """What a figure shows of a history: lines, for each of what a reader may choose."""

    title: str
    scale: Scale
    caption: str
    lines: Callable[[History], Iterator[tuple[str, Lines]]]
    marks: Mapping[str, Callable[[History], Iterator[tuple[str, Lines]]]] = field(
        default_factory=dict
    )
    """What is marked on single runs: by its name lines of how often it happened."""
    is_of_arrivals: bool = False


def over_time(results: Results) -> list[Chart]:
    """Describe the figures over time that have anything to show."""
    if results.out is None or not results.scenario.run.time_series:
        return []
    histories = list(_histories(results))
    count = sum(len(each.series) * each.single for each in histories)
    most = min(max(_MOST_VALUES // max(count, 1), _FEWEST_STEPS), _MOST_STEPS)
    charts = (_chart(results, histories, quantity, most) for quantity in _QUANTITIES)
    return [chart for chart in charts if chart.views]


def _histories(results: Results) -> Iterator[History]:
    owners = owners_of(results)
    plans = list(plans_of(results))
    for place, cell in enumerate(results.cells[:MOST_CELLS]):
        try:
            runs = [results.steps(cell, each) for each in range(cell.replications)]
        except LookupError:
            continue
        steps = min((len(run.times) for run in runs), default=0)
        if steps < 2:
            continue
        times = runs[0].times[:steps]
        values = numpy.stack([run.values[:, :steps] for run in runs])
        moved = moves_of(results, place, times)
        names = [*runs[0].series, *moved]
        if moved:
            values = numpy.concatenate([values, numpy.stack(list(moved.values()), axis=1)], axis=1)
        series = {name: index for index, name in enumerate(names)}
        plan = plans[place]
        yield History(
            cell,
            times,
            series,
            values,
            owners[place],
            shades_of(plan),
            moments_of(plan),
            latest_of(plan, runs),
        )


def _chart(results: Results, histories: Sequence[History], quantity: Quantity, most: int) -> Chart:
    views = list(_all_cells(histories, quantity))
    without = []
    for history in histories:
        means = list(_means(history, quantity))
        views += [
            View(history.times.tolist(), [panel], choice, note=_late(quantity, [history]))
            for choice, panel in means
        ]
        if means and history.cell.replications > 1:
            views += _single(history.thinned(most), quantity)
        if not means:
            without.append(history.cell)
    views, choices = needed(views, ["Cell", "Of", "Run"])
    views = [
        replace(view, slug="" if i else slug_of(quantity.title)) for i, view in enumerate(views)
    ]
    left_out = drawn_of(MOST_CELLS, len(results.cells), " cells")
    return Chart(
        quantity.title,
        "line",
        Scale("Time", "s", least=nanoseconds(results.scenario.run.warmup) / 1e9),
        quantity.scale,
        views,
        caption=quantity.caption
        + _marks_told(views)
        + _pointed_at(views)
        + none_in(without, results.cells)
        + left_out,
        note=count_note([history.cell.replications for history in histories]),
        choices=choices,
    )


def _marks_told(views: Sequence[View]) -> str:
    """Say what the marks mean that there are."""
    every = (series for view in views for panel in view.panels for series in panel.series)
    found = {marks.label for series in every for marks in series.marks}
    named = ", ".join(said for label, said in _MARKED.items() if label in found)
    return f" Marked on single runs: {named}." if named else ""


def _pointed_at(views: Sequence[View]) -> str:
    """Say where intervals are that are not drawn: the page draws bands of so many lines."""
    every = [panel.series for view in views for panel in view.panels]
    is_crowded = any(len(lines) > _BANDS and any(each.halves for each in lines) for lines in every)
    return " The intervals of more than three lines are told at the pointer." if is_crowded else ""


def _late(quantity: Quantity, histories: Sequence[History]) -> str:
    """Say of traffic that stopped until when what it had written went on to arrive."""
    if not quantity.is_of_arrivals:
        return ""
    spans = Spans([history.cell for history in histories])
    names = dict.fromkeys(name for history in histories for name in history.late)
    told = []
    for name in names:
        found = [history.late.get(name) for history in histories]
        stops, lasts = ([each and each[i] for each in found] for i in (0, 1))
        ends = [history.times[-1] for history in histories if name in history.late]
        until = "arrived until"
        if all(last >= end for last, end in zip(filter(None, lasts), ends, strict=True)):
            until = "was still arriving when the run ended at"
        told.append(
            f"{name} stopped writing at {spans.say(stops, seconds)}; what it had written by then "
            f"{until} {spans.say(lasts, seconds)}."
        )
    return " ".join(told)


def _all_cells(histories: Sequence[History], quantity: Quantity) -> Iterator[View]:
    """Give a panel for each of a few, and in it the means of all cells."""
    if len(histories) < 2 or not _is_together(histories):
        return
    found: dict[str, list[tuple[History, Lines]]] = {}
    for history in histories:
        for of, lines in _worth_seeing(history, quantity):
            found.setdefault(of, []).append((history, lines))
    times = histories[0].times.tolist()
    for of, parts in found.items():
        names = list(dict.fromkeys(name for _, lines in parts for name in lines))
        if len(parts) > 1 and len(names) <= MOST_PANELS:
            panels = [_panel_of_cells(name, parts, has_title=len(names) > 1) for name in names]
            note = _late(quantity, [history for history, _ in parts])
            yield View(times, panels, (ALL_CELLS, of, "mean"), note=note)


def _panel_of_cells(name: str, parts: Sequence[tuple[History, Lines]], *, has_title: bool) -> Panel:
    own = {history.cell.name: lines[name] for history, lines in parts if name in lines}
    halves = [_half_widths(each).tolist() for each in own.values()]
    panel = _panel({cell: _mean(each, axis=0) for cell, each in own.items()}, halves)
    return replace(_with_occasions(panel, parts[0][0]), title=name if has_title else "")


def _is_together(histories: Sequence[History]) -> bool:
    """Say whether cells have the same steps, and the same happens in them at the same times."""
    first, *others = histories
    return all(
        numpy.array_equal(first.times, each.times)
        and (first.shades, first.moments) == (each.shades, each.moments)
        for each in others
    )


def _with_occasions(panel: Panel, history: History) -> Panel:
    return replace(panel, shades=history.shades, moments=history.moments)


def _means(history: History, quantity: Quantity) -> Iterator[tuple[tuple[str, ...], Panel]]:
    for of, lines in _worth_seeing(history, quantity):
        is_few = len(lines) <= _FEW
        halves = [_half_widths(each).tolist() if is_few else [] for each in lines.values()]
        means = {name: _mean(each, axis=0) for name, each in lines.items()}
        panel = _panel(means, halves)
        if history.cell.replications == 1:
            panel = _marked(panel, _happened(history, quantity, of), 0)
        yield (history.cell.name, of, "mean"), _with_occasions(panel, history)


def _single(history: History, quantity: Quantity) -> Iterator[View]:
    times = history.times.tolist()
    for of, lines in _worth_seeing(history, quantity):
        happened = _happened(history, quantity, of) if len(lines) <= _FEW else {}
        for replication in range(history.single):
            one = {name: each[replication] for name, each in lines.items()}
            choice = (history.cell.name, of, f"replication {replication}")
            panel = _marked(_panel(one, [[]] * len(one)), happened, replication)
            yield View(times, [_with_occasions(panel, history)], choice)


def _happened(history: History, quantity: Quantity, of: str) -> dict[str, Lines]:
    """Give how often each that is marked happened, to those that a reader has chosen."""
    return {label: dict(lines(history)).get(of, {}) for label, lines in quantity.marks.items()}


def _marked(panel: Panel, happened: Mapping[str, Lines], replication: int) -> Panel:
    """Mark on the lines of a single run the steps in which something happened to each."""
    series = [
        replace(
            each,
            marks=[
                Marks(label, SYMBOLS[label], places)
                for label, lines in happened.items()
                if each.label in lines
                and (places := numpy.flatnonzero(lines[each.label][replication] > 0).tolist())
            ],
        )
        for each in panel.series
    ]
    return replace(panel, series=series)


def _worth_seeing(history: History, quantity: Quantity) -> list[tuple[str, Lines]]:
    """Give what there is to choose, the finest that can still be told apart first."""
    found = [
        (of, lines)
        for of, lines in quantity.lines(history)
        if any(numpy.nansum(each) for each in lines.values())
    ]
    few = [place for place, (_, lines) in enumerate(found) if len(lines) <= _FEW]
    return [found.pop(few[-1]), *found] if few else found


def _panel(lines: Mapping[str, Floats], halves: Sequence[Sequence[float]]) -> Panel:
    looks = zip(lines.items(), _colours(list(lines)), halves, strict=True)
    return Panel(
        [Series(name, colour, values.tolist(), each) for (name, values), colour, each in looks]
    )


def _colours(names: Sequence[str]) -> list[str]:
    labels = {label: AIRTIME_COLOURS[use] for use, label in airtime_labels().items()}
    if set(names) <= set(labels):
        return [labels[name] for name in names]
    return colours(names)


def _of_owners(
    column: str,
    together: Callable[[Sequence[Floats]], Floats],
    factor: float = 1.0,
    *,
    has_pings: bool = True,
) -> Callable[[History], Iterator[tuple[str, Lines]]]:
    """Give lines for all flows together, and for each kind of owners of theirs."""

    def lines(history: History) -> Iterator[tuple[str, Lines]]:
        def of(flows: Sequence[str]) -> list[Floats]:
            told = (flow for flow in flows if has_pings or not is_ping(history.cell, flow))
            names = (f"flow.{flow}.{column}" for flow in told)
            return [factor * history[name] for name in names if name in history]

        whose = [flows for owners in history.owners for flows in owners.flows().values()]
        every = of(list(dict.fromkeys(chain.from_iterable(whose))))
        if len(every) > 1:
            yield "All together", {"all flows": together(every)}
        for owners in history.owners:
            mine = {name: of(its) for name, its in owners.flows().items()}
            found = {name: together(columns) for name, columns in mine.items() if columns}
            if len(found) > 1 or len(every) == 1:
                yield owners.title, found

    return lines


def _queues(history: History) -> Iterator[tuple[str, Lines]]:
    found = {}
    for name in history.series:
        match name.split("."):
            case ["node", node, "queue_packets"]:
                found[node] = history[name]
            case ["wire" | "segment", cable, "queue_packets_from", node]:
                found[f"{cable} from {node}"] = history[name]
    busy = {name: each for name, each in found.items() if numpy.nanmax(each) > 1}
    yield "Each queue", busy or found


def _airtime(history: History) -> Iterator[tuple[str, Lines]]:
    uses = {
        label: 100 * history[f"airtime.{use}_share"]
        for use, label in airtime_labels().items()
        if f"airtime.{use}_share" in history
    }
    yield "Each radio", _of_radios(history, "airtime_share", 100)
    yield "Each use", {label: each for label, each in uses.items() if numpy.nansum(each)}


def _of_radios(history: History, column: str, factor: float) -> Lines:
    parts = ((name.split("."), name) for name in history.series)
    return {
        part[1]: factor * history[name]
        for part, name in parts
        if part[0] == "node" and part[2:] == [column]
    }


def _by_radio(column: str) -> Callable[[History], Iterator[tuple[str, Lines]]]:
    """Give lines of what happens to radios."""

    def lines(history: History) -> Iterator[tuple[str, Lines]]:
        yield "Each radio", _of_radios(history, column, 1)

    return lines


def _sum(columns: Sequence[Floats]) -> Floats:
    total: Floats = numpy.sum(columns, axis=0)
    return total


def _middle(columns: Sequence[Floats]) -> Floats:
    return _mean(numpy.asarray(columns), axis=0)


def _mean(values: Floats, axis: int) -> Floats:
    """Give the mean of what is given along an axis; not a number where nothing is."""
    total: Floats = values.sum(axis=axis)
    if not numpy.isnan(total).any():
        mean: Floats = total / values.shape[axis]
        return mean
    given = ~numpy.isnan(values)
    counts = given.sum(axis=axis)
    total = numpy.where(given, values, 0.0).sum(axis=axis)
    return numpy.where(counts > 0, total / numpy.maximum(counts, 1), numpy.nan)


def _half_widths(values: Floats) -> Floats:
    """Give the half-widths of the 95 % intervals of the means over replications."""
    given = ~numpy.isnan(values)
    counts = given.sum(axis=0)
    if counts.max(initial=0) < 2:
        return numpy.full(values.shape[1], numpy.nan)
    squares = numpy.where(given, (values - _mean(values, axis=0)) ** 2, 0.0).sum(axis=0)
    different, of_which = numpy.unique(counts, return_inverse=True)
    quantiles = numpy.array([t_quantile(n - 1) if n > 1 else numpy.nan for n in different.tolist()])
    freedom = numpy.maximum(counts - 1, 1) * numpy.maximum(counts, 1)
    widths: Floats = quantiles[of_which] * numpy.sqrt(squares / freedom)
    return widths


_LOSSES = {
    "retransmitted": _of_owners("retransmissions", _sum),
    "timeout": _of_owners("timeouts", _sum),
    "roam": _of_owners("roams", _sum),
    "handover": _of_owners("handovers", _sum),
}
_MOVES = {"roam": _by_radio("roams"), "handover": _by_radio("handovers")}
_QUANTITIES = (
    Quantity(
        "Goodput over time",
        Scale("Goodput", "Mbit/s"),
        "Application bytes received in each step.",
        # What pings carry is no goodput.
        _of_owners("goodput_mbps", _sum, has_pings=False),
        _LOSSES,
        is_of_arrivals=True,
    ),
    Quantity(
        "RTT over time",
        Scale("RTT", "ms"),
        "Mean of the round-trip times measured in each step; of several flows the mean.",
        _of_owners("rtt_ms", _middle),
        _LOSSES,
    ),
    Quantity(
        "Congestion window over time",
        Scale("Congestion window", "kbytes"),
        "The sender's window at the end of each step; of several flows the mean.",
        _of_owners("cwnd_bytes", _middle, 1e-3),
        _LOSSES,
    ),
    Quantity(
        "Segments retransmitted over time",
        Scale("Retransmitted", "segments"),
        "Data segments that TCP retransmitted in each step, fast or after a timeout.",
        _of_owners("retransmissions", _sum),
    ),
    Quantity(
        "Timeouts over time",
        Scale("Timeouts"),
        "Expiries of TCP's retransmission timers in each step.",
        _of_owners("timeouts", _sum),
    ),
    Quantity(
        "Queues over time",
        Scale("Queue", "packets"),
        "Packets in the interface queue of each radio, at each end of a wire and of each node on a "
        "segment, at the end of each step; the one being sent counts.",
        _queues,
    ),
    Quantity(
        "Signal over time",
        Scale("Signal", "dBm"),
        "What the radio's kernel last told by the end of each step of the one at the other end.",
        _by_radio("signal_dbm"),
        _MOVES,
    ),
    Quantity(
        "Rates over time",
        Scale("Rate", "Mbit/s"),
        "The rate of the last data frame to the one at the other end, as the radio's kernel told "
        "it by the end of each step.",
        _by_radio("rate_mbps"),
        _MOVES,
    ),
    Quantity(
        "Retries over time",
        Scale("Retries", "frames"),
        "Frames that the radio retransmitted in each step, as far as its driver counts them.",
        _by_radio("retries"),
        _MOVES,
    ),
    Quantity(
        "Airtime over time",
        Scale("Share of the step", "%"),
        "How long each radio sent in each step, and what the channel's time went on.",
        _airtime,
        {"rate change": _by_radio("rate_changes"), **_MOVES},
    ),
)
