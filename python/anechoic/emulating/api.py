"""Emulating a scenario's campaign, from the command line or from Python."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anechoic.campaign import api
from anechoic.campaign.options import folder
from anechoic.campaign.progress import Silence
from anechoic.campaign.results import Results
from anechoic.campaign.runner import Campaign, CampaignHalted, CampaignInterrupted
from anechoic.emulating.console import EmulationFailed, EmulationRefused
from anechoic.emulating.executor import Emulator, Ran
from anechoic.emulating.live import LiveView
from anechoic.emulating.programs import Show
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.load import validated
from anechoic.scenario.model import Scenario

TABLES = ("host", "router", "sta", "ap")
LONG = "24 h"
"""How long an emulation runs that nobody has said the length of."""


class _Watching(Silence):
    """Ends what runs when the campaign is interrupted."""

    def __init__(self, emulator: Emulator) -> None:
        """Take who runs it."""
        self._emulator = emulator

    def interrupted(self, running: int) -> None:
        """Take note of Ctrl-C, with so many emulations under way."""
        if running:
            self._emulator.interrupt()


def prepared(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    real: Sequence[str] = (),
    programs: Sequence[tuple[str, str]] = (),
    length: str | None = None,
    seed: int | None = None,
) -> Scenario:
    """Give a scenario as it is to be emulated.

    ``real`` names nodes that are real beside those that the file says, NODE=INTERFACE one that is
    behind an interface of this machine; ``programs`` are commands by their nodes; ``length`` is how
    long it runs.
    """
    written = with_programs(api.prepared(source, set=set), programs)
    values: dict[str, Any] = {"run.backend": "emu"}
    for each in real:
        name, equals, interface = each.partition("=")
        if equals and not interface:
            what = f'"{each}" names no interface'
            raise ScenarioError(written.source, [Problem("--real", what, "NODE or NODE=INTERFACE")])
        values[_path_of(written, name)] = interface or True
    if length is not None:
        values["run.duration"] = length
    elif not written.program:
        values["run.duration"] = LONG
        values["run.time_series"] = False
    return api.prepared(written, set=values, sweep=sweep, seed=seed)


def with_programs(scenario: Scenario, programs: Sequence[tuple[str, str]]) -> Scenario:
    """Give a scenario with more programs, each a command by its node."""
    if not programs:
        return scenario
    data = scenario.document()
    more = {
        f"exec{number}": {"node": node, "command": command}
        for number, (node, command) in enumerate(programs, 1)
    }
    data["program"] = {**data.get("program", {}), **more}
    return validated(data, scenario.origin)


def _path_of(scenario: Scenario, name: str) -> str:
    for table in TABLES:
        if name in getattr(scenario, table):
            return f"{table}.{name}.port"
    known = [each for table in TABLES for each in getattr(scenario, table)]
    what = f'"{name}" is no host, router, station or access point'
    raise ScenarioError(scenario.source, [Problem("--real", what, ", ".join(known))])


def run(
    scenario: Scenario,
    *,
    reps: int = 1,
    out: str | Path | None = None,
    show: Show | None = None,
    finish: Callable[[Results], None] | None = None,
    replace: bool = False,
) -> tuple[Results, list[Ran]]:
    """Emulate a prepared scenario's campaign and give its results, and how each run went.

    Runs of an earlier call that the folder holds are kept, and not run again; with ``replace``
    they are removed, whatever campaign they are of.
    """
    emulator = Emulator(api.scenario_name(scenario), show=show)
    place = folder(scenario.source, out)
    with api.begun(scenario, reps, place, replace=replace, keeps_cells=False) as campaign:
        try:
            with LiveView(emulator.status):
                results = _results(campaign, emulator)
            if finish is not None:
                finish(results)
        except EmulationRefused as error:
            raise ScenarioError(scenario.source, [Problem("", str(error), "")]) from None
        except EmulationFailed as error:
            raise EmulationFailed(error.errno, error.strerror, scenario.source) from None
        except OSError as error:
            raise CampaignHalted(campaign.store, error) from error
        finally:
            emulator.close()
    return results, emulator.ran


def _results(campaign: Campaign, emulator: Emulator) -> Results:
    watching = _Watching(emulator)
    try:
        return campaign.run(emulator, watching)
    except CampaignInterrupted:
        # One run that was ended by hand is whole; of several, the last is not.
        if len(campaign.cells) == 1 and campaign.rule.maximum == 1 and emulator.ran:
            return campaign.run(emulator, watching)
        raise
