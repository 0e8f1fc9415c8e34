"""Rules on packets: each speaks of cases in a capture, and some of these may break it.

A mechanism goes through the segments or frames that our analysis lists, collects the cases, and
has the verdict from :func:`rule`. What several studies ask for stands in ``segment_rules`` and
``frame_rules``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anechoic.papers.points import MissingPoint
from anechoic.papers.verdict import Figure, Status, Verdict, shortened

if TYPE_CHECKING:
    import pyarrow

    from anechoic.captures.analysis import Analysis

Row = dict[str, Any]


def rule(what: str, cases: int, wrong: Sequence[str]) -> Verdict:
    """Decide whether no case breaks a rule; raise MissingPoint if there is no case of it."""
    if not cases:
        raise MissingPoint(f"the capture holds none of: {what}")
    shown = (Figure(what, cases), Figure(f"{what}: otherwise", len(wrong)))
    if wrong:
        return Verdict(Status.UNEXPLAINED, shown, f"{what}: {shortened(list(wrong))}")
    return Verdict(Status.AGREES, shown, f"{what}: all {cases:,}")


def rows_of(table: "pyarrow.Table", *columns: str) -> list[Row]:
    """Give some columns of a table row by row."""
    rows: list[Row] = table.select(list(columns)).to_pylist()
    return rows


def since_first_segment(samples: Sequence[Row], analysis: "Analysis") -> list[Row]:
    """Give samples with the time of the segments of a capture's only connection.

    Samples count it from the start of the run, segments from the connection's first.
    """
    (first_ns,) = analysis.connections()["first_ns"].to_pylist()
    return [{**row, "time_s": row["time_s"] - first_ns / 1e9} for row in samples]
