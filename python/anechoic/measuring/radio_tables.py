"""The tables of what radios were like, and of their changes of access point."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import nan

import numpy

from anechoic.measuring.columns import Columns, ordered, reals, texts
from anechoic.measuring.logs import Rows
from anechoic.measuring.radios import EVENTS, STATIONS, SURVEYS, Radio
from anechoic.measuring.roaming import BEACONS_MISSED, DEAUTHENTICATED, UNKNOWN, Change
from anechoic.scenario.catalogue import radio_columns

_WHY = [DEAUTHENTICATED, BEACONS_MISSED, UNKNOWN]


def radio_tables(radios: Sequence[Radio]) -> Iterator[tuple[str, Columns]]:
    """Give the tables that have rows, by their names."""
    for name, of_each in (
        (STATIONS, [radio.stations for radio in radios]),
        (SURVEYS, [radio.surveys for radio in radios]),
        (EVENTS, [radio.events for radio in radios]),
    ):
        if any(map(len, of_each)):
            yield name, ordered(_table(name, [radio.node for radio in radios], of_each))
    changes = [(radio.node, change) for radio in radios for change in radio.changes()]
    if changes:
        yield "roams", _roams(sorted(changes, key=lambda each: each[1].left_s))


def _table(name: str, nodes: list[str], of_each: Sequence[Rows]) -> Columns:
    rows = numpy.concatenate(of_each)
    places = numpy.repeat(numpy.arange(len(nodes)), [len(each) for each in of_each])
    columns: Columns = {"node": texts(places, nodes)}
    for column in radio_columns(name):
        values = rows[column.name]
        words = list(column.words)
        columns[column.name] = texts(values.astype(int), words) if words else reals(values)
    return columns


def _roams(changes: Sequence[tuple[str, Change]]) -> Columns:
    """Give the table that simulations have of changes of access point."""
    own = [change for _, change in changes]
    times = {
        "heard_s": [nan for _ in own],
        "left_s": [each.left_s for each in own],
        "found_s": [nan for _ in own],
        "authenticated_s": [each.authenticated_s for each in own],
        "associated_s": [each.associated_s for each in own],
        "registered_s": [nan for _ in own],
        "served_s": [nan for _ in own],
    }
    left = [_called(each.left) for each in own]
    joined = [_called(each.left if each.joined is None else each.joined) for each in own]
    nodes = list(dict.fromkeys(node for node, _ in changes))
    names = list(dict.fromkeys(chain(left, joined)))
    return {
        "station": texts(numpy.array([nodes.index(node) for node, _ in changes]), nodes),
        "from": texts(numpy.array(list(map(names.index, left))), names),
        "to": texts(numpy.array(list(map(names.index, joined))), names),
        "why": texts(numpy.array([_WHY.index(each.why) for each in own]), _WHY),
        **{name: reals(numpy.array(each)) for name, each in times.items()},
    }


def _called(number: int | None) -> str:
    """Name an access point, whose address stayed on the machine that met it."""
    return "unknown" if number is None else f"access-point-{number}"
