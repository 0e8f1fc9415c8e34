"""The commands that emulate a scenario, and enter a node of one that runs."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from anechoic.completion import RealNode, ScenarioName
from anechoic.exits import guarded
from anechoic.out_option import OutFolder
from anechoic.saying import say
from anechoic.set_option import SET, values_of

DIFFERENT = 1
FAILED = 1
"""The exit status of a run whose programs did not all end well."""
INVALID = 3
"""The exit status of a run whose figures are not the network's."""


@click.command("emulate")
@click.argument("file", metavar="FILE | EXPERIMENT", type=ScenarioName())
@click.option(
    "--real",
    multiple=True,
    type=RealNode(),
    metavar="NODE[=INTERFACE]",
    help="Make a node real: a namespace, or what is behind an interface of this machine.",
)
@click.option(
    "--exec",
    "programs",
    multiple=True,
    type=RealNode(has_command=True),
    metavar="NODE=COMMAND",
    help="Run a command in a real node; the emulation ends when all have ended.",
)
@click.option("--for", "length", metavar="TIME", help="Run so long, as 60s, at most.")
@SET
@click.option("--reps", type=int, default=1, metavar="N", help="So many runs.  [default: 1]")
@click.option("--seed", type=int, metavar="N", help="Seed of the campaign, from 0 on.")
@click.option(
    "--out", type=OutFolder(), help="Folder to keep everything in.  [default: results/NAME]"
)
@click.option("--replace", is_flag=True, help="Remove what the folder holds of earlier runs.")
@click.option("--json", "is_json", is_flag=True, help="Write the results document to stdout.")
def emulate_command(
    file: str,
    real: Sequence[str],
    programs: Sequence[str],
    length: str | None,
    values: Sequence[str],
    reps: int,
    seed: int | None,
    out: Path | None,
    replace: bool,
    is_json: bool,
) -> None:
    """Emulate a scenario: real kernels and programs on its air and wires, on the wall clock.

    Nodes that say `port = true`, or are named by --real, become network namespaces of this machine.
    Without programs it runs until Ctrl-C, and `anechoic enter NODE` gives a shell in a node. The
    exit status is 3 where this machine was too slow for the figures to be the network's, else 1
    where a program ended with another status than 0.
    """
    guarded(
        lambda: _emulate(file, real, programs, length, values, reps, seed, out, replace, is_json)
    )


def _emulate(
    file: str,
    real: Sequence[str],
    programs: Sequence[str],
    length: str | None,
    values: Sequence[str],
    reps: int,
    seed: int | None,
    out: Path | None,
    replace: bool,
    is_json: bool,
) -> None:
    from anechoic.campaign.table import text
    from anechoic.emulating.api import prepared, run
    from anechoic.emulating.outcome import failures, is_valid, text_of
    from anechoic.emulating.ran import emulated_runs
    from anechoic.running import REPORT, located, report

    source, experiment = located(file)
    scenario = prepared(
        source,
        set=values_of(values),
        real=real,
        programs=[_program(each) for each in programs],
        length=None if length is None else _spaced(length),
        seed=seed,
    )

    def show(node: str, line: str) -> None:
        say(f"[{node}] {line}")

    results, ran = run(
        scenario,
        reps=reps,
        out=out,
        show=show,
        finish=lambda results: report(results, experiment, emulated_runs(results)),
        replace=replace,
    )
    assert results.out is not None
    if kept := sum(cell.replications for cell in results.cells) - len(ran):
        runs = "1 run" if kept == 1 else f"{kept} runs"
        say(f"{results.out}: {runs} of an earlier call kept, not run again; --replace removes them")
    for each in ran:
        say(text_of(each.outcome))
    if is_json:
        click.echo(results.to_json(), nl=False)
    (say if is_json else click.echo)(f"{text(results)}\n\nreport: {results.out / REPORT}")
    if not all(is_valid(each.outcome) for each in ran):
        sys.exit(INVALID)
    if any(failures(each.outcome) for each in ran):
        sys.exit(FAILED)


def _program(text: str) -> tuple[str, str]:
    node, equals, command = text.partition("=")
    if not (node.strip() and equals and command.strip()):
        what = f'"{text}" is refused; allowed: NODE=COMMAND'
        raise click.BadParameter(what, param_hint="--exec")
    return node.strip(), command


def _spaced(length: str) -> str:
    """Give a length as scenarios write it: 60s is 60 s."""
    number = length.rstrip("abcdefghijklmnopqrstuvwxyzµ ")
    unit = length[len(number) :].strip()
    if not (number and unit):
        what = f'"{length}" is refused; allowed: a time with its unit, as 60s'
        raise click.BadParameter(what, param_hint="--for")
    return f"{number} {unit}"


@click.command(
    "enter", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--run", "process", type=int, metavar="PID", help="Which, where several run.")
@click.argument("node")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def enter_command(process: int | None, node: str, command: Sequence[str]) -> None:
    """Run a COMMAND in a NODE of an emulation that runs; a shell without one."""

    def entered() -> None:
        from anechoic.emulating.entering import enter

        sys.exit(enter(node, command, process))

    guarded(entered)


@click.command("access-point")
def access_point_command() -> None:
    """Answer an snmpd in an emulated access point (pass_persist): how its radio is set."""

    def served() -> None:
        from anechoic.emulating.access_point import AccessPoint, serve

        access_point = AccessPoint()
        try:
            serve(iter(sys.stdin.readline, ""), lambda text: print(text, flush=True), access_point)
        except (EOFError, StopIteration):
            pass  # The emulation has ended, or who asked.
        finally:
            access_point.close()

    guarded(served)


@click.command("replay")
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--captures",
    type=OutFolder(),
    help="Folder for what the scenario's taps capture, whether they did in the emulation or not.",
)
def replay_command(folder: Path, captures: Path | None) -> None:
    """Run an emulation again offline, from what came in; FOLDER is that of the emulation.

    Says whether what left is the same, byte for byte; the exit status is 1 if it is not.
    """

    def replayed() -> None:
        from anechoic.emulating.replaying import replay

        found = replay(folder, captures)
        click.echo(found.text())
        if not found.is_same:
            sys.exit(DIFFERENT)

    guarded(replayed)
