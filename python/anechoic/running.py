"""Running a campaign to its report, with the verdicts on its claims if it is an experiment.

Here the parts meet that know nothing of each other: campaigns, studies and reports.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign import api
from anechoic.campaign.cells import Calculated
from anechoic.campaign.results import Results as Results
from anechoic.campaign.store import Store
from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name
from anechoic.scenario.model import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from anechoic.papers.judging import Evaluation
    from anechoic.papers.study import Experiment
    from anechoic.report import EmulatedRun, JudgedClaim, Tapped

STUDIES = Path(__file__).parent / "studies"
REPORT = "report.html"
_MOST_BYTES = 200_000_000
"""Larger captures would hold a report up; `anechoic analyse` takes them."""


def _drawn(results: Results) -> str:
    from anechoic.report import notebook_html

    return notebook_html(results)


def _plotted(results: Results, title: str | None) -> "Figure":
    from anechoic.report import plot

    return plot(results, title)


Results.drawn_by = _drawn
Results.plotted_by = _plotted


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
) -> Results:
    """Run a scenario's campaign and give its results.

    ``source`` is a scenario file, the name of an experiment that ships with the package, or a
    ``Scenario``. ``set`` replaces values and ``sweep`` adds or changes axes, both by the path of
    the field; ``reps`` fixes the number of replications; ``jobs`` is how many run at the same
    time, one for each core if absent. Everything is kept in ``out``, if absent in
    ``results/<name of the scenario>``, numbered where that holds another campaign, with the
    report beside the results; the same call goes on where an earlier one was stopped. ``on`` names
    other machines to run on: "dask", the address of a Dask scheduler, "slurm" or another batch
    system, or a Dask ``Client``. With ``replace`` another campaign in that folder makes room: what
    both have of it is kept, the rest is removed.
    """
    source, experiment = located(source)
    return _run(
        source,
        experiment,
        set=set,
        sweep=sweep,
        reps=reps,
        jobs=jobs,
        seed=seed,
        out=out,
        progress=progress,
        on=on,
        replace=replace,
    )


def run_experiment(
    experiment: "Experiment", *, reps: int | None, jobs: int | None, out: Path
) -> Results:
    """Run an experiment of a study as it stands, without a report, and give its results."""
    return api.run(
        experiment.file,
        reps=reps,
        jobs=jobs,
        out=out,
        experiment=experiment.identity,
        calculate=_calculated,
    )


def run_variant(
    file: Path, values: Mapping[str, Any], reps: int | None, jobs: int | None, out: Path
) -> Results:
    """Run a scenario with other values, quietly and without a report."""
    return api.run(file, set=values, reps=reps, jobs=jobs, out=out, progress=False)


def located(
    source: str | Path | Scenario,
) -> "tuple[str | Path | Scenario, Experiment | None]":
    """Find what a name stands for: a file, or else an experiment that ships with the package.

    A Scenario, and a file of one's own, is no experiment, whatever it is called.
    """
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        return source, None
    name = os.fsdecode(source)
    if os.path.lexists(name) and not Path(name).is_dir():
        return source, _shipped(Path(name))
    from anechoic.examples import examples
    from anechoic.papers.study import experiments

    known = experiments()
    if name in known:
        return known[name].file, known[name]
    if name in examples():
        return examples()[name], None
    if Path(name).is_dir() or Path(name).suffix or Path(name).name != name:
        return source, None  # Who reads it says that there is no such file.
    what = "there is no such file, and no experiment or example of this name"
    names = [*examples(), *known]
    raise ScenarioError(name, [Problem("", what, listing(names), nearest_name(name, names))])


def _shipped(path: Path) -> "Experiment | None":
    if STUDIES.resolve() not in path.resolve().parents:
        return None  # Claims take long to load: a scenario of one's own shall not wait for them.
    from anechoic.papers.study import experiment_at

    return experiment_at(path)


def report(
    results: Results, experiment: "Experiment | None", emulated: "Sequence[EmulatedRun]" = ()
) -> None:
    """Write the report of a finished campaign, with the verdicts on its claims.

    ``emulated`` says how the runs went that were emulations.
    """
    if experiment is None:
        _write(results, emulated=emulated)
    else:
        # Claims take long to load: a scenario of one's own shall not wait for them.
        from anechoic.papers.judging import judge

        evaluation = judge(experiment.study, {experiment.id: results})
        report_judged(results, experiment, evaluation, emulated)


def report_judged(
    results: Results,
    experiment: "Experiment",
    evaluation: "Evaluation",
    emulated: "Sequence[EmulatedRun]" = (),
) -> None:
    """Write the report of an experiment whose claims have been judged."""
    from anechoic.report import JudgedClaim

    claims = [
        JudgedClaim(
            claim.id,
            found.status,
            claim.text,
            found.found,
            tuple(map(str, found.figures)),
            claim.explanation.told,
        )
        for claim, found in evaluation
    ]
    _write(results, claims, experiment.study.about.note, emulated)


def _write(
    results: Results,
    claims: "Sequence[JudgedClaim]" = (),
    note: str = "",
    emulated: "Sequence[EmulatedRun]" = (),
) -> None:
    # Drawing takes long to load: what is refused at once shall not wait for it.
    from anechoic.report import write

    assert results.out is not None
    write(results, results.out, claims, note, _tapped(results, results.out), emulated)


def _tapped(results: Results, out: Path) -> "list[Tapped]":
    """Find what taps have captured, and what the first captures of the first cell tell."""
    if not results.scenario.tap:
        return []
    from anechoic.report import Tapped

    store = Store.open(out)
    found = []
    for place, cell in enumerate(results.cells):
        runs = [store.captures(place, each) for each in range(cell.replications)]
        for tap in runs[0] if runs else {}:
            files = {
                number: os.fspath(run[tap].relative_to(out))
                for number, run in enumerate(runs)
                if tap in run
            }
            is_told = place == 0 and runs[0][tap].stat().st_size <= _MOST_BYTES
            tell = partial(_told, store, place, runs[0][tap]) if is_told else None
            found.append(Tapped(tap, cell, files, tell))
    return found


def _told(store: Store, cell: int, capture: Path) -> str:
    from anechoic.captures.page.embedded import embedded

    store.check_capture(cell, 0, capture)
    return embedded(capture)


def _run(source: str | Path | Scenario, experiment: "Experiment | None", **asked: Any) -> Results:
    return api.run(
        source,
        **asked,
        experiment=None if experiment is None else experiment.identity,
        calculate=_calculated,
        finish=lambda results: report(results, experiment),
    )


def _calculated(plan: Mapping[str, Any]) -> Calculated:
    from anechoic.calc.plan import solve

    answer = solve(plan)
    told = dict.fromkeys(each.told for each in answer.flows if each.is_answered)
    return Calculated(answer.metrics(), tuple(told))
