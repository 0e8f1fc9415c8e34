"""What takes a machine time: packets, connections, timing records."""

from typing import Annotated, Any

from pydantic import Field

from anechoic.scenario.base import Part, about
from anechoic.scenario.quantities import DURATION, marks, nanoseconds

# What takes longer than a second is a fault, and no cost.
Cost = Annotated[str, *marks(DURATION, maximum=10**9)]


class DeviceCost(Part):
    """What takes the processor of a machine time, one thing after the other."""

    per_packet: Annotated[
        Cost,
        about(
            "time for each packet that it receives, makes or passes on",
            source="no paper gives one: host-cost is zero by default",
        ),
    ] = "0 s"
    queue_packets: Annotated[
        int,
        about(
            "packets that it has room for, the one in work included",
            unit="packets",
            source="inferred: Linux, net.core.netdev_max_backlog",
            ge=1,
            le=1_000_000,
        ),
    ] = 1000


class HostCost(DeviceCost):
    """What takes the processor of a machine with TCP and applications time."""

    per_connection: Annotated[
        Cost,
        about(
            "time for each connection that it opens or accepts",
            source="no paper gives one: host-cost is zero by default",
        ),
    ] = "0 s"
    per_record: Annotated[
        Cost,
        about(
            "time for each timing record that it keeps, before the next transaction",
            source="no paper gives one: host-cost is zero by default",
        ),
    ] = "0 s"


DeviceCostField = Annotated[
    DeviceCost | None, Field(description="what takes its processor time; absent: nothing")
]
HostCostField = Annotated[
    HostCost | None, Field(description="what takes its processor time; absent: nothing")
]


def planned_cost(cost: DeviceCost | None) -> dict[str, Any] | None:
    """Give a machine's cost as a plan has it."""
    if cost is None:
        return None
    ends = cost if isinstance(cost, HostCost) else HostCost()
    return {
        "per_packet_ns": nanoseconds(cost.per_packet),
        "per_connection_ns": nanoseconds(ends.per_connection),
        "per_record_ns": nanoseconds(ends.per_record),
        "queue_packets": cost.queue_packets,
    }
