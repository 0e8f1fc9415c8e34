"""The command line."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anechoic.beginning import examples_command, new_command
from anechoic.captures.command import analyse_command
from anechoic.claims.command import claims_command
from anechoic.comparing.command import compare_command
from anechoic.completion import OneOf, ScenarioName, ScenarioPath
from anechoic.emulating.command import (
    access_point_command,
    emulate_command,
    enter_command,
    replay_command,
)
from anechoic.exits import INTERRUPTED, guarded
from anechoic.measuring.command import endpoint_command, measure_command, pair_command
from anechoic.out_option import OutFolder
from anechoic.predicting.command import predict_command
from anechoic.saying import plain, say
from anechoic.scripts.command import script_command
from anechoic.set_option import SET, SWEEP, axes_of, values_of
from anechoic.usage import Program

if TYPE_CHECKING:
    from anechoic.campaign.results import Results
    from anechoic.scenario.model import Scenario


def _places() -> list[str]:
    """Name the places to run on that have a name."""
    from anechoic.campaign.cluster import LOCAL, QUEUES

    return [LOCAL, *QUEUES]


# What cannot be read is said as whatever else is wrong with a file.
FILE = click.argument("file", metavar="FILE | EXPERIMENT", type=ScenarioName())
REPS = click.option(
    "--reps", type=int, metavar="N", help="Exactly so many replications, 1 to 10000."
)
JOBS = click.option(
    "--jobs", type=int, metavar="N", help="So many at the same time.  [default: cores]"
)
ON = click.option(
    "--on",
    type=OneOf(_places),
    metavar="PLACE",
    help="Run on other machines: dask, tls://SCHEDULER:8786, slurm, …  [default: this one]",
)
SEED = click.option("--seed", type=int, metavar="N", help="Seed of the campaign, from 0 on.")


def _version(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked and not context.resilient_parsing:
        from anechoic.scenario.core import build

        click.echo(f"anechoic {build()}")
        context.exit()


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def cli() -> None:
    """Anechoic: a software test chamber for transport protocols over Wi-Fi."""


@cli.command()
@FILE
@SET
@SWEEP
@REPS
@JOBS
@SEED
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder to keep everything in.  [default: results/NAME]",
)
@ON
@click.option(
    "--replace", is_flag=True, help="Remove another campaign from the folder; keep common cells."
)
@click.option("--json", "is_json", is_flag=True, help="Write the results document to stdout.")
def run(
    file: str,
    values: Sequence[str],
    axes: Sequence[str],
    reps: int | None,
    jobs: int | None,
    seed: int | None,
    out: Path | None,
    on: str | None,
    replace: bool,
    is_json: bool,
) -> None:
    """Run a scenario's campaign, or go on with one that was stopped.

    A scenario is a FILE, or the name of an EXPERIMENT that ships with Anechoic, as goel-1.
    """

    def campaign() -> None:
        from anechoic.running import run as run_campaign

        results = run_campaign(
            file,
            set=values_of(values),
            sweep=axes_of(axes),
            reps=reps,
            jobs=jobs,
            seed=seed,
            out=out,
            on=on,
            replace=replace,
        )
        _show(results, is_json)

    guarded(campaign)


@cli.command()
@FILE
@SET
@SWEEP
@click.option("--json", "is_json", is_flag=True, help="Write a document to stdout.")
def check(file: str, values: Sequence[str], axes: Sequence[str], is_json: bool) -> None:
    """Check a scenario and every cell of its sweep, without running anything."""
    from anechoic.checking import check_scenario

    guarded(
        lambda: check_scenario(file, set=values_of(values), sweep=axes_of(axes), is_json=is_json)
    )


@cli.command()
@FILE
@SET
@SWEEP
@click.option(
    "--path",
    type=ScenarioPath(),
    metavar="PATH",
    help="Only this table or field, such as sta.laptop.",
)
@click.option("--changed", is_flag=True, help="Only what differs from the defaults.")
@click.option("--draw", is_flag=True, help="Draw the network instead.")
@click.option(
    "--links",
    is_flag=True,
    help="Show instead what arrives of every radio at every other: path loss, signal, usable rates "
    "and expected loss of frames, and who is hidden from whom.",
)
@click.option("--json", "is_json", is_flag=True, help="Write a document to stdout.")
def explain(
    file: str,
    values: Sequence[str],
    axes: Sequence[str],
    path: str | None,
    changed: bool,
    draw: bool,
    links: bool,
    is_json: bool,
) -> None:
    """Show every value a scenario is run with, defaults included, and its source.

    Of a folder of results, show instead what `rc_stats`, `aqm` and `airtime` in Linux's debugfs
    would say of each station at the end; --path keeps to one that sends, such as ap.home.
    """

    def explanation() -> None:
        if Path(file).is_dir():
            from anechoic.debugfs import debugfs

            if values or axes or changed or draw or links or is_json:
                raise click.UsageError("a folder of results takes --path, and no other option")
            node = path and path.rpartition(".")[2]
            click.echo(plain(debugfs(Path(file), node)), nl=False)
            return
        from anechoic.explaining import explain as explain_scenario
        from anechoic.explaining import explain_links

        if links:
            all_links = explain_links(file, set=values_of(values), sweep=axes_of(axes))
            click.echo(all_links.to_json() if is_json else all_links.text(), nl=not is_json)
            return
        found = explain_scenario(
            file, set=values_of(values), sweep=axes_of(axes), path=path, changed=changed
        )
        if is_json:
            click.echo(found.to_json(), nl=False)
        elif draw:
            click.echo(plain(found.drawing))
        elif sys.stdout.isatty():
            for line, kind in found.screen():
                click.echo(
                    click.style(plain(line), bold=kind in ("head", "given"), dim=kind == "source")
                )
        else:
            click.echo(plain(found.text()))
        _say_remarks(file, _scenario(file, values, axes))

    guarded(explanation)


@cli.command()
@FILE
@SET
@SWEEP
@click.option("--json", "is_json", is_flag=True, help="Write a document to stdout.")
def calc(file: str, values: Sequence[str], axes: Sequence[str], is_json: bool) -> None:
    """Work a scenario out in closed forms, every cell of its sweep, without a run."""

    def calculated() -> None:
        from anechoic.calculating import calculate

        found = calculate(file, set=values_of(values), sweep=axes_of(axes))
        click.echo(found.to_json() if is_json else found.text(), nl=not is_json)

    guarded(calculated)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
def figures(folder: Path) -> None:
    """Draw the figures of a campaign for a paper: PDF, SVG and PNG in FOLDER/figures."""

    def drawn() -> None:
        from anechoic.campaign.results import Results
        from anechoic.report import write_figures

        for path in write_figures(Results.load(folder), folder):
            click.echo(path)

    guarded(drawn)


cli.add_command(access_point_command)
cli.add_command(analyse_command)
cli.add_command(claims_command)
cli.add_command(compare_command)
cli.add_command(emulate_command)
cli.add_command(endpoint_command)
cli.add_command(enter_command)
cli.add_command(examples_command)
cli.add_command(measure_command)
cli.add_command(new_command)
cli.add_command(pair_command)
cli.add_command(predict_command)
cli.add_command(replay_command)
cli.add_command(script_command)


def main() -> None:
    """Enter from the command line."""
    try:
        # Help and version are shown outside of any command's guard.
        guarded(lambda: cli.main(prog_name="anechoic"))
    except click.Abort:
        sys.exit(INTERRUPTED)


def _show(results: "Results", is_json: bool) -> None:
    from anechoic.campaign.table import text
    from anechoic.running import REPORT

    assert results.out is not None
    report = results.out / REPORT
    if is_json:
        click.echo(results.to_json(), nl=False)
    (say if is_json else click.echo)(f"{text(results)}\n\nreport: {report}")


def _scenario(file: str, values: Sequence[str], axes: Sequence[str]) -> "Scenario":
    from anechoic.campaign.api import prepared
    from anechoic.running import located

    source, _ = located(file)
    return prepared(source, set=values_of(values), sweep=axes_of(axes))


def _say_remarks(file: str, scenario: "Scenario") -> None:
    from anechoic.campaign.sweep import cells_of
    from anechoic.scenario.remarks import remarks

    for text in remarks(scenario, (cell.plan for cell in cells_of(scenario))):
        say(f"{file}: {text}")


if __name__ == "__main__":
    main()
