"""When traffic starts and stops and windows are, as figures over time show it."""

from collections.abc import Mapping, Sequence
from typing import Any

from anechoic.campaign.steps import Steps
from anechoic.report.chart import Moment, Shade
from anechoic.report.palette import DISTINCT, FAINT

_SHADES = (FAINT, DISTINCT[5], DISTINCT[4], DISTINCT[2])
"""Of windows, which may lie beside each other."""
_MOST_MOMENTS = 8
"""More names beside lines are not read."""
_LATE_STEPS = 2
"""What arrives so many steps after its sender stopped was on its way."""

Plan = Mapping[str, Any]


def shades_of(plan: Plan) -> list[Shade]:
    """Give the windows whose times the scenario names; others end with a run's traffic."""
    named = [w for w in plan["windows"] if "at_ns" in w["from"] and "at_ns" in w["until"]]
    return [
        Shade(
            f"window {window['name']}",
            _SHADES[place % len(_SHADES)],
            [(window["from"]["at_ns"] / 1e9, window["until"]["at_ns"] / 1e9)],
        )
        for place, window in enumerate(named)
    ]


def moments_of(plan: Plan) -> list[Moment]:
    """Give when traffic starts and stops within the run, if these are few."""
    names: dict[tuple[int, str], list[str]] = {}
    for traffic, (start, stop) in _spans(plan).items():
        for at, what in ((start, "start"), (stop, "stop")):
            if at is not None and plan["warmup_ns"] < at < plan["duration_ns"]:
                names.setdefault((at, what), []).append(traffic)
    moments = [
        Moment(f"{', '.join(traffics)} {what if len(traffics) > 1 else what + 's'}", at / 1e9)
        for (at, what), traffics in sorted(names.items())
    ]
    return moments if len(moments) <= _MOST_MOMENTS else []


def latest_of(plan: Plan, runs: Sequence[Steps]) -> dict[str, tuple[float, float]]:
    """Give of traffic whose bytes go on to arrive after its stop that, and until when they do."""
    found = {}
    times = runs[0].times
    late = _LATE_STEPS * (times[1] - times[0])
    for traffic, (_, stop) in _spans(plan).items():
        if stop is None:
            continue
        flows = [each["name"] for each in plan["flows"] if _traffic(each) == traffic]
        names = [f"flow.{flow}.goodput_mbps" for flow in flows]
        last = max(_last(run, names) for run in runs)
        if last > stop / 1e9 + late:
            found[traffic] = (stop / 1e9, last)
    return found


def _last(run: Steps, names: Sequence[str]) -> float:
    """Give the end of the last step in which any of these series is not zero."""
    rows = [run.values[place] for place, name in enumerate(run.series) if name in names]
    return max((float(run.times[row > 0][-1]) for row in rows if (row > 0).any()), default=0.0)


def _spans(plan: Plan) -> dict[str, tuple[int, int | None]]:
    """Give of each traffic when it starts and stops, in nanoseconds."""
    return {_traffic(flow): (flow["start_ns"], flow["stop_ns"]) for flow in reversed(plan["flows"])}


def _traffic(flow: Mapping[str, Any]) -> str:
    return str(flow["name"]).rpartition("-")[0]
