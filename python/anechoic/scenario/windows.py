"""From the windows of a scenario to those of a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from anechoic.scenario.errors import Problem, shown, unknown_name
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import DURATION, nanoseconds

ALLOWED = (
    'a time, such as "10 s", "start of traffic.NAME" or "end of traffic.NAME", '
    'or of several, "end of traffic.ONE, traffic.OTHER"'
)
EDGES = ("start", "end")

Moment = dict[str, Any]


def windows(
    scenario: Scenario, flows: Sequence[Mapping[str, Any]], problems: list[Problem]
) -> list[dict[str, Any]]:
    """Give each window with the moments at which it begins and ends."""
    end = scenario.run.duration
    found = []
    for name, window in scenario.window.items():
        path = f"window.{name}"
        begins = _moment(f"{path}.from", window.from_, scenario, flows, problems)
        ends = _moment(f"{path}.until", window.until or end, scenario, flows, problems)
        if begins is None or ends is None:
            continue
        problems += _problems(path, begins, ends, scenario)
        found.append({"name": name, "from": begins, "until": ends})
    return found


def _moment(
    path: str,
    written: str,
    scenario: Scenario,
    flows: Sequence[Mapping[str, Any]],
    problems: list[Problem],
) -> Moment | None:
    edge, _, traffics = written.partition(" of traffic.")
    if edge in EDGES and traffics:
        names = traffics.split(", traffic.")
        unknown = [name for name in names if name not in scenario.traffic]
        known = list(scenario.traffic)
        problems += [unknown_name(path, name, known, "traffic") for name in unknown]
        of_all = [flow for name in names for flow in _flows_of(name, flows)]
        return None if unknown else {edge: of_all}
    try:
        DURATION.parse(written)
    except ValueError as error:
        problems.append(Problem(path, f"{shown(written)} is refused: {error}", ALLOWED))
        return None
    return {"at_ns": nanoseconds(written)}


def _flows_of(traffic: str, flows: Sequence[Mapping[str, Any]]) -> list[int]:
    own = (place for place, flow in enumerate(flows) if flow["name"].rpartition("-")[0] == traffic)
    return list(own)


def _problems(path: str, begins: Moment, ends: Moment, scenario: Scenario) -> list[Problem]:
    run, window = scenario.run, scenario.window[path.removeprefix("window.")]
    duration, warmup = nanoseconds(run.duration), nanoseconds(run.warmup)
    if begins.get("at_ns", 0) >= duration:
        what = f"{shown(window.from_)} is not before the end of the run"
        return [Problem(f"{path}.from", what, f"less than {run.duration}")]
    until = ends.get("at_ns", duration)
    if until > duration:
        what = f"{shown(window.until)} is behind the end of the run"
        return [Problem(f"{path}.until", what, f"at most {run.duration}")]
    if until <= warmup:
        what = f"{shown(window.until)} is not behind the warm-up, in which nothing is measured"
        return [Problem(f"{path}.until", what, f"more than {run.warmup}")]
    if until <= begins.get("at_ns", 0):
        what = f"{shown(window.until)} is not behind its beginning"
        return [Problem(f"{path}.until", what, f"more than {window.from_}")]
    return []
