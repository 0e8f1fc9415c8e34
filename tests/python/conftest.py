"""A core that stands in for the compiled one: a plain function of plan and seed."""

import sys
from types import ModuleType

import pytest
import standin


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put the stand-in where the package looks for its compiled core."""
    monkeypatch.setitem(sys.modules, "anechoic._core", standin.module())
    return sys.modules["anechoic._core"]
