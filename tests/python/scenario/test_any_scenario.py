"""Whatever somebody writes is run, or refused as it should be."""

import tomllib
from typing import Any

import pytest
from conftest import SWEPT
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anechoic as an
from anechoic.calc.plan import solve
from anechoic.campaign.sweep import cells_of, with_sweep
from anechoic.scenario.load import from_data, with_overrides
from anechoic.scenario.paths import parsed_list, parsed_value

pytestmark = pytest.mark.usefixtures("core")


def leaves(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the place of every table, list and value below the top."""
    steps = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in steps:
        found.append((*place, key))
        if isinstance(value, dict | list):
            found += leaves(value, (*place, key))
    return found


PLACES = leaves(tomllib.loads(SWEPT))
WRONG = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1 s", "-82 dBm", "server", "office", "laptop", "48 dB", "wire.uplink"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.sampled_from(PLACES), WRONG), min_size=1, max_size=3))
def test_whatever_is_written_is_run_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data: Any = tomllib.loads(SWEPT)
    for place, value in changes:
        at = data
        try:
            for step in place[:-1]:
                at = at[step]
            at[place[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    try:
        for cell in cells_of(from_data(data, "lab.toml")):
            assert solve(cell.plan).flows, "closed forms answer, or say why they do not"
    except an.ScenarioError as error:
        assert str(error).startswith("lab.toml: ")


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(("title",), "")
@example(("run", "seed"), "1979-05-27")
@given(st.sampled_from(PLACES), st.text(max_size=12))
def test_whatever_is_set_is_run_or_refused(place: tuple[Any, ...], text: str) -> None:
    path = ".".join(map(str, place))
    scenario = from_data(tomllib.loads(SWEPT), "lab.toml")
    try:
        cells_of(with_overrides(scenario, {path: parsed_value(text)}))
        cells_of(with_sweep(scenario, {path: parsed_list(text)}))
    except an.ScenarioError as error:
        assert str(error).startswith("lab.toml: ")
