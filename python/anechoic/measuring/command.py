"""The commands that measure between real machines, and let this one take part."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from anechoic.completion import ScenarioName
from anechoic.exits import guarded
from anechoic.out_option import OutFolder
from anechoic.saying import say
from anechoic.set_option import SET, SWEEP, axes_of, values_of

FORWARDED = {"ignore_unknown_options": True, "help_option_names": []}


@click.command("measure")
@click.argument("file", metavar="FILE | EXPERIMENT", type=ScenarioName())
@click.option(
    "--endpoint",
    "endpoints",
    multiple=True,
    metavar="NODE=NAME",
    help="Let the endpoint of this name stand for a node.  [default: the one of the node's name]",
)
@click.option(
    "--ssh",
    multiple=True,
    metavar="[NODE=]HOST",
    help="Run an endpoint on a machine for this measurement; this one stands for the node left.",
)
@click.option(
    "--iperf3",
    multiple=True,
    metavar="NODE=NAME",
    help="Let an iperf3 server stand for a node, by its name in the list of the other end's owner.",
)
@click.option(
    "--stamp",
    multiple=True,
    metavar="NODE=NAME",
    help="Let a STAMP reflector (RFC 8762) stand for a node, by its name there.",
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NODE=NAME",
    help="Set an access point by the SNMP agent of this name.  [default: the one of its name]",
)
@SET
@SWEEP
@click.option("--reps", type=int, metavar="N", help="Exactly so many replications, 1 to 10000.")
@click.option("--seed", type=int, metavar="N", help="Seed of the campaign, from 0 on.")
@click.option(
    "--out", type=OutFolder(), help="Folder to keep everything in.  [default: results/NAME]"
)
@click.option("--json", "is_json", is_flag=True, help="Write the results document to stdout.")
def measure_command(
    file: str,
    endpoints: Sequence[str],
    ssh: Sequence[str],
    iperf3: Sequence[str],
    stamp: Sequence[str],
    agents: Sequence[str],
    values: Sequence[str],
    axes: Sequence[str],
    reps: int | None,
    seed: int | None,
    out: Path | None,
    is_json: bool,
) -> None:
    """Measure a scenario's traffic between real machines, or go on with what was stopped.

    On each machine runs `anechoic endpoint`, paired with this one by `anechoic pair`; or --ssh
    runs it there, and leaves nothing. Tests of a line that ship, such as rrul, run once unless
    --reps says otherwise.
    """
    guarded(
        lambda: _measure(
            file, endpoints, ssh, iperf3, stamp, agents, values, axes, reps, seed, out, is_json
        )
    )


def _measure(
    file: str,
    endpoints: Sequence[str],
    ssh: Sequence[str],
    iperf3: Sequence[str],
    stamp: Sequence[str],
    agents: Sequence[str],
    values: Sequence[str],
    axes: Sequence[str],
    reps: int | None,
    seed: int | None,
    out: Path | None,
    is_json: bool,
) -> None:
    from anechoic.campaign.table import text
    from anechoic.examples import line_tests
    from anechoic.measuring.api import measure
    from anechoic.measuring.remarks import remarks
    from anechoic.running import REPORT, located, report

    source, experiment = located(file)
    if reps is None and source in line_tests().values():
        # As Flent does: a page after a minute, without intervals.
        reps = 1
    results = measure(
        source,
        set=values_of(values),
        sweep=axes_of(axes),
        endpoints=endpoints,
        ssh=ssh,
        iperf3=iperf3,
        stamp=stamp,
        agents=agents,
        reps=reps,
        seed=seed,
        out=out,
        finish=lambda results: report(results, experiment),
    )
    assert results.out is not None
    for each in remarks(results):
        say(each)
    if is_json:
        click.echo(results.to_json(), nl=False)
    (say if is_json else click.echo)(f"{text(results)}\n\nreport: {results.out / REPORT}")


@click.command("endpoint", context_settings=FORWARDED)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def endpoint_command(words: Sequence[str]) -> None:
    """Let this machine send and receive traffic for the consoles it was paired with."""
    sys.exit(_endpoint(words))


@click.command("pair", context_settings=FORWARDED)
@click.argument("words", metavar="KEY NAME [ADDRESS:PORT]", nargs=-1, type=click.UNPROCESSED)
def pair_command(words: Sequence[str]) -> None:
    """Let a console in by its key, or with an address, name an endpoint; alone, show own key.

    With --await a code is shown instead, which the other machine is told with --code.
    """
    sys.exit(_endpoint(["pair", *words]))


def _endpoint(words: Sequence[str]) -> int:
    from anechoic import _core

    # While the core listens, nobody else would hear Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.endpoint_command(list(words))
