"""Tables as comma-separated text."""

import csv
import io
from typing import TYPE_CHECKING, Any

from anechoic.csv_text import harmless

if TYPE_CHECKING:
    import pyarrow


def csv_text(table: "pyarrow.Table") -> str:
    """Give a header and a line for each row; what has no value is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    columns = [column.to_pylist() for column in table.columns]
    writer.writerows([_shown(value) for value in row] for row in zip(*columns, strict=True))
    return text.getvalue()


def _shown(value: Any) -> Any:
    if isinstance(value, list):
        return " ".join(f"{block['start']}-{block['end']}" for block in value)
    return harmless(value)
