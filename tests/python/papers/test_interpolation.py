"""What a table of results tells of what lies between its cells."""

import pytest
from invented import Parameters, invented

from anechoic.papers.interpolation import errors_between


def along_connections(curve: dict[int, float]) -> list[float]:
    """Give the errors of the baseline, of two vendors, with these goodputs."""

    def bend(cell: Parameters, metrics: dict[str, float]) -> None:
        metrics["goodput_mbps"] = curve[int(cell["connections"])]

    return list(errors_between(invented("goel-1", bend, spread=0.0), "goodput_mbps"))


def test_on_a_straight_line_nothing_is_missed() -> None:
    assert along_connections({n: 5.0 - 0.1 * n for n in (2, 4, 8, 16, 32)}) == pytest.approx(
        [0.0] * 6
    )


def test_a_kink_is_missed_by_its_height() -> None:
    """At 8 connections 4 lie between 5 and 5: a line misses them by a quarter."""
    found = along_connections({2: 5.0, 4: 5.0, 8: 4.0, 16: 5.0, 32: 5.0})
    assert found[1] == pytest.approx(0.25)
