"""A hundred walking stations in four busy cells: how many times faster than they walk."""

import json
import statistics
import time
from pathlib import Path

from measuring import Row

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.load import from_data

SECONDS = 20
TIMES_REAL_TIME = {"802.11b": 100.0, "802.11g": 30.0}
SIDE = 100
"""Metres between two access points, which stand in a square on one channel."""


def scenario(standard: str) -> dict[str, object]:
    """Describe the cells: each station walks about in the square, and downloads without end."""
    cells = {f"cell{n}": [f"{SIDE * (n % 2)} m", f"{SIDE * (n // 2)} m"] for n in range(4)}
    walk = {
        "kind": "random-waypoint",
        "area": [f"{SIDE} m", f"{SIDE} m"],
        "speed": "1.4 m/s",
    }
    return {
        "run": {"duration": f"{SECONDS} s"},
        "host": {"server": {"stack": "linux-6"}},
        "ap": {name: {"position": place} for name, place in cells.items()},
        "sta": {
            f"sta-{name}": {
                "ap": name,
                "count": 25,
                "stack": "linux-6",
                "position": place,
                "movement": walk,
            }
            for name, place in cells.items()
        },
        "wire": {name: {"between": ["server", name]} for name in cells},
        "air": {
            "standard": standard,
            "propagation": {"kind": "log-distance", "exponent": 3.0},
        },
        "traffic": {
            f"load-{name}": {"app": "bulk", "from": "server", "to": f"sta-{name}"} for name in cells
        },
    }


def pace(standard: str) -> float:
    """Give simulated over wall seconds of one run, whose plan is made before."""
    plan = json.dumps(compile_scenario(from_data(scenario(standard), str(Path(__file__)))))
    start = time.perf_counter()
    core().run(plan, 1)
    return SECONDS / (time.perf_counter() - start)


def rows(rounds: int) -> list[Row]:
    """Measure both amendments."""
    measured = []
    for standard, goal in TIMES_REAL_TIME.items():
        times = statistics.median(pace(standard) for _ in range(rounds))
        what = f"a hundred walking stations in four busy cells, {standard}"
        measured.append(Row(what, f"{times:,.0f} × real time", f"≥ {goal:g} ×", times >= goal))
    return measured
