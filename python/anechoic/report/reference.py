"""The reference page of metrics, series and timing records, written from the catalogue."""

from collections.abc import Iterable, Sequence

from anechoic.scenario.catalogue import (
    Column,
    Metric,
    metrics,
    percentiles_of,
    quantities,
    radio_columns,
    table_columns,
)
from anechoic.scenario.kinds import TRAFFIC

INTRODUCTION = """\
# Metrics

Every number that a run gives. This page is written by `make docs` from what the core declares
beside its counters; [Results](../results.md) says where the numbers are kept.

All counts and times are those of the measured window: from the end of the warm-up
(`run.warmup`) to the end of the run. A metric that a replication has no value for is missing from
its record, or not a number there: a mean RTT where none was measured, a ratio over nothing. Means
over replications leave it out, and `n` says how many remain. Capital letters in a name stand for
names of yours. A flow is called by its traffic with a number from 1 on, `download-1`; a station
of a group by the group with a number, `laptop-1`.

A `[window.NAME]` of the scenario has all of these metrics for its part of the measured window,
under their names with `@NAME` behind: `goodput_mbps@before`. The counts of windows that adjoin add
up. A window that never begins has none.
"""

AIRTIME_NOTE = """\
What every nanosecond of the channel was spent on: the categories exclude each other and add up to
`measured_s`. There are two metrics for each: `airtime.CATEGORY_s` in seconds, and
`airtime.CATEGORY_share`, the same over `measured_s`, from 0 to 1 (reports show percent).
"""

CONTENT_NOTE = """\
The airtime of data frames, preambles included, by the TCP segments they carried. Frames that the
MAC retransmitted count again, and of frames that overlapped each counts, so these need not fit into
the ledger.
"""

DISTRIBUTIONS_NOTE = """\
How long what happens takes is counted in buckets every single time, unless `run.distributions` is
false. Of each of these there are four metrics, `_p50`, `_p95`, `_p99` and `_p999` behind its unit
(`flow.FLOW.rtt_ms_p99`, `wire.WIRE.queue_ms_p99_from.END`): the least value that 50, 95, 99 and
99.9 % of all do not exceed, at most 0.4 % off. `[[figure]]` draws them all with `kind = "cdf"` or
`"box"`. Those of all flows together have no owner in their name.
"""

BUCKETS_NOTE = """\
Each replication has a table with a row for every bucket that is not empty, over the whole measured
time. Buckets of the same bounds add up over replications, flows and nodes.
"""

SERIES_NOTE = """\
Each replication has these values for every step of `run.series_step`, counted from the end of the
warm-up, unless `run.time_series` is false. An incomplete last step is left out. `END` is the node
that sends. `Results.series` gives a column for each; the file has a row for each value, its columns
`time_s`, `series` and `value`.
"""

TCP_INFO_NOTE = """\
With `run.tcp_info_step` each replication has a table of what Linux's TCP_INFO (`ss -ti`) would say
of every connection: a row for each step from the start of the run, and one at its end, for both
ends of each connection that has been opened. Counts run from the opening of the connection, the
warm-up included. The last five columns say why segments were retransmitted; Linux counts these for
a whole host, under the names in brackets.
"""

TIMING_NOTE = """\
Flows of `chariot-throughput` give a row for every timing record completed in the measured window,
as the console of the original does.
"""

TRANSFERS_NOTE = """\
A row for both ends of every connection, those that have ended first, in the order of their ends.
"""

DATAGRAMS_NOTE = """\
With `run.datagrams` each replication has a table with a row for every UDP datagram and every ping,
from the start of the run, in the order in which they were sent.
"""

ROAMS_NOTE = """\
A row for each time that a station with a table `association` left an access point, from the start
of the run: `Results.roams`. Figures over time mark `left_s` on single runs.
"""

HANDOVERS_NOTE = """\
A row for each change of a mobile node's agent, from the start of the run: `Results.handovers`.
Figures over time mark `found_s` on single runs.
"""

RATES_NOTE = """\
A row for each rate to each receiver, of a radio whose rate control is `minstrel` or `minstrel-ht`,
as they are at the end of the run: `anechoic explain FOLDER` prints them as `rc_stats` of Linux.
"""

STATIONS_NOTE = """\
A row for each station of a queue `mac80211`: what waits at the end of the run, and what has been
done from its start. `anechoic explain FOLDER` prints them as `aqm` and `airtime` of Linux.
"""

ATTEMPTS_NOTE = """\
With `run.attempts` each replication has a table with a row for every data frame to one receiver
and every RTS, from the start of the run, in the order of their ends.
"""

RADIOS_NOTE = """\
Of [real machines](../measure.md#wi-fi) whose flows leave by a radio; `node` says whose it is. What
a driver does not tell is not a number.
"""

