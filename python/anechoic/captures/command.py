"""The command that tells what happened to the TCP connections of a capture file."""

import json

import click

from anechoic.exits import guarded


@click.command("analyse")
@click.argument("file", metavar="FILE|-")
@click.option("--json", "is_json", is_flag=True, help="Write everything as one JSON document.")
@click.option("--tstat", "is_tstat", is_flag=True, help="Write the log of Tstat's TCP connections.")
def analyse_command(file: str, is_json: bool, is_tstat: bool) -> None:
    """Tell what happened to the TCP connections of a capture file.

    Reads pcap and pcapng, also compressed by gzip or zstd, of Ethernet, Linux cooked, raw IP and
    802.11 captures.
    """
    guarded(lambda: _tell(file, is_json, is_tstat))


def _tell(file: str, is_json: bool, is_tstat: bool) -> None:
    from anechoic.captures.analysis import analyse
    from anechoic.captures.table import text

    analysis = analyse(file)
    if is_json:
        click.echo(json.dumps(analysis.document))
    elif is_tstat:
        click.echo(analysis.tstat_log, nl=False)
    else:
        click.echo(text(analysis))
    for warning in analysis.warnings:
        facts = ", ".join(f"{key} {value}" for key, value in warning.items() if key != "kind")
        click.echo(f"warning: {file}: {warning['kind']} ({facts})", err=True)
