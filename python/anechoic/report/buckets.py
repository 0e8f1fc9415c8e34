"""Distributions read back: how often each value was measured in all replications of a cell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy

from anechoic.campaign.cells import Cell
from anechoic.campaign.results import Results
from anechoic.tables.table import Floats, Table, joined

Named = dict[str, "Buckets"]
"""Distributions by their full names, such as ``flow.probe-1.rtt_ms``."""


@dataclass(frozen=True)
class Buckets:
    """Buckets in the order of their values, and how many values were in each."""

    froms: Floats
    tos: Floats
    counts: Floats

    def quantiles(self, shares: Sequence[float]) -> Floats:
        """Give the least values that these shares of all, from 0 to 1, do not exceed.

        Each is the middle of its bucket: at most 0.4 % off.
        """
        reached = numpy.cumsum(self.counts)
        wanted = numpy.asarray(shares, dtype=float) * reached[-1]
        # A share of 0.95 times 20 is a little more than 19.
        places = numpy.searchsorted(reached, wanted * (1 - 1e-12))
        middles = (self.froms + self.tos) / 2
        found: Floats = middles[numpy.minimum(places, len(middles) - 1)]
        return found

    def shares(self, xs: Floats) -> Floats:
        """Give the share of all, from 0 to 1, that is at most each of these values."""
        reached = numpy.concatenate([[0.0], numpy.cumsum(self.counts)])
        found: Floats = reached[numpy.searchsorted(self.tos, xs, side="right")] / reached[-1]
        return found


def merged(several: Iterable[Buckets]) -> Buckets | None:
    """Give several distributions of one quantity as one; None of none."""
    found = list(several)
    if len(found) < 2:
        return found[0] if found else None
    froms, tos, counts = (
        numpy.concatenate([getattr(each, part) for each in found])
        for part in ("froms", "tos", "counts")
    )
    lows, first, place = numpy.unique(froms, return_index=True, return_inverse=True)
    return Buckets(lows, tos[first], numpy.bincount(place, weights=counts).astype(float))


def distributions_of(results: Results, cell: Cell) -> Named:
    """Read all distributions of a cell, its replications merged; none where none are kept."""
    if results.out is None or not results.scenario.run.distributions:
        return {}
    tables = []
    for replication in range(cell.replications):
        try:
            tables.append(results.stored(cell, replication, "distributions"))
        except LookupError:
            continue
    return _by_name(joined(tables)) if tables else {}


def _by_name(table: Table) -> Named:
    known, codes = table["distribution"].names, table["distribution"].codes.astype(int)
    froms, tos, counts = table["from"], table["to"], table["count"]
    order = numpy.lexsort((froms, codes))
    codes, froms, tos = codes[order], froms[order], tos[order]
    # Where another bucket begins, and where another distribution does.
    is_next = (numpy.diff(codes) != 0) | (numpy.diff(froms) != 0)
    first = numpy.concatenate([[0], numpy.flatnonzero(is_next) + 1])
    counted = numpy.add.reduceat(counts[order].astype(float), first)
    codes, froms, tos = codes[first], froms[first], tos[first]
    edges = [0, *(numpy.flatnonzero(numpy.diff(codes)) + 1).tolist(), len(codes)]
    return {
        known[codes[begin]]: Buckets(froms[begin:end], tos[begin:end], counted[begin:end])
        for begin, end in pairwise(edges)
    }
