"""What closed forms say of a point of the survey: measured values are corrections of it."""

from dataclasses import dataclass
from functools import cache

from anechoic import _core
from anechoic.calc.loss import mathis_per_second, mathis_window
from anechoic.calc.timing import Radio, ip_msdu_bytes
from anechoic.predicting.factors import Point
from anechoic.scenario.standards import STANDARDS

SEGMENT_BYTES, ACK_BYTES = 1500, 52
"""IP packets of a full segment and of an acknowledgment, with timestamps (RFC 7323)."""
PAYLOAD_BITS = 8 * 1448
ON_WIRE_BITS = 8 * 1538
"""A full segment on Ethernet, preamble and gap included."""
HOP_MS = 2.0
"""A round trip over an idle cell (inferred: the pings of the papers take 2 to 3 ms)."""
WIRE_PACKETS, STATION_PACKETS = 100, 100
"""What waits at either end of the survey's wire, and in its stations."""
CODEL_MS = 10.0
"""What a queue of CoDel's keeps: its target of 5 ms, twice over as it is found again and again."""
SHARP = 4
"""How sharply the least of several limits decides: where two meet, less than either comes through
(inferred; the corrections smooth it anyway)."""


@dataclass(frozen=True)
class Limits:
    """What air, wire and losses let through in Mbit/s, all connections together."""

    air: float
    wire: float
    losses: float

    @property
    def least(self) -> float:
        """Give what all of them let through."""
        return float(sum(limit**-SHARP for limit in self._all) ** (-1 / SHARP))

    def share(self, limit: float) -> float:
        """Give how far one of them is the least: 1 where it alone decides."""
        return float((self.least / limit) ** SHARP)

    @property
    def _all(self) -> tuple[float, float, float]:
        return self.air, self.wire, self.losses


def limits(point: Point) -> Limits:
    """Give what limits a point."""
    air, lost = air_mbps(
        str(point["standard"]),
        round(2 * float(point["snr"])) / 2,
        int(point["fragments"]),
        point["rts"] == "on",
        int(point["retries"]),
    )
    flows = float(point["stations"]) * float(point["connections"])
    loss = float(point["loss"]) / 100 + lost
    per_second = mathis_per_second(loss=loss, rtt_s=idle_ms(point) / 1e3)
    return Limits(
        max(air, LEAST_MBPS),
        float(point["rate"]) * PAYLOAD_BITS / ON_WIRE_BITS,
        flows * per_second * PAYLOAD_BITS / 1e6,
    )


LEAST_MBPS = 0.02


@cache
def air_mbps(
    standard: str, snr_db: float, fragments: int, has_rts: bool, retries: int
) -> tuple[float, float]:
    """Give what TCP gets of the air at the best rate, and how likely a packet is given up there."""
    best = (0.0, 1.0)
    of = STANDARDS[standard]
    basic = tuple(of.modes[rate] for rate in of.basic_rates)
    for mode in of.modes.values():
        radio = Radio(
            mode=mode,
            standard=standard,
            basic_modes=basic,
            fragmentation_threshold=fragments,
            rts_threshold=400 if has_rts else 2347,
        )
        segment = radio.exchange(ip_msdu_bytes(SEGMENT_BYTES))
        answer = radio.exchange(ip_msdu_bytes(ACK_BYTES))
        wait = radio.spaces.difs_us + radio.spaces.mean_backoff_us
        cycle = wait + segment.duration_us + (wait + answer.duration_us) / 2
        through = _core.frame_success(mode, "long", max(segment.lengths), snr_db, "nist", None)
        mbps = through * PAYLOAD_BITS / cycle
        if mbps > best[0]:
            best = (mbps, (1 - through) ** retries)
    return best


def idle_ms(point: Point) -> float:
    """Give the time of a round trip that waits nowhere."""
    return 2 * float(point["delay"]) + HOP_MS


def goodput_mbps(point: Point) -> float:
    """Give what comes through, all connections together."""
    return limits(point).least


def round_trip_ms(point: Point) -> float:
    """Give a round trip under load: what stands in front of the narrowest place has to pass it.

    That is no more than its queue holds, nor than the connections have under way.
    """
    limit = limits(point)
    through = max(limit.least, LEAST_MBPS)
    stations, connections = float(point["stations"]), float(point["connections"])
    window = mathis_window(loss=float(point["loss"]) / 100)
    each = connections * window
    moving = through * idle_ms(point) * 1e3 / PAYLOAD_BITS / stations
    spare = max(each - moving, connections)

    def pass_ms(packets: float) -> float:
        return packets * PAYLOAD_BITS / through / 1e3

    if point["direction"] == "up":
        at_air = pass_ms(stations * min(STATION_PACKETS, spare))
    else:
        at_air = pass_ms(min(float(point["queue_packets"]), stations * spare))
        if point["queue"] == "fq-codel":
            at_air = min(CODEL_MS * stations**0.5, at_air)
    at_wire = pass_ms(min(WIRE_PACKETS, stations * spare))
    return idle_ms(point) + limit.share(limit.air) * at_air + limit.share(limit.wire) * at_wire
