"""Results as a table of aligned text."""

from collections.abc import Sequence

from anechoic.campaign.awaited import awaited
from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import NOTHING, with_interval
from anechoic.campaign.results import Results
from anechoic.campaign.silence import silence

MOST_METRICS = 5


def text(results: Results) -> str:
    """Write the results as aligned text, one line for each cell."""
    return "\n".join([*_title(results), *aligned(*_table(results)), *_notes(results)])


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a head, a rule and rows as lines, their cells aligned to the right."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *rows)
    ]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return lines


def headline_metrics(results: Results) -> list[str]:
    """Name the metrics worth a column: the rule's, and those of the figures."""
    metric = results.campaign["replication"]["metric"]
    wanted = dict.fromkeys(
        [metric, *(name for each in results.scenario.figure for name in each.wholes)]
    )
    given = [name for name in wanted if any(name in cell.metrics for cell in results.cells)]
    return given[:MOST_METRICS]


def _table(results: Results) -> tuple[list[str], list[list[str]]]:
    metrics = headline_metrics(results)
    head = [*(axis.name for axis in results.axes), *metrics, "n"]
    rows = [
        [
            *(str(cell.parameters[axis.name]) for axis in results.axes),
            *(_value(cell, metric) for metric in metrics),
            _count(cell),
        ]
        for cell in results.cells
    ]
    return head, rows


def _value(cell: Cell, metric: str) -> str:
    return with_interval(cell.metrics[metric]) if metric in cell.metrics else NOTHING


def _count(cell: Cell) -> str:
    return f"{cell.replications}*" if cell.limit_reached else str(cell.replications)


def _title(results: Results) -> list[str]:
    return [results.scenario.title] if results.scenario.title else []


def _notes(results: Results) -> list[str]:
    notes = ["mean ± half-width of the 95 % Student-t interval over n replications"]
    rule = results.campaign["replication"]
    if any(cell.limit_reached for cell in results.cells):
        precision = f"{100 * rule['precision']:g} %"
        notes.append(f"* limit of {rule['max']} replications reached before {precision}")
    return [*notes, *silence(results), *awaited(results)]
