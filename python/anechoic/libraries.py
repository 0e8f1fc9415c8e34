"""Libraries that only some answers need, and the extra of the package that installs each."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anechoic.scenario.errors import Problem, ScenarioError

EXTRAS = {
    "matplotlib": "paper",
    "pyarrow": "pyarrow",
    "scipy": "scipy",
    "polars": "polars",
    "pandas": "pandas",
    "dask": "dask",
    "distributed": "dask",
    "dask_jobqueue": "dask",
    "cryptography": "dask",
    "pysnmp": "snmp",
}
"""The extra that brings each of them."""


class MissingLibrary(ScenarioError, ModuleNotFoundError):
    """A library that is needed and not installed, told with what installs it."""


def check_installed(needed_by: str, *names: str) -> None:
    """Raise MissingLibrary unless all of these libraries are installed; load none."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        extras = ",".join(dict.fromkeys(EXTRAS[name] for name in missing))
        are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
        *others, last = missing
        every = f"{', '.join(others)} and {last}" if others else last
        named = f"{every} {are} not installed"
        what = f"{named}; pip install 'anechoic[{extras}]' installs {them}"
        raise MissingLibrary(needed_by, [Problem("", what)])


def library(name: str, needed_by: str) -> Any:
    """Load a library, or a module of one; raise MissingLibrary if it is not installed."""
    check_installed(needed_by, name.partition(".")[0])
    return import_module(name)
