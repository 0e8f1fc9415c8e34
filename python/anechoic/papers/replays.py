"""Replications run once more, with taps, for what only an analysis of their frames can tell."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Self

from anechoic.campaign.cells import Value
from anechoic.campaign.replication import replication_seed
from anechoic.campaign.results import Results
from anechoic.campaign.sweep import cells_of
from anechoic.papers.scope import WrongClaim
from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, listing, nearest_name
from anechoic.scenario.experiment import Tap

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis
    from anechoic.scenario.model import Scenario


class Replays:
    """The replications analysed so far, each run once however many claims ask for it.

    A run and its seed give the same record each time, so what is run again is what was counted.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._folder: TemporaryDirectory[str] | None = None
        self._analyses: dict[str, Analysis] = {}

    def __enter__(self) -> Self:
        """Keep what is captured until the claims are judged."""
        self._folder = TemporaryDirectory(prefix="anechoic-")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove what was captured."""
        assert self._folder is not None
        self._folder.cleanup()

    def analysis(
        self, results: Results, parameters: Mapping[str, Value], tap: str, replication: int
    ) -> "Analysis":
        """Give our analysis of what a tap captures in one replication of a cell."""
        scenario, name = _with_tap(results.scenario, tap)
        cell = next(
            each for each in cells_of(scenario) if parameters.items() == each.parameters.items()
        )
        plan = {**cell.plan, "taps": [each for each in cell.plan["taps"] if each["name"] == name]}
        return self._analysed(json.dumps(plan), name, scenario.run.seed, replication)

    def _analysed(self, plan: str, tap: str, campaign_seed: int, replication: int) -> "Analysis":
        from anechoic.captures.analysis import analyse

        key = f"{campaign_seed} {replication} {plan}"
        if key not in self._analyses:
            assert self._folder is not None
            folder = Path(self._folder.name) / str(len(self._analyses))
            folder.mkdir()
            core().run(plan, replication_seed(campaign_seed, replication), str(folder))
            self._analyses[key] = analyse(folder / f"{tap}.pcapng", file=f"tap {tap}")
        return self._analyses[key]


def _with_tap(scenario: "Scenario", tap: str) -> tuple["Scenario", str]:
    """Give the scenario with a tap at this place, if it is no tap of its own, and its name."""
    if tap in scenario.tap:
        return scenario, tap
    kind, _, name = tap.partition(".")
    places = [
        f"{each}.{part}" for each in ("wire", "ap", "sta") for part in getattr(scenario, each)
    ]
    if tap not in places:
        known = [*scenario.tap, *places]
        what = f'there is no tap "{tap}", nor such a place for one'
        raise WrongClaim(Problem("", what, listing(known), nearest_name(tap, known)))
    added = f"{kind}-{name}"
    tapped = scenario.model_copy(update={"tap": {**scenario.tap, added: Tap(at=tap)}})
    return tapped.originating(scenario.origin), added
