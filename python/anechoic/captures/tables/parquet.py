"""Tables of captures as Parquet files."""

from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.files import write_whole

if TYPE_CHECKING:
    import pyarrow


def write_parquet(path: Path, table: "pyarrow.Table") -> None:
    """Write a table as a file that appears whole or not at all."""
    import pyarrow
    import pyarrow.parquet

    buffer = pyarrow.BufferOutputStream()
    # Measured values seldom repeat: looking for those that do takes as long as writing them.
    few = [each.name for each in table.schema if not pyarrow.types.is_floating(each.type)]
    how = {"compression": "zstd", "use_dictionary": few, "write_page_checksum": True}
    pyarrow.parquet.write_table(table, buffer, **how)
    write_whole(path, buffer.getvalue())
