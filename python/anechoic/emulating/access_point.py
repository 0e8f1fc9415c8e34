"""An emulated access point's objects of IEEE802dot11-MIB, for an snmpd that runs in it.

It is asked as by pass_persist (snmpd.conf(5)): a line with a command and a line with an object's
number, at `set` one more with a type and a value. What it answers comes from the emulation.
"""

import json
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from fcntl import ioctl
from typing import Any

from anechoic.mib import ADDRESS, OPERATION, SETTINGS
from anechoic.scenario.errors import Problem, ScenarioError

DOOR = "\0anechoic/access-point"
"""Where the emulation listens within an access point."""

BRIDGE, RADIO = "br0", 3
"""Its interface, and the number of its radio, which a device would have behind that and lo."""

MOST_BYTES = 65_536
_ASK_ADDRESS = 0x8927
"""SIOCGIFHWADDR of netdevice(7)."""

Oid = tuple[int, ...]
Objects = Mapping[Oid, tuple[str, str]]


class AccessPoint:
    """The access point that this process is in."""

    def __init__(self) -> None:
        """Find it; raise ScenarioError where there is none."""
        self._end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._end.connect(DOOR)
        except OSError:
            self._end.close()
            what = "it does not run in an emulated access point"
            allowed = "as a program of snmpd in an ap with port = true"
            raise ScenarioError("access-point", [Problem("", what, allowed)]) from None
        self._address = _link_address()

    def close(self) -> None:
        """Hang up."""
        self._end.close()

    def objects(self) -> Objects:
        """Give type and value of every object, in their order."""
        settings = self._ask({})["settings"]
        found: dict[Oid, tuple[str, str]] = {(*OPERATION, ADDRESS, RADIO): ("octet", self._address)}
        for name, column in SETTINGS.items():
            found[*OPERATION, column, RADIO] = ("integer", str(settings[name]))
        return found

    def put(self, name: str, value: int) -> bool:
        """Set it; false, and nothing has changed, if the value is out of range."""
        return "settings" in self._ask({name: value})

    def _ask(self, values: Mapping[str, int]) -> dict[str, Any]:
        self._end.send(json.dumps({"settings": {"set": values}}).encode())
        answer = self._end.recv(MOST_BYTES)
        if not answer:
            raise EOFError
        found: dict[str, Any] = json.loads(answer)
        return found


def _link_address() -> str:
    """Give the link address of the access point, as snmpd takes octets."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        told = ioctl(any_socket.fileno(), _ASK_ADDRESS, struct.pack("256s", BRIDGE.encode()))
    return told[18:24].hex(" ")


def serve(lines: Iterator[str], answer: Callable[[str], None], access_point: AccessPoint) -> None:
    """Answer what is asked, until there is no more."""
    for line in lines:
        command = line.strip()
        if command == "PING":
            answer("PONG")
        elif command in ("get", "getnext"):
            known, asked = access_point.objects(), _number(next(lines))
            answer(_found(known, asked if command == "get" else _next(known, asked)))
        elif command == "set":
            # An empty line follows, which is no command.
            answer(_set(access_point, _number(next(lines)), next(lines).split()))


def _number(line: str) -> Oid:
    return tuple(int(part) for part in line.strip().strip(".").split(".") if part)


def _next(known: Objects, asked: Oid) -> Oid | None:
    return min((number for number in known if number > asked), default=None)


def _found(known: Objects, number: Oid | None) -> str:
    if number is None or number not in known:
        return "NONE"
    return "\n".join(["." + ".".join(map(str, number)), *known[number]])


def _set(access_point: AccessPoint, number: Oid, written: list[str]) -> str:
    """Set an object, and say so in the words of snmpd.conf(5)."""
    names = {(*OPERATION, column, RADIO): name for name, column in SETTINGS.items()}
    if number not in names:
        return "not-writable"
    kind, value = (*written, "", "")[:2]
    if kind != "integer":
        return "wrong-type"
    value = value.strip('"')
    is_taken = value.isdecimal() and access_point.put(names[number], int(value))
    return "DONE" if is_taken else "wrong-value"
