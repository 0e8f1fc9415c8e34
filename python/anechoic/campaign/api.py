"""Running a campaign from Python."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

from anechoic.campaign.cells import Calculated
from anechoic.campaign.executor import Executor, Threads
from anechoic.campaign.folder import (
    check_free_for,
    drop_another,
    holds_another,
    is_free_for,
    readable_manifest,
)
from anechoic.campaign.intended import Intended
from anechoic.campaign.lock import locked
from anechoic.campaign.manifest import cell_hash, manifest_of
from anechoic.campaign.options import (
    folder,
    lists_by_path,
    source_name,
    values_by_path,
    whole_number,
)
from anechoic.campaign.progress import Progress, Silence, for_watcher
from anechoic.campaign.replication import StoppingRule
from anechoic.campaign.results import Results
from anechoic.campaign.runner import Campaign, CampaignHalted, CampaignInterrupted
from anechoic.campaign.store import Store
from anechoic.campaign.sweep import CellPlan, axes_of, cells_of, with_sweep
from anechoic.files import readable
from anechoic.saying import say
from anechoic.scenario.compile import Plan
from anechoic.scenario.core import build
from anechoic.scenario.emulation import check_is_simulated
from anechoic.scenario.load import load, with_overrides
from anechoic.scenario.model import Scenario
from anechoic.scenario.remarks import remarks

Calculate = Callable[[Plan], Calculated]


def run(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    reps: int | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    progress: bool = True,
    on: Any = None,
    replace: bool = False,
    experiment: str | None = None,
    calculate: Calculate | None = None,
    finish: Callable[[Results], None] | None = None,
) -> Results:
    """Run a scenario's campaign, keep it in its folder, and give its results.

    Most arguments are those of `anechoic.running.run`. ``experiment`` is the identity of the
    scenario as an experiment of a study, which the manifest tells; ``calculate`` gives what is
    known of a plan without a run, by the names of metrics; ``finish`` writes their report
    while no other run may write to the folder.
    """
    name = source_name(source)
    reps, jobs = whole_number(name, "--reps", reps), whole_number(name, "--jobs", jobs)
    wanted = folder(name, out)
    if on is not None:
        from anechoic.campaign.cluster import check_place

        check_place(on)
    scenario = prepared(source, set=set, sweep=sweep, seed=seed)
    check_is_simulated(scenario, name)
    with begun(scenario, reps, wanted, experiment, calculate, replace=replace) as campaign:
        plans = (cell.plan for cell in campaign.cells)
        for text in remarks(scenario, plans) if progress else ():
            say(f"{name}: {text}")
        try:
            watcher = _progress(progress)
            results = _run(campaign, _executor(on, jobs), watcher)
            if finish is not None:
                if campaign.is_large:
                    watcher.writing("the report")
                finish(results)
        except OSError as error:
            raise CampaignHalted(campaign.store, error) from error
    return results


def prepared(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    seed: int | None = None,
) -> Scenario:
    """Give the scenario with everything from outside applied."""
    name = source_name(source)
    values, axes = values_by_path(name, set), lists_by_path(name, sweep)
    if seed is not None:
        values["run.seed"] = seed
    if isinstance(source, Scenario):
        scenario = with_overrides(source, values) if values else source
    else:
        scenario = load(source, set=values)
    return with_sweep(scenario, axes) if axes else scenario


@contextmanager
def begun(
    scenario: Scenario,
    reps: int | None,
    out: Path | None,
    experiment: str | None = None,
    calculate: Calculate | None = None,
    *,
    replace: bool = False,
    keeps_cells: bool = True,
) -> Iterator[Campaign]:
    """Check every cell, then begin the campaign's folder or go on with it, and hold it.

    With ``replace`` another campaign in the folder makes room: the cells of both are kept, or with
    ``keeps_cells`` of false none, not even of this very campaign.
    """
    cells, rule = cells_of(scenario), rule_for(scenario, reps)
    manifest = _manifest(scenario, rule, cells, experiment)
    usual = Path("results") / scenario_name(scenario)
    out = out or (usual if replace else free_folder(usual, manifest))
    is_other = replace and (
        holds_another(out, manifest) if keeps_cells else readable_manifest(out) is not None
    )
    if not is_other:
        check_free_for(out, manifest)
    with locked(out):
        if is_other:
            drop_another(out, manifest["cells"] if keeps_cells else [])
        else:
            check_free_for(out, manifest)  # Another run may have begun it meanwhile.
        store = Store.prepare(out, manifest, (_plan_text(cell.plan) for cell in cells))
        for place, cell in enumerate(cells):
            # Nothing is kept too: a file that is not there has been removed.
            known = Calculated() if calculate is None else calculate(cell.plan)
            store.keep_calculated(place, known)
        yield Campaign(scenario, cells, rule, store)


def rule_for(scenario: Scenario, reps: int | None) -> StoppingRule:
    """Give the stopping rule: the scenario's, or a fixed number of replications."""
    rule = scenario.replication
    if reps is not None:
        return StoppingRule.exactly(rule.metric, reps)
    return StoppingRule(rule.metric, rule.min, rule.max, rule.precision)


def scenario_name(scenario: Scenario) -> str:
    """Name a campaign by its file, or else by its title."""
    if scenario.text is not None:
        return readable(Path(scenario.source).stem)
    words = "".join(each if each.isalnum() else " " for each in scenario.title.lower()).split()
    return "-".join(words) or "scenario"


def intended(source: str | Path, reps: int | None, cells: list[CellPlan]) -> Intended:
    """Say what the campaign of a scenario with these cells would be."""
    scenario = prepared(source)
    plans = (cell.plan for cell in cells)
    seconds = {cell_hash(plan): plan["duration_ns"] / 1e9 for plan in plans}
    return Intended(_manifest(scenario, rule_for(scenario, reps), cells), seconds)


def free_folder(wanted: Path, manifest: Mapping[str, Any]) -> Path:
    """Give the folder, or the first of its numbered neighbours that is free for a campaign."""
    folders = chain([wanted], (wanted.with_name(f"{wanted.name}-{n}") for n in count(2)))
    return next(folder for folder in folders if is_free_for(folder, manifest))


def _run(campaign: Campaign, executor: Executor, progress: Progress) -> Results:
    is_hurried = False
    try:
        return campaign.run(executor, progress)
    except CampaignInterrupted as interrupt:
        is_hurried = interrupt.is_hurried
        raise
    finally:
        executor.close(is_hurried=is_hurried)


def _executor(on: Any, jobs: int | None) -> Executor:
    if on is None:
        return Threads(jobs)
    from anechoic.campaign.cluster import cluster_at

    return cluster_at(on, jobs)


def _manifest(
    scenario: Scenario, rule: StoppingRule, cells: list[CellPlan], experiment: str | None = None
) -> dict[str, Any]:
    name = scenario_name(scenario)
    manifest = manifest_of(scenario, name, build(), rule, axes_of(scenario), cells)
    manifest["campaign"]["experiment"] = experiment
    return manifest


def _plan_text(plan: Mapping[str, Any]) -> str:
    import json

    return json.dumps(plan, indent=1, ensure_ascii=False) + "\n"


def _progress(is_wanted: bool) -> Progress:
    return for_watcher() if is_wanted else Silence()
