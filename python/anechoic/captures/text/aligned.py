"""Tables of aligned text."""

from collections.abc import Sequence

from anechoic.saying import plain

Rows = Sequence[Sequence[str]]
"""A head and what stands below it, each with as many cells."""


def aligned(rows: Rows) -> list[str]:
    """Give the lines of a table: the first column to the left, all others to the right."""
    rows = [[*map(plain, row)] for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def without_empty(rows: Rows) -> list[list[str]]:
    """Leave out the columns, but for the first, in which nothing stands below the head."""
    width = range(1, len(rows[0]))
    kept = [0, *(at for at in width if any(row[at] for row in rows[1:]))]
    return [[row[at] for at in kept] for row in rows]
