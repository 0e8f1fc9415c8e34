"""Which end of a connection is the station, as far as a capture tells.

A station is the host whose link is under test: in studies of Wi-Fi a laptop behind an access point,
with a server beyond it. A capture of the air shows who that is. On a wire it is inferred from the
part that a host plays, and what it is inferred from is told with it.
"""

from collections import defaultdict
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
    "opened": "nothing but that it opened the connection: it may be the other end",
}
"""What tells the station, the surest first; all but the air is inferred."""

_SYSTEM_PORTS = range(1024)


class Station(NamedTuple):
    """The station of a connection and what tells it, one of `EVIDENCE`."""

    address: str
    told_by: str


def which_stations(document: Mapping[str, Any]) -> list[Station]:
    """Give the station of each connection, in their order."""
    connections: Sequence[Connection] = document["connections"]
    on_air = _on_the_air(document)
    sure = [_sure(each, on_air) for each in connections]
    known = _known(connections, sure)
    hosts = _hosts(connections)
    return [
        station or _likely(each, known, hosts)
        for each, station in zip(connections, sure, strict=True)
    ]


def _sure(connection: Connection, on_air: set[str]) -> Station | None:
    """Give the station if the connection itself tells it."""
    rules: dict[str, Callable[[str], bool]] = {
        "air": lambda end: _address(connection, end) in on_air,
        "service": lambda end: connection[_other(end)]["port"] in _SYSTEM_PORTS,
        "network": lambda end: _goes_out(connection, end),
    }
    return _first(connection, rules)


def _likely(connection: Connection, known: set[str], hosts: Mapping[str, set[str]]) -> Station:
    """Give the station by the other connections of its ends, or the client."""
    rules: dict[str, Callable[[str], bool]] = {
        "elsewhere": lambda end: _address(connection, end) in known,
        "hub": lambda end: (
            len(hosts[_address(connection, end)]) < len(hosts[_address(connection, _other(end))])
        ),
    }
    station = _first(connection, rules)
    return station or Station(_address(connection, "client"), "opened")


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
