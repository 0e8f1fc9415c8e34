"""What closed forms answer of a network, held against short runs of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from anechoic._core import run
from anechoic.calc.answer import FlowAnswer
from anechoic.calc.plan import solve
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.load import from_data

TOLERANCE = 0.1
"""Part of an answer by which runs may differ from it: the least exact form's, over all networks."""
OF_A_TREND = 0.3
"""The same of Padhye's formula."""
SEEDS = (1, 2)


@dataclass(frozen=True)
class Told:
    """A number that closed forms tell of a flow, and what runs with several seeds give."""

    flow: FlowAnswer
    metric: str
    calculated: float
    simulated: Sequence[float]

    @property
    def is_right(self) -> bool:
        """Whether runs are within the tolerance of an answer, and below a bound."""
        mean, spread = sum(self.simulated) / len(self.simulated), self._spread
        if isnan(mean):
            return False
        if self.flow.is_most:
            return mean <= self.calculated * (1 + 0.02) + spread
        part = OF_A_TREND if self.flow.form.startswith("Padhye") else TOLERANCE
        return abs(mean - self.calculated) <= part * self.calculated + 2 * spread

    @property
    def _spread(self) -> float:
        return max(self.simulated) - min(self.simulated)

    def __str__(self) -> str:
        """Say what is told and what is measured."""
        most = "at most " if self.flow.is_most else ""
        measured = ", ".join(f"{each:.4g}" for each in self.simulated)
        what = f"{self.flow.flow} {self.metric}: {most}{self.calculated:.4g}, run {measured}"
        return f"{what} ({'; '.join([self.flow.form, *self.flow.remarks])})"


def told_of(data: Mapping[str, Any]) -> Iterator[Told]:
    """Give every number that closed forms tell of the flows of a scenario."""
    plan = compile_scenario(from_data(data, "random"))
    answered = [each for each in solve(plan).flows if each.is_answered]
    if not answered:
        return
    runs = [run(json.dumps(plan), seed).metrics() for seed in SEEDS]
    for each in answered:
        numbers = {"goodput_mbps": each.goodput_mbps, "rtt_ms_mean": each.rtt_ms}
        for name, value in numbers.items():
            if value is not None:
                metric = f"flow.{each.flow}.{name}"
                yield Told(each, name, value, [metrics[metric] for metrics in runs])
