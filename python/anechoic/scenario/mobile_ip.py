"""Mobile IPv4: what makes a router an agent, and lets a station keep its address."""

from typing import Annotated, Literal

from pydantic import Field

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.quantities import PositiveDuration
from anechoic.scenario.shapes import Shaped

RFC = "RFC 5944"
Key = Annotated[
    str, Field(pattern="^[0-9a-f]{32}$"), Shaped("text of 32 hexadecimal digits, a to f small")
]
Seconds = Annotated[int, Field(ge=1, le=65_534)]


class Agent(Part):
    """What makes a router a home agent and a foreign agent of its network with access points."""

    advertisement_interval: Annotated[
        PositiveDuration,
        about("time between two advertisements", source=f"{RFC} §2.3: at most once a second"),
    ] = "1 s"
    advertisement_lifetime: Annotated[
        Seconds,
        about("how long each holds", unit="s", source=f"{RFC} §2.3: three intervals"),
    ] = 3
    registration_lifetime: Annotated[
        Seconds,
        about("the longest registration that it accepts", unit="s", source=f"{RFC} §3.7: 30 min"),
    ] = 1800


class MobileIp(Part):
    """What lets a station keep its address in networks of other agents."""

    home_agent: Annotated[Name, about("the router that is its home agent")]
    key: Annotated[
        Key,
        about(
            "what it shares with its home agent, 32 hexadecimal digits: registrations are signed "
            "with it, by HMAC-MD5",
            source=f"{RFC} §5.1: 128 bits, distributed by hand; inferred: any will do",
        ),
    ] = "00112233445566778899aabbccddeeff"
    detection: Annotated[
        Literal["eager", "lazy"],
        about(
            "when it leaves an agent: lazy when that is heard no more, eager as soon as it hears "
            "one that it did not know or had forgotten, as ns-2 does",
            source=f"{RFC} §2.4.2.1",
        ),
    ] = "lazy"
    memory: Annotated[
        PositiveDuration | None,
        about(
            "for how long it knows an agent that it hears no more; it looks for what to forget "
            "each so long, as ns-2 does each second; absent: for as long as advertisements say",
            source=f"{RFC} §2.3",
        ),
    ] = None
    lifetime: Annotated[
        Seconds,
        about("for how long it registers", unit="s", source=f"{RFC} §3.7: 30 min"),
    ] = 1800
    retry: Annotated[
        PositiveDuration,
        about(
            "time after which it asks again, doubled each time",
            source=f"{RFC} §3.6.3: at least 1 s",
        ),
    ] = "1 s"
