"""The trials of a reviewer, a few of each: all of them are `python benches/trials.py`."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

COUNTS = {"damages": 4, "bits": 10, "scenarios": 20, "captures": 20, "claims": 6}


@pytest.mark.parametrize("kind", COUNTS)
def test_a_few_trials_of_each_kind(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benches")
    monkeypatch.delitem(sys.modules, "trials", raising=False)
    assert import_module(f"trials.{kind}").trial(COUNTS[kind], seed=7) == []
