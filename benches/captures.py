"""Race the analysis of captures against tshark, tcptrace and a bare loop.

All read the same generated traffic: bulk transfers that take turns, with losses, cut to 96 bytes a
packet as `tcpdump -s 96` does. tshark, and tcptrace with many connections, would take minutes for
the whole file, so they get its front; a rate is packets over wall time, process start included.
Each file is made when its turn comes and removed after it.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from measuring import ABSENT, ROOT, Row, in_turns, peak_kb, printed, run

OURS = ROOT / "target" / "release" / "examples" / "bench_capture"

MEBIBYTES = 1024
"""The size of a capture."""

TSHARK_MEBIBYTES = 64
TCPTRACE_MEBIBYTES = {1: MEBIBYTES, 200: 32}
"""The fronts that slow programs get; tcptrace's by the number of connections."""

# What the table is held against: the figures the project set itself before it began.
TIMES_TSHARK = 40.0
TIMES_TCPTRACE = {1: 2.0, 200: 100.0}
SHARE_OF_ONE = 0.7
SHARE_OF_BARE = 0.25
SHARE_OF_WIRED = 0.5
FLOOD_FLOWS = 10_000_000
FLOOD_MEBIBYTES = 4096

# The peak of equal runs differs by some hundred kilobytes: see `speed.MEMORY_SLACK_KB`.
MEMORY_SLACK_KB = 1024


@contextmanager
def capture(*arguments: int | str) -> Iterator[Path]:
    """Make a capture that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="anechoic-bench-") as folder:
        file = Path(folder) / "bench.pcap"
        what, *rest = map(str, arguments)
        run([OURS, what, file, *rest])
        yield file


def packets(file: Path) -> float:
    """Count the packets of a capture."""
    return printed(run([OURS, "walk", file]).output, "packets")


def rates(file: Path, commands: dict[str, Sequence[str | Path]], rounds: int) -> dict[str, float]:
    """Run programs in turns over a capture; give packets per second."""
    count = packets(file)
    walls = in_turns({name: [*command, file] for name, command in commands.items()}, rounds)
    return {name: count / wall_s for name, wall_s in walls.items()}


def millions(rate: float) -> str:
    """Write a rate."""
    return f"{rate / 1e6:.2f} M packets/s"


def named(connections: int) -> str:
    """Say which capture a row is of."""
    return f"captures, {connections:,} connection{'' if connections == 1 else 's'}"


def beside_others(connections: int, ours: float, rounds: int) -> list[Row]:
    """Give tshark and tcptrace the front of the same traffic."""
    rows = []
    others = {"tshark": (TSHARK_MEBIBYTES, TIMES_TSHARK, ["-n", "-q", "-z", "conv,tcp", "-r"])}
    if connections in TCPTRACE_MEBIBYTES:
        size, times = TCPTRACE_MEBIBYTES[connections], TIMES_TCPTRACE[connections]
        others["tcptrace"] = (size, times, ["-n"])
    for program, (size, times, flags) in others.items():
        what = f"{named(connections)}: {program}, {size} MiB"
        goal = f"≥ {times:g} ×"
        if shutil.which(program) is None:
            rows.append(Row(what, ABSENT, goal))
            continue
        with capture("make", connections, size) as file:
            theirs = rates(file, {program: [program, *flags]}, rounds)[program]
        ratio = ours / theirs
        rows.append(Row(what, f"{millions(theirs)}, {ratio:.0f} ×", goal, ratio >= times))
    return rows


def speed(rounds: int) -> list[Row]:
    """Race with one connection and with many."""
    commands: dict[str, Sequence[str | Path]] = {name: [OURS, name] for name in ("analyse", "walk")}
    rows, found = [], {}
    for connections in (1, 200, 20_000):
        with capture("make", connections, MEBIBYTES) as file:
            rate = rates(file, commands, rounds)
        ours = found[connections] = rate["analyse"]
        what = named(connections)
        if connections == 1:
            rows.append(Row(f"{what}, {MEBIBYTES} MiB", millions(ours)))
        else:
            share = ours / found[1]
            figure = f"{millions(ours)}, {share:.2f} of the rate with one"
            rows.append(Row(what, figure, f"≥ {SHARE_OF_ONE}", share >= SHARE_OF_ONE))
        share = ours / rate["walk"]
        figure = f"{millions(rate['walk'])}, we {share:.2f} of it"
        rows.append(Row(f"{what}: bare loop", figure, f"≥ {SHARE_OF_BARE}", share >= SHARE_OF_BARE))
        if connections != 20_000:
            rows += beside_others(connections, ours, rounds)
    with capture("make", 200, MEBIBYTES, "wifi") as file:
        air = rates(file, {"analyse": [OURS, "analyse"]}, rounds)["analyse"]
    share = air / found[200]
    figure = f"{millions(air)}, {share:.2f} of the wired"
    what = "captures, 802.11 with radiotap, 200 connections"
    rows.append(Row(what, figure, f"≥ {SHARE_OF_WIRED}", share >= SHARE_OF_WIRED))
    return rows


def memory() -> list[Row]:
    """Compare the peak for a capture with that for one four times as large, and flood it."""
    peaks = []
    for size in (MEBIBYTES, 4 * MEBIBYTES):
        with capture("make", 200, size) as file:
            peaks.append(peak_kb([OURS, "analyse", file]))
    figure = " and ".join(
        f"{peak / 1024:.1f} MiB ({size} GiB)" for peak, size in zip(peaks, (1, 4), strict=True)
    )
    grows = peaks[1] - peaks[0] >= MEMORY_SLACK_KB
    rows = [Row("captures, 200 connections: peak memory", figure, "no growth", not grows)]
    with capture("flood", FLOOD_FLOWS) as file:
        flooded = peak_kb([OURS, "analyse", file]) / 1024
    what = f"captures, {FLOOD_FLOWS:,} SYNs that nobody answers: peak memory"
    goal = f"< {FLOOD_MEBIBYTES:,} MiB"
    rows.append(Row(what, f"{flooded:,.0f} MiB", goal, flooded < FLOOD_MEBIBYTES))
    return rows


def rows(rounds: int) -> list[Row]:
    """Measure all of it."""
    return [*speed(rounds), *memory()]
