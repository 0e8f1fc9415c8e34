"""Hosts and ports, and names for several machines of any kind."""

import re
from ipaddress import IPv4Address
from typing import Annotated

from pydantic import Field
from pydantic.functional_validators import BeforeValidator
from pydantic_core import PydanticCustomError

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.costs import DeviceCostField, HostCostField

# Every link carries as much (RFC 791 §3.2); what Ethernet carries (RFC 894).
MTU_MIN, MTU_MAX = 68, 1500

# A table is a choice that has a value of its own: initial_window = { segments = 4 }.
StackValue = bool | int | float | str | dict[str, int]


def _address(value: object) -> object:
    try:
        return str(IPv4Address(value))
    except ValueError:
        raise PydanticCustomError(
            "quantity",
            "{reason}",
            {"reason": "not an IPv4 address", "allowed": 'four numbers, such as "10.0.0.1"'},
        ) from None


Address = Annotated[str, BeforeValidator(_address)]
AddressField = Annotated[
    Address | None,
    about("IPv4 address; assigned in order of the file if absent", source="assigned"),
]
StackField = Annotated[
    str | None,
    about("name of the TCP stack profile; needed where a TCP connection ends", source="none"),
]
StackOverrides = Annotated[
    dict[str, StackValue],
    Field(description="single values of the stack profile, by field name"),
]


MtuField = Annotated[
    int | None,
    about(
        "longest IP packet of its interfaces, where that is less than what their media carry",
        unit="bytes",
        ge=MTU_MIN,
        le=MTU_MAX,
    ),
]


def _port(value: object) -> object:
    """Take true, false, or what Linux takes for the name of an interface (dev_valid_name)."""
    is_name = isinstance(value, str) and re.fullmatch(r"[^\s/:]{1,15}", value)
    if isinstance(value, bool) or (is_name and value not in (".", "..")):
        return value
    raise PydanticCustomError(
        "quantity",
        "{reason}",
        {
            "reason": "neither a flag nor the name of an interface",
            "allowed": 'true, false, or the name of an interface of this machine, such as "eth1"',
        },
    )


NamespaceField = Annotated[
    bool,
    about(
        "whether it is real where the scenario is emulated: a network namespace with a kernel of "
        "this machine in it",
        source="a simulated one, as where the scenario is simulated",
    ),
]
PortField = Annotated[
    bool | str,
    BeforeValidator(_port),
    about(
        "whether it is real where the scenario is emulated: true is a network namespace with a "
        "kernel of this machine in it; the name of an interface of this machine, as eth1, is the "
        "machine behind that",
        source="a simulated one, as where the scenario is simulated",
    ),
]


class Host(Part):
    """A wired machine with a TCP/IP stack."""

    stack: StackField = None
    address: AddressField = None
    mtu: MtuField = None
    tcp: StackOverrides = {}
    cost: HostCostField = None
    port: PortField = False


class Switch(Part):
    """A machine that bridges its wires, each a network of its own for collisions."""

    address: AddressField = None
    cost: DeviceCostField = None


class Port(Part):
    """A place on the wire where frames are handed in and out."""

    address: AddressField = None


class Group(Part):
    """A name for several nodes, which may stand wherever each of them may."""

    members: Annotated[
        list[Name],
        about("nodes, groups of stations, or other groups, in the order they are gone by"),
        Field(min_length=1),
    ]
