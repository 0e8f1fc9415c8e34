"""When a radio left its access point for another, from the events that its kernel told."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isnan, nan

from anechoic.measuring.logs import Rows
from anechoic.scenario.catalogue import radio_columns

DEAUTHENTICATED, BEACONS_MISSED, UNKNOWN = "deauthenticated", "beacons-missed", "unknown"

_LEAVING = ("disconnected", "deauthenticated", "disassociated")
_JOINING = ("associated", "connected", "roamed")
_JUST_NOW_S = 2.0
"""Beacons that were missed longer ago are no reason for leaving."""


@dataclass
class Change:
    """A time that a radio left an access point; what did not come to pass is NaN."""

    left_s: float
    left: int | None
    """The number of the access point that it left; None if that is not known."""
    why: str
    joined: int | None = None
    authenticated_s: float = nan
    associated_s: float = nan

    def outage_s(self, begin_s: float, end_s: float) -> float:
        """Say for how long of a part of the run there was no association."""
        until = end_s if isnan(self.associated_s) else min(self.associated_s, end_s)
        return max(until - max(self.left_s, begin_s), 0.0)


@dataclass
class _Follower:
    """Follows the events of one interface."""

    current: int | None
    missed_s: float = nan
    under_way: Change | None = None
    changes: list[Change] = field(default_factory=list)

    def follow(self, event: str, at_s: float, station: int | None, *, is_by_other: bool) -> None:
        if event == "beacons-lost":
            self.missed_s = at_s
        elif event in _LEAVING:
            # What is told late of an access point that was left before is no news.
            if station in (None, self.current):
                self.leave(at_s, self._why(at_s, is_by_other=is_by_other))
        elif event == "authenticated":
            if station != self.current:
                self.leave(at_s, UNKNOWN)
            if self.under_way is not None:
                self.under_way.authenticated_s = at_s
        elif event in _JOINING:
            self._join(at_s, station)

    def leave(self, at_s: float, why: str) -> None:
        if self.under_way is None and self.current is not None:
            self.under_way = Change(at_s, self.current, why)

    def _join(self, at_s: float, station: int | None) -> None:
        if station != self.current:
            self.leave(at_s, UNKNOWN)
        if self.under_way is not None:
            self.under_way.joined, self.under_way.associated_s = station, at_s
            self.changes.append(self.under_way)
            self.under_way = None
        self.current = station

    def _why(self, at_s: float, *, is_by_other: bool) -> str:
        if is_by_other:
            return DEAUTHENTICATED
        return BEACONS_MISSED if at_s - self.missed_s <= _JUST_NOW_S else UNKNOWN


def changes_of(events: Rows, first: int | None) -> list[Change]:
    """Give the times that a radio left an access point; ``first`` is the one it had at first."""
    follower = _Follower(first)
    for event, at_s, station, is_by_other, status in _told(events):
        if status in (None, 0):
            follower.follow(event, at_s, station, is_by_other=is_by_other)
    left = follower.under_way
    return [*follower.changes, *([left] if left is not None else [])]


def _told(events: Rows) -> Iterator[tuple[str, float, int | None, bool, int | None]]:
    words = next(each.words for each in radio_columns("radio_events") if each.name == "event")
    for row in events:
        station, status = (
            None if isnan(row[name]) else int(row[name]) for name in ("station", "status")
        )
        yield (
            words[int(row["event"])],
            float(row["time_s"]),
            station,
            row["is_by_other"] == 1,
            status,
        )
