"""What benches chose where a text is silent, changed one at a time."""

from typing import Any

import pytest

from anechoic.campaign.sweep import cells_of
from anechoic.papers.calibration import Inferred, inferred_of
from anechoic.papers.study import Study, shipped
from anechoic.scenario.load import load

CHOSEN = [(study, each) for study in shipped() for each in inferred_of(study)]
SWEPT = [pair for pair in CHOSEN if pair[1].sweep is not None]


@pytest.mark.parametrize(("study", "parameter"), SWEPT, ids=lambda each: getattr(each, "name", ""))
def test_the_first_value_is_the_bench_s_own_and_the_others_can_be(
    study: Study, parameter: Inferred
) -> None:
    assert parameter.sweep is not None
    for name in parameter.experiments:
        assert name in study.experiments
        cells = [
            [cell.plan for cell in cells_of(load(study.file(name), set=values))]
            for values in ({}, *_rows(parameter))
        ]
        assert cells[0] == cells[1]
        assert all(cells[0] != other for other in cells[2:])


def _rows(parameter: Inferred) -> list[dict[str, Any]]:
    assert parameter.sweep is not None
    columns = parameter.sweep.columns
    rows = range(len(parameter.sweep.shown))
    return [{path: values[row] for path, values in columns.items()} for row in rows]
