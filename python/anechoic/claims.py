"""The command that runs a study's experiments and judges its claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anechoic.completion import ClaimName
from anechoic.exits import guarded
from anechoic.files import write_whole
from anechoic.out_option import OutFolder
from anechoic.saying import say

if TYPE_CHECKING:
    from anechoic.papers.claim import Claim
    from anechoic.papers.judging import Evaluation
    from anechoic.papers.study import Study


@dataclass
class Asked:
    """The claims of one study that were asked for."""

    study: "Study"
    claims: "list[Claim]"


@click.command("claims")
@click.argument(
    "names", nargs=-1, type=ClaimName(), metavar="[STUDY | EXPERIMENT | CLAIM | FILE] …"
)
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder with a campaign for each experiment; finished ones are not run again.  "
    "[default: results/STUDY, numbered where that holds other campaigns]",
)
@click.option("--jobs", type=int, metavar="N", help="So many at the same time.  [default: cores]")
@click.option("--reps", type=int, metavar="N", help="Exactly so many replications, 1 to 10000.")
@click.option(
    "--search",
    metavar="FILE",
    help="Judge the claims with every combination of the file's [[sweep]] axes, and say which "
    "satisfies most of them.",
)
@click.option("--json", "is_json", is_flag=True, help="Write the scorecard as JSON to stdout.")
def claims_command(
    names: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    reps: int | None,
    search: str | None,
    is_json: bool,
) -> None:
    """Run the experiments of studies and judge the claims on what they give.

    A FILE is a claims.toml of your own, or the folder that holds one. Without a name, all that
    ships is judged. A claim that fails is a result, not an error.
    """
    if search is None:
        guarded(lambda: _judge(names, out, jobs, reps, is_json))
    else:
        guarded(lambda: _search(names, search, out, jobs, reps, is_json))


def chosen(names: Sequence[str]) -> list[Asked]:
    """Give the claims that the names stand for, study by study, in their order."""
    from anechoic.papers.study import shipped

    if not names:
        return [Asked(study, list(study.claims)) for study in shipped()]
    wanted: dict[Path, Asked] = {}
    for name in names:
        found = _own(name) or _shipped(name)
        asked = wanted.setdefault(found.study.claims_file, found)
        asked.claims = [
            claim for claim in asked.study.claims if claim in asked.claims or claim in found.claims
        ]
    return list(wanted.values())


def _own(name: str) -> Asked | None:
    from anechoic.papers.study import CLAIMS, Study

    path = Path(name)
    file = path / CLAIMS if path.is_dir() else path
    if not file.is_file():
        return None
    study = Study(file.parent, file)
    return Asked(study, list(study.claims))


def _shipped(name: str) -> Asked:
    from anechoic.papers.study import shipped
    from anechoic.scenario.errors import Problem, ScenarioError, nearest_name

    known = []
    for study in shipped():
        known += [study.id, *study.experiments, *(claim.id for claim in study.claims)]
        claims = [c for c in study.claims if name in (study.id, c.experiment, c.id)]
        if claims:
            return Asked(study, claims)
    what = "there is no study, experiment or claim of this name, and no such file"
    allowed = ", ".join(study.id for study in shipped())
    allowed += ", one of their experiments or claims, or a claims file"
    raise ScenarioError(name, [Problem("", what, allowed, nearest_name(name, known))])


def _judge(
    names: tuple[str, ...], out: Path | None, jobs: int | None, reps: int | None, is_json: bool
) -> None:
    from anechoic.papers.judging import needed

    asked = chosen(names)
    needs = [needed(each.study, each.claims) for each in asked]
    evaluations = []
    for each, experiments in zip(asked, needs, strict=True):
        folder = _folder(each.study, experiments, out, reps, is_shared=len(asked) > 1)
        evaluation = _evaluated(each, experiments, folder, jobs, reps)
        _keep(each.study, evaluation, folder, is_json)
        evaluations.append((each.study.id, evaluation))
    if is_json:
        from anechoic.papers.scorecard import as_json

        click.echo(as_json(evaluations), nl=False)
    _check_functions(asked, [evaluation for _, evaluation in evaluations])


def _search(
    names: tuple[str, ...],
    search: str,
    out: Path | None,
    jobs: int | None,
    reps: int | None,
    is_json: bool,
) -> None:
    """Judge the claims of one study with each variant of its bench."""
    from rich.console import Console

    from anechoic.papers.judging import judge, needed
    from anechoic.papers.search import Judged, Space, Variant, as_json, print_search
    from anechoic.running import run_variant

    [asked, *others] = chosen(names)
    if others:
        raise click.UsageError("--search is about the bench of one study: name it")
    study, file = asked.study, Path(search)
    experiments = needed(study, asked.claims)
    space = Space.of(file if file.exists() else study.folder / file)
    space.check([study.file(name) for name in experiments])
    out = out or Path("results") / f"{study.id}-{file.stem}"

    def judged(variant: Variant) -> Judged:
        results = {
            name: run_variant(
                study.file(name), variant.values, reps, jobs, out / variant.name / name
            )
            for name in experiments
        }
        found = Judged(variant, judge(study, results, asked.claims))
        values = ", ".join(f"{axis} {value}" for axis, value in variant.parameters.items())
        say(f"{values}: {found.rank[0]} of {len(asked.claims)}")
        return found

    found = space.explore(judged)
    write_whole(out / "search.json", as_json(found).encode())
    if is_json:
        click.echo(as_json(found), nl=False)
    print_search(found, Console(stderr=is_json))
    click.echo(f"verdicts: {out / 'search.json'}", err=is_json)


def _check_functions(asked: Sequence[Asked], evaluations: "Sequence[Evaluation]") -> None:
    """Raise ScenarioError for functions that gave no verdict; those of the others are kept."""
    from anechoic.papers.verdict import Status
    from anechoic.scenario.errors import Problem, ScenarioError

    for each, evaluation in zip(asked, evaluations, strict=True):
        problems = [
            Problem(claim.id, verdict.reason)
            for claim, verdict in evaluation
            if verdict.status is Status.ERROR
        ]
        if problems:
            raise ScenarioError(str(each.study.claims_file), problems)


def _folder(
    study: "Study",
    experiments: list[str],
    out: Path | None,
    reps: int | None,
    *,
    is_shared: bool,
) -> Path:
    """Give the folder that was asked for, or the first in which each campaign is new or its own."""
    from anechoic.campaign.api import free_folder, manifest_for

    if out is not None:
        return out / study.id if is_shared else out
    manifests = {name: manifest_for(study.file(name), reps) for name in experiments}
    return free_folder(Path("results") / study.id, manifests)


def _evaluated(
    asked: Asked, experiments: list[str], folder: Path, jobs: int | None, reps: int | None
) -> "Evaluation":
    from anechoic.papers.judging import judge
    from anechoic.papers.study import Experiment
    from anechoic.running import run_experiment

    results = {}
    for name in experiments:
        say(name)
        experiment = Experiment(asked.study, name)
        results[name] = run_experiment(experiment, reps=reps, jobs=jobs, out=folder / name)
    return judge(asked.study, results, asked.claims)


def _keep(study: "Study", evaluation: "Evaluation", out: Path, is_json: bool) -> None:
    from rich.console import Console

    from anechoic.papers.scorecard import as_json, as_markdown, print_table

    write_whole(out / "scorecard.json", as_json([(study.id, evaluation)]).encode())
    write_whole(out / "scorecard.md", as_markdown(study.id, evaluation).encode())
    print_table(evaluation, Console(stderr=is_json))
    click.echo(f"scorecard: {out / 'scorecard.md'}", err=is_json)
