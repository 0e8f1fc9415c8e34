"""The answer that a report begins with: a sentence, and a small table of what was asked."""

from html import escape

from anechoic.campaign.asked import Quantity
from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import with_interval
from anechoic.campaign.results import Results
from anechoic.report.axes import axis_title
from anechoic.report.tables import table

_MOST_ROWS = 12
"""Cells that the first screen shows; a table of more opens on request."""


def answered(results: Results) -> str:
    """Give the answer to the scenario's question; nothing where no cell has what it asks for."""
    answer = results.answer
    if not answer.text:
        return ""
    said = f'<p class="answer">{escape(answer.text)}</p>'
    helps = f'<p class="answer">{escape(answer.helps)}</p>' if answer.helps else ""
    heads = [axis_title(axis.name) for axis in results.axes]
    names = "".join(f'<th class="text">{escape(name)}</th>' for name in heads)
    names += "".join(_head(each) for each in answer.quantities)
    rows = table(names, (_row(results, cell) for cell in results.cells))
    if len(results.cells) > _MOST_ROWS:
        rows = f"<details><summary>All {len(results.cells)} cells</summary>{rows}</details>"
    return f"{said}\n{rows}\n{helps}"


def _head(quantity: Quantity) -> str:
    unit = f" <small>{escape(quantity.unit)}</small>" if quantity.unit else ""
    return f"<th>{escape(quantity.label)}{unit}</th>"


def _row(results: Results, cell: Cell) -> str:
    values = [str(cell.parameters[axis.name]) for axis in results.axes]
    texts = "".join(f'<td class="text word">{escape(value)}</td>' for value in values)
    found = (with_interval(each.summary(cell)) for each in results.answer.quantities)
    return f"<tr>{texts}{''.join(f'<td>{value}</td>' for value in found)}</tr>"
