"""The rows of a comparison, and what people read of them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anechoic.campaign.cells import Cell, Value
from anechoic.campaign.numbers import NOTHING, of_interval, with_interval
from anechoic.campaign.replication import Summary
from anechoic.comparing.differences import Difference
from anechoic.comparing.side import Side


@dataclass(frozen=True)
class Row:
    """One metric of one cell: what each side has of it, and how far it is from the first."""

    parameters: dict[str, Value]
    metric: str
    summaries: Sequence[Summary | None]
    differences: Sequence[Difference | None]
    """One for each side but the first."""

    def texts(self) -> list[str]:
        """Write what each side has, and each difference."""
        values = [NOTHING if each is None else with_interval(each) for each in self.summaries]
        return [*values, *map(_difference, self.differences)]


def metrics_of(rows: Sequence[Row]) -> list[str]:
    """Name the metrics of the rows, in their order."""
    return list(dict.fromkeys(row.metric for row in rows))


def axes_of(rows: Sequence[Row]) -> list[str]:
    """Name the axes by which the rows differ."""
    return list(dict.fromkeys(name for row in rows for name in row.parameters))


def heads(sides: Sequence[Side]) -> list[str]:
    """Name the columns of what each side has and of the differences."""
    first, *others = [side.name for side in sides]
    return [first, *others, *(f"{other} − {first}" for other in others)]


def notes(sides: Sequence[Side], rows: Sequence[Row]) -> Iterator[str]:
    """Say what the numbers are."""
    yield "mean ± half-width of the 95 % Student-t interval; difference from the first"
    known = [each for row in rows for each in row.differences if each is not None]
    if any(each.is_paired for each in known):
        yield "differences are paired by seed, replication by replication"
    if any(not each.is_paired for each in known):
        alone = [side.name for side in sides if not share_draws(sides[0], side)]
        yield (
            f"not paired, but of means, with Welch's interval: {', '.join(alone)}; a single "
            "measurement has no interval"
        )

    yield from _sources(sides)


def _sources(sides: Sequence[Side]) -> Iterator[str]:
    """Say of numbers that are not all simulated where they come from."""
    if {side.backend for side in sides} <= {"sim", None}:
        return
    for side in sides:
        if side.backend == "sim":
            yield f"{side.name}: simulated, with the TCP of the scenario's stacks"
        elif side.backend == "emu":
            valid = [value for cell in side.cells for value in _values(cell, "emulation.valid")]
            yield (
                f"{side.name}: emulated, with the TCP of this machine's kernel at real nodes; "
                f"{sum(valid):.0f} of {len(valid)} runs are valid"
            )
        elif side.backend == "live":
            yield f"{side.name}: measured on real machines, with the TCP of their kernels"


def _values(cell: Cell, metric: str) -> Sequence[float]:
    return cell.metrics[metric].values if metric in cell.metrics else ()


def share_draws(one: Side, other: Side) -> bool:
    """Say whether replications of the same number had the same rng: a simulation's seed alone."""
    are_simulated = one.backend == other.backend == "sim"
    return are_simulated and one.seed is not None and one.seed == other.seed


def _difference(found: Difference | None) -> str:
    """Write a difference with its interval and, of what is not zero, its part of the first."""
    if found is None or math.isnan(found.mean):
        return NOTHING
    text = of_interval(found.mean, found.ci95).replace("-", "−")
    sign = "+" if found.mean > 0 else ""
    part = "" if math.isnan(found.percent) else f" ({found.percent:+.2g} %)".replace("-", "−")
    return f"{sign}{text}{part}"
