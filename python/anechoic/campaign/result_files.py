"""The files that the results of a campaign leave in its folder."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from anechoic.campaign import checksums
from anechoic.campaign.checksums import ENDING
from anechoic.campaign.results import Results
from anechoic.campaign.store import RESULTS
from anechoic.csv_text import csv_text
from anechoic.files import appearing_whole, flush_names
from anechoic.tables.parquet import write_tables
from anechoic.tables.table import Table

CONNECTIONS = "connections.csv"
LIST = f"results{ENDING}"
_WRITERS: dict[str, Callable[[Results, BinaryIO], Any]] = {
    RESULTS: lambda results, file: file.writelines(map(str.encode, results.json_parts())),
    "results.csv": lambda results, file: file.writelines(map(str.encode, results.csv_parts())),
    "metrics.parquet": lambda results, file: write_tables(file, results.records_parts()),
    CONNECTIONS: lambda results, file: file.write(_csv(results.samples_of_the_end())),
}


def write_results(results: Results, root: Path) -> None:
    """Write the results document, the table of all summaries and that of all values.

    The list of their checksums comes last: where it agrees, all was written.
    """
    sums = {}
    for name, write in _WRITERS.items():
        if name in _names(results):
            with appearing_whole(root / name) as file:
                write(results, file)
            sums[name] = checksums.of_file(root / name)
    checksums.write_list(root / LIST, sums)
    flush_names(root)


def are_written(results: Results, root: Path) -> bool:
    """Say whether a folder has all of the files, as they were written."""
    return checksums.are_whole(root / LIST, _names(results))


def _names(results: Results) -> list[str]:
    has_samples = results.scenario.run.tcp_info_step is not None
    return [name for name in _WRITERS if name != CONNECTIONS or has_samples]


def _csv(table: Table) -> bytes:
    return csv_text(chain([list(table.columns)], table.rows())).encode()
