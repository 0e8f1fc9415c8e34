"""Many stations and many cells: what a delivered MSDU costs beside that of one cell of ten.

Costs are differences between a long and a short run over the MSDUs delivered between them, so that
start-up falls out. Instructions repeat on a noisy machine, and times tell of caches too.
"""

import shutil
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import peers
from measuring import ABSENT, ROOT, Row, counted, printed, run

OURS = ROOT / "target" / "release" / "examples" / "bench"

ONE_CELL = "C-1"
"""What everything is compared with: a cell of ten saturated stations."""

TIMES_NS3 = 100.0


@dataclass(frozen=True)
class Workload:
    """A workload of the example `bench`, and how many times one cell's MSDU its MSDU may cost."""

    name: str
    what: str
    most: float
    seconds: tuple[int, int]
    """The simulated lengths of the short run and the long one."""


CELLS = (2, 5, 10, 20)
WORKLOADS = (
    *(Workload(f"C-{n}", f"{n} cells that do not hear each other", 1.3, (2, 12)) for n in CELLS),
    *(Workload(f"G-{n}", f"{n} cells in a grid that interfere", 25.0, (2, 4)) for n in CELLS),
    Workload("S-100", "a cell of 100 saturated stations", 6.0, (2, 12)),
    Workload("S-200", "a cell of 200 saturated stations", 15.0, (2, 12)),
)
ONE = Workload(ONE_CELL, "a cell of ten saturated stations", 1.0, (2, 42))
ACTIVE = Workload("N-0", "one saturated station", 1.0, (2, 42))
IDLE = Workload("N-1000", "one saturated station beside a thousand idle ones", 4.0, (2, 42))


def cost(workload: Workload, program: Sequence[str | Path] = (OURS,)) -> float:
    """Give the wall time of an MSDU in microseconds."""
    short, long = (run([*program, workload.name, str(end)]) for end in workload.seconds)
    msdus = printed(long.output, "segments") - printed(short.output, "segments")
    walls = printed(long.output, "wall_s") - printed(short.output, "wall_s")
    return walls / msdus * 1e6


def instructions(workload: Workload) -> float:
    """Count the instructions of an MSDU."""
    (few, first), (many, last) = (
        counted([OURS, workload.name, str(end)]) for end in workload.seconds
    )
    return (many - few) / (printed(last, "segments") - printed(first, "segments"))


def compared(workloads: Sequence[Workload], base: Workload, rounds: int) -> list[Row]:
    """Compare workloads with one: each round runs all of them, and ratios are of one round."""
    times: dict[str, list[float]] = {each.name: [] for each in (base, *workloads)}
    for _ in range(rounds):
        for each in (base, *workloads):
            times[each.name].append(cost(each))
    counts = {}
    if shutil.which("valgrind") is not None:
        counts = {each.name: instructions(each) for each in (base, *workloads)}

    def figure(name: str) -> str:
        count = f", {counts[name]:,.0f} instructions" if counts else ""
        return f"{statistics.median(times[name]):.2f} µs{count}"

    rows = [Row(f"{base.what}: an MSDU", figure(base.name))]
    for each in workloads:
        ratios = [ours / one for ours, one in zip(times[each.name], times[base.name], strict=True)]
        ratio = statistics.median(ratios)
        text = f"{figure(each.name)}, {ratio:.1f} ×"
        rows.append(Row(f"{each.what}: an MSDU", text, f"≤ {each.most:g} ×", ratio <= each.most))
    return rows


def beside_ns3(rounds: int, build: Path) -> list[Row]:
    """Race twenty cells of the grid against ns-3."""
    what, goal = "20 cells in a grid that interfere, an MSDU: ns-3", f"≥ {TIMES_NS3:g} ×"
    program = peers.built_ns3("cells", build)
    if program is None:
        return [Row(what, ABSENT, goal)]
    grid = Workload("G-20", what, 1.0, (2, 4))
    theirs = Workload("20", what, 1.0, (2, 3))
    ratios, costs = [], []
    for _ in range(rounds):
        ours, other = cost(grid), cost(theirs, (program,))
        ratios.append(other / ours)
        costs.append(other)
    ratio = statistics.median(ratios)
    figure = f"{statistics.median(costs):.0f} µs, {ratio:.0f} ×"
    return [Row(what, figure, goal, ratio >= TIMES_NS3)]


def rows(rounds: int) -> list[Row]:
    """Measure all of it."""
    return [
        *compared(WORKLOADS, ONE, rounds),
        *compared((IDLE,), ACTIVE, rounds),
        *beside_ns3(1, ROOT / "target" / "peers"),
    ]
