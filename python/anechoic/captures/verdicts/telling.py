"""Which connections of a capture are worth a closer look."""

from collections.abc import Mapping, Sequence
from typing import Any

_BY_SIZE = 4
_BY_TROUBLE = 2


def telling(connections: Sequence[Mapping[str, Any]]) -> list[int]:
    """Give the numbers of the most telling connections, in their order.

    These are the largest, those with the most retransmissions, those that waited longest for a
    timer or for the receiver's window, and those whose SYNs were sent most often; of equal ones
    those that lasted longest.
    """
    with_data = [
        number for number, each in enumerate(connections, start=1) if _sum(each, "bytes_unique")
    ]
    chosen: set[int] = set()
    lasted = {number: _lasted(connections[number - 1]) for number in with_data}
    troubles = (_again, _waited, _asked)
    for measure, count in ((_size, _BY_SIZE), *((trouble, _BY_TROUBLE) for trouble in troubles)):
        amounts = {number: measure(connections[number - 1]) for number in with_data}
        ranked = sorted(with_data, key=lambda number: (-amounts[number], -lasted[number]))
        chosen |= {number for number in ranked[:count] if amounts[number] > 0}
    return sorted(chosen)


def _size(connection: Mapping[str, Any]) -> int:
    return _sum(connection, "bytes_unique")


def _again(connection: Mapping[str, Any]) -> int:
    return _sum(connection, "packets_retransmitted") + _sum(connection, "packets_out_of_order")


def _waited(connection: Mapping[str, Any]) -> int:
    ends = (connection["client"], connection["server"])
    stalls = (end["stalls"][stall] for end in ends for stall in ("timeout", "window"))
    waits = [each["total_ns"] for each in stalls] + [end["closed_at_end_ns"] for end in ends]
    waited_ns: int = sum(waits)
    return waited_ns


def _asked(connection: Mapping[str, Any]) -> int:
    """Count the SYNs beyond the first of either end."""
    return sum(max(connection[end]["syns"] - 1, 0) for end in ("client", "server"))


def _lasted(connection: Mapping[str, Any]) -> int:
    lasted: int = connection["last_ns"] - connection["first_ns"]
    return lasted


def _sum(connection: Mapping[str, Any], counter: str) -> int:
    total: int = connection["client"][counter] + connection["server"][counter]
    return total
