"""What the machines send each other."""

from typing import Annotated, Any, Literal

from pydantic import Field

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.nodes import StackOverrides
from anechoic.scenario.quantities import Duration, PositiveDuration, PositiveSize, Rate


class Flow(Part):
    """What every kind of traffic has; a group of stations makes a flow for each member."""

    from_: Annotated[
        Name, Field(alias="from", description="node, or group of stations, that sends")
    ]
    to: Annotated[Name, about("node, or group of stations, that receives")]
    count: Annotated[
        int,
        about(
            "flows between each pair of nodes", unit="flows", source="one of each", ge=1, le=10_000
        ),
    ] = 1
    start: Annotated[Duration, about("when it begins", source="all start together")] = "0 s"

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


class ChariotThroughput(Connection):
    """IxChariot's throughput script: files one after another, each confirmed by the receiver."""

    app: Annotated[Literal["chariot-throughput"], about("kind of traffic")] = "chariot-throughput"
    file_size: Annotated[
        PositiveSize, about("bytes of a transaction", unit="bytes", source="goel2006 Table 3")
    ] = 100_000
    transactions_per_record: Annotated[
        int,
        about(
            "transactions of a timing record",
            unit="transactions",
            source="goel2006 Table 3, 2 pairs",
            ge=1,
        ),
    ] = 16
    timing_records: Annotated[
        int | None,
        about(
            "timing records after which a pair stops; absent: the run's duration ends it",
            unit="records",
            source="the duration binds: 1600 records take longer than any run of goel2006",
            ge=1,
        ),
    ] = None
    confirmation_size: Annotated[
        PositiveSize,
        about(
            "bytes of the receiver's confirmation",
            unit="bytes",
            source="inferred: one short segment",
        ),
    ] = 100
    write_size: Annotated[
        PositiveSize,
        about("bytes of one send call", unit="bytes", source="inferred: the endpoint's buffer"),
    ] = "32 KiB"


class Bulk(Connection):
    """One TCP connection that sends as much as it can."""

    app: Annotated[Literal["bulk"], about("kind of traffic")] = "bulk"
    bytes: Annotated[
        PositiveSize | None,
        about("bytes to send; absent: until the run ends", unit="bytes", source="no end"),
    ] = None


class Udp(Flow):
    """Datagrams of one size at one rate."""

    app: Annotated[Literal["udp"], about("kind of traffic")] = "udp"
    # A datagram fits one Ethernet frame: 1500 bytes less the IPv4 and UDP headers (20 + 8).
    payload: Annotated[
        PositiveSize,
        about("application bytes of a datagram", unit="bytes", source="fills an Ethernet frame"),
    ] = 1472
    rate: Annotated[
        Rate | None,
        about("rate of application bytes; absent: the sender's queue is never empty"),
    ] = None


class Ping(Flow):
    """ICMP echo requests and their replies."""

    app: Annotated[Literal["ping"], about("kind of traffic")] = "ping"
    payload: Annotated[
        PositiveSize, about("bytes after the ICMP header", unit="bytes", source="usual for ping")
    ] = 56
    interval: Annotated[
        PositiveDuration, about("time between requests", source="usual for ping")
    ] = "1 s"


AnyTraffic = ChariotThroughput | Bulk | Udp | Ping
Traffic = Annotated[AnyTraffic, Field(discriminator="app")]

# IPv4 over Ethernet without IP fragments: 1500 bytes less 20 (IPv4) and 8 (UDP, or ICMP echo).
LARGEST_PAYLOAD = 1472
