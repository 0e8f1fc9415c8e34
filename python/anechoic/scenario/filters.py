"""What the filter of a stage can match, and the filters that can match nothing."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from anechoic.scenario.declared import declaration_of
from anechoic.scenario.errors import Problem, listing, shown, unknown_name
from anechoic.scenario.impairments import WORDS, Impairment
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import MTU_MAX
from anechoic.scenario.quantities import nanoseconds, size_in_bytes
from anechoic.scenario.topology import Topology
from anechoic.scenario.traffic import Connection, Flow

Ways = list[tuple[int, int]]
Crossing = Mapping[tuple[int, int], Mapping[str, frozenset[str]]]
"""What goes from a node to a neighbour: of each traffic the words of a filter for it."""

SEGMENTS: frozenset[str] = frozenset({"tcp", "tcp-ack", "tcp-syn", "tcp-fin", "tcp-rst"})
DATA: frozenset[str] = frozenset({"tcp-data", "tcp-psh"})
# All traffic opens its connections from the end that it is from.
ANSWER: frozenset[str] = frozenset({"tcp-syn-ack"})

# 20 bytes of IP and at most 60 of TCP (RFC 9293 §3.1); 8 of UDP or ICMP; 28 of ARP (RFC 826).
NO_DATA = (40, 80)
SIZES: Mapping[str, tuple[int, int]] = {
    "tcp": (40, MTU_MAX),
    "tcp-data": (41, MTU_MAX),
    "tcp-ack": NO_DATA,
    "tcp-syn": (40, MTU_MAX),
    "tcp-syn-ack": (40, MTU_MAX),
    "tcp-fin": (40, MTU_MAX),
    "tcp-rst": NO_DATA,
    "tcp-psh": (41, MTU_MAX),
}
"""The sizes that packets of a kind may have, IP header included."""
ANY_SIZE = (28, MTU_MAX)


class Place(NamedTuple):
    """A stage on a wire: its path, and the nodes that its packets come from and go to."""

    path: str
    ways: Ways
    crossing: Crossing


def crossing(scenario: Scenario, found: Topology) -> Crossing:
    """Give what goes from each node to each neighbour."""
    words: dict[tuple[int, int], dict[str, frozenset[str]]] = {}
    for name, traffic in scenario.traffic.items():
        there, back = _words_of(traffic)
        ends = [found.find("", end, []) for end in (traffic.from_, traffic.to)]
        for source in ends[0]:
            for sink in ends[1]:
                for near, far in pairwise(found.way(source, sink)):
                    for way, own in (((near, far), there), ((far, near), back)):
                        of_way = words.setdefault(way, {})
                        of_way[name] = of_way.get(name, frozenset()) | own
    return words


def kinds(stage: Impairment) -> list[str]:
    """Give the words of a filter as a list."""
    return stage.match if isinstance(stage.match, list) else [stage.match]


def filter_problems(path: str, stage: Impairment, scenario: Scenario) -> Iterator[Problem]:
    """Refuse what is wrong with a filter wherever it stands."""
    yield from _wrong_times(path, stage, scenario)
    yield from _wrong_sizes(path, stage)
    if stage.traffic is not None and stage.traffic not in scenario.traffic:
        yield unknown_name(f"{path}.traffic", stage.traffic, list(scenario.traffic), "traffic")


def matches_nothing(place: Place, stage: Impairment, scenario: Scenario) -> Iterator[Problem]:
    """Refuse a filter for packets that do not go that way, if that is known."""
    there = _going(place)
    where = f" towards {stage.towards}" if stage.towards else ""
    if stage.traffic is not None and stage.traffic in scenario.traffic:
        if not there.get(stage.traffic):
            what = f"none of {shown(stage.traffic)} goes over the wire{where}"
            yield Problem(f"{place.path}.traffic", what, _those_with(there))
            return
        there = {stage.traffic: there[stage.traffic]}
    if stage.connection is not None:
        there = {name: words for name, words in there.items() if _is_tcp(scenario, name)}
        if not there:
            what = f"there is no connection whose packets go over the wire{where}"
            yield Problem(f"{place.path}.connection", what, "traffic over TCP")
            return
    # An address is asked for wherever there is a wire.
    possible = {"all"}.union(*there.values())
    if possible.isdisjoint(kinds(stage)):
        what = f"{shown(stage.match)} can match nothing: no such packets go over the wire{where}"
        yield Problem(f"{place.path}.match", what, listing([w for w in WORDS if w in possible]))


def _words_of(traffic: Flow) -> tuple[frozenset[str], frozenset[str]]:
    """Give the packets that traffic makes from its sender, and those back."""
    about = declaration_of(traffic)
    if about["transport"] == "tcp":
        return SEGMENTS | DATA, SEGMENTS | ANSWER | (DATA if about["answers"] else frozenset())
    there = frozenset({about["transport"]})
    return there, there if about["transport"] == "icmp" or about["answers"] else frozenset()


def _going(place: Place) -> dict[str, frozenset[str]]:
    """Give of each traffic what goes any of the ways."""
    going: dict[str, frozenset[str]] = {}
    for way in place.ways:
        for name, words in place.crossing.get(way, {}).items():
            going[name] = going.get(name, frozenset()) | words
    return going


def _those_with(going: Mapping[str, frozenset[str]]) -> str:
    names = [name for name, words in going.items() if words]
    return listing(names) if names else "none, because no traffic goes there"


def _is_tcp(scenario: Scenario, traffic: str) -> bool:
    return isinstance(scenario.traffic[traffic], Connection)


def _wrong_times(path: str, stage: Impairment, scenario: Scenario) -> Iterator[Problem]:
    begin = nanoseconds(stage.from_)
    if begin >= nanoseconds(scenario.run.duration):
        what = f"{shown(stage.from_)} is not before the end of the run"
        yield Problem(f"{path}.from", what, f"less than {scenario.run.duration}")
    elif stage.until is not None and nanoseconds(stage.until) <= begin:
        what = f"{shown(stage.until)} is not after its beginning"
        yield Problem(f"{path}.until", what, f"more than {stage.from_}")


def _wrong_sizes(path: str, stage: Impairment) -> Iterator[Problem]:
    sizes = [SIZES.get(kind, ANY_SIZE) for kind in kinds(stage)]
    least, most = min(low for low, _ in sizes), max(high for _, high in sizes)
    smallest = least if stage.min_size is None else size_in_bytes(stage.min_size)
    largest = most if stage.max_size is None else size_in_bytes(stage.max_size)
    if smallest > most:
        what = f"{shown(stage.min_size)} can match nothing: no such packets are as large"
        yield Problem(f"{path}.min_size", what, f"at most {most} bytes")
    elif largest < least:
        what = f"{shown(stage.max_size)} can match nothing: no such packets are as small"
        yield Problem(f"{path}.max_size", what, f"at least {least} bytes")
    elif largest < smallest:
        what = f"{shown(stage.max_size)} is less than the smallest size"
        yield Problem(f"{path}.max_size", what, f"at least {stage.min_size}")