SURVEYS_NOTE = "Of the same radios, where the driver surveys its channel; with `node`."

EVENTS_NOTE = "Of the same radios, where the kernel lets an endpoint hear of it; with `node`."


HEAD = ("metric", "unit", "definition")
QUANTITY_HEAD = ("quantity", "unit", "definition")
COLUMN_HEAD = ("column", "unit", "definition")
FLOW_HEAD = ("metric", "unit", "flows", "definition")
TABLES = (
    ("Buckets of distributions", BUCKETS_NOTE, "distributions"),
    ("Time series", SERIES_NOTE, "series"),
    ("TCP_INFO", TCP_INFO_NOTE, "tcp_info"),
    ("Timing records", TIMING_NOTE, "timing"),
    ("Transfers", TRANSFERS_NOTE, "transfers"),
    ("Datagrams", DATAGRAMS_NOTE, "datagrams"),
    ("Attempts of MACs", ATTEMPTS_NOTE, "attempts"),
    ("Changes of access point", ROAMS_NOTE, "roams"),
    ("Handovers of Mobile IP", HANDOVERS_NOTE, "handovers"),
    ("Rates of Minstrel", RATES_NOTE, "rc_stats"),
    ("Stations of mac80211", STATIONS_NOTE, "station_queues"),
)


RADIO_TABLES = (
    ("Stations of real radios", RADIOS_NOTE, "stations"),
    ("Channels of real radios", SURVEYS_NOTE, "surveys"),
    ("Events of real radios", EVENTS_NOTE, "radio_events"),
)


def page() -> str:
    """Give the page as Markdown."""
    run, channel = _of("run"), _of("channel")
    tcp = [each for each in run if each.name.startswith("tcp.")]
    airtime = [each for each in channel if each.name.startswith("airtime.")]
    content = [each for each in airtime if each.name.startswith("airtime.tcp_")]
    parts = [
        INTRODUCTION,
        _section("The whole run", "", _rows(_without(run, tcp))),
        _section("TCP", "Sums over both ends of all connections.", _rows(tcp)),
        _section("The MAC", "Sums over all radios.", _rows(_without(channel, airtime))),
        _section("Airtime ledger", AIRTIME_NOTE, _ledger(_without(airtime, content))),
        _section("Airtime by content", CONTENT_NOTE, _rows(content)),
        _section("Each flow", "", _flow_rows(), FLOW_HEAD),
        _section("Each access point and station", "", _rows(_of("node"))),
        _section(
            "Each wire",
            "`END` is the node that sends, `STAGE` one of the wire's impairments.",
            _rows(_of("wire")),
        ),
        _section("Each segment", "`END` is a node that shares it.", _rows(_of("segment"))),
        _section("Distributions", DISTRIBUTIONS_NOTE, _rows(quantities()), QUANTITY_HEAD),
        *(
            _section(heading, note, _columns(table_columns(name)), COLUMN_HEAD)
            for heading, note, name in TABLES
        ),
        *(
            _section(heading, note, _columns(radio_columns(name)), COLUMN_HEAD)
            for heading, note, name in RADIO_TABLES
        ),
    ]
    return "\n".join(parts)


def _of(scope: str) -> list[Metric]:
    """Give the metrics of a scope but percentiles, which the page has at their quantities."""
    told = {name for each in quantities() for name in percentiles_of(each.name)}
    return [each for each in metrics() if each.scope == scope and each.name not in told]


def _without(all_of_them: Iterable[Metric], others: Sequence[Metric]) -> list[Metric]:
    return [each for each in all_of_them if each not in others]


def _rows(described: Iterable[Metric]) -> list[Sequence[str]]:
    return [(f"`{each.name}`", each.unit, each.description) for each in described]


def _flow_rows() -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for each in _of("flow"):
        is_of_all = len(each.traffic) == len(TRAFFIC)
        flows = "all" if is_of_all else ", ".join(f"`{name}`" for name in each.traffic)
        rows.append((f"`{each.name}`", each.unit, flows, each.description))
    return rows


def _ledger(described: Sequence[Metric]) -> list[Sequence[str]]:
    """Give a row for each use of airtime: its seconds and its share."""
    seconds = [each for each in described if each.name.endswith("_s")]
    return [
        (f"`{each.name}`, `{each.name.removesuffix('_s')}_share`", each.unit, each.description)
        for each in seconds
    ]


def _columns(columns: Iterable[Column]) -> list[Sequence[str]]:
    return [(f"`{column.name}`", column.unit, column.description) for column in columns]


def _section(
    heading: str, lead: str, rows: Iterable[Sequence[str]], head: Sequence[str] = HEAD
) -> str:
    lines = [head, ["---"] * len(head), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join(filter(None, [f"## {heading}\n", lead and f"{lead.rstrip()}\n", f"{table}\n"]))
