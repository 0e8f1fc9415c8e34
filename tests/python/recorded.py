"""What a run has left: its tables, and what tshark says of its captures."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np


def table_of(record: Any, name: str) -> dict[str, Any]:
    """Give the columns of a table of a record."""
    columns = {}
    for column, (kind, values, dictionary) in record.tables()[name].items():
        if kind == "f64":
            columns[column] = np.frombuffer(values, "<f8")
        else:
            columns[column] = [dictionary[at] for at in np.frombuffer(values, "<u4")]
    return columns


def tshark(file: Path, *arguments: str) -> list[str]:
    """Give the lines that tshark prints of a file."""
    command = ["tshark", "-r", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
