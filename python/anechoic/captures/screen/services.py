"""Many connections for people: a line for each service, the end that they were opened to.

Where services are too many, as in a scan of ports, there is a line for each of their hosts.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from anechoic.captures.screen.ports import answers
from anechoic.captures.text.aligned import aligned, without_empty
from anechoic.captures.text.durations import duration
from anechoic.captures.text.ends import end_name

Connection = Mapping[str, Any]

MOST_SERVICES = 20
"""Services shown; the others are added up."""
_OUTCOMES = ("closed", "reset", "open", "refused", "unanswered")


@dataclass(frozen=True)
class Service:
    """The connections to one service, or to several."""

    name: str
    connections: list[Connection]

    def total(self, counter: str, *ends: str) -> int:
        """Add a counter up over all connections and these ends."""
        return sum(each[end][counter] for each in self.connections for end in ends)

    @property
    def is_scanned(self) -> bool:
        """Whether most of many connections were answered by a reset or by nothing."""
        vain = sum(each["outcome"] in ("refused", "unanswered") for each in self.connections)
        return len(self.connections) > MOST_SERVICES and 2 * vain > len(self.connections)

    def row(self) -> list[str]:
        """Give the cells of its line."""
        outcomes = Counter(each["outcome"] for each in self.connections)
        lasted_ns = [each["last_ns"] - each["first_ns"] for each in self.connections]
        both = ("client", "server")
        syns_again = sum(max(each[end]["syns"] - 1, 0) for each in self.connections for end in both)
        counters = ("packets_retransmitted", "packets_out_of_order", "timeouts")
        return [
            self.name,
            f"{len(self.connections):,}",
            *(_count(outcomes[outcome]) for outcome in _OUTCOMES),
            duration(median(lasted_ns)),
            duration(max(lasted_ns)),
            _count(syns_again),
            *(f"{self.total('bytes_unique', end):,}" for end in both),
            *(_count(self.total(counter, *both)) for counter in counters),
        ]


_HEAD = [
    *("", "connections", *_OUTCOMES, "median time", "longest", "SYNs again", "bytes →", "bytes ←"),
    *("retransmitted", "late", "timeouts"),
]


def services_table(connections: Sequence[Connection]) -> str:
    """Write a line for each service, those of most connections first, and one for the others.

    Below lines for hosts stands what the ports answered of which most were asked in vain.
    """
    services, scanned = _grouped(connections, end_name), []
    if len(services) > MOST_SERVICES:
        services = _grouped(connections, lambda end: str(end["address"]))
        scanned = [each for each in services[:MOST_SERVICES] if each.is_scanned]
    shown, left = services[:MOST_SERVICES], services[MOST_SERVICES:]
    if left:
        others = [connection for service in left for connection in service.connections]
        shown.append(Service(f"{len(left):,} more", others))
    table = aligned(without_empty([_HEAD, *(each.row() for each in shown)]))
    return "\n".join([*table, *(answers(each.name, each.connections) for each in scanned)])


def _grouped(
    connections: Sequence[Connection], name: Callable[[Mapping[str, Any]], str]
) -> list[Service]:
    groups: dict[str, list[Connection]] = {}
    for connection in connections:
        groups.setdefault(name(connection["server"]), []).append(connection)
    services = [Service(*group) for group in groups.items()]
    return sorted(services, key=lambda each: -len(each.connections))


def _count(count: int) -> str:
    return f"{count:,}" if count else ""
