"""Anechoic, a software test chamber for transport protocols over Wi-Fi.

import anechoic as an

results = an.run("baseline.toml", reps=12)
results.to_polars()

analysis = an.analyse("office.pcapng")
analysis.connections().to_pandas()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anechoic.campaign.cells import Axis as Axis
    from anechoic.campaign.cells import Cell as Cell
    from anechoic.campaign.replication import Summary as Summary
    from anechoic.campaign.results import Results as Results
    from anechoic.captures.analysis import Analysis as Analysis
    from anechoic.captures.analysis import analyse as analyse
    from anechoic.captures.pair.comparison import Pair as Pair
    from anechoic.captures.pair.comparison import compare_captures as compare_captures
    from anechoic.running import run as run
    from anechoic.scenario.compile import Plan as Plan
    from anechoic.scenario.compile import compile_scenario as compile_scenario
    from anechoic.scenario.errors import ScenarioError as ScenarioError
    from anechoic.scenario.experiment import Figure as Figure
    from anechoic.scenario.experiment import Replication as Replication
    from anechoic.scenario.experiment import Run as Run
    from anechoic.scenario.experiment import Sweep as Sweep
    from anechoic.scenario.experiment import Tap as Tap
    from anechoic.scenario.impairments import Drop as Drop
    from anechoic.scenario.links import Air as Air
    from anechoic.scenario.links import AirLink as AirLink
    from anechoic.scenario.links import Wire as Wire
    from anechoic.scenario.load import load as load
    from anechoic.scenario.model import Scenario as Scenario
    from anechoic.scenario.model import schema as schema
    from anechoic.scenario.nodes import Group as Group
    from anechoic.scenario.nodes import Host as Host
    from anechoic.scenario.nodes import Port as Port
    from anechoic.scenario.radio import AccessPoint as AccessPoint
    from anechoic.scenario.radio import Station as Station
    from anechoic.scenario.traffic import Bulk as Bulk
    from anechoic.scenario.traffic import ChariotThroughput as ChariotThroughput
    from anechoic.scenario.traffic import ConnectionEnd as ConnectionEnd
    from anechoic.scenario.traffic import Ping as Ping
    from anechoic.scenario.traffic import Udp as Udp

# Loaded when first asked for, so that `anechoic --help` need not wait for them.
_HOMES = {
    "anechoic.campaign.cells": ("Axis", "Cell"),
    "anechoic.campaign.replication": ("Summary",),
    "anechoic.captures.analysis": ("Analysis", "analyse"),
    "anechoic.captures.pair.comparison": ("Pair", "compare_captures"),
    "anechoic.running": ("Results", "run"),
    "anechoic.scenario.compile": ("Plan", "compile_scenario"),
    "anechoic.scenario.errors": ("ScenarioError",),
    "anechoic.scenario.experiment": ("Figure", "Replication", "Run", "Sweep", "Tap"),
    "anechoic.scenario.impairments": ("Drop",),
    "anechoic.scenario.links": ("Air", "AirLink", "Wire"),
    "anechoic.scenario.load": ("load",),
    "anechoic.scenario.model": ("Scenario", "schema"),
    "anechoic.scenario.nodes": ("Group", "Host", "Port"),
    "anechoic.scenario.radio": ("AccessPoint", "Station"),
    "anechoic.scenario.traffic": ("Bulk", "ChariotThroughput", "ConnectionEnd", "Ping", "Udp"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("anechoic._core").version()
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME_OF[name]
    if home.startswith("anechoic.scenario."):
        # Knows all parts of a scenario, and so what is wrong with one that is written in Python.
        import_module("anechoic.scenario.validation")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
