from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.sweep import axes_of, cells_of, with_sweep
from anechoic.scenario.paths import parsed_list

pytestmark = pytest.mark.usefixtures("core")


def parameters(scenario: an.Scenario) -> list[dict[str, object]]:
    return [dict(cell.parameters) for cell in cells_of(scenario)]


def test_a_scenario_without_a_sweep_is_one_cell(baseline: Path) -> None:
    assert parameters(an.load(baseline)) == [{}]


def test_columns_of_an_axis_go_together_row_by_row(swept: Path) -> None:
    cells = cells_of(an.load(swept))
    assert [cell.parameters for cell in cells] == [
        {"connections": 2},
        {"connections": 4},
        {"connections": 8},
    ]
    shape = [
        (len(cell.plan["flows"]), cell.plan["flows"][0]["app"]["transactions_per_record"])
        for cell in cells
    ]
    assert shape == [(2, 16), (4, 8), (8, 4)]


def test_axes_are_crossed_and_the_last_runs_fastest(swept: Path) -> None:
    scenario = with_sweep(an.load(swept), {"ap.office.rts_threshold": [0, 2347]})
    assert [axis.name for axis in axes_of(scenario)] == ["connections", "ap.office.rts_threshold"]
    assert [tuple(cell.values()) for cell in parameters(scenario)] == [
        (2, 0),
        (2, 2347),
        (4, 0),
        (4, 2347),
        (8, 0),
        (8, 2347),
    ]


@pytest.mark.parametrize("key", ["connections", "traffic.pairs.count"])
def test_chosen_values_keep_the_rows_of_their_axis(swept: Path, key: str) -> None:
    cells = cells_of(with_sweep(an.load(swept), {key: [8, 2]}))
    assert [cell.parameters for cell in cells] == [{"connections": 8}, {"connections": 2}]
    records = [cell.plan["flows"][0]["app"]["transactions_per_record"] for cell in cells]
    assert records == [4, 16]


def test_a_value_outside_the_rows_of_an_axis_is_refused(swept: Path) -> None:
    with pytest.raises(an.ScenarioError) as caught:
        with_sweep(an.load(swept), {"connections": [3]})
    assert str(caught.value).endswith(
        "--sweep connections: 3 is no row of this axis, whose other columns are "
        "traffic.pairs.transactions_per_record; allowed: 2, 4, 8"
    )


def test_a_value_set_for_what_the_sweep_sets_is_refused(swept: Path) -> None:
    scenario = an.load(swept, set={"traffic.pairs.count": 3})
    with pytest.raises(an.ScenarioError) as caught:
        cells_of(scenario)
    assert str(caught.value) == (
        f"{swept}: --set traffic.pairs.count: the sweep gives this another value in every cell; "
        "allowed: --sweep traffic.pairs.count=…"
    )


TCP = """
[[sweep]]
name = "tcp"
labels = ["Reno", "SACK", "2"]
"host.server.tcp.sack" = [false, true, true]
"host.server.tcp.rto_min_ms" = [300, 300, 200]
"""


@pytest.fixture
def labelled(baseline: Path) -> an.Scenario:
    """Give a scenario whose first column has the same value twice."""
    baseline.write_text(baseline.read_text() + TCP)
    return an.load(baseline)


def test_rows_with_labels_are_called_by_them(labelled: an.Scenario) -> None:
    assert axes_of(labelled) == [an.Axis("tcp", ("Reno", "SACK", "2"))]
    cells = cells_of(labelled)
    assert [cell.parameters for cell in cells] == [{"tcp": "Reno"}, {"tcp": "SACK"}, {"tcp": "2"}]
    stacks = [cell.plan["nodes"][0]["stack"] for cell in cells]
    assert [stack["sack"] for stack in stacks] == [False, True, True]
    assert [stack["rto_min_ms"] for stack in stacks] == [300, 300, 200]


def test_rows_are_chosen_by_their_labels_or_by_a_column(labelled: an.Scenario) -> None:
    assert parameters(with_sweep(labelled, {"tcp": [2, "Reno"]})) == [{"tcp": "2"}, {"tcp": "Reno"}]
    by_column = with_sweep(labelled, {"host.server.tcp.sack": [True]})
    assert parameters(by_column) == [{"tcp": "SACK"}, {"tcp": "2"}]
    with pytest.raises(an.ScenarioError) as caught:
        with_sweep(labelled, {"tcp": ["Tahoe"]})
    assert str(caught.value).endswith(
        '--sweep tcp: "Tahoe" is no label of this axis; allowed: "Reno", "SACK", "2"'
    )


def test_a_label_with_a_comma_is_chosen_within_quotes(labelled: an.Scenario) -> None:
    [axis] = labelled.sweep
    named = labelled.model_copy(
        update={"sweep": [axis.model_copy(update={"labels": ["Reno, old", "SACK", "2"]})]}
    )
    chosen = with_sweep(named, {"tcp": parsed_list('"Reno, old",SACK')})
    assert axes_of(chosen)[0].values == ("Reno, old", "SACK")


def test_a_misspelt_axis_from_outside_is_told_the_near_one(labelled: an.Scenario) -> None:
    with pytest.raises(an.ScenarioError, match=r"--sweep tcps: .*did you mean tcp\?"):
        with_sweep(labelled, {"tcps": ["SACK"]})


def test_an_axis_of_one_column_takes_new_values(baseline: Path) -> None:
    first = with_sweep(an.load(baseline), {"air.channel": [1, 6]})
    assert parameters(with_sweep(first, {"air.channel": [11]})) == [{"air.channel": 11}]


def test_the_plan_of_a_cell_differs_by_the_parameter_alone(baseline: Path) -> None:
    scenario = with_sweep(an.load(baseline), {"ap.office.rts_threshold": [0, 2347]})
    low, high = (cell.plan for cell in cells_of(scenario))
    low["nodes"][1]["interfaces"][0]["radio"]["mac"]["rts_threshold"] = 2347
    assert low == high
