"""Results as a table of aligned text, no wider than the terminal."""

from collections.abc import Sequence

from anechoic.campaign.awaited import awaited
from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import NOTHING, with_interval
from anechoic.campaign.phases import phases
from anechoic.campaign.results import Results
from anechoic.campaign.silence import silence
from anechoic.fitting import height, width, wrapped
from anechoic.saying import plain

MOST_METRICS = 5
_BESIDE = 8
"""Lines of a screen that are left to heads, notes and the shell."""

Row = Sequence[str]


def text(results: Results) -> str:
    """Write the answer, and as aligned text a line for each cell that a screen holds."""
    axes = [axis.name for axis in results.axes]
    metrics = headline_metrics(results)
    rows = [_row(cell, axes, metrics) for cell in _on_screen(results)]
    table = fitted([*axes, *metrics, "n"], rows, range(len(axes) + 1, len(axes) + len(metrics)))
    found = [wrapped(each.text) for each in results.in_short()]
    below = ["", *found] if found else []
    return "\n".join(
        [
            *_answered(results),
            *_title(results),
            *table,
            *_rest(results),
            *map(wrapped, _notes(results)),
            *below,
        ]
    )


def fitted(head: Row, rows: Sequence[Row], droppable: range = range(0)) -> list[str]:
    """Write a table that fits the terminal.

    Of the droppable columns the last are left out as far as need be, and named below; then swept
    paths are cut to their last part; and what is still too wide is told row by row.
    """
    for first in range(droppable.stop, droppable.start - 1, -1):
        left_out = range(first, droppable.stop)
        kept = [at for at in range(len(head)) if at not in left_out]
        rest = [[row[at] for at in kept] for row in rows]
        for names in (head, _short(head)):
            lines = aligned([names[at] for at in kept], rest)
            if max(map(len, lines)) <= width():
                return [*lines, *_left_out([head[at] for at in left_out])]
    return [wrapped(_told(head, row)) for row in rows]


def aligned(head: Row, rows: Sequence[Row]) -> list[str]:
    """Write a head, a rule and rows as lines, their cells aligned to the right."""
    head, rows = [*map(plain, head)], [[*map(plain, row)] for row in rows]
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


def _answered(results: Results) -> list[str]:
    """Give the answer, and a table of what it is about where the table below tells other things."""
    answer = results.answer
    if not answer.text:
        return []
    said = [wrapped(each) for each in (answer.text, answer.helps) if each]
    if answer.is_goodput_alone:
        return [*said, ""]
    axes = [axis.name for axis in results.axes]
    head = [*axes, *(each.head for each in answer.quantities)]
    rows = [
        [
            *(str(cell.parameters[axis]) for axis in axes),
            *(with_interval(each.summary(cell)) for each in answer.quantities),
        ]
        for cell in _on_screen(results)
    ]
    table = fitted(head, rows, range(len(axes) + 1, len(head)))
    return [*said, "", *table, *_rest(results), ""]


def _on_screen(results: Results) -> Sequence[Cell]:
    """Give all cells that a screen holds; of more the first, so that two tables fit."""
    lines = height() - _BESIDE
    return results.cells if len(results.cells) <= lines else results.cells[: max(lines // 2, 1)]


def _rest(results: Results) -> list[str]:
    """Say how many cells are not on the screen, and where they are."""
    left = len(results.cells) - len(_on_screen(results))
    where = "" if results.out is None else f": {results.out / 'results.csv'} has all"
    return [wrapped(f"… and {left} more cells{where}")] if left else []


def _row(cell: Cell, axes: Sequence[str], metrics: Sequence[str]) -> list[str]:
    return [
        *(str(cell.parameters[axis]) for axis in axes),
        *(_value(cell, metric) for metric in metrics),
        _count(cell),
    ]


def _short(head: Row) -> Row:
    short = [name.rpartition(".")[2] for name in head]
    return [own if short.count(own) == 1 else name for own, name in zip(short, head, strict=True)]


def _left_out(names: Row) -> list[str]:
    return [wrapped(f"not shown for want of room: {', '.join(names)}")] if names else []


def _told(head: Row, row: Row) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(head, row, strict=True))


def _value(cell: Cell, metric: str) -> str:
    return with_interval(cell.metrics[metric]) if metric in cell.metrics else NOTHING


def _count(cell: Cell) -> str:
    return f"{cell.replications}*" if cell.limit_reached else str(cell.replications)


def _title(results: Results) -> list[str]:
    return [wrapped(results.scenario.title)] if results.scenario.title else []


def _notes(results: Results) -> list[str]:
    notes = ["mean ± half-width of the 95 % Student-t interval over n replications"]
    rule = results.campaign["replication"]
    if any(cell.limit_reached for cell in results.cells):
        precision = f"{100 * rule['precision']:g} %"
        notes.append(f"* limit of {rule['max']} replications reached before {precision}")
    return [*notes, *silence(results), *phases(results), *awaited(results)]
