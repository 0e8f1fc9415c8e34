"""A described figure as a piece of a page that can be zoomed, hovered and toggled.

The page carries the data of each figure as JSON, Apache ECharts as its own package ships it, and
`figures.js`, which draws the one with the other.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy

from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.palette import FAINT, INK, RULE, on_dark

_HERE = Path(__file__).parent
_DENSE = 20
"""Of so many values a packed one is shorter than a written one."""
_NONE = 2**16 - 1
_DIGITS = 4
"""Digits of a value on the page: more are not read, and weigh."""


def figure_of(chart: Chart) -> str:
    """Give a figure with its title, caption and data, which the script draws."""
    said = " · ".join(filter(None, [chart.caption, chart.note]))
    return (
        f'<figure class="chart"><h3>{escape(chart.title)}</h3>\n'
        '<noscript><p class="faint">This figure is drawn by JavaScript.</p></noscript>\n'
        f"<figcaption>{escape(said)}</figcaption>\n"
        f'<script type="application/json">{_json(_chart(chart))}</script></figure>'
    )


def script_of(charts: Iterable[Chart]) -> str:
    """Give what draws these figures, and what their colours are on a dark page."""
    used = {each.colour for each in _coloured(charts)}
    grounds = {"ink": INK, "faint": FAINT, "rule": RULE}
    colours = {**grounds, "dark": {c: on_dark(c) for c in sorted({*used, *grounds.values()})}}
    library = (_HERE / "echarts" / "echarts.min.js").read_text(encoding="utf-8")
    own = (_HERE / "figures.js").read_text(encoding="utf-8")
    return f"{library}\nconst COLOURS = {_json(colours)};\n{own}"


def _coloured(charts: Iterable[Chart]) -> Iterable[Any]:
    panels = (panel for chart in charts for view in chart.views for panel in view.panels)
    return (each for panel in panels for each in (*panel.series, *panel.shades))


def _json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Nothing within a script may end it.
    return text.replace("<", "\\u003c")


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "title": chart.title,
        "form": chart.form,
        "x": _scale(chart.x),
        "left": _scale(chart.left),
        "right": chart.right and _scale(chart.right),
        "key": chart.key,
        "choices": list(chart.choices),
        "views": [_view(view) for view in chart.views],
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


def _view(view: View) -> dict[str, Any]:
    given = {
        "choice": list(view.choice),
        "xs": numbers(view.xs),
        "panels": [_panel(panel) for panel in view.panels],
        "names": list(view.names),
        "note": view.note,
    }
    return {name: value for name, value in given.items() if value or name in ("choice", "xs")}


def _panel(panel: Panel) -> dict[str, Any]:
    shades = [
        {"label": each.label, "colour": each.colour, "spans": [list(span) for span in each.spans]}
        for each in panel.shades
    ]
    return {"title": panel.title, "series": [*map(_series, panel.series)], "shades": shades}


def _series(series: Series) -> dict[str, Any]:
    pack = packed if len(series.ys) > _DENSE else numbers
    given = {
        "label": series.label,
        "colour": series.colour,
        "ys": pack(series.ys),
        "halves": pack(series.halves) if _any_number(series.halves) else None,
        "boxes": [numbers(box) for box in series.boxes] or None,
        "marks": [
            {"label": marks.label, "symbol": marks.symbol, "places": list(marks.places)}
            for marks in series.marks
        ]
        or None,
        "dots": [numbers(dot) for dot in series.dots] or None,
        "marker": series.marker,
        "right": series.is_right,
        "step": series.is_step,
        "quiet": series.is_quiet,
    }
    # What is not so is not said.
    return {name: value for name, value in given.items() if value not in (None, False, "")}


def packed(values: Sequence[float]) -> dict[str, Any]:
    """Give values of 0 and more as 16 bits each: parts of the largest, and the last for none."""
    array = numpy.asarray(values, dtype=float)
    is_some = numpy.isfinite(array)
    largest = float(array[is_some].max(initial=0.0))
    parts = numpy.where(is_some, array, 0.0) * ((_NONE - 1) / (largest or 1.0))
    codes = numpy.where(is_some, numpy.rint(parts), _NONE).astype("<u2")
    return {"largest": largest, "parts": base64.b64encode(codes.tobytes()).decode()}


def _any_number(values: Sequence[float]) -> bool:
    return bool(numpy.isfinite(numpy.asarray(values, dtype=float)).any())


def numbers(values: Sequence[float]) -> list[float | None]:
    """Give values to four digits, and null for none."""
    array = numpy.asarray(values, dtype=float)
    sizes = numpy.abs(array)
    is_some = numpy.isfinite(array)
    with numpy.errstate(divide="ignore"):
        places = numpy.where(is_some & (sizes > 0), numpy.floor(numpy.log10(sizes)), 0)
    factor = 10.0 ** numpy.clip(_DIGITS - 1 - places, 0, 300)
    rounded = numpy.where(is_some, numpy.round(array * factor) / factor, 0).tolist()
    whole = [int(value) if value.is_integer() else value for value in rounded]
    return [value if some else None for value, some in zip(whole, is_some.tolist(), strict=True)]
