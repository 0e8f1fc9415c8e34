"""How values are distributed: what share of them is at most so large."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy

from anechoic.campaign.cells import Cell
from anechoic.campaign.periods import measured
from anechoic.campaign.results import Results
from anechoic.report.buckets import Buckets, Named, distributions_of, merged
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.choices import drawn_of, needed, none_in
from anechoic.report.lines import MOST_LINES
from anechoic.report.owners import MOST, Owners, owners_of
from anechoic.report.palette import colours
from anechoic.report.series import ALL_CELLS, MOST_CELLS, MOST_PANELS
from anechoic.report.slugs import slug_of
from anechoic.scenario.catalogue import Metric, quantity

Lines = Mapping[str, Buckets]

_POINTS = 150
"""Places along x, where the shares of all lines together change most."""
_SHARES = (*(share / 100 for share in range(100)), 0.995, 0.999, 0.9999, 1.0)
_WIDE = 8
"""Medians so far below the largest value would stand at the edge of a plain scale."""
_REACH = 1e5
"""What is so many times smaller than the largest value stands at the left end."""
_OF_FLOWS = {"rtt_ms": "", "delay_ms": "", "transfer_s": "tcp.", "loss_gap_s": "tcp."}
"""Quantities of flows, and what stands before the name of all flows' together."""
_HOW = "Of all replications together; the lines rise to 100 % at the largest value."


def over_values(results: Results) -> list[Chart]:
    """Describe the distributions that have anything to show, those of flows first."""
    if results.out is None:
        return []
    found = [(cell, distributions_of(results, cell)) for cell in results.cells[:MOST_CELLS]]
    if not any(named for _, named in found):
        return []
    owners = owners_of(results)
    charts = [
        _chart(
            quantity(f"flow.FLOW.{name}"),
            [
                (cell, of, lines)
                for (cell, named), kinds in zip(found, owners, strict=False)
                for of, lines in _of_flows(named, kinds, name, before)
            ],
        )
        for name, before in _OF_FLOWS.items()
    ]
    queues = [(cell, "", _queues(named)) for cell, named in found]
    services = [(cell, "", _services(named)) for cell, named in found]
    charts.append(_chart(quantity("node.NODE.queue_ms"), queues))
    charts.append(_chart(quantity("node.NODE.service_ms"), services))
    outside = ", in windows and outside of them" if results.scenario.window else ""
    when = f" Measured from {measured(results.scenario)}{outside}."
    left_out = drawn_of(MOST_CELLS, len(results.cells), " cells")
    return [replace(each, caption=each.caption + when + left_out) for each in charts if each.views]


Placed = dict[str, dict[str, Buckets]]
"""Of each line or kind of boxes the distributions by their places along x."""


def _of_flows(
    named: Named, kinds: Sequence[Owners], name: str, before: str
) -> Iterator[tuple[str, Lines]]:
    """Give the lines of those of a kind, and of all flows together: first what is told apart."""
    all_of_them = named.get(before + name)
    is_crowd = not any(1 < len(kind.members) <= MOST_LINES for kind in kinds)
    if all_of_them and is_crowd:
        yield "All together", {"all flows": all_of_them}
    for owners in sorted(kinds, key=lambda kind: len(kind.members) > MOST_LINES):
        lines = {
            owner: found
            for owner, flows in owners.flows().items()
            if (found := _together(named, flows, name)) is not None
        }
        if len(lines) > 1:
            yield owners.title, lines
    if all_of_them and not is_crowd:
        yield "All together", {"all flows": all_of_them}


def _together(named: Named, flows: Iterable[str], name: str) -> Buckets | None:
    wholes = (f"flow.{flow}.{name}" for flow in flows)
    return merged(named[whole] for whole in wholes if whole in named)


def _queues(named: Named) -> Lines:
    """Give the queues in which packets waited, or all if none did."""
    found = {}
    for name, buckets in named.items():
        match name.split("."):
            case ["node", node, "queue_ms"]:
                found[node] = buckets
            case ["wire" | "segment", cable, "queue_ms_from", node]:
                found[f"{cable} from {node}"] = buckets
    busy = {name: each for name, each in found.items() if each.quantiles([0.99])[0] > 1e-3}
    return dict(list((busy or found).items())[:MOST])


def _services(named: Named) -> Lines:
    parts = ((name.split("."), buckets) for name, buckets in named.items())
    found = {part[1]: each for part, each in parts if part[0] == "node" and "service_ms" in part}
    return dict(list(found.items())[:MOST])


