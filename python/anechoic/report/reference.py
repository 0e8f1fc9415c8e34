"""The reference page of metrics, series and timing records, written from the catalogue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anechoic.report.tcp_info import COUNTS, FIELDS, SAMPLE
from anechoic.scenario.catalogue import (
    AIRTIME_CATEGORIES,
    AIRTIME_CONTENTS,
    OF_FLOW,
    OF_NODE,
    OF_STAGE,
    OF_WIRE,
    TOTALS,
    Metric,
    metric,
)
from anechoic.scenario.kinds import TRAFFIC
from anechoic.scenario.metrics import FLOW, of_app

INTRODUCTION = """\
# Metrics

Every number that a run gives. This page is written by `make docs` from the catalogue that labels
figures and tables; [Results](../results.md) says where the numbers are kept.

All counts and times are those of the measured window: from the end of the warm-up
(`run.warmup`) to the end of the run. A metric that a replication has no value for is missing from
its record, or not a number there: a mean RTT where none was measured, a ratio over nothing. Means
over replications leave it out, and `n` says how many remain. Capital letters in a name stand for
names of yours. A flow is called by its traffic with a number from 1 on, `download-1`; a station
of a group by the group with a number, `laptop-1`.
"""

AIRTIME_NOTE = """\
What every nanosecond of the channel was spent on: the categories exclude each other and add up to
`measured_s`. There are two metrics for each: `airtime.CATEGORY_s` in seconds, and
`airtime.CATEGORY_share`, the same over `measured_s`, from 0 to 1 (reports show percent).
"""

CONTENT_NOTE = """\
The airtime of data frames, preambles included, by the TCP segments they carried. Frames that the
MAC sent again count again, and of frames that overlapped each counts, so these need not fit into
the ledger.
"""

SERIES_NOTE = """\
With `run.series_step` each replication has a table with a row for every step, counted from the end
of the warm-up. An incomplete last step is left out.
"""

TCP_INFO_NOTE = """\
With `run.tcp_info_step` each replication has a table of what Linux's TCP_INFO (`ss -ti`) would say
of every connection: a row for each step from the start of the run, and one at its end, for both
ends of each connection that has been opened. Counts run from the opening of the connection, the
warm-up included. The last five columns say why segments were sent again; Linux counts these for a
whole host, under the names in brackets.
"""

TIMING_NOTE = """\
Flows of `chariot-throughput` give a row for every timing record completed in the measured window,
as the console of the original does. The table of other traffic is empty.
"""


UNITS = ("s", "share")
WIRES = (
    *(f"wire.WIRE.{what}.END" for what in OF_WIRE),
    *(f"wire.WIRE.STAGE.{what}.END" for what in OF_STAGE),
)
HEAD = ("metric", "unit", "definition")
COLUMN_HEAD = ("column", "unit", "definition")


@dataclass(frozen=True)
class Column:
    """A column of a table that a replication leaves."""

    name: str
    unit: str
    definition: str


SERIES = (
    Column("time_s", "s", "end of the step, from the start of the run"),
    Column("flow.FLOW.goodput_mbps", "Mbit/s", "application bytes received in the step"),
    Column("flow.FLOW.rtt_ms", "ms", "mean of the round-trip times of the step; NaN without any"),
    Column(
        "flow.FLOW.cwnd_bytes",
        "bytes",
        "the sender's congestion window at the end of the step (TCP); NaN before it opens",
    ),
    Column(
        "node.NODE.queue_packets",
        "packets",
        "interface queue at the end of the step, the packet in service included",
    ),
    Column("airtime.CATEGORY_share", "", "share of the step that the category took"),
)

TCP_INFO = tuple(
    Column(name, unit, definition)
    for name, (unit, definition) in {**SAMPLE, **FIELDS, **COUNTS}.items()
)

TIMING = (
    Column("flow", "", "the flow's name"),
    Column("index", "", "the record's place among those of its flow, from 0 on"),
    Column("start_s", "s", "beginning of its first transaction, from the start of the run"),
    Column("elapsed_s", "s", "from there to the last confirmation"),
    Column("bytes", "bytes", "file bytes of its transactions"),
)


def page() -> str:
    """Give the page as Markdown."""
    parts = [
        INTRODUCTION,
        _section("The whole run", "", _totals("measured_s", "goodput", "connections", "rtt")),
        _section("TCP", "Sums over both ends of all connections.", _totals("tcp.")),
        _section("The MAC", "Sums over all radios.", _totals("mac.", "collision")),
        _section("Airtime ledger", AIRTIME_NOTE, _airtime(AIRTIME_CATEGORIES)),
        _section("Airtime by content", CONTENT_NOTE, _airtime(AIRTIME_CONTENTS)),
        _section("Each flow", "", _flow_rows(), ("metric", "unit", "flows", "definition")),
        _section("Each access point and station", "", _own_rows("node.NODE", OF_NODE)),
        _section(
            "Each wire",
            "`END` is the node that sends, `STAGE` one of the wire's impairments.",
            _wire_rows(),
        ),
        _section("Time series", SERIES_NOTE, _columns(SERIES), COLUMN_HEAD),
        _section("TCP_INFO", TCP_INFO_NOTE, _columns(TCP_INFO), COLUMN_HEAD),
        _section("Timing records", TIMING_NOTE, _columns(TIMING), COLUMN_HEAD),
    ]
    return "\n".join(parts)


def patterns() -> list[str]:
    """Give the names of all metrics on the page, with capitals for what a scenario names."""
    return [
        *TOTALS,
        *(f"airtime.{category}_{unit}" for category in AIRTIME_CATEGORIES for unit in UNITS),
        *(f"airtime.{content}_s" for content in AIRTIME_CONTENTS),
        *(f"flow.FLOW.{name}" for name in OF_FLOW),
        *(f"node.NODE.{name}" for name in OF_NODE),
        *WIRES,
    ]


def _totals(*beginnings: str) -> list[Sequence[str]]:
    return [_row(metric(name)) for name in TOTALS if name.startswith(beginnings)]


def _own_rows(prefix: str, names: Iterable[str]) -> list[Sequence[str]]:
    return [_row(metric(f"{prefix}.{name}")) for name in names]


def _wire_rows() -> list[Sequence[str]]:
    return [_row(metric(name)) for name in WIRES]


def _flow_rows() -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for name in OF_FLOW:
        own = metric(f"flow.FLOW.{name}")
        apps = [f"`{app}`" for app in TRAFFIC if name in FLOW or name in of_app(app)]
        flows = "all" if len(apps) == len(TRAFFIC) else ", ".join(apps)
        rows.append((f"`{own.name}`", own.unit, flows, own.description))
    return rows


def _airtime(categories: dict[str, tuple[str, str]]) -> list[Sequence[str]]:
    units = UNITS if categories is AIRTIME_CATEGORIES else UNITS[:1]
    return [
        (", ".join(f"`airtime.{name}_{unit}`" for unit in units), "s", description)
        for name, (_, description) in categories.items()
    ]


def _columns(columns: Iterable[Column]) -> list[Sequence[str]]:
    return [(f"`{column.name}`", column.unit, column.definition) for column in columns]


def _row(described: Metric) -> Sequence[str]:
    return f"`{described.name}`", described.unit, described.description


def _section(
    heading: str, lead: str, rows: Iterable[Sequence[str]], head: Sequence[str] = HEAD
) -> str:
    lines = [head, ["---"] * len(head), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join(filter(None, [f"## {heading}\n", lead and f"{lead.rstrip()}\n", f"{table}\n"]))
