"""What the command line does with two captures of one path."""

from pathlib import Path

import click

from anechoic.captures.doubts.notes import warning_text
from anechoic.captures.output.keeping import check_free
from anechoic.captures.pair.comparison import Pair, compare_captures
from anechoic.captures.pair.folder import packets_csv, write_folder
from anechoic.captures.pair.screen import text
from anechoic.libraries import check_installed
from anechoic.saying import plain, say


def tell_pair(first: str, second: str, form: str | None, out: Path | None) -> None:
    """Compare two captures; show what they tell, and keep it in a folder if there is one."""
    if form == "csv":
        check_installed("--csv", "pyarrow")
    if out is not None:
        check_installed("--out", "matplotlib", "pyarrow")
        check_free(out, [first, second])
    pair = compare_captures(first, second, packets=form == "csv" or out is not None)
    click.echo(_shown(pair, form), nl=False)
    if out is not None:
        report = write_folder(pair, out)
        (say if form else click.echo)(f"\nreport: {report}")
    for file, capture in zip(pair.files, pair.document["captures"], strict=True):
        for warning in capture["warnings"]:
            say(f"warning: {file}: {warning_text(warning)}")


def _shown(pair: Pair, form: str | None) -> str:
    match form:
        case "json":
            return pair.to_json()
        case "csv":
            return packets_csv(pair.packets).decode()
        case _:
            return plain(text(pair)) + "\n"