def _chart(of: Metric, found: Sequence[tuple[Cell, str, Lines]]) -> Chart:
    """Describe the default figure of a quantity: a view for each cell and whose values."""
    given = [(cell, whose, lines) for cell, whose, lines in found if lines]
    chart = of_lines(of, [_placed(lines) for *_, lines in given], None)
    views = _all_cells(of, given)
    views += [
        replace(view, choice=(cell.name, whose))
        for (cell, whose, _), view in zip(given, chart.views, strict=True)
    ]
    if not views:
        return chart
    views, asked = needed(views, ["Cell", "Of"])
    slug = slug_of(chart.title)
    views = [replace(view, slug="" if i else slug) for i, view in enumerate(views)]
    note = together_note([cell.replications for cell, _, _ in given])
    cells = list({cell.name: cell for cell, *_ in found}.values())
    with_any = {cell.name for cell, *_ in given}
    without = none_in([cell for cell in cells if cell.name not in with_any], cells)
    return replace(chart, views=views, choices=asked, note=note, caption=chart.caption + without)


def _placed(lines: Lines) -> Placed:
    return {name: {"": each} for name, each in lines.items()}


def _all_cells(of: Metric, given: Sequence[tuple[Cell, str, Lines]]) -> list[View]:
    """Give a panel for each of a few, and in it the lines of all cells."""
    found: dict[str, list[tuple[Cell, Lines]]] = {}
    for cell, whose, lines in given:
        found.setdefault(whose, []).append((cell, lines))
    views = []
    for whose, parts in found.items():
        names = list(dict.fromkeys(name for _, lines in parts for name in lines))
        if len(parts) < 2 or len(names) > MOST_PANELS:
            continue
        contents = [
            _placed({cell.name: lines[name] for cell, lines in parts if name in lines})
            for name in names
        ]
        chart = of_lines(of, contents, names if len(names) > 1 else [""])
        views += [replace(view, choice=(ALL_CELLS, whose)) for view in chart.views]
    return views


def of_lines(of: Metric, contents: Sequence[Placed], titles: Sequence[str] | None) -> Chart:
    """Describe lines: a view for each content, or a panel if these have titles."""
    every = [line[""] for content in contents for line in content.values()]
    label = of.label.removesuffix(", FLOW").removesuffix(", NODE")
    scale = _scale(Scale(label, of.unit), every)
    groups = [contents] if titles is not None else [[content] for content in contents]
    views = []
    for group in groups:
        xs = _places([line[""] for content in group for line in content.values()], scale)
        shown = list(dict.fromkeys(name for content in group for name in content))
        palette = dict(zip(shown, colours(shown), strict=True))
        panels = [
            Panel(
                [
                    Series(name, palette[name], (100 * line[""].shares(xs)).tolist(), marker="none")
                    for name, line in content.items()
                ],
                titles[i] if titles else "",
            )
            for i, content in enumerate(group)
        ]
        if len(xs):
            views.append(View(xs.tolist(), panels))
    return Chart(
        f"{label}, distribution",
        "line",
        scale,
        Scale("Share at most so long", "%"),
        views,
        caption=f"{label}: {of.description}. {_HOW}",
        note="",
    )


def _scale(scale: Scale, every: Sequence[Buckets]) -> Scale:
    """Choose a log scale where small values would pile up."""
    if not every:
        return scale
    ends = numpy.array([each.quantiles([0.5, 1.0]) for each in every])
    least, largest = ends[:, 0].min(), ends[:, 1].max()
    return replace(scale, base=10 if largest > _WIDE * least else 0)


def _places(
    every: Sequence[Buckets], scale: Scale
) -> numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]:
    """Give the places along x at which lines are drawn: ends of buckets, where most happens."""
    if not every:
        return numpy.empty(0)
    largest = max(float(each.tos[-1]) for each in every)
    ends = []
    for each in every:
        reached = numpy.cumsum(each.counts)
        at = numpy.searchsorted(reached, numpy.asarray(_SHARES) * reached[-1] * (1 - 1e-12))
        ends += [each.tos[at], each.froms[:1]]
    xs = numpy.unique(numpy.concatenate(ends))
    xs = xs[xs >= largest / _REACH] if scale.base else xs
    if len(xs) > _POINTS:
        xs = xs[numpy.unique(numpy.linspace(0, len(xs) - 1, _POINTS).astype(int))]
    return xs


def together_note(counts: Sequence[int]) -> str:
    """Say what a distribution rests on."""
    low, high = min(counts), max(counts)
    if high == 1:
        return "single runs"
    return f"{low if low == high else f'{low} to {high}'} replications together"
