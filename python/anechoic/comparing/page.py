"""The page of a comparison: a figure and a table for each metric."""

from collections.abc import Sequence
from html import escape
from math import nan
from pathlib import Path

from anechoic.comparing.rows import Row, axes_of, heads, metrics_of, notes
from anechoic.comparing.side import Side
from anechoic.files import write_whole
from anechoic.report.chart import Chart, Panel, Scale, Series, View
from anechoic.report.html import document as page
from anechoic.report.html import head
from anechoic.report.interactive import figure_of, script_of
from anechoic.report.palette import DISTINCT
from anechoic.report.tables import table
from anechoic.scenario.catalogue import metric as about
from anechoic.scenario.errors import Problem, ScenarioError

PAGE, DOCUMENT = "comparison.html", "comparison.json"


def write(sides: Sequence[Side], rows: Sequence[Row], document: str, out: Path) -> Path:
    """Write the page and the document into a folder that holds nothing else; give the page."""
    if out.is_dir():
        others = [path.name for path in out.glob("[!.]*") if path.name not in (PAGE, DOCUMENT)]
        if others:
            what = f"it holds something else: {sorted(others)[0]}"
            raise ScenarioError(str(out), [Problem("", what, "an empty folder, or a new one")])
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise ScenarioError(str(out), [Problem("", what, "a folder to write to")]) from None
    write_whole(out / DOCUMENT, document.encode())
    write_whole(out / PAGE, _page(sides, rows).encode())
    return out / PAGE


def tables(sides: Sequence[Side], rows: Sequence[Row]) -> str:
    """Give a table for each metric, in HTML."""
    return "\n".join(
        f"<h3>{escape(_title(metric))}</h3>\n{_table(sides, _of(metric, rows))}"
        for metric in metrics_of(rows)
    )


def _page(sides: Sequence[Side], rows: Sequence[Row]) -> str:
    facts = [(side.name, f"{side.kind}, {side.path}") for side in sides]
    said = "\n".join(f'<p class="faint">{escape(note)}</p>' for note in notes(sides, rows))
    charts = {metric: _chart(metric, sides, _of(metric, rows)) for metric in metrics_of(rows)}
    parts = [
        f"{figure_of(chart)}\n{_table(sides, _of(metric, rows))}"
        for metric, chart in charts.items()
    ]
    title = " beside ".join(side.name for side in sides)
    return page(title, [head(title, facts), said, *parts], script=script_of(charts.values()))


def _of(metric: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.metric == metric]


def _chart(metric: str, sides: Sequence[Side], rows: Sequence[Row]) -> Chart:
    series = []
    for place, side in enumerate(sides):
        found = [row.summaries[place] for row in rows]
        means = [nan if each is None else each.mean for each in found]
        halves = [nan if each is None else each.ci95 for each in found]
        series.append(Series(side.name, DISTINCT[place % len(DISTINCT)], means, halves))
    names = [", ".join(map(str, row.parameters.values())) for row in rows]
    view = View([float(place) for place in range(len(rows))], [Panel(series)])
    x, left = Scale(", ".join(axes_of(rows)), names=names), Scale(_label(metric), _unit(metric))
    return Chart(_label(metric), "bar", x, left, [view], note="means and 95 % intervals")


def _table(sides: Sequence[Side], rows: Sequence[Row]) -> str:
    axes = axes_of(rows)
    named = [f'<th class="text">{escape(axis)}</th>' for axis in axes]
    named += [f"<th>{escape(name)}</th>" for name in heads(sides)]
    lines = []
    for row in rows:
        values = [str(row.parameters.get(axis, "")) for axis in axes]
        cells = [f'<td class="text word">{escape(value)}</td>' for value in values]
        cells += [f"<td>{escape(text)}</td>" for text in row.texts()]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return table("".join(named), lines)


def _title(metric: str) -> str:
    return f"{_label(metric)} ({_unit(metric)})" if _unit(metric) else _label(metric)


def _label(metric: str) -> str:
    return about(metric).label


def _unit(metric: str) -> str:
    return about(metric).unit
