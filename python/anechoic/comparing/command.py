"""The command that sets campaigns side by side."""

from pathlib import Path

import click

from anechoic.comparing.metric_name import MetricName
from anechoic.exits import guarded
from anechoic.out_option import OutFolder
from anechoic.saying import say


@click.command("compare")
@click.argument("sources", nargs=-1, metavar="A B …", type=click.Path(readable=False))
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=MetricName(),
    metavar="NAME",
    help="Compare this; may be repeated.",
)
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder for the page and the document.  [default: results/A-beside-B]",
)
@click.option("--json", "is_json", is_flag=True, help="Write the document to stdout.")
def compare_command(
    sources: tuple[str, ...], metrics: tuple[str, ...], out: Path | None, is_json: bool
) -> None:
    """Set campaigns side by side, with the differences of each from the first.

    Each of A, B, … is the folder of a campaign, a file of iperf3 --json, Flent, irtt, crusader
    export or ndt7, or a folder of such files, one for each repetition. Campaigns of one seed are
    paired by it.
    """

    def compared() -> None:
        from anechoic.comparing.comparison import compare

        found = compare(*sources, metrics=metrics or None)
        stems = [Path(side.name).stem for side in found.sides]
        page = found.write(out or Path("results") / "-beside-".join(stems))
        if is_json:
            click.echo(found.to_json(), nl=False)
        (say if is_json else click.echo)(f"{found.text()}\n\npage: {page}")

    guarded(compared)
