"""The files that the results of a campaign leave in its folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign.results import Results
from anechoic.campaign.store import RESULTS
from anechoic.files import flush_names, write_parquet, write_whole

if TYPE_CHECKING:
    import pyarrow


def write_results(results: Results, root: Path) -> None:
    """Write the results document, the table of all summaries and that of all values."""
    write_whole(root / RESULTS, results.to_json().encode())
    write_whole(root / "results.csv", results.to_csv().encode())
    write_parquet(root / "metrics.parquet", results.records())
    if results.scenario.run.tcp_info_step is not None:
        write_whole(root / "connections.csv", _csv(results.connections()))
    flush_names(root)


def _csv(table: "pyarrow.Table") -> Any:
    import pyarrow
    import pyarrow.csv

    buffer = pyarrow.BufferOutputStream()
    pyarrow.csv.write_csv(table, buffer)
    return buffer.getvalue()
