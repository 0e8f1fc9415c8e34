"""Which end of a connection is the station, as far as a capture tells.

A station is the host whose link is under test: in studies of Wi-Fi a laptop behind an access point,
with a server beyond it. A capture of the air shows who that is. On a wire it is inferred from the
part that a host plays, and what it is inferred from is told with it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from ipaddress import ip_address
from typing import Any, NamedTuple

Connection = Mapping[str, Any]

EVIDENCE = {
    "air": "the air: it sent or got frames as a station that is no access point",
    "service": "the ports: the other end's alone is a service's, below 1024 (RFC 6335 §6)",
    "network": "the addresses: it opened the connection, from a private network to a public "
    "address (RFC 6890)",
    "elsewhere": "other connections: by the above it is the station there, and nowhere the other "
    "end",
    "hub": "the other end's connections, which are with more hosts",
    "amounts": "how much was sent: of the packets between both it sent more, or fewer, as the only "
    "station of the air did",
    "opened": "nothing but that it opened the connection: it may be the other end",
}
"""What tells the station, the surest first; all but the air is inferred."""

_SYSTEM_PORTS = range(1024)
_CLEARLY = 1.5
"""So many times more is no chance: a receiver acknowledges every second segment at least (RFC 5681
section 4.2), and sends half as many packets. (Inferred.)"""


class Station(NamedTuple):
    """The station of a connection and what tells it, one of `EVIDENCE`."""

    address: str
    told_by: str


def which_stations(document: Mapping[str, Any]) -> list[Station]:
    """Give the station of each connection, in their order."""
    connections: Sequence[Connection] = document["connections"]
    on_air = _on_the_air(document)
    sure = [_sure(each, on_air) for each in connections]
    others = _Others(_known(connections, sure), _hosts(connections), _sent(connections))
    share = _share_of_station(document["wifi"])
    return [
        station or _likely(each, others, share)
        for each, station in zip(connections, sure, strict=True)
    ]


class _Others(NamedTuple):
    """What all connections together tell of hosts."""

    stations: set[str]
    peers: Mapping[str, set[str]]
    sent: Mapping[tuple[str, str], int]


def _sure(connection: Connection, on_air: set[str]) -> Station | None:
    """Give the station if the connection itself tells it."""
    rules: dict[str, Callable[[str], bool]] = {
        "air": lambda end: _address(connection, end) in on_air,
        "service": lambda end: connection[_other(end)]["port"] in _SYSTEM_PORTS,
        "network": lambda end: _goes_out(connection, end),
    }
    return _first(connection, rules)


def _likely(connection: Connection, others: _Others, share: float | None) -> Station:
    """Give the station by all connections of its ends, or the client.

    ``share`` is that of the packets on the air that their only station sent.
    """

    def has_fewer_peers(end: str) -> bool:
        own, other = _address(connection, end), _address(connection, _other(end))
        return len(others.peers[own]) < len(others.peers[other])

    def sends_as_the_station(end: str) -> bool:
        own, other = _address(connection, end), _address(connection, _other(end))
        ratio = (others.sent[own, other], others.sent[other, own])
        return share is not None and _leads(*ratio) == _leads(share, 1 - share) != 0

    rules: dict[str, Callable[[str], bool]] = {
        "elsewhere": lambda end: _address(connection, end) in others.stations,
        "hub": has_fewer_peers,
        "amounts": sends_as_the_station,
    }
    station = _first(connection, rules)
    return station or Station(_address(connection, "client"), "opened")


def _leads(own: float, other: float) -> int:
    """Give 1 for clearly more, -1 for clearly less, and 0 else."""
    return int(own > _CLEARLY * other) - int(other > _CLEARLY * own)


def _first(connection: Connection, rules: Mapping[str, Callable[[str], bool]]) -> Station | None:
    """Give the station by the first rule that holds for one end and not for the other."""
    for name, rule in rules.items():
        found = [end for end in ("client", "server") if rule(end)]
        if len(found) == 1:
            return Station(_address(connection, found[0]), name)
    return None


def _on_the_air(document: Mapping[str, Any]) -> set[str]:
    """Give the addresses of hosts whose segments were tried many times by or for a station.

    Other frames are not told by their connection.
    """
    wifi = document["wifi"]
    if wifi is None:
        return set()
    access_points = {each["address"] for each in wifi["stations"] if each["is_access_point"]}
    found = set()
    for burst in wifi["bursts"]:
        if burst["connection"] is None:
            continue
        connection = document["connections"][burst["connection"]]
        sender = "client" if burst["is_from_client"] else "server"
        if burst["transmitter"] not in access_points:
            found.add(_address(connection, sender))
        if burst["receiver"] not in access_points:
            found.add(_address(connection, _other(sender)))
    return found


def _known(connections: Sequence[Connection], sure: Sequence[Station | None]) -> set[str]:
    """Give the addresses that are stations, and nowhere the other end of one."""
    stations, others = set(), set()
    for connection, station in zip(connections, sure, strict=True):
        if station is not None:
            ends = {_address(connection, end) for end in ("client", "server")}
            stations.add(station.address)
            others |= ends - {station.address}
    return stations - others


def _hosts(connections: Sequence[Connection]) -> defaultdict[str, set[str]]:
    """Give the hosts that each exchanged data with."""
    hosts = defaultdict(set)
    for connection in connections:
        client, server = (_address(connection, end) for end in ("client", "server"))
        if connection["client"]["packets_data"] or connection["server"]["packets_data"]:
            hosts[client].add(server)
            hosts[server].add(client)
    return hosts


def _sent(connections: Sequence[Connection]) -> Counter[tuple[str, str]]:
    """Count the packets from each host to each other."""
    sent: Counter[tuple[str, str]] = Counter()
    for connection in connections:
        client, server = (_address(connection, end) for end in ("client", "server"))
        sent[client, server] += connection["client"]["packets"]
        sent[server, client] += connection["server"]["packets"]
    return sent


def _share_of_station(wifi: Mapping[str, Any] | None) -> float | None:
    """Give the share of the packets on the air that their only station sent, if there is only one.

    What an access point sends is for that station.
    """
    if wifi is None:
        return None
    busy = [each for each in wifi["stations"] if each["msdus_delivered"]]
    sent = [each["msdus_delivered"] for each in busy if not each["is_access_point"]]
    return sent[0] / sum(each["msdus_delivered"] for each in busy) if len(sent) == 1 else None


def _goes_out(connection: Connection, end: str) -> bool:
    is_first = end == "client" and not connection["starts_midway"]
    own, other = _address(connection, end), _address(connection, _other(end))
    return is_first and not _is_public(own) and _is_public(other)


@cache
def _is_public(address: str) -> bool:
    return ip_address(address).is_global


def _address(connection: Connection, end: str) -> str:
    return str(connection[end]["address"])


def _other(end: str) -> str:
    return "server" if end == "client" else "client"
