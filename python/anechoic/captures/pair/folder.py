"""The folder of two captures of one path: tables, figures and the report.

capture.json             which captures it tells of, and by which build
report.html              one page that needs no other file
analysis.json            everything, as `anechoic analyse --json`
packets.csv              a row for each packet and what became of it; and as .parquet
losses.csv               those that were lost; and as .parquet
over_time.csv            delays and losses of each way over time; and as .parquet
connections.csv          a row for each connection that both captures have; and as .parquet
figures/*.svg, *.png     the figures of the page
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.captures.output.keeping import begin, check_free, refused
from anechoic.captures.pair.comparison import Pair
from anechoic.captures.pair.connections import connections_table
from anechoic.captures.tables.parquet import write_parquet
from anechoic.captures.tables.rows import csv_text
from anechoic.files import write_whole

if TYPE_CHECKING:
    import pyarrow

_SOMETIMES = ("figures/*.svg", "figures/*.png")
"""Files that not every pair of captures gives."""


def write_folder(pair: Pair, out: Path) -> Path:
    """Write everything into a folder, and give the report's path; needs every packet."""
    captures = list(pair.files)
    check_free(out, captures)
    # Drawing takes long to load: what is refused at once shall not wait for it.
    from anechoic.captures.pair.page import write_page

    connections = connections_table(pair)
    try:
        out.mkdir(parents=True, exist_ok=True)
        begin(out, captures, _SOMETIMES)
        write_whole(out / "analysis.json", pair.to_json().encode())
        write_whole(out / "connections.csv", csv_text(connections).encode())
        write_parquet(out / "connections.parquet", connections)
        tables = {"packets": pair.packets, "losses": pair.losses, "over_time": pair.over_time}
        for name, table in tables.items():
            write_whole(out / f"{name}.csv", packets_csv(table))
            write_parquet(out / f"{name}.parquet", table)
        return write_page(pair, connections, out)
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise refused(out, reason, "a folder to write to") from None


def packets_csv(table: "pyarrow.Table") -> bytes:
    """Give a header and a line for each of many rows without free text."""
    import pyarrow as pa
    from pyarrow import csv

    plain = table.cast(
        pa.schema(
            (field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
            for field in table.schema
        )
    )
    written = io.BytesIO(",".join(table.column_names).encode() + b"\n")
    written.seek(0, io.SEEK_END)
    csv.write_csv(plain, written, csv.WriteOptions(include_header=False, quoting_style="none"))
    return written.getvalue()
