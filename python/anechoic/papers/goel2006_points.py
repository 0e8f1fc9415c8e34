"""Points of the thesis's baseline experiments by the symbols that their claims use.

T stands for the access point's fragmentation threshold, R for its RTS threshold, N for the
number of connections and ap for the vendor's profile.
"""

from dataclasses import dataclass
from typing import TypedDict, Unpack, cast

from anechoic.campaign.results import Value
from anechoic.papers.claim import Campaigns
from anechoic.papers.goel2006_model import LONG_PREAMBLE_US, MSS_BYTES, SHORT_PREAMBLE_US
from anechoic.papers.points import Formula, Point

ACCESS_POINT, STATION = "office", "laptop"
"""Names in the scenario files."""
VENDORS = ("vendor-a", "vendor-b")
VENDOR_OF = {f"goel-{n}": VENDORS[n % 2] for n in range(2, 8)}
"""The vendor of the experiments that do not sweep it: A has the even numbers."""
PREAMBLE_US = {"vendor-a": LONG_PREAMBLE_US, "vendor-b": SHORT_PREAMBLE_US}
"""The inferred difference of the two profiles."""
RTS_ON, RTS_OFF = 0, 2346
"""RTS thresholds of goel-6 and goel-7: before every unicast frame, and never."""
CONNECTIONS = (2, 4, 8, 16, 32)
"""Numbers of connections of goel-1 to goel-5."""
UNSTATED_CONNECTIONS = (32, 2)
"""Numbers of connections of goel-6 and goel-7, for which the text gives none."""
GOEL_8_CONNECTIONS = 32
THRESHOLDS = (256, 512, 768, 1024, 1280, 1536)
"""Fragmentation thresholds of goel-2 to goel-5."""
FULL_THRESHOLDS = (256, 512, 768, 1024, 1280, 1535, 1536, 1792, 2048, 2346)
"""Fragmentation thresholds of goel-6 and goel-7, RTS thresholds of goel-8."""
WHOLE_FRAME = 1536
"""The MPDU of a full segment, and so the first threshold that leaves it alone."""
SEGMENT_BITS = 8 * MSS_BYTES
COUNTER_TOLERANCE = 0.05
"""Frames are counted to 5 %: an RTS that is not answered (about 1 in 30 collides) is sent again
without a data frame, and the last segment of a file (1 in 69) is shorter than the others."""

_AXIS = {"ap": "vendor", "N": "connections", "T": "fragmentation_threshold", "R": "rts_threshold"}


class At(TypedDict, total=False):
    """Where a point lies."""

    ap: str
    N: int
    T: int
    R: int


@dataclass(frozen=True)
class Measure:
    """A number worked out from a cell's metrics."""

    what: str
    formula: Formula
    unit: str = ""


GOODPUT = Measure("goodput", lambda value: value("goodput_mbps"), "Mbit/s")
"""Of all connections together."""


def counted(name: str, what: str) -> Measure:
    """Give a metric that is a count or a ratio."""
    return Measure(what, lambda value: value(name))


def measured(campaigns: Campaigns, experiment: str, measure: Measure, **where: Unpack[At]) -> Point:
    """Give a measure of one cell."""
    label = f"{experiment} {measure.what} ({place(where)})"
    parameters = {_AXIS[symbol]: cast("Value", value) for symbol, value in where.items()}
    return campaigns[experiment].derived(measure.formula, label, parameters, measure.unit)


def goodput(campaigns: Campaigns, experiment: str, **where: Unpack[At]) -> Point:
    """Give the total goodput of one cell."""
    return measured(campaigns, experiment, GOODPUT, **where)


def place(where: At) -> str:
    """Write where a point lies."""
    return ", ".join(f"{symbol}={value}" for symbol, value in where.items())
