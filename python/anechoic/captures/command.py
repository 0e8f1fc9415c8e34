"""The command that tells what happened to the TCP connections of a capture file."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anechoic.captures.doubts.link_types import READ
from anechoic.exits import guarded
from anechoic.libraries import check_installed
from anechoic.out_option import OutFolder
from anechoic.saying import plain, say

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis


_HELP = f"""Tell what happened to the TCP connections of a capture file.

With a SECOND capture of the same path, from its other end or from the air behind its wire, match
the packets of both: one-way delays, losses and where they happened, queueing. --csv then writes a
row for each packet, and --out has no signal log.

Reads pcap and pcapng, also compressed by gzip or zstd, of these link layers: {READ}.
"""


_FILE = click.Path(readable=False, allow_dash=True)
"""Shells complete it; who reads it says what is wrong with it."""


@click.command("analyse", help=_HELP)
@click.argument("file", metavar="FILE|-", type=_FILE)
@click.argument("second", metavar="[SECOND]", required=False, type=_FILE)
@click.option("--json", is_flag=True, help="Write everything as one JSON document.")
@click.option("--csv", is_flag=True, help="Write a row for each connection.")
@click.option("--tstat", is_flag=True, help="Write the log of Tstat's TCP connections.")
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder for the report, its figures, tables and xplot graphs.",
)
@click.option(
    "--signal",
    "log",
    metavar="LOG",
    type=_FILE,
    help="Signal levels over time, to set beside the transfers; needs --out.",
)
@click.option(
    "--signal-offset",
    "offset_s",
    type=float,
    metavar="S",
    help="Seconds to add to the log's times to have the capture's.",
)
def analyse_command(
    file: str,
    second: str | None,
    json: bool,
    csv: bool,
    tstat: bool,
    out: Path | None,
    log: str | None,
    offset_s: float | None,
) -> None:
    """Tell what happened in a capture, or between two."""
    form = _form(json=json, csv=csv, tstat=tstat)
    if offset_s is not None and log is None:
        raise click.UsageError("--signal-offset needs --signal, the log whose times it moves.")
    if offset_s is not None and not math.isfinite(offset_s):
        raise click.BadParameter("it is not a number of seconds", param_hint="--signal-offset")
    if second is not None:
        from anechoic.captures.pair.command import tell_pair

        for option, is_given in (("--signal", log is not None), ("--tstat", form == "tstat")):
            if is_given:
                raise click.UsageError(f"{option} is for one capture file.")
        guarded(lambda: tell_pair(file, second, form, out))
        return
    if log is not None and out is None:
        raise click.UsageError("--signal needs --out, a folder for what it gives.")
    guarded(lambda: _tell(file, form, out, log, offset_s or 0.0))


def _form(**asked: bool) -> str | None:
    """Give the one form that is asked for, if any."""
    forms = [form for form, is_asked in asked.items() if is_asked]
    if len(forms) > 1:
        named = " and ".join(f"--{form}" for form in forms)
        raise click.UsageError(f"{named} exclude each other; --out writes all of them.")
    return forms[0] if forms else None


def _tell(file: str, form: str | None, out: Path | None, log: str | None, offset_s: float) -> None:
    from anechoic.captures.analysis import analyse
    from anechoic.captures.doubts.notes import warning_text
    from anechoic.captures.output.pipe import read_to_the_end

    if form == "csv":
        check_installed("--csv", "pyarrow")
    if out is None:
        analysis = read_to_the_end(file, lambda: analyse(file))
        click.echo(_shown(analysis, form), nl=False)
    else:
        from anechoic.captures.output.keeping import check_free
        from anechoic.captures.output.twice import readable_twice

        also = ["scipy"] if log else []
        check_installed("--signal" if log else "--out", "matplotlib", "pyarrow", *also)
        # What is captured just now shall not be refused when it ends.
        check_free(out, file)
        with readable_twice(file) as path:
            # Nor wait until all is loaded that draws.
            from anechoic.captures.html.page_tables import regimes_line
            from anechoic.captures.output.folder import write_folder

            analysis = analyse(path, file=file)
            report = write_folder(analysis, out, log, offset_s)
        click.echo(_shown(analysis, form), nl=False)
        shown = [regimes_line(analysis.losses()), f"report: {report}"]
        (say if form else click.echo)("\n" + "\n".join(line for line in shown if line))
    for warning in analysis.warnings:
        say(f"warning: {file}: {warning_text(warning)}")


def _shown(analysis: "Analysis", form: str | None) -> str:
    from anechoic.captures.screen.screen import text

    match form:
        case "json":
            return analysis.to_json()
        case "csv":
            return analysis.to_csv()
        case "tstat":
            return analysis.tstat_log
        case _:
            return plain(text(analysis)) + "\n"
