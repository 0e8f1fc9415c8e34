"""What closed forms answer of a plan, and what they do not."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class FlowAnswer:
    """What is worked out of a flow; None for what no form gives."""

    flow: str
    form: str = ""
    """What it was worked out by."""
    goodput_mbps: float | None = None
    capacity_mbps: float | None = None
    """What all flows that share its bottleneck get at most."""
    rtt_ms: float | None = None
    idle_rtt_ms: float | None = None
    """The round trip of a lone packet through the empty network."""
    window_over_rtt_mbps: float | None = None
    """What its window would give on the empty network."""
    airtime_share: float | None = None
    """Part of the time that its frames, their answers and the spaces between keep the medium."""
    is_most: bool = False
    """Whether the goodput is a bound, and the truth at or below it."""
    is_echo: bool = False
    """Whether it only measures the round trip."""
    remarks: tuple[str, ...] = ()
    """What is left out, or why there is no answer."""

    @property
    def is_answered(self) -> bool:
        """Whether there is a goodput or a round trip."""
        return self.goodput_mbps is not None or self.rtt_ms is not None

    def noting(self, remarks: Iterable[str]) -> "FlowAnswer":
        """Give the same with something said of it; what has no answer needs no more words."""
        return replace(self, remarks=(*self.remarks, *remarks)) if self.is_answered else self

    @property
    def told(self) -> str:
        """Say what its traffic was worked out by and what was left out, or why it was not."""
        traffic, _, _ = self.flow.rpartition("-")
        if not self.is_answered:
            return f"{traffic}: no answer: {'; '.join(self.remarks)}"
        return f"{traffic}: {'; '.join([self.form, *self.remarks])}"

    def document(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {**asdict(self), "remarks": list(self.remarks)}


@dataclass(frozen=True)
class Answer:
    """What is worked out of a plan: flow by flow, and by the names of what a run measures."""

    flows: tuple[FlowAnswer, ...]
    collision_probability: float | None = None

    def metrics(self) -> dict[str, float]:
        """Give what a run measures too, by the names that it has there."""
        found: dict[str, float | None] = {}
        carrying = [each for each in self.flows if not each.is_echo]
        if carrying and all(each.goodput_mbps is not None for each in carrying):
            total = sum(each.goodput_mbps or 0.0 for each in carrying)
            found["goodput_mbps"] = total
            found["goodput_per_connection_mbps"] = total / len(carrying)
        if len(self.flows) == 1:
            found["rtt_ms_mean"] = self.flows[0].rtt_ms
        found["collision_probability"] = self.collision_probability
        for each in self.flows:
            found[f"flow.{each.flow}.goodput_mbps"] = each.goodput_mbps
            found[f"flow.{each.flow}.rtt_ms_mean"] = each.rtt_ms
        return {name: value for name, value in found.items() if value is not None}
