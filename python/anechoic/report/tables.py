"""The tables of a report: cells with their metrics, and the airtime ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import NOTHING, with_interval
from anechoic.campaign.periods import measured, windows
from anechoic.campaign.replication import Summary
from anechoic.campaign.results import Results
from anechoic.report.airtime import categories_of
from anechoic.report.axes import axis_title
from anechoic.scenario.catalogue import airtime_labels, metric

_USUAL = (
    "goodput_mbps",
    "goodput_per_connection_mbps",
    "rtt_ms_mean",
    "tcp.retransmissions",
    "mac.retries",
    "collision_probability",
)
"""What a reader of any campaign wants to see, beside what its figures show."""
_TROUBLE = ("connections_failed", "tcp.failed_timed_out", "tcp.failed_refused", "tcp.failed_reset")
"""What is worth a column where it happened."""


def cells_table(results: Results) -> str:
    """Give a row for each cell: its parameters, n, and the metrics with their intervals."""
    columns = []
    for name in shown_metrics(results):
        below = filter(None, [metric(name).unit, _when(results, name)])
        columns.append((name, metric(name).label, ", ".join(below)))
    return _cells(results, columns)


def _when(results: Results, name: str) -> str:
    """Say when a metric was measured, where there are windows beside the whole time."""
    window = name.partition("@")[2]
    known = windows(results.scenario)
    return known.get(window, measured(results.scenario)) if known else ""


def airtime_table(results: Results) -> str:
    """Give the ledger's shares of each cell with their intervals."""
    columns = [
        (f"airtime.{category}_share", airtime_labels()[category], "%")
        for category in categories_of(results.cells)
    ]
    return _cells(results, columns)


def replication_note(cells: Iterable[Cell]) -> str:
    """Say how many replications the means rest on, and what stands beside them."""
    counts = sorted({cell.replications for cell in cells})
    if not counts or counts == [1]:
        return "Single runs, without intervals."
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"Means of {span} replications with the half-width of their 95 % Student-t interval."


def shown_metrics(results: Results) -> list[str]:
    """Name the metrics of the table: the rule's, the figures', and the usual ones."""
    wanted = [
        results.scenario.replication.metric,
        *(name for figure in results.scenario.figure for name in figure.wholes),
        *_USUAL,
    ]
    held = {name for cell in results.cells for name in cell.metrics}
    wanted += [name for name in _TROUBLE if any(_is_there(cell, name) for cell in results.cells)]
    return [name for name in dict.fromkeys(wanted) if name in held]


def _is_there(cell: Cell, name: str) -> bool:
    return name in cell.metrics and cell.metrics[name].max > 0


def _cells(results: Results, columns: Sequence[tuple[str, str, str]]) -> str:
    head = [f'<th class="text">{escape(axis_title(axis.name))}</th>' for axis in results.axes]
    head.append("<th>n</th>")
    head += [
        f"<th>{escape(label)}{f' <small>{escape(unit)}</small>' if unit else ''}</th>"
        for _, label, unit in columns
    ]
    names = [name for name, _, _ in columns]
    return table("".join(head), (_cell_row(results, cell, names) for cell in results.cells))


def _cell_row(results: Results, cell: Cell, names: Iterable[str]) -> str:
    parts = [
        f'<td class="text word">{escape(str(cell.parameters[axis.name]))}</td>'
        for axis in results.axes
    ]
    if cell.limit_reached:
        limit = '<td class="limit" title="the rule ran into its limit">'
        parts.append(f"{limit}{cell.replications} (limit)</td>")
    else:
        parts.append(f"<td>{cell.replications}</td>")
    for name in names:
        parts.append(f"<td>{_value(cell, name)}</td>")
    return f"<tr>{''.join(parts)}</tr>"


def _value(cell: Cell, name: str) -> str:
    summary = cell.metrics.get(name)
    if summary is None or summary.n == 0:
        return NOTHING
    text = with_interval(_in_percent(name, summary))
    if cell.replications == 1:
        return f"{text} (single run)"
    return text if summary.n == cell.replications else f"{text} (n = {summary.n})"


def _in_percent(name: str, summary: Summary) -> Summary:
    if not name.endswith("_share"):
        return summary
    return replace(summary, mean=100 * summary.mean, ci95=100 * summary.ci95)


def table(head: str, rows: Iterable[str]) -> str:
    """Give a table of a row of headings and rows, each in HTML."""
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
