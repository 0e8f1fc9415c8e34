"""When stations changed their access point or agent, in the steps of a time series."""

import numpy

from anechoic.campaign.results import Results
from anechoic.report.each import each_of
from anechoic.tables.table import Floats

_TABLES = {"roams": "left_s", "handovers": "found_s"}
"""Tables with a row for each change of a station, and when that began."""


def moves_of(results: Results, place: int, times: Floats) -> dict[str, Floats]:
    """Give how often a cell's stations moved in each step of each replication.

    The names are those of series: of each station that moved (``node.laptop.roams``) and of the
    flows that end at it (``flow.down-1.roams``).
    """
    counted = {
        (station, table): counts
        for table in _TABLES
        for station, counts in _counts(results, place, times, table).items()
    }
    if not counted:
        return {}
    members = each_of(results, "station").members
    found: dict[str, Floats] = {}
    for (station, table), counts in counted.items():
        # A machine that was measured may be a host of the scenario.
        own = members[station][place] if station in members else [f"node.{station}"]
        for member in own:
            found[f"{member}.{table}"] = found.get(f"{member}.{table}", 0.0) + counts
    return found


def _counts(results: Results, place: int, times: Floats, table: str) -> dict[str, Floats]:
    """Give for each station that has rows how many fall into each step of each replication."""
    cell = results.cells[place]
    # Each step ends at its time.
    edges = numpy.concatenate([[2 * times[0] - times[1]], times])
    found: dict[str, Floats] = {}
    for replication in range(cell.replications):
        try:
            rows = results.stored(cell, replication, table)
        except LookupError:
            continue
        at = rows[_TABLES[table]]
        for station in dict.fromkeys(rows["station"].tolist()):
            counts = found.setdefault(station, numpy.zeros((cell.replications, len(times))))
            counts[replication] = numpy.histogram(at[rows["station"].are(station)], edges)[0]
    return found
