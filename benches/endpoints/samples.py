"""What it costs to ask the kernel for TCP_INFO, and whether any of it is lost."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from machines import Machine, paired
from measuring import Row

from endpoints.bench import LIFE_S, measured, processor_s

GOAL = 0.01
SCENARIO = """
run.duration = "{seconds} s"
run.time_series = false
run.distributions = false
run.tcp_info_step = "{step}"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.load = {{ {app}, from = "laptop", to = "server", count = {count} }}
"""


def rows(seconds: int, rounds: int) -> Iterator[Row]:
    """Sample 32 connections each 10 ms and 200 each 100 ms."""
    with (
        tempfile.TemporaryDirectory() as name,
        paired(Path(name), life_s=LIFE_S) as (desk, laptop, _),
    ):
        folder = Path(name)
        shares = []
        for _ in range(rounds):
            often, seldom = (
                _taken(desk, laptop, folder, seconds, step) for step in ("10 ms", "100 ms")
            )
            # A tenth of the samples is in both.
            shares.append((often - seldom) / 0.9 / seconds)
        share = statistics.median(shares)
        figure = f"{share:.2%} of a processor"
        yield Row("32 connections, each 10 ms", figure, f"{GOAL:.0%}", share <= GOAL)
        yield _whole(desk, folder, seconds)


def _taken(desk: Machine, laptop: Machine, folder: Path, seconds: int, step: str) -> float:
    before = processor_s(laptop)
    measured(desk, _text(seconds, step, 32), folder)
    return processor_s(laptop) - before


def _whole(desk: Machine, folder: Path, seconds: int) -> Row:
    results = measured(desk, _text(seconds, "100 ms", 200), folder)
    (cell,) = results.cells
    lost = sum(value.mean for name, value in cell.metrics.items() if name.endswith(".rows_lost"))
    table = results.tcp_info(cell)
    ends = set(zip(*(table[name].to_pylist() for name in ("flow", "end")), strict=True))
    figure = f"{table.num_rows} samples of {len(ends)} ends, {lost:.0f} lost"
    # Instants that a busy machine misses are passed over, and no row of those taken is lost.
    is_whole = lost == 0 and len(ends) == 400
    return Row("200 connections, each 100 ms", figure, "none lost", is_whole)


def _text(seconds: int, step: str, count: int) -> str:
    app = 'app = "application-limited", rate = "80 kbit/s"'
    return SCENARIO.format(seconds=seconds, step=step, count=count, app=app)
