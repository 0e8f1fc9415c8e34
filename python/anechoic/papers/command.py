"""The command that runs a paper's experiments and judges its claims."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anechoic.exits import guarded
from anechoic.files import write_whole
from anechoic.out_option import OutFolder
from anechoic.saying import say

if TYPE_CHECKING:
    from anechoic.campaign.results import Results
    from anechoic.papers.evaluation import Evaluation

PAPER = "goel2006"


@click.command("claims")
@click.argument("names", nargs=-1, metavar="[goel2006 | goel-1 …]")
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder with a campaign for each experiment; finished ones are not run again.  "
    f"[default: results/{PAPER}, numbered where that holds other campaigns]",
)
@click.option("--jobs", type=int, metavar="N", help="So many at the same time.  [default: cores]")
@click.option("--reps", type=int, metavar="N", help="Exactly so many replications, 1 to 10000.")
@click.option(
    "--experiments",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the scenario files.  [default: those shipped]",
)
@click.option("--json", "is_json", is_flag=True, help="Write the scorecard as JSON to stdout.")
def claims_command(
    names: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    reps: int | None,
    folder: Path | None,
    is_json: bool,
) -> None:
    """Run a paper's experiments and judge its claims on what they give.

    Without a name, all of them. A claim that fails is a result, not an error.
    """
    guarded(lambda: _judge(chosen(names), out, jobs, reps, folder, is_json))


def chosen(names: tuple[str, ...]) -> list[str]:
    """Give the experiments that the names stand for, in the paper's order."""
    from anechoic.papers.goel2006 import EXPERIMENTS

    for name in names:
        if name not in (PAPER, *EXPERIMENTS):
            raise click.BadParameter(_unknown(name, [PAPER, *EXPERIMENTS]), param_hint="NAME")
    everything = not names or PAPER in names
    return [name for name in EXPERIMENTS if everything or name in names]


def with_needed(experiments: list[str]) -> list[str]:
    """Add the experiments that the claims on these compare them with."""
    from anechoic.papers.goel2006 import CLAIMS, EXPERIMENTS

    needed = {name for c in CLAIMS if c.experiment in experiments for name in c.needs}
    return [name for name in EXPERIMENTS if name in needed or name in experiments]


def experiment_file(name: str, folder: Path | None = None) -> Path:
    """Find the scenario file of an experiment: in the folder given, or among those shipped."""
    from anechoic.scenario.errors import Problem, ScenarioError

    file = (folder or Path(__file__).parents[1] / "studies" / PAPER) / f"{name}.toml"
    if file.is_file():
        return file
    problem = Problem("", "no such file", "the folder of the scenario files, by --experiments")
    raise ScenarioError(str(file), [problem])


def _judge(
    experiments: list[str],
    wanted: Path | None,
    jobs: int | None,
    reps: int | None,
    folder: Path | None,
    is_json: bool,
) -> None:
    from anechoic.papers.evaluation import evaluate

    files = {name: experiment_file(name, folder) for name in with_needed(experiments)}
    out = wanted or default_folder(files)
    results = {name: _run(name, file, out / name, jobs, reps) for name, file in files.items()}
    evaluation = [pair for pair in evaluate(results) if pair[0].experiment in experiments]
    _show(evaluation, out, is_json)


def default_folder(files: Mapping[str, Path]) -> Path:
    """Give the first numbered folder in which each experiment is new, or is the same campaign."""
    from anechoic.campaign.api import free_folder, manifest_for

    manifests = {name: manifest_for(file) for name, file in files.items()}
    return free_folder(Path("results") / PAPER, manifests)


def _run(name: str, file: Path, out: Path, jobs: int | None, reps: int | None) -> "Results":
    from anechoic.campaign.api import run

    say(name)
    return run(file, reps=reps, jobs=jobs, out=out)


def _show(evaluation: "Evaluation", out: Path, is_json: bool) -> None:
    from rich.console import Console

    from anechoic.papers.scorecard import as_json, as_markdown, print_table

    write_whole(out / "scorecard.json", as_json(PAPER, evaluation).encode())
    write_whole(out / "scorecard.md", as_markdown(PAPER, evaluation).encode())
    if is_json:
        click.echo(as_json(PAPER, evaluation), nl=False)
    print_table(evaluation, Console(stderr=is_json))
    click.echo(f"scorecard: {out / 'scorecard.md'}", err=is_json)


def _unknown(name: str, names: list[str]) -> str:
    from anechoic.scenario.errors import nearest_name

    nearest = nearest_name(name, names)
    hint = f"; did you mean {nearest}?" if nearest else ""
    return f'"{name}" is not one of {", ".join(names)}{hint}'
