"""What a prediction is asked about: conditions that are given, and settings that can be chosen.

Each is a value of a scenario, within the range that the survey has covered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

Value = float | str


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high`, spread evenly or by their logarithms."""

    low: float
    high: float
    unit: str = ""
    is_logarithmic: bool = False
    is_whole: bool = False

    def at(self, part: float) -> float:
        """Give the value at a part of the range, from 0 to 1."""
        if self.is_logarithmic:
            value = exp(log(self.low) + part * (log(self.high) - log(self.low)))
        else:
            value = self.low + part * (self.high - self.low)
        return float(round(value)) if self.is_whole else value

    def part(self, value: float) -> float:
        """Give the part of the range at which a value lies; beyond 0 and 1 outside of it."""
        if self.is_logarithmic:
            return log(max(value, 1e-9) / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Choice:
    """One of several words."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Factor:
    """A condition or a setting: what it is called, and what is taken where nobody says."""

    name: str
    about: str
    kind: Scale | Choice
    usual: Value

    @property
    def told(self) -> str:
        """Say what it is, which values it takes, and which one where nobody says."""
        kind, usual = self.kind, self.usual
        if isinstance(kind, Choice):
            values = " or ".join(kind.values)
        else:
            values, usual = f"{kind.low:g} to {kind.high:g} {kind.unit}".rstrip(), f"{usual:g}"
        return f"{self.about}: {values}  [default: {usual}]"


CONDITIONS = (
    Factor("standard", "amendment", Choice(("802.11b", "802.11g")), "802.11g"),
    Factor("direction", "who sends", Choice(("down", "up")), "down"),
    Factor("stations", "stations", Scale(1, 20, "", True, True), 1),
    Factor("connections", "connections of each", Scale(1, 4, "", True, True), 1),
    Factor("snr", "signal over noise of every station", Scale(8, 40, "dB"), 40),
    Factor("delay", "one-way delay of the wire", Scale(0.2, 100, "ms", True), 10),
    Factor("loss", "packets lost on the wire, each way", Scale(0.01, 5, "%", True), 0.01),
    Factor("rate", "rate of the wire", Scale(2, 100, "Mbit/s", True), 100),
)
SETTINGS = (
    Factor("rate_control", "rate control", Choice(("arf", "sample-rate")), "sample-rate"),
    Factor("rts", "RTS/CTS", Choice(("off", "on")), "off"),
    Factor("fragments", "fragmentation threshold", Scale(256, 2346, "bytes", True, True), 2346),
    Factor("retries", "short retry limit", Scale(2, 12, "attempts", False, True), 7),
    Factor("queue", "queue of the access point", Choice(("drop-tail", "fq-codel")), "drop-tail"),
    Factor("queue_packets", "length of the queue", Scale(20, 500, "packets", True, True), 100),
    Factor("congestion_control", "congestion control", Choice(("cubic", "reno")), "cubic"),
)
FACTORS = {factor.name: factor for factor in (*CONDITIONS, *SETTINGS)}

Point = Mapping[str, Value]
"""A value for each factor."""


def usual() -> dict[str, Value]:
    """Give what is taken where nobody says anything."""
    return {name: factor.usual for name, factor in FACTORS.items()}
