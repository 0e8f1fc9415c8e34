"""What all traffic between machines has; what each kind has besides is declared in the core."""

from typing import Annotated, Any, Literal

from pydantic import Field

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.nodes import StackOverrides
from anechoic.scenario.quantities import Duration


class Flow(Part):
    """What every kind of traffic has; a group of stations makes a flow for each member."""

    from_: Annotated[
        Name, Field(alias="from", description="node, or group of stations, that sends")
    ]
    to: Annotated[Name, about("node, or group of stations, that receives")]
    opens: Annotated[
        Name | None,
        about(
            "which of the two opens its connections, or sends the first datagram or the pings",
            source="who is behind a router that translates; else whoever it is of such traffic",
        ),
    ] = None
    count: Annotated[
        int,
        about(
            "flows between each pair of nodes", unit="flows", source="one of each", ge=1, le=10_000
        ),
    ] = 1
    start: Annotated[Duration, about("when it begins", source="all start together")] = "0 s"
    start_spread: Annotated[
        Duration, about("time from `start` within which its flows begin", source="all at once")
    ] = "0 s"
    start_pattern: Annotated[
        Literal["uniform", "poisson"],
        about(
            "how they begin within `start_spread`: at even distances, or at random, as of a "
            "Poisson process of which so many arrivals came",
            source="the same in every replication",
        ),
    ] = "uniform"
    start_jitter: Annotated[
        Duration,
        about(
            "time by which each of its flows begins late at most, at random in every replication; "
            "sources of constant interval also begin anywhere in their interval. 0 s: all at exact "
            "times, in every replication",
            source="inferred: programs that one command starts begin within some milliseconds, "
            "for processes to be made and clocks of several hosts to agree",
        ),
    ] = "10 ms"
    jitter: Annotated[
        Duration,
        about(
            "time by which what it does by the clock comes late at most, at random each time: "
            "the scheduling of its host",
            source="a host that is never busy",
        ),
    ] = "0 s"
    stop: Annotated[
        Duration | None,
        about(
            "when it opens and sends nothing more; what its connections have taken still arrives",
            source="with the run",
        ),
    ] = None
    dscp: Annotated[
        int,
        about(
            "differentiated services codepoint of its packets, those of both ends",
            source="RFC 2474 §4.1: best effort",
            ge=0,
            le=63,
        ),
    ] = 0

    def model_post_init(self, _context: Any, /) -> None:
        """Hold the kind of traffic as written: what is written out has to name it."""
        self.__pydantic_fields_set__.add("app")


class ConnectionEnd(Part):
    """The TCP of one end of a connection, over what the traffic and the node say."""

    stack: Annotated[
        str | None,
        about("name of the TCP stack profile of this end", source="the traffic's, or the node's"),
    ] = None
    tcp: StackOverrides = {}


class Connection(Flow):
    """Traffic over TCP: each of its connections may have a TCP of its own."""

    stack: Annotated[
        str | None,
        about("name of the TCP stack profile of both ends", source="each node's own"),
    ] = None
    tcp: StackOverrides = {}
    sender: Annotated[ConnectionEnd | None, about("the TCP of the end that sends")] = None
    receiver: Annotated[ConnectionEnd | None, about("the TCP of the end that receives")] = None
