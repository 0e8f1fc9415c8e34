"""What the radios of machines were like, from what their kernels told of the other end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.measuring.logs import Rows
from anechoic.measuring.roaming import Change, changes_of
from anechoic.scenario.catalogue import radio_columns
from anechoic.tables.table import Floats

STATIONS, SURVEYS, EVENTS = "stations", "surveys", "radio_events"

OLDEST_S = 1.0
"""What was told longer ago says nothing of now."""

_LEVELS = ("signal_dbm", "rate_mbps", "rx_rate_mbps")
"""What is told as it is at the moment, of the one at the other end."""
_COUNTS = {"retries": "retries", "failed": "drops_retry_limit"}
"""Metrics of simulations that are counted, by what a kernel calls them."""


@dataclass(frozen=True, slots=True)
class Radio:
    """The radio of a node by which flows left it; its times count from the start of the run."""

    node: str
    hears_events: bool
    rows_lost: int
    stations: Rows
    surveys: Rows
    events: Rows

    @property
    def is_known(self) -> bool:
        """Say whether anything was told."""
        return bool(len(self.stations) or len(self.events))

    @property
    def other(self) -> Rows:
        """Give what was told of its access point, or of the only station at an access point.

        Where several stations are at the other end, none of them is the radio's.
        """
        own: Rows = self.stations[self.stations["is_access_point"] == 1]
        is_one = len(numpy.unique(self.stations["station"])) == 1
        return self.stations if not len(own) and is_one else own

    def changes(self) -> list[Change]:
        """Give the times that it left an access point."""
        clients = self.stations[self.stations["is_access_point"] == 1]
        first = int(clients["station"][0]) if len(clients) else None
        return changes_of(self.events, first)

    def metrics(self, window: tuple[float, float]) -> dict[str, float]:
        """Give what a part of the run was like, by the names that simulations have."""
        own = {**self._levels(window), **self._counts(window), **self._channel(window)}
        if self.hears_events and (self.stations["is_access_point"] == 1).any():
            own |= self._associations(window)
        return {f"node.{self.node}.{name}": value for name, value in own.items()}

    def series(self, edges: Floats) -> dict[str, Floats]:
        """Give what each step between some edges was like."""
        steps = numpy.diff(edges)
        own = {name: _last_told(self.other, name, edges[1:]) for name in _LEVELS}
        own["retries"] = self._grown(self.stations, "retries", edges)
        sent, busy = (
            None if grown is None else grown / steps
            for grown in (
                self._grown(self.stations, "tx_airtime_s", edges),
                self._grown(self.surveys, "busy_s", edges),
            )
        )
        own |= {"airtime_share": sent, "busy_share": busy}
        return {f"node.{self.node}.{name}": each for name, each in own.items() if each is not None}

    def _levels(self, window: tuple[float, float]) -> dict[str, float]:
        values = {}
        within = _within(self.other, window)
        for name in _LEVELS:
            known = within[name][~numpy.isnan(within[name])]
            if len(known):
                values[f"{name}_mean"] = float(known.mean())
                values[f"{name}_min"] = float(known.min())
                values[f"{name}_max"] = float(known.max())
        return values

    def _counts(self, window: tuple[float, float]) -> dict[str, float]:
        edges = numpy.array(window)
        values = {}
        for told, name in _COUNTS.items():
            grown = self._grown(self.stations, told, edges)
            if grown is not None:
                values[name] = float(grown[0])
        sent = self._grown(self.stations, "tx_airtime_s", edges)
        received = self._grown(self.stations, "rx_airtime_s", edges)
        if sent is not None and received is not None:
            values["airtime_share"] = float((sent + received)[0]) / (window[1] - window[0])
        return values

    def _channel(self, window: tuple[float, float]) -> dict[str, float]:
        values = {}
        edges = numpy.array(window)
        busy = self._grown(self.surveys, "busy_s", edges)
        active = self._grown(self.surveys, "active_s", edges)
        if busy is not None and active is not None and active[0] > 0:
            values["busy_share"] = float(busy[0] / active[0])
        noise = _within(self.surveys, window)["noise_dbm"]
        known = noise[~numpy.isnan(noise)]
        if len(known):
            values["noise_dbm_mean"] = float(known.mean())
        return values

    def _associations(self, window: tuple[float, float]) -> dict[str, float]:
        begin, end = window
        changes = self.changes()
        return {
            "associations": float(sum(begin < each.associated_s <= end for each in changes)),
            "deauthentications": float(
                sum(
                    begin < each.left_s <= end and each.why == "deauthenticated" for each in changes
                )
            ),
            "outage_s": sum(each.outage_s(begin, end) for each in changes),
        }

    def _grown(self, rows: Rows, name: str, edges: Floats) -> Floats | None:
        """Give by how much a counter has grown between edges; None where nobody told it."""
        found = [_growth(each, name, rows["time_s"][0]) for each in _apart(rows)]
        known = [each for each in found if each is not None]
        if not known:
            return None
        totals = [numpy.interp(edges, times, total, left=0.0) for times, total in known]
        grown: Floats = numpy.diff(numpy.sum(totals, axis=0))
        return grown


def radios_of(
    nodes: Sequence[str],
    told: Sequence[Mapping[str, Any]],
    logs: Sequence[tuple[bytes, bytes, bytes]],
    span_s: tuple[float, float],
) -> list[Radio]:
    """Read what each node's endpoint told of its radio; those that told nothing are left out.

    ``span_s`` says how long endpoints had counted time when the run began, and how long that took.
    """
    radios = []
    for node, each, tables in zip(nodes, told, logs, strict=True):
        names = (STATIONS, SURVEYS, EVENTS)
        rows = [_read(name, data, span_s) for name, data in zip(names, tables, strict=True)]
        lost = sum(int(each[name]["lost"]) for name in ("stations", "surveys", "events"))
        radio = Radio(node, bool(each["hears_events"]), lost, *rows)
        if radio.is_known:
            radios.append(radio)
    return radios


def _read(name: str, data: bytes, span_s: tuple[float, float]) -> Rows:
    """Read a table, as `crates/endpoint` writes it: its values are real numbers."""
    lead_s, lasted_s = span_s
    layout = numpy.dtype([(column.name, "<f8") for column in radio_columns(name)])
    rows = numpy.frombuffer(data, layout).copy()
    rows["time_s"] -= lead_s
    is_within = (rows["time_s"] >= 0) & (rows["time_s"] <= lasted_s + OLDEST_S)
    found: Rows = numpy.sort(rows[is_within], order="time_s", kind="stable")
    return found


def _within(rows: Rows, window: tuple[float, float]) -> Rows:
    found: Rows = rows[(rows["time_s"] > window[0]) & (rows["time_s"] <= window[1])]
    return found


def _apart(rows: Rows) -> Iterator[Rows]:
    """Give what was told of each at the other end, or of each channel."""
    names = rows.dtype.names or ()
    other = "station" if "station" in names else "frequency_mhz"
    keys = numpy.stack([rows["interface"], rows[other]], axis=1)
    for key in numpy.unique(keys, axis=0):
        yield rows[(keys == key).all(axis=1)]


def _growth(rows: Rows, name: str, since_s: float) -> tuple[Floats, Floats] | None:
    """Give how a counter grew from an instant on; one that falls has begun anew."""
    known = rows[~numpy.isnan(rows[name])]
    if not len(known):
        return None
    values = known[name]
    steps = numpy.diff(values, prepend=values[0])
    steps = numpy.where(steps < 0, values, steps)
    if known["time_s"][0] > since_s:
        # Whoever came later was counted from its coming on.
        steps[0] = values[0]
    return known["time_s"], numpy.cumsum(steps)


def _last_told(rows: Rows, name: str, instants_s: Floats) -> Floats | None:
    """Give what was last told by some instants; NaN where that is too long ago."""
    known = rows[~numpy.isnan(rows[name])]
    if not len(known):
        return None
    places = numpy.searchsorted(known["time_s"], instants_s, side="right") - 1
    last = known[numpy.maximum(places, 0)]
    is_now = (places >= 0) & (instants_s - last["time_s"] <= OLDEST_S)
    return numpy.where(is_now, last[name], numpy.nan)
