"""The command that runs scripts against the simulated endpoint."""

import signal
import sys
from pathlib import Path

import click

from anechoic.exits import guarded, raised

FAILED, NOT_A_SCRIPT, NOT_SUPPORTED = 1, 2, 3


@click.command("script")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    metavar="FILE|FOLDER…",
    type=click.Path(readable=False, path_type=str),
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of the scripts that pass.")
@click.option(
    "--kernel",
    is_flag=True,
    help="Run them against this machine's own kernel, in real time; their shell commands are "
    "really run. Needs root.",
)
def script_command(paths: tuple[str, ...], quiet: bool, kernel: bool) -> None:
    """Run packetdrill scripts against the simulated TCP endpoint.

    The exit status is 0 if all passed; 2 if one is no script, else 1 if one failed, else 3 if one
    asks for what is not supported.
    """
    with raised(signal.SIGTERM, signal.SIGHUP):
        guarded(lambda: _run(paths, quiet, kernel))


def _run(paths: tuple[str, ...], quiet: bool, kernel: bool) -> None:
    reports = [report for path in paths for report in _reports(path, kernel)]
    for _, status, text in reports:
        if not (quiet and status == "passed"):
            click.echo(text, nl=False)
    counts = {
        status: sum(each == status for _, each, _ in reports)
        for status in ("passed", "failed", "not supported", "not a script")
    }
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()))
    if counts["not a script"]:
        sys.exit(NOT_A_SCRIPT)
    if counts["failed"]:
        sys.exit(FAILED)
    if counts["not supported"]:
        sys.exit(NOT_SUPPORTED)


def _reports(path: str, kernel: bool) -> list[tuple[str, str, str]]:
    from anechoic.files import closed_folder
    from anechoic.scenario.core import core, reason_of
    from anechoic.scenario.errors import Problem, ScenarioError

    try:
        reports = core().run_scripts(path, kernel)
    except OSError as error:
        told = reason_of(error)
        reason = closed_folder(Path(path)) or told[:1].lower() + told[1:]
        allowed = (
            "root, and a script or a folder of them" if kernel else "a script or a folder of them"
        )
        raise ScenarioError(path, [Problem("", reason, allowed)]) from None
    if not reports:
        raise ScenarioError(path, [Problem("", "there is no script", "files that end in .pkt")])
    return reports
