"""Sizes that no TCP stack has are refused before anything runs."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.scenario.compile import compile_scenario


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("mss_bytes", 0, "0 is out of range; allowed: 28 to 1460 bytes"),
        ("mss_bytes", 9000, "9000 is out of range; allowed: 28 to 1460 bytes"),
        (
            "receive_window_bytes",
            100,
            "100 is out of range; "
            "allowed: 1460 to 1073725440 bytes, at least one segment (mss_bytes)",
        ),
    ],
)
def test_a_size_that_no_stack_has_is_refused(
    field: str, value: int, said: str, baseline: Path
) -> None:
    path = f"host.server.tcp.{field}"
    with pytest.raises(an.ScenarioError) as caught:
        compile_scenario(an.load(baseline, set={path: value}))
    assert str(caught.value) == f"{baseline}: {path}: {said}"


def test_a_small_window_goes_with_a_small_segment(baseline: Path) -> None:
    sizes = {"host.server.tcp.mss_bytes": 88, "host.server.tcp.receive_window_bytes": 100}
    assert compile_scenario(an.load(baseline, set=sizes))
