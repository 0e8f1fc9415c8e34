"""The folder of an analysis: tables, logs, graphs, figures and the report.

capture.json             which capture it tells of, by which build, and the files here
report.html              one page that needs no other file
analysis.json            everything, as `anechoic analyse --json`
connections.csv          a row for each connection; and as .parquet
transfers.csv            a row for each transfer; and as .parquet
losses.csv               a row for each loss; and as .parquet
stations.csv             a row for each station and direction; and as .parquet
signal.csv               the transfers with the signal during each, if a log was given
log_tcp_complete         Tstat's log
segments/N.parquet       a row for each segment of connection N, of the most telling ones
xplot/N_SENDER.xpl       its time–sequence graph, for xplot
figures/*.svg, *.png     the figures of the page
"""

from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.captures.analysis import Analysis
from anechoic.captures.output.keeping import begin, check_free, refused
from anechoic.captures.output.xplot import time_sequence_graph
from anechoic.captures.tables.parquet import write_parquet
from anechoic.captures.tables.rows import csv_text
from anechoic.captures.text.ends import title
from anechoic.captures.verdicts.telling import telling
from anechoic.captures.wifi.tables import TABLES
from anechoic.files import write_whole

if TYPE_CHECKING:
    import pyarrow

_SOMETIMES = (
    *("figures/*.svg", "figures/*.png", "segments/*.parquet", "xplot/*.xpl"),
    *("wifi/*.csv", "wifi/*.parquet", "signal.csv", "signal.parquet"),
)
"""Files that not every analysis writes."""


def write_folder(
    analysis: Analysis, out: Path, log: str | None = None, offset_s: float = 0.0
) -> Path:
    """Write everything into a folder, and give the report's path.

    ``log`` is one of signal levels, ``offset_s`` what is added to its times to have the capture's.
    """
    check_free(out, analysis.file)
    joined = None if log is None else analysis.signal(log, offset_s)
    try:
        out.mkdir(parents=True, exist_ok=True)
        begin(out, analysis.file, _SOMETIMES)
        _write_tables(analysis, joined, out)
        _write_traces(analysis, out)
        return _write_report(analysis, out, joined, log, offset_s)
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise refused(out, reason, "a folder to write to") from None


def _write_tables(analysis: Analysis, joined: "pyarrow.Table | None", out: Path) -> None:
    tables = {
        "connections": analysis.connections(),
        "transfers": analysis.transfers(),
        "losses": analysis.losses(),
        "stations": analysis.stations(),
    }
    if joined is not None:
        tables["signal"] = joined
    if analysis.document["wifi"] is not None:
        (out / "wifi").mkdir(exist_ok=True)
        tables |= {f"wifi/{name}": analysis.wifi(name) for name in TABLES}
    for name, table in tables.items():
        write_whole(out / f"{name}.csv", csv_text(table).encode())
        write_parquet(out / f"{name}.parquet", table)
    write_whole(out / "analysis.json", analysis.to_json().encode())
    write_whole(out / "log_tcp_complete", analysis.tstat_log.encode())


def _write_traces(analysis: Analysis, out: Path) -> None:
    connections = analysis.document["connections"]
    numbers = telling(connections)
    analysis.trace(numbers)
    for folder in ("segments", "xplot"):
        (out / folder).mkdir(exist_ok=True)
    for number in numbers:
        segments = analysis.segments(number)
        write_parquet(out / "segments" / f"{number}.parquet", segments)
        for sender in ("client", "server"):
            if connections[number - 1][sender]["packets_data"]:
                # xplot knows no letters beyond ASCII.
                ends = title(connections[number - 1]).replace("→", "->")
                name = f"{ends}: from the {sender}"
                graph = time_sequence_graph(segments, sender, name)
                write_whole(out / "xplot" / f"{number}_{sender}.xpl", graph.encode())


def _write_report(
    analysis: Analysis,
    out: Path,
    joined: "pyarrow.Table | None",
    log: str | None,
    offset_s: float,
) -> Path:
    # Drawing takes long to load: what is refused at once shall not wait for it.
    from anechoic.captures.page.page import SignalLog, write_page
    from anechoic.captures.signal.log import read_signal_log

    if joined is None or log is None:
        return write_page(analysis, out, None)
    return write_page(analysis, out, SignalLog(log, read_signal_log(log), offset_s, joined))
