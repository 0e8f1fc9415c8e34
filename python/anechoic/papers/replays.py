"""Replications run once more, with taps, for what only an analysis of their frames can tell."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from anechoic.campaign.cells import Value
from anechoic.campaign.replication import replication_seed
from anechoic.campaign.results import Results
from anechoic.campaign.sweep import cells_of
from anechoic.papers.points import MissingPoint
from anechoic.papers.scope import WrongClaim
from anechoic.scenario.compile import tap_places
from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, listing, nearest_name
from anechoic.scenario.experiment import Tap

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis
    from anechoic.scenario.model import Scenario

Made = TypeVar("Made")

_SNAP = 256
"""Bytes kept of each frame: all headers, of 802.11, IP and TCP with their options."""

_MOST_KEPT = 8
"""Analyses kept: of long runs each has many megabytes."""


class Replays:
    """The replications analysed so far, each run once for all claims that ask in a row.

    A run and its seed give the same record each time, so what is run again is what was counted.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._analyses: dict[tuple[str, int], Analysis] = {}
        self._made: dict[tuple[Callable[..., Any], str, int], Any] = {}

    def analysis(
        self, results: Results, parameters: Mapping[str, Value], tap: str, replication: int
    ) -> "Analysis":
        """Give our analysis of what a tap captures in one replication of a cell."""
        plan, _ = _tapped(results, parameters, (tap,))
        seed = replication_seed(results.scenario.run.seed, replication)
        return self._analysed(plan, seed)

    def made(
        self,
        results: Results,
        parameters: Mapping[str, Value],
        taps: Sequence[str],
        replication: int,
        make: Callable[..., Made],
    ) -> Made:
        """Give what a function makes of the files that taps write in one replication of a cell."""
        plan, names = _tapped(results, parameters, taps)
        seed = replication_seed(results.scenario.run.seed, replication)
        key = (make, plan, seed)
        if key not in self._made:
            with tempfile.TemporaryDirectory() as folder:
                _, captures = core().run_captured(plan, seed)
                files = [Path(folder) / name for name in names]
                for file in files:
                    file.write_bytes(captures[file.name])
                self._made[key] = make(*files)
        found: Made = self._made[key]
        return found

    def _analysed(self, plan: str, seed: int) -> "Analysis":
        from anechoic.captures.analysis import analyse

        found = self._analyses.pop((plan, seed), None)
        if found is None:
            _, captures = core().run_captured(plan, seed)
            [(tap, capture)] = captures.items()
            found = analyse(capture, file=f"tap {tap}")
        self._analyses[plan, seed] = found
        if len(self._analyses) > _MOST_KEPT:
            del self._analyses[next(iter(self._analyses))]
        return found


def _tapped(
    results: Results, parameters: Mapping[str, Value], taps: Sequence[str]
) -> tuple[str, list[str]]:
    """Give the plan of a cell with these taps alone, and their names."""
    scenario, names = results.scenario, []
    for tap in taps:
        scenario, name = _with_tap(scenario, tap)
        names.append(name)
    cells = (each for each in cells_of(scenario) if each.parameters == dict(parameters))
    if (cell := next(cells, None)) is None:
        where = ", ".join(f"{axis} = {value}" for axis, value in parameters.items())
        raise MissingPoint(f"the results hold no cell {where}")
    taken = [each for each in cell.plan["taps"] if each["name"] in names]
    return json.dumps({**cell.plan, "taps": taken}), names


def _with_tap(scenario: "Scenario", tap: str) -> tuple["Scenario", str]:
    """Give the scenario with a tap at this place, if it is no tap of its own, and its name."""
    if tap in scenario.tap:
        return scenario, tap
    kind, _, name = tap.partition(".")
    places = tap_places(scenario)
    if tap not in places:
        known = [*scenario.tap, *places]
        what = f'there is no tap "{tap}", nor such a place for one'
        raise WrongClaim(Problem("", what, listing(known), nearest_name(tap, known)))
    added = f"{kind}-{name}"
    tapped = scenario.model_copy(update={"tap": {**scenario.tap, added: Tap(at=tap, snap=_SNAP)}})
    return tapped.originating(scenario.origin), added
