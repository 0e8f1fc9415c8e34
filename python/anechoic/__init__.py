"""Anechoic, a software test chamber for transport protocols over Wi-Fi.

import anechoic as an

results = an.run("baseline.toml", reps=12)
results.to_polars()

analysis = an.analyse("office.pcapng")
analysis.connections().to_pandas()
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anechoic.calculating import CalculatedCell as CalculatedCell
    from anechoic.calculating import Calculation as Calculation
    from anechoic.calculating import calculate as calculate
    from anechoic.campaign.cells import Axis as Axis
    from anechoic.campaign.cells import Cell as Cell
    from anechoic.campaign.replication import Summary as Summary
    from anechoic.campaign.results import Results as Results
    from anechoic.captures.analysis import Analysis as Analysis
    from anechoic.captures.analysis import analyse as analyse
    from anechoic.captures.pair.comparison import Pair as Pair
    from anechoic.captures.pair.comparison import compare_captures as compare_captures
    from anechoic.comparing.comparison import Comparison as Comparison
    from anechoic.comparing.comparison import compare as compare
    from anechoic.emulating.cell import Emulation as Emulation
    from anechoic.emulating.cell import emulate as emulate
    from anechoic.explaining import Explanation as Explanation
    from anechoic.explaining import explain as explain
    from anechoic.running import run as run
    from anechoic.scenario.compile import Plan as Plan
    from anechoic.scenario.compile import compile_scenario as compile_scenario
    from anechoic.scenario.costs import DeviceCost as DeviceCost
    from anechoic.scenario.costs import HostCost as HostCost
    from anechoic.scenario.edca import AccessCategory as AccessCategory
    from anechoic.scenario.edca import Edca as Edca
    from anechoic.scenario.errors import ScenarioError as ScenarioError
    from anechoic.scenario.experiment import EmulationLimits as EmulationLimits
    from anechoic.scenario.experiment import Figure as Figure
    from anechoic.scenario.experiment import Program as Program
    from anechoic.scenario.experiment import Replication as Replication
    from anechoic.scenario.experiment import Run as Run
    from anechoic.scenario.experiment import Sweep as Sweep
    from anechoic.scenario.experiment import Tap as Tap
    from anechoic.scenario.experiment import Window as Window
    from anechoic.scenario.kinds import *  # noqa: F403
    from anechoic.scenario.links import Air as Air
    from anechoic.scenario.links import AirLink as AirLink
    from anechoic.scenario.links import Segment as Segment
    from anechoic.scenario.links import Wire as Wire
    from anechoic.scenario.load import load as load
    from anechoic.scenario.lost_frames import LostFrames as LostFrames
    from anechoic.scenario.model import Scenario as Scenario
    from anechoic.scenario.model import schema as schema
    from anechoic.scenario.nodes import Group as Group
    from anechoic.scenario.nodes import Host as Host
    from anechoic.scenario.nodes import Port as Port
    from anechoic.scenario.nodes import Switch as Switch
    from anechoic.scenario.radio import AccessPoint as AccessPoint
    from anechoic.scenario.radio import Client as Client
    from anechoic.scenario.radio import Router as Router
    from anechoic.scenario.radio import Station as Station
    from anechoic.scenario.radio import Towards as Towards
    from anechoic.scenario.traffic import ConnectionEnd as ConnectionEnd

# Loaded when first asked for, so that `anechoic --help` need not wait for them.
_HOMES = {
    "anechoic.calculating": ("CalculatedCell", "Calculation", "calculate"),
    "anechoic.campaign.cells": ("Axis", "Cell"),
    "anechoic.campaign.replication": ("Summary",),
    "anechoic.captures.analysis": ("Analysis", "analyse"),
    "anechoic.captures.pair.comparison": ("Pair", "compare_captures"),
    "anechoic.comparing.comparison": ("Comparison", "compare"),
    "anechoic.emulating.cell": ("Emulation", "emulate"),
    "anechoic.explaining": ("Explanation", "explain"),
    "anechoic.running": ("Results", "run"),
    "anechoic.scenario.compile": ("Plan", "compile_scenario"),
    "anechoic.scenario.costs": ("DeviceCost", "HostCost"),
    "anechoic.scenario.edca": ("AccessCategory", "Edca"),
    "anechoic.scenario.errors": ("ScenarioError",),
    "anechoic.scenario.experiment": (
        "EmulationLimits",
        "Figure",
        "Program",
        "Replication",
        "Run",
        "Sweep",
        "Tap",
        "Window",
    ),
    "anechoic.scenario.links": ("Air", "AirLink", "Segment", "Wire"),
    "anechoic.scenario.load": ("load",),
    "anechoic.scenario.lost_frames": ("LostFrames",),
    "anechoic.scenario.model": ("Scenario", "schema"),
    "anechoic.scenario.nodes": ("Group", "Host", "Port", "Switch"),
    "anechoic.scenario.radio": ("AccessPoint", "Client", "Router", "Station", "Towards"),
    "anechoic.scenario.traffic": ("ConnectionEnd",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("anechoic._core").version()
    if name == "__all__":
        return [*_HOME_OF, *_kinds()]
    if name in _HOME_OF:
        home = _HOME_OF[name]
        if home.startswith("anechoic.scenario."):
            # Knows all parts of a scenario, and so what is wrong with one written in Python.
            import_module("anechoic.scenario.validation")
        return getattr(import_module(home), name)
    # What the core declares begins as classes do: no other name has to load it.
    if name[:1].isupper() and name in _kinds():
        import_module("anechoic.scenario.validation")
        return _kinds()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, *_kinds(), "__version__"])


def _kinds() -> Mapping[str, Any]:
    """Give the models of what the core declares."""
    models: Mapping[str, Any] = import_module("anechoic.scenario.kinds").MODELS
    return models
