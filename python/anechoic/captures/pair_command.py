"""What the command line does with two captures of one path."""

import io
import json
from pathlib import Path

import click
import pyarrow as pa
from pyarrow import csv

from anechoic.captures.notes import warning_text
from anechoic.captures.pair import Pair, compare_captures
from anechoic.captures.pair_table import text
from anechoic.files import write_parquet, write_whole
from anechoic.saying import say
from anechoic.scenario.errors import Problem, ScenarioError


def tell_pair(first: str, second: str, form: str | None, out: Path | None) -> None:
    """Compare two captures; show what they tell, and keep it in a folder if there is one."""
    pair = compare_captures(first, second, packets=form == "csv" or out is not None)
    click.echo(_shown(pair, form), nl=False)
    if out is not None:
        _write(pair, out)
        (say if form else click.echo)(f"\nevery packet: {out / 'packets.parquet'}")
    for file, capture in zip(pair.files, pair.document["captures"], strict=True):
        for warning in capture["warnings"]:
            say(f"warning: {file}: {warning_text(warning)}")


def _shown(pair: Pair, form: str | None) -> str:
    match form:
        case "json":
            return json.dumps(pair.document) + "\n"
        case "csv":
            return _csv(pair.packets)
        case _:
            return text(pair) + "\n"


def _csv(table: pa.Table) -> str:
    plain = table.cast(
        pa.schema(
            (field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
            for field in table.schema
        )
    )
    written = io.BytesIO()
    csv.write_csv(plain, written)
    return written.getvalue().decode()


def _write(pair: Pair, out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / "pair.json", (json.dumps(pair.document, indent=2) + "\n").encode())
        write_whole(out / "pair.txt", (text(pair) + "\n").encode())
        write_parquet(out / "packets.parquet", pair.packets)
        write_parquet(out / "over_time.parquet", pair.over_time)
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise ScenarioError(str(out), [Problem("", reason, "a folder to write to")]) from None
