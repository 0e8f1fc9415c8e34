"""A described figure as a piece of a page that can be zoomed, hovered and toggled.

The page carries the data of each figure packed, Apache ECharts as its own package ships it, and
`figures.js`, which draws the one with the other.
"""

import json
from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy

from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.packing import EXACT, READ, Pool
from anechoic.report.palette import FAINT, INK, RULE, on_dark

_HERE = Path(__file__).parent


def figure_of(chart: Chart) -> str:
    """Give a figure with its title, caption and data, which the script draws."""
    said = " · ".join(filter(None, [chart.caption, chart.note]))
    pool = Pool()
    data = _chart(chart, pool)
    return (
        f'<figure class="chart"><h3>{escape(chart.title)}</h3>\n'
        '<noscript><p class="faint">This figure is drawn by JavaScript.</p></noscript>\n'
        f"<figcaption>{escape(said)}</figcaption>\n"
        f'<script type="application/zlib">{pool.packed(data)}</script></figure>'
    )


def script_of(charts: Iterable[Chart]) -> str:
    """Give what draws these figures, and what their colours are on a dark page."""
    used = {each.colour for each in _coloured(charts)}
    grounds = {"ink": INK, "faint": FAINT, "rule": RULE}
    colours = {**grounds, "dark": {c: on_dark(c) for c in sorted({*used, *grounds.values()})}}
    library = (_HERE / "echarts" / "echarts.min.js").read_text(encoding="utf-8")
    own = (_HERE / "figures.js").read_text(encoding="utf-8")
    return f"{library}\nconst COLOURS = {json.dumps(colours)};\n{own}"


def _coloured(charts: Iterable[Chart]) -> Iterable[Any]:
    panels = (panel for chart in charts for view in chart.views for panel in view.panels)
    return (each for panel in panels for each in (*panel.series, *panel.shades))


def _chart(chart: Chart, pool: Pool) -> dict[str, Any]:
    return {
        "title": chart.title,
        "form": chart.form,
        "x": _scale(chart.x),
        "left": _scale(chart.left),
        "right": chart.right and _scale(chart.right),
        "key": chart.key,
        "choices": list(chart.choices),
        "views": [_view(view, pool) for view in chart.views],
    }


def _scale(scale: Scale) -> dict[str, Any]:
    return {
        "title": scale.label,
        "unit": scale.unit,
        "base": scale.base,
        "ticks": list(scale.ticks),
        "names": list(scale.names),
        "least": scale.least,
        "most": scale.most,
    }


def _view(view: View, pool: Pool) -> dict[str, Any]:
    given = {
        "choice": list(view.choice),
        "xs": pool.add(view.xs, EXACT),
        "panels": [_panel(panel, pool) for panel in view.panels],
        "names": list(view.names),
        "note": view.note,
    }
    return {name: value for name, value in given.items() if value or name in ("choice", "xs")}


def _panel(panel: Panel, pool: Pool) -> dict[str, Any]:
    shades = [
        {"label": each.label, "colour": each.colour, "spans": [list(span) for span in each.spans]}
        for each in panel.shades
    ]
    series = [_series(each, pool) for each in panel.series]
    moments = [[each.label, each.at] for each in panel.moments]
    return {"title": panel.title, "series": series, "shades": shades, "moments": moments}


def _series(series: Series, pool: Pool) -> dict[str, Any]:
    has_intervals = _any_number(series.halves)
    given = {
        "label": series.label,
        "colour": series.colour,
        # A narrow interval asks for more digits of its mean.
        "ys": pool.add(series.ys, EXACT if has_intervals else READ),
        "halves": pool.add(series.halves) if has_intervals else None,
        "boxes": pool.add([*chain.from_iterable(series.boxes)]) if series.boxes else None,
        "marks": [
            {"label": marks.label, "symbol": marks.symbol, "places": list(marks.places)}
            for marks in series.marks
        ]
        or None,
        "dots": pool.add([*chain.from_iterable(series.dots)]) if series.dots else None,
        "marker": series.marker,
        "right": series.is_right,
        "step": series.is_step,
        "quiet": series.is_quiet,
        "unbroken": series.is_unbroken,
    }
    # What is not so is not said.
    return {name: value for name, value in given.items() if value not in (None, False, "")}


def _any_number(values: Sequence[float]) -> bool:
    return bool(numpy.isfinite(numpy.asarray(values, dtype=float)).any())
